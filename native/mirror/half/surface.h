/* The surface of a half on the way, and the place on it that is nearest to a point: where a vertex of the other
 * side rides. Triangles and loose edges; built once, asked once a vertex. */
#ifndef MIRROR_HALF_SURFACE_H
#define MIRROR_HALF_SURFACE_H

#include "geometry/bvh.h"
#include "mirror/half/draft.h"

typedef struct Surface {
    const Draft *draft;
    int count;         /* of triangles; a loose edge is one with a corner twice */
    int (*corners)[3]; /* vertices */
    Vec3 *normals;     /* per vertex, of length 1: the same that half_carry() uses */
    WideBvh tree;      /* over the triangles */
} Surface;

/* Takes its memory from the store, which remembers a failure: returns -1 then, else 0. */
int surface_build(const Draft *draft, Store *store, Surface *surface);

/* The ride (of the kept side) at the place nearest to `point`; `facing` is the normal of the cloth there, or zero:
 * layers that face the other way are taken only where there is no other. The distance that is left goes into
 * the lift as far as it is along the normal. A point beside the rim rides a little past it, with a weight below 0; one
 * farther off gives up what is not along the normal. There is at least one triangle. */
Ride surface_ride(const Surface *surface, Vec3 point, Vec3 facing);

/* Where a ride is on the surface at rest, before it is mirrored. */
Vec3 surface_point(const Surface *surface, const Ride *ride);

/* m: from a point to the nearest place, whichever way that faces; infinite if it is too far away to tell. */
double surface_distance(const Surface *surface, Vec3 point);

#endif
