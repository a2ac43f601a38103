/* One mesh that is simulated: built from polygons, stepped, measured, stored. A cloth (cloth/cloth.h) has one, or up to
 * three where it is mirrored. */
#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "contact/contact_world.h"
#include "laws/maps.h"
#include "mesh/mesh.h"
#include "solver/solver.h"

/* --- what may be set ----------------------------------------------------------------------------- */

/* All that a caller may set while a cloth is simulated: of one mesh, in its vertices. The cloth owns
 * the caller's (cloth/inputs.h); mappings (cloth/mapping.h) carry them to every mesh that is simulated for it, and
 * simulation_set_inputs() and simulation_set_body() read them there. */

typedef enum ForceField {
    FORCE_FIELD_WIND,     /* m/s, which adds to that of all */
    FORCE_FIELD_TRACTION, /* N/m^2, a force per area of cloth, however it lies and moves */
    FORCE_FIELDS
} ForceField;

/* The surface of a body, or of the cloth itself. */
typedef struct BodySurface {
    double thickness; /* of the shell that the cloth keeps from the surface, m, > 0 */
    double friction;  /* Coulomb's coefficient */
} BodySurface;

typedef struct BodyInputs {
    const PolygonMesh *polygons; /* where it was given */
    BodySurface surface;
    bool
        bends; /* it is cloth: its vertices go straight within a frame, not on arcs as parts that turn */
    const float *place, *target; /* 3 x its vertices, m: now, and at the end of the next step */
} BodyInputs;

/* Which of these are given. */
enum { BODY_MESH = 1, BODY_SURFACE = 2, BODY_PLACE = 4, BODY_TARGET = 8 };

typedef struct PinInputs {
    bool here;      /* targets are where the vertices of this mesh are */
    bool symmetric; /* targets are those of another mesh's half, and symmetric whatever they say */
    int count;
    const int32_t *vertices;
    const float *weights; /* null: all 1 */
    const float *targets; /* 3 x count, m; null: where the vertices are */
} PinInputs;

typedef struct LinkInputs {
    int count;
    int kept;         /* so many of the first keep their state */
    const Link *list; /* their lengths are measured: simulation_link_length() */
    bool weightless; /* gravity waits until all have closed, or for twice the time that they need */
} LinkInputs;

typedef struct Inputs {
    PinInputs pins;
    LinkInputs links;
    const float *maps[MAP_KINDS];      /* per vertex; null: as map_traits say */
    const float *fields[FORCE_FIELDS]; /* 3 x vertices; null: none */
    const Material *materials;         /* one for each part */
    bool evenly;  /* likewise: they damp all vertices alike, whatever the map says */
    Vec3 gravity; /* m/s^2 */
    Wind wind;
    BodySurface self_contact; /* all layers, garments and ropes of the mesh; thickness 0: off */
    int substeps, iterations; /* substeps 0: as the motion asks for */
    Quality quality;
    double budget; /* s for a step, for the solver by sweeps to keep to; 0: none */
    double haste;  /* links close at this times their speed; 0: at their own */
} Inputs;

/* Which of them are given. */
enum {
    INPUT_PINS = 1,
    INPUT_TARGETS = 2, /* of the present pins, at the end of the next step */
    INPUT_FIELDS = 4,
    INPUT_MATERIALS = 8,
    INPUT_FORCES = 16, /* gravity and wind */
    INPUT_SELF_CONTACT = 32,
    INPUT_SUBSTEPS = 64,
    INPUT_ITERATIONS = 128,
    INPUT_QUALITY = 256,
    INPUT_BUDGET = 512,
    INPUT_HASTE = 1024,
    INPUT_LINKS = 2048,
    INPUT_FIRST_MAP = 1 << 16,
    INPUT_MAPS = ((1 << MAP_KINDS) - 1) * INPUT_FIRST_MAP
};

/* Takes these bits of another's; arrays stay whose they are. */
void inputs_set(Inputs *to, const Inputs *from, unsigned what);

