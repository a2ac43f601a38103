/* Which edge collapses next, mirror partners together, and the mesh that is left. */
#include "mesh/coarsen.h"

#include <string.h>

#include "mesh/collapse.h"

/* --- the cheapest vertex first ------------------------------------------------------------------ */

/* A heap of vertices by cost; of equals the smaller number first. */
typedef struct Queue {
    int count;
    int *order, *place; /* the heap; where each vertex is in it, -1: not there */
    double *cost;       /* per vertex, m^2 */
} Queue;

static bool comes_before(const Queue *queue, int a, int b) {
    double p = queue->cost[a], q = queue->cost[b];
    return p != q ? p < q : a < b;
}

static void put_at(Queue *queue, int place, int vertex) {
    queue->order[place] = vertex;
    queue->place[vertex] = place;
}

static void rise(Queue *queue, int place) {
    int vertex = queue->order[place];
    while (place > 0 && comes_before(queue, vertex, queue->order[(place - 1) / 2])) {
        put_at(queue, place, queue->order[(place - 1) / 2]);
        place = (place - 1) / 2;
    }
    put_at(queue, place, vertex);
}

static void sink(Queue *queue, int place) {
    int vertex = queue->order[place];
    for (;;) {
        int below = 2 * place + 1;
        if (below + 1 < queue->count &&
            comes_before(queue, queue->order[below + 1], queue->order[below])) {
            ++below;
        }
        if (below >= queue->count || !comes_before(queue, queue->order[below], vertex)) {
            break;
        }
        put_at(queue, place, queue->order[below]);
        place = below;
    }
    put_at(queue, place, vertex);
}

static void queue_set(Queue *queue, int vertex, double cost) {
    queue->cost[vertex] = cost;
    if (queue->place[vertex] < 0) {
        put_at(queue, queue->count++, vertex);
    }
    rise(queue, queue->place[vertex]);
    sink(queue, queue->place[vertex]);
}

static void queue_remove(Queue *queue, int vertex) {
    int place = queue->place[vertex];
    if (place < 0) {
        return;
    }
    queue->place[vertex] = -1;
    int last = queue->order[--queue->count];
    if (last != vertex) {
        put_at(queue, place, last);
        rise(queue, place);
        sink(queue, queue->place[last]);
    }
}

/* --- partners ----------------------------------------------------------------------------------- */

static bool holds(const Ring *ring, int vertex) {
    for (int i = 0; i < ring->count; ++i) {
        if (ring->vertices[i] == vertex) {
            return true;
        }
    }
    return false;
}

/* Two that go into the same vertex of the mirror plane: the first must leave what the second looks at as it is. */
static bool meet_in_plane(const Collapse *c, const Ring *ring, const Ring *image, int into) {
    Ring there;
    int shared = 0;
    if (!collapse_ring(c, into, &there)) {
        return false;
    }
    for (int i = 0; i < ring->count; ++i) {
        int s = ring->vertices[i];
        if (s != into && holds(image, s)) {
            ++shared;
            if (!holds(&there, s)) {
                return false;
            }
        }
    }
    return shared <= 2;
}

/* The vertex that goes along, -1 for none; -2 if it may not. */
static int companion(const Collapse *c, int from, const Ring *ring, int into) {
    const int32_t *partners = c->options->partners;
    if (!partners || partners[from] < 0) {
        return -1;
    }
    int other = partners[from], target = partners[into];
    if (other == from) {
        return target == into ? -1 : -2;
    }
    Ring image;
    if (target < 0 || holds(ring, other) || !collapse_ring(c, other, &image) ||
        !collapse_allowed(c, other, &image, target)) {
        return -2;
    }
    bool apart = target == into ? meet_in_plane(c, ring, &image, into) : !holds(&image, into);
    return apart ? other : -2;
}

/* --- choosing ----------------------------------------------------------------------------------- */

static void offer(const Collapse *c, Queue *queue, int vertex) {
    Ring ring;
    double least = INFINITY;
    if (c->locked[vertex] || !collapse_ring(c, vertex, &ring)) {
        queue_remove(queue, vertex);
        return;
    }
    for (int i = 0; i < ring.count; ++i) {
        least = fmin(least, collapse_cost(c, vertex, &ring, ring.vertices[i]));
    }
    queue_set(queue, vertex, least);
}

typedef struct Choice {
    int into, other; /* -1: nothing; nobody goes along */
    double cost;
} Choice;

static Choice choose(const Collapse *c, int from) {
    Ring ring;
    Choice best = {-1, -1, INFINITY};
    collapse_ring(c, from, &ring);
    for (int i = 0; i < ring.count; ++i) {
        int into = ring.vertices[i];
        double cost = collapse_cost(c, from, &ring, into);
        if (cost < best.cost && collapse_allowed(c, from, &ring, into)) {
            int other = companion(c, from, &ring, into);
            best = other >= -1 ? (Choice){into, other, cost} : best;
        }
    }
    return best;
}

/* Everyone around has other choices now. */
static void offer_around(const Collapse *c, Queue *queue, int vertex) {
    Ring ring;
    if (collapse_ring(c, vertex, &ring)) {
        offer(c, queue, vertex);
        for (int i = 0; i < ring.count; ++i) {
            offer(c, queue, ring.vertices[i]);
        }
    }
}

