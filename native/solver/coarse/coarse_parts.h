/* What the coarse level is made of: its functions, their transfer, samples, contacts, and its matrix at a place.
 *
 * The mesh is divided into even patches. Each patch's indicator is smoothed twice by
 * (A_area + l^2 L)^-1 A_area (smoother.h), with L the Laplacian of the mesh and l the patches' size: L maps constants
 * to zero, so the smoothed indicators, the weights, still add up to one. A patch has four functions: its
 * weight times 1 and times its own two or three axes. Where a patch is too flat for its third axis, the
 * axes of the whole piece of cloth come in as one more aggregate. So every affine motion of the rest shape, and with
 * it every rigid one, lies in the span. Each piece has patches as if there were no other: see Shares.
 *
 * Aggregates are numbered in the order in which their coarse matrix is best eliminated. */
#pragma once

#include "contact/contacts.h"
#include "linear/dense.h"
#include "mesh/patches.h"
#include "solver/coarse/smoother.h"

/* Functions of an aggregate; those it does not have are zero everywhere. */
#define KINDS 4
/* Aggregates that reach one vertex, at most. */
#define MOST_AGGREGATES 12

typedef struct Basis {
    int aggregate_count;
    int function_count; /* that are not zero everywhere */
    /* Function f of an aggregate at rest place X: its weight times affine[f] . (1, X). */
    double (*affine)[KINDS][4];
    /* By vertices: entries start[i] .. start[i+1] are the aggregates that reach vertex i, ascending. */
    int *start, *aggregate;
    double *weight;
    /* 1 where the vertex belongs to a component too small for a patch. Such components ride with the nearest patch, but
     * their pins must not hold it. */
    uint8_t *stray;
    /* aggregate_count^2: 1 where two aggregates share a row of the system's matrix. */
    uint8_t *coupled;
} Basis;

/* Patches at most: as many as a word has bits. */
#define MOST_PATCHES 64

/* Per share: 1 unless it is about as flat as a sheet at rest. Returns false without memory. */
bool basis_find_curved(const System *system, const Shares *shares, uint8_t *curved);

/* The functions on these patches. The smoother gets its numbers here. Arrays come from `store`. */
StatusCode basis_build(Basis *basis, const System *system, const Shares *shares,
                       const Patches *patches, Smoother *smoother, Store *store, Status *status);

/* The values of entry p's functions at a rest place. */
static inline void basis_values(const Basis *basis, int p, Vec3 place, double value[KINDS]) {
    for (int f = 0; f < KINDS; ++f) {
        const double *a = basis->affine[basis->aggregate[p]][f];
        value[f] = basis->weight[p] * (a[0] + a[1] * place.x + a[2] * place.y + a[3] * place.z);
    }
}

/* --- transfer --------------------------------------------------------------------------------- */

/* Between the vertices and the coarse level's aggregates: P' of a gradient, and P of the coarse answer.
 * Neighbours in the list of vertices mostly have the same aggregates and are taken together. In single precision all
 * this would cost a third less, but then the way vertices are numbered would show. */

#define COORDINATES 3
/* Vertices that are taken together. */
#define RUN 3

/* Two numbers of the four that belong together. */
typedef double Pair __attribute__((vector_size(16)));

/* An affine motion of the rest place, or what adds up to it: for each coordinate four numbers, by 1, X, Y and Z. */
typedef struct Affine {
    Pair by[COORDINATES][2];
} Affine;

typedef struct Transfer {
    const System *system;
    const Basis *basis;
    uint8_t *run; /* per vertex: 1 where this and the next RUN - 1 have the same aggregates */
    Affine *part; /* per aggregate, for each chunk of vertices */
} Transfer;

/* The basis must stay where it is. */
StatusCode transfer_build(Transfer *transfer, const System *system, const Basis *basis,
                          Store *store, Status *status);

/* vector = P' gradient: KINDS functions for each coordinate of each aggregate. */
void transfer_restrict(const Transfer *transfer, const Vec3 *gradient, double *vector);

/* change = P vector; zero where vertices are held, along rails without x. */
void transfer_prolong(const Transfer *transfer, const double *vector, Vec3 *change);

/* --- samples ---------------------------------------------------------------------------------- */

/* The elements at which the coarse level samples the cloth's stretch, each standing for the patch around
 * it, and what the coarse functions do to them. */

/* Corners of a sampled element, at most. */
#define SAMPLE_CORNERS LAW_HESSIAN_WIDTH
/* Each is reached by MOST_AGGREGATES at most, and all by the whole of their piece. */
#define MOST_SAMPLE_AGGREGATES (SAMPLE_CORNERS * MOST_AGGREGATES + 1)

