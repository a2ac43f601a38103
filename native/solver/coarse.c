#include "solver/coarse.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "linear/block.h"
#include "linear/dense.h"
#include "mesh/patches.h"
#include "solver/basis.h"

/* Patches at most: 12 to 16 are best on one sheet, more do not help (see docs/lively.md). */
#define PATCHES 14
/* Vertices a patch at least: functions as fine as the mesh itself would leave the solve nothing to do and
 * feed energy into the cloth. */
#define PATCH_VERTICES 30
/* Elements at which stretch is sampled. 64 were too few, 144 to 400 good. */
#define SAMPLES 225
/* Share of the constant stiffness added to the true one: keeps slack cloth from being thrown about. */
#define SLACK_SHARE 1e-3
/* Stiffness that holds coarse pins, over the diagonal of K at the pin. */
#define PIN_GRIP 150.0
/* Axes, or one edge, of a sampled element. */
#define MOST_ROWS AXIS_COUNT
/* Functions that do not vanish at an element, at most kept. */
#define MOST_FUNCTIONS 64

/* An element that stands for the region around it. */
typedef struct Sample {
    int element, is_edge;
    double share; /* area (or length) of its region over its own */
    int row_count;
    double stiffness[MOST_ROWS]; /* times share, N/m-like: weight of (|s| - rest)^2 / 2 */
    double rest;
    int vertices[3], vertex_count;
    double weights[MOST_ROWS][3]; /* s = sum weights x */
    int function_count;
    int functions[MOST_FUNCTIONS];
    double values[MOST_ROWS][MOST_FUNCTIONS]; /* s by each function */
} Sample;

struct Coarse {
    System *system;
    Store store;
    Basis basis;
    Sample *samples;
    int sample_count;
    double *constant; /* function_count^2: what no state changes */
    double *row;      /* function_count, scratch */
    double *hessian;  /* 3 function_count rows of dense_stride */
    double *vector;   /* 3 function_count */
    double *partial;  /* 3 function_count for each chunk of vertices */
    Matrix slack;     /* bending + SLACK_SHARE K on the pattern of K */
    double *stiffness_diagonal;
};

/* --- building --------------------------------------------------------------------------------- */

static void add_functions(const Basis *basis, Sample *sample) {
    for (int c = 0; c < sample->vertex_count; ++c) {
        int v = sample->vertices[c];
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            int at = 0;
            while (at < sample->function_count && sample->functions[at] < basis->index[p]) {
                ++at;
            }
            if (at == sample->function_count || sample->functions[at] != basis->index[p]) {
                if (sample->function_count == MOST_FUNCTIONS) {
                    continue;
                }
                for (int m = sample->function_count; m > at; --m) {
                    sample->functions[m] = sample->functions[m - 1];
                    for (int r = 0; r < sample->row_count; ++r) {
                        sample->values[r][m] = sample->values[r][m - 1];
                    }
                }
                sample->functions[at] = basis->index[p];
                for (int r = 0; r < sample->row_count; ++r) {
                    sample->values[r][at] = 0;
                }
                ++sample->function_count;
            }
            for (int r = 0; r < sample->row_count; ++r) {
                sample->values[r][at] += sample->weights[r][c] * basis->value[p];
            }
        }
    }
}

static void set_triangle_sample(const System *system, int t, Sample *sample) {
    const TriangleModel *model = &system->triangle;
    const double half_sqrt2 = 0.70710678118654752440;
    sample->element = t;
    sample->vertex_count = 3;
    sample->row_count = AXIS_COUNT;
    sample->rest = 1.0;
    for (int c = 0; c < 3; ++c) {
        double a = model->warp_weights[3 * t + c], p = model->weft_weights[3 * t + c];
        sample->vertices[c] = model->vertices[3 * t + c];
        sample->weights[AXIS_WARP][c] = a;
        sample->weights[AXIS_WEFT][c] = p;
        sample->weights[AXIS_SUM][c] = half_sqrt2 * (a + p);
        sample->weights[AXIS_DIFFERENCE][c] = half_sqrt2 * (a - p);
    }
}

