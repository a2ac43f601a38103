/* Settling: the shape at rest, and what it leaves of the cloth. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "halving.h"
#include "live/live.h"
#include "rig.h"

#define FRAME (1.0 / 24)
#define LONG 240  /* frames of a run that has come to rest */
#define MOST 200  /* steps of settling, at most */
#define SLOW 1e-3 /* m/s: what settling promises of the fastest vertex */
#define LARGE 116 /* vertices of a side: enough for levels */

static Status status;

/* A sheet of 1 m with `side` x `side` vertices, level, held at its corners where `held`. */
static Live *open_sheet(int side, double budget, MirrorChoice choice, bool held) {
    TestMesh *mesh = symmetric_sheet(side - 1, side - 1, 1.0 / (side - 1));
    LiveOptions options = {
        .cloth = {.simulation = plain_options(),
                  .mirror = {.choice = choice, .plane = {{0, 0, 0}, {1, 0, 0}}, .over = 1}},
        .budget = budget};
    options.cloth.simulation.solving.quality = QUALITY_FIT;
    const int32_t pins[] = {0, side - 1, side * (side - 1), side * side - 1};
    status_clear(&status);
    Live *live = live_create(&mesh->polygons, &options, &status);
    CHECK(live && (!held || live_set_pins(live, 4, pins, NULL, NULL, &status) >= 0));
    mesh_free(mesh);
    return live;
}

static float *positions_of(Live *live) {
    float *positions = malloc(3 * (size_t)live_vertex_count(live) * sizeof(float));
    CHECK(positions);
    live_get_state(live, positions, NULL);
    return positions;
}

