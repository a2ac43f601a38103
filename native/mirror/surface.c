#include "mirror/surface.h"

#include <stdlib.h>

#define LEAF 4        /* triangles at most */
#define DEEPEST 64    /* of the tree: it is halved at each step */
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

/* --- the tree --------------------------------------------------------------------------------- */

typedef struct Sorted {
    double key;
    int triangle;
} Sorted;

static int compare_sorted(const void *left, const void *right) {
    const Sorted *p = left, *q = right;
    if (p->key != q->key) {
        return p->key < q->key ? -1 : 1;
    }
    return (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

static double coordinate(Vec3 p, int axis) { return axis == 0 ? p.x : axis == 1 ? p.y : p.z; }

static void widen(SurfaceNode *node, Vec3 p) {
    node->low = vec3(p.x < node->low.x ? p.x : node->low.x, p.y < node->low.y ? p.y : node->low.y,
                     p.z < node->low.z ? p.z : node->low.z);
    node->high =
        vec3(p.x > node->high.x ? p.x : node->high.x, p.y > node->high.y ? p.y : node->high.y,
             p.z > node->high.z ? p.z : node->high.z);
}

static int build_node(Surface *surface, Sorted *sorted, int begin, int end) {
    const Vec3 *at = surface->draft->at;
    int number = surface->node_count++;
    SurfaceNode *node = &surface->nodes[number];
    node->begin = begin;
    node->end = end;
    node->children[0] = node->children[1] = -1;
    node->low = node->high = at[surface->corners[surface->order[begin]][0]];
    for (int i = 3 * begin; i < 3 * end; ++i) {
        widen(node, at[surface->corners[surface->order[i / 3]][i % 3]]);
    }
    if (end - begin <= LEAF) {
        return number;
    }
    Vec3 size = vec3_sub(node->high, node->low);
    int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    for (int i = begin; i < end; ++i) {
        const int *c = surface->corners[surface->order[i]];
        Vec3 sum = vec3_add(at[c[0]], vec3_add(at[c[1]], at[c[2]]));
        sorted[i] = (Sorted){coordinate(sum, axis), surface->order[i]};
    }
    qsort(sorted + begin, (size_t)(end - begin), sizeof *sorted, compare_sorted);
    for (int i = begin; i < end; ++i) {
        surface->order[i] = sorted[i].triangle;
    }
    int middle = begin + (end - begin) / 2;
    node->children[0] = build_node(surface, sorted, begin, middle);
    node->children[1] = build_node(surface, sorted, middle, end);
    return number;
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
    Sorted *sorted = STORE_ARRAY(store, Sorted, triangles);
    surface->corners = store_take(store, (size_t)triangles, sizeof *surface->corners);
    surface->normals = STORE_ARRAY(store, Vec3, draft->mesh->vertex_count);
    surface->order = STORE_ARRAY(store, int, triangles);
    surface->nodes = STORE_ARRAY(store, SurfaceNode, 2 * triangles + 1);
    if (store->failed) {
        return -1;
    }
    cut_faces(surface, points, ring, cut);
    finish_normals(surface);
    for (int t = 0; t < surface->count; ++t) {
        surface->order[t] = t;
    }
    if (surface->count > 0) {
        build_node(surface, sorted, 0, surface->count);
    }
    return 0;
}

/* --- nearest places --------------------------------------------------------------------------- */

static Vec3 mix(const double *weights, Vec3 a, Vec3 b, Vec3 c) {
    return vec3_madd(vec3_madd(vec3_scale(weights[0], a), weights[1], b), weights[2], c);
}

/* Nearest on the side from corner i to the next; keeps the better of it and what is there. */
static void try_side(const Vec3 *at, int i, Vec3 point, double *best, double *weights) {
    int j = (i + 1) % 3;
    Vec3 along = vec3_sub(at[j], at[i]);
    double length = vec3_dot(along, along);
    double t = length > 0 ? vec3_dot(vec3_sub(point, at[i]), along) / length : 0;
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    double distance = vec3_distance(point, vec3_madd(at[i], t, along));
    if (*best < 0 || distance < *best) {
        *best = distance;
        weights[i] = 1 - t;
        weights[j] = t;
        weights[3 - i - j] = 0;
    }
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

/* Distance to a triangle, and where its nearest place is. */
static double nearest_in(const Vec3 *at, Vec3 point, double *weights) {
    double best = -1;
    if (foot_weights(at, point, weights) >= 0) {
        return vec3_distance(point, mix(weights, at[0], at[1], at[2]));
    }
    for (int i = 0; i < 3; ++i) {
        try_side(at, i, point, &best, weights);
    }
    return best;
}

static double box_distance(const SurfaceNode *node, Vec3 p) {
    double x = p.x < node->low.x ? node->low.x - p.x : p.x > node->high.x ? p.x - node->high.x : 0;
    double y = p.y < node->low.y ? node->low.y - p.y : p.y > node->high.y ? p.y - node->high.y : 0;
    double z = p.z < node->low.z ? node->low.z - p.z : p.z > node->high.z ? p.z - node->high.z : 0;
    return sqrt(x * x + y * y + z * z);
}

static void corners_of(const Surface *surface, int triangle, Vec3 *at) {
    for (int c = 0; c < 3; ++c) {
        at[c] = surface->draft->at[surface->corners[triangle][c]];
    }
}

static void try_leaf(const Surface *surface, const SurfaceNode *node, Vec3 point, Vec3 facing,
                     double *best, int *found) {
    for (int i = node->begin; i < node->end; ++i) {
        Vec3 at[3];
        double weights[3];
        corners_of(surface, surface->order[i], at);
        Vec3 normal = vec3_cross(vec3_sub(at[1], at[0]), vec3_sub(at[2], at[0]));
        if (vec3_dot(normal, facing) < 0) {
            continue;
        }
        double distance = nearest_in(at, point, weights);
        int earlier = distance == *best && surface->order[i] < *found;
        if (*found < 0 || distance < *best || earlier) {
            *best = distance;
            *found = surface->order[i];
        }
    }
}

/* The nearest triangle that does not face away, -1 for none. */
static int nearest_triangle(const Surface *surface, Vec3 point, Vec3 facing) {
    int stack[2 * DEEPEST], depth = 0, found = -1;
    double best = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        const SurfaceNode *node = &surface->nodes[stack[--depth]];
        if (found >= 0 && box_distance(node, point) > best) {
            continue;
        }
        if (node->children[0] < 0) {
            try_leaf(surface, node, point, facing, &best, &found);
            continue;
        }
        const SurfaceNode *first = &surface->nodes[node->children[0]];
        const SurfaceNode *second = &surface->nodes[node->children[1]];
        int nearer = box_distance(first, point) > box_distance(second, point);
        stack[depth++] = node->children[1 - nearer];
        stack[depth++] = node->children[nearer];
    }
    return found;
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
    nearest_in(at, point, weights);
    Trial best = try_weights(surface, triangle, at, weights, point);
    for (int past = 0; past < 2; ++past) {
        Vec3 aim = past ? point : best.aim;
        for (int round = 0; round < CORRECTIONS; ++round) {
            if (!past) {
                nearest_in(at, aim, weights);
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
    int triangle = nearest_triangle(surface, point, facing);
    if (triangle < 0) {
        triangle = nearest_triangle(surface, point, vec3(0, 0, 0));
    }
    return ride_in(surface, triangle, point);
}

Vec3 surface_point(const Surface *surface, const Ride *ride) {
    const Vec3 *at = surface->draft->at;
    const int32_t *v = ride->vertices;
    return mix(ride->weights, at[v[0]], at[v[1]], at[v[2]]);
}
