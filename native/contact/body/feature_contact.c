/* Pairs are gathered once a substep, of what vertices leave in doubt; the rounds of the solver only look at these
 * again. Of nearly all of them an end is nearest, which is a vertex's business. */
#include "contact/body/feature_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"
#include "geometry/distance.h"

/* Nearer than this to an end of a segment, as a part of it, the contact is a vertex's. */
#define END 1e-6
/* Below this distance the direction between two things says nothing, m. */
#define TOUCHING 1e-9
/* Vertices are looked for to this depth in a solid, m at the usual thickness: see scale.h. */
#define DEPTH 0.08

StatusCode feature_contact_build(FeatureContactFinder *finder, const Skin *skin, Store *store,
                                 Status *status) {
    *finder = (FeatureContactFinder){0};
    StatusCode code = feature_pairs_build(&finder->pairs, skin, store, status);
    if (code == STATUS_OK) {
        finder->made = STORE_ARRAY(store, int, finder->pairs.patches.block_count);
        code = store->failed ? status_no_memory(status, "contacts with edges of bodies") : code;
    }
    return code;
}

void feature_contact_destroy(FeatureContactFinder *finder) {
    feature_pairs_destroy(&finder->pairs);
    free(finder->found);
}

void feature_contact_begin(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                           const Vec3 *z) {
    feature_pairs_find(&finder->pairs, pool, substep, z);
}

typedef struct ContactWork {
    FeatureContactFinder *finder;
    const FeatureSubstep *substep;
    const Vec3 *z;
} ContactWork;

/* A place of the cloth and one of the body, as they are closest. */
typedef struct Nearness {
    Contact contact; /* vertices and weights of the cloth's place */
    Vec3 away;       /* from the body's place to the cloth's */
    Vec3 before;     /* likewise at the substep's start, between the same two places */
    bool crossed;    /* they have changed sides */
    bool inner;      /* neither place is an end */
} Nearness;

static Vec3 triangle_normal(const Vec3 *x, const int *v) {
    return vec3_cross(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]]));
}

/* One that is not inner has nothing else to say. */
static Nearness near_corner(const ContactWork *work, const FeaturePair *pair) {
    const FeatureSubstep *substep = work->substep;
    const Collider *body = substep->bodies[pair->body];
    const int *v = work->finder->pairs.skin->triangles[pair->cloth];
    int corner = substep->sharp[pair->body]->corners[pair->feature];
    Vec3 start = body->at[0][corner], end = body->at[1][corner];
    Vec3 corners[3] = {work->z[v[0]], work->z[v[1]], work->z[v[2]]};
    if (!closest_is_on_face(end, corners)) {
        return (Nearness){.inner = false};
    }
    TrianglePoint nearest = closest_on_triangle(end, corners);
    Nearness near = {.contact = {.count = 3}, .inner = nearest.feature == FEATURE_FACE};
    Vec3 at_start = vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c) {
        near.contact.vertices[c] = v[c];
        near.contact.weights[c] = nearest.weights[c];
        at_start = vec3_madd(at_start, nearest.weights[c], substep->x[v[c]]);
    }
    near.contact.point = end;
    near.contact.way = vec3_sub(end, start);
    near.away = vec3_sub(nearest.point, end);
    near.before = vec3_sub(at_start, start);
    double side = vec3_dot(near.before, triangle_normal(substep->x, v));
    double now = vec3_dot(near.away, triangle_normal(work->z, v));
    if (side * now < 0) {
        MovingPoint moving[3];
        Meeting meeting;
        for (int c = 0; c < 3; ++c) {
            moving[c] = (MovingPoint){substep->x[v[c]], work->z[v[c]]};
        }
        near.crossed = ccd_point_triangle((MovingPoint){start, end}, moving, &meeting);
    }
    return near;
}

/* Six times the volume that two segments span: changes its sign when they pass each other. */
static double spanned(const Vec3 a[2], const Vec3 b[2]) {
    return vec3_dot(vec3_cross(vec3_sub(a[1], a[0]), vec3_sub(b[1], b[0])), vec3_sub(b[0], a[0]));
}

