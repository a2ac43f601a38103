/* Shared by selection and closures: edits of a half under construction. */
#include "mirror/half/draft.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/distance.h"
#include "mesh/adjacency.h"

void draft_add_face(Draft *draft, const int32_t *corners, int count) {
    for (int c = 0; c < count; ++c) {
        draft->corners[draft->corner_count] = corners[c];
        draft->vertices[draft->corner_count++] = draft->mesh->face_vertices[corners[c]];
    }
    draft->face_sizes[draft->face_count++] = count;
}

void draft_add_edge(Draft *draft, int a, int b) {
    draft->edges[2 * (int64_t)draft->edge_count] = a;
    draft->edges[2 * (int64_t)draft->edge_count++ + 1] = b;
}

int draft_of_mesh(const PolygonMesh *mesh, const MirrorFrame *frame, Draft *whole) {
    *whole = (Draft){.mesh = mesh,
                     .frame = *frame,
                     .face_count = mesh->face_count,
                     .edge_count = mesh->edge_count};
    for (int f = 0; f < mesh->face_count; ++f) {
        whole->corner_count += mesh->face_sizes[f];
    }
    Store *store = &whole->store;
    whole->at = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    whole->kind = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    whole->face_sizes = STORE_ARRAY(store, int32_t, mesh->face_count);
    whole->vertices = STORE_ARRAY(store, int32_t, whole->corner_count);
    whole->edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)mesh->edge_count);
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        whole->at[v] = frame_to_half(frame, polygon_position(mesh, v));
        whole->kind[v] = KIND_FREE;
    }
    if (mesh->face_count > 0) {
        memcpy(whole->face_sizes, mesh->face_sizes, (size_t)mesh->face_count * sizeof(int32_t));
        memcpy(whole->vertices, mesh->face_vertices, (size_t)whole->corner_count * sizeof(int32_t));
    }
    if (mesh->edge_count > 0) {
        memcpy(whole->edges, mesh->edges, 2 * (size_t)mesh->edge_count * sizeof(int32_t));
    }
    return 0;
}

void draft_components(int *parent, const PolygonMesh *mesh) {
    const int32_t *ring = mesh->face_vertices;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        parent[v] = v;
    }
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 1; c < mesh->face_sizes[f]; ++c) {
            components_join(parent, ring[0], ring[c]);
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        components_join(parent, mesh->edges[2 * (int64_t)e], mesh->edges[2 * (int64_t)e + 1]);
    }
}

static int list_sides(const Draft *draft, Side *sides) {
    const int32_t *ring = draft->vertices;
    int count = 0;
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        for (int c = 0; c < draft->face_sizes[f]; ++c) {
            int a = ring[c], b = ring[(c + 1) % draft->face_sizes[f]];
            sides[count++] = side_between(a, b, f);
        }
    }
    qsort(sides, (size_t)count, sizeof *sides, side_compare);
    return count;
}

int draft_sides_between(Draft *draft, const uint8_t *chosen, int (**edges)[2]) {
    Side *sides = STORE_ARRAY(&draft->store, Side, draft->corner_count);
    *edges = store_take(&draft->store, (size_t)draft->corner_count, sizeof **edges);
    if (draft->store.failed) {
        return -1;
    }
    int count = list_sides(draft, sides), found = 0;
    for (int begin = 0, end; begin < count; begin = end) {
        int in = 0;
        for (end = begin; end < count && side_is_same(&sides[end], &sides[begin]); ++end) {
            in += chosen && chosen[sides[end].order];
        }
        int faces = end - begin;
        if (chosen ? in > 0 && in < faces : faces == 1) {
            (*edges)[found][0] = sides[begin].a;
            (*edges)[found++][1] = sides[begin].b;
        }
    }
    return found;
}

/* --- its surface ------------------------------------------------------------------------------ */

/* A ride begins at the nearest place and is then moved along the surface until what is left is along the normal, so
 * that it comes back to where it was, not beside it. */

#define CORRECTIONS 4 /* of a place along a curved surface's normal */
#define PAST 0.75     /* of a triangle's height: how far past its side a place may be */

/* --- triangles and normals -------------------------------------------------------------------- */

static void add_triangle(Surface *surface, int a, int b, int c) {
    int *corners = surface->corners[surface->count++];
    corners[0] = a;
    corners[1] = b;
    corners[2] = c;
}

