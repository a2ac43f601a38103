/* One unknown more or less that is held, in a factor that is there already.
 * Its row goes out of, or into, the panels below that reach it; its own panel changes as a small dense matrix does; and
 * all above it change by one product v v', carried up the elimination tree: the panel with S and B (see pack.h) for
 * which the matrix changes by a v v', v1 at its own columns and v2 at its rows, gets
 *
 *   s = S v1, b = a / (1 + a v1's), w = v2 - B v1:   S -= b s s',  B += b w s'
 *
 * and leaves b w w' to those above. Holding has a > 0 and always works; releasing has a < 0. */
#ifndef LINEAR_ROWCHANGE_H
#define LINEAR_ROWCHANGE_H

#include "linear/panels.h"

typedef struct RowChange {
    const Panels *panels;
    const FactorPattern *pattern;
    const uint8_t *held; /* unknowns; that of the column as it shall be */
    double *value;       /* S and -B of all panels */
    double *work;        /* of each row of L: all zero before and after */
    int *list;           /* room for all panels */
    uint8_t *changed;    /* of each panel: 1 is set where its numbers have changed */
} RowChange;

/* Column `column` of L becomes one of the identity. Returns 0 if the factor was of no use. */
int rowchange_hold(const RowChange *change, int column);

/* The column, which is one of the identity, gets the numbers of the matrix. Returns 0 if a pivot is not positive: the
 * factor is then of no use. */
int rowchange_release(const RowChange *change, int column);

#endif
