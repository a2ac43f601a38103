#include "model/triangle.h"

#include <string.h>

#define HALF_SQRT2 0.70710678118654752440

/* Weights of S_u and S_v: the columns of the inverse of the material edge matrix [Choi 4.1]. */
static void set_weights(const Triangle *triangle, double *warp, double *weft) {
    const double(*m)[2] = triangle->material;
    double u1 = m[1][0] - m[0][0], v1 = m[1][1] - m[0][1];
    double u2 = m[2][0] - m[0][0], v2 = m[2][1] - m[0][1];
    double determinant = u1 * v2 - u2 * v1;
    warp[1] = v2 / determinant;
    warp[2] = -v1 / determinant;
    warp[0] = -warp[1] - warp[2];
    weft[1] = -u2 / determinant;
    weft[2] = u1 / determinant;
    weft[0] = -weft[1] - weft[2];
}

static Vec3 combine(const double *weights, const int *vertices, const Vec3 *x) {
    Vec3 sum = vec3_scale(weights[0], x[vertices[0]]);
    sum = vec3_madd(sum, weights[1], x[vertices[1]]);
    return vec3_madd(sum, weights[2], x[vertices[2]]);
}

StatusCode triangle_model_build(TriangleModel *model, const Mesh *mesh, int tension_only,
                                ShearAxes shear_axes, ShearEnergy shear_energy, Store *store,
                                Status *status) {
    int count = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        count += mesh->triangles[t].area > 0;
    }
    model->tension_only = tension_only;
    model->shear_axes = shear_axes;
    model->shear_energy = shear_energy;
    model->vertices = STORE_ARRAY(store, int, 3 * count);
    model->warp_weights = STORE_ARRAY(store, double, 3 * count);
    model->weft_weights = STORE_ARRAY(store, double, 3 * count);
    model->area = STORE_ARRAY(store, double, count);
    model->stiffness = STORE_ARRAY(store, double, AXIS_COUNT *count);
    model->rest_axes = STORE_ARRAY(store, Vec3, 2 * count);
    if (store->failed) {
        return status_no_memory(status, "triangles");
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const Triangle *triangle = &mesh->triangles[t];
        if (triangle->area <= 0) {
            continue;
        }
        int at = model->count++;
        for (int c = 0; c < 3; ++c) {
            model->vertices[3 * at + c] = triangle->vertices[c];
        }
        model->area[at] = triangle->area;
        set_weights(triangle, model->warp_weights + 3 * at, model->weft_weights + 3 * at);
        const int *vertices = model->vertices + 3 * at;
        model->rest_axes[2 * at] = combine(model->warp_weights + 3 * at, vertices, mesh->rest);
        model->rest_axes[2 * at + 1] = combine(model->weft_weights + 3 * at, vertices, mesh->rest);
    }
    return STATUS_OK;
}

void triangle_model_set_material(TriangleModel *model, const Material *material,
                                 const Scales *scales) {
    for (int t = 0; t < model->count; ++t) {
        double scale = model->area[t] * scale_mean(scales->stretch, model->vertices + 3 * t, 3);
        double *stiffness = model->stiffness + AXIS_COUNT * t;
        stiffness[AXIS_WARP] = scale * material->stretch_warp;
        stiffness[AXIS_WEFT] = scale * material->stretch_weft;
        stiffness[AXIS_SUM] = stiffness[AXIS_DIFFERENCE] = scale * material->shear;
    }
}

/* --- linear law ------------------------------------------------------------------------------- */

typedef struct TriangleWork {
    const TriangleModel *model;
    const Guess *guess;
    const Vec3 *x, *d;
} TriangleWork;

/* The four axes at positions x. */
static void axes_at(const TriangleModel *model, int t, const Vec3 *x, Vec3 *axes) {
    const int *vertices = model->vertices + 3 * t;
    axes[AXIS_WARP] = combine(model->warp_weights + 3 * t, vertices, x);
    axes[AXIS_WEFT] = combine(model->weft_weights + 3 * t, vertices, x);
    axes[AXIS_SUM] = vec3_scale(HALF_SQRT2, vec3_add(axes[AXIS_WARP], axes[AXIS_WEFT]));
    axes[AXIS_DIFFERENCE] = vec3_scale(HALF_SQRT2, vec3_sub(axes[AXIS_WARP], axes[AXIS_WEFT]));
}

