/* How a surface, of a body or of the cloth, moves in a substep, in clusters of some dozens of neighbouring triangles.
 *
 * Triangles of a cluster move nearly alike. A vertex that moves along with an arm comes no nearer to it, however far both
 * move; boxes around all that they sweep do not show that. With its distance at the start of the substep this bounds how
 * near a vertex can get, and most vertices need no search. Lengths are in m. Queries only read. */
#pragma once

#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "geometry/bvh.h"

/* A point y of a cluster goes by drift + turn x (y - middle), but for `bend` at most. */
typedef struct ClusterTurn {
    Vec3 middle, drift, turn;
    double bend;
} ClusterTurn;

typedef struct Clusters {
    int count;
    int *first, *order;    /* per cluster: its triangles; the end */
    int *of;               /* per triangle: its cluster */
    int *start, *vertices; /* per cluster: those of its triangles, each once */
    Box *boxes;            /* all that its triangles sweep */
    Vec3 *motion;          /* about the mean of theirs */
    double *stray;         /* how much a point's motion differs from that at most */
    ClusterTurn *turns;    /* the same with a turn, which leaves less; of the bodies' alone */
    double fastest;        /* the most that a point of any goes */
    WideBvh tree;
} Clusters;

/* Of up to `size` triangles each, in the given order, which is that of a tree over those of each part: clusters are branches
 * of it. Vertices are at x; `part` null: there is but one. Arrays come from `store`. */
StatusCode clusters_build(Clusters *clusters, int size, int triangle_count, const int *order,
                          int (*const corners)[3], const int *part, int vertex_count, const Vec3 *x,
                          Store *store, Status *status);

/* For a substep in which the vertices go from `start` to `end`. `turning`: clusters_bound() will be called. */
void clusters_move(Clusters *clusters, Pool *pool, const Vec3 *start, const Vec3 *end,
                   bool turning);

/* Around all that they sweep. */
Box clusters_box(const Clusters *clusters);

/* Marks the clusters that may come within `reach` of cluster `other` of `others` at any time in the substep, or pass it.
 * `awake`: per cluster, 1 where marked; the others are left alone. */
void clusters_mark(const Clusters *clusters, const Clusters *others, int other, double reach,
                   uint8_t *awake);

/* Bounds for a point on its path, m. */
typedef struct ClusterBound {
    double distance; /* from all of the surface at the way's end, at least; no more than `known` */
    /* The most by which it can have come nearer to what may end within `meeting` of it */
    double approach;
} ClusterBound;

/* Of a point that goes from x to z and begins at least `clearance` away from the surface. */
ClusterBound clusters_bound(const Clusters *clusters, Vec3 x, Vec3 z, double clearance,
                            double known, double meeting);
