/* Muslin: cloth on a constant matrix. The public C interface, and its manual.
 * SPDX-License-Identifier: GPL-3.0-or-later
 *
 * Units are SI throughout: metres, seconds, kilograms, newtons.
 * Arrays belong to the caller and are only read or written during the call. Positions are float32,
 * three numbers a vertex, in the order of the caller's mesh.
 * Every call returns a status: 0 is success, negative an error (nothing has changed), positive a
 * warning (the call did its work, the message says what to look at). muslin_message() tells more.
 * A handle may be used by one thread at a time; only muslin_cloth_cancel() and
 * muslin_cloth_progress() may be called while another thread works on the same handle.
 * The library never prints, never exits, and keeps nothing but the handles. */
#ifndef MUSLIN_H
#define MUSLIN_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Raised whenever a struct or a function below changes its meaning. */
#define MUSLIN_ABI_VERSION 3
#define MUSLIN_MESSAGE_SIZE 512
#define MUSLIN_MAX_COEFFICIENTS 4

/* A cloth under simulation. 0 is never a valid handle; a stale one is an error, not a crash. */
typedef uint64_t MuslinCloth;

typedef enum MuslinStatus {
    MUSLIN_OK = 0,
    MUSLIN_WARNING_MESH = 1, /* defects in the mesh: simulated all the same, see the message */
    MUSLIN_WARNING_ALL_PINNED = 2,    /* nothing is free to move */
    MUSLIN_WARNING_BODY_REPLACED = 3, /* a body has another mesh than before, see the message */
    MUSLIN_WARNING_MIRROR =
        4, /* not mirrored, or not in all: something is not symmetric, see the message */
    MUSLIN_ERROR_HANDLE = -1,
    MUSLIN_ERROR_ARGUMENT = -2, /* a parameter is out of its range, or a pointer is null */
    MUSLIN_ERROR_MESH = -3,     /* the mesh cannot be simulated */
    MUSLIN_ERROR_MEMORY = -4,
    MUSLIN_ERROR_MATRIX = -5, /* the system matrix is not positive definite */
    MUSLIN_ERROR_DIVERGED =
        -6, /* a step left the finite numbers; the state is as before that substep */
    MUSLIN_ERROR_CANCELLED = -7, /* cancelled; the state is as at the last finished substep */
    MUSLIN_ERROR_SNAPSHOT = -8,  /* the bytes are no snapshot of this cloth */
    MUSLIN_ERROR_BODY = -9       /* the cloth has no body of this number, or not any more */
} MuslinStatus;

typedef enum MuslinModel { MUSLIN_MODEL_EDGE = 0, MUSLIN_MODEL_TRIANGLE = 1 } MuslinModel;

/* How the linear solver guesses the direction of each edge or fabric axis at the end of a step. */
typedef enum MuslinEstimate {
    MUSLIN_ESTIMATE_PREVIOUS = 0,   /* as it is now: shows orientation drag, for comparison */
    MUSLIN_ESTIMATE_ROTATION = 1,   /* keeps turning: inertial edge or axes rotation */
    MUSLIN_ESTIMATE_TRANSLATION = 2 /* vertices keep flying: inertial vertex translation */
} MuslinEstimate;

typedef enum MuslinSolver {
    MUSLIN_SOLVER_LINEAR = 0,  /* constant matrix, factored once */
    MUSLIN_SOLVER_IMPLICIT = 1 /* conventional: a Newton step by conjugate gradients; reference */
} MuslinSolver;

/* How the linear solver spends its rounds. */
typedef enum MuslinScheme {
    MUSLIN_SCHEME_PLAIN = 0,     /* local step, solve; for comparison: stiff cloth falls slowly */
    MUSLIN_SCHEME_TWO_LEVEL = 1, /* smooth motions corrected by Newton's method, then as plain */
    MUSLIN_SCHEME_ANDERSON = 2   /* plain rounds, extrapolated from the last few */
} MuslinScheme;

/* How lively the cloth shall be: the share of the converged motion that the two-level scheme reaches. The
 * library does rounds until little is left to gain, anew in every substep. */
