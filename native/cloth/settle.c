/* The shape at rest, not the way there: damped steps on coarse levels first, then on the caller's mesh, and in the end
 * ever more damped until nothing moves.
 *
 * Falling: a mass damping of 5/s takes the swing out of cloth that hangs by half a metre within a second, and at the
 * speed that ends it, 4 mm/s, the forces that are left out of balance are 0.2 % of gravity. What moves after that is single folds
 * that pop over, one here and one there, for many seconds: they change the shape by less than a millimetre, and an
 * ordinary run of many seconds has them, too. Cooling stops them: the damping grows 64-fold with every step.
 *
 * A garment that begins in bodies moves out of them first: see unbury.c. Links that close come next: a slow one moves the cloth by less than what counts as fallen, and gravity may wait for it.
 * What would take longer than CLOSE_MOST steps hurries: nobody sees the way. */
#include <math.h>

#include "cloth/state.h"

#define STEP 0.0833333333333333333 /* s: larger ones let friction slip */
#define SUBSTEPS 2                 /* of a step, where the motion decides: calm as it is */
#define DAMPING 5.0                /* 1/s */
#define COOLING 64.0               /* the damping's growth, from step to step */

#define FALLEN 4e-3 /* m/s, root mean square */
#define SLOWING 1.5 /* times that in the step before, at most: what swings is slow where it turns */
#define RESTING 1e-3 /* m/s, of the fastest vertex */
#define FALL_LEAST 4 /* steps on a level before it is judged: it starts at rest */
#define FALL_MOST 60 /* what has not fallen by then slides off, or is blown about */
/* Steps that gravity waits for links; these take half of that where nothing is in their way. */
#define CLOSE_MOST 60
#define COOL_MOST 6 /* steps: only what a body pushes moves at such a damping */

/* Vertices of the level that comes first, at most: coarser ones cost about as much as they save. */
#define FIRST_LEVEL 12000

/* --- how fast ----------------------------------------------------------------------------------- */

static void measure(Cloth *cloth) {
    Settling *settling = &cloth->settling;
    const Level *level = &cloth->levels[cloth->level];
    double sum = 0, fastest = 0;
    domain_carry_up(level->domain, settling->positions, settling->velocities);
    for (int v = 0; v < level->count; ++v) {
        Vec3 speed = vector_at(settling->velocities, v);
        double square = vec3_dot(speed, speed);
        sum += square;
        fastest = fmax(fastest, square);
    }
    settling->fastest = sqrt(fastest);
    settling->mean = sqrt(sum / level->count);
}

/* --- links ------------------------------------------------------------------------------------- */

/* Links are of the caller's mesh, which has no coarser ones then. */
static void hasten(Cloth *cloth) {
    LinkReport links;
    cloth_link_report(cloth, -1, &links);
    double longest = CLOSE_MOST * STEP;
    settle_hasten(cloth, fmax(links.patience / longest - 1.0, 0.0));
}

/* --- from level to level ------------------------------------------------------------------------ */

static StatusCode go(Cloth *cloth, int level, Status *status) {
    StatusCode code = levels_need(cloth, level, status);
    cloth->settling.level_steps = 0;
    if (code < 0) {
        return code;
    }
    settle_damp(cloth, level);
    return level_transfer_to(cloth, level, true, status);
}

/* The level that comes first is the finest of those that have few enough vertices. */
static StatusCode go_first(Cloth *cloth, Status *status) {
    int first = 0;
    bool coarser = cloth->budgeted && cloth->levels[0].count > FIRST_LEVEL;
    if (coarser && cloth->level_count == 0 && levels_make(cloth, status) < 0) {
        return status->code;
    }
    while (coarser && first + 1 < cloth->level_count && cloth->levels[first].count > FIRST_LEVEL) {
        ++first;
    }
    if (!cloth->budgeted || cloth->level_count == 0) {
        settle_damp(cloth, 0);
        return STATUS_OK;
    }
    return go(cloth, first, status);
}

static int substeps_of(const Cloth *cloth) {
    int set = cloth->inputs.set.substeps;
    return set > 0 ? set : SUBSTEPS;
}

