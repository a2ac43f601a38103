/* Tests in order of cost: boxes, calm neighbours, distances. Each leaves a fraction of the pairs. */
#include "contact/self/self_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"
#include "geometry/swept_gaps.h"

/* Of their distance in the rest shape, what two parts of one component are to keep and from where on they are
 * looked at: a mesh finer than the thickness of its cloth must not be in contact where it lies flat. */
#define REST_SHELL 0.8
#define REST_MARGIN 0.1
/* Candidates that a slice of a mesh, about 256 elements, has at most for being modelled through each other. */
#define PIERCED_MOST 262144
/* Room for pairs that a slice has at first. */
#define SLICE_ROOM 1024
/* Of the numbers that a height above a triangle's plane is made of, what rounding may take: much, as normals of narrow
 * triangles are not precise. */
#define PLANE_LOST 4e-6F

/* Room for `count` pairs; false if it cannot be had. */
static bool reserve(SelfPair **list, int *capacity, int count) {
    *list = scratch_reserve(*list, capacity, count, sizeof **list);
    return count <= *capacity;
}

static void measure_rest(SelfPairs *pairs) {
    const Vec3 *rest = pairs->skin->rest;
    for (int e = 0; e < pairs->links.elements.count; ++e) {
        const Element *element = &pairs->links.elements.list[e];
        int component = pairs->skin->component[element->vertices[0]];
        pose_rest(&pairs->table.poses[e], pairs->table.folds[e], element, rest);
        pairs->table.poses[e].group = 2 * component + (element->corners == 2);
    }
    Box around = box_of_points(rest, pairs->skin->vertex_count);
    Vec3 middle = vec3_scale(0.5, vec3_add(around.low, around.high));
    for (int v = 0; v < pairs->skin->vertex_count; ++v) {
        Vec3 at = vec3_sub(rest[v], middle);
        pairs->rest[v][0] = (float)at.x;
        pairs->rest[v][1] = (float)at.y;
        pairs->rest[v][2] = (float)at.z;
    }
}

static bool pierces_at_rest(const SelfPairs *pairs, const Element *element, const Element *other) {
    bool pierces = false;
    for (int k = 0; k < 3 && other->corners == 3 && element->edges[k] >= 0; ++k) {
        const int *edge = pairs->skin->edges[element->edges[k]];
        double parameter, weights[3];
        pierces |= !element_has(other, edge[0]) && !element_has(other, edge[1]) &&
                   edge_pierces(edge, other, pairs->skin->rest, &parameter, weights);
    }
    return pierces;
}

/* Elements that intersect in the rest shape are no fold to keep: they have to separate. */
static bool unfold_pierced(void *context, int element, int *others, int count) {
    SelfPairs *pairs = context;
    const Element *all = pairs->links.elements.list;
    for (int i = 0; i < count; ++i) {
        if (pierces_at_rest(pairs, &all[element], &all[others[i]]) ||
            pierces_at_rest(pairs, &all[others[i]], &all[element])) {
            pairs->table.folds[element][0] = pairs->table.folds[others[i]][0] = NAN;
        }
    }
    return work_share_take(&pairs->share, count);
}

static void find_pierced(SelfPairs *pairs) {
    swept_tree_place(&pairs->tree, NULL, pairs->skin->rest, pairs->skin->rest, 0);
    for (int s = 0; s < swept_tree_slices(&pairs->tree); ++s) {
        pairs->share = (WorkShare){.left = PIERCED_MOST};
        swept_tree_visit(&pairs->tree, s, unfold_pierced, pairs);
    }
}

/* First numbers of pairs are those of vertices or edges. */
static int bucket_count(const Skin *skin) {
    return skin->vertex_count > skin->edge_count ? skin->vertex_count : skin->edge_count;
}

