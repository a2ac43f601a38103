/* The dynamic state as bytes, in this machine's byte order: header, then present and past positions
 * velocities, the vertices' contact state and folds in double precision, that of edges and faces, for how long components
 * have touched nothing, the progress of links, and the anchors of friction, so that a restored run gives the same bytes as
 * one that was not stopped. */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation_internal.h"

#define MAGIC 0x4d534c4e53483135u       /* "MSLNSH15" */
#define MAGIC_FOLDS 0x4d534c4e53483136u /* "MSLNSH16": with the folds that the cloth remembers */

typedef struct SnapshotHeader {
    uint64_t magic, fingerprint;
    int64_t vertex_count, anchor_count, link_count;
    double history_length;
    uint64_t unclean; /* 1: the last frame ended so */
    uint64_t places; /* of the bodies that the memory of contacts belongs to; 0 if it is not good */
} SnapshotHeader;

static size_t array_bytes(const Simulation *simulation) {
    return (size_t)simulation->mesh.vertex_count * sizeof(Vec3);
}

/* positions of each remembered state, velocities of two, targets of pins */
#define ARRAYS (GUESS_HISTORY + 3)

static Vec3 *array_at(const Simulation *simulation, int index) {
    return index < GUESS_HISTORY        ? simulation->past[index]
           : index == GUESS_HISTORY     ? simulation->velocity
           : index == GUESS_HISTORY + 1 ? simulation->velocity_before
                                        : simulation->system.target;
}

static Vec3 *folds_of(const Simulation *simulation) {
    return laws_memory(&simulation->system.laws);
}

static uint64_t magic_of(const Simulation *simulation) {
    return folds_of(simulation) ? MAGIC_FOLDS : MAGIC;
}

/* All that hold a vector for each vertex: those, what contacts remember, and folds. */
static size_t vector_arrays(const Simulation *simulation) {
    return ARRAYS + (folds_of(simulation) ? 2 : 1);
}

/* What edges and faces remember of bodies, and for how long components have touched nothing. */
static size_t memory_bytes(const Simulation *simulation) {
    uint8_t *near;
    return contact_world_near(&simulation->world, &near) +
           (size_t)simulation->order.component_count;
}

/* With so many anchors. */
static size_t snapshot_size(const Simulation *simulation, size_t anchor_count) {
    return sizeof(SnapshotHeader) + vector_arrays(simulation) * array_bytes(simulation) +
           anchor_count * sizeof(Anchor) + memory_bytes(simulation) + links_bytes(simulation);
}

size_t simulation_state_bytes(const Simulation *simulation) {
    return snapshot_size(simulation, (size_t)simulation->world.contacts.anchors.count);
}

/* The state alone decides what follows, so a factor with a history of its own has to go. */
static void forget_history(Simulation *simulation) {
    if (solver_has(simulation->options.solver, ABILITY_FACTOR)) {
        linear_solver_drop_updates(simulation->solver);
    }
}

void simulation_write_state(Simulation *simulation, void *bytes) {
    forget_history(simulation);
    unsigned char *to = bytes;
    const Anchors *anchors = &simulation->world.contacts.anchors;
    SnapshotHeader header = {
        .magic = magic_of(simulation),
        .fingerprint = simulation->fingerprint,
        .vertex_count = simulation->mesh.vertex_count,
        .anchor_count = anchors->count,
        .link_count = simulation->sewing.set.count,
        .history_length = simulation->extrapolated ? 0.0 : simulation->history_length,
        .unclean = simulation->unclean,
        .places = simulation->world.measured ? contact_world_places(&simulation->world) : 0};
    memcpy(to, &header, sizeof header);
    to += sizeof header;
    for (int i = 0; i < ARRAYS; ++i, to += array_bytes(simulation)) {
        memcpy(to, array_at(simulation, i), array_bytes(simulation));
    }
    for (int v = 0; v < simulation->mesh.vertex_count; ++v, to += sizeof(Vec3)) {
        Vec3 memory = contact_world_memory(&simulation->world, v);
        memcpy(to, &memory, sizeof memory);
    }
    if (folds_of(simulation)) {
        memcpy(to, folds_of(simulation), array_bytes(simulation));
        to += array_bytes(simulation);
    }
    uint8_t *near;
    size_t near_count = contact_world_near(&simulation->world, &near);
    memcpy(to, near, near_count);
    to += near_count;
    size_t components = (size_t)simulation->order.component_count;
    memcpy(to, simulation->order.contact_free, components);
    to += components;
    links_write(simulation, to);
    to += links_bytes(simulation);
    if (anchors->count > 0) {
        memcpy(to, anchors->list, (size_t)anchors->count * sizeof(Anchor));
    }
}

