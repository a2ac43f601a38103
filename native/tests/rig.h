/* A mechanical system on a test mesh, without the cloth around it, and small dense algebra to judge
 * it by. */
#pragma once

#include "laws/bending.h"
#include "laws/edge.h"
#include "laws/triangle.h"
#include "meshes.h"
#include "simulation/simulation.h"
#include "solver/coarse/coarse.h"
#include "solver/substep.h"

typedef struct Rig {
    Store store;
    Status status;
    Mesh mesh;
    Weave weave; /* of MODEL_WOVEN */
    Pool *pool;
    System system;
} Rig;

/* The laws of a system, by their kinds. */
static inline const EdgeLaw *rig_edges(const System *system) {
    const Law *law = laws_find(&system->laws, &edge_kind);
    return edge_law(law ? law : laws_find(&system->laws, &strained_edge_kind));
}
static inline const TriangleLaw *rig_triangles(const System *system) {
    return triangle_law(laws_find(&system->laws, &triangle_kind));
}
static inline const BendingLaw *rig_hinges(const System *system) {
    return bending_law(laws_find(&system->laws, &bending_kind));
}

/* Cotton, with every kind of damping. */
Material rig_material(void);

/* Builds the system; a failure ends the program. */
void rig_open(Rig *rig, const TestMesh *mesh, const SystemOptions *options,
              const Material *material);
/* Likewise of half a mesh, whose vertices from `plane_from` on lie in the mirror plane. */
void rig_open_half(Rig *rig, const TestMesh *mesh, int plane_from, const SystemOptions *options,
                   const Material *material);
void rig_close(Rig *rig);

/* Of the cloth at rest, m^2. */
double rig_area(const Rig *rig);

/* The blocks of all laws: where they are, and adding scale times their second derivatives at x. */
void rig_find_slots(Rig *rig, const BlockMatrix *blocks);
void rig_add_hessian(const Rig *rig, const Vec3 *x, double scale, BlockMatrix *blocks);

/* Tensions whose forces are minus the clamped Hessian of the elastic energy at x, times d: law by law. */
void rig_stiffen(System *system, const Vec3 *x, const Vec3 *d);

/* The coarse level, all at once; null on failure. */
Coarse *rig_coarse(System *system, Status *status);

/* A state: rest shape times `stretch`, each coordinate moved by at most `noise`. */
void rig_state(const Rig *rig, double stretch, double noise, Vec3 *x);

/* --- dense matrices, row by row -------------------------------------------------------------- */

double *dense_new(int size);
/* A sparse matrix as a dense one. */
double *dense_of(const Matrix *matrix);
/* All eigenvalues of a symmetric matrix, ascending, by Jacobi rotations; destroys it. */
void dense_eigenvalues(int size, double *a, double *values);
/* x = A^-1 b by elimination with pivots; destroys both, x is left in b. */
void gauss_solve(int size, double *a, double *b);

/* --- whole cloths ----------------------------------------------------------------------------- */

/* What tests of whole cloths ask for where nothing else matters: limp cotton, two substeps of three iterations. */

static inline SimulationOptions plain_options(void) {
    return (SimulationOptions){.system = {.model = MODEL_TRIANGLE},
                               .mesh = {.uv_scale = 1},
                               .solving = {.scheme = SCHEME_TWO_LEVEL,
                                           .coefficient_count = 2,
                                           .coefficients = {2, -1},
                                           .iterations = 3,
                                           .pcg_tolerance = 1e-3,
                                           .pcg_limit = 1000},
                               .substeps = 2,
                               .threads = 1, /* two beside another test wait for cores */
                               .materials[0] = {.density = 0.2,
                                                .stretch_warp = 1000,
                                                .stretch_weft = 1000,
                                                .shear = 300,
                                                .bend = 1e-5,
                                                .bend_weft = 1,
                                                .bend_twist = 1,
                                                .rope_density = 0.01,
                                                .pin_stiffness = 2000},
                               .gravity = {0, 0, -9.81}};
}
