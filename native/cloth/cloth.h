/* A cloth as its owner sees it: his mesh, his vertex numbers, his frame. It is simulated as it is, or, where there is a
 * budget of time for a step, on a coarser mesh that is made of it, with the caller's mesh embedded in that.
 *
 * There is a chain of levels of detail, each with about a third of the vertices of the one before: 0 is the caller's mesh,
 * and the only one without a budget. Each has a domain of its own (domain/domain.h: what of it is simulated, all or one
 * half), built when it is first needed, and mirrored as the caller's is. One of them is active and has the state; going over to another takes memory where that was not built, and carries positions and velocities.
 * cloth_refine() is for a cloth that is left alone: it settles on the active level, then on the next finer one, and so
 * on to the caller's mesh. The next cloth_step() goes back to the level that fits the budget.
 *
 * Vertices, pins, maps, bodies and positions are the caller's in all calls. What is measured of a step, and strains
 * and energies, are those of the mesh that is simulated. */
#pragma once

#include "cloth/domain/domain.h"
#include "inspection/inspection.h"

typedef struct ClothOptions {
    SimulationOptions simulation;
    MirrorOptions mirror;
    double budget; /* s for a step; 0: none */
} ClothOptions;

typedef struct LevelReport {
    int level, level_count; /* 0 is the caller's mesh; no levels until it is prepared or stepped */
    int simulated_count;    /* vertices of the active level */
    double budget, average; /* s: allowed, and of the last steps at this level */
    bool refining;          /* the last call that moved the cloth was cloth_refine() */
    bool settled;           /* that has come to its end */
    int quiet_steps;        /* that left it at rest, since anything was moved or set */
} LevelReport;

typedef struct SettleReport {
    bool settled;      /* it has come to its end: nothing moves faster than 1 mm/s */
    bool came_to_rest; /* by itself, and not because of the growing damping that ends it */
    int steps;         /* since it began */
    int level, simulated_count;
    double fastest, mean; /* m/s: vertices in the last step; the latter the root mean square */
} SettleReport;

typedef struct Cloth Cloth;

/* A warning in `status` still gives one; an error gives null. */
Cloth *cloth_create(const PolygonMesh *polygons, const ClothOptions *options, Status *status);
void cloth_destroy(Cloth *cloth);

int cloth_vertex_count(const Cloth *cloth);
void cloth_levels(const Cloth *cloth, LevelReport *report);

/* What it was made as. */
int cloth_part_count(const Cloth *cloth);
ModelKind cloth_model(const Cloth *cloth, int part);
SolverKind cloth_solver(const Cloth *cloth);
bool cloth_has_quality(const Cloth *cloth); /* only the two-level scheme has levels of it */

/* On the active level. */
StepReport cloth_last_step(const Cloth *cloth);

/* Makes the levels if need be and prepares the one that fits the budget. */
StatusCode cloth_prepare(Cloth *cloth, double step_seconds, Status *status);
StatusCode cloth_step(Cloth *cloth, double seconds, Status *status);
/* Which level to simulate; -1: the one that fits the budget. One that is coarser than the coarsest is that. */
StatusCode cloth_hold(Cloth *cloth, int level, Status *status);
/* Takes one step while bodies and pins stay where they are, and goes over to the next finer level where the active one
 * has come to rest. Does nothing once it is settled. */
StatusCode cloth_refine(Cloth *cloth, double step_seconds, Status *status);

/* One damped step towards the shape at rest, with bodies and pins where they are: to be called until it is settled.
 * Any other call that steps or prepares, and whatever is moved or set, ends it. With a budget, a fine mesh comes to rest on coarser
 * levels first, and ends on the caller's; the budget itself is not kept. */
StatusCode cloth_settle(Cloth *cloth, Status *status);

/* How far the last of these calls got. */
void cloth_settling(const Cloth *cloth, SettleReport *report);

StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status);
int cloth_pin_count(const Cloth *cloth);
StatusCode cloth_move_pins(Cloth *cloth, const float *targets, Status *status);

StatusCode cloth_add_body(Cloth *cloth, const PolygonMesh *polygons, const BodySurface *surface,
                          int *body, Status *status);
StatusCode cloth_replace_body(Cloth *cloth, int body, const PolygonMesh *polygons,
                              const BodySurface *surface, Status *status);
