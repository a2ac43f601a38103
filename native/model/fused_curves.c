/* Second derivatives for the coarse level, in a file of their own: compiled with fused multiply-adds (CMakeLists.txt). */
#include "model/edge.h"
#include "model/triangle.h"

bool edge_fused_curve(const Law *law, int e, const Vec3 *x, double scale, LawCurve *curve) {
    return edge_curve_at(law, e, x, scale, curve);
}

/* With warp w and weft f, the diagonals are (w + f) / sqrt 2 and (w - f) / sqrt 2. */
bool triangle_curve(const Law *law, int t, const Vec3 *x, double scale, LawCurve *curve) {
    const TriangleLaw *triangles = triangle_law(law);
    const int *vertices = law_vertices(law, t);
    Vec3 axes[AXIS_COUNT] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    Block row[AXIS_COUNT] = {{{0}}};
    for (int c = 0; c < 3; ++c) {
        double weights[AXIS_COUNT];
        triangle_corner_weights(law, t, c, weights);
        for (int axis = 0; axis < AXIS_COUNT; ++axis) {
            axes[axis] = vec3_madd(axes[axis], weights[axis], x[vertices[c]]);
        }
    }
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        Block block;
        if (response_block(triangles->response, axes[axis], 1.0, &block)) {
            block_add(&row[axis], scale * triangles->stiffness[AXIS_COUNT * t + axis], &block);
        }
    }
    for (int m = 0; m < 9; ++m) {
        double both = 0.5 * (row[AXIS_SUM].m[m] + row[AXIS_DIFFERENCE].m[m]);
        curve->uu.m[m] = row[AXIS_WARP].m[m] + both;
        curve->vv.m[m] = row[AXIS_WEFT].m[m] + both;
        curve->uv.m[m] = 0.5 * (row[AXIS_SUM].m[m] - row[AXIS_DIFFERENCE].m[m]);
    }
    return true;
}
