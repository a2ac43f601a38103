/* Who shares a side of a face, or a loose edge, with whom. */
#ifndef MIRROR_SYMMETRY_NEIGHBOURS_H
#define MIRROR_SYMMETRY_NEIGHBOURS_H

#include "base/memory.h"
#include "mesh/polygon.h"

typedef struct Neighbours {
    int *first; /* per vertex, and one more at the end */
    int *list;  /* neighbours of each vertex, ascending */
} Neighbours;

/* Takes its memory from the store, which remembers a failure: returns -1 then, else 0. */
int neighbours_build(const PolygonMesh *mesh, Store *store, Neighbours *neighbours);

static inline int neighbours_count(const Neighbours *neighbours, int vertex) {
    return neighbours->first[vertex + 1] - neighbours->first[vertex];
}

int neighbours_are(const Neighbours *neighbours, int a, int b);

#endif