static inline unsigned input_map(MapKind kind) { return (unsigned)INPUT_FIRST_MAP << kind; }

/* --- building ----------------------------------------------------------------------------------- */

typedef enum Integrator {
    INTEGRATOR_EULER, /* backward Euler: calm, loses motion at large steps */
    INTEGRATOR_BDF2,  /* second order: loses less */
    INTEGRATOR_AUTO /* the second where a quality decides and the cloth touches nothing, else the first */
} Integrator;

/* The polygons are the half x >= 0 of a cloth that is its own mirror image in x = 0. Its vertices are numbered so
 * that those on rails come last, and of these the ones in the plane. */
typedef struct SimulationHalf {
    bool halved;    /* false: they are a whole cloth, and the rest is not read */
    int rail_from;  /* vertices from here on are drawn to x = 0 and held there */
    int plane_from; /* vertices from here on lie there at rest, and the cloth goes on as its image */
    double closing; /* s within which rails get there */
    bool barrier;   /* nothing passes x = 0; else only where the cloth meets itself */
} SimulationHalf;

typedef struct SimulationOptions {
    SimulationHalf half;
    Integrator integrator;
    SystemOptions system;
    MeshOptions mesh;
    SolverKind solver;
    SolverOptions solving;
    int substeps; /* of a step; 0: as many as the motion asks for, see substeps.c */
    int threads;
    Material materials[PARTS_MOST]; /* one for each part that system.part_count counts */
    Vec3 gravity;                   /* m/s^2 */
    Wind wind;
    /* Not 0: stop. Any thread sets it; its owner clears it after a step. May be null. */
    atomic_int *cancelled;
    /* How far a step is, per mille; any thread reads it. May be null. */
    atomic_int *progress;
} SimulationOptions;

/* The inputs that these options contain, and the same options with other inputs. */
Inputs simulation_inputs_of(const SimulationOptions *options);
SimulationOptions simulation_options_with(const SimulationOptions *options, const Inputs *inputs);

typedef struct SimulationReport {
    int vertex_count, edge_count, triangle_count, hinge_count, rope_count, component_count;
    int pinned_count, soft_count;
    int64_t matrix_nonzeros;
    size_t bytes;
    int coarse_unknowns, iterations;
    FactorReport factor;
} SimulationReport;

typedef struct SimulationMeasure {
    double largest_strain, mean_strain;                    /* |length / rest - 1| */
    int largest_edge[2];                                   /* its vertices; -1 without edges */
    double kinetic_energy, elastic_energy, gravity_energy; /* J */
    double residual; /* force imbalance of the last substep over that of its start */
} SimulationMeasure;

typedef struct Simulation Simulation;

/* A warning in `status` still gives a cloth; an error gives null. */
Simulation *simulation_create(const PolygonMesh *polygons, const SimulationOptions *options,
                              Status *status);
void simulation_destroy(Simulation *simulation);

StatusCode simulation_prepare(Simulation *simulation, double step_seconds, Status *status);
/* Cancelled before it starts, it changes nothing. */
StatusCode simulation_step(Simulation *simulation, double seconds, Status *status);

/* Sets those `inputs` that the INPUT bits name. An error (no memory, or a vertex that is pinned twice) changes nothing. */
StatusCode simulation_set_inputs(Simulation *simulation, const Inputs *inputs, unsigned what,
                                 Status *status);
/* Whether a pin or a body moves in the next step. */
bool simulation_pins_move(const Simulation *simulation);
bool simulation_bodies_move(const Simulation *simulation);

/* --- bodies ----------------------------------------------------------------------------------- */

/* Sets what the BODY bits name of the body with the caller's number. A mesh makes a new body or replaces the one before,
 * with any number of vertices, and stands still until it is moved. Closed parts of it are solid, all others are sheets with
 * two sides; faces that are left out get a warning. `place` is taken at once; the body moves evenly to `target` in the next
 * step. An error changes nothing. */
