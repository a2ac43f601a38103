/* Cloth with a budget: levels are held by hand, so that no clock decides. */
#include <string.h>

#include "cloth/cloth.h"
#include "given.h"
#include "halving.h"
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

static ClothOptions options_of(double budget, MirrorChoice choice) {
    ClothOptions options = {
        .simulation = plain_options(),
        .mirror = {.choice = choice, .half.plane = {{0, 0, 0}, {1, 0, 0}}, .half.over = 1},
        .budget = budget};
    options.simulation.solving.quality = QUALITY_FIT;
    return options;
}

/* A sheet of 1 m, level, with its middle at the origin; its own image in x = 0. */
static Cloth *open_sheet(double budget, MirrorChoice choice) {
    TestMesh *mesh = symmetric_sheet(SIDE - 1, SIDE - 1, 1.0 / (SIDE - 1));
    ClothOptions options = options_of(budget, choice);
    status_clear(&status);
    Cloth *cloth = cloth_create(&mesh->polygons, &options, &status);
    CHECK(cloth && cloth_vertex_count(cloth) == COUNT);
    mesh_free(mesh);
    return cloth;
}

static Cloth *open_level(int level, MirrorChoice choice) {
    Cloth *cloth = open_sheet(1, choice);
    CHECK_INT(cloth_hold(cloth, level, &status), STATUS_OK);
    return cloth;
}

static void steps(Cloth *cloth, int count) {
    for (int s = 0; s < count; ++s) {
        CHECK(cloth_step(cloth, FRAME, &status) >= 0);
    }
}

static LevelReport levels_of(const Cloth *cloth) {
    LevelReport report;
    cloth_levels(cloth, &report);
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
    Cloth *cloth = open_sheet(0, MIRROR_OFF);
    ClothOptions options = options_of(0, MIRROR_OFF);
    Simulation *simulation = simulation_create(&mesh->polygons, &options.simulation, &status);
    give_pins(simulation, 2, corners, NULL, NULL, &status);
    cloth_set_pins(cloth, 2, corners, NULL, NULL, &status);
    for (int s = 0; s < 3; ++s) {
        simulation_step(simulation, FRAME, &status);
    }
    steps(cloth, 3);
    simulation_copy_state(simulation, here, NULL);
    cloth_get_state(cloth, there, NULL);
    CHECK(!memcmp(here, there, sizeof here));
    CHECK_INT(levels_of(cloth).level, 0);
    CHECK(cloth_hold(cloth, 1, &status) < 0 && strstr(status.message, "budget_ms"));
    CHECK(cloth_refine(cloth, FRAME, &status) < 0 && strstr(status.message, "budget_ms"));
    cloth_destroy(cloth);
    simulation_destroy(simulation);
    mesh_free(mesh);
}

/* --- levels ------------------------------------------------------------------------------------- */

static void test_levels(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    cloth_get_state(cloth, here, NULL);
    CHECK_INT(cloth_prepare(cloth, FRAME, &status), STATUS_OK);
    LevelReport report = levels_of(cloth);
    CHECK_INT(report.level, 1);
    CHECK(report.level_count >= 2);
    CHECK_INT(report.simulated_count, COUNT / 3);
    cloth_get_state(cloth, there, NULL);
    CHECK_BELOW(apart(here, there), 1e-7); /* it rides where it was */
    steps(cloth, 3);
    cloth_get_state(cloth, there, speeds);
    CHECK_NEAR(there[3 * LAST + 2] - here[3 * LAST + 2], -9.81 * 6 * 7 / 2 / 48 / 48, 1e-3);
    CHECK_NEAR(speeds[3 * LAST + 2], -9.81 * 3 * FRAME, 1e-2);
    cloth_hold(cloth, 99, &status);
    steps(cloth, 1);
    CHECK_INT(levels_of(cloth).level, report.level_count - 1);
    SimulationReport reported, fine;
    cloth_report(cloth, &reported);
    CHECK_INT(reported.vertex_count, COUNT);
    CHECK_INT(reported.triangle_count, 2 * (SIDE - 1) * (SIDE - 1));
    cloth_hold(cloth, 0, &status);
    steps(cloth, 1);
    cloth_report(cloth, &fine);
    CHECK(reported.matrix_nonzeros < fine.matrix_nonzeros / 2 && reported.bytes > fine.bytes / 2);
    cloth_destroy(cloth);
}

