/* Conjugate gradients on 3 x 3 blocks against a dense solve, with held unknowns. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linear/krylov.h"
#include "rig.h"

#define MOST 64

typedef struct Problem {
    Rig rig;
    TestMesh *mesh;
    BlockMatrix blocks;
    Pcg pcg;
    uint8_t held[MOST];
    Vec3 b[MOST], x[MOST];
} Problem;

/* A cloth's own matrix: mass plus the springs' Hessian of a random stretched state. */
static void open_problem(Problem *problem, double held_share) {
    SystemOptions options = {.model = random_below(2) ? MODEL_TRIANGLE : MODEL_EDGE};
    Material material = rig_material();
    *problem = (Problem){.mesh = mesh_random()};
    Rig *rig = &problem->rig;
    rig_open(rig, problem->mesh, &options, &material);
    const Matrix *pattern = &rig->system.stiffness;
    problem->blocks.pattern = pattern;
    problem->blocks.block = STORE_ARRAY(&rig->store, Block, pattern->start[pattern->size]);
    rig_find_slots(rig, &problem->blocks);
    Vec3 state[MOST];
    rig_state(rig, 1.2, 0.05, state);
    rig_add_hessian(rig, state, 1e-3, &problem->blocks);
    for (int i = 0; i < pattern->size; ++i) {
        block_add_diagonal(&problem->blocks.block[matrix_slot(pattern, i, i)], rig->system.mass[i]);
        problem->held[i] = random_between(0, 1) < held_share;
        problem->b[i] = random_vector(1);
        problem->x[i] = random_vector(1); /* must not matter */
    }
    CHECK_INT(pcg_build(&problem->pcg, pattern->size, &rig->store, &rig->status), STATUS_OK);
}

static void close_problem(Problem *problem) {
    rig_close(&problem->rig);
    mesh_free(problem->mesh);
}

/* Coordinate `at` of a list of vectors. */
static double coordinate(const Vec3 *list, int at) {
    Vec3 v = list[at / 3];
    return at % 3 == 0 ? v.x : at % 3 == 1 ? v.y : v.z;
}

/* Rows and columns of held vertices are those of the identity. */
static double *dense_matrix(const Problem *problem) {
    const Matrix *pattern = problem->blocks.pattern;
    int size = 3 * pattern->size;
    double *a = dense_new(size);
    for (int i = 0; i < pattern->size; ++i) {
        for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
            int j = pattern->column[p];
            bool kept = !problem->held[i] && !problem->held[j];
            for (int c = 0; c < 9; ++c) {
                double value = kept ? problem->blocks.block[p].m[c] : i == j && c % 4 == 0;
                a[(3 * i + c / 3) * size + 3 * j + c % 3] = value;
            }
        }
    }
    return a;
}

static void solve_dense(const Problem *problem, double *solution) {
    int size = 3 * problem->blocks.pattern->size;
    double *a = dense_matrix(problem);
    for (int i = 0; i < size; ++i) {
        solution[i] = problem->held[i / 3] ? 0.0 : coordinate(problem->b, i);
    }
    gauss_solve(size, a, solution);
    free(a);
}

static double residual_of(Problem *problem) {
    const Matrix *pattern = problem->blocks.pattern;
    double sum = 0, scale = 0;
    for (int i = 0; i < pattern->size; ++i) {
        if (!problem->held[i]) {
            Vec3 r = vec3_scale(-1, problem->b[i]);
            for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
                const Block *block = &problem->blocks.block[p];
                r = vec3_add(r, block_times(block, problem->x[pattern->column[p]]));
            }
            sum += vec3_dot(r, r);
            scale += vec3_dot(problem->b[i], problem->b[i]);
        }
    }
    return sqrt(sum / scale);
}

static int run(Problem *problem, double tolerance, int limit) {
    return pcg_solve(&problem->pcg, problem->rig.pool, &problem->blocks, problem->held, problem->b,
                     tolerance, limit, problem->x);
}

