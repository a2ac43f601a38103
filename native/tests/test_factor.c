/* Orderings and the factor: permutations, residuals, held rows, row updates against new factors,
 * refusal of matrices that are not positive definite, and the numbers of the report. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linear/factor.h"
#include "rig.h"

#define MOST 1200

static const Ordering orderings[] = {ORDERING_NATURAL, ORDERING_CUTHILL_MCKEE,
                                     ORDERING_REVERSE_CUTHILL_MCKEE, ORDERING_AMD, ORDERING_METIS};
#define ORDERINGS 5

static Vec3 b[MOST], x[MOST], y[MOST];
static uint8_t held[MOST];

/* K becomes M + h^2 K: what a cloth factors. */
static void make_definite(Rig *rig) {
    Matrix *matrix = &rig->system.stiffness;
    for (int p = 0; p < matrix->start[matrix->size]; ++p) {
        matrix->value[p] *= 1e-3;
    }
    for (int i = 0; i < matrix->size; ++i) {
        matrix_add(matrix, i, i, rig->system.mass[i]);
    }
}

static void open_matrix(Rig *rig, TestMesh *mesh, int model) {
    SystemOptions options = {.model = model ? MODEL_TRIANGLE : MODEL_EDGE};
    Material material = rig_material();
    rig_open(rig, mesh, &options, &material);
    make_definite(rig);
}

static void random_held(int size, double share) {
    for (int i = 0; i < size; ++i) {
        held[i] = random_between(0, 1) < share;
    }
}

/* |A x - b| / |b| over the free unknowns, with held ones standing as known in neither. */
static double residual(const Matrix *matrix) {
    double sum = 0, scale = 0;
    for (int i = 0; i < matrix->size; ++i) {
        if (held[i]) {
            continue;
        }
        Vec3 r = vec3_scale(-1, b[i]);
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            int j = matrix->column[p];
            r = held[j] ? r : vec3_madd(r, matrix->value[p], x[j]);
        }
        sum += vec3_dot(r, r);
        scale += vec3_dot(b[i], b[i]);
    }
    return scale > 0 ? sqrt(sum / scale) : 0.0;
}

static void check_solution(const Factor *factor, const Matrix *matrix) {
    for (int i = 0; i < matrix->size; ++i) {
        b[i] = random_vector(1);
    }
    solve_apply(factor_solve(factor), NULL, b, x);
    /* the condition number of these matrices is below 1e5 */
    CHECK_BELOW(residual(matrix), 1e-12);
    memcpy(y, b, sizeof y);
    solve_apply(factor_solve(factor), NULL, y, y);
    CHECK(memcmp(x, y, (size_t)matrix->size * sizeof *x) == 0); /* in place is the same */
    for (int i = 0; i < matrix->size; ++i) {
        if (held[i]) {
            CHECK(x[i].x == b[i].x && x[i].y == b[i].y && x[i].z == b[i].z);
        }
    }
}

static void check_permutation(const int *order, int size) {
    uint8_t seen[MOST] = {0};
    int good = 0;
    for (int k = 0; k < size; ++k) {
        if (order[k] >= 0 && order[k] < size && !seen[order[k]]++) {
            ++good;
        }
    }
    CHECK_INT(good, size);
}

/* Fill of an elimination in this order, and the sum of the squared column counts, by brute force. */
static int64_t count_fill(const Matrix *matrix, const int *order, double *flops) {
    int size = matrix->size, inverse[MOST];
    uint8_t *full = calloc((size_t)size * (size_t)size, 1);
    for (int k = 0; k < size; ++k) {
        inverse[order[k]] = k;
    }
    for (int i = 0; i < size; ++i) {
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            full[inverse[i] * size + inverse[matrix->column[p]]] = 1;
        }
    }
    int64_t total = 0;
    *flops = 0;
    for (int k = 0; k < size; ++k) {
        int64_t column = 1;
        for (int i = k + 1; i < size; ++i) {
            if (!full[i * size + k]) {
                continue;
            }
            ++column;
            for (int j = k + 1; j < size; ++j) {
                full[i * size + j] |= full[j * size + k];
            }
        }
        total += column;
        *flops += (double)(column * column);
    }
    free(full);
    return total;
}

