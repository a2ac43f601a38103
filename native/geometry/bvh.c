/* Splitting at the median along the longest side needs no cost model, and gives a shape that motion never changes. */
#include "geometry/bvh.h"

#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "geometry/lanes.h"

/* Depth-first, at most one node a level waits besides the last two: 2^31 primitives have 30 levels. */
#define STACK 40
/* Levels narrower than this are not worth waking threads for. */
#define WIDE 1024

/* First primitive (by place) of range `j` of 2^level. Halving a range gives the two below it. */
static int range_begin(int count, int level, int64_t j) { return (int)((count * j) >> level); }

/* --- building --------------------------------------------------------------------------------- */

/* The middle of a box along an axis; boxes without one go to the origin. */
static double middle(const Box *box, int axis) {
    double value = 0.5 * vec3_along(box->low, axis) + 0.5 * vec3_along(box->high, axis);
    return isfinite(value) ? value : 0.0;
}

static int longest_axis(const BvhPlace *places, int count, const Box *boxes) {
    Box span = box_empty();
    for (int i = 0; i < count; ++i) {
        const Box *box = &boxes[places[i].primitive];
        span = box_with_point(span, vec3(middle(box, 0), middle(box, 1), middle(box, 2)));
    }
    return box_longest_axis(&span);
}

static bool is_before(BvhPlace a, BvhPlace b) {
    return a.key != b.key ? a.key < b.key : a.primitive < b.primitive;
}

static void swap(BvhPlace *a, BvhPlace *b) {
    BvhPlace kept = *a;
    *a = *b;
    *b = kept;
}

/* Brings the `nth` smallest to its place, smaller ones before it. No two are equal, and pivots drawn
 * by a fixed sequence keep the time linear whatever the input. */
static void select_nth(BvhPlace *places, int count, int nth) {
    int begin = 0, end = count;
    uint32_t draw = 2463534242u;
    while (end - begin > 1) {
        draw ^= draw << 13;
        draw ^= draw >> 17;
        draw ^= draw << 5;
        swap(&places[begin + (int)(draw % (uint32_t)(end - begin))], &places[end - 1]);
        int pivot = begin;
        for (int i = begin; i < end - 1; ++i) {
            if (is_before(places[i], places[end - 1])) {
                swap(&places[i], &places[pivot++]);
            }
        }
        swap(&places[pivot], &places[end - 1]);
        if (nth == pivot) {
            return;
        }
        if (nth < pivot) {
            end = pivot;
        } else {
            begin = pivot + 1;
        }
    }
}

void bvh_cut(BvhPlace *places, int count, int first, const Box *boxes) {
    int axis = longest_axis(places, count, boxes);
    for (int i = 0; i < count; ++i) {
        places[i].key = middle(&boxes[places[i].primitive], axis);
    }
    select_nth(places, count, first);
}

StatusCode bvh_build(Bvh *bvh, int count, const Box *boxes, Store *store, Status *status) {
    *bvh = (Bvh){.count = count};
    while ((((int64_t)count - 1) >> bvh->levels) + 1 > BVH_LEAF) {
        ++bvh->levels;
    }
    bvh->order = STORE_ARRAY(store, int, count);
    bvh->boxes = STORE_ARRAY(store, Box, count);
    bvh->nodes = STORE_ARRAY(store, Box, ((size_t)2 << bvh->levels) - 1);
    BvhPlace *places = SCRATCH_ARRAY(BvhPlace, count);
    if (store->failed || !places) {
        free(places);
        return status_no_memory(status, "a tree of boxes");
    }
    for (int i = 0; i < count; ++i) {
        places[i].primitive = i;
    }
    for (int level = 0; level < bvh->levels; ++level) {
        for (int64_t j = 0; j < (int64_t)1 << level; ++j) {
            int begin = range_begin(count, level, j), end = range_begin(count, level, j + 1);
            int half = range_begin(count, level + 1, 2 * j + 1);
            INVARIANT(begin <= half && half <= end && end <= count);
            bvh_cut(places + begin, end - begin, half - begin, boxes);
        }
    }
    for (int i = 0; i < count; ++i) {
        bvh->order[i] = places[i].primitive;
    }
    free(places);
    bvh_refit(bvh, NULL, boxes);
    return STATUS_OK;
}

