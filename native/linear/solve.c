/* Tasks wait for single marks, not at barriers, so that branches of the tree run independently. */
#include "linear/solve.h"

#include <string.h>

#include "base/machine.h"
#include "linear/dense.h"

/* --- kernels: for each precision, and each kind of machine ------------------------------------ */

/* In single precision, which reads half the memory. */
#if defined(__aarch64__)
#define SINGLE_NARROW 16
#else
#define SINGLE_NARROW 7
#endif
#define REAL float
#define TARGET
#define TIMES 1
#define NARROW SINGLE_NARROW
#define NAME(x) x##_single
#include "linear/solve_kernels.h"

#define REAL double
#define TARGET
#define TIMES 1
#define NARROW 7
#define NAME(x) x##_double
#include "linear/solve_kernels.h"

#if defined(__x86_64__)
#define REAL float
#define TARGET __attribute__((target(MACHINE_AVX2)))
#define TIMES 2
#define NARROW 3
#define NAME(x) x##_single_avx2
#include "linear/solve_kernels.h"

#define REAL double
#define TARGET __attribute__((target(MACHINE_AVX2)))
#define TIMES 1
#define NARROW 7
#define NAME(x) x##_double_avx2
#include "linear/solve_kernels.h"

#define REAL float
#define TARGET __attribute__((target(MACHINE_AVX512)))
#define TIMES 4
#define NARROW 3
#define NAME(x) x##_single_avx512
#include "linear/solve_kernels.h"

#define REAL double
#define TARGET __attribute__((target(MACHINE_AVX512)))
#define TIMES 2
#define NARROW 3
#define NAME(x) x##_double_avx512
#include "linear/solve_kernels.h"
#endif

/* The fastest that this machine has. */
static SolveKernels kernels_for(Precision precision) {
    bool single = precision == PRECISION_SINGLE;
#if defined(__x86_64__)
    if (machine_has_avx512()) {
        return single ? (SolveKernels){forward_task_single_avx512, backward_task_single_avx512}
                      : (SolveKernels){forward_task_double_avx512, backward_task_double_avx512};
    }
    if (machine_has_avx2()) {
        return single ? (SolveKernels){forward_task_single_avx2, backward_task_single_avx2}
                      : (SolveKernels){forward_task_double_avx2, backward_task_double_avx2};
    }
#endif
    return single ? (SolveKernels){forward_task_single, backward_task_single}
                  : (SolveKernels){forward_task_double, backward_task_double};
}

/* --- the solve -------------------------------------------------------------------------------- */

typedef struct SolveWork {
    const Solve *solve;
    const Vec3 *b;
    Vec3 *x;
} SolveWork;

/* Item t < task_count: the task forward; those after: the tasks backward in reverse. */
static void run_item(const SolveWork *work, int item) {
    const Solve *solve = work->solve;
    const Panels *panels = &solve->panels;
    bool backward = item >= panels->task_count;
    int t = backward ? 2 * panels->task_count - 1 - item : item;
    const PanelTask *task = &panels->task[t];
    if (solve->awake_task && !solve->awake_task[t]) {
        mark_set(&solve->done[t], backward ? 2 : 1);
        return;
    }
    if (backward) {
        mark_wait(&solve->done[task->above < 0 ? t : task->above], task->above < 0 ? 1 : 2);
        solve->kernels.backward(solve, t, work->x);
    } else {
        for (int c = task->child; c < task->child_end; ++c) {
            mark_wait(&solve->done[panels->child[c]], 1);
        }
        solve->kernels.forward(solve, t, work->b);
    }
    mark_set(&solve->done[t], backward ? 2 : 1);
}

static void run_items(void *context, int begin, int end) {
    for (int item = begin; item < end; ++item) {
        run_item(context, item);
    }
}

void solve_apply(const Solve *solve, Pool *pool, const Vec3 *b, Vec3 *x) {
    SolveWork work = {solve, b, x};
    int tasks = solve->panels.task_count;
    for (int t = 0; t < tasks; ++t) {
        atomic_store_explicit(&solve->done[t], 0, memory_order_relaxed);
    }
    if (pool && tasks > 1) {
        pool_in_order(pool, 2 * tasks, run_items, &work);
    } else {
        run_items(&work, 0, 2 * tasks);
    }
}

/* --- from the double-precision panels to what is read ----------------------------------------- */

StatusCode solve_reserve(Solve *solve, Precision precision, double *value, Store *store,
                         Status *status) {
    bool single = precision == PRECISION_SINGLE;
    size_t number = single ? sizeof(float) : sizeof(double);
    const Panels *panels = &solve->panels;
    solve->precision = precision;
    solve->kernels = kernels_for(precision);
    solve->value = single ? store_take(store, panels->value_count, number) : value;
    solve->work = store_take(store, (size_t)panels->slot_count * 4, number);
    solve->done = STORE_ARRAY(store, atomic_int, panels->task_count);
    solve->across = store_take(store, (size_t)solve->side * (size_t)solve->side, number);
    solve->aside = store_take(store, (size_t)solve->side, number);
    return store->failed ? status_no_memory(status, "the packed factor") : STATUS_OK;
}

/* --- the fold --------------------------------------------------------------------------------- */

