/* Two levels: a Newton correction of the smooth motions, then a solve with the constant factor.
 * Every correction is accepted only if it lowers the incremental energy, and a solve always does (the
 * constant matrix bounds the Hessian), so the energy never rises over a substep. Where laws are not bounded a solve is
 * judged by the look at the energy that the round takes after it anyway. */
#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "solver/constant/convergence.h"
#include "solver/constant/linear.h"

/* Halvings of a correction before it is given up. */
#define HALVINGS 4
/* Pins nearer than this to where they fly by themselves do not leave their flight, m: targets are float32. */
#define STILL 1e-6

/* Cloth that would gain less by being carried along than this part of gravity gains starts where it is: it rests, and
 * trembles. */
#define TREMBLE 0.01

/* Rounds at least that a substep ends with after a Newton step: it leaves pressures of another place, and the next
 * substep's friction lives on them. */
#define ROUNDS_AFTER_NEWTON 2
/* Among contacts, a correction that gains less than this part of the solve after it is the last of its substep: worn
 * cloth has its smooth motions after one to three, and those after them take more time than all else in a round. */
#define WORTH_CORRECTING 0.1
/* Contacts of cloth with itself are few where there are this many times as many vertices. */
#define MEETING_SHARE 8
/* Layers strike each other where they are turned from their flight by more than so many times what gravity moves them. */
#define STRIKE 2.0

typedef struct Rounds {
    LinearSolver *linear;
    double energy;
    Vec3 *z;
    Convergence convergence;
    bool corrected; /* no more corrections in this substep */
    bool judged;    /* the round's solve is known not to raise the energy */
    bool pressed;   /* some of the cloth is compressed */
} Rounds;

static void evaluate(Rounds *rounds) {
    rounds->energy = linear_evaluate(rounds->linear, rounds->z);
}

static int solve_coarse(Rounds *rounds, const Vec3 *way) {
    LinearSolver *linear = rounds->linear;
    double begin = timing_now();
    int worked =
        coarse_correct(linear->coarse, &linear->solver.substep, rounds->z, way, linear->change);
    double seconds = timing_now() - begin;
    linear->solver.work.coarse_seconds += seconds;
    linear->solver.work.solve_seconds += seconds;
    ++linear->solver.work.corrections;
    return worked;
}

/* Pins that leave their straight flight take the smooth motions with them; no energy to compare yet. */
static void carry_pins(Rounds *rounds, const Vec3 *way) {
    LinearSolver *linear = rounds->linear;
    solve_coarse(rounds, way);
    linear_move(linear, rounds->z, 1.0, rounds->z);
    substep_place_pins(&linear->solver.substep, rounds->z);
    evaluate(rounds);
}

/* A correction with line search, unless there are to be no more. Leaves energy and gradient of the place it ends at;
 * returns what it gained. */
static double correct(Rounds *rounds) {
    double start = rounds->energy;
    if (!rounds->corrected && solve_coarse(rounds, NULL)) {
        linear_search(rounds->linear, HALVINGS, rounds->z, &rounds->energy);
    }
    return start - rounds->energy;
}

/* After a correction that gained so much and a solve or Newton step that gained so much. */
static void judge_correction(Rounds *rounds, double gained, double solved) {
    if (substep_contact_count(&rounds->linear->solver.substep) > 0) {
        rounds->corrected = gained < WORTH_CORRECTING * solved;
    }
}

typedef struct WayWork {
    const Substep *substep;
    const Vec3 *z;
    Vec3 *way;
} WayWork;

static double way_vertices(void *context, int begin, int end) {
    const WayWork *work = context;
    const System *system = work->substep->system;
    int leaving = 0;
    for (int i = begin; i < end; ++i) {
        work->way[i] = vec3(0, 0, 0);
        if (system->held[i]) {
            work->way[i] = vec3_sub(system->target[i], work->z[i]);
            leaving |= vec3_length(work->way[i]) > STILL;
        }
    }
    return leaving;
}

/* How far the held vertices are from their targets at z, and whether any leaves its straight flight. */
static int measure_way(const Substep *substep, const Vec3 *z, Vec3 *way) {
    WayWork work = {substep, z, way};
    const System *system = substep->system;
    return system_sum(system, way_vertices, &work) > 0;
}

