/* The kernel of curved rest shapes: what is left of their energy beside the product of linear forces, constant - g.n
 * with n along b x c. One element after the other, two coordinates at a time: four at once have more sums than there are
 * registers. Part of the template parcel_kernels.h. */
#ifndef MODEL_CURVATURE_KERNEL_H
#define MODEL_CURVATURE_KERNEL_H

#include "model/curvature.h"
#include "model/parcel_lanes.h"

/* b x c, squared, below which an element goes the careful way: tangents are of length 1 at rest. */
#define NEARLY_NO_NORMAL 1e-8

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

/* A vector as the places lie: x and y, z and what fills up. */
typedef struct Pairs {
    Pair xy, z;
} Pairs;

INLINE Pairs pairs_of(Vec3 v) { return (Pairs){{v.x, v.y}, {v.z, 0}}; }
INLINE Vec3 vector_of(Pairs p) { return vec3(p.xy[0], p.xy[1], p.z[0]); }

/* Returns its energy, J. */
INLINE double pull_curved(ParcelState *state, const ParcelElements *elements, int at,
                          const uint16_t *corner, const double *number) {
    const double *weights = number + 2 * PARCEL_GROUP;
    int corners = (int)number[PARCEL_GROUP];
    Pairs g = {{0}, {0}}, b = g, c = g;
    for (int a = 0; a < corners; ++a) {
        const double *x = moved(state->place, corner[a * PARCEL_GROUP]);
        const double *weight = weights + 3 * PARCEL_GROUP * a;
        Pair xy = pair_at(x), z = pair_at(x + 2);
        g.xy += weight[0] * xy;
        g.z += weight[0] * z;
        b.xy += weight[PARCEL_GROUP] * xy;
        b.z += weight[PARCEL_GROUP] * z;
        c.xy += weight[2 * PARCEL_GROUP] * xy;
        c.z += weight[2 * PARCEL_GROUP] * z;
    }
    Vec3 at_g = vector_of(g), at_b = vector_of(b), at_c = vector_of(c);
    Vec3 normal = vec3_cross(at_b, at_c);
    double square = vec3_dot(normal, normal);
    if (__builtin_expect(!(square > NEARLY_NO_NORMAL), 0)) {
        pull_careful(state, elements, at, at + 1);
        return 0;
    }
    double shrink = 1.0 / sqrt(square);
    normal = vec3_scale(shrink, normal);
    double along = vec3_dot(at_g, normal);
    Vec3 turn = vec3_scale(-shrink, vec3_madd(at_g, -along, normal));
    g = pairs_of(normal);
    b = pairs_of(vec3_cross(turn, at_c));
    c = pairs_of(vec3_cross(at_b, turn));
    for (int a = 0; a < corners; ++a) {
        double *pull = moved(state->pull, corner[a * PARCEL_GROUP]);
        const double *weight = weights + 3 * PARCEL_GROUP * a;
        *(Pair *)pull +=
            weight[0] * g.xy + weight[PARCEL_GROUP] * b.xy + weight[2 * PARCEL_GROUP] * c.xy;
        *(Pair *)(pull + 2) +=
            weight[0] * g.z + weight[PARCEL_GROUP] * b.z + weight[2 * PARCEL_GROUP] * c.z;
    }
    return number[0] - along;
}

/* Twice the energy. */
static double pull_all_curved(ParcelState *state, const ParcelElements *elements, int begin,
                              int end) {
    double energy = 0;
    for (int at = begin; at < end && elements->source[at] >= 0; ++at) {
        int lane = at % PARCEL_GROUP, first = at - lane;
        energy += pull_curved(state, elements, at, elements->corner + FIT_WIDTH * first + lane,
                              elements->number + CURVED_NUMBERS * first + lane);
    }
    return 2.0 * energy;
}

#endif
