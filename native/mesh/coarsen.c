/* Which edge collapses next, mirror partners together, and the mesh that is left. */
#include "mesh/coarsen.h"

#include <string.h>

#include "geometry/distance.h"

/* --- edges that collapse ---------------------------------------------------------------------- */

#define RING_MOST 48    /* neighbours of a vertex; one with more stays as it is */
#define TURN 0.5        /* cosine of the most that a triangle's normal may turn: 60 degrees */
#define CORNER 0.77     /* cosine of the turn from which a border vertex is a corner: 40 degrees */
#define THINNEST 0.12   /* height of a new triangle over its longest side */
#define OFF_SURFACE 2.0 /* what a height over the surface counts for, in lengths of edges */
#define OFF_BORDER 4.0  /* likewise beside a border */

/* A triangle surface whose edges collapse. */
typedef struct Collapse {
    const PolygonMesh *fine;
    const CoarsenOptions *options;
    Vec3 *at; /* per vertex, m */
    int vertex_count, triangle_count;
    int (*triangles)[3];
    float (*uvs)[3][2]; /* per triangle and corner; null without a UV map */
    uint8_t *removed;   /* per triangle */
    /* The corners of a vertex are a list: 3 x triangle + place. -1 ends it. */
    int *first, *next;
    uint8_t *locked;       /* per vertex: stays */
    int32_t *collapsed_to; /* per vertex: the one that it collapsed into; itself while it exists */
    /* Points that lie on a triangle are a list, too; of a point its place. */
    int *first_point, *next_point;
    int *on;            /* per vertex that has gone: the triangle that it lies on, else -1 */
    double (*share)[3]; /* likewise: weights of the triangle's corners */
} Collapse;

/* The neighbours of a vertex. */
typedef struct Ring {
    int count, triangle_count;
    int vertices[RING_MOST];
    uint8_t sides[RING_MOST]; /* triangles on the edge to each */
} Ring;

/* --- walking ---------------------------------------------------------------------------------- */

static int corner_vertex(const Collapse *c, int corner, int ahead) {
    return c->triangles[corner / 3][(corner % 3 + ahead) % 3];
}

/* Its place among the neighbours; -1: it is none. */
static int place_in(const Ring *ring, int vertex) {
    for (int i = 0; i < ring->count; ++i) {
        if (ring->vertices[i] == vertex) {
            return i;
        }
    }
    return -1;
}

static void ring_add(Ring *ring, int vertex) {
    int at = place_in(ring, vertex);
    if (at >= 0) {
        ++ring->sides[at];
    } else if (ring->count++ < RING_MOST) {
        ring->vertices[ring->count - 1] = vertex;
        ring->sides[ring->count - 1] = 1;
    }
}

/* False if it has no triangle, or more neighbours than there is room for. */
static bool collapse_ring(const Collapse *c, int vertex, Ring *ring) {
    ring->count = ring->triangle_count = 0;
    for (int corner = c->first[vertex]; corner >= 0; corner = c->next[corner]) {
        ring_add(ring, corner_vertex(c, corner, 1));
        ring_add(ring, corner_vertex(c, corner, 2));
        ++ring->triangle_count;
        if (ring->count > RING_MOST) {
            return false;
        }
    }
    return ring->count > 0;
}

static Vec3 area_vector(const Collapse *c, int p, int q, int r) {
    return vec3_cross(vec3_sub(c->at[q], c->at[p]), vec3_sub(c->at[r], c->at[p]));
}

/* --- starting --------------------------------------------------------------------------------- */

static void add_triangle(Collapse *c, const int32_t *face, const int *cut, int64_t first_corner) {
    int t = c->triangle_count;
    for (int k = 0; k < 3; ++k) {
        c->triangles[t][k] = face[cut[k]];
        if (c->uvs) {
            memcpy(c->uvs[t][k], c->fine->corner_uvs + 2 * (first_corner + cut[k]),
                   sizeof c->uvs[t][k]);
        }
    }
    const int *v = c->triangles[t];
    if (v[0] != v[1] && v[1] != v[2] && v[2] != v[0]) {
        ++c->triangle_count; /* else it is left out, as by mesh_build() */
    }
}

