/* Descends two trees together, from subtrees of the first, one a task; each task has lists of its own. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "inspection/inspected.h"
#include "mesh/adjacency.h"

/* --- surfaces: sides are sorted once, motion only changes boxes ---------------------------------- */

typedef struct SurfaceSide {
    Side side; /* its order is the triangle */
    int place; /* in that triangle */
} SurfaceSide;

static void number_edges(InspectedSurface *surface, const SurfaceSide *sides) {
    int count = 0;
    for (int s = 0; s < 3 * surface->triangle_count; ++s) {
        const Side *side = &sides[s].side;
        if (s == 0 || !side_is_same(side, &sides[s - 1].side)) {
            surface->edges[count][0] = side->a;
            surface->edges[count][1] = side->b;
            surface->first[count++] = side->order;
        }
        surface->sides[side->order][sides[s].place] = count - 1;
    }
    surface->edge_count = count;
}

StatusCode inspected_surface_build(InspectedSurface *surface, int vertex_count, int triangle_count,
                                   const int (*triangles)[3], const Vec3 *x, Store *store,
                                   Status *status) {
    size_t side_count = 3 * (size_t)triangle_count;
    *surface = (InspectedSurface){
        .vertex_count = vertex_count,
        .triangle_count = triangle_count,
        .triangles = triangles,
        .x = x,
        .edges = store_take(store, side_count, sizeof *surface->edges),
        .sides = store_take(store, (size_t)triangle_count, sizeof *surface->sides),
        .first = STORE_ARRAY(store, int, side_count),
        .boxes = STORE_ARRAY(store, Box, triangle_count)};
    SurfaceSide *sides = SCRATCH_ARRAY(SurfaceSide, side_count);
    if (store->failed || !sides) {
        free(sides);
        return status_no_memory(status, "a surface");
    }
    for (int t = 0; t < triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            sides[3 * t + k] =
                (SurfaceSide){side_between(triangles[t][k], triangles[t][(k + 1) % 3], t), k};
        }
        surface->boxes[t] = box_of_listed(x, triangles[t], 3);
    }
    bool sorted = sort_records(sides, side_count, sizeof *sides, vertex_count, side_compare);
    if (sorted) {
        number_edges(surface, sides);
    }
    free(sides);
    return sorted ? bvh_build(&surface->tree, triangle_count, surface->boxes, store, status)
                  : status_no_memory(status, "a surface");
}

static void update_boxes(void *context, int begin, int end) {
    InspectedSurface *surface = context;
    for (int t = begin; t < end; ++t) {
        surface->boxes[t] = box_of_listed(surface->x, surface->triangles[t], 3);
    }
}

void inspected_surface_update(InspectedSurface *surface, Pool *pool) {
    pool_run(pool, surface->triangle_count, update_boxes, surface);
    bvh_refit(&surface->tree, pool, surface->boxes);
}

/* Tasks are the subtrees so many levels below the root. */
#define TASK_LEVELS 6
/* Of the tolerance: a triangle that is thinner has no reliable normal; its neighbours count. */
#define THINNEST 0.0625

typedef struct EdgeMeeting {
    const InspectedSurface *one, *other;
    double tolerance;
    bool within; /* both are the same surface */
    int level;   /* of the subtrees */
    Crossings (*found)[2];
} EdgeMeeting;

typedef struct Walk {
    const EdgeMeeting *meeting;
    Crossings *found; /* edges of the one through the other, and the other way round */
} Walk;

void crossings_free(Crossings *crossings) {
    free(crossings->items);
    *crossings = (Crossings){0};
}

static void add(Crossings *crossings, const Crossing *more, int count) {
    int wanted = crossings->count + count;
    if (wanted > crossings->room) {
        int room = 2 * wanted + 16;
        crossings->items = scratch_grow(crossings->items, (size_t)room, sizeof *crossings->items,
                                        &crossings->failed);
        crossings->room = crossings->failed ? crossings->room : room;
    }
    if (wanted <= crossings->room && count > 0) {
        memcpy(crossings->items + crossings->count, more, (size_t)count * sizeof *more);
        crossings->count = wanted;
    }
}

/* --- an edge and a triangle ------------------------------------------------------------------- */

typedef struct Plane {
    Vec3 normal, point; /* the normal has length 1, or 0 where the triangle is too thin */
} Plane;

static Plane plane_of(const InspectedSurface *surface, int t, double tolerance) {
    const int *c = surface->triangles[t];
    Vec3 a = surface->x[c[0]], ab = vec3_sub(surface->x[c[1]], a);
    Vec3 ac = vec3_sub(surface->x[c[2]], a), bc = vec3_sub(ac, ab);
    Vec3 normal = vec3_cross(ab, ac);
    double area = vec3_length(normal);
    double longest = sqrt(fmax(vec3_dot(ab, ab), fmax(vec3_dot(ac, ac), vec3_dot(bc, bc))));
    double factor = area > THINNEST * tolerance * longest ? 1.0 / area : 0.0;
    return (Plane){vec3_scale(factor, normal), a};
}

