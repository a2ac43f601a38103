/* Refusals that say how many and where: a count and the first few places. */
#ifndef MIRROR_HALF_REFUSAL_H
#define MIRROR_HALF_REFUSAL_H

#include "base/status.h"
#include "mesh/polygon.h"

typedef struct Refusal {
    int count, listed;
    int first[DETAIL_ELEMENTS];
} Refusal;

static inline void refusal_add(Refusal *refusal, int element) {
    if (refusal->listed < DETAIL_ELEMENTS) {
        refusal->first[refusal->listed++] = element;
    }
    ++refusal->count;
}

/* With elements listed: a mesh error, "COUNT WHAT: vertex 3 at (x, y, z), ...", where WHAT is said of one element or
 * of many, and its detail. Without: OK, and the status is left alone. Faces and loose edges, the other kinds there are,
 * are placed by the mean of their vertices. */
StatusCode refusal_status(const Refusal *refusal, DetailCode code, DetailElement kind,
                          const PolygonMesh *mesh, const char *one, const char *many,
                          Status *status);

#endif
