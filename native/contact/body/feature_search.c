/* From the coarse to the fine: clusters of the body against a block, their features against each of its patches, then
 * against single triangles and edges; boxes four at a time in single precision, with room for what rounding takes. What is
 * left is measured. */
#include "contact/body/feature_search.h"

#include <stdlib.h>

#include "base/lists.h"
#include "geometry/bvh.h"
#include "geometry/lanes.h"

/* --- patches of the cloth --------------------------------------------------------------------- */

/* A tree over the rest shape puts neighbours next to each other; its branches of the right size are the patches. Each
 * component has trees of its own, so that its patches are those that it would have alone; many small ones share them. */

/* Components that have their own, at most. */
#define OWN_LISTS 64

/* As many halvings as make patches small enough. */
static int halvings(int items) {
    int levels = 0;
    for (int64_t width = FEATURE_PATCH; width < items; width *= 2) {
        ++levels;
    }
    return levels;
}

static int patches_of(int items) { return items > 0 ? 1 << halvings(items) : 0; }

/* The items of each component that has its own: triangles, then edges. */
typedef struct ItemLists {
    Store store;
    int count;  /* of these components, once for each kind */
    int *list;  /* items, one component after the other, first all triangles */
    int *first; /* per component and kind: its first in the list; one more */
} ItemLists;

static bool item_lists_build(ItemLists *lists, const Skin *skin) {
    int items = skin_item_count(skin), own = skin->component_count;
    int parts = own <= OWN_LISTS && own > 0 ? own : 1;
    int *key = STORE_ARRAY(&lists->store, int, items);
    lists->count = 2 * parts;
    lists->list = STORE_ARRAY(&lists->store, int, items);
    lists->first = STORE_ARRAY(&lists->store, int, lists->count + 1);
    for (int i = 0; !lists->store.failed && i < items; ++i) {
        int part = parts > 1 ? skin->component[skin_item(skin, i).v[0]] : 0;
        key[i] = part + (i < skin->triangle_count ? 0 : parts);
    }
    if (!lists->store.failed) {
        lists_group(lists->first, lists->count, key, items, lists->list);
    }
    return !lists->store.failed;
}

/* Cuts the triangles, or edges, `from` up to `from + count` of the list. */
static StatusCode cut(FeaturePatches *patches, const Skin *skin, const int *list, int from,
                      int count, Status *status) {
    Store store = {0};
    Bvh tree;
    Box *boxes = STORE_ARRAY(&store, Box, count);
    if (store.failed) {
        store_release(&store);
        return status_no_memory(status, "contacts with edges of bodies");
    }
    for (int i = 0; i < count; ++i) {
        SkinItem item = skin_item(skin, list[from + i]);
        boxes[i] = box_of_listed(skin->rest, item.v, item.corners);
    }
    StatusCode code = bvh_build(&tree, count, boxes, &store, status);
    for (int i = 0; code == STATUS_OK && i < count; ++i) {
        patches->items[from + i] = list[from + tree.order[i]];
    }
    int levels = halvings(count), made = patches_of(count);
    for (int p = 0; code == STATUS_OK && p < made; ++p) {
        int begin = (int)((count * (int64_t)p) >> levels);
        int end = (int)((count * (int64_t)(p + 1)) >> levels);
        if (p % FEATURE_BLOCK == 0) {
            patches->block_patch[patches->block_count++] = patches->count;
        }
        patches->list[patches->count++] =
            (FeaturePatch){.on_edge = list[from] >= skin->triangle_count,
                           .first = from + begin,
                           .count = end - begin};
    }
    store_release(&store);
    return code;
}

/* Lists a patch's vertices; `place` is per vertex where it is in the list, -1 while it is not. Returns how many. */
static int list_vertices(FeaturePatches *patches, const Skin *skin, FeaturePatch *patch, int begin,
                         int *place) {
    patch->vertex = begin;
    for (int i = patch->first; i < patch->first + patch->count; ++i) {
        SkinItem item = skin_item(skin, patches->items[i]);
        for (int c = 0; c < item.corners; ++c) {
            int v = item.v[c];
            if (place[v] < 0) {
                place[v] = patch->vertex_count;
                patches->vertices[begin + patch->vertex_count++] = v;
            }
            patches->corners[i][c] = (uint8_t)place[v];
        }
    }
    for (int k = 0; k < patch->vertex_count; ++k) {
        place[patches->vertices[begin + k]] = -1;
    }
    return patch->vertex_count;
}

