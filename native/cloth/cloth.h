/* A cloth as its owner sees it: his mesh, his vertex numbers, his frame. It is solved whole, or by the half that
 * mirror/halves.h makes of it. The boundary calls only this, mesh/check.h and mirror/symmetry/symmetry.h.
 *
 * A mirrored cloth is solved whole where something is not symmetric and the options allow it: pins, forces, maps or
 * a state (MIRROR_AUTO), or a body (BODY_SOLVE_WHOLE). A second simulation is built when that first happens, which
 * takes memory, and takes over where the half is; the half goes on when everything, the simulation included, is
 * symmetric again to the tolerance. A call that is refused changes nothing. */
#ifndef CLOTH_CLOTH_H
#define CLOTH_CLOTH_H

#include "mirror/halves.h"
#include "simulation/simulation.h"

typedef enum MirrorChoice {
    MIRROR_OFF,
    MIRROR_AUTO,  /* by half if everything is symmetric, else whole with a warning */
    MIRROR_EXACT, /* what is not symmetric is refused */
    MIRROR_HALVE  /* the kept side decides, whatever the other is like */
} MirrorChoice;

typedef enum AsymmetricBody {
    BODY_SYMMETRISE, /* the half meets the mean of the body and its image */
    BODY_SOLVE_WHOLE
} AsymmetricBody;

typedef struct MirrorOptions {
    MirrorChoice choice;
    bool find;         /* look for the plane */
    MirrorPlane plane; /* else this one */
    double tolerance;  /* m; 0: choose */
    Closure closure;
    double overlap; /* m */
    int over;       /* 1: the kept side lies over the other, -1: under it */
    AsymmetricBody asymmetric_body;
    bool alike; /* the sides are known to look alike */
} MirrorOptions;

typedef struct ClothOptions {
    SimulationOptions simulation;
    MirrorOptions mirror;
} ClothOptions;

typedef struct MirrorReport {
    MirrorChoice mode; /* off, exact or halve */
    MirrorPlane plane;
    int half_vertex_count, paired, on_plane, unpaired, extra_count, front_count;
    int body, body_vertex; /* the least symmetric, -1 without */
    double body_asymmetry; /* m */
    bool solved_whole;     /* the last step */
    int whole_steps;
} MirrorReport;

typedef struct Cloth Cloth;

/* A warning in `status` still gives a cloth; an error gives null. */
Cloth *cloth_create(const PolygonMesh *polygons, const ClothOptions *options, Status *status);
void cloth_destroy(Cloth *cloth);

int cloth_vertex_count(const Cloth *cloth);

/* The simulation that is stepped, of the whole or of the half. What it did in its last step, how far it is and what it
 * can do are asked of it itself. */
Simulation *cloth_active(const Cloth *cloth);

/* Both take memory where the cloth has to be solved whole for the first time. */
StatusCode cloth_prepare(Cloth *cloth, double step_seconds, Status *status);
StatusCode cloth_step(Cloth *cloth, double seconds, Status *status);

/* Weights or targets may be null: all 1, where the vertices are. */
StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status);
/* Likewise, at targets where another mesh of the same garment has its vertices: see cloth_take_state(). */
StatusCode cloth_take_pins(Cloth *cloth, const Cloth *from, int count, const int32_t *vertices,
                           const float *weights, const float *targets, Status *status);
int cloth_pin_count(const Cloth *cloth);
/* Whether a pin of this vertex would hold nothing: it is on a strip of a buttoned front, which only rides. */
bool cloth_pin_is_idle(const Cloth *cloth, int vertex);
/* Whether this vertex is on the line along which a buttoned front closes. */
bool cloth_is_buttoned_at(const Cloth *cloth, int vertex);
StatusCode cloth_move_pins(Cloth *cloth, const float *targets, Status *status);
/* Whether a pin or a body goes somewhere else in the next step. */
bool cloth_is_driven(const Cloth *cloth);

/* --- bodies, as in simulation.h -------------------------------------------------------------------- */

StatusCode cloth_add_body(Cloth *cloth, const PolygonMesh *polygons, const BodySurface *surface,
                          int *body, Status *status);
StatusCode cloth_replace_body(Cloth *cloth, int body, const PolygonMesh *polygons,
                              const BodySurface *surface, Status *status);
