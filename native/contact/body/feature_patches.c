/* A tree over the rest shape puts neighbours next to each other; its branches of the right size are the patches. */
#include "contact/body/feature_patches.h"

#include <stdlib.h>

#include "geometry/bvh.h"

/* As many halvings as make patches small enough. */
static int halvings(int items) {
    int levels = 0;
    for (int64_t width = FEATURE_PATCH; width < items; width *= 2) {
        ++levels;
    }
    return levels;
}

static int patches_of(int items) { return items > 0 ? 1 << halvings(items) : 0; }

static int blocks_of(int items) { return (patches_of(items) + FEATURE_BLOCK - 1) / FEATURE_BLOCK; }

/* Cuts the triangles, or edges, `from` up to `from + count` of the skin's items. */
static StatusCode cut(FeaturePatches *patches, const Skin *skin, int from, int count,
                      Status *status) {
    Store store = {0};
    Bvh tree;
    Box *boxes = STORE_ARRAY(&store, Box, count);
    if (store.failed) {
        store_release(&store);
        return status_no_memory(status, "contacts with edges of bodies");
    }
    for (int i = 0; i < count; ++i) {
        SkinItem item = skin_item(skin, from + i);
        boxes[i] = box_of_listed(skin->rest, item.v, item.corners);
    }
    StatusCode code = bvh_build(&tree, count, boxes, &store, status);
    for (int i = 0; code == STATUS_OK && i < count; ++i) {
        patches->items[from + i] = from + tree.order[i];
    }
    int levels = halvings(count), made = patches_of(count);
    for (int p = 0; code == STATUS_OK && p < made; ++p) {
        int begin = (int)((count * (int64_t)p) >> levels);
        int end = (int)((count * (int64_t)(p + 1)) >> levels);
        if (p % FEATURE_BLOCK == 0) {
            patches->block_patch[patches->block_count++] = patches->count;
        }
        patches->list[patches->count++] = (FeaturePatch){
            .on_edge = from >= skin->triangle_count, .first = from + begin, .count = end - begin};
    }
    store_release(&store);
    return code;
}

/* Lists a patch's vertices; `place` is per vertex where it is in the list, -1 while it is not. Returns how many. */
static int list_vertices(FeaturePatches *patches, const Skin *skin, FeaturePatch *patch, int begin,
                         int *place) {
    patch->vertex = begin;
    for (int i = patch->first; i < patch->first + patch->count; ++i) {
        SkinItem item = skin_item(skin, patches->items[i]);
        for (int c = 0; c < item.corners; ++c) {
            int v = item.v[c];
            if (place[v] < 0) {
                place[v] = patch->vertex_count;
                patches->vertices[begin + patch->vertex_count++] = v;
            }
            patches->corners[i][c] = (uint8_t)place[v];
        }
    }
    for (int k = 0; k < patch->vertex_count; ++k) {
        place[patches->vertices[begin + k]] = -1;
    }
    return patch->vertex_count;
}

/* The vertex of a patch that is furthest from the line through two places of the rest shape; from the first place,
 * if they are one. */
static int furthest(const FeaturePatches *patches, const FeaturePatch *patch, const Vec3 *rest,
                    Vec3 a, Vec3 b) {
    Vec3 along = vec3_unit_or(vec3_sub(b, a), vec3(0, 0, 0));
    double most = -1;
    int found = 0;
    for (int k = 0; k < patch->vertex_count; ++k) {
        Vec3 way = vec3_sub(rest[patches->vertices[patch->vertex + k]], a);
        way = vec3_madd(way, -vec3_dot(way, along), along);
        double own = vec3_dot(way, way);
        if (own > most) {
            most = own;
            found = k;
        }
    }
    return found;
}

static void choose_far(FeaturePatches *patches, FeaturePatch *patch, const Vec3 *rest) {
    const int *vertices = patches->vertices + patch->vertex;
    Vec3 any = rest[vertices[0]];
    patch->far[0] = furthest(patches, patch, rest, any, any);
    Vec3 first = rest[vertices[patch->far[0]]];
    patch->far[1] = furthest(patches, patch, rest, first, first);
    patch->far[2] = furthest(patches, patch, rest, first, rest[vertices[patch->far[1]]]);
}

/* `place` is as above. */
static void list_blocks(FeaturePatches *patches, int *place) {
    int total = 0;
    for (int b = 0; b < patches->block_count; ++b) {
        int begin = total;
        patches->block_start[b] = begin;
        for (int p = patches->block_patch[b]; p < patches->block_patch[b + 1]; ++p) {
            const FeaturePatch *patch = &patches->list[p];
            for (int k = patch->vertex; k < patch->vertex + patch->vertex_count; ++k) {
                int v = patches->vertices[k];
                if (place[v] < 0) {
                    place[v] = total;
                    patches->block_vertices[total++] = v;
                }
            }
        }
        for (int k = begin; k < total; ++k) {
            place[patches->block_vertices[k]] = -1;
        }
    }
    patches->block_start[patches->block_count] = total;
}

static void list_all(FeaturePatches *patches, const Skin *skin, int *place) {
    int total = 0;
    for (int v = 0; v < skin->vertex_count; ++v) {
        place[v] = -1;
    }
    for (int p = 0; p < patches->count; ++p) {
        FeaturePatch *patch = &patches->list[p];
        total += list_vertices(patches, skin, patch, total, place);
        choose_far(patches, patch, skin->rest);
    }
    list_blocks(patches, place);
}

StatusCode feature_patches_build(FeaturePatches *patches, const Skin *skin, Store *store,
                                 Status *status) {
    int items = skin_item_count(skin), most = 3 * skin->triangle_count + 2 * skin->edge_count;
    int count = patches_of(skin->triangle_count) + patches_of(skin->edge_count);
    int blocks = blocks_of(skin->triangle_count) + blocks_of(skin->edge_count);
    *patches = (FeaturePatches){.list = STORE_ARRAY(store, FeaturePatch, count),
                                .items = STORE_ARRAY(store, int, items),
                                .corners = store_take(store, (size_t)items, 3),
                                .vertices = STORE_ARRAY(store, int, most),
                                .block_patch = STORE_ARRAY(store, int, blocks + 1),
                                .block_start = STORE_ARRAY(store, int, blocks + 1),
                                .block_vertices = STORE_ARRAY(store, int, most)};
    int *place = SCRATCH_ARRAY(int, skin->vertex_count);
    if (store->failed || !place) {
        free(place);
        return status_no_memory(status, "contacts with edges of bodies");
    }
    StatusCode code = cut(patches, skin, 0, skin->triangle_count, status);
    code = code ? code : cut(patches, skin, skin->triangle_count, skin->edge_count, status);
    if (code == STATUS_OK) {
        patches->block_patch[patches->block_count] = patches->count;
        list_all(patches, skin, place);
    }
    free(place);
    return code;
}
