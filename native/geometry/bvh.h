/* A hierarchy of boxes over primitives that have one box each.
 * The tree is a complete binary one of fixed shape: the primitives, in the order the build found, are
 * cut in half again and again until at most BVH_LEAF of them are left, so nodes need no links and the
 * depth is known. Moving primitives only change boxes. Queries read alone: any number of threads may
 * ask at once. */
#ifndef GEOMETRY_BVH_H
#define GEOMETRY_BVH_H

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

/* Told a primitive; returns true to end the search. */
typedef bool (*BvhVisit)(void *context, int primitive);

/* Visits every primitive whose box overlaps `box`, touching included. */
void bvh_visit(const Bvh *bvh, const Box *box, BvhVisit visit, void *context);

static inline int bvh_leaves(const Bvh *bvh) { return 1 << bvh->levels; }

#endif