static void set_edge_sample(const System *system, int e, Sample *sample) {
    const EdgeModel *model = &system->edge;
    sample->element = e;
    sample->is_edge = 1;
    sample->vertex_count = 2;
    sample->row_count = 1;
    sample->rest = model->rest_length[e];
    for (int c = 0; c < 2; ++c) {
        sample->vertices[c] = model->vertices[2 * e + c];
        sample->weights[0][c] = model->weights[2 * e + c];
    }
}

/* What a region holds of each kind of element, and what the elements at its seed hold. */
typedef struct Region {
    double area;               /* m^2 of triangles */
    double springs[2], own[2]; /* share times length^2 of cloth edges and of ropes */
    int has_triangle, triangle;
} Region;

static int kind_of(const EdgeModel *model, int e) { return model->source[e]->kind == EDGE_ROPE; }

static double size_of(const EdgeModel *model, int e) {
    return model->source[e]->share * model->rest_length[e] * model->rest_length[e];
}

/* The patch whose seed end c of edge e is, or -1. */
static int seed_at(const EdgeModel *model, const Patches *patches, int e, int c) {
    int vertex = model->vertices[2 * e + c], patch = patches->owner[vertex];
    return patches->seed[patch] == vertex ? patch : -1;
}

static int touches_seed(const EdgeModel *model, const Patches *patches, int e) {
    return seed_at(model, patches, e, 0) >= 0 || seed_at(model, patches, e, 1) >= 0;
}

static void measure_regions(const System *system, const Patches *patches, Region *regions) {
    const EdgeModel *edge = &system->edge;
    for (int v = 0; v < system->vertex_count; ++v) {
        regions[patches->owner[v]].area += system->area[v];
    }
    for (int c = 0; c < 2 * edge->count;
         ++c) { /* each end takes half of the edge into its region */
        int e = c / 2, kind = kind_of(edge, e), seed = seed_at(edge, patches, e, c % 2);
        regions[patches->owner[edge->vertices[c]]].springs[kind] += 0.5 * size_of(edge, e);
        if (seed >= 0) {
            regions[seed].own[kind] += size_of(edge, e);
        }
    }
}

/* The triangle at a seed that stands for its region: the largest, and of equal ones the lowest by place, so
 * that the choice does not depend on numbers. */
static int is_better_triangle(const System *system, int t, int best) {
    const TriangleModel *model = &system->triangle;
    double own = model->area[t], other = model->area[best];
    if (fabs(own - other) > 1e-6 * other) {
        return own > other;
    }
    Vec3 a = vec3(0, 0, 0), b = a;
    for (int c = 0; c < 3; ++c) {
        a = vec3_add(a, system->mesh->rest[model->vertices[3 * t + c]]);
        b = vec3_add(b, system->mesh->rest[model->vertices[3 * best + c]]);
    }
    return a.x != b.x ? a.x < b.x : a.y != b.y ? a.y < b.y : a.z < b.z;
}

/* One triangle at each seed, and the edges at it that the edge law holds. */
static void list_samples(Coarse *coarse, const Patches *patches, Region *regions) {
    const System *system = coarse->system;
    const TriangleModel *triangle = &system->triangle;
    const EdgeModel *edge = &system->edge;
    for (int c = 0; c < 3 * triangle->count; ++c) {
        int v = triangle->vertices[c], k = patches->owner[v];
        Region *region = &regions[k];
        if (patches->seed[k] == v &&
            (!region->has_triangle || is_better_triangle(system, c / 3, region->triangle))) {
            region->has_triangle = 1;
            region->triangle = c / 3;
        }
    }
    for (int k = 0; k < patches->count; ++k) {
        if (regions[k].has_triangle) {
            Sample *sample = &coarse->samples[coarse->sample_count++];
            set_triangle_sample(system, regions[k].triangle, sample);
            sample->share = regions[k].area / triangle->area[regions[k].triangle];
        }
    }
    for (int e = 0; e < edge->count; ++e) {
        if (!touches_seed(edge, patches, e)) {
            continue;
        }
        Sample *sample = &coarse->samples[coarse->sample_count++];
        set_edge_sample(system, e, sample);
        for (int c = 0; c < 2; ++c) {
            int seed = seed_at(edge, patches, e, c), kind = kind_of(edge, e);
            if (seed >= 0) {
                sample->share += regions[seed].springs[kind] / regions[seed].own[kind];
            }
        }
    }
}

