/* Links are sorted both ways, so each vertex's neighbours lie together and ascend. */
#include "mirror/symmetry/neighbours.h"

#include <stdlib.h>

#include "mesh/adjacency.h"

/* From a vertex to a neighbour. */
typedef int Link[2];

static void add_both(Link *links, int *count, int a, int b) {
    if (a != b) {
        links[*count][0] = links[*count + 1][1] = a;
        links[*count][1] = links[*count + 1][0] = b;
        *count += 2;
    }
}

static int collect(const PolygonMesh *mesh, Link *links) {
    int count = 0;
    const int32_t *corner = mesh->face_vertices;
    for (int f = 0; f < mesh->face_count; ++f) {
        int size = mesh->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            add_both(links, &count, corner[c], corner[(c + 1) % size]);
        }
        corner += size;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        add_both(links, &count, mesh->edges[2 * e], mesh->edges[2 * e + 1]);
    }
    return count;
}

int neighbours_build(const PolygonMesh *mesh, Store *store, Neighbours *neighbours) {
    int64_t sides = mesh->edge_count;
    for (int f = 0; f < mesh->face_count; ++f) {
        sides += mesh->face_sizes[f];
    }
    Link *links = STORE_ARRAY(store, Link, 2 * sides);
    neighbours->first = STORE_ARRAY(store, int, mesh->vertex_count + (int64_t)1);
    neighbours->list = STORE_ARRAY(store, int, 2 * sides);
    if (store->failed) {
        return -1;
    }
    int count = collect(mesh, links), kept = 0;
    qsort(links, (size_t)count, sizeof *links, side_compare_ends);
    for (int i = 0; i < count; ++i) {
        if (i == 0 || side_compare_ends(links[i], links[i - 1]) != 0) {
            neighbours->list[kept++] = links[i][1];
            ++neighbours->first[links[i][0] + 1];
        }
    }
    for (int v = 0; v < mesh->vertex_count; ++v) {
        neighbours->first[v + 1] += neighbours->first[v];
    }
    return 0;
}

int neighbours_are(const Neighbours *neighbours, int a, int b) {
    int begin = neighbours->first[a], end = neighbours->first[a + 1];
    while (begin < end) {
        int middle = begin + (end - begin) / 2;
        if (neighbours->list[middle] < b) {
            begin = middle + 1;
        } else {
            end = middle;
        }
    }
    return begin < neighbours->first[a + 1] && neighbours->list[begin] == b;
}
