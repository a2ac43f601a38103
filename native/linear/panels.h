/* How the repeated solve cuts a triangular factor: panels, and tasks of panels.
 * A panel is a run of neighbouring columns of L with nearly the same rows, kept as if they had exactly
 * the same: small ones are joined where the zeros that this adds cost less than the panel that it saves.
 * A task is a set of panels that one thread takes: a subtree of the elimination tree, or a separator
 * above several of them. The cut depends on the pattern alone, never on the number of threads.
 *
 * The solve's vector is cut into the same tasks. A task's part holds its own columns, then one slot for
 * each row outside that its panels reach (its border), then a few spare ones. Forward, what a task has
 * for its border waits there until the task above takes it; backward, the border is copied from the
 * task above. So no two tasks ever write to the same place. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "linear/matrix.h"

/* Rows are taken so many at a time; lists of rows are filled up with a spare slot. */
#define PANEL_ROWS 4
/* Most columns of a panel. */
#define PANEL_WIDTH 16

_Static_assert(PANEL_WIDTH % PANEL_ROWS == 0, "panels are cut at whole groups of columns");

/* What decides the pattern of L: the matrix in its order of elimination, and how many entries each column of L
 * has, the diagonal among them. */
typedef struct FactorPattern {
    const Matrix *matrix;
    const int *permutation, *inverse; /* permutation[k] is the unknown of column k of L */
    const int *count;
} FactorPattern;

typedef struct Panel {
    int column;           /* its first column in L */
    int slot;             /* the same in the solve's vector */
    int width;            /* columns */
    int rows;             /* below its own columns, filled up to a multiple of PANEL_ROWS */
    int count;            /* of them that are rows of L; the others are spare */
    int above;            /* the panel that owns the first of them, or -1 */
    size_t list;          /* where these begin in Panels.row and Panels.source */
    size_t square, below; /* where its S and -B begin: see solve.h */
} Panel;

typedef struct PanelTask {
    int panel, panel_end;
    int column, column_end; /* in Panels.column */
    int slot;               /* of its first column */
    int border, border_end; /* slots */
    size_t join;            /* in Panels.join: the slots of the border in the task above */
    int child, child_end;   /* in Panels.child */
    int above;              /* the task above, or -1 */
} PanelTask;

typedef struct Panels {
    int size, count, task_count, slot_count;
    int late_task; /* of the late columns, or -1 */
    Panel *panel;
    PanelTask *task; /* every task after all below it */
    int *row;        /* slots */
    int *source;     /* the same as rows of L, -1 for a spare one */
    int *column;     /* size: the columns of L in the order of the tasks */
    int *owner;      /* of each column of L: its panel */
    int *join, *child;
    size_t list_count, value_count;
} Panels;

/* Whole groups of PANEL_ROWS that hold so many rows. */
static inline int panel_padded(int rows) {
    return (rows + PANEL_ROWS - 1) / PANEL_ROWS * PANEL_ROWS;
}

/* How many numbers the panel's S has, and its -B. */
static inline size_t panel_square(const Panel *panel) {
    return (size_t)panel->width * (size_t)panel_padded(panel->width);
}

static inline size_t panel_below(const Panel *panel) {
    return (size_t)panel->width * (size_t)panel->rows;
}

/* Columns from `late` on get a task of their own; `late` may be the pattern's size. */
StatusCode panels_build(Panels *panels, const FactorPattern *pattern, int late, Store *store,
                        Status *status);
