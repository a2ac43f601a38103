/* The reports of muslin.h, which includes this file, and their codes.
 * SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef MUSLIN_REPORTS_H
#define MUSLIN_REPORTS_H

#include <stdint.h>

/* Bytes that hold any message. */
#define MUSLIN_MESSAGE_SIZE 512

/* --- muslin_cloth_get_... --------------------------------------------------------------------- */

/* Size of the factored matrix and what it took, after muslin_cloth_prepare. */
typedef struct MuslinReport {
    uint32_t size;
    int32_t ordering; /* the one used: auto is resolved */
    int32_t vertex_count, edge_count, triangle_count, hinge_count, rope_count, component_count;
    int32_t pinned_count, soft_count;
    int64_t matrix_nonzeros; /* of the whole symmetric matrix */
    int64_t factor_nonzeros; /* of L, diagonal included */
    int64_t memory_bytes;    /* taken by this cloth */
    double factor_flops;
    double ordering_seconds, analysis_seconds, factor_seconds; /* of the last time each ran */
    int32_t analysis_count, factor_count, row_update_count;    /* how often each ran so far */
    int32_t coarse_unknowns;                                   /* of the two-level scheme, else 0 */
    int32_t iterations;   /* per substep; where a quality decides, those of the latest substep */
    int32_t precision;    /* MuslinPrecision, the one used: auto is resolved */
    int64_t factor_bytes; /* taken by the factor, of memory_bytes */
} MuslinReport;

/* Why a step had as many substeps as it had. */
typedef enum MuslinSubstepsReason {
    MUSLIN_SUBSTEPS_REASON_FIXED = 0,   /* they are set */
    MUSLIN_SUBSTEPS_REASON_BASE = 1,    /* automatic: nothing moved fast */
    MUSLIN_SUBSTEPS_REASON_BODY = 2,    /* a body moved past the cloth near it */
    MUSLIN_SUBSTEPS_REASON_PINS = 3,    /* pins moved past the vertices around them */
    MUSLIN_SUBSTEPS_REASON_REPEATED = 4 /* the step diverged with fewer */
} MuslinSubstepsReason;

/* What the last step did, and how the cloth is now. Counts of a mirrored cloth are those of its half; strains, energies and
 * seconds those of all that is simulated. */
typedef struct MuslinStats {
    uint32_t size;
    int32_t substeps;
    int32_t pcg_iterations;    /* in all substeps together */
    int32_t newton_iterations; /* likewise */
    int32_t pcg_stopped;       /* conjugate gradient solves that ended at their limit */
    double force_seconds;      /* energies and forces of the cloth, line searches included */
    /* the substeps' equations: drive, right-hand side, matrix if not constant */
    double assemble_seconds;
    double solve_seconds;   /* solving them, with the factor, on the coarse level or by iteration */
    double contact_seconds; /* finding contacts and answering them; part of none of the above */
    double total_seconds;   /* of the step; the four above are parts of it, and not quite all */
    double largest_strain, mean_strain; /* |length / rest - 1| over edges */
    int32_t largest_strain_edge[2];     /* its two vertices, -1 without edges */
    /* J; gravity's zero is the first state */
    double kinetic_energy, elastic_energy, gravity_energy;
    int32_t solves, corrections; /* with the constant factor; on the coarse level */
    int32_t rejected;      /* corrections and extrapolations that would have raised the energy */
    double coarse_seconds; /* part of solve_seconds */
    double pcg_residual;   /* the largest |r| / |b| that conjugate gradients left */
    double residual;  /* |force imbalance| of the last substep's equation over that of its start */
    int32_t contacts; /* with bodies, that push at the end of the last substep */
    int32_t self_contacts; /* of the cloth with itself, likewise */
    int32_t touching;      /* vertices closer to a body than its thickness, likewise */
    int32_t stuck;         /* vertices squeezed between contacts, such as two bodies */
    int32_t tangled;       /* edges of the cloth through its own faces, with self-contact */
    /* m: the largest depth of a vertex in a body in the solver's result of any substep, before projection; 0: none */
    double deepest;
    /* finding contacts, and answering them; contact_seconds is the sum of both */
    double detection_seconds, response_seconds;
    /* over all vertices, by the solver of sweeps, in all substeps together: with a budget as many as fit */
    int32_t sweeps;
    /* substeps in which the contact search hit its work limit, so that contacts were missed. Cloth that collapses to a knot
     * does this: check its size, and that of its pattern */
    int32_t curtailed;
    /* how often the step was repeated with more substeps, since it diverged */
    int32_t retried;
    /* edges that contact had stretched to more than 1.55 times their length and that were shortened, in all substeps */
    int32_t mended;
    /* edges that still pass through faces at the end of the step: of the cloth through solid bodies, and of these through
     * the cloth */
    int32_t body_pierced;
    int32_t substeps_reason; /* MuslinSubstepsReason: why there were so many */
} MuslinStats;

