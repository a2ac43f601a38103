/* Boxes, then calmness, then distances: each test is dearer than the one before and leaves a fraction of the pairs. */
#include "contact/self/self_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"

/* Of their distance in the rest shape, what two parts of one component are to keep and from where on they are
 * looked at: a mesh finer than the thickness of its cloth must not be in contact where it lies flat. */
#define REST_SHELL 0.8
#define REST_MARGIN 0.1
/* Room for pairs that a slice has at first. */
#define SLICE_ROOM 1024

/* Room for `count` pairs; false if it cannot be had. */
static bool reserve(SelfPair **list, int *capacity, int count) {
    if (count <= *capacity) {
        return true;
    }
    bool failed = count > INT32_MAX / 2;
    int room = failed ? *capacity : count + count / 2;
    *list = failed ? *list : scratch_grow(*list, (size_t)room, sizeof **list, &failed);
    *capacity = failed ? *capacity : room;
    return !failed;
}

/* The triangles on both sides of every edge. */
static void find_sides(SelfPairs *pairs, int *seen) {
    for (int e = 0; e < pairs->links.element_count; ++e) {
        const Element *element = &pairs->links.elements[e];
        for (int k = 0; k < 3 && element->vertices[2] >= 0; ++k) {
            EdgeSides *sides = &pairs->sides[element->edges[k]];
            int count = seen[element->edges[k]]++;
            bool along = element->vertices[k] < element->vertices[(k + 1) % 3];
            if (count < 2) {
                sides->elements[count] = e;
            }
            sides->sign = count == 0   ? (along ? 1.0F : -1.0F)
                          : count == 1 ? (along ? -sides->sign : sides->sign)
                                       : 0.0F;
        }
    }
    for (int e = 0; e < pairs->skin->edge_count; ++e) {
        pairs->sides[e].sign = seen[e] == 2 ? pairs->sides[e].sign : 0.0F;
    }
}

static void measure_rest(SelfPairs *pairs) {
    const Vec3 *rest = pairs->skin->rest;
    for (int e = 0; e < pairs->links.element_count; ++e) {
        const Element *element = &pairs->links.elements[e];
        int component = pairs->skin->component[element->vertices[0]];
        pose_rest(&pairs->poses[e], element, rest);
        pairs->groups[e] = 2 * component + (element_size(element) == 2);
    }
    for (int e = 0; e < pairs->skin->edge_count; ++e) {
        const int *edge = pairs->skin->edges[e];
        pairs->lengths[e] = (float)vec3_distance(rest[edge[0]], rest[edge[1]]);
    }
}

static StatusCode plant(SelfPairs *pairs, Store *store, Status *status) {
    int count = pairs->links.element_count, edges = pairs->skin->edge_count;
    int(*corners)[3] = scratch_take((size_t)count, sizeof *corners);
    int *seen = SCRATCH_ARRAY(int, edges);
    StatusCode code = STATUS_OK;
    if (!corners || !seen) {
        code = status_no_memory(status, "the pairs of self-contact");
    } else {
        for (int e = 0; e < count; ++e) {
            const int *v = pairs->links.elements[e].vertices;
            corners[e][0] = v[0];
            corners[e][1] = v[1];
            corners[e][2] = v[2] < 0 ? v[1] : v[2];
        }
        find_sides(pairs, seen);
        code = swept_tree_build(&pairs->tree, count, (const int(*)[3])corners,
                                pairs->skin->vertex_count, pairs->skin->rest, store, status);
    }
    free(corners);
    free(seen);
    return code;
}

