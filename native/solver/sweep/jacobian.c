/* Which laws are in the matrix, its pattern, and its numbers: each vertex collects its own row. */
#include "solver/sweep/sweep.h"

#include <stdlib.h>
#include <string.h>

/* A weak law stays out of the matrix while it adds no more than this part of the inertia at any vertex. Its own motion
 * is stable up to a few times the inertia (symplectic Euler); this leaves it as good as undisturbed. */
#define WEAK_PART 0.25

/* --- which laws, and where ---------------------------------------------------------------------- */

static bool is_weak(const Law *law, const Substep *substep, double *sum) {
    double scale = substep_scale(substep);
    memset(sum, 0, (size_t)substep->system->vertex_count * sizeof *sum);
    for (int p = 0; p < law->width * law->count; ++p) {
        double value[LAW_WIDTH];
        law_stiffness(law, STIFFNESS_BOUND, p / law->width, p % law->width, value);
        sum[law->vertices[p]] += scale * value[p % law->width];
    }
    for (int i = 0; i < substep->system->vertex_count; ++i) {
        if (sum[i] > WEAK_PART * substep->inertia[i]) {
            return false;
        }
    }
    return true;
}

/* `sum` is scratch, one number a vertex. Returns whether the choice is another one than before. */
static bool choose_laws(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian,
                        double *sum) {
    const Laws *laws = &substep->system->laws;
    bool changed = false;
    for (int l = 0; l < laws->count; ++l) {
        const Law *law = laws->list[l];
        bool inside = jacobian != JACOBIAN_NONE && !law->beyond_matrix && law->count > 0 &&
                      !(law->weak && is_weak(law, substep, sum));
        changed = changed || inside != matrix->inside[l];
        matrix->inside[l] = inside;
    }
    return changed;
}

static bool is_curved(const Law *law, Jacobian jacobian) {
    return law->kind->hessian && jacobian != JACOBIAN_SCALAR;
}

static int hessian_blocks(const Law *law) { return law->rows == 1 ? 1 : 3; }

static bool is_spring(const Law *law) { return law->kind->spring_hessian != NULL; }

static void add_law(SweepMatrix *matrix, const Law *law, int vertex_count) {
    Store *store = &matrix->store;
    int corners = law->width * law->count;
    SweepLaw *own = &matrix->laws[matrix->law_count++];
    *own = (SweepLaw){.law = law,
                      .start = STORE_ARRAY(store, int, vertex_count + 1),
                      .corner = STORE_ARRAY(store, int, corners)};
    if (is_spring(law)) {
        own->slot = STORE_ARRAY(store, int, corners);
        own->spring = STORE_ARRAY(store, SpringHessian, law->count);
    } else {
        own->slot = STORE_ARRAY(store, int, law->width *corners);
        own->hessian = STORE_ARRAY(store, Block, hessian_blocks(law) * law->count);
    }
}

static void find_slots(const SweepMatrix *matrix, const SweepLaw *own) {
    int width = own->law->width;
    law_list_corners(own->law, matrix->pattern.size, own->start, own->corner);
    for (int v = 0; v < matrix->pattern.size; ++v) {
        for (int p = own->start[v]; p < own->start[v + 1]; ++p) {
            const int *vertices = law_vertices(own->law, own->corner[p] / width);
            if (is_spring(own->law)) {
                own->slot[p] =
                    matrix_slot(&matrix->pattern, v, vertices[1 - own->corner[p] % width]);
                continue;
            }
            for (int c = 0; c < width; ++c) {
                own->slot[width * p + c] = matrix_slot(&matrix->pattern, v, vertices[c]);
            }
        }
    }
}

static StatusCode build(SweepMatrix *matrix, const System *system, Jacobian jacobian,
                        Status *status) {
    Stencils stencils[LAWS_MOST];
    int count = 0;
    Store *store = &matrix->store;
    store_release(store);
    matrix->law_count = 0;
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        if (matrix->inside[l]) {
            stencils[count++] = (Stencils){law->count, law->width, law->vertices};
        }
    }
    StatusCode code =
        matrix_pattern(system->vertex_count, stencils, count, store, &matrix->pattern, status);
    code = code == STATUS_OK ? colouring_build(&matrix->colours, &matrix->pattern, store, status)
                             : code;
    if (code != STATUS_OK) {
        return code;
    }
    int entries = matrix->pattern.start[system->vertex_count];
    matrix->blocks = (BlockMatrix){&matrix->pattern, STORE_ARRAY(store, Block, entries)};
    matrix->constant = STORE_ARRAY(store, double, entries);
    matrix->diagonal = STORE_ARRAY(store, int, system->vertex_count);
    for (int l = 0; l < system->laws.count; ++l) {
        if (matrix->inside[l] && is_curved(system->laws.list[l], jacobian)) {
            add_law(matrix, system->laws.list[l], system->vertex_count);
        }
    }
    if (store->failed) {
        return status_no_memory(status, "the matrix of the sweeps");
    }
    for (int l = 0; l < matrix->law_count; ++l) {
        find_slots(matrix, &matrix->laws[l]);
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        matrix->diagonal[i] = matrix_slot(&matrix->pattern, i, i);
    }
    matrix->is_built = true;
    return STATUS_OK;
}

/* --- what does not change ----------------------------------------------------------------------- */

static void add_constant(SweepMatrix *matrix, const Law *law) {
    for (int p = 0; p < law->width * law->count; ++p) {
        int e = p / law->width, row = law->vertices[p];
        double value[LAW_WIDTH];
        law_stiffness(law, STIFFNESS_BOUND, e, p % law->width, value);
        for (int c = 0; c < law->width; ++c) {
            matrix_add(&matrix->pattern, row, law_vertices(law, e)[c], value[c]);
        }
    }
}

