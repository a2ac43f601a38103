/* The triangle law: its elements, the linear and the conventional energy, and their second derivatives. */
#include "laws/triangle.h"

#include <math.h>
#include <string.h>

#include "laws/moment.h"

void triangle_axis_weights(const Triangle *triangle, double *warp, double *weft) {
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

double triangle_resize(Law *law, int t, const Triangle *source, const Scales *scales) {
    double size = scale_mean(scales->size, law_vertices(law, t), 3);
    double *warp = law->weights[0] + 3 * t, *weft = law->weights[1] + 3 * t;
    triangle_axis_weights(source, warp, weft);
    for (int c = 0; c < 3; ++c) {
        warp[c] /= size;
        weft[c] /= size;
    }
    return source->area * size * size;
}

static TriangleLaw *take_law(int count, Store *store) {
    TriangleLaw *triangles = STORE_ARRAY(store, TriangleLaw, 1);
    if (!triangles || !law_take(&triangles->law, &triangle_kind, count, 3, 2, store)) {
        return NULL;
    }
    triangles->source = STORE_ARRAY(store, const Triangle *, count);
    triangles->area = STORE_ARRAY(store, double, count);
    triangles->stiffness = STORE_ARRAY(store, double, AXIS_COUNT *count);
    triangles->own = STORE_ARRAY(store, double, 2 * count);
    triangles->give = STORE_ARRAY(store, double, AXIS_COUNT *count);
    triangles->rest_axes = STORE_ARRAY(store, Vec3, 2 * count);
    return store->failed ? NULL : triangles;
}

static void add_triangle(TriangleLaw *triangles, const Mesh *mesh, const Triangle *triangle) {
    Law *law = &triangles->law;
    int at = law->count++;
    memcpy(law->vertices + 3 * at, triangle->vertices, sizeof triangle->vertices);
    triangles->source[at] = triangle;
    triangles->area[at] = triangle->area;
    triangle_axis_weights(triangle, law->weights[0] + 3 * at, law->weights[1] + 3 * at);
    triangles->rest_axes[2 * at] = law_measure(law, 0, at, mesh->rest);
    triangles->rest_axes[2 * at + 1] = law_measure(law, 1, at, mesh->rest);
}

StatusCode triangle_law_build(const Mesh *mesh, bool wanted, const Response *response,
                              ShearAxes shear_axes, ShearEnergy shear_energy, Store *store,
                              Law **law, Status *status) {
    int count = 0;
    for (int t = 0; wanted && t < mesh->triangle_count; ++t) {
        count += mesh->triangles[t].area > 0;
    }
    TriangleLaw *triangles = take_law(count, store);
    if (!triangles) {
        return status_no_memory(status, triangle_kind.name);
    }
    triangles->response = response;
    triangles->shear_axes = shear_axes;
    triangles->shear_energy = shear_energy;
    triangles->law.rows_only = shear_axes == SHEAR_AXES_DERIVED;
    triangles->law.has_convention = shear_energy != SHEAR_ENERGY_DIAGONAL;
    for (int t = 0; wanted && t < mesh->triangle_count; ++t) {
        if (mesh->triangles[t].area > 0) {
            add_triangle(triangles, mesh, &mesh->triangles[t]);
        }
    }
    *law = &triangles->law;
    return STATUS_OK;
}

/* --- limp cloth --------------------------------------------------------------------------------- */

/* The stiffness of slightly compressed axes, in parts of a cell's B / l^2: pi^2 of it is what a strip as long as a cell buckles
 * at. And the least, in parts of the stretch stiffness: with less the coarsest meshes fold more than fine ones do. Found by
 * tools/bench folds (cusick_silk) and truth (cusick). */
#define LIMP 8000.0
#define LEAST_GIVE 0.03
/* In parts of what a strip as long as a cell weighs: no fabric is stiffer. What is takes more iterations than it gets, and gains
 * energy by cells that give way. */
#define STIFFEST 2e6
/* Cells of more bending lengths than this do not give way: folds of the cloth's own size are smaller than they are. From the
 * first to the second they do so less and less. */
#define COARSE_FROM 1.5
#define COARSE_TO 2.0
/* Gravity for bending lengths in a scene without, m/s^2. */
#define EARTH 9.81
/* One over the mean square of the sides of a right triangle with legs of length 1. */
#define SIDES_TO_LEGS 0.75

/* m^2, of a cell of the mesh: from the sides of its triangle. */
static double cell_square(const TriangleLaw *triangles, int t, double size) {
    const double(*m)[2] = triangles->source[t]->material;
    double sum = 0;
    for (int c = 0; c < 3; ++c) {
        const double *a = m[c], *b = m[(c + 1) % 3];
        sum += (a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]);
    }
    return SIDES_TO_LEGS * sum / 3.0 * size * size;
}

