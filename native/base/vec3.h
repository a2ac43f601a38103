/* Three-vectors in double precision. Everything is inline: these are the innermost loops. */
#pragma once

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct Vec3 {
    double x, y, z;
} Vec3;

static inline Vec3 vec3(double x, double y, double z) { return (Vec3){x, y, z}; }
static inline Vec3 vec3_add(Vec3 a, Vec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline Vec3 vec3_sub(Vec3 a, Vec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline Vec3 vec3_scale(double s, Vec3 a) { return vec3(s * a.x, s * a.y, s * a.z); }

/* a + s b */
static inline Vec3 vec3_madd(Vec3 a, double s, Vec3 b) {
    return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z);
}

/* A coordinate: along x, y or z for 0, 1 or 2. */
static inline double vec3_along(Vec3 a, int axis) {
    return axis == 0 ? a.x : axis == 1 ? a.y : a.z;
}

static inline double vec3_dot(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline Vec3 vec3_cross(Vec3 a, Vec3 b) {
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

/* Length of a vector in the plane. Not hypot(): its newest version would tie the library to a newer libm, and cloth never
 * comes near the ranges where it differs. */
static inline double plane_length(double u, double v) { return sqrt(u * u + v * v); }

static inline double vec3_length(Vec3 a) { return sqrt(vec3_dot(a, a)); }

static inline double vec3_distance(Vec3 a, Vec3 b) { return vec3_length(vec3_sub(a, b)); }

/* Below this length (m, or axis length of order 1) a vector has no direction worth trusting. */
#define VEC3_TINY 1e-12

/* Unit vector along a; along `fallback` (taken as it is) where a vanishes. */
static inline Vec3 vec3_unit_or(Vec3 a, Vec3 fallback) {
    double length = vec3_length(a);
    return length > VEC3_TINY ? vec3_scale(1.0 / length, a) : fallback;
}

/* Unit normal of two vectors, by their directions alone, so that it does not depend on their unit;
 * `fallback` where they are parallel or one of them vanishes. */
static inline Vec3 vec3_normal_or(Vec3 a, Vec3 b, Vec3 fallback) {
    Vec3 zero = {0, 0, 0};
    return vec3_unit_or(vec3_cross(vec3_unit_or(a, zero), vec3_unit_or(b, zero)), fallback);
}

/* Small enough to be handed out in single precision, and no NaN. */
static inline bool vec3_fits_float(Vec3 a) {
    return fabs(a.x) <= FLT_MAX && fabs(a.y) <= FLT_MAX && fabs(a.z) <= FLT_MAX;
}

/* Bound for places (m) and velocities (m/s) of cloth; beyond it single precision has steps of 64 m. */
#define VEC3_FARTHEST 1e9

static inline bool vec3_is_within_reach(Vec3 a) {
    return fabs(a.x) <= VEC3_FARTHEST && fabs(a.y) <= VEC3_FARTHEST && fabs(a.z) <= VEC3_FARTHEST;
}

static inline bool vec3_is_finite(Vec3 a) {
    return isfinite(a.x) && isfinite(a.y) && isfinite(a.z);
}

/* Callers have vectors as three floats each, one after the other. */
static inline Vec3 vector_at(const float *vectors, int64_t at) {
    return vec3(vectors[3 * at], vectors[3 * at + 1], vectors[3 * at + 2]);
}

static inline void set_vector(float *vectors, int64_t at, Vec3 v) {
    vectors[3 * at] = (float)v.x;
    vectors[3 * at + 1] = (float)v.y;
    vectors[3 * at + 2] = (float)v.z;
}
