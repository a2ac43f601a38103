/* What fabric answers to being stretched along warp, along weft, and sheared, as data.
 *
 * The energy per area is W = A(e_uu) + B(e_vv) + c e_uu e_vv + D(e_uv), e the strain in warp and weft, c the coupling that
 * makes cloth narrower as it gets longer. The slopes of the stresses A', B' and D' go in straight segments, so the
 * second derivative has no jumps. None is below zero, and c^2 is below the product of the first two: W is convex.
 *
 * Where nothing is measured the slopes are constant: with Young's moduli E_u, E_v, Poisson's ratio n and shear modulus G
 *   A'' = E_u / (1 - n^2),  B'' = E_v / (1 - n^2),  c = n sqrt(E_u E_v) / (1 - n^2),  D'' = 4 G,
 * which is St Venant and Kirchhoff's sheet for E_u = E_v and G = E / 2 (1 + n).
 *
 * Measured fabric [Wang, O'Brien and Ramamoorthi 2011] has a table of C(l, a), the numbers of the stress
 *   s_uu = c11 e_uu + c12 e_vv,  s_vv = c22 e_vv + c12 e_uu,  s_uv = c33 e_uv / 2,
 * at a largest stretch l of 0 and of 1/6 and at five angles a between the stretch and the warp. Such a stress has no
 * energy: around a closed path it may give more work than it takes. A, B and D are those with which strips cut along
 * warp, weft and bias need the force that the table says at every length; between these directions they differ from it.
 * Where the table says that a strip pulls less the longer it gets, ours pulls on as before. */
#ifndef LAWS_STRETCH_CURVE_H
#define LAWS_STRETCH_CURVE_H

#include <stdbool.h>

#include "laws/material.h"

#define STRETCH_SEGMENTS 64
enum { STRETCH_WARP, STRETCH_WEFT, STRETCH_SHEAR, STRETCH_CURVES };

/* What begins at a strain. */
typedef struct StretchKnot {
    double energy; /* J/m^2 */
    double stress; /* N/m */
    double slope;  /* N/m */
    double bend;   /* of the slope, after the knot, N/m */
} StretchKnot;

/* Knots are even, from strain 0 on; before them stands one for all that is compressed. There, and after the last, the
 * slope stays. */
typedef struct StretchCurve {
    double step, per_step;                                  /* from knot to knot; its inverse */
    _Alignas(32) StretchKnot all[1 + STRETCH_SEGMENTS + 1]; /* for vectors */
} StretchCurve;

/* Those from strain 0 on. */
static inline StretchKnot *stretch_knots(StretchCurve *curve) { return curve->all + 1; }
static inline double stretch_slope(const StretchCurve *curve, int knot) {
    return curve->all[1 + knot].slope;
}

typedef struct StretchCurves {
    StretchCurve curve[STRETCH_CURVES];
    double coupling; /* c, N/m */
} StretchCurves;

/* Whether the stretch of a material is measured. */
static inline bool stretch_measured(const Material *material) {
    return material->stretch_samples[0] > 0;
}

/* Those of a material; it must be sound. */
void stretch_curves_of(const Material *material, StretchCurves *curves);

/* Whether strips of a measured material resist in all three directions. */
bool stretch_is_sound(const Material *material);

/* At one strain, by its measure. */
typedef struct Stretch {
    double energy, stress, slope; /* J/m^2, N/m, N/m */
} Stretch;

/* The knot that a strain is after, and by how much. */
static inline const StretchKnot *stretch_knot(const StretchCurve *curve, double strain,
                                              double *beyond) {
    double at = strain * curve->per_step;
    int i = at > 0 ? at < STRETCH_SEGMENTS ? (int)at : STRETCH_SEGMENTS : -1;
    *beyond = i > 0 ? strain - i * curve->step : strain;
    return &curve->all[i + 1];
}

static inline Stretch stretch_at(const StretchCurve *curve, double strain) {
    double d;
    const StretchKnot *knot = stretch_knot(curve, strain, &d);
    double turn = d * knot->bend;
    return (Stretch){.energy =
                         knot->energy + d * (knot->stress + 0.5 * d * (knot->slope + turn / 3.0)),
                     .stress = knot->stress + d * (knot->slope + 0.5 * turn),
                     .slope = knot->slope + turn};
}

/* Both directions of shear are alike. */
static inline Stretch shear_at(const StretchCurve *curve, double strain) {
    Stretch stretch = stretch_at(curve, strain < 0 ? -strain : strain);
    stretch.stress = strain < 0 ? -stretch.stress : stretch.stress;
    return stretch;
}

#endif
