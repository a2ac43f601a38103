/* A pool of threads that run loops over ranges.
 * The range is cut into chunks of a fixed size that does not depend on the number of threads, and
 * each chunk is handed out once. Whatever a chunk computes from its own bounds is therefore the same
 * bytes for any number of threads; sums go through pool_sum, which adds chunk results in order. */
#ifndef BASE_PARALLEL_H
#define BASE_PARALLEL_H

#include <stdatomic.h>
#include <stddef.h>

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

/* Runs the task over 0..count and returns when all of it is done. */
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

/* The three above over so many runs, each of which is a chunk. */
void pool_run_over(Pool *pool, int count, const Run *runs, PoolTask task, void *context);
double pool_sum_over(Pool *pool, int count, const Run *runs, PoolSumTask task, void *context);
void pool_sums_over(Pool *pool, int count, const Run *runs, PoolSumsTask task, void *context,
                    int width, double *sums);

/* The same for a few large items, handed out one by one. */
void pool_each(Pool *pool, int count, PoolTask task, void *context);

/* Likewise, and none before those ahead of it: an item may wait for these. */
void pool_in_order(Pool *pool, int count, PoolTask task, void *context);

/* How it waits: until the mark that another item sets is `value` or more. No lock can close as long as that item was
 * handed out before. */
void mark_wait(const atomic_int *mark, int value);
static inline void mark_set(atomic_int *mark, int value) {
    atomic_store_explicit(mark, value, memory_order_release);
}

#endif
