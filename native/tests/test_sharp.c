/* What is sharp about bodies, and the surface of the cloth that meets it. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/body/sharp.h"
#include "contact/skin.h"
#include "meshes.h"

#define THICKNESS 0.004 /* of the bodies, m */

/* --- the cloth's surface ---------------------------------------------------------------------- */

static void check_skin_edges(const Skin *skin, const Mesh *mesh) {
    double longest = 0, sum = 0;
    for (int e = 0; e < skin->edge_count; ++e) {
        const int *v = skin->edges[e];
        CHECK(v[0] < v[1]);
        CHECK(e == 0 || v[0] > v[-2] || (v[0] == v[-2] && v[1] > v[-1]));
        double length = vec3_distance(mesh->rest[v[0]], mesh->rest[v[1]]);
        longest = length > longest ? length : longest;
        sum += length;
    }
    CHECK_NEAR(skin->longest_edge, longest, 1e-15);
    CHECK_NEAR(skin->mean_edge, skin->edge_count ? sum / skin->edge_count : 0, 1e-12);
}

/* With both cuts every quad has four triangles and two diagonals, turned alike; triangles stay as they are. */
static void check_both_cuts(const Mesh *mesh, int quads, const Skin *own) {
    Store store = {0};
    Status status;
    Skin both;
    CHECK_INT(skin_build(&both, mesh, SKIN_BOTH_CUTS, &store, &status), STATUS_OK);
    CHECK_INT(both.triangle_count, own->triangle_count + 2 * quads);
    CHECK_INT(both.edge_count, own->edge_count + quads);
    double area = 0, other = 0; /* along z, twice: the sheet lies flat */
    for (int t = 0; t < both.triangle_count; ++t) {
        const int *v = both.triangles[t];
        Vec3 first = vec3_sub(both.rest[v[1]], both.rest[v[0]]);
        Vec3 second = vec3_sub(both.rest[v[2]], both.rest[v[0]]);
        *(t < own->triangle_count ? &area : &other) += vec3_cross(first, second).z;
    }
    CHECK_NEAR(other, quads ? area : 0.0, 1e-6);
    check_skin_edges(&both, mesh);
    store_release(&store);
}

/* Quads have one diagonal each, the one they are cut along; ropes are there; components are numbered in order. */
static void check_skin(void) {
    for (int kind = 0; kind < 2; ++kind) {
        int nx = 5, ny = 4, sides = (nx - 1) * ny + nx * (ny - 1), cells = (nx - 1) * (ny - 1);
        TestMesh *test = mesh_grid(kind ? GRID_ALTERNATING : GRID_QUADS, nx, ny, 0.4);
        int alone = mesh_add_vertex(test, 2, 0, 0);
        int first = mesh_add_vertex(test, 3, 0, 0), second = mesh_add_vertex(test, 3, 0, 0.5);
        mesh_add_edge(test, second, first);
        mesh_add_edge(test, 0, alone);
        Store store = {0};
        Status status;
        Mesh mesh;
        Skin skin;
        CHECK(mesh_build(&test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                         &store, &mesh, &status) == STATUS_OK);
        CHECK_INT(skin_build(&skin, &mesh, SKIN_OWN_CUTS, &store, &status), STATUS_OK);
        CHECK_INT(skin.triangle_count, 2 * cells);
        CHECK_INT(skin.edge_count, sides + cells + 2);
        CHECK_INT(skin.component_count, 2);
        for (int v = 0; v < skin.vertex_count; ++v) {
            CHECK_INT(skin.component[v], v >= first);
        }
        CHECK_NEAR(skin.longest_edge, 2, 1e-6);
        check_skin_edges(&skin, &mesh);
        check_both_cuts(&mesh, kind ? 0 : cells, &skin);
        store_release(&store);
        mesh_free(test);
    }
}

/* --- sharpness -------------------------------------------------------------------------------- */

static Shape *thick_shape(void) {
    Shape *shape = shape_new();
    shape->thickness = THICKNESS;
    return shape;
}

/* Takes the shape over. */
static void check_sharp(Shape *shape, double longest, int edges, int corners) {
    Store store = {0};
    Status status;
    Collider body;
    Sharp sharp;
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&body, &definition, &store, &status), STATUS_OK);
    CHECK_INT(sharp_build(&sharp, &body, longest, &store, &status), STATUS_OK);
    CHECK_INT(sharp.edge.count, edges);
    CHECK_INT(sharp.corner.count, corners);
    for (int e = 0; e < sharp.edge.count; ++e) {
        int ends = 0;
        CHECK(sharp.edges[e][0] != sharp.edges[e][1]);
        for (int c = 0; c < sharp.corner.count; ++c) {
            ends += sharp.corners[c] == sharp.edges[e][0] || sharp.corners[c] == sharp.edges[e][1];
        }
        CHECK_INT(ends, 2);
    }
    store_release(&store);
    free(shape);
}

