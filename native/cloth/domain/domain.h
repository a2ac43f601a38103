/* What is simulated of one level of a cloth: all of its mesh, or the half that mirror/halves.h makes of it, with what is
 * simulated beside that. "The caller" is the cloth, and his vertices are those of the level.
 *
 * A mirrored domain is solved whole where something is not symmetric and the options allow it: pins, forces, maps or
 * a state (MIRROR_AUTO), or a body (BODY_SOLVE_WHOLE). A second simulation is built when that first happens, which
 * takes memory, and takes over where the half is; the half goes on when everything, the simulation included, is
 * symmetric again to the tolerance. A call that is refused changes nothing. */
#ifndef DOMAIN_DOMAIN_H
#define DOMAIN_DOMAIN_H

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
    HalfOptions half; /* but for its mode, and whether quads stay */
    AsymmetricBody asymmetric_body;
} MirrorOptions;

typedef struct DomainOptions {
    SimulationOptions simulation;
    MirrorOptions mirror;
} DomainOptions;

typedef struct MirrorReport {
    MirrorChoice mode; /* off, exact or halve */
    MirrorPlane plane;
    int half_vertex_count, paired, on_plane, unpaired, extra_count, front_count;
    int body, body_vertex; /* the least symmetric, -1 without */
    double body_asymmetry; /* m */
    bool solved_whole;     /* the last step */
    int whole_steps;
} MirrorReport;

typedef struct Domain Domain;

/* A warning in `status` still gives a cloth; an error gives null. */
Domain *domain_create(const PolygonMesh *polygons, const DomainOptions *options, Status *status);
void domain_destroy(Domain *domain);

int domain_vertex_count(const Domain *domain);

/* The simulation that is stepped, of the whole or of the half. What it did in its last step, how far it is and what it
 * can do are asked of it itself. */
Simulation *domain_active(const Domain *domain);

/* Both take memory where the cloth has to be solved whole for the first time. */
StatusCode domain_prepare(Domain *domain, double step_seconds, Status *status);
StatusCode domain_step(Domain *domain, double seconds, Status *status);

/* Takes what is set, INPUT bits, for all that is simulated. Arrays of `inputs` stay the owner's and must stay where they are
 * until others are taken; weights and targets of pins are never null. An error changes nothing. */
StatusCode domain_take(Domain *domain, const Inputs *inputs, unsigned what, Status *status);
/* The same inputs, whose arrays are elsewhere now. */
void domain_hold(Domain *domain, const Inputs *inputs);
/* Whether a half of it is simulated. */
bool domain_steps_half(const Domain *domain);
/* Whether a pin of this vertex would hold nothing: it is on a strip of a buttoned front, which only rides. */
bool domain_pin_is_idle(const Domain *domain, int vertex);
/* Whether this vertex is on the line along which a buttoned front closes. */
bool domain_is_buttoned_at(const Domain *domain, int vertex);
/* Whether a pin or a body goes somewhere else in the next step. */
bool domain_is_driven(const Domain *domain);

/* --- bodies, as in simulation.h -------------------------------------------------------------------- */

StatusCode domain_add_body(Domain *domain, const PolygonMesh *polygons, const BodySurface *surface,
                           int *body, Status *status);
StatusCode domain_replace_body(Domain *domain, int body, const PolygonMesh *polygons,
                               const BodySurface *surface, Status *status);
void domain_remove_body(Domain *domain, int body);
/* -1: there is no such body. */
int domain_body_vertex_count(const Domain *domain, int body);
/* These warn when a body becomes asymmetric under a mirrored cloth, once for each body. */
StatusCode domain_move_body(Domain *domain, int body, const float *positions, Status *status);
StatusCode domain_place_body(Domain *domain, int body, const float *positions, Status *status);
StatusCode domain_set_body_surface(Domain *domain, int body, const BodySurface *surface,
                                   Status *status);

/* As in simulation.h. A mirrored cloth with links is solved whole, with a warning, where that is allowed. */
StatusCode domain_set_links(Domain *domain, bool keep, int count, const Link *links,
                            bool weightless, Status *status);
void domain_release_links(Domain *domain, int set);
void domain_hold_links(Domain *domain, int set);
/* Which vertices are sewn to which; null: none. Until links are set again. */
const Sewn *domain_sewn(const Domain *domain);
void domain_link_report(const Domain *domain, int set, LinkReport *report);

/* Puts points of the caller's frame that ride on the cloth outside of its bodies, where the last step left them:
 * see contact/body/outside.h. A half's are seen in its mirror. */
void domain_keep_out(const Domain *domain, Pool *pool, double reach, int count, OutsideHint *hints,
                     Vec3 *points);

/* 3 x vertex_count floats; velocities may be null. */
void domain_get_state(const Domain *domain, float *positions, float *velocities);
StatusCode domain_set_state(Domain *domain, const float *positions, const float *velocities,
                            Status *status);
/* Where another mesh of the same garment has carried it. If both step their halves, this one's is put in the mean of the
 * two sides, which need not be each other's image: the strips of a buttoned front are not the same in both. */
StatusCode domain_take_state(Domain *domain, const Domain *from, const float *positions,
                             const float *velocities, Status *status);

/* The state that is in use, the half's or the whole's: their sizes differ. */
size_t domain_snapshot_size(const Domain *domain);
void domain_snapshot(Domain *domain, void *bytes);
StatusCode domain_restore(Domain *domain, const void *bytes, size_t size, Status *status);

/* Vertices and pins are the caller's, everything else is that of the matrix in use. */
void domain_report(const Domain *domain, SimulationReport *report);
/* Of the whole cloth, also where a half is solved. */
void domain_measure(Domain *domain, SimulationMeasure *measure);
void domain_mirror(const Domain *domain, MirrorReport *report);

/* How the cloth sits, per vertex of the caller's, as in simulation.h. What rides on a half has what it rides on. Parts
 * that are simulated apart from the half press on a body where they are nearer to it than its thickness; elsewhere they
 * lie on the cloth. */
StatusCode domain_fit(Domain *domain, FitPart part, VertexFit *fit, Status *status);
/* How far points of the caller's frame are from the bodies as the cloth meets them: a half's are seen in its mirror,
 * and `points` are left there. */
void domain_gaps(const Domain *domain, int count, Vec3 *points, BodyGap *gaps);

/* What the last step took, wall clock: of the whole, or of the half and of the parts that are simulated apart from it.
 * */
typedef struct ClothSeconds {
    double force, assemble, solve, coarse; /* as in SolverWork */
    double search, respond;                /* as in ContactReport */
    double total;
} ClothSeconds;

void domain_seconds(const Domain *domain, ClothSeconds *seconds);

/* As in simulation.h; refused where a half is solved, which has other unknowns than the caller's vertices. */
StatusCode domain_eigenvalues(Domain *domain, double *smallest, double *largest, Status *status);
StatusCode domain_solve(Domain *domain, double *x, int rounds, double *seconds, Status *status);

#endif
