/* What a live cloth is like now, in the caller's terms; its state and snapshots. */
#include <string.h>

#include "live/state.h"

#define MAGIC 0x4d534c4e4c563031u /* "MSLNLV01" */

/* --- the state ---------------------------------------------------------------------------------- */

void live_get_state(Live *live, float *positions, float *velocities) {
    const Level *fine = &live->levels[0];
    if (live->level == 0) {
        cloth_get_state(fine->cloth, positions, velocities);
        return;
    }
    if (velocities) {
        passage_read_velocities(live);
    }
    for (int v = 0; v < fine->count; ++v) {
        live_write(positions, v, fine->x[v]);
        if (velocities) {
            live_write(velocities, v, fine->v[v]);
        }
    }
}

/* The caller's mesh judges it, in the caller's numbers. What a buttoned one refuses may be its own state, as it rode:
 * strips of coarser levels are wider. */
StatusCode live_set_state(Live *live, const float *positions, const float *velocities,
                          Status *status) {
    settle_end(live);
    Level *fine = &live->levels[0];
    StatusCode code = cloth_set_state(fine->cloth, positions, velocities, status);
    live_disturb(live);
    if (live->level == 0 || (code < 0 && live->options.mirror.closure != CLOSURE_BUTTON)) {
        return code;
    }
    for (int v = 0; v < fine->count; ++v) {
        fine->x[v] = live_vector(positions, v);
        fine->v[v] = velocities ? live_vector(velocities, v) : vec3(0, 0, 0);
    }
    Status told = {0};
    if (passage_restrict(live, live->level, &told) < 0) {
        *status = told;
        passage_read(live);
        return told.code;
    }
    live->pins.reached = live->stepped = false;
    passage_keep_detail(live);
    if (code < 0) {
        status_clear(status);
    }
    return code < 0 ? STATUS_OK : code;
}

/* --- snapshots ---------------------------------------------------------------------------------- */

typedef struct LiveHeader {
    uint64_t magic;
    uint64_t bytes; /* of the active cloth's snapshot, which comes last */
    double detail_left;
    int32_t level, level_count, count, unused;
} LiveHeader;

static size_t fine_bytes(const Live *live) { return (size_t)live->levels[0].count * sizeof(Vec3); }

/* Places and details of the caller's vertices and the active cloth. */
size_t live_snapshot_size(const Live *live) {
    size_t active = cloth_snapshot_size(live->levels[live->level].cloth);
    return live->budgeted ? sizeof(LiveHeader) + 2 * fine_bytes(live) + active : active;
}

void live_snapshot(Live *live, void *bytes) {
    Cloth *active = live->levels[live->level].cloth;
    if (!live->budgeted) {
        cloth_snapshot(active, bytes);
        return;
    }
    LiveHeader header = {.magic = MAGIC,
                         .bytes = cloth_snapshot_size(active),
                         .detail_left = live->detail_left,
                         .level = live->level,
                         .level_count = live->level_count,
                         .count = live->levels[0].count};
    unsigned char *to = bytes;
    if (live->level == 0) {
        passage_read(live);
    }
    memcpy(to, &header, sizeof header);
    memcpy(to += sizeof header, live->levels[0].x, fine_bytes(live));
    memcpy(to += fine_bytes(live), live->detail, fine_bytes(live));
    cloth_snapshot(active, to + fine_bytes(live));
}

static StatusCode refuse_levels(Status *status) {
    return status_set(status, STATUS_ERROR_SNAPSHOT,
                      "the bytes are a snapshot of other levels, made for other pins");
}

/* Places and details of the caller's vertices. */
static bool is_sound(const Live *live, const LiveHeader *header, const unsigned char *from) {
    bool sound = header->detail_left >= 0 && header->detail_left <= 1;
    for (int64_t i = 0; sound && i < 2 * (int64_t)live->levels[0].count; ++i) {
        Vec3 v;
        memcpy(&v, from + (size_t)i * sizeof v, sizeof v);
        sound = vec3_is_within_reach(v);
    }
    return sound;
}

static StatusCode read_header(Live *live, const void *bytes, size_t size, LiveHeader *header,
                              Status *status) {
    if (size < sizeof *header + 2 * fine_bytes(live)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "a snapshot of this cloth has at least %zu bytes, but %zu were given",
                          sizeof *header + 2 * fine_bytes(live), size);
    }
    memcpy(header, bytes, sizeof *header);
    if (header->magic != MAGIC || header->count != live->levels[0].count ||
        header->bytes != size - sizeof *header - 2 * fine_bytes(live)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the bytes are no snapshot of this cloth with a budget");
    }
    if (!is_sound(live, header, (const unsigned char *)bytes + sizeof *header)) {
        return status_set(
            status, STATUS_ERROR_SNAPSHOT,
            "the snapshot holds numbers that are not finite, or cloth that is farther "
            "away than %g m",
            VEC3_FARTHEST);
    }
    StatusCode code = STATUS_OK;
    if (header->level_count > 0 && live->level_count == 0) {
        code = levels_make(live, status);
    }
    if (code >= 0 && (header->level < 0 || header->level >= LEVELS_MOST ||
                      (header->level > 0 && header->level_count != live->level_count))) {
        code = refuse_levels(status);
    }
    return code;
}

