/* What the sentences of a message are about, as muslin_detail() of muslin.h tells it; that header includes this one.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MUSLIN_DETAILS_H
#define MUSLIN_DETAILS_H

#include <stdint.h>

#define MUSLIN_DETAIL_ELEMENTS 3
#define MUSLIN_DETAIL_NAME_SIZE 32

/* What a sentence of a message is about, in codes and numbers. In parentheses what the detail of each has besides:
 * the kinds of elements that are listed, and what count, value and limit are. */
typedef enum MuslinDetailCode {
    MUSLIN_DETAIL_UNKNOWN = 0,

    /* Arguments; `name` is the field or parameter.
     * A pointer is null. */
    MUSLIN_DETAIL_NULL = 1,
    /* A struct is of another header (value: its size; limit: the largest that is known). */
    MUSLIN_DETAIL_STRUCT_SIZE = 2,
    /* Out of its range (perhaps a vertex or pin; value; limit: the end that it passes). */
    MUSLIN_DETAIL_RANGE = 3,
    /* A vector that is not finite (perhaps a vertex, pin or vertex of a body). */
    MUSLIN_DETAIL_NOT_FINITE = 4,
    /* Another number of them than there must be (value: given; limit: wanted; perhaps a body). */
    MUSLIN_DETAIL_COUNT = 5,
    /* Does not go with other arguments. */
    MUSLIN_DETAIL_CONFLICT = 6,
    /* Names a vertex that there is not (pin or face; value: the vertex; limit: the last there is). */
    MUSLIN_DETAIL_INDEX_RANGE = 7,

    /* The mesh, or that of a body.
     * Nothing to simulate or to meet. */
    MUSLIN_DETAIL_EMPTY = 20,
    /* A face has too few corners, or all together have too many (face; value: corners; limit). */
    MUSLIN_DETAIL_FACE_CORNERS = 21,
    /* Defects of one kind, which `defect` tells (count; of an error the first vertex, face or edge; of indices out of
     * range value and limit as above). */
    MUSLIN_DETAIL_DEFECT = 22,
    /* Pairs of triangles too thin to bend, and triangles without area in the UV map (count). */
    MUSLIN_DETAIL_THIN_HINGES = 23,
    MUSLIN_DETAIL_PATTERN_FLAT = 24,
    /* A UV map much larger or smaller than the mesh (value: its area over the mesh's; limit: the uv_scale that would
     * make them equal); an error where it is so small that the cloth would start torn. */
    MUSLIN_DETAIL_PATTERN_AREA = 25,
    /* Shear stiffness that the edge model cannot have on triangles (value: what was asked, N/m). */
    MUSLIN_DETAIL_NO_SHEAR = 26,
    /* Shear stiffer than stretch: warp and weft become as stiff (value: shear; limit: the lesser of both, N/m). */
    MUSLIN_DETAIL_SHEAR_STIFF = 27,
    /* The thread solver finds no grid of quads (a face or a vertex: where). */
    MUSLIN_DETAIL_NO_GRID = 28,
    /* So stiff that rounding takes what other forces do (name; value, limit: N/m). */
    MUSLIN_DETAIL_TOO_STIFF = 29,

    /* Bodies.
     * No such body (body). */
    MUSLIN_DETAIL_NO_BODY = 40,
    /* It was built anew (body; value: vertices before; count: now). */
    MUSLIN_DETAIL_BODY_REPLACED = 41,
    /* Triangles that name a vertex twice, and are left out; those without area; parts inside out (body, count). */
    MUSLIN_DETAIL_BODY_REPEATED_VERTEX = 42,
    MUSLIN_DETAIL_BODY_FLAT = 43,
    MUSLIN_DETAIL_BODY_TURNED = 44,
    /* Not its own mirror image (body, its vertex that is farthest off; value: how far, m; limit: how far it may be). */
    MUSLIN_DETAIL_BODY_ASYMMETRIC = 45,
    /* Tacks on vertices that a replaced body has no more: they are released (body, count). */
    MUSLIN_DETAIL_BODY_TACKS = 46,

    /* Pins.
     * All vertices are pinned (count). */
    MUSLIN_DETAIL_ALL_PINNED = 60,
    /* A vertex is pinned twice (vertex). */
    MUSLIN_DETAIL_PINNED_TWICE = 61,
    /* Pins without a mirror image (vertices, count). */
    MUSLIN_DETAIL_PINS_ASYMMETRIC = 62,
    /* Pins that hold nothing, on strips of buttoned fronts (vertices, count). */
    MUSLIN_DETAIL_PINS_ON_STRIP = 63,
    /* None of the pins is on the kept side (count). */
    MUSLIN_DETAIL_PINS_NOT_KEPT = 64,

    /* What is not symmetric, or cannot be mirrored.
     * Maps, and positions or velocities (vertices, count). */
    MUSLIN_DETAIL_MAPS_ASYMMETRIC = 80,
    MUSLIN_DETAIL_STATE_ASYMMETRIC = 81,
    /* Gravity, or the wind (value: its part across the plane; limit: how much may be). */
    MUSLIN_DETAIL_GRAVITY_ASYMMETRIC = 82,
    MUSLIN_DETAIL_WIND_ASYMMETRIC = 83,
    /* Vertices, faces or loose edges without a mirror image (elements, count). */
    MUSLIN_DETAIL_NO_IMAGE = 84,
    /* Likewise, and no part of the mesh is symmetric (vertices, count). */
    MUSLIN_DETAIL_NOTHING_SYMMETRIC = 85,
    /* The mesh is there twice (a vertex and its copy; count: of all vertices). */
    MUSLIN_DETAIL_COPIES = 86,
    /* Faces that are cut into triangles otherwise than their mirror images (the first face, count). */
    MUSLIN_DETAIL_CUT_DIFFERS = 87,
    /* Faces or loose edges across the plane, and faces in it (elements, count). */
    MUSLIN_DETAIL_ACROSS_PLANE = 88,
    MUSLIN_DETAIL_IN_PLANE = 89,
    /* All edges of the mesh have no length (count: its vertices). */
    MUSLIN_DETAIL_NO_SIZE = 90,
    /* No face or loose edge is on the kept side (count: of both). */
    MUSLIN_DETAIL_NOTHING_KEPT = 91,
    /* The plane misses the mesh (count: its vertices; value: the distance, m). */
    MUSLIN_DETAIL_PLANE_MISSES = 92,
    /* Fronts too thick to be buttoned would stand off each other (value: how far, m; limit: the overlap, m). */
    MUSLIN_DETAIL_FRONTS_THICK = 93,
    /* There is no open front to close. */
    MUSLIN_DETAIL_NO_FRONT = 94,
    /* The sides of a garment that is cut in halves do not look alike (the vertex whose mirror image is farthest from
     * the garment; value: how far, m, or on average where only that is too much; limit: how far it may be, m). */
    MUSLIN_DETAIL_SIDES_DIFFER = 95,

    /* Steps.
     * Cancelled (count: substeps done; limit: of how many). */
    MUSLIN_DETAIL_CANCELLED = 100,
    /* A vertex left the finite numbers, or was thrown too far (vertex). */
    MUSLIN_DETAIL_DIVERGED = 101
} MuslinDetailCode;

