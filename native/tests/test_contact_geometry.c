/* The ground of contact: boxes in a tree against a walk over all of them, closest points against the
 * conditions that only they fulfil, meetings in time against fine steps and against built ones. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "geometry/bvh.h"
#include "geometry/distance.h"
#include "laws/law.h"

/* --- the tree --------------------------------------------------------------------------------- */

#define MOST 20000

static Box boxes[MOST], others[MOST];
static int found[MOST], marks[MOST];

static Box random_box(double spread, double size) {
    Vec3 low = random_vector(spread), extent = random_vector(size);
    return (Box){low, vec3_add(low, vec3(fabs(extent.x), fabs(extent.y), fabs(extent.z)))};
}

typedef struct Collection {
    int *list;
    int capacity, count;
} Collection;

static bool collect(void *context, int primitive) {
    Collection *collection = context;
    if (collection->count < collection->capacity) {
        collection->list[collection->count] = primitive;
    }
    ++collection->count;
    return false;
}

/* What overlaps a box, into an array; only so many as it has room for. Returns how many there are. */
static int collect_overlaps(const Bvh *bvh, const Box *box, int capacity, int *list) {
    Collection collection = {list, capacity, 0};
    bvh_visit(bvh, box, collect, &collection);
    return collection.count;
}

static void check_overlaps(const Bvh *tree, const Box *at) {
    for (int round = 0; round < 40; ++round) {
        Box box = random_box(1.2, round % 4 ? 0.2 : 2.0);
        int count = collect_overlaps(tree, &box, MOST, found), wanted = 0, wrong = 0;
        memset(marks, 0, sizeof marks);
        for (int i = 0; i < count; ++i) {
            ++marks[found[i]];
        }
        for (int i = 0; i < tree->count; ++i) {
            int meets = box_overlaps(&box, &at[i]);
            wanted += meets;
            wrong += marks[i] != meets;
        }
        CHECK_INT(count, wanted);
        CHECK_INT(wrong, 0);
        int few[3] = {-1, -1, -1};
        CHECK_INT(collect_overlaps(tree, &box, 2, few), wanted);
        CHECK_INT(few[2], -1);
        CHECK(count < 1 || few[0] == found[0]);
    }
}

static double gap(double low, double high, double value) {
    return value < low ? low - value : value > high ? value - high : 0.0;
}

/* Of a point to the box, m^2; infinite to the empty box. */
static double box_distance_squared(const Box *box, Vec3 p) {
    double x = gap(box->low.x, box->high.x, p.x);
    double y = gap(box->low.y, box->high.y, p.y);
    double z = gap(box->low.z, box->high.z, p.z);
    return x * x + y * y + z * z;
}

typedef struct Nearest {
    const Box *at;
    Vec3 point;
    int calls, primitive;
} Nearest;

static double offer_box(void *context, int primitive, double reach) {
    Nearest *nearest = context;
    ++nearest->calls;
    double distance = sqrt(box_distance_squared(&nearest->at[primitive], nearest->point));
    if (distance < reach) {
        nearest->primitive = primitive;
        return distance;
    }
    return reach;
}

static WideBvh near_over(const Bvh *tree, const Box *at, Store *store) {
    Status status;
    WideBvh near;
    CHECK_INT(wide_bvh_build_over(&near, tree, store, &status), STATUS_OK);
    wide_bvh_refit(&near, NULL, bvh_box(tree), at);
    return near;
}

static void check_nearest(const Bvh *tree, const Box *at) {
    int calls = 0;
    Store store = {0};
    WideBvh near = near_over(tree, at, &store);
    for (int round = 0; round < 60; ++round) {
        Nearest nearest = {.at = at, .point = random_vector(1.5), .primitive = -1};
        double reach = round % 3 ? INFINITY : 0.05, best = reach;
        for (int i = 0; i < tree->count; ++i) {
            double distance = sqrt(box_distance_squared(&at[i], nearest.point));
            best = distance < best ? distance : best;
        }
        wide_bvh_search(&near, nearest.point, reach, offer_box, &nearest);
        CHECK((nearest.primitive >= 0) == (best < reach));
        if (nearest.primitive >= 0) {
            CHECK_NEAR(sqrt(box_distance_squared(&at[nearest.primitive], nearest.point)), best, 0);
        }
        calls += nearest.calls;
    }
    CHECK(calls < 60 * 5 || tree->count <= 500); /* the near branches come first */
    store_release(&store);
}

