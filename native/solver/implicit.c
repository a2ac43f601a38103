/* Newton steps with line search, also among contacts. */
#include <string.h>

#include "solver/implicit.h"
#include "system/system.h"

/* Newton stops when the gradient has fallen to this part of its start. */
#define CONVERGED 1e-9
/* The method of a single Newton step takes up to this many where there are contacts, safeguarded: only a step shows
 * which of them push. */
#define CONTACT_STEPS 6
/* So few steps do not overcome a bad start among contacts. */
#define FEW_STEPS 20
/* Halvings of a Newton step before it is given up. */
#define HALVINGS 30

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
        substep_move(&newton->solver.substep, z, part, newton->change, newton->trial);
        double next = energy_at(newton, newton->trial);
        if (next < *energy) {
            *energy = next;
            memcpy(z, newton->trial, (size_t)newton->solver.system->vertex_count * sizeof *z);
            return 1;
        }
    }
    return 0;
}

/* The method of Baraff and Witkin: one step without a line search. */
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
    substep_move(&solver->substep, z, 1.0, newton->change, z);
    return 1;
}

/* Contacts are found at the end of the free flight. */
static void find_contacts(Newton *newton, const StateHistory *past, const Vec3 *z) {
    Substep *substep = &newton->solver.substep;
    if (!substep->world) {
        return;
    }
    for (int i = 0; i < substep->system->vertex_count; ++i) {
        newton->trial[i] = substep->system->held[i]
                               ? z[i]
                               : vec3_add(substep->x[i], substep_inertial_step(substep, i));
    }
    substep_find_contacts(substep, past->positions[0], newton->trial);
}

/* Among contacts: starts at the end of the free flight, which find_contacts() has left in the trial, if the energy is lower
 * there. A step from rest would run into contacts that do not push yet, and be halved away: many steps overcome that, a few
 * do not. Returns the energy. */
static double start_predicted_if_lower(Newton *newton, double energy, Vec3 *z) {
    double flying = energy_at(newton, newton->trial);
    if (flying < energy) {
        memcpy(z, newton->trial, (size_t)newton->solver.system->vertex_count * sizeof *z);
    }
    return flying < energy ? flying : energy;
}

static void newton_advance(Solver *solver, const StateHistory *past, Vec3 *z) {
    Newton *newton = (Newton *)solver;
    double clock = substep_clock(&solver->substep);
    substep_begin(&solver->substep, past->start, past->velocity);
    memcpy(z, past->start, (size_t)solver->system->vertex_count * sizeof *z);
    substep_place_pins(&solver->substep, z);
    imperfection_add(&solver->substep.imperfection, solver->substep.x, z);
    solver->work.assemble_seconds += substep_clock(&solver->substep) - clock;
    find_contacts(newton, past, z);
    bool touching = substep_contact_count(&solver->substep) > 0, single = is_single(solver);
    double start = 0, energy = single ? 0 : energy_at(newton, z);
    int most = solver->options.iterations;
    most = touching && most < CONTACT_STEPS ? CONTACT_STEPS : most;
    if (touching && most <= FEW_STEPS) {
        energy = start_predicted_if_lower(newton, energy, z);
    }
    for (int i = 0; i < most; ++i) {
        if (i > 0 && touching) {
            substep_refresh_contacts(&solver->substep, z);
            energy = energy_at(newton, z);
        }
        if (solver_cancelled(solver) || !take_step(newton, &start, &energy, z)) {
            break;
        }
    }
}

StatusCode newton_build(Newton *newton, Status *status) {
    Solver *solver = &newton->solver;
    System *system = solver->system;
    Store *store = &solver->store;
    solver->advance = newton_advance;
    solver->iterations = solver->options.iterations;
    newton->change = STORE_ARRAY(store, Vec3, system->vertex_count);
    newton->trial = STORE_ARRAY(store, Vec3, system->vertex_count);
    StatusCode code = substep_build(&solver->substep, system, store, status);
    code = code == STATUS_OK ? pcg_build(&newton->pcg, system->vertex_count, store, status) : code;
    newton->pcg.rail_from = system->rail_from;
    return code;
}

/* --- the conventional solver, with the clamped Hessian as a matrix ------------------------------ */

typedef struct ImplicitSolver {
    Newton newton;
    BlockMatrix blocks; /* on the pattern of K */
    double *constant;   /* per entry: the part that no state changes, with inertia and soft pins */
    Matrix stiffness;   /* of the laws whose second derivative is constant, on the same pattern */
    PcgExtra beside;    /* what the pattern has not: contacts, and laws beyond the matrix */
    double *beyond;     /* per vertex, N/m: what those laws have on the diagonal */
    bool has_beyond;
} ImplicitSolver;

static void sum_beyond(ImplicitSolver *implicit) {
    const System *system = implicit->newton.solver.system;
    implicit->has_beyond = false;
    memset(implicit->beyond, 0, (size_t)system->vertex_count * sizeof(double));
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        if (!law->beyond_matrix || law->count == 0) {
            continue;
        }
        implicit->has_beyond = true;
        for (int p = 0; p < law->width * law->count; ++p) {
            double value[LAW_WIDTH];
            law_stiffness(law, STIFFNESS_OWN, p / law->width, p % law->width, value);
            implicit->beyond[law->vertices[p]] += value[p % law->width];
        }
    }
}

