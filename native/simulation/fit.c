/* How the cloth sits: strain by the pattern, what pulls in it, and pressure on bodies. Computed when asked for. */
#include <math.h>
#include <stdlib.h>

#include "geometry/corner_areas.h"
#include "laws/triangle.h"
#include "simulation/state.h"
#include "simulation/tension.h"

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

/* The area of each vertex, m^2. */
static void add_areas(const Mesh *mesh, const Vec3 *x, double *own) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double share[3];
        corner_areas(mesh->triangles[t].vertices, x, share);
        for (int c = 0; c < 3; ++c) {
            own[mesh->triangles[t].vertices[c]] += share[c];
        }
    }
}

/* The force of a vertex is that of the cloth around it: each face has its share of it, by its area there, and a vertex
 * has the mean of its faces. So the sum of pressure times area is that of the forces, and single vertices that bear for
 * their neighbours hardly stand out. `own`: the area of each vertex, m^2. */
static void add_pressures(const Simulation *simulation, const double *own, VertexFit *fit) {
    const Mesh *mesh = &simulation->mesh;
    const Vec3 *x = simulation->past[0];
    double share[3];
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles[t].vertices;
        double area = corner_areas(v, x, share), force = 0;
        for (int c = 0; c < 3; ++c) {
            double all = surroundings_memory(&simulation->around, v[c]).x;
            force += own[v[c]] > 0 ? share[c] / own[v[c]] * all : 0.0;
        }
        for (int c = 0; c < 3 && area > 0; ++c) {
            fit[v[c]].pressure += own[v[c]] > 0 ? share[c] / own[v[c]] * force / area : 0.0;
        }
    }
}

StatusCode simulation_fit(const Simulation *simulation, FitPart part, VertexFit *fit,
                          Status *status) {
    const Mesh *mesh = &simulation->mesh;
    const Vec3 *x = simulation->past[0];
    int count = mesh->vertex_count;
    double *weight = SCRATCH_ARRAY(double, count), *own = SCRATCH_ARRAY(double, count);
    bool failed = !weight || !own;
    for (int i = 0; i < count && !failed; ++i) {
        fit[i] = (VertexFit){0};
    }
    if (!failed) {
        add_areas(mesh, x, own);
    }
    if (!failed && part == FIT_TENSION) {
        failed = !tensions_add(mesh, &simulation->system.laws, x, own, fit);
    } else if (!failed) {
        add_strains(mesh, simulation->system.size_scale, x, weight, fit);
        add_pressures(simulation, own, fit);
    }
    free(weight);
    free(own);
    return failed ? status_no_memory(status, "a fit report") : STATUS_OK;
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
            sum.warp_tension += weights[k] * at->warp_tension;
            sum.weft_tension += weights[k] * at->weft_tension;
        }
    }
    sum.shear = fmax(sum.shear, 0.0);
    sum.pressure = fmax(sum.pressure, 0.0);
    return sum;
}

void simulation_gaps(Simulation *simulation, int count, const Vec3 *points, BodyGap *gaps) {
    surroundings_gaps(&simulation->around, count, points, gaps);
}