/* Guessed axes by inertial rotation: each turned on its own, its present length kept. */
static void turn_axes(const TriangleModel *model, int t, const Guess *guess, Vec3 *axes) {
    Vec3 past[GUESS_HISTORY][AXIS_COUNT], seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        axes_at(model, t, guess->history[m], past[m]);
    }
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        for (int m = 0; m <= guess->coefficient_count; ++m) {
            seen[m] = past[m][axis];
        }
        Vec3 direction = vec3_unit_or(guess_turned(guess, seen), vec3(0, 0, 0));
        axes[axis] = vec3_scale(vec3_length(seen[0]), direction);
    }
}

/* Unit targets where guessed axes vanish: as they are now, else as at rest. */
static Vec3 fallback_axis(const TriangleModel *model, int t, int axis, const Vec3 *present) {
    Vec3 axes[AXIS_COUNT];
    axes_at(model, t, present, axes);
    const Vec3 *rest = model->rest_axes + 2 * t;
    Vec3 at_rest = axis == AXIS_WARP   ? rest[0]
                   : axis == AXIS_WEFT ? rest[1]
                   : axis == AXIS_SUM  ? vec3_scale(HALF_SQRT2, vec3_add(rest[0], rest[1]))
                                       : vec3_scale(HALF_SQRT2, vec3_sub(rest[0], rest[1]));
    return vec3_unit_or(axes[axis], vec3_unit_or(at_rest, vec3(0, 0, 0)));
}

static Vec3 target_axis(const TriangleModel *model, int t, int axis, Vec3 guessed,
                        const Guess *guess) {
    double length = vec3_length(guessed);
    if (model->tension_only && length < 1.0) {
        return guessed;
    }
    return length > VEC3_TINY ? vec3_scale(1.0 / length, guessed)
                              : fallback_axis(model, t, axis, guess->present);
}

/* The target of a diagonal from those of warp and weft; slack is slack here, too. */
static Vec3 derived_axis(const TriangleModel *model, int t, int axis, Vec3 guessed, Vec3 direction,
                         const Guess *guess) {
    if (model->tension_only && vec3_length(guessed) < 1.0) {
        return guessed;
    }
    double length = vec3_length(direction);
    return length > VEC3_TINY ? vec3_scale(1.0 / length, direction)
                              : fallback_axis(model, t, axis, guess->present);
}

/* Tensions of warp and weft from the pulls of all axes. */
static void set_tensions(const Vec3 *pull, Vec3 *tension) {
    Vec3 sum = vec3_scale(HALF_SQRT2, pull[AXIS_SUM]);
    Vec3 difference = vec3_scale(HALF_SQRT2, pull[AXIS_DIFFERENCE]);
    tension[0] = vec3_add(pull[AXIS_WARP], vec3_add(sum, difference));
    tension[1] = vec3_add(pull[AXIS_WEFT], vec3_sub(sum, difference));
}

double triangle_model_tension(const TriangleModel *model, int t, const Guess *guess,
                              Vec3 *tension) {
    int derived = model->shear_axes == SHEAR_AXES_DERIVED;
    Vec3 now[AXIS_COUNT], guessed[AXIS_COUNT], target[AXIS_COUNT], pull[AXIS_COUNT];
    double energy = 0;
    axes_at(model, t, guess->z, now);
    if (guess->turning) {
        turn_axes(model, t, guess, guessed);
    } else {
        memcpy(guessed, now, sizeof now);
    }
    for (int axis = 0; axis < (derived ? AXIS_SUM : AXIS_COUNT); ++axis) {
        target[axis] = target_axis(model, t, axis, guessed[axis], guess);
    }
    if (derived) { /* [Choi 4.13, 4.14] */
        Vec3 sum = vec3_add(target[AXIS_WARP], target[AXIS_WEFT]);
        Vec3 difference = vec3_sub(target[AXIS_WARP], target[AXIS_WEFT]);
        target[AXIS_SUM] = derived_axis(model, t, AXIS_SUM, guessed[AXIS_SUM], sum, guess);
        target[AXIS_DIFFERENCE] =
            derived_axis(model, t, AXIS_DIFFERENCE, guessed[AXIS_DIFFERENCE], difference, guess);
    }
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        double k = model->stiffness[AXIS_COUNT * t + axis];
        Vec3 excess = vec3_sub(target[axis], now[axis]);
        pull[axis] = vec3_scale(k, excess);
        energy += 0.5 * k * vec3_dot(excess, excess);
    }
    set_tensions(pull, tension);
    return energy;
}

static double triangle_tensions(void *context, int begin, int end) {
    const TriangleWork *work = context;
    const TriangleModel *model = work->model;
    double energy = 0;
    for (int t = begin; t < end; ++t) {
        energy += triangle_model_tension(model, t, work->guess, model->tension + 2 * t);
    }
    return energy;
}