/* Likewise. */
static Nearness near_edge(const ContactWork *work, const FeaturePair *pair) {
    const FeatureSubstep *substep = work->substep;
    const Collider *body = substep->bodies[pair->body];
    const int *v = work->finder->pairs.skin->edges[pair->cloth];
    const int *e = substep->sharp[pair->body]->edges[pair->feature];
    Vec3 cloth[2] = {work->z[v[0]], work->z[v[1]]},
         before[2] = {substep->x[v[0]], substep->x[v[1]]};
    Vec3 end[2] = {body->at[1][e[0]], body->at[1][e[1]]};
    Vec3 start[2] = {body->at[0][e[0]], body->at[0][e[1]]};
    if (!closest_is_inside(cloth, end)) {
        return (Nearness){.inner = false};
    }
    SegmentPair nearest = closest_of_segments(cloth, end);
    double s = nearest.parameters[0], t = nearest.parameters[1];
    Nearness near = {.contact = {.count = 2, .vertices = {v[0], v[1]}, .weights = {1 - s, s}},
                     .inner = s > END && s < 1 - END && t > END && t < 1 - END};
    Vec3 placed = vec3_madd(vec3_scale(1 - t, start[0]), t, start[1]);
    near.contact.point = nearest.points[1];
    near.contact.way = vec3_sub(nearest.points[1], placed);
    near.away = vec3_sub(nearest.points[0], nearest.points[1]);
    near.before = vec3_sub(vec3_madd(vec3_scale(1 - s, before[0]), s, before[1]), placed);
    if (spanned(before, start) * spanned(cloth, end) < 0) {
        MovingPoint first[2] = {{before[0], cloth[0]}, {before[1], cloth[1]}};
        MovingPoint second[2] = {{start[0], end[0]}, {start[1], end[1]}};
        Meeting meeting;
        near.crossed = ccd_segments(first, second, &meeting);
    }
    return near;
}

/* Which way is out of the body at the feature; no unit vector, and none where the body is no solid. */
static Vec3 outward_at(const ContactWork *work, const FeaturePair *pair) {
    const Collider *body = work->substep->bodies[pair->body];
    const Sharp *sharp = work->substep->sharp[pair->body];
    const int *e = sharp->edges[pair->on_edge ? pair->feature : 0];
    int first = pair->on_edge ? e[0] : sharp->corners[pair->feature];
    int second = pair->on_edge ? e[1] : first;
    int part = body->part[body->corner[body->corner_start[first]] / 3];
    if (!body->parts[part].solid) {
        return vec3(0, 0, 0);
    }
    return vec3_add(collider_vertex_normal(body, first), collider_vertex_normal(body, second));
}

/* The body's feature sticks out of the cloth, and did so from the start: the cloth's place is inside of a solid. */
static bool pokes_through(const ContactWork *work, const FeaturePair *pair, const Nearness *near) {
    const Collider *body = work->substep->bodies[pair->body];
    double distance = vec3_length(near->away);
    Hit hit;
    return vec3_dot(outward_at(work, pair), near->away) < 0 &&
           collider_closest(body, vec3_add(near->contact.point, near->away), distance + TOUCHING,
                            &hit) &&
           hit.signed_distance < 0;
}

/* It has passed the feature from inside of a solid: where it should. Held back, its edges would stay inside while its
 * vertices are driven out. */
static bool comes_out(const ContactWork *work, const FeaturePair *pair, const Nearness *near) {
    return near->crossed && vec3_dot(outward_at(work, pair), near->before) < 0;
}

static bool has_corner(const int *triangle, int vertex) {
    return triangle[0] == vertex || triangle[1] == vertex || triangle[2] == vertex;
}

/* A triangle of the body that has the feature as a corner or an edge. */
static int triangle_at(const ContactWork *work, const FeaturePair *pair) {
    const Collider *body = work->substep->bodies[pair->body];
    const Sharp *sharp = work->substep->sharp[pair->body];
    if (!pair->on_edge) {
        return body->corner[body->corner_start[sharp->corners[pair->feature]]] / 3;
    }
    const int *e = sharp->edges[pair->feature];
    int c = body->corner_start[e[0]], last = body->corner_start[e[0] + 1] - 1;
    while (c < last && !has_corner(body->corners[body->corner[c] / 3], e[1])) {
        ++c;
    }
    return body->corner[c] / 3;
}

static void set_surface(const ContactWork *work, const FeaturePair *pair, double before,
                        Contact *contact) {
    const Collider *body = work->substep->bodies[pair->body];
    double shell = collider_inner_shell(body),
           out = before + FEATURE_RECOVERY * body->scale * work->substep->length;
    contact->shell = out < shell ? out : shell;
    contact->soft = 0.5 * shell;
    contact->range = CONTACT_GRIP_RANGE * body->scale;
    contact->friction = body->friction;
    contact->turn = collider_turn(body, triangle_at(work, pair));
    contact->place[0] = 1 + pair->body;
    contact->place[1] = 2 * pair->feature + pair->on_edge;
}

/* Of a vertex that began behind the surface of some body: was it this one's? */
static bool began_inside(const ContactWork *work, int body, int vertex) {
    const FeatureSubstep *substep = work->substep;
    const Collider *collider = substep->bodies[body];
    Hit hit;
    if (substep->body_count == 1) {
        return true;
    }
    if (!collider_closest(collider, work->z[vertex], DEPTH * collider->scale, &hit)) {
        return false;
    }
    Vec3 before = vec3_sub(hit.point, hit.displacement);
    return vec3_dot(vec3_sub(substep->x[vertex], before), hit.normal) < 0;
}

