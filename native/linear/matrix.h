/* A sparse symmetric matrix, stored whole: row i holds its columns in ascending order.
 * Both halves are kept because every reader wants whole rows: the graph for orderings, a row for
 * a row change, a product in parallel. CHOLMOD itself looks at one half only. */
#pragma once

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
 * branches: the direction of a search is unpredictable. */
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

/* --- of 3 x 3 blocks -------------------------------------------------------------------------- */

/* A sparse matrix of 3 x 3 blocks on the pattern of a scalar one, for the conventional solver. */

typedef struct Block {
    double m[9]; /* row by row */
} Block;

typedef struct BlockMatrix {
    const Matrix *pattern; /* its indices; its values are not used */
    Block *block;          /* one for each stored entry */
} BlockMatrix;

static inline void block_add(Block *to, double scale, const Block *from) {
    for (int i = 0; i < 9; ++i) {
        to->m[i] += scale * from->m[i];
    }
}

static inline void block_add_diagonal(Block *to, double value) {
    to->m[0] += value;
    to->m[4] += value;
    to->m[8] += value;
}

/* to += scale a b' */
static inline void block_add_outer(Block *to, double scale, Vec3 a, Vec3 b) {
    const double p[3] = {scale * a.x, scale * a.y, scale * a.z}, q[3] = {b.x, b.y, b.z};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            to->m[3 * i + j] += p[i] * q[j];
        }
    }
}

static inline Vec3 block_times(const Block *b, Vec3 v) {
    return vec3(b->m[0] * v.x + b->m[1] * v.y + b->m[2] * v.z,
                b->m[3] * v.x + b->m[4] * v.y + b->m[5] * v.z,
                b->m[6] * v.x + b->m[7] * v.y + b->m[8] * v.z);
}

/* Row i of the product with x. */
static inline Vec3 block_matrix_row(const BlockMatrix *matrix, int i, const Vec3 *x) {
    const Matrix *pattern = matrix->pattern;
    Vec3 sum = vec3(0, 0, 0);
    for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
        sum = vec3_add(sum, block_times(&matrix->block[p], x[pattern->column[p]]));
    }
    return sum;
}

/* The inverse of a symmetric positive definite block; the identity's scale if it is singular. */
Block block_inverse(const Block *block);

/* The block without what couples the first coordinate to the others. */
static inline void block_part_first(Block *block) {
    block->m[1] = block->m[2] = block->m[3] = block->m[6] = 0;
}
