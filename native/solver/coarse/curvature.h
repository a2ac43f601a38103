/* What stretch and contacts add to the coarse level's matrix at a place.
 * First everything is looked at: sampled elements and contacts, each by itself. Then every aggregate adds up its own
 * column of tiles, in the order of elements and contacts: so both are done by as many threads as there are, with the
 * same bytes. */
#ifndef SOLVER_COARSE_CURVATURE_H
#define SOLVER_COARSE_CURVATURE_H

#include "solver/coarse/samples.h"
#include "solver/coarse/touches.h"
#include "solver/coarse/transfer.h"

/* Second derivatives of a sample, weighted, by its base rows: both times the first, both times the second, and one by
 * the other. */
typedef struct SampleBlocks {
    double first[SYMMETRIC], second[SYMMETRIC], mixed[SYMMETRIC];
} SampleBlocks;

/* What a sample adds to a tile: two of its aggregates. */
typedef struct TileShare {
    int sample;
    const AggregateRows *lower, *upper;
} TileShare;

typedef struct Curvature {
    const System *system;
    const Basis *basis;
    const Samples *samples;
    /* aggregate_count^2: place of tile (j, i), j <= i, at i * aggregate_count + j. */
    const int *tile;
    SampleBlocks *blocks; /* of each sample */
    int *share_start;     /* per tile, and one more */
    TileShare *share;     /* in the order of the samples */
    Touches touches;      /* contacts */
} Curvature;

/* With the first four set, which must stay where they are, for so many tiles. */
StatusCode curvature_build(Curvature *curvature, int tile_count, Store *store, Status *status);

/* At z; `contacts` may be null. */
void curvature_look(Curvature *curvature, Contacts *contacts, const Vec3 *z);

/* Adds what was seen to an aggregate's column of tiles. */
void curvature_add(const Curvature *curvature, int aggregate, const Tiles *hessian);

#endif
