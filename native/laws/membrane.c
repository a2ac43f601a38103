/* The membrane law: its elements, energy, stresses and second derivatives. */
#include "laws/membrane.h"

#include <math.h>
#include <string.h>

#include "laws/triangle.h"

/* --- building ----------------------------------------------------------------------------------- */

/* The squared length of a side d is d' C d, C the metric: three sides show the three numbers of it. */
static bool set_sides(const Triangle *triangle, MembraneSides *sides) {
    double m[SIDES][3];
    for (int i = 0; i < SIDES; ++i) {
        const double *from = triangle->material[(i + 1) % 3], *to = triangle->material[(i + 2) % 3];
        double u = to[0] - from[0], v = to[1] - from[1];
        sides->along[i][0] = u;
        sides->along[i][1] = v;
        sides->length[i] = plane_length(u, v);
        m[i][0] = u * u;
        m[i][1] = v * v;
        m[i][2] = 2.0 * u * v;
    }
    double determinant = 0;
    for (int r = 0; r < 3; ++r) { /* cofactors */
        int p = (r + 1) % 3, q = (r + 2) % 3;
        for (int i = 0; i < SIDES; ++i) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            sides->strain[r][i] = m[j][p] * m[k][q] - m[j][q] * m[k][p];
        }
    }
    for (int i = 0; i < SIDES; ++i) {
        determinant += m[i][0] * sides->strain[0][i];
    }
    for (int r = 0; r < 3; ++r) {
        for (int i = 0; i < SIDES; ++i) {
            sides->strain[r][i] /= determinant;
        }
    }
    return determinant != 0;
}

static MembraneLaw *take_law(int count, StrainMeasure measure, Store *store) {
    MembraneLaw *membrane = STORE_ARRAY(store, MembraneLaw, 1);
    if (!membrane || !law_take(&membrane->law, &membrane_kind, count, 3, 2, store)) {
        return NULL;
    }
    membrane->measure = measure == STRAIN_AUTO ? STRAIN_GREEN : measure;
    membrane->law.unbounded = count > 0;
    membrane->source = STORE_ARRAY(store, const Triangle *, count);
    membrane->scale = STORE_ARRAY(store, double, count);
    if (membrane->measure != STRAIN_GREEN) {
        membrane->sides = STORE_ARRAY(store, MembraneSides, count);
    }
    return store->failed ? NULL : membrane;
}

static void add_triangle(MembraneLaw *membrane, const Triangle *triangle) {
    Law *law = &membrane->law;
    int at = law->count;
    if (membrane->sides && !set_sides(triangle, &membrane->sides[at])) {
        ++law->skipped;
        return;
    }
    for (int c = 0; c < 3; ++c) {
        law->vertices[3 * at + c] = triangle->vertices[c];
    }
    membrane->source[at] = triangle;
    triangle_axis_weights(triangle, law->weights[0] + 3 * at, law->weights[1] + 3 * at);
    ++law->count;
}

StatusCode membrane_law_build(const Mesh *mesh, bool wanted, StrainMeasure measure, Store *store,
                              Law **law, Status *status) {
    int count = 0;
    for (int t = 0; wanted && t < mesh->triangle_count; ++t) {
        count += mesh->triangles[t].area > 0;
    }
    MembraneLaw *membrane = take_law(count, measure, store);
    if (!membrane) {
        return status_no_memory(status, membrane_kind.name);
    }
    for (int t = 0; wanted && t < mesh->triangle_count; ++t) {
        if (mesh->triangles[t].area > 0) {
            add_triangle(membrane, &mesh->triangles[t]);
        }
    }
    membrane->law.crossing_from = membrane->law.count;
    *law = &membrane->law;
    return STATUS_OK;
}

/* --- the constant matrix ------------------------------------------------------------------------ */

/* Strain up to which the constant matrix is to be as stiff as the fabric: what cloth under its own weight and on a body
 * has nearly everywhere. */
#define WORKING_STRAIN 0.05

static double working_slope(const StretchCurve *curve) {
    double most = 0;
    for (int i = 0; i <= STRETCH_SEGMENTS && i * curve->step <= WORKING_STRAIN + curve->step; ++i) {
        most = fmax(most, stretch_slope(curve, i));
    }
    return most;
}