static void cut_faces(Collapse *c, Vec3 *points, int *scratch, int (*cut)[3]) {
    const PolygonMesh *fine = c->fine;
    Vec3 centre = polygon_centre(fine);
    int64_t corner = 0;
    for (int f = 0; f < fine->face_count; corner += fine->face_sizes[f++]) {
        const int32_t *face = fine->face_vertices + corner;
        for (int k = 0; k < fine->face_sizes[f]; ++k) {
            points[k] = c->at[face[k]];
        }
        polygon_cut(points, fine->face_sizes[f], centre, scratch, cut);
        for (int t = 0; t < fine->face_sizes[f] - 2; ++t) {
            add_triangle(c, face, cut[t], corner);
        }
    }
}

static void link_corners(Collapse *c) {
    for (int v = 0; v < c->vertex_count; ++v) {
        c->first[v] = -1;
        c->collapsed_to[v] = v;
        c->on[v] = c->next_point[v] = -1;
    }
    for (int corner = 3 * c->triangle_count - 1; corner >= 0; --corner) {
        int vertex = corner_vertex(c, corner, 0);
        c->next[corner] = c->first[vertex];
        c->first[vertex] = corner;
        c->first_point[corner / 3] = -1;
    }
}

/* The edge's ends run through every edge once in each direction at most, where the faces agree. */
static bool runs_twice(const Collapse *c, int vertex, int to) {
    int out = 0, in = 0;
    for (int corner = c->first[vertex]; corner >= 0; corner = c->next[corner]) {
        out += corner_vertex(c, corner, 1) == to;
        in += corner_vertex(c, corner, 2) == to;
    }
    return out > 1 || in > 1;
}

static bool is_corner(const Collapse *c, int vertex, const Ring *ring) {
    Vec3 ends[2];
    int count = 0;
    for (int i = 0; i < ring->count; ++i) {
        if (ring->sides[i] == 1 && count++ < 2) {
            ends[count - 1] = vec3_sub(c->at[ring->vertices[i]], c->at[vertex]);
        }
    }
    if (count == 0) {
        return false;
    }
    double lengths = count == 2 ? vec3_length(ends[0]) * vec3_length(ends[1]) : 0;
    return count != 2 || -vec3_dot(ends[0], ends[1]) < CORNER * lengths;
}

static void lock(Collapse *c) {
    Ring ring;
    for (int v = 0; v < c->vertex_count; ++v) {
        bool stays = !collapse_ring(c, v, &ring) || is_corner(c, v, &ring);
        for (int i = 0; !stays && i < ring.count; ++i) {
            stays = ring.sides[i] > 2 || runs_twice(c, v, ring.vertices[i]);
        }
        c->locked[v] = stays;
    }
    for (int64_t e = 0; e < 2 * (int64_t)c->fine->edge_count; ++e) {
        c->locked[c->fine->edges[e]] = 1;
    }
}

/* Cuts the faces and finds what has to stay. Arrays come from the store; false if it has failed. */
static bool collapse_start(Collapse *c, const PolygonMesh *fine, const CoarsenOptions *options,
                           Store *store) {
    int64_t triangles = 0;
    int largest = 3;
    for (int f = 0; f < fine->face_count; ++f) {
        triangles += fine->face_sizes[f] - 2;
        largest = fine->face_sizes[f] > largest ? fine->face_sizes[f] : largest;
    }
    int count = fine->vertex_count;
    *c = (Collapse){.fine = fine, .options = options, .vertex_count = count};
    c->at = STORE_ARRAY(store, Vec3, count);
    c->triangles = store_take(store, (size_t)triangles, sizeof *c->triangles);
    if (fine->corner_uvs) {
        c->uvs = store_take(store, (size_t)triangles, sizeof *c->uvs);
    }
    c->removed = STORE_ARRAY(store, uint8_t, triangles);
    c->first = STORE_ARRAY(store, int, count);
    c->next = STORE_ARRAY(store, int, 3 * triangles);
    c->locked = STORE_ARRAY(store, uint8_t, count);
    c->collapsed_to = STORE_ARRAY(store, int32_t, count);
    c->first_point = STORE_ARRAY(store, int, triangles);
    c->next_point = STORE_ARRAY(store, int, count);
    c->on = STORE_ARRAY(store, int, count);
    c->share = store_take(store, (size_t)count, sizeof *c->share);
    Vec3 *points = STORE_ARRAY(store, Vec3, largest);
    int *ring = STORE_ARRAY(store, int, largest);
    int(*cut)[3] = store_take(store, (size_t)largest, sizeof *cut);
    if (store->failed) {
        return false;
    }
    for (int v = 0; v < count; ++v) {
        c->at[v] = polygon_position(fine, v);
    }
    cut_faces(c, points, ring, cut);
    link_corners(c);
    lock(c);
    return true;
}

