/* The repeated solve of three right-hand sides against others on the same matrix in the same order, and against the
 * time that merely reading the packed factor twice takes. For square grids of SIDE x SIDE vertices. All take turns;
 * a turn is one run for the caches and TURN under the clock. Prints a line for each, where it is there:
 *   vertices, entries of L, packed bytes, bits of a packed number, name, threads, milliseconds, least milliseconds,
 * error Names: ours, simplicial and supernodal (cholmod_solve2), eigen (SimplicialLLT), reading. Milliseconds: the
 * median. Error: relative to the refined answer of the simplicial solve, the worst right-hand side; 0 for reading.
 * Usage: rivals TURNS SIDE..., or rivals blas: prints the BLAS of the supernodal solve. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "common/opponent.h"
#include "common/sheet.h"
#include "eigen/eigen_opponent.h"

#define TURN 3               /* runs under the clock */
#define PORTION_VECTORS 4096 /* of sixteen bytes, which a thread reads at a time */
#define MOST_CONTENDERS 8
#ifndef BENCH_BLAS
#define BENCH_BLAS "none"
#endif

typedef unsigned Four __attribute__((vector_size(16)));
typedef struct Bench Bench;

typedef struct Contender {
    const char *name;
    int threads;
    void (*run)(Bench *bench, int threads);
    void (*answer)(Bench *bench); /* into bench->x; null if it has none */
    double *seconds;              /* of every timed run */
    int timed;
} Contender;

struct Bench {
    Sheet sheet;
    const Matrix *matrix;
    const Solve *solve;
    Pool *two;
    Opponent *simplicial, *supernodal;
    EigenOpponent *eigen;
    Vec3 *b, *x, *reference;
    Four *numbers; /* as many bytes as the packed factor, in whole portions */
    unsigned *sums;
    int portions, turns, contender_count;
    Contender contenders[MOST_CONTENDERS];
};

static Pool *pool_of(Bench *bench, int threads) {
    return threads == 1 ? bench->sheet.pool : bench->two;
}

/* --- who takes part --------------------------------------------------------------------------- */

static void run_ours(Bench *bench, int threads) {
    solve_apply(bench->solve, pool_of(bench, threads), bench->b, bench->x);
}

static void keep_ours(Bench *bench) { (void)bench; /* it is there already */ }

static void run_simplicial(Bench *bench, int threads) {
    (void)threads;
    opponent_solve(bench->simplicial);
}

static void read_simplicial(Bench *bench) { opponent_read(bench->simplicial, bench->x); }

static void run_supernodal(Bench *bench, int threads) {
    (void)threads;
    opponent_solve(bench->supernodal);
}

static void read_supernodal(Bench *bench) { opponent_read(bench->supernodal, bench->x); }

#ifdef BENCH_EIGEN

static void run_eigen(Bench *bench, int threads) {
    (void)threads;
    eigen_solve(bench->eigen);
}

static void read_eigen(Bench *bench) { eigen_read(bench->eigen, &bench->x->x); }

/* The matrix as the factors have it: held unknowns are rows and columns of the identity. */
static void open_eigen(Bench *bench) {
    const Matrix *matrix = bench->matrix;
    const uint8_t *held = bench->sheet.system.held;
    double *value = malloc((size_t)matrix->start[matrix->size] * sizeof *value);
    for (int i = 0; value && i < matrix->size; ++i) {
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            int j = matrix->column[p];
            value[p] = held[i] || held[j] ? (double)(i == j) : matrix->value[p];
        }
    }
    if (value) {
        bench->eigen = eigen_open(matrix->size, matrix->start, matrix->column, value,
                                  bench->solve->permutation);
    }
    if (bench->eigen) {
        eigen_load(bench->eigen, &bench->b->x);
    }
    free(value);
}

#endif

/* Forward through all numbers, then from the end backward, as a solve goes. Eight sums, so that none waits. */
static void read_portion(void *context, int begin, int end) {
    Bench *bench = context;
    for (int turn = begin; turn < end; ++turn) {
        int portion = turn < bench->portions ? turn : 2 * bench->portions - 1 - turn;
        const Four *at = bench->numbers + (size_t)portion * PORTION_VECTORS;
        Four sum[8] = {{0}};
        for (int i = 0; i < PORTION_VECTORS; i += 8) {
            for (int k = 0; k < 8; ++k) {
                sum[k] ^= at[i + k];
            }
        }
        for (int k = 1; k < 8; ++k) {
            sum[0] ^= sum[k];
        }
        bench->sums[turn] = sum[0][0] ^ sum[0][1] ^ sum[0][2] ^ sum[0][3];
    }
}

