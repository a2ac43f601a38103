/* Sorting by halves along the longest side needs no model of costs, and gives a shape that motion never changes. */
#include "geometry/bvh.h"

#include <stdint.h>
#include <stdlib.h>

#include "base/invariant.h"

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
        int last = range_begin(bvh->count, bvh->levels, (int64_t)leaf + 1);
        for (int i = range_begin(bvh->count, bvh->levels, leaf); i < last; ++i) {
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
        if (pool && width >= WIDE) {
            pool_run(pool, width, task, &refit);
        } else {
            task(&refit, 0, width);
        }
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
        int leaf = node - first_leaf, end = range_begin(bvh->count, bvh->levels, leaf + 1);
        for (int i = range_begin(bvh->count, bvh->levels, leaf); i < end; ++i) {
            if (box_overlaps(&bvh->boxes[i], box) && visit(context, bvh->order[i])) {
                return;
            }
        }
    }
}
