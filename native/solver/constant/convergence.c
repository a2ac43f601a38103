/* Judging what the rounds so far have gained against what a quality promises. */
#include "solver/constant/convergence.h"

#include <math.h>

/* What an unbalanced acceleration is compared with where there is no gravity, m/s^2. */
#define EARTH 9.81

/* The acceleration that the rounds may still leave out, as a part of gravity, root mean square over the
 * cloth. Found by tools/bench motion. */
static const double lag_allowed[] = {
    [QUALITY_DRAFT] = 0.8, [QUALITY_FIT] = 0.3, [QUALITY_FINAL] = 0.1};
/* A garment that is no flat sheet folds in motions finer than its patches, and gets there slowly: the first
 * rounds show little progress though much is left. */
static const int least_rounds[] = {[QUALITY_DRAFT] = 3, [QUALITY_FIT] = 8, [QUALITY_FINAL] = 32};
#define LEAST_FLAT 2
/* Among contacts rounds without Newton steps get slow long before they are done: on a worn garment ten of them gain as
 * much as a quarter of one Newton step. Found by tools/bench contact (worn). */
static const int most_touching[] = {[QUALITY_DRAFT] = 8, [QUALITY_FIT] = 8, [QUALITY_FINAL] = 40};
/* There, contacts are looked for again after each of the first so many rounds: what these meet is not what the cloth would
 * have met by itself. Draft and fit do so once. All do so in every so many rounds, too: after its first round the vertices
 * of a worn garment move by some tenths of a millimetre, over which surfaces hardly turn, but a sheet that strikes flat goes
 * on through what it had not met by then. Found by tools/bench folds (landing_gain). */
static const int detect_always[] = {
    [QUALITY_CUSTOM] = 4, [QUALITY_DRAFT] = 1, [QUALITY_FIT] = 1, [QUALITY_FINAL] = 4};
static const int detect_every[] = {
    [QUALITY_CUSTOM] = 4, [QUALITY_DRAFT] = 4, [QUALITY_FIT] = 2, [QUALITY_FINAL] = 2};
/* Layers that slide on each other find other contacts after every round at fit. At draft, where they take no Newton steps,
 * those of the first round do. Found by tools/bench folds (layer_ratio). */
static const int detect_layers[] = {
    [QUALITY_DRAFT] = MOST_ROUNDS, [QUALITY_FIT] = 1, [QUALITY_FINAL] = 2};
static const int layers_intervals[] = {
    [QUALITY_DRAFT] = MOST_ROUNDS, [QUALITY_FIT] = 2, [QUALITY_FINAL] = 2};
/* There, every so many rounds one takes a Newton step, up to the last that may: many short ones follow the folds better than
 * few long ones. The solves after the last let contacts and friction settle. Found by tools/bench folds (table_time) and truth
 * (creep_mm_s). */
static const int newton_intervals[] = {[QUALITY_DRAFT] = 1, [QUALITY_FIT] = 1, [QUALITY_FINAL] = 1};
static const int newton_last[] = {[QUALITY_DRAFT] = 7, [QUALITY_FIT] = 7, [QUALITY_FINAL] = 20};
/* Layers that meet all over take Newton steps only where they fold: where more than this part of gravity is left unbalanced,
 * and as long as each step gains more than this part of the energy that gravity's acceleration has. Sheets that lie on each
 * other leave less, and Newton steps would find folds in the noise of their contacts, which lift them; what falls over an
 * edge leaves more. A solve comes between two, and draft takes none: else sheets that land on each other throw each other
 * aside, though two strips would fall over an edge in time (layers_time). Found by tools/bench folds (layer_ratio). */
#define LAYERS_LAG 1.5
#define LAYERS_GAIN 3e-4
/* Conjugate gradient iterations of each. */
static const int newton_limits[] = {[QUALITY_DRAFT] = 16, [QUALITY_FIT] = 32, [QUALITY_FINAL] = 32};
/* Where nothing touches, Newton steps come after the rounds, which swing the cloth but hardly fold it: so many of so many
 * conjugate gradient iterations, until one gains less than motion at this part of gravity has. Found by tools/bench folds
 * (fold_response), motion and truth (cantilever_error). */