static int count_seed_edges(const System *system, const Patches *patches) {
    int count = 0;
    for (int e = 0; e < system->edge.count; ++e) {
        count += touches_seed(&system->edge, patches, e);
    }
    return count;
}

static StatusCode take_samples(Coarse *coarse, Status *status) {
    Patches patches;
    /* an edge shows one direction, a triangle four: fewer seeds make as many rows */
    int seeds = coarse->system->triangle.count > 0 ? SAMPLES : SAMPLES * 2 / 3;
    StatusCode code = patches_build(coarse->system->mesh, seeds, 0, &patches, status);
    if (code != STATUS_OK) {
        return code;
    }
    Region *regions = SCRATCH_ARRAY(Region, patches.count);
    int most = patches.count + count_seed_edges(coarse->system, &patches);
    coarse->samples = STORE_ARRAY(&coarse->store, Sample, most);
    if (!regions || !coarse->samples) {
        code = status_no_memory(status, "the coarse level");
    } else {
        measure_regions(coarse->system, &patches, regions);
        list_samples(coarse, &patches, regions);
        for (int s = 0; s < coarse->sample_count; ++s) {
            add_functions(&coarse->basis, &coarse->samples[s]);
        }
    }
    free(regions);
    patches_free(&patches);
    return code;
}

Coarse *coarse_create(System *system, const Factor *like, Status *status) {
    Coarse *coarse = calloc(1, sizeof *coarse);
    if (!coarse) {
        status_no_memory(status, "the coarse level");
        return NULL;
    }
    coarse->system = system;
    Store *store = &coarse->store;
    int most = system->vertex_count / PATCH_VERTICES;
    int patches = most < 1 ? 1 : most < PATCHES ? most : PATCHES;
    StatusCode code = basis_build(&coarse->basis, system, like, patches, store, status);
    if (code == STATUS_OK) {
        code = take_samples(coarse, status);
    }
    size_t functions = (size_t)coarse->basis.function_count, unknowns = 3 * functions;
    coarse->constant = STORE_ARRAY(store, double, functions *functions);
    coarse->row = STORE_ARRAY(store, double, functions);
    coarse->hessian = STORE_ARRAY(store, double, unknowns *(size_t)dense_stride((int)unknowns));
    coarse->vector = STORE_ARRAY(store, double, unknowns);
    coarse->partial =
        STORE_ARRAY(store, double, unknowns *(size_t)pool_chunks(system->vertex_count));
    coarse->slack = system->stiffness;
    coarse->slack.value =
        STORE_ARRAY(store, double, system->stiffness.start[system->stiffness.size]);
    if (code != STATUS_OK || store->failed) {
        status_no_memory(status, "the coarse level");
        coarse_destroy(coarse);
        return NULL;
    }
    return coarse;
}

void coarse_destroy(Coarse *coarse) {
    if (coarse) {
        store_release(&coarse->store);
        free(coarse);
    }
}

int coarse_unknowns(const Coarse *coarse) { return 3 * coarse->basis.function_count; }

double coarse_radius(const Coarse *coarse) { return coarse->basis.radius; }

int coarse_is_curved(const Coarse *coarse) { return coarse->basis.curved; }

size_t coarse_bytes(const Coarse *coarse) { return coarse->store.bytes; }

int coarse_functions_at(const Coarse *coarse, int vertex, int capacity, int *index, double *value) {
    const Basis *basis = &coarse->basis;
    int count = basis->start[vertex + 1] - basis->start[vertex];
    for (int i = 0; i < count && i < capacity; ++i) {
        index[i] = basis->index[basis->start[vertex] + i];
        value[i] = basis->value[basis->start[vertex] + i];
    }
    return count;
}

/* --- what is constant ------------------------------------------------------------------------- */

static void refresh_samples(Coarse *coarse, double scale) {
    const System *system = coarse->system;
    for (int s = 0; s < coarse->sample_count; ++s) {
        Sample *sample = &coarse->samples[s];
        for (int r = 0; r < sample->row_count; ++r) {
            double own = sample->is_edge
                             ? system->edge.stiffness[sample->element]
                             : system->triangle.stiffness[AXIS_COUNT * sample->element + r];
            sample->stiffness[r] = scale * sample->share * own;
        }
    }
}

