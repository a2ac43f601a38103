/* Building, filling, reading and multiplying the Hessian. Compiled with fused multiplications. */
#include "system/hessian.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- where everything is ------------------------------------------------------------------------ */

static void find_slots(const Hessian *hessian, HessianLaw *own) {
    int width = own->law->width;
    for (int v = 0; v < hessian->system->vertex_count; ++v) {
        for (int p = own->start[v]; p < own->start[v + 1]; ++p) {
            const int *vertices = law_vertices(own->law, own->corner[p] / width);
            for (int c = 0; c < width; ++c) {
                own->slot[width * p + c] = matrix_slot(&hessian->blocks, v, vertices[c]);
            }
        }
    }
}

/* Which elements each body has. */
static void list_by_piece(const System *system, HessianLaw *own, Store *store) {
    const Law *law = own->law;
    int *owner = SCRATCH_ARRAY(int, law->count);
    for (int e = 0; owner && e < law->count; ++e) {
        owner[e] = system->piece[law_vertices(law, e)[0]];
    }
    piece_items_build(&own->items, system->piece_count, law->count, owner, pool_chunk_size(),
                      store);
    free(owner);
}

static void take_law(Hessian *hessian, const Law *law, Store *store) {
    HessianLaw *own = &hessian->laws[hessian->law_count++];
    int corners = law->width * law->count;
    *own = (HessianLaw){.law = law,
                        .start = STORE_ARRAY(store, int, hessian->system->vertex_count + 1),
                        .corner = STORE_ARRAY(store, int, corners)};
    if (law->kind->hessian) {
        own->elements = STORE_ARRAY(store, ElementHessian, law->count);
        own->slot = STORE_ARRAY(store, int, law->width *corners);
    }
    if (law->kind->hessian && hessian->system->piece_count > 1) {
        list_by_piece(hessian->system, own, store);
    }
}

static StatusCode take_patterns(Hessian *hessian, Store *store, Status *status) {
    const System *system = hessian->system;
    Stencils constant[LAWS_MOST], curved[LAWS_MOST];
    int constants = 0, curves = 0;
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        *(law->kind->hessian ? &curved[curves++] : &constant[constants++]) =
            (Stencils){law->count, law->width, law->vertices};
    }
    StatusCode code =
        matrix_pattern(system->vertex_count, constant, constants, store, &hessian->pattern, status);
    return code == STATUS_OK ? matrix_pattern(system->vertex_count, curved, curves, store,
                                              &hessian->blocks, status)
                             : code;
}

/* Is the pair of the pattern's entry p, in a row of the blocks, one without a block? Rows ascend: `at` follows. */
static bool is_far(const Matrix *blocks, int row, int column, int *at) {
    while (*at < blocks->start[row + 1] && blocks->column[*at] < column) {
        ++*at;
    }
    return *at == blocks->start[row + 1] || blocks->column[*at] != column;
}

/* Sorts the constant pairs into those that have a block and those that have none; without lists it only counts the
 * latter, filled up. */
static void split_row(Hessian *hessian, int v, bool listing) {
    const Matrix *pattern = &hessian->pattern, *blocks = &hessian->blocks;
    HessianFar *far = &hessian->far;
    int next = far->start[v], at = blocks->start[v];
    for (int p = pattern->start[v]; p < pattern->start[v + 1]; ++p) {
        if (!is_far(blocks, v, pattern->column[p], &at)) {
            hessian->near[at] = p;
        } else {
            if (listing) {
                far->column[next] = pattern->column[p];
                far->slot[next] = p;
            }
            ++next;
        }
    }
    for (; next % HESSIAN_GROUP != 0; ++next) {
        if (listing) {
            far->column[next] = v;
            far->slot[next] = -1;
        }
    }
    far->start[v + 1] = next;
}

/* Do some elements resist along x alone, or across it? */
static bool has_split_axes(const System *system) {
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        for (int e = 0; law->kind->axes && e < law->count; ++e) {
            bool along_x = true, across = true;
            law->kind->axes(law, e, &along_x, &across);
            if (!along_x || !across) {
                return true;
            }
        }
    }
    return false;
}

