/* Candidate pairs are gathered once a substep, where the distances of vertices do not rule them out; the solver's
 * iterations only measure these again. In nearly all of them an end is nearest, which vertex_contact handles. */
#include "contact/body/feature_contact.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"
#include "geometry/distance.h"

/* --- which pairs may meet --------------------------------------------------------------------- */

/* Pairs hold for all places that vertices reach without going further than a slack from where they were expected; each
 * block keeps count of how far it has gone. */

/* Contacts are reported this far outside their shells, and pairs are kept that may come so near while vertices go on by the
 * second, m at the usual thickness: see scale.h. */
#define LISTED 0.002
#define SLACK 0.002
/* Cloth that is stretched by more than this may let an edge of a body through that its rest shape would not. */
#define STRETCHED 1.15
/* Room for rounding to single precision, over the numbers that are rounded. */
#define ROUNDED 1e-6F

/* Pairs that a block has room for at first. */
#define ROOM 32

/* --- building --------------------------------------------------------------------------------- */

static bool reserve_pairs(FeaturePairs *pairs, int count) {
    bool failed = false;
    SCRATCH_GROW(pairs->list, count, &failed);
    pairs->room = failed ? pairs->room : count;
    return !failed;
}

static void measure_lengths(FeaturePairs *pairs) {
    for (int p = 0; p < pairs->patches.count; ++p) {
        const FeaturePatch *patch = &pairs->patches.list[p];
        for (int i = patch->first; i < patch->first + patch->count; ++i) {
            int number = pairs->patches.items[i];
            SkinItem item = skin_item(pairs->skin, number);
            double longest = STRETCHED * skin_item_length(&item, pairs->skin->rest);
            pairs->longest[number] = longest;
            pairs->longest_of_patch[p] = fmax(pairs->longest_of_patch[p], longest);
            pairs->longest_of_all = fmax(pairs->longest_of_all, SHARP_SAMPLES * longest);
        }
    }
}