void cloth_remove_body(Cloth *cloth, int body);
/* -1: there is no such body. */
int cloth_body_vertex_count(const Cloth *cloth, int body);
/* These warn when a body becomes asymmetric under a mirrored cloth, once for each body. */
StatusCode cloth_move_body(Cloth *cloth, int body, const float *positions, Status *status);
StatusCode cloth_place_body(Cloth *cloth, int body, const float *positions, Status *status);
StatusCode cloth_set_body_surface(Cloth *cloth, int body, const BodySurface *surface,
                                  Status *status);
StatusCode cloth_set_self_contact(Cloth *cloth, const BodySurface *surface, Status *status);

/* As in simulation.h. A mirrored cloth with links is solved whole, with a warning, where that is allowed. */
StatusCode cloth_set_links(Cloth *cloth, bool keep, int count, const Link *links, bool weightless,
                           Status *status);
void cloth_release_links(Cloth *cloth, int set);
void cloth_hold_links(Cloth *cloth, int set);
void cloth_hasten_links(Cloth *cloth, double haste);
/* Which vertices are sewn to which; null: none. Until links are set again. */
const Sewn *cloth_sewn(const Cloth *cloth);
void cloth_link_report(const Cloth *cloth, int set, LinkReport *report);

/* Puts points of the caller's frame that ride on the cloth outside of its bodies, where the last step left them:
 * see contact/body/outside.h. A half's are seen in its mirror. */
void cloth_keep_out(const Cloth *cloth, Pool *pool, double reach, int count, OutsideHint *hints,
                    Vec3 *points);

/* --- what may change while running ------------------------------------------------------------ */

/* One for each part. */
StatusCode cloth_set_materials(Cloth *cloth, const Material *materials, Status *status);
StatusCode cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind, Status *status);
/* As simulation_set_fields(). */
StatusCode cloth_set_fields(Cloth *cloth, const float *wind, const float *traction, Status *status);
void cloth_set_rounds(Cloth *cloth, int substeps, int iterations);
void cloth_set_quality(Cloth *cloth, Quality quality);
void cloth_set_substeps(Cloth *cloth, int substeps); /* as simulation_set_substeps() */
void cloth_set_budget(Cloth *cloth, double seconds); /* as simulation_set_budget() */
StatusCode cloth_set_scales(Cloth *cloth, const GivenScales *scales, Status *status);

/* 3 x vertex_count floats; velocities may be null. */
void cloth_get_state(const Cloth *cloth, float *positions, float *velocities);
StatusCode cloth_set_state(Cloth *cloth, const float *positions, const float *velocities,
                           Status *status);
/* Where another mesh of the same garment has carried it. If both step their halves, this one's is put in the mean of the
 * two sides, which need not be each other's image: the strips of a buttoned front are not the same in both. */
StatusCode cloth_take_state(Cloth *cloth, const Cloth *from, const float *positions,
                            const float *velocities, Status *status);

/* The state that is in use, the half's or the whole's: their sizes differ. */
size_t cloth_snapshot_size(const Cloth *cloth);
void cloth_snapshot(Cloth *cloth, void *bytes);
StatusCode cloth_restore(Cloth *cloth, const void *bytes, size_t size, Status *status);

/* Vertices and pins are the caller's, everything else is that of the matrix in use. */
void cloth_report(const Cloth *cloth, SimulationReport *report);
/* Of the whole cloth, also where a half is solved. */
void cloth_measure(Cloth *cloth, SimulationMeasure *measure);
void cloth_mirror(const Cloth *cloth, MirrorReport *report);

/* How the cloth sits, per vertex of the caller's, as in simulation.h. What rides on a half has what it rides on. Parts
 * that are simulated apart from the half press on a body where they are nearer to it than its thickness; elsewhere they
 * lie on the cloth. */
StatusCode cloth_fit(Cloth *cloth, FitPart part, VertexFit *fit, Status *status);
/* How far points of the caller's frame are from the bodies as the cloth meets them: a half's are seen in its mirror,
 * and `points` are left there. */
void cloth_gaps(const Cloth *cloth, int count, Vec3 *points, BodyGap *gaps);

/* What the last step took, wall clock: of the whole, or of the half and of the parts that are simulated apart from it.
 * */
typedef struct ClothSeconds {
    double force, assemble, solve, coarse; /* as in SolverWork */
    double search, respond;                /* as in ContactReport */
    double total;
} ClothSeconds;

void cloth_seconds(const Cloth *cloth, ClothSeconds *seconds);

/* As in simulation.h; refused where a half is solved, which has other unknowns than the caller's vertices. */
StatusCode cloth_eigenvalues(Cloth *cloth, double *smallest, double *largest, Status *status);
StatusCode cloth_solve(Cloth *cloth, double *x, int rounds, double *seconds, Status *status);

#endif
