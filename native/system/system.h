/* The mechanical system behind a cloth: laws, masses, pins, and the constant stiffness matrix.
 * Solvers read it; the cloth changes it. Version numbers show a solver what is out of date. */
#pragma once

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "laws/law.h"
#include "laws/laws.h"
#include "laws/maps.h"
#include "laws/material.h"
#include "laws/pressure.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"
#include "system/air.h"
#include "system/parcels.h"

/* Soft pins: each vertex pulled to its target by k/2 |x - target|^2, k zero where there is none.
 * No law: what they add to the equation of a substep stands on the diagonal and is not damped with the cloth's
 * stiffness, so the substep adds it vertex by vertex. */

typedef struct SoftPins {
    double *stiffness;  /* per vertex, N/m */
    const Vec3 *target; /* per vertex, m; the system's */
} SoftPins;

/* Adds scale times the energy's gradient at a vertex that is at z; returns scale times the energy. */
static inline double soft_pins_add(const SoftPins *pins, int vertex, double scale, Vec3 z,
                                   Vec3 *gradient) {
    if (!(pins->stiffness[vertex] > 0)) {
        return 0.0;
    }
    double pull = scale * pins->stiffness[vertex];
    Vec3 away = vec3_sub(z, pins->target[vertex]);
    *gradient = vec3_madd(*gradient, pull, away);
    return 0.5 * pull * vec3_dot(away, away);
}

typedef struct System {
    int vertex_count;
    Pool *pool;
    const Mesh *mesh;
    const Weave *weave; /* of woven cloth, else null */
    Laws laws;
    SoftPins pins;
    AirModel air;
    Volumes volumes; /* closed surfaces with air */
    Parcels parcels;
    bool by_parcels;  /* the last forces are in the parcels, else in the rows */
    Matrix stiffness; /* K, N/m: one number for each block, a multiple of the identity */
    int part_count;
    bool linked;                    /* something joins vertices, maybe of two parts */
    Material materials[PARTS_MOST]; /* one for each part */
    /* Stiffness damping differs between parts, but a solver has one factor q = 1 + d_k / h for all (solver/substep.h):
     * that of part 0. The laws of part p are q_p / q times as stiff as its material says, which is the same equation. */
    double relative[PARTS_MOST];    /* q_p / q */
    double *law_stretch, *law_bend; /* the scales below with it; null where there is one part */
    double length;                  /* h, s, that it is of; 0: none yet */
    Vec3 gravity;                   /* m/s^2 */
    double design_gravity; /* gravity that decides which cells are limp, m/s^2; 0: the Earth's */
    Wind wind;
    Vec3 *gusts, *traction; /* per vertex: wind besides, m/s; force per area at rest, N/m^2 */
    bool has_gusts, has_traction;
    double *mass, *area; /* per vertex, kg and m^2 */
    /* Likewise: its implicit step over the length of the substep (solver/substep.h). */
    double *pace;
    double *free_area;       /* likewise: of triangles that have a free corner */
    double *maps[MAP_KINDS]; /* per vertex */
    bool evenly;   /* the map of damping waits: the materials' damping is that of settling */
    bool resized;  /* sizes were given: weights of rows are no longer those of the mesh */
    uint8_t *held; /* hard pins and isolated vertices */
    /* Per vertex: how much stiffer its curvature is for being pinned; 1 of free ones. */
    double *clamp;
    Vec3 *target; /* where pins pull, at the end of the present substep */
    /* Of the half of a mirrored cloth (see mesh.h). Of a whole one both are the number of vertices. */
    int rail_from;  /* vertices from this one on do not move along x by themselves */
    int plane_from; /* of those, the ones in the mirror plane */
    /* Per vertex, for those from rail_from on: x at the end of the present substep, m. */
    double *rail;
    int beside_count; /* vertices beside the plane: hinges across it end there */
    int *beside;      /* ascending */
    /* Per vertex, N/m: by how much too stiff K, or a matrix of another kind of stiffness, is along x; zero but beside
     * the plane. */
    double *across[STIFFNESSES];
    int piece_count;     /* see parcels.h */
    int *piece;          /* per vertex */
    const Subset *awake; /* the vertices of the pieces that take part; null: all do */
    const int *awake_pieces;
    int awake_count;         /* of these */
    unsigned matrix_version; /* masses, pace, stiffness, drag or soft pins changed */
    unsigned pins_version;   /* the set of hard pins changed */
} System;

