/* From the caller's vertices to the half's and back. */
#include "cloth/domain/domain_state.h"

/* --- between the simulations ----------------------------------------------------------------------- */

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
    Vec3 value = ride_weighted(ride, array);
    value = ride->mirrored ? carry_reflected(kind, value) : value;
    return kind == CARRY_DIRECTION ? frame_turn_from_half(&half->frame, value) : value;
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
}

static void find_stand_offs(Domain *domain) {
    const Half *half = &domain->half;
    const float *rest = domain->polygons->positions;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        if (half->source[i] < 0) {
            Vec3 at = mapping_value_of_floats(&domain->to_half, i, CARRY_PLACE, rest);
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

/* A half vertex has the mean of its caller's vertex and of the partner's image, where not one side alone counts. */
static void find_mapping(Domain *domain) {
    const Half *half = &domain->half;
    for (int i = 0; i < half->polygons.vertex_count; ++i) {
        bool follows = half->source[i] < 0, beyond = half->rides[domain->stand_in[i]].mirrored;
        domain->stands_in[i] = (uint8_t)(follows ? STANDS_IN | (beyond ? STANDS_BEYOND : 0) : 0);
        domain->half_image[i] = domain->mode == MIRROR_EXACT ? half->image[i] : -1;
    }
    domain->to_half = (Mapping){.count = half->polygons.vertex_count,
                                .source = domain->stand_in,
                                .image = domain->half_image,
                                .frame = &half->frame,
                                .stands_in = domain->stands_in,
                                .stand_off = domain->stand_off,
                                .plane_from = half->plane_from};
}

StatusCode domain_take_maps(Domain *domain, Status *status) {
    int count = domain->vertex_count, half_count = domain->half.polygons.vertex_count;
    size_t most_vertices = (size_t)(count > half_count ? count : half_count);
    Store *store = &domain->store;
    domain->partner = STORE_ARRAY(store, int32_t, count);
    domain->half_of = STORE_ARRAY(store, int32_t, count);
    domain->mirrored = STORE_ARRAY(store, int32_t, count);
    domain->stand_in = STORE_ARRAY(store, int32_t, half_count);
    const int32_t *parts = domain->polygons->vertex_parts;
    domain->half_parts = parts ? STORE_ARRAY(store, int32_t, half_count) : NULL;
    domain->stand_off = STORE_ARRAY(store, Vec3, half_count);
    domain->floats = STORE_ARRAY(store, float, 3 * most_vertices);
    domain->more_floats = STORE_ARRAY(store, float, 3 * most_vertices);
    domain->room = STORE_ARRAY(store, Vec3, most_vertices);
    domain->offset = STORE_ARRAY(store, Vec3, count);
    domain->pin_at = STORE_ARRAY(store, int32_t, count);
    domain->half_image = STORE_ARRAY(store, int32_t, half_count);
    domain->stands_in = STORE_ARRAY(store, uint8_t, half_count);
    domain->carried = carried_take((int)most_vertices, store);
    double *most = STORE_ARRAY(store, double, half_count);
    if (store->failed) {
        return status_no_memory(status, "the maps between a garment and its half");
    }
    find_partners(domain);
    find_stand_ins(domain, most);
    find_mapping(domain);
    find_stand_offs(domain);
    if (parts) {
        find_half_parts(domain, parts);
    }
    return STATUS_OK;
}
