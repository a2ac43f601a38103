/* The constant matrix: its pattern against brute force, its values against the formulas of each law
 * written out anew, and what every stiffness matrix has to be: symmetric, blind to translation,
 * positive semidefinite with exactly one zero for each component of the mesh. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "rig.h"
#include "solver/solver.h"

#define MOST 128

/* --- the laws, written out anew from the mesh ------------------------------------------------- */

typedef struct MaterialPlane {
    double u, v;
} MaterialPlane;

static MaterialPlane corner_of(const Triangle *triangle, int vertex) {
    int c = triangle->vertices[0] == vertex ? 0 : triangle->vertices[1] == vertex ? 1 : 2;
    return (MaterialPlane){triangle->material[c][0], triangle->material[c][1]};
}

/* Signed area of three points. */
static double area_of(MaterialPlane a, MaterialPlane b, MaterialPlane c) {
    return 0.5 * ((b.u - a.u) * (c.v - a.v) - (c.u - a.u) * (b.v - a.v));
}

static double plane_distance(MaterialPlane a, MaterialPlane b) {
    return hypot(b.u - a.u, b.v - a.v);
}

/* Where p lies, moved to the frame in which k is the origin, l on the positive first axis, and p
 * above it (side 1) or below (side -1). */
static MaterialPlane in_hinge(MaterialPlane p, MaterialPlane k, MaterialPlane l, double side) {
    double length = plane_distance(k, l);
    double along = ((p.u - k.u) * (l.u - k.u) + (p.v - k.v) * (l.v - k.v)) / length;
    return (MaterialPlane){along, side * fabs(2 * area_of(k, l, p)) / length};
}

static void add_outer(int size, double *a, const int *vertices, const double *weights, int count,
                      double k) {
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < count; ++j) {
            a[vertices[i] * size + vertices[j]] += k * weights[i] * weights[j];
        }
    }
}

static void add_edges(const Rig *rig, double *a) {
    const Material *m = &rig->system.materials[0];
    const double weights[2] = {-1, 1};
    for (int e = 0; e < rig->mesh.edge_count; ++e) {
        const Edge *edge = &rig->mesh.edges[e];
        double k = edge->kind == EDGE_ROPE    ? m->rope_stretch
                   : edge->kind == EDGE_SHEAR ? m->shear
                                              : 0.5 * (m->stretch_warp + m->stretch_weft);
        const double *scale = rig->system.maps[MAP_STRETCH];
        double mean = 0.5 * (scale[edge->a] + scale[edge->b]);
        if (rig_triangles(&rig->system)->law.count == 0 || edge->kind == EDGE_ROPE) {
            add_outer(rig->mesh.vertex_count, a, (const int[]){edge->a, edge->b}, weights, 2,
                      fmax(0, k * edge->share - m->shear * edge->braced) * mean);
        }
    }
}

/* MATH section 3, with the weights from areas: dS_u/dx_i = (v_j - v_k) / 2A and so on. */
static void add_triangles(const Rig *rig, double *a) {
    const Material *m = &rig->system.materials[0];
    for (int t = 0; t < rig->mesh.triangle_count && rig_triangles(&rig->system)->law.count > 0;
         ++t) {
        const Triangle *triangle = &rig->mesh.triangles[t];
        const double(*p)[2] = triangle->material;
        double warp[3], weft[3], sum[3], difference[3], mean = 0;
        double twice =
            2 * area_of((MaterialPlane){p[0][0], p[0][1]}, (MaterialPlane){p[1][0], p[1][1]},
                        (MaterialPlane){p[2][0], p[2][1]});
        for (int c = 0; c < 3; ++c) {
            int next = (c + 1) % 3, last = (c + 2) % 3;
            warp[c] = (p[next][1] - p[last][1]) / twice;
            weft[c] = (p[last][0] - p[next][0]) / twice;
            sum[c] = (warp[c] + weft[c]) / sqrt(2);
            difference[c] = (warp[c] - weft[c]) / sqrt(2);
            mean += rig->system.maps[MAP_STRETCH][triangle->vertices[c]] / 3;
        }
        double area = 0.5 * fabs(twice) * mean;
        int size = rig->mesh.vertex_count;
        add_outer(size, a, triangle->vertices, warp, 3, area * (m->stretch_warp - m->shear));
        add_outer(size, a, triangle->vertices, weft, 3, area * (m->stretch_weft - m->shear));
        add_outer(size, a, triangle->vertices, sum, 3, area * 2 * m->shear);
        add_outer(size, a, triangle->vertices, difference, 3, area * 2 * m->shear);
    }
}

/* A third of both triangles, scaled so that all hinges together stand for the whole sheet. */
static double hinge_share(const Rig *rig, const Triangle *first, const Triangle *second) {
    double area = rig_area(rig), shared = 0;
    for (int h = 0; h < rig->mesh.hinge_count; ++h) {
        const int *t = rig->mesh.hinges[h].triangles;
        shared += (rig->mesh.triangles[t[0]].area + rig->mesh.triangles[t[1]].area) / 3;
    }
    return (first->area + second->area) / 3 * area / shared;
}