static void cut_faces(Surface *surface, Vec3 *points, int *ring, int (*cut)[3]) {
    const Draft *draft = surface->draft;
    const int32_t *vertices = draft->vertices;
    Vec3 centre = frame_to_half(&draft->frame, polygon_centre(draft->mesh));
    for (int f = 0; f < draft->face_count; vertices += draft->face_sizes[f++]) {
        int size = draft->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            points[c] = draft->at[vertices[c]];
        }
        polygon_cut(points, size, centre, ring, cut);
        for (int t = 0; t < size - 2; ++t) {
            add_triangle(surface, vertices[cut[t][0]], vertices[cut[t][1]], vertices[cut[t][2]]);
        }
        Vec3 normal = polygon_normal(points, size);
        for (int c = 0; c < size; ++c) {
            surface->normals[vertices[c]] = vec3_add(surface->normals[vertices[c]], normal);
        }
    }
    for (int e = 0; e < draft->edge_count; ++e) {
        const int32_t *edge = draft->edges + 2 * (int64_t)e;
        add_triangle(surface, edge[0], edge[1], edge[1]);
    }
}

static void finish_normals(Surface *surface) {
    int bound = surface->draft->gap > 0 ? KIND_RAIL : KIND_PLANE;
    const Draft *draft = surface->draft;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        Vec3 *normal = &surface->normals[v];
        normal->x = draft->kind[v] >= bound ? 0 : normal->x;
        double length = vec3_length(*normal);
        *normal = length > 0 ? vec3_scale(1 / length, *normal) : vec3(0, 0, 0);
    }
}

/* --- building --------------------------------------------------------------------------------- */

static void corners_of(const Surface *surface, int triangle, Vec3 *at) {
    for (int c = 0; c < 3; ++c) {
        at[c] = surface->draft->at[surface->corners[triangle][c]];
    }
}

int surface_build(const Draft *draft, Store *store, Surface *surface) {
    int64_t triangles = draft->edge_count;
    int largest = 3;
    for (int f = 0; f < draft->face_count; ++f) {
        triangles += draft->face_sizes[f] - 2;
        largest = draft->face_sizes[f] > largest ? draft->face_sizes[f] : largest;
    }
    *surface = (Surface){.draft = draft};
    Vec3 *points = STORE_ARRAY(store, Vec3, largest);
    int *ring = STORE_ARRAY(store, int, largest);
    int(*cut)[3] = store_take(store, (size_t)largest, sizeof *cut);
    Box *boxes = STORE_ARRAY(store, Box, triangles);
    surface->corners = store_take(store, (size_t)triangles, sizeof *surface->corners);
    surface->normals = STORE_ARRAY(store, Vec3, draft->mesh->vertex_count);
    if (store->failed) {
        return -1;
    }
    cut_faces(surface, points, ring, cut);
    finish_normals(surface);
    for (int t = 0; t < surface->count; ++t) {
        Vec3 at[3];
        corners_of(surface, t, at);
        boxes[t] = box_of_points(at, 3);
    }
    Status status = {0};
    return wide_bvh_build(&surface->tree, surface->count, boxes, store, &status) ? -1 : 0;
}

/* --- nearest places --------------------------------------------------------------------------- */

static Vec3 mix(const double *weights, Vec3 a, Vec3 b, Vec3 c) {
    return vec3_madd(vec3_madd(vec3_scale(weights[0], a), weights[1], b), weights[2], c);
}

/* Weights of the foot of the point's perpendicular onto the triangle's plane; below 0 outside. Returns the least of
 * them; very low for a triangle without area, which has none. */
static double foot_weights(const Vec3 *at, Vec3 point, double *weights) {
    Vec3 normal = vec3_cross(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0]));
    double squared = vec3_dot(normal, normal), parts[3], least = 0;
    if (!(squared > 0)) {
        return -DBL_MAX;
    }
    for (int i = 0; i < 3; ++i) {
        Vec3 p = at[(i + 1) % 3], q = at[(i + 2) % 3];
        parts[i] = vec3_dot(vec3_cross(vec3_sub(q, p), vec3_sub(point, p)), normal) / squared;
        least = i == 0 || parts[i] < least ? parts[i] : least;
    }
    double sum = parts[0] + parts[1] + parts[2]; /* 1, but for rounding */
    for (int i = 0; i < 3; ++i) {
        weights[i] = parts[i] / sum;
    }
    return least;
}

