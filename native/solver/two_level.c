/* Two levels: a Newton correction of the smooth motions, then a solve with the constant factor.
 * Every correction is accepted only if it lowers the incremental energy, and a solve always does (the
 * constant matrix bounds the Hessian), so the energy never rises over a substep. */
#include <math.h>
#include <string.h>

#include "base/timing.h"
#include "solver/linear.h"

/* Halvings of a correction before it is given up. */
#define HALVINGS 4
/* Part of the expected decrease that must be seen. */
#define DECREASE 1e-4
/* Pins nearer than this to where they fly by themselves do not leave their flight, m: targets are float32. */
#define STILL 1e-6
/* Rounds at most where the quality decides. */
#define MOST_ROUNDS 64
/* What an unbalanced acceleration is compared with where there is no gravity, m/s^2. */
#define EARTH 9.81

/* When to stop: the acceleration that the rounds may still leave out, as a part of gravity, root mean
 * square over the cloth. Found by tools/bench lively. */
static const double lag_allowed[] = {
    [QUALITY_DRAFT] = 0.8, [QUALITY_FIT] = 0.3, [QUALITY_FINAL] = 0.1};
/* A garment that is no flat sheet folds in motions finer than its patches, and gets there slowly: the first
 * rounds show little progress though much is left. */
static const int least_rounds[] = {[QUALITY_DRAFT] = 2, [QUALITY_FIT] = 6, [QUALITY_FINAL] = 10};
#define LEAST_FLAT 2
#define CURVED_LAG 0.5
/* A round late in a substep gains at most this part of what one half as late gained, or the rounds creep. */
#define SLOWING 0.5
/* The forces count as balanced below this part of the acceleration that may be left out. */
#define BALANCED 0.1

typedef struct Rounds {
    LinearSolver *linear;
    double energy;
    Vec3 *z;
    int least, most;
    double enough;                   /* the energy that may be left to gain, kg m^2 */
    double staying;                  /* energy where the cloth is; infinite if pins move */
    double reached[MOST_ROUNDS + 1]; /* energy after the first correction, and after each round */
} Rounds;

static void evaluate(Rounds *rounds) {
    double begin = timing_now();
    rounds->energy = substep_evaluate(&rounds->linear->solver.substep, rounds->z);
    rounds->linear->solver.work.estimate_seconds += timing_now() - begin;
}

typedef struct SlopeWork {
    const Vec3 *gradient, *change;
} SlopeWork;

static double slope_vertices(void *context, int begin, int end) {
    const SlopeWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(work->gradient[i], work->change[i]);
    }
    return sum;
}

typedef struct TrialWork {
    const Vec3 *z, *change;
    double part;
    Vec3 *trial;
} TrialWork;

static void trial_vertices(void *context, int begin, int end) {
    const TrialWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->trial[i] = vec3_madd(work->z[i], -work->part, work->change[i]);
    }
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
    System *system = linear->solver.system;
    solve_coarse(rounds, way);
    TrialWork work = {rounds->z, linear->change, 1.0, rounds->z};
    pool_run(system->pool, system->vertex_count, trial_vertices, &work);
    substep_place_pins(&linear->solver.substep, rounds->z);
    evaluate(rounds);
}

/* A correction with line search. Leaves energy and gradient of the place it ends at. */
static void correct(Rounds *rounds) {
    LinearSolver *linear = rounds->linear;
    System *system = linear->solver.system;
    Substep *substep = &linear->solver.substep;
    if (!solve_coarse(rounds, NULL)) {
        return;
    }
    SlopeWork slope_work = {substep->gradient, linear->change};
    double slope = pool_sum(system->pool, system->vertex_count, slope_vertices, &slope_work);
    TrialWork work = {rounds->z, linear->change, 1.0, linear->trial};
    for (int halving = 0; halving < HALVINGS; ++halving, work.part *= 0.5) {
        pool_run(system->pool, system->vertex_count, trial_vertices, &work);
        double begin = timing_now();
        double energy = substep_evaluate(substep, linear->trial);
        linear->solver.work.estimate_seconds += timing_now() - begin;
        if (energy <= rounds->energy - DECREASE * work.part * slope) {
            memcpy(rounds->z, linear->trial, (size_t)system->vertex_count * sizeof(Vec3));
            rounds->energy = energy;
            return;
        }
    }
    ++linear->solver.work.rejected;
    evaluate(rounds); /* back to the gradient at z */
}

