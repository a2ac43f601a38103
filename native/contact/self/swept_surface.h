/* The cloth's surface on straight ways from x to z, and which of its elements may meet on them.
 * Elements are the triangles and the ropes' edges, in a tree of what they sweep. Neighbours around a vertex that stay in
 * order are passed over: they cannot meet. Each vertex and each edge belongs to one element, which answers for it. */
#ifndef CONTACT_SELF_SWEPT_SURFACE_H
#define CONTACT_SELF_SWEPT_SURFACE_H

#include "base/parallel.h"
#include "contact/skin.h"
#include "contact/work_limit.h"
#include "geometry/swept_tree.h"

/* Which vertices have the triangles around them in order all the way from x to z.
 * Seen along a direction from which no triangle around a vertex turns its back on the way, and around which they go
 * once, the triangles lie side by side: no two of them meet, as long as they go straight. Borders are never told. */

/* Of a triangle around a vertex: it goes on from one of its neighbours to the next. */
typedef struct FanCorner {
    int triangle, from, to;
} FanCorner;

typedef struct OrderedFans {
    const Skin *skin;
    int *start; /* per vertex */
    FanCorner *corners;
    uint8_t *closed; /* per vertex: its triangles go around it without a border, all the same way */
    float (
        *normals)[3]
                 [4];  /* per triangle, by axis: the normal's three coefficients by time, times the
                             * same factor, and the last one again */
    uint8_t *in_order; /* per vertex */
} OrderedFans;

/* The skin must stay. Arrays come from `store`. */
StatusCode fans_build(OrderedFans *fans, const Skin *skin, Store *store, Status *status);

/* Finds those in order. */
void fans_find(OrderedFans *fans, Pool *pool, const Vec3 *x, const Vec3 *z);

/* Side k joins the vertices k and k + 1 (mod 3). */
typedef struct SweptElement {
    int vertices[3];      /* of a rope's edge the last one twice */
    uint8_t corners;      /* 3; 2 of a rope's edge */
    uint8_t own_vertices; /* bit k: it answers for vertex k */
    uint8_t own_sides;    /* likewise */
} SweptElement;

typedef struct SweptSurface {
    int count, vertex_count;
    SweptElement *elements;
    SweptTree tree;
    OrderedFans fans;
} SweptSurface;

StatusCode swept_surface_build(SweptSurface *surface, const Skin *skin, Store *store,
                               Status *status);

/* New ways for all vertices; all elements are awake. Elements with a place that is not finite meet nothing. */
void swept_surface_place(SweptSurface *surface, Pool *pool, const Vec3 *x, const Vec3 *z);

/* New ends for the vertices marked; only their elements are awake then. */
void swept_surface_move(SweptSurface *surface, Pool *pool, const Vec3 *z, const uint8_t *moved);

/* Told two elements. */
typedef void (*SweptSurfaceVisit)(void *context, int first, int second);

/* Visits the pairs of awake elements that may meet, of which the earlier lies in this slice of the tree: over all slices
 * each pair once, always in the same order; no more of them than the share allows. Any number of threads may ask at once. */
void swept_surface_visit(const SweptSurface *surface, int slice, WorkShare *share,
                         SweptSurfaceVisit visit, void *context);

#endif
