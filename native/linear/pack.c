#include "linear/pack.h"

#include <stdlib.h>
#include <string.h>

#include "linear/dense.h"

/* One panel in double precision: columns of `rows` numbers, of which the first `width` are those of the
 * panel itself. */
typedef struct Scratch {
    int *place;      /* of each row of L: its place in the panel's rows */
    double *columns; /* L1^-1 above B in the end */
    double *lower;   /* L1, PANEL_WIDTH apart */
    double *pivot;
} Scratch;

StatusCode pack_reserve(Solve *solve, Precision precision, Store *store, Status *status) {
    size_t number = precision == PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    const Panels *panels = &solve->panels;
    solve->precision = precision;
    solve->kernels =
        precision == PRECISION_SINGLE ? solve_kernels_single() : solve_kernels_double();
    solve->value = store_take(store, panels->value_count, number);
    solve->work = store_take(store, (size_t)panels->slot_count * 4, number);
    solve->done = STORE_ARRAY(store, atomic_int, panels->task_count);
    solve->across = store_take(store, (size_t)solve->side * (size_t)solve->side, number);
    solve->aside = store_take(store, (size_t)solve->side, number);
    return store->failed ? status_no_memory(status, "the packed factor") : STATUS_OK;
}

/* Whether the panel has this row there: place[] still knows rows of other panels. */
static int is_row_at(const Panels *panels, const Panel *panel, int row, int at) {
    return at < panel->width ? panel->column + at == row
                             : at - panel->width < panel->rows &&
                                   panels->source[panel->list + (size_t)(at - panel->width)] == row;
}

/* The identity above L2; L1 and D apart. Returns 0 if the factor has a row that the panel has not. */
static int load_panel(const Panels *panels, const Panel *panel, const FactorNumbers *numbers,
                      Scratch *scratch) {
    const FactorPattern *pattern = &numbers->pattern;
    int width = panel->width, rows = width + panel->rows;
    memset(scratch->columns, 0, (size_t)rows * (size_t)width * sizeof(double));
    memset(scratch->lower, 0, PANEL_WIDTH * PANEL_WIDTH * sizeof(double));
    for (int i = 0; i < width; ++i) {
        scratch->place[panel->column + i] = i;
    }
    for (int i = 0; i < panel->rows; ++i) {
        int source = panels->source[panel->list + (size_t)i];
        if (source >= 0) {
            scratch->place[source] = width + i;
        }
    }
    for (int j = 0; j < width; ++j) {
        int column = panel->column + j, start = pattern->start[column];
        double *into = scratch->columns + (size_t)j * (size_t)rows;
        into[j] = 1.0;
        scratch->pivot[j] = numbers->value[start];
        for (int p = start + 1; p < start + pattern->count[column]; ++p) {
            int at = scratch->place[pattern->row[p]];
            if (!is_row_at(panels, panel, pattern->row[p], at)) {
                return 0;
            }
            *(at < width ? &scratch->lower[at * PANEL_WIDTH + j] : &into[at]) = numbers->value[p];
        }
    }
    return 1;
}

/* columns = columns L1^-1, from the last column to the first. */
static void divide_by_lower(int width, int rows, const Scratch *scratch) {
    for (int j = width - 2; j >= 0; --j) {
        double *restrict to = scratch->columns + (size_t)j * (size_t)rows;
        for (int k = j + 1; k < width; ++k) {
            const double *restrict from = scratch->columns + (size_t)k * (size_t)rows;
            double factor = scratch->lower[k * PANEL_WIDTH + j];
            if (factor == 0) {
                continue;
            }
            for (int i = 0; i < rows; ++i) {
                to[i] -= factor * from[i];
            }
        }
    }
}

static void put(const Solve *solve, size_t at, double number) {
    if (solve->precision == PRECISION_SINGLE) {
        ((float *)solve->value)[at] = (float)number;
    } else {
        ((double *)solve->value)[at] = number;
    }
}

/* Where row i of column j is kept. */
static size_t place_of(const Panel *panel, size_t base, int i, int j) {
    return base + (size_t)(i / PANEL_ROWS) * (size_t)(PANEL_ROWS * panel->width) +
           (size_t)(PANEL_ROWS * j + i % PANEL_ROWS);
}

