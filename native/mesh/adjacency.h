/* A side of a face, or an edge, as its two vertices, the smaller one first. Sorting sides shows which faces share one; it
 * needs no hash, so the same mesh always gives the same order. */
#pragma once

#include "base/lists.h"
#include "mesh/mesh.h"

/* What records of sides begin with. */
typedef struct Side {
    int a, b;      /* a < b */
    int order;     /* among equal sides: that of the faces, or the one in which they came */
    bool reversed; /* it was given from b to a */
} Side;

static inline Side side_between(int a, int b, int order) {
    return (Side){.a = a < b ? a : b, .b = a < b ? b : a, .order = order, .reversed = a > b};
}

static inline bool side_is_same(const Side *p, const Side *q) {
    return p->a == q->a && p->b == q->b;
}

/* Below 0 if a-b comes before c-d, above 0 if after it. */
static inline int side_order(int a, int b, int c, int d) {
    return a != c ? (a > c) - (a < c) : (b > d) - (b < d);
}

/* For qsort() or sort_records(), of records that begin with a Side. */
static inline int side_compare(const void *left, const void *right) {
    const Side *p = left, *q = right;
    int order = side_order(p->a, p->b, q->a, q->b);
    return order ? order : (p->order > q->order) - (p->order < q->order);
}

/* How many records from number `at` on have the same side, of sorted ones of `size` bytes that begin with a Side. */
static inline int side_run(const void *records, size_t size, int count, int at) {
    const char *first = (const char *)records + size * (size_t)at;
    int run = 1;
    while (at + run < count &&
           side_is_same((const Side *)first, (const Side *)(first + size * (size_t)run))) {
        ++run;
    }
    return run;
}

/* As side_compare(), of records that are two vertices and nothing else. */
static inline int side_compare_ends(const void *left, const void *right) {
    const int *p = left, *q = right;
    return side_order(p[0], p[1], q[0], q[1]);
}

/* The place of a-b among sides that are sorted and each there once; -1 if it is none of them. */
static inline int side_find(int (*sides)[2], int count, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a, begin = 0, end = count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (side_order(sides[middle][0], sides[middle][1], low, high) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < count && sides[begin][0] == low && sides[begin][1] == high ? begin : -1;
}

/* The number of the edge between two vertices that have one: edges are sorted by their ends. */
static inline int mesh_edge_between(const Mesh *mesh, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a, begin = 0, end = mesh->edge_count;
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (side_order(mesh->edges[middle].a, mesh->edges[middle].b, low, high) < 0) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin;
}

/* Lists the triangles of each vertex, ascending: `start` has a place more than there are vertices and comes in as zeros. */
static inline void mesh_list_triangles(const Mesh *mesh, int *start, int *triangles) {
    for (int c = 0; c < 3 * mesh->triangle_count; ++c) {
        ++start[mesh->triangles[c / 3].vertices[c % 3] + 1];
    }
    lists_begin(start, mesh->vertex_count);
    for (int c = 0; c < 3 * mesh->triangle_count; ++c) {
        triangles[start[mesh->triangles[c / 3].vertices[c % 3]]++] = c / 3;
    }
    lists_rewind(start, mesh->vertex_count);
}

/* --- connected components --------------------------------------------------------------------- */

/* Union-find over vertices. `parent[v] == v` marks the root of a set. */

static inline int components_root(int *parent, int v) {
    while (parent[v] != v) {
        parent[v] = parent[parent[v]];
        v = parent[v];
    }
    return v;
}

static inline void components_join(int *parent, int a, int b) {
    parent[components_root(parent, a)] = components_root(parent, b);
}

/* Likewise, but the smaller of the two that stand for the sets stands for both: for components_number(). */
static inline void components_join_first(int *parent, int a, int b) {
    a = components_root(parent, a);
    b = components_root(parent, b);
    parent[a > b ? a : b] = a > b ? b : a;
}

/* Numbers the sets in the order of their first vertices, and gives each vertex its set's; returns how many there are.
 * A root is the first vertex of its set, so every other one finds it numbered; numbers are kept below zero until all
 * are given. */
static inline int components_number(int *parent, int count) {
    int sets = 0;
    for (int v = 0; v < count; ++v) {
        parent[v] = parent[v] == v ? -1 - sets++ : parent[parent[v]];
    }
    for (int v = 0; v < count; ++v) {
        parent[v] = -1 - parent[v];
    }
    return sets;
}

/* The component of each vertex, numbered; returns how many there are. */
static inline int components_find(const Mesh *mesh, int *component) {
    for (int v = 0; v < mesh->vertex_count; ++v) {
        component[v] = v;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        components_join_first(component, mesh->edges[e].a, mesh->edges[e].b);
    }
    return components_number(component, mesh->vertex_count);
}
