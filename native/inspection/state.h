/* Inside of an inspection, shared by the files of this folder. */
#ifndef INSPECTION_STATE_H
#define INSPECTION_STATE_H

#include "contact/body/collider.h"
#include "inspection/crossings.h"
#include "inspection/inspection.h"
#include "inspection/openings.h"

typedef struct InspectedBody {
    bool present;
    Store store;
    Collider collider;
    InspectedSurface surface; /* of the collider's triangles */
    Vec3 *place;
    int *guess; /* per vertex of the cloth: the triangle that was nearest; -1 for none */
    bool solid; /* a part of it is */
    /* Scratch. An island is what hangs together of the surface without edges that pass through the cloth; it is known by
     * its first vertex. */
    int *island;                       /* per vertex of the body */
    double *island_area;               /* m^2 */
    Vec3 *island_vector;               /* sum of its area vectors */
    int *largest;                      /* per part: its largest island */
    double area;                       /* m^2, of all islands */
    Crossings cloth_edges, body_edges; /* through each other */
} InspectedBody;

/* The nearest solid at a vertex. */
typedef struct Nearness {
    double distance; /* m, negative inside; infinite without a solid */
    Vec3 normal;     /* of the body there, unit */
    int body;
} Nearness;

struct Inspection {
    Store store;
    Mesh mesh;
    Vec3 *x;
    int (*triangles)[3];
    InspectedSurface surface;
    Openings openings;
    InspectedBody *bodies;
    int body_count;
    Nearness *near;   /* per vertex */
    double *ratios;   /* per edge: scratch */
    const Sewn *sewn; /* null: nothing is */
    Crossings self;
    double size;      /* m: the root of its area */
    double tolerance; /* m: lengths that mean nothing */
    bool solid;       /* one of the bodies is */
    InspectionPlace places[PLACE_KINDS][PLACES_EACH];
    int place_count[PLACE_KINDS];
};

static inline void add_place(Inspection *inspection, InspectionPlace place) {
    int *count = &inspection->place_count[place.kind];
    if (*count < PLACES_EACH) {
        inspection->places[place.kind][(*count)++] = place;
    }
}

/* --- depths.c: which vertices are behind solids ----------------------------------------------------- */

void depths_find(Inspection *inspection, Pool *pool);
void depths_report(Inspection *inspection, InspectionReport *report);
/* Whether a solid is around a point; for openings_measure(), with the inspection as context. */
bool depths_hold(void *context, Vec3 point);

/* --- worn.c: limbs that are not where they should be, and the wrong side out ------------------------- */

void worn_report(Inspection *inspection, InspectionReport *report);

#endif
