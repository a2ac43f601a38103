/* The dynamic state of a mirrored cloth as bytes: a header that tells which of the two simulations is in use, and that
 * one's snapshot. The other one's state is taken over when it is next stepped, so it has none of its own. */
#include <string.h>

#include "cloth/state.h"

#define MAGIC 0x4d534c4e47523031u /* "MSLNGR01" */

typedef struct ClothHeader {
    uint64_t magic;
    uint64_t bytes; /* of the simulation's snapshot */
    uint64_t extra; /* of the extra parts', which follows it; 0 without */
    int32_t whole;  /* 1: of the whole simulation */
    int32_t solved_whole, whole_steps, unused;
} ClothHeader;

/* The whole simulation has the extra parts in it. */
static size_t extra_bytes(const Cloth *cloth) {
    return cloth->extras.simulation && cloth_is_halved(cloth)
               ? simulation_snapshot_size(cloth->extras.simulation)
               : 0;
}

size_t cloth_snapshot_size(const Cloth *cloth) {
    size_t bytes = simulation_snapshot_size(cloth_active(cloth));
    return cloth->mode == MIRROR_OFF ? bytes : sizeof(ClothHeader) + bytes + extra_bytes(cloth);
}

void cloth_snapshot(Cloth *cloth, void *bytes) {
    Simulation *active = cloth_active(cloth);
    if (cloth->mode == MIRROR_OFF) {
        simulation_snapshot(active, bytes);
        return;
    }
    ClothHeader header = {.magic = MAGIC,
                          .bytes = simulation_snapshot_size(active),
                          .extra = extra_bytes(cloth),
                          .whole = active == cloth->whole,
                          .solved_whole = cloth->solved_whole,
                          .whole_steps = cloth->whole_steps};
    unsigned char *to = bytes;
    memcpy(to, &header, sizeof header);
    simulation_snapshot(active, to + sizeof header);
    if (header.extra > 0) {
        simulation_snapshot(cloth->extras.simulation, to + sizeof header + header.bytes);
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
    if (header->magic != MAGIC || header->bytes > size - sizeof *header ||
        header->extra != size - sizeof *header - header->bytes ||
        (header->whole != 0 && header->whole != 1)) {
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

/* Looks before anything is changed. */
static StatusCode check(const Cloth *cloth, const Simulation *simulation, const ClothHeader *header,
                        const unsigned char *state, Status *status) {
    const Simulation *extra = header->whole ? NULL : cloth->extras.simulation;
    if ((extra != NULL) != (header->extra > 0)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot of this mesh");
    }
    StatusCode code = simulation_check_snapshot(simulation, state, header->bytes, status);
    return code == STATUS_OK && extra
               ? simulation_check_snapshot(extra, state + header->bytes, header->extra, status)
               : code;
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
    atomic_store(&cloth->active, simulation);
    cloth->solved_whole = header.solved_whole;
    cloth->whole_steps = header.whole_steps;
    if (header.extra == 0) {
        return STATUS_OK;
    }
    if (other) {
        bodies_put(cloth, cloth->extras.simulation);
    }
    return restore_extras(cloth, state + header.bytes, header.extra, status);
}
