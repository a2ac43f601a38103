/* When the iterations of a substep may end.
 *
 * A quality is a promise about the motion, not a number of iterations. An error e of the positions costs at least
 * I e^2 / 2 of the incremental energy, so what is left to gain bounds how far off the cloth is. The error falls about as
 * one over the number of iterations, its energy as one over the square: what is left is a third of what the second half of
 * them gained. */
#pragma once

#include "solver/solver.h"

/* Iterations at most where a quality decides. */
#define MOST_ITERATIONS 64

typedef struct Convergence {
    int least, most;      /* iterations */
    bool layered;         /* layers meet all over */
    bool folding;         /* and their Newton steps have gained enough so far */
    int detect_always;    /* contacts are found again after each of the first so many iterations */
    int detect_every;     /* and then after every so many */
    bool detect_at_start; /* and at the start, unless that is the free flight: there layers have
                           * passed each other, and what pushes them back pushes sideways, too */
    int newton_interval; /* from the second on, one iteration in so many takes a Newton step; 0: none */
    int newton_last;     /* the last iteration that may */
    int newton_limit;   /* conjugate gradient iterations of each */
    int fold_steps;     /* Newton steps that follow where nothing touches, at most */
    int fold_limit;     /* conjugate gradient iterations of each */
    double fold_gain;   /* one that gains no more than this is the last, kg m^2 */
    double tolerance;   /* the energy that may be left to gain, kg m^2 */
    double least_share; /* the least part of gravity that an acceleration counts as, squared */
    double stagnation; /* gain of a late iteration over a middle one's at which contacts end them */
    double gravity_energy; /* twice the energy of gravity's acceleration, kg m^2 */
    double start_energy; /* energy where the cloth is; infinite if pins move, or of second order */
    double energy[MOST_ITERATIONS + 1]; /* after the first correction, and after each iteration */
} Convergence;

/* What accelerations are compared with: gravity, or the Earth's where there is none, m/s^2. */
double convergence_gravity(const System *system);

/* Does it take Newton steps? */
bool quality_takes_newton_steps(Quality quality);

/* `iterations` for the custom quality, else as many as it takes. `curved`: no flat sheet; `layered`: layers meet all over.
 * The substep's contacts have been found: they limit the iterations. */
void convergence_set(Convergence *convergence, const Substep *substep, Quality quality,
                     int iterations, bool curved, bool layered);

/* Records what a Newton step among contacts has gained, kg m^2. */
void convergence_record_newton(Convergence *convergence, double gained);

/* Does cloth among contacts take Newton steps where the substep holds the gradient? Between layers only where they fold. */
bool convergence_wants_newton(const Convergence *convergence, const Substep *substep);

/* Do the forces balance at z, but for a small part of the acceleration that may be left out? The substep holds the gradient
 * there. */
bool convergence_is_balanced(const Convergence *convergence, const Substep *substep, const Vec3 *z);

/* Is there little left to gain at z after `count` iterations? The substep holds the gradient there. */
bool convergence_has_converged(const Convergence *convergence, const Substep *substep,
                               const Vec3 *z, int count);