/* From 0 where folds show in such cells of a cloth of this weight, N/m^2, to 1 where they do not. */
static double coarseness(double bend, double weight, double square) {
    double length = cbrt(bend / weight);
    if (!(length > 0)) {
        return 1.0;
    }
    double part = (sqrt(square) / length - COARSE_FROM) / (COARSE_TO - COARSE_FROM);
    return fmin(fmax(part, 0.0), 1.0);
}

/* N m, of cloth that is hardly bent. */
static double bending_of(const Material *material) {
    return moment_measured(material) ? material->bend_samples[0] : material->bend;
}

static void set_give(TriangleLaw *triangles, int t, const Material *material,
                     const Scales *scales) {
    const int *vertices = law_vertices(&triangles->law, t);
    const double *k = triangles->stiffness + AXIS_COUNT * t;
    double bend = bending_of(material) * scale_mean(scales->bend, vertices, 3);
    double square = cell_square(triangles, t, scale_mean(scales->size, vertices, 3));
    double whole = scales->whole ? scales->whole[triangles->law.part] : 1.0;
    double weight = material->density * (scales->gravity > 0 ? scales->gravity : EARTH); /* N/m^2 */
    double stiffest = STIFFEST * weight * sqrt(square);
    bool fabric = fmax(k[AXIS_WARP], k[AXIS_WEFT]) <= stiffest * whole * triangles->area[t];
    double coarse = fabric ? coarseness(bend / whole, weight, square) : 1.0;
    double limp = fmax(triangles->area[t] * LIMP * bend / square,
                       LEAST_GIVE * fmax(k[AXIS_WARP], k[AXIS_WEFT]));
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        bool gives = k[axis] > limp && coarse < 1.0;
        double slope = gives ? limp / k[axis] : 1.0;
        triangles->give[AXIS_COUNT * t + axis] = gives ? slope + (1.0 - slope) * coarse : 1.0;
    }
}

/* Both diagonals of stiffness 2 G make the shear modulus G: sheared by g they are 1 +- g/2 long. Stretched along warp by
 * e both are 1 + e/2 long, which is G of warp's own stiffness. */
static void set_material(Law *law, const Material *material, const Scales *scales) {
    TriangleLaw *triangles = (TriangleLaw *)law;
    for (int t = 0; t < law->count; ++t) {
        triangles->area[t] = triangle_resize(law, t, triangles->source[t], scales);
        double scale = triangles->area[t] * scale_mean(scales->stretch, law_vertices(law, t), 3);
        double *stiffness = triangles->stiffness + AXIS_COUNT * t;
        stiffness[AXIS_WARP] = scale * fmax(material->stretch_warp - material->shear, 0.0);
        stiffness[AXIS_WEFT] = scale * fmax(material->stretch_weft - material->shear, 0.0);
        stiffness[AXIS_SUM] = stiffness[AXIS_DIFFERENCE] = 2.0 * scale * material->shear;
        triangles->own[2 * t] = scale * material->stretch_warp;
        triangles->own[2 * t + 1] = scale * material->stretch_weft;
        set_give(triangles, t, material, scales);
    }
}

/* K_cd = A (k_u a_c a_d + k_v p_c p_d) + A/2 (k_+ (a+p)_c (a+p)_d + k_- (a-p)_c (a-p)_d)   [Choi 4.15] */
static void stiffness(const Law *law, int t, int c, double *value) {
    const TriangleLaw *triangles = triangle_law(law);
    const double *k = triangles->stiffness + AXIS_COUNT * t;
    const double *a = law_weights(law, 0, t), *p = law_weights(law, 1, t);
    for (int d = 0; d < 3; ++d) {
        value[d] =
            triangles->response->bound * (k[AXIS_WARP] * a[c] * a[d] + k[AXIS_WEFT] * p[c] * p[d] +
                                          0.5 * k[AXIS_SUM] * (a[c] + p[c]) * (a[d] + p[d]) +
                                          0.5 * k[AXIS_DIFFERENCE] * (a[c] - p[c]) * (a[d] - p[d]));
    }
}

