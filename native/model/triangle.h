/* Stretch and shear of triangles [Choi 2013, ch. 4].
 * The map from material to space has the axes S_u = sum a_c x_c (warp) and S_v = sum p_c x_c (weft),
 * and the diagonals (S_u + S_v)/sqrt2, (S_u - S_v)/sqrt2. All have length 1 in unstretched cloth.
 *   linear:        E = A/2 sum_axis k_axis |S_axis - S*_axis|^2,  S* unit vectors   [4.7, 4.8]
 *   conventional:  E = A/2 sum_axis k_axis (|S_axis| - 1)^2                          [4.4, 4.6]
 *                  or with the shear A/2 k (S_u . S_v)^2                             [4.5] */
#ifndef MODEL_TRIANGLE_H
#define MODEL_TRIANGLE_H

#include "base/parallel.h"
#include "linear/block.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"
#include "model/guess.h"
#include "model/material.h"
#include "model/rows.h"

enum { AXIS_WARP, AXIS_WEFT, AXIS_SUM, AXIS_DIFFERENCE, AXIS_COUNT };

typedef enum ShearAxes { SHEAR_AXES_ESTIMATED, SHEAR_AXES_DERIVED } ShearAxes;
typedef enum ShearEnergy { SHEAR_ENERGY_DIAGONAL, SHEAR_ENERGY_PRODUCT } ShearEnergy;

typedef struct TriangleModel {
    int count;
    int *vertices;        /* 3 x count */
    double *warp_weights; /* 3 x count: a, b, c of S_u, 1/m */
    double *weft_weights; /* 3 x count: p, q, r of S_v, 1/m */
    double *area;         /* m^2 */
    double *stiffness;    /* AXIS_COUNT x count: area times N/m */
    Vec3 *rest_axes;      /* 2 x count: S_u and S_v at rest, the last fallback */
    int first_row;        /* two rows a triangle: warp, weft */
    int tension_only;
    ShearAxes shear_axes;
    ShearEnergy shear_energy; /* of the conventional law only */
    Vec3 *tension;            /* its rows */
    int *slots;               /* 9 x count: block slots for the conventional solver */
} TriangleModel;

StatusCode triangle_model_build(TriangleModel *model, const Mesh *mesh, int tension_only,
                                ShearAxes shear_axes, ShearEnergy shear_energy, Store *store,
                                Status *status);
void triangle_model_set_material(TriangleModel *model, const Material *material,
                                 const Scales *scales);

/* Tensions at guess->z: of the linear law (which is the conventional diagonal law's exact force when
 * the guess is z itself). Returns the energy sum k/2 |S* - S|^2, J. */
double triangle_model_local_step(TriangleModel *model, Pool *pool, const Guess *guess);

/* Likewise for one triangle: the tensions of warp and weft, and its energy. */
double triangle_model_tension(const TriangleModel *model, int t, const Guess *guess, Vec3 *tension);

/* As edge_model_stiffen(), for the diagonal shear energy. */
void triangle_model_stiffen(TriangleModel *model, Pool *pool, const Vec3 *x, const Vec3 *d);

/* Adds scale times the clamped second derivative at x by corner c of triangle t alone; diagonal shear energy. */
void triangle_model_add_corner(const TriangleModel *model, int t, int c, const Vec3 *x,
                               double scale, Block *block);

/* Tensions of the conventional law with its chosen shear energy. */
void triangle_model_force(TriangleModel *model, Pool *pool, const Vec3 *x);
double triangle_model_energy(const TriangleModel *model, Pool *pool, const Vec3 *x);
void triangle_model_add_hessian(const TriangleModel *model, const Vec3 *x, double scale,
                                BlockMatrix *blocks);
StatusCode triangle_model_find_slots(TriangleModel *model, const BlockMatrix *blocks, Store *store,
                                     Status *status);

#endif
