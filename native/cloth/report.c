/* State, reports and snapshots of a cloth, in the caller's vertices. */
#include <string.h>

#include "cloth/state.h"

#define MAGIC 0x4d534c4e4c563031u /* "MSLNLV01" */

/* --- the state ---------------------------------------------------------------------------------- */

void cloth_get_state(Cloth *cloth, float *positions, float *velocities) {
    const Level *fine = &cloth->levels[0];
    if (cloth->level == 0) {
        domain_carry_up(fine->domain, positions, velocities);
        return;
    }
    if (velocities) {
        level_transfer_read_velocities(cloth);
    }
    for (int v = 0; v < fine->count; ++v) {
        set_vector(positions, v, fine->x[v]);
        if (velocities) {
            set_vector(velocities, v, fine->v[v]);
        }
    }
}

/* The caller's mesh judges it, in the caller's numbers. What a buttoned one refuses may be its own state, as it rode:
 * strips of coarser levels are wider. */
StatusCode cloth_set_state(Cloth *cloth, const float *positions, const float *velocities,
                           Status *status) {
    settle_end(cloth);
    Level *fine = &cloth->levels[0];
    StatusCode code = domain_carry_down(fine->domain, positions, velocities, status);
    cloth_disturb(cloth);
    if (cloth->level == 0 || (code < 0 && cloth->options.mirror.half.closure != CLOSURE_BUTTON)) {
        return code;
    }
    for (int v = 0; v < fine->count; ++v) {
        fine->x[v] = vector_at(positions, v);
        fine->v[v] = velocities ? vector_at(velocities, v) : vec3(0, 0, 0);
    }
    Status reported = {0};
    if (level_transfer_restrict(cloth, cloth->level, &reported) < 0) {
        *status = reported;
        level_transfer_read(cloth);
        return reported.code;
    }
    cloth->pins.reached = cloth->stepped = false;
    level_transfer_keep_detail(cloth);
    if (code < 0) {
        status_clear(status);
    }
    return code < 0 ? STATUS_OK : code;
}

/* --- snapshots ---------------------------------------------------------------------------------- */

typedef struct ClothHeader {
    uint64_t magic;
    uint64_t bytes; /* of the active cloth's snapshot, which comes last */
    double detail_left;
    int32_t level, level_count, count, unused;
} ClothHeader;

static size_t fine_bytes(const Cloth *cloth) {
    return (size_t)cloth->levels[0].count * sizeof(Vec3);
}

/* Places and details of the caller's vertices and the active cloth. */
size_t cloth_snapshot_size(const Cloth *cloth) {
    size_t active = domain_pack_size(cloth->levels[cloth->level].domain);
    return cloth->budgeted ? sizeof(ClothHeader) + 2 * fine_bytes(cloth) + active : active;
}

void cloth_snapshot(Cloth *cloth, void *bytes) {
    Domain *active = cloth->levels[cloth->level].domain;
    if (!cloth->budgeted) {
        domain_pack(active, bytes);
        return;
    }
    ClothHeader header = {.magic = MAGIC,
                          .bytes = domain_pack_size(active),
                          .detail_left = cloth->detail_left,
                          .level = cloth->level,
                          .level_count = cloth->level_count,
                          .count = cloth->levels[0].count};
    unsigned char *to = bytes;
    if (cloth->level == 0) {
        level_transfer_read(cloth);
    }
    memcpy(to, &header, sizeof header);
    memcpy(to += sizeof header, cloth->levels[0].x, fine_bytes(cloth));
    memcpy(to += fine_bytes(cloth), cloth->detail, fine_bytes(cloth));
    domain_pack(active, to + fine_bytes(cloth));
}

static StatusCode refuse_levels(Status *status) {
    return status_set(status, STATUS_ERROR_SNAPSHOT,
                      "the bytes are a snapshot of other levels, made for other pins");
}

