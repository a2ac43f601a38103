/* The diagonal blocks of the incremental energy's Hessian, inverted: what each vertex would do alone.
 *
 * The constant matrix is as stiff across the cloth as along it; the true Hessian is soft across, where cloth is
 * slack. The blocks know that, and the two together condition what neither does alone. */
#ifndef SOLVER_CONSTANT_BLOCK_DIAGONAL_H
#define SOLVER_CONSTANT_BLOCK_DIAGONAL_H

#include "solver/substep.h"

/* Where a law's elements have each vertex. */
typedef struct DiagonalLaw {
    const Law *law;
    int *start, *corner; /* per vertex: corners of elements, width x element + place */
} DiagonalLaw;

typedef struct Diagonal {
    int law_count;
    DiagonalLaw laws[LAWS_MOST]; /* those whose second derivative changes */
    double *constant; /* per vertex: diagonal of what the others add to the matrix, N/m */
    Block *inverse;   /* per vertex */
} Diagonal;

StatusCode diagonal_build(Diagonal *diagonal, const System *system, Store *store, Status *status);

/* After the material has changed. */
void diagonal_refresh(Diagonal *diagonal, const System *system);

/* The blocks at z, among the substep's contacts. */
void diagonal_compute(Diagonal *diagonal, const Substep *substep, const Vec3 *z);

#endif
