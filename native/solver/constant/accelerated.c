/* Plain rounds from where the cloth flies by itself, each extrapolated from the last few. */
#include <math.h>

#include "solver/constant/linear.h"

void linear_advance_anderson(Solver *solver, const Past *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    Substep *substep = &solver->substep;
    double last_energy = INFINITY, begin = substep_clock(substep);
    linear->reach = 1.0;
    substep_begin(substep, past->start, past->velocity);
    linear_look_at_volumes(linear);
    linear_fly(substep, z);
    substep_place_pins(substep, z);
    solver->work.assemble_seconds += substep_clock(substep) - begin;
    substep_meet(substep, past->positions[0], z);
    anderson_forget(linear->anderson);
    for (int round = 0; round < solver->rounds && !solver_cancelled(solver); ++round) {
        if (round > 0) {
            substep_meet_again(substep, z);
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
        if (round + 1 < solver->rounds) {
            anderson_extrapolate(linear->anderson, substep, z);
        }
    }
}