/* The vertex of a patch that is furthest from the line through two places of the rest shape; from the first place,
 * if they are one. */
static int furthest(const FeaturePatches *patches, const FeaturePatch *patch, const Vec3 *rest,
                    Vec3 a, Vec3 b) {
    Vec3 along = vec3_unit_or(vec3_sub(b, a), vec3(0, 0, 0));
    double most = -1;
    int found = 0;
    for (int k = 0; k < patch->vertex_count; ++k) {
        Vec3 way = vec3_sub(rest[patches->vertices[patch->vertex + k]], a);
        way = vec3_madd(way, -vec3_dot(way, along), along);
        double own = vec3_dot(way, way);
        if (own > most) {
            most = own;
            found = k;
        }
    }
    return found;
}

static void choose_far(FeaturePatches *patches, FeaturePatch *patch, const Vec3 *rest) {
    const int *vertices = patches->vertices + patch->vertex;
    Vec3 any = rest[vertices[0]];
    patch->far[0] = furthest(patches, patch, rest, any, any);
    Vec3 first = rest[vertices[patch->far[0]]];
    patch->far[1] = furthest(patches, patch, rest, first, first);
    patch->far[2] = furthest(patches, patch, rest, first, rest[vertices[patch->far[1]]]);
}

/* `place` is as above. */
static void list_blocks(FeaturePatches *patches, int *place) {
    int total = 0;
    for (int b = 0; b < patches->block_count; ++b) {
        int begin = total;
        patches->block_start[b] = begin;
        for (int p = patches->block_patch[b]; p < patches->block_patch[b + 1]; ++p) {
            const FeaturePatch *patch = &patches->list[p];
            for (int k = patch->vertex; k < patch->vertex + patch->vertex_count; ++k) {
                int v = patches->vertices[k];
                if (place[v] < 0) {
                    place[v] = total;
                    patches->block_vertices[total++] = v;
                }
            }
        }
        for (int k = begin; k < total; ++k) {
            place[patches->block_vertices[k]] = -1;
        }
    }
    patches->block_start[patches->block_count] = total;
}

static void list_all(FeaturePatches *patches, const Skin *skin, int *place) {
    int total = 0;
    for (int v = 0; v < skin->vertex_count; ++v) {
        place[v] = -1;
    }
    for (int p = 0; p < patches->count; ++p) {
        FeaturePatch *patch = &patches->list[p];
        total += list_vertices(patches, skin, patch, total, place);
        choose_far(patches, patch, skin->rest);
    }
    list_blocks(patches, place);
}

static StatusCode build(FeaturePatches *patches, const Skin *skin, const ItemLists *lists,
                        Store *store, Status *status) {
    int items = skin_item_count(skin), most = 3 * skin->triangle_count + 2 * skin->edge_count;
    int blocks = 0, count = 0;
    for (int k = 0; k < lists->count; ++k) {
        int own = patches_of(lists->first[k + 1] - lists->first[k]);
        count += own;
        blocks += (own + FEATURE_BLOCK - 1) / FEATURE_BLOCK;
    }
    *patches = (FeaturePatches){.list = STORE_ARRAY(store, FeaturePatch, count),
                                .items = STORE_ARRAY(store, int, items),
                                .corners = store_take(store, (size_t)items, 3),
                                .vertices = STORE_ARRAY(store, int, most),
                                .block_patch = STORE_ARRAY(store, int, blocks + 1),
                                .block_start = STORE_ARRAY(store, int, blocks + 1),
                                .block_vertices = STORE_ARRAY(store, int, most)};
    int *place = SCRATCH_ARRAY(int, skin->vertex_count);
    StatusCode code = store->failed || !place
                          ? status_no_memory(status, "contacts with edges of bodies")
                          : STATUS_OK;
    for (int k = 0; k < lists->count && code == STATUS_OK; ++k) {
        int from = lists->first[k], own = lists->first[k + 1] - from;
        code = own > 0 ? cut(patches, skin, lists->list, from, own, status) : STATUS_OK;
    }
    if (code == STATUS_OK) {
        patches->block_patch[patches->block_count] = patches->count;
        list_all(patches, skin, place);
    }
    free(place);
    return code;
}

StatusCode feature_patches_build(FeaturePatches *patches, const Skin *skin, Store *store,
                                 Status *status) {
    ItemLists lists = {0};
    StatusCode code = item_lists_build(&lists, skin)
                          ? build(patches, skin, &lists, store, status)
                          : status_no_memory(status, "contacts with edges of bodies");
    store_release(&lists.store);
    return code;
}