static StatusCode implicit_prepare(Solver *solver, double length, Status *status) {
    (void)status;
    ImplicitSolver *implicit = (ImplicitSolver *)solver;
    const System *system = solver->system;
    if (solver_is_current(solver, length)) {
        return STATUS_OK;
    }
    substep_set_length(&solver->substep, length);
    assembly_fill_constant(&system->laws, STIFFNESS_OWN, system->pool, &implicit->stiffness);
    sum_beyond(implicit);
    double scale = substep_scale(&solver->substep);
    for (int i = 0; i < system->vertex_count; ++i) {
        for (int p = implicit->stiffness.start[i]; p < implicit->stiffness.start[i + 1]; ++p) {
            implicit->constant[p] = scale * implicit->stiffness.value[p];
            if (implicit->stiffness.column[p] == i) {
                implicit->constant[p] += substep_diagonal(&solver->substep, i);
            }
        }
    }
    solver_set_current(solver, length);
    return STATUS_OK;
}

static void start_blocks(void *context, int begin, int end) {
    ImplicitSolver *implicit = context;
    for (int p = begin; p < end; ++p) {
        double c = implicit->constant[p];
        implicit->blocks.block[p] = (Block){{c, 0, 0, 0, c, 0, 0, 0, c}};
    }
}

/* I + h^2 (q H(z) + s): the clamped Hessian of the incremental energy. */
static void assemble(Newton *newton, const Vec3 *z) {
    ImplicitSolver *implicit = (ImplicitSolver *)newton;
    System *system = newton->solver.system;
    double scale = substep_scale(&newton->solver.substep);
    const Matrix *pattern = implicit->blocks.pattern;
    pool_run(system->pool, pattern->start[pattern->size], start_blocks, implicit);
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        implicit->blocks.block[matrix_slot(pattern, i, i)].m[0] -=
            scale * system->across[STIFFNESS_OWN][i];
    }
    for (int l = 0; l < system->laws.count; ++l) {
        law_add_hessian(system->laws.list[l], z, scale, &implicit->blocks);
    }
    bool extra = implicit->has_beyond || newton_is_touching(newton);
    newton->pcg.extra = extra ? &implicit->beside : NULL;
}

/* --- what is not in the pattern: contacts, and laws beyond the matrix --------------------------- */

static void multiply_beside(void *context, const Vec3 *x) {
    ImplicitSolver *implicit = context;
    System *system = implicit->newton.solver.system;
    if (newton_is_touching(&implicit->newton)) {
        contacts_multiply(&implicit->newton.solver.substep.world->contacts, system->pool, x);
    }
    if (implicit->has_beyond) {
        laws_hessian_product_beyond(&system->laws, system->pool, implicit->newton.place, x);
    }
}

static Vec3 beside_row(const void *context, int i) {
    const ImplicitSolver *implicit = context;
    const Substep *substep = &implicit->newton.solver.substep;
    Vec3 sum = newton_is_touching(&implicit->newton)
                   ? contacts_gradient(&substep->world->contacts, i)
                   : vec3(0, 0, 0);
    return implicit->has_beyond ? vec3_madd(sum, -substep_scale(&implicit->newton.solver.substep),
                                            rows_last_force(&substep->system->laws.rows, i))
                                : sum;
}

static void add_beside_diagonal(const void *context, int i, Block *block) {
    const ImplicitSolver *implicit = context;
    block_add_diagonal(block,
                       substep_scale(&implicit->newton.solver.substep) * implicit->beyond[i]);
    if (newton_is_touching(&implicit->newton)) {
        substep_add_contact_block(&implicit->newton.solver.substep, i, implicit->newton.place,
                                  block);
    }
}

static StatusCode build(Solver *solver, Status *status) {
    ImplicitSolver *implicit = (ImplicitSolver *)solver;
    System *system = solver->system;
    Store *store = &solver->store;
    int entries = system->stiffness.start[system->stiffness.size];
    StatusCode code = newton_build(&implicit->newton, status);
    solver->prepare = implicit_prepare;
    implicit->newton.assemble = assemble;
    implicit->beside = (PcgExtra){.multiply = multiply_beside,
                                  .row = beside_row,
                                  .add_diagonal = add_beside_diagonal,
                                  .context = implicit};
    implicit->blocks.pattern = &system->stiffness;
    implicit->blocks.block = STORE_ARRAY(store, Block, entries);
    implicit->constant = STORE_ARRAY(store, double, entries);
    implicit->stiffness = system->stiffness;
    implicit->stiffness.value = STORE_ARRAY(store, double, entries);
    implicit->beyond = STORE_ARRAY(store, double, system->vertex_count);
    implicit->newton.matrix = &implicit->blocks;
    code = store->failed ? status_no_memory(status, "the solver") : code;
    for (int l = 0; code == STATUS_OK && l < system->laws.count; ++l) {
        code = law_find_slots(system->laws.list[l], &implicit->blocks, store, status);
    }
    return code;
}

Solver *implicit_solver_create(System *system, const SolverOptions *options, Status *status) {
    return solver_make(sizeof(ImplicitSolver), system, options, build, status);
}
