/* The dynamic state of a mirrored garment as bytes: a header that tells which of the two cloths is in use, and that
 * one's snapshot. The other one's state is taken over when it is next stepped, so it has none of its own. */
#include <string.h>

#include "garment/state.h"

#define MAGIC 0x4d534c4e47523031u /* "MSLNGR01" */

typedef struct GarmentHeader {
    uint64_t magic;
    uint64_t bytes; /* of the cloth's snapshot */
    int32_t whole;  /* 1: of the whole cloth */
    int32_t solved_whole, whole_steps, unused;
} GarmentHeader;

size_t garment_snapshot_size(const Garment *garment) {
    size_t bytes = cloth_snapshot_size(garment_active(garment));
    return garment->mode == MIRROR_OFF ? bytes : sizeof(GarmentHeader) + bytes;
}

void garment_snapshot(Garment *garment, void *bytes) {
    Cloth *active = garment_active(garment);
    if (garment->mode == MIRROR_OFF) {
        cloth_snapshot(active, bytes);
        return;
    }
    GarmentHeader header = {.magic = MAGIC,
                            .bytes = cloth_snapshot_size(active),
                            .whole = active == garment->whole,
                            .solved_whole = garment->solved_whole,
                            .whole_steps = garment->whole_steps};
    memcpy(bytes, &header, sizeof header);
    cloth_snapshot(active, (unsigned char *)bytes + sizeof header);
}

static StatusCode read_header(const void *bytes, size_t size, GarmentHeader *header,
                              Status *status) {
    if (size < sizeof *header) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "a snapshot of a mirrored cloth has at least %zu bytes, but %zu were "
                          "given",
                          sizeof *header, size);
    }
    memcpy(header, bytes, sizeof *header);
    if (header->magic != MAGIC || header->bytes != size - sizeof *header ||
        (header->whole != 0 && header->whole != 1)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the bytes are no snapshot of a mirrored cloth");
    }
    return STATUS_OK;
}

/* A cloth that was not in use gets the pins, maps, forces and bodies as they are now. */
static StatusCode put_in_use(Garment *garment, Cloth *cloth, Status *status) {
    if (cloth == garment_active(garment)) {
        return STATUS_OK;
    }
    Status told = {0};
    if (pins_push(garment, cloth, garment_pins(garment), &told) < 0) {
        *status = told;
        return status->code;
    }
    scales_push(garment, cloth);
    forces_push(garment, cloth);
    bodies_put(garment, cloth);
    return STATUS_OK;
}

StatusCode garment_restore(Garment *garment, const void *bytes, size_t size, Status *status) {
    if (garment->mode == MIRROR_OFF) {
        return cloth_restore(garment->whole, bytes, size, status);
    }
    GarmentHeader header;
    if (read_header(bytes, size, &header, status) != STATUS_OK ||
        (header.whole && garment_need_whole(garment, status) < 0)) {
        return status->code;
    }
    const unsigned char *state = (const unsigned char *)bytes + sizeof header;
    Cloth *cloth = header.whole ? garment->whole : garment->halved;
    if (cloth_check_snapshot(cloth, state, size - sizeof header, status) != STATUS_OK ||
        put_in_use(garment, cloth, status) != STATUS_OK ||
        cloth_restore(cloth, state, size - sizeof header, status) != STATUS_OK) {
        return status->code;
    }
    atomic_store(&garment->active, cloth);
    garment->solved_whole = header.solved_whole;
    garment->whole_steps = header.whole_steps;
    return STATUS_OK;
}