/* No point of a triangle is further from all its corners than this part of its longest side; of an edge, from its ends. */
#define INNER_TRIANGLE 0.578
#define INNER_EDGE 0.5
/* Room for rounding to single precision, over the numbers that are rounded. */
#define ROUNDED_SINGLE 1e-6F
/* Squared volume of three vectors, over those of their lengths, below which rounding may have taken its sign. */
#define UNSURE 1e-10F
/* Cosine of the tilt that the slack may allow without further care, and its sine, squared; a little less. */
#define LEAST_COSINE 0.5
#define MOST_SINE 0.74F

typedef float FourAnywhere __attribute__((vector_size(4 * LANES), may_alias, aligned(4)));

/* Features of a body near a block, or a patch: boxes around them, and how sharp they are. */
#define CANDIDATES 256
typedef struct Candidates {
    _Alignas(16) float low[3][CANDIDATES];
    _Alignas(16) float high[3][CANDIDATES];
    _Alignas(16) float chord[CANDIDATES];
    _Alignas(16) float least[CANDIDATES];
    int feature[CANDIDATES];
    int count;
} Candidates;

/* Where those of a patch are: their ends, at the substep's start and end, seen from a vertex of the patch there. */
typedef struct Ends {
    Vectors at[2][2][CANDIDATES / LANES];
} Ends;

/* A patch that something may meet. */
typedef struct PatchQuery {
    const FeaturePatch *patch;
    double longest;        /* of it, m: see FeaturePairs */
    Four low, high;        /* the box around it, grown by the margin */
    float across[3];       /* about its normal, unit or zero */
    float lowest, highest; /* all of it along that, grown by the margin */
    double room, roomiest; /* of its vertices, m: the least, the most */
    double margin;         /* of its triangles or edges the most, m */
    bool large;            /* some may be too large for what vertices know */
    /* Of the edges that they are as good as where they meet the body, m; the same where the insides of edges are looked
     * at, too. */
    double length, least;
} PatchQuery;

/* A triangle or edge of the cloth in single precision. */
typedef struct Single {
    Four low, high;       /* the box around it */
    float margin, nearby; /* m: the most; of what has not passed it */
    double length, least; /* of the edges that it is as good as at most, m */
} Single;

/* A triangle or edge that something may meet. */
typedef struct Seeker {
    SkinItem item;
    double margin, approach; /* m */
    double room;             /* m; infinite: nothing can come near it */
    double length, least;    /* as above */
} Seeker;

/* What a visit writes before it reads it. */
typedef struct Scratch {
    Candidates near, nearer; /* to the block; to a patch of it */
    Ends ends;               /* of those that are nearer */
} Scratch;

typedef struct BlockVisit {
    const FeatureSearch *search;
    bool on_edge;
    PatchQuery query[FEATURE_BLOCK];
    int count;      /* of these */
    Four low, high; /* the box around all */
    int body;       /* being searched */
    const SharpFeatures *features;
    double length, least; /* of all the most */
    bool sliced;          /* their extents along their normals are known */
    Scratch *scratch;
    FeaturePairList *list;
} BlockVisit;

/* --- numbers in single precision -------------------------------------------------------------- */

static inline Four four_at(const float *from) { return *(const Four *)from; }

static inline Four four_anywhere(const float *from) { return *(const FourAnywhere *)from; }

/* Which of four boxes overlap the one from low to high. */
static inline Signs overlapping(const float *const lows[3], const float *const highs[3], int first,
                                const Four *low, const Four *high) {
    Signs all = {-1, -1, -1, -1};
    for (int axis = 0; axis < 3; ++axis) {
        all &= (four_anywhere(lows[axis] + first) <= (*high)[axis]) &
               (four_anywhere(highs[axis] + first) >= (*low)[axis]);
    }
    return all;
}

/* --- patches ---------------------------------------------------------------------------------- */

/* Vertices know nothing of what comes near the middle of a large triangle. */
static bool is_large(const FeatureSearch *search, double inner) {
    return search->substep->known && inner + search->reach > search->substep->sight;
}

static double approach_of_large(const FeatureSearch *search, const int *v, int count) {
    double most = 0;
    for (int c = 0; c < count; ++c) {
        most = fmax(most, vec3_distance(search->z[v[c]], search->substep->x[v[c]]));
    }
    return most + search->fastest;
}