/* Row i of a panel's S or B. */
static void read_row(const double *numbers, int width, int i, double *row) {
    const double *from = numbers + (size_t)(i / PANEL_ROWS) * (size_t)(PANEL_ROWS * width);
    for (int j = 0; j < width; ++j) {
        row[j] = from[PANEL_ROWS * j + i % PANEL_ROWS];
    }
}

/* What was left of the matrix at the panel's own columns, S^-1, by rows PANEL_WIDTH apart. */
static bool invert_square(const Panel *panel, const double *value, double *square) {
    _Alignas(64) double factor[PANEL_WIDTH * PANEL_WIDTH]; /* as dense.h takes rows */
    int width = panel->width, stride = dense_stride(width);
    for (int i = 0; i < width; ++i) {
        read_row(value + panel->square, width, i, factor + i * stride);
    }
    if (!dense_factor(factor, width)) {
        return false;
    }
    for (int i = 0; i < width; ++i) {
        double column[PANEL_WIDTH] = {0};
        column[i] = 1.0;
        dense_solve(factor, width, column);
        memcpy(square + i * PANEL_WIDTH, column, sizeof column);
    }
    return true;
}

/* The side's rows of [I; B] of a panel, PANEL_WIDTH apart, and which of the side they are. */
static int side_rows(const Solve *solve, const double *value, const Panel *panel, int late,
                     double *row, int *number) {
    const double *below = value + panel->below;
    const int *source = solve->panels.source + panel->list;
    int count = 0;
    for (int i = 0; i < panel->width && panel->column + i < late + solve->side; ++i) {
        row[(size_t)count * PANEL_WIDTH + (size_t)i] = 1.0;
        number[count++] = panel->column + i - late;
    }
    for (int i = 0; i < panel->count && source[i] < late + solve->side; ++i) {
        double *to = row + (size_t)count * PANEL_WIDTH;
        read_row(below, panel->width, i, to);
        for (int j = 0; j < panel->width; ++j) {
            to[j] = -to[j];
        }
        number[count++] = source[i] - late;
    }
    return count;
}

/* Adds what a panel of the side holds of the matrix, [I; B] S^-1 [I; B]', by rows, the lower half; `row` and `number` are
 * scratch for the side's rows. False if the matrix is not definite. */
static bool load_panel(const Solve *solve, const double *value, const Panel *panel, int late,
                       int stride, double *row, int *number, double *square) {
    double own[PANEL_WIDTH * PANEL_WIDTH];
    if (!invert_square(panel, value, own)) {
        return false;
    }
    memset(row, 0, (size_t)solve->side * PANEL_WIDTH * sizeof *row);
    int count = side_rows(solve, value, panel, late, row, number), width = panel->width;
    for (int a = 0; a < count; ++a) {
        double part[PANEL_WIDTH] = {0};
        for (int k = 0; k < width; ++k) {
            for (int j = 0; j < width; ++j) {
                part[j] += row[(size_t)a * PANEL_WIDTH + (size_t)k] * own[k * PANEL_WIDTH + j];
            }
        }
        double *to = square + (size_t)number[a] * (size_t)stride;
        for (int b = 0; b <= a; ++b) {
            for (int j = 0; j < width; ++j) {
                to[number[b]] += part[j] * row[(size_t)b * PANEL_WIDTH + (size_t)j];
            }
        }
    }
    return true;
}

/* What is left of the matrix for the side after all else is eliminated. */
static bool load_side(const Solve *solve, const double *value, int late, int stride, double *row,
                      int *number, double *square) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[panels->late_task];
    for (int p = task->panel; p < task->panel_end; ++p) {
        const Panel *panel = &panels->panel[p];
        if (panel->column < late + solve->side &&
            !load_panel(solve, value, panel, late, stride, row, number, square)) {
            return false;
        }
    }
    return true;
}

static void store_across(const Solve *solve, const double *square, int stride) {
    for (int j = 0; j < solve->side; ++j) {
        for (int i = 0; i < solve->side; ++i) {
            double number = square[(size_t)j * (size_t)stride + (size_t)i];
            size_t at = (size_t)j * (size_t)solve->side + (size_t)i;
            if (solve->precision == PRECISION_SINGLE) {
                ((float *)solve->across)[at] = (float)number;
            } else {
                ((double *)solve->across)[at] = number;
            }
        }
    }
}

StatusCode solve_take_fold(Solve *solve, const double *value, const Fold *fold, const uint8_t *held,
                           Status *status) {
    int side = solve->side, stride = dense_stride(side);
    Store store = {0};
    double *square = STORE_ARRAY(&store, double, (size_t)side *(size_t)stride);
    double *row = STORE_ARRAY(&store, double, (size_t)side *PANEL_WIDTH);
    int *number = STORE_ARRAY(&store, int, side);
    int late = solve->size - fold_last(fold, solve->size);
    if (store.failed) {
        store_release(&store);
        return status_no_memory(status, "the folded factor");
    }
    bool definite = load_side(solve, value, late, stride, row, number, square);
    for (int s = 0; s < side; ++s) {
        square[(size_t)s * (size_t)(stride + 1)] -=
            held[fold->side[s]] ? 0.0 : fold->softer[fold->side[s]];
    }
    definite = definite && fold_factor(square, side);
    store_across(solve, square, stride);
    store_release(&store);
    return definite
               ? STATUS_OK
               : status_set(status, STATUS_ERROR_MATRIX,
                            "the system matrix is not positive definite across the mirror plane");
}
