/* Folds that cloth remembers: no substep's memory adds energy, work over closed ways is never gained, what is left of a
 * fold grows with it and is bounded; the force is the energy's gradient. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws/curvature.h"
#include "rig.h"

#define MOST 400
#define STIFF 1e-4  /* N m */
#define MEMORY 12.0 /* 1/m */

static Vec3 x[MOST], force[MOST];

static Material keeping(double memory, bool measured) {
    static const double samples[15] = {1,   0.4, 1.1, 0.9, 0.2, 0.7, 0.6, 0.5,
                                       0.6, 0.3, 0.8, 0.9, 0.6, 0.8, 0.6};
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = material.shear = material.rope_stretch = 0;
    material.bend = STIFF;
    material.bend_weft = 0.6;
    material.bend_twist = 1.3;
    material.fold_memory = memory;
    for (int i = 0; measured && i < 15; ++i) {
        material.bend_samples[i] = STIFF * samples[i];
    }
    return material;
}

static double energy_at(Rig *rig, const Vec3 *at) {
    return system_elastic_energy(&rig->system, at);
}

static void remember(Rig *rig) { laws_remember(&rig->system.laws, rig->pool, x); }

/* A sheet that is rolled, bowed and twisted, and a little out of plane besides. */
static void shape(const Rig *rig, double xx, double yy, double xy, double time) {
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 p = rig->mesh.rest[v];
        x[v] = vec3(p.x + 0.01 * sin(time) * sin(3 * p.y), p.y,
                    p.z + 0.5 * (xx * p.x * p.x + yy * p.y * p.y) + xy * p.x * p.y);
    }
}

/* --- energy ------------------------------------------------------------------------------------- */

/* What is put in while the shape changes with the memory held, and what each slip takes out. The way is closed, so what
 * was put in is what was lost and what is stored in the end. */
