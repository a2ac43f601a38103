/* Continuous collision detection of a pair, a vertex and a triangle or two edges, on straight paths.
 * Cheap tests come first: if one axis separates the two at the start and, in the same order, at the end, it separates
 * them on the whole path. The cubic is solved for the rest.
 *
 * Pairs that touch at the start have no side to stay on: they never hit. */
#pragma once

#include "base/vec3.h"

/* The paths of four points; the first `split` of them are the first part. */
typedef struct Trajectory {
    int split; /* 1: a vertex and a triangle; 2: two edges */
    Vec3 start[4], end[4];
} Trajectory;

typedef struct CcdHit {
    int vertices[4]; /* the caller's; not set here */
    int split;
    /* The points that meet: positive of the first part, negative of the second */
    double weights[4];
    Vec3 normal; /* unit; to the side of the second part where the first came from */
    double time; /* 0 to 1 */
} CcdHit;

/* Σ w_j x_j: from the second part's point to the first's. */
static inline Vec3 pair_difference(const double weights[4], const Vec3 x[4]) {
    Vec3 sum = vec3_scale(weights[0], x[0]);
    for (int j = 1; j < 4; ++j) {
        sum = vec3_madd(sum, weights[j], x[j]);
    }
    return sum;
}

/* Two sides of the triangle, or both edges: across these is across the two parts. */
static inline void pair_sides(const Vec3 x[4], int split, Vec3 sides[2]) {
    sides[0] = split == 1 ? vec3_sub(x[2], x[1]) : vec3_sub(x[1], x[0]);
    sides[1] = vec3_sub(x[3], x[split]);
}

/* Where and when they meet; false if they do not. */
bool pair_meet(const Trajectory *path, double weights[4], double *time);

/* Returns true and fills `hit`, or returns false and leaves it as it is. */
bool pair_ccd(const Trajectory *path, CcdHit *hit);

/* Separation along an axis that counts, m: at the start more than rounding, at the end enough that the parts do not touch
 * when the next motion starts. */
#define START_SEPARATION 1e-12
#define END_SEPARATION 1e-9

/* How far the lowest of the first points is above the highest of the second along an axis, times the axis' length. */
static inline double pair_separation(Vec3 axis, const Vec3 *first, int first_count,
                                     const Vec3 *second, int second_count) {
    double low = vec3_dot(axis, vec3_sub(first[0], second[0])), high = 0;
    for (int i = 1; i < first_count; ++i) {
        double at = vec3_dot(axis, vec3_sub(first[i], second[0]));
        low = at < low ? at : low;
    }
    for (int i = 1; i < second_count; ++i) {
        double at = vec3_dot(axis, vec3_sub(second[i], second[0]));
        high = at > high ? at : high;
    }
    return low - high;
}

/* Whether these separations, of pair_separation(), are enough. */
static inline bool pair_is_separated(Vec3 axis, double start, double end) {
    double squared = vec3_dot(axis, axis), first = start / START_SEPARATION,
           last = end / END_SEPARATION;
    return start > 0 && end > 0 && first * first > squared && last * last > squared;
}

/* True if the edge goes through the triangle, its rim included; not if both lie in one plane. */
bool edge_meets_triangle(const Vec3 edge[2], const Vec3 triangle[3]);
