/* Of the many pairs around one place only the nearest become contacts: with all of them a fold would be pushed several
 * times as hard as flat cloth. */
#include "contact/self/self_contact.h"

#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "geometry/distance.h"
#include "mesh/adjacency.h"

/* --- what cuts itself at the start ------------------------------------------------------------ */

/* Marks the vertices around a piercing, so that ordinary contacts do not hold it in place. */

/* Rings of vertices around a piercing that belong to its tangle. */
#define RINGS 2
/* Lower bound for the sine of the angle between edge and triangle: nearly flat piercings would otherwise only move along
 * the triangle's normal. */
#define FLATTEST 0.1
/* Length of the direction (up to 2 where the contour doubles back) below which the contour is straight. */
#define STRAIGHT 0.05
/* The part of the recovery for one piercing: a vertex takes part in several, and their motions add up. */
#define TANGLE_SHARE 0.3

static StatusCode tangle_build(Tangle *tangle, int vertex_count, Store *store, Status *status) {
    *tangle = (Tangle){.label = STORE_ARRAY(store, int, vertex_count),
                       .marked = STORE_ARRAY(store, int, vertex_count)};
    if (store->failed) {
        return status_no_memory(status, "the tangles of cloth");
    }
    for (int v = 0; v < vertex_count; ++v) {
        tangle->label[v] = -1;
    }
    return STATUS_OK;
}

/* --- which vertices --------------------------------------------------------------------------- */

static void mark(Tangle *tangle, int v, int label) {
    if (tangle->label[v] < 0) {
        tangle->label[v] = label;
        tangle->marked[tangle->marked_count++] = v;
    }
}

/* The vertices of all piercings, those of one piercing joined. */
static void mark_piercings(Tangle *tangle, const SelfPairs *pairs) {
    tangle->piercings = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const SelfPair *pair = &pairs->list[i];
        if (pair->kind != PAIR_PIERCING) {
            continue;
        }
        ++tangle->piercings;
        const int *edge = pairs->skin->edges[pair->first];
        const int *corners = pairs->links.elements[pair->second].vertices;
        int vertices[5] = {edge[0], edge[1], corners[0], corners[1], corners[2]};
        for (int k = 0; k < 5; ++k) {
            mark(tangle, vertices[k], vertices[k]);
            components_join(tangle->label, vertices[k], vertices[0]);
        }
    }
}

static void join_neighbours(Tangle *tangle, const Links *links) {
    for (int i = 0; i < tangle->marked_count; ++i) {
        int v = tangle->marked[i];
        for (int r = links->ring_start[v]; r < links->ring_start[v + 1]; ++r) {
            if (tangle->label[links->ring[r]] >= 0) {
                components_join(tangle->label, v, links->ring[r]);
            }
        }
    }
    for (int i = 0; i < tangle->marked_count; ++i) {
        int v = tangle->marked[i];
        tangle->label[v] = components_root(tangle->label, v);
    }
}

static void grow(Tangle *tangle, const Links *links) {
    int begin = 0;
    for (int ring = 0; ring < RINGS; ++ring) {
        int end = tangle->marked_count;
        for (; begin < end; ++begin) {
            int v = tangle->marked[begin];
            for (int r = links->ring_start[v]; r < links->ring_start[v + 1]; ++r) {
                mark(tangle, links->ring[r], tangle->label[v]);
            }
        }
    }
}

/* --- which pairs ------------------------------------------------------------------------------ */

typedef struct TangleWork {
    const Tangle *tangle;
    SelfPairs *pairs;
} TangleWork;

static bool share_label(const int *label, int count, const int *first, int other_count,
                        const int *second) {
    for (int i = 0; i < count; ++i) {
        for (int j = 0; label[first[i]] >= 0 && j < other_count; ++j) {
            if (label[first[i]] == label[second[j]]) {
                return true;
            }
        }
    }
    return false;
}

static void still_pairs(void *context, int begin, int end) {
    const TangleWork *work = context;
    const Links *links = &work->pairs->links;
    const int *label = work->tangle->label, (*edges)[2] = (const int(*)[2])work->pairs->skin->edges;
    for (int i = begin; i < end; ++i) {
        SelfPair *pair = &work->pairs->list[i];
        int shared = 0;
        if (pair->kind == PAIR_VERTEX) {
            const Element *element = &links->elements[pair->second];
            shared = share_label(label, 1, &pair->first, element_size(element), element->vertices);
        } else if (pair->kind == PAIR_EDGES) {
            shared = share_label(label, 2, edges[pair->first], 2, edges[pair->second]);
        }
        pair->idle = shared;
    }
}

