/* The nearest point is the foot of the perpendicular if that falls inside, else the nearest of the three sides; both are
 * computed for all, and one is taken. */
#include "geometry/triangle_bounds.h"

#include "geometry/lanes.h"

/* Squared ratio of a triangle's height to its longest side below which rounding may turn its plane. */
#define STURDY 1e-4F
/* Rounding changes a distance by less than 5e-5 of the triangle's size and its own distance, so its square by less than
 * this part of theirs, with room to spare; */
#define ROUNDED 3e-4F
/* and spots, by this part of the largest coordinate, by this many times its square: 2 a b < 1e-4 a^2 + 1e4 b^2. */
#define BLURRED 4e-7
#define BLURS 1e5
/* Sides without length. */
#define LEAST 1e-30F

/* One corner of four triangles, seen from the point. */
static inline Vectors corner_of(const TriangleSpots *spots, int (*const corners)[3],
                                const int triangles[LANES], int corner, Four point) {
    Four rows[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        rows[lane] = *(const Four *)spots->spots[corners[triangles[lane]][corner]].at - point;
    }
    return side_by_side(rows);
}

/* Squared distance of the origin from the side that begins at `a`, whose squared length is `squared`. */
static inline Four from_side(Vectors a, Vectors side, Four squared) {
    Four zero = {0, 0, 0, 0},
         t = lower(higher(-vectors_dot(a, side) / (squared + LEAST), zero), zero + 1);
    Vectors nearest = vectors_sum(a, vectors_times(side, t));
    return vectors_dot(nearest, nearest);
}

static inline void bound_four(const TriangleSpots *spots, Four point, float blur,
                              int (*const corners)[3], const int triangles[LANES],
                              TriangleBound bounds[LANES]) {
    Vectors a = corner_of(spots, corners, triangles, 0, point);
    Vectors b = corner_of(spots, corners, triangles, 1, point);
    Vectors c = corner_of(spots, corners, triangles, 2, point);
    Vectors ab = vectors_less(b, a), bc = vectors_less(c, b), ca = vectors_less(a, c),
            normal = vectors_cross(ca, ab);
    Four lengths[3] = {vectors_dot(ab, ab), vectors_dot(bc, bc), vectors_dot(ca, ca)};
    Four span = higher(higher(lengths[0], lengths[1]), lengths[2]),
         area = vectors_dot(normal, normal);
    Four sides = lower(lower(from_side(a, ab, lengths[0]), from_side(b, bc, lengths[1])),
                       from_side(c, ca, lengths[2]));
    Four of_b = vectors_dot(vectors_cross(a, ca), normal),
         of_c = vectors_dot(vectors_cross(a, ab), normal), zero = {0, 0, 0, 0};
    Four along = vectors_dot(a, normal), plane = along * along / area;
    Signs inside = (of_b > zero) & (of_c > zero) & (area - of_b - of_c > zero);
    Signs sturdy = area > STURDY * span * span;
    Four squared = chosen(inside & sturdy, plane, sides);
    Four error = ROUNDED * (vectors_dot(a, a) + span) + blur;
    Four low = chosen(sturdy, squared - error, -error), high = squared + error;
    for (int lane = 0; lane < LANES; ++lane) {
        bounds[lane] = (TriangleBound){low[lane], high[lane]};
    }
}

void triangle_spots_place(TriangleSpots *spots, int count, const Vec3 *x, Vec3 middle,
                          double farthest) {
    spots->middle = middle;
    spots->farthest = farthest;
    for (int v = 0; v < count; ++v) {
        Vec3 seen = vec3_sub(x[v], middle);
        spots->spots[v] = (TriangleSpot){{(float)seen.x, (float)seen.y, (float)seen.z, 0}};
    }
}

void triangle_bounds(const TriangleSpots *spots, Vec3 point, int (*const corners)[3],
                     const int *triangles, int count, TriangleBound *bounds) {
    Vec3 seen = vec3_sub(point, spots->middle);
    Four at = {(float)seen.x, (float)seen.y, (float)seen.z, 0};
    double far = spots->farthest + vec3_length(seen), blur = BLURRED * far;
    for (int first = 0; first < count; first += LANES) {
        int four[LANES];
        for (int lane = 0; lane < LANES; ++lane) {
            four[lane] = triangles[first + lane < count ? first + lane : count - 1];
        }
        bound_four(spots, at, (float)(BLURS * blur * blur), corners, four, bounds + first);
    }
}
