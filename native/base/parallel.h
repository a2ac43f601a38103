/* A pool of threads that run loops over ranges.
 * The range is cut into chunks of a fixed size that does not depend on the number of threads, and
 * each chunk is handed out once. Whatever a chunk computes from its own bounds is therefore the same
 * bytes for any number of threads; sums go through pool_sum, which adds chunk results in order. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

typedef struct Pool Pool;

/* Work on items begin <= i < end. */
typedef void (*PoolTask)(void *context, int begin, int end);
/* Likewise, with a number to be summed over the chunks. */
typedef double (*PoolSumTask)(void *context, int begin, int end);

/* Likewise, with several: adds to `sums`, which come in as zeros. */
typedef void (*PoolSumsTask)(void *context, int begin, int end, double *sums);
#define POOL_SUMS 16 /* at most */

/* A pool of `threads` including the calling thread, one at least. Null if it cannot be made. */
Pool *pool_create(int threads);
void pool_destroy(Pool *pool);
int pool_threads(const Pool *pool);

/* How many chunks a range of `count` items has, and which one begins at `begin`: for tasks of pool_run
 * that keep something apart for each chunk. */
int pool_chunks(int count);
int pool_chunk_at(int begin);
int pool_chunk_size(void);

/* Runs the task over 0..count and returns when all of it is done. Without a pool in one piece, here. */
void pool_run(Pool *pool, int count, PoolTask task, void *context);
double pool_sum(Pool *pool, int count, PoolSumTask task, void *context);

/* Copies `count` items of `size` bytes. */
void pool_copy(Pool *pool, int count, size_t size, const void *from, void *to);

/* Sums of `width` numbers in one pass. */
void pool_sums(Pool *pool, int count, PoolSumsTask task, void *context, int width, double *sums);

/* Some of a range: runs of its items that are no longer than a chunk. */
typedef struct Run {
    int begin, end;
} Run;

/* The three above over runs, each of which is a chunk. */
void pool_run_over(Pool *pool, int count, const Run *runs, PoolTask task, void *context);
double pool_sum_over(Pool *pool, int count, const Run *runs, PoolSumTask task, void *context);
void pool_sums_over(Pool *pool, int count, const Run *runs, PoolSumsTask task, void *context,
                    int width, double *sums);

/* The same for a few large items, handed out one by one. */
void pool_each(Pool *pool, int count, PoolTask task, void *context);

/* The same, handed out in order: an item may wait for those before it. */
void pool_in_order(Pool *pool, int count, PoolTask task, void *context);

/* Waits until the mark that another item sets is `value` or more. There is no deadlock as long as that item was handed out
 * before. */
void mark_wait(const atomic_int *mark, int value);
static inline void mark_set(atomic_int *mark, int value) {
    atomic_store_explicit(mark, value, memory_order_release);
}

/* --- some items of a range, in runs, for loops over a part of it --------------------------------- */

typedef struct Subset {
    int total, count; /* of the range, of the subset */
    int run_count;
    const Run *runs;
    const uint8_t *has; /* per item of the range */
    const int *next;    /* per item of the subset: the next one; `total` after the last */
    int first;
} Subset;

/* `subset` null in all of these: the whole range of `total` items. */

static inline bool subset_has(const Subset *subset, int item) {
    return !subset || subset->has[item];
}

static inline int subset_count(const Subset *subset, int total) {
    return subset ? subset->count : total;
}

/* for (int i = subset_first(subset); i < total; i = subset_next(subset, i)) */
static inline int subset_first(const Subset *subset) { return subset ? subset->first : 0; }

static inline int subset_next(const Subset *subset, int item) {
    return subset ? subset->next[item] : item + 1;
}

static inline void subset_run(const Subset *subset, Pool *pool, int total, PoolTask task,
                              void *context) {
    if (subset) {
        pool_run_over(pool, subset->run_count, subset->runs, task, context);
    } else {
        pool_run(pool, total, task, context);
    }
}

static inline double subset_sum(const Subset *subset, Pool *pool, int total, PoolSumTask task,
                                void *context) {
    return subset ? pool_sum_over(pool, subset->run_count, subset->runs, task, context)
                  : pool_sum(pool, total, task, context);
}

static inline void subset_sums(const Subset *subset, Pool *pool, int total, PoolSumsTask task,
                               void *context, int width, double *sums) {
    if (subset) {
        pool_sums_over(pool, subset->run_count, subset->runs, task, context, width, sums);
    } else {
        pool_sums(pool, total, task, context, width, sums);
    }
}

/* Copies these items, of `size` bytes each. */
void subset_copy(const Subset *subset, Pool *pool, int total, size_t size, const void *from,
                 void *to);

/* --- lists that chunks fill side by side ------------------------------------------------------ */

/* A list that the chunks of a pool_run() fill in parallel, each its own slice, so that its order does not depend on the
 * threads. A chunk whose slice is full counts on, and gets enough room the next time. */

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

/* The length that the list needs for all that was counted, with some room to spare; 0 if it is long enough, -1 if no list
 * can have it. */
int slices_wanted(const Slices *slices);

/* After the list has grown; the run has to be repeated. */
void slices_widen(Slices *slices);

/* The same, but slices that were long enough keep their items, and only the others have to be filled again. */
void slices_spread(Slices *slices, void *list, size_t size);

/* Closes the gaps between slices; items have `size` bytes. Returns how many items there are; `dropped` counts those without
 * room. */
int slices_close(const Slices *slices, void *list, size_t size, int *dropped);
