/* The dynamic state of a mirrored garment as bytes: a header that tells which of the two cloths is in use, and that
 * one's snapshot. The other one's state is taken over when it is next stepped, so it has none of its own. */
#include <string.h>

#include "garment/state.h"

#define MAGIC 0x4d534c4e47523031u /* "MSLNGR01" */

typedef struct GarmentHeader {
    uint64_t magic;
    uint64_t bytes; /* of the cloth's snapshot */
    uint64_t extra; /* of the extra parts', which follows it; 0 without */
    int32_t whole;  /* 1: of the whole cloth */
    int32_t solved_whole, whole_steps, unused;
} GarmentHeader;

/* The whole cloth has the extra parts in it. */
static size_t extra_bytes(const Garment *garment) {
    return garment->extras.cloth && garment_is_halved(garment)
               ? cloth_snapshot_size(garment->extras.cloth)
               : 0;
}

size_t garment_snapshot_size(const Garment *garment) {
    size_t bytes = cloth_snapshot_size(garment_active(garment));
    return garment->mode == MIRROR_OFF ? bytes
                                       : sizeof(GarmentHeader) + bytes + extra_bytes(garment);
}

void garment_snapshot(Garment *garment, void *bytes) {
    Cloth *active = garment_active(garment);
    if (garment->mode == MIRROR_OFF) {
        cloth_snapshot(active, bytes);
        return;
    }
    GarmentHeader header = {.magic = MAGIC,
                            .bytes = cloth_snapshot_size(active),
                            .extra = extra_bytes(garment),
                            .whole = active == garment->whole,
                            .solved_whole = garment->solved_whole,
                            .whole_steps = garment->whole_steps};
    unsigned char *to = bytes;
    memcpy(to, &header, sizeof header);
    cloth_snapshot(active, to + sizeof header);
    if (header.extra > 0) {
        cloth_snapshot(garment->extras.cloth, to + sizeof header + header.bytes);
    }
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
    if (header->magic != MAGIC || header->bytes > size - sizeof *header ||
        header->extra != size - sizeof *header - header->bytes ||
        (header->whole != 0 && header->whole != 1)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the bytes are no snapshot of a mirrored cloth");
    }
    return STATUS_OK;
}

/* The garment below the extra parts is put where it is before they are: so what they remember of it is good. */
static StatusCode restore_extras(Garment *garment, const void *bytes, size_t size, Status *status) {
    Extras *extras = &garment->extras;
    garment_get_state(garment, garment->floats, NULL);
    extras_place(extras, garment->floats);
    return cloth_restore(extras->cloth, bytes, size, status);
}

/* Looks before anything is changed. */
static StatusCode check(const Garment *garment, const Cloth *cloth, const GarmentHeader *header,
                        const unsigned char *state, Status *status) {
    const Cloth *extra = header->whole ? NULL : garment->extras.cloth;
    if ((extra != NULL) != (header->extra > 0)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot of this mesh");
    }
    StatusCode code = cloth_check_snapshot(cloth, state, header->bytes, status);
    return code == STATUS_OK && extra
               ? cloth_check_snapshot(extra, state + header->bytes, header->extra, status)
               : code;
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
    int other = cloth != garment_active(garment);
    if (check(garment, cloth, &header, state, status) != STATUS_OK ||
        (other && garment_put_in_use(garment, cloth, status) < 0) ||
        cloth_restore(cloth, state, header.bytes, status) != STATUS_OK) {
        return status->code;
    }
    atomic_store(&garment->active, cloth);
    garment->solved_whole = header.solved_whole;
    garment->whole_steps = header.whole_steps;
    if (header.extra == 0) {
        return STATUS_OK;
    }
    if (other) {
        bodies_put(garment, garment->extras.cloth);
    }
    return restore_extras(garment, state + header.bytes, header.extra, status);
}
