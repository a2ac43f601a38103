/* The kernel of edge springs, for the linear and the tension-only response: evaluate() of edge.c one by one, but without a
 * call and a search in the response curve for each. Part of the template system/parcel_forces.c. */
#pragma once

#include "laws/edge.h"
#include "laws/kernel_lanes.h"

/* Returns its energy, J. */
INLINE double pull_edge(ParcelState *state, const EdgeLaw *edges, int e, const uint16_t *corner,
                        const bool tension_only) {
    Vec3 now = edge_vector(&edges->law, state->guess.z, e), target;
    double length = vec3_length(now), rest = edges->rest_length[e];
    if (tension_only && length < rest) {
        target = now;
    } else if (__builtin_expect(length > VEC3_TINY, 1)) {
        target = vec3_scale(rest / length, now);
    } else {
        Vec3 before = edge_vector(&edges->law, state->guess.present, e);
        target = vec3_scale(rest, vec3_unit_or(before, edges->rest_direction[e]));
    }
    Vec3 pull = vec3_sub(target, now), tension = vec3_scale(edges->stiffness[e], pull);
    pull_vertex(state, corner[0], -1.0, tension);
    pull_vertex(state, corner[PARCEL_GROUP], 1.0, tension);
    return 0.5 * edges->stiffness[e] * vec3_dot(pull, pull);
}

INLINE double pull_edges(ParcelState *state, const ParcelElements *elements, int begin, int end,
                         const bool tension_only) {
    const EdgeLaw *edges = edge_law(elements->law);
    double energy = state->scalar_energy;
    for (int at = begin; at < end && elements->source[at] >= 0; ++at) {
        energy += pull_edge(state, edges, elements->source[at], parcel_corner(elements, at),
                            tension_only);
    }
    return energy;
}

static double pull_all_edges(ParcelState *state, const ParcelElements *elements, int begin,
                             int end) {
    const Response *response = edge_law(elements->law)->response;
    if (response == &response_linear) {
        state->scalar_energy = pull_edges(state, elements, begin, end, false);
    } else if (response == &response_tension_only) {
        state->scalar_energy = pull_edges(state, elements, begin, end, true);
    } else {
        pull_one_by_one(state, elements, begin, end);
    }
    return 0.0;
}
