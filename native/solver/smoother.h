/* What the coarse level's functions are smoothed by: (A + l^2 L)^-1 A, with A the areas of the vertices and L the
 * Laplacian of the mesh. It couples the ends of edges alone, where the system's matrix couples all corners of a hinge:
 * an order of its own makes its factor several times as cheap as the system's, and that order depends on the mesh
 * alone. */
#ifndef SOLVER_SMOOTHER_H
#define SOLVER_SMOOTHER_H

#include "linear/factor.h"
#include "solver/system.h"

typedef struct Smoother {
    const System *system;
    Store store;
    Matrix matrix; /* A + l^2 L */
    Factor *factor;
    double *area; /* per vertex, m^2: of a rope that of a strip; never zero */
} Smoother;

/* Pattern and order. Released by smoother_release(), after a failure too. */
StatusCode smoother_build(Smoother *smoother, const System *system, Status *status);
void smoother_release(Smoother *smoother);

/* The numbers for the smoothing length l, m. */
StatusCode smoother_set(Smoother *smoother, double length, Status *status);

/* Smooths three fields at once. */
void smoother_apply(const Smoother *smoother, Vec3 *field);

#endif
