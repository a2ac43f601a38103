/* Tests in order of cost: boxes, normal cones, the line between the middles. Few pairs are left. */
#include "contact/self/swept_surface.h"

#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "base/memory.h"
#include "geometry/lanes.h"

/* --- normal cones ------------------------------------------------------------------------------ */

/* On straight paths a triangle's normal is a quadratic Bezier curve in time: if its three control points face a
 * direction, so does the normal at all times. */

/* Cosine by which a normal must at least face the direction: more than rounding takes. */
#define FACING 1e-3F

/* --- building --------------------------------------------------------------------------------- */

/* Closed is a vertex each of whose edges has two triangles, which pass it in opposite directions. `sides` counts an
 * edge's triangles, `turns` those along it less those against it. */
static void mark_closed(NormalCones *cones, int *sides, int *turns) {
    const Skin *skin = cones->skin;
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        for (int k = 0; k < 3; ++k) {
            int a = v[k], b = v[(k + 1) % 3], e = skin_edge(skin, a, b);
            ++sides[e];
            turns[e] += a < b ? 1 : -1;
        }
    }
    for (int v = 0; v < skin->vertex_count; ++v) {
        cones->closed[v] = cones->start[v] < cones->start[v + 1];
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (sides[e] != 2 || turns[e] != 0) {
            cones->closed[skin->edges[e][0]] = cones->closed[skin->edges[e][1]] = 0;
        }
    }
}

StatusCode normal_cones_build(NormalCones *cones, const Skin *skin, Store *store, Status *status) {
    size_t vertices = (size_t)skin->vertex_count, triangles = (size_t)skin->triangle_count;
    *cones = (NormalCones){.skin = skin,
                           .start = STORE_ARRAY(store, int, vertices + 1),
                           .corners = STORE_ARRAY(store, ConeCorner, 3 * triangles),
                           .closed = STORE_ARRAY(store, uint8_t, vertices),
                           .normals = store_take(store, triangles, sizeof *cones->normals),
                           .in_order = STORE_ARRAY(store, uint8_t, vertices)};
    int *counts = SCRATCH_ARRAY(int, 2 * (size_t)skin->edge_count);
    int *list = SCRATCH_ARRAY(int, 3 * triangles);
    bool failed = store->failed || !counts || !list;
    if (!failed) {
        lists_group(cones->start, skin->vertex_count, *skin->triangles, 3 * skin->triangle_count,
                    list);
        mark_closed(cones, counts, counts + skin->edge_count);
    }
    for (int c = 0; !failed && c < 3 * skin->triangle_count; ++c) {
        int t = list[c] / 3, k = list[c] % 3;
        const int *v = skin->triangles[t];
        cones->corners[c] =
            (ConeCorner){.triangle = t, .from = v[(k + 1) % 3], .to = v[(k + 2) % 3]};
    }
    free(counts);
    free(list);
    return failed ? status_no_memory(status, "the triangles around vertices") : STATUS_OK;
}

/* --- finding ---------------------------------------------------------------------------------- */

typedef struct ConeWork {
    NormalCones *cones;
    const Vec3 *x, *z;
} ConeWork;

static void keep(float normal[3][LANES], int lane, Vec3 value, double scale) {
    normal[0][lane] = (float)(scale * value.x);
    normal[1][lane] = (float)(scale * value.y);
    normal[2][lane] = (float)(scale * value.z);
}

static void find_normals(void *context, int begin, int end) {
    const ConeWork *work = context;
    for (int t = begin; t < end; ++t) {
        const int *v = work->cones->skin->triangles[t];
        const Vec3 *x = work->x, *z = work->z;
        Vec3 a = vec3_sub(x[v[1]], x[v[0]]), b = vec3_sub(x[v[2]], x[v[0]]);
        Vec3 c = vec3_sub(z[v[1]], z[v[0]]), d = vec3_sub(z[v[2]], z[v[0]]);
        Vec3 first = vec3_cross(a, b), last = vec3_cross(c, d);
        Vec3 between = vec3_scale(0.5, vec3_add(vec3_cross(a, d), vec3_cross(c, b)));
        double most =
            fmax(vec3_dot(first, first), fmax(vec3_dot(between, between), vec3_dot(last, last)));
        double scale = most > 0 ? 1 / sqrt(most) : 0.0;
        keep(work->cones->normals[t], 0, first, scale);
        keep(work->cones->normals[t], 1, between, scale);
        keep(work->cones->normals[t], 2, last, scale);
        keep(work->cones->normals[t], 3, last, scale);
    }
}

static inline Vectors normals_at(const NormalCones *cones, int corner) {
    const Four *normals = (const Four *)cones->normals[cones->corners[corner].triangle];
    return (Vectors){normals[0], normals[1], normals[2]};
}

/* The mean of the normals, not of unit length. */
static void find_direction(const NormalCones *cones, int v, float direction[3]) {
    Vectors sum = {{0}, {0}, {0}};
    for (int c = cones->start[v]; c < cones->start[v + 1]; ++c) {
        sum = vectors_sum(sum, normals_at(cones, c));
    }
    direction[0] = sum.x[0] + sum.x[2];
    direction[1] = sum.y[0] + sum.y[2];
    direction[2] = sum.z[0] + sum.z[2];
}

