/* Judging what the iterations so far have gained against what a quality promises. */
#include "solver/constant/convergence.h"

#include <math.h>

/* What a quality spends, and why: found by the cases of tools/bench in brackets. */
typedef struct Effort {
    /* Acceleration that may be left out, over gravity, root mean square [motion]. */
    double lag;
    /* The least acceleration, over gravity, that a lag is measured against. With less at fit fine meshes near rest go on to
     * the last iteration where coarse ones do not, with more the drape on a sphere does not come to rest [contact: growth,
     * rest_speed]. */
    double least_share;
    /* Iterations among contacts that gain at most this part of what one half as late gained have stagnated. Single folds
     * settle long after the rest, and ending before leaves them hanging; draft accepts that [truth: creep_mm_s]. */
    double stagnation;
    /* Iterations of a garment that is no flat sheet, at least: it folds in motions finer than its patches, and the first
     * iterations show little progress though much is left. And among contacts, at most: those without Newton steps get slow
     * long before they are done; on a worn garment ten of them gain as much as a quarter of one Newton step [contact: worn]. */
    int least_curved, most_touching;
    /* Contacts are found again after each of the first so many iterations, which meet others than the free flight. Then
     * every so many times: a worn garment moves by tenths of a millimetre, over which surfaces hardly turn, but a sheet that
     * strikes flat would pass through what it had not met by then [folds: landing_gain]. Layers that slide on each other
     * find other contacts after every iteration at fit; at draft, without Newton steps, those of the first are enough
     * [folds: layer_ratio]. */
    int detect_always, detect_every, detect_large, detect_layers;
    /* Many short Newton steps follow the folds better than few long ones. The solves after the last let contacts and friction
     * settle [folds: table_time; truth: creep_mm_s]. */
    int newton_last, newton_limit, layers_interval;
    /* Where nothing touches, Newton steps come after the iterations, which swing the cloth but hardly fold it, until one gains
     * less than motion at this part of gravity has [folds: fold_response; motion; truth: cantilever_error]. */
    int fold_steps, fold_limit;
    double fold_lag;
} Effort;

#define NEVER MOST_ITERATIONS
static const Effort efforts[] = {
    /* in the order of the fields */
    [QUALITY_CUSTOM] = {.detect_always = 4, .detect_every = 4},
    [QUALITY_DRAFT] = {0.8, 0.45, 0.5, 3, 8, 1, 4, NEVER, NEVER, 7, 16, NEVER, 2, 8, 0.05},
    [QUALITY_FIT] = {0.3, 0.7, 0.1, 8, 8, 1, 2, 4, 1, 7, 32, 2, 4, 12, 0.03},
    [QUALITY_FINAL] = {0.1, 0.45, 0.1, 32, 40, 4, 2, 2, 2, 20, 32, 2, 12, 20, 0.01},
};

/* What an unbalanced acceleration is compared with where there is no gravity, m/s^2. */
#define EARTH 9.81
#define LEAST_FLAT 2   /* iterations of a flat sheet */
#define CURVED_LAG 0.5 /* of the lag that a flat sheet may have */
/* As Effort.stagnation, where nothing touches. */
#define STAGNATION 0.5
/* The forces count as balanced below this part of the acceleration that may be left out. */
#define BALANCED 0.1
/* Layers that meet all over take Newton steps only where they fold: where more than this part of gravity is left unbalanced,
 * and as long as each step gains more than this part of the energy that gravity's acceleration has. Sheets that lie on each
 * other leave less, and Newton steps would find folds in the noise of their contacts, which lift them; what falls over an
 * edge leaves more. A solve comes between two, and draft takes none: else sheets that land on each other throw each other
 * aside, though two strips would fall over an edge in time (layers_time). Found by tools/bench folds (layer_ratio). */
#define LAYERS_LAG 1.5
#define LAYERS_GAIN 3e-4
/* Cloth of more vertices than this is to be seen moving while it is played: it takes no Newton steps at draft, and at fit half
 * as many in the air, shorter ones among contacts, which are found less often there unless it is layered. Still larger
 * cloth takes none in the air at fit, where they cost three times as much as all the rest. Cut short instead they are worse
 * than none: a sheet that swings lags by a tenth. Found by tools/bench worn (worn_fit_ms_8k) and blender (a free sheet). */
#define LARGE 6000
#define LARGER 12000
#define LARGE_LIMIT 8

bool quality_takes_newton_steps(Quality quality) { return quality != QUALITY_CUSTOM; }

double convergence_gravity(const System *system) {
    double gravity = vec3_length(system->gravity);
    return gravity > 0 ? gravity : EARTH;
}

/* Weighted by how much less far gravity takes what has a shorter implicit step, squared. */
static double moving_mass(void *context, int begin, int end) {
    const Substep *substep = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        double pace = substep->system->pace[i], square = pace * pace;
        sum += substep->system->held[i] ? 0.0 : square * square * substep->inertia[i];
    }
    return sum;
}