/* --- what a collapse costs -------------------------------------------------------------------- */

/* Square of the longest edge that `from` leaves if it goes into `into`, and somewhat more where that leaves the
 * surface, m^2. */
static double collapse_cost(const Collapse *c, int from, const Ring *ring, int into) {
    Vec3 normal = vec3(0, 0, 0), edge = vec3_sub(c->at[into], c->at[from]);
    double longest = 0, off = 0;
    for (int corner = c->first[from]; corner >= 0; corner = c->next[corner]) {
        normal = vec3_add(
            normal, area_vector(c, from, corner_vertex(c, corner, 1), corner_vertex(c, corner, 2)));
    }
    double length = vec3_length(normal);
    off = length > 0 ? OFF_SURFACE * vec3_dot(normal, edge) / length : 0;
    double cost = off * off;
    for (int i = 0; i < ring->count; ++i) {
        Vec3 other = c->at[ring->vertices[i]], left = vec3_sub(other, c->at[into]);
        longest = fmax(longest, vec3_dot(left, left));
        if (ring->sides[i] == 1 && ring->vertices[i] != into) { /* the border that is left */
            Vec3 to = vec3_sub(c->at[from], c->at[into]);
            Vec3 foot = vec3_madd(to, -closest_parameter(to, left), left);
            cost += OFF_BORDER * OFF_BORDER * vec3_dot(foot, foot);
        }
    }
    return cost + longest;
}

/* --- whether it is allowed -------------------------------------------------------------------- */

/* Link condition: both have exactly those neighbours in common that their triangles share, and no edge opposite. */
static bool stays_manifold(const Collapse *c, int from, const Ring *ring, int into, int sides) {
    Ring other;
    int common = 0;
    if (!collapse_ring(c, into, &other)) {
        return false;
    }
    for (int i = 0; i < ring->count; ++i) {
        common += place_in(&other, ring->vertices[i]) >= 0;
    }
    if (common != sides || ring->triangle_count <= sides) {
        return false;
    }
    for (int corner = c->first[into]; corner >= 0; corner = c->next[corner]) {
        int p = corner_vertex(c, corner, 1), q = corner_vertex(c, corner, 2);
        for (int own = c->first[from]; p != from && q != from && own >= 0; own = c->next[own]) {
            int r = corner_vertex(c, own, 1), s = corner_vertex(c, own, 2);
            if ((p == r && q == s) || (p == s && q == r)) {
                return false;
            }
        }
    }
    return true;
}

/* Height over longest side. */
static double shape_of(const Collapse *c, int p, int q, int r, double area) {
    double longest = fmax(vec3_distance(c->at[p], c->at[q]), vec3_distance(c->at[q], c->at[r]));
    longest = fmax(longest, vec3_distance(c->at[r], c->at[p]));
    return longest > 0 ? area / (longest * longest) : 0;
}

static bool keeps_shape(const Collapse *c, int from, int into) {
    for (int corner = c->first[from]; corner >= 0; corner = c->next[corner]) {
        int p = corner_vertex(c, corner, 1), q = corner_vertex(c, corner, 2);
        if (p == into || q == into) {
            continue;
        }
        Vec3 before = area_vector(c, from, p, q), after = area_vector(c, into, p, q);
        double old = vec3_length(before), area = vec3_length(after);
        double thin = fmin(THINNEST, shape_of(c, from, p, q, old));
        if (vec3_dot(before, after) < TURN * old * area || shape_of(c, into, p, q, area) < thin) {
            return false;
        }
    }
    return true;
}

