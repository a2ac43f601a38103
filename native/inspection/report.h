/* What an inspection reports: the severity of a placement, what is wrong, and where. */
#pragma once

#include <stdint.h>

/* Severity of the placement. */
typedef enum InspectionLevel {
    INSPECTION_CLEAN,
    INSPECTION_SLIGHT, /* the simulation should resolve it */
    INSPECTION_BAD     /* it is unlikely to */
} InspectionLevel;

/* What is wrong, as bits. */
enum {
    FOUND_INSIDE = 1,       /* vertices behind the surface of a solid */
    FOUND_BODY_PIERCED = 2, /* edges of the cloth through faces of a body, or the other way round */
    FOUND_SELF_PIERCED = 4,
    FOUND_LIMB_OUTSIDE = 8, /* a limb passes through the cloth, or an opening holds none */
    FOUND_INSIDE_OUT = 16,
    FOUND_TOO_LARGE = 32,
    FOUND_NOT_WORN = 64 /* all openings are empty, and nothing touches */
};

typedef enum InspectionPlaceKind {
    PLACE_INSIDE,        /* a vertex; depth */
    PLACE_THROUGH_BODY,  /* an edge of the cloth through a body's triangle */
    PLACE_THROUGH_CLOTH, /* an edge of a body through a triangle of the cloth */
    PLACE_THROUGH_SELF,  /* an edge of the cloth through a triangle of it */
    PLACE_LIMB,          /* a triangle of the cloth that a limb passes through */
    PLACE_EMPTY,         /* a vertex of an opening without a limb */
    PLACE_KINDS
} InspectionPlaceKind;

#define PLACES_EACH 32 /* of each kind, at most */

typedef struct InspectionPlace {
    int32_t kind;
    int32_t body;        /* its number, -1 without */
    int32_t vertices[2]; /* the vertex, or the edge's; -1 without */
    int32_t corners[3];  /* of the triangle; -1 without */
    int32_t unused;
    double point[3]; /* m */
    double depth;    /* m, of a vertex inside; else 0 */
} InspectionPlace;

typedef struct InspectionReport {
    InspectionLevel level;
    int found; /* bits as above */
    int inside_count, deepest_vertex;
    double deepest; /* m, >= 0 */
    int body_piercings, cloth_piercings, self_piercings;
    int limbs_through; /* parts of a body that pass right through the cloth */
    int openings_worn,
        openings_empty; /* borders that a limb should pass through, and those it does not */
    double fullest;     /* of any opening, the part that is inside of bodies; 0 to 1 */
    double outward; /* part of the worn cloth whose normals point away from bodies; -1: unknown */
    double nearest; /* m: how near the cloth comes to a solid body; -1 without one */
    double largest_stretch,
        stretch_p99; /* length over rest length of the faces' sides and of ropes; 0 without */
    int stretch_edge[2];
} InspectionReport;
