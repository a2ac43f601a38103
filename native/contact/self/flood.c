/* Both surfaces of a contour may have a region that is cut off: of a sleeve through a flank the cuff and the hole that it
 * makes. The cuff's rim goes one way all around, the rim of the hole away from its middle: a region counts as much as the
 * ways of its rim agree. */
#include "contact/self/flood.h"

#include <string.h>

#include "mesh/adjacency.h"

/* A side of an open contour is nearly cut off if it is smaller than this part of the other side. */
#define NEARLY 0.7

StatusCode flood_build(Flood *flood, const Skin *skin, Store *store, Status *status) {
    int count = skin->vertex_count;
    *flood = (Flood){.area = STORE_ARRAY(store, double, count),
                     .cut = STORE_ARRAY(store, uint8_t, skin->edge_count),
                     .edges = STORE_ARRAY(store, int, skin->edge_count),
                     .region = STORE_ARRAY(store, int, count),
                     .piece = STORE_ARRAY(store, int, count),
                     .rim = STORE_ARRAY(store, int, count),
                     .queue = STORE_ARRAY(store, int, count),
                     .size = STORE_ARRAY(store, double, count),
                     .level = STORE_ARRAY(store, int, count),
                     .largest = STORE_ARRAY(store, int, count),
                     .way = STORE_ARRAY(store, Vec3, count),
                     .pierced = STORE_ARRAY(store, int, count)};
    if (store->failed) {
        return status_no_memory(status, "the tangles of cloth");
    }
    for (int t = 0; t < skin->triangle_count; ++t) {
        const int *v = skin->triangles[t];
        Vec3 along = vec3_sub(skin->rest[v[1]], skin->rest[v[0]]);
        Vec3 across = vec3_sub(skin->rest[v[2]], skin->rest[v[0]]);
        double third = vec3_length(vec3_cross(along, across)) / 6;
        for (int k = 0; k < 3; ++k) {
            flood->area[v[k]] += third;
        }
    }
    return STATUS_OK;
}

/* --- regions ---------------------------------------------------------------------------------- */

static void cut_edges(Flood *flood, const SelfPairs *pairs) {
    memset(flood->cut, 0, (size_t)pairs->skin->edge_count * sizeof *flood->cut);
    for (int i = 0; i < pairs->count; ++i) {
        if (pairs->list[i].kind == PAIR_PIERCING) {
            flood->cut[pairs->list[i].first] ^= 1;
        }
    }
    flood->edge_count = 0;
    for (int e = 0; e < pairs->skin->edge_count; ++e) {
        if (flood->cut[e]) {
            flood->edges[flood->edge_count++] = e;
        }
    }
}

static void join_regions(Flood *flood, const Skin *skin) {
    int count = skin->vertex_count;
    for (int v = 0; v < count; ++v) {
        flood->region[v] = v;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (!flood->cut[e]) {
            components_join_first(flood->region, skin->edges[e][0], skin->edges[e][1]);
        }
    }
    for (int v = 0; skin->sewn && v < count; ++v) {
        if (skin->sewn->knot[v] >= 0) {
            components_join_first(flood->region, v, skin->sewn->knot[v]);
        }
    }
    for (int v = 0; v < count; ++v) {
        flood->region[v] = flood->piece[v] = components_root(flood->region, v);
    }
    for (int i = 0; i < flood->edge_count; ++i) {
        const int *edge = skin->edges[flood->edges[i]];
        components_join_first(flood->piece, edge[0], edge[1]);
    }
}

static void find_largest(Flood *flood, int count) {
    memset(flood->size, 0, (size_t)count * sizeof *flood->size);
    for (int v = 0; v < count; ++v) {
        flood->size[flood->region[v]] += flood->area[v];
        flood->largest[v] = -1;
    }
    for (int v = 0; v < count; ++v) {
        int piece = components_root(flood->piece, v), most = flood->largest[piece];
        if (flood->region[v] == v && (most < 0 || flood->size[v] > flood->size[most])) {
            flood->largest[piece] = v;
        }
    }
}

