/* The membrane law against what it is said to be: triangular springs, the linear element of plane stress, the table of a
 * measured fabric; and its derivatives by differences. */
#include <math.h>

#include "check.h"
#include "laws/membrane.h"
#include "laws/response.h"
#include "rig.h"

#define MOST 128

static Vec3 state[MOST];

static Material sheet_of(double young, double poisson) {
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = young;
    material.shear = 0.5 * young / (1 + poisson);
    material.poisson = poisson;
    material.bend = 0;
    return material;
}

static double energy_at(Rig *rig, const Vec3 *x) { return system_elastic_energy(&rig->system, x); }

static double angle_between(Vec3 a, Vec3 b) {
    return atan2(vec3_length(vec3_cross(a, b)), vec3_dot(a, b));
}

/* Delingette's springs: k_i (l_i^2 - L_i^2)^2 / 4 and c_k times the products of two such over 2, of one triangle. */
static double biquadratic_energy(const Rig *rig, int t, double young, double poisson,
                                 const Vec3 *x) {
    const Triangle *triangle = &rig->mesh.triangles[t];
    double lambda = young * poisson / (1 - poisson * poisson);
    double mu = young * (1 - poisson) / (1 - poisson * poisson);
    double cot[3], change[3], area = triangle->area, energy = 0;
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        Vec3 at[3];
        for (int c = 0; c < 3; ++c) {
            at[c] = vec3(triangle->material[c][0], triangle->material[c][1], 0);
        }
        double angle = angle_between(vec3_sub(at[j], at[i]), vec3_sub(at[k], at[i]));
        double rest = vec3_distance(at[j], at[k]);
        double now = vec3_distance(x[triangle->vertices[j]], x[triangle->vertices[k]]);
        cot[i] = 1 / tan(angle);
        change[i] = now * now - rest * rest;
    }
    for (int i = 0; i < 3; ++i) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        double stiffness = (2 * cot[i] * cot[i] * (lambda + mu) + mu) / (16 * area);
        double coupling = (2 * cot[j] * cot[k] * (lambda + mu) - mu) / (16 * area);
        energy += stiffness / 4 * change[i] * change[i] + coupling / 2 * change[j] * change[k];
    }
    return energy;
}

/* Random deformations, up to half of a side. */
static void check_springs(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 5, 4, 0.4);
    const double young = 800, poisson = 0.3;
    SystemOptions options = {.model = MODEL_MEMBRANE};
    Material material = sheet_of(young, poisson);
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    for (int round = 0; round < 20; ++round) {
        rig_state(&rig, 0.8 + 0.03 * round, 0.002 * round, state);
        double wanted = 0;
        for (int t = 0; t < rig.mesh.triangle_count; ++t) {
            wanted += biquadratic_energy(&rig, t, young, poisson, state);
        }
        CHECK_NEAR(energy_at(&rig, state) / wanted, 1, 1e-12);
    }
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- plane stress ------------------------------------------------------------------------------- */

/* The textbook's constant-strain triangle: forces of small displacements d in the plane, by Cauchy's strain. */
static void add_linear_forces(const Rig *rig, int t, const Material *material, const Vec3 *d,
                              Vec3 *force) {
    const Triangle *triangle = &rig->mesh.triangles[t];
    double a[3], p[3], strain[3] = {0}, stress[3];
    triangle_axis_weights(triangle, a, p);
    /* displacements in warp and weft: the sheet lies in z = 0, its axes as the rest shape shows them */
    Vec3 u = vec3(0, 0, 0), v = u;
    for (int c = 0; c < 3; ++c) {
        u = vec3_madd(u, a[c], rig->mesh.rest[triangle->vertices[c]]);
        v = vec3_madd(v, p[c], rig->mesh.rest[triangle->vertices[c]]);
    }
    for (int c = 0; c < 3; ++c) {
        double du = vec3_dot(d[triangle->vertices[c]], u),
               dv = vec3_dot(d[triangle->vertices[c]], v);
        strain[0] += a[c] * du;
        strain[1] += p[c] * dv;
        strain[2] += p[c] * du + a[c] * dv; /* twice the tensor's */
    }
    double n = material->poisson, square = 1 - n * n;
    double coupling = n * sqrt(material->stretch_warp * material->stretch_weft) / square;
    stress[0] = material->stretch_warp / square * strain[0] + coupling * strain[1];
    stress[1] = material->stretch_weft / square * strain[1] + coupling * strain[0];
    stress[2] = material->shear * strain[2];
    for (int c = 0; c < 3; ++c) {
        double along = a[c] * stress[0] + p[c] * stress[2];
        double across = p[c] * stress[1] + a[c] * stress[2];
        Vec3 pull = vec3_madd(vec3_scale(along, u), across, v);
        Vec3 *to = &force[triangle->vertices[c]];
        *to = vec3_madd(*to, -triangle->area, pull);
    }
}

