/* Additive Schwarz: exact solves with the Hessian on many small, overlapping patches of the cloth.
 *
 * The constant matrix bounds the Hessian from above, by a factor of up to 1e5 across cloth that is slack: as a
 * preconditioner it takes a hundred iterations to fold it. Folds are short, though. A patch of forty vertices holds most
 * of one, with the motions along the cloth that let it bend without being stretched, and the factor of its own block of
 * the Hessian answers exactly. In sum with the constant matrix, which knows what is far away, five iterations do what
 * fifty did [Dryja and Widlund 1987].
 *
 * Factors are in single precision, eight patches side by side in the lanes of a vector. */
#pragma once

#include "system/hessian.h"

#define SCHWARZ_LANES 8

/* One number of each of the patches of a batch. */
typedef float SchwarzLanes __attribute__((vector_size(32)));

/* A pair of vertices of a patch that resist each other, the later one first. */
typedef struct SchwarzPair {
    int to;            /* float of the factor where its 3 x 3 block begins */
    int from;          /* a block of the Hessian, or a far weight */
    short row, column; /* vertices of the patch */
} SchwarzPair;

/* Eight patches with one pattern, that of all of them. */
typedef struct SchwarzBatch {
    int size;   /* vertices of the largest patch */
    int row;    /* first of the batch in `first`, `start`, and times the lanes in `vertex` */
    int factor; /* first vector of the factor */
    int pair_start[SCHWARZ_LANES + 1], far_start[SCHWARZ_LANES + 1]; /* per patch */
} SchwarzBatch;

typedef struct Schwarz {
    const Hessian *hessian;
    int batch_count, row_count;
    SchwarzBatch *batch;
    int *vertex;        /* per row of a batch and lane; -1 where a patch has no more */
    int *first, *start; /* per row of a batch: its first block, and where that lies in the factor */
    SchwarzPair *pair, *far;
    SchwarzLanes *factor;     /* blocks of nine vectors, row by row */
    SchwarzLanes *answer;     /* three vectors per row of a batch */
    int *entry_start, *entry; /* per vertex: its places in `answer`, as floats */
} Schwarz;

/* Arrays come from `store`. The Hessian must stay where it is. */
StatusCode schwarz_build(Schwarz *schwarz, const Hessian *hessian, Store *store, Status *status);

/* Factors the patches' blocks of the Hessian, with `own` on the diagonal in place of what it has there. */
void schwarz_factor(Schwarz *schwarz, const Block *own);

/* Solves on all patches; schwarz_sum() fetches the sum at a vertex. */
void schwarz_solve(Schwarz *schwarz, const Vec3 *right);
Vec3 schwarz_sum(const Schwarz *schwarz, int vertex);

/* What the pool is given to factor or solve batches begin <= b < end, for each kind of machine (schwarz_numbers.c). */
typedef struct SchwarzWork {
    Schwarz *schwarz;
    const Block *own;  /* to factor */
    const Vec3 *right; /* to solve */
} SchwarzWork;

/* The context is a SchwarzWork. */
void schwarz_factor_batches(void *context, int begin, int end);
void schwarz_solve_batches(void *context, int begin, int end);
#if defined(__x86_64__)
void schwarz_factor_batches_avx2(void *context, int begin, int end);
void schwarz_solve_batches_avx2(void *context, int begin, int end);
#endif
