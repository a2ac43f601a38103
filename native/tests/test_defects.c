/* mesh_check(): each kind of defect is found where it is, counted once, and nothing else is. */
#include <stdio.h>
#include <string.h>

#include "check.h"
#include "mesh/mesh.h"
#include "mesh/polygon.h"
#include "meshes.h"

#define CAPACITY 32

static Finding findings[CAPACITY];
static CheckReport report;
static Status status;
static int found;

static StatusCode look_at(const TestMesh *mesh) {
    memset(findings, -1, sizeof findings);
    return mesh_check(&mesh->polygons, &report, findings, CAPACITY, &found, &status);
}

/* Exactly one finding, of this kind, at this element. */
static void expect(TestMesh *mesh, StatusCode code, DefectKind kind, int element,
                   const char *word) {
    CHECK_INT(look_at(mesh), code);
    CHECK_INT(found, 1);
    CHECK_INT(findings[0].kind, kind);
    CHECK_INT(findings[0].element, element);
    for (int k = 0; k < DEFECT_KINDS; ++k) {
        CHECK_INT(report.defects[k], k == (int)kind);
    }
    CHECK(strstr(status.message, word) != NULL);
    mesh_free(mesh);
}

static TestMesh *sheet(void) { return mesh_grid(GRID_ALTERNATING, 4, 3, 3.0); }

/* A single face: a regular polygon of radius 1 m. */
static TestMesh *ring(int corners) {
    TestMesh *mesh = mesh_new();
    int vertices[100];
    for (int i = 0; i < corners; ++i) {
        double angle = 6.283185307179586 * i / corners;
        vertices[i] = mesh_add_vertex(mesh, cos(angle), sin(angle), 0);
    }
    mesh_add_face(mesh, corners, vertices);
    return mesh;
}

/* Of any number of corners, cut into triangles, it has its area. */
static void check_polygons(void) {
    for (int corners = 5; corners <= 100; corners += 19) {
        TestMesh *mesh = ring(corners);
        look_at(mesh);
        CHECK_INT(report.triangle_count + report.quad_count, 0);
        CHECK_NEAR(report.area, 0.5 * corners * sin(6.283185307179586 / corners), 1e-6);
        mesh_free(mesh);
    }
}

static void check_clean(void) {
    TestMesh *mesh = sheet();
    CHECK_INT(look_at(mesh), STATUS_OK);
    CHECK_INT(found, 0);
    CHECK_INT(report.triangle_count, 12);
    CHECK_INT(report.quad_count, 0);
    CHECK_INT(report.component_count, 1);
    CHECK_INT(report.boundary_edge_count, 10);
    CHECK_INT(report.edge_count, 12 + 12 - 1); /* Euler */
    CHECK_NEAR(report.area, 6.0, 1e-6);
    CHECK_NEAR(report.shortest_edge, 1.0, 1e-6);
    CHECK_NEAR(report.longest_edge, sqrt(2), 1e-6);
    mesh_free(mesh);
}

static void check_impossible(void) {
    TestMesh *mesh = sheet();
    mesh->positions[3 * 7 + 1] = NAN;
    expect(mesh, STATUS_ERROR_MESH, DEFECT_NOT_FINITE, 7, "vertex 7");
    mesh = sheet();
    mesh->positions[3 * 4] = -INFINITY;
    expect(mesh, STATUS_ERROR_MESH, DEFECT_NOT_FINITE, 4, "vertex 4");
    mesh = sheet();
    mesh->positions[3 * 4 + 2] = 1.001e9F;
    expect(mesh, STATUS_ERROR_MESH, DEFECT_NOT_FINITE, 4, "within 1e+09 m");
    mesh = sheet();
    mesh->face_vertices[3 * 5 + 2] = 12;
    expect(mesh, STATUS_ERROR_MESH, DEFECT_INDEX_RANGE, 5, "vertex 12");
    mesh = sheet();
    mesh->face_vertices[3 * 5 + 2] = -1;
    expect(mesh, STATUS_ERROR_MESH, DEFECT_INDEX_RANGE, 5, "vertex -1");
    mesh = sheet();
    mesh_add_edge(mesh, 3, 99);
    expect(mesh, STATUS_ERROR_MESH, DEFECT_INDEX_RANGE, 0, "vertex 99");
    mesh = sheet();
    CHECK(check_can_be_read(&mesh->polygons));
    mesh->polygons.face_count = 0;
    CHECK(!check_can_be_read(&mesh->polygons));
    mesh_add_edge(mesh, 0, 1);
    CHECK(check_can_be_read(&mesh->polygons));
    mesh->polygons.vertex_count = 0;
    CHECK(!check_can_be_read(&mesh->polygons));
    mesh_free(mesh);
}