static void run_reading(Bench *bench, int threads) {
    pool_in_order(pool_of(bench, threads), 2 * bench->portions, read_portion, bench);
}

/* --- measuring -------------------------------------------------------------------------------- */

/* x = the simplicial answer, refined once with the residual in double precision. */
static void find_reference(Bench *bench) {
    int size = bench->matrix->size;
    opponent_solve(bench->simplicial);
    opponent_read(bench->simplicial, bench->reference);
    matrix_multiply(bench->matrix, bench->sheet.pool, bench->reference, bench->x);
    for (int i = 0; i < size; ++i) {
        double free = !bench->sheet.system.held[i];
        bench->x[i] = vec3_scale(free, vec3_sub(bench->b[i], bench->x[i]));
    }
    opponent_load(bench->simplicial, bench->x);
    opponent_solve(bench->simplicial);
    opponent_read(bench->simplicial, bench->x);
    for (int i = 0; i < size; ++i) {
        bench->reference[i] = vec3_add(bench->reference[i], bench->x[i]);
    }
    opponent_load(bench->simplicial, bench->b);
}

/* |x - reference| / |reference|, the worst of the three right-hand sides. */
static double error(const Bench *bench) {
    Vec3 apart = {0}, whole = {0};
    for (int i = 0; i < bench->matrix->size; ++i) {
        Vec3 w = bench->reference[i], d = vec3_sub(bench->x[i], w);
        apart = vec3_add(apart, vec3(d.x * d.x, d.y * d.y, d.z * d.z));
        whole = vec3_add(whole, vec3(w.x * w.x, w.y * w.y, w.z * w.z));
    }
    return sqrt(fmax(apart.x / whole.x, fmax(apart.y / whole.y, apart.z / whole.z)));
}

static void take_turns(Bench *bench) {
    for (int turn = 0; turn < bench->turns; ++turn) {
        for (int c = 0; c < bench->contender_count; ++c) {
            Contender *contender = &bench->contenders[c];
            contender->run(bench, contender->threads);
            for (int run = 0; run < TURN; ++run) {
                double begin = timing_now();
                contender->run(bench, contender->threads);
                contender->seconds[contender->timed++] = timing_now() - begin;
            }
        }
    }
}

static int by_size(const void *one, const void *other) {
    double a = *(const double *)one, b = *(const double *)other;
    return (a > b) - (a < b);
}

static void print_lines(Bench *bench) {
    FactorReport report;
    factor_report(linear_solver_factor(bench->sheet.solver), &report);
    for (int c = 0; c < bench->contender_count; ++c) {
        Contender *contender = &bench->contenders[c];
        qsort(contender->seconds, (size_t)contender->timed, sizeof(double), by_size);
        double apart = 0;
        if (contender->answer) {
            contender->run(bench, contender->threads);
            contender->answer(bench);
            apart = error(bench);
        }
        printf("%d %lld %zu %d %s %d %.5f %.5f %.3g\n", bench->matrix->size,
               (long long)report.factor_nonzeros, report.packed_bytes,
               bench->solve->precision == PRECISION_SINGLE ? 32 : 64, contender->name,
               contender->threads, 1e3 * contender->seconds[contender->timed / 2],
               1e3 * contender->seconds[0], apart);
    }
    fflush(stdout);
}

/* --- one size --------------------------------------------------------------------------------- */

static void enter(Bench *bench, Contender contender) {
    contender.seconds = STORE_ARRAY(&bench->sheet.store, double, bench->turns *TURN);
    bench->contenders[bench->contender_count++] = contender;
}

static void enter_all(Bench *bench) {
    enter(bench, (Contender){.name = "ours", .threads = 1, .run = run_ours, .answer = keep_ours});
    enter(bench, (Contender){.name = "ours", .threads = 2, .run = run_ours, .answer = keep_ours});
    enter(bench, (Contender){.name = "simplicial",
                             .threads = 1,
                             .run = run_simplicial,
                             .answer = read_simplicial});
    if (bench->supernodal) {
        enter(bench, (Contender){.name = "supernodal",
                                 .threads = 1,
                                 .run = run_supernodal,
                                 .answer = read_supernodal});
    }
#ifdef BENCH_EIGEN
    if (bench->eigen) {
        enter(bench,
              (Contender){.name = "eigen", .threads = 1, .run = run_eigen, .answer = read_eigen});
    }
#endif
    enter(bench, (Contender){.name = "reading", .threads = 1, .run = run_reading});
    enter(bench, (Contender){.name = "reading", .threads = 2, .run = run_reading});
}

