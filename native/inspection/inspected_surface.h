/* A surface of triangles as an inspection sees it: its edges, who shares them, and a tree of boxes, at the places where it
 * is now. */
#ifndef INSPECTION_INSPECTED_SURFACE_H
#define INSPECTION_INSPECTED_SURFACE_H

#include "geometry/bvh.h"

typedef struct InspectedSurface {
    int vertex_count, triangle_count, edge_count;
    const int (*triangles)[3];
    const Vec3 *x;   /* the owner's, m; inspected_surface_update() after they have moved */
    int (*edges)[2]; /* each once, the smaller vertex first, sorted */
    int (*sides)[3]; /* per triangle: the edge between corners k and k + 1 */
    int *first;      /* per edge: the first of its triangles, which looks at it for all of them */
    Box *boxes;      /* per triangle */
    Bvh tree;
} InspectedSurface;

/* `triangles` and `x` must stay; all else comes from `store`. */
StatusCode inspected_surface_build(InspectedSurface *surface, int vertex_count, int triangle_count,
                                   const int (*triangles)[3], const Vec3 *x, Store *store,
                                   Status *status);

void inspected_surface_update(InspectedSurface *surface, Pool *pool);

#endif
