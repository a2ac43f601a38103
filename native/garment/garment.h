/* A garment as its owner sees it: his mesh, his vertex numbers, his frame. It is solved whole, or by the half that
 * mirror/halves.h makes of it. The boundary calls only this, mesh/check.h and mirror/symmetry.h.
 *
 * A mirrored garment is solved whole where something is not symmetric and the options allow it: pins, forces, maps or
 * a state (MIRROR_AUTO), or a body (BODY_SOLVE_WHOLE). A second cloth is built when that first happens, which
 * takes memory, and takes over where the half is; the half goes on when everything, the cloth included, is
 * symmetric again to the tolerance. A call that is refused changes nothing. */
#ifndef GARMENT_GARMENT_H
#define GARMENT_GARMENT_H

#include "cloth/cloth.h"
#include "mirror/halves.h"

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
    int find;          /* 1: look for the plane */
    MirrorPlane plane; /* else this one */
    double tolerance;  /* m; 0: choose */
    Closure closure;
    double overlap; /* m */
    int over;       /* 1: the kept side lies over the other, -1: under it */
    AsymmetricBody asymmetric_body;
} MirrorOptions;

typedef struct GarmentOptions {
    ClothOptions cloth;
    MirrorOptions mirror;
} GarmentOptions;

typedef struct MirrorReport {
    MirrorChoice mode; /* off, exact or halve */
    MirrorPlane plane;
    int half_vertex_count, paired, on_plane, unpaired, extra_count, front_count;
    int body, body_vertex; /* the least symmetric, -1 without */
    double body_asymmetry; /* m */
    int solved_whole;      /* 1: the last step */
    int whole_steps;
} MirrorReport;

typedef struct Garment Garment;

/* A warning in `status` still gives a garment; an error gives null. */
Garment *garment_create(const PolygonMesh *polygons, const GarmentOptions *options, Status *status);
void garment_destroy(Garment *garment);

int garment_vertex_count(const Garment *garment);

/* Both take memory where the garment has to be solved whole for the first time. */
StatusCode garment_prepare(Garment *garment, double step_seconds, Status *status);
StatusCode garment_step(Garment *garment, double seconds, Status *status);

/* Weights or targets may be null: all 1, where the vertices are. */
StatusCode garment_set_pins(Garment *garment, int count, const int32_t *vertices,
                            const float *weights, const float *targets, Status *status);
int garment_pin_count(const Garment *garment);
StatusCode garment_move_pins(Garment *garment, const float *targets, Status *status);

/* --- bodies, as in cloth.h -------------------------------------------------------------------- */

StatusCode garment_add_body(Garment *garment, const PolygonMesh *polygons,
                            const BodySurface *surface, int *body, Status *status);
StatusCode garment_replace_body(Garment *garment, int body, const PolygonMesh *polygons,
                                const BodySurface *surface, Status *status);
void garment_remove_body(Garment *garment, int body);
/* -1: there is no such body. */
int garment_body_vertex_count(const Garment *garment, int body);
/* These warn when a body becomes asymmetric under a mirrored garment, once for each body. */
StatusCode garment_move_body(Garment *garment, int body, const float *positions, Status *status);
StatusCode garment_place_body(Garment *garment, int body, const float *positions, Status *status);
StatusCode garment_set_body_surface(Garment *garment, int body, const BodySurface *surface,
                                    Status *status);
StatusCode garment_set_self_contact(Garment *garment, const BodySurface *surface, Status *status);
const ContactReport *garment_contacts(const Garment *garment);

/* --- what may change while running ------------------------------------------------------------ */

void garment_set_material(Garment *garment, const Material *material);
StatusCode garment_set_forces(Garment *garment, Vec3 gravity, const Wind *wind, Status *status);
void garment_set_rounds(Garment *garment, int substeps, int iterations);
int garment_has_quality(const Garment *garment);
void garment_set_quality(Garment *garment, Quality quality);
StatusCode garment_set_scales(Garment *garment, const float *mass, const float *stretch,
                              const float *bend, Status *status);

/* 3 x vertex_count floats; velocities may be null. */
void garment_get_state(const Garment *garment, float *positions, float *velocities);
StatusCode garment_set_state(Garment *garment, const float *positions, const float *velocities,
                             Status *status);

/* The state that is in use, the half's or the whole's: their sizes differ. */
size_t garment_snapshot_size(const Garment *garment);
void garment_snapshot(Garment *garment, void *bytes);
StatusCode garment_restore(Garment *garment, const void *bytes, size_t size, Status *status);

/* Vertices and pins are the caller's, everything else is that of the matrix in use. */
void garment_report(const Garment *garment, ClothReport *report);
/* Of the whole garment, also where a half is solved. */
void garment_measure(Garment *garment, ClothMeasure *measure);
void garment_mirror(const Garment *garment, MirrorReport *report);
const SolverWork *garment_work(const Garment *garment);
double garment_step_seconds(const Garment *garment); /* wall clock of the last step */
int garment_substeps_done(const Garment *garment);

/* As in cloth.h; refused where a half is solved, which has other unknowns than the caller's vertices. */
StatusCode garment_eigenvalues(Garment *garment, double *smallest, double *largest, Status *status);
StatusCode garment_solve(Garment *garment, double *x, int rounds, double *seconds, Status *status);

/* The only two that another thread may call meanwhile. */
void garment_cancel(Garment *garment);
double garment_progress(const Garment *garment);

#endif
