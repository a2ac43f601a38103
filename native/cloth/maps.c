/* From the caller's vertices to the half's and back. */
#include "cloth/state.h"

static bool decides_alone(const Cloth *cloth, int at) {
    return cloth->mode == MIRROR_HALVE || cloth->half.image[at] < 0;
}

static Vec3 to_half(const Half *half, CarryKind kind, Vec3 value) {
    return kind == CARRY_PLACE       ? frame_to_half(&half->frame, value)
           : kind == CARRY_DIRECTION ? frame_turn_to_half(&half->frame, value)
                                     : value;
}

static bool has_direction(CarryKind kind) { return kind == CARRY_PLACE || kind == CARRY_DIRECTION; }

/* Twist is the last of a fold's numbers. */
static Vec3 reflected(CarryKind kind, Vec3 value) {
    return kind == CARRY_NUMBERS ? value
           : kind == CARRY_FOLDS ? vec3(value.x, value.y, -value.z)
                                 : frame_reflect_half(value);
}

/* `own` is the value of the caller's vertex that stands for this one, `other` that of its partner. */
static Vec3 value_at(const Cloth *cloth, int at, CarryKind kind, Vec3 own, Vec3 other) {
    const Half *half = &cloth->half;
    Vec3 value = to_half(half, kind, own);
    if (half->source[at] < 0) {
        int mirrored = half->rides[cloth->stand_in[at]].mirrored;
        value = mirrored ? reflected(kind, value) : value;
        value = kind == CARRY_PLACE ? vec3_add(value, cloth->stand_off[at]) : value;
    } else if (!decides_alone(cloth, at)) {
        value = vec3_scale(0.5, vec3_add(value, reflected(kind, to_half(half, kind, other))));
    }
    if (at >= half->plane_from && has_direction(kind)) {
        value.x = 0;
    }
    return value;
}

static int partner_at(const Cloth *cloth, int at) {
    return decides_alone(cloth, at) ? cloth->stand_in[at] : cloth->half.image[at];
}

Vec3 half_value(const Cloth *cloth, int at, CarryKind kind, const Vec3 *values) {
    return value_at(cloth, at, kind, values[cloth->stand_in[at]], values[partner_at(cloth, at)]);
}

Vec3 half_value_of_floats(const Cloth *cloth, int at, CarryKind kind, const float *values) {
    return value_at(cloth, at, kind, vector_at(values, cloth->stand_in[at]),
                    vector_at(values, partner_at(cloth, at)));
}

/* --- between the simulations ----------------------------------------------------------------------- */

Vec3 carry_to_half(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    return half_value(context, vertex, kind, array);
}

static Vec3 weighted(const Ride *ride, const Vec3 *array) {
    if (ride->weights[0] == 1) {
        return array[ride->vertices[0]];
    }
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        sum = vec3_madd(sum, ride->weights[k], array[ride->vertices[k]]);
    }
    return sum;
}

Vec3 carry_to_whole(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    Cloth *cloth = context;
    const Half *half = &cloth->half;
    const Ride *ride = &half->rides[vertex];
    if (kind == CARRY_PLACE) {
        if (half->has_lifts && cloth->lifted != array) {
            half_prepare(half, simulation_pool(cloth->halved), array);
            cloth->lifted = array;
        }
        return half_place(half, array, vertex);
    }
    Vec3 value = weighted(ride, array);
    value = ride->mirrored ? reflected(kind, value) : value;
    if (!has_direction(kind)) {
        return value;
    }
    return frame_turn_from_half(&half->frame, value);
}

Vec3 carry_extra_to_whole(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Cloth *cloth = context;
    (void)kind;
    return array[cloth->extras.index_of[vertex]];
}

Vec3 carry_to_extra(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Cloth *cloth = context;
    (void)kind;
    return array[cloth->extras.vertices[vertex]];
}

/* --- building --------------------------------------------------------------------------------- */

static void find_partners(Cloth *cloth) {
    const Half *half = &cloth->half;
    for (int v = 0; v < cloth->vertex_count; ++v) {
        cloth->partner[v] = cloth->half_of[v] = -1;
        if (half->rides[v].vertices[0] >= 0) {
            cloth->mirrored[cloth->mirrored_count++] = v;
        }
    }
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        int source = half->source[i], image = half->image[i];
        if (source >= 0) {
            cloth->half_of[source] = i;
            cloth->partner[source] = image;
        }
        if (source >= 0 && image >= 0) {
            cloth->half_of[image] = i;
            cloth->partner[image] = source;
        }
    }
}

