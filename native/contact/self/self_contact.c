/* Of the many pairs around one place only the nearest become contacts: with all of them a fold would be pushed several
 * times as hard as flat cloth. */
#include "contact/self/self_contact.h"

#include <stdlib.h>
#include <string.h>

#include "base/rotation.h"
#include "contact/scale.h"
#include "contact/self/pair_ccd.h"
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

static StatusCode tangle_build(Tangle *tangle, const Skin *skin, Store *store, Status *status) {
    int vertex_count = skin->vertex_count;
    *tangle = (Tangle){.label = STORE_ARRAY(store, int, vertex_count),
                       .marked = STORE_ARRAY(store, int, vertex_count)};
    if (store->failed) {
        return status_no_memory(status, "the tangles of cloth");
    }
    for (int v = 0; v < vertex_count; ++v) {
        tangle->label[v] = -1;
    }
    return flood_build(&tangle->flood, skin, store, status);
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
        const int *corners = pairs->links.elements.list[pair->second].vertices;
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

static bool share_label(const int *label, int split, const int vertices[4]) {
    for (int i = 0; i < split; ++i) {
        for (int j = split; label[vertices[i]] >= 0 && j < 4; ++j) {
            if (label[vertices[i]] == label[vertices[j]]) {
                return true;
            }
        }
    }
    return false;
}

static void still_pairs(void *context, int begin, int end) {
    const TangleWork *work = context;
    for (int i = begin; i < end; ++i) {
        SelfPair *pair = &work->pairs->list[i];
        pair->idle = false;
        if (pair->kind != PAIR_PIERCING) {
            int vertices[4], split = self_pair_vertices(work->pairs, pair, vertices);
            pair->idle = share_label(work->tangle->label, split, vertices);
        }
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
    flood_find(&tangle->flood, pairs);
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

static double share_of(const SelfPairs *pairs, const Contact *contact) {
    return contact_share(pairs->skin->share, contact->count, contact->vertices, contact->weights);
}

/* The direction that shortens the contour, up to 2 long. */
static Vec3 shortening_way(const SelfPairs *pairs, const SelfPair *piercing) {
    const int *edge = pairs->skin->edges[piercing->first];
    const Links *links = &pairs->links;
    const Vec3 *x = pairs->x;
    Vec3 zero = {0, 0, 0}, along = vec3_unit_or(vec3_sub(x[edge[1]], x[edge[0]]), zero);
    Vec3 normal = vec3_unit_or(element_normal(&links->elements.list[piercing->second], x), zero);
    Vec3 way = zero;
    double steep = vec3_dot(along, normal);
    steep = fabs(steep) > FLATTEST ? steep : steep < 0 ? -FLATTEST : FLATTEST;
    for (int w = links->wing_start[piercing->first]; w < links->wing_start[piercing->first + 1];
         ++w) {
        Vec3 to_wing = vec3_sub(x[links->wings[w]], x[edge[0]]);
        Vec3 leaving = contour_direction(normal, along, to_wing);
        way = vec3_add(way, vec3_madd(leaving, -2 * vec3_dot(along, leaving) / steep, normal));
    }
    return way;
}

/* The contact that separates the edge and the triangle of a piercing. Returns false without a direction. */
static bool tangle_contact(const SelfPairs *pairs, const Flood *flood, const SelfPair *piercing,
                           Contact *contact) {
    const int *edge = pairs->skin->edges[piercing->first];
    const Element *triangle = &pairs->links.elements.list[piercing->second];
    double parameter, weights[3];
    if (!edge_pierces(edge, triangle, pairs->x, &parameter, weights)) {
        return false;
    }
    Vec3 way = flood_way(flood, pairs, piercing);
    way = vec3_length(way) > STRAIGHT ? way : shortening_way(pairs, piercing);
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
    contact->shell *= self_pairs_scaled(pairs, share_of(pairs, contact), 1);
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
    SCRATCH_GROW(self->active, room, &failed);
    SCRATCH_GROW(self->active_count, chunks, &failed);
    self->active_capacity = failed ? self->active_capacity : self->pairs.capacity;
    return !failed;
}

StatusCode self_contact_build(SelfContactFinder *self, const Skin *skin, Status *status) {
    *self = (SelfContactFinder){0};
    StatusCode code = self_pairs_build(&self->pairs, skin, &self->store, status);
    if (code == STATUS_OK) {
        code = tangle_build(&self->tangle, skin, &self->store, status);
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
    const Element *element = &links->elements.list[pair->second];
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
        return links->elements.edge_owner[e] == pair->second &&
               is_ridge(pairs, e, towards, FLAT, z);
    }
    int v = element->vertices[corner];
    return links->elements.vertex_owner[v] == pair->second && pair->first < v &&
           is_tip(links, v, towards, z);
}

/* --- contacts --------------------------------------------------------------------------------- */

/* Across both parts at the end, to the side of the second on which the first was at the start. Zero if there is none. */
static Vec3 side_normal(const Trajectory *path) {
    Vec3 zero = {0, 0, 0}, sides[2];
    pair_sides(path->start, path->split, sides);
    Vec3 before = vec3_cross(sides[0], sides[1]);
    pair_sides(path->end, path->split, sides);
    Vec3 now = vec3_normal_or(sides[0], sides[1], zero);
    double side = vec3_dot(before, vec3_sub(path->start[0], path->start[path->split]));
    side *= path->split == 2 ? vec3_dot(before, now) : 1.0;
    return side > 0 ? now : side < 0 ? vec3_scale(-1, now) : zero;
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

static bool is_inside(double parameter) { return parameter > EDGE_END && parameter < 1 - EDGE_END; }

static bool are_parallel(const int a[2], const int b[2], const Vec3 *z) {
    Vec3 u = vec3_sub(z[a[1]], z[a[0]]), v = vec3_sub(z[b[1]], z[b[0]]), n = vec3_cross(u, v);
    return !(vec3_dot(n, n) > PARALLEL * vec3_dot(u, u) * vec3_dot(v, v));
}

/* Whether nothing around two edges that have not crossed is nearer than they are; `way` is from one to the other. */
static bool are_ridges(const SelfPairs *pairs, const SelfPair *pair, const SegmentPair *nearest,
                       Vec3 way, const Vec3 *z) {
    const int *a = pairs->skin->edges[pair->first], *b = pairs->skin->edges[pair->second];
    return is_inside(nearest->parameters[0]) && is_inside(nearest->parameters[1]) &&
           !are_parallel(a, b, z) &&
           is_ridge(pairs, pair->first, vec3_scale(-1, way), -SELF_BEND, z) &&
           is_ridge(pairs, pair->second, way, -SELF_BEND, z);
}

/* Where the two parts are nearest to each other, and whether their neighbours leave the contact to them. */
typedef struct Nearest {
    double weights[4]; /* as in pair_ccd.h */
    Vec3 way;          /* from the second part to the first */
    double distance;
    bool reported; /* only set if they are near */
} Nearest;

static Nearest nearest_vertex(const SelfPairs *pairs, const SelfPair *pair, const Vec3 *z) {
    Vec3 at = z[pair->first];
    TrianglePoint found = element_closest(&pairs->links.elements.list[pair->second], z, at);
    const double *w = found.weights;
    return (Nearest){.weights = {1, -w[0], -w[1], -w[2]},
                     .way = vec3_sub(at, found.point),
                     .distance = found.distance,
                     .reported =
                         is_near(pair, found.distance) && is_reported(pairs, pair, &found, z)};
}

static Nearest nearest_edges(const SelfPairs *pairs, const SelfPair *pair, const Vec3 *z) {
    const int *a = pairs->skin->edges[pair->first], *b = pairs->skin->edges[pair->second];
    SegmentPair found = edges_closest(a, b, z);
    double s = found.parameters[0], t = found.parameters[1];
    Vec3 way = vec3_sub(found.points[0], found.points[1]);
    return (Nearest){.weights = {1 - s, s, t - 1, -t},
                     .way = way,
                     .distance = found.distance,
                     .reported =
                         is_near(pair, found.distance) && are_ridges(pairs, pair, &found, way, z)};
}

/* Whether the two parts pass each other on their paths to z, and where; the side on which they were is the normal. */
static bool has_crossed(const SelfPairs *pairs, int split, const int v[4], const Vec3 *z,
                        Vec3 *normal, double weights[4]) {
    Trajectory path = {.split = split};
    double time;
    for (int j = 0; j < 4; ++j) {
        path.start[j] = pairs->x[v[j]];
        path.end[j] = z[v[j]];
    }
    *normal = side_normal(&path);
    return vec3_dot(*normal, vec3_sub(path.end[0], path.end[split])) < 0 &&
           pair_meet(&path, weights, &time);
}

/* The contact of a pair at z, if it has one. */
static bool pair_contact(const SelfPairs *pairs, SelfPair *pair, const Vec3 *z, Contact *contact) {
    int v[4], split = self_pair_vertices(pairs, pair, v);
    bool rope = pair->kind == PAIR_VERTEX && pairs->links.elements.list[pair->second].corners == 2;
    double motion = parts_motion(split, v, pairs->x, z);
    if (is_far(pair, motion)) {
        return false;
    }
    Vec3 normal = {0, 0, 0};
    Nearest nearest;
    bool crossed = (double)pair->distance <= motion && !rope &&
                   has_crossed(pairs, split, v, z, &normal, nearest.weights);
    if (!crossed) {
        nearest = split == 1 ? nearest_vertex(pairs, pair, z) : nearest_edges(pairs, pair, z);
        if (!is_near(pair, nearest.distance)) {
            note_room(pairs, pair, nearest.distance, motion);
        }
        if (!nearest.reported) {
            return false;
        }
        if (nearest.distance > TOUCHING) {
            normal = vec3_scale(1 / nearest.distance, nearest.way);
        }
    }
    const double *w = nearest.weights;
    *contact = (Contact){.count = rope ? 3 : 4,
                         .vertices = {v[0], v[1], v[2], v[3]},
                         .weights = {w[0], w[1], w[2], w[3]},
                         .normal = normal};
    return vec3_dot(normal, normal) != 0;
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
    if (pair->idle || self_pair_stays_clear(pairs, pair)) {
        return false;
    }
    if (pair->kind == PAIR_PIERCING) {
        return tangle_contact(pairs, &work->self->tangle.flood, pair,
                              contact); /* without friction */
    }
    bool made = pair_contact(pairs, pair, work->z, contact);
    if (made) {
        contact->friction = work->friction;
        double share = share_of(pairs, contact);
        contact->range = self_pairs_scaled(pairs, share, pairs->range);
        contact->shell = squeezed(work->self->room, contact, self_pair_shell(pairs, pair, share));
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
    if (pair->kind == PAIR_VERTEX && links->elements.list[pair->second].corners == 3) {
        memcpy(v, links->elements.list[pair->second].vertices, sizeof v);
    } else if (pair->kind != PAIR_VERTEX &&
               links->wing_start[pair->second] < links->wing_start[pair->second + 1]) {
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