StatusCode self_pairs_build(SelfPairs *pairs, const Skin *skin, Store *store, Status *status) {
    *pairs = (SelfPairs){.skin = skin, .work_limit.left = WORK_UNLIMITED};
    StatusCode code = links_build(&pairs->links, skin, store, status);
    if (code == STATUS_OK) {
        code = bends_build(&pairs->bends, skin, &pairs->links, store, status);
    }
    if (code != STATUS_OK) {
        return code;
    }
    int elements = pairs->links.elements.count;
    pairs->table.poses = STORE_ARRAY(store, Pose, elements);
    pairs->table.folds = store_take(store, (size_t)elements, sizeof *pairs->table.folds);
    pairs->awake_elements = STORE_ARRAY(store, uint8_t, elements);
    pairs->rest = store_take(store, (size_t)skin->vertex_count, sizeof *pairs->rest);
    pairs->strayed = store_take(store, (size_t)skin->vertex_count, sizeof *pairs->strayed);
    pairs->z = STORE_ARRAY(store, Vec3, skin->vertex_count);
    pairs->moved = STORE_ARRAY(store, uint8_t, skin->vertex_count);
    if (store->failed) {
        return status_no_memory(status, "the pairs of self-contact");
    }
    measure_rest(pairs);
    code = elements_plant(&pairs->links.elements, skin, &pairs->tree, store, status);
    if (code == STATUS_OK) {
        find_pierced(pairs);
        int count = swept_tree_slices(&pairs->tree);
        bool failed = false;
        pairs->slices = STORE_ARRAY(store, SelfPairSlice, count);
        for (int s = 0; s < count && !store->failed; ++s) {
            failed |= !reserve(&pairs->slices[s].list, &pairs->slices[s].capacity, SLICE_ROOM);
        }
        failed |= !reserve(&pairs->list, &pairs->capacity, SLICE_ROOM * count);
        if (skin->component_count > 1) {
            failed |= !reserve(&pairs->sorted, &pairs->sorted_capacity, SLICE_ROOM * count);
            pairs->bucket = STORE_ARRAY(store, int, bucket_count(skin) + 1);
        }
        if (store->failed || failed) {
            code = status_no_memory(status, "the pairs of self-contact");
        }
    }
    return code;
}

void self_pairs_destroy(SelfPairs *pairs) {
    for (int s = 0; pairs->slices && s < swept_tree_slices(&pairs->tree); ++s) {
        free(pairs->slices[s].list);
    }
    free(pairs->list);
    free(pairs->sorted);
    *pairs = (SelfPairs){0};
}

/* --- where everything is ----------------------------------------------------------------------- */

static void place_elements(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements.list[e];
        pairs->awake_elements[e] = subset_has(pairs->awake, element->vertices[0]);
        if (!pairs->awake_elements[e]) {
            continue;
        }
        pose_place(&pairs->table.poses[e], pairs->table.folds[e], element, pairs->tree.spots);
    }
}

static void move_elements(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements.list[e];
        const int *v = element->vertices;
        pairs->awake_elements[e] = pairs->moved[v[0]] | pairs->moved[v[1]] | pairs->moved[v[2]];
        if (pairs->awake_elements[e]) {
            pose_place(&pairs->table.poses[e], pairs->table.folds[e], element, pairs->tree.spots);
        }
    }
}

static void find_bends(SelfPairs *pairs, Pool *pool) {
    pairs->bends.awake = pairs->awake;
    bends_find(&pairs->bends, pool, pairs->table.poses, pairs->tree.spots);
    swept_tree_settle(&pairs->tree, pool, SWEPT_RINGS, pairs->bends.all_quiet);
}

/* What an edge may touch depends on whether the cloth is flat there. */
static void wake_turned(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements.list[e];
        for (int k = 0; k < 3; ++k) {
            pairs->awake_elements[e] |=
                element->own_edges >> k & 1 && pairs->bends.turned[element->edges[k]];
        }
    }
}

/* --- pairs ------------------------------------------------------------------------------------ */

/* Parts that wait until there are four of them. */
typedef struct PairBatch {
    int count;
    int parts[LANES][2];
    FourPairs four;
} PairBatch;

typedef struct Search {
    const SelfPairs *pairs;
    SelfPairSlice *slice;
    PairBatch vertices, edges;
} Search;

