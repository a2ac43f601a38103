/* The only file that includes CHOLMOD, which does the analysis; factorisation, updates and solves are our own. */
#include "linear/factor.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "base/memory.h"
#include "linear/numeric.h"

/* Row updates win over a new factorisation up to 6 % of 1,200 unknowns and 2 % of 20,000, measured by
 * tools/bench paper (pin update): this stays on the winning side. */
#define UPDATE_SHARE 0.02
#define UPDATE_LEAST 16
/* Largest relative error of a trial with which single precision is taken: far below what an iteration of the solver
 * leaves anyway, and the next one sees it. */
#define SINGLE_ERROR 1e-3
/* Of the last trial with which a few rows may change without another. */
#define SAFE_ERROR (SINGLE_ERROR / 4)
/* Unknowns of the largest component below which it is not tried: such a factor stays in the cache, and a solve takes
 * some 0.1 ms at most. Swinging cloth, which magnifies rounding, keeps double precision then. */
#define SINGLE_LEAST 1000

/* A set of numbers that is not in use: those of one matrix, and what the solve has of them. */
typedef struct NumberSet {
    Store exact, numbers;
    double *value;
    bool computed, unfinished;
    int updated;
    double trial_error;
    Solve solve;
} NumberSet;

struct Factor {
    const Matrix *matrix;
    Fold fold;
    bool folded; /* else there is no fold */
    int largest; /* unknowns of the largest component, where nothing is folded; else all */
    Pool *pool;  /* for the numeric work; may be null */
    int *permutation, *inverse, *count;
    FactorPattern pattern;
    Fronts fronts;
    int set;                     /* in use: all that follows is of it */
    NumberSet kept[FACTOR_SETS]; /* the others */
    uint8_t *held;               /* as the numbers have it; the sets' lie one after the other */
    bool computed;               /* the numbers are those of a matrix */
    bool unfinished;             /* but there was no memory for what follows from them */
    int updated;                 /* by rows, since the numbers were computed */
    Precision precision;         /* as requested */
    double *value;               /* S and -B of all panels */
    Solve solve;
    Store shape, exact, numbers; /* for the pattern, for `value`, for the solve in one precision */
    double *work;                /* for row updates */
    int *list;
    uint8_t *awake_panel, *awake_task; /* see factor_restrict_to() */
    uint8_t *changed;
    Vec3 *trial, *answer, *residual;
    FactorReport report;
};

static StatusCode cholmod_failure(const cholmod_common *common, const char *doing, Status *status) {
    if (common->status == CHOLMOD_OUT_OF_MEMORY || common->status == CHOLMOD_TOO_LARGE) {
        return status_no_memory(status, doing);
    }
    return status_set(status, STATUS_ERROR_MATRIX, "CHOLMOD failed while %s (its status %d)", doing,
                      common->status);
}

/* Borrowed view of the matrix: CHOLMOD reads the half on and above the diagonal of its columns. */
static cholmod_sparse view_of(const Matrix *matrix) {
    return (cholmod_sparse){.nrow = (size_t)matrix->size,
                            .ncol = (size_t)matrix->size,
                            .nzmax = (size_t)matrix->start[matrix->size],
                            .p = matrix->start,
                            .i = matrix->column,
                            .x = matrix->value,
                            .stype = 1,
                            .itype = CHOLMOD_INT,
                            .xtype = CHOLMOD_REAL,
                            .dtype = CHOLMOD_DOUBLE,
                            .sorted = 1,
                            .packed = 1};
}

/* Analyses the matrix under `permutation`, which gets a postorder of the elimination tree if `refine`: same fill,
 * better locality. `count` may be null. */