static StatusCode feature_pairs_build(FeaturePairs *pairs, const Skin *skin, Store *store,
                                      Status *status) {
    *pairs = (FeaturePairs){.skin = skin,
                            .work_limit.left = WORK_UNLIMITED,
                            .longest = STORE_ARRAY(store, double, skin_item_count(skin)),
                            .expected = STORE_ARRAY(store, Vec3, skin->vertex_count),
                            .known = STORE_ARRAY(store, double, skin->vertex_count),
                            .approach = STORE_ARRAY(store, double, skin->vertex_count),
                            .moved = STORE_ARRAY(store, double, skin->vertex_count),
                            .at = STORE_ARRAY(store, FeatureSingle, skin->vertex_count),
                            .bounds = STORE_ARRAY(store, FeatureSingle, skin->vertex_count)};
    StatusCode code = feature_patches_build(&pairs->patches, skin, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    int blocks = pairs->patches.block_count, room = ROOM * blocks;
    pairs->longest_of_patch = STORE_ARRAY(store, double, pairs->patches.count);
    pairs->drift = STORE_ARRAY(store, double, blocks);
    pairs->far = STORE_ARRAY(store, double, blocks);
    pairs->stale = STORE_ARRAY(store, uint8_t, blocks);
    pairs->awake_block = STORE_ARRAY(store, uint8_t, blocks);
    pairs->shares = STORE_ARRAY(store, WorkShare, blocks);
    slices_build_each(&pairs->slices, blocks, room, store);
    if (store->failed || !reserve_pairs(pairs, room ? room : 1)) {
        return status_no_memory(status, "contacts with edges of bodies");
    }
    measure_lengths(pairs);
    feature_pairs_wake(pairs, NULL);
    return STATUS_OK;
}

void feature_pairs_wake(FeaturePairs *pairs, const Subset *awake) {
    const FeaturePatches *patches = &pairs->patches;
    pairs->awake = awake;
    for (int b = 0; b < patches->block_count; ++b) {
        uint8_t any = !awake;
        for (int k = patches->block_start[b]; k < patches->block_start[b + 1] && !any; ++k) {
            any = awake->has[patches->block_vertices[k]];
        }
        pairs->awake_block[b] = any;
    }
}

/* --- what is known of vertices ---------------------------------------------------------------- */

typedef struct PairWork {
    FeaturePairs *pairs;
    FeatureSearch search;
    WorkShare share; /* of each block */
} PairWork;

/* Cloth that has a corner behind a surface, by more than an inner shell, comes out at the speed of recovery: a feature that
 * it can reach on that way within the substep has to be reported, or the cloth comes out beside it and stays pierced. What is
 * further away is reported in the substeps that follow. */
/* Up to which distance contacts are reported in a substep of this length, m and s. `behind`: see FeaturePair. */
static double feature_pairs_reach(const Collider *body, bool behind, double length) {
    double listed = behind ? fmax(LISTED, CONTACT_RECOVERY * length) : LISTED;
    return collider_inner_shell(body) + listed * body->scale;
}

static PairWork work_for(FeaturePairs *pairs, const FeatureSubstep *substep, const Vec3 *z) {
    FeatureSearch search = {.skin = pairs->skin,
                            .patches = &pairs->patches,
                            .longest = pairs->longest,
                            .longest_of_patch = pairs->longest_of_patch,
                            .known = pairs->known,
                            .approach = pairs->approach,
                            .at = pairs->at,
                            .bounds = pairs->bounds,
                            .substep = substep,
                            .z = z,
                            .slack = INFINITY};
    for (int b = 0; b < substep->body_count; ++b) {
        const Collider *body = substep->bodies[b];
        if (body && substep->sharp[b]->corner.count > 0) {
            search.reach = fmax(search.reach, feature_pairs_reach(body, false, substep->length));
            search.shell = fmax(search.shell, collider_inner_shell(body));
            search.reach_behind =
                fmax(search.reach_behind, feature_pairs_reach(body, true, substep->length));
            search.fastest = fmax(search.fastest, body->fastest);
            search.slack = fmin(search.slack, substep->once ? 0 : SLACK * body->scale);
        }
    }
    return (PairWork){.pairs = pairs, .search = search};
}

static float rounded_up(double value) { return (float)(value + ROUNDED * fabs(value)); }

/* What is known of the vertices at z. */
static void measure_vertices(void *context, int begin, int end) {
    const PairWork *work = context;
    const FeatureSubstep *substep = work->search.substep;
    FeaturePairs *pairs = work->pairs;
    for (int i = begin; i < end; ++i) {
        Vec3 z = work->search.z[i];
        pairs->expected[i] = z;
        pairs->moved[i] = 0;
        if (substep->known) {
            double moved = vec3_distance(z, substep->expected[i]);
            pairs->known[i] = substep->known[i] - moved;
            pairs->approach[i] = substep->approach[i] + moved;
        } else {
            pairs->known[i] = -INFINITY;
            pairs->approach[i] = vec3_distance(z, substep->x[i]) + work->search.fastest;
        }
        Vec3 seen = vec3_sub(z, work->search.origin);
        pairs->at[i] = (FeatureSingle){{(float)seen.x, (float)seen.y, (float)seen.z, 0}};
        pairs->bounds[i] =
            (FeatureSingle){{rounded_up(-pairs->known[i]), rounded_up(pairs->approach[i]),
                             rounded_up(pairs->known[i]), 0}};
    }
}

/* The most that margins of a vertex can be, m. */
static double margin_of_all(const PairWork *work) {
    const FeatureSearch *search = &work->search;
    double most = search->reach_behind;
    const Subset *awake = work->pairs->awake;
    for (int i = subset_first(awake); i < work->pairs->skin->vertex_count;
         i = subset_next(awake, i)) {
        double way = vec3_distance(search->z[i], search->substep->x[i]) + search->fastest;
        most = fmax(most, fmax(way, work->pairs->approach[i]));
    }
    return most + search->slack;
}

/* Sees cloth and bodies from about the middle of the cloth. */
static void place_all(PairWork *work, Pool *pool, bool anew) {
    FeatureSearch *search = &work->search;
    FeaturePairs *pairs = work->pairs;
    int count = pairs->skin->vertex_count;
    Box box = box_of_subset(search->z, pairs->awake, count);
    if (anew) {
        pairs->origin = vec3_scale(0.5, vec3_add(box.low, box.high));
    }
    search->origin = pairs->origin;
    subset_run(pairs->awake, pool, count, measure_vertices, work);
    box = box_grown(box, margin_of_all(work));
    search->lost = ROUNDED * (float)fmax(vec3_distance(box.low, pairs->origin),
                                         vec3_distance(box.high, pairs->origin));
    for (int b = 0; b < search->substep->body_count; ++b) {
        if (search->substep->bodies[b]) {
            sharp_place(search->substep->sharp[b], search->substep->bodies[b], pool, anew,
                        pairs->origin, &box);
        }
    }
}

/* --- all of them ------------------------------------------------------------------------------ */

static void fill_blocks(void *context, int begin, int end) {
    const PairWork *work = context;
    FeaturePairs *pairs = work->pairs;
    for (int b = begin; b < end; ++b) {
        if (pairs->stale[b]) {
            FeaturePairList list = {.pairs = pairs->list + pairs->slices.start[b],
                                    .capacity = slices_room(&pairs->slices, b),
                                    .share = work->share};
            feature_search_block(&work->search, b, &list);
            pairs->slices.used[b] = list.count;
            pairs->shares[b] = list.share;
        }
    }
}

/* Makes room where a slice was too small. Returns true if these have to be filled again. */
static bool grow_slices(FeaturePairs *pairs) {
    int wanted = slices_wanted(&pairs->slices);
    bool grown = wanted > 0 && reserve_pairs(pairs, wanted);
    for (int b = 0; grown && b < pairs->patches.block_count; ++b) {
        pairs->stale[b] |= pairs->slices.used[b] > slices_room(&pairs->slices, b);
    }
    if (grown) {
        slices_spread(&pairs->slices, pairs->list, sizeof *pairs->list);
    }
    return grown;
}

/* Finds the pairs of stale blocks. */
static void refill(PairWork *work, Pool *pool, bool anew) {
    FeaturePairs *pairs = work->pairs;
    int blocks = pairs->patches.block_count;
    bool widened = false;
    place_all(work, pool, anew);
    work->share = work_limit_share(&pairs->work_limit, blocks);
    for (int b = 0; b < blocks; ++b) {
        pairs->shares[b] = work->share;
    }
    do {
        pool_each(pool, blocks, fill_blocks, work);
    } while (
        grow_slices(pairs) ||
        (!widened && (widened = work_limit_widen(&pairs->work_limit, &work->share, pairs->shares,
                                                 sizeof *pairs->shares, blocks))));
    pairs->count = pairs->dropped = 0;
    for (int b = 0; b < blocks; ++b) {
        pairs->drift[b] = pairs->stale[b] ? 0.0 : pairs->drift[b];
        pairs->stale[b] = 0;
        work_limit_spend(&pairs->work_limit, &pairs->shares[b]);
        pairs->count += feature_pairs_of(pairs, b);
        pairs->dropped += pairs->slices.used[b] - feature_pairs_of(pairs, b);
    }
}

/* Those that may meet in a substep from x to about z. Where the work limit is reached, some are missing. */
static void feature_pairs_find(FeaturePairs *pairs, Pool *pool, const FeatureSubstep *substep,
                               const Vec3 *z) {
    PairWork work = work_for(pairs, substep, z);
    size_t blocks = (size_t)pairs->patches.block_count;
    if (isfinite(work.search.slack)) {
        memcpy(pairs->stale, pairs->awake_block, blocks);
        memset(pairs->slices.used, 0, blocks * sizeof *pairs->slices.used);
        refill(&work, pool, true);
    } else { /* nothing is sharp */
        memset(pairs->slices.used, 0, blocks * sizeof *pairs->slices.used);
        pairs->count = pairs->dropped = 0;
    }
}

/* Measures how far vertices have gone. */
static void track_vertices(void *context, int begin, int end) {
    const PairWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->pairs->moved[i] = vec3_distance(work->search.z[i], work->pairs->expected[i]);
    }
}