void tangle_find(Tangle *tangle, Pool *pool, SelfPairs *pairs) {
    for (int i = 0; i < tangle->marked_count; ++i) {
        tangle->label[tangle->marked[i]] = -1;
    }
    tangle->marked_count = 0;
    mark_piercings(tangle, pairs);
    if (tangle->piercings == 0) {
        return;
    }
    join_neighbours(tangle, &pairs->links);
    grow(tangle, &pairs->links);
    TangleWork work = {tangle, pairs};
    pool_run(pool, pairs->count, still_pairs, &work);
}

/* --- what moves them apart -------------------------------------------------------------------- */

/* Unit direction in which the contour leaves the edge within one of the edge's triangles; zero if the two
 * triangles lie in one plane. */
static Vec3 contour_direction(Vec3 normal, Vec3 along, Vec3 to_wing) {
    Vec3 zero = {0, 0, 0}, inward = vec3_madd(to_wing, -vec3_dot(along, to_wing), along);
    Vec3 direction = vec3_normal_or(normal, vec3_cross(along, to_wing), zero);
    return vec3_dot(direction, inward) < 0 ? vec3_scale(-1, direction) : direction;
}

/* The contact that separates the edge and the triangle of a piercing. Returns false without a direction. */
static bool tangle_contact(const SelfPairs *pairs, const SelfPair *piercing, Contact *contact) {
    const int *edge = pairs->skin->edges[piercing->first];
    const Element *triangle = &pairs->links.elements[piercing->second];
    const Links *links = &pairs->links;
    const Vec3 *x = pairs->x;
    Vec3 zero = {0, 0, 0}, along = vec3_unit_or(vec3_sub(x[edge[1]], x[edge[0]]), zero);
    Vec3 normal = vec3_unit_or(element_normal(triangle, x), zero), way = zero;
    double parameter, weights[3], steep = vec3_dot(along, normal);
    if (!edge_pierces(edge, triangle, x, &parameter, weights)) {
        return false;
    }
    steep = fabs(steep) > FLATTEST ? steep : steep < 0 ? -FLATTEST : FLATTEST;
    for (int w = links->wing_start[piercing->first]; w < links->wing_start[piercing->first + 1];
         ++w) {
        Vec3 to_wing = vec3_sub(x[links->wings[w]], x[edge[0]]);
        Vec3 leaving = contour_direction(normal, along, to_wing);
        way = vec3_add(way, vec3_madd(leaving, -2 * vec3_dot(along, leaving) / steep, normal));
    }
    double size = vec3_length(way);
    if (!(size > STRAIGHT)) {
        return false;
    }
    /* At x both points are the same: the gap is how much of the way is still to go. */
    *contact = (Contact){
        .count = 5,
        .vertices = {edge[0], edge[1], triangle->vertices[0], triangle->vertices[1],
                     triangle->vertices[2]},
        .weights = {1 - parameter, parameter, -weights[0], -weights[1], -weights[2]},
        .normal = vec3_scale(1 / size, way),
        .shell = TANGLE_SHARE * pairs->recovery * pairs->length * (size < 1 ? size : 1.0)};
    return true;
}

/* Below this distance (m) the vector between two points has no reliable direction. */
#define TOUCHING 1e-9
/* Nearest points of edges nearer than this to an end belong to its vertex. */
#define EDGE_END 1e-3
/* Squared sine below which edges are parallel: vertices near edges hold them apart. */
#define PARALLEL 1e-4
/* Cosine: a vertex counts as the nearest of its neighbourhood even if that bends towards the other by this much. A pair of
 * edges only counts if on both sides the surface bends away. */
#define VERTEX_BEND 0.2
/* Between layers that are each other's image rounding decides whether a place is at a corner, on an edge or inside, and
 * differently for each triangle: a corner reaches this far along its edges (part of their length), and a surface that bends
 * towards the other by no more than this (cosine) is flat. Otherwise each may leave the contact to a neighbour, and none
 * has it. */
#define CORNER_REACH 1e-6
#define FLAT 1e-6

/* Part of the room between two surfaces that layers keep from each other. */
#define SHARE 0.5

