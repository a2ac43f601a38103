/* A hierarchy of boxes over primitives that have one box each.
 * The tree is a complete binary one of fixed shape: the primitives, in the order the build found, are
 * cut in half again and again until at most BVH_LEAF of them are left, so nodes need no links and the
 * depth is known. Moving primitives only change boxes. Queries only read: threads may run them at once. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "geometry/box.h"

#define BVH_LEAF 4

typedef struct Bvh {
    int count;  /* primitives */
    int levels; /* below the root; 2^levels leaves */
    int *order; /* primitives as they lie in the leaves */
    Box *boxes; /* theirs, in that order */
    Box *nodes; /* 2^(levels + 1) - 1; the children of i are 2i + 1 and 2i + 2 */
} Bvh;

/* Sorts the primitives by these boxes. Arrays come from `store`, `boxes` is only read. The order
 * stays good as long as neighbours stay neighbours; the answers are right in any case. */
StatusCode bvh_build(Bvh *bvh, int count, const Box *boxes, Store *store, Status *status);

/* A primitive on its way to its place in a tree. */
typedef struct BvhPlace {
    double key; /* coordinate of the box's middle along the axis of the cut */
    int primitive;
} BvhPlace;

/* Cuts places across their longest side, so that the first so many lie before the others. */
void bvh_cut(BvhPlace *places, int count, int first, const Box *boxes);

/* New boxes, one a primitive; takes no memory. `pool` may be null. */
void bvh_refit(Bvh *bvh, Pool *pool, const Box *boxes);

/* First primitive (by place) of a leaf; that of the next leaf ends it. */
static inline int bvh_leaf_begin(const Bvh *bvh, int leaf) {
    return (int)((bvh->count * (int64_t)leaf) >> bvh->levels);
}

/* Around everything; empty where there is nothing. */
static inline const Box *bvh_box(const Bvh *bvh) { return bvh->nodes; }

/* Gets a primitive; returns true to end the search. */
typedef bool (*BvhVisit)(void *context, int primitive);

/* Visits every primitive whose box overlaps `box`, touching included. */
void bvh_visit(const Bvh *bvh, const Box *box, BvhVisit visit, void *context);

static inline int bvh_leaves(const Bvh *bvh) { return 1 << bvh->levels; }

/* --- with four branches ----------------------------------------------------------------------- */

/* The nearest of many boxes, and those that overlap one: a tree over the same order of primitives as a Bvh, but with
 * four branches and in single precision, so that four boxes are tested at once. Rounding only makes boxes larger: nothing
 * near is missed, and some results may be a little too far. Queries only read: threads may run them at once. */

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

/* Gets a primitive whose box is within `reach` (m); returns the reach to go on with. */
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
