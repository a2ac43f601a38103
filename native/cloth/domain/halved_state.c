/* Putting a domain where the caller's vertices are. */
#include <string.h>

#include "cloth/domain/domain_state.h"

/* Of taking back lifts. */
#define TAKE_BACK_ROUNDS 8

/* --- state ------------------------------------------------------------------------------------ */

/* Vertices that are not where their partner's image is, or do not move so. A buttoned front is lifted on both
 * sides, and so never is. */
static Refusal find_lonely_places(const Domain *domain, const float *positions,
                                  const float *velocities) {
    Refusal found = {0};
    double tolerance = domain->half.symmetry.tolerance, seconds = 1.0 / 24;
    const MirrorFrame *frame = &domain->half.frame;
    for (int v = 0; v < domain->vertex_count && domain->mode == MIRROR_EXACT; ++v) {
        int partner = domain->partner[v];
        if (partner < v || domain->half.rides[v].rise != 0) {
            continue;
        }
        double apart =
            image_distance(domain, vector_at(positions, v), vector_at(positions, partner));
        if (velocities) {
            Vec3 image = frame_reflect_direction(frame, vector_at(velocities, v));
            double faster = vec3_distance(image, vector_at(velocities, partner));
            apart = faster * seconds > apart ? faster * seconds : apart;
        }
        if (apart > tolerance) {
            refusal_add(&found, v);
        }
    }
    return found;
}

/* By how much the button lifts a vertex, or in the mean the vertex and its partner, which gives the half's place. */
static double lift_of(const Domain *domain, int at) {
    const Half *half = &domain->half;
    int v = half->source[at], image = half->image[at];
    int partner = domain->mode == MIRROR_EXACT && image >= 0 ? image : v;
    return 0.5 * (half->rides[v].rise + half->placket.raised[v] + half->rides[partner].rise +
                  half->placket.raised[partner]);
}

/* Takes back by how much the button lies over or under the half. By how much depends on where the half is then, a
 * little: it is found by going back and forth. */
static void take_back_lifts(const Domain *domain, const float *positions, Vec3 *places) {
    const Half *half = &domain->half;
    for (int round = 0; half->gap > 0 && round < TAKE_BACK_ROUNDS; ++round) {
        half_prepare(half, simulation_pool(domain->halved), places);
        for (int i = 0; i < half->polygons.vertex_count; ++i) {
            const Ride *ride = half->source[i] >= 0 ? &half->rides[half->source[i]] : NULL;
            if (ride && ride->vertices[0] == i && ride->weights[0] == 1 && ride->rise != 0) {
                places[i] =
                    vec3_madd(mapping_value_of_floats(&domain->to_half, i, CARRY_PLACE, positions),
                              -lift_of(domain, i), half->placket.directions[i]);
            }
        }
    }
}

static void set_half_state(Domain *domain, const float *positions, const float *velocities) {
    int count = domain->half.polygons.vertex_count;
    for (int i = 0; i < count; ++i) {
        domain->room[i] = mapping_value_of_floats(&domain->to_half, i, CARRY_PLACE, positions);
    }
    take_back_lifts(domain, positions, domain->room);
    for (int i = 0; i < count; ++i) {
        set_vector(domain->floats, i, domain->room[i]);
        if (velocities) {
            set_vector(domain->more_floats, i,
                       mapping_value_of_floats(&domain->to_half, i, CARRY_DIRECTION, velocities));
        }
    }
    simulation_place(domain->halved, domain->floats, velocities ? domain->more_floats : NULL);
    if (domain->other.simulation) {
        other_side_set(&domain->other, &domain->half, positions);
    }
    if (domain->extras.simulation) {
        extras_set_state(&domain->extras, positions, velocities);
        extras_place(&domain->extras, positions);
    }
}

StatusCode domain_carry_down(Domain *domain, const float *positions, const float *velocities,
                             Status *status) {
    if (domain->mode == MIRROR_OFF) {
        simulation_place(domain->whole, positions, velocities);
        return STATUS_OK;
    }
    Refusal lonely = find_lonely_places(domain, positions, velocities);
    StatusCode code = STATUS_OK;
    if (lonely.count > 0) {
        code = tell_asymmetry(domain, &lonely, DETAIL_STATE_ASYMMETRIC,
                              "vertex is not where the image of its partner is, or moves "
                              "otherwise",
                              "vertices are not where the images of their partners are, or move "
                              "otherwise",
                              status);
        Status refused = {0};
        if (code >= 0 && domain_go_whole(domain, &refused) < 0) {
            *status = refused;
            code = refused.code;
        }
    }
    if (code < 0) {
        return code;
    }
    if (domain_is_halved(domain)) {
        set_half_state(domain, positions, velocities);
    } else {
        simulation_place(domain->whole, positions, velocities);
    }
    return code;
}

StatusCode domain_take_state(Domain *domain, const Domain *from, const float *positions,
                             const float *velocities, Status *status) {
    if (!domain_is_halved(domain) || !domain_is_halved(from)) {
        return domain_carry_down(domain, positions, velocities, status);
    }
    set_half_state(domain, positions, velocities);
    return STATUS_OK;
}
