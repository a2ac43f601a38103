/* A coarser mesh of the same surface, whose vertices are some of the finer one's.
 *
 * Edges collapse one by one, each onto one of its ends, those first that leave the shortest edges: so edges become
 * nearly equal. The surface stays what it is: its components, its borders (a border vertex goes along the border
 * only, and corners stay), the seams of its UV map, loose edges and non-manifold places. No triangle turns by
 * more than 60 degrees. Mirror partners go together, and vertices of the mirror plane stay in it. The same mesh always
 * gives the same result. */
#pragma once

#include "base/memory.h"
#include "base/status.h"
#include "mesh/polygon.h"

typedef struct CoarsenOptions {
    int target; /* vertices to end with: fewer are never left, more where nothing else can collapse */
    const int32_t *partners; /* per vertex: its mirror image, itself in the plane, -1; or null */
    const uint8_t *marks; /* per vertex, bits: it goes only into one that has them, too; or null */
} CoarsenOptions;

/* Where a vertex of the finer mesh lies on the coarser one: nearest to it, in the triangles that took the place of
 * those around it, never on another layer. */
typedef struct CoarsePlace {
    int32_t vertices[3]; /* of the coarser mesh; a vertex that is kept three times itself */
    double weights[3];   /* none negative, their sum is 1; of a vertex that is kept (1, 0, 0) */
} CoarsePlace;

typedef struct CoarseMesh {
    Store store;
    PolygonMesh polygons;  /* triangles, and the loose edges */
    int32_t *source;       /* per vertex: which one of the finer mesh it is; ascending */
    CoarsePlace *places;   /* per vertex of the finer mesh */
    int32_t *collapsed_to; /* likewise: the coarser vertex that it went into */
} CoarseMesh;

/* Of polygons that mesh_check() has not refused. `coarse` needs no preparation, and coarse_free() whatever the
 * status. The finer mesh is not needed afterwards. */
StatusCode coarsen(const PolygonMesh *fine, const CoarsenOptions *options, CoarseMesh *coarse,
                   Status *status);
void coarse_free(CoarseMesh *coarse);