static void check_orderings(TestMesh *mesh, int model) {
    Rig rig;
    open_matrix(&rig, mesh, model);
    const Matrix *matrix = &rig.system.stiffness;
    for (int o = 0; o < ORDERINGS; ++o) {
        int order[MOST];
        Status status;
        CHECK_INT(ordering_find(orderings[o], matrix, order, &status), STATUS_OK);
        check_permutation(order, matrix->size);
        Factor *factor = factor_create(matrix, NULL, orderings[o], PRECISION_DOUBLE, &status);
        CHECK(factor != NULL);
        random_held(matrix->size, 0.2 * random_below(3));
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        check_solution(factor, matrix);
        const Solve *solve = factor_solve(factor);
        check_permutation(solve->permutation, matrix->size);
        FactorReport report;
        factor_report(factor, &report);
        double flops;
        int64_t fill = count_fill(matrix, solve->permutation, &flops);
        CHECK_INT(report.factor_nonzeros, fill);
        CHECK_NEAR(report.flops, flops, 1e-9 * flops);
        CHECK_INT(report.ordering, orderings[o]);
        /* the postorder that CHOLMOD adds keeps the fill */
        CHECK_INT(count_fill(matrix, order, &flops), fill);
        CHECK(report.bytes >= (size_t)fill * (sizeof(double) + sizeof(int)));
        factor_destroy(factor);
    }
    rig_close(&rig);
}

