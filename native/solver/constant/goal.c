#include "solver/constant/goal.h"

#include <math.h>

/* What an unbalanced acceleration is compared with where there is no gravity, m/s^2. */
#define EARTH 9.81

/* The acceleration that the rounds may still leave out, as a part of gravity, root mean square over the
 * cloth. Found by tools/bench lively. */
static const double lag_allowed[] = {
    [QUALITY_DRAFT] = 0.8, [QUALITY_FIT] = 0.3, [QUALITY_FINAL] = 0.1};
/* A garment that is no flat sheet folds in motions finer than its patches, and gets there slowly: the first
 * rounds show little progress though much is left. */
static const int least_rounds[] = {[QUALITY_DRAFT] = 3, [QUALITY_FIT] = 8, [QUALITY_FINAL] = 32};
#define LEAST_FLAT 2
/* Among contacts the rounds get slow before they are done. Fewer rounds with dearer Newton steps get further at
 * the same cost, but with 16 or 20 of them chance decides how far. Found by tools/bench contact (worn). */
static const int most_touching[] = {
    [QUALITY_DRAFT] = 12, [QUALITY_FIT] = 24, [QUALITY_FINAL] = MOST_ROUNDS};
/* There, every so many rounds one takes a Newton step. */
static const int dear_rounds[] = {[QUALITY_DRAFT] = 0, [QUALITY_FIT] = 4, [QUALITY_FINAL] = 4};
/* Fewer conjugate gradients do not get past the first folds, and leave cloth at rest trembling; more of them fit a
 * place that is left soon. */
static const int dear_steps[] = {[QUALITY_DRAFT] = 0, [QUALITY_FIT] = 32, [QUALITY_FINAL] = 64};
#define CURVED_LAG 0.5
/* A round late in a substep gains at most this part of what one half as late gained, or the rounds creep. */
#define SLOWING 0.5
/* The least acceleration, over gravity, that a lag is measured against. With less at fit fine meshes near rest go on to
 * the last round where coarse ones do not, with more the drape on a sphere does not come to rest. Found by tools/bench
 * contact (growth, rest_speed). */
static const double slowest[] = {
    [QUALITY_DRAFT] = 0.45, [QUALITY_FIT] = 0.7, [QUALITY_FINAL] = 0.45};
/* The forces count as balanced below this part of the acceleration that may be left out. */
#define BALANCED 0.1

static double moving_mass(void *context, int begin, int end) {
    const Substep *substep = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += substep->system->held[i] ? 0.0 : substep->inertia[i];
    }
    return sum;
}

void goal_set(Goal *goal, const Substep *substep, Quality quality, int iterations, int curved) {
    const System *system = substep->system;
    goal->staying = INFINITY;
    if (quality == QUALITY_CUSTOM) {
        goal->dear_each = 0;
        goal->least = goal->most = iterations;
        return;
    }
    double mass = pool_sum(system->pool, system->vertex_count, moving_mass, (void *)substep);
    double gravity = vec3_length(system->gravity);
    double part = lag_allowed[quality] * (curved ? CURVED_LAG : 1.0);
    double apart = part * (gravity > 0 ? gravity : EARTH) * substep->length * substep->length;
    goal->enough = 0.5 * mass * apart * apart;
    goal->slowest = slowest[quality] * slowest[quality];
    goal->falling = 2.0 * goal->enough / (part * part);
    goal->least = curved ? least_rounds[quality] : LEAST_FLAT;
    goal->dear_each = substep->around ? dear_rounds[quality] : 0;
    goal->dear_steps = dear_steps[quality];
    goal->most = substep->around ? most_touching[quality] : MOST_ROUNDS;
}

void goal_note(Goal *goal, int round, double energy) {
    if (round <= MOST_ROUNDS) {
        goal->reached[round] = energy;
    }
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

/* Twice the energy of moving on by what the forces do not balance, kg m^2: the sum of I a^2 h^4. */
static double unbalanced(const Substep *substep) {
    return pool_sum(substep->system->pool, substep->system->vertex_count, unbalanced_vertices,
                    (void *)substep);
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
static double energy_rise(const Goal *goal, const Substep *substep, const Vec3 *z, int count) {
    RiseWork work = {substep, z};
    double motion =
        pool_sum(substep->system->pool, substep->system->vertex_count, rise_vertices, &work);
    return goal->reached[count] - goal->staying + motion;
}

static double spurt_vertices(void *context, int begin, int end) {
    const RiseWork *work = context;
    const Substep *substep = work->substep;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        if (!substep->system->held[i]) {
            Vec3 moved = vec3_sub(work->z[i], substep->x[i]);
            Vec3 spurt = vec3_madd(moved, -substep->length, substep->v[i]);
            sum += substep->inertia[i] * vec3_dot(spurt, spurt);
        }
    }
    return sum;
}

/* The energy that may be left out at z: a part of that which the cloth's acceleration has, so that a lag stays
 * small against the motion. Cloth that only begins to fall over would else be left standing. */
static double enough_at(const Goal *goal, const Substep *substep, const Vec3 *z) {
    RiseWork work = {substep, z};
    double spurt =
        pool_sum(substep->system->pool, substep->system->vertex_count, spurt_vertices, &work);
    double part = spurt / goal->falling;
    return goal->enough * (part > 1 ? 1.0 : part < goal->slowest ? goal->slowest : part);
}

int goal_is_reached(const Goal *goal, const Substep *substep, const Vec3 *z, int count) {
    const double *reached = goal->reached;
    if (count < goal->least || goal->least == goal->most ||
        reached[count / 2] - reached[count] > 3.0 * goal->enough) {
        return 0;
    }
    double enough = substep->around ? enough_at(goal, substep, z) : goal->enough;
    if (reached[count / 2] - reached[count] > 3.0 * enough) {
        return 0;
    }
    if (unbalanced(substep) <= BALANCED * BALANCED * 2.0 * enough) {
        return 1;
    }
    if (isfinite(goal->staying) && energy_rise(goal, substep, z, count) > goal->enough) {
        return 0; /* what is left undone would drive the cloth */
    }
    /* The first round's gain is of another kind: it makes good for the jump to the start. */
    int middle = (count + 1) / 2;
    double late = reached[count - 1] - reached[count];
    return middle > 1 && late <= SLOWING * (reached[middle - 1] - reached[middle]);
}
