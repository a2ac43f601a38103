/* From triangles to parts: connected components, whether they are closed, and which side is outside. */
#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "contact/body/collider.h"
#include "contact/scale.h"
#include "mesh/adjacency.h"

/* Closed parts with less volume than this times area^1.5 are folded sheets. */
#define SMALLEST_VOLUME 1e-9
/* A part with openings is a vessel, solid all the same, if these are small: a body without a closed neck or eye
 * sockets. Their length squared over the area; a tube open at both ends is above, a bowl far above. */
#define LARGEST_OPENING 0.5
/* And if it encloses more than this volume, over the area to the power of 3/2: a sphere has 0.094. */
#define SMALLEST_VESSEL 0.005
/* Height over longest side below which a triangle has no area; squared. */
#define FLAT 1e-24
/* Triangles a cluster: so small that one of them bends little in a substep, so many that they are few. */
#define CLUSTER_TRIANGLES 64

typedef struct TriangleSide {
    Side side;   /* its order is the triangle */
    int place;   /* in that triangle */
    int forward; /* the triangle runs along it from a to b */
} TriangleSide;

static StatusCode check_definition(const ColliderDefinition *definition, Status *status) {
    for (int v = 0; v < definition->vertex_count; ++v) {
        if (!vec3_is_finite(definition->positions[v])) {
            status_set(status, STATUS_ERROR_ARGUMENT,
                       "collider vertex %d has a coordinate that is not finite", v);
            return status_name_element(status, DETAIL_NOT_FINITE, ELEMENT_BODY_VERTEX, v);
        }
    }
    for (int i = 0; i < 3 * definition->triangle_count; ++i) {
        int v = definition->triangles[i];
        if (v < 0 || v >= definition->vertex_count) {
            status_set(status, STATUS_ERROR_MESH, "collider triangle %d names vertex %d of %d",
                       i / 3, v, definition->vertex_count);
            return status_name_argument(status, DETAIL_RANGE, "triangles", v,
                                        definition->vertex_count - 1);
        }
    }
    double numbers[3] = {definition->thickness, definition->friction, definition->margin};
    for (int i = 0; i < 3; ++i) {
        if (!(numbers[i] >= 0 && isfinite(numbers[i]))) {
            static const char *const names[3] = {"thickness", "friction", "margin"};
            status_set(status, STATUS_ERROR_ARGUMENT, "collider %s is %g; it must be 0 or more",
                       names[i], numbers[i]);
            return status_name_argument(status, DETAIL_RANGE, names[i], numbers[i], 0);
        }
    }
    return STATUS_OK;
}

static bool names_twice(const int *t) { return t[0] == t[1] || t[1] == t[2] || t[2] == t[0]; }

/* --- parts ------------------------------------------------------------------------------------ */

/* Numbers the parts in the order of their first triangles; `number` by root vertex. Returns how many. */
static int number_parts(const ColliderDefinition *definition, int *parent, int *number) {
    int count = 0;
    for (int v = 0; v < definition->vertex_count; ++v) {
        parent[v] = v;
        number[v] = -1;
    }
    for (int t = 0; t < definition->triangle_count; ++t) {
        const int *c = definition->triangles + 3 * t;
        if (!names_twice(c)) {
            components_join(parent, c[0], c[1]);
            components_join(parent, c[1], c[2]);
        }
    }
    for (int t = 0; t < definition->triangle_count; ++t) {
        const int *c = definition->triangles + 3 * t;
        int root = components_root(parent, c[0]);
        if (!names_twice(c) && number[root] < 0) {
            number[root] = count++;
        }
    }
    return count;
}

/* Lays the triangles down part after part. */
static void place_triangles(Collider *collider, const ColliderDefinition *definition, int *parent,
                            const int *number) {
    ColliderPart *parts = collider->parts;
    for (int pass = 0; pass < 2; ++pass) {
        for (int t = 0; t < definition->triangle_count; ++t) {
            const int *c = definition->triangles + 3 * t;
            if (names_twice(c)) {
                continue;
            }
            int part = number[components_root(parent, c[0])];
            int place = parts[part].first + parts[part].count++;
            if (pass == 1) {
                memcpy(collider->corners[place], c, sizeof collider->corners[place]);
                collider->part[place] = part;
                collider->source[place] = t;
            }
        }
        for (int p = 0, first = 0; pass == 0 && p < collider->part_count; ++p) {
            parts[p].first = first;
            first += parts[p].count;
            parts[p].count = 0;
        }
    }
}

