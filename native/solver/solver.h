/* One interface for all solvers of a substep. */
#pragma once

#include <stdatomic.h>

#include "linear/factor.h"
#include "solver/substep.h"

typedef enum SolverKind { SOLVER_LINEAR, SOLVER_IMPLICIT, SOLVER_SWEEP, SOLVER_THREADS } SolverKind;

typedef enum EstimateKind {
    ESTIMATE_PREVIOUS,
    ESTIMATE_ROTATION,
    ESTIMATE_TRANSLATION
} EstimateKind;

/* How the linear solver spends its iterations. */
typedef enum Scheme {
    SCHEME_PLAIN,     /* local step, solve: the thesis's method */
    SCHEME_TWO_LEVEL, /* coarse Newton correction, then local step and solve */
    SCHEME_ANDERSON   /* plain iterations, extrapolated from the last few */
} Scheme;

/* What the two-level iterations reach, as a share of the converged motion. */
typedef enum Quality {
    QUALITY_CUSTOM, /* `iterations` iterations, whatever they reach */
    QUALITY_DRAFT,  /* 0.8 */
    QUALITY_FIT,    /* 0.95 */
    QUALITY_FINAL   /* 0.99 */
} Quality;

/* The family of solvers that go through the cloth vertex by vertex [Kim 2006]: what they take for the second derivative
 * of springs, and how they solve with it. */
typedef enum SweepMethod {
    SWEEP_KIM,     /* smoothed; Gauss and Seidel's sweeps, in place */
    SWEEP_KANG1,   /* scalar; two of Jacobi's sweeps [Kang et al. 2000] */
    SWEEP_KANG2,   /* along the springs; Jacobi's sweeps [Kang and Cho 2002] */
    SWEEP_DESBRUN, /* scalar; conjugate gradients, momentum restored after it [Desbrun et al. 1999] */
    SWEEP_CHOI_KO,   /* clamped; conjugate gradients [Choi and Ko 2002] */
    SWEEP_SYMPLECTIC /* none: symplectic Euler */
} SweepMethod;

typedef struct SolverOptions {
    Scheme scheme;
    Quality quality;
    EstimateKind estimate;
    int coefficient_count; /* of the estimate, newest first */
    double coefficients[GUESS_HISTORY - 1];
    Ordering ordering;
    Precision precision; /* of the packed factor */
    int iterations;
    bool prescribed;      /* its end is known but for contacts, found once; two-level */
    double pcg_tolerance; /* |r| / |b| */
    int pcg_limit;
    SweepMethod sweep_method;
    int sweeps; /* of each substep, by the methods that have a choice */
} SolverOptions;

/* Seconds and counts of the substeps since they were last cleared. What contacts take is in none of these seconds:
 * it is the contact world's own. */
typedef struct SolverWork {
    double force_seconds;    /* energies and forces, those of line searches included */
    double assemble_seconds; /* a substep's equation: its drive, its right-hand side, its matrix */
    double solve_seconds;    /* with the constant factor, on the coarse level, by iteration */
    double coarse_seconds;   /* part of solve_seconds */
    int pcg_iterations, newton_iterations;
    int sweeps;              /* over all vertices */
    int solves, corrections; /* with the constant factor; on the coarse level */
    int rejected;            /* corrections and extrapolations that would have raised the energy */
    int pcg_stopped;         /* solves that ended at the limit, short of the tolerance */
    double owed_seconds;     /* of sweeps that the deadline cut off; below 0: to spare */
    double pcg_residual;     /* the largest |r| / |b| that was left */
} SolverWork;

/* The states before a substep. */
typedef struct StateHistory {
    const Vec3 *positions[GUESS_HISTORY]; /* newest first: [0] is the present one */
    /* What it starts from: the present state for backward Euler, a combination of the last two for BDF2. */
    const Vec3 *start, *velocity;
    const Vec3 *present; /* where guesses begin; null: at the start */
} StateHistory;

