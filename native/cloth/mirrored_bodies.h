/* One body of a mirrored cloth: its partners, how symmetric it is, and what the half sees of it. */
#ifndef CLOTH_MIRRORED_BODIES_H
#define CLOTH_MIRRORED_BODIES_H

#include "cloth/state.h"

/* Copies a body, finds the partners of its vertices and measures it. After an error there is nothing to free. */
StatusCode body_read(const Cloth *cloth, const PolygonMesh *polygons, const BodySurface *surface,
                     ClothBody *body, Status *status);

/* How far `target` is from its own image. */
void body_measure(const Cloth *cloth, ClothBody *body);

/* Places of its vertices as the half sees them: the mean of each and of its partner's image. */
void body_for_half(const Cloth *cloth, const ClothBody *body, const float *places, float *seen);

#endif
