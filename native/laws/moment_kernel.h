/* The wide kernels of bending by moment curves: rows along warp, weft and in twist are summed up over the corners, moments
 * are looked up, friction of remembered folds is added, and both pull at the corners. Part of the template system/parcel_forces.c. */
#pragma once

#include "laws/curvature_kernel.h"

/* Added to squared curvatures, 1/m^2: all have a root. */
#define HARDLY_BENT 1e-30

enum { KNOT_MOMENT, KNOT_SLOPE, KNOT_ENERGY, KNOT_CURVATURE };

/* Tensions in place of curvatures p; returns twice their energy. */
INLINE Bunch find_moments(const MomentCurve *curves, Bunch area, Bunch3 *p) {
    Bunch twice = {0};
    for (int r = 0; r < MOMENT_CURVES; ++r) {
        const MomentCurve *curve = &curves[r];
        Bunch square = bunch_dot(p[r], p[r]) + HARDLY_BENT;
        Bunch inverse = bunch_inverse_root(square), length = square * inverse;
        Bunch share = (r == MOMENT_TWIST ? 2.0 : 1.0) * area, knot[KNOT_NUMBERS];
        bunch_knots(curve->knots, bunch_within(length * curve->per_step, MOMENT_SEGMENTS), knot);
        Bunch beyond = length - knot[KNOT_CURVATURE], rise = beyond * knot[KNOT_SLOPE];
        Bunch moment = knot[KNOT_MOMENT] + rise;
        twice += share * (2.0 * knot[KNOT_ENERGY] + beyond * (knot[KNOT_MOMENT] + moment));
        p[r] = bunch_scale(share * (moment * inverse), p[r]);
    }
    return twice;
}

/* Flat at rest. */
GROUP_KERNEL Bunch pull_moment_group(ParcelState *state, const ParcelElements *elements, int at) {
    Bunch3 rows[PARCEL_GROUP / BUNCH][CURVATURES];
    const MomentCurve *curves = curvature_law(elements->law)->curves;
    const uint16_t *corner = elements->corner + elements->width * at;
    const double *number = elements->number + elements->numbers * at;
    const double *weights = number + MOMENT_NUMBERS * PARCEL_GROUP;
    int corners = most_corners(elements, at), ahead = elements->numbers * PARCEL_GROUP;
    Bunch energy = {0};
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        sum_rows(state->place, corner + i, weights + i, CURVATURES, corners, ahead,
                 rows[i / BUNCH]);
    }
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        Bunch3 *p = rows[i / BUNCH];
        for (int r = 0; r < CURVATURES; ++r) {
            p[r] = bunch_scale((Bunch){0} - 1.0, p[r]);
        }
        energy += find_moments(curves, bunch_at(number + i), p);
    }
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        pull_rows(state->pull, corner + i, weights + i, CURVATURES, corners, rows[i / BUNCH]);
    }
    return energy;
}

/* What friction holds to along warp and weft and in twist; nothing where a place is not taken. */
INLINE void find_kept(const CurvatureLaw *own, const int *source, Bunch *kept) {
    Bunch warp = {0}, weft = {0}, twist = {0};
    for (int i = 0; i < BUNCH; ++i) {
        Vec3 of = source[i] < 0 ? vec3(0, 0, 0) : own->law.memory[own->middle[source[i]]];
        warp[i] = of.x, weft[i] = of.y, twist[i] = of.z;
    }
    kept[MOMENT_WARP] = warp, kept[MOMENT_WEFT] = weft, kept[MOMENT_TWIST] = twist;
}

/* Friction of the threads, strained by p + k n: what it pulls with, and asks of the normal. Returns twice its energy. */
INLINE Bunch find_friction(const CurvatureLaw *own, const int *source, Bunch area,
                           const CurvedRows *rows, Bunch3 *pull, Bunch3 *bent) {
    Bunch kept[MOMENT_CURVES], twice = {0};
    find_kept(own, source, kept);
    for (int r = 0; r < MOMENT_CURVES; ++r) {
        Bunch stiffness = (r == MOMENT_TWIST ? 2.0 : 1.0) * own->friction[r] * area;
        Bunch3 strain = bunch_add3(rows->at[r], kept[r], rows->normal);
        pull[r] = bunch_scale(stiffness, strain);
        *bent = bunch_add3(*bent, kept[r], pull[r]);
        twice += stiffness * bunch_dot(strain, strain);
    }
    return twice;
}

/* Curved at rest: with p_r = k_r n - s_r, and along b and c what n's own change asks for. */
GROUP_KERNEL Bunch find_curved_moments(const CurvatureLaw *own, const int *source,
                                       const double *number, CurvedRows *rows) {
    Bunch3 b = rows->at[FIT_TANGENT_U], c = rows->at[FIT_TANGENT_V], normal = rows->normal;
    Bunch3 none = {{0}, {0}, {0}}, bent = none;
    Bunch3 pull[MOMENT_CURVES] = {none, none, none};
    Bunch area = bunch_at(number), energy = {0};
    for (int r = 0; r < CURVATURES; ++r) {
        Bunch rest = bunch_at(number + PARCEL_GROUP * (1 + r));
        rows->at[r] = bunch_sub(bunch_scale(rest, normal), rows->at[r]);
    }
    if (own->friction) {
        energy = find_friction(own, source, area, rows, pull, &bent);
    }
    energy += find_moments(own->curves, area, rows->at);
    for (int r = 0; r < CURVATURES; ++r) {
        rows->at[r] = own->friction ? bunch_sum(rows->at[r], pull[r]) : rows->at[r];
        bent = bunch_add3(bent, bunch_at(number + PARCEL_GROUP * (1 + r)), rows->at[r]);
    }
    Bunch3 turn = bunch_sub(bent, bunch_scale(bunch_dot(bent, normal), normal));
    turn = bunch_scale(rows->shrink, turn);
    rows->at[FIT_TANGENT_U] = bunch_cross(turn, c);
    rows->at[FIT_TANGENT_V] = bunch_cross(b, turn);
    return energy;
}

GROUP_KERNEL Bunch pull_curved_moment_group(ParcelState *state, const ParcelElements *elements,
                                            int at) {
    return pull_group_by(state, elements, at, CURVED_MOMENT_NUMBERS, find_curved_moments);
}

static double pull_all_moments(ParcelState *state, const ParcelElements *elements, int begin,
                               int end) {
    return bunch_groups(state, elements, begin, end, pull_moment_group);
}

static double pull_all_curved_moments(ParcelState *state, const ParcelElements *elements, int begin,
                                      int end) {
    return bunch_groups(state, elements, begin, end, pull_curved_moment_group);
}