StatusCode system_build(System *system, const Mesh *mesh, const SystemOptions *options, Pool *pool,
                        Store *store, Status *status);

/* What is left of a vertex's force or motion where rails hold it. */
static inline Vec3 system_on_rails(const System *system, int vertex, Vec3 v) {
    return vec3(vertex < system->rail_from ? v.x : 0.0, v.y, v.z);
}

/* Loops over the vertices that take part. */
static inline void system_run(const System *system, PoolTask task, void *context) {
    subset_run(system->awake, system->pool, system->vertex_count, task, context);
}

static inline double system_sum(const System *system, PoolSumTask task, void *context) {
    return subset_sum(system->awake, system->pool, system->vertex_count, task, context);
}

static inline void system_copy(const System *system, size_t size, const void *from, void *to) {
    subset_copy(system->awake, system->pool, system->vertex_count, size, from, to);
}

static inline int system_first(const System *system) { return subset_first(system->awake); }

static inline int system_next(const System *system, int vertex) {
    return subset_next(system->awake, vertex);
}

static inline const Material *system_material(const System *system, int vertex) {
    return &system->materials[system->mesh->part[vertex]];
}

static inline bool system_is_damped(const System *system) {
    bool damped = false;
    for (int p = 0; p < system->part_count; ++p) {
        damped = damped || system->materials[p].stiffness_damping > 0;
    }
    return damped;
}

/* Recomputes masses, stiffness and K from system->materials and the scales. */
void system_refresh_material(System *system);

/* Sets the gravity that decides which cells are limp, m/s^2; K does not contain them, and stays. */
void system_set_design_gravity(System *system, double gravity);

/* After `held` has changed. The curvature at a pinned vertex is a mean over all of its triangles, but those that are held
 * by all corners cannot bend: with A the area of all and A_free that of the others, the cloth there has A / A_free times
 * the curvature that is measured, on A_free. Half as much energy as it should have lets the clamp slip back by half a
 * cell; so the element is A / A_free times as stiff, and is left out where nothing is free. K follows only where pins
 * hold whole triangles: single vertices and single rows change nothing. */
void system_hold(System *system);

/* For substeps of this length, s: makes the laws anew where parts are damped differently. Returns q of all. */
double system_set_length(System *system, double length);

/* Tensions of the linear laws at a guess; of the conventional ones at x. Forces follow by
 * rows_force(). The first returns the energy at its targets, J: at a guess that is z itself this is the
 * elastic energy. */
double system_local_step(System *system, const Guess *guess);
void system_conventional_step(System *system, const Vec3 *x);

/* The fast way to the first where the guess is z itself, and to the second. The forces are not in the rows, but in
 * system_force(). Both return the elastic energy, J, the second not a number where it takes the slow way. */
double system_evaluate(System *system, const Vec3 *z, const Vec3 *present);
double system_conventional_forces(System *system, const Vec3 *x);

/* Elastic force on a vertex, N, as the latest of these four left it. */
static inline Vec3 system_force(const System *system, int vertex) {
    return system->by_parcels ? parcels_force(&system->parcels, vertex)
                              : rows_force(&system->laws.rows, vertex);
}

/* What the laws remember, as if the cloth had been brought from rest to x at once. */
void system_reset_memory(System *system, const Vec3 *x);

/* Elastic energy of the conventional laws, which the linear ones majorise, J: with the factors q_p / q, as solvers need
 * it, and as it is. */
double system_elastic_energy(const System *system, const Vec3 *x);
double system_true_energy(const System *system, const Vec3 *x);

/* Fills a matrix of the stiffness of those laws whose second derivative is constant. Each vertex collects from the elements
 * at it, in their order: the same bytes for any number of threads. */
void assembly_fill_constant(const Laws *laws, LawStiffness which, Pool *pool, Matrix *matrix);