typedef enum MuslinQuality {
    MUSLIN_QUALITY_CUSTOM = 0, /* `iterations` rounds, whatever they reach */
    MUSLIN_QUALITY_DRAFT = 1,  /* at least 0.8 */
    MUSLIN_QUALITY_FIT = 2,    /* at least 0.95 */
    MUSLIN_QUALITY_FINAL = 3   /* at least 0.99 */
} MuslinQuality;

/* How a substep goes through time. */
typedef enum MuslinIntegrator {
    MUSLIN_INTEGRATOR_EULER = 0, /* backward Euler: calm, loses motion at large steps */
    MUSLIN_INTEGRATOR_BDF2 = 1   /* second order: swings on for longer */
} MuslinIntegrator;

typedef enum MuslinOrdering {
    MUSLIN_ORDERING_AUTO =
        0, /* AMD for small meshes, dissection for large flat ones, METIS for large garments */
    MUSLIN_ORDERING_NATURAL = 1,
    MUSLIN_ORDERING_CUTHILL_MCKEE = 2,
    MUSLIN_ORDERING_REVERSE_CUTHILL_MCKEE = 3,
    MUSLIN_ORDERING_AMD = 4,
    MUSLIN_ORDERING_METIS = 5,
    MUSLIN_ORDERING_DISSECTION = 6 /* by the vertices' places at rest */
} MuslinOrdering;

/* Of the factored matrix's numbers in memory. Positions and forces are always computed in double. */
typedef enum MuslinPrecision {
    MUSLIN_PRECISION_AUTO =
        0, /* single from 1,000 vertices on where a trial shows it to do, else double */
    MUSLIN_PRECISION_SINGLE = 1, /* half the memory and time of a solve */
    MUSLIN_PRECISION_DOUBLE = 2
} MuslinPrecision;

/* Where the targets of the two diagonal (shear) axes of a triangle come from. */
typedef enum MuslinShearAxes {
    MUSLIN_SHEAR_AXES_ESTIMATED = 0, /* estimated like warp and weft */
    MUSLIN_SHEAR_AXES_DERIVED = 1    /* sum and difference of the warp and weft targets */
} MuslinShearAxes;

/* Shear energy of the conventional triangle model. */
typedef enum MuslinShearEnergy {
    MUSLIN_SHEAR_ENERGY_DIAGONAL = 0, /* lengths of the two diagonal axes, as in the linear model */
    MUSLIN_SHEAR_ENERGY_PRODUCT = 1   /* (warp . weft)^2, Baraff and Witkin */
} MuslinShearEnergy;

typedef enum MuslinBendRest {
    MUSLIN_BEND_REST_SHAPE = 0, /* the mesh's own folds are its rest shape */
    MUSLIN_BEND_REST_FLAT = 1   /* cloth wants to lie flat */
} MuslinBendRest;

/* Where material coordinates come from. */
typedef enum MuslinPattern {
    MUSLIN_PATTERN_MESH =
        0, /* rest mesh, flattened triangle by triangle; warp along UV's u if given */
    MUSLIN_PATTERN_UV = 1 /* the UV map is the sewing pattern, in metres times uv_scale; its
                           * cloth lies flat at rest */
} MuslinPattern;

/* Whether one half of a garment that is its own mirror image is simulated for both. */
typedef enum MuslinMirror {
    MUSLIN_MIRROR_OFF = 0, /* all of it is simulated */
    MUSLIN_MIRROR_AUTO =
        1, /* one half as long as everything is symmetric, else all of it, with a warning */
    MUSLIN_MIRROR_EXACT = 2, /* one half; what is not symmetric is refused */
    MUSLIN_MIRROR_HALVE =
        3 /* the half on the kept side, whatever the other is like: that one follows */
} MuslinMirror;

/* What holds two open fronts together in a mirrored garment. */
typedef enum MuslinClosure {
    MUSLIN_CLOSURE_FREE = 0,  /* nothing */
    MUSLIN_CLOSURE_ZIP = 1,   /* edge to edge, on the plane */
    MUSLIN_CLOSURE_BUTTON = 2 /* one over the other */
} MuslinClosure;

/* Which front of a buttoned garment lies over the other. */
typedef enum MuslinOver {
    MUSLIN_OVER_OTHER = -1, /* the one on the other side of the plane */
    MUSLIN_OVER_KEPT = 1    /* the one on the side that the plane's normal points to */
} MuslinOver;

