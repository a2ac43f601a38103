/* The innermost loops of a step: all elements of a parcel, four at a time, for one kind of machine.
 * A template, for a file of its own: included with
 *   KERNEL           the name of the function that it makes, see parcel_forces.h
 *   ESTIMATED_ROOTS  1 where x86-64 has estimates of inverse roots in double precision
 * defined. */
#include <math.h>
#include <string.h>

#include "model/parcel_forces.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#elif ESTIMATED_ROOTS
#include <immintrin.h>
#endif

#define INLINE static inline __attribute__((always_inline))

/* The same number of four elements: as many vectors as the machine makes of it. Where it makes two, they are worked on
 * in turns, and the long way through a root is half as long. */
#define LANES 4
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
    const Parcels *parcels;
    Guess guess;
    double careful_energy; /* of what went the careful way, J */
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

/* --- triangles -------------------------------------------------------------------------------- */

/* Axes whose inverse lengths add up to more than this go the careful way: some may be too short for the difference of
 * squares below. */
#define SHORT 8.0

static void careful_triangles(ParcelState *state, int at) {
    const TriangleModel *model = state->parcels->triangle;
    const ParcelElements *elements = &state->parcels->kinds[PARCEL_TRIANGLES];
    for (int i = at; i < at + LANES; ++i) {
        int t = elements->source[i];
        const uint16_t *corner = elements->corner + 3 * (i - i % PARCEL_GROUP) + i % PARCEL_GROUP;
        if (t < 0) {
            continue;
        }
        Vec3 tension[2];
        state->careful_energy += triangle_model_tension(model, t, &state->guess, tension);
        for (int c = 0; c < 3; ++c) {
            pull_vertex(state, corner[c * PARCEL_GROUP], model->warp_weights[3 * t + c],
                        tension[0]);
            pull_vertex(state, corner[c * PARCEL_GROUP], model->weft_weights[3 * t + c],
                        tension[1]);
        }
    }
}

/* Twice the energy of each; with u, w the fabric's axes at z, the tensions are
 *   (p_u + h) u + g w  and  g u + (p_w + h) w,  h, g = (p_+ +- p_-) / 2,  p = k (1/|S| - 1)
 * for the four axes, of which the diagonals' lengths follow from |u|, |w| and u.w. */
INLINE Lanes pull_triangles(ParcelState *state, int at, const uint16_t *corner,
                            const double *number, const int tension_only) {
    Lanes3 origin = corner_at(state->place, corner);
    Lanes3 e1 = sub3(corner_at(state->place, corner + PARCEL_GROUP), origin);
    Lanes3 e2 = sub3(corner_at(state->place, corner + 2 * PARCEL_GROUP), origin);
    Lanes a1 = lanes_at(number), p1 = lanes_at(number + PARCEL_GROUP);
    Lanes a2 = lanes_at(number + 2 * PARCEL_GROUP), p2 = lanes_at(number + 3 * PARCEL_GROUP);
    Lanes3 u = mix3(a1, e1, a2, e2), w = mix3(p1, e1, p2, e2);
    Lanes uu = dot3(u, u), ww = dot3(w, w), uw = dot3(u, w), half = 0.5 * (uu + ww);
    Lanes ss = half + uw, dd = half - uw;
    Lanes qu = inverse_root(uu), qw = inverse_root(ww), qs = inverse_root(ss),
          qd = inverse_root(dd);
    if (__builtin_expect(!all((qu + qw) + (qs + qd) < SHORT), 0)) {
        careful_triangles(state, at);
        return (Lanes){0};
    }
    qu -= 1.0, qw -= 1.0, qs -= 1.0, qd -= 1.0;
    if (tension_only) { /* what is shorter than at rest is slack */
        qu = (Lanes)((Marks)qu & (qu < 0.0)), qw = (Lanes)((Marks)qw & (qw < 0.0));
        qs = (Lanes)((Marks)qs & (qs < 0.0)), qd = (Lanes)((Marks)qd & (qd < 0.0));
    }
    Lanes shear = lanes_at(number + 6 * PARCEL_GROUP);
    Lanes pu = lanes_at(number + 4 * PARCEL_GROUP) * qu;
    Lanes pw = lanes_at(number + 5 * PARCEL_GROUP) * qw, ps = shear * qs, pd = shear * qd;
    Lanes energy = (pu * qu * uu + pw * qw * ww) + (ps * qs * ss + pd * qd * dd);
    Lanes h = 0.5 * (ps + pd), g = 0.5 * (ps - pd);
    pu += h, pw += h;
    Lanes3 f1 = mix3(a1 * pu + p1 * g, u, a1 * g + p1 * pw, w);
    Lanes3 f2 = mix3(a2 * pu + p2 * g, u, a2 * g + p2 * pw, w);
    push_corner(state->pull, corner, add3(f1, f2));
    pull_corner(state->pull, corner + PARCEL_GROUP, f1);
    pull_corner(state->pull, corner + 2 * PARCEL_GROUP, f2);
    return energy;
}

