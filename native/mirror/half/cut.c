/* The half of any mesh: faces that reach onto the kept side, drawn onto the plane where they reach beyond it. */
#include <string.h>

#include "mirror/half/draft.h"

/* --- how alike the sides are ------------------------------------------------------------------ */

/* Each vertex is reflected and its distance to the whole surface measured: of both sides, so that what only one of
 * them has is found, wherever it is. */

/* Shares of the garment's size (the diagonal of its box). Modelled garments that are symmetric to the eye have up to
 * 0.3 % on average and 2.5 % at most; without a sleeve, a third of one, or shifted by 2 %, they have more than these. */
#define MEAN_REFUSED 0.010
#define MOST_REFUSED 0.060
#define MEAN_DOUBTED 0.005
#define MOST_DOUBTED 0.030

typedef struct Likeness {
    double mean, most; /* m: by area, and at one vertex */
    int vertex;        /* which */
} Likeness;

/* --- the surface ------------------------------------------------------------------------------ */

/* What of the surface a vertex stands for: a third of its triangles' area; ropes count by their length. */
static void share_out(const Surface *surface, double *shares) {
    const Vec3 *at = surface->draft->at;
    for (int t = 0; t < surface->count; ++t) {
        const int *v = surface->corners[t];
        Vec3 side = vec3_sub(at[v[1]], at[v[0]]);
        bool rope = v[1] == v[2];
        double size = vec3_length(rope ? side : vec3_cross(side, vec3_sub(at[v[2]], at[v[0]])));
        for (int c = 0; c < (rope ? 2 : 3); ++c) {
            shares[v[c]] += rope && surface->draft->face_count > 0 ? 0 : size;
        }
    }
}

/* --- distances -------------------------------------------------------------------------------- */

/* In the plane x = `shift` of the half's frame. */
static Likeness measure(const Surface *surface, const double *shares, double shift) {
    Likeness found = {0};
    double sum = 0, total = 0;
    for (int v = 0; v < surface->draft->mesh->vertex_count; ++v) {
        Vec3 image = surface->draft->at[v];
        image.x = 2 * shift - image.x;
        if (!(shares[v] > 0)) {
            continue; /* single vertices are no surface */
        }
        double distance = surface_distance(surface, image);
        sum += shares[v] * distance;
        total += shares[v];
        if (distance > found.most) {
            found.most = distance;
            found.vertex = v;
        }
    }
    found.mean = total > 0 ? sum / total : 0;
    return found;
}

/* Mean length of the sides of triangles and of ropes, m. */
static double mean_side(const Surface *surface) {
    double sum = 0;
    int count = 0;
    for (int t = 0; t < surface->count; ++t) {
        const int *v = surface->corners[t];
        for (int c = 0; c < (v[1] == v[2] ? 1 : 3); ++c, ++count) {
            sum += vec3_distance(surface->draft->at[v[c]], surface->draft->at[v[(c + 1) % 3]]);
        }
    }
    return count > 0 ? sum / count : 0;
}

/* A coarse mesh says nothing finer than its sides. */
static Likeness bounds(const Surface *surface, double size, double mean, double most) {
    double side = mean_side(surface);
    return (Likeness){.mean = mean * size, .most = most * size > side ? most * size : side};
}

static bool is_beyond(const Likeness *found, const Likeness *bound) {
    return found->mean > bound->mean || found->most > bound->most;
}

/* Of its box, across the plane, m. */
static double middle(const Surface *surface) {
    Box box = box_of_points(surface->draft->at, surface->draft->mesh->vertex_count);
    return 0.5 * (box.low.x + box.high.x);
}

/* --- what is told ----------------------------------------------------------------------------- */

/* The better way: the plane in its middle if that will do. */
static void advise(const Draft *draft, const Surface *surface, const double *shares,
                   const Likeness *wanted, Status *status) {
    double shift = middle(surface);
    Likeness shifted = measure(surface, shares, shift);
    if (is_beyond(&shifted, wanted)) {
        status_append(status, ": simulate all of it, or make one side the image of the other");
        return;
    }
    Vec3 p = frame_from_half(&draft->frame, vec3(shift, 0, 0));
    status_append(status, ": a plane through (%.4g, %.4g, %.4g) would do", p.x, p.y, p.z);
}

