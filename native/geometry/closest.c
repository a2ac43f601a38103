/* Every candidate is measured from the point that it gives: the answer is then right for the needles of modelled
 * bodies, whose barycentric weights are noise. */
#include "geometry/closest.h"

/* Squared ratios of a triangle's height to its longest side: below the first it has no face, below
 * the second rounding may name the wrong side, so all of them are asked. */
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