static void fill_constant(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian) {
    const System *system = substep->system;
    double scale = substep_scale(substep);
    int entries = matrix->pattern.start[system->vertex_count];
    memset(matrix->pattern.value, 0, (size_t)entries * sizeof(double));
    for (int l = 0; l < system->laws.count; ++l) {
        if (matrix->inside[l] && !is_curved(system->laws.list[l], jacobian)) {
            add_constant(matrix, system->laws.list[l]);
        }
    }
    for (int p = 0; p < entries; ++p) {
        matrix->constant[p] = scale * matrix->pattern.value[p];
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        matrix->constant[matrix->diagonal[i]] += substep_diagonal(substep, i);
    }
}

StatusCode sweep_matrix_prepare(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian,
                                Status *status) {
    double *sum = SCRATCH_ARRAY(double, substep->system->vertex_count);
    if (!sum) {
        return status_no_memory(status, "the matrix of the sweeps");
    }
    bool changed = choose_laws(matrix, substep, jacobian, sum);
    free(sum);
    if (changed || !matrix->is_built) {
        matrix->is_built = false;
        StatusCode code = build(matrix, substep->system, jacobian, status);
        if (code != STATUS_OK) {
            return code;
        }
    }
    fill_constant(matrix, substep, jacobian);
    return STATUS_OK;
}

/* --- what changes ------------------------------------------------------------------------------- */

typedef struct SweepMatrixWork {
    SweepMatrix *matrix;
    const SweepLaw *own;
    Jacobian jacobian;
    double scale;
    const Vec3 *x;
} SweepMatrixWork;

static void hessian_elements(void *context, int begin, int end) {
    const SweepMatrixWork *work = context;
    const Law *law = work->own->law;
    int count = hessian_blocks(law);
    for (int e = begin; e < end; ++e) {
        LawHessian hessian;
        double left;
        const Block *from = &hessian.uu;
        bool resists = law_jacobian(law, e, work->x, work->scale, &hessian, &left);
        for (int b = 0; b < count; ++b) {
            Block *to = &work->own->hessian[count * e + b];
            *to = (Block){{0}};
            if (resists) {
                block_add(to, left, &from[b]);
            }
        }
    }
}

static void hessian_springs(void *context, int begin, int end) {
    const SweepMatrixWork *work = context;
    const Law *law = work->own->law;
    for (int e = begin; e < end; ++e) {
        law->kind->spring_hessian(law, e, work->x, work->jacobian, work->scale,
                                  &work->own->spring[e]);
    }
}

/* A spring resists with one block k: k on the diagonal of its ends, -k between them. What it has of a vertex's own block is
 * summed up apart from the matrix. */
static void add_springs(const SweepMatrix *matrix, const SweepLaw *own, int begin, int end) {
    Block *blocks = matrix->blocks.block;
    for (int v = begin; v < end; ++v) {
        Block sum = blocks[matrix->diagonal[v]];
        for (int p = own->start[v]; p < own->start[v + 1]; ++p) {
            const SpringHessian *spring = &own->spring[own->corner[p] / 2];
            if (spring->across == 0.0 && spring->along == 0.0) {
                continue;
            }
            Block k = {{0}};
            block_add_diagonal(&k, spring->across);
            block_add_outer(&k, spring->along, spring->d, spring->d);
            block_add(&sum, 1.0, &k);
            block_add(&blocks[own->slot[p]], -1.0, &k);
        }
        blocks[matrix->diagonal[v]] = sum;
    }
}

static void add_elements(const SweepMatrix *matrix, const SweepLaw *own, int begin, int end) {
    Block *blocks = matrix->blocks.block;
    int width = own->law->width, count = hessian_blocks(own->law);
    for (int p = own->start[begin]; p < own->start[end]; ++p) {
        int e = own->corner[p] / width;
        for (int c = 0; c < width; ++c) {
            law_add_pair(own->law, e, own->corner[p] % width, c, 1.0, &own->hessian[count * e],
                         &blocks[own->slot[width * p + c]]);
        }
    }
}

static void fill_rows(void *context, int begin, int end) {
    const SweepMatrixWork *work = context;
    SweepMatrix *matrix = work->matrix;
    const int *start = matrix->pattern.start;
    Block *blocks = matrix->blocks.block;
    for (int p = start[begin]; p < start[end]; ++p) {
        double c = matrix->constant[p];
        blocks[p] = (Block){{c, 0, 0, 0, c, 0, 0, 0, c}};
    }
    for (int l = 0; l < matrix->law_count; ++l) {
        const SweepLaw *own = &matrix->laws[l];
        (is_spring(own->law) ? add_springs : add_elements)(matrix, own, begin, end);
    }
}

void sweep_matrix_compute(SweepMatrix *matrix, const Substep *substep, Jacobian jacobian,
                          const Vec3 *x) {
    const System *system = substep->system;
    double scale = substep_scale(substep);
    SweepMatrixWork work = {.matrix = matrix, .jacobian = jacobian, .scale = scale, .x = x};
    for (int l = 0; l < matrix->law_count; ++l) {
        work.own = &matrix->laws[l];
        const Law *law = work.own->law;
        pool_run(system->pool, law->count, is_spring(law) ? hessian_springs : hessian_elements,
                 &work);
    }
    pool_run(system->pool, system->vertex_count, fill_rows, &work);
    for (int b = 0; b < system->beside_count && jacobian != JACOBIAN_NONE; ++b) {
        int i = system->beside[b];
        matrix->blocks.block[matrix->diagonal[i]].m[0] -=
            scale * system->across[STIFFNESS_BOUND][i];
    }
}
