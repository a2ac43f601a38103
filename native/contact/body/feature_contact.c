/* Pairs are gathered once a substep, by boxes around many triangles at once; the rounds of the solver only look at
 * these again. */
#include "contact/body/feature_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"
#include "geometry/ccd.h"

/* Part of a body's thickness that its edges keep from the inside of the cloth's faces; vertices keep all. */
#define SHARE 0.5
/* Contacts are kept for pairs that may come within reach during the rounds, m at the usual thickness: see scale.h. */
#define SLACK 0.005
/* Speed at which pairs part that were too near from the start, m/s, likewise. */
#define RECOVERY 0.4
/* Nearer than this to an end of a segment, as a part of it, the contact is a vertex's. */
#define END 1e-6
/* Below this distance the direction between two things says nothing, m. */
#define TOUCHING 1e-9

StatusCode feature_contact_build(FeatureContactFinder *finder, const Skin *skin, Store *store,
                                 Status *status) {
    *finder = (FeatureContactFinder){
        .skin = skin,
        .start = STORE_ARRAY(store, int, skin->triangle_count + skin->edge_count),
        .expected = STORE_ARRAY(store, Vec3, skin->vertex_count)};
    StatusCode code = bundles_build(&finder->bundles, skin, store, status);
    finder->bundle_pairs = STORE_ARRAY(store, int, finder->bundles.count);
    return store->failed ? status_no_memory(status, "contacts with edges of bodies") : code;
}

void feature_contact_destroy(FeatureContactFinder *finder) {
    free(finder->pairs);
    free(finder->found);
    free(finder->active);
    free(finder->distance);
}

static int reserve(FeatureContactFinder *finder, int count) {
    if (count <= finder->pair_room) {
        return 1;
    }
    size_t room = (size_t)count + (size_t)count / 2 + 64;
    bool failed = false;
    finder->pairs = scratch_grow(finder->pairs, room, sizeof *finder->pairs, &failed);
    finder->found = scratch_grow(finder->found, room, sizeof *finder->found, &failed);
    finder->active = scratch_grow(finder->active, room, sizeof *finder->active, &failed);
    finder->distance = scratch_grow(finder->distance, room, sizeof *finder->distance, &failed);
    finder->pair_room = failed ? finder->pair_room : (int)room;
    return !failed;
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct PairWork {
    FeatureContactFinder *finder;
    const FeatureSubstep *substep;
    const Vec3 *z;
    bool filling; /* else only count */
    double moved; /* the furthest of a vertex from where it was expected */
} PairWork;

typedef struct PairVisit {
    const PairWork *work;
    FeaturePair pair;
    int count;
} PairVisit;

static bool visit_feature(void *context, int feature) {
    PairVisit *visit = context;
    FeatureContactFinder *finder = visit->work->finder;
    if (visit->work->filling) {
        visit->pair.feature = feature;
        int item = visit->pair.cloth + (visit->pair.on_edge ? finder->skin->triangle_count : 0);
        finder->pairs[finder->start[item] + visit->count] = visit->pair;
    }
    ++visit->count;
    return false;
}

static double shell_of(const Collider *body) { return SHARE * body->thickness; }

static double reach_of(const Collider *body) { return shell_of(body) + SLACK * body->scale; }

/* Returns how many pairs the item has. */
static int pair_item(const PairWork *work, int item) {
    const Skin *skin = work->finder->skin;
    const FeatureSubstep *substep = work->substep;
    bool on_edge = item >= skin->triangle_count;
    int own = on_edge ? item - skin->triangle_count : item;
    const int *v = on_edge ? skin->edges[own] : skin->triangles[own];
    Box box = box_empty();
    for (int c = 0; c < (on_edge ? 2 : 3); ++c) {
        box = box_with_point(box_with_point(box, substep->x[v[c]]), work->z[v[c]]);
    }
    PairVisit visit = {work, {.on_edge = on_edge, .cloth = own}, 0};
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            const Sharp *sharp = substep->sharp[b];
            Box grown = box_grown(box, reach_of(substep->bodies[b]));
            visit.pair.body = b;
            wide_bvh_visit(on_edge ? &sharp->edge_tree : &sharp->corner_tree, &grown, visit_feature,
                           &visit);
        }
    }
    return visit.count;
}

static bool stop_at_once(void *context, int feature) {
    (void)feature;
    *(bool *)context = true;
    return true;
}