static void put(Search *search, const SelfPair *pair) {
    SelfPairSlice *slice = search->slice;
    if (slice->count < slice->capacity) {
        slice->list[slice->count] = *pair;
    }
    ++slice->count;
    slice->share.left -= WORK_LISTED;
}

/* Of parts of such a distance, at x and in the rest shape. */
static double shell_of(const SelfPairs *pairs, double distance, double at_rest, double share) {
    double shell = share * pairs->thickness;
    double recovered = distance + self_pairs_scaled(pairs, share, pairs->recovery) * pairs->length;
    shell = REST_SHELL * at_rest < shell ? REST_SHELL * at_rest : shell;
    return recovered < shell ? recovered : shell;
}

/* Fills in a pair of such a distance, at the start and in the rest shape, whose parts move past each other, and lists it
 * if they can come near enough. */
static void put_near(Search *search, SelfPair *pair, double distance, double at_rest, double motion,
                     double share) {
    const SelfPairs *pairs = search->pairs;
    double shell = shell_of(pairs, distance, at_rest, share), margin = pairs->range;
    margin = REST_MARGIN * at_rest < margin ? REST_MARGIN * at_rest : margin;
    double room = distance - motion - shell - margin;
    if (room <= pairs->slack) {
        pair->shell = (float)shell;
        pair->margin = (float)margin;
        pair->distance = (float)distance;
        pair->room = (1 - LANES_ROUNDED) * (float)room;
        put(search, pair);
    }
}

static double reach_of(const SelfPairs *pairs) {
    return pairs->thickness + pairs->range + pairs->slack;
}

/* The most that two parts keep of the thickness; `split` vertices are the first one's. */
static double most_share(const SelfPairs *pairs, const int vertices[4], int split) {
    const double *share = pairs->skin->share;
    double most[2] = {0, 0};
    for (int k = 0; share && k < 4; ++k) {
        most[k >= split] = fmax(most[k >= split], share[vertices[k]]);
    }
    return share ? 0.5 * (most[0] + most[1]) : 1.0;
}

/* Looks at what waits: which is far apart, and how far it is in the rest shape. */
static void settle(Search *search, PairBatch *batch, PairKind kind) {
    const SelfPairs *pairs = search->pairs;
    const int *component = pairs->skin->component;
    const FourPairs *four = &batch->four;
    bool edges = kind == PAIR_EDGES;
    for (int lane = batch->count; lane < LANES; ++lane) {
        memcpy(batch->four.vertices[lane], four->vertices[0], sizeof four->vertices[0]);
    }
    Four motion = motions_past(four, pairs->tree.spots, edges ? 2 : 1);
    Four distance = edges ? edge_distances(four, pairs->tree.spots->at[0], 8)
                          : vertex_distances(four, pairs->tree.spots->at[0], 8);
    Four at_rest =
        edges ? edge_distances(four, *pairs->rest, 4) : vertex_distances(four, *pairs->rest, 4);
    for (int lane = 0; lane < batch->count; ++lane) {
        int first = batch->parts[lane][0], second = batch->parts[lane][1];
        const int *v = four->vertices[lane];
        bool flat = edges && (pairs->bends.flat[first] || pairs->bends.flat[second]);
        double limit = (flat ? pairs->slack : reach_of(pairs)) + (double)motion[lane];
        if ((double)distance[lane] <= limit) {
            double rest = component[v[0]] == component[v[3]] ? (double)at_rest[lane] : INFINITY;
            SelfPair pair = {.first = first, .second = second, .kind = (int8_t)kind};
            put_near(search, &pair, (double)distance[lane], rest, (double)motion[lane],
                     most_share(pairs, v, edges ? 2 : 1));
        }
    }
    batch->count = 0;
}

static void add_vertex_pair(Search *search, int v, int e) {
    const int *corners = search->pairs->tree.corners[e];
    PairBatch *batch = &search->vertices;
    int lane = batch->count++, vertices[4] = {v, corners[0], corners[1], corners[2]};
    batch->parts[lane][0] = v;
    batch->parts[lane][1] = e;
    memcpy(batch->four.vertices[lane], vertices, sizeof vertices);
    if (batch->count == LANES) {
        settle(search, batch, PAIR_VERTEX);
    }
}

