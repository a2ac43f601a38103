/* The clamped Hessian of the elastic energy at a place, as a matrix of its own: for products by the dozen.
 *
 * Laws whose second derivative is constant resist alike along y and z, and along x but for what crosses a mirror plane:
 * two numbers for each pair of vertices, filled once. Those with a Hessian of their own get 3 x 3 blocks at every place: first the
 * Hessian of each element, then each vertex sums up its own row, and what is constant between the same two. Pairs that
 * have no block, about two thirds of the constant ones, are multiplied four at a time, by one number each where there is
 * no mirror plane. Single precision is enough for directions of descent, and half of the memory that a product has to
 * read. */
#pragma once

#include "linear/matrix.h"
#include "system/system.h"

/* A vector of three, and one that fills up. */
typedef float HessianVector __attribute__((vector_size(16)));

/* A 3 x 3 block by its columns. */
typedef struct HessianBlock {
    HessianVector column[3];
} HessianBlock;

/* The Hessian of an element: by the first row twice, by first and second, its transpose, by the second twice. */
typedef struct ElementHessian {
    HessianBlock by[4];
} ElementHessian;

/* Where a law has each vertex. */
typedef struct HessianLaw {
    const Law *law;
    int *start, *corner; /* per vertex: corners of elements, width x element + place */
    /* Of laws with a Hessian: */
    ElementHessian *elements; /* per element */
    PieceItems items;         /* the elements of each body; nothing where there is one */
    int *slot;                /* width for each corner: entries of the row of blocks */
} HessianLaw;

/* Constant pairs without a block, four at a time: rows are filled up with weights of zero. */
#define HESSIAN_GROUP 4

typedef struct HessianFar {
    bool folded;   /* a pair has two weights: along x, along y and z; else one */
    int *start;    /* per vertex; whole groups */
    int *column;   /* per pair */
    int *slot;     /* per pair: its entry of the pattern, -1 for one that fills up */
    float *weight; /* per pair: scale times N/m */
} HessianFar;

typedef struct Hessian {
    const System *system;
    double scale;         /* of what is constant; 0: not known yet */
    Matrix pattern;       /* of the constant part; its values are not used */
    Matrix blocks;        /* likewise, of the part that changes */
    float (*constant)[2]; /* per entry of the pattern: scale times N/m along x, along y and z */
    HessianFar far;
    int *near;           /* per entry of `blocks`: that of the pattern, -1 where it has none */
    HessianBlock *block; /* per entry of `blocks`, scaled; on the diagonal see hessian_set_own() */
    HessianBlock *own;   /* per vertex: the diagonal as it was computed */
    int law_count;
    HessianLaw laws[LAWS_MOST];
} Hessian;

/* The laws must stay where they are. */
StatusCode hessian_build(Hessian *hessian, const System *system, Store *store, Status *status);

/* The same after the scale alone has changed: quick where it did by a power of two, with the same result. */
void hessian_rescale(Hessian *hessian, double scale);
/* scale times the constant part: after the material or the scale has changed. */
void hessian_refresh(Hessian *hessian, double scale);

/* scale times the part that changes, at z. */
void hessian_compute(Hessian *hessian, double scale, const Vec3 *z);

/* The block of a vertex alone, scaled. */
Block hessian_own(const Hessian *hessian, int vertex);

/* What products take in its place until the next hessian_compute(): all that resists at the vertex alone. */
void hessian_set_own(Hessian *hessian, int vertex, const Block *block);

/* Rows begin <= v < end times d, the first of them to product[0]. */
void hessian_multiply(const Hessian *hessian, int begin, int end, const HessianVector *d,
                      HessianVector *product);