/* Places and details of the caller's vertices. */
static bool is_sound(const Cloth *cloth, const ClothHeader *header, const unsigned char *from) {
    bool sound = header->detail_left >= 0 && header->detail_left <= 1;
    for (int64_t i = 0; sound && i < 2 * (int64_t)cloth->levels[0].count; ++i) {
        Vec3 v;
        memcpy(&v, from + (size_t)i * sizeof v, sizeof v);
        sound = vec3_is_within_reach(v);
    }
    return sound;
}

static StatusCode read_header(Cloth *cloth, const void *bytes, size_t size, ClothHeader *header,
                              Status *status) {
    if (size < sizeof *header + 2 * fine_bytes(cloth)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "a snapshot of this cloth has at least %zu bytes, but %zu were given",
                          sizeof *header + 2 * fine_bytes(cloth), size);
    }
    memcpy(header, bytes, sizeof *header);
    if (header->magic != MAGIC || header->count != cloth->levels[0].count ||
        header->bytes != size - sizeof *header - 2 * fine_bytes(cloth)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the bytes are no snapshot of this cloth with a budget");
    }
    if (!is_sound(cloth, header, (const unsigned char *)bytes + sizeof *header)) {
        return status_set(
            status, STATUS_ERROR_SNAPSHOT,
            "the snapshot holds numbers that are not finite, or cloth that is farther "
            "away than %g m",
            VEC3_FARTHEST);
    }
    StatusCode code = STATUS_OK;
    if (header->level_count > 0 && cloth->level_count == 0) {
        code = levels_make(cloth, status);
    }
    if (code >= 0 && (header->level < 0 || header->level >= LEVELS_MOST ||
                      (header->level > 0 && header->level_count != cloth->level_count))) {
        code = refuse_levels(status);
    }
    return code;
}

StatusCode cloth_restore(Cloth *cloth, const void *bytes, size_t size, Status *status) {
    settle_end(cloth);
    ClothHeader header;
    if (!cloth->budgeted) {
        return domain_unpack(cloth->levels[0].domain, bytes, size, status);
    }
    if (read_header(cloth, bytes, size, &header, status) < 0 ||
        levels_need(cloth, header.level, status) < 0) {
        return status->code;
    }
    const unsigned char *from = (const unsigned char *)bytes + sizeof header;
    Domain *domain = cloth->levels[header.level].domain;
    if (header.level != cloth->level) {
        domain_put_bodies(domain);
    }
    if (domain_unpack(domain, from + 2 * fine_bytes(cloth), header.bytes, status) < 0) {
        bool others = header.level > 0 && status->code == STATUS_ERROR_SNAPSHOT;
        return others ? refuse_levels(status) : status->code;
    }
    memcpy(cloth->levels[0].x, from, fine_bytes(cloth));
    memcpy(cloth->detail, from + fine_bytes(cloth), fine_bytes(cloth));
    cloth->detail_left = header.detail_left;
    cloth->level = header.level;
    cloth->pins.reached = cloth->refining = cloth->stepped = false;
    cloth_disturb(cloth);
    return STATUS_OK;
}

/* --- reports ------------------------------------------------------------------------------------ */

int cloth_part_count(const Cloth *cloth) {
    return system_part_count(&cloth->options.simulation.system);
}

ModelKind cloth_model(const Cloth *cloth, int part) {
    return system_part(&cloth->options.simulation.system, part).model;
}

SolverKind cloth_solver(const Cloth *cloth) { return cloth->options.simulation.solver; }

bool cloth_has_quality(const Cloth *cloth) {
    return simulation_is_two_level(active_simulation(cloth));
}

StepReport cloth_last_step(const Cloth *cloth) {
    return simulation_step_report(active_simulation(cloth));
}

void cloth_levels(const Cloth *cloth, LevelReport *report) {
    *report = (LevelReport){.level = cloth->level,
                            .level_count = cloth->level_count,
                            .simulated_count = cloth->levels[cloth->level].count,
                            .budget = cloth->pace.budget,
                            .average = cloth->pace.average,
                            .refining = cloth->refining,
                            .quiet_steps = cloth->quiet_steps,
                            .settled = cloth->settled};
}