/* --- moving ----------------------------------------------------------------------------------- */

typedef struct Refit {
    Bvh *bvh;
    const Box *boxes;
    int first; /* node of the level, first from the left */
} Refit;

static void refit_leaves(void *context, int begin, int end) {
    const Refit *refit = context;
    Bvh *bvh = refit->bvh;
    for (int leaf = begin; leaf < end; ++leaf) {
        Box box = box_empty();
        int last = bvh_leaf_begin(bvh, leaf + 1);
        for (int i = bvh_leaf_begin(bvh, leaf); i < last; ++i) {
            bvh->boxes[i] = refit->boxes[bvh->order[i]];
            box = box_join(box, bvh->boxes[i]);
        }
        bvh->nodes[refit->first + leaf] = box;
    }
}

static void refit_nodes(void *context, int begin, int end) {
    const Refit *refit = context;
    Box *nodes = refit->bvh->nodes;
    for (int i = refit->first + begin; i < refit->first + end; ++i) {
        nodes[i] = box_join(nodes[2 * i + 1], nodes[2 * i + 2]);
    }
}

void bvh_refit(Bvh *bvh, Pool *pool, const Box *boxes) {
    for (int level = bvh->levels; level >= 0; --level) {
        int width = 1 << level;
        Refit refit = {bvh, boxes, width - 1};
        PoolTask task = level == bvh->levels ? refit_leaves : refit_nodes;
        pool_run(width >= WIDE ? pool : NULL, width, task, &refit);
    }
}

/* --- queries ---------------------------------------------------------------------------------- */

void bvh_visit(const Bvh *bvh, const Box *box, BvhVisit visit, void *context) {
    int stack[STACK], waiting = 0, first_leaf = (1 << bvh->levels) - 1;
    stack[waiting++] = 0;
    while (waiting > 0) {
        int node = stack[--waiting];
        INVARIANT(waiting + 2 <= STACK && node < 2 * first_leaf + 1);
        if (!box_overlaps(&bvh->nodes[node], box)) {
            continue;
        }
        if (node < first_leaf) {
            stack[waiting++] = 2 * node + 2;
            stack[waiting++] = 2 * node + 1;
            continue;
        }
        int leaf = node - first_leaf, end = bvh_leaf_begin(bvh, leaf + 1);
        for (int i = bvh_leaf_begin(bvh, leaf); i < end; ++i) {
            if (box_overlaps(&bvh->boxes[i], box) && visit(context, bvh->order[i])) {
                return;
            }
        }
    }
}

/* --- with four branches: a query is mostly a matter of reading boxes ------------------------------ */

/* By which a coordinate of a box is put outward, over itself: more than rounding to single precision takes from it and
 * from that of a point nearby. What it takes from one far away is small beside the distance: */
#define ROUNDED 4e-7
#define ROUNDED_SQUARE 1e-5
/* Three branches a level wait at most besides the last four: 2^31 primitives have 15 levels. */
#define WIDE_STACK 64
/* Levels narrower than this are not worth waking threads for. */
#define WIDE_LEVEL 512

typedef int16_t Shorts __attribute__((vector_size(2 * WIDE_BVH_LANES)));

_Static_assert(BVH_LEAF <= WIDE_BVH_LANES, "a quad holds a leaf");

StatusCode wide_bvh_build_over(WideBvh *tree, const Bvh *shape, Store *store, Status *status) {
    *tree = (WideBvh){.shape = *shape, .twigs = shape->levels % 2 ? 2 : 4};
    for (int level = 0, width = 1; level < shape->levels; level += 2, width *= 4) {
        tree->last = tree->inner;
        tree->inner += width;
    }
    tree->quads =
        STORE_ARRAY(store, WideBvhQuad, (size_t)tree->inner + ((size_t)1 << shape->levels));
    return store->failed ? status_no_memory(status, "a tree of boxes") : STATUS_OK;
}

StatusCode wide_bvh_build(WideBvh *tree, int count, const Box *boxes, Store *store,
                          Status *status) {
    Bvh shape;
    StatusCode code = bvh_build(&shape, count, boxes, store, status);
    code = code ? code : wide_bvh_build_over(tree, &shape, store, status);
    if (code == STATUS_OK) {
        wide_bvh_refit(tree, NULL, bvh_box(&shape), boxes);
    }
    return code;
}