/* All within reach and in the tree's order, and nothing else but what hardly misses it. */
static void check_gathered(const Bvh *tree, const Box *at) {
    int gathered[WIDE_BVH_GATHERED + WIDE_BVH_LANES];
    Store store = {0};
    WideBvh near = near_over(tree, at, &store);
    for (int round = 0; round < 60; ++round) {
        Vec3 point = random_vector(1.2);
        double reach = round ? 0.01 * round : INFINITY;
        int count = wide_bvh_gather(&near, point, reach, gathered), next = 0, within = 0;
        for (int i = 0; i < tree->count; ++i) {
            int primitive = tree->order[i];
            double distance = sqrt(box_distance_squared(&at[primitive], point));
            bool listed = next < count && gathered[next] == primitive;
            within += distance <= reach * (1 + 2e-5);
            CHECK(count < 0 || listed || !(distance <= reach));
            CHECK(!listed || distance <= reach * (1 + 2e-5));
            next += listed;
        }
        CHECK(count < 0 ? within > WIDE_BVH_GATHERED / 5 : next == count);
    }
    CHECK_INT(wide_bvh_gather(&near, vec3(NAN, 0, 0), 1, gathered), 0);
    store_release(&store);
}

typedef struct Overlaps {
    const Box *at;
    const Box *box;
    const int *wanted; /* in this order */
    int count, wrong;
} Overlaps;

/* What does not overlap may hardly miss it. */
static bool meet_box(void *context, int primitive) {
    Overlaps *overlaps = context;
    const Box *own = &overlaps->at[primitive];
    Box grown = box_grown(*overlaps->box, 1e-5);
    if (box_overlaps(own, overlaps->box)) {
        overlaps->wrong += overlaps->wanted[overlaps->count++] != primitive;
    } else {
        overlaps->wrong += !box_overlaps(own, &grown);
    }
    return false;
}

static bool stop_at_third(void *context, int primitive) {
    int *calls = context;
    return ++*calls == 3 || primitive < 0;
}

/* Anywhere, endless, empty, or beginning where one of them ends. */
static Box random_query(int round, int count, const Box *at) {
    if (round == 0) {
        return box_empty();
    }
    if (round % 3 == 0 && count > 0) {
        Vec3 high = at[random_below(count)].high;
        return (Box){high, vec3_add(high, vec3(0.1, 0.1, 0.1))};
    }
    Box box = random_box(1.2, round % 4 ? 0.2 : 2.0);
    box.high.x = round % 5 == 1 ? INFINITY : box.high.x;
    return box;
}

/* The same as the other tree finds, in the same order. */
static void check_near_overlaps(const Bvh *tree, const Box *at) {
    Store store = {0};
    WideBvh near = near_over(tree, at, &store);
    for (int round = 0; round < 60; ++round) {
        Box box = random_query(round, tree->count, at);
        Overlaps overlaps = {.at = at, .box = &box, .wanted = found, .wrong = 0};
        int count = collect_overlaps(tree, &box, MOST, found);
        wide_bvh_visit(&near, &box, meet_box, &overlaps);
        CHECK_INT(overlaps.count, count);
        CHECK_INT(overlaps.wrong, 0);
    }
    Box all = {vec3(-INFINITY, -INFINITY, -INFINITY), vec3(INFINITY, INFINITY, INFINITY)};
    int calls = 0;
    wide_bvh_visit(&near, &all, stop_at_third, &calls);
    CHECK_INT(calls, tree->count < 3 ? tree->count : 3);
    store_release(&store);
}

