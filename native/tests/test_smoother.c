/* The coarse level's smoother: what it must keep, what it must solve, and that cells of vertices smooth as the vertices
 * themselves do. */
#include <stdlib.h>

#include "check.h"
#include "rig.h"
#include "solver/coarse/smoother.h"

#define ONE_BY_ONE 0     /* vertices of a patch: too few for cells */
#define BY_CELLS 1000000 /* enough for them in any mesh */
#define TWICE 2

static Smoother smoother_of(Rig *rig, int patch_vertices, double length) {
    Smoother smoother;
    CHECK_INT(smoother_build(&smoother, &rig->system, patch_vertices, &rig->status), STATUS_OK);
    const Shares all = {.count = 1};
    CHECK_INT(smoother_set(&smoother, &all, &length, &rig->status), STATUS_OK);
    return smoother;
}

/* A half plane, a disc that the other does not know of, and all. */
static Vec3 *indicators(const Rig *rig) {
    Vec3 *field = calloc((size_t)rig->mesh.vertex_count, sizeof *field);
    for (int v = 0; v < rig->mesh.vertex_count; ++v) {
        Vec3 x = rig->mesh.rest[v], away = vec3_sub(x, vec3(0.6, 0.4, x.z));
        field[v] = vec3(x.x + 0.3 * x.y < 0.55, vec3_length(away) < 0.2, 1);
    }
    return field;
}

static Vec3 integral(const Smoother *smoother, const Vec3 *field) {
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < smoother->system->vertex_count; ++v) {
        sum = vec3_madd(sum, smoother->area[v], field[v]);
    }
    return sum;
}

/* (A + l^2 L) u = A f, with L by its definition: every edge pulls its ends together. */
static void check_equation(GridKind kind) {
    TestMesh *mesh = mesh_grid(kind, 20, 20, 1.0);
    SystemOptions options = {.model = MODEL_TRIANGLE};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    double length = 0.13;
    Smoother smoother = smoother_of(&rig, ONE_BY_ONE, length);
    CHECK(!smoother.cell);
    Vec3 *before = indicators(&rig), *after = indicators(&rig);
    smoother_apply(&smoother, 1, after);
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        Vec3 left = vec3_scale(smoother.area[v], after[v]);
        double scale = smoother.area[v];
        for (int e = 0; e < rig.mesh.edge_count; ++e) {
            const Edge *edge = &rig.mesh.edges[e];
            if (edge->kind != EDGE_SHEAR && (edge->a == v || edge->b == v)) {
                int other = edge->a == v ? edge->b : edge->a;
                double pull = length * length * edge->share;
                left = vec3_madd(left, pull, vec3_sub(after[v], after[other]));
                scale += pull;
            }
        }
        CHECK_BELOW(vec3_distance(left, vec3_scale(smoother.area[v], before[v])), 1e-9 * scale);
    }
    free(before);
    free(after);
    smoother_release(&smoother);
    rig_close(&rig);
    mesh_free(mesh);
}

/* Constants stay, and nothing gets lost; cells come near the vertices' own answer. */
static void check_cells(const TestMesh *mesh, ModelKind model, double length, double near) {
    SystemOptions options = {.model = model};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    int count = rig.mesh.vertex_count;
    Smoother own = smoother_of(&rig, ONE_BY_ONE, length);
    Smoother cells = smoother_of(&rig, BY_CELLS, length);
    CHECK(cells.cell && cells.cell_count < count / 2 && own.cell_count == count);
    Vec3 *before = indicators(&rig), *one = indicators(&rig), *other = indicators(&rig);
    smoother_apply(&own, TWICE, one);
    smoother_apply(&cells, TWICE, other);
    double farthest = 0, whole = integral(&own, before).z;
    for (int v = 0; v < count; ++v) {
        CHECK_NEAR(one[v].z, 1, 1e-5);
        CHECK_NEAR(other[v].z, 1, 1e-5);
        CHECK(other[v].x > -0.02 && other[v].x < 1.02);
        double apart = vec3_distance(one[v], other[v]);
        farthest = apart > farthest ? apart : farthest;
    }
    CHECK_BELOW(farthest, near);
    CHECK_BELOW(vec3_distance(integral(&own, one), integral(&own, before)), 1e-5 * whole);
    CHECK_BELOW(vec3_distance(integral(&own, other), integral(&own, before)), 0.01 * whole);
    free(before);
    free(one);
    free(other);
    smoother_release(&own);
    smoother_release(&cells);
    rig_close(&rig);
}

int main(void) {
    random_start(33);
    check_equation(GRID_IRREGULAR);
    check_equation(GRID_QUADS);
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        TestMesh *mesh = mesh_grid((GridKind)kind, 80, 80, 1.0);
        check_cells(mesh, kind % 2 ? MODEL_EDGE : MODEL_TRIANGLE, 0.15, 0.05);
        mesh_free(mesh);
    }
    TestMesh *rope = mesh_rope(400, 1.0);
    check_cells(rope, MODEL_EDGE, 0.1, 0.05);
    mesh_free(rope);
    for (int i = 0; i < 5; ++i) { /* anything: several components, ropes, doubled vertices */
        TestMesh *mesh = mesh_random();
        SystemOptions options = {.model = MODEL_TRIANGLE};
        Material material = rig_material();
        Rig rig;
        rig_open(&rig, mesh, &options, &material);
        Smoother cells = smoother_of(&rig, BY_CELLS, 0.1);
        Vec3 *field = indicators(&rig);
        smoother_apply(&cells, TWICE, field);
        for (int v = 0; v < rig.mesh.vertex_count; ++v) {
            CHECK_NEAR(field[v].z, 1, 1e-5);
        }
        free(field);
        smoother_release(&cells);
        rig_close(&rig);
        mesh_free(mesh);
    }
    return check_result();
}
