/* What brings open fronts together: a zip their edges, a button one over the other. */
#pragma once

#include "mirror/half/draft.h"

/* Brings the fronts of a half together as its options have it. Without a front: a warning. */
StatusCode closure_apply(Draft *draft, Status *status);

/* What links of a mesh that is its own image close across the plane. Seams from a place to its own image are a zip: `zipped`
 * marks their vertices. Buttons across are as many overlaps apart as they lie behind the fold of the other side: those two
 * options are set. Both together are no closure. */
Closure closure_of_links(const PolygonMesh *mesh, const MirrorFrame *frame, const int32_t *partners,
                         HalfOptions *options, uint8_t *zipped);