/* What is done where a body under a mirrored garment is not its own mirror image. */
typedef enum MuslinAsymmetricBody {
    MUSLIN_BODY_SYMMETRISE = 0, /* the garment meets the mean of the body and its mirror image */
    MUSLIN_BODY_SOLVE_WHOLE = 1 /* all of the garment is simulated until both are symmetric again */
} MuslinAsymmetricBody;

/* A polygon mesh. Faces may be triangles, quads or larger polygons; loose edges are ropes. */
typedef struct MuslinMesh {
    uint32_t size; /* sizeof(MuslinMesh) */
    int32_t vertex_count;
    int32_t face_count;
    int32_t edge_count;           /* loose edges only */
    const float *positions;       /* 3 x vertex_count, m: the rest shape and the first state */
    const int32_t *face_sizes;    /* face_count, each >= 3 */
    const int32_t *face_vertices; /* sum of face_sizes */
    const int32_t *edges;         /* 2 x edge_count, or null */
    const float *corner_uvs;      /* 2 x sum of face_sizes, or null */
} MuslinMesh;

/* What the cloth meets: a polygon mesh that the caller moves. A closed part of it (every edge between
 * two faces) is solid and keeps the cloth outside, whichever way its faces point, and so is one whose
 * openings are small against it; any other part is a sheet with two sides. Vertices of no face are
 * allowed and are met nowhere. */
typedef struct MuslinBody {
    uint32_t size; /* sizeof(MuslinBody) */
    int32_t vertex_count;
    int32_t face_count;           /* at least 1 */
    const float *positions;       /* 3 x vertex_count, m: where it is now */
    const int32_t *face_sizes;    /* face_count, each >= 3 */
    const int32_t *face_vertices; /* sum of face_sizes */
    float thickness;              /* m, > 0, <= 0.1: the distance that the cloth keeps from it */
    float friction;               /* Coulomb's coefficient, >= 0, <= 10 */
} MuslinBody;

/* What the cloth is made of. Changing it keeps the symbolic analysis. */
typedef struct MuslinMaterial {
    uint32_t size;
    float density;           /* kg/m^2, > 0 */
    float stretch_warp;      /* N/m, >= 0: stiffness along u */
    float stretch_weft;      /* N/m, >= 0: along v. The edge model uses the mean of both */
    float shear;             /* N/m, >= 0 */
    float bend;              /* N m, >= 0: a sheet of curvature c stores bend c^2 / 2 per area */
    float rope_density;      /* kg/m of loose edges, > 0 */
    float rope_stretch;      /* N, >= 0: force at strain 1 */
    float damping;           /* 1/s, >= 0: mass-proportional (Rayleigh) */
    float stiffness_damping; /* s, >= 0: stiffness-proportional (Rayleigh); leaves rotation free */
    float air_drag;          /* N s/m^3, >= 0: slows everything, per area */
    float pin_stiffness;     /* 1/s^2, > 0: pull of a soft pin of weight one half, per mass */
} MuslinMaterial;

/* What acts on it from outside. */
typedef struct MuslinForces {
    uint32_t size;
    float gravity[3];   /* m/s^2 */
    float wind[3];      /* m/s */
    float normal_drag;  /* N s/m^3, >= 0: wind across a triangle, per area */
    float tangent_drag; /* N s/m^3, >= 0: wind along it */
} MuslinForces;