static StatusCode begin(Cloth *cloth, Status *status) {
    Settling *settling = &cloth->settling;
    int64_t count = 3 * (int64_t)cloth->levels[0].count;
    if (!settling->positions) {
        Store store = {0};
        float *positions = STORE_ARRAY(&store, float, count);
        settling->velocities = STORE_ARRAY(&store, float, count);
        if (store.failed) {
            store_release(&store);
            return status_no_memory(status, "settling");
        }
        settling->positions = positions;
        store_join(&cloth->store, &store);
    }
    if (settle_unbury(cloth, status) < 0) {
        return status->code;
    }
    settling->active = true;
    settling->fallen = settling->cooling = settling->settled = settling->passing = false;
    settling->damping = DAMPING;
    settling->steps = settling->level_steps = 0;
    cloth->step_seconds = STEP;
    cloth->refining = false;
    hasten(cloth);
    StatusCode code = go_first(cloth, status);
    settling->in_pieces =
        substeps_of(cloth) > 1 && !domain_is_driven(cloth->levels[cloth->level].domain);
    if (code < 0) {
        settle_end(cloth);
    }
    return code;
}

/* The first step comes in two pieces, its first substep and the others: whoever watches sees the cloth move that much
 * earlier, and it goes the same way. Not where something drives it, which moves evenly through a step: it would make
 * all of its way in the first piece. */
static int substeps_next(const Cloth *cloth) {
    const Settling *settling = &cloth->settling;
    int all = substeps_of(cloth);
    return !settling->in_pieces || settling->steps > 1 ? all : settling->steps == 0 ? 1 : all - 1;
}

static void set_substeps(Domain *domain, int substeps) {
    const Inputs inputs = {.substeps = substeps};
    Status reported = {0}; /* they are always taken */
    domain_take(domain, &inputs, INPUT_SUBSTEPS, &reported);
}

static StatusCode take_step(Cloth *cloth, Status *status) {
    Domain *domain = cloth->levels[cloth->level].domain;
    int count = substeps_next(cloth);
    set_substeps(domain, count);
    StatusCode code = cloth_step_level(cloth, count * (STEP / substeps_of(cloth)), status);
    set_substeps(domain, cloth->inputs.set.substeps);
    return code;
}

/* Where it cannot, the next call does that and nothing else. */
static StatusCode go_finer(Cloth *cloth, Status *status) {
    StatusCode code = go(cloth, cloth->level - 1, status);
    cloth->settling.passing = code < 0;
    return code;
}

/* After a step: goes over to the next finer level, begins to cool, cools on, or ends. */
static StatusCode go_on(Cloth *cloth, Status *status) {
    Settling *settling = &cloth->settling;
    LinkReport links;
    bool is_piece = settling->steps == 0 && settling->in_pieces;
    ++settling->steps;
    double before = settling->mean;
    measure(cloth);
    cloth_link_report(cloth, -1, &links);
    if (is_piece || (links.waiting && !settling->cooling)) {
        return STATUS_OK; /* links lose their patience by themselves */
    }
    int steps = ++settling->level_steps;
    if (settling->cooling && (settling->fastest <= RESTING || steps >= COOL_MOST)) {
        settling->settled = true;
        settling->fallen &= settling->fastest <= RESTING; /* what a body pushes is not stopped */
        settle_end(cloth);
        return STATUS_OK;
    }
    if (!settling->cooling) {
        settling->fallen = steps >= FALL_LEAST && settling->mean <= FALLEN &&
                           before <= SLOWING * FALLEN && links.closing == 0;
        if (!settling->fallen && steps < FALL_MOST) {
            return STATUS_OK;
        }
        if (cloth->level > 0) {
            return go_finer(cloth, status);
        }
        settling->cooling = true;
        settling->level_steps = 0;
    }
    settling->damping *= COOLING;
    settle_damp(cloth, cloth->level);
    return STATUS_OK;
}

StatusCode cloth_settle(Cloth *cloth, Status *status) {
    Settling *settling = &cloth->settling;
    StatusCode code = settling->active ? STATUS_OK : begin(cloth, status);
    bool passing = settling->passing;
    if (code >= 0 && !passing) {
        code = take_step(cloth, status);
    }
    if (code >= 0) {
        Status reported = {0};
        if ((passing ? go_finer(cloth, &reported) : go_on(cloth, &reported)) < 0) {
            *status = reported;
            code = reported.code;
        }
    }
    if (cloth->budgeted) {
        level_transfer_read(cloth);
    }
    cloth->settled = code >= 0 && settling->settled;
    if (code < 0 && code != STATUS_ERROR_CANCELLED && code != STATUS_ERROR_MEMORY) {
        settle_end(cloth);
    }
    cloth_forget_cancel(cloth);
    return code;
}

void cloth_settling(const Cloth *cloth, SettleReport *report) {
    const Settling *settling = &cloth->settling;
    *report = (SettleReport){.settled = settling->settled,
                             .came_to_rest = settling->fallen,
                             .steps = settling->steps,
                             .level = cloth->level,
                             .simulated_count = cloth->levels[cloth->level].count,
                             .fastest = settling->fastest,
                             .mean = settling->mean};
}