/* Far from the origin single precision tells nothing apart: boxes must be seen from their middle. One box without an
 * end may make the search slow, not wrong. */
static void check_far_nearest(void) {
    Store store = {0};
    Status status;
    Bvh tree;
    WideBvh near;
    Pool *pool = pool_create(2);
    Vec3 far = vec3(4e5, -3e5, 2e5);
    for (int endless = 0; endless < 2; ++endless) {
        int calls = 0;
        for (int i = 0; i < MOST; ++i) {
            Box box = random_box(1, 1e-3);
            boxes[i] = (Box){vec3_add(box.low, far), vec3_add(box.high, far)};
        }
        boxes[7] = endless ? (Box){vec3(-INFINITY, 0, 0), vec3(INFINITY, 0, 0)} : boxes[7];
        CHECK_INT(bvh_build(&tree, MOST, boxes, &store, &status), STATUS_OK);
        CHECK_INT(wide_bvh_build_over(&near, &tree, &store, &status), STATUS_OK);
        wide_bvh_refit(&near, pool, bvh_box(&tree), boxes);
        Box all = wide_bvh_box(&near);
        for (int round = 0; round < 60; ++round) {
            Nearest nearest = {
                .at = boxes, .point = vec3_add(random_vector(1.2), far), .primitive = -1};
            double best = INFINITY;
            for (int i = 0; i < MOST; ++i) {
                best = fmin(best, sqrt(box_distance_squared(&boxes[i], nearest.point)));
                CHECK(round > 0 || (all.low.y <= boxes[i].low.y && all.high.z >= boxes[i].high.z));
            }
            wide_bvh_search(&near, nearest.point, nextafter(best, INFINITY), offer_box, &nearest);
            CHECK(nearest.primitive >= 0); /* a reach hardly beyond it is enough */
            calls += nearest.calls;
        }
        CHECK(endless || calls < 60 * 5);
        if (!endless) { /* there it would find much that is not near */
            check_near_overlaps(&tree, boxes);
        }
    }
    pool_destroy(pool);
    store_release(&store);
}

static void check_tree(int count, double size, double spread) {
    Store store = {0};
    Status status;
    Bvh tree;
    for (int i = 0; i < count; ++i) {
        boxes[i] = random_box(spread, size);
        others[i] = random_box(1, size);
    }
    CHECK_INT(bvh_build(&tree, count, boxes, &store, &status), STATUS_OK);
    check_overlaps(&tree, boxes);
    check_gathered(&tree, boxes);
    check_nearest(&tree, boxes);
    check_near_overlaps(&tree, boxes);
    for (int i = 0; i < count; ++i) { /* near where they were */
        others[i] = (Box){vec3_madd(boxes[i].low, 0.05, others[i].low),
                          vec3_madd(boxes[i].high, 0.05, others[i].high)};
        others[i] = box_join(others[i], (Box){others[i].high, others[i].low});
    }
    bvh_refit(&tree, NULL, others);
    check_overlaps(&tree, others);
    check_gathered(&tree, others);
    check_nearest(&tree, others);
    check_near_overlaps(&tree, others);
    Box all = {vec3(-9, -9, -9), vec3(9, 9, 9)};
    int calls = 0;
    bvh_visit(&tree, &all, stop_at_third, &calls);
    CHECK_INT(calls, count < 3 ? count : 3);
    store_release(&store);
}

