/* Rotations of triangles, smoothed over the surface, and the places on arcs that follow from them. They depend on the frame
 * alone, not on where the body was built: a run that is resumed goes on alike. */
#include "contact/body/arcs.h"

#include <math.h>

#include "base/rotation.h"

/* An arc nowhere further than this from its chord is straight, m. */
#define STRAIGHT 5e-6
/* Times that the rotations of triangles are averaged over neighbours. */
#define SMOOTHINGS 4
#define PI 3.14159265358979323846

StatusCode arcs_build(Arcs *arcs, int vertex_count, int triangle_count, Store *store,
                      Status *status) {
    *arcs = (Arcs){.turn = STORE_ARRAY(store, Vec3, vertex_count),
                   .smoothed = STORE_ARRAY(store, Vec3, vertex_count),
                   .triangle_turn = STORE_ARRAY(store, Vec3, triangle_count)};
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

/* Zero where the triangle hardly moves: all that its vertices could be beside their chords is too little. */
static Vec3 turn_of_triangle(const ArcSurface *surface, int t) {
    const int *c = surface->corners[t];
    Vec3 before[3], after[3];
    double most = 0;
    for (int k = 0; k < 3; ++k) {
        before[k] = surface->start[c[k]];
        after[k] = surface->end[c[k]];
        Vec3 way = vec3_sub(after[k], before[k]);
        most = fmax(most, vec3_dot(way, way));
    }
    if (!(sqrt(most) > 2.0 * STRAIGHT)) {
        return vec3(0, 0, 0);
    }
    Vec3 half = triangle_rotation(before, after);
    double sine = vec3_length(half);
    return sine > 0 ? vec3_scale(2.0 * asin(fmin(sine, 1.0)) / sine, half)
                    : points_rotation(3, c, surface->start, surface->end);
}

static double turn_triangles(void *context, int begin, int end) {
    const ArcWork *work = context;
    int turned = 0;
    for (int t = begin; t < end; ++t) {
        Vec3 turn = turn_of_triangle(work->surface, t);
        work->arcs->triangle_turn[t] = turn;
        turned += vec3_dot(turn, turn) > 0;
    }
    return turned;
}

/* Half a turn around an axis is half a turn around its opposite: rotations beyond a right angle are taken the way round that is
 * nearer to that of the whole body. */
static void turn_alike(const ArcWork *work) {
    const ArcSurface *surface = work->surface;
    const Clusters *clusters = surface->clusters;
    bool far = false;
    for (int t = 0; t < surface->triangle_count; ++t) {
        Vec3 turn = work->arcs->triangle_turn[t];
        far |= vec3_dot(turn, turn) > 0.25 * PI * PI;
    }
    if (!far) {
        return;
    }
    Vec3 whole = points_rotation(clusters->start[clusters->count], clusters->vertices,
                                 surface->start, surface->end);
    for (int t = 0; t < surface->triangle_count; ++t) {
        Vec3 turn = work->arcs->triangle_turn[t];
        double angle = vec3_length(turn);
        if (angle > 0.5 * PI && vec3_dot(turn, whole) < 0) {
            work->arcs->triangle_turn[t] = vec3_scale((angle - 2.0 * PI) / angle, turn);
        }
    }
}

static void take_from_triangles(void *context, int begin, int end) {
    const ArcWork *work = context;
    const ArcSurface *surface = work->surface;
    for (int v = begin; v < end; ++v) {
        int first = surface->corner_start[v], last = surface->corner_start[v + 1];
        Vec3 sum = vec3(0, 0, 0);
        for (int i = first; i < last; ++i) {
            sum = vec3_add(sum, work->arcs->triangle_turn[surface->corner[i] / 3]);
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

void arcs_find(Arcs *arcs, Pool *pool, const ArcSurface *surface) {
    ArcWork work = {.arcs = arcs, .surface = surface, .to = arcs->turn};
    int count = surface->vertex_count;
    arcs->any = false;
    int triangles = surface->triangle_count;
    double turned = pool ? pool_sum(pool, triangles, turn_triangles, &work)
                         : turn_triangles(&work, 0, triangles);
    if (turned == 0) {
        return;
    }
    turn_alike(&work);
    run(pool, count, take_from_triangles, &work);
    for (int pass = 0; pass < SMOOTHINGS; ++pass) { /* an even number: it ends where it began */
        work.from = pass % 2 ? arcs->smoothed : arcs->turn;
        work.to = pass % 2 ? arcs->turn : arcs->smoothed;
        run(pool, count, smooth, &work);
    }
    arcs->any = (pool ? pool_sum(pool, count, straighten, &work) : straighten(&work, 0, count)) > 0;
}