static void add_edge_pair(Search *search, int first, int second) {
    const int *a = search->pairs->skin->edges[first], *b = search->pairs->skin->edges[second];
    PairBatch *batch = &search->edges;
    int lane = batch->count++, vertices[4] = {a[0], a[1], b[0], b[1]};
    batch->parts[lane][0] = first;
    batch->parts[lane][1] = second;
    memcpy(batch->four.vertices[lane], vertices, sizeof vertices);
    if (batch->count == LANES) {
        settle(search, batch, PAIR_EDGES);
    }
}

/* Which parts of two elements may come near, a bit each: the first one's vertices, the second one's, and each edge of the
 * first with each of the second. */
#define FIRST_VERTICES 0
#define SECOND_VERTICES 3
#define EDGES 6

/* Likewise of an element and four others, a lane each. */
static inline Signs parts_in_reach(const SweptSeparations *separations, float reach) {
    const Four lost = *(const Four *)separations->lost, far = lost + reach;
    Four vertices[2][6], edges[2][6]; /* at both times: of the first above, of the second below */
    for (int time = 0; time < 2; ++time) {
        Four first[3], second[3];
        for (int k = 0; k < 3; ++k) {
            first[k] = *(const Four *)separations->first[time][k];
            second[k] = *(const Four *)separations->second[time][k];
        }
        for (int k = 0; k < 3; ++k) {
            Four beyond = second[(k + 1) % 3], before = first[(k + 1) % 3];
            edges[time][k] = lower(first[k], before);
            edges[time][3 + k] = -lower(-second[k], -beyond);
        }
        Four low = lower(edges[time][0], first[2]);
        Four high = -lower(-edges[time][3], -second[2]);
        for (int k = 0; k < 3; ++k) {
            vertices[time][FIRST_VERTICES + k] = first[k] - high;
            vertices[time][SECOND_VERTICES + k] = low - second[k];
        }
    }
    Signs parts = {0};
    for (int k = 0; k < 6; ++k) {
        parts |= ~((vertices[0][k] > far) & (vertices[1][k] > far)) & (1 << k);
    }
    for (int k = 0; k < 9; ++k) {
        Four start = edges[0][k / 3] - edges[0][3 + k % 3];
        Four end = edges[1][k / 3] - edges[1][3 + k % 3];
        parts |= ~((start > far) & (end > far)) & (1 << (EDGES + k));
    }
    return parts;
}

/* The parts that belong to the two elements. */
static int own_parts(const Element *first, const Element *second) {
    int edges = first->own_edges, spread = (edges & 1) | (edges & 2) << 2 | (edges & 4) << 4;
    return first->own_vertices | second->own_vertices << SECOND_VERTICES |
           (spread * second->own_edges) << EDGES;
}

/* Whether an element is on one side of a triangle at the start. */
static bool is_on_one_side(const SelfPairs *pairs, const Element *element, const Pose *triangle) {
    const float *normal = triangle->normal[0], *middle = triangle->middle[1];
    float low = INFINITY, high = -INFINITY, lost = 0;
    for (int k = 0; k < 3; ++k) {
        const float *at = pairs->tree.spots[element->vertices[k]].at[0];
        float height = 0;
        for (int axis = 0; axis < 3; ++axis) {
            height += normal[axis] * (at[axis] - middle[axis]);
            lost += fabsf(at[axis]) + fabsf(middle[axis]);
        }
        low = height < low ? height : low;
        high = height > high ? height : high;
    }
    return low > PLANE_LOST * lost || high < -PLANE_LOST * lost;
}