/* Known answers, so that each name means what it says. */
static void check_what_orderings_do(void) {
    int order[MOST], reversed[MOST], size;
    Status status;
    Rig rig;
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, 30, 30, 1.0);
    open_matrix(&rig, mesh, 1);
    const Matrix *matrix = &rig.system.stiffness;
    size = matrix->size;
    double flops;
    int64_t fill[ORDERINGS];
    for (int o = 0; o < ORDERINGS; ++o) {
        ordering_find(orderings[o], matrix, order, &status);
        fill[o] = count_fill(matrix, order, &flops);
    }
    printf("900 vertices, nnz(L): natural %lld, CM %lld, RCM %lld, AMD %lld, METIS %lld\n",
           (long long)fill[0], (long long)fill[1], (long long)fill[2], (long long)fill[3],
           (long long)fill[4]);
    CHECK(fill[2] <= fill[1]); /* reversing never adds fill */
    CHECK(fill[3] < 0.7 * (double)fill[0] && fill[4] < 0.7 * (double)fill[0]);
    ordering_find(ORDERING_CUTHILL_MCKEE, matrix, order, &status);
    ordering_find(ORDERING_REVERSE_CUTHILL_MCKEE, matrix, reversed, &status);
    for (int k = 0; k < size; ++k) {
        CHECK_INT(reversed[k], order[size - 1 - k]);
    }
    Matrix nowhere = *matrix; /* nothing to dissect by */
    nowhere.place = NULL;
    ordering_find(ORDERING_DISSECTION, &nowhere, order, &status);
    ordering_find(ORDERING_METIS, matrix, reversed, &status);
    CHECK(memcmp(order, reversed, (size_t)size * sizeof *order) == 0);
    CHECK_INT(ordering_resolve(ORDERING_AUTO, 10), ORDERING_AMD);
    CHECK_INT(ordering_resolve(ORDERING_AUTO, 100000), ORDERING_METIS);
    CHECK_INT(ordering_resolve(ORDERING_NATURAL, 100000), ORDERING_NATURAL);
    rig_close(&rig);
    mesh_free(mesh);
    /* a chain in a shuffled numbering: breadth first from one end gives it back */
    mesh = mesh_new();
    int chain[50];
    for (int i = 0; i < 50; ++i) {
        chain[i] = i * 17 % 50;
        mesh_add_vertex(mesh, i, 0, 0);
    }
    for (int i = 0; i + 1 < 50; ++i) {
        mesh_add_edge(mesh, chain[i], chain[i + 1]);
    }
    open_matrix(&rig, mesh, 0);
    ordering_find(ORDERING_CUTHILL_MCKEE, &rig.system.stiffness, order, &status);
    for (int i = 0; i < 50; ++i) {
        CHECK_INT(order[i], order[0] == chain[0] ? chain[i] : chain[49 - i]);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

static void compare_with_new(const Factor *factor, const Matrix *matrix, Ordering ordering) {
    Status status;
    Factor *other = factor_create(matrix, NULL, ordering, PRECISION_DOUBLE, &status);
    CHECK_INT(factor_compute(other, held, &status), STATUS_OK);
    for (int i = 0; i < matrix->size; ++i) {
        b[i] = random_vector(1);
    }
    solve_apply(factor_solve(factor), NULL, b, x);
    solve_apply(factor_solve(other), NULL, b, y);
    double worst = 0, largest = 0;
    for (int i = 0; i < matrix->size; ++i) {
        worst = fmax(worst, vec3_distance(x[i], y[i]));
        largest = fmax(largest, vec3_length(y[i]));
    }
    CHECK_BELOW(worst, 1e-10 * largest);
    factor_destroy(other);
}

static void check_row_updates(int model) {
    TestMesh *mesh = mesh_grid(GRID_MIXED, 12, 10, 1.0);
    Rig rig;
    open_matrix(&rig, mesh, model);
    const Matrix *matrix = &rig.system.stiffness;
    for (int o = 0; o < ORDERINGS; ++o) {
        Status status;
        Factor *factor = factor_create(matrix, NULL, orderings[o], PRECISION_DOUBLE, &status);
        random_held(matrix->size, 0.1);
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        int changed = 0;
        for (int round = 0; round < 60; ++round) {
            for (int change = random_below(4); change >= 0; --change, ++changed) {
                int v = random_below(matrix->size);
                held[v] = !held[v];
                CHECK_INT(factor_update_rows(factor, held, &status), STATUS_OK);
            }
            if (round % 10 == 9) {
                compare_with_new(factor, matrix, orderings[o]);
            }
        }
        check_solution(factor, matrix);
        FactorReport report;
        factor_report(factor, &report);
        CHECK_INT(report.row_update_count, changed);
        CHECK_INT(report.factor_count, 1);
        CHECK_INT(report.analysis_count, 1);
        factor_destroy(factor);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* factor_hold: a few by row updates, many by a new factor, none by nothing. */
static void check_hold(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 20, 20, 1.0);
    Rig rig;
    open_matrix(&rig, mesh, 1);
    const Matrix *matrix = &rig.system.stiffness;
    Status status;
    FactorReport report;
    Factor *factor = factor_create(matrix, NULL, ORDERING_AMD, PRECISION_DOUBLE, &status);
    memset(held, 0, sizeof held);
    CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
    CHECK_INT(factor_hold(factor, held, &status), STATUS_OK);
    factor_report(factor, &report);
    CHECK(report.factor_count == 1 && report.row_update_count == 0);
    held[5] = held[77] = 1;
    CHECK_INT(factor_hold(factor, held, &status), STATUS_OK);
    factor_report(factor, &report);
    CHECK(report.factor_count == 1 && report.row_update_count == 2);
    compare_with_new(factor, matrix, ORDERING_AMD);
    for (int i = 0; i < 60; ++i) {
        held[3 * i] = 1;
    }
    CHECK_INT(factor_hold(factor, held, &status), STATUS_OK);
    factor_report(factor, &report);
    CHECK(report.factor_count == 2 && report.row_update_count == 2);
    compare_with_new(factor, matrix, ORDERING_AMD);
    Factor *fresh = factor_create(matrix, NULL, ORDERING_AMD, PRECISION_DOUBLE, &status);
    memset(held, 0, sizeof held); /* as it was made; but there are no numbers yet */
    CHECK_INT(factor_hold(fresh, held, &status), STATUS_OK);
    factor_report(fresh, &report);
    CHECK(report.factor_count == 1 && report.row_update_count == 0);
    check_solution(fresh, matrix);
    factor_destroy(fresh);
    /* all held: the identity */
    memset(held, 1, sizeof held);
    CHECK_INT(factor_hold(factor, held, &status), STATUS_OK);
    check_solution(factor, matrix);
    factor_destroy(factor);
    rig_close(&rig);
    mesh_free(mesh);
}

static void check_refactor(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 9, 9, 1.0);
    Rig rig;
    open_matrix(&rig, mesh, 1);
    Matrix *matrix = &rig.system.stiffness;
    Status status;
    FactorReport report;
    Factor *factor = factor_create(matrix, NULL, ORDERING_METIS, PRECISION_DOUBLE, &status);
    memset(held, 0, sizeof held);
    for (int round = 1; round <= 3; ++round) {
        for (int i = 0; i < matrix->size; ++i) {
            matrix_add(matrix, i, i, random_between(0, 0.1));
        }
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        check_solution(factor, matrix);
        factor_report(factor, &report);
        CHECK_INT(report.analysis_count, 1);
        CHECK_INT(report.factor_count, round);
    }
    factor_destroy(factor);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Ends with the number, or goes on after it with something that is no digit. */
static bool names_vertex(const char *message, int vertex) {
    char wanted[32];
    snprintf(wanted, sizeof wanted, "vertex %d", vertex);
    const char *at = strstr(message, wanted);
    return at && (at[strlen(wanted)] < '0' || at[strlen(wanted)] > '9');
}

static void check_refusal(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 6, 6, 1.0);
    for (int o = 0; o < ORDERINGS; ++o) {
        Rig rig;
        open_matrix(&rig, mesh, 1);
        Matrix *matrix = &rig.system.stiffness;
        int bad = random_below(matrix->size);
        Status status = {0};
        memset(held, 0, sizeof held);
        Factor *factor = factor_create(matrix, NULL, orderings[o], PRECISION_DOUBLE, &status);
        double kept = matrix->value[matrix_slot(matrix, bad, bad)];
        const double wrong[] = {-kept, NAN};
        for (int i = 0; i < 2; ++i) {
            matrix->value[matrix_slot(matrix, bad, bad)] = wrong[i];
            CHECK_INT(factor_compute(factor, held, &status), STATUS_ERROR_MATRIX);
            /* elimination before it only lowers its pivot: no other can be the first to fail */
            if (!names_vertex(status.message, bad)) {
                printf("vertex %d is not named: %s\n", bad, status.message);
            }
            CHECK(names_vertex(status.message, bad));
        }
        matrix->value[matrix_slot(matrix, bad, bad)] = -kept;
        held[bad] = 1; /* a held unknown is not asked */
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        check_solution(factor, matrix);
        held[bad] = 0; /* released by a row update: found out as well */
        CHECK_INT(factor_hold(factor, held, &status), STATUS_ERROR_MATRIX);
        matrix->value[matrix_slot(matrix, bad, bad)] = kept;
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK); /* and it can be mended */
        check_solution(factor, matrix);
        factor_destroy(factor);
        rig_close(&rig);
    }
    mesh_free(mesh);
}

