/* The repeated solve against CHOLMOD's own and against the time that reading the packed factor takes.
 * For square grids of SIDE x SIDE vertices. Prints one line for each:
 *   vertices, entries of L, packed bytes, panels, tasks, then milliseconds: of a solve on one thread, on two,
 *   in double precision on one, of cholmod_solve2 (simplicial L D L', the same order), of a plain
 *   double solve column by column, of reading the packed factor twice; of packing; then the relative
 *   error of a solve, and of a refined solve
 * Times are the least of ROUNDS. Usage: solve ROUNDS SIDE... */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/machine.h"
#include "common/opponent.h"
#include "common/sheet.h"

typedef struct Bench {
    Sheet sheet;
    const Matrix *matrix;
    Factor *factor, *exact;
    Pool *two;
    Vec3 *b, *x, *exact_x;
    int rounds;
} Bench;

/* --- ours ------------------------------------------------------------------------------------- */

static double time_solve(const Bench *bench, const Factor *factor, Pool *pool) {
    double least = INFINITY;
    for (int round = 0; round < bench->rounds; ++round) {
        double begin = timing_now();
        solve_apply(factor_solve(factor), pool, bench->b, bench->x);
        least = fmin(least, timing_now() - begin);
    }
    return 1e3 * least;
}

static double time_columns(const Bench *bench) {
    double least = INFINITY;
    for (int round = 0; round < bench->rounds; ++round) {
        double begin = timing_now();
        factor_solve_exactly(bench->factor, bench->b, bench->x);
        least = fmin(least, timing_now() - begin);
    }
    return 1e3 * least;
}

/* Adds up all packed numbers twice, in eight vectors so that no addition waits. */
static double time_reading(const Bench *bench) {
    typedef unsigned Four __attribute__((vector_size(16)));
    const Solve *solve = factor_solve(bench->factor);
    size_t count = solve->panels.value_count * sizeof(float) / sizeof(Four) / 8 * 8;
    const Four *number = solve->value;
    double least = INFINITY;
    volatile unsigned kept = 0;
    for (int round = 0; round < bench->rounds; ++round) {
        Four sum[8] = {{0}};
        double begin = timing_now();
        for (size_t i = 0; i < 2 * count; i += 8) {
            const Four *at = number + (i < count ? i : i - count);
            for (int k = 0; k < 8; ++k) {
                sum[k] ^= at[k];
            }
        }
        for (int k = 0; k < 8; ++k) {
            kept = kept ^ sum[k][0] ^ sum[k][1] ^ sum[k][2] ^ sum[k][3];
        }
        least = fmin(least, timing_now() - begin);
    }
    return 1e3 * least;
}

/* |x - exact| / |exact|, the worst of the three right-hand sides. */
static double error(const Bench *bench, int refined) {
    Vec3 apart = {0}, whole = {0};
    factor_solve_exactly(bench->factor, bench->b, bench->exact_x);
    if (refined) {
        factor_solve_refined(bench->factor, bench->sheet.pool, bench->b, bench->x);
    } else {
        solve_apply(factor_solve(bench->factor), bench->sheet.pool, bench->b, bench->x);
    }
    for (int i = 0; i < bench->matrix->size; ++i) {
        Vec3 w = bench->exact_x[i], d = vec3_sub(bench->x[i], w);
        apart = vec3_add(apart, vec3(d.x * d.x, d.y * d.y, d.z * d.z));
        whole = vec3_add(whole, vec3(w.x * w.x, w.y * w.y, w.z * w.z));
    }
    return sqrt(fmax(apart.x / whole.x, fmax(apart.y / whole.y, apart.z / whole.z)));
}

/* --- CHOLMOD's -------------------------------------------------------------------------------- */

static double time_cholmod(const Bench *bench) {
    Opponent *opponent =
        opponent_open(bench->matrix, bench->sheet.system.held,
                      factor_solve(bench->factor)->permutation, OPPONENT_SIMPLICIAL);
    if (!opponent) {
        return NAN;
    }
    double least = INFINITY;
    opponent_load(opponent, bench->b);
    for (int round = 0; round < bench->rounds; ++round) {
        double begin = timing_now();
        opponent_solve(opponent);
        least = fmin(least, timing_now() - begin);
    }
    opponent_close(opponent);
    return 1e3 * least;
}

/* --- one size --------------------------------------------------------------------------------- */

static StatusCode open_factor(Bench *bench, Precision precision, Factor **factor, Status *status) {
    *factor = factor_create(bench->matrix, NULL, ORDERING_AUTO, precision, status);
    return *factor ? factor_compute(*factor, bench->sheet.system.held, status) : status->code;
}

static StatusCode open_bench(Bench *bench, int side, Status *status) {
    StatusCode code = sheet_open(&bench->sheet, side, status);
    if (code != STATUS_OK) {
        return code;
    }
    bench->matrix = linear_solver_matrix(bench->sheet.solver);
    bench->two = pool_create(2);
    bench->b = STORE_ARRAY(&bench->sheet.store, Vec3, side * side);
    bench->x = STORE_ARRAY(&bench->sheet.store, Vec3, side * side);
    bench->exact_x = STORE_ARRAY(&bench->sheet.store, Vec3, side * side);
    if (!bench->two || bench->sheet.store.failed) {
        return status_no_memory(status, "the bench");
    }
    for (int i = 0; i < side * side; ++i) {
        double free = !bench->sheet.system.held[i];
        bench->b[i] = vec3_scale(free, vec3(1, sin(1.0 + 3.7 * i), i % 2));
    }
    code = open_factor(bench, PRECISION_SINGLE, &bench->factor, status);
    return code == STATUS_OK ? open_factor(bench, PRECISION_DOUBLE, &bench->exact, status) : code;
}

static void print_line(const Bench *bench) {
    FactorReport report;
    factor_report(bench->factor, &report);
    const Panels *panels = &factor_solve(bench->factor)->panels;
    printf("%d %lld %zu %d %d", bench->matrix->size, (long long)report.factor_nonzeros,
           report.packed_bytes, panels->count, panels->task_count);
    printf(" %.4f", time_solve(bench, bench->factor, bench->sheet.pool));
    printf(" %.4f", time_solve(bench, bench->factor, bench->two));
    printf(" %.4f", time_solve(bench, bench->exact, bench->sheet.pool));
    printf(" %.4f %.4f %.4f", time_cholmod(bench), time_columns(bench), time_reading(bench));
    printf(" %.3f", 1e3 * report.pack_seconds);
    printf(" %.2g %.2g\n", error(bench, 0), error(bench, 1));
    fflush(stdout);
}

int main(int count, char **arguments) {
    int rounds = count > 2 ? atoi(arguments[1]) : 0, good = rounds > 0;
    for (int i = 2; i < count; ++i) {
        good &= atoi(arguments[i]) >= 4 && atoi(arguments[i]) <= 1000;
    }
    if (!good) {
        fprintf(stderr, "usage: solve ROUNDS SIDE...\n");
        return 2;
    }
    StatusCode code = STATUS_OK;
    for (int i = 2; i < count && code == STATUS_OK; ++i) {
        Bench bench = {.rounds = rounds};
        Status status;
        status_clear(&status);
        code = open_bench(&bench, atoi(arguments[i]), &status);
        if (code == STATUS_OK) {
            print_line(&bench);
        } else {
            fprintf(stderr, "solve: %s\n", status.message);
        }
        factor_destroy(bench.factor);
        factor_destroy(bench.exact);
        pool_destroy(bench.two);
        sheet_close(&bench.sheet);
    }
    return code == STATUS_OK ? 0 : 1;
}