typedef enum Position { BESIDE, TOUCHING, CUT } Position;

/* How a triangle lies to the plane of another: all on one side of it, or with corners on both. Nobody knows of one that is
 * too thin. */
static Position position_to(const InspectedSurface *surface, int t, const Plane *plane,
                            double tolerance) {
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        Vec3 corner = surface->x[surface->triangles[t][k]];
        double distance = vec3_dot(vec3_sub(corner, plane->point), plane->normal);
        low = fmin(low, distance);
        high = fmax(high, distance);
    }
    return low > tolerance || high < -tolerance   ? BESIDE
           : low < -tolerance && high > tolerance ? CUT
                                                  : TOUCHING;
}

/* Six times the volume between the edge from p and a side of a triangle. Both triangles of a side find the same with
 * opposite signs, to the last bit. */
static double volume_at(const InspectedSurface *faced, int a, int b, Vec3 p, Vec3 along) {
    Vec3 low = vec3_sub(faced->x[a < b ? a : b], p), high = vec3_sub(faced->x[a < b ? b : a], p);
    double volume = vec3_dot(vec3_cross(low, high), along);
    volume = volume == 0 ? DBL_MIN : volume; /* through the side itself: one of the two has it */
    return a < b ? volume : -volume;
}

static bool passes(const InspectedSurface *edged, int e, const InspectedSurface *faced, int t,
                   const Plane *plane, double tolerance, Vec3 *point) {
    Vec3 p = edged->x[edged->edges[e][0]], q = edged->x[edged->edges[e][1]];
    double from = vec3_dot(vec3_sub(p, plane->point), plane->normal);
    double to = vec3_dot(vec3_sub(q, plane->point), plane->normal);
    if (fmin(from, to) >= -tolerance || fmax(from, to) <= tolerance) {
        return false;
    }
    const int *c = faced->triangles[t];
    Vec3 along = vec3_sub(q, p);
    double low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        double volume = volume_at(faced, c[k], c[(k + 1) % 3], p, along);
        low = fmin(low, volume);
        high = fmax(high, volume);
    }
    *point = vec3_madd(p, from / (from - to), along);
    return low > 0 || high < 0;
}

/* Whether an end of the edge is a corner of the triangle, or in the same place as one. */
static bool is_joined(const InspectedSurface *surface, int e, int t) {
    for (int end = 0; end < 2; ++end) {
        int v = surface->edges[e][end];
        for (int k = 0; k < 3; ++k) {
            int c = surface->triangles[t][k];
            if (v == c || is_same_place(surface->x[v], surface->x[c])) {
                return true;
            }
        }
    }
    return false;
}

/* The edges of triangle s that it tests, through triangle t. */
static void try_edges(const EdgeMeeting *meeting, const InspectedSurface *edged, int s,
                      const InspectedSurface *faced, int t, const Plane *plane, Crossings *found) {
    for (int k = 0; k < 3; ++k) {
        Crossing crossing = {.edge = edged->sides[s][k], .triangle = t};
        if (edged->first[crossing.edge] == s &&
            passes(edged, crossing.edge, faced, t, plane, meeting->tolerance, &crossing.point) &&
            !(meeting->within && is_joined(edged, crossing.edge, t))) {
            add(found, &crossing, 1);
        }
    }
}

static int shared_corners(const int *s, const int *t) {
    int shared = 0;
    for (int k = 0; k < 3; ++k) {
        shared += s[k] == t[0] || s[k] == t[1] || s[k] == t[2];
    }
    return shared;
}

static void try_pair(const Walk *walk, int s, int t) {
    const EdgeMeeting *meeting = walk->meeting;
    const InspectedSurface *one = meeting->one, *other = meeting->other;
    double tolerance = meeting->tolerance;
    if (meeting->within && shared_corners(one->triangles[s], one->triangles[t]) > 1) {
        return; /* every edge of the one ends in a corner of the other */
    }
    Plane of_t = plane_of(other, t, tolerance);
    Position s_position = position_to(one, s, &of_t, tolerance);
    if (s_position == BESIDE) {
        return;
    }
    Plane of_s = plane_of(one, s, tolerance);
    Position t_position = position_to(other, t, &of_s, tolerance);
    if (s_position == CUT && t_position != BESIDE) {
        try_edges(meeting, one, s, other, t, &of_t, &walk->found[0]);
    }
    if (t_position == CUT) {
        try_edges(meeting, other, t, one, s, &of_s, &walk->found[meeting->within ? 0 : 1]);
    }
}

/* --- two trees -------------------------------------------------------------------------------- */

typedef struct Node {
    int number, level;
} Node;

