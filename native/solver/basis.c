#include "solver/basis.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "mesh/patches.h"

/* Rounds of moving seeds to the middle of their patches. */
#define CENTRING 4
/* Smoothing length over the patches' mean radius. */
#define SMOOTHING 0.5
/* Weights below this are cut off; what is left is scaled to add up to one again. */
#define CUT 0.01
/* A patch gets its third axis where it is at least this thick for its width. */
#define THICK 0.1
/* A function is dropped when the ones before it leave less than this of its square. The whole cloth's
 * own axes come last and make up for what thin patches lack: they stay unless they are truly there. */
#define INDEPENDENT 1e-6
#define INDEPENDENT_WHOLE 1e-9
/* Functions of a patch: one, and one for each axis. */
#define KINDS 4

typedef struct Frame {
    Vec3 centre, axis[3];
    double extent; /* m; coordinates are divided by it */
    int axes;
    int thick; /* 1: reaches out of its plane by more than THICK */
} Frame;

typedef struct Build {
    const System *system;
    Patches patches;
    Matrix smoother; /* area + l^2 L */
    double *area;
    int piece_count; /* patches, and the whole cloth as the last piece */
    double *weight;  /* piece by piece, vertex_count each */
    Frame *frames;
} Build;

/* --- smooth weights --------------------------------------------------------------------------- */

static double mean_radius(const Build *build) {
    const Patches *patches = &build->patches;
    double *radius = SCRATCH_ARRAY(double, patches->count), sum = 0;
    if (!radius) {
        return 0;
    }
    for (int v = 0; v < build->system->vertex_count; ++v) {
        double *r = &radius[patches->owner[v]];
        *r = patches->distance[v] > *r ? patches->distance[v] : *r;
    }
    for (int k = 0; k < patches->count; ++k) {
        sum += radius[k];
    }
    free(radius);
    return sum / patches->count;
}

/* Fills the smoother; edges that the matrix does not couple (a quad's other diagonal) are left out. */
static void fill_smoother(Build *build, double length) {
    const Mesh *mesh = build->system->mesh;
    Matrix *smoother = &build->smoother;
    double total = 0, width = 0; /* a rope counts as a strip as wide as the mesh's edges are long */
    for (int e = 0; e < mesh->edge_count; ++e) {
        width += mesh->edges[e].rest_length / mesh->edge_count;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        double conductance = edge->kind == EDGE_ROPE ? width * edge->share : edge->share;
        int slot = matrix_slot(smoother, edge->a, edge->b);
        if (edge->kind == EDGE_SHEAR || smoother->column[slot] != edge->b) {
            continue;
        }
        double value = length * length * conductance;
        matrix_add(smoother, edge->a, edge->b, -value);
        matrix_add(smoother, edge->b, edge->a, -value);
        matrix_add(smoother, edge->a, edge->a, value);
        matrix_add(smoother, edge->b, edge->b, value);
        double rope = edge->kind == EDGE_ROPE ? 0.5 * width * edge->rest_length : 0.0;
        build->area[edge->a] += rope;
        build->area[edge->b] += rope;
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        build->area[v] += build->system->area[v];
        total += build->area[v];
    }
    double least = 1e-6 * total / mesh->vertex_count;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        build->area[v] = build->area[v] > least ? build->area[v] : least;
        matrix_add(smoother, v, v, build->area[v]);
    }
}

/* Three patches at a time, as the solve takes three right-hand sides. */
static void smooth_three(const Build *build, const Solve *solve, int first, Vec3 *work) {
    int count = build->system->vertex_count;
    for (int v = 0; v < count; ++v) {
        int k = build->patches.owner[v] - first;
        work[v] = vec3(k == 0, k == 1, k == 2);
    }
    for (int pass = 0; pass < 2; ++pass) {
        for (int v = 0; v < count; ++v) {
            work[v] = vec3_scale(build->area[v], work[v]);
        }
        solve_apply(solve, work, work);
    }
    for (int k = 0; k < 3 && first + k < build->patches.count; ++k) {
        double *weight = build->weight + (size_t)(first + k) * (size_t)count;
        for (int v = 0; v < count; ++v) {
            weight[v] = k == 0 ? work[v].x : k == 1 ? work[v].y : work[v].z;
        }
    }
}

