/* A cloth: built from polygons, stepped, read back. The top of the core; the boundary calls only
 * this and mesh/check.h. */
#ifndef CLOTH_CLOTH_H
#define CLOTH_CLOTH_H

#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "mesh/mesh.h"
#include "solver/solver.h"

typedef enum SolverKind { SOLVER_LINEAR, SOLVER_IMPLICIT } SolverKind;

typedef enum Integrator {
    INTEGRATOR_EULER, /* backward Euler: calm, loses motion at large steps */
    INTEGRATOR_BDF2   /* second order: loses less */
} Integrator;

/* The polygons are the half x >= 0 of a cloth that is its own mirror image in x = 0. Its vertices are numbered so
 * that those on rails come last, and of these the ones in the plane. */
typedef struct ClothHalf {
    int halved;     /* 0: they are a whole cloth, and the rest is not read */
    int rail_from;  /* vertices from here on are drawn to x = 0 and held there */
    int plane_from; /* vertices from here on lie there at rest, and the cloth goes on as its image */
    double closing; /* s within which rails get there */
    int barrier;    /* 1: nothing passes x = 0; else only where the cloth meets itself */
} ClothHalf;

typedef struct ClothOptions {
    ClothHalf half;
    Integrator integrator;
    SystemOptions system;
    PatternSource pattern;
    double uv_scale; /* m per UV unit */
    SolverKind solver;
    SolverOptions solving;
    int substeps, threads;
    Material material;
    Vec3 gravity; /* m/s^2 */
    Wind wind;
} ClothOptions;

typedef struct ClothReport {
    int vertex_count, edge_count, triangle_count, hinge_count, rope_count, component_count;
    int pinned_count, soft_count;
    int64_t matrix_nonzeros;
    size_t bytes;
    int coarse_unknowns, rounds;
    FactorReport factor;
} ClothReport;

typedef struct ClothMeasure {
    double largest_strain, mean_strain;                    /* |length / rest - 1| */
    int largest_edge[2];                                   /* its vertices; -1 without edges */
    double kinetic_energy, elastic_energy, gravity_energy; /* J */
    double residual; /* force imbalance of the last substep over that of its start */
} ClothMeasure;

typedef struct Cloth Cloth;

/* A warning in `status` still gives a cloth; an error gives null. */
Cloth *cloth_create(const PolygonMesh *polygons, const ClothOptions *options, Status *status);
void cloth_destroy(Cloth *cloth);

int cloth_vertex_count(const Cloth *cloth);

StatusCode cloth_prepare(Cloth *cloth, double step_seconds, Status *status);
StatusCode cloth_step(Cloth *cloth, double seconds, Status *status);

/* Weights or targets may be null: all 1, where the vertices are. */
StatusCode cloth_set_pins(Cloth *cloth, int count, const int32_t *vertices, const float *weights,
                          const float *targets, Status *status);
int cloth_pin_count(const Cloth *cloth);
void cloth_move_pins(Cloth *cloth, const float *targets);

/* --- bodies: what the cloth meets ------------------------------------------------------------- */

typedef struct BodySurface {
    double thickness; /* of the shell that the cloth keeps from the surface, m, > 0 */
    double friction;  /* Coulomb's coefficient */
} BodySurface;

/* A closed part of the mesh is solid, any other has two sides. `body` is the number it is known by until it is
 * removed. A warning tells of faces that were left out. */
StatusCode cloth_add_body(Cloth *cloth, const PolygonMesh *polygons, const BodySurface *surface,
                          int *body, Status *status);
/* A new mesh and surface for a body, with any number of vertices. It stands still until it is moved. */
StatusCode cloth_replace_body(Cloth *cloth, int body, const PolygonMesh *polygons,
                              const BodySurface *surface, Status *status);
void cloth_remove_body(Cloth *cloth, int body);

/* -1: there is no such body. */
int cloth_body_vertex_count(const Cloth *cloth, int body);
/* Where it shall be at the end of the next step: 3 x its vertices; it moves there evenly. */
void cloth_move_body(Cloth *cloth, int body, const float *positions);
/* Where it is now, at once and without moving there. */
void cloth_place_body(Cloth *cloth, int body, const float *positions);
StatusCode cloth_set_body_surface(Cloth *cloth, int body, const BodySurface *surface,
                                  Status *status);

/* Cloth against itself: all layers, garments and ropes of this mesh. Thickness 0 turns it off. */
StatusCode cloth_set_self_contact(Cloth *cloth, const BodySurface *surface, Status *status);

/* How the cloth met what is around it in the last step. */
const ContactReport *cloth_contacts(const Cloth *cloth);

/* --- what may change while running ------------------------------------------------------------ */

void cloth_set_material(Cloth *cloth, const Material *material);
void cloth_set_forces(Cloth *cloth, Vec3 gravity, const Wind *wind);
void cloth_set_rounds(Cloth *cloth, int substeps, int iterations);
int cloth_has_quality(const Cloth *cloth); /* 1 for the two-level scheme */
void cloth_set_quality(Cloth *cloth, Quality quality);
void cloth_set_scales(Cloth *cloth, const float *mass, const float *stretch, const float *bend);

/* 3 x vertex_count floats; velocities may be null. */
void cloth_get_state(const Cloth *cloth, float *positions, float *velocities);
void cloth_set_state(Cloth *cloth, const float *positions, const float *velocities);

size_t cloth_snapshot_size(const Cloth *cloth);
void cloth_snapshot(Cloth *cloth, void *bytes);
StatusCode cloth_restore(Cloth *cloth, const void *bytes, size_t size, Status *status);

/* Whether cloth_restore() would take these bytes; tells why not. */
StatusCode cloth_check_snapshot(const Cloth *cloth, const void *bytes, size_t size, Status *status);

/* The present state itself, m and m/s. */
const Vec3 *cloth_positions(const Cloth *cloth);
const Vec3 *cloth_velocities(const Cloth *cloth);

/* What a vertex of one cloth has of an array of another's vertices. */
typedef enum CarryKind {
    CARRY_PLACE,     /* m */
    CARRY_DIRECTION, /* m/s */
    CARRY_NUMBERS    /* three numbers that know no direction */
} CarryKind;
typedef Vec3 (*CarryVertex)(void *context, const Vec3 *array, CarryKind kind, int vertex);

typedef struct TakeOver {
    const Cloth *from;
    CarryVertex carry;
    void *context;
    int count;
    const int32_t *vertices; /* those of this cloth that are taken over; null: the first `count` */
    Vec3 *room;              /* for as many as the other cloth has */
} TakeOver;

/* Goes on where another cloth is, on another mesh of the same garment: present, past, targets of pins and what
 * vertices remember of their contacts. */
void cloth_take_over(Cloth *cloth, const TakeOver *take_over);

void cloth_report(const Cloth *cloth, ClothReport *report);
void cloth_measure(Cloth *cloth, ClothMeasure *measure);
const SolverWork *cloth_work(const Cloth *cloth);
double cloth_step_seconds(const Cloth *cloth); /* wall clock of the last step */
int cloth_substeps_done(const Cloth *cloth);

/* Of M^-1/2 A M^-1/2 over the free vertices; linear solver, prepared. */
StatusCode cloth_eigenvalues(Cloth *cloth, double *smallest, double *largest, Status *status);

/* x = A^-1 x, `rounds` times on the same right-hand side; linear solver, prepared. */
StatusCode cloth_solve(Cloth *cloth, double *x, int rounds, double *seconds, Status *status);

/* The only two that another thread may call meanwhile. */
void cloth_cancel(Cloth *cloth);
double cloth_progress(const Cloth *cloth);

#endif