/* N/m on |dS_u|^2 and |dS_v|^2. Of the strains' share, c e_uu e_vv goes to both, in proportion; shear resists with
 * D''/4 (S_v.dS_u + S_u.dS_v)^2, which needs D''/4 (1/k_u + 1/k_v) to be below 1. What the sheet gets stiffer by being
 * long, |S|^2 and the stress itself, is a factor of up to 1 + 3 times the strain. */
static void find_bounds(const StretchCurves *curves, double *bound) {
    double warp = working_slope(&curves->curve[STRETCH_WARP]);
    double weft = working_slope(&curves->curve[STRETCH_WEFT]);
    double shear = 0.25 * working_slope(&curves->curve[STRETCH_SHEAR]);
    double shared = warp > 0 && weft > 0 ? curves->coupling / sqrt(warp * weft) : 0.0;
    double longer = 1.0 + 3.0 * WORKING_STRAIN;
    double u = warp * (1.0 + shared), v = weft * (1.0 + shared);
    u = fmax(u, 0.01 * shear); /* no division by nothing where a fabric has no stretch in one way */
    v = fmax(v, 0.01 * shear);
    double whole = u > 0 && v > 0 ? fmax(shear * (1.0 / u + 1.0 / v), 1.0) : 1.0;
    bound[0] = longer * whole * u;
    bound[1] = longer * whole * v;
}

static void set_material(Law *law, const Material *material, const Scales *scales) {
    MembraneLaw *membrane = (MembraneLaw *)law;
    double bound[2];
    stretch_curves_of(material, &membrane->curves);
    find_bounds(&membrane->curves, bound);
    for (int t = 0; t < law->count; ++t) {
        double area = triangle_resize(law, t, membrane->source[t], scales);
        double scale = area * scale_mean(scales->stretch, law_vertices(law, t), 3);
        membrane->scale[t] = scale;
        law->bound[2 * t] = scale * bound[0];
        law->bound[2 * t + 1] = scale * bound[1];
    }
}

/* --- energy and stress -------------------------------------------------------------------------- */

/* Of one triangle, per area. */
typedef struct Sheet {
    double energy;
    double stress[3]; /* dW/de_uu, dW/de_vv, dW/de_uv, N/m */
    double slope[3];  /* of A', B', D' */
} Sheet;

static Sheet sheet_at(const StretchCurves *curves, const double *e) {
    Stretch warp = stretch_at(&curves->curve[STRETCH_WARP], e[0]);
    Stretch weft = stretch_at(&curves->curve[STRETCH_WEFT], e[1]);
    Stretch shear = shear_at(&curves->curve[STRETCH_SHEAR], e[2]);
    double c = curves->coupling;
    return (Sheet){.energy = warp.energy + weft.energy + c * e[0] * e[1] + shear.energy,
                   .stress = {warp.stress + c * e[1], weft.stress + c * e[0], shear.stress},
                   .slope = {warp.slope, weft.slope, shear.slope}};
}

static void green_strain(Vec3 u, Vec3 v, double *e) {
    e[0] = 0.5 * (vec3_dot(u, u) - 1.0);
    e[1] = 0.5 * (vec3_dot(v, v) - 1.0);
    e[2] = 0.5 * vec3_dot(u, v);
}

/* The sides as they are, and what their strains make of the sheet's. */
typedef struct SideStrains {
    Vec3 way[SIDES];      /* m */
    double length[SIDES]; /* m */
    Strain strain[SIDES];
    double e[3];
} SideStrains;

static void measure_sides(const MembraneLaw *membrane, int t, Vec3 u, Vec3 v, SideStrains *now) {
    const MembraneSides *sides = &membrane->sides[t];
    for (int r = 0; r < 3; ++r) {
        now->e[r] = 0;
    }
    for (int i = 0; i < SIDES; ++i) {
        now->way[i] = vec3_madd(vec3_scale(sides->along[i][0], u), sides->along[i][1], v);
        now->length[i] = vec3_length(now->way[i]);
        now->strain[i] = strain_by(membrane->measure, now->length[i] / sides->length[i]);
        double worth = sides->length[i] * sides->length[i] * now->strain[i].value;
        for (int r = 0; r < 3; ++r) {
            now->e[r] += sides->strain[r][i] * worth;
        }
    }
}

/* What a change of a side's strain, times its squared length at rest, costs: N/m. */
static double side_stress(const MembraneSides *sides, int i, const double *stress) {
    return sides->strain[0][i] * stress[0] + sides->strain[1][i] * stress[1] +
           sides->strain[2][i] * stress[2];
}

