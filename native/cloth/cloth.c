/* Building, stepping on the level that fits, and refining level by level. */
#include "cloth/cloth.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "cloth/state.h"

/* --- building ----------------------------------------------------------------------------------- */

static StatusCode take_room(Cloth *cloth, Status *status) {
    Store *store = &cloth->store;
    Level *fine = &cloth->levels[0];
    int64_t count = fine->count;
    fine->x = STORE_ARRAY(store, Vec3, count);
    fine->v = STORE_ARRAY(store, Vec3, count);
    fine->hints = STORE_ARRAY(store, OutsideHint, count);
    cloth->detail = STORE_ARRAY(store, Vec3, count);
    cloth->added_hints = STORE_ARRAY(store, OutsideHint, count);
    cloth->floats = STORE_ARRAY(store, float, 3 * count);
    cloth->more_floats = STORE_ARRAY(store, float, 3 * count);
    cloth->numbers = STORE_ARRAY(store, int32_t, count);
    cloth->pins.now = STORE_ARRAY(store, float, 3 * count);
    cloth->pins.held = STORE_ARRAY(store, uint8_t, count);
    cloth->pool = pool_create(cloth->options.simulation.threads);
    return store->failed || !cloth->pool ? status_no_memory(status, "levels") : STATUS_OK;
}

/* What cannot be read cannot be copied either: the domain tells what is wrong with it. */
static StatusCode build_finest(Cloth *cloth, const PolygonMesh *polygons, Status *status) {
    Level *fine = &cloth->levels[0];
    const PolygonMesh *own = check_can_be_read(polygons) ? &cloth->inputs.mesh.polygons : polygons;
    if (own != polygons && mesh_copy(polygons, &cloth->inputs.mesh, status) < 0) {
        return status->code;
    }
    fine->inputs = cloth->inputs.set;
    fine->domain =
        domain_create(own, &cloth->options, &fine->inputs, &cloth->inputs.bodies, status);
    if (!fine->domain) {
        return status->code;
    }
    cloth->inputs.bodies.frame = domain_frame(fine->domain);
    cloth->inputs.bodies.symmetrised = cloth->options.mirror.asymmetric_body == BODY_SYMMETRISE;
    return STATUS_OK;
}

Cloth *cloth_create(const PolygonMesh *polygons, const ClothOptions *options, Status *status) {
    Cloth *cloth = calloc(1, sizeof *cloth);
    if (!cloth) {
        status_no_memory(status, "the garment");
        return NULL;
    }
    Status reported = {0};
    cloth->options = (DomainOptions){options->simulation, options->mirror};
    cloth->budgeted = options->budget > 0;
    cloth->pace = (Pace){.budget = options->budget, .held = -1};
    cloth->levels[0].count = polygons->vertex_count;
    if (!cloth->options.simulation.cancelled) {
        cloth->options.simulation.cancelled = &cloth->cancelled;
    }
    cloth->options.simulation.progress = &cloth->progress;
    inputs_begin(&cloth->inputs, &cloth->options.simulation);
    if (build_finest(cloth, polygons, status) >= 0 &&
        (!cloth->budgeted || take_room(cloth, &reported) >= 0)) {
        return cloth;
    }
    *status = reported.code < 0 ? reported : *status;
    cloth_destroy(cloth);
    return NULL;
}

void cloth_destroy(Cloth *cloth) {
    if (!cloth) {
        return;
    }
    levels_forget(cloth);
    domain_destroy(cloth->levels[0].domain);
    inspection_destroy(cloth->inspection);
    inputs_free(&cloth->inputs);
    store_release(&cloth->store);
    pool_destroy(cloth->pool);
    free(cloth);
}

int cloth_vertex_count(const Cloth *cloth) { return cloth->levels[0].count; }

/* --- stepping ----------------------------------------------------------------------------------- */