/* As much room for those that touch as there is for pairs. */
static bool reserve_active(SelfContactFinder *self) {
    if (self->active_capacity >= self->pairs.capacity) {
        return true;
    }
    size_t room = (size_t)self->pairs.capacity + 1;
    size_t chunks = (size_t)pool_chunks(self->pairs.capacity) + 1;
    bool failed = false;
    self->active = scratch_grow(self->active, room, sizeof *self->active, &failed);
    self->active_count =
        scratch_grow(self->active_count, chunks, sizeof *self->active_count, &failed);
    self->active_capacity = failed ? self->active_capacity : self->pairs.capacity;
    return !failed;
}

StatusCode self_contact_build(SelfContactFinder *self, const Skin *skin, Status *status) {
    *self = (SelfContactFinder){0};
    StatusCode code = self_pairs_build(&self->pairs, skin, &self->store, status);
    if (code == STATUS_OK) {
        code = tangle_build(&self->tangle, skin->vertex_count, &self->store, status);
    }
    if (code == STATUS_OK && !reserve_active(self)) {
        code = status_no_memory(status, "self-contact");
    }
    if (code != STATUS_OK) {
        self_contact_destroy(self);
    }
    return code;
}

void self_contact_destroy(SelfContactFinder *self) {
    self_pairs_destroy(&self->pairs);
    store_release(&self->store);
    free(self->active);
    free(self->active_count);
    *self = (SelfContactFinder){0};
}

void self_contact_begin(SelfContactFinder *self, Pool *pool, const Vec3 *x, const uint8_t *suspects,
                        const Vec3 *z, double thickness, double slack, double length) {
    self_pairs_find(&self->pairs, pool, x, suspects, z, thickness, slack, length);
    tangle_find(&self->tangle, pool, &self->pairs);
    self->piercings = self->tangle.piercings;
}

void self_contact_update(SelfContactFinder *self, Pool *pool, const Vec3 *z) {
    if (self_pairs_update(&self->pairs, pool, z)) {
        tangle_find(&self->tangle, pool, &self->pairs);
    }
}

/* --- is it the nearest around? ---------------------------------------------------------------- */

/* Whether the surface around vertex v comes no nearer to what lies in direction `towards` from it. */
static bool is_tip(const Links *links, int v, Vec3 towards, const Vec3 *z) {
    double length = vec3_length(towards);
    for (int r = links->ring_start[v]; r < links->ring_start[v + 1]; ++r) {
        Vec3 along = vec3_sub(z[links->ring[r]], z[v]);
        if (vec3_dot(along, towards) > VERTEX_BEND * length * vec3_length(along)) {
            return false;
        }
    }
    return true;
}

/* Likewise the triangles of an edge; `bend` is the cosine they may have at most. */
static bool is_ridge(const SelfPairs *pairs, int e, Vec3 towards, double bend, const Vec3 *z) {
    const int *edge = pairs->skin->edges[e];
    const Links *links = &pairs->links;
    Vec3 along = vec3_unit_or(vec3_sub(z[edge[1]], z[edge[0]]), vec3(0, 0, 0));
    double length = vec3_length(towards);
    for (int w = links->wing_start[e]; w < links->wing_start[e + 1]; ++w) {
        Vec3 inward = vec3_sub(z[links->wings[w]], z[edge[0]]);
        inward = vec3_madd(inward, -vec3_dot(along, inward), along);
        if (vec3_dot(inward, towards) > bend * length * vec3_length(inward)) {
            return false;
        }
    }
    return true;
}

/* The corner of an element (0 to 2) at which its nearest point is; -1: inside of an edge. */
static int corner_at(const TrianglePoint *nearest) {
    for (int k = 0; k < 3; ++k) {
        if (nearest->weights[k] > 1 - CORNER_REACH) {
            return k;
        }
    }
    return -1;
}

/* Whether the nearest point of an element to v is a contact of this element, and no worse than those of its neighbours.
 * Every vertex over a face has a contact; elsewhere only the nearest of both sides. */
static bool is_reported(const SelfPairs *pairs, const SelfPair *pair, const TrianglePoint *nearest,
                        const Vec3 *z) {
    const Links *links = &pairs->links;
    const Element *element = &links->elements[pair->second];
    Vec3 towards = vec3_sub(z[pair->first], nearest->point);
    if (nearest->feature == FEATURE_FACE) {
        return true;
    }
    if (!is_tip(links, pair->first, vec3_scale(-1, towards), z)) {
        return false;
    }
    int corner = corner_at(nearest);
    if (corner < 0) {
        int e = element->edges[nearest->feature - FEATURE_EDGE_0];
        return links->edge_owner[e] == pair->second && is_ridge(pairs, e, towards, FLAT, z);
    }
    int v = element->vertices[corner];
    return links->vertex_owner[v] == pair->second && pair->first < v &&
           is_tip(links, v, towards, z);
}