/* constant = P' (I + h^2 s + pins + h^2 q (bending + slack share of K)) P, vertex row by vertex row. */
void coarse_prepare(Coarse *coarse, const Substep *substep) {
    const System *system = coarse->system;
    const Basis *basis = &coarse->basis;
    Matrix *slack = &coarse->slack;
    int functions = basis->function_count;
    double h2 = substep->length * substep->length, scale = h2 * substep->stiffness_factor;
    matrix_clear(slack);
    bending_model_add_matrix(&system->bending, slack);
    for (int p = 0; p < slack->start[slack->size]; ++p) {
        slack->value[p] += SLACK_SHARE * system->stiffness.value[p];
    }
    refresh_samples(coarse, scale);
    memset(coarse->constant, 0, (size_t)functions * (size_t)functions * sizeof(double));
    for (int i = 0; i < system->vertex_count; ++i) {
        double own = substep->inertia[i] + h2 * system->soft_stiffness[i];
        if (system->held[i]) {
            own +=
                scale * PIN_GRIP * system->stiffness.value[matrix_slot(&system->stiffness, i, i)];
        }
        memset(coarse->row, 0, (size_t)functions * sizeof(double));
        for (int p = slack->start[i]; p < slack->start[i + 1]; ++p) {
            int j = slack->column[p];
            double value = scale * slack->value[p] + (i == j ? own : 0.0);
            for (int q = basis->start[j]; q < basis->start[j + 1]; ++q) {
                coarse->row[basis->index[q]] += value * basis->value[q];
            }
        }
        for (int q = basis->start[i]; q < basis->start[i + 1]; ++q) {
            double *to = coarse->constant + (size_t)basis->index[q] * (size_t)functions;
            for (int f = 0; f < functions; ++f) {
                to[f] += basis->value[q] * coarse->row[f];
            }
        }
    }
}

/* --- the correction --------------------------------------------------------------------------- */

/* Unknown 3 f + c is coordinate c of function f. */
static void start_hessian(Coarse *coarse) {
    int functions = coarse->basis.function_count, stride = dense_stride(3 * functions);
    memset(coarse->hessian, 0, 3 * (size_t)functions * (size_t)stride * sizeof(double));
    for (int f = 0; f < functions; ++f) {
        for (int g = 0; g <= f; ++g) {
            double value = coarse->constant[f * functions + g];
            for (int c = 0; c < 3; ++c) {
                coarse->hessian[(3 * f + c) * stride + 3 * g + c] = value;
            }
        }
    }
}

/* The six different numbers of a symmetric 3 x 3 block, and where each goes. */
#define SYMMETRIC 6
static const int upper_row[SYMMETRIC] = {0, 0, 0, 1, 1, 2};
static const int upper_column[SYMMETRIC] = {0, 1, 2, 1, 2, 2};

/* Second derivatives of one sample's rows at z, weighted; rows that do not resist are zero. */
static void sample_blocks(const Coarse *coarse, const Sample *sample, const Vec3 *z,
                          double blocks[MOST_ROWS][SYMMETRIC]) {
    int tension_only =
        sample->is_edge ? coarse->system->edge.tension_only : coarse->system->triangle.tension_only;
    for (int r = 0; r < MOST_ROWS; ++r) {
        Vec3 s = vec3(0, 0, 0);
        Block block;
        for (int c = 0; c < sample->vertex_count; ++c) {
            s = vec3_madd(s, sample->weights[r][c], z[sample->vertices[c]]);
        }
        int resists =
            r < sample->row_count && block_of_spring(s, sample->rest, tension_only, &block);
        for (int m = 0; m < SYMMETRIC; ++m) {
            blocks[r][m] =
                resists ? sample->stiffness[r] * block.m[3 * upper_row[m] + upper_column[m]] : 0.0;
        }
    }
}

/* Products of function i with all functions up to it, summed over the rows: the inner loop. Unused
 * rows are zero, so that all four can be taken at once. */
static void multiply_rows(const Sample *sample, int i, const double blocks[MOST_ROWS][SYMMETRIC],
                          double out[SYMMETRIC][MOST_FUNCTIONS]) {
    for (int m = 0; m < SYMMETRIC; ++m) {
        double a = sample->values[0][i] * blocks[0][m], b = sample->values[1][i] * blocks[1][m];
        double c = sample->values[2][i] * blocks[2][m], d = sample->values[3][i] * blocks[3][m];
        for (int j = 0; j <= i; ++j) {
            out[m][j] = (a * sample->values[0][j] + b * sample->values[1][j]) +
                        (c * sample->values[2][j] + d * sample->values[3][j]);
        }
    }
}

