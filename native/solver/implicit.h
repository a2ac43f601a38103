/* Newton's method on a substep's incremental energy, each step by conjugate gradients: what the conventional solver and
 * that of threads share. One step without a line search is the method of Baraff and Witkin; more are safeguarded by the
 * energy. What it needs of a solver is the second derivative at a place, as a matrix or as a product. */
#pragma once

#include "linear/krylov.h"
#include "solver/solver.h"

typedef struct Newton Newton;
struct Newton {
    Solver solver; /* the first of whatever solver this is the first of */
    Pcg pcg;
    /* Brings the second derivative at z up to date: I + h^2 (q H(z) + s), clamped. It may set pcg.extra. */
    void (*assemble)(Newton *newton, const Vec3 *z);
    const BlockMatrix *matrix; /* what it is made in; null: it is all in pcg.extra */
    const Vec3 *place;         /* where it was made */
    Vec3 *change, *trial;
};

/* Takes what every Newton solver needs, and sets `advance`. */
StatusCode newton_build(Newton *newton, Status *status);

static inline bool newton_is_touching(const Newton *newton) {
    return substep_contact_count(&newton->solver.substep) > 0;
}