static StatusCode open_opponents(Bench *bench, Status *status) {
    const uint8_t *held = bench->sheet.system.held;
    const int *order = bench->solve->permutation;
    bench->simplicial = opponent_open(bench->matrix, held, order, OPPONENT_SIMPLICIAL);
    bench->supernodal = opponent_open(bench->matrix, held, order, OPPONENT_SUPERNODAL);
    if (!bench->simplicial) {
        return status_no_memory(status, "CHOLMOD's factor");
    }
    opponent_load(bench->simplicial, bench->b);
    if (bench->supernodal) {
        opponent_load(bench->supernodal, bench->b);
    }
#ifdef BENCH_EIGEN
    open_eigen(bench);
#endif
    return STATUS_OK;
}

static StatusCode open_bench(Bench *bench, int side, Status *status) {
    StatusCode code = sheet_open(&bench->sheet, side, status);
    if (code != STATUS_OK) {
        return code;
    }
    FactorReport report;
    factor_report(linear_solver_factor(bench->sheet.solver), &report);
    Store *store = &bench->sheet.store;
    bench->matrix = linear_solver_matrix(bench->sheet.solver);
    bench->solve = factor_solve(linear_solver_factor(bench->sheet.solver));
    bench->two = pool_create(2);
    bench->b = STORE_ARRAY(store, Vec3, side * side);
    bench->x = STORE_ARRAY(store, Vec3, side * side);
    bench->reference = STORE_ARRAY(store, Vec3, side * side);
    bench->portions = (int)(report.packed_bytes / sizeof(Four) / PORTION_VECTORS) + 1;
    bench->numbers = STORE_ARRAY(store, Four, (size_t)bench->portions * PORTION_VECTORS);
    bench->sums = STORE_ARRAY(store, unsigned, 2 * bench->portions);
    if (!bench->two || store->failed) {
        return status_no_memory(status, "the bench");
    }
    for (int i = 0; i < side * side; ++i) {
        double free = !bench->sheet.system.held[i];
        bench->b[i] = vec3_scale(free, vec3(1, sin(1.0 + 3.7 * i), i % 2));
    }
    for (size_t i = 0; i < (size_t)bench->portions * PORTION_VECTORS; ++i) {
        bench->numbers[i][0] = (unsigned)i; /* untouched pages would all be the same one */
    }
    code = open_opponents(bench, status);
    enter_all(bench);
    return code == STATUS_OK && store->failed ? status_no_memory(status, "the bench") : code;
}

static void close_bench(Bench *bench) {
    opponent_close(bench->simplicial);
    opponent_close(bench->supernodal);
#ifdef BENCH_EIGEN
    eigen_close(bench->eigen);
#endif
    pool_destroy(bench->two);
    sheet_close(&bench->sheet);
}

int main(int count, char **arguments) {
    if (count == 2 && strcmp(arguments[1], "blas") == 0) {
        puts(BENCH_BLAS);
        return 0;
    }
    int turns = count > 2 ? atoi(arguments[1]) : 0, good = turns > 0 && turns <= 10000;
    for (int i = 2; i < count; ++i) {
        good &= atoi(arguments[i]) >= 4 && atoi(arguments[i]) <= 1000;
    }
    if (!good) {
        fprintf(stderr, "usage: rivals TURNS SIDE...\n");
        return 2;
    }
    StatusCode code = STATUS_OK;
    for (int i = 2; i < count && code == STATUS_OK; ++i) {
        Bench bench = {.turns = turns};
        Status status;
        status_clear(&status);
        code = open_bench(&bench, atoi(arguments[i]), &status);
        if (code == STATUS_OK) {
            find_reference(&bench);
            take_turns(&bench);
            print_lines(&bench);
        } else {
            fprintf(stderr, "rivals: %s\n", status.message);
        }
        close_bench(&bench);
    }
    return code == STATUS_OK ? 0 : 1;
}
