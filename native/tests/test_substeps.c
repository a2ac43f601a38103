/* How many substeps a step takes by itself, and that another number than before costs neither motion nor a factor. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "given.h"
#include "meshes.h"
#include "rig.h"

#define STEP (1.0 / 24)
#define SIDE 12
#define COUNT (SIDE * SIDE)
#define WIDTH 0.4 /* m */
#define BOX 8     /* vertices */

static Simulation *sheet(const SimulationOptions *options) {
    Status status = {0};
    TestMesh *grid = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, WIDTH);
    Simulation *simulation = simulation_create(&grid->polygons, options, &status);
    CHECK(simulation != NULL);
    mesh_free(grid);
    return simulation;
}

static SimulationOptions automatic(void) {
    SimulationOptions options = plain_options();
    options.substeps = 0;
    options.integrator = INTEGRATOR_AUTO;
    options.solving.quality = QUALITY_FIT;
    return options;
}

/* The sheet's first row. */
static void pin_row(Simulation *simulation, float lift) {
    int32_t vertices[SIDE];
    float targets[3 * SIDE], *positions = malloc(3 * COUNT * sizeof *positions);
    Status status = {0};
    simulation_copy_state(simulation, positions, NULL);
    for (int v = 0; v < SIDE; ++v) {
        vertices[v] = v;
        memcpy(targets + 3 * v, positions + 3 * v, 3 * sizeof(float));
        targets[3 * v + 2] += lift;
    }
    CHECK_INT(give_pins(simulation, SIDE, vertices, NULL, targets, &status), STATUS_OK);
    free(positions);
}

static StepReport step_once(Simulation *simulation, double seconds) {
    Status status = {0};
    CHECK_INT(simulation_step(simulation, seconds, &status), STATUS_OK);
    return simulation_step_report(simulation);
}

static void set_substeps(Simulation *simulation, int count) {
    const Inputs inputs = {.substeps = count};
    Status status = {0};
    CHECK_INT(simulation_set_inputs(simulation, &inputs, INPUT_SUBSTEPS, &status), STATUS_OK);
}

static int factor_count(const Simulation *simulation) {
    SimulationReport report;
    simulation_describe(simulation, &report);
    return report.factor.factor_count;
}

/* --- how many ------------------------------------------------------------------------------------- */

static void check_base(void) {
    static const struct {
        double rate;
        int count;
    } cases[] = {{12, 4}, {24, 2}, {25, 2}, {30, 2}, {60, 1}, {240, 1}, {0.1, 16}};
    for (int c = 0; c < (int)(sizeof cases / sizeof *cases); ++c) {
        SimulationOptions options = automatic();
        Simulation *simulation = sheet(&options);
        pin_row(simulation, 0);
        StepReport report = step_once(simulation, 1 / cases[c].rate);
        CHECK_INT(report.substeps, cases[c].count);
        CHECK_INT((int)report.reason, SUBSTEPS_BASE);
        simulation_destroy(simulation);
    }
    SimulationOptions options = automatic();
    options.substeps = 3;
    Simulation *simulation = sheet(&options);
    StepReport report = step_once(simulation, STEP);
    CHECK_INT(report.substeps, 3);
    CHECK_INT((int)report.reason, SUBSTEPS_FIXED);
    simulation_destroy(simulation);
}

/* Just above or below the sheet, which lies at z = 0; wider than it. */
static void box_at(Vec3 offset, float places[3 * BOX]) {
    for (int i = 0; i < BOX; ++i) {
        Vec3 at =
            vec3(i & 1 ? WIDTH + 0.1 : -0.1, i & 2 ? WIDTH + 0.1 : -0.1, i & 4 ? -0.01 : -0.2);
        set_vector(places, i, vec3_add(at, offset));
    }
}

static void add_box(Simulation *simulation, Vec3 offset) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    TestMesh *mesh = mesh_new();
    BodySurface surface = {.thickness = 0.004, .friction = 0.5};
    Status status = {0};
    float places[3 * BOX];
    box_at(offset, places);
    for (int i = 0; i < BOX; ++i) {
        mesh_add_vertex(mesh, places[3 * i], places[3 * i + 1], places[3 * i + 2]);
    }
    for (int f = 0; f < 6; ++f) {
        mesh_add_face(mesh, 4, faces[f]);
    }
    CHECK_INT(give_body(simulation, 0, &mesh->polygons, &surface, &status), STATUS_OK);
    mesh_free(mesh);
}

