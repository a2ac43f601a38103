/* Inside of the linear solver, shared by its schemes. */
#pragma once

#include "solver/coarse/coarse.h"
#include "solver/constant/schwarz.h"
#include "solver/groups.h"
#include "solver/rigid.h"
#include "solver/solver.h"
#include "system/hessian.h"

/* --- anderson.c: Anderson acceleration ------------------------------------------------------------ */

/* With c(z) the change that an iteration makes at z, the next place is the combination of the last results whose combined
 * change is least. The energy guards it: where the extrapolated place is higher than the one before, the iteration's own
 * result is taken instead, which never is. */
typedef struct Anderson Anderson;

/* Memory from `store`; null with a message on failure. */
Anderson *anderson_create(const System *system, Store *store, Status *status);
/* Forgets all iterations: at a substep's start, and after going back. */
void anderson_forget(Anderson *anderson);
/* To be called with the place that an iteration starts from, before it. */
void anderson_begin(Anderson *anderson, const Vec3 *z);
/* After it: z, its result, becomes the extrapolated place. Returns 0 where there is nothing to extrapolate from. */
int anderson_extrapolate(Anderson *anderson, const Substep *substep, Vec3 *z);
/* Back to the result as it was. */
void anderson_go_back(Anderson *anderson, Vec3 *z);

/* --- the solver ------------------------------------------------------------------------------------ */

/* A contact of several vertices in a Newton step. */
typedef struct SharedContact {
    int contact;
    double along, across; /* stiffness along and across its normal, kg */
    Vec3 moved;           /* its point, by the search direction */
    Vec3 pull;            /* the stiffness times that, kg m */
} SharedContact;

/* Such a contact at one of its vertices. */
typedef struct SharedCorner {
    int shared;
    double weight;
} SharedCorner;

/* Scratch of steps among contacts: solve_step.c and newton_step.c. */
typedef struct StepScratch {
    Vec3 *residual, *preconditioned, *direction, *product;
    Vec3 *begun;                     /* the residual at the start of a stage */
    HessianVector *direction_single; /* in single precision */
    Block *own;                      /* per vertex: diagonal block of the Hessian with contacts */
    Block *touch;                    /* per vertex: the part of contacts of that vertex alone */
    SharedContact *shared;           /* vertex_count at most */
    int shared_count;
    int *corner_start;    /* per vertex: its corners of shared contacts, in their order */
    SharedCorner *corner; /* CONTACT_VERTICES x vertex_count at most */
} StepScratch;

/* Closed volumes that resist: see solve_step.c. */
typedef struct VolumeSolve {
    bool stiff;         /* there are some in this substep */
    Vec3 *response;     /* per vertex: A^-1 g */
    double *compliance; /* per chamber: g . A^-1 g */
    double *sum;        /* per chamber: scratch */
} VolumeSolve;

/* Which matrix a set of the factor's numbers is of. */
typedef struct FactoredLength {
    double length; /* of substeps, s; 0: none */
    unsigned matrix_version;
    unsigned used; /* when it was last needed: a count */
} FactoredLength;

typedef struct LinearSolver {
    Solver solver; /* first: the two addresses are one */
    Matrix matrix; /* A = I + h^2 (q K + s), on the pattern of K */
    Factor *factor;
    FactoredLength lengths[FACTOR_SETS]; /* of the factor's sets */
    int set;                             /* the one in use */
    unsigned uses;
    bool sides_apart; /* it knows that hinges across the mirror plane do not resist along x */
    double *softer;   /* per vertex, kg: h^2 q times the system's `across`, for the factor's fold */
    unsigned pins_version; /* of the system, as factored */
    Coarse *coarse;        /* of the two-level scheme; null before it is prepared */
    Anderson *anderson;    /* of the two schemes that extrapolate */
    Vec3 *change, *trial;
    /* Where the constant matrix does not bound all laws: */
    double relaxation; /* part of their change that solves take: 1, halved by backtracking */
    double step_taken; /* part of the change that the last solve took, from the trial */
    VolumeSolve volumes;
    StepScratch scratch;
    Hessian hessian; /* where Newton steps are taken; else empty */
    Schwarz schwarz; /* likewise */
    Rigid rigid;     /* of the two-level scheme, with those below */
    Islands islands;
    Groups groups;
} LinearSolver;

/* Solver.advance of each scheme. */
void linear_advance_plain(Solver *solver, const StateHistory *past, Vec3 *z);
void linear_advance_two_level(Solver *solver, const StateHistory *past, Vec3 *z);
void linear_advance_anderson(Solver *solver, const StateHistory *past, Vec3 *z);

/* A local step at z: its energy, and the gradient there. */
double linear_evaluate(LinearSolver *linear, const Vec3 *z);

/* Takes the change from z, halved up to so many times less one until it lowers the energy. Returns 0, with all
 * as it was, if none of them does. Energy and gradient are those of z before and after. */
int linear_line_search(LinearSolver *linear, int halvings, Vec3 *z, double *energy);

/* left = A^-1 right */
void linear_apply_factor(LinearSolver *linear, const Vec3 *right, Vec3 *left);

/* What volumes add to A: arrays for it, and its numbers at the start of a substep. */
bool linear_allocate_volumes(LinearSolver *linear);
void linear_update_volumes(LinearSolver *linear);

/* A safeguarded Newton step from z, of so many conjugate gradient iterations at most, where the gradient is that of z and
 * `energy` the energy there. Returns 1 if it was taken: z, energy and gradient are then new. */
int linear_newton_step(LinearSolver *linear, int limit, Vec3 *z, double *energy);

/* z -= A^-1 gradient, or as far as contacts let it. Returns about what that gains among contacts, kg m^2. Where A does not
 * bound all laws it may raise the energy: linear_backtrack() undoes that, as long as change and trial are left alone. */
double linear_solve_step(LinearSolver *linear, Vec3 *z);

/* After such a solve, which began at an energy of `bound` and among the same contacts: halves it until the energy is not
 * above that. Energy and gradient are those of z before and after. Returns how often. */
int linear_backtrack(LinearSolver *linear, double bound, Vec3 *z, double *energy);

/* Both in one, without evaluating the energy where A bounds all laws. `energy` is that at z; not a number where it is
 * not known. */
double linear_safe_step(LinearSolver *linear, Vec3 *z, double energy);
