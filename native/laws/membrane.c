/* The membrane law: its elements, energy, stresses and second derivatives. */
#include "laws/membrane.h"

#include <math.h>
#include <string.h>

#include "laws/triangle.h"

/* --- stretch curves, of a few constants or of strips of a measured table ------------------------- */

static void integrate(StretchCurve *curve) {
    double step = curve->step;
    StretchKnot *knot = stretch_knots(curve);
    curve->per_step = 1.0 / step;
    knot[0].energy = knot[0].stress = knot[STRETCH_SEGMENTS].bend = 0;
    for (int i = 0; i < STRETCH_SEGMENTS; ++i) {
        double change = knot[i + 1].slope - knot[i].slope;
        knot[i].bend = change / step;
        knot[i + 1].stress = knot[i].stress + step * (knot[i].slope + 0.5 * change);
        knot[i + 1].energy =
            knot[i].energy + step * (knot[i].stress + 0.5 * step * (knot[i].slope + change / 3.0));
    }
    curve->all[0] = (StretchKnot){.slope = knot[0].slope};
}

/* By how much stiffer cloth is beyond its strain limit, and the strain within which it becomes so. */
#define LIMIT_STIFFER 20.0
#define LIMIT_WIDTH 0.02
/* The least limit, a stretch: about the distance of two knots, within which no branch can begin. */
#define LEAST_LIMIT 0.003

/* Green's strain of a stretch. */
static double strain_at(double stretch) { return stretch + 0.5 * stretch * stretch; }

/* The limit is a stretch; the branch is full where it is reached. */
static void limit(StretchCurve *curve, double stretch) {
    double full = strain_at(fmax(stretch, LEAST_LIMIT));
    for (int i = 0; stretch > 0 && i <= STRETCH_SEGMENTS; ++i) {
        double part = 1.0 + (i * curve->step - full) / fmin(LIMIT_WIDTH, full);
        stretch_knots(curve)[i].slope *= 1.0 + (LIMIT_STIFFER - 1.0) * fmin(fmax(part, 0.0), 1.0);
    }
}

static void set_constant(StretchCurve *curve, double slope) {
    for (int i = 0; i <= STRETCH_SEGMENTS; ++i) {
        stretch_knots(curve)[i].slope = slope;
    }
}

/* --- strips of a measured table ----------------------------------------------------------------- */

enum { C11, C12, C22, C33, NUMBERS };
enum { ROW_SLACK, ROW_WARP, ROW_BIAS = 3, ROW_WEFT = 5 };
/* The stretch of the table's last rows; their angles are so far apart. */
#define LARGEST_STRETCH (1.0 / 6.0)
#define ANGLE_STEP 0.39269908169872415481
/* Lengths at which the force of a strip is computed. */
#define STRIP_PLACES 192
/* Fixed-point steps until the principal direction of a strip on the bias stands. */
#define BIAS_STEPS 60
/* The least slope of a curve, in parts of its first one: a strip never pulls less when it gets longer. */
#define LEAST_SLOPE 0.01
/* The most that the coupling may be, in parts of what makes the energy's second derivative singular. */
#define MOST_COUPLING 0.7

typedef struct Strip {
    double stress[STRIP_PLACES + 1]; /* N/m, at even strains */
    double first;                    /* slope of the slack strip, N/m */
    double narrowing;                /* across, over the strain along it, at a third of the way */
} Strip;

static double strip_span(void) { return strain_at(LARGEST_STRETCH); }
static double strip_strain(int at) { return strip_span() * at / STRIP_PLACES; }

/* Linear between the rows; the angle in steps of the table. */
static void numbers_at(const Material *material, double stretch, double angle, double *c) {
    double part = fmin(fmax(stretch / LARGEST_STRETCH, 0.0), 1.0);
    int step = angle < 3 ? (int)angle : 3;
    const double *slack = material->stretch_samples, *low = slack + NUMBERS * (ROW_WARP + step);
    for (int n = 0; n < NUMBERS; ++n) {
        double at = low[n] + (angle - step) * (low[NUMBERS + n] - low[n]);
        c[n] = slack[n] + part * (at - slack[n]);
    }
}