/* The first of the branches of an inner quad; `count` of them. */
static int branches_of(const WideBvh *tree, int quad, int *count) {
    bool lowest = quad >= tree->last;
    *count = lowest ? tree->twigs : WIDE_BVH_LANES;
    return lowest ? tree->inner + tree->twigs * (quad - tree->last) : WIDE_BVH_LANES * quad + 1;
}

/* --- moving ----------------------------------------------------------------------------------- */

typedef struct WideRefit {
    WideBvh *tree;
    const Box *boxes;
    int first; /* quad of the level */
} WideRefit;

static void empty_quad(WideBvhQuad *quad) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int lane = 0; lane < WIDE_BVH_LANES; ++lane) {
            quad->low[axis][lane] = INFINITY;
            quad->high[axis][lane] = -INFINITY;
        }
    }
}

/* A coordinate seen from the middle's, rounded down (side -1) or up (1) by more than any rounding takes. What is no
 * number becomes an empty box's: it must not hide the boxes beside it. */
static float outward(double value, double middle, double side) {
    double seen = value - middle, lost = ROUNDED * fabs(seen) + 4 * DBL_EPSILON * fabs(middle);
    if (isnan(seen)) {
        return (float)(-side * INFINITY);
    }
    return (float)(isfinite(seen) ? seen + side * lost : seen);
}

static void refit_wide_leaves(void *context, int begin, int end) {
    const WideRefit *refit = context;
    const WideBvh *tree = refit->tree;
    for (int leaf = begin; leaf < end; ++leaf) {
        WideBvhQuad *quad = &tree->quads[tree->inner + leaf];
        int first = bvh_leaf_begin(&tree->shape, leaf);
        int count = bvh_leaf_begin(&tree->shape, leaf + 1) - first;
        empty_quad(quad);
        for (int lane = 0; lane < count; ++lane) {
            const Box *box = &refit->boxes[tree->shape.order[first + lane]];
            if (box->low.x > box->high.x) {
                continue;
            }
            for (int axis = 0; axis < 3; ++axis) {
                double middle = vec3_along(tree->middle, axis);
                quad->low[axis][lane] = outward(vec3_along(box->low, axis), middle, -1);
                quad->high[axis][lane] = outward(vec3_along(box->high, axis), middle, 1);
            }
        }
    }
}

static float least(const float lanes[WIDE_BVH_LANES]) {
    float a = lanes[0] < lanes[1] ? lanes[0] : lanes[1];
    float b = lanes[2] < lanes[3] ? lanes[2] : lanes[3];
    return a < b ? a : b;
}

static float most(const float lanes[WIDE_BVH_LANES]) {
    float a = lanes[0] > lanes[1] ? lanes[0] : lanes[1];
    float b = lanes[2] > lanes[3] ? lanes[2] : lanes[3];
    return a > b ? a : b;
}

static void refit_inner(void *context, int begin, int end) {
    const WideRefit *refit = context;
    const WideBvh *tree = refit->tree;
    for (int q = refit->first + begin; q < refit->first + end; ++q) {
        int count, first = branches_of(tree, q, &count);
        empty_quad(&tree->quads[q]);
        for (int lane = 0; lane < count; ++lane) {
            const WideBvhQuad *branch = &tree->quads[first + lane];
            for (int axis = 0; axis < 3; ++axis) {
                tree->quads[q].low[axis][lane] = least(branch->low[axis]);
                tree->quads[q].high[axis][lane] = most(branch->high[axis]);
            }
        }
    }
}

void wide_bvh_refit(WideBvh *tree, Pool *pool, const Box *around, const Box *boxes) {
    tree->middle = box_middle(around);
    WideRefit refit = {tree, boxes, 0};
    int leaves = bvh_leaves(&tree->shape);
    pool_run(leaves >= WIDE_LEVEL ? pool : NULL, leaves, refit_wide_leaves, &refit);
    for (int end = tree->inner; end > 0; end = refit.first) {
        refit.first = (end - 1) / WIDE_BVH_LANES; /* the level begins after all that are above it */
        int width = end - refit.first;
        pool_run(width >= WIDE_LEVEL ? pool : NULL, width, refit_inner, &refit);
    }
}