static StatusCode build_parts(Collider *collider, const ColliderDefinition *definition,
                              Store *store, Status *status) {
    for (int t = 0; t < definition->triangle_count; ++t) {
        collider->skipped += names_twice(definition->triangles + 3 * t);
    }
    int count = collider->triangle_count = definition->triangle_count - collider->skipped;
    int *parent = SCRATCH_ARRAY(int, collider->vertex_count);
    int *number = SCRATCH_ARRAY(int, collider->vertex_count);
    if (!parent || !number) {
        free(parent);
        free(number);
        return status_no_memory(status, "the parts of a collider");
    }
    collider->part_count = number_parts(definition, parent, number);
    collider->parts = STORE_ARRAY(store, ColliderPart, collider->part_count);
    collider->corners = store_take(store, (size_t)count, sizeof *collider->corners);
    collider->part = STORE_ARRAY(store, int, count);
    collider->source = STORE_ARRAY(store, int, count);
    if (!store->failed) {
        place_triangles(collider, definition, parent, number);
    }
    free(parent);
    free(number);
    return store->failed ? status_no_memory(status, "the parts of a collider") : STATUS_OK;
}

/* --- sides ------------------------------------------------------------------------------------ */

/* The triangles along one edge get to know each other, if they are two that fit. */
static void join_sides(Collider *collider, const TriangleSide *sides, int count) {
    bool fits = count == 2 && sides[0].forward != sides[1].forward;
    for (int s = 0; s < count; ++s) {
        int *across = &collider->across[sides[s].side.order][sides[s].place];
        *across = fits         ? sides[1 - s].side.order
                  : count == 1 ? COLLIDER_BOUNDARY
                               : COLLIDER_TANGLED;
        if (!fits) {
            collider->parts[collider->part[sides[s].side.order]].closed = 0;
        }
    }
    if (count == 1) {
        collider->boundary[sides[0].side.a] = collider->boundary[sides[0].side.b] = 1;
    }
}

static StatusCode build_sides(Collider *collider, Store *store, Status *status) {
    int count = collider->triangle_count;
    collider->across = store_take(store, (size_t)count, sizeof *collider->across);
    collider->boundary = STORE_ARRAY(store, uint8_t, collider->vertex_count);
    TriangleSide *sides = SCRATCH_ARRAY(TriangleSide, 3 * (size_t)count);
    if (store->failed || !sides) {
        free(sides);
        return status_no_memory(status, "the sides of a collider");
    }
    for (int t = 0; t < count; ++t) {
        for (int place = 0; place < 3; ++place) {
            int a = collider->corners[t][place], b = collider->corners[t][(place + 1) % 3];
            sides[3 * t + place] = (TriangleSide){side_between(a, b, t), place, a < b};
        }
    }
    for (int p = 0; p < collider->part_count; ++p) {
        collider->parts[p].closed = 1;
    }
    qsort(sides, 3 * (size_t)count, sizeof *sides, side_compare);
    for (int begin = 0, end; begin < 3 * count; begin = end) {
        end = begin + 1;
        while (end < 3 * count && side_is_same(&sides[end].side, &sides[begin].side)) {
            ++end;
        }
        join_sides(collider, sides + begin, end - begin);
    }
    free(sides);
    return STATUS_OK;
}

/* The corners at each vertex. */
static StatusCode build_corners(Collider *collider, Store *store, Status *status) {
    int corner_count = 3 * collider->triangle_count;
    collider->corner_start = STORE_ARRAY(store, int, collider->vertex_count + 1);
    collider->corner = STORE_ARRAY(store, int, corner_count);
    if (store->failed) {
        return status_no_memory(status, "the corners of a collider");
    }
    lists_group(collider->corner_start, collider->vertex_count, *collider->corners, corner_count,
                collider->corner);
    return STATUS_OK;
}

/* --- inside and outside ----------------------------------------------------------------------- */

/* The same triangle seen from behind. */
static void turn_triangle(Collider *collider, int t) {
    int *corners = collider->corners[t], *across = collider->across[t];
    int kept = corners[1];
    corners[1] = corners[2];
    corners[2] = kept;
    kept = across[0];
    across[0] = across[2];
    across[2] = kept;
}

/* The length of all sides where the part is open, and the middle of these; somewhere on it if there are none. */
static double measure_openings(const Collider *collider, const ColliderPart *part, const Vec3 *x,
                               Vec3 *middle) {
    double length = 0;
    Vec3 sum = vec3(0, 0, 0);
    for (int t = part->first; t < part->first + part->count; ++t) {
        for (int side = 0; side < 3; ++side) {
            if (collider->across[t][side] < 0) {
                Vec3 a = x[collider->corners[t][side]], b = x[collider->corners[t][(side + 1) % 3]];
                double own = vec3_distance(a, b);
                length += own;
                sum = vec3_madd(sum, 0.5 * own, vec3_add(a, b));
            }
        }
    }
    *middle = length > 0 ? vec3_scale(1.0 / length, sum) : x[collider->corners[part->first][0]];
    return length;
}

