/* What no substep leaves behind: a cloth that a solver throws apart is caught before it is far, one that a shorter step keeps
 * together goes on, and no contact tears edges: limp ones to no more than three times their length, others to no more than 1.6
 * times. */
#include <math.h>

#include "check.h"
#include "geometry/box.h"
#include "given.h"
#include "meshes.h"
#include "rig.h"

#define STEP (1.0 / 24)
#define SIDE 12
#define COUNT (SIDE * SIDE)
#define WIDTH 0.4 /* m */

static Simulation *sheet(const SimulationOptions *options) {
    Status status = {0};
    TestMesh *grid = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, WIDTH);
    Simulation *simulation = simulation_create(&grid->polygons, options, &status);
    CHECK(simulation != NULL);
    mesh_free(grid);
    return simulation;
}

static double farthest(const Simulation *simulation) {
    double most = 0;
    for (int v = 0; v < COUNT; ++v) {
        most = fmax(most, vec3_length(simulation_positions(simulation)[v]));
    }
    return most;
}

/* Symplectic Euler is stable where a step is shorter than 2 sqrt(m/k); here it is not by far, or by little. */
static void check_thrown(double stretch, bool ends) {
    Status status = {0};
    SimulationOptions options = plain_options();
    options.solver = SOLVER_SWEEP;
    options.solving.sweep_method = SWEEP_SYMPLECTIC;
    options.solving.sweeps = 1;
    options.system.model = MODEL_EDGE;
    options.gravity = vec3(0, 0, 0);
    options.materials[0].stretch_warp = options.materials[0].stretch_weft = stretch;
    options.materials[0].shear = 0.3 * stretch;
    Simulation *simulation = sheet(&options);
    float positions[3 * COUNT];
    simulation_copy_state(simulation, positions, NULL);
    random_start(11);
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] *= (float)random_between(0.95, 1.05);
    }
    simulation_place(simulation, positions, NULL);
    StatusCode code = STATUS_OK;
    int retried = 0;
    for (int frame = 0; frame < 24 && code == STATUS_OK; ++frame) {
        code = simulation_step(simulation, STEP, &status);
        retried += simulation_step_report(simulation).retried;
        CHECK(farthest(simulation) < 20 * WIDTH);
    }
    CHECK_INT(code, ends ? STATUS_ERROR_DIVERGED : STATUS_OK);
    CHECK(retried > 0);
    simulation_destroy(simulation);
}

/* A method that some cloth explodes with ends in an error, or the cloth stays about as large as it is: however much larger it
 * has become, no substep may make it larger still. */
static void check_exploding(double stretch, double damping) {
    Status status = {0};
    SimulationOptions options = plain_options();
    options.solver = SOLVER_SWEEP;
    options.solving.sweep_method = SWEEP_KANG2;
    options.solving.sweeps = 10;
    options.gravity = vec3(0, 0, -9.81);
    options.substeps = 10;
    options.system.model = MODEL_TRIANGLE;
    options.materials[0].stretch_warp = options.materials[0].stretch_weft = stretch;
    options.materials[0].shear = 0.3 * stretch;
    options.materials[0].stiffness_damping = damping;
    Simulation *simulation = sheet(&options);
    float positions[3 * COUNT];
    simulation_copy_state(simulation, positions, NULL);
    random_start(11);
    for (int i = 0; i < 3 * COUNT; ++i) {
        positions[i] *= (float)random_between(0.99, 1.01);
    }
    simulation_place(simulation, positions, NULL);
    const int32_t corners[2] = {0, SIDE - 1};
    CHECK_INT(give_pins(simulation, 2, corners, NULL, NULL, &status), STATUS_OK);
    StatusCode code = STATUS_OK;
    for (int frame = 0; frame < 12 && code == STATUS_OK; ++frame) {
        code = simulation_step(simulation, STEP, &status);
        Box box = box_of_points(simulation_positions(simulation), COUNT);
        CHECK(vec3_distance(box.low, box.high) < 5 * WIDTH);
    }
    CHECK(code == STATUS_OK || code == STATUS_ERROR_DIVERGED);
    simulation_destroy(simulation);
}

static void add_box(Simulation *simulation, int number, double from, double to) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    TestMesh *mesh = mesh_new();
    BodySurface surface = {.thickness = 0.004, .friction = 1};
    Status status = {0};
    for (int i = 0; i < 8; ++i) {
        mesh_add_vertex(mesh, i & 1 ? to : from, i & 2 ? WIDTH : -0.1 * WIDTH,
                        i & 4 ? -0.01 : -0.5);
    }
    for (int f = 0; f < 6; ++f) {
        mesh_add_face(mesh, 4, faces[f]);
    }
    CHECK_INT(give_body(simulation, number, &mesh->polygons, &surface, &status), STATUS_OK);
    mesh_free(mesh);
}

/* The largest length over that at rest. */
static double stretch_of(const Simulation *simulation) {
    double most = 0, step = WIDTH / (SIDE - 1);
    const Vec3 *x = simulation_positions(simulation);
    for (int v = 0; v < COUNT; ++v) {
        if (v % SIDE + 1 < SIDE) {
            most = fmax(most, vec3_distance(x[v], x[v + 1]) / step);
        }
        if (v + SIDE < COUNT) {
            most = fmax(most, vec3_distance(x[v], x[v + SIDE]) / step);
        }
    }
    return most;
}

/* Cloth lies on two boxes, of which one is torn away upwards. */
static void check_torn(double stretch, double most) {
    Status status = {0};
    SimulationOptions options = plain_options();
    options.materials[0].stretch_warp = options.materials[0].stretch_weft = stretch;
    options.materials[0].shear = 0.2 * stretch;
    options.substeps = 2; /* as many as the motion asks for would not tear it */
    Simulation *simulation = sheet(&options);
    add_box(simulation, 0, -0.1, 0.17);
    int mended = 0, repeated = 0;
    add_box(simulation, 1, 0.2, 0.6);
    float places[24];
    for (int frame = 1; frame <= 6; ++frame) {
        for (int i = 0; i < 8; ++i) { /* by 24 m/s */
            places[3 * i] = i & 1 ? 0.6F : 0.2F;
            places[3 * i + 1] = (float)(i & 2 ? WIDTH : -0.1 * WIDTH);
            places[3 * i + 2] = (float)(i & 4 ? -0.01 : -0.5) + (float)frame;
        }
        lead_body(simulation, 1, places);
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        StepReport report = simulation_step_report(simulation);
        mended += report.mended;
        repeated += report.reason == SUBSTEPS_REPEATED;
        CHECK(stretch_of(simulation) < most);
    }
    CHECK(mended + repeated > 0); /* more substeps may do without */
    simulation_destroy(simulation);
}

int main(void) {
    check_thrown(30, false);
    check_thrown(3e4, true);
    check_exploding(1e2, 0.01);
    check_exploding(1e3, 0);
    check_exploding(1e4, 0.01);
    check_torn(0.05, 2.951);
    check_torn(8, 1.551);
    return check_result();
}
