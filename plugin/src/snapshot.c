/* Snapshots as callers keep them: the state's bytes behind a seal, which tells what they are, of which version, how many,
 * and whether any of them has changed. */
#include <string.h>

#include "cloth/cloth.h"
#include "handle.h"
#include "muslin.h"
#include "validate.h"

#define MAGIC 0x4d534c4e5345414cu /* "MSLNSEAL" */
#define VERSION 1                 /* of all that is behind the seal; grows whenever that changes */

typedef struct Seal {
    uint64_t magic;
    uint32_t version, unused;
    uint64_t size;     /* bytes behind the seal */
    uint64_t checksum; /* of them and of the seal before it */
} Seal;

/* Each step maps words to sums, and sums to sums, one to one: whatever has changed within eight bytes of a file changes its
 * sum, and anything else does but for one chance in 2^64. */
static uint64_t mixed(uint64_t sum, uint64_t word) {
    sum = (sum ^ word) * 0x9e3779b97f4a7c15u; /* odd; the fraction of the golden section */
    return sum ^ (sum >> 32);
}

static uint64_t sum_of(uint64_t sum, const unsigned char *bytes, size_t size) {
    for (size_t at = 0; at < size; at += sizeof(uint64_t)) {
        uint64_t word = 0;
        size_t left = size - at;
        memcpy(&word, bytes + at, left < sizeof word ? left : sizeof word);
        sum = mixed(sum, word);
    }
    return sum;
}

static uint64_t checksum_of(const Seal *seal, const unsigned char *state) {
    uint64_t sum = sum_of(0, (const unsigned char *)seal, offsetof(Seal, checksum));
    return sum_of(sum, state, seal->size);
}

static StatusCode check_seal(const void *bytes, size_t size, Status *status) {
    Seal seal;
    if (size < sizeof seal) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "%zu bytes are no snapshot", size);
    }
    memcpy(&seal, bytes, sizeof seal);
    if (seal.magic != MAGIC) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot");
    }
    if (seal.version != VERSION) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot is of version %u, but this Muslin reads version %d",
                          seal.version, VERSION);
    }
    if (seal.size != size - sizeof seal) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot had %llu bytes, but %zu were given",
                          (unsigned long long)seal.size + sizeof seal, size);
    }
    if (seal.checksum != checksum_of(&seal, (const unsigned char *)bytes + sizeof seal)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot is damaged: its bytes are not those that were written");
    }
    return STATUS_OK;
}

MuslinStatus muslin_cloth_get_snapshot_size(MuslinCloth handle, size_t *bytes) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(bytes ? STATUS_OK : refuse_null(status, "bytes"));
    *bytes = sizeof(Seal) + cloth_snapshot_size(cloth);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_get_snapshot(MuslinCloth handle, void *bytes, size_t capacity) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(bytes ? STATUS_OK : refuse_null(status, "bytes"));
    Seal seal = {.magic = MAGIC, .version = VERSION, .size = cloth_snapshot_size(cloth)};
    size_t size = sizeof seal + seal.size;
    if (capacity < size) {
        return public_status(REFUSE(status, DETAIL_COUNT, "capacity", (double)capacity,
                                    (double)size, "a snapshot takes %zu bytes, but %zu were given",
                                    size, capacity));
    }
    unsigned char *state = (unsigned char *)bytes + sizeof seal;
    cloth_snapshot(cloth, state);
    seal.checksum = checksum_of(&seal, state);
    memcpy(bytes, &seal, sizeof seal);
    return MUSLIN_OK;
}

MuslinStatus muslin_cloth_restore(MuslinCloth handle, const void *bytes, size_t size) {
    WITH_CLOTH(handle, cloth, status);
    RETURN_IF_REFUSED(bytes ? STATUS_OK : refuse_null(status, "bytes"));
    RETURN_IF_REFUSED(check_seal(bytes, size, status));
    return public_status(cloth_restore(cloth, (const unsigned char *)bytes + sizeof(Seal),
                                       size - sizeof(Seal), status));
}
