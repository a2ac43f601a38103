/* The extra parts: their mesh, the cloth as a body, the stitches between them, and where they go. */
#include <string.h>

#include "cloth/domain/extras.h"
#include "geometry/bvh.h"
#include "geometry/distance.h"

/* Border vertices nearer to the cloth than this many mean edges are sewn to it. */
#define SEWN_EDGES 1.5
/* What they keep from it where cloth does not meet itself, in mean edges: thin, but more than they come nearer in a
 * substep. */
#define THIN 0.03

/* How the parts meet the cloth where layers do not meet each other. */
#define FRICTION 0.3

typedef struct Parts {
    int32_t *face_sizes, *face_vertices, *edges;
    float *uvs;
    int face_count, corner_count, edge_count;
} Parts;

static void take_parts(Parts *parts, const PolygonMesh *mesh, int corners, Store *store) {
    parts->face_sizes = STORE_ARRAY(store, int32_t, mesh->face_count);
    parts->face_vertices = STORE_ARRAY(store, int32_t, corners);
    parts->edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)mesh->edge_count);
    parts->uvs = mesh->corner_uvs ? STORE_ARRAY(store, float, 2 * (int64_t)corners) : NULL;
}

static void add_face(Parts *parts, const PolygonMesh *mesh, int first, int size,
                     const int32_t *index_of) {
    parts->face_sizes[parts->face_count++] = size;
    for (int c = first; c < first + size; ++c) {
        int vertex = mesh->face_vertices[c];
        if (parts->uvs) {
            parts->uvs[2 * (int64_t)parts->corner_count] = mesh->corner_uvs[2 * (int64_t)c];
            parts->uvs[2 * (int64_t)parts->corner_count + 1] = mesh->corner_uvs[2 * (int64_t)c + 1];
        }
        parts->face_vertices[parts->corner_count++] = index_of ? index_of[vertex] : vertex;
    }
}

/* Faces hang together, so the first corner tells where all of one belong. */
static StatusCode cut_out(Extras *extras, const PolygonMesh *mesh, Status *status) {
    Parts here = {0}, there = {0};
    int corners = 0, first = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        corners += mesh->face_sizes[f];
    }
    take_parts(&here, mesh, corners, &extras->store);
    take_parts(&there, mesh, corners, &extras->store);
    float *positions = STORE_ARRAY(&extras->store, float, 3 * (int64_t)extras->count);
    int32_t *parts =
        mesh->vertex_parts ? STORE_ARRAY(&extras->store, int32_t, extras->count) : NULL;
    if (extras->store.failed) {
        return status_no_memory(status, "parts without a mirror image");
    }
    for (int k = 0; parts && k < extras->count; ++k) {
        parts[k] = mesh->vertex_parts[extras->vertices[k]];
    }
    for (int f = 0; f < mesh->face_count; first += mesh->face_sizes[f++]) {
        bool own = extras->index_of[mesh->face_vertices[first]] >= 0;
        add_face(own ? &here : &there, mesh, first, mesh->face_sizes[f],
                 own ? extras->index_of : NULL);
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const int32_t *edge = mesh->edges + 2 * (int64_t)e;
        for (int end = 0; end < 2 && extras->index_of[edge[0]] >= 0; ++end) {
            here.edges[2 * (int64_t)here.edge_count + end] = extras->index_of[edge[end]];
        }
        here.edge_count += extras->index_of[edge[0]] >= 0;
    }
    for (int k = 0; k < extras->count; ++k) {
        memcpy(positions + 3 * (int64_t)k, mesh->positions + 3 * (int64_t)extras->vertices[k],
               3 * sizeof(float));
    }
    extras->polygons = (PolygonMesh){.vertex_count = extras->count,
                                     .face_count = here.face_count,
                                     .edge_count = here.edge_count,
                                     .positions = positions,
                                     .face_sizes = here.face_sizes,
                                     .face_vertices = here.face_vertices,
                                     .edges = here.edges,
                                     .vertex_parts = parts,
                                     .corner_uvs = here.uvs};
    extras->cloth = (PolygonMesh){.vertex_count = mesh->vertex_count,
                                  .face_count = there.face_count,
                                  .positions = mesh->positions,
                                  .face_sizes = there.face_sizes,
                                  .face_vertices = there.face_vertices};
    return STATUS_OK;
}

/* --- stitches --------------------------------------------------------------------------------- */