/* Not the past: cloth that returns from the largest coordinates was, or is extrapolated to have been, beyond them. */
static bool is_present(int array) {
    return array == 0 || (array >= GUESS_HISTORY && array < ARRAYS);
}

/* between: bytes between the arrays and the anchors. */
static bool is_sound(const SnapshotHeader *header, size_t array_count, size_t between,
                     const unsigned char *arrays) {
    Vec3 v;
    int64_t vectors = (int64_t)array_count * header->vertex_count;
    for (int64_t i = 0; i < vectors; ++i) {
        memcpy(&v, arrays + (size_t)i * sizeof v, sizeof v);
        if (is_present((int)(i / header->vertex_count)) ? !vec3_is_within_reach(v)
                                                        : !vec3_fits_float(v)) {
            return false;
        }
    }
    const unsigned char *anchors = arrays + (size_t)vectors * sizeof v + between;
    for (int64_t a = 0; a < header->anchor_count; ++a) {
        Anchor anchor;
        memcpy(&anchor, anchors + (size_t)a * sizeof anchor, sizeof anchor);
        if (!anchor_is_sound(&anchor, (int)header->vertex_count, CONTACT_KINDS)) {
            return false;
        }
    }
    return isfinite(header->history_length) && header->history_length >= 0;
}

StatusCode simulation_check_state(const Simulation *simulation, const void *bytes, size_t size,
                                  Status *status) {
    const unsigned char *from = bytes;
    SnapshotHeader header;
    size_t least = snapshot_size(simulation, 0), unlinked = least - links_bytes(simulation);
    if (size < unlinked) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "a snapshot of this cloth has at least %zu bytes, but %zu were given",
                          least, size);
    }
    memcpy(&header, from, sizeof header);
    if ((header.magic == MAGIC || header.magic == MAGIC_FOLDS) &&
        header.magic != magic_of(simulation)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot is of a cloth %s fold_memory, which this one has%s",
                          header.magic == MAGIC ? "without" : "with",
                          header.magic == MAGIC ? "" : " not");
    }
    if (header.magic != magic_of(simulation) || header.fingerprint != simulation->fingerprint ||
        header.vertex_count != simulation->mesh.vertex_count) {
        return status_set(status, STATUS_ERROR_SNAPSHOT, "the bytes are no snapshot of this mesh");
    }
    if (header.link_count != simulation->sewing.set.count) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot is of a cloth with %lld links, but this one has %d",
                          (long long)header.link_count, simulation->sewing.set.count);
    }
    if (header.anchor_count < 0 || header.anchor_count > INT32_MAX ||
        size != snapshot_size(simulation, (size_t)header.anchor_count)) {
        return status_set(status, STATUS_ERROR_SNAPSHOT,
                          "the snapshot has %zu bytes, which its %lld anchors do not account for",
                          size, (long long)header.anchor_count);
    }
    size_t between = memory_bytes(simulation);
    size_t vectors = vector_arrays(simulation) * array_bytes(simulation);
    if (!is_sound(&header, vector_arrays(simulation), between + links_bytes(simulation),
                  from + sizeof header) ||
        !links_state_is_valid(simulation, from + sizeof header + vectors + between)) {
        return status_set(
            status, STATUS_ERROR_SNAPSHOT,
            "the snapshot holds numbers that are not finite, or cloth that is farther "
            "away than %g m",
            VEC3_FARTHEST);
    }
    return STATUS_OK;
}

