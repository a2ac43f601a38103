/* Four elements of a parcel at a time: the vectors that wide kernels are written in, for one kind of machine. Part of
 * the template system/parcel_forces.c. */
#pragma once

#include <math.h>
#include <string.h>

#include "laws/law.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif ESTIMATED_ROOTS || defined(__FMA__)
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))
/* The kernel of a group, which loops over groups are given: only a compiler that optimises can inline it there. */
#ifdef NDEBUG
#define GROUP_KERNEL INLINE
#else
#define GROUP_KERNEL static inline
#endif

/* The same number of four elements: as many vectors as the machine makes of it. Where it makes two, they are worked on
 * in turns, and the long way through a root is half as long. */
#define LANES PARCEL_GROUP
typedef double Lanes __attribute__((vector_size(8 * LANES), may_alias, aligned(16)));
typedef int64_t Marks __attribute__((vector_size(8 * LANES)));
typedef double Pair __attribute__((vector_size(16), may_alias));

typedef struct Lanes3 {
    Lanes x, y, z;
} Lanes3;

/* Four numbers a vertex: three and one that fills up. */
typedef struct ParcelState {
    _Alignas(64) double place[4 * PARCEL_VERTICES];
    _Alignas(64) double pull[4 * PARCEL_VERTICES];
    Guess guess;
    double scalar_energy; /* of what was evaluated one by one, J */
} ParcelState;