/* --- linear law ------------------------------------------------------------------------------- */

static inline void set_diagonals(Vec3 *axes) {
    axes[AXIS_SUM] = vec3_scale(HALF_SQRT2, vec3_add(axes[AXIS_WARP], axes[AXIS_WEFT]));
    axes[AXIS_DIFFERENCE] = vec3_scale(HALF_SQRT2, vec3_sub(axes[AXIS_WARP], axes[AXIS_WEFT]));
}

/* The four axes at positions x. */
static inline void axes_at(const Law *law, int t, const Vec3 *x, Vec3 *axes) {
    axes[AXIS_WARP] = law_measure(law, 0, t, x);
    axes[AXIS_WEFT] = law_measure(law, 1, t, x);
    set_diagonals(axes);
}

/* Guessed axes by inertial rotation: each turned on its own, its present length kept. */
static void turn_axes(const Law *law, int t, const Guess *guess, Vec3 *axes) {
    Vec3 past[GUESS_HISTORY][AXIS_COUNT], seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        axes_at(law, t, guess->history[m], past[m]);
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
static Vec3 fallback_axis(const Law *law, int t, int axis, const Vec3 *present) {
    const Vec3 *rest = triangle_law(law)->rest_axes + 2 * t;
    Vec3 axes[AXIS_COUNT], at_rest[AXIS_COUNT] = {rest[0], rest[1]};
    axes_at(law, t, present, axes);
    set_diagonals(at_rest);
    return vec3_unit_or(axes[axis], vec3_unit_or(at_rest[axis], vec3(0, 0, 0)));
}

/* The target of an axis that is guessed to be `guessed` and to point along `direction`. */
static Vec3 target_axis(const Law *law, int t, int axis, Vec3 guessed, Vec3 direction,
                        const Guess *guess) {
    double length = vec3_length(guessed), along = vec3_length(direction);
    ResponseSegment segment = triangle_segment(triangle_law(law), t, axis, length);
    if (segment.slope == 0.0) {
        return guessed;
    }
    double wanted = segment_target(&segment, length, 1.0);
    return along > VEC3_TINY ? vec3_scale(wanted / along, direction)
                             : vec3_scale(wanted, fallback_axis(law, t, axis, guess->present));
}

/* Tensions of warp and weft from the pulls of all axes. */
static void set_tensions(const Vec3 *pull, Vec3 *tension) {
    Vec3 sum = vec3_scale(HALF_SQRT2, pull[AXIS_SUM]);
    Vec3 difference = vec3_scale(HALF_SQRT2, pull[AXIS_DIFFERENCE]);
    tension[0] = vec3_add(pull[AXIS_WARP], vec3_add(sum, difference));
    tension[1] = vec3_add(pull[AXIS_WEFT], vec3_sub(sum, difference));
}

/* The stiffnesses of the conventional law's warp and weft, and the shear modulus of its product energy. */
static double product_stiffness(const TriangleLaw *triangles, int t, double *k) {
    const double *diagonal = triangles->stiffness + AXIS_COUNT * t;
    memcpy(k, diagonal, AXIS_COUNT * sizeof *k);
    if (triangles->shear_energy != SHEAR_ENERGY_PRODUCT) {
        return 0.0;
    }
    k[AXIS_WARP] = triangles->own[2 * t];
    k[AXIS_WEFT] = triangles->own[2 * t + 1];
    k[AXIS_SUM] = k[AXIS_DIFFERENCE] = 0.0;
    return 0.5 * diagonal[AXIS_SUM];
}

static double axis_energy(const TriangleLaw *triangles, int t, int axis, double k, Vec3 s) {
    double length = vec3_length(s);
    ResponseSegment segment = triangle_segment(triangles, t, axis, length);
    return segment_energy(&segment, k, length, 1.0);
}

/* Of the conventional law. */
static double add_energy(const Law *law, int t, const Vec3 *x, double sum) {
    const TriangleLaw *triangles = triangle_law(law);
    Vec3 axes[AXIS_COUNT];
    double k[AXIS_COUNT], modulus = product_stiffness(triangles, t, k);
    int count = triangles->shear_energy == SHEAR_ENERGY_PRODUCT ? AXIS_SUM : AXIS_COUNT;
    axes_at(law, t, x, axes);
    for (int axis = 0; axis < count; ++axis) {
        sum += axis_energy(triangles, t, axis, k[axis], axes[axis]);
    }
    double shear = vec3_dot(axes[AXIS_WARP], axes[AXIS_WEFT]);
    return modulus > 0 ? sum + 0.5 * modulus * shear * shear : sum;
}

/* The energy is that of the distances from the targets. */
static bool is_square(const TriangleLaw *triangles, int t) {
    const double *give = triangles->give + AXIS_COUNT * t;
    bool linear = true;
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        linear = linear && give[axis] == 1.0;
    }
    return triangles->response->square && (linear || triangles->response != &response_linear);
}

