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

#include "base/machine.h"
#include "common/sheet.h"

#define MOST_ITERATIONS 99

typedef struct Bench {
    Sheet sheet;
    Factor *factor; /* our own, on the solver's matrix: the solver's is not ours to change */
} Bench;

static StatusCode build(Bench *bench, int side, Status *status) {
    StatusCode code = sheet_open(&bench->sheet, side, status);
    if (code == STATUS_OK) {
        bench->factor = factor_create(linear_solver_matrix(bench->sheet.solver), NULL,
                                      ORDERING_AUTO, PRECISION_AUTO, status);
        code = bench->factor ? factor_compute(bench->factor, bench->sheet.system.held, status)
                             : status->code;
    }
    return code;
}

static void take_down(Bench *bench) {
    factor_destroy(bench->factor);
    sheet_close(&bench->sheet);
}

/* Marks `changed` vertices more, another set in each round. */
static void choose_pins(const Bench *bench, int changed, int spread, int round, uint8_t *held) {
    int size = bench->sheet.system.vertex_count;
    memcpy(held, bench->sheet.system.held, (size_t)size);
    unsigned seed = 12345u + 977u * (unsigned)round;
    int at = (int)((int64_t)size * (round + 1) / (MOST_ITERATIONS + 2));
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
    solve_apply(factor_solve(factor), NULL, x, x);
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
    double hold[MOST_ITERATIONS] = {0}, release[MOST_ITERATIONS] = {0},
           compute[MOST_ITERATIONS] = {0};
    double worst = 0;
    FactorReport updated = {0}, fresh;
    int size = bench->sheet.system.vertex_count;
    StatusCode code = STATUS_OK;
    for (int round = 0; round < rounds && code == STATUS_OK; ++round) {
        choose_pins(bench, changed, spread, round, held);
        double start = timing_now();
        code = factor_update_rows(bench->factor, held, status);
        hold[round] = timing_now() - start;
        try_solve(bench->factor, size, held, scratch[0]);
        start = timing_now();
        if (code == STATUS_OK) {
            code = factor_update_rows(bench->factor, bench->sheet.system.held, status);
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
            code = factor_compute(bench->factor, bench->sheet.system.held, status);
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
    bool spread = count == 5 && strcmp(arguments[4], "spread") == 0;
    if (side < 4 || side > 1000 || rounds < 1 || rounds > MOST_ITERATIONS || most < 1 ||
        most > side * side / 4 || (!spread && strcmp(arguments[4], "row") != 0)) {
        fprintf(stderr, "usage: pin_update SIDE ROUNDS MOST row|spread\n");
        return 2;
    }
    Bench bench = {0};
    Status status;
    status_clear(&status);
    StatusCode code = build(&bench, side, &status);
    if (code == STATUS_OK) {
        uint8_t *held = STORE_ARRAY(&bench.sheet.store, uint8_t, side * side);
        Vec3 *scratch[2] = {STORE_ARRAY(&bench.sheet.store, Vec3, side * side),
                            STORE_ARRAY(&bench.sheet.store, Vec3, side * side)};
        code = bench.sheet.store.failed ? status_no_memory(&status, "the bench") : STATUS_OK;
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
