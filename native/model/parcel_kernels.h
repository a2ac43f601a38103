/* The innermost loops of a step: all elements of a parcel, four at a time where their law has a wide kernel, for one
 * kind of machine. A template, for a file of its own: included with
 *   KERNEL           the name of the function that it makes, see parcel_forces.h
 *   ESTIMATED_ROOTS  1 where x86-64 has estimates of inverse roots in double precision
 * defined. */
#include "model/bending_kernel.h"
#include "model/curvature_kernel.h"
#include "model/edge_kernel.h"
#include "model/membrane_kernel.h"
#include "model/moment_kernel.h"
#include "model/parcel_lanes.h"
#include "model/parcel_product.h"
#include "model/triangle_kernel.h"

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

/* Places are seen from a vertex amid the parcel: the matrix of linear forces then rounds as its size asks for,
 * wherever the cloth is. */
static double evaluate_parcel(ParcelState *state, int p) {
    const Parcels *parcels = state->parcels;
    const int *vertex = parcels->vertex + parcels->start[p];
    int count = parcels->start[p + 1] - parcels->start[p];
    Vec3 origin = state->guess.z[vertex[count / 2]];
    for (int j = 0; j < count; ++j) {
        Vec3 place = vec3_sub(state->guess.z[vertex[j]], origin);
        memcpy(state->place + 4 * j, &place, sizeof place);
        state->place[4 * j + 3] = place.z;
    }
    memset(state->place + 4 * count, 0, (size_t)(count % 2) * PARCEL_STRIDE);
    state->careful_energy = 0;
    double twice = pull_linear(state, p, count);
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
