/* Unknowns in colours: no two that a matrix couples have the same one. So those of one colour can be improved side by
 * side, each from the newest values of all others, and the result does not depend on the number of threads. */
#ifndef LINEAR_COLOURING_H
#define LINEAR_COLOURING_H

#include "linear/matrix.h"

typedef struct Colouring {
    int count;  /* colours */
    int *start; /* count + 1: where each begins in `order` */
    int *order; /* all unknowns, by colour and then by number */
} Colouring;

/* First fit in the order of their numbers: as many colours as the largest row has entries, at most. */
StatusCode colouring_build(Colouring *colouring, const Matrix *pattern, Store *store,
                           Status *status);

#endif