static StatusCode smooth_patches(Build *build, double radius, const Factor *like, Status *status) {
    int count = build->system->vertex_count;
    Vec3 *work = SCRATCH_ARRAY(Vec3, count);
    uint8_t *none = SCRATCH_ARRAY(uint8_t, count);
    fill_smoother(build, SMOOTHING * radius);
    Factor *factor = work && none ? factor_create_like(like, &build->smoother, status) : NULL;
    StatusCode code = factor ? factor_compute(factor, none, status) : STATUS_ERROR_MEMORY;
    for (int k = 0; k < build->patches.count && code == STATUS_OK; k += 3) {
        smooth_three(build, factor_solve(factor), k, work);
    }
    factor_destroy(factor);
    free(work);
    free(none);
    return code == STATUS_OK ? code : status_no_memory(status, "the coarse level");
}

/* Cuts small weights off and makes the rest add up to one. */
static void trim_weights(Build *build) {
    int count = build->system->vertex_count;
    for (int v = 0; v < count; ++v) {
        double sum = 0;
        for (int k = 0; k < build->patches.count; ++k) {
            double *weight = &build->weight[(size_t)k * (size_t)count + (size_t)v];
            double above = *weight > CUT ? *weight - CUT : 0.0;
            *weight =
                above * above / (above + CUT); /* to zero without a kink: light would show it */
            sum += *weight;
        }
        for (int k = 0; k < build->patches.count; ++k) {
            double *weight = &build->weight[(size_t)k * (size_t)count + (size_t)v];
            *weight = sum > 0 ? *weight / sum : build->patches.owner[v] == k;
        }
        build->weight[(size_t)build->patches.count * (size_t)count + (size_t)v] = 1.0;
    }
}

/* --- axes of the patches ---------------------------------------------------------------------- */

/* Eigenvectors of a symmetric 3 x 3 matrix by Jacobi rotations, largest eigenvalue first. */
static void principal_axes(double m[3][3], Vec3 *axis, double *spread) {
    double e[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int sweep = 0; sweep < 30; ++sweep) {
        for (int p = 0; p < 2; ++p) {
            for (int q = p + 1; q < 3; ++q) {
                if (fabs(m[p][q]) < 1e-30) {
                    continue;
                }
                double angle = 0.5 * atan2(2 * m[p][q], m[q][q] - m[p][p]);
                double c = cos(angle), s = sin(angle);
                for (int k = 0; k < 3; ++k) {
                    double a = m[k][p], b = m[k][q];
                    m[k][p] = c * a - s * b;
                    m[k][q] = s * a + c * b;
                }
                for (int k = 0; k < 3; ++k) {
                    double a = m[p][k], b = m[q][k];
                    m[p][k] = c * a - s * b;
                    m[q][k] = s * a + c * b;
                    a = e[k][p], b = e[k][q];
                    e[k][p] = c * a - s * b;
                    e[k][q] = s * a + c * b;
                }
            }
        }
    }
    int order[3] = {0, 1, 2};
    for (int i = 0; i < 2; ++i) {
        for (int j = i + 1; j < 3; ++j) {
            if (m[order[j]][order[j]] > m[order[i]][order[i]]) {
                int swap = order[i];
                order[i] = order[j];
                order[j] = swap;
            }
        }
    }
    for (int i = 0; i < 3; ++i) {
        axis[i] = vec3(e[0][order[i]], e[1][order[i]], e[2][order[i]]);
        spread[i] = fmax(0, m[order[i]][order[i]]);
    }
}

