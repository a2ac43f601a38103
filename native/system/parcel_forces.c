/* The innermost loops of a step: all elements of a parcel, four at a time where their law has a wide kernel. Compiled
 * once for each kind of machine, as CMakeLists.txt lists, which defines
 *   KERNEL           the name of the function that this makes, see parcels.h
 *   ESTIMATED_ROOTS  1 where x86-64 has estimates of inverse roots in double precision
 * Without them it is for every machine of the kind that it is compiled for. */
#ifndef KERNEL
#define KERNEL parcels_pull
#define ESTIMATED_ROOTS 0
#endif

#include "laws/bending_kernel.h"
#include "laws/curvature_kernel.h"
#include "laws/edge_kernel.h"
#include "laws/membrane_kernel.h"
#include "laws/moment_kernel.h"
#include "laws/triangle_kernel.h"
#include "system/parcels.h"

/* Each pulls at the vertices of elements begin <= at < end and returns twice the energy of those that did not go one by
 * one. */
typedef double (*PullElements)(ParcelState *state, const ParcelElements *elements, int begin,
                               int end);

static const PullElements kernels[PARCEL_KERNELS] = {[KERNEL_EVALUATE] = pull_one_by_one,
                                                     [KERNEL_EDGES] = pull_all_edges,
                                                     [KERNEL_TRIANGLES] = pull_all_triangles,
                                                     [KERNEL_MEMBRANES] = pull_all_membranes,
                                                     [KERNEL_HINGES] = pull_all_hinges,
                                                     [KERNEL_CURVED] = pull_all_curved,
                                                     [KERNEL_PAIRS] = pull_all_pairs,
                                                     [KERNEL_MOMENTS] = pull_all_moments,
                                                     [KERNEL_CURVED_MOMENTS] =
                                                         pull_all_curved_moments};

/* --- the product of linear forces: the matrix of a parcel times its places ---------------------- */

/* A row pair (parcels.h): the places or what pulls at them. Where a vector holds two numbers,
 * z of both is in one; of what pulls at others it comes in two parts, then, which two_join() puts together. */
#if defined(__AVX__) && defined(__FMA__)
typedef struct Two {
    __m256d one, two;
} Two;
INLINE __m256d four_add(__m256d sum, double weight, __m256d x) {
    return _mm256_fmadd_pd(_mm256_set1_pd(weight), x, sum);
}
INLINE Two two_at(const double *from) {
    return (Two){_mm256_load_pd(from), _mm256_load_pd(from + 4)};
}
INLINE Two two_diagonal(const double *value, Two x) {
    return (Two){four_add(value[0] * x.one, value[1], x.two),
                 four_add(value[1] * x.one, value[2], x.two)};
}
INLINE void two_sum(Two *sum, const double *value, const double *x) {
    sum->one = four_add(sum->one, value[0], _mm256_load_pd(x));
    sum->two = four_add(sum->two, value[1], _mm256_load_pd(x));
}
INLINE void two_pull(double *pull, const double *value, Two x) {
    __m256d sum = four_add(_mm256_load_pd(pull), value[0], x.one);
    _mm256_store_pd(pull, four_add(sum, value[1], x.two));
}
INLINE void two_put(double *pull, Two sum) {
    _mm256_store_pd(pull, sum.one);
    _mm256_store_pd(pull + 4, sum.two);
}
/* Returns place . pull, in two parts. */
INLINE Pair two_join(double *pull, const double *place) {
    return pair_at(pull) * pair_at(place) + (Pair){pull[2] * place[2], 0};
}
#else
typedef struct Two {
    Pair one, two, z; /* x and y of each, z of both */
} Two;
INLINE Two two_at(const double *from) {
    return (Two){pair_at(from), pair_at(from + 4), {from[2], from[6]}};
}
INLINE Two two_diagonal(const double *value, Two x) {
    return (Two){
        pair_add(value[0] * x.one, pair_of(value[1]), x.two),
        pair_add(value[1] * x.one, pair_of(value[2]), x.two),
        pair_add(pair_at(value) * pair_of(x.z[0]), (Pair){value[1], value[2]}, pair_of(x.z[1]))};
}
INLINE void two_sum(Two *sum, const double *value, const double *x) {
    Pair weight = pair_at(value);
    sum->one = pair_add(sum->one, pair_of(weight[0]), pair_at(x));
    sum->two = pair_add(sum->two, pair_of(weight[1]), pair_at(x));
    sum->z = pair_add(sum->z, weight, pair_at(x + 2)); /* which is given twice */
}
INLINE void two_pull(double *pull, const double *value, Two x) {
    Pair weight = pair_at(value), sum = pair_add(pair_at(pull), pair_of(weight[0]), x.one);
    *(Pair *)pull = pair_add(sum, pair_of(weight[1]), x.two);
    *(Pair *)(pull + 2) = pair_add(pair_at(pull + 2), weight, x.z);
}
INLINE void two_put(double *pull, Two sum) {
    *(Pair *)pull = sum.one;
    *(Pair *)(pull + 2) = (Pair){sum.z[0], 0};
    *(Pair *)(pull + 4) = sum.two;
    *(Pair *)(pull + 6) = (Pair){sum.z[1], 0};
}
/* Returns place . pull, in two parts. */
INLINE Pair two_join(double *pull, const double *place) {
    Pair z = pair_at(pull + 2);
    pull[2] = z[0] + z[1];
    return pair_at(pull) * pair_at(place) + z * pair_at(place + 2);
}
#endif

