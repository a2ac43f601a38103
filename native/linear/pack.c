/* From the double-precision panels to what the repeated solve reads: rounded where single precision is good enough,
 * and with the fold's part of x beside it. */
#include "linear/pack.h"

#include <stdlib.h>
#include <string.h>

#include "linear/dense.h"

StatusCode pack_reserve(Solve *solve, Precision precision, double *value, Store *store,
                        Status *status) {
    bool single = precision == PRECISION_SINGLE;
    size_t number = single ? sizeof(float) : sizeof(double);
    const Panels *panels = &solve->panels;
    solve->precision = precision;
    solve->kernels = single ? solve_kernels_single() : solve_kernels_double();
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
static int invert_square(const Panel *panel, const double *value, double *square) {
    _Alignas(64) double factor[PANEL_WIDTH * PANEL_WIDTH]; /* as dense.h takes rows */
    int width = panel->width, stride = dense_stride(width);
    for (int i = 0; i < width; ++i) {
        read_row(value + panel->square, width, i, factor + i * stride);
    }
    if (!dense_factor(factor, width)) {
        return 0;
    }
    for (int i = 0; i < width; ++i) {
        double column[PANEL_WIDTH] = {0};
        column[i] = 1.0;
        dense_solve(factor, width, column);
        memcpy(square + i * PANEL_WIDTH, column, sizeof column);
    }
    return 1;
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
static int load_panel(const Solve *solve, const double *value, const Panel *panel, int late,
                      int stride, double *row, int *number, double *square) {
    double own[PANEL_WIDTH * PANEL_WIDTH];
    int worked = invert_square(panel, value, own);
    if (worked) {
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
    }
    return worked;
}

/* What is left of the matrix for the side after all else is eliminated. */
static int load_side(const Solve *solve, const double *value, int late, int stride, double *row,
                     int *number, double *square) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[panels->late_task];
    int worked = 1;
    for (int p = task->panel; p < task->panel_end && worked; ++p) {
        if (panels->panel[p].column < late + solve->side) {
            worked = load_panel(solve, value, &panels->panel[p], late, stride, row, number, square);
        }
    }
    return worked;
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

StatusCode pack_fold(Solve *solve, const double *value, const Fold *fold, const uint8_t *held,
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
    int definite = load_side(solve, value, late, stride, row, number, square);
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
