/* Division of a mesh into even patches, by distance along its edges.
 * Seeds are set farthest first: each new one is the vertex farthest from all before it. Every component of the
 * mesh that is not much smaller than an even share gets one first, the largest before the others. Every
 * vertex belongs to its nearest seed. */
#ifndef MESH_PATCHES_H
#define MESH_PATCHES_H

#include "base/status.h"
#include "mesh/mesh.h"

typedef struct Patches {
    int count;
    int *seed;        /* count: its vertex */
    int *owner;       /* per vertex: its patch */
    double *distance; /* per vertex: to its seed, m */
    uint8_t *stray;   /* per vertex: 1 where its component has no seed */
} Patches;

/* At most `count` patches; fewer on a mesh with fewer vertices. Components left without a seed join the
 * patch of the seed nearest through the air. `iterations` times seeds move to the middle of their patch.
 * Isolated vertices belong to patch 0. Freed by patches_free(). */
StatusCode patches_build(const Mesh *mesh, int count, int iterations, Patches *patches,
                         Status *status);
void patches_free(Patches *patches);

#endif
