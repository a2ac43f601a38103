/* One pass sorts into buckets by counting, so that only the few records of a vertex have to be compared. */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/status.h"

/* Buckets with more records, and larger records, are left to the library. */
#define SHORT 32
#define LARGEST 64

static int bucket_of(const char *record) {
    int bucket;
    memcpy(&bucket, record, sizeof bucket);
    return bucket;
}

/* start[b + 1] is the end of bucket b. False if some record has no bucket. */
static bool count_buckets(const char *records, size_t count, size_t size, int buckets,
                          size_t *start) {
    for (size_t i = 0; i < count; ++i) {
        int bucket = bucket_of(records + i * size);
        if (bucket < 0 || bucket >= buckets) {
            return false;
        }
        ++start[bucket + 1];
    }
    for (int b = 0; b < buckets; ++b) {
        start[b + 1] += start[b];
    }
    return true;
}

static void sort_bucket(char *records, size_t count, size_t size,
                        int (*compare)(const void *, const void *)) {
    char own[LARGEST];
    if (count > SHORT) {
        qsort(records, count, size, compare);
        return;
    }
    for (size_t i = 1; i < count; ++i) {
        size_t at = i;
        while (at > 0 && compare(records + (at - 1) * size, records + i * size) > 0) {
            --at;
        }
        if (at < i) {
            memcpy(own, records + i * size, size);
            memmove(records + (at + 1) * size, records + at * size, (i - at) * size);
            memcpy(records + at * size, own, size);
        }
    }
}

static bool are_sorted(const char *records, size_t count, size_t size,
                       int (*compare)(const void *, const void *)) {
    for (size_t i = 1; i < count; ++i) {
        if (compare(records + (i - 1) * size, records + i * size) > 0) {
            return false;
        }
    }
    return true;
}

bool sort_records(void *records, size_t count, size_t size, int buckets,
                  int (*compare)(const void *, const void *)) {
    char *from = records, *to = scratch_take(count, size);
    size_t *start = SCRATCH_ARRAY(size_t, (size_t)buckets + 1);
    bool taken = to && start;
    if (taken && (size > LARGEST || !count_buckets(from, count, size, buckets, start))) {
        qsort(records, count, size, compare);
    } else if (taken) {
        for (size_t i = 0; i < count; ++i) {
            size_t at = start[bucket_of(from + i * size)]++;
            memcpy(to + at * size, from + i * size, size);
        }
        for (size_t begin = 0, b = 0; b < (size_t)buckets; begin = start[b++]) {
            sort_bucket(to + begin * size, start[b] - begin, size, compare);
        }
        memcpy(records, to, count * size);
    }
    free(to);
    free(start);
    INVARIANT(!taken || are_sorted(records, count, size, compare));
    return taken;
}

static int compare_ints(const void *left, const void *right) {
    int p = *(const int *)left, q = *(const int *)right;
    return (p > q) - (p < q);
}

void sort_ints(int *list, int count) {
    if (count > 2 * SHORT) {
        qsort(list, (size_t)count, sizeof *list, compare_ints);
        return;
    }
    for (int i = 1; i < count; ++i) {
        int own = list[i], at = i;
        for (; at > 0 && list[at - 1] > own; --at) {
            list[at] = list[at - 1];
        }
        list[at] = own;
    }
}
