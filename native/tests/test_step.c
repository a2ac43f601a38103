/* What a step promises besides its result: it takes no memory, gives the same bytes for any number of
 * threads and after a restored snapshot, can be cancelled at a substep, and never leaves the finite
 * numbers behind. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "given.h"
#include "memory_counter.h"
#include "meshes.h"
#include "simulation/simulation.h"

#define STEP (1.0 / 24)
#define MOST 2000
/* Columns of a cloth: enough vertices for several chunks of the pool, and of one where threads do not matter. */
#define LARGE 36
#define SMALL 16

/* --- cloths ----------------------------------------------------------------------------------- */

static SimulationOptions options_of(SolverKind solver, ModelKind model, EstimateKind estimate,
                                    int order, int threads) {
    static const double translation[2][4] = {{2, -1}, {2.5, -2, 0.5}};
    static const double rotation[2][4] = {{1}, {2, -1}};
    SimulationOptions options = {
        .system = {.model = model, .keep_folds = 1},
        .mesh = {.uv_scale = 1},
        .solver = solver,
        .solving = {.estimate = estimate,
                    .coefficient_count = estimate == ESTIMATE_TRANSLATION ? order + 1 : order,
                    .iterations = 2,
                    .pcg_tolerance = 1e-3,
                    .pcg_limit = 1000},
        .substeps = 2,
        .threads = threads,
        .materials[0] = {.density = 0.2,
                         .stretch_warp = 2000,
                         .stretch_weft = 1500,
                         .shear = 600,
                         .bend = 2e-5,
                         .bend_weft = 1,
                         .bend_twist = 1,
                         .rope_density = 0.01,
                         .rope_stretch = 500,
                         .stiffness_damping = 1e-3,
                         .pin_stiffness = 2000},
        .gravity = {0, 0, -9.81},
        .wind = {{1, 2, 0}, 0.5, 0.05},
    };
    const double *from =
        estimate == ESTIMATE_TRANSLATION ? translation[order - 1] : rotation[order - 1];
    memcpy(options.solving.coefficients, from, sizeof options.solving.coefficients);
    return options;
}

static int soft_pin(int columns) { return columns * ((columns - 4) / 2) + columns * 2 / 3; }

/* With a soft pin, a rope and an isolated vertex. */
static Simulation *open_cloth(const SimulationOptions *options, int columns) {
    random_start(1);
    TestMesh *mesh = mesh_grid(GRID_MIXED, columns, columns - 4, 1.0);
    mesh_crumple(mesh, 0.05);
    int end = mesh_add_vertex(mesh, 0, 0, -0.2);
    mesh_add_edge(mesh, 0, end);
    mesh_add_vertex(mesh, 3, 3, 3);
    Status status;
    Simulation *simulation = simulation_create(&mesh->polygons, options, &status);
    mesh_free(mesh);
    CHECK(simulation != NULL);
    const int32_t pins[3] = {0, columns - 1, soft_pin(columns)};
    const float weights[3] = {1, 1, 0.5f};
    CHECK_INT(give_pins(simulation, 3, pins, weights, NULL, &status), STATUS_OK);
    return simulation;
}

static int vertices_of(const Simulation *simulation) {
    SimulationReport report;
    simulation_describe(simulation, &report);
    return report.vertex_count;
}

static void step_some(Simulation *simulation, int count) {
    Status status;
    for (int i = 0; i < count; ++i) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
    }
}

typedef struct State {
    size_t size;
    unsigned char *bytes;
} State;

static State state_of(Simulation *simulation) {
    State state = {simulation_state_bytes(simulation), malloc(simulation_state_bytes(simulation))};
    simulation_write_state(simulation, state.bytes);
    return state;
}

static bool same_state(State p, State q) {
    return p.size == q.size && memcmp(p.bytes, q.bytes, p.size) == 0;
}

/* --- checks ----------------------------------------------------------------------------------- */

static void check_memory(const SimulationOptions *options) {
    int columns = options->threads > 1 ? LARGE : SMALL;
    const int pins[3] = {0, columns - 1, soft_pin(columns)};
    Simulation *simulation = open_cloth(options, columns);
    Status status;
    float targets[9];
    float *positions = calloc(3 * MOST, sizeof *positions);
    CHECK_INT(simulation_prepare(simulation, STEP, &status), STATUS_OK);
    simulation_copy_state(simulation, positions, NULL);
    for (int p = 0; p < 3; ++p) {
        memcpy(targets + 3 * p, positions + 3 * pins[p], 12);
    }
    long long before = memory_taken();
    count_memory(1);
    for (int i = 0; i < 3; ++i) {
        targets[0] += 0.01f;
        give_targets(simulation, targets);
        simulation_step(simulation, STEP, &status);
        simulation_copy_state(simulation, positions, NULL);
    }
    count_memory(0);
    CHECK_INT(memory_taken() - before, 0);
    CHECK_NEAR(positions[0], targets[0], 0);
    free(positions);
    simulation_destroy(simulation);
}

