/* The half of a mesh that is its own mirror image. */
#include <stdlib.h>
#include <string.h>

#include "mesh/adjacency.h"
#include "mesh/polygon.h"
#include "mirror/half/draft.h"

typedef struct Exact {
    Draft *draft;
    const PolygonMesh *mesh;
    int *
        parent; /* of mesh/adjacency.h: of all that hangs together, then of what does off the plane */
    int8_t *side;     /* per vertex: 1 kept, -1 the other, 0 on the plane */
    int32_t *corners; /* room for one face */
} Exact;

/* --- parts that break the symmetry ------------------------------------------------------------ */

/* A component is extra if vertices of it have no partner and none has one but itself. */
static StatusCode find_extra(Exact *exact, Status *status) {
    enum { LONELY = 1, PAIRED = 2 };
    Draft *draft = exact->draft;
    int count = exact->mesh->vertex_count, left = 0;
    Refusal lonely = {0};
    uint8_t *seen = STORE_ARRAY(&draft->store, uint8_t, count);
    if (!seen) {
        return status_no_memory(status, "halving the mesh");
    }
    draft_components(exact->parent, exact->mesh);
    for (int v = 0; v < count; ++v) {
        int partner = draft->partners[v];
        seen[components_root(exact->parent, v)] |= partner < 0 ? LONELY : partner != v ? PAIRED : 0;
    }
    for (int v = 0; v < count; ++v) {
        draft->extra[v] = seen[components_root(exact->parent, v)] == LONELY;
        left += !draft->extra[v];
        if (draft->partners[v] < 0) {
            refusal_add(&lonely, v);
        }
    }
    return left > 0 ? STATUS_OK
                    : refusal_status(&lonely, DETAIL_NOTHING_SYMMETRIC, ELEMENT_VERTEX, exact->mesh,
                                     "vertex has no mirror image, and no part of the mesh is "
                                     "symmetric",
                                     "vertices have no mirror image, and no part of the mesh is "
                                     "symmetric",
                                     status);
}

/* --- the same mesh twice ---------------------------------------------------------------------- */

typedef struct Point {
    float at[3];
    int vertex;
} Point;

static int compare_points(const void *left, const void *right) {
    const Point *p = left, *q = right;
    for (int c = 0; c < 3; ++c) {
        if (p->at[c] != q->at[c]) {
            return p->at[c] < q->at[c] ? -1 : 1;
        }
    }
    return (p->vertex > q->vertex) - (p->vertex < q->vertex);
}

static bool same_place(const Point *p, const Point *q) {
    return p->at[0] == q->at[0] && p->at[1] == q->at[1] && p->at[2] == q->at[2];
}

/* Is every vertex there twice, in separate parts: a mirrored mesh that was mirrored once more? */
static StatusCode check_doubled(const Exact *exact, Status *status) {
    int count = exact->mesh->vertex_count;
    Point *points = STORE_ARRAY(&exact->draft->store, Point, count);
    if (!points) {
        return status_no_memory(status, "halving the mesh");
    }
    for (int v = 0; v < count; ++v) {
        memcpy(points[v].at, exact->mesh->positions + 3 * (int64_t)v, sizeof points[v].at);
        points[v].vertex = v;
    }
    qsort(points, (size_t)count, sizeof *points, compare_points);
    for (int i = 0; i < count; i += 2) {
        if (i + 1 == count || !same_place(&points[i], &points[i + 1]) ||
            components_root(exact->parent, points[i].vertex) ==
                components_root(exact->parent, points[i + 1].vertex)) {
            return STATUS_OK;
        }
    }
    int second = count;
    for (int i = 0; i < count; i += 2) {
        second = points[i].vertex == 0 ? points[i + 1].vertex : second;
    }
    const float *p = exact->mesh->positions;
    status_set(status, STATUS_ERROR_MESH,
               "all %d vertices are there twice, in two copies of the mesh: vertex 0 and "
               "vertex %d, both at (%.4g, %.4g, %.4g), ...",
               count, second, p[0], p[1], p[2]);
    status_name_element(status, DETAIL_COPIES, ELEMENT_VERTEX, 0);
    status->details[0].elements[1] = second;
    status->details[0].count = count;
    return status->code;
}

/* --- images ----------------------------------------------------------------------------------- */

