/* Extreme eigenvalues of a symmetric operator by Lanczos iterations. For reports. */
#ifndef LINEAR_EIGEN_H
#define LINEAR_EIGEN_H

#include "base/status.h"

/* y = B x for vectors of the given size. */
typedef void (*EigenOperator)(void *context, const double *x, double *y);

/* Largest eigenvalue of a positive semidefinite operator on vectors of `size` numbers; `free_size` of
 * them are not always zero. Full reorthogonalisation; exact to rounding in small spaces. */
StatusCode eigen_largest(int size, int free_size, EigenOperator multiply, void *context,
                         const double *start, double *largest, Status *status);

#endif
