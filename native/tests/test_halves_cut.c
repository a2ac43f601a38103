/* half_build() in cut mode: sides that are triangulated differently, faces across the plane, open fronts. At rest the
 * half gives every vertex of both sides back, and where the half goes, the other side goes along. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "halving.h"

#define STEP 0.1 /* m */

static Half half;
static Status status;
static Vec3 positions[MESHES_MOST];
static float carried[3 * MESHES_MOST];

static const HalfOptions halve = {.mode = HALF_CUT, .plane = {{0, 0, 0}, {1, 0, 0}}};

/* Symmetric to x = 0: it scales x and mixes y and z. */
static Vec3 deform(Vec3 p) {
    return vec3(0.8 * p.x, 1.1 * p.y + 0.3 * p.z + 0.2, 0.2 * p.y - 0.9 * p.z - 0.1);
}

/* The largest distance between the caller's vertices, deformed, and the deformed half's. */
static double deformed_error(const PolygonMesh *mesh) {
    double most = 0;
    rest_of(&half, positions);
    for (int h = 0; h < half.polygons.vertex_count; ++h) {
        positions[h] = deform(positions[h]);
    }
    half_carry(&half, NULL, positions, carried);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        const float *p = carried + 3 * v;
        double d = vec3_distance(vec3(p[0], p[1], p[2]), deform(polygon_position(mesh, v)));
        most = d > most || !(d >= 0) ? d : most;
    }
    return most;
}

static void expect_half(const TestMesh *mesh, const HalfOptions *options) {
    CHECK_INT(half_build(&mesh->polygons, options, &half, &status), STATUS_OK);
    check_maps(&half, &mesh->polygons);
    CHECK_INT(half.rail_from, half.plane_from);
    CHECK_INT(half.mirrored_to_the_bit, 0);
    int corner = 0;
    for (int f = 0; f < half.polygons.face_count; ++f) { /* no face within the plane */
        int off = 0;
        for (int c = 0; c < half.polygons.face_sizes[f]; ++c, ++corner) {
            int h = half.polygons.face_vertices[corner];
            off += h < half.plane_from;
            CHECK(half.polygons.positions[3 * h] >= 0 || h < half.plane_from);
        }
        CHECK(off > 0);
    }
}

/* Where the kept half has area, once: the area of all faces seen along z. */
static double flat_area(const PolygonMesh *mesh) {
    const int32_t *ring = mesh->face_vertices;
    double area = 0;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        Vec3 points[8];
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            points[c] = polygon_position(mesh, ring[c]);
        }
        area += 0.5 * polygon_normal(points, mesh->face_sizes[f]).z;
    }
    return area;
}

/* The same vertices on both sides, but all diagonals the same way: exact mode refuses, cut mode does not. */
static void check_diagonals(void) {
    TestMesh *quads = symmetric_sheet(8, 6, STEP), *mesh = mesh_new();
    for (int v = 0; v < 63; ++v) {
        const float *p = quads->positions + 3 * v;
        mesh_add_vertex(mesh, p[0], p[1], p[2]);
    }
    for (int f = 0; f < 48; ++f) {
        const int32_t *ring = quads->face_vertices + 4 * f;
        mesh_add_triangle(mesh, ring[0], ring[1], ring[2]);
        mesh_add_triangle(mesh, ring[0], ring[2], ring[3]);
    }
    CHECK(half_build(&mesh->polygons, &halve_exactly, &half, &status) < 0);
    CHECK(strstr(status.message, "96 faces have no mirror image: face 0 at") == status.message);
    half_free(&half);
    expect_half(mesh, &halve);
    CHECK_INT(half.plane_from, 28);
    CHECK_INT(half.polygons.vertex_count, 35);
    CHECK_INT(half.polygons.face_count, 48);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
    CHECK_BELOW(deformed_error(&mesh->polygons), 1e-6);
    half_free(&half);
    mesh_free(quads);
    mesh_free(mesh);
}

