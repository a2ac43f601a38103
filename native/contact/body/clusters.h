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

/* The most by which a point on its way from x to z can come nearer to what passes within `margin` of that way; 0 where
 * nothing does. */
double clusters_approach(const Clusters *clusters, Vec3 x, Vec3 z, double margin);

#endif