/* Free to get narrower: s across is zero. */
static void pull_along(const Material *material, int row, Strip *strip) {
    for (int i = 0; i <= STRIP_PLACES; ++i) {
        double strain = strip_strain(i), c[NUMBERS];
        numbers_at(material, sqrt(1.0 + 2.0 * strain) - 1.0, row - ROW_WARP, c);
        double along = row == ROW_WARP ? c[C11] : c[C22],
               across = row == ROW_WARP ? c[C22] : c[C11];
        double narrowing = across > 0 ? c[C12] / across : 0.0;
        strip->stress[i] = (along - c[C12] * narrowing) * strain;
        strip->first = i == 0 ? along - c[C12] * narrowing : strip->first;
        strip->narrowing = i == STRIP_PLACES / 3 ? narrowing : strip->narrowing;
    }
}

/* The stress along a strip on the bias, in parts of its strain: with s_uu = s_vv = s_uv = half of it, the strains follow
 * from the table where they themselves show; they are followed until they stand. */
static double pull_on_bias(const Material *material, double strain) {
    double angle = 2.0, stretch = strain, stress = 0, c[NUMBERS];
    for (int step = 0; step < BIAS_STEPS; ++step) {
        numbers_at(material, stretch, angle, c);
        double area = c[C11] * c[C22] - c[C12] * c[C12];
        if (!(area > 0) || !(c[C33] > 0)) {
            return 0;
        }
        double uu = 0.5 * (c[C22] - c[C12]) / area, vv = 0.5 * (c[C11] - c[C12]) / area;
        double uv = 1.0 / c[C33];
        stress = strain / (0.5 * (uu + vv) + uv);
        double mean = 0.5 * stress * (uu + vv), half = 0.5 * stress * (uu - vv);
        double shear = stress * uv, radius = plane_length(half, shear);
        double found = 0.5 * atan2(shear, half) / ANGLE_STEP;
        angle = 0.5 * (angle + found);
        stretch = 0.5 * (stretch + sqrt(fmax(1.0 + 2.0 * (mean + radius), 0.0)) - 1.0);
    }
    return stress;
}

/* How it begins: the slope of the slack strip. */
static double slack_on_bias(const double *c) {
    double area = c[C11] * c[C22] - c[C12] * c[C12];
    return area > 0 && c[C33] > 0
               ? 1.0 / (0.25 * (c[C11] + c[C22] - 2.0 * c[C12]) / area + 1.0 / c[C33])
               : 0.0;
}

/* Stress never falls by more than rounding. */
static void make_increasing(Strip *strip) {
    double *stress = strip->stress,
           least = LEAST_SLOPE * strip->first * strip_span() / STRIP_PLACES;
    for (int i = 0; i < STRIP_PLACES; ++i) {
        stress[i + 1] = fmax(stress[i + 1], stress[i] + least);
    }
}

static double minimum_slope(const Strip *strip) {
    double least = strip->first;
    for (int i = 0; i < STRIP_PLACES; ++i) {
        double rise = strip->stress[i + 1] - strip->stress[i];
        least = fmin(least, rise / (strip_span() / STRIP_PLACES));
    }
    return least;
}

static void pull_strips(const Material *material, Strip *warp, Strip *weft, Strip *bias) {
    pull_along(material, ROW_WARP, warp);
    pull_along(material, ROW_WEFT, weft);
    for (int i = 0; i <= STRIP_PLACES; ++i) {
        bias->stress[i] = i ? pull_on_bias(material, strip_strain(i)) : 0.0;
    }
    bias->first = slack_on_bias(material->stretch_samples);
    make_increasing(warp);
    make_increasing(weft);
    make_increasing(bias);
}

bool stretch_is_sound(const Material *material) {
    Strip warp = {0}, weft = {0}, bias = {0};
    pull_strips(material, &warp, &weft, &bias);
    return warp.first > 0 && weft.first > 0 && bias.first > 0;
}

#define STRETCH_SAMPLES (int)(sizeof((Material){0}.stretch_samples) / sizeof(double))

static bool is_measured(const Material *material) {
    bool measured = false;
    for (int i = 0; i < STRETCH_SAMPLES; ++i) {
        measured = measured || material->stretch_samples[i] != 0;
    }
    return measured;
}

