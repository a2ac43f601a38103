/* Open fronts: where the cloth of a half ends beside the plane, and could be closed with its own mirror image.
 *
 * A front is a run of rim edges of the half that
 *   - are not joined to their image: not both ends are on the plane;
 *   - run along the plane: their direction is more than 45 degrees off its normal;
 *   - have their image near beside them and far along the rim: each vertex is nearer to the plane than a third of the
 *     way along the rim to the next vertex on the plane. Half way round a neck hole the image is as far across as it is
 *     around; at the front of a jacket it is a hand's breadth across, and around by the hem or the neck ten times
 *     as far. Holes that never come to the plane (cuffs, legs) are no fronts;
 *   - are together at least twice as long as the gap to their image is wide: a slit, not a hole.
 * Where a component of cloth has no vertex on the plane at all (two separate halves), its rim may be a front where it
 * is nearer to the plane than a third of what the rim's farthest vertex is.
 *
 * In which direction the cloth ends there does not matter: the front of a modelled jacket is often rolled up, so that
 * its rim faces the body. */
#ifndef MIRROR_CLOSURES_OPEN_FRONTS_H
#define MIRROR_CLOSURES_OPEN_FRONTS_H

#include "mirror/half/draft.h"

typedef struct OpenFronts {
    int edge_count;
    int (*edges)[2];   /* of all fronts */
    uint8_t *is_front; /* per vertex: of such an edge, and not on the plane */
    int vertex_count;
} OpenFronts;

/* Takes its memory from the draft's store. */
StatusCode open_fronts_find(Draft *draft, OpenFronts *fronts, Status *status);

#endif
