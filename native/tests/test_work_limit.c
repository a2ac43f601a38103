/* Cloth with more to touch than anybody can wait for: searches end, the same of them is done on any number of threads, the
 * step says so, and cloth that has its senses never notices. */
#include <stdlib.h>
#include <string.h>

#include "given.h"
#include "rig.h"
#include "self_scene.h"

#define STEP (1.0 / 24)
#define SIDE 32
#define COUNT (SIDE * SIDE)
#define KNOT 0.006 /* m */
#define FRAMES 1

static Simulation *sheet_of(Quality quality, int threads) {
    Status status = {0};
    SimulationOptions options = plain_options();
    BodySurface self = {.thickness = 0.004, .friction = 0.3};
    TestMesh *grid = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, 0.5);
    options.threads = threads;
    options.solving.quality = quality;
    Simulation *simulation = simulation_create(&grid->polygons, &options, &status);
    CHECK(simulation != NULL);
    CHECK_INT(give_self_contact(simulation, &self, &status), STATUS_OK);
    mesh_free(grid);
    return simulation;
}

static Simulation *sheet(int threads) { return sheet_of(QUALITY_CUSTOM, threads); }

/* All of a sheet in a thimble, where everything is near everything. */
static void step_knot(int threads, float *positions) {
    Status status = {0};
    Simulation *simulation = sheet(threads);
    random_start(3);
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] = (float)random_between(-KNOT, KNOT);
    }
    simulation_place(simulation, positions, NULL);
    int curtailed = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        curtailed += simulation_step_report(simulation).contact->curtailed;
    }
    CHECK(curtailed > 0);
    for (int v = 0; v < COUNT; ++v) {
        CHECK(vec3_is_finite(simulation_positions(simulation)[v]));
    }
    simulation_copy_state(simulation, positions, NULL);
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
        CHECK_INT(simulation_step_report(simulation).contact->curtailed, 0);
    }
    simulation_destroy(simulation);
}

#define GROUND 61 /* vertices a side */
#define WIDE 20.0 /* m, as far as the flight */

/* A sheet that flies along all of a floor of 7,200 triangles and through it, at this part of 480 m/s: every vertex has
 * triangles beside its way. Returns the substeps that were cut short. */
static int fly_over_ground(double part, int threads, float *positions) {
    Status status = {0};
    static float velocities[3 * COUNT];
    Simulation *simulation = sheet_of(QUALITY_FIT, threads);
    BodySurface surface = {.thickness = 0.002, .friction = 0.3};
    TestMesh *ground = mesh_grid(GRID_ALTERNATING, GROUND, GROUND, WIDE);
    CHECK_INT(give_body(simulation, 0, &ground->polygons, &surface, &status), STATUS_OK);
    mesh_free(ground);
    simulation_copy_state(simulation, positions, velocities);
    for (int i = 0; i < COUNT; ++i) {
        positions[3 * i + 2] = 0.5F;
        velocities[3 * i] = velocities[3 * i + 1] = (float)(part * WIDE / STEP);
        velocities[3 * i + 2] = (float)(part * -2 / STEP);
    }
    simulation_place(simulation, positions, velocities);
    CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
    SimulationReport report;
    simulation_describe(simulation, &report);
    int curtailed = simulation_step_report(simulation).contact->curtailed;
    /* among so many that it leaves out there is nothing to converge to */
    CHECK(curtailed == 0 || report.iterations <= 8);
    simulation_copy_state(simulation, positions, NULL);
    simulation_destroy(simulation);
    return curtailed;
}

/* The ways of vertices that fly are followed so far and no further; at any speed that cloth has they are followed whole. */
static void check_flight(void) {
    static float one[3 * COUNT], two[3 * COUNT];
    CHECK(fly_over_ground(1.0, 1, one) > 0);
    CHECK(fly_over_ground(1.0, 2, two) > 0);
    CHECK(memcmp(one, two, sizeof one) == 0);
    CHECK_INT(fly_over_ground(0.02, 2, two), 0);
}

/* A search lists a part of what it finds otherwise; none that is cancelled. */
static void check_search(void) {
    Scene *scene = scene_open(two_sheets(20, 0.2, 0.003), 2);
    WorkLimit *limit = &scene->self.pairs.work_limit;
    find(scene, 0.004, 0.001);
    int all = scene->self.pairs.count;
    CHECK(all > 0);
    CHECK_INT(limit->curtailed, 0);
    int64_t taken = WORK_UNLIMITED - limit->left;
    work_limit_reset(limit, NULL, taken + 1); /* what it takes is enough */
    find(scene, 0.004, 0.001);
    CHECK_INT(scene->self.pairs.count, all);
    CHECK_INT(limit->curtailed, 0);
    atomic_int cancelled = 1;
    work_limit_reset(limit, &cancelled, WORK_UNLIMITED);
    find(scene, 0.004, 0.001);
    CHECK_INT(scene->self.pairs.count, 0);
    CHECK(limit->curtailed > 0);
    scene_close(scene);
}

/* One slice that is denser than all others ends early as long as they may need their shares, and has what they left after
 * that; where nothing is left, or no slice ended, nothing is searched again. */
static void check_uneven(void) {
    enum { SLICES = 1000 };
    WorkLimit limit = {0};
    work_limit_reset(&limit, NULL, 1000 * WORK_LEAST);
    WorkShare share = work_limit_share(&limit, SLICES), slices[SLICES];
    for (int s = 0; s < SLICES; ++s) {
        slices[s] = share;
        CHECK(work_share_take(&slices[s], WORK_LEAST / 10));
    }
    CHECK(!work_limit_widen(&limit, &share, slices, sizeof *slices, SLICES));
    CHECK(!work_share_take(&slices[7], 100 * WORK_LEAST));
    CHECK(work_limit_widen(&limit, &share, slices, sizeof *slices, SLICES));
    slices[7] = share;
    CHECK(work_share_take(&slices[7], 100 * WORK_LEAST + WORK_LEAST / 10));
    for (int s = 0; s < SLICES; ++s) {
        work_limit_spend(&limit, &slices[s]);
    }
    CHECK_INT(limit.curtailed, 0);
    CHECK(limit.left > 0);
    CHECK(!work_share_take(&slices[7], 1000 * WORK_LEAST));
    limit.left = 0;
    CHECK(!work_limit_widen(&limit, &share, slices, sizeof *slices, SLICES));
}

int main(void) {
    check_search();
    check_uneven();
    check_sound();
    check_knot();
    check_flight();
    return check_result();
}