static void try_piercings(Search *search, const Element *element, int other) {
    const SelfPairs *pairs = search->pairs;
    const Element *triangle = &pairs->links.elements.list[other];
    if (triangle->corners == 2 || is_on_one_side(pairs, element, &pairs->table.poses[other])) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (!(element->own_edges >> k & 1)) {
            continue;
        }
        int e = element->edges[k];
        const int *edge = pairs->skin->edges[e];
        double parameter, weights[3];
        if (!element_has(triangle, edge[0]) && !element_has(triangle, edge[1]) &&
            edge_pierces(edge, triangle, pairs->x, &parameter, weights)) {
            put(search, &(SelfPair){.first = e, .second = other, .kind = PAIR_PIERCING});
        }
    }
}

static bool is_suspect(const SelfPairs *pairs, int element) {
    const int *v = pairs->tree.corners[element];
    return !pairs->suspects ||
           pairs->suspects[v[0]] | pairs->suspects[v[1]] | pairs->suspects[v[2]];
}

/* Edges that are flat only matter if they may cross. */
static void try_edges(Search *search, int e, int f, const SweptSeparations *separations, int lane,
                      int part) {
    const SelfPairs *pairs = search->pairs;
    const int *a = pairs->skin->edges[e], *b = pairs->skin->edges[f];
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) {
        return;
    }
    float slack = (float)pairs->slack + separations->lost[lane];
    bool apart = pairs->bends.flat[e] || pairs->bends.flat[f];
    for (int time = 0; time < 2 && apart; ++time) {
        int k = part / 3, l = part % 3;
        float from = separations->first[time][k][lane],
              to = separations->first[time][(k + 1) % 3][lane];
        float low = separations->second[time][l][lane],
              high = separations->second[time][(l + 1) % 3][lane];
        apart = (from < to ? from : to) - (low > high ? low : high) > slack;
    }
    if (!apart) {
        add_edge_pair(search, e < f ? e : f, e < f ? f : e);
    }
}

static void pair_elements(Search *search, const int elements[2],
                          const SweptSeparations *separations, int lane, int parts) {
    const Element *all = search->pairs->links.elements.list;
    const Element *first = &all[elements[0]], *second = &all[elements[1]];
    for (parts &= own_parts(first, second); parts; parts &= parts - 1) {
        int part = __builtin_ctz((unsigned)parts);
        if (part >= EDGES) {
            int e = first->edges[(part - EDGES) / 3], f = second->edges[(part - EDGES) % 3];
            try_edges(search, e, f, separations, lane, part - EDGES);
        } else if (part >= SECOND_VERTICES) {
            int v = second->vertices[part - SECOND_VERTICES];
            if (!element_has(first, v)) {
                add_vertex_pair(search, v, elements[0]);
            }
        } else if (!element_has(second, first->vertices[part])) {
            add_vertex_pair(search, first->vertices[part], elements[1]);
        }
    }
    if (!(separations->separation[0][lane] > 0) && is_suspect(search->pairs, elements[0]) &&
        is_suspect(search->pairs, elements[1])) {
        try_piercings(search, first, elements[1]);
        try_piercings(search, second, elements[0]);
    }
}

static bool visit_elements(void *context, int element, int *others, int count) {
    Search *search = context;
    const SelfPairs *pairs = search->pairs;
    if (!work_share_take(&search->slice->share, count)) {
        return false;
    }
    int disturbed[SWEPT_BATCH + 2 * SWEPT_LANES];
    int found = poses_disturbed(&pairs->table, element, others, count, disturbed);
    float reach = (float)reach_of(pairs);
    for (int lane = 0; lane < SWEPT_LANES; ++lane) { /* to fill up the last lanes */
        disturbed[found + lane] = element;
    }
    for (int begin = 0; begin < found; begin += SWEPT_LANES) {
        SweptSeparations separations;
        swept_tree_separations(&pairs->tree, element, disturbed + begin, &separations);
        Signs parts = parts_in_reach(&separations, reach);
        for (int lane = 0; lane < SWEPT_LANES && begin + lane < found; ++lane) {
            if (parts[lane]) {
                const int elements[2] = {element, disturbed[begin + lane]};
                if (!skin_is_sewn(pairs->skin, pairs->tree.corners[element],
                                  pairs->tree.corners[elements[1]])) {
                    pair_elements(search, elements, &separations, lane, parts[lane]);
                }
            }
        }
    }
    return true;
}