/* Two unknowns that hold to each other more than to themselves: the one that is released may be sound by itself, and what
 * is eliminated after it is not. */
static void check_refused_release(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 6, 6, 1.0);
    Rig rig;
    open_matrix(&rig, mesh, 1);
    Matrix *matrix = &rig.system.stiffness;
    for (int o = 0; o < ORDERINGS; ++o) {
        Status status = {0};
        memset(held, 0, sizeof held);
        Factor *factor = factor_create(matrix, NULL, orderings[o], PRECISION_DOUBLE, &status);
        for (int p = 0; p < matrix->start[matrix->size]; p += 3) {
            int j = matrix->column[p], i = 0;
            while (matrix->start[i + 1] <= p) {
                ++i;
            }
            double *one = &matrix->value[p], *two = &matrix->value[matrix_slot(matrix, j, i)];
            double kept = *one;
            if (i == j) {
                continue;
            }
            *one = *two = 100;
            held[i] = 1;
            CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
            check_solution(factor, matrix);
            held[i] = 0;
            CHECK_INT(factor_hold(factor, held, &status), STATUS_ERROR_MATRIX);
            *one = *two = kept;
            CHECK_INT(factor_compute(factor, held, &status), STATUS_OK); /* and it can be mended */
            check_solution(factor, matrix);
        }
        factor_destroy(factor);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* |one - two| / |two|, the worst of the three right-hand sides. */
static double difference(const Vec3 *one, const Vec3 *two, int size) {
    Vec3 apart = {0}, whole = {0};
    for (int i = 0; i < size; ++i) {
        Vec3 d = vec3_sub(one[i], two[i]), w = two[i];
        apart = vec3_add(apart, vec3(d.x * d.x, d.y * d.y, d.z * d.z));
        whole = vec3_add(whole, vec3(w.x * w.x, w.y * w.y, w.z * w.z));
    }
    return sqrt(fmax(apart.x / whole.x, fmax(apart.y / whole.y, apart.z / whole.z)));
}

/* Single precision, and column by column, on matrices as tame as those of check_solution. */
static void check_single(TestMesh *mesh, int model) {
    Rig rig;
    open_matrix(&rig, mesh, model);
    const Matrix *matrix = &rig.system.stiffness;
    for (int o = 0; o < ORDERINGS; ++o) {
        Status status;
        Factor *factor = factor_create(matrix, NULL, orderings[o], PRECISION_SINGLE, &status);
        random_held(matrix->size, 0.2 * random_below(3));
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        CHECK_INT(factor_solve(factor)->precision, PRECISION_SINGLE);
        for (int i = 0; i < matrix->size; ++i) {
            b[i] = random_vector(1);
        }
        solve_apply(factor_solve(factor), NULL, b, x);
        CHECK_BELOW(residual(matrix), 1e-4); /* rounding x alone leaves up to 6e-8 |A| |x| / |b| */
        factor_solve_exactly(factor, b, x);
        CHECK_BELOW(residual(matrix), 1e-12);
        factor_destroy(factor);
    }
    rig_close(&rig);
}

/* The same for x against y in the norm of the matrix, sqrt(x'Ax). */
static double energy_error(const Matrix *matrix) {
    Vec3 apart = {0}, whole = {0};
    for (int i = 0; i < matrix->size; ++i) {
        Vec3 d = vec3_sub(x[i], y[i]);
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            int j = matrix->column[p];
            Vec3 e = vec3_scale(matrix->value[p], vec3_sub(x[j], y[j]));
            Vec3 w = vec3_scale(matrix->value[p], y[j]);
            apart = vec3_add(apart, vec3(d.x * e.x, d.y * e.y, d.z * e.z));
            whole = vec3_add(whole, vec3(y[i].x * w.x, y[i].y * w.y, y[i].z * w.z));
        }
    }
    return sqrt(fmax(apart.x / whole.x, fmax(apart.y / whole.y, apart.z / whole.z)));
}

