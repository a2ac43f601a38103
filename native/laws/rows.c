/* Laying out the gather: for each vertex the rows that it has a weight in. */
#include "laws/rows.h"

static bool is_used(const RowUse *use, int e) { return !use->filled_up || use->weights[e] != 0; }

void rows_fill(Rows *rows, const RowUse *uses, int use_count) {
    for (int u = 0; u < use_count; ++u) {
        const RowUse *use = &uses[u];
        for (int e = 0; e < use->count * use->width; ++e) {
            if (!is_used(use, e)) {
                continue;
            }
            int at = rows->start[use->vertices[e]]++;
            rows->row[at] = use->first + e / use->width * use->row_step;
            rows->weight[at] = use->weights[e];
            rows->corner[at] = (uint8_t)(e % use->width);
        }
    }
    /* the starts have moved to the ends: move them back */
    for (int v = rows->vertex_count; v > 0; --v) {
        rows->start[v] = rows->start[v - 1];
    }
    rows->start[0] = 0;
}

StatusCode rows_build(Rows *rows, int vertex_count, int row_count, const RowUse *uses,
                      int use_count, int last_row, Store *store, Status *status) {
    rows->count = row_count;
    rows->vertex_count = vertex_count;
    rows->tension = STORE_ARRAY(store, Vec3, row_count);
    rows->start = STORE_ARRAY(store, int, vertex_count + 1);
    rows->last = STORE_ARRAY(store, int, vertex_count);
    rows->last_row = last_row;
    if (store->failed) {
        return status_no_memory(status, "the tensions");
    }
    for (int u = 0; u < use_count; ++u) {
        for (int e = 0; e < uses[u].count * uses[u].width; ++e) {
            rows->start[uses[u].vertices[e] + 1] += is_used(&uses[u], e);
        }
    }
    for (int v = 0; v < vertex_count; ++v) {
        rows->start[v + 1] += rows->start[v];
    }
    int total = rows->start[vertex_count];
    rows->row = STORE_ARRAY(store, int, total);
    rows->weight = STORE_ARRAY(store, double, total);
    rows->corner = STORE_ARRAY(store, uint8_t, total);
    if (store->failed) {
        return status_no_memory(status, "the tensions");
    }
    rows_fill(rows, uses, use_count);
    for (int v = 0; v < vertex_count; ++v) {
        rows->last[v] = rows->start[v];
        while (rows->last[v] < rows->start[v + 1] && rows->row[rows->last[v]] < last_row) {
            ++rows->last[v];
        }
    }
    return STATUS_OK;
}
