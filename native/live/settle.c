/* The shape at rest, not the way there: damped steps on coarse levels first, then on the caller's mesh, and in the end
 * ever more damped until nothing moves.
 *
 * Falling: a mass damping of 5/s takes the swing out of cloth that hangs by half a metre within a second, and at the
 * speed that ends it, 4 mm/s, the forces that are left out of balance are 0.2 % of gravity. What moves after that is single folds
 * that pop over, one here and one there, for many seconds: they change the shape by less than a millimetre, and an
 * ordinary run of many seconds has them, too. Cooling stops them: the damping grows 64-fold with every step.
 *
 * Links that close come first: a slow one moves the cloth by less than what counts as fallen, and gravity may wait for it.
 * What would take longer than CLOSE_MOST steps hurries: nobody sees the way. */
#include <math.h>

#include "live/state.h"

#define STEP 0.0833333333333333333 /* s: larger ones let friction slip */
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

static void measure(Live *live) {
    Settling *settling = &live->settling;
    const Level *level = &live->levels[live->level];
    double sum = 0, fastest = 0;
    cloth_get_state(level->cloth, settling->positions, settling->velocities);
    for (int v = 0; v < level->count; ++v) {
        Vec3 speed = live_vector(settling->velocities, v);
        double square = vec3_dot(speed, speed);
        sum += square;
        fastest = fmax(fastest, square);
    }
    settling->fastest = sqrt(fastest);
    settling->mean = sqrt(sum / level->count);
}

/* --- links ------------------------------------------------------------------------------------- */

/* Links are of the caller's mesh, which has no coarser ones then. */
static void hasten(Live *live) {
    LinkReport links;
    live_link_report(live, -1, &links);
    double longest = CLOSE_MOST * STEP;
    cloth_hasten_links(live->levels[0].cloth, fmax(links.patience / longest - 1.0, 0.0));
}

/* --- from level to level ------------------------------------------------------------------------ */

static StatusCode go(Live *live, int level, Status *status) {
    StatusCode code = levels_need(live, level, status);
    live->settling.level_steps = 0;
    if (code < 0) {
        return code;
    }
    settle_damp(live, level);
    return passage_go(live, level, true, status);
}

/* The level that comes first is the finest of those that have few enough vertices. */
static StatusCode go_first(Live *live, Status *status) {
    int first = 0;
    bool coarser = live->budgeted && live->levels[0].count > FIRST_LEVEL;
    if (coarser && live->level_count == 0 && levels_make(live, status) < 0) {
        return status->code;
    }
    while (coarser && first + 1 < live->level_count && live->levels[first].count > FIRST_LEVEL) {
        ++first;
    }
    if (!live->budgeted || live->level_count == 0) {
        settle_damp(live, 0);
        return STATUS_OK;
    }
    return go(live, first, status);
}

static StatusCode begin(Live *live, Status *status) {
    Settling *settling = &live->settling;
    int64_t count = 3 * (int64_t)live->levels[0].count;
    if (!settling->positions) {
        Store store = {0};
        float *positions = STORE_ARRAY(&store, float, count);
        settling->velocities = STORE_ARRAY(&store, float, count);
        if (store.failed) {
            store_release(&store);
            return status_no_memory(status, "settling");
        }
        settling->positions = positions;
        store_join(&live->store, &store);
    }
    settling->active = true;
    settling->fallen = settling->cooling = settling->settled = settling->passing = false;
    settling->damping = DAMPING;
    settling->steps = settling->level_steps = 0;
    live->step_seconds = STEP;
    live->refining = false;
    hasten(live);
    StatusCode code = go_first(live, status);
    settling->in_pieces =
        live->options.simulation.substeps > 1 && !cloth_is_driven(live->levels[live->level].cloth);
    if (code < 0) {
        settle_end(live);
    }
    return code;
}

/* The first step comes in two pieces, its first substep and the others: whoever watches sees the cloth move that much
 * earlier, and it goes the same way. Not where something drives it, which moves evenly through a step: it would make
 * all of its way in the first piece. */
static int substeps_next(const Live *live) {
    const Settling *settling = &live->settling;
    int all = live->options.simulation.substeps;
    return !settling->in_pieces || settling->steps > 1 ? all : settling->steps == 0 ? 1 : all - 1;
}

static StatusCode take_step(Live *live, Status *status) {
    Cloth *cloth = live->levels[live->level].cloth;
    int all = live->options.simulation.substeps, count = substeps_next(live);
    cloth_set_substeps(cloth, count);
    StatusCode code = live_step_level(live, count * (STEP / all), status);
    cloth_set_substeps(cloth, all);
    return code;
}

/* Where it cannot, the next call does that and nothing else. */
static StatusCode go_finer(Live *live, Status *status) {
    StatusCode code = go(live, live->level - 1, status);
    live->settling.passing = code < 0;
    return code;
}

/* After a step: goes over to the next finer level, begins to cool, cools on, or ends. */
static StatusCode go_on(Live *live, Status *status) {
    Settling *settling = &live->settling;
    LinkReport links;
    bool is_piece = settling->steps == 0 && settling->in_pieces;
    ++settling->steps;
    double before = settling->mean;
    measure(live);
    live_link_report(live, -1, &links);
    if (is_piece || (links.waiting && !settling->cooling)) {
        return STATUS_OK; /* links lose their patience by themselves */
    }
    int steps = ++settling->level_steps;
    if (settling->cooling && (settling->fastest <= RESTING || steps >= COOL_MOST)) {
        settling->settled = true;
        settling->fallen &= settling->fastest <= RESTING; /* what a body pushes is not stopped */
        settle_end(live);
        return STATUS_OK;
    }
    if (!settling->cooling) {
        settling->fallen = steps >= FALL_LEAST && settling->mean <= FALLEN &&
                           before <= SLOWING * FALLEN && links.closing == 0;
        if (!settling->fallen && steps < FALL_MOST) {
            return STATUS_OK;
        }
        if (live->level > 0) {
            return go_finer(live, status);
        }
        settling->cooling = true;
        settling->level_steps = 0;
    }
    settling->damping *= COOLING;
    settle_damp(live, live->level);
    return STATUS_OK;
}

StatusCode live_settle(Live *live, SettleReport *report, Status *status) {
    Settling *settling = &live->settling;
    StatusCode code = settling->active ? STATUS_OK : begin(live, status);
    bool passing = settling->passing;
    if (code >= 0 && !passing) {
        code = take_step(live, status);
    }
    if (code >= 0) {
        Status told = {0};
        if ((passing ? go_finer(live, &told) : go_on(live, &told)) < 0) {
            *status = told;
            code = told.code;
        }
    }
    if (live->budgeted) {
        passage_read(live);
    }
    live->settled = code >= 0 && settling->settled;
    if (code < 0 && code != STATUS_ERROR_CANCELLED && code != STATUS_ERROR_MEMORY) {
        settle_end(live);
    }
    live_forget_cancel(live);
    *report = (SettleReport){.settled = settling->settled,
                             .came_to_rest = settling->fallen,
                             .steps = settling->steps,
                             .level = live->level,
                             .simulated_count = live->levels[live->level].count,
                             .fastest = settling->fastest,
                             .mean = settling->mean};
    return code;
}
