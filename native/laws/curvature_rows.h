/* What the laws of curvature measure: rows of elements, also of pairs across the mirror plane, and normals. */
#ifndef LAWS_CURVATURE_ROWS_H
#define LAWS_CURVATURE_ROWS_H

#include "laws/curvature.h"

/* Tangents whose normal is shorter than this part of them show no direction. */
#define NO_NORMAL 1e-9

/* What an element across the mirror plane has of a vector: y and z, or x. */
static inline Vec3 curvature_on_its_axes(const CurvatureLaw *own, int e, Vec3 v) {
    if (e < own->pairs_from) {
        return v;
    }
    return (e - own->pairs_from) % 2 == 0 ? vec3(0, v.y, v.z) : vec3(v.x, 0, 0);
}

/* A row at x. Its weights add up to nothing, but along x across the mirror plane: places are seen from the middle, for
 * the sake of rounding. */
static inline Vec3 curvature_measure_one(const Law *law, int row, int e, const Vec3 *x) {
    const CurvatureLaw *own = curvature_law(law);
    if (e >= own->pairs_from) {
        return curvature_on_its_axes(own, e, law_measure(law, row, e, x));
    }
    const double *weights = law_weights(law, row, e);
    const int *vertices = law_vertices(law, e);
    Vec3 middle = x[vertices[0]], sum = vec3(0, 0, 0);
    for (int c = 1; c < law->corners[e]; ++c) {
        sum = vec3_madd(sum, weights[c], vec3_sub(x[vertices[c]], middle));
    }
    return sum;
}

/* The same, of both elements of a pair. */
static inline Vec3 curvature_measure(const Law *law, int row, int e, const Vec3 *x) {
    const CurvatureLaw *own = curvature_law(law);
    if (e < own->pairs_from) {
        return curvature_measure_one(law, row, e, x);
    }
    int first = e - (e - own->pairs_from) % 2;
    return vec3_add(curvature_measure_one(law, row, first, x),
                    curvature_measure_one(law, row, first + 1, x));
}

/* The normal by the tangents b and c, and the length of b x c; zeros where they show none. */
static inline Vec3 curvature_normal_of(Vec3 b, Vec3 c, double *length) {
    Vec3 normal = vec3_cross(b, c);
    *length = vec3_length(normal);
    if (!(*length > NO_NORMAL * vec3_length(b) * vec3_length(c))) {
        *length = 0;
        return vec3(0, 0, 0);
    }
    return vec3_scale(1.0 / *length, normal);
}

static inline Vec3 curvature_normal_at(const Law *law, int e, const Vec3 *x) {
    double length;
    return curvature_normal_of(curvature_measure(law, FIT_TANGENT_U, e, x),
                               curvature_measure(law, FIT_TANGENT_V, e, x), &length);
}

/* The normal as the guess says: seen at z, or turning on from what was seen. `length` of b x c: 0 where the normal does
 * not follow z. */
static inline Vec3 curvature_guessed_normal(const Law *law, int e, const Guess *guess, Vec3 b,
                                            Vec3 c, double *length) {
    *length = 0;
    if (!guess->turning) {
        Vec3 normal = curvature_normal_of(b, c, length);
        return *length > 0 ? normal : curvature_normal_at(law, e, guess->present);
    }
    Vec3 seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        seen[m] = curvature_normal_at(law, e, guess->history[m]);
    }
    return vec3_unit_or(guess_turned(guess, seen), seen[0]);
}

#endif
