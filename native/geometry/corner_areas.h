/* What each corner of a triangle has of its area. */
#ifndef GEOMETRY_CORNER_AREAS_H
#define GEOMETRY_CORNER_AREAS_H

#include "base/vec3.h"

/* Their shares at x, m^2, and all of it: all that is nearest to it, and of an obtuse one half for the corner
 * there and a quarter for each of the others (Meyer et al. 2003, "mixed Voronoi"). Of a rectangle every corner has a
 * quarter then, however it is cut: thirds of its triangles would make pressures differ that do not. */
static inline double corner_areas(const int v[3], const Vec3 *x, double share[3]) {
    Vec3 side[3]; /* across from each corner */
    for (int c = 0; c < 3; ++c) {
        side[c] = vec3_sub(x[v[(c + 2) % 3]], x[v[(c + 1) % 3]]);
    }
    double area = 0.5 * vec3_length(vec3_cross(side[0], side[1]));
    double turn[3]; /* twice the area times the cotangent of each corner's angle */
    int obtuse = -1;
    for (int c = 0; c < 3; ++c) {
        turn[c] = -vec3_dot(side[(c + 1) % 3], side[(c + 2) % 3]);
        obtuse = turn[c] < 0 ? c : obtuse;
    }
    for (int c = 0; c < 3; ++c) {
        int next = (c + 1) % 3, last = (c + 2) % 3;
        double nearest = vec3_dot(side[next], side[next]) * turn[next] +
                         vec3_dot(side[last], side[last]) * turn[last];
        share[c] = obtuse >= 0 ? (obtuse == c ? 0.5 : 0.25) * area
                   : area > 0  ? nearest / (16.0 * area)
                               : 0.0;
    }
    return area;
}

#endif