static void check_warnings(void) {
    TestMesh *mesh = sheet();
    mesh_add_face(mesh, 4, (const int[]){0, 1, 0, 4});
    expect(mesh, STATUS_WARNING_MESH, DEFECT_REPEATED_VERTEX, 12, "twice");
    mesh = sheet();
    mesh_add_edge(mesh, 3, 3);
    expect(mesh, STATUS_WARNING_MESH, DEFECT_REPEATED_VERTEX, 0, "twice");
    mesh = sheet();
    mesh_add_vertex(mesh, 1.5, -1e-7, 0); /* 1.5 between vertices 1 and 2 */
    mesh_add_triangle(mesh, 2, 1, 12);
    expect(mesh, STATUS_WARNING_MESH, DEFECT_ZERO_AREA, 12, "without area");
    mesh = sheet();
    mesh_add_vertex(mesh, 1.5, -0.01, 0); /* height 1/100 */
    mesh_add_triangle(mesh, 2, 1, 12);
    expect(mesh, STATUS_WARNING_MESH, DEFECT_SLIVER, 12, "sliver");
    mesh = sheet();
    const int32_t *first = mesh->face_vertices; /* the same, turned and the other way round */
    mesh_add_triangle(mesh, first[1], first[0], first[2]);
    expect(mesh, STATUS_WARNING_MESH, DEFECT_DUPLICATE_FACE, 12, "given twice");
    mesh = ring(20);
    int turned[20]; /* a face of many corners, likewise */
    for (int i = 0; i < 20; ++i) {
        turned[i] = (27 - i) % 20;
    }
    mesh_add_face(mesh, 20, turned);
    expect(mesh, STATUS_WARNING_MESH, DEFECT_DUPLICATE_FACE, 1, "given twice");
    mesh = sheet();
    mesh_add_vertex(mesh, 9, 9, 9);
    expect(mesh, STATUS_WARNING_MESH, DEFECT_ISOLATED, 12, "belonging to nothing");
    mesh = sheet();
    CHECK_INT(look_at(mesh), STATUS_OK);
    mesh_add_vertex(mesh, 1.5, 0.2, 1); /* a third face on the inner edge 5-6 */
    mesh_add_triangle(mesh, 5, 6, 12);
    CHECK_INT(look_at(mesh), STATUS_WARNING_MESH);
    CHECK_INT(report.defects[DEFECT_NON_MANIFOLD], 1);
    CHECK_INT(found, 1);
    CHECK(findings[0].vertices[0] == 5 && findings[0].vertices[1] == 6);
    mesh_free(mesh);
    mesh = sheet();
    mesh_add_vertex(mesh, 0.5, -1, 0); /* across the rim edge 0-1, facing down */
    mesh_add_triangle(mesh, 0, 1, 12);
    CHECK_INT(look_at(mesh), STATUS_WARNING_MESH);
    CHECK_INT(report.defects[DEFECT_FLIPPED], 1);
    CHECK_INT(found, 1);
    CHECK(findings[0].vertices[0] == 0 && findings[0].vertices[1] == 1);
    mesh_free(mesh);
    mesh = sheet(); /* a doubled vertex is no warning, seams have them, but is reported */
    int twin = mesh_add_vertex(mesh, 3, 0, 0), other = mesh_add_vertex(mesh, 4, 0, 0);
    mesh_add_edge(mesh, twin, other);
    CHECK_INT(look_at(mesh), STATUS_OK);
    CHECK_INT(report.defects[DEFECT_DOUBLED_VERTEX], 1);
    CHECK(found == 1 && findings[0].element == twin && findings[0].vertices[1] == 3);
    CHECK_INT(report.component_count, 2);
    mesh_free(mesh);
}

/* More findings than room: all counted, no more written. And no room at all. */
static void check_capacity(void) {
    TestMesh *mesh = sheet();
    for (int i = 0; i < 5; ++i) {
        mesh_add_vertex(mesh, 10 + i, 0, 0);
    }
    Finding few[3];
    memset(few, -1, sizeof few);
    CHECK_INT(mesh_check(&mesh->polygons, &report, few, 2, &found, &status), STATUS_WARNING_MESH);
    CHECK_INT(found, 5);
    CHECK_INT(few[1].element, 13);
    CHECK_INT(few[2].element, -1);
    CHECK_INT(mesh_check(&mesh->polygons, &report, NULL, 0, &found, &status), STATUS_WARNING_MESH);
    CHECK_INT(found, 5);
    CHECK_INT(report.defects[DEFECT_ISOLATED], 5);
    CHECK(strstr(status.message, "5 vertices") != NULL);
    mesh_free(mesh);
}

/* What is left out is left out, and the rest is built. */
static void check_built_without(void) {
    TestMesh *mesh = sheet();
    const int32_t *first = mesh->face_vertices;
    mesh_add_triangle(mesh, first[1], first[2], first[0]);
    mesh_add_face(mesh, 4, (const int[]){0, 1, 0, 4});
    mesh_add_edge(mesh, 2, 2);
    Store store = {0};
    Mesh built;
    CHECK_INT(mesh_build(&mesh->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                         &store, &built, &status),
              STATUS_OK);
    CHECK_INT(built.triangle_count, 12);
    CHECK_INT(built.edge_count, 23);
    CHECK_INT(built.hinge_count, 13);
    store_release(&store);
    mesh_free(mesh);
}

int main(void) {
    check_clean();
    check_impossible();
    check_warnings();
    check_polygons();
    check_capacity();
    check_built_without();
    return check_result();
}