/* Contours between each region and the largest of its piece. Sweeps until nothing changes: rarely more than two. */
static void find_levels(Flood *flood, const Skin *skin) {
    for (int v = 0; v < skin->vertex_count; ++v) {
        flood->level[v] = flood->largest[components_root(flood->piece, v)] == v ? 0 : INT32_MAX - 1;
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int i = 0; i < flood->edge_count; ++i) {
            const int *edge = skin->edges[flood->edges[i]];
            int *a = &flood->level[flood->region[edge[0]]];
            int *b = &flood->level[flood->region[edge[1]]];
            changed |= *a > *b + 1 || *b > *a + 1;
            *a = *a > *b + 1 ? *b + 1 : *a;
            *b = *b > *a + 1 ? *a + 1 : *b;
        }
    }
}

/* --- open contours ---------------------------------------------------------------------------- */

static bool is_open(const Flood *flood, const int *edge) {
    return flood->region[edge[0]] == flood->region[edge[1]];
}

/* The vertices along open contours, those of one side joined; returns how many there are. */
static int find_rims(Flood *flood, const Skin *skin) {
    int count = 0;
    for (int v = 0; v < skin->vertex_count; ++v) {
        flood->rim[v] = -1;
    }
    for (int i = 0; i < flood->edge_count; ++i) {
        const int *edge = skin->edges[flood->edges[i]];
        for (int k = 0; k < 2 && is_open(flood, edge); ++k) {
            if (flood->rim[edge[k]] < 0) {
                flood->rim[edge[k]] = edge[k];
                flood->queue[count++] = edge[k];
            }
        }
    }
    for (int e = 0; count > 0 && e < skin->edge_count; ++e) {
        const int *edge = skin->edges[e];
        if (!flood->cut[e] && flood->rim[edge[0]] >= 0 && flood->rim[edge[1]] >= 0) {
            components_join_first(flood->rim, edge[0], edge[1]);
        }
    }
    for (int i = 0; i < count; ++i) {
        flood->rim[flood->queue[i]] = components_root(flood->rim, flood->queue[i]);
    }
    return count;
}