static void check_against_dense(double held_share) {
    Problem problem;
    open_problem(&problem, held_share);
    int size = problem.blocks.pattern->size;
    double wanted[3 * MOST], largest = 0;
    solve_dense(&problem, wanted);
    for (int i = 0; i < 3 * size; ++i) {
        largest = fmax(largest, fabs(wanted[i]));
    }
    int iterations = run(&problem, 1e-12, 2000);
    CHECK(iterations > 0 && iterations < 2000);
    CHECK_BELOW(residual_of(&problem), 1e-11);
    for (int i = 0; i < 3 * size; ++i) {
        /* residual 1e-12 times the condition number, about 1e3 here */
        CHECK_NEAR(coordinate(problem.x, i), wanted[i], 1e-8 * largest);
    }
    for (int i = 0; i < size; ++i) {
        CHECK(!problem.held[i] || vec3_length(problem.x[i]) == 0);
    }
    /* looser tolerances are kept, with fewer iterations */
    int loose = run(&problem, 1e-3, 2000);
    CHECK_BELOW(residual_of(&problem), 1.001e-3);
    CHECK(loose < iterations);
    /* the limit is one */
    CHECK_INT(run(&problem, 1e-12, 3), 3);
    close_problem(&problem);
}

static void check_edge_cases(void) {
    Problem problem;
    open_problem(&problem, 0.2);
    memset(problem.b, 0, sizeof problem.b);
    CHECK_INT(run(&problem, 1e-6, 100), 0);
    for (int i = 0; i < problem.blocks.pattern->size; ++i) {
        CHECK(vec3_length(problem.x[i]) == 0);
        problem.b[i] = random_vector(1);
        problem.x[i] = random_vector(1);
    }
    memset(problem.held, 1, sizeof problem.held);
    CHECK_INT(run(&problem, 1e-6, 100), 0);
    for (int i = 0; i < problem.blocks.pattern->size; ++i) {
        CHECK(vec3_length(problem.x[i]) == 0);
    }
    close_problem(&problem);
}

/* Blocks between vertices that outweigh those of the vertices themselves: there is nothing to be found, and that is reported. */
static void check_indefinite(void) {
    Problem problem;
    open_problem(&problem, 0);
    const Matrix *pattern = problem.blocks.pattern;
    for (int i = 0; i < pattern->size; ++i) {
        for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
            Block kept = problem.blocks.block[p];
            block_add(&problem.blocks.block[p], pattern->column[p] != i ? 9 : 0, &kept);
        }
    }
    CHECK(run(&problem, 1e-12, 2000) < 2000);
    CHECK_INT(problem.pcg.stopped, 1);
    for (int i = 0; i < pattern->size; ++i) {
        CHECK(isfinite(vec3_length(problem.x[i])));
    }
    close_problem(&problem);
}

/* --- something added that is not stored ------------------------------------------------------- */

#define TERMS 9

/* sum of k a a', each a over three vertices: as contacts are. */
typedef struct Added {
    int vertices[TERMS][3];
    Vec3 factors[TERMS][3];
    double stiffness[TERMS], product[TERMS];
} Added;

static void multiply_added(void *context, const Vec3 *x) {
    Added *added = context;
    for (int t = 0; t < TERMS; ++t) {
        double sum = 0;
        for (int c = 0; c < 3; ++c) {
            sum += vec3_dot(added->factors[t][c], x[added->vertices[t][c]]);
        }
        added->product[t] = added->stiffness[t] * sum;
    }
}

static Vec3 added_row(const void *context, int i) {
    const Added *added = context;
    Vec3 sum = vec3(0, 0, 0);
    for (int t = 0; t < TERMS; ++t) {
        for (int c = 0; c < 3; ++c) {
            if (added->vertices[t][c] == i) {
                sum = vec3_madd(sum, added->product[t], added->factors[t][c]);
            }
        }
    }
    return sum;
}

static void add_diagonal(const void *context, int i, Block *block) {
    const Added *added = context;
    for (int t = 0; t < TERMS; ++t) {
        for (int c = 0; c < 3; ++c) {
            if (added->vertices[t][c] == i) {
                Vec3 a = added->factors[t][c];
                block_add_outer(block, added->stiffness[t], a, a);
            }
        }
    }
}

