/* The search for open fronts, on the whole mesh. Ways along the rim are compared with ways across: that tells a jacket's
 * front from its neck hole. */
#include "mirror/closures/fronts.h"

#include <string.h>

#include "mesh/adjacency.h"
#include "mirror/half/draft.h"

#define NEARER 3.0      /* around over across, at least */
#define SLIT 2.0        /* length over gap, at least */
#define DEPTH 0.05      /* of the size: the cloth behind a border that tells where it comes from */
#define FACING 0.5      /* cosine of the largest angle between the gap and where the cloth ends */
#define SKIPPED 2       /* vertices within a front that may be none themselves */
#define ROUNDS_MOST 400 /* of averaging, on the finest meshes */

/* A vertex of a border; one where borders meet is in it more than once. */
typedef struct RimVertex {
    int vertex, border;
    double along; /* m, from the border's first vertex */
} RimVertex;

/* A border from its first vertex around to it. */
typedef struct Border {
    int first, count; /* of the list of its vertices */
    double length;    /* m */
    double far;       /* m: of its vertices from the plane, at most */
} Border;

typedef struct Rim {
    Draft whole;
    bool has_plane; /* a front may be between two pieces, or have no gap, across it */
    int edge_count;
    int (*edges)[2];
    int border_count, count;
    Border *borders;
    RimVertex *list;
    /* Per vertex: */
    int *component;
    Vec3 *ends;    /* in which the cloth ends, of length 1; with a plane: towards that */
    int *opposite; /* what it could be closed with; -1: nothing */
    Vec3 *across;  /* towards that, of length 1 */
    int *run;      /* of mesh/adjacency.h: edges of a front that hang together */
} Rim;

static double gap_at(const Rim *rim, int vertex) {
    return vec3_distance(rim->whole.at[rim->opposite[vertex]], rim->whole.at[vertex]);
}

/* --- borders ---------------------------------------------------------------------------------- */

/* Takes a neighbour out of a list that `left` of a vertex's neighbours are still in. */
static void take_out(const Neighbours *beside, int *left, int vertex, int other) {
    int *own = beside->list + beside->first[vertex], k = 0;
    while (own[k] != other) {
        ++k;
    }
    --left[vertex];
    memmove(own + k, own + k + 1, (size_t)(left[vertex] - k) * sizeof *own);
}

/* From this vertex on, over edges that no border has yet. */
static void go_around(Rim *rim, const Neighbours *beside, int *left, int start) {
    const Vec3 *at = rim->whole.at;
    Border *border = &rim->borders[rim->border_count++];
    *border = (Border){.first = rim->count};
    for (int v = start; left[v] > 0;) {
        int next = beside->list[beside->first[v]];
        rim->list[rim->count++] = (RimVertex){v, rim->border_count - 1, border->length};
        border->far = fmax(border->far, fabs(at[v].x));
        border->length += vec3_distance(at[v], at[next]);
        take_out(beside, left, v, next);
        take_out(beside, left, next, v);
        v = next;
    }
    border->count = rim->count - border->first;
}

static int take_borders(Rim *rim) {
    Store *store = &rim->whole.store;
    int vertices = rim->whole.mesh->vertex_count;
    rim->edge_count = draft_sides_between(&rim->whole, NULL, &rim->edges);
    int *left = STORE_ARRAY(store, int, vertices);
    rim->borders = STORE_ARRAY(store, Border, rim->edge_count);
    rim->list = STORE_ARRAY(store, RimVertex, rim->edge_count);
    rim->component = STORE_ARRAY(store, int, vertices);
    rim->ends = STORE_ARRAY(store, Vec3, vertices);
    rim->opposite = STORE_ARRAY(store, int, vertices);
    rim->across = STORE_ARRAY(store, Vec3, vertices);
    rim->run = STORE_ARRAY(store, int, vertices);
    PolygonMesh ropes = {.vertex_count = vertices,
                         .edge_count = rim->edge_count,
                         .edges = (const int32_t *)rim->edges};
    Neighbours beside;
    if (store->failed || neighbours_build(&ropes, store, &beside) != 0) {
        return -1;
    }
    draft_components(rim->component, rim->whole.mesh);
    for (int v = 0; v < vertices; ++v) {
        rim->opposite[v] = -1;
        left[v] = neighbours_count(&beside, v);
    }
    for (int v = 0; v < vertices; ++v) {
        while (left[v] > 0) {
            go_around(rim, &beside, left, v);
        }
    }
    return 0;
}

