/* Building, stepping on the level that fits, and refining level by level. */
#include "live/live.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "live/state.h"

/* --- building ----------------------------------------------------------------------------------- */

static StatusCode take_room(Live *live, Status *status) {
    Store *store = &live->store;
    Level *fine = &live->levels[0];
    int64_t count = fine->count;
    fine->x = STORE_ARRAY(store, Vec3, count);
    fine->v = STORE_ARRAY(store, Vec3, count);
    fine->hints = STORE_ARRAY(store, OutsideHint, count);
    live->detail = STORE_ARRAY(store, Vec3, count);
    live->added_hints = STORE_ARRAY(store, OutsideHint, count);
    live->floats = STORE_ARRAY(store, float, 3 * count);
    live->more_floats = STORE_ARRAY(store, float, 3 * count);
    live->numbers = STORE_ARRAY(store, int32_t, count);
    for (int k = 0; k < SCALE_KINDS; ++k) {
        live->scales[k] = STORE_ARRAY(store, float, count);
    }
    for (int k = 0; k < 2; ++k) {
        live->fields[k] = STORE_ARRAY(store, float, 3 * count);
    }
    live->pins = (LivePins){.vertices = STORE_ARRAY(store, int32_t, count),
                            .weights = STORE_ARRAY(store, float, count),
                            .targets = STORE_ARRAY(store, float, 3 * count),
                            .now = STORE_ARRAY(store, float, 3 * count),
                            .held = STORE_ARRAY(store, uint8_t, count)};
    live->pool = pool_create(live->options.simulation.threads);
    return store->failed || !live->pool ? status_no_memory(status, "levels") : STATUS_OK;
}

Live *live_create(const PolygonMesh *polygons, const LiveOptions *options, Status *status) {
    Live *live = calloc(1, sizeof *live);
    if (!live) {
        status_no_memory(status, "the garment");
        return NULL;
    }
    Status told = {0};
    live->options = options->cloth;
    live->budgeted = options->budget > 0;
    live->pace = (Pace){.budget = options->budget, .held = -1};
    live->levels[0].count = polygons->vertex_count;
    live->options.simulation.cancelled = &live->cancelled;
    live->options.simulation.progress = &live->progress;
    live->levels[0].cloth = cloth_create(polygons, &live->options, status);
    if (live->levels[0].cloth && mesh_copy(polygons, &live->mesh, &told) >= 0 &&
        (!live->budgeted || take_room(live, &told) >= 0)) {
        return live;
    }
    *status = told.code < 0 ? told : *status;
    live_destroy(live);
    return NULL;
}

void live_destroy(Live *live) {
    if (!live) {
        return;
    }
    levels_forget(live);
    cloth_destroy(live->levels[0].cloth);
    live_bodies_free(live);
    inspection_destroy(live->inspection);
    mesh_copy_free(&live->mesh);
    store_release(&live->store);
    pool_destroy(live->pool);
    free(live);
}

int live_vertex_count(const Live *live) { return cloth_vertex_count(live->levels[0].cloth); }

/* --- stepping ----------------------------------------------------------------------------------- */

/* The levels are there, and the one that fits is active. */
static StatusCode make_ready(Live *live, double step_seconds, Status *status) {
    live->step_seconds = step_seconds;
    StatusCode code = live->level_count == 0 ? levels_make(live, status) : STATUS_OK;
    live->refining = false;
    return code >= 0 ? passage_go(live, live->pace.level, false, status) : code;
}

StatusCode live_prepare(Live *live, double step_seconds, Status *status) {
    settle_end(live);
    if (!live->budgeted) {
        return cloth_prepare(live->levels[0].cloth, step_seconds, status);
    }
    StatusCode code = make_ready(live, step_seconds, status);
    return code >= 0 ? cloth_prepare(live->levels[live->level].cloth, step_seconds, status) : code;
}

/* The vertex is told by the number that the caller knows. */
static void rename_lost(const Live *live, Status *status) {
    const Level *level = &live->levels[live->level];
    int lost = status->detail_count > 0 ? status->details[0].elements[0] : -1;
    if (status->code == STATUS_ERROR_DIVERGED && level->source && lost >= 0) {
        status_diverged(status, level->source[lost]);
    }
}

StatusCode live_step_level(Live *live, double seconds, Status *status) {
    Cloth *cloth = live->levels[live->level].cloth;
    StatusCode code = cloth_step(cloth, seconds, status);
    live->stepped = true;
    live_bodies_end_step(live, simulation_part_done(cloth_active(cloth)));
    if (!live->budgeted) {
        return code;
    }
    if (code < 0) {
        live->pins.reached = false;
        rename_lost(live, status);
        return code;
    }
    memcpy(live->pins.now, live->pins.targets, 3 * (size_t)live->pins.count * sizeof(float));
    live->pins.reached = true;
    return code;
}

/* What the caller's vertices were besides riding is forgotten within this time, s. */
#define DETAIL_SECONDS 0.3
#define DETAIL_LEAST 0.01

static void fade_detail(Live *live, double seconds) {
    live->detail_left *= exp(-seconds / DETAIL_SECONDS);
    live->detail_left = live->detail_left < DETAIL_LEAST ? 0 : live->detail_left;
}

/* At rest the vertices move by less than this part of the cloth's size in a second (root mean square). */
#define AT_REST 4e-3