static bool same_uv(const float *a, const float *b) { return a[0] == b[0] && a[1] == b[1]; }

/* What a corner of `from` becomes in the UV map if that goes into `into`: the UV there of a triangle between both
 * that has the same UV at `from`. Null where there is none, or where two differ: the edge crosses a seam. */
static const float *uv_after(const Collapse *c, int from, const float *uv, int into) {
    const float *found = NULL;
    for (int corner = c->first[from]; corner >= 0; corner = c->next[corner]) {
        const float(*uvs)[2] = (const float(*)[2])c->uvs[corner / 3];
        int place = corner % 3;
        for (int ahead = 1; ahead < 3; ++ahead) {
            if (corner_vertex(c, corner, ahead) == into && same_uv(uvs[place], uv)) {
                const float *there = uvs[(place + ahead) % 3];
                if (found && !same_uv(found, there)) {
                    return NULL;
                }
                found = there;
            }
        }
    }
    return found;
}

static bool keeps_seams(const Collapse *c, int from, int into) {
    for (int corner = c->first[from]; c->uvs && corner >= 0; corner = c->next[corner]) {
        if (!uv_after(c, from, c->uvs[corner / 3][corner % 3], into)) {
            return false;
        }
    }
    return true;
}

/* Whether one may go into the other, by itself. */
static bool collapse_allowed(const Collapse *c, int from, const Ring *ring, int into) {
    const uint8_t *marks = c->options->marks;
    int at = place_in(ring, into), borders = 0;
    if (at < 0 || c->locked[from] || (marks && marks[from] & ~marks[into])) {
        return false;
    }
    for (int i = 0; i < ring->count; ++i) {
        borders += ring->sides[i] == 1;
    }
    if (borders > 0 && ring->sides[at] != 1) {
        return false;
    }
    return stays_manifold(c, from, ring, into, ring->sides[at]) && keeps_shape(c, from, into) &&
           keeps_seams(c, from, into);
}

/* --- doing it --------------------------------------------------------------------------------- */

/* Takes the corners of removed triangles out of a vertex's list; returns the last that is left, or -1. */
static int drop_removed(Collapse *c, int vertex) {
    int *link = &c->first[vertex], last = -1;
    while (*link >= 0) {
        if (c->removed[*link / 3]) {
            *link = c->next[*link];
        } else {
            last = *link;
            link = &c->next[*link];
        }
    }
    return last;
}

static void take_points(Collapse *c, int triangle, int *points) {
    int point = c->first_point[triangle];
    while (point >= 0) {
        int following = c->next_point[point];
        c->next_point[point] = *points;
        *points = point;
        point = following;
    }
    c->first_point[triangle] = -1;
}

/* The nearest place on the triangles of these corners, a list that ends at -1. */
static void put_point(Collapse *c, int point, int corners) {
    double nearest = INFINITY;
    for (int corner = corners; corner >= 0; corner = c->next[corner]) {
        const int *v = c->triangles[corner / 3];
        Vec3 at[3] = {c->at[v[0]], c->at[v[1]], c->at[v[2]]};
        TrianglePoint found = closest_on_triangle(c->at[point], at);
        if (found.distance < nearest) {
            nearest = found.distance;
            c->on[point] = corner / 3;
            memcpy(c->share[point], found.weights, sizeof found.weights);
        }
    }
    if (c->on[point] >= 0) {
        c->next_point[point] = c->first_point[c->on[point]];
        c->first_point[c->on[point]] = point;
    }
}

