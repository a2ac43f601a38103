/* Stretch and shear of triangles [Choi 2013, ch. 4].
 * The map from material to space has the axes S_u = sum a_c x_c (warp) and S_v = sum p_c x_c (weft), the rows of this
 * law, and the diagonals (S_u + S_v)/sqrt2, (S_u - S_v)/sqrt2. All have length 1 in unstretched cloth.
 *   linear:        E = A/2 sum_axis k_axis |S_axis - S*_axis|^2,  S* unit vectors   [4.7, 4.8]
 *   conventional:  E = A/2 sum_axis k_axis (|S_axis| - 1)^2                          [4.4, 4.6]
 *                  or with the shear A/2 k (S_u . S_v)^2                             [4.5]
 * Other response curves than the linear one replace the unit length and the squares.
 *
 * A sheet bends within a cell and keeps its lengths. Triangles cannot: where the sheet is curved they are chords, shorter
 * than their arcs by (l/R)^2/24, which the stretch stiffness would forbid. On a mesh of chance there is then no way left to
 * bend, and limp cloth stands like cardboard. So each axis gives way when it is compressed by no more than TRIANGLE_GIVE:
 * its slope there is LIMP B/l^2, of the size of the cell's own buckling load, where that is less than its stiffness.
 * Shorter than that it is as stiff as ever, so that no sheet loses its area. */
#pragma once

#include "laws/law.h"
#include "laws/response.h"

enum { AXIS_WARP, AXIS_WEFT, AXIS_SUM, AXIS_DIFFERENCE, AXIS_COUNT };

typedef enum ShearAxes { SHEAR_AXES_ESTIMATED, SHEAR_AXES_DERIVED } ShearAxes;
typedef enum ShearEnergy { SHEAR_ENERGY_DIAGONAL, SHEAR_ENERGY_PRODUCT } ShearEnergy;

typedef struct TriangleLaw {
    Law law; /* weights: a, b, c of S_u and p, q, r of S_v, 1/m */
    const Triangle **source;
    double *area;      /* m^2, of its size now */
    double *stiffness; /* AXIS_COUNT x count: area times N/m */
    /* 2 x count: likewise of warp and weft, with nothing taken off for the diagonals */
    double *own;
    /* AXIS_COUNT x count: slope of a slightly compressed axis, 1 where it is linear. */
    double *give;
    Vec3 *rest_axes; /* 2 x count: S_u and S_v at rest, the last fallback */
    const Response *response;
    ShearAxes shear_axes;
    ShearEnergy shear_energy; /* of the conventional law only */
} TriangleLaw;

extern const LawKind triangle_kind;

/* `wanted` false: a law without elements. */
StatusCode triangle_law_build(const Mesh *mesh, bool wanted, const Response *response,
                              ShearAxes shear_axes, ShearEnergy shear_energy, Store *store,
                              Law **law, Status *status);

/* Weights of S_u and S_v at the three corners, 1/m: the columns of the inverse of the material edge matrix [Choi 4.1].
 * The triangle must have an area. */
void triangle_axis_weights(const Triangle *triangle, double *warp, double *weft);
/* Gives element t the weights of its triangle as large as the scales say; returns its area then, m^2. */
double triangle_resize(Law *law, int t, const Triangle *source, const Scales *scales);

static inline const TriangleLaw *triangle_law(const Law *law) { return (const TriangleLaw *)law; }

/* Compression up to which axes give way: that of the chords of cells that turn by 0.6 rad from one to the next. */
#define TRIANGLE_GIVE 0.015

/* Of an axis of this length, of the linear response with that slope up to TRIANGLE_GIVE. */
static inline ResponseSegment triangle_limp(double slope, double length) {
    if (length >= 1.0) {
        return (ResponseSegment){.from = 1.0, .slope = 1.0, .origin = 1.0};
    }
    if (length >= 1.0 - TRIANGLE_GIVE) {
        return (ResponseSegment){.from = 1.0 - TRIANGLE_GIVE, .slope = slope, .origin = 1.0};
    }
    double left = (1.0 - slope) * TRIANGLE_GIVE;
    return (ResponseSegment){
        .slope = 1.0, .origin = 1.0 - left, .offset = 0.5 * slope * left * TRIANGLE_GIVE};
}

static inline ResponseSegment triangle_segment(const TriangleLaw *triangles, int t, int axis,
                                               double length) {
    const Response *response = triangles->response;
    return response == &response_linear
               ? triangle_limp(triangles->give[AXIS_COUNT * t + axis], length)
               : *response_at(response, length, 1.0);
}

#define HALF_SQRT2 0.70710678118654752440

/* Weights of all four axes at a corner. */
static inline void triangle_corner_weights(const Law *law, int t, int c,
                                           double weights[AXIS_COUNT]) {
    double warp = law_weights(law, 0, t)[c], weft = law_weights(law, 1, t)[c];
    weights[AXIS_WARP] = warp;
    weights[AXIS_WEFT] = weft;
    weights[AXIS_SUM] = HALF_SQRT2 * (warp + weft);
    weights[AXIS_DIFFERENCE] = HALF_SQRT2 * (warp - weft);
}

/* As LawKind.hessian. */
bool triangle_hessian(const Law *law, int t, const Vec3 *x, double scale, LawHessian *hessian);

/* What the wide kernel reads of each triangle: S_u and S_v of corner 1, of corner 2; stiffness of warp, weft and of
 * both diagonals; how they give. */
#define TRIANGLE_NUMBERS 10
