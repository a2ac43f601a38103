/* Closures: a zip finds the fronts of an open jacket and nothing else; a button lays one front over the other, ordered
 * and a gap apart. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geometry/box.h"
#include "halving.h"
#include "mirror/closures/fronts.h"

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

/* Without a plane: both sides of the front have its number, one of them below 0, and nothing else has one. */
static void check_whole(void) {
    static int32_t fronts[MESHES_MOST];
    Jacket jacket = make_jacket(0.02, 0, 0);
    int count = jacket.mesh->polygons.vertex_count, found = 0;
    CHECK_INT(fronts_find(&jacket.mesh->polygons, NULL, fronts, &status), STATUS_OK);
    int sign = fronts[jacket.number[0][0][1]];
    CHECK_INT(abs(sign), 1);
    for (int r = 1; r < ROWS; ++r) {
        CHECK_INT(fronts[jacket.number[0][0][r]], sign);
        CHECK_INT(fronts[jacket.number[1][0][r]], -sign);
    }
    for (int v = 0; v < count; ++v) {
        found += fronts[v] != 0;
    }
    /* where so coarse a cloth ends at its corners is not told by one edge */
    CHECK(found >= 2 * (ROWS - 1) && found <= 2 * (ROWS + 1));
    mesh_free(jacket.mesh);
    TestMesh *sheet = symmetric_sheet(8, 6, 0.1);
    CHECK_INT(fronts_find(&sheet->polygons, NULL, fronts, &status), STATUS_OK);
    CHECK_INT(fronts[0], 0);
    mesh_free(sheet);
}

#define NO_FRONT "no open front was found"

static void expect_nothing(const TestMesh *mesh, Closure closure, const char *why) {
    HalfOptions options = closing(closure, HALF_EXACT);
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_WARNING_MESH);
    CHECK(strstr(status.message, why) != NULL);
    check_maps(&half, &mesh->polygons);
    CHECK_INT(half.rail_from, half.plane_from);
    CHECK_INT(half.front_count, 0);
    CHECK_INT(half.mirrored_to_the_bit, 1);
    half_free(&half);
}

/* Closed garments have holes, but no fronts; nor do a sheet and legs. */
static void check_closed(void) {
    Jacket shirt = make_jacket(0, ROWS + 1, 0);
    expect_nothing(shirt.mesh, CLOSURE_ZIP, NO_FRONT);
    expect_nothing(shirt.mesh, CLOSURE_BUTTON, NO_FRONT);
    mesh_free(shirt.mesh);
    TestMesh *sheet = symmetric_sheet(8, 6, 0.1);
    expect_nothing(sheet, CLOSURE_ZIP, NO_FRONT);
    mesh_free(sheet);
}

/* A sheet with a long hole across the plane, or one on each side of it: long sides along the plane, but no front. */
static void check_holes(void) {
    for (int beside = 0; beside < 2; ++beside) {
        TestMesh *mesh = mesh_new();
        for (int v = 0; v < 17 * 15; ++v) {
            mesh_add_vertex(mesh, 0.05 * (v % 17 - 8), 0.06 * (v / 17), 0);
        }
        for (int f = 0; f < 16 * 14; ++f) {
            int i = f % 16, j = f / 16, a = 17 * j + i, column = i < 8 ? 7 - i : i - 8;
            int hole = j > 1 && j < 12 && (beside ? column >= 1 && column < 7 : column < 2);
            if (!hole) {
                mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 18, a + 17});
            }
        }
        expect_nothing(mesh, CLOSURE_ZIP, NO_FRONT);
        mesh_free(mesh);
    }
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

/* --- button ----------------------------------------------------------------------------------- */

static Vec3 positions[MESHES_MOST];
static float carried[3 * MESHES_MOST];

static Vec3 carried_at(int v) {
    const float *p = carried + 3 * v;
    return vec3(p[0], p[1], p[2]);
}

#define LINE 1 /* the column at which one row of faces ends */

/* Closes the jacket by hand: what is left of the half becomes the half of a tube. */
static void close_jacket(const Jacket *jacket) {
    for (int c = LINE; c <= COLUMNS; ++c) {
        for (int r = 0; r <= ROWS; ++r) {
            double angle = M_PI * (c - LINE) / (COLUMNS - LINE);
            int h = half.rides[jacket->number[0][c][r]].vertices[0];
            double x = c == LINE || c == COLUMNS ? 0 : 0.16 * sin(angle);
            positions[h] = vec3(x, -0.11 * cos(angle), HEIGHT * r);
        }
    }
    half_carry(&half, NULL, positions, carried);
}

/* The strip of `side` lies over (1) or under (-1) the other side's cloth, which faces -y there. The tube is
 * nearly flat there, with a radius of 0.23 m. */