/* Finds out which blocks have gone further than pairs are kept for; returns how many. */
static double track_blocks(void *context, int begin, int end) {
    const PairWork *work = context;
    FeaturePairs *pairs = work->pairs;
    const FeaturePatches *patches = &pairs->patches;
    int far = 0;
    for (int b = begin; b < end; ++b) {
        double most = 0;
        if (!pairs->awake_block[b]) {
            continue;
        }
        for (int k = patches->block_start[b]; k < patches->block_start[b + 1]; ++k) {
            int v = patches->block_vertices[k];
            double moved = subset_has(pairs->awake, v) ? pairs->moved[v] : 0.0;
            most = moved <= most ? most : moved;
        }
        pairs->far[b] = pairs->drift[b] + most;
        pairs->stale[b] = !(pairs->far[b] <= work->search.slack);
        far += pairs->stale[b];
    }
    return far;
}

/* Later in the same substep: finds those of blocks again that have gone far, if any work is left. */
static void feature_pairs_update(FeaturePairs *pairs, Pool *pool, const FeatureSubstep *substep,
                                 const Vec3 *z) {
    PairWork work = work_for(pairs, substep, z);
    if (!isfinite(work.search.slack)) {
        return;
    }
    int blocks = pairs->patches.block_count;
    subset_run(pairs->awake, pool, pairs->skin->vertex_count, track_vertices, &work);
    if (pool_sum(pool, blocks, track_blocks, &work) > 0 &&
        work_limit_has_left(&pairs->work_limit)) {
        for (int b = 0; b < blocks; ++b) {
            pairs->drift[b] = pairs->far[b];
        }
        refill(&work, pool, false);
    }
}

