/* Bodies as the caller has them, for inspections and for levels that are not stepped or not built. */
#include <stdlib.h>
#include <string.h>

#include "live/state.h"

static LiveBody *find_body(const Live *live, int number) {
    bool known = number >= 0 && number < live->body_count;
    return known && live->bodies[number].present ? &live->bodies[number] : NULL;
}

static size_t numbers_of(const LiveBody *body) {
    return 3 * (size_t)body->mesh.polygons.vertex_count;
}

static void free_body(LiveBody *body) {
    store_release(&body->store);
    mesh_copy_free(&body->mesh);
    body->present = false;
}

void live_bodies_free(Live *live) {
    for (int b = 0; b < live->body_count; ++b) {
        free_body(&live->bodies[b]);
    }
    free(live->bodies);
}

/* --- what the levels know of them ------------------------------------------------------------- */

static StatusCode give(Live *live, LiveBody *body, int level, Status *status) {
    Cloth *cloth = live->levels[level].cloth;
    int *number = &body->numbers[level];
    Status told = {0}; /* warnings were told by level 0 */
    StatusCode code =
        *number < 0
            ? cloth_add_body(cloth, &body->mesh.polygons, &body->surface, number, &told)
            : cloth_replace_body(cloth, *number, &body->mesh.polygons, &body->surface, &told);
    *status = code < 0 ? told : *status;
    return code < 0 ? code : STATUS_OK;
}

StatusCode live_bodies_give(Live *live, int level, Status *status) {
    StatusCode code = STATUS_OK;
    for (int b = 0; b < live->body_count && code >= 0; ++b) {
        live->bodies[b].numbers[level] = -1;
        if (live->bodies[b].present) {
            code = give(live, &live->bodies[b], level, status);
        }
    }
    return code;
}

StatusCode live_bodies_put(Live *live, int level, Status *status) {
    Cloth *cloth = live->levels[level].cloth;
    for (int b = 0; b < live->body_count; ++b) {
        const LiveBody *body = &live->bodies[b];
        Status told = {0};
        if (body->present &&
            (cloth_place_body(cloth, body->numbers[level], body->place, &told) < 0 ||
             cloth_move_body(cloth, body->numbers[level], body->target, &told) < 0)) {
            *status = told;
            return status->code;
        }
    }
    return STATUS_OK;
}

void live_bodies_end_step(Live *live, double part) {
    for (int b = 0; b < live->body_count; ++b) {
        LiveBody *body = &live->bodies[b];
        size_t numbers = body->present ? numbers_of(body) : 0;
        for (size_t i = 0; i < numbers; ++i) {
            double way = (double)body->target[i] - body->place[i];
            body->place[i] = part >= 1 ? body->target[i] : (float)(body->place[i] + part * way);
        }
    }
}

/* --- the caller's calls ----------------------------------------------------------------------- */

