#include "solver/coarse/samples.h"

#include <math.h>
#include <stdlib.h>

/* The pieces that reach any vertex of the element, and what their functions do to its rows. */
static void add_pieces(const System *system, const Basis *basis, Sample *sample) {
    for (int c = 0; c < sample->vertex_count; ++c) {
        int v = sample->vertices[c];
        for (int p = basis->start[v]; p < basis->start[v + 1]; ++p) {
            int at = 0, piece = basis->piece[p];
            while (at < sample->piece_count && sample->pieces[at] < piece) {
                ++at;
            }
            if (at == sample->piece_count || sample->pieces[at] != piece) {
                for (int m = sample->piece_count++; m > at; --m) {
                    sample->pieces[m] = sample->pieces[m - 1];
                    sample->values[m] = sample->values[m - 1];
                }
                sample->pieces[at] = piece;
                sample->values[at] = (PieceRows){{{0}}};
            }
            double value[KINDS];
            basis_values(basis, p, system->mesh->rest[v], value);
            for (int r = 0; r < sample->row_count && r < BASE_ROWS; ++r) {
                for (int f = 0; f < KINDS; ++f) {
                    sample->values[at].by[r][f] += sample->weights[r][c] * value[f];
                }
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
static void list_samples(const System *system, const Patches *patches, Region *regions,
                         Samples *samples) {
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
            Sample *sample = &samples->sample[samples->count++];
            set_triangle_sample(system, regions[k].triangle, sample);
            sample->share = regions[k].area / triangle->area[regions[k].triangle];
        }
    }
    for (int e = 0; e < edge->count; ++e) {
        if (!touches_seed(edge, patches, e)) {
            continue;
        }
        Sample *sample = &samples->sample[samples->count++];
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

StatusCode samples_divide(const System *system, int wanted, Patches *patches, Status *status) {
    /* an edge shows one direction, a triangle four: fewer seeds make as many rows */
    int seeds = system->triangle.count > 0 ? wanted : wanted * 2 / 3;
    return patches_build(system->mesh, seeds, 0, patches, status);
}

StatusCode samples_build(Samples *samples, const System *system, const Basis *basis,
                         const Patches *patches, Store *store, Status *status) {
    *samples = (Samples){0};
    Region *regions = SCRATCH_ARRAY(Region, patches->count);
    int most = patches->count + count_seed_edges(system, patches);
    samples->sample = STORE_ARRAY(store, Sample, most);
    if (!regions || !samples->sample) {
        free(regions);
        return status_no_memory(status, "the coarse level");
    }
    measure_regions(system, patches, regions);
    list_samples(system, patches, regions, samples);
    for (int s = 0; s < samples->count; ++s) {
        add_pieces(system, basis, &samples->sample[s]);
    }
    free(regions);
    return STATUS_OK;
}

void samples_refresh(Samples *samples, const System *system, double scale) {
    for (int s = 0; s < samples->count; ++s) {
        Sample *sample = &samples->sample[s];
        for (int r = 0; r < sample->row_count; ++r) {
            double own = sample->is_edge
                             ? system->edge.stiffness[sample->element]
                             : system->triangle.stiffness[AXIS_COUNT * sample->element + r];
            sample->stiffness[r] = scale * sample->share * own;
        }
    }
}