/* A prism over an L: one of its eighteen edges is concave. */
static Shape *angle_iron(void) {
    static const double outline[6][2] = {{0, 0},     {0.3, 0},   {0.3, 0.1},
                                         {0.1, 0.1}, {0.1, 0.3}, {0, 0.3}};
    Shape *shape = thick_shape();
    for (int layer = 0; layer < 2; ++layer) {
        for (int i = 0; i < 6; ++i) {
            shape_add_vertex(shape, outline[i][0], outline[i][1], 0.2 * layer);
        }
    }
    shape_add_quad(shape, 6, 7, 8, 9);
    shape_add_quad(shape, 6, 9, 10, 11);
    shape_add_quad(shape, 3, 2, 1, 0);
    shape_add_quad(shape, 0, 5, 4, 3);
    for (int i = 0; i < 6; ++i) {
        int next = (i + 1) % 6;
        shape_add_quad(shape, i, next, next + 6, i + 6);
    }
    return shape;
}

/* A pole of 32 long facets; its triangles start with any of their corners. */
static Shape *pole(int turn) {
    const int sides = 32;
    Shape *shape = thick_shape();
    for (int i = 0; i < sides; ++i) {
        double u = 2 * M_PI * i / sides;
        shape_add_vertex(shape, 0.02 * cos(u), 0.02 * sin(u), 0);
        shape_add_vertex(shape, 0.02 * cos(u), 0.02 * sin(u), 0.5);
    }
    int low = shape_add_vertex(shape, 0, 0, 0), high = shape_add_vertex(shape, 0, 0, 0.5);
    for (int i = 0; i < sides; ++i) {
        int a = 2 * i, b = 2 * ((i + 1) % sides);
        shape_add_quad(shape, a, b, b + 1, a + 1);
        shape_add_triangle(shape, low, b, a);
        shape_add_triangle(shape, high, a + 1, b + 1);
    }
    for (int t = 0; t < shape->triangle_count; ++t) {
        int *c = shape->triangles + 3 * t;
        for (int k = turn == 3 ? t % 3 : turn; k > 0; --k) {
            int first = c[0];
            c[0] = c[1];
            c[1] = c[2];
            c[2] = first;
        }
    }
    return shape;
}

static void check_all_sharp(void) {
    for (int turn = 0; turn < 4;
         ++turn) { /* two rims and, for cloth as coarse as the pole, its facets */
        check_sharp(pole(turn), 0.01, 64, 64);
        check_sharp(pole(turn), 0.04, 64, 64);
        check_sharp(pole(turn), 0.12, 96,
                    64); /* smooth: places between the ends of edges mind them */
    }
    Shape *cube = thick_shape();
    shape_add_box(cube, vec3(-0.1, -0.1, -0.1), vec3(0.1, 0.1, 0.1));
    check_sharp(cube, 0.05, 12, 8);
    Shape *ball = thick_shape();
    shape_add_sphere(ball, vec3(0, 0, 0), 0.2, 24);
    check_sharp(ball, 0.02, 0, 0);
    Shape *bead = thick_shape(); /* the same, but as large as a cell of the cloth */
    shape_add_sphere(bead, vec3(0, 0, 0), 0.02, 6);
    Store store = {0};
    Status status;
    Collider body;
    Sharp sharp;
    ColliderDefinition definition = shape_definition(bead);
    CHECK_INT(collider_build(&body, &definition, &store, &status), STATUS_OK);
    CHECK_INT(sharp_build(&sharp, &body, 0.05, &store, &status), STATUS_OK);
    CHECK_INT(sharp.corner.count, bead->vertex_count - 2); /* all but its flat poles */
    store_release(&store);
    free(bead);
    Shape *sheet = thick_shape();
    shape_add_sheet(sheet, 0.2, 0, 4);
    check_sharp(sheet, 0.05, 16, 16);
    check_sharp(angle_iron(), 0.05, 17, 12);
    Shape *roof =
        thick_shape(); /* a sheet has two sides: its fold is sharp either way, and so its rim */
    for (int i = 0; i < 3; ++i) {
        shape_add_vertex(roof, 0.1 * i, 0, i == 1 ? 0.1 : 0);
        shape_add_vertex(roof, 0.1 * i, 0.2, i == 1 ? 0.1 : 0);
    }
    shape_add_quad(roof, 0, 2, 3, 1);
    shape_add_quad(roof, 2, 4, 5, 3);
    check_sharp(roof, 0.05, 7, 6);
}

int main(void) {
    check_skin();
    check_all_sharp();
    return check_result();
}
