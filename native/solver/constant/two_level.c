/* Two levels: a Newton correction of the smooth motions, then a solve with the constant factor.
 * Every correction is accepted only if it lowers the incremental energy, and a solve always does (the
 * constant matrix bounds the Hessian), so the energy never rises over a substep. Where laws are not bounded a solve is
 * judged by the energy that the iteration evaluates after it anyway. */
#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "solver/constant/convergence.h"
#include "solver/constant/linear.h"

/* Halvings of a correction before it is given up. */
#define HALVINGS 4
/* Pins nearer than this to the end of their free flight do not deviate from it, m: targets are float32. */
#define STILL 1e-6

/* Cloth that would gain less by a rigid motion than this part of gravity gains starts at rest: it only trembles. */
#define TREMBLE 0.01

/* Iterations at least that a substep ends with after a Newton step: it leaves pressures of another place, and the next
 * substep's friction lives on them. */
#define ITERATIONS_AFTER_NEWTON 2
/* Among contacts, a correction that gains less than this part of the solve after it is the last of its substep: worn
 * cloth has its smooth motions after one to three, and those after them take more time than all else in an iteration. */
#define WORTH_CORRECTING 0.1
/* Contacts of cloth with itself are few where there are this many times as many vertices. */
#define MEETING_SHARE 8
/* Layers strike each other where contacts deflect them from their flight by more than so many times the fall in a substep. */
#define STRIKE 2.0

typedef struct TwoLevel {
    LinearSolver *linear;
    double energy;
    Vec3 *z;
    Convergence convergence;
    bool corrected;  /* no more corrections in this substep */
    bool safe;       /* the iteration's solve is known not to raise the energy */
    bool compressed; /* some of the cloth is */
} TwoLevel;

static void evaluate(TwoLevel *state) { state->energy = linear_evaluate(state->linear, state->z); }

static bool is_touching(const TwoLevel *state) {
    return substep_contact_count(&state->linear->solver.substep) > 0;
}

static bool solve_coarse(TwoLevel *state, const Vec3 *offset) {
    LinearSolver *linear = state->linear;
    double begin = timing_now();
    bool worked =
        coarse_correct(linear->coarse, &linear->solver.substep, state->z, offset, linear->change);
    double seconds = timing_now() - begin;
    linear->solver.work.coarse_seconds += seconds;
    linear->solver.work.solve_seconds += seconds;
    ++linear->solver.work.corrections;
    return worked;
}

/* The smooth motions follow pins that leave their straight flight; there is no energy to compare yet. */
static void follow_pins(TwoLevel *state, const Vec3 *offset) {
    LinearSolver *linear = state->linear;
    solve_coarse(state, offset);
    substep_move(&linear->solver.substep, state->z, 1.0, linear->change, state->z);
    substep_place_pins(&linear->solver.substep, state->z);
    evaluate(state);
}

/* A correction with line search, unless there are to be no more. Leaves energy and gradient of the place it ends at;
 * returns what it gained. */
static double correct_smooth(TwoLevel *state) {
    double start = state->energy;
    if (!state->corrected && solve_coarse(state, NULL)) {
        linear_line_search(state->linear, HALVINGS, state->z, &state->energy);
    }
    return start - state->energy;
}

/* What the loops over vertices below need. */
typedef struct VertexWork {
    const Substep *substep;
    const Vec3 *from;
    Vec3 *to;
    double most; /* m */
    bool rails;  /* these count, too */
} VertexWork;

static double measure_pins(void *context, int begin, int end) {
    const VertexWork *work = context;
    const System *system = work->substep->system;
    int pins_deviate = 0;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3(0, 0, 0);
        if (system->held[i]) {
            work->to[i] = vec3_sub(system->target[i], work->from[i]);
            pins_deviate |= vec3_length(work->to[i]) > STILL;
        }
    }
    return pins_deviate;
}

/* How far the held vertices are from their targets at z, and whether any leaves its straight flight. */
static bool measure_pin_offsets(const Substep *substep, const Vec3 *z, Vec3 *offset) {
    VertexWork work = {.substep = substep, .from = z, .to = offset};
    return system_sum(substep->system, measure_pins, &work) > 0;
}