/* Is anything sharp where the bundle goes? */
static bool goes_near(const PairWork *work, int bundle) {
    const FeatureSubstep *substep = work->substep;
    Box box = bundles_box(&work->finder->bundles, bundle);
    bool found = false;
    for (int b = 0; b < substep->body_count && !found; ++b) {
        if (substep->bodies[b]) {
            Box grown = box_grown(box, reach_of(substep->bodies[b]));
            wide_bvh_visit(&substep->sharp[b]->corner_tree, &grown, stop_at_once, &found);
            wide_bvh_visit(&substep->sharp[b]->edge_tree, &grown, stop_at_once, &found);
        }
    }
    return found;
}

static void count_pairs(void *context, int begin, int end) {
    const PairWork *work = context;
    const Bundles *bundles = &work->finder->bundles;
    for (int b = begin; b < end; ++b) {
        int last = goes_near(work, b) ? bundles_begin(bundles, b + 1) : 0, total = 0;
        for (int item = bundles_begin(bundles, b); item < last; ++item) {
            work->finder->start[item] = pair_item(work, item);
            total += work->finder->start[item];
        }
        work->finder->bundle_pairs[b] = total;
    }
}

static void fill_pairs(void *context, int begin, int end) {
    const PairWork *work = context;
    const int *start = work->finder->start;
    const Bundles *bundles = &work->finder->bundles;
    for (int b = begin; b < end; ++b) {
        int left = work->finder->bundle_pairs[b], last = bundles_begin(bundles, b + 1);
        for (int item = bundles_begin(bundles, b); left > 0; ++item) {
            /* one without pairs begins where the next does */
            if (item + 1 == last || start[item + 1] != start[item]) {
                left -= pair_item(work, item);
            }
        }
    }
}

/* From how many pairs each item has to where they begin; returns how many there are. */
static int place_pairs(FeatureContactFinder *finder) {
    int total = 0;
    for (int b = 0; b < finder->bundles.count; ++b) {
        int end = finder->bundle_pairs[b] > 0 ? bundles_begin(&finder->bundles, b + 1) : 0;
        for (int i = bundles_begin(&finder->bundles, b); i < end; ++i) {
            int count = finder->start[i];
            finder->start[i] = total;
            total += count;
        }
    }
    return total;
}

void feature_contact_begin(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                           const Vec3 *z) {
    int any = 0;
    for (int b = 0; b < substep->body_count; ++b) {
        any |= substep->bodies[b] && substep->sharp[b]->corner_count > 0;
    }
    finder->pair_count = 0;
    if (!any) {
        return;
    }
    PairWork work = {.finder = finder, .substep = substep, .z = z};
    bundles_sweep(&finder->bundles, pool, substep->x, z);
    pool_each(pool, finder->bundles.count, count_pairs, &work);
    int total = place_pairs(finder);
    if (total > 0 && reserve(finder, total)) {
        work.filling = 1;
        finder->pair_count = total;
        pool_each(pool, finder->bundles.count, fill_pairs, &work);
        for (int p = 0; p < total; ++p) {
            finder->distance[p] = 0; /* not known yet */
        }
        memcpy(finder->expected, z, (size_t)finder->skin->vertex_count * sizeof *z);
    }
}

/* --- contacts --------------------------------------------------------------------------------- */

/* A place of the cloth and one of the body, as they are closest. */
typedef struct Nearness {
    Contact contact; /* vertices and weights of the cloth's place */
    Vec3 away;       /* from the body's place to the cloth's */
    Vec3 before;     /* likewise at the substep's start, between the same two places */
    bool crossed;    /* they have changed sides */
    int inner;       /* neither place is an end */
} Nearness;

static Vec3 triangle_normal(const Vec3 *x, const int *v) {
    return vec3_cross(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]]));
}

