/* A list that the chunks of a pool_run() fill side by side, each its own slice of it: the order of what is found does not
 * depend on the threads. A chunk counts on where its slice is full; then there is room for it the next time. */
#ifndef BASE_SLICES_H
#define BASE_SLICES_H

#include "base/memory.h"
#include "base/parallel.h"

typedef struct Slices {
    int count;
    int *start; /* per slice: where it begins, in the list; one more at the end */
    int *used;  /* per slice: how many items the last run had for it */
} Slices;

/* For runs over `range` items, with room for `room` in the whole list. Arrays come from `store`. */
void slices_build(Slices *slices, int range, int room, Store *store);

/* Likewise for runs of pool_each() over `count` items, with a slice for each. */
void slices_build_each(Slices *slices, int count, int room, Store *store);

static inline int slices_room(const Slices *slices, int slice) {
    return slices->start[slice + 1] - slices->start[slice];
}

/* How long the list has to be for all that was counted, with some room to spare; 0 if it is long enough, -1 if no list
 * can be so long. */
int slices_wanted(const Slices *slices);

/* The list has grown to what was wanted: the run is to be made again. */
void slices_widen(Slices *slices);

/* Likewise, and what slices hold that were not too small comes along: only the others are to be filled again. */
void slices_spread(Slices *slices, void *list, size_t size);

/* Moves what was found together, items being `size` bytes each; returns how many there are. `dropped` counts those that
 * found no room. */
int slices_close(const Slices *slices, void *list, size_t size, int *dropped);

#endif