/* A column of faces across the plane: their far vertices are drawn onto it, once each. */
static void check_strip(void) {
    TestMesh *mesh = symmetric_sheet(7, 6, STEP);
    mesh_add_uvs(mesh, 1);
    expect_half(mesh, &halve);
    CHECK_INT(half.plane_from, 28);
    CHECK_INT(half.polygons.vertex_count, 35);
    CHECK_INT(half.polygons.face_count, 3 * 6 + 2 * 6);
    for (int h = half.plane_from; h < 35; ++h) {
        CHECK_INT(half.source[h], -1);
        CHECK_INT(half.image[h], -1);
    }
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
    CHECK_BELOW(deformed_error(&mesh->polygons), 1e-6);
    half_free(&half);
    MirrorPlane plane;
    HalfOptions turned = halve;
    turn_mesh(mesh, &plane);
    turned.plane = plane;
    expect_half(mesh, &turned);
    CHECK_INT(half.plane_from, 28);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
    half_free(&half);
    mesh_free(mesh);
}

/* `nx` by `ny` vertices, moved about inside, in the rectangle [-1, 1] x [0, 1], with random diagonals: no side looks
 * like the other and the plane passes anywhere. */
static TestMesh *irregular(int nx, int ny, double height) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, nx, ny, 2);
    for (int v = 0; v < nx * ny; ++v) {
        float *p = mesh->positions + 3 * v;
        int i = v % nx, j = v / nx;
        p[0] = i == 0 ? -1 : i == nx - 1 ? 1 : p[0] - 1;
        p[1] = j == 0 ? 0 : j == ny - 1 ? 1 : (float)(p[1] * (nx - 1) / (2.0 * (ny - 1)));
        p[2] = (float)(height * cos(4 * p[0]) * cos(3 * p[1]));
    }
    return mesh;
}

static void check_irregular(void) {
    for (int run = 0; run < 20; ++run) {
        TestMesh *mesh = irregular(15 + run % 2, 9, 0);
        expect_half(mesh, &halve);
        CHECK_NEAR(flat_area(&half.polygons), 1, 1e-6);
        /* what is so near to the plane is drawn onto it */
        CHECK_BELOW(rest_error(&half, &mesh->polygons), half.symmetry.tolerance);
        CHECK_BELOW(deformed_error(&mesh->polygons), half.symmetry.tolerance);
        half_free(&half);
        mesh_free(mesh);
    }
}

/* On a curved surface the lift makes up for triangles that cut its curves short; its rims, which have other corners on
 * the two sides, come back too. */
static void check_curved(void) {
    for (int run = 0; run < 5; ++run) {
        TestMesh *mesh = irregular(41, 25, 0.1);
        HalfOptions options = halve; /* so that nothing but the surface counts */
        options.tolerance = 1e-7;
        expect_half(mesh, &options);
        CHECK_INT(half.has_lifts, 1);
        CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
        half_free(&half);
        mesh_free(mesh);
    }
}

/* A hem in waves, with other corners on the two sides: the other side's stand out past the kept one's. */
static void check_hem(void) {
    TestMesh *mesh = irregular(31, 9, 0);
    for (int v = 0; v < 31; ++v) {
        mesh->positions[3 * v + 1] = (float)(0.02 * cos(15 * mesh->positions[3 * v]) - 0.02);
    }
    expect_half(mesh, &halve);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), half.symmetry.tolerance);
    int past = 0;
    for (int v = 0; v < half.caller_count; ++v) {
        const double *w = half.rides[v].weights;
        past += w[0] < 0 || w[1] < 0 || w[2] < 0;
    }
    CHECK(past > 2);
    half_free(&half);
    mesh_free(mesh);
}

/* A lining so near to the cloth that chords of the one lie nearer to vertices of the other: each rides on its own. */
static void check_lining(void) {
    TestMesh *mesh = irregular(21, 13, 0.1), *lining = irregular(21, 13, 0.1);
    int outer = mesh->polygons.vertex_count;
    for (int v = 0; v < outer; ++v) {
        const float *p = lining->positions + 3 * v;
        mesh_add_vertex(mesh, p[0], p[1], p[2] - 0.002);
    }
    for (int f = 0; f < lining->polygons.face_count; ++f) { /* it faces the other way */
        const int32_t *ring = lining->face_vertices + 3 * f;
        mesh_add_triangle(mesh, outer + ring[2], outer + ring[1], outer + ring[0]);
    }
    HalfOptions options = halve; /* so that no vertex of the cloth is a partner of the lining's */
    options.tolerance = 1e-5;
    expect_half(mesh, &options);
    int swapped = 0;
    for (int v = 0; v < half.caller_count; ++v) {
        int source = half.source[half.rides[v].vertices[0]];
        swapped += source >= 0 && (source < outer) != (v < outer);
    }
    CHECK_INT(swapped, 0);
    half_free(&half);
    mesh_free(lining);
    mesh_free(mesh);
}

