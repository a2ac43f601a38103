/* How the cloth sits: strain by the pattern, and pressure on bodies. Computed when asked for. */
#include <math.h>
#include <stdlib.h>

#include "model/triangle.h"
#include "simulation/state.h"

/* Of a triangle with an area in the pattern: how its warp and weft are stretched, and the angle that they have lost or
 * won against the right one. */
static VertexFit strain_of(const Triangle *triangle, const double *sizes, const Vec3 *x) {
    double warp_weights[3], weft_weights[3];
    Vec3 warp = vec3(0, 0, 0), weft = vec3(0, 0, 0);
    triangle_axis_weights(triangle, warp_weights, weft_weights);
    for (int c = 0; c < 3; ++c) {
        warp = vec3_madd(warp, warp_weights[c], x[triangle->vertices[c]]);
        weft = vec3_madd(weft, weft_weights[c], x[triangle->vertices[c]]);
    }
    double across = vec3_length(vec3_cross(warp, weft)), along = vec3_dot(warp, weft);
    double size = scale_mean(sizes, triangle->vertices, 3);
    return (VertexFit){.warp = vec3_length(warp) / size - 1.0,
                       .weft = vec3_length(weft) / size - 1.0,
                       .shear = along != 0 ? atan2(fabs(along), across) : 0.0};
}

/* What each corner has of a triangle's area now, m^2: all that is nearest to it, and of an obtuse one half for the corner
 * there and a quarter for each of the others (Meyer et al. 2003, "mixed Voronoi"). Of a rectangle every corner has a
 * quarter then, however it is cut: thirds of its triangles would make pressures differ that do not. */
static double share_area(const Triangle *triangle, const Vec3 *x, double share[3]) {
    Vec3 side[3]; /* across from each corner */
    for (int c = 0; c < 3; ++c) {
        side[c] = vec3_sub(x[triangle->vertices[(c + 2) % 3]], x[triangle->vertices[(c + 1) % 3]]);
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

/* Means over the faces around each vertex, by their areas in the pattern. */
static void add_strains(const Mesh *mesh, const double *sizes, const Vec3 *x, double *weight,
                        VertexFit *fit) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const Triangle *triangle = &mesh->triangles[t];
        if (!(triangle->area > 0)) {
            continue;
        }
        VertexFit strain = strain_of(triangle, sizes, x);
        for (int c = 0; c < 3; ++c) {
            int i = triangle->vertices[c];
            fit[i].warp += triangle->area * strain.warp;
            fit[i].weft += triangle->area * strain.weft;
            fit[i].shear += triangle->area * strain.shear;
            weight[i] += triangle->area;
        }
    }
    for (int i = 0; i < mesh->vertex_count; ++i) {
        double part = weight[i] > 0 ? 1.0 / weight[i] : 0.0;
        fit[i].warp *= part;
        fit[i].weft *= part;
        fit[i].shear *= part;
    }
}

/* The force of a vertex is that of the cloth around it: each face has its share of it, by its area there, and a vertex
 * has the mean of its faces. So the sum of pressure times area is that of the forces, and single vertices that bear for
 * their neighbours hardly stand out. `own`: the area of each vertex, m^2. */
static void add_pressures(const Simulation *simulation, double *own, VertexFit *fit) {
    const Mesh *mesh = &simulation->mesh;
    const Vec3 *x = simulation->past[0];
    double share[3];
    for (int i = 0; i < mesh->vertex_count; ++i) {
        own[i] = 0;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        share_area(&mesh->triangles[t], x, share);
        for (int c = 0; c < 3; ++c) {
            own[mesh->triangles[t].vertices[c]] += share[c];
        }
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles[t].vertices;
        double area = share_area(&mesh->triangles[t], x, share), force = 0;
        for (int c = 0; c < 3; ++c) {
            double all = surroundings_memory(&simulation->around, v[c]).x;
            force += own[v[c]] > 0 ? share[c] / own[v[c]] * all : 0.0;
        }
        for (int c = 0; c < 3 && area > 0; ++c) {
            fit[v[c]].pressure += own[v[c]] > 0 ? share[c] / own[v[c]] * force / area : 0.0;
        }
    }
}

StatusCode simulation_fit(const Simulation *simulation, VertexFit *fit, Status *status) {
    int count = simulation->mesh.vertex_count;
    double *scratch = SCRATCH_ARRAY(double, count);
    if (!scratch) {
        return status_no_memory(status, "a fit report");
    }
    for (int i = 0; i < count; ++i) {
        fit[i] = (VertexFit){0};
        scratch[i] = 0;
    }
    add_strains(&simulation->mesh, simulation->system.size_scale, simulation->past[0], scratch,
                fit);
    add_pressures(simulation, scratch, fit);
    free(scratch);
    return STATUS_OK;
}

VertexFit vertex_fit_mean(const VertexFit *fit, const int32_t vertices[3],
                          const double weights[3]) {
    VertexFit sum = {0};
    for (int k = 0; k < 3; ++k) {
        if (weights[k] != 0) { /* only then there is such a vertex */
            const VertexFit *at = &fit[vertices[k]];
            sum.warp += weights[k] * at->warp;
            sum.weft += weights[k] * at->weft;
            sum.shear += weights[k] * at->shear;
            sum.pressure += weights[k] * at->pressure;
        }
    }
    sum.shear = fmax(sum.shear, 0.0);
    sum.pressure = fmax(sum.pressure, 0.0);
    return sum;
}

void simulation_gaps(Simulation *simulation, int count, const Vec3 *points, BodyGap *gaps) {
    surroundings_gaps(&simulation->around, count, points, gaps);
}
