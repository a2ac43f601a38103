/* The order of halving: look, select, close, number; and the numbers of the half, which everybody above relies on. */
#include "mirror/halves.h"

#include <string.h>

#include "geometry/box.h"
#include "mirror/closures/closures.h"
#include "mirror/half/draft.h"

/* --- the draft -------------------------------------------------------------------------------- */

static StatusCode take_memory(Draft *draft, Status *status) {
    const PolygonMesh *mesh = draft->mesh;
    Store *store = &draft->store;
    int64_t triangles = 0;
    draft->first_corner = STORE_ARRAY(store, int, mesh->face_count + (int64_t)1);
    for (int f = 0; draft->first_corner && f < mesh->face_count; ++f) {
        draft->first_corner[f + 1] = draft->first_corner[f] + mesh->face_sizes[f];
        triangles += mesh->face_sizes[f] - 2;
    }
    draft->partners = STORE_ARRAY(store, int32_t, mesh->vertex_count);
    draft->face_partners = STORE_ARRAY(store, int32_t, mesh->face_count);
    draft->at = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    draft->kind = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    draft->drawn = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    draft->extra = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    draft->rides = STORE_ARRAY(store, Ride, mesh->vertex_count);
    draft->face_sizes = STORE_ARRAY(store, int32_t, triangles);
    draft->vertices = STORE_ARRAY(store, int32_t, 3 * triangles);
    draft->corners = STORE_ARRAY(store, int32_t, 3 * triangles);
    draft->edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)mesh->edge_count);
    return store->failed ? status_no_memory(status, "halving the mesh") : STATUS_OK;
}

/* Does the plane pass through the mesh at all? */
static StatusCode check_reach(const Draft *draft, Status *status) {
    double least = draft->at[0].x, most = least, tolerance = draft->symmetry.tolerance;
    for (int v = 1; v < draft->mesh->vertex_count; ++v) {
        double x = draft->at[v].x;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    if (least <= tolerance && most >= -tolerance) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_MESH,
               "the mirror plane misses the mesh: all %d vertices are on one side of it, "
               "at %.4g to %.4g m",
               draft->mesh->vertex_count, least, most);
    status_name_count(status, DETAIL_PLANE_MISSES, draft->mesh->vertex_count);
    status->details[0].value = least > 0 ? least : -most;
    return status->code;
}

static StatusCode look(Draft *draft, Status *status) {
    const HalfOptions *options = draft->options;
    SymmetryOptions wanted = {options->find, options->plane, options->tolerance};
    if (take_memory(draft, status) != STATUS_OK ||
        symmetry_find(draft->mesh, &wanted, &draft->symmetry, draft->partners, draft->face_partners,
                      status) != STATUS_OK) {
        return status->code;
    }
    draft->frame = frame_of_plane(draft->symmetry.plane);
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        draft->at[v] = frame_to_half(&draft->frame, polygon_position(draft->mesh, v));
    }
    Box box = box_of_points(draft->at, draft->mesh->vertex_count);
    draft->size = vec3_distance(box.low, box.high);
    return check_reach(draft, status);
}

/* --- numbers of the half ---------------------------------------------------------------------- */

/* Fills `number`: per caller's vertex its number in the half, -1 for none. */
static void number_vertices(const Draft *draft, int32_t *number, Half *half) {
    int next = 0, *begins[] = {&next, &half->rail_from, &half->plane_from};
    for (int kind = KIND_FREE; kind <= KIND_PLANE; ++kind) {
        *begins[kind - KIND_FREE] = next;
        for (int v = 0; v < draft->mesh->vertex_count; ++v) {
            number[v] = draft->kind[v] == kind ? next++ : kind == KIND_FREE ? -1 : number[v];
        }
    }
    half->polygons.vertex_count = next;
}

static void write_vertices(const Draft *draft, const int32_t *number, float *positions,
                           Half *half) {
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        int h = number[v];
        if (h < 0) {
            continue;
        }
        set_vector(positions, h, draft->at[v]);
        half->origin[h] = v;
        half->source[h] = draft->drawn[v] ? -1 : v;
        half->image[h] = draft->drawn[v]                ? -1
                         : draft->kind[v] == KIND_PLANE ? v
                                                        : draft->partners[v];
    }
}

