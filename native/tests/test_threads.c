/* The thread solver's parts: forces of cells and joints against finite differences of their energies, second derivatives
 * against those of the forces, and the product along threads against the sum over all elements. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws/research/woven.h"
#include "rig.h"
#include "solver/research/strands.h"

#define STEP 1e-6

/* A woven sheet that is not quite flat, with a rope tied to its middle and one by itself. */
static TestMesh *sheet(int nx, int ny) {
    TestMesh *mesh = mesh_grid(GRID_QUADS, nx, ny, 1.0);
    mesh_crumple(mesh, 0.1);
    int first = mesh_add_vertex(mesh, 0.4, 0.3, -0.2), last = first;
    mesh_add_edge(mesh, nx + 1, first);
    for (int k = 1; k < 4; ++k, ++last) {
        mesh_add_vertex(mesh, 0.4 + 0.1 * k, 0.3 + 0.02 * k * k, -0.2);
        mesh_add_edge(mesh, last, last + 1);
    }
    mesh_add_edge(mesh, last, nx + 2);
    for (int k = 0; k < 5; ++k) { /* closed */
        mesh_add_vertex(mesh, 2 + cos(1.3 * k), sin(1.3 * k), 0.1 * k);
        mesh_add_edge(mesh, last + 1 + k, last + 1 + (k + 1) % 5);
    }
    return mesh;
}

static void open_sheet(Rig *rig, bool keep_folds) {
    TestMesh *mesh = sheet(5, 4);
    Material material = rig_material();
    rig_open(rig, mesh, &(SystemOptions){.model = MODEL_WOVEN, .keep_folds = keep_folds},
             &material);
    mesh_free(mesh);
}

static double *coordinate(Vec3 *x, int c) { return (double *)x + c; }

/* Minus the derivative of the energy by every coordinate is the force. */
static void check_forces(Rig *rig, Vec3 *x) {
    System *system = &rig->system;
    for (int c = 0; c < 3 * system->vertex_count; ++c) {
        double before = *coordinate(x, c);
        *coordinate(x, c) = before + STEP;
        double more = system_elastic_energy(system, x);
        *coordinate(x, c) = before - STEP;
        double less = system_elastic_energy(system, x);
        *coordinate(x, c) = before;
        system_conventional_step(system, x);
        Vec3 force = system_force(system, c / 3);
        CHECK_NEAR(-(more - less) / (2 * STEP), vec3_along(force, c % 3), 1e-5);
    }
}

static void check_energies(void) {
    for (int keep = 0; keep < 2; ++keep) {
        Rig rig;
        open_sheet(&rig, keep);
        Vec3 *x = STORE_ARRAY(&rig.store, Vec3, rig.mesh.vertex_count);
        rig_state(&rig, 1.1, 0.03, x);
        check_forces(&rig, x);
        rig_close(&rig);
    }
}

/* What the two rows of an element measure. */
typedef struct RowPair {
    Vec3 s[2];
} RowPair;

/* Tensions of an element whose rows are given, through vertices that have them. */
static void tensions_at(const Law *law, int e, Vec3 *x, const RowPair *rows, Vec3 *tension) {
    const double *a = law_weights(law, 0, e), *b = law_weights(law, 1, e);
    double aa = 0, ab = 0, bb = 0;
    for (int c = 0; c < law->width; ++c) {
        aa += a[c] * a[c];
        ab += a[c] * b[c];
        bb += b[c] * b[c];
    }
    double determinant = aa * bb - ab * ab;
    for (int c = 0; c < law->width; ++c) {
        double p = (bb * a[c] - ab * b[c]) / determinant, q = (aa * b[c] - ab * a[c]) / determinant;
        x[law_vertices(law, e)[c]] = vec3_add(vec3_scale(p, rows->s[0]), vec3_scale(q, rows->s[1]));
    }
    law->kind->evaluate(law, e, &(Guess){.z = x, .present = x}, tension);
}

/* Column by column: d(-tension)/ds. */
static void differences(const Law *law, int e, Vec3 *x, const RowPair *rows, double second[6][6]) {
    for (int c = 0; c < 6; ++c) {
        RowPair more = *rows, less = *rows;
        Vec3 up[2], down[2];
        *coordinate(more.s, c) += STEP;
        *coordinate(less.s, c) -= STEP;
        tensions_at(law, e, x, &more, up);
        tensions_at(law, e, x, &less, down);
        for (int r = 0; r < 6; ++r) {
            second[r][c] = (*coordinate(down, r) - *coordinate(up, r)) / (2 * STEP);
        }
    }
    Vec3 ignored[2];
    tensions_at(law, e, x, rows, ignored);
}

