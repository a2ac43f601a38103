/* The numeric factorisation against CHOLMOD's L D L', the same bytes for any number of threads, rows that come and go
 * against a new factor, refusals; and the dissection by places. */
#include <cholmod.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linear/factor.h"
#include "linear/ordering.h"
#include "rig.h"

#define SIDE 72
#define SIZE (SIDE * SIDE)

static uint8_t held[SIZE];

/* K becomes M + h^2 K: what a cloth factors. */
static TestMesh *open_sheet(Rig *rig, GridKind kind, int side) {
    TestMesh *mesh = mesh_grid(kind, side, side, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = rig_material();
    rig_open(rig, mesh, &options, &material);
    Matrix *matrix = &rig->system.stiffness;
    for (int p = 0; p < matrix->start[matrix->size]; ++p) {
        matrix->value[p] *= 1e-3;
    }
    for (int i = 0; i < matrix->size; ++i) {
        matrix_add(matrix, i, i, rig->system.mass[i]);
    }
    return mesh;
}

static void hold_some(int size, double share) {
    for (int i = 0; i < size; ++i) {
        held[i] = random_between(0, 1) < share;
    }
}

/* --- against CHOLMOD -------------------------------------------------------------------------- */

/* The matrix with held rows as those of the identity, by CHOLMOD in the order of the factor. */
static cholmod_factor *factor_by_cholmod(const Matrix *matrix, int *order, cholmod_common *common) {
    int entries = matrix->start[matrix->size];
    double *value = malloc((size_t)entries * sizeof *value);
    for (int i = 0; i < matrix->size; ++i) {
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            int j = matrix->column[p];
            value[p] = held[i] || held[j] ? i == j : matrix->value[p];
        }
    }
    cholmod_sparse view = {.nrow = (size_t)matrix->size,
                           .ncol = (size_t)matrix->size,
                           .nzmax = (size_t)entries,
                           .p = matrix->start,
                           .i = matrix->column,
                           .x = value,
                           .stype = 1,
                           .itype = CHOLMOD_INT,
                           .xtype = CHOLMOD_REAL,
                           .dtype = CHOLMOD_DOUBLE,
                           .sorted = 1,
                           .packed = 1};
    cholmod_start(common);
    common->print = 0;
    common->supernodal = CHOLMOD_SIMPLICIAL;
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    common->postorder = 0;
    cholmod_factor *factor = cholmod_analyze_p(&view, order, NULL, 0, common);
    CHECK(factor && cholmod_factorize(&view, factor, common));
    free(value);
    return factor;
}

/* L(row, column) with its unit diagonal. */
static double entry(const cholmod_factor *factor, int row, int column) {
    const int *start = factor->p, *count = factor->nz, *rows = factor->i;
    const double *value = factor->x;
    for (int p = start[column]; p < start[column] + count[column]; ++p) {
        if (rows[p] == row) {
            return row == column ? 1.0 : value[p];
        }
    }
    return 0.0;
}

static double pivot_of(const cholmod_factor *factor, int column) {
    return ((const double *)factor->x)[((const int *)factor->p)[column]];
}

static double packed(const double *number, int width, int i, int j) {
    return number[i / PANEL_ROWS * PANEL_ROWS * width + PANEL_ROWS * j + i % PANEL_ROWS];
}

/* S L1 D L1' = I and B L1 = L2; the largest error, over the largest number of S times the matrix's. */
static double panel_error(const Panels *panels, const Panel *panel, const double *value,
                          const cholmod_factor *factor) {
    const double *square = value + panel->square, *below = value + panel->below;
    double worst = 0, l[PANEL_WIDTH][PANEL_WIDTH], f[PANEL_WIDTH][PANEL_WIDTH];
    int width = panel->width, first = panel->column;
    for (int i = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            l[i][j] = j <= i ? entry(factor, first + i, first + j) : 0.0;
        }
    }
    for (int i = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            f[i][j] = 0;
            for (int k = 0; k < width; ++k) {
                f[i][j] += l[i][k] * pivot_of(factor, first + k) * l[j][k];
            }
        }
    }
    for (int i = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            double sum = i == j ? -1.0 : 0.0;
            for (int k = 0; k < width; ++k) {
                sum += packed(square, width, i, k) * f[k][j];
            }
            worst = fmax(worst, fabs(sum));
        }
    }
    for (int i = 0; i < panel->count; ++i) {
        int row = panels->source[panel->list + (size_t)i];
        for (int j = 0; j < width; ++j) {
            double sum = entry(factor, row, first + j);
            for (int k = 0; k < width; ++k) {
                sum += packed(below, width, i, k) * l[k][j]; /* -B is kept */
            }
            worst = fmax(worst, fabs(sum));
        }
    }
    return worst;
}

