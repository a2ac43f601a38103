/* Rotations of clusters, smoothed over the surface, and the places on arcs that follow from them. */
#include "contact/body/arcs.h"

#include <math.h>

#include "base/rotation.h"

/* An arc nowhere further than this from its chord is straight, m. */
#define STRAIGHT 5e-6
/* Times that the rotations of clusters are averaged over neighbours. */
#define SMOOTHINGS 4
#define PI 3.14159265358979323846
/* Clusters that a thread takes at a time. */
#define GROUP 32

StatusCode arcs_build(Arcs *arcs, int vertex_count, int cluster_count, Store *store,
                      Status *status) {
    *arcs = (Arcs){.turn = STORE_ARRAY(store, Vec3, vertex_count),
                   .smoothed = STORE_ARRAY(store, Vec3, vertex_count),
                   .cluster_turn = STORE_ARRAY(store, Vec3, cluster_count)};
    return store->failed ? status_no_memory(status, "a moving collider") : STATUS_OK;
}

Vec3 arc_place(Vec3 start, Vec3 end, Vec3 turn, double t) {
    double angle = vec3_length(turn), half = 0.5 * angle, at = (t - 0.5) * angle;
    if (t == 0 || t == 1 || !(angle > 0)) {
        return t == 1 ? end : vec3_madd(start, t, vec3_sub(end, start));
    }
    Vec3 axis = vec3_scale(1.0 / angle, turn), way = vec3_sub(end, start);
    Vec3 along = vec3_scale(vec3_dot(way, axis), axis), across = vec3_sub(way, along);
    Vec3 aside = vec3_cross(axis, across);
    double forward = 0.5 * (1.0 + sin(at) / sin(half));
    double sideways = 0.5 * (cos(half) - cos(at)) / sin(half);
    Vec3 place = vec3_madd(start, t, along);
    return vec3_madd(vec3_madd(place, forward, across), sideways, aside);
}

/* How far the arc is from its chord halfway, nearly: a quarter of the angle's tangent, of half the chord. */
static double bulge(Vec3 way, Vec3 turn) {
    double angle = vec3_length(turn);
    return angle > 0 ? 0.5 * tan(0.25 * angle) * vec3_length(vec3_cross(way, turn)) / angle : 0.0;
}

typedef struct ArcWork {
    Arcs *arcs;
    const ArcSurface *surface;
    Vec3 *from, *to; /* of a smoothing */
} ArcWork;

/* Zero where the cluster hardly moves: all that its vertices could be beside their chords is too little. */
static Vec3 turn_of_cluster(const ArcSurface *surface, int c) {
    const Clusters *clusters = surface->clusters;
    const int *vertices = clusters->vertices + clusters->start[c];
    int count = clusters->start[c + 1] - clusters->start[c];
    double most = 0;
    for (int i = 0; i < count; ++i) {
        Vec3 way = vec3_sub(surface->end[vertices[i]], surface->start[vertices[i]]);
        most = fmax(most, vec3_dot(way, way));
    }
    return sqrt(most) > 2.0 * STRAIGHT
               ? points_rotation(count, vertices, surface->start, surface->end)
               : vec3(0, 0, 0);
}

static void turn_clusters(void *context, int begin, int end) {
    const ArcWork *work = context;
    int count = work->surface->clusters->count;
    for (int c = GROUP * begin; c < GROUP * end && c < count; ++c) {
        work->arcs->cluster_turn[c] = turn_of_cluster(work->surface, c);
    }
}

/* Half a turn around an axis is half a turn around its opposite: rotations beyond a right angle are taken the way round that is
 * nearer to that of the whole body. */