static StatusCode analyse(const Matrix *matrix, int refine, int *permutation, int *count,
                          FactorReport *report, Status *status) {
    StatusCode code = STATUS_OK;
    cholmod_common common;
    cholmod_start(&common);
    common.print = 0;
    common.supernodal = CHOLMOD_SIMPLICIAL;
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_GIVEN;
    common.postorder = refine;
    cholmod_sparse view = view_of(matrix);
    cholmod_factor *analysis = cholmod_analyze_p(&view, permutation, NULL, 0, &common);
    if (analysis) {
        memcpy(permutation, analysis->Perm, (size_t)matrix->size * sizeof(int));
        if (count) {
            memcpy(count, analysis->ColCount, (size_t)matrix->size * sizeof(int));
        }
        report->factor_nonzeros = (int64_t)common.lnz;
        report->flops = common.fl;
    } else {
        code = cholmod_failure(&common, "analysing the matrix", status);
    }
    cholmod_free_factor(&analysis, &common);
    cholmod_finish(&common);
    return code;
}

/* Everything but the order and what follows from it. */
static Factor *allocate(const Matrix *matrix, const Fold *fold, Precision precision,
                        Status *status) {
    Factor *factor = calloc(1, sizeof *factor);
    if (!factor) {
        status_no_memory(status, "the factor");
        return NULL;
    }
    factor->matrix = matrix;
    factor->folded = fold && fold_last(fold, matrix->size) > 0;
    factor->fold = factor->folded ? *fold : (Fold){.held_from = matrix->size};
    factor->precision = precision;
    Store *shape = &factor->shape;
    int size = matrix->size;
    factor->permutation = STORE_ARRAY(shape, int, size);
    factor->inverse = STORE_ARRAY(shape, int, size);
    factor->count = STORE_ARRAY(shape, int, size);
    factor->held = STORE_ARRAY(shape, uint8_t, FACTOR_SETS * (size_t)size);
    factor->solve.permutation = STORE_ARRAY(shape, int, size);
    factor->trial = STORE_ARRAY(shape, Vec3, size);
    factor->answer = STORE_ARRAY(shape, Vec3, size);
    factor->residual = STORE_ARRAY(shape, Vec3, size);
    factor->work = STORE_ARRAY(shape, double, size);
    factor->solve.size = size;
    if (shape->failed) {
        status_no_memory(status, "the factor");
        factor_destroy(factor);
        return NULL;
    }
    return factor;
}

static bool are_inverse(int size, const int *permutation, const int *inverse) {
    for (int k = 0; k < size; ++k) {
        if (permutation[k] < 0 || permutation[k] >= size || inverse[permutation[k]] != k) {
            return false;
        }
    }
    return true;
}

/* Unknowns of the largest component: a tree of panels. Returns false without memory. */
static bool find_largest(Factor *factor) {
    const Panels *panels = &factor->solve.panels;
    Store scratch = {0};
    int *root = STORE_ARRAY(&scratch, int, panels->count);
    int *columns = STORE_ARRAY(&scratch, int, panels->count); /* of the tree below a root */
    bool done = !scratch.failed;
    factor->largest = 0;
    for (int p = panels->count - 1; p >= 0 && done; --p) { /* roots come last */
        int above = panels->panel[p].above;
        root[p] = above < 0 ? p : root[above];
        columns[root[p]] += panels->panel[p].width;
        factor->largest = columns[root[p]] > factor->largest ? columns[root[p]] : factor->largest;
    }
    store_release(&scratch);
    return done;
}

