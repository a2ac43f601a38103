/* Each vertex is reflected and its distance to the whole surface measured: of both sides, so that what only one of
 * them has is found, wherever it is. */
#include "mirror/half/likeness.h"

#include <string.h>

#include "mirror/half/surface.h"

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

/* All of the garment as a draft, since that is what surfaces are made of. */
static int whole_draft(const Draft *draft, Store *store, Draft *whole) {
    const PolygonMesh *mesh = draft->mesh;
    int corners = draft->first_corner[mesh->face_count];
    *whole = (Draft){.mesh = mesh,
                     .frame = draft->frame,
                     .at = STORE_ARRAY(store, Vec3, mesh->vertex_count),
                     .kind = STORE_ARRAY(store, uint8_t, mesh->vertex_count),
                     .face_count = mesh->face_count,
                     .edge_count = mesh->edge_count,
                     .face_sizes = STORE_ARRAY(store, int32_t, mesh->face_count),
                     .vertices = STORE_ARRAY(store, int32_t, corners),
                     .edges = STORE_ARRAY(store, int32_t, 2 * (int64_t)mesh->edge_count)};
    if (store->failed) {
        return -1;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) { /* the draft has drawn some onto the plane */
        whole->at[v] = frame_to_half(&draft->frame, polygon_position(mesh, v));
    }
    if (mesh->face_count > 0) {
        memcpy(whole->face_sizes, mesh->face_sizes, (size_t)mesh->face_count * sizeof(int32_t));
        memcpy(whole->vertices, mesh->face_vertices, (size_t)corners * sizeof(int32_t));
    }
    if (mesh->edge_count > 0) {
        memcpy(whole->edges, mesh->edges, 2 * (size_t)mesh->edge_count * sizeof(int32_t));
    }
    return 0;
}

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
    Store store = {0};
    Draft whole;
    Surface surface;
    double *shares = STORE_ARRAY(&store, double, draft->mesh->vertex_count);
    if (whole_draft(draft, &store, &whole) != 0 || surface_build(&whole, &store, &surface) != 0) {
        status_no_memory(status, "looking how alike the sides are");
    } else {
        share_out(&surface, shares);
        judge(draft, &surface, shares, status);
    }
    store_release(&store);
    return status->code;
}