void convergence_set(Convergence *convergence, const Substep *substep, Quality quality,
                     int iterations, bool curved, bool layered) {
    const System *system = substep->system;
    const Effort *effort = &efforts[quality];
    *convergence = (Convergence){.start_energy = INFINITY,
                                 .least = iterations,
                                 .most = iterations,
                                 .detect_always = effort->detect_always,
                                 .detect_every = effort->detect_every,
                                 .detect_at_start = quality != QUALITY_CUSTOM};
    if (quality == QUALITY_CUSTOM) {
        return;
    }
    double mass = system_sum(system, moving_mass, (void *)substep);
    double part = effort->lag * (curved ? CURVED_LAG : 1.0);
    double apart = part * convergence_gravity(system) * substep->length * substep->length;
    convergence->tolerance = 0.5 * mass * apart * apart;
    convergence->least_share = effort->least_share * effort->least_share;
    convergence->gravity_energy = 2.0 * convergence->tolerance / (part * part);
    convergence->stagnation = effort->stagnation;
    convergence->least = curved ? effort->least_curved : LEAST_FLAT;
    convergence->most = MOST_ITERATIONS;
    convergence->newton_interval = substep->world != NULL;
    convergence->newton_last = effort->newton_last;
    convergence->newton_limit = effort->newton_limit;
    convergence->fold_steps = effort->fold_steps;
    convergence->fold_limit = effort->fold_limit;
    int vertices = subset_count(system->awake, system->vertex_count);
    if (quality != QUALITY_FINAL && vertices > LARGE) {
        bool none = quality == QUALITY_DRAFT || vertices > LARGER;
        convergence->fold_steps = none ? 0 : convergence->fold_steps / 2;
        convergence->newton_interval = quality == QUALITY_DRAFT ? 0 : 2;
        convergence->newton_limit = LARGE_LIMIT;
        convergence->detect_at_start = quality == QUALITY_FIT && layered;
        if (quality == QUALITY_DRAFT || !layered) {
            convergence->detect_every = effort->detect_large;
        }
    }
    convergence->fold_gain =
        0.5 * convergence->gravity_energy * effort->fold_lag * effort->fold_lag;
    if (substep_contact_count(substep) > 0) {
        int most = effort->most_touching;
        convergence->least = convergence->least < most / 2 ? convergence->least : most / 2;
        convergence->most = most;
    }
    convergence->layered = layered && convergence->newton_interval == 1; /* no large one */
    convergence->folding = true;
    if (convergence->layered) {
        convergence->newton_interval = effort->layers_interval;
        convergence->detect_every = effort->detect_layers;
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
    return system_sum(substep->system, unbalanced_vertices, (void *)substep);
}

void convergence_record_newton(Convergence *convergence, double gained) {
    convergence->folding = gained > LAYERS_GAIN * convergence->gravity_energy;
}

bool convergence_wants_newton(const Convergence *convergence, const Substep *substep) {
    double least = LAYERS_LAG * LAYERS_LAG * convergence->gravity_energy;
    return !convergence->layered || (convergence->folding && unbalanced(substep) > least);
}

typedef struct EnergyWork {
    const Substep *substep;
    const Vec3 *z;
} EnergyWork;

/* h v (z - x) - h^2 v^2 / 2, times the mass. */
static double rise_vertices(void *context, int begin, int end) {
    const EnergyWork *work = context;
    const Substep *substep = work->substep;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 flown = substep_inertial_step(substep, i);
        Vec3 moved = vec3_sub(work->z[i], substep->x[i]);
        if (!substep->system->held[i]) {
            sum += substep->inertia[i] * vec3_dot(flown, vec3_madd(moved, -0.5, flown));
        }
    }
    return sum;
}

static double acceleration_vertices(void *context, int begin, int end) {
    const EnergyWork *work = context;
    const Substep *substep = work->substep;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        if (!substep->system->held[i]) {
            Vec3 moved = vec3_sub(work->z[i], substep->x[i]);
            Vec3 accelerated = vec3_sub(moved, substep_inertial_step(substep, i));
            sum += substep->inertia[i] * vec3_dot(accelerated, accelerated);
        }
    }
    return sum;
}

/* The energy that may be left out at z. Where there is something to meet it is a part of that which the cloth's
 * acceleration has, so that a lag stays small against the motion: cloth that only begins to fall over would else be left
 * standing. */
static double tolerance_at(const Convergence *convergence, const Substep *substep, const Vec3 *z) {
    if (!substep->world) {
        return convergence->tolerance;
    }
    EnergyWork work = {substep, z};
    double accelerated = system_sum(substep->system, acceleration_vertices, &work);
    double part = accelerated / convergence->gravity_energy;
    return convergence->tolerance * (part > 1                          ? 1.0
                                     : part < convergence->least_share ? convergence->least_share
                                                                       : part);
}

bool convergence_is_balanced(const Convergence *convergence, const Substep *substep,
                             const Vec3 *z) {
    double tolerance = tolerance_at(convergence, substep, z);
    return unbalanced(substep) <= BALANCED * BALANCED * 2.0 * tolerance;
}

bool convergence_has_converged(const Convergence *convergence, const Substep *substep,
                               const Vec3 *z, int count) {
    const double *energy = convergence->energy;
    if (count >= convergence->least && substep_is_curtailed(substep)) {
        return true; /* of an energy that leaves out half of what the cloth meets nothing can be gained */
    }
    if (count < convergence->least || convergence->least == convergence->most ||
        energy[count / 2] - energy[count] > 3.0 * convergence->tolerance) {
        return false;
    }
    if (energy[count / 2] - energy[count] > 3.0 * tolerance_at(convergence, substep, z)) {
        return false;
    }
    if (convergence_is_balanced(convergence, substep, z)) {
        return true;
    }
    if (isfinite(convergence->start_energy)) {
        /* h^2 times the rise of the total energy, motion included: with pins at rest the true step has none */
        EnergyWork work = {substep, z};
        double rise = energy[count] - convergence->start_energy;
        if (rise + system_sum(substep->system, rise_vertices, &work) > convergence->tolerance) {
            return false; /* what is left undone would drive the cloth */
        }
    }
    /* The first iteration's gain is of another kind: it makes good for the jump to the start. */
    int middle = (count + 1) / 2;
    double late = energy[count - 1] - energy[count];
    double part = substep_contact_count(substep) > 0 ? convergence->stagnation : STAGNATION;
    return middle > 1 && late <= part * (energy[middle - 1] - energy[middle]);
}
