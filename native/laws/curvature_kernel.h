/* The wide kernel of curved rest shapes: rows are summed up over the corners, tensions follow from them, and these pull at
 * the corners. Between the two is a long way through a root: all bunches of a group do each before the next. Part of the
 * template system/parcel_forces.c. */
#pragma once

#include "laws/curvature.h"
#include "laws/kernel_lanes.h"

/* b x c, squared, below which an element is evaluated by itself: tangents are of length 1 at rest. */
#define NEARLY_NO_NORMAL 1e-8

/* Those with the most corners come first. */
INLINE int most_corners(const ParcelElements *elements, int at) {
    return elements->law->corners[elements->source[at]];
}

/* The rows of a bunch of elements, s_r, b and c, and then the tensions in their place. */
typedef struct CurvedRows {
    Bunch3 at[FIT_ROWS];
    Bunch3 normal;
    Bunch shrink; /* 1 / |b x c| */
} CurvedRows;

/* So many rows, of elements with so many corners at most. The numbers of elements that follow, `ahead` of these, are
 * asked for: there are too many for the machine to see them coming. */
INLINE void sum_rows(const double *place, const uint16_t *corner, const double *weights, int count,
                     int corners, int ahead, Bunch3 *rows) {
    Bunch3 sum[FIT_ROWS] = {0};
    for (int left = corners; left > 0; --left) {
        __builtin_prefetch(weights + ahead);
        __builtin_prefetch(weights + ahead + 8);
        Bunch3 x = bunch_corner(place, corner);
        for (int r = 0; r < count; ++r) {
            sum[r] = bunch_add3(sum[r], bunch_at(weights + PARCEL_GROUP * r), x);
        }
        corner += PARCEL_GROUP;
        weights += count * PARCEL_GROUP;
    }
    for (int r = 0; r < count; ++r) {
        rows[r] = sum[r];
    }
}

/* Those of which one has hardly a normal are evaluated one by one, and have no rows here. */
INLINE void find_normals(ParcelState *state, const ParcelElements *elements, int at,
                         CurvedRows *rows) {
    Bunch3 normal = bunch_cross(rows->at[FIT_TANGENT_U], rows->at[FIT_TANGENT_V]);
    Bunch square = bunch_dot(normal, normal);
    if (__builtin_expect(!bunch_above(square, NEARLY_NO_NORMAL), 0)) {
        pull_one_by_one(state, elements, at, at + BUNCH);
        memset(rows, 0, sizeof *rows);
        return;
    }
    rows->shrink = bunch_inverse_root(square);
    rows->normal = bunch_scale(rows->shrink, normal);
}

/* Tensions for rows; twice the energy of each. With p_r = k_r n - s_r they are p_r, and along b and c what n's own change
 * asks for. */
GROUP_KERNEL Bunch find_tensions(const CurvatureLaw *own, const int *source, const double *number,
                                 CurvedRows *rows) {
    (void)own;
    (void)source;
    Bunch3 b = rows->at[FIT_TANGENT_U], c = rows->at[FIT_TANGENT_V], normal = rows->normal;
    Bunch3 bent = {{0}, {0}, {0}};
    Bunch energy = {0};
    for (int r = 0; r < CURVATURES; ++r) {
        Bunch rest = bunch_at(number + PARCEL_GROUP * r);
        Bunch3 row = rows->at[r], tension = bunch_sub(bunch_scale(rest, normal), row);
        bent = bunch_add3(bent, rest, row);
        energy += bunch_dot(tension, tension);
        rows->at[r] = tension;
    }
    Bunch3 turn = bunch_sub(bunch_scale(bunch_dot(bent, normal), normal), bent);
    turn = bunch_scale(rows->shrink, turn);
    rows->at[FIT_TANGENT_U] = bunch_cross(turn, c);
    rows->at[FIT_TANGENT_V] = bunch_cross(b, turn);
    return energy;
}

INLINE void pull_rows(double *pull, const uint16_t *corner, const double *weights, int count,
                      int corners, const Bunch3 *rows) {
    Bunch3 tension[FIT_ROWS];
    for (int r = 0; r < count; ++r) {
        tension[r] = rows[r];
    }
    for (int left = corners; left > 0; --left) {
        Bunch3 force = bunch_scale(bunch_at(weights), tension[0]);
        for (int r = 1; r < count; ++r) {
            force = bunch_add3(force, bunch_at(weights + PARCEL_GROUP * r), tension[r]);
        }
        bunch_pull(pull, corner, force);
        corner += PARCEL_GROUP;
        weights += count * PARCEL_GROUP;
    }
}

/* Twice the energy of each; `numbers` come before the weights of the corners. */
INLINE Bunch pull_group_by(ParcelState *state, const ParcelElements *elements, int at,
                           const int numbers,
                           Bunch (*const find)(const CurvatureLaw *, const int *, const double *,
                                               CurvedRows *)) {
    CurvedRows rows[PARCEL_GROUP / BUNCH];
    const CurvatureLaw *own = curvature_law(elements->law);
    const int *source = elements->source + at;
    const uint16_t *corner = elements->corner + elements->width * at;
    const double *number = elements->number + elements->numbers * at;
    const double *weights = number + numbers * PARCEL_GROUP;
    int corners = most_corners(elements, at), ahead = elements->numbers * PARCEL_GROUP;
    Bunch energy = {0};
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        sum_rows(state->place, corner + i, weights + i, FIT_ROWS, corners, ahead,
                 rows[i / BUNCH].at);
    }
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        find_normals(state, elements, at + i, &rows[i / BUNCH]);
    }
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        energy += find(own, source + i, number + i, &rows[i / BUNCH]);
    }
    for (int i = 0; i < PARCEL_GROUP; i += BUNCH) {
        pull_rows(state->pull, corner + i, weights + i, FIT_ROWS, corners, rows[i / BUNCH].at);
    }
    return energy;
}

GROUP_KERNEL Bunch pull_curved_group(ParcelState *state, const ParcelElements *elements, int at) {
    return pull_group_by(state, elements, at, CURVED_NUMBERS, find_tensions);
}

/* Elements across the mirror plane: both of a pair at once where one follows the other. */
static double pull_all_pairs(ParcelState *state, const ParcelElements *elements, int begin,
                             int end) {
    const Law *law = elements->law;
    for (int at = begin; at < end; ++at) {
        int e = elements->source[at];
        Vec3 force[LAW_WIDTH];
        double energy;
        if (e < 0 || at + 1 >= end || elements->source[at + 1] != e + 1 ||
            !curvature_pull_pair(law, e, &state->guess, force, &energy)) {
            pull_one_by_one(state, elements, at, at + 1);
            continue;
        }
        const uint16_t *corner = parcel_corner(elements, at++);
        state->scalar_energy += energy;
        for (int c = 0; c < law->corners[e]; ++c) {
            pull_vertex(state, corner[c * PARCEL_GROUP], 1.0, force[c]);
        }
    }
    return 0.0;
}

static double pull_all_curved(ParcelState *state, const ParcelElements *elements, int begin,
                              int end) {
    return bunch_groups(state, elements, begin, end, pull_curved_group);
}
