/* Which parts of the cloth are on the wrong side of what they pass through, by the whole contour of the intersection
 * (Baraff, Witkin and Kass 2003, Untangling Cloth: global intersection analysis).
 *
 * Edges that pierce a triangle cut the surface along the contour into regions. The largest region of each connected piece
 * is where it should be. Every other is as many contours from there as its level says, and has to go back through what
 * cuts it off: a sleeve through a flank by its cuff, a dent through the layer above it by its brim.
 *
 * A contour may end inside of the surface, where a border of the other one passes through it. Then the two sides of it
 * spread over the surface until they meet: what is nearly cut off is much smaller than what lies around it. Of a slit both
 * sides are alike, and say nothing. */
#pragma once

#include "contact/self/self_pairs.h"

typedef struct Flood {
    double *area; /* per vertex, at rest, m2 */
    uint8_t *
        cut; /* per edge: it pierces an odd number of triangles, so that its ends are on different sides */
    int *edges, edge_count; /* those that are cut */
    int *region, *piece;    /* per vertex: the one that stands for its region, and for its piece */
    int *rim,
        *queue;   /* per vertex: which side of an open contour reached it first; in which order */
    double *size; /* per region, m2 */
    int *level;   /* per region; the largest has 0 */
    int *largest; /* per piece: its largest region */
    Vec3 *way;    /* per region: sum of the unit directions in which its rim has to go */
    int *pierced; /* per region: of so many */
} Flood;

/* Arrays come from `store`. */
StatusCode flood_build(Flood *flood, const Skin *skin, Store *store, Status *status);

/* Finds the regions that the piercings among the pairs cut off. Takes time in proportion to the cloth. */
void flood_find(Flood *flood, const SelfPairs *pairs);

/* In which direction the edge of a piercing has to go past its triangle; shorter than 1 where the two surfaces disagree, zero
 * where nothing is cut off. */
Vec3 flood_way(const Flood *flood, const SelfPairs *pairs, const SelfPair *piercing);