/* Does it, and finds new places for what lies on the triangles around. */
static void collapse_edge(Collapse *c, int from, int into) {
    int points = -1, thirds[2], third_count = 0;
    for (int corner = c->first[from]; c->uvs && corner >= 0; corner = c->next[corner]) {
        float *uv = c->uvs[corner / 3][corner % 3];
        if (corner_vertex(c, corner, 1) != into && corner_vertex(c, corner, 2) != into) {
            memcpy(uv, uv_after(c, from, uv, into), 2 * sizeof *uv);
        }
    }
    for (int corner = c->first[from]; corner >= 0; corner = c->next[corner]) {
        int p = corner_vertex(c, corner, 1), q = corner_vertex(c, corner, 2);
        take_points(c, corner / 3, &points);
        if (p == into || q == into) {
            c->removed[corner / 3] = 1;
            thirds[third_count++] = p == into ? q : p;
        }
    }
    drop_removed(c, from);
    drop_removed(c, into);
    for (int i = 0; i < third_count; ++i) {
        drop_removed(c, thirds[i]);
    }
    int moved = c->first[from], last = -1;
    for (int corner = moved; corner >= 0; last = corner, corner = c->next[corner]) {
        c->triangles[corner / 3][corner % 3] = into;
    }
    c->collapsed_to[from] = into;
    c->first[from] = -1;
    put_point(c, from, moved);
    while (points >= 0) {
        int following = c->next_point[points];
        put_point(c, points, moved);
        points = following;
    }
    c->next[last] = c->first[into];
    c->first[into] = moved;
}

/* --- the cheapest vertex first ------------------------------------------------------------------ */

/* A heap of vertices by cost; of equals the smaller number first. */
typedef struct Queue {
    int count;
    int *order, *place; /* the heap; where each vertex is in it, -1: not there */
    double *cost;       /* per vertex, m^2 */
} Queue;

static bool comes_before(const Queue *queue, int a, int b) {
    double p = queue->cost[a], q = queue->cost[b];
    return p != q ? p < q : a < b;
}

static void put_at(Queue *queue, int place, int vertex) {
    queue->order[place] = vertex;
    queue->place[vertex] = place;
}