static double margin_for(const FeatureSearch *search, double room, double approach) {
    return fmax(room < -search->shell ? search->reach_behind : search->reach, approach) +
           search->slack;
}

/* What is further away than this matters only if it has passed, m. What has not so far may do so within the slack, but
 * then ends no further away than slack / cosine of the tilt; see may_have_passed() for what tilts by more. */
static double nearby_of(const FeatureSearch *search, double room) {
    double reach = room < -search->shell ? search->reach_behind : search->reach;
    return fmax(reach, search->slack / LEAST_COSINE) + search->slack;
}

static double inner_part(bool on_edge) { return on_edge ? INNER_EDGE : INNER_TRIANGLE; }

/* The longest side of its triangles, or of its edges, m. */
static double span_of(const FeatureSearch *search, const FeaturePatch *patch) {
    const int *vertices = search->patches->vertices + patch->vertex;
    int corners = patch->on_edge ? 2 : 3;
    float most = 0;
    for (int i = patch->first; i < patch->first + patch->count; ++i) {
        const uint8_t *own = search->patches->corners[i];
        for (int c = 0; c < corners - (corners == 2); ++c) {
            Four side = four_at(search->at[vertices[own[c]]].lanes) -
                        four_at(search->at[vertices[own[(c + 1) % corners]]].lanes);
            side *= side;
            float squared = side[0] + side[1] + side[2];
            most = squared > most ? squared : most;
        }
    }
    return (1 + ROUNDED_SINGLE) * sqrt(most) + 2 * search->lost;
}

/* False if nothing can come near any of it. */
static bool measure_patch(const FeatureSearch *search, PatchQuery *query) {
    const FeaturePatch *patch = query->patch;
    const int *vertices = search->patches->vertices + patch->vertex;
    Four low = four_at(search->at[vertices[0]].lanes), high = low;
    Four bounds = four_at(search->bounds[vertices[0]].lanes);
    for (int k = 1; k < patch->vertex_count; ++k) {
        Four at = four_at(search->at[vertices[k]].lanes);
        low = lower(at, low);
        high = higher(at, high);
        bounds = higher(four_at(search->bounds[vertices[k]].lanes), bounds);
    }
    double approach = bounds[1];
    query->room = -bounds[0];
    query->roomiest = bounds[2];
    Four size = (high - low) * (high - low);
    double inner =
        inner_part(patch->on_edge) * (sqrt((double)size[0] + size[1] + size[2]) + 2 * search->lost);
    if (is_large(search, inner)) { /* it seems: sides may be much shorter than the box */
        inner = inner_part(patch->on_edge) * span_of(search, patch);
    }
    query->large = is_large(search, inner);
    if (query->large) {
        approach = fmax(approach, approach_of_large(search, vertices, patch->vertex_count));
    }
    query->margin = margin_for(search, query->room, approach);
    float margin = (float)query->margin * (1 + ROUNDED_SINGLE) + 2 * search->lost;
    query->low = low - margin;
    query->high = high + margin;
    return !(query->room - inner > query->margin);
}

/* How far the patch extends along its normal, and the margin around it. */
static void slice_patch(const FeatureSearch *search, PatchQuery *query) {
    const FeaturePatch *patch = query->patch;
    const int *vertices = search->patches->vertices + patch->vertex;
    Vec3 first = search->z[vertices[patch->far[0]]];
    Vec3 across =
        vec3_normal_or(vec3_sub(search->z[vertices[patch->far[1]]], first),
                       vec3_sub(search->z[vertices[patch->far[2]]], first), vec3(0, 0, 0));
    Four along = {(float)across.x, (float)across.y, (float)across.z, 0};
    query->lowest = INFINITY;
    query->highest = -INFINITY;
    for (int k = 0; k < patch->vertex_count; ++k) {
        Four parts = along * four_at(search->at[vertices[k]].lanes);
        float own = parts[0] + parts[1] + parts[2];
        query->lowest = own < query->lowest ? own : query->lowest;
        query->highest = own > query->highest ? own : query->highest;
    }
    float margin = (float)query->margin * (1 + ROUNDED_SINGLE) + 8 * search->lost;
    query->lowest -= margin;
    query->highest += margin;
    for (int axis = 0; axis < 3; ++axis) {
        query->across[axis] = along[axis];
    }
}

