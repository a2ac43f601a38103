/* The wide kernel of the membrane law by Green's measure. Part of the template system/parcel_forces.c. */
#pragma once

#include "laws/kernel_lanes.h"
#include "laws/membrane.h"

enum { KNOT_STORED, KNOT_STRESS, KNOT_STIFFNESS, KNOT_BEND };

/* Twice the energy at the strains; the stresses are left. */
INLINE Bunch look_up(const StretchCurve *curve, Bunch strain, Bunch *stress) {
    /* The first is that of compression: both begin where the strain is 0. */
    Bunch knot[KNOT_NUMBERS];
    Bunch at = bunch_within(strain * curve->per_step + 1.0, 1 + STRETCH_SEGMENTS);
    Bunch after = bunch_knots(curve->all, at, knot) - 1.0;
    Bunch beyond = strain - curve->step * bunch_within(after, STRETCH_SEGMENTS);
    Bunch turn = beyond * knot[KNOT_BEND], first = knot[KNOT_STRESS], slope = knot[KNOT_STIFFNESS];
    *stress = first + beyond * (slope + 0.5 * turn);
    return 2.0 * knot[KNOT_STORED] + beyond * (2.0 * first + beyond * (slope + (1.0 / 3.0) * turn));
}

/* With the sign of another, which may be zero's. */
INLINE Bunch with_sign(Bunch size, Bunch of) {
    const BunchMarks sign = (BunchMarks){0} + INT64_MIN;
    return (Bunch)(((BunchMarks)size & ~sign) | ((BunchMarks)of & sign));
}

/* A bunch of membranes: the fabric's axes at z, and the strains, and then what pulls in their place. */
typedef struct Sheets {
    Bunch3 u, w;
    Bunch warp, weft, shear;
} Sheets;

INLINE void measure_sheets(const double *place, const uint16_t *corner, const double *number,
                           Sheets *sheets) {
    Bunch3 origin = bunch_corner(place, corner);
    Bunch3 e1 = bunch_sub(bunch_corner(place, corner + PARCEL_GROUP), origin);
    Bunch3 e2 = bunch_sub(bunch_corner(place, corner + 2 * PARCEL_GROUP), origin);
    Bunch a1 = bunch_at(number), p1 = bunch_at(number + PARCEL_GROUP);
    Bunch a2 = bunch_at(number + 2 * PARCEL_GROUP), p2 = bunch_at(number + 3 * PARCEL_GROUP);
    Bunch3 u = bunch_add3(bunch_scale(a1, e1), a2, e2), w = bunch_add3(bunch_scale(p1, e1), p2, e2);
    *sheets = (Sheets){.u = u,
                       .w = w,
                       .warp = 0.5 * (bunch_dot(u, u) - 1.0),
                       .weft = 0.5 * (bunch_dot(w, w) - 1.0),
                       .shear = 0.5 * bunch_dot(u, w)};
}

/* Twice the energy of each. With s the stresses, the tensions are
 *   -(s_u u + s_uw w / 2)  and  -(s_uw u / 2 + s_w w). */
INLINE Bunch stress_sheets(const StretchCurves *curves, const double *number, Sheets *sheets) {
    Bunch warp = sheets->warp, weft = sheets->weft, shear = sheets->shear, su, sw, ss;
    Bunch scale = bunch_at(number + 4 * PARCEL_GROUP), c = (Bunch){0} + curves->coupling;
    Bunch energy = look_up(&curves->curve[STRETCH_WARP], warp, &su);
    energy += look_up(&curves->curve[STRETCH_WEFT], weft, &sw) + 2.0 * c * warp * weft;
    energy += look_up(&curves->curve[STRETCH_SHEAR], with_sign(shear, (Bunch){0}), &ss);
    sheets->warp = -scale * (su + c * weft);
    sheets->weft = -scale * (sw + c * warp);
    sheets->shear = -0.5 * scale * with_sign(ss, shear); /* both directions are alike */
    return scale * energy;
}

INLINE void pull_sheets(double *pull, const uint16_t *corner, const double *number,
                        const Sheets *sheets) {
    Bunch a1 = bunch_at(number), p1 = bunch_at(number + PARCEL_GROUP);
    Bunch a2 = bunch_at(number + 2 * PARCEL_GROUP), p2 = bunch_at(number + 3 * PARCEL_GROUP);
    Bunch pu = sheets->warp, pw = sheets->weft, g = sheets->shear;
    Bunch3 u = sheets->u, w = sheets->w, none = {{0}, {0}, {0}};
    Bunch3 f1 = bunch_add3(bunch_scale(a1 * pu + p1 * g, u), a1 * g + p1 * pw, w);
    Bunch3 f2 = bunch_add3(bunch_scale(a2 * pu + p2 * g, u), a2 * g + p2 * pw, w);
    bunch_pull(pull, corner, bunch_sub(bunch_sub(none, f1), f2));
    bunch_pull(pull, corner + PARCEL_GROUP, f1);
    bunch_pull(pull, corner + 2 * PARCEL_GROUP, f2);
}

/* Between strains and stresses is a long way through a table: so many groups do each before the next. */
#define SHEET_GROUPS 4
enum { GROUP_CORNERS = 3 * PARCEL_GROUP, GROUP_NUMBERS = MEMBRANE_NUMBERS * PARCEL_GROUP };

INLINE Bunch pull_sheet_groups(ParcelState *state, const StretchCurves *curves, int groups,
                               const uint16_t *corner, const double *number) {
    Sheets sheets[SHEET_GROUPS][PARCEL_GROUP / BUNCH];
    Bunch energy = {0};
    for (int g = 0; g < groups; ++g) {
        for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
            measure_sheets(state->place, corner + GROUP_CORNERS * g + i,
                           number + GROUP_NUMBERS * g + i, &sheets[g][i / BUNCH]);
        }
    }
    for (int g = 0; g < groups; ++g) {
        for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
            energy += stress_sheets(curves, number + GROUP_NUMBERS * g + i, &sheets[g][i / BUNCH]);
        }
    }
    for (int g = 0; g < groups; ++g) {
        for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
            pull_sheets(state->pull, corner + GROUP_CORNERS * g + i, number + GROUP_NUMBERS * g + i,
                        &sheets[g][i / BUNCH]);
        }
    }
    return energy;
}

static double pull_all_membranes(ParcelState *state, const ParcelElements *elements, int begin,
                                 int end) {
    const StretchCurves *curves = &membrane_law(elements->law)->curves;
    Bunch energy = {0};
    for (int at = begin; at < end; at += SHEET_GROUPS * PARCEL_GROUP) {
        int groups = (end - at) / PARCEL_GROUP;
        energy +=
            pull_sheet_groups(state, curves, groups < SHEET_GROUPS ? groups : SHEET_GROUPS,
                              elements->corner + 3 * at, elements->number + MEMBRANE_NUMBERS * at);
    }
    return bunch_total(energy);
}