INLINE Lanes pull_groups(ParcelState *state, int begin, int end, const int tension_only) {
    const ParcelElements *elements = &state->parcels->kinds[PARCEL_TRIANGLES];
    const uint16_t *corner = elements->corner + 3 * begin;
    const double *number = elements->number + 7 * begin;
    Lanes energy = {0};
    for (int at = begin; at < end; at += PARCEL_GROUP) {
        for (int lane = 0; lane < PARCEL_GROUP; lane += LANES) {
            energy += pull_triangles(state, at + lane, corner + lane, number + lane, tension_only);
        }
        corner += 3 * PARCEL_GROUP;
        number += 7 * PARCEL_GROUP;
    }
    return energy;
}

static double pull_all_triangles(ParcelState *state, int begin, int end) {
    return state->parcels->triangle->tension_only ? total(pull_groups(state, begin, end, 1))
                                                  : total(pull_groups(state, begin, end, 0));
}

/* --- hinges ----------------------------------------------------------------------------------- */

/* Areas, m^4, and bisectors, squared, below which a hinge goes the careful way. */
#define NO_AREA 1e-100
#define NEARLY_SHUT 1e-8

static void careful_hinges(ParcelState *state, const ParcelElements *elements, int at, int end) {
    const BendingModel *model = state->parcels->bending;
    for (int i = at; i < end; ++i) {
        int h = elements->source[i];
        const uint16_t *corner = elements->corner + 4 * (i - i % PARCEL_GROUP) + i % PARCEL_GROUP;
        if (h < 0) {
            continue;
        }
        Vec3 tension;
        state->careful_energy += bending_model_tension(model, h, &state->guess, &tension);
        for (int c = 0; c < 4; ++c) {
            pull_vertex(state, corner[c * PARCEL_GROUP], model->weights[4 * h + c], tension);
        }
    }
}

/* Twice the energy of each. */
INLINE Lanes pull_hinges(ParcelState *state, int at, const uint16_t *corner, const double *number) {
    Lanes3 i = corner_at(state->place, corner), j = corner_at(state->place, corner + PARCEL_GROUP);
    Lanes3 k = corner_at(state->place, corner + 2 * PARCEL_GROUP);
    Lanes3 l = corner_at(state->place, corner + 3 * PARCEL_GROUP);
    Lanes alpha = lanes_at(number), crossing = lanes_at(number + PARCEL_GROUP);
    Lanes3 lk = sub3(l, k), kj = sub3(k, j);
    Lanes3 first = cross3(sub3(k, i), lk), second = cross3(lk, kj);
    Lanes one = dot3(first, first), two = dot3(second, second);
    Lanes3 sum = mix3(inverse_root(one), first, inverse_root(two), second);
    Lanes square = dot3(sum, sum);
    if (__builtin_expect(!all((one > NO_AREA) & (two > NO_AREA) & (square > NEARLY_SHUT)), 0)) {
        careful_hinges(state, &state->parcels->kinds[PARCEL_CURVED], at, at + LANES);
        return (Lanes){0};
    }
    Lanes gap = lanes_at(number + 3 * PARCEL_GROUP) * inverse_root(square);
    Lanes3 pull = sub3(add3(kj, scale3(crossing, lk)), scale3(alpha, sub3(i, j)));
    pull = add3(pull, scale3(gap, sum));
    Lanes3 tension = scale3(lanes_at(number + 2 * PARCEL_GROUP), pull);
    Lanes3 to_i = scale3(alpha, tension), to_l = scale3(crossing, tension);
    pull_corner(state->pull, corner, to_i);
    pull_corner(state->pull, corner + PARCEL_GROUP, sub3(tension, to_i));
    push_corner(state->pull, corner + 2 * PARCEL_GROUP, sub3(tension, to_l));
    push_corner(state->pull, corner + 3 * PARCEL_GROUP, to_l);
    return dot3(tension, pull);
}

