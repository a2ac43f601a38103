/* Stress of elements, brought to triangles and from these to vertices.
 *
 * An element with the energy E of its rows s_r = sum_c w_rc x_c pulls with p_r = dE/ds_r. By the virial theorem its part of
 * stress times area is sum_r p_r (x) s_r, N m. Of a triangle with the axes S_u and S_v and their duals g^u and g^v,
 * S_u.g^u = 1 and S_v.g^u = 0, the warp's tension is T_u = S_u.(stress g^u): the force along the warp for each metre
 * across it, docs/how_it_works/fit.md. Where the rows are S_u and S_v themselves that is p_u.S_u / area. */
#include <math.h>
#include <stdlib.h>

#include "laws/triangle.h"
#include "simulation/simulation_internal.h"

/* The area of a triangle at x, m^2, and the share of each corner: its Voronoi area, and of an obtuse triangle half for
 * the obtuse corner and a quarter for each of the others ("mixed Voronoi", Meyer et al. 2003). Every corner of a rectangle
 * has a quarter then, however it is cut; with thirds of its triangles equal pressures would differ. */
static double corner_areas(const int v[3], const Vec3 *x, double share[3]) {
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

/* What springs and cells give to each triangle: stress times area. */
typedef struct TriangleStress {
    const Mesh *mesh;
    const AirModel *around; /* has the triangles of each vertex */
    int *beside;            /* scratch: those that an element lies in or beside */
    Block *stress;
} TriangleStress;

/* How many corners a triangle has of these vertices. */
static int common_corners(const TriangleStress *stresses, int t, const int *v, int count) {
    int found = 0;
    for (int c = 0; c < 3; ++c) {
        for (int k = 0; k < count; ++k) {
            found += stresses->mesh->triangles[t].vertices[c] == v[k];
        }
    }
    return found;
}

/* Triangles with all three corners in a cell, or with both ends of a spring; counts them. */
static int find_beside(TriangleStress *stresses, const int *v, int corners) {
    const int most = corners > 2 ? 3 : 2;
    int found = 0;
    for (int k = 0; k + most <= corners; ++k) { /* they have one of the first corners */
        for (int n = stresses->around->start[v[k]]; n < stresses->around->start[v[k] + 1]; ++n) {
            int t = stresses->around->triangle[n];
            bool met = common_corners(stresses, t, v, k) > 0; /* from a corner before */
            if (!met && common_corners(stresses, t, v, corners) == most) {
                stresses->beside[found++] = t;
            }
        }
    }
    return found;
}

/* The second diagonal of a quad lies across both of its triangles. These are of one face: at a pole, where three quads
 * meet, two of its neighbours' triangles may share a side across it as well. Where two quads do, both may have it. */
static int find_across(TriangleStress *stresses, const int v[2]) {
    const Triangle *triangles = stresses->mesh->triangles;
    int found = 0;
    for (int n = stresses->around->start[v[0]]; n < stresses->around->start[v[0] + 1]; ++n) {
        for (int m = stresses->around->start[v[1]]; m < stresses->around->start[v[1] + 1]; ++m) {
            int t = stresses->around->triangle[n], other = stresses->around->triangle[m];
            if (triangles[t].face == triangles[other].face &&
                common_corners(stresses, t, triangles[other].vertices, 3) == 2) {
                stresses->beside[found++] = t;
                stresses->beside[found++] = other;
            }
        }
    }
    return found;
}

/* Evenly to the triangles that it lies in or beside. */
static void spread(TriangleStress *stresses, const int *v, int corners, const Block *stress) {
    int count = find_beside(stresses, v, corners);
    if (count == 0 && corners == 2) {
        count = find_across(stresses, v);
    }
    for (int k = 0; k < count; ++k) {
        block_add(&stresses->stress[stresses->beside[k]], 1.0 / count, stress);
    }
}

/* --- elements ---------------------------------------------------------------------------------- */

static void pull_of(const Law *law, int e, const Vec3 *x, Vec3 *pull) {
    const Guess guess = {.z = x, .present = x};
    if (law->has_convention) {
        law->kind->conventional(law, e, x, pull);
    } else {
        law->kind->evaluate(law, e, &guess, pull);
    }
    for (int r = 0; r < law->rows; ++r) {
        pull[r] = vec3_scale(-1.0, pull[r]);
    }
}

/* Tension times area goes to the corners by their shares of the area. */
static void give_corners(const int v[3], const Vec3 *x, const double *own, double warp, double weft,
                         VertexFit *fit) {
    double share[3], area = corner_areas(v, x, share);
    for (int c = 0; c < 3 && area > 0; ++c) {
        double part = own[v[c]] > 0 ? share[c] / (area * own[v[c]]) : 0.0;
        fit[v[c]].warp_tension += part * warp;
        fit[v[c]].weft_tension += part * weft;
    }
}

static void add_element(const Law *law, int e, const Vec3 *x, const double *own,
                        TriangleStress *stresses, VertexFit *fit) {
    Vec3 pull[LAW_ROWS], s[LAW_ROWS];
    const int *v = law_vertices(law, e);
    pull_of(law, e, x, pull);
    for (int r = 0; r < law->rows; ++r) {
        s[r] = law_measure(law, r, e, x);
    }
    if (law->width == 3) {
        give_corners(v, x, own, vec3_dot(pull[0], s[0]), vec3_dot(pull[1], s[1]), fit);
        return;
    }
    Block stress = {0};
    for (int r = 0; r < law->rows; ++r) {
        block_add_outer(&stress, 1.0, pull[r], s[r]);
    }
    spread(stresses, v, law_corners(law, e), &stress);
}

/* What springs and cells have left in a triangle, along its axes. */
static void add_triangle(const Triangle *triangle, const Block *stress, const Vec3 *x,
                         const double *own, VertexFit *fit) {
    double weights[2][3];
    Vec3 axis[2] = {vec3(0, 0, 0), vec3(0, 0, 0)};
    triangle_axis_weights(triangle, weights[0], weights[1]);
    for (int c = 0; c < 6; ++c) {
        axis[c / 3] = vec3_madd(axis[c / 3], weights[c / 3][c % 3], x[triangle->vertices[c % 3]]);
    }
    Vec3 normal = vec3_cross(axis[0], axis[1]);
    double square = vec3_dot(normal, normal);
    if (square > 0) {
        Vec3 warp = block_times(stress, vec3_cross(axis[1], normal));
        Vec3 weft = block_times(stress, vec3_cross(normal, axis[0]));
        give_corners(triangle->vertices, x, own, vec3_dot(axis[0], warp) / square,
                     vec3_dot(axis[1], weft) / square, fit);
    }
}

/* Whether any element gives its stress to triangles around it; elements that are triangles need none. */
static bool has_others(const Laws *laws) {
    bool found = false;
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        found |= law->kind->in_surface && law->width != 3 && law->count > 0;
    }
    return found;
}

