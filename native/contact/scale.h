/* The scale of contact's lengths: search distances, the reach of friction, the speed of recovery. Each is given in metres
 * where it is used, for a shell of 4 mm, and scales with the shell, so that doll's clothes, shirts and tents behave alike.
 * The exception is a thin shell on cloth of long edges: there the edges set the scale, since they bound how far the cloth
 * moves in a substep. */
#pragma once

#include <math.h>

/* As float32, which callers' numbers come in: of their 4 mm the scale is 1 to the bit. */
#define CONTACT_USUAL_THICKNESS 0.004f
/* Shells thinner than this part of the cloth's mean edge have the lengths of one that is not. */
#define CONTACT_LEAST_SHARE 0.1
/* Friction acts up to this far outside a shell, m at the usual thickness: resting cloth trembles by less. */
#define CONTACT_GRIP_RANGE 1e-3
/* Speed at which cloth comes out of a body that it was in from the start, m/s, likewise. */
#define CONTACT_RECOVERY 0.4

/* Of a shell, and the mean edge of the cloth that meets it (0: not known), both in m. */
static inline double contact_scale(double thickness, double mean_edge) {
    double least = CONTACT_LEAST_SHARE * mean_edge;
    return (thickness > least ? thickness : least) / (double)CONTACT_USUAL_THICKNESS;
}

/* The map of thickness: bodies and layers are searched with the largest thickness that any vertex keeps, and each vertex
 * has a share of it. A place inside of an edge or a face keeps the mean share of its vertices, two layers that of both
 * sides. `share` null: all vertices keep all of it. */
static inline double contact_share(const double *share, int count, const int *vertices,
                                   const double *weights) {
    double sum = 0, total = 0;
    for (int j = 0; share && j < count; ++j) {
        sum += fabs(weights[j]) * share[vertices[j]];
        total += fabs(weights[j]);
    }
    return total > 0 ? sum / total : 1.0;
}