/* --- a vertex and an element ------------------------------------------------------------------ */

static MovingPoint moving(const SelfPairs *pairs, const Vec3 *z, int v) {
    return (MovingPoint){pairs->x[v], z[v]};
}

/* Of a triangle at z, to the side on which the vertex was at x; zero if that was neither. */
static Vec3 vertex_normal(const SelfPairs *pairs, const SelfPair *pair, const Vec3 *z) {
    const int *v = pairs->links.elements[pair->second].vertices;
    Vec3 zero = {0, 0, 0}, from = vec3_sub(pairs->x[pair->first], pairs->x[v[0]]);
    Vec3 now = vec3_normal_or(vec3_sub(z[v[1]], z[v[0]]), vec3_sub(z[v[2]], z[v[0]]), zero);
    double side = vec3_dot(element_normal(&pairs->links.elements[pair->second], pairs->x), from);
    return side > 0 ? now : side < 0 ? vec3_scale(-1, now) : zero;
}

/* Whether the vertex went through the triangle on its path from x to z, and where. `normal` is the
 * triangle's at z, to the side where it was. */
static bool has_crossed(const SelfPairs *pairs, const SelfPair *pair, Vec3 normal, const Vec3 *z,
                        double weights[3]) {
    const int *v = pairs->links.elements[pair->second].vertices;
    if (vec3_dot(normal, vec3_sub(z[pair->first], z[v[0]])) >= 0) {
        return false;
    }
    MovingPoint triangle[3];
    for (int k = 0; k < 3; ++k) {
        triangle[k] = moving(pairs, z, v[k]);
    }
    Meeting meeting;
    if (!ccd_point_triangle(moving(pairs, z, pair->first), triangle, &meeting)) {
        return false;
    }
    for (int k = 0; k < 3; ++k) {
        weights[k] = meeting.weights[k];
    }
    return true;
}

static bool is_near(const SelfPair *pair, double distance) {
    return distance < (double)pair->shell + (double)pair->margin;
}

/* Whether the parts of a pair cannot have come near, or passed each other, by moving so far past each other. */
static bool is_far(const SelfPair *pair, double motion) {
    return (double)pair->distance - motion > (double)pair->shell + (double)pair->margin;
}

/* Stores by how much a pair is beyond its margin at z: until it has strayed by that, it need not be measured again. */
static void note_room(const SelfPairs *pairs, SelfPair *pair, double distance, double motion) {
    double room = distance - (double)pair->shell - (double)pair->margin;
    double uncrossed = (double)pair->distance - motion;
    room = (uncrossed < room ? uncrossed : room) - (double)self_pair_strayed(pairs, pair);
    pair->room = room > (double)pair->room ? nextafterf((float)room, -INFINITY) : pair->room;
}

static int vertex_pair_contact(const SelfPairs *pairs, SelfPair *pair, const Vec3 *z,
                               Contact *contact) {
    const Element *element = &pairs->links.elements[pair->second];
    const int *v = element->vertices;
    Vec3 normal = {0, 0, 0};
    double weights[3], motion = vertex_motion(element, pair->first, pairs->x, z);
    int crossed = 0;
    if (is_far(pair, motion)) {
        return 0;
    }
    if ((double)pair->distance <= motion && v[2] >= 0) {
        normal = vertex_normal(pairs, pair, z);
        crossed = has_crossed(pairs, pair, normal, z, weights);
    }
    if (!crossed) {
        TrianglePoint nearest = element_closest(element, z, z[pair->first]);
        if (!is_near(pair, nearest.distance)) {
            note_room(pairs, pair, nearest.distance, motion);
            return 0;
        }
        if (!is_reported(pairs, pair, &nearest, z)) {
            return 0;
        }
        if (nearest.distance > TOUCHING) {
            normal = vec3_scale(1 / nearest.distance, vec3_sub(z[pair->first], nearest.point));
        }
        for (int k = 0; k < 3; ++k) {
            weights[k] = nearest.weights[k];
        }
    }
    if (vec3_dot(normal, normal) == 0) {
        return 0;
    }
    *contact = (Contact){.count = element_size(element) + 1,
                         .vertices = {pair->first, v[0], v[1], v[2] < 0 ? 0 : v[2]},
                         .weights = {1, -weights[0], -weights[1], -weights[2]},
                         .normal = normal};
    return 1;
}

