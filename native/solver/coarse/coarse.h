/* The coarse level: a few dozen smooth functions over the cloth, and a Newton correction in them with
 * the true Hessian.
 *
 * The constant matrix resists every motion as stretch does, so a stiff sheet turns and bends slowly:
 * one iteration leaves h^2 k p^2/rho over one plus itself of the error at wave number p. Loads drive the
 * smooth motions, and those few can be corrected exactly.
 *
 * The functions are those of coarse_parts.h.
 *
 * Hessian: stretch is sampled at a few hundred elements, each standing for the area around it; the
 * rest is constant and projected once. */
#pragma once

#include "solver/substep.h"

typedef struct Coarse Coarse;

/* It is built in steps: begun (null with a message on failure); parts 0 to COARSE_PARTS - 1 taken, which depend on
 * the mesh alone, use one thread, and may be taken in any order or side by side; and finished. */
#define COARSE_PARTS 3
Coarse *coarse_begin(System *system, Status *status);
StatusCode coarse_build_part(Coarse *coarse, int part, Status *status);
StatusCode coarse_finish(Coarse *coarse, Status *status);
void coarse_destroy(Coarse *coarse);

/* Unknowns of the coarse system, three for each function. */
int coarse_unknowns(const Coarse *coarse);

/* 1 unless the cloth at rest is about as flat as a sheet. */
bool coarse_is_curved(const Coarse *coarse);
size_t coarse_bytes(const Coarse *coarse);

/* Projects what is constant: after the material or the substep's length have changed. What does not depend on pins is kept in a
 * set of its own, as of the factor: coarse_use_set() goes back to it. After hard pins alone have changed, coarse_update_pins() is
 * enough. */
void coarse_prepare(Coarse *coarse, const Substep *substep, int set);
void coarse_use_set(Coarse *coarse, const Substep *substep, int set);
void coarse_update_pins(Coarse *coarse, const Substep *substep);

/* To be called after other pieces of the cloth take part (groups.h). */
void coarse_wake(Coarse *coarse);

/* Newton correction for the gradient that substep_gradient() has left for z, where it evaluated the contacts, too: z
 * should become z - change. `offset`, if not null, holds for every vertex how far its hard pin is from z: the correction
 * then also carries the pins there, and the gradient of held vertices is taken as zero. Returns false if the
 * coarse Hessian is not positive definite; `change` is then zero. */
bool coarse_correct(Coarse *coarse, const Substep *substep, const Vec3 *z, const Vec3 *offset,
                    Vec3 *change);

/* The functions, for tests: see coarse_parts.h. */
const struct Basis *coarse_basis(const Coarse *coarse);