static StatusCode check_images(const Exact *exact, Status *status) {
    const Draft *draft = exact->draft;
    Refusal vertices = {0}, faces = {0};
    for (int v = 0; v < exact->mesh->vertex_count; ++v) {
        if (draft->partners[v] < 0 && !draft->extra[v]) {
            refusal_add(&vertices, v);
        }
    }
    for (int f = 0; f < exact->mesh->face_count; ++f) {
        int first = exact->mesh->face_vertices[draft->first_corner[f]];
        if (draft->face_partners[f] == -1 && !draft->extra[first]) {
            refusal_add(&faces, f);
        }
    }
    StatusCode code =
        refusal_status(&vertices, DETAIL_NO_IMAGE, ELEMENT_VERTEX, exact->mesh,
                       "vertex has no mirror image", "vertices have no mirror image", status);
    return code != STATUS_OK
               ? code
               : refusal_status(&faces, DETAIL_NO_IMAGE, ELEMENT_FACE, exact->mesh,
                                "face has no mirror image", "faces have no mirror image", status);
}

static StatusCode check_edges(const Exact *exact, Status *status) {
    const Draft *draft = exact->draft;
    const int32_t *edges = exact->mesh->edges;
    const int count = exact->mesh->edge_count;
    Refusal missing = {0};
    int(*sides)[2] = store_take(&exact->draft->store, (size_t)count, sizeof *sides);
    if (!sides) {
        return status_no_memory(status, "halving the mesh");
    }
    for (int e = 0; e < count; ++e) {
        Side side = side_between(edges[2 * (int64_t)e], edges[2 * (int64_t)e + 1], e);
        sides[e][0] = side.a;
        sides[e][1] = side.b;
    }
    qsort(sides, (size_t)count, sizeof *sides, side_compare_ends);
    for (int e = 0; e < count; ++e) {
        int a = edges[2 * (int64_t)e], b = edges[2 * (int64_t)e + 1];
        if (!draft->extra[a] && a != b &&
            side_find(sides, count, draft->partners[a], draft->partners[b]) < 0) {
            refusal_add(&missing, e);
        }
    }
    return refusal_status(&missing, DETAIL_NO_IMAGE, ELEMENT_EDGE, exact->mesh,
                          "loose edge has no mirror image", "loose edges have no mirror image",
                          status);
}

static StatusCode check_cuts(const Exact *exact, Status *status) {
    const ElementReport *report = &exact->draft->symmetry.elements;
    /* only the first is known by number */
    Refusal cuts = {.count = report->differing_cuts, .listed = 1, .first = {report->first_cut}};
    return refusal_status(&cuts, DETAIL_CUT_DIFFERS, ELEMENT_FACE, exact->mesh,
                          "face is cut into triangles otherwise than its mirror image",
                          "faces are cut into triangles otherwise than their mirror images",
                          status);
}

/* --- sides ------------------------------------------------------------------------------------ */

static void join_off_plane(const Exact *exact, const int32_t *vertices, int count) {
    int last = -1;
    for (int c = 0; c < count; ++c) {
        int v = vertices[c];
        if (exact->draft->partners[v] != v) {
            if (last >= 0) {
                components_join(exact->parent, last, v);
            }
            last = v;
        }
    }
}

static int face_counts(const Exact *exact, int f) {
    const int32_t *ring = exact->mesh->face_vertices + exact->draft->first_corner[f];
    return exact->draft->face_partners[f] != FACE_LEFT_OUT && !exact->draft->extra[ring[0]];
}

/* Sides by what hangs together off the plane, not vertex by vertex: the edges of a slit may touch, or overlap a
 * little. Cloth that hangs together with its own image lies across the plane; there the vertices' places decide, and
 * show where. */
