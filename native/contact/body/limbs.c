/* Each limb's motion is the middle of the box around the motions of its vertices: within it, every point goes as far
 * from that as the box's corner at most, and points of triangles go as their corners do. */
#include "contact/body/limbs.h"

#include <stdlib.h>

/* How much further than it goes past is looked for what may be passed: nothing is further away after it than 1/0.8 of
 * that (see contact_plane.c). */
#define PASSING 2.0
/* Limbs that a thread takes at a time. */
#define GROUP 32

/* Numbers the limbs; `first` gets the place of each one's first triangle where it is not null, and the end. */
static int divide(int size, int triangle_count, const int *order, const int *part, int *first) {
    int count = 0, begin = 0;
    for (int i = 0; i < triangle_count; ++i) {
        if (i == 0 || i - begin == size || (part && part[order[i]] != part[order[i - 1]])) {
            begin = i;
            if (first) {
                first[count] = i;
            }
            ++count;
        }
    }
    if (first) {
        first[count] = triangle_count;
    }
    return count;
}

/* Lists each limb's vertices; `seen` is per vertex the last limb, plus one, that has it. Returns how many. */
static int list_vertices(Limbs *limbs, int (*const corners)[3], int *seen, int *vertices) {
    int total = 0;
    for (int c = 0; c < limbs->count; ++c) {
        limbs->start[c] = total;
        for (int i = 3 * limbs->first[c]; i < 3 * limbs->first[c + 1]; ++i) {
            int v = corners[limbs->order[i / 3]][i % 3];
            limbs->of[limbs->order[i / 3]] = c;
            if (seen[v] != c + 1) {
                seen[v] = c + 1;
                vertices[total++] = v;
            }
        }
    }
    limbs->start[limbs->count] = total;
    return total;
}

static StatusCode fill(Limbs *limbs, int triangle_count, int (*const corners)[3], int *seen,
                       Store *store, Status *status) {
    int *vertices = SCRATCH_ARRAY(int, 3 * (size_t)triangle_count);
    bool failed = !vertices;
    if (!failed) {
        int total = list_vertices(limbs, corners, seen, vertices);
        limbs->vertices = STORE_ARRAY(store, int, total);
        failed = store->failed;
        for (int i = 0; !failed && i < total; ++i) {
            limbs->vertices[i] = vertices[i];
        }
    }
    free(vertices);
    return failed ? status_no_memory(status, "the limbs of a surface") : STATUS_OK;
}

typedef struct MoveWork {
    Limbs *limbs;
    const Vec3 *start, *end;
} MoveWork;

static void move_limbs(void *context, int begin, int end) {
    const MoveWork *work = context;
    Limbs *limbs = work->limbs;
    for (int c = begin; c < end; ++c) {
        Box swept = box_empty(), ways = box_empty();
        for (int i = limbs->start[c]; i < limbs->start[c + 1]; ++i) {
            Vec3 from = work->start[limbs->vertices[i]], to = work->end[limbs->vertices[i]];
            swept = box_with_point(box_with_point(swept, from), to);
            ways = box_with_point(ways, vec3_sub(to, from));
        }
        limbs->boxes[c] = swept;
        limbs->motion[c] = vec3_scale(0.5, vec3_add(ways.low, ways.high));
        limbs->stray[c] = 0.5 * vec3_distance(ways.low, ways.high);
    }
}

StatusCode limbs_build(Limbs *limbs, int size, int triangle_count, const int *order,
                       int (*const corners)[3], const int *part, int vertex_count, const Vec3 *x,
                       Store *store, Status *status) {
    int count = divide(size, triangle_count, order, part, NULL);
    *limbs = (Limbs){.count = count,
                     .first = STORE_ARRAY(store, int, count + 1),
                     .order = STORE_ARRAY(store, int, triangle_count),
                     .of = STORE_ARRAY(store, int, triangle_count),
                     .start = STORE_ARRAY(store, int, count + 1),
                     .boxes = STORE_ARRAY(store, Box, count),
                     .motion = STORE_ARRAY(store, Vec3, count),
                     .stray = STORE_ARRAY(store, double, count)};
    int *seen = SCRATCH_ARRAY(int, vertex_count);
    if (!seen || store->failed) {
        free(seen);
        return status_no_memory(status, "the limbs of a surface");
    }
    divide(size, triangle_count, order, part, limbs->first);
    for (int i = 0; i < triangle_count; ++i) {
        limbs->order[i] = order[i];
    }
    StatusCode code = fill(limbs, triangle_count, corners, seen, store, status);
    free(seen);
    if (code == STATUS_OK) {
        MoveWork work = {limbs, x, x};
        move_limbs(&work, 0, count);
        code = wide_bvh_build(&limbs->tree, count, limbs->boxes, store, status);
    }
    return code;
}

