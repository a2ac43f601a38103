/* All that a step changes and the next one reads, copied before a step in which more than one simulation takes part, and
 * before a substep that is made again in halves: what cannot end has never been. */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation_internal.h"

/* What is done with a piece of it; `at` is its place in the copy. */
typedef void (*Visit)(Keepsake *keepsake, size_t at, void *piece, size_t bytes);

static void add(Visit visit, Keepsake *keepsake, size_t *at, void *piece, size_t bytes) {
    if (visit && bytes > 0) {
        visit(keepsake, *at, piece, bytes);
    }
    *at += bytes;
}

/* Returns how many bytes there are in all. */
static size_t visit_all(Simulation *simulation, Keepsake *keepsake, Visit visit) {
    Surroundings *around = &simulation->around;
    size_t count = (size_t)simulation->mesh.vertex_count, vectors = count * sizeof(Vec3), at = 0;
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        add(visit, keepsake, &at, simulation->past[m], vectors);
    }
    add(visit, keepsake, &at, simulation->velocity, vectors);
    add(visit, keepsake, &at, simulation->velocity_before, vectors);
    add(visit, keepsake, &at, simulation->system.target, vectors);
    Vec3 *folds = laws_memory(&simulation->system.laws);
    add(visit, keepsake, &at, folds, folds ? vectors : 0);
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        add(visit, keepsake, &at, around->contacts.pressure[k], count * sizeof(double));
    }
    add(visit, keepsake, &at, around->finder.clearance, count * sizeof(double));
    add(visit, keepsake, &at, simulation->order.alone, (size_t)simulation->order.component_count);
    uint8_t *near;
    size_t near_count = surroundings_near(around, &near);
    add(visit, keepsake, &at, near, near_count);
    for (int b = 0; b < around->body_count; ++b) {
        const Body *body = around->bodies[b];
        add(visit, keepsake, &at, body ? body->place : NULL,
            body ? (size_t)body->collider.vertex_count * sizeof(Vec3) : 0);
    }
    const Anchors *anchors = &around->contacts.anchors;
    add(visit, keepsake, &at, anchors->start, (count + 1) * sizeof *anchors->start);
    add(visit, keepsake, &at, anchors->list, (size_t)anchors->count * sizeof *anchors->list);
    return at;
}

static void copy_in(Keepsake *keepsake, size_t at, void *piece, size_t bytes) {
    memcpy(keepsake->bytes + at, piece, bytes);
}

static void copy_out(Keepsake *keepsake, size_t at, void *piece, size_t bytes) {
    memcpy(piece, keepsake->bytes + at, bytes);
}

StatusCode simulation_keep(Simulation *simulation, KeptState kept, Status *status) {
    Keepsake *keepsake = &simulation->kept[kept];
    size_t bytes = visit_all(simulation, keepsake, NULL);
    if (bytes > keepsake->room) {
        size_t room = bytes + bytes / 4; /* there may be more anchors the next time */
        bool failed = false;
        keepsake->bytes = scratch_grow(keepsake->bytes, room, 1, &failed);
        if (failed) {
            return status_no_memory(status, "a state to go back to");
        }
        keepsake->room = room;
    }
    keepsake->history_length = simulation->history_length;
    keepsake->part_done = simulation->part_done;
    keepsake->invented = simulation->invented;
    keepsake->measured = simulation->around.measured;
    keepsake->anchor_count = simulation->around.contacts.anchors.count;
    visit_all(simulation, keepsake, copy_in);
    return STATUS_OK;
}

void simulation_take_back(Simulation *simulation, KeptState kept) {
    Keepsake *keepsake = &simulation->kept[kept];
    simulation->around.contacts.anchors.count = keepsake->anchor_count;
    visit_all(simulation, keepsake, copy_out);
    simulation->history_length = keepsake->history_length;
    simulation->invented = keepsake->invented;
    simulation->around.measured = keepsake->measured;
    simulation->part_done = kept == KEPT_STEP ? 0.0 : keepsake->part_done;
    simulation->substeps_done = kept == KEPT_STEP ? 0 : simulation->substeps_done;
    simulation->has_substep = 0;
}
