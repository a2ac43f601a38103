/* Works on S and B in place, as the solve reads them: a hard pin costs a walk to the root, not a factorisation. */
#include "linear/rowchange.h"

#include <math.h>
#include <string.h>

/* A panel with its numbers. */
typedef struct View {
    const Panel *panel;
    const int *source; /* rows of L */
    double *square;    /* S */
    double *below;     /* -B */
    int width;
} View;

static View view_of(const RowChange *change, int p) {
    const Panel *panel = &change->panels->panel[p];
    View view = {.panel = panel,
                 .source = change->panels->source + panel->list,
                 .square = change->value + panel->square,
                 .below = change->value + panel->below,
                 .width = panel->width};
    change->changed[p] = 1;
    return view;
}

/* Number (i, j) of S or of B: four rows of a column lie together. */
static double *number_at(double *numbers, int width, int i, int j) {
    return numbers + (size_t)(i / PANEL_ROWS) * (size_t)(PANEL_ROWS * width) +
           (size_t)(PANEL_ROWS * j + i % PANEL_ROWS);
}

/* out = S v, over whole groups. */
static void multiply_square(const View *view, const double *v, double *out) {
    const double *number = view->square;
    for (int i = 0; i < view->width; i += PANEL_ROWS) {
        double sum[PANEL_ROWS] = {0};
        for (int j = 0; j < view->width; ++j, number += PANEL_ROWS) {
            for (int r = 0; r < PANEL_ROWS; ++r) {
                sum[r] += number[r] * v[j];
            }
        }
        memcpy(out + i, sum, sizeof sum);
    }
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* S += scale * v v' */
static void add_to_square(const View *view, double scale, const double *v) {
    double *number = view->square;
    for (int i = 0; i < view->width; i += PANEL_ROWS) {
        for (int j = 0; j < view->width; ++j, number += PANEL_ROWS) {
            double factor = scale * v[j];
            for (int r = 0; r < PANEL_ROWS; ++r) {
                number[r] += factor * v[i + r];
            }
        }
    }
}

/* w = the rows of `work` - B v, then -B += scale * w s', then w back to `work`. */
static void change_below(const RowChange *change, const View *view, const double *v, double scale,
                         const double *s) {
    double *number = view->below;
    for (int i = 0; i < view->panel->count; i += PANEL_ROWS, number += PANEL_ROWS * view->width) {
        double w[PANEL_ROWS] = {0};
        for (int r = 0; r < PANEL_ROWS && i + r < view->panel->count; ++r) {
            w[r] = change->work[view->source[i + r]];
        }
        for (int j = 0; j < view->width; ++j) {
            for (int r = 0; r < PANEL_ROWS; ++r) {
                w[r] += number[PANEL_ROWS * j + r] * v[j];
            }
        }
        for (int r = 0; r < PANEL_ROWS && i + r < view->panel->count; ++r) {
            change->work[view->source[i + r]] = w[r];
            w[r] *= scale;
        }
        for (int j = 0; j < view->width; ++j) {
            for (int r = 0; r < PANEL_ROWS; ++r) {
                number[PANEL_ROWS * j + r] += w[r] * s[j];
            }
        }
    }
}

/* The panel's part of `work`, which is zero afterwards. */
static void take_own(const RowChange *change, const View *view, double v[PANEL_WIDTH]) {
    double *work = change->work + view->panel->column;
    size_t bytes = (size_t)view->width * sizeof *work;
    memset(v, 0, PANEL_WIDTH * sizeof *v);
    memcpy(v, work, bytes);
    memset(work, 0, bytes);
}

static void clear_below(const RowChange *change, int p) {
    for (; p >= 0; p = change->panels->panel[p].above) {
        const Panel *panel = &change->panels->panel[p];
        memset(change->work + panel->column, 0, (size_t)panel->width * sizeof *change->work);
    }
}

/* Carries `scale` times the square of `work` from panel p to the root. Returns 0 if a pivot is not positive. */
static int carry_up(const RowChange *change, int p, double scale) {
    for (; p >= 0; p = change->panels->panel[p].above) {
        View view = view_of(change, p);
        double v[PANEL_WIDTH], s[PANEL_WIDTH];
        take_own(change, &view, v);
        multiply_square(&view, v, s);
        double whole = 1.0 + scale * dot(v, s, view.width);
        if (!(whole > 0) || !isfinite(whole)) {
            clear_below(change, view.panel->above);
            return 0;
        }
        scale /= whole;
        add_to_square(&view, -scale, s);
        change_below(change, &view, v, -scale, s);
    }
    return 1;
}

/* --- the row below its own panel -------------------------------------------------------------- */

/* Panels that have this row, in the order of L. */
static int find_reaching(const RowChange *change, int column) {
    const FactorPattern *pattern = change->pattern;
    const Matrix *matrix = pattern->matrix;
    const Panels *panels = change->panels;
    int count = 0, own = panels->owner[column], unknown = pattern->permutation[column];
    for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
        int j = pattern->inverse[matrix->column[q]];
        for (int p = panels->owner[j]; j < column && p != own; p = panels->panel[p].above) {
            int at = count;
            while (at > 0 && panels->panel[change->list[at - 1]].column > panels->panel[p].column) {
                --at;
            }
            if (at > 0 && change->list[at - 1] == p) {
                break; /* and all above it */
            }
            memmove(change->list + at + 1, change->list + at,
                    (size_t)(count - at) * sizeof *change->list);
            change->list[at] = p;
            ++count;
        }
    }
    return count;
}

