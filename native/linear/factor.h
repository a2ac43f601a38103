/* The factor of a matrix in which some unknowns are held: analysed by CHOLMOD, computed panel by panel (see
 * numeric.h).
 * Held unknowns (hard pins) stay in the matrix as rows and columns of the identity, so the pattern,
 * the ordering and the symbolic analysis are the same for any set of pins. A few unknowns more or
 * less change only the panels on their way to the root (see numeric.h); anything else is a numeric factorisation. */
#pragma once

#include <stdint.h>

#include "base/parallel.h"
#include "base/status.h"
#include "linear/fold.h"
#include "linear/matrix.h"
#include "linear/ordering.h"
#include "linear/solve.h"

typedef struct Factor Factor;

typedef struct FactorReport {
    Ordering ordering;
    int64_t factor_nonzeros; /* of L with its diagonal */
    double flops;            /* of one numeric factorisation */
    double ordering_seconds, analysis_seconds, factor_seconds;
    int analysis_count, factor_count, row_update_count;
    Precision precision; /* of the packed numbers */
    double trial_error;  /* relative, of single precision in energy; 0 if not measured */
    double pack_seconds;
    size_t packed_bytes; /* that a solve reads, forward and backward once each */
    size_t bytes;
} FactorReport;

/* Orders and analyses the pattern of `matrix`, which must outlive the factor. `fold` may be null; what it points to
 * must outlive the factor too, and `softer` is read whenever the factor is computed. */
Factor *factor_create(const Matrix *matrix, const Fold *fold, Ordering ordering,
                      Precision precision, Status *status);

/* The precision that a factor is packed in whose largest component has so many unknowns, if a trial does not show it to be
 * too low. Folded ones count twice, for those that they stand for. */
Precision factor_precision(Precision asked, int size, int folded);

void factor_destroy(Factor *factor);

/* Threads for the numeric work, which must outlive the factor or be replaced; null: one. The same bytes for any. */
void factor_use_pool(Factor *factor, Pool *pool);

/* A factor has room for the numbers of a few matrices of its pattern: those of substeps of several lengths. All other
 * functions work on the set in use, 0 at first. A set takes its memory when it is first computed. */
#define FACTOR_SETS 5
void factor_use_set(Factor *factor, int set);
/* Whether a set has been computed with these unknowns held, and not changed since. */
bool factor_set_is_ready(const Factor *factor, int set, const uint8_t *held);
/* Frees all sets but the one in use. */
void factor_drop_others(Factor *factor);

/* Factors the matrix as it is now, with the unknowns where `held` is not 0 replaced by the identity.
 * Fails with a message that names the unknown if the matrix is not positive definite. */
StatusCode factor_compute(Factor *factor, const uint8_t *held, Status *status);

/* The same, knowing that only the set of held unknowns differs from the last factor_compute or
 * factor_hold. Chooses row updates or a new factorisation by how many differ. */
StatusCode factor_hold(Factor *factor, const uint8_t *held, Status *status);

/* As factor_hold, by row updates whatever their number: for measuring where they pay. */
StatusCode factor_update_rows(Factor *factor, const uint8_t *held, Status *status);

/* Solves are asked for the marked unknowns alone, until null is given: those of whole components of the matrix. What is given
 * of the others has to be finite, and nothing is answered for them. */
void factor_restrict_to(Factor *factor, const uint8_t *marked);

/* True if rows have been updated since the last factor_compute. */
bool factor_is_updated(const Factor *factor);

/* The packed triangular factors for the repeated solve. Valid until the next change. */
const Solve *factor_solve(const Factor *factor);

/* A solve in double precision, panel by panel: slow, for reports. x and b may
 * be the same array. A fold is not reckoned with: x is solved as y and z are. */
void factor_solve_exactly(const Factor *factor, const Vec3 *b, Vec3 *x);

void factor_report(const Factor *factor, FactorReport *report);