/* How a cloth is mirrored, and how symmetric it is. Counts are of the caller's vertices unless noted. */
typedef struct MuslinMirrorReport {
    uint32_t size;
    /* MUSLIN_MIRROR_EXACT or _HALVE; _OFF if the garment can only be simulated whole */
    int32_t mode;
    double point[3], normal[3]; /* the plane; zero if the mode is off */
    int32_t half_vertex_count;  /* vertices of the half that is simulated; 0 if the mode is off */
    /* with a partner, their own partner, without: all vertices */
    int32_t paired, on_plane, unpaired;
    /* of parts without any partner, which are simulated separately from the half */
    int32_t extra_count;
    int32_t front_count; /* of the half, on the fronts that a closure closes */
    int32_t body;        /* the body that is least symmetric, -1 without bodies */
    int32_t body_vertex; /* its vertex that is farthest from its partner's image, -1 without one */
    double body_asymmetry; /* m: how far that is */
    int32_t solved_whole;  /* 1: the last step simulated the whole garment */
    int32_t whole_steps;   /* how many steps did */
} MuslinMirrorReport;

/* The active level of a cloth with a budget, and the last step; cheap enough to be read after every step. */
typedef struct MuslinLevelReport {
    uint32_t size;
    int32_t level; /* 0: the caller's mesh; 1 and up: coarser ones */
    /* how many there are; known after muslin_cloth_prepare or the first step, else 0 */
    int32_t level_count;
    /* vertices of the mesh that is simulated, and of the caller's */
    int32_t simulated_count, vertex_count;
    int32_t refining; /* 1: muslin_cloth_refine was called since the last step */
    /* 1: that, or muslin_cloth_settle, is done, and nothing has changed since */
    int32_t settled;
    /* steps in a row with the cloth at rest since anything was moved or set; for callers who refine after some of
     * them */
    int32_t quiet_steps;
    double average_seconds; /* s, of the last steps on this level */
    /* of the last step, as in MuslinStats, which also measures strain and energies and takes longer */
    int32_t curtailed, retried, mended;
    int32_t body_pierced; /* likewise */
} MuslinLevelReport;

/* The progress of muslin_cloth_settle. */
typedef struct MuslinSettleReport {
    uint32_t size;
    int32_t settled; /* 1: done */
    /* 1: the cloth came to rest; 0 when done: it was stopped while it still moved after many steps, because it slides,
     * falls, is blown or pushed, or has too few iterations */
    int32_t came_to_rest;
    int32_t steps; /* calls since it began */
    /* 0: the caller's mesh is simulated; 1 and up: coarser ones; and how many vertices that has */
    int32_t level, simulated_count;
    /* m/s: the fastest vertex in the last step, and the root mean square of all */
    double fastest, mean;
} MuslinSettleReport;

/* What is wrong with a mesh. muslin_mesh_get_report counts each kind and lists them as findings. */
typedef enum MuslinDefect {
    /* vertex: NaN or infinite coordinate, or one beyond 1e9 m; error */
    MUSLIN_DEFECT_NOT_FINITE = 0,
    MUSLIN_DEFECT_INDEX_RANGE = 1,     /* face or edge: vertex index out of range; error */
    MUSLIN_DEFECT_REPEATED_VERTEX = 2, /* face or edge names a vertex twice: left out */
    MUSLIN_DEFECT_ZERO_AREA = 3,      /* face: area zero or nearly: carries no stretch of its own */
    MUSLIN_DEFECT_SLIVER = 4,         /* face: height below 1/50 of its longest side: kept */
    MUSLIN_DEFECT_DUPLICATE_FACE = 5, /* face: same vertices as an earlier one: left out */
    MUSLIN_DEFECT_ISOLATED = 6,       /* vertex of no face or edge: stays where it is */
    /* edge of three or more faces: bends between each pair in turn */
    MUSLIN_DEFECT_NON_MANIFOLD = 7,
    MUSLIN_DEFECT_FLIPPED = 8,        /* edge whose two faces face opposite ways: kept */
    MUSLIN_DEFECT_DOUBLED_VERTEX = 9, /* vertex in the same place as an earlier one: not joined */
    /* face: texture coordinate not finite: not used, an error as a pattern */
    MUSLIN_DEFECT_BAD_UV = 10,
    MUSLIN_DEFECT_KINDS = 11
} MuslinDefect;

