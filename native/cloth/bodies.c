/* Bodies as the caller has them, for inspections and for levels that are not stepped or not built. */
#include <stdlib.h>
#include <string.h>

#include "cloth/state.h"

static ClothBody *find_body(const Cloth *cloth, int number) {
    bool known = number >= 0 && number < cloth->body_count;
    return known && cloth->bodies[number].present ? &cloth->bodies[number] : NULL;
}

static size_t numbers_of(const ClothBody *body) {
    return 3 * (size_t)body->mesh.polygons.vertex_count;
}

static void free_body(ClothBody *body) {
    store_release(&body->store);
    mesh_copy_free(&body->mesh);
    body->present = false;
}

void cloth_bodies_free(Cloth *cloth) {
    for (int b = 0; b < cloth->body_count; ++b) {
        free_body(&cloth->bodies[b]);
    }
    free(cloth->bodies);
}

/* --- what the levels know of them ------------------------------------------------------------- */

static StatusCode give(Cloth *cloth, ClothBody *body, int level, Status *status) {
    Domain *domain = cloth->levels[level].domain;
    int *number = &body->numbers[level];
    Status told = {0}; /* warnings were told by level 0 */
    StatusCode code =
        *number < 0
            ? domain_add_body(domain, &body->mesh.polygons, &body->surface, number, &told)
            : domain_replace_body(domain, *number, &body->mesh.polygons, &body->surface, &told);
    *status = code < 0 ? told : *status;
    return code < 0 ? code : STATUS_OK;
}

StatusCode cloth_bodies_give(Cloth *cloth, int level, Status *status) {
    StatusCode code = STATUS_OK;
    for (int b = 0; b < cloth->body_count && code >= 0; ++b) {
        cloth->bodies[b].numbers[level] = -1;
        if (cloth->bodies[b].present) {
            code = give(cloth, &cloth->bodies[b], level, status);
        }
    }
    return code;
}

StatusCode cloth_bodies_put(Cloth *cloth, int level, Status *status) {
    Domain *domain = cloth->levels[level].domain;
    for (int b = 0; b < cloth->body_count; ++b) {
        const ClothBody *body = &cloth->bodies[b];
        Status told = {0};
        if (body->present &&
            (domain_place_body(domain, body->numbers[level], body->place, &told) < 0 ||
             domain_move_body(domain, body->numbers[level], body->target, &told) < 0)) {
            *status = told;
            return status->code;
        }
    }
    return STATUS_OK;
}

void cloth_bodies_end_step(Cloth *cloth, double part) {
    for (int b = 0; b < cloth->body_count; ++b) {
        ClothBody *body = &cloth->bodies[b];
        size_t numbers = body->present ? numbers_of(body) : 0;
        for (size_t i = 0; i < numbers; ++i) {
            double way = (double)body->target[i] - body->place[i];
            body->place[i] = part >= 1 ? body->target[i] : (float)(body->place[i] + part * way);
        }
    }
}

/* --- the caller's calls ----------------------------------------------------------------------- */

/* Room for one more; null without memory. */
static ClothBody *next_body(Cloth *cloth) {
    if (cloth->body_count == cloth->body_room) {
        int room = 2 * cloth->body_room + 4;
        ClothBody *grown = realloc(cloth->bodies, (size_t)room * sizeof *grown);
        if (!grown) {
            return NULL;
        }
        cloth->bodies = grown;
        cloth->body_room = room;
    }
    ClothBody *body = &cloth->bodies[cloth->body_count];
    *body = (ClothBody){0};
    for (int l = 0; l < LEVELS_MOST; ++l) {
        body->numbers[l] = -1;
    }
    return body;
}