/* Every measure meets it to first order: with displacements of one millionth they differ by about that. */
static void check_plane_stress(StrainMeasure measure) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 6, 5, 0.4);
    SystemOptions options = {.model = MODEL_MEMBRANE, .measure = measure};
    Material material = sheet_of(800, 0.3);
    Vec3 shift[MOST], wanted[MOST] = {{0}};
    material.stretch_weft = 300;
    material.shear = 45;
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        shift[v] = vec3(random_between(-1e-7, 1e-7), random_between(-1e-7, 1e-7), 0);
        state[v] = vec3_add(rig.mesh.rest[v], shift[v]);
    }
    for (int t = 0; t < rig.mesh.triangle_count; ++t) {
        add_linear_forces(&rig, t, &material, shift, wanted);
    }
    system_conventional_step(&rig.system, state);
    double largest = 0, worst = 0;
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        Vec3 force = rows_force(&rig.system.laws.rows, v);
        largest = fmax(largest, vec3_length(wanted[v]));
        worst = fmax(worst, vec3_length(vec3_sub(force, wanted[v])));
    }
    CHECK(largest > 1e-6);
    CHECK_BELOW(worst, 1e-4 * largest);
    rig_close(&rig);
    mesh_free(mesh);
}

/* --- measured fabric ---------------------------------------------------------------------------- */

/* A made-up knit: soft at first, stiffer the further it is stretched, more so along the weft. */
static Material knit(void) {
    static const double table[24] = {60,  10, 30,  80, /* slack */
                                     150, 20, 280, 60, /* 0 degrees */
                                     160, 30, 260, 70, 180, 40, 250, 90,
                                     190, 30, 300, 80, 200, 20, 350, 70 /* 90 degrees */};
    Material material = rig_material();
    for (int i = 0; i < 24; ++i) {
        material.stretch_samples[i] = table[i];
    }
    return material;
}

/* The force of a strip by the table itself, N/m; `row` 1 along warp, 5 along weft. */
static double table_stress(const Material *material, int row, double strain) {
    double part = fmin((sqrt(1 + 2 * strain) - 1) * 6, 1), c[4];
    for (int n = 0; n < 4; ++n) {
        double slack = material->stretch_samples[n], taut = material->stretch_samples[4 * row + n];
        c[n] = slack + part * (taut - slack);
    }
    return row == 1 ? (c[0] - c[1] * c[1] / c[2]) * strain : (c[2] - c[1] * c[1] / c[0]) * strain;
}

/* That of the curves, the strip free to get narrower. */
static double curve_stress(const StretchCurves *curves, int along, double strain) {
    const StretchCurve *other = &curves->curve[along == STRETCH_WARP ? STRETCH_WEFT : STRETCH_WARP];
    double across = 0, c = curves->coupling;
    for (int step = 0; step < 50; ++step) {
        Stretch stretch = stretch_at(other, across);
        across -= (stretch.stress + c * strain) / stretch.slope;
    }
    return stretch_at(&curves->curve[along], strain).stress + c * across;
}

static void check_table(void) {
    Material material = knit();
    StretchCurves curves = {0};
    CHECK(stretch_is_sound(&material));
    stretch_curves_of(&material, &curves);
    for (double stretch = 0.01; stretch < 0.166; stretch += 0.005) {
        double strain = stretch + 0.5 * stretch * stretch;
        double warp = table_stress(&material, 1, strain), weft = table_stress(&material, 5, strain);
        CHECK_NEAR(curve_stress(&curves, STRETCH_WARP, strain) / warp, 1, 0.005);
        CHECK_NEAR(curve_stress(&curves, STRETCH_WEFT, strain) / weft, 1, 0.005);
    }
    /* convex: what solvers live on */
    const StretchCurve *curve = curves.curve;
    for (int i = 0; i <= STRETCH_SEGMENTS; ++i) {
        for (int j = 0; j <= STRETCH_SEGMENTS; ++j) {
            CHECK(stretch_slope(&curve[STRETCH_WARP], i) * stretch_slope(&curve[STRETCH_WEFT], j) >
                  curves.coupling * curves.coupling);
        }
        CHECK(stretch_slope(&curve[STRETCH_SHEAR], i) > 0);
    }
    material.stretch_samples[1] = 70; /* c12^2 > c11 c22 of the slack cloth */
    CHECK(!stretch_is_sound(&material));
}