Box wide_bvh_box(const WideBvh *tree) {
    const WideBvhQuad *root = tree->quads;
    Vec3 low = vec3(least(root->low[0]), least(root->low[1]), least(root->low[2]));
    Vec3 high = vec3(most(root->high[0]), most(root->high[1]), most(root->high[2]));
    return (Box){vec3_add(tree->middle, low), vec3_add(tree->middle, high)};
}

/* --- searching -------------------------------------------------------------------------------- */

typedef struct Branch {
    float squared; /* distance, m^2 */
    int quad;
} Branch;

static inline Four positive(Four a) { return (Four)((Signs)a & (a > 0.0F)); }

/* Distances of a point to the four boxes, squared; infinite to empty ones. */
static inline Four distances(const WideBvhQuad *quad, const float point[3]) {
    Four sum = {0};
    for (int axis = 0; axis < 3; ++axis) {
        Four gap = positive(*(const Four *)quad->low[axis] - point[axis]) +
                   positive(point[axis] - *(const Four *)quad->high[axis]);
        sum += gap * gap;
    }
    return sum;
}

static float limit_of(double reach) { return (float)(reach * reach * (1.0 + ROUNDED_SQUARE)); }

void wide_bvh_search(const WideBvh *tree, Vec3 point, double reach, WideBvhOffer offer,
                     void *context) {
    if (!isfinite(point.x + point.y + point.z)) {
        return;
    }
    Vec3 from = vec3_sub(point, tree->middle);
    const float at[3] = {(float)from.x, (float)from.y, (float)from.z};
    float limit = limit_of(reach);
    Branch stack[WIDE_STACK] = {{0, 0}};
    int waiting = 1;
    while (waiting > 0) {
        Branch branch = stack[--waiting];
        if (!(branch.squared <= limit)) {
            continue;
        }
        Four squared = distances(&tree->quads[branch.quad], at);
        if (branch.quad >= tree->inner) {
            int leaf = branch.quad - tree->inner, first = bvh_leaf_begin(&tree->shape, leaf);
            int count = bvh_leaf_begin(&tree->shape, leaf + 1) - first;
            for (int lane = 0; lane < count; ++lane) {
                if (squared[lane] <= limit) {
                    reach = offer(context, tree->shape.order[first + lane], reach);
                    limit = limit_of(reach);
                }
            }
            continue;
        }
        int count, first = branches_of(tree, branch.quad, &count), before = waiting;
        for (int lane = 0; lane < count; ++lane) { /* the nearest on top */
            if (squared[lane] <= limit) {
                int k = waiting++;
                for (; k > before && stack[k - 1].squared < squared[lane]; --k) {
                    stack[k] = stack[k - 1];
                }
                stack[k] = (Branch){squared[lane], first + lane};
            }
        }
    }
}

/* --- level by level --------------------------------------------------------------------------- */

/* Boxes within a distance of a point, or that overlap one. Seen from its middle. */
typedef struct Query {
    float point[3], limit; /* of squared distances, m^2 */
    float low[3], high[3];
} Query;

static inline Signs is_within(const WideBvhQuad *quad, const Query *query) {
    return distances(quad, query->point) <= query->limit;
}

static inline Signs overlaps(const WideBvhQuad *quad, const Query *query) {
    Signs all = {-1, -1, -1, -1};
    for (int axis = 0; axis < 3; ++axis) {
        all &= (*(const Four *)quad->low[axis] <= query->high[axis]) &
               (*(const Four *)quad->high[axis] >= query->low[axis]);
    }
    return all;
}

/* Compilers know which of the two it is wherever this is used. */
static inline Signs test(const WideBvhQuad *quad, const Query *query, bool near) {
    return near ? is_within(quad, query) : overlaps(quad, query);
}

/* The lanes that are set in a number of four bits, one after the other, and how many they are. */
static const Signs lanes_set[16] = {{0},    {0},       {1},       {0, 1},      {2},    {0, 2},
                                    {1, 2}, {0, 1, 2}, {3},       {0, 3},      {1, 3}, {0, 1, 3},
                                    {2, 3}, {0, 2, 3}, {1, 2, 3}, {0, 1, 2, 3}};
static const uint8_t lanes_count[16] = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};

/* Appends those of four neighbours that are found. Without a branch, which would be unpredictable and take longer than all
 * else. Writes four. */
