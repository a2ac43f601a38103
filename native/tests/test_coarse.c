/* The coarse level: its factors, its patches, its functions, and that the two-level iterations never
 * raise the incremental energy. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "linear/dense.h"
#include "linear/factor.h"
#include "mesh/patches.h"
#include "rig.h"
#include "solver/coarse/coarse.h"
#include "solver/coarse/coarse_parts.h"
#include "solver/solver.h"

/* --- dense Cholesky --------------------------------------------------------------------------- */

static void check_dense(void) {
    for (int size = 1; size <= 90; size += size < 12 ? 1 : 13) {
        int stride = dense_stride(size);
        Store store = {0};
        double *a = store_take(&store, (size_t)size * (size_t)stride, sizeof *a);
        double *whole = dense_new(size), *x = calloc((size_t)size, sizeof *x);
        double *b = calloc((size_t)size, sizeof *b);
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j <= i; ++j) {
                double value = i == j ? size + 1.0 : random_between(-1, 1);
                a[i * stride + j] = whole[i * size + j] = whole[j * size + i] = value;
            }
            x[i] = b[i] = random_between(-1, 1);
        }
        CHECK(dense_factor(a, size));
        dense_solve(a, size, x);
        for (int i = 0; i < size; ++i) {
            double sum = 0;
            for (int j = 0; j < size; ++j) {
                sum += whole[i * size + j] * x[j];
            }
            CHECK_NEAR(sum, b[i], 1e-12);
        }
        /* a matrix that is not positive definite is refused, wherever it shows */
        a[(size - 1) * stride + size - 1] = 1;
        for (int i = 0; i < size; ++i) {
            for (int j = 0; j <= i; ++j) {
                a[i * stride + j] = whole[i * size + j];
            }
        }
        a[(size - 1) * stride + size - 1] = -1;
        CHECK(!dense_factor(a, size));
        store_release(&store);
        free(whole);
        free(x);
        free(b);
    }
}

/* --- tiles ------------------------------------------------------------------------------------- */

/* A random positive definite matrix of tiles, whole. */
static void fill_tiles(Tiles *tiles, int size, double *whole) {
    memset(tiles->value, 0, (size_t)tiles->start[tiles->count] * TILE_NUMBERS * sizeof(double));
    for (int i = 0; i < tiles->count; ++i) {
        for (int p = tiles->start[i]; p < tiles->start[i + 1]; ++p) {
            int j = tiles->row[p];
            for (int a = 0; a < TILE; ++a) {
                for (int b = j == i ? a : 0; b < TILE; ++b) {
                    int row = j * TILE + a, column = i * TILE + b;
                    double value = row == column ? size + 1.0 : random_between(-1, 1);
                    tiles_at(tiles, p)[a * TILE + b] = value;
                    whole[row * size + column] = whole[column * size + row] = value;
                }
            }
        }
    }
}

static void check_tiles(Pool *pool) {
    for (int count = 1; count <= 25; count += 4) {
        int size = count * TILE;
        uint8_t *coupled = calloc((size_t)count * (size_t)count, 1);
        for (int i = 0; i < count * count; ++i) {
            coupled[i] = random_between(0, 1) < 0.3;
        }
        Store store = {0};
        Status status = {0};
        Tiles tiles;
        CHECK_INT(tiles_build(&tiles, count, coupled, &store, &status), STATUS_OK);
        CHECK(count < 5 || tiles.start[count] < count * (count + 1) / 2); /* some are missing */
        double *whole = dense_new(size), *x = calloc((size_t)size, sizeof *x);
        double *b = calloc((size_t)size, sizeof *b);
        fill_tiles(&tiles, size, whole);
        for (int i = 0; i < size; ++i) {
            x[i] = b[i] = random_between(-1, 1);
        }
        size_t bytes = (size_t)tiles.start[count] * TILE_NUMBERS * sizeof(double);
        double *before = malloc(bytes), *alone = malloc(bytes);
        memcpy(before, tiles.value, bytes);
        CHECK(tiles_factor(&tiles, NULL));
        memcpy(alone, tiles.value, bytes);
        memcpy(tiles.value, before, bytes);
        CHECK(tiles_factor(&tiles, pool));
        CHECK(memcmp(tiles.value, alone, bytes) == 0); /* the same bytes, whoever waits for whom */
        free(before);
        free(alone);
        tiles_solve(&tiles, x);
        for (int i = 0; i < size; ++i) {
            double sum = 0;
            for (int j = 0; j < size; ++j) {
                sum += whole[i * size + j] * x[j];
            }
            CHECK_NEAR(sum, b[i], 1e-12);
        }
        /* an unknown that nothing holds stays at zero, and one that is not a number is noticed */
        fill_tiles(&tiles, size, whole);
        double *last = tiles_at(&tiles, tiles.start[count] - 1);
        last[TILE_NUMBERS - 1] = 0;
        CHECK(tiles_factor(&tiles, pool));
        tiles_solve(&tiles, x);
        CHECK_NEAR(x[size - 1], 0, 0);
        fill_tiles(&tiles, size, whole);
        last[TILE_NUMBERS - 1] = NAN;
        CHECK(!tiles_factor(&tiles, pool));
        store_release(&store);
        free(coupled);
        free(whole);
        free(x);
        free(b);
    }
}

