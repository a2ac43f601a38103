/* The dynamic state as bytes, in this machine's byte order: header, then present and past positions
 * velocities and contacts in double precision, so that continuing gives the same bytes as not stopping. */
#include <string.h>

#include "cloth/state.h"

#define MAGIC 0x4d534c4e53483034u /* "MSLNSH04" */

typedef struct SnapshotHeader {
    uint64_t magic, fingerprint;
    int64_t vertex_count;
    double history_length;
    uint64_t places; /* of the bodies that the memory of contacts belongs to; 0 if it is not good */
} SnapshotHeader;

static size_t array_bytes(const Cloth *cloth) {
    return (size_t)cloth->mesh.vertex_count * sizeof(Vec3);
}

/* positions of each remembered state, velocities of two, targets of pins */
#define ARRAYS (GUESS_HISTORY + 3)

static Vec3 *array_at(const Cloth *cloth, int index) {
    return index < GUESS_HISTORY        ? cloth->past[index]
           : index == GUESS_HISTORY     ? cloth->velocity
           : index == GUESS_HISTORY + 1 ? cloth->velocity_before
                                        : cloth->system.target;
}

size_t cloth_snapshot_size(const Cloth *cloth) {
    return sizeof(SnapshotHeader) + (ARRAYS + 1) * array_bytes(cloth);
}

/* The state alone decides what follows, so a factor with a history of its own has to go: here and when
 * the bytes come back. */
void cloth_snapshot(Cloth *cloth, void *bytes) {
    cloth->solver->settle(cloth->solver);
    unsigned char *to = bytes;
    SnapshotHeader header = {MAGIC, cloth->fingerprint, cloth->mesh.vertex_count,
                             cloth->invented ? 0.0 : cloth->history_length,
                             cloth->around.measured ? surroundings_places(&cloth->around) : 0};
    memcpy(to, &header, sizeof header);
    to += sizeof header;
    for (int i = 0; i < ARRAYS; ++i, to += array_bytes(cloth)) {
        memcpy(to, array_at(cloth, i), array_bytes(cloth));
    }
    for (int v = 0; v < cloth->mesh.vertex_count; ++v, to += sizeof(Vec3)) {
        Vec3 memory = surroundings_memory(&cloth->around, v);
        memcpy(to, &memory, sizeof memory);
    }
}

static int is_sound(const SnapshotHeader *header, const unsigned char *arrays) {
    Vec3 v;
    for (int64_t i = 0; i < (ARRAYS + 1) * header->vertex_count; ++i) {
        memcpy(&v, arrays + (size_t)i * sizeof v, sizeof v);
        if (!vec3_fits_float(v)) {
            return 0;
        }
    }
    return isfinite(header->history_length) && header->history_length >= 0;
}

StatusCode cloth_check_snapshot(const Cloth *cloth, const void *bytes, size_t size,
                                Status *status) {
    const unsigned char *from = bytes;
    SnapshotHeader header;
    if (size != cloth_snapshot_size(cloth)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "a snapshot of this cloth has %zu bytes, but %zu were given",
                          cloth_snapshot_size(cloth), size);
    }
    memcpy(&header, from, sizeof header);
    if (header.magic != MAGIC || header.fingerprint != cloth->fingerprint ||
        header.vertex_count != cloth->mesh.vertex_count) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot of this mesh");
    }
    if (!is_sound(&header, from + sizeof header)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot holds numbers that are not finite");
    }
    return STATUS_OK;
}

StatusCode cloth_restore(Cloth *cloth, const void *bytes, size_t size, Status *status) {
    StatusCode code = cloth_check_snapshot(cloth, bytes, size, status);
    if (code != STATUS_OK) {
        return code;
    }
    const unsigned char *from = bytes;
    SnapshotHeader header;
    memcpy(&header, from, sizeof header);
    from += sizeof header;
    for (int i = 0; i < ARRAYS; ++i, from += array_bytes(cloth)) {
        memcpy(array_at(cloth, i), from, array_bytes(cloth));
    }
    for (int v = 0; v < cloth->mesh.vertex_count; ++v, from += sizeof(Vec3)) {
        Vec3 memory;
        memcpy(&memory, from, sizeof memory);
        surroundings_remember(&cloth->around, v, memory);
    }
    cloth->around.measured = header.places == surroundings_places(&cloth->around);
    cloth->solver->settle(cloth->solver);
    cloth->history_length = header.history_length;
    cloth->invented = 0; /* without a length it is made up anew */
    cloth->has_substep = 0;
    return STATUS_OK;
}

const Vec3 *cloth_positions(const Cloth *cloth) { return cloth->past[0]; }

const Vec3 *cloth_velocities(const Cloth *cloth) { return cloth->velocity; }

static CarryKind kind_at(int index) {
    return index == GUESS_HISTORY || index == GUESS_HISTORY + 1 ? CARRY_DIRECTION : CARRY_PLACE;
}

/* Contacts are measured anew, but what pressed goes on pressing. */
void cloth_take_over(Cloth *cloth, const TakeOver *take_over) {
    const Cloth *from = take_over->from;
    for (int v = 0; v < from->mesh.vertex_count; ++v) {
        take_over->room[v] = surroundings_memory(&from->around, v);
    }
    for (int i = 0; i <= ARRAYS; ++i) {
        int memory = i == ARRAYS;
        const Vec3 *array = memory ? take_over->room : array_at(from, i);
        CarryKind kind = memory ? CARRY_NUMBERS : kind_at(i);
        for (int k = 0; k < take_over->count; ++k) {
            int v = take_over->vertices ? take_over->vertices[k] : k;
            Vec3 value = take_over->carry(take_over->context, array, kind, v);
            if (memory) {
                surroundings_remember(&cloth->around, v, value);
            } else {
                array_at(cloth, i)[v] = value;
            }
        }
    }
    cloth->around.measured = 0;
    cloth->solver->settle(cloth->solver);
    cloth->history_length = from->invented ? 0.0 : from->history_length;
    cloth->invented = 0;
    cloth->has_substep = 0;
}
