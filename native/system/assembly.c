/* Filling the constant matrix from the rows of tension that each vertex has a weight in. */
#include "system/assembly.h"

#include <string.h>

typedef struct AssemblyWork {
    const Laws *laws;
    LawStiffness which;
    bool constant_only;
    Matrix *matrix;
} AssemblyWork;

StatusCode assembly_pattern(const Laws *laws, int vertex_count, Store *store, Matrix *matrix,
                            Status *status) {
    Stencils stencils[LAWS_MOST];
    int count = 0;
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        if (!law->beyond_matrix) {
            stencils[count++] = (Stencils){law->count, law->width, law->vertices};
        }
    }
    return matrix_pattern(vertex_count, stencils, count, store, matrix, status);
}

static const Law *law_of_row(const Laws *laws, int row) {
    int l = laws->count - 1;
    while (l > 0 && row < laws->list[l]->first_row) {
        --l;
    }
    return laws->list[l];
}

/* What row number `row` of tension, in which the vertex is this corner, adds to the vertex's row of the matrix. */
static void add_row(const AssemblyWork *work, int row, int corner, int vertex) {
    const Law *law = law_of_row(work->laws, row);
    int e = (row - law->first_row) / law->rows;
    double value[LAW_WIDTH];
    /* an element has all of its rows at each of its vertices: once is enough */
    if (law->beyond_matrix || (row - law->first_row) % law->rows > 0 ||
        (work->constant_only && law->kind->curve)) {
        return;
    }
    const int *vertices = law_vertices(law, e);
    law_stiffness(law, work->which, e, corner, value);
    for (int c = 0; c < law->width; ++c) {
        matrix_add(work->matrix, vertex, vertices[c], value[c]);
    }
}

static void fill_rows(void *context, int begin, int end) {
    const AssemblyWork *work = context;
    const Rows *rows = &work->laws->rows;
    Matrix *matrix = work->matrix;
    for (int v = begin; v < end; ++v) {
        size_t count = (size_t)(matrix->start[v + 1] - matrix->start[v]);
        memset(matrix->value + matrix->start[v], 0, count * sizeof *matrix->value);
        for (int p = rows->start[v]; p < rows->start[v + 1]; ++p) {
            add_row(work, rows->row[p], rows->corner[p], v);
        }
    }
}

void assembly_fill(const Laws *laws, Pool *pool, Matrix *matrix) {
    AssemblyWork work = {.laws = laws, .which = STIFFNESS_BOUND, .matrix = matrix};
    pool_run(pool, matrix->size, fill_rows, &work);
}

void assembly_fill_constant(const Laws *laws, LawStiffness which, Pool *pool, Matrix *matrix) {
    AssemblyWork work = {.laws = laws, .which = which, .constant_only = true, .matrix = matrix};
    pool_run(pool, matrix->size, fill_rows, &work);
}