static void check_strip(const Jacket *jacket, int side, int over, double overlap, double gap) {
    const PolygonMesh *mesh = &jacket->mesh->polygons;
    for (int r = 0; r <= ROWS; ++r) {
        Vec3 front = carried_at(jacket->number[side][0][r]);
        Vec3 line = carried_at(jacket->number[side][LINE][r]);
        double across = side ? -front.x : front.x;
        /* half an overlap of cloth, which closing by hand has stretched */
        int out = jacket->number[0][LINE][r], in = jacket->number[0][LINE + 1][r];
        double stretch = vec3_distance(positions[half.rides[in].vertices[0]],
                                       positions[half.rides[out].vertices[0]]) /
                         vec3_distance(polygon_position(mesh, in), polygon_position(mesh, out));
        CHECK_NEAR(across, -0.5 * overlap * stretch, 0.01 * overlap);
        CHECK_NEAR(front.z, HEIGHT * r, 1e-3);
        CHECK_NEAR(line.x, 0, 1e-7);
        CHECK_NEAR(line.y, -0.11 - over * 0.5 * gap, 1e-6);
        /* the other side's cloth below it, between the line and the next column */
        Vec3 a = carried_at(jacket->number[1 - side][LINE][r]);
        Vec3 b = carried_at(jacket->number[1 - side][LINE + 1][r]);
        double t = front.x / b.x, below = a.y + t * (b.y - a.y);
        CHECK(t > 0 && t < 1);
        /* half a gap from where the cloth was, and what the cloth itself still has of it */
        double apart = gap * (1 - 0.5 * fabs(front.x) / half.placket.together);
        CHECK_NEAR(below - front.y, over * apart, 0.02 * gap);
    }
}

static void check_button(void) {
    for (int run = 0; run < 8; ++run) {
        int cut = run % 2, over = run / 2 % 2 ? -1 : 1, inverted = run >= 4;
        double gap = 0.003, overlap = 0.03; /* one row of faces is 0.02 m wide */
        Jacket jacket = make_jacket(0.02, 0, cut);
        uint8_t side[MESHES_MOST] = {0};
        for (int i = 0; i < COLUMNS * (ROWS + 1); ++i) {
            side[jacket.number[0][i / (ROWS + 1)][i % (ROWS + 1)]] = 1;
        }
        HalfOptions options = closing(CLOSURE_BUTTON, cut ? HALF_CUT : HALF_EXACT);
        options.overlap = overlap;
        options.gap = gap;
        options.over = over;
        for (int corner = 0; inverted && corner < jacket.mesh->corner_count;) {
            int size = cut ? 3 : 4; /* faces wound the other way round: over is over all the same */
            int32_t *ring = jacket.mesh->face_vertices + corner, swap = ring[0];
            ring[0] = ring[size - 1];
            ring[size - 1] = swap;
            if (size == 4) {
                swap = ring[1];
                ring[1] = ring[2];
                ring[2] = swap;
            }
            corner += size;
        }
        CHECK_INT(half_build(&jacket.mesh->polygons, &options, &half, &status), STATUS_OK);
        check_maps(&half, &jacket.mesh->polygons);
        CHECK_INT(half.front_count, ROWS + 1);
        CHECK_INT(half.plane_from - half.rail_from, ROWS + 1);
        CHECK_INT(half.mirrored_to_the_bit, 0);
        CHECK_NEAR(half.gap, gap, 0);
        for (int r = 0; r <= ROWS; ++r) {
            CHECK_INT(half.source[half.rides[jacket.number[0][LINE][r]].vertices[0]],
                      jacket.number[0][LINE][r]);
            CHECK_INT(half.rides[jacket.number[0][0][r]].mirrored, 1);
            CHECK_INT(half.rides[jacket.number[1][0][r]].mirrored, 0);
        }
        close_jacket(&jacket);
        check_strip(&jacket, 0, over, overlap, gap);
        check_strip(&jacket, 1, -over, overlap, gap);
        CHECK_INT(count_piercings(&jacket.mesh->polygons, carried, side), 0);
        half_free(&half);
        mesh_free(jacket.mesh);
    }
}

/* The check itself: without a lift the fronts pierce each other. */
static void check_piercings(void) {
    Jacket jacket = make_jacket(0.02, 0, 0);
    uint8_t side[MESHES_MOST] = {0};
    for (int i = 0; i < COLUMNS * (ROWS + 1); ++i) {
        side[jacket.number[0][i / (ROWS + 1)][i % (ROWS + 1)]] = 1;
    }
    HalfOptions options = closing(CLOSURE_BUTTON, HALF_EXACT);
    CHECK_INT(half_build(&jacket.mesh->polygons, &options, &half, &status), STATUS_OK);
    Box around = box_empty();
    for (int v = 0; v < half.caller_count; ++v) {
        around = box_with_point(around, polygon_position(&jacket.mesh->polygons, v));
    }
    CHECK_NEAR(half.gap, 1.6e-3 * vec3_distance(around.low, around.high), 1e-9);
    for (int v = 0; v < half.caller_count; ++v) { /* along normals, which nothing makes up for */
        half.rides[v].lift = random_between(-1e-3, 1e-3);
        half.rides[v].rise = 0;
    }
    close_jacket(&jacket);
    CHECK(count_piercings(&jacket.mesh->polygons, carried, side) > 10);
    half_free(&half);
    mesh_free(jacket.mesh);
}