static void lead_box(Simulation *simulation, Vec3 offset) {
    float places[3 * BOX];
    box_at(offset, places);
    lead_body(simulation, 0, places);
}

/* All of the cloth goes by this much in a step. */
static void push_cloth(Simulation *simulation, Vec3 way) {
    float *state = malloc(6 * COUNT * sizeof *state);
    simulation_copy_state(simulation, state, state + 3 * COUNT);
    for (int v = 0; v < COUNT; ++v) {
        set_vector(state + 3 * COUNT, v, vec3_scale(1 / STEP, way));
    }
    simulation_place(simulation, state, state + 3 * COUNT);
    free(state);
}

/* One step with the box going one way and the cloth another. */
static StepReport step_past(Vec3 offset, Vec3 box, Vec3 cloth) {
    SimulationOptions options = automatic();
    options.gravity = vec3(0, 0, 0);
    Simulation *simulation = sheet(&options);
    add_box(simulation, offset);
    push_cloth(simulation, cloth);
    lead_box(simulation, vec3_add(offset, box));
    StepReport report = step_once(simulation, STEP);
    simulation_destroy(simulation);
    return report;
}

/* A substep may pass half of 4 mm and a mean edge of 40 mm: the sides, and the diagonals of half of them. */
static void check_bodies(void) {
    Vec3 here = vec3(0, 0, 0), fast = vec3(0, 0, 0.1), along = vec3(0.3, 0, 0);
    StepReport report = step_past(here, vec3(0, 0, 0.01), here);
    CHECK_INT(report.substeps, 2);
    CHECK_INT((int)report.reason, SUBSTEPS_BASE);
    report = step_past(here, fast, here);
    CHECK_INT(report.substeps, 8);
    CHECK_INT((int)report.reason, SUBSTEPS_BODY);
    report = step_past(vec3(0, 0, 0.008), along, here);
    CHECK_INT(report.substeps, 16);
    report = step_past(here, here, vec3(0, 0, -0.1)); /* the cloth goes against it */
    CHECK_INT(report.substeps, 8);
    report = step_past(here, fast, fast); /* with the cloth */
    CHECK_INT(report.substeps, 2);
    report = step_past(vec3(0, 0, 0.008), along, along);
    CHECK_INT(report.substeps, 2);
    report = step_past(vec3(0, 0, -0.5), fast, here); /* far away */
    CHECK_INT(report.substeps, 2);
    CHECK_INT((int)report.reason, SUBSTEPS_BASE);
}

static void check_pins(void) {
    SimulationOptions options = automatic();
    Simulation *simulation = sheet(&options);
    pin_row(simulation, 0.01f);
    CHECK_INT(step_once(simulation, STEP).substeps, 2);
    pin_row(simulation, 0.2f);
    StepReport report = step_once(simulation, STEP);
    CHECK_INT(report.substeps, 8);
    CHECK_INT((int)report.reason, SUBSTEPS_PINS);
    simulation_destroy(simulation);
}

/* A cloth that has to keep to a time goes no further than twice the least. */
static void check_budget(void) {
    SimulationOptions options = automatic();
    Simulation *simulation = sheet(&options);
    const Inputs inputs = {.budget = 0.04};
    Status status = {0};
    CHECK_INT(simulation_set_inputs(simulation, &inputs, INPUT_BUDGET, &status), STATUS_OK);
    pin_row(simulation, 0.2f);
    CHECK_INT(step_once(simulation, STEP).substeps, 4);
    simulation_destroy(simulation);
}

/* --- from one number to another --------------------------------------------------------------------- */

static double energy_of(Simulation *simulation) {
    SimulationMeasure measure;
    simulation_strain_and_energy(simulation, &measure);
    return measure.kinetic_energy + measure.elastic_energy + measure.gravity_energy;
}

