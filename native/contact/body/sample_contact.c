/* An edge whose middle may be nearer to a body than its ends is halved, recursively. Only places nearer than the ends
 * around them become contacts: those ends keep the others away. */
#include "contact/body/sample_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"

/* Contacts are reported this far outside their shells, m at the usual thickness: see scale.h. */
#define LISTED 0.001
/* Places search to this depth behind a surface, likewise. */
#define DEPTH 0.02
/* Shorter parts of edges are not sampled, likewise: smooth surfaces do not come up between their ends. Twice that for
 * triangles, whose sides are sampled. */
#define SHORTEST 0.012
/* Halvings of an edge, and how many places they make. */
#define HALVINGS 2
#define PLACES ((1 << HALVINGS) - 1)
/* Rise of a surface between the ends of an edge, over its length: this part of the angle between the normals there (an
 * eighth for a circle), plus an allowance for bumps between them. */
#define BULGE 0.2
#define BUMPS 0.03
/* Cosine between a wall's normal and the way to another wall that it faces, at least. */
#define FACING 0.5
/* Contacts that a slice of the list has room for at first. */
#define ROOM 32
/* Cloth stretched further than this is sampled less carefully. */
#define STRETCHED 1.5
/* The most that the angle can be. */
#define MOST_ANGLE 2.0
/* More than the rounding of distances, m, likewise. */
#define ROUNDED 1e-6

StatusCode sample_contact_build(SampleContactFinder *finder, const Skin *skin, Store *store,
                                Status *status) {
    *finder = (SampleContactFinder){
        .skin = skin, .vertices = STORE_ARRAY(store, SampleVertex, skin->vertex_count)};
    int items = skin_item_count(skin), room = ROOM * pool_chunks(items);
    finder->expected = STORE_ARRAY(store, Vec3, skin->vertex_count);
    finder->highest = STORE_ARRAY(store, double, items);
    finder->spare = STORE_ARRAY(store, double, items);
    finder->guesses = STORE_ARRAY(store, SampleGuess,
                                  (size_t)skin->triangle_count + PLACES * (size_t)skin->edge_count);
    finder->near = STORE_ARRAY(store, uint8_t, items);
    finder->near_before = STORE_ARRAY(store, uint8_t, items);
    slices_build(&finder->slices, items, room, store);
    finder->list = SCRATCH_ARRAY(Contact, room);
    if (store->failed || !finder->list) {
        return status_no_memory(status, "contacts inside of faces");
    }
    for (int i = 0; i < items; ++i) {
        SkinItem item = skin_item(skin, i);
        finder->highest[i] =
            STRETCHED * (BULGE * MOST_ANGLE + BUMPS) * skin_item_length(&item, skin->rest);
    }
    return STATUS_OK;
}

void sample_contact_destroy(SampleContactFinder *finder) { free(finder->list); }

typedef struct SampleWork {
    SampleContactFinder *finder;
    const BodySubstep *substep;
    const VertexContactFinder *vertices;
    const Vec3 *z;
    bool anew;
    double alert,
        sure; /* m: contacts nearer than the first are reported; beyond the second there are none */
    double depth;    /* of the search, m */
    double shortest; /* see SHORTEST */
} SampleWork;

/* A triangle or an edge, with the data of its corners and the list for its contacts. */
typedef struct Sampled {
    const SampleWork *work;
    int count;
    const int *v;
    double distance;      /* the least of its corners' */
    double moved;         /* the most of its corners' */
    double length;        /* its longest side, m */
    double angle;         /* the most between the surface's normals at its corners */
    bool crosses;         /* its corners are on two sides of a sheet */
    int body, triangle;   /* where the search begins */
    SampleGuess *guesses; /* better ones, per place by its number */
    uint8_t *near, near_before;
    double spare; /* the least by which a place was too far away, m */
    Contact *list;
    int used, capacity;
} Sampled;

static const SampleVertex *corner_of(const Sampled *sampled, int c) {
    return &sampled->work->finder->vertices[sampled->v[c]];
}

