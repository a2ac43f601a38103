/* Who is whose partner in a body, how far it is from its own image, and what a half sees of it. */
#include <string.h>

#include "cloth/inputs.h"
#include "mirror/symmetry/mirror_plane.h"
#include "mirror/symmetry/symmetry.h"

/* How far a body may be from its own image, of the diagonal of the box around it. */
#define BODY_TOLERANCE 1e-3

static double diagonal_of(const PolygonMesh *mesh) {
    Box box = box_empty();
    for (int v = 0; v < mesh->vertex_count; ++v) {
        box = box_with_point(box, polygon_position(mesh, v));
    }
    return mesh->vertex_count > 0 ? vec3_distance(box.low, box.high) : 0.0;
}

/* Partners in the cloth's plane. A mesh whose edges are finer than the tolerance, or one that cannot be looked at,
 * is looked at as a cloth is; without an answer for most vertices nobody has a partner. */
static StatusCode find_partners(const InputBodies *bodies, InputBody *body, Status *status) {
    const PolygonMesh *mesh = &body->mesh.polygons;
    SymmetryOptions options = {.plane = bodies->frame->plane, .tolerance = body->tolerance};
    Symmetry found;
    StatusCode code = symmetry_find(mesh, &options, &found, body->partners, NULL, status);
    if (code == STATUS_ERROR_ARGUMENT) {
        options.tolerance = 0;
        code = symmetry_find(mesh, &options, &found, body->partners, NULL, status);
    }
    if (code == STATUS_ERROR_MEMORY) {
        return code;
    }
    /* The mean of a few vertices with their images would tear the surface. */
    bool most = code >= 0 && 2 * (found.paired + found.on_plane) >= mesh->vertex_count;
    body->has_partners = most && (found.paired > 0 || found.on_plane == mesh->vertex_count);
    for (int v = 0; v < mesh->vertex_count && !body->has_partners; ++v) {
        body->partners[v] = -1;
    }
    return STATUS_OK;
}

/* A half body is enough: nothing of it beyond the plane. */
static bool is_on_kept_side(const InputBodies *bodies, const InputBody *body) {
    for (int v = 0; v < body->mesh.polygons.vertex_count; ++v) {
        Vec3 at = polygon_position(&body->mesh.polygons, v);
        if (frame_to_half(bodies->frame, at).x < -body->tolerance) {
            return false;
        }
    }
    return true;
}

/* The vertex without a partner that is farthest from where any vertex's image is. */
static StatusCode measure_alone(const InputBodies *bodies, InputBody *body, Status *status) {
    const PolygonMesh *mesh = &body->mesh.polygons;
    Store store = {0};
    Places places;
    Vec3 *at = STORE_ARRAY(&store, Vec3, mesh->vertex_count);
    uint8_t *done = STORE_ARRAY(&store, uint8_t, mesh->vertex_count);
    int left = 0;
    for (int v = 0; v < mesh->vertex_count && !store.failed; ++v) {
        at[v] = polygon_position(mesh, v);
        done[v] = body->partners[v] >= 0;
        left += !done[v];
    }
    if (store.failed || places_build(&places, at, mesh->vertex_count, &store) != 0) {
        store_release(&store);
        return status_no_memory(status, "a body");
    }
    Image image;
    double reach = body->tolerance, size = body->tolerance / BODY_TOLERANCE;
    for (; left > 0 && reach < 2 * size; reach *= 4) {
        places_set(&places, at, bodies->frame->plane, reach);
        for (int v = 0; v < mesh->vertex_count; ++v) {
            if (!done[v] && places_images(&places, v, 1, &image) > 0) {
                done[v] = 1;
                --left;
                if (image.distance > body->alone) {
                    body->alone = image.distance;
                    body->alone_vertex = v;
                }
            }
        }
    }
    for (int v = 0; v < mesh->vertex_count && left > 0; ++v) {
        if (!done[v]) { /* nothing of the body is where its image is */
            left = 0;
            body->alone = vec3_distance(at[v], frame_reflect_point(bodies->frame, at[v]));
            body->alone_vertex = v;
        }
    }
    store_release(&store);
    return STATUS_OK;
}