/* The mesh becomes the body's own; it is kept as it was if there is no memory. */
static StatusCode take_mesh(ClothBody *body, const PolygonMesh *polygons,
                            const BodySurface *surface, Status *status) {
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
static StatusCode give_coarser(Cloth *cloth, ClothBody *body, Status *status) {
    StatusCode code = STATUS_OK;
    for (int l = 1; l < cloth->level_count && code >= 0; ++l) {
        code = cloth->levels[l].domain ? give(cloth, body, l, status) : STATUS_OK;
    }
    return code;
}

/* Level 0 comes first: what it refuses changes nothing, and what it warns of is told. */
StatusCode cloth_add_body(Cloth *cloth, const PolygonMesh *polygons, const BodySurface *surface,
                          int *body, Status *status) {
    settle_end(cloth);
    ClothBody *added = next_body(cloth);
    Domain *fine = cloth->levels[0].domain;
    *body = -1;
    if (!added) {
        return status_no_memory(status, "a body");
    }
    StatusCode code = domain_add_body(fine, polygons, surface, &added->numbers[0], status);
    if (code < 0) {
        return code;
    }
    Status told = {0};
    if (take_mesh(added, polygons, surface, &told) < 0 || give_coarser(cloth, added, &told) < 0) {
        *status = told;
        domain_remove_body(fine, added->numbers[0]);
        free_body(added);
        return told.code;
    }
    *body = cloth->body_count++;
    cloth_disturb(cloth);
    return code;
}

StatusCode cloth_replace_body(Cloth *cloth, int number, const PolygonMesh *polygons,
                              const BodySurface *surface, Status *status) {
    settle_end(cloth);
    ClothBody *body = find_body(cloth, number);
    StatusCode code =
        domain_replace_body(cloth->levels[0].domain, body->numbers[0], polygons, surface, status);
    if (code < 0) {
        return code;
    }
    Status told = {0};
    cloth_disturb(cloth);
    if (take_mesh(body, polygons, surface, &told) < 0 || give_coarser(cloth, body, &told) < 0) {
        *status = told;
        return told.code;
    }
    return code;
}

void cloth_remove_body(Cloth *cloth, int number) {
    settle_end(cloth);
    ClothBody *body = find_body(cloth, number);
    for (int l = 0; l < LEVELS_MOST; ++l) {
        if (cloth->levels[l].domain && body->numbers[l] >= 0) {
            domain_remove_body(cloth->levels[l].domain, body->numbers[l]);
        }
    }
    free_body(body);
    cloth_disturb(cloth);
}

int cloth_body_vertex_count(const Cloth *cloth, int number) {
    const ClothBody *body = find_body(cloth, number);
    return body ? domain_body_vertex_count(cloth->levels[0].domain, body->numbers[0]) : -1;
}

/* Told again where it is, a body disturbs nothing: callers follow a scene in which little moves. */
StatusCode cloth_move_body(Cloth *cloth, int number, const float *positions, Status *status) {
    ClothBody *body = find_body(cloth, number);
    if (memcmp(body->target, positions, numbers_of(body) * sizeof *positions) != 0) {
        cloth_disturb(cloth);
    }
    memcpy(body->target, positions, numbers_of(body) * sizeof *positions);
    return domain_move_body(cloth->levels[cloth->level].domain, body->numbers[cloth->level],
                            positions, status);
}

StatusCode cloth_place_body(Cloth *cloth, int number, const float *positions, Status *status) {
    settle_end(cloth);
    ClothBody *body = find_body(cloth, number);
    memcpy(body->target, positions, numbers_of(body) * sizeof *positions);
    memcpy(body->place, positions, numbers_of(body) * sizeof *positions);
    cloth_disturb(cloth);
    return domain_place_body(cloth->levels[cloth->level].domain, body->numbers[cloth->level],
                             positions, status);
}

StatusCode cloth_set_body_surface(Cloth *cloth, int number, const BodySurface *surface,
                                  Status *status) {
    ClothBody *body = find_body(cloth, number);
    StatusCode code = STATUS_OK;
    for (int l = 0; l < LEVELS_MOST && code >= 0; ++l) {
        if (cloth->levels[l].domain && body->numbers[l] >= 0) {
            code =
                domain_set_body_surface(cloth->levels[l].domain, body->numbers[l], surface, status);
        }
    }
    body->surface = code >= 0 ? *surface : body->surface;
    cloth_disturb(cloth);
    return code;
}