/* Ends of ropes, and vertices around which the faces do not close: around an inner one every neighbour comes next in
 * one face and before in another, so that the numbers of all neighbours cancel. */
static int mark_border(const PolygonMesh *mesh, int *sides, uint8_t *border) {
    const int32_t *ring = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        int size = mesh->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            sides[ring[c]] += ring[(c + 1) % size] - ring[(c + size - 1) % size];
        }
    }
    int count = 0;
    for (int e = 0; e < 2 * mesh->edge_count; ++e) {
        border[mesh->edges[e]] += border[mesh->edges[e]] < 2;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        border[v] = border[v] == 1 || sides[v] != 0;
        count += border[v];
    }
    return count;
}

/* The cloth's faces as fans of triangles. */
typedef struct Fans {
    const PolygonMesh *cloth;
    int count;
    int32_t (*corners)[3];
    WideBvh tree;
} Fans;

static void corners_of(const Fans *fans, int triangle, Vec3 *corners) {
    for (int k = 0; k < 3; ++k) {
        corners[k] = polygon_position(fans->cloth, fans->corners[triangle][k]);
    }
}

static StatusCode build_fans(Fans *fans, const PolygonMesh *cloth, Store *store, Status *status) {
    const int32_t *ring = cloth->face_vertices;
    int64_t most = 0;
    for (int f = 0; f < cloth->face_count; ++f) {
        most += cloth->face_sizes[f];
    }
    *fans =
        (Fans){.cloth = cloth, .corners = store_take(store, (size_t)most, sizeof *fans->corners)};
    Box *boxes = STORE_ARRAY(store, Box, most);
    if (store->failed) {
        return status_no_memory(status, "sewing parts to a garment");
    }
    for (int f = 0; f < cloth->face_count; ring += cloth->face_sizes[f++]) {
        for (int c = 1; c + 1 < cloth->face_sizes[f]; ++c) {
            Vec3 at[3];
            int32_t *corners = fans->corners[fans->count];
            corners[0] = ring[0];
            corners[1] = ring[c];
            corners[2] = ring[c + 1];
            corners_of(fans, fans->count, at);
            boxes[fans->count++] = box_of_points(at, 3);
        }
    }
    return wide_bvh_build(&fans->tree, fans->count, boxes, store, status);
}

/* The nearest place of the cloth so far; of equally near triangles the first. */
typedef struct Nearest {
    const Fans *fans;
    Vec3 at;
    int triangle; /* -1: none */
    TrianglePoint place;
} Nearest;

static double offer_triangle(void *context, int triangle, double reach) {
    Nearest *nearest = context;
    Vec3 corners[3];
    corners_of(nearest->fans, triangle, corners);
    TrianglePoint found = closest_on_triangle(nearest->at, corners);
    bool earlier = found.distance == reach && triangle < nearest->triangle;
    if (found.distance < reach || earlier) {
        nearest->triangle = triangle;
        nearest->place = found;
        return found.distance;
    }
    return reach;
}

/* Returns how far the cloth is from there, m. */
static double sew(const Fans *fans, Vec3 at, Stitch *stitch) {
    Nearest nearest = {.fans = fans, .at = at, .triangle = -1};
    wide_bvh_search(&fans->tree, at, INFINITY, offer_triangle, &nearest);
    if (nearest.triangle < 0) {
        return INFINITY;
    }
    Vec3 corners[3], axes[3], way = vec3_sub(at, nearest.place.point);
    const double *weights = nearest.place.weights;
    corners_of(fans, nearest.triangle, corners);
    stitch_axes(corners, axes);
    bool inside = weights[0] > 0 && weights[1] > 0 && weights[2] > 0; /* right above it */
    stitch->way = vec3(inside ? 0 : vec3_dot(way, axes[0]), inside ? 0 : vec3_dot(way, axes[1]),
                       vec3_dot(way, axes[2]));
    memcpy(stitch->under, fans->corners[nearest.triangle], sizeof stitch->under);
    memcpy(stitch->weights, nearest.place.weights, sizeof stitch->weights);
    return nearest.place.distance;
}

