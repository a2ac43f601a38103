/* Cloth with a budget: levels are held by hand, so that no clock decides. */
#include <string.h>

#include "halving.h"
#include "live/live.h"
#include "memory_counter.h"
#include "rig.h"

#define FRAME (1.0 / 24)
#define SIDE 41 /* vertices */
#define COUNT (SIDE * SIDE)
#define LAST (COUNT - 1)

static const int32_t corners[] = {0, SIDE - 1, COUNT - SIDE, LAST};
static float here[3 * COUNT], there[3 * COUNT], speeds[3 * COUNT];
static Status status;

/* --- cloths ------------------------------------------------------------------------------------- */

static LiveOptions options_of(double budget, MirrorChoice choice) {
    LiveOptions options = {
        .cloth = {.simulation = plain_options(),
                  .mirror = {.choice = choice, .plane = {{0, 0, 0}, {1, 0, 0}}, .over = 1}},
        .budget = budget};
    options.cloth.simulation.solving.quality = QUALITY_FIT;
    return options;
}

/* A sheet of 1 m, level, with its middle at the origin; its own image in x = 0. */
static Live *open_sheet(double budget, MirrorChoice choice) {
    TestMesh *mesh = symmetric_sheet(SIDE - 1, SIDE - 1, 1.0 / (SIDE - 1));
    LiveOptions options = options_of(budget, choice);
    status_clear(&status);
    Live *live = live_create(&mesh->polygons, &options, &status);
    CHECK(live && live_vertex_count(live) == COUNT);
    mesh_free(mesh);
    return live;
}

static Live *open_level(int level, MirrorChoice choice) {
    Live *live = open_sheet(1, choice);
    CHECK_INT(live_hold(live, level, &status), STATUS_OK);
    return live;
}

static void steps(Live *live, int count) {
    for (int s = 0; s < count; ++s) {
        CHECK(live_step(live, FRAME, &status) >= 0);
    }
}

static LiveReport levels_of(const Live *live) {
    LiveReport report;
    live_levels(live, &report);
    return report;
}

static Vec3 at(const float *vectors, int vertex) {
    return vec3(vectors[3 * vertex], vectors[3 * vertex + 1], vectors[3 * vertex + 2]);
}

/* Root mean square, m. */
static double apart(const float *a, const float *b) {
    double sum = 0;
    for (int v = 0; v < COUNT; ++v) {
        Vec3 way = vec3_sub(at(a, v), at(b, v));
        sum += vec3_dot(way, way);
    }
    return sqrt(sum / COUNT);
}

/* --- without a budget --------------------------------------------------------------------------- */

static void test_without_budget(void) {
    TestMesh *mesh = symmetric_sheet(SIDE - 1, SIDE - 1, 1.0 / (SIDE - 1));
    Live *live = open_sheet(0, MIRROR_OFF);
    LiveOptions options = options_of(0, MIRROR_OFF);
    Cloth *cloth = cloth_create(&mesh->polygons, &options.cloth, &status);
    cloth_set_pins(cloth, 2, corners, NULL, NULL, &status);
    live_set_pins(live, 2, corners, NULL, NULL, &status);
    for (int s = 0; s < 3; ++s) {
        cloth_step(cloth, FRAME, &status);
    }
    steps(live, 3);
    cloth_get_state(cloth, here, NULL);
    live_get_state(live, there, NULL);
    CHECK(!memcmp(here, there, sizeof here));
    CHECK_INT(levels_of(live).level, 0);
    CHECK(live_hold(live, 1, &status) < 0 && strstr(status.message, "budget_ms"));
    CHECK(live_refine(live, FRAME, &status) < 0 && strstr(status.message, "budget_ms"));
    cloth_destroy(cloth);
    live_destroy(live);
    mesh_free(mesh);
}

/* --- levels ------------------------------------------------------------------------------------- */

static void test_levels(void) {
    Live *live = open_level(1, MIRROR_OFF);
    live_get_state(live, here, NULL);
    CHECK_INT(live_prepare(live, FRAME, &status), STATUS_OK);
    LiveReport report = levels_of(live);
    CHECK_INT(report.level, 1);
    CHECK(report.level_count >= 2);
    CHECK_INT(report.simulated_count, COUNT / 3);
    live_get_state(live, there, NULL);
    CHECK_BELOW(apart(here, there), 1e-7); /* it rides where it was */
    steps(live, 3);
    live_get_state(live, there, speeds);
    CHECK_NEAR(there[3 * LAST + 2] - here[3 * LAST + 2], -9.81 * 6 * 7 / 2 / 48 / 48, 1e-3);
    CHECK_NEAR(speeds[3 * LAST + 2], -9.81 * 3 * FRAME, 1e-2);
    live_hold(live, 99, &status);
    steps(live, 1);
    CHECK_INT(levels_of(live).level, report.level_count - 1);
    SimulationReport told, fine;
    live_report(live, &told);
    CHECK_INT(told.vertex_count, COUNT);
    CHECK_INT(told.triangle_count, 2 * (SIDE - 1) * (SIDE - 1));
    live_hold(live, 0, &status);
    steps(live, 1);
    live_report(live, &fine);
    CHECK(told.matrix_nonzeros < fine.matrix_nonzeros / 2 && told.bytes > fine.bytes / 2);
    live_destroy(live);
}