/* Going from level to level is no jump, and keeps the motion. */
static void test_going_over(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    cloth_set_pins(cloth, 2, corners, NULL, NULL, &status);
    steps(cloth, 8);
    cloth_get_state(cloth, here, speeds);
    for (int way = 0; way < 2; ++way) {
        cloth_hold(cloth, way, &status);
        cloth_prepare(cloth, FRAME, &status);
        CHECK_INT(levels_of(cloth).level, way);
        cloth_get_state(cloth, there, NULL);
        CHECK_BELOW(apart(here, there), 1e-6);
    }
    cloth_destroy(cloth);
}

static void test_pins(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    const int32_t middle[] = {LAST / 2 - 3, 5, 6, 7};
    const float weights[] = {1, 1, 0.5f, 0};
    float targets[12];
    cloth_get_state(cloth, here, NULL);
    cloth_prepare(cloth, FRAME, &status); /* levels that do not know of the pins */
    CHECK(cloth_set_pins(cloth, 4, middle, weights, NULL, &status) >= 0);
    CHECK_INT(cloth_pin_count(cloth), 4);
    steps(cloth, 4);
    CHECK_INT(levels_of(cloth).level, 1);
    cloth_get_state(cloth, there, NULL);
    CHECK_BELOW(vec3_distance(at(there, middle[0]), at(here, middle[0])), 1e-7);
    CHECK_BELOW(vec3_distance(at(there, 5), at(here, 5)), 1e-7);
    CHECK_BELOW(there[2], here[2] - 0.05);
    for (int p = 0; p < 4; ++p) {
        Vec3 aim = vec3_add(at(here, middle[p]), vec3(0, 0, 0.02));
        targets[3 * p] = (float)aim.x;
        targets[3 * p + 1] = (float)aim.y;
        targets[3 * p + 2] = (float)aim.z;
    }
    CHECK(cloth_move_pins(cloth, targets, &status) >= 0);
    steps(cloth, 1);
    cloth_get_state(cloth, there, NULL);
    CHECK_BELOW(vec3_distance(at(there, middle[0]), at(targets, 0)), 1e-7);
    CHECK_BELOW(vec3_distance(at(there, 5), at(targets, 1)), 1e-7);
    cloth_destroy(cloth);
}

/* A table below: what rides lies on it as what is simulated does. */
static void add_table(Cloth *cloth, float height) {
    const float x[] = {-2, -2, height, 2, -2, height, 2, 2, height, -2, 2, height};
    const int32_t sizes[] = {4}, ring[] = {0, 1, 2, 3};
    PolygonMesh table = {.vertex_count = 4,
                         .face_count = 1,
                         .positions = x,
                         .face_sizes = sizes,
                         .face_vertices = ring};
    BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    int body = -1;
    CHECK(cloth_add_body(cloth, &table, &surface, &body, &status) >= 0);
    CHECK_INT(cloth_body_vertex_count(cloth, body), 4);
}

static void test_bodies(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    cloth_prepare(cloth, FRAME, &status);
    add_table(cloth, -0.3f);
    steps(cloth, 12);
    cloth_get_state(cloth, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        CHECK(here[3 * v + 2] > -0.3);
    }
    const float lifted[] = {-2, -2, -0.2f, 2, -2, -0.2f, 2, 2, -0.2f, -2, 2, -0.2f};
    CHECK(cloth_move_body(cloth, 0, lifted, &status) >= 0);
    steps(cloth, 1);
    cloth_hold(cloth, 0, &status); /* a level that has not seen the table move */
    steps(cloth, 1);
    cloth_get_state(cloth, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        CHECK(here[3 * v + 2] > -0.2);
    }
    cloth_remove_body(cloth, 0);
    CHECK_INT(cloth_body_vertex_count(cloth, 0), -1);
    cloth_destroy(cloth);
}

/* A table that has gone around the cloth, on a coarser level. Pins that make the levels anew leave it there: it does
 * not come back through the cloth from where the caller's mesh has met it last. */
