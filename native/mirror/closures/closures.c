/* Which fronts a half closes, and with what: links across the plane say so, or an option, which stands for links along all
 * open fronts. */
#include "mirror/closures/closures.h"

#include "laws/link.h"
#include "mirror/closures/buttons.h"
#include "mirror/closures/fronts.h"

/* Whether an edge of the half's rim belongs to a front: it may end on the plane, where a slit does. */
static bool is_front_edge(const Draft *draft, const uint8_t *is_front, int a, int b) {
    Vec3 along = vec3_sub(draft->at[b], draft->at[a]);
    bool ends_on_plane = draft->kind[a] == KIND_PLANE || draft->kind[b] == KIND_PLANE;
    return ((is_front[a] && is_front[b]) || ((is_front[a] || is_front[b]) && ends_on_plane)) &&
           fabs(along.x) <= FRONT_ALONG * vec3_length(along);
}

static int take_edges(Draft *draft, OpenFronts *fronts) {
    int count = draft_sides_between(draft, NULL, &fronts->edges);
    for (int e = 0; e < count; ++e) {
        int a = fronts->edges[e][0], b = fronts->edges[e][1];
        if (is_front_edge(draft, fronts->is_front, a, b)) {
            fronts->edges[fronts->edge_count][0] = a;
            fronts->edges[fronts->edge_count++][1] = b;
        }
    }
    return draft->store.failed ? -1 : 0;
}

/* Marks the fronts of which one side is in the half and the other beyond the plane. Returns -1 without memory. */
static int mark_fronts(Draft *draft, const int32_t *numbers, uint8_t *is_front) {
    int vertices = draft->mesh->vertex_count, most = 0;
    for (int v = 0; v < vertices; ++v) {
        most = numbers[v] > most ? numbers[v] : most;
    }
    /* per side of a front: vertices in the half, less those that are not */
    int *balance = STORE_ARRAY(&draft->store, int, 2 * (int64_t)most + 1);
    for (int v = 0; v < vertices && balance; ++v) {
        balance[most + numbers[v]] += draft->kind[v] == KIND_FREE ? 1 : -1;
    }
    for (int v = 0; v < vertices && balance; ++v) {
        bool before_image = balance[most + numbers[v]] > 0 && balance[most - numbers[v]] < 0;
        is_front[v] = numbers[v] != 0 && before_image;
    }
    return balance ? 0 : -1;
}

/* --- links ------------------------------------------------------------------------------------ */

/* Weights of a place and its image may differ by this, and smaller ones do not count: rounding of floats. */
#define SAME_WEIGHT 1e-4

/* Whether it holds a place to its own image. */
static bool is_own_image(const Link *link, const int32_t *partners) {
    bool same = true;
    for (int c = 0; c < LINK_POINTS && same; ++c) {
        int v = link->vertices[c], other = c < 2 ? 2 : 0;
        same = !(link->weights[c] > SAME_WEIGHT);
        for (int d = other; d < other + 2 && !same; ++d) {
            same = partners[v] != v && link->vertices[d] == partners[v] &&
                   fabs(link->weights[c] - link->weights[d]) <= SAME_WEIGHT;
        }
    }
    return same;
}

/* Of a link, in the half's frame. */
static Vec3 point_of(const PolygonMesh *mesh, const MirrorFrame *frame, const Link *link,
                     int side) {
    Vec3 at = vec3(0, 0, 0);
    for (int c = 2 * side; c < 2 * side + 2; ++c) {
        if (link->weights[c] > 0) {
            at = vec3_madd(at, link->weights[c], polygon_position(mesh, link->vertices[c]));
        }
    }
    return frame_to_half(frame, at);
}

Closure closure_of_links(const PolygonMesh *mesh, const MirrorFrame *frame, const int32_t *partners,
                         HalfOptions *options, uint8_t *zipped) {
    int zips = 0, buttons = 0, over = 0;
    double overlaps = 0;
    for (int l = 0; l < options->link_count; ++l) {
        const Link *link = &options->links[l];
        if (link->use == LINK_SEAM && fabs(link->length) <= 0 && is_own_image(link, partners)) {
            for (int c = 0; c < LINK_POINTS; ++c) {
                if (link->weights[c] > SAME_WEIGHT) {
                    zipped[link->vertices[c]] = 1;
                }
            }
            ++zips;
        } else if (link->use == LINK_BUTTON) {
            Vec3 above = point_of(mesh, frame, link, 0), below = point_of(mesh, frame, link, 1);
            if (above.x * below.x < 0) {
                overlaps += vec3_distance(above, frame_reflect_half(below));
                over += above.x > 0 ? 1 : -1;
                ++buttons;
            }
        }
    }
    if (zips > 0 || buttons == 0) {
        return zips > 0 && buttons == 0 ? CLOSURE_ZIP : CLOSURE_FREE;
    }
    options->overlap = overlaps / buttons;
    options->over = over < 0 ? -1 : 1;
    return CLOSURE_BUTTON;
}

/* --- closing ---------------------------------------------------------------------------------- */

/* A zip of links closes what these hold; all else closes all open fronts. */
static StatusCode take_fronts(Draft *draft, OpenFronts *fronts, Status *status) {
    HalfOptions *options = draft->options;
    int count = draft->mesh->vertex_count;
    int32_t *numbers = STORE_ARRAY(&draft->store, int32_t, count);
    bool searches = options->closure != CLOSURE_FREE;
    *fronts = (OpenFronts){.is_front = STORE_ARRAY(&draft->store, uint8_t, count)};
    if (draft->store.failed) {
        return status_no_memory(status, "looking for open fronts");
    }
    if (!searches) {
        options->closure = closure_of_links(draft->mesh, &draft->frame, draft->partners, options,
                                            fronts->is_front);
        searches = options->closure == CLOSURE_BUTTON;
    }
    if (searches && fronts_find(draft->mesh, &draft->frame, numbers, status) < 0) {
        return status->code;
    }
    bool failed = searches && mark_fronts(draft, numbers, fronts->is_front) != 0;
    for (int v = 0; v < count; ++v) {
        fronts->is_front[v] = fronts->is_front[v] && draft->kind[v] == KIND_FREE;
        fronts->vertex_count += fronts->is_front[v];
    }
    return !failed && take_edges(draft, fronts) == 0
               ? STATUS_OK
               : status_no_memory(status, "looking for open fronts");
}

/* What is sewn to its own image is held on the plane. */
static void zip(Draft *draft, const OpenFronts *fronts) {
    for (int v = 0; v < draft->mesh->vertex_count; ++v) {
        if (fronts->is_front[v]) {
            draft->kind[v] = KIND_RAIL;
        }
    }
    draft->front_count = fronts->vertex_count;
}

StatusCode closure_apply(Draft *draft, Status *status) {
    OpenFronts fronts;
    bool by_links = draft->options->closure == CLOSURE_FREE;
    if (by_links && draft->options->link_count == 0) {
        return STATUS_OK;
    }
    if (take_fronts(draft, &fronts, status) != STATUS_OK) {
        return status->code;
    }
    if (fronts.vertex_count > 0 && draft->options->closure == CLOSURE_ZIP) {
        zip(draft, &fronts);
    } else if (fronts.vertex_count > 0 && draft->options->closure == CLOSURE_BUTTON &&
               button_close(draft, &fronts, status) < 0) {
        return status->code;
    }
    if (draft->front_count > 0 || by_links) {
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