/* Boxes that are empty, endless or no numbers are no reason to hang. */
static void check_odd_boxes(void) {
    Store store = {0};
    Status status;
    Bvh tree;
    for (int i = 0; i < 100; ++i) {
        boxes[i] = i % 4 == 0   ? box_empty()
                   : i % 4 == 1 ? (Box){vec3(NAN, NAN, 0), vec3(1, NAN, 1)}
                   : i % 4 == 2 ? (Box){vec3(-INFINITY, 0, 0), vec3(INFINITY, 1, 1)}
                                : (Box){vec3(0, 0, 0), vec3(1, 1, 1)};
    }
    CHECK_INT(bvh_build(&tree, 100, boxes, &store, &status), STATUS_OK);
    Box box = {vec3(5, 0.5, 0.5), vec3(6, 0.6, 0.6)};
    CHECK_INT(collect_overlaps(&tree, &box, MOST, found), 25);
    box = (Box){vec3(0.2, 0.5, 0.5), vec3(0.2, 0.6, 0.6)};
    CHECK_INT(collect_overlaps(&tree, &box, MOST, found), 50);
    check_near_overlaps(&tree, boxes);
    for (int i = 0; i < 1000; ++i) { /* none hides those beside it */
        boxes[i] = random_box(1, 0.1);
        boxes[i].low.y = random_below(4) ? boxes[i].low.y : NAN;
        boxes[i].high.z = random_below(4) ? boxes[i].high.z : NAN;
    }
    CHECK_INT(bvh_build(&tree, 1000, boxes, &store, &status), STATUS_OK);
    check_near_overlaps(&tree, boxes);
    store_release(&store);
}

static void check_tree_threads(void) {
    Store store = {0};
    Status status;
    Bvh trees[2];
    size_t nodes = 0;
    for (int k = 0; k < 2; ++k) {
        random_start(77);
        for (int i = 0; i < MOST; ++i) {
            boxes[i] = random_box(1, 0.1);
            others[i] = random_box(1, 0.1);
        }
        CHECK_INT(bvh_build(&trees[k], MOST, boxes, &store, &status), STATUS_OK);
        Pool *pool = pool_create(k + 1);
        bvh_refit(&trees[k], pool, others);
        pool_destroy(pool);
        nodes = ((size_t)2 << trees[k].levels) - 1;
    }
    CHECK(memcmp(trees[0].nodes, trees[1].nodes, nodes * sizeof(Box)) == 0);
    CHECK(memcmp(trees[0].order, trees[1].order, MOST * sizeof(int)) == 0);
    check_overlaps(&trees[1], others);
    store_release(&store);
}

/* --- closest points --------------------------------------------------------------------------- */

typedef enum Shape { PLAIN, NEEDLE, COLLINEAR, TWO_EQUAL, ALL_EQUAL, FAR, SHAPES } Shape;

static void random_triangle(Shape shape, Vec3 corners[3]) {
    Vec3 shift = shape == FAR ? random_vector(1000) : vec3(0, 0, 0);
    for (int c = 0; c < 3; ++c) {
        corners[c] = vec3_add(random_vector(1), shift);
    }
    double aside = shape == NEEDLE ? pow(10, random_between(-14, -2)) : 0;
    if (shape == NEEDLE || shape == COLLINEAR) {
        Vec3 along = vec3_sub(corners[1], corners[0]);
        Vec3 foot = vec3_madd(corners[0], random_between(-0.5, 1.5), along);
        corners[2] = vec3_madd(foot, aside, random_vector(1));
    }
    if (shape == TWO_EQUAL || shape == ALL_EQUAL) {
        corners[random_below(2)] = corners[2];
    }
    if (shape == ALL_EQUAL) {
        corners[0] = corners[1] = corners[2];
    }
}

/* A point of a convex body is the nearest to p if and only if no corner lies ahead of it towards p. */
static double ahead(Vec3 p, Vec3 nearest, const Vec3 *corners, int count) {
    double most = 0;
    for (int c = 0; c < count; ++c) {
        double value = vec3_dot(vec3_sub(p, nearest), vec3_sub(corners[c], nearest));
        most = value > most ? value : most;
    }
    return most;
}

static void check_feature(const TrianglePoint *nearest) {
    const double *w = nearest->weights;
    int positive = (w[0] > 0) + (w[1] > 0) + (w[2] > 0), feature = nearest->feature;
    if (feature == FEATURE_FACE) {
        CHECK_INT(positive, 3);
    } else if (feature < FEATURE_VERTEX_0) {
        CHECK_INT(positive, 2);
        CHECK(w[(feature - FEATURE_EDGE_0 + 2) % 3] == 0);
    } else {
        CHECK(w[feature - FEATURE_VERTEX_0] == 1);
        CHECK_INT(positive, 1);
    }
}

