/* Coarser meshes: they are surfaces of the same kind, and the same mesh always gives the same one. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "halving.h"
#include "mesh/coarsen.h"
#include "mesh/polygon.h"
#include "meshes.h"

static CoarseMesh coarsen_to(const PolygonMesh *mesh, int target, const int32_t *partners,
                             const uint8_t *marks) {
    CoarsenOptions options = {.target = target, .partners = partners, .marks = marks};
    CoarseMesh coarse;
    Status status = {0};
    CHECK_INT(coarsen(mesh, &options, &coarse, &status), STATUS_OK);
    return coarse;
}

static CheckReport look_at(const PolygonMesh *mesh) {
    CheckReport report;
    Status status = {0};
    int found;
    CHECK(mesh_check(mesh, &report, NULL, 0, &found, &status) >= 0);
    return report;
}

/* What holds of every coarser mesh. */
static void check_coarse(const PolygonMesh *fine, const CoarseMesh *coarse) {
    const PolygonMesh *mesh = &coarse->polygons;
    CheckReport before = look_at(fine), after = look_at(mesh);
    CHECK_INT(after.component_count, before.component_count);
    CHECK_INT(after.defects[DEFECT_NON_MANIFOLD], before.defects[DEFECT_NON_MANIFOLD]);
    CHECK_INT(after.defects[DEFECT_FLIPPED], before.defects[DEFECT_FLIPPED]);
    CHECK_INT(after.defects[DEFECT_ISOLATED], before.defects[DEFECT_ISOLATED]);
    CHECK_INT(after.defects[DEFECT_DUPLICATE_FACE], 0);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int from = coarse->source[v];
        CHECK_INT(coarse->collapsed_to[from], v);
        CHECK(!memcmp(mesh->positions + 3 * v, fine->positions + 3 * from, 3 * sizeof(float)));
    }
    for (int v = 0; v < fine->vertex_count; ++v) {
        const CoarsePlace *place = &coarse->places[v];
        double sum = 0;
        for (int k = 0; k < 3; ++k) {
            sum += place->weights[k];
            CHECK(place->weights[k] >= 0 && place->vertices[k] < mesh->vertex_count);
        }
        CHECK_NEAR(sum, 1, 1e-12);
    }
}

/* Euler's number: vertices - edges + triangles. */
static int euler(const PolygonMesh *mesh) {
    CheckReport report = look_at(mesh);
    return mesh->vertex_count - report.edge_count + report.triangle_count;
}

static void test_grids(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        TestMesh *mesh = mesh_grid(kind, 40, 30, 1);
        CoarseMesh coarse = coarsen_to(&mesh->polygons, 300, NULL, NULL);
        CheckReport report = look_at(&coarse.polygons);
        check_coarse(&mesh->polygons, &coarse);
        CHECK_INT(coarse.polygons.vertex_count, 300);
        CHECK_INT(euler(&coarse.polygons), 1);
        /* borders and corners: straight ones are kept, jagged ones nearly */
        CHECK_NEAR(report.area, look_at(&mesh->polygons).area, kind < GRID_IRREGULAR ? 1e-6 : 4e-3);
        CHECK_BELOW(report.longest_edge, 4 * sqrt(report.area / 300));
        CHECK_BELOW(0.2 * sqrt(report.area / 300), report.shortest_edge);
        coarse_free(&coarse);
        mesh_free(mesh);
    }
}

static void test_target_out_of_reach(void) {
    TestMesh *mesh = mesh_grid(GRID_QUADS, 20, 20, 1);
    CoarseMesh coarse = coarsen_to(&mesh->polygons, 1, NULL, NULL);
    check_coarse(&mesh->polygons, &coarse);
    CHECK(coarse.polygons.vertex_count >= 4 && coarse.polygons.vertex_count < 60);
    CHECK_NEAR(look_at(&coarse.polygons).area, look_at(&mesh->polygons).area, 1e-6);
    coarse_free(&coarse);
    mesh_free(mesh);
}

static void test_curved(void) {
    TestMesh *mesh = mesh_grid(GRID_DELAUNAY, 60, 60, 2);
    mesh_crumple(mesh, 0.15);
    CoarseMesh coarse = coarsen_to(&mesh->polygons, 900, NULL, NULL);
    check_coarse(&mesh->polygons, &coarse);
    double fine = look_at(&mesh->polygons).area;
    CHECK_NEAR(look_at(&coarse.polygons).area, fine, 0.01 * fine);
    double farthest = 0;
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        const CoarsePlace *place = &coarse.places[v];
        Vec3 at = vec3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            at = vec3_madd(at, place->weights[k],
                           polygon_position(&coarse.polygons, place->vertices[k]));
        }
        farthest = fmax(farthest, vec3_distance(at, polygon_position(&mesh->polygons, v)));
    }
    CHECK_BELOW(farthest, 0.02);
    coarse_free(&coarse);
    mesh_free(mesh);
}

/* A sheet, a rope tied to it, and another sheet close below: layers never mix. */
static void test_layers(void) {
    TestMesh *mesh = mesh_new();
    for (int layer = 0; layer < 2; ++layer) {
        int first = mesh->polygons.vertex_count;
        for (int v = 0; v < 400; ++v) {
            mesh_add_vertex(mesh, 0.05 * (v % 20), 0.05 * (v / 20), 0.001 * layer);
        }
        for (int f = 0; f < 19 * 19; ++f) {
            int corner = first + f % 19 + 20 * (f / 19);
            mesh_add_face(mesh, 4, (int[]){corner, corner + 1, corner + 21, corner + 20});
        }
    }
    int end = mesh_add_vertex(mesh, 0.5, 0.5, -0.5);
    mesh_add_edge(mesh, 210, end);
    CoarseMesh coarse = coarsen_to(&mesh->polygons, 200, NULL, NULL);
    check_coarse(&mesh->polygons, &coarse);
    CHECK_INT(coarse.polygons.vertex_count, 200);
    CHECK_INT(coarse.source[coarse.collapsed_to[210]], 210);
    CHECK_INT(coarse.polygons.edges[0], coarse.collapsed_to[210]);
    for (int v = 0; v < 800; ++v) {
        for (int k = 0; k < 3; ++k) {
            int at = coarse.source[coarse.places[v].vertices[k]];
            CHECK((at < 400) == (v < 400));
        }
    }
    coarse_free(&coarse);
    mesh_free(mesh);
}