/* Counts of the columns, panels and fronts for the order that there is. */
static StatusCode take_shape(Factor *factor, Status *status) {
    double begin = timing_now();
    Panels *panels = &factor->solve.panels;
    int size = factor->matrix->size;
    StatusCode code = analyse(factor->matrix, !factor->folded, factor->permutation, factor->count,
                              &factor->report, status);
    if (code != STATUS_OK) {
        return code;
    }
    for (int k = 0; k < size; ++k) {
        factor->inverse[factor->permutation[k]] = k;
    }
    INVARIANT(are_inverse(size, factor->permutation, factor->inverse));
    factor->pattern = (FactorPattern){.matrix = factor->matrix,
                                      .permutation = factor->permutation,
                                      .inverse = factor->inverse,
                                      .count = factor->count};
    int late = size - fold_last(&factor->fold, size);
    code = panels_build(panels, &factor->pattern, late, &factor->shape, status);
    code = code ? code
                : fronts_build(&factor->fronts, panels, &factor->pattern, &factor->shape, status);
    if (code != STATUS_OK) {
        return code;
    }
    factor->list = STORE_ARRAY(&factor->shape, int, panels->count + 1);
    factor->changed = STORE_ARRAY(&factor->shape, uint8_t, panels->count);
    factor->awake_panel = STORE_ARRAY(&factor->shape, uint8_t, panels->count);
    factor->awake_task = STORE_ARRAY(&factor->shape, uint8_t, panels->task_count);
    if (factor->shape.failed) {
        return status_no_memory(status, "the factor");
    }
    for (int k = 0; k < size; ++k) {
        factor->solve.permutation[k] = factor->permutation[panels->column[k]];
    }
    if (factor->folded) {
        factor->largest = size;
    } else if (!find_largest(factor)) {
        return status_no_memory(status, "the factor");
    }
    factor->report.analysis_seconds = timing_now() - begin;
    ++factor->report.analysis_count;
    return STATUS_OK;
}

/* Room for the numbers, which is kept from one factorisation to the next. */
static StatusCode take_numbers(Factor *factor, Status *status) {
    const Panels *panels = &factor->solve.panels;
    if (factor->value) {
        return STATUS_OK;
    }
    factor->value = STORE_ARRAY(&factor->exact, double, panels->value_count);
    if (factor->exact.failed) {
        store_release(&factor->exact);
        factor->value = NULL;
        return status_no_memory(status, "the factor");
    }
    return STATUS_OK;
}

/* The order of what a fold leaves, by a postorder of its elimination tree: with the fold's unknowns behind it, the
 * whole is one too, and CHOLMOD must not mix them up. */
static StatusCode order_folded(Factor *factor, Status *status) {
    Store store = {0};
    Matrix rest = {0};
    StatusCode code = fold_order(&factor->fold, &factor->report.ordering, factor->matrix, &store,
                                 &rest, factor->permutation, status);
    if (code == STATUS_OK && rest.size > 0) {
        code = analyse(&rest, 1, factor->permutation, NULL, &factor->report, status);
    }
    store_release(&store);
    fold_finish(&factor->fold, factor->matrix, factor->permutation);
    return code;
}

Factor *factor_create(const Matrix *matrix, const Fold *fold, Ordering ordering,
                      Precision precision, Status *status) {
    Factor *factor = allocate(matrix, fold, precision, status);
    if (!factor) {
        return NULL;
    }
    double begin = timing_now();
    factor->report.ordering = ordering;
    StatusCode code = factor->folded ? order_folded(factor, status)
                                     : ordering_choose(&factor->report.ordering, matrix,
                                                       factor->permutation, status);
    factor->report.ordering_seconds = timing_now() - begin;
    code = code ? code : take_shape(factor, status);
    if (code != STATUS_OK) {
        factor_destroy(factor);
        return NULL;
    }
    return factor;
}

void factor_use_pool(Factor *factor, Pool *pool) { factor->pool = pool; }

void factor_destroy(Factor *factor) {
    if (!factor) {
        return;
    }
    factor_drop_others(factor);
    store_release(&factor->shape);
    store_release(&factor->exact);
    store_release(&factor->numbers);
    free(factor);
}

/* --- sets of numbers -------------------------------------------------------------------------- */

static NumberSet set_in_use(const Factor *factor) {
    return (NumberSet){.exact = factor->exact,
                       .numbers = factor->numbers,
                       .value = factor->value,
                       .computed = factor->computed,
                       .unfinished = factor->unfinished,
                       .updated = factor->updated,
                       .trial_error = factor->report.trial_error,
                       .solve = factor->solve};
}

