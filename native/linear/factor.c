#include "linear/factor.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timing.h"
#include "linear/pack.h"

/* Row updates win over a new factorisation up to 6 % of 1,200 unknowns and 2 % of 20,000, measured by
 * tools/bench paper (pin update): this stays on the winning side. */
#define UPDATE_SHARE 0.02
#define UPDATE_LEAST 16
/* Largest relative error of a trial with which single precision is taken: far below what a round of the solver
 * leaves anyway, and the next round sees it. */
#define SINGLE_ERROR 1e-3
/* Unknowns below which it is not tried: such a factor stays in the cache, a solve takes some 0.1 ms at most, and a
 * swing that magnifies rounding is as exact as its input. */
#define SINGLE_LEAST 1000

struct Factor {
    const Matrix *matrix;
    Fold fold;
    int folded; /* 0: there is none */
    cholmod_common common;
    cholmod_factor *analysis; /* symbolic only: every numeric factor starts as a copy of it */
    cholmod_factor *numeric;
    int *permutation, *inverse;
    uint8_t *held;       /* as the numeric factor has it */
    int updated;         /* by rows, since the numeric factor was computed */
    Precision precision; /* as asked for */
    Solve solve;
    Store panels, numbers; /* of the solve: once for all, and for one precision */
    Vec3 *trial, *answer, *residual;
    FactorReport report;
};

static StatusCode cholmod_trouble(Factor *factor, const char *doing, Status *status) {
    if (factor->common.status == CHOLMOD_OUT_OF_MEMORY ||
        factor->common.status == CHOLMOD_TOO_LARGE) {
        return status_no_memory(status, doing);
    }
    return status_set(status, STATUS_ERROR_MATRIX, "CHOLMOD failed while %s (its status %d)", doing,
                      factor->common.status);
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

/* Analyses the matrix under factor->permutation. */
static StatusCode analyse(Factor *factor, Status *status) {
    double begin = timing_now();
    cholmod_sparse view = view_of(factor->matrix);
    factor->analysis = cholmod_analyze_p(&view, factor->permutation, NULL, 0, &factor->common);
    if (!factor->analysis) {
        return cholmod_trouble(factor, "analysing the matrix", status);
    }
    /* CHOLMOD may refine the order by a postorder of the elimination tree: same fill, better locality */
    memcpy(factor->permutation, factor->analysis->Perm, (size_t)factor->matrix->size * sizeof(int));
    for (int k = 0; k < factor->matrix->size; ++k) {
        factor->inverse[factor->permutation[k]] = k;
    }
    factor->report.factor_nonzeros = (int64_t)factor->common.lnz;
    factor->report.flops = factor->common.fl;
    factor->report.analysis_seconds = timing_now() - begin;
    ++factor->report.analysis_count;
    return STATUS_OK;
}

static void start_cholmod(cholmod_common *common) {
    cholmod_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->final_ll = 0; /* row updates need L D L' */
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 1;
}

/* Everything but the order and the analysis. */
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
    start_cholmod(&factor->common);
    size_t size = (size_t)matrix->size;
    factor->permutation = SCRATCH_ARRAY(int, size);
    factor->inverse = SCRATCH_ARRAY(int, size);
    factor->held = SCRATCH_ARRAY(uint8_t, size);
    factor->solve.permutation = SCRATCH_ARRAY(int, size);
    factor->trial = SCRATCH_ARRAY(Vec3, size);
    factor->answer = SCRATCH_ARRAY(Vec3, size);
    factor->residual = SCRATCH_ARRAY(Vec3, size);
    factor->solve.size = matrix->size;
    if (!factor->permutation || !factor->inverse || !factor->held || !factor->solve.permutation ||
        !factor->trial || !factor->answer || !factor->residual) {
        status_no_memory(status, "the factor");
        factor_destroy(factor);
        return NULL;
    }
    return factor;
}

/* The factor if its analysis works, else null. */
static Factor *analysed(Factor *factor, Status *status) {
    if (analyse(factor, status) != STATUS_OK) {
        factor_destroy(factor);
        return NULL;
    }
    return factor;
}

/* The order of what a fold leaves, by a postorder of its elimination tree: with the fold's unknowns behind it, the
 * whole is one too, and CHOLMOD must not mix them up. */
