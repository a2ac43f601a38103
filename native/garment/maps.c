/* From the caller's vertices to the half's and back. */
#include "garment/state.h"

static int decides_alone(const Garment *garment, int at) {
    return garment->mode == MIRROR_HALVE || garment->half.image[at] < 0;
}

static Vec3 to_half(const Half *half, CarryKind kind, Vec3 value) {
    return kind == CARRY_PLACE       ? frame_to_half(&half->frame, value)
           : kind == CARRY_DIRECTION ? frame_turn_to_half(&half->frame, value)
                                     : value;
}

static Vec3 reflected(CarryKind kind, Vec3 value) {
    return kind == CARRY_NUMBERS ? value : frame_reflect_half(value);
}

/* `own` is the value of the caller's vertex that stands for this one, `other` that of its partner. */
static Vec3 value_at(const Garment *garment, int at, CarryKind kind, Vec3 own, Vec3 other) {
    const Half *half = &garment->half;
    Vec3 value = to_half(half, kind, own);
    if (half->source[at] < 0) {
        int mirrored = half->rides[garment->stand_in[at]].mirrored;
        value = mirrored ? reflected(kind, value) : value;
        value = kind == CARRY_PLACE ? vec3_add(value, garment->stand_off[at]) : value;
    } else if (!decides_alone(garment, at)) {
        value = vec3_scale(0.5, vec3_add(value, reflected(kind, to_half(half, kind, other))));
    }
    if (at >= half->plane_from && kind != CARRY_NUMBERS) {
        value.x = 0;
    }
    return value;
}

static int partner_at(const Garment *garment, int at) {
    return decides_alone(garment, at) ? garment->stand_in[at] : garment->half.image[at];
}

Vec3 half_value(const Garment *garment, int at, CarryKind kind, const Vec3 *values) {
    return value_at(garment, at, kind, values[garment->stand_in[at]],
                    values[partner_at(garment, at)]);
}

Vec3 half_value_of_floats(const Garment *garment, int at, CarryKind kind, const float *values) {
    return value_at(garment, at, kind, vector_at(values, garment->stand_in[at]),
                    vector_at(values, partner_at(garment, at)));
}

/* --- between the cloths ----------------------------------------------------------------------- */

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
    Garment *garment = context;
    const Half *half = &garment->half;
    const Ride *ride = &half->rides[vertex];
    if (kind == CARRY_PLACE) {
        if (half->has_lifts && garment->lifted != array) {
            half_prepare(half, array);
            garment->lifted = array;
        }
        return half_place(half, array, vertex);
    }
    Vec3 value = weighted(ride, array);
    if (kind == CARRY_NUMBERS) {
        return value;
    }
    value = ride->mirrored ? frame_reflect_half(value) : value;
    return frame_turn_from_half(&half->frame, value);
}

Vec3 carry_extra_to_whole(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Garment *garment = context;
    (void)kind;
    return array[garment->extras.index_of[vertex]];
}

Vec3 carry_to_extra(void *context, const Vec3 *array, CarryKind kind, int vertex) {
    const Garment *garment = context;
    (void)kind;
    return array[garment->extras.vertices[vertex]];
}

/* --- building --------------------------------------------------------------------------------- */

static void find_partners(Garment *garment) {
    const Half *half = &garment->half;
    for (int v = 0; v < garment->vertex_count; ++v) {
        garment->partner[v] = garment->half_of[v] = -1;
        if (half->rides[v].vertices[0] >= 0) {
            garment->mirrored[garment->mirrored_count++] = v;
        }
    }
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        int source = half->source[i], image = half->image[i];
        if (source >= 0) {
            garment->half_of[source] = i;
            garment->partner[source] = image;
        }
        if (source >= 0 && image >= 0) {
            garment->half_of[image] = i;
            garment->partner[image] = source;
        }
    }
}

/* Half vertices that are none of the caller's follow the one that rides most on them. */
static void find_stand_ins(Garment *garment, double *most) {
    const Half *half = &garment->half;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        garment->stand_in[i] = half->source[i] >= 0 ? half->source[i] : 0;
    }
    for (int v = 0; v < garment->vertex_count; ++v) {
        const Ride *ride = &half->rides[v];
        for (int k = 0; k < 3 && ride->vertices[0] >= 0; ++k) {
            int i = ride->vertices[k];
            if (half->source[i] < 0 && ride->weights[k] > most[i]) {
                most[i] = ride->weights[k];
                garment->stand_in[i] = v;
            }
        }
    }
    const float *rest = garment->mesh.polygons.positions;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        if (half->source[i] < 0) {
            Vec3 at = half_value_of_floats(garment, i, CARRY_PLACE, rest);
            garment->stand_off[i] = vec3_sub(polygon_position(&half->polygons, i), at);
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

StatusCode garment_take_maps(Garment *garment, Status *status) {
    int count = garment->vertex_count, half_count = garment->half.polygons.vertex_count;
    size_t most_vertices = (size_t)(count > half_count ? count : half_count);
    Store *store = &garment->store;
    garment->partner = STORE_ARRAY(store, int32_t, count);
    garment->half_of = STORE_ARRAY(store, int32_t, count);
    garment->mirrored = STORE_ARRAY(store, int32_t, count);
    garment->stand_in = STORE_ARRAY(store, int32_t, half_count);
    garment->stand_off = STORE_ARRAY(store, Vec3, half_count);
    garment->floats = STORE_ARRAY(store, float, 3 * most_vertices);
    garment->more_floats = STORE_ARRAY(store, float, 3 * most_vertices);
    garment->room = STORE_ARRAY(store, Vec3, most_vertices);
    garment->pin_at = STORE_ARRAY(store, int32_t, count);
    for (int s = 0; s < 2; ++s) {
        take_pins(&garment->pins[s], (int)most_vertices, store);
    }
    for (int s = 0; s < 3; ++s) {
        garment->scales[s] = STORE_ARRAY(store, float, count);
        garment->half_scales[s] = STORE_ARRAY(store, float, half_count);
    }
    double *most = STORE_ARRAY(store, double, half_count);
    if (store->failed) {
        return status_no_memory(status, "the maps between a garment and its half");
    }
    find_partners(garment);
    find_stand_ins(garment, most);
    for (int v = 0; v < count; ++v) {
        garment->scales[0][v] = garment->scales[1][v] = garment->scales[2][v] = 1;
    }
    return STATUS_OK;
}