void cloth_remove_body(Cloth *cloth, int body);
int cloth_body_vertex_count(const Cloth *cloth, int body);
StatusCode cloth_move_body(Cloth *cloth, int body, const float *positions, Status *status);
StatusCode cloth_place_body(Cloth *cloth, int body, const float *positions, Status *status);
StatusCode cloth_set_body_surface(Cloth *cloth, int body, const BodySurface *surface,
                                  Status *status);
StatusCode cloth_set_self_contact(Cloth *cloth, const BodySurface *surface, Status *status);

/* All links from now on, in place of those before; none: count 0. keep: behind those before, which stay as long as they
 * were measured, and closed or released as they are. A length below 0 is how far apart its points are now, an
 * elastic's a share of that; weightless: gravity waits for them. A cloth with links has no coarser levels. */
StatusCode cloth_set_links(Cloth *cloth, bool keep, int count, const Link *links, bool weightless,
                           Status *status);
void cloth_release_links(Cloth *cloth, int set, bool release); /* else closes them again */
void cloth_link_report(const Cloth *cloth, int set, LinkReport *report);

/* One for each part. */
StatusCode cloth_set_materials(Cloth *cloth, const Material *materials, Status *status);
const Material *cloth_materials(const Cloth *cloth);
StatusCode cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind, Status *status);
StatusCode cloth_set_fields(Cloth *cloth, const float *wind, const float *traction, Status *status);
void cloth_set_iterations(Cloth *cloth, int substeps, int iterations);
void cloth_set_quality(Cloth *cloth, Quality quality);
/* Of the maps those with their INPUT bits, per vertex; null: as map_traits say. */
StatusCode cloth_set_maps(Cloth *cloth, unsigned what, const float *const maps[MAP_KINDS],
                          Status *status);

void cloth_get_state(Cloth *cloth, float *positions, float *velocities);
StatusCode cloth_set_state(Cloth *cloth, const float *positions, const float *velocities,
                           Status *status);
/* Of the active level, and where the caller's vertices are. */
size_t cloth_snapshot_size(const Cloth *cloth);
void cloth_snapshot(Cloth *cloth, void *bytes);
StatusCode cloth_restore(Cloth *cloth, const void *bytes, size_t size, Status *status);

/* How the caller's mesh lies on its bodies, where they are now, and in itself; and the places of what is found, as
 * inspection_places() has them. The first call takes memory. */
StatusCode cloth_inspect(Cloth *cloth, InspectionReport *report, Status *status);
int cloth_inspected_places(const Cloth *cloth, InspectionPlace *places, int capacity);

void cloth_report(const Cloth *cloth, SimulationReport *report);
void cloth_measure(Cloth *cloth, SimulationMeasure *measure);

/* How the cloth sits, per vertex of the caller's: VertexFit in simulation.h, and the gap to the bodies, m; each array
 * may be null. Strain and pressure are those of the mesh that is simulated, on which the caller's rides. Takes memory
 * while it works. */
typedef struct FitArrays {
    float *warp, *weft, *shear, *pressure, *gap;
    float *warp_tension, *weft_tension; /* of FIT_TENSION; the others are of the other part */
} FitArrays;
StatusCode cloth_fit(Cloth *cloth, FitPart part, const FitArrays *arrays, Status *status);

/* Puts points (3 x count, m) that are up to `reach` (m) inside of solids, or nearer to them than a quarter of their
 * thickness, before them, as in contact/body/collider.h: what a caller adds to the cloth's positions knows nothing of
 * bodies. Bodies are where they stand now. Takes memory while it works, and changes nothing that a step sees. */
StatusCode cloth_put_outside(Cloth *cloth, double reach, int count, float *points, Status *status);

void cloth_mirror(const Cloth *cloth, MirrorReport *report);
void cloth_seconds(const Cloth *cloth, ClothSeconds *seconds);
/* Refused where there is a budget. */
StatusCode cloth_eigenvalues(Cloth *cloth, double *smallest, double *largest, Status *status);
StatusCode cloth_solve(Cloth *cloth, double *x, int repeats, double *seconds, Status *status);

/* Another thread may call these two meanwhile. */
void cloth_cancel(Cloth *cloth);
double cloth_progress(const Cloth *cloth);
/* For a step that was refused before it began: every step ends with the cancel that came before it. */
void cloth_forget_cancel(Cloth *cloth);
