/* The cloth's surface on straight paths from x to z, and which of its elements may meet on them.
 * Elements are the triangles and the ropes' edges, in a tree of what they sweep. Triangles around a vertex
 * that passes the normal-cone test are skipped: they cannot meet. Each vertex and each edge belongs to one element. */
#pragma once

#include "base/parallel.h"
#include "contact/self/neighbours.h"
#include "contact/work_limit.h"

/* The continuous normal-cone test, per vertex. If the normals of all triangles around a vertex stay within 90 degrees of one
 * direction on the whole path from x to z, and the triangles go once around it, no two of them meet. Vertices of borders
 * never pass. */

/* A triangle around a vertex: it leads from one of the vertex' neighbours to the next. */
typedef struct ConeCorner {
    int triangle, from, to;
} ConeCorner;

typedef struct NormalCones {
    const Skin *skin;
    int *start; /* per vertex */
    ConeCorner *corners;
    uint8_t *closed; /* per vertex: its triangles go around it without a border, all the same way */
    /* Per triangle, by axis: the normal's three coefficients by time, times the same factor; the last one twice. */
    float (*normals)[3][4];
    uint8_t *in_order; /* per vertex: it passes the test */
} NormalCones;

/* The skin must stay. Arrays come from `store`. */
StatusCode normal_cones_build(NormalCones *cones, const Skin *skin, Store *store, Status *status);

/* Tests all vertices. */
void normal_cones_find(NormalCones *cones, Pool *pool, const Vec3 *x, const Vec3 *z);

typedef struct SweptSurface {
    int vertex_count;
    Elements elements;
    SweptTree tree;
    NormalCones cones;
} SweptSurface;

StatusCode swept_surface_build(SweptSurface *surface, const Skin *skin, Store *store,
                               Status *status);

/* New paths for all vertices; all elements are awake. Elements with a place that is not finite have no pairs. */
void swept_surface_place(SweptSurface *surface, Pool *pool, const Vec3 *x, const Vec3 *z);

/* New ends for the vertices marked; only their elements are awake then. */
void swept_surface_move(SweptSurface *surface, Pool *pool, const Vec3 *z, const uint8_t *moved);

/* Gets two elements. */
typedef void (*SweptSurfaceVisit)(void *context, int first, int second);

/* Visits the pairs of awake elements that may meet, of which the earlier lies in this slice of the tree: over all slices
 * each pair once, always in the same order; no more of them than the share allows. Threads may call it at once. */
void swept_surface_visit(const SweptSurface *surface, int slice, WorkShare *share,
                         SweptSurfaceVisit visit, void *context);