static inline int append(Signs found, int first, int *list, int count) {
    uint64_t lanes = (uint64_t) __builtin_convertvector(found, Shorts) & 0x0008000400020001;
    int bits = (int)((lanes * 0x0001000100010001) >> 48);
    Signs neighbours = lanes_set[bits] + first;
    memcpy(list + count, &neighbours, sizeof neighbours);
    return count + lanes_count[bits];
}

#define FRONT (WIDE_BVH_GATHERED + WIDE_BVH_LANES)

/* Lists the leaves' quads that may match the query, in their order; -1 if there are too many. */
static inline __attribute__((always_inline)) int
find_leaves(const WideBvh *tree, const Query *query, bool near, int leaves[FRONT]) {
    int other[FRONT], *from = leaves, *to = other, count = 1;
    from[0] = 0;
    for (int first = 0; first < tree->inner; first = WIDE_BVH_LANES * first + 1) {
        int found = 0;
        for (int i = 0; i < count; ++i) {
            int unused, q = from[i];
            if (found > WIDE_BVH_GATHERED) {
                return -1;
            }
            found = append(test(&tree->quads[q], query, near), branches_of(tree, q, &unused), to,
                           found);
        }
        int *kept = from;
        from = to;
        to = kept;
        count = found;
    }
    for (int i = 0; from != leaves && i < count; ++i) {
        leaves[i] = from[i];
    }
    return count;
}

/* Likewise the places of primitives. */
static inline __attribute__((always_inline)) int
find_places(const WideBvh *tree, const Query *query, bool near, int places[FRONT]) {
    int leaves[FRONT], count = find_leaves(tree, query, near, leaves), found = 0;
    for (int i = 0; i < count; ++i) {
        int first = bvh_leaf_begin(&tree->shape, leaves[i] - tree->inner);
        if (found > WIDE_BVH_GATHERED) {
            return -1;
        }
        found = append(test(&tree->quads[leaves[i]], query, near), first, places, found);
    }
    return count < 0 ? -1 : found;
}

int wide_bvh_gather(const WideBvh *tree, Vec3 point, double reach, int primitives[FRONT]) {
    if (!vec3_is_finite(point)) {
        return 0;
    }
    Vec3 from = vec3_sub(point, tree->middle);
    Query query = {.point = {(float)from.x, (float)from.y, (float)from.z},
                   .limit = fminf(limit_of(reach), FLT_MAX)}; /* empty boxes are infinitely far */
    int count = find_places(tree, &query, true, primitives);
    for (int i = 0; i < count; ++i) {
        primitives[i] = tree->shape.order[primitives[i]];
    }
    return count;
}

/* Depth first, however many there are. */
static void visit_deep(const WideBvh *tree, const Query *query, BvhVisit visit, void *context) {
    int stack[WIDE_STACK] = {0}, waiting = 1;
    while (waiting > 0) {
        int q = stack[--waiting], count;
        Signs found = overlaps(&tree->quads[q], query);
        if (q >= tree->inner) {
            int first = bvh_leaf_begin(&tree->shape, q - tree->inner);
            count = bvh_leaf_begin(&tree->shape, q - tree->inner + 1) - first;
            for (int lane = 0; lane < count; ++lane) {
                if (found[lane] && visit(context, tree->shape.order[first + lane])) {
                    return;
                }
            }
            continue;
        }
        int first = branches_of(tree, q, &count);
        for (int lane = count; lane-- > 0;) { /* the first on top */
            if (found[lane]) {
                stack[waiting++] = first + lane;
            }
        }
    }
}

void wide_bvh_visit(const WideBvh *tree, const Box *box, BvhVisit visit, void *context) {
    Query query; /* empty boxes are at infinity: they overlap nothing finite */
    for (int axis = 0; axis < 3; ++axis) {
        double middle = vec3_along(tree->middle, axis);
        query.low[axis] = fmaxf(outward(vec3_along(box->low, axis), middle, -1), -FLT_MAX);
        query.high[axis] = fminf(outward(vec3_along(box->high, axis), middle, 1), FLT_MAX);
    }
    int places[FRONT], count = find_places(tree, &query, false, places);
    if (count < 0) {
        visit_deep(tree, &query, visit, context);
    }
    for (int i = 0; i < count; ++i) {
        if (visit(context, tree->shape.order[places[i]])) {
            return;
        }
    }
}
