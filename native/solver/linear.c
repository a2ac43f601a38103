#include <stdlib.h>

#include "base/timing.h"
#include "solver/solver.h"

typedef struct LinearSolver {
    Solver solver; /* first: the two addresses are one */
    Store store;
    Matrix matrix; /* A = I + h^2 (q K + s), on the pattern of K */
    Factor *factor;
    unsigned matrix_version, pins_version; /* of the system, as factored */
    double length;                         /* likewise; 0: not factored yet */
    Vec3 *change;
} LinearSolver;

static void fill_matrix(LinearSolver *linear) {
    const System *system = linear->solver.system;
    const Substep *substep = &linear->solver.substep;
    const Matrix *stiffness = &system->stiffness;
    double h2 = substep->length * substep->length;
    double scale = h2 * substep->stiffness_factor;
    for (int p = 0; p < stiffness->start[stiffness->size]; ++p) {
        linear->matrix.value[p] = scale * stiffness->value[p];
    }
    for (int i = 0; i < stiffness->size; ++i) {
        matrix_add(&linear->matrix, i, i, substep->inertia[i] + h2 * system->soft_stiffness[i]);
    }
}

static StatusCode linear_prepare(Solver *solver, double length, Status *status) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    if (!linear->factor) {
        linear->factor = factor_create(&linear->matrix, solver->options.ordering, status);
        if (!linear->factor) {
            return status->code;
        }
    }
    StatusCode code = STATUS_OK;
    if (linear->length != length || linear->matrix_version != system->matrix_version) {
        linear->length = 0; /* out of date until it has worked */
        substep_set_length(&solver->substep, length);
        fill_matrix(linear);
        code = factor_compute(linear->factor, system->held, status);
    } else if (linear->pins_version != system->pins_version) {
        linear->length = 0;
        code = factor_hold(linear->factor, system->held, status);
    }
    if (code == STATUS_OK) {
        linear->length = length;
        linear->matrix_version = system->matrix_version;
        linear->pins_version = system->pins_version;
    }
    return code;
}

typedef struct PredictWork {
    const SolverOptions *options;
    const Past *past;
    Vec3 *z;
} PredictWork;

/* Inertial vertex translation, x* = sum alpha_m x(n-m) [Choi 3.16]; else where the vertices are. */
static void predict_vertices(void *context, int begin, int end) {
    const PredictWork *work = context;
    const SolverOptions *options = work->options;
    int flying = options->estimate == ESTIMATE_TRANSLATION;
    for (int i = begin; i < end; ++i) {
        if (!flying) {
            work->z[i] = work->past->positions[0][i];
            continue;
        }
        /* as the present place plus differences: nothing moves when nothing moved, to the last bit */
        Vec3 present = work->past->positions[0][i], sum = present;
        for (int m = 1; m < options->coefficient_count; ++m) {
            Vec3 difference = vec3_sub(work->past->positions[m][i], present);
            sum = vec3_madd(sum, options->coefficients[m], difference);
        }
        work->z[i] = sum;
    }
}

static void subtract_change(void *context, int begin, int end) {
    LinearSolver *linear = ((void **)context)[0];
    Vec3 *z = ((void **)context)[1];
    for (int i = begin; i < end; ++i) {
        z[i] = vec3_sub(z[i], linear->change[i]);
    }
}

/* Any start gives the same first solution, as the equation is linear once the targets are set. The
 * predicted state is taken, with the pins where they will be: then tensions and targets are measured
 * in one pass, and further rounds are the same code. */
static void linear_advance(Solver *solver, const Past *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    Substep *substep = &solver->substep;
    double clock = timing_now(), next;
    substep_begin(substep, past->positions[0], past->velocity);
    next = timing_now();
    solver->work.assemble_seconds += next - clock;
    clock = next;
    PredictWork predict = {&solver->options, past, z};
    pool_run(system->pool, system->vertex_count, predict_vertices, &predict);
    substep_place_pins(substep, z);
    Guess guess = {.z = z, .present = past->positions[0]};
    guess.turning = solver->options.estimate == ESTIMATE_ROTATION;
    guess.coefficient_count = solver->options.coefficient_count;
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        guess.history[m] = past->positions[m];
    }
    for (int m = 0; m < GUESS_HISTORY - 1; ++m) {
        guess.coefficients[m] = solver->options.coefficients[m];
    }
    for (int round = 0; round < solver->options.iterations && !solver_cancelled(solver); ++round) {
        system_local_step(system, &guess);
        next = timing_now();
        solver->work.estimate_seconds += next - clock;
        clock = next;
        substep_gradient(substep, z);
        next = timing_now();
        solver->work.assemble_seconds += next - clock;
        clock = next;
        solve_apply(factor_solve(linear->factor), substep->gradient, linear->change);
        void *pair[2] = {linear, z};
        pool_run(system->pool, system->vertex_count, subtract_change, pair);
        next = timing_now();
        solver->work.solve_seconds += next - clock;
        clock = next;
        guess.turning = 0; /* from the second round on the newest state shows the directions */
    }
}

static void linear_report(const Solver *solver, FactorReport *report) {
    const LinearSolver *linear = (const LinearSolver *)solver;
    *report = (FactorReport){0};
    if (linear->factor) {
        factor_report(linear->factor, report);
    }
}

static void linear_settle(Solver *solver) {
    LinearSolver *linear = (LinearSolver *)solver;
    if (linear->factor && factor_is_updated(linear->factor)) {
        linear->length = 0;
    }
}

int linear_solver_is_current(const Solver *solver) {
    const LinearSolver *linear = (const LinearSolver *)solver;
    return linear->length > 0 && linear->matrix_version == solver->system->matrix_version &&
           linear->pins_version == solver->system->pins_version;
}

static void linear_destroy(Solver *solver) {
    LinearSolver *linear = (LinearSolver *)solver;
    factor_destroy(linear->factor);
    store_release(&linear->store);
    free(linear);
}

const Factor *linear_solver_factor(const Solver *solver) {
    return ((const LinearSolver *)solver)->factor;
}

const Matrix *linear_solver_matrix(const Solver *solver) {
    return &((const LinearSolver *)solver)->matrix;
}

Solver *linear_solver_create(System *system, const SolverOptions *options, Status *status) {
    LinearSolver *linear = calloc(1, sizeof *linear);
    if (!linear) {
        status_no_memory(status, "the solver");
        return NULL;
    }
    Solver *solver = &linear->solver;
    solver->prepare = linear_prepare;
    solver->advance = linear_advance;
    solver->destroy = linear_destroy;
    solver->report = linear_report;
    solver->settle = linear_settle;
    solver->system = system;
    solver->options = *options;
    linear->matrix = system->stiffness;
    int entries = system->stiffness.start[system->stiffness.size];
    linear->matrix.value = STORE_ARRAY(&linear->store, double, entries);
    linear->change = STORE_ARRAY(&linear->store, Vec3, system->vertex_count);
    StatusCode code = substep_build(&solver->substep, system, &linear->store, status);
    if (code != STATUS_OK || linear->store.failed) {
        status_no_memory(status, "the solver");
        linear_destroy(solver);
        return NULL;
    }
    solver->bytes = linear->store.bytes;
    return solver;
}
