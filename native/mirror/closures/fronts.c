/* Open fronts, of a half and of whole garments, and which closure is asked for. Ways along the rim are compared with ways
 * across: that tells a jacket's front from its neck hole. */
#include "mirror/closures/fronts.h"

#include <string.h>

#include "mesh/adjacency.h"
#include "mirror/closures/closures.h"

#define ALONG 0.70710678118654752 /* of an edge's length, at most, across the gap */
#define NEARER 3.0                /* around over across, at least */
#define SLIT 2.0                  /* length over gap, at least */
/* Of whole garments: */
#define DEPTH 0.05      /* of its size: the cloth behind a border that tells where it comes from */
#define FACING 0.5      /* cosine of the largest angle between the gap and where the cloth ends */
#define SKIPPED 2       /* vertices within a front that may be none themselves */
#define ROUNDS_MOST 400 /* of averaging, on the finest meshes */

typedef struct Rim {
    Draft *draft;
    int count;
    int (*edges)[2];
    PolygonMesh ropes; /* these edges alone */
    Neighbours beside; /* along them */
    /* Per vertex: towards what it could be closed with, of length 1; half the way there, m; whether that is a front's. */
    Vec3 *across;
    double *apart;
    uint8_t *faces;
    int *opposite; /* per vertex of a whole garment: that one; -1: none */
    int *run;      /* of components.h: edges of a front that hang together */
} Rim;

/* Leaves out the sides on the plane: the cloth goes on there. */
static int take_rim(Rim *rim) {
    Draft *draft = rim->draft;
    Store *store = &draft->store;
    int vertices = draft->mesh->vertex_count, kept = 0;
    rim->count = draft_sides_between(draft, NULL, &rim->edges);
    rim->across = STORE_ARRAY(store, Vec3, vertices);
    rim->apart = STORE_ARRAY(store, double, vertices);
    rim->faces = STORE_ARRAY(store, uint8_t, vertices);
    rim->opposite = STORE_ARRAY(store, int, vertices);
    rim->run = STORE_ARRAY(store, int, vertices);
    for (int e = 0; e < rim->count && !store->failed; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1];
        if (draft->kind[a] != KIND_PLANE || draft->kind[b] != KIND_PLANE) {
            rim->edges[kept][0] = a;
            rim->edges[kept++][1] = b;
        }
    }
    rim->count = kept;
    rim->ropes = (PolygonMesh){
        .vertex_count = vertices, .edge_count = kept, .edges = (const int32_t *)rim->edges};
    return store->failed ? -1 : neighbours_build(&rim->ropes, store, &rim->beside);
}

/* --- across a plane --------------------------------------------------------------------------- */

static double length_of(const void *context, int from, int to) {
    const Draft *draft = context;
    return vec3_distance(draft->at[from], draft->at[to]);
}

static int face_images(Rim *rim) {
    const Draft *draft = rim->draft;
    Store *store = &rim->draft->store;
    int count = draft->mesh->vertex_count;
    double *around = STORE_ARRAY(store, double, count); /* m, to the plane; negative: no way */
    double *farthest =
        STORE_ARRAY(store, double, count); /* per loop, at its root: the largest x, m */
    uint8_t *bound =
        STORE_ARRAY(store, uint8_t, count); /* per component: has vertices on the plane */
    int *loop = STORE_ARRAY(store, int, count), *component = STORE_ARRAY(store, int, count);
    const PolygonMesh kept = {.vertex_count = count,
                              .face_count = draft->face_count,
                              .face_sizes = draft->face_sizes,
                              .face_vertices = draft->vertices};
    if (store->failed) {
        return -1;
    }
    draft_components(loop, &rim->ropes);
    draft_components(component, &kept);
    for (int v = 0; v < count; ++v) {
        double *most = &farthest[components_root(loop, v)], x = draft->at[v].x;
        *most = x > *most ? x : *most;
        bound[components_root(component, v)] |= draft->kind[v] == KIND_PLANE;
        around[v] = draft->kind[v] == KIND_PLANE && neighbours_count(&rim->beside, v) > 0 ? 0 : -1;
    }
    if (draft_measure_ways(store, &rim->beside, count, length_of, draft, INFINITY, around) != 0) {
        return -1;
    }
    for (int v = 0; v < count; ++v) {
        double x = draft->at[v].x, far = farthest[components_root(loop, v)];
        rim->across[v] = vec3(1, 0, 0);
        rim->apart[v] = x;
        rim->faces[v] = around[v] >= 0 ? NEARER * x <= around[v]
                                       : !bound[components_root(component, v)] && NEARER * x <= far;
    }
    return 0;
}

/* --- without a plane -------------------------------------------------------------------------- */