static bool all_face(const NormalCones *cones, int v, const float direction[3]) {
    Vectors along = spread(direction);
    Four limit = FACING * roots(vectors_dot(along, along));
    Signs face = limit > 0;
    for (int c = cones->start[v]; c < cones->start[v + 1]; ++c) {
        face &= vectors_dot(normals_at(cones, c), along) > limit;
    }
    return face[0] & face[1] & face[2];
}

/* How often the triangles go around the vertex at x: as often as one of them passes a ray. Each goes on by less than half
 * a turn, so it passes the ray if it comes from below the line that the ray is on and ends above. */
static int turns_around(const NormalCones *cones, int v, const float direction[3], const Vec3 *x) {
    Vec3 along = vec3(direction[0], direction[1], direction[2]);
    Vec3 upward =
        fabs(along.x) < fabs(along.y) ? vec3(0, along.z, -along.y) : vec3(-along.z, 0, along.x);
    int turns = 0;
    for (int c = cones->start[v]; c < cones->start[v + 1]; ++c) {
        bool below = vec3_dot(upward, vec3_sub(x[cones->corners[c].from], x[v])) < 0;
        bool above = vec3_dot(upward, vec3_sub(x[cones->corners[c].to], x[v])) >= 0;
        turns += below & above; /* no branch: it is unpredictable */
    }
    return turns;
}

static void find_cones(void *context, int begin, int end) {
    const ConeWork *work = context;
    NormalCones *cones = work->cones;
    for (int v = begin; v < end; ++v) {
        float direction[3];
        cones->in_order[v] = 0;
        if (cones->closed[v]) {
            find_direction(cones, v, direction);
            cones->in_order[v] =
                all_face(cones, v, direction) && turns_around(cones, v, direction, work->x) == 1;
        }
    }
}

void normal_cones_find(NormalCones *cones, Pool *pool, const Vec3 *x, const Vec3 *z) {
    ConeWork work = {cones, x, z};
    pool_run(pool, cones->skin->triangle_count, find_normals, &work);
    pool_run(pool, cones->skin->vertex_count, find_cones, &work);
}

/* By which boxes are larger than what they hold, m: what is nearer than that touches. */
#define MARGIN 1e-8

StatusCode swept_surface_build(SweptSurface *surface, const Skin *skin, Store *store,
                               Status *status) {
    *surface = (SweptSurface){.vertex_count = skin->vertex_count};
    StatusCode code = elements_build(&surface->elements, skin, store, status);
    if (code == STATUS_OK) {
        code = elements_plant(&surface->elements, skin, &surface->tree, store, status);
    }
    return code == STATUS_OK ? normal_cones_build(&surface->cones, skin, store, status) : code;
}

void swept_surface_place(SweptSurface *surface, Pool *pool, const Vec3 *x, const Vec3 *z) {
    swept_tree_place(&surface->tree, pool, x, z, MARGIN);
    normal_cones_find(&surface->cones, pool, x, z);
    swept_tree_settle(&surface->tree, pool, 1, surface->cones.in_order);
}

void swept_surface_move(SweptSurface *surface, Pool *pool, const Vec3 *z, const uint8_t *moved) {
    swept_tree_move(&surface->tree, pool, z, moved);
    /* Few are awake now: what was in order before is looked at again. */
    memset(surface->cones.in_order, 0, (size_t)surface->vertex_count);
    swept_tree_settle(&surface->tree, pool, 0, NULL);
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct Walk {
    const SweptSurface *surface;
    WorkShare *share;
    SweptSurfaceVisit visit;
    void *context;
} Walk;

static bool has_vertex(const int corners[3], int v) {
    return corners[0] == v || corners[1] == v || corners[2] == v;
}

/* Whether two elements are neighbours around a vertex that keeps its triangles in order, or across a seam. */
static bool are_in_order(const SweptSurface *surface, int first, int second) {
    const int *a = surface->tree.corners[first], *b = surface->tree.corners[second];
    const uint8_t *in_order = surface->cones.in_order;
    return (in_order[a[0]] && has_vertex(b, a[0])) || (in_order[a[1]] && has_vertex(b, a[1])) ||
           (in_order[a[2]] && has_vertex(b, a[2])) || skin_is_sewn(surface->cones.skin, a, b);
}

static bool visit_elements(void *context, int element, int *others, int count) {
    const Walk *walk = context;
    if (!work_share_take(walk->share, count)) {
        return false;
    }
    int near[SWEPT_BATCH + SWEPT_LANES], found = 0;
    for (int i = 0; i < count; ++i) {
        if (!are_in_order(walk->surface, element, others[i])) {
            near[found++] = others[i];
        }
    }
    for (int lane = 0; lane < SWEPT_LANES; ++lane) { /* to fill up the last lanes */
        near[found + lane] = element;
    }
    for (int begin = 0; begin < found; begin += SWEPT_LANES) {
        SweptSeparations separations;
        swept_tree_separations(&walk->surface->tree, element, near + begin, &separations);
        for (int lane = 0; lane < SWEPT_LANES && begin + lane < found; ++lane) {
            if (!((double)separations.separation[0][lane] > MARGIN &&
                  (double)separations.separation[1][lane] > MARGIN)) {
                walk->visit(walk->context, element, near[begin + lane]);
            }
        }
    }
    return true;
}

void swept_surface_visit(const SweptSurface *surface, int slice, WorkShare *share,
                         SweptSurfaceVisit visit, void *context) {
    Walk walk = {surface, share, visit, context};
    swept_tree_visit(&surface->tree, slice, visit_elements, &walk);
}
