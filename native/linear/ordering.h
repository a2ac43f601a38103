/* Orders in which to eliminate the unknowns: the order decides how much the factor fills in.
 * [Choi 2013, ch. 6] names five families; all are here. */
#pragma once

#include "base/status.h"
#include "linear/matrix.h"

typedef enum Ordering {
    ORDERING_AUTO,
    ORDERING_NATURAL,
    ORDERING_CUTHILL_MCKEE,
    ORDERING_REVERSE_CUTHILL_MCKEE,
    ORDERING_AMD,
    ORDERING_METIS,
    ORDERING_DISSECTION /* by places: see below; METIS where there are none */
} Ordering;

/* What AUTO stands for at this size, where nothing is known of places. */
Ordering ordering_resolve(Ordering ordering, int size);

/* permutation[k] is the unknown that is eliminated k-th. `ordering` is not AUTO. */
StatusCode ordering_find(Ordering ordering, const Matrix *matrix, int *permutation, Status *status);

/* The same where it may be AUTO: it becomes what was taken. Large matrices with places are dissected by these if that
 * is good, else by METIS. */
StatusCode ordering_choose(Ordering *ordering, const Matrix *matrix, int *permutation,
                           Status *status);

/* --- by places -------------------------------------------------------------------------------- */

/* Nested dissection by where the unknowns are: halves of the same number of unknowns along the longest side of their
 * box, and between them as few as keep the halves apart. Ten times as fast as METIS, and as good where neighbours in
 * the matrix are neighbours in space: cloth at rest. */

/* True where the places lie about in a plane. A garment's front lies before its back, and a cut through both takes a
 * quarter more entries than METIS finds. */
bool dissection_suits(const Matrix *matrix);

/* permutation[k] is the unknown that is eliminated k-th; the matrix must have places. `good` gets false if some cut
 * needs so many unknowns that space and matrix hardly belong together; the permutation is one even then. */
StatusCode dissection_find(const Matrix *matrix, int *permutation, bool *good, Status *status);

/* --- colours ---------------------------------------------------------------------------------- */

/* Unknowns in colours: no two that a matrix couples have the same one. So those of one colour can be improved side by
 * side, each from the newest values of all others, and the result does not depend on the number of threads. */

typedef struct Colouring {
    int count;  /* colours */
    int *start; /* count + 1: where each begins in `order` */
    int *order; /* all unknowns, by colour and then by number */
} Colouring;

/* First fit in the order of their numbers: as many colours as the largest row has entries, at most. */
StatusCode colouring_build(Colouring *colouring, const Matrix *pattern, Store *store,
                           Status *status);
