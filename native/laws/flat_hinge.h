/* A hinge laid flat, the gap between its diagonals as weights of its corners, and how large that is in bent cloth: what
 * hinges of the mesh (bending.h) and those across seams (seam.h) have in common. */
#ifndef LAWS_FLAT_HINGE_H
#define LAWS_FLAT_HINGE_H

#include "mesh/mesh.h"

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

#endif