static void turn_alike(const ArcWork *work) {
    const ArcSurface *surface = work->surface;
    const Clusters *clusters = surface->clusters;
    bool far = false;
    for (int c = 0; c < clusters->count; ++c) {
        far |= vec3_length(work->arcs->cluster_turn[c]) > 0.5 * PI;
    }
    if (!far) {
        return;
    }
    Vec3 whole = points_rotation(clusters->start[clusters->count], clusters->vertices,
                                 surface->start, surface->end);
    for (int c = 0; c < clusters->count; ++c) {
        Vec3 turn = work->arcs->cluster_turn[c];
        double angle = vec3_length(turn);
        if (angle > 0.5 * PI && vec3_dot(turn, whole) < 0) {
            work->arcs->cluster_turn[c] = vec3_scale((angle - 2.0 * PI) / angle, turn);
        }
    }
}

static void take_from_clusters(void *context, int begin, int end) {
    const ArcWork *work = context;
    const ArcSurface *surface = work->surface;
    for (int v = begin; v < end; ++v) {
        int first = surface->corner_start[v], last = surface->corner_start[v + 1];
        Vec3 sum = vec3(0, 0, 0);
        for (int i = first; i < last; ++i) {
            int cluster = surface->clusters->of[surface->corner[i] / 3];
            sum = vec3_add(sum, work->arcs->cluster_turn[cluster]);
        }
        work->to[v] = last > first ? vec3_scale(1.0 / (last - first), sum) : sum;
    }
}

/* The mean of a vertex and of those it shares triangles with. */
static void smooth(void *context, int begin, int end) {
    const ArcWork *work = context;
    const ArcSurface *surface = work->surface;
    for (int v = begin; v < end; ++v) {
        int first = surface->corner_start[v], last = surface->corner_start[v + 1];
        Vec3 sum = work->from[v];
        for (int i = first; i < last; ++i) {
            const int *c = surface->corners[surface->corner[i] / 3];
            int place = surface->corner[i] % 3;
            sum = vec3_add(sum, work->from[c[(place + 1) % 3]]);
            sum = vec3_add(sum, work->from[c[(place + 2) % 3]]);
        }
        work->to[v] = vec3_scale(1.0 / (2 * (last - first) + 1), sum);
    }
}

static double straighten(void *context, int begin, int end) {
    const ArcWork *work = context;
    const ArcSurface *surface = work->surface;
    int bent = 0;
    for (int v = begin; v < end; ++v) {
        Vec3 way = vec3_sub(surface->end[v], surface->start[v]);
        bool is_bent = bulge(way, work->to[v]) > STRAIGHT;
        work->to[v] = is_bent ? work->to[v] : vec3(0, 0, 0);
        bent += is_bent;
    }
    return bent;
}

static void run(Pool *pool, int count, PoolTask task, ArcWork *work) {
    if (pool) {
        pool_run(pool, count, task, work);
    } else {
        task(work, 0, count);
    }
}

static bool find_turns(ArcWork *work, Pool *pool) {
    int count = work->surface->clusters->count, groups = (count + GROUP - 1) / GROUP;
    if (pool) {
        pool_each(pool, groups, turn_clusters, work);
    } else {
        turn_clusters(work, 0, groups);
    }
    bool any = false;
    for (int c = 0; c < count; ++c) {
        Vec3 turn = work->arcs->cluster_turn[c];
        any |= vec3_dot(turn, turn) > 0;
    }
    turn_alike(work);
    return any;
}

void arcs_find(Arcs *arcs, Pool *pool, const ArcSurface *surface) {
    ArcWork work = {.arcs = arcs, .surface = surface, .to = arcs->turn};
    int count = surface->vertex_count;
    arcs->any = false;
    if (!find_turns(&work, pool)) {
        return;
    }
    run(pool, count, take_from_clusters, &work);
    for (int pass = 0; pass < SMOOTHINGS; ++pass) { /* an even number: it ends where it began */
        work.from = pass % 2 ? arcs->smoothed : arcs->turn;
        work.to = pass % 2 ? arcs->turn : arcs->smoothed;
        run(pool, count, smooth, &work);
    }
    arcs->any = (pool ? pool_sum(pool, count, straighten, &work) : straighten(&work, 0, count)) > 0;
}