/* Packs the data of a vertex that items need: its contacts are spread over more memory than the cache holds. */
static void measure_vertices(void *context, int begin, int end) {
    const SampleWork *work = context;
    const VertexContactFinder *vertices = work->vertices;
    SampleContactFinder *finder = work->finder;
    for (int i = begin; i < end; ++i) {
        if (!subset_has(finder->awake, i)) {
            continue;
        }
        SampleVertex *vertex = &finder->vertices[i];
        int first = MOST_CONTACT_PLANES * i;
        if (work->anew) {
            finder->expected[i] = work->z[i];
        }
        vertex->moved = vec3_distance(work->z[i], finder->expected[i]);
        vertex->distance = vertices->known[i] - vec3_distance(work->z[i], vertices->expected[i]);
        vertex->triangle = vertices->near[i] ? vertices->triangle[first] : -1;
        if (vertices->near[i]) {
            const Contact *plane = &vertices->found[first];
            vertex->body = vertices->body[first];
            vertex->point = plane->point;
            vertex->normal = plane->normal;
            if (vertices->listed[i]) {
                vertex->distance = vec3_dot(plane->normal, vec3_sub(work->z[i], plane->point));
            }
        }
    }
}

/* --- one place -------------------------------------------------------------------------------- */

static Vec3 mixed(const Sampled *sampled, const double *weights, const Vec3 *at) {
    Vec3 sum = vec3_scale(weights[0], at[sampled->v[0]]);
    for (int c = 1; c < sampled->count; ++c) {
        sum = vec3_madd(sum, weights[c], at[sampled->v[c]]);
    }
    return sum;
}

/* The least room between two surfaces that a corner has, m. */
static double least_room(const Sampled *sampled) {
    const double *room = sampled->work->vertices->room;
    double least = INFINITY;
    for (int c = 0; c < sampled->count; ++c) {
        least = fmin(least, room[sampled->v[c]]);
    }
    return least;
}

static void put_contact(Sampled *sampled, const double *weights, int number,
                        const ContactPlane *plane, Vec3 x) {
    const BodySubstep *substep = sampled->work->substep;
    const Collider *body = substep->bodies[plane->body];
    if (sampled->used++ >= sampled->capacity) {
        return;
    }
    Vec3 before = vec3_sub(plane->point, plane->way);
    double share = contact_share(substep->share, sampled->count, sampled->v, weights);
    double scale = collider_scale(body, share), inner = share * collider_inner_shell(body);
    double had = vec3_dot(plane->normal, vec3_sub(x, before));
    double shell = fmin(inner, 0.5 * least_room(sampled));
    double out = had + CONTACT_RECOVERY * scale * substep->length;
    Contact *contact = &sampled->list[sampled->used - 1];
    *contact = (Contact){.count = sampled->count,
                         .point = plane->point,
                         .normal = plane->normal,
                         .way = plane->way,
                         .turn = collider_turn(body, plane->triangle),
                         .place = {1 + plane->body, -number},
                         .shell = out < shell ? out : shell,
                         .soft = 0.5 * inner,
                         .range = CONTACT_GRIP_RANGE * scale,
                         .friction = plane->friction};
    for (int c = 0; c < sampled->count; ++c) {
        contact->vertices[c] = sampled->v[c];
        contact->weights[c] = weights[c];
    }
}

/* A lower bound of the distance of a place from all surfaces, from those of the corners. */
static double least_distance(const Sampled *sampled, Vec3 z) {
    double most = -INFINITY;
    for (int c = 0; c < sampled->count; ++c) {
        double moved = vec3_distance(sampled->work->z[sampled->v[c]], z);
        most = fmax(most, corner_of(sampled, c)->distance - moved);
    }
    return most;
}

/* Finds the plane of a place. False if it is further away than the depth. */
static bool find_plane(const Sampled *sampled, Vec3 x, Vec3 z, SampleGuess *guess,
                       ContactPlane *plane) {
    const SampleWork *work = sampled->work;
    const BodySubstep *substep = work->substep;
    bool known = guess->body == 1 + sampled->body &&
                 guess->triangle < substep->bodies[sampled->body]->triangle_count;
    if (!contact_plane_nearest(substep, x, z, sampled->body,
                               known ? guess->triangle : sampled->triangle, work->depth, plane)) {
        return false;
    }
    *guess = (SampleGuess){1 + plane->body, plane->triangle, work->finder->substep,
                           (float)(plane->distance - sampled->moved)};
    return true;
}