StatusCode simulation_read_state(Simulation *simulation, const void *bytes, size_t size,
                                 Status *status) {
    const unsigned char *from = bytes;
    if (simulation_check_state(simulation, bytes, size, status) != STATUS_OK) {
        return status->code;
    }
    SnapshotHeader header;
    memcpy(&header, from, sizeof header);
    Anchors *anchors = &simulation->world.contacts.anchors;
    if (!anchors_reserve(anchors, (int)header.anchor_count)) {
        return status_no_memory(status, "the anchors of friction");
    }
    from += sizeof header;
    for (int i = 0; i < ARRAYS; ++i, from += array_bytes(simulation)) {
        memcpy(array_at(simulation, i), from, array_bytes(simulation));
    }
    for (int v = 0; v < simulation->mesh.vertex_count; ++v, from += sizeof(Vec3)) {
        Vec3 memory;
        memcpy(&memory, from, sizeof memory);
        contact_world_remember(&simulation->world, v, memory);
    }
    if (folds_of(simulation)) {
        memcpy(folds_of(simulation), from, array_bytes(simulation));
        from += array_bytes(simulation);
    }
    uint8_t *near;
    size_t near_count = contact_world_near(&simulation->world, &near);
    memcpy(near, from, near_count);
    from += near_count;
    size_t components = (size_t)simulation->order.component_count;
    memcpy(simulation->order.contact_free, from, components);
    from += components;
    links_read(simulation, from);
    from += links_bytes(simulation);
    for (int64_t a = 0; a < header.anchor_count; ++a, from += sizeof(Anchor)) {
        Anchor anchor;
        memcpy(&anchor, from, sizeof anchor);
        anchors_note(anchors, &anchor);
    }
    anchors_settle(anchors);
    simulation->world.measured = header.places == contact_world_places(&simulation->world);
    forget_history(simulation);
    simulation->history_length = header.history_length;
    simulation->unclean = header.unclean != 0;
    simulation->extrapolated = 0; /* without a length it is made up anew */
    simulation->placed = simulation->history_length == 0;
    simulation->has_substep = 0;
    return STATUS_OK;
}

const Vec3 *simulation_positions(const Simulation *simulation) { return simulation->past[0]; }

const Vec3 *simulation_velocities(const Simulation *simulation) { return simulation->velocity; }

static CarryKind kind_at(int index) {
    return index == GUESS_HISTORY || index == GUESS_HISTORY + 1 ? CARRY_DIRECTION : CARRY_PLACE;
}

/* Contacts are found anew, but keep their pressure. Anchors belong to another mesh's vertices: friction holds again after
 * some micrometres. */
void simulation_transfer_state(Simulation *simulation, const StateTransfer *take_over) {
    const Simulation *from = take_over->from;
    for (int v = 0; v < from->mesh.vertex_count; ++v) {
        take_over->room[v] = contact_world_memory(&from->world, v);
    }
    for (int i = 0; i <= ARRAYS; ++i) {
        bool memory = i == ARRAYS;
        const Vec3 *array = memory ? take_over->room : array_at(from, i);
        CarryKind kind = memory ? CARRY_NUMBERS : kind_at(i);
        for (int k = 0; k < take_over->count; ++k) {
            int v = take_over->vertices ? take_over->vertices[k] : k;
            Vec3 value = take_over->carry(take_over->context, array, kind, v);
            if (memory) {
                contact_world_remember(&simulation->world, v, value);
            } else {
                array_at(simulation, i)[v] = value;
            }
        }
    }
    Vec3 *folds = folds_of(simulation), *others = folds_of(from);
    for (int k = 0; folds && others && k < take_over->count; ++k) {
        int v = take_over->vertices ? take_over->vertices[k] : k;
        folds[v] = take_over->carry(take_over->context, others, CARRY_FOLDS, v);
    }
    laws_remember(&simulation->system.laws, simulation->pool, simulation->past[0]);
    simulation->world.measured = 0;
    contact_world_clear_near(&simulation->world);
    anchors_clear(&simulation->world.contacts.anchors);
    order_reset(&simulation->order);
    forget_history(simulation);
    simulation->history_length = from->extrapolated ? 0.0 : from->history_length;
    simulation->extrapolated = 0;
    simulation->placed = from->placed;
    simulation->has_substep = 0;
    links_copy_progress(simulation, from);
}

/* --- the state alone ------------------------------------------------------------------------- */