typedef struct MuslinMeshReport {
    uint32_t size;
    int32_t component_count, boundary_edge_count, triangle_count, quad_count, edge_count;
    int32_t defects[MUSLIN_DEFECT_KINDS];
    double area;                        /* m^2 */
    double shortest_edge, longest_edge; /* m */
} MuslinMeshReport;

/* One finding: the kind, the index of the vertex, face or edge meant, and the vertices it concerns: the
 * first one of a face, both of an edge; unused ones are -1. */
typedef struct MuslinFinding {
    int32_t kind;
    int32_t element; /* index of the vertex, face or edge meant */
    int32_t vertices[2];
} MuslinFinding;

/* Whether a mesh is its own mirror image, and in which plane. The first five fields are read and written, the rest written. */
typedef struct MuslinSymmetry {
    uint32_t size;
    int32_t find;     /* 1: look for the best plane; 0: the one given below */
    double point[3];  /* m, on the plane */
    double normal[3]; /* not zero; written with length 1 */
    /* m: how far a vertex may be from the image of its partner, at most the mean edge; 0: 1e-4 of
     * the mesh's diagonal, and at most a quarter of the mean edge */
    double tolerance;
    int32_t paired;   /* vertices with a partner other than themselves: an even number */
    int32_t on_plane; /* vertices that are their own partner */
    int32_t unpaired; /* vertices without */
    /* faces and loose edges whose image is none of the mesh */
    int32_t faces_without, edges_without;
    /* faces of four or more corners that this library cuts otherwise than their image */
    int32_t differing_cuts;
    /* of those, faces that are their own image: they lie across the plane */
    int32_t crossing_cuts;
    /* m: distances of vertices from their partners' images; of one on the plane, twice its distance
     * from the plane */
    double rms, largest;
} MuslinSymmetry;

/* The progress of links. */
typedef struct MuslinLinkReport {
    uint32_t size;
    int32_t count;
    int32_t closing; /* still more than 10 mm from their length: they pull softly */
    int32_t released;
    /* the link, in the order in which they were set and added, with the largest gap; -1 without */
    int32_t widest;
    int32_t unused;
    /* m: by how much seams and tacks that are not released miss their length, at most and in the mean */
    double largest_gap, mean_gap;
} MuslinLinkReport;

/* --- muslin_cloth_get_inspection() --- */

/* Severity of a garment's placement on its bodies. */
typedef enum MuslinPlacement {
    MUSLIN_PLACEMENT_CLEAN = 0, /* nothing is wrong */
    /* something is wrong, as with most garments at their start; the simulation should resolve it */
    MUSLIN_PLACEMENT_SLIGHT = 1,
    MUSLIN_PLACEMENT_BAD = 2 /* the simulation is unlikely to resolve it */
} MuslinPlacement;

/* What is wrong with a garment's placement, as bits of `found`. */
typedef enum MuslinFault {
    MUSLIN_FAULT_INSIDE = 1, /* vertices behind the surface of a solid body */
    /* edges of the cloth through faces of a body, or the other way round */
    MUSLIN_FAULT_BODY_PIERCED = 2,
    MUSLIN_FAULT_SELF_PIERCED = 4, /* edges of the cloth through its own faces */
    /* a limb passes right through the cloth, or none through an opening such as a cuff or a waist */
    MUSLIN_FAULT_LIMB_OUTSIDE = 8,
    MUSLIN_FAULT_INSIDE_OUT = 16, /* the faces' normals point to the body */
    MUSLIN_FAULT_TOO_LARGE = 32,  /* much larger than what it is worn on: nothing holds it */
    /* nothing of a body is in any opening, and nothing touches one: it stands elsewhere, has another scale, or is not to
     * be worn */
    MUSLIN_FAULT_NOT_WORN = 64
} MuslinFault;

/* The present placement of the garment on its bodies and in itself. Polygons count as the triangles that are simulated;
 * loose edges do not count. Surfaces that a move by 2^-20 of the largest coordinate (about a micrometre) separates only
 * touch. Not detected: a limb in the wrong sleeve, and whether a garment without openings, such as a cape, is worn. */