/* --- the list --------------------------------------------------------------------------------- */

static void fill_slices(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int s = begin; s < end; ++s) {
        Search search = {.pairs = pairs, .slice = &pairs->slices[s]};
        pairs->slices[s].count = 0;
        pairs->slices[s].share = pairs->share;
        swept_tree_visit(&pairs->tree, s, visit_elements, &search);
        settle(&search, &search.vertices, PAIR_VERTEX);
        settle(&search, &search.edges, PAIR_EDGES);
    }
}

/* Makes room where a slice was too small. Returns true if the slices have to be filled again. */
static bool grow_slices(SelfPairs *pairs) {
    bool again = false;
    for (int s = 0; s < swept_tree_slices(&pairs->tree); ++s) {
        SelfPairSlice *slice = &pairs->slices[s];
        again |=
            slice->count > slice->capacity && reserve(&slice->list, &slice->capacity, slice->count);
    }
    return again;
}

/* --- the order -------------------------------------------------------------------------------- */

/* The tree lists pairs in an order that depends on all components of the cloth. By their numbers they come in one that does
 * not. */

static bool comes_before(const SelfPair *a, const SelfPair *b) {
    return a->second != b->second ? a->second < b->second : a->kind < b->kind;
}

/* Puts a bucket in order: a few pairs, by insertion. */
static void sort_bucket(SelfPair *pair, int count) {
    for (int i = 1; i < count; ++i) {
        SelfPair own = pair[i];
        int at = i;
        for (; at > 0 && comes_before(&own, &pair[at - 1]); --at) {
            pair[at] = pair[at - 1];
        }
        pair[at] = own;
    }
}

/* By their first numbers into buckets, and these by their second. Without room all are dropped. */
static void sort_pairs(SelfPairs *pairs) {
    int *bucket = pairs->bucket, buckets = bucket_count(pairs->skin);
    if (!bucket) {
        return;
    }
    if (!reserve(&pairs->sorted, &pairs->sorted_capacity, pairs->count)) {
        pairs->dropped += pairs->count;
        pairs->count = 0;
        return;
    }
    memset(bucket, 0, (size_t)(buckets + 1) * sizeof *bucket);
    for (int i = 0; i < pairs->count; ++i) {
        ++bucket[pairs->list[i].first + 1];
    }
    for (int b = 0; b < buckets; ++b) {
        bucket[b + 1] += bucket[b];
    }
    for (int i = 0; i < pairs->count; ++i) {
        pairs->sorted[bucket[pairs->list[i].first]++] = pairs->list[i];
    }
    for (int b = 0, begin = 0; b < buckets; begin = bucket[b++]) {
        sort_bucket(pairs->sorted + begin, bucket[b] - begin);
    }
    memcpy(pairs->list, pairs->sorted, (size_t)pairs->count * sizeof *pairs->list);
}

/* Adds what all slices have found to the list. */
static void search_slices(SelfPairs *pairs, Pool *pool) {
    int slices = swept_tree_slices(&pairs->tree);
    bool widened = false;
    pairs->share = work_limit_share(&pairs->work_limit, slices);
    do {
        pool_each(pool, slices, fill_slices, pairs);
    } while (grow_slices(pairs) ||
             (!widened &&
              (widened = work_limit_widen(&pairs->work_limit, &pairs->share, &pairs->slices->share,
                                          sizeof *pairs->slices, slices))));
    for (int s = 0; s < slices; ++s) {
        const SelfPairSlice *slice = &pairs->slices[s];
        work_limit_spend(&pairs->work_limit, &slice->share);
        int count = slice->count < slice->capacity ? slice->count : slice->capacity;
        if (!reserve(&pairs->list, &pairs->capacity, pairs->count + count)) {
            count = pairs->capacity - pairs->count;
        }
        pairs->dropped += slice->count - count;
        memcpy(pairs->list + pairs->count, slice->list, (size_t)count * sizeof *pairs->list);
        pairs->count += count;
    }
    sort_pairs(pairs);
}

