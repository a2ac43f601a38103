/* From where a half is to where the caller's vertices are. */
#ifndef MIRROR_HALF_CARRY_H
#define MIRROR_HALF_CARRY_H

#include "mirror/half/half.h"

/* Where the caller's vertices are when the half's are at `positions` (in the half's frame); 3 floats each. Those of
 * extra parts are left as they are. Uses the half's room: one call at a time. The pool may be null. */
void half_carry(const Half *half, Pool *pool, const Vec3 *positions, float *caller_positions);
/* The same for velocities, as if lifts kept their direction. */
void half_carry_velocities(const Half *half, const Vec3 *velocities, float *caller_velocities);
/* The same in double precision for one vertex (not an extra one); where has_lifts, half_prepare() first. */
Vec3 half_place(const Half *half, const Vec3 *positions, int caller_vertex);
void half_prepare(const Half *half, Pool *pool, const Vec3 *positions);

#endif
