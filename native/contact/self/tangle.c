/* Marks what lies around a piercing, so that ordinary contacts, which would hold it in place, leave it alone. */
#include "contact/self/tangle.h"

#include "mesh/adjacency.h"

/* Rings of vertices around a piercing that belong to its tangle. */
#define RINGS 2
/* Sine of the angle of edge and triangle below which it is taken to be this: nearly flat piercings would
 * only ever be moved along the triangle's normal. */
#define FLATTEST 0.1
/* Length of the direction (up to 2 where the contour doubles back) below which the contour is straight. */
#define STRAIGHT 0.05
/* Of the recovery, what one piercing asks for: a vertex takes part in several, and their ways add up. */
#define SHARE 0.3

StatusCode tangle_build(Tangle *tangle, int vertex_count, Store *store, Status *status) {
    *tangle = (Tangle){.label = STORE_ARRAY(store, int, vertex_count),
                       .marked = STORE_ARRAY(store, int, vertex_count)};
    if (store->failed) {
        return status_no_memory(status, "the tangles of cloth");
    }
    for (int v = 0; v < vertex_count; ++v) {
        tangle->label[v] = -1;
    }
    return STATUS_OK;
}

/* --- which vertices --------------------------------------------------------------------------- */

static void mark(Tangle *tangle, int v, int label) {
    if (tangle->label[v] < 0) {
        tangle->label[v] = label;
        tangle->marked[tangle->marked_count++] = v;
    }
}

/* The vertices of all piercings, those of one piercing joined. */
static void mark_piercings(Tangle *tangle, const SelfPairs *pairs) {
    tangle->piercings = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const SelfPair *pair = &pairs->list[i];
        if (pair->kind != PAIR_PIERCING) {
            continue;
        }
        ++tangle->piercings;
        const int *edge = pairs->skin->edges[pair->first];
        const int *corners = pairs->links.elements[pair->second].vertices;
        int vertices[5] = {edge[0], edge[1], corners[0], corners[1], corners[2]};
        for (int k = 0; k < 5; ++k) {
            mark(tangle, vertices[k], vertices[k]);
            components_join(tangle->label, vertices[k], vertices[0]);
        }
    }
}

static void join_neighbours(Tangle *tangle, const Links *links) {
    for (int i = 0; i < tangle->marked_count; ++i) {
        int v = tangle->marked[i];
        for (int r = links->ring_start[v]; r < links->ring_start[v + 1]; ++r) {
            if (tangle->label[links->ring[r]] >= 0) {
                components_join(tangle->label, v, links->ring[r]);
            }
        }
    }
    for (int i = 0; i < tangle->marked_count; ++i) {
        int v = tangle->marked[i];
        tangle->label[v] = components_root(tangle->label, v);
    }
}

static void grow(Tangle *tangle, const Links *links) {
    int begin = 0;
    for (int ring = 0; ring < RINGS; ++ring) {
        int end = tangle->marked_count;
        for (; begin < end; ++begin) {
            int v = tangle->marked[begin];
            for (int r = links->ring_start[v]; r < links->ring_start[v + 1]; ++r) {
                mark(tangle, links->ring[r], tangle->label[v]);
            }
        }
    }
}

/* --- which pairs ------------------------------------------------------------------------------ */

typedef struct TangleWork {
    const Tangle *tangle;
    SelfPairs *pairs;
} TangleWork;

static bool share_label(const int *label, int count, const int *first, int other_count,
                        const int *second) {
    for (int i = 0; i < count; ++i) {
        for (int j = 0; label[first[i]] >= 0 && j < other_count; ++j) {
            if (label[first[i]] == label[second[j]]) {
                return true;
            }
        }
    }
    return false;
}

static void still_pairs(void *context, int begin, int end) {
    const TangleWork *work = context;
    const Links *links = &work->pairs->links;
    const int *label = work->tangle->label, (*edges)[2] = (const int(*)[2])work->pairs->skin->edges;
    for (int i = begin; i < end; ++i) {
        SelfPair *pair = &work->pairs->list[i];
        int shared = 0;
        if (pair->kind == PAIR_VERTEX) {
            const Element *element = &links->elements[pair->second];
            shared = share_label(label, 1, &pair->first, element_size(element), element->vertices);
        } else if (pair->kind == PAIR_EDGES) {
            shared = share_label(label, 2, edges[pair->first], 2, edges[pair->second]);
        }
        pair->idle = shared;
    }
}

void tangle_find(Tangle *tangle, Pool *pool, SelfPairs *pairs) {
    for (int i = 0; i < tangle->marked_count; ++i) {
        tangle->label[tangle->marked[i]] = -1;
    }
    tangle->marked_count = 0;
    mark_piercings(tangle, pairs);
    if (tangle->piercings == 0) {
        return;
    }
    join_neighbours(tangle, &pairs->links);
    grow(tangle, &pairs->links);
    TangleWork work = {tangle, pairs};
    pool_run(pool, pairs->count, still_pairs, &work);
}

/* --- what moves them apart -------------------------------------------------------------------- */

/* Unit direction in which the contour leaves the edge within one of the edge's triangles; zero if the two
 * triangles lie in one plane. */
static Vec3 contour_direction(Vec3 normal, Vec3 along, Vec3 to_wing) {
    Vec3 zero = {0, 0, 0}, inward = vec3_madd(to_wing, -vec3_dot(along, to_wing), along);
    Vec3 direction = vec3_normal_or(normal, vec3_cross(along, to_wing), zero);
    return vec3_dot(direction, inward) < 0 ? vec3_scale(-1, direction) : direction;
}

bool tangle_contact(const SelfPairs *pairs, const SelfPair *piercing, Contact *contact) {
    const int *edge = pairs->skin->edges[piercing->first];
    const Element *triangle = &pairs->links.elements[piercing->second];
    const Links *links = &pairs->links;
    const Vec3 *x = pairs->x;
    Vec3 zero = {0, 0, 0}, along = vec3_unit_or(vec3_sub(x[edge[1]], x[edge[0]]), zero);
    Vec3 normal = vec3_unit_or(element_normal(triangle, x), zero), way = zero;
    double parameter, weights[3], steep = vec3_dot(along, normal);
    if (!edge_pierces(edge, triangle, x, &parameter, weights)) {
        return false;
    }
    steep = fabs(steep) > FLATTEST ? steep : steep < 0 ? -FLATTEST : FLATTEST;
    for (int w = links->wing_start[piercing->first]; w < links->wing_start[piercing->first + 1];
         ++w) {
        Vec3 to_wing = vec3_sub(x[links->wings[w]], x[edge[0]]);
        Vec3 leaving = contour_direction(normal, along, to_wing);
        way = vec3_add(way, vec3_madd(leaving, -2 * vec3_dot(along, leaving) / steep, normal));
    }
    double size = vec3_length(way);
    if (!(size > STRAIGHT)) {
        return false;
    }
    /* At x both points are the same: the gap is how much of the way is still to go. */
    *contact =
        (Contact){.count = 5,
                  .vertices = {edge[0], edge[1], triangle->vertices[0], triangle->vertices[1],
                               triangle->vertices[2]},
                  .weights = {1 - parameter, parameter, -weights[0], -weights[1], -weights[2]},
                  .normal = vec3_scale(1 / size, way),
                  .shell = SHARE * pairs->recovery * pairs->length * (size < 1 ? size : 1.0)};
    return true;
}
