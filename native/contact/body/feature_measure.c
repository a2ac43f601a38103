/* Whatever is not certain, as with needles and segments that are nearly parallel, counts. */
#include "contact/body/feature_measure.h"

/* Squared sine between two lines from which on rounding does not matter for where they are closest. */
#define ASKEW 1e-6
/* Room for rounding, over the numbers that are rounded. */
#define ROUNDED 1e-9

/* False if the two, `along` from each other times the root of `area`, are too far apart. Only what has passed each other
 * counts beyond the reach: within the slack others come nearer, but do not change sides, unless the cloth may turn by a
 * right angle (`tilt` is squared, times the area). */
static bool counts(const FeatureEncounter *both, double slack, double along, double area,
                   double tilt, double before) {
    double squared = (1 - ROUNDED) * along * along, near = both->reach + slack;
    return squared <= both->margin * both->margin * area &&
           (squared <= near * near * area || slack * slack * tilt >= area || along * before <= 0);
}

static double beyond(double part) { return part < 0 ? -part : part > 1 ? part - 1 : 0.0; }

/* Six times the volume that two segments span: changes its sign where they pass each other. */
static double spanned(const Vec3 a[2], const Vec3 b[2]) {
    return vec3_dot(vec3_cross(vec3_sub(a[1], a[0]), vec3_sub(b[1], b[0])), vec3_sub(b[0], a[0]));
}

bool feature_measure_edge(const FeatureEncounter *both, double slack, FeaturePair *pair) {
    Vec3 u = vec3_sub(both->own[1], both->own[0]);
    Vec3 v = vec3_sub(both->other[1], both->other[0]);
    Vec3 between = vec3_sub(both->other[0], both->own[0]), normal = vec3_cross(u, v);
    double uu = vec3_dot(u, u), vv = vec3_dot(v, v), area = vec3_dot(normal, normal);
    double along = vec3_dot(between, normal);
    pair->tilt = INFINITY;
    pair->distance = pair->offset = 0;
    if (!(area > ASKEW * uu * vv)) {
        return true;
    }
    /* the normal of both turns by 1 / sine of what the edge turns by */
    if (!counts(both, slack, along, area, 4 * vv, spanned(both->before, both->placed))) {
        return false;
    }
    double s = vec3_dot(vec3_cross(between, v), normal) / area;
    double t = vec3_dot(vec3_cross(between, u), normal) / area;
    double length = sqrt(uu), other = sqrt(vv), root = sqrt(area);
    double aligned = fabs(vec3_dot(u, v)) / (length * other);
    double offset = fmax(beyond(s) * length, beyond(t) * other);
    pair->tilt = 2 * other / root;
    pair->distance = (1 - ROUNDED) * fabs(along) / root;
    /* along the segments a place goes up to 1 / (1 - cosine) times as far as it goes beside them */
    pair->offset = fmax(0, (1 - aligned) * offset - ROUNDED * length);
    return true;
}

bool feature_measure_corner(const FeatureEncounter *both, double slack, FeaturePair *pair) {
    const Vec3 *own = both->own, *before = both->before;
    Vec3 ab = vec3_sub(own[1], own[0]), ac = vec3_sub(own[2], own[0]),
         bc = vec3_sub(own[2], own[1]);
    Vec3 ap = vec3_sub(both->other[0], own[0]), normal = vec3_cross(ab, ac);
    double sides[3] = {vec3_dot(bc, bc), vec3_dot(ac, ac), vec3_dot(ab, ab)};
    double area = vec3_dot(normal, normal), along = vec3_dot(ap, normal), offset = 0;
    double longest = fmax(sides[0], fmax(sides[1], sides[2]));
    pair->tilt = INFINITY;
    pair->distance = pair->offset = 0;
    if (!(area > ASKEW * longest * longest)) {
        return true;
    }
    Vec3 turned = vec3_cross(vec3_sub(before[1], before[0]), vec3_sub(before[2], before[0]));
    if (!counts(both, slack, along, area, 4 * longest,
                vec3_dot(turned, vec3_sub(both->placed[0], before[0])))) {
        return false;
    }
    double weights[3] = {0, vec3_dot(vec3_cross(ap, ac), normal),
                         vec3_dot(vec3_cross(ab, ap), normal)};
    weights[0] = area - weights[1] - weights[2];
    for (int k = 0; k < 3; ++k) { /* beyond the side across from it */
        offset = weights[k] < 0 ? fmax(offset, -weights[k] / sqrt(area * sides[k])) : offset;
    }
    pair->tilt = 2 * sqrt(longest / area);
    pair->distance = (1 - ROUNDED) * fabs(along) / sqrt(area);
    pair->offset = fmax(0, offset - ROUNDED * sqrt(longest));
    return true;
}
