/* The wide kernel of curved rest shapes: what is left of their energy beside the product of linear forces,
 * constant - g.n with n along b x c. Part of the template parcel_kernels.h. */
#ifndef MODEL_CURVATURE_KERNEL_H
#define MODEL_CURVATURE_KERNEL_H

#include "model/curvature.h"
#include "model/parcel_lanes.h"

/* b x c, squared, below which an element goes the careful way: tangents are of length 1 at rest. */
#define NEARLY_NO_NORMAL 1e-8

INLINE Lanes3 madd3(Lanes3 a, Lanes s, Lanes3 b) {
    return (Lanes3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z};
}

/* The careful way has the linear part, too, which the product has already: that is taken off again. */
static void pull_careful(ParcelState *state, const ParcelElements *elements, int at, int end) {
    const Law *law = elements->law;
    pull_one_by_one(state, elements, at, end);
    for (; at < end; ++at) {
        Vec3 tension[LAW_ROWS];
        int e = elements->source[at];
        if (e < 0) {
            continue;
        }
        law->kind->stiffen(law, e, state->guess.z, state->guess.z, tension);
        const uint16_t *corner = parcel_corner(elements, at);
        for (int r = 0; r < CURVATURES; ++r) {
            const double *weights = law_weights(law, r, e);
            state->careful_energy +=
                0.5 * vec3_dot(tension[r], law_measure(law, r, e, state->guess.z));
            for (int c = 0; c < FIT_WIDTH; ++c) {
                pull_vertex(state, corner[c * PARCEL_GROUP], -weights[c], tension[r]);
            }
        }
    }
}

/* Of four elements. */
INLINE int most_corners(const double *number) {
    double most = number[0];
    for (int lane = 1; lane < LANES; ++lane) {
        most = number[lane] > most ? number[lane] : most;
    }
    return (int)most;
}

/* Energy of each. */
INLINE Lanes pull_curved(ParcelState *state, const ParcelElements *elements, int at,
                         const uint16_t *corner, const double *number) {
    Lanes3 g = {{0}, {0}, {0}}, b = g, c = g;
    const double *in_g = number + PARCEL_GROUP, *in_b = in_g + FIT_WIDTH * PARCEL_GROUP;
    const double *in_c = in_b + FIT_WIDTH * PARCEL_GROUP;
    int corners = most_corners(in_c + FIT_WIDTH * PARCEL_GROUP) * PARCEL_GROUP;
    for (int a = 0; a < corners; a += PARCEL_GROUP) {
        Lanes3 x = corner_at(state->place, corner + a);
        g = madd3(g, lanes_at(in_g + a), x);
        b = madd3(b, lanes_at(in_b + a), x);
        c = madd3(c, lanes_at(in_c + a), x);
    }
    Lanes3 normal = cross3(b, c);
    Lanes square = dot3(normal, normal);
    if (__builtin_expect(!all(square > NEARLY_NO_NORMAL), 0)) {
        pull_careful(state, elements, at, at + LANES);
        return (Lanes){0};
    }
    Lanes shrink = inverse_root(square);
    normal = scale3(shrink, normal);
    Lanes along = dot3(g, normal);
    Lanes3 turn = scale3(-shrink, madd3(g, -along, normal));
    Lanes3 at_b = cross3(turn, c), at_c = cross3(b, turn);
    for (int a = 0; a < corners; a += PARCEL_GROUP) {
        Lanes3 force = mix3(lanes_at(in_g + a), normal, lanes_at(in_b + a), at_b);
        pull_corner(state->pull, corner + a, madd3(force, lanes_at(in_c + a), at_c));
    }
    return lanes_at(number) - along;
}

/* Twice the energy. */
static double pull_all_curved(ParcelState *state, const ParcelElements *elements, int begin,
                              int end) {
    const uint16_t *corner = elements->corner + FIT_WIDTH * begin;
    const double *number = elements->number + CURVED_NUMBERS * begin;
    Lanes energy = {0};
    for (int at = begin; at < end; at += PARCEL_GROUP) {
        for (int lane = 0; lane < PARCEL_GROUP; lane += LANES) {
            energy += pull_curved(state, elements, at + lane, corner + lane, number + lane);
        }
        corner += FIT_WIDTH * PARCEL_GROUP;
        number += CURVED_NUMBERS * PARCEL_GROUP;
    }
    return 2.0 * total(energy);
}

#endif
