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

#endif
