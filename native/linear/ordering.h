/* Orders in which to eliminate the unknowns: the order decides how much the factor fills in.
 * [Choi 2013, ch. 6] names five families; all are here. */
#ifndef LINEAR_ORDERING_H
#define LINEAR_ORDERING_H

#include "base/status.h"
#include "linear/matrix.h"

typedef enum Ordering {
    ORDERING_AUTO,
    ORDERING_NATURAL,
    ORDERING_CUTHILL_MCKEE,
    ORDERING_REVERSE_CUTHILL_MCKEE,
    ORDERING_AMD,
    ORDERING_METIS
} Ordering;

/* What AUTO stands for at this size. */
Ordering ordering_resolve(Ordering ordering, int size);

/* permutation[k] is the unknown that is eliminated k-th. `ordering` is not AUTO. */
StatusCode ordering_find(Ordering ordering, const Matrix *matrix, int *permutation, Status *status);

#endif