/* --- patches ---------------------------------------------------------------------------------- */

/* So many patches of all the mesh. */
static StatusCode divide(const Mesh *mesh, int count, int iterations, Patches *patches,
                         Status *status) {
    const PatchShares shares = {.count = 1, .wanted = &count};
    return patches_build(mesh, &shares, iterations, patches, status);
}

/* Distances are the shortest ways along edges to any seed, found here by lowering them until nothing changes. */
static void check_distances(const Mesh *mesh, const Patches *patches) {
    double *distance = calloc((size_t)mesh->vertex_count, sizeof *distance);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        distance[v] = INFINITY;
    }
    for (int k = 0; k < patches->count; ++k) {
        distance[patches->seed[k]] = 0;
    }
    for (int changed = 1; changed;) {
        changed = 0;
        for (int e = 0; e < mesh->edge_count; ++e) {
            double *a = &distance[mesh->edges[e].a], *b = &distance[mesh->edges[e].b];
            double length = mesh->edges[e].rest_length;
            changed |= *a > *b + length || *b > *a + length;
            *a = *a > *b + length ? *b + length : *a;
            *b = *b > *a + length ? *a + length : *b;
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        if (!patches->stray[v]) {
            CHECK_NEAR(patches->distance[v], distance[v], 1e-4 * distance[v]);
        }
    }
    free(distance);
}

static void check_patches(void) {
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, 24, 24, 1.0);
    int button = mesh_add_vertex(mesh, -3, 0, 0);
    mesh_add_edge(mesh, button, mesh_add_vertex(mesh, -3, 0, 0.05)); /* too small for a patch */
    int rope = mesh_add_vertex(mesh, 3, 0, 0), end = rope;
    for (int i = 1; i < 40; ++i) { /* large enough for one of its own */
        int next = mesh_add_vertex(mesh, 3, 0, 0.002 * i);
        mesh_add_edge(mesh, end, next);
        end = next;
    }
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    Patches patches;
    CHECK_INT(divide(&rig.mesh, 8, 4, &patches, &rig.status), STATUS_OK);
    CHECK_INT(patches.count, 8);
    check_distances(&rig.mesh, &patches);
    int members[8] = {0};
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        CHECK(patches.owner[v] >= 0 && patches.owner[v] < 8);
        ++members[patches.owner[v]];
    }
    CHECK_INT(patches.owner[end], patches.owner[rope]);
    CHECK_INT(members[patches.owner[end]], 40);
    CHECK(patches.stray[button] &&
          members[patches.owner[button]] > 40); /* it joins one of the sheet's */
    for (int k = 0; k < 8; ++k) {
        CHECK_INT(patches.owner[patches.seed[k]], k);
        /* even: 578 vertices in 7 patches are 83 each */
        CHECK(k == patches.owner[end] || (members[k] > 40 && members[k] < 160));
    }
    patches_free(&patches);
    /* more patches than vertices, and more components than patches */
    CHECK_INT(divide(&rig.mesh, 5000, 0, &patches, &rig.status), STATUS_OK);
    CHECK_INT(patches.count, rig.mesh.vertex_count);
    patches_free(&patches);
    CHECK_INT(divide(&rig.mesh, 1, 2, &patches, &rig.status), STATUS_OK);
    CHECK_INT(patches.owner[end], 0);
    patches_free(&patches);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- functions -------------------------------------------------------------------------------- */

