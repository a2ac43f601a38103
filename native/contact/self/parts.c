/* Ropes are elements of two vertices, for which an edge stands in. */
#include "contact/self/parts.h"

TrianglePoint element_closest(const Element *element, const Vec3 *at, Vec3 p) {
    const int *v = element->vertices;
    if (v[2] >= 0) {
        Vec3 corners[3] = {at[v[0]], at[v[1]], at[v[2]]};
        return closest_on_triangle(p, corners);
    }
    Vec3 along = vec3_sub(at[v[1]], at[v[0]]);
    double t = closest_parameter(vec3_sub(p, at[v[0]]), along);
    Vec3 point = t < 1 ? vec3_madd(at[v[0]], t, along) : at[v[1]];
    return (TrianglePoint){.point = point,
                           .weights = {1 - t, t, 0},
                           .distance = vec3_distance(p, point),
                           .feature = t <= 0   ? FEATURE_VERTEX_0
                                      : t >= 1 ? FEATURE_VERTEX_1
                                               : FEATURE_EDGE_0};
}

SegmentPair edges_closest(const int first[2], const int second[2], const Vec3 *at) {
    Vec3 a[2] = {at[first[0]], at[first[1]]}, b[2] = {at[second[0]], at[second[1]]};
    return closest_of_segments(a, b);
}

/* Both motions are even along the parts, so the most is between two of their corners. */
static double motion_between(int count, const int *first, int other_count, const int *second,
                             const Vec3 *x, const Vec3 *z) {
    double most = 0;
    for (int i = 0; i < count; ++i) {
        Vec3 moved = vec3_sub(z[first[i]], x[first[i]]);
        for (int j = 0; j < other_count; ++j) {
            Vec3 past = vec3_sub(moved, vec3_sub(z[second[j]], x[second[j]]));
            double squared = vec3_dot(past, past);
            most = squared > most ? squared : most;
        }
    }
    return sqrt(most);
}

double vertex_motion(const Element *element, int v, const Vec3 *x, const Vec3 *z) {
    return motion_between(1, &v, element_size(element), element->vertices, x, z);
}

double edges_motion(const int first[2], const int second[2], const Vec3 *x, const Vec3 *z) {
    return motion_between(2, first, 2, second, x, z);
}

Vec3 element_normal(const Element *element, const Vec3 *at) {
    const int *v = element->vertices;
    return vec3_cross(vec3_sub(at[v[1]], at[v[0]]), vec3_sub(at[v[2]], at[v[0]]));
}

bool edge_pierces(const int edge[2], const Element *triangle, const Vec3 *x, double *parameter,
                  double weights[3]) {
    const int *v = triangle->vertices;
    Vec3 a = x[edge[0]], b = x[edge[1]], corner = x[v[0]], normal = element_normal(triangle, x);
    double from = vec3_dot(normal, vec3_sub(a, corner)), to = vec3_dot(normal, vec3_sub(b, corner));
    if (!((from < 0 && to > 0) || (from > 0 && to < 0))) {
        return false;
    }
    *parameter = from / (from - to);
    Vec3 p = vec3_sub(vec3_madd(a, *parameter, vec3_sub(b, a)), corner);
    Vec3 u = vec3_sub(x[v[1]], corner), w = vec3_sub(x[v[2]], corner);
    double area = vec3_dot(normal, normal);
    weights[1] = vec3_dot(vec3_cross(p, w), normal) / area;
    weights[2] = vec3_dot(vec3_cross(u, p), normal) / area;
    weights[0] = 1 - weights[1] - weights[2];
    return weights[0] >= 0 && weights[1] >= 0 && weights[2] >= 0;
}