static void test_bodies_after_new_pins(void) {
    const float above[] = {-2, -2, 1, 2, -2, 1, 2, 2, 1, -2, 2, 1};
    Cloth *cloth = open_level(1, MIRROR_OFF);
    add_table(cloth, -1);
    cloth_set_forces(cloth, vec3(0, 0, 0), &(Wind){0}, &status);
    cloth_get_state(cloth, here, NULL);
    steps(cloth, 1);
    CHECK(cloth_place_body(cloth, 0, above, &status) >= 0);
    steps(cloth, 1);
    for (int v = 0; v < 6; ++v) { /* one of them is not a vertex of the level */
        CHECK(cloth_set_pins(cloth, 1, &(int32_t){LAST / 2 + v}, NULL, NULL, &status) >= 0);
    }
    CHECK_INT(levels_of(cloth).level_count, 0);
    cloth_hold(cloth, 0, &status);
    CHECK(cloth_move_body(cloth, 0, above, &status) >= 0); /* where it is */
    steps(cloth, 1);
    cloth_get_state(cloth, there, NULL);
    CHECK_BELOW(apart(here, there), 1e-3); /* it bends a little */
    cloth_destroy(cloth);
}

/* Quiet is what lies still and is not touched. */
static void test_quiet(void) {
    const float lifted[] = {-2, -2, 0, 2, -2, 0, 2, 2, 0, -2, 2, 0};
    Cloth *cloth = open_level(1, MIRROR_OFF);
    add_table(cloth, -0.1f);
    steps(cloth, 2);
    CHECK_INT(levels_of(cloth).quiet_steps, 0); /* it falls */
    steps(cloth, 70);
    int quiet = levels_of(cloth).quiet_steps;
    CHECK(quiet > 12);
    cloth_move_body(cloth, 0, (float[]){-2, -2, -0.1f, 2, -2, -0.1f, 2, 2, -0.1f, -2, 2, -0.1f},
                    &status);
    CHECK_INT(levels_of(cloth).quiet_steps, quiet); /* where it is */
    cloth_move_body(cloth, 0, lifted, &status);
    CHECK_INT(levels_of(cloth).quiet_steps, 0);
    cloth_destroy(cloth);
}

/* --- the state ---------------------------------------------------------------------------------- */

static void test_state(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    steps(cloth, 1);
    cloth_get_state(cloth, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        here[3 * v + 2] += 0.01f * (float)(v % 3);
    }
    CHECK(cloth_set_state(cloth, here, NULL, &status) >= 0);
    cloth_get_state(cloth, there, speeds);
    CHECK_BELOW(apart(here, there), 1e-7);
    CHECK_NEAR(speeds[3 * LAST], 0, 1e-12);
    cloth_destroy(cloth);
}

static void test_snapshot(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    cloth_set_pins(cloth, 2, corners, NULL, NULL, &status);
    steps(cloth, 3);
    size_t size = cloth_snapshot_size(cloth);
    unsigned char *bytes = malloc(size);
    cloth_snapshot(cloth, bytes);
    cloth_get_state(cloth, speeds, NULL);
    steps(cloth, 3);
    cloth_get_state(cloth, here, NULL);
    cloth_hold(cloth, 0, &status);
    steps(cloth, 1);
    CHECK_INT(cloth_restore(cloth, bytes, size, &status), STATUS_OK);
    cloth_get_state(cloth, there, NULL);
    CHECK(!memcmp(speeds, there, sizeof there));
    cloth_hold(cloth, 1, &status);
    steps(cloth, 3);
    cloth_get_state(cloth, there, NULL);
    CHECK(!memcmp(here, there, sizeof here));
    CHECK_INT(cloth_restore(cloth, bytes, size - 1, &status), STATUS_ERROR_SNAPSHOT);
    CHECK_INT(cloth_restore(cloth, bytes, 8, &status), STATUS_ERROR_SNAPSHOT);
    const int32_t others[] = {302, 305, 308, 311, 314}; /* not all of them are the level's */
    cloth_set_pins(cloth, 5, others, NULL, NULL, &status);
    steps(cloth, 1);
    CHECK_INT(cloth_restore(cloth, bytes, size, &status), STATUS_ERROR_SNAPSHOT);
    CHECK(strstr(status.message, "other pins"));
    free(bytes);
    cloth_destroy(cloth);
}

static void test_cancel(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    cloth_cancel(cloth); /* before there is a level */
    CHECK_INT(cloth_step(cloth, FRAME, &status), STATUS_ERROR_CANCELLED);
    steps(cloth, 1);
    cloth_cancel(cloth);
    CHECK_INT(cloth_refine(cloth, FRAME, &status), STATUS_ERROR_CANCELLED);
    steps(cloth, 1);
    cloth_destroy(cloth);
}