static void tell(const Draft *draft, const Likeness *found, const Likeness *bound, const char *how,
                 Status *status) {
    Vec3 p = polygon_position(draft->mesh, found->vertex);
    double percent = 100 / draft->size;
    status_append(
        status,
        "the sides are %s alike: mirrored, the garment is %.2g %% of its size from itself "
        "on average, where %.2g %% may be, and %.2g %% (%.3g m) at vertex %d at (%.4g, "
        "%.4g, %.4g), where %.2g %% may be",
        how, percent * found->mean, percent * bound->mean, percent * found->most, found->most,
        found->vertex, p.x, p.y, p.z, percent * bound->most);
}

/* To be called when the message is complete; its first `cause` bytes say what is the matter. */
static void detail_of(const Likeness *found, const Likeness *bound, int cause, Status *status) {
    bool far = found->most > bound->most;
    Detail *detail = status_detail(status, DETAIL_SIDES_DIFFER);
    status_of_element(status, ELEMENT_VERTEX, found->vertex);
    detail->value = far ? found->most : found->mean;
    detail->limit = far ? bound->most : bound->mean;
    detail->cause_end = cause;
}

static void judge(const Draft *draft, const Surface *surface, const double *shares,
                  Status *status) {
    Likeness allowed = bounds(surface, draft->size, MEAN_REFUSED, MOST_REFUSED);
    Likeness wanted = bounds(surface, draft->size, MEAN_DOUBTED, MOST_DOUBTED);
    Likeness found = measure(surface, shares, 0);
    bool refused = is_beyond(&found, &allowed);
    if (!is_beyond(&found, &wanted)) {
        return;
    }
    const Likeness *bound = refused ? &allowed : &wanted;
    status_next(status, refused ? STATUS_ERROR_MESH : STATUS_WARNING_MIRROR);
    tell(draft, &found, bound, refused ? "not" : "hardly", status);
    int cause = (int)strlen(status->message);
    advise(draft, surface, shares, &wanted, status);
    detail_of(&found, bound, cause, status);
}

StatusCode likeness_check(const Draft *draft, Status *status) {
    if (draft->symmetry.unpaired == 0 && draft->symmetry.elements.faces_without == 0) {
        return STATUS_OK; /* its own image */
    }
    Draft whole;
    Surface surface;
    double *shares = NULL;
    if (draft_of_mesh(draft->mesh, &draft->frame, &whole) == 0) {
        shares = STORE_ARRAY(&whole.store, double, draft->mesh->vertex_count);
    }
    if (!shares || surface_build(&whole, &whole.store, &surface) != 0) {
        status_no_memory(status, "looking how alike the sides are");
    } else {
        share_out(&surface, shares);
        judge(draft, &surface, shares, status);
    }
    store_release(&whole.store);
    return status->code;
}

/* A vertex so near to the plane, in shares of its edges that cross it, is drawn onto it: the triangles between would
 * be slivers, stiff and without worth. */
#define NEAR 0.2

/* Sides to which faces and edges of a vertex reach; whether they have other vertices on that side. */
enum {
    REACHES_KEPT = 1,
    REACHES_OTHER = 2,
    REACHES = 3,
    CONNECTED = 4,
    KEPT_COMPANY = 8,
    OTHER_COMPANY = 16
};

typedef struct Cut {
    Draft *draft;
    const PolygonMesh *mesh;
    int8_t *side; /* per vertex: 1 kept, -1 the other, 0 within the tolerance */
    uint8_t *
        reaches; /* per vertex: CONNECTED if it has faces or edges, and the sides to which they reach */
    uint8_t *used;    /* per vertex: by what is kept */
    Vec3 *given;      /* per vertex: the place as the caller has it, in the half's frame */
    double *crossing; /* per vertex: the shortest edge that crosses the plane, m; 0: none */
    Vec3 *points;     /* room for one face */
    int32_t *corners;
    int *ring;
    int (*triangles)[3];
} Cut;

