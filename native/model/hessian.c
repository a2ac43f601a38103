/* Building, filling and reading the Hessian; the product is in the header. */
#include "model/hessian.h"

#include <string.h>

/* --- where everything is ------------------------------------------------------------------------ */

/* Lists, for each vertex, the corners of elements where it stands. */
static void list_corners(int vertex_count, HessianLaw *own) {
    const Law *law = own->law;
    int count = law->width * law->count;
    for (int p = 0; p < count; ++p) {
        ++own->start[law->vertices[p]];
    }
    for (int v = 1; v <= vertex_count; ++v) {
        own->start[v] += own->start[v - 1];
    }
    for (int p = count; p-- > 0;) {
        own->corner[--own->start[law->vertices[p]]] = p;
    }
}

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

static void take_law(Hessian *hessian, const Law *law, Store *store) {
    HessianLaw *own = &hessian->laws[hessian->law_count++];
    int corners = law->width * law->count;
    *own = (HessianLaw){.law = law,
                        .start = STORE_ARRAY(store, int, hessian->system->vertex_count + 1),
                        .corner = STORE_ARRAY(store, int, corners)};
    if (law->kind->curve) {
        own->curve = STORE_ARRAY(store, HessianCurve, law->count);
        own->slot = STORE_ARRAY(store, int, law->width *corners);
    }
}

static StatusCode take_patterns(Hessian *hessian, Store *store, Status *status) {
    const System *system = hessian->system;
    Stencils constant[LAWS_MOST], curved[LAWS_MOST];
    int constants = 0, curves = 0;
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        *(law->kind->curve ? &curved[curves++] : &constant[constants++]) =
            (Stencils){law->count, law->width, law->vertices};
    }
    StatusCode code =
        matrix_pattern(system->vertex_count, constant, constants, store, &hessian->pattern, status);
    return code == STATUS_OK ? matrix_pattern(system->vertex_count, curved, curves, store,
                                              &hessian->blocks, status)
                             : code;
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
    for (int l = 0; l < system->laws.count; ++l) {
        take_law(hessian, system->laws.list[l], store);
    }
    if (store->failed) {
        return status_no_memory(status, "the Hessian");
    }
    for (int l = 0; l < hessian->law_count; ++l) {
        list_corners(system->vertex_count, &hessian->laws[l]);
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
            if (!hessian->laws[l].curve) {
                add_constant(work, &hessian->laws[l], v);
            }
        }
    }
}

void hessian_refresh(Hessian *hessian, double scale) {
    HessianWork work = {.hessian = hessian, .scale = scale};
    pool_run(hessian->system->pool, hessian->system->vertex_count, refresh_rows, &work);
    soften_beside(&work);
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

static void curve_elements(void *context, int begin, int end) {
    const HessianWork *work = context;
    const Law *law = work->own->law;
    bool (*curve_at)(const Law *, int, const Vec3 *, double, LawCurve *) =
        law->kind->fused_curve ? law->kind->fused_curve : law->kind->curve;
    for (int e = begin; e < end; ++e) {
        LawCurve curve;
        HessianCurve *to = &work->own->curve[e];
        if (!curve_at(law, e, work->z, work->scale, &curve)) {
            memset(to, 0, sizeof *to);
            continue;
        }
        set_columns(&curve.uu, false, &to->by[0]);
        if (law->rows > 1) {
            set_columns(&curve.uv, false, &to->by[1]);
            set_columns(&curve.uv, true, &to->by[2]);
            set_columns(&curve.vv, false, &to->by[3]);
        }
    }
}

/* to += weight from */
static inline void add_block(HessianBlock *to, float weight, const HessianBlock *from) {
    for (int c = 0; c < 3; ++c) {
        to->column[c] += weight * from->column[c];
    }
}

/* The blocks of one vertex with all others of an element. */
static void add_curve(const Law *law, int corner, const HessianCurve *curve, const int *slot,
                      HessianBlock *block) {
    int e = corner / law->width, own = corner % law->width;
    const double *a = law_weights(law, 0, e), *p = law->rows > 1 ? law_weights(law, 1, e) : NULL;
    for (int d = 0; d < law->width; ++d) {
        HessianBlock *to = &block[slot[d]];
        add_block(to, (float)(a[own] * a[d]), &curve->by[0]);
        if (p) {
            add_block(to, (float)(a[own] * p[d]), &curve->by[1]);
            add_block(to, (float)(p[own] * a[d]), &curve->by[2]);
            add_block(to, (float)(p[own] * p[d]), &curve->by[3]);
        }
    }
}

static void compute_rows(void *context, int begin, int end) {
    const HessianWork *work = context;
    const Hessian *hessian = work->hessian;
    const int *start = hessian->blocks.start;
    memset(hessian->block + start[begin], 0,
           (size_t)(start[end] - start[begin]) * sizeof *hessian->block);
    for (int l = 0; l < hessian->law_count; ++l) {
        const HessianLaw *own = &hessian->laws[l];
        for (int p = own->start[begin]; own->curve && p < own->start[end]; ++p) {
            add_curve(own->law, own->corner[p], &own->curve[own->corner[p] / own->law->width],
                      own->slot + own->law->width * p, hessian->block);
        }
    }
}

void hessian_compute(Hessian *hessian, double scale, const Vec3 *z) {
    HessianWork work = {.hessian = hessian, .scale = scale, .z = z};
    Pool *pool = hessian->system->pool;
    for (int l = 0; l < hessian->law_count; ++l) {
        work.own = &hessian->laws[l];
        if (work.own->curve) {
            pool_run(pool, work.own->law->count, curve_elements, &work);
        }
    }
    pool_run(pool, hessian->system->vertex_count, compute_rows, &work);
}

Block hessian_own(const Hessian *hessian, int vertex) {
    const float *constant = hessian->constant[matrix_slot(&hessian->pattern, vertex, vertex)];
    const HessianBlock *block = &hessian->block[matrix_slot(&hessian->blocks, vertex, vertex)];
    Block own;
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            own.m[3 * r + c] = (double)block->column[c][r];
        }
    }
    own.m[0] += (double)constant[0];
    own.m[4] += (double)constant[1];
    own.m[8] += (double)constant[1];
    return own;
}
