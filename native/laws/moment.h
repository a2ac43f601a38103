/* Moment curves: the bending moment of cloth by its curvature, as data.
 *
 * Measured fabrics [Wang, O'Brien and Ramamoorthi 2011] have a bending stiffness B that changes with the curvature k, for
 * strips cut along warp, bias and weft. A strip's moment per width is M(k) = B(k) k, N, and it stores the integral of M,
 * J/m^2. Where a file's B falls so fast that M does, too, such a strip kinks, sharper with every finer mesh; in the mean
 * over kinks and the straight between them it has Maxwell's line, a constant moment that leaves the energy as it is.
 * That is what stands here, so that M never falls and the energy is convex.
 *
 * The cloth's energy per area is phi_warp(|x_uu|) + phi_weft(|x_vv|) + 2 phi_twist(|x_uv|). A strip on the bias, which may
 * arch and twist freely, meets a third of its moment in each of the three; the twist's curve is what is left of the
 * curvature that was measured on the bias:
 *   k_uv(m) = k_bias(2 m) - (k_warp(m) + k_weft(m)) / 2.
 * So all three strips bend as they were measured.
 *
 * Cloth that keeps a little of its folds has the friction of its threads beside that: springs as stiff as the curves begin,
 * which hold to a curvature that was, and slip where they are strained by more than fold_memory. */
#pragma once

#include <stdbool.h>

#include "laws/material.h"

#define MOMENT_SEGMENTS 64
enum { MOMENT_WARP, MOMENT_WEFT, MOMENT_TWIST, MOMENT_CURVES };

/* M at a knot, N; how it goes on from there, N m; the energy, J/m^2; where the knot is, 1/m. */
typedef struct MomentKnot {
    double moment, slope, energy, curvature;
} MomentKnot;

/* M goes in straight segments from knot to knot, which are even, and on with the last slope. */
typedef struct MomentCurve {
    double step, per_step;                              /* from knot to knot, 1/m; its inverse */
    double steepest;                                    /* N m */
    _Alignas(32) MomentKnot knots[MOMENT_SEGMENTS + 1]; /* for vectors */
} MomentCurve;

/* Whether the bending of a material is measured. */
static inline bool moment_measured(const Material *material) {
    return material->bend_samples[0] > 0;
}

/* Whether it keeps a little of a fold. */
static inline bool moment_has_memory(const Material *material) { return material->fold_memory > 0; }

/* Those of warp, weft and twist: measured, or straight lines by bend, bend_weft and bend_twist. */
void moment_curves_of(const Material *material, MomentCurve curves[MOMENT_CURVES]);

/* Strips along warp, bias and weft as they were measured; unmeasured ones are the mean of warp and weft. */
enum { STRIP_WARP, STRIP_BIAS, STRIP_WEFT, MOMENT_STRIPS };
void moment_strips_of(const Material *material, MomentCurve strips[MOMENT_STRIPS]);

/* What friction of the threads resists with before it slips, N m: how the curves begin, or nothing. */
void moment_friction_of(const Material *material, const MomentCurve curves[MOMENT_CURVES],
                        double friction[MOMENT_CURVES]);

/* The most that the cloth resists bending with, as if it were that of an unmeasured material: for matrices. */
typedef struct BendNumbers {
    double bend, weft, twist; /* N m; the two others in parts of it */
} BendNumbers;
BendNumbers moment_bound(const Material *material);

/* M at a curvature that is not negative, N. */
static inline double moment_at(const MomentCurve *curve, double curvature, double *energy,
                               double *slope) {
    double at = curvature * curve->per_step;
    int i = at < MOMENT_SEGMENTS ? (int)at : MOMENT_SEGMENTS;
    const MomentKnot *knot = &curve->knots[i];
    double beyond = curvature - knot->curvature;
    *slope = knot->slope;
    *energy = knot->energy + beyond * (knot->moment + 0.5 * beyond * knot->slope);
    return knot->moment + beyond * knot->slope;
}
