/* Nearly all edges of a modelled body are too blunt to poke between two vertices of the cloth: finding the few that
 * are not once spares the search for all of them in every substep. */
#include "contact/body/sharp.h"

#include <stdlib.h>

/* Part of the thickness by which the middle of a cloth edge may come nearer than its ends. */
#define ALLOWED 0.5

/* How far a chord of the cloth dips below an edge of the body where the surface turns by `angle`, m. Facets
 * narrower than the chord turn again and again under it: the dip of a circle. */
static double dip(double longest, double angle, double facet) {
    double turns = facet > 0 && longest > 2.0 * facet ? longest / (2.0 * facet) : 1.0;
    double turned = angle * turns;
    return 0.25 * longest * (turned < M_PI ? turned : M_PI);
}

static double angle_between(Vec3 a, Vec3 b) {
    return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

/* Mean height of the triangle over one of its sides, m. */
static double height_over(const Collider *body, int t, int side) {
    const int *c = body->corners[t];
    const Vec3 *x = body->at[1];
    Vec3 base = vec3_sub(x[c[(side + 1) % 3]], x[c[side]]);
    Vec3 other = vec3_sub(x[c[(side + 2) % 3]], x[c[side]]);
    double length = vec3_length(base);
    return length > 0 ? vec3_length(vec3_cross(base, other)) / length : 0.0;
}

/* The side of triangle t that another triangle lies across. */
static int side_towards(const Collider *body, int t, int other) {
    const int *across = body->across[t];
    return across[0] == other ? 0 : across[1] == other ? 1 : 2;
}

/* Solids: only edges that stick out can poke. */
static bool is_sharp(const Collider *body, int t, int side, double longest) {
    int across = body->across[t][side];
    if (across < 0) {
        return true; /* a rim, or a tangle of faces */
    }
    double angle = angle_between(body->face_normals[t], body->face_normals[across]);
    double facet = 0.5 * (height_over(body, t, side) +
                          height_over(body, across, side_towards(body, across, t)));
    if (body->parts[body->part[t]].solid) {
        const int *c = body->corners[t];
        int apex = -1;
        for (int k = 0; k < 3; ++k) {
            int v = body->corners[across][k];
            apex = v != c[side] && v != c[(side + 1) % 3] ? v : apex;
        }
        Vec3 away = apex < 0 ? vec3(0, 0, 0) : vec3_sub(body->at[1][apex], body->at[1][c[side]]);
        if (vec3_dot(away, body->face_normals[t]) > 0) {
            return false;
        }
    }
    return dip(longest, angle, facet) > ALLOWED * body->thickness;
}

/* Counts, and writes where `edges` is not null; marks the ends. */
static int collect_edges(const Collider *body, double longest, int (*edges)[2], uint8_t *marked) {
    int count = 0;
    for (int t = 0; t < body->triangle_count; ++t) {
        for (int side = 0; side < 3; ++side) {
            int a = body->corners[t][side], b = body->corners[t][(side + 1) % 3];
            bool twin = body->across[t][side] >= 0 && body->across[t][side] < t;
            if (twin || !is_sharp(body, t, side, longest)) {
                continue;
            }
            if (edges) {
                edges[count][0] = a;
                edges[count][1] = b;
            }
            marked[a] = marked[b] = 1;
            ++count;
        }
    }
    return count;
}

static Box swept_vertex(const Collider *body, int v) {
    return box_of_two(body->at[0][v], body->at[1][v]);
}

static void box_corners(const Sharp *sharp, const Collider *body) {
    for (int i = 0; i < sharp->corner_count; ++i) {
        sharp->boxes[i] = swept_vertex(body, sharp->corners[i]);
    }
}

static void box_edges(const Sharp *sharp, const Collider *body) {
    for (int i = 0; i < sharp->edge_count; ++i) {
        sharp->boxes[i] = box_join(swept_vertex(body, sharp->edges[i][0]),
                                   swept_vertex(body, sharp->edges[i][1]));
    }
}

StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status) {
    uint8_t *marked = SCRATCH_ARRAY(uint8_t, body->vertex_count);
    *sharp = (Sharp){0};
    if (!marked) {
        return status_no_memory(status, "edges of a body");
    }
    sharp->edge_count = collect_edges(body, longest, NULL, marked);
    for (int v = 0; v < body->vertex_count; ++v) {
        sharp->corner_count += marked[v];
    }
    int most = sharp->edge_count > sharp->corner_count ? sharp->edge_count : sharp->corner_count;
    sharp->corners = STORE_ARRAY(store, int, sharp->corner_count);
    sharp->edges = store_take(store, (size_t)sharp->edge_count, sizeof *sharp->edges);
    sharp->boxes = STORE_ARRAY(store, Box, most);
    if (store->failed) {
        free(marked);
        return status_no_memory(status, "edges of a body");
    }
    collect_edges(body, longest, sharp->edges, marked);
    for (int v = 0, count = 0; v < body->vertex_count; ++v) {
        if (marked[v]) {
            sharp->corners[count++] = v;
        }
    }
    free(marked);
    box_corners(sharp, body);
    StatusCode code =
        wide_bvh_build(&sharp->corner_tree, sharp->corner_count, sharp->boxes, store, status);
    if (code == STATUS_OK) {
        box_edges(sharp, body);
        code = wide_bvh_build(&sharp->edge_tree, sharp->edge_count, sharp->boxes, store, status);
    }
    return code;
}

void sharp_move(Sharp *sharp, const Collider *body, Pool *pool) {
    box_corners(sharp, body);
    wide_bvh_refit(&sharp->corner_tree, pool, bvh_box(&body->tree), sharp->boxes);
    box_edges(sharp, body);
    wide_bvh_refit(&sharp->edge_tree, pool, bvh_box(&body->tree), sharp->boxes);
}
