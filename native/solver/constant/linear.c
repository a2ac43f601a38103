/* The constant matrix and its factor, kept up to date, behind all schemes that use them. */
#include <stdlib.h>

#include "base/machine.h"
#include "solver/constant/convergence.h"
#include "solver/constant/linear.h"

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
        matrix_add(&linear->matrix, i, i, substep_own(substep, i));
        linear->softer[i] = scale * system->across[STIFFNESS_BOUND][i];
    }
}

/* Does it matter that hinges across the mirror plane do not resist along x? Knowing it takes a tenth more of a factor.
 * Not knowing it is safe, as the matrix only has to be stiff enough, and the answer is off by less than single
 * precision where the hinges are as soft as this against all else at their vertices. */
#define SOFT_HINGES 1e-3

static bool sides_matter(const LinearSolver *linear) {
    const System *system = linear->solver.system;
    bool folded = system->rail_from < system->vertex_count;
    if (factor_precision(linear->solver.options.precision, system->vertex_count, folded) ==
        PRECISION_DOUBLE) {
        return true;
    }
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        double all = linear->matrix.value[matrix_slot(&linear->matrix, i, i)];
        if (linear->softer[i] > SOFT_HINGES * all) {
            return true;
        }
    }
    return false;
}

/* The factor's order, anew if it must know of the sides and does not. */
static StatusCode take_factor(LinearSolver *linear, Status *status) {
    Solver *solver = &linear->solver;
    const System *system = solver->system;
    int apart = sides_matter(linear);
    if (linear->factor && linear->sides_apart >= apart) {
        return STATUS_OK;
    }
    const Fold fold = {.held_from = system->rail_from,
                       .side_count = apart ? system->beside_count : 0,
                       .side = system->beside,
                       .softer = linear->softer};
    factor_destroy(linear->factor);
    linear->sides_apart = apart;
    linear->factor = factor_create(&linear->matrix, &fold, solver->options.ordering,
                                   solver->options.precision, status);
    if (linear->factor) {
        factor_use_pool(linear->factor, system->pool);
    }
    return linear->factor ? STATUS_OK : status->code;
}

/* What Newton steps need, where the quality takes them: it may have changed since the last step. */
static StatusCode take_newton(LinearSolver *linear, Status *status) {
    System *system = linear->solver.system;
    bool wanted = linear->solver.options.scheme == SCHEME_TWO_LEVEL &&
                  quality_takes_newton_steps(linear->solver.options.quality);
    if (!wanted || linear->press.narrow) {
        return STATUS_OK;
    }
    Store store = {0};
    Press scratch = linear->press;
    scratch.begun = STORE_ARRAY(&store, Vec3, system->vertex_count);
    scratch.narrow = STORE_ARRAY(&store, HessianVector, system->vertex_count);
    scratch.own = STORE_ARRAY(&store, Block, system->vertex_count);
    scratch.touch = STORE_ARRAY(&store, Block, system->vertex_count);
    scratch.bond = STORE_ARRAY(&store, PressBond, system->vertex_count);
    scratch.part_start = STORE_ARRAY(&store, int, system->vertex_count + 2);
    scratch.part = STORE_ARRAY(&store, PressPart, CONTACT_VERTICES * system->vertex_count);
    StatusCode code = hessian_build(&linear->hessian, system, &store, status);
    code = code == STATUS_OK ? schwarz_build(&linear->schwarz, &linear->hessian, &store, status)
                             : code;
    if (code != STATUS_OK) {
        store_release(&store);
        return code;
    }
    linear->press = scratch;
    linear->solver.bytes += store.bytes;
    store_join(&linear->store, &store);
    if (linear->length > 0) { /* the matrix is there; else it is refreshed with that */
        hessian_refresh(&linear->hessian, linear_scale(linear));
    }
    return STATUS_OK;
}

/* What can be found side by side before the first step, though none of it can use two threads: the factor's order, then
 * the parts of the coarse level, then what Newton steps need. */
#define PARTS (2 + COARSE_PARTS)

typedef struct Parts {
    LinearSolver *linear;
    Coarse *coarse;
    Status status[PARTS];
} Parts;

static void take_parts(void *context, int begin, int end) {
    Parts *parts = context;
    for (int part = begin; part < end; ++part) {
        if (part == 0) {
            take_factor(parts->linear, &parts->status[part]);
        } else if (part <= COARSE_PARTS) {
            coarse_take_part(parts->coarse, part - 1, &parts->status[part]);
        } else {
            take_newton(parts->linear, &parts->status[part]);
        }
    }
}

