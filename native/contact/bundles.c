/* Ranges of vertices have boxes, and a bundle joins those of the ranges it has corners in: cheaper than a tree, as
 * cloth is numbered along itself. */
#include "contact/bundles.h"

#include <stdlib.h>

#include "base/memory.h"

/* Vertices a range. */
#define RANGE 64

/* Counts the ranges of a bundle, and writes them where `ranges` is not null. `seen` is per range the last bundle, plus
 * one, that has it. */
static int list_ranges(const Skin *skin, int begin, int end, int mark, int *seen, int *ranges) {
    int count = 0;
    for (int item = begin; item < end; ++item) {
        bool on_edge = item >= skin->triangle_count;
        const int *v = on_edge ? skin->edges[item - skin->triangle_count] : skin->triangles[item];
        for (int c = 0; c < (on_edge ? 2 : 3); ++c) {
            int range = v[c] / RANGE;
            if (seen[range] != mark) {
                seen[range] = mark;
                if (ranges) {
                    ranges[count] = range;
                }
                ++count;
            }
        }
    }
    return count;
}

StatusCode bundles_build(Bundles *bundles, const Skin *skin, Store *store, Status *status) {
    int items = skin->triangle_count + skin->edge_count;
    *bundles = (Bundles){.count = (items + BUNDLE_ITEMS - 1) / BUNDLE_ITEMS,
                         .item_count = items,
                         .range_count = (skin->vertex_count + RANGE - 1) / RANGE,
                         .vertex_count = skin->vertex_count};
    bundles->start = STORE_ARRAY(store, int, bundles->count + 1);
    bundles->boxes = STORE_ARRAY(store, Box, bundles->range_count);
    int *seen = SCRATCH_ARRAY(int, bundles->range_count);
    for (int filling = 0; filling < 2 && seen && !store->failed; ++filling) {
        for (int b = 0; b < bundles->count; ++b) {
            int begin = bundles_begin(bundles, b), end = bundles_begin(bundles, b + 1);
            int *ranges = filling ? bundles->ranges + bundles->start[b] : NULL;
            int mark = 1 + b + filling * bundles->count;
            bundles->start[b + 1] =
                bundles->start[b] + list_ranges(skin, begin, end, mark, seen, ranges);
        }
        if (!filling) {
            bundles->ranges = STORE_ARRAY(store, int, bundles->start[bundles->count]);
        }
    }
    bool failed = !seen || store->failed;
    free(seen);
    return failed ? status_no_memory(status, "the bundles of the surface") : STATUS_OK;
}

typedef struct SweepWork {
    Bundles *bundles;
    const Vec3 *x, *z;
} SweepWork;

static void sweep_ranges(void *context, int begin, int end) {
    const SweepWork *work = context;
    const Bundles *bundles = work->bundles;
    for (int b = begin; b < end; ++b) {
        int last = b + 1 < bundles->range_count ? RANGE * (b + 1) : bundles->vertex_count;
        Box box = box_empty();
        for (int v = RANGE * b; v < last; ++v) {
            box = box_with_point(box_with_point(box, work->x[v]), work->z[v]);
        }
        bundles->boxes[b] = box;
    }
}

void bundles_sweep(Bundles *bundles, Pool *pool, const Vec3 *x, const Vec3 *z) {
    SweepWork work = {bundles, x, z};
    pool_run(pool, bundles->range_count, sweep_ranges, &work);
}

Box bundles_box(const Bundles *bundles, int bundle) {
    Box box = box_empty();
    for (int i = bundles->start[bundle]; i < bundles->start[bundle + 1]; ++i) {
        box = box_join(box, bundles->boxes[bundles->ranges[i]]);
    }
    return box;
}
