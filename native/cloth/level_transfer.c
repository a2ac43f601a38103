/* Carries the state between levels: finer vertices are embedded, coarser ones are a subset of the finer. */
#include "cloth/state.h"

/* Of a frame, over what a rigid one has: below it a detail would be thrown far away. */
#define FLATTEST_FRAME 0.05

/* --- reading ------------------------------------------------------------------------------------ */

/* What a loop over the caller's vertices needs. */
typedef struct FineWork {
    const Cloth *cloth;
    const Embedding *embedding;
    Vec3 *x;
} FineWork;

static void read_level(Cloth *cloth) {
    Level *at = &cloth->levels[cloth->level];
    domain_carry_up(at->domain, cloth->floats, NULL);
    for (int v = 0; v < at->count; ++v) {
        at->x[v] = vector_at(cloth->floats, v);
    }
}

/* From a level that was read down to the next finer one. */
static void ride_down(Cloth *cloth, int from) {
    const Level *level = &cloth->levels[from];
    embedding_set_frames(&level->embedding, cloth->pool, level->x);
    embedding_apply(&level->embedding, cloth->pool, level->x, cloth->levels[from - 1].x);
}

void level_transfer_read_speeds(Cloth *cloth) {
    Level *at = &cloth->levels[cloth->level];
    domain_carry_up(at->domain, cloth->floats, cloth->more_floats);
    for (int v = 0; v < at->count; ++v) {
        at->v[v] = vector_at(cloth->more_floats, v);
    }
}

void level_transfer_read_velocities(Cloth *cloth) {
    level_transfer_read_speeds(cloth);
    for (int l = cloth->level; l > 0; --l) {
        const Level *level = &cloth->levels[l];
        embedding_apply_to_velocities(&level->embedding, cloth->pool, level->v,
                                      cloth->levels[l - 1].v);
    }
}

static void add_detail(void *context, int begin, int end) {
    const FineWork *work = context;
    for (int v = begin; v < end; ++v) {
        Frame frame = embedding_frame(work->embedding, v);
        work->x[v] = vec3_madd(work->x[v], work->cloth->detail_left,
                               frame_apply(&frame, work->cloth->detail[v]));
    }
}

/* Finer levels dip into bodies between the vertices that are simulated: the next one is put outside, and those after it
 * while they have no more vertices than can be asked in a frame; the others ride on that. A level is less than half an
 * edge of the simulated one deep. */
#define ASKED_MOST 12000

static void keep_out(Cloth *cloth, int level) {
    const Level *active = &cloth->levels[cloth->level], *at = &cloth->levels[level];
    bool asked = level == cloth->level - 1 || at->count <= ASKED_MOST;
    if (cloth->stepped && cloth->inputs.bodies.count > 0 && asked) {
        domain_keep_out(active->domain, cloth->pool, 0.5 * active->mean_side, at->count, at->hints,
                        at->x);
    }
}

static void read_fine(Cloth *cloth, bool detailed) {
    Level *fine = &cloth->levels[0];
    FineWork work = {.cloth = cloth, .embedding = &cloth->levels[1].embedding, .x = fine->x};
    for (int l = cloth->level; l > 0; --l) {
        ride_down(cloth, l);
        if (l == 1 && detailed && cloth->detail_left > 0) {
            pool_run(cloth->pool, fine->count, add_detail, &work);
        }
        keep_out(cloth, l - 1);
    }
}

void level_transfer_read(Cloth *cloth) {
    read_level(cloth);
    read_fine(cloth, true);
    const PinInputs *pins = &cloth->inputs.set.pins;
    for (int p = 0; cloth->level > 0 && cloth->pins.reached && p < pins->count; ++p) {
        int vertex = pins->vertices[p];
        if (pins->weights[p] >= 1 && cloth->pins.held[vertex]) {
            cloth->levels[0].x[vertex] = vector_at(cloth->pins.now, p);
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
        Frame frame = embedding_frame(work->embedding, v);
        Vec3 *detail = &work->cloth->detail[v];
        *detail = frame_solve(&frame, vec3_sub(*detail, work->x[v]));
    }
}

void level_transfer_keep_detail(Cloth *cloth) {
    Level *fine = &cloth->levels[0];
    FineWork work = {.cloth = cloth, .embedding = &cloth->levels[1].embedding, .x = fine->x};
    pool_copy(cloth->pool, fine->count, sizeof(Vec3), fine->x, cloth->detail);
    read_level(cloth);
    read_fine(cloth, false);
    pool_run(cloth->pool, fine->count, find_detail, &work);
    cloth->detail_left = 1;
    pool_run(cloth->pool, fine->count, add_detail, &work);
}

/* --- going over --------------------------------------------------------------------------------- */

static StatusCode write_level(Cloth *cloth, int level, bool still, Status *status) {
    const Level *at = &cloth->levels[level];
    Status reported = {0};
    for (int v = 0; v < at->count; ++v) {
        set_vector(cloth->floats, v, at->x[v]);
        set_vector(cloth->more_floats, v, still ? vec3(0, 0, 0) : at->v[v]);
    }
    /* A state of the caller's was judged by the caller's mesh. */
    const Domain *from = cloth->levels[level == cloth->level ? 0 : cloth->level].domain;
    StatusCode code =
        domain_take_state(at->domain, from, cloth->floats, cloth->more_floats, &reported);
    if (code < 0) {
        *status = reported;
        return code;
    }
    return STATUS_OK;
}

StatusCode level_transfer_restrict(Cloth *cloth, int level, Status *status) {
    const Level *fine = &cloth->levels[0], *at = &cloth->levels[level];
    for (int v = 0; level > 0 && v < at->count; ++v) {
        at->x[v] = fine->x[at->source[v]];
        at->v[v] = fine->v[at->source[v]];
    }
    return write_level(cloth, level, false, status);
}

StatusCode level_transfer_to(Cloth *cloth, int level, bool still, Status *status) {
    int from = cloth->level;
    Status reported = {0};
    StatusCode code = levels_need(cloth, level, status);
    if (code < 0 || level == from) {
        return code;
    }
    level_transfer_read(cloth);
    level_transfer_read_velocities(cloth);
    domain_put_bodies(cloth->levels[level].domain);
    /* Reading has gone through all finer levels. */
    code = level > from ? level_transfer_restrict(cloth, level, status)
                        : write_level(cloth, level, still, status);
    if (code >= 0 && cloth->step_seconds > 0) {
        code = domain_prepare(cloth->levels[level].domain, cloth->step_seconds, &reported);
    }
    if (code < 0) {
        *status = reported.code < 0 ? reported : *status;
        return code;
    }
    cloth->level = level;
    cloth->stepped = false;
    cloth->detail_left = level > 0 ? cloth->detail_left : 0;
    if (level > from) {
        level_transfer_keep_detail(cloth);
    }
    return STATUS_OK;
}
