/* How far a triangle has turned on its way from one place to another, as the vector part of a unit quaternion: the
 * axis times the sine of half the angle. Zero: not at all. */
#ifndef GEOMETRY_TURN_H
#define GEOMETRY_TURN_H

#include "base/vec3.h"

/* Zero as well where a triangle has no area, or turns by more than 90 degrees: then nothing is known. */
Vec3 turn_of_triangle(const Vec3 before[3], const Vec3 after[3]);

static inline Vec3 turn_by(Vec3 turn, Vec3 v) {
    double cosine = sqrt(1.0 - vec3_dot(turn, turn)); /* of half the angle */
    Vec3 across = vec3_cross(turn, v);
    return vec3_madd(vec3_madd(v, 2.0 * cosine, across), 2.0, vec3_cross(turn, across));
}

#endif