/* Root mean square of the distances, m. */
static double apart(Live *a, Live *b) {
    float *x = positions_of(a), *y = positions_of(b);
    int numbers = 3 * live_vertex_count(a);
    double sum = 0;
    for (int i = 0; i < numbers; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    free(x);
    free(y);
    return sqrt(3 * sum / numbers);
}

static SettleReport settle(Live *live) {
    SettleReport report = {0};
    for (int calls = 0; calls < MOST && !report.settled; ++calls) {
        CHECK(live_settle(live, &report, &status) >= 0);
        CHECK_INT(report.steps, calls + 1);
    }
    CHECK(report.settled && report.level == 0);
    CHECK_BELOW(report.fastest, SLOW);
    return report;
}

/* A sheet that hangs from its corners ends where a long run ends, whole and by half. */
static void test_rest(MirrorChoice choice) {
    Live *live = open_sheet(21, 0, choice, true), *run = open_sheet(21, 0, choice, true);
    SettleReport report = settle(live);
    CHECK(report.came_to_rest);
    CHECK_BELOW(report.steps, LONG / 6);
    for (int frame = 0; frame < LONG; ++frame) {
        CHECK(live_step(run, FRAME, &status) >= 0);
    }
    CHECK_BELOW(apart(live, run), 0.02);
    live_destroy(live);
    live_destroy(run);
}

/* A sheet that nothing holds falls for ever: it is stopped, and that is told. */
static void test_falling(void) {
    Live *live = open_sheet(11, 0, MIRROR_OFF, false);
    CHECK(!settle(live).came_to_rest);
    live_destroy(live);
}

/* The step after it is that of a cloth that never settled: nothing is left of the damping. Also where it is left
 * before its end. */
static void test_afterwards(int calls) {
    Live *live = open_sheet(11, 0, MIRROR_OFF, true), *other = open_sheet(11, 0, MIRROR_OFF, true);
    SettleReport report;
    report.settled = false;
    for (int call = 0; call < calls && !report.settled; ++call) {
        CHECK(live_settle(live, &report, &status) >= 0);
    }
    size_t size = live_snapshot_size(live);
    void *bytes = malloc(size);
    live_snapshot(live, bytes);
    CHECK_INT(live_restore(other, bytes, size, &status), STATUS_OK);
    free(bytes);
    CHECK(live_step(live, FRAME, &status) >= 0);
    CHECK(live_step(other, FRAME, &status) >= 0);
    CHECK(apart(live, other) == 0);
    live_destroy(live);
    live_destroy(other);
}

/* Cancelled, it changes nothing, and goes on when it is called again. */
static void test_cancel(void) {
    Live *live = open_sheet(11, 0, MIRROR_OFF, true), *other = open_sheet(11, 0, MIRROR_OFF, true);
    SettleReport report;
    CHECK(live_settle(live, &report, &status) >= 0);
    CHECK(live_settle(other, &report, &status) >= 0);
    live_cancel(live);
    CHECK_INT(live_settle(live, &report, &status), STATUS_ERROR_CANCELLED);
    CHECK(!report.settled && apart(live, other) == 0);
    while (!report.settled && report.steps < MOST) {
        CHECK(live_settle(live, &report, &status) >= 0);
    }
    SettleReport without = {0};
    while (!without.settled && without.steps < MOST) {
        CHECK(live_settle(other, &without, &status) >= 0);
    }
    CHECK(report.settled && report.steps == without.steps && apart(live, other) == 0);
    live_destroy(live);
    live_destroy(other);
}

/* A fine sheet with a budget comes to rest on a coarser level first, near to where it ends without one. */
static void test_levels(void) {
    Live *live = open_sheet(LARGE, 1, MIRROR_OFF, true);
    SettleReport report;
    CHECK(live_settle(live, &report, &status) >= 0);
    CHECK(report.level == 1 && report.simulated_count < LARGE * LARGE / 2);
    while (!report.settled && report.steps < MOST) {
        CHECK(live_settle(live, &report, &status) >= 0);
    }
    CHECK(report.settled && report.came_to_rest && report.level == 0);
    Live *whole = open_sheet(LARGE, 0, MIRROR_OFF, true);
    settle(whole);
    CHECK_BELOW(apart(live, whole), 0.02);
    live_destroy(live);
    live_destroy(whole);
}

/* A body that is told again where it is changes nothing; one that moves ends the settling, and the rest after it. */
static void test_body(double budget) {
    enum { SIDE = 11 };
    float square[] = {-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1};
    const int32_t sizes[] = {4}, corners[] = {0, 1, 2, 3};
    PolygonMesh table = {.vertex_count = 4,
                         .positions = square,
                         .face_count = 1,
                         .face_sizes = sizes,
                         .face_vertices = corners};
    BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    Live *live = open_sheet(SIDE, budget, MIRROR_OFF, true);
    int body = -1;
    CHECK(live_add_body(live, &table, &surface, &body, &status) >= 0);
    SettleReport report = {0};
    LiveReport now;
    for (int calls = 0; calls < MOST && !report.settled; ++calls) {
        CHECK(live_settle(live, &report, &status) >= 0);
        CHECK_INT(report.steps, calls + 1);
        CHECK(live_move_body(live, body, square, &status) >= 0);
    }
    live_levels(live, &now);
    CHECK(report.settled && now.settled);
    square[2] += 0.01f;
    CHECK(live_move_body(live, body, square, &status) >= 0);
    live_levels(live, &now);
    CHECK(!now.settled);
    CHECK(live_settle(live, &report, &status) >= 0);
    CHECK_INT(report.steps, 1);
    live_destroy(live);
}

/* A sheet that is damped as settling does by itself. */
static Live *open_damped(int substeps) {
    Live *live = open_sheet(11, 0, MIRROR_OFF, true);
    SimulationOptions options = plain_options();
    options.materials[0].damping = 5;
    CHECK(live_set_materials(live, options.materials, &status) >= 0);
    live_set_rounds(live, substeps, 8);
    return live;
}

static const double settle_step = 1.0 / 12; /* s */

/* What drives the cloth makes its way in the whole first step, not in a piece of it. */
static void check_driven(Live *live, Live *whole) {
    SettleReport report;
    CHECK(live_settle(live, &report, &status) >= 0);
    CHECK_INT(report.steps, 1);
    CHECK(live_step(whole, settle_step, &status) >= 0);
    CHECK(apart(live, whole) == 0);
    live_destroy(live);
    live_destroy(whole);
}

static void test_first_step_with_pins(double weight) {
    const int32_t pins[] = {0, 10, 110, 120};
    const float weights[] = {(float)weight, (float)weight, (float)weight, (float)weight};
    float targets[12];
    Live *cloths[2];
    for (int c = 0; c < 2; ++c) {
        cloths[c] = open_damped(4);
        float *positions = positions_of(cloths[c]);
        CHECK(live_set_pins(cloths[c], 4, pins, weights, NULL, &status) >= 0);
        for (int i = 0; i < 12; ++i) {
            targets[i] = positions[3 * pins[i / 3] + i % 3] + (i % 3 == 2 ? 0.12f : 0.0f);
        }
        CHECK(live_move_pins(cloths[c], targets, &status) >= 0);
        free(positions);
    }
    check_driven(cloths[0], cloths[1]);
}

/* A floor that carries what lies on it. */
static void test_first_step_on_a_body(void) {
    float square[] = {-1, -1, -0.002f, 1, -1, -0.002f, 1, 1, -0.002f, -1, 1, -0.002f};
    const int32_t sizes[] = {4}, corners[] = {0, 1, 2, 3};
    const PolygonMesh floor = {.vertex_count = 4,
                               .positions = square,
                               .face_count = 1,
                               .face_sizes = sizes,
                               .face_vertices = corners};
    const BodySurface surface = {.thickness = 0.004, .friction = 0.5};
    Live *cloths[2];
    for (int c = 0; c < 2; ++c) {
        int body = -1;
        cloths[c] = open_damped(4);
        CHECK(live_set_pins(cloths[c], 0, NULL, NULL, NULL, &status) >= 0);
        CHECK(live_add_body(cloths[c], &floor, &surface, &body, &status) >= 0);
        float moved[12];
        for (int i = 0; i < 12; ++i) {
            moved[i] = square[i] + (i % 3 == 0 ? 0.05f : 0.0f);
        }
        CHECK(live_move_body(cloths[c], body, moved, &status) >= 0);
    }
    check_driven(cloths[0], cloths[1]);
}

/* The first step is shown after its first substep and goes on with the others, the same way as all of it at once. */
static void test_first_step(int substeps) {
    Live *live = open_damped(substeps), *first = open_damped(1), *whole = open_damped(substeps);
    SettleReport report;
    CHECK(live_settle(live, &report, &status) >= 0);
    CHECK(live_step(first, settle_step / substeps, &status) >= 0);
    CHECK(report.steps == 1 && !report.settled && report.fastest > 0.1);
    CHECK(apart(live, first) == 0);
    CHECK(live_settle(live, &report, &status) >= 0);
    CHECK(live_step(whole, settle_step, &status) >= 0);
    CHECK(apart(live, whole) == 0 && apart(live, first) > 1e-3);
    live_destroy(live);
    live_destroy(first);
    live_destroy(whole);
}

int main(void) {
    test_body(0);
    test_body(1);
    test_rest(MIRROR_OFF);
    test_rest(MIRROR_EXACT);
    test_falling();
    test_afterwards(1);
    test_afterwards(MOST);
    test_first_step(2);
    test_first_step(4);
    test_first_step_with_pins(1.0);
    test_first_step_with_pins(0.5);
    test_first_step_on_a_body();
    test_cancel();
    test_levels();
    return check_result();
}