static StatusCode take_memory(Cut *cut, Status *status) {
    const PolygonMesh *mesh = cut->mesh;
    Store *store = &cut->draft->store;
    int largest = 3;
    for (int f = 0; f < mesh->face_count; ++f) {
        largest = mesh->face_sizes[f] > largest ? mesh->face_sizes[f] : largest;
    }
    cut->side = STORE_ARRAY(store, int8_t, mesh->vertex_count);
    cut->reaches = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    cut->used = STORE_ARRAY(store, uint8_t, mesh->vertex_count);
    cut->given = STORE_ARRAY(store, Vec3, mesh->vertex_count);
    cut->crossing = STORE_ARRAY(store, double, mesh->vertex_count);
    cut->points = STORE_ARRAY(store, Vec3, largest);
    cut->corners = STORE_ARRAY(store, int32_t, largest);
    cut->ring = STORE_ARRAY(store, int, largest);
    cut->triangles = store_take(store, (size_t)largest, sizeof *cut->triangles);
    return store->failed ? status_no_memory(status, "cutting the mesh in halves") : STATUS_OK;
}

/* --- which vertex is where -------------------------------------------------------------------- */

static void note_edge(Cut *cut, int a, int b) {
    if (cut->side[a] * cut->side[b] < 0) {
        double length = vec3_distance(cut->given[a], cut->given[b]);
        int ends[2] = {a, b};
        for (int k = 0; k < 2; ++k) {
            double *crossing = &cut->crossing[ends[k]];
            *crossing = *crossing == 0 || length < *crossing ? length : *crossing;
        }
    }
}

static void note_reach(Cut *cut, const int32_t *vertices, int count) {
    int kept = 0, other = 0;
    for (int c = 0; c < count; ++c) {
        kept += cut->side[vertices[c]] > 0;
        other += cut->side[vertices[c]] < 0;
        note_edge(cut, vertices[c], vertices[(c + 1) % count]);
    }
    int reaches = CONNECTED | (kept > 0 ? REACHES_KEPT : 0) | (other > 0 ? REACHES_OTHER : 0) |
                  (kept > 1 ? KEPT_COMPANY : 0) | (other > 1 ? OTHER_COMPANY : 0);
    for (int c = 0; c < count; ++c) {
        cut->reaches[vertices[c]] |= (uint8_t)reaches;
    }
}

/* Marks how far the faces and edges of each vertex reach. */
static void note_all(Cut *cut) {
    const Draft *draft = cut->draft;
    memset(cut->reaches, 0, (size_t)cut->mesh->vertex_count * sizeof *cut->reaches);
    memset(cut->crossing, 0, (size_t)cut->mesh->vertex_count * sizeof *cut->crossing);
    for (int f = 0; f < cut->mesh->face_count; ++f) {
        if (draft->face_partners[f] != FACE_LEFT_OUT) {
            note_reach(cut, cut->mesh->face_vertices + draft->first_corner[f],
                       cut->mesh->face_sizes[f]);
        }
    }
    for (int e = 0; e < cut->mesh->edge_count; ++e) {
        note_reach(cut, cut->mesh->edges + 2 * (int64_t)e, 2);
    }
}

/* A vertex barely beyond the plane, all of whose cloth is on this side of it, is the tip of an open edge: the cloth
 * does not go on there, and it belongs to its cloth's side. */
static void find_sides(Cut *cut) {
    const Draft *draft = cut->draft;
    double tolerance = draft->symmetry.tolerance;
    for (int v = 0; v < cut->mesh->vertex_count; ++v) {
        cut->given[v] = draft->at[v];
        double x = draft->at[v].x;
        cut->side[v] = x > tolerance ? 1 : x < -tolerance ? -1 : 0;
    }
    note_all(cut);
    for (int v = 0; v < cut->mesh->vertex_count; ++v) {
        int company = cut->side[v] > 0 ? KEPT_COMPANY : OTHER_COMPANY;
        if (!(cut->reaches[v] & company) && fabs(draft->at[v].x) < NEAR * cut->crossing[v]) {
            cut->side[v] = (int8_t)-cut->side[v];
        }
    }
    note_all(cut);
}

/* Free, on the plane, or none: what each vertex would be if something that is kept uses it. Cloth that only touches
 * the plane goes with its side and stays free; cloth that goes on beyond is bound to the plane. */
