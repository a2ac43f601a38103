/* A sparse symmetric matrix, stored whole: row i holds its columns in ascending order.
 * Both halves are kept because every reader wants whole rows: the graph for orderings, a row for
 * a row change, a product in parallel. CHOLMOD itself looks at one half only. */
#ifndef LINEAR_MATRIX_H
#define LINEAR_MATRIX_H

#include "base/invariant.h"
#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"

typedef struct Matrix {
    int size;
    int *start;        /* size + 1 */
    int *column;       /* start[size] */
    double *value;     /* likewise */
    const Vec3 *place; /* of each unknown in space, for a dissection; may be null */
} Matrix;

/* Vertex groups that know each other: `count` groups of `width` vertices each. */
typedef struct Stencils {
    int count, width;
    const int *vertices;
} Stencils;

/* The pattern in which all vertices of a group are coupled, and every diagonal. Values are zero. */
StatusCode matrix_pattern(int size, const Stencils *lists, int list_count, Store *store,
                          Matrix *matrix, Status *status);

/* Where (row, column) is stored. An entry that is not in the pattern gets the place of another in its row. No
 * branches: which way a search goes cannot be foretold. */
static inline int matrix_slot(const Matrix *matrix, int row, int column) {
    int low = matrix->start[row], count = matrix->start[row + 1] - low;
    while (count > 1) {
        int half = count / 2;
        low = matrix->column[low + half] <= column ? low + half : low;
        count -= half;
    }
    return low;
}

static inline void matrix_add(Matrix *matrix, int row, int column, double value) {
    int slot = matrix_slot(matrix, row, column);
    INVARIANT(row >= 0 && row < matrix->size && matrix->column[slot] == column);
    matrix->value[slot] += value;
}

/* y = A x for three right-hand sides at once. */
void matrix_multiply(const Matrix *matrix, Pool *pool, const Vec3 *x, Vec3 *y);

#endif