/* The longest edge that one of this length is as good as, m, where its corners are `room` away from all bodies: what a
 * feature pokes by under an edge grows with its square at most, and has to come further up to touch one that is further
 * away (see sharp.c). */
static double effective_length(const Collider *body, double longest, double room) {
    double poked = sharp_allowed(body), wanted = room - collider_inner_shell(body);
    return wanted > poked ? longest * sqrt(poked / wanted) : longest;
}

/* Behind a surface samples do not count: they are pushed to whichever side is nearer. */
static bool is_sampled(const FeatureSubstep *substep, double room) {
    return room >= 0 && room < substep->sampled;
}

/* For the body being searched. */
static void measure_lengths(BlockVisit *visit) {
    const FeatureSubstep *substep = visit->search->substep;
    visit->length = visit->least = 0;
    for (int k = 0; k < visit->count; ++k) {
        PatchQuery *query = &visit->query[k];
        query->length = effective_length(substep->bodies[visit->body], query->longest, query->room);
        bool sampled = is_sampled(substep, query->room) && is_sampled(substep, query->roomiest);
        query->least =
            sampled ? query->longest : fmax(query->longest, SHARP_SAMPLES * query->length);
        visit->length = fmax(visit->length, query->length);
        visit->least = fmax(visit->least, query->least);
    }
}

/* --- pairs ------------------------------------------------------------------------------------ */

static Seeker seeker_of(const BlockVisit *visit, int number) {
    const FeatureSearch *search = visit->search;
    const FeatureSubstep *substep = search->substep;
    Seeker seeker = {.item = skin_item(search->skin, number), .room = INFINITY};
    const SkinItem *item = &seeker.item;
    for (int c = 0; c < item->corners; ++c) {
        seeker.room = fmin(seeker.room, search->known[item->v[c]]);
        seeker.approach = fmax(seeker.approach, search->approach[item->v[c]]);
    }
    double inner = inner_part(visit->on_edge) * skin_item_length(item, search->z);
    if (is_large(search, inner)) {
        seeker.approach = approach_of_large(search, item->v, item->corners);
    }
    seeker.margin = margin_for(search, seeker.room, seeker.approach);
    double longest = search->longest[number];
    seeker.length = effective_length(substep->bodies[visit->body], longest, seeker.room);
    seeker.least = is_sampled(substep, seeker.room) ? longest : SHARP_SAMPLES * seeker.length;
    if (!(seeker.room - inner <= seeker.margin)) {
        seeker.room = INFINITY;
    }
    return seeker;
}

/* Measures a triangle or edge of the cloth against the feature. False if they do not count. */
static bool measure_pair(const BlockVisit *visit, const int *v, double margin, double reach,
                         FeaturePair *pair) {
    const FeatureSearch *search = visit->search;
    const Collider *body = search->substep->bodies[visit->body];
    const Sharp *sharp = search->substep->sharp[visit->body];
    const int *e = visit->on_edge ? sharp->edges[pair->feature] : &sharp->corners[pair->feature];
    FeatureCandidate both = {.margin = margin, .reach = reach};
    for (int c = 0; c < (visit->on_edge ? 2 : 3); ++c) {
        both.own[c] = search->z[v[c]];
        both.before[c] = search->substep->x[v[c]];
    }
    for (int c = 0; c < (visit->on_edge ? 2 : 1); ++c) {
        both.other[c] = body->at[1][e[c]];
        both.placed[c] = body->at[0][e[c]];
    }
    return visit->on_edge ? feature_measure_edge(&both, search->slack, pair)
                          : feature_measure_corner(&both, search->slack, pair);
}

/* `seeker` has no corners while nothing is known of it; `single` has what it has at most. */
static void try_feature(BlockVisit *visit, int number, int feature, const Single *single,
                        Seeker *seeker) {
    const FeatureSearch *search = visit->search;
    SkinItem item = skin_item(search->skin, number);
    double slack = search->slack;
    FeaturePair pair = {
        .body = visit->body, .on_edge = visit->on_edge, .cloth = item.own, .feature = feature};
    if (!(measure_pair(visit, item.v, single->margin, single->nearby - slack, &pair) &&
          feature_pair_may_meet(&pair, slack, single->margin - slack))) {
        return;
    }
    if (seeker->item.corners == 0) {
        *seeker = seeker_of(visit, number);
    }
    pair.behind = seeker->room < -search->shell;
    pair.approach = seeker->approach;
    if (!(seeker->room < INFINITY && visit->features->chord[feature] < seeker->length &&
          visit->features->least[feature] < seeker->least &&
          feature_pair_may_meet(&pair, slack, seeker->margin - slack))) {
        return;
    }
    FeaturePairList *list = visit->list;
    if (list->count < list->capacity) {
        list->pairs[list->count] = pair;
    }
    ++list->count;
    list->share.left -= WORK_LISTED;
}

