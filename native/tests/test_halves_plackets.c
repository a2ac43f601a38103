/* Buttoned fronts that are not one smooth layer: turned-in edges, pockets beside them, folds. Nothing pierces. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "halving.h"

#define ROWS 12
#define COLUMNS 24
#define HEM 2       /* columns that are turned in */
#define HEIGHT 0.05 /* m, of a row */
#define STEP (M_PI / COLUMNS)

static Half half;
static Status status;
static Vec3 positions[MESHES_MOST];
static float carried[3 * MESHES_MOST];

/* Where a vertex is: angle from the front, height, and how far outside of the tube. */
typedef struct Spot {
    double angle, height, out;
    uint8_t side, hem;
} Spot;

typedef struct Coat {
    TestMesh *mesh;
    Spot spots[MESHES_MOST];
} Coat;

static int add_spot(Coat *coat, Spot spot) {
    double open = 0.012 * (1 - spot.angle / M_PI);
    double x = spot.angle >= M_PI ? 0 : (0.16 + spot.out) * sin(spot.angle) + open;
    int v = mesh_add_vertex(coat->mesh, spot.side ? -x : x, -(0.11 + spot.out) * cos(spot.angle),
                            spot.height);
    coat->spots[v] = spot;
    return v;
}

static void add_quad(Coat *coat, int side, int a, int b, int c, int d) {
    int ring[2][4] = {{a, b, c, d}, {a, d, c, b}};
    mesh_add_face(coat->mesh, 4, ring[side]);
}

/* A tube that is open at the front; its edges are turned in, `thick` inside. */
static void add_tube(Coat *coat, double thick) {
    static int number[2][COLUMNS + HEM + 1][ROWS + 1];
    for (int i = 0; i < 2 * (COLUMNS + HEM + 1) * (ROWS + 1); ++i) {
        int r = i % (ROWS + 1), c = i / (ROWS + 1) % (COLUMNS + HEM + 1);
        int side = i / (ROWS + 1) / (COLUMNS + HEM + 1), column = c - HEM;
        Spot spot = {.angle = STEP * abs(column), /* the hem lies behind the first columns */
                     .height = HEIGHT * r,
                     .out = column < 0 ? -thick : 0,
                     .side = (uint8_t)side,
                     .hem = column < 0};
        number[side][c][r] = side && column == COLUMNS ? number[0][c][r] : add_spot(coat, spot);
    }
    for (int f = 0; f < 2 * (COLUMNS + HEM) * ROWS; ++f) {
        int side = f % 2, c = f / 2 % (COLUMNS + HEM), r = f / 2 / (COLUMNS + HEM);
        int *from = number[side][c] + r, *to = number[side][c + 1] + r;
        add_quad(coat, side, from[0], to[0], to[1], from[1]);
    }
}

/* Components of their own on both sides, `out` before the tube, that begin right beside the line. */
static void add_pockets(Coat *coat, double out) {
    int number[2][4][4];
    for (int i = 0; i < 32; ++i) {
        int side = i / 16, c = i / 4 % 4, r = i % 4;
        number[side][c][r] = add_spot(coat, (Spot){.angle = STEP * (1.15 + 0.9 * c),
                                                   .height = HEIGHT * (3.4 + 0.9 * r),
                                                   .out = out,
                                                   .side = (uint8_t)side});
    }
    for (int f = 0; f < 18; ++f) {
        int side = f / 9, c = f / 3 % 3, r = f % 3;
        int *from = number[side][c] + r, *to = number[side][c + 1] + r;
        add_quad(coat, side, from[0], to[0], to[1], from[1]);
    }
}

static Coat *make_coat(double thick, double pocket) {
    static Coat coat;
    memset(&coat, 0, sizeof coat);
    coat.mesh = mesh_new();
    add_tube(&coat, thick);
    add_pockets(&coat, pocket);
    return &coat;
}

/* Closes the coat by hand: the half becomes that of a tube, with folds as deep as `deep`, but for `open` (m) between the
 * line and the plane. */
static void move_coat(const Coat *coat, double line, double deep, double open) {
    for (int h = 0; h < half.polygons.vertex_count; ++h) {
        Spot spot = coat->spots[half.source[h]];
        double angle = (spot.angle - line) * M_PI / (M_PI - line);
        double out = spot.out + deep * sin(60 * spot.height) * cos(9 * angle);
        double x = h >= half.rail_from ? 0 : (0.16 + out) * sin(angle);
        x += h >= half.plane_from ? 0 : open * (1 - angle / M_PI);
        positions[h] = vec3(x, -(0.11 + out) * cos(angle), spot.height);
    }
    half_carry(&half, NULL, positions, carried);
}

static void close_coat(const Coat *coat, double line, double deep) {
    move_coat(coat, line, deep, 0);
}

enum { OF_SIDE, OF_KEPT_HEM, OF_OTHER_HEM };

static int piercings(const Coat *coat, int marking) {
    static uint8_t marks[MESHES_MOST];
    for (int v = 0; v < coat->mesh->polygons.vertex_count; ++v) {
        const Spot *spot = &coat->spots[v];
        marks[v] = marking == OF_SIDE ? spot->side : spot->hem && spot->side == marking - 1;
    }
    return count_piercings(&coat->mesh->polygons, carried, marks);
}

/* The smallest angle of the rails: where the strip ends. */
static double line_of(const Coat *coat) {
    double least = M_PI;
    for (int h = half.rail_from; h < half.plane_from; ++h) {
        double angle = coat->spots[half.source[h]].angle;
        least = angle < least ? angle : least;
        CHECK(!coat->spots[half.source[h]].hem);
    }
    return least;
}