StatusCode self_pairs_build(SelfPairs *pairs, const Skin *skin, Store *store, Status *status) {
    *pairs = (SelfPairs){.skin = skin};
    StatusCode code = links_build(&pairs->links, skin, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    int elements = pairs->links.element_count;
    pairs->normals = STORE_ARRAY(store, Vec3, elements);
    pairs->poses = STORE_ARRAY(store, Pose, elements);
    pairs->groups = STORE_ARRAY(store, int, elements);
    pairs->awake = STORE_ARRAY(store, uint8_t, elements);
    pairs->sides = STORE_ARRAY(store, EdgeSides, skin->edge_count);
    pairs->lengths = STORE_ARRAY(store, float, skin->edge_count);
    pairs->flat = STORE_ARRAY(store, uint8_t, skin->edge_count);
    pairs->turned = STORE_ARRAY(store, uint8_t, skin->edge_count);
    pairs->z = STORE_ARRAY(store, Vec3, skin->vertex_count);
    pairs->moved = STORE_ARRAY(store, uint8_t, skin->vertex_count);
    if (store->failed) {
        return status_no_memory(status, "the pairs of self-contact");
    }
    measure_rest(pairs);
    code = plant(pairs, store, status);
    if (code == STATUS_OK) {
        int count = swept_tree_slices(&pairs->tree);
        bool failed = false;
        pairs->slices = STORE_ARRAY(store, SelfPairSlice, count);
        for (int s = 0; s < count && !store->failed; ++s) {
            failed |= !reserve(&pairs->slices[s].list, &pairs->slices[s].capacity, SLICE_ROOM);
        }
        failed |= !reserve(&pairs->list, &pairs->capacity, SLICE_ROOM * count);
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
    *pairs = (SelfPairs){0};
}

/* --- geometry --------------------------------------------------------------------------------- */

TrianglePoint element_closest(const Element *element, const Vec3 *at, Vec3 p) {
    const int *v = element->vertices;
    if (v[2] >= 0) {
        Vec3 corners[3] = {at[v[0]], at[v[1]], at[v[2]]};
        return closest_on_triangle(p, corners);
    }
    Vec3 along = vec3_sub(at[v[1]], at[v[0]]);
    double t = closest_parameter(vec3_sub(p, at[v[0]]), along);
    Vec3 point = t < 1 ? vec3_madd(at[v[0]], t, along) : at[v[1]];
    return (TrianglePoint){.point = point,
                           .weights = {1 - t, t, 0},
                           .distance = vec3_distance(p, point),
                           .feature = t <= 0   ? FEATURE_VERTEX_0
                                      : t >= 1 ? FEATURE_VERTEX_1
                                               : FEATURE_EDGE_0};
}

SegmentPair edges_closest(const int first[2], const int second[2], const Vec3 *at) {
    Vec3 a[2] = {at[first[0]], at[first[1]]}, b[2] = {at[second[0]], at[second[1]]};
    return closest_of_segments(a, b);
}

/* Both motions are even along the parts, so the most is between two of their corners. */
static double motion_between(int count, const int *first, int other_count, const int *second,
                             const Vec3 *x, const Vec3 *z) {
    double most = 0;
    for (int i = 0; i < count; ++i) {
        Vec3 moved = vec3_sub(z[first[i]], x[first[i]]);
        for (int j = 0; j < other_count; ++j) {
            Vec3 past = vec3_sub(moved, vec3_sub(z[second[j]], x[second[j]]));
            double squared = vec3_dot(past, past);
            most = squared > most ? squared : most;
        }
    }
    return sqrt(most);
}

double vertex_motion(const Element *element, int v, const Vec3 *x, const Vec3 *z) {
    return motion_between(1, &v, element_size(element), element->vertices, x, z);
}

double edges_motion(const int first[2], const int second[2], const Vec3 *x, const Vec3 *z) {
    return motion_between(2, first, 2, second, x, z);
}

bool edge_pierces(const int edge[2], const Element *triangle, Vec3 normal, const Vec3 *x,
                  double *parameter, double weights[3]) {
    const int *v = triangle->vertices;
    Vec3 a = x[edge[0]], b = x[edge[1]], corner = x[v[0]];
    double from = vec3_dot(normal, vec3_sub(a, corner)), to = vec3_dot(normal, vec3_sub(b, corner));
    if (!((from < 0 && to > 0) || (from > 0 && to < 0))) {
        return false;
    }
    *parameter = from / (from - to);
    Vec3 p = vec3_sub(vec3_madd(a, *parameter, vec3_sub(b, a)), corner);
    Vec3 u = vec3_sub(x[v[1]], corner), w = vec3_sub(x[v[2]], corner);
    double area = vec3_dot(normal, normal);
    weights[1] = vec3_dot(vec3_cross(p, w), normal) / area;
    weights[2] = vec3_dot(vec3_cross(u, p), normal) / area;
    weights[0] = 1 - weights[1] - weights[2];
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0;
}

/* --- where everything is ----------------------------------------------------------------------- */

/* Twice the area long; of a rope zero. */
static Vec3 element_normal(const Element *element, const Vec3 *at) {
    const int *v = element->vertices;
    return v[2] < 0 ? vec3(0, 0, 0)
                    : vec3_cross(vec3_sub(at[v[1]], at[v[0]]), vec3_sub(at[v[2]], at[v[0]]));
}

static void place_elements(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements[e];
        pairs->normals[e] = element_normal(element, pairs->x);
        pairs->awake[e] = 1;
        pose_place(&pairs->poses[e], element, pairs->tree.spots);
    }
}

static void move_elements(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements[e];
        const int *v = element->vertices;
        int last = v[element_size(element) - 1];
        pairs->awake[e] = pairs->moved[v[0]] | pairs->moved[v[1]] | pairs->moved[last];
        if (pairs->awake[e]) {
            pose_place(&pairs->poses[e], element, pairs->tree.spots);
        }
    }
}

