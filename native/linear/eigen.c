/* Lanczos with full reorthogonalisation, then bisection by Sturm sequences: no library, and no eigenvectors, are
 * needed. */
#include "linear/eigen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* Steps: enough for three digits and more of the outermost eigenvalue of a cloth matrix. */
#define STEPS 120

static double dot(int size, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < size; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* Eigenvalues below `bound` of the tridiagonal matrix: sign changes of its Sturm sequence. */
static int count_below(int size, const double *diagonal, const double *beside, double bound) {
    int below = 0;
    double q = 1;
    for (int i = 0; i < size; ++i) {
        double coupling = i > 0 ? beside[i - 1] * beside[i - 1] : 0.0;
        q = diagonal[i] - bound - (i > 0 ? coupling / (fabs(q) > 1e-300 ? q : 1e-300) : 0.0);
        below += q < 0;
    }
    return below;
}

static double tridiagonal_largest(int size, const double *diagonal, const double *beside) {
    double high = 0;
    for (int i = 0; i < size; ++i) {
        double left = i > 0 ? fabs(beside[i - 1]) : 0, right = i + 1 < size ? fabs(beside[i]) : 0;
        double reach = diagonal[i] + left + right;
        high = reach > high ? reach : high;
    }
    double low = 0;
    for (int round = 0; round < 200 && high - low > 1e-15 * high; ++round) {
        double middle = 0.5 * (low + high);
        if (count_below(size, diagonal, beside, middle) == size) {
            high = middle;
        } else {
            low = middle;
        }
    }
    return 0.5 * (low + high);
}

/* Removes the parts of w along the first `count` basis vectors, twice for rounding's sake. */
static void orthogonalise(int size, const double *basis, int count, double *w) {
    for (int pass = 0; pass < 2; ++pass) {
        for (int j = 0; j < count; ++j) {
            const double *v = basis + (size_t)j * (size_t)size;
            double along = dot(size, v, w);
            for (int i = 0; i < size; ++i) {
                w[i] -= along * v[i];
            }
        }
    }
}

StatusCode eigen_largest(int size, int free_size, EigenOperator multiply, void *context,
                         const double *start, double *largest, Status *status) {
    int steps = free_size < STEPS ? free_size : STEPS, made = 0;
    double diagonal[STEPS], beside[STEPS];
    double *basis = SCRATCH_ARRAY(double, (size_t)steps *(size_t)size);
    double *w = SCRATCH_ARRAY(double, size);
    if (!basis || !w) {
        free(basis);
        free(w);
        return status_no_memory(status, "eigenvalues");
    }
    memcpy(w, start, (size_t)size * sizeof *w);
    double length = sqrt(dot(size, w, w)), scale = 0;
    while (made < steps && length > 1e-12 * scale) {
        double *v = basis + (size_t)made * (size_t)size;
        for (int i = 0; i < size; ++i) {
            v[i] = w[i] / length;
        }
        multiply(context, v, w);
        diagonal[made] = dot(size, v, w);
        scale = fabs(diagonal[made]) > scale ? fabs(diagonal[made]) : scale;
        ++made;
        orthogonalise(size, basis, made, w);
        length = sqrt(dot(size, w, w));
        beside[made - 1] = length;
    }
    *largest = tridiagonal_largest(made, diagonal, beside);
    free(basis);
    free(w);
    return STATUS_OK;
}
