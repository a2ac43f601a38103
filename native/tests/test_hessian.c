/* The Hessian as a matrix: its products are those of the laws one by one, its blocks its own diagonal. */
#include <string.h>

#include "check.h"
#include "rig.h"
#include "system/hessian.h"

#define MOST 600

static Vec3 x[MOST], d[MOST], product[MOST];
static HessianVector narrow[MOST];

/* minus scale H d, by the laws */
static void multiply_by_laws(Rig *rig, double scale) {
    rig_stiffen(&rig->system, x, d);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        product[v] = vec3_scale(-scale, rows_force(&rig->system.laws.rows, v));
    }
}

static Vec3 row_at(const Hessian *hessian, int v) {
    HessianVector row;
    hessian_multiply(hessian, v, v + 1, narrow, &row);
    return vec3((double)row[0], (double)row[1], (double)row[2]);
}

static void check_products(Rig *rig, const Hessian *hessian, double scale) {
    double size = 0;
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        d[v] = random_vector(1);
        narrow[v] = (HessianVector){(float)d[v].x, (float)d[v].y, (float)d[v].z, 0};
        d[v] = vec3((double)narrow[v][0], (double)narrow[v][1], (double)narrow[v][2]);
    }
    multiply_by_laws(rig, scale);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        size = fmax(size, vec3_length(product[v]));
    }
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        CHECK_BELOW(vec3_distance(row_at(hessian, v), product[v]), 1e-5 * size);
    }
}

static void check_blocks(Rig *rig, const Hessian *hessian, double scale) {
    for (int v = 0; v < rig->mesh.vertex_count; v += 7) {
        Block own = hessian_own(hessian, v);
        memset(d, 0, sizeof d);
        d[v] = random_vector(1);
        multiply_by_laws(rig, scale);
        CHECK_BELOW(vec3_distance(block_times(&own, d[v]), product[v]),
                    1e-5 * vec3_length(product[v]));
    }
}

/* Products take what was set in place of a vertex's own block; reading and computing it anew do not see that. */
static void check_set(Rig *rig, Hessian *hessian, double scale) {
    int v = rig->mesh.vertex_count / 2;
    Block before = hessian_own(hessian, v), more = before;
    block_add_diagonal(&more, 3.0 * before.m[0]);
    for (int i = 0; i < rig->mesh.vertex_count; ++i) {
        narrow[i] = (HessianVector){0.5F, 1.0F, -2.0F, 0};
    }
    Vec3 row = row_at(hessian, v);
    hessian_set_own(hessian, v, &more);
    Vec3 added = vec3_sub(row_at(hessian, v), row);
    CHECK_BELOW(vec3_distance(added, vec3_scale(3.0 * before.m[0], vec3(0.5, 1, -2))),
                1e-4 * before.m[0]);
    CHECK(memcmp(&before, &(Block[]){hessian_own(hessian, v)}, sizeof before) == 0);
    hessian_compute(hessian, scale, x);
    CHECK_BELOW(vec3_distance(row_at(hessian, v), row), 0.0);
}

static void check_system(TestMesh *mesh, const SystemOptions *options, double noise) {
    Material material = rig_material();
    Rig rig;
    Hessian hessian;
    double scale = 1.0 / 576;
    rig_open(&rig, mesh, options, &material);
    CHECK(rig.mesh.vertex_count <= MOST);
    CHECK_INT(hessian_build(&hessian, &rig.system, &rig.store, &rig.status), STATUS_OK);
    hessian_refresh(&hessian, scale);
    for (int trial = 0; trial < 3; ++trial) { /* nothing is left of the place before */
        rig_state(&rig, 1.05, noise, x);
        hessian_compute(&hessian, scale, x);
        check_products(&rig, &hessian, scale);
    }
    check_blocks(&rig, &hessian, scale);
    check_set(&rig, &hessian, scale);
    rig_close(&rig);
    mesh_free(mesh);
}

int main(void) {
    random_start(19);
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        for (int at = 0; at < 8; ++at) {
            SystemOptions options = {.model = at & 1 ? MODEL_TRIANGLE : MODEL_EDGE,
                                     .bending = at & 2 ? BENDING_CURVATURE : BENDING_HINGES,
                                     .tension_only = at & 4};
            check_system(mesh_grid(kind, 13, 11, 1.0), &options, at & 4 ? 0.02 : 0.005);
        }
    }
    SystemOptions options = {.model = MODEL_TRIANGLE, .keep_folds = true};
    TestMesh *crumpled = mesh_grid(GRID_QUADS, 13, 11, 1.0);
    mesh_crumple(crumpled, 0.1);
    check_system(crumpled, &options, 0.005);
    check_system(mesh_random(), &options, 0.005);
    return check_result();
}
