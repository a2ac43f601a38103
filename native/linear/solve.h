/* The repeated solve: L D L' x = b for three right-hand sides, again and again.
 * The factor is packed into dense panels (see panels.h and below), so a step touches no library, takes no
 * memory and reads each number twice: once forward, once backward. The three right-hand sides of an
 * unknown lie side by side with a fourth number, so that one vector instruction takes them all. */
#pragma once

#include <stdatomic.h>

#include "base/parallel.h"
#include "base/vec3.h"
#include "linear/fold.h"
#include "linear/panels.h"

typedef enum Precision {
    PRECISION_AUTO, /* single for many unknowns where a trial shows it to be good enough, else double */
    PRECISION_SINGLE,
    PRECISION_DOUBLE
} Precision;

typedef struct Solve Solve;

/* A task's part of the solve, forward from b and backward to x. */
typedef struct SolveKernels {
    void (*forward)(const Solve *solve, int task, const Vec3 *b);
    void (*backward)(const Solve *solve, int task, Vec3 *x);
} SolveKernels;

struct Solve {
    int size;
    Precision precision; /* of the numbers: SINGLE or DOUBLE */
    SolveKernels kernels;
    Panels panels;
    int *permutation; /* permutation[k]: the unknown of panels.column[k] */
    void *value;      /* panels.value_count floats or doubles */
    void *work;       /* panels.slot_count times four of them */
    /* Where only a part of the unknowns is asked for, which the others do not know: the panels and tasks that have some of
     * them; else null. */
    const uint8_t *awake_panel, *awake_task;
    atomic_int *done; /* of each task: 1 after forward, 2 after backward */
    /* Of a fold (see fold.h): the first columns of the late task are those beside the plane, the others on it. */
    int side;     /* how many */
    void *across; /* side^2 numbers: their own factor for x */
    void *aside;  /* side numbers: x of the right-hand side when the late task begins */
};

/* x = A^-1 b; x and b may be the same array. The same bytes for any number of threads; the pool may be null. */
void solve_apply(const Solve *solve, Pool *pool, const Vec3 *b, Vec3 *x);

/* --- made of a factor ------------------------------------------------------------------------- */

/* What the repeated solve keeps of a factor. With the columns of a panel in L D L'
 *
 *   [ L1 ]          S = (L1 D L1')^-1, the inverse of what is left of the matrix there
 *   [ L2 ]          B = L2 L1^-1
 *
 * the solve is: forward, y below -= B y; backward, y = S y - B' y below. Both are products of dense
 * blocks, in which no number waits for another. Kept are -B of all panels, then S of all, four rows at a time: the
 * four numbers of a column lie together, column after column. Rows are filled up with zeros. The factorisation gives
 * them in double precision (see numeric.h); the solve may have them rounded. */

/* Takes the memory of a solve whose panels are built. In double precision it reads `value` itself. */
StatusCode solve_reserve(Solve *solve, Precision precision, double *value, Store *store,
                         Status *status);

/* What x has of its own in a fold: the factor of what is left of the x matrix for the unknowns beside the plane, from
 * S and -B in double precision. Held ones are rows of the identity there, too. */
StatusCode solve_take_fold(Solve *solve, const double *value, const Fold *fold, const uint8_t *held,
                           Status *status);