static void write_rides(const Draft *draft, const int32_t *number, Half *half) {
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        Ride *ride = &half->rides[v];
        *ride = draft->rides[v];
        half->has_lifts |= ride->lift != 0 || ride->rise != 0;
        for (int k = 0; k < 3; ++k) {
            ride->vertices[k] = draft->extra[v] ? -1 : number[ride->vertices[k]];
        }
        if (draft->extra[v]) {
            half->extra[half->extra_count++] = v;
        }
    }
}

/* Edges in the plane come last. */
static void write_edges(const Draft *draft, const int32_t *number, int32_t *edges, Half *half) {
    int written = 0;
    for (int in_plane = 0; in_plane < 2; ++in_plane) {
        half->plane_edge_from = in_plane ? written : 0;
        for (int e = 0; e < draft->edge_count; ++e) {
            const int32_t *edge = draft->edges + 2 * (int64_t)e;
            bool lies = draft->kind[edge[0]] == KIND_PLANE && draft->kind[edge[1]] == KIND_PLANE;
            if (lies == in_plane) {
                edges[2 * (int64_t)written] = number[edge[0]];
                edges[2 * (int64_t)written++ + 1] = number[edge[1]];
            }
        }
    }
    half->polygons.edge_count = written;
}

static void write_faces(const Draft *draft, const int32_t *number, int32_t *sizes,
                        int32_t *vertices, float *uvs) {
    memcpy(sizes, draft->face_sizes, (size_t)draft->face_count * sizeof *sizes);
    for (int c = 0; c < draft->corner_count; ++c) {
        vertices[c] = number[draft->vertices[c]];
        if (uvs) {
            memcpy(uvs + 2 * (int64_t)c, draft->mesh->corner_uvs + 2 * (int64_t)draft->corners[c],
                   2 * sizeof *uvs);
        }
    }
}

static void write_centre(const Draft *draft, double *centre) {
    Vec3 c = frame_to_half(&draft->frame, polygon_centre(draft->mesh));
    /* a symmetric mesh has its middle on the plane, but for rounding */
    centre[0] = draft->options->mode == HALF_EXACT ? 0 : c.x;
    centre[1] = c.y;
    centre[2] = c.z;
}

static StatusCode finish(Draft *draft, Half *half, Status *status) {
    Store *store = &half->store;
    int32_t *number = STORE_ARRAY(&draft->store, int32_t, draft->mesh->vertex_count);
    if (!number) {
        return status_no_memory(status, "the half of the mesh");
    }
    number_vertices(draft, number, half);
    int count = half->polygons.vertex_count;
    float *positions = STORE_ARRAY(store, float, 3 * (int64_t)count);
    int32_t *sizes = STORE_ARRAY(store, int32_t, draft->face_count);
    int32_t *vertices = STORE_ARRAY(store, int32_t, draft->corner_count);
    int32_t *edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)draft->edge_count);
    bool with_uvs = draft->mesh->corner_uvs != NULL;
    float *uvs = with_uvs ? STORE_ARRAY(store, float, 2 * (int64_t)draft->corner_count) : NULL;
    double *centre = STORE_ARRAY(store, double, 3);
    half->caller_count = draft->mesh->vertex_count;
    half->rides = STORE_ARRAY(store, Ride, half->caller_count);
    half->extra = STORE_ARRAY(store, int32_t, half->caller_count);
    half->origin = STORE_ARRAY(store, int32_t, count);
    half->source = STORE_ARRAY(store, int32_t, count);
    half->image = STORE_ARRAY(store, int32_t, count);
    half->normals = STORE_ARRAY(store, Vec3, count);
    if (store->failed) {
        return status_no_memory(status, "the half of the mesh");
    }
    write_vertices(draft, number, positions, half);
    write_rides(draft, number, half);
    write_edges(draft, number, edges, half);
    write_faces(draft, number, sizes, vertices, uvs);
    write_centre(draft, centre);
    half->polygons = (PolygonMesh){.vertex_count = count,
                                   .face_count = draft->face_count,
                                   .edge_count = half->polygons.edge_count,
                                   .positions = positions,
                                   .face_sizes = sizes,
                                   .face_vertices = vertices,
                                   .edges = edges,
                                   .corner_uvs = uvs,
                                   .cut_centre = centre};
    half->frame = draft->frame;
    half->symmetry = draft->symmetry;
    half->front_count = draft->front_count;
    half->gap = draft->gap;
    half->mirrored_to_the_bit = draft->mirrored_to_the_bit;
    return draft->gap > 0 && placket_build(draft, number, half) != 0
               ? status_no_memory(status, "buttoning the fronts")
               : STATUS_OK;
}