static double box_size(const Vec3 *x, int count) {
    double low[3] = {INFINITY, INFINITY, INFINITY}, high[3] = {-INFINITY, -INFINITY, -INFINITY};
    double largest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (int v = 0; v < count; ++v) {
            low[axis] = fmin(low[axis], vec3_along(x[v], axis));
            high[axis] = fmax(high[axis], vec3_along(x[v], axis));
        }
        largest = fmax(largest, high[axis] - low[axis]);
    }
    return largest;
}

static bool is_at_rest(const Live *live) {
    const Level *level = &live->levels[live->level];
    double sum = 0;
    for (int v = 0; v < level->count; ++v) {
        sum += vec3_dot(level->v[v], level->v[v]);
    }
    return sqrt(sum / level->count) <= AT_REST * box_size(level->x, level->count);
}

/* What rides on a coarser mesh differs by more from the caller's than rounds at draft do from those he asked for: time
 * is better spent on a finer level. */
static Quality hurried(const Live *live) {
    Quality asked = live->options.simulation.solving.quality;
    return live->level > 0 && live->pace.held < 0 && asked > QUALITY_DRAFT ? QUALITY_DRAFT : asked;
}

StatusCode live_step(Live *live, double seconds, Status *status) {
    settle_end(live);
    if (!live->budgeted) {
        Cloth *cloth = live->levels[0].cloth;
        StatusCode code = cloth_step(cloth, seconds, status);
        live_bodies_end_step(live, simulation_part_done(cloth_active(cloth)));
        live->settled = false;
        return code;
    }
    StatusCode code = make_ready(live, seconds, status);
    if (code >= 0) {
        double start = timing_now();
        Cloth *cloth = live->levels[live->level].cloth;
        cloth_set_budget(cloth, live->pace.held < 0 ? live->pace.budget : 0.0);
        cloth_set_quality(cloth, hurried(live));
        code = live_step_level(live, seconds, status);
        cloth_set_budget(cloth, 0.0); /* what comes to rest takes its time */
        cloth_set_quality(cloth, live->options.simulation.solving.quality);
        fade_detail(live, seconds * simulation_part_done(cloth_active(cloth)));
        passage_read(live);
        if (code >= 0) {
            double owed = simulation_work(cloth_active(cloth))->owed_seconds;
            pace_note(&live->pace, timing_now() - start + owed);
            passage_read_speeds(live);
            live->quiet_steps = is_at_rest(live) ? live->quiet_steps + 1 : 0;
        }
    }
    live->settled = false;
    live_forget_cancel(live);
    return code;
}

StatusCode live_hold(Live *live, int level, Status *status) {
    if (!live->budgeted && level > 0) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "level is %d, but a cloth without a budget has only level 0: set budget_ms",
                   level);
        return status_name_argument(status, DETAIL_CONFLICT, "level", level, 0);
    }
    pace_hold(&live->pace, level);
    return STATUS_OK;
}

/* --- refining ----------------------------------------------------------------------------------- */

/* A level is settled when it is at rest, or after as many steps as it is given: the coarser, the more. */
#define STEPS_FINEST 24
#define STEPS_COARSER 3 /* times as many on each coarser level: they cost as much */
#define STEPS_MOST 240
#define STEPS_LEAST 4 /* before it is looked at: it starts at rest */

/* Whether this level has been simulated for long enough. */
static bool has_ended(const Live *live) {
    int most = STEPS_FINEST;
    for (int l = 0; l < live->level && most < STEPS_MOST; ++l) {
        most *= STEPS_COARSER;
    }
    return live->refine_steps >= most || (live->refine_steps >= STEPS_LEAST && is_at_rest(live));
}

/* Goes over to the next finer level. Where it cannot, the next call does that and nothing else. */
static StatusCode refine_level(Live *live, Status *status) {
    StatusCode code = passage_go(live, live->level - 1, true, status);
    live->passing = code < 0;
    return code;
}

static StatusCode refine_step(Live *live, double step_seconds, Status *status) {
    if (live->passing) {
        return refine_level(live, status);
    }
    StatusCode code = live_step_level(live, step_seconds, status);
    if (code < 0) {
        return code;
    }
    fade_detail(live, step_seconds);
    passage_read(live);
    passage_read_speeds(live);
    ++live->refine_steps;
    if (has_ended(live)) {
        live->settled = live->level == 0;
        live->refine_steps = 0;
        return live->settled ? code : refine_level(live, status);
    }
    return code;
}

StatusCode live_refine(Live *live, double step_seconds, Status *status) {
    StatusCode code = STATUS_OK;
    settle_end(live);
    if (!live->budgeted) {
        live_forget_cancel(live);
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "only a cloth with a budget is refined: set budget_ms");
        return status_name_argument(status, DETAIL_CONFLICT, "budget_ms", 0, 0);
    }
    if (!live->refining) {
        code = make_ready(live, step_seconds, status);
        live->refining = code >= 0;
        live->refine_steps = 0;
        live->passing = false;
    }
    if (code >= 0 && !live->settled) {
        code = refine_step(live, step_seconds, status);
    }
    live_forget_cancel(live);
    return code;
}

/* --- from other threads ------------------------------------------------------------------------- */

void live_cancel(Live *live) { atomic_store(&live->cancelled, 1); }

void live_forget_cancel(Live *live) { atomic_store(&live->cancelled, 0); }

double live_progress(const Live *live) { return atomic_load(&live->progress) / 1000.0; }
