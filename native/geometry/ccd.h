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
#ifndef GEOMETRY_CCD_H
#define GEOMETRY_CCD_H

#include "base/vec3.h"

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

#endif
