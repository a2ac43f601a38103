/* Anderson acceleration of a solver's iterations.
 * With c(z) the change an iteration makes at z, the next place is the combination of the last iterations' results
 * whose combined change is least. The energy guards it: where the extrapolated place is higher than the
 * one before, the iteration's own result is taken instead, which never is. */
#ifndef SOLVER_CONSTANT_ANDERSON_H
#define SOLVER_CONSTANT_ANDERSON_H

#include "solver/substep.h"

typedef struct Anderson Anderson;

/* Memory from `store`; null with a message on failure. */
Anderson *anderson_create(const System *system, Store *store, Status *status);

/* Forgets all iterations: at a substep's start, and after going back. */
void anderson_forget(Anderson *anderson);

/* To be called with the place an iteration starts from, before it. */
void anderson_begin(Anderson *anderson, const Vec3 *z);

/* After the iteration: z, its result, becomes the extrapolated place. Returns 0 where there is nothing to extrapolate from. */
int anderson_extrapolate(Anderson *anderson, const Substep *substep, Vec3 *z);

/* The result of the last iteration as it was, for going back. */
void anderson_go_back(Anderson *anderson, Vec3 *z);

#endif
