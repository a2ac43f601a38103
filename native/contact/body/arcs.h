/* Where the vertices of a body are between the two ends of a frame: on straight ways, or on arcs where it turns.
 *
 * Straight ways between two places of an arm that turns by an angle t make it shorter by cos(t/2) halfway: it would pass cloth
 * that the arm goes around. So vertices get the smoothed rotation of the triangles around. A vertex then goes along its axis evenly, and around it on the arc of that angle with its own two
 * ends: a part that only turns keeps its shape. Arcs that are hardly bent are taken as straight. Lengths are in m. */
#pragma once

#include "base/parallel.h"
#include "contact/body/clusters.h"

typedef struct Arcs {
    bool any;       /* some vertex is on one in this frame */
    Vec3 *turn;     /* per vertex: the axis times the angle, rad; zero: it goes straight */
    Vec3 *smoothed; /* likewise: scratch */
    Vec3 *triangle_turn;
} Arcs;

/* The surface that goes from `start` to `end`: triangles, and the corners of each vertex as in Collider. */
typedef struct ArcSurface {
    const Clusters *clusters;
    int vertex_count, triangle_count;
    int (*corners)[3];
    const int *corner_start, *corner;
    const Vec3 *start, *end;
} ArcSurface;

/* Arrays come from `store`. */
StatusCode arcs_build(Arcs *arcs, int vertex_count, int triangle_count, Store *store,
                      Status *status);

/* Finds those of a frame; the pool may be null. */
void arcs_find(Arcs *arcs, Pool *pool, const ArcSurface *surface);

/* Where a vertex with this turn is after a part t of the frame, 0 to 1. Both ends are exact. */
Vec3 arc_place(Vec3 start, Vec3 end, Vec3 turn, double t);
