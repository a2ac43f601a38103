/* Closures: a zip finds the fronts of an open jacket and nothing else; a button lays one front over the other, ordered
 * and a gap apart. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "halving.h"

#define ROWS 12
#define COLUMNS 24
#define HEIGHT 0.05 /* m, of a row */

static Half half;
static Status status;

/* A tube around the body, open at the front (-y) by `gap`, with holes at its sides (arms) and beside the front
 * (pockets). Column 0 is the front, COLUMNS the middle of the back. Column by column and row by row. */
typedef struct Jacket {
    TestMesh *mesh;
    int number[2][COLUMNS + 1][ROWS + 1]; /* by side: kept, other */
} Jacket;

/* `joined`: the front is closed from the hem up to this row. */
static Jacket make_jacket(double gap, int joined, int triangles) {
    Jacket jacket = {.mesh = mesh_new()};
    for (int side = 0; side < 2; ++side) {
        for (int c = 0; c <= COLUMNS; ++c) {
            for (int r = 0; r <= ROWS; ++r) {
                int is_front = c == 0 && r < joined, shared = c == COLUMNS || is_front;
                double angle = M_PI * c / COLUMNS, wide = 0.16 + 0.02 * sin(0.4 * r);
                double open = r < joined ? 0 : 0.5 * gap * (1 - c / (double)COLUMNS);
                double x = c == COLUMNS ? 0 : wide * sin(angle) + open;
                jacket.number[side][c][r] = side && shared
                                                ? jacket.number[0][c][r]
                                                : mesh_add_vertex(jacket.mesh, side ? -x : x,
                                                                  -0.11 * cos(angle), HEIGHT * r);
            }
        }
    }
    for (int f = 0; f < 2 * COLUMNS * ROWS; ++f) {
        int side = f % 2, c = f / 2 % COLUMNS, r = f / 2 / COLUMNS;
        int arm = r >= 8 && r < 11 && c >= 10 && c < 14, pocket = r == 4 && (c == 3 || c == 4);
        int *from = jacket.number[side][c] + r, *to = jacket.number[side][c + 1] + r;
        int ring[4] = {from[0], to[0], to[1], from[1]}; /* outwards, on the kept side */
        if (side) {
            int swap = ring[1];
            ring[1] = ring[3];
            ring[3] = swap;
        }
        if (arm || pocket) {
            continue;
        }
        if (!triangles) {
            mesh_add_face(jacket.mesh, 4, ring);
        } else {
            int turn = random_below(2);
            mesh_add_triangle(jacket.mesh, ring[turn], ring[turn + 1], ring[turn + 2]);
            mesh_add_triangle(jacket.mesh, ring[turn + 2], ring[(turn + 3) % 4], ring[turn]);
        }
    }
    return jacket;
}

static HalfOptions closing(Closure closure, HalfMode mode) {
    HalfOptions options = halve_exactly;
    options.mode = mode;
    options.closure = closure;
    options.overlap = 0.03;
    options.over = 1;
    return options;
}

/* --- zip -------------------------------------------------------------------------------------- */

static void expect_zip(const Jacket *jacket, HalfMode mode, int from, int to) {
    HalfOptions options = closing(CLOSURE_ZIP, mode);
    CHECK_INT(half_build(&jacket->mesh->polygons, &options, &half, &status), STATUS_OK);
    check_maps(&half, &jacket->mesh->polygons);
    CHECK_INT(half.front_count, to - from + 1);
    CHECK_INT(half.plane_from - half.rail_from, to - from + 1);
    for (int r = from; r <= to; ++r) {
        int h = half.rides[jacket->number[0][0][r]].vertices[0];
        CHECK(h >= half.rail_from && h < half.plane_from);
        CHECK_INT(half.source[h], jacket->number[0][0][r]);
    }
    CHECK_BELOW(rest_error(&half, &jacket->mesh->polygons),
                mode == HALF_EXACT ? 0 : half.symmetry.tolerance);
    half_free(&half);
}

static void check_zip(void) {
    const double gaps[] = {0, 0.01, 0.05, 0.12};
    for (int run = 0; run < 8; ++run) {
        Jacket jacket = make_jacket(gaps[run / 2], 0, run % 2);
        expect_zip(&jacket, run % 2 ? HALF_CUT : HALF_EXACT, 0, ROWS);
        mesh_free(jacket.mesh);
    }
    Jacket polo = make_jacket(0.02, 5, 0); /* closed from below: a slit */
    expect_zip(&polo, HALF_EXACT, 5, ROWS);
    mesh_free(polo.mesh);
}

static void expect_nothing(const TestMesh *mesh, Closure closure) {
    HalfOptions options = closing(closure, HALF_EXACT);
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_WARNING_MESH);
    CHECK(strstr(status.message, "no open front was found") != NULL);
    check_maps(&half, &mesh->polygons);
    CHECK_INT(half.rail_from, half.plane_from);
    CHECK_INT(half.front_count, 0);
    CHECK_INT(half.mirrored_to_the_bit, 1);
    half_free(&half);
}

/* Closed garments have holes, but no fronts; nor do a sheet and legs. */
static void check_closed(void) {
    Jacket shirt = make_jacket(0, ROWS + 1, 0);
    expect_nothing(shirt.mesh, CLOSURE_ZIP);
    expect_nothing(shirt.mesh, CLOSURE_BUTTON);
    mesh_free(shirt.mesh);
    TestMesh *sheet = symmetric_sheet(8, 6, 0.1);
    expect_nothing(sheet, CLOSURE_ZIP);
    mesh_free(sheet);
}

/* Two panels that nothing joins: their inner sides are fronts, their outer sides are not. */
static void check_panels(void) {
    TestMesh *mesh = mesh_new();
    for (int v = 0; v < 2 * 5 * 9; ++v) {
        double x = 0.02 + 0.05 * (v % 5);
        mesh_add_vertex(mesh, v < 45 ? x : -x, 0.06 * (v % 45 / 5), 0.1 * x * x);
    }
    for (int f = 0; f < 64; ++f) {
        int a = f / 32 * 45 + f % 32 / 4 * 5 + f % 4;
        mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 6, a + 5});
    }
    HalfOptions options = closing(CLOSURE_ZIP, HALF_EXACT);
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_OK);
    CHECK_INT(half.front_count, 9);
    for (int h = half.rail_from; h < half.plane_from; ++h) {
        CHECK_INT(half.source[h] % 5, 0);
    }
    half_free(&half);
    mesh_free(mesh);
}

int main(void) {
    random_start(11);
    check_zip();
    check_closed();
    check_panels();
    return check_result();
}
