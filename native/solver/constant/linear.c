/* The constant matrix and its factor, kept up to date, behind all schemes that use them. */
#include "solver/constant/linear.h"

#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "solver/constant/convergence.h"

static void fill_matrix(LinearSolver *linear) {
    const System *system = linear->solver.system;
    const Substep *substep = &linear->solver.substep;
    const Matrix *stiffness = &system->stiffness;
    double scale = substep_scale(substep);
    for (int p = 0; p < stiffness->start[stiffness->size]; ++p) {
        linear->matrix.value[p] = scale * stiffness->value[p];
    }
    for (int i = 0; i < stiffness->size; ++i) {
        matrix_add(&linear->matrix, i, i, substep_diagonal(substep, i));
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
    /* It must not depend on which lengths came before: judged as in the longest substep, where inertia matters least. */
    const Substep *substep = &linear->solver.substep;
    double times = fmax(linear->solver.longest / substep->length, 1.0);
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        double inertia = substep->inertia[i];
        double all = linear->matrix.value[matrix_slot(&linear->matrix, i, i)] - inertia +
                     inertia / (times * times);
        if (linear->softer[i] > SOFT_HINGES * all) {
            return true;
        }
    }
    return false;
}

/* The factor's order, anew if it must know of the sides and does not. */
static StatusCode prepare_factor(LinearSolver *linear, Status *status) {
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
    memset(linear->lengths, 0, sizeof linear->lengths);
    linear->set = 0;
    linear->sides_apart = apart;
    linear->factor = factor_create(&linear->matrix, &fold, solver->options.ordering,
                                   solver->options.precision, status);
    if (linear->factor) {
        factor_use_pool(linear->factor, system->pool);
    }
    return linear->factor ? STATUS_OK : status->code;
}

