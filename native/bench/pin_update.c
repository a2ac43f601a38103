/* Pins come and go: row updates of the factor against a new numeric factorisation.
 * For a square grid of SIDE x SIDE vertices and each number of changed pins, both are timed on the
 * same factor. Prints one line for each number of pins:
 *   vertices, changed pins, entries of L, the same after holding and releasing them by row updates,
 *   seconds to hold them by row updates, seconds to release them again, seconds of a new
 *   factorisation, largest relative difference of a solve after the update
 * Times are medians of ROUNDS. Usage: pin_update SIDE ROUNDS MOST row|spread
 * MOST is the largest number of pins (1, 2, 4 ... MOST); the pins are neighbours in a row of the
 * grid, or spread over the whole sheet. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/timing.h"
#include "solver/solver.h"

#define STEP_SECONDS (1.0 / 48)
#define MOST_ROUNDS 99

typedef struct Bench {
    Store store;
    Mesh mesh;
    Pool *pool;
    System system;
    Solver *solver;
    Factor *factor; /* our own, on the solver's matrix: the solver's is not ours to change */
} Bench;

/* A flat sheet of 1 m with the diagonals alternating. */
static StatusCode lay_grid(Bench *bench, int side, Status *status) {
    int cells = (side - 1) * (side - 1);
    float *positions = STORE_ARRAY(&bench->store, float, 3 * side * side);
    int32_t *sizes = STORE_ARRAY(&bench->store, int32_t, 2 * cells);
    int32_t *corners = STORE_ARRAY(&bench->store, int32_t, 6 * cells);
    if (bench->store.failed) {
        return status_no_memory(status, "the grid");
    }
    for (int v = 0; v < side * side; ++v) {
        positions[3 * v] = (float)(v % side) / (float)(side - 1);
        positions[3 * v + 1] = (float)(v / side) / (float)(side - 1);
    }
    for (int cell = 0; cell < cells; ++cell) {
        int row = cell / (side - 1), column = cell % (side - 1);
        int a = row * side + column, b = a + 1, c = a + side + 1, d = a + side;
        const int32_t rising[6] = {a, b, c, a, c, d}, falling[6] = {a, b, d, b, c, d};
        memcpy(corners + 6 * cell, (row + column) % 2 ? falling : rising, sizeof rising);
        sizes[2 * cell] = sizes[2 * cell + 1] = 3;
    }
    PolygonMesh polygons = {.vertex_count = side * side,
                            .face_count = 2 * cells,
                            .positions = positions,
                            .face_sizes = sizes,
                            .face_vertices = corners};
    return mesh_build(&polygons, PATTERN_MESH, 1, &bench->store, &bench->mesh, status);
}

static StatusCode build(Bench *bench, int side, Status *status) {
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1};
    SolverOptions solving = {.estimate = ESTIMATE_TRANSLATION, .iterations = 1};
    System *system = &bench->system;
    StatusCode code = lay_grid(bench, side, status);
    bench->pool = pool_create(1);
    if (code == STATUS_OK && !bench->pool) {
        code = status_no_memory(status, "threads");
    }
    if (code == STATUS_OK) {
        code = system_build(system, &bench->mesh, &options, bench->pool, &bench->store, status);
    }
    if (code != STATUS_OK) {
        return code;
    }
    system->material = (Material){.density = 0.2,
                                  .stretch_warp = 2000,
                                  .stretch_weft = 2000,
                                  .shear = 600,
                                  .bend = 2e-5,
                                  .pin_stiffness = 2000};
    system_refresh_material(system);
    system->held[side * (side - 1)] = system->held[side * side - 1] = 1;
    bench->solver = linear_solver_create(system, &solving, status);
    code =
        bench->solver ? bench->solver->prepare(bench->solver, STEP_SECONDS, status) : status->code;
    if (code == STATUS_OK) {
        bench->factor = factor_create(linear_solver_matrix(bench->solver), ORDERING_AUTO, status);
        code = bench->factor ? factor_compute(bench->factor, system->held, status) : status->code;
    }
    return code;
}

static void take_down(Bench *bench) {
    factor_destroy(bench->factor);
    if (bench->solver) {
        bench->solver->destroy(bench->solver);
    }
    pool_destroy(bench->pool);
    store_release(&bench->store);
}

/* Marks `changed` vertices more, another set in each round. */
static void choose_pins(const Bench *bench, int changed, int spread, int round, uint8_t *held) {
    int size = bench->system.vertex_count;
    memcpy(held, bench->system.held, (size_t)size);
    unsigned seed = 12345u + 977u * (unsigned)round;
    int at = (int)((int64_t)size * (round + 1) / (MOST_ROUNDS + 2));
    while (changed > 0) {
        seed = seed * 1664525u + 1013904223u;
        at = spread ? (int)((seed >> 8) % (unsigned)size) : (at + 1) % size;
        changed -= !held[at];
        held[at] = 1;
    }
}