/* Each side takes the vertices around it, ring by ring, that no other has taken. */
static void spread_rims(Flood *flood, const Links *links, int count) {
    for (int i = 0; i < count; ++i) {
        int v = flood->queue[i];
        for (int r = links->ring_start[v]; r < links->ring_start[v + 1]; ++r) {
            int other = links->ring[r];
            if (!flood->cut[links->ring_edges[r]] && flood->rim[other] < 0) {
                flood->rim[other] = flood->rim[v];
                flood->queue[count++] = other;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        int v = flood->queue[i];
        flood->size[flood->rim[v]] = 0;
    }
    for (int i = 0; i < count; ++i) {
        int v = flood->queue[i];
        flood->size[flood->rim[v]] += flood->area[v];
        flood->level[flood->rim[v]] = flood->level[flood->region[v]];
    }
    for (int i = 0; i < count; ++i) {
        int v = flood->queue[i];
        flood->region[v] = flood->rim[v];
    }
}

/* Regions that an open contour lies in become the sides of it; a side that is nearly cut off is one level higher. */
static void divide_by_rims(Flood *flood, const SelfPairs *pairs) {
    const Skin *skin = pairs->skin;
    int count = find_rims(flood, skin);
    if (count == 0) {
        return;
    }
    for (int i = 0; i < flood->edge_count;
         ++i) { /* those that are open from here on are below zero */
        int e = flood->edges[i];
        flood->edges[i] = is_open(flood, skin->edges[e]) ? -1 - e : e;
    }
    spread_rims(flood, &pairs->links, count);
    for (int i = 0; i < flood->edge_count; ++i) {
        if (flood->edges[i] >= 0) {
            continue;
        }
        flood->edges[i] = -1 - flood->edges[i];
        const int *edge = skin->edges[flood->edges[i]];
        int a = flood->region[edge[0]], b = flood->region[edge[1]];
        int less = flood->size[a] < flood->size[b] ? a : b, more = less == a ? b : a;
        if (flood->size[less] < NEARLY * flood->size[more] &&
            flood->level[less] == flood->level[more]) {
            ++flood->level[less];
        }
    }
}

/* --- directions ------------------------------------------------------------------------------- */

/* Of these vertices the region of the highest level, and the way from those in it to those of the lowest; -1: all are of one
 * level. */
static int cut_off(const Flood *flood, int count, const int *vertices, const Vec3 *x, Vec3 *out) {
    int high = flood->region[vertices[0]], low = high, inside = 0, outside = 0;
    Vec3 from = {0, 0, 0}, to = {0, 0, 0};
    for (int k = 1; k < count; ++k) {
        int region = flood->region[vertices[k]];
        high = flood->level[region] > flood->level[high] ? region : high;
        low = flood->level[region] < flood->level[low] ? region : low;
    }
    if (flood->level[high] == flood->level[low]) {
        return -1;
    }
    for (int k = 0; k < count; ++k) {
        if (flood->level[flood->region[vertices[k]]] == flood->level[high]) {
            from = vec3_add(from, x[vertices[k]]);
            ++inside;
        } else if (flood->level[flood->region[vertices[k]]] == flood->level[low]) {
            to = vec3_add(to, x[vertices[k]]);
            ++outside;
        }
    }
    *out = vec3_sub(vec3_scale(1.0 / outside, to), vec3_scale(1.0 / inside, from));
    return high;
}

static Vec3 facing(Vec3 normal, Vec3 way) {
    Vec3 zero = {0, 0, 0}, unit = vec3_unit_or(normal, zero);
    return vec3_dot(unit, way) < 0 ? vec3_scale(-1, unit) : unit;
}

/* The region that the edge of a piercing belongs to, and the way that it has to go past the triangle. -1: none. */
static int edge_way(const Flood *flood, const SelfPairs *pairs, const SelfPair *piercing,
                    Vec3 *way) {
    Vec3 out;
    int region = cut_off(flood, 2, pairs->skin->edges[piercing->first], pairs->x, &out);
    if (region >= 0) {
        *way = facing(element_normal(&pairs->links.elements.list[piercing->second], pairs->x), out);
    }
    return region;
}

/* Likewise of the triangle, past the surface around the edge. */
static int triangle_way(const Flood *flood, const SelfPairs *pairs, const SelfPair *piercing,
                        Vec3 *way) {
    const int *edge = pairs->skin->edges[piercing->first];
    const Links *links = &pairs->links;
    Vec3 out, sum = {0, 0, 0}, zero = {0, 0, 0},
              along = vec3_sub(pairs->x[edge[1]], pairs->x[edge[0]]);
    int region = cut_off(flood, 3, links->elements.list[piercing->second].vertices, pairs->x, &out);
    for (int w = links->wing_start[piercing->first];
         region >= 0 && w < links->wing_start[piercing->first + 1]; ++w) {
        Vec3 to_wing = vec3_sub(pairs->x[links->wings[w]], pairs->x[edge[0]]);
        sum = vec3_add(sum, facing(vec3_cross(along, to_wing), out));
    }
    *way = vec3_unit_or(sum, zero);
    return region;
}

static void add_way(Flood *flood, int region, Vec3 way) {
    if (region >= 0) {
        flood->way[region] = vec3_add(flood->way[region], way);
        ++flood->pierced[region];
    }
}

void flood_find(Flood *flood, const SelfPairs *pairs) {
    const Skin *skin = pairs->skin;
    cut_edges(flood, pairs);
    join_regions(flood, skin);
    find_largest(flood, skin->vertex_count);
    find_levels(flood, skin);
    divide_by_rims(flood, pairs);
    for (int v = 0; v < skin->vertex_count; ++v) {
        flood->way[v] = vec3(0, 0, 0);
        flood->pierced[v] = 0;
    }
    for (int i = 0; i < pairs->count; ++i) {
        if (pairs->list[i].kind == PAIR_PIERCING) {
            Vec3 way = {0, 0, 0};
            int region = edge_way(flood, pairs, &pairs->list[i], &way);
            add_way(flood, region, way);
            region = triangle_way(flood, pairs, &pairs->list[i], &way);
            add_way(flood, region, way);
        }
    }
}

/* How much the ways of a region's rim agree: 1 if they are all the same. */
static double agreement(const Flood *flood, int region) {
    return vec3_length(flood->way[region]) / flood->pierced[region];
}

Vec3 flood_way(const Flood *flood, const SelfPairs *pairs, const SelfPair *piercing) {
    Vec3 way, all = {0, 0, 0};
    int region = edge_way(flood, pairs, piercing, &way);
    if (region >= 0) {
        all = vec3_madd(all, agreement(flood, region), way);
    }
    region = triangle_way(flood, pairs, piercing, &way);
    if (region >= 0) {
        all = vec3_madd(all, -agreement(flood, region), way);
    }
    return all;
}
