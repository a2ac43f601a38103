/* Packs a factor L D L' into the panels of the repeated solve.
 * With the columns of a panel
 *
 *   [ L1 ]          S = (L1 D L1')^-1, the inverse of what is left of the matrix there
 *   [ L2 ]          B = L2 L1^-1
 *
 * the solve is: forward, y below -= B y; backward, y = S y - B' y below. Both are products of dense
 * blocks, in which no number waits for another. Kept are S, then -B, four rows at a time: the four numbers
 * of a column lie together, column after column. Rows are filled up with zeros. */
#ifndef LINEAR_PACK_H
#define LINEAR_PACK_H

#include "linear/fold.h"
#include "linear/solve.h"

/* A factor by columns: the pattern, where columns may have lost rows since the panels were built, and its
 * numbers, the pivot D first. */
typedef struct FactorNumbers {
    FactorPattern pattern;
    const double *value;
} FactorNumbers;

/* Takes the memory of a solve whose panels are built. */
StatusCode pack_reserve(Solve *solve, Precision precision, Store *store, Status *status);

/* Fills it. `precision` of the solve tells the kind of number. */
StatusCode pack_factor(Solve *solve, const FactorNumbers *numbers, Status *status);

/* The same for what x has of its own in a fold: the factor of what is left of the x matrix for the unknowns beside
 * the plane. Held ones are rows of the identity there, too. */
StatusCode pack_fold(Solve *solve, const FactorNumbers *numbers, const Fold *fold,
                     const uint8_t *held, Status *status);

#endif