static void check_threads(SimulationOptions options) {
    State first = {0};
    for (int threads = 1; threads <= 4; ++threads) {
        options.threads = threads;
        Simulation *simulation = open_cloth(&options, LARGE);
        step_some(simulation, 3);
        State state = state_of(simulation);
        if (threads == 1) {
            first = state;
        } else {
            CHECK(same_state(state, first));
            free(state.bytes);
        }
        simulation_destroy(simulation);
    }
    free(first.bytes);
}

/* Sends the pins of open_cloth() somewhere. */
static void move_pins(Simulation *simulation, double height) {
    const float targets[9] = {0, 0, 0, 1, 0, 0, 0.5f, 0.5f, (float)height};
    give_targets(simulation, targets);
}

/* The same after pins have come and gone by row updates, which leave their trace in a factor's last digits. */
static void check_snapshot_after_updates(const SimulationOptions *options) {
    Status status;
    Simulation *simulation = open_cloth(options, SMALL);
    const int32_t pins[2] = {0, SMALL - 1};
    const float targets[6] = {0, 0, 0, 1, 0, 0};
    give_pins(simulation, 2, pins, NULL, targets, &status);
    step_some(simulation, 2);
    State middle = state_of(simulation);
    step_some(simulation, 4);
    State end = state_of(simulation);
    give_pins(simulation, 1, pins, NULL, targets, &status);
    step_some(simulation, 1);
    give_pins(simulation, 2, pins, NULL, targets, &status);
    step_some(simulation, 1);
    SimulationReport report;
    simulation_describe(simulation, &report);
    CHECK(options->solver != SOLVER_LINEAR || report.factor.row_update_count > 0);
    CHECK_INT(simulation_read_state(simulation, middle.bytes, middle.size, &status), STATUS_OK);
    step_some(simulation, 4);
    State again = state_of(simulation);
    CHECK(same_state(again, end));
    free(again.bytes);
    free(middle.bytes);
    free(end.bytes);
    simulation_destroy(simulation);
}

/* Going on from a snapshot gives the same bytes as going on without: in the same cloth and in a new
 * one of the same mesh. The soft pin is on its way meanwhile. */
static void check_snapshot(const SimulationOptions *options) {
    Status status;
    Simulation *simulation = open_cloth(options, SMALL);
    move_pins(simulation, 0.1);
    step_some(simulation, 3);
    State middle = state_of(simulation);
    move_pins(simulation, 0.3);
    step_some(simulation, 3);
    State end = state_of(simulation);
    CHECK(!same_state(middle, end));
    CHECK_INT(simulation_read_state(simulation, middle.bytes, middle.size, &status), STATUS_OK);
    State again = state_of(simulation);
    CHECK(same_state(again, middle));
    free(again.bytes);
    step_some(simulation, 3);
    again = state_of(simulation);
    CHECK(same_state(again, end));
    free(again.bytes);
    simulation_destroy(simulation);
    simulation = open_cloth(options, SMALL);
    CHECK_INT(simulation_read_state(simulation, middle.bytes, middle.size, &status), STATUS_OK);
    move_pins(simulation, 0.3);
    step_some(simulation, 3);
    again = state_of(simulation);
    CHECK(same_state(again, end));
    free(again.bytes);
    /* refused, with nothing changed: cut short, or of another mesh */
    CHECK_INT(simulation_read_state(simulation, middle.bytes, middle.size - 1, &status),
              STATUS_ERROR_SNAPSHOT);
    middle.bytes[8] ^= 1;
    CHECK_INT(simulation_read_state(simulation, middle.bytes, middle.size, &status),
              STATUS_ERROR_SNAPSHOT);
    again = state_of(simulation);
    CHECK(same_state(again, end));
    free(again.bytes);
    free(middle.bytes);
    free(end.bytes);
    simulation_destroy(simulation);
}

/* Before the first step the past is made up as if the cloth had flown straight, so estimates of any
 * order agree on it: the translation that both predict is x + h v. */
static void check_first_step(void) {
    static float start[3 * MOST], ends[2][3 * MOST], velocities[3 * MOST];
    for (int order = 1; order <= 2; ++order) {
        SimulationOptions options =
            options_of(SOLVER_LINEAR, MODEL_TRIANGLE, ESTIMATE_TRANSLATION, order, 1);
        options.substeps = 1;
        Simulation *simulation = open_cloth(&options, LARGE);
        simulation_copy_state(simulation, start, NULL);
        for (int i = 0; i < 3 * vertices_of(simulation); ++i) {
            velocities[i] = (float)sin(i);
        }
        simulation_place(simulation, start, velocities);
        step_some(simulation, 1);
        simulation_copy_state(simulation, ends[order - 1], NULL);
        simulation_destroy(simulation);
    }
    int apart = 0;
    for (int i = 0; i < 3 * MOST; ++i) {
        apart += fabsf(ends[0][i] - ends[1][i]) > 1e-6f;
    }
    CHECK_INT(apart, 0);
}

