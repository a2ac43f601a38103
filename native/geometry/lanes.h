/* Four numbers, or four vectors, side by side in single precision: what the trees' boxes and the distances of many
 * pairs are counted in. */
#pragma once

#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define LANES 4

/* Over a number itself: more than rounding it to single precision, and what is counted with it, takes. */
#define LANES_ROUNDED 4e-7F

typedef float Four __attribute__((vector_size(4 * LANES), may_alias));
/* All bits set where something is true. */
typedef int32_t Signs __attribute__((vector_size(4 * LANES), may_alias));

static inline Four in_all_lanes(float value) { return (Four){value, value, value, value}; }

static inline Four chosen(Signs which, Four a, Four b) {
    return (Four)(((Signs)a & which) | ((Signs)b & ~which));
}

static inline bool any_lane(Signs which) {
    return (which[0] | which[1] | which[2] | which[3]) != 0;
}

static inline Four lower(Four a, Four b) { return chosen(a < b, a, b); }

static inline Four higher(Four a, Four b) { return chosen(a > b, a, b); }

static inline Four magnitude(Four a) {
    const Signs positive = {INT32_MAX, INT32_MAX, INT32_MAX, INT32_MAX};
    return (Four)((Signs)a & positive);
}

static inline Four roots(Four a) {
    return (Four){sqrtf(a[0]), sqrtf(a[1]), sqrtf(a[2]), sqrtf(a[3])};
}

/* Rows become columns. */
static inline void turn_over(const Four rows[LANES], Four columns[LANES]) {
    Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 1, 5);
    Four b = __builtin_shufflevector(rows[2], rows[3], 0, 4, 1, 5);
    Four c = __builtin_shufflevector(rows[0], rows[1], 2, 6, 3, 7);
    Four d = __builtin_shufflevector(rows[2], rows[3], 2, 6, 3, 7);
    columns[0] = __builtin_shufflevector(a, b, 0, 1, 4, 5);
    columns[1] = __builtin_shufflevector(a, b, 2, 3, 6, 7);
    columns[2] = __builtin_shufflevector(c, d, 0, 1, 4, 5);
    columns[3] = __builtin_shufflevector(c, d, 2, 3, 6, 7);
}

/* Four vectors. */
typedef struct Vectors {
    Four x, y, z;
} Vectors;

/* The same one four times; `at` has three numbers. */
static inline Vectors spread(const float *at) {
    return (Vectors){in_all_lanes(at[0]), in_all_lanes(at[1]), in_all_lanes(at[2])};
}

/* One of each row, whose fourth number is not used. */
static inline Vectors side_by_side(const Four rows[LANES]) {
    Four columns[LANES];
    turn_over(rows, columns);
    return (Vectors){columns[0], columns[1], columns[2]};
}

static inline Vectors vectors_sum(Vectors a, Vectors b) {
    return (Vectors){a.x + b.x, a.y + b.y, a.z + b.z};
}

static inline Vectors vectors_less(Vectors a, Vectors b) {
    return (Vectors){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline Vectors vectors_times(Vectors a, Four b) {
    return (Vectors){a.x * b, a.y * b, a.z * b};
}

static inline Four vectors_dot(Vectors a, Vectors b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline Vectors vectors_cross(Vectors a, Vectors b) {
    return (Vectors){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The sum of the magnitudes of a vector's numbers. */
static inline Four vectors_size(Vectors a) {
    return magnitude(a.x) + magnitude(a.y) + magnitude(a.z);
}
