/* The open fronts of all of a garment, without a plane; closures.h says what counts as one. */
#ifndef MIRROR_CLOSURES_FRONTS_H
#define MIRROR_CLOSURES_FRONTS_H

#include "base/status.h"
#include "mesh/polygon.h"

/* `numbers`: per vertex that of its front, from 1 on and below 0 on the other side of the gap; 0 elsewhere. */
StatusCode fronts_find(const PolygonMesh *mesh, int32_t *numbers, Status *status);

#endif
