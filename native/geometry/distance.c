/* Every candidate's distance is measured to the point itself, so the result is right even for the needle triangles of
 * modelled bodies, whose barycentric weights are noise. */
#include "geometry/distance.h"

#include <float.h>

/* Squared ratios of a triangle's height to its longest side: below the first it has no face, below
 * the second rounding may name the wrong side, so all of them are tested. */
#define HAS_FACE 1e-24
#define STURDY 1e-12
/* Squared sine below which segments are parallel. */
#define PARALLEL 1e-24

static void try_edge(Vec3 p, const Vec3 corners[3], int k, TrianglePoint *best, double *squared) {
    int next = (k + 1) % 3;
    Vec3 along = vec3_sub(corners[next], corners[k]);
    double t = closest_parameter(vec3_sub(p, corners[k]), along);
    Vec3 point = t < 1 ? vec3_madd(corners[k], t, along) : corners[next];
    Vec3 gap = vec3_sub(p, point);
    double found = vec3_dot(gap, gap);
    if (found < *squared) {
        *squared = found;
        best->point = point;
        best->weights[k] = 1.0 - t;
        best->weights[next] = t;
        best->weights[(k + 2) % 3] = 0.0;
        best->feature = t <= 0   ? (Feature)(FEATURE_VERTEX_0 + k)
                        : t >= 1 ? (Feature)(FEATURE_VERTEX_0 + next)
                                 : (Feature)(FEATURE_EDGE_0 + k);
    }
}

/* The foot of the perpendicular, if it falls inside. `weights` come in times their sum, `squared_area`. */
static void try_face(Vec3 p, const Vec3 corners[3], const double weights[3], double squared_area,
                     TrianglePoint *best, double *squared) {
    if (!(weights[0] > 0 && weights[1] > 0 && weights[2] > 0)) {
        return;
    }
    double b = weights[1] / squared_area, c = weights[2] / squared_area;
    Vec3 point = vec3_madd(corners[0], b, vec3_sub(corners[1], corners[0]));
    point = vec3_madd(point, c, vec3_sub(corners[2], corners[0]));
    Vec3 gap = vec3_sub(p, point);
    *squared = vec3_dot(gap, gap);
    best->point = point;
    best->weights[0] = weights[0] / squared_area;
    best->weights[1] = b;
    best->weights[2] = c;
    best->feature = FEATURE_FACE;
}

/* Of the perpendicular's foot, times `area`, which is squared; `span` is the longest side, squared. All zero without a
 * face. */
static inline void weigh(Vec3 p, const Vec3 corners[3], double weights[3], double *area,
                         double *span) {
    Vec3 ab = vec3_sub(corners[1], corners[0]), ac = vec3_sub(corners[2], corners[0]);
    Vec3 bc = vec3_sub(corners[2], corners[1]), ap = vec3_sub(p, corners[0]);
    Vec3 normal = vec3_cross(ab, ac);
    double other = vec3_dot(ac, ac);
    *area = vec3_dot(normal, normal);
    *span = vec3_dot(ab, ab);
    *span = other > *span ? other : *span;
    other = vec3_dot(bc, bc);
    *span = other > *span ? other : *span;
    weights[0] = weights[1] = weights[2] = 0;
    if (*area > HAS_FACE * *span * *span) {
        weights[1] = vec3_dot(vec3_cross(ap, ac), normal);
        weights[2] = vec3_dot(vec3_cross(ab, ap), normal);
        weights[0] = *area - weights[1] - weights[2];
    }
}

bool closest_is_on_face(Vec3 p, const Vec3 corners[3]) {
    double weights[3], area, span;
    weigh(p, corners, weights, &area, &span);
    return weights[0] > 0 && weights[1] > 0 && weights[2] > 0;
}

TrianglePoint closest_on_triangle(Vec3 p, const Vec3 corners[3]) {
    TrianglePoint best = {.point = corners[0], .weights = {1, 0, 0}, .feature = FEATURE_VERTEX_0};
    double squared = INFINITY, weights[3], area, span;
    weigh(p, corners, weights, &area, &span);
    bool sturdy = area > STURDY * span * span;
    try_face(p, corners, weights, area, &best, &squared);
    /* Outside the face, the nearest point is on a side that can be seen from there. */
    for (int k = 0; k < 3; ++k) {
        if (!sturdy || weights[(k + 2) % 3] <= 0) {
            try_edge(p, corners, k, &best, &squared);
        }
    }
    best.distance = sqrt(squared);
    return best;
}

