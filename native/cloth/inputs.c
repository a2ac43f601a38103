/* Copies of what the caller gives: meshes, maps, fields, materials and bodies; and how symmetric a body is: who is whose partner in
 * it, how far it is from its own image, and what a half sees of it. */
#include "cloth/inputs.h"

#include <stdlib.h>
#include <string.h>

#include "mirror/symmetry/mirror_plane.h"
#include "mirror/symmetry/symmetry.h"

/* Null stays null. */
static const void *copy_array(Store *store, const void *from, size_t count, size_t size) {
    void *to = from ? store_take(store, count, size) : NULL;
    if (to && count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

static void mesh_copy_free(MeshCopy *copy) {
    store_release(&copy->store);
    *copy = (MeshCopy){0};
}

StatusCode mesh_copy(const PolygonMesh *from, MeshCopy *copy, Status *status) {
    size_t corners = 0;
    for (int f = 0; f < from->face_count; ++f) {
        corners += (size_t)from->face_sizes[f];
    }
    *copy = (MeshCopy){.polygons = *from};
    Store *store = &copy->store;
    PolygonMesh *to = &copy->polygons;
    size_t vertices = (size_t)from->vertex_count, faces = (size_t)from->face_count;
    to->positions = copy_array(store, from->positions, 3 * vertices, sizeof(float));
    to->face_sizes = copy_array(store, from->face_sizes, faces, sizeof(int32_t));
    to->face_vertices = copy_array(store, from->face_vertices, corners, sizeof(int32_t));
    to->edges = copy_array(store, from->edges, 2 * (size_t)from->edge_count, sizeof(int32_t));
    to->vertex_parts = copy_array(store, from->vertex_parts, vertices, sizeof(int32_t));
    to->corner_uvs = copy_array(store, from->corner_uvs, 2 * corners, sizeof(float));
    if (!store->failed) {
        return STATUS_OK;
    }
    mesh_copy_free(copy);
    return status_no_memory(status, "a copy of the mesh");
}

/* --- how symmetric a body is -------------------------------------------------------------------- */

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

static StatusCode find_body_partners(const InputBodies *bodies, InputBody *body, Status *status) {
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

/* --- bodies ------------------------------------------------------------------------------------- */

static size_t numbers_of(const InputBody *body) {
    return 3 * (size_t)body->mesh.polygons.vertex_count;
}

InputBody *bodies_find(const InputBodies *bodies, int number) {
    bool known = number >= 0 && number < bodies->count;
    return known && bodies->list[number].present ? &bodies->list[number] : NULL;
}

bool bodies_grow(InputBodies *bodies) {
    bool failed = false;
    if (bodies->count == bodies->room) {
        int room = 2 * bodies->room + 4;
        bodies->list = scratch_grow(bodies->list, (size_t)room, sizeof *bodies->list, &failed);
        bodies->room = failed ? bodies->room : room;
    }
    return !failed;
}

void body_free(InputBody *body) {
    store_release(&body->store);
    mesh_copy_free(&body->mesh);
    *body = (InputBody){0};
}

static void bodies_free(InputBodies *bodies) {
    for (int b = 0; b < bodies->count; ++b) {
        body_free(&bodies->list[b]);
    }
    free(bodies->list);
}

StatusCode bodies_read(const InputBodies *bodies, const PolygonMesh *polygons,
                       const BodySurface *surface, InputBody *body, Status *status) {
    *body = (InputBody){.present = true, .surface = *surface, .alone_vertex = -1};
    if (mesh_copy(polygons, &body->mesh, status) != STATUS_OK) {
        return status->code;
    }
    bool mirrored = bodies->frame != NULL;
    size_t numbers = numbers_of(body);
    Store *store = &body->store;
    body->place = STORE_ARRAY(store, float, numbers);
    body->target = STORE_ARRAY(store, float, numbers);
    body->seen = mirrored ? STORE_ARRAY(store, float, numbers) : NULL;
    body->partners = mirrored ? STORE_ARRAY(store, int32_t, polygons->vertex_count) : NULL;
    StatusCode code = store->failed ? status_no_memory(status, "a body")
                      : mirrored    ? find_body_partners(bodies, body, status)
                                    : STATUS_OK;
    if (code != STATUS_OK) {
        body_free(body);
        return code;
    }
    memcpy(body->place, polygons->positions, numbers * sizeof(float));
    memcpy(body->target, polygons->positions, numbers * sizeof(float));
    if (mirrored) {
        body_measure(bodies, body);
        body->place_asymmetry = body->asymmetry;
    }
    return STATUS_OK;
}

void bodies_end_step(InputBodies *bodies, double part) {
    for (int b = 0; b < bodies->count; ++b) {
        InputBody *body = &bodies->list[b];
        size_t numbers = body->present ? numbers_of(body) : 0;
        for (size_t i = 0; i < numbers; ++i) {
            double way = (double)body->target[i] - body->place[i];
            body->place[i] = part >= 1 ? body->target[i] : (float)(body->place[i] + part * way);
        }
        /* a place on the way is at most as far from its image as the ends are, each in its part */
        double between = (1 - part) * body->place_asymmetry + part * body->asymmetry;
        body->place_asymmetry = part >= 1 ? body->asymmetry : between;
    }
}

/* --- all of it ---------------------------------------------------------------------------------- */

void inputs_begin(ClothInputs *inputs, const SimulationOptions *options) {
    inputs->set = simulation_inputs_of(options);
    inputs->part_count = system_part_count(&options->system);
    memcpy(inputs->materials, options->materials, sizeof inputs->materials);
    inputs->set.materials = inputs->materials;
}

void inputs_free(ClothInputs *inputs) {
    mesh_copy_free(&inputs->mesh);
    bodies_free(&inputs->bodies);
    store_release(&inputs->store);
    store_release(&inputs->pin_store);
    store_release(&inputs->link_store);
}

/* Room for a map or a field that was never given before; the pointer stays null without memory. */
static bool need_array(ClothInputs *inputs, float **own, const float *given, int64_t numbers) {
    if (given && !*own) {
        Store store = {0};
        *own = STORE_ARRAY(&store, float, numbers);
        if (store.failed) {
            store_release(&store);
            *own = NULL;
            return false;
        }
        store_join(&inputs->store, &store);
    }
    return true;
}

bool inputs_make_room(ClothInputs *inputs, const Inputs *given, unsigned what) {
    int64_t count = inputs->mesh.polygons.vertex_count;
    bool has = true;
    for (int k = 0; k < MAP_KINDS && what & INPUT_MAPS; ++k) {
        has = has && need_array(inputs, &inputs->maps[k], given->maps[k], count);
    }
    for (int k = 0; k < FORCE_FIELDS && what & INPUT_FIELDS; ++k) {
        has = has && need_array(inputs, &inputs->fields[k], given->fields[k], 3 * count);
    }
    return has;
}

static const float *keep_array(float *own, const float *given, int64_t numbers) {
    if (given) {
        memcpy(own, given, (size_t)numbers * sizeof *own);
    }
    return given ? own : NULL;
}

void inputs_keep(ClothInputs *inputs, const Inputs *given, unsigned what) {
    int64_t count = inputs->mesh.polygons.vertex_count;
    Inputs *own = &inputs->set;
    inputs_set(own, given, what & ~(unsigned)(INPUT_MATERIALS | INPUT_FIELDS | INPUT_MAPS));
    for (int k = 0; k < MAP_KINDS; ++k) {
        if (what & input_map((MapKind)k)) {
            own->maps[k] = keep_array(inputs->maps[k], given->maps[k], count);
        }
    }
    for (int k = 0; k < FORCE_FIELDS && what & INPUT_FIELDS; ++k) {
        own->fields[k] = keep_array(inputs->fields[k], given->fields[k], 3 * count);
    }
    if (what & INPUT_MATERIALS) {
        size_t parts = (size_t)inputs->part_count;
        memmove(inputs->materials, given->materials, parts * sizeof *inputs->materials);
    }
}