static const int fold_steps[] = {[QUALITY_DRAFT] = 2, [QUALITY_FIT] = 4, [QUALITY_FINAL] = 12};
static const int fold_limits[] = {[QUALITY_DRAFT] = 8, [QUALITY_FIT] = 12, [QUALITY_FINAL] = 20};
static const double fold_lags[] = {
    [QUALITY_DRAFT] = 0.05, [QUALITY_FIT] = 0.03, [QUALITY_FINAL] = 0.01};
/* Cloth of more vertices than this is to be seen moving while it is played: it takes no Newton steps at draft, and at fit half
 * as many in the air, shorter ones among contacts, which are looked for less often there unless it is layered. Still larger
 * cloth takes none in the air at fit, where they cost three times as much as all the rest. Cut short instead they are worse
 * than none: a sheet that swings lags by a tenth. Found by tools/bench worn (worn_fit_ms_8k) and blender (a free sheet). */
#define LARGE 6000
#define LARGER 12000
#define LARGE_LIMIT 8
static const int detect_large[] = {[QUALITY_DRAFT] = MOST_ROUNDS, [QUALITY_FIT] = 4};
#define CURVED_LAG 0.5
/* Rounds that gain at most this part of what one half as late gained have stagnated: in the air, and among contacts. There
 * single folds settle long after the rest has, and the rounds of a substep that end before leave them hanging. Draft
 * takes that for its speed. Found by tools/bench truth (creep_mm_s). */
#define STAGNATION 0.5
static const double stagnation_touching[] = {
    [QUALITY_DRAFT] = 0.5, [QUALITY_FIT] = 0.1, [QUALITY_FINAL] = 0.1};
/* The least acceleration, over gravity, that a lag is measured against. With less at fit fine meshes near rest go on to
 * the last round where coarse ones do not, with more the drape on a sphere does not come to rest. Found by tools/bench
 * contact (growth, rest_speed). */
static const double least_shares[] = {
    [QUALITY_DRAFT] = 0.45, [QUALITY_FIT] = 0.7, [QUALITY_FINAL] = 0.45};
/* The forces count as balanced below this part of the acceleration that may be left out. */
#define BALANCED 0.1

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
    convergence->start_energy = INFINITY;
    convergence->detect_always = detect_always[quality];
    convergence->detect_every = detect_every[quality];
    convergence->detect_at_start = quality != QUALITY_CUSTOM;
    if (quality == QUALITY_CUSTOM) {
        convergence->newton_interval = convergence->fold_steps = 0;
        convergence->least = convergence->most = iterations;
        convergence->layered = false;
        return;
    }
    double mass = system_sum(system, moving_mass, (void *)substep);
    double part = lag_allowed[quality] * (curved ? CURVED_LAG : 1.0);
    double apart = part * convergence_gravity(system) * substep->length * substep->length;
    convergence->tolerance = 0.5 * mass * apart * apart;
    convergence->least_share = least_shares[quality] * least_shares[quality];
    convergence->gravity_energy = 2.0 * convergence->tolerance / (part * part);
    convergence->stagnation = stagnation_touching[quality];
    convergence->least = curved ? least_rounds[quality] : LEAST_FLAT;
    convergence->newton_interval = substep->around ? newton_intervals[quality] : 0;
    convergence->newton_last = newton_last[quality];
    convergence->newton_limit = newton_limits[quality];
    convergence->fold_steps = fold_steps[quality];
    convergence->fold_limit = fold_limits[quality];
    convergence->most = MOST_ROUNDS;
    int vertices = subset_count(system->awake, system->vertex_count);
    if (quality != QUALITY_FINAL && vertices > LARGE) {
        bool none = quality == QUALITY_DRAFT || vertices > LARGER;
        convergence->fold_steps = none ? 0 : convergence->fold_steps / 2;
        convergence->newton_interval = quality == QUALITY_DRAFT ? 0 : 2;
        convergence->newton_limit = LARGE_LIMIT;
        convergence->detect_at_start = quality == QUALITY_FIT && layered;
        if (quality == QUALITY_DRAFT || !layered) {
            convergence->detect_every = detect_large[quality];
        }
    }
    convergence->fold_gain =
        0.5 * convergence->gravity_energy * fold_lags[quality] * fold_lags[quality];
    if (substep_contact_count(substep) > 0) {
        int most = most_touching[quality];
        convergence->least = convergence->least < most / 2 ? convergence->least : most / 2;
        convergence->most = most;
    }
    convergence->layered = layered && convergence->newton_interval == 1; /* no large one */
    convergence->folding = true;
    if (convergence->layered) {
        convergence->newton_interval = layers_intervals[quality];
        convergence->detect_every = detect_layers[quality];
    }
}

