/* The numeric factorisation: every panel's S and B (see solve.h) from the matrix, front by front from the leaves of the
 * elimination tree to its roots. The same bytes for any number of threads. */
#pragma once

#include "base/parallel.h"
#include "linear/panels.h"

/* Where the numeric factorisation keeps what is not yet eliminated, laid out once for a pattern.
 * The front of a panel is the square of its own columns and the rows below them: what the matrix and all panels below
 * have for it. Eliminating the panel's columns changes the square of the rows, which then goes to the front of the
 * panel above, the multifrontal method [Duff and Reid 1983].
 *
 * Only the lower half of a front is kept, four rows at a time: the four numbers of a column lie together, column after
 * column, up to the diagonal. The panel's own columns are filled up to whole groups. Where a panel's rows are exactly
 * the columns and rows of the panel above, and these columns are whole groups, what is left of its front is already
 * the other one's: it is not copied. */

typedef struct Front {
    int own;              /* the panel's width, filled up */
    int first;            /* groups of rows that come before it in its square */
    bool shared;          /* it is what its only child has left */
    int child, child_end; /* in Fronts.child */
    size_t place;         /* of its square among the numbers of all fronts */
} Front;

typedef struct Fronts {
    Front *front; /* of each panel */
    int *child;   /* panels */
    /* Of each entry of the matrix: its row in the front of its column's panel, -1 above the diagonal. */
    int *row_at;
    /* Of each row of each panel, as in Panels.row: its row in the front of the panel above. */
    int *join;
    /* Of each task: 1 if so much is below it that all threads should share its fronts. */
    uint8_t *top;
    size_t numbers; /* of all fronts that are there at once */
    int widest;     /* most rows of a front below its own columns, filled up */
} Fronts;

/* Numbers before group `group` of rows. */
static inline size_t front_group(int group) { return 8 * (size_t)group * ((size_t)group + 1); }

StatusCode fronts_build(Fronts *fronts, const Panels *panels, const FactorPattern *pattern,
                        Store *store, Status *status);

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

/* --- one unknown more or less ----------------------------------------------------------------- */

/* One unknown more or less that is held, in a factor that is there already.
 * Its row goes out of, or into, the panels below that reach it; its own panel changes as a small dense matrix does; and
 * all above it change by one product v v', carried up the elimination tree: the panel with S and B (see solve.h) for
 * which the matrix changes by a v v', v1 at its own columns and v2 at its rows, gets
 *
 *   s = S v1, b = a / (1 + a v1's), w = v2 - B v1:   S -= b s s',  B += b w s'
 *
 * and leaves b w w' to those above. Holding has a > 0 and always works; releasing has a < 0. */

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