double triangle_model_local_step(TriangleModel *model, Pool *pool, const Guess *guess) {
    TriangleWork work = {.model = model, .guess = guess};
    return pool_sum(pool, model->count, triangle_tensions, &work);
}

/* --- second derivatives ----------------------------------------------------------------------- */

static void stiffen_triangles(void *context, int begin, int end) {
    const TriangleWork *work = context;
    const TriangleModel *model = work->model;
    for (int t = begin; t < end; ++t) {
        Vec3 axes[AXIS_COUNT], shifts[AXIS_COUNT];
        axes_at(model, t, work->x, axes);
        axes_at(model, t, work->d, shifts);
        const double *k = model->stiffness + AXIS_COUNT * t;
        for (int axis = 0; axis < AXIS_COUNT; ++axis) {
            Vec3 product =
                block_of_spring_times(axes[axis], 1.0, model->tension_only, shifts[axis]);
            shifts[axis] = vec3_scale(-k[axis], product);
        }
        set_tensions(shifts, model->tension + 2 * t);
    }
}

void triangle_model_add_corner(const TriangleModel *model, int t, int c, const Vec3 *x,
                               double scale, Block *block) {
    double warp = model->warp_weights[3 * t + c], weft = model->weft_weights[3 * t + c];
    const double weights[AXIS_COUNT] = {[AXIS_WARP] = warp,
                                        [AXIS_WEFT] = weft,
                                        [AXIS_SUM] = HALF_SQRT2 * (warp + weft),
                                        [AXIS_DIFFERENCE] = HALF_SQRT2 * (warp - weft)};
    Vec3 axes[AXIS_COUNT];
    axes_at(model, t, x, axes);
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        Block own;
        if (block_of_spring(axes[axis], 1.0, model->tension_only, &own)) {
            double k = model->stiffness[AXIS_COUNT * t + axis];
            block_add(block, scale * k * weights[axis] * weights[axis], &own);
        }
    }
}

void triangle_model_stiffen(TriangleModel *model, Pool *pool, const Vec3 *x, const Vec3 *d) {
    TriangleWork work = {.model = model, .x = x, .d = d};
    pool_run(pool, model->count, stiffen_triangles, &work);
}

/* --- conventional law ------------------------------------------------------------------------- */

static double axis_energy(const TriangleModel *model, double k, Vec3 axis) {
    double excess = vec3_length(axis) - 1.0;
    return excess > 0 || !model->tension_only ? 0.5 * k * excess * excess : 0.0;
}

static double triangle_energies(void *context, int begin, int end) {
    const TriangleWork *work = context;
    const TriangleModel *model = work->model;
    double sum = 0;
    for (int t = begin; t < end; ++t) {
        Vec3 axes[AXIS_COUNT];
        axes_at(model, t, work->x, axes);
        const double *k = model->stiffness + AXIS_COUNT * t;
        sum += axis_energy(model, k[AXIS_WARP], axes[AXIS_WARP]);
        sum += axis_energy(model, k[AXIS_WEFT], axes[AXIS_WEFT]);
        if (model->shear_energy == SHEAR_ENERGY_PRODUCT) {
            double product = vec3_dot(axes[AXIS_WARP], axes[AXIS_WEFT]);
            sum += 0.5 * k[AXIS_SUM] * product * product;
        } else {
            sum += axis_energy(model, k[AXIS_SUM], axes[AXIS_SUM]);
            sum += axis_energy(model, k[AXIS_DIFFERENCE], axes[AXIS_DIFFERENCE]);
        }
    }
    return sum;
}

double triangle_model_energy(const TriangleModel *model, Pool *pool, const Vec3 *x) {
    TriangleWork work = {.model = model, .x = x};
    return pool_sum(pool, model->count, triangle_energies, &work);
}

/* -dE/dS of one axis: k (1/|S| - 1) S. */
static Vec3 axis_pull(const TriangleModel *model, double k, Vec3 axis) {
    double length = vec3_length(axis);
    if (length <= VEC3_TINY || (model->tension_only && length < 1.0)) {
        return vec3(0, 0, 0);
    }
    return vec3_scale(k * (1.0 / length - 1.0), axis);
}

static void conventional_tensions(void *context, int begin, int end) {
    const TriangleWork *work = context;
    const TriangleModel *model = work->model;
    for (int t = begin; t < end; ++t) {
        Vec3 axes[AXIS_COUNT], pull[AXIS_COUNT];
        axes_at(model, t, work->x, axes);
        const double *k = model->stiffness + AXIS_COUNT * t;
        for (int axis = 0; axis < AXIS_COUNT; ++axis) {
            pull[axis] = axis_pull(model, k[axis], axes[axis]);
        }
        if (model->shear_energy == SHEAR_ENERGY_PRODUCT) {
            double product = -k[AXIS_SUM] * vec3_dot(axes[AXIS_WARP], axes[AXIS_WEFT]);
            pull[AXIS_SUM] = pull[AXIS_DIFFERENCE] = vec3(0, 0, 0);
            pull[AXIS_WARP] = vec3_madd(pull[AXIS_WARP], product, axes[AXIS_WEFT]);
            pull[AXIS_WEFT] = vec3_madd(pull[AXIS_WEFT], product, axes[AXIS_WARP]);
        }
        set_tensions(pull, model->tension + 2 * t);
    }
}

