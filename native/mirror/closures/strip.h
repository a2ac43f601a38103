/* The strip along an open front that a button lays over the other side: the outermost faces. */
#ifndef MIRROR_CLOSURES_STRIP_H
#define MIRROR_CLOSURES_STRIP_H

#include "mirror/closures/open_fronts.h"

typedef struct Strip {
    uint8_t *is_face; /* per face of the draft: belongs to the strip */
    uint8_t *on_line; /* per vertex: of the strip and of the cloth beside it */
    uint8_t *inside;  /* per vertex: of the strip alone */
    int line_count;   /* 0: there is no strip */
    int (*line)[2];   /* sides between strip and cloth */
    Vec3 *inward;     /* per vertex on the line: from it into the cloth, of length 1 */
    int *level;       /* per vertex: rows between it and the rim; -1 beyond the strip */
    int fold; /* the level that reaches farthest towards the plane; 0: the front is not turned in */
    int fold_count;
    int (*fold_edges)[2]; /* of that level: the front as it is seen from outside */
} Strip;

/* The line comes as near to `width` (m) as it can, at least one row of faces from the front, or from the fold where the
 * front is turned in, and with as few steps across. Faces with vertices on the plane are no part of the strip. Takes
 * its memory from the draft's store: returns -1 without, else 0. */
int strip_choose(Draft *draft, const OpenFronts *fronts, double width, Strip *strip);

/* The place on these edges that is nearest to a point: which edge, and how far along it (0 to 1). Returns the
 * distance; there is at least one edge. */
double nearest_on_edges(const Draft *draft, int (*edges)[2], int count, Vec3 point, int *edge,
                        double *along);

#endif