static void set_frame(Build *build, int k) {
    const Vec3 *rest = build->system->mesh->rest;
    int count = build->system->vertex_count;
    const double *weight = build->weight + (size_t)k * (size_t)count;
    Frame *frame = &build->frames[k];
    double total = 0, m[3][3] = {{0}}, spread[3];
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < count; ++v) {
        double w = weight[v] * build->area[v];
        sum = vec3_madd(sum, w, rest[v]);
        total += w;
    }
    if (!(total > 0)) {
        return;
    }
    frame->centre = vec3_scale(1.0 / total, sum);
    for (int v = 0; v < count; ++v) {
        Vec3 d = vec3_sub(rest[v], frame->centre);
        const double c[3] = {d.x, d.y, d.z};
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                m[i][j] += weight[v] * build->area[v] / total * c[i] * c[j];
            }
        }
    }
    principal_axes(m, frame->axis, spread);
    frame->extent = sqrt(spread[0]);
    frame->axes = 0;
    frame->thick = spread[2] > THICK * THICK * spread[0];
    double thinnest = k == build->piece_count - 1 ? 1e-12 : THICK * THICK;
    while (frame->axes < 3 && spread[frame->axes] > thinnest * spread[0] && frame->extent > 0) {
        ++frame->axes;
    }
}

/* --- functions -------------------------------------------------------------------------------- */

/* Function `kind` of patch k at vertex v: the weight, times a coordinate for kinds 1 to 3. */
static double function_at(const Build *build, int k, int kind, int v) {
    double weight = build->weight[(size_t)k * (size_t)build->system->vertex_count + (size_t)v];
    const Frame *frame = &build->frames[k];
    if (kind == 0 || weight == 0) {
        return weight;
    }
    Vec3 d = vec3_sub(build->system->mesh->rest[v], frame->centre);
    return weight * vec3_dot(d, frame->axis[kind - 1]) / frame->extent;
}

/* The whole cloth needs no constant: the patches' weights add up to it. */
static int is_present(const Build *build, int k, int kind) {
    int whole = k == build->piece_count - 1;
    return kind <= build->frames[k].axes && !(whole && kind == 0);
}

/* Gram matrix of all functions of all patches under the areas, whole. */
static void fill_gram(const Build *build, int all, double *row, int *used, double *g) {
    for (int v = 0; v < build->system->vertex_count; ++v) {
        int count = 0;
        for (int f = 0; f < all; ++f) {
            row[f] = is_present(build, f / KINDS, f % KINDS)
                         ? function_at(build, f / KINDS, f % KINDS, v)
                         : 0.0;
            if (row[f] != 0) {
                used[count++] = f;
            }
        }
        for (int i = 0; i < count; ++i) {
            for (int j = 0; j < count; ++j) {
                g[used[i] * all + used[j]] += build->area[v] * row[used[i]] * row[used[j]];
            }
        }
    }
}

/* Numbers the functions to keep, -1 for the others: a Cholesky factorisation of the Gram matrix that
 * leaves out what has no pivot. `l` takes one row of the factor for each function kept. Constants come
 * first, so that they stay. */
static int choose_functions(const Build *build, int all, const double *g, double *l, int *number) {
    int kept = 0;
    for (int turn = 0; turn < 2 * KINDS;
         ++turn) { /* patches by kind, then the whole cloth by kind */
        int kind = turn % KINDS, whole = turn / KINDS;
        int begin = whole ? all - KINDS + kind : kind, end = whole ? all : all - KINDS;
        for (int f = begin; f < end; f += KINDS) {
            double own = g[f * all + f], left = own;
            for (int c = 0; c < kept; ++c) {
                left -= l[c * all + f] * l[c * all + f];
            }
            number[f] = -1;
            if (!is_present(build, f / KINDS, kind) ||
                !(left > (whole ? INDEPENDENT_WHOLE : INDEPENDENT) * own)) {
                continue;
            }
            for (int other = 0; other < all; ++other) {
                double value = g[f * all + other];
                for (int c = 0; c < kept; ++c) {
                    value -= l[c * all + f] * l[c * all + other];
                }
                l[kept * all + other] = value / sqrt(left);
            }
            number[f] = kept++;
        }
    }
    return kept;
}