/* For each vertex the direction from the cloth around it to itself: on a border, in which the cloth ends. */
static int find_ends(Rim *rim) {
    const PolygonMesh *mesh = rim->whole.mesh;
    const Vec3 *at = rim->whole.at;
    Store *store = &rim->whole.store;
    int count = mesh->vertex_count;
    Vec3 *ends = rim->ends, *smooth = STORE_ARRAY(store, Vec3, count);
    Neighbours near;
    if (store->failed || neighbours_build(mesh, store, &near) != 0) {
        return -1;
    }
    Box box = box_of_points(at, count);
    double depth = DEPTH * vec3_distance(box.low, box.high) / polygon_mean_side(mesh);
    int rounds = depth * depth < ROUNDS_MOST ? (int)fmax(depth * depth, 1) : ROUNDS_MOST;
    memcpy(smooth, at, (size_t)count * sizeof *smooth);
    for (int round = 0; round < rounds; ++round) { /* spreads as heat does: by their root */
        for (int v = 0; v < count; ++v) {
            int own = neighbours_count(&near, v);
            Vec3 sum = vec3_scale(own, smooth[v]);
            for (int k = near.first[v]; k < near.first[v + 1]; ++k) {
                sum = vec3_add(sum, smooth[near.list[k]]);
            }
            ends[v] = own > 0 ? vec3_scale(0.5 / own, sum) : smooth[v];
        }
        memcpy(smooth, ends, (size_t)count * sizeof *smooth);
    }
    for (int v = 0; v < count; ++v) {
        ends[v] = vec3_unit_or(vec3_sub(at[v], smooth[v]), vec3(0, 0, 0));
    }
    return 0;
}

/* --- opposite vertices ------------------------------------------------------------------------ */

/* m along the rim; of two borders that nothing joins, across them. Below 0: they have no front. */
static double way_around(const Rim *rim, const RimVertex *from, const RimVertex *to) {
    const Border *border = &rim->borders[from->border], *other = &rim->borders[to->border];
    if (border == other) {
        double way = fabs(to->along - from->along);
        return fmin(way, border->length - way);
    }
    const Vec3 *at = rim->whole.at;
    bool apart = rim->has_plane && at[from->vertex].x * at[to->vertex].x < 0 &&
                 components_root(rim->component, from->vertex) !=
                     components_root(rim->component, to->vertex);
    return apart ? 2 * fmin(border->far, other->far) : -1;
}

/* The nearest vertex that is far along the rim and faces this one; -1: none. */
static int find_opposite(const Rim *rim, const RimVertex *from) {
    const Vec3 *at = rim->whole.at, *ends = rim->ends;
    const Border *border = &rim->borders[from->border];
    int begin = rim->has_plane ? 0 : border->first, v = from->vertex, found = -1;
    int end = rim->has_plane ? rim->count : border->first + border->count;
    double nearest = INFINITY;
    for (int j = begin; j < end; ++j) {
        int w = rim->list[j].vertex;
        Vec3 across = vec3_sub(at[w], at[v]);
        double gap = vec3_length(across);
        bool faces =
            vec3_dot(across, ends[v]) >= FACING * gap && -vec3_dot(across, ends[w]) >= FACING * gap;
        if (gap < nearest && faces && v != w && (gap > 0 || rim->has_plane) &&
            NEARER * gap <= way_around(rim, from, &rim->list[j])) {
            nearest = gap;
            found = w;
        }
    }
    return found;
}

/* Single vertices of a front that face nothing go with the one before them; not those where a slit ends. */
static void bridge_skipped(Rim *rim, const Border *border) {
    const RimVertex *list = rim->list + border->first;
    int count = border->count, *opposite = rim->opposite;
    for (int i = 0; i < count; ++i) {
        int v = list[i].vertex, other = opposite[list[(i + count - 1) % count].vertex];
        for (int k = 1; k <= SKIPPED && other >= 0 && opposite[v] < 0; ++k) {
            int after = list[(i + k) % count].vertex;
            if (other == after) {
                break;
            }
            opposite[v] = opposite[after] >= 0 ? other : -1;
        }
    }
}

/* Across a stretch is the mean way from its vertices to those that they face: single ones lead up and down the gap, too. */
static void look_across(Rim *rim) {
    int count = rim->whole.mesh->vertex_count, *stretch = rim->run;
    const Vec3 *at = rim->whole.at;
    Vec3 *sum = rim->ends; /* not in use any more */
    for (int v = 0; v < count; ++v) {
        stretch[v] = v;
        sum[v] = vec3(0, 0, 0);
    }
    for (int e = 0; e < rim->edge_count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1];
        if (rim->opposite[a] >= 0 && rim->opposite[b] >= 0) {
            components_join(stretch, a, b);
        }
    }
    for (int v = 0; v < count; ++v) {
        Vec3 *own = &sum[components_root(stretch, v)];
        *own = rim->opposite[v] >= 0 ? vec3_add(*own, vec3_sub(at[rim->opposite[v]], at[v])) : *own;
    }
    Vec3 without_gap = vec3(rim->has_plane, 0, 0);
    for (int v = 0; v < count; ++v) {
        rim->across[v] = vec3_unit_or(sum[components_root(stretch, v)], without_gap);
    }
}

