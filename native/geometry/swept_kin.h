/* Which elements of a tree hang together: a table, fixed when built, by which pairs of neighbours are passed over many at a
 * time. Elements lie in groups of four, as the tree has them. */
#ifndef GEOMETRY_SWEPT_KIN_H
#define GEOMETRY_SWEPT_KIN_H

#include "base/memory.h"

/* Elements in a group. */
#define SWEPT_LANES 4

/* Elements within one ring share a vertex, those within two are joined by an edge of a third. */
#define SWEPT_RINGS 2

/* Of a group: another one, not before it, and by rings which elements of the two are kin: bit 4 k + l is element k of the
 * one and l of the other. */
typedef struct SweptKinItem {
    int group;
    uint16_t kin[SWEPT_RINGS];
} SweptKinItem;

typedef struct SweptKin {
    int *start; /* per group, one more at the end: its items, in the order of their groups */
    SweptKinItem *items;
} SweptKin;

/* Of `count` elements of three vertices each, in an order. Arrays come from `store`, which fails if they cannot be had. */
void swept_kin_build(SweptKin *kin, int count, const int *order, const int (*corners)[3],
                     int vertex_count, Store *store);

#endif
