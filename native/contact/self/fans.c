/* A normal on straight ways is a square function of time: where the three coefficients that it lies between point one
 * way, it always does. */
#include "contact/self/fans.h"

#include <stdlib.h>

#include "base/memory.h"
#include "geometry/lanes.h"

/* What a normal must have of its length along the direction: more than rounding takes. */
#define FACING 1e-3F

/* --- building --------------------------------------------------------------------------------- */

/* Closed is a vertex each of whose edges has two triangles, which pass it in opposite directions. `sides` counts an
 * edge's triangles, `turns` those along it less those against it. */
static void mark_closed(OrderedFans *fans, int *sides, int *turns) {
    const Skin *skin = fans->skin;
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        for (int k = 0; k < 3; ++k) {
            int a = v[k], b = v[(k + 1) % 3], e = skin_edge(skin, a, b);
            ++sides[e];
            turns[e] += a < b ? 1 : -1;
        }
    }
    for (int v = 0; v < skin->vertex_count; ++v) {
        fans->closed[v] = fans->start[v] < fans->start[v + 1];
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (sides[e] != 2 || turns[e] != 0) {
            fans->closed[skin->edges[e][0]] = fans->closed[skin->edges[e][1]] = 0;
        }
    }
}

/* Counts become ends, and ends starts as the ranges fill from the back. */
static void list_corners(OrderedFans *fans) {
    const Skin *skin = fans->skin;
    int count = 3 * skin->triangle_count, *start = fans->start;
    for (int c = 0; c < count; ++c) {
        ++start[skin->triangles[c / 3][c % 3]];
    }
    for (int v = 1; v <= skin->vertex_count; ++v) {
        start[v] += start[v - 1];
    }
    for (int c = count; c-- > 0;) {
        const int *v = skin->triangles[c / 3];
        fans->corners[--start[v[c % 3]]] =
            (FanCorner){.triangle = c / 3, .from = v[(c + 1) % 3], .to = v[(c + 2) % 3]};
    }
}

StatusCode fans_build(OrderedFans *fans, const Skin *skin, Store *store, Status *status) {
    size_t vertices = (size_t)skin->vertex_count, triangles = (size_t)skin->triangle_count;
    *fans = (OrderedFans){.skin = skin,
                          .start = STORE_ARRAY(store, int, vertices + 1),
                          .corners = STORE_ARRAY(store, FanCorner, 3 * triangles),
                          .closed = STORE_ARRAY(store, uint8_t, vertices),
                          .normals = store_take(store, triangles, sizeof *fans->normals),
                          .in_order = STORE_ARRAY(store, uint8_t, vertices)};
    int *counts = SCRATCH_ARRAY(int, 2 * (size_t)skin->edge_count);
    bool failed = store->failed || !counts;
    if (!failed) {
        list_corners(fans);
        mark_closed(fans, counts, counts + skin->edge_count);
    }
    free(counts);
    return failed ? status_no_memory(status, "the triangles around vertices") : STATUS_OK;
}

/* --- finding ---------------------------------------------------------------------------------- */

typedef struct FanWork {
    OrderedFans *fans;
    const Vec3 *x, *z;
} FanWork;

static void keep(float normal[3][LANES], int lane, Vec3 value, double scale) {
    normal[0][lane] = (float)(scale * value.x);
    normal[1][lane] = (float)(scale * value.y);
    normal[2][lane] = (float)(scale * value.z);
}

static void find_normals(void *context, int begin, int end) {
    const FanWork *work = context;
    for (int t = begin; t < end; ++t) {
        const int *v = work->fans->skin->triangles[t];
        const Vec3 *x = work->x, *z = work->z;
        Vec3 a = vec3_sub(x[v[1]], x[v[0]]), b = vec3_sub(x[v[2]], x[v[0]]);
        Vec3 c = vec3_sub(z[v[1]], z[v[0]]), d = vec3_sub(z[v[2]], z[v[0]]);
        Vec3 first = vec3_cross(a, b), last = vec3_cross(c, d);
        Vec3 between = vec3_scale(0.5, vec3_add(vec3_cross(a, d), vec3_cross(c, b)));
        double most =
            fmax(vec3_dot(first, first), fmax(vec3_dot(between, between), vec3_dot(last, last)));
        double scale = most > 0 ? 1 / sqrt(most) : 0.0;
        keep(work->fans->normals[t], 0, first, scale);
        keep(work->fans->normals[t], 1, between, scale);
        keep(work->fans->normals[t], 2, last, scale);
        keep(work->fans->normals[t], 3, last, scale);
    }
}

static inline Vectors normals_at(const OrderedFans *fans, int corner) {
    const Four *normals = (const Four *)fans->normals[fans->corners[corner].triangle];
    return (Vectors){normals[0], normals[1], normals[2]};
}

/* The mean of the normals, not of unit length. */
static void find_direction(const OrderedFans *fans, int v, float direction[3]) {
    Vectors sum = {{0}, {0}, {0}};
    for (int c = fans->start[v]; c < fans->start[v + 1]; ++c) {
        sum = vectors_sum(sum, normals_at(fans, c));
    }
    direction[0] = sum.x[0] + sum.x[2];
    direction[1] = sum.y[0] + sum.y[2];
    direction[2] = sum.z[0] + sum.z[2];
}

static bool all_face(const OrderedFans *fans, int v, const float direction[3]) {
    Vectors along = spread(direction);
    Four limit = FACING * roots(vectors_dot(along, along));
    Signs face = limit > 0;
    for (int c = fans->start[v]; c < fans->start[v + 1]; ++c) {
        face &= vectors_dot(normals_at(fans, c), along) > limit;
    }
    return face[0] & face[1] & face[2];
}

/* How often the triangles go around the vertex at x: as often as one of them passes a ray. Each goes on by less than half
 * a turn, so it passes the ray if it comes from below the line that the ray is on and ends above. */
static int turns_around(const OrderedFans *fans, int v, const float direction[3], const Vec3 *x) {
    Vec3 along = vec3(direction[0], direction[1], direction[2]);
    Vec3 upward =
        fabs(along.x) < fabs(along.y) ? vec3(0, along.z, -along.y) : vec3(-along.z, 0, along.x);
    int turns = 0;
    for (int c = fans->start[v]; c < fans->start[v + 1]; ++c) {
        bool below = vec3_dot(upward, vec3_sub(x[fans->corners[c].from], x[v])) < 0;
        bool above = vec3_dot(upward, vec3_sub(x[fans->corners[c].to], x[v])) >= 0;
        turns += below & above; /* no branch: nobody can foretell it */
    }
    return turns;
}

static void find_fans(void *context, int begin, int end) {
    const FanWork *work = context;
    OrderedFans *fans = work->fans;
    for (int v = begin; v < end; ++v) {
        float direction[3];
        fans->in_order[v] = 0;
        if (fans->closed[v]) {
            find_direction(fans, v, direction);
            fans->in_order[v] =
                all_face(fans, v, direction) && turns_around(fans, v, direction, work->x) == 1;
        }
    }
}

void fans_find(OrderedFans *fans, Pool *pool, const Vec3 *x, const Vec3 *z) {
    FanWork work = {fans, x, z};
    pool_run(pool, fans->skin->triangle_count, find_normals, &work);
    pool_run(pool, fans->skin->vertex_count, find_fans, &work);
}
