/* Where the numeric factorisation keeps what is not yet eliminated, laid out once for a pattern.
 * The front of a panel is the square of its own columns and the rows below them: what the matrix and all panels below
 * have for it. Eliminating the panel's columns changes the square of the rows, which then goes to the front of the
 * panel above, the multifrontal method [Duff and Reid 1983].
 *
 * Only the lower half of a front is kept, four rows at a time: the four numbers of a column lie together, column after
 * column, up to the diagonal. The panel's own columns are filled up to whole groups. Where a panel's rows are exactly
 * the columns and rows of the panel above, and these columns are whole groups, what is left of its front is already
 * the other one's: it is not copied. */
#ifndef LINEAR_FRONTS_H
#define LINEAR_FRONTS_H

#include "linear/panels.h"

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
    int *
        row_at; /* of each entry of the matrix: its row in the front of its column's panel, -1 above the diagonal */
    int *
        join; /* of each row of each panel, as in Panels.row: its row in the front of the panel above */
    uint8_t *
        crown; /* of each task: 1 if so much is below it that all threads should share its fronts */
    size_t numbers; /* of all fronts that are there at once */
    int widest;     /* most rows of a front below its own columns, filled up */
} Fronts;

/* Numbers before group `group` of rows. */
static inline size_t front_group(int group) { return 8 * (size_t)group * ((size_t)group + 1); }

StatusCode fronts_build(Fronts *fronts, const Panels *panels, const FactorPattern *pattern,
                        Store *store, Status *status);

#endif
