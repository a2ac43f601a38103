/* Settling: the shape at rest, and what it leaves of the cloth. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cloth/cloth.h"
#include "halving.h"
#include "rig.h"

#define FRAME (1.0 / 24)
#define LONG 240  /* frames of a run that has come to rest */
#define MOST 200  /* steps of settling, at most */
#define SLOW 1e-3 /* m/s: what settling promises of the fastest vertex */
#define LARGE 116 /* vertices of a side: enough for levels */

static StatusCode settle_once(Cloth *cloth, SettleReport *report, Status *status) {
    StatusCode code = cloth_settle(cloth, status);
    cloth_settling(cloth, report);
    return code;
}

static Status status;

/* A sheet of 1 m with `side` x `side` vertices, level, held at its corners where `held`. */
static Cloth *open_sheet(int side, double budget, MirrorChoice choice, bool held) {
    TestMesh *mesh = symmetric_sheet(side - 1, side - 1, 1.0 / (side - 1));
    ClothOptions options = {
        .simulation = plain_options(),
        .mirror = {.choice = choice, .half.plane = {{0, 0, 0}, {1, 0, 0}}, .half.over = 1},
        .budget = budget};
    options.simulation.solving.quality = QUALITY_FIT;
    const int32_t pins[] = {0, side - 1, side * (side - 1), side * side - 1};
    status_clear(&status);
    Cloth *cloth = cloth_create(&mesh->polygons, &options, &status);
    CHECK(cloth && (!held || cloth_set_pins(cloth, 4, pins, NULL, NULL, &status) >= 0));
    mesh_free(mesh);
    return cloth;
}

static float *positions_of(Cloth *cloth) {
    float *positions = malloc(3 * (size_t)cloth_vertex_count(cloth) * sizeof(float));
    CHECK(positions);
    cloth_get_state(cloth, positions, NULL);
    return positions;
}

/* Root mean square of the distances, m. */
static double apart(Cloth *a, Cloth *b) {
    float *x = positions_of(a), *y = positions_of(b);
    int numbers = 3 * cloth_vertex_count(a);
    double sum = 0;
    for (int i = 0; i < numbers; ++i) {
        sum += (x[i] - y[i]) * (x[i] - y[i]);
    }
    free(x);
    free(y);
    return sqrt(3 * sum / numbers);
}

static SettleReport settle(Cloth *cloth) {
    SettleReport report = {0};
    for (int calls = 0; calls < MOST && !report.settled; ++calls) {
        CHECK(settle_once(cloth, &report, &status) >= 0);
        CHECK_INT(report.steps, calls + 1);
    }
    CHECK(report.settled && report.level == 0);
    CHECK_BELOW(report.fastest, SLOW);
    return report;
}

/* A sheet that hangs from its corners ends where a long run ends, whole and by half. */
static void test_rest(MirrorChoice choice) {
    Cloth *cloth = open_sheet(21, 0, choice, true), *run = open_sheet(21, 0, choice, true);
    SettleReport report = settle(cloth);
    CHECK(report.came_to_rest);
    CHECK_BELOW(report.steps, LONG / 6);
    for (int frame = 0; frame < LONG; ++frame) {
        CHECK(cloth_step(run, FRAME, &status) >= 0);
    }
    CHECK_BELOW(apart(cloth, run), 0.02);
    cloth_destroy(cloth);
    cloth_destroy(run);
}

/* A sheet that nothing holds falls for ever: it is stopped, and that is reported. */
static void test_falling(void) {
    Cloth *cloth = open_sheet(11, 0, MIRROR_OFF, false);
    CHECK(!settle(cloth).came_to_rest);
    cloth_destroy(cloth);
}

/* The step after it is that of a cloth that never settled: nothing is left of the damping. Also where it is left
 * before its end. */
static void test_afterwards(int calls) {
    Cloth *cloth = open_sheet(11, 0, MIRROR_OFF, true),
          *other = open_sheet(11, 0, MIRROR_OFF, true);
    SettleReport report;
    report.settled = false;
    for (int call = 0; call < calls && !report.settled; ++call) {
        CHECK(settle_once(cloth, &report, &status) >= 0);
    }
    size_t size = cloth_snapshot_size(cloth);
    void *bytes = malloc(size);
    cloth_snapshot(cloth, bytes);
    CHECK_INT(cloth_restore(other, bytes, size, &status), STATUS_OK);
    free(bytes);
    CHECK(cloth_step(cloth, FRAME, &status) >= 0);
    CHECK(cloth_step(other, FRAME, &status) >= 0);
    CHECK(apart(cloth, other) == 0);
    cloth_destroy(cloth);
    cloth_destroy(other);
}

/* Cancelled, it changes nothing, and goes on when it is called again. */
static void test_cancel(void) {
    Cloth *cloth = open_sheet(11, 0, MIRROR_OFF, true),
          *other = open_sheet(11, 0, MIRROR_OFF, true);
    SettleReport report;
    CHECK(settle_once(cloth, &report, &status) >= 0);
    CHECK(settle_once(other, &report, &status) >= 0);
    cloth_cancel(cloth);
    CHECK_INT(settle_once(cloth, &report, &status), STATUS_ERROR_CANCELLED);
    CHECK(!report.settled && apart(cloth, other) == 0);
    while (!report.settled && report.steps < MOST) {
        CHECK(settle_once(cloth, &report, &status) >= 0);
    }
    SettleReport without = {0};
    while (!without.settled && without.steps < MOST) {
        CHECK(settle_once(other, &without, &status) >= 0);
    }
    CHECK(report.settled && report.steps == without.steps && apart(cloth, other) == 0);
    cloth_destroy(cloth);
    cloth_destroy(other);
}