/* How far the held vertices are from their targets at z, and whether any leaves its straight flight. */
static int measure_way(const Substep *substep, const Vec3 *z, Vec3 *way) {
    const System *system = substep->system;
    int leaving = 0;
    for (int i = 0; i < system->vertex_count; ++i) {
        way[i] = vec3(0, 0, 0);
        if (system->held[i]) {
            way[i] = vec3_sub(system->target[i], z[i]);
            leaving |= vec3_length(way[i]) > STILL;
        }
    }
    return leaving;
}

/* From a round's result to the start of the next, extrapolated if that does not raise the energy. The bound
 * is the energy inside the round, before its solve: the round's own result is below it. */
static void extrapolate(Rounds *rounds) {
    LinearSolver *linear = rounds->linear;
    double bound = rounds->energy;
    anderson_extrapolate(linear->anderson, &linear->solver.substep, rounds->z);
    evaluate(rounds);
    if (rounds->energy > bound) {
        anderson_go_back(linear->anderson, rounds->z);
        evaluate(rounds);
        ++linear->solver.work.rejected;
    }
}

/* Do all pins end the substep where they started it? */
static int pins_rest(const Substep *substep) {
    const System *system = substep->system;
    for (int i = 0; i < system->vertex_count; ++i) {
        if (system->held[i] && vec3_distance(system->target[i], substep->x[i]) > STILL) {
            return 0;
        }
    }
    return 1;
}

/* Starts where the cloth flies by itself, or where it is if that costs less. */
static void choose_start(Rounds *rounds, int leaving) {
    LinearSolver *linear = rounds->linear;
    Substep *substep = &linear->solver.substep;
    size_t bytes = (size_t)substep->system->vertex_count * sizeof(Vec3);
    double staying = INFINITY;
    if (!leaving) {
        memcpy(rounds->z, substep->x, bytes);
        substep_place_pins(substep, rounds->z);
        evaluate(rounds);
        staying = rounds->energy;
        memcpy(linear->change, rounds->z, bytes);
        linear_fly(substep, rounds->z);
        substep_place_pins(substep, rounds->z);
    }
    rounds->staying = pins_rest(substep) ? staying : INFINITY;
    evaluate(rounds);
    if (staying < rounds->energy) {
        memcpy(rounds->z, linear->change, bytes);
        evaluate(rounds);
    }
}

typedef struct RiseWork {
    const Substep *substep;
    const Vec3 *z;
} RiseWork;

/* h v (z - x) - h^2 v^2 / 2, times the mass. */
static double rise_vertices(void *context, int begin, int end) {
    const RiseWork *work = context;
    const Substep *substep = work->substep;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 flown = vec3_scale(substep->length, substep->v[i]);
        Vec3 moved = vec3_sub(work->z[i], substep->x[i]);
        if (!substep->system->held[i]) {
            sum += substep->inertia[i] * vec3_dot(flown, vec3_madd(moved, -0.5, flown));
        }
    }
    return sum;
}

/* h^2 times the rise of the cloth's total energy, motion included, if the substep ended at z: from the
 * incremental energies there and at the start. With pins at rest the true step has none. */
static double energy_rise(const Rounds *rounds) {
    const Substep *substep = &rounds->linear->solver.substep;
    RiseWork work = {substep, rounds->z};
    double motion =
        pool_sum(substep->system->pool, substep->system->vertex_count, rise_vertices, &work);
    return rounds->energy - rounds->staying + motion;
}

static double unbalanced_vertices(void *context, int begin, int end) {
    const Substep *substep = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        if (!substep->system->held[i]) {
            sum += vec3_dot(substep->gradient[i], substep->gradient[i]) / substep->inertia[i];
        }
    }
    return sum;
}

static double moving_mass(void *context, int begin, int end) {
    const Substep *substep = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += substep->system->held[i] ? 0.0 : substep->inertia[i];
    }
    return sum;
}

