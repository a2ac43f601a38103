/* Forces and energies by parcels are those by rows of tension, which test_gradients holds against differences.
 * Both add the same numbers in another order and with other roots, so they may differ by rounding: that of places of
 * about 1 m, 1e-16 m, times the stiffness of a vertex, and as much again for each digit that a short axis loses. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "rig.h"

#define MOST 2048      /* vertices of a mesh here */
#define ROUNDING 1e-14 /* m */
/* m: the energies of flat hinges are differences of squares within a parcel, a good part of these meshes */
#define SQUARES 0.05
#define TOLERANCE 1e-11

static Vec3 by_rows[MOST], by_parcels[MOST], state[MOST];

/* Of the vertex that resists most, N/m. */
static double largest_stiffness(const System *system) {
    double largest = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        int slot = matrix_slot(&system->stiffness, v, v);
        largest = fmax(largest, system->stiffness.value[slot]);
    }
    return largest;
}

static void compare(Rig *rig, const Vec3 *z, const Vec3 *present) {
    System *system = &rig->system;
    double rows = system_local_step(system, &(Guess){.z = z, .present = present}), largest = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        by_rows[v] = system_force(system, v);
        largest = fmax(largest, vec3_length(by_rows[v]));
    }
    double parcels = system_evaluate(system, z, present), worst = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        worst = fmax(worst, vec3_distance(system_force(system, v), by_rows[v]));
    }
    CHECK_INT(system->by_parcels, 1);
    double rounding = ROUNDING * largest_stiffness(system);
    CHECK_BELOW(worst, rounding + TOLERANCE * largest);
    CHECK_NEAR(parcels, rows, SQUARES * rounding + TOLERANCE * rows);
}

static void check_mesh_of(TestMesh *mesh, const SystemOptions *options, const Material *material) {
    Rig rig;
    rig_open(&rig, mesh, options, material);
    const double noises[] = {1e-6, 1e-3, 0.05};
    for (int n = 0; n < 3; ++n) {
        rig_state(&rig, 1.0 + 0.1 * n, noises[n], state);
        compare(&rig, state, rig.mesh.rest);
    }
    /* collapsed: to a line, and to a point, where directions come from the state before */
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        state[v] = vec3(rig.mesh.rest[v].x, 0, 0);
    }
    compare(&rig, state, rig.mesh.rest);
    memset(state, 0, sizeof state);
    compare(&rig, state, rig.mesh.rest);
    rig_close(&rig);
    mesh_free(mesh);
}

static void check_mesh(TestMesh *mesh, const SystemOptions *options) {
    Material material = rig_material();
    check_mesh_of(mesh, options, &material);
}

/* Triangles that give way when they are compressed: limp, and with long bending lengths, in which their cells are small. */
static void check_limp(void) {
    Material material = rig_material();
    material.bend = 1e-5;
    material.density = 1e-6;
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        check_mesh_of(mesh_grid((GridKind)kind, 37, 41, 1.0),
                      &(SystemOptions){.model = MODEL_TRIANGLE}, &material);
    }
}

static void check_meshes(void) {
    for (int model = MODEL_EDGE; model <= MODEL_MEMBRANE; ++model) {
        for (int choice = 0; choice < 4; ++choice) {
            SystemOptions options = {
                .model = (ModelKind)model, .tension_only = choice & 1, .keep_folds = choice >> 1};
            for (int kind = 0; kind < GRID_KINDS; ++kind) {
                TestMesh *mesh = mesh_grid((GridKind)kind, 37, 41, 1.0);
                mesh_crumple(mesh, choice >> 1 ? 0.1 : 0.0);
                check_mesh(mesh, &options);
            }
            check_mesh(mesh_random(), &options);
            check_mesh(mesh_rope(50, 1.0), &options);
        }
    }
}

