/* Elements are tested in parallel, each writing to its own places; the pushes of those that are pierced are made one after
 * the other, since they share vertices. */
#include "contact/body/piercing.h"

#include <math.h>
#include <string.h>

#include "contact/scale.h"

/* Searches and pushes in turn, at most. */
#define PASSES 8
/* The middle of what was inside ends this part of the thickness in front of the surface. */
#define BEFORE 0.05
/* A push moves no vertex further than this many times what the middle lacks. */
#define LEVER 3.0
/* The middle is looked for to this depth behind a surface, m at the usual thickness: see scale.h. */
#define DEPTH 0.04
/* No place of a triangle is further than this part of its longest side from the nearest corner. */
#define FARTHEST 0.58
/* Room in the list: elements over this. */
#define RARE 8
#define LEAST_ROOM 64

StatusCode piercing_build(PiercingFinder *finder, const Skin *skin, Store *store, Status *status) {
    *finder = (PiercingFinder){.skin = skin};
    StatusCode code = elements_build(&finder->elements, skin, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    int count = finder->elements.count;
    finder->capacity = count / RARE + LEAST_ROOM;
    finder->list = STORE_ARRAY(store, Pierced, finder->capacity);
    finder->searched = STORE_ARRAY(store, Vec3, skin->vertex_count);
    finder->moved = STORE_ARRAY(store, uint8_t, skin->vertex_count);
    finder->pierced = STORE_ARRAY(store, uint8_t, count);
    finder->pairs = STORE_ARRAY(store, uint8_t, count);
    return store->failed ? status_no_memory(status, "faces in bodies") : STATUS_OK;
}

void piercing_begin(PiercingFinder *finder) { finder->known = false; }

typedef struct PiercingWork {
    PiercingFinder *finder;
    const BodySubstep *substep;
    const VertexContactFinder *vertices;
    const Vec3 *z;
    int count; /* of the list */
} PiercingWork;

/* --- where an element meets a body ------------------------------------------------------------ */

/* An element against the triangles of one body. */
typedef struct Section {
    const Collider *body;
    const Element *element;
    Vec3 corners[3];
    Vec3 normal;    /* of the element, not unit */
    double area;    /* its squared length */
    double sums[3]; /* weights of the points where the two meet */
    int points;
    int pairs;    /* of an edge and a face, each edge of either counted once */
    int triangle; /* one of those that were met; -1: none */
} Section;

/* Where the segment from a to b passes the plane through `at`, as a part of its length; false if it does not. */
static bool passes_plane(Vec3 a, Vec3 b, Vec3 at, Vec3 normal, double *part) {
    double from = vec3_dot(normal, vec3_sub(a, at)), to = vec3_dot(normal, vec3_sub(b, at));
    *part = from / (from - to);
    return (from < 0 && to > 0) || (from > 0 && to < 0);
}

/* Barycentric weights of a point in the plane of a triangle; true inside. `area`: the squared length of its normal. */
static bool weigh(const Vec3 corners[3], Vec3 normal, double area, Vec3 point, double weights[3]) {
    Vec3 p = vec3_sub(point, corners[0]);
    Vec3 u = vec3_sub(corners[1], corners[0]), w = vec3_sub(corners[2], corners[0]);
    weights[1] = vec3_dot(vec3_cross(p, w), normal) / area;
    weights[2] = vec3_dot(vec3_cross(u, p), normal) / area;
    weights[0] = 1 - weights[1] - weights[2];
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0;
}

static void add_point(Section *section, const double weights[3]) {
    for (int c = 0; c < 3; ++c) {
        section->sums[c] += weights[c];
    }
    ++section->points;
}

/* Edges of the element through a triangle of the body. */
static void cut_own_edges(Section *section, const Vec3 face[3], Vec3 normal) {
    double area = vec3_dot(normal, normal), part, inside[3];
    for (int k = 0; k < 3 && section->element->edges[k] >= 0; ++k) {
        int next = (k + 1) % 3;
        Vec3 a = section->corners[k], b = section->corners[next];
        if (passes_plane(a, b, face[0], normal, &part) &&
            weigh(face, normal, area, vec3_madd(a, part, vec3_sub(b, a)), inside)) {
            double weights[3] = {0, 0, 0};
            weights[k] = 1 - part;
            weights[next] = part;
            add_point(section, weights);
            section->pairs += section->element->own_edges >> k & 1;
        }
    }
}

/* Edges of a triangle of the body through the element. In a solid each edge runs both ways, once in either triangle. */
static void cut_body_edges(Section *section, const int *corners, const Vec3 face[3]) {
    double part, weights[3];
    for (int k = 0; k < 3; ++k) {
        int next = (k + 1) % 3;
        Vec3 a = face[k], b = face[next];
        if (passes_plane(a, b, section->corners[0], section->normal, &part) &&
            weigh(section->corners, section->normal, section->area,
                  vec3_madd(a, part, vec3_sub(b, a)), weights)) {
            add_point(section, weights);
            section->pairs += corners[k] < corners[next];
        }
    }
}

static bool is_beside(const Vec3 points[3], Vec3 at, Vec3 normal) {
    double first = vec3_dot(normal, vec3_sub(points[0], at));
    double second = vec3_dot(normal, vec3_sub(points[1], at));
    double third = vec3_dot(normal, vec3_sub(points[2], at));
    return (first > 0 && second > 0 && third > 0) || (first < 0 && second < 0 && third < 0);
}

static bool meet_triangle(void *context, int t) {
    Section *section = context;
    const Collider *body = section->body;
    const int *c = body->corners[t];
    Vec3 normal = body->face_normals[t];
    if (!body->parts[body->part[t]].solid ||
        is_beside(section->corners, body->at[1][c[0]], normal)) {
        return false;
    }
    Vec3 face[3] = {body->at[1][c[0]], body->at[1][c[1]], body->at[1][c[2]]};
    int before = section->points;
    normal = vec3_cross(vec3_sub(face[1], face[0]), vec3_sub(face[2], face[0]));
    cut_own_edges(section, face, normal);
    if (section->element->corners == 3 && section->area > 0 &&
        !is_beside(face, section->corners[0], section->normal)) {
        cut_body_edges(section, c, face);
    }
    section->triangle = section->points > before ? t : section->triangle;
    return false;
}

static Section cut_element(const PiercingWork *work, int number, const Collider *body) {
    const Element *element = &work->finder->elements.list[number];
    Section section = {.body = body, .element = element, .triangle = -1};
    for (int c = 0; c < 3; ++c) {
        section.corners[c] = work->z[element->vertices[c]];
    }
    section.normal = vec3_cross(vec3_sub(section.corners[1], section.corners[0]),
                                vec3_sub(section.corners[2], section.corners[0]));
    section.area = vec3_dot(section.normal, section.normal);
    Box box = box_of_points(section.corners, 3);
    collider_visit_ends(body, &box, meet_triangle, &section);
    return section;
}

/* Whether all its corners are too far from every body for its inside to meet one. */
static bool is_away(const PiercingWork *work, const Element *element) {
    double nearest = INFINITY, longest = 0;
    for (int c = 0; c < element->corners; ++c) {
        int v = element->vertices[c];
        Vec3 side = vec3_sub(work->z[element->vertices[(c + 1) % 3]], work->z[v]);
        nearest = fmin(nearest, vertex_contact_clearance(work->vertices, v));
        longest = fmax(longest, vec3_dot(side, side));
    }
    return nearest > 0 && nearest * nearest > FARTHEST * FARTHEST * longest;
}

static bool has_moved(const PiercingFinder *finder, const Element *element) {
    const int *v = element->vertices;
    return finder->moved[v[0]] || finder->moved[v[1]] || finder->moved[v[2]];
}

static void count_elements(void *context, int begin, int end) {
    const PiercingWork *work = context;
    PiercingFinder *finder = work->finder;
    const BodySubstep *substep = work->substep;
    for (int e = begin; e < end; ++e) {
        const Element *element = &finder->elements.list[e];
        if (finder->known && !has_moved(finder, element)) {
            continue;
        }
        int pairs = 0, points = 0;
        for (int b = 0; b < substep->body_count && !is_away(work, element); ++b) {
            if (substep->bodies[b]) {
                Section section = cut_element(work, e, substep->bodies[b]);
                pairs += section.pairs;
                points += section.points;
            }
        }
        finder->pierced[e] = points > 0;
        finder->pairs[e] = (uint8_t)(pairs < 255 ? pairs : 255);
    }
}

/* --- which way out ---------------------------------------------------------------------------- */

/* Elements that have a corner behind a surface come out with it, and between two surfaces that overlap there is no way out. */
static bool comes_out(const PiercingWork *work, const Element *element) {
    bool any = false;
    for (int c = 0; c < element->corners; ++c) {
        int v = element->vertices[c];
        any |= work->vertices->pinched[v] || work->vertices->allowed[v] < 0 ||
               vertex_contact_clearance(work->vertices, v) < 0;
    }
    return any;
}

/* How the middle of a section gets out of the body. Where it lies outside, between two bumps, a small step along the normal
 * of a face that was met has to do. */
static void find_way_out(const PiercingWork *work, const Section *section, int body,
                         Pierced *pierced) {
    const Collider *collider = section->body;
    const int *v = section->element->vertices;
    double share = 0;
    Vec3 middle = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c) {
        pierced->weights[c] = section->sums[c] / section->points;
        middle = vec3_madd(middle, pierced->weights[c], section->corners[c]);
        share += pierced->weights[c] * substep_share(work->substep, v[c]);
    }
    ContactPlane plane;
    double before = BEFORE * share * collider->thickness;
    pierced->normal = collider->face_normals[section->triangle];
    pierced->lacking = before;
    Vec3 way = vec3_sub(collider->at[1][collider->corners[section->triangle][0]],
                        collider->at[0][collider->corners[section->triangle][0]]);
    if (contact_plane_nearest(work->substep, middle, middle, body, section->triangle,
                              DEPTH * collider_scale(collider, share), &plane) &&
        plane.distance < before) {
        pierced->normal = plane.normal;
        pierced->lacking = before - plane.distance;
        way = plane.way;
    }
    pierced->surface = vec3_dot(pierced->normal, way) / work->substep->length;
}

