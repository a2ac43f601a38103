/* Boxes, then calmness, then distances: each test is dearer than the one before and leaves a fraction of the pairs. */
#include "contact/self/self_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "contact/scale.h"

/* Of their distance in the rest shape, what two parts of one component are to keep and from where on they are
 * looked at: a mesh finer than the thickness of its cloth must not be in contact where it lies flat. */
#define REST_SHELL 0.8
#define REST_MARGIN 0.1
/* Neighbours on the surface are calm if their middles keep this part of their distance at rest, squared,
 * their normals differ by less than this cosine, and neither has grown by more than this. */
#define CALM_DISTANCE 0.85f
#define CALM_TURN 0.7f
#define CALM_STRETCH 1.25
/* Room for pairs that a slice gets beyond what it needed, and each vertex at first. */
#define SLICE_SPARE 64
#define PAIRS_A_VERTEX 4

static void set_middle(float *middle, const Element *element, const Vec3 *at) {
    int size = element_size(element);
    Vec3 sum = vec3_add(at[element->vertices[0]], at[element->vertices[1]]);
    sum = vec3_scale(1.0 / size, size > 2 ? vec3_add(sum, at[element->vertices[2]]) : sum);
    middle[0] = (float)sum.x;
    middle[1] = (float)sum.y;
    middle[2] = (float)sum.z;
}

/* Boxes, middles and lengths in the rest shape. */
static void measure_rest(SelfPairs *pairs) {
    const Vec3 *rest = pairs->skin->rest;
    for (int e = 0; e < pairs->links.element_count; ++e) {
        const Element *element = &pairs->links.elements[e];
        Pose *pose = &pairs->poses[e];
        set_middle(pose->middle[0], element, rest);
        Vec3 middle = vec3(pose->middle[0][0], pose->middle[0][1], pose->middle[0][2]);
        pairs->element_boxes[e] = box_of_listed(rest, element->vertices, element_size(element));
        for (int k = 0; k < element_size(element); ++k) {
            Vec3 corner = rest[element->vertices[k]];
            float distance = (float)vec3_distance(corner, middle);
            pose->radius = distance > pose->radius ? distance : pose->radius;
        }
    }
    for (int e = 0; e < pairs->skin->edge_count; ++e) {
        const int *edge = pairs->skin->edges[e];
        pairs->lengths[e] = (float)vec3_distance(rest[edge[0]], rest[edge[1]]);
    }
}