/* How it is computed. Model, pattern, bend_rest and tension_only are fixed at creation. */
typedef struct MuslinClothDef {
    uint32_t size;
    int32_t solver;            /* MuslinSolver */
    int32_t scheme;            /* MuslinScheme, linear solver only */
    int32_t quality;           /* MuslinQuality, two-level scheme only */
    int32_t integrator;        /* MuslinIntegrator */
    int32_t model;             /* MuslinModel */
    int32_t estimate;          /* MuslinEstimate */
    int32_t order;             /* 1 or 2; 0: the coefficients below */
    int32_t coefficient_count; /* 1 to MUSLIN_MAX_COEFFICIENTS, used when order is 0 */
    float coefficients[MUSLIN_MAX_COEFFICIENTS]; /* newest first; for translation they sum to 1 */
    int32_t shear_axes;                          /* MuslinShearAxes */
    int32_t shear_energy;                        /* MuslinShearEnergy, implicit solver only */
    int32_t tension_only; /* 1: no resistance to compression along edges and axes */
    int32_t bend_rest;    /* MuslinBendRest */
    int32_t pattern;      /* MuslinPattern */
    float uv_scale;       /* m per UV unit, > 0, for MUSLIN_PATTERN_UV */
    int32_t ordering;     /* MuslinOrdering */
    int32_t substeps;     /* per muslin_cloth_step, 1 to 10000 */
    int32_t iterations;   /* local/global rounds, or Newton steps, per substep, 1 to 100000 */
    float pcg_tolerance;  /* relative residual of the implicit solver, > 0 and < 1 */
    int32_t pcg_limit;    /* most conjugate gradient iterations, >= 1 */
    int32_t threads;      /* 1 to 256; results are the same bytes for any number */
    MuslinMaterial material;
    MuslinForces forces;
    int32_t mirror;      /* MuslinMirror; the next nine say how, and count only if it is not off */
    int32_t mirror_find; /* 1: look for the plane; 0: the one of the next two */
    float mirror_point[3];  /* m, on the plane */
    float mirror_normal[3]; /* not zero; points to the side that is kept */
    float
        mirror_tolerance; /* m: how far a vertex may be from its partner's image; 0: as in MuslinSymmetry */
    int32_t closure;         /* MuslinClosure, of open fronts; with MUSLIN_MIRROR_OFF only free */
    float overlap;           /* m, > 0, <= 1: how far buttoned fronts lie over each other */
    int32_t over;            /* MuslinOver, of buttoned fronts */
    int32_t asymmetric_body; /* MuslinAsymmetricBody */
    int32_t precision;       /* MuslinPrecision, linear solver only */
} MuslinClothDef;

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
    int32_t rounds;       /* per substep; where a quality decides, those of the latest substep */
    int32_t precision;    /* MuslinPrecision, the one used: auto is resolved */
    int64_t factor_bytes; /* taken by the factor, of memory_bytes */
} MuslinReport;

/* What the last step did, and how the cloth is now. Counts of a mirrored cloth are those of its half, strains and energies
 * those of all of it. */
typedef struct MuslinStats {
    uint32_t size;
    int32_t substeps;
    int32_t pcg_iterations;    /* in all substeps together */
    int32_t newton_iterations; /* likewise */
    int32_t pcg_stopped;       /* conjugate gradient solves that ended at their limit */
    double force_seconds;      /* energies and forces of the cloth, line searches included */
    double
        assemble_seconds; /* the substeps' equations: drive, right-hand side, matrix if not constant */
    double solve_seconds;   /* solving them, with the factor, on the coarse level or by iteration */
    double contact_seconds; /* finding contacts and answering them; part of none of the above */
    double total_seconds;   /* of the step; the four above are parts of it, and not quite all */
    double largest_strain, mean_strain; /* |length / rest - 1| over edges */
    int32_t largest_strain_edge[2];     /* its two vertices, -1 without edges */
    double kinetic_energy, elastic_energy,
        gravity_energy;          /* J; gravity's zero is the first state */
    int32_t solves, corrections; /* with the constant factor; on the coarse level */
    int32_t rejected;      /* corrections and extrapolations that would have raised the energy */
    double coarse_seconds; /* part of solve_seconds */
    double pcg_residual;   /* the largest |r| / |b| that conjugate gradients left */
    double residual;  /* |force imbalance| of the last substep's equation over that of its start */
    int32_t contacts; /* with bodies, that push at the end of the last substep */
    int32_t self_contacts; /* of the cloth with itself, likewise */
    int32_t touching;      /* vertices closer to a body than its thickness, likewise */
    int32_t stuck;         /* vertices with nowhere to go: between two bodies, say */
    int32_t tangled;       /* edges of the cloth through its own faces, if it meets itself */
    double deepest;        /* m: the deepest in a body that the solver left a vertex in any substep,
                               * before it was put outside; 0: none */
    double detection_seconds; /* finding contacts */
    double response_seconds;  /* answering them; contact_seconds is the sum of both */
} MuslinStats;

/* How a cloth is mirrored, and how symmetric it is. Counts are of the caller's vertices where nothing else is
 * said. */