/* The shape of the solve and the unknowns that it is asked for stay as they are. */
static void take_set(Factor *factor, const NumberSet *set) {
    Solve *solve = &factor->solve;
    factor->exact = set->exact;
    factor->numbers = set->numbers;
    factor->value = set->value;
    factor->computed = set->computed;
    factor->unfinished = set->unfinished;
    factor->updated = set->updated;
    factor->report.trial_error = set->trial_error;
    solve->precision = set->solve.precision;
    solve->kernels = set->solve.kernels;
    solve->value = set->solve.value;
    solve->work = set->solve.work;
    solve->done = set->solve.done;
    solve->side = set->solve.side;
    solve->across = set->solve.across;
    solve->aside = set->solve.aside;
}

void factor_use_set(Factor *factor, int set) {
    if (set == factor->set) {
        return;
    }
    ptrdiff_t size = factor->matrix->size;
    factor->kept[factor->set] = set_in_use(factor);
    take_set(factor, &factor->kept[set]);
    factor->kept[set] = (NumberSet){0};
    factor->held += (set - factor->set) * size;
    factor->set = set;
}

bool factor_set_is_ready(const Factor *factor, int set, const uint8_t *held) {
    ptrdiff_t size = factor->matrix->size;
    NumberSet here = set == factor->set ? set_in_use(factor) : factor->kept[set];
    const uint8_t *own = factor->held + (set - factor->set) * size;
    return here.computed && !here.unfinished && !here.updated &&
           memcmp(own, held, (size_t)size) == 0;
}

void factor_drop_others(Factor *factor) {
    for (int s = 0; s < FACTOR_SETS; ++s) {
        store_release(&factor->kept[s].exact);
        store_release(&factor->kept[s].numbers);
        factor->kept[s] = (NumberSet){0};
    }
}

/* --- trial of single precision ---------------------------------------------------------------- */

/* b - A x, with held unknowns as rows and columns of the identity. */
static void find_residual(const Factor *factor, const Vec3 *b, const Vec3 *x, Vec3 *residual) {
    const Matrix *matrix = factor->matrix;
    const uint8_t *held = factor->held;
    for (int i = 0; i < matrix->size; ++i) {
        residual[i] = vec3_sub(b[i], held[i] ? x[i] : vec3(0, 0, 0));
        for (int p = matrix->start[i]; p < matrix->start[i + 1] && !held[i]; ++p) {
            int j = matrix->column[p];
            double value = held[j] ? 0.0 : matrix->value[p];
            residual[i] = vec3_madd(residual[i], -value, x[j]);
        }
    }
    const Fold *fold = &factor->fold;
    for (int s = 0; s < fold->side_count; ++s) {
        int i = fold->side[s];
        residual[i].x += held[i] ? 0.0 : fold->softer[i] * x[i].x;
    }
    for (int i = fold->held_from; i < matrix->size; ++i) {
        residual[i].x = 0;
    }
}

/* Three loads of the free unknowns: in proportion to the rows' sums, as the weight of cloth is; irregular; and
 * one of changing sign, which is the hardest, since the answer is what is left of large sums. Returns how many
 * are free. */
static int load_trial(Factor *factor) {
    const Matrix *matrix = factor->matrix;
    unsigned seed = 1;
    int free_count = 0;
    for (int i = 0; i < matrix->size; ++i) {
        double sum = 0;
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            sum += matrix->value[p];
        }
        seed = seed * 1664525u + 1013904223u;
        double irregular = (double)seed / 4294967296.0 - 0.5, sign = i % 2 ? 1 : -1;
        factor->trial[i] = factor->held[i] ? vec3(0, 0, 0) : vec3(sum, irregular, sign);
        factor->trial[i].x *= i < factor->fold.held_from;
        free_count += !factor->held[i];
    }
    return free_count;
}