static void write_floats(const Vec3 *from, int count, float *to) {
    for (int i = 0; i < count; ++i) {
        set_vector(to, i, from[i]);
    }
}

void simulation_copy_state(const Simulation *simulation, float *positions, float *velocities) {
    write_floats(simulation->past[0], simulation->mesh.vertex_count, positions);
    if (velocities) {
        write_floats(simulation->velocity, simulation->mesh.vertex_count, velocities);
    }
}

/* --- rolling back ----------------------------------------------------------------------------- */

/* Saves all that a step changes and the next one reads: before a step of several simulations, one of which may fail, and
 * before each step of one, which may have to be repeated with more substeps. */

/* Copies one piece; `at` is its place in the saved bytes. */
typedef void (*Visit)(RollbackState *saved, size_t at, void *piece, size_t bytes);

static void visit_piece(Visit visit, RollbackState *saved, size_t *at, void *piece, size_t bytes) {
    if (visit && bytes > 0) {
        visit(saved, *at, piece, bytes);
    }
    *at += bytes;
}

/* Returns how many bytes there are in all. */
static size_t visit_all(Simulation *simulation, RollbackState *saved, Visit visit) {
    ContactWorld *world = &simulation->world;
    size_t count = (size_t)simulation->mesh.vertex_count, vectors = count * sizeof(Vec3), at = 0;
    for (int i = 0; i < ARRAYS; ++i) {
        visit_piece(visit, saved, &at, array_at(simulation, i), vectors);
    }
    visit_piece(visit, saved, &at, folds_of(simulation), folds_of(simulation) ? vectors : 0);
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        visit_piece(visit, saved, &at, world->contacts.pressure[k], count * sizeof(double));
    }
    visit_piece(visit, saved, &at, world->finder.clearance, count * sizeof(double));
    visit_piece(visit, saved, &at, simulation->order.contact_free,
                (size_t)simulation->order.component_count);
    uint8_t *near;
    size_t near_count = contact_world_near(world, &near);
    visit_piece(visit, saved, &at, near, near_count);
    for (int b = 0; b < world->body_count; ++b) {
        const Body *body = world->bodies[b];
        visit_piece(visit, saved, &at, body ? body->place : NULL,
                    body ? (size_t)body->collider.vertex_count * sizeof(Vec3) : 0);
    }
    const Anchors *anchors = &world->contacts.anchors;
    visit_piece(visit, saved, &at, anchors->start, (count + 1) * sizeof *anchors->start);
    visit_piece(visit, saved, &at, anchors->list, (size_t)anchors->count * sizeof *anchors->list);
    return at;
}

static void copy_in(RollbackState *saved, size_t at, void *piece, size_t bytes) {
    memcpy(saved->bytes + at, piece, bytes);
}

static void copy_out(RollbackState *saved, size_t at, void *piece, size_t bytes) {
    memcpy(piece, saved->bytes + at, bytes);
}

StatusCode simulation_save(Simulation *simulation, RollbackPoint point, Status *status) {
    RollbackState *saved = &simulation->saved[point];
    size_t bytes = visit_all(simulation, saved, NULL);
    if (bytes > saved->room) {
        size_t room = bytes + bytes / 4; /* there may be more anchors the next time */
        bool failed = false;
        saved->bytes = scratch_grow(saved->bytes, room, 1, &failed);
        if (failed) {
            return status_no_memory(status, "a state to go back to");
        }
        saved->room = room;
    }
    saved->history_length = simulation->history_length;
    saved->extrapolated = simulation->extrapolated;
    saved->placed = simulation->placed;
    saved->measured = simulation->world.measured;
    saved->anchor_count = simulation->world.contacts.anchors.count;
    visit_all(simulation, saved, copy_in);
    return STATUS_OK;
}

void simulation_roll_back(Simulation *simulation, RollbackPoint point) {
    RollbackState *saved = &simulation->saved[point];
    simulation->world.contacts.anchors.count = saved->anchor_count;
    visit_all(simulation, saved, copy_out);
    simulation->history_length = saved->history_length;
    simulation->extrapolated = saved->extrapolated;
    simulation->placed = saved->placed;
    simulation->world.measured = saved->measured;
    simulation->part_done = 0;
    simulation->substeps_done = 0;
    simulation->has_substep = 0;
}