static int find_row(const View *view, int row) {
    int low = 0, high = view->panel->count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (view->source[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* --- holding and releasing -------------------------------------------------------------------- */

int rowchange_hold(const RowChange *change, int column) {
    int count = find_reaching(change, column);
    for (int i = 0; i < count; ++i) {
        View view = view_of(change, change->list[i]);
        int row = find_row(&view, column);
        for (int j = 0; j < view.width; ++j) {
            *number_at(view.below, view.width, row, j) = 0;
        }
    }
    View view = view_of(change, change->panels->owner[column]);
    int c = column - view.panel->column, width = view.width;
    double s[PANEL_WIDTH] = {0}, none[PANEL_WIDTH] = {0};
    for (int i = 0; i < width; ++i) {
        s[i] = *number_at(view.square, width, i, c);
    }
    double pivot = s[c];
    for (int i = 0; i < view.panel->count;
         ++i) { /* B of the column: what the rest no longer loses */
        change->work[view.source[i]] = -*number_at(view.below, width, i, c);
    }
    add_to_square(&view, -1.0 / pivot, s);
    change_below(change, &view, none, 1.0 / pivot, s);
    for (int i = 0; i < width; ++i) {
        *number_at(view.square, width, i, c) = *number_at(view.square, width, c, i) = i == c;
    }
    for (int i = 0; i < view.panel->count; ++i) {
        *number_at(view.below, width, i, c) = 0;
    }
    return carry_up(change, view.panel->above, 1.0 / pivot);
}

/* The matrix's row of free unknowns into `work`, but for its diagonal, which is returned. */
static double load_row(const RowChange *change, int column) {
    const FactorPattern *pattern = change->pattern;
    const Matrix *matrix = pattern->matrix;
    int unknown = pattern->permutation[column];
    double diagonal = 0;
    for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
        int other = matrix->column[q];
        if (other == unknown) {
            diagonal = matrix->value[q];
        } else if (!change->held[other]) {
            change->work[pattern->inverse[other]] = matrix->value[q];
        }
    }
    return diagonal;
}

/* What a panel below gives to the row and to the rest of `work`; returns what the diagonal loses. */
static double enter_row(const RowChange *change, int p, int column) {
    View view = view_of(change, p);
    double v[PANEL_WIDTH], s[PANEL_WIDTH], none[PANEL_WIDTH] = {0};
    take_own(change, &view, v);
    multiply_square(&view, v, s);
    change_below(change, &view, v, 0.0, none);
    int row = find_row(&view, column);
    for (int j = 0; j < view.width; ++j) {
        *number_at(view.below, view.width, row, j) = -s[j];
    }
    return dot(v, s, view.width);
}

int rowchange_release(const RowChange *change, int column) {
    int count = find_reaching(change, column), p = change->panels->owner[column];
    double pivot = load_row(change, column);
    for (int i = 0; i < count; ++i) {
        pivot -= enter_row(change, change->list[i], column);
    }
    View view = view_of(change, p);
    int c = column - view.panel->column, width = view.width;
    double v[PANEL_WIDTH], s[PANEL_WIDTH];
    take_own(change, &view, v);
    v[c] = 0;
    multiply_square(&view, v, s);
    pivot -= dot(v, s, width);
    if (!(pivot > 0) || !isfinite(pivot)) {
        clear_below(change, p);
        return 0;
    }
    s[c] = -1;
    *number_at(view.square, width, c, c) = 0;
    add_to_square(&view, 1.0 / pivot, s);
    change_below(change, &view, v, 1.0 / pivot, s);
    return carry_up(change, view.panel->above, -1.0 / pivot);
}