static void test_memory(void) {
    Cloth *cloth = open_level(1, MIRROR_OFF);
    cloth_set_pins(cloth, 2, corners, NULL, NULL, &status);
    add_table(cloth, -0.2f);
    steps(cloth, 40); /* it lies on the table, as far as it will */
    long long before = memory_taken();
    count_memory(1);
    steps(cloth, 5);
    cloth_get_state(cloth, here, NULL);
    count_memory(0);
    CHECK_INT(memory_taken() - before, 0);
    cloth_destroy(cloth);
}

/* --- mirrored ----------------------------------------------------------------------------------- */

static void test_mirrored(void) {
    Cloth *cloth = open_level(1, MIRROR_EXACT);
    cloth_set_pins(cloth, 2, corners, NULL, NULL, &status);
    steps(cloth, 12);
    MirrorReport report;
    cloth_mirror(cloth, &report);
    CHECK_INT(report.mode, MIRROR_EXACT);
    CHECK(!report.solved_whole && report.half_vertex_count < COUNT / 5);
    cloth_get_state(cloth, here, NULL);
    for (int v = 0; v < COUNT; ++v) {
        Vec3 image = at(here, v - 2 * (v % SIDE) + SIDE - 1);
        image.x = -image.x;
        CHECK_BELOW(vec3_distance(at(here, v), image), 1e-6);
    }
    cloth_destroy(cloth);
}

/* What is refused is told by the caller's numbers, and leaves the cloth where it was. */
static void test_refused_state(void) {
    Cloth *cloth = open_level(1, MIRROR_EXACT);
    steps(cloth, 2);
    cloth_get_state(cloth, here, NULL);
    memcpy(there, here, sizeof there);
    there[3 * LAST + 1] += 0.1f;
    CHECK(cloth_set_state(cloth, there, NULL, &status) < 0);
    CHECK(strstr(status.message, "vertex 1680 ") || strstr(status.message, "vertex 1640 "));
    cloth_get_state(cloth, there, NULL);
    CHECK_BELOW(apart(here, there), 1e-9);
    cloth_destroy(cloth);
}

/* --- refining ----------------------------------------------------------------------------------- */

static void refine(Cloth *cloth) {
    for (int calls = 0; calls < 500 && !levels_of(cloth).settled; ++calls) {
        CHECK(cloth_refine(cloth, FRAME, &status) >= 0);
    }
    CHECK(levels_of(cloth).settled && levels_of(cloth).level == 0);
}

/* Held at its corners it ends where the sheet itself ends; a step then goes on from there, on its level. */
static void test_refine(void) {
    Cloth *fine = open_level(0, MIRROR_OFF), *cloth = open_level(1, MIRROR_OFF);
    Cloth *all[] = {fine, cloth};
    for (int l = 0; l < 2; ++l) {
        cloth_set_pins(all[l], 4, corners, NULL, NULL, &status);
        steps(all[l], 72);
    }
    cloth_get_state(fine, here, NULL);
    refine(cloth);
    cloth_get_state(cloth, there, NULL);
    CHECK_BELOW(apart(here, there), 0.03);
    cloth_set_quality(cloth, QUALITY_FINAL); /* may end elsewhere */
    CHECK(!levels_of(cloth).settled);
    refine(cloth);
    cloth_set_iterations(cloth, 2, 3);
    CHECK(!levels_of(cloth).settled);
    cloth_set_quality(cloth, QUALITY_FIT);
    refine(cloth);
    steps(cloth, 1);
    CHECK_INT(levels_of(cloth).level, 1);
    CHECK(!levels_of(cloth).settled);
    cloth_get_state(cloth, here, NULL);
    CHECK_BELOW(apart(here, there), 0.01);
    cloth_destroy(fine);
    cloth_destroy(cloth);
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
        Cloth *cloth = open_sheet(1e-9, MIRROR_OFF);
        cloth_set_quality(cloth, asked[k]);
        CHECK(cloth_set_materials(cloth, &stiff, &status) >= 0);
        CHECK(cloth_set_pins(cloth, 4, corners, NULL, NULL, &status) >= 0);
        steps(cloth, 1);
        int level = levels_of(cloth).level;
        CHECK(level > 0 && cloth_hold(cloth, held ? level : -1, &status) >= 0);
        steps(cloth, 6);
        CHECK_INT(levels_of(cloth).level, level);
        cloth_get_state(cloth, found[k], NULL);
        cloth_destroy(cloth);
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