/* --- two edges -------------------------------------------------------------------------------- */

/* Across both edges at z, to the side of the second on which the first was at x. Zero if there is none. */
static Vec3 side_normal(const SelfPairs *pairs, const SelfPair *pair, const Vec3 *z) {
    const int *a = pairs->skin->edges[pair->first], *b = pairs->skin->edges[pair->second];
    const Vec3 *x = pairs->x;
    Vec3 zero = {0, 0, 0};
    Vec3 before = vec3_cross(vec3_sub(x[a[1]], x[a[0]]), vec3_sub(x[b[1]], x[b[0]]));
    Vec3 now = vec3_normal_or(vec3_sub(z[a[1]], z[a[0]]), vec3_sub(z[b[1]], z[b[0]]), zero);
    double turn = vec3_dot(before, vec3_sub(x[a[0]], x[b[0]])) * vec3_dot(before, now);
    return turn > 0 ? now : turn < 0 ? vec3_scale(-1, now) : zero;
}

/* Whether they went through each other on the path from x to z, and where. */
static bool have_crossed(const SelfPairs *pairs, const SelfPair *pair, Vec3 normal, const Vec3 *z,
                         double parameters[2]) {
    const int *a = pairs->skin->edges[pair->first], *b = pairs->skin->edges[pair->second];
    if (!(vec3_dot(normal, vec3_sub(z[a[0]], z[b[0]])) < 0)) {
        return false;
    }
    MovingPoint first[2] = {moving(pairs, z, a[0]), moving(pairs, z, a[1])};
    MovingPoint second[2] = {moving(pairs, z, b[0]), moving(pairs, z, b[1])};
    Meeting meeting;
    if (!ccd_segments(first, second, &meeting)) {
        return false;
    }
    parameters[0] = meeting.weights[0];
    parameters[1] = meeting.weights[1];
    return true;
}

static bool is_inside(double parameter) { return parameter > EDGE_END && parameter < 1 - EDGE_END; }

static bool are_parallel(const int a[2], const int b[2], const Vec3 *z) {
    Vec3 u = vec3_sub(z[a[1]], z[a[0]]), v = vec3_sub(z[b[1]], z[b[0]]), n = vec3_cross(u, v);
    return !(vec3_dot(n, n) > PARALLEL * vec3_dot(u, u) * vec3_dot(v, v));
}

/* Whether nothing around two edges that have not crossed is nearer than they are. */
static bool are_ridges(const SelfPairs *pairs, const SelfPair *pair, const SegmentPair *nearest,
                       const Vec3 *z) {
    const int *a = pairs->skin->edges[pair->first], *b = pairs->skin->edges[pair->second];
    Vec3 way = vec3_sub(nearest->points[0], nearest->points[1]);
    return is_inside(nearest->parameters[0]) && is_inside(nearest->parameters[1]) &&
           !are_parallel(a, b, z) &&
           is_ridge(pairs, pair->first, vec3_scale(-1, way), -SELF_BEND, z) &&
           is_ridge(pairs, pair->second, way, -SELF_BEND, z);
}

static int edge_pair_contact(const SelfPairs *pairs, SelfPair *pair, const Vec3 *z,
                             Contact *contact) {
    const int *a = pairs->skin->edges[pair->first], *b = pairs->skin->edges[pair->second];
    Vec3 normal = {0, 0, 0};
    double parameters[2], motion = edges_motion(a, b, pairs->x, z);
    int crossed = 0;
    if (is_far(pair, motion)) {
        return 0;
    }
    if ((double)pair->distance <= motion) {
        normal = side_normal(pairs, pair, z);
        crossed = have_crossed(pairs, pair, normal, z, parameters);
    }
    if (!crossed) {
        SegmentPair nearest = edges_closest(a, b, z);
        if (!is_near(pair, nearest.distance)) {
            note_room(pairs, pair, nearest.distance, motion);
            return 0;
        }
        if (!are_ridges(pairs, pair, &nearest, z)) {
            return 0;
        }
        if (nearest.distance > TOUCHING) {
            Vec3 way = vec3_sub(nearest.points[0], nearest.points[1]);
            normal = vec3_scale(1 / nearest.distance, way);
        }
        parameters[0] = nearest.parameters[0];
        parameters[1] = nearest.parameters[1];
    }
    double s = parameters[0], t = parameters[1];
    if (vec3_dot(normal, normal) == 0) {
        return 0;
    }
    *contact = (Contact){.count = 4,
                         .vertices = {a[0], a[1], b[0], b[1]},
                         .weights = {1 - s, s, t - 1, -t},
                         .normal = normal};
    return 1;
}