static StatusCode sew_all(Extras *extras, Status *status) {
    Store scratch = {0};
    Fans fans;
    int *sides = STORE_ARRAY(&scratch, int, extras->count);
    uint8_t *border = STORE_ARRAY(&scratch, uint8_t, extras->count);
    double reach = SEWN_EDGES * polygon_mean_side(&extras->cloth);
    bool failed =
        scratch.failed || build_fans(&fans, &extras->cloth, &scratch, status) != STATUS_OK;
    if (!failed) {
        int most = mark_border(&extras->polygons, sides, border);
        extras->stitches = STORE_ARRAY(&extras->store, Stitch, most);
        failed = extras->store.failed;
    }
    for (int v = 0; v < extras->count && !failed; ++v) {
        Stitch stitch = {.vertex = v};
        if (border[v] && sew(&fans, polygon_position(&extras->polygons, v), &stitch) <= reach) {
            extras->stitches[extras->stitch_count++] = stitch;
        }
    }
    store_release(&scratch);
    return failed ? status_no_memory(status, "sewing parts to a garment") : STATUS_OK;
}

static BodySurface extras_surface(const Extras *extras, const BodySurface *self) {
    return self->thickness > 0 ? *self : (BodySurface){extras->thin, FRICTION};
}

StatusCode extras_meet(Extras *extras, const BodySurface *self, Status *status) {
    const BodyInputs cloth = {.surface = extras_surface(extras, self)};
    return simulation_set_body(extras->simulation, 0, &cloth, BODY_SURFACE, status);
}

/* --- pins and stitches ------------------------------------------------------------------------ */

static Vec3 stitch_place(const Stitch *stitch, const float *cloth) {
    Vec3 corners[3], axes[3], at = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        corners[k] = vector_at(cloth, stitch->under[k]);
        at = vec3_madd(at, stitch->weights[k], corners[k]);
    }
    stitch_axes(corners, axes);
    at = vec3_madd(at, stitch->way.x, axes[0]);
    at = vec3_madd(at, stitch->way.y, axes[1]);
    return vec3_madd(at, stitch->way.z, axes[2]);
}

static void place_stitches(Extras *extras, const float *cloth) {
    for (int p = extras->own_pins; p < extras->pin_count; ++p) {
        const Stitch *stitch = &extras->stitches[extras->pin_source[p]];
        set_vector(extras->pin_targets, p, stitch_place(stitch, cloth));
    }
}

static bool is_pinned(const Extras *extras, int vertex) {
    for (int p = 0; p < extras->own_pins; ++p) {
        if (extras->pin_vertices[p] == vertex) {
            return true;
        }
    }
    return false;
}

static PinInputs own_pins(const Extras *extras) {
    return (PinInputs){.count = extras->pin_count,
                       .vertices = extras->pin_vertices,
                       .weights = extras->pin_weights,
                       .targets = extras->pin_targets};
}

StatusCode extras_set_pins(Extras *extras, int count, const int32_t *vertices, const float *weights,
                           const float *targets, const float *cloth, Status *status) {
    extras->pin_count = 0;
    for (int p = 0; p < count; ++p) {
        int at = extras->index_of[vertices[p]];
        if (at >= 0) {
            extras->pin_vertices[extras->pin_count] = at;
            extras->pin_weights[extras->pin_count] = weights[p];
            set_vector(extras->pin_targets, extras->pin_count, vector_at(targets, p));
            extras->pin_source[extras->pin_count++] = p;
        }
    }
    extras->own_pins = extras->pin_count;
    for (int s = 0; s < extras->stitch_count; ++s) {
        if (!is_pinned(extras, extras->stitches[s].vertex)) {
            extras->pin_vertices[extras->pin_count] = extras->stitches[s].vertex;
            extras->pin_weights[extras->pin_count] = 1;
            extras->pin_source[extras->pin_count++] = s;
        }
    }
    place_stitches(extras, cloth);
    const Inputs inputs = {.pins = own_pins(extras)};
    Status reported = {0};
    if (simulation_set_inputs(extras->simulation, &inputs, INPUT_PINS, &reported) < 0) {
        *status = reported;
        return status->code;
    }
    return STATUS_OK;
}

/* --- building --------------------------------------------------------------------------------- */

static StatusCode take_arrays(Extras *extras, int caller_count, Status *status) {
    Store *store = &extras->store;
    int64_t count = extras->count;
    extras->index_of = STORE_ARRAY(store, int32_t, caller_count);
    extras->pin_vertices = STORE_ARRAY(store, int32_t, count);
    extras->pin_source = STORE_ARRAY(store, int32_t, count);
    extras->pin_weights = STORE_ARRAY(store, float, count);
    extras->pin_targets = STORE_ARRAY(store, float, 3 * count);
    extras->floats = STORE_ARRAY(store, float, 3 * count);
    extras->more_floats = STORE_ARRAY(store, float, 3 * count);
    return store->failed ? status_no_memory(status, "parts without a mirror image") : STATUS_OK;
}