/* M + s K from soft to absurdly stiff, loaded evenly, irregularly and with changing signs. Whatever precision is
 * chosen, the answer is good to a thousandth in energy, after a few pins, too; and at the end single precision is not
 * chosen. */
static void check_stiff(void) {
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, 34, 34, 1.0);
    int singles = 0, doubles = 0;
    for (double scale = 1; scale < 1e11; scale *= 100) {
        Rig rig;
        open_matrix(&rig, mesh, 1);
        Matrix *matrix = &rig.system.stiffness;
        memset(held, 0, sizeof held);
        for (int p = 0; p < matrix->start[matrix->size]; ++p) {
            matrix->value[p] *= scale;
        }
        for (int i = 0; i < matrix->size; ++i) {
            matrix_add(matrix, i, i, (1 - scale) * rig.system.mass[i]);
            b[i] = vec3(rig.system.mass[i], random_between(-1, 1), i % 2 ? 1 : -1);
        }
        Status status;
        FactorReport report;
        Factor *factor = factor_create(matrix, NULL, ORDERING_METIS, PRECISION_AUTO, &status);
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        factor_report(factor, &report);
        solve_apply(factor_solve(factor), NULL, b, x);
        factor_solve_exactly(factor, b, y);
        printf("stiffness x %g: trial error %.2g, %s, error %.2g\n", scale, report.trial_error,
               report.precision == PRECISION_SINGLE ? "single" : "double",
               difference(x, y, matrix->size));
        CHECK_BELOW(energy_error(matrix), 1e-3);
        *(report.precision == PRECISION_SINGLE ? &singles : &doubles) += 1;
        held[7] = held[500] = held[501] = 1; /* a few rows differ */
        CHECK_INT(factor_hold(factor, held, &status), STATUS_OK);
        solve_apply(factor_solve(factor), NULL, b, x);
        factor_solve_exactly(factor, b, y);
        CHECK_BELOW(energy_error(matrix), 1e-3);
        factor_destroy(factor);
        rig_close(&rig);
    }
    CHECK(singles > 0 && doubles > 0);
    mesh_free(mesh);
}