/* How many rounds, and when they may end. An error of the positions e costs at least I e^2 / 2 of the
 * incremental energy, so what is left to gain bounds how far off the cloth is. */
static void set_goal(Rounds *rounds) {
    const LinearSolver *linear = rounds->linear;
    const Solver *solver = &linear->solver;
    Quality quality = solver->options.quality;
    if (quality == QUALITY_CUSTOM) {
        rounds->least = rounds->most = solver->options.iterations;
        return;
    }
    int curved = coarse_is_curved(linear->coarse);
    double mass = pool_sum(solver->system->pool, solver->system->vertex_count, moving_mass,
                           (void *)&solver->substep);
    double gravity = vec3_length(solver->system->gravity);
    double part = lag_allowed[quality] * (curved ? CURVED_LAG : 1.0);
    double apart =
        part * (gravity > 0 ? gravity : EARTH) * solver->substep.length * solver->substep.length;
    rounds->enough = 0.5 * mass * apart * apart;
    rounds->least = curved ? least_rounds[quality] : LEAST_FLAT;
    rounds->most = MOST_ROUNDS;
}

/* Twice the energy of moving on by what the forces at z do not balance, kg m^2: the sum of I a^2 h^4. */
static double unbalanced(const Rounds *rounds) {
    const Substep *substep = &rounds->linear->solver.substep;
    return pool_sum(substep->system->pool, substep->system->vertex_count, unbalanced_vertices,
                    (void *)substep);
}

/* Is there little left to gain after `count` rounds? The rounds' error falls about as one over their number,
 * its energy as one over the square: what is left is a third of what the second half of them gained. Where
 * the rounds do not gain less and less, they have hardly begun, unless the forces are balanced already. */
static int is_enough(const Rounds *rounds, int count) {
    const double *reached = rounds->reached;
    if (count < rounds->least || reached[count / 2] - reached[count] > 3.0 * rounds->enough) {
        return 0;
    }
    if (unbalanced(rounds) <= BALANCED * BALANCED * 2.0 * rounds->enough) {
        return 1;
    }
    if (isfinite(rounds->staying) && energy_rise(rounds) > rounds->enough) {
        return 0; /* what is left undone would drive the cloth */
    }
    int middle = (count + 1) / 2;
    double late = reached[count - 1] - reached[count];
    /* the first round's gain is of another kind: it makes good for the jump to the start */
    return middle > 1 && late <= SLOWING * (reached[middle - 1] - reached[middle]);
}

/* Correction and solve, again and again, until enough is reached; a solve always comes last. */
static void run_rounds(Rounds *rounds, int leaving) {
    LinearSolver *linear = rounds->linear;
    int fixed = linear->solver.options.quality == QUALITY_CUSTOM;
    for (int count = 1; count <= rounds->most && !solver_cancelled(&linear->solver); ++count) {
        linear->solver.rounds = count;
        if (count == 1 && leaving) {
            carry_pins(rounds, linear->trial);
            anderson_begin(linear->anderson, rounds->z);
        } else {
            anderson_begin(linear->anderson, rounds->z);
            correct(rounds);
        }
        rounds->reached[0] = count == 1 ? rounds->energy : rounds->reached[0];
        linear_solve_step(linear, rounds->z);
        if (count == rounds->most) {
            break;
        }
        extrapolate(rounds);
        if (!fixed) {
            rounds->reached[count] = rounds->energy;
            if (is_enough(rounds, count)) {
                linear_solve_step(linear, rounds->z);
                break;
            }
        }
    }
}

void linear_advance_two_level(Solver *solver, const Past *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    Substep *substep = &solver->substep;
    Rounds rounds = {.linear = linear, .z = z};
    double begin = timing_now();
    substep_begin(substep, past->start, past->velocity);
    linear_fly(substep, z);
    int leaving = measure_way(substep, z, linear->trial);
    set_goal(&rounds);
    solver->work.assemble_seconds += timing_now() - begin;
    anderson_forget(linear->anderson);
    choose_start(&rounds, leaving);
    run_rounds(&rounds, leaving);
}
