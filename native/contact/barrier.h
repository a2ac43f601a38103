/* The mirror plane of half a cloth, as the other half's touch. Where the two halves meet they meet in the plane, so
 * cloth that keeps its distance from itself keeps half of it from the plane x = 0, without friction: its image
 * moves along with it. */
#ifndef CONTACT_BARRIER_H
#define CONTACT_BARRIER_H

#include "contact/contacts.h"

/* `count` vertices at z, that were at `rest` in the beginning: those that began nearer than `thickness` (m) keep
 * that. `scale` is that of scale.h. Cloth beside the plane is there for a reason. */
void barrier_find(const Vec3 *rest, int count, double thickness, double scale, const Vec3 *z,
                  Contacts *contacts);

/* At the end of a substep nothing is beyond the plane but what was there from the beginning: sides of a slit may
 * overlap. */
void barrier_end(const Vec3 *rest, int count, double scale, Vec3 *z, Vec3 *velocity);

#endif