static void check_cholmod(GridKind kind, Ordering ordering, double share) {
    Rig rig;
    Status status;
    TestMesh *mesh = open_sheet(&rig, kind, 33);
    const Matrix *matrix = &rig.system.stiffness;
    hold_some(matrix->size, share);
    Factor *factor = factor_create(matrix, NULL, ordering, PRECISION_DOUBLE, &status);
    CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
    const Solve *solve = factor_solve(factor);
    int order[SIZE];
    for (int k = 0; k < matrix->size; ++k) {
        order[solve->panels.column[k]] = solve->permutation[k];
    }
    cholmod_common common;
    cholmod_factor *other = factor_by_cholmod(matrix, order, &common);
    CHECK(memcmp(order, other->Perm, (size_t)matrix->size * sizeof(int)) == 0);
    double worst = 0;
    for (int p = 0; p < solve->panels.count; ++p) {
        worst =
            fmax(worst, panel_error(&solve->panels, &solve->panels.panel[p], solve->value, other));
    }
    printf("ordering %d, %.0f %% held: %.2g from CHOLMOD's\n", ordering, 100 * share, worst);
    CHECK_BELOW(worst, 1e-11); /* S F is I to rounding times the condition of F, below 1e4 */
    cholmod_free_factor(&other, &common);
    cholmod_finish(&common);
    factor_destroy(factor);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- threads, rows, refusals ------------------------------------------------------------------ */

static void check_threads(Ordering ordering, Precision precision) {
    Rig rig;
    Status status;
    TestMesh *mesh = open_sheet(&rig, GRID_IRREGULAR, SIDE);
    hold_some(SIZE, 0.01);
    Factor *factor = factor_create(&rig.system.stiffness, NULL, ordering, precision, &status);
    CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
    const Solve *solve = factor_solve(factor);
    size_t number = precision == PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    size_t bytes = solve->panels.value_count * number;
    void *first = malloc(bytes);
    memcpy(first, solve->value, bytes);
    for (int threads = 1; threads <= 4; ++threads) {
        Pool *pool = pool_create(threads);
        factor_use_pool(factor, pool);
        for (int round = 0; round < 3; ++round) {
            memset(solve->value, 0xff, bytes);
            CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
            CHECK(memcmp(first, solve->value, bytes) == 0);
        }
        /* several that fail: the first in the order of elimination is named by any number of threads */
        Matrix *matrix = &rig.system.stiffness;
        static char message[sizeof status.message];
        double kept[3];
        for (int i = 0; i < 3; ++i) {
            double *entry_at = &matrix->value[matrix_slot(matrix, 1700 * i, 1700 * i)];
            held[1700 * i] = 0;
            kept[i] = *entry_at;
            *entry_at = -1;
        }
        CHECK_INT(factor_compute(factor, held, &status), STATUS_ERROR_MATRIX);
        CHECK(threads == 1 || strcmp(message, status.message) == 0);
        memcpy(message, status.message, sizeof message);
        CHECK(strstr(message, "vertex") != NULL);
        for (int i = 0; i < 3; ++i) {
            matrix->value[matrix_slot(matrix, 1700 * i, 1700 * i)] = kept[i];
        }
        CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
        memcpy(first, solve->value, bytes); /* of what is held now */
        factor_use_pool(factor, NULL);
        pool_destroy(pool);
    }
    free(first);
    factor_destroy(factor);
    rig_close(&rig);
    mesh_free(mesh);
}

static double largest_apart(const double *one, const double *two, size_t count) {
    double apart = 0;
    for (size_t i = 0; i < count; ++i) {
        apart = fmax(apart, fabs(one[i] - (two ? two[i] : 0.0)));
    }
    return apart;
}

/* Largest difference of two packed factors over the panel's largest number. */
static double factor_difference(const Solve *one, const Solve *two) {
    const double *own = one->value, *other = two->value;
    double worst = 0;
    for (int p = 0; p < one->panels.count; ++p) {
        const Panel *panel = &one->panels.panel[p];
        size_t square = panel_square(panel), below = panel_below(panel);
        double apart = fmax(largest_apart(own + panel->square, other + panel->square, square),
                            largest_apart(own + panel->below, other + panel->below, below));
        worst = fmax(worst, apart / fmax(largest_apart(other + panel->square, NULL, square),
                                         largest_apart(other + panel->below, NULL, below)));
    }
    return worst;
}

/* Rows in and out, some often: the same numbers as a new factor; in single precision they are these, rounded. */
static void check_rows(Ordering ordering) {
    Rig rig;
    Status status;
    TestMesh *mesh = open_sheet(&rig, GRID_IRREGULAR, 40);
    const Matrix *matrix = &rig.system.stiffness;
    Factor *factor = factor_create(matrix, NULL, ordering, PRECISION_DOUBLE, &status);
    Factor *single = factor_create(matrix, NULL, ordering, PRECISION_SINGLE, &status);
    Factor *fresh = factor_create(matrix, NULL, ordering, PRECISION_DOUBLE, &status);
    hold_some(matrix->size, 0.05);
    CHECK_INT(factor_compute(factor, held, &status), STATUS_OK);
    CHECK_INT(factor_compute(single, held, &status), STATUS_OK);
    for (int round = 0; round < 40; ++round) {
        for (int change = 0; change < 5; ++change) {
            int v = change < 2 ? change * 700 : random_below(matrix->size);
            held[v] = !held[v];
        }
        CHECK_INT(factor_update_rows(factor, held, &status), STATUS_OK);
        CHECK_INT(factor_update_rows(single, held, &status), STATUS_OK);
    }
    CHECK_INT(factor_compute(fresh, held, &status), STATUS_OK);
    CHECK_BELOW(factor_difference(factor_solve(factor), factor_solve(fresh)), 1e-9);
    const float *rounded = factor_solve(single)->value;
    const double *whole = factor_solve(factor)->value;
    size_t same = 0, count = factor_solve(factor)->panels.value_count;
    for (size_t i = 0; i < count; ++i) {
        same += rounded[i] == (float)whole[i];
    }
    CHECK(same == count);
    factor_destroy(factor);
    factor_destroy(single);
    factor_destroy(fresh);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- the dissection --------------------------------------------------------------------------- */

static int64_t fill_of(const Matrix *matrix, Ordering ordering, Ordering taken) {
    Status status;
    FactorReport report;
    Factor *factor = factor_create(matrix, NULL, ordering, PRECISION_SINGLE, &status);
    CHECK(factor != NULL);
    factor_report(factor, &report);
    CHECK_INT(report.ordering, taken);
    factor_destroy(factor);
    return report.factor_nonzeros;
}

static void check_dissection(GridKind kind, double most) {
    Rig rig;
    Status status;
    TestMesh *mesh = open_sheet(&rig, kind, SIDE);
    Matrix *matrix = &rig.system.stiffness;
    static int order[SIZE], seen[SIZE];
    bool good;
    memset(seen, 0, sizeof seen);
    CHECK_INT(dissection_find(matrix, order, &good, &status), STATUS_OK);
    CHECK_INT(good, 1);
    for (int k = 0; k < SIZE; ++k) {
        CHECK(order[k] >= 0 && order[k] < SIZE && !seen[order[k]]++);
    }
    int64_t own = fill_of(matrix, ORDERING_AUTO, ORDERING_DISSECTION);
    int64_t metis = fill_of(matrix, ORDERING_METIS, ORDERING_METIS);
    printf("%d vertices: nnz(L) dissected %lld, METIS %lld\n", SIZE, (long long)own,
           (long long)metis);
    CHECK(own == fill_of(matrix, ORDERING_DISSECTION, ORDERING_DISSECTION));
    CHECK((double)own < most * (double)metis);
    /* places that have nothing to do with the matrix, and none */
    Vec3 *places = malloc(SIZE * sizeof *places);
    for (int i = 0; i < SIZE; ++i) {
        places[i] = random_vector(1);
    }
    matrix->place = places;
    CHECK_INT(dissection_find(matrix, order, &good, &status), STATUS_OK);
    CHECK_INT(good, 0);
    CHECK(fill_of(matrix, ORDERING_AUTO, ORDERING_METIS) == metis);
    matrix->place = NULL;
    CHECK(fill_of(matrix, ORDERING_AUTO, ORDERING_METIS) == metis);
    free(places);
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    random_start(23);
    check_cholmod(GRID_ALTERNATING, ORDERING_METIS, 0.0);
    check_cholmod(GRID_IRREGULAR, ORDERING_METIS, 0.1);
    check_cholmod(GRID_IRREGULAR, ORDERING_AMD, 0.02);
    check_cholmod(GRID_MIXED, ORDERING_NATURAL, 0.0);
    check_cholmod(GRID_QUADS, ORDERING_DISSECTION, 0.05);
    check_threads(ORDERING_METIS, PRECISION_DOUBLE);
    check_threads(ORDERING_AMD, PRECISION_SINGLE);
    check_rows(ORDERING_METIS);
    check_rows(ORDERING_AMD);
    check_rows(ORDERING_NATURAL);
    check_dissection(GRID_ALTERNATING, 1.05);
    check_dissection(GRID_IRREGULAR, 1.15);
    return check_result();
}
