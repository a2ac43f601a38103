/* Where a domain is: in the caller's arrays, from these, and as bytes. */
#include <string.h>

#include "cloth/domain/asymmetry.h"
#include "cloth/domain/give.h"
#include "cloth/domain/whole.h"

/* Of taking back lifts. */
#define TAKE_BACK_ROUNDS 8

#define MAGIC 0x4d534c4e47523032u /* "MSLNGR02" */

/* --- arrays ----------------------------------------------------------------------------------- */

void domain_carry_up(const Domain *domain, float *positions, float *velocities) {
    if (!domain_is_halved(domain)) {
        simulation_copy_state(domain->whole, positions, velocities);
        return;
    }
    half_carry(&domain->half, simulation_pool(domain->halved), simulation_positions(domain->halved),
               positions);
    if (domain->other.simulation) {
        other_side_get(&domain->other, &domain->half, positions);
    }
    if (velocities) {
        half_carry_velocities(&domain->half, simulation_velocities(domain->halved), velocities);
    }
    extras_get_state(&domain->extras, positions, velocities);
}

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

/* --- snapshots -------------------------------------------------------------------------------- */

/* A header that tells which of the two simulations is in use, and that one's snapshot. The other one's state is taken over when
 * it is next stepped, so it has none of its own. */
typedef struct DomainHeader {
    uint64_t magic;
    uint64_t bytes; /* of the simulation's snapshot */
    uint64_t other; /* of the other side's, which follows it; 0 without */
    uint64_t extra; /* of the extra parts', which follows that; 0 without */
    int32_t whole;  /* 1: of the whole simulation */
    int32_t solved_whole, whole_steps, unused;
} DomainHeader;

/* The whole simulation has the other side and the extra parts in it. */
static size_t bytes_beside(const Domain *domain, const Simulation *simulation) {
    return simulation && domain_is_halved(domain) ? simulation_state_bytes(simulation) : 0;
}

size_t domain_pack_size(const Domain *domain) {
    size_t bytes = simulation_state_bytes(domain_active(domain));
    return domain->mode == MIRROR_OFF
               ? bytes
               : sizeof(DomainHeader) + bytes + bytes_beside(domain, domain->other.simulation) +
                     bytes_beside(domain, domain->extras.simulation);
}

void domain_pack(Domain *domain, void *bytes) {
    Simulation *active = domain_active(domain);
    if (domain->mode == MIRROR_OFF) {
        simulation_write_state(active, bytes);
        return;
    }
    DomainHeader header = {.magic = MAGIC,
                           .bytes = simulation_state_bytes(active),
                           .other = bytes_beside(domain, domain->other.simulation),
                           .extra = bytes_beside(domain, domain->extras.simulation),
                           .whole = active == domain->whole,
                           .solved_whole = domain->solved_whole,
                           .whole_steps = domain->whole_steps};
    unsigned char *to = bytes;
    memcpy(to, &header, sizeof header);
    simulation_write_state(active, to + sizeof header);
    to += sizeof header + header.bytes;
    if (header.other > 0) {
        simulation_write_state(domain->other.simulation, to);
    }
    if (header.extra > 0) {
        simulation_write_state(domain->extras.simulation, to + header.other);
    }
}

static StatusCode read_header(const void *bytes, size_t size, DomainHeader *header,
                              Status *status) {
    if (size < sizeof *header) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "a snapshot of a mirrored cloth has at least %zu bytes, but %zu were "
                          "given",
                          sizeof *header, size);
    }
    memcpy(header, bytes, sizeof *header);
    size_t left = size - sizeof *header;
    if (header->magic != MAGIC || header->bytes > left || header->other > left - header->bytes ||
        header->extra != left - header->bytes - header->other ||
        (header->whole != 0 && header->whole != 1) ||
        (header->solved_whole != 0 && header->solved_whole != 1) || header->whole_steps < 0 ||
        header->whole_steps == INT32_MAX) { /* it is counted on */
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the bytes are no snapshot of a mirrored cloth");
    }
    return STATUS_OK;
}

/* The cloth below the extra parts is put where it is before they are: so what they remember of it is good. */
static StatusCode restore_extras(Domain *domain, const void *bytes, size_t size, Status *status) {
    Extras *extras = &domain->extras;
    domain_carry_up(domain, domain->floats, NULL);
    extras_place(extras, domain->floats);
    return simulation_read_state(extras->simulation, bytes, size, status);
}

/* Of a simulation beside the half, which is null where there is none. */
static StatusCode check_beside(const Simulation *simulation, const unsigned char *state,
                               uint64_t bytes, Status *status) {
    if ((simulation != NULL) != (bytes > 0)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot of this mesh");
    }
    return simulation ? simulation_check_state(simulation, state, bytes, status) : STATUS_OK;
}

/* Looks before anything is changed. */
static StatusCode check_states(const Domain *domain, const Simulation *simulation,
                               const DomainHeader *header, const unsigned char *state,
                               Status *status) {
    const Simulation *other = header->whole ? NULL : domain->other.simulation;
    const Simulation *extra = header->whole ? NULL : domain->extras.simulation;
    const unsigned char *beside = state + header->bytes;
    if (check_beside(other, beside, header->other, status) != STATUS_OK ||
        check_beside(extra, beside + header->other, header->extra, status) != STATUS_OK) {
        return status->code;
    }
    return simulation_check_state(simulation, state, header->bytes, status);
}

StatusCode domain_unpack(Domain *domain, const void *bytes, size_t size, Status *status) {
    if (domain->mode == MIRROR_OFF) {
        return simulation_read_state(domain->whole, bytes, size, status);
    }
    DomainHeader header;
    if (read_header(bytes, size, &header, status) != STATUS_OK ||
        (header.whole && domain_need_whole(domain, status) < 0)) {
        return status->code;
    }
    const unsigned char *state = (const unsigned char *)bytes + sizeof header;
    Simulation *simulation = header.whole ? domain->whole : domain->halved;
    bool other = simulation != domain_active(domain);
    if (domain_link_half(domain, status) < 0 ||
        check_states(domain, simulation, &header, state, status) != STATUS_OK ||
        (other && domain_put_in_use(domain, simulation, status) < 0) ||
        simulation_read_state(simulation, state, header.bytes, status) != STATUS_OK) {
        return status->code;
    }
    domain->active = simulation;
    domain->solved_whole = header.solved_whole;
    domain->whole_steps = header.whole_steps;
    domain_note_released(domain);
    state += header.bytes;
    if (header.other > 0) {
        bodies_put(domain, domain->other.simulation);
        if (simulation_read_state(domain->other.simulation, state, header.other, status) < 0) {
            return status->code;
        }
    }
    if (header.extra == 0) {
        return STATUS_OK;
    }
    if (other) {
        bodies_put(domain, domain->extras.simulation);
    }
    return restore_extras(domain, state + header.other, header.extra, status);
}
