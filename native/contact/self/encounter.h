/* Whether two parts of the cloth meet on straight ways: a vertex and a triangle, or two edges.
 * Cheap tests come first: an axis along which the two are apart at the start and, in the same order, at
 * the end keeps them apart all the way. The continuous test is asked about the rest.
 *
 * Parts that touch at the start have no side to be kept on: they never meet. */
#ifndef CONTACT_SELF_ENCOUNTER_H
#define CONTACT_SELF_ENCOUNTER_H

#include "base/vec3.h"

/* Two parts of four points in all: the first `split` of them are the first part. */
typedef struct Ways {
    int split; /* 1: a vertex and a triangle; 2: two edges */
    Vec3 start[4], end[4];
} Ways;

typedef struct Encounter {
    int vertices[4]; /* the caller's; not set here */
    int split;
    double
        weights[4]; /* the points that meet: positive of the first part, negative of the second */
    Vec3 normal;    /* unit; to the side of the second part where the first came from */
    double time;    /* 0 to 1 */
} Encounter;

/* sum w_j x_j: from the second part's point to the first's. */
static inline Vec3 encounter_between(const double weights[4], const Vec3 x[4]) {
    Vec3 sum = vec3_scale(weights[0], x[0]);
    for (int j = 1; j < 4; ++j) {
        sum = vec3_madd(sum, weights[j], x[j]);
    }
    return sum;
}

/* Returns true and fills `encounter`, or returns false and leaves it alone. */
bool encounter_find(const Ways *ways, Encounter *encounter);

/* What an axis must leave between two parts: at the start beyond rounding, at the end so much that they
 * do not touch when the next motion starts, m. */
#define ENCOUNTER_START_ROOM 1e-12
#define ENCOUNTER_END_ROOM 1e-9

/* By how much the lowest of the first points is above the highest of the second along an axis, times the
 * axis' length. */
static inline double encounter_room(Vec3 axis, const Vec3 *first, int first_count,
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

/* Whether this much room at start and end, as encounter_room() has it, is enough. */
static inline bool encounter_has_room(Vec3 axis, double start, double end) {
    double squared = vec3_dot(axis, axis), first = start / ENCOUNTER_START_ROOM,
           last = end / ENCOUNTER_END_ROOM;
    return start > 0 && end > 0 && first * first > squared && last * last > squared;
}

/* True if the edge goes through the triangle, its rim included; not if both lie in one plane. */
bool encounter_pierces(const Vec3 edge[2], const Vec3 triangle[3]);

#endif