/* The levels are there, and the one that fits is active. */
static StatusCode make_ready(Cloth *cloth, double step_seconds, Status *status) {
    cloth->step_seconds = step_seconds;
    StatusCode code = cloth->level_count == 0 ? levels_make(cloth, status) : STATUS_OK;
    cloth->refining = false;
    return code >= 0 ? level_transfer_to(cloth, cloth->pace.level, false, status) : code;
}

StatusCode cloth_prepare(Cloth *cloth, double step_seconds, Status *status) {
    settle_end(cloth);
    if (!cloth->budgeted) {
        return domain_prepare(cloth->levels[0].domain, step_seconds, status);
    }
    StatusCode code = make_ready(cloth, step_seconds, status);
    return code >= 0 ? domain_prepare(cloth->levels[cloth->level].domain, step_seconds, status)
                     : code;
}

/* The vertex is told by the number that the caller knows. */
static void rename_lost(const Cloth *cloth, Status *status) {
    const Level *level = &cloth->levels[cloth->level];
    int lost = status->detail_count > 0 ? status->details[0].elements[0] : -1;
    if (status->code == STATUS_ERROR_DIVERGED && level->source && lost >= 0) {
        status_diverged(status, level->source[lost]);
    }
}

StatusCode cloth_step_level(Cloth *cloth, double seconds, Status *status) {
    Domain *domain = cloth->levels[cloth->level].domain;
    StatusCode code = domain_step(domain, seconds, status);
    cloth->stepped = true;
    if (!cloth->budgeted) {
        return code;
    }
    if (code < 0) {
        cloth->pins.reached = false;
        rename_lost(cloth, status);
        return code;
    }
    const PinInputs *pins = &cloth->inputs.set.pins;
    if (pins->count > 0) {
        memcpy(cloth->pins.now, pins->targets, 3 * (size_t)pins->count * sizeof(float));
    }
    cloth->pins.reached = true;
    return code;
}

/* Detail of the caller's vertices beyond the embedding fades within this time, s. */
#define DETAIL_SECONDS 0.3
#define DETAIL_LEAST 0.01

static void fade_detail(Cloth *cloth, double seconds) {
    cloth->detail_left *= exp(-seconds / DETAIL_SECONDS);
    cloth->detail_left = cloth->detail_left < DETAIL_LEAST ? 0 : cloth->detail_left;
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

static bool is_at_rest(const Cloth *cloth) {
    const Level *level = &cloth->levels[cloth->level];
    double sum = 0;
    for (int v = 0; v < level->count; ++v) {
        sum += vec3_dot(level->v[v], level->v[v]);
    }
    return sqrt(sum / level->count) <= AT_REST * box_size(level->x, level->count);
}

/* What rides on a coarser mesh differs by more from the caller's than rounds at draft do from those he asked for: time
 * is better spent on a finer level. */
static Quality hurried(const Cloth *cloth) {
    Quality asked = cloth->inputs.set.quality;
    return cloth->level > 0 && cloth->pace.held < 0 && asked > QUALITY_DRAFT ? QUALITY_DRAFT
                                                                             : asked;
}

StatusCode cloth_step(Cloth *cloth, double seconds, Status *status) {
    settle_end(cloth);
    if (!cloth->budgeted) {
        StatusCode code = domain_step(cloth->levels[0].domain, seconds, status);
        cloth->settled = false;
        return code;
    }
    StatusCode code = make_ready(cloth, seconds, status);
    if (code >= 0) {
        double start = timing_now();
        Domain *domain = cloth->levels[cloth->level].domain;
        const Inputs kept = {.quality =
                                 cloth->inputs.set.quality}; /* what comes to rest takes its time */
        const Inputs hurry = {.budget = cloth->pace.held < 0 ? cloth->pace.budget : 0.0,
                              .quality = hurried(cloth)};
        Status reported = {0}; /* iterations are always taken */
        domain_take(domain, &hurry, INPUT_BUDGET | INPUT_QUALITY, &reported);
        code = cloth_step_level(cloth, seconds, status);
        domain_take(domain, &kept, INPUT_BUDGET | INPUT_QUALITY, &reported);
        fade_detail(cloth, seconds * simulation_step_report(active_simulation(cloth)).part);
        level_transfer_read(cloth);
        if (code >= 0) {
            double owed = simulation_step_report(active_simulation(cloth)).work->owed_seconds;
            pace_note(&cloth->pace, timing_now() - start + owed);
            level_transfer_read_speeds(cloth);
            cloth->quiet_steps = is_at_rest(cloth) ? cloth->quiet_steps + 1 : 0;
        }
    }
    cloth->settled = false;
    cloth_forget_cancel(cloth);
    return code;
}

StatusCode cloth_hold(Cloth *cloth, int level, Status *status) {
    if (!cloth->budgeted && level > 0) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "level is %d, but a cloth without a budget has only level 0: set budget_ms",
                   level);
        return status_name_argument(status, DETAIL_CONFLICT, "level", level, 0);
    }
    pace_hold(&cloth->pace, level);
    return STATUS_OK;
}

