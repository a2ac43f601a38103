/* A tree over elements that move straight from a start to an end, and which two of them may come near on the way.
 * Two elements that an axis keeps apart in the same order at both ends are apart all the way, since every place between
 * is a mixture of the two: so motion that elements have in common, however fast, brings no pair closer. Four elements,
 * or four branches, lie side by side in single precision, with one box at the start and one at the end each. Rounding
 * only ever makes boxes larger. Queries read alone: any number of threads may ask at once. */
#pragma once

#include "base/memory.h"
#include "base/parallel.h"
#include "geometry/bvh.h"

/* Which elements of a tree hang together: a table, fixed when built, by which pairs of neighbours are passed over many at a
 * time. Elements lie in groups of four, as the tree has them. */

/* Elements in a group. */
#define SWEPT_LANES 4

/* Elements within one ring share a vertex, those within two are joined by an edge of a third. */
#define SWEPT_RINGS 2

/* A group with elements adjacent to a group's own, not before it. Of each number of rings: bit 4 k + l is set where element k of
 * the group and l of this one are adjacent. */
typedef struct SweptAdjacentGroup {
    int group;
    uint16_t adjacent[SWEPT_RINGS];
} SweptAdjacentGroup;

typedef struct SweptAdjacency {
    int *start; /* per group, one more at the end: its items, in the order of their groups */
    SweptAdjacentGroup *items;
} SweptAdjacency;

#define SWEPT_LEVELS 16
/* At most this many elements are passed to a visit. */
#define SWEPT_BATCH 64

/* Where a vertex is at the start and at the end, as seen from the tree's middle. The fourth number is not used. */
typedef struct SweptSpot {
    _Alignas(16) float at[2][4];
} SweptSpot;

/* Boxes at the start and at the end; lanes that are not used hold empty ones. */
typedef struct SweptQuad {
    _Alignas(16) float low[2][3][SWEPT_LANES];
    _Alignas(16) float high[2][3][SWEPT_LANES];
} SweptQuad;

typedef struct SweptTree {
    int count, vertex_count;
    int levels;              /* the lowest is that of the elements */
    int start[SWEPT_LEVELS]; /* first quad of a level; the last level has one */
    int *order;              /* elements as they lie in the lowest quads */
    int (*corners)[3];       /* per element */
    SweptSpot *spots;        /* per vertex */
    SweptQuad *quads;
    uint8_t *placed; /* per quad: it holds a box that is not empty */
    uint64_t *awake; /* per quad: 16 bits a lane; pairs without an awake element are passed over */
    SweptAdjacency adjacency;
    /* Per group of four elements, a bit each: pairs of adjacent ones are passed over. */
    uint8_t *settled;
    int settled_rings;
    /* All others are nowhere, from the next swept_tree_place() on; null: none is. */
    const Subset *vertices;
    Vec3 middle;
    double margin; /* by which boxes are grown, m */
} SweptTree;

/* Of elements of three vertices each, of which the last two may be the same one. Neighbours of `rest` come side by side;
 * arrays come from `store`. */
StatusCode swept_tree_build(SweptTree *tree, int count, const int (*corners)[3], int vertex_count,
                            const Vec3 *rest, Store *store, Status *status);

/* New paths for all vertices, with boxes that are larger by a margin (m); all elements are awake. Elements with a place
 * that is not finite have no pairs. `pool` may be null. */
void swept_tree_place(SweptTree *tree, Pool *pool, const Vec3 *x, const Vec3 *z, double margin);

/* New ends for the vertices marked; only their elements are awake then. */
void swept_tree_move(SweptTree *tree, Pool *pool, const Vec3 *z, const uint8_t *moved);

/* From now on pairs of adjacent elements within this many rings are passed over: those that share a vertex if all vertices
 * of one of them are marked, others if those of both are. 0: none. */
void swept_tree_settle(SweptTree *tree, Pool *pool, int rings, const uint8_t *vertices);

/* Gets an element and up to SWEPT_BATCH others, with room for a few more. Returns false to end the walk. */
typedef bool (*SweptTreeVisit)(void *context, int element, int *others, int count);

/* Wakes more elements, those marked. */
void swept_tree_wake(SweptTree *tree, const uint8_t *elements);

/* An element and four others, each along the mean line between their middles: how far corners are from the other's
 * middle, at start and end, and by how much the first one is before the other as a whole, m. */
typedef struct SweptSeparations {
    _Alignas(16) float first[2][3][SWEPT_LANES], second[2][3][SWEPT_LANES]; /* by time, corner */
    /* By time: of the one as a whole before the other; what rounding may have added is taken off. */
    _Alignas(16) float separation[2][SWEPT_LANES];
    _Alignas(16) float lost[SWEPT_LANES]; /* at most, to rounding, in any of these */
} SweptSeparations;

/* Others may be the same ones. */
void swept_tree_separations(const SweptTree *tree, int element, const int others[SWEPT_LANES],
                            SweptSeparations *separations);

/* Visits the pairs whose boxes do not stay apart, of which one is awake and the earlier one lies in this slice, but for
 * adjacent ones that have settled: over all slices each pair once, always in the same order. */
int swept_tree_slices(const SweptTree *tree);
void swept_tree_visit(const SweptTree *tree, int slice, SweptTreeVisit visit, void *context);
