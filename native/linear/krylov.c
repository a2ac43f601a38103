/* The loops are fused, so that there are as few passes over the vectors as possible. */
#include "linear/krylov.h"

#include <math.h>
#include <string.h>

StatusCode pcg_build(Pcg *pcg, int size, Store *store, Status *status) {
    pcg->size = pcg->rail_from = size;
    pcg->preconditioner = STORE_ARRAY(store, Block, size);
    pcg->residual = STORE_ARRAY(store, Vec3, size);
    pcg->direction = STORE_ARRAY(store, Vec3, size);
    pcg->product = STORE_ARRAY(store, Vec3, size);
    pcg->conditioned = STORE_ARRAY(store, Vec3, size);
    return store->failed ? status_no_memory(status, "conjugate gradients") : STATUS_OK;
}

typedef struct PcgWork {
    Pcg *pcg;
    const BlockMatrix *matrix;
    const uint8_t *held;
    const Vec3 *b;
    Vec3 *x;
    double alpha, beta;
} PcgWork;

static Vec3 on_rails(const Pcg *pcg, int i, Vec3 v) {
    return vec3(i < pcg->rail_from ? v.x : 0.0, v.y, v.z);
}

/* Returns |r|^2. */
static double begin_rows(void *context, int begin, int end) {
    PcgWork *work = context;
    Vec3 zero = {0, 0, 0};
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        Block diagonal = {{0}};
        if (work->matrix) {
            diagonal = work->matrix->block[matrix_slot(work->matrix->pattern, i, i)];
        }
        if (work->pcg->extra) {
            work->pcg->extra->add_diagonal(work->pcg->extra->context, i, &diagonal);
        }
        if (i >= work->pcg->rail_from) {
            block_part_first(&diagonal);
        }
        work->pcg->preconditioner[i] = block_inverse(&diagonal);
        work->x[i] = zero;
        work->pcg->residual[i] = work->held[i] ? zero : on_rails(work->pcg, i, work->b[i]);
        work->pcg->direction[i] = zero;
        sum += vec3_dot(work->pcg->residual[i], work->pcg->residual[i]);
    }
    return sum;
}

/* conditioned = preconditioner residual; returns their dot product. */
static double condition(void *context, int begin, int end) {
    PcgWork *work = context;
    Pcg *pcg = work->pcg;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        pcg->conditioned[i] = block_times(&pcg->preconditioner[i], pcg->residual[i]);
        sum += vec3_dot(pcg->conditioned[i], pcg->residual[i]);
    }
    return sum;
}

static void turn_direction(void *context, int begin, int end) {
    PcgWork *work = context;
    Pcg *pcg = work->pcg;
    for (int i = begin; i < end; ++i) {
        pcg->direction[i] = vec3_madd(pcg->conditioned[i], work->beta, pcg->direction[i]);
    }
}

/* product = A direction without held rows; returns direction . product. Held columns need no care:
 * the direction is zero there. */
static double multiply_rows(void *context, int begin, int end) {
    PcgWork *work = context;
    Pcg *pcg = work->pcg;
    double total = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        if (!work->held[i]) {
            sum = work->matrix ? block_matrix_row(work->matrix, i, pcg->direction) : sum;
            if (pcg->extra) {
                sum = vec3_add(sum, pcg->extra->row(pcg->extra->context, i));
            }
        }
        pcg->product[i] = sum = on_rails(pcg, i, sum);
        total += vec3_dot(sum, pcg->direction[i]);
    }
    return total;
}

/* Takes the step and returns the new |r|^2. */
static double advance(void *context, int begin, int end) {
    PcgWork *work = context;
    Pcg *pcg = work->pcg;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        work->x[i] = vec3_madd(work->x[i], work->alpha, pcg->direction[i]);
        pcg->residual[i] = vec3_madd(pcg->residual[i], -work->alpha, pcg->product[i]);
        sum += vec3_dot(pcg->residual[i], pcg->residual[i]);
    }
    return sum;
}

int pcg_solve(Pcg *pcg, Pool *pool, const BlockMatrix *matrix, const uint8_t *held, const Vec3 *b,
              double tolerance, int limit, Vec3 *x) {
    PcgWork work = {.pcg = pcg, .matrix = matrix, .held = held, .b = b, .x = x};
    double start = pool_sum(pool, pcg->size, begin_rows, &work);
    double threshold = tolerance * tolerance * start;
    double conditioned = pool_sum(pool, pcg->size, condition, &work);
    int iterations = 0;
    double residual = start;
    while (iterations < limit && residual > threshold && conditioned > 0) {
        pool_run(pool, pcg->size, turn_direction, &work);
        if (pcg->extra) {
            pcg->extra->multiply(pcg->extra->context, pcg->direction);
        }
        double curvature = pool_sum(pool, pcg->size, multiply_rows, &work);
        if (!(curvature > 0)) {
            break;
        }
        work.alpha = conditioned / curvature;
        residual = pool_sum(pool, pcg->size, advance, &work);
        double next = pool_sum(pool, pcg->size, condition, &work);
        work.beta = next / conditioned;
        conditioned = next;
        ++iterations;
    }
    pcg->reached = start > 0 ? sqrt(residual / start) : 0.0;
    pcg->stopped = residual > threshold;
    return iterations;
}

/* --- eigenvalues ------------------------------------------------------------------------------ */

/* Lanczos with full reorthogonalisation, then bisection by Sturm sequences: no library, and no eigenvectors, are
 * needed. */

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
    for (int i = 0; i < 200 && high - low > 1e-15 * high; ++i) {
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
    Store scratch = {0};
    double *basis = STORE_ARRAY(&scratch, double, (size_t)steps *(size_t)size);
    double *w = STORE_ARRAY(&scratch, double, size);
    if (scratch.failed) {
        store_release(&scratch);
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
    store_release(&scratch);
    return STATUS_OK;
}