static void count_pins(const Cloth *cloth, SimulationReport *report) {
    const PinInputs *pins = &cloth->inputs.set.pins;
    report->pinned_count = report->soft_count = 0;
    for (int p = 0; p < pins->count; ++p) {
        report->pinned_count += pins->weights[p] >= 1;
        report->soft_count += pins->weights[p] > 0 && pins->weights[p] < 1;
    }
}

/* What the mesh and its pins count is the caller's; the matrix is the active level's, and the memory that of all. */
void cloth_report(const Cloth *cloth, SimulationReport *report) {
    const Domain *fine = cloth->levels[0].domain;
    simulation_describe(domain_active(fine), report);
    report->bytes += domain_bytes(fine);
    if (domain_steps_half(fine)) {
        count_pins(cloth, report);
        report->vertex_count = cloth->levels[0].count;
    }
    for (int l = 1; l < cloth->level_count; ++l) {
        SimulationReport coarse;
        if (cloth->levels[l].domain) {
            simulation_describe(domain_active(cloth->levels[l].domain), &coarse);
            report->bytes += coarse.bytes + domain_bytes(cloth->levels[l].domain);
            if (l == cloth->level) {
                report->matrix_nonzeros = coarse.matrix_nonzeros;
                report->coarse_unknowns = coarse.coarse_unknowns;
                report->iterations = coarse.iterations;
                report->factor = coarse.factor;
            }
        }
    }
}

void cloth_measure(Cloth *cloth, SimulationMeasure *measure) {
    const Level *level = &cloth->levels[cloth->level];
    domain_measure_whole(level->domain, measure);
    for (int end = 0; end < 2 && level->source; ++end) {
        int at = measure->largest_edge[end];
        measure->largest_edge[end] = at >= 0 ? level->source[at] : -1;
    }
}

void cloth_mirror(const Cloth *cloth, MirrorReport *report) {
    MirrorReport active;
    domain_symmetry(cloth->levels[0].domain, report);
    if (cloth->level > 0) {
        domain_symmetry(cloth->levels[cloth->level].domain, &active);
        report->half_vertex_count = active.half_vertex_count;
        report->solved_whole = active.solved_whole;
        report->whole_steps = active.whole_steps;
    }
    for (int b = 0; b < cloth->inputs.bodies.count && cloth->inputs.bodies.frame; ++b) {
        const InputBody *body = &cloth->inputs.bodies.list[b];
        if (body->present && (report->body < 0 || body->asymmetry > report->body_asymmetry)) {
            report->body = b;
            report->body_vertex = body->asymmetry_vertex;
            report->body_asymmetry = body->asymmetry;
        }
    }
}

void cloth_seconds(const Cloth *cloth, ClothSeconds *seconds) {
    domain_time(cloth->levels[cloth->level].domain, seconds);
}

/* The one simulation of all of the caller's mesh; null, and told, where others are simulated. */
static Simulation *only_simulation(const Cloth *cloth, const char *what, Status *status) {
    const char *why =
        cloth->budgeted ? "a cloth with a budget: its matrix is that of a coarser mesh"
        : cloth->inputs.bodies.frame
            ? "a mirrored cloth: its matrix is that of one half, which has other vertices"
            : NULL;
    if (why) {
        status_set(status, STATUS_ERROR_ARGUMENT, "%s of %s", what, why);
    }
    return why ? NULL : active_simulation(cloth);
}

StatusCode cloth_eigenvalues(Cloth *cloth, double *smallest, double *largest, Status *status) {
    Simulation *only = only_simulation(cloth, "there are no eigenvalues", status);
    return only ? simulation_spectrum(only, smallest, largest, status) : status->code;
}

StatusCode cloth_solve(Cloth *cloth, double *x, int repeats, double *seconds, Status *status) {
    Simulation *only = only_simulation(cloth, "there is no bare solve", status);
    return only ? simulation_apply_inverse(only, x, repeats, seconds, status) : status->code;
}