static void try_leaves(const Walk *walk, int leaf, int other_leaf) {
    const Bvh *one = &walk->meeting->one->tree, *other = &walk->meeting->other->tree;
    int end = bvh_leaf_begin(one, leaf + 1), other_end = bvh_leaf_begin(other, other_leaf + 1);
    for (int i = bvh_leaf_begin(one, leaf); i < end; ++i) {
        for (int j = bvh_leaf_begin(other, other_leaf); j < other_end; ++j) {
            if (box_overlaps(&one->boxes[i], &other->boxes[j])) {
                try_pair(walk, one->order[i], other->order[j]);
            }
        }
    }
}

static double longest_side(const Box *box) {
    Vec3 size = vec3_sub(box->high, box->low);
    return fmax(size.x, fmax(size.y, size.z));
}

static int leaf_of(Node node) { return node.number - ((1 << node.level) - 1); }

static void walk_down(const Walk *walk, Node a, Node b) {
    const Bvh *one = &walk->meeting->one->tree, *other = &walk->meeting->other->tree;
    const Box *box = &one->nodes[a.number], *other_box = &other->nodes[b.number];
    if (!box_overlaps(box, other_box)) {
        return;
    }
    bool a_ends = a.level == one->levels, b_ends = b.level == other->levels;
    if (a_ends && b_ends) {
        try_leaves(walk, leaf_of(a), leaf_of(b));
    } else if (b_ends || (!a_ends && longest_side(box) > longest_side(other_box))) {
        walk_down(walk, (Node){2 * a.number + 1, a.level + 1}, b);
        walk_down(walk, (Node){2 * a.number + 2, a.level + 1}, b);
    } else {
        walk_down(walk, a, (Node){2 * b.number + 1, b.level + 1});
        walk_down(walk, a, (Node){2 * b.number + 2, b.level + 1});
    }
}

/* Every pair of triangles below a node of one tree, once. */
static void walk_within(const Walk *walk, Node node) {
    const Bvh *tree = &walk->meeting->one->tree;
    if (node.level < tree->levels) {
        Node left = {2 * node.number + 1, node.level + 1};
        Node right = {2 * node.number + 2, node.level + 1};
        walk_within(walk, left);
        walk_within(walk, right);
        walk_down(walk, left, right);
        return;
    }
    int end = bvh_leaf_begin(tree, leaf_of(node) + 1);
    for (int i = bvh_leaf_begin(tree, leaf_of(node)); i < end; ++i) {
        for (int j = i + 1; j < end; ++j) {
            try_pair(walk, tree->order[i], tree->order[j]);
        }
    }
}

static void walk_subtrees(void *context, int begin, int end) {
    const EdgeMeeting *meeting = context;
    int first = (1 << meeting->level) - 1;
    for (int i = begin; i < end; ++i) {
        Walk walk = {meeting, meeting->found[i]};
        Node node = {first + i, meeting->level};
        if (!meeting->within) {
            walk_down(&walk, node, (Node){0, 0});
            continue;
        }
        walk_within(&walk, node);
        for (int j = i + 1; j <= first; ++j) {
            walk_down(&walk, node, (Node){first + j, meeting->level});
        }
    }
}

static int compare(const void *left, const void *right) {
    const Crossing *p = left, *q = right;
    return p->edge != q->edge ? (p->edge > q->edge) - (p->edge < q->edge)
                              : (p->triangle > q->triangle) - (p->triangle < q->triangle);
}

/* All of the tasks' lists together. */
static void gather(Crossings (*found)[2], int tasks, int which, Crossings *all) {
    all->count = 0;
    for (int i = 0; i < tasks; ++i) {
        add(all, found[i][which].items, found[i][which].count);
        all->failed |= found[i][which].failed;
        crossings_free(&found[i][which]);
    }
    if (all->count > 0) {
        qsort(all->items, (size_t)all->count, sizeof *all->items, compare);
    }
}

StatusCode crossings_find(Pool *pool, const InspectedSurface *one, const InspectedSurface *other,
                          double tolerance, Crossings *through_other, Crossings *through_one,
                          Status *status) {
    EdgeMeeting meeting = {
        .one = one, .other = other, .tolerance = tolerance, .within = one == other};
    int levels = one->tree.levels;
    meeting.level = levels < TASK_LEVELS ? levels : TASK_LEVELS;
    int tasks = 1 << meeting.level;
    meeting.found = scratch_take((size_t)tasks, sizeof *meeting.found);
    if (!meeting.found) {
        return status_no_memory(status, "crossings");
    }
    if (one->triangle_count > 0 && other->triangle_count > 0) {
        pool_each(pool, tasks, walk_subtrees, &meeting);
    }
    gather(meeting.found, tasks, 0, through_other);
    gather(meeting.found, tasks, 1, through_one);
    free(meeting.found);
    bool failed = through_other->failed || through_one->failed;
    return failed ? status_no_memory(status, "crossings") : STATUS_OK;
}
