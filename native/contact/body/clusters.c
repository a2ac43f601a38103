/* A cluster's motion is the middle of the box around the motions of its vertices. No point's motion differs from it by more
 * than the box's corner does. A cluster of an arm that is raised mostly rotates: without the rotation that fits best, a
 * twentieth of that box is left. */
#include "contact/body/clusters.h"

#include <stdlib.h>

/* How much further than it goes past is looked for what may be passed: nothing is further away after it than 1/0.8 of
 * that (see contact_plane.c). */
#define PASSING 2.0
/* Clusters that a thread takes at a time. */
#define GROUP 32
/* Turns that move a cluster's points by less than this part of its size are left in its stray. */
#define LEAST_TURN 1e-3
/* Part of its moment by which a cluster resists to turn around itself, if it is a needle. */
#define NEEDLE 1e-6

/* How many of the triangles from `begin` on belong to one part. */
static int part_size(int begin, int triangle_count, const int *order, const int *part) {
    int end = begin + 1;
    while (end < triangle_count && (!part || part[order[end]] == part[order[begin]])) {
        ++end;
    }
    return end - begin;
}

/* Numbers the clusters; `first` gets the place of each one's first triangle where it is not null, and the end. Cut as the
 * tree is (see bvh_leaf_begin()): a cluster of two branches may lie in both hands. */
static int divide(int size, int triangle_count, const int *order, const int *part, int *first) {
    int count = 0, own;
    for (int begin = 0; begin < triangle_count; begin += own) {
        own = part_size(begin, triangle_count, order, part);
        int levels = 0;
        while ((((int64_t)own - 1) >> levels) + 1 > size) {
            ++levels;
        }
        for (int64_t k = 0; k < (int64_t)1 << levels; ++k) {
            if (first) {
                first[count] = begin + (int)((own * k) >> levels);
            }
            ++count;
        }
    }
    if (first) {
        first[count] = triangle_count;
    }
    return count;
}

/* Lists each cluster's vertices; `seen` is per vertex the last cluster, plus one, that has it. Returns how many. */
static int list_vertices(Clusters *clusters, int (*const corners)[3], int *seen, int *vertices) {
    int total = 0;
    for (int c = 0; c < clusters->count; ++c) {
        clusters->start[c] = total;
        for (int i = 3 * clusters->first[c]; i < 3 * clusters->first[c + 1]; ++i) {
            int v = corners[clusters->order[i / 3]][i % 3];
            clusters->of[clusters->order[i / 3]] = c;
            if (seen[v] != c + 1) {
                seen[v] = c + 1;
                vertices[total++] = v;
            }
        }
    }
    clusters->start[clusters->count] = total;
    return total;
}

static StatusCode fill(Clusters *clusters, int triangle_count, int (*const corners)[3], int *seen,
                       Store *store, Status *status) {
    int *vertices = SCRATCH_ARRAY(int, 3 * (size_t)triangle_count);
    bool failed = !vertices;
    if (!failed) {
        int total = list_vertices(clusters, corners, seen, vertices);
        clusters->vertices = STORE_ARRAY(store, int, total);
        failed = store->failed;
        for (int i = 0; !failed && i < total; ++i) {
            clusters->vertices[i] = vertices[i];
        }
    }
    free(vertices);
    return failed ? status_no_memory(status, "the clusters of a surface") : STATUS_OK;
}

typedef struct MoveWork {
    Clusters *clusters;
    const Vec3 *start, *end;
    bool turning;
} MoveWork;

/* x of m x = b, of a symmetric positive matrix given by its diagonal and what is beside it: yz, xz, xy. */
static Vec3 solve_symmetric(Vec3 diagonal, Vec3 beside, Vec3 b) {
    Vec3 rows[3] = {vec3(diagonal.x, beside.z, beside.y), vec3(beside.z, diagonal.y, beside.x),
                    vec3(beside.y, beside.x, diagonal.z)};
    Vec3 first = vec3_cross(rows[1], rows[2]);
    Vec3 sum = vec3_scale(b.x, first);
    sum = vec3_madd(sum, b.y, vec3_cross(rows[2], rows[0]));
    sum = vec3_madd(sum, b.z, vec3_cross(rows[0], rows[1]));
    return vec3_scale(1.0 / vec3_dot(rows[0], first), sum);
}

static Vec3 mean_of(const Clusters *clusters, int c, const Vec3 *at) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = clusters->start[c]; i < clusters->start[c + 1]; ++i) {
        sum = vec3_add(sum, at[clusters->vertices[i]]);
    }
    return vec3_scale(1.0 / (clusters->start[c + 1] - clusters->start[c]), sum);
}