StatusCode self_pairs_build(SelfPairs *pairs, const Skin *skin, Store *store, Status *status) {
    *pairs = (SelfPairs){.skin = skin};
    StatusCode code = links_build(&pairs->links, skin, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    int elements = pairs->links.element_count;
    pairs->vertex_boxes = STORE_ARRAY(store, Box, skin->vertex_count);
    pairs->edge_boxes = STORE_ARRAY(store, Box, skin->edge_count);
    pairs->element_boxes = STORE_ARRAY(store, Box, elements);
    pairs->normals = STORE_ARRAY(store, Vec3, elements);
    pairs->poses = STORE_ARRAY(store, Pose, elements);
    pairs->lengths = STORE_ARRAY(store, float, skin->edge_count);
    pairs->flat = STORE_ARRAY(store, uint8_t, skin->edge_count);
    if (store->failed) {
        return status_no_memory(status, "the pairs of self-contact");
    }
    measure_rest(pairs);
    code = bvh_build(&pairs->tree, elements, pairs->element_boxes, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    pairs->slices = pool_chunks(bvh_leaves(&pairs->tree));
    pairs->slice_start = STORE_ARRAY(store, int, pairs->slices + 1);
    pairs->slice_count = STORE_ARRAY(store, int, pairs->slices);
    pairs->capacity = PAIRS_A_VERTEX * skin->vertex_count + SLICE_SPARE * pairs->slices;
    pairs->list = SCRATCH_ARRAY(SelfPair, pairs->capacity);
    if (store->failed || !pairs->list) {
        return status_no_memory(status, "the pairs of self-contact");
    }
    for (int s = 0; s <= pairs->slices; ++s) {
        pairs->slice_start[s] = (int)((int64_t)pairs->capacity * s / pairs->slices);
    }
    return STATUS_OK;
}

void self_pairs_destroy(SelfPairs *pairs) {
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

/* --- boxes ------------------------------------------------------------------------------------ */

/* What all of the cloth moves by on average: only motion past each other brings parts together, so boxes are
 * swept without it. */
static Vec3 mean_motion(const SelfPairs *pairs) {
    Vec3 sum = {0, 0, 0};
    int count = pairs->skin->vertex_count;
    for (int v = 0; v < count; ++v) {
        sum = vec3_add(sum, vec3_sub(pairs->z[v], pairs->x[v]));
    }
    return count > 0 ? vec3_scale(1.0 / count, sum) : sum;
}

static void sweep_vertices(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    double margin = 0.5 * (pairs->thickness + pairs->range + pairs->slack);
    for (int v = begin; v < end; ++v) {
        Vec3 arrival = vec3_sub(pairs->z[v], pairs->drift);
        Box box = box_of_two(pairs->x[v], arrival);
        pairs->vertex_boxes[v] = box_grown(box, margin);
    }
}

/* Whether no direction has both wings of the edge bending away from it: so it is if their directions across
 * the edge nearly cancel. */
static bool is_flat(const SelfPairs *pairs, int e, const Vec3 *at) {
    const int *edge = pairs->skin->edges[e];
    int begin = pairs->links.wing_start[e], end = pairs->links.wing_start[e + 1];
    if (end - begin != 2) {
        return false;
    }
    Vec3 zero = {0, 0, 0}, sum = zero;
    Vec3 along = vec3_unit_or(vec3_sub(at[edge[1]], at[edge[0]]), zero);
    for (int w = begin; w < end; ++w) {
        Vec3 inward = vec3_sub(at[pairs->links.wings[w]], at[edge[0]]);
        inward = vec3_madd(inward, -vec3_dot(along, inward), along);
        sum = vec3_add(sum, vec3_unit_or(inward, zero));
    }
    return vec3_dot(sum, sum) < 4 * SELF_BEND * SELF_BEND;
}

static void sweep_edges(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const int *edge = pairs->skin->edges[e];
        pairs->edge_boxes[e] = box_join(pairs->vertex_boxes[edge[0]], pairs->vertex_boxes[edge[1]]);
        pairs->flat[e] = is_flat(pairs, e, pairs->x) && is_flat(pairs, e, pairs->z);
    }
}

/* Twice the area long; of a rope zero. */
static Vec3 element_normal(const Element *element, const Vec3 *at) {
    const int *v = element->vertices;
    return v[2] < 0 ? vec3(0, 0, 0)
                    : vec3_cross(vec3_sub(at[v[1]], at[v[0]]), vec3_sub(at[v[2]], at[v[0]]));
}

/* The normal for self_pairs_are_calm(): zero, so never calm, where the element is much larger than at rest. */
static void set_normal(float *normal, const float *middle, float radius, const Element *element,
                       Vec3 area, const Vec3 *at) {
    const int *v = element->vertices;
    Vec3 along = v[2] < 0 ? vec3_sub(at[v[1]], at[v[0]]) : area;
    Vec3 centre = vec3(middle[0], middle[1], middle[2]);
    double length = vec3_length(along), scale = length > 0 ? 1 / length : 0.0;
    for (int k = 0; k < element_size(element); ++k) {
        scale = vec3_distance(at[v[k]], centre) > CALM_STRETCH * (double)radius ? 0.0 : scale;
    }
    normal[0] = (float)(scale * along.x);
    normal[1] = (float)(scale * along.y);
    normal[2] = (float)(scale * along.z);
}

static void sweep_elements(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    for (int e = begin; e < end; ++e) {
        const Element *element = &pairs->links.elements[e];
        const int *v = element->vertices;
        Pose *pose = &pairs->poses[e];
        Box box = box_join(pairs->vertex_boxes[v[0]], pairs->vertex_boxes[v[1]]);
        pairs->element_boxes[e] = v[2] < 0 ? box : box_join(box, pairs->vertex_boxes[v[2]]);
        pairs->normals[e] = element_normal(element, pairs->x);
        set_middle(pose->middle[1], element, pairs->x);
        set_middle(pose->middle[2], element, pairs->z);
        set_normal(pose->normal[0], pose->middle[1], pose->radius, element, pairs->normals[e],
                   pairs->x);
        set_normal(pose->normal[1], pose->middle[2], pose->radius, element,
                   element_normal(element, pairs->z), pairs->z);
    }
}

static float squared_between(const float *a, const float *b) {
    float u = a[0] - b[0], v = a[1] - b[1], w = a[2] - b[2];
    return u * u + v * v + w * w;
}

static float product(const float *a, const float *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

bool self_pairs_are_calm(const SelfPairs *pairs, int first, int second) {
    const Pose *a = &pairs->poses[first], *b = &pairs->poses[second];
    float kept = CALM_DISTANCE * squared_between(a->middle[0], b->middle[0]);
    if (!(squared_between(a->middle[1], b->middle[1]) >= kept &&
          squared_between(a->middle[2], b->middle[2]) >= kept &&
          product(a->normal[0], b->normal[0]) > CALM_TURN &&
          product(a->normal[1], b->normal[1]) > CALM_TURN)) {
        return false;
    }
    const Element *elements = pairs->links.elements;
    const int *component = pairs->skin->component;
    return element_size(&elements[first]) == element_size(&elements[second]) &&
           component[elements[first].vertices[0]] == component[elements[second].vertices[0]];
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct Slice {
    const SelfPairs *pairs;
    SelfPair *list;
    int count, capacity; /* counts on beyond the capacity */
} Slice;

static void put(Slice *slice, const SelfPair *pair) {
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
    float q[3] = {(float)p.x, (float)p.y, (float)p.z};
    double limit = rest_limit(pairs) + (double)pose->radius;
    if (component[v] != component[element->vertices[0]] ||
        (double)squared_between(q, pose->middle[0]) > 1.01 * limit * limit) {
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

static void add_vertex_pair(Slice *slice, int v, int e) {
    const SelfPairs *pairs = slice->pairs;
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
        put(slice, &pair);
    }
}

static void add_edge_pair(Slice *slice, int first, int second) {
    const SelfPairs *pairs = slice->pairs;
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
        put(slice, &pair);
    }
}

static bool has_vertex(const Element *element, int v) {
    return element->vertices[0] == v || element->vertices[1] == v || element->vertices[2] == v;
}

static void try_vertices(Slice *slice, const Element *element, int other) {
    const SelfPairs *pairs = slice->pairs;
    for (int k = 0; k < 3; ++k) {
        int v = element->vertices[k];
        if (element->own_vertices >> k & 1 && !has_vertex(&pairs->links.elements[other], v) &&
            box_overlaps(&pairs->vertex_boxes[v], &pairs->element_boxes[other])) {
            add_vertex_pair(slice, v, other);
        }
    }
}

static void try_piercings(Slice *slice, const Element *element, int other) {
    const SelfPairs *pairs = slice->pairs;
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
            put(slice, &(SelfPair){.first = e, .second = other, .kind = PAIR_PIERCING});
        }
    }
}

/* Edges that are flat only matter if they may cross: without the thickness their boxes must overlap, too. */
static bool edge_boxes_overlap(const SelfPairs *pairs, int e, int f) {
    Box box = pairs->edge_boxes[e];
    if (!box_overlaps(&box, &pairs->edge_boxes[f])) {
        return false;
    }
    if (pairs->flat[e] || pairs->flat[f]) {
        box = box_grown(box, -(pairs->thickness + pairs->range));
        return box_overlaps(&box, &pairs->edge_boxes[f]);
    }
    return true;
}

static void try_edges(Slice *slice, const Element *first, const Element *second) {
    const SelfPairs *pairs = slice->pairs;
    for (int k = 0; k < 3; ++k) {
        for (int l = 0; first->own_edges >> k & 1 && l < 3; ++l) {
            if (!(second->own_edges >> l & 1)) {
                continue;
            }
            int e = first->edges[k], f = second->edges[l];
            const int *a = pairs->skin->edges[e], *b = pairs->skin->edges[f];
            if (a[0] != b[0] && a[0] != b[1] && a[1] != b[0] && a[1] != b[1] &&
                edge_boxes_overlap(pairs, e, f)) {
                add_edge_pair(slice, e < f ? e : f, e < f ? f : e);
            }
        }
    }
}

static void pair_elements(void *context, int first, int second) {
    Slice *slice = context;
    const Element *elements = slice->pairs->links.elements;
    const Element *a = &elements[first], *b = &elements[second];
    if (self_pairs_are_calm(slice->pairs, first, second)) {
        return;
    }
    try_vertices(slice, a, second);
    try_vertices(slice, b, first);
    try_edges(slice, a, b);
    /* What cuts at x overlaps without any margin. */
    Box box = box_grown(slice->pairs->element_boxes[first], -0.999 * reach_of(slice->pairs));
    if (box_overlaps(&box, &slice->pairs->element_boxes[second])) {
        try_piercings(slice, a, second);
        try_piercings(slice, b, first);
    }
}

/* --- the list --------------------------------------------------------------------------------- */

static void fill_slice(void *context, int begin, int end) {
    SelfPairs *pairs = context;
    int s = pool_chunk_at(begin);
    Slice slice = {.pairs = pairs,
                   .list = pairs->list + pairs->slice_start[s],
                   .capacity = pairs->slice_start[s + 1] - pairs->slice_start[s]};
    bvh_pairs(&pairs->tree, begin, end, pair_elements, &slice);
    pairs->slice_count[s] = slice.count;
}

/* Makes room where a slice was too small. Returns 1 if the slices have to be filled again. */
static int grow_slices(SelfPairs *pairs) {
    int64_t total = 0;
    int overflow = 0;
    for (int s = 0; s < pairs->slices; ++s) {
        int room = pairs->slice_start[s + 1] - pairs->slice_start[s];
        int count = pairs->slice_count[s];
        overflow |= count > room;
        total += count > room ? (int64_t)count + count / 2 + SLICE_SPARE : room;
    }
    if (!overflow || total > INT32_MAX / 2) {
        return 0;
    }
    SelfPair *list = realloc(pairs->list, (size_t)total * sizeof *list);
    if (!list) {
        return 0;
    }
    pairs->list = list;
    pairs->capacity = (int)total;
    int start = 0;
    for (int s = 0; s < pairs->slices; ++s) {
        int room = pairs->slice_start[s + 1] - pairs->slice_start[s];
        int count = pairs->slice_count[s];
        room = count > room ? count + count / 2 + SLICE_SPARE : room;
        pairs->slice_start[s] = start;
        start += room;
    }
    pairs->slice_start[pairs->slices] = start;
    return 1;
}

/* Moves the slices together. */
static void close_ranks(SelfPairs *pairs) {
    pairs->count = pairs->dropped = 0;
    for (int s = 0; s < pairs->slices; ++s) {
        int room = pairs->slice_start[s + 1] - pairs->slice_start[s];
        int count = pairs->slice_count[s] < room ? pairs->slice_count[s] : room;
        pairs->dropped += pairs->slice_count[s] - count;
        memmove(pairs->list + pairs->count, pairs->list + pairs->slice_start[s],
                (size_t)count * sizeof *pairs->list);
        pairs->count += count;
    }
}

void self_pairs_find(SelfPairs *pairs, Pool *pool, const Vec3 *x, const Vec3 *z, double thickness,
                     double slack, double length) {
    pairs->x = x;
    pairs->z = z;
    pairs->thickness = thickness;
    pairs->slack = slack;
    pairs->length = length;
    pairs->range = CONTACT_GRIP_RANGE * contact_scale(thickness, pairs->skin->mean_edge);
    pairs->recovery = SELF_RECOVERY * contact_scale(thickness, pairs->skin->mean_edge);
    pairs->drift = mean_motion(pairs);
    pool_run(pool, pairs->skin->vertex_count, sweep_vertices, pairs);
    pool_run(pool, pairs->skin->edge_count, sweep_edges, pairs);
    pool_run(pool, pairs->links.element_count, sweep_elements, pairs);
    bvh_refit(&pairs->tree, pool, pairs->element_boxes);
    do {
        pool_run(pool, bvh_leaves(&pairs->tree), fill_slice, pairs);
    } while (grow_slices(pairs));
    close_ranks(pairs);
}