static StatusCode order_folded(Factor *factor, Status *status) {
    Store store = {0};
    Matrix rest;
    StatusCode code = fold_order(&factor->fold, factor->report.ordering, factor->matrix, &store,
                                 &rest, factor->permutation, status);
    if (code == STATUS_OK && rest.size > 0) {
        cholmod_sparse view = view_of(&rest);
        cholmod_factor *analysis =
            cholmod_analyze_p(&view, factor->permutation, NULL, 0, &factor->common);
        if (analysis) {
            memcpy(factor->permutation, analysis->Perm, (size_t)rest.size * sizeof(int));
        } else {
            code = cholmod_trouble(factor, "analysing the matrix", status);
        }
        cholmod_free_factor(&analysis, &factor->common);
    }
    store_release(&store);
    fold_finish(&factor->fold, factor->matrix, factor->permutation);
    factor->common.postorder = 0;
    return code;
}

Factor *factor_create(const Matrix *matrix, const Fold *fold, Ordering ordering,
                      Precision precision, Status *status) {
    Factor *factor = allocate(matrix, fold, precision, status);
    if (!factor) {
        return NULL;
    }
    double begin = timing_now();
    factor->report.ordering = ordering_resolve(ordering, matrix->size);
    StatusCode code = factor->folded ? order_folded(factor, status)
                                     : ordering_find(factor->report.ordering, matrix,
                                                     factor->permutation, status);
    if (code != STATUS_OK) {
        factor_destroy(factor);
        return NULL;
    }
    factor->report.ordering_seconds = timing_now() - begin;
    return analysed(factor, status);
}

Factor *factor_create_like(const Factor *other, const Matrix *matrix, Status *status) {
    Factor *factor = allocate(matrix, NULL, other->precision, status);
    if (!factor) {
        return NULL;
    }
    factor->report.ordering = other->report.ordering;
    memcpy(factor->permutation, other->permutation, (size_t)matrix->size * sizeof(int));
    return analysed(factor, status);
}

void factor_destroy(Factor *factor) {
    if (!factor) {
        return;
    }
    cholmod_free_factor(&factor->numeric, &factor->common);
    cholmod_free_factor(&factor->analysis, &factor->common);
    cholmod_finish(&factor->common);
    free(factor->permutation);
    free(factor->inverse);
    free(factor->held);
    free(factor->solve.permutation);
    free(factor->trial);
    free(factor->answer);
    free(factor->residual);
    store_release(&factor->panels);
    store_release(&factor->numbers);
    free(factor);
}

/* --- packing ---------------------------------------------------------------------------------- */

static FactorPattern pattern_of(const cholmod_factor *numeric) {
    return (FactorPattern){(int)numeric->n, numeric->p, numeric->nz, numeric->i};
}

static StatusCode check_pivots(Factor *factor, Status *status) {
    const cholmod_factor *numeric = factor->numeric;
    const int *start = numeric->p, *count = numeric->nz;
    const double *value = numeric->x;
    int64_t entries = 0;
    for (int j = 0; j < factor->matrix->size; ++j) {
        double pivot = value[start[j]];
        if (!(pivot > 0) || !isfinite(pivot)) {
            return status_set(status, STATUS_ERROR_MATRIX,
                              "the system matrix is not positive definite at vertex %d (pivot %g)",
                              factor->permutation[j], pivot);
        }
        entries += count[j];
    }
    factor->report.factor_nonzeros = entries;
    return STATUS_OK;
}

/* Panels of the whole pattern, which a factorisation has and row updates never leave. */
static StatusCode build_panels(Factor *factor, Status *status) {
    FactorPattern pattern = pattern_of(factor->numeric);
    Solve *solve = &factor->solve;
    int late = solve->size - fold_last(&factor->fold, solve->size);
    StatusCode code = panels_build(&solve->panels, &pattern, late, &factor->panels, status);
    if (code != STATUS_OK) {
        store_release(&factor->panels);
        solve->panels = (Panels){0};
        return code;
    }
    for (int k = 0; k < solve->size; ++k) {
        solve->permutation[k] = factor->permutation[solve->panels.column[k]];
    }
    return STATUS_OK;
}

static StatusCode pack_in(Factor *factor, Precision precision, Status *status) {
    Solve *solve = &factor->solve;
    StatusCode code = STATUS_OK;
    if (!solve->value || solve->precision != precision) {
        store_release(&factor->numbers);
        solve->side = factor->fold.side_count;
        code = pack_reserve(solve, precision, &factor->numbers, status);
    }
    FactorNumbers numbers = {pattern_of(factor->numeric), factor->numeric->x};
    if (code == STATUS_OK) {
        code = pack_factor(solve, &numbers, status);
        if (code == STATUS_OK && factor->folded) {
            code = pack_fold(solve, &numbers, &factor->fold, factor->held, status);
        }
    } else {
        store_release(&factor->numbers);
        solve->value = NULL;
    }
    return code;
}

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

