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
/* Pins nearer than this to where they fly by themselves do not move, m. */
#define STILL 1e-9

/* Corrections for s = h^2 c^2 / R^2, c the speed of stretch waves and R the radius of the coarse level's
 * patches: the error that one round leaves in the motions just too fine for the coarse level grows with s.
 * Fitted to what tools/bench lively measures on sheets: two corrected rounds reach 0.95 at s = S_OF_TWO, and
 * the number grows with the power GROWTH. Draft needs half as many, final two and a half times. */
#define S_OF_TWO 350.0
#define GROWTH 0.4
#define MOST_CORRECTIONS 64
/* A single round may feed energy into soft cloth; two do not. */
#define LEAST_CORRECTIONS 2

void two_level_set_rounds(LinearSolver *linear, double length) {
    static const double share[] = {0, 1, 2, 5};
    /* A garment that is no flat sheet folds in motions much finer than its patches. The coarse level does not
     * help there; rounds without it, extrapolated, do. */
    static const int folding[] = {0, 0, 6, 14};
    Solver *solver = &linear->solver;
    Quality quality = solver->options.quality;
    if (quality == QUALITY_CUSTOM) {
        solver->rounds = linear->corrections = solver->options.iterations;
        return;
    }
    double reach = length * system_stretch_speed(solver->system) / coarse_radius(linear->coarse);
    double wanted = ceil(share[quality] * pow(reach * reach / S_OF_TWO, GROWTH) - 0.1);
    linear->corrections = wanted < LEAST_CORRECTIONS  ? LEAST_CORRECTIONS
                          : wanted > MOST_CORRECTIONS ? MOST_CORRECTIONS
                                                      : (int)wanted;
    int extra = coarse_is_curved(linear->coarse) ? folding[quality] : 0;
    solver->rounds = linear->corrections + extra;
}

typedef struct Rounds {
    LinearSolver *linear;
    double energy;
    Vec3 *z;
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

/* Does any pin move at all in this substep? */
static int pins_travel(const Substep *substep) {
    const System *system = substep->system;
    for (int i = 0; i < system->vertex_count; ++i) {
        if (system->held[i] && vec3_distance(system->target[i], substep->x[i]) > STILL) {
            return 1;
        }
    }
    return 0;
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

/* Staying is the better start where flying on would cost more. With pins at rest the energy at the end of the
 * substep is then not above that at its beginning, motion included: what the rounds leave undone can slow the
 * cloth, but not drive it. */
static void stay_if_lower(Rounds *rounds) {
    LinearSolver *linear = rounds->linear;
    Substep *substep = &linear->solver.substep;
    double begin = timing_now();
    double staying = substep_energy(substep, substep->x);
    linear->solver.work.estimate_seconds += timing_now() - begin;
    if (staying < rounds->energy) {
        memcpy(rounds->z, substep->x, (size_t)substep->system->vertex_count * sizeof(Vec3));
        substep_place_pins(substep, rounds->z);
        evaluate(rounds);
    }
}

void linear_advance_two_level(Solver *solver, const Past *past, Vec3 *z) {
    LinearSolver *linear = (LinearSolver *)solver;
    Substep *substep = &solver->substep;
    Rounds rounds = {linear, 0, z};
    double begin = timing_now();
    substep_begin(substep, past->start, past->velocity);
    linear_fly(substep, z);
    int leaving = measure_way(substep, z, linear->trial);
    solver->work.assemble_seconds += timing_now() - begin;
    anderson_forget(linear->anderson);
    evaluate(&rounds);
    if (!leaving) {
        stay_if_lower(&rounds);
    }
    /* pins that travel drive the cloth harder than its weight does */
    int more = solver->options.quality != QUALITY_CUSTOM && pins_travel(substep);
    int total = solver->rounds + more;
    for (int round = 0; round < total && !solver_cancelled(solver); ++round) {
        anderson_begin(linear->anderson, z);
        if (round == 0 && leaving) {
            carry_pins(&rounds, linear->trial);
        } else if (round < linear->corrections + more) {
            correct(&rounds);
        }
        linear_solve_step(linear, z);
        if (round + 1 < total) {
            extrapolate(&rounds);
        }
    }
}