/* Numbers that single precision does not hold, in kilograms of another world: of the inverse, all would be zero
 * or infinite. Nothing is left to try where everything is held. */
static void check_range(double scale, int all_held) {
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, 34, 34, 1.0);
    Rig rig;
    open_matrix(&rig, mesh, 1);
    Matrix *matrix = &rig.system.stiffness;
    Status status;
    FactorReport report;
    memset(held, all_held, sizeof held);
    for (int p = 0; p < matrix->start[matrix->size]; ++p) {
        matrix->value[p] *= scale;
    }
    for (int i = 0; i < matrix->size; ++i) {
        b[i] = all_held ? vec3(1, 2, 3) : vec3_scale(scale, random_vector(1));
    }
    Factor *factor = factor_create(matrix, NULL, ORDERING_METIS, PRECISION_AUTO, &status);
    CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
    factor_report(factor, &report);
    CHECK_INT(report.precision, all_held ? PRECISION_SINGLE : PRECISION_DOUBLE);
    solve_apply(factor_solve(factor), NULL, b, x);
    factor_solve_exactly(factor, b, y);
    CHECK_BELOW(difference(x, y, matrix->size), 1e-9);
    factor_destroy(factor);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Enough for several tasks: the same bytes for any number of threads, and the answer of the columns. */
static void check_threads(Ordering ordering, Precision precision) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 70, 70, 1.0);
    Rig rig;
    open_matrix(&rig, mesh, 1);
    int size = rig.system.stiffness.size;
    size_t bytes = (size_t)size * sizeof(Vec3);
    Vec3 *load = malloc(bytes), *one = malloc(bytes), *many = malloc(bytes);
    uint8_t *none = calloc((size_t)size, 1);
    Status status;
    Factor *factor = factor_create(&rig.system.stiffness, NULL, ordering, precision, &status);
    CHECK_INT(factor_compute(factor, none, &status), STATUS_OK);
    CHECK(factor_solve(factor)->panels.task_count > 4);
    for (int i = 0; i < size; ++i) {
        load[i] = random_vector(1);
    }
    factor_solve_exactly(factor, load, many);
    solve_apply(factor_solve(factor), NULL, load, one);
    CHECK_BELOW(difference(one, many, size), precision == PRECISION_SINGLE ? 1e-5 : 1e-11);
    for (int threads = 1; threads <= 5; ++threads) {
        Pool *pool = pool_create(threads);
        for (int round = 0; round < 20; ++round) {
            memcpy(many, load, bytes);
            solve_apply(factor_solve(factor), pool, many, many);
            CHECK(memcmp(one, many, bytes) == 0);
        }
        pool_destroy(pool);
    }
    factor_destroy(factor);
    free(load);
    free(one);
    free(many);
    free(none);
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    random_start(11);
    for (int round = 0; round < 6; ++round) {
        TestMesh *mesh = mesh_random();
        check_orderings(mesh, round % 2);
        check_single(mesh, round % 2);
        mesh_free(mesh);
    }
    TestMesh *rope = mesh_rope(2, 1.0);
    check_orderings(rope, 0);
    mesh_free(rope);
    TestMesh *parts = mesh_new(); /* several components and an isolated vertex */
    for (int i = 0; i < 13; ++i) {
        mesh_add_vertex(parts, i % 3, i / 3, 0);
    }
    for (int i = 0; i < 12; i += 3) {
        mesh_add_triangle(parts, i, i + 1, (i + 3) % 12);
    }
    check_orderings(parts, 1);
    mesh_free(parts);
    check_what_orderings_do();
    check_row_updates(0);
    check_row_updates(1);
    check_hold();
    check_refactor();
    check_refusal();
    check_refused_release();
    check_stiff();
    check_range(1e60, 0);
    check_range(1e-60, 0);
    check_range(1e60, 1);
    check_threads(ORDERING_METIS, PRECISION_SINGLE);
    check_threads(ORDERING_AMD, PRECISION_SINGLE);
    check_threads(ORDERING_METIS, PRECISION_DOUBLE);
    return check_result();
}
