/* Sides are sorted once; motion only changes boxes. */
#include "inspection/inspected_surface.h"

#include <stdlib.h>

#include "base/sort.h"
#include "mesh/adjacency.h"

typedef struct SurfaceSide {
    Side side; /* its order is the triangle */
    int place; /* in that triangle */
} SurfaceSide;

static void number_edges(InspectedSurface *surface, const SurfaceSide *sides) {
    int count = 0;
    for (int s = 0; s < 3 * surface->triangle_count; ++s) {
        const Side *side = &sides[s].side;
        if (s == 0 || !side_is_same(side, &sides[s - 1].side)) {
            surface->edges[count][0] = side->a;
            surface->edges[count][1] = side->b;
            surface->first[count++] = side->order;
        }
        surface->sides[side->order][sides[s].place] = count - 1;
    }
    surface->edge_count = count;
}

StatusCode inspected_surface_build(InspectedSurface *surface, int vertex_count, int triangle_count,
                                   const int (*triangles)[3], const Vec3 *x, Store *store,
                                   Status *status) {
    size_t side_count = 3 * (size_t)triangle_count;
    *surface = (InspectedSurface){
        .vertex_count = vertex_count,
        .triangle_count = triangle_count,
        .triangles = triangles,
        .x = x,
        .edges = store_take(store, side_count, sizeof *surface->edges),
        .sides = store_take(store, (size_t)triangle_count, sizeof *surface->sides),
        .first = STORE_ARRAY(store, int, side_count),
        .boxes = STORE_ARRAY(store, Box, triangle_count)};
    SurfaceSide *sides = SCRATCH_ARRAY(SurfaceSide, side_count);
    if (store->failed || !sides) {
        free(sides);
        return status_no_memory(status, "a surface");
    }
    for (int t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            sides[3 * t + k] =
                (SurfaceSide){side_between(triangles[t][k], triangles[t][(k + 1) % 3], t), k};
        }
        surface->boxes[t] = box_of_listed(x, triangles[t], 3);
    }
    bool sorted = sort_records(sides, side_count, sizeof *sides, vertex_count, side_compare);
    if (sorted) {
        number_edges(surface, sides);
    }
    free(sides);
    return sorted ? bvh_build(&surface->tree, triangle_count, surface->boxes, store, status)
                  : status_no_memory(status, "a surface");
}

static void update_boxes(void *context, int begin, int end) {
    InspectedSurface *surface = context;
    for (int t = begin; t < end; ++t) {
        surface->boxes[t] = box_of_listed(surface->x, surface->triangles[t], 3);
    }
}

void inspected_surface_update(InspectedSurface *surface, Pool *pool) {
    pool_run(pool, surface->triangle_count, update_boxes, surface);
    bvh_refit(&surface->tree, pool, surface->boxes);
}
