/* Dijkstra from each new seed, ended where older seeds are nearer: later seeds only visit their neighbourhood. */
#include "mesh/patches.h"

#include <math.h>
#include <stdlib.h>

#include "base/sort.h"
#include "mesh/adjacency.h"

/* Distances that agree to this part count as equal: the input is float32. */
#define EQUAL 1e-5

/* Of the largest distance: what no sum of rounding errors, and of distances that count as equal, reaches. */
#define SURELY 0.01

/* Vertices that are skipped together in the search for the farthest one. */
#define RANGE 64

/* A component of the mesh gets a seed of its own if it has at least this part of the vertices that an even share
 * would be: buttons must not take the patches of the coat. */
#define LEAST_SHARE 0.5

/* The edges at each vertex, and the size of the component it belongs to. */
typedef struct Graph {
    const Mesh *mesh;
    int *start, *neighbour;
    double *length;
    int *component; /* per vertex */
    int *size;      /* per component: its vertices */
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

/* Scratch. */
typedef struct Room {
    Vec3 *mean;    /* per patch */
    int *members;  /* per patch */
    double *bound; /* per vertex */
    double *most;  /* per range of vertices */
} Room;

/* The share at hand, and its patches so far: from `first_patch` on. */
typedef struct Share {
    const int *list; /* its vertices, ascending */
    int count;
    int first_patch;
} Share;

/* Without a branch, which would be unpredictable. Distances are not negative. */
static bool is_before(Visit a, Visit b) {
    return (a.distance < b.distance) | ((a.distance == b.distance) & (a.vertex < b.vertex));
}

/* Moves a visit up from the free place `at` to where it belongs. */
static void rise(Queue *queue, int at, Visit visit) {
    while (at > 0 && is_before(visit, queue->visit[(at - 1) / 2])) {
        queue->visit[at] = queue->visit[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    queue->visit[at] = visit;
}

static void push(Queue *queue, Visit visit) { rise(queue, queue->count++, visit); }

/* The free place goes all the way down and the last visit up again from there: it seldom rises far. */
static Visit pop(Queue *queue) {
    Visit first = queue->visit[0], last = queue->visit[--queue->count];
    int at = 0;
    for (int child; (child = 2 * at + 1) < queue->count; at = child) {
        child +=
            child + 1 < queue->count && is_before(queue->visit[child + 1], queue->visit[child]);
        queue->visit[at] = queue->visit[child];
    }
    rise(queue, at, last);
    return first;
}

/* Lowers distances around a new seed and makes it the owner of what it reaches first (Dijkstra). Where the distance is
 * beyond `bound`, if that is not null, another seed is known to be nearer. */
static void spread(const Graph *graph, Queue *queue, Patches *patches, int patch,
                   const double *bound) {
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
            if (distance < (1.0 - EQUAL) * patches->distance[w] &&
                !(bound && distance > bound[w])) {
                patches->distance[w] = distance;
                patches->owner[w] = patch;
                push(queue, (Visit){distance, w});
            }
        }
    }
}

static void forget(const Share *share, Patches *patches) {
    for (int k = 0; k < share->count; ++k) {
        patches->distance[share->list[k]] = INFINITY;
        patches->owner[share->list[k]] = -1;
    }
}

/* Breaks ties by place, so that the patches do not depend on how the vertices are numbered. */
static bool is_lower(Vec3 a, Vec3 b) {
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* Which of two vertices shall be the next seed: one of the larger unreached component, then the farther one,
 * then the lower one. */
static bool is_better_seed(const Graph *graph, const Patches *patches, int v, int best) {
    const Mesh *mesh = graph->mesh;
    double own = patches->distance[v], other = patches->distance[best];
    if (isinf(own) && isinf(other)) {
        int size = graph->size[graph->component[v]], largest = graph->size[graph->component[best]];
        return size != largest ? size > largest : is_lower(mesh->rest[v], mesh->rest[best]);
    }
    bool farther = own > (1.0 + EQUAL) * other, nearer = own < (1.0 - EQUAL) * other;
    return farther || (!nearer && is_lower(mesh->rest[v], mesh->rest[best]));
}

/* The next seed, or -1; components of fewer than `least` vertices are not looked at as long as they are whole. No
 * vertex of a range is farther than `most` of it says: ranges that cannot hold the best one are passed over. */
static int farthest(const Graph *graph, const Share *share, const Patches *patches, int least,
                    double *most) {
    int best = -1, count = share->count;
    for (int range = 0; range * RANGE < count; ++range) {
        if (best >= 0 && most[range] < (1.0 - EQUAL) * patches->distance[best]) {
            continue;
        }
        int end = count - range * RANGE < RANGE ? count : (range + 1) * RANGE;
        most[range] = 0;
        for (int k = range * RANGE; k < end; ++k) {
            int v = share->list[k];
            double own = patches->distance[v];
            most[range] = own > most[range] ? own : most[range];
            bool small = isinf(own) && graph->size[graph->component[v]] < least;
            if (graph->mesh->isolated[v] || small) {
                continue;
            }
            if (best < 0 || is_better_seed(graph, patches, v, best)) {
                best = v;
            }
        }
    }
    return best;
}

static void set_seeds(const Graph *graph, const Share *share, Queue *queue, int wanted,
                      double *most, Patches *patches) {
    int least = (int)(LEAST_SHARE * share->count / wanted);
    forget(share, patches);
    for (int range = 0; range * RANGE < share->count; ++range) {
        most[range] = INFINITY;
    }
    while (patches->count < share->first_patch + wanted) {
        int v = farthest(graph, share, patches, least, most);
        if (v < 0 || patches->distance[v] <= 0) {
            if (least == 0) {
                break;
            }
            least = 0; /* the large components are full: the small ones may have the rest */
            continue;
        }
        patches->seed[patches->count++] = v;
        spread(graph, queue, patches, patches->count - 1, NULL);
    }
}

/* How far each vertex can be from the nearest seed once they have moved: as far as from its old seed, and the way of
 * that to the new one, which lies in the same patch. SURELY more leaves no doubt in spite of rounding. */
static void bound_distances(const Share *share, const Patches *patches, double *bound) {
    double largest = 0;
    for (int i = 0; i < share->count; ++i) {
        int v = share->list[i], k = patches->owner[v];
        bound[v] = k < 0 ? INFINITY : patches->distance[v] + patches->distance[patches->seed[k]];
        largest = k >= 0 && bound[v] > largest ? bound[v] : largest;
    }
    for (int i = 0; i < share->count; ++i) {
        bound[share->list[i]] += SURELY * largest;
    }
}

/* Moves each seed to the vertex of its patch nearest the patch's mean. */
static void move_seeds(const Mesh *mesh, const Share *share, Vec3 *mean, int *members,
                       Patches *patches) {
    for (int k = share->first_patch; k < patches->count; ++k) {
        mean[k] = vec3(0, 0, 0);
        members[k] = 0;
    }
    for (int i = 0; i < share->count; ++i) {
        int v = share->list[i], k = patches->owner[v];
        if (k >= 0) {
            mean[k] = vec3_add(mean[k], mesh->rest[v]);
            ++members[k];
        }
    }
    for (int i = 0; i < share->count; ++i) {
        int v = share->list[i], k = patches->owner[v];
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
}

/* Moves the seeds to the middle of their patches, and divides anew. */
static void centre_seeds(const Graph *graph, const Share *share, Queue *queue, const Room *room,
                         Patches *patches) {
    move_seeds(graph->mesh, share, room->mean, room->members, patches);
    bound_distances(share, patches, room->bound);
    forget(share, patches);
    for (int k = share->first_patch; k < patches->count; ++k) {
        spread(graph, queue, patches, k, room->bound);
    }
}

/* Components without a seed: more components than patches. */
static void adopt_strays(const Mesh *mesh, const Share *share, Patches *patches) {
    for (int i = 0; i < share->count; ++i) {
        int v = share->list[i], best = share->first_patch;
        if (patches->owner[v] >= 0) {
            continue;
        }
        best = best < patches->count ? best : 0; /* a share of isolated vertices has no patch */
        for (int k = best + 1; k < patches->count; ++k) {
            if (vec3_distance(mesh->rest[v], mesh->rest[patches->seed[k]]) <
                vec3_distance(mesh->rest[v], mesh->rest[patches->seed[best]])) {
                best = k;
            }
        }
        patches->owner[v] = best;
        patches->stray[v] = 1;
        patches->distance[v] = vec3_distance(mesh->rest[v], mesh->rest[patches->seed[best]]);
    }
}

static void connect(Graph *graph) {
    const Mesh *mesh = graph->mesh;
    components_find(mesh, graph->component);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        ++graph->size[graph->component[v]];
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        ++graph->start[mesh->edges[e].a + 1];
        ++graph->start[mesh->edges[e].b + 1];
    }
    lists_begin(graph->start, mesh->vertex_count);
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        int p = graph->start[edge->a]++, q = graph->start[edge->b]++;
        graph->neighbour[p] = edge->b;
        graph->neighbour[q] = edge->a;
        /* a doubled vertex is a step all the same, or the search would not end */
        graph->length[p] = graph->length[q] = edge->rest_length > 1e-9 ? edge->rest_length : 1e-9;
    }
    lists_rewind(graph->start, mesh->vertex_count);
}

void patches_free(Patches *patches) {
    free(patches->seed);
    free(patches->owner);
    free(patches->distance);
    free(patches->stray);
    *patches = (Patches){0};
}

static void divide_share(const Graph *graph, Queue *queue, const Share *share, int wanted,
                         int iterations, const Room *room, Patches *patches) {
    set_seeds(graph, share, queue, wanted, room->most, patches);
    for (int i = 0; i < iterations; ++i) {
        centre_seeds(graph, share, queue, room, patches);
    }
    adopt_strays(graph->mesh, share, patches);
}

StatusCode patches_build(const Mesh *mesh, const PatchShares *shares, int iterations,
                         Patches *patches, Status *status) {
    int vertices = mesh->vertex_count, count = 0;
    for (int s = 0; s < shares->count; ++s) {
        count += shares->wanted[s];
    }
    Store scratch = {0};
    Graph graph = {.mesh = mesh,
                   .start = STORE_ARRAY(&scratch, int, vertices + 1),
                   .neighbour = STORE_ARRAY(&scratch, int, 2 * mesh->edge_count),
                   .length = STORE_ARRAY(&scratch, double, 2 * mesh->edge_count),
                   .component = STORE_ARRAY(&scratch, int, vertices),
                   .size = STORE_ARRAY(&scratch, int, vertices)};
    /* each entry of the queue lowered a distance: at most one for each direction of each edge */
    Queue queue = {STORE_ARRAY(&scratch, Visit, 2 * (size_t)mesh->edge_count + 2), 0};
    Room room = {.mean = STORE_ARRAY(&scratch, Vec3, count),
                 .members = STORE_ARRAY(&scratch, int, count),
                 .bound = STORE_ARRAY(&scratch, double, vertices),
                 .most = STORE_ARRAY(&scratch, double, vertices / RANGE + 1)};
    int *first = STORE_ARRAY(&scratch, int, shares->count + 1);
    int *list = STORE_ARRAY(&scratch, int, vertices);
    int *share_of = STORE_ARRAY(&scratch, int, vertices); /* zeros: all are in share 0 */
    *patches = (Patches){.seed = SCRATCH_ARRAY(int, count),
                         .owner = SCRATCH_ARRAY(int, vertices),
                         .distance = SCRATCH_ARRAY(double, vertices),
                         .stray = SCRATCH_ARRAY(uint8_t, vertices)};
    bool complete =
        !scratch.failed && patches->seed && patches->owner && patches->distance && patches->stray;
    if (complete) {
        connect(&graph);
        lists_group(first, shares->count, shares->share ? shares->share : share_of, vertices, list);
        for (int s = 0; s < shares->count; ++s) {
            Share share = {list + first[s], first[s + 1] - first[s], patches->count};
            divide_share(&graph, &queue, &share, shares->wanted[s], iterations, &room, patches);
        }
    }
    store_release(&scratch);
    if (!complete) {
        patches_free(patches);
        return status_no_memory(status, "patches");
    }
    return STATUS_OK;
}