StatusCode body_find_partners(const InputBodies *bodies, InputBody *body, Status *status) {
    double size = diagonal_of(&body->mesh.polygons);
    body->tolerance = BODY_TOLERANCE * (size > VEC3_TINY ? size : VEC3_TINY);
    if (find_partners(bodies, body, status) != STATUS_OK) {
        return status->code;
    }
    bool enough = !body->has_partners && is_on_kept_side(bodies, body) && bodies->symmetrised;
    return enough ? STATUS_OK : measure_alone(bodies, body, status);
}

/* Half a body stands for a whole one only as long as it stays on its side. */
static void measure_beyond(const InputBodies *bodies, InputBody *body) {
    for (int v = 0; v < body->mesh.polygons.vertex_count; ++v) {
        double beyond = -frame_to_half(bodies->frame, vector_at(body->target, v)).x;
        if (beyond > body->asymmetry && beyond > body->tolerance) {
            body->asymmetry = beyond;
            body->asymmetry_vertex = v;
        }
    }
}

void body_measure(const InputBodies *bodies, InputBody *body) {
    body->asymmetry = body->alone;
    body->asymmetry_vertex = body->alone_vertex;
    if (!body->has_partners && body->alone_vertex < 0) {
        measure_beyond(bodies, body);
        return;
    }
    for (int v = 0; v < body->mesh.polygons.vertex_count; ++v) {
        int partner = body->partners[v];
        if (partner < v) { /* without one, or seen from the other side */
            continue;
        }
        Vec3 image = frame_reflect_point(bodies->frame, vector_at(body->target, v));
        double distance = vec3_distance(image, vector_at(body->target, partner));
        if (distance > body->asymmetry || body->asymmetry_vertex < 0) {
            body->asymmetry = distance;
            body->asymmetry_vertex = v;
        }
    }
}

void body_for_half(const MirrorFrame *frame, const InputBody *body, const float *places) {
    for (int v = 0; v < body->mesh.polygons.vertex_count; ++v) {
        int partner = body->partners[v];
        Vec3 at = frame_to_half(frame, vector_at(places, v));
        if (partner >= 0) {
            Vec3 image = frame_reflect_half(frame_to_half(frame, vector_at(places, partner)));
            at = vec3_scale(0.5, vec3_add(at, image));
        }
        set_vector(body->seen, v, at);
    }
}

/* --- who hears of it ---------------------------------------------------------------------------- */

bool bodies_want_whole(const InputBodies *bodies) {
    bool want = false;
    for (int b = 0; b < bodies->count && !bodies->symmetrised; ++b) {
        const InputBody *body = &bodies->list[b];
        want |= body->present &&
                (body->asymmetry > body->tolerance || body->place_asymmetry > body->tolerance);
    }
    return want;
}

StatusCode body_tell_asymmetric(const InputBodies *bodies, int number, Status *status) {
    InputBody *body = &bodies->list[number];
    if (!bodies->frame || body->reported || body->asymmetry <= body->tolerance) {
        return status->code;
    }
    static const char *const words[] = {
        [OUTCOME_SOLVED_WHOLE] = "all of the garment is simulated while that lasts",
        [OUTCOME_MEAN_MET] = "the garment collides with the mean of the body and its image; only a "
                             "whole garment collides with the body itself",
        [OUTCOME_KEPT_SIDE_MET] = "both sides collide with the kept side of the mirror plane only"};
    DetailOutcome outcome = !bodies->symmetrised ? OUTCOME_SOLVED_WHOLE
                            : body->has_partners ? OUTCOME_MEAN_MET
                                                 : OUTCOME_KEPT_SIDE_MET;
    body->reported = 1;
    status_next(status, STATUS_WARNING_MIRROR);
    status_append(status, "body %d is not its own mirror image: its vertex %d is %.3g m off",
                  number, body->asymmetry_vertex, body->asymmetry);
    int cause_end = (int)strlen(status->message);
    status_append(status, ", so %s", words[outcome]);
    Detail *detail = status_detail(status, DETAIL_BODY_ASYMMETRIC);
    detail->cause_end = cause_end;
    detail->outcome = outcome;
    detail->element = ELEMENT_BODY_VERTEX;
    detail->elements[0] = body->asymmetry_vertex;
    detail->count = 1;
    detail->body = number;
    detail->value = body->asymmetry;
    detail->limit = body->tolerance;
    return status->code;
}