/* From the result of one iteration to the start of the next, extrapolated if that does not raise the energy. The bound is
 * the energy before the solve: the result is below it, or is taken back until it is. */
static void extrapolate(TwoLevel *state) {
    LinearSolver *linear = state->linear;
    Substep *substep = &linear->solver.substep;
    double bound = state->energy;
    int extrapolated = anderson_extrapolate(linear->anderson, substep, state->z);
    evaluate(state);
    if (state->energy <= bound) {
        return;
    }
    anderson_go_back(linear->anderson, state->z);
    if (extrapolated) {
        evaluate(state);
        ++linear->solver.work.rejected;
    }
    if (!state->safe && linear_backtrack(linear, bound, state->z, &state->energy)) {
        /* of what is left of it */
        anderson_extrapolate(linear->anderson, substep, state->z);
    }
}

static double moving_vertices(void *context, int begin, int end) {
    const VertexWork *work = context;
    const System *system = work->substep->system;
    const Vec3 *x = work->substep->present;
    int moving = 0;
    for (int i = begin; i < end; ++i) {
        moving |= system->held[i] && vec3_distance(system->target[i], x[i]) > work->most;
        moving |=
            work->rails && i >= system->rail_from && fabs(system->rail[i] - x[i].x) > work->most;
    }
    return moving;
}

/* Do all pins end the substep at most so far from where they started it? */
static bool pins_rest(const Substep *substep, double most, bool rails) {
    VertexWork work = {.substep = substep, .most = most, .rails = rails};
    return system_sum(substep->system, moving_vertices, &work) == 0;
}

/* At rest, but for pins. */
static void start_at_rest(TwoLevel *state) {
    const Substep *substep = &state->linear->solver.substep;
    system_copy(substep->system, sizeof(Vec3), substep->present, state->z);
    substep_place_pins(substep, state->z);
    evaluate(state);
}

/* The energy of that; where no pin moves, the substep's start has computed the elastic part for all of the cloth. */
static double rest_energy(TwoLevel *state) {
    Substep *substep = &state->linear->solver.substep;
    double begin = substep_clock(substep);
    bool known = isfinite(substep->start_elastic) && substep->present == substep->x &&
                 !substep->system->awake;
    if (known && pins_rest(substep, 0, true)) {
        double energy = substep_start_energy(substep);
        state->linear->solver.work.force_seconds += substep_clock(substep) - begin;
        return energy;
    }
    start_at_rest(state);
    return state->energy;
}

static void start_predicted(TwoLevel *state) {
    const Substep *substep = &state->linear->solver.substep;
    substep_predict(substep, state->z);
    substep_place_pins(substep, state->z);
    evaluate(state);
}

/* Without contacts: starts at the end of the free flight, or of a rigid motion, or at rest, whichever costs least. */
static void start_without_contacts(TwoLevel *state) {
    const Substep *substep = &state->linear->solver.substep;
    double resting = rest_energy(state);
    if (substep->present == substep->x && pins_rest(substep, STILL, false)) {
        state->convergence.start_energy = resting;
    }
    start_predicted(state);
    if (resting < state->energy) {
        rigid_predict(&state->linear->rigid, substep, state->z);
        evaluate(state);
    }
    if (resting < state->energy) {
        start_at_rest(state);
    }
}

static double inertia_vertices(void *context, int begin, int end) {
    const Substep *substep = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += substep->inertia[i];
    }
    return sum;
}

/* Where the clusters' rigid motions end, if they gain enough over resting, and where layers slide to; kept in the solver's
 * trial, too. Returns whether any slide. */
static bool move_rigidly(TwoLevel *state) {
    LinearSolver *linear = state->linear;
    Substep *substep = &linear->solver.substep;
    const System *system = substep->system;
    double gain = rigid_predict(&linear->rigid, substep, linear->trial);
    double mass = system_sum(system, inertia_vertices, substep);
    double apart = TREMBLE * convergence_gravity(system) * substep->length * substep->length;
    const Vec3 *start = gain > 0.5 * mass * apart * apart ? linear->trial : substep->present;
    system_copy(system, sizeof(Vec3), start, state->z);
    substep_place_pins(substep, state->z);
    bool sliding = islands_predict(&linear->islands, substep, apart, state->z);
    system_copy(system, sizeof(Vec3), state->z, linear->trial);
    return sliding;
}

