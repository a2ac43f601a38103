/* Refusals that say how many and where: a count and the first few places. */
#ifndef MIRROR_HALF_REFUSAL_H
#define MIRROR_HALF_REFUSAL_H

#include "base/status.h"
#include "mesh/polygon.h"

#define REFUSAL_PLACES 3

typedef struct Refusal {
    int count;
    int first[REFUSAL_PLACES];
} Refusal;

typedef enum RefusalKind { REFUSAL_VERTEX, REFUSAL_FACE, REFUSAL_EDGE } RefusalKind;

static inline void refusal_add(Refusal *refusal, int element) {
    if (refusal->count < REFUSAL_PLACES) {
        refusal->first[refusal->count] = element;
    }
    ++refusal->count;
}

/* With elements listed: a mesh error, "COUNT WHAT: vertex 3 at (x, y, z), ...", where WHAT is said of one element or
 * of many. Without: OK, and the status is left alone. Faces and edges are placed by the mean of their vertices. */
StatusCode refusal_status(const Refusal *refusal, RefusalKind kind, const PolygonMesh *mesh,
                          const char *one, const char *many, Status *status);

#endif
