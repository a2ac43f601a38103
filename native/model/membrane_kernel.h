/* The wide kernel of the membrane law by Green's measure. Part of the template parcel_kernels.h. */
#ifndef MODEL_MEMBRANE_KERNEL_H
#define MODEL_MEMBRANE_KERNEL_H

#include "model/membrane.h"
#include "model/parcel_lanes.h"

/* Twice the energy at four strains; the stresses are left. Each is looked up by itself, the rest is done together. */
INLINE Lanes look_up(const StretchCurve *curve, Lanes strain, Lanes *stress) {
    Lanes energy = {0}, first = {0}, slope = {0}, bend = {0}, beyond = {0};
    for (int i = 0; i < LANES; ++i) {
        double d;
        const StretchKnot *knot = stretch_knot(curve, strain[i], &d);
        beyond[i] = d, energy[i] = knot->energy, first[i] = knot->stress;
        slope[i] = knot->slope, bend[i] = knot->bend;
    }
    Lanes turn = beyond * bend;
    *stress = first + beyond * (slope + 0.5 * turn);
    return 2.0 * energy + beyond * (2.0 * first + beyond * (slope + (1.0 / 3.0) * turn));
}

/* Twice the energy of each; with u, w the fabric's axes at z and s the stresses, the tensions are
 *   -(s_u u + s_uw w / 2)  and  -(s_uw u / 2 + s_w w). */
INLINE Lanes pull_membranes(ParcelState *state, const StretchCurves *curves, const uint16_t *corner,
                            const double *number) {
    Lanes3 origin = corner_at(state->place, corner);
    Lanes3 e1 = sub3(corner_at(state->place, corner + PARCEL_GROUP), origin);
    Lanes3 e2 = sub3(corner_at(state->place, corner + 2 * PARCEL_GROUP), origin);
    Lanes a1 = lanes_at(number), p1 = lanes_at(number + PARCEL_GROUP);
    Lanes a2 = lanes_at(number + 2 * PARCEL_GROUP), p2 = lanes_at(number + 3 * PARCEL_GROUP);
    Lanes scale = lanes_at(number + 4 * PARCEL_GROUP), c = (Lanes){0} + curves->coupling;
    Lanes3 u = mix3(a1, e1, a2, e2), w = mix3(p1, e1, p2, e2);
    Lanes warp = 0.5 * (dot3(u, u) - 1.0), weft = 0.5 * (dot3(w, w) - 1.0);
    Lanes shear = 0.5 * dot3(u, w), su, sw, ss;
    Marks turned = shear < 0.0; /* both directions are alike */
    Lanes size = (Lanes)(((Marks)shear & ~turned) | ((Marks)(-shear) & turned));
    Lanes energy = look_up(&curves->curve[STRETCH_WARP], warp, &su);
    energy += look_up(&curves->curve[STRETCH_WEFT], weft, &sw);
    energy += look_up(&curves->curve[STRETCH_SHEAR], size, &ss) + 2.0 * c * warp * weft;
    ss = (Lanes)(((Marks)ss & ~turned) | ((Marks)(-ss) & turned));
    Lanes pu = -scale * (su + c * weft), pw = -scale * (sw + c * warp), g = -0.5 * scale * ss;
    Lanes3 f1 = mix3(a1 * pu + p1 * g, u, a1 * g + p1 * pw, w);
    Lanes3 f2 = mix3(a2 * pu + p2 * g, u, a2 * g + p2 * pw, w);
    push_corner(state->pull, corner, add3(f1, f2));
    pull_corner(state->pull, corner + PARCEL_GROUP, f1);
    pull_corner(state->pull, corner + 2 * PARCEL_GROUP, f2);
    return scale * energy;
}

static double pull_all_membranes(ParcelState *state, const ParcelElements *elements, int begin,
                                 int end) {
    const StretchCurves *curves = &membrane_law(elements->law)->curves;
    const uint16_t *corner = elements->corner + 3 * begin;
    const double *number = elements->number + MEMBRANE_NUMBERS * begin;
    Lanes energy = {0};
    for (int at = begin; at < end; at += PARCEL_GROUP) {
        for (int lane = 0; lane < PARCEL_GROUP; lane += LANES) {
            energy += pull_membranes(state, curves, corner + lane, number + lane);
        }
        corner += 3 * PARCEL_GROUP;
        number += MEMBRANE_NUMBERS * PARCEL_GROUP;
    }
    return total(energy);
}

#endif
