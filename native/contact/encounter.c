#include "contact/encounter.h"

#include "contact/ccd.h"
#include "contact/closest.h"

/* Parts no further apart than this touch, m. */
#define TOUCH 1e-10
/* What an axis must leave between two parts: at the start beyond rounding, at the end so much that they
 * do not touch when the next motion starts, m. */
#define START_ROOM 1e-12
#define END_ROOM 1e-9
/* Part of a way's length that tells its side from noise. */
#define SIDE 1e-6

/* --- apart ------------------------------------------------------------------------------------ */

/* The room between two sets along an axis: by how much the lowest of the first is above the highest of
 * the second, times the axis' length. */
static double room_above(Vec3 axis, const Vec3 *first, int first_count, const Vec3 *second,
                         int second_count) {
    Vec3 origin = second[0];
    double low = INFINITY, high = 0;
    for (int i = 1; i < second_count; ++i) {
        double at = vec3_dot(axis, vec3_sub(second[i], origin));
        high = at > high ? at : high;
    }
    for (int i = 0; i < first_count; ++i) {
        double at = vec3_dot(axis, vec3_sub(first[i], origin));
        low = at < low ? at : low;
    }
    return low - high;
}

int encounter_axis_parts(Vec3 axis, const Vec3 *first_start, const Vec3 *first_end, int first_count,
                         const Vec3 *second_start, const Vec3 *second_end, int second_count) {
    double length = vec3_length(axis);
    double room = room_above(axis, first_start, first_count, second_start, second_count);
    if (!(room > START_ROOM * length)) {
        return 0;
    }
    room = room_above(axis, first_end, first_count, second_end, second_count);
    return room > END_ROOM * length;
}

static int axis_parts(const Ways *ways, Vec3 axis) {
    int split = ways->split;
    return encounter_axis_parts(axis, ways->start, ways->end, split, ways->start + split,
                                ways->end + split, 4 - split);
}

/* From the middle of the second part to that of the first. */
static Vec3 between_middles(const Vec3 x[4], int split) {
    static const double weights[3][4] = {
        {0}, {1, -1.0 / 3, -1.0 / 3, -1.0 / 3}, {0.5, 0.5, -0.5, -0.5}};
    return encounter_between(weights[split], x);
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

static int meet(const Ways *ways, double weights[4], double *time) {
    MovingPoint points[4];
    Meeting meeting;
    for (int j = 0; j < 4; ++j) {
        points[j] = (MovingPoint){ways->start[j], ways->end[j]};
    }
    if (ways->split == 1) {
        if (!ccd_point_triangle(points[0], points + 1, &meeting)) {
            return 0;
        }
        weights[0] = 1;
        for (int c = 0; c < 3; ++c) {
            weights[1 + c] = -meeting.weights[c];
        }
    } else {
        if (!ccd_segments(points, points + 2, &meeting)) {
            return 0;
        }
        weights[0] = 1 - meeting.weights[0];
        weights[1] = meeting.weights[0];
        weights[2] = meeting.weights[1] - 1;
        weights[3] = -meeting.weights[1];
    }
    *time = meeting.time;
    return 1;
}

/* Across the two parts at the time they meet, to the side the first came from. `way` is the shortest one at
 * the start: it decides where the points that meet came along the surface itself. */
static Vec3 normal_of(const Ways *ways, const Encounter *encounter, Vec3 way) {
    Vec3 at[4], zero = {0, 0, 0};
    for (int j = 0; j < 4; ++j) {
        Vec3 moved = vec3_sub(ways->end[j], ways->start[j]);
        at[j] = vec3_madd(ways->start[j], encounter->time, moved);
    }
    Vec3 across = ways->split == 1
                      ? vec3_normal_or(vec3_sub(at[2], at[1]), vec3_sub(at[3], at[1]), zero)
                      : vec3_normal_or(vec3_sub(at[1], at[0]), vec3_sub(at[3], at[2]), zero);
    Vec3 came = encounter_between(encounter->weights, ways->start);
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

int encounter_find(const Ways *ways, Encounter *encounter) {
    int split = ways->split;
    if (axis_parts(ways, between_middles(ways->start, split))) {
        return 0;
    }
    Vec3 way = shortest_way(ways->start, split);
    if (axis_parts(ways, way) || axis_parts(ways, shortest_way(ways->end, split))) {
        return 0;
    }
    double distance = vec3_length(way), weights[4], time;
    if (!(distance > TOUCH) || !meet(ways, weights, &time)) {
        return 0;
    }
    encounter->split = split;
    encounter->time = time;
    for (int j = 0; j < 4; ++j) {
        encounter->weights[j] = weights[j];
    }
    encounter->normal = normal_of(ways, encounter, way);
    return 1;
}

/* --- through each other ----------------------------------------------------------------------- */

int encounter_pierces(const Vec3 edge[2], const Vec3 triangle[3]) {
    Vec3 ab = vec3_sub(triangle[1], triangle[0]), ac = vec3_sub(triangle[2], triangle[0]);
    Vec3 normal = vec3_cross(ab, ac);
    double first = vec3_dot(normal, vec3_sub(edge[0], triangle[0]));
    double second = vec3_dot(normal, vec3_sub(edge[1], triangle[0]));
    if ((first > 0 && second > 0) || (first < 0 && second < 0) || first == second) {
        return 0;
    }
    /* By the place where it comes through: volumes would be noise where all lie in one plane. */
    Vec3 at = vec3_madd(edge[0], first / (first - second), vec3_sub(edge[1], edge[0]));
    Vec3 ap = vec3_sub(at, triangle[0]);
    double area = vec3_dot(normal, normal);
    double b = vec3_dot(vec3_cross(ap, ac), normal), c = vec3_dot(vec3_cross(ab, ap), normal);
    return b >= 0 && c >= 0 && b + c <= area;
}
