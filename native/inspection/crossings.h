/* Edges that pass through triangles: of one surface through another, both ways, and of a surface through itself.
 *
 * An edge passes through a triangle if its ends are on two sides of it, each further away than the tolerance, and its
 * line passes within; through a side between two triangles it passes once. So what only touches does not count. In itself an
 * edge does not count that ends in a corner of the triangle, or in the same place (a seam that is not sewn). */
#ifndef INSPECTION_CROSSINGS_H
#define INSPECTION_CROSSINGS_H

#include "inspection/inspected_surface.h"

typedef struct Crossing {
    int edge;     /* of the one surface */
    int triangle; /* of the other */
    Vec3 point;
} Crossing;

typedef struct Crossings {
    int count, room;
    Crossing *items; /* sorted by edge and triangle */
    bool failed;     /* there was no memory for all of them */
} Crossings;

void crossings_free(Crossings *crossings);

/* Edges of `one` through `other`, and the other way round; what the lists held is gone. Lengths up to `tolerance` (m) mean
 * nothing. */
StatusCode crossings_between(Pool *pool, const InspectedSurface *one, const InspectedSurface *other,
                             double tolerance, Crossings *through_other, Crossings *through_one,
                             Status *status);
StatusCode crossings_within(Pool *pool, const InspectedSurface *surface, double tolerance,
                            Crossings *crossings, Status *status);

#endif
