/* Pairs hold for all places that vertices reach without going further than a slack from where they were expected; each
 * block keeps count of how far it has gone. */
#include "contact/body/feature_pairs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"

/* Contacts are told this far outside their shells, and pairs are kept that may come so near while vertices go on by the
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

static bool reserve(FeaturePairs *pairs, int count) {
    bool failed = false;
    pairs->list = scratch_grow(pairs->list, (size_t)count, sizeof *pairs->list, &failed);
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

StatusCode feature_pairs_build(FeaturePairs *pairs, const Skin *skin, Store *store,
                               Status *status) {
    *pairs = (FeaturePairs){.skin = skin,
                            .effort.left = EFFORT_ENDLESS,
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
    pairs->shares = STORE_ARRAY(store, EffortShare, blocks);
    slices_build_each(&pairs->slices, blocks, room, store);
    if (store->failed || !reserve(pairs, room ? room : 1)) {
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

void feature_pairs_destroy(FeaturePairs *pairs) { free(pairs->list); }

/* --- what is known of vertices ---------------------------------------------------------------- */

typedef struct PairWork {
    FeaturePairs *pairs;
    FeatureSearch search;
    EffortShare share; /* of each block */
} PairWork;

/* Cloth that has a corner behind a surface, by more than an inner shell, comes out at the speed of recovery: a feature that
 * it can reach on that way within the substep has to be told, or the cloth comes out beside it and stays pierced. What is
 * further away is told in the substeps that follow. */
double feature_pairs_reach(const Collider *body, bool behind, double length) {
    double listed = behind ? fmax(LISTED, FEATURE_RECOVERY * length) : LISTED;
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
    bool grown = wanted > 0 && reserve(pairs, wanted);
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
    place_all(work, pool, anew);
    work->share = effort_share(&pairs->effort, blocks);
    for (int b = 0; b < blocks; ++b) {
        pairs->shares[b] = work->share;
    }
    do {
        pool_each(pool, blocks, fill_blocks, work);
    } while (grow_slices(pairs));
    pairs->count = pairs->dropped = 0;
    for (int b = 0; b < blocks; ++b) {
        pairs->drift[b] = pairs->stale[b] ? 0.0 : pairs->drift[b];
        pairs->stale[b] = 0;
        effort_spend(&pairs->effort, &work->share, &pairs->shares[b]);
        pairs->count += feature_pairs_of(pairs, b);
        pairs->dropped += pairs->slices.used[b] - feature_pairs_of(pairs, b);
    }
}

void feature_pairs_find(FeaturePairs *pairs, Pool *pool, const FeatureSubstep *substep,
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

void feature_pairs_update(FeaturePairs *pairs, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z) {
    PairWork work = work_for(pairs, substep, z);
    if (!isfinite(work.search.slack)) {
        return;
    }
    int blocks = pairs->patches.block_count;
    subset_run(pairs->awake, pool, pairs->skin->vertex_count, track_vertices, &work);
    if (pool_sum(pool, blocks, track_blocks, &work) > 0 && effort_lasts(&pairs->effort)) {
        for (int b = 0; b < blocks; ++b) {
            pairs->drift[b] = pairs->far[b];
        }
        refill(&work, pool, false);
    }
}

double feature_pairs_moved(const FeaturePairs *pairs, int block, const FeaturePair *pair) {
    const Skin *skin = pairs->skin;
    const int *v = pair->on_edge ? skin->edges[pair->cloth] : skin->triangles[pair->cloth];
    double most = fmax(pairs->moved[v[0]], pairs->moved[v[1]]);
    return pairs->drift[block] + (pair->on_edge ? most : fmax(most, pairs->moved[v[2]]));
}
