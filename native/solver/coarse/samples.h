/* The elements at which the coarse level looks at the cloth's stretch, each standing for the patch around
 * it, and what the coarse functions do to them. */
#ifndef SOLVER_COARSE_SAMPLES_H
#define SOLVER_COARSE_SAMPLES_H

#include "solver/coarse/basis.h"

/* Corners of a sampled element, at most. */
#define SAMPLE_CORNERS LAW_CURVE_WIDTH
/* Each is reached by MOST_AGGREGATES at most, and by the whole cloth. */
#define MOST_SAMPLE_AGGREGATES (SAMPLE_CORNERS * MOST_AGGREGATES + 1)

/* Rows of a sampled element, at most; of one that has fewer the others are zero. */
#define BASE_ROWS LAW_CURVE_ROWS

/* What the functions of one aggregate do to the rows of an element: by[r][f] is row r by function f. */
typedef struct AggregateRows {
    _Alignas(32) double by[BASE_ROWS][KINDS];
} AggregateRows;

/* What a step reads of it, apart from the large reach: so that a look at all samples runs through little memory. */
typedef struct Sample {
    const Law *law;
    int element;
    int vertex;   /* one of its own */
    double share; /* size of what it stands for, over its own */
    double scale; /* share, times what the second derivative is weighted with */
} Sample;

/* The aggregates that reach a sample. */
typedef struct SampleReach {
    int aggregate_count, aggregates[MOST_SAMPLE_AGGREGATES]; /* ascending */
    AggregateRows values[MOST_SAMPLE_AGGREGATES];
} SampleReach;

typedef struct Samples {
    int count;
    Sample *sample;
    SampleReach *reach;
} Samples;

/* The patches of about `wanted` of them, even over the cloth. */
StatusCode samples_divide(const System *system, int wanted, Patches *patches, Status *status);
/* The samples, one or a few for each patch. */
StatusCode samples_build(Samples *samples, const System *system, const Basis *basis,
                         const Patches *patches, Store *store, Status *status);

/* Weights the samples' second derivatives with `scale`. */
void samples_refresh(Samples *samples, double scale);

#endif
