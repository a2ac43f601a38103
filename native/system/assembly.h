/* The constant matrix of the laws, row by row: each vertex collects from the elements at it, in their order, so that
 * rows are filled side by side and are the same bytes for any number of threads. */
#ifndef SYSTEM_ASSEMBLY_H
#define SYSTEM_ASSEMBLY_H

#include "laws/laws.h"
#include "linear/matrix.h"

/* The pattern in which all vertices of an element are coupled. */
StatusCode assembly_pattern(const Laws *laws, int vertex_count, Store *store, Matrix *matrix,
                            Status *status);

/* Replaces the values of a matrix of that pattern, N/m. */
void assembly_fill(const Laws *laws, Pool *pool, Matrix *matrix);
/* The same of laws whose second derivative is constant, alone. */
void assembly_fill_constant(const Laws *laws, LawStiffness which, Pool *pool, Matrix *matrix);

#endif
