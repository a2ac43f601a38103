#include "model/air.h"

/* Twice the area of a triangle, squared, m^4, below which it has no direction. */
#define NO_AREA 1e-60

StatusCode air_model_build(AirModel *model, const Mesh *mesh, Store *store, Status *status) {
    int count = mesh->triangle_count;
    model->count = count;
    model->vertex_count = mesh->vertex_count;
    model->vertices = STORE_ARRAY(store, int, 3 * count);
    model->area = STORE_ARRAY(store, double, count);
    model->push = STORE_ARRAY(store, Vec3, count);
    model->start = STORE_ARRAY(store, int, mesh->vertex_count + 1);
    model->triangle = STORE_ARRAY(store, int, 3 * count);
    if (store->failed) {
        return status_no_memory(status, "the wind");
    }
    for (int t = 0; t < count; ++t) {
        model->area[t] = mesh->triangles[t].area;
        for (int c = 0; c < 3; ++c) {
            model->vertices[3 * t + c] = mesh->triangles[t].vertices[c];
            ++model->start[mesh->triangles[t].vertices[c] + 1];
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        model->start[v + 1] += model->start[v];
    }
    for (int c = 0; c < 3 * count; ++c) {
        model->triangle[model->start[model->vertices[c]]++] = c / 3;
    }
    for (int v = mesh->vertex_count; v > 0; --v) {
        model->start[v] = model->start[v - 1];
    }
    model->start[0] = 0;
    return STATUS_OK;
}

typedef struct AirWork {
    const AirModel *model;
    const Wind *wind;
    const Vec3 *x, *v;
    Vec3 *force;
} AirWork;

static void push_triangles(void *context, int begin, int end) {
    const AirWork *work = context;
    const AirModel *model = work->model;
    double tangent = work->wind->tangent_drag;
    for (int t = begin; t < end; ++t) {
        const int *c = model->vertices + 3 * t;
        const Vec3 *x = work->x, *v = work->v;
        Vec3 first = vec3_sub(x[c[1]], x[c[0]]), second = vec3_sub(x[c[2]], x[c[0]]);
        Vec3 n = vec3_cross(first, second);
        Vec3 mean = vec3_scale(1.0 / 3.0, vec3_add(v[c[0]], vec3_add(v[c[1]], v[c[2]])));
        Vec3 wind = vec3_sub(work->wind->velocity, mean);
        double square = vec3_dot(n, n),
               across = square > NO_AREA ? vec3_dot(wind, n) / square : 0.0;
        Vec3 drag =
            vec3_madd(vec3_scale(tangent, wind), (work->wind->normal_drag - tangent) * across, n);
        model->push[t] = vec3_scale(model->area[t] / 3.0, drag);
    }
}

static void gather_push(void *context, int begin, int end) {
    const AirWork *work = context;
    const AirModel *model = work->model;
    for (int v = begin; v < end; ++v) {
        for (int p = model->start[v]; p < model->start[v + 1]; ++p) {
            work->force[v] = vec3_add(work->force[v], model->push[model->triangle[p]]);
        }
    }
}

void air_model_add_force(AirModel *model, Pool *pool, const Wind *wind, const Vec3 *x,
                         const Vec3 *v, Vec3 *force) {
    AirWork work = {model, wind, x, v, force};
    pool_run(pool, model->count, push_triangles, &work);
    pool_run(pool, model->vertex_count, gather_push, &work);
}
