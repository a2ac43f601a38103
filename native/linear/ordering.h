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
    ORDERING_METIS,
    ORDERING_DISSECTION /* by places: see dissection.h; METIS where there are none */
} Ordering;

/* What AUTO stands for at this size, where nothing is known of places. */
Ordering ordering_resolve(Ordering ordering, int size);

/* permutation[k] is the unknown that is eliminated k-th. `ordering` is not AUTO. */
StatusCode ordering_find(Ordering ordering, const Matrix *matrix, int *permutation, Status *status);

/* The same where it may be AUTO: it becomes what was taken. Large matrices with places are dissected by these if that
 * is good, else by METIS. */
StatusCode ordering_choose(Ordering *ordering, const Matrix *matrix, int *permutation,
                           Status *status);

#endif
