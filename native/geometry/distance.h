/* Closest points of a point and a triangle, and of two segments.
 * Both hold for any input: triangles without area, needles, segments that are parallel or mere points.
 * The answer always lies on the primitive and `distance` belongs to it; it is the nearest one to about
 * 1e-14 of the size of what is given, for needles (height below 1e-4 of the length) to 1e-8. */
#pragma once

#include "base/vec3.h"

/* Where on the segment from the origin along `along` the point nearest to `p` is: 0 at its start, 1 at its end. */
static inline double closest_parameter(Vec3 p, Vec3 along) {
    double squared = vec3_dot(along, along);
    double t = squared > 0 ? vec3_dot(p, along) / squared : 0.0;
    return t > 0 ? (t < 1 ? t : 1.0) : 0.0;
}

/* Where on a triangle. Edge k joins the corners k and k + 1 (mod 3). */
typedef enum Feature {
    FEATURE_FACE,
    FEATURE_EDGE_0,
    FEATURE_EDGE_1,
    FEATURE_EDGE_2,
    FEATURE_VERTEX_0,
    FEATURE_VERTEX_1,
    FEATURE_VERTEX_2
} Feature;

typedef struct TrianglePoint {
    Vec3 point;
    double weights[3]; /* of the corners; none negative, their sum is 1 */
    double distance;   /* m */
    Feature feature;
} TrianglePoint;

/* A triangle or a point that is not finite is infinitely far. */
TrianglePoint closest_on_triangle(Vec3 p, const Vec3 corners[3]);

/* False if the nearest place is surely on a side: what most of many pairs need to know. */
bool closest_is_on_face(Vec3 p, const Vec3 corners[3]);

typedef struct SegmentPair {
    Vec3 points[2];
    double parameters[2]; /* 0 at the first end of its segment, 1 at the second */
    double distance;      /* m */
} SegmentPair;

/* Of the many closest pairs of parallel segments it takes one that has an end in it. */
SegmentPair closest_of_segments(const Vec3 first[2], const Vec3 second[2]);

/* False if an end is surely one of the closest two. */
bool closest_is_inside(const Vec3 first[2], const Vec3 second[2]);

/* --- on the way ------------------------------------------------------------------------------- */

/* When things that move along straight lines meet: a point and a triangle, two segments.
 * They lie in one plane at the roots of a cubic in time. Around each root there is a stretch of time in
 * which the cubic is zero as far as rounding can tell; where the motion stays in one plane this may be
 * all the time, and then the moments are looked at where things come in line.
 *
 * What is promised, with size = the largest distance, at start or end, of the other corners from the
 * point (from the first end of the first segment):
 * - a crossing through the inside is found, and so is a meeting within one plane;
 * - what is found is at most CCD_TOLERANCE x size apart at the time found, so a near miss by less may
 *   be taken for a meeting; things further apart never are;
 * - the time is that of the first meeting, early by at most what the motion takes for that distance.
 * Things that touch at the start meet at time 0. Numbers that are not finite never meet. */

#define CCD_TOLERANCE 1e-6

/* Moves evenly from start at time 0 to end at time 1. */
typedef struct MovingPoint {
    Vec3 start, end;
} MovingPoint;

typedef struct Meeting {
    double time;       /* 0 to 1 */
    double weights[3]; /* of the triangle's corners; of segments, the parameters of the two */
} Meeting;

/* Each returns 1 and fills `meeting`, or returns 0 and leaves it alone. */
int ccd_point_triangle(MovingPoint point, const MovingPoint triangle[3], Meeting *meeting);
int ccd_segments(const MovingPoint first[2], const MovingPoint second[2], Meeting *meeting);