/* A table needs stiffness in every direction of the slack cloth, and strips that resist. */
StatusCode material_check(const Material *material, Status *status) {
    const double *slack = material->stretch_samples;
    static const char *const names[] = {"c11", NULL, "c22", "c33"};
    bool measured = is_measured(material);
    if (measured && material->poisson != 0) {
        status_set(status, STATUS_ERROR_ARGUMENT,
                   "poisson is given, but stretch_samples already say how much a strip narrows");
        return status_name_argument(status, DETAIL_CONFLICT, "poisson", material->poisson, 0);
    }
    for (int i = 0; measured && i < 4; ++i) {
        if (names[i] && !(slack[i] > 0)) {
            status_set(status, STATUS_ERROR_ARGUMENT,
                       "stretch_samples[%d] is %g, but %s of the slack cloth must be above 0", i,
                       slack[i], names[i]);
            return status_name_argument(status, DETAIL_RANGE, "stretch_samples", slack[i], 0);
        }
    }
    if (measured && !stretch_is_sound(material)) {
        status_set(
            status, STATUS_ERROR_ARGUMENT,
            "stretch_samples make a fabric of which a strip along warp, weft or bias does not "
            "resist being stretched: c12 is too large or c33 too small");
        return status_name_argument(status, DETAIL_CONFLICT, "stretch_samples", slack[1], 0);
    }
    return STATUS_OK;
}

/* --- curves from strips ------------------------------------------------------------------------- */

/* The slope of what goes straight through these places at one strain. */
static double slope_through(const double *strain, const double *stress, double at) {
    int i = 0;
    while (i < STRIP_PLACES - 1 && strain[i + 1] < at) {
        ++i;
    }
    return (stress[i + 1] - stress[i]) / (strain[i + 1] - strain[i]);
}

/* Slopes at the knots: means of those before and after; the first is known. */
static void fit_curve(StretchCurve *curve, const double *strain, const double *stress,
                      double first) {
    double near = 0.5 * strain[STRIP_PLACES] / STRIP_PLACES;
    for (int i = 0; i <= STRETCH_SEGMENTS; ++i) {
        double at = i * curve->step;
        double before = slope_through(strain, stress, fmax(at - near, 0.0));
        double after = slope_through(strain, stress, at + near);
        stretch_knots(curve)[i].slope = i > 0 ? 0.5 * (before + after) : first;
    }
    double least = LEAST_SLOPE * first;
    for (int i = 0; i <= STRETCH_SEGMENTS; ++i) {
        stretch_knots(curve)[i].slope = fmax(stretch_knots(curve)[i].slope, least);
    }
    integrate(curve);
}

/* A strip's own stress, less the coupling's as the strip narrows. */
static void fit_strip(StretchCurve *curve, const Strip *strip, double taken) {
    double strain[STRIP_PLACES + 1], stress[STRIP_PLACES + 1];
    for (int i = 0; i <= STRIP_PLACES; ++i) {
        strain[i] = strip_strain(i);
        stress[i] = strip->stress[i] + taken * strain[i];
    }
    fit_curve(curve, strain, stress, strip->first + taken);
}

/* e_uu and e_vv where both stresses are so large. */
static void strains_at(const StretchCurves *curves, double stress, double *uu, double *vv) {
    double c = curves->coupling;
    for (int step = 0; step < BIAS_STEPS; ++step) {
        Stretch warp = stretch_at(&curves->curve[STRETCH_WARP], *uu);
        Stretch weft = stretch_at(&curves->curve[STRETCH_WEFT], *vv);
        double left = stress - warp.stress - c * *vv, right = stress - weft.stress - c * *uu;
        double determinant = warp.slope * weft.slope - c * c;
        *uu += (left * weft.slope - right * c) / determinant;
        *vv += (right * warp.slope - left * c) / determinant;
    }
}