typedef struct MuslinInspection {
    uint32_t size;
    int32_t placement, found; /* MuslinPlacement, and bits of MuslinFault */
    /* vertices behind the surface of a solid, the deepest of them or -1, and how deep that is, m */
    int32_t inside_count, deepest_vertex;
    double deepest;
    /* pairs of an edge and a triangle: of the cloth and a body, of a body and the cloth, of the cloth and itself */
    int32_t body_piercings, cloth_piercings, self_piercings;
    /* parts of a body that pass right through the cloth, a leg or a finger */
    int32_t limbs_through;
    /* openings of the garment that something should pass through, and those that are empty. Such are closed borders
     * of parts with two or more, longer than 0.04 of the root of the area, with the cloth behind them a tube */
    int32_t openings, openings_empty;
    double fullest; /* of the fullest opening, how much is inside of a body, 0 to 1 */
    /* how much of the worn cloth has normals that point away from the body, 0 to 1; -1 where nothing is worn */
    double outward;
    double nearest; /* m: how near any vertex comes to a solid's surface; -1 without a solid */
    /* length over rest length of the faces' sides and of loose edges: the largest, of which edge (-1 without), and the 99th percentile */
    double largest_stretch;
    int32_t stretch_edge[2];
    double stretch_p99;
} MuslinInspection;

/* What is at a place. */
typedef enum MuslinPlaceKind {
    MUSLIN_PLACE_INSIDE = 0,        /* a vertex inside of a body, the deepest first */
    MUSLIN_PLACE_THROUGH_BODY = 1,  /* an edge of the cloth through a triangle of a body */
    MUSLIN_PLACE_THROUGH_CLOTH = 2, /* an edge of a body through a triangle of the cloth */
    MUSLIN_PLACE_THROUGH_SELF = 3,  /* an edge of the cloth through a triangle of it */
    MUSLIN_PLACE_LIMB = 4,          /* a triangle of the cloth that a limb passes through */
    /* a vertex of an opening that is empty; the point is the opening's middle */
    MUSLIN_PLACE_EMPTY = 5
} MuslinPlaceKind;

#define MUSLIN_PLACES_EACH 32 /* of each kind, at most */

typedef struct MuslinPlace {
    int32_t kind;
    int32_t body;        /* the body's number, -1 without */
    int32_t vertices[2]; /* the vertex, or both of the edge; -1 without */
    int32_t corners[3];  /* of the triangle; -1 without */
    int32_t unused;
    double point[3]; /* m */
    double depth;    /* m, of a vertex inside; else 0 */
} MuslinPlace;

/* --- muslin_get_detail() --- */

#define MUSLIN_DETAIL_ELEMENTS 3
#define MUSLIN_DETAIL_NAME_SIZE 32