void self_pairs_find(SelfPairs *pairs, Pool *pool, const Vec3 *x, const uint8_t *suspects,
                     const Vec3 *z, double thickness, double slack, double length) {
    int count = pairs->skin->vertex_count;
    pairs->x = x;
    pairs->suspects = suspects;
    pairs->thickness = thickness;
    pairs->slack = slack;
    pairs->length = length;
    pairs->shift = vec3(0, 0, 0);
    pairs->range = CONTACT_GRIP_RANGE * contact_scale(thickness, pairs->skin->mean_edge);
    pairs->recovery = SELF_RECOVERY * contact_scale(thickness, pairs->skin->mean_edge);
    pairs->edge_share =
        contact_scale(0, pairs->skin->mean_edge) / contact_scale(thickness, pairs->skin->mean_edge);
    subset_copy(pairs->awake, pool, count, sizeof *z, z, pairs->z);
    memset(pairs->moved, 0, (size_t)count);
    pairs->tree.vertices = pairs->awake;
    swept_tree_place(&pairs->tree, pool, x, z, 0.5 * reach_of(pairs));
    pool_run(pool, pairs->links.elements.count, place_elements, pairs);
    find_bends(pairs, pool);
    pairs->count = pairs->dropped = 0;
    search_slices(pairs, pool);
}

typedef struct Update {
    SelfPairs *pairs;
    const Vec3 *z;
} Update;

static void add_ways(void *context, int begin, int end, double *sums) {
    const Update *update = context;
    for (int v = begin; v < end; ++v) {
        Vec3 way = vec3_sub(update->z[v], update->pairs->z[v]);
        sums[0] += way.x;
        sums[1] += way.y;
        sums[2] += way.z;
    }
}

/* Marks what has gone further than half the slack, beside what all have gone; returns how many there are. */
static double mark_moved(void *context, int begin, int end) {
    const Update *update = context;
    SelfPairs *pairs = update->pairs;
    double most = 0.25 * pairs->slack * pairs->slack, count = 0;
    for (int v = begin; v < end; ++v) {
        Vec3 at = vec3_sub(update->z[v], pairs->shift), way = vec3_sub(at, pairs->z[v]);
        pairs->moved[v] = !(vec3_dot(way, way) <= most);
        if (pairs->moved[v]) {
            pairs->z[v] = at;
            ++count;
        }
    }
    return count;
}

/* The elements to which the two parts of a pair belong. */
static bool is_awake(const SelfPairs *pairs, const SelfPair *pair) {
    const int *vertex_owner = pairs->links.elements.vertex_owner,
              *edge_owner = pairs->links.elements.edge_owner;
    int first = pair->kind == PAIR_VERTEX ? vertex_owner[pair->first] : edge_owner[pair->first];
    int second = pair->kind == PAIR_EDGES ? edge_owner[pair->second] : pair->second;
    return pairs->awake_elements[first] | pairs->awake_elements[second];
}

static void drop_awake(SelfPairs *pairs) {
    int kept = 0;
    for (int i = 0; i < pairs->count; ++i) {
        if (!is_awake(pairs, &pairs->list[i])) {
            pairs->list[kept++] = pairs->list[i];
        }
    }
    pairs->count = kept;
}

bool self_pairs_update(SelfPairs *pairs, Pool *pool, const Vec3 *z) {
    if (!work_limit_has_left(&pairs->work_limit)) {
        return false;
    }
    Update update = {.pairs = pairs, .z = z};
    double sums[3] = {0, 0, 0},
           part = 1.0 / fmax(subset_count(pairs->awake, pairs->skin->vertex_count), 1);
    subset_sums(pairs->awake, pool, pairs->skin->vertex_count, add_ways, &update, 3, sums);
    Vec3 shift = vec3(part * sums[0], part * sums[1], part * sums[2]);
    pairs->shift = vec3_is_finite(shift) ? shift : vec3(0, 0, 0);
    if (subset_sum(pairs->awake, pool, pairs->skin->vertex_count, mark_moved, &update) == 0) {
        return false;
    }
    swept_tree_move(&pairs->tree, pool, pairs->z, pairs->moved);
    pool_run(pool, pairs->links.elements.count, move_elements, pairs);
    find_bends(pairs, pool);
    pool_run(pool, pairs->links.elements.count, wake_turned, pairs);
    swept_tree_wake(&pairs->tree, pairs->awake_elements);
    drop_awake(pairs);
    search_slices(pairs, pool);
    return true;
}

