/* An imperfection too small to see, that lets flat and symmetric cloth buckle.
 *
 * Pressed cloth that is exactly flat has no force across itself: its iterations stay in the plane for ever, though that is a
 * maximum of the energy there. Real cloth is never so flat. So where cloth is compressed the iterations start a little
 * beside the plane, by at most a thousandth of an edge. Only the start is moved: equation and energy are as before, so
 * what is stable goes back, and what is not leaves by itself.
 *
 * The way is a smooth field over the rest shape, along the normals of the present one. It depends on the vertex's own
 * component alone, and is even in x about the middle of it: half a mirrored cloth has the whole one's field. */
#ifndef SOLVER_IMPERFECTION_H
#define SOLVER_IMPERFECTION_H

#include "system/system.h"

typedef struct Imperfection {
    const System *system;
    double *field;     /* per vertex: the way along the normal where it is fully pressed, m */
    double (*axes)[4]; /* per triangle: S_u and S_v by its sides from the first corner, 1/m */
    Vec3 *pressed; /* per triangle: twice its area along its normal, as far as it is pressed, m^2 */
    double *twice_area; /* per triangle, m^2 */
    PieceItems items;   /* the triangles of each body; nothing where there is one */
} Imperfection;

StatusCode imperfection_build(Imperfection *imperfection, const System *system, Store *store,
                              Status *status);

/* Moves z, where the iterations of a substep from x begin, across the cloth where that is pressed. Returns whether it moved
 * anything. */
bool imperfection_add(Imperfection *imperfection, const Vec3 *x, Vec3 *z);

#endif
