/* Calls for benches and tests of Muslin itself. They are refused for a mirrored cloth, whose matrix is that of its half, and for
 * one with a budget.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MUSLIN_DEBUG_H
#define MUSLIN_DEBUG_H

#include "muslin.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Least and largest eigenvalue of the system matrix of the free vertices, divided by their masses (M^-1/2 A M^-1/2), by
 * Lanczos iterations on the prepared cloth. */
MUSLIN_API MuslinStatus muslin_debug_eigenvalues(MuslinCloth cloth, double *smallest,
                                                 double *largest);

/* One bare solve with the prepared factor: 3 x vertex_count numbers in, the same out. `iterations` >= 1 repeats it; `seconds`
 * (may be null) is the time of all. */
MUSLIN_API MuslinStatus muslin_debug_solve(MuslinCloth cloth, double *right_hand_side,
                                           int32_t iterations, double *seconds);

#ifdef __cplusplus
}
#endif
#endif
