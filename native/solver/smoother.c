#include "solver/smoother.h"

#include <stdlib.h>

#include "linear/dissection.h"

/* Not the other diagonal of a quad, nor what the system's matrix leaves apart. */
static int is_wanted(const System *system, const Edge *edge) {
    const Matrix *pattern = &system->stiffness;
    int slot = matrix_slot(pattern, edge->a, edge->b);
    return edge->kind != EDGE_SHEAR && pattern->column[slot] == edge->b;
}

static StatusCode lay_pattern(Smoother *smoother, Status *status) {
    const System *system = smoother->system;
    const Mesh *mesh = system->mesh;
    int *ends = SCRATCH_ARRAY(int, 2 * mesh->edge_count);
    Stencils edges = {0, 2, ends};
    if (!ends) {
        return status_no_memory(status, "the coarse level");
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (is_wanted(system, &mesh->edges[e])) {
            ends[2 * edges.count] = mesh->edges[e].a;
            ends[2 * edges.count++ + 1] = mesh->edges[e].b;
        }
    }
    StatusCode code =
        matrix_pattern(mesh->vertex_count, &edges, 1, &smoother->store, &smoother->matrix, status);
    smoother->matrix.place = mesh->rest;
    free(ends);
    return code;
}

StatusCode smoother_build(Smoother *smoother, const System *system, Status *status) {
    *smoother = (Smoother){.system = system};
    StatusCode code = lay_pattern(smoother, status);
    if (code != STATUS_OK) {
        return code;
    }
    smoother->area = STORE_ARRAY(&smoother->store, double, system->vertex_count);
    if (smoother->store.failed) {
        return status_no_memory(status, "the coarse level");
    }
    /* it is factored once: METIS would take longer than it saves */
    Ordering ordering = dissection_suits(&smoother->matrix) ? ORDERING_AUTO : ORDERING_AMD;
    smoother->factor = factor_create(&smoother->matrix, NULL, ordering, PRECISION_AUTO, status);
    return smoother->factor ? STATUS_OK : status->code;
}

void smoother_release(Smoother *smoother) {
    factor_destroy(smoother->factor);
    store_release(&smoother->store);
    *smoother = (Smoother){0};
}

/* Laplacian and ropes' areas. */
static void add_edges(Smoother *smoother, double length) {
    const Mesh *mesh = smoother->system->mesh;
    Matrix *matrix = &smoother->matrix;
    double width = 0; /* a rope counts as a strip as wide as the mesh's edges are long */
    for (int e = 0; e < mesh->edge_count; ++e) {
        width += mesh->edges[e].rest_length / mesh->edge_count;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        if (!is_wanted(smoother->system, edge)) {
            continue;
        }
        double conductance = edge->kind == EDGE_ROPE ? width * edge->share : edge->share;
        double value = length * length * conductance;
        matrix_add(matrix, edge->a, edge->b, -value);
        matrix_add(matrix, edge->b, edge->a, -value);
        matrix_add(matrix, edge->a, edge->a, value);
        matrix_add(matrix, edge->b, edge->b, value);
        double rope = edge->kind == EDGE_ROPE ? 0.5 * width * edge->rest_length : 0.0;
        smoother->area[edge->a] += rope;
        smoother->area[edge->b] += rope;
    }
}

static void add_areas(Smoother *smoother) {
    const System *system = smoother->system;
    double *area = smoother->area, total = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        area[v] += system->area[v];
        total += area[v];
    }
    double least = total > 0 ? 1e-6 * total / system->vertex_count : 1.0;
    for (int v = 0; v < system->vertex_count; ++v) {
        area[v] = area[v] > least ? area[v] : least;
        matrix_add(&smoother->matrix, v, v, area[v]);
    }
}

StatusCode smoother_set(Smoother *smoother, double length, Status *status) {
    uint8_t *none = SCRATCH_ARRAY(uint8_t, smoother->matrix.size);
    if (!none) {
        return status_no_memory(status, "the coarse level");
    }
    add_edges(smoother, length);
    add_areas(smoother);
    factor_use_pool(smoother->factor, smoother->system->pool);
    StatusCode code = factor_compute(smoother->factor, none, status);
    free(none);
    return code;
}

typedef struct WeighWork {
    const double *area;
    Vec3 *field;
} WeighWork;

static void weigh_vertices(void *context, int begin, int end) {
    const WeighWork *work = context;
    for (int v = begin; v < end; ++v) {
        work->field[v] = vec3_scale(work->area[v], work->field[v]);
    }
}

void smoother_apply(const Smoother *smoother, Vec3 *field) {
    WeighWork work = {smoother->area, field};
    Pool *pool = smoother->system->pool;
    pool_run(pool, smoother->matrix.size, weigh_vertices, &work);
    solve_apply(factor_solve(smoother->factor), pool, field, field);
}
