/* Inside of the solver by sweeps, shared by the files of this folder.
 *
 * The equation of a substep (solver/substep.h) is linearised once, at its start x: with d = z - x
 *
 *   A d = r,   A = I + h^2 (q J + s),   r = b + h^2 q F(x) + h^2 s (target - x)
 *
 * which divided by h is the published equation for the velocity v* = d / h [Kim 2006, eq. 5 and 8], with pins, air and
 * damping. It starts from d = h v. Contacts are not linear in d: they are linearised anew before every sweep. */
#pragma once

#include "linear/krylov.h"
#include "linear/ordering.h"
#include "solver/solver.h"
#include "solver/substep.h"

/* The matrix A of a substep, in 3 x 3 blocks on a sparsity pattern of its own.
 *
 * J is what the method takes for the second derivative of the laws (Jacobian in laws/law.h). Laws whose second
 * derivative is constant have their bounds in it, which for those of curvature are the hinges that represent them. Weak
 * laws are left out while they are weak enough: then only their force is in the equation, as published [Kim 2006,
 * ch. 3, on springs of type 2]. */

/* A law with a Hessian, and where its elements have each vertex. */
typedef struct SweepLaw {
    const Law *law;
    int *start, *corner; /* as law_list_corners() leaves them */
    int *slot;           /* per corner: its `width` entries of the row; of springs one */
    Block *hessian; /* per element: one block, or three of a law of two rows; none of springs */
    SpringHessian *spring; /* per element, of springs */
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

/* The blocks at x. */
void sweep_matrix_compute(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian,
                          const Vec3 *x);

typedef enum SweepIteration {
    ITERATION_GAUSS_SEIDEL,
    ITERATION_JACOBI,
    ITERATION_CG
} SweepIteration;

/* What a method is made of. */
typedef struct SweepPlan {
    Jacobian jacobian;
    SweepIteration iteration;
    int sweeps; /* 0: as many as the options say */
} SweepPlan;

typedef struct SweepSolver {
    Solver solver;
    SweepPlan plan;
    SweepMatrix matrix;
    Pcg pcg;             /* of methods with conjugate gradients */
    PcgExtra contact;    /* likewise: contacts, at `place` */
    const Vec3 *place;   /* z */
    Vec3 *right;         /* r, kg m */
    Vec3 *moved;         /* d, m */
    Vec3 *next;          /* of Jacobi's sweeps; the change of conjugate gradients */
    Vec3 *contact_right; /* r with the contacts as last linearised, kg m */
    Block *inverse;      /* of the diagonal blocks, likewise with contacts */
    uint8_t *touching;   /* per vertex: it had contacts when they were last linearised */
} SweepSolver;

/* --- passes.c ----------------------------------------------------------------------------------- */

/* The tables of a substep: inverses of all diagonal blocks, and r as it is without contacts. */
void sweep_fill_tables(SweepSolver *sweep);

/* Linearises the contacts at z = x + d into the tables, where there are any; leaves z. */
void sweep_linearise_contacts(SweepSolver *sweep, Vec3 *z);

/* One sweep over all vertices. */
void sweep_pass(SweepSolver *sweep);

/* The whole substep from z by conjugate gradients: research/sweep_cg.c. Leaves z. */
void sweep_solve(SweepSolver *sweep, Vec3 *z);

/* z = x + d. */
void sweep_positions(SweepSolver *sweep, Vec3 *z);