/* Takes the pair at parameters s and t if it is closer. */
static void try_pair(const Vec3 first[2], const Vec3 second[2], double s, double t,
                     SegmentPair *best, double *squared) {
    Vec3 p = s < 1 ? vec3_madd(first[0], s, vec3_sub(first[1], first[0])) : first[1];
    Vec3 q = t < 1 ? vec3_madd(second[0], t, vec3_sub(second[1], second[0])) : second[1];
    Vec3 gap = vec3_sub(q, p);
    double found = vec3_dot(gap, gap);
    if (found < *squared) {
        *squared = found;
        *best = (SegmentPair){.points = {p, q}, .parameters = {s, t}};
    }
}

/* Where the lines are closest, as parts of the segments. False if one of the places is no inner one. */
static inline bool cross_inside(const Vec3 first[2], const Vec3 second[2], double *s, double *t) {
    Vec3 u = vec3_sub(first[1], first[0]), v = vec3_sub(second[1], second[0]);
    Vec3 between = vec3_sub(second[0], first[0]), normal = vec3_cross(u, v);
    double area = vec3_dot(normal, normal);
    if (!(area > PARALLEL * vec3_dot(u, u) * vec3_dot(v, v))) {
        return false;
    }
    *s = vec3_dot(vec3_cross(between, v), normal) / area;
    *t = vec3_dot(vec3_cross(between, u), normal) / area;
    return *s > 0 && *s < 1 && *t > 0 && *t < 1;
}

bool closest_is_inside(const Vec3 first[2], const Vec3 second[2]) {
    double s, t;
    return cross_inside(first, second, &s, &t);
}

/* The distance is a convex function of both parameters: its least value is where its gradient
 * vanishes, if that is inside, or on the rim of the square, where one of the two is an end. */
SegmentPair closest_of_segments(const Vec3 first[2], const Vec3 second[2]) {
    Vec3 u = vec3_sub(first[1], first[0]), v = vec3_sub(second[1], second[0]);
    SegmentPair best = {.points = {first[0], second[0]}};
    double squared = INFINITY, s, t;
    for (int end = 0; end < 2; ++end) {
        t = closest_parameter(vec3_sub(first[end], second[0]), v);
        try_pair(first, second, end, t, &best, &squared);
        s = closest_parameter(vec3_sub(second[end], first[0]), u);
        try_pair(first, second, s, end, &best, &squared);
    }
    if (cross_inside(first, second, &s, &t)) {
        try_pair(first, second, s, t, &best, &squared);
    }
    best.distance = sqrt(squared);
    return best;
}

/* --- on the way ------------------------------------------------------------------------------- */

/* The cubic's roots are bracketed between its extremes, where halving cannot fail, and whatever moment they leave is
 * measured before it counts. */

/* Rounding of the cubic, in units of the largest value its factors allow. */
#define CUBIC_ERROR (64 * DBL_EPSILON)
/* A stretch of time in which things move by less than this part of the tolerance is a moment. */
#define MOMENT 0.1
/* A discriminant that is negative by less than this part of b^2 is zero: two roots fall together. */
#define DOUBLE_ROOT 1e-12
/* Iterations of a root search; halving alone needs 53. */
#define ITERATIONS 120
/* Ends and middle of the stretch, 2 roots x 3 axes x 4 sides, 3 axes x 4 pairs of corners. */
#define MOST_MOMENTS 40
/* Tolerances by which things that pass beside each other are apart at least: more than rounding takes. */
#define BESIDE 2.0

/* start + time * change */
typedef struct Linear {
    Vec3 start, change;
} Linear;

typedef struct Problem {
    int segments;     /* 0: a triangle and the origin; 1: two segments */
    Linear points[4]; /* as seen from the point, or from the first end of the first segment */
    double cubic[4];  /* coefficients of 1, t, t^2, t^3 */
    double error;     /* of the cubic's value */
    double tolerance; /* m */
    double speed;     /* of the fastest point, m per unit of time */
} Problem;

typedef struct Moments {
    double begin, end; /* only these times */
    double times[MOST_MOMENTS];
    int count;
} Moments;

static Linear linear_from(MovingPoint a, MovingPoint origin) {
    Vec3 start = vec3_sub(a.start, origin.start), end = vec3_sub(a.end, origin.end);
    return (Linear){start, vec3_sub(end, start)};
}

