/* Copies of what the caller gives: meshes, bodies, maps, fields and materials. */
#include "cloth/inputs.h"

#include <stdlib.h>
#include <string.h>

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
                      : mirrored    ? body_find_partners(bodies, body, status)
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