/* Of the cloth's triangle or edge. */
static const int *vertices_of(const Skin *skin, const FeaturePair *pair) {
    return pair->on_edge ? skin->edges[pair->cloth] : skin->triangles[pair->cloth];
}

/* The furthest that one of the pair's vertices has gone since it was found, m. */
static double feature_pairs_moved(const FeaturePairs *pairs, int block, const FeaturePair *pair) {
    const Skin *skin = pairs->skin;
    const int *v = vertices_of(skin, pair);
    double most = fmax(pairs->moved[v[0]], pairs->moved[v[1]]);
    return pairs->drift[block] + (pair->on_edge ? most : fmax(most, pairs->moved[v[2]]));
}

/* Nearer than this to an end of a segment, as a part of it, the contact is a vertex's. */
#define END 1e-6
/* Below this distance the direction between two things says nothing, m. */
#define TOUCHING 1e-9
/* Vertices are searched for to this depth in a solid, m at the usual thickness: see scale.h. */
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
    free(finder->pairs.list);
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
    double share = contact_share(work->finder->pairs.skin->share, contact->count, contact->vertices,
                                 contact->weights);
    double scale = collider_scale(body, share), shell = share * collider_inner_shell(body);
    double out = before + CONTACT_RECOVERY * scale * work->substep->length;
    contact->shell = out < shell ? out : shell;
    contact->soft = 0.5 * shell;
    contact->range = CONTACT_GRIP_RANGE * scale;
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
    const int *v = vertices_of(skin, pair);
    return pinched && (pinched[v[0]] || pinched[v[1]] || (!pair->on_edge && pinched[v[2]]));
}

/* True if there is a contact to be reported. */
static bool make_contact(const ContactWork *work, int block, const FeaturePair *pair,
                         Contact *contact) {
    const Skin *skin = work->finder->pairs.skin;
    const int *v = vertices_of(skin, pair);
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
        SCRATCH_GROW(finder->found, finder->pairs.room, &failed);
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
