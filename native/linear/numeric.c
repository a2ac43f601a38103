/* Threads take whole tasks while there are enough of them, and share single fronts near the root, where there are
 * not. */
#include "linear/numeric.h"

#include <stdatomic.h>
#include <string.h>

#include "linear/eliminate.h"

/* Groups of rows that a thread takes at once of a front that all share; fronts of fewer than twice so many are not
 * worth waking others. Even: see EliminateKernels. */
#define BATCH 8
/* What a task ends with, but for the column that failed in it or below it. */
#define FINE (-1)

typedef struct Work {
    const Numeric *numeric;
    EliminateKernels kernels;
    double *squares;  /* of all fronts */
    const int *part;  /* the tasks of this run, in order */
    int *ended;       /* of each task: FINE or a column */
    atomic_int *done; /* of each task */
    atomic_int out_of_memory;
    Pool *pool; /* of a task that all threads share; else null */
} Work;

/* --- assembling a front ----------------------------------------------------------------------- */

/* Row `row` of the front, at the front's first column. */
static double *front_row(const Front *front, double *square, int row) {
    return square + front_group(front->first + row / PANEL_ROWS) +
           4 * PANEL_ROWS * (size_t)front->first + row % PANEL_ROWS;
}

static void add_matrix(const Numeric *numeric, const Panel *panel, const Front *front,
                       double *square) {
    const FactorPattern *pattern = numeric->pattern;
    const Matrix *matrix = pattern->matrix;
    for (int j = 0; j < panel->width; ++j) {
        int unknown = pattern->permutation[panel->column + j];
        if (numeric->held[unknown]) {
            front_row(front, square, j)[PANEL_ROWS * j] = 1.0;
            continue;
        }
        for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
            int row = numeric->fronts->row_at[q];
            if (row >= 0 && !numeric->held[matrix->column[q]]) {
                front_row(front, square, row)[PANEL_ROWS * j] += matrix->value[q];
            }
        }
    }
}

/* What a child has left, four rows at a time. */
static void add_child(const Work *work, int child, const Front *front, double *square) {
    const Panel *panel = &work->numeric->panels->panel[child];
    const Front *from = &work->numeric->fronts->front[child];
    const int *join = work->numeric->fronts->join + panel->list;
    int skipped = from->first + from->own / PANEL_ROWS;
    for (int i = 0; i < panel->count; i += PANEL_ROWS) {
        const double *number = work->squares + from->place + front_group(skipped + i / PANEL_ROWS) +
                               4 * PANEL_ROWS * (size_t)skipped;
        int rows = panel->count - i < PANEL_ROWS ? panel->count - i : PANEL_ROWS;
        double *to[PANEL_ROWS];
        for (int r = 0; r < PANEL_ROWS; ++r) {
            to[r] = front_row(front, square, join[i + (r < rows ? r : 0)]);
        }
        if (rows == PANEL_ROWS) {
            for (int c = 0; c < i; ++c, number += PANEL_ROWS) {
                size_t at = PANEL_ROWS * (size_t)join[c];
                to[0][at] += number[0];
                to[1][at] += number[1];
                to[2][at] += number[2];
                to[3][at] += number[3];
            }
        }
        for (int c = rows == PANEL_ROWS ? i : 0; c < i + rows; ++c, number += PANEL_ROWS) {
            for (int r = c > i ? c - i : 0; r < rows; ++r) {
                to[r][PANEL_ROWS * (size_t)join[c]] += number[r];
            }
        }
    }
}

static void assemble(const Work *work, int p) {
    const Numeric *numeric = work->numeric;
    const Panel *panel = &numeric->panels->panel[p];
    const Front *front = &numeric->fronts->front[p];
    double *square = work->squares + front->place;
    if (!front->shared) {
        size_t numbers = front_group((front->own + panel->rows) / PANEL_ROWS);
        memset(square, 0, numbers * sizeof *square);
        for (int c = front->child; c < front->child_end; ++c) {
            add_child(work, numeric->fronts->child[c], front, square);
        }
    }
    add_matrix(numeric, panel, front, square);
}

/* --- eliminating a panel ---------------------------------------------------------------------- */

static void round_run(size_t begin, size_t count, const double *value, float *single) {
    for (size_t i = begin; i < begin + count; ++i) {
        single[i] = (float)value[i];
    }
}

void numeric_round(const Panels *panels, int panel, const double *value, float *single) {
    const Panel *at = &panels->panel[panel];
    round_run(at->square, panel_square(at), value, single);
    round_run(at->below, panel_below(at), value, single);
}

typedef struct Batchs {
    const EliminateKernels *kernels;
    const Elimination *elimination;
    int groups;
} Batchs;

static void divide_batchs(void *context, int begin, int end) {
    const Batchs *batchs = context;
    int last = end * BATCH < batchs->groups ? end * BATCH : batchs->groups;
    batchs->kernels->divide(batchs->elimination, begin * BATCH, last);
}

