#include "mesh/patches.h"

#include <math.h>
#include <stdlib.h>

/* Distances that agree to this part count as equal: the input is float32. */
#define EQUAL 1e-5

/* The edges at each vertex. */
typedef struct Graph {
    const Mesh *mesh;
    int *start, *neighbour;
    double *length;
} Graph;

/* A vertex waiting to be visited; a binary heap ordered by distance, then number. */
typedef struct Visit {
    double distance;
    int vertex;
} Visit;

typedef struct Queue {
    Visit *visit;
    int count;
} Queue;

static int is_before(Visit a, Visit b) {
    return a.distance != b.distance ? a.distance < b.distance : a.vertex < b.vertex;
}

static void push(Queue *queue, Visit visit) {
    int at = queue->count++;
    while (at > 0 && is_before(visit, queue->visit[(at - 1) / 2])) {
        queue->visit[at] = queue->visit[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->visit[at] = visit;
}

static Visit pop(Queue *queue) {
    Visit first = queue->visit[0], last = queue->visit[--queue->count];
    int at = 0;
    for (int child; (child = 2 * at + 1) < queue->count; at = child) {
        if (child + 1 < queue->count && is_before(queue->visit[child + 1], queue->visit[child])) {
            ++child;
        }
        if (!is_before(queue->visit[child], last)) {
            break;
        }
        queue->visit[at] = queue->visit[child];
    }
    queue->visit[at] = last;
    return first;
}

/* Lowers distances around a new seed and makes it the owner of what it reaches first (Dijkstra). */
static void spread(const Graph *graph, Queue *queue, Patches *patches, int patch) {
    int seed = patches->seed[patch];
    patches->distance[seed] = 0;
    patches->owner[seed] = patch;
    queue->count = 0;
    push(queue, (Visit){0, seed});
    while (queue->count > 0) {
        Visit visit = pop(queue);
        if (visit.distance > patches->distance[visit.vertex]) {
            continue;
        }
        for (int p = graph->start[visit.vertex]; p < graph->start[visit.vertex + 1]; ++p) {
            int w = graph->neighbour[p];
            double distance = visit.distance + graph->length[p];
            if (distance < (1.0 - EQUAL) * patches->distance[w]) {
                patches->distance[w] = distance;
                patches->owner[w] = patch;
                push(queue, (Visit){distance, w});
            }
        }
    }
}

static void forget(const Mesh *mesh, Patches *patches) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        patches->distance[v] = INFINITY;
        patches->owner[v] = -1;
    }
}

/* Breaks ties by place, so that the patches do not depend on how the vertices are numbered. */
static int is_lower(Vec3 a, Vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

static int farthest(const Mesh *mesh, const Patches *patches) {
    int best = -1;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (mesh->isolated[v]) {
            continue;
        }
        double own = patches->distance[v], highest = best < 0 ? -1.0 : patches->distance[best];
        int farther = own > (1.0 + EQUAL) * highest, nearer = own < (1.0 - EQUAL) * highest;
        if (farther || (!nearer && is_lower(mesh->rest[v], mesh->rest[best]))) {
            best = v;
        }
    }
    return best;
}

static void set_seeds(const Graph *graph, Queue *queue, int wanted, Patches *patches) {
    forget(graph->mesh, patches);
    patches->count = 0;
    while (patches->count < wanted) {
        int v = farthest(graph->mesh, patches);
        if (v < 0 || patches->distance[v] <= 0) {
            break;
        }
        patches->seed[patches->count++] = v;
        spread(graph, queue, patches, patches->count - 1);
    }
}