static void find_ways(void *context, int begin, int end) {
    const PiercingWork *work = context;
    for (int i = begin; i < end; ++i) {
        Pierced *pierced = &work->finder->list[i];
        const Element *element = &work->finder->elements.list[pierced->element];
        pierced->lacking = 0;
        for (int b = 0; b < work->substep->body_count && !comes_out(work, element); ++b) {
            const Collider *body = work->substep->bodies[b];
            Section section = {.points = 0};
            if (body) {
                section = cut_element(work, pierced->element, body);
            }
            if (section.points > 0) {
                find_way_out(work, &section, b, pierced);
                break;
            }
        }
    }
}

/* --- pushing ---------------------------------------------------------------------------------- */

/* Pushes corners by their weights, as far as the middle still lacks after earlier pushes; returns whether it did. */
static bool push(const PiercingWork *work, const Pierced *pierced, const uint8_t *held, Vec3 *z,
                 Vec3 *velocity) {
    const PiercingFinder *finder = work->finder;
    const int *v = finder->elements.list[pierced->element].vertices;
    double lacking = pierced->lacking, give = 0, most = 0, speed = 0;
    Vec3 outward[3];
    for (int c = 0; c < 3; ++c) {
        double weight = pierced->weights[c];
        outward[c] = held[v[c]] ? vec3(0, 0, 0) : vec3_scale(weight, pierced->normal);
        outward[c].x = v[c] >= work->vertices->rail_from ? 0.0 : outward[c].x;
        lacking -= weight * vec3_dot(pierced->normal, vec3_sub(z[v[c]], finder->searched[v[c]]));
        speed += weight * vec3_dot(pierced->normal, velocity[v[c]]);
        give += weight * vec3_dot(pierced->normal, outward[c]);
        most = fmax(most, vec3_length(outward[c]));
    }
    if (!(lacking > 0) || !(give > 0)) {
        return false;
    }
    double way = fmin(lacking / give, LEVER * lacking / most);
    double gain = fmin(fmax(pierced->surface - speed, 0.0) / give,
                       LEVER * fmax(pierced->surface - speed, 0.0) / most);
    for (int c = 0; c < 3; ++c) {
        z[v[c]] = vec3_madd(z[v[c]], way, outward[c]);
        velocity[v[c]] = vec3_madd(velocity[v[c]], gain, outward[c]);
    }
    return true;
}