static void add_blocks(const LawHessian *hessian, double second[6][6]) {
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            second[i][j] += hessian->uu.m[3 * i + j];
            second[i][3 + j] += hessian->uv.m[3 * i + j];
            second[3 + j][i] += hessian->uv.m[3 * i + j];
            second[3 + i][3 + j] += hessian->vv.m[3 * i + j];
        }
    }
}

static double least_eigenvalue(double second[6][6]) {
    double dense[36], values[6];
    for (int k = 0; k < 36; ++k) {
        dense[k] = second[k / 6][k % 6];
    }
    dense_eigenvalues(6, dense, values);
    return values[0];
}

/* Of joints: the whole second derivative is that of the tensions, and its clamped part is not negative and as large along
 * whatever it kept. */
static void check_joints(void) {
    for (int keep = 0; keep < 2; ++keep) {
        Rig rig;
        open_sheet(&rig, keep);
        const Law *law = laws_find(&rig.system.laws, &joint_kind);
        Vec3 *x = STORE_ARRAY(&rig.store, Vec3, rig.mesh.vertex_count);
        CHECK(law->count > 20);
        for (int e = 0; e < law->count; ++e) {
            RowPair rows = {{random_vector(3.0), random_vector(1.0)}};
            double wanted[6][6], got[6][6] = {{0}}, clamped[6][6] = {{0}};
            differences(law, e, x, &rows, wanted);
            JointHessian joint = joint_hessian_at(joint_law(law), e, x);
            LawHessian hessian = {0};
            block_add_diagonal(&hessian.uu, joint.round);
            block_add_outer(&hessian.uu, joint.ss, joint.s, joint.s);
            block_add_outer(&hessian.uv, joint.st, joint.s, joint.t);
            block_add_diagonal(&hessian.vv, joint.stretch);
            block_add_outer(&hessian.vv, joint.tt, joint.t, joint.t);
            add_blocks(&hessian, got);
            double size = joint_law(law)->stiffness[e] / vec3_dot(joint.t, joint.t) *
                          (1 + vec3_dot(joint.s, joint.s) / vec3_dot(joint.t, joint.t));
            for (int k = 0; k < 36; ++k) {
                CHECK_NEAR(got[k / 6][k % 6], wanted[k / 6][k % 6], 1e-4 * size);
            }
            law->kind->hessian(law, e, x, 1.0, &hessian);
            add_blocks(&hessian, clamped);
            double most = 0;
            for (int k = 0; k < 36; ++k) {
                most = fmax(most, fabs(clamped[k / 6][k % 6]));
            }
            CHECK(least_eigenvalue(clamped) >= -1e-9 * most);
            for (int k = 0; k < 36; ++k) { /* what was taken away is negative */
                got[k / 6][k % 6] = clamped[k / 6][k % 6] - got[k / 6][k % 6];
            }
            CHECK(least_eigenvalue(got) >= -1e-9 * size);
        }
        rig_close(&rig);
    }
}

/* What stress adds within the cloth: left out of the cells' second derivative, as woven.h says. */
static void add_left_out(const CellLaw *cells, int e, const CellHessian *cell,
                         LawHessian *hessian) {
    double uu = vec3_dot(cell->u, cell->u), uv = vec3_dot(cell->u, cell->v);
    double vv = vec3_dot(cell->v, cell->v);
    double pressure = 2.0 * cells->keep[e] * (uu * vv - uv * uv - cells->square[e]);
    double shearing = cells->shear[e] * (uv - cells->skew[e]);
    const double all[3] = {pressure * vv, shearing - pressure * uv, pressure * uu};
    Block *blocks[3] = {&hessian->uu, &hessian->uv, &hessian->vv};
    for (int k = 0; k < 3; ++k) {
        block_add_diagonal(blocks[k], all[k]);
        block_add_outer(blocks[k], -cell->across[k], cell->n, cell->n);
    }
    block_add_outer(&hessian->uu, -pressure, cell->v, cell->v);
    block_add_outer(&hessian->uv, 2.0 * pressure, cell->u, cell->v);
    block_add_outer(&hessian->uv, -pressure, cell->v, cell->u);
    block_add_outer(&hessian->vv, -pressure, cell->u, cell->u);
}