/* --- query ----------------------------------------------------------------------------------- */

/* Fills the last lanes with what overlaps nothing, not even a box without an end: a margin may be more than a float holds. */
static void close_lanes(Candidates *near) {
    for (int k = near->count; k % LANES != 0; ++k) {
        near->low[0][k] = near->high[0][k] = NAN;
    }
}

static void copy_candidate(const Candidates *from, int k, Candidates *to) {
    int place = to->count++;
    for (int axis = 0; axis < 3; ++axis) {
        to->low[axis][place] = from->low[axis][k];
        to->high[axis][place] = from->high[axis][k];
    }
    to->chord[place] = from->chord[k];
    to->least[place] = from->least[k];
    to->feature[place] = from->feature[k];
}

static inline Signs overlap(const Candidates *near, int first, const Four *low, const Four *high) {
    const float *const lows[3] = {near->low[0], near->low[1], near->low[2]};
    const float *const highs[3] = {near->high[0], near->high[1], near->high[2]};
    return overlapping(lows, highs, first, low, high);
}

/* Which of four candidates poke through edges of these lengths. */
static inline Signs sharp_enough(const Candidates *near, int first, double length, double least) {
    return (four_at(near->chord + first) < (float)length * (1 + ROUNDED_SINGLE)) &
           (four_at(near->least + first) < (float)least * (1 + ROUNDED_SINGLE));
}

/* Which of four candidates are neither all above the patch nor all below it. */
static inline Signs beside(const Candidates *near, int first, const PatchQuery *query) {
    Four middle = {0}, half = {0};
    for (int axis = 0; axis < 3; ++axis) {
        Four low = four_at(near->low[axis] + first), high = four_at(near->high[axis] + first);
        float across = query->across[axis];
        middle += 0.5F * across * (low + high);
        half += 0.5F * (across < 0 ? -across : across) * (high - low);
    }
    return (middle - half <= query->highest) & (middle + half >= query->lowest);
}

/* The candidates of the block that the patch may meet. */
static void choose_candidates(BlockVisit *visit, const PatchQuery *query) {
    const Candidates *near = &visit->scratch->near;
    visit->scratch->nearer.count = 0;
    for (int first = 0; first < near->count; first += LANES) {
        Signs found = overlap(near, first, &query->low, &query->high) &
                      sharp_enough(near, first, query->length, query->least);
        if (any_lane(found)) {
            found &= beside(near, first, query);
            for (int lane = 0; lane < LANES; ++lane) {
                if (found[lane]) {
                    copy_candidate(near, first + lane, &visit->scratch->nearer);
                }
            }
        }
    }
    close_lanes(&visit->scratch->nearer);
}

/* Fills in where a patch's candidates are. */
static void place_ends(BlockVisit *visit, const PatchQuery *query) {
    const FeatureSearch *search = visit->search;
    const Collider *body = search->substep->bodies[visit->body];
    const Sharp *sharp = search->substep->sharp[visit->body];
    int vertex = search->patches->vertices[query->patch->vertex];
    Vec3 from[2] = {search->substep->x[vertex], search->z[vertex]};
    for (int k = 0; k < visit->scratch->nearer.count; ++k) {
        int feature = visit->scratch->nearer.feature[k];
        const int *e = visit->on_edge ? sharp->edges[feature] : &sharp->corners[feature];
        for (int i = 0; i < 2 * (visit->on_edge ? 2 : 1); ++i) {
            Vec3 at = vec3_sub(body->at[i % 2][e[i / 2]], from[i % 2]);
            Vectors *points = &visit->scratch->ends.at[i % 2][i / 2][k / LANES];
            points->x[k % LANES] = (float)at.x;
            points->y[k % LANES] = (float)at.y;
            points->z[k % LANES] = (float)at.z;
        }
    }
}

static inline Vectors spread_point(Vec3 at) {
    return (Vectors){in_all_lanes((float)at.x), in_all_lanes((float)at.y),
                     in_all_lanes((float)at.z)};
}

/* Which of four candidates may have passed a triangle or edge in the substep, whose corners are `own`, or tilt too much
 * to tell. */
