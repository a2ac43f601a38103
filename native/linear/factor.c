#include "linear/factor.h"

#include <cholmod.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/timing.h"

/* Row updates win over a new factorisation up to 6 % of 1,200 unknowns and 2 % of 20,000, measured by
 * tools/bench paper (pin update): this stays on the winning side. */
#define UPDATE_SHARE 0.02
#define UPDATE_LEAST 16

struct Factor {
    const Matrix *matrix;
    cholmod_common common;
    cholmod_factor *analysis; /* symbolic only: every numeric factor starts as a copy of it */
    cholmod_factor *numeric;
    int *permutation, *inverse;
    uint8_t *held; /* as the numeric factor has it */
    int updated;   /* by rows, since the numeric factor was computed */
    Solve solve;
    int64_t capacity; /* of solve.row and solve.value */
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
static Factor *allocate(const Matrix *matrix, Status *status) {
    Factor *factor = calloc(1, sizeof *factor);
    if (!factor) {
        status_no_memory(status, "the factor");
        return NULL;
    }
    factor->matrix = matrix;
    start_cholmod(&factor->common);
    size_t size = (size_t)matrix->size;
    factor->permutation = SCRATCH_ARRAY(int, size);
    factor->inverse = SCRATCH_ARRAY(int, size);
    factor->held = SCRATCH_ARRAY(uint8_t, size);
    factor->solve.start = SCRATCH_ARRAY(int, size + 1);
    factor->solve.inverse_pivot = SCRATCH_ARRAY(double, size);
    factor->solve.work = SCRATCH_ARRAY(Vec3, size);
    factor->solve.size = matrix->size;
    factor->solve.permutation = factor->permutation;
    if (!factor->permutation || !factor->inverse || !factor->held || !factor->solve.start ||
        !factor->solve.inverse_pivot || !factor->solve.work) {
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

Factor *factor_create(const Matrix *matrix, Ordering ordering, Status *status) {
    Factor *factor = allocate(matrix, status);
    if (!factor) {
        return NULL;
    }
    double begin = timing_now();
    factor->report.ordering = ordering_resolve(ordering, matrix->size);
    if (ordering_find(factor->report.ordering, matrix, factor->permutation, status) != STATUS_OK) {
        factor_destroy(factor);
        return NULL;
    }
    factor->report.ordering_seconds = timing_now() - begin;
    return analysed(factor, status);
}

Factor *factor_create_like(const Factor *other, const Matrix *matrix, Status *status) {
    Factor *factor = allocate(matrix, status);
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
    free(factor->solve.start);
    free(factor->solve.row);
    free(factor->solve.value);
    free(factor->solve.inverse_pivot);
    free(factor->solve.work);
    free(factor);
}

/* --- packing ---------------------------------------------------------------------------------- */

static StatusCode reserve(Factor *factor, int64_t entries, Status *status) {
    if (entries <= factor->capacity) {
        return STATUS_OK;
    }
    free(factor->solve.row);
    free(factor->solve.value);
    factor->solve.row = SCRATCH_ARRAY(int, entries);
    factor->solve.value = SCRATCH_ARRAY(double, entries);
    factor->capacity = factor->solve.row && factor->solve.value ? entries : 0;
    return factor->capacity == entries ? STATUS_OK : status_no_memory(status, "the packed factor");
}

/* Copies L's columns; the first entry of each is the pivot D. */
static StatusCode pack(Factor *factor, Status *status) {
    const cholmod_factor *numeric = factor->numeric;
    const int *start = numeric->p, *count = numeric->nz, *row = numeric->i;
    const double *value = numeric->x;
    int size = factor->matrix->size;
    int64_t entries = 0;
    for (int j = 0; j < size; ++j) {
        entries += count[j] - 1;
    }
    if (reserve(factor, entries, status) != STATUS_OK) {
        return status->code;
    }
    Solve *solve = &factor->solve;
    int at = 0;
    for (int j = 0; j < size; ++j) {
        double pivot = value[start[j]];
        if (!(pivot > 0) || !isfinite(pivot)) {
            return status_set(status, STATUS_ERROR_MATRIX,
                              "the system matrix is not positive definite at vertex %d (pivot %g)",
                              factor->permutation[j], pivot);
        }
        solve->inverse_pivot[j] = 1.0 / pivot;
        solve->start[j] = at;
        size_t length = (size_t)(count[j] - 1);
        memcpy(solve->row + at, row + start[j] + 1, length * sizeof(int));
        memcpy(solve->value + at, value + start[j] + 1, length * sizeof(double));
        at += (int)length;
    }
    solve->start[size] = at;
    factor->report.factor_nonzeros = entries + size;
    return STATUS_OK;
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
    StatusCode code = pack(factor, status);
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
    StatusCode code = pack(factor, status);
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

void factor_report(const Factor *factor, FactorReport *report) {
    *report = factor->report;
    report->bytes =
        factor->common.memory_inuse + (size_t)factor->capacity * (sizeof(int) + sizeof(double)) +
        (size_t)factor->matrix->size * (3 * sizeof(int) + sizeof(double) + sizeof(Vec3));
}
