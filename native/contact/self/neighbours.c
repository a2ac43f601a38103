/* Rings and wings are laid out by counting, so that building is linear and the order is that of the mesh. */
#include "contact/self/neighbours.h"

#include <stdlib.h>
#include <string.h>

#include "base/lists.h"
#include "geometry/lanes.h"

static void make_wings(Links *links, const Skin *skin) {
    for (int t = 0; t < skin->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            ++links->wing_start[links->elements.list[t].edges[k]];
        }
    }
    for (int e = 1; e <= skin->edge_count; ++e) {
        links->wing_start[e] += links->wing_start[e - 1];
    }
    for (int t = skin->triangle_count; t-- > 0;) {
        const Element *element = &links->elements.list[t];
        for (int k = 0; k < 3; ++k) {
            links->wings[--links->wing_start[element->edges[k]]] = element->vertices[(k + 2) % 3];
        }
    }
}

static void make_rings(Links *links, const Skin *skin) {
    int *ends = links->ring_edges; /* 2 edge + end, until they are divided */
    lists_group(links->ring_start, skin->vertex_count, *skin->edges, 2 * skin->edge_count, ends);
    for (int i = 0; i < 2 * skin->edge_count; ++i) {
        links->ring[i] = skin->edges[ends[i] / 2][1 - ends[i] % 2];
        ends[i] /= 2;
    }
}

StatusCode elements_plant(const Elements *elements, const Skin *skin, SweptTree *tree, Store *store,
                          Status *status) {
    int count = elements->count;
    int(*corners)[3] = scratch_take((size_t)count, sizeof *corners);
    if (!corners) {
        return status_no_memory(status, "the paths of elements");
    }
    for (int e = 0; e < count; ++e) {
        memcpy(corners[e], elements->list[e].vertices, sizeof *corners);
    }
    StatusCode code = swept_tree_build(tree, count, (const int(*)[3])corners, skin->vertex_count,
                                       skin->rest, store, status);
    free(corners);
    return code;
}

StatusCode links_build(Links *links, const Skin *skin, Store *store, Status *status) {
    *links = (Links){0};
    if (elements_build(&links->elements, skin, store, status) != STATUS_OK) {
        return status->code;
    }
    size_t edges = (size_t)skin->edge_count;
    links->wing_start = STORE_ARRAY(store, int, edges + 1);
    links->wings = STORE_ARRAY(store, int, 3 * (size_t)skin->triangle_count);
    links->ring_start = STORE_ARRAY(store, int, skin->vertex_count + 1);
    links->ring = STORE_ARRAY(store, int, 2 * edges);
    links->ring_edges = STORE_ARRAY(store, int, 2 * edges);
    if (store->failed) {
        return status_no_memory(status, "the neighbours on the surface");
    }
    make_wings(links, skin);
    make_rings(links, skin);
    return STATUS_OK;
}

/* --- two parts at a time ---------------------------------------------------------------------- */

/* Ropes are elements of two vertices, for which an edge stands in. */

