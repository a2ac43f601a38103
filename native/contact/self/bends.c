/* Edges are asked one by one, and vertices then by their edges. */
#include "contact/self/bends.h"

#include <stdlib.h>

/* An edge is quiet where the normals beside it differ by less than this cosine, and it keeps this part of its length,
 * squared: two rings of such triangles do not come back to themselves. */
#define QUIET_TURN 0.8F
#define QUIET_LENGTH 0.81F

/* The triangles on both sides of every edge. */
static void find_sides(Bends *bends, int *seen) {
    for (int e = 0; e < bends->links->element_count; ++e) {
        const Element *element = &bends->links->elements[e];
        for (int k = 0; k < 3 && element->vertices[2] >= 0; ++k) {
            EdgeSides *sides = &bends->sides[element->edges[k]];
            int count = seen[element->edges[k]]++;
            bool along = element->vertices[k] < element->vertices[(k + 1) % 3];
            if (count < 2) {
                sides->elements[count] = e;
            }
            sides->sign = count == 0   ? (along ? 1.0F : -1.0F)
                          : count == 1 ? (along ? -sides->sign : sides->sign)
                                       : 0.0F;
        }
    }
    for (int e = 0; e < bends->skin->edge_count; ++e) {
        bends->sides[e].sign = seen[e] == 2 ? bends->sides[e].sign : 0.0F;
    }
}

StatusCode bends_build(Bends *bends, const Skin *skin, const Links *links, Store *store,
                       Status *status) {
    int edges = skin->edge_count;
    int *seen = SCRATCH_ARRAY(int, edges);
    *bends = (Bends){.skin = skin,
                     .links = links,
                     .sides = STORE_ARRAY(store, EdgeSides, edges),
                     .kept = STORE_ARRAY(store, float, edges),
                     .flat = STORE_ARRAY(store, uint8_t, edges),
                     .turned = STORE_ARRAY(store, uint8_t, edges),
                     .quiet = STORE_ARRAY(store, uint8_t, edges),
                     .at_ease = STORE_ARRAY(store, uint8_t, skin->vertex_count)};
    bool failed = store->failed || !seen;
    if (!failed) {
        find_sides(bends, seen);
    }
    for (int e = 0; e < edges && !failed; ++e) {
        double length = vec3_distance(skin->rest[skin->edges[e][0]], skin->rest[skin->edges[e][1]]);
        bends->kept[e] = QUIET_LENGTH * (float)(length * length);
    }
    free(seen);
    return failed ? status_no_memory(status, "the edges of self-contact") : STATUS_OK;
}

typedef struct BendWork {
    Bends *bends;
    const Pose *poses;
    const SweptSpot *spots;
} BendWork;

static float squared_between(const float *a, const float *b) {
    float x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
    return x * x + y * y + z * z;
}

/* Flat is an edge if no direction has both of its sides bending away from it: so it is if their directions across the edge
 * nearly cancel. The sum of these is 2 - 2 cos long, squared, with the cosine of their normals. */
static void find_edges(void *context, int begin, int end) {
    const BendWork *work = context;
    Bends *bends = work->bends;
    for (int e = begin; e < end; ++e) {
        if (!subset_has(bends->awake, bends->skin->edges[e][0])) {
            bends->turned[e] = 0;
            continue;
        }
        const EdgeSides *sides = &bends->sides[e];
        const Pose *a = &work->poses[sides->elements[0]], *b = &work->poses[sides->elements[1]];
        const SweptSpot *from = &work->spots[bends->skin->edges[e][0]];
        const SweptSpot *to = &work->spots[bends->skin->edges[e][1]];
        float least = 1;
        bool quiet = true;
        for (int time = 0; time < 2; ++time) {
            float cosine = 0;
            for (int axis = 0; axis < 3; ++axis) {
                cosine += a->normal[time][axis] * b->normal[time][axis];
            }
            least = sides->sign * cosine < least ? sides->sign * cosine : least;
            quiet = quiet && squared_between(from->at[time], to->at[time]) >= bends->kept[e];
        }
        bool flat = least > (float)(1 - 2 * SELF_BEND * SELF_BEND);
        bends->quiet[e] = quiet && least > QUIET_TURN;
        bends->turned[e] = bends->flat[e] != flat;
        bends->flat[e] = flat;
    }
}

static void find_vertices(void *context, int begin, int end) {
    const BendWork *work = context;
    Bends *bends = work->bends;
    const Links *links = bends->links;
    for (int v = begin; v < end; ++v) {
        uint8_t at_ease = 1;
        for (int i = links->ring_start[v]; i < links->ring_start[v + 1]; ++i) {
            at_ease &= bends->quiet[links->ring_edges[i]];
        }
        bends->at_ease[v] = at_ease;
    }
}

void bends_find(Bends *bends, Pool *pool, const Pose *poses, const SweptSpot *spots) {
    BendWork work = {bends, poses, spots};
    pool_run(pool, bends->skin->edge_count, find_edges, &work);
    subset_run(bends->awake, pool, bends->skin->vertex_count, find_vertices, &work);
}
