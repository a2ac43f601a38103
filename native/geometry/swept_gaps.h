/* How far parts of a moving surface are apart at the start, and by how much one moves past the other: four pairs at a time,
 * in single precision. Distances are at most the true ones, motions at least; m. */
#pragma once

#include "geometry/lanes.h"
#include "geometry/swept_tree.h"

/* Four vertices of each pair: one and a triangle's three, of which the last two may be the same one; or the ends of two
 * edges. */
typedef struct FourPairs {
    int vertices[LANES][4];
} FourPairs;

/* Of vertices and triangles. `places` is an array of four numbers a vertex, of which the fourth is not used, `stride`
 * numbers from one to the next. */
Four vertex_distances(const FourPairs *pairs, const float *places, int stride);

/* Of two edges each. */
Four edge_distances(const FourPairs *pairs, const float *places, int stride);

/* The most that a point of the one can move past one of the other, between the start and the end of their spots. The
 * first part of a pair has `split` vertices. */
Four motions_past(const FourPairs *pairs, const SweptSpot *spots, int split);
