/* Pairs are gathered once a substep, of what vertices leave in doubt; the rounds of the solver only look at these
 * again. */
#include "contact/body/feature_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"
#include "geometry/ccd.h"

/* Contacts are told this far outside their shells, and pairs are kept that may come so near while vertices go on by the
 * second, m at the usual thickness: see scale.h. */
#define LISTED 0.002
/* Of cloth that has a corner behind a surface by more than an inner shell, this far: it has to come out on the side where
 * it is. */
#define LISTED_BEHIND 0.005
#define SLACK 0.002
/* Speed at which pairs part that were too near from the start, m/s, likewise. */
#define RECOVERY 0.4
/* Cloth that is stretched by more than this may let an edge of a body through that its rest shape would not. */
#define STRETCHED 1.15
/* No point of a triangle is further from all its corners than this part of its longest side; of an edge, from its ends. */
#define INNER_TRIANGLE 0.578
#define INNER_EDGE 0.5
/* Nearer than this to an end of a segment, as a part of it, the contact is a vertex's. */
#define END 1e-6
/* Below this distance the direction between two things says nothing, m. */
#define TOUCHING 1e-9

/* Pairs that a slice of the list has room for at first. */
#define ROOM 64

/* --- building --------------------------------------------------------------------------------- */

static bool reserve(FeatureContactFinder *finder, int count) {
    size_t room = (size_t)count;
    bool failed = false;
    finder->pairs = scratch_grow(finder->pairs, room, sizeof *finder->pairs, &failed);
    finder->found = scratch_grow(finder->found, room, sizeof *finder->found, &failed);
    finder->active = scratch_grow(finder->active, room, sizeof *finder->active, &failed);
    return !failed;
}

StatusCode feature_contact_build(FeatureContactFinder *finder, const Skin *skin, Store *store,
                                 Status *status) {
    int items = skin_item_count(skin);
    *finder = (FeatureContactFinder){.skin = skin,
                                     .longest = STORE_ARRAY(store, double, items),
                                     .expected = STORE_ARRAY(store, Vec3, skin->vertex_count),
                                     .room = STORE_ARRAY(store, double, skin->vertex_count),
                                     .approach = STORE_ARRAY(store, double, skin->vertex_count),
                                     .moved = STORE_ARRAY(store, double, skin->vertex_count)};
    int room = ROOM * pool_chunks(items);
    slices_build(&finder->slices, items, room, store);
    if (store->failed || !reserve(finder, room)) {
        return status_no_memory(status, "contacts with edges of bodies");
    }
    for (int i = 0; i < items; ++i) {
        SkinItem item = skin_item(skin, i);
        finder->longest[i] = STRETCHED * skin_item_length(&item, skin->rest);
        finder->longest_of_all = fmax(finder->longest_of_all, SHARP_SAMPLES * finder->longest[i]);
    }
    return STATUS_OK;
}