/* Fronts that are too thick to lie over each other: strips would stand off by more than they overlap. Measured on
 * the cloth as it is, shifted so that the line is at the plane. */
static StatusCode check_thickness(Draft *draft, const Half *half, Status *status) {
    double most = 0, least = 0, line = 0;
    Vec3 *rest = STORE_ARRAY(&draft->store, Vec3, half->polygons.vertex_count);
    if (!rest) {
        return status_no_memory(status, "buttoning the fronts");
    }
    for (int h = 0; h < half->polygons.vertex_count; ++h) {
        rest[h] = polygon_position(&half->polygons, h);
        bool on_line = h >= half->rail_from && h < half->plane_from;
        line += on_line ? rest[h].x / (half->plane_from - half->rail_from) : 0;
    }
    for (int h = 0; h < half->polygons.vertex_count; ++h) {
        rest[h].x = h >= half->rail_from ? 0 : rest[h].x - line;
    }
    half_prepare(half, NULL, rest);
    for (int v = 0; v < half->caller_count; ++v) {
        double raised = draft->layer[v] ? half->placket.raised[v] : 0;
        most = raised > most ? raised : most;
        least = raised < least ? raised : least;
    }
    if (most - least <= draft->options->overlap) {
        return STATUS_OK;
    }
    status_set(
        status, STATUS_ERROR_MESH,
        "the fronts are so thick that one would stand off the other by %.3g m, more than the "
        "overlap of %.3g m: a zip or open fronts can be had",
        most - least, draft->options->overlap);
    Detail *detail = status_detail(status, DETAIL_FRONTS_THICK);
    detail->value = most - least;
    detail->limit = draft->options->overlap;
    return status->code;
}

/* --- all of it -------------------------------------------------------------------------------- */

static StatusCode check_options(const HalfOptions *options, Status *status) {
    bool overlaps = options->overlap > 0 && isfinite(options->overlap);
    if (options->closure != CLOSURE_BUTTON ||
        (overlaps && options->gap >= 0 && isfinite(options->gap))) {
        return STATUS_OK;
    }
    const char *name = overlaps ? "gap" : "overlap";
    double value = overlaps ? options->gap : options->overlap;
    status_set(status, STATUS_ERROR_ARGUMENT, "the %s of a button is %g m, but must %s 0", name,
               value, overlaps ? "not be below" : "be above");
    return status_name_argument(status, DETAIL_RANGE, name, value, 0);
}

/* Which faces and vertices are the half's. A warning goes into `doubt`. */
static StatusCode select_half(Draft *draft, Status *doubt, Status *status) {
    if (draft->options->mode == HALF_EXACT) {
        return exact_select(draft, status);
    }
    StatusCode code = cut_select(draft, status);
    if (code == STATUS_OK && !draft->options->alike && likeness_check(draft, doubt) < 0) {
        *status = *doubt;
        return status->code;
    }
    return code;
}