static inline Signs may_have_passed(const BlockVisit *visit, int first, Vectors own[2][3]) {
    float slack = (float)visit->search->slack;
    Signs same = {-1, -1, -1, -1}, passed = {0};
    for (int time = 0; time < 2; ++time) {
        Vectors end = visit->scratch->ends.at[time][0][first / LANES], corner = own[time][0];
        Vectors side = vectors_less(own[time][1], corner), way = vectors_less(end, corner);
        Vectors other = vectors_less(
            visit->on_edge ? visit->scratch->ends.at[time][1][first / LANES] : own[time][2],
            visit->on_edge ? end : corner);
        Vectors normal = vectors_cross(side, other);
        Four volume = vectors_dot(normal, way), area = vectors_dot(normal, normal);
        Four longest = vectors_dot(other, other), sides = vectors_dot(side, side);
        passed |= volume * volume <= UNSURE * sides * longest * vectors_dot(way, way);
        same ^= volume > 0;
        if (!visit->on_edge) {
            Vectors last = vectors_less(side, other);
            longest = higher(longest, higher(sides, vectors_dot(last, last)));
        }
        passed |= 4 * slack * slack * longest >= MOST_SINE * area;
    }
    return passed | ~same;
}

static Single single_of(const BlockVisit *visit, const PatchQuery *query, int place) {
    const FeatureSearch *search = visit->search;
    const int *vertices = search->patches->vertices + query->patch->vertex;
    const uint8_t *corners = search->patches->corners[place];
    Single single = {.low = four_at(search->at[vertices[corners[0]]].lanes)};
    Four bounds = four_at(search->bounds[vertices[corners[0]]].lanes);
    single.high = single.low;
    for (int c = 1; c < (visit->on_edge ? 2 : 3); ++c) {
        int v = vertices[corners[c]];
        single.low = lower(four_at(search->at[v].lanes), single.low);
        single.high = higher(four_at(search->at[v].lanes), single.high);
        bounds = higher(four_at(search->bounds[v].lanes), bounds);
    }
    double room = -(double)bounds[0], nearby = nearby_of(search, room);
    double margin = query->large ? query->margin : margin_for(search, room, bounds[1]);
    single.margin = (float)margin * (1 + ROUNDED_SINGLE) + 2 * search->lost;
    single.nearby = (float)fmin(margin, nearby) * (1 + ROUNDED_SINGLE) + 2 * search->lost;
    double longest = search->longest[search->patches->items[place]];
    single.length = effective_length(search->substep->bodies[visit->body], longest, room);
    /* whether the insides of edges are looked at may be decided by rounding */
    bool sampled = is_sampled(search->substep, room) &&
                   is_sampled(search->substep, room * (1 + 4 * (double)ROUNDED_SINGLE));
    single.least = sampled ? longest : fmax(longest, SHARP_SAMPLES * single.length);
    return single;
}

/* Its corners at the substep's start and end, as place_ends() sees them. */
static void place_corners(const BlockVisit *visit, const PatchQuery *query, int place,
                          Vectors own[2][3]) {
    const FeatureSearch *search = visit->search;
    const int *vertices = search->patches->vertices + query->patch->vertex;
    for (int c = 0; c < (visit->on_edge ? 2 : 3); ++c) {
        int v = vertices[search->patches->corners[place][c]];
        own[0][c] = spread_point(vec3_sub(search->substep->x[v], search->substep->x[vertices[0]]));
        own[1][c] = spread_point(vec3_sub(search->z[v], search->z[vertices[0]]));
    }
}

/* Tries the chosen candidates on one of the patch's triangles or edges. */
static void try_item(BlockVisit *visit, const PatchQuery *query, int place) {
    const Candidates *near = &visit->scratch->nearer;
    Single single = single_of(visit, query, place);
    Four low = single.low - single.margin, high = single.high + single.margin;
    Four nearby_low = single.low - single.nearby, nearby_high = single.high + single.nearby;
    Vectors own[2][3];
    bool placed = false;
    Seeker seeker;
    seeker.item.corners = 0;
    for (int first = 0; first < near->count; first += LANES) {
        Signs found = overlap(near, first, &low, &high) &
                      sharp_enough(near, first, single.length, single.least);
        if (!any_lane(found)) {
            continue;
        }
        Signs nearby = overlap(near, first, &nearby_low, &nearby_high);
        if (any_lane(found & ~nearby)) {
            if (!placed) {
                place_corners(visit, query, place, own);
                placed = true;
            }
            found &= nearby | may_have_passed(visit, first, own);
        }
        for (int lane = 0; lane < LANES; ++lane) {
            if (found[lane]) {
                try_feature(visit, visit->search->patches->items[place],
                            near->feature[first + lane], &single, &seeker);
            }
        }
    }
}

