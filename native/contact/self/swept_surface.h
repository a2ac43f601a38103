/* The cloth's surface on straight ways from x to z, and which of its elements may meet on them.
 * Elements are the triangles and the ropes' edges, in a tree of what they sweep. Neighbours around a vertex that stay in
 * order are passed over: they cannot meet. Each vertex and each edge belongs to one element, which answers for it. */
#ifndef CONTACT_SELF_SWEPT_SURFACE_H
#define CONTACT_SELF_SWEPT_SURFACE_H

#include "contact/effort.h"
#include "contact/self/fans.h"
#include "geometry/swept_tree.h"

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
void swept_surface_visit(const SweptSurface *surface, int slice, EffortShare *share,
                         SweptSurfaceVisit visit, void *context);

#endif
