/* A tilted sheet that lands on a floor gains no energy in any substep, at whichever part of one it meets the floor. */
#include <math.h>

#include "check.h"
#include "given.h"
#include "meshes.h"
#include "rig.h"

#define STEP (1.0 / 48)
#define SIDE 13
#define COUNT (SIDE * SIDE)
#define WIDTH 0.3 /* m */
#define TILT 0.17
#define SHELL 0.004 /* m */

static Simulation *sheet(Quality quality) {
    Status status = {0};
    SimulationOptions options = plain_options();
    options.solving.quality = quality;
    options.substeps = 1;
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, WIDTH);
    Simulation *simulation = simulation_create(&mesh->polygons, &options, &status);
    CHECK(simulation != NULL);
    mesh_free(mesh);
    TestMesh *floor = mesh_new();
    for (int i = 0; i < 4; ++i) {
        mesh_add_vertex(floor, i & 1 ? 2.0 : -2.0, i & 2 ? 2.0 : -2.0, 0);
    }
    mesh_add_triangle(floor, 0, 1, 2);
    mesh_add_triangle(floor, 1, 3, 2);
    BodySurface surface = {.thickness = SHELL};
    CHECK(give_body(simulation, 0, &floor->polygons, &surface, &status) >= 0);
    mesh_free(floor);
    return simulation;
}

static double energy_of(Simulation *simulation) {
    SimulationMeasure measure;
    simulation_strain_and_energy(simulation, &measure);
    return measure.kinetic_energy + measure.elastic_energy + measure.gravity_energy;
}

/* Over what its fall frees. */
static double most_gained(Quality quality, double height) {
    Status status = {0};
    Simulation *simulation = sheet(quality);
    float positions[3 * COUNT];
    double least = 1, mean = 0, most = 0, mass = 0.2 * WIDTH * WIDTH;
    simulation_copy_state(simulation, positions, NULL);
    for (int v = 0; v < COUNT; ++v) {
        float x = positions[3 * v];
        positions[3 * v] = (float)(cos(TILT) * x);
        positions[3 * v + 2] = (float)(sin(TILT) * x);
        least = fmin(least, positions[3 * v + 2]);
    }
    for (int v = 0; v < COUNT; ++v) {
        positions[3 * v + 2] += (float)(height + SHELL - least);
        mean += (positions[3 * v + 2] - SHELL) / COUNT;
    }
    simulation_place(simulation, positions, NULL);
    double before = INFINITY;
    for (int step = 0; step < 20; ++step) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        double energy = energy_of(simulation);
        most = fmax(most, energy - before);
        before = energy;
    }
    CHECK(simulation_positions(simulation)[COUNT / 2].z < 2 * SHELL); /* it has landed */
    simulation_destroy(simulation);
    return most / (mass * 9.81 * mean);
}

int main(void) {
    for (Quality quality = QUALITY_DRAFT; quality <= QUALITY_FINAL; ++quality) {
        for (int height = 2; height <= 8; height += 3) {
            CHECK_BELOW(most_gained(quality, 0.01 * height), 0.005);
        }
    }
    return check_result();
}