/* Whether no direction has both sides of an edge bending away from it: so it is if their directions across the edge
 * nearly cancel. The sum of these is 2 - 2 cos long, squared, with the cosine of their normals. */
static void find_flat(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const EdgeSides *sides = &pairs->sides[e];
        const Pose *a = &pairs->poses[sides->elements[0]], *b = &pairs->poses[sides->elements[1]];
        bool flat = true;
        for (int time = 0; time < 2; ++time) {
            float cosine = 0;
            for (int axis = 0; axis < 3; ++axis) {
                cosine += a->normal[time][axis] * b->normal[time][axis];
            }
            flat = flat && sides->sign * cosine > (float)(1 - 2 * SELF_BEND * SELF_BEND);
        }
        pairs->turned[e] = pairs->flat[e] != flat;
        pairs->flat[e] = flat;
    }
}

/* What an edge may touch depends on whether the cloth is flat there. */
static void wake_turned(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements[e];
        for (int k = 0; k < 3; ++k) {
            pairs->awake[e] |= element->own_edges >> k & 1 && pairs->turned[element->edges[k]];
        }
    }
}

typedef float Four __attribute__((vector_size(4 * SWEPT_LANES), may_alias));
typedef int32_t Signs __attribute__((vector_size(4 * SWEPT_LANES)));

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct Search {
    const SelfPairs *pairs;
    SelfPairSlice *slice;
} Search;

static void put(Search *search, const SelfPair *pair) {
    SelfPairSlice *slice = search->slice;
    if (slice->count < slice->capacity) {
        slice->list[slice->count] = *pair;
    }
    ++slice->count;
}

static int sign_of(double value) { return (value > 0) - (value < 0); }

/* Fills shell and margin of a pair whose parts are at a distance in the rest shape, infinite if they belong to
 * different components. Returns false if they cannot come near enough. */
static bool set_shell(const SelfPairs *pairs, SelfPair *pair, double distance, double at_rest,
                      double motion) {
    double shell = pairs->thickness, margin = pairs->range;
    shell = REST_SHELL * at_rest < shell ? REST_SHELL * at_rest : shell;
    margin = REST_MARGIN * at_rest < margin ? REST_MARGIN * at_rest : margin;
    if (!(distance <= shell + margin + pairs->slack + motion)) {
        return false;
    }
    double recovered = distance + pairs->recovery * pairs->length;
    pair->shell = (float)(recovered < shell ? recovered : shell);
    pair->margin = (float)margin;
    pair->distance = nextafterf((float)distance, 0);
    return true;
}

static double reach_of(const SelfPairs *pairs) {
    return pairs->thickness + pairs->range + pairs->slack;
}

/* Beyond this distance in the rest shape it does not matter. */
static double rest_limit(const SelfPairs *pairs) {
    double shell = pairs->thickness / REST_SHELL, margin = pairs->range / REST_MARGIN;
    return shell > margin ? shell : margin;
}

