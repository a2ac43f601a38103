/* A square sheet of cloth for the benches, hung by two corners, with its matrix ready. */
#pragma once

#include "solver/solver.h"

typedef struct Sheet {
    Store store;
    Mesh mesh;
    Pool *pool; /* of one thread */
    System system;
    Solver *solver; /* linear, prepared */
} Sheet;

/* SIDE x SIDE vertices. The sheet, which starts as zeros, is to be closed also if this fails. */
StatusCode sheet_open(Sheet *sheet, int side, Status *status);
void sheet_close(Sheet *sheet);

/* --- meshes ----------------------------------------------------------------------------------- */

/* A flat square of 1 m, SIDE x SIDE vertices, whose triangles have alternating diagonals. */
StatusCode triangles_lay(int side, Store *store, PolygonMesh *polygons, Status *status);

/* A flat square grid of quads: SIDE x SIDE vertices, so far apart, m. */
StatusCode quads_lay(int side, float spacing, Store *store, PolygonMesh *polygons, Status *status);
