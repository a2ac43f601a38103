/* The cloth's surface on straight ways from x to z, and which of its elements may meet on them.
 * Elements are the triangles and the ropes' edges. A tree holds their boxes at the start, another of the
 * same shape those at the end. Two elements that an axis keeps apart in the same order at both ends are
 * apart all the way, since every place between is a mixture of the two: so motion that elements have in
 * common, however fast, brings no pair closer. Each vertex and each edge belongs to one element, which
 * answers for it. */
#ifndef CONTACT_SELF_SWEPT_SURFACE_H
#define CONTACT_SELF_SWEPT_SURFACE_H

#include "contact/skin.h"
#include "geometry/bvh.h"

/* Side k joins the vertices k and k + 1 (mod 3). */
typedef struct SweptElement {
    int vertices[3];      /* of a rope's edge the last one twice */
    uint8_t corners;      /* 3; 2 of a rope's edge */
    uint8_t own_vertices; /* bit k: it answers for vertex k */
    uint8_t own_sides;    /* likewise */
} SweptElement;

typedef struct SweptSurface {
    int count, vertex_count;
    SweptElement *elements; /* in the order of the trees' leaves */
    Bvh start, end;
    Box *boxes[2];       /* of the elements */
    uint8_t *awake;      /* per element: pairs without an awake one are passed over */
    uint8_t *awake_node; /* per node of the trees */
    int subtree_level;
    int subtree_count; /* what the search is handed out in */
} SweptSurface;

StatusCode swept_surface_build(SweptSurface *surface, const Skin *skin, Store *store,
                               Status *status);

/* New ways for all vertices; all elements are awake. Elements with a place that is not finite meet nothing. */
void swept_surface_place(SweptSurface *surface, Pool *pool, const Vec3 *x, const Vec3 *z);

/* New ends for the vertices marked; only their elements are awake then. */
void swept_surface_move(SweptSurface *surface, const Vec3 *z, const uint8_t *moved);

/* Told two elements. */
typedef void (*SweptSurfaceVisit)(void *context, int first, int second);

/* Visits the pairs of which one lies in the subtree and the other in it or in a later one: over all
 * subtrees each pair once, always in the same order. Any number of threads may ask at once. */
void swept_surface_visit(const SweptSurface *surface, int subtree, SweptSurfaceVisit visit,
                         void *context);

/* For pool_run() over swept_surface_leaves(): the subtrees of the leaves from begin to end. */
static inline int swept_surface_leaves(const SweptSurface *surface) {
    return 1 << surface->start.levels;
}
static inline int swept_surface_first_subtree(const SweptSurface *surface, int leaf) {
    int shift = surface->start.levels - surface->subtree_level;
    return (leaf + (1 << shift) - 1) >> shift;
}

/* Some axis has one box before the other at the start and, in the same order, at the end. */
static inline bool swept_surface_boxes_part(const Box *a, const Box *b, const Box *a_end,
                                            const Box *b_end) {
    return (a->low.x > b->high.x && a_end->low.x > b_end->high.x) ||
           (b->low.x > a->high.x && b_end->low.x > a_end->high.x) ||
           (a->low.y > b->high.y && a_end->low.y > b_end->high.y) ||
           (b->low.y > a->high.y && b_end->low.y > a_end->high.y) ||
           (a->low.z > b->high.z && a_end->low.z > b_end->high.z) ||
           (b->low.z > a->high.z && b_end->low.z > a_end->high.z);
}

#endif
