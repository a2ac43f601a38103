/* The bodies of a mirrored garment: kept as the caller has them, seen by the half as their mean with their image. */
#include "garment/bodies.h"

#include <stdlib.h>
#include <string.h>

static GarmentBody *find_body(const Garment *garment, int number) {
    int known = number >= 0 && number < garment->body_count;
    return known && garment->bodies[number].present ? &garment->bodies[number] : NULL;
}

/* What a cloth shall know of these places of a body's vertices. */
static const float *seen_by(Garment *garment, GarmentBody *body, const Cloth *cloth,
                            const float *places) {
    if (cloth != garment->halved) {
        return places;
    }
    body_for_half(garment, body, places, body->seen);
    return body->seen;
}

static int *number_in(const Garment *garment, GarmentBody *body, const Cloth *cloth) {
    return cloth == garment->halved  ? &body->half_number
           : cloth == garment->whole ? &body->whole_number
                                     : &body->extra_number;
}

static void put(Garment *garment, GarmentBody *body, Cloth *cloth) {
    int number = *number_in(garment, body, cloth);
    cloth_place_body(cloth, number, seen_by(garment, body, cloth, body->place));
    cloth_move_body(cloth, number, seen_by(garment, body, cloth, body->target));
}

void bodies_put(Garment *garment, Cloth *cloth) {
    for (int b = 0; b < garment->body_count; ++b) {
        if (garment->bodies[b].present) {
            put(garment, &garment->bodies[b], cloth);
        }
    }
}

/* Gives a body to a cloth, as a new one or in place of the one that it knows; as it was given, whatever it did since, so
 * that it is built alike in every cloth. */
static StatusCode push_body(Garment *garment, GarmentBody *body, Cloth *cloth, Status *status) {
    int *number = number_in(garment, body, cloth);
    PolygonMesh polygons = body->mesh.polygons;
    polygons.positions = seen_by(garment, body, cloth, polygons.positions);
    return *number < 0 ? cloth_add_body(cloth, &polygons, &body->surface, number, status)
                       : cloth_replace_body(cloth, *number, &polygons, &body->surface, status);
}

StatusCode bodies_push_all(Garment *garment, Cloth *cloth, Status *status) {
    for (int b = 0; b < garment->body_count; ++b) {
        GarmentBody *body = &garment->bodies[b];
        Status told = {0};
        *number_in(garment, body, cloth) = -1;
        if (body->present && push_body(garment, body, cloth, &told) < 0) {
            *status = told;
            return status->code;
        }
    }
    return STATUS_OK;
}

int bodies_want_whole(const Garment *garment) {
    if (garment->options.mirror.asymmetric_body != BODY_SOLVE_WHOLE) {
        return 0;
    }
    for (int b = 0; b < garment->body_count; ++b) {
        const GarmentBody *body = &garment->bodies[b];
        if (body->present &&
            (body->asymmetry > body->tolerance || body->place_asymmetry > body->tolerance)) {
            return 1;
        }
    }
    return 0;
}

void bodies_end_step(Garment *garment, double part) {
    for (int b = 0; b < garment->body_count; ++b) {
        GarmentBody *body = &garment->bodies[b];
        size_t numbers = body->present ? 3 * (size_t)body->mesh.polygons.vertex_count : 0;
        for (size_t i = 0; i < numbers; ++i) {
            double way = (double)body->target[i] - body->place[i];
            body->place[i] = part >= 1 ? body->target[i] : (float)(body->place[i] + part * way);
        }
        /* a place on the way is at most as far from its image as the ends are, each in its part */
        double between = (1 - part) * body->place_asymmetry + part * body->asymmetry;
        body->place_asymmetry = part >= 1 ? body->asymmetry : between;
    }
}

static void free_body(GarmentBody *body) {
    store_release(&body->store);
    mesh_copy_free(&body->mesh);
}

void bodies_free(Garment *garment) {
    for (int b = 0; b < garment->body_count; ++b) {
        free_body(&garment->bodies[b]);
    }
    free(garment->bodies);
}

/* --- the caller's calls ----------------------------------------------------------------------- */

static const char *what_is_met(const Garment *garment, const GarmentBody *body) {
    return garment->options.mirror.asymmetric_body != BODY_SYMMETRISE
               ? "all of the garment is simulated while that lasts"
           : body->has_partners
               ? "the garment meets the mean of both"
               : "only what is on the kept side of the mirror plane is met, by both sides";
}

/* Adds what is to be told of a body's asymmetry to what the cloth had to say. */
static StatusCode tell_asymmetric(const Garment *garment, GarmentBody *body, int number,
                                  Status *status) {
    if (body->told || body->asymmetry <= body->tolerance) {
        return status->code;
    }
    body->told = 1;
    if (status->code == STATUS_OK) {
        status_set(status, STATUS_WARNING_MIRROR, "%s", "");
    } else {
        status_append(status, "; ");
    }
    status_append(status, "body %d is not its own mirror image, its vertex %d is %.3g m off, so %s",
                  number, body->asymmetry_vertex, body->asymmetry, what_is_met(garment, body));
    return status->code;
}

/* To both cloths, or to none. */
static StatusCode push_new(Garment *garment, GarmentBody *body, Status *status) {
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    for (int c = 0; c < count; ++c) {
        Status told = {0};
        if (push_body(garment, body, cloths[c], &told) < 0) {
            while (c-- > 0) {
                cloth_remove_body(cloths[c], *number_in(garment, body, cloths[c]));
            }
            *status = told;
            return status->code;
        }
        *status = c == 0 ? told : *status; /* they all say the same */
    }
    return status->code;
}