/* From the last to the first: the last is the longest. */
static void subtract_batchs(void *context, int begin, int end) {
    const Batchs *batchs = context;
    int count = (batchs->groups + BATCH - 1) / BATCH;
    for (int item = begin; item < end; ++item) {
        int first = (count - 1 - item) * BATCH;
        int last = first + BATCH < batchs->groups ? first + BATCH : batchs->groups;
        batchs->kernels->subtract(batchs->elimination, first, last);
    }
}

/* Returns the column that failed, or FINE. */
static int eliminate(const Work *work, int p, double *wide) {
    const Numeric *numeric = work->numeric;
    const Panel *panel = &numeric->panels->panel[p];
    const Front *front = &numeric->fronts->front[p];
    Elimination elimination;
    elimination.panel = panel;
    elimination.front = front;
    elimination.square = work->squares + front->place;
    elimination.inverse = numeric->value + panel->square;
    elimination.below = numeric->value + panel->below;
    elimination.wide = wide;
    int failed = work->kernels.own(&elimination), groups = panel->rows / PANEL_ROWS;
    if (failed >= 0) {
        return panel->column + failed;
    }
    if (work->pool && groups >= 2 * BATCH) { /* in order: the longest first */
        Batchs batchs = {&work->kernels, &elimination, groups};
        pool_in_order(work->pool, (groups + BATCH - 1) / BATCH, divide_batchs, &batchs);
        pool_in_order(work->pool, (groups + BATCH - 1) / BATCH, subtract_batchs, &batchs);
    } else {
        work->kernels.divide(&elimination, 0, groups);
        work->kernels.subtract(&elimination, 0, groups);
    }
    if (numeric->single) {
        numeric_round(numeric->panels, p, numeric->value, numeric->single);
    }
    return FINE;
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* The first column that failed below the task, or FINE. */
static int look_below(const Work *work, const PanelTask *task) {
    int failed = FINE;
    for (int c = task->child; c < task->child_end; ++c) {
        int below = work->ended[work->numeric->panels->child[c]];
        failed = below != FINE && (failed == FINE || below < failed) ? below : failed;
    }
    return failed;
}

static int run_task(Work *work, int t) {
    const Panels *panels = work->numeric->panels;
    const PanelTask *task = &panels->task[t];
    Store store = {0};
    int rows = 0, failed = look_below(work, task);
    for (int p = task->panel; p < task->panel_end; ++p) {
        rows = panels->panel[p].rows > rows ? panels->panel[p].rows : rows;
    }
    double *wide = STORE_ARRAY(&store, double, (size_t)rows *PANEL_WIDTH);
    if (store.failed) {
        atomic_store(&work->out_of_memory, 1);
    }
    for (int p = task->panel; p < task->panel_end && failed == FINE && wide; ++p) {
        assemble(work, p);
        failed = eliminate(work, p, wide);
    }
    store_release(&store);
    return failed;
}

static void run_items(void *context, int begin, int end) {
    Work *work = context;
    const Panels *panels = work->numeric->panels;
    for (int item = begin; item < end; ++item) {
        int t = work->part[item];
        for (int c = panels->task[t].child; c < panels->task[t].child_end; ++c) {
            mark_wait(&work->done[panels->child[c]], 1);
        }
        work->ended[t] = run_task(work, t);
        mark_set(&work->done[t], 1);
    }
}

/* Tasks below the crown side by side, those of the crown one after the other with all threads in each. */
static void run_tasks(Work *work, Pool *pool, int *part) {
    const Panels *panels = work->numeric->panels;
    const uint8_t *crown = work->numeric->fronts->crown;
    work->part = part;
    for (int above = 0; above < 2; ++above) {
        int count = 0;
        for (int t = 0; t < panels->task_count; ++t) {
            if (crown[t] == above) {
                part[count++] = t;
            }
        }
        work->pool = above ? pool : NULL;
        if (pool && !above && count > 1) {
            pool_in_order(pool, count, run_items, work);
        } else {
            run_items(work, 0, count);
        }
    }
}

StatusCode numeric_compute(const Numeric *numeric, Pool *pool, int *failed, Status *status) {
    Store store = {0};
    const Panels *panels = numeric->panels;
    Work work = {.numeric = numeric,
                 .kernels = eliminate_kernels(),
                 .squares = STORE_ARRAY(&store, double, numeric->fronts->numbers),
                 .ended = STORE_ARRAY(&store, int, panels->task_count),
                 .done = STORE_ARRAY(&store, atomic_int, panels->task_count)};
    int *part = STORE_ARRAY(&store, int, panels->task_count);
    *failed = FINE;
    StatusCode code = STATUS_OK;
    if (!store.failed) {
        run_tasks(&work, pool, part);
        for (int t = 0; t < panels->task_count; ++t) {
            int column = work.ended[t];
            *failed = column != FINE && (*failed == FINE || column < *failed) ? column : *failed;
        }
    }
    if (store.failed || atomic_load(&work.out_of_memory)) {
        code = status_no_memory(status, "the factor");
    }
    store_release(&store);
    return code;
}