StatusCode simulation_set_body(Simulation *simulation, int number, const BodyInputs *body,
                               unsigned what, Status *status);
void simulation_drop_body(Simulation *simulation, int number);

/* Puts points that move with the cloth outside of bodies: outside_put() in contact/body/collider.h. */
void simulation_expel_points(Simulation *simulation, Pool *pool, double reach, int count,
                             OutsideHint *hints, Vec3 *points);

/* --- links: seams, tacks, elastics ------------------------------------------------------------- */

/* To take them builds the system and the solver anew. The solver has to have them. */

/* How far apart the points of a link are now, m; of an elastic the share of that which the caller gave for its length. */
double simulation_link_length(const Simulation *simulation, const Link *link);
/* Releases the links of a set; or closes them again, with the lengths that were measured, except those whose body is gone. */
void simulation_open_links(Simulation *simulation, int set);
void simulation_close_links(Simulation *simulation, int set);
typedef struct LinkReport {
    int count, closing, released; /* links; of these, not yet near */
    double largest_gap,
        mean_gap;    /* m: length that seams and tacks that are not released still lose */
    int widest;      /* the link with the largest gap, -1 without */
    bool waiting;    /* gravity waits for links to close: */
    double patience; /* s, so long at most */
} LinkReport;

/* Which vertices they sew to which. Arrays come from `store`. */
StatusCode links_find_sewn(const LinkInputs *links, int vertex_count, Store *store, Sewn *sewn,
                           Status *status);
/* Of a set; below 0: of all. */
void simulation_report_links(const Simulation *simulation, int set, LinkReport *report);

/* --- what may change while running ------------------------------------------------------------ */

/* False if the part was built without what the material needs: measured bending, memory of folds, or air. */
bool simulation_accepts_material(const Simulation *simulation, int part, const Material *material);

/* Adds a warning if the model cannot represent the present material exactly. */
void simulation_warn_of_material(const Simulation *simulation, Status *status);
/* Whether all closed surfaces of a part have a volume that can be kept; and the message if not. part -1: there is one. */
bool simulation_has_volumes(const Simulation *simulation, int part);
StatusCode simulation_refuse_flat(int part, double stiffness, Status *status);
bool simulation_is_two_level(const Simulation *simulation); /* a quality can decide */
/* 3 x vertex_count floats; velocities may be null. */
void simulation_copy_state(const Simulation *simulation, float *positions, float *velocities);
void simulation_place(Simulation *simulation, const float *positions, const float *velocities);

/* Sets the velocities with which a free flight of `seconds`, the next step, ends at these places. */
void simulation_set_prediction(Simulation *simulation, const Vec3 *places, double seconds);

/* The states before a step of all simulations of a cloth, and before one of this simulation, which may be repeated. */
typedef enum RollbackPoint { ROLLBACK_STEP, ROLLBACK_REPEAT, ROLLBACK_COUNT } RollbackPoint;

/* Saves what steps change, and rolls back to it. Takes memory the first time, and for more contacts than ever before. No
 * matrix or factor is touched. */
StatusCode simulation_save(Simulation *simulation, RollbackPoint point, Status *status);
void simulation_roll_back(Simulation *simulation, RollbackPoint point);
/* Says that the step was cancelled, and how many substeps of it are done. */
StatusCode simulation_refuse_cancelled(const Simulation *simulation, Status *status);

size_t simulation_state_bytes(const Simulation *simulation);
void simulation_write_state(Simulation *simulation, void *bytes);
StatusCode simulation_read_state(Simulation *simulation, const void *bytes, size_t size,
                                 Status *status);

/* Whether simulation_read_state() accepts these bytes; the status says why not. */
StatusCode simulation_check_state(const Simulation *simulation, const void *bytes, size_t size,
                                  Status *status);

/* The present state itself, m and m/s. */
const Vec3 *simulation_positions(const Simulation *simulation);
const Vec3 *simulation_velocities(const Simulation *simulation);

