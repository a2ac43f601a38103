/* How a garment lies, as muslin_cloth_inspect() of muslin.h tells it; that header includes this one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MUSLIN_INSPECTION_H
#define MUSLIN_INSPECTION_H

#include <stdint.h>

/* How bad it is how a garment lies. */
typedef enum MuslinLie {
    /* nothing is wrong */
    MUSLIN_LIE_CLEAN = 0,
    /* something is, as with most garments at their start; it comes right by itself */
    MUSLIN_LIE_SLIGHT = 1,
    /* it hardly comes right by itself */
    MUSLIN_LIE_BAD = 2
} MuslinLie;

/* What is wrong with how a garment lies, as bits of `found`. */
typedef enum MuslinFault {
    /* vertices behind the surface of a solid body */
    MUSLIN_FAULT_INSIDE = 1,
    /* edges of the cloth through faces of a body, or the other way round */
    MUSLIN_FAULT_BODY_PIERCED = 2,
    /* edges of the cloth through its own faces */
    MUSLIN_FAULT_SELF_PIERCED = 4,
    /* a limb passes right through the cloth, or none through an opening such as a cuff or a waist */
    MUSLIN_FAULT_LIMB_OUTSIDE = 8,
    /* the faces' normals point to the body */
    MUSLIN_FAULT_INSIDE_OUT = 16,
    /* much larger than what it is worn on: nothing holds it */
    MUSLIN_FAULT_TOO_LARGE = 32,
    /* nothing of a body is in any opening, and nothing touches one: it stands elsewhere, has another scale, or is not to
     * be worn */
    MUSLIN_FAULT_NOT_WORN = 64
} MuslinFault;

/* How the garment lies on its bodies and in itself, at the moment. Polygons are seen as the triangles that are simulated;
 * loose edges are not looked at. What a move by 2^-20 of the largest coordinate (about a micrometre) can part only
 * touches. Its limits: a limb in a wrong sleeve, and a garment without openings such as a cape, are not told. */
typedef struct MuslinInspection {
    uint32_t size;
    /* MuslinLie, and bits of MuslinFault */
    int32_t lie, found;
    /* vertices behind the surface of a solid, the deepest of them or -1, and how deep that is, m */
    int32_t inside_count, deepest_vertex;
    double deepest;
    /* pairs of an edge and a triangle: of the cloth and a body, of a body and the cloth, of the cloth and itself */
    int32_t body_piercings, cloth_piercings, self_piercings;
    /* parts of a body that pass right through the cloth, a leg or a finger */
    int32_t limbs_through;
    /* openings of the garment that something should pass through, and those that are empty. Such are borders that run
     * around, of parts with two or more, longer than 0.04 of the root of the area, with the cloth behind them a tube */
    int32_t openings, openings_empty;
    /* of the fullest opening, how much is inside of a body, 0 to 1 */
    double fullest;
    /* how much of the worn cloth has normals that point away from the body, 0 to 1; -1 where nothing is worn */
    double outward;
    /* m: how near any vertex comes to a solid's surface; -1 without a solid */
    double nearest;
    /* length over rest length of the faces' sides and of loose edges: the largest, of which edge (-1 without), and the 99th percentile */
    double largest_stretch;
    int32_t stretch_edge[2];
    double stretch_p99;
} MuslinInspection;

/* What is at a place. */
typedef enum MuslinPlaceKind {
    /* a vertex inside of a body, the deepest first */
    MUSLIN_PLACE_INSIDE = 0,
    /* an edge of the cloth through a triangle of a body */
    MUSLIN_PLACE_THROUGH_BODY = 1,
    /* an edge of a body through a triangle of the cloth */
    MUSLIN_PLACE_THROUGH_CLOTH = 2,
    /* an edge of the cloth through a triangle of it */
    MUSLIN_PLACE_THROUGH_SELF = 3,
    /* a triangle of the cloth that a limb passes through */
    MUSLIN_PLACE_LIMB = 4,
    /* a vertex of an opening that is empty; the point is the opening's middle */
    MUSLIN_PLACE_EMPTY = 5
} MuslinPlaceKind;

#define MUSLIN_PLACES_EACH 32 /* of each kind, at most */

typedef struct MuslinPlace {
    int32_t kind;
    /* the body's number, -1 without */
    int32_t body;
    /* the vertex, or both of the edge; -1 without */
    int32_t vertices[2];
    /* of the triangle; -1 without */
    int32_t corners[3];
    int32_t unused;
    /* m */
    double point[3];
    /* m, of a vertex inside; else 0 */
    double depth;
} MuslinPlace;

#endif
