/* The dynamic state of a mirrored cloth as bytes: a header that tells which of the two simulations is in use, and that
 * one's snapshot. The other one's state is taken over when it is next stepped, so it has none of its own. */
#include <string.h>

#include "cloth/state.h"

#define MAGIC 0x4d534c4e47523032u /* "MSLNGR02" */

typedef struct ClothHeader {
    uint64_t magic;
    uint64_t bytes; /* of the simulation's snapshot */
    uint64_t other; /* of the other side's, which follows it; 0 without */
    uint64_t extra; /* of the extra parts', which follows that; 0 without */
    int32_t whole;  /* 1: of the whole simulation */
    int32_t solved_whole, whole_steps, unused;
} ClothHeader;

/* The whole simulation has the other side and the extra parts in it. */
static size_t bytes_beside(const Cloth *cloth, const Simulation *simulation) {
    return simulation && cloth_is_halved(cloth) ? simulation_snapshot_size(simulation) : 0;
}

size_t cloth_snapshot_size(const Cloth *cloth) {
    size_t bytes = simulation_snapshot_size(cloth_active(cloth));
    return cloth->mode == MIRROR_OFF
               ? bytes
               : sizeof(ClothHeader) + bytes + bytes_beside(cloth, cloth->other.simulation) +
                     bytes_beside(cloth, cloth->extras.simulation);
}

void cloth_snapshot(Cloth *cloth, void *bytes) {
    Simulation *active = cloth_active(cloth);
    if (cloth->mode == MIRROR_OFF) {
        simulation_snapshot(active, bytes);
        return;
    }
    ClothHeader header = {.magic = MAGIC,
                          .bytes = simulation_snapshot_size(active),
                          .other = bytes_beside(cloth, cloth->other.simulation),
                          .extra = bytes_beside(cloth, cloth->extras.simulation),
                          .whole = active == cloth->whole,
                          .solved_whole = cloth->solved_whole,
                          .whole_steps = cloth->whole_steps};
    unsigned char *to = bytes;
    memcpy(to, &header, sizeof header);
    simulation_snapshot(active, to + sizeof header);
    to += sizeof header + header.bytes;
    if (header.other > 0) {
        simulation_snapshot(cloth->other.simulation, to);
    }
    if (header.extra > 0) {
        simulation_snapshot(cloth->extras.simulation, to + header.other);
    }
}

static StatusCode read_header(const void *bytes, size_t size, ClothHeader *header, Status *status) {
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
static StatusCode restore_extras(Cloth *cloth, const void *bytes, size_t size, Status *status) {
    Extras *extras = &cloth->extras;
    cloth_get_state(cloth, cloth->floats, NULL);
    extras_place(extras, cloth->floats);
    return simulation_restore(extras->simulation, bytes, size, status);
}

/* Of a simulation beside the half, which is null where there is none. */
static StatusCode check_beside(const Simulation *simulation, const unsigned char *state,
                               uint64_t bytes, Status *status) {
    if ((simulation != NULL) != (bytes > 0)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot of this mesh");
    }
    return simulation ? simulation_check_snapshot(simulation, state, bytes, status) : STATUS_OK;
}

/* Looks before anything is changed. */
static StatusCode check(const Cloth *cloth, const Simulation *simulation, const ClothHeader *header,
                        const unsigned char *state, Status *status) {
    const Simulation *other = header->whole ? NULL : cloth->other.simulation;
    const Simulation *extra = header->whole ? NULL : cloth->extras.simulation;
    const unsigned char *beside = state + header->bytes;
    if (check_beside(other, beside, header->other, status) != STATUS_OK ||
        check_beside(extra, beside + header->other, header->extra, status) != STATUS_OK) {
        return status->code;
    }
    return simulation_check_snapshot(simulation, state, header->bytes, status);
}

StatusCode cloth_restore(Cloth *cloth, const void *bytes, size_t size, Status *status) {
    if (cloth->mode == MIRROR_OFF) {
        return simulation_restore(cloth->whole, bytes, size, status);
    }
    ClothHeader header;
    if (read_header(bytes, size, &header, status) != STATUS_OK ||
        (header.whole && cloth_need_whole(cloth, status) < 0)) {
        return status->code;
    }
    const unsigned char *state = (const unsigned char *)bytes + sizeof header;
    Simulation *simulation = header.whole ? cloth->whole : cloth->halved;
    bool other = simulation != cloth_active(cloth);
    if (check(cloth, simulation, &header, state, status) != STATUS_OK ||
        (other && cloth_put_in_use(cloth, simulation, status) < 0) ||
        simulation_restore(simulation, state, header.bytes, status) != STATUS_OK) {
        return status->code;
    }
    cloth->active = simulation;
    cloth->solved_whole = header.solved_whole;
    cloth->whole_steps = header.whole_steps;
    state += header.bytes;
    if (header.other > 0) {
        bodies_put(cloth, cloth->other.simulation);
        if (simulation_restore(cloth->other.simulation, state, header.other, status) < 0) {
            return status->code;
        }
    }
    if (header.extra == 0) {
        return STATUS_OK;
    }
    if (other) {
        bodies_put(cloth, cloth->extras.simulation);
    }
    return restore_extras(cloth, state + header.other, header.extra, status);
}