static void add_sample(Coarse *coarse, const Sample *sample, const Vec3 *z) {
    int stride = dense_stride(3 * coarse->basis.function_count);
    double blocks[MOST_ROWS][SYMMETRIC], products[SYMMETRIC][MOST_FUNCTIONS];
    sample_blocks(coarse, sample, z, blocks);
    for (int i = 0; i < sample->function_count; ++i) {
        multiply_rows(sample, i, (const double(*)[SYMMETRIC])blocks, products);
        double *x = coarse->hessian + 3 * sample->functions[i] * stride, *y = x + stride,
               *w = y + stride;
        for (int j = 0; j <= i; ++j) {
            int at = 3 * sample->functions[j];
            x[at] += products[0][j];
            x[at + 1] += products[1][j];
            x[at + 2] += products[2][j];
            y[at] += products[1][j];
            y[at + 1] += products[3][j];
            y[at + 2] += products[4][j];
            w[at] += products[2][j];
            w[at + 1] += products[4][j];
            w[at + 2] += products[5][j];
        }
    }
}

typedef struct CoarseWork {
    Coarse *coarse;
    const Substep *substep;
    const Vec3 *way;
    double scale;
    Vec3 *change;
} CoarseWork;

/* P' gradient, chunk by chunk. Pins that must move pull with the same grip as in the matrix. */
static void restrict_chunk(void *context, int begin, int end) {
    const CoarseWork *work = context;
    const System *system = work->coarse->system;
    const Basis *basis = &work->coarse->basis;
    int unknowns = 3 * basis->function_count;
    double *sum = work->coarse->partial + (size_t)pool_chunk_at(begin) * (size_t)unknowns;
    memset(sum, 0, (size_t)unknowns * sizeof *sum);
    for (int i = begin; i < end; ++i) {
        Vec3 g = work->substep->gradient[i];
        if (work->way && system->held[i]) {
            double grip = work->scale * PIN_GRIP *
                          system->stiffness.value[matrix_slot(&system->stiffness, i, i)];
            g = vec3_scale(-grip, work->way[i]);
        }
        for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
            double *to = sum + 3 * basis->index[p];
            to[0] += basis->value[p] * g.x;
            to[1] += basis->value[p] * g.y;
            to[2] += basis->value[p] * g.z;
        }
    }
}

static void prolong_chunk(void *context, int begin, int end) {
    const CoarseWork *work = context;
    const Basis *basis = &work->coarse->basis;
    const double *q = work->coarse->vector;
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        for (int p = basis->start[i]; p < basis->start[i + 1]; ++p) {
            const double *from = q + 3 * basis->index[p];
            sum = vec3_madd(sum, basis->value[p], vec3(from[0], from[1], from[2]));
        }
        work->change[i] = work->coarse->system->held[i] ? vec3(0, 0, 0) : sum;
    }
}

int coarse_correct(Coarse *coarse, const Substep *substep, const Vec3 *z, const Vec3 *way,
                   Vec3 *change) {
    System *system = coarse->system;
    int unknowns = 3 * coarse->basis.function_count;
    double h2 = substep->length * substep->length;
    CoarseWork work = {coarse, substep, way, h2 * substep->stiffness_factor, change};
    start_hessian(coarse);
    for (int s = 0; s < coarse->sample_count; ++s) {
        add_sample(coarse, &coarse->samples[s], z);
    }
    int worked = dense_factor(coarse->hessian, unknowns);
    memset(coarse->vector, 0, (size_t)unknowns * sizeof(double));
    if (worked) {
        pool_run(system->pool, system->vertex_count, restrict_chunk, &work);
        for (int c = 0; c < pool_chunks(system->vertex_count); ++c) {
            for (int u = 0; u < unknowns; ++u) {
                coarse->vector[u] += coarse->partial[(size_t)c * (size_t)unknowns + (size_t)u];
            }
        }
        dense_solve(coarse->hessian, unknowns, coarse->vector);
    }
    pool_run(system->pool, system->vertex_count, prolong_chunk, &work);
    return worked;
}