static void split_pairs(Hessian *hessian, Store *store) {
    const System *system = hessian->system;
    int count = system->vertex_count;
    HessianFar *far = &hessian->far;
    far->folded = has_split_axes(system);
    far->start = STORE_ARRAY(store, int, count + 1);
    hessian->near = STORE_ARRAY(store, int, hessian->blocks.start[count]);
    for (int pass = 0; pass < 2 && !store->failed; ++pass) {
        for (int p = 0; p < hessian->blocks.start[count] && pass == 0; ++p) {
            hessian->near[p] = -1;
        }
        if (pass == 1) {
            far->column = STORE_ARRAY(store, int, far->start[count]);
            far->slot = STORE_ARRAY(store, int, far->start[count]);
            far->weight = STORE_ARRAY(store, float, (far->folded ? 2 : 1) * far->start[count]);
        }
        for (int v = 0; v < count && !store->failed; ++v) {
            split_row(hessian, v, pass == 1);
        }
    }
}

StatusCode hessian_build(Hessian *hessian, const System *system, Store *store, Status *status) {
    *hessian = (Hessian){.system = system};
    StatusCode code = take_patterns(hessian, store, status);
    if (code != STATUS_OK) {
        return code;
    }
    int entries = hessian->pattern.start[system->vertex_count];
    hessian->constant = store_take(store, (size_t)entries, sizeof *hessian->constant);
    hessian->block = STORE_ARRAY(store, HessianBlock, hessian->blocks.start[system->vertex_count]);
    hessian->own = STORE_ARRAY(store, HessianBlock, system->vertex_count);
    split_pairs(hessian, store);
    for (int l = 0; l < system->laws.count; ++l) {
        if (system->laws.list[l]->count > 0) {
            take_law(hessian, system->laws.list[l], store);
        }
    }
    if (store->failed) {
        return status_no_memory(status, "the Hessian");
    }
    for (int l = 0; l < hessian->law_count; ++l) {
        law_list_corners(hessian->laws[l].law, system->vertex_count, hessian->laws[l].start,
                         hessian->laws[l].corner);
        if (hessian->laws[l].slot) {
            find_slots(hessian, &hessian->laws[l]);
        }
    }
    return STATUS_OK;
}

/* --- what does not change ----------------------------------------------------------------------- */

typedef struct HessianWork {
    Hessian *hessian;
    HessianLaw *own;
    double scale;
    const Vec3 *z;
} HessianWork;

static void add_constant(const HessianWork *work, const HessianLaw *own, int v) {
    const Law *law = own->law;
    const Matrix *pattern = &work->hessian->pattern;
    for (int p = own->start[v]; p < own->start[v + 1]; ++p) {
        int e = own->corner[p] / law->width;
        const int *vertices = law_vertices(law, e);
        bool along_x = true, across = true;
        double value[LAW_WIDTH];
        if (law->kind->axes) {
            law->kind->axes(law, e, &along_x, &across);
        }
        law_stiffness(law, STIFFNESS_OWN, e, own->corner[p] % law->width, value);
        for (int c = 0; c < law_corners(law, e); ++c) {
            float *to = work->hessian->constant[matrix_slot(pattern, v, vertices[c])];
            to[0] += along_x ? (float)(work->scale * value[c]) : 0.0F;
            to[1] += across ? (float)(work->scale * value[c]) : 0.0F;
        }
    }
}

/* What elements across the mirror plane seem to resist with along x, and do not. */
static void soften_beside(const HessianWork *work) {
    const System *system = work->hessian->system;
    const Matrix *pattern = &work->hessian->pattern;
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        work->hessian->constant[matrix_slot(pattern, i, i)][0] -=
            (float)(work->scale * system->across[STIFFNESS_OWN][i]);
    }
}

static void refresh_rows(void *context, int begin, int end) {
    const HessianWork *work = context;
    const Hessian *hessian = work->hessian;
    const int *start = hessian->pattern.start;
    memset(hessian->constant + start[begin], 0,
           (size_t)(start[end] - start[begin]) * sizeof *hessian->constant);
    for (int v = begin; v < end; ++v) {
        for (int l = 0; l < hessian->law_count; ++l) {
            if (!hessian->laws[l].elements) {
                add_constant(work, &hessian->laws[l], v);
            }
        }
    }
}

