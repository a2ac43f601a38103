/* The dynamic state of a mirrored cloth as bytes: a header that tells which of the two simulations is in use, and that
 * one's snapshot. The other one's state is taken over when it is next stepped, so it has none of its own. */
#include <string.h>

#include "cloth/domain/domain_state.h"

#define MAGIC 0x4d534c4e47523032u /* "MSLNGR02" */

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
static StatusCode check(const Domain *domain, const Simulation *simulation,
                        const DomainHeader *header, const unsigned char *state, Status *status) {
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
        check(domain, simulation, &header, state, status) != STATUS_OK ||
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
