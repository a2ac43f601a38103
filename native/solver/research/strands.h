/* The second derivative of woven cloth without a matrix over its vertices [KIST 2008, implicit data structure].
 * With e the difference of what is multiplied between the ends of a link, the links of a thread pull with
 *
 *   p_k = A_k e_k + B_k e_(k-1) + B_(k+1)' e_(k+1)
 *
 * A is what the link itself resists with, k max(0, 1 - l0/l) across its vector d and k along it (the slides leave l0/l out of
 * the latter; a compressed link keeps its stiffness along d only, since it buckles), and what the joints at both of its ends
 * add (laws/research/woven.h); B is the rest of the joint between two links, and nothing where a thread goes on beyond the mirror plane
 * as its own image: all of that joint is in A. Each thread has so a band of its own: U of the warp
 * threads, V of the weft threads, and J v = U v + P' V P v with the permutation P that the tiles below are. Cells
 * (laws/research/woven.h) add to the pulls of their four sides, by the sums p and q of two of them:
 *
 *   F = C p + D q,   G = D' p + E q
 *
 * Cloth is cut into tiles, pieces of the grid of warp and weft threads. Rows of a tile lie behind each other in memory, two
 * neighbours of a row are reckoned at a time, and numbers come in the order in which they are read. A tile has all elements
 * at its own vertices, also those that reach beyond its rim, and writes the product of its own vertices alone: no two tiles
 * write to one place, and the bytes do not depend on the number of CPU threads. Ropes are tiles of one row; what they pull
 * with is added afterwards, layer by layer of the weave. */
#pragma once

#include "laws/edge.h"
#include "laws/research/woven.h"
#include "linear/matrix.h"
#include "system/system.h"

/* Rows and columns of vertices that a tile has of its own, at most. */
#define TILE_ROWS 32
#define TILE_COLUMNS 72
/* Rows and columns beyond the rim. A vertex is moved by joints that reach as far as two vertices. */
#define TILE_MARGIN 2
#define TILE_FIRST 4 /* its first own column is here */
#define TILE_STRIDE 80
#define TILE_LANES 2 /* slots whose numbers lie side by side */

/* Numbers of a slot: of its link to the next vertex of the row, with the joint at the slot; of the cell between this and
 * the next vertex, row and column; and of its link to the next row, likewise with its joint. Symmetric blocks have six
 * numbers, xx xy xz yy yz zz. Ropes have those of the row alone. */
enum {
    LINK_A,
    LINK_B = LINK_A + 6,
    LINK_NUMBERS = LINK_B + 9,
    CELL_C = LINK_NUMBERS,
    CELL_D = CELL_C + 6,
    CELL_E = CELL_D + 9,
    COLUMN_NUMBERS = CELL_E + 6, /* from here on: those of the link to the next row */
    TILE_NUMBERS = COLUMN_NUMBERS + LINK_NUMBERS
};
enum { ROW, COLUMN, DIRECTIONS };

typedef struct Tile {
    int rows, columns; /* of its own vertices */
    int slot;          /* its first; slots of a row follow each other, and rows */
    size_t numbers;    /* likewise, of its numbers */
    bool rope;         /* one row without a margin of rows */
} Tile;

typedef struct Strands {
    const Weave *weave;
    const EdgeLaw *links;
    const JointLaw *joints;
    const CellLaw *cells;
    int vertex_count, tile_count, slot_count;
    ThreadKind row_kind; /* rows go along these threads: those with vertices in order */
    Tile *tiles;         /* cloth, then ropes in the order of the weave's layers */
    int cloth_tiles;
    int *rope_start; /* per rope thread, with one more: its tiles */
    Layers ropes;    /* in rope threads */
    int *bare;       /* vertices that are on no cloth */
    int bare_count;
    int *vertices;     /* per slot: whose place it is; any vertex where there is none */
    int *own_vertices; /* per slot: the vertex whose product the tile writes; -1: none */
    int *runs; /* per row: the first of its own vertices if they are numbered in order; else -1 */
    int *link[DIRECTIONS], *joint[DIRECTIONS], *cell; /* per slot: elements of the laws; -1: none */
    double *numbers;
    Block *diagonal; /* per vertex */
} Strands;

/* For a system of MODEL_WOVEN. */
StatusCode strands_build(Strands *strands, const System *system, const Weave *weave, Store *store,
                         Status *status);

/* Rows of slots that a tile has. */
static inline int tile_all_rows(const Tile *tile) {
    return tile->rope ? 1 : tile->rows + 2 * TILE_MARGIN;
}

static inline int tile_kinds(const Tile *tile) { return tile->rope ? LINK_NUMBERS : TILE_NUMBERS; }

/* Slots of a row that have numbers: as far as the margin, a multiple of the lanes. */
static inline int tile_width(const Tile *tile) {
    int width = TILE_FIRST + tile->columns + TILE_MARGIN;
    return (width + TILE_LANES - 1) / TILE_LANES * TILE_LANES;
}

/* Numbers of one of its rows. */
static inline double *tile_numbers(const Strands *strands, const Tile *tile, int row) {
    size_t length = (size_t)(tile_kinds(tile) * tile_width(tile));
    return strands->numbers + tile->numbers + (size_t)row * length;
}

/* Runs a task over all tiles of cloth, then over rope threads, one layer after the other; it finds the layer's first one in
 * `first`. */
void strands_run(const Strands *strands, Pool *pool, PoolTask cloth, PoolTask ropes, void *context,
                 int *first);

/* scale times the clamped second derivative at x, and its diagonal blocks. */
void strands_refresh(Strands *strands, Pool *pool, double scale, const Vec3 *x);

/* product = own v + that second derivative times v, with one number `own` for each vertex. */
void strands_multiply(const Strands *strands, Pool *pool, const double *own, const Vec3 *v,
                      Vec3 *product);