static atomic_int cancelled, progress;

static void *cancel_soon(void *argument) {
    (void)argument;
    while (atomic_load(&progress) < 20) {
    }
    atomic_store(&cancelled, 1);
    return NULL;
}

/* Cancelled from another thread: stopped between substeps, at a state that a cloth with so many
 * substeps reaches too. */
static void check_cancel(void) {
    SimulationOptions options =
        options_of(SOLVER_LINEAR, MODEL_TRIANGLE, ESTIMATE_TRANSLATION, 1, 2);
    options.substeps = 1000;
    options.cancelled = &cancelled;
    options.progress = &progress;
    Simulation *simulation = open_cloth(&options, LARGE);
    Status status;
    pthread_t thread;
    CHECK_INT(simulation_prepare(simulation, 1000 * STEP, &status), STATUS_OK);
    pthread_create(&thread, NULL, cancel_soon, NULL);
    CHECK_INT(simulation_step(simulation, 1000 * STEP, &status), STATUS_ERROR_CANCELLED);
    pthread_join(thread, NULL);
    atomic_store(&cancelled, 0);
    int done = simulation_step_report(simulation).substeps;
    printf("cancelled after %d of 1000 substeps\n", done);
    CHECK(done >= 20 && done < 1000);
    State stopped = state_of(simulation);
    simulation_destroy(simulation);
    options.substeps = 1;
    simulation = open_cloth(&options, LARGE);
    step_some(simulation, done);
    State wanted = state_of(simulation);
    CHECK(same_state(stopped, wanted));
    free(stopped.bytes);
    free(wanted.bytes);
    simulation_destroy(simulation);
}

/* Cancelled before it starts: that step changes nothing, and the next runs as if it had never been. */
static void check_cancel_before(void) {
    SimulationOptions options =
        options_of(SOLVER_LINEAR, MODEL_TRIANGLE, ESTIMATE_TRANSLATION, 1, 2);
    options.substeps = 3;
    Simulation *other = open_cloth(&options, LARGE);
    options.cancelled = &cancelled;
    options.progress = &progress;
    Simulation *simulation = open_cloth(&options, LARGE);
    Status status;
    for (int i = 0; i < 3; ++i) {
        State before = state_of(simulation);
        atomic_store(&cancelled, 1);
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_ERROR_CANCELLED);
        CHECK_INT(simulation_step_report(simulation).substeps, 0);
        CHECK_INT(atomic_load(&progress), 0);
        CHECK_INT(atomic_load(&cancelled),
                  1); /* its owner clears it: one step may be several simulations' */
        atomic_store(&cancelled, 0);
        State after = state_of(simulation);
        CHECK(same_state(before, after));
        free(before.bytes);
        free(after.bytes);
        step_some(simulation, 1);
        CHECK_INT(simulation_step_report(simulation).substeps, 3);
        step_some(other, 1);
    }
    State found = state_of(simulation), wanted = state_of(other);
    CHECK(same_state(found, wanted));
    free(found.bytes);
    free(wanted.bytes);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

/* Whether all places and velocities are within these bounds. */
static int is_state_within(const Simulation *simulation, double most) {
    static float positions[3 * MOST], velocities[3 * MOST];
    simulation_copy_state(simulation, positions, velocities);
    int within = 1;
    for (int i = 0; i < 3 * vertices_of(simulation); ++i) {
        within = within && fabs(positions[i]) <= most && fabs(velocities[i]) <= most;
    }
    return within;
}

static int is_finite_state(const Simulation *simulation) {
    return is_state_within(simulation, FLT_MAX);
}

/* A fall without bounds ends in an error, and the state before it is kept. Coefficients that multiply
 * every motion by hundreds may end so too; if not, what they give stays finite. */