void feature_contact_destroy(FeatureContactFinder *finder) {
    free(finder->pairs);
    free(finder->found);
    free(finder->active);
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct PairWork {
    FeatureContactFinder *finder;
    const FeatureSubstep *substep;
    const Vec3 *z;
    double reach, reach_behind, fastest; /* of all bodies the most */
    double shell;                        /* likewise, inner ones */
    double slack;                        /* the least */
} PairWork;

static double reach_of(const Collider *body, bool behind) {
    return collider_inner_shell(body) + (behind ? LISTED_BEHIND : LISTED) * body->scale;
}

static PairWork work_for(FeatureContactFinder *finder, const FeatureSubstep *substep,
                         const Vec3 *z) {
    PairWork work = {.finder = finder, .substep = substep, .z = z, .slack = INFINITY};
    for (int b = 0; b < substep->body_count; ++b) {
        const Collider *body = substep->bodies[b];
        if (body && substep->sharp[b]->corner.count > 0) {
            work.reach = fmax(work.reach, reach_of(body, false));
            work.shell = fmax(work.shell, collider_inner_shell(body));
            work.reach_behind = fmax(work.reach_behind, reach_of(body, true));
            work.fastest = fmax(work.fastest, body->fastest);
            work.slack = fmin(work.slack, SLACK * body->scale);
        }
    }
    return work;
}

/* What is known of the vertices at z. */
static void measure_vertices(void *context, int begin, int end) {
    const PairWork *work = context;
    const FeatureSubstep *substep = work->substep;
    FeatureContactFinder *finder = work->finder;
    for (int i = begin; i < end; ++i) {
        Vec3 z = work->z[i];
        finder->expected[i] = z;
        if (substep->known) {
            double moved = vec3_distance(z, substep->expected[i]);
            finder->room[i] = substep->known[i] - moved;
            finder->approach[i] = substep->approach[i] + moved;
        } else {
            finder->room[i] = -INFINITY;
            finder->approach[i] = vec3_distance(z, substep->x[i]) + work->fastest;
        }
    }
}

/* Neighbouring triangles, or edges, that ask the trees together. */
#define GROUP 4

/* A triangle or edge of a group that something may meet. */
typedef struct Seeker {
    SkinItem item;
    Box box;                 /* around it, grown by the margin */
    double margin, approach; /* m */
    double longest, room;    /* m */
} Seeker;

typedef struct PairVisit {
    const PairWork *work;
    Seeker seekers[GROUP];
    int seeker_count;
    int body;              /* that is asked */
    double lengths[GROUP]; /* of edges that each is as good as there, m */
    double leasts[GROUP];  /* the same where the insides of edges are looked at, too */
    FeaturePair *list;     /* of the slice */
    int count, capacity;
} PairVisit;

static double distance_to(const PairWork *work, const Seeker *seeker, int b, int feature) {
    const FeatureSubstep *substep = work->substep;
    const Vec3 *at = substep->bodies[b]->at[1];
    const Sharp *sharp = substep->sharp[b];
    const int *v = seeker->item.v;
    if (seeker->item.corners == 2) {
        const int *e = sharp->edges[feature];
        Vec3 own[2] = {work->z[v[0]], work->z[v[1]]}, edge[2] = {at[e[0]], at[e[1]]};
        return closest_of_segments(own, edge).distance;
    }
    Vec3 own[3] = {work->z[v[0]], work->z[v[1]], work->z[v[2]]};
    return closest_on_triangle(at[sharp->corners[feature]], own).distance;
}

static void try_feature(PairVisit *visit, const Seeker *seeker, int feature) {
    double distance = distance_to(visit->work, seeker, visit->body, feature);
    if (!(distance <= seeker->margin)) {
        return;
    }
    if (visit->count < visit->capacity) {
        visit->list[visit->count] = (FeaturePair){.body = visit->body,
                                                  .on_edge = seeker->item.corners == 2,
                                                  .behind = seeker->room < -visit->work->shell,
                                                  .cloth = seeker->item.own,
                                                  .feature = feature,
                                                  .distance = distance,
                                                  .approach = seeker->approach};
    }
    ++visit->count;
}

static bool visit_corner(void *context, int feature) {
    PairVisit *visit = context;
    const FeatureSubstep *substep = visit->work->substep;
    const Sharp *sharp = substep->sharp[visit->body];
    Vec3 at = substep->bodies[visit->body]->at[1][sharp->corners[feature]];
    Box box = {at, at};
    for (int i = 0; i < visit->seeker_count; ++i) {
        if (sharp->corner.chord[feature] < visit->lengths[i] &&
            sharp->corner.least[feature] < visit->leasts[i] &&
            box_overlaps(&box, &visit->seekers[i].box)) {
            try_feature(visit, &visit->seekers[i], feature);
        }
    }
    return false;
}

static bool visit_edge(void *context, int feature) {
    PairVisit *visit = context;
    const FeatureSubstep *substep = visit->work->substep;
    const Sharp *sharp = substep->sharp[visit->body];
    Box box = box_of_listed(substep->bodies[visit->body]->at[1], sharp->edges[feature], 2);
    for (int i = 0; i < visit->seeker_count; ++i) {
        if (sharp->edge.chord[feature] < visit->lengths[i] &&
            sharp->edge.least[feature] < visit->leasts[i] &&
            box_overlaps(&box, &visit->seekers[i].box)) {
            try_feature(visit, &visit->seekers[i], feature);
        }
    }
    return false;
}

/* How far its points are from all bodies at least, and by how much they can have come nearer at most. */
static double measure_item(const PairWork *work, const SkinItem *item, double *approach) {
    const FeatureContactFinder *finder = work->finder;
    double room = INFINITY;
    *approach = 0;
    for (int c = 0; c < item->corners; ++c) {
        room = fmin(room, finder->room[item->v[c]]);
        *approach = fmax(*approach, finder->approach[item->v[c]]);
    }
    return room;
}

/* Vertices know nothing of what comes near the middle of a large triangle. */
static double approach_of_large(const PairWork *work, const SkinItem *item) {
    double most = 0;
    for (int c = 0; c < item->corners; ++c) {
        most = fmax(most, vec3_distance(work->z[item->v[c]], work->substep->x[item->v[c]]));
    }
    return most + work->fastest;
}

/* The longest edge that a triangle or edge is as good as, m, where its corners are `room` away from all bodies: what a
 * feature pokes by under an edge grows with its square at most, and has to come further up to touch one that is further
 * away (see sharp.c). */
static double effective_length(const Collider *body, const Seeker *seeker) {
    double poked = sharp_allowed(body), wanted = seeker->room - collider_inner_shell(body);
    return wanted > poked ? seeker->longest * sqrt(poked / wanted) : seeker->longest;
}

/* Puts the triangle or edge among those that ask, unless nothing can come near it. */
static void add_seeker(PairVisit *visit, int number) {
    const PairWork *work = visit->work;
    const FeatureSubstep *substep = work->substep;
    SkinItem item = skin_item(work->finder->skin, number);
    double approach, room = measure_item(work, &item, &approach);
    double reach = room < -work->shell ? work->reach_behind : work->reach;
    double margin = fmax(reach, approach) + work->slack;
    if (room > margin + work->finder->longest[number]) {
        return; /* at a glance: were it stretched to twice its length */
    }
    double inner =
        (item.corners == 2 ? INNER_EDGE : INNER_TRIANGLE) * skin_item_length(&item, work->z);
    if (substep->known && inner + work->reach > substep->sight) {
        approach = approach_of_large(work, &item);
        margin = fmax(reach, approach) + work->slack;
    }
    if (room - inner <= margin) {
        visit->seekers[visit->seeker_count++] =
            (Seeker){.item = item,
                     .box = box_grown(box_of_listed(work->z, item.v, item.corners), margin),
                     .margin = margin,
                     .approach = approach,
                     .longest = work->finder->longest[number],
                     .room = room};
    }
}

/* All that ask are triangles, or all are edges. */
static void ask_bodies(PairVisit *visit, bool on_edge) {
    const FeatureSubstep *substep = visit->work->substep;
    Box box = box_empty();
    for (int i = 0; i < visit->seeker_count; ++i) {
        box = box_join(box, visit->seekers[i].box);
    }
    for (int b = 0; b < substep->body_count; ++b) {
        if (!substep->bodies[b]) {
            continue;
        }
        double longest = 0;
        for (int i = 0; i < visit->seeker_count; ++i) {
            const Seeker *seeker = &visit->seekers[i];
            double length = effective_length(substep->bodies[b], seeker);
            visit->lengths[i] = length;
            /* behind a surface, samples are drawn to whichever side is near */
            bool sampled = seeker->room >= 0 && seeker->room < substep->sampled;
            visit->leasts[i] = sampled ? seeker->longest : SHARP_SAMPLES * length;
            longest = fmax(longest, visit->leasts[i]);
        }
        visit->body = b;
        if (on_edge) {
            sharp_visit(&substep->sharp[b]->edge, &box, longest, visit_edge, visit);
        } else {
            sharp_visit(&substep->sharp[b]->corner, &box, longest, visit_corner, visit);
        }
    }
    visit->seeker_count = 0;
}

static void fill_slice(void *context, int begin, int end) {
    const PairWork *work = context;
    FeatureContactFinder *finder = work->finder;
    int s = pool_chunk_at(begin);
    PairVisit visit = {.work = work,
                       .list = finder->pairs + finder->slices.start[s],
                       .capacity = slices_room(&finder->slices, s)};
    for (int i = begin; i < end; ++i) {
        bool on_edge = i >= finder->skin->triangle_count;
        add_seeker(&visit, i);
        bool last = i + 1 == end || i + 1 == finder->skin->triangle_count;
        if (visit.seeker_count == GROUP || (last && visit.seeker_count > 0)) {
            ask_bodies(&visit, on_edge);
        }
    }
    finder->slices.used[s] = visit.count;
}

/* Makes room where a slice was too small. Returns true if the slices have to be filled again. */
static bool grow_slices(FeatureContactFinder *finder) {
    int wanted = slices_wanted(&finder->slices);
    bool grown = wanted > 0 && reserve(finder, wanted);
    if (grown) {
        slices_widen(&finder->slices);
    }
    return grown;
}

static void find_pairs(PairWork *work, Pool *pool) {
    FeatureContactFinder *finder = work->finder;
    finder->pair_count = finder->dropped = 0;
    if (!isfinite(work->slack)) {
        return; /* nothing is sharp */
    }
    pool_run(pool, finder->skin->vertex_count, measure_vertices, work);
    do {
        pool_run(pool, skin_item_count(finder->skin), fill_slice, work);
    } while (grow_slices(finder));
    if (finder->pairs) {
        finder->pair_count =
            slices_close(&finder->slices, finder->pairs, sizeof *finder->pairs, &finder->dropped);
    }
}

void feature_contact_begin(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                           const Vec3 *z) {
    PairWork work = work_for(finder, substep, z);
    find_pairs(&work, pool);
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
    Vec3 outward =
        vec3_add(collider_vertex_normal(body, first), collider_vertex_normal(body, second));
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

/* The furthest that one of the pair's vertices has gone since the pair was found, m. */
static double moved_since(const PairWork *work, const FeaturePair *pair) {
    const Skin *skin = work->finder->skin;
    const int *v = pair->on_edge ? skin->edges[pair->cloth] : skin->triangles[pair->cloth];
    double most = fmax(work->finder->moved[v[0]], work->finder->moved[v[1]]);
    return pair->on_edge ? most : fmax(most, work->finder->moved[v[2]]);
}

static void set_surface(const PairWork *work, const FeaturePair *pair, double before,
                        Contact *contact) {
    const Collider *body = work->substep->bodies[pair->body];
    double shell = collider_inner_shell(body),
           out = before + RECOVERY * body->scale * work->substep->length;
    contact->shell = out < shell ? out : shell;
    contact->soft = 0.5 * shell;
    contact->range = CONTACT_GRIP_RANGE * body->scale;
    contact->friction = body->friction;
    contact->turn = collider_turn(body, triangle_at(work, pair));
    contact->place[0] = 1 + pair->body;
    contact->place[1] = 2 * pair->feature + pair->on_edge;
}

/* True if there is a contact to be told. */
static bool make_contact(const PairWork *work, const FeaturePair *pair, Contact *contact) {
    double reach = reach_of(work->substep->bodies[pair->body], pair->behind);
    double moved = moved_since(work, pair);
    if (pair->distance - moved > fmax(reach, pair->approach + moved)) {
        return false; /* it cannot have come so near, nor have passed */
    }
    Nearness near = pair->on_edge ? near_edge(work, pair) : near_corner(work, pair);
    double distance = vec3_length(near.away);
    if (!near.inner || (!near.crossed && distance > reach)) {
        return false;
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
    set_surface(work, pair, before, contact);
    return true;
}

static void make_contacts(void *context, int begin, int end) {
    const PairWork *work = context;
    FeatureContactFinder *finder = work->finder;
    for (int p = begin; p < end; ++p) {
        finder->active[p] = make_contact(work, &finder->pairs[p], &finder->found[p]);
    }
}

/* Measures how far vertices have gone since pairs were found; returns how many have gone further than pairs are kept
 * for, of those that may meet something. */
static double track_vertices(void *context, int begin, int end) {
    const PairWork *work = context;
    FeatureContactFinder *finder = work->finder;
    int far = 0;
    for (int i = begin; i < end; ++i) {
        double moved = vec3_distance(work->z[i], finder->expected[i]);
        finder->moved[i] = moved;
        far += !(moved <= work->slack);
    }
    return far;
}

void feature_contact_find(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z, Contacts *contacts) {
    PairWork work = work_for(finder, substep, z);
    if (!isfinite(work.slack)) {
        return;
    }
    int count = finder->skin->vertex_count;
    if (pool_sum(pool, count, track_vertices, &work) > 0) {
        find_pairs(&work, pool);
        pool_sum(pool, count, track_vertices, &work);
    }
    pool_run(pool, finder->pair_count, make_contacts, &work);
    for (int p = 0; p < finder->pair_count; ++p) {
        if (finder->active[p]) {
            contacts_add(contacts, CONTACT_BODY, &finder->found[p]);
        }
    }
    contacts->dropped += finder->dropped;
}
