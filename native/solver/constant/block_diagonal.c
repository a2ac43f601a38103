/* The blocks of each vertex alone, from all laws and contacts at it. */
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
    *diagonal = (Diagonal){.constant = STORE_ARRAY(store, double, count),
                           .inverse = STORE_ARRAY(store, Block, count)};
    for (int l = system->laws.count; l-- > 0;) {
        const Law *law = system->laws.list[l];
        if (!law->kind->curve) {
            continue;
        }
        DiagonalLaw *own = &diagonal->laws[diagonal->law_count++];
        int corners = law->width * law->count;
        *own = (DiagonalLaw){.law = law,
                             .start = STORE_ARRAY(store, int, count + 1),
                             .corner = STORE_ARRAY(store, int, corners)};
        if (!store->failed) {
            list_places(count, law->vertices, corners, own->start, own->corner);
        }
    }
    return store->failed ? status_no_memory(status, "the solver") : STATUS_OK;
}

void diagonal_refresh(Diagonal *diagonal, const System *system) {
    memset(diagonal->constant, 0, (size_t)system->vertex_count * sizeof(double));
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        for (int p = 0; !law->kind->curve && p < law->width * law->count; ++p) {
            double value[LAW_WIDTH];
            law_stiffness(law, STIFFNESS_OWN, p / law->width, p % law->width, value);
            diagonal->constant[law->vertices[p]] += value[p % law->width];
        }
    }
}

typedef struct DiagonalWork {
    Diagonal *diagonal;
    const Substep *substep;
    const Vec3 *z;
} DiagonalWork;

static void add_law(const DiagonalLaw *own, int vertex, const Vec3 *z, double scale, Block *block) {
    for (int p = own->start[vertex]; p < own->start[vertex + 1]; ++p) {
        int corner = own->corner[p];
        law_add_corner(own->law, corner / own->law->width, corner % own->law->width, z, scale,
                       block);
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
        block_add_diagonal(&block, substep_own(substep, i) + scale * diagonal->constant[i]);
        for (int l = 0; l < diagonal->law_count; ++l) {
            add_law(&diagonal->laws[l], i, work->z, scale, &block);
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