static void take_touching(void *context, int begin, int end) {
    const VertexWork *work = context;
    for (int i = begin; i < end; ++i) {
        if (contacts_touch(&work->substep->world->contacts, i)) {
            work->to[i] = work->from[i];
        }
    }
}

/* What touches something moves rigidly, all else keeps its free flight, and a solve undoes what that stretches. Without
 * the solve every start that changes the shape would cost more, and cloth that swings from a pin would stop. */
static double predict_where_free(TwoLevel *state, const Vec3 *rigid) {
    LinearSolver *linear = state->linear;
    VertexWork work = {.substep = &linear->solver.substep, .from = rigid, .to = state->z};
    system_run(linear->solver.system, take_touching, &work);
    evaluate(state);
    linear_safe_step(linear, state->z, state->energy);
    evaluate(state);
    return state->energy;
}

/* Do layers meet all over? */
static bool layers_meet(const Substep *substep) {
    const System *system = substep->system;
    int contacts = substep_contact_count(substep);
    int meeting = contacts > 0 ? contacts - substep->world->contacts.body_count : 0;
    return meeting > 0 &&
           MEETING_SHARE * meeting >= subset_count(system->awake, system->vertex_count);
}

static double striking_vertices(void *context, int begin, int end) {
    const VertexWork *work = context;
    int striking = 0;
    for (int i = begin; i < end; ++i) {
        striking |= contacts_touch(&work->substep->world->contacts, i) &&
                    vec3_distance(work->from[i], work->to[i]) > work->most;
    }
    return striking;
}

/* Do layers strike each other before the end of their free flight? Newton steps would take vertices past what they have
 * not met yet, and what pushes these back throws the sheets apart with many times their energy. Cloth that passes through
 * itself needs them to come free. */
static bool layers_strike(const TwoLevel *state, const Vec3 *start) {
    const Substep *substep = &state->linear->solver.substep;
    double fall = convergence_gravity(substep->system) * substep->length * substep->length;
    if (!layers_meet(substep) || substep->world->self.piercings > 0) {
        return false;
    }
    VertexWork work = {.substep = substep, .from = start, .to = state->z, .most = STRIKE * fall};
    return system_sum(substep->system, striking_vertices, &work) > 0;
}

/* Starts at the end of the free flight, or of a rigid motion, or of one that is rigid only in contact, whichever
 * costs least. Flying keeps the noise of all vertices, which few iterations among contacts do not calm; staying where it is
 * would brake it. A prescribed motion starts at its end. */
static void choose_start(TwoLevel *state, bool pins_deviate) {
    LinearSolver *linear = state->linear;
    const System *system = linear->solver.system;
    if (pins_deviate) {
        evaluate(state);
        return;
    }
    if (!is_touching(state)) {
        start_without_contacts(state);
        return;
    }
    if (linear->solver.options.prescribed) {
        start_predicted(state);
        return;
    }
    Vec3 *start = linear->scratch.product;
    bool sliding = move_rigidly(state);
    system_copy(system, sizeof *start, state->z, start);
    evaluate(state);
    double rigid = state->energy;
    start_predicted(state);
    if (state->energy <= rigid) {
        return;
    }
    if (layers_strike(state, start)) {
        state->convergence.newton_interval = 0;
    }
    /* Newton steps have to undo the strain of the free flight, and layers would fly into each other. */
    bool free = !sliding && state->convergence.newton_interval > 0 &&
                !layers_meet(&linear->solver.substep) && predict_where_free(state, start) <= rigid;
    if (free) {
        return;
    }
    system_copy(system, sizeof *start, start, state->z);
    if (state->convergence.detect_at_start || sliding) {
        substep_refresh_contacts(&linear->solver.substep, state->z);
    }
    if (sliding) {
        move_rigidly(state);
    }
    evaluate(state);
}

