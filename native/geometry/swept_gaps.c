/* Without branches: the distances of all features of a pair are computed, and the smallest is taken. Cross products bound
 * the cancellation, since their error does not grow where edges are nearly parallel. */
#include "geometry/swept_gaps.h"

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