StatusCode half_build(const PolygonMesh *mesh, const HalfOptions *options, Half *half,
                      Status *status) {
    HalfOptions own = *options;
    Draft draft = {.mesh = mesh, .options = &own};
    StatusCode closing = STATUS_OK;
    Status doubt = {0};
    memset(half, 0, sizeof *half);
    status_clear(status);
    StatusCode code = check_options(options, status);
    code = code == STATUS_OK ? look(&draft, status) : code;
    code = code == STATUS_OK ? select_half(&draft, &doubt, status) : code;
    if (code == STATUS_OK) {
        closing = closure_apply(&draft, status);
        code = closing < 0 ? closing : STATUS_OK;
    }
    code = code == STATUS_OK ? finish(&draft, half, status) : code;
    if (code == STATUS_OK && half->gap > 0) {
        closing = check_thickness(&draft, half, status);
        code = closing < 0 ? closing : STATUS_OK;
    }
    store_release(&draft.store);
    if (code == STATUS_OK) {
        status_add(status, &doubt);
    }
    return status->code;
}

void half_free(Half *half) {
    store_release(&half->store);
    memset(half, 0, sizeof *half);
}

/* --- riding ----------------------------------------------------------------------------------- */

/* From the half to the whole. */

/* Sums of the faces' area vectors. Where the cloth goes on beyond the plane as its own image, its normal lies
 * in the plane. */
static void measure_normals(const Half *half, const Vec3 *positions) {
    const PolygonMesh *mesh = &half->polygons;
    const int32_t *ring = mesh->face_vertices;
    Vec3 *normals = half->normals;
    int bound_from =
        half->gap > 0 ? half->rail_from : half->plane_from; /* buttoned: like on the plane */
    for (int v = 0; v < mesh->vertex_count; ++v) {
        normals[v] = vec3(0, 0, 0);
    }
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        Vec3 sum = vec3(0, 0, 0), first = positions[ring[0]];
        for (int c = 1; c + 1 < mesh->face_sizes[f]; ++c) {
            sum = vec3_add(sum, vec3_cross(vec3_sub(positions[ring[c]], first),
                                           vec3_sub(positions[ring[c + 1]], first)));
        }
        for (int c = 0; c < mesh->face_sizes[f]; ++c) {
            normals[ring[c]] = vec3_add(normals[ring[c]], sum);
        }
    }
    placket_turn(half, normals);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        normals[v].x = v >= bound_from ? 0 : normals[v].x;
        /* by the direction alone: the sum is an area, which may be tiny */
        double length = vec3_length(normals[v]);
        normals[v] = length > 0 ? vec3_scale(1 / length, normals[v]) : vec3(0, 0, 0);
    }
}

void half_prepare(const Half *half, Pool *pool, const Vec3 *positions) {
    measure_normals(half, positions);
    placket_raise(half, pool, positions);
}

Vec3 half_place(const Half *half, const Vec3 *positions, int caller_vertex) {
    const Ride *ride = &half->rides[caller_vertex];
    Vec3 at = ride_weighted(ride, positions);
    if (ride->lift != 0) {
        Vec3 normal = vec3_unit_or(ride_weighted(ride, half->normals), vec3(0, 0, 0));
        at = vec3_madd(at, ride->lift, normal);
    }
    if (ride->rise != 0) {
        const Placket *placket = &half->placket;
        Vec3 up = vec3_unit_or(ride_weighted(ride, placket->directions), vec3(0, 0, 0));
        at = vec3_add(at, placket->shift[caller_vertex]);
        at = vec3_madd(at, ride->rise + placket->raised[caller_vertex], up);
    }
    return frame_from_half(&half->frame, ride->mirrored ? frame_reflect_half(at) : at);
}

void half_carry(const Half *half, Pool *pool, const Vec3 *positions, float *caller_positions) {
    if (half->has_lifts) {
        half_prepare(half, pool, positions);
    }
    for (int v = 0; v < half->caller_count; ++v) {
        if (half->rides[v].vertices[0] >= 0) {
            set_vector(caller_positions, v, half_place(half, positions, v));
        }
    }
}

void half_carry_velocities(const Half *half, const Vec3 *velocities, float *caller_velocities) {
    for (int v = 0; v < half->caller_count; ++v) {
        const Ride *ride = &half->rides[v];
        if (ride->vertices[0] >= 0) {
            Vec3 velocity = ride_weighted(ride, velocities);
            velocity = ride->mirrored ? frame_reflect_half(velocity) : velocity;
            set_vector(caller_velocities, v, frame_turn_from_half(&half->frame, velocity));
        }
    }
}