static double evaluate(const Law *law, int t, const Guess *guess, Vec3 *tension) {
    const TriangleLaw *triangles = triangle_law(law);
    bool derived = triangles->shear_axes == SHEAR_AXES_DERIVED;
    Vec3 now[AXIS_COUNT], guessed[AXIS_COUNT], target[AXIS_COUNT], pull[AXIS_COUNT];
    double energy = 0;
    axes_at(law, t, guess->z, now);
    if (guess->turning) {
        turn_axes(law, t, guess, guessed);
    } else {
        memcpy(guessed, now, sizeof now);
    }
    for (int axis = 0; axis < (derived ? AXIS_SUM : AXIS_COUNT); ++axis) {
        target[axis] = target_axis(law, t, axis, guessed[axis], guessed[axis], guess);
    }
    if (derived) { /* [Choi 4.13, 4.14] */
        Vec3 sum = vec3_add(target[AXIS_WARP], target[AXIS_WEFT]);
        Vec3 difference = vec3_sub(target[AXIS_WARP], target[AXIS_WEFT]);
        target[AXIS_SUM] = target_axis(law, t, AXIS_SUM, guessed[AXIS_SUM], sum, guess);
        target[AXIS_DIFFERENCE] =
            target_axis(law, t, AXIS_DIFFERENCE, guessed[AXIS_DIFFERENCE], difference, guess);
    }
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        double k = triangles->stiffness[AXIS_COUNT * t + axis];
        Vec3 excess = vec3_sub(target[axis], now[axis]);
        pull[axis] = vec3_scale(k, excess);
        energy += 0.5 * k * vec3_dot(excess, excess);
    }
    set_tensions(pull, tension);
    return is_square(triangles, t) ? energy : add_energy(law, t, guess->z, 0.0);
}

/* --- second derivatives of the diagonal energy ------------------------------------------------- */

static void hessian_product(const Law *law, int t, const Vec3 *x, const Vec3 *d, Vec3 *tension) {
    const TriangleLaw *triangles = triangle_law(law);
    const double *k = triangles->stiffness + AXIS_COUNT * t;
    Vec3 axes[AXIS_COUNT], shifts[AXIS_COUNT];
    axes_at(law, t, x, axes);
    axes_at(law, t, d, shifts);
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        ResponseSegment segment = triangle_segment(triangles, t, axis, vec3_length(axes[axis]));
        Vec3 product = segment_block_times(&segment, axes[axis], 1.0, shifts[axis]);
        shifts[axis] = vec3_scale(-k[axis], product);
    }
    set_tensions(shifts, tension);
}

/* --- conventional law ------------------------------------------------------------------------- */

/* -dE/dS of one axis: k (1/|S| - 1) S. */
static Vec3 axis_pull(const TriangleLaw *triangles, int t, int which, double k, Vec3 axis) {
    double length = vec3_length(axis);
    ResponseSegment segment = triangle_segment(triangles, t, which, length);
    if (length <= VEC3_TINY || segment.slope == 0.0) {
        return vec3(0, 0, 0);
    }
    return vec3_scale(k * (segment_target(&segment, length, 1.0) / length - 1.0), axis);
}

static void conventional(const Law *law, int t, const Vec3 *x, Vec3 *tension) {
    const TriangleLaw *triangles = triangle_law(law);
    double k[AXIS_COUNT], modulus = product_stiffness(triangles, t, k);
    Vec3 axes[AXIS_COUNT], pull[AXIS_COUNT];
    axes_at(law, t, x, axes);
#pragma GCC unroll 4 /* so that no root waits for another */
    for (int axis = 0; axis < AXIS_COUNT; ++axis) {
        pull[axis] = axis_pull(triangles, t, axis, k[axis], axes[axis]);
    }
    if (modulus > 0) {
        double product = -modulus * vec3_dot(axes[AXIS_WARP], axes[AXIS_WEFT]);
        pull[AXIS_WARP] = vec3_madd(pull[AXIS_WARP], product, axes[AXIS_WEFT]);
        pull[AXIS_WEFT] = vec3_madd(pull[AXIS_WEFT], product, axes[AXIS_WARP]);
    }
    set_tensions(pull, tension);
}

