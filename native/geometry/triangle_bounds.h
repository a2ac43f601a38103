/* Bounds of the distances of a point from many triangles, four at a time and in single precision: most candidates for the
 * nearest are ruled out so, and need not be measured exactly. */
#pragma once

#include "base/vec3.h"

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