/* A slit that is closed below: the plane's vertices stay there and are not lifted, and the sides do not pierce. */
static void check_polo(void) {
    Jacket jacket = make_jacket(0.02, 5, 0);
    HalfOptions options = closing(CLOSURE_BUTTON, HALF_EXACT);
    CHECK_INT(half_build(&jacket.mesh->polygons, &options, &half, &status), STATUS_OK);
    check_maps(&half, &jacket.mesh->polygons);
    CHECK_INT(half.polygons.vertex_count - half.plane_from, ROWS + 1 + 5);
    for (int r = 0; r < 5; ++r) {
        const Ride *ride = &half.rides[jacket.number[0][0][r]];
        CHECK(ride->vertices[0] >= half.plane_from && ride->rise == 0);
    }
    for (int r = 6; r <= ROWS; ++r) {
        CHECK(fabs(half.rides[jacket.number[0][0][r]].rise) > 0);
        CHECK_INT(half.rides[jacket.number[0][0][r]].mirrored, 1);
    }
    for (int r = 0; r <= ROWS; ++r) { /* nor is the back */
        CHECK(half.rides[jacket.number[0][COLUMNS][r]].rise == 0);
        CHECK(half.rides[jacket.number[1][COLUMNS - 3][r]].rise == 0);
    }
    half_free(&half);
    mesh_free(jacket.mesh);
}

/* Flat panels: the strip is as many rows as come nearest, its width and the gap are exact, and far from the front
 * nothing is lifted. */
static void check_rows(void) {
    const double overlaps[] = {0.01, 0.02, 0.06, 0.1};
    const int rows[] = {1, 1, 3, 5};
    for (int run = 0; run < 4; ++run) {
        TestMesh *mesh = mesh_new();
        for (int v = 0; v < 2 * 31 * 21; ++v) {
            double x = 0.004 + 0.01 * (v % 31);
            mesh_add_vertex(mesh, v < 651 ? x : -x, 0.03 * (v % 651 / 31), 0);
        }
        for (int f = 0; f < 1200; ++f) {
            int a = f / 600 * 651 + f % 600 / 30 * 31 + f % 30, s = f >= 600;
            mesh_add_face(mesh, 4, (const int[]){a + s, a + 1 - s, a + 32 - s, a + 31 + s});
        }
        HalfOptions options = closing(CLOSURE_BUTTON, HALF_CUT); /* squares: cuts may differ */
        options.overlap = overlaps[run];
        CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_OK);
        check_maps(&half, &mesh->polygons);
        CHECK_INT(half.polygons.vertex_count, (31 - rows[run]) * 21);
        CHECK_INT(half.front_count, 21);
        rest_of(&half, positions);
        for (int h = 0; h < half.polygons.vertex_count; ++h) {
            positions[h].x -= 0.004 + 0.01 * rows[run];
        }
        half_carry(&half, NULL, positions, carried);
        for (int j = 0; j < 21; ++j) {
            Vec3 kept = carried_at(31 * j), other = carried_at(651 + 31 * j);
            CHECK_NEAR(kept.x, -0.5 * overlaps[run], 1e-6);
            CHECK_NEAR(other.x, 0.5 * overlaps[run], 1e-6);
            CHECK_NEAR(kept.y, 0.03 * j, 1e-6);
            CHECK_NEAR(kept.z, 0.5 * half.gap, 1e-7);
            CHECK_NEAR(other.z, -0.5 * half.gap, 1e-7);
            for (int i = rows[run]; i < 31; ++i) {
                Vec3 p = carried_at(31 * j + i), q = carried_at(651 + 31 * j + i);
                double depth = 0.01 * (i - rows[run]);
                CHECK_NEAR(p.x, depth, 1e-6);
                CHECK_NEAR(p.z, -q.z, 1e-9);
                double reach = half.placket.together;
                CHECK(reach >= 1.5 * overlaps[run] && reach < 0.3);
                CHECK_NEAR(p.z, depth < reach ? 0.5 * half.gap * (1 - depth / reach) : 0, 1e-7);
            }
        }
        half_free(&half);
        mesh_free(mesh);
    }
}

/* Fans around one vertex of the plane each: a zip can close them, but all of their faces reach the plane, and a button
 * has no strip to take. */