/* Moves each seed to the vertex of its patch nearest the patch's mean, and divides anew. */
static void centre_seeds(const Graph *graph, Queue *queue, Vec3 *mean, int *members,
                         Patches *patches) {
    const Mesh *mesh = graph->mesh;
    for (int k = 0; k < patches->count; ++k) {
        mean[k] = vec3(0, 0, 0);
        members[k] = 0;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int k = patches->owner[v];
        if (k >= 0) {
            mean[k] = vec3_add(mean[k], mesh->rest[v]);
            ++members[k];
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int k = patches->owner[v];
        if (k < 0) {
            continue;
        }
        Vec3 middle = vec3_scale(1.0 / members[k], mean[k]), seed = mesh->rest[patches->seed[k]];
        double own = vec3_distance(mesh->rest[v], middle), nearest = vec3_distance(seed, middle);
        double rounding = EQUAL * (own + nearest);
        if (own < nearest - rounding ||
            (own <= nearest + rounding && is_lower(mesh->rest[v], seed))) {
            patches->seed[k] = v;
        }
    }
    forget(mesh, patches);
    for (int k = 0; k < patches->count; ++k) {
        spread(graph, queue, patches, k);
    }
}

/* Pieces without a seed: more pieces than patches. */
static void adopt_strays(const Mesh *mesh, Patches *patches) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (patches->owner[v] >= 0) {
            continue;
        }
        int best = 0;
        for (int k = 1; k < patches->count; ++k) {
            if (vec3_distance(mesh->rest[v], mesh->rest[patches->seed[k]]) <
                vec3_distance(mesh->rest[v], mesh->rest[patches->seed[best]])) {
                best = k;
            }
        }
        patches->owner[v] = best;
        patches->distance[v] = vec3_distance(mesh->rest[v], mesh->rest[patches->seed[best]]);
    }
}

static void connect(Graph *graph) {
    const Mesh *mesh = graph->mesh;
    for (int e = 0; e < mesh->edge_count; ++e) {
        ++graph->start[mesh->edges[e].a + 1];
        ++graph->start[mesh->edges[e].b + 1];
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        graph->start[v + 1] += graph->start[v];
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        int p = graph->start[edge->a]++, q = graph->start[edge->b]++;
        graph->neighbour[p] = edge->b;
        graph->neighbour[q] = edge->a;
        /* a doubled vertex is a step all the same, or the search would not end */
        graph->length[p] = graph->length[q] = edge->rest_length > 1e-9 ? edge->rest_length : 1e-9;
    }
    for (int v = mesh->vertex_count; v > 0; --v) {
        graph->start[v] = graph->start[v - 1];
    }
    graph->start[0] = 0;
}

void patches_free(Patches *patches) {
    free(patches->seed);
    free(patches->owner);
    free(patches->distance);
    *patches = (Patches){0};
}

StatusCode patches_build(const Mesh *mesh, int count, int rounds, Patches *patches,
                         Status *status) {
    int vertices = mesh->vertex_count;
    Graph graph = {mesh, SCRATCH_ARRAY(int, vertices + 1), SCRATCH_ARRAY(int, 2 * mesh->edge_count),
                   SCRATCH_ARRAY(double, 2 * mesh->edge_count)};
    /* each entry of the queue lowered a distance: at most one for each direction of each edge */
    Queue queue = {SCRATCH_ARRAY(Visit, 2 * (size_t)mesh->edge_count + 2), 0};
    Vec3 *mean = SCRATCH_ARRAY(Vec3, count);
    int *members = SCRATCH_ARRAY(int, count);
    *patches = (Patches){0, SCRATCH_ARRAY(int, count), SCRATCH_ARRAY(int, vertices),
                         SCRATCH_ARRAY(double, vertices)};
    int complete = graph.start && graph.neighbour && graph.length && queue.visit && mean &&
                   members && patches->seed && patches->owner && patches->distance;
    if (complete) {
        connect(&graph);
        set_seeds(&graph, &queue, count, patches);
        for (int round = 0; round < rounds; ++round) {
            centre_seeds(&graph, &queue, mean, members, patches);
        }
        adopt_strays(mesh, patches);
    }
    free(graph.start);
    free(graph.neighbour);
    free(graph.length);
    free(queue.visit);
    free(mean);
    free(members);
    if (!complete) {
        patches_free(patches);
        return status_no_memory(status, "patches");
    }
    return STATUS_OK;
}
