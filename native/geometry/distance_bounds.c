/* The nearest point is the foot of the perpendicular if that falls inside, else the nearest of the three sides; both are
 * computed for all, and one is taken. */
#include "geometry/distance_bounds.h"

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

/* --- pairs of moving parts -------------------------------------------------------------------- */

/* Without branches: all features of a pair are asked, and the nearest is taken. What cancels is counted by cross
 * products, whose error does not grow where edges are nearly parallel. */

/* Squared ratio of a triangle's height to its longest side below which its sides stand for it. */
#define HAS_FACE 1e-4F
/* Squared sine below which edges are parallel. */
#define PARALLEL 1e-10F
/* Part of an edge's length by which parallel edges may be nearer than was found. */
#define ASKEW 2e-5F

static inline Vectors placed(const FourPairs *pairs, int k, const float *places, int stride) {
    Four rows[LANES];
    for (int lane = 0; lane < LANES; ++lane) {
        rows[lane] = *(const Four *)(places + (size_t)stride * (size_t)pairs->vertices[lane][k]);
    }
    return side_by_side(rows);
}

/* `number` over `whole`, between 0 and 1. */
static inline Four part_of(Four number, Four whole) {
    const Four zero = {0}, one = in_all_lanes(1);
    Four part = chosen(whole > 0, number / whole, zero);
    return lower(higher(part, zero), one);
}

/* From a segment's nearest point to one that is `from` away from its start. */
static inline Vectors from_segment(Vectors along, Vectors from) {
    Four t = part_of(vectors_dot(along, from), vectors_dot(along, along));
    return vectors_less(from, vectors_times(along, t));
}

static inline Four squares(Vectors a) { return vectors_dot(a, a); }

/* What rounding may have added to a distance is taken off; `size` is that of the places. */
static inline Four rounded_down(Four distance, Four size) {
    const Four zero = {0};
    return higher(distance - LANES_ROUNDED * (size + distance), zero);
}

Four vertex_distances(const FourPairs *pairs, const float *places, int stride) {
    Vectors p = placed(pairs, 0, places, stride), a = placed(pairs, 1, places, stride);
    Vectors b = placed(pairs, 2, places, stride), c = placed(pairs, 3, places, stride);
    Vectors ab = vectors_less(b, a), bc = vectors_less(c, b), ca = vectors_less(a, c);
    Vectors ap = vectors_less(p, a), bp = vectors_less(p, b), cp = vectors_less(p, c);
    Vectors normal = vectors_cross(ab, vectors_less(c, a));
    Four area = squares(normal), height = vectors_dot(normal, ap);
    Four longest = higher(squares(ab), higher(squares(bc), squares(ca)));
    Four nearest = lower(squares(from_segment(ab, ap)),
                         lower(squares(from_segment(bc, bp)), squares(from_segment(ca, cp))));
    Signs inside = (vectors_dot(vectors_cross(ab, ap), normal) > 0) &
                   (vectors_dot(vectors_cross(bc, bp), normal) > 0) &
                   (vectors_dot(vectors_cross(ca, cp), normal) > 0);
    Signs face = area > HAS_FACE * longest * longest;
    Four across = chosen(area > 0, height * height / area, nearest);
    /* Of a needle the face is no further from its sides than it is high. */
    Four high = chosen(face | (area <= 0), (Four){0}, roots(area / longest));
    Four distance = roots(chosen(face & inside, lower(across, nearest), nearest)) - high;
    Four size = vectors_size(a) + vectors_size(b) + vectors_size(c) + vectors_size(p);
    return rounded_down(distance, size);
}

Four edge_distances(const FourPairs *pairs, const float *places, int stride) {
    Vectors a = placed(pairs, 0, places, stride), b = placed(pairs, 2, places, stride);
    Vectors u = vectors_less(placed(pairs, 1, places, stride), a);
    Vectors v = vectors_less(placed(pairs, 3, places, stride), b);
    Vectors between = vectors_less(b, a), normal = vectors_cross(u, v);
    Four first = squares(u), second = squares(v), area = squares(normal);
    Signs askew = area > PARALLEL * first * second;
    /* On the first line nearest to the second, then on the second, then on the first again: ends are kept to. */
    Four s =
        part_of(vectors_dot(vectors_cross(between, v), normal), chosen(askew, area, (Four){0}));
    Four t = part_of(vectors_dot(v, vectors_less(vectors_times(u, s), between)), second);
    s = part_of(vectors_dot(u, vectors_sum(vectors_times(v, t), between)), first);
    Vectors gap = vectors_less(vectors_sum(between, vectors_times(v, t)), vectors_times(u, s));
    Four lost = chosen(askew, (Four){0}, ASKEW * roots(first));
    Four size = vectors_size(a) + vectors_size(b) + vectors_size(u) + vectors_size(v);
    return rounded_down(roots(squares(gap)) - lost, size);
}

Four motions_past(const FourPairs *pairs, const SweptSpot *spots, int split) {
    Vectors moved[4];
    Four most = {0}, size = {0};
    for (int k = 0; k < 4; ++k) {
        Vectors start = placed(pairs, k, spots->at[0], 8), end = placed(pairs, k, spots->at[1], 8);
        moved[k] = vectors_less(end, start);
        size = higher(size, vectors_size(start) + vectors_size(end));
    }
    for (int i = 0; i < split; ++i) {
        for (int j = split; j < 4; ++j) {
            most = higher(most, squares(vectors_less(moved[i], moved[j])));
        }
    }
    return roots(most) * (1 + LANES_ROUNDED) + LANES_ROUNDED * size;
}