static void check_closest_on_triangle(void) {
    int seen[7] = {0};
    for (int round = 0; round < 60000; ++round) {
        Vec3 corners[3];
        Shape shape = (Shape)(round % SHAPES);
        random_triangle(shape, corners);
        Vec3 p = vec3_add(corners[random_below(3)], random_vector(round % 5 ? 1 : 0.01));
        if (round % 4 == 0) { /* along the first side */
            p = vec3_madd(p, random_between(0, 1), vec3_sub(corners[1], corners[0]));
        }
        TrianglePoint nearest = closest_on_triangle(p, corners);
        const double *w = nearest.weights;
        ++seen[nearest.feature];
        Vec3 point = vec3_scale(w[0], corners[0]);
        point = vec3_madd(vec3_madd(point, w[1], corners[1]), w[2], corners[2]);
        double rounding = shape == FAR ? 1e-12 : 1e-15;
        CHECK_NEAR(w[0] + w[1] + w[2], 1, 1e-9);
        CHECK_BELOW(vec3_distance(point, nearest.point), 10 * rounding + (shape == NEEDLE) * 1e-8);
        CHECK_NEAR(nearest.distance, vec3_distance(p, nearest.point), 0);
        CHECK_BELOW(ahead(p, nearest.point, corners, 3), shape == NEEDLE ? 1e-7 : 1e4 * rounding);
        check_feature(&nearest);
        for (int i = 0; i < 20; ++i) { /* nothing on the triangle is nearer */
            double b = random_between(0, 1), c = random_between(0, 1 - b);
            Vec3 other = vec3_scale(1 - b - c, corners[0]);
            other = vec3_madd(vec3_madd(other, b, corners[1]), c, corners[2]);
            CHECK_BELOW(nearest.distance, vec3_distance(p, other) + 1e-8 + 10 * rounding);
        }
    }
    for (int feature = 0; feature < 7; ++feature) {
        CHECK(seen[feature] > 1000);
    }
    Vec3 broken[3] = {{NAN, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    CHECK(closest_on_triangle(vec3(0, 0, 1), broken).distance > 0.9);
}

/* Points about as near to a needle as it is wide, where rounding can name the wrong side of it. */
static void check_needles(void) {
    for (int round = 0; round < 300000; ++round) {
        Vec3 corners[3] = {random_vector(1), random_vector(1)};
        Vec3 along = vec3_sub(corners[1], corners[0]);
        double width = pow(10, random_between(-13, -1)), off = round % 2 ? 10 * width : 3;
        corners[2] = vec3_madd(vec3_madd(corners[0], random_between(-0.5, 1.5), along), width,
                               random_vector(1));
        Vec3 p = vec3_madd(vec3_madd(corners[0], random_between(-0.5, 1.5), along), off,
                           random_vector(1));
        CHECK_BELOW(ahead(p, closest_on_triangle(p, corners).point, corners, 3), 1e-7);
    }
}

static void random_segments(int kind, Vec3 first[2], Vec3 second[2]) {
    for (int end = 0; end < 2; ++end) {
        first[end] = random_vector(1);
        second[end] = random_vector(1);
    }
    Vec3 along = vec3_sub(first[1], first[0]);
    if (kind == 1 || kind == 2) { /* parallel, or nearly */
        second[1] = vec3_madd(second[0], random_between(-2, 2), along);
        second[1] = vec3_madd(second[1], kind == 2 ? pow(10, random_between(-16, -4)) : 0,
                              random_vector(1));
    } else if (kind == 3) { /* on one line */
        second[0] = vec3_madd(first[0], random_between(-2, 2), along);
        second[1] = vec3_madd(first[0], random_between(-2, 2), along);
    } else if (kind == 4) {
        second[1] = second[0];
    } else if (kind == 5) {
        first[1] = first[0];
        second[1] = random_below(2) ? second[0] : second[1];
    }
}

static void check_closest_of_segments(void) {
    int inside = 0;
    for (int round = 0; round < 60000; ++round) {
        Vec3 first[2], second[2];
        random_segments(round % 6, first, second);
        SegmentPair pair = closest_of_segments(first, second);
        double s = pair.parameters[0], t = pair.parameters[1];
        CHECK(s >= 0 && s <= 1 && t >= 0 && t <= 1);
        inside += s > 0 && s < 1 && t > 0 && t < 1;
        Vec3 p = vec3_madd(first[0], s, vec3_sub(first[1], first[0]));
        Vec3 q = vec3_madd(second[0], t, vec3_sub(second[1], second[0]));
        CHECK_BELOW(vec3_distance(p, pair.points[0]) + vec3_distance(q, pair.points[1]), 1e-14);
        CHECK_NEAR(pair.distance, vec3_distance(pair.points[0], pair.points[1]), 0);
        double tolerance = round % 6 == 2 ? 1e-7 : 1e-11;
        CHECK_BELOW(ahead(q, p, first, 2), tolerance);
        CHECK_BELOW(ahead(p, q, second, 2), tolerance);
    }
    CHECK(inside > 1000);
}

/* --- meetings --------------------------------------------------------------------------------- */

/* point and triangle, or the four ends of two segments */
typedef struct Scene {
    int segments;
    MovingPoint at[4];
} Scene;

static int meet(const Scene *scene, Meeting *meeting) {
    return scene->segments ? ccd_segments(scene->at, scene->at + 2, meeting)
                           : ccd_point_triangle(scene->at[0], scene->at + 1, meeting);
}

static void place(const Scene *scene, double t, Vec3 x[4]) {
    for (int i = 0; i < 4; ++i) {
        x[i] = vec3_add(vec3_scale(1 - t, scene->at[i].start), vec3_scale(t, scene->at[i].end));
    }
}

static double scene_distance(const Scene *scene, double t) {
    Vec3 x[4];
    place(scene, t, x);
    return scene->segments ? closest_of_segments(x, x + 2).distance
                           : closest_on_triangle(x[0], x + 1).distance;
}

static double scene_volume(const Scene *scene, double t) {
    Vec3 x[4];
    place(scene, t, x);
    return vec3_dot(vec3_sub(x[1], x[0]), vec3_cross(vec3_sub(x[2], x[0]), vec3_sub(x[3], x[0])));
}

static double scene_size(const Scene *scene) {
    double size = 0;
    for (int i = 1; i < 4; ++i) {
        double start = vec3_distance(scene->at[i].start, scene->at[0].start);
        double end = vec3_distance(scene->at[i].end, scene->at[0].end);
        size = start > size ? start : size;
        size = end > size ? end : size;
    }
    return size;
}

/* The first time, by small steps, at which the volume changes sign while things touch; 2 if none. */
static double first_by_steps(const Scene *scene, int steps) {
    double before = scene_volume(scene, 0);
    for (int i = 1; i <= steps; ++i) {
        double low = (i - 1.0) / steps, high = (double)i / steps, after = scene_volume(scene, high);
        if ((before < 0) != (after < 0)) {
            for (int half = 0; half < 60; ++half) {
                double middle = 0.5 * (low + high);
                *((scene_volume(scene, middle) < 0) == (before < 0) ? &low : &high) = middle;
            }
            if (scene_distance(scene, low) < 1e-9) {
                return low;
            }
        }
        before = after;
    }
    return 2;
}

static void check_meetings_by_steps(int segments) {
    int hits = 0;
    for (int round = 0; round < 20000; ++round) {
        Scene scene = {.segments = segments};
        Vec3 common = random_vector(round % 3 ? 0 : 50);
        for (int i = 0; i < 4; ++i) {
            Vec3 start = random_vector(1);
            Vec3 end = round % 2 ? random_vector(1) : vec3_add(start, random_vector(0.4));
            scene.at[i] = (MovingPoint){start, vec3_add(end, common)};
        }
        double wanted = first_by_steps(&scene, 300);
        Meeting meeting = {.time = 2};
        int met = meet(&scene, &meeting);
        hits += met;
        CHECK(met || wanted > 1);
        CHECK_BELOW(meeting.time, wanted + 1e-6);
        if (met) {
            CHECK_BELOW(scene_distance(&scene, meeting.time), 1.001e-6 * scene_size(&scene));
            /* earlier than the steps say only for two roots within one of them, or a graze */
            CHECK(meeting.time > wanted - 1e-5 || scene_distance(&scene, meeting.time) < 1e-9);
        }
    }
    CHECK(hits > 800 && hits < 5000);
}

/* Things that meet inside at a known time, moved apart from there. `kind`: free motion; within one plane,
 * or out of it by next to nothing; with a needle; far away and fast together. */
static Scene built_scene(int segments, int kind, double time) {
    Scene scene = {.segments = segments};
    Vec3 x[4], common = kind == 3 ? random_vector(100) : vec3(0, 0, 0);
    Vec3 turn = random_below(2) ? random_vector(2) : vec3(0, 0, 0);
    for (int i = 0; i < 4; ++i) {
        x[i] = random_vector(1);
    }
    if (kind == 2) {
        x[3] = vec3_madd(vec3_scale(0.5, vec3_add(x[1], x[2])), pow(10, random_between(-9, -2)),
                         random_vector(1));
    }
    double a = random_between(0.05, 0.9), b = random_between(0.05, 0.95 - a);
    if (segments) {
        Vec3 cross = vec3_add(vec3_scale(1 - a, x[0]), vec3_scale(a, x[1]));
        Vec3 off = vec3_sub(cross, vec3_add(vec3_scale(1 - b, x[2]), vec3_scale(b, x[3])));
        x[2] = vec3_add(x[2], off);
        x[3] = vec3_add(x[3], off);
    } else {
        x[0] = vec3_madd(vec3_madd(vec3_scale(1 - a - b, x[1]), a, x[2]), b, x[3]);
    }
    double aside = kind == 1 ? (random_below(2) ? pow(10, random_between(-18, -3)) : 0) : 1;
    for (int i = 0; i < 4; ++i) {
        Vec3 speed = random_vector(2), place_then = x[i];
        if (kind == 1) {
            speed.z *= aside;
            place_then.z = 0;
        }
        /* turned, so that rounding has its say about what one plane is */
        speed = vec3_add(guess_rotate(turn, speed), common);
        place_then = guess_rotate(turn, place_then);
        scene.at[i] = (MovingPoint){vec3_madd(place_then, -time, speed),
                                    vec3_madd(place_then, 1 - time, speed)};
    }
    return scene;
}

static void check_built_meetings(int segments) {
    for (int round = 0; round < 40000; ++round) {
        int kind = round % 4;
        double time = round % 7 ? random_between(0.01, 0.99) : round % 2;
        Scene scene = built_scene(segments, kind, time);
        Meeting meeting = {.time = 2};
        CHECK(meet(&scene, &meeting));
        CHECK_BELOW(meeting.time, time + 1e-5);
        if (meeting.time <= 1) {
            CHECK_BELOW(scene_distance(&scene, meeting.time), 1.001e-6 * scene_size(&scene));
            const double *w = meeting.weights;
            CHECK(segments ? w[0] >= 0 && w[0] <= 1 && w[1] >= 0 && w[1] <= 1
                           : fabs(w[0] + w[1] + w[2] - 1) < 1e-9);
        }
    }
}

static void check_odd_meetings(void) {
    Meeting meeting = {.time = 7};
    Scene still = {0}, apart = {0}, broken = {0};
    CHECK(ccd_point_triangle(still.at[0], still.at + 1, &meeting));
    CHECK_NEAR(meeting.time, 0, 0);
    CHECK(ccd_segments(still.at, still.at + 2, &meeting));
    CHECK_NEAR(meeting.time, 0, 0);
    meeting.time = 7;
    for (int i = 0; i < 4; ++i) { /* all on one line, never near; then no numbers */
        apart.at[i] = (MovingPoint){vec3(i ? 3 + i : 0, 0, 0), vec3(i ? 5 + i : 2, 0, 0)};
        broken.at[i] = (MovingPoint){random_vector(1), vec3(i ? 1 : NAN, INFINITY, 0)};
    }
    CHECK(!ccd_point_triangle(apart.at[0], apart.at + 1, &meeting));
    CHECK(!ccd_point_triangle(broken.at[0], broken.at + 1, &meeting));
    CHECK(!ccd_segments(broken.at, broken.at + 2, &meeting));
    CHECK_NEAR(meeting.time, 7, 0);
    /* along one line onto a triangle without area: over its corner at x = 4 */
    apart.at[0].end = vec3(10, 0, 0);
    for (int i = 1; i < 4; ++i) {
        apart.at[i].end = apart.at[i].start;
    }
    CHECK(ccd_point_triangle(apart.at[0], apart.at + 1, &meeting));
    CHECK_NEAR(meeting.time, 0.4, 1e-6);
    /* likewise two segments, with their ends */
    apart.at[1] = (MovingPoint){vec3(-1, 0, 0), vec3(9, 0, 0)};
    apart.at[2].start = apart.at[2].end = vec3(4, 0, 0);
    CHECK(ccd_segments(apart.at, apart.at + 2, &meeting));
    CHECK_NEAR(meeting.time, 0.4, 1e-6);
    /* a near miss: a point passes a corner at 1e-4 of the size */
    Scene miss = {.at = {{{-1, -1e-4, 1}, {-1, -1e-4, -1}},
                         {{-1, 0, 0}, {-1, 0, 0}},
                         {{1, 0, 0}, {1, 0, 0}},
                         {{0, 1, 0}, {0, 1, 0}}}};
    CHECK(!meet(&miss, &meeting));
    miss.at[0].start.y = miss.at[0].end.y = 0;
    CHECK(meet(&miss, &meeting));
    CHECK_NEAR(meeting.time, 0.5, 1e-6);
}

/* Within a plane a side turns about a point so that it touches it once and leaves again: a double root, which rounding may
 * lose. */
static void check_touches(void) {
    for (int round = 0; round < 500; ++round) {
        double when = random_between(0.1, 0.9), turn = random_between(0, 6);
        double leave = random_between(0.5, 2), c = cos(turn), s = sin(turn);
        const double from[3][2] = {{-1, 0}, {1, 0}, {0, -3}};
        const double way[3][2] = {{-leave, 1}, {0, -1}, {0, 0}}; /* through these at that time */
        Vec3 place = random_vector(1);
        MovingPoint corners[3], point = {place, place};
        for (int k = 0; k < 3; ++k) {
            Vec3 ends[2];
            for (int end = 0; end < 2; ++end) {
                double t = end - when, x = from[k][0] + t * way[k][0],
                       y = from[k][1] + t * way[k][1];
                ends[end] = vec3_add(place, vec3(c * x - s * y, s * x + c * y, 0));
            }
            corners[k] = (MovingPoint){ends[0], ends[1]};
        }
        Meeting meeting = {.time = 7};
        CHECK(ccd_point_triangle(point, corners, &meeting));
        CHECK_NEAR(meeting.time, when, 0.01);
    }
}

int main(void) {
    random_start(5);
    const int counts[] = {0, 1, 2, 3, 4, 5, 8, 9, 100, 1000, MOST};
    for (int i = 0; i < (int)(sizeof counts / sizeof *counts); ++i) {
        check_tree(counts[i], 0.05, 1);
    }
    check_tree(500, 0.1, 0); /* all with one corner in common */
    check_tree(500, 0, 1);   /* points */
    check_far_nearest();
    check_odd_boxes();
    check_tree_threads();
    check_closest_on_triangle();
    check_needles();
    check_closest_of_segments();
    for (int segments = 0; segments < 2; ++segments) {
        check_meetings_by_steps(segments);
        check_built_meetings(segments);
    }
    check_odd_meetings();
    check_touches();
    return check_result();
}