/* R^2 of a hinge rolled to curvature 1, in the mean over directions. */
static double mean_squared_gap(const double *alpha, const MaterialPlane *corners) {
    enum { DIRECTIONS = 24 };
    double sum = 0;
    for (int d = 0; d < DIRECTIONS; ++d) {
        double angle = M_PI * d / DIRECTIONS, gap = 0;
        for (int c = 0; c < 4; ++c) {
            double along = cos(angle) * corners[c].u + sin(angle) * corners[c].v;
            gap += alpha[c] * along * along / 2;
        }
        sum += gap * gap / DIRECTIONS;
    }
    return sum;
}

/* Weights from the signed areas of the hinge laid flat; each hinge stores its own share of the energy. */
static void add_bending(const Rig *rig, double *a) {
    for (int h = 0; h < rig->mesh.hinge_count; ++h) {
        const Hinge *hinge = &rig->mesh.hinges[h];
        const Triangle *first = &rig->mesh.triangles[hinge->triangles[0]];
        const Triangle *second = &rig->mesh.triangles[hinge->triangles[1]];
        MaterialPlane k1 = corner_of(first, hinge->k), l1 = corner_of(first, hinge->l);
        MaterialPlane k2 = corner_of(second, hinge->k), l2 = corner_of(second, hinge->l);
        double length = plane_distance(k1, l1);
        MaterialPlane k = {0, 0}, l = {length, 0};
        MaterialPlane i = in_hinge(corner_of(first, hinge->i), k1, l1, 1);
        MaterialPlane j = in_hinge(corner_of(second, hinge->j), k2, l2, -1);
        /* N_x: twice the area of the triangle of the other three, without x or x's partner */
        double n_i = fabs(2 * area_of(k, l, i)), n_j = fabs(2 * area_of(k, l, j));
        double n_k = 2 * area_of(k, j, i), n_l = 2 * area_of(l, i, j);
        const double alpha[4] = {n_j / (n_i + n_j), n_i / (n_i + n_j), -n_l / (n_k + n_l),
                                 -n_k / (n_k + n_l)};
        const MaterialPlane corners[4] = {i, j, k, l};
        double lambda = rig->system.materials[0].bend * hinge_share(rig, first, second) /
                        mean_squared_gap(alpha, corners);
        const int vertices[4] = {hinge->i, hinge->j, hinge->k, hinge->l};
        double mean = 0;
        for (int c = 0; c < 4; ++c) {
            mean += rig->system.maps[MAP_BEND][vertices[c]] / 4;
        }
        add_outer(rig->mesh.vertex_count, a, vertices, alpha, 4, lambda * mean);
    }
}

static double largest_entry(int size, const double *a) {
    double largest = 0;
    for (int i = 0; i < size * size; ++i) {
        largest = fmax(largest, fabs(a[i]));
    }
    return largest;
}

static void check_stiffness(ModelKind model) {
    TestMesh *mesh = mesh_random();
    SystemOptions options = {
        .model = model, .bending = BENDING_HINGES, .keep_folds = random_below(2)};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    int size = rig.mesh.vertex_count;
    for (int v = 0; v < size; ++v) {
        rig.system.maps[MAP_STRETCH][v] = random_between(0.2, 3);
        rig.system.maps[MAP_BEND][v] = random_between(0.2, 3);
    }
    system_refresh_material(&rig.system);
    double *got = dense_of(&rig.system.stiffness), *wanted = dense_new(size), values[MOST];
    double scale = largest_entry(size, got);
    for (int i = 0; i < size; ++i) {
        double sum = 0;
        for (int j = 0; j < size; ++j) {
            sum += got[i * size + j];
            /* the same sum of products in another order: rounding only */
            CHECK_NEAR(got[i * size + j], got[j * size + i], 1e-13 * scale);
        }
        CHECK_NEAR(sum, 0, 1e-12 * scale);
    }
    add_edges(&rig, wanted);
    add_triangles(&rig, wanted);
    add_bending(&rig, wanted);
    for (int i = 0; i < size * size; ++i) {
        CHECK_NEAR(got[i], wanted[i], 1e-10 * scale);
    }
    dense_eigenvalues(size, got, values);
    CHECK(values[0] > -1e-12 * values[size - 1]);
    CHECK(values[0] < 1e-12 * values[size - 1]);
    CHECK(values[1] > 1e-9 * values[size - 1]); /* one component: one zero */
    CHECK_INT(rig.mesh.component_count, 1);
    free(got);
    free(wanted);
    rig_close(&rig);
    mesh_free(mesh);
}