/* Does this iteration take a Newton step? Not the first: its solve shows which contacts there are. */
static bool takes_newton_step(const TwoLevel *state, int count) {
    const Convergence *convergence = &state->convergence;
    return convergence->newton_interval > 0 && count > 1 && count <= convergence->newton_last &&
           count % convergence->newton_interval == 0 && is_touching(state) &&
           convergence_wants_newton(convergence, &state->linear->solver.substep);
}

/* Are contacts found again after this iteration? Between layers after each Newton step: else sheets that lie on each other
 * throw each other aside. */
static bool refreshes_contacts(const TwoLevel *state, int count, bool newton) {
    const Convergence *convergence = &state->convergence;
    const Solver *solver = &state->linear->solver;
    bool wanted = count <= convergence->detect_always || count % convergence->detect_every == 0 ||
                  (newton && convergence->layered);
    return wanted && !solver->options.prescribed && solver->substep.world;
}

/* The solve of an iteration. Where contacts will change the energy, or nothing evaluates it any more, the solve is
 * judged at once. */
static double solve(TwoLevel *state, int count, bool newton) {
    LinearSolver *linear = state->linear;
    state->safe = newton || count == state->convergence.most ||
                  refreshes_contacts(state, count, newton) ||
                  !linear->solver.system->laws.unbounded;
    return state->safe ? linear_safe_step(linear, state->z, state->energy)
                       : linear_solve_step(linear, state->z);
}

/* From the solve of an iteration to the start of the next. */
static void finish_iteration(TwoLevel *state, int count, bool newton) {
    LinearSolver *linear = state->linear;
    if (refreshes_contacts(state, count, newton)) {
        substep_refresh_contacts(&linear->solver.substep, state->z);
    }
    if (newton) {
        anderson_forget(linear->anderson);
        evaluate(state);
    } else {
        extrapolate(state);
    }
}

/* What the iterations leave undone where nothing touches is folds, which the constant matrix takes for stiff: Newton steps,
 * each after a correction of the smooth motions, until one gains little. Cloth whose forces balance takes none, unless it
 * is compressed and may buckle: what they leave undone would keep it trembling. */
static void take_fold_steps(TwoLevel *state) {
    LinearSolver *linear = state->linear;
    const Convergence *convergence = &state->convergence;
    double gained = INFINITY;
    if (!state->compressed &&
        convergence_is_balanced(convergence, &linear->solver.substep, state->z)) {
        return;
    }
    for (int step = 0; step < convergence->fold_steps && gained > convergence->fold_gain &&
                       !is_touching(state) && !solver_cancelled(&linear->solver);
         ++step) {
        double before = state->energy;
        if (step > 0) {
            correct_smooth(state);
        }
        linear_newton_step(linear, convergence->fold_limit, state->z, &state->energy);
        gained = before - state->energy;
        substep_refresh_contacts(&linear->solver.substep, state->z);
        if (is_touching(state)) {
            evaluate(state);
        }
    }
}

/* Correction and solve, again and again, until enough is reached; then folds, and a solve comes last. Among contacts
 * some iterations take Newton steps instead of solves: few, as they are expensive. */
static void iterate(TwoLevel *state, bool pins_deviate) {
    LinearSolver *linear = state->linear;
    Convergence *convergence = &state->convergence;
    int since_newton = ITERATIONS_AFTER_NEWTON;
    for (int count = 1; count <= convergence->most && !solver_cancelled(&linear->solver); ++count) {
        double gained = INFINITY;
        linear->solver.iterations = count;
        if (count == 1 && pins_deviate) {
            follow_pins(state, linear->trial);
            anderson_begin(linear->anderson, state->z);
        } else {
            anderson_begin(linear->anderson, state->z);
            gained = correct_smooth(state);
        }
        if (count == 1) {
            convergence->energy[0] = state->energy;
        }
        bool newton = takes_newton_step(state, count);
        double before = state->energy, solved;
        if (newton &&
            linear_newton_step(linear, convergence->newton_limit, state->z, &state->energy)) {
            solved = before - state->energy;
            convergence_record_newton(convergence, solved);
        } else {
            solved = solve(state, count, newton);
        }
        state->corrected =
            is_touching(state) ? gained < WORTH_CORRECTING * solved : state->corrected;
        bool last = count == convergence->most, folds = convergence->fold_steps > 0;
        if (last && (!folds || is_touching(state))) {
            break;
        }
        finish_iteration(state, count, newton);
        if (count <= MOST_ITERATIONS) { /* custom ones may be more, and end by their number */
            convergence->energy[count] = state->energy;
        }
        since_newton = newton ? 0 : since_newton + 1;
        if (last ||
            (since_newton >= ITERATIONS_AFTER_NEWTON &&
             convergence_has_converged(convergence, &linear->solver.substep, state->z, count))) {
            take_fold_steps(state);
            linear_safe_step(linear, state->z, state->energy);
            break;
        }
    }
}