static uint8_t bit_of(int number) { return (uint8_t)(1u << (number - 1)); }

/* Samples a place: returns a lower bound of its distance from the surface, and adds a contact if that is less than `least`. */
static double sample_place(Sampled *sampled, const double *weights, int number, double least) {
    const SampleWork *work = sampled->work;
    SampleGuess *guess = &sampled->guesses[number - 1];
    Vec3 z = mixed(sampled, weights, work->z);
    double known = least_distance(sampled, z);
    if (guess->body == 1 + sampled->body && guess->substep == work->finder->substep) {
        known = fmax(known, guess->distance - sampled->moved);
    }
    if (known < work->sure) {
        Vec3 x = mixed(sampled, weights, work->substep->x);
        ContactPlane plane;
        *sampled->near &= (uint8_t)~bit_of(number);
        if (!find_plane(sampled, x, z, guess, &plane)) {
            return work->depth;
        }
        known = plane.distance;
        *sampled->near |= known - sampled->moved < work->alert ? bit_of(number) : 0;
        if (known < least && known < work->alert) {
            put_contact(sampled, weights, number, &plane, x);
        }
    }
    sampled->spare = fmin(sampled->spare, known - work->alert);
    return known;
}

/* --- edges and triangles ---------------------------------------------------------------------- */

/* Whether this place was a contact, or nearly, in the last substep. */
static bool was_near(const Sampled *sampled, int number) {
    return (*sampled->near | sampled->near_before) & bit_of(number);
}

/* Whether the surface may come up between places this far apart, at this mean distance. If it did so in the last substep it
 * may again, whatever the normals at the ends: a bump in a hollow does not show in them. Cloth that has passed through a
 * sheet since its start is not held there. */
static bool may_bulge(Sampled *sampled, double mean, double length, int number) {
    if (!(length > sampled->work->shortest)) {
        return false;
    }
    double spare = mean - length * (BULGE * sampled->angle + BUMPS) - sampled->work->alert;
    spare = spare >= 0 && !sampled->crosses && was_near(sampled, number) ? -1 : spare;
    if (spare >= 0) {
        sampled->spare = fmin(sampled->spare, spare);
    }
    return spare < 0;
}

/* The distance that the cloth keeps at a place, m; 0 if it is the same everywhere. Where it varies, the ends around a place
 * keep others away that are as much nearer as they are thinner. */
static double kept_at(const Sampled *sampled, const double *weights) {
    const double *share = sampled->work->substep->share;
    const Collider *body = sampled->work->substep->bodies[sampled->body];
    return share ? body->thickness * contact_share(share, sampled->count, sampled->v, weights) : 0;
}

/* Places of an edge are numbered like a binary tree: twice the number of the part, plus one beyond its middle. */
static void sample_edge(Sampled *sampled, double from, double to, const double ends[2], int number,
                        int halvings) {
    double length = (to - from) * sampled->length;
    if (!may_bulge(sampled, 0.5 * (ends[0] + ends[1]), length, number)) {
        return;
    }
    double middle = 0.5 * (from + to), weights[2] = {1 - middle, middle};
    const double first_weights[2] = {1 - from, from}, last_weights[2] = {1 - to, to};
    double kept = kept_at(sampled, weights);
    double least = fmin(ends[0] + kept - kept_at(sampled, first_weights),
                        ends[1] + kept - kept_at(sampled, last_weights));
    double found = sample_place(sampled, weights, number, least);
    if (halvings > 1) {
        double first[2] = {ends[0], found}, second[2] = {found, ends[1]};
        sample_edge(sampled, from, middle, first, 2 * number, halvings - 1);
        sample_edge(sampled, middle, to, second, 2 * number + 1, halvings - 1);
    }
}

/* The approximate angle by which the normals of two places diverge; 0 if they converge. */
static double turn_between(const SampleVertex *a, const SampleVertex *b) {
    Vec3 way = vec3_unit_or(vec3_sub(b->point, a->point), vec3(0, 0, 0));
    return fmax(0.0, vec3_dot(way, vec3_sub(b->normal, a->normal)));
}

