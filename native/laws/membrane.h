/* A sheet of fabric: an energy of the strain in warp and weft, whatever that energy is.
 *
 * The axes S_u and S_v are those of the triangle law. By Green's measure the strain is
 *   e_uu = (S_u.S_u - 1) / 2,  e_vv = (S_v.S_v - 1) / 2,  e_uv = S_u.S_v / 2.
 * It says by how much the square of each side's length has changed, half of it, and so the energy may be written in the
 * three sides: as springs of the squared lengths, coupled in pairs, the triangular biquadratic springs of Delingette
 * (2008). Other measures of a side's strain (response.h) make other springs of the same energy: with the length in place
 * of its square the triangular quadratic springs, with its logarithm Hencky's. All agree to first order with the linear
 * element of plane stress.
 *
 * In the constant matrix stands an isotropic bound of the second derivative at a working strain. Fabric that is
 * stretched further may be stiffer: then the solve that would raise the energy is shortened. */
#pragma once

#include <stdbool.h>

#include "laws/law.h"
#include "laws/material.h"
#include "laws/response.h"

/* Stretch curves: the stress of fabric by its stretch along warp, along weft and in shear, as data.
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

/* Whether strips of a measured material resist in all three directions. */
bool stretch_is_sound(const Material *material);

/* Those of a material that material_check() has not refused. */
void stretch_curves_of(const Material *material, StretchCurves *curves);

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

#define SIDES 3

/* What other measures than Green's need of a triangle. */
typedef struct MembraneSides {
    double along[SIDES][2]; /* each side in warp and weft at rest, m */
    double length[SIDES];   /* m */
    double
        strain[3]
              [SIDES]; /* e_uu, e_vv, e_uv of each side's strain times its squared length, 1/m^2 */
} MembraneSides;

typedef struct MembraneLaw {
    Law law; /* weights of S_u and S_v, 1/m */
    const Triangle **source;
    double *scale; /* area times the vertices' factor on stretch, m^2 */
    StrainMeasure measure;
    MembraneSides *sides; /* null by Green's measure */
    StretchCurves curves;
} MembraneLaw;

extern const LawKind membrane_kind;

static inline const MembraneLaw *membrane_law(const Law *law) { return (const MembraneLaw *)law; }

/* What the wide kernel reads of each triangle: S_u and S_v of corner 1, of corner 2; the scale. */
#define MEMBRANE_NUMBERS 5

/* `wanted` false: a law without elements. */
StatusCode membrane_law_build(const Mesh *mesh, bool wanted, StrainMeasure measure, Store *store,
                              Law **law, Status *status);