/* For each vertex the direction from the cloth around it to itself: on a border, in which the cloth ends. */
static int find_ends(const Rim *rim, Vec3 *ends) {
    const Draft *draft = rim->draft;
    Store *store = &rim->draft->store;
    int count = draft->mesh->vertex_count;
    Vec3 *smooth = STORE_ARRAY(store, Vec3, count);
    Neighbours near;
    if (store->failed || neighbours_build(draft->mesh, store, &near) != 0) {
        return -1;
    }
    Box box = box_of_points(draft->at, count);
    double depth = DEPTH * vec3_distance(box.low, box.high) / polygon_mean_side(draft->mesh);
    int rounds = depth * depth < ROUNDS_MOST ? (int)fmax(depth * depth, 1) : ROUNDS_MOST;
    memcpy(smooth, draft->at, (size_t)count * sizeof *smooth);
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
        ends[v] = vec3_unit_or(vec3_sub(draft->at[v], smooth[v]), vec3(0, 0, 0));
    }
    return 0;
}

/* A border from this vertex on, around to it; 0 where it branches. */
static int go_around(const Rim *rim, int start, int *loop) {
    const Neighbours *beside = &rim->beside;
    int count = 0, v = start, before = -1;
    do {
        const int *own = beside->list + beside->first[v];
        if (neighbours_count(beside, v) != 2) {
            return 0;
        }
        loop[count++] = v;
        v = own[own[0] == before];
        before = loop[count - 1];
    } while (v != start);
    return count;
}

static void close_with(Rim *rim, int vertex, int other) {
    rim->opposite[vertex] = other;
    rim->apart[vertex] = 0.5 * vec3_distance(rim->draft->at[other], rim->draft->at[vertex]);
    rim->faces[vertex] = 1;
}

/* Each vertex of a border with the nearest one that is far along it and faces it. */
static void face_border(Rim *rim, const Vec3 *ends, const int *loop, int count, double *along) {
    const Vec3 *at = rim->draft->at;
    double total = 0;
    for (int i = 0; i < count; ++i) {
        along[i] = total;
        total += vec3_distance(at[loop[i]], at[loop[(i + 1) % count]]);
    }
    for (int i = 0; i < count; ++i) {
        double nearest = INFINITY;
        for (int j = 0; j < count; ++j) {
            double way = fabs(along[j] - along[i]);
            Vec3 across = vec3_sub(at[loop[j]], at[loop[i]]);
            double gap = vec3_length(across);
            if (gap > 0 && gap < nearest && NEARER * gap <= fmin(way, total - way) &&
                vec3_dot(across, ends[loop[i]]) >= FACING * gap &&
                -vec3_dot(across, ends[loop[j]]) >= FACING * gap) {
                nearest = gap;
                close_with(rim, loop[i], loop[j]);
            }
        }
    }
}

/* Single vertices of a front that face nothing go with the one before them; not those where a slit ends. */
static void face_skipped(Rim *rim, const int *loop, int count) {
    for (int i = 0; i < count; ++i) {
        int before = loop[(i + count - 1) % count], other = rim->opposite[before];
        for (int k = 1; k <= SKIPPED && other >= 0 && !rim->faces[loop[i]]; ++k) {
            int after = loop[(i + k) % count];
            if (other == after) {
                break;
            }
            if (rim->faces[after]) {
                close_with(rim, loop[i], other);
            }
        }
    }
}

/* Across a stretch is the mean way from its vertices to those that they face: single ones lead up and down the gap, too. */
static void look_across(Rim *rim, Vec3 *sum) {
    int count = rim->draft->mesh->vertex_count, *stretch = rim->run;
    const Vec3 *at = rim->draft->at;
    for (int v = 0; v < count; ++v) {
        stretch[v] = v;
        sum[v] = vec3(0, 0, 0);
    }
    for (int e = 0; e < rim->count; ++e) {
        int a = rim->edges[e][0], b = rim->edges[e][1];
        if (rim->faces[a] && rim->faces[b]) {
            components_join(stretch, a, b);
        }
    }
    for (int v = 0; v < count; ++v) {
        Vec3 *own = &sum[components_root(stretch, v)];
        *own = rim->faces[v] ? vec3_add(*own, vec3_sub(at[rim->opposite[v]], at[v])) : *own;
    }
    for (int v = 0; v < count; ++v) {
        rim->across[v] = vec3_unit_or(sum[components_root(stretch, v)], vec3(0, 0, 0));
    }
}

static int face_each_other(Rim *rim) {
    Store *store = &rim->draft->store;
    int count = rim->draft->mesh->vertex_count;
    Vec3 *ends = STORE_ARRAY(store, Vec3, count);
    int *loop = STORE_ARRAY(store, int, count);
    double *along = STORE_ARRAY(store, double, count);
    uint8_t *seen = STORE_ARRAY(store, uint8_t, count);
    if (store->failed || (rim->count > 0 && find_ends(rim, ends) != 0)) {
        return -1;
    }
    for (int v = 0; v < count; ++v) {
        rim->opposite[v] = -1;
    }
    for (int v = 0; v < count; ++v) {
        int length = seen[v] ? 0 : go_around(rim, v, loop);
        face_border(rim, ends, loop, length, along);
        face_skipped(rim, loop, length);
        for (int i = 0; i < length; ++i) {
            seen[loop[i]] = 1;
        }
    }
    look_across(rim, ends); /* not in use any more */
    return 0;
}

