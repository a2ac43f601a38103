#include "linear/solve.h"

/* Column-oriented forward substitution: L y = b. */
static void forward(const Solve *solve, Vec3 *y) {
    const int *row = solve->row;
    const double *value = solve->value;
    for (int j = 0; j < solve->size; ++j) {
        Vec3 pivot = y[j];
        for (int p = solve->start[j]; p < solve->start[j + 1]; ++p) {
            y[row[p]] = vec3_madd(y[row[p]], -value[p], pivot);
        }
    }
}

/* Backward substitution, D L' x = y: each unknown is a dot product with its column of L. Two
 * running sums keep the additions from waiting for each other. */
static void backward(const Solve *solve, Vec3 *y) {
    const int *row = solve->row;
    const double *value = solve->value;
    for (int j = solve->size - 1; j >= 0; --j) {
        Vec3 even = vec3_scale(solve->inverse_pivot[j], y[j]);
        Vec3 odd = vec3(0, 0, 0);
        int p = solve->start[j], end = solve->start[j + 1];
        for (; p + 1 < end; p += 2) {
            even = vec3_madd(even, -value[p], y[row[p]]);
            odd = vec3_madd(odd, -value[p + 1], y[row[p + 1]]);
        }
        if (p < end) {
            even = vec3_madd(even, -value[p], y[row[p]]);
        }
        y[j] = vec3_add(even, odd);
    }
}

void solve_apply(const Solve *solve, const Vec3 *b, Vec3 *x) {
    Vec3 *work = solve->work;
    for (int k = 0; k < solve->size; ++k) {
        work[k] = b[solve->permutation[k]];
    }
    forward(solve, work);
    backward(solve, work);
    for (int k = 0; k < solve->size; ++k) {
        x[solve->permutation[k]] = work[k];
    }
}
