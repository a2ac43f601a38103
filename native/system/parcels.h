/* The elements of all laws in parcels: neighbourhoods small enough for the nearest cache.
 * A parcel copies the places of its few hundred vertices, evaluates all of its elements there, several at once where
 * their law has a wide kernel, and leaves one share of force for each of its vertices. A vertex at the rim of a parcel
 * has shares in several, which are added in a fixed order: no atomics, and the same bytes for any number of threads.
 * Against rows of tension (laws.h) that saves writing a vector for each element and reading it back at each of its
 * corners.
 *
 * Only for targets along what z itself shows, which is what nearly all evaluations ask for: other guesses, and the
 * second derivatives, go through the rows. Elements so short that their direction is in doubt are evaluated one by
 * one here, too, by the laws' own functions. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "laws/laws.h"
#include "mesh/mesh.h"

/* The pieces of a cloth: vertices that elements join, links and pressure among them. What one does is felt by no other but
 * by contact, so sums over some of them do not depend on the rest. */

/* Cloth of more pieces is one piece. */
#define PIECES_MOST 1024

/* Numbers them in the order of their first vertices; those that are isolated go with the first. Returns how many. */
int pieces_number(const Mesh *mesh, const Laws *laws, int *piece);

/* Items of the pieces in runs, each of one piece. */
typedef struct PieceItems {
    int piece_count;
    int *first;  /* per piece: its first run; one more */
    Run *run;    /* piece by piece */
    Run *chosen; /* scratch: those of the pieces that take part */
} PieceItems;

/* Of `count` items, of which number i belongs to owner[i], in runs of so many at most. Arrays come from `store`, which
 * fails without memory, or without owners. */
void piece_items_build(PieceItems *items, int piece_count, int count, const int *owner, int longest,
                       Store *store);

/* Lists the runs of some pieces in `chosen`; returns how many. */
int piece_items_choose(const PieceItems *items, int piece_count, const int *pieces);

/* What the elements with linear forces (LAW_MATRIX) resist with: one product replaces them all. It is larger than the
 * nearest caches, so as little as possible of it is kept, and that is used twice. It is symmetric: entries above the
 * diagonal are not there. And two vertices that follow each other in a parcel, a row pair, have most of their columns in
 * common: they are listed once for both, with two numbers each. All numbers are force by place, N/m: minus the
 * stiffness. */
typedef struct ParcelMatrix {
    int *first; /* per parcel: its first row pair; count + 1. One without linear forces has none */
    int *start; /* per row pair, into their columns; all of them + 1 */
    uint16_t *column; /* PARCEL_STRIDE times the place in the parcel, ascending, before the pair */
    double *value;    /* per row pair: those between the two, 00, 01, 11; then of their columns */
} ParcelMatrix;
#define PARCEL_DIAGONAL 4 /* numbers within a row pair, and one that fills up */

/* Where the numbers of a row pair begin. */
static inline size_t parcel_values_from(const ParcelMatrix *matrix, int pair) {
    return 2 * (size_t)matrix->start[pair] + PARCEL_DIAGONAL * (size_t)pair;
}

typedef struct Parcels {
    int count, vertex_count;
    const Laws *laws;
    ParcelElements elements[LAWS_MOST][LAW_PATHS];
    ParcelMatrix matrix;
    /* Parcels of each piece: none has elements of two. Nothing where there is one. */
    PieceItems items;
    int *start;                      /* per parcel, into the two below; count + 1 */
    int *vertex;                     /* whose share it is */
    Vec3 *share;                     /* of force, N */
    double *energy;                  /* per parcel, J */
    int *share_start, *vertex_share; /* the shares of each vertex */
} Parcels;

/* The laws must stay where they are. */
StatusCode parcels_build(Parcels *parcels, const Mesh *mesh, const Laws *laws, int piece_count,
                         const int *piece, Store *store, Status *status);

/* Takes the laws' stiffness anew. */
void parcels_set_material(Parcels *parcels, Pool *pool);

/* Shares of force at z; returns the elastic energy, J. `present` shows the direction of what vanishes at z. Only the first
 * `chosen` of items.chosen are evaluated, unless it is PARCELS_ALL. */
#define PARCELS_ALL (-1)
double parcels_evaluate(Parcels *parcels, Pool *pool, int chosen, const Vec3 *z,
                        const Vec3 *present);

/* What the pool is given to evaluate parcels begin <= p < end of, for each kind of machine (parcel_forces.c). */
typedef struct ParcelWork {
    Parcels *parcels;
    const Vec3 *z, *present;
} ParcelWork;

/* The context is a ParcelWork. */
void parcels_pull(void *context, int begin, int end);
#if defined(__x86_64__)
void parcels_pull_avx2(void *context, int begin, int end);
void parcels_pull_avx512(void *context, int begin, int end);
#endif

/* Force on one vertex, N. */
static inline Vec3 parcels_force(const Parcels *parcels, int vertex) {
    int p = parcels->share_start[vertex], end = parcels->share_start[vertex + 1];
    if (p == end) {
        return vec3(0, 0, 0);
    }
    Vec3 sum = parcels->share[parcels->vertex_share[p]];
    for (++p; p < end; ++p) {
        sum = vec3_add(sum, parcels->share[parcels->vertex_share[p]]);
    }
    return sum;
}