static int by_size(const void *a, const void *b) {
    double first = *(const double *)a, second = *(const double *)b;
    return (first > second) - (first < second);
}

static double median(double *numbers, int count) {
    qsort(numbers, (size_t)count, sizeof *numbers, by_size);
    return numbers[count / 2];
}

/* A solve with the factor as it is now, of an irregular right-hand side. */
static void try_solve(const Factor *factor, int size, const uint8_t *held, Vec3 *x) {
    for (int i = 0; i < size; ++i) {
        double value = held[i] ? 0.0 : sin(1.0 + 3.7 * i);
        x[i] = vec3(value, -value, 2 * value);
    }
    solve_apply(factor_solve(factor), x, x);
}

static double largest_difference(const Vec3 *x, const Vec3 *y, int size) {
    double difference = 0, length = 0;
    for (int i = 0; i < size; ++i) {
        difference = fmax(difference, vec3_distance(x[i], y[i]));
        length = fmax(length, vec3_length(x[i]));
    }
    return difference / length;
}

/* Hold, release, factor anew; `held` and the two vectors are scratch. */
static StatusCode measure(Bench *bench, int changed, int spread, int rounds, uint8_t *held,
                          Vec3 *scratch[2], Status *status) {
    double hold[MOST_ROUNDS] = {0}, release[MOST_ROUNDS] = {0}, compute[MOST_ROUNDS] = {0};
    double worst = 0;
    FactorReport updated = {0}, fresh;
    int size = bench->system.vertex_count;
    StatusCode code = STATUS_OK;
    for (int round = 0; round < rounds && code == STATUS_OK; ++round) {
        choose_pins(bench, changed, spread, round, held);
        double start = timing_now();
        code = factor_update_rows(bench->factor, held, status);
        hold[round] = timing_now() - start;
        try_solve(bench->factor, size, held, scratch[0]);
        start = timing_now();
        if (code == STATUS_OK) {
            code = factor_update_rows(bench->factor, bench->system.held, status);
        }
        release[round] = timing_now() - start;
        factor_report(bench->factor, &updated);
        start = timing_now();
        if (code == STATUS_OK) {
            code = factor_compute(bench->factor, held, status);
        }
        compute[round] = timing_now() - start;
        try_solve(bench->factor, size, held, scratch[1]);
        worst = fmax(worst, largest_difference(scratch[1], scratch[0], size));
        if (code == STATUS_OK) {
            code = factor_compute(bench->factor, bench->system.held, status);
        }
    }
    if (code == STATUS_OK) {
        factor_report(bench->factor, &fresh);
        printf("%d %d %lld %lld %.9g %.9g %.9g %.3g\n", size, changed,
               (long long)fresh.factor_nonzeros, (long long)updated.factor_nonzeros,
               median(hold, rounds), median(release, rounds), median(compute, rounds), worst);
        fflush(stdout);
    }
    return code;
}

int main(int count, char **arguments) {
    int side = count == 5 ? atoi(arguments[1]) : 0, rounds = count == 5 ? atoi(arguments[2]) : 0;
    int most = count == 5 ? atoi(arguments[3]) : 0;
    int spread = count == 5 && strcmp(arguments[4], "spread") == 0;
    if (side < 4 || side > 1000 || rounds < 1 || rounds > MOST_ROUNDS || most < 1 ||
        most > side * side / 4 || (!spread && strcmp(arguments[4], "row") != 0)) {
        fprintf(stderr, "usage: pin_update SIDE ROUNDS MOST row|spread\n");
        return 2;
    }
    Bench bench = {0};
    Status status;
    status_clear(&status);
    StatusCode code = build(&bench, side, &status);
    if (code == STATUS_OK) {
        uint8_t *held = STORE_ARRAY(&bench.store, uint8_t, side * side);
        Vec3 *scratch[2] = {STORE_ARRAY(&bench.store, Vec3, side * side),
                            STORE_ARRAY(&bench.store, Vec3, side * side)};
        code = bench.store.failed ? status_no_memory(&status, "the bench") : STATUS_OK;
        for (int changed = 1; changed <= most && code == STATUS_OK; changed *= 2) {
            code = measure(&bench, changed, spread, rounds, held, scratch, &status);
        }
    }
    take_down(&bench);
    if (code != STATUS_OK) {
        fprintf(stderr, "pin_update: %s\n", status.message);
    }
    return code == STATUS_OK ? 0 : 1;
}
