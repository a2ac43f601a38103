/* Second derivatives for the coarse level, in a file of their own: compiled with fused multiply-adds (CMakeLists.txt).
 * */
#include <string.h>

#include "laws/edge.h"
#include "laws/triangle.h"

bool edge_fused_hessian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian) {
    return edge_hessian(law, e, x, scale, hessian);
}

/* The upper halves of symmetric blocks: where each number goes, and to which one below the diagonal. */
#define UPPER 6
static const int upper_row[UPPER] = {0, 0, 0, 1, 1, 2};
static const int upper_column[UPPER] = {0, 1, 2, 1, 2, 2};

/* Stiffness times the second derivative of one axis, its upper half. */
static void axis_curve(const TriangleLaw *triangles, int t, int which, Vec3 axis, double stiffness,
                       double row[UPPER]) {
    double length = vec3_length(axis), slope, sideways;
    ResponseSegment segment = triangle_segment(triangles, t, which, length);
    if (!segment_curve(&segment, length, 1.0, &slope, &sideways)) {
        memset(row, 0, UPPER * sizeof *row);
        return;
    }
    Vec3 n = vec3_scale(1.0 / length, axis);
    const double q[3] = {n.x, n.y, n.z};
    double part = slope - sideways;
    const double p[3] = {part * n.x, part * n.y, part * n.z};
    for (int m = 0; m < UPPER; ++m) {
        int i = upper_row[m], j = upper_column[m];
        row[m] = stiffness * ((i == j ? sideways : 0.0) + p[i] * q[j]);
    }
}

/* With warp w and weft f, the diagonals are (w + f) / sqrt 2 and (w - f) / sqrt 2. */
bool triangle_hessian(const Law *law, int t, const Vec3 *x, double scale, LawHessian *hessian) {
    const TriangleLaw *triangles = triangle_law(law);
    const int *vertices = law_vertices(law, t);
    Vec3 axes[AXIS_COUNT] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    double row[AXIS_COUNT][UPPER];
    for (int c = 0; c < 3; ++c) {
        double weights[AXIS_COUNT];
        triangle_corner_weights(law, t, c, weights);
        for (int axis = 0; axis < AXIS_COUNT; ++axis) {
            axes[axis] = vec3_madd(axes[axis], weights[axis], x[vertices[c]]);
        }
    }
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        axis_curve(triangles, t, axis, axes[axis],
                   scale * triangles->stiffness[AXIS_COUNT * t + axis], row[axis]);
    }
    for (int m = 0; m < UPPER; ++m) {
        int upper = 3 * upper_row[m] + upper_column[m], lower = 3 * upper_column[m] + upper_row[m];
        double both = 0.5 * (row[AXIS_SUM][m] + row[AXIS_DIFFERENCE][m]);
        hessian->uu.m[upper] = hessian->uu.m[lower] = row[AXIS_WARP][m] + both;
        hessian->vv.m[upper] = hessian->vv.m[lower] = row[AXIS_WEFT][m] + both;
        hessian->uv.m[upper] = hessian->uv.m[lower] =
            0.5 * (row[AXIS_SUM][m] - row[AXIS_DIFFERENCE][m]);
    }
    return true;
}
