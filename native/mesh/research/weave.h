/* The threads of a mesh: a rope is one, and cloth of quads is woven of two families of them [KIST 2008].
 * A thread runs along edges and goes straight on at every vertex: in a grid, four quads meet inside of the cloth, two at
 * its rim. So every quad has two sides of one family and two of the other, whether the piece is a rectangle, a tube, or
 * has holes and notches. What is no such grid is refused, and the first place named.
 * Ropes are cut into threads where three or more loose edges meet.
 * Half a mesh (mesh.h) is read as the whole that it stands for: threads that end in the mirror plane go on there as their own
 * images, and what meets in a vertex of the plane is counted with its image. */
#pragma once

#include "mesh/mesh.h"

typedef enum ThreadKind {
    THREAD_WARP, /* of the two families of a piece, the one nearer to the material's u */
    THREAD_WEFT,
    THREAD_ROPE
} ThreadKind;

/* Its vertices, and the edges between each and the next: one less, or as many where it is closed. */
typedef struct Thread {
    ThreadKind kind;
    bool closed;
    bool crosses
        [2]; /* at its first and last vertex: beyond the mirror plane it goes on as its image */
    int first, count; /* in Weave.vertices and Weave.edges */
} Thread;

/* A quad. u runs from vertex 0 to 1 and from 3 to 2, along warp threads; v from 0 to 3 and from 1 to 2. */
typedef struct WeaveCell {
    int vertices[4];
    int face;
    double area;      /* m^2 in material space */
    double metric[3]; /* of its mean sides at rest, m^2: |u|^2, u . v, |v|^2 */
} WeaveCell;

/* What may be gone through side by side is in one layer: no two of its threads share a vertex. */
typedef struct Layers {
    int count;
    int *start; /* count + 1, in threads */
} Layers;

typedef struct Weave {
    int thread_count, cell_count;
    Thread *threads; /* layer by layer */
    int *vertices, *edges;
    Layers thread_layers;
    WeaveCell *cells; /* strip by strip between warp threads */
    /* Per vertex, m^2: a quarter of each of its cells, of half a mesh those of the half. */
    double *area;
} Weave;

/* The threads of a mesh that was built from these polygons; all arrays come from `store`. STATUS_ERROR_MESH where they
 * are no grid. */
StatusCode weave_build(const PolygonMesh *polygons, const Mesh *mesh, Store *store, Weave *weave,
                       Status *status);

static inline int thread_links(const Thread *thread) {
    return thread->closed ? thread->count : thread->count - 1;
}