/* The relative error of the worst of the three in the norm of the matrix, sqrt(x'Ax), told by the step of
 * refinement that would mend it: a round of the solver lowers an energy of this shape, and falls short by so
 * much. Neither the residual nor the plain difference tells that: rounding x, or what is left of large sums, makes
 * one or the other large in stiff cloth where the energy does not notice. */
static double try_solve(Factor *factor) {
    Vec3 *b = factor->trial, *x = factor->answer, *residual = factor->residual;
    Vec3 whole = {0}, mended = {0};
    if (load_trial(factor) == 0) {
        return 0;
    }
    solve_apply(&factor->solve, NULL, b, x);
    find_residual(factor, b, x, residual);
    for (int i = 0; i < factor->matrix->size; ++i) {
        whole = vec3_add(whole, vec3(x[i].x * b[i].x, x[i].y * b[i].y, x[i].z * b[i].z));
    }
    solve_apply(&factor->solve, NULL, residual, x);
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

Precision factor_precision(Precision asked, int size) {
    if (asked != PRECISION_AUTO) {
        return asked;
    }
    return size < SINGLE_LEAST ? PRECISION_DOUBLE : PRECISION_SINGLE;
}

/* `again`: the factor is a new one, and single precision may do where it did not for the last. */
static StatusCode pack(Factor *factor, int again, Status *status) {
    StatusCode code = check_pivots(factor, status);
    double begin = timing_now();
    Precision precision = factor_precision(factor->precision, factor->matrix->size);
    if (factor->precision == PRECISION_AUTO && !again && factor->solve.value) {
        precision = factor->solve.precision;
    }
    if (code == STATUS_OK && !factor->solve.panels.panel) {
        code = build_panels(factor, status);
    }
    if (code == STATUS_OK) {
        code = pack_in(factor, precision, status);
    }
    factor->report.trial_error = 0;
    if (code == STATUS_OK && factor->precision == PRECISION_AUTO && precision == PRECISION_SINGLE) {
        factor->report.trial_error = try_solve(factor);
        if (!(factor->report.trial_error <= SINGLE_ERROR)) {
            code = pack_in(factor, PRECISION_DOUBLE, status);
        }
    }
    factor->report.pack_seconds = timing_now() - begin;
    return code;
}

/* --- numeric work ----------------------------------------------------------------------------- */

/* Values with held rows and columns replaced by the identity. */
static void hold_values(const Matrix *matrix, const uint8_t *held, double *value) {
    for (int i = 0; i < matrix->size; ++i) {
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            int j = matrix->column[p];
            value[p] = held[i] || held[j] ? (i == j ? 1.0 : 0.0) : matrix->value[p];
        }
    }
}

StatusCode factor_compute(Factor *factor, const uint8_t *held, Status *status) {
    double begin = timing_now();
    const Matrix *matrix = factor->matrix;
    double *value = SCRATCH_ARRAY(double, matrix->start[matrix->size]);
    cholmod_free_factor(&factor->numeric, &factor->common);
    factor->numeric = value ? cholmod_copy_factor(factor->analysis, &factor->common) : NULL;
    if (!factor->numeric) {
        free(value);
        return status_no_memory(status, "the factor");
    }
    hold_values(matrix, held, value);
    cholmod_sparse view = view_of(matrix);
    view.x = value;
    int worked = cholmod_factorize(&view, factor->numeric, &factor->common);
    free(value);
    if (!worked || factor->common.status < CHOLMOD_OK) {
        return cholmod_trouble(factor, "factoring the matrix", status);
    }
    if (factor->numeric->minor < factor->numeric->n) {
        return status_set(status, STATUS_ERROR_MATRIX,
                          "the system matrix is not positive definite at vertex %d",
                          factor->permutation[factor->numeric->minor]);
    }
    memcpy(factor->held, held, (size_t)matrix->size);
    factor->updated = 0;
    StatusCode code = pack(factor, 1, status);
    factor->report.factor_seconds = timing_now() - begin;
    ++factor->report.factor_count;
    return code;
}