/* Adds the terms to the dense matrix, but for held rows and columns. */
static void add_dense(const Problem *problem, const Added *added, int size, double *a) {
    for (int t = 0; t < TERMS; ++t) {
        for (int p = 0; p < 9; ++p) {
            for (int q = 0; q < 9; ++q) {
                int i = added->vertices[t][p / 3], j = added->vertices[t][q / 3];
                if (!problem->held[i] && !problem->held[j]) {
                    a[(3 * i + p % 3) * size + 3 * j + q % 3] += added->stiffness[t] *
                                                                 coordinate(added->factors[t], p) *
                                                                 coordinate(added->factors[t], q);
                }
            }
        }
    }
}

static void check_added(double held_share) {
    Problem problem;
    Added added;
    open_problem(&problem, held_share);
    int count = problem.blocks.pattern->size, size = 3 * count;
    for (int t = 0; t < TERMS; ++t) {
        int first = random_below(count);
        added.stiffness[t] = random_between(1, 100);
        for (int c = 0; c < 3; ++c) { /* far apart: not in the pattern */
            added.vertices[t][c] = (first + c * (count / 3)) % count;
            added.factors[t][c] = random_vector(1);
        }
    }
    PcgExtra extra = {.multiply = multiply_added,
                      .row = added_row,
                      .add_diagonal = add_diagonal,
                      .context = &added};
    problem.pcg.extra = &extra;
    run(&problem, 1e-11, 3000);
    CHECK(!problem.pcg.stopped);
    double *a = dense_matrix(&problem), *wanted = calloc((size_t)size, sizeof *wanted);
    add_dense(&problem, &added, size, a);
    double largest = 0;
    for (int i = 0; i < size; ++i) {
        wanted[i] = problem.held[i / 3] ? 0.0 : coordinate(problem.b, i);
    }
    gauss_solve(size, a, wanted);
    for (int i = 0; i < size; ++i) {
        largest = fabs(wanted[i]) > largest ? fabs(wanted[i]) : largest;
    }
    for (int i = 0; i < size; ++i) {
        CHECK_NEAR(coordinate(problem.x, i), wanted[i], 1e-7 * largest);
    }
    free(a);
    free(wanted);
    close_problem(&problem);
}

/* A block-diagonal matrix is solved by its preconditioner at once. */
static void check_block_inverse(void) {
    for (int round = 0; round < 100; ++round) {
        Block block = {{0}};
        for (int term = 0; term < 3; ++term) {
            Vec3 a = random_vector(1);
            block_add_outer(&block, 1, a, a);
        }
        block_add_diagonal(&block, 0.05);
        Block inverse = block_inverse(&block);
        Vec3 v = random_vector(1);
        CHECK_BELOW(vec3_distance(block_times(&inverse, block_times(&block, v)), v), 1e-11);
    }
    Block singular = {{4, 0, 0, 0, 2, 0, 0, 0, 0}};
    Block safe = block_inverse(&singular);
    CHECK_NEAR(safe.m[0], 0.5, 1e-15);
    CHECK_NEAR(safe.m[8], 0.5, 1e-15);
    Problem problem;
    open_problem(&problem, 0);
    const Matrix *pattern = problem.blocks.pattern;
    for (int i = 0; i < pattern->size; ++i) {
        for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
            if (pattern->column[p] != i) {
                problem.blocks.block[p] = (Block){{0}};
            }
        }
    }
    CHECK_INT(run(&problem, 1e-9, 50), 1);
    CHECK_BELOW(residual_of(&problem), 1e-9);
    close_problem(&problem);
}

int main(void) {
    random_start(6);
    for (int round = 0; round < 10; ++round) {
        check_against_dense(0.15 * (round % 3));
    }
    check_edge_cases();
    check_indefinite();
    check_block_inverse();
    for (int round = 0; round < 10; ++round) {
        check_added(0.15 * (round % 3));
    }
    return check_result();
}
