/* Patches of the Hessian: exact where one patch is all of the cloth, symmetric and positive where there are many, held
 * vertices left alone, and the same bytes on any number of threads. */
#include <string.h>

#include "check.h"
#include "rig.h"
#include "solver/constant/schwarz.h"

#define MOST 600

static Vec3 x[MOST], right[MOST], other[MOST], answer[MOST];
static Block own[MOST];

typedef struct Bench {
    Rig rig;
    Hessian hessian;
    Schwarz schwarz;
    int count;
} Bench;

static void open_bench(Bench *bench, TestMesh *mesh, const SystemOptions *options) {
    const double scale = 1.0 / 576;
    Material material = rig_material();
    rig_open(&bench->rig, mesh, options, &material);
    Store *store = &bench->rig.store;
    Status *status = &bench->rig.status;
    bench->count = bench->rig.mesh.vertex_count;
    CHECK(bench->count <= MOST);
    CHECK_INT(hessian_build(&bench->hessian, &bench->rig.system, store, status), STATUS_OK);
    CHECK_INT(schwarz_build(&bench->schwarz, &bench->hessian, store, status), STATUS_OK);
    hessian_refresh(&bench->hessian, scale);
    rig_state(&bench->rig, 1.02, 0.01, x);
    hessian_compute(&bench->hessian, scale, x);
    for (int v = 0; v < bench->count; ++v) {
        own[v] = hessian_own(&bench->hessian, v);
        block_add_diagonal(&own[v], 0.05 * own[v].m[0]);
        hessian_set_own(&bench->hessian, v, &own[v]);
    }
    schwarz_factor(&bench->schwarz, own);
    mesh_free(mesh);
}

static void solve(Bench *bench, const Vec3 *r, Vec3 *to) {
    schwarz_solve(&bench->schwarz, r);
    for (int v = 0; v < bench->count; ++v) {
        to[v] = schwarz_sum(&bench->schwarz, v);
    }
}

/* 3 x 4 vertices: one patch, whose factor is that of the whole Hessian. */
static void check_exact(const SystemOptions *options) {
    Bench bench;
    HessianVector narrow[MOST], row[MOST];
    open_bench(&bench, mesh_grid(GRID_IRREGULAR, 4, 3, 0.1), options);
    CHECK_INT(bench.schwarz.batch_count, 1);
    for (int v = 0; v < bench.count; ++v) {
        right[v] = random_vector(1);
    }
    solve(&bench, right, answer);
    for (int v = 0; v < bench.count; ++v) {
        narrow[v] = (HessianVector){(float)answer[v].x, (float)answer[v].y, (float)answer[v].z, 0};
    }
    hessian_multiply(&bench.hessian, 0, bench.count, narrow, row);
    for (int v = 0; v < bench.count; ++v) {
        Vec3 back = vec3((double)row[v][0], (double)row[v][1], (double)row[v][2]);
        CHECK_BELOW(vec3_distance(back, right[v]), 2e-3);
    }
    rig_close(&bench.rig);
}

static double dot(const Vec3 *a, const Vec3 *b, int count) {
    double sum = 0;
    for (int v = 0; v < count; ++v) {
        sum += vec3_dot(a[v], b[v]);
    }
    return sum;
}

static void check_symmetric(const SystemOptions *options) {
    Bench bench;
    Vec3 second[MOST];
    open_bench(&bench, mesh_grid(GRID_IRREGULAR, 23, 19, 1.0), options);
    CHECK(bench.schwarz.batch_count > 2);
    for (int trial = 0; trial < 5; ++trial) {
        for (int v = 0; v < bench.count; ++v) {
            right[v] = random_vector(1);
            other[v] = random_vector(1);
        }
        solve(&bench, right, answer);
        solve(&bench, other, second);
        double one = dot(answer, other, bench.count), two = dot(second, right, bench.count);
        double size = dot(answer, right, bench.count);
        CHECK(size > 0);
        CHECK_BELOW(fabs(one - two), 1e-4 * size);
    }
    rig_close(&bench.rig);
}

/* What is held neither moves nor lets others feel it. */
static void check_held(const SystemOptions *options) {
    Bench bench;
    open_bench(&bench, mesh_grid(GRID_QUADS, 12, 12, 1.0), options);
    for (int v = 0; v < bench.count; ++v) {
        bench.rig.system.held[v] = v % 12 < 3;
        right[v] = bench.rig.system.held[v] ? vec3(0, 0, 0) : random_vector(1);
    }
    schwarz_factor(&bench.schwarz, own);
    solve(&bench, right, answer);
    for (int v = 0; v < bench.count; ++v) {
        CHECK(!bench.rig.system.held[v] || vec3_length(answer[v]) == 0);
        CHECK(vec3_is_finite(answer[v]));
    }
    rig_close(&bench.rig);
}

static void check_threads(const SystemOptions *options) {
    Bench bench;
    open_bench(&bench, mesh_grid(GRID_IRREGULAR, 23, 19, 1.0), options);
    for (int v = 0; v < bench.count; ++v) {
        right[v] = random_vector(1);
    }
    solve(&bench, right, answer);
    Pool *pool = bench.rig.system.pool, *many = pool_create(3);
    bench.rig.system.pool = many;
    schwarz_factor(&bench.schwarz, own);
    solve(&bench, right, other);
    CHECK(memcmp(answer, other, (size_t)bench.count * sizeof *answer) == 0);
    bench.rig.system.pool = pool;
    pool_destroy(many);
    rig_close(&bench.rig);
}

int main(void) {
    random_start(23);
    for (int at = 0; at < 4; ++at) {
        SystemOptions options = {.model = at & 1 ? MODEL_TRIANGLE : MODEL_EDGE,
                                 .bending = at & 2 ? BENDING_CURVATURE : BENDING_HINGES};
        check_exact(&options);
        check_symmetric(&options);
        check_held(&options);
        check_threads(&options);
    }
    return check_result();
}
