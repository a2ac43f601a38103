/* The openings of a garment: borders that run around, such as cuffs, hems, collars and waists, and what of a body is in
 * them.
 *
 * Vertices that lie in one place at rest count as one, so that a seam that is not sewn is no border. Only parts of a garment
 * with two such borders or more are looked at, a sheet has one; and of these only borders that are long enough and behind
 * which the cloth goes on as a tube, not beside them as around a cut-out. */
#ifndef INSPECTION_OPENINGS_H
#define INSPECTION_OPENINGS_H

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"

typedef struct Opening {
    int first, count; /* of its edges */
    int component;    /* of the garment, by its number among all */
    double length;    /* m, as it is now */
    Vec3 middle;
    bool worn;     /* a body should pass through it */
    double filled; /* how much of it is inside of bodies, 0 to 1 */
} Opening;

typedef struct Openings {
    int count, component_count;
    Opening *openings;
    int (*edges)[2]; /* of the borders, in order around each */
    int *borders;    /* per part of the garment: how many borders it has */
    bool *held;      /* likewise: something of a body is in one of its openings */
    int *component;  /* per vertex: which part of the garment, seams being sewn */
} Openings;

/* Arrays come from `store`; `rest` is only read. */
StatusCode openings_build(Openings *openings, int vertex_count, int triangle_count,
                          const int (*triangles)[3], const Vec3 *rest, Store *store,
                          Status *status);

/* Told a place; whether it is inside of a body. */
typedef bool (*OpeningHolds)(void *context, Vec3 point);

/* Measures all of them where the garment is now; without `holds` they are empty. */
void openings_measure(Openings *openings, const Vec3 *x, OpeningHolds holds, void *context);

#endif
