/* Boxes along the axes (m). The empty box has low above high and overlaps nothing; a coordinate that
 * is no number enlarges nothing. */
#pragma once

#include <math.h>

#include "base/parallel.h"
#include "base/vec3.h"

typedef struct Box {
    Vec3 low, high;
} Box;

static inline Box box_empty(void) {
    return (Box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
}

static inline Vec3 box_lower(Vec3 a, Vec3 b) {
    return vec3(b.x < a.x ? b.x : a.x, b.y < a.y ? b.y : a.y, b.z < a.z ? b.z : a.z);
}

static inline Vec3 box_higher(Vec3 a, Vec3 b) {
    return vec3(b.x > a.x ? b.x : a.x, b.y > a.y ? b.y : a.y, b.z > a.z ? b.z : a.z);
}

static inline Box box_join(Box a, Box b) {
    return (Box){box_lower(a.low, b.low), box_higher(a.high, b.high)};
}

static inline Box box_with_point(Box a, Vec3 p) {
    return (Box){box_lower(a.low, p), box_higher(a.high, p)};
}

static inline Box box_of_two(Vec3 a, Vec3 b) {
    return box_with_point(box_with_point(box_empty(), a), b);
}

static inline Box box_of_points(const Vec3 *points, int count) {
    Box box = box_empty();
    for (int i = 0; i < count; ++i) {
        box = box_with_point(box, points[i]);
    }
    return box;
}

/* Around some of so many points. */
static inline Box box_of_subset(const Vec3 *points, const Subset *subset, int count) {
    Box box = box_empty();
    for (int i = subset_first(subset); i < count; i = subset_next(subset, i)) {
        box = box_with_point(box, points[i]);
    }
    return box;
}

/* Around those of the points that are listed. */
static inline Box box_of_listed(const Vec3 *points, const int *list, int count) {
    Box box = box_empty();
    for (int i = 0; i < count; ++i) {
        box = box_with_point(box, points[list[i]]);
    }
    return box;
}

static inline Box box_grown(Box a, double margin) {
    Vec3 m = vec3(margin, margin, margin);
    return (Box){vec3_sub(a.low, m), vec3_add(a.high, m)};
}

/* 0, 1 or 2: along x, y or z; of equal ones the first. */
static inline int box_longest_axis(const Box *box) {
    Vec3 size = vec3_sub(box->high, box->low);
    int axis = size.y > size.x ? 1 : 0;
    return size.z > vec3_along(size, axis) ? 2 : axis;
}

/* The middle, to see single precision from; 0 along an axis without a finite one. */
static inline Vec3 box_middle(const Box *box) {
    Vec3 middle = vec3_scale(0.5, vec3_add(box->low, box->high));
    return vec3(isfinite(middle.x) ? middle.x : 0.0, isfinite(middle.y) ? middle.y : 0.0,
                isfinite(middle.z) ? middle.z : 0.0);
}

/* Touching counts. */
static inline bool box_overlaps(const Box *a, const Box *b) {
    return a->low.x <= b->high.x && b->low.x <= a->high.x && a->low.y <= b->high.y &&
           b->low.y <= a->high.y && a->low.z <= b->high.z && b->low.z <= a->high.z;
}
