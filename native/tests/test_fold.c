/* The factor of a folded matrix: y and z by the matrix itself, x by one that is softer beside the plane and holds the
 * unknowns on it; against dense elimination, with any order, precision, pins and threads. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linear/factor.h"
#include "meshes.h"
#include "rig.h"

#define NX 9
#define NY 14
#define SIZE (NX * NY)

typedef struct Folded {
    Rig rig;
    Matrix matrix;
    Fold fold;
    int side[NY];
    double softer[SIZE];
    uint8_t held[SIZE];
} Folded;

/* Numbers the grid's columns from the right to the left, so that the first column, on the plane, comes last. */
static TestMesh *turned_grid(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, NX, NY, 0.8);
    TestMesh *turned = mesh_new();
    int number[SIZE];
    for (int x = NX - 1; x >= 0; --x) {
        for (int y = 0; y < NY; ++y) {
            const float *at = mesh->positions + 3 * (y * NX + x);
            number[y * NX + x] = mesh_add_vertex(turned, at[0], at[1], at[2]);
        }
    }
    const int32_t *corner = mesh->face_vertices;
    for (int f = 0; f < mesh->polygons.face_count; corner += mesh->face_sizes[f++]) {
        mesh_add_triangle(turned, number[corner[0]], number[corner[1]], number[corner[2]]);
    }
    mesh_free(mesh);
    return turned;
}

static void open_folded(Folded *folded) {
    memset(folded, 0, sizeof *folded);
    TestMesh *mesh = turned_grid();
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = rig_material();
    rig_open(&folded->rig, mesh, &options, &material);
    mesh_free(mesh);
    folded->matrix = folded->rig.system.stiffness;
    for (int i = 0; i < SIZE; ++i) {
        matrix_add(&folded->matrix, i, i, 5.0 + random_between(0, 3));
    }
    folded->fold = (Fold){.held_from = SIZE - NY, .side = folded->side, .softer = folded->softer};
    for (int y = 0; y < NY; y += y == 4 ? 2 : 1) { /* all but one of the column beside the plane */
        int i = SIZE - 2 * NY + y;
        folded->side[folded->fold.side_count++] = i;
        folded->softer[i] = random_between(1, 4);
    }
}

static void close_folded(Folded *folded) { rig_close(&folded->rig); }

/* The dense matrix of one coordinate. */
static double *dense_coordinate(const Folded *folded, int axis) {
    double *a = dense_of(&folded->matrix);
    for (int s = 0; s < folded->fold.side_count && axis == 0; ++s) {
        int i = folded->side[s];
        a[i * SIZE + i] -= folded->softer[i];
    }
    for (int i = 0; i < SIZE; ++i) {
        if (folded->held[i] || (axis == 0 && i >= folded->fold.held_from)) {
            for (int j = 0; j < SIZE; ++j) {
                a[i * SIZE + j] = a[j * SIZE + i] = i == j;
            }
        }
    }
    return a;
}

