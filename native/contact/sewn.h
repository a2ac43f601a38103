/* Which vertices of the cloth are sewn to which: faces on both sides of a seam are neighbours that end in one place, and
 * do not meet. */
#ifndef CONTACT_SEWN_H
#define CONTACT_SEWN_H

#include <stdbool.h>

#include "base/memory.h"
#include "base/status.h"

/* A vertex is sewn to another one, or to a point between two: then `others` are these. */
typedef struct SewnPair {
    int vertex, others[2]; /* the second is -1 where there is one only */
} SewnPair;

typedef struct Sewn {
    int *
        knot; /* per vertex: the vertex that stands for all that are sewn into one place; -1: not sewn */
    int *start,
        *beside; /* per vertex that stands for a knot: those of knots beside it, between which it is sewn */
} Sewn;

/* Arrays come from `store`. */
StatusCode sewn_build(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs, Store *store,
                      Status *status);

/* Whether a seam joins two faces, or edges that have a vertex twice. What has a vertex in common is not meant. */
bool sewn_together(const Sewn *sewn, const int first[3], const int second[3]);

#endif
