/* A geometric imperfection too small to see, that lets flat and symmetric cloth buckle.
 *
 * Compressed cloth that is exactly flat has no force across itself: its iterations stay in the plane, though the energy
 * has a maximum there. Real cloth is never so flat. So where cloth is compressed the iterations start a little
 * beside the plane, by at most a thousandth of an edge. Only the start is moved: equation and energy are as before, so
 * what is stable returns to the plane, and what is not leaves it.
 *
 * The displacement is a smooth field over the rest shape, along the normals of the present one. It depends on the vertex's
 * own component alone, and is even in x about the middle of it: half a mirrored cloth has the whole one's field. */
#pragma once

#include "system/system.h"

typedef struct Imperfection {
    const System *system;
    double *field;      /* per vertex: displacement along the normal at full compression, m */
    double (*axes)[4];  /* per triangle: S_u and S_v by its sides from the first corner, 1/m */
    Vec3 *compressed;   /* per triangle: its part of the imperfection times its area vector, m^2 */
    double *twice_area; /* per triangle, m^2 */
    PieceItems items;   /* the triangles of each piece of the cloth; none where there is one */
} Imperfection;

StatusCode imperfection_build(Imperfection *imperfection, const System *system, Store *store,
                              Status *status);

/* Moves z, where the iterations of a substep from x begin, across the cloth where that is compressed. Returns whether any
 * vertex moved. */
bool imperfection_add(Imperfection *imperfection, const Vec3 *x, Vec3 *z);
