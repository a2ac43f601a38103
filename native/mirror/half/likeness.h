/* How alike the sides of a garment are, whatever their meshes: how far the mirror image of its surface is from it. A
 * garment that is cut in halves has one side simulated for both, so they must look alike. */
#ifndef MIRROR_HALF_LIKENESS_H
#define MIRROR_HALF_LIKENESS_H

#include "mirror/half/draft.h"

/* Refuses (mesh error) sides that are far from alike, warns of sides that are nearly so; both say how far, where, and what
 * to do instead. The draft's plane is known. */
StatusCode likeness_check(const Draft *draft, Status *status);

#endif
