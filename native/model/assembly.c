#include "model/assembly.h"

#include <string.h>

typedef struct AssemblyWork {
    const Laws *laws;
    int first_row; /* rows of tension before this one are left out */
    Matrix *matrix;
} AssemblyWork;

/* Adds k w w' of an element with one row: `own` is k times the vertex's own weight. */
static void add_element(Matrix *matrix, int vertex, double own, int width, const int *vertices,
                        const double *weights) {
    for (int c = 0; c < width; ++c) {
        matrix_add(matrix, vertex, vertices[c], own * weights[c]);
    }
}

/* K_cd = A (k_u a_c a_d + k_v p_c p_d) + A/2 (k_+ (a+p)_c (a+p)_d + k_- (a-p)_c (a-p)_d) */
static void add_triangle(const TriangleModel *model, int t, Matrix *matrix, int vertex) {
    const double *k = model->stiffness + AXIS_COUNT * t;
    const double *a = model->warp_weights + 3 * t, *p = model->weft_weights + 3 * t;
    const int *vertices = model->vertices + 3 * t;
    int c = vertices[0] == vertex ? 0 : vertices[1] == vertex ? 1 : 2;
    for (int d = 0; d < 3; ++d) {
        double value = k[AXIS_WARP] * a[c] * a[d] + k[AXIS_WEFT] * p[c] * p[d] +
                       0.5 * k[AXIS_SUM] * (a[c] + p[c]) * (a[d] + p[d]) +
                       0.5 * k[AXIS_DIFFERENCE] * (a[c] - p[c]) * (a[d] - p[d]);
        matrix_add(matrix, vertex, vertices[d], value);
    }
}

/* What row number `row` of tension, which the vertex has a weight in, adds to the vertex's row of the matrix. */
static void add_row(const Laws *laws, int row, double weight, Matrix *matrix, int vertex) {
    const EdgeModel *edge = laws->edge;
    const BendingModel *bending = laws->bending;
    int triangle = row - laws->triangle->first_row;
    if (row >= bending->first_row) {
        int h = row - bending->first_row;
        add_element(matrix, vertex, bending->stiffness[h] * weight, 4, bending->vertices + 4 * h,
                    bending->weights + 4 * h);
    } else if (triangle < 0) {
        int e = row - edge->first_row;
        add_element(matrix, vertex, edge->stiffness[e] * weight, 2, edge->vertices + 2 * e,
                    edge->weights + 2 * e);
    } else if (triangle % 2 == 0) { /* it has two rows, of warp and of weft: once is enough */
        add_triangle(laws->triangle, triangle / 2, matrix, vertex);
    }
}

static void fill_rows(void *context, int begin, int end) {
    const AssemblyWork *work = context;
    const Rows *rows = work->laws->rows;
    Matrix *matrix = work->matrix;
    for (int v = begin; v < end; ++v) {
        size_t count = (size_t)(matrix->start[v + 1] - matrix->start[v]);
        memset(matrix->value + matrix->start[v], 0, count * sizeof *matrix->value);
        for (int p = rows->start[v]; p < rows->start[v + 1]; ++p) {
            if (rows->row[p] >= work->first_row) {
                add_row(work->laws, rows->row[p], rows->weight[p], matrix, v);
            }
        }
    }
}

void assembly_fill(const Laws *laws, Pool *pool, Matrix *matrix) {
    AssemblyWork work = {laws, 0, matrix};
    pool_run(pool, matrix->size, fill_rows, &work);
}

void assembly_fill_bending(const Laws *laws, Pool *pool, Matrix *matrix) {
    AssemblyWork work = {laws, laws->bending->first_row, matrix};
    pool_run(pool, matrix->size, fill_rows, &work);
}
