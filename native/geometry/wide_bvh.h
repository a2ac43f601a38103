/* The nearest of many boxes, and those that overlap one: a tree over the same order of primitives as a Bvh, but with
 * four branches and in single precision, so that one look takes four boxes. Rounding only ever makes boxes larger:
 * nothing that is near is missed, and what is found may be a little too far. Queries read alone: any number of threads
 * may ask at once. */
#ifndef GEOMETRY_WIDE_BVH_H
#define GEOMETRY_WIDE_BVH_H

#include "geometry/bvh.h"

#define WIDE_BVH_LANES 4

/* Boxes seen from the tree's middle; lanes that are not used hold empty ones. */
typedef struct WideBvhQuad {
    _Alignas(16) float low[3][WIDE_BVH_LANES];
    _Alignas(16) float high[3][WIDE_BVH_LANES];
} WideBvhQuad;

typedef struct WideBvh {
    Bvh shape;          /* whose leaves are this tree's; its boxes are not read */
    int inner;          /* quads before the leaves'; the branches of quad q begin at 4q + 1 */
    int last;           /* of them, the first whose branches are leaves */
    int twigs;          /* leaves under each of those: 4, or 2 */
    WideBvhQuad *quads; /* inner ones, then one a leaf for its primitives */
    Vec3 middle;
} WideBvh;

/* Sorts the primitives by these boxes and takes them as theirs. Arrays come from `store`, `boxes` is only read. */
StatusCode wide_bvh_build(WideBvh *tree, int count, const Box *boxes, Store *store, Status *status);

/* Over the order that a Bvh has found, whose arrays must stay; boxes are yet to be set. */
StatusCode wide_bvh_build_over(WideBvh *tree, const Bvh *shape, Store *store, Status *status);

/* New boxes, one a primitive; `around` them all, to see them from its middle. `pool` may be null. */
void wide_bvh_refit(WideBvh *tree, Pool *pool, const Box *around, const Box *boxes);

/* Around everything; empty where there is nothing. */
Box wide_bvh_box(const WideBvh *tree);

/* Told a primitive whose box is within `reach` (m); returns the reach to go on with. */
typedef double (*WideBvhOffer)(void *context, int primitive, double reach);

/* Offers the primitives whose boxes lie within reach of the point, near branches first, and passes
 * over what the shrinking reach has left behind. */
void wide_bvh_search(const WideBvh *tree, Vec3 point, double reach, WideBvhOffer offer,
                     void *context);

/* The primitives whose boxes lie within reach of the point, and others hardly further away, in the tree's order; for a
 * reach that is known to be short, faster than the search. Returns how many, or -1 where there are more than
 * WIDE_BVH_GATHERED. */
#define WIDE_BVH_GATHERED 124
int wide_bvh_gather(const WideBvh *tree, Vec3 point, double reach,
                    int primitives[WIDE_BVH_GATHERED + WIDE_BVH_LANES]);

/* Visits the primitives whose boxes overlap `box`, touching included, in the order of bvh_visit(). */
void wide_bvh_visit(const WideBvh *tree, const Box *box, BvhVisit visit, void *context);

#endif
