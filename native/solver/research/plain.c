/* The thesis's iterations: local step at a guess, then one solve with the constant factor. */
#include <math.h>

#include "solver/constant/linear.h"

typedef struct PredictWork {
    const SolverOptions *options;
    const StateHistory *past;
    Vec3 *z;
} PredictWork;

/* Inertial vertex translation, x* = sum alpha_m x(n-m) [Choi 3.16], as the present place plus differences: nothing moves
 * when nothing moved, to the last bit. */
static void translate_vertices(void *context, int begin, int end) {
    const PredictWork *work = context;
    const SolverOptions *options = work->options;
    for (int i = begin; i < end; ++i) {
        Vec3 present = work->past->positions[0][i], sum = present;
        for (int m = 1; m < options->coefficient_count; ++m) {
            Vec3 difference = vec3_sub(work->past->positions[m][i], present);
            sum = vec3_madd(sum, options->coefficients[m], difference);
        }
        work->z[i] = sum;
    }
}

/* Where a substep's iterations start. Directions of the present state are measured there; guesses by rotation have their own,
 * and start where the cloth flies to: what contacts leave of a step must not be its inertia. */
static void predict(const Substep *substep, const SolverOptions *options, const StateHistory *past,
                    Vec3 *z) {
    Pool *pool = substep->system->pool;
    int count = substep->system->vertex_count;
    if (options->estimate == ESTIMATE_TRANSLATION) {
        PredictWork work = {options, past, z};
        pool_run(pool, count, translate_vertices, &work);
    } else if (options->estimate == ESTIMATE_ROTATION) {
        substep_predict(substep, z);
    } else {
        pool_copy(pool, count, sizeof *z, past->positions[0], z);
    }
    substep_place_pins(substep, z);
}

/* Without contacts any start gives the same first solution, as the equation is linear once the targets are set. The
 * predicted state is taken, with the pins where they will be: then tensions and targets are measured
 * in one pass, and further iterations are the same code. */
void linear_advance_plain(Solver *solver, const StateHistory *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    Substep *substep = &solver->substep;
    double clock = substep_clock(substep), next;
    linear->relaxation = 1.0;
    substep_begin(substep, past->start, past->velocity);
    linear_update_volumes(linear);
    next = substep_clock(substep);
    solver->work.assemble_seconds += next - clock;
    clock = next;
    predict(substep, &solver->options, past, z);
    solver->work.force_seconds += substep_clock(substep) - clock;
    substep_find_contacts(substep, past->positions[0], z);
    Guess guess = {.z = z, .present = past->positions[0]};
    guess.turning = solver->options.estimate == ESTIMATE_ROTATION;
    guess.coefficient_count = solver->options.coefficient_count;
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        guess.history[m] = past->positions[m];
    }
    for (int m = 0; m < GUESS_HISTORY - 1; ++m) {
        guess.coefficients[m] = solver->options.coefficients[m];
    }
    for (int iteration = 0; iteration < solver->iterations && !solver_cancelled(solver);
         ++iteration) {
        clock = substep_clock(substep);
        if (guess.turning) {
            system_local_step(system, &guess);
        } else {
            system_evaluate(system, z, guess.present);
        }
        solver->work.force_seconds += substep_clock(substep) - clock;
        if (iteration > 0) {
            substep_refresh_contacts(substep, z);
        }
        clock = substep_clock(substep);
        substep_gradient(substep, z);
        solver->work.assemble_seconds += substep_clock(substep) - clock;
        linear_safe_step(linear, z, NAN);
        guess.turning = 0; /* from the second iteration on the newest state shows the directions */
    }
}

/* Plain iterations from the end of the free flight, each extrapolated from the last few. */
void linear_advance_anderson(Solver *solver, const StateHistory *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    Substep *substep = &solver->substep;
    double last_energy = INFINITY, begin = substep_clock(substep);
    linear->relaxation = 1.0;
    substep_begin(substep, past->start, past->velocity);
    linear_update_volumes(linear);
    substep_predict(substep, z);
    substep_place_pins(substep, z);
    solver->work.assemble_seconds += substep_clock(substep) - begin;
    substep_find_contacts(substep, past->positions[0], z);
    anderson_forget(linear->anderson);
    for (int iteration = 0; iteration < solver->iterations && !solver_cancelled(solver);
         ++iteration) {
        if (iteration > 0) {
            substep_refresh_contacts(substep, z);
        }
        begin = substep_clock(substep);
        double energy = substep_evaluate(substep, z);
        if (energy > last_energy) { /* extrapolated too far */
            anderson_go_back(linear->anderson, z);
            energy = substep_evaluate(substep, z);
            ++solver->work.rejected;
        }
        last_energy = energy;
        solver->work.force_seconds += substep_clock(substep) - begin;
        anderson_begin(linear->anderson, z);
        linear_safe_step(linear, z, energy);
        if (iteration + 1 < solver->iterations) {
            anderson_extrapolate(linear->anderson, substep, z);
        }
    }
}
