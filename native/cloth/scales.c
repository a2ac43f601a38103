/* Per-vertex maps and the state, in the caller's terms. */
#include <string.h>

#include "cloth/state.h"

/* Factors of partners may differ by this share of the larger one. */
#define SAME_SCALE 1e-4

/* Of taking back lifts. */
#define TAKE_BACK_ROUNDS 8

/* --- maps ------------------------------------------------------------------------------------- */

/* What a vertex has after these are given. */
static float scale_at(const Cloth *cloth, const GivenScales *scales, int kind, int vertex) {
    return scales->given[kind] ? given_scale(scales, kind, vertex) : cloth->scales[kind][vertex];
}

static Refusal find_lonely_scales(const Cloth *cloth, const GivenScales *scales) {
    Refusal found = {0};
    for (int v = 0; v < cloth->vertex_count && cloth->mode == MIRROR_EXACT; ++v) {
        int partner = cloth->partner[v], differs = 0;
        for (int s = 0; s < SCALE_KINDS && partner > v; ++s) {
            double a = scale_at(cloth, scales, s, v), b = scale_at(cloth, scales, s, partner);
            differs |= fabs(a - b) > SAME_SCALE * (a > b ? a : b);
        }
        if (differs) {
            refusal_add(&found, v);
        }
    }
    return found;
}

StatusCode cloth_set_scales(Cloth *cloth, const GivenScales *scales, Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        simulation_set_scales(cloth->whole, scales);
        return STATUS_OK;
    }
    Refusal lonely = find_lonely_scales(cloth, scales);
    StatusCode code = STATUS_OK;
    if (lonely.count > 0) {
        code = tell_asymmetry(
            cloth, &lonely, DETAIL_MAPS_ASYMMETRIC,
            "vertex has another mass, stretch, bend or size than its partner",
            "vertices have another mass, stretch, bend or size than their partners", status);
    }
    if (code < 0) {
        return code;
    }
    for (int s = 0; s < SCALE_KINDS; ++s) {
        for (int v = 0; v < cloth->vertex_count; ++v) {
            cloth->scales[s][v] = scale_at(cloth, scales, s, v);
        }
    }
    ++cloth->scales_version;
    if (cloth->extras.simulation) {
        extras_set_scales(&cloth->extras, cloth->scales);
    }
    if (lonely.count == 0 || !cloth_is_halved(cloth)) {
        scales_push(cloth, cloth_active(cloth));
    }
    set_asymmetry(cloth, ASYMMETRIC_SCALES, lonely.count > 0);
    return code;
}

/* --- state ------------------------------------------------------------------------------------ */

/* Vertices that are not where their partner's image is, or do not move so. A buttoned front is lifted on both
 * sides, and so never is. */
static Refusal find_lonely_places(const Cloth *cloth, const float *positions,
                                  const float *velocities) {
    Refusal found = {0};
    double tolerance = cloth->half.symmetry.tolerance, seconds = 1.0 / 24;
    const MirrorFrame *frame = &cloth->half.frame;
    for (int v = 0; v < cloth->vertex_count && cloth->mode == MIRROR_EXACT; ++v) {
        int partner = cloth->partner[v];
        if (partner < v || cloth->half.rides[v].rise != 0) {
            continue;
        }
        double apart =
            image_distance(cloth, vector_at(positions, v), vector_at(positions, partner));
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
static double lift_of(const Cloth *cloth, int at) {
    const Half *half = &cloth->half;
    int v = half->source[at], image = half->image[at];
    int partner = cloth->mode == MIRROR_EXACT && image >= 0 ? image : v;
    return 0.5 * (half->rides[v].rise + half->placket.raised[v] + half->rides[partner].rise +
                  half->placket.raised[partner]);
}

/* Takes back by how much the button lies over or under the half. By how much depends on where the half is then, a
 * little: it is found by going back and forth. */
static void take_back_lifts(const Cloth *cloth, const float *positions, Vec3 *places) {
    const Half *half = &cloth->half;
    for (int round = 0; half->gap > 0 && round < TAKE_BACK_ROUNDS; ++round) {
        half_prepare(half, simulation_pool(cloth->halved), places);
        for (int i = 0; i < half->polygons.vertex_count; ++i) {
            const Ride *ride = half->source[i] >= 0 ? &half->rides[half->source[i]] : NULL;
            if (ride && ride->vertices[0] == i && ride->weights[0] == 1 && ride->rise != 0) {
                places[i] = vec3_madd(half_value_of_floats(cloth, i, CARRY_PLACE, positions),
                                      -lift_of(cloth, i), half->placket.directions[i]);
            }
        }
    }
}

static void set_half_state(Cloth *cloth, const float *positions, const float *velocities) {
    int count = cloth->half.polygons.vertex_count;
    for (int i = 0; i < count; ++i) {
        cloth->room[i] = half_value_of_floats(cloth, i, CARRY_PLACE, positions);
    }
    take_back_lifts(cloth, positions, cloth->room);
    for (int i = 0; i < count; ++i) {
        set_vector(cloth->floats, i, cloth->room[i]);
        if (velocities) {
            set_vector(cloth->more_floats, i,
                       half_value_of_floats(cloth, i, CARRY_DIRECTION, velocities));
        }
    }
    simulation_set_state(cloth->halved, cloth->floats, velocities ? cloth->more_floats : NULL);
    if (cloth->other.simulation) {
        other_side_set(&cloth->other, &cloth->half, positions);
    }
    if (cloth->extras.simulation) {
        extras_set_state(&cloth->extras, positions, velocities);
        extras_place(&cloth->extras, positions);
    }
}

StatusCode cloth_set_state(Cloth *cloth, const float *positions, const float *velocities,
                           Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        simulation_set_state(cloth->whole, positions, velocities);
        return STATUS_OK;
    }
    Refusal lonely = find_lonely_places(cloth, positions, velocities);
    StatusCode code = STATUS_OK;
    if (lonely.count > 0) {
        code = tell_asymmetry(cloth, &lonely, DETAIL_STATE_ASYMMETRIC,
                              "vertex is not where the image of its partner is, or moves "
                              "otherwise",
                              "vertices are not where the images of their partners are, or move "
                              "otherwise",
                              status);
        Status refused = {0};
        if (code >= 0 && cloth_go_whole(cloth, &refused) < 0) {
            *status = refused;
            code = refused.code;
        }
    }
    if (code < 0) {
        return code;
    }
    if (cloth_is_halved(cloth)) {
        set_half_state(cloth, positions, velocities);
    } else {
        simulation_set_state(cloth->whole, positions, velocities);
    }
    return code;
}

StatusCode cloth_take_state(Cloth *cloth, const Cloth *from, const float *positions,
                            const float *velocities, Status *status) {
    if (!cloth_is_halved(cloth) || !cloth_is_halved(from)) {
        return cloth_set_state(cloth, positions, velocities, status);
    }
    set_half_state(cloth, positions, velocities);
    return STATUS_OK;
}
