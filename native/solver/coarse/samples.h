/* The elements at which the coarse level looks at the cloth's stretch, each standing for the region around
 * it, and what the coarse functions do to them. */
#ifndef SOLVER_COARSE_SAMPLES_H
#define SOLVER_COARSE_SAMPLES_H

#include "solver/coarse/basis.h"

/* Axes of a sampled triangle; a sampled edge has one. */
#define MOST_ROWS AXIS_COUNT
/* Each corner of a triangle is reached by MOST_PIECES at most, and by the whole cloth. */
#define MOST_SAMPLE_PIECES (3 * MOST_PIECES + 1)

/* Of a triangle's axes the diagonals follow from warp and weft; an edge's second is zero. */
#define BASE_ROWS 2

/* s = sum weights x is a row of an element; by[r][f] is base row r by function f of one piece. */
typedef struct PieceRows {
    _Alignas(32) double by[BASE_ROWS][KINDS];
} PieceRows;

typedef struct Sample {
    int element, is_edge;
    double share; /* area (or length) of its region over its own */
    int row_count;
    double stiffness[MOST_ROWS]; /* times share, N/m-like: weight of (|s| - rest)^2 / 2 */
    double rest;
    int vertices[3], vertex_count;
    double weights[MOST_ROWS][3];
    int piece_count, pieces[MOST_SAMPLE_PIECES]; /* ascending */
    PieceRows values[MOST_SAMPLE_PIECES];
} Sample;

typedef struct Samples {
    int count;
    Sample *sample;
} Samples;

/* The regions of about `wanted` of them, even over the cloth. */
StatusCode samples_divide(const System *system, int wanted, Patches *patches, Status *status);
/* The samples, one or a few for each region. */
StatusCode samples_build(Samples *samples, const System *system, const Basis *basis,
                         const Patches *patches, Store *store, Status *status);

/* Takes the stiffness of the material as it is now, times `scale`. */
void samples_refresh(Samples *samples, const System *system, double scale);

#endif
