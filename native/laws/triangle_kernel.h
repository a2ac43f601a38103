/* The wide kernel of the triangle law, for the linear and the tension-only response. Part of the template
 * system/parcel_forces.c. */
#pragma once

#include "laws/kernel_lanes.h"
#include "laws/triangle.h"

/* Axes whose inverse lengths add up to more than this are evaluated by themselves: some may be too short for the difference of
 * squares below. */
#define SHORT 8.0

/* Of an axis with this squared and inverse length: twice its energy, and its p. With q = 1/|S| - 1 and what it is
 * shorter than 1 - TRIANGLE_GIVE, r, over its length, p is k (g q + (1 - g) r) where the axis is compressed. */
INLINE Lanes give_way(Lanes give, Lanes k, Lanes square, Lanes inverse, Lanes *p) {
    Lanes q = inverse - 1.0, r = q - TRIANGLE_GIVE * inverse;
    Marks pressed = q > 0.0;
    Lanes slope = (Lanes)(((Marks)give & pressed) | ((Marks)(0.0 * q + 1.0) & ~pressed));
    r = (Lanes)((Marks)r & (r > 0.0));
    Lanes soft = k * slope * q, hard = k * (1.0 - give) * r;
    *p = soft + hard;
    return soft * q * square + hard * r * square;
}

/* Twice the energy of each; with u, w the fabric's axes at z, the tensions are
 *   (p_u + h) u + g w  and  g u + (p_w + h) w,  h, g = (p_+ +- p_-) / 2,  p = k (1/|S| - 1)
 * for the four axes, of which the diagonals' lengths follow from |u|, |w| and u.w. */
INLINE Lanes pull_triangles(ParcelState *state, const ParcelElements *elements, int at,
                            const bool tension_only) {
    const uint16_t *corner = elements->corner + 3 * at;
    const double *number = elements->number + TRIANGLE_NUMBERS * at;
    Lanes3 origin = corner_at(state->place, corner);
    Lanes3 e1 = sub3(corner_at(state->place, corner + PARCEL_GROUP), origin);
    Lanes3 e2 = sub3(corner_at(state->place, corner + 2 * PARCEL_GROUP), origin);
    Lanes a1 = lanes_at(number), p1 = lanes_at(number + PARCEL_GROUP);
    Lanes a2 = lanes_at(number + 2 * PARCEL_GROUP), p2 = lanes_at(number + 3 * PARCEL_GROUP);
    Lanes3 u = mix3(a1, e1, a2, e2), w = mix3(p1, e1, p2, e2);
    Lanes uu = dot3(u, u), ww = dot3(w, w), uw = dot3(u, w), half = 0.5 * (uu + ww);
    Lanes ss = half + uw, dd = half - uw;
    Lanes qu = inverse_root(uu), qw = inverse_root(ww), qs = inverse_root(ss),
          qd = inverse_root(dd);
    if (__builtin_expect(!all((qu + qw) + (qs + qd) < SHORT), 0)) {
        pull_one_by_one(state, elements, at, at + LANES);
        return (Lanes){0};
    }
    Lanes ku = lanes_at(number + 4 * PARCEL_GROUP), kw = lanes_at(number + 5 * PARCEL_GROUP);
    Lanes shear = lanes_at(number + 6 * PARCEL_GROUP), pu, pw, ps, pd, energy;
    if (tension_only) { /* what is shorter than at rest is slack */
        qu -= 1.0, qw -= 1.0, qs -= 1.0, qd -= 1.0;
        qu = (Lanes)((Marks)qu & (qu < 0.0)), qw = (Lanes)((Marks)qw & (qw < 0.0));
        qs = (Lanes)((Marks)qs & (qs < 0.0)), qd = (Lanes)((Marks)qd & (qd < 0.0));
        pu = ku * qu, pw = kw * qw, ps = shear * qs, pd = shear * qd;
        energy = (pu * qu * uu + pw * qw * ww) + (ps * qs * ss + pd * qd * dd);
    } else {
        Lanes give = lanes_at(number + 9 * PARCEL_GROUP);
        energy = give_way(lanes_at(number + 7 * PARCEL_GROUP), ku, uu, qu, &pu);
        energy += give_way(lanes_at(number + 8 * PARCEL_GROUP), kw, ww, qw, &pw);
        energy += give_way(give, shear, ss, qs, &ps) + give_way(give, shear, dd, qd, &pd);
    }
    Lanes h = 0.5 * (ps + pd), g = 0.5 * (ps - pd);
    pu += h, pw += h;
    Lanes3 f1 = mix3(a1 * pu + p1 * g, u, a1 * g + p1 * pw, w);
    Lanes3 f2 = mix3(a2 * pu + p2 * g, u, a2 * g + p2 * pw, w);
    push_corner(state->pull, corner, add3(f1, f2));
    pull_corner(state->pull, corner + PARCEL_GROUP, f1);
    pull_corner(state->pull, corner + 2 * PARCEL_GROUP, f2);
    return energy;
}

GROUP_KERNEL Lanes pull_linear_triangles(ParcelState *state, const ParcelElements *elements,
                                         int at) {
    return pull_triangles(state, elements, at, false);
}

GROUP_KERNEL Lanes pull_slack_triangles(ParcelState *state, const ParcelElements *elements,
                                        int at) {
    return pull_triangles(state, elements, at, true);
}

static double pull_all_triangles(ParcelState *state, const ParcelElements *elements, int begin,
                                 int end) {
    bool tension_only = triangle_law(elements->law)->response == &response_tension_only;
    return tension_only ? lanes_groups(state, elements, begin, end, pull_slack_triangles)
                        : lanes_groups(state, elements, begin, end, pull_linear_triangles);
}
