/* Moment curves from measurements. */
#include "laws/moment.h"

#include <math.h>

/* What a file has: a row for each strip, columns by curvature, 1/m; a sample's own number is half of it. */
#define SAMPLE_COLUMNS 5
#define SAMPLE_STEP 10.0
#define SAMPLE_END (SAMPLE_STEP * (SAMPLE_COLUMNS - 1))
/* Where the last stiffness is small a curve goes on until the moment is what it was, but no farther than this, 1/m. */
#define FARTHEST 400.0
/* Twist is at most so many times as stiff as the stiffest strip: measured bias strips are not always softer than warp and
 * weft allow for. */
#define STIFFEST_TWIST 4.0
/* Moments at which twist is computed. */
#define TWIST_STEPS 512

_Static_assert(sizeof((Material){0}.bend_samples) ==
                   MOMENT_STRIPS * SAMPLE_COLUMNS * sizeof(double),
               "samples of bending");

/* Slopes, energies and the rest, from moments at the knots and the slope beyond. */
static void finish_curve(const double *moment, double last_slope, MomentCurve *curve) {
    double energy = 0;
    curve->per_step = 1.0 / curve->step;
    curve->steepest = last_slope;
    for (int i = 0; i <= MOMENT_SEGMENTS; ++i) {
        bool last = i == MOMENT_SEGMENTS;
        double next = last ? 0.0 : moment[i + 1];
        double slope = last ? last_slope : (next - moment[i]) * curve->per_step;
        curve->knots[i] = (MomentKnot){moment[i], slope, energy, i * curve->step};
        curve->steepest = slope > curve->steepest ? slope : curve->steepest;
        energy += 0.5 * (moment[i] + next) * curve->step;
    }
}

static void straight_curve(double stiffness, MomentCurve *curve) {
    double moment[MOMENT_SEGMENTS + 1];
    curve->step = 1.0;
    for (int i = 0; i <= MOMENT_SEGMENTS; ++i) {
        moment[i] = stiffness * i;
    }
    finish_curve(moment, stiffness, curve);
}

/* B of a strip, linear between the samples, constant beyond. */
static double stiffness_at(const double *row, double curvature) {
    double at = fmin(curvature / SAMPLE_STEP, SAMPLE_COLUMNS - 1);
    int i = at < SAMPLE_COLUMNS - 2 ? (int)at : SAMPLE_COLUMNS - 2;
    return row[i] + (at - i) * (row[i + 1] - row[i]);
}

/* Maxwell's lines: neighbours that fall become their mean, until none does. */
static void level_out(double *moment) {
    double mean[MOMENT_SEGMENTS + 1];
    int share[MOMENT_SEGMENTS + 1], levels = 0;
    for (int i = 0; i <= MOMENT_SEGMENTS; ++i) {
        mean[levels] = moment[i];
        share[levels++] = 1;
        while (levels > 1 && mean[levels - 1] < mean[levels - 2]) {
            --levels;
            int both = share[levels - 1] + share[levels];
            mean[levels - 1] =
                (share[levels - 1] * mean[levels - 1] + share[levels] * mean[levels]) / both;
            share[levels - 1] = both;
        }
    }
    for (int l = 0, i = 0; l < levels; ++l) {
        for (int end = i + share[l]; i < end; ++i) {
            moment[i] = mean[l];
        }
    }
}

static void strip_curve(const double *row, MomentCurve *curve) {
    double moments[MOMENT_SEGMENTS + 1], last = row[SAMPLE_COLUMNS - 1], most = 0;
    for (int i = 0; i < SAMPLE_COLUMNS; ++i) {
        double moment = row[i] * SAMPLE_STEP * i;
        most = moment > most ? moment : most;
    }
    curve->step = fmin(fmax(SAMPLE_END, most / last), FARTHEST) / MOMENT_SEGMENTS;
    for (int i = 0; i <= MOMENT_SEGMENTS; ++i) {
        double curvature = curve->step * i;
        moments[i] = stiffness_at(row, curvature) * curvature;
    }
    level_out(moments);
    finish_curve(moments, last, curve);
}