#define MOST 256

/* The functions of all vertices as a dense matrix. */
static double *functions_of(const Rig *rig, const Coarse *coarse, int functions) {
    const Basis *basis = coarse_basis(coarse);
    double *p = calloc((size_t)rig->mesh.vertex_count * (size_t)functions, sizeof *p);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        int count = KINDS * (basis->start[v + 1] - basis->start[v]);
        CHECK(count > 0 && count <= MOST);
        for (int e = basis->start[v]; e < basis->start[v + 1]; ++e) {
            basis_values(basis, e, rig->mesh.rest[v],
                         p + v * functions + KINDS * basis->aggregate[e]);
        }
    }
    return p;
}

/* Largest residual of the best fit of `field` by the functions, over the field's own size. */
static double misfit(const Rig *rig, const double *p, int functions, const double *field) {
    int count = rig->mesh.vertex_count;
    double *a = dense_new(functions), *q = calloc((size_t)functions, sizeof *q);
    for (int v = 0; v < count; ++v) {
        for (int f = 0; f < functions; ++f) {
            q[f] += p[v * functions + f] * field[v];
            for (int g = 0; g < functions; ++g) {
                a[f * functions + g] += p[v * functions + f] * p[v * functions + g];
            }
        }
    }
    for (int f = 0; f < functions; ++f) { /* some depend on others, some are zero */
        a[f * functions + f] += 1e-10;
    }
    gauss_solve(functions, a, q);
    double worst = 0, size = 0;
    for (int v = 0; v < count; ++v) {
        double sum = 0;
        for (int f = 0; f < functions; ++f) {
            sum += p[v * functions + f] * q[f];
        }
        worst = fmax(worst, fabs(sum - field[v]));
        size = fmax(size, fabs(field[v]));
    }
    free(a);
    free(q);
    return size > 0 ? worst / size : worst;
}

/* One seed more is as far as any vertex from those before it. */
static void check_next_seed(const Mesh *mesh, const Patches *patches) {
    Patches more;
    Status status;
    double farthest = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        farthest = patches->distance[v] > farthest ? patches->distance[v] : farthest;
    }
    CHECK_INT(divide(mesh, patches->count + 1, 0, &more, &status), STATUS_OK);
    CHECK_INT(more.count, patches->count + 1);
    CHECK_NEAR(patches->distance[more.seed[patches->count]], farthest, 1e-4 * farthest);
    patches_free(&more);
}

/* Of any number of patches, moved any number of times. */
static void check_many_patches(void) {
    for (int i = 0; i < 24; ++i) {
        TestMesh *mesh = i % 2 ? mesh_random() : mesh_grid(i % GRID_KINDS, 30, 30, 1.0);
        SystemOptions options = {.model = MODEL_TRIANGLE};
        Material material = rig_material();
        Rig rig;
        rig_open(&rig, mesh, &options, &material);
        Patches patches;
        CHECK_INT(divide(&rig.mesh, 1 + 3 * i, i % 5, &patches, &rig.status), STATUS_OK);
        check_distances(&rig.mesh, &patches);
        if (i % 2 == 0 && i % 5 == 0) {
            check_next_seed(&rig.mesh, &patches);
        }
        patches_free(&patches);
        rig_close(&rig);
        mesh_free(mesh);
    }
}

/* One, x, y and z lie in the span: translations and rotations of the rest shape are exact. */
static void check_functions(const TestMesh *mesh, ModelKind model) {
    SystemOptions options = {.model = model, .keep_folds = 1};
    Material material = rig_material();
    SolverOptions solving = {.scheme = SCHEME_TWO_LEVEL, .iterations = 2, .ordering = ORDERING_AMD};
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    Solver *solver = linear_solver_create(&rig.system, &solving, &rig.status);
    CHECK_INT(solver->prepare(solver, 1.0 / 48, &rig.status), STATUS_OK);
    Coarse *coarse = rig_coarse(&rig.system, &rig.status);
    int functions = KINDS * coarse_basis(coarse)->aggregate_count;
    CHECK(coarse_unknowns(coarse) >= 3 && coarse_unknowns(coarse) <= 3 * functions);
    double *p = functions_of(&rig, coarse, functions);
    double *field = calloc((size_t)rig.mesh.vertex_count, sizeof *field);
    for (int kind = 0; kind < 4; ++kind) {
        for (int v = 0; v < rig.mesh.vertex_count; ++v) {
            Vec3 x = rig.mesh.rest[v];
            field[v] = kind == 0 ? 1 : kind == 1 ? x.x : kind == 2 ? x.y : x.z;
        }
        CHECK_BELOW(misfit(&rig, p, functions, field), 1e-6);
    }
    free(p);
    free(field);
    coarse_destroy(coarse);
    solver_destroy(solver);
    rig_close(&rig);
}