/* The turn that leaves the least of the vertices' motions, by the sum of squares. */
static Vec3 best_turn(const MoveWork *work, int c, Vec3 middle) {
    const Clusters *clusters = work->clusters;
    Vec3 way = vec3_sub(mean_of(clusters, c, work->end), middle);
    Vec3 squares = vec3(0, 0, 0), beside = vec3(0, 0, 0), moment = vec3(0, 0, 0);
    for (int i = clusters->start[c]; i < clusters->start[c + 1]; ++i) {
        Vec3 from = work->start[clusters->vertices[i]], to = work->end[clusters->vertices[i]];
        Vec3 arm = vec3_sub(from, middle), own = vec3_sub(vec3_sub(to, from), way);
        squares = vec3_add(squares, vec3(arm.x * arm.x, arm.y * arm.y, arm.z * arm.z));
        beside = vec3_sub(beside, vec3(arm.y * arm.z, arm.x * arm.z, arm.x * arm.y));
        moment = vec3_add(moment, vec3_cross(arm, own));
    }
    double all = squares.x + squares.y + squares.z;
    if (!(all > 0)) {
        return vec3(0, 0, 0);
    }
    all *= 1 + NEEDLE;
    Vec3 diagonal = vec3(all - squares.x, all - squares.y, all - squares.z);
    return solve_symmetric(diagonal, beside, moment);
}

/* A cluster that hardly turns keeps what it has without a turn. */
static ClusterTurn turn_of(const MoveWork *work, int c) {
    const Clusters *clusters = work->clusters;
    ClusterTurn plain = {.drift = clusters->motion[c], .bend = clusters->stray[c]};
    if (!(clusters->stray[c] >
          LEAST_TURN * vec3_distance(clusters->boxes[c].low, clusters->boxes[c].high))) {
        return plain;
    }
    ClusterTurn turned = {.middle = mean_of(clusters, c, work->start)};
    turned.turn = best_turn(work, c, turned.middle);
    Box left = box_empty();
    for (int i = clusters->start[c]; i < clusters->start[c + 1]; ++i) {
        Vec3 from = work->start[clusters->vertices[i]], to = work->end[clusters->vertices[i]];
        Vec3 turn = vec3_cross(turned.turn, vec3_sub(from, turned.middle));
        left = box_with_point(left, vec3_sub(vec3_sub(to, from), turn));
    }
    turned.drift = vec3_scale(0.5, vec3_add(left.low, left.high));
    turned.bend = 0.5 * vec3_distance(left.low, left.high);
    return turned.bend < plain.bend ? turned : plain;
}

static void move_clusters(void *context, int begin, int end) {
    const MoveWork *work = context;
    Clusters *clusters = work->clusters;
    for (int c = begin; c < end; ++c) {
        Box swept = box_empty(), ways = box_empty();
        for (int i = clusters->start[c]; i < clusters->start[c + 1]; ++i) {
            Vec3 from = work->start[clusters->vertices[i]], to = work->end[clusters->vertices[i]];
            swept = box_with_point(box_with_point(swept, from), to);
            ways = box_with_point(ways, vec3_sub(to, from));
        }
        clusters->boxes[c] = swept;
        clusters->motion[c] = vec3_scale(0.5, vec3_add(ways.low, ways.high));
        clusters->stray[c] = 0.5 * vec3_distance(ways.low, ways.high);
        if (work->turning) {
            clusters->turns[c] = turn_of(work, c);
        }
    }
}

StatusCode clusters_build(Clusters *clusters, int size, int triangle_count, const int *order,
                          int (*const corners)[3], const int *part, int vertex_count, const Vec3 *x,
                          Store *store, Status *status) {
    int count = divide(size, triangle_count, order, part, NULL);
    *clusters = (Clusters){.count = count,
                           .first = STORE_ARRAY(store, int, count + 1),
                           .order = STORE_ARRAY(store, int, triangle_count),
                           .of = STORE_ARRAY(store, int, triangle_count),
                           .start = STORE_ARRAY(store, int, count + 1),
                           .boxes = STORE_ARRAY(store, Box, count),
                           .motion = STORE_ARRAY(store, Vec3, count),
                           .stray = STORE_ARRAY(store, double, count),
                           .turns = STORE_ARRAY(store, ClusterTurn, count)};
    int *seen = SCRATCH_ARRAY(int, vertex_count);
    if (!seen || store->failed) {
        free(seen);
        return status_no_memory(status, "the clusters of a surface");
    }
    divide(size, triangle_count, order, part, clusters->first);
    for (int i = 0; i < triangle_count; ++i) {
        clusters->order[i] = order[i];
    }
    StatusCode code = fill(clusters, triangle_count, corners, seen, store, status);
    free(seen);
    if (code == STATUS_OK) {
        MoveWork work = {clusters, x, x, true};
        move_clusters(&work, 0, count);
        code = wide_bvh_build(&clusters->tree, count, clusters->boxes, store, status);
    }
    return code;
}

