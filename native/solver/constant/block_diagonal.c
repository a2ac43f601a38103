#include "solver/constant/block_diagonal.h"

#include <string.h>

/* Lists, for each vertex, the places of `vertices` where it stands. */
static void list_places(int vertex_count, const int *vertices, int count, int *start, int *places) {
    for (int p = 0; p < count; ++p) {
        ++start[vertices[p]];
    }
    for (int v = 1; v <= vertex_count; ++v) {
        start[v] += start[v - 1];
    }
    for (int p = count; p-- > 0;) {
        places[--start[vertices[p]]] = p;
    }
}

StatusCode diagonal_build(Diagonal *diagonal, const System *system, Store *store, Status *status) {
    int count = system->vertex_count;
    int corners = 3 * system->triangle.count, ends = 2 * system->edge.count;
    *diagonal = (Diagonal){.start = STORE_ARRAY(store, int, count + 1),
                           .corner = STORE_ARRAY(store, int, corners),
                           .edge_start = STORE_ARRAY(store, int, count + 1),
                           .edge = STORE_ARRAY(store, int, ends),
                           .bending = STORE_ARRAY(store, double, count),
                           .inverse = STORE_ARRAY(store, Block, count)};
    if (store->failed) {
        return status_no_memory(status, "the solver");
    }
    list_places(count, system->triangle.vertices, corners, diagonal->start, diagonal->corner);
    list_places(count, system->edge.vertices, ends, diagonal->edge_start, diagonal->edge);
    return STATUS_OK;
}

void diagonal_refresh(Diagonal *diagonal, const System *system) {
    const BendingModel *bending = &system->bending;
    memset(diagonal->bending, 0, (size_t)system->vertex_count * sizeof(double));
    for (int p = 0; p < 4 * bending->count; ++p) {
        diagonal->bending[bending->vertices[p]] +=
            bending->stiffness[p / 4] * bending->weights[p] * bending->weights[p];
    }
}

typedef struct DiagonalWork {
    Diagonal *diagonal;
    const Substep *substep;
    const Vec3 *z;
} DiagonalWork;

static void add_edge(const EdgeModel *model, int e, const Vec3 *z, double scale, Block *block) {
    Vec3 along = vec3_sub(z[model->vertices[2 * e + 1]], z[model->vertices[2 * e]]);
    Block own;
    if (block_of_spring(along, model->rest_length[e], model->tension_only, &own)) {
        block_add(block, scale * model->stiffness[e], &own);
    }
}

static void compute_vertices(void *context, int begin, int end) {
    const DiagonalWork *work = context;
    const Diagonal *diagonal = work->diagonal;
    const Substep *substep = work->substep;
    const System *system = substep->system;
    double h2 = substep->length * substep->length, scale = h2 * substep->stiffness_factor;
    for (int i = begin; i < end; ++i) {
        Block block = {{0}};
        block_add_diagonal(&block, substep->inertia[i] + h2 * system->soft_stiffness[i] +
                                       scale * diagonal->bending[i]);
        for (int p = diagonal->start[i]; p < diagonal->start[i + 1]; ++p) {
            int corner = diagonal->corner[p];
            triangle_model_add_corner(&system->triangle, corner / 3, corner % 3, work->z, scale,
                                      &block);
        }
        for (int p = diagonal->edge_start[i]; p < diagonal->edge_start[i + 1]; ++p) {
            add_edge(&system->edge, diagonal->edge[p] / 2, work->z, scale, &block);
        }
        substep_add_contact_block(substep, i, work->z, &block);
        if (i >= system->rail_from) {
            block_part_first(&block);
        }
        diagonal->inverse[i] = block_inverse(&block);
    }
}

void diagonal_compute(Diagonal *diagonal, const Substep *substep, const Vec3 *z) {
    DiagonalWork work = {diagonal, substep, z};
    pool_run(substep->system->pool, substep->system->vertex_count, compute_vertices, &work);
}
