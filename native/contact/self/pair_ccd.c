/* One or two axes rule out almost all pairs whose boxes overlap; the cubic is solved for the few that are left. */
#include "contact/self/pair_ccd.h"

#include "geometry/distance.h"

/* Parts no further apart than this touch, m. */
#define TOUCH 1e-10
/* How often a path is halved before the continuous test. */
#define HALVINGS 1
/* Part of a way's length that tells its side from noise. */
#define SIDE 1e-6

/* --- apart ------------------------------------------------------------------------------------ */

static int axis_parts(const Trajectory *path, Vec3 axis) {
    int one = path->split == 1, a = one ? 1 : 2, b = one ? 3 : 2;
    double start = pair_separation(axis, path->start, a, path->start + a, b);
    return start > 0 &&
           pair_is_separated(axis, start, pair_separation(axis, path->end, a, path->end + a, b));
}

/* From the middle of the second part to that of the first. */
static Vec3 between_middles(const Vec3 x[4], int split) {
    static const double weights[3][4] = {
        {0}, {1, -1.0 / 3, -1.0 / 3, -1.0 / 3}, {0.5, 0.5, -0.5, -0.5}};
    return pair_difference(weights[split], x);
}

/* From the second part to the first, by the shortest way. */
static Vec3 shortest_way(const Vec3 x[4], int split) {
    if (split == 1) {
        TrianglePoint nearest = closest_on_triangle(x[0], x + 1);
        return vec3_sub(x[0], nearest.point);
    }
    SegmentPair pair = closest_of_segments(x, x + 2);
    return vec3_sub(pair.points[0], pair.points[1]);
}

/* --- meeting ---------------------------------------------------------------------------------- */

bool pair_meet(const Trajectory *path, double weights[4], double *time) {
    MovingPoint points[4];
    Meeting meeting;
    for (int j = 0; j < 4; ++j) {
        points[j] = (MovingPoint){path->start[j], path->end[j]};
    }
    if (path->split == 1) {
        if (!ccd_point_triangle(points[0], points + 1, &meeting)) {
            return false;
        }
        weights[0] = 1;
        for (int c = 0; c < 3; ++c) {
            weights[1 + c] = -meeting.weights[c];
        }
    } else {
        if (!ccd_segments(points, points + 2, &meeting)) {
            return false;
        }
        weights[0] = 1 - meeting.weights[0];
        weights[1] = meeting.weights[0];
        weights[2] = meeting.weights[1] - 1;
        weights[3] = -meeting.weights[1];
    }
    *time = meeting.time;
    return true;
}

/* Across the two parts at the time they meet, to the side the first came from. `way` is the shortest one at
 * the start: it decides where the points that meet came along the surface itself. */
static Vec3 normal_of(const Trajectory *path, const CcdHit *hit, Vec3 way) {
    Vec3 at[4], sides[2], zero = {0, 0, 0};
    for (int j = 0; j < 4; ++j) {
        Vec3 moved = vec3_sub(path->end[j], path->start[j]);
        at[j] = vec3_madd(path->start[j], hit->time, moved);
    }
    pair_sides(at, path->split, sides);
    Vec3 across = vec3_normal_or(sides[0], sides[1], zero);
    Vec3 came = pair_difference(hit->weights, path->start);
    double side = vec3_dot(across, came), length = vec3_length(came);
    if (!(fabs(side) > SIDE * length && fabs(side) > TOUCH)) {
        side = vec3_dot(across, way);
        length = vec3_length(way);
        if (!(fabs(side) > 0.01 * length)) {
            return vec3_unit_or(way, zero);
        }
    }
    return vec3_scale(side < 0 ? -1 : 1, across);
}

/* Splits the way in halves, each with an axis of its own, `depth` times. `way` is the shortest one at the
 * start: things that turn together have no single axis. */
static bool stay_apart(const Trajectory *path, Vec3 way, int depth) {
    if (axis_parts(path, way)) {
        return true;
    }
    Vec3 last = shortest_way(path->end, path->split);
    if (axis_parts(path, last)) {
        return true;
    }
    if (depth == 0) {
        return false;
    }
    Trajectory halves[2] = {*path, *path};
    for (int j = 0; j < 4; ++j) {
        Vec3 middle = vec3_scale(0.5, vec3_add(path->start[j], path->end[j]));
        halves[0].end[j] = halves[1].start[j] = middle;
    }
    return stay_apart(&halves[0], way, depth - 1) &&
           stay_apart(&halves[1], shortest_way(halves[1].start, path->split), depth - 1);
}

bool pair_ccd(const Trajectory *path, CcdHit *hit) {
    int split = path->split;
    if (axis_parts(path, between_middles(path->start, split))) {
        return false;
    }
    Vec3 way = shortest_way(path->start, split);
    if (!(vec3_length(way) > TOUCH) || stay_apart(path, way, HALVINGS)) {
        return false;
    }
    double weights[4], time;
    if (!pair_meet(path, weights, &time)) {
        return false;
    }
    hit->split = split;
    hit->time = time;
    for (int j = 0; j < 4; ++j) {
        hit->weights[j] = weights[j];
    }
    hit->normal = normal_of(path, hit, way);
    return true;
}

/* --- through each other ----------------------------------------------------------------------- */

bool edge_meets_triangle(const Vec3 edge[2], const Vec3 triangle[3]) {
    Vec3 ab = vec3_sub(triangle[1], triangle[0]), ac = vec3_sub(triangle[2], triangle[0]);
    Vec3 normal = vec3_cross(ab, ac);
    double first = vec3_dot(normal, vec3_sub(edge[0], triangle[0]));
    double second = vec3_dot(normal, vec3_sub(edge[1], triangle[0]));
    if ((first > 0 && second > 0) || (first < 0 && second < 0) || first == second) {
        return false;
    }
    /* By the place where it comes through: volumes would be noise where all lie in one plane. */
    Vec3 at = vec3_madd(edge[0], first / (first - second), vec3_sub(edge[1], edge[0]));
    Vec3 ap = vec3_sub(at, triangle[0]);
    double area = vec3_dot(normal, normal);
    double b = vec3_dot(vec3_cross(ap, ac), normal), c = vec3_dot(vec3_cross(ab, ap), normal);
    return b >= 0 && c >= 0 && b + c <= area;
}
