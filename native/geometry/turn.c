/* By a frame of each triangle: its first side, and its normal. */
#include "geometry/turn.h"

/* Cosine of half the largest angle that is told. */
#define LEAST_COSINE 0.7071

typedef struct Frame {
    Vec3 axes[3];
} Frame;

/* Without area the last axis is zero. */
static Frame frame_of(const Vec3 corners[3]) {
    Vec3 zero = {0, 0, 0}, side = vec3_sub(corners[1], corners[0]);
    Vec3 first = vec3_unit_or(side, zero);
    Vec3 normal = vec3_normal_or(side, vec3_sub(corners[2], corners[0]), zero);
    return (Frame){{first, vec3_cross(normal, first), normal}};
}

/* The rotation sum a_k b_k^T takes the first frame's axes b to the second's, a; its antisymmetric part has the axis,
 * its trace the angle. */
Vec3 turn_of_triangle(const Vec3 before[3], const Vec3 after[3]) {
    Frame from = frame_of(before), to = frame_of(after);
    double trace = 0;
    Vec3 twist = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        trace += vec3_dot(from.axes[k], to.axes[k]);
        twist = vec3_add(twist, vec3_cross(from.axes[k], to.axes[k]));
    }
    double cosine = 0.5 * sqrt(trace > -1 ? 1.0 + trace : 0.0);
    return cosine > LEAST_COSINE ? vec3_scale(0.25 / cosine, twist) : vec3(0, 0, 0);
}
