/* From the caller's vertices to the half's and back. */
#include "cloth/domain/domain_state.h"

static bool decides_alone(const Domain *domain, int at) {
    return domain->mode == MIRROR_HALVE || domain->half.image[at] < 0;
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
static Vec3 value_at(const Domain *domain, int at, CarryKind kind, Vec3 own, Vec3 other) {
    const Half *half = &domain->half;
    Vec3 value = to_half(half, kind, own);
    if (half->source[at] < 0) {
        int mirrored = half->rides[domain->stand_in[at]].mirrored;
        value = mirrored ? reflected(kind, value) : value;
        value = kind == CARRY_PLACE ? vec3_add(value, domain->stand_off[at]) : value;
    } else if (!decides_alone(domain, at)) {
        value = vec3_scale(0.5, vec3_add(value, reflected(kind, to_half(half, kind, other))));
    }
    if (at >= half->plane_from && has_direction(kind)) {
        value.x = 0;
    }
    return value;
}

static int partner_at(const Domain *domain, int at) {
    return decides_alone(domain, at) ? domain->stand_in[at] : domain->half.image[at];
}

Vec3 half_value(const Domain *domain, int at, CarryKind kind, const Vec3 *values) {
    return value_at(domain, at, kind, values[domain->stand_in[at]], values[partner_at(domain, at)]);
}

Vec3 half_value_of_floats(const Domain *domain, int at, CarryKind kind, const float *values) {
    return value_at(domain, at, kind, vector_at(values, domain->stand_in[at]),
                    vector_at(values, partner_at(domain, at)));
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
    Domain *domain = context;
    const Half *half = &domain->half;
    const Ride *ride = &half->rides[vertex];
    if (kind == CARRY_PLACE) {
        if (half->has_lifts && domain->lifted != array) {
            half_prepare(half, simulation_pool(domain->halved), array);
            domain->lifted = array;
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
    const Domain *domain = context;
    (void)kind;
    return array[domain->extras.index_of[vertex]];
}

Vec3 carry_to_extra(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Domain *domain = context;
    (void)kind;
    return array[domain->extras.vertices[vertex]];
}

/* --- building --------------------------------------------------------------------------------- */

static void find_partners(Domain *domain) {
    const Half *half = &domain->half;
    for (int v = 0; v < domain->vertex_count; ++v) {
        domain->partner[v] = domain->half_of[v] = -1;
        if (half->rides[v].vertices[0] >= 0) {
            domain->mirrored[domain->mirrored_count++] = v;
        }
    }
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        int source = half->source[i], image = half->image[i];
        if (source >= 0) {
            domain->half_of[source] = i;
            domain->partner[source] = image;
        }
        if (source >= 0 && image >= 0) {
            domain->half_of[image] = i;
            domain->partner[image] = source;
        }
    }
}

/* Half vertices that are none of the caller's follow the one that rides most on them. */
static void find_stand_ins(Domain *domain, double *most) {
    const Half *half = &domain->half;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        domain->stand_in[i] = half->source[i] >= 0 ? half->source[i] : 0;
    }
    for (int v = 0; v < domain->vertex_count; ++v) {
        const Ride *ride = &half->rides[v];
        for (int k = 0; k < 3 && ride->vertices[0] >= 0; ++k) {
            int i = ride->vertices[k];
            if (half->source[i] < 0 && ride->weights[k] > most[i]) {
                most[i] = ride->weights[k];
                domain->stand_in[i] = v;
            }
        }
    }
    const float *rest = domain->mesh.polygons.positions;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        if (half->source[i] < 0) {
            Vec3 at = half_value_of_floats(domain, i, CARRY_PLACE, rest);
            domain->stand_off[i] = vec3_sub(polygon_position(&half->polygons, i), at);
        }
    }
}

/* Vertices that cutting made are of the part of the face that was cut. */
static void find_half_parts(const Domain *domain, const int32_t *parts) {
    const PolygonMesh *polygons = &domain->half.polygons;
    const int32_t *ring = polygons->face_vertices;
    for (int i = 0; i < polygons->vertex_count; ++i) {
        domain->half_parts[i] = parts[domain->stand_in[i]];
    }
    for (int f = 0; f < polygons->face_count; ring += polygons->face_sizes[f++]) {
        int known = -1;
        for (int c = 0; c < polygons->face_sizes[f]; ++c) {
            known = domain->half.source[ring[c]] >= 0 ? ring[c] : known;
        }
        for (int c = 0; c < polygons->face_sizes[f] && known >= 0; ++c) {
            domain->half_parts[ring[c]] = domain->half_parts[known];
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

StatusCode domain_take_maps(Domain *domain, Status *status) {
    int count = domain->vertex_count, half_count = domain->half.polygons.vertex_count;
    size_t most_vertices = (size_t)(count > half_count ? count : half_count);
    Store *store = &domain->store;
    domain->partner = STORE_ARRAY(store, int32_t, count);
    domain->half_of = STORE_ARRAY(store, int32_t, count);
    domain->mirrored = STORE_ARRAY(store, int32_t, count);
    domain->stand_in = STORE_ARRAY(store, int32_t, half_count);
    const int32_t *parts = domain->mesh.polygons.vertex_parts;
    domain->half_parts = parts ? STORE_ARRAY(store, int32_t, half_count) : NULL;
    domain->stand_off = STORE_ARRAY(store, Vec3, half_count);
    domain->floats = STORE_ARRAY(store, float, 3 * most_vertices);
    domain->more_floats = STORE_ARRAY(store, float, 3 * most_vertices);
    domain->room = STORE_ARRAY(store, Vec3, most_vertices);
    domain->offset = STORE_ARRAY(store, Vec3, count);
    domain->pin_at = STORE_ARRAY(store, int32_t, count);
    for (int s = 0; s < 2; ++s) {
        take_pins(&domain->pins[s], (int)most_vertices, store);
    }
    for (int k = 0; k < FIELDS; ++k) {
        domain->fields[k] = STORE_ARRAY(store, float, 3 * (int64_t)count);
    }
    for (int s = 0; s < SCALE_KINDS; ++s) {
        domain->scales[s] = STORE_ARRAY(store, float, count);
        domain->half_scales[s] = STORE_ARRAY(store, float, half_count);
    }
    double *most = STORE_ARRAY(store, double, half_count);
    if (store->failed) {
        return status_no_memory(status, "the maps between a garment and its half");
    }
    find_partners(domain);
    find_stand_ins(domain, most);
    if (parts) {
        find_half_parts(domain, parts);
    }
    for (int v = 0; v < count; ++v) {
        for (int s = 0; s < SCALE_KINDS; ++s) {
            domain->scales[s][v] = 1;
        }
    }
    return STATUS_OK;
}