/* The nearest triangle so far; of equals the first. */
typedef struct Nearest {
    const Surface *surface;
    Vec3 point, facing;
    int triangle; /* -1: none */
    double distance;
} Nearest;

static double offer_triangle(void *context, int triangle, double reach) {
    Nearest *nearest = context;
    Vec3 at[3];
    corners_of(nearest->surface, triangle, at);
    Vec3 normal = vec3_cross(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0]));
    if (vec3_dot(normal, nearest->facing) < 0) {
        return reach;
    }
    double distance = closest_on_triangle(nearest->point, at).distance;
    bool earlier = distance == nearest->distance && triangle < nearest->triangle;
    if (nearest->triangle < 0 || distance < nearest->distance || earlier) {
        nearest->triangle = triangle;
        nearest->distance = distance;
    }
    return nearest->distance;
}

/* The nearest triangle that does not face away, -1 for none. */
static Nearest nearest_triangle(const Surface *surface, Vec3 point, Vec3 facing) {
    Nearest nearest = {.surface = surface, .point = point, .facing = facing, .triangle = -1};
    wide_bvh_search(&surface->tree, point, INFINITY, offer_triangle, &nearest);
    return nearest;
}

static Vec3 normal_at(const Surface *surface, const int *corners, const double *weights) {
    const Vec3 *n = surface->normals;
    return vec3_unit_or(mix(weights, n[corners[0]], n[corners[1]], n[corners[2]]), vec3(0, 0, 0));
}

/* A ride in one triangle, and what it leaves of the way to the point that is not along the normal. */
typedef struct Trial {
    Ride ride;
    double left; /* m */
    Vec3 aim;    /* where the normal there would have to start from */
} Trial;

static Trial try_weights(const Surface *surface, int triangle, const Vec3 *at,
                         const double *weights, Vec3 point) {
    const int *corners = surface->corners[triangle];
    Vec3 normal = normal_at(surface, corners, weights);
    Vec3 rest = vec3_sub(point, mix(weights, at[0], at[1], at[2]));
    double lift = vec3_dot(rest, normal);
    return (Trial){.ride = {{corners[0], corners[1], corners[2]},
                            {weights[0], weights[1], weights[2]},
                            lift,
                            0,
                            0},
                   .left = vec3_length(vec3_madd(rest, -lift, normal)),
                   .aim = vec3_madd(point, -lift, normal)};
}

/* The place in this triangle from which the normal leads to the point: the nearest one, moved until what is left is
 * along the normal. If the point is past the triangle's sides, a little way along its plane. */
static Ride ride_in(const Surface *surface, int triangle, Vec3 point) {
    Vec3 at[3];
    double weights[3];
    corners_of(surface, triangle, at);
    memcpy(weights, closest_on_triangle(point, at).weights, sizeof weights);
    Trial best = try_weights(surface, triangle, at, weights, point);
    for (int past = 0; past < 2; ++past) {
        Vec3 aim = past ? point : best.aim;
        for (int round = 0; round < CORRECTIONS; ++round) {
            if (!past) {
                memcpy(weights, closest_on_triangle(aim, at).weights, sizeof weights);
            } else if (foot_weights(at, aim, weights) < -PAST) {
                break;
            }
            Trial trial = try_weights(surface, triangle, at, weights, point);
            aim = trial.aim;
            best = trial.left < best.left ? trial : best;
        }
    }
    return best.ride;
}

Ride surface_ride(const Surface *surface, Vec3 point, Vec3 facing) {
    int triangle = nearest_triangle(surface, point, facing).triangle;
    if (triangle < 0) {
        triangle = nearest_triangle(surface, point, vec3(0, 0, 0)).triangle;
    }
    /* none: too far away for the tree to tell, and any will do */
    return ride_in(surface, triangle < 0 ? 0 : triangle, point);
}

Vec3 surface_point(const Surface *surface, const Ride *ride) {
    const Vec3 *at = surface->draft->at;
    const int32_t *v = ride->vertices;
    return mix(ride->weights, at[v[0]], at[v[1]], at[v[2]]);
}

double surface_distance(const Surface *surface, Vec3 point) {
    Nearest nearest = nearest_triangle(surface, point, vec3(0, 0, 0));
    return nearest.triangle < 0 ? INFINITY : nearest.distance;
}
