/* Cholesky factor of a small dense matrix, for a coarse system of some hundred unknowns.
 * Row-major, lower half. Built for the compiler to vectorise: the inner loops are dot products of
 * whole rows. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"

/* Room for a matrix of `size` rows: rows start at multiples of dense_stride(size) doubles. */
int dense_stride(int size);

/* A = L L', in place in the lower half. Returns false when a pivot is not positive. */
bool dense_factor(double *a, int size);

/* x = A^-1 x with the factor. */
void dense_solve(const double *factor, int size, double *x);

/* --- of tiles --------------------------------------------------------------------------------- */

/* A symmetric positive semidefinite matrix of square tiles, most of which may be missing, and its
 * Cholesky factor H = U' U.
 * The upper half is kept, column of tiles by column of tiles. A tile is TILE x TILE numbers, row by
 * row: element [a][b] of tile (j, i) belongs to unknown a of row j and unknown b of row i of tiles, j <= i.
 * Rows of tiles are eliminated in their order; the pattern is closed under fill when it is built, so that the
 * factor takes the place of the matrix. */

#define TILE 12
#define TILE_NUMBERS (TILE * TILE)

typedef struct Tiles {
    int count;        /* rows of tiles, and columns */
    int *start;       /* count + 1: the tiles of each column */
    int *row;         /* ascending, the diagonal last */
    double *value;    /* TILE_NUMBERS for each tile */
    double *pivot;    /* TILE for each row of tiles: one over the diagonal of U, or 0 */
    double *diagonal; /* TILE for each row of tiles: of H, before it is factored */
    atomic_int *done; /* of each column, once it is factored */
    /* Per row of tiles: it takes part, and all others are as if they were not there; null: all do. */
    const uint8_t *awake;
} Tiles;

static inline bool tiles_awake(const Tiles *tiles, int row) {
    return !tiles->awake || tiles->awake[row];
}

/* `coupled` is count x count; coupled[i * count + j] is not 0 where tile (j, i), j < i, is wanted. Fill is
 * added to it. */
StatusCode tiles_build(Tiles *tiles, int count, uint8_t *coupled, Store *store, Status *status);

/* The place of tile (j, i), j <= i, or -1. */
int tiles_find(const Tiles *tiles, int j, int i);

static inline double *tiles_at(const Tiles *tiles, int tile) {
    return tiles->value + (size_t)tile * TILE_NUMBERS;
}

/* Unknowns that depend on earlier ones, or that nothing holds, are left out: the solution is zero there.
 * Returns false if a number is not finite. The pool may be null. */
bool tiles_factor(Tiles *tiles, Pool *pool);

/* x = H^-1 x, TILE numbers for each row of tiles. */
void tiles_solve(const Tiles *tiles, double *x);