TrianglePoint element_closest(const Element *element, const Vec3 *at, Vec3 p) {
    const int *v = element->vertices;
    if (element->corners == 3) {
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
double parts_motion(int split, const int vertices[4], const Vec3 *x, const Vec3 *z) {
    double most = 0;
    for (int i = 0; i < split; ++i) {
        Vec3 moved = vec3_sub(z[vertices[i]], x[vertices[i]]);
        for (int j = split; j < 4; ++j) {
            Vec3 past = vec3_sub(moved, vec3_sub(z[vertices[j]], x[vertices[j]]));
            double squared = vec3_dot(past, past);
            most = squared > most ? squared : most;
        }
    }
    return sqrt(most);
}

Vec3 element_normal(const Element *element, const Vec3 *at) {
    const int *v = element->vertices;
    return vec3_cross(vec3_sub(at[v[1]], at[v[0]]), vec3_sub(at[v[2]], at[v[0]]));
}

bool edge_pierces(const int edge[2], const Element *triangle, const Vec3 *x, double *parameter,
                  double weights[3]) {
    const int *v = triangle->vertices;
    Vec3 a = x[edge[0]], b = x[edge[1]], corner = x[v[0]], normal = element_normal(triangle, x);
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

/* --- how neighbours lie ----------------------------------------------------------------------- */

/* In single precision, four pairs at once: most pairs of a cloth are ruled out here. */

/* Elements are calm if their middles keep this part of their distance at rest, squared, their normals differ by less
 * than this cosine, and neither has grown by more than this. */
#define CALM_DISTANCE 0.85F
#define CALM_TURN 0.7F
#define CALM_STRETCH 1.25F
/* Folded are those whose distance is kept likewise, whose normals have the cosine that they had within this, and of which
 * each has this part of the height above the other that it had, but for a part of their distance. */
#define FOLD_TURN 0.2F
#define FOLD_HEIGHT 0.9F
#define FOLD_ROOM 0.02F

void pose_rest(Pose *pose, float *fold, const Element *element, const Vec3 *rest) {
    int size = element->corners;
    const int *v = element->vertices;
    Vec3 zero = {0, 0, 0}, normal = zero;
    if (size == 3) {
        normal = vec3_normal_or(vec3_sub(rest[v[1]], rest[v[0]]), vec3_sub(rest[v[2]], rest[v[0]]),
                                zero);
    }
    fold[0] = (float)normal.x;
    fold[1] = (float)normal.y;
    fold[2] = (float)normal.z;
    Vec3 sum = {0, 0, 0};
    for (int k = 0; k < size; ++k) {
        sum = vec3_add(sum, rest[v[k]]);
    }
    sum = vec3_scale(1.0 / size, sum);
    pose->middle[0][0] = (float)sum.x;
    pose->middle[0][1] = (float)sum.y;
    pose->middle[0][2] = (float)sum.z;
    fold[3] = 0;
    for (int k = 0; k < size; ++k) {
        float distance = (float)vec3_distance(rest[v[k]], sum);
        fold[3] = distance > fold[3] ? distance : fold[3];
    }
}

static float product(const float *a, const float *b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static float squared_between(const float *a, const float *b) {
    float u = a[0] - b[0], v = a[1] - b[1], w = a[2] - b[2];
    return u * u + v * v + w * w;
}

/* Across a triangle, or along a rope. */
static void set_direction(float *direction, const float *const corner[3], int size) {
    float u[3], w[3];
    for (int axis = 0; axis < 3; ++axis) {
        u[axis] = corner[1][axis] - corner[0][axis];
        w[axis] = corner[2][axis] - corner[0][axis];
    }
    direction[0] = size > 2 ? u[1] * w[2] - u[2] * w[1] : u[0];
    direction[1] = size > 2 ? u[2] * w[0] - u[0] * w[2] : u[1];
    direction[2] = size > 2 ? u[0] * w[1] - u[1] * w[0] : u[2];
}

void pose_place(Pose *pose, const float *fold, const Element *element, const SweptSpot *spots) {
    int size = element->corners;
    const int *v = element->vertices;
    float most = CALM_STRETCH * CALM_STRETCH * fold[3] * fold[3];
    for (int time = 0; time < 2; ++time) {
        float *middle = pose->middle[1 + time], *normal = pose->normal[time], reach = 0;
        const float *corner[3] = {spots[v[0]].at[time], spots[v[1]].at[time],
                                  spots[v[size - 1]].at[time]};
        for (int axis = 0; axis < 3; ++axis) {
            float sum = corner[0][axis] + corner[1][axis];
            middle[axis] = size > 2 ? (sum + corner[2][axis]) * (1.0F / 3) : 0.5F * sum;
        }
        for (int k = 0; k < 3; ++k) {
            float squared = squared_between(corner[k], middle);
            reach = squared > reach ? squared : reach;
        }
        set_direction(normal, corner, size);
        float squared = product(normal, normal);
        float scale = reach <= most && squared > 0 ? 1 / sqrtf(squared) : 0.0F;
        for (int axis = 0; axis < 3; ++axis) {
            normal[axis] *= scale;
        }
    }
}

/* Four poses side by side. */
typedef struct Poses {
    Vectors middle[3], normal[2];
    Signs group;
} Poses;

static inline Poses four_poses(const Pose *poses, const int others[LANES]) {
    Four columns[16]; /* a pose's numbers, as they lie */
    _Static_assert(sizeof(Pose) == 16 * sizeof(float), "a pose fills four rows");
    for (int k = 0; k < 4; ++k) {
        Four rows[LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            rows[lane] = ((const Four *)&poses[others[lane]])[k];
        }
        turn_over(rows, columns + 4 * k);
    }
    return (Poses){
        .middle = {{columns[0], columns[1], columns[2]},
                   {columns[3], columns[4], columns[5]},
                   {columns[6], columns[7], columns[8]}},
        .normal = {{columns[9], columns[10], columns[11]}, {columns[12], columns[13], columns[14]}},
        .group = (Signs)columns[15]};
}

static inline Poses spread_pose(const Pose *pose) {
    int group = pose->group;
    return (Poses){
        .middle = {spread(pose->middle[0]), spread(pose->middle[1]), spread(pose->middle[2])},
        .normal = {spread(pose->normal[0]), spread(pose->normal[1])},
        .group = {group, group, group, group}};
}

static inline Four squares_between(Vectors a, Vectors b) {
    Vectors way = vectors_less(a, b);
    return vectors_dot(way, way);
}

static inline Signs keep_distance(const Poses *a, const Poses *b) {
    Four kept = CALM_DISTANCE * squares_between(a->middle[0], b->middle[0]);
    return (squares_between(a->middle[1], b->middle[1]) >= kept) &
           (squares_between(a->middle[2], b->middle[2]) >= kept);
}

static inline Signs are_calm(const Poses *a, const Poses *b) {
    return (vectors_dot(a->normal[0], b->normal[0]) > CALM_TURN) &
           (vectors_dot(a->normal[1], b->normal[1]) > CALM_TURN);
}

/* Whether the height of the one's middle above the other is kept at both ends; `fold` is the other's normal at rest. */
static inline Signs keep_height(const Poses *a, const Poses *b, Vectors fold, Four room) {
    Four at_rest = vectors_dot(fold, vectors_less(b->middle[0], a->middle[0]));
    Four least = FOLD_HEIGHT * magnitude(at_rest) - room;
    Signs below = at_rest < 0, kept = ~(Signs){0};
    for (int time = 0; time < 2; ++time) {
        Vectors way = vectors_less(b->middle[1 + time], a->middle[1 + time]);
        Four height = vectors_dot(a->normal[time], way);
        kept &= chosen(below, -height, height) >= least;
    }
    return kept;
}

/* Whether elements that are folded in the rest shape lie to each other as there, at both ends; `own` and `others` are their
 * normals in the rest shape. */
static inline Signs are_folded(const Poses *a, const Poses *b, Vectors own, Vectors others) {
    Four turn = vectors_dot(own, others);
    Four room = FOLD_ROOM * roots(squares_between(a->middle[0], b->middle[0]));
    Signs kept = ~(Signs){0};
    for (int time = 0; time < 2; ++time) {
        kept &= magnitude(vectors_dot(a->normal[time], b->normal[time]) - turn) < FOLD_TURN;
    }
    return kept & keep_height(a, b, own, room) & keep_height(b, a, others, room);
}

int poses_disturbed(const PoseTable *table, int element, int *others, int count, int *disturbed) {
    const Poses own = spread_pose(&table->poses[element]);
    const Vectors fold = spread(table->folds[element]);
    int found = 0;
    for (int lane = 0; lane < LANES; ++lane) { /* to fill up the last lanes */
        others[count + lane] = element;
    }
    for (int begin = 0; begin < count; begin += LANES) {
        Poses four = four_poses(table->poses, others + begin);
        Signs near = keep_distance(&own, &four) & (own.group == four.group);
        Signs stirs = ~(near & are_calm(&own, &four));
        if (any_lane(stirs & near)) {
            Four rows[LANES];
            for (int lane = 0; lane < LANES; ++lane) {
                rows[lane] = *(const Four *)table->folds[others[begin + lane]];
            }
            stirs &= ~(near & are_folded(&own, &four, fold, side_by_side(rows)));
        }
        for (int lane = 0; lane < LANES; ++lane) {
            disturbed[found] = others[begin + lane];
            found += stirs[lane] & (begin + lane < count);
        }
    }
    return found;
}

/* --- where the cloth bends -------------------------------------------------------------------- */

/* Edges are tested one by one, and vertices then by their edges. */

/* An edge is quiet where the normals beside it differ by less than this cosine, and it keeps this part of its length,
 * squared: two rings of such triangles do not come back to themselves. */
#define QUIET_TURN 0.8F
#define QUIET_LENGTH 0.81F

/* The triangles on both sides of every edge. */
static void find_sides(Bends *bends, int *seen) {
    for (int e = 0; e < bends->links->elements.count; ++e) {
        const Element *element = &bends->links->elements.list[e];
        for (int k = 0; k < 3 && element->corners == 3; ++k) {
            EdgeSides *sides = &bends->sides[element->edges[k]];
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
    for (int e = 0; e < bends->skin->edge_count; ++e) {
        bends->sides[e].sign = seen[e] == 2 ? bends->sides[e].sign : 0.0F;
    }
}

StatusCode bends_build(Bends *bends, const Skin *skin, const Links *links, Store *store,
                       Status *status) {
    int edges = skin->edge_count;
    int *seen = SCRATCH_ARRAY(int, edges);
    *bends = (Bends){.skin = skin,
                     .links = links,
                     .sides = STORE_ARRAY(store, EdgeSides, edges),
                     .kept = STORE_ARRAY(store, float, edges),
                     .flat = STORE_ARRAY(store, uint8_t, edges),
                     .turned = STORE_ARRAY(store, uint8_t, edges),
                     .quiet = STORE_ARRAY(store, uint8_t, edges),
                     .all_quiet = STORE_ARRAY(store, uint8_t, skin->vertex_count)};
    bool failed = store->failed || !seen;
    if (!failed) {
        find_sides(bends, seen);
    }
    for (int e = 0; e < edges && !failed; ++e) {
        double length = vec3_distance(skin->rest[skin->edges[e][0]], skin->rest[skin->edges[e][1]]);
        bends->kept[e] = QUIET_LENGTH * (float)(length * length);
    }
    free(seen);
    return failed ? status_no_memory(status, "the edges of self-contact") : STATUS_OK;
}

typedef struct BendWork {
    Bends *bends;
    const Pose *poses;
    const SweptSpot *spots;
} BendWork;

/* Flat is an edge if no direction has both of its sides bending away from it: so it is if their directions across the edge
 * nearly cancel. The sum of these is 2 - 2 cos long, squared, with the cosine of their normals. */
static void find_edges(void *context, int begin, int end) {
    const BendWork *work = context;
    Bends *bends = work->bends;
    for (int e = begin; e < end; ++e) {
        if (!subset_has(bends->awake, bends->skin->edges[e][0])) {
            bends->turned[e] = 0;
            continue;
        }
        const EdgeSides *sides = &bends->sides[e];
        const Pose *a = &work->poses[sides->elements[0]], *b = &work->poses[sides->elements[1]];
        const SweptSpot *from = &work->spots[bends->skin->edges[e][0]];
        const SweptSpot *to = &work->spots[bends->skin->edges[e][1]];
        float least = 1;
        bool quiet = true;
        for (int time = 0; time < 2; ++time) {
            float cosine = 0;
            for (int axis = 0; axis < 3; ++axis) {
                cosine += a->normal[time][axis] * b->normal[time][axis];
            }
            least = sides->sign * cosine < least ? sides->sign * cosine : least;
            quiet = quiet && squared_between(from->at[time], to->at[time]) >= bends->kept[e];
        }
        bool flat = least > (float)(1 - 2 * SELF_BEND * SELF_BEND);
        bends->quiet[e] = quiet && least > QUIET_TURN;
        bends->turned[e] = bends->flat[e] != flat;
        bends->flat[e] = flat;
    }
}

static void find_vertices(void *context, int begin, int end) {
    const BendWork *work = context;
    Bends *bends = work->bends;
    const Links *links = bends->links;
    for (int v = begin; v < end; ++v) {
        uint8_t all_quiet = 1;
        for (int i = links->ring_start[v]; i < links->ring_start[v + 1]; ++i) {
            all_quiet &= bends->quiet[links->ring_edges[i]];
        }
        bends->all_quiet[v] = all_quiet;
    }
}

void bends_find(Bends *bends, Pool *pool, const Pose *poses, const SweptSpot *spots) {
    BendWork work = {bends, poses, spots};
    pool_run(pool, bends->skin->edge_count, find_edges, &work);
    subset_run(bends->awake, pool, bends->skin->vertex_count, find_vertices, &work);
}