/* The iterations of what is awake, whose contacts have been found at the end of its free flight: z. */
static void solve_awake(LinearSolver *linear, Vec3 *z) {
    Solver *solver = &linear->solver;
    Substep *substep = &solver->substep;
    TwoLevel state = {.linear = linear, .z = z};
    linear->relaxation = 1.0;
    bool pins_deviate = measure_pin_offsets(substep, z, linear->trial);
    convergence_set(&state.convergence, substep, solver->options.quality,
                    solver->options.iterations, coarse_is_curved(linear->coarse),
                    layers_meet(substep));
    anderson_forget(linear->anderson);
    /* Smooth motions know no contacts: pins that take layers with them by these would drive them into each other. */
    pins_deviate = pins_deviate && !layers_meet(substep);
    choose_start(&state, pins_deviate);
    state.compressed = imperfection_add(&substep->imperfection, substep->present, z);
    if (state.compressed) {
        evaluate(&state);
    }
    iterate(&state, pins_deviate);
}

/* After another group, or all of the cloth, has been woken. */
static void follow_awake(LinearSolver *linear) {
    const Subset *awake = linear->solver.system->awake;
    factor_restrict_to(linear->factor, awake ? awake->has : NULL);
    coarse_wake(linear->coarse);
}

/* One group after the other. */
static void solve_groups(LinearSolver *linear, const StateHistory *past, Vec3 *z) {
    Solver *solver = &linear->solver;
    Substep *substep = &solver->substep;
    int iterations = 0;
    size_t bytes = (size_t)solver->system->vertex_count * sizeof(Vec3);
    /* the factor reads those of other groups, which have to be finite */
    memset(substep->gradient, 0, bytes);
    memset(linear->scratch.residual, 0, bytes);
    substep_begin_contacts(substep, past->positions[0], z);
    for (int g = 0; g < linear->groups.count && !solver_cancelled(solver); ++g) {
        groups_wake(&linear->groups, solver->system, g);
        follow_awake(linear);
        substep_find_awake_contacts(substep, past->positions[0], z);
        solve_awake(linear, z);
        iterations = solver->iterations > iterations ? solver->iterations : iterations;
        if (substep->world) {
            contact_world_put_aside(substep->world);
        }
        groups_wake_all(&linear->groups, solver->system);
        follow_awake(linear);
    }
    solver->iterations = iterations;
    if (substep->world) {
        contact_world_put_together(substep->world);
    }
}

void linear_advance_two_level(Solver *solver, const StateHistory *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    Substep *substep = &solver->substep;
    double begin = substep_clock(substep);
    substep_begin(substep, past->start, past->velocity);
    substep->present = past->present ? past->present : past->start;
    linear_update_volumes(linear);
    substep_predict(substep, z);
    int groups = groups_find(&linear->groups, substep, z);
    solver->work.assemble_seconds += substep_clock(substep) - begin;
    /* one group of several pieces, too: sums must not depend on pieces that may be elsewhere */
    if (groups > 1 || (solver->system->piece_count > 1 && !solver->system->laws.rows_only)) {
        solve_groups(linear, past, z);
    } else {
        substep_find_contacts(substep, past->positions[0], z);
        solve_awake(linear, z);
    }
}