INLINE Lanes3 sub3(Lanes3 a, Lanes3 b) { return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE Lanes3 add3(Lanes3 a, Lanes3 b) { return (Lanes3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Lanes3 scale3(Lanes s, Lanes3 a) { return (Lanes3){s * a.x, s * a.y, s * a.z}; }
INLINE Lanes3 mix3(Lanes s, Lanes3 a, Lanes t, Lanes3 b) {
    return (Lanes3){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}
INLINE Lanes dot3(Lanes3 a, Lanes3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Lanes3 cross3(Lanes3 a, Lanes3 b) {
    return (Lanes3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* 1 / sqrt. Where a machine has an estimate of it, Newton's steps make that exact to the last digits, and cost
 * a third of a root and a division. Zero gives no number. */
#if defined(__aarch64__)
INLINE Lanes inverse_root(Lanes square) {
    float64x2_t x0 = {square[0], square[1]}, x1 = {square[2], square[3]};
    float64x2_t y0 = vrsqrteq_f64(x0), y1 = vrsqrteq_f64(x1);
    for (int step = 0; step < 3; ++step) {
        y0 = vmulq_f64(y0, vrsqrtsq_f64(vmulq_f64(x0, y0), y0));
        y1 = vmulq_f64(y1, vrsqrtsq_f64(vmulq_f64(x1, y1), y1));
    }
    return (Lanes){y0[0], y0[1], y1[0], y1[1]};
}
#elif ESTIMATED_ROOTS
INLINE Lanes inverse_root(Lanes square) {
    Lanes y = (Lanes)_mm256_rsqrt14_pd((__m256d)square);
    for (int step = 0; step < 2; ++step) {
        y *= 1.5 - 0.5 * square * y * y;
    }
    return y;
}
#else
INLINE Lanes inverse_root(Lanes square) {
    return (Lanes){1.0 / sqrt(square[0]), 1.0 / sqrt(square[1]), 1.0 / sqrt(square[2]),
                   1.0 / sqrt(square[3])};
}
#endif

INLINE int all(Marks marks) { return (marks[0] & marks[1] & marks[2] & marks[3]) != 0; }

INLINE double total(Lanes a) { return (a[0] + a[1]) + (a[2] + a[3]); }

INLINE Lanes lanes_at(const double *number) { return *(const Lanes *)number; }

/* What lies `offset` bytes on: the parcels keep corners so, to save multiplying. */
INLINE double *moved(const double *from, unsigned offset) {
    return (void *)((char *)from + offset);
}

INLINE Pair pair_at(const double *number) { return *(const Pair *)number; }

/* sum + weight x, rounded once where the machine can: that spoils no symmetry, since it changes its sign with both. */
INLINE Pair pair_add(Pair sum, Pair weight, Pair x) {
#if defined(__aarch64__)
    return (Pair)vfmaq_f64((float64x2_t)sum, (float64x2_t)x, (float64x2_t)weight);
#elif defined(__FMA__)
    return (Pair)_mm_fmadd_pd((__m128d)weight, (__m128d)x, (__m128d)sum);
#else
    return sum + weight * x;
#endif
}

INLINE Pair pair_of(double number) { return (Pair){number, number}; }

INLINE Lanes3 corner_at(const double *place, const uint16_t *corner) {
    Pair a = pair_at(moved(place, corner[0])), b = pair_at(moved(place, corner[1]));
    Pair c = pair_at(moved(place, corner[2])), d = pair_at(moved(place, corner[3]));
    const double *z = place + 2;
    return (Lanes3){(Lanes){a[0], b[0], c[0], d[0]}, (Lanes){a[1], b[1], c[1], d[1]},
                    (Lanes){*moved(z, corner[0]), *moved(z, corner[1]), *moved(z, corner[2]),
                            *moved(z, corner[3])}};
}

INLINE void pull_corner(double *pull, const uint16_t *corner, Lanes3 force) {
    for (int lane = 0; lane < LANES; ++lane) {
        *(Pair *)moved(pull, corner[lane]) += (Pair){force.x[lane], force.y[lane]};
        *moved(pull + 2, corner[lane]) += force.z[lane];
    }
}

INLINE void push_corner(double *pull, const uint16_t *corner, Lanes3 force) {
    for (int lane = 0; lane < LANES; ++lane) {
        *(Pair *)moved(pull, corner[lane]) -= (Pair){force.x[lane], force.y[lane]};
        *moved(pull + 2, corner[lane]) -= force.z[lane];
    }
}

static void pull_vertex(ParcelState *state, uint16_t corner, double weight, Vec3 tension) {
    double *pull = moved(state->pull, corner);
    pull[0] += weight * tension.x;
    pull[1] += weight * tension.y;
    pull[2] += weight * tension.z;
}

/* Elements by the law's own evaluate(). Their energy is summed apart. */
static double pull_one_by_one(ParcelState *state, const ParcelElements *elements, int begin,
                              int end) {
    const Law *law = elements->law;
    const int width = law->width, rows = law->rows; /* not to be read again after every call */
    double (*const evaluate)(const Law *, int, const Guess *, Vec3 *) = law->kind->evaluate;
    double energy = state->scalar_energy;
    for (int at = begin; at < end; ++at) {
        int e = elements->source[at];
        const uint16_t *corner = parcel_corner(elements, at);
        Vec3 tension[LAW_ROWS];
        if (e < 0) {
            continue;
        }
        energy += evaluate(law, e, &state->guess, tension);
        for (int r = 0; r < rows; ++r) {
            const double *weights = law_weights(law, r, e);
            for (int c = 0; c < width; ++c) {
                pull_vertex(state, corner[c * PARCEL_GROUP], weights[c], tension[r]);
            }
        }
    }
    state->scalar_energy = energy;
    return 0.0;
}

/* A kernel that goes through groups of four elements, by what one group is pulled with; twice the energy. */
INLINE double lanes_groups(ParcelState *state, const ParcelElements *elements, int begin, int end,
                           Lanes (*const pull)(ParcelState *, const ParcelElements *, int)) {
    Lanes energy = {0};
    for (int at = begin; at < end; at += PARCEL_GROUP) {
        energy += pull(state, elements, at);
    }
    return total(energy);
}

/* --- as many elements as one vector of the machine has room for: for kernels with so many sums that those of four
 * elements are more than the machine has vectors ------------------------------------------------- */

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

/* A kernel that goes through groups of elements, by what one group is pulled with; twice the energy. */
INLINE double bunch_groups(ParcelState *state, const ParcelElements *elements, int begin, int end,
                           Bunch (*const pull)(ParcelState *, const ParcelElements *, int)) {
    Bunch energy = {0};
    for (int at = begin; at < end; at += PARCEL_GROUP) {
        energy += pull(state, elements, at);
    }
    return bunch_total(energy);
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
