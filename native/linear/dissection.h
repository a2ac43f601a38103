/* Nested dissection by where the unknowns are: halves of the same number of unknowns along the longest side of their
 * box, and between them as few as keep the halves apart. Ten times as fast as METIS, and as good where neighbours in
 * the matrix are neighbours in space: cloth at rest. */
#ifndef LINEAR_DISSECTION_H
#define LINEAR_DISSECTION_H

#include "linear/matrix.h"

/* 1 where the places lie about in a plane. A garment's front lies before its back, and a cut through both takes a
 * quarter more entries than METIS finds. */
bool dissection_suits(const Matrix *matrix);

/* permutation[k] is the unknown that is eliminated k-th; the matrix must have places. `good` gets 0 if some cut
 * needs so many unknowns that space and matrix hardly belong together; the permutation is one even then. */
StatusCode dissection_find(const Matrix *matrix, int *permutation, int *good, Status *status);

#endif
