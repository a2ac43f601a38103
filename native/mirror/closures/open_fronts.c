/* Ways along the rim are compared with ways across the plane: that tells a jacket's front from its neck hole. */
#include "mirror/closures/open_fronts.h"

#include "mesh/adjacency.h"

#define ALONG 0.70710678118654752 /* of an edge's length, at most, across the plane */
#define NEARER 3.0                /* around over across, at least */
#define SLIT 2.0                  /* length over gap, at least */

/* --- ways along the rim ----------------------------------------------------------------------- */

typedef struct Rim {
    Draft *draft;
    int count;
    int (*edges)[2];
    int *first, *incident; /* edges of each vertex */
    double *around;        /* per vertex: way along the rim to the plane, m; negative: none */
    double *farthest;      /* per loop, at its root: the largest x, m */
    int *loop, *component; /* of components.h: rims that hang together, cloth that does */
    uint8_t *bound;        /* per component, at its root: has vertices on the plane */
    int *queue;
    uint8_t *queued;
} Rim;

static int take_rim(Rim *rim) {
    Store *store = &rim->draft->store;
    int count = rim->draft->mesh->vertex_count;
    rim->count = draft_sides_between(rim->draft, NULL, &rim->edges);
    rim->first = STORE_ARRAY(store, int, count + (int64_t)1);
    rim->incident = STORE_ARRAY(store, int, 2 * (int64_t)(rim->count > 0 ? rim->count : 0));
    rim->around = STORE_ARRAY(store, double, count);
    rim->farthest = STORE_ARRAY(store, double, count);
    rim->loop = STORE_ARRAY(store, int, count);
    rim->component = STORE_ARRAY(store, int, count);
    rim->bound = STORE_ARRAY(store, uint8_t, count);
    rim->queue = STORE_ARRAY(store, int, count);
    rim->queued = STORE_ARRAY(store, uint8_t, count);
    return store->failed ? -1 : 0;
}

/* Leaves out the sides on the plane: the cloth goes on there. */
static void list_incident(Rim *rim) {
    int kept = 0, count = rim->draft->mesh->vertex_count;
    const uint8_t *kind = rim->draft->kind;
    for (int e = 0; e < rim->count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1];
        if (kind[a] != KIND_PLANE || kind[b] != KIND_PLANE) {
            rim->edges[kept][0] = a;
            rim->edges[kept++][1] = b;
            ++rim->first[a];
            ++rim->first[b];
        }
    }
    rim->count = kept;
    for (int v = 0; v < count; ++v) {
        rim->first[v + 1] += rim->first[v];
    }
    for (int i = 0; i < 2 * kept; ++i) {
        rim->incident[--rim->first[rim->edges[i / 2][i % 2]]] = i / 2;
    }
}

static void join_components(Rim *rim) {
    const Draft *draft = rim->draft;
    const int32_t *ring = draft->vertices;
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        rim->loop[v] = rim->component[v] = v;
    }
    for (int e = 0; e < rim->count; ++e) {
        components_join(rim->loop, rim->edges[e][0], rim->edges[e][1]);
    }
    for (int f = 0; f < draft->face_count; ring += draft->face_sizes[f++]) {
        for (int c = 1; c < draft->face_sizes[f]; ++c) {
            components_join(rim->component, ring[0], ring[c]);
        }
    }
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        int loop = components_root(rim->loop, v), component = components_root(rim->component, v);
        double x = draft->at[v].x;
        rim->farthest[loop] = x > rim->farthest[loop] ? x : rim->farthest[loop];
        rim->bound[component] |= draft->kind[v] == KIND_PLANE;
    }
}

