/* A cloth that is its own mirror image, solved by one half [docs/notes/mirroring.md].
 *
 * In the plane's frame the motion along y and z is even, that along x odd, so the matrix of the whole splits in two
 * of half the size: one for y and z, one for x. They differ in two places only. Unknowns on the plane do not move
 * along x. And elements across the plane resist y and z but not x, which makes the x matrix softer on the diagonal of
 * the unknowns beside the plane. With these few unknowns eliminated last, both have the same factor up to there: it
 * is kept once and read once for all three right-hand sides. Above it y and z go on as ever; x has a small dense
 * factor of its own, of the unknowns beside the plane. */
#pragma once

#include "linear/matrix.h"
#include "linear/ordering.h"

typedef struct Fold {
    int held_from;   /* unknowns from this one on are zero along x */
    int side_count;  /* those beside the plane */
    const int *side; /* ascending, all below held_from */
    /* Per unknown: what the x matrix has less on its diagonal; read at `side` alone. */
    const double *softer;
} Fold;

/* How many unknowns come last. */
static inline int fold_last(const Fold *fold, int size) {
    return fold->side_count + size - fold->held_from;
}

/* An order in which the fold's unknowns come last, those beside the plane before those on it. `rest` gets the
 * pattern among the others, in `store`; their order, numbered as in `rest`, is for the caller to refine before
 * fold_finish() puts all together. An AUTO `ordering` becomes what was taken. */
StatusCode fold_order(const Fold *fold, Ordering *ordering, const Matrix *matrix, Store *store,
                      Matrix *rest, int *permutation, Status *status);
void fold_finish(const Fold *fold, const Matrix *matrix, int *permutation);

/* Both triangles of a Cholesky factor in one square, for substitution by whole rows: of row j the entries before
 * the diagonal are L(j, i), those behind it L(i, j), and on it stands 1 / L(j, j). `square` holds the matrix's lower
 * half by rows of `stride` (see dense.h) and gets the factor. Returns false if it is not positive definite. */
bool fold_factor(double *square, int size);