/* Membranes whose stress goes by a table: compressed, at rest, between its knots and beyond the last. */
static void check_stretch_curves(bool measured, double strain_limit) {
    static const double slack[4] = {800, 120, 600, 300}, taut[4] = {2600, 150, 1900, 700};
    const double stretches[] = {0.7, 0.98, 1.0, 1.02, 1.1, 1.5};
    SystemOptions options = {.model = MODEL_MEMBRANE};
    Material material = rig_material();
    material.strain_limit = strain_limit;
    for (int i = 0; measured && i < 24; ++i) {
        material.stretch_samples[i] = (i < 4 ? slack : taut)[i % 4];
    }
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 23, 19, 1.0);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    for (int n = 0; n < 6; ++n) {
        rig_state(&rig, stretches[n], stretches[n] == 1.0 ? 0.0 : 0.002, state);
        compare(&rig, state, rig.mesh.rest);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* Half a sheet, whose hinges across the plane hang on their own image. */
static void check_half(int keep_folds) {
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = keep_folds};
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, 21, 15, 1.0);
    int count = mesh->polygons.vertex_count;
    float *p = mesh->positions;
    /* vertices of the first column last: they are the plane's */
    int32_t *renumbered = calloc((size_t)count, sizeof *renumbered);
    float *moved = calloc(3 * (size_t)count, sizeof *moved);
    int next = 0, plane_from = count - 15;
    for (int pass = 0; pass < 2; ++pass) {
        for (int v = 0; v < count; ++v) {
            if ((v % 21 == 0) == pass) {
                memcpy(moved + 3 * next, p + 3 * v, 3 * sizeof *p);
                moved[3 * next] -= p[0];
                renumbered[v] = next++;
            }
        }
    }
    memcpy(p, moved, 3 * (size_t)count * sizeof *p);
    for (int c = 0; c < mesh->corner_count; ++c) {
        mesh->face_vertices[c] = renumbered[mesh->face_vertices[c]];
    }
    mesh_crumple(mesh, keep_folds ? 0.1 : 0.0);
    Rig rig = {.pool = pool_create(1)};
    CHECK_INT(mesh_build(&mesh->polygons, plane_from, &(MeshOptions){.pattern = PATTERN_MESH},
                         &rig.store, &rig.mesh, &rig.status),
              STATUS_OK);
    CHECK_INT(system_build(&rig.system, &rig.mesh, &options, rig.pool, &rig.store, &rig.status),
              STATUS_OK);
    rig.system.materials[0] = rig_material();
    system_refresh_material(&rig.system);
    CHECK(rig_hinges(&rig.system)->law.crossing_from < rig_hinges(&rig.system)->law.count);
    rig_state(&rig, 1.1, 0.01, state);
    for (int v = plane_from; v < count; ++v) {
        state[v].x = 0;
    }
    compare(&rig, state, rig.mesh.rest);
    rig_close(&rig);
    mesh_free(mesh);
    free(renumbered);
    free(moved);
}

/* A vertex with more neighbours than a parcel has room for. */
static void check_fan(void) {
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1};
    TestMesh *mesh = mesh_new();
    mesh_add_vertex(mesh, 0, 0, 0.2);
    for (int v = 0; v < 1000; ++v) {
        double angle = 2 * 3.14159265358979 * v / 1000;
        mesh_add_vertex(mesh, cos(angle), sin(angle), 0);
    }
    for (int v = 0; v < 1000; ++v) {
        mesh_add_triangle(mesh, 0, 1 + v, 1 + (v + 1) % 1000);
    }
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    CHECK(rig.system.parcels.count > 2);
    rig_state(&rig, 1.05, 1e-5, state);
    compare(&rig, state, rig.mesh.rest);
    rig_close(&rig);
    mesh_free(mesh);
}

static void check_threads(void) {
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = 1};
    double energy = 0;
    for (int threads = 1; threads <= 4; ++threads) {
        random_start(7);
        TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 40, 40, 1.0);
        Material material = rig_material();
        Rig rig;
        rig_open(&rig, mesh, &options, &material);
        pool_destroy(rig.pool);
        rig.pool = rig.system.pool = pool_create(threads);
        rig_state(&rig, 1.05, 1e-2, state);
        double now = system_evaluate(&rig.system, state, state);
        for (int v = 0; v < rig.system.vertex_count; ++v) {
            Vec3 force = system_force(&rig.system, v);
            CHECK(threads == 1 || memcmp(&force, &by_parcels[v], sizeof force) == 0);
            by_parcels[v] = force;
        }
        CHECK(threads == 1 || now == energy);
        energy = now;
        rig_close(&rig);
        mesh_free(mesh);
    }
}

int main(void) {
    check_limp();
    check_meshes();
    for (int choice = 0; choice < 4; ++choice) {
        check_stretch_curves(choice & 1, choice & 2 ? 0.1 : 0.0);
    }
    check_half(0);
    check_half(1);
    check_fan();
    check_threads();
    return check_result();
}
