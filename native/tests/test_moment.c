/* Bending by moment curves: that they are what was measured, never fall and have the energies of their moments; that
 * rolled sheets store them, strips on the bias included; that straight ones are the quadratic law; that their second
 * derivative is that of the forces, below what stands in the matrix. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "laws/curvature.h"
#include "rig.h"

#define MOST 400
#define STIFF 1e-4 /* N m */

static Vec3 x[MOST], d[MOST], force[MOST];

/* Rows of warp, bias and weft, in parts of STIFF: nothing falls in the first; in the second moments do; in the third the
 * strip on the bias is stiffer than warp and weft allow for. */
static const double fabrics[3][15] = {
    {1, 1.2, 1.4, 1.5, 1.5, 0.8, 0.9, 0.9, 1.0, 1.1, 0.5, 0.6, 0.7, 0.7, 0.8},
    {1, 0.4, 1.1, 0.9, 0.2, 0.7, 0.6, 0.5, 0.6, 0.3, 0.8, 0.9, 0.6, 0.8, 0.6},
    {0.5, 0.5, 0.5, 0.5, 0.5, 1.5, 1.5, 1.5, 1.5, 1.5, 0.5, 0.5, 0.5, 0.5, 0.5}};

static Material fabric(int f) {
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = material.shear = material.rope_stretch = 0;
    for (int i = 0; i < 15; ++i) {
        material.bend_samples[i] = STIFF * fabrics[f][i];
    }
    return material;
}

/* --- curves ------------------------------------------------------------------------------------- */

static double measured_moment(int f, int row, double curvature) {
    const double *b = fabrics[f] + 5 * row;
    int i = curvature < 30 ? (int)(curvature / 10) : 3;
    double t = fmin(curvature / 10, 4) - i;
    return STIFF * (b[i] + t * (b[i + 1] - b[i])) * curvature;
}

static void check_curve(const MomentCurve *curve) {
    double energy, slope, before = 0, after;
    for (double k = 0; k < 150; k += 0.37) {
        double moment = moment_at(curve, k, &energy, &slope);
        CHECK(moment >= before - 1e-12 * STIFF && slope >= 0 && slope <= curve->steepest);
        before = moment;
        double above = moment_at(curve, k + 1e-5, &energy, &slope);
        moment_at(curve, k + 2e-5, &after, &slope);
        moment_at(curve, k, &energy, &slope);
        CHECK_NEAR((after - energy) / 2e-5, above, 1e-6 * STIFF * (1 + k));
    }
}

/* Warp and weft are what was measured; where that falls they have the same energy before and after. */
static void check_curves(int f) {
    MomentCurve curves[MOMENT_CURVES];
    Material material = fabric(f);
    moment_curves_of(&material, curves);
    double error = 0, stored[2] = {0, 0}, energy, slope;
    for (int c = 0; c < MOMENT_CURVES; ++c) {
        check_curve(&curves[c]);
    }
    for (double k = 0.005; k < 120; k += 0.01) {
        const double wanted[2] = {measured_moment(f, 0, k), measured_moment(f, 2, k)};
        for (int c = 0; c < 2; ++c) {
            double got = moment_at(&curves[c], k, &energy, &slope);
            error = fmax(error, fabs(got - wanted[c]) / wanted[c]);
            stored[c] += 0.01 * wanted[c];
        }
    }
    for (int c = 0; c < 2; ++c) {
        moment_at(&curves[c], 120, &energy, &slope);
        CHECK_NEAR(energy / stored[c], 1, 0.01);
    }
    printf("fabric %d: moments of warp and weft %.4f from those measured\n", f, error);
    CHECK(f == 1 ? error > 0.3 : error < 0.015); /* the first segment is a chord */
}

/* A strip on the bias that may arch and twist as it likes: half of its moment in each of the three. */
static void check_bias(int f, double most) {
    MomentCurve curves[MOMENT_CURVES];
    Material material = fabric(f);
    moment_curves_of(&material, curves);
    double worst = 0, energy, slope;
    for (double moment = 2e-5; moment < 2.5e-3; moment += 2e-5) {
        double bent = 0;
        for (int c = 0; c < MOMENT_CURVES; ++c) {
            double low = 0, high = 1e3;
            for (int turn = 0; turn < 60; ++turn) {
                double middle = 0.5 * (low + high);
                bool less = moment_at(&curves[c], middle, &energy, &slope) < moment;
                low = less ? middle : low;
                high = less ? high : middle;
            }
            bent += (c == MOMENT_TWIST ? 1.0 : 0.5) * low;
        }
        worst = fmax(worst, fabs(measured_moment(f, 1, bent) / (2 * moment) - 1));
    }
    printf("fabric %d: a strip on the bias has a moment %.4f from that measured\n", f, worst);
    CHECK_BELOW(worst, most);
}

/* --- sheets ------------------------------------------------------------------------------------- */

static void forces_at(Rig *rig, const Vec3 *at) {
    system_conventional_step(&rig->system, at);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        force[v] = rows_force(&rig->system.laws.rows, v);
    }
}