/* The least curvature with so much moment. */
static double curvature_at(const MomentCurve *curve, double moment) {
    int i = 0;
    while (i < MOMENT_SEGMENTS && curve->knots[i + 1].moment < moment) {
        ++i;
    }
    const MomentKnot *knot = &curve->knots[i];
    return curve->step * i + (knot->slope > 0 ? (moment - knot->moment) / knot->slope : 0.0);
}

static double end_of(const MomentCurve *curve) { return curve->knots[MOMENT_SEGMENTS].moment; }

/* What warp and weft leave for twist, at even moments up to where all three curves go on straight; it never falls. */
static void twist_curve(const MomentCurve *warp, const MomentCurve *bias, const MomentCurve *weft,
                        MomentCurve *twist) {
    double curvature[TWIST_STEPS + 1] = {0}, moments[MOMENT_SEGMENTS + 1];
    double most = fmax(fmax(end_of(warp), end_of(weft)), 0.5 * end_of(bias));
    double step = most / (TWIST_STEPS - 1);
    double least =
        step / (STIFFEST_TWIST * fmax(fmax(warp->steepest, weft->steepest), bias->steepest));
    for (int i = 1; i <= TWIST_STEPS; ++i) {
        double moment = step * i;
        double left = curvature_at(bias, 2 * moment) -
                      0.5 * (curvature_at(warp, moment) + curvature_at(weft, moment));
        curvature[i] = fmax(left, curvature[i - 1] + least);
    }
    twist->step = curvature[TWIST_STEPS - 1] / MOMENT_SEGMENTS;
    for (int i = 0, at = 0; i <= MOMENT_SEGMENTS; ++i) {
        double wanted = twist->step * i;
        while (at < TWIST_STEPS - 1 && curvature[at + 1] < wanted) {
            ++at;
        }
        moments[i] = step * (at + (wanted - curvature[at]) / (curvature[at + 1] - curvature[at]));
    }
    finish_curve(moments, step / (curvature[TWIST_STEPS] - curvature[TWIST_STEPS - 1]), twist);
}

void moment_strips_of(const Material *material, MomentCurve strips[MOMENT_STRIPS]) {
    for (int s = 0; s < MOMENT_STRIPS; ++s) {
        if (moment_measured(material)) {
            strip_curve(material->bend_samples + SAMPLE_COLUMNS * s, &strips[s]);
        } else {
            straight_curve(0.5 * material->bend * (1 + material->bend_weft), &strips[s]);
        }
    }
}

void moment_curves_of(const Material *material, MomentCurve curves[MOMENT_CURVES]) {
    if (!moment_measured(material)) {
        straight_curve(material->bend, &curves[MOMENT_WARP]);
        straight_curve(material->bend * material->bend_weft, &curves[MOMENT_WEFT]);
        straight_curve(material->bend * material->bend_twist, &curves[MOMENT_TWIST]);
        return;
    }
    MomentCurve strips[MOMENT_STRIPS];
    moment_strips_of(material, strips);
    curves[MOMENT_WARP] = strips[STRIP_WARP];
    curves[MOMENT_WEFT] = strips[STRIP_WEFT];
    twist_curve(&strips[STRIP_WARP], &strips[STRIP_BIAS], &strips[STRIP_WEFT],
                &curves[MOMENT_TWIST]);
}

void moment_friction_of(const Material *material, const MomentCurve curves[MOMENT_CURVES],
                        double friction[MOMENT_CURVES]) {
    for (int c = 0; c < MOMENT_CURVES; ++c) {
        friction[c] = moment_has_memory(material) ? curves[c].knots[0].slope : 0.0;
    }
}

BendNumbers moment_bound(const Material *material) {
    if (!moment_measured(material) && !moment_has_memory(material)) {
        return (BendNumbers){material->bend, material->bend_weft, material->bend_twist};
    }
    MomentCurve curves[MOMENT_CURVES];
    double most[MOMENT_CURVES];
    moment_curves_of(material, curves);
    moment_friction_of(material, curves, most);
    for (int c = 0; c < MOMENT_CURVES; ++c) {
        most[c] += curves[c].steepest;
    }
    double warp = most[MOMENT_WARP] > 0 ? most[MOMENT_WARP] : 1.0;
    return (BendNumbers){most[MOMENT_WARP], most[MOMENT_WEFT] / warp, most[MOMENT_TWIST] / warp};
}
