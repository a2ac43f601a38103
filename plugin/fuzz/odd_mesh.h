/* Meshes as they come from scans, broken exports and bad days, by a seed: sheets, strips, tubes, Möbius strips, balls,
 * fans, loose threads and soups of triangles, one or several; then slivers, doubled and shared places, flipped, repeated
 * and duplicated faces, edges of many faces, isolated vertices, all in one place, at scales of 1e-4 to 1e4. */
#ifndef FUZZ_ODD_MESH_H
#define FUZZ_ODD_MESH_H

#include <stdint.h>

#include "muslin.h"

#define ODD_VERTICES 96 /* at most */
#define ODD_FACES 192
#define ODD_CORNERS (4 * ODD_FACES)
#define ODD_EDGES 64

typedef enum OddFaults {
    ODD_SIMULATED, /* every index is right and every number finite: it can be simulated, however badly */
    ODD_ANY        /* also what has to be refused */
} OddFaults;

typedef struct OddMesh {
    int vertex_count, face_count, corner_count, edge_count;
    float positions[3 * ODD_VERTICES];
    int32_t face_sizes[ODD_FACES], face_vertices[ODD_CORNERS], edges[2 * ODD_EDGES];
    float corner_uvs[2 * ODD_CORNERS];
    int has_uvs;
} OddMesh;

void odd_mesh(OddMesh *mesh, uint64_t seed, OddFaults faults);

/* The same as callers give it; it points into the mesh. */
MuslinMesh odd_mesh_cloth(const OddMesh *mesh);
MuslinBody odd_mesh_body(const OddMesh *mesh);

#endif