/* A body has some hundred clusters: too few for the chunks of a plain run. */
static void move_groups(void *context, int begin, int end) {
    int count = ((const MoveWork *)context)->clusters->count;
    move_clusters(context, GROUP * begin, GROUP * end < count ? GROUP * end : count);
}

void clusters_move(Clusters *clusters, Pool *pool, const Vec3 *start, const Vec3 *end,
                   bool turning) {
    MoveWork work = {clusters, start, end, turning};
    if (pool) {
        pool_each(pool, (clusters->count + GROUP - 1) / GROUP, move_groups, &work);
    } else {
        move_clusters(&work, 0, clusters->count);
    }
    Box all = clusters_box(clusters);
    wide_bvh_refit(&clusters->tree, NULL, &all, clusters->boxes);
    clusters->fastest = 0;
    for (int c = 0; c < clusters->count; ++c) {
        clusters->fastest =
            fmax(clusters->fastest, vec3_length(clusters->motion[c]) + clusters->stray[c]);
    }
}

Box clusters_box(const Clusters *clusters) {
    Box all = box_empty();
    for (int c = 0; c < clusters->count; ++c) {
        all = box_join(all, clusters->boxes[c]);
    }
    return all;
}

typedef struct BoundVisit {
    const Clusters *clusters;
    Box way;
    Vec3 x, motion;
    double clearance, meeting;
    ClusterBound bound;
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

/* By how much the point can have come nearer to the cluster: what it goes beside how the cluster would move it. Turned by turn x,
 * the way from a point of the cluster to it only gets longer. */
static double nearer_to(const BoundVisit *visit, const ClusterTurn *cluster) {
    Vec3 moved =
        vec3_add(cluster->drift, vec3_cross(cluster->turn, vec3_sub(visit->x, cluster->middle)));
    return vec3_distance(visit->motion, moved) + cluster->bend;
}

/* Both the boxes and the motion past each other keep the point away. */
static bool bound_cluster(void *context, int c) {
    BoundVisit *visit = context;
    const Clusters *clusters = visit->clusters;
    double nearer = nearer_to(visit, &clusters->turns[c]);
    double distance = visit->clearance - nearer,
           gap = gap_between(&visit->way, &clusters->boxes[c]);
    if (gap > distance && gap > 0) { /* else it may even be behind the surface */
        distance = gap;
    }
    ClusterBound *bound = &visit->bound;
    bound->distance = fmin(bound->distance, distance);
    if (distance < visit->meeting) {
        bound->approach = fmax(bound->approach, nearer);
    }
    return false;
}

typedef struct MarkVisit {
    const Clusters *clusters;
    Box box;
    Vec3 motion;
    double stray, reach;
    uint8_t *awake;
} MarkVisit;

/* What comes nearer than `reach`, or goes past: before or after that it is further away than it goes. */
static bool mark_cluster(void *context, int c) {
    MarkVisit *visit = context;
    const Clusters *clusters = visit->clusters;
    double past =
        vec3_distance(visit->motion, clusters->motion[c]) + visit->stray + clusters->stray[c];
    if (gap_between(&visit->box, &clusters->boxes[c]) <= visit->reach + PASSING * past) {
        visit->awake[c] = 1;
    }
    return false;
}

void clusters_mark(const Clusters *clusters, const Clusters *others, int other, double reach,
                   uint8_t *awake) {
    MarkVisit visit = {.clusters = clusters,
                       .box = others->boxes[other],
                       .motion = others->motion[other],
                       .stray = others->stray[other],
                       .reach = reach,
                       .awake = awake};
    double past = vec3_length(visit.motion) + visit.stray + clusters->fastest;
    Box box = box_grown(visit.box, reach + PASSING * past);
    wide_bvh_visit(&clusters->tree, &box, mark_cluster, &visit);
}

ClusterBound clusters_bound(const Clusters *clusters, Vec3 x, Vec3 z, double clearance,
                            double known, double meeting) {
    BoundVisit visit = {.clusters = clusters,
                        .way = box_of_two(x, z),
                        .x = x,
                        .motion = vec3_sub(z, x),
                        .clearance = clearance,
                        .meeting = meeting,
                        .bound = {.distance = known}};
    Box box = box_grown(visit.way, known);
    wide_bvh_visit(&clusters->tree, &box, bound_cluster, &visit);
    return visit.bound;
}
