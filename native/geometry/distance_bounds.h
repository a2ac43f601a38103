/* Between which bounds the distances of a point from many triangles lie, four triangles a look and in single precision:
 * most of those that may be the nearest are not, and need not be measured exactly. */
#ifndef GEOMETRY_DISTANCE_BOUNDS_H
#define GEOMETRY_DISTANCE_BOUNDS_H

#include "base/vec3.h"
#include "geometry/lanes.h"
#include "geometry/swept_tree.h"

/* A vertex as seen from the middle of all, m; the last number is not read. */
typedef struct TriangleSpot {
    _Alignas(16) float at[4];
} TriangleSpot;

/* The vertices of the triangles as spots. */
typedef struct TriangleSpots {
    Vec3 middle;
    double farthest; /* no coordinate of a spot is larger, m */
    TriangleSpot *spots;
} TriangleSpots;

void triangle_spots_place(TriangleSpots *spots, int count, const Vec3 *x, Vec3 middle,
                          double farthest);

/* Squared distances, m^2: at least, and at most. Of triangles that have hardly any area or are not finite the bounds may
 * be far apart, or no numbers. */
typedef struct TriangleBound {
    float low, high;
} TriangleBound;

/* Of the point from the triangles that are listed. Writes up to three bounds more than there are triangles. */
void triangle_bounds(const TriangleSpots *spots, Vec3 point, int (*const corners)[3],
                     const int *triangles, int count, TriangleBound *bounds);

/* --- pairs of moving parts -------------------------------------------------------------------- */

/* How far parts of a moving surface are apart at the start, and by how much one moves past the other: four pairs at a time,
 * in single precision. Distances are at most the true ones, motions at least; m. */

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

#endif