/* The relative error of the worst of the three in the norm of the matrix, sqrt(x'Ax), estimated by the step of
 * refinement that would mend it: an iteration of the solver lowers an energy of this shape, and falls short by so
 * much. Neither the residual nor the plain difference tells that: rounding x, or what is left of large sums, makes
 * one or the other large in stiff cloth where the energy does not notice. */
static double try_solve(Factor *factor) {
    Vec3 *b = factor->trial, *x = factor->answer, *residual = factor->residual;
    Vec3 whole = {0}, mended = {0};
    if (load_trial(factor) == 0) {
        return 0;
    }
    solve_apply(&factor->solve, factor->pool, b, x);
    find_residual(factor, b, x, residual);
    for (int i = 0; i < factor->matrix->size; ++i) {
        whole = vec3_add(whole, vec3(x[i].x * b[i].x, x[i].y * b[i].y, x[i].z * b[i].z));
    }
    solve_apply(&factor->solve, factor->pool, residual, x);
    for (int i = 0; i < factor->matrix->size; ++i) {
        Vec3 r = residual[i];
        mended = vec3_add(mended, vec3(x[i].x * r.x, x[i].y * r.y, x[i].z * r.z));
    }
    const double part[3] = {mended.x / whole.x, mended.y / whole.y, mended.z / whole.z};
    double worst = 0;
    for (int k = 0; k < 3; ++k) {
        if (!isfinite(part[k])) { /* beyond the range of single precision: infinite, or all zero */
            return INFINITY;
        }
        worst = fabs(part[k]) > worst ? fabs(part[k]) : worst;
    }
    return sqrt(worst);
}

Precision factor_precision(Precision asked, int size, int folded) {
    if (asked != PRECISION_AUTO) {
        return asked;
    }
    return (folded ? 2 * size : size) < SINGLE_LEAST ? PRECISION_DOUBLE : PRECISION_SINGLE;
}

/* --- numeric work ----------------------------------------------------------------------------- */

/* Makes the solve one of this precision, without numbers yet where they are rounded. */
static StatusCode reserve(Factor *factor, Precision precision, Status *status) {
    Solve *solve = &factor->solve;
    if (solve->value && solve->precision == precision) {
        return STATUS_OK;
    }
    Solve before = *solve;
    Store numbers = {0};
    solve->side = factor->fold.side_count;
    StatusCode code = solve_reserve(solve, precision, factor->value, &numbers, status);
    if (code != STATUS_OK) { /* it is as it was */
        store_release(&numbers);
        *solve = before;
        return code;
    }
    store_release(&factor->numbers);
    factor->numbers = numbers;
    return STATUS_OK;
}

/* Once the numbers are there: what a fold needs beside them, and whether single precision is good enough. `again`:
 * the trial of a matrix that differs in a few rows may be left out. */
static StatusCode finish(Factor *factor, bool again, Status *status) {
    Solve *solve = &factor->solve;
    StatusCode code =
        factor->folded ? solve_take_fold(solve, factor->value, &factor->fold, factor->held, status)
                       : STATUS_OK;
    if (code != STATUS_OK || factor->precision != PRECISION_AUTO ||
        solve->precision != PRECISION_SINGLE ||
        (again && factor->report.trial_error <= SAFE_ERROR)) {
        return code;
    }
    factor->report.trial_error = try_solve(factor);
    if (factor->report.trial_error <= SINGLE_ERROR) {
        return STATUS_OK;
    }
    code = reserve(factor, PRECISION_DOUBLE, status);
    return code == STATUS_OK && factor->folded
               ? solve_take_fold(solve, factor->value, &factor->fold, factor->held, status)
               : code;
}