void convergence_note(Convergence *convergence, int round, double energy) {
    if (round <= MOST_ROUNDS) {
        convergence->energy[round] = energy;
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

void convergence_note_newton(Convergence *convergence, double gained) {
    convergence->folding = gained > LAYERS_GAIN * convergence->gravity_energy;
}

bool convergence_folds(const Convergence *convergence, const Substep *substep) {
    double least = LAYERS_LAG * LAYERS_LAG * convergence->gravity_energy;
    return !convergence->layered || (convergence->folding && unbalanced(substep) > least);
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
        Vec3 flown = substep_flown(substep, i);
        Vec3 moved = vec3_sub(work->z[i], substep->x[i]);
        if (!substep->system->held[i]) {
            sum += substep->inertia[i] * vec3_dot(flown, vec3_madd(moved, -0.5, flown));
        }
    }
    return sum;
}

/* h^2 times the rise of the cloth's total energy, motion included, if the substep ended at z: from the
 * incremental energies there and at the start. With pins at rest the true step has none. */
static double energy_rise(const Convergence *convergence, const Substep *substep, const Vec3 *z,
                          int count) {
    RiseWork work = {substep, z};
    double motion = system_sum(substep->system, rise_vertices, &work);
    return convergence->energy[count] - convergence->start_energy + motion;
}

static double acceleration_vertices(void *context, int begin, int end) {
    const RiseWork *work = context;
    const Substep *substep = work->substep;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        if (!substep->system->held[i]) {
            Vec3 moved = vec3_sub(work->z[i], substep->x[i]);
            Vec3 accelerated = vec3_sub(moved, substep_flown(substep, i));
            sum += substep->inertia[i] * vec3_dot(accelerated, accelerated);
        }
    }
    return sum;
}

/* The energy that may be left out at z: a part of that which the cloth's acceleration has, so that a lag stays
 * small against the motion. Cloth that only begins to fall over would else be left standing. */
static double tolerance_at(const Convergence *convergence, const Substep *substep, const Vec3 *z) {
    RiseWork work = {substep, z};
    double accelerated = system_sum(substep->system, acceleration_vertices, &work);
    double part = accelerated / convergence->gravity_energy;
    return convergence->tolerance * (part > 1                          ? 1.0
                                     : part < convergence->least_share ? convergence->least_share
                                                                       : part);
}

/* The tolerance that counts at z. */
static double tolerance_of(const Convergence *convergence, const Substep *substep, const Vec3 *z) {
    return substep->around ? tolerance_at(convergence, substep, z) : convergence->tolerance;
}

bool convergence_is_balanced(const Convergence *convergence, const Substep *substep,
                             const Vec3 *z) {
    double tolerance = tolerance_of(convergence, substep, z);
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
    if (energy[count / 2] - energy[count] > 3.0 * tolerance_of(convergence, substep, z)) {
        return false;
    }
    if (convergence_is_balanced(convergence, substep, z)) {
        return true;
    }
    if (isfinite(convergence->start_energy) &&
        energy_rise(convergence, substep, z, count) > convergence->tolerance) {
        return false; /* what is left undone would drive the cloth */
    }
    /* The first round's gain is of another kind: it makes good for the jump to the start. */
    int middle = (count + 1) / 2;
    double late = energy[count - 1] - energy[count];
    double part = substep_contact_count(substep) > 0 ? convergence->stagnation : STAGNATION;
    return middle > 1 && late <= part * (energy[middle - 1] - energy[middle]);
}