/* A body has some hundred limbs: too few for the chunks of a plain run. */
static void move_groups(void *context, int begin, int end) {
    int count = ((const MoveWork *)context)->limbs->count;
    move_limbs(context, GROUP * begin, GROUP * end < count ? GROUP * end : count);
}

void limbs_move(Limbs *limbs, Pool *pool, const Vec3 *start, const Vec3 *end) {
    MoveWork work = {limbs, start, end};
    if (pool) {
        pool_each(pool, (limbs->count + GROUP - 1) / GROUP, move_groups, &work);
    } else {
        move_limbs(&work, 0, limbs->count);
    }
    Box all = limbs_box(limbs);
    wide_bvh_refit(&limbs->tree, NULL, &all, limbs->boxes);
    limbs->fastest = 0;
    for (int c = 0; c < limbs->count; ++c) {
        limbs->fastest = fmax(limbs->fastest, vec3_length(limbs->motion[c]) + limbs->stray[c]);
    }
}

Box limbs_box(const Limbs *limbs) {
    Box all = box_empty();
    for (int c = 0; c < limbs->count; ++c) {
        all = box_join(all, limbs->boxes[c]);
    }
    return all;
}

typedef struct BoundVisit {
    const Limbs *limbs;
    Box way;
    Vec3 motion;
    double clearance, meeting;
    LimbBound bound;
} BoundVisit;

static double gap_along(double low, double high, double other_low, double other_high) {
    return fmax(0.0, fmax(other_low - high, low - other_high));
}

/* Between two boxes. */
static double gap_between(const Box *a, const Box *b) {
    Vec3 gap = vec3(gap_along(a->low.x, a->high.x, b->low.x, b->high.x),
                    gap_along(a->low.y, a->high.y, b->low.y, b->high.y),
                    gap_along(a->low.z, a->high.z, b->low.z, b->high.z));
    return vec3_length(gap);
}

/* Both the boxes and the motion past each other keep the point away. */
static bool bound_limb(void *context, int c) {
    BoundVisit *visit = context;
    const Limbs *limbs = visit->limbs;
    double nearer = vec3_distance(visit->motion, limbs->motion[c]) + limbs->stray[c];
    double distance = visit->clearance - nearer, gap = gap_between(&visit->way, &limbs->boxes[c]);
    if (gap > distance && gap > 0) { /* else it may even be behind the surface */
        distance = gap;
    }
    LimbBound *bound = &visit->bound;
    bound->distance = fmin(bound->distance, distance);
    if (distance < visit->meeting) {
        bound->approach = fmax(bound->approach, nearer);
    }
    return false;
}

typedef struct MarkVisit {
    const Limbs *limbs;
    Box box;
    Vec3 motion;
    double stray, reach;
    uint8_t *awake;
} MarkVisit;

/* What comes nearer than `reach`, or goes past: before or after that it is further away than it goes. */
static bool mark_limb(void *context, int c) {
    MarkVisit *visit = context;
    const Limbs *limbs = visit->limbs;
    double past = vec3_distance(visit->motion, limbs->motion[c]) + visit->stray + limbs->stray[c];
    if (gap_between(&visit->box, &limbs->boxes[c]) <= visit->reach + PASSING * past) {
        visit->awake[c] = 1;
    }
    return false;
}

void limbs_mark(const Limbs *limbs, const Limbs *others, int other, double reach, uint8_t *awake) {
    MarkVisit visit = {.limbs = limbs,
                       .box = others->boxes[other],
                       .motion = others->motion[other],
                       .stray = others->stray[other],
                       .reach = reach,
                       .awake = awake};
    double past = vec3_length(visit.motion) + visit.stray + limbs->fastest;
    Box box = box_grown(visit.box, reach + PASSING * past);
    wide_bvh_visit(&limbs->tree, &box, mark_limb, &visit);
}

LimbBound limbs_bound(const Limbs *limbs, Vec3 x, Vec3 z, double clearance, double known,
                      double meeting) {
    BoundVisit visit = {.limbs = limbs,
                        .way = box_of_two(x, z),
                        .motion = vec3_sub(z, x),
                        .clearance = clearance,
                        .meeting = meeting,
                        .bound = {.distance = known}};
    Box box = box_grown(visit.way, known);
    wide_bvh_visit(&limbs->tree, &box, bound_limb, &visit);
    return visit.bound;
}