static double pull_all_hinges(ParcelState *state, int begin, int end) {
    const ParcelElements *elements = &state->parcels->kinds[PARCEL_CURVED];
    const uint16_t *corner = elements->corner + 4 * begin;
    const double *number = elements->number + 4 * begin;
    Lanes energy = {0};
    for (int at = begin; at < end; at += PARCEL_GROUP) {
        for (int lane = 0; lane < PARCEL_GROUP; lane += LANES) {
            energy += pull_hinges(state, at + lane, corner + lane, number + lane);
        }
        corner += 4 * PARCEL_GROUP;
        number += 4 * PARCEL_GROUP;
    }
    return total(energy);
}

/* The forces of the flat hinges, with which all others begin; twice their energy. */
static double pull_flat(ParcelState *state, int first, int count) {
    const ParcelMatrix *flat = &state->parcels->flat;
    const int *start = flat->start + first;
    const double *place = state->place;
    Pair energy = {0};
    for (int row = 0; row < count; ++row) {
        Pair xy = {0}, z = {0};
        for (int e = start[row]; e < start[row + 1]; ++e) {
            xy += flat->value[e] * pair_at(moved(place, flat->column[e]));
            z += flat->value[e] * pair_at(moved(place + 2, flat->column[e]));
        }
        *(Pair *)(state->pull + 4 * row) = -xy;
        *(Pair *)(state->pull + 4 * row + 2) = -z;
        energy += xy * pair_at(place + 4 * row) + z * pair_at(place + 4 * row + 2);
    }
    return energy[0] + energy[1];
}

/* --- edges, and all --------------------------------------------------------------------------- */

static void pull_all_edges(ParcelState *state, int begin, int end) {
    const ParcelElements *elements = &state->parcels->kinds[PARCEL_EDGES];
    for (int i = begin; i < end; ++i) {
        const uint16_t *corner = elements->corner + 2 * (i - i % PARCEL_GROUP) + i % PARCEL_GROUP;
        if (elements->source[i] >= 0) {
            Vec3 tension;
            state->careful_energy += edge_model_tension(state->parcels->edge, elements->source[i],
                                                        &state->guess, &tension);
            pull_vertex(state, corner[0], -1.0, tension);
            pull_vertex(state, corner[PARCEL_GROUP], 1.0, tension);
        }
    }
}

/* Places are seen from the parcel's first vertex: the matrix of flat hinges then rounds as its size asks for, wherever
 * the cloth is. */
static double evaluate_parcel(ParcelState *state, int p) {
    const Parcels *parcels = state->parcels;
    const int *vertex = parcels->vertex + parcels->start[p];
    int count = parcels->start[p + 1] - parcels->start[p];
    Vec3 origin = state->guess.z[vertex[0]];
    for (int j = 0; j < count; ++j) {
        Vec3 place = vec3_sub(state->guess.z[vertex[j]], origin);
        memcpy(state->place + 4 * j, &place, sizeof place);
        state->place[4 * j + 3] = 0;
    }
    const int *edges = parcels->kinds[PARCEL_EDGES].start + p;
    const int *triangles = parcels->kinds[PARCEL_TRIANGLES].start + p;
    const int *hinges = parcels->kinds[PARCEL_CURVED].start + p;
    const ParcelElements *crossing = &parcels->kinds[PARCEL_CROSSING];
    state->careful_energy = 0;
    double twice = pull_flat(state, parcels->start[p], count);
    twice += pull_all_triangles(state, triangles[0], triangles[1]);
    twice += pull_all_hinges(state, hinges[0], hinges[1]);
    careful_hinges(state, crossing, crossing->start[p], crossing->start[p + 1]);
    pull_all_edges(state, edges[0], edges[1]);
    return state->careful_energy + 0.5 * twice;
}

void KERNEL(void *context, int begin, int end) {
    const ParcelWork *work = context;
    Parcels *parcels = work->parcels;
    ParcelState state; /* not set to zero as a whole: it is large */
    state.parcels = parcels;
    state.guess = (Guess){.z = work->z, .present = work->present};
    for (int p = begin; p < end; ++p) {
        parcels->energy[p] = evaluate_parcel(&state, p);
        Vec3 *share = parcels->share + parcels->start[p];
        for (int j = 0; j < parcels->start[p + 1] - parcels->start[p]; ++j) {
            memcpy(&share[j], state.pull + 4 * j, sizeof(Vec3));
        }
    }
}
