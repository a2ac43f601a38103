/* A triangle surface whose edges collapse, and which collapses it allows: what coarsen.h is made of. */
#ifndef MESH_COLLAPSE_H
#define MESH_COLLAPSE_H

#include "base/memory.h"
#include "mesh/coarsen.h"

#define RING_MOST 48 /* neighbours of a vertex; one with more stays as it is */

typedef struct Collapse {
    const PolygonMesh *fine;
    const CoarsenOptions *options;
    Vec3 *at; /* per vertex, m */
    int vertex_count, triangle_count;
    int (*triangles)[3];
    float (*uvs)[3][2]; /* per triangle and corner; null without a UV map */
    uint8_t *removed;   /* per triangle */
    /* The corners of a vertex are a list: 3 x triangle + place. -1 ends it. */
    int *first, *next;
    uint8_t *locked; /* per vertex: stays */
    int32_t *heir;   /* per vertex: what it went into; itself while it is there */
    /* Points that lie on a triangle are a list, too; of a point its place. */
    int *first_point, *next_point;
    int *on;            /* per vertex that has gone: the triangle that it lies on, else -1 */
    double (*share)[3]; /* likewise: weights of the triangle's corners */
} Collapse;

/* The neighbours of a vertex. */
typedef struct Ring {
    int count, triangle_count;
    int vertices[RING_MOST];
    uint8_t sides[RING_MOST]; /* triangles on the edge to each */
} Ring;

/* Cuts the faces and finds what has to stay. Arrays come from the store: -1 if it has failed, else 0. */
int collapse_start(Collapse *collapse, const PolygonMesh *fine, const CoarsenOptions *options,
                   Store *store);

/* False if it has no triangle, or more neighbours than there is room for. */
bool collapse_ring(const Collapse *collapse, int vertex, Ring *ring);

/* Square of the longest edge that `from` leaves if it goes into `into`, and somewhat more where that leaves the
 * surface, m^2. */
double collapse_cost(const Collapse *collapse, int from, const Ring *ring, int into);

/* Whether one may go into the other, by itself. */
bool collapse_allowed(const Collapse *collapse, int from, const Ring *ring, int into);

/* Does it, and finds new places for what lies on the triangles around. */
void collapse_edge(Collapse *collapse, int from, int into);

#endif
