/* One body of a mirrored garment: its partners, how symmetric it is, and what the half sees of it. */
#ifndef GARMENT_BODIES_H
#define GARMENT_BODIES_H

#include "garment/state.h"

/* Copies a body, finds the partners of its vertices and measures it. After an error there is nothing to free. */
StatusCode body_read(const Garment *garment, const PolygonMesh *polygons,
                     const BodySurface *surface, GarmentBody *body, Status *status);

/* How far `target` is from its own image. */
void body_measure(const Garment *garment, GarmentBody *body);

/* Places of its vertices as the half sees them: the mean of each and of its partner's image. */
void body_for_half(const Garment *garment, const GarmentBody *body, const float *places,
                   float *seen);

#endif