/* The linear forces, with which all others begin; twice their energy. */
static double pull_linear(const ParcelMatrix *matrix, ParcelState *state, int p, int count) {
    int first = matrix->first[p];
    if (first == matrix->first[p + 1]) {
        memset(state->pull, 0, (size_t)count * PARCEL_STRIDE);
        return 0;
    }
    const int *start = matrix->start + first;
    const uint16_t *column = matrix->column + start[0];
    const double *value = matrix->value + parcel_values_from(matrix, first);
    for (int row = 0; row < count; row += 2, ++start) {
        Two own = two_at(state->place + 4 * row), sum = two_diagonal(value, own);
        value += PARCEL_DIAGONAL;
        for (int left = start[1] - start[0]; left > 0; --left, ++column, value += 2) {
            two_sum(&sum, value, moved(state->place, *column));
            two_pull(moved(state->pull, *column), value, own);
        }
        two_put(state->pull + 4 * row, sum);
    }
    Pair energy = {0};
    for (int row = 0; row < count; ++row) {
        energy -= two_join(state->pull + 4 * row, state->place + 4 * row);
    }
    return energy[0] + energy[1];
}

/* --- all forces ---------------------------------------------------------------------------------- */

/* Places are seen from a vertex amid the parcel: the matrix of linear forces then rounds as its size asks for,
 * wherever the cloth is. */
static double evaluate_parcel(const Parcels *parcels, ParcelState *state, int p) {
    const int *vertex = parcels->vertex + parcels->start[p];
    int count = parcels->start[p + 1] - parcels->start[p];
    Vec3 origin = state->guess.z[vertex[count / 2]];
    for (int j = 0; j < count; ++j) {
        Vec3 place = vec3_sub(state->guess.z[vertex[j]], origin);
        memcpy(state->place + 4 * j, &place, sizeof place);
        state->place[4 * j + 3] = place.z;
    }
    memset(state->place + 4 * count, 0, (size_t)(count % 2) * PARCEL_STRIDE);
    state->scalar_energy = 0;
    double twice = pull_linear(&parcels->matrix, state, p, count);
    for (int l = 0; l < parcels->laws->count; ++l) {
        const ParcelElements *wide = &parcels->elements[l][LAW_WIDE];
        if (wide->start[p] < wide->start[p + 1]) {
            PullElements pull = kernels[wide->law->kind->wide->kernel];
            twice += pull(state, wide, wide->start[p], wide->start[p + 1]);
        }
    }
    for (int l = parcels->laws->count; l-- > 0;) {
        const ParcelElements *others = &parcels->elements[l][LAW_ONE_BY_ONE];
        if (others->start[p] < others->start[p + 1]) {
            kernels[others->law->kind->one_by_one](state, others, others->start[p],
                                                   others->start[p + 1]);
        }
    }
    return state->scalar_energy + 0.5 * twice;
}

void KERNEL(void *context, int begin, int end) {
    const ParcelWork *work = context;
    Parcels *parcels = work->parcels;
    ParcelState state; /* not set to zero as a whole: it is large */
    state.guess = (Guess){.z = work->z, .present = work->present};
    for (int p = begin; p < end; ++p) {
        parcels->energy[p] = evaluate_parcel(parcels, &state, p);
        Vec3 *share = parcels->share + parcels->start[p];
        for (int j = 0; j < parcels->start[p + 1] - parcels->start[p]; ++j) {
            memcpy(&share[j], state.pull + 4 * j, sizeof(Vec3));
        }
    }
}