/* The first slope of D': the slack strip's compliance is a quarter of that of warp and weft, and that of shear. */
static double first_shear_slope(const Strip *bias, const StretchCurves *curves) {
    double c = curves->coupling, warp = stretch_slope(&curves->curve[STRETCH_WARP], 0);
    double weft = stretch_slope(&curves->curve[STRETCH_WEFT], 0);
    double others = 0.25 * (warp + weft - 2.0 * c) / (warp * weft - c * c);
    return 1.0 / fmax(1.0 / bias->first - others, LEAST_SLOPE / bias->first);
}

/* On the bias all three stresses are half of the strip's; what warp and weft leave of its strain is shear. */
static void fit_shear(StretchCurves *curves, const Strip *bias) {
    double strain[STRIP_PLACES + 1], stress[STRIP_PLACES + 1], uu = 0, vv = 0;
    strain[0] = stress[0] = 0;
    for (int i = 1; i <= STRIP_PLACES; ++i) {
        strains_at(curves, 0.5 * bias->stress[i], &uu, &vv);
        double least = strain[i - 1] + LEAST_SLOPE * strip_span() / STRIP_PLACES;
        strain[i] = fmax(strip_strain(i) - 0.5 * (uu + vv), least);
        stress[i] = bias->stress[i];
    }
    fit_curve(&curves->curve[STRETCH_SHEAR], strain, stress, first_shear_slope(bias, curves));
}

/* The coupling that narrows strips by as much as the table says, in the mean of warp and weft. */
static double coupling_of(const Strip *warp, const Strip *weft) {
    double most = MOST_COUPLING * sqrt(minimum_slope(warp) * minimum_slope(weft));
    double wanted = 0.5 * (warp->narrowing * weft->first + weft->narrowing * warp->first);
    return fmin(wanted, most);
}

static void measure(const Material *material, StretchCurves *curves) {
    Strip warp = {0}, weft = {0}, bias = {0};
    pull_strips(material, &warp, &weft, &bias);
    double c = curves->coupling = coupling_of(&warp, &weft);
    /* Slopes of A and B in compression, with which the first slopes of both strips are those of the table. */
    double a = warp.first, b = weft.first;
    for (int step = 0; step < BIAS_STEPS; ++step) {
        a = warp.first + c * c / b;
        b = weft.first + c * c / a;
    }
    fit_strip(&curves->curve[STRETCH_WARP], &warp, c * c / b);
    fit_strip(&curves->curve[STRETCH_WEFT], &weft, c * c / a);
    fit_shear(curves, &bias);
}

void stretch_curves_of(const Material *material, StretchCurves *curves) {
    StretchCurve *curve = curves->curve;
    double span = fmax(strip_span(), strain_at(material->strain_limit) + 2 * LIMIT_WIDTH);
    for (int c = 0; c < STRETCH_CURVES; ++c) { /* shear has no limit */
        curve[c].step = (c == STRETCH_SHEAR ? strip_span() : span) / STRETCH_SEGMENTS;
    }
    if (stretch_measured(material)) {
        measure(material, curves);
    } else {
        double square = 1.0 - material->poisson * material->poisson;
        set_constant(&curve[STRETCH_WARP], material->stretch_warp / square);
        set_constant(&curve[STRETCH_WEFT], material->stretch_weft / square);
        set_constant(&curve[STRETCH_SHEAR], 4.0 * material->shear);
        curves->coupling =
            material->poisson * sqrt(material->stretch_warp * material->stretch_weft) / square;
    }
    limit(&curve[STRETCH_WARP], material->strain_limit);
    limit(&curve[STRETCH_WEFT], material->strain_limit);
    for (int c = 0; c < STRETCH_CURVES; ++c) {
        integrate(&curve[c]);
    }
}

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
    memcpy(law->vertices + 3 * at, triangle->vertices, sizeof triangle->vertices);
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
    memset(now->e, 0, sizeof now->e);
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

static void add_stress(const double *stress, double scale, LawHessian *hessian) {
    double uu, vv, uv;
    clamp_stress(stress, &uu, &vv, &uv);
    block_add_diagonal(&hessian->uu, scale * uu);
    block_add_diagonal(&hessian->vv, scale * vv);
    block_add_diagonal(&hessian->uv, scale * uv);
}