static void weigh_far(void *context, int begin, int end) {
    const Hessian *hessian = ((const HessianWork *)context)->hessian;
    const HessianFar *far = &hessian->far;
    for (int p = far->start[begin]; p < far->start[end]; ++p) {
        const float *constant = far->slot[p] < 0 ? NULL : hessian->constant[far->slot[p]];
        if (far->folded) {
            far->weight[2 * p] = constant ? constant[0] : 0.0F;
            far->weight[2 * p + 1] = constant ? constant[1] : 0.0F;
        } else {
            far->weight[p] = constant ? constant[1] : 0.0F;
        }
    }
}

void hessian_refresh(Hessian *hessian, double scale) {
    HessianWork work = {.hessian = hessian, .scale = scale};
    Pool *pool = hessian->system->pool;
    pool_run(pool, hessian->system->vertex_count, refresh_rows, &work);
    soften_beside(&work);
    pool_run(pool, hessian->system->vertex_count, weigh_far, &work);
    hessian->scale = scale;
}

static void rescale_rows(void *context, int begin, int end) {
    const HessianWork *work = context;
    const Hessian *hessian = work->hessian;
    const HessianFar *far = &hessian->far;
    float by = (float)work->scale;
    for (int p = hessian->pattern.start[begin]; p < hessian->pattern.start[end]; ++p) {
        hessian->constant[p][0] *= by;
        hessian->constant[p][1] *= by;
    }
    int each = far->folded ? 2 : 1;
    for (int p = each * far->start[begin]; p < each * far->start[end]; ++p) {
        far->weight[p] *= by;
    }
}

void hessian_rescale(Hessian *hessian, double scale) {
    int exponent;
    double by = hessian->scale > 0 ? scale / hessian->scale : 0.0;
    if (by == 1.0) {
        return;
    }
    if (frexp(by, &exponent) != 0.5 || by * hessian->scale != scale) {
        hessian_refresh(hessian, scale);
        return;
    }
    HessianWork work = {.hessian = hessian, .scale = by};
    pool_run(hessian->system->pool, hessian->system->vertex_count, rescale_rows, &work);
    hessian->scale = scale;
}

/* --- what changes ------------------------------------------------------------------------------- */

static void set_columns(const Block *from, bool transposed, HessianBlock *to) {
    for (int c = 0; c < 3; ++c) {
        for (int r = 0; r < 3; ++r) {
            to->column[c][r] = (float)from->m[transposed ? 3 * c + r : 3 * r + c];
        }
        to->column[c][3] = 0;
    }
}

static void find_elements(void *context, int begin, int end) {
    const HessianWork *work = context;
    const Law *law = work->own->law;
    bool (*hessian_at)(const Law *, int, const Vec3 *, double, LawHessian *) =
        law->kind->fused_hessian ? law->kind->fused_hessian : law->kind->hessian;
    for (int e = begin; e < end; ++e) {
        LawHessian second;
        ElementHessian *to = &work->own->elements[e];
        if (!hessian_at(law, e, work->z, work->scale, &second)) {
            memset(to, 0, sizeof *to);
            continue;
        }
        set_columns(&second.uu, false, &to->by[0]);
        if (law->rows > 1) {
            set_columns(&second.uv, false, &to->by[1]);
            set_columns(&second.uv, true, &to->by[2]);
            set_columns(&second.vv, false, &to->by[3]);
        }
    }
}

/* a first + b second */
static inline HessianBlock mix_blocks(float a, const HessianBlock *first, float b,
                                      const HessianBlock *second) {
    HessianBlock sum;
    for (int c = 0; c < 3; ++c) {
        sum.column[c] = a * first->column[c] + b * second->column[c];
    }
    return sum;
}

/* The blocks of one vertex with all others of an element. */
static void add_element(const Law *law, int corner, const ElementHessian *element, const int *slot,
                        HessianBlock *block) {
    int e = corner / law->width, own = corner % law->width;
    const double *a = law_weights(law, 0, e), *p = law->rows > 1 ? law_weights(law, 1, e) : a;
    float first = (float)a[own], second = law->rows > 1 ? (float)p[own] : 0.0F;
    HessianBlock u = mix_blocks(first, &element->by[0], second, &element->by[2]);
    HessianBlock v = mix_blocks(first, &element->by[1], second, &element->by[3]);
    for (int d = 0; d < law->width; ++d) {
        HessianBlock *to = &block[slot[d]];
        HessianBlock more = mix_blocks((float)a[d], &u, law->rows > 1 ? (float)p[d] : 0.0F, &v);
        for (int c = 0; c < 3; ++c) {
            to->column[c] += more.column[c];
        }
    }
}