/* The content of a sentence of a message, as a code. In parentheses the other fields that the detail has: kinds of elements,
 * and what count, value and limit are. */
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
    MUSLIN_DETAIL_CONFLICT = 6, /* Does not go with other arguments. */
    /* Names a vertex that there is not (pin or face; value: the vertex; limit: the last there is). */
    MUSLIN_DETAIL_INDEX_RANGE = 7,

    /* The mesh, or that of a body.
     * Nothing to simulate or to collide with. */
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
    /* Shear stiffness, which the edge model does not have on triangles (value: N/m). */
    MUSLIN_DETAIL_NO_SHEAR = 26,
    /* Shear stiffer than stretch: warp and weft become as stiff (value: shear; limit: the lesser of both, N/m). */
    MUSLIN_DETAIL_SHEAR_STIFF = 27,
    /* The thread solver finds no grid of quads (a face or a vertex: where). */
    MUSLIN_DETAIL_NO_GRID = 28,
    /* So stiff that rounding errors exceed other forces (name; value, limit: N/m). */
    MUSLIN_DETAIL_TOO_STIFF = 29,

    /* Bodies.
     * No such body (body). */
    MUSLIN_DETAIL_NO_BODY = 40,
    /* Triangles that name a vertex twice, and are left out; those without area; parts inside out (body, count). */
    MUSLIN_DETAIL_BODY_REPEATED_VERTEX = 42,
    MUSLIN_DETAIL_BODY_FLAT = 43,
    MUSLIN_DETAIL_BODY_TURNED = 44,
    /* Not its own mirror image (body, its vertex that is farthest off; value: how far, m; limit: how far it may be). */
    MUSLIN_DETAIL_BODY_ASYMMETRIC = 45,
    /* Tacks on vertices that a replaced body has no more: they are released (body, count). */
    MUSLIN_DETAIL_BODY_TACKS = 46,
    /* Moved so far at once that it is a jump (body; value: the mean of its vertices, limit: how far it may be, m). */
    MUSLIN_DETAIL_BODY_JUMPED = 47,

    /* Pins.
     * All vertices are pinned (count). */
    MUSLIN_DETAIL_ALL_PINNED = 60,
    MUSLIN_DETAIL_PINNED_TWICE = 61,    /* A vertex is pinned twice (vertex). */
    MUSLIN_DETAIL_PINS_ASYMMETRIC = 62, /* Pins without a mirror image (vertices, count). */
    /* Pins that hold nothing, on strips of buttoned fronts (vertices, count). */
    MUSLIN_DETAIL_PINS_ON_STRIP = 63,
    MUSLIN_DETAIL_PINS_NOT_KEPT = 64, /* None of the pins is on the kept side (count). */

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
    MUSLIN_DETAIL_NO_SIZE = 90, /* All edges of the mesh have no length (count: its vertices). */
    /* No face or loose edge is on the kept side (count: of both). */
    MUSLIN_DETAIL_NOTHING_KEPT = 91,
    /* The plane misses the mesh (count: its vertices; value: the distance, m). */
    MUSLIN_DETAIL_PLANE_MISSES = 92,
    /* Fronts too thick to be buttoned would stand off each other (value: how far, m; limit: the overlap, m). */
    MUSLIN_DETAIL_FRONTS_THICK = 93,
    MUSLIN_DETAIL_NO_FRONT = 94, /* There is no open front to close. */
    /* The sides of a garment that is cut in halves do not look alike (the vertex whose mirror image is farthest from
     * the garment; value: how far, m, or on average where only that is too much; limit: how far it may be, m). */
    MUSLIN_DETAIL_SIDES_DIFFER = 95,

    /* Steps.
     * Cancelled (count: substeps done; limit: of how many). */
    MUSLIN_DETAIL_CANCELLED = 100,
    /* A vertex is not finite, or moved too far (vertex). */
    MUSLIN_DETAIL_DIVERGED = 101
} MuslinDetailCode;

/* What was done about it. */
typedef enum MuslinOutcome {
    MUSLIN_OUTCOME_NONE = 0,         /* Nothing besides the status. */
    MUSLIN_OUTCOME_LEFT_OUT = 1,     /* That part is left out. */
    MUSLIN_OUTCOME_SOLVED_WHOLE = 2, /* All of the garment is simulated while that lasts. */
    /* All of the garment is simulated from the beginning, and always. */
    MUSLIN_OUTCOME_NOT_MIRRORED = 3,
    MUSLIN_OUTCOME_MEAN_MET =
        4, /* The garment collides with the mean of the body and its mirror image. */
    /* Both halves of the garment collide with the kept side of the body. */
    MUSLIN_OUTCOME_KEPT_SIDE_MET = 5
} MuslinOutcome;

/* What the elements of a detail are, by their numbers in what the caller gave. */
typedef enum MuslinElement {
    MUSLIN_ELEMENT_NONE = 0,
    MUSLIN_ELEMENT_VERTEX = 1,
    MUSLIN_ELEMENT_FACE = 2,
    MUSLIN_ELEMENT_EDGE = 3, /* a loose edge */
    MUSLIN_ELEMENT_PIN = 4,
    MUSLIN_ELEMENT_BODY_VERTEX = 5,
    MUSLIN_ELEMENT_BODY_FACE = 6
} MuslinElement;

/* One sentence of a message in numbers. */
typedef struct MuslinDetail {
    uint32_t size;
    int32_t code;                             /* MuslinDetailCode */
    int32_t outcome;                          /* MuslinOutcome */
    int32_t element;                          /* MuslinElement */
    int32_t elements[MUSLIN_DETAIL_ELEMENTS]; /* the first of them; -1: no more */
    int32_t count;                            /* of all that are meant, listed or not */
    int32_t body;                             /* the body's number, -1 for none */
    int32_t defect;                           /* MuslinDefect of MUSLIN_DETAIL_DEFECT, else -1 */
    double value, limit;
    char name[MUSLIN_DETAIL_NAME_SIZE]; /* of an argument, as this header spells it; else empty */
    char sentence[MUSLIN_MESSAGE_SIZE]; /* one of the message */
    /* what is the matter: the sentence without what is done about it */
    char cause[MUSLIN_MESSAGE_SIZE];
} MuslinDetail;

#endif
