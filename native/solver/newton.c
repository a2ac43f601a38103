/* Newton steps with line search, and what they do about contacts. */
#include "solver/newton.h"

#include <string.h>

/* Newton stops when the gradient has fallen to this part of its start. */
#define CONVERGED 1e-9
/* The method of a single Newton step takes up to this many where there are contacts, safeguarded: which of them
 * push only shows after a step. */
#define CONTACT_STEPS 6
/* So many steps do not get over a bad start among contacts. */
#define FEW_STEPS 20
/* Halvings of a Newton step before it is given up. */
#define HALVINGS 30

static void move(const Newton *newton, const Vec3 *from, double part, Vec3 *to) {
    for (int i = 0; i < newton->solver.system->vertex_count; ++i) {
        to[i] = vec3_madd(from[i], -part, newton->change[i]);
    }
}

static double energy_at(Newton *newton, const Vec3 *z) {
    Substep *substep = &newton->solver.substep;
    double begin = substep_clock(substep), energy = substep_energy(substep, z);
    newton->solver.work.force_seconds += substep_clock(substep) - begin;
    return energy;
}

/* Takes as much of the change as lowers the energy; returns 0 if none does. */
static int search(Newton *newton, double *energy, Vec3 *z) {
    double part = 1.0;
    for (int halving = 0; halving < HALVINGS; ++halving, part *= 0.5) {
        move(newton, z, part, newton->trial);
        double next = energy_at(newton, newton->trial);
        if (next < *energy) {
            *energy = next;
            memcpy(z, newton->trial, (size_t)newton->solver.system->vertex_count * sizeof *z);
            return 1;
        }
    }
    return 0;
}

/* The method of Baraff and Witkin: one step, taken as it comes. */
static bool is_single(const Solver *solver) {
    return solver->options.iterations == 1 && substep_contact_count(&solver->substep) == 0;
}

/* One Newton step from z. Returns 0 when there is nothing left to gain. */
static int take_step(Newton *newton, double *start, double *energy, Vec3 *z) {
    Solver *solver = &newton->solver;
    double clock = substep_clock(&solver->substep);
    system_conventional_step(solver->system, z);
    substep_gradient(&solver->substep, z);
    solver->work.force_seconds += substep_clock(&solver->substep) - clock;
    bool single = is_single(solver);
    if (!single) {
        double length = substep_gradient_length(&solver->substep);
        *start = *start > length ? *start : length;
        if (length <= CONVERGED * *start) {
            return 0;
        }
    }
    clock = substep_clock(&solver->substep);
    newton->place = z;
    newton->assemble(newton, z);
    double next = substep_clock(&solver->substep);
    solver->work.assemble_seconds += next - clock;
    solver->work.pcg_iterations +=
        pcg_solve(&newton->pcg, solver->system->pool, newton->matrix, solver->system->held,
                  solver->substep.gradient, solver->options.pcg_tolerance,
                  solver->options.pcg_limit, newton->change);
    solver->work.solve_seconds += substep_clock(&solver->substep) - next;
    ++solver->work.newton_iterations;
    solver->work.pcg_stopped += newton->pcg.stopped;
    solver->work.pcg_residual = fmax(solver->work.pcg_residual, newton->pcg.reached);
    if (!single) {
        return search(newton, energy, z);
    }
    move(newton, z, 1.0, z);
    return 1;
}

/* Contacts are looked for where the cloth would fly by itself. */
static void meet(Newton *newton, const Past *past, const Vec3 *z) {
    Substep *substep = &newton->solver.substep;
    if (!substep->around) {
        return;
    }
    for (int i = 0; i < substep->system->vertex_count; ++i) {
        newton->trial[i] =
            substep->system->held[i] ? z[i] : vec3_add(substep->x[i], substep_flown(substep, i));
    }
    substep_meet(substep, past->positions[0], newton->trial);
}

/* Among contacts: from where the cloth flies by itself, as meet() has left it, if the energy is lower there. A step from
 * where it was would run into contacts that do not push there, and be halved away: many steps get over
 * that, a few do not. Returns the energy. */
static double fly_if_lower(Newton *newton, double energy, Vec3 *z) {
    double flying = energy_at(newton, newton->trial);
    if (flying < energy) {
        memcpy(z, newton->trial, (size_t)newton->solver.system->vertex_count * sizeof *z);
    }
    return flying < energy ? flying : energy;
}

static void newton_advance(Solver *solver, const Past *past, Vec3 *z) {
    Newton *newton = (Newton *)solver;
    double clock = substep_clock(&solver->substep);
    substep_begin(&solver->substep, past->start, past->velocity);
    memcpy(z, past->start, (size_t)solver->system->vertex_count * sizeof *z);
    substep_place_pins(&solver->substep, z);
    imperfection_add(&solver->substep.imperfection, solver->substep.x, z);
    solver->work.assemble_seconds += substep_clock(&solver->substep) - clock;
    meet(newton, past, z);
    bool touching = substep_contact_count(&solver->substep) > 0, single = is_single(solver);
    double start = 0, energy = single ? 0 : energy_at(newton, z);
    int most = solver->options.iterations;
    most = touching && most < CONTACT_STEPS ? CONTACT_STEPS : most;
    if (touching && most <= FEW_STEPS) {
        energy = fly_if_lower(newton, energy, z);
    }
    for (int i = 0; i < most; ++i) {
        if (i > 0 && touching) {
            substep_meet_again(&solver->substep, z);
            energy = energy_at(newton, z);
        }
        if (solver_cancelled(solver) || !take_step(newton, &start, &energy, z)) {
            break;
        }
    }
}

static void report_nothing(const Solver *solver, FactorReport *report) {
    (void)solver;
    *report = (FactorReport){0};
}

static void settle_nothing(Solver *solver) { (void)solver; /* every step builds its matrix anew */ }

StatusCode newton_build(Newton *newton, System *system, const SolverOptions *options,
                        Status *status) {
    Solver *solver = &newton->solver;
    solver->advance = newton_advance;
    solver->report = report_nothing;
    solver->settle = settle_nothing;
    solver->system = system;
    solver->options = *options;
    solver->rounds = options->iterations;
    newton->change = STORE_ARRAY(&newton->store, Vec3, system->vertex_count);
    newton->trial = STORE_ARRAY(&newton->store, Vec3, system->vertex_count);
    if (newton->store.failed) {
        return status_no_memory(status, "the solver");
    }
    StatusCode code = substep_build(&solver->substep, system, &newton->store, status);
    if (code == STATUS_OK) {
        code = pcg_build(&newton->pcg, system->vertex_count, &newton->store, status);
        newton->pcg.rail_from = system->rail_from;
    }
    return code;
}