/* Writes the sparse rows; with the arrays still null it only counts. */
static int list_functions(const Build *build, int all, const int *number, Basis *basis) {
    int total = 0;
    for (int v = 0; v < build->system->vertex_count; ++v) {
        for (int f = 0; f < all; ++f) {
            double value = number[f] >= 0 ? function_at(build, f / KINDS, f % KINDS, v) : 0.0;
            if (value == 0) {
                continue;
            }
            if (basis->index) {
                basis->index[total] = number[f];
                basis->value[total] = value;
            }
            ++total;
        }
        if (basis->index) {
            basis->start[v + 1] = total;
        }
    }
    return total;
}

/* Rows sorted by function number, so that pairs need to be visited one way only. */
static void sort_rows(const Build *build, Basis *basis) {
    for (int v = 0; v < build->system->vertex_count; ++v) {
        for (int p = basis->start[v] + 1; p < basis->start[v + 1]; ++p) {
            int index = basis->index[p], q = p;
            double value = basis->value[p];
            for (; q > basis->start[v] && basis->index[q - 1] > index; --q) {
                basis->index[q] = basis->index[q - 1];
                basis->value[q] = basis->value[q - 1];
            }
            basis->index[q] = index;
            basis->value[q] = value;
        }
    }
}

static StatusCode make_functions(const Build *build, Basis *basis, Store *store, Status *status) {
    int all = KINDS * build->piece_count;
    double *g = SCRATCH_ARRAY(double, all *all), *l = SCRATCH_ARRAY(double, all *all);
    double *row = SCRATCH_ARRAY(double, all);
    int *number = SCRATCH_ARRAY(int, all), *used = SCRATCH_ARRAY(int, all);
    int complete = g && l && row && number && used;
    if (complete) {
        fill_gram(build, all, row, used, g);
        basis->function_count = choose_functions(build, all, g, l, number);
        int total = list_functions(build, all, number, basis);
        basis->start = STORE_ARRAY(store, int, build->system->vertex_count + 1);
        basis->index = STORE_ARRAY(store, int, total);
        basis->value = STORE_ARRAY(store, double, total);
        if (!store->failed) {
            list_functions(build, all, number, basis);
            sort_rows(build, basis);
        }
    }
    free(g);
    free(l);
    free(row);
    free(number);
    free(used);
    return complete && !store->failed ? STATUS_OK : status_no_memory(status, "the coarse level");
}

StatusCode basis_build(Basis *basis, const System *system, const Factor *like, int patch_count,
                       Store *store, Status *status) {
    Build build = {.system = system, .smoother = system->stiffness};
    *basis = (Basis){0};
    StatusCode code = patches_build(system->mesh, patch_count, CENTRING, &build.patches, status);
    if (code != STATUS_OK) {
        return code;
    }
    size_t count = (size_t)system->vertex_count;
    build.smoother.value = SCRATCH_ARRAY(double, system->stiffness.start[system->stiffness.size]);
    build.area = SCRATCH_ARRAY(double, count);
    build.piece_count = build.patches.count + 1;
    build.weight = SCRATCH_ARRAY(double, count *(size_t)build.piece_count);
    build.frames = SCRATCH_ARRAY(Frame, build.piece_count);
    if (!build.smoother.value || !build.area || !build.weight || !build.frames) {
        code = status_no_memory(status, "the coarse level");
    } else {
        basis->radius = mean_radius(&build);
        code = smooth_patches(&build, basis->radius, like, status);
    }
    if (code == STATUS_OK) {
        trim_weights(&build);
        for (int k = 0; k < build.piece_count; ++k) {
            set_frame(&build, k);
        }
        basis->curved = build.frames[build.piece_count - 1].thick;
        code = make_functions(&build, basis, store, status);
    }
    free(build.smoother.value);
    free(build.area);
    free(build.weight);
    free(build.frames);
    patches_free(&build.patches);
    return code;
}