/* What was done about it. */
typedef enum MuslinOutcome {
    /* What the status says, and nothing besides. */
    MUSLIN_OUTCOME_NONE = 0,
    /* That part is left out. */
    MUSLIN_OUTCOME_LEFT_OUT = 1,
    /* All of the garment is simulated while that lasts. */
    MUSLIN_OUTCOME_SOLVED_WHOLE = 2,
    /* All of the garment is simulated from the beginning, and always. */
    MUSLIN_OUTCOME_NOT_MIRRORED = 3,
    /* The garment meets the mean of the body and its mirror image. */
    MUSLIN_OUTCOME_MEAN_MET = 4,
    /* Both halves of the garment meet what of the body is on the kept side. */
    MUSLIN_OUTCOME_KEPT_SIDE_MET = 5
} MuslinOutcome;

/* What the elements of a detail are, by their numbers in what the caller gave. */
typedef enum MuslinElement {
    MUSLIN_ELEMENT_NONE = 0,
    MUSLIN_ELEMENT_VERTEX = 1,
    MUSLIN_ELEMENT_FACE = 2,
    /* a loose edge */
    MUSLIN_ELEMENT_EDGE = 3,
    MUSLIN_ELEMENT_PIN = 4,
    MUSLIN_ELEMENT_BODY_VERTEX = 5,
    MUSLIN_ELEMENT_BODY_FACE = 6
} MuslinElement;

/* One sentence of a message in numbers. */
typedef struct MuslinDetail {
    uint32_t size;
    /* MuslinDetailCode */
    int32_t code;
    /* MuslinOutcome */
    int32_t outcome;
    /* MuslinElement */
    int32_t element;
    /* the first of them; -1: no more */
    int32_t elements[MUSLIN_DETAIL_ELEMENTS];
    /* of all that are meant, listed or not */
    int32_t count;
    /* the body's number, -1 for none */
    int32_t body;
    /* MuslinDefect of MUSLIN_DETAIL_DEFECT, else -1 */
    int32_t defect;
    double value, limit;
    /* of an argument, as this header spells it; else empty */
    char name[MUSLIN_DETAIL_NAME_SIZE];
    /* the sentence in the message: bytes from, and to before */
    int32_t begin, end;
    /* the part of it that says what is the matter, without what is done about it */
    int32_t cause_begin, cause_end;
} MuslinDetail;

#endif