static void store_panel(const Solve *solve, const Panel *panel, const Scratch *scratch) {
    int width = panel->width, rows = width + panel->rows;
    size_t below = panel->value + (size_t)width * (size_t)panel_padded(width);
    for (int j = 0; j < width; ++j) {
        const double *column = scratch->columns + (size_t)j * (size_t)rows;
        for (int i = j; i < width; ++i) {
            const double *other = scratch->columns + (size_t)i * (size_t)rows;
            double sum = 0;
            for (int k = i; k < width; ++k) { /* L1^-1 is lower triangular */
                sum += column[k] * other[k] / scratch->pivot[k];
            }
            put(solve, place_of(panel, panel->value, i, j), sum);
            put(solve, place_of(panel, panel->value, j, i), sum);
        }
        for (int i = 0; i < panel->rows; ++i) {
            put(solve, place_of(panel, below, i, j), -column[width + i]);
        }
    }
}

static size_t largest_panel(const Panels *panels) {
    size_t largest = 1;
    for (int p = 0; p < panels->count; ++p) {
        const Panel *panel = &panels->panel[p];
        size_t numbers = (size_t)panel->width * (size_t)(panel->width + panel->rows);
        largest = numbers > largest ? numbers : largest;
    }
    return largest;
}

StatusCode pack_factor(Solve *solve, const FactorNumbers *numbers, Status *status) {
    const Panels *panels = &solve->panels;
    Store store = {0};
    Scratch scratch = {.place = STORE_ARRAY(&store, int, solve->size),
                       .columns = STORE_ARRAY(&store, double, largest_panel(panels)),
                       .lower = STORE_ARRAY(&store, double, PANEL_WIDTH *PANEL_WIDTH),
                       .pivot = STORE_ARRAY(&store, double, PANEL_WIDTH)};
    if (store.failed) {
        store_release(&store);
        return status_no_memory(status, "the packed factor");
    }
    int fits = 1;
    for (int p = 0; p < panels->count && fits; ++p) {
        const Panel *panel = &panels->panel[p];
        fits = load_panel(panels, panel, numbers, &scratch);
        divide_by_lower(panel->width, panel->width + panel->rows, &scratch);
        store_panel(solve, panel, &scratch);
    }
    store_release(&store);
    return fits ? STATUS_OK
                : status_set(status, STATUS_ERROR_MATRIX, "the factor has left its pattern");
}

/* What is left of the matrix for the side after all else is eliminated: L D L' of its own columns, whose first one is
 * `late`. By rows, the lower half. */
static void load_side(const FactorNumbers *numbers, int late, int side, int stride,
                      double *square) {
    const FactorPattern *pattern = &numbers->pattern;
    for (int j = 0; j < side; ++j) {
        int begin = pattern->start[late + j], end = begin + pattern->count[late + j];
        double pivot = numbers->value[begin];
        for (int p = begin; p < end && pattern->row[p] < late + side; ++p) {
            double lower = p == begin ? 1.0 : numbers->value[p];
            double *row = square + (size_t)(pattern->row[p] - late) * (size_t)stride;
            for (int q = begin; q <= p; ++q) {
                row[pattern->row[q] - late] +=
                    pivot * lower * (q == begin ? 1.0 : numbers->value[q]);
            }
        }
    }
}

StatusCode pack_fold(Solve *solve, const FactorNumbers *numbers, const Fold *fold,
                     const uint8_t *held, Status *status) {
    int side = solve->side, stride = dense_stride(side);
    double *square = SCRATCH_ARRAY(double, (size_t)side *(size_t)stride);
    if (!square) {
        return status_no_memory(status, "the folded factor");
    }
    load_side(numbers, solve->size - fold_last(fold, solve->size), side, stride, square);
    for (int s = 0; s < side; ++s) {
        square[(size_t)s * (size_t)(stride + 1)] -=
            held[fold->side[s]] ? 0.0 : fold->softer[fold->side[s]];
    }
    int definite = fold_factor(square, side);
    for (int j = 0; j < side; ++j) {
        for (int i = 0; i < side; ++i) {
            double number = square[(size_t)j * (size_t)stride + (size_t)i];
            size_t at = (size_t)j * (size_t)side + (size_t)i;
            if (solve->precision == PRECISION_SINGLE) {
                ((float *)solve->across)[at] = (float)number;
            } else {
                ((double *)solve->across)[at] = number;
            }
        }
    }
    free(square);
    return definite
               ? STATUS_OK
               : status_set(status, STATUS_ERROR_MATRIX,
                            "the system matrix is not positive definite across the mirror plane");
}
