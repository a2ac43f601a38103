/* Boxes first, then vertices in order, then the line between the middles: what is left is few. */
#include "contact/self/swept_surface.h"

#include <stdlib.h>
#include <string.h>

/* By which boxes are larger than what they hold, m: what is nearer than that touches. */
#define MARGIN 1e-8

/* --- building --------------------------------------------------------------------------------- */

/* The triangles, then the edges that no triangle has. Returns how many there are. */
static int collect_elements(const Skin *skin, SweptElement *elements, uint8_t *has_face) {
    int count = 0;
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        elements[count++] = (SweptElement){.vertices = {v[0], v[1], v[2]}, .corners = 3};
        for (int k = 0; k < 3; ++k) {
            has_face[skin_edge(skin, v[k], v[(k + 1) % 3])] = 1;
        }
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (!has_face[e]) {
            const int *v = skin->edges[e];
            elements[count++] = (SweptElement){.vertices = {v[0], v[1], v[1]}, .corners = 2};
        }
    }
    return count;
}

/* The first element that has a vertex or an edge answers for it. */
static void share_out(const Skin *skin, SweptSurface *surface, uint8_t *edge_taken,
                      uint8_t *vertex_taken) {
    for (int i = 0; i < surface->count; ++i) {
        SweptElement *element = &surface->elements[i];
        int sides = element->corners == 3 ? 3 : 1;
        for (int k = 0; k < element->corners; ++k) {
            int v = element->vertices[k];
            element->own_vertices |= (uint8_t)((vertex_taken[v] == 0) << k);
            vertex_taken[v] = 1;
        }
        for (int k = 0; k < sides; ++k) {
            int e = skin_edge(skin, element->vertices[k], element->vertices[(k + 1) % 3]);
            element->own_sides |= (uint8_t)((edge_taken[e] == 0) << k);
            edge_taken[e] = 1;
        }
    }
}

StatusCode swept_surface_build(SweptSurface *surface, const Skin *skin, Store *store,
                               Status *status) {
    size_t edges = (size_t)skin->edge_count, most = (size_t)skin->triangle_count + edges;
    uint8_t *edge_marks = SCRATCH_ARRAY(uint8_t, 2 * edges);
    uint8_t *vertex_marks = SCRATCH_ARRAY(uint8_t, skin->vertex_count);
    int(*corners)[3] = scratch_take(most, sizeof *corners);
    *surface = (SweptSurface){.vertex_count = skin->vertex_count};
    surface->elements = STORE_ARRAY(store, SweptElement, most);
    StatusCode code = STATUS_OK;
    if (!edge_marks || !vertex_marks || !corners || store->failed) {
        code = status_no_memory(status, "moving boxes");
    } else {
        surface->count = collect_elements(skin, surface->elements, edge_marks);
        share_out(skin, surface, edge_marks + edges, vertex_marks);
        for (int e = 0; e < surface->count; ++e) {
            memcpy(corners[e], surface->elements[e].vertices, sizeof corners[e]);
        }
        code = swept_tree_build(&surface->tree, surface->count, (const int(*)[3])corners,
                                skin->vertex_count, skin->rest, store, status);
    }
    free(edge_marks);
    free(vertex_marks);
    free(corners);
    return code == STATUS_OK ? fans_build(&surface->fans, skin, store, status) : code;
}

void swept_surface_place(SweptSurface *surface, Pool *pool, const Vec3 *x, const Vec3 *z) {
    swept_tree_place(&surface->tree, pool, x, z, MARGIN);
    fans_find(&surface->fans, pool, x, z);
    swept_tree_settle(&surface->tree, pool, 1, surface->fans.in_order);
}

void swept_surface_move(SweptSurface *surface, Pool *pool, const Vec3 *z, const uint8_t *moved) {
    swept_tree_move(&surface->tree, pool, z, moved);
    /* Few are awake now: what was in order before is looked at again. */
    memset(surface->fans.in_order, 0, (size_t)surface->vertex_count);
    swept_tree_settle(&surface->tree, pool, 0, NULL);
}

/* --- pairs ------------------------------------------------------------------------------------ */

typedef struct Walk {
    const SweptSurface *surface;
    EffortShare *share;
    SweptSurfaceVisit visit;
    void *context;
} Walk;

static bool has_vertex(const int corners[3], int v) {
    return corners[0] == v || corners[1] == v || corners[2] == v;
}

/* Whether two elements are neighbours around a vertex that keeps its triangles in order, or across a seam. */
static bool are_in_order(const SweptSurface *surface, int first, int second) {
    const int *a = surface->tree.corners[first], *b = surface->tree.corners[second];
    const uint8_t *in_order = surface->fans.in_order;
    return (in_order[a[0]] && has_vertex(b, a[0])) || (in_order[a[1]] && has_vertex(b, a[1])) ||
           (in_order[a[2]] && has_vertex(b, a[2])) || skin_is_sewn(surface->fans.skin, a, b);
}

static bool visit_elements(void *context, int element, int *others, int count) {
    const Walk *walk = context;
    if (!effort_take(walk->share, count)) {
        return false;
    }
    int near[SWEPT_BATCH + SWEPT_LANES], found = 0;
    for (int i = 0; i < count; ++i) {
        if (!are_in_order(walk->surface, element, others[i])) {
            near[found++] = others[i];
        }
    }
    for (int lane = 0; lane < SWEPT_LANES; ++lane) { /* to fill up the last lanes */
        near[found + lane] = element;
    }
    for (int begin = 0; begin < found; begin += SWEPT_LANES) {
        SweptRooms rooms;
        swept_tree_rooms(&walk->surface->tree, element, near + begin, &rooms);
        for (int lane = 0; lane < SWEPT_LANES && begin + lane < found; ++lane) {
            if (!((double)rooms.room[0][lane] > MARGIN && (double)rooms.room[1][lane] > MARGIN)) {
                walk->visit(walk->context, element, near[begin + lane]);
            }
        }
    }
    return true;
}

void swept_surface_visit(const SweptSurface *surface, int slice, EffortShare *share,
                         SweptSurfaceVisit visit, void *context) {
    Walk walk = {surface, share, visit, context};
    swept_tree_visit(&surface->tree, slice, visit_elements, &walk);
}
