/* The wide kernel of the bending law, for hinges that are folded at rest. Part of the template system/parcel_forces.c. */
#pragma once

#include "laws/bending.h"
#include "laws/kernel_lanes.h"

/* Areas, m^4, and bisectors, squared, below which a hinge is evaluated by itself. */
#define NO_AREA 1e-100
#define NEARLY_SHUT 1e-8

/* Twice the energy of each. */
GROUP_KERNEL Lanes pull_hinges(ParcelState *state, const ParcelElements *elements, int at) {
    const uint16_t *corner = elements->corner + 4 * at;
    const double *number = elements->number + HINGE_NUMBERS * at;
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
        pull_one_by_one(state, elements, at, at + LANES);
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

static double pull_all_hinges(ParcelState *state, const ParcelElements *elements, int begin,
                              int end) {
    return lanes_groups(state, elements, begin, end, pull_hinges);
}