/* Of one side of a triangle, or of an edge. */
static double turn_along(const Sampled *sampled, int c) {
    const SampleVertex *a = corner_of(sampled, c),
                       *b = corner_of(sampled, (c + 1) % sampled->count);
    return a->triangle >= 0 && b->triangle >= 0 ? turn_between(a, b) : MOST_ANGLE;
}

/* The same: whether its ends are on two sides of a sheet. Their normals then point away from each other, not at each other
 * as those of two walls. */
static bool is_crossed(const Sampled *sampled, int c) {
    const SampleVertex *a = corner_of(sampled, c),
                       *b = corner_of(sampled, (c + 1) % sampled->count);
    if (a->triangle < 0 || b->triangle < 0 || vec3_dot(a->normal, b->normal) >= 0) {
        return false;
    }
    Vec3 way = vec3_sub(b->point, a->point);
    return vec3_dot(way, a->normal) < FACING * vec3_length(way);
}

static double longest_side(const SampleWork *work, const Sampled *sampled) {
    double longest = 0;
    for (int c = sampled->count == 2 ? 1 : 0; c < sampled->count; ++c) {
        Vec3 side = vec3_sub(work->z[sampled->v[c]], work->z[sampled->v[(c + 1) % sampled->count]]);
        longest = fmax(longest, vec3_dot(side, side));
    }
    return sqrt(longest);
}

/* Gathers the data of its corners; false if nothing can be near, or it is too short. */
static bool prepare(const SampleWork *work, Sampled *sampled) {
    const SampleVertex *nearest = NULL;
    double sum = 0;
    sampled->angle = 0;
    sampled->crosses = false;
    for (int c = 0; c < sampled->count; ++c) {
        const SampleVertex *corner = corner_of(sampled, c);
        sum += corner->distance;
        if (corner->triangle >= 0 && (!nearest || corner->distance < nearest->distance)) {
            nearest = corner;
        }
    }
    if (!nearest) { /* all corners are too far away for a smooth surface to come up between them */
        sampled->spare = work->substep->reach.near - work->substep->reach.listed;
        return false;
    }
    sampled->length = longest_side(work, sampled);
    double length = sampled->count == 2 ? sampled->length : 0.5 * sampled->length;
    if (!(length > work->shortest)) {
        return false;
    }
    sampled->body = nearest->body;
    sampled->triangle = nearest->triangle;
    for (int c = sampled->count == 2 ? 1 : 0; c < sampled->count; ++c) {
        sampled->angle = fmax(sampled->angle, turn_along(sampled, c));
        sampled->crosses = sampled->crosses || is_crossed(sampled, c);
    }
    return may_bulge(sampled, sum / sampled->count, length, 1);
}

/* A corner is held between two overlapping surfaces: a place beside it is in both, and would leave one into the other. */
static bool is_pinched(const Sampled *sampled) {
    const uint8_t *pinched = sampled->work->vertices->pinched;
    bool any = false;
    for (int c = 0; c < sampled->count; ++c) {
        any |= pinched[sampled->v[c]];
    }
    return any;
}

/* Whether it can be skipped: all corners are too far away for any surface, or none has moved by more than the spare
 * distance. */
static bool is_away(const SampleWork *work, int item, Sampled *sampled) {
    sampled->distance = INFINITY;
    sampled->moved = 0;
    for (int c = 0; c < sampled->count; ++c) {
        sampled->distance = fmin(sampled->distance, corner_of(sampled, c)->distance);
        sampled->moved = fmax(sampled->moved, corner_of(sampled, c)->moved);
    }
    sampled->spare = sampled->distance - work->alert - work->finder->highest[item];
    return sampled->spare > 0 || (!work->anew && sampled->moved < work->finder->spare[item]);
}