/* --- all -------------------------------------------------------------------------------------- */

typedef struct SelfWork {
    SelfContactFinder *self;
    const Vec3 *z;
    double friction;
    Contact *contacts;
} SelfWork;

/* Layers squeezed between bodies share the room: they come as near to each other as to the bodies. */
static double squeezed(const double *room, const Contact *contact, double shell) {
    for (int c = 0; room && c < contact->count; ++c) {
        shell = fmin(shell, fmax(0.0, SHARE * room[contact->vertices[c]]));
    }
    return shell;
}

static bool make_contact(const SelfWork *work, int i, Contact *contact) {
    const SelfPairs *pairs = &work->self->pairs;
    SelfPair *pair = &pairs->list[i];
    bool made = false;
    if (pair->idle || self_pair_stays_clear(pairs, pair)) {
        return false;
    }
    switch ((PairKind)pair->kind) {
    case PAIR_VERTEX:
        made = vertex_pair_contact(pairs, pair, work->z, contact);
        break;
    case PAIR_EDGES:
        made = edge_pair_contact(pairs, pair, work->z, contact);
        break;
    case PAIR_PIERCING:
        return tangle_contact(pairs, pair, contact); /* without friction */
    }
    if (made) {
        contact->friction = work->friction;
        contact->range = pairs->range;
        contact->shell = squeezed(work->self->room, contact, self_pair_shell(pairs, pair));
    }
    return made;
}

static void select_active(void *context, int begin, int end) {
    const SelfWork *work = context;
    int count = 0;
    for (int i = begin; i < end; ++i) {
        Contact contact;
        if (make_contact(work, i, &contact)) {
            work->self->active[begin + count++] = i;
        }
    }
    work->self->active_count[pool_chunk_at(begin)] = count;
}

/* How the other side of a contact turns between x and z. */
static Vec3 turn_of(const SelfWork *work, int i) {
    const SelfPairs *pairs = &work->self->pairs;
    const SelfPair *pair = &pairs->list[i];
    const Links *links = &pairs->links;
    int v[3] = {-1, -1, -1};
    if (pair->kind == PAIR_VERTEX) {
        memcpy(v, links->elements[pair->second].vertices, sizeof v);
    } else if (links->wing_start[pair->second] < links->wing_start[pair->second + 1]) {
        const int *edge = pairs->skin->edges[pair->second];
        v[0] = edge[0], v[1] = edge[1], v[2] = links->wings[links->wing_start[pair->second]];
    }
    if (v[2] < 0) { /* the twist of ropes does not count */
        return vec3(0, 0, 0);
    }
    Vec3 before[3], after[3];
    for (int k = 0; k < 3; ++k) {
        before[k] = pairs->x[v[k]];
        after[k] = work->z[v[k]];
    }
    return triangle_rotation(before, after);
}

/* After the counts have become the ends of the chunks in the list of contacts. */
static void fill_contacts(void *context, int begin, int end) {
    const SelfWork *work = context;
    int chunk = pool_chunk_at(begin);
    int place = chunk > 0 ? work->self->active_count[chunk - 1] : 0;
    int count = work->self->active_count[chunk] - place;
    (void)end;
    for (int k = 0; k < count; ++k) {
        int pair = work->self->active[begin + k];
        Contact *contact = &work->contacts[place + k];
        make_contact(work, pair, contact);
        if (contact->friction > 0) {
            contact->turn = turn_of(work, pair);
        }
    }
}

void self_contact_find(SelfContactFinder *self, Pool *pool, const Vec3 *z, double friction,
                       Contacts *contacts) {
    int count = self->pairs.count;
    if (count == 0) {
        return;
    }
    if (!reserve_active(self)) {
        contacts->dropped += count;
        return;
    }
    SelfWork work = {.self = self, .z = z, .friction = friction};
    self_pairs_stray(&self->pairs, pool, z);
    pool_run(pool, count, select_active, &work);
    int total = 0;
    for (int c = 0; c < pool_chunks(count); ++c) {
        total += self->active_count[c];
        self->active_count[c] = total;
    }
    work.contacts = contacts_extend(contacts, CONTACT_SELF, total);
    if (work.contacts) {
        pool_run(pool, count, fill_contacts, &work);
    }
}
