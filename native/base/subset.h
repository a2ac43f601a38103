/* Some items of a range, in runs: what a loop goes over where it is not all of them. */
#ifndef BASE_SUBSET_H
#define BASE_SUBSET_H

#include <stdbool.h>
#include <stdint.h>

#include "base/parallel.h"

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

#endif