/* From a round's result to the start of the next, extrapolated if that does not raise the energy. The bound
 * is the energy inside the round, before its solve: the round's own result is below it, or is taken back until it is. */
static void extrapolate(Rounds *rounds) {
    LinearSolver *linear = rounds->linear;
    Substep *substep = &linear->solver.substep;
    double bound = rounds->energy;
    int extrapolated = anderson_extrapolate(linear->anderson, substep, rounds->z);
    evaluate(rounds);
    if (rounds->energy <= bound) {
        return;
    }
    anderson_go_back(linear->anderson, rounds->z);
    if (extrapolated) {
        evaluate(rounds);
        ++linear->solver.work.rejected;
    }
    if (!rounds->judged && linear_take_back(linear, bound, rounds->z, &rounds->energy)) {
        /* remembers what is left of it */
        anderson_extrapolate(linear->anderson, substep, rounds->z);
    }
}

typedef struct RestWork {
    const Substep *substep;
    double most; /* m */
    bool rails;  /* these count, too */
} RestWork;

static double moving_vertices(void *context, int begin, int end) {
    const RestWork *work = context;
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
static bool pins_rest(const Substep *substep, double most, int rails) {
    const System *system = substep->system;
    RestWork work = {substep, most, rails};
    return system_sum(system, moving_vertices, &work) == 0;
}

/* Where the cloth stays as it is, but for pins. */
static void stay(Rounds *rounds) {
    const Substep *substep = &rounds->linear->solver.substep;
    const System *system = substep->system;
    system_copy(system, sizeof(Vec3), substep->present, rounds->z);
    substep_place_pins(substep, rounds->z);
}

/* The energy of that; where nothing has to be moved for it, the substep's start has shown most of it, that of all the cloth. */
static double staying_energy(Rounds *rounds) {
    Substep *substep = &rounds->linear->solver.substep;
    double begin = substep_clock(substep);
    bool known = isfinite(substep->start_elastic) && substep->present == substep->x &&
                 !substep->system->awake;
    if (known && pins_rest(substep, 0, 1)) {
        double energy = substep_start_energy(substep);
        rounds->linear->solver.work.force_seconds += substep_clock(substep) - begin;
        return energy;
    }
    stay(rounds);
    evaluate(rounds);
    return rounds->energy;
}

static void fly(Rounds *rounds) {
    const Substep *substep = &rounds->linear->solver.substep;
    linear_fly(substep, rounds->z);
    substep_place_pins(substep, rounds->z);
    evaluate(rounds);
}

/* Nothing to meet: starts where the cloth flies by itself, or where it is carried to or stays if that costs less. */
static void choose_alone(Rounds *rounds) {
    const Substep *substep = &rounds->linear->solver.substep;
    double staying = staying_energy(rounds);
    if (substep->present == substep->x && pins_rest(substep, STILL, 0)) {
        rounds->convergence.start_energy = staying;
    }
    fly(rounds);
    if (staying < rounds->energy) {
        rigid_carry(&rounds->linear->rigid, &rounds->linear->solver.substep, rounds->z);
        evaluate(rounds);
    }
    if (staying < rounds->energy) {
        stay(rounds);
        evaluate(rounds);
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

/* Where the clusters are carried to, if that gains enough over staying, and where layers slide to. The solver's trial
 * keeps it. Returns whether any do. */
static bool carry_among_contacts(Rounds *rounds) {
    LinearSolver *linear = rounds->linear;
    Substep *substep = &linear->solver.substep;
    const System *system = substep->system;
    double gain = rigid_carry(&linear->rigid, substep, linear->trial);
    double mass = system_sum(system, inertia_vertices, substep);
    double apart = TREMBLE * convergence_gravity(system) * substep->length * substep->length;
    const Vec3 *start = gain > 0.5 * mass * apart * apart ? linear->trial : substep->present;
    system_copy(system, sizeof(Vec3), start, rounds->z);
    substep_place_pins(substep, rounds->z);
    bool sliding = islands_slide(&linear->islands, substep, apart, rounds->z);
    system_copy(system, sizeof(Vec3), rounds->z, linear->trial);
    return sliding;
}

typedef struct MixWork {
    const Contacts *contacts;
    const Vec3 *carried;
    Vec3 *z;
} MixWork;

static void mix_vertices(void *context, int begin, int end) {
    const MixWork *work = context;
    for (int i = begin; i < end; ++i) {
        if (contacts_touch(work->contacts, i)) {
            work->z[i] = work->carried[i];
        }
    }
}

/* From flight: what touches something is carried, all else goes on flying, and a solve takes back what that stretches. Without
 * it every start but that which keeps the shape would look bad, and cloth that swings from what holds it would stop. */
static double fly_where_free(Rounds *rounds, const Vec3 *carried) {
    LinearSolver *linear = rounds->linear;
    const System *system = linear->solver.system;
    MixWork work = {&linear->solver.substep.around->contacts, carried, rounds->z};
    system_run(system, mix_vertices, &work);
    evaluate(rounds);
    linear_safe_step(linear, rounds->z, rounds->energy);
    evaluate(rounds);
    return rounds->energy;
}

/* Do layers meet all over? */
static bool layers_meet(const Substep *substep) {
    const System *system = substep->system;
    int contacts = substep_contact_count(substep);
    int meeting = contacts > 0 ? contacts - substep->around->contacts.body_count : 0;
    return meeting > 0 &&
           MEETING_SHARE * meeting >= subset_count(system->awake, system->vertex_count);
}

typedef struct StrikeWork {
    const Contacts *contacts;
    const Vec3 *flown, *start;
    double most; /* m */
} StrikeWork;

static double striking_vertices(void *context, int begin, int end) {
    const StrikeWork *work = context;
    int striking = 0;
    for (int i = begin; i < end; ++i) {
        striking |= contacts_touch(work->contacts, i) &&
                    vec3_distance(work->start[i], work->flown[i]) > work->most;
    }
    return striking;
}

/* Do layers strike each other on their way to where they fly? Newton steps would take vertices past what they have not met
 * yet, and what pushes these back throws the sheets apart with many times their energy. Cloth that goes through itself
 * needs them to come free. */
static bool layers_strike(const Rounds *rounds, const Vec3 *start) {
    const Substep *substep = &rounds->linear->solver.substep;
    double fall = convergence_gravity(substep->system) * substep->length * substep->length;
    if (!layers_meet(substep) || substep->around->self.piercings > 0) {
        return false;
    }
    StrikeWork work = {&substep->around->contacts, rounds->z, start, STRIKE * fall};
    return system_sum(substep->system, striking_vertices, &work) > 0;
}

/* Newton steps have to mend what that start strains, and layers would fly into each other. */
static bool may_fly(const Rounds *rounds) {
    return rounds->convergence.newton_interval > 0 && !layers_meet(&rounds->linear->solver.substep);
}

/* Starts where the cloth flies by itself, or where it is carried to with its shape kept, or flies where it is free, whichever
 * costs least. Flying keeps the noise of all vertices, which few rounds among contacts do not calm; staying where it is
 * would brake it. What is led flies to where it is led. */
static void choose_start(Rounds *rounds, int leaving) {
    LinearSolver *linear = rounds->linear;
    const System *system = linear->solver.system;
    if (leaving) {
        evaluate(rounds);
        return;
    }
    if (substep_contact_count(&linear->solver.substep) == 0) {
        choose_alone(rounds);
        return;
    }
    if (linear->solver.options.led) {
        fly(rounds);
        return;
    }
    Vec3 *start = linear->press.product;
    size_t bytes = sizeof(Vec3);
    bool sliding = carry_among_contacts(rounds), detect = rounds->convergence.detect_at_start;
    system_copy(system, bytes, rounds->z, start);
    evaluate(rounds);
    double carried = rounds->energy;
    fly(rounds);
    if (rounds->energy <= carried) {
        return;
    }
    if (layers_strike(rounds, start)) {
        rounds->convergence.newton_interval = 0;
    }
    bool free = !sliding && may_fly(rounds) && fly_where_free(rounds, start) <= carried;
    if (!free) {
        system_copy(system, bytes, start, rounds->z);
    }
    if ((detect && !free) || sliding) {
        substep_meet_again(&linear->solver.substep, rounds->z);
    }
    if (sliding) {
        carry_among_contacts(rounds);
    }
    if (!free) {
        evaluate(rounds);
    }
}

/* Does this round take a Newton step? Not the first: its solve shows which contacts there are. */
static bool takes_newton_step(const Rounds *rounds, int count) {
    const Convergence *convergence = &rounds->convergence;
    const Substep *substep = &rounds->linear->solver.substep;
    return convergence->newton_interval > 0 && count > 1 && count <= convergence->newton_last &&
           count % convergence->newton_interval == 0 && substep_contact_count(substep) > 0 &&
           convergence_folds(convergence, substep);
}

/* Are contacts looked for again after this round? Between layers after each Newton step: else sheets that lie on each other
 * throw each other aside. */
static bool meets_again(const Rounds *rounds, int count, int newton) {
    const Convergence *convergence = &rounds->convergence;
    const Solver *solver = &rounds->linear->solver;
    bool wanted = count <= convergence->detect_always || count % convergence->detect_every == 0 ||
                  (newton && convergence->layered);
    return wanted && !solver->options.led && solver->substep.around;
}

/* The solve of a round. Where the energy will change with the contacts, or nothing is to look at it any more, it is judged
 * at once. */
static double solve(Rounds *rounds, int count, int newton) {
    LinearSolver *linear = rounds->linear;
    rounds->judged = newton || count == rounds->convergence.most ||
                     meets_again(rounds, count, newton) || !linear->solver.system->laws.unbounded;
    return rounds->judged ? linear_safe_step(linear, rounds->z, rounds->energy)
                          : linear_solve_step(linear, rounds->z);
}

/* From a round's solve to the start of the next. */
static void finish_round(Rounds *rounds, int count, int newton) {
    LinearSolver *linear = rounds->linear;
    if (meets_again(rounds, count, newton)) {
        substep_meet_again(&linear->solver.substep, rounds->z);
    }
    if (newton) {
        anderson_forget(linear->anderson);
        evaluate(rounds);
    } else {
        extrapolate(rounds);
    }
}

/* What the rounds leave undone where nothing touches is folds, which the constant matrix takes for stiff: Newton steps,
 * each after a correction of the smooth motions, until one gains little. Cloth whose forces balance takes none, unless it
 * is pressed and may buckle: what they leave undone would keep it trembling. */
static void fold(Rounds *rounds) {
    LinearSolver *linear = rounds->linear;
    const Convergence *convergence = &rounds->convergence;
    double gained = INFINITY;
    if (!rounds->pressed &&
        convergence_is_balanced(convergence, &linear->solver.substep, rounds->z)) {
        return;
    }
    for (int step = 0;
         step < convergence->fold_steps && gained > convergence->fold_gain &&
         substep_contact_count(&linear->solver.substep) == 0 && !solver_cancelled(&linear->solver);
         ++step) {
        double before = rounds->energy;
        if (step > 0) {
            correct(rounds);
        }
        linear_newton_step(linear, convergence->fold_limit, rounds->z, &rounds->energy);
        gained = before - rounds->energy;
        substep_meet_again(&linear->solver.substep, rounds->z);
        if (substep_contact_count(&linear->solver.substep) > 0) {
            evaluate(rounds);
        }
    }
}

/* Correction and solve, again and again, until enough is reached; then folds, and a solve comes last. Among contacts
 * some rounds take Newton steps instead of solves: few, as they are expensive. */
static void run_rounds(Rounds *rounds, int leaving) {
    LinearSolver *linear = rounds->linear;
    Convergence *convergence = &rounds->convergence;
    int since_newton = ROUNDS_AFTER_NEWTON; /* rounds since the last Newton step */
    for (int count = 1; count <= convergence->most && !solver_cancelled(&linear->solver); ++count) {
        double gained = INFINITY;
        linear->solver.rounds = count;
        if (count == 1 && leaving) {
            carry_pins(rounds, linear->trial);
            anderson_begin(linear->anderson, rounds->z);
        } else {
            anderson_begin(linear->anderson, rounds->z);
            gained = correct(rounds);
        }
        if (count == 1) {
            convergence_note(convergence, 0, rounds->energy);
        }
        int newton = takes_newton_step(rounds, count);
        double before = rounds->energy, solved;
        if (newton &&
            linear_newton_step(linear, convergence->newton_limit, rounds->z, &rounds->energy)) {
            solved = before - rounds->energy;
            convergence_note_newton(convergence, solved);
        } else {
            solved = solve(rounds, count, newton);
        }
        judge_correction(rounds, gained, solved);
        bool last = count == convergence->most, folds = convergence->fold_steps > 0;
        if (last && (!folds || substep_contact_count(&linear->solver.substep) > 0)) {
            break;
        }
        finish_round(rounds, count, newton);
        convergence_note(convergence, count, rounds->energy);
        since_newton = newton ? 0 : since_newton + 1;
        if (last ||
            (since_newton >= ROUNDS_AFTER_NEWTON &&
             convergence_has_converged(convergence, &linear->solver.substep, rounds->z, count))) {
            fold(rounds);
            linear_safe_step(linear, rounds->z, rounds->energy);
            break;
        }
    }
}

/* The rounds of what takes part, whose contacts have been looked for where it flies to: z. */
static void solve_awake(LinearSolver *linear, Vec3 *z) {
    Solver *solver = &linear->solver;
    Substep *substep = &solver->substep;
    Rounds rounds = {.linear = linear, .z = z};
    linear->reach = 1.0;
    int leaving = measure_way(substep, z, linear->trial);
    convergence_set(&rounds.convergence, substep, solver->options.quality,
                    solver->options.iterations, coarse_is_curved(linear->coarse),
                    layers_meet(substep));
    anderson_forget(linear->anderson);
    /* Smooth motions know no contacts: pins that take layers with them by these would drive them into each other. */
    leaving = leaving && !layers_meet(substep);
    choose_start(&rounds, leaving);
    rounds.pressed = imperfection_add(&substep->imperfection, substep->present, z);
    if (rounds.pressed) {
        evaluate(&rounds);
    }
    run_rounds(&rounds, leaving);
}

/* What takes part is another group, or all again. */
static void wake(LinearSolver *linear) {
    const Subset *awake = linear->solver.system->awake;
    factor_restrict_to(linear->factor, awake ? awake->has : NULL);
    coarse_wake(linear->coarse);
}

/* One group after the other. */
static void solve_groups(LinearSolver *linear, const Past *past, Vec3 *z) {
    Solver *solver = &linear->solver;
    Substep *substep = &solver->substep;
    int rounds = 0;
    size_t bytes = (size_t)solver->system->vertex_count * sizeof(Vec3);
    memset(substep->gradient, 0,
           bytes); /* the factor reads those of other groups, which have to be finite */
    memset(linear->press.residual, 0, bytes);
    substep_open(substep, past->positions[0], z);
    for (int g = 0; g < linear->groups.count && !solver_cancelled(solver); ++g) {
        groups_wake(&linear->groups, solver->system, g);
        wake(linear);
        substep_look(substep, past->positions[0], z);
        solve_awake(linear, z);
        rounds = solver->rounds > rounds ? solver->rounds : rounds;
        if (substep->around) {
            contact_world_put_aside(substep->around);
        }
        groups_wake_all(&linear->groups, solver->system);
        wake(linear);
    }
    solver->rounds = rounds;
    if (substep->around) {
        contact_world_put_together(substep->around);
    }
}

void linear_advance_two_level(Solver *solver, const Past *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    Substep *substep = &solver->substep;
    double begin = substep_clock(substep);
    substep_begin(substep, past->start, past->velocity);
    substep->present = past->present ? past->present : past->start;
    linear_look_at_volumes(linear);
    linear_fly(substep, z);
    int groups = groups_find(&linear->groups, substep, z);
    solver->work.assemble_seconds += substep_clock(substep) - begin;
    /* one group of several pieces, too: what is summed must not hang on pieces that may be elsewhere */
    if (groups > 1 || (solver->system->piece_count > 1 && !solver->system->laws.rows_only)) {
        solve_groups(linear, past, z);
    } else {
        substep_meet(substep, past->positions[0], z);
        solve_awake(linear, z);
    }
}
