/* Material coordinates: where each corner of a triangle lies in the flat cloth, in metres.
 * Either the UV map is the sewing pattern itself, or each triangle of the rest mesh is laid flat on
 * its own (isometric, so that the rest shape is unstretched) with the warp along the UV map's u
 * where there is one, else along an axis: upright where the triangle stands, along y where it lies. */
#include "mesh/mesh.h"

/* Triangles thinner than this (height over longest side) have no area worth inverting. */
#define THINNEST 1e-6
/* Lying rather than standing: the normal within 25 degrees of the vertical. */
#define LYING 0.9

/* Direction in the triangle's plane in which u grows and v does not, or zero. */
static Vec3 direction_of_u(const Vec3 *x, const float *const uv[3]) {
    double du1 = uv[1][0] - uv[0][0], dv1 = uv[1][1] - uv[0][1];
    double du2 = uv[2][0] - uv[0][0], dv2 = uv[2][1] - uv[0][1];
    double determinant = du1 * dv2 - du2 * dv1;
    double size = (fabs(du1) + fabs(dv1)) * (fabs(du2) + fabs(dv2));
    if (!(fabs(determinant) > THINNEST * size) || !isfinite(determinant)) {
        return vec3(0, 0, 0);
    }
    Vec3 along =
        vec3_sub(vec3_scale(dv2, vec3_sub(x[1], x[0])), vec3_scale(dv1, vec3_sub(x[2], x[0])));
    return vec3_scale(determinant > 0 ? 1.0 : -1.0, along);
}

/* Unit warp direction in the triangle with unit normal n. */
static Vec3 warp_direction(const Vec3 *x, const float *const uv[3], Vec3 n) {
    Vec3 warp = uv[0] ? direction_of_u(x, uv) : vec3(0, 0, 0);
    if (!(vec3_dot(warp, warp) > 0)) {
        Vec3 axis = fabs(n.z) > LYING ? vec3(0, 1, 0) : vec3(0, 0, 1);
        warp = vec3_madd(axis, -vec3_dot(axis, n), n);
    }
    double length = vec3_length(warp);
    return length > 0 ? vec3_scale(1.0 / length, warp) : vec3(1, 0, 0);
}

static void lay_rest_triangle(const Vec3 *x, const float *const uv[3], Triangle *triangle) {
    Vec3 n = vec3_normal_or(vec3_sub(x[1], x[0]), vec3_sub(x[2], x[0]), vec3(0, 0, 1));
    Vec3 warp = warp_direction(x, uv, n);
    Vec3 weft = vec3_cross(n, warp);
    for (int c = 0; c < 3; ++c) {
        Vec3 d = vec3_sub(x[c], x[0]);
        triangle->material[c][0] = vec3_dot(d, warp);
        triangle->material[c][1] = vec3_dot(d, weft);
    }
}

static void lay_pattern_triangle(const float *const uv[3], double scale, Triangle *triangle) {
    for (int c = 0; c < 3; ++c) {
        triangle->material[c][0] = scale * uv[c][0];
        triangle->material[c][1] = scale * uv[c][1];
    }
}

static void measure(Triangle *triangle) {
    double longest = 0;
    for (int c = 0; c < 3; ++c) {
        const double *p = triangle->material[c], *q = triangle->material[(c + 1) % 3];
        longest = fmax(longest, plane_length(q[0] - p[0], q[1] - p[1]));
    }
    const double(*m)[2] = triangle->material;
    double twice =
        (m[1][0] - m[0][0]) * (m[2][1] - m[0][1]) - (m[2][0] - m[0][0]) * (m[1][1] - m[0][1]);
    triangle->area = fabs(twice) > THINNEST * longest * longest ? 0.5 * fabs(twice) : 0.0;
}

void pattern_lay(const PolygonMesh *polygons, const MeshOptions *options, Mesh *mesh,
                 const int (*corners)[3]) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        Triangle *triangle = &mesh->triangles[t];
        const float *uv[3] = {NULL, NULL, NULL};
        Vec3 x[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = mesh->rest[triangle->vertices[c]];
            if (polygons->corner_uvs) {
                uv[c] = polygons->corner_uvs + 2 * (int64_t)corners[t][c];
            }
        }
        if (options->pattern == PATTERN_UV) {
            lay_pattern_triangle(uv, options->uv_scale, triangle);
        } else {
            lay_rest_triangle(x, uv, triangle);
        }
        measure(triangle);
    }
}
