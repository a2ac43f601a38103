/* How far points are from bodies, at the substep's end. Lengths are in m. */
#ifndef CONTACT_BODY_GAPS_H
#define CONTACT_BODY_GAPS_H

#include "base/parallel.h"
#include "contact/body/collider.h"

typedef struct BodyGap {
    double gap; /* from the nearest surface; negative inside of a solid; infinite without bodies */
    double thickness; /* of that surface; 0 without */
} BodyGap;

/* `bodies` may hold nulls; all of their limbs are awake. Of solids that overlap, a point inside of some is as deep as
 * the deepest says. */
void gaps_measure(Pool *pool, Collider *const *bodies, int body_count, int count,
                  const Vec3 *points, BodyGap *gaps);

#endif