/* A fine sheet with a budget comes to rest on a coarser level first, near to where it ends without one. */
static void test_levels(void) {
    Cloth *cloth = open_sheet(LARGE, 1, MIRROR_OFF, true);
    SettleReport report;
    CHECK(settle_once(cloth, &report, &status) >= 0);
    CHECK(report.level == 1 && report.simulated_count < LARGE * LARGE / 2);
    while (!report.settled && report.steps < MOST) {
        CHECK(settle_once(cloth, &report, &status) >= 0);
    }
    CHECK(report.settled && report.came_to_rest && report.level == 0);
    Cloth *whole = open_sheet(LARGE, 0, MIRROR_OFF, true);
    settle(whole);
    CHECK_BELOW(apart(cloth, whole), 0.02);
    cloth_destroy(cloth);
    cloth_destroy(whole);
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
    Cloth *cloth = open_sheet(SIDE, budget, MIRROR_OFF, true);
    int body = -1;
    CHECK(cloth_add_body(cloth, &table, &surface, &body, &status) >= 0);
    SettleReport report = {0};
    LevelReport now;
    for (int calls = 0; calls < MOST && !report.settled; ++calls) {
        CHECK(settle_once(cloth, &report, &status) >= 0);
        CHECK_INT(report.steps, calls + 1);
        CHECK(cloth_move_body(cloth, body, square, &status) >= 0);
    }
    cloth_levels(cloth, &now);
    CHECK(report.settled && now.settled);
    square[2] += 0.01f;
    CHECK(cloth_move_body(cloth, body, square, &status) >= 0);
    cloth_levels(cloth, &now);
    CHECK(!now.settled);
    CHECK(settle_once(cloth, &report, &status) >= 0);
    CHECK_INT(report.steps, 1);
    cloth_destroy(cloth);
}

/* A sheet that is damped as settling does by itself. */
static Cloth *open_damped(int substeps) {
    Cloth *cloth = open_sheet(11, 0, MIRROR_OFF, true);
    SimulationOptions options = plain_options();
    options.materials[0].damping = 5;
    CHECK(cloth_set_materials(cloth, options.materials, &status) >= 0);
    cloth_set_iterations(cloth, substeps, 8);
    return cloth;
}

static const double settle_step = 1.0 / 12; /* s */

/* What drives the cloth makes its way in the whole first step, not in a piece of it. */
static void check_driven(Cloth *cloth, Cloth *whole) {
    SettleReport report;
    CHECK(settle_once(cloth, &report, &status) >= 0);
    CHECK_INT(report.steps, 1);
    CHECK(cloth_step(whole, settle_step, &status) >= 0);
    CHECK(apart(cloth, whole) == 0);
    cloth_destroy(cloth);
    cloth_destroy(whole);
}

static void test_first_step_with_pins(double weight) {
    const int32_t pins[] = {0, 10, 110, 120};
    const float weights[] = {(float)weight, (float)weight, (float)weight, (float)weight};
    float targets[12];
    Cloth *cloths[2];
    for (int c = 0; c < 2; ++c) {
        cloths[c] = open_damped(4);
        float *positions = positions_of(cloths[c]);
        CHECK(cloth_set_pins(cloths[c], 4, pins, weights, NULL, &status) >= 0);
        for (int i = 0; i < 12; ++i) {
            targets[i] = positions[3 * pins[i / 3] + i % 3] + (i % 3 == 2 ? 0.12f : 0.0f);
        }
        CHECK(cloth_move_pins(cloths[c], targets, &status) >= 0);
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
    Cloth *cloths[2];
    for (int c = 0; c < 2; ++c) {
        int body = -1;
        cloths[c] = open_damped(4);
        CHECK(cloth_set_pins(cloths[c], 0, NULL, NULL, NULL, &status) >= 0);
        CHECK(cloth_add_body(cloths[c], &floor, &surface, &body, &status) >= 0);
        float moved[12];
        for (int i = 0; i < 12; ++i) {
            moved[i] = square[i] + (i % 3 == 0 ? 0.05f : 0.0f);
        }
        CHECK(cloth_move_body(cloths[c], body, moved, &status) >= 0);
    }
    check_driven(cloths[0], cloths[1]);
}

/* The first step is shown after its first substep and goes on with the others, the same way as all of it at once. */
static void test_first_step(int substeps) {
    Cloth *cloth = open_damped(substeps), *first = open_damped(1), *whole = open_damped(substeps);
    SettleReport report;
    CHECK(settle_once(cloth, &report, &status) >= 0);
    CHECK(cloth_step(first, settle_step / substeps, &status) >= 0);
    CHECK(report.steps == 1 && !report.settled && report.fastest > 0.1);
    CHECK(apart(cloth, first) == 0);
    CHECK(settle_once(cloth, &report, &status) >= 0);
    CHECK(cloth_step(whole, settle_step, &status) >= 0);
    CHECK(apart(cloth, whole) == 0 && apart(cloth, first) > 1e-3);
    cloth_destroy(cloth);
    cloth_destroy(first);
    cloth_destroy(whole);
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
