/* The clamped Hessian of the elastic energy at a place, as a matrix of its own: for products by the dozen.
 *
 * Laws whose second derivative is constant resist alike along y and z, and along x but for what crosses a mirror plane:
 * two numbers for each pair of vertices, filled once. Those with a curve get 3 x 3 blocks at every place: first the
 * curve of each element, then each vertex sums up its own row. Single precision is enough for directions of descent, and
 * half of the memory that a product has to read. */
#ifndef MODEL_HESSIAN_H
#define MODEL_HESSIAN_H

#include "linear/block.h"
#include "model/system.h"

/* A vector of three, and one that fills up. */
typedef float HessianVector __attribute__((vector_size(16)));

/* A 3 x 3 block by its columns. */
typedef struct HessianBlock {
    HessianVector column[3];
} HessianBlock;

/* The curve of an element: by the first row twice, by first and second, its transpose, by the second twice. */
typedef struct HessianCurve {
    HessianBlock by[4];
} HessianCurve;

/* Where a law has each vertex. */
typedef struct HessianLaw {
    const Law *law;
    int *start, *corner; /* per vertex: corners of elements, width x element + place */
    /* Of laws with a curve: */
    HessianCurve *curve; /* per element */
    int *slot;           /* width for each corner: entries of the row of blocks */
} HessianLaw;

typedef struct Hessian {
    const System *system;
    Matrix pattern;       /* of the constant part; its values are not used */
    Matrix blocks;        /* likewise, of the part that changes */
    float (*constant)[2]; /* per entry of the pattern: scale times N/m along x, along y and z */
    HessianBlock *block;  /* per entry of `blocks`, scaled */
    int law_count;
    HessianLaw laws[LAWS_MOST];
} Hessian;

/* The laws must stay where they are. */
StatusCode hessian_build(Hessian *hessian, const System *system, Store *store, Status *status);

/* scale times the constant part: after the material or the scale has changed. */
void hessian_refresh(Hessian *hessian, double scale);

/* scale times the part that changes, at z. */
void hessian_compute(Hessian *hessian, double scale, const Vec3 *z);

/* The block of a vertex alone, scaled. */
Block hessian_own(const Hessian *hessian, int vertex);

/* One vertex's row times d. */
static inline HessianVector hessian_row(const Hessian *hessian, int vertex,
                                        const HessianVector *d) {
    HessianVector sum = {0, 0, 0, 0};
    const Matrix *pattern = &hessian->pattern, *blocks = &hessian->blocks;
    for (int p = pattern->start[vertex]; p < pattern->start[vertex + 1]; ++p) {
        const float *constant = hessian->constant[p];
        HessianVector weight = {constant[0], constant[1], constant[1], 0};
        sum += weight * d[pattern->column[p]];
    }
    for (int p = blocks->start[vertex]; p < blocks->start[vertex + 1]; ++p) {
        const HessianBlock *block = &hessian->block[p];
        HessianVector x = d[blocks->column[p]];
        sum += block->column[0] * x[0] + block->column[1] * x[1] + block->column[2] * x[2];
    }
    return sum;
}

#endif
