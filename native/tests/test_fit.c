/* Strain, pressure and gaps of a cloth: even strain is reported as it is, forces are spread without loss, points in solids
 * that overlap are as deep as the deepest says. */
#include <stdlib.h>

#include "check.h"
#include "meshes.h"
#include "rig.h"
#include "simulation/simulation_internal.h"

#define POINTS 400

/* Any cut of a flat sheet that is stretched evenly. */
static void test_strain(void) {
    Status status = {0};
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        TestMesh *mesh = mesh_grid((GridKind)kind, 9, 8, 0.5);
        mesh_add_uvs(mesh, 1);
        SimulationOptions options = plain_options();
        Simulation *simulation = simulation_create(&mesh->polygons, &options, &status);
        int count = mesh->polygons.vertex_count;
        VertexFit *fit = calloc((size_t)count, sizeof *fit);
        for (int v = 0; v < count; ++v) { /* x by 1.2, y by 0.9, leaning by 0.1 rad */
            float *x = mesh->positions + 3 * v;
            x[0] = (float)(1.2 * x[0] + 0.9 * sin(0.1) * x[1]);
            x[1] = (float)(0.9 * cos(0.1) * x[1]);
        }
        simulation_place(simulation, mesh->positions, NULL);
        CHECK_INT(simulation_vertex_fit(simulation, FIT_STRAIN_AND_PRESSURE, fit, &status),
                  STATUS_OK);
        for (int v = 0; v < count; ++v) {
            CHECK_NEAR(fit[v].warp, 0.2, 1e-5);
            CHECK_NEAR(fit[v].weft, -0.1, 1e-5);
            CHECK_NEAR(fit[v].shear, 0.1, 1e-5);
            CHECK_INT(fit[v].pressure == 0, 1);
        }
        free(fit);
        simulation_destroy(simulation);
        mesh_free(mesh);
    }
}

/* What a vertex of a sheet of nx by ny has of it, over the area of a cell: however the cells are cut. */
static double cells_of(int v, int nx, int ny) {
    int x = v % nx, y = v / nx;
    return (x == 0 || x == nx - 1 ? 0.5 : 1.0) * (y == 0 || y == ny - 1 ? 0.5 : 1.0);
}

/* Some vertices bear all; the sum of pressure times area is that of their forces. Even pressure is reported as it is. */
static void test_spread(GridKind kind, bool even) {
    enum { NX = 11, NY = 9, COUNT = NX * NY };
    Status status = {0};
    TestMesh *mesh = mesh_grid(kind, NX, NY, 0.5);
    SimulationOptions options = plain_options();
    Simulation *simulation = simulation_create(&mesh->polygons, &options, &status);
    VertexFit fit[COUNT];
    double cell = 0.05 * 0.05, wanted = 0, reported = 0;
    for (int v = 0; v < COUNT; v += even ? 1 : 7) {
        double force = even ? 40 * cell * cells_of(v, NX, NY) : 0.1 * v;
        contact_world_remember(&simulation->world, v, vec3(force, 3, 0));
        wanted += force;
    }
    CHECK_INT(simulation_vertex_fit(simulation, FIT_STRAIN_AND_PRESSURE, fit, &status), STATUS_OK);
    for (int v = 0; v < COUNT; ++v) {
        reported += cell * cells_of(v, NX, NY) * fit[v].pressure;
        CHECK(!even || fabs(fit[v].pressure - 40) < 1e-4);
    }
    CHECK_NEAR(reported, wanted, 1e-5 * wanted);
    simulation_destroy(simulation);
    mesh_free(mesh);
}

/* The shares of an obtuse triangle are all of it. */
static void test_obtuse(void) {
    Status status = {0};
    TestMesh *mesh = mesh_new();
    SimulationOptions options = plain_options();
    VertexFit fit[3];
    mesh_add_vertex(mesh, 0, 0, 0);
    mesh_add_vertex(mesh, 1, 0, 0);
    mesh_add_vertex(mesh, 0.4, 0.1, 0);
    mesh_add_triangle(mesh, 0, 1, 2);
    Simulation *simulation = simulation_create(&mesh->polygons, &options, &status);
    contact_world_remember(&simulation->world, 1, vec3(2, 0, 0));
    CHECK_INT(simulation_vertex_fit(simulation, FIT_STRAIN_AND_PRESSURE, fit, &status), STATUS_OK);
    for (int v = 0; v < 3; ++v) {
        CHECK_NEAR(fit[v].pressure, 2 / 0.05, 1e-4);
    }
    simulation_destroy(simulation);
    mesh_free(mesh);
}

/* Two balls of 20 cm, 10 cm apart, are one body of two parts, or two bodies. */
static void test_gaps(bool together) {
    Shape *shapes[2] = {shape_new(), shape_new()};
    Vec3 middles[2] = {vec3(-0.05, 0, 0), vec3(0.05, 0, 0)};
    Collider colliders[2], *bodies[3] = {NULL, &colliders[0], together ? NULL : &colliders[1]};
    Store store = {0};
    Status status = {0};
    Pool *pool = pool_create(2);
    for (int b = 0; b < 2; ++b) {
        shape_add_sphere(shapes[together ? 0 : b], middles[b], 0.2, 24);
    }
    for (int b = 0; b < (together ? 1 : 2); ++b) {
        ColliderDefinition definition = shape_definition(shapes[b]);
        CHECK_INT(collider_build(&colliders[b], &definition, &store, &status), STATUS_OK);
    }
    Vec3 points[POINTS];
    BodyGap gaps[POINTS];
    for (int i = 0; i < POINTS; ++i) {
        points[i] = random_vector(0.6);
    }
    gaps_measure(pool, bodies, 3, POINTS, points, gaps);
    for (int i = 0; i < POINTS; ++i) {
        double left = vec3_distance(points[i], middles[0]) - 0.2;
        double right = vec3_distance(points[i], middles[1]) - 0.2;
        CHECK_NEAR(gaps[i].gap, left < right ? left : right, 0.0025); /* chords */
        CHECK_NEAR(gaps[i].thickness, colliders[0].thickness, 0);
    }
    points[1].y = NAN; /* nowhere, and near nothing */
    gaps_measure(pool, bodies, 3, 2, points, gaps);
    CHECK_INT(isfinite(gaps[0].gap) && isinf(gaps[1].gap), 1);
    gaps_measure(pool, bodies, 1, POINTS, points, gaps);
    CHECK_INT(isinf(gaps[0].gap) && gaps[0].thickness == 0, 1);
    store_release(&store);
    pool_destroy(pool);
    free(shapes[0]);
    free(shapes[1]);
}

int main(void) {
    random_start(7);
    test_strain();
    for (int even = 0; even < 2; ++even) {
        test_spread(GRID_QUADS, even);
        test_spread(GRID_ALTERNATING, even);
        test_spread(GRID_PARALLEL, even);
    }
    test_obtuse();
    test_gaps(false);
    test_gaps(true);
    return check_result();
}