/* Column `unknown` of the matrix without held rows, in the factor's order. */
static cholmod_sparse *column_of(Factor *factor, int unknown, const uint8_t *held) {
    const Matrix *matrix = factor->matrix;
    int begin = matrix->start[unknown], end = matrix->start[unknown + 1];
    cholmod_sparse *column = cholmod_allocate_sparse((size_t)matrix->size, 1, (size_t)(end - begin),
                                                     0, 1, 0, CHOLMOD_REAL, &factor->common);
    if (!column) {
        return NULL;
    }
    int *row = column->i, *start = column->p, kept = 0;
    double *value = column->x;
    for (int p = begin; p < end; ++p) {
        if (!held[matrix->column[p]]) {
            row[kept] = factor->inverse[matrix->column[p]];
            value[kept++] = matrix->value[p];
        }
    }
    start[0] = 0;
    start[1] = kept;
    cholmod_sort(column, &factor->common);
    return column;
}

static int release_row(Factor *factor, int unknown) {
    factor->held[unknown] = 0;
    cholmod_sparse *column = column_of(factor, unknown, factor->held);
    int worked = column && cholmod_rowadd((size_t)factor->inverse[unknown], column, factor->numeric,
                                          &factor->common);
    cholmod_free_sparse(&column, &factor->common);
    return worked;
}

static int hold_row(Factor *factor, int unknown) {
    factor->held[unknown] = 1;
    return cholmod_rowdel((size_t)factor->inverse[unknown], NULL, factor->numeric, &factor->common);
}

StatusCode factor_update_rows(Factor *factor, const uint8_t *held, Status *status) {
    double begin = timing_now();
    for (int v = 0; v < factor->matrix->size; ++v) {
        if ((held[v] != 0) == (factor->held[v] != 0)) {
            continue;
        }
        int worked = held[v] ? hold_row(factor, v) : release_row(factor, v);
        if (!worked || factor->common.status < CHOLMOD_OK) {
            return cholmod_trouble(factor, "updating the factor", status);
        }
        ++factor->report.row_update_count;
        factor->updated = 1;
    }
    StatusCode code = pack(factor, 0, status);
    factor->report.factor_seconds = timing_now() - begin;
    return code;
}

StatusCode factor_hold(Factor *factor, const uint8_t *held, Status *status) {
    int changed = 0;
    for (int v = 0; v < factor->matrix->size; ++v) {
        changed += (held[v] != 0) != (factor->held[v] != 0);
    }
    if (changed == 0) {
        return STATUS_OK;
    }
    double limit = fmax(UPDATE_LEAST, UPDATE_SHARE * factor->matrix->size);
    if (changed > limit || !factor->numeric) {
        return factor_compute(factor, held, status);
    }
    /* an update that fails leaves the factor half changed: factor anew, and only then give up */
    if (factor_update_rows(factor, held, status) == STATUS_OK) {
        return STATUS_OK;
    }
    return factor_compute(factor, held, status);
}

int factor_is_updated(const Factor *factor) { return factor->updated; }

const Solve *factor_solve(const Factor *factor) { return &factor->solve; }

void factor_solve_refined(const Factor *factor, Pool *pool, const Vec3 *b, Vec3 *x) {
    solve_apply(&factor->solve, pool, b, x);
    find_residual(factor, b, x, factor->residual);
    solve_apply(&factor->solve, pool, factor->residual, factor->residual);
    for (int i = 0; i < factor->matrix->size; ++i) {
        x[i] = vec3_add(x[i], factor->residual[i]);
    }
}

void factor_solve_exactly(const Factor *factor, const Vec3 *b, Vec3 *x) {
    FactorPattern pattern = pattern_of(factor->numeric);
    const double *value = factor->numeric->x;
    Vec3 *y = factor->answer;
    for (int k = 0; k < pattern.size; ++k) {
        y[k] = b[factor->permutation[k]];
    }
    for (int j = 0; j < pattern.size; ++j) {
        for (int p = pattern.start[j] + 1; p < pattern.start[j] + pattern.count[j]; ++p) {
            y[pattern.row[p]] = vec3_madd(y[pattern.row[p]], -value[p], y[j]);
        }
    }
    for (int j = pattern.size - 1; j >= 0; --j) {
        Vec3 sum = vec3_scale(1.0 / value[pattern.start[j]], y[j]);
        for (int p = pattern.start[j] + 1; p < pattern.start[j] + pattern.count[j]; ++p) {
            sum = vec3_madd(sum, -value[p], y[pattern.row[p]]);
        }
        y[j] = sum;
    }
    for (int k = 0; k < pattern.size; ++k) {
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
    report->bytes = factor->common.memory_inuse + factor->panels.bytes + factor->numbers.bytes +
                    (size_t)factor->matrix->size * (3 * sizeof(int) + 3 * sizeof(Vec3) + 1);
}
