/* A cloth as the boundary calls it: simulated as it is, or, where there is a budget of time for a step, on a coarser
 * mesh that is made of it, with the caller's mesh riding on that. Without a budget every call is the same of
 * cloth/cloth.h.
 *
 * There is a chain of levels, each with about a third of the vertices of the one before: 0 is the caller's mesh. Each
 * is a cloth of its own, built when it is first needed, and mirrored as the caller's is. One of them is active and has
 * the state; going over to another takes memory where that was not built, and carries positions and velocities.
 * live_refine() is for a cloth that is left alone: it settles on the active level, then on the next finer one, and so
 * on to the caller's mesh. The next live_step() goes back to the level that fits the budget.
 *
 * Vertices, pins, maps, bodies and positions are the caller's in all calls. What is measured of a step, and strains
 * and energies, are those of the mesh that is simulated. */
#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "cloth/cloth.h"
#include "inspection/inspection.h"

typedef struct LiveOptions {
    ClothOptions cloth;
    double budget; /* s for a step; 0: none */
} LiveOptions;

typedef struct LiveReport {
    int level, level_count; /* 0 is the caller's mesh; no levels until it is prepared or stepped */
    int simulated_count;    /* vertices of the active level */
    double budget, average; /* s: allowed, and of the last steps at this level */
    bool refining;          /* the last call that moved the cloth was live_refine() */
    bool settled;           /* that has come to its end */
    int quiet_steps;        /* that left it at rest, since anything was moved or set */
} LiveReport;

typedef struct SettleReport {
    bool settled;      /* it has come to its end: nothing moves faster than 1 mm/s */
    bool came_to_rest; /* by itself, and not because of the growing damping that ends it */
    int steps;         /* since it began */
    int level, simulated_count;
    double fastest, mean; /* m/s: vertices in the last step; the latter the root mean square */
} SettleReport;

typedef struct Live Live;

/* A warning in `status` still gives one; an error gives null. */
Live *live_create(const PolygonMesh *polygons, const LiveOptions *options, Status *status);
void live_destroy(Live *live);

int live_vertex_count(const Live *live);
/* The simulation that was stepped. */
Simulation *live_active(const Live *live);
void live_levels(const Live *live, LiveReport *report);

/* Makes the levels if need be and prepares the one that fits the budget. */
StatusCode live_prepare(Live *live, double step_seconds, Status *status);
StatusCode live_step(Live *live, double seconds, Status *status);
/* Which level to simulate; -1: the one that fits the budget. One that is coarser than the coarsest is that. */
StatusCode live_hold(Live *live, int level, Status *status);
/* Takes one step while bodies and pins stay where they are, and goes over to the next finer level where the active one
 * has come to rest. Does nothing once it is settled. */
StatusCode live_refine(Live *live, double step_seconds, Status *status);

/* One damped step towards the shape at rest, with bodies and pins where they are: to be called until it is settled.
 * Any other call that steps or prepares, and whatever is moved or set, ends it. With a budget, a fine mesh comes to rest on coarser
 * levels first, and ends on the caller's; the budget itself is not kept. */
StatusCode live_settle(Live *live, SettleReport *report, Status *status);

StatusCode live_set_pins(Live *live, int count, const int32_t *vertices, const float *weights,
                         const float *targets, Status *status);
int live_pin_count(const Live *live);
StatusCode live_move_pins(Live *live, const float *targets, Status *status);

StatusCode live_add_body(Live *live, const PolygonMesh *polygons, const BodySurface *surface,
                         int *body, Status *status);
StatusCode live_replace_body(Live *live, int body, const PolygonMesh *polygons,
                             const BodySurface *surface, Status *status);
void live_remove_body(Live *live, int body);
int live_body_vertex_count(const Live *live, int body);
StatusCode live_move_body(Live *live, int body, const float *positions, Status *status);
StatusCode live_place_body(Live *live, int body, const float *positions, Status *status);
StatusCode live_set_body_surface(Live *live, int body, const BodySurface *surface, Status *status);
StatusCode live_set_self_contact(Live *live, const BodySurface *surface, Status *status);

/* As in cloth.h. A cloth with links has no coarser levels. */
StatusCode live_set_links(Live *live, bool keep, int count, const Link *links, bool weightless,
                          Status *status);
void live_release_links(Live *live, int set);
void live_hold_links(Live *live, int set);
void live_link_report(const Live *live, int set, LinkReport *report);

/* One for each part. */
StatusCode live_set_materials(Live *live, const Material *materials, Status *status);
const Material *live_materials(const Live *live);
StatusCode live_set_forces(Live *live, Vec3 gravity, const Wind *wind, Status *status);
StatusCode live_set_fields(Live *live, const float *wind, const float *traction, Status *status);
void live_set_rounds(Live *live, int substeps, int iterations);
void live_set_quality(Live *live, Quality quality);
StatusCode live_set_scales(Live *live, const GivenScales *scales, Status *status);

void live_get_state(Live *live, float *positions, float *velocities);
StatusCode live_set_state(Live *live, const float *positions, const float *velocities,
                          Status *status);
/* Of the active level, and where the caller's vertices are. */
size_t live_snapshot_size(const Live *live);
void live_snapshot(Live *live, void *bytes);
StatusCode live_restore(Live *live, const void *bytes, size_t size, Status *status);

/* How the caller's mesh lies on its bodies, where they are now, and in itself; and the places of what is found, as
 * inspection_places() has them. The first call takes memory. */
StatusCode live_inspect(Live *live, InspectionReport *report, Status *status);
int live_inspected_places(const Live *live, InspectionPlace *places, int capacity);

void live_report(const Live *live, SimulationReport *report);
void live_measure(Live *live, SimulationMeasure *measure);

/* How the cloth sits, per vertex of the caller's: VertexFit in simulation.h, and the gap to the bodies, m; each array
 * may be null. Strain and pressure are those of the mesh that is simulated, on which the caller's rides. Takes memory
 * while it works. */
typedef struct FitArrays {
    float *warp, *weft, *shear, *pressure, *gap;
    float *warp_tension, *weft_tension; /* of FIT_TENSION; the others are of the other part */
} FitArrays;
StatusCode live_fit(Live *live, FitPart part, const FitArrays *arrays, Status *status);

/* Puts points (3 x count, m) that are up to `reach` (m) inside of solids, or nearer to them than a quarter of their
 * thickness, before them, as in contact/body/outside.h: what a caller adds to the cloth's positions knows nothing of
 * bodies. Bodies are where they stand now. Takes memory while it works, and changes nothing that a step sees. */
StatusCode live_put_outside(Live *live, double reach, int count, float *points, Status *status);

void live_mirror(const Live *live, MirrorReport *report);
void live_seconds(const Live *live, ClothSeconds *seconds);
/* Refused where there is a budget. */
StatusCode live_eigenvalues(Live *live, double *smallest, double *largest, Status *status);
StatusCode live_solve(Live *live, double *x, int rounds, double *seconds, Status *status);

/* Another thread may call these two meanwhile. */
void live_cancel(Live *live);
double live_progress(const Live *live);
/* For a step that was refused before it began: every step ends with the cancel that came before it. */
void live_forget_cancel(Live *live);

#endif
