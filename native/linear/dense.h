/* Cholesky factor of a small dense matrix, for a coarse system of some hundred unknowns.
 * Row-major, lower half. Built for the compiler to vectorise: the inner loops are dot products of
 * whole rows. */
#ifndef LINEAR_DENSE_H
#define LINEAR_DENSE_H

#include <stdbool.h>

/* Room for a matrix of `size` rows: rows start at multiples of dense_stride(size) doubles. */
int dense_stride(int size);

/* A = L L', in place in the lower half. Returns false when a pivot is not positive. */
bool dense_factor(double *a, int size);

/* x = A^-1 x with the factor. */
void dense_solve(const double *factor, int size, double *x);

#endif