/* What a vertex of one cloth has of an array of another's vertices. */
typedef enum CarryKind {
    CARRY_PLACE,     /* m */
    CARRY_DIRECTION, /* m/s */
    CARRY_NUMBERS,   /* three numbers without a direction */
    CARRY_FOLDS /* curvatures along warp and weft and in twist: the last is another one in the mirror */
} CarryKind;
typedef Vec3 (*CarryVertex)(void *context, const Vec3 *array, CarryKind kind, int vertex);

typedef struct StateTransfer {
    const Simulation *from;
    CarryVertex carry;
    void *context;
    int count;
    const int32_t *vertices; /* those of this cloth that are taken over; null: the first `count` */
    Vec3 *room;              /* for as many as the other cloth has */
} StateTransfer;

/* Continues from the state of another mesh of the same cloth: present, past, targets of pins and the contact state of
 * vertices. */
void simulation_transfer_state(Simulation *simulation, const StateTransfer *take_over);

void simulation_describe(const Simulation *simulation, SimulationReport *report);
void simulation_strain_and_energy(Simulation *simulation, SimulationMeasure *measure);
/* How the cloth sits at a vertex: means over the faces around it. */
typedef struct VertexFit {
    double warp, weft; /* length over that in the pattern, minus 1 */
    double shear;      /* rad: by how much the angle between warp and weft is not the right one */
    double pressure; /* Pa, on bodies: normal force at the end of the last step, by the area now */
    double warp_tension,
        weft_tension; /* N for each metre across as it is now; below 0: compressed */
} VertexFit;

/* What of it is reported; the rest is 0. */
typedef enum FitPart { FIT_STRAIN_AND_PRESSURE, FIT_TENSION } FitPart;

/* At a place embedded in three vertices. Beside a border a weight may be negative; values that are never negative stay
 * so. */
VertexFit vertex_fit_mean(const VertexFit *fit, const int32_t vertices[3], const double weights[3]);

/* Takes memory while it works. Vertices without a face are left out. */
StatusCode simulation_vertex_fit(const Simulation *simulation, FitPart part, VertexFit *fit,
                                 Status *status);
/* Places the bodies as they are now, for simulation_expel_points(); changes no step. */
void simulation_place_bodies(Simulation *simulation);
/* Distances of points from the bodies as they are now. */
void simulation_body_gaps(Simulation *simulation, int count, const Vec3 *points, BodyGap *gaps);

/* Its threads, for work between two steps. */
Pool *simulation_pool(const Simulation *simulation);

/* Why a step had as many substeps as it had. */
typedef enum SubstepReason {
    SUBSTEPS_FIXED,   /* they were set */
    SUBSTEPS_BASE,    /* the fewest that are short enough: nothing asked for more */
    SUBSTEPS_BODY,    /* a body moved past the cloth near it */
    SUBSTEPS_PINS,    /* a pin moved past the vertices around it */
    SUBSTEPS_REPEATED /* the step diverged with fewer */
} SubstepReason;

/* What was done in the last step. */
typedef struct StepReport {
    int substeps; /* that were ended */
    SubstepReason reason;
    int retried;    /* times that the step was repeated with more substeps, since it diverged */
    int mended;     /* edges that contact overstretched, and that were shortened: see guard.c */
    int lost;       /* the vertex that ended a step with STATUS_ERROR_DIVERGED */
    double part;    /* of the step, 0 to 1 */
    double seconds; /* wall clock */
    const SolverWork *work;
    const ContactReport *contact;
} StepReport;

StepReport simulation_step_report(const Simulation *simulation);

/* Of M^-1/2 A M^-1/2 over the free vertices; linear solver, prepared. */
StatusCode simulation_spectrum(Simulation *simulation, double *smallest, double *largest,
                               Status *status);

/* x = A^-1 x, `repeats` times on the same right-hand side, for timing; linear solver, prepared. */
StatusCode simulation_apply_inverse(Simulation *simulation, double *x, int repeats, double *seconds,
                                    Status *status);