/* Room for one more; null without memory. */
static LiveBody *next_body(Live *live) {
    if (live->body_count == live->body_room) {
        int room = 2 * live->body_room + 4;
        LiveBody *grown = realloc(live->bodies, (size_t)room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        live->bodies = grown;
        live->body_room = room;
    }
    LiveBody *body = &live->bodies[live->body_count];
    *body = (LiveBody){0};
    for (int l = 0; l < LEVELS_MOST; ++l) {
        body->numbers[l] = -1;
    }
    return body;
}

/* The mesh becomes the body's own; it is kept as it was if there is no memory. */
static StatusCode take_mesh(LiveBody *body, const PolygonMesh *polygons, const BodySurface *surface,
                            Status *status) {
    MeshCopy mesh;
    Store store = {0};
    size_t numbers = 3 * (size_t)polygons->vertex_count;
    if (mesh_copy(polygons, &mesh, status) < 0) {
        return status->code;
    }
    float *place = STORE_ARRAY(&store, float, numbers);
    float *target = STORE_ARRAY(&store, float, numbers);
    if (store.failed) {
        mesh_copy_free(&mesh);
        store_release(&store);
        return status_no_memory(status, "a body");
    }
    free_body(body);
    memcpy(place, polygons->positions, numbers * sizeof *place);
    memcpy(target, place, numbers * sizeof *target);
    body->present = true;
    body->mesh = mesh;
    body->store = store;
    body->surface = *surface;
    body->place = place;
    body->target = target;
    body->inspected = false;
    return STATUS_OK;
}

/* Gives it to the coarser levels that there are. */
static StatusCode give_coarser(Live *live, LiveBody *body, Status *status) {
    StatusCode code = STATUS_OK;
    for (int l = 1; l < live->level_count && code >= 0; ++l) {
        code = live->levels[l].cloth ? give(live, body, l, status) : STATUS_OK;
    }
    return code;
}

/* Level 0 comes first: what it refuses changes nothing, and what it warns of is told. */
StatusCode live_add_body(Live *live, const PolygonMesh *polygons, const BodySurface *surface,
                         int *body, Status *status) {
    settle_end(live);
    LiveBody *added = next_body(live);
    Cloth *fine = live->levels[0].cloth;
    *body = -1;
    if (!added) {
        return status_no_memory(status, "a body");
    }
    StatusCode code = cloth_add_body(fine, polygons, surface, &added->numbers[0], status);
    if (code < 0) {
        return code;
    }
    Status told = {0};
    if (take_mesh(added, polygons, surface, &told) < 0 || give_coarser(live, added, &told) < 0) {
        *status = told;
        cloth_remove_body(fine, added->numbers[0]);
        free_body(added);
        return told.code;
    }
    *body = live->body_count++;
    live_disturb(live);
    return code;
}

StatusCode live_replace_body(Live *live, int number, const PolygonMesh *polygons,
                             const BodySurface *surface, Status *status) {
    settle_end(live);
    LiveBody *body = find_body(live, number);
    StatusCode code =
        cloth_replace_body(live->levels[0].cloth, body->numbers[0], polygons, surface, status);
    if (code < 0) {
        return code;
    }
    Status told = {0};
    live_disturb(live);
    if (take_mesh(body, polygons, surface, &told) < 0 || give_coarser(live, body, &told) < 0) {
        *status = told;
        return told.code;
    }
    return code;
}

void live_remove_body(Live *live, int number) {
    settle_end(live);
    LiveBody *body = find_body(live, number);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (live->levels[l].cloth && body->numbers[l] >= 0) {
            cloth_remove_body(live->levels[l].cloth, body->numbers[l]);
        }
    }
    free_body(body);
    live_disturb(live);
}

int live_body_vertex_count(const Live *live, int number) {
    const LiveBody *body = find_body(live, number);
    return body ? cloth_body_vertex_count(live->levels[0].cloth, body->numbers[0]) : -1;
}

/* Told again where it is, a body disturbs nothing: callers follow a scene in which little moves. */
StatusCode live_move_body(Live *live, int number, const float *positions, Status *status) {
    LiveBody *body = find_body(live, number);
    if (memcmp(body->target, positions, numbers_of(body) * sizeof *positions) != 0) {
        live_disturb(live);
    }
    memcpy(body->target, positions, numbers_of(body) * sizeof *positions);
    return cloth_move_body(live->levels[live->level].cloth, body->numbers[live->level], positions,
                           status);
}

StatusCode live_place_body(Live *live, int number, const float *positions, Status *status) {
    settle_end(live);
    LiveBody *body = find_body(live, number);
    memcpy(body->target, positions, numbers_of(body) * sizeof *positions);
    memcpy(body->place, positions, numbers_of(body) * sizeof *positions);
    live_disturb(live);
    return cloth_place_body(live->levels[live->level].cloth, body->numbers[live->level], positions,
                            status);
}

StatusCode live_set_body_surface(Live *live, int number, const BodySurface *surface,
                                 Status *status) {
    LiveBody *body = find_body(live, number);
    StatusCode code = STATUS_OK;
    for (int l = 0; l < LEVELS_MOST && code >= 0; ++l) {
        if (live->levels[l].cloth && body->numbers[l] >= 0) {
            code = cloth_set_body_surface(live->levels[l].cloth, body->numbers[l], surface, status);
        }
    }
    body->surface = code >= 0 ? *surface : body->surface;
    live_disturb(live);
    return code;
}