static void choose_kinds(Cut *cut) {
    Draft *draft = cut->draft;
    for (int v = 0; v < cut->mesh->vertex_count; ++v) {
        int side = cut->side[v], reaches = cut->reaches[v] & REACHES;
        bool sliver = side > 0 && cut->crossing[v] > 0 && draft->at[v].x < NEAR * cut->crossing[v];
        bool touches = side == 0 && reaches == REACHES_KEPT;
        bool free = (side > 0 && !sliver) || touches;
        draft->kind[v] = free ? KIND_FREE : KIND_PLANE;
        draft->drawn[v] = side < 0 || (side == 0 && reaches == REACHES_OTHER);
        if (!free) {
            draft->at[v].x = 0;
        }
    }
}

/* --- what is kept ----------------------------------------------------------------------------- */

static int count_kind(const Draft *draft, const int32_t *vertices, int count, VertexKind kind) {
    int found = 0;
    for (int c = 0; c < count; ++c) {
        found += draft->kind[vertices[c]] == kind;
    }
    return found;
}

static void keep_face(Cut *cut, const int32_t *corners, int count) {
    for (int c = 0; c < count; ++c) {
        cut->used[cut->mesh->face_vertices[corners[c]]] = 1;
    }
    draft_add_face(cut->draft, corners, count);
}

/* Triangles of a face that reaches beyond the plane, cut as the whole mesh is. */
static void keep_triangles(Cut *cut, int f, Vec3 centre) {
    const Draft *draft = cut->draft;
    int first = draft->first_corner[f], size = cut->mesh->face_sizes[f];
    const int32_t *vertices = cut->mesh->face_vertices + first;
    for (int c = 0; c < size; ++c) {
        cut->points[c] = cut->given[vertices[c]];
    }
    polygon_cut(cut->points, size, centre, cut->ring, cut->triangles);
    for (int t = 0; t < size - 2; ++t) {
        int32_t corners[3], ends[3];
        for (int c = 0; c < 3; ++c) {
            corners[c] = first + cut->triangles[t][c];
            ends[c] = cut->mesh->face_vertices[corners[c]];
        }
        if (count_kind(draft, ends, 3, KIND_FREE) > 0) {
            keep_face(cut, corners, 3);
        }
    }
}

/* Whether a quad across the plane stays one: a side of it is kept, and the other drawn onto the plane. */
static bool stays_quad(const Cut *cut, const int32_t *v, int size) {
    const Draft *draft = cut->draft;
    if (!draft->options->quads || size != 4 || count_kind(draft, v, 4, KIND_FREE) != 2) {
        return false;
    }
    int first = 0;
    while (draft->kind[v[first]] == KIND_FREE || draft->kind[v[(first + 1) % 4]] == KIND_FREE) {
        if (++first == 4) { /* its kept corners are opposite */
            return false;
        }
    }
    return vec3_distance(draft->at[v[first]], draft->at[v[(first + 1) % 4]]) >
           draft->symmetry.tolerance;
}

static void keep_faces(Cut *cut) {
    const Draft *draft = cut->draft;
    Vec3 centre = frame_to_half(&draft->frame, polygon_centre(cut->mesh));
    for (int f = 0; f < cut->mesh->face_count; ++f) {
        int first = draft->first_corner[f], size = cut->mesh->face_sizes[f], beyond = 0;
        const int32_t *vertices = cut->mesh->face_vertices + first;
        if (draft->face_partners[f] == FACE_LEFT_OUT ||
            count_kind(draft, vertices, size, KIND_FREE) == 0) {
            continue;
        }
        for (int c = 0; c < size; ++c) {
            beyond += draft->drawn[vertices[c]];
            cut->corners[c] = first + c;
        }
        if (beyond > 0 && !stays_quad(cut, vertices, size)) {
            keep_triangles(cut, f, centre);
        } else {
            keep_face(cut, cut->corners, size);
        }
    }
}