/* Stress is the slope of the energy and the slope is its own, on both sides of knots. */
static void check_curve(void) {
    Material material = knit();
    StretchCurves curves = {0};
    material.strain_limit = 0.1;
    stretch_curves_of(&material, &curves);
    const double h = 1e-6;
    for (int c = 0; c < STRETCH_CURVES; ++c) {
        for (double e = -0.1013; e < 0.3; e += 0.0107) {
            const StretchCurve *curve = &curves.curve[c];
            Stretch at = stretch_at(curve, e), above = stretch_at(curve, e + h);
            Stretch below = stretch_at(curve, e - h);
            CHECK_NEAR((above.energy - below.energy) / (2 * h), at.stress,
                       1e-6 * stretch_slope(curve, 5));
            CHECK_NEAR((above.stress - below.stress) / (2 * h) / at.slope, 1, 1e-3);
        }
    }
    /* twenty times as stiff from the limit on, nothing changed well before it */
    double low = 0.05, high = 0.1 + 0.005 + 1e-9;
    Material free = knit();
    StretchCurves without = {0};
    stretch_curves_of(&free, &without);
    CHECK_NEAR(stretch_at(&curves.curve[0], low).slope, stretch_at(&without.curve[0], low).slope,
               2);
    CHECK_NEAR(stretch_at(&curves.curve[0], high).slope / stretch_at(&without.curve[0], high).slope,
               20, 1.5);
}

/* A limit that the knots are too far apart for is the least that they show: twenty times as stiff a little beyond it. */
static void check_least_limit(void) {
    Material material = sheet_of(800, 0.3);
    StretchCurves least = {0}, tiny = {0};
    material.strain_limit = 0.003;
    stretch_curves_of(&material, &least);
    material.strain_limit = 1e-5;
    stretch_curves_of(&material, &tiny);
    for (int i = 0; i <= STRETCH_SEGMENTS; ++i) {
        CHECK(stretch_slope(&tiny.curve[STRETCH_WARP], i) ==
              stretch_slope(&least.curve[STRETCH_WARP], i));
    }
    double first = stretch_slope(&tiny.curve[STRETCH_WARP], 0);
    CHECK_NEAR(stretch_at(&tiny.curve[STRETCH_WARP], 0.006).slope / first, 20, 1e-9);
    CHECK(stretch_at(&tiny.curve[STRETCH_WARP], 0.001).slope / first < 10);
}

/* A pattern so small that the squares of its sides cannot be told apart from nothing is left out, not divided by. */
static void check_tiny_pattern(void) {
    const MeshOptions options = {.pattern = PATTERN_UV, .uv_scale = 1e-35};
    TestMesh *grid = mesh_grid(GRID_ALTERNATING, 4, 4, 1);
    Store store = {0};
    Status status = {0};
    Mesh mesh;
    Law *law = NULL;
    mesh_add_uvs(grid, 1e-25);
    CHECK_INT(mesh_build(&grid->polygons, MESH_WHOLE, &options, &store, &mesh, &status), STATUS_OK);
    CHECK(mesh.triangles[0].area > 0);
    CHECK_INT(membrane_law_build(&mesh, true, STRAIN_HENCKY, &store, &law, &status), STATUS_OK);
    CHECK_INT(law->count, 0);
    CHECK_INT(law->skipped, mesh.triangle_count);
    store_release(&store);
    mesh_free(grid);
}

int main(void) {
    random_start(11);
    check_springs();
    for (int measure = STRAIN_AUTO; measure <= STRAIN_HENCKY; ++measure) {
        check_plane_stress((StrainMeasure)measure);
    }
    check_table();
    check_curve();
    check_least_limit();
    check_tiny_pattern();
    return check_result();
}