StatusCode live_restore(Live *live, const void *bytes, size_t size, Status *status) {
    settle_end(live);
    LiveHeader header;
    if (!live->budgeted) {
        return cloth_restore(live->levels[0].cloth, bytes, size, status);
    }
    if (read_header(live, bytes, size, &header, status) < 0 ||
        levels_need(live, header.level, status) < 0) {
        return status->code;
    }
    const unsigned char *from = (const unsigned char *)bytes + sizeof header;
    Cloth *cloth = live->levels[header.level].cloth;
    if (header.level != live->level && live_bodies_put(live, header.level, status) < 0) {
        return status->code;
    }
    if (cloth_restore(cloth, from + 2 * fine_bytes(live), header.bytes, status) < 0) {
        bool others = header.level > 0 && status->code == STATUS_ERROR_SNAPSHOT;
        return others ? refuse_levels(status) : status->code;
    }
    memcpy(live->levels[0].x, from, fine_bytes(live));
    memcpy(live->detail, from + fine_bytes(live), fine_bytes(live));
    live->detail_left = header.detail_left;
    live->level = header.level;
    live->pins.reached = live->refining = live->stepped = false;
    live_disturb(live);
    return STATUS_OK;
}

/* --- reports ------------------------------------------------------------------------------------ */

Simulation *live_active(const Live *live) { return cloth_active(live->levels[live->level].cloth); }

void live_levels(const Live *live, LiveReport *report) {
    *report = (LiveReport){.level = live->level,
                           .level_count = live->level_count,
                           .simulated_count = live->levels[live->level].count,
                           .budget = live->pace.budget,
                           .average = live->pace.average,
                           .refining = live->refining,
                           .quiet_steps = live->quiet_steps,
                           .settled = live->settled};
}

/* What the mesh and its pins count is the caller's; the matrix is the active level's, and the memory that of all. */
void live_report(const Live *live, SimulationReport *report) {
    cloth_report(live->levels[0].cloth, report);
    for (int l = 1; l < live->level_count; ++l) {
        SimulationReport coarse;
        if (live->levels[l].cloth) {
            cloth_report(live->levels[l].cloth, &coarse);
            report->bytes += coarse.bytes;
            if (l == live->level) {
                report->matrix_nonzeros = coarse.matrix_nonzeros;
                report->coarse_unknowns = coarse.coarse_unknowns;
                report->rounds = coarse.rounds;
                report->factor = coarse.factor;
            }
        }
    }
}

void live_measure(Live *live, SimulationMeasure *measure) {
    const Level *level = &live->levels[live->level];
    cloth_measure(level->cloth, measure);
    for (int end = 0; end < 2 && level->source; ++end) {
        int at = measure->largest_edge[end];
        measure->largest_edge[end] = at >= 0 ? level->source[at] : -1;
    }
}

void live_mirror(const Live *live, MirrorReport *report) {
    MirrorReport active;
    cloth_mirror(live->levels[0].cloth, report);
    if (live->level > 0) {
        cloth_mirror(live->levels[live->level].cloth, &active);
        report->half_vertex_count = active.half_vertex_count;
        report->solved_whole = active.solved_whole;
        report->whole_steps = active.whole_steps;
        report->body = active.body;
        report->body_vertex = active.body_vertex;
        report->body_asymmetry = active.body_asymmetry;
    }
}

void live_seconds(const Live *live, ClothSeconds *seconds) {
    cloth_seconds(live->levels[live->level].cloth, seconds);
}

static StatusCode refuse_budget(const char *what, Status *status) {
    return status_set(status, STATUS_ERROR_ARGUMENT,
                      "%s of a cloth with a budget: its matrix is that of a coarser mesh", what);
}

StatusCode live_eigenvalues(Live *live, double *smallest, double *largest, Status *status) {
    return live->budgeted ? refuse_budget("there are no eigenvalues", status)
                          : cloth_eigenvalues(live->levels[0].cloth, smallest, largest, status);
}

StatusCode live_solve(Live *live, double *x, int rounds, double *seconds, Status *status) {
    return live->budgeted ? refuse_budget("there is no bare solve", status)
                          : cloth_solve(live->levels[0].cloth, x, rounds, seconds, status);
}