static StatusCode build_cloth(Extras *extras, const SimulationOptions *options, Status *status) {
    Status reported = {0};
    BodySurface off = {0};
    SimulationOptions own = *options;
    own.progress = NULL; /* that of the step is the half's */
    extras->simulation = simulation_create(&extras->polygons, &own, &reported);
    if (!extras->simulation) {
        *status = reported;
        return status->code;
    }
    extras->thin = THIN * polygon_mean_side(&extras->cloth);
    const BodyInputs cloth = {
        .polygons = &extras->cloth, .surface = extras_surface(extras, &off), .bends = true};
    if (simulation_set_body(extras->simulation, 0, &cloth, BODY_MESH, &reported) < 0) {
        *status = reported;
        return status->code;
    }
    const float *at = extras->cloth.positions;
    return extras_set_pins(extras, 0, NULL, NULL, at, at, status);
}

StatusCode extras_build(Extras *extras, const PolygonMesh *mesh, int count, const int32_t *vertices,
                        const SimulationOptions *options, Status *status) {
    extras->count = count;
    extras->vertices = vertices;
    if (take_arrays(extras, mesh->vertex_count, status) != STATUS_OK) {
        return status->code;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        extras->index_of[v] = -1;
    }
    for (int k = 0; k < count; ++k) {
        extras->index_of[vertices[k]] = k;
    }
    if (cut_out(extras, mesh, status) != STATUS_OK || sew_all(extras, status) != STATUS_OK) {
        return status->code;
    }
    bool stays = extras->polygons.face_count == 0 && extras->polygons.edge_count == 0;
    return stays ? STATUS_OK : build_cloth(extras, options, status);
}

void extras_free(Extras *extras) {
    simulation_destroy(extras->simulation);
    store_release(&extras->store);
    *extras = (Extras){0};
}

/* --- stepping ----------------------------------------------------------------------------------- */

void extras_move_pins(Extras *extras, const float *targets) {
    for (int p = 0; p < extras->own_pins; ++p) {
        set_vector(extras->pin_targets, p, vector_at(targets, extras->pin_source[p]));
    }
}

void extras_follow(Extras *extras, const float *cloth) {
    place_stitches(extras, cloth);
    const Inputs inputs = {.pins = own_pins(extras)};
    Status reported = {0}; /* targets are always taken */
    simulation_set_inputs(extras->simulation, &inputs, INPUT_TARGETS, &reported);
    const BodyInputs body = {.target = cloth};
    simulation_set_body(extras->simulation, 0, &body, BODY_TARGET, &reported);
}

void extras_place(Extras *extras, const float *cloth) {
    const BodyInputs body = {.place = cloth, .target = cloth};
    Status reported = {0}; /* places are always taken */
    simulation_set_body(extras->simulation, 0, &body, BODY_PLACE | BODY_TARGET, &reported);
}

/* --- state ---------------------------------------------------------------------------------- */

static void write(const Extras *extras, const Vec3 *values, float *to) {
    for (int k = 0; k < extras->count; ++k) {
        set_vector(to, extras->vertices[k], values[k]);
    }
}

void extras_get_state(const Extras *extras, float *positions, float *velocities) {
    for (int k = 0; k < extras->count && !extras->simulation; ++k) {
        set_vector(positions, extras->vertices[k], polygon_position(&extras->polygons, k));
        if (velocities) {
            set_vector(velocities, extras->vertices[k], vec3(0, 0, 0));
        }
    }
    if (!extras->simulation) {
        return;
    }
    write(extras, simulation_positions(extras->simulation), positions);
    if (velocities) {
        write(extras, simulation_velocities(extras->simulation), velocities);
    }
}

void extras_set_state(Extras *extras, const float *positions, const float *velocities) {
    for (int k = 0; k < extras->count; ++k) {
        set_vector(extras->floats, k, vector_at(positions, extras->vertices[k]));
        if (velocities) {
            set_vector(extras->more_floats, k, vector_at(velocities, extras->vertices[k]));
        }
    }
    simulation_place(extras->simulation, extras->floats, velocities ? extras->more_floats : NULL);
}