static StatusCode decide_sides(Exact *exact, Status *status) {
    const Draft *draft = exact->draft;
    const PolygonMesh *mesh = exact->mesh;
    double *sum = STORE_ARRAY(&exact->draft->store, double, mesh->vertex_count);
    if (!sum) {
        return status_no_memory(status, "halving the mesh");
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        exact->parent[v] = v;
    }
    for (int f = 0; f < mesh->face_count; ++f) {
        if (face_counts(exact, f)) {
            join_off_plane(exact, mesh->face_vertices + draft->first_corner[f],
                           mesh->face_sizes[f]);
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        join_off_plane(exact, mesh->edges + 2 * (int64_t)e, 2);
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        sum[components_root(exact->parent, v)] += draft->at[v].x;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int w = draft->partners[v];
        if (!draft->extra[v] && w != v) {
            int own = components_root(exact->parent, v), other = components_root(exact->parent, w);
            double x = own == other ? draft->at[v].x - draft->at[w].x : sum[own] - sum[other];
            int first = own == other ? v < w : own < other; /* of sides in one place */
            exact->side[v] = x > 0 || (x == 0 && first) ? 1 : -1;
        }
    }
    return STATUS_OK;
}

/* The sides that these vertices are on, as bits: 1 kept, 2 the other. */
static int sides_of(const Exact *exact, const int32_t *vertices, int count) {
    int sides = 0;
    for (int c = 0; c < count; ++c) {
        int side = exact->side[vertices[c]];
        sides |= side > 0 ? 1 : side < 0 ? 2 : 0;
    }
    return sides;
}

static int face_sides(const Exact *exact, int f) {
    return sides_of(exact, exact->mesh->face_vertices + exact->draft->first_corner[f],
                    exact->mesh->face_sizes[f]);
}

static StatusCode check_plane(const Exact *exact, Status *status) {
    Refusal across = {0}, within = {0}, edges = {0};
    for (int f = 0; f < exact->mesh->face_count; ++f) {
        int sides = face_counts(exact, f) ? face_sides(exact, f) : 1;
        if (sides == 3) {
            refusal_add(&across, f);
        } else if (sides == 0) {
            refusal_add(&within, f);
        }
    }
    for (int e = 0; e < exact->mesh->edge_count; ++e) {
        if (sides_of(exact, exact->mesh->edges + 2 * (int64_t)e, 2) == 3) {
            refusal_add(&edges, e);
        }
    }
    const PolygonMesh *mesh = exact->mesh;
    if (refusal_status(&across, DETAIL_ACROSS_PLANE, ELEMENT_FACE, mesh,
                       "face lies across the mirror plane", "faces lie across the mirror plane",
                       status) ||
        refusal_status(&within, DETAIL_IN_PLANE, ELEMENT_FACE, mesh,
                       "face lies in the mirror plane", "faces lie in the mirror plane", status) ||
        refusal_status(&edges, DETAIL_ACROSS_PLANE, ELEMENT_EDGE, mesh,
                       "loose edge lies across the mirror plane",
                       "loose edges lie across the mirror plane", status)) {
        return status->code;
    }
    return STATUS_OK;
}

/* --- the selection ---------------------------------------------------------------------------- */

static void select_half(const Exact *exact) {
    Draft *draft = exact->draft;
    const PolygonMesh *mesh = exact->mesh;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int side = exact->side[v], keeps = !draft->extra[v] && side >= 0;
        draft->kind[v] = !keeps ? KIND_NONE : side > 0 ? KIND_FREE : KIND_PLANE;
        if (draft->kind[v] == KIND_PLANE && draft->at[v].x != 0) {
            draft->at[v].x = 0;
        }
        draft->rides[v] =
            keeps ? ride_on(v, 0) : ride_on(draft->extra[v] ? v : draft->partners[v], 1);
    }
    for (int f = 0; f < mesh->face_count; ++f) {
        if (face_counts(exact, f) && face_sides(exact, f) == 1) {
            for (int c = 0; c < mesh->face_sizes[f]; ++c) {
                exact->corners[c] = draft->first_corner[f] + c;
            }
            draft_add_face(draft, exact->corners, mesh->face_sizes[f]);
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const int32_t *edge = mesh->edges + 2 * (int64_t)e;
        if (!draft->extra[edge[0]] && !(sides_of(exact, edge, 2) & 2)) {
            draft_add_edge(draft, edge[0], edge[1]);
        }
    }
    draft->mirrored_to_the_bit = 1;
}

StatusCode exact_select(Draft *draft, Status *status) {
    const PolygonMesh *mesh = draft->mesh;
    Exact exact = {.draft = draft, .mesh = mesh};
    int largest = 3;
    for (int f = 0; f < mesh->face_count; ++f) {
        largest = mesh->face_sizes[f] > largest ? mesh->face_sizes[f] : largest;
    }
    exact.parent = STORE_ARRAY(&draft->store, int, mesh->vertex_count);
    exact.side = STORE_ARRAY(&draft->store, int8_t, mesh->vertex_count);
    exact.corners = STORE_ARRAY(&draft->store, int32_t, largest);
    if (draft->store.failed) {
        return status_no_memory(status, "halving the mesh");
    }
    if (find_extra(&exact, status) || check_doubled(&exact, status) ||
        check_images(&exact, status) || check_edges(&exact, status) ||
        decide_sides(&exact, status) || check_plane(&exact, status) || check_cuts(&exact, status)) {
        return status->code;
    }
    select_half(&exact);
    return STATUS_OK;
}