/* Two kinds of marks: a patch with a single vertex, and a line across the sheet that goes through the patch. */
static void test_marks(void) {
    TestMesh *mesh = mesh_grid(GRID_QUADS, 30, 30, 1);
    uint8_t *marks = calloc(900, 1);
    for (int v = 0; v < 900; ++v) {
        bool in_patch = v == 435 || (v % 30 > 20 && v / 30 < 5);
        marks[v] = (uint8_t)((in_patch ? 1 : 0) | (v / 30 == 3 ? 2 : 0));
    }
    CoarseMesh coarse = coarsen_to(&mesh->polygons, 120, NULL, marks);
    check_coarse(&mesh->polygons, &coarse);
    CHECK_INT(coarse.source[coarse.collapsed_to[435]], 435);
    for (int v = 0; v < 900; ++v) {
        CHECK_INT(marks[v] & ~marks[coarse.source[coarse.collapsed_to[v]]], 0);
    }
    free(marks);
    coarse_free(&coarse);
    mesh_free(mesh);
}

/* UVs fall apart at the line x = 0: no triangle of the coarser mesh crosses it, and each side keeps its UVs. */
static void test_seam(void) {
    TestMesh *mesh = mesh_grid(GRID_QUADS, 31, 31, 1);
    mesh_add_uvs(mesh, 1);
    const float *positions = mesh->positions;
    for (int f = 0; f < mesh->polygons.face_count; ++f) {
        int right = f % 30 >= 15;
        for (int c = 0; c < 4; ++c) {
            mesh->uvs[2 * (4 * f + c)] += right ? 10.0f : 0.0f;
        }
    }
    CoarseMesh coarse = coarsen_to(&mesh->polygons, 200, NULL, NULL);
    check_coarse(&mesh->polygons, &coarse);
    CHECK_INT(coarse.polygons.vertex_count, 200);
    for (int t = 0; t < coarse.polygons.face_count; ++t) {
        const float *uv = coarse.polygons.corner_uvs + 6 * t;
        float shift = uv[0] > 5 ? 10.0f : 0.0f;
        for (int c = 0; c < 3; ++c) {
            int from = coarse.source[coarse.polygons.face_vertices[3 * t + c]];
            CHECK_NEAR(uv[2 * c], positions[3 * from] + shift, 1e-5);
            CHECK_NEAR(uv[2 * c + 1], positions[3 * from + 1], 1e-5);
        }
    }
    coarse_free(&coarse);
    mesh_free(mesh);
}

static void test_symmetric(void) {
    TestMesh *mesh = symmetric_sheet(40, 30, 0.02);
    int count = mesh->polygons.vertex_count;
    int32_t *partners = calloc((size_t)count, sizeof *partners);
    int32_t *left = calloc((size_t)count, sizeof *left);
    SymmetryOptions options = {.plane = {{0, 0, 0}, {1, 0, 0}}};
    Symmetry symmetry;
    Status status = {0};
    symmetry_find(&mesh->polygons, &options, &symmetry, partners, NULL, &status);
    CHECK_INT(symmetry.unpaired, 0);
    CoarseMesh coarse = coarsen_to(&mesh->polygons, 300, partners, NULL);
    check_coarse(&mesh->polygons, &coarse);
    CHECK(abs(coarse.polygons.vertex_count - 300) <= 1);
    symmetry_find(&coarse.polygons, &options, &symmetry, left, NULL, &status);
    CHECK_INT(symmetry.unpaired, 0);
    CHECK_INT(symmetry.elements.faces_without, 0);
    CHECK(symmetry.on_plane > 2);
    for (int v = 0; v < coarse.polygons.vertex_count; ++v) {
        CHECK_INT(coarse.source[left[v]], partners[coarse.source[v]]);
    }
    free(partners);
    free(left);
    coarse_free(&coarse);
    mesh_free(mesh);
}

static void test_random(void) {
    for (int round = 0; round < 20; ++round) {
        TestMesh *mesh = mesh_random();
        int target = 3 + mesh->polygons.vertex_count / 4;
        CoarseMesh first = coarsen_to(&mesh->polygons, target, NULL, NULL);
        CoarseMesh second = coarsen_to(&mesh->polygons, target, NULL, NULL);
        check_coarse(&mesh->polygons, &first);
        CHECK_INT(second.polygons.face_count, first.polygons.face_count);
        CHECK(!memcmp(first.polygons.face_vertices, second.polygons.face_vertices,
                      3 * sizeof(int32_t) * (size_t)first.polygons.face_count));
        CHECK(!memcmp(first.places, second.places,
                      sizeof(CoarsePlace) * (size_t)mesh->polygons.vertex_count));
        coarse_free(&first);
        coarse_free(&second);
        mesh_free(mesh);
    }
}

int main(void) {
    random_start(5);
    test_grids();
    test_target_out_of_reach();
    test_curved();
    test_layers();
    test_marks();
    test_seam();
    test_symmetric();
    test_random();
    return check_result();
}
