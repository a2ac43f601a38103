#include "model/bending.h"

#include <string.h>

/* Triangles lower than this part of the shared edge are too thin to bend about it. */
#define THINNEST 1e-4
/* Rest gaps below this part of the hinge's height count as flat: float32 input. */
#define FLAT 1e-5
/* Sides whose unit normals add up to less than this are folded shut. */
#define SHUT 1e-12

/* A hinge laid flat: k at the origin, l at (length, 0), i above and j below. */
typedef struct FlatHinge {
    double length;
    double along_i, height_i, along_j, height_j;
} FlatHinge;

static const double *material_of(const Triangle *triangle, int vertex) {
    for (int c = 0; c < 3; ++c) {
        if (triangle->vertices[c] == vertex) {
            return triangle->material[c];
        }
    }
    return triangle->material[0];
}

/* Edge length, and where the opposite corner lies over the edge, in one triangle's material plane. */
static double measure_side(const Triangle *triangle, int opposite, int k, int l, double *along,
                           double *height) {
    const double *p = material_of(triangle, opposite);
    const double *a = material_of(triangle, k), *b = material_of(triangle, l);
    double eu = b[0] - a[0], ev = b[1] - a[1], du = p[0] - a[0], dv = p[1] - a[1];
    double length = plane_length(eu, ev);
    if (length <= VEC3_TINY) {
        *along = *height = 0;
        return 0;
    }
    *along = (du * eu + dv * ev) / length;
    *height = fabs(eu * dv - ev * du) / length;
    return length;
}

/* Returns 0 where the hinge is too thin. Sides of different length (a seam of the pattern) meet at
 * their mean. */
static int lay_flat(const Mesh *mesh, const Hinge *hinge, FlatHinge *flat) {
    const Triangle *first = &mesh->triangles[hinge->triangles[0]];
    const Triangle *second = &mesh->triangles[hinge->triangles[1]];
    double l1 = measure_side(first, hinge->i, hinge->k, hinge->l, &flat->along_i, &flat->height_i);
    double l2 = measure_side(second, hinge->j, hinge->k, hinge->l, &flat->along_j, &flat->height_j);
    flat->length = 0.5 * (l1 + l2);
    if (l1 <= VEC3_TINY || l2 <= VEC3_TINY) {
        return 0;
    }
    flat->along_i *= flat->length / l1;
    flat->along_j *= flat->length / l2;
    return fmin(flat->height_i, flat->height_j) > THINNEST * flat->length;
}

/* alpha: where the diagonal i-j crosses the line k-l. Both pairs of weights are signed, so that R
 * vanishes for every flat hinge, convex or not. */
static void set_weights(const FlatHinge *flat, double *alpha) {
    double heights = flat->height_i + flat->height_j;
    alpha[0] = flat->height_j / heights;
    alpha[1] = flat->height_i / heights;
    double crossing = (alpha[0] * flat->along_i + alpha[1] * flat->along_j) / flat->length;
    alpha[2] = crossing - 1.0;
    alpha[3] = -crossing;
}

/* Mean over bending directions d of R^2 for curvature 1. A sheet rolled along d rises by (d.p)^2/2,
 * so R = d'Qd/2 with Q = sum alpha p p', and the mean of (d'Qd)^2 over the circle is
 * (tr(Q)^2 + 2 tr(Q^2)) / 8. */
static double mean_squared_gap(const FlatHinge *flat, const double *alpha) {
    const double p[4][2] = {{flat->along_i, flat->height_i},
                            {flat->along_j, -flat->height_j},
                            {0, 0},
                            {flat->length, 0}};
    double xx = 0, xy = 0, yy = 0;
    for (int a = 0; a < 4; ++a) {
        xx += alpha[a] * p[a][0] * p[a][0];
        xy += alpha[a] * p[a][0] * p[a][1];
        yy += alpha[a] * p[a][1] * p[a][1];
    }
    double trace = xx + yy;
    return (trace * trace + 2.0 * (xx * xx + 2.0 * xy * xy + yy * yy)) / 32.0;
}