static void try_patch(BlockVisit *visit, const PatchQuery *query) {
    const FeaturePatch *patch = query->patch;
    place_ends(visit, query);
    for (int i = patch->first; i < patch->first + patch->count; ++i) {
        try_item(visit, query, i);
    }
}

/* Tries what was found so far. */
static void try_candidates(BlockVisit *visit) {
    close_lanes(&visit->scratch->near);
    for (int k = 0; visit->scratch->near.count > 0 && k < visit->count; ++k) {
        if (!visit->sliced) {
            slice_patch(visit->search, &visit->query[k]);
        }
        choose_candidates(visit, &visit->query[k]);
        int count = visit->scratch->nearer.count;
        if (count > 0 &&
            work_share_take(&visit->list->share, (int64_t)count * visit->query[k].patch->count)) {
            try_patch(visit, &visit->query[k]);
        }
    }
    visit->sliced |= visit->scratch->near.count > 0;
    visit->scratch->near.count = 0;
}

static void add_candidate(BlockVisit *visit, int feature) {
    const SharpFeatures *features = visit->features;
    Candidates *near = &visit->scratch->near;
    int k = near->count++;
    near->feature[k] = feature;
    near->chord[k] = (float)features->chord[feature];
    near->least[k] = (float)features->least[feature];
    for (int axis = 0; axis < 3; ++axis) {
        near->low[axis][k] = features->low[axis][feature];
        near->high[axis][k] = features->high[axis][feature];
    }
    if (near->count == CANDIDATES) {
        try_candidates(visit);
    }
}

static bool visit_cluster(void *context, int cluster) {
    BlockVisit *visit = context;
    const SharpFeatures *features = visit->features;
    const float *const lows[3] = {features->low[0], features->low[1], features->low[2]};
    const float *const highs[3] = {features->high[0], features->high[1], features->high[2]};
    int end = features->first[cluster + 1];
    for (int f = features->first[cluster]; f < end && features->least[f] < visit->least;
         f += LANES) {
        Signs found = overlapping(lows, highs, f, &visit->low, &visit->high);
        for (int lane = 0; any_lane(found) && lane < LANES && f + lane < end; ++lane) {
            if (found[lane] && features->chord[f + lane] < visit->length) {
                add_candidate(visit, f + lane);
            }
        }
    }
    return visit->list->share.ended;
}

/* Which of the block's patches need a search, and their boxes. */
static void measure_block(BlockVisit *visit, int block) {
    const FeatureSearch *search = visit->search;
    const FeaturePatches *patches = search->patches;
    visit->count = 0;
    for (int p = patches->block_patch[block]; p < patches->block_patch[block + 1]; ++p) {
        PatchQuery *query = &visit->query[visit->count];
        query->patch = &patches->list[p];
        query->longest = search->longest_of_patch[p];
        if (measure_patch(search, query)) {
            visit->low = visit->count ? lower(query->low, visit->low) : query->low;
            visit->high = visit->count ? higher(query->high, visit->high) : query->high;
            ++visit->count;
        }
    }
}

void feature_search_block(const FeatureSearch *search, int block, FeaturePairList *list) {
    const FeatureSubstep *substep = search->substep;
    Scratch scratch;
    BlockVisit visit = {.search = search,
                        .list = list,
                        .on_edge =
                            search->patches->list[search->patches->block_patch[block]].on_edge,
                        .scratch = &scratch};
    scratch.near.count = 0;
    measure_block(&visit, block);
    if (visit.count == 0) {
        return;
    }
    Box box = {vec3_add(search->origin, vec3(visit.low[0], visit.low[1], visit.low[2])),
               vec3_add(search->origin, vec3(visit.high[0], visit.high[1], visit.high[2]))};
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            visit.body = b;
            visit.features = visit.on_edge ? &substep->sharp[b]->edge : &substep->sharp[b]->corner;
            measure_lengths(&visit);
            wide_bvh_visit(&substep->bodies[b]->clusters.tree, &box, visit_cluster, &visit);
            try_candidates(&visit);
        }
    }
}