/* All of these. */
static StatusCode take_all(LinearSolver *linear, Status *status) {
    Solver *solver = &linear->solver;
    Parts parts = {.linear = linear, .coarse = coarse_begin(solver->system, status)};
    if (!parts.coarse) {
        return status->code;
    }
    for (int part = 0; part < PARTS; ++part) {
        status_clear(&parts.status[part]);
    }
    pool_each(solver->system->pool, PARTS, take_parts, &parts);
    StatusCode code = STATUS_OK;
    for (int part = 0; part < PARTS && code == STATUS_OK; ++part) {
        code = parts.status[part].code;
        *status = code == STATUS_OK ? *status : parts.status[part];
    }
    if (code == STATUS_OK) {
        code = coarse_finish(parts.coarse, status);
    }
    if (code != STATUS_OK) {
        coarse_destroy(parts.coarse);
        return code;
    }
    linear->coarse = parts.coarse;
    solver->bytes += coarse_bytes(linear->coarse);
    solver->coarse_unknowns = coarse_unknowns(linear->coarse);
    return STATUS_OK;
}

/* What only depends on the matrix and the pins, once these are factored. `numbers`: the matrix is a new one. */
static void finish_prepare(LinearSolver *linear, double length, int numbers) {
    const System *system = linear->solver.system;
    if (linear->press.narrow && numbers) {
        hessian_refresh(&linear->hessian, linear_scale(linear));
    }
    if (linear->coarse && numbers) {
        coarse_prepare(linear->coarse, &linear->solver.substep);
    } else if (linear->coarse) {
        coarse_hold(linear->coarse, &linear->solver.substep);
    }
    linear->length = length;
    linear->matrix_version = system->matrix_version;
    linear->pins_version = system->pins_version;
}

static StatusCode linear_prepare(Solver *solver, double length, Status *status) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    StatusCode code = STATUS_OK;
    bool numbers = linear->length != length || linear->matrix_version != system->matrix_version;
    bool current = !numbers && linear->pins_version == system->pins_version;
    if (numbers) {
        linear->length = 0; /* out of date until it has worked */
        substep_set_length(&solver->substep, length);
        fill_matrix(linear);
        bool coarse_lacks = solver->options.scheme == SCHEME_TWO_LEVEL && !linear->coarse;
        code = coarse_lacks ? take_all(linear, status) : take_factor(linear, status);
    }
    code = code == STATUS_OK ? take_newton(linear, status) : code;
    solver->rounds = solver->options.iterations;
    if (code != STATUS_OK || current) {
        return code;
    }
    code = numbers ? factor_compute(linear->factor, system->held, status)
                   : factor_hold(linear->factor, system->held, status);
    if (code == STATUS_OK) {
        finish_prepare(linear, length, numbers);
    }
    return code;
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

bool linear_solver_is_current(const Solver *solver) {
    const LinearSolver *linear = (const LinearSolver *)solver;
    return linear->length > 0 && linear->matrix_version == solver->system->matrix_version &&
           linear->pins_version == solver->system->pins_version;
}

static void linear_destroy(Solver *solver) {
    LinearSolver *linear = (LinearSolver *)solver;
    coarse_destroy(linear->coarse);
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
    solver->advance = options->scheme == SCHEME_TWO_LEVEL  ? linear_advance_two_level
                      : options->scheme == SCHEME_ANDERSON ? linear_advance_anderson
                                                           : linear_advance_plain;
    solver->destroy = linear_destroy;
    solver->report = linear_report;
    solver->settle = linear_settle;
    solver->system = system;
    solver->options = *options;
    solver->two_level = options->scheme == SCHEME_TWO_LEVEL;
    solver->unbalanced = options->scheme != SCHEME_PLAIN;
    linear->matrix = system->stiffness;
    int entries = system->stiffness.start[system->stiffness.size];
    linear->matrix.value = STORE_ARRAY(&linear->store, double, entries);
    linear->softer = STORE_ARRAY(&linear->store, double, system->vertex_count);
    linear->change = STORE_ARRAY(&linear->store, Vec3, system->vertex_count);
    linear->trial = STORE_ARRAY(&linear->store, Vec3, system->vertex_count);
    Vec3 **scratch[] = {&linear->press.residual, &linear->press.conditioned,
                        &linear->press.direction, &linear->press.product};
    for (size_t i = 0; i < sizeof scratch / sizeof *scratch; ++i) {
        *scratch[i] = STORE_ARRAY(&linear->store, Vec3, system->vertex_count);
    }
    if (options->scheme != SCHEME_PLAIN) {
        linear->anderson = anderson_create(system, &linear->store, status);
    }
    StatusCode code = substep_build(&solver->substep, system, &linear->store, status);
    if (code == STATUS_OK && options->scheme == SCHEME_TWO_LEVEL) {
        code = rigid_build(&linear->rigid, system, &linear->store, status);
        if (code == STATUS_OK) {
            code = islands_build(&linear->islands, linear->rigid.component_count,
                                 linear->rigid.component, &linear->store, status);
        }
        if (code == STATUS_OK) {
            code = groups_build(&linear->groups, system, &linear->store, status);
        }
    }
    if (!linear_take_volumes(linear) || code != STATUS_OK) {
        status_no_memory(status, "the solver");
        linear_destroy(solver);
        return NULL;
    }
    solver->bytes = linear->store.bytes;
    return solver;
}