/* Going from level to level is no jump, and keeps the motion. */
static void test_going_over(void) {
    Live *live = open_level(1, MIRROR_OFF);
    live_set_pins(live, 2, corners, NULL, NULL, &status);
    steps(live, 8);
    live_get_state(live, here, speeds);
    for (int way = 0; way < 2; ++way) {
        live_hold(live, way, &status);
        live_prepare(live, FRAME, &status);
        CHECK_INT(levels_of(live).level, way);
        live_get_state(live, there, NULL);
        CHECK_BELOW(apart(here, there), 1e-6);
    }
    live_destroy(live);
}

static void test_pins(void) {
    Live *live = open_level(1, MIRROR_OFF);
    const int32_t middle[] = {LAST / 2 - 3, 5, 6, 7};
    const float weights[] = {1, 1, 0.5f, 0};
    float targets[12];
    live_get_state(live, here, NULL);
    live_prepare(live, FRAME, &status); /* levels that do not know of the pins */
    CHECK(live_set_pins(live, 4, middle, weights, NULL, &status) >= 0);
    CHECK_INT(live_pin_count(live), 4);
    steps(live, 4);
    CHECK_INT(levels_of(live).level, 1);
    live_get_state(live, there, NULL);
    CHECK_BELOW(vec3_distance(at(there, middle[0]), at(here, middle[0])), 1e-7);
    CHECK_BELOW(vec3_distance(at(there, 5), at(here, 5)), 1e-7);
    CHECK_BELOW(there[2], here[2] - 0.05);
    for (int p = 0; p < 4; ++p) {
        Vec3 aim = vec3_add(at(here, middle[p]), vec3(0, 0, 0.02));
        targets[3 * p] = (float)aim.x;
        targets[3 * p + 1] = (float)aim.y;
        targets[3 * p + 2] = (float)aim.z;
    }
    CHECK(live_move_pins(live, targets, &status) >= 0);
    steps(live, 1);
    live_get_state(live, there, NULL);
    CHECK_BELOW(vec3_distance(at(there, middle[0]), at(targets, 0)), 1e-7);
    CHECK_BELOW(vec3_distance(at(there, 5), at(targets, 1)), 1e-7);
    live_destroy(live);
}

/* A table below: what rides lies on it as what is simulated does. */
static void add_table(Live *live, float height) {
    const float x[] = {-2, -2, height, 2, -2, height, 2, 2, height, -2, 2, height};
    const int32_t sizes[] = {4}, ring[] = {0, 1, 2, 3};
    PolygonMesh table = {.vertex_count = 4,
                         .face_count = 1,
                         .positions = x,
                         .face_sizes = sizes,
                         .face_vertices = ring};
    BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    int body = -1;
    CHECK(live_add_body(live, &table, &surface, &body, &status) >= 0);
    CHECK_INT(live_body_vertex_count(live, body), 4);
}

static void test_bodies(void) {
    Live *live = open_level(1, MIRROR_OFF);
    live_prepare(live, FRAME, &status);
    add_table(live, -0.3f);
    steps(live, 12);
    live_get_state(live, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        CHECK(here[3 * v + 2] > -0.3);
    }
    const float lifted[] = {-2, -2, -0.2f, 2, -2, -0.2f, 2, 2, -0.2f, -2, 2, -0.2f};
    CHECK(live_move_body(live, 0, lifted, &status) >= 0);
    steps(live, 1);
    live_hold(live, 0, &status); /* a level that has not seen the table move */
    steps(live, 1);
    live_get_state(live, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        CHECK(here[3 * v + 2] > -0.2);
    }
    live_remove_body(live, 0);
    CHECK_INT(live_body_vertex_count(live, 0), -1);
    live_destroy(live);
}

/* A table that has gone around the cloth, on a coarser level. Pins that make the levels anew leave it there: it does
 * not come back through the cloth from where the caller's mesh has met it last. */