static void check_cells(void) {
    Rig rig;
    open_sheet(&rig, true);
    const Law *law = laws_find(&rig.system.laws, &cell_kind);
    const CellLaw *cells = cell_law(law);
    Vec3 *x = STORE_ARRAY(&rig.store, Vec3, rig.mesh.vertex_count);
    CHECK_INT(law->count, 12);
    for (int e = 0; e < law->count; ++e) {
        Vec3 tension[2];
        double energy = law->kind->evaluate(
            law, e, &(Guess){.z = rig.mesh.rest, .present = rig.mesh.rest}, tension);
        CHECK_BELOW(energy, 1e-12 * cells->keep[e]); /* floats at rest */
        RowPair rows = {{random_vector(1.5), random_vector(1.5)}};
        double wanted[6][6], got[6][6] = {{0}}, clamped[6][6] = {{0}};
        differences(law, e, x, &rows, wanted);
        CellHessian cell = cell_hessian_at(cells, e, x);
        LawHessian hessian;
        law->kind->hessian(law, e, x, 1.0, &hessian);
        add_blocks(&hessian, clamped);
        add_left_out(cells, e, &cell, &hessian);
        add_blocks(&hessian, got);
        double size = 100 * (cells->keep[e] + cells->shear[e]);
        for (int k = 0; k < 36; ++k) {
            CHECK_NEAR(got[k / 6][k % 6], wanted[k / 6][k % 6], 1e-6 * size);
        }
        CHECK(least_eigenvalue(clamped) >= -1e-9 * size);
    }
    rig_close(&rig);
}

/* --- the product ---------------------------------------------------------------------------------- */

/* The first `count` unit vectors find the diagonal. */
static void check_diagonal(Rig *rig, const Strands *strands, const Vec3 *x, double scale, int count,
                           Vec3 *unit) {
    System *system = &rig->system;
    for (int i = 0; i < count; ++i) {
        for (int c = 0; c < 3; ++c) {
            memset(unit, 0, (size_t)system->vertex_count * sizeof *unit);
            *coordinate(&unit[i], c) = 1.0;
            rig_stiffen(system, x, unit);
            Vec3 column = vec3_scale(-scale, system_force(system, i));
            for (int r = 0; r < 3; ++r) {
                CHECK_NEAR(strands->diagonal[i].m[3 * r + c], vec3_along(column, r),
                           1e-11 * (1 + vec3_length(column)));
            }
        }
    }
}

/* The product tile by tile, and its diagonal, are those of all elements one by one, also when the numbers are filled in a
 * second time; with two CPU threads they are the same bytes. The mesh is given back. */
static void check_product(TestMesh *mesh, bool keep_folds, double noise) {
    Rig rig;
    Material material = rig_material();
    material.area_stiffness = 30; /* N/m */
    rig_open(&rig, mesh, &(SystemOptions){.model = MODEL_WOVEN, .keep_folds = keep_folds},
             &material);
    mesh_free(mesh);
    System *system = &rig.system;
    int count = system->vertex_count;
    Strands strands = {0};
    CHECK_INT(strands_build(&strands, system, &rig.weave, &rig.store, &rig.status), STATUS_OK);
    Vec3 *x = STORE_ARRAY(&rig.store, Vec3, count), *v = STORE_ARRAY(&rig.store, Vec3, count);
    Vec3 *product = STORE_ARRAY(&rig.store, Vec3, count),
         *again = STORE_ARRAY(&rig.store, Vec3, count);
    double *own = STORE_ARRAY(&rig.store, double, count), scale = 0.01;
    for (int i = 0; i < count; ++i) {
        v[i] = random_vector(1.0);
        own[i] = random_between(0.1, 1.0);
    }
    for (int time = 0; time < 2; ++time) {
        rig_state(&rig, 1.05, noise, x);
        strands_refresh(&strands, system->pool, scale, x);
        strands_multiply(&strands, system->pool, own, v, product);
        rig_stiffen(system, x, v);
        double size = 0;
        for (int i = 0; i < count; ++i) {
            size = fmax(size, vec3_length(product[i]));
        }
        for (int i = 0; i < count; ++i) {
            Vec3 wanted = vec3_madd(vec3_scale(own[i], v[i]), -scale, system_force(system, i));
            CHECK_BELOW(vec3_distance(product[i], wanted), 1e-12 * (1 + size));
        }
    }
    check_diagonal(&rig, &strands, x, scale, count < 100 ? count : 20, again);
    Pool *two = pool_create(2);
    strands_multiply(&strands, two, own, v, again);
    pool_destroy(two);
    CHECK(memcmp(again, product, (size_t)count * sizeof *again) == 0);
    rig_close(&rig);
}

