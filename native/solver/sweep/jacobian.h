/* The matrix of a substep that sweeps go through: inertia, soft pins and what the laws resist with, in 3 x 3 blocks on
 * a pattern of its own that has nothing but what is in it.
 *
 *   A = I + h^2 (q J + s)
 *
 * J is what the method takes for the second derivative of the laws (Jacobian in laws/law.h). Laws whose second
 * derivative is constant have their bounds in it, which for those of curvature are the hinges that stand in for them. Weak
 * laws are left out while they are weak enough: then their force alone is in the equation, as published [Kim 2006,
 * ch. 3, on springs of type 2]. */
#ifndef SOLVER_SWEEP_JACOBIAN_H
#define SOLVER_SWEEP_JACOBIAN_H

#include "linear/ordering.h"
#include "solver/substep.h"

/* A law with a curve, and where its elements have each vertex. */
typedef struct SweepLaw {
    const Law *law;
    int *start, *corner; /* as law_list_corners() leaves them */
    int *
        slot; /* width for each corner: entries of the vertex's row; of springs one, that of the other end */
    Block *curve; /* per element: one block, or three of a law of two rows; none of springs */
    SpringCurve *spring; /* per element, of springs */
} SweepLaw;

typedef struct SweepMatrix {
    Store store;
    Matrix pattern; /* its values: the constant part of J, N/m */
    BlockMatrix blocks;
    int *diagonal;    /* per vertex: its own entry */
    double *constant; /* per entry: what no state changes, kg */
    Colouring colours;
    bool inside[LAWS_MOST]; /* per law of the system: it is in J */
    SweepLaw laws[LAWS_MOST];
    int law_count;
    bool is_built;
} SweepMatrix;

/* For substeps as they are set now: builds the pattern anew where other laws are in J than before. Takes memory. */
StatusCode sweep_matrix_prepare(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian,
                                Status *status);
void sweep_matrix_destroy(SweepMatrix *matrix);

/* The blocks at x. */
void sweep_matrix_compute(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian,
                          const Vec3 *x);

#endif