/* Energy that a sheet has lost that swings from its first row for two seconds, over what it had, with these numbers of
 * substeps in turn. */
static double swing_loss(int even, int odd) {
    SimulationOptions options = automatic();
    options.wind = (Wind){0};
    Simulation *simulation = sheet(&options);
    pin_row(simulation, 0);
    double start = energy_of(simulation), lowest = start;
    for (int frame = 0; frame < 48; ++frame) {
        set_substeps(simulation, frame % 2 ? odd : even);
        step_once(simulation, STEP);
        SimulationMeasure measure;
        simulation_strain_and_energy(simulation, &measure);
        lowest = fmin(lowest, measure.gravity_energy);
    }
    double loss = (start - energy_of(simulation)) / (start - lowest);
    int factors = factor_count(simulation);
    printf("substeps %d, %d: %.4f of the swing lost, %d factors\n", even, odd, loss, factors);
    simulation_destroy(simulation);
    return loss;
}

static void check_swing(void) {
    double two = swing_loss(2, 2), four = swing_loss(4, 4), both = swing_loss(2, 4);
    CHECK(both < fmax(two, four) + 0.02);
}

static void check_factors(void) {
    static const int counts[] = {2, 4, 8, 2, 8, 4, 1, 16, 2, 4, 1, 16, 8};
    SimulationOptions options = automatic();
    options.integrator = INTEGRATOR_EULER;
    Simulation *simulation = sheet(&options);
    pin_row(simulation, 0);
    for (int k = 0; k < (int)(sizeof counts / sizeof *counts); ++k) {
        set_substeps(simulation, counts[k]);
        step_once(simulation, STEP);
    }
    CHECK_INT(factor_count(simulation), 5);
    set_substeps(simulation,
                 3); /* a sixth length takes the place of the one that was not used for longest */
    step_once(simulation, STEP);
    set_substeps(simulation, 8);
    step_once(simulation, STEP);
    CHECK_INT(factor_count(simulation), 6);
    set_substeps(simulation, 2);
    step_once(simulation, STEP);
    CHECK_INT(factor_count(simulation), 7);
    Material material = options.materials[0]; /* all are out of date */
    material.stretch_warp *= 2;
    const Inputs inputs = {.materials = &material};
    Status status = {0};
    CHECK_INT(simulation_set_inputs(simulation, &inputs, INPUT_MATERIALS, &status), STATUS_OK);
    step_once(simulation, STEP);
    set_substeps(simulation, 8);
    step_once(simulation, STEP);
    CHECK_INT(factor_count(simulation), 9);
    simulation_destroy(simulation);
}

/* Fewer pins: a factor of another length that still has them is not used. */
static void check_pins_of_factors(void) {
    SimulationOptions options = automatic();
    float found[3 * COUNT] = {0}, wanted[3 * COUNT] = {0};
    for (int once = 0; once < 2; ++once) {
        Simulation *simulation = sheet(&options);
        pin_row(simulation, 0);
        if (!once) {
            set_substeps(simulation, 4);
            Status status = {0};
            CHECK_INT(simulation_prepare(simulation, STEP, &status), STATUS_OK);
        }
        set_substeps(simulation, 2);
        step_once(simulation, STEP);
        const int32_t pins[2] = {0, SIDE - 1};
        Status status = {0};
        CHECK_INT(give_pins(simulation, 2, pins, NULL, NULL, &status), STATUS_OK);
        set_substeps(simulation, 4);
        step_once(simulation, STEP);
        simulation_copy_state(simulation, once ? wanted : found, NULL);
        simulation_destroy(simulation);
    }
    CHECK(memcmp(found, wanted, sizeof found) == 0);
}

/* --- the same ----------------------------------------------------------------------------------------- */

#define FRAMES 14

/* A box that strikes the cloth again and again, with another speed each time; where frame `resumed` begins the state goes through
 * a snapshot into another simulation. Returns the numbers of substeps of all frames, added up with weights. */
