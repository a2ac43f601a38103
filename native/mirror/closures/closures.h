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

/* Once the half has its numbers (-1: not in the half): from a draft with a button to the placket of its half. Returns -1
 * without memory, else 0. */
int placket_build(Draft *draft, const int32_t *number, Half *half);

/* What of the fronts is in a half: one side of each; the other is beyond the plane. */
typedef struct OpenFronts {
    int edge_count;
    int (*edges)[2];
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

/* The place on these edges that is nearest to a point: which edge, and how far along it (0 to 1). Returns the
 * distance; there is at least one edge. */
double nearest_on_edges(const Draft *draft, int (*edges)[2], int count, Vec3 point, int *edge,
                        double *along);
