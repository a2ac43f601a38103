/* How the cloth sits: strain by the pattern, and pressure on bodies. Computed when asked for. */
#include <math.h>
#include <stdlib.h>

#include "model/triangle.h"
#include "simulation/state.h"

/* Of a triangle with an area in the pattern: how its warp and weft are stretched, and the angle that they have lost or
 * won against the right one. */
static VertexFit strain_of(const Triangle *triangle, const Vec3 *x) {
    double warp_weights[3], weft_weights[3];
    Vec3 warp = vec3(0, 0, 0), weft = vec3(0, 0, 0);
    triangle_axis_weights(triangle, warp_weights, weft_weights);
    for (int c = 0; c < 3; ++c) {
        warp = vec3_madd(warp, warp_weights[c], x[triangle->vertices[c]]);
        weft = vec3_madd(weft, weft_weights[c], x[triangle->vertices[c]]);
    }
    double across = vec3_length(vec3_cross(warp, weft)), along = vec3_dot(warp, weft);
    return (VertexFit){.warp = vec3_length(warp) - 1.0,
                       .weft = vec3_length(weft) - 1.0,
                       .shear = along != 0 ? atan2(fabs(along), across) : 0.0};
}

static double area_now(const Triangle *triangle, const Vec3 *x) {
    const int *v = triangle->vertices;
    return 0.5 * vec3_length(vec3_cross(vec3_sub(x[v[1]], x[v[0]]), vec3_sub(x[v[2]], x[v[0]])));
}

/* Means over the faces around each vertex, by their areas in the pattern. */
static void add_strains(const Mesh *mesh, const Vec3 *x, double *weight, VertexFit *fit) {
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const Triangle *triangle = &mesh->triangles[t];
        if (!(triangle->area > 0)) {
            continue;
        }
        VertexFit strain = strain_of(triangle, x);
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

/* The force of a vertex is that of the faces around it: each gets an even share, and a vertex has the mean of its
 * faces. So the sum of pressure times area is that of the forces, and single vertices that bear for their neighbours
 * do not stand out. `around`: the area of the faces around each vertex, m^2. */
static void add_pressures(const Simulation *simulation, double *around, VertexFit *fit) {
    const Mesh *mesh = &simulation->mesh;
    const Vec3 *x = simulation->past[0];
    for (int i = 0; i < mesh->vertex_count; ++i) {
        around[i] = 0;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        double area = area_now(&mesh->triangles[t], x);
        for (int c = 0; c < 3; ++c) {
            around[mesh->triangles[t].vertices[c]] += area;
        }
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles[t].vertices;
        double area = area_now(&mesh->triangles[t], x), pressure = 0;
        for (int c = 0; c < 3; ++c) {
            double force = surroundings_memory(&simulation->around, v[c]).x;
            pressure += around[v[c]] > 0 ? force / around[v[c]] : 0.0;
        }
        for (int c = 0; c < 3; ++c) {
            fit[v[c]].pressure += around[v[c]] > 0 ? area / around[v[c]] * pressure : 0.0;
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
    add_strains(&simulation->mesh, simulation->past[0], scratch, fit);
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
