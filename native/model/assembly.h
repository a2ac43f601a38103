/* The constant matrix of the laws, row by row: each vertex collects from the elements at it, in their order, so that
 * rows are filled side by side and are the same bytes for any number of threads. */
#ifndef MODEL_ASSEMBLY_H
#define MODEL_ASSEMBLY_H

#include "base/parallel.h"
#include "linear/matrix.h"
#include "model/bending.h"
#include "model/edge.h"
#include "model/rows.h"
#include "model/triangle.h"

typedef struct Laws {
    const Rows *rows;
    const EdgeModel *edge;
    const TriangleModel *triangle;
    const BendingModel *bending;
} Laws;

/* Replaces the values of a matrix in whose pattern all vertices of an element are coupled, N/m. */
void assembly_fill(const Laws *laws, Pool *pool, Matrix *matrix);
/* The same of bending alone. */
void assembly_fill_bending(const Laws *laws, Pool *pool, Matrix *matrix);

#endif