/* A grid without the quads that `is_hole` names. */
static TestMesh *pierced(int nx, int ny, bool (*is_hole)(int i, int j)) {
    TestMesh *mesh = mesh_new();
    for (int k = 0; k < nx * ny; ++k) {
        mesh_add_vertex(mesh, 0.1 * (k % nx), 0.1 * (k / nx), 0);
    }
    for (int k = 0; k < (nx - 1) * (ny - 1); ++k) {
        int i = k % (nx - 1), j = k / (nx - 1), at = i + nx * j;
        if (!is_hole(i, j)) {
            mesh_add_face(mesh, 4, (const int[]){at, at + 1, at + nx + 1, at + nx});
        }
    }
    return mesh;
}

static bool in_window(int i, int j) { return i >= 4 && i < 7 && j >= 3 && j < 5; }
static bool in_notch(int i, int j) { return (i > 6 && j > 4) || (i == 2 && j > 5); }

/* A band that is closed with half a turn: neither rows nor columns have a sense that holds all around. */
static TestMesh *twisted_band(int around, int rows) {
    TestMesh *mesh = mesh_new();
    for (int k = 0; k < around * rows; ++k) {
        double angle = 6.283185307179586 * (k % around) / around;
        double across = 0.4 * (k / around) / (rows - 1) - 0.2;
        double radius = 1 + across * cos(0.5 * angle);
        mesh_add_vertex(mesh, radius * cos(angle), radius * sin(angle), across * sin(0.5 * angle));
    }
    for (int k = 0; k < around * (rows - 1); ++k) {
        int i = k % around, j = k / around;
        bool last = i == around - 1;
        int low = last ? around * (rows - 1 - j) : i + 1 + around * j;
        int high = last ? around * (rows - 2 - j) : i + 1 + around * (j + 1);
        mesh_add_face(mesh, 4, (const int[]){i + around * j, low, high, i + around * (j + 1)});
    }
    return mesh;
}

#define QUARTERS 6

/* Vertex (i, j) of a quarter of wheel(); its rim is the next one's. */
static int wheel_vertex(int quarter, int i, int j, int side) {
    return j == 0 ? wheel_vertex((quarter + QUARTERS - 1) % QUARTERS, 0, i, side)
                  : i + (side + 1) * (j - 1) + (side + 1) * side * quarter;
}

/* Six quarters of a sheet, `side` cells each way, around a hole: a tile that reached around it from both sides would find
 * two vertices for one place beyond, and has to be cut smaller. */
static TestMesh *wheel(int side) {
    TestMesh *mesh = mesh_new();
    for (int k = 0; k < QUARTERS * (side + 1) * side; ++k) {
        int i = k % (side + 1), j = k / (side + 1) % side + 1, quarter = k / ((side + 1) * side);
        double angle = (quarter + atan2(j, i) / 1.5707963267948966) * 6.283185307179586 / QUARTERS;
        double radius = 0.05 * sqrt(i * i + j * j);
        mesh_add_vertex(mesh, radius * cos(angle), radius * sin(angle), 0);
    }
    for (int k = 0; k < QUARTERS * side * side; ++k) {
        int i = k % side, j = k / side % side, q = k / (side * side);
        if (i > 0 || j > 0) {
            mesh_add_face(mesh, 4,
                          (const int[]){wheel_vertex(q, i, j, side),
                                        wheel_vertex(q, i + 1, j, side),
                                        wheel_vertex(q, i + 1, j + 1, side),
                                        wheel_vertex(q, i, j + 1, side)});
        }
    }
    return mesh;
}

static void check_products(void) {
    check_product(sheet(5, 4), false, 0.04);
    check_product(sheet(5, 4), true, 0.04);
    check_product(sheet(90, 40), true, 0.002); /* more than one tile, along and across */
    check_product(mesh_grid(GRID_QUADS, 3, 80, 0.2), true, 0.02);
    check_product(mesh_rope(100, 5.0), true, 0.01); /* two tiles of a rope */
    check_product(pierced(12, 9, in_window), true, 0.02);
    check_product(pierced(12, 9, in_notch), true, 0.02);
    for (int shift = 0; shift < 2; ++shift) {
        check_product(mesh_tube(7, 5, shift), true, 0.04);
        check_product(mesh_tube(80, 36, shift), true, 0.02);
        check_product(mesh_tube(3, 40, shift), true,
                      0.04); /* nearer to itself than elements reach */
    }
    check_product(twisted_band(30, 5), true, 0.01);
    check_product(twisted_band(9, 2), true, 0.01);
    check_product(wheel(2), true, 0.005);
    check_product(wheel(6), true, 0.005);
}

int main(void) {
    random_start(5);
    check_energies();
    check_joints();
    check_cells();
    check_products();
    return check_result();
}