/* Whether an edge runs along the gap, as seen from its first end. */
static bool runs_along(const Rim *rim, int a, int b) {
    Vec3 along = vec3_sub(rim->whole.at[b], rim->whole.at[a]);
    return fabs(vec3_dot(along, rim->across[a])) <= FRONT_ALONG * vec3_length(along);
}

static int find_opposites(Rim *rim) {
    for (int v = 0; v < rim->whole.mesh->vertex_count && rim->has_plane; ++v) {
        double x = rim->whole.at[v].x;
        rim->ends[v] = vec3(x > 0 ? -1 : x < 0, 0, 0);
    }
    if (rim->count > 0 && !rim->has_plane && find_ends(rim) != 0) {
        return -1;
    }
    for (int i = 0; i < rim->count; ++i) {
        int *own = &rim->opposite[rim->list[i].vertex];
        *own = *own < 0 ? find_opposite(rim, &rim->list[i]) : *own;
    }
    for (int b = 0; b < rim->border_count && !rim->has_plane; ++b) {
        bridge_skipped(rim, &rim->borders[b]);
    }
    look_across(rim);
    return 0;
}

/* --- runs ------------------------------------------------------------------------------------- */

static bool edge_is_front(const Rim *rim, int e) {
    int a = rim->edges[e][0], b = rim->edges[e][1];
    return rim->opposite[a] >= 0 && rim->opposite[b] >= 0 && runs_along(rim, a, b);
}

/* Runs of edges that hang together; `is_front`: their vertices, but of those that are no slits. */
static void take_runs(const Rim *rim, double *length, double *area, uint8_t *is_front) {
    int *run = rim->run;
    for (int v = 0; v < rim->whole.mesh->vertex_count; ++v) {
        run[v] = v;
    }
    for (int e = 0; e < rim->edge_count; ++e) {
        if (edge_is_front(rim, e)) {
            components_join(run, rim->edges[e][0], rim->edges[e][1]);
        }
    }
    for (int e = 0; e < rim->edge_count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1], root = components_root(run, a);
        if (edge_is_front(rim, e)) {
            double l = vec3_distance(rim->whole.at[a], rim->whole.at[b]);
            length[root] += l;
            area[root] += 0.5 * l * (gap_at(rim, a) + gap_at(rim, b));
        }
    }
    for (int e = 0; e < rim->edge_count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1], root = components_root(run, a);
        if (edge_is_front(rim, e) && length[root] * length[root] >= SLIT * area[root]) {
            is_front[a] = is_front[b] = 1;
        }
    }
}

/* Both runs of a front have its number, one of them below 0. */
static void number_runs(const Rim *rim, const uint8_t *is_front, int *number, int32_t *numbers) {
    int vertices = rim->whole.mesh->vertex_count, count = 0;
    for (int v = 0; v < vertices; ++v) {
        int other = rim->opposite[v], own = components_root(rim->run, v);
        if (is_front[v] && other >= 0 && is_front[other]) {
            other = components_root(rim->run, other);
            if (other != own && number[own] == 0 && number[other] == 0) {
                number[own] = ++count;
                number[other] = -count;
            }
        }
    }
    for (int v = 0; v < vertices; ++v) {
        numbers[v] = is_front[v] ? number[components_root(rim->run, v)] : 0;
    }
}

StatusCode fronts_find(const PolygonMesh *mesh, const MirrorFrame *frame, int32_t *numbers,
                       Status *status) {
    CheckReport report;
    int found;
    if (mesh_check(mesh, &report, NULL, 0, &found, status) < 0) {
        return status->code;
    }
    status_clear(status);
    const MirrorFrame own = {.is_identity = true};
    Rim rim = {.has_plane = frame != NULL};
    int failed = draft_of_mesh(mesh, frame ? frame : &own, &rim.whole), count = mesh->vertex_count;
    Store *store = &rim.whole.store;
    uint8_t *is_front = STORE_ARRAY(store, uint8_t, count);
    double *length = STORE_ARRAY(store, double, count), *area = STORE_ARRAY(store, double, count);
    int *number = STORE_ARRAY(store, int, count);
    if (failed || store->failed || take_borders(&rim) != 0 || find_opposites(&rim) != 0) {
        status_no_memory(status, "looking for open fronts");
    } else {
        take_runs(&rim, length, area, is_front);
        number_runs(&rim, is_front, number, numbers);
    }
    store_release(store);
    return status->code;
}