static int collapse_all(Collapse *c, Queue *queue) {
    int left = c->vertex_count;
    for (int v = 0; v < c->vertex_count; ++v) {
        queue->place[v] = -1;
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        offer(c, queue, v);
    }
    while (queue->count > 0 && left > c->options->target) {
        int from = queue->order[0];
        double promised = queue->cost[from];
        Choice choice = choose(c, from);
        queue_remove(queue, from);
        if (choice.into < 0) {
            continue; /* until something around it changes */
        }
        if (choice.cost > promised && queue->count > 0 &&
            choice.cost > queue->cost[queue->order[0]]) {
            queue_set(queue, from, choice.cost); /* others are cheaper */
            continue;
        }
        collapse_edge(c, from, choice.into);
        --left;
        if (choice.other >= 0) {
            int target = c->options->partners[choice.into];
            queue_remove(queue, choice.other);
            collapse_edge(c, choice.other, target);
            --left;
            offer_around(c, queue, target);
        }
        offer_around(c, queue, choice.into);
    }
    return left;
}

/* --- the mesh that is left ---------------------------------------------------------------------- */

typedef struct Result {
    float *positions, *uvs;
    int32_t *sizes, *vertices, *edges, *parts;
} Result;

static int take_result(const Collapse *c, int left, CoarseMesh *coarse, Result *result) {
    Store *store = &coarse->store;
    int triangles = 0;
    for (int t = 0; t < c->triangle_count; ++t) {
        triangles += !c->removed[t];
    }
    result->positions = STORE_ARRAY(store, float, 3 * (int64_t)left);
    result->sizes = STORE_ARRAY(store, int32_t, triangles);
    result->vertices = STORE_ARRAY(store, int32_t, 3 * (int64_t)triangles);
    result->edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)c->fine->edge_count);
    result->parts = c->fine->vertex_parts ? STORE_ARRAY(store, int32_t, left) : NULL;
    result->uvs = c->uvs ? STORE_ARRAY(store, float, 6 * (int64_t)triangles) : NULL;
    coarse->source = STORE_ARRAY(store, int32_t, left);
    coarse->places = STORE_ARRAY(store, CoarsePlace, c->vertex_count);
    coarse->heir = STORE_ARRAY(store, int32_t, c->vertex_count);
    coarse->polygons = (PolygonMesh){.vertex_count = left,
                                     .face_count = triangles,
                                     .edge_count = c->fine->edge_count,
                                     .positions = result->positions,
                                     .face_sizes = result->sizes,
                                     .face_vertices = result->vertices,
                                     .edges = result->edges,
                                     .vertex_parts = result->parts,
                                     .corner_uvs = result->uvs};
    return store->failed ? -1 : 0;
}

/* Numbers the vertices that are left, and gives each its heir's. */
static void number_vertices(const Collapse *c, CoarseMesh *coarse, Result *result) {
    int count = 0;
    for (int v = 0; v < c->vertex_count; ++v) {
        if (c->heir[v] == v) {
            memcpy(result->positions + 3 * (int64_t)count, c->fine->positions + 3 * (int64_t)v,
                   3 * sizeof(float));
            if (result->parts) {
                result->parts[count] = c->fine->vertex_parts[v];
            }
            coarse->source[count] = v;
            coarse->heir[v] = count++;
        }
    }
    for (int v = 0; v < c->vertex_count; ++v) {
        int heir = v;
        while (c->heir[heir] != heir) {
            heir = c->heir[heir];
        }
        coarse->heir[v] = coarse->heir[heir];
    }
}

static void write_elements(const Collapse *c, CoarseMesh *coarse, Result *result) {
    int count = 0;
    for (int t = 0; t < c->triangle_count; ++t) {
        if (!c->removed[t]) {
            result->sizes[count] = 3;
            for (int k = 0; k < 3; ++k) {
                result->vertices[3 * count + k] = coarse->heir[c->triangles[t][k]];
            }
            if (c->uvs) {
                memcpy(result->uvs + 6 * (int64_t)count, c->uvs[t], sizeof c->uvs[t]);
            }
            ++count;
        }
    }
    for (int64_t e = 0; e < 2 * (int64_t)c->fine->edge_count; ++e) {
        result->edges[e] = coarse->heir[c->fine->edges[e]];
    }
}

static void write_places(const Collapse *c, CoarseMesh *coarse) {
    for (int v = 0; v < c->vertex_count; ++v) {
        int own = coarse->heir[v];
        coarse->places[v] = (CoarsePlace){{own, own, own}, {1, 0, 0}};
        for (int k = 0; c->heir[v] != v && c->on[v] >= 0 && k < 3; ++k) {
            coarse->places[v].vertices[k] = coarse->heir[c->triangles[c->on[v]][k]];
            coarse->places[v].weights[k] = c->share[v][k];
        }
    }
}

StatusCode coarsen(const PolygonMesh *fine, const CoarsenOptions *options, CoarseMesh *coarse,
                   Status *status) {
    Store room = {0};
    Collapse c;
    Result result;
    *coarse = (CoarseMesh){0};
    int failed = collapse_start(&c, fine, options, &room) < 0;
    Queue queue = {.order = STORE_ARRAY(&room, int, fine->vertex_count),
                   .place = STORE_ARRAY(&room, int, fine->vertex_count),
                   .cost = STORE_ARRAY(&room, double, fine->vertex_count)};
    failed = failed || room.failed;
    if (!failed) {
        int left = collapse_all(&c, &queue);
        failed = take_result(&c, left, coarse, &result) < 0;
    }
    if (!failed) {
        number_vertices(&c, coarse, &result);
        write_elements(&c, coarse, &result);
        write_places(&c, coarse);
    }
    store_release(&room);
    return failed ? status_no_memory(status, "a coarser mesh") : STATUS_OK;
}

void coarse_free(CoarseMesh *coarse) {
    store_release(&coarse->store);
    *coarse = (CoarseMesh){0};
}