typedef struct MuslinMirrorReport {
    uint32_t size;
    int32_t
        mode; /* MUSLIN_MIRROR_EXACT or _HALVE; _OFF where only all of the garment can be simulated */
    double point[3], normal[3]; /* the plane; zero if the mode is off */
    int32_t half_vertex_count;  /* vertices of the half that is simulated; 0 if the mode is off */
    int32_t paired, on_plane,
        unpaired;        /* with a partner, their own partner, without: all vertices */
    int32_t extra_count; /* of parts without any partner, which are simulated apart from the half */
    int32_t front_count; /* of the half, on the fronts that a closure closes */
    int32_t body;        /* the body that is least symmetric, -1 without bodies */
    int32_t body_vertex; /* its vertex that is farthest from its partner's image, -1 without one */
    double body_asymmetry; /* m: how far that is */
    int32_t solved_whole;  /* 1: the last step simulated all of the garment */
    int32_t whole_steps;   /* how many steps did */
} MuslinMirrorReport;

/* What is wrong with a mesh. Each count has its own list in muslin_mesh_defects. */
typedef enum MuslinDefect {
    MUSLIN_DEFECT_NOT_FINITE = 0,      /* vertex: NaN or infinite coordinate; error */
    MUSLIN_DEFECT_INDEX_RANGE = 1,     /* face or edge: vertex index out of range; error */
    MUSLIN_DEFECT_REPEATED_VERTEX = 2, /* face or edge names a vertex twice: left out */
    MUSLIN_DEFECT_ZERO_AREA = 3,      /* face: area zero or nearly: carries no stretch of its own */
    MUSLIN_DEFECT_SLIVER = 4,         /* face: height below 1/50 of its longest side: kept */
    MUSLIN_DEFECT_DUPLICATE_FACE = 5, /* face: same vertices as an earlier one: left out */
    MUSLIN_DEFECT_ISOLATED = 6,       /* vertex of no face or edge: stays where it is */
    MUSLIN_DEFECT_NON_MANIFOLD =
        7,                     /* edge of three or more faces: bends between each pair in turn */
    MUSLIN_DEFECT_FLIPPED = 8, /* edge whose two faces face opposite ways: kept */
    MUSLIN_DEFECT_DOUBLED_VERTEX = 9, /* vertex in the same place as an earlier one: not joined */
    MUSLIN_DEFECT_BAD_UV =
        10, /* face: texture coordinate not finite: not used, an error as a pattern */
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

/* Whether a mesh is its own mirror image, and in which plane. The first five are given and told, the rest is
 * told. */
typedef struct MuslinSymmetry {
    uint32_t size;
    int32_t find;     /* 1: look for the best plane; 0: the one given below */
    double point[3];  /* m, on the plane */
    double normal[3]; /* not zero; told with length 1 */
    double tolerance; /* m: how far a vertex may be from the image of its partner, at most the mean
                          * edge; 0: 1e-4 of the mesh's diagonal, and at most a quarter of the mean edge */
    int32_t paired;   /* vertices with a partner other than themselves: an even number */
    int32_t on_plane; /* vertices that are their own partner */
    int32_t unpaired; /* vertices without */
    int32_t faces_without,
        edges_without;      /* faces and loose edges whose image is none of the mesh */
    int32_t differing_cuts; /* faces of four or more corners that this library cuts into triangles
                             * otherwise than their image */
    int32_t crossing_cuts; /* of those, faces that are their own image: they lie across the plane */
    double rms,
        largest; /* m: distances of vertices from their partners' images; of one on the plane,
                             * twice its distance from the plane */
} MuslinSymmetry;

/* Only what follows is visible from outside the library. */
#if defined(__GNUC__)
#pragma GCC visibility push(default)
#endif

/* The version of the library ("0.1.0") and of this interface. */
const char *muslin_version(void);
uint32_t muslin_abi_version(void);

/* One line for a status, never null. */
const char *muslin_status_text(int32_t status);

/* The last message of a handle; of handle 0: of this thread's last call that had no handle.
 * Copies at most `capacity` bytes with the closing 0, cut if need be. */
int32_t muslin_message(MuslinCloth cloth, char *text, size_t capacity);

/* Fill a definition with defaults: a light cotton, triangle model, translation estimate. */
int32_t muslin_default_cloth_def(MuslinClothDef *def);

/* Fill a body with defaults: thickness 4 mm, friction 0.3, no mesh yet. */
int32_t muslin_default_body(MuslinBody *body);

/* Look at a mesh without simulating it. `findings` may be null; at most `capacity` are written and
 * `found` (may be null) tells how many there are. Returns MUSLIN_OK for a clean mesh, a warning for
 * defects that can be simulated, an error for those that cannot. */
int32_t muslin_mesh_check(const MuslinMesh *mesh, MuslinMeshReport *report, MuslinFinding *findings,
                          int32_t capacity, int32_t *found);

/* Look for the mirror image of every vertex and face, without simulating anything. Where several vertices are in
 * one place (seams, layers), neighbours of partners become partners. `partners` (vertex_count) gets the
 * partner of each vertex, the vertex itself on the plane, -1 without; `face_partners` (face_count) likewise,
 * -2 for faces that are left out of a simulation and count nowhere. Both may be null. Returns
 * MUSLIN_OK whatever is found; after an error the arrays mean nothing. */
int32_t muslin_mesh_symmetry(const MuslinMesh *mesh, MuslinSymmetry *symmetry, int32_t *partners,
                             int32_t *face_partners);

/* Build a cloth. Copies what it needs. Warnings leave a valid handle. */
int32_t muslin_cloth_create(const MuslinMesh *mesh, const MuslinClothDef *def, MuslinCloth *cloth);
int32_t muslin_cloth_destroy(MuslinCloth cloth);

/* Order, analyse and factor now what is out of date; a step does it by itself when needed.
 * `step_seconds` is the length of the steps to come (of a whole step, not of a substep). */
int32_t muslin_cloth_prepare(MuslinCloth cloth, double step_seconds);

/* Advance by `seconds` (above 0, at most 10) in def.substeps equal substeps. Allocates nothing once prepared for that
 * length of step, but when a mirrored cloth has to be simulated whole for the first time, and little each time
 * it goes over. Pins move in a straight line to their targets. */
int32_t muslin_cloth_step(MuslinCloth cloth, double seconds);

/* Replace the set of pins. Weight 1 holds a vertex exactly, below 1 pulls softly, 0 not at all;
 * weights null: all 1. Targets null: where the vertices are now. `count` may be 0. */
int32_t muslin_cloth_set_pins(MuslinCloth cloth, int32_t count, const int32_t *vertices,
                              const float *weights, const float *targets);

/* Where the pins shall be at the end of the next step, in the order of muslin_cloth_set_pins. */
int32_t muslin_cloth_move_pins(MuslinCloth cloth, int32_t count, const float *targets);

/* Bodies. As everywhere, one thread at a time, never during a step of the same cloth; arrays are copied.
 * None of these touches the matrix or its factor. Every body has a number, from 0 up, that is not used
 * again after it was removed. Cloth that is inside a body when that appears comes out slowly.
 *
 * Add a body. `number` is what the other calls know it by, -1 after an error. A warning
 * (MUSLIN_WARNING_MESH) tells of faces that name a vertex twice (left out), of faces without area, and
 * of closed parts that were inside out (turned). Under a mirrored cloth a body is given whole, and
 * MUSLIN_WARNING_MIRROR tells, here or when it is moved or placed, the first time that it is not its own mirror
 * image. */
int32_t muslin_cloth_add_body(MuslinCloth cloth, const MuslinBody *body, int32_t *number);

/* Another mesh for a body, with any number of vertices and faces, and its thickness and friction. It is
 * built anew, stands where `body` says at once, and stands still during the next step unless
 * muslin_cloth_move_body is called after this. Always a warning, MUSLIN_WARNING_BODY_REPLACED, with both
 * numbers of vertices, since a mesh that changes while it moves is mostly a mistake. */
int32_t muslin_cloth_replace_body(MuslinCloth cloth, int32_t number, const MuslinBody *body);

/* Where a body shall be at the end of the next step, 3 x count floats, m; its vertices go there evenly, in a
 * straight line, over the substeps. `count` is its number of vertices. A body that is not moved
 * before a step stands still in it. A step that was cancelled or failed leaves it where it had got to,
 * and the next step takes it the rest of the way. */
int32_t muslin_cloth_move_body(MuslinCloth cloth, int32_t number, int32_t count,
                               const float *positions);

/* Likewise, but it is there at once and sweeps nothing up on the way: after going back to an earlier
 * frame. */
int32_t muslin_cloth_place_body(MuslinCloth cloth, int32_t number, int32_t count,
                                const float *positions);

/* Change thickness (m) and friction of a body; ranges as in MuslinBody. */
int32_t muslin_cloth_set_body_surface(MuslinCloth cloth, int32_t number, float thickness,
                                      float friction);

/* Take a body away; its number is an error from then on. */
int32_t muslin_cloth_remove_body(MuslinCloth cloth, int32_t number);

/* Cloth against itself: all layers, garments and ropes of this mesh keep `thickness` (m, ranges as in
 * MuslinBody) from each other, with this friction. enabled: 1, or 0 (as created), where the other two
 * are not looked at. */
int32_t muslin_cloth_set_self_contact(MuslinCloth cloth, int32_t enabled, float thickness,
                                      float friction);

/* Change material or forces while running: at most a numeric refactorisation. */
int32_t muslin_cloth_set_material(MuslinCloth cloth, const MuslinMaterial *material);
int32_t muslin_cloth_set_forces(MuslinCloth cloth, const MuslinForces *forces);

/* Change substeps and iterations (each >= 1) while running; the quality becomes custom. */
int32_t muslin_cloth_set_rounds(MuslinCloth cloth, int32_t substeps, int32_t iterations);

/* Change the quality (MuslinQuality) of the two-level scheme while running. */
int32_t muslin_cloth_set_quality(MuslinCloth cloth, int32_t quality);

/* Per-vertex factors (>= 0, mass >= 1e-6) on mass, stretch and shear, and bending; null: all 1. */
int32_t muslin_cloth_set_scales(MuslinCloth cloth, const float *mass, const float *stretch,
                                const float *bend);

/* Read or replace the state; velocities null: not read, or set to zero. 3 x vertex_count floats. */
int32_t muslin_cloth_get_state(MuslinCloth cloth, float *positions, float *velocities);
int32_t muslin_cloth_set_state(MuslinCloth cloth, const float *positions, const float *velocities);

/* The whole dynamic state as bytes: continuing from a restored snapshot gives the same bytes as
 * continuing without. It fits the same mesh only, mirrored alike; the size of a mirrored cloth's changes when it is
 * simulated whole. The set of pins, material and forces are not part of
 * it, nor are bodies: a caller that goes back puts them where they were with
 * muslin_cloth_replace_body. */
int32_t muslin_cloth_snapshot_size(MuslinCloth cloth, size_t *bytes);
int32_t muslin_cloth_snapshot(MuslinCloth cloth, void *bytes, size_t capacity);
int32_t muslin_cloth_restore(MuslinCloth cloth, const void *bytes, size_t size);

int32_t muslin_cloth_report(MuslinCloth cloth, MuslinReport *report);
int32_t muslin_cloth_stats(MuslinCloth cloth, MuslinStats *stats);

/* How the cloth is mirrored. The body is looked at when it is given, moved or placed. */
int32_t muslin_cloth_mirror(MuslinCloth cloth, MuslinMirrorReport *report);

/* These two are refused for a mirrored cloth, whose matrix is that of its half.
 *
 * Least and largest eigenvalue of the system matrix of the free vertices, divided by their masses
 * (M^-1/2 A M^-1/2), by Lanczos iterations on the prepared cloth. For reports, not for every frame. */
int32_t muslin_cloth_eigenvalues(MuslinCloth cloth, double *smallest, double *largest);

/* One bare solve with the prepared factor: 3 x vertex_count numbers in, the same out; for benches
 * and tests. `rounds` >= 1 repeats it; `seconds` (may be null) is the time of all rounds. */
int32_t muslin_cloth_solve(MuslinCloth cloth, double *right_hand_side, int32_t rounds,
                           double *seconds);

/* From any thread: ask a running call to stop at its next substep; how far it is, 0 to 1. */
int32_t muslin_cloth_cancel(MuslinCloth cloth);
int32_t muslin_cloth_progress(MuslinCloth cloth, double *fraction);

#if defined(__GNUC__)
#pragma GCC visibility pop
#endif

#ifdef __cplusplus
}
#endif
#endif
