/* The repeated solve: L D L' x = b for three right-hand sides, again and again.
 * The factor is packed once into plain columns, so a step touches no library, takes no memory and
 * reads each number of L twice: once forward, once backward. */
#ifndef LINEAR_SOLVE_H
#define LINEAR_SOLVE_H

#include "base/vec3.h"

typedef struct Solve {
    int size;
    int *permutation; /* permutation[k]: the unknown eliminated k-th */
    int *start;       /* size + 1: columns of L below the diagonal */
    int *row;
    double *value;
    double *inverse_pivot; /* 1 / D */
    Vec3 *work;            /* size */
} Solve;

/* x = A^-1 b; x and b may be the same array. */
void solve_apply(const Solve *solve, const Vec3 *b, Vec3 *x);

#endif
