/* What it takes to set a cloth up, and to bring it up to date: for square sheets of SIDE x SIDE vertices of the
 * triangle model with two pinned corners. Prints one line for each:
 *   vertices, threads, then milliseconds: of cloth_create, of the first cloth_prepare, of both; of the ordering, the
 *   analysis, the factor with its packing, and the packing alone (of the fine matrix, part of the first prepare);
 *   of a prepare after a change of stiffness, of its packing; of a prepare after two more pins, of one after four
 *   pins less; then the entries of L in millions
 * Changes are the least of ROUNDS. Usage: setup two-level|plain THREADS ROUNDS SIDE... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "common/sheet.h"
#include "simulation/simulation.h"

#define STEP_SECONDS (1.0 / 48)

static SimulationOptions options_of(Scheme scheme, int threads) {
    return (SimulationOptions){.system = {.model = MODEL_TRIANGLE, .keep_folds = 1},
                               .mesh = {.uv_scale = 1},
                               .solving = {.scheme = scheme,
                                           .estimate = ESTIMATE_TRANSLATION,
                                           .coefficient_count = 2,
                                           .coefficients = {2, -1},
                                           .iterations = 2},
                               .substeps = 1,
                               .threads = threads,
                               .materials[0] = {.density = 0.2,
                                                .stretch_warp = 2300,
                                                .stretch_weft = 2300,
                                                .shear = 300,
                                                .bend = 2e-5,
                                                .bend_weft = 1,
                                                .bend_twist = 1,
                                                .pin_stiffness = 2000},
                               .gravity = {0, 0, -9.81}};
}

typedef struct Times {
    double create, first, stiffness, pack, hold, release;
    FactorReport report;
} Times;

static double time_prepare(Simulation *simulation, Status *status) {
    double begin = timing_now();
    return simulation_prepare(simulation, STEP_SECONDS, status) < 0 ? NAN : timing_now() - begin;
}

static void set_pins(Simulation *simulation, int side, int count, Status *status) {
    const int32_t pins[6] = {side * (side - 1),          side * side - 1,
                             side * (side / 2),          side * (side / 2) + 1,
                             side * side / 2 + side / 2, side / 3};
    simulation_set_inputs(simulation, &(Inputs){.pins = {false, false, count, pins, NULL, NULL}},
                          INPUT_PINS, status);
}

/* Twice as stiff and back; two pins more, then all four less; `rounds` times. */
static void time_changes(Simulation *simulation, Material material, int side, int rounds,
                         Times *times, Status *status) {
    SimulationReport report;
    times->stiffness = times->pack = times->hold = times->release = INFINITY;
    for (int round = 0; round < rounds; ++round) {
        material.stretch_warp = round % 2 ? 2300 : 3300;
        simulation_set_inputs(simulation, &(Inputs){.materials = &material}, INPUT_MATERIALS,
                              status);
        times->stiffness = fmin(times->stiffness, time_prepare(simulation, status));
        simulation_describe(simulation, &report);
        times->pack = fmin(times->pack, report.factor.pack_seconds);
        set_pins(simulation, side, 4, status);
        times->hold = fmin(times->hold, time_prepare(simulation, status));
        set_pins(simulation, side, 6, status);
        times->hold = fmin(times->hold, time_prepare(simulation, status));
        set_pins(simulation, side, 2, status);
        times->release = fmin(times->release, time_prepare(simulation, status));
    }
}

static int measure(Scheme scheme, int threads, int rounds, int side) {
    Store store = {0};
    PolygonMesh polygons;
    Times times = {0};
    Status status;
    SimulationOptions options = options_of(scheme, threads);
    status_clear(&status);
    double begin = timing_now();
    Simulation *simulation = triangles_lay(side, &store, &polygons, &status) == STATUS_OK
                                 ? simulation_create(&polygons, &options, &status)
                                 : NULL;
    times.create = timing_now() - begin;
    if (simulation) {
        SimulationReport report;
        set_pins(simulation, side, 2, &status);
        times.first = time_prepare(simulation, &status);
        simulation_describe(simulation, &report);
        times.report = report.factor;
        time_changes(simulation, options.materials[0], side, rounds, &times, &status);
        const FactorReport *f = &times.report;
        printf("%d %d  %.1f %.1f %.1f  %.1f %.1f %.1f %.1f  %.1f %.1f  %.2f %.2f  %.2f\n",
               side * side, threads, 1e3 * times.create, 1e3 * times.first,
               1e3 * (times.create + times.first), 1e3 * f->ordering_seconds,
               1e3 * f->analysis_seconds, 1e3 * f->factor_seconds, 1e3 * f->pack_seconds,
               1e3 * times.stiffness, 1e3 * times.pack, 1e3 * times.hold, 1e3 * times.release,
               1e-6 * (double)f->factor_nonzeros);
        fflush(stdout);
    }
    bool good = simulation && status.code >= STATUS_OK;
    if (!good) {
        fprintf(stderr, "setup: %s\n", status.message);
    }
    simulation_destroy(simulation);
    store_release(&store);
    return good;
}

int main(int count, char **arguments) {
    bool plain = count > 4 && strcmp(arguments[1], "plain") == 0;
    bool good = count > 4 && (plain || strcmp(arguments[1], "two-level") == 0);
    int threads = good ? atoi(arguments[2]) : 0, rounds = good ? atoi(arguments[3]) : 0;
    good &= threads > 0 && threads <= 64 && rounds > 0;
    for (int i = 4; i < count; ++i) {
        good &= atoi(arguments[i]) >= 4 && atoi(arguments[i]) <= 1000;
    }
    if (!good) {
        fprintf(stderr, "usage: setup two-level|plain THREADS ROUNDS SIDE...\n");
        return 2;
    }
    for (int i = 4; i < count && good; ++i) {
        good =
            measure(plain ? SCHEME_PLAIN : SCHEME_TWO_LEVEL, threads, rounds, atoi(arguments[i]));
    }
    return good ? 0 : 1;
}
