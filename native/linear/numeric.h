/* The numeric factorisation: every panel's S and B (see pack.h) from the matrix, front by front from the leaves of the
 * elimination tree to its roots. The same bytes for any number of threads. */
#ifndef LINEAR_NUMERIC_H
#define LINEAR_NUMERIC_H

#include "base/parallel.h"
#include "linear/fronts.h"

typedef struct Numeric {
    const Panels *panels;
    const Fronts *fronts;
    const FactorPattern *pattern; /* its matrix is the one to be factored */
    const uint8_t *held;          /* unknowns that stand as rows and columns of the identity */
    double *value;                /* panels->value_count numbers */
    float *single;                /* the same, rounded; or null */
} Numeric;

/* `failed` gets the first column of L whose pivot is not positive, or -1. The pool may be null. */
StatusCode numeric_compute(const Numeric *numeric, Pool *pool, int *failed, Status *status);

/* The numbers of one panel, rounded. */
void numeric_round(const Panels *panels, int panel, const double *value, float *single);

#endif