static void check_divergence(void) {
    for (int way = 0; way < 3; ++way) {
        SimulationOptions options = options_of(way == 2 ? SOLVER_IMPLICIT : SOLVER_LINEAR,
                                               MODEL_EDGE, ESTIMATE_TRANSLATION, 1, 1);
        options.solving.iterations = 1;
        if (way == 0) {
            const double absurd[4] = {900, -900, 900, -899};
            memcpy(options.solving.coefficients, absurd, sizeof absurd);
            options.solving.coefficient_count = 4;
        } else {
            options.gravity = vec3(0, 0, -1e39);
            options.wind.normal_drag = options.wind.tangent_drag = 0;
        }
        Simulation *simulation = open_cloth(&options, SMALL);
        Status status = {0};
        if (way > 0) { /* nothing holds it back: it falls out of the numbers */
            CHECK_INT(give_pins(simulation, 0, NULL, NULL, NULL, &status), STATUS_OK);
        }
        StatusCode code = simulation_prepare(simulation, STEP, &status);
        int steps = 0;
        State before = {0};
        while (code == STATUS_OK && steps < 300) {
            free(before.bytes);
            before = state_of(simulation);
            code = simulation_step(simulation, STEP, &status);
            ++steps;
        }
        printf("way %d: status %d after %d steps: %s\n", way, code, steps, status.message);
        if (way == 0 && code == STATUS_OK) {
            /* the targets are unit vectors: wild directions cannot make lengths grow for ever */
            CHECK(is_finite_state(simulation));
        } else {
            CHECK_INT(code, STATUS_ERROR_DIVERGED);
            CHECK(strstr(status.message, "vertex") != NULL);
            State after = state_of(simulation);
            if (simulation_step_report(simulation).substeps == 0) {
                CHECK(same_state(before, after));
            }
            /* A kept state is a sound one, whose own snapshot is taken back. */
            CHECK(is_state_within(simulation, VEC3_FARTHEST));
            CHECK_INT(simulation_read_state(simulation, after.bytes, after.size, &status),
                      STATUS_OK);
            free(after.bytes);
        }
        free(before.bytes);
        simulation_destroy(simulation);
    }
}

static void check_sweeps(void) {
    for (int method = SWEEP_KIM; method < SWEEP_SYMPLECTIC; ++method) {
        SimulationOptions options =
            options_of(SOLVER_SWEEP, method % 2 ? MODEL_EDGE : MODEL_TRIANGLE, ESTIMATE_PREVIOUS, 1,
                       1 + method % 2);
        options.solving.sweep_method = (SweepMethod)method;
        options.solving.sweeps = 6;
        options.system.bending = method % 2 ? BENDING_SPRINGS : BENDING_CURVATURE;
        if (method ==
            SWEEP_KANG2) { /* stiffer cloth explodes with it, and repeating a substep takes memory */
            options.materials[0].stretch_warp = options.materials[0].stretch_weft = 2;
            options.materials[0].shear = 0.6;
        }
        check_memory(&options);
        check_threads(options);
        check_snapshot(&options);
    }
}

int main(void) {
    check_counter();
    for (int threads = 1; threads <= 2; ++threads) {
        for (int model = 0; model < 2; ++model) {
            for (int estimate = 0; estimate < 3; ++estimate) {
                SimulationOptions options =
                    options_of(SOLVER_LINEAR, model ? MODEL_TRIANGLE : MODEL_EDGE,
                               (EstimateKind)estimate, 1 + model, threads);
                check_memory(&options);
                options.system.tension_only = 1;
                check_memory(&options);
            }
            SimulationOptions options =
                options_of(SOLVER_IMPLICIT, model ? MODEL_TRIANGLE : MODEL_EDGE, ESTIMATE_PREVIOUS,
                           1, threads);
            check_memory(&options);
        }
    }
    for (int model = 0; model < 2; ++model) {
        ModelKind kind = model ? MODEL_TRIANGLE : MODEL_EDGE;
        for (int estimate = 0; estimate < 3; ++estimate) {
            SimulationOptions options =
                options_of(SOLVER_LINEAR, kind, (EstimateKind)estimate, 2, 1);
            check_threads(options);
            check_snapshot(&options);
            check_snapshot_after_updates(&options);
        }
        SimulationOptions options = options_of(SOLVER_IMPLICIT, kind, ESTIMATE_PREVIOUS, 1, 1);
        check_threads(options);
        check_snapshot(&options);
    }
    check_sweeps();
    for (int way = 0; way < 8; ++way) { /* the other schemes and the second-order step */
        SimulationOptions options = options_of(SOLVER_LINEAR, way % 2 ? MODEL_TRIANGLE : MODEL_EDGE,
                                               ESTIMATE_PREVIOUS, 1, 1 + way % 2);
        options.solving.scheme = way / 2 % 2 ? SCHEME_TWO_LEVEL : SCHEME_ANDERSON;
        options.solving.quality = way > 5 ? QUALITY_FIT : QUALITY_CUSTOM;
        options.solving.iterations = 3;
        options.integrator = way / 4 ? INTEGRATOR_BDF2 : INTEGRATOR_EULER;
        check_memory(&options);
        check_threads(options);
        check_snapshot(&options);
        check_snapshot_after_updates(&options);
    }
    check_first_step();
    check_cancel();
    check_cancel_before();
    check_divergence();
    return check_result();
}
