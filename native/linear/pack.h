/* What the repeated solve keeps of a factor. With the columns of a panel in L D L'
 *
 *   [ L1 ]          S = (L1 D L1')^-1, the inverse of what is left of the matrix there
 *   [ L2 ]          B = L2 L1^-1
 *
 * the solve is: forward, y below -= B y; backward, y = S y - B' y below. Both are products of dense
 * blocks, in which no number waits for another. Kept are -B of all panels, then S of all, four rows at a time: the
 * four numbers of a column lie together, column after column. Rows are filled up with zeros. The factorisation gives
 * them in double precision (see numeric.h); the solve may have them rounded. */
#ifndef LINEAR_PACK_H
#define LINEAR_PACK_H

#include "linear/fold.h"
#include "linear/solve.h"

/* Takes the memory of a solve whose panels are built. In double precision it reads `value` itself. */
StatusCode pack_reserve(Solve *solve, Precision precision, double *value, Store *store,
                        Status *status);

/* What x has of its own in a fold: the factor of what is left of the x matrix for the unknowns beside the plane, from
 * S and -B in double precision. Held ones are rows of the identity there, too. */
StatusCode pack_fold(Solve *solve, const double *value, const Fold *fold, const uint8_t *held,
                     Status *status);

#endif