/* --- refining ----------------------------------------------------------------------------------- */

/* A level is settled when it is at rest, or after as many steps as it is given: the coarser, the more. */
#define STEPS_FINEST 24
#define STEPS_COARSER 3 /* times as many on each coarser level: they cost as much */
#define STEPS_MOST 240
#define STEPS_LEAST 4 /* before it is looked at: it starts at rest */

/* Whether this level has been simulated for long enough. */
static bool has_ended(const Cloth *cloth) {
    int most = STEPS_FINEST;
    for (int l = 0; l < cloth->level && most < STEPS_MOST; ++l) {
        most *= STEPS_COARSER;
    }
    return cloth->refine_steps >= most || (cloth->refine_steps >= STEPS_LEAST && is_at_rest(cloth));
}

/* Goes over to the next finer level. Where it cannot, the next call does that and nothing else. */
static StatusCode refine_level(Cloth *cloth, Status *status) {
    StatusCode code = level_transfer_to(cloth, cloth->level - 1, true, status);
    cloth->passing = code < 0;
    return code;
}

static StatusCode refine_step(Cloth *cloth, double step_seconds, Status *status) {
    if (cloth->passing) {
        return refine_level(cloth, status);
    }
    StatusCode code = cloth_step_level(cloth, step_seconds, status);
    if (code < 0) {
        return code;
    }
    fade_detail(cloth, step_seconds);
    level_transfer_read(cloth);
    level_transfer_read_speeds(cloth);
    ++cloth->refine_steps;
    if (has_ended(cloth)) {
        cloth->settled = cloth->level == 0;
        cloth->refine_steps = 0;
        return cloth->settled ? code : refine_level(cloth, status);
    }
    return code;
}

StatusCode cloth_refine(Cloth *cloth, double step_seconds, Status *status) {
    StatusCode code = STATUS_OK;
    settle_end(cloth);
    if (!cloth->budgeted) {
        cloth_forget_cancel(cloth);
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "only a cloth with a budget is refined: set budget_ms");
        return status_name_argument(status, DETAIL_CONFLICT, "budget_ms", 0, 0);
    }
    if (!cloth->refining) {
        code = make_ready(cloth, step_seconds, status);
        cloth->refining = code >= 0;
        cloth->refine_steps = 0;
        cloth->passing = false;
    }
    if (code >= 0 && !cloth->settled) {
        code = refine_step(cloth, step_seconds, status);
    }
    cloth_forget_cancel(cloth);
    return code;
}

/* --- from other threads ------------------------------------------------------------------------- */

void cloth_cancel(Cloth *cloth) { atomic_store(cloth->options.simulation.cancelled, 1); }

void cloth_forget_cancel(Cloth *cloth) { atomic_store(cloth->options.simulation.cancelled, 0); }

double cloth_progress(const Cloth *cloth) { return atomic_load(&cloth->progress) / 1000.0; }
