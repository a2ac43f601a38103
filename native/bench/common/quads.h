/* A flat square grid of quads for the benches. */
#ifndef BENCH_QUADS_H
#define BENCH_QUADS_H

#include "base/memory.h"
#include "mesh/mesh.h"

/* SIDE x SIDE vertices, so far apart, m. */
StatusCode quads_lay(int side, float spacing, Store *store, PolygonMesh *polygons, Status *status);

#endif
