/* What is further away than a vertex may ask for matters only where it goes past, for which limbs_mark() has room. */
#include "contact/body/reach.h"

#include <string.h>

/* By which part of what they know vertices may end elsewhere than expected. */
#define SLACK 0.4
/* Triangles a patch. */
#define PATCH 192

/* --- building --------------------------------------------------------------------------------- */

/* Triangles, ropes and loose vertices as corners; `taken` per vertex and per edge: it belongs to one. Returns how many. */
static int list_items(const Skin *skin, uint8_t *taken_edge, uint8_t *taken, int (*corners)[3]) {
    int count = 0;
    for (int t = 0; t < skin->triangle_count; ++t) {
        for (int c = 0; c < 3; ++c) {
            int a = skin->triangles[t][c], b = skin->triangles[t][(c + 1) % 3];
            corners[count][c] = a;
            taken[a] = 1;
            taken_edge[skin_edge(skin, a, b)] = 1;
        }
        ++count;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        if (!taken_edge[e]) {
            corners[count][0] = skin->edges[e][0];
            corners[count][1] = corners[count][2] = skin->edges[e][1];
            taken[skin->edges[e][0]] = taken[skin->edges[e][1]] = 1;
            ++count;
        }
    }
    for (int v = 0; v < skin->vertex_count; ++v) {
        if (!taken[v]) {
            corners[count][0] = corners[count][1] = corners[count][2] = v;
            ++count;
        }
    }
    return count;
}

/* In the order of a tree over their boxes at rest. */
static StatusCode build_patches(Reach *reach, const Skin *skin, int count, int (*corners)[3],
                                Store *store, Status *status) {
    Store scratch = {0};
    Box *boxes = STORE_ARRAY(&scratch, Box, count);
    Bvh tree;
    for (int i = 0; boxes && i < count; ++i) {
        boxes[i] = box_of_listed(skin->rest, corners[i], 3);
    }
    StatusCode code = scratch.failed ? status_no_memory(status, "patches of cloth")
                                     : bvh_build(&tree, count, boxes, &scratch, status);
    if (code == STATUS_OK) {
        code = limbs_build(&reach->patches, PATCH, count, tree.order, corners, NULL,
                           skin->vertex_count, skin->rest, store, status);
    }
    store_release(&scratch);
    return code;
}

StatusCode reach_build(Reach *reach, const Skin *skin, Store *store, Status *status) {
    size_t most = (size_t)skin->triangle_count + skin->edge_count + skin->vertex_count;
    Store scratch = {0};
    int(*corners)[3] = store_take(&scratch, most, sizeof *corners);
    uint8_t *taken_edge = STORE_ARRAY(&scratch, uint8_t, skin->edge_count);
    uint8_t *taken = STORE_ARRAY(&scratch, uint8_t, skin->vertex_count);
    *reach = (Reach){.vertex_count = skin->vertex_count,
                     .expected = STORE_ARRAY(store, Vec3, skin->vertex_count)};
    StatusCode code = STATUS_OK;
    if (scratch.failed || store->failed) {
        code = status_no_memory(status, "patches of cloth");
    } else {
        int count = list_items(skin, taken_edge, taken, corners);
        code = build_patches(reach, skin, count, corners, store, status);
    }
    store_release(&scratch);
    return code;
}

/* --- substeps --------------------------------------------------------------------------------- */

static bool may_be_inside(const Limbs *patches, int patch, const double *clearance) {
    for (int i = patches->start[patch]; i < patches->start[patch + 1]; ++i) {
        if (clearance[patches->vertices[i]] < 0) {
            return true;
        }
    }
    return false;
}

static void wake(const Reach *reach, Pool *pool, const PlaneReach *asked, Collider *body,
                 const double *clearance) {
    const Limbs *patches = &reach->patches;
    memset(body->awake, 0, (size_t)body->limbs.count);
    for (int p = 0; p < patches->count; ++p) {
        bool deep = may_be_inside(patches, p, clearance);
        double most = (deep ? asked->deep : asked->known) + 2 * reach->slack;
        limbs_mark(&body->limbs, patches, p, most, body->awake);
    }
    collider_wake(body, pool);
}

void reach_begin(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z,
                 const double *clearance) {
    limbs_move(&reach->patches, pool, substep->x, z, false);
    memcpy(reach->expected, z, (size_t)reach->vertex_count * sizeof *z);
    reach->slack = SLACK * substep->reach.known;
    reach->all = false;
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            wake(reach, pool, &substep->reach, substep->bodies[b], clearance);
        }
    }
}

static bool is_beyond(const Reach *reach, const Vec3 *z) {
    for (int i = subset_first(reach->awake); i < reach->vertex_count;
         i = subset_next(reach->awake, i)) {
        Vec3 way = vec3_sub(z[i], reach->expected[i]);
        if (!(vec3_dot(way, way) <= reach->slack * reach->slack)) {
            return true;
        }
    }
    return false;
}

void reach_all(Reach *reach, Pool *pool, const BodySubstep *substep) {
    reach->all = true;
    for (int b = 0; b < substep->body_count; ++b) {
        if (substep->bodies[b]) {
            collider_wake_all(substep->bodies[b], pool);
        }
    }
}

bool reach_refresh(Reach *reach, Pool *pool, const BodySubstep *substep, const Vec3 *z) {
    if (reach->all || !is_beyond(reach, z)) {
        return false;
    }
    reach_all(reach, pool, substep);
    return true;
}
