/* Lists of corners, what a collapse needs to be allowed, and the collapse itself. */
#include "mesh/collapse.h"

#include <stdlib.h>
#include <string.h>

#include "geometry/closest.h"

#define TURN 0.5        /* cosine of the most that a triangle's normal may turn: 60 degrees */
#define CORNER 0.77     /* cosine of the turn from which a border vertex is a corner: 40 degrees */
#define THINNEST 0.12   /* height of a new triangle over its longest side */
#define OFF_SURFACE 2.0 /* what a height over the surface counts for, in lengths of edges */
#define OFF_BORDER 4.0  /* likewise beside a border */

/* --- walking ---------------------------------------------------------------------------------- */

static int corner_vertex(const Collapse *c, int corner, int ahead) {
    return c->triangles[corner / 3][(corner % 3 + ahead) % 3];
}

static void ring_add(Ring *ring, int vertex) {
    for (int i = 0; i < ring->count; ++i) {
        if (ring->vertices[i] == vertex) {
            ++ring->sides[i];
            return;
        }
    }
    if (ring->count < RING_MOST) {
        ring->vertices[ring->count] = vertex;
        ring->sides[ring->count] = 1;
    }
    ++ring->count;
}

bool collapse_ring(const Collapse *c, int vertex, Ring *ring) {
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

static int place_in(const Ring *ring, int vertex) {
    for (int i = 0; i < ring->count; ++i) {
        if (ring->vertices[i] == vertex) {
            return i;
        }
    }
    return -1;
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

static int cut_faces(Collapse *c, int largest) {
    const PolygonMesh *fine = c->fine;
    Vec3 *points = SCRATCH_ARRAY(Vec3, largest);
    int *scratch = SCRATCH_ARRAY(int, largest);
    int(*cut)[3] = scratch_take((size_t)largest, sizeof *cut);
    int failed = !points || !scratch || !cut;
    Vec3 centre = polygon_centre(fine);
    int64_t corner = 0;
    for (int f = 0; !failed && f < fine->face_count; corner += fine->face_sizes[f++]) {
        const int32_t *face = fine->face_vertices + corner;
        for (int k = 0; k < fine->face_sizes[f]; ++k) {
            points[k] = c->at[face[k]];
        }
        polygon_cut(points, fine->face_sizes[f], centre, scratch, cut);
        for (int t = 0; t < fine->face_sizes[f] - 2; ++t) {
            add_triangle(c, face, cut[t], corner);
        }
    }
    free(points);
    free(scratch);
    free(cut);
    return failed ? -1 : 0;
}

static void link_corners(Collapse *c) {
    for (int v = 0; v < c->vertex_count; ++v) {
        c->first[v] = -1;
        c->heir[v] = v;
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

int collapse_start(Collapse *c, const PolygonMesh *fine, const CoarsenOptions *options,
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
    c->heir = STORE_ARRAY(store, int32_t, count);
    c->first_point = STORE_ARRAY(store, int, triangles);
    c->next_point = STORE_ARRAY(store, int, count);
    c->on = STORE_ARRAY(store, int, count);
    c->share = store_take(store, (size_t)count, sizeof *c->share);
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < count; ++v) {
        c->at[v] = polygon_position(fine, v);
    }
    if (cut_faces(c, largest) < 0) {
        return -1;
    }
    link_corners(c);
    lock(c);
    return 0;
}

/* --- what a collapse costs -------------------------------------------------------------------- */

double collapse_cost(const Collapse *c, int from, const Ring *ring, int into) {
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

bool collapse_allowed(const Collapse *c, int from, const Ring *ring, int into) {
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

void collapse_edge(Collapse *c, int from, int into) {
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
    c->heir[from] = into;
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