static StatusCode compute(Factor *factor, Status *status) {
    Precision precision = factor_precision(factor->precision, factor->largest, factor->folded);
    StatusCode code = take_numbers(factor, status);
    code = code ? code : reserve(factor, precision, status);
    if (code != STATUS_OK) {
        return code;
    }
    int failed, single = factor->solve.precision == PRECISION_SINGLE;
    const Numeric numeric = {.panels = &factor->solve.panels,
                             .fronts = &factor->fronts,
                             .pattern = &factor->pattern,
                             .held = factor->held,
                             .value = factor->value,
                             .single = single ? factor->solve.value : NULL};
    code = numeric_compute(&numeric, factor->pool, &failed, status);
    if (code == STATUS_OK && failed >= 0) {
        code = status_set(status, STATUS_ERROR_MATRIX,
                          "the system matrix is not positive definite at vertex %d",
                          factor->permutation[failed]);
    }
    return code;
}

StatusCode factor_compute(Factor *factor, const uint8_t *held, Status *status) {
    double begin = timing_now();
    memcpy(factor->held, held, (size_t)factor->matrix->size);
    factor->updated = factor->computed = 0;
    factor->report.trial_error = 0;
    StatusCode code = compute(factor, status);
    double packing = timing_now();
    code = code ? code : finish(factor, false, status);
    factor->computed = code == STATUS_OK;
    factor->unfinished = false;
    factor->report.factor_seconds = timing_now() - begin;
    factor->report.pack_seconds = timing_now() - packing;
    ++factor->report.factor_count;
    return code;
}

/* Rounds the numbers of the panels that have changed. */
static void round_changed(Factor *factor) {
    const Panels *panels = &factor->solve.panels;
    for (int p = 0; p < panels->count; ++p) {
        if (factor->changed[p] && factor->solve.precision == PRECISION_SINGLE) {
            numeric_round(panels, p, factor->value, factor->solve.value);
        }
        factor->changed[p] = 0;
    }
}

static int change_row(Factor *factor, int unknown, int hold) {
    const RowChange change = {.panels = &factor->solve.panels,
                              .pattern = &factor->pattern,
                              .held = factor->held,
                              .value = factor->value,
                              .work = factor->work,
                              .list = factor->list,
                              .changed = factor->changed};
    int column = factor->pattern.inverse[unknown];
    factor->held[unknown] = hold != 0;
    ++factor->report.row_update_count;
    factor->updated = 1;
    return hold ? rowchange_hold(&change, column) : rowchange_release(&change, column);
}

StatusCode factor_update_rows(Factor *factor, const uint8_t *held, Status *status) {
    double begin = timing_now();
    StatusCode code = STATUS_OK;
    for (int v = 0; v < factor->matrix->size && code == STATUS_OK; ++v) {
        if ((held[v] != 0) != (factor->held[v] != 0) && !change_row(factor, v, held[v])) {
            code =
                status_set(status, STATUS_ERROR_MATRIX,
                           "the system matrix is not positive definite without vertex %d held", v);
        }
    }
    double packing = timing_now();
    round_changed(factor);
    code = code ? code : finish(factor, true, status);
    factor->unfinished = code == STATUS_ERROR_MEMORY;
    factor->computed = code == STATUS_OK || factor->unfinished;
    factor->report.factor_seconds = timing_now() - begin;
    factor->report.pack_seconds = timing_now() - packing;
    return code;
}

StatusCode factor_hold(Factor *factor, const uint8_t *held, Status *status) {
    int changed = 0;
    for (int v = 0; v < factor->matrix->size; ++v) {
        changed += (held[v] != 0) != (factor->held[v] != 0);
    }
    if (!factor->computed) {
        return factor_compute(factor, held, status);
    }
    if (changed == 0 && !factor->unfinished) {
        return STATUS_OK;
    }
    double limit = fmax(UPDATE_LEAST, UPDATE_SHARE * factor->matrix->size);
    if (changed > limit) {
        return factor_compute(factor, held, status);
    }
    /* a matrix that is not definite leaves the factor half changed: factor anew, and only then give up */
    StatusCode code = factor_update_rows(factor, held, status);
    return code == STATUS_ERROR_MATRIX ? factor_compute(factor, held, status) : code;
}

bool factor_is_updated(const Factor *factor) { return factor->updated; }

