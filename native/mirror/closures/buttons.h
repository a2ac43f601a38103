/* Buttons of a half: one front over the other, by strips that leave it. */
#pragma once

#include "mirror/half/draft.h"

/* What of the fronts is in a half: one side of each; the other is beyond the plane. */
typedef struct OpenFronts {
    int edge_count;
    int (*edges)[2];
    uint8_t *is_front; /* per vertex: of such an edge, and not on the plane */
    int vertex_count;
} OpenFronts;

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
