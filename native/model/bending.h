/* Bending of hinges [Volino and Magnenat-Thalmann 2006; Choi 2013, ch. 5].
 * R = sum alpha_a x_a is the gap between the two diagonals of a hinge: zero when it is flat, and
 * along the bisector of its two sides when it is folded without stretch. E = lambda/2 |R - R*|^2.
 * R* is zero for cloth that wants to lie flat, or the rest gap along the present bisector, so that
 * a shape modelled with folds keeps them: the same trick as with edges, and the matrix stays.
 *
 * lambda = c (N_i + N_j)/(N_i N_j)^2 l^4 mu. The thesis prints 2/3 ... l mu, which has not the unit
 * of a spring constant and stiffens under refinement. c is set by what mu means, a sheet bent to
 * curvature kappa stores mu kappa^2 / 2 per area, for each hinge by itself and in the mean over all
 * bending directions: a third of its two triangles is its part of the sheet. So one odd triangle
 * spoils nothing but itself. */
#ifndef MODEL_BENDING_H
#define MODEL_BENDING_H

#include "base/parallel.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"
#include "model/guess.h"
#include "model/material.h"
#include "model/rows.h"

typedef struct BendingModel {
    int count;
    int crossing_from; /* hinges from this one on are across the mirror plane of half a mesh (mesh.h) */
    int skipped;       /* hinges too thin to invert */
    int *vertices;     /* 4 x count: i, j, k, l */
    double *weights;   /* 4 x count: alpha */
    double *shape;     /* lambda per mu, 1/m^2 */
    double *stiffness; /* lambda, N/m */
    double *rest_gap;  /* signed length of R at rest along the bisector, m */
    int curved;        /* 1 if any rest gap is not zero */
    int first_row;
    Vec3 *tension; /* its rows */
} BendingModel;

/* Half of what a hinge across the mirror plane resists is the other half's. It only resists in the plane's directions:
 * what it adds to the matrix along x, too, is too much there by bending_model_across() at its vertex i.
 *
 * keep_folds: the rest shape is that of the mesh, else flat. */
StatusCode bending_model_build(BendingModel *model, const Mesh *mesh, int keep_folds, Store *store,
                               Status *status);
void bending_model_set_material(BendingModel *model, const Material *material,
                                const Scales *scales);

/* Adds this to each vertex's number, N/m. */
void bending_model_across(const BendingModel *model, double *across);

/* Tensions lambda (R* - R) at guess->z; returns the energy lambda/2 |R* - R|^2 of all, J. */
double bending_model_local_step(BendingModel *model, Pool *pool, const Guess *guess);

/* Likewise for one hinge: its tension, and its energy. */
double bending_model_tension(const BendingModel *model, int h, const Guess *guess, Vec3 *tension);

/* As edge_model_stiffen(); the bisector's turning is left out. */
void bending_model_stiffen(BendingModel *model, Pool *pool, const Vec3 *d);

/* lambda/2 |R - R*|^2 with R* at x, J. */
double bending_model_energy(const BendingModel *model, Pool *pool, const Vec3 *x);

#endif
