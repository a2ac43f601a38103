/* From one level to another: finer vertices ride, coarser ones are some of the finer. */
#include "live/state.h"

/* Of a frame, over what a rigid one has: below it a detail would be thrown far away. */
#define FLATTEST_FRAME 0.05

/* --- reading ------------------------------------------------------------------------------------ */

/* What a loop over the caller's vertices needs. */
typedef struct FineWork {
    const Live *live;
    const Riding *riding;
    Vec3 *x;
} FineWork;

static void read_level(Live *live) {
    Level *at = &live->levels[live->level];
    cloth_get_state(at->cloth, live->floats, NULL);
    for (int v = 0; v < at->count; ++v) {
        at->x[v] = live_vector(live->floats, v);
    }
}

/* From a level that was read down to the next finer one. */
static void ride_down(Live *live, int from) {
    const Level *level = &live->levels[from];
    riding_turn(&level->riding, live->pool, level->x);
    riding_carry(&level->riding, live->pool, level->x, live->levels[from - 1].x);
}

void passage_read_speeds(Live *live) {
    Level *at = &live->levels[live->level];
    cloth_get_state(at->cloth, live->floats, live->more_floats);
    for (int v = 0; v < at->count; ++v) {
        at->v[v] = live_vector(live->more_floats, v);
    }
}

void passage_read_velocities(Live *live) {
    passage_read_speeds(live);
    for (int l = live->level; l > 0; --l) {
        const Level *level = &live->levels[l];
        riding_carry_velocities(&level->riding, live->pool, level->v, live->levels[l - 1].v);
    }
}

static void add_detail(void *context, int begin, int end) {
    const FineWork *work = context;
    for (int v = begin; v < end; ++v) {
        Frame frame = riding_frame(work->riding, v);
        work->x[v] = vec3_madd(work->x[v], work->live->detail_left,
                               frame_apply(&frame, work->live->detail[v]));
    }
}

/* Finer levels dip into bodies between the vertices that are simulated: the next one is put outside, and those after it
 * while they have no more vertices than can be asked in a frame; the others ride on that. A level is less than half an
 * edge of the simulated one deep. */
#define ASKED_MOST 12000

static void keep_out(Live *live, int level) {
    const Level *active = &live->levels[live->level], *at = &live->levels[level];
    bool asked = level == live->level - 1 || at->count <= ASKED_MOST;
    if (live->stepped && live->body_count > 0 && asked) {
        cloth_keep_out(active->cloth, live->pool, 0.5 * active->mean_side, at->count, at->hints,
                       at->x);
    }
}

static void read_fine(Live *live, bool detailed) {
    Level *fine = &live->levels[0];
    FineWork work = {.live = live, .riding = &live->levels[1].riding, .x = fine->x};
    for (int l = live->level; l > 0; --l) {
        ride_down(live, l);
        if (l == 1 && detailed && live->detail_left > 0) {
            pool_run(live->pool, fine->count, add_detail, &work);
        }
        keep_out(live, l - 1);
    }
}

void passage_read(Live *live) {
    read_level(live);
    read_fine(live, true);
    for (int p = 0; live->level > 0 && live->pins.reached && p < live->pins.count; ++p) {
        int vertex = live->pins.vertices[p];
        if (live->pins.weights[p] >= 1 && live->pins.held[vertex]) {
            live->levels[0].x[vertex] = live_vector(live->pins.now, p);
        }
    }
}

/* --- detail ------------------------------------------------------------------------------------- */

/* The vector that the frame takes to `v`; zero where the frame is too flat to tell. */
static Vec3 frame_solve(const Frame *frame, Vec3 v) {
    const Vec3 *c = frame->columns;
    Vec3 across = vec3_cross(c[1], c[2]);
    double determinant = vec3_dot(c[0], across);
    if (!(determinant > FLATTEST_FRAME)) {
        return vec3(0, 0, 0);
    }
    return vec3_scale(1 / determinant,
                      vec3(vec3_dot(across, v), vec3_dot(vec3_cross(c[2], c[0]), v),
                           vec3_dot(vec3_cross(c[0], c[1]), v)));
}

/* detail = what is left between x, as it was, and the ride. */
static void find_detail(void *context, int begin, int end) {
    const FineWork *work = context;
    for (int v = begin; v < end; ++v) {
        Frame frame = riding_frame(work->riding, v);
        Vec3 *detail = &work->live->detail[v];
        *detail = frame_solve(&frame, vec3_sub(*detail, work->x[v]));
    }
}

void passage_keep_detail(Live *live) {
    Level *fine = &live->levels[0];
    FineWork work = {.live = live, .riding = &live->levels[1].riding, .x = fine->x};
    pool_copy(live->pool, fine->count, sizeof(Vec3), fine->x, live->detail);
    read_level(live);
    read_fine(live, false);
    pool_run(live->pool, fine->count, find_detail, &work);
    live->detail_left = 1;
    pool_run(live->pool, fine->count, add_detail, &work);
}

/* --- going over --------------------------------------------------------------------------------- */

static StatusCode write_level(Live *live, int level, bool still, Status *status) {
    const Level *at = &live->levels[level];
    Status told = {0};
    for (int v = 0; v < at->count; ++v) {
        live_write(live->floats, v, at->x[v]);
        live_write(live->more_floats, v, still ? vec3(0, 0, 0) : at->v[v]);
    }
    /* A state of the caller's was judged by the caller's mesh. */
    const Cloth *from = live->levels[level == live->level ? 0 : live->level].cloth;
    StatusCode code = cloth_take_state(at->cloth, from, live->floats, live->more_floats, &told);
    if (code < 0) {
        *status = told;
        return code;
    }
    return STATUS_OK;
}

StatusCode passage_restrict(Live *live, int level, Status *status) {
    const Level *fine = &live->levels[0], *at = &live->levels[level];
    for (int v = 0; level > 0 && v < at->count; ++v) {
        at->x[v] = fine->x[at->source[v]];
        at->v[v] = fine->v[at->source[v]];
    }
    return write_level(live, level, false, status);
}

StatusCode passage_go(Live *live, int level, bool still, Status *status) {
    int from = live->level;
    Status told = {0};
    StatusCode code = levels_need(live, level, status);
    if (code < 0 || level == from) {
        return code;
    }
    passage_read(live);
    passage_read_velocities(live);
    code = live_bodies_put(live, level, status);
    if (code >= 0 && level > from) {
        code = passage_restrict(live, level, status);
    } else if (code >= 0) { /* reading has gone through all finer levels */
        code = write_level(live, level, still, status);
    }
    if (code >= 0 && live->step_seconds > 0) {
        code = cloth_prepare(live->levels[level].cloth, live->step_seconds, &told);
    }
    if (code < 0) {
        *status = told.code < 0 ? told : *status;
        return code;
    }
    live->level = level;
    live->stepped = false;
    live->detail_left = level > 0 ? live->detail_left : 0;
    if (level > from) {
        passage_keep_detail(live);
    }
    return STATUS_OK;
}
