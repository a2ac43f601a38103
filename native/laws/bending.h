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
 * spoils nothing but itself.
 *
 * Measured bending [Wang, O'Brien and Ramamoorthi 2011] goes by the strips' moment curves (moment.h):
 * E = A phi(|R - R*| / reach), A the hinge's part of the sheet, reach the root of the mean R^2 at curvature 1.
 * |R| goes with the sine of half the angle of the fold, so the stiffness is piecewise in that, as published. Between
 * warp, bias and weft phi is mixed by the angle between warp and the direction that the hinge bends in. */
#pragma once

#include "laws/law.h"
#include "laws/moment.h"
#include "mesh/mesh.h"

/* A hinge laid flat, the gap between its diagonals as weights of its corners, and how large that is in bent cloth: what
 * hinges of the mesh and those across seams (link.h) have in common. */

/* A hinge laid flat: k at the origin, l at (length, 0), i above and j below. */
typedef struct FlatHinge {
    double length;
    double along_i, height_i, along_j, height_j;
} FlatHinge;

/* Where a corner of a triangle lies in the fabric, m. */
static inline const double *triangle_material(const Triangle *triangle, int vertex) {
    int c = 0;
    while (c < 2 && triangle->vertices[c] != vertex) {
        ++c;
    }
    return triangle->material[c];
}

/* Of a piece of the side v-w, from one part of it to another: its length, and where the opposite corner lies over it, m. */
static inline double flat_hinge_side(const Triangle *triangle, int v, int w, int opposite,
                                     double from, double to, double *along, double *height) {
    const double *a = triangle_material(triangle, v), *b = triangle_material(triangle, w);
    const double *p = triangle_material(triangle, opposite);
    double eu = b[0] - a[0], ev = b[1] - a[1], length = plane_length(eu, ev);
    double du = p[0] - a[0] - from * eu, dv = p[1] - a[1] - from * ev;
    double sign = to > from ? 1.0 : -1.0;
    *along = length > VEC3_TINY ? sign * (du * eu + dv * ev) / length : 0.0;
    *height = length > VEC3_TINY ? fabs(eu * dv - ev * du) / length : 0.0;
    return fabs(to - from) * length;
}

/* alpha: where the diagonal i-j crosses the line k-l. Both pairs of weights are signed, so that R
 * vanishes for every flat hinge, convex or not. */
static inline void flat_hinge_weights(const FlatHinge *flat, double *alpha) {
    double heights = flat->height_i + flat->height_j;
    alpha[0] = flat->height_j / heights;
    alpha[1] = flat->height_i / heights;
    double crossing = (alpha[0] * flat->along_i + alpha[1] * flat->along_j) / flat->length;
    alpha[2] = crossing - 1.0;
    alpha[3] = -crossing;
}

/* Mean over bending directions d of R^2 for curvature 1. A sheet rolled along d rises by (d.p)^2/2,
 * so R = d'Qd/2 with Q = sum alpha p p', and the mean of (d'Qd)^2 over the circle is
 * (tr(Q)^2 + 2 tr(Q^2)) / 8. */
static inline double flat_hinge_mean_square(const FlatHinge *flat, const double *alpha) {
    const double p[4][2] = {{flat->along_i, flat->height_i},
                            {flat->along_j, -flat->height_j},
                            {0, 0},
                            {flat->length, 0}};
    double xx = 0, xy = 0, yy = 0;
    for (int a = 0; a < 4; ++a) {
        xx += alpha[a] * p[a][0] * p[a][0];
        xy += alpha[a] * p[a][0] * p[a][1];
        yy += alpha[a] * p[a][1] * p[a][1];
    }
    double trace = xx + yy;
    return (trace * trace + 2.0 * (xx * xx + 2.0 * xy * xy + yy * yy)) / 32.0;
}

/* Where the curvature of the cloth resists (curvature.h), hinges stand in for it in the constant matrix: so much must a
 * hinge have there for the element of a vertex, for stiffnesses of 1 N m along warp, along weft and in twist. */
typedef struct StandIn {
    int hinge, vertex;
    double share[3]; /* 1/m^2 */
} StandIn;

typedef struct BendingLaw {
    Law law;          /* vertices i, j, k, l; weights alpha; bounds lambda, N/m */
    double *shape;    /* lambda per mu, 1/m^2 */
    double *rest_gap; /* signed length of R at rest along the bisector, m */
    bool curved;      /* any rest gap is not zero */
    double *part; /* how much of it resists, the rest stands in for curvature; null: all of all */
    /* By moment curves, else null. */
    MomentCurve *strips; /* MOMENT_STRIPS of them, of all hinges */
    double *reach;       /* m^2 */
    double *bias;        /* which strips: 0 warp, 1 bias, 2 weft, and all between */
    double *area;        /* m^2, as it resists itself and by the scale of bending */
    StandIn *stand_ins;
    int stand_in_count;
} BendingLaw;

extern const LawKind bending_kind;

/* How much stiffer than its material the curvature at a vertex is. */
static inline double curvature_scale(const Scales *scales, int middle) {
    return (scales->bend ? scales->bend[middle] : 1.0) *
           (scales->clamp ? scales->clamp[middle] : 1.0);
}

/* Half of what a hinge across the mirror plane resists is the other half's. It only resists in the plane's directions:
 * what it adds to the matrix along x, too, is too much there (laws_across() in laws.h).
 *
 * wanted: else there are none. keep_folds: the rest shape is that of the mesh, else flat. moments: by moment curves. */
StatusCode bending_law_build(const Mesh *mesh, bool wanted, bool keep_folds, bool moments,
                             Store *store, Law **law, Status *status);

static inline const BendingLaw *bending_law(const Law *law) { return (const BendingLaw *)law; }

/* What the wide kernel reads of each hinge: alpha of i, minus that of l, stiffness, rest gap. */
#define HINGE_NUMBERS 4
