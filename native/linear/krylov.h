/* Conjugate gradients on a block matrix, preconditioned by the inverses of its diagonal blocks.
 * The conventional solver's workhorse: pattern built once, all memory taken before. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "linear/matrix.h"

/* Something symmetric and positive semidefinite that is added to the matrix without being stored in it:
 * multiply() prepares the product with x, row() tells one row of it, add_diagonal() adds its block there. */
typedef struct PcgExtra {
    void (*multiply)(void *context, const Vec3 *x);
    Vec3 (*row)(const void *context, int i);
    void (*add_diagonal)(const void *context, int i, Block *block);
    void *context;
} PcgExtra;

typedef struct Pcg {
    int size;
    int rail_from; /* unknowns from this one on are zero along x; pcg_build() sets it to the size */
    const PcgExtra *extra; /* null: nothing is added */
    Block *preconditioner;
    Vec3 *residual, *direction, *product, *conditioned;
    double reached; /* |r| / |b| at the end of the last solve */
    bool stopped;   /* that solve ended at its limit, short of the tolerance */
} Pcg;

StatusCode pcg_build(Pcg *pcg, int size, Store *store, Status *status);

/* Solves A x = b for the unknowns where `held` is 0; x of the others is set to zero and their rows
 * and columns do not count. Starts from zero; stops when |r| <= tolerance |b| or after `limit`
 * iterations. Returns the iterations made. Without a matrix A is what `extra` adds to it. */
int pcg_solve(Pcg *pcg, Pool *pool, const BlockMatrix *matrix, const uint8_t *held, const Vec3 *b,
              double tolerance, int limit, Vec3 *x);

/* --- eigenvalues of a symmetric operator by Lanczos iterations, for reports ----------------------- */

/* y = B x for vectors of the given size. */
typedef void (*EigenOperator)(void *context, const double *x, double *y);

/* Largest eigenvalue of a positive semidefinite operator on vectors of `size` numbers; `free_size` of
 * them are not always zero. Full reorthogonalisation; exact to rounding in small spaces. */
StatusCode eigen_largest(int size, int free_size, EigenOperator multiply, void *context,
                         const double *start, double *largest, Status *status);
