/* Principal axes of a cloud of points, from its symmetric 3 x 3 matrix of second moments. */
#pragma once

#include "base/vec3.h"

/* Eigenvectors of m, which is destroyed, and their eigenvalues (never negative), largest first. */
void principal_axes(double m[3][3], Vec3 *axis, double *spread);

/* --- the turn of points ------------------------------------------------------------------------- */

/* The rotation that takes the listed points from `start` nearest to `end` around their means, as its axis times its angle, rad:
 * up to half a turn. Zero where it is not determined, as of points in a line. */
Vec3 points_rotation(int count, const int *list, const Vec3 *start, const Vec3 *end);

/* --- the turn of a triangle ------------------------------------------------------------------- */

/* The rotation of a triangle from one place to another, as the vector part of a unit quaternion: the axis times the sine
 * of half the angle. */

/* Zero also where a triangle has no area, or turns by more than 90 degrees: its rotation is unknown. */
Vec3 triangle_rotation(const Vec3 before[3], const Vec3 after[3]);

static inline Vec3 rotate_by(Vec3 turn, Vec3 v) {
    double cosine = sqrt(1.0 - vec3_dot(turn, turn)); /* of half the angle */
    Vec3 across = vec3_cross(turn, v);
    return vec3_madd(vec3_madd(v, 2.0 * cosine, across), 2.0, vec3_cross(turn, across));
}