/* --- straying --------------------------------------------------------------------------------- */

static double find_strayed(void *context, int begin, int end) {
    const Update *update = context;
    SelfPairs *pairs = update->pairs;
    double count = 0;
    for (int v = begin; v < end; ++v) {
        Vec3 way = vec3_sub(vec3_sub(update->z[v], pairs->shift), pairs->z[v]);
        float *strayed = pairs->strayed[v];
        strayed[0] = (float)way.x;
        strayed[1] = (float)way.y;
        strayed[2] = (float)way.z;
        strayed[3] = (1 + LANES_ROUNDED) * (float)vec3_length(way);
        count += !(strayed[3] == 0);
    }
    return count;
}

void self_pairs_stray(SelfPairs *pairs, Pool *pool, const Vec3 *z) {
    Update update = {.pairs = pairs, .z = z};
    double count = subset_sum(pairs->awake, pool, pairs->skin->vertex_count, find_strayed, &update);
    pairs->astray = count > 0;
}

static float largest(float a, float b) { return a > b ? a : b; }

static float way_past(const float *a, const float *b) {
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

int self_pair_vertices(const SelfPairs *pairs, const SelfPair *pair, int vertices[4]) {
    if (pair->kind == PAIR_VERTEX) {
        vertices[0] = pair->first;
        memcpy(vertices + 1, pairs->tree.corners[pair->second], 3 * sizeof *vertices);
        return 1;
    }
    memcpy(vertices, pairs->skin->edges[pair->first], 2 * sizeof *vertices);
    memcpy(vertices + 2, pairs->skin->edges[pair->second], 2 * sizeof *vertices);
    return 2;
}

float self_pair_strayed(const SelfPairs *pairs, const SelfPair *pair) {
    int v[4], split = self_pair_vertices(pairs, pair, v);
    float most = 0;
    for (int i = 0; i < split; ++i) {
        for (int j = split; j < 4; ++j) {
            most = largest(most, way_past(pairs->strayed[v[i]], pairs->strayed[v[j]]));
        }
    }
    return (1 + LANES_ROUNDED) * sqrtf(most);
}

bool self_pair_stays_clear(const SelfPairs *pairs, const SelfPair *pair) {
    if (!(pair->room > 0) || !pairs->astray) {
        return pair->room > 0;
    }
    const float(*strayed)[4] = (const float(*)[4])pairs->strayed;
    int v[4], split = self_pair_vertices(pairs, pair, v);
    float first = strayed[v[0]][3], second = strayed[v[3]][3];
    first = split == 2 ? largest(first, strayed[v[1]][3]) : first;
    second = largest(second, strayed[v[2]][3]);
    second = split == 1 ? largest(second, strayed[v[1]][3]) : second;
    return pair->room > first + second || pair->room > self_pair_strayed(pairs, pair);
}

double self_pair_shell(const SelfPairs *pairs, const SelfPair *pair, double share) {
    const int *component = pairs->skin->component;
    const Vec3 *at[2] = {pairs->x, pairs->skin->rest};
    int v[4];
    double distance[2];
    self_pair_vertices(pairs, pair, v);
    for (int k = 0; k < 2; ++k) {
        distance[k] = pair->kind == PAIR_VERTEX
                          ? element_closest(&pairs->links.elements.list[pair->second], at[k],
                                            at[k][pair->first])
                                .distance
                          : edges_closest(v, v + 2, at[k]).distance;
    }
    return shell_of(pairs, distance[0], component[v[0]] == component[v[3]] ? distance[1] : INFINITY,
                    share);
}
