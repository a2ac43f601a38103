#include "contact/skin.h"

#include <stdlib.h>

#include "mesh/components.h"

static int compare_edges(const void *a, const void *b) {
    const int *first = a, *second = b;
    int by_low = (first[0] > second[0]) - (first[0] < second[0]);
    return by_low ? by_low : (first[1] > second[1]) - (first[1] < second[1]);
}

static void put_edge(int (*edges)[2], int *count, int a, int b) {
    edges[*count][0] = a < b ? a : b;
    edges[*count][1] = a < b ? b : a;
    ++*count;
}

/* All sides and ropes into `edges`, each once. Returns how many. */
static int collect_edges(const Mesh *mesh, int (*edges)[2]) {
    int count = 0, kept = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles[t].vertices;
        for (int k = 0; k < 3; ++k) {
            put_edge(edges, &count, v[k], v[(k + 1) % 3]);
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edges[e].kind == EDGE_ROPE) {
            put_edge(edges, &count, mesh->edges[e].a, mesh->edges[e].b);
        }
    }
    qsort(edges, (size_t)count, sizeof *edges, compare_edges);
    for (int e = 0; e < count; ++e) {
        if (e == 0 || compare_edges(edges[e], edges[e - 1]) != 0) {
            edges[kept][0] = edges[e][0];
            edges[kept][1] = edges[e][1];
            ++kept;
        }
    }
    return kept;
}

/* Numbers the connected pieces in the order of their first vertices. */
static void label_components(Skin *skin) {
    int *parent = skin->component;
    for (int v = 0; v < skin->vertex_count; ++v) {
        parent[v] = v;
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        int a = components_root(parent, skin->edges[e][0]);
        int b = components_root(parent, skin->edges[e][1]);
        components_join(parent, a > b ? a : b, a > b ? b : a);
    }
    /* A root is the first vertex of its piece, so every other one finds it numbered; numbers are kept
     * below zero until all are given. */
    for (int v = 0; v < skin->vertex_count; ++v) {
        parent[v] = parent[v] == v ? -1 - skin->component_count++ : parent[parent[v]];
    }
    for (int v = 0; v < skin->vertex_count; ++v) {
        skin->component[v] = -1 - skin->component[v];
    }
}

StatusCode skin_build(Skin *skin, const Mesh *mesh, Store *store, Status *status) {
    size_t most = 3 * (size_t)mesh->triangle_count + (size_t)mesh->rope_count;
    int(*edges)[2] = scratch_take(most, sizeof *edges);
    *skin = (Skin){.vertex_count = mesh->vertex_count,
                   .triangle_count = mesh->triangle_count,
                   .rest = mesh->rest,
                   .triangles =
                       store_take(store, (size_t)mesh->triangle_count, sizeof *skin->triangles),
                   .component = STORE_ARRAY(store, int, mesh->vertex_count)};
    if (edges) {
        skin->edge_count = collect_edges(mesh, edges);
        skin->edges = store_take(store, (size_t)skin->edge_count, sizeof *skin->edges);
    }
    if (!edges || store->failed) {
        free(edges);
        return status_no_memory(status, "the surface for contact");
    }
    double length = 0;
    for (int e = 0; e < skin->edge_count; ++e) {
        skin->edges[e][0] = edges[e][0];
        skin->edges[e][1] = edges[e][1];
        double own = vec3_distance(mesh->rest[edges[e][0]], mesh->rest[edges[e][1]]);
        skin->longest_edge = own > skin->longest_edge ? own : skin->longest_edge;
        length += own;
    }
    skin->mean_edge = skin->edge_count ? length / skin->edge_count : 0.0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        for (int k = 0; k < 3; ++k) {
            skin->triangles[t][k] = mesh->triangles[t].vertices[k];
        }
    }
    free(edges);
    label_components(skin);
    return STATUS_OK;
}

int skin_edge(const Skin *skin, int a, int b) {
    int low = a < b ? a : b, high = a < b ? b : a, begin = 0, end = skin->edge_count;
    while (end - begin > 1) {
        int middle = begin + (end - begin) / 2;
        const int *edge = skin->edges[middle];
        int after = edge[0] != low ? edge[0] > low : edge[1] > high;
        begin = after ? begin : middle;
        end = after ? middle : end;
    }
    return begin;
}