/* Measures the part; makes it a solid, the right way round, if it is one. */
static void find_inside(Collider *collider, ColliderPart *part, const Vec3 *x) {
    Vec3 origin;
    double openings = measure_openings(collider, part, x, &origin), volume = 0, area = 0;
    for (int t = part->first; t < part->first + part->count; ++t) {
        const int *c = collider->corners[t];
        Vec3 a = vec3_sub(x[c[0]], origin), b = vec3_sub(x[c[1]], origin);
        Vec3 d = vec3_sub(x[c[2]], origin), ab = vec3_sub(b, a), ad = vec3_sub(d, a);
        Vec3 normal = vec3_cross(ab, ad);
        double squared = vec3_dot(normal, normal), span = vec3_dot(ab, ab), side = vec3_dot(ad, ad);
        span = side > span ? side : span;
        collider->flat += squared <= FLAT * span * span;
        area += 0.5 * sqrt(squared);
        volume += vec3_dot(a, normal) / 6.0;
    }
    double least = part->closed ? SMALLEST_VOLUME : SMALLEST_VESSEL;
    part->solid = (part->closed || openings * openings < LARGEST_OPENING * area) &&
                  fabs(volume) > least * area * sqrt(area);
    if (part->solid && volume < 0) {
        ++collider->turned;
        for (int t = part->first; t < part->first + part->count; ++t) {
            turn_triangle(collider, t);
        }
    }
}

/* --- all of it -------------------------------------------------------------------------------- */

static StatusCode take_moving(Collider *collider, Store *store, Status *status) {
    for (int side = 0; side < 2; ++side) {
        collider->frame[side] = STORE_ARRAY(store, Vec3, collider->vertex_count);
        collider->at[side] = STORE_ARRAY(store, Vec3, collider->vertex_count);
    }
    collider->spots.spots = STORE_ARRAY(store, TriangleSpot, collider->vertex_count);
    collider->face_normals = STORE_ARRAY(store, Vec3, collider->triangle_count);
    collider->ends = STORE_ARRAY(store, Box, collider->triangle_count);
    collider->part_ends = STORE_ARRAY(store, Box, collider->part_count);
    return store->failed ? status_no_memory(status, "a moving collider") : STATUS_OK;
}

/* Boxes where built: the trees sort by their middles alone. */
static StatusCode build_trees(Collider *collider, const Vec3 *x, Store *store, Status *status) {
    for (int p = 0; p < collider->part_count; ++p) {
        ColliderPart *part = &collider->parts[p];
        collider->part_ends[p] = box_empty();
        for (int t = part->first; t < part->first + part->count; ++t) {
            collider->ends[t] = box_of_listed(x, collider->corners[t], 3);
            collider->part_ends[p] = box_join(collider->part_ends[p], collider->ends[t]);
        }
        StatusCode code =
            wide_bvh_build(&part->near, part->count, collider->ends + part->first, store, status);
        if (code != STATUS_OK) {
            return code;
        }
    }
    return wide_bvh_build(&collider->near, collider->part_count, collider->part_ends, store,
                          status);
}

/* In the order of the parts' trees, where neighbours stand close together. */
static StatusCode build_clusters(Collider *collider, const Vec3 *x, Store *store, Status *status) {
    int *order = SCRATCH_ARRAY(int, collider->triangle_count), count = 0;
    if (!order) {
        return status_no_memory(status, "the clusters of a body");
    }
    for (int p = 0; p < collider->part_count; ++p) {
        const ColliderPart *part = &collider->parts[p];
        for (int i = 0; i < part->count; ++i) {
            order[count++] = part->first + part->near.shape.order[i];
        }
    }
    StatusCode code =
        clusters_build(&collider->clusters, CLUSTER_TRIANGLES, count, order, collider->corners,
                       collider->part, collider->vertex_count, x, store, status);
    free(order);
    collider->awake = STORE_ARRAY(store, uint8_t, collider->clusters.count);
    return code || !store->failed ? code : status_no_memory(status, "the clusters of a body");
}

StatusCode collider_build(Collider *collider, const ColliderDefinition *definition, Store *store,
                          Status *status) {
    *collider = (Collider){.vertex_count = definition->vertex_count,
                           .thickness = definition->thickness,
                           .scale = contact_scale(definition->thickness, 0),
                           .least_share = 1,
                           .friction = definition->friction,
                           .margin = definition->margin,
                           .bends = definition->bends};
    const Vec3 *x = definition->positions;
    StatusCode code = check_definition(definition, status);
    if (code != STATUS_OK ||
        (code = build_parts(collider, definition, store, status)) != STATUS_OK ||
        (code = build_sides(collider, store, status)) != STATUS_OK) {
        return code;
    }
    for (int p = 0; p < collider->part_count; ++p) {
        find_inside(collider, &collider->parts[p], x);
    }
    if ((code = build_corners(collider, store, status)) != STATUS_OK ||
        (code = take_moving(collider, store, status)) != STATUS_OK ||
        (code = build_trees(collider, x, store, status)) != STATUS_OK ||
        (code = build_clusters(collider, x, store, status)) != STATUS_OK ||
        (code = arcs_build(&collider->arcs, collider->vertex_count, collider->triangle_count, store,
                           status)) != STATUS_OK) {
        return code;
    }
    collider_set_frame(collider, x, x);
    collider_move(collider, NULL, 0, 1);
    return STATUS_OK;
}