typedef struct Solver Solver;
struct Solver {
    /* Brings matrices up to date with the system for substeps of this length. */
    StatusCode (*prepare)(Solver *solver, double length, Status *status);
    /* Finds the positions z at the end of the substep. Takes no memory. */
    void (*advance)(Solver *solver, const StateHistory *past, Vec3 *z);
    /* Frees what is not in the store; null: nothing. */
    void (*release)(Solver *solver);
    const atomic_int *cancelled; /* read between iterations: advance returns without a result */
    double deadline; /* of the sweeps, by timing_now(); 0: none. Results depend on the clock */
    System *system;
    Store store;
    Substep substep;
    double length;           /* of the substeps that it is prepared for, s; 0: not yet */
    unsigned matrix_version; /* likewise, of the system */
    double longest;          /* that substeps may be, s; 0: as long as they are */
    SolverOptions options;
    SolverWork work;
    bool two_level;      /* it has iterations of which a quality decides */
    bool unbalanced;     /* what it leaves may have another momentum than the forces give */
    int iterations;      /* of the latest substep, where a quality decides; else of every one */
    int coarse_unknowns; /* 0 without a coarse level */
    size_t bytes;
};

/* What each solver can, as bits of Ability, stands in one table with what makes it. */
Solver *solver_create(SolverKind kind, System *system, const SolverOptions *options,
                      Status *status);
void solver_destroy(Solver *solver); /* may be null */
bool solver_has(SolverKind kind, Ability ability);
/* Refuses what needs it, where neither the solver nor the model has it: "pressure is given", and the argument that has
 * the value. What is left out silently is not refused. */
StatusCode solver_refuse(SolverKind kind, ModelKind model, Ability ability, const char *what,
                         const char *name, double value, Status *status);

/* A solver of `size` bytes that begins with a Solver, all zero but for system and options, and then built. Null with a
 * message if that fails. */
Solver *solver_make(size_t size, System *system, const SolverOptions *options,
                    StatusCode (*build)(Solver *solver, Status *status), Status *status);

static inline bool solver_cancelled(const Solver *solver) {
    return solver->cancelled && atomic_load_explicit(solver->cancelled, memory_order_relaxed);
}

/* Are its matrices those of substeps of this length, of the system as it is now but for hard pins? */
static inline bool solver_is_current(const Solver *solver, double length) {
    return solver->length == length && solver->matrix_version == solver->system->matrix_version;
}

static inline void solver_set_current(Solver *solver, double length) {
    solver->length = length;
    solver->matrix_version = solver->system->matrix_version;
}

/* Constant matrix, factored once: local step, then one solve, `iterations` times [Choi 2013]. */
Solver *linear_solver_create(System *system, const SolverOptions *options, Status *status);

/* Of a linear solver: whether its factor is that of the system as it is now; the factor, null before it is prepared, and
 * its matrix. */
bool linear_solver_is_current(const Solver *solver);
const Factor *linear_solver_factor(const Solver *solver);
const Matrix *linear_solver_matrix(const Solver *solver);

/* Lets the next prepare start from the matrix alone, where its result would otherwise depend on how it
 * came about: a factor that has been updated differs from a new one in the last digits. */
void linear_solver_drop_updates(Solver *solver);

/* Conventional: Newton steps on the non-linear laws by conjugate gradients. One step without a line
 * search is the method of Baraff and Witkin; more are safeguarded by the incremental energy. */
Solver *implicit_solver_create(System *system, const SolverOptions *options, Status *status);

/* The same steps on woven cloth and ropes, without a matrix [KIST 2008]: for a system of MODEL_WOVEN. */
Solver *thread_solver_create(System *system, const SolverOptions *options, Status *status);

/* One linearisation a substep, and a few sweeps over the vertices: nearly explicit with one, the implicit step with
 * many [Kim 2006]. */
Solver *sweep_solver_create(System *system, const SolverOptions *options, Status *status);
