/* Saves all that a step changes and the next one reads, and rolls back to it: before a step of several simulations, one of
 * which may fail, and before a substep that may have to be repeated in halves. */
#include <stdlib.h>
#include <string.h>

#include "simulation/simulation_internal.h"

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
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        visit_piece(visit, saved, &at, simulation->past[m], vectors);
    }
    visit_piece(visit, saved, &at, simulation->velocity, vectors);
    visit_piece(visit, saved, &at, simulation->velocity_before, vectors);
    visit_piece(visit, saved, &at, simulation->system.target, vectors);
    Vec3 *folds = laws_memory(&simulation->system.laws);
    visit_piece(visit, saved, &at, folds, folds ? vectors : 0);
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
    saved->part_done = simulation->part_done;
    saved->extrapolated = simulation->extrapolated;
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
    simulation->world.measured = saved->measured;
    simulation->part_done = point == ROLLBACK_STEP ? 0.0 : saved->part_done;
    simulation->substeps_done = point == ROLLBACK_STEP ? 0 : simulation->substeps_done;
    simulation->has_substep = 0;
}