/* A hinge stands for a third of each of its triangles. */
static double hinge_area(const Mesh *mesh, const Hinge *hinge) {
    return (mesh->triangles[hinge->triangles[0]].area + mesh->triangles[hinge->triangles[1]].area) /
           3.0;
}

/* Unit bisector of the two sides' normals; zero where the hinge is folded shut, or a side has no area.
 * Each side's area vector times the other's length: one division and three roots for all of it. */
static Vec3 bisector(const int *hinge, const Vec3 *x) {
    Vec3 i = x[hinge[0]], j = x[hinge[1]], k = x[hinge[2]], l = x[hinge[3]];
    j.x = hinge[0] == hinge[1] ? -j.x : j.x; /* across the mirror plane */
    Vec3 first = vec3_cross(vec3_sub(k, i), vec3_sub(l, i));
    Vec3 second = vec3_cross(vec3_sub(l, j), vec3_sub(k, j));
    double one = vec3_length(first), two = vec3_length(second);
    Vec3 sum = vec3_add(vec3_scale(two, first), vec3_scale(one, second));
    double length = vec3_length(sum);
    return length > SHUT * one * two ? vec3_scale(1.0 / length, sum) : vec3(0, 0, 0);
}

static Vec3 gap_vector(const double *alpha, const int *hinge, const Vec3 *x) {
    Vec3 sum = vec3_scale(alpha[0], x[hinge[0]]);
    for (int a = 1; a < 4; ++a) {
        sum = vec3_madd(sum, alpha[a], x[hinge[a]]);
    }
    sum.x = hinge[0] == hinge[1] ? 0.0 : sum.x; /* that of i and that of its image cancel */
    return sum;
}

static void set_rest_gap(BendingModel *model, const Mesh *mesh, int at, const FlatHinge *flat) {
    const int *vertices = model->vertices + 4 * at;
    Vec3 gap = gap_vector(model->weights + 4 * at, vertices, mesh->rest);
    double signed_gap = vec3_dot(gap, bisector(vertices, mesh->rest));
    if (fabs(signed_gap) > FLAT * fmin(flat->height_i, flat->height_j)) {
        model->rest_gap[at] = signed_gap;
        model->curved = 1;
    }
}

static StatusCode allocate(BendingModel *model, int count, Store *store, Status *status) {
    model->vertices = STORE_ARRAY(store, int, 4 * count);
    model->weights = STORE_ARRAY(store, double, 4 * count);
    model->shape = STORE_ARRAY(store, double, count);
    model->stiffness = STORE_ARRAY(store, double, count);
    model->rest_gap = STORE_ARRAY(store, double, count);
    return store->failed ? status_no_memory(status, "hinges") : STATUS_OK;
}

StatusCode bending_model_build(BendingModel *model, const Mesh *mesh, int keep_folds, Store *store,
                               Status *status) {
    if (allocate(model, mesh->hinge_count, store, status) != STATUS_OK) {
        return status->code;
    }
    model->crossing_from = mesh->hinge_count;
    double area = 0, shared = 0; /* m^2: of the sheet, of all hinges */
    for (int t = 0; t < mesh->triangle_count; ++t) {
        area += mesh->triangles[t].area;
    }
    for (int h = 0; h < mesh->hinge_count; ++h) {
        const Hinge *hinge = &mesh->hinges[h];
        FlatHinge flat;
        if (!lay_flat(mesh, hinge, &flat)) {
            ++model->skipped;
            continue;
        }
        int at = model->count++, crosses = h >= mesh->crossing_from;
        model->crossing_from = crosses && at < model->crossing_from ? at : model->crossing_from;
        const int vertices[4] = {hinge->i, hinge->j, hinge->k, hinge->l};
        memcpy(model->vertices + 4 * at, vertices, sizeof vertices);
        double *alpha = model->weights + 4 * at;
        set_weights(&flat, alpha);
        double own = (crosses ? 0.5 : 1.0) * hinge_area(mesh, hinge);
        model->shape[at] = own / mean_squared_gap(&flat, alpha);
        shared += own;
        if (keep_folds) {
            set_rest_gap(model, mesh, at, &flat);
        }
    }
    model->crossing_from =
        model->crossing_from < model->count ? model->crossing_from : model->count;
    /* triangles at the rim have fewer than three hinges: those they have stand for all of them */
    for (int h = 0; h < model->count; ++h) {
        model->shape[h] *= area / shared;
    }
    return STATUS_OK;
}

