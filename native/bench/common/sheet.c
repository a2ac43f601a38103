/* Building the benches' sheet. */
#include "common/sheet.h"

#include <string.h>

#define STEP_SECONDS (1.0 / 48)

/* A flat sheet of 1 m with the diagonals alternating. */
static StatusCode lay_grid(Sheet *sheet, int side, Status *status) {
    PolygonMesh polygons;
    const MeshOptions options = {.pattern = PATTERN_MESH};
    StatusCode code = triangles_lay(side, &sheet->store, &polygons, status);
    return code == STATUS_OK
               ? mesh_build(&polygons, MESH_WHOLE, &options, &sheet->store, &sheet->mesh, status)
               : code;
}

StatusCode sheet_open(Sheet *sheet, int side, Status *status) {
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1};
    SolverOptions solving = {.estimate = ESTIMATE_TRANSLATION, .iterations = 1};
    System *system = &sheet->system;
    StatusCode code = lay_grid(sheet, side, status);
    sheet->pool = pool_create(1);
    if (code == STATUS_OK && !sheet->pool) {
        code = status_no_memory(status, "threads");
    }
    if (code == STATUS_OK) {
        code = system_build(system, &sheet->mesh, &options, sheet->pool, &sheet->store, status);
    }
    if (code != STATUS_OK) {
        return code;
    }
    system->materials[0] = (Material){.density = 0.2,
                                      .stretch_warp = 2300,
                                      .stretch_weft = 2300,
                                      .shear = 300,
                                      .bend = 2e-5,
                                      .bend_weft = 1,
                                      .bend_twist = 1,
                                      .pin_stiffness = 2000};
    system_refresh_material(system);
    system->held[side * (side - 1)] = system->held[side * side - 1] = 1;
    sheet->solver = linear_solver_create(system, &solving, status);
    code =
        sheet->solver ? sheet->solver->prepare(sheet->solver, STEP_SECONDS, status) : status->code;
    return code;
}

void sheet_close(Sheet *sheet) {
    if (sheet->solver) {
        solver_destroy(sheet->solver);
    }
    pool_destroy(sheet->pool);
    store_release(&sheet->store);
}

/* --- meshes ----------------------------------------------------------------------------------- */

StatusCode triangles_lay(int side, Store *store, PolygonMesh *polygons, Status *status) {
    int cells = (side - 1) * (side - 1);
    float *positions = STORE_ARRAY(store, float, 3 * side * side);
    int32_t *sizes = STORE_ARRAY(store, int32_t, 2 * cells);
    int32_t *corners = STORE_ARRAY(store, int32_t, 6 * cells);
    if (store->failed) {
        return status_no_memory(status, "the grid");
    }
    for (int v = 0; v < side * side; ++v) {
        positions[3 * v] = (float)(v % side) / (float)(side - 1);
        positions[3 * v + 1] = (float)(v / side) / (float)(side - 1);
    }
    for (int cell = 0; cell < cells; ++cell) {
        int row = cell / (side - 1), column = cell % (side - 1);
        int a = row * side + column, b = a + 1, c = a + side + 1, d = a + side;
        const int32_t rising[6] = {a, b, c, a, c, d}, falling[6] = {a, b, d, b, c, d};
        memcpy(corners + 6 * cell, (row + column) % 2 ? falling : rising, sizeof rising);
        sizes[2 * cell] = sizes[2 * cell + 1] = 3;
    }
    *polygons = (PolygonMesh){.vertex_count = side * side,
                              .face_count = 2 * cells,
                              .positions = positions,
                              .face_sizes = sizes,
                              .face_vertices = corners};
    return STATUS_OK;
}

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
