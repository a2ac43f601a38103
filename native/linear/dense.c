/* Rows are padded to whole vectors, so that the dot products need no remainder. */
#include "linear/dense.h"

#include <math.h>

typedef double Lane __attribute__((vector_size(32), aligned(32)));
#define LANE 4 /* doubles in a Lane */

int dense_stride(int size) { return (size + LANE - 1) / LANE * LANE; }

static double lane_sum(Lane v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/* Dot product of two rows over the first `count` numbers, a multiple of the lane. */
static double dot(const double *a, const double *b, int count) {
    Lane sum = {0};
    for (int i = 0; i < count; i += LANE) {
        sum += *(const Lane *)(a + i) * *(const Lane *)(b + i);
    }
    return lane_sum(sum);
}

/* Four rows against four rows over `count` columns, a multiple of the lane: the tile that does most
 * of the work. */
static void dot_tile(const double *a, const double *b, int stride, int count, double out[4][4]) {
    Lane sum[4][4] = {{{0}}};
    for (int i = 0; i < count; i += LANE) {
        for (int r = 0; r < 4; ++r) {
            Lane va = *(const Lane *)(a + r * stride + i);
            for (int c = 0; c < 4; ++c) {
                sum[r][c] += va * *(const Lane *)(b + c * stride + i);
            }
        }
    }
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            out[r][c] = lane_sum(sum[r][c]);
        }
    }
}

/* Rows i..i+rows of the block column j..j+4, whose own diagonal tile is already factored. */
static void finish_tile(double *a, int stride, int i, int rows, int j, int columns,
                        const double tile[4][4]) {
    for (int r = 0; r < rows; ++r) {
        double *row = a + (i + r) * stride;
        for (int c = 0; c < columns; ++c) {
            const double *pivot = a + (j + c) * stride;
            double value = row[j + c] - tile[r][c];
            for (int k = 0; k < c; ++k) {
                value -= row[j + k] * pivot[j + k];
            }
            row[j + c] = value / pivot[j + c];
        }
    }
}

/* The diagonal tile: rows j..j+columns against themselves. */
static int factor_tile(double *a, int stride, int j, int columns) {
    for (int c = 0; c < columns; ++c) {
        double *row = a + (j + c) * stride;
        for (int k = 0; k <= c; ++k) {
            double value = row[j + k] - dot(row, a + (j + k) * stride, j);
            for (int m = 0; m < k; ++m) {
                value -= row[j + m] * a[(j + k) * stride + j + m];
            }
            if (k < c) {
                row[j + k] = value / a[(j + k) * stride + j + k];
            } else if (value > 0 && isfinite(value)) {
                row[j + k] = sqrt(value);
            } else {
                return 0;
            }
        }
    }
    return 1;
}

bool dense_factor(double *a, int size) {
    int stride = dense_stride(size);
    for (int j = 0; j < size; j += 4) {
        int columns = size - j < 4 ? size - j : 4;
        if (!factor_tile(a, stride, j, columns)) {
            return false;
        }
        int i = j + columns;
        double tile[4][4];
        for (; i + 4 <= size && columns == 4; i += 4) {
            dot_tile(a + i * stride, a + j * stride, stride, j, tile);
            finish_tile(a, stride, i, 4, j, columns, tile);
        }
        for (; i < size; ++i) {
            for (int c = 0; c < columns; ++c) {
                tile[0][c] = dot(a + i * stride, a + (j + c) * stride, j);
            }
            finish_tile(a, stride, i, 1, j, columns, (const double(*)[4])tile);
        }
    }
    return true;
}

void dense_solve(const double *factor, int size, double *x) {
    int stride = dense_stride(size);
    for (int i = 0; i < size; ++i) {
        const double *row = factor + i * stride;
        double sum = x[i];
        for (int k = 0; k < i; ++k) {
            sum -= row[k] * x[k];
        }
        x[i] = sum / row[i];
    }
    for (int i = size - 1; i >= 0; --i) {
        const double *row = factor + i * stride;
        x[i] /= row[i];
        for (int k = 0; k < i; ++k) {
            x[k] -= row[k] * x[i];
        }
    }
}