/* Half vertices that are none of the caller's follow the one that rides most on them. */
static void find_stand_ins(Cloth *cloth, double *most) {
    const Half *half = &cloth->half;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        cloth->stand_in[i] = half->source[i] >= 0 ? half->source[i] : 0;
    }
    for (int v = 0; v < cloth->vertex_count; ++v) {
        const Ride *ride = &half->rides[v];
        for (int k = 0; k < 3 && ride->vertices[0] >= 0; ++k) {
            int i = ride->vertices[k];
            if (half->source[i] < 0 && ride->weights[k] > most[i]) {
                most[i] = ride->weights[k];
                cloth->stand_in[i] = v;
            }
        }
    }
    const float *rest = cloth->mesh.polygons.positions;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        if (half->source[i] < 0) {
            Vec3 at = half_value_of_floats(cloth, i, CARRY_PLACE, rest);
            cloth->stand_off[i] = vec3_sub(polygon_position(&half->polygons, i), at);
        }
    }
}

/* Vertices that cutting made are of the part of the face that was cut. */
static void find_half_parts(const Cloth *cloth, const int32_t *parts) {
    const PolygonMesh *polygons = &cloth->half.polygons;
    const int32_t *ring = polygons->face_vertices;
    for (int i = 0; i < polygons->vertex_count; ++i) {
        cloth->half_parts[i] = parts[cloth->stand_in[i]];
    }
    for (int f = 0; f < polygons->face_count; ring += polygons->face_sizes[f++]) {
        int known = -1;
        for (int c = 0; c < polygons->face_sizes[f]; ++c) {
            known = cloth->half.source[ring[c]] >= 0 ? ring[c] : known;
        }
        for (int c = 0; c < polygons->face_sizes[f] && known >= 0; ++c) {
            cloth->half_parts[ring[c]] = cloth->half_parts[known];
        }
    }
}

static void take_pins(PinSet *set, int count, Store *store) {
    size_t vectors = 3 * (size_t)count;
    set->vertices = STORE_ARRAY(store, int32_t, count);
    set->weights = STORE_ARRAY(store, float, count);
    set->targets = STORE_ARRAY(store, float, vectors);
    set->half_vertices = STORE_ARRAY(store, int32_t, count);
    set->half_weights = STORE_ARRAY(store, float, count);
    set->half_targets = STORE_ARRAY(store, float, vectors);
    set->pairs = store_take(store, (size_t)count, sizeof *set->pairs);
}

StatusCode cloth_take_maps(Cloth *cloth, Status *status) {
    int count = cloth->vertex_count, half_count = cloth->half.polygons.vertex_count;
    size_t most_vertices = (size_t)(count > half_count ? count : half_count);
    Store *store = &cloth->store;
    cloth->partner = STORE_ARRAY(store, int32_t, count);
    cloth->half_of = STORE_ARRAY(store, int32_t, count);
    cloth->mirrored = STORE_ARRAY(store, int32_t, count);
    cloth->stand_in = STORE_ARRAY(store, int32_t, half_count);
    const int32_t *parts = cloth->mesh.polygons.vertex_parts;
    cloth->half_parts = parts ? STORE_ARRAY(store, int32_t, half_count) : NULL;
    cloth->stand_off = STORE_ARRAY(store, Vec3, half_count);
    cloth->floats = STORE_ARRAY(store, float, 3 * most_vertices);
    cloth->more_floats = STORE_ARRAY(store, float, 3 * most_vertices);
    cloth->room = STORE_ARRAY(store, Vec3, most_vertices);
    cloth->offset = STORE_ARRAY(store, Vec3, count);
    cloth->pin_at = STORE_ARRAY(store, int32_t, count);
    for (int s = 0; s < 2; ++s) {
        take_pins(&cloth->pins[s], (int)most_vertices, store);
    }
    for (int k = 0; k < FIELDS; ++k) {
        cloth->fields[k] = STORE_ARRAY(store, float, 3 * (int64_t)count);
    }
    for (int s = 0; s < SCALE_KINDS; ++s) {
        cloth->scales[s] = STORE_ARRAY(store, float, count);
        cloth->half_scales[s] = STORE_ARRAY(store, float, half_count);
    }
    double *most = STORE_ARRAY(store, double, half_count);
    if (store->failed) {
        return status_no_memory(status, "the maps between a garment and its half");
    }
    find_partners(cloth);
    find_stand_ins(cloth, most);
    if (parts) {
        find_half_parts(cloth, parts);
    }
    for (int v = 0; v < count; ++v) {
        for (int s = 0; s < SCALE_KINDS; ++s) {
            cloth->scales[s][v] = 1;
        }
    }
    return STATUS_OK;
}
