/* Vectors as they cross the boundary: three numbers each. */
#ifndef VECTORS_H
#define VECTORS_H

#include "mirror/symmetry/symmetry.h"

static inline Vec3 vector_of_floats(const float *v) { return vec3(v[0], v[1], v[2]); }

static inline Vec3 vector_of_doubles(const double *v) { return vec3(v[0], v[1], v[2]); }

static inline void tell_vector(Vec3 v, double *out) {
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

#endif