/* Warp is along y (topology.c). */
static void check_rolled(GridKind kind, int f) {
    TestMesh *mesh = mesh_grid(kind, 12, 11, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE, .moments = true};
    Material material = fabric(f);
    MomentCurve curves[MOMENT_CURVES];
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    moment_curves_of(&material, curves);
    CHECK_INT(laws_find(&rig.system.laws, &moment_kind)->count, rig.mesh.vertex_count);
    for (int t = 0; t < 20; ++t) {
        double xx = random_between(-50, 50), yy = random_between(-50, 50),
               xy = random_between(-50, 50), wanted = 0;
        const double bent[MOMENT_CURVES] = {fabs(yy), fabs(xx), fabs(xy)};
        for (int v = 0; v < rig.mesh.vertex_count; ++v) {
            Vec3 p = rig.mesh.rest[v];
            x[v] = vec3(p.x, p.y, 0.5 * (xx * p.x * p.x + yy * p.y * p.y) + xy * p.x * p.y);
        }
        for (int c = 0; c < MOMENT_CURVES; ++c) {
            double energy, slope;
            moment_at(&curves[c], bent[c], &energy, &slope);
            wanted += (c == MOMENT_TWIST ? 2 : 1) * energy * rig_area(&rig);
        }
        CHECK_NEAR(system_elastic_energy(&rig.system, x) / wanted, 1.0, 1e-4); /* float32 */
        CHECK_NEAR(system_evaluate(&rig.system, x, x) / wanted, 1.0, 1e-4);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* Straight curves are the quadratic law, turned warps included. */
static void check_straight(GridKind kind, double folds) {
    static Vec3 other[MOST];
    TestMesh *mesh = mesh_grid(kind, 9, 8, 1.0);
    mesh_crumple(mesh, folds);
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = folds > 0};
    Material material = fabric(0);
    memset(material.bend_samples, 0, sizeof material.bend_samples);
    material.bend_weft = 0.4;
    material.bend_twist = 1.6;
    Rig plain, rig;
    rig_open(&plain, mesh, &options, &material);
    options.moments = true;
    rig_open(&rig, mesh, &options, &material);
    rig_state(&rig, 1.1, 0.05, x);
    double energy = system_elastic_energy(&plain.system, x), largest = 0, apart = 0;
    forces_at(&plain, x);
    memcpy(other, force, sizeof other);
    forces_at(&rig, x);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        largest = fmax(largest, vec3_length(other[v]));
        apart = fmax(apart, vec3_distance(other[v], force[v]));
    }
    CHECK_NEAR(system_elastic_energy(&rig.system, x) / energy, 1, folds > 0 ? 0.01 : 1e-6);
    CHECK_BELOW(apart, (folds > 0 ? 0.05 : 1e-5) * largest);
    rig_close(&plain);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Forces change by their second derivative, and by less than the matrix has. */
static void check_stiffness(GridKind kind, int f) {
    TestMesh *mesh = mesh_grid(kind, 9, 8, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE, .moments = true};
    Material material = fabric(f);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    static Vec3 product[MOST], moved[MOST];
    double apart = 0, largest = 0, own = 0, bound = 0;
    const Matrix *matrix = &rig.system.stiffness;
    rig_state(&rig, 1.0, 0.04, x);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        d[v] = random_vector(1);
    }
    rig_stiffen(&rig.system, x, d);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        product[v] = rows_force(&rig.system.laws.rows, v);
        own -= vec3_dot(product[v], d[v]);
        for (int p = matrix->start[v]; p < matrix->start[v + 1]; ++p) {
            bound += matrix->value[p] * vec3_dot(d[v], d[matrix->column[p]]);
        }
    }
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int v = 0; v < rig.mesh.vertex_count; ++v) {
            moved[v] = vec3_madd(x[v], sign * 1e-7, d[v]);
        }
        forces_at(&rig, moved);
        for (int v = 0; v < rig.mesh.vertex_count; ++v) {
            product[v] = vec3_madd(product[v], -sign / 2e-7, force[v]);
        }
    }
    rig_stiffen(&rig.system, x, d);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        largest = fmax(largest, vec3_length(rows_force(&rig.system.laws.rows, v)));
        apart = fmax(apart, vec3_length(product[v]));
    }
    CHECK_BELOW(apart, 1e-3 * largest); /* knots between the two */
    CHECK(own > 0);
    CHECK_BELOW(own, bound);
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    static const GridKind kinds[] = {GRID_ALTERNATING, GRID_PARALLEL, GRID_EQUILATERAL,
                                     GRID_IRREGULAR};
    random_start(5);
    for (int f = 0; f < 3; ++f) {
        check_curves(f);
    }
    check_bias(0, 0.01);
    check_bias(2, 0.65); /* twist cannot do it all */
    for (int k = 0; k < 4; ++k) {
        for (int f = 0; f < 3; ++f) {
            check_rolled(kinds[k], f);
            check_stiffness(kinds[k], f);
        }
        check_straight(kinds[k], 0);
        check_straight(kinds[k], 0.1);
    }
    return check_result();
}