static void sample_item(const SampleWork *work, int number, Sampled *sampled) {
    SkinItem item = skin_item(work->finder->skin, number);
    sampled->count = item.corners;
    sampled->v = item.v;
    if (!subset_has(work->finder->awake, item.v[0])) {
        return;
    }
    sampled->guesses =
        work->finder->guesses +
        (item.corners == 3 ? item.own : work->finder->skin->triangle_count + PLACES * item.own);
    sampled->near = &work->finder->near[number];
    sampled->near_before = work->finder->near_before[number];
    if (!is_away(work, number, sampled)) {
        sampled->spare = INFINITY;
        bool near = !is_pinched(sampled) && prepare(work, sampled);
        if (near && item.corners == 2) {
            double ends[2] = {corner_of(sampled, 0)->distance, corner_of(sampled, 1)->distance};
            sample_edge(sampled, 0, 1, ends, 1, HALVINGS);
        } else if (near) {
            const double third = 1.0 / 3, weights[3] = {third, third, third};
            static const double corners[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
            double kept = kept_at(sampled, weights), least = INFINITY;
            for (int c = 0; c < 3; ++c) {
                least = fmin(least,
                             corner_of(sampled, c)->distance + kept - kept_at(sampled, corners[c]));
            }
            sample_place(sampled, weights, 1, least);
        }
    }
    if (work->anew) {
        work->finder->spare[number] = sampled->spare;
    }
}

static void sample_items(void *context, int begin, int end) {
    const SampleWork *work = context;
    Slices *slices = &work->finder->slices;
    int s = pool_chunk_at(begin);
    Sampled sampled = {.work = work,
                       .list = work->finder->list + slices->start[s],
                       .capacity = slices_room(slices, s)};
    for (int i = begin; i < end; ++i) {
        sample_item(work, i, &sampled);
    }
    slices->used[s] = sampled.used;
}

static bool grow(SampleContactFinder *finder) {
    int wanted = slices_wanted(&finder->slices);
    bool failed = wanted <= 0;
    if (!failed) {
        SCRATCH_GROW(finder->list, wanted, &failed);
    }
    if (!failed) {
        slices_widen(&finder->slices);
    }
    return !failed;
}

static bool meets_any(const BodySubstep *substep) {
    bool any = false;
    for (int b = 0; b < substep->body_count; ++b) {
        any |= substep->bodies[b] != NULL;
    }
    return any;
}

void sample_contact_begin(SampleContactFinder *finder, const BodySubstep *substep) {
    size_t count = (size_t)skin_item_count(finder->skin);
    if (!meets_any(substep)) {
        return;
    }
    ++finder->substep;
    if (!finder->looked) { /* else this substep was begun before */
        memcpy(finder->near_before, finder->near, count);
    }
    memset(finder->near, 0, count);
    finder->looked = true;
}

void sample_contact_find(SampleContactFinder *finder, Pool *pool, const BodySubstep *substep,
                         const VertexContactFinder *vertices, const Vec3 *z, bool anew,
                         Contacts *contacts) {
    SampleWork work = {.finder = finder,
                       .substep = substep,
                       .vertices = vertices,
                       .z = z,
                       .anew = anew,
                       .shortest = INFINITY};
    for (int b = 0; b < substep->body_count; ++b) {
        const Collider *body = substep->bodies[b];
        if (body) {
            work.alert = fmax(work.alert, collider_inner_shell(body) + LISTED * body->scale);
            work.sure = fmax(work.sure, work.alert + ROUNDED * body->scale);
            work.shortest = fmin(work.shortest, SHORTEST * collider_scale(body, body->least_share));
            work.depth = fmax(work.depth, DEPTH * body->scale);
        }
    }
    if (!isfinite(work.shortest)) {
        return;
    }
    int count = skin_item_count(finder->skin), dropped;
    pool_run(pool, finder->skin->vertex_count, measure_vertices, &work);
    do {
        pool_run(pool, count, sample_items, &work);
    } while (grow(finder));
    int found = slices_close(&finder->slices, finder->list, sizeof *finder->list, &dropped);
    Contact *to = contacts_extend(contacts, CONTACT_BODY, found);
    if (to && found > 0) {
        memcpy(to, finder->list, (size_t)found * sizeof *to);
    }
    contacts->dropped += dropped;
}

void sample_contact_settle(SampleContactFinder *finder) { finder->looked = false; }

void sample_contact_undo(SampleContactFinder *finder) {
    if (finder->looked) {
        memcpy(finder->near, finder->near_before, (size_t)skin_item_count(finder->skin));
        finder->looked = false;
    }
}