static void test_bodies_after_new_pins(void) {
    const float above[] = {-2, -2, 1, 2, -2, 1, 2, 2, 1, -2, 2, 1};
    Live *live = open_level(1, MIRROR_OFF);
    add_table(live, -1);
    live_set_forces(live, vec3(0, 0, 0), &(Wind){0}, &status);
    live_get_state(live, here, NULL);
    steps(live, 1);
    CHECK(live_place_body(live, 0, above, &status) >= 0);
    steps(live, 1);
    for (int v = 0; v < 6; ++v) { /* one of them is not a vertex of the level */
        CHECK(live_set_pins(live, 1, &(int32_t){LAST / 2 + v}, NULL, NULL, &status) >= 0);
    }
    CHECK_INT(levels_of(live).level_count, 0);
    live_hold(live, 0, &status);
    CHECK(live_move_body(live, 0, above, &status) >= 0); /* where it is */
    steps(live, 1);
    live_get_state(live, there, NULL);
    CHECK_BELOW(apart(here, there), 1e-3); /* it bends a little */
    live_destroy(live);
}

/* Quiet is what lies still and is not touched. */
static void test_quiet(void) {
    const float lifted[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    Live *live = open_level(1, MIRROR_OFF);
    add_table(live, -0.1f);
    steps(live, 2);
    CHECK_INT(levels_of(live).quiet_steps, 0); /* it falls */
    steps(live, 70);
    int quiet = levels_of(live).quiet_steps;
    CHECK(quiet > 12);
    live_move_body(live, 0, (float[]){-2, -2, -0.1f, 2, -2, -0.1f, 2, 2, -0.1f, -2, 2, -0.1f},
                   &status);
    CHECK_INT(levels_of(live).quiet_steps, quiet); /* where it is */
    live_move_body(live, 0, lifted, &status);
    CHECK_INT(levels_of(live).quiet_steps, 0);
    live_destroy(live);
}

/* --- the state ---------------------------------------------------------------------------------- */

static void test_state(void) {
    Live *live = open_level(1, MIRROR_OFF);
    steps(live, 1);
    live_get_state(live, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        here[3 * v + 2] += 0.01f * (float)(v % 3);
    }
    CHECK(live_set_state(live, here, NULL, &status) >= 0);
    live_get_state(live, there, speeds);
    CHECK_BELOW(apart(here, there), 1e-7);
    CHECK_NEAR(speeds[3 * LAST], 0, 1e-12);
    live_destroy(live);
}

static void test_snapshot(void) {
    Live *live = open_level(1, MIRROR_OFF);
    live_set_pins(live, 2, corners, NULL, NULL, &status);
    steps(live, 3);
    size_t size = live_snapshot_size(live);
    unsigned char *bytes = malloc(size);
    live_snapshot(live, bytes);
    live_get_state(live, speeds, NULL);
    steps(live, 3);
    live_get_state(live, here, NULL);
    live_hold(live, 0, &status);
    steps(live, 1);
    CHECK_INT(live_restore(live, bytes, size, &status), STATUS_OK);
    live_get_state(live, there, NULL);
    CHECK(!memcmp(speeds, there, sizeof there));
    live_hold(live, 1, &status);
    steps(live, 3);
    live_get_state(live, there, NULL);
    CHECK(!memcmp(here, there, sizeof here));
    CHECK_INT(live_restore(live, bytes, size - 1, &status), STATUS_ERROR_SNAPSHOT);
    CHECK_INT(live_restore(live, bytes, 8, &status), STATUS_ERROR_SNAPSHOT);
    const int32_t others[] = {302, 305, 308, 311, 314}; /* not all of them are the level's */
    live_set_pins(live, 5, others, NULL, NULL, &status);
    steps(live, 1);
    CHECK_INT(live_restore(live, bytes, size, &status), STATUS_ERROR_SNAPSHOT);
    CHECK(strstr(status.message, "other pins"));
    free(bytes);
    live_destroy(live);
}

static void test_cancel(void) {
    Live *live = open_level(1, MIRROR_OFF);
    live_cancel(live); /* before there is a level */
    CHECK_INT(live_step(live, FRAME, &status), STATUS_ERROR_CANCELLED);
    steps(live, 1);
    live_cancel(live);
    CHECK_INT(live_refine(live, FRAME, &status), STATUS_ERROR_CANCELLED);
    steps(live, 1);
    live_destroy(live);
}

static void test_memory(void) {
    Live *live = open_level(1, MIRROR_OFF);
    live_set_pins(live, 2, corners, NULL, NULL, &status);
    add_table(live, -0.2f);
    steps(live, 40); /* it lies on the table, as far as it will */
    long long before = memory_taken();
    count_memory(1);
    steps(live, 5);
    live_get_state(live, here, NULL);
    count_memory(0);
    CHECK_INT(memory_taken() - before, 0);
    live_destroy(live);
}

/* --- mirrored ----------------------------------------------------------------------------------- */

static void test_mirrored(void) {
    Live *live = open_level(1, MIRROR_EXACT);
    live_set_pins(live, 2, corners, NULL, NULL, &status);
    steps(live, 12);
    MirrorReport report;
    live_mirror(live, &report);
    CHECK_INT(report.mode, MIRROR_EXACT);
    CHECK(!report.solved_whole && report.half_vertex_count < COUNT / 5);
    live_get_state(live, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        Vec3 image = at(here, v - 2 * (v % SIDE) + SIDE - 1);
        image.x = -image.x;
        CHECK_BELOW(vec3_distance(at(here, v), image), 1e-6);
    }
    live_destroy(live);
}

/* What is refused is told by the caller's numbers, and leaves the cloth where it was. */
static void test_refused_state(void) {
    Live *live = open_level(1, MIRROR_EXACT);
    steps(live, 2);
    live_get_state(live, here, NULL);
    memcpy(there, here, sizeof there);
    there[3 * LAST + 1] += 0.1f;
    CHECK(live_set_state(live, there, NULL, &status) < 0);
    CHECK(strstr(status.message, "vertex 1680 ") || strstr(status.message, "vertex 1640 "));
    live_get_state(live, there, NULL);
    CHECK_BELOW(apart(here, there), 1e-9);
    live_destroy(live);
}

/* --- refining ----------------------------------------------------------------------------------- */

static void refine(Live *live) {
    for (int calls = 0; calls < 500 && !levels_of(live).settled; ++calls) {
        CHECK(live_refine(live, FRAME, &status) >= 0);
    }
    CHECK(levels_of(live).settled && levels_of(live).level == 0);
}

/* Held at its corners it ends where the sheet itself ends; a step then goes on from there, on its level. */
static void test_refine(void) {
    Live *fine = open_level(0, MIRROR_OFF), *live = open_level(1, MIRROR_OFF);
    Live *all[] = {fine, live};
    for (int l = 0; l < 2; ++l) {
        live_set_pins(all[l], 4, corners, NULL, NULL, &status);
        steps(all[l], 72);
    }
    live_get_state(fine, here, NULL);
    refine(live);
    live_get_state(live, there, NULL);
    CHECK_BELOW(apart(here, there), 0.03);
    live_set_quality(live, QUALITY_FINAL); /* may end elsewhere */
    CHECK(!levels_of(live).settled);
    refine(live);
    live_set_rounds(live, 2, 3);
    CHECK(!levels_of(live).settled);
    live_set_quality(live, QUALITY_FIT);
    refine(live);
    steps(live, 1);
    CHECK_INT(levels_of(live).level, 1);
    CHECK(!levels_of(live).settled);
    live_get_state(live, here, NULL);
    CHECK_BELOW(apart(here, there), 0.01);
    live_destroy(fine);
    live_destroy(live);
}

/* On a level that the clock has chosen steps are those of draft; one that is held has the quality that was asked for. The
 * budget is so small that no clock can choose another level than the coarsest. The cloth is stiff, so that the two
 * differ at all. */
static double quality_matters(bool held) {
    const Quality asked[] = {QUALITY_FIT, QUALITY_DRAFT};
    float *found[] = {here, there};
    Material stiff = plain_options().materials[0];
    stiff.stretch_warp = stiff.stretch_weft = 1e5;
    for (int k = 0; k < 2; ++k) {
        Live *live = open_sheet(1e-9, MIRROR_OFF);
        live_set_quality(live, asked[k]);
        CHECK(live_set_materials(live, &stiff, &status) >= 0);
        CHECK(live_set_pins(live, 4, corners, NULL, NULL, &status) >= 0);
        steps(live, 1);
        int level = levels_of(live).level;
        CHECK(level > 0 && live_hold(live, held ? level : -1, &status) >= 0);
        steps(live, 6);
        CHECK_INT(levels_of(live).level, level);
        live_get_state(live, found[k], NULL);
        live_destroy(live);
    }
    return apart(here, there);
}

static void test_hurry(void) {
    CHECK(quality_matters(true) > 1e-6);
    CHECK(quality_matters(false) == 0);
}

int main(void) {
    check_counter();
    test_hurry();
    test_without_budget();
    test_levels();
    test_going_over();
    test_pins();
    test_bodies();
    test_bodies_after_new_pins();
    test_quiet();
    test_state();
    test_snapshot();
    test_cancel();
    test_memory();
    test_mirrored();
    test_refused_state();
    test_refine();
    return check_result();
}