void triangle_model_force(TriangleModel *model, Pool *pool, const Vec3 *x) {
    TriangleWork work = {.model = model, .x = x};
    pool_run(pool, model->count, conventional_tensions, &work);
}

StatusCode triangle_model_find_slots(TriangleModel *model, const BlockMatrix *blocks, Store *store,
                                     Status *status) {
    model->slots = STORE_ARRAY(store, int, 9 * model->count);
    if (store->failed) {
        return status_no_memory(status, "triangles");
    }
    for (int t = 0; t < model->count; ++t) {
        for (int c = 0; c < 9; ++c) {
            int row = model->vertices[3 * t + c / 3], column = model->vertices[3 * t + c % 3];
            model->slots[9 * t + c] = matrix_slot(blocks->pattern, row, column);
        }
    }
    return STATUS_OK;
}

/* Second derivatives by (S_u, S_v): the blocks uu, uv and vv. */
typedef struct AxisHessian {
    Block uu, uv, vv;
} AxisHessian;

/* Product shear: k (S_v; S_u)(S_v; S_u)'. The other part, k (S_u . S_v) times the off-diagonal
 * identity, is indefinite and left out, as Baraff and Witkin do. */
static void add_product_shear(AxisHessian *hessian, double k, Vec3 warp, Vec3 weft) {
    block_add_outer(&hessian->uu, k, weft, weft);
    block_add_outer(&hessian->uv, k, weft, warp);
    block_add_outer(&hessian->vv, k, warp, warp);
}

static void axis_hessian(const TriangleModel *model, int t, const Vec3 *x, AxisHessian *hessian) {
    Vec3 axes[AXIS_COUNT];
    Block block;
    const double *k = model->stiffness + AXIS_COUNT * t;
    axes_at(model, t, x, axes);
    *hessian = (AxisHessian){0};
    if (block_of_spring(axes[AXIS_WARP], 1.0, model->tension_only, &block)) {
        block_add(&hessian->uu, k[AXIS_WARP], &block);
    }
    if (block_of_spring(axes[AXIS_WEFT], 1.0, model->tension_only, &block)) {
        block_add(&hessian->vv, k[AXIS_WEFT], &block);
    }
    if (model->shear_energy == SHEAR_ENERGY_PRODUCT) {
        add_product_shear(hessian, k[AXIS_SUM], axes[AXIS_WARP], axes[AXIS_WEFT]);
        return;
    }
    for (int axis = AXIS_SUM; axis <= AXIS_DIFFERENCE; ++axis) {
        if (block_of_spring(axes[axis], 1.0, model->tension_only, &block)) {
            double half = 0.5 * k[axis];
            block_add(&hessian->uu, half, &block);
            block_add(&hessian->vv, half, &block);
            block_add(&hessian->uv, axis == AXIS_SUM ? half : -half, &block);
        }
    }
}

/* to += scale (a_c a_d uu + a_c p_d uv + p_c a_d uv' + p_c p_d vv) */
static void add_corner_pair(Block *to, double scale, const AxisHessian *h, double ac, double pc,
                            double ad, double pd) {
    double uu = scale * ac * ad, uv = scale * ac * pd, vu = scale * pc * ad, vv = scale * pc * pd;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            to->m[3 * i + j] += uu * h->uu.m[3 * i + j] + uv * h->uv.m[3 * i + j] +
                                vu * h->uv.m[3 * j + i] + vv * h->vv.m[3 * i + j];
        }
    }
}

void triangle_model_add_hessian(const TriangleModel *model, const Vec3 *x, double scale,
                                BlockMatrix *blocks) {
    for (int t = 0; t < model->count; ++t) {
        AxisHessian hessian;
        axis_hessian(model, t, x, &hessian);
        const double *a = model->warp_weights + 3 * t, *p = model->weft_weights + 3 * t;
        for (int c = 0; c < 9; ++c) {
            add_corner_pair(&blocks->block[model->slots[9 * t + c]], scale, &hessian, a[c / 3],
                            p[c / 3], a[c % 3], p[c % 3]);
        }
    }
}
