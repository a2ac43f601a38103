/* Which fronts a half closes, and with what. */
#include "mirror/closures/closures.h"

#include "mirror/closures/fronts.h"

/* Whether an edge of the half's rim belongs to a front: it may end on the plane, where a slit does. */
static bool is_front_edge(const Draft *draft, const uint8_t *is_front, int a, int b) {
    Vec3 along = vec3_sub(draft->at[b], draft->at[a]);
    bool ends_on_plane = draft->kind[a] == KIND_PLANE || draft->kind[b] == KIND_PLANE;
    return ((is_front[a] && is_front[b]) || ((is_front[a] || is_front[b]) && ends_on_plane)) &&
           fabs(along.x) <= FRONT_ALONG * vec3_length(along);
}

/* The fronts of which one side is in the half and the other beyond the plane. Returns -1 without memory. */
static int take_fronts(Draft *draft, const int32_t *numbers, OpenFronts *fronts) {
    int vertices = draft->mesh->vertex_count, most = 0;
    for (int v = 0; v < vertices; ++v) {
        most = numbers[v] > most ? numbers[v] : most;
    }
    /* per side of a front: vertices in the half, less those that are not */
    int *balance = STORE_ARRAY(&draft->store, int, 2 * (int64_t)most + 1);
    fronts->is_front = STORE_ARRAY(&draft->store, uint8_t, vertices);
    int count = draft_sides_between(draft, NULL, &fronts->edges);
    if (draft->store.failed) {
        return -1;
    }
    for (int v = 0; v < vertices; ++v) {
        balance[most + numbers[v]] += draft->kind[v] == KIND_FREE ? 1 : -1;
    }
    for (int v = 0; v < vertices; ++v) {
        bool before_image = balance[most + numbers[v]] > 0 && balance[most - numbers[v]] < 0;
        fronts->is_front[v] = numbers[v] != 0 && before_image && draft->kind[v] == KIND_FREE;
        fronts->vertex_count += fronts->is_front[v];
    }
    for (int e = 0; e < count; ++e) {
        int a = fronts->edges[e][0], b = fronts->edges[e][1];
        if (is_front_edge(draft, fronts->is_front, a, b)) {
            fronts->edges[fronts->edge_count][0] = a;
            fronts->edges[fronts->edge_count++][1] = b;
        }
    }
    return 0;
}

static StatusCode find_fronts(Draft *draft, OpenFronts *fronts, Status *status) {
    int32_t *numbers = STORE_ARRAY(&draft->store, int32_t, draft->mesh->vertex_count);
    *fronts = (OpenFronts){0};
    if (numbers && fronts_find(draft->mesh, &draft->frame, numbers, status) < 0) {
        return status->code;
    }
    return numbers && take_fronts(draft, numbers, fronts) == 0
               ? STATUS_OK
               : status_no_memory(status, "looking for open fronts");
}

/* Each vertex of a front is held on the plane, as if sewn to its image. */
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
    if (draft->options->closure == CLOSURE_FREE) {
        return STATUS_OK;
    }
    if (find_fronts(draft, &fronts, status) != STATUS_OK) {
        return status->code;
    }
    if (fronts.vertex_count > 0 && draft->options->closure == CLOSURE_ZIP) {
        zip(draft, &fronts);
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