/* `symmetric`: the coupling is taken to be that of a fabric whose diagonals carry the shear. */
static void hessian_green(const MembraneLaw *membrane, Vec3 u, Vec3 v, double scale, bool symmetric,
                          LawHessian *hessian) {
    double e[3];
    green_strain(u, v, e);
    Sheet sheet = sheet_at(&membrane->curves, e);
    double shear = 0.25 * sheet.slope[2];
    add_stress(sheet.stress, scale, hessian);
    block_add_outer(&hessian->uu, scale * sheet.slope[0], u, u);
    block_add_outer(&hessian->uu, scale * shear, v, v);
    block_add_outer(&hessian->vv, scale * sheet.slope[1], v, v);
    block_add_outer(&hessian->vv, scale * shear, u, u);
    block_add_outer(&hessian->uv, scale * (symmetric ? shear : membrane->curves.coupling), u, v);
    block_add_outer(&hessian->uv, scale * shear, v, u);
}

/* to += k d_i d_j a b', by the rows that d_i and d_j are in */
static void add_sides(LawHessian *to, double k, const double *di, const double *dj, Vec3 a,
                      Vec3 b) {
    block_add_outer(&to->uu, k * di[0] * dj[0], a, b);
    block_add_outer(&to->uv, k * di[0] * dj[1], a, b);
    block_add_outer(&to->vv, k * di[1] * dj[1], a, b);
}

/* A side alone: along itself by the bend of its measure, across by its pull; both without their negative parts. */
static void add_side(LawHessian *to, double along, double across, const double *d, Vec3 n) {
    double sideways = fmax(across, 0.0), own = fmax(along, 0.0);
    add_sides(to, own - sideways, d, d, n, n);
    block_add_diagonal(&to->uu, sideways * d[0] * d[0]);
    block_add_diagonal(&to->uv, sideways * d[0] * d[1]);
    block_add_diagonal(&to->vv, sideways * d[1] * d[1]);
}

static void hessian_sides(const MembraneLaw *membrane, int t, Vec3 u, Vec3 v, double scale,
                          LawHessian *hessian) {
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
        add_side(hessian, scale * stress * now.strain[i].bend, scale * across, sides->along[i],
                 n[i]);
    }
    for (int i = 0; i < SIDES; ++i) {
        for (int j = 0; j < SIDES; ++j) {
            double k = sheet.slope[0] * m[0][i] * m[0][j] + sheet.slope[1] * m[1][i] * m[1][j] +
                       sheet.slope[2] * m[2][i] * m[2][j] +
                       c * (m[0][i] * m[1][j] + m[1][i] * m[0][j]);
            add_sides(hessian, scale * k * by[i] * by[j], sides->along[i], sides->along[j], n[i],
                      n[j]);
        }
    }
}

static bool hessian(const Law *law, int t, const Vec3 *x, double scale, LawHessian *hessian) {
    const MembraneLaw *membrane = membrane_law(law);
    Vec3 u = law_measure(law, 0, t, x), v = law_measure(law, 1, t, x);
    *hessian = (LawHessian){0};
    if (membrane->sides) {
        hessian_sides(membrane, t, u, v, scale * membrane->scale[t], hessian);
    } else {
        hessian_green(membrane, u, v, scale * membrane->scale[t], false, hessian);
    }
    return true;
}

/* As good for the coarse level, by Green's measure whatever the law's own is: turning still costs nothing. */
static bool coarse_hessian(const Law *law, int t, const Vec3 *x, double scale,
                           LawHessian *hessian) {
    const MembraneLaw *membrane = membrane_law(law);
    Vec3 u = law_measure(law, 0, t, x), v = law_measure(law, 1, t, x);
    *hessian = (LawHessian){0};
    hessian_green(membrane, u, v, scale * membrane->scale[t], true, hessian);
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

const LawKind membrane_kind = {.name = "membranes",
                               .set_material = set_material,
                               .evaluate = evaluate,
                               .hessian = hessian,
                               .coarse_hessian = coarse_hessian,
                               .in_surface = law_all_in_surface,
                               .prefetch = law_prefetch,
                               .path = path,
                               .wide = &wide,
                               .sampling = LAW_SAMPLE_LARGEST,
                               .size = size};
