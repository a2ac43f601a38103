/* Springs along edges [Choi 2013, ch. 3].
 *   linear:        E = k/2 |x_ij - x*|^2,  |x*| = L, x* along the guessed direction
 *   conventional:  E = k/2 (|x_ij| - L)^2
 * The first is the second's majoriser: they touch where the guess is right. */
#ifndef MODEL_EDGE_H
#define MODEL_EDGE_H

#include "base/parallel.h"
#include "linear/block.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"
#include "model/guess.h"
#include "model/material.h"
#include "model/rows.h"

typedef struct EdgeModel {
    int count;
    int *vertices;        /* 2 x count */
    double *weights;      /* 2 x count: -1, +1 */
    double *rest_length;  /* m */
    double *stiffness;    /* N/m */
    Vec3 *rest_direction; /* unit */
    const Edge **source;  /* the mesh edge behind each */
    int first_row;
    int tension_only;
    Vec3 *tension; /* its rows */
    int *slots;    /* 4 x count: block slots aa, ab, ba, bb for the conventional solver */
} EdgeModel;

/* Springs on all edges, or on ropes and on sides of triangles without area only (beside the triangle
 * model). */
StatusCode edge_model_build(EdgeModel *model, const Mesh *mesh, int all_edges, int tension_only,
                            Store *store, Status *status);
void edge_model_set_material(EdgeModel *model, const Material *material, const Scales *scales);

/* Tensions k (x* - x) at guess->z; returns the energy k/2 |x* - x|^2 of all, J. */
double edge_model_local_step(EdgeModel *model, Pool *pool, const Guess *guess);

/* Likewise for one spring: its tension, and its energy. */
double edge_model_tension(const EdgeModel *model, int e, const Guess *guess, Vec3 *tension);

/* Conventional energy, J; with tension-only springs a compressed one stores none. */
double edge_model_energy(const EdgeModel *model, Pool *pool, const Vec3 *x);

/* Adds scale times the Hessian of the conventional energy, compression's negative part clamped. */
void edge_model_add_hessian(const EdgeModel *model, const Vec3 *x, double scale,
                            BlockMatrix *blocks);

/* Leaves -k B (edge of d) as tensions, B the second derivative at x: the force is minus the Hessian times d. */
void edge_model_stiffen(EdgeModel *model, Pool *pool, const Vec3 *x, const Vec3 *d);

StatusCode edge_model_find_slots(EdgeModel *model, const BlockMatrix *blocks, Store *store,
                                 Status *status);

#endif