static Linear linear_sub(Linear a, Linear b) {
    return (Linear){vec3_sub(a.start, b.start), vec3_sub(a.change, b.change)};
}

static Vec3 linear_at(Linear a, double time) { return vec3_madd(a.start, time, a.change); }

static double linear_bound(Linear a) { return vec3_length(a.start) + vec3_length(a.change); }

static double determinant(Vec3 a, Vec3 b, Vec3 c) { return vec3_dot(a, vec3_cross(b, c)); }

/* --- the cubic -------------------------------------------------------------------------------- */

/* The volume spanned by three edges. */
static void set_cubic(Problem *problem, Linear a, Linear b, Linear c) {
    Vec3 p = a.start, q = b.start, r = c.start, dp = a.change, dq = b.change, dr = c.change;
    problem->cubic[0] = determinant(p, q, r);
    problem->cubic[1] = determinant(dp, q, r) + determinant(p, dq, r) + determinant(p, q, dr);
    problem->cubic[2] = determinant(p, dq, dr) + determinant(dp, q, dr) + determinant(dp, dq, r);
    problem->cubic[3] = determinant(dp, dq, dr);
    problem->error = CUBIC_ERROR * linear_bound(a) * linear_bound(b) * linear_bound(c);
}

static double value_at(const double c[4], double t) {
    return c[0] + t * (c[1] + t * (c[2] + t * c[3]));
}

static double slope_at(const double c[4], double t) { return c[1] + t * (2 * c[2] + t * 3 * c[3]); }

/* The cubic lies between its Bernstein coefficients: most pairs are done with here. */
static int never_zero(const Problem *problem) {
    const double *c = problem->cubic;
    double b[4] = {c[0], c[0] + c[1] / 3, c[0] + (2 * c[1] + c[2]) / 3, c[0] + c[1] + c[2] + c[3]};
    double low = b[0], high = b[0];
    for (int i = 1; i < 4; ++i) {
        low = b[i] < low ? b[i] : low;
        high = b[i] > high ? b[i] : high;
    }
    return low > problem->error || high < -problem->error;
}

/* Roots of a + b t + c t^2; returns how many. */
static int quadratic_roots(double a, double b, double c, double roots[2]) {
    double inside = b * b - 4 * a * c;
    if (inside < 0 && inside > -DOUBLE_ROOT * b * b) {
        inside = 0;
    }
    if (!(inside >= 0)) {
        return 0;
    }
    double q = -0.5 * (b + (b < 0 ? -sqrt(inside) : sqrt(inside)));
    int count = 0;
    if (c != 0) {
        roots[count++] = q / c;
    }
    if (q != 0) {
        roots[count++] = a / q;
    }
    return count;
}

/* 0, the inner extremes in order, 1: the cubic rises or falls throughout in between. */
static int cut_monotone(const double c[4], double cuts[4]) {
    double roots[2];
    int found = quadratic_roots(c[1], 2 * c[2], 3 * c[3], roots), count = 0;
    if (found == 2 && roots[1] < roots[0]) {
        double kept = roots[0];
        roots[0] = roots[1];
        roots[1] = kept;
    }
    cuts[count++] = 0;
    for (int i = 0; i < found; ++i) {
        if (roots[i] > cuts[count - 1] && roots[i] < 1) {
            cuts[count++] = roots[i];
        }
    }
    cuts[count++] = 1;
    return count;
}

/* Where the cubic, times sign rising from below target to above it, has that value. Newton's step where
 * it stays in the bracket and more than halves it in two iterations, else the middle. */
static double solve(const double c[4], double sign, double target, double low, double high) {
    double t = 0.5 * (low + high), before = high - low;
    for (int i = 0; i < ITERATIONS; ++i) {
        double value = sign * value_at(c, t) - target, slope = sign * slope_at(c, t);
        if (value < 0) {
            low = t;
        } else {
            high = t;
        }
        double next = t - value / (slope > 0 ? slope : DBL_MIN);
        if (!(next > low && next < high) || 2 * fabs(next - t) > before) {
            next = 0.5 * (low + high);
        }
        before = fabs(next - t);
        if (before <= DBL_EPSILON * t || before < DBL_MIN) {
            break;
        }
        t = next;
    }
    return t;
}

