/* As many elements of a parcel as one vector of the machine has room for: for kernels with so many sums that those of four
 * elements are more than the machine has vectors. Part of the template parcel_kernels.h. */
#ifndef MODEL_PARCEL_BUNCH_H
#define MODEL_PARCEL_BUNCH_H

#include "model/parcel_lanes.h"

/* bunch_add() is rounded once where the machine can, as pair_add(). */
#if defined(__AVX__) && defined(__FMA__)
#define BUNCH 4
typedef Lanes Bunch;
typedef Marks BunchMarks;
INLINE Bunch bunch_add(Bunch sum, Bunch weight, Bunch x) {
    return (Bunch)_mm256_fmadd_pd((__m256d)weight, (__m256d)x, (__m256d)sum);
}
INLINE Bunch bunch_inverse_root(Bunch square) { return inverse_root(square); }
#else
#define BUNCH 2
typedef Pair Bunch;
typedef int64_t BunchMarks __attribute__((vector_size(16)));
INLINE Bunch bunch_add(Bunch sum, Bunch weight, Bunch x) { return pair_add(sum, weight, x); }
#if defined(__aarch64__)
INLINE Bunch bunch_inverse_root(Bunch square) {
    float64x2_t x = (float64x2_t)square, y = vrsqrteq_f64(x);
    for (int step = 0; step < 3; ++step) {
        y = vmulq_f64(y, vrsqrtsq_f64(vmulq_f64(x, y), y));
    }
    return (Bunch)y;
}
#else
INLINE Bunch bunch_inverse_root(Bunch square) {
    return (Bunch){1.0 / sqrt(square[0]), 1.0 / sqrt(square[1])};
}
#endif
#endif

typedef struct Bunch3 {
    Bunch x, y, z;
} Bunch3;

INLINE Bunch3 bunch_cross(Bunch3 a, Bunch3 b) {
    return (Bunch3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
INLINE Bunch bunch_dot(Bunch3 a, Bunch3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Bunch3 bunch_scale(Bunch s, Bunch3 a) { return (Bunch3){s * a.x, s * a.y, s * a.z}; }
INLINE Bunch3 bunch_sub(Bunch3 a, Bunch3 b) { return (Bunch3){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Bunch3 bunch_sum(Bunch3 a, Bunch3 b) { return (Bunch3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Bunch3 bunch_add3(Bunch3 sum, Bunch s, Bunch3 a) {
    return (Bunch3){bunch_add(sum.x, s, a.x), bunch_add(sum.y, s, a.y), bunch_add(sum.z, s, a.z)};
}

INLINE Bunch bunch_at(const double *number) { return *(const Bunch *)number; }

#define KNOT_NUMBERS 4

/* From 0 to the most; what is no number becomes 0. */
INLINE Bunch bunch_within(Bunch a, double most) {
    BunchMarks above = a > 0.0;
    Bunch low = (Bunch)((BunchMarks)a & above);
    BunchMarks below = low < most;
    return (Bunch)(((BunchMarks)low & below) | ((BunchMarks)((Bunch){0} + most) & ~below));
}

/* The numbers of a curve's knots, that of each element by the whole part of `at`, which is left. */
INLINE Bunch bunch_knots(const void *knots, Bunch at, Bunch *number) {
    Bunch whole = {0};
    const double *knot[BUNCH];
    for (int i = 0; i < BUNCH; ++i) {
        int k = (int)at[i];
        whole[i] = k;
        knot[i] = (const double *)knots + KNOT_NUMBERS * k;
    }
#if BUNCH == 4
    for (int n = 0; n < KNOT_NUMBERS; ++n) {
        number[n] = (Bunch){knot[0][n], knot[1][n], knot[2][n], knot[3][n]};
    }
#else
    for (int n = 0; n < KNOT_NUMBERS; n += 2) {
        Pair a = pair_at(knot[0] + n), b = pair_at(knot[1] + n);
        number[n] = (Bunch){a[0], b[0]};
        number[n + 1] = (Bunch){a[1], b[1]};
    }
#endif
    return whole;
}

INLINE double bunch_total(Bunch a) {
    double sum = 0;
    for (int i = 0; i < BUNCH; ++i) {
        sum += a[i];
    }
    return sum;
}

INLINE bool bunch_above(Bunch a, double least) {
    bool above = true;
    for (int i = 0; i < BUNCH; ++i) {
        above = above && a[i] > least;
    }
    return above;
}

#if BUNCH == 4
INLINE Bunch3 bunch_corner(const double *place, const uint16_t *corner) {
    Lanes3 at = corner_at(place, corner);
    return (Bunch3){at.x, at.y, at.z};
}
INLINE void bunch_pull(double *pull, const uint16_t *corner, Bunch3 force) {
    pull_corner(pull, corner, (Lanes3){force.x, force.y, force.z});
}
#else
INLINE Bunch3 bunch_corner(const double *place, const uint16_t *corner) {
    const double *one = moved(place, corner[0]), *two = moved(place, corner[1]);
    Pair a = pair_at(one), b = pair_at(two), c = pair_at(one + 2), d = pair_at(two + 2);
    return (Bunch3){{a[0], b[0]}, {a[1], b[1]}, {c[0], d[0]}};
}
INLINE void bunch_pull(double *pull, const uint16_t *corner, Bunch3 force) {
    double *one = moved(pull, corner[0]), *two = moved(pull, corner[1]);
    *(Pair *)one += (Pair){force.x[0], force.y[0]};
    *(Pair *)(one + 2) += force.z;                  /* what fills up is never read */
    *(Pair *)two += (Pair){force.x[1], force.y[1]}; /* both may be the same vertex */
    *(Pair *)(two + 2) += (Pair){force.z[1], force.z[1]};
}
#endif

#endif
