/* Laying a grid of quads. */
#include "common/quads.h"

#include <string.h>

StatusCode quads_lay(int side, float spacing, Store *store, PolygonMesh *polygons, Status *status) {
    int cells = (side - 1) * (side - 1);
    float *positions = STORE_ARRAY(store, float, 3 * side * side);
    int32_t *sizes = STORE_ARRAY(store, int32_t, cells);
    int32_t *corners = STORE_ARRAY(store, int32_t, 4 * cells);
    if (store->failed) {
        return status_no_memory(status, "the grid");
    }
    for (int v = 0; v < side * side; ++v) {
        positions[3 * v] = spacing * (float)(v % side);
        positions[3 * v + 1] = spacing * (float)(v / side);
    }
    for (int cell = 0; cell < cells; ++cell) {
        int a = cell / (side - 1) * side + cell % (side - 1);
        const int32_t quad[4] = {a, a + 1, a + side + 1, a + side};
        memcpy(corners + 4 * cell, quad, sizeof quad);
        sizes[cell] = 4;
    }
    *polygons = (PolygonMesh){.vertex_count = side * side,
                              .face_count = cells,
                              .positions = positions,
                              .face_sizes = sizes,
                              .face_vertices = corners};
    return STATUS_OK;
}