static double evaluate_sides(const MembraneLaw *membrane, int t, Vec3 u, Vec3 v, Vec3 *tension) {
    const MembraneSides *sides = &membrane->sides[t];
    SideStrains now;
    measure_sides(membrane, t, u, v, &now);
    Sheet sheet = sheet_at(&membrane->curves, now.e);
    tension[0] = tension[1] = vec3(0, 0, 0);
    for (int i = 0; i < SIDES; ++i) {
        if (now.length[i] <= VEC3_TINY) {
            continue; /* it shows no direction */
        }
        double pull = side_stress(sides, i, sheet.stress) * sides->length[i] * now.strain[i].slope;
        double by = -membrane->scale[t] * pull / now.length[i];
        tension[0] = vec3_madd(tension[0], by * sides->along[i][0], now.way[i]);
        tension[1] = vec3_madd(tension[1], by * sides->along[i][1], now.way[i]);
    }
    return membrane->scale[t] * sheet.energy;
}

static double evaluate(const Law *law, int t, const Guess *guess, Vec3 *tension) {
    const MembraneLaw *membrane = membrane_law(law);
    Vec3 u = law_measure(law, 0, t, guess->z), v = law_measure(law, 1, t, guess->z);
    if (membrane->sides) {
        return evaluate_sides(membrane, t, u, v, tension);
    }
    double e[3], scale = membrane->scale[t];
    green_strain(u, v, e);
    Sheet sheet = sheet_at(&membrane->curves, e);
    double across = -0.5 * scale * sheet.stress[2];
    tension[0] = vec3_madd(vec3_scale(-scale * sheet.stress[0], u), across, v);
    tension[1] = vec3_madd(vec3_scale(across, u), -scale * sheet.stress[1], v);
    return scale * sheet.energy;
}

/* --- second derivatives ------------------------------------------------------------------------- */

/* The stress as it resists sideways: a symmetric matrix of two rows without its negative part, which is compressed
 * cloth about to buckle. */
static void clamp_stress(const double *stress, double *uu, double *vv, double *uv) {
    double mean = 0.5 * (stress[0] + stress[1]), half = 0.5 * (stress[0] - stress[1]);
    double mixed = 0.5 * stress[2], radius = plane_length(half, mixed);
    double large = fmax(mean + radius, 0.0), small = fmax(mean - radius, 0.0);
    double part = radius > 0 ? 0.5 * (large - small) / radius : 0.0;
    *uu = 0.5 * (large + small) + part * half;
    *vv = 0.5 * (large + small) - part * half;
    *uv = part * mixed;
}

static void add_stress(const double *stress, double scale, LawCurve *curve) {
    double uu, vv, uv;
    clamp_stress(stress, &uu, &vv, &uv);
    block_add_diagonal(&curve->uu, scale * uu);
    block_add_diagonal(&curve->vv, scale * vv);
    block_add_diagonal(&curve->uv, scale * uv);
}

/* `symmetric`: the coupling is taken to be that of a fabric whose diagonals carry the shear. */
static void curve_green(const MembraneLaw *membrane, Vec3 u, Vec3 v, double scale, bool symmetric,
                        LawCurve *curve) {
    double e[3];
    green_strain(u, v, e);
    Sheet sheet = sheet_at(&membrane->curves, e);
    double shear = 0.25 * sheet.slope[2];
    add_stress(sheet.stress, scale, curve);
    block_add_outer(&curve->uu, scale * sheet.slope[0], u, u);
    block_add_outer(&curve->uu, scale * shear, v, v);
    block_add_outer(&curve->vv, scale * sheet.slope[1], v, v);
    block_add_outer(&curve->vv, scale * shear, u, u);
    block_add_outer(&curve->uv, scale * (symmetric ? shear : membrane->curves.coupling), u, v);
    block_add_outer(&curve->uv, scale * shear, v, u);
}

/* to += k d_i d_j a b', by the rows that d_i and d_j are in */
static void add_sides(LawCurve *to, double k, const double *di, const double *dj, Vec3 a, Vec3 b) {
    block_add_outer(&to->uu, k * di[0] * dj[0], a, b);
    block_add_outer(&to->uv, k * di[0] * dj[1], a, b);
    block_add_outer(&to->vv, k * di[1] * dj[1], a, b);
}