/* Product shear: k (S_v; S_u)(S_v; S_u)'. The other part, k (S_u . S_v) times the off-diagonal
 * identity, is indefinite and left out, as Baraff and Witkin do. */
static void add_product_shear(LawHessian *hessian, double k, Vec3 warp, Vec3 weft) {
    block_add_outer(&hessian->uu, k, weft, weft);
    block_add_outer(&hessian->uv, k, weft, warp);
    block_add_outer(&hessian->vv, k, warp, warp);
}

static bool axis_block(const TriangleLaw *triangles, int t, int axis, Vec3 s, Block *block) {
    ResponseSegment segment = triangle_segment(triangles, t, axis, vec3_length(s));
    return segment_block(&segment, s, 1.0, block);
}

static void conventional_hessian(const Law *law, int t, const Vec3 *x, LawHessian *hessian) {
    const TriangleLaw *triangles = triangle_law(law);
    double k[AXIS_COUNT], modulus = product_stiffness(triangles, t, k);
    Vec3 axes[AXIS_COUNT];
    Block block;
    axes_at(law, t, x, axes);
    *hessian = (LawHessian){0};
    if (axis_block(triangles, t, AXIS_WARP, axes[AXIS_WARP], &block)) {
        block_add(&hessian->uu, k[AXIS_WARP], &block);
    }
    if (axis_block(triangles, t, AXIS_WEFT, axes[AXIS_WEFT], &block)) {
        block_add(&hessian->vv, k[AXIS_WEFT], &block);
    }
    if (triangles->shear_energy == SHEAR_ENERGY_PRODUCT) {
        add_product_shear(hessian, modulus, axes[AXIS_WARP], axes[AXIS_WEFT]);
        return;
    }
    for (int axis = AXIS_SUM; axis <= AXIS_DIFFERENCE; ++axis) {
        if (axis_block(triangles, t, axis, axes[axis], &block)) {
            double half = 0.5 * k[axis];
            block_add(&hessian->uu, half, &block);
            block_add(&hessian->vv, half, &block);
            block_add(&hessian->uv, axis == AXIS_SUM ? half : -half, &block);
        }
    }
}

/* --- parcels and samples ----------------------------------------------------------------------- */

/* The wide kernel knows two curves. */
static LawPath path(const Law *law, int t) {
    (void)t;
    const Response *response = triangle_law(law)->response;
    return response == &response_linear || response == &response_tension_only ? LAW_WIDE
                                                                              : LAW_ONE_BY_ONE;
}

static void pack(const Law *law, int t, double *number) {
    const double *give = triangle_law(law)->give + AXIS_COUNT * t;
    const double *k = triangle_law(law)->stiffness + AXIS_COUNT * t;
    const double *warp = law_weights(law, 0, t), *weft = law_weights(law, 1, t);
    const double values[TRIANGLE_NUMBERS] = {
        warp[1],         weft[1],         warp[2],        weft[2],
        k[AXIS_WARP],    k[AXIS_WEFT],    k[AXIS_SUM], /* that of the difference is the same */
        give[AXIS_WARP], give[AXIS_WEFT], give[AXIS_SUM],
    };
    memcpy(number, values, sizeof values);
}

static const LawWide wide = {
    .kernel = KERNEL_TRIANGLES, .numbers = TRIANGLE_NUMBERS, .stiffness = 0x70, .pack = pack};

static double size(const Law *law, int t) { return triangle_law(law)->area[t]; }

static void prefetch(const Law *law, int t) {
    law_prefetch(law, t);
    __builtin_prefetch(triangle_law(law)->stiffness + AXIS_COUNT * t);
}

const LawKind triangle_kind = {.name = "triangles",
                               .set_material = set_material,
                               .evaluate = evaluate,
                               .hessian = triangle_hessian,
                               .in_surface = law_all_in_surface,
                               .prefetch = prefetch,
                               .stiffness = stiffness,
                               .conventional = conventional,
                               .add_energy = add_energy,
                               .conventional_hessian = conventional_hessian,
                               .hessian_product = hessian_product,
                               .path = path,
                               .wide = &wide,
                               .sampling = LAW_SAMPLE_LARGEST,
                               .size = size};