/* A sheet with a slit along the plane, closed up or open: the cloth goes on beyond the plane where there is no
 * slit, and is free along it. */
static void check_slit(void) {
    for (int open = 0; open < 2; ++open) {
        TestMesh *mesh = mesh_new();
        int number[2][7][5]; /* by side, column from the plane outwards */
        for (int side = 0; side < 2; ++side) {
            for (int j = 0; j < 7; ++j) {
                for (int i = 0; i < 5; ++i) {
                    double x = i * STEP + (j < 4 ? 0.02 * open : 0) * (4 - i) * (4 - j);
                    bool shared = side == 1 && i == 0 && j >= 4;
                    number[side][j][i] = shared ? number[0][j][i]
                                                : mesh_add_vertex(mesh, side ? -x : x, STEP * j, 0);
                }
            }
        }
        for (int f = 0; f < 24; ++f) {
            int j = f / 4, i = f % 4;
            for (int side = 0; side < 2; ++side) { /* the diagonals of the sides differ */
                int *low = number[side][j] + i, *high = number[side][j + 1] + i;
                mesh_add_triangle(mesh, low[0], side ? high[side] : low[1],
                                  side ? low[1] : high[0]);
                mesh_add_triangle(mesh, side ? low[0] : low[1], side ? high[0] : high[1],
                                  side ? high[1] : high[0]);
            }
        }
        expect_half(mesh, &halve);
        CHECK_INT(half.polygons.vertex_count, 35);
        CHECK_INT(half.plane_from, 32);
        CHECK_INT(half.polygons.face_count, 48);
        for (int j = 0; j < 4; ++j) { /* what moves there moves alone */
            int h = half.rides[number[0][j][0]].vertices[0];
            CHECK(h < half.plane_from && half.source[h] == number[0][j][0]);
            CHECK_INT(half.rides[number[1][j][0]].vertices[0], h);
            CHECK_INT(half.rides[number[1][j][0]].mirrored, 1);
        }
        CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
        half_free(&half);
        mesh_free(mesh);
    }
}

/* Ropes: beyond the plane they ride on ropes; single vertices stay or are left out. */
static void check_ropes(void) {
    TestMesh *mesh = mesh_new();
    for (int i = 0; i < 8; ++i) {
        mesh_add_vertex(mesh, 0.3 * i - 1, 0.1 * fabs(0.3 * i - 1), 0);
        if (i > 0) {
            mesh_add_edge(mesh, i - 1, i);
        }
    }
    int kept = mesh_add_vertex(mesh, 0.5, 1, 1), left = mesh_add_vertex(mesh, -0.3, 1, 1);
    expect_half(mesh, &halve);
    CHECK_INT(half.polygons.edge_count, 4);
    CHECK_INT(half.plane_from, 5);
    CHECK_INT(half.polygons.vertex_count, 6);
    CHECK_INT(half.source[half.rides[kept].vertices[0]], kept);
    CHECK_INT(half.extra_count, 1);
    CHECK_INT(half.extra[0], left);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 0.011); /* 0.01: the kink lies off the plane */
    half_free(&half);
    mesh_free(mesh);
}

/* Quads that the plane goes through the middle of stay quads for woven cloth, half as wide; a grid on its corner becomes
 * triangles along the plane. */
static void check_quads(void) {
    TestMesh *mesh = symmetric_sheet(5, 4, STEP);
    HalfOptions options = halve;
    options.quads = true;
    expect_half(mesh, &options);
    CHECK_INT(half.polygons.face_count, 12);
    CHECK_INT(half.plane_from, 15);
    CHECK_INT(half.polygons.vertex_count, 20);
    for (int f = 0; f < half.polygons.face_count; ++f) {
        CHECK_INT(half.polygons.face_sizes[f], 4);
    }
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
    half_free(&half);
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) { /* diagonals along the plane */
        float *p = mesh->positions + 3 * v;
        double i = v % 6, j = v / 6;
        p[0] = (float)(STEP * (i - j));
        p[1] = (float)(STEP * (i + j));
        p[2] = 0;
    }
    options.alike = true; /* a rectangle is not its own image so */
    expect_half(mesh, &options);
    int triangles = 0;
    for (int f = 0; f < half.polygons.face_count; ++f) {
        triangles += half.polygons.face_sizes[f] == 3;
    }
    CHECK_INT(triangles, 4);
    half_free(&half);
    mesh_free(mesh);
}

