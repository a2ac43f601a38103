/* One body of a mirrored cloth: its partners, how symmetric it is, and what the half sees of it. */
#ifndef DOMAIN_MIRRORED_BODIES_H
#define DOMAIN_MIRRORED_BODIES_H

#include "cloth/domain/domain_state.h"

/* Copies a body, finds the partners of its vertices and measures it. After an error there is nothing to free. */
StatusCode body_read(const Domain *domain, const PolygonMesh *polygons, const BodySurface *surface,
                     DomainBody *body, Status *status);

/* How far `target` is from its own image. */
void body_measure(const Domain *domain, DomainBody *body);

/* Places of its vertices as the half sees them: the mean of each and of its partner's image. */
void body_for_half(const Domain *domain, const DomainBody *body, const float *places, float *seen);

#endif