/* What Newton steps need, where the quality takes them: it may have changed since the last step. */
static StatusCode prepare_newton(LinearSolver *linear, Status *status) {
    System *system = linear->solver.system;
    bool wanted = linear->solver.options.scheme == SCHEME_TWO_LEVEL &&
                  quality_takes_newton_steps(linear->solver.options.quality);
    if (!wanted || linear->scratch.direction_single) {
        return STATUS_OK;
    }
    Store store = {0};
    StepScratch scratch = linear->scratch;
    scratch.begun = STORE_ARRAY(&store, Vec3, system->vertex_count);
    scratch.direction_single = STORE_ARRAY(&store, HessianVector, system->vertex_count);
    scratch.own = STORE_ARRAY(&store, Block, system->vertex_count);
    scratch.touch = STORE_ARRAY(&store, Block, system->vertex_count);
    scratch.shared = STORE_ARRAY(&store, SharedContact, system->vertex_count);
    scratch.corner_start = STORE_ARRAY(&store, int, system->vertex_count + 2);
    scratch.corner = STORE_ARRAY(&store, SharedCorner, CONTACT_VERTICES * system->vertex_count);
    StatusCode code = hessian_build(&linear->hessian, system, &store, status);
    code = code == STATUS_OK ? schwarz_build(&linear->schwarz, &linear->hessian, &store, status)
                             : code;
    if (code != STATUS_OK) {
        store_release(&store);
        return code;
    }
    linear->scratch = scratch;
    linear->solver.bytes += store.bytes;
    store_join(&linear->solver.store, &store);
    if (linear->solver.length > 0) { /* the matrix is there; else it is refreshed with that */
        hessian_refresh(&linear->hessian, substep_scale(&linear->solver.substep));
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

static void build_parts(void *context, int begin, int end) {
    Parts *parts = context;
    for (int part = begin; part < end; ++part) {
        if (part == 0) {
            prepare_factor(parts->linear, &parts->status[part]);
        } else if (part <= COARSE_PARTS) {
            coarse_build_part(parts->coarse, part - 1, &parts->status[part]);
        } else {
            prepare_newton(parts->linear, &parts->status[part]);
        }
    }
}

/* All of these. */
static StatusCode build_all(LinearSolver *linear, Status *status) {
    Solver *solver = &linear->solver;
    Parts parts = {.linear = linear, .coarse = coarse_begin(solver->system, status)};
    if (!parts.coarse) {
        return status->code;
    }
    for (int part = 0; part < PARTS; ++part) {
        status_clear(&parts.status[part]);
    }
    pool_each(solver->system->pool, PARTS, build_parts, &parts);
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

/* What only depends on the matrix and the pins, once these are factored. `numbers`: the matrix is another one; `kept`: which had
 * been factored before; `same`: which differs by the length alone. */
static void finish_prepare(LinearSolver *linear, double length, bool numbers, bool kept,
                           bool same) {
    if (linear->scratch.direction_single && same) {
        hessian_rescale(&linear->hessian, substep_scale(&linear->solver.substep));
    } else if (linear->scratch.direction_single && numbers) {
        hessian_refresh(&linear->hessian, substep_scale(&linear->solver.substep));
    }
    if (linear->coarse && kept) {
        coarse_use_set(linear->coarse, &linear->solver.substep, linear->set);
    } else if (linear->coarse && numbers) {
        coarse_prepare(linear->coarse, &linear->solver.substep, linear->set);
    } else if (linear->coarse) {
        coarse_update_pins(linear->coarse, &linear->solver.substep);
    }
    solver_set_current(&linear->solver, length);
    linear->pins_version = linear->solver.system->pins_version;
}

/* --- a factor for each length ---------------------------------------------------------------------- */

/* Where the length of substeps changes from frame to frame, each length is factored once. */

static bool is_of_this_matrix(const LinearSolver *linear, int set) {
    const FactoredLength *of = &linear->lengths[set];
    return of->length > 0 && of->matrix_version == linear->solver.system->matrix_version;
}

/* A set that is computed anew should be the one that is needed least: the present one or another one whose matrix is out of
 * date, which have their memory, then one that was never used, then the one that was not used for longest. */
static unsigned worth(const LinearSolver *linear, int set) {
    unsigned unused = linear->lengths[set].length > 0 ? 1 : 2;
    return is_of_this_matrix(linear, set) ? 3 + linear->lengths[set].used
           : set == linear->set           ? 0
                                          : unused;
}

/* The set that has this length, or else has to get it. */
static int choose_set(const LinearSolver *linear, double length) {
    int found = 0;
    for (int s = 0; s < FACTOR_SETS; ++s) {
        if (is_of_this_matrix(linear, s) && linear->lengths[s].length == length) {
            return s;
        }
        found = worth(linear, s) < worth(linear, found) ? s : found;
    }
    return found;
}

static void drop_other_lengths(LinearSolver *linear) {
    for (int s = 0; s < FACTOR_SETS; ++s) {
        linear->lengths[s].length = s == linear->set ? linear->lengths[s].length : 0;
    }
    factor_drop_others(linear->factor);
}

/* The factor of the matrix as it is now, computed or `kept`. */
static StatusCode use_factor(LinearSolver *linear, double length, bool *kept, Status *status) {
    const System *system = linear->solver.system;
    int set = choose_set(linear, length);
    bool known = linear->lengths[set].length == length && is_of_this_matrix(linear, set);
    linear->set = set;
    factor_use_set(linear->factor, set);
    StatusCode code = STATUS_OK;
    *kept = known && factor_set_is_ready(linear->factor, set, system->held);
    if (!*kept) {
        linear->lengths[set].length = 0; /* of none until it has worked */
        code = factor_compute(linear->factor, system->held, status);
    }
    if (code ==
        STATUS_ERROR_MEMORY) { /* the others are only there to save time: the next attempt has theirs */
        drop_other_lengths(linear);
    }
    if (code == STATUS_OK) {
        linear->lengths[set] = (FactoredLength){length, system->matrix_version, ++linear->uses};
    }
    return code;
}

static StatusCode linear_prepare(Solver *solver, double length, Status *status) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    StatusCode code = STATUS_OK;
    bool numbers = !solver_is_current(solver, length);
    bool same = solver->length > 0 && solver->matrix_version == system->matrix_version &&
                !system_is_damped(system); /* parts may be damped differently */
    bool kept = false, current = !numbers && linear->pins_version == system->pins_version;
    if (numbers) {
        solver->length = 0; /* out of date until it has worked */
        substep_set_length(&solver->substep, length);
        fill_matrix(linear);
        bool coarse_lacks = solver->options.scheme == SCHEME_TWO_LEVEL && !linear->coarse;
        code = coarse_lacks ? build_all(linear, status) : prepare_factor(linear, status);
    }
    code = code == STATUS_OK ? prepare_newton(linear, status) : code;
    solver->iterations = solver->options.iterations;
    if (code != STATUS_OK || current) {
        return code;
    }
    code = numbers ? use_factor(linear, length, &kept, status)
                   : factor_hold(linear->factor, system->held, status);
    if (code == STATUS_OK) {
        finish_prepare(linear, length, numbers, kept, same);
    }
    return code;
}

void linear_solver_drop_updates(Solver *solver) {
    const Factor *factor = linear_solver_factor(solver);
    solver->length = factor && factor_is_updated(factor) ? 0 : solver->length;
}

bool linear_solver_is_current(const Solver *solver) {
    return solver->length > 0 && solver_is_current(solver, solver->length) &&
           ((const LinearSolver *)solver)->pins_version == solver->system->pins_version;
}

static void linear_release(Solver *solver) {
    LinearSolver *linear = (LinearSolver *)solver;
    coarse_destroy(linear->coarse);
    factor_destroy(linear->factor);
}

const Factor *linear_solver_factor(const Solver *solver) {
    return ((const LinearSolver *)solver)->factor;
}

const Matrix *linear_solver_matrix(const Solver *solver) {
    return &((const LinearSolver *)solver)->matrix;
}

static StatusCode build(Solver *solver, Status *status) {
    LinearSolver *linear = (LinearSolver *)solver;
    System *system = solver->system;
    Store *store = &solver->store;
    Scheme scheme = solver->options.scheme;
    int vertices = system->vertex_count;
    solver->prepare = linear_prepare;
    solver->advance = scheme == SCHEME_TWO_LEVEL  ? linear_advance_two_level
                      : scheme == SCHEME_ANDERSON ? linear_advance_anderson
                                                  : linear_advance_plain;
    solver->release = linear_release;
    solver->two_level = scheme == SCHEME_TWO_LEVEL;
    solver->unbalanced = scheme != SCHEME_PLAIN;
    linear->matrix = system->stiffness;
    linear->matrix.value = STORE_ARRAY(store, double, linear->matrix.start[linear->matrix.size]);
    linear->softer = STORE_ARRAY(store, double, vertices);
    linear->change = STORE_ARRAY(store, Vec3, vertices);
    linear->trial = STORE_ARRAY(store, Vec3, vertices);
    linear->scratch = (StepScratch){.residual = STORE_ARRAY(store, Vec3, vertices),
                                    .preconditioned = STORE_ARRAY(store, Vec3, vertices),
                                    .direction = STORE_ARRAY(store, Vec3, vertices),
                                    .product = STORE_ARRAY(store, Vec3, vertices)};
    if (scheme != SCHEME_PLAIN) {
        linear->anderson = anderson_create(system, store, status);
    }
    bool built = linear_allocate_volumes(linear) &&
                 substep_build(&solver->substep, system, store, status) == STATUS_OK;
    if (built && scheme == SCHEME_TWO_LEVEL) {
        Rigid *rigid = &linear->rigid;
        built = rigid_build(rigid, system, store, status) == STATUS_OK &&
                islands_build(&linear->islands, rigid->component_count, rigid->component, store,
                              status) == STATUS_OK &&
                groups_build(&linear->groups, system, store, status) == STATUS_OK;
    }
    return built ? STATUS_OK : status_no_memory(status, "the solver");
}

Solver *linear_solver_create(System *system, const SolverOptions *options, Status *status) {
    return solver_make(sizeof(LinearSolver), system, options, build, status);
}
