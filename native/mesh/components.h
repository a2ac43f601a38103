/* Union-find: which vertices hang together. `parent[v] == v` marks the one that stands for its set. */
#ifndef MESH_COMPONENTS_H
#define MESH_COMPONENTS_H

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

#endif
