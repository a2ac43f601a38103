/* A mirror plane, and the distance between a vertex and the mirror image of another. */
#ifndef MIRROR_SYMMETRY_MIRROR_PLANE_H
#define MIRROR_SYMMETRY_MIRROR_PLANE_H

#include "base/vec3.h"

typedef struct MirrorPlane {
    Vec3 point;  /* m, on the plane */
    Vec3 normal; /* of length 1 */
} MirrorPlane;

/* Two directions along the plane. Those of a coordinate plane are coordinate axes, to the bit, so that it
 * adds no rounding. */
static inline void mirror_plane_directions(MirrorPlane plane, Vec3 *first, Vec3 *second) {
    Vec3 n = plane.normal;
    double x = fabs(n.x), y = fabs(n.y), z = fabs(n.z);
    Vec3 away = x <= y && x <= z ? vec3(1, 0, 0) : y <= z ? vec3(0, 1, 0) : vec3(0, 0, 1);
    *first = vec3_unit_or(vec3_cross(n, away), away);
    *second = vec3_cross(n, *first);
}

/* Squared distance between the image of `a` and `b`, both as places (see places.h). The same bits if a and
 * b change roles. */
static inline double squared_image_distance(Vec3 a, Vec3 b) {
    double x = a.x - b.x, y = a.y - b.y, z = a.z + b.z;
    return x * x + y * y + z * z;
}

#endif