/* Infinite if they belong to different components, or are far apart. */
static double vertex_at_rest(const SelfPairs *pairs, int v, int e) {
    const Element *element = &pairs->links.elements[e];
    const int *component = pairs->skin->component;
    const Pose *pose = &pairs->poses[e];
    Vec3 p = pairs->skin->rest[v];
    Vec3 way = vec3_sub(p, vec3(pose->middle[0][0], pose->middle[0][1], pose->middle[0][2]));
    double limit = rest_limit(pairs) + (double)pose->radius;
    if (component[v] != component[element->vertices[0]] ||
        vec3_dot(way, way) > 1.01 * limit * limit) {
        return INFINITY;
    }
    return element_closest(element, pairs->skin->rest, p).distance;
}

static double edges_at_rest(const SelfPairs *pairs, int first, int second) {
    const int *a = pairs->skin->edges[first], *b = pairs->skin->edges[second];
    const Vec3 *rest = pairs->skin->rest;
    double limit =
        rest_limit(pairs) + (double)pairs->lengths[first] + (double)pairs->lengths[second];
    Vec3 between = vec3_sub(rest[a[0]], rest[b[0]]);
    if (pairs->skin->component[a[0]] != pairs->skin->component[b[0]] ||
        vec3_dot(between, between) > 1.01 * limit * limit) {
        return INFINITY;
    }
    return edges_closest(a, b, rest).distance;
}

static void add_vertex_pair(Search *search, int v, int e) {
    const SelfPairs *pairs = search->pairs;
    const Element *element = &pairs->links.elements[e];
    double motion = vertex_motion(element, v, pairs->x, pairs->z);
    double distance = element_closest(element, pairs->x, pairs->x[v]).distance;
    if (!(distance <= reach_of(pairs) + motion)) {
        return;
    }
    SelfPair pair = {.first = v, .second = e, .kind = PAIR_VERTEX};
    if (set_shell(pairs, &pair, distance, vertex_at_rest(pairs, v, e), motion)) {
        Vec3 from = vec3_sub(pairs->x[v], pairs->x[element->vertices[0]]);
        pair.side = (int8_t)sign_of(vec3_dot(pairs->normals[e], from));
        put(search, &pair);
    }
}

static void add_edge_pair(Search *search, int first, int second) {
    const SelfPairs *pairs = search->pairs;
    const int *a = pairs->skin->edges[first], *b = pairs->skin->edges[second];
    const Vec3 *x = pairs->x;
    double motion = edges_motion(a, b, x, pairs->z), distance = edges_closest(a, b, x).distance;
    bool flat = pairs->flat[first] || pairs->flat[second];
    if (!(distance <= (flat ? pairs->slack : reach_of(pairs)) + motion)) {
        return;
    }
    SelfPair pair = {.first = first, .second = second, .kind = PAIR_EDGES};
    if (set_shell(pairs, &pair, distance, edges_at_rest(pairs, first, second), motion)) {
        Vec3 across = vec3_cross(vec3_sub(x[a[1]], x[a[0]]), vec3_sub(x[b[1]], x[b[0]]));
        pair.side = (int8_t)sign_of(vec3_dot(across, vec3_sub(x[a[0]], x[b[0]])));
        put(search, &pair);
    }
}

static bool has_vertex(const Element *element, int v) {
    return element->vertices[0] == v || element->vertices[1] == v || element->vertices[2] == v;
}

/* Which parts of two elements may come near, a bit each: the first one's vertices, the second one's, and each edge of the
 * first with each of the second. */
#define FIRST_VERTICES 0
#define SECOND_VERTICES 3
#define EDGES 6

static inline Four lower(Four a, Four b) {
    Signs less = a < b;
    return (Four)(((Signs)a & less) | ((Signs)b & ~less));
}