static void check_cycles(GridKind kind, bool measured, double folds) {
    TestMesh *mesh = mesh_grid(kind, 9, 8, 1.0);
    mesh_crumple(mesh, folds);
    SystemOptions options = {.model = MODEL_TRIANGLE, .memory = true, .keep_folds = folds > 0};
    Material material = keeping(MEMORY, measured);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    double work = 0, lost = 0, gained = 0, lap = 0;
    shape(&rig, 0, 0, 0, 0);
    system_reset_memory(&rig.system, x);
    for (int turn = 0; turn < 3; ++turn) {
        double start = work;
        for (int step = 1; step <= 60; ++step) {
            double t = 2 * M_PI * step / 60, before = energy_at(&rig, x);
            shape(&rig, 40 * sin(t), 15 * sin(2 * t), 25 * sin(t) * sin(t), t);
            double bent = energy_at(&rig, x);
            remember(&rig);
            double slipped = energy_at(&rig, x);
            work += bent - before;
            lost += bent - slipped;
            gained = fmax(gained, slipped - bent);
        }
        lap = work - start;
        CHECK(lap > 0);
    }
    printf("three laps: work %.3g J, lost %.3g J, the last lap took %.3g J\n", work, lost, lap);
    CHECK(lost > 0 && lap > 0.1 * lost);
    CHECK_BELOW(gained, 1e-13 * lost);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Ways at random: friction is never strained too much, and each slip lowers the energy. */
static void check_random(GridKind kind) {
    TestMesh *mesh = mesh_grid(kind, 9, 8, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE, .memory = true};
    Material material = keeping(MEMORY, false);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    for (int step = 0; step < 60; ++step) {
        rig_state(&rig, random_between(0.9, 1.1), 0.05, x);
        double before = energy_at(&rig, x);
        remember(&rig);
        double after = energy_at(&rig, x);
        CHECK(after <= before);
        remember(&rig);
        CHECK_NEAR(energy_at(&rig, x) / after, 1, 1e-12);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- forces ------------------------------------------------------------------------------------- */

static void check_gradient(GridKind kind, double folds, bool measured) {
    TestMesh *mesh = mesh_grid(kind, 8, 7, 1.0);
    mesh_crumple(mesh, folds);
    SystemOptions options = {.model = MODEL_TRIANGLE, .memory = true, .keep_folds = folds > 0};
    Material material = keeping(MEMORY, measured);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    rig_state(&rig, 1.1, 0.05, x);
    remember(&rig);
    rig_state(&rig, 1.0, 0.05, x);
    double worst = 0, largest = 0, apart = 0;
    double energy = system_evaluate(&rig.system, x, x);
    CHECK_NEAR(energy / energy_at(&rig, x), 1, 1e-11);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        force[v] = system_force(&rig.system, v);
    }
    system_conventional_step(&rig.system, x);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        apart = fmax(apart, vec3_distance(force[v], rows_force(&rig.system.laws.rows, v)));
        largest = fmax(largest, vec3_length(force[v]));
    }
    CHECK_BELOW(apart, 1e-11 * largest); /* parcels and rows */
    for (int c = 0; c < 3 * rig.mesh.vertex_count; ++c) {
        double *place = (double *)&x[c / 3] + c % 3, at = *place;
        *place = at + 1e-6;
        double above = energy_at(&rig, x);
        *place = at - 1e-6;
        double below = energy_at(&rig, x);
        *place = at;
        worst =
            fmax(worst, fabs(((double *)&force[c / 3])[c % 3] + (above - below) / 2e-6) / largest);
    }
    CHECK_BELOW(worst, 1e-6);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- what is left ------------------------------------------------------------------------------- */

/* A sheet is rolled along its warp to `bent` and let go: of all parabolas it takes the one of least energy. It is small:
 * its normals hardly turn. */
static double left_of(double bent, double memory) {
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, 9, 8, 1e-3);
    SystemOptions options = {.model = MODEL_TRIANGLE, .memory = true};
    Material material = keeping(memory, false);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    double curvature = bent;
    for (int step = 0; step <= 40; ++step) {
        shape(&rig, 0, bent * step / 40, 0, 0);
        remember(&rig);
    }
    for (int step = 0; step < 400; ++step) { /* slowly, friction slipping on the way */
        double low = curvature - 0.25, high = curvature;
        for (int turn = 0; turn < 40; ++turn) { /* by thirds: it is convex */
            double third = (high - low) / 3;
            shape(&rig, 0, low + third, 0, 0);
            double left = energy_at(&rig, x);
            shape(&rig, 0, high - third, 0, 0);
            bool falls = energy_at(&rig, x) < left;
            low = falls ? low + third : low;
            high = falls ? high : high - third;
        }
        curvature = 0.5 * (low + high);
        shape(&rig, 0, curvature, 0, 0);
        remember(&rig);
    }
    rig_close(&rig);
    mesh_free(mesh);
    return curvature;
}

/* Friction holds a fold against the cloth's own stiffness up to its limit. */
static void check_left(void) {
    CHECK_NEAR(left_of(10, 0), 0, 0.1);
    CHECK_NEAR(left_of(MEMORY, MEMORY), 0, 0.1);
    CHECK_NEAR(left_of(2 * MEMORY, MEMORY), 0.5 * MEMORY, 0.2);
    CHECK_NEAR(left_of(5 * MEMORY, MEMORY), MEMORY, 0.2);
    CHECK_NEAR(left_of(8 * MEMORY, MEMORY), MEMORY, 0.2);
    CHECK_NEAR(left_of(60, 6), 6, 0.2);
}

int main(void) {
    static const GridKind kinds[] = {GRID_ALTERNATING, GRID_EQUILATERAL, GRID_IRREGULAR};
    random_start(9);
    for (int k = 0; k < 3; ++k) {
        for (int m = 0; m < 4; ++m) {
            check_cycles(kinds[k], m & 1, m & 2 ? 0.05 : 0);
            check_gradient(kinds[k], m & 2 ? 0.1 : 0, m & 1);
        }
        check_random(kinds[k]);
    }
    check_left();
    return check_result();
}
