/* What pulls in warp and weft, from the elements of the laws that a cloth is made of. */
#ifndef SIMULATION_TENSION_H
#define SIMULATION_TENSION_H

#include "laws/laws.h"
#include "simulation/simulation.h"

/* Adds the tensions at x to `fit`. own: the area of each vertex, m^2. Takes memory while it works; false: there is none. */
bool tensions_add(const Mesh *mesh, const Laws *laws, const Vec3 *x, const double *own,
                  VertexFit *fit);

#endif
