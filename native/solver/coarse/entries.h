/* What each piece of the cloth adds to each tile of the coarse matrix: so the matrix of some pieces is a sum. */
#ifndef SOLVER_COARSE_ENTRIES_H
#define SOLVER_COARSE_ENTRIES_H

#include "solver/coarse/basis.h"

typedef struct Entries {
    int count;        /* in the order of the tiles; one piece has one in each */
    int *start;       /* per tile, and one more */
    const int *piece; /* per entry */
    int aggregate_count;
    const int *table; /* per piece, aggregate and earlier aggregate: the entry; -1: none */
    int *reach_start; /* per piece, and one more: the aggregates that reach it */
    int *reach;
    int awake_count;
    const int *awake; /* the pieces that take part, if not all do */
    uint8_t *awake_piece, *awake_aggregate;
} Entries;

/* `tile` has for each aggregate and each that is not after it their tile, -1: none. Arrays come from `store`. */
StatusCode entries_build(Entries *entries, const System *system, const Basis *basis,
                         const int *tile, int tile_count, Store *store, Status *status);

/* Sets awake_piece and awake_aggregate. */
void entries_wake(Entries *entries, int piece_count, const int *pieces);

/* The entry of a piece in the tile of two aggregates that reach it, the second not after the first. */
static inline int entries_find(const Entries *entries, int piece, int a, int b) {
    int row = piece * entries->aggregate_count + a;
    return entries->table[row * entries->aggregate_count + b];
}

#endif