/* --- all of it -------------------------------------------------------------------------------- */

/* Marks the vertices that have moved since the last search, and notes where all are now. */
static void note_places(PiercingFinder *finder, const Vec3 *z) {
    for (int v = 0; v < finder->skin->vertex_count; ++v) {
        finder->moved[v] = memcmp(&z[v], &finder->searched[v], sizeof *z) != 0;
        finder->searched[v] = z[v];
    }
}

/* Lists those that are pierced; returns the number of pairs. */
static int list_pierced(PiercingWork *work) {
    PiercingFinder *finder = work->finder;
    int pairs = 0;
    work->count = 0;
    for (int e = 0; e < finder->elements.count; ++e) {
        pairs += finder->pairs[e];
        if (finder->pierced[e] && work->count < finder->capacity) {
            finder->list[work->count++].element = e;
        }
    }
    return pairs;
}

bool piercing_project(PiercingFinder *finder, Pool *pool, const BodySubstep *substep,
                      const VertexContactFinder *vertices, const uint8_t *held, Vec3 *z,
                      Vec3 *velocity, int *left) {
    PiercingWork work = {.finder = finder, .substep = substep, .vertices = vertices, .z = z};
    bool any = false, pushed = true;
    for (int pass = 0; pushed; ++pass) {
        note_places(finder, z);
        pool_run(pool, finder->elements.count, count_elements, &work);
        finder->known = true;
        *left = list_pierced(&work);
        pushed = false;
        if (pass < PASSES && work.count > 0) {
            pool_run(pool, work.count, find_ways, &work);
            for (int i = 0; i < work.count; ++i) {
                pushed |= push(&work, &finder->list[i], held, z, velocity);
            }
            any |= pushed;
        }
    }
    return any;
}