/* An arrowhead over the plane: its kept corners are opposite, and there is no side to draw onto the plane. */
static void check_arrowhead(void) {
    TestMesh *mesh = mesh_new();
    HalfOptions options = halve;
    options.quads = options.alike = true;
    mesh_add_vertex(mesh, 3 * STEP, 0, 0);
    mesh_add_vertex(mesh, -STEP, 2 * STEP, 0);
    mesh_add_vertex(mesh, STEP, 0, 0);
    mesh_add_vertex(mesh, -STEP, -2 * STEP, 0);
    mesh_add_face(mesh, 4, (const int[]){0, 1, 2, 3});
    expect_half(mesh, &options);
    CHECK_INT(half.polygons.face_count, 2);
    CHECK_INT(half.plane_from, 2);
    CHECK_INT(half.polygons.vertex_count, 4);
    CHECK_NEAR(flat_area(&half.polygons), 0.5 * 2 * STEP * 4 * STEP, 1e-7);
    half_free(&half);
    mesh_free(mesh);
}

/* Tips of cloth that touch the plane from one side stay free, and are not their own images. */
static void check_tips(void) {
    TestMesh *mesh = symmetric_sheet(8, 6, STEP);
    int tips[2];
    for (int side = 0; side < 2; ++side) {
        double x = side ? -STEP : STEP, y = 2 + 0.3 * STEP * side;
        tips[side] = mesh_add_vertex(mesh, 0, y, 0);
        int low = mesh_add_vertex(mesh, x, 2 - STEP, 0),
            high = mesh_add_vertex(mesh, x, 2 + STEP, 0);
        mesh_add_triangle(mesh, tips[side], side ? high : low, side ? low : high);
    }
    expect_half(mesh, &halve);
    int h = half.rides[tips[0]].vertices[0];
    CHECK(h < half.plane_from);
    CHECK_INT(half.source[h], tips[0]);
    CHECK_INT(half.image[h], -1);
    CHECK_INT(half.polygons.face_count, 24 + 1);
    CHECK_NEAR(rest_error(&half, &mesh->polygons), 0.3 * STEP, 1e-6); /* the other tip */
    half_free(&half);
    mesh_free(mesh);
}

/* A side that is wound the other way round faces away from all of the other: it rides on it all the same. */
static void check_wound(void) {
    TestMesh *mesh = mesh_new();
    for (int v = 0; v < 2 * 5 * 9; ++v) { /* sides of other corners, but for their rims */
        double x = STEP * (0.5 + v % 5 + (v < 45 || v % 5 % 4 == 0 ? 0 : 0.3));
        mesh_add_vertex(mesh, v < 45 ? x : -x, STEP * (v % 45 / 5), 0);
    }
    for (int f = 0; f < 64; ++f) { /* numbered alike: their normals are opposite */
        int a = f / 32 * 45 + f % 32 / 4 * 5 + f % 4;
        mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 6, a + 5});
    }
    expect_half(mesh, &halve);
    CHECK_INT(half.polygons.vertex_count, 45);
    CHECK_BELOW(rest_error(&half, &mesh->polygons), 1e-6);
    CHECK_BELOW(deformed_error(&mesh->polygons), 1e-6);
    half_free(&half);
    mesh_free(mesh);
}

static void check_refusals(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, STEP);
    HalfOptions options = halve;
    options.plane.point.x = 0.2;
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_ERROR_MESH);
    CHECK(strstr(status.message, "none of the 16 faces and 0 loose edges reaches") != NULL);
    half_free(&half);
    options.plane.point.x = 0.3;
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_ERROR_MESH);
    CHECK(strstr(status.message, "misses the mesh: all 25 vertices") != NULL);
    half_free(&half);
    mesh_free(mesh);
}

int main(void) {
    random_start(7);
    check_diagonals();
    check_strip();
    check_irregular();
    check_curved();
    check_hem();
    check_lining();
    check_slit();
    check_ropes();
    check_quads();
    check_arrowhead();
    check_tips();
    check_wound();
    check_refusals();
    return check_result();
}
