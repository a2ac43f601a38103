/* The content of a sentence of a status in codes and numbers, so that a caller can word it himself, or react to it, without
 * reading English. The values are those of muslin.h, which explains each. */
#pragma once

#define DETAIL_ELEMENTS 3

typedef enum DetailCode {
    DETAIL_UNKNOWN = 0,
    DETAIL_NULL = 1,
    DETAIL_STRUCT_SIZE = 2,
    DETAIL_RANGE = 3,
    DETAIL_NOT_FINITE = 4,
    DETAIL_COUNT = 5,
    DETAIL_CONFLICT = 6,
    DETAIL_INDEX_RANGE = 7,
    DETAIL_EMPTY = 20,
    DETAIL_FACE_CORNERS = 21,
    DETAIL_DEFECT = 22,
    DETAIL_THIN_HINGES = 23,
    DETAIL_PATTERN_FLAT = 24,
    DETAIL_PATTERN_AREA = 25,
    DETAIL_NO_SHEAR = 26,
    DETAIL_SHEAR_STIFF = 27,
    DETAIL_NO_GRID = 28,
    DETAIL_TOO_STIFF = 29,
    DETAIL_NO_BODY = 40,
    DETAIL_BODY_REPLACED = 41,
    DETAIL_BODY_REPEATED_VERTEX = 42,
    DETAIL_BODY_FLAT = 43,
    DETAIL_BODY_TURNED = 44,
    DETAIL_BODY_ASYMMETRIC = 45,
    DETAIL_BODY_TACKS = 46,
    DETAIL_BODY_JUMPED = 47,
    DETAIL_ALL_PINNED = 60,
    DETAIL_PINNED_TWICE = 61,
    DETAIL_PINS_ASYMMETRIC = 62,
    DETAIL_PINS_ON_STRIP = 63,
    DETAIL_PINS_NOT_KEPT = 64,
    DETAIL_MAPS_ASYMMETRIC = 80,
    DETAIL_STATE_ASYMMETRIC = 81,
    DETAIL_GRAVITY_ASYMMETRIC = 82,
    DETAIL_WIND_ASYMMETRIC = 83,
    DETAIL_NO_IMAGE = 84,
    DETAIL_NOTHING_SYMMETRIC = 85,
    DETAIL_COPIES = 86,
    DETAIL_CUT_DIFFERS = 87,
    DETAIL_ACROSS_PLANE = 88,
    DETAIL_IN_PLANE = 89,
    DETAIL_NO_SIZE = 90,
    DETAIL_NOTHING_KEPT = 91,
    DETAIL_PLANE_MISSES = 92,
    DETAIL_FRONTS_THICK = 93,
    DETAIL_NO_FRONT = 94,
    DETAIL_SIDES_DIFFER = 95,
    DETAIL_CANCELLED = 100,
    DETAIL_DIVERGED = 101
} DetailCode;

/* What was done about it. */
typedef enum DetailOutcome {
    OUTCOME_NONE = 0,
    OUTCOME_LEFT_OUT = 1,
    OUTCOME_SOLVED_WHOLE = 2,
    OUTCOME_NOT_MIRRORED = 3,
    OUTCOME_MEAN_MET = 4,
    OUTCOME_KEPT_SIDE_MET = 5
} DetailOutcome;

/* What `elements` count. */
typedef enum DetailElement {
    ELEMENT_NONE = 0,
    ELEMENT_VERTEX = 1,
    ELEMENT_FACE = 2,
    ELEMENT_EDGE = 3,
    ELEMENT_PIN = 4,
    ELEMENT_BODY_VERTEX = 5,
    ELEMENT_BODY_FACE = 6
} DetailElement;

typedef struct Detail {
    DetailCode code;
    DetailOutcome outcome;
    DetailElement element;
    int elements[DETAIL_ELEMENTS]; /* the first of them, -1 beyond */
    int count;                     /* of all that are meant */
    int body;                      /* -1: none */
    int defect;                    /* of DETAIL_DEFECT: a DefectKind; else -1 */
    double value, limit;
    const char *name; /* of an argument, as muslin.h spells it; lives as long as the program */
    /* Its sentence in the message, and in that what is the matter, without what is done about it: bytes from, to. */
    int begin, end, cause_begin, cause_end;
} Detail;
