/* What `shear` and `stretch` mean: a sheet sheared by g stores G g^2 / 2 per area, one strained along warp or weft by e
 * stores k e^2 / 2, whatever G is; in every model, on every grid that can have it. */
#include <stdio.h>
#include <stdlib.h>

#include "check.h"
#include "rig.h"

#define SMALL 1e-3 /* strain */

typedef struct Case {
    const char *name;
    SystemOptions options;
    GridKind grid;
    double aspect; /* height of the cells over their width */
} Case;

static const Case cases[] = {
    {"triangles, alternating", {.model = MODEL_TRIANGLE}, GRID_ALTERNATING, 1.0},
    {"triangles, irregular", {.model = MODEL_TRIANGLE}, GRID_IRREGULAR, 1.0},
    {"triangles, equilateral", {.model = MODEL_TRIANGLE}, GRID_EQUILATERAL, 1.0},
    {"triangles, long cells", {.model = MODEL_TRIANGLE}, GRID_PARALLEL, 3.0},
    {"triangles of quads", {.model = MODEL_TRIANGLE}, GRID_QUADS, 1.0},
    {"product energy",
     {.model = MODEL_TRIANGLE, .shear_energy = SHEAR_ENERGY_PRODUCT},
     GRID_IRREGULAR,
     1.0},
    {"edges of quads", {.model = MODEL_EDGE}, GRID_QUADS, 1.0},
    {"edges of long quads", {.model = MODEL_EDGE}, GRID_QUADS, 2.0},
    {"edges of wide quads", {.model = MODEL_EDGE}, GRID_QUADS, 0.5},
};

/* Energy per area of a sheet at x + F x, over SMALL^2 / 2. */
static double modulus(const Case *tried, double stretch, double shear, const double F[2][2]) {
    TestMesh *mesh = mesh_grid(tried->grid, 6, 7, 1.0);
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        mesh->positions[3 * v + 1] *= (float)tried->aspect;
    }
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = stretch;
    material.shear = shear;
    material.bend = 0;
    Rig rig;
    rig_open(&rig, mesh, &tried->options, &material);
    Vec3 *x = calloc((size_t)rig.mesh.vertex_count, sizeof *x);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        Vec3 p = rig.mesh.rest[v];
        x[v] = vec3(p.x + SMALL * (F[0][0] * p.x + F[0][1] * p.y),
                    p.y + SMALL * (F[1][0] * p.x + F[1][1] * p.y), p.z);
    }
    double area = rig_area(&rig);
    double energy = system_elastic_energy(&rig.system, x);
    free(x);
    rig_close(&rig);
    mesh_free(mesh);
    return energy / (0.5 * SMALL * SMALL * area);
}

static void check_case(const Case *tried) {
    const double sheared[2][2] = {{0, 1}, {0, 0}}, turned[2][2] = {{0, 0.5}, {0.5, 0}};
    const double along[2][2] = {{1, 0}, {0, 0}}, across[2][2] = {{0, 0}, {0, 1}};
    for (double shear = 0; shear <= 400; shear += 200) {
        double tolerance = 4000 * 4 * SMALL; /* the next order in the strain */
        double found = modulus(tried, 4000, shear, turned);
        printf("%-24s G = %g: %.4g sheared, %.6g along\n", tried->name, shear, found,
               modulus(tried, 4000, shear, along));
        CHECK_NEAR(found, shear, 0.01 * shear + 0.05);
        CHECK_NEAR(modulus(tried, 4000, shear, sheared), shear, 0.01 * shear + 0.05);
        CHECK_NEAR(modulus(tried, 4000, shear, along), 4000, tolerance);
        CHECK_NEAR(modulus(tried, 4000, shear, across), 4000, tolerance);
    }
}

int main(void) {
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        check_case(&cases[c]);
    }
    return check_result();
}