static double component(Vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Largest error of the factor's answer over the largest number of the right one. */
static double error_of(const Folded *folded, const Factor *factor, Pool *pool) {
    Vec3 b[SIZE], x[SIZE];
    double worst = 0;
    for (int i = 0; i < SIZE; ++i) {
        b[i] = folded->held[i] ? vec3(0, 0, 0) : random_vector(1);
    }
    solve_apply(factor_solve(factor), pool, b, x);
    for (int axis = 0; axis < 3; ++axis) {
        double *a = dense_coordinate(folded, axis), right[SIZE], largest = 0, off = 0;
        for (int i = 0; i < SIZE; ++i) {
            bool gone = axis == 0 && i >= folded->fold.held_from;
            right[i] = gone ? 0.0 : component(b[i], axis);
        }
        gauss_solve(SIZE, a, right);
        for (int i = 0; i < SIZE; ++i) {
            largest = fmax(largest, fabs(right[i]));
            off = fmax(off, fabs(right[i] - component(x[i], axis)));
        }
        worst = fmax(worst, off / largest);
        free(a);
    }
    return worst;
}

static void check_answers(void) {
    static const Ordering orderings[] = {ORDERING_NATURAL, ORDERING_AMD, ORDERING_METIS,
                                         ORDERING_CUTHILL_MCKEE};
    Folded folded;
    Status status;
    open_folded(&folded);
    Pool *pool = pool_create(3);
    for (size_t o = 0; o < sizeof orderings / sizeof *orderings; ++o) {
        for (int precision = PRECISION_SINGLE; precision <= PRECISION_DOUBLE; ++precision) {
            double allowed = precision == PRECISION_SINGLE ? 1e-5 : 1e-12;
            memset(folded.held, 0, sizeof folded.held);
            Factor *factor = factor_create(&folded.matrix, &folded.fold, orderings[o],
                                           (Precision)precision, &status);
            CHECK(factor != NULL);
            CHECK_INT(factor_compute(factor, folded.held, &status), STATUS_OK);
            CHECK(error_of(&folded, factor, NULL) < allowed);
            CHECK(error_of(&folded, factor, pool) < allowed);
            /* pins inside, beside the plane and on it: by rows, then anew, then released */
            folded.held[7] = folded.held[folded.side[3]] = folded.held[SIZE - 2] = 1;
            CHECK_INT(factor_update_rows(factor, folded.held, &status), STATUS_OK);
            CHECK(error_of(&folded, factor, pool) < allowed);
            CHECK_INT(factor_compute(factor, folded.held, &status), STATUS_OK);
            CHECK(error_of(&folded, factor, NULL) < allowed);
            folded.held[folded.side[3]] = 0;
            CHECK_INT(factor_hold(factor, folded.held, &status), STATUS_OK);
            CHECK(error_of(&folded, factor, NULL) < allowed);
            factor_destroy(factor);
        }
    }
    pool_destroy(pool);
    close_folded(&folded);
}

/* Without sides x only holds what is on the plane; without anything on the plane it is the matrix itself. */
static void check_special(void) {
    Folded folded;
    Status status;
    open_folded(&folded);
    folded.fold.side_count = 0;
    for (int bare = 0; bare < 2; ++bare) {
        folded.fold.held_from = bare ? SIZE : SIZE - NY;
        Factor *factor =
            factor_create(&folded.matrix, &folded.fold, ORDERING_METIS, PRECISION_DOUBLE, &status);
        CHECK_INT(factor_compute(factor, folded.held, &status), STATUS_OK);
        CHECK(error_of(&folded, factor, NULL) < 1e-12);
        factor_destroy(factor);
    }
    close_folded(&folded);
}

/* The trial of single precision knows the fold, too. */
static void check_single(void) {
    Folded folded;
    Status status;
    Vec3 b[SIZE], plain[SIZE], exact[SIZE];
    open_folded(&folded);
    Factor *single =
        factor_create(&folded.matrix, &folded.fold, ORDERING_METIS, PRECISION_SINGLE, &status);
    Factor *twice =
        factor_create(&folded.matrix, &folded.fold, ORDERING_METIS, PRECISION_DOUBLE, &status);
    CHECK_INT(factor_compute(single, folded.held, &status), STATUS_OK);
    CHECK_INT(factor_compute(twice, folded.held, &status), STATUS_OK);
    for (int i = 0; i < SIZE; ++i) {
        b[i] = random_vector(1);
        b[i].x *= i < folded.fold.held_from;
    }
    solve_apply(factor_solve(single), NULL, b, plain);
    solve_apply(factor_solve(twice), NULL, b, exact);
    double off = 0;
    for (int i = 0; i < SIZE; ++i) {
        off = fmax(off, vec3_distance(plain[i], exact[i]));
    }
    CHECK(off > 1e-10);
    factor_destroy(single);
    factor_destroy(twice);
    close_folded(&folded);
}

/* A side that is softer than the matrix is stiff leaves nothing positive: an error, not a number. */
static void check_indefinite(void) {
    Folded folded;
    Status status;
    open_folded(&folded);
    folded.softer[folded.side[2]] = 1e7;
    Factor *factor =
        factor_create(&folded.matrix, &folded.fold, ORDERING_AMD, PRECISION_DOUBLE, &status);
    CHECK_INT(factor_compute(factor, folded.held, &status), STATUS_ERROR_MATRIX);
    CHECK(strstr(status.message, "mirror plane") != NULL);
    factor_destroy(factor);
    close_folded(&folded);
}

int main(void) {
    check_answers();
    check_special();
    check_single();
    check_indefinite();
    return check_result();
}