/* --- runs ------------------------------------------------------------------------------------- */

static bool edge_is_front(const Rim *rim, int e) {
    int a = rim->edges[e][0], b = rim->edges[e][1];
    Vec3 along = vec3_sub(rim->draft->at[b], rim->draft->at[a]);
    return fabs(vec3_dot(along, rim->across[a])) <= ALONG * vec3_length(along) && rim->faces[a] &&
           rim->faces[b];
}

/* Runs of candidates that hang together; those that are no slits are left out again. */
static void take_runs(const Rim *rim, double *length, double *gap, OpenFronts *fronts) {
    const Vec3 *at = rim->draft->at;
    int *run = rim->run;
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
            gap[components_root(run, a)] += l * (rim->apart[a] + rim->apart[b]);
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

/* Of a half, or without options of all of a garment. Takes its memory from the draft's store. */
static StatusCode find_fronts(Rim *rim, OpenFronts *fronts, Status *status) {
    Store *store = &rim->draft->store;
    int count = rim->draft->mesh->vertex_count;
    *fronts = (OpenFronts){0};
    int failed = take_rim(rim);
    failed = failed ? failed : rim->draft->options ? face_images(rim) : face_each_other(rim);
    fronts->edges = store_take(store, (size_t)(failed ? 0 : rim->count), sizeof *fronts->edges);
    fronts->is_front = STORE_ARRAY(store, uint8_t, count);
    double *length = STORE_ARRAY(store, double, count), *gap = STORE_ARRAY(store, double, count);
    if (store->failed) {
        return status_no_memory(status, "looking for open fronts");
    }
    take_runs(rim, length, gap, fronts);
    for (int v = 0; v < count; ++v) {
        fronts->vertex_count += fronts->is_front[v];
    }
    return STATUS_OK;
}

/* Both runs of a front have its number, one of them below 0. */
static void number_fronts(const Rim *rim, const OpenFronts *fronts, int *number,
                          int32_t *reported) {
    int vertices = rim->draft->mesh->vertex_count, count = 0;
    for (int v = 0; v < vertices; ++v) {
        int other = rim->opposite[v], own = components_root(rim->run, v);
        if (fronts->is_front[v] && other >= 0 && fronts->is_front[other]) {
            other = components_root(rim->run, other);
            if (other != own && number[own] == 0 && number[other] == 0) {
                number[own] = ++count;
                number[other] = -count;
            }
        }
    }
    for (int v = 0; v < vertices; ++v) {
        reported[v] = fronts->is_front[v] ? number[components_root(rim->run, v)] : 0;
    }
}

StatusCode fronts_find(const PolygonMesh *mesh, int32_t *numbers, Status *status) {
    CheckReport report;
    OpenFronts fronts;
    int found;
    if (mesh_check(mesh, &report, NULL, 0, &found, status) < 0) {
        return status->code;
    }
    status_clear(status);
    const MirrorFrame frame = {.is_identity = true};
    Draft whole;
    Rim rim = {.draft = &whole};
    int *number = NULL;
    if (draft_of_mesh(mesh, &frame, &whole) == 0) {
        number = STORE_ARRAY(&whole.store, int, mesh->vertex_count);
    }
    if (!number) {
        status_no_memory(status, "looking for open fronts");
    } else if (find_fronts(&rim, &fronts, status) == STATUS_OK) {
        number_fronts(&rim, &fronts, number, numbers);
    }
    store_release(&whole.store);
    return status->code;
}

/* --- closing them ----------------------------------------------------------------------------- */

/* Seams from each vertex of a front to its image, which in a half hold it on the plane. */
static void close_zip(Draft *draft, const OpenFronts *fronts) {
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (fronts->is_front[v]) {
            draft->kind[v] = KIND_RAIL;
        }
    }
    draft->front_count = fronts->vertex_count;
}

StatusCode closure_apply(Draft *draft, Status *status) {
    OpenFronts fronts;
    Rim rim = {.draft = draft};
    if (draft->options->closure == CLOSURE_FREE) {
        return STATUS_OK;
    }
    if (find_fronts(&rim, &fronts, status) != STATUS_OK) {
        return status->code;
    }
    if (fronts.vertex_count > 0 && draft->options->closure == CLOSURE_ZIP) {
        close_zip(draft, &fronts);
    } else if (fronts.vertex_count > 0 && button_close(draft, &fronts, status) < 0) {
        return status->code;
    }
    if (draft->front_count > 0) {
        return STATUS_OK;
    }
    status_set(
        status, STATUS_WARNING_MESH, "%s",
        fronts.vertex_count > 0
            ? "the open front is not buttoned: all faces along it reach the mirror plane, so "
              "no strip of cloth can lie over the other side. A zip closes it"
            : "no open front was found along the mirror plane: there is nothing to close");
    return status_name_count(status, DETAIL_NO_FRONT, fronts.vertex_count);
}