static void check_fans(void) {
    TestMesh *mesh = mesh_new();
    int apex = mesh_add_vertex(mesh, 0, 0.3, 0.5);
    for (int v = 0; v < 14; ++v) {
        mesh_add_vertex(mesh, v % 2 ? -0.01 : 0.01, 0.1 * (v / 2), 0);
    }
    for (int v = 1; v + 2 < 15; ++v) {
        mesh_add_triangle(mesh, apex, v % 2 ? v : v + 2, v % 2 ? v + 2 : v);
    }
    HalfOptions options = closing(CLOSURE_ZIP, HALF_EXACT);
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_OK);
    CHECK_INT(half.front_count, 7);
    half_free(&half);
    expect_nothing(mesh, CLOSURE_BUTTON, "all faces along it reach the mirror plane");
    mesh_free(mesh);
}

/* What has no image is left out of the half, and of what the button does. */
static void check_extra(void) {
    for (int cut = 0; cut < 2; ++cut) {
        Jacket jacket = make_jacket(0.02, 0, cut);
        int extra = mesh_add_vertex(jacket.mesh, -0.02, -0.115, 0.3); /* before the other front */
        HalfOptions options = closing(CLOSURE_BUTTON, cut ? HALF_CUT : HALF_EXACT);
        CHECK_INT(half_build(&jacket.mesh->polygons, &options, &half, &status), STATUS_OK);
        check_maps(&half, &jacket.mesh->polygons);
        CHECK_INT(half.extra_count, 1);
        CHECK_INT(half.extra[0], extra);
        CHECK(half.rides[extra].rise == 0);
        CHECK_INT(half.front_count, ROWS + 1);
        half_free(&half);
        mesh_free(jacket.mesh);
    }
}

/* Panels of which the other has a vertex more in each side of the line: these ride on the line, by no weight of the strip's
 * vertices, which leave the half. */
static void check_split_line(void) {
    TestMesh *mesh = mesh_new();
    for (int v = 0; v < 2 * 31 * 21; ++v) {
        double x = 0.004 + 0.01 * (v % 31);
        mesh_add_vertex(mesh, v < 651 ? x : -x, 0.03 * (v % 651 / 31), 0);
    }
    int middle = mesh->polygons.vertex_count;
    for (int j = 0; j < 20; ++j) {
        mesh_add_vertex(mesh, -(0.004 + 0.01), 0.03 * (j + 0.5), 0);
    }
    for (int f = 0; f < 1200; ++f) {
        int i = f % 30, j = f % 600 / 30, a = f / 600 * 651 + j * 31 + i;
        const int before[5] = {a + 1, a, a + 31, a + 32, middle + j};
        const int after[5] = {a, middle + j, a + 31, a + 32, a + 1};
        const int plain[4] = {a, a + 31, a + 32, a + 1};
        if (f < 600) {
            mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + 32, a + 31});
        } else {
            mesh_add_face(mesh, i < 2 ? 5 : 4, i == 0 ? before : i == 1 ? after : plain);
        }
    }
    HalfOptions options = closing(CLOSURE_BUTTON, HALF_CUT);
    options.overlap = 0.02;
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_OK);
    check_maps(&half, &mesh->polygons);
    CHECK_INT(half.front_count, 21);
    rest_of(&half, positions);
    half_carry(&half, NULL, positions, carried);
    for (int j = 0; j < 20; ++j) {
        Vec3 p = carried_at(middle + j);
        CHECK_INT(half.rides[middle + j].mirrored, 1);
        CHECK_NEAR(p.x, -0.014, 1e-6);
        CHECK_NEAR(p.y, 0.03 * (j + 0.5), 1e-6);
        CHECK_NEAR(p.z, -0.5 * half.gap, 1e-7);
    }
    half_free(&half);
    mesh_free(mesh);
}

static void check_arguments(void) {
    TestMesh *mesh = symmetric_sheet(4, 4, 0.1);
    HalfOptions options = closing(CLOSURE_BUTTON, HALF_EXACT);
    options.overlap = 0;
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_ERROR_ARGUMENT);
    CHECK(strstr(status.message, "overlap of a button is 0 m") != NULL);
    half_free(&half);
    options.overlap = 0.03;
    options.gap = -1;
    CHECK_INT(half_build(&mesh->polygons, &options, &half, &status), STATUS_ERROR_ARGUMENT);
    CHECK(strstr(status.message, "gap of a button is -1 m") != NULL);
    half_free(&half);
    mesh_free(mesh);
}

int main(void) {
    random_start(11);
    check_zip();
    check_whole();
    check_closed();
    check_holes();
    check_panels();
    check_button();
    check_piercings();
    check_polo();
    check_rows();
    check_fans();
    check_extra();
    check_split_line();
    check_arguments();
    return check_result();
}
