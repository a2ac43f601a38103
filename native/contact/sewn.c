/* Knots by union-find, and who lies beside them by counting. */
#include "contact/sewn.h"

#include <stdlib.h>

#include "mesh/adjacency.h"

static void tie_knots(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs) {
    for (int v = 0; v < vertex_count; ++v) {
        sewn->knot[v] = v;
    }
    for (int p = 0; p < count; ++p) {
        if (pairs[p].others[1] < 0) {
            components_join_first(sewn->knot, pairs[p].vertex, pairs[p].others[0]);
        }
    }
    for (int v = 0; v < vertex_count; ++v) {
        sewn->knot[v] = components_root(sewn->knot, v);
    }
}

/* Two entries for each vertex that is sewn to a point between two, one at each end: first counted, then put in from the
 * back. */
static void list_beside(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs) {
    for (int p = 0; p < count; ++p) {
        for (int k = 0; k < 2 && pairs[p].others[1] >= 0; ++k) {
            ++sewn->start[sewn->knot[pairs[p].vertex]];
            ++sewn->start[sewn->knot[pairs[p].others[k]]];
        }
    }
    for (int v = 1; v <= vertex_count; ++v) {
        sewn->start[v] += sewn->start[v - 1];
    }
    for (int p = 0; p < count; ++p) {
        for (int k = 0; k < 2 && pairs[p].others[1] >= 0; ++k) {
            int a = sewn->knot[pairs[p].vertex], b = sewn->knot[pairs[p].others[k]];
            sewn->beside[--sewn->start[a]] = b;
            sewn->beside[--sewn->start[b]] = a;
        }
    }
}

StatusCode sewn_build(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs, Store *store,
                      Status *status) {
    *sewn = (Sewn){.knot = STORE_ARRAY(store, int, vertex_count),
                   .start = STORE_ARRAY(store, int, vertex_count + 1),
                   .beside = STORE_ARRAY(store, int, 4 * count)};
    uint8_t *used = SCRATCH_ARRAY(uint8_t, vertex_count);
    if (store->failed || !used) {
        free(used);
        return status_no_memory(status, "seams");
    }
    tie_knots(sewn, vertex_count, count, pairs);
    list_beside(sewn, vertex_count, count, pairs);
    for (int p = 0; p < count; ++p) {
        used[pairs[p].vertex] = used[pairs[p].others[0]] = 1;
        used[pairs[p].others[pairs[p].others[1] >= 0]] = 1;
    }
    for (int v = 0; v < vertex_count; ++v) {
        sewn->knot[v] = used[v] ? sewn->knot[v] : -1;
    }
    free(used);
    return STATUS_OK;
}

static bool is_beside(const Sewn *sewn, int a, int b) {
    bool found = a == b;
    for (int i = sewn->start[a]; i < sewn->start[a + 1] && !found; ++i) {
        found = sewn->beside[i] == b;
    }
    return found;
}

bool sewn_together(const Sewn *sewn, const int first[3], const int second[3]) {
    for (int i = 0; i < 3; ++i) {
        int a = sewn->knot[first[i]];
        for (int j = 0; j < 3 && a >= 0; ++j) {
            int b = sewn->knot[second[j]];
            if (b >= 0 && first[i] != second[j] && is_beside(sewn, a, b)) {
                return true;
            }
        }
    }
    return false;
}