void factor_restrict_to(Factor *factor, const uint8_t *marked) {
    Solve *solve = &factor->solve;
    const Panels *panels = &solve->panels;
    solve->awake_panel = marked ? factor->awake_panel : NULL;
    solve->awake_task = marked ? factor->awake_task : NULL;
    if (!marked) {
        return;
    }
    memset(factor->awake_panel, 0, (size_t)panels->count);
    for (int t = 0; t < panels->task_count; ++t) {
        uint8_t any = 0;
        for (int k = panels->task[t].column; k < panels->task[t].column_end; ++k) {
            uint8_t own = marked[solve->permutation[k]];
            factor->awake_panel[panels->owner[panels->column[k]]] |= own;
            any |= own;
        }
        factor->awake_task[t] = any;
    }
}

const Solve *factor_solve(const Factor *factor) { return &factor->solve; }

/* y of the rows -= B y of the panel's columns. */
static void forward_exactly(const Factor *factor, const Panel *panel, Vec3 *y) {
    const int *row = factor->solve.panels.source + panel->list;
    const double *number = factor->value + panel->below;
    for (int i = 0; i < panel->rows; i += PANEL_ROWS) {
        for (int j = 0; j < panel->width; ++j, number += PANEL_ROWS) {
            for (int r = 0; r < PANEL_ROWS && i + r < panel->count; ++r) {
                y[row[i + r]] = vec3_madd(y[row[i + r]], number[r], y[panel->column + j]);
            }
        }
    }
}

/* y of the columns = S y - B' y of the rows. */
static void backward_exactly(const Factor *factor, const Panel *panel, Vec3 *y) {
    const int *row = factor->solve.panels.source + panel->list;
    const double *number = factor->value + panel->square;
    Vec3 sum[PANEL_WIDTH] = {{0}};
    for (int i = 0; i < panel->width; i += PANEL_ROWS) {
        for (int j = 0; j < panel->width; ++j, number += PANEL_ROWS) {
            for (int r = 0; r < PANEL_ROWS && i + r < panel->width; ++r) {
                sum[j] = vec3_madd(sum[j], number[r], y[panel->column + i + r]);
            }
        }
    }
    number = factor->value + panel->below;
    for (int i = 0; i < panel->rows; i += PANEL_ROWS) {
        for (int j = 0; j < panel->width; ++j, number += PANEL_ROWS) {
            for (int r = 0; r < PANEL_ROWS && i + r < panel->count; ++r) {
                sum[j] = vec3_madd(sum[j], number[r], y[row[i + r]]);
            }
        }
    }
    memcpy(y + panel->column, sum, (size_t)panel->width * sizeof *sum);
}

void factor_solve_exactly(const Factor *factor, const Vec3 *b, Vec3 *x) {
    const Panels *panels = &factor->solve.panels;
    Vec3 *y = factor->answer;
    for (int k = 0; k < panels->size; ++k) {
        y[k] = b[factor->permutation[k]];
    }
    for (int p = 0; p < panels->count; ++p) {
        forward_exactly(factor, &panels->panel[p], y);
    }
    for (int p = panels->count - 1; p >= 0; --p) {
        backward_exactly(factor, &panels->panel[p], y);
    }
    for (int k = 0; k < panels->size; ++k) {
        x[factor->permutation[k]] = y[k];
    }
}

void factor_report(const Factor *factor, FactorReport *report) {
    const Panels *panels = &factor->solve.panels;
    size_t number = factor->solve.precision == PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    *report = factor->report;
    report->precision = factor->solve.precision;
    size_t side = (size_t)factor->fold.side_count;
    report->packed_bytes =
        (panels->value_count + side * side) * number + panels->list_count * sizeof(int);
    report->bytes = factor->shape.bytes + factor->exact.bytes + factor->numbers.bytes;
    for (int s = 0; s < FACTOR_SETS; ++s) {
        report->bytes += factor->kept[s].exact.bytes + factor->kept[s].numbers.bytes;
    }
}
