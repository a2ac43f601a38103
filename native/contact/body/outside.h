/* Keeps points outside of solids that are no vertices of the cloth, but ride on it: by geometry alone, where bodies
 * are at the substep's end. */
#ifndef CONTACT_BODY_OUTSIDE_H
#define CONTACT_BODY_OUTSIDE_H

#include "base/parallel.h"
#include "contact/body/collider.h"

/* What a point met last, so that it is found sooner; begins with body -1. */
typedef struct OutsideHint {
    int32_t body, triangle;
    int32_t beyond; /* the caller's to use */
} OutsideHint;

/* Points that are up to `reach` (m) behind a surface, or nearer before it than a quarter of its thickness, are put
 * there. `bodies` may hold nulls. Sheets have no inside. */
void outside_put(Pool *pool, Collider *const *bodies, int body_count, double reach, int count,
                 OutsideHint *hints, Vec3 *points);

#endif