/* A = M (1 + h d) + h drag + h^2 (q K + s): as the linear solver fills it, and positive definite. */
static void check_system_matrix(ModelKind model) {
    TestMesh *mesh = mesh_random();
    SystemOptions options = {.model = model};
    Material material = rig_material();
    SolverOptions solving = {.iterations = 1, .ordering = ORDERING_AMD};
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    rig.system.wind.normal_drag = 0.5;
    rig.system.pins.stiffness[1] = 12;
    Solver *solver = linear_solver_create(&rig.system, &solving, &rig.status);
    double h = 0.04;
    CHECK_INT(solver->prepare(solver, h, &rig.status), STATUS_OK);
    int size = rig.mesh.vertex_count;
    double *got = dense_of(linear_solver_matrix(solver)),
           *stiffness = dense_of(&rig.system.stiffness);
    double values[MOST], least = 1e30, scale = largest_entry(size, got);
    for (int i = 0; i < size; ++i) {
        double drag = (0.3 + 0.5) * rig.system.area[i];
        double inertia = rig.system.mass[i] * (1 + h * material.damping) + h * drag;
        least = fmin(least, inertia);
        for (int j = 0; j < size; ++j) {
            double wanted = h * h * (1 + material.stiffness_damping / h) * stiffness[i * size + j];
            wanted += i == j ? inertia + h * h * (i == 1 ? 12 : 0) : 0;
            CHECK_NEAR(got[i * size + j], wanted, 1e-13 * scale);
        }
    }
    dense_eigenvalues(size, got, values);
    CHECK(values[0] >= least * (1 - 1e-9)); /* K only adds */
    solver_destroy(solver);
    free(got);
    free(stiffness);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- pattern ---------------------------------------------------------------------------------- */

static void check_pattern(void) {
    enum { SIZE = 40, PAIRS = 30, QUADRUPLES = 12 };
    int pairs[2 * PAIRS], quadruples[4 * QUADRUPLES];
    uint8_t coupled[SIZE][SIZE] = {{0}};
    for (int i = 0; i < SIZE; ++i) {
        coupled[i][i] = 1;
    }
    for (int e = 0; e < PAIRS; ++e) {
        pairs[2 * e] = random_below(SIZE - 3); /* the last ones stay alone */
        pairs[2 * e + 1] = (pairs[2 * e] + 1 + random_below(SIZE - 5)) % (SIZE - 3);
        coupled[pairs[2 * e]][pairs[2 * e + 1]] = coupled[pairs[2 * e + 1]][pairs[2 * e]] = 1;
    }
    for (int e = 0; e < QUADRUPLES; ++e) {
        int first = random_below(SIZE - 16);
        for (int c = 0; c < 4; ++c) {
            quadruples[4 * e + c] = first + 3 * c;
        }
        for (int c = 0; c < 16; ++c) {
            coupled[quadruples[4 * e + c / 4]][quadruples[4 * e + c % 4]] = 1;
        }
    }
    Store store = {0};
    Status status;
    Matrix matrix = {0};
    const Stencils lists[] = {{PAIRS, 2, pairs}, {0, 3, NULL}, {QUADRUPLES, 4, quadruples}};
    CHECK_INT(matrix_pattern(SIZE, lists, 3, &store, &matrix, &status), STATUS_OK);
    int at = 0;
    for (int i = 0; i < SIZE; ++i) {
        CHECK_INT(matrix.start[i], at);
        for (int j = 0; j < SIZE; ++j) {
            if (coupled[i][j]) {
                CHECK_INT(matrix.column[at], j);
                CHECK_INT(matrix_slot(&matrix, i, j), at);
                CHECK(matrix.value[at] == 0);
                ++at;
            }
        }
    }
    CHECK_INT(matrix.start[SIZE], at);
    store_release(&store);
}

static void check_multiply(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 40, 30, 1.0); /* more rows than one chunk */
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const Matrix *matrix = &rig.system.stiffness;
    Vec3 *x = calloc((size_t)matrix->size, sizeof *x), *y = calloc((size_t)matrix->size, sizeof *y);
    for (int i = 0; i < matrix->size; ++i) {
        x[i] = random_vector(1);
        y[i] = vec3(7, 7, 7); /* overwritten, not added to */
    }
    matrix_multiply(matrix, rig.pool, x, y);
    for (int i = 0; i < matrix->size; ++i) {
        double sum[3] = {0}, scale = 0;
        for (int p = matrix->start[i]; p < matrix->start[i + 1]; ++p) {
            Vec3 other = x[matrix->column[p]];
            sum[0] += matrix->value[p] * other.x;
            sum[1] += matrix->value[p] * other.y;
            sum[2] += matrix->value[p] * other.z;
            scale += fabs(matrix->value[p]);
        }
        CHECK_BELOW(vec3_distance(y[i], vec3(sum[0], sum[1], sum[2])), 1e-14 * scale);
    }
    memset(rig.system.stiffness.value, 0,
           (size_t)matrix->start[matrix->size] * sizeof *matrix->value);
    matrix_add(&rig.system.stiffness, 3, 3, 2.0);
    matrix_multiply(matrix, rig.pool, x, y);
    CHECK(vec3_length(y[2]) == 0 && y[3].x == 2 * x[3].x && vec3_length(y[4]) == 0);
    free(x);
    free(y);
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    random_start(3);
    for (int round = 0; round < 8; ++round) {
        check_stiffness(MODEL_EDGE);
        check_stiffness(MODEL_TRIANGLE);
        check_system_matrix(MODEL_EDGE);
        check_system_matrix(MODEL_TRIANGLE);
        check_pattern();
    }
    check_multiply();
    return check_result();
}