void bending_model_set_material(BendingModel *model, const Material *material,
                                const Scales *scales) {
    for (int h = 0; h < model->count; ++h) {
        double scale = scale_mean(scales->bend, model->vertices + 4 * h, 4);
        model->stiffness[h] = material->bend * scale * model->shape[h];
    }
}

void bending_model_across(const BendingModel *model, double *across) {
    for (int h = model->crossing_from; h < model->count; ++h) {
        const double *alpha = model->weights + 4 * h;
        double both = alpha[0] + alpha[1];
        across[model->vertices[4 * h]] += model->stiffness[h] * both * both;
    }
}

typedef struct BendingWork {
    const BendingModel *model;
    const Guess *guess;
    const Vec3 *x;
} BendingWork;

/* R*: the rest gap along the guessed bisector. */
static Vec3 guessed_bisector(const int *vertices, const Guess *guess) {
    if (!guess->turning) {
        return bisector(vertices, guess->z);
    }
    Vec3 seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        seen[m] = bisector(vertices, guess->history[m]);
    }
    return vec3_unit_or(guess_turned(guess, seen), seen[0]);
}

double bending_model_tension(const BendingModel *model, int h, const Guess *guess, Vec3 *tension) {
    const int *vertices = model->vertices + 4 * h;
    Vec3 pull = vec3_scale(-1.0, gap_vector(model->weights + 4 * h, vertices, guess->z));
    if (model->rest_gap[h] != 0) {
        pull = vec3_madd(pull, model->rest_gap[h], guessed_bisector(vertices, guess));
    }
    *tension = vec3_scale(model->stiffness[h], pull);
    return 0.5 * model->stiffness[h] * vec3_dot(pull, pull);
}

static double bending_tensions(void *context, int begin, int end) {
    const BendingWork *work = context;
    double energy = 0;
    for (int h = begin; h < end; ++h) {
        energy += bending_model_tension(work->model, h, work->guess, &work->model->tension[h]);
    }
    return energy;
}

double bending_model_local_step(BendingModel *model, Pool *pool, const Guess *guess) {
    BendingWork work = {.model = model, .guess = guess};
    return pool_sum(pool, model->count, bending_tensions, &work);
}

static double bending_energies(void *context, int begin, int end) {
    const BendingWork *work = context;
    const BendingModel *model = work->model;
    double sum = 0;
    for (int h = begin; h < end; ++h) {
        const int *vertices = model->vertices + 4 * h;
        Vec3 gap = gap_vector(model->weights + 4 * h, vertices, work->x);
        if (model->rest_gap[h] != 0) {
            gap = vec3_madd(gap, -model->rest_gap[h], bisector(vertices, work->x));
        }
        sum += 0.5 * model->stiffness[h] * vec3_dot(gap, gap);
    }
    return sum;
}

typedef struct StiffenWork {
    const BendingModel *model;
    const Vec3 *d;
} StiffenWork;

static void stiffen_hinges(void *context, int begin, int end) {
    const StiffenWork *work = context;
    const BendingModel *model = work->model;
    for (int h = begin; h < end; ++h) {
        Vec3 gap = gap_vector(model->weights + 4 * h, model->vertices + 4 * h, work->d);
        model->tension[h] = vec3_scale(-model->stiffness[h], gap);
    }
}

void bending_model_stiffen(BendingModel *model, Pool *pool, const Vec3 *d) {
    StiffenWork work = {model, d};
    pool_run(pool, model->count, stiffen_hinges, &work);
}

double bending_model_energy(const BendingModel *model, Pool *pool, const Vec3 *x) {
    BendingWork work = {.model = model, .x = x};
    return pool_sum(pool, model->count, bending_energies, &work);
}
