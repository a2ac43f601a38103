/* Cloth with more to touch than anybody can wait for: searches end, the same of them is done on any number of threads, the
 * step says so, and cloth that has its senses never notices. */
#include <stdlib.h>
#include <string.h>

#include "plain_options.h"
#include "self_scene.h"

#define STEP (1.0 / 24)
#define SIDE 32
#define COUNT (SIDE * SIDE)
#define KNOT 0.006 /* m */
#define FRAMES 1

static Simulation *sheet(int threads) {
    Status status = {0};
    SimulationOptions options = plain_options();
    BodySurface self = {.thickness = 0.004, .friction = 0.3};
    TestMesh *grid = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, 0.5);
    options.threads = threads;
    Simulation *simulation = simulation_create(&grid->polygons, &options, &status);
    CHECK(simulation != NULL);
    CHECK_INT(simulation_set_self_contact(simulation, &self, &status), STATUS_OK);
    mesh_free(grid);
    return simulation;
}

/* All of a sheet in a thimble, where everything is near everything. */
static void step_knot(int threads, float *positions) {
    Status status = {0};
    Simulation *simulation = sheet(threads);
    random_start(3);
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] = (float)random_between(-KNOT, KNOT);
    }
    simulation_set_state(simulation, positions, NULL);
    int curtailed = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        curtailed += simulation_contacts(simulation)->curtailed;
    }
    CHECK(curtailed > 0);
    for (int v = 0; v < COUNT; ++v) {
        CHECK(vec3_is_finite(simulation_positions(simulation)[v]));
    }
    simulation_get_state(simulation, positions, NULL);
    simulation_destroy(simulation);
}

static void check_knot(void) {
    static float one[3 * COUNT], two[3 * COUNT];
    step_knot(1, one);
    step_knot(2, two);
    CHECK(memcmp(one, two, sizeof one) == 0);
}

static void check_sound(void) {
    Status status = {0};
    Simulation *simulation = sheet(2);
    for (int frame = 0; frame < FRAMES; ++frame) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        CHECK_INT(simulation_contacts(simulation)->curtailed, 0);
    }
    simulation_destroy(simulation);
}

/* A search lists a part of what it finds otherwise; none that is cancelled. */
static void check_search(void) {
    Scene *scene = scene_open(two_sheets(20, 0.2, 0.003), 2);
    Effort *effort = &scene->self.pairs.effort;
    find(scene, 0.004, 0.001);
    int all = scene->self.pairs.count;
    CHECK(all > 0);
    CHECK_INT(effort->curtailed, 0);
    int64_t taken = EFFORT_ENDLESS - effort->left;
    effort_fill(effort, NULL, taken + 1); /* what it takes is enough */
    find(scene, 0.004, 0.001);
    CHECK_INT(scene->self.pairs.count, all);
    CHECK_INT(effort->curtailed, 0);
    atomic_int cancelled = 1;
    effort_fill(effort, &cancelled, EFFORT_ENDLESS);
    find(scene, 0.004, 0.001);
    CHECK_INT(scene->self.pairs.count, 0);
    CHECK(effort->curtailed > 0);
    scene_close(scene);
}

int main(void) {
    check_search();
    check_sound();
    check_knot();
    return check_result();
}