static void rise(Queue *queue, int place) {
    int vertex = queue->order[place];
    while (place > 0 && comes_before(queue, vertex, queue->order[(place - 1) / 2])) {
        put_at(queue, place, queue->order[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_at(queue, place, vertex);
}

static void sink(Queue *queue, int place) {
    int vertex = queue->order[place];
    for (;;) {
        int below = 2 * place + 1;
        if (below + 1 < queue->count &&
            comes_before(queue, queue->order[below + 1], queue->order[below])) {
            ++below;
        }
        if (below >= queue->count || !comes_before(queue, queue->order[below], vertex)) {
            break;
        }
        put_at(queue, place, queue->order[below]);
        place = below;
    }
    put_at(queue, place, vertex);
}

static void queue_set(Queue *queue, int vertex, double cost) {
    queue->cost[vertex] = cost;
    if (queue->place[vertex] < 0) {
        put_at(queue, queue->count++, vertex);
    }
    rise(queue, queue->place[vertex]);
    sink(queue, queue->place[vertex]);
}

static void queue_remove(Queue *queue, int vertex) {
    int place = queue->place[vertex];
    if (place < 0) {
        return;
    }
    queue->place[vertex] = -1;
    int last = queue->order[--queue->count];
    if (last != vertex) {
        put_at(queue, place, last);
        rise(queue, place);
        sink(queue, queue->place[last]);
    }
}

/* --- partners ----------------------------------------------------------------------------------- */

/* Two that collapse into the same vertex of the mirror plane: the first must not change what the second reads. */
static bool meet_in_plane(const Collapse *c, const Ring *ring, const Ring *image, int into) {
    Ring there;
    int shared = 0;
    if (!collapse_ring(c, into, &there)) {
        return false;
    }
    for (int i = 0; i < ring->count; ++i) {
        int s = ring->vertices[i];
        if (s != into && place_in(image, s) >= 0) {
            ++shared;
            if (place_in(&there, s) < 0) {
                return false;
            }
        }
    }
    return shared <= 2;
}

/* The mirror partner that collapses with it, -1 for none; -2 if it may not. */
static int companion(const Collapse *c, int from, const Ring *ring, int into) {
    const int32_t *partners = c->options->partners;
    if (!partners || partners[from] < 0) {
        return -1;
    }
    int other = partners[from], target = partners[into];
    if (other == from) {
        return target == into ? -1 : -2;
    }
    Ring image;
    if (target < 0 || place_in(ring, other) >= 0 || !collapse_ring(c, other, &image) ||
        !collapse_allowed(c, other, &image, target)) {
        return -2;
    }
    bool apart = target == into ? meet_in_plane(c, ring, &image, into) : place_in(&image, into) < 0;
    return apart ? other : -2;
}

/* --- choosing ----------------------------------------------------------------------------------- */

static void offer(const Collapse *c, Queue *queue, int vertex) {
    Ring ring;
    double least = INFINITY;
    if (c->locked[vertex] || !collapse_ring(c, vertex, &ring)) {
        queue_remove(queue, vertex);
        return;
    }
    for (int i = 0; i < ring.count; ++i) {
        least = fmin(least, collapse_cost(c, vertex, &ring, ring.vertices[i]));
    }
    queue_set(queue, vertex, least);
}

typedef struct Choice {
    int into, other; /* -1: none; no partner collapses with it */
    double cost;
} Choice;

static Choice choose(const Collapse *c, int from) {
    Ring ring;
    Choice best = {-1, -1, INFINITY};
    collapse_ring(c, from, &ring);
    for (int i = 0; i < ring.count; ++i) {
        int into = ring.vertices[i];
        double cost = collapse_cost(c, from, &ring, into);
        if (cost < best.cost && collapse_allowed(c, from, &ring, into)) {
            int other = companion(c, from, &ring, into);
            best = other >= -1 ? (Choice){into, other, cost} : best;
        }
    }
    return best;
}

/* A collapse changes the costs of all neighbours. */
static void offer_around(const Collapse *c, Queue *queue, int vertex) {
    Ring ring;
    if (collapse_ring(c, vertex, &ring)) {
        offer(c, queue, vertex);
        for (int i = 0; i < ring.count; ++i) {
            offer(c, queue, ring.vertices[i]);
        }
    }
}

static int collapse_all(Collapse *c, Queue *queue) {
    int left = c->vertex_count;
    for (int v = 0; v < c->vertex_count; ++v) {
        queue->place[v] = -1;
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        offer(c, queue, v);
    }
    while (queue->count > 0 && left > c->options->target) {
        int from = queue->order[0];
        double promised = queue->cost[from];
        Choice choice = choose(c, from);
        queue_remove(queue, from);
        if (choice.into < 0) {
            continue; /* until something around it changes */
        }
        if (choice.cost > promised && queue->count > 0 &&
            choice.cost > queue->cost[queue->order[0]]) {
            queue_set(queue, from, choice.cost); /* others are cheaper */
            continue;
        }
        collapse_edge(c, from, choice.into);
        --left;
        if (choice.other >= 0) {
            int target = c->options->partners[choice.into];
            queue_remove(queue, choice.other);
            collapse_edge(c, choice.other, target);
            --left;
            offer_around(c, queue, target);
        }
        offer_around(c, queue, choice.into);
    }
    return left;
}

/* --- the mesh that is left ---------------------------------------------------------------------- */

typedef struct Result {
    float *positions, *uvs;
    int32_t *sizes, *vertices, *edges, *parts;
} Result;

static bool take_result(const Collapse *c, int left, CoarseMesh *coarse, Result *result) {
    Store *store = &coarse->store;
    int triangles = 0;
    for (int t = 0; t < c->triangle_count; ++t) {
        triangles += !c->removed[t];
    }
    result->positions = STORE_ARRAY(store, float, 3 * (int64_t)left);
    result->sizes = STORE_ARRAY(store, int32_t, triangles);
    result->vertices = STORE_ARRAY(store, int32_t, 3 * (int64_t)triangles);
    result->edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)c->fine->edge_count);
    result->parts = c->fine->vertex_parts ? STORE_ARRAY(store, int32_t, left) : NULL;
    result->uvs = c->uvs ? STORE_ARRAY(store, float, 6 * (int64_t)triangles) : NULL;
    coarse->source = STORE_ARRAY(store, int32_t, left);
    coarse->places = STORE_ARRAY(store, CoarsePlace, c->vertex_count);
    coarse->collapsed_to = STORE_ARRAY(store, int32_t, c->vertex_count);
    coarse->polygons = (PolygonMesh){.vertex_count = left,
                                     .face_count = triangles,
                                     .edge_count = c->fine->edge_count,
                                     .positions = result->positions,
                                     .face_sizes = result->sizes,
                                     .face_vertices = result->vertices,
                                     .edges = result->edges,
                                     .vertex_parts = result->parts,
                                     .corner_uvs = result->uvs};
    return !store->failed;
}

/* Numbers the vertices that are left, and gives each its collapsed_to's. */
static void number_vertices(const Collapse *c, CoarseMesh *coarse, Result *result) {
    int count = 0;
    for (int v = 0; v < c->vertex_count; ++v) {
        if (c->collapsed_to[v] == v) {
            memcpy(result->positions + 3 * (int64_t)count, c->fine->positions + 3 * (int64_t)v,
                   3 * sizeof(float));
            if (result->parts) {
                result->parts[count] = c->fine->vertex_parts[v];
            }
            coarse->source[count] = v;
            coarse->collapsed_to[v] = count++;
        }
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        int collapsed_to = v;
        while (c->collapsed_to[collapsed_to] != collapsed_to) {
            collapsed_to = c->collapsed_to[collapsed_to];
        }
        coarse->collapsed_to[v] = coarse->collapsed_to[collapsed_to];
    }
}

static void write_elements(const Collapse *c, CoarseMesh *coarse, Result *result) {
    int count = 0;
    for (int t = 0; t < c->triangle_count; ++t) {
        if (!c->removed[t]) {
            result->sizes[count] = 3;
            for (int k = 0; k < 3; ++k) {
                result->vertices[3 * count + k] = coarse->collapsed_to[c->triangles[t][k]];
            }
            if (c->uvs) {
                memcpy(result->uvs + 6 * (int64_t)count, c->uvs[t], sizeof c->uvs[t]);
            }
            ++count;
        }
    }
    for (int64_t e = 0; e < 2 * (int64_t)c->fine->edge_count; ++e) {
        result->edges[e] = coarse->collapsed_to[c->fine->edges[e]];
    }
}

static void write_places(const Collapse *c, CoarseMesh *coarse) {
    for (int v = 0; v < c->vertex_count; ++v) {
        int own = coarse->collapsed_to[v];
        coarse->places[v] = (CoarsePlace){{own, own, own}, {1, 0, 0}};
        for (int k = 0; c->collapsed_to[v] != v && c->on[v] >= 0 && k < 3; ++k) {
            coarse->places[v].vertices[k] = coarse->collapsed_to[c->triangles[c->on[v]][k]];
            coarse->places[v].weights[k] = c->share[v][k];
        }
    }
}

StatusCode coarsen(const PolygonMesh *fine, const CoarsenOptions *options, CoarseMesh *coarse,
                   Status *status) {
    Store room = {0};
    Collapse c;
    Result result;
    *coarse = (CoarseMesh){0};
    bool done = collapse_start(&c, fine, options, &room);
    Queue queue = {.order = STORE_ARRAY(&room, int, fine->vertex_count),
                   .place = STORE_ARRAY(&room, int, fine->vertex_count),
                   .cost = STORE_ARRAY(&room, double, fine->vertex_count)};
    done = done && !room.failed && take_result(&c, collapse_all(&c, &queue), coarse, &result);
    if (done) {
        number_vertices(&c, coarse, &result);
        write_elements(&c, coarse, &result);
        write_places(&c, coarse);
    }
    store_release(&room);
    return done ? STATUS_OK : status_no_memory(status, "a coarser mesh");
}

void coarse_free(CoarseMesh *coarse) {
    store_release(&coarse->store);
    *coarse = (CoarseMesh){0};
}