/* The stretch of a monotone interval in which the cubic is zero within rounding; false if there is none. */
static bool zero_stretch(const Problem *problem, double low, double high, double stretch[2]) {
    const double *c = problem->cubic;
    double at_low = value_at(c, low), at_high = value_at(c, high);
    double sign = at_high < at_low ? -1 : 1;
    at_low *= sign;
    at_high *= sign;
    if (!(at_low <= problem->error && at_high >= -problem->error)) {
        return false;
    }
    stretch[0] = at_low >= -problem->error ? low : solve(c, sign, -problem->error, low, high);
    stretch[1] = at_high <= problem->error ? high : solve(c, sign, problem->error, low, high);
    return true;
}

/* --- meeting within one plane ----------------------------------------------------------------- */

static void add_moment(Moments *moments, double time) {
    if (!(time >= moments->begin && time <= moments->end) || moments->count == MOST_MOMENTS) {
        return;
    }
    int at = moments->count++;
    for (; at > 0 && moments->times[at - 1] > time; --at) {
        moments->times[at] = moments->times[at - 1];
    }
    moments->times[at] = time;
}

static void add_quadratic(Moments *moments, double a, double b, double c) {
    double roots[2];
    int count = quadratic_roots(a, b, c, roots);
    for (int i = 0; i < count; ++i) {
        add_moment(moments, roots[i]);
    }
}

/* When two vectors come in line, as seen along each axis. */
static void add_in_line(Moments *moments, Linear a, Linear b) {
    Vec3 at_start = vec3_cross(a.start, b.start), squared = vec3_cross(a.change, b.change);
    Vec3 slope = vec3_add(vec3_cross(a.start, b.change), vec3_cross(a.change, b.start));
    add_quadratic(moments, at_start.x, slope.x, squared.x);
    add_quadratic(moments, at_start.y, slope.y, squared.y);
    add_quadratic(moments, at_start.z, slope.z, squared.z);
}

/* When a vector vanishes, as seen along each axis. */
static void add_vanishing(Moments *moments, Linear a) {
    add_quadratic(moments, a.start.x, a.change.x, 0);
    add_quadratic(moments, a.start.y, a.change.y, 0);
    add_quadratic(moments, a.start.z, a.change.z, 0);
}

/* Within a plane, a point enters a triangle across a side; along a line, over a corner. */
static void add_triangle_moments(const Problem *problem, Moments *moments) {
    for (int k = 0; k < 3; ++k) {
        Linear corner = problem->points[k];
        add_in_line(moments, corner, linear_sub(problem->points[(k + 1) % 3], corner));
        add_vanishing(moments, corner);
    }
}

/* Within a plane, segments meet with an end of one of them; along a line, with two ends. */
static void add_segment_moments(const Problem *problem, Moments *moments) {
    const Linear *first = problem->points, *second = problem->points + 2;
    Linear u = linear_sub(first[1], first[0]), v = linear_sub(second[1], second[0]);
    for (int end = 0; end < 2; ++end) {
        add_in_line(moments, linear_sub(first[end], second[0]), v);
        add_in_line(moments, linear_sub(second[end], first[0]), u);
        add_vanishing(moments, linear_sub(second[end], first[0]));
        add_vanishing(moments, linear_sub(second[end], first[1]));
    }
}

/* --- beside each other ------------------------------------------------------------------------ */

/* What leads from one of the two to the other: the triangle as seen from the point, or the parallelogram of ways between
 * two segments. They meet where it holds the origin. Returns how many corners it has. */
static int between(const Problem *problem, Linear corners[4]) {
    const Linear *p = problem->points;
    if (!problem->segments) {
        corners[0] = p[0], corners[1] = p[1], corners[2] = p[2];
        return 3;
    }
    corners[0] = linear_sub(p[2], p[0]), corners[1] = linear_sub(p[3], p[0]);
    corners[2] = linear_sub(p[3], p[1]), corners[3] = linear_sub(p[2], p[1]);
    return 4;
}

/* Whether all corners stay before the origin, or all behind it, as seen along a direction. What is linear in time and
 * between corners is largest at one of them, at the start or at the end. */
static bool separates(Vec3 direction, const Linear *corners, int count, double margin) {
    double low = INFINITY, high = -INFINITY, least = margin * vec3_length(direction);
    for (int c = 0; c < count; ++c) {
        double start = vec3_dot(direction, corners[c].start);
        double end = start + vec3_dot(direction, corners[c].change);
        low = fmin(low, fmin(start, end));
        high = fmax(high, fmax(start, end));
    }
    return low > least || high < -least;
}