static HalfOptions buttoned(double overlap, int over) {
    HalfOptions options = halve_exactly;
    options.closure = CLOSURE_BUTTON;
    options.overlap = overlap;
    options.over = over;
    return options;
}

static void expect_clear(double overlap, int over, double deep) {
    Coat *coat = make_coat(0.004, 0.006);
    HalfOptions options = buttoned(overlap, over);
    CHECK_INT(half_build(&coat->mesh->polygons, &options, &half, &status), STATUS_OK);
    check_maps(&half, &coat->mesh->polygons);
    CHECK_INT(half.front_count, ROWS + 1); /* the line is one column, before the fold */
    double line = line_of(coat);
    CHECK_NEAR(line, STEP, 1e-9);
    close_coat(coat, line, deep);
    for (int marking = OF_SIDE; marking <= OF_OTHER_HEM; ++marking) {
        CHECK_INT(piercings(coat, marking), 0);
    }
    for (int v = 0; v < half.caller_count; ++v) { /* clear, but not far off */
        CHECK(fabs(half.placket.raised[v]) < 0.04);
    }
    half.placket.strips_from = half.placket.layers_from = half.placket.pair_count = 0;
    /* the check itself */
    half_carry(&half, NULL, positions, carried);
    CHECK(deep == 0 || piercings(coat, OF_SIDE) + piercings(coat, OF_KEPT_HEM) > 10);
    half_free(&half);
    mesh_free(coat->mesh);
}

static void check_layers(void) {
    const double overlaps[] = {0.015, 0.025, 0.04, 0.06};
    for (int run = 0; run < 24; ++run) {
        expect_clear(overlaps[run % 4], run / 4 % 2 ? -1 : 1, 0.003 * (run / 8));
    }
}

/* The largest length over rest length of sides that end in a strip. */
static double strip_stretch(const Coat *coat, double line) {
    const PolygonMesh *mesh = &coat->mesh->polygons;
    const int32_t *ring = mesh->face_vertices;
    double most = 0;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            int a = ring[c], b = ring[(c + 1) % mesh->face_sizes[f]];
            const float *p = carried + 3 * (int64_t)a, *q = carried + 3 * (int64_t)b;
            double now = vec3_distance(vec3(p[0], p[1], p[2]), vec3(q[0], q[1], q[2]));
            double rest = vec3_distance(polygon_position(mesh, a), polygon_position(mesh, b));
            bool of_strip = coat->spots[a].angle < line - 1e-9 || coat->spots[a].hem ||
                            coat->spots[b].angle < line - 1e-9 || coat->spots[b].hem;
            most = of_strip && now / rest > most ? now / rest : most;
        }
    }
    return most;
}

/* While the fronts come together strips go with their own line: they are not stretched, however far it has to go, and
 * pass each other. Closed they are no wider than they were, also where that is less than half an overlap. */
static void check_closing(void) {
    const double overlaps[] = {0.025, 0.04, 0.06};
    const double opens[] = {0.048, 0.032, 0.02, 0.012, 0.008, 0.006, 0.004, 0.002, 0};
    for (int run = 0; run < 12; ++run) {
        Coat *coat = make_coat(0.004, 0.006);
        HalfOptions options = buttoned(overlaps[run % 3], run / 3 % 2 ? -1 : 1);
        CHECK_INT(half_build(&coat->mesh->polygons, &options, &half, &status), STATUS_OK);
        double line = line_of(coat), deep = 0.002 * (run / 6);
        for (int n = 0; n < 9; ++n) {
            move_coat(coat, line, deep, opens[n]);
            for (int marking = OF_SIDE; marking <= OF_OTHER_HEM; ++marking) {
                CHECK_INT(piercings(coat, marking), 0);
            }
            CHECK(strip_stretch(coat, line) < 1.12); /* the cloth itself: up to 1.05 */
        }
        half_free(&half);
        mesh_free(coat->mesh);
    }
}

/* The same bytes every time, whatever was carried before, on any number of threads. */
static void check_again(void) {
    static float first[3 * MESHES_MOST];
    Coat *coat = make_coat(0.004, 0.006);
    HalfOptions options = buttoned(0.04, 1);
    CHECK_INT(half_build(&coat->mesh->polygons, &options, &half, &status), STATUS_OK);
    close_coat(coat, STEP, 0.003);
    memcpy(first, carried, sizeof first);
    close_coat(coat, STEP, 0.008);
    CHECK(memcmp(first, carried, sizeof first) != 0);
    close_coat(coat, STEP, 0.003);
    CHECK(memcmp(first, carried, sizeof first) == 0);
    for (int threads = 1; threads <= 3; threads += 2) {
        Pool *pool = pool_create(threads);
        memset(carried, 0, sizeof carried);
        half_carry(&half, pool, positions, carried);
        CHECK(memcmp(first, carried, sizeof first) == 0);
        pool_destroy(pool);
    }
    half_free(&half);
    mesh_free(coat->mesh);
}

/* Pockets as thick as that are not buttoned over: that is refused. */
static void check_too_thick(void) {
    Coat *coat = make_coat(0.004, 0.018);
    HalfOptions options = buttoned(0.015, 1);
    CHECK_INT(half_build(&coat->mesh->polygons, &options, &half, &status), STATUS_ERROR_MESH);
    CHECK(strstr(status.message, "the fronts are so thick") != NULL);
    CHECK_INT(status.detail_count, 1);
    CHECK_INT(status.details[0].code, DETAIL_FRONTS_THICK);
    CHECK(status.details[0].value > 0.015);
    CHECK_NEAR(status.details[0].limit, 0.015, 1e-15);
    half_free(&half);
    mesh_free(coat->mesh);
}

int main(void) {
    check_layers();
    check_closing();
    check_again();
    check_too_thick();
    return check_result();
}