/* Likewise of an element and four others, a lane each. */
static inline Signs parts_in_reach(const SweptRooms *rooms, float reach) {
    const Four lost = *(const Four *)rooms->lost, far = lost + reach;
    Four vertices[2][6], edges[2][6]; /* at both times: of the first above, of the second below */
    for (int time = 0; time < 2; ++time) {
        Four first[3], second[3];
        for (int k = 0; k < 3; ++k) {
            first[k] = *(const Four *)rooms->first[time][k];
            second[k] = *(const Four *)rooms->second[time][k];
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

/* The parts that both elements answer for. */
static int own_parts(const Element *first, const Element *second) {
    int edges = first->own_edges, spread = (edges & 1) | (edges & 2) << 2 | (edges & 4) << 4;
    return first->own_vertices | second->own_vertices << SECOND_VERTICES |
           (spread * second->own_edges) << EDGES;
}

static void try_piercings(Search *search, const Element *element, int other) {
    const SelfPairs *pairs = search->pairs;
    const Element *triangle = &pairs->links.elements[other];
    if (triangle->vertices[2] < 0) {
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (!(element->own_edges >> k & 1)) {
            continue;
        }
        int e = element->edges[k];
        const int *edge = pairs->skin->edges[e];
        double parameter, weights[3];
        if (!has_vertex(triangle, edge[0]) && !has_vertex(triangle, edge[1]) &&
            edge_pierces(edge, triangle, pairs->normals[other], pairs->x, &parameter, weights)) {
            put(search, &(SelfPair){.first = e, .second = other, .kind = PAIR_PIERCING});
        }
    }
}

/* Edges that are flat only matter if they may cross. */
static void try_edges(Search *search, int e, int f, const SweptRooms *rooms, int lane, int part) {
    const SelfPairs *pairs = search->pairs;
    const int *a = pairs->skin->edges[e], *b = pairs->skin->edges[f];
    if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) {
        return;
    }
    float slack = (float)pairs->slack + rooms->lost[lane];
    bool apart = pairs->flat[e] || pairs->flat[f];
    for (int time = 0; time < 2 && apart; ++time) {
        int k = part / 3, l = part % 3;
        float from = rooms->first[time][k][lane], to = rooms->first[time][(k + 1) % 3][lane];
        float low = rooms->second[time][l][lane], high = rooms->second[time][(l + 1) % 3][lane];
        apart = (from < to ? from : to) - (low > high ? low : high) > slack;
    }
    if (!apart) {
        add_edge_pair(search, e < f ? e : f, e < f ? f : e);
    }
}

static void pair_elements(Search *search, const int elements[2], const SweptRooms *rooms, int lane,
                          int parts) {
    const Element *all = search->pairs->links.elements;
    const Element *first = &all[elements[0]], *second = &all[elements[1]];
    for (parts &= own_parts(first, second); parts; parts &= parts - 1) {
        int part = __builtin_ctz((unsigned)parts);
        if (part >= EDGES) {
            int e = first->edges[(part - EDGES) / 3], f = second->edges[(part - EDGES) % 3];
            try_edges(search, e, f, rooms, lane, part - EDGES);
        } else if (part >= SECOND_VERTICES) {
            int v = second->vertices[part - SECOND_VERTICES];
            if (!has_vertex(first, v)) {
                add_vertex_pair(search, v, elements[0]);
            }
        } else if (!has_vertex(second, first->vertices[part])) {
            add_vertex_pair(search, first->vertices[part], elements[1]);
        }
    }
    if (!(rooms->room[0][lane] > 0)) {
        try_piercings(search, first, elements[1]);
        try_piercings(search, second, elements[0]);
    }
}

static void visit_elements(void *context, int element, const int *others, int count) {
    Search *search = context;
    const SelfPairs *pairs = search->pairs;
    int stirring[SWEPT_BATCH + SWEPT_LANES];
    int found = poses_stirring(pairs->poses, pairs->groups, element, others, count, stirring);
    float reach = (float)reach_of(pairs);
    for (int lane = 0; lane < SWEPT_LANES; ++lane) { /* to fill up the last lanes */
        stirring[found + lane] = element;
    }
    for (int begin = 0; begin < found; begin += SWEPT_LANES) {
        SweptRooms rooms;
        swept_tree_rooms(&pairs->tree, element, stirring + begin, &rooms);
        Signs parts = parts_in_reach(&rooms, reach);
        for (int lane = 0; lane < SWEPT_LANES && begin + lane < found; ++lane) {
            if (parts[lane]) {
                const int elements[2] = {element, stirring[begin + lane]};
                pair_elements(search, elements, &rooms, lane, parts[lane]);
            }
        }
    }
}

/* --- the list --------------------------------------------------------------------------------- */

static void fill_slices(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int s = begin; s < end; ++s) {
        Search search = {pairs, &pairs->slices[s]};
        pairs->slices[s].count = 0;
        swept_tree_visit(&pairs->tree, s, visit_elements, &search);
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

/* Adds what all slices have found to the list. */
static void search_slices(SelfPairs *pairs, Pool *pool) {
    int slices = swept_tree_slices(&pairs->tree);
    do {
        pool_each(pool, slices, fill_slices, pairs);
    } while (grow_slices(pairs));
    for (int s = 0; s < slices; ++s) {
        const SelfPairSlice *slice = &pairs->slices[s];
        int count = slice->count < slice->capacity ? slice->count : slice->capacity;
        if (!reserve(&pairs->list, &pairs->capacity, pairs->count + count)) {
            count = pairs->capacity - pairs->count;
        }
        pairs->dropped += slice->count - count;
        memcpy(pairs->list + pairs->count, slice->list, (size_t)count * sizeof *pairs->list);
        pairs->count += count;
    }
}

void self_pairs_find(SelfPairs *pairs, Pool *pool, const Vec3 *x, const Vec3 *z, double thickness,
                     double slack, double length) {
    int count = pairs->skin->vertex_count;
    pairs->x = x;
    pairs->thickness = thickness;
    pairs->slack = slack;
    pairs->length = length;
    pairs->range = CONTACT_GRIP_RANGE * contact_scale(thickness, pairs->skin->mean_edge);
    pairs->recovery = SELF_RECOVERY * contact_scale(thickness, pairs->skin->mean_edge);
    pool_copy(pool, count, sizeof *z, z, pairs->z);
    swept_tree_place(&pairs->tree, pool, x, z, 0.5 * reach_of(pairs));
    pool_run(pool, pairs->links.element_count, place_elements, pairs);
    pool_run(pool, pairs->skin->edge_count, find_flat, pairs);
    pairs->count = pairs->dropped = 0;
    search_slices(pairs, pool);
}

typedef struct Update {
    SelfPairs *pairs;
    const Vec3 *z;
    Vec3 shift; /* of all from where they were expected, on average */
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
        Vec3 at = vec3_sub(update->z[v], update->shift), way = vec3_sub(at, pairs->z[v]);
        pairs->moved[v] = !(vec3_dot(way, way) <= most);
        if (pairs->moved[v]) {
            pairs->z[v] = at;
            ++count;
        }
    }
    return count;
}

/* The elements that answer for the two parts of a pair. */
static bool is_awake(const SelfPairs *pairs, const SelfPair *pair) {
    const int *vertex_owner = pairs->links.vertex_owner, *edge_owner = pairs->links.edge_owner;
    int first = pair->kind == PAIR_VERTEX ? vertex_owner[pair->first] : edge_owner[pair->first];
    int second = pair->kind == PAIR_EDGES ? edge_owner[pair->second] : pair->second;
    return pairs->awake[first] | pairs->awake[second];
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
    Update update = {.pairs = pairs, .z = z};
    double sums[3] = {0, 0, 0}, part = 1.0 / fmax(pairs->skin->vertex_count, 1);
    pool_sums(pool, pairs->skin->vertex_count, add_ways, &update, 3, sums);
    Vec3 shift = vec3(part * sums[0], part * sums[1], part * sums[2]);
    update.shift = vec3_is_finite(shift) ? shift : vec3(0, 0, 0);
    if (pool_sum(pool, pairs->skin->vertex_count, mark_moved, &update) == 0) {
        return false;
    }
    swept_tree_move(&pairs->tree, pool, pairs->z, pairs->moved);
    pool_run(pool, pairs->links.element_count, move_elements, pairs);
    pool_run(pool, pairs->skin->edge_count, find_flat, pairs);
    pool_run(pool, pairs->links.element_count, wake_turned, pairs);
    swept_tree_wake(&pairs->tree, pairs->awake);
    drop_awake(pairs);
    search_slices(pairs, pool);
    return true;
}
