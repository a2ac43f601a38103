/* Division of a mesh into even patches, by distance along its edges.
 * The mesh may be divided into shares first, each with patches of its own, as if there were no other. Seeds are set
 * farthest first: each new one is the vertex farthest from all before it. Every component of the share that is not
 * much smaller than an even patch gets one first, the largest before the others. Every vertex belongs to its nearest
 * seed. */
#pragma once

#include "base/status.h"
#include "mesh/mesh.h"

typedef struct Patches {
    int count;
    int *seed;        /* count: its vertex */
    int *owner;       /* per vertex: its patch */
    double *distance; /* per vertex: to its seed, m */
    uint8_t *stray;   /* per vertex: 1 where its component has no seed */
} Patches;

/* How many patches each share of the mesh gets at most: wanted[share of a vertex]. A share is no part of a component. */
typedef struct PatchShares {
    int count;
    const int *share; /* per vertex; null: all are in share 0 */
    const int *wanted;
} PatchShares;

/* As many patches as are wanted, fewer of a share with fewer vertices; those of a share follow each other. Components left
 * without a seed join the patch of the nearest seed of their share through the air. `iterations` times seeds move to the middle
 * of their patch. Isolated vertices belong to the nearest one of their share, to patch 0 where it has none. Freed by patches_free(). */
StatusCode patches_build(const Mesh *mesh, const PatchShares *shares, int iterations,
                         Patches *patches, Status *status);
void patches_free(Patches *patches);
