/* The pieces of a cloth: vertices that elements join, links and pressure among them. What one does is felt by no other but
 * by contact, so sums over some of them need not know of the rest. */
#ifndef SYSTEM_PIECES_H
#define SYSTEM_PIECES_H

#include "base/memory.h"
#include "base/status.h"
#include "base/subset.h"
#include "laws/laws.h"
#include "mesh/mesh.h"

/* Cloth of more pieces is one piece. */
#define PIECES_MOST 1024

/* Numbers them in the order of their first vertices; those that are isolated go with the first. Returns how many. */
int pieces_number(const Mesh *mesh, const Laws *laws, int *piece);

/* Items of the pieces in runs, each of one piece. */
typedef struct PieceItems {
    int piece_count;
    int *first;  /* per piece: its first run; one more */
    Run *run;    /* piece by piece */
    Run *chosen; /* scratch: those of the pieces that take part */
} PieceItems;

/* Of `count` items, of which number i belongs to owner[i], in runs of so many at most. Arrays come from `store`, which tells
 * if there is no memory. */
void piece_items_build(PieceItems *items, int piece_count, int count, const int *owner, int longest,
                       Store *store);

/* Lists the runs of some pieces in `chosen`; returns how many. */
int piece_items_choose(const PieceItems *items, int piece_count, const int *pieces);

#endif