/* Shortest ways from all vertices on the plane at once: a vertex is looked at again when its way became shorter. */
static void measure_around(Rim *rim) {
    const Draft *draft = rim->draft;
    int count = draft->mesh->vertex_count, head = 0, waiting = 0;
    for (int v = 0; v < count; ++v) {
        bool starts = draft->kind[v] == KIND_PLANE && rim->first[v + 1] > rim->first[v];
        rim->around[v] = starts ? 0 : -1;
        rim->queued[v] = (uint8_t)starts;
        if (starts) {
            rim->queue[waiting++] = v;
        }
    }
    while (waiting > 0) {
        int v = rim->queue[head];
        head = (head + 1) % count;
        --waiting;
        rim->queued[v] = 0;
        for (int k = rim->first[v]; k < rim->first[v + 1]; ++k) {
            const int *edge = rim->edges[rim->incident[k]];
            int w = edge[0] == v ? edge[1] : edge[0];
            double way = rim->around[v] + vec3_distance(draft->at[v], draft->at[w]);
            if (rim->around[w] < 0 || way < rim->around[w]) {
                rim->around[w] = way;
                if (!rim->queued[w]) {
                    rim->queued[w] = 1;
                    rim->queue[(head + waiting++) % count] = w;
                }
            }
        }
    }
}

/* --- runs ------------------------------------------------------------------------------------- */

static bool vertex_faces_image(const Rim *rim, int v) {
    double x = rim->draft->at[v].x;
    if (rim->around[v] >= 0) {
        return NEARER * x <= rim->around[v];
    }
    return !rim->bound[components_root(rim->component, v)] &&
           NEARER * x <= rim->farthest[components_root(rim->loop, v)];
}

static bool edge_is_front(const Rim *rim, int e) {
    int a = rim->edges[e][0], b = rim->edges[e][1];
    Vec3 along = vec3_sub(rim->draft->at[b], rim->draft->at[a]);
    return fabs(along.x) <= ALONG * vec3_length(along) && vertex_faces_image(rim, a) &&
           vertex_faces_image(rim, b);
}

/* Runs of candidates that hang together; those that are no slits are left out again. */
static void take_runs(const Rim *rim, int *run, double *length, double *gap, OpenFronts *fronts) {
    const Vec3 *at = rim->draft->at;
    for (int v = 0; v < rim->draft->mesh->vertex_count; ++v) {
        run[v] = v;
    }
    for (int e = 0; e < rim->count; ++e) {
        if (edge_is_front(rim, e)) {
            components_join(run, rim->edges[e][0], rim->edges[e][1]);
        }
    }
    for (int e = 0; e < rim->count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1];
        if (edge_is_front(rim, e)) {
            double l = vec3_distance(at[a], at[b]);
            length[components_root(run, a)] += l;
            gap[components_root(run, a)] += l * (at[a].x + at[b].x);
        }
    }
    for (int e = 0; e < rim->count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1], root = components_root(run, a);
        if (edge_is_front(rim, e) && length[root] * length[root] >= SLIT * gap[root]) {
            fronts->edges[fronts->edge_count][0] = a;
            fronts->edges[fronts->edge_count++][1] = b;
            fronts->is_front[a] = rim->draft->kind[a] == KIND_FREE;
            fronts->is_front[b] = rim->draft->kind[b] == KIND_FREE;
        }
    }
}

StatusCode open_fronts_find(Draft *draft, OpenFronts *fronts, Status *status) {
    Store *store = &draft->store;
    int count = draft->mesh->vertex_count;
    Rim rim = {.draft = draft};
    *fronts = (OpenFronts){0};
    int taken = take_rim(&rim);
    fronts->edges = store_take(store, (size_t)(taken == 0 ? rim.count : 0), sizeof *fronts->edges);
    fronts->is_front = STORE_ARRAY(store, uint8_t, count);
    int *run = STORE_ARRAY(store, int, count);
    double *length = STORE_ARRAY(store, double, count), *gap = STORE_ARRAY(store, double, count);
    if (store->failed) {
        return status_no_memory(status, "looking for open fronts");
    }
    list_incident(&rim);
    join_components(&rim);
    measure_around(&rim);
    take_runs(&rim, run, length, gap, fronts);
    for (int v = 0; v < count; ++v) {
        fronts->vertex_count += fronts->is_front[v];
    }
    return STATUS_OK;
}
