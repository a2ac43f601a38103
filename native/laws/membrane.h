/* A sheet of fabric: an energy of the strain in warp and weft, whatever that energy is (stretch_curve.h).
 *
 * The axes S_u and S_v are those of the triangle law. By Green's measure the strain is
 *   e_uu = (S_u.S_u - 1) / 2,  e_vv = (S_v.S_v - 1) / 2,  e_uv = S_u.S_v / 2.
 * It says by how much the square of each side's length has changed, half of it, and so the energy may be written in the
 * three sides: as springs of the squared lengths, coupled in pairs, the triangular biquadratic springs of Delingette
 * (2008). Other measures of a side's strain (strain.h) make other springs of the same energy: with the length in place
 * of its square the triangular quadratic springs, with its logarithm Hencky's. All agree to first order with the linear
 * element of plane stress.
 *
 * In the constant matrix stands an isotropic bound of the second derivative at a working strain. Fabric that is
 * stretched further may be stiffer: then the solve that would raise the energy is shortened. */
#ifndef LAWS_MEMBRANE_H
#define LAWS_MEMBRANE_H

#include "laws/law.h"
#include "laws/strain.h"
#include "laws/stretch_curve.h"

#define SIDES 3

/* What other measures than Green's need of a triangle. */
typedef struct MembraneSides {
    double along[SIDES][2]; /* each side in warp and weft at rest, m */
    double length[SIDES];   /* m */
    double strain
        [3]
        [SIDES]; /* e_uu, e_vv, e_uv from the squared lengths' worth of each side's strain, 1/m^2 */
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

#endif