static double strike(int threads, int resumed, float positions[3 * COUNT]) {
    SimulationOptions options = automatic();
    options.threads = threads;
    Simulation *simulation = sheet(&options);
    pin_row(simulation, 0);
    Vec3 offset = vec3(0, 0, -0.03);
    add_box(simulation, offset);
    double counts = 0;
    for (int frame = 0; frame < FRAMES; ++frame) {
        if (frame == resumed) {
            Status status = {0};
            size_t size = simulation_state_bytes(simulation);
            void *bytes = malloc(size);
            simulation_write_state(simulation, bytes);
            simulation_destroy(simulation);
            simulation = sheet(&options);
            pin_row(simulation, 0);
            add_box(simulation, offset);
            CHECK_INT(simulation_prepare(simulation, STEP, &status), STATUS_OK);
            CHECK_INT(simulation_read_state(simulation, bytes, size, &status), STATUS_OK);
            free(bytes);
        }
        offset.z = -0.03 + 0.03 * frame * sin(0.9 * frame);
        lead_box(simulation, offset);
        StepReport report = step_once(simulation, STEP);
        counts = 1.5 * counts + report.substeps;
    }
    simulation_copy_state(simulation, positions, NULL);
    simulation_destroy(simulation);
    return counts;
}

static void check_same(void) {
    float one[3 * COUNT], other[3 * COUNT];
    double counts = strike(1, -1, one);
    printf("counts %g\n", counts);
    for (int threads = 2; threads <= 3; ++threads) {
        CHECK_NEAR(strike(threads, -1, other), counts, 0);
        CHECK(memcmp(one, other, sizeof one) == 0);
    }
    for (int frame = 2; frame < FRAMES; frame += 3) {
        CHECK_NEAR(strike(1, frame, other), counts, 0);
        CHECK(memcmp(one, other, sizeof one) == 0);
    }
}

/* --- repeated ------------------------------------------------------------------------------------------ */

static Simulation *explicit_sheet(int substeps) {
    SimulationOptions options = plain_options();
    options.substeps = substeps;
    options.solver = SOLVER_SWEEP;
    options.solving.sweep_method = SWEEP_SYMPLECTIC;
    options.solving.sweeps = 1;
    options.system.model = MODEL_EDGE;
    options.materials[0].stretch_warp = options.materials[0].stretch_weft = 30;
    options.materials[0].shear = 9;
    Simulation *simulation = sheet(&options);
    float positions[3 * COUNT];
    simulation_copy_state(simulation, positions, NULL);
    random_start(11);
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] *= (float)random_between(0.95, 1.05);
    }
    simulation_place(simulation, positions, NULL);
    add_box(simulation, vec3(0, 0, -0.1));
    return simulation;
}

/* A frame that diverges and is repeated is as if it had had more substeps from the start, with a body that moves. */
static void check_repeated(void) {
    Simulation *simulation = explicit_sheet(2), *other = explicit_sheet(2);
    float one[6 * COUNT], two[6 * COUNT];
    int repeated = 0;
    for (int frame = 0; frame < 24 && repeated < 3; ++frame) {
        Vec3 offset = vec3(0, 0, -0.1 + 0.002 * frame);
        size_t size = simulation_state_bytes(simulation);
        void *bytes = malloc(size);
        simulation_write_state(simulation, bytes);
        lead_box(simulation, offset);
        StepReport report = step_once(simulation, STEP);
        if (report.retried > 0) {
            Status status = {0};
            CHECK_INT((int)report.reason, SUBSTEPS_REPEATED);
            CHECK(report.substeps == 8 || report.substeps == 32);
            CHECK_INT(simulation_read_state(other, bytes, size, &status), STATUS_OK);
            set_substeps(other, report.substeps);
        }
        lead_box(other, offset);
        CHECK_INT(step_once(other, STEP).retried, 0);
        set_substeps(other, 2);
        simulation_copy_state(simulation, one, one + 3 * COUNT);
        simulation_copy_state(other, two, two + 3 * COUNT);
        CHECK(memcmp(one, two, sizeof one) == 0);
        repeated += report.retried > 0;
        free(bytes);
    }
    CHECK(repeated > 0);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

int main(void) {
    check_base();
    check_bodies();
    check_pins();
    check_budget();
    check_factors();
    check_pins_of_factors();
    check_swing();
    check_same();
    check_repeated();
    return check_result();
}
