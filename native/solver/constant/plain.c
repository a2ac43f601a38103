/* The thesis's rounds: local step at a guess, then one solve with the constant factor. */
#include <math.h>

#include "solver/constant/linear.h"

typedef struct PredictWork {
    const SolverOptions *options;
    const Past *past;
    Vec3 *z;
} PredictWork;

/* Inertial vertex translation, x* = sum alpha_m x(n-m) [Choi 3.16]; else where the vertices are. */
static void predict_vertices(void *context, int begin, int end) {
    const PredictWork *work = context;
    const SolverOptions *options = work->options;
    bool flying = options->estimate == ESTIMATE_TRANSLATION;
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

typedef struct FlyWork {
    const Substep *substep;
    Vec3 *z;
} FlyWork;

static void fly_vertices(void *context, int begin, int end) {
    const FlyWork *work = context;
    const Substep *substep = work->substep;
    for (int i = begin; i < end; ++i) {
        work->z[i] = vec3_madd(substep->x[i], substep->length, substep->v[i]);
    }
}

void linear_fly(const Substep *substep, Vec3 *z) {
    FlyWork work = {substep, z};
    pool_run(substep->system->pool, substep->system->vertex_count, fly_vertices, &work);
}

/* Any start gives the same first solution, as the equation is linear once the targets are set. The
 * predicted state is taken, with the pins where they will be: then tensions and targets are measured
 * in one pass, and further rounds are the same code. */
void linear_advance_plain(Solver *solver, const Past *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    Substep *substep = &solver->substep;
    double clock = substep_clock(substep), next;
    linear->reach = 1.0;
    substep_begin(substep, past->start, past->velocity);
    next = substep_clock(substep);
    solver->work.assemble_seconds += next - clock;
    clock = next;
    PredictWork predict = {&solver->options, past, z};
    pool_run(system->pool, system->vertex_count, predict_vertices, &predict);
    substep_place_pins(substep, z);
    solver->work.force_seconds += substep_clock(substep) - clock;
    substep_meet(substep, past->positions[0], z);
    Guess guess = {.z = z, .present = past->positions[0]};
    guess.turning = solver->options.estimate == ESTIMATE_ROTATION;
    guess.coefficient_count = solver->options.coefficient_count;
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        guess.history[m] = past->positions[m];
    }
    for (int m = 0; m < GUESS_HISTORY - 1; ++m) {
        guess.coefficients[m] = solver->options.coefficients[m];
    }
    for (int round = 0; round < solver->rounds && !solver_cancelled(solver); ++round) {
        clock = substep_clock(substep);
        if (guess.turning) {
            system_local_step(system, &guess);
        } else {
            system_evaluate(system, z, guess.present);
        }
        solver->work.force_seconds += substep_clock(substep) - clock;
        if (round > 0) {
            substep_meet_again(substep, z);
        }
        clock = substep_clock(substep);
        substep_gradient(substep, z);
        solver->work.assemble_seconds += substep_clock(substep) - clock;
        linear_safe_step(linear, z, NAN);
        guess.turning = 0; /* from the second round on the newest state shows the directions */
    }
}