/* Loose edges that reach onto the kept side, or lie in the plane. */
static void keep_edges(Cut *cut) {
    Draft *draft = cut->draft;
    for (int e = 0; e < cut->mesh->edge_count; ++e) {
        const int32_t *edge = cut->mesh->edges + 2 * (int64_t)e;
        int lies = cut->side[edge[0]] == 0 && cut->side[edge[1]] == 0 && !draft->drawn[edge[0]] &&
                   !draft->drawn[edge[1]];
        if (edge[0] != edge[1] && (lies || count_kind(draft, edge, 2, KIND_FREE) > 0)) {
            cut->used[edge[0]] = cut->used[edge[1]] = 1;
            draft_add_edge(draft, edge[0], edge[1]);
        }
    }
}

/* What nothing uses is not in the half, but for single vertices on the kept side and on the plane. Single vertices
 * beyond it that are nobody's image have nothing to ride on. */
static void drop_unused(Cut *cut) {
    Draft *draft = cut->draft;
    for (int v = 0; v < cut->mesh->vertex_count; ++v) {
        int single = !(cut->reaches[v] & CONNECTED);
        if (!cut->used[v] && !(single && cut->side[v] >= 0)) {
            draft->kind[v] = KIND_NONE;
            draft->drawn[v] = 1;
            draft->extra[v] = single && draft->partners[v] < 0;
        }
        if (draft->kind[v] == KIND_FREE && draft->partners[v] == v) {
            draft->partners[v] = -1; /* it only touches the plane */
        }
    }
}

/* --- rides ------------------------------------------------------------------------------------ */

/* Normals of the caller's mesh, in the half's frame: only their direction is of use. */
static void caller_normals(const Cut *cut, Vec3 *normals) {
    const Draft *draft = cut->draft;
    for (int f = 0; f < cut->mesh->face_count; ++f) {
        const int32_t *vertices = cut->mesh->face_vertices + draft->first_corner[f];
        int size = cut->mesh->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            cut->points[c] = cut->given[vertices[c]];
        }
        Vec3 normal = polygon_normal(cut->points, size);
        for (int c = 0; c < size; ++c) {
            normals[vertices[c]] = vec3_add(normals[vertices[c]], normal);
        }
    }
}

static StatusCode make_rides(Cut *cut, Status *status) {
    Draft *draft = cut->draft;
    double tolerance = draft->symmetry.tolerance;
    Surface surface;
    Vec3 *normals = STORE_ARRAY(&draft->store, Vec3, cut->mesh->vertex_count);
    if (!normals || surface_build(draft, &draft->store, &surface) != 0) {
        return status_no_memory(status, "cutting the mesh in halves");
    }
    caller_normals(cut, normals);
    for (int v = 0; v < cut->mesh->vertex_count; ++v) {
        int partner = draft->partners[v], own = draft->kind[v] != KIND_NONE && !draft->drawn[v];
        Vec3 place = cut->given[v], normal = normals[v];
        if (draft->extra[v] || (own && fabs(place.x - draft->at[v].x) <= tolerance)) {
            draft->rides[v] = ride_on(v, 0);
        } else if (!own && partner >= 0 && draft->kind[partner] == KIND_FREE) {
            draft->rides[v] = ride_on(partner, 1);
        } else {
            int side = cut->side[v], mirrored = side < 0 || (side == 0 && place.x < 0);
            place = mirrored ? frame_reflect_half(place) : place;
            normal = mirrored ? frame_reflect_half(normal) : normal;
            draft->rides[v] = surface_ride(&surface, place, normal);
            draft->rides[v].mirrored = (uint8_t)mirrored;
        }
    }
    return STATUS_OK;
}

StatusCode cut_select(Draft *draft, Status *status) {
    Cut cut = {.draft = draft, .mesh = draft->mesh};
    if (take_memory(&cut, status) != STATUS_OK) {
        return status->code;
    }
    find_sides(&cut);
    choose_kinds(&cut);
    keep_faces(&cut);
    keep_edges(&cut);
    drop_unused(&cut);
    if (draft->mesh->face_count > 0 ? draft->face_count == 0 : draft->edge_count == 0) {
        status_set(status, STATUS_ERROR_MESH,
                   "nothing can be kept: none of the %d faces and %d loose edges reaches "
                   "onto the side of the mirror plane to which its normal points",
                   draft->mesh->face_count, draft->mesh->edge_count);
        return status_name_count(status, DETAIL_NOTHING_KEPT,
                                 draft->mesh->face_count + draft->mesh->edge_count);
    }
    return make_rides(&cut, status);
}