/* Most things that come into one plane pass beside each other there. Seen along their way they hardly move, and what
 * separates them stands on one of the sides. */
static bool goes_beside(const Problem *problem) {
    Linear corners[4];
    Vec3 way = vec3(0, 0, 0);
    int count = between(problem, corners);
    for (int c = 0; c < count; ++c) {
        way = vec3_add(way, corners[c].change);
    }
    for (int c = 0; c < 3; ++c) {
        Vec3 side = linear_at(linear_sub(corners[(c + 1) % count], corners[c]), 0.5);
        if (separates(vec3_cross(way, side), corners, count, BESIDE * problem->tolerance)) {
            return true;
        }
    }
    return false;
}

/* --- the search ------------------------------------------------------------------------------- */

static int meet_at(const Problem *problem, double time, Meeting *meeting) {
    Vec3 at[4];
    for (int i = 0; i < 4; ++i) {
        at[i] = linear_at(problem->points[i], time);
    }
    Meeting found = {.time = time};
    double distance;
    if (problem->segments) {
        SegmentPair pair = closest_of_segments(at, at + 2);
        distance = pair.distance;
        found.weights[0] = pair.parameters[0];
        found.weights[1] = pair.parameters[1];
    } else {
        TrianglePoint nearest = closest_on_triangle(vec3(0, 0, 0), at);
        distance = nearest.distance;
        for (int c = 0; c < 3; ++c) {
            found.weights[c] = nearest.weights[c];
        }
    }
    if (!(distance <= problem->tolerance)) {
        return 0;
    }
    *meeting = found;
    return 1;
}

/* The first meeting in a stretch of time in which everything is in one plane. */
static int meet_within(const Problem *problem, double begin, double end, Meeting *meeting) {
    Moments moments = {.begin = begin, .end = end};
    add_moment(&moments, begin);
    if ((end - begin) * problem->speed > MOMENT * problem->tolerance) {
        add_moment(&moments, 0.5 * (begin + end));
        add_moment(&moments, end);
        if (problem->segments) {
            add_segment_moments(problem, &moments);
        } else {
            add_triangle_moments(problem, &moments);
        }
    }
    for (int i = 0; i < moments.count; ++i) {
        if (meet_at(problem, moments.times[i], meeting)) {
            return 1;
        }
    }
    return 0;
}

static bool first_meeting(Problem *problem, Meeting *meeting) {
    if (never_zero(problem)) {
        return false;
    }
    double size = 0;
    for (int i = 0; i < 4; ++i) {
        Linear point = problem->points[i];
        double start = vec3_length(point.start), end = vec3_length(linear_at(point, 1));
        double speed = vec3_length(point.change);
        size = start > size ? start : size;
        size = end > size ? end : size;
        problem->speed = speed > problem->speed ? speed : problem->speed;
    }
    problem->tolerance = CCD_TOLERANCE * size;
    if (goes_beside(problem)) {
        return false;
    }
    double cuts[4], stretch[2];
    int count = cut_monotone(problem->cubic, cuts);
    for (int i = 0; i + 1 < count; ++i) {
        if (zero_stretch(problem, cuts[i], cuts[i + 1], stretch) &&
            meet_within(problem, stretch[0], stretch[1], meeting)) {
            return true;
        }
    }
    return false;
}

int ccd_point_triangle(MovingPoint point, const MovingPoint triangle[3], Meeting *meeting) {
    Problem problem = {.segments = 0};
    for (int c = 0; c < 3; ++c) {
        problem.points[c] = linear_from(triangle[c], point);
    }
    /* short edges from the places themselves: nothing is lost to a far point */
    set_cubic(&problem, problem.points[0], linear_from(triangle[1], triangle[0]),
              linear_from(triangle[2], triangle[0]));
    return first_meeting(&problem, meeting);
}

int ccd_segments(const MovingPoint first[2], const MovingPoint second[2], Meeting *meeting) {
    Problem problem = {.segments = 1};
    for (int end = 0; end < 2; ++end) {
        problem.points[end] = linear_from(first[end], first[0]);
        problem.points[2 + end] = linear_from(second[end], first[0]);
    }
    set_cubic(&problem, problem.points[2], problem.points[1], linear_from(second[1], second[0]));
    return first_meeting(&problem, meeting);
}