/* Likewise in place of another body. */
static StatusCode push_other(Garment *garment, GarmentBody *body, GarmentBody *old,
                             Status *status) {
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    for (int c = 0; c < count; ++c) {
        Status told = {0}, ignored = {0};
        if (push_body(garment, body, cloths[c], &told) < 0) {
            while (c-- > 0) {
                push_body(garment, old, cloths[c], &ignored);
                put(garment, old, cloths[c]);
            }
            *status = told;
            return status->code;
        }
        *status = c == 0 ? told : *status;
    }
    return status->code;
}

static int grow(Garment *garment) {
    if (garment->body_count < garment->body_room) {
        return 1;
    }
    int room = 2 * garment->body_room + 4, failed = 0;
    garment->bodies = scratch_grow(garment->bodies, (size_t)room, sizeof *garment->bodies, &failed);
    garment->body_room = failed ? garment->body_room : room;
    return !failed;
}

StatusCode garment_add_body(Garment *garment, const PolygonMesh *polygons,
                            const BodySurface *surface, int *number, Status *status) {
    if (garment->mode == MIRROR_OFF) {
        return cloth_add_body(garment->whole, polygons, surface, number, status);
    }
    GarmentBody body;
    *number = -1;
    if (!grow(garment)) {
        return status_no_memory(status, "a body");
    }
    if (body_read(garment, polygons, surface, &body, status) < 0) {
        return status->code;
    }
    status_clear(status);
    if (push_new(garment, &body, status) < 0) {
        free_body(&body);
        return status->code;
    }
    *number = garment->body_count++;
    garment->bodies[*number] = body;
    return tell_asymmetric(garment, &garment->bodies[*number], *number, status);
}

StatusCode garment_replace_body(Garment *garment, int number, const PolygonMesh *polygons,
                                const BodySurface *surface, Status *status) {
    if (garment->mode == MIRROR_OFF) {
        return cloth_replace_body(garment->whole, number, polygons, surface, status);
    }
    GarmentBody *old = find_body(garment, number), body;
    if (body_read(garment, polygons, surface, &body, status) < 0) {
        return status->code;
    }
    status_clear(status);
    body.half_number = old->half_number;
    body.whole_number = old->whole_number;
    body.extra_number = old->extra_number;
    if (push_other(garment, &body, old, status) < 0) {
        free_body(&body);
        return status->code;
    }
    free_body(old);
    *old = body;
    return tell_asymmetric(garment, old, number, status);
}

void garment_remove_body(Garment *garment, int number) {
    if (garment->mode == MIRROR_OFF) {
        cloth_remove_body(garment->whole, number);
        return;
    }
    GarmentBody *body = find_body(garment, number);
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    for (int c = 0; c < count; ++c) {
        cloth_remove_body(cloths[c], *number_in(garment, body, cloths[c]));
    }
    free_body(body);
    *body = (GarmentBody){.half_number = -1, .whole_number = -1, .extra_number = -1};
}

int garment_body_vertex_count(const Garment *garment, int number) {
    if (garment->mode == MIRROR_OFF) {
        return cloth_body_vertex_count(garment->whole, number);
    }
    const GarmentBody *body = find_body(garment, number);
    return body ? body->mesh.polygons.vertex_count : -1;
}

StatusCode garment_move_body(Garment *garment, int number, const float *positions, Status *status) {
    if (garment->mode == MIRROR_OFF) {
        cloth_move_body(garment->whole, number, positions);
        return STATUS_OK;
    }
    GarmentBody *body = find_body(garment, number);
    Cloth *cloths[2];
    int count = garment_stepped(garment, cloths);
    status_clear(status);
    memcpy(body->target, positions, 3 * sizeof(float) * (size_t)body->mesh.polygons.vertex_count);
    body_measure(garment, body);
    for (int c = 0; c < count; ++c) {
        cloth_move_body(cloths[c], *number_in(garment, body, cloths[c]),
                        seen_by(garment, body, cloths[c], body->target));
    }
    return tell_asymmetric(garment, body, number, status);
}

StatusCode garment_place_body(Garment *garment, int number, const float *positions,
                              Status *status) {
    if (garment->mode == MIRROR_OFF) {
        cloth_place_body(garment->whole, number, positions);
        return STATUS_OK;
    }
    GarmentBody *body = find_body(garment, number);
    size_t bytes = 3 * sizeof(float) * (size_t)body->mesh.polygons.vertex_count;
    status_clear(status);
    memcpy(body->place, positions, bytes);
    memcpy(body->target, positions, bytes);
    body_measure(garment, body);
    body->place_asymmetry = body->asymmetry;
    Cloth *cloths[2];
    int count = garment_stepped(garment, cloths);
    for (int c = 0; c < count; ++c) {
        put(garment, body, cloths[c]);
    }
    return tell_asymmetric(garment, body, number, status);
}

StatusCode garment_set_body_surface(Garment *garment, int number, const BodySurface *surface,
                                    Status *status) {
    if (garment->mode == MIRROR_OFF) {
        return cloth_set_body_surface(garment->whole, number, surface, status);
    }
    GarmentBody *body = find_body(garment, number);
    Cloth *cloths[3];
    int count = garment_cloths(garment, cloths);
    for (int c = 0; c < count; ++c) {
        int known = *number_in(garment, body, cloths[c]);
        if (cloth_set_body_surface(cloths[c], known, surface, status) < 0) {
            Status ignored = {0};
            while (c-- > 0) { /* all as they were */
                cloth_set_body_surface(cloths[c], *number_in(garment, body, cloths[c]),
                                       &body->surface, &ignored);
            }
            return status->code;
        }
    }
    body->surface = *surface;
    return STATUS_OK;
}
