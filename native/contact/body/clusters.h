/* How the surface of a body moves in a substep, cluster by cluster. Neighbouring triangles go nearly alike, which boxes
 * around all that they sweep do not tell: a vertex that goes along with an arm comes no nearer to it, however far both
 * go. So from its distance at the substep's start follows how near it can get, and most need not be searched for.
 * Lengths are in m. Queries read alone. */
#ifndef CONTACT_BODY_CLUSTERS_H
#define CONTACT_BODY_CLUSTERS_H

#include "geometry/wide_bvh.h"

typedef struct Clusters {
    int count;
    int *start, *vertices; /* per cluster: those of its triangles, each once */
    Box *boxes;            /* all that its triangles sweep */
    Vec3 *motion;          /* about the mean of theirs */
    double *stray;         /* the most by which a point of it goes otherwise */
    WideBvh tree;
} Clusters;

/* Of triangles in the given order, vertices being at x, in which neighbours should stand close together; those of two
 * parts never share a cluster. Arrays come from `store`. */
StatusCode clusters_build(Clusters *clusters, int triangle_count, const int *order,
                          int (*const corners)[3], const int *part, int vertex_count, const Vec3 *x,
                          Store *store, Status *status);

/* For a substep in which the vertices go from `start` to `end`. */
void clusters_move(Clusters *clusters, Pool *pool, const Vec3 *start, const Vec3 *end);

/* What a point can have met on its way, m. */
typedef struct ClusterBound {
    double distance; /* from all of the surface at the way's end, at least; no more than `known` */
    double
        approach; /* the most by which it can have come nearer to what may end within `meeting` of it */
} ClusterBound;

/* Of a point that goes from x to z and begins at least `clearance` away from the surface. */
ClusterBound clusters_bound(const Clusters *clusters, Vec3 x, Vec3 z, double clearance,
                            double known, double meeting);

#endif