/* A side alone: along itself by the bend of its measure, across by its pull; both without their negative parts. */
static void add_side(LawCurve *to, double along, double across, const double *d, Vec3 n) {
    double sideways = fmax(across, 0.0), own = fmax(along, 0.0);
    add_sides(to, own - sideways, d, d, n, n);
    block_add_diagonal(&to->uu, sideways * d[0] * d[0]);
    block_add_diagonal(&to->uv, sideways * d[0] * d[1]);
    block_add_diagonal(&to->vv, sideways * d[1] * d[1]);
}

static void curve_sides(const MembraneLaw *membrane, int t, Vec3 u, Vec3 v, double scale,
                        LawCurve *curve) {
    const MembraneSides *sides = &membrane->sides[t];
    const double(*m)[SIDES] = sides->strain;
    double c = membrane->curves.coupling, by[SIDES];
    SideStrains now;
    Vec3 n[SIDES];
    measure_sides(membrane, t, u, v, &now);
    Sheet sheet = sheet_at(&membrane->curves, now.e);
    for (int i = 0; i < SIDES; ++i) {
        bool shown = now.length[i] > VEC3_TINY;
        n[i] = shown ? vec3_scale(1.0 / now.length[i], now.way[i]) : vec3(0, 0, 0);
        by[i] = sides->length[i] * now.strain[i].slope;
        double stress = side_stress(sides, i, sheet.stress);
        double across = shown ? stress * by[i] / now.length[i] : 0.0;
        add_side(curve, scale * stress * now.strain[i].bend, scale * across, sides->along[i], n[i]);
    }
    for (int i = 0; i < SIDES; ++i) {
        for (int j = 0; j < SIDES; ++j) {
            double k = sheet.slope[0] * m[0][i] * m[0][j] + sheet.slope[1] * m[1][i] * m[1][j] +
                       sheet.slope[2] * m[2][i] * m[2][j] +
                       c * (m[0][i] * m[1][j] + m[1][i] * m[0][j]);
            add_sides(curve, scale * k * by[i] * by[j], sides->along[i], sides->along[j], n[i],
                      n[j]);
        }
    }
}

static bool curve(const Law *law, int t, const Vec3 *x, double scale, LawCurve *curve) {
    const MembraneLaw *membrane = membrane_law(law);
    Vec3 u = law_measure(law, 0, t, x), v = law_measure(law, 1, t, x);
    *curve = (LawCurve){0};
    if (membrane->sides) {
        curve_sides(membrane, t, u, v, scale * membrane->scale[t], curve);
    } else {
        curve_green(membrane, u, v, scale * membrane->scale[t], false, curve);
    }
    return true;
}

/* As good for the coarse level, by Green's measure whatever the law's own is: turning still costs nothing. */
static bool coarse_curve(const Law *law, int t, const Vec3 *x, double scale, LawCurve *curve) {
    const MembraneLaw *membrane = membrane_law(law);
    Vec3 u = law_measure(law, 0, t, x), v = law_measure(law, 1, t, x);
    *curve = (LawCurve){0};
    curve_green(membrane, u, v, scale * membrane->scale[t], true, curve);
    return true;
}

static LawPath path(const Law *law, int t) {
    (void)t;
    return membrane_law(law)->sides ? LAW_ONE_BY_ONE : LAW_WIDE;
}

static void pack(const Law *law, int t, double *number) {
    const double *warp = law_weights(law, 0, t), *weft = law_weights(law, 1, t);
    const double values[MEMBRANE_NUMBERS] = {warp[1], weft[1], warp[2], weft[2],
                                             membrane_law(law)->scale[t]};
    memcpy(number, values, sizeof values);
}

static const LawWide wide = {
    .kernel = KERNEL_MEMBRANES, .numbers = MEMBRANE_NUMBERS, .stiffness = 0x10, .pack = pack};

static double size(const Law *law, int t) { return membrane_law(law)->source[t]->area; }

static void prefetch(const Law *law, int t) {
    __builtin_prefetch(law_vertices(law, t));
    __builtin_prefetch(law_weights(law, 0, t));
    __builtin_prefetch(law_weights(law, 1, t));
}

const LawKind membrane_kind = {.name = "membranes",
                               .set_material = set_material,
                               .evaluate = evaluate,
                               .curve = curve,
                               .coarse_curve = coarse_curve,
                               .in_surface = law_all_in_surface,
                               .prefetch = prefetch,
                               .path = path,
                               .wide = &wide,
                               .sampling = LAW_SAMPLE_LARGEST,
                               .size = size};
