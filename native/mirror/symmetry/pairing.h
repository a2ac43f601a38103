/* One mirror partner for each vertex. Most vertices have one vertex alone near their image. Where several are in
 * one place (seams, layers), neighbours of partners become partners. */
#ifndef MIRROR_SYMMETRY_PAIRING_H
#define MIRROR_SYMMETRY_PAIRING_H

#include "base/status.h"
#include "mirror/symmetry/neighbours.h"
#include "mirror/symmetry/places.h"

/* Fills `partners`: the partner of each vertex, itself on the plane, -1 for none; a partner's partner is the
 * vertex itself. `places` are set, with the tolerance as their reach. Distances that differ by less than
 * `same_place` (m) do not decide. */
StatusCode pair_vertices(const Places *places, const Neighbours *neighbours, double same_place,
                         int32_t *partners, Status *status);

#endif