/* What is constant between two vertices that have a block; an entry of -1: nothing. */
static HessianBlock constant_block(const Hessian *hessian, int entry) {
    float along = entry < 0 ? 0.0F : hessian->constant[entry][0];
    float across = entry < 0 ? 0.0F : hessian->constant[entry][1];
    return (HessianBlock){{{along, 0, 0, 0}, {0, across, 0, 0}, {0, 0, across, 0}}};
}

static void compute_rows(void *context, int begin, int end) {
    const HessianWork *work = context;
    const Hessian *hessian = work->hessian;
    const int *start = hessian->blocks.start;
    for (int p = start[begin]; p < start[end]; ++p) {
        hessian->block[p] = constant_block(hessian, hessian->near[p]);
    }
    for (int l = 0; l < hessian->law_count; ++l) {
        const HessianLaw *own = &hessian->laws[l];
        for (int p = own->start[begin]; own->elements && p < own->start[end]; ++p) {
            add_element(own->law, own->corner[p], &own->elements[own->corner[p] / own->law->width],
                        own->slot + own->law->width * p, hessian->block);
        }
    }
    for (int v = begin; v < end; ++v) {
        hessian->own[v] = hessian->block[matrix_slot(&hessian->blocks, v, v)];
    }
}

void hessian_compute(Hessian *hessian, double scale, const Vec3 *z) {
    HessianWork work = {.hessian = hessian, .scale = scale, .z = z};
    const System *system = hessian->system;
    for (int l = 0; l < hessian->law_count; ++l) {
        work.own = &hessian->laws[l];
        if (work.own->elements && system->awake) {
            const PieceItems *items = &work.own->items;
            int runs = piece_items_choose(items, system->awake_count, system->awake_pieces);
            pool_run_over(system->pool, runs, items->chosen, find_elements, &work);
        } else if (work.own->elements) {
            pool_run(system->pool, work.own->law->count, find_elements, &work);
        }
    }
    system_run(system, compute_rows, &work);
}

/* --- reading and multiplying -------------------------------------------------------------------- */

Block hessian_own(const Hessian *hessian, int vertex) {
    Block own;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            own.m[3 * r + c] = (double)hessian->own[vertex].column[c][r];
        }
    }
    return own;
}

void hessian_set_own(Hessian *hessian, int vertex, const Block *block) {
    set_columns(block, false, &hessian->block[matrix_slot(&hessian->blocks, vertex, vertex)]);
}

/* One vertex's row times d. Four sums that do not wait for each other. */
static inline HessianVector multiply_row(const Hessian *hessian, bool folded, int vertex,
                                         const HessianVector *d) {
    HessianVector sum[HESSIAN_GROUP] = {{0}};
    const Matrix *blocks = &hessian->blocks;
    const HessianFar *far = &hessian->far;
    for (int p = blocks->start[vertex]; p < blocks->start[vertex + 1]; ++p) {
        const HessianBlock *block = &hessian->block[p];
        HessianVector x = d[blocks->column[p]];
        sum[0] += block->column[0] * x[0];
        sum[1] += block->column[1] * x[1];
        sum[2] += block->column[2] * x[2];
    }
    for (int p = far->start[vertex]; p < far->start[vertex + 1]; p += HESSIAN_GROUP) {
        const int *column = far->column + p;
        for (int k = 0; k < HESSIAN_GROUP; ++k) {
            if (folded) {
                const float *weight = far->weight + 2 * (p + k);
                sum[k] += (HessianVector){weight[0], weight[1], weight[1], 0} * d[column[k]];
            } else {
                sum[k] += far->weight[p + k] * d[column[k]];
            }
        }
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

void hessian_multiply(const Hessian *hessian, int begin, int end, const HessianVector *d,
                      HessianVector *product) {
    for (int v = begin; v < end; ++v) {
        product[v - begin] = hessian->far.folded ? multiply_row(hessian, true, v, d)
                                                 : multiply_row(hessian, false, v, d);
    }
}
