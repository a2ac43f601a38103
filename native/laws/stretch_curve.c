/* Stretch curves of a material: from a few constants, or from strips that its measured table is asked for. */
#include "laws/stretch_curve.h"

#include <math.h>

#include "base/vec3.h"

/* --- a curve from its slopes -------------------------------------------------------------------- */

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
/* Lengths at which a strip is asked for its force. */
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

static double rise(const double *stress, int i) {
    return (stress[i + 1] - stress[i]) / (strip_span() / STRIP_PLACES);
}

/* Stress never falls by more than rounding. */
static void let_rise(Strip *strip) {
    double *stress = strip->stress,
           least = LEAST_SLOPE * strip->first * strip_span() / STRIP_PLACES;
    for (int i = 0; i < STRIP_PLACES; ++i) {
        stress[i + 1] = fmax(stress[i + 1], stress[i] + least);
    }
}

static double least_rise(const Strip *strip) {
    double least = strip->first;
    for (int i = 0; i < STRIP_PLACES; ++i) {
        least = fmin(least, rise(strip->stress, i));
    }
    return least;
}

static void ask_strips(const Material *material, Strip *warp, Strip *weft, Strip *bias) {
    pull_along(material, ROW_WARP, warp);
    pull_along(material, ROW_WEFT, weft);
    for (int i = 0; i <= STRIP_PLACES; ++i) {
        bias->stress[i] = i ? pull_on_bias(material, strip_strain(i)) : 0.0;
    }
    bias->first = slack_on_bias(material->stretch_samples);
    let_rise(warp);
    let_rise(weft);
    let_rise(bias);
}

bool stretch_is_sound(const Material *material) {
    Strip warp = {0}, weft = {0}, bias = {0};
    ask_strips(material, &warp, &weft, &bias);
    return warp.first > 0 && weft.first > 0 && bias.first > 0;
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

/* Slopes at the knots: means of what is before and after; of the first it is known. */
static void follow(StretchCurve *curve, const double *strain, const double *stress, double first) {
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

/* A strip's own stress, and what the coupling takes from it as the strip gets narrower. */
static void follow_along(StretchCurve *curve, const Strip *strip, double taken) {
    double strain[STRIP_PLACES + 1], stress[STRIP_PLACES + 1];
    for (int i = 0; i <= STRIP_PLACES; ++i) {
        strain[i] = strip_strain(i);
        stress[i] = strip->stress[i] + taken * strain[i];
    }
    follow(curve, strain, stress, strip->first + taken);
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
static double shear_of(const Strip *bias, const StretchCurves *curves) {
    double c = curves->coupling, warp = stretch_slope(&curves->curve[STRETCH_WARP], 0);
    double weft = stretch_slope(&curves->curve[STRETCH_WEFT], 0);
    double others = 0.25 * (warp + weft - 2.0 * c) / (warp * weft - c * c);
    return 1.0 / fmax(1.0 / bias->first - others, LEAST_SLOPE / bias->first);
}

/* On the bias all three stresses are half of the strip's; what warp and weft leave of its strain is shear. */
static void follow_bias(StretchCurves *curves, const Strip *bias) {
    double strain[STRIP_PLACES + 1], stress[STRIP_PLACES + 1], uu = 0, vv = 0;
    strain[0] = stress[0] = 0;
    for (int i = 1; i <= STRIP_PLACES; ++i) {
        strains_at(curves, 0.5 * bias->stress[i], &uu, &vv);
        double least = strain[i - 1] + LEAST_SLOPE * strip_span() / STRIP_PLACES;
        strain[i] = fmax(strip_strain(i) - 0.5 * (uu + vv), least);
        stress[i] = bias->stress[i];
    }
    follow(&curves->curve[STRETCH_SHEAR], strain, stress, shear_of(bias, curves));
}

/* The coupling that narrows strips by as much as the table says, in the mean of warp and weft. */
static double coupling_of(const Strip *warp, const Strip *weft) {
    double most = MOST_COUPLING * sqrt(least_rise(warp) * least_rise(weft));
    double wanted = 0.5 * (warp->narrowing * weft->first + weft->narrowing * warp->first);
    return fmin(wanted, most);
}

static void measure(const Material *material, StretchCurves *curves) {
    Strip warp = {0}, weft = {0}, bias = {0};
    ask_strips(material, &warp, &weft, &bias);
    double c = curves->coupling = coupling_of(&warp, &weft);
    /* Slopes of A and B in compression, with which the first slopes of both strips are those of the table. */
    double a = warp.first, b = weft.first;
    for (int step = 0; step < BIAS_STEPS; ++step) {
        a = warp.first + c * c / b;
        b = weft.first + c * c / a;
    }
    follow_along(&curves->curve[STRETCH_WARP], &warp, c * c / b);
    follow_along(&curves->curve[STRETCH_WEFT], &weft, c * c / a);
    follow_bias(curves, &bias);
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
