/* Patterns are built from lists of neighbours, then sorted by rows: each row is short. */
#include "linear/matrix.h"

#include <string.h>

#include "base/sort.h"

/* Drops repeats from row i and sorts it; returns what is left. `seen` has for each column the last row
 * with it. */
static int tidy_row(int i, int *row, int count, int *seen) {
    int kept = 0;
    for (int k = 0; k < count; ++k) {
        if (seen[row[k]] != i + 1) {
            seen[row[k]] = i + 1;
            row[kept++] = row[k];
        }
    }
    sort_ints(row, kept);
    return kept;
}

/* Visits every ordered pair of every group; with `fill` null it only counts. */
static void visit_pairs(const Stencils *lists, int list_count, size_t *end, int *fill) {
    for (int s = 0; s < list_count; ++s) {
        const Stencils *list = &lists[s];
        for (int e = 0; e < list->count; ++e) {
            const int *group = list->vertices + (size_t)e * (size_t)list->width;
            for (int i = 0; i < list->width; ++i) {
                for (int j = 0; j < list->width; ++j) {
                    if (i != j && fill) {
                        fill[end[group[i]]] = group[j];
                    }
                    end[group[i]] += i != j;
                }
            }
        }
    }
}

/* Raw rows with repeats: end[i] is first the count, then the running end of row i. */
static int *collect_rows(int size, const Stencils *lists, int list_count, size_t *begin,
                         size_t *end, Store *scratch) {
    visit_pairs(lists, list_count, end, NULL);
    size_t total = 0;
    for (int i = 0; i < size; ++i) {
        begin[i] = total;
        total += end[i] + 1;
    }
    int *raw = STORE_ARRAY(scratch, int, total);
    if (!raw) {
        return NULL;
    }
    for (int i = 0; i < size; ++i) {
        raw[begin[i]] = i;
        end[i] = begin[i] + 1;
    }
    visit_pairs(lists, list_count, end, raw);
    return raw;
}

static StatusCode copy_rows(int *raw, const size_t *begin, size_t *end, int *seen, Store *store,
                            Matrix *matrix, Status *status) {
    int size = matrix->size;
    int64_t total = 0;
    for (int i = 0; i < size; ++i) {
        int kept = tidy_row(i, raw + begin[i], (int)(end[i] - begin[i]), seen);
        end[i] = begin[i] + (size_t)kept;
        total += kept;
    }
    if (total > INT32_MAX) {
        return status_set(status, STATUS_ERROR_MESH, "the matrix would have %lld entries; too many",
                          (long long)total);
    }
    matrix->column = STORE_ARRAY(store, int, total);
    matrix->value = STORE_ARRAY(store, double, total);
    if (store->failed) {
        return status_no_memory(status, "the system matrix");
    }
    for (int i = 0; i < size; ++i) {
        size_t kept = end[i] - begin[i];
        memcpy(matrix->column + matrix->start[i], raw + begin[i], kept * sizeof *raw);
        matrix->start[i + 1] = matrix->start[i] + (int)kept;
    }
    return STATUS_OK;
}

/* Whether the columns of row i ascend, the diagonal is among them, and every other row that it names names it. */
static bool row_is_sound(const Matrix *matrix, int i) {
    int begin = matrix->start[i], end = matrix->start[i + 1], diagonals = 0;
    for (int p = begin; p < end; ++p) {
        int j = matrix->column[p];
        if (j < 0 || j >= matrix->size || (p > begin && matrix->column[p - 1] >= j) ||
            matrix->column[matrix_slot(matrix, j, i)] != i) {
            return false;
        }
        diagonals += j == i;
    }
    return diagonals == 1;
}

static bool pattern_is_sound(const Matrix *matrix) {
    bool sound = true;
    for (int i = 0; sound && i < matrix->size; ++i) {
        sound = row_is_sound(matrix, i);
    }
    return sound;
}

StatusCode matrix_pattern(int size, const Stencils *lists, int list_count, Store *store,
                          Matrix *matrix, Status *status) {
    matrix->size = size;
    matrix->place = NULL;
    matrix->start = STORE_ARRAY(store, int, size + 1);
    Store scratch = {0};
    size_t *begin = STORE_ARRAY(&scratch, size_t, size);
    size_t *end = STORE_ARRAY(&scratch, size_t, size);
    int *seen = STORE_ARRAY(&scratch, int, size);
    int *raw = scratch.failed ? NULL : collect_rows(size, lists, list_count, begin, end, &scratch);
    StatusCode code = raw && !store->failed
                          ? copy_rows(raw, begin, end, seen, store, matrix, status)
                          : status_no_memory(status, "the system matrix");
    store_release(&scratch);
    INVARIANT(code != STATUS_OK || pattern_is_sound(matrix));
    return code;
}

typedef struct Product {
    const Matrix *matrix;
    const Vec3 *x;
    Vec3 *y;
} Product;

static void multiply_rows(void *context, int begin, int end) {
    const Product *product = context;
    const Matrix *matrix = product->matrix;
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            sum = vec3_madd(sum, matrix->value[p], product->x[matrix->column[p]]);
        }
        product->y[i] = sum;
    }
}

void matrix_multiply(const Matrix *matrix, Pool *pool, const Vec3 *x, Vec3 *y) {
    Product product = {matrix, x, y};
    pool_run(pool, matrix->size, multiply_rows, &product);
}

Block block_inverse(const Block *block) {
    const double *m = block->m;
    double c0 = m[4] * m[8] - m[5] * m[7];
    double c1 = m[5] * m[6] - m[3] * m[8];
    double c2 = m[3] * m[7] - m[4] * m[6];
    double determinant = m[0] * c0 + m[1] * c1 + m[2] * c2;
    if (!(determinant > 0)) {
        double trace = m[0] + m[4] + m[8];
        double scale = trace > 0 ? 3.0 / trace : 1.0;
        return (Block){{scale, 0, 0, 0, scale, 0, 0, 0, scale}};
    }
    double s = 1.0 / determinant;
    return (Block){{s * c0, s * (m[2] * m[7] - m[1] * m[8]), s * (m[1] * m[5] - m[2] * m[4]),
                    s * c1, s * (m[0] * m[8] - m[2] * m[6]), s * (m[2] * m[3] - m[0] * m[5]),
                    s * c2, s * (m[1] * m[6] - m[0] * m[7]), s * (m[0] * m[4] - m[1] * m[3])}};
}