static Nearness near_corner(const PairWork *work, const FeaturePair *pair) {
    const FeatureSubstep *substep = work->substep;
    const Collider *body = substep->bodies[pair->body];
    const int *v = work->finder->skin->triangles[pair->cloth];
    int corner = substep->sharp[pair->body]->corners[pair->feature];
    Vec3 start = body->at[0][corner], end = body->at[1][corner];
    Vec3 corners[3] = {work->z[v[0]], work->z[v[1]], work->z[v[2]]};
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

static Nearness near_edge(const PairWork *work, const FeaturePair *pair) {
    const FeatureSubstep *substep = work->substep;
    const Collider *body = substep->bodies[pair->body];
    const int *v = work->finder->skin->edges[pair->cloth];
    const int *e = substep->sharp[pair->body]->edges[pair->feature];
    Vec3 cloth[2] = {work->z[v[0]], work->z[v[1]]},
         before[2] = {substep->x[v[0]], substep->x[v[1]]};
    Vec3 end[2] = {body->at[1][e[0]], body->at[1][e[1]]};
    Vec3 start[2] = {body->at[0][e[0]], body->at[0][e[1]]};
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

/* The body's feature sticks out of the cloth, and did so from the start: the cloth's place is inside of a solid. */
static bool pokes_through(const PairWork *work, const FeaturePair *pair, const Nearness *near) {
    const Collider *body = work->substep->bodies[pair->body];
    const Sharp *sharp = work->substep->sharp[pair->body];
    const int *e = sharp->edges[pair->on_edge ? pair->feature : 0];
    int first = pair->on_edge ? e[0] : sharp->corners[pair->feature];
    int second = pair->on_edge ? e[1] : first;
    int part = body->part[body->corner[body->corner_start[first]] / 3];
    Vec3 outward = vec3_add(body->vertex_normals[first], body->vertex_normals[second]);
    double distance = vec3_length(near->away);
    Hit hit;
    return body->parts[part].solid && vec3_dot(outward, near->away) < 0 &&
           collider_closest(body, vec3_add(near->contact.point, near->away), distance + TOUCHING,
                            &hit) &&
           hit.signed_distance < 0;
}

/* A triangle of the body that has the feature as a corner or an edge. */
static int triangle_at(const PairWork *work, const FeaturePair *pair) {
    const Collider *body = work->substep->bodies[pair->body];
    const Sharp *sharp = work->substep->sharp[pair->body];
    if (!pair->on_edge) {
        return body->corner[body->corner_start[sharp->corners[pair->feature]]] / 3;
    }
    const int *e = sharp->edges[pair->feature];
    int first = body->corner_start[e[0]], last = body->corner_start[e[0] + 1];
    for (int c = first; c < last; ++c) {
        const int *v = body->corners[body->corner[c] / 3];
        if (v[0] == e[1] || v[1] == e[1] || v[2] == e[1]) {
            return body->corner[c] / 3;
        }
    }
    return body->corner[first] / 3;
}

/* 1 if there is a contact in reach. */
static int make_contact(const PairWork *work, int p, Contact *contact) {
    const FeaturePair *pair = &work->finder->pairs[p];
    const Collider *body = work->substep->bodies[pair->body];
    double shell = shell_of(body), reach = reach_of(body);
    if (work->finder->distance[p] > reach + work->moved) {
        return 0; /* it cannot have come so near */
    }
    Nearness near = pair->on_edge ? near_edge(work, pair) : near_corner(work, pair);
    double distance = vec3_length(near.away);
    if (work->moved == 0) {
        work->finder->distance[p] = near.crossed ? 0.0 : distance;
    }
    if (!near.inner || (!near.crossed && distance > reach)) {
        return 0;
    }
    double before = vec3_length(near.before);
    if (!near.crossed && pokes_through(work, pair, &near)) {
        near.crossed = 1;
        before = -before;
    }
    *contact = near.contact;
    if (distance > TOUCHING) {
        contact->normal = vec3_scale((near.crossed ? -1.0 : 1.0) / distance, near.away);
    } else {
        contact->normal = vec3_unit_or(near.before, vec3(0, 0, 1));
    }
    double out = before + RECOVERY * body->scale * work->substep->length;
    contact->shell = out < shell ? out : shell;
    contact->soft = 0.5 * shell;
    contact->range = CONTACT_GRIP_RANGE * body->scale;
    contact->friction = body->friction;
    contact->turn = collider_turn(body, triangle_at(work, pair));
    contact->place[0] = 1 + pair->body;
    contact->place[1] = 2 * pair->feature + pair->on_edge;
    return 1;
}

static void find_pairs(void *context, int begin, int end) {
    const PairWork *work = context;
    FeatureContactFinder *finder = work->finder;
    for (int p = begin; p < end; ++p) {
        finder->active[p] = (uint8_t)make_contact(work, p, &finder->found[p]);
    }
}

void feature_contact_find(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z, Contacts *contacts) {
    if (finder->pair_count == 0) {
        return;
    }
    PairWork work = {.finder = finder, .substep = substep, .z = z};
    for (int i = 0; i < finder->skin->vertex_count; ++i) {
        double moved = vec3_distance(z[i], finder->expected[i]);
        work.moved = moved > work.moved ? moved : work.moved;
    }
    pool_run(pool, finder->pair_count, find_pairs, &work);
    for (int p = 0; p < finder->pair_count; ++p) {
        if (finder->active[p]) {
            contacts_add(contacts, CONTACT_BODY, &finder->found[p]);
        }
    }
}
