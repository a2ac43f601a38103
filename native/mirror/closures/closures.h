/* What brings open fronts together: a zip their edges, a button one over the other.
 *
 * A front is a stretch of the cloth's rim that could be closed with another one: its own mirror image where the cloth is a
 * half, else a stretch of the same border. It is made of rim edges that
 *   - are near what they could be closed with and far from it along the rim: each vertex is nearer to the middle of the
 *     gap, which in a half is the plane, than a third of the way along the rim to there. Half way round a neck hole the
 *     image is as far across as it is around; at the front of a jacket it is a hand's breadth across, and around by the
 *     hem or the neck ten times as far. Holes that never come to the plane (cuffs, legs) are no fronts;
 *   - run along the gap: their direction is more than 45 degrees off the way across;
 *   - are together at least twice as long as the gap is wide: a slit, not a hole.
 * Where a component of a half has no vertex on the plane at all (two separate halves), its rim may be a front where it
 * is nearer to the plane than a third of what the rim's farthest vertex is.
 *
 * In which direction the cloth of a half ends there does not matter: the front of a modelled jacket is often rolled up,
 * so that its rim faces the body. Without a plane it tells the fronts of a jacket from the hems of a garment that is laid
 * flat, which are near each other side by side: the cloth of each front, a hand's breadth of it, goes away from the other. */
#ifndef MIRROR_CLOSURES_CLOSURES_H
#define MIRROR_CLOSURES_CLOSURES_H

#include "mirror/half/draft.h"

/* Brings the fronts of a half together as its options have it. Without a front: a warning. */
StatusCode closure_apply(Draft *draft, Status *status);

/* Once the half has its numbers (-1: not in the half): from a draft with a button to the placket of its half. Returns -1
 * without memory, else 0. */
int placket_build(Draft *draft, const int32_t *number, Half *half);

/* --- open fronts ------------------------------------------------------------------------------ */

typedef struct OpenFronts {
    int edge_count;
    int (*edges)[2];   /* of all fronts */
    uint8_t *is_front; /* per vertex: of such an edge, and not on the plane */
    int vertex_count;
} OpenFronts;

/* --- buttons ---------------------------------------------------------------------------------- */

/* How far from the plane buttoned sides are moved apart, m: some overlaps, but no less than a hand's breadth on a
 * jacket, so that narrow overlaps of cloth with long edges are spread over some vertices. */
#define BUTTON_LEAST 0.08 /* of the mesh's size */
static inline double button_reach(const Draft *draft) {
    double reach = 1.5 * draft->options->overlap, least = BUTTON_LEAST * draft->size;
    return reach > least ? reach : least;
}

/* 1 for what was nearer to the line at rest, 0 from half as far again on. */
static inline double button_near(const Draft *draft, double distance) {
    double t = 2 * (distance / button_reach(draft) - 1);
    return t < 0 ? 1 : t < 1 ? 1 - t : 0;
}

/* One front over the other: the strips along both leave the half and ride on the other side's cloth. Sets the draft's
 * front_count: 0 where no cloth would be left beside the strip; nothing is changed then. */
StatusCode button_close(Draft *draft, const OpenFronts *fronts, Status *status);

/* The strip along an open front that a button lays over the other side: the outermost faces. */
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