static void check_all_functions(void) {
    TestMesh *sheet = mesh_grid(GRID_IRREGULAR, 20, 20, 1.0);
    check_functions(sheet, MODEL_TRIANGLE);
    check_functions(sheet, MODEL_EDGE);
    mesh_crumple(sheet, 0.1);
    check_functions(sheet, MODEL_TRIANGLE);
    mesh_free(sheet);
    TestMesh *rope = mesh_rope(40, 1.0);
    check_functions(rope, MODEL_EDGE);
    mesh_free(rope);
    for (int i = 0; i < 5; ++i) {
        TestMesh *mesh = mesh_random();
        check_functions(mesh, i % 2 ? MODEL_TRIANGLE : MODEL_EDGE);
        mesh_free(mesh);
    }
}

/* --- energy ----------------------------------------------------------------------------------- */

/* From a random moving state the iterations end at an energy not above that of where the cloth flies by
 * itself with its pins in place, and more iterations do not end higher. */
static void check_energy(ModelKind model, double stiffness, double length, int tension_only) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 14, 14, 1.0);
    SystemOptions options = {.model = model, .tension_only = tension_only};
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = 1.15 * stiffness;
    material.shear = 0.15 * stiffness;
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    int count = rig.mesh.vertex_count;
    Vec3 *x = calloc((size_t)count, sizeof *x), *v = calloc((size_t)count, sizeof *v);
    Vec3 *z = calloc((size_t)count, sizeof *z);
    rig_state(&rig, 1.02, 0.01, x);
    for (int i = 0; i < count; ++i) {
        v[i] = random_vector(0.5);
    }
    rig.system.held[0] = rig.system.held[13] = 1;
    rig.system.gravity = vec3(0, 0, -9.81);
    for (int moved = 0; moved < 2; ++moved) {
        rig.system.target[0] = vec3_add(x[0], vec3(0, 0, 0.05 * moved));
        rig.system.target[13] = x[13];
        double last = INFINITY;
        for (int iterations = 1; iterations <= 5; ++iterations) {
            SolverOptions solving = {
                .scheme = SCHEME_TWO_LEVEL, .iterations = iterations, .ordering = ORDERING_AMD};
            Solver *solver = linear_solver_create(&rig.system, &solving, &rig.status);
            CHECK_INT(solver->prepare(solver, length, &rig.status), STATUS_OK);
            StateHistory past = {.start = x, .velocity = v};
            for (int m = 0; m < GUESS_HISTORY; ++m) {
                past.positions[m] = x;
            }
            solver->advance(solver, &past, z);
            double end = substep_energy(&solver->substep, z);
            for (int i = 0; i < count; ++i) {
                z[i] = vec3_madd(x[i], length, v[i]);
            }
            substep_place_pins(&solver->substep, z);
            double start = substep_energy(&solver->substep, z);
            CHECK_BELOW(end, start + 1e-9 * fabs(start));
            CHECK_BELOW(end, last + 1e-9 * fabs(last == INFINITY ? 0 : last));
            last = end;
            solver_destroy(solver);
        }
    }
    free(x);
    free(v);
    free(z);
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    random_start(21);
    check_dense();
    for (int threads = 1; threads <= 4; threads += 3) {
        Pool *pool = pool_create(threads);
        check_tiles(pool);
        pool_destroy(pool);
    }
    check_patches();
    check_many_patches();
    check_all_functions();
    for (int i = 0; i < 12; ++i) {
        double stiffness = i % 3 == 0 ? 100 : i % 3 == 1 ? 1e4 : 1e6;
        check_energy(i % 2 ? MODEL_TRIANGLE : MODEL_EDGE, stiffness, i < 6 ? 1.0 / 24 : 1.0 / 200,
                     i % 4 == 3);
    }
    return check_result();
}
