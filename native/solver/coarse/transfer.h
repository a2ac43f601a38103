/* Between the vertices and the coarse level's aggregates: P' of a gradient, and P of the coarse answer.
 * Neighbours in the list of vertices mostly have the same aggregates and are taken together. In single precision all
 * this would cost a third less, but then the way vertices are numbered would show. */
#ifndef SOLVER_COARSE_TRANSFER_H
#define SOLVER_COARSE_TRANSFER_H

#include "solver/coarse/basis.h"

#define COORDINATES 3
/* Vertices that are taken together. */
#define RUN 3

/* Two numbers of the four that belong together. */
typedef double Pair __attribute__((vector_size(16)));

/* An affine motion of the rest place, or what adds up to it: for each coordinate four numbers, by 1, X, Y and Z. */
typedef struct Affine {
    Pair by[COORDINATES][2];
} Affine;

typedef struct Transfer {
    const System *system;
    const Basis *basis;
    uint8_t *run; /* per vertex: 1 where this and the next RUN - 1 have the same aggregates */
    Affine *part; /* per aggregate, for each chunk of vertices */
} Transfer;

/* The basis must stay where it is. */
StatusCode transfer_build(Transfer *transfer, const System *system, const Basis *basis,
                          Store *store, Status *status);

/* vector = P' gradient: KINDS functions for each coordinate of each aggregate. */
void transfer_restrict(const Transfer *transfer, const Vec3 *gradient, double *vector);

/* change = P vector; zero where vertices are held, along rails without x. */
void transfer_prolong(const Transfer *transfer, const double *vector, Vec3 *change);

#endif