/* Rows of a sampled element, at most; of one that has fewer the others are zero. */
#define BASE_ROWS LAW_HESSIAN_ROWS

/* What the functions of one aggregate do to the rows of an element: by[r][f] is row r by function f. */
typedef struct AggregateRows {
    _Alignas(32) double by[BASE_ROWS][KINDS];
} AggregateRows;

/* What a step reads of it, apart from the large reach, so that evaluating all samples runs through little memory. */
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

/* The patches of about as many of them as are wanted, even over each share. Lowers what is wanted where fewer do. */
StatusCode samples_divide(const System *system, const PatchShares *shares, int *wanted,
                          Patches *patches, Status *status);
/* The samples, one or a few for each patch. */
StatusCode samples_build(Samples *samples, const System *system, const Basis *basis,
                         const Patches *patches, Store *store, Status *status);

/* Weights the samples' second derivatives with `scale`. */
void samples_scale(Samples *samples, double scale);

/* --- contacts --------------------------------------------------------------------------------- */

/* Contacts as the coarse level sees them: by the aggregates that reach their vertices, and what they add to its tiles. */

/* The six different numbers of a symmetric 3 x 3 block, and where each of them goes. */
#define SYMMETRIC 6
static const int upper_row[SYMMETRIC] = {0, 0, 0, 1, 1, 2};
static const int upper_column[SYMMETRIC] = {0, 1, 2, 1, 2, 2};
/* Four functions are two pairs. */
#define PAIRS (KINDS / 2)
/* Numbers of a block that are taken at a time, as many sums as registers hold. */
#define NUMBERS 2

/* Contacts that are evaluated, at most: of more, evenly spread ones stand for their neighbours. */
#define MOST_COARSE_CONTACTS 512
/* Aggregates that reach a contact's vertices, at most: each by MOST_AGGREGATES, and by the whole of its piece. */
#define MOST_CONTACT_AGGREGATES (CONTACT_VERTICES * (MOST_AGGREGATES + 1))
_Static_assert(MOST_CONTACT_AGGREGATES < UINT8_MAX, "a place among them fits a byte");

/* A contact by the aggregates: what the functions of each do to its point. */
typedef struct CoarseContact {
    int contact;
    int count, aggregates[MOST_CONTACT_AGGREGATES]; /* none where it is left out */
    _Alignas(16) double by[MOST_CONTACT_AGGREGATES][KINDS];
    double block[SYMMETRIC];
} CoarseContact;

typedef struct CoarseContacts {
    int aggregate_count;
    int count;
    CoarseContact *list; /* MOST_COARSE_CONTACTS */
    uint8_t *place;      /* per contact and aggregate: its place in the former, plus one; 0: none */
} CoarseContacts;

/* Arrays for all; the store has failed if there is no memory. */
void coarse_contacts_allocate(CoarseContacts *contacts, int aggregate_count, Store *store);

/* Indexes a contact's aggregates, once they are listed. */
void coarse_contacts_index(CoarseContacts *contacts, int coarse);

/* Lists the contacts that an aggregate reaches, ascending; returns how many. */
int coarse_contacts_reached(const CoarseContacts *contacts, int aggregate,
                            int reached[MOST_COARSE_CONTACTS]);

/* Adds those that aggregate `lower` reaches, too, of the ones that `upper` does, to the tile of both. */
void coarse_contacts_add(const CoarseContacts *contacts, const int *reached, int count, int lower,
                         int upper, double *tile);

/* --- the matrix at a place -------------------------------------------------------------------- */

/* What stretch and contacts add to the coarse level's matrix at a place.
 * First sampled elements and contacts are evaluated, each independently. Then every aggregate adds up its own
 * column of tiles, in the order of elements and contacts: so both are done by as many threads as there are, with the
 * same bytes. */

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

typedef struct HessianTerms {
    const System *system;
    const Basis *basis;
    const Samples *samples;
    /* aggregate_count^2: place of tile (j, i), j <= i, at i * aggregate_count + j. */
    const int *tile;
    SampleBlocks *blocks;    /* of each sample */
    int *share_start;        /* per tile, and two more */
    TileShare *share;        /* in the order of the samples */
    CoarseContacts contacts; /* contacts */
} HessianTerms;

/* With the first four set, which must stay where they are, for so many tiles. */
StatusCode terms_build(HessianTerms *terms, int tile_count, Store *store, Status *status);

/* At z; `contacts` may be null. */
void terms_evaluate(HessianTerms *terms, Contacts *contacts, const Vec3 *z);

/* Adds what was seen to an aggregate's column of tiles. */
void terms_add(const HessianTerms *terms, int aggregate, const Tiles *hessian);