/* Of cloth that is partly inside of a solid, and would be pushed further in. Where an edge passes through the surface,
 * those of the solid around it lie on all sides: they would fling it about, while its vertices that are inside come out as
 * gently as they should. */
static bool pushes_in(const ContactWork *work, const FeaturePair *pair, const Contact *contact) {
    const double *clearance = work->substep->clearance;
    if (!clearance || !(vec3_dot(outward_at(work, pair), contact->normal) < 0)) {
        return false;
    }
    bool inside = false;
    for (int c = 0; c < contact->count && !inside; ++c) {
        int vertex = contact->vertices[c];
        inside = clearance[vertex] < 0 && began_inside(work, pair->body, vertex);
    }
    return inside;
}

/* A corner is held between two skins that overlap, whose edges lie on all sides of it. */
static bool is_pinched(const ContactWork *work, const FeaturePair *pair) {
    const Skin *skin = work->finder->pairs.skin;
    const uint8_t *pinched = work->substep->pinched;
    const int *v = pair->on_edge ? skin->edges[pair->cloth] : skin->triangles[pair->cloth];
    return pinched && (pinched[v[0]] || pinched[v[1]] || (!pair->on_edge && pinched[v[2]]));
}

/* True if there is a contact to be told. */
static bool make_contact(const ContactWork *work, int block, const FeaturePair *pair,
                         Contact *contact) {
    const Skin *skin = work->finder->pairs.skin;
    const int *v = pair->on_edge ? skin->edges[pair->cloth] : skin->triangles[pair->cloth];
    if (!subset_has(work->finder->pairs.awake, v[0])) {
        return false;
    }
    double reach =
        feature_pairs_reach(work->substep->bodies[pair->body], pair->behind, work->substep->length);
    double moved = feature_pairs_moved(&work->finder->pairs, block, pair);
    if (!feature_pair_may_meet(pair, moved, fmax(reach, pair->approach + moved)) ||
        is_pinched(work, pair)) {
        return false; /* it cannot have come so near, nor have passed */
    }
    Nearness near = pair->on_edge ? near_edge(work, pair) : near_corner(work, pair);
    double distance = vec3_length(near.away), before = vec3_length(near.before);
    if (near.inner && comes_out(work, pair, &near)) {
        near.crossed = false;
        before = -before;
    }
    if (!near.inner || (!near.crossed && distance > reach)) {
        return false;
    }
    if (!near.crossed && pokes_through(work, pair, &near)) {
        near.crossed = true;
        before = -fabs(before);
    }
    *contact = near.contact;
    if (distance > TOUCHING) {
        contact->normal = vec3_scale((near.crossed ? -1.0 : 1.0) / distance, near.away);
    } else {
        contact->normal = vec3_unit_or(near.before, vec3(0, 0, 1));
    }
    if (pushes_in(work, pair, contact)) {
        return false;
    }
    set_surface(work, pair, before, contact);
    return true;
}

static void make_contacts(void *context, int begin, int end) {
    const ContactWork *work = context;
    FeatureContactFinder *finder = work->finder;
    for (int b = begin; b < end; ++b) {
        int first = finder->pairs.slices.start[b], count = feature_pairs_of(&finder->pairs, b);
        int made = 0;
        for (int p = first; p < first + count; ++p) {
            made += make_contact(work, b, &finder->pairs.list[p], &finder->found[first + made]);
        }
        finder->made[b] = made;
    }
}

/* As much room as the pairs have. */
static bool reserve(FeatureContactFinder *finder) {
    bool failed = false;
    if (finder->room < finder->pairs.room) {
        finder->found =
            scratch_grow(finder->found, (size_t)finder->pairs.room, sizeof *finder->found, &failed);
        finder->room = failed ? finder->room : finder->pairs.room;
    }
    return !failed;
}

static void add_contacts(const FeatureContactFinder *finder, Contacts *contacts) {
    int total = 0;
    for (int b = 0; b < finder->pairs.patches.block_count; ++b) {
        total += finder->made[b];
    }
    Contact *to = contacts_extend(contacts, CONTACT_BODY, total);
    for (int b = 0; to && b < finder->pairs.patches.block_count; ++b) {
        if (finder->made[b] > 0) {
            memcpy(to, finder->found + finder->pairs.slices.start[b],
                   (size_t)finder->made[b] * sizeof *to);
            to += finder->made[b];
        }
    }
}

void feature_contact_find(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z, Contacts *contacts) {
    ContactWork work = {finder, substep, z};
    feature_pairs_update(&finder->pairs, pool, substep, z);
    contacts->dropped += finder->pairs.dropped;
    if (finder->pairs.count == 0) {
        return;
    }
    if (!reserve(finder)) {
        contacts->dropped += finder->pairs.count;
        return;
    }
    pool_each(pool, finder->pairs.patches.block_count, make_contacts, &work);
    add_contacts(finder, contacts);
}