/* Adds the tensions to `fit`. own: the area of each vertex, m^2. Takes memory while it works; false: there is none. */
static bool tensions_add(const Simulation *simulation, const double *own, VertexFit *fit) {
    const Mesh *mesh = &simulation->mesh;
    const Laws *laws = &simulation->system.laws;
    const Vec3 *x = simulation->past[0];
    const int count = has_others(laws) ? mesh->triangle_count : 0;
    Store store = {0};
    TriangleStress stresses = {.mesh = mesh,
                               .around = &simulation->system.air,
                               .beside = STORE_ARRAY(&store, int, count),
                               .stress = STORE_ARRAY(&store, Block, count)};
    bool taken = !store.failed;
    for (int l = 0; l < laws->count && taken; ++l) {
        const Law *law = laws->list[l];
        for (int e = 0; law->kind->in_surface && e < law->count; ++e) {
            if (law->kind->in_surface(law, e)) {
                add_element(law, e, x, own, &stresses, fit);
            }
        }
    }
    for (int t = 0; t < count && taken; ++t) {
        if (mesh->triangles[t].area > 0) {
            add_triangle(&mesh->triangles[t], &stresses.stress[t], x, own, fit);
        }
    }
    store_release(&store);
    return taken;
}

/* --- strain and pressure, vertex by vertex ---------------------------------------------------- */

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
            double all = contact_world_memory(&simulation->world, v[c]).x;
            force += own[v[c]] > 0 ? share[c] / own[v[c]] * all : 0.0;
        }
        for (int c = 0; c < 3 && area > 0; ++c) {
            fit[v[c]].pressure += own[v[c]] > 0 ? share[c] / own[v[c]] * force / area : 0.0;
        }
    }
}

StatusCode simulation_vertex_fit(const Simulation *simulation, FitPart part, VertexFit *fit,
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
        failed = !tensions_add(simulation, own, fit);
    } else if (!failed) {
        add_strains(mesh, simulation->system.maps[MAP_SIZE], x, weight, fit);
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

void simulation_body_gaps(Simulation *simulation, int count, const Vec3 *points, BodyGap *gaps) {
    contact_world_gaps(&simulation->world, count, points, gaps);
}
