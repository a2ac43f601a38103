/* Stores: what is taken is clear, aligned, and given back together; what cannot be had is said, and the rest stays. And
 * sort_records() against qsort(): few and many records a bucket, numbers out of range, none at all. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check.h"

static void check_arrays(void) {
    Store store = {0}, other = {0};
    for (int count = 0; count < 50; ++count) {
        unsigned char *array = store_take(&store, (size_t)count, 7);
        CHECK(array != NULL && (uintptr_t)array % 64 == 0);
        for (int i = 0; i < 7 * count; ++i) {
            CHECK_INT(array[i], 0);
        }
        memset(array, 1, 7 * (size_t)count);
    }
    double *kept = STORE_ARRAY(&other, double, 3);
    kept[2] = 5;
    size_t bytes = store.bytes + other.bytes;
    store_join(&store, &other);
    CHECK(store.bytes == bytes && other.bytes == 0 && other.arrays == NULL);
    CHECK_NEAR(kept[2], 5, 0);
    CHECK_INT(store.failed, 0);
    store_release(&store);
    CHECK(store.bytes == 0 && store.arrays == NULL);
}

/* More bytes than can be counted. */
static void check_too_many(void) {
    Store store = {0}, other = {0};
    CHECK(store_take(&store, SIZE_MAX / 8 + 1, 8) == NULL);
    CHECK_INT(store.failed, 1);
    CHECK(store.bytes == 0);
    CHECK(store_take(&other, 1, SIZE_MAX - 1) == NULL);
    store_join(&store, &other);
    CHECK_INT(store.failed, 1);
    store_release(&store);
    CHECK_INT(store.failed, 0);
    bool failed = false;
    int *numbers = scratch_grow(NULL, 4, sizeof *numbers, &failed);
    CHECK_INT(failed, 0);
    numbers[3] = 11;
    CHECK(scratch_grow(numbers, SIZE_MAX / 4 + 2, sizeof *numbers, &failed) == numbers);
    CHECK_INT(failed, 1);
    CHECK_INT(numbers[3], 11);
    free(numbers);
}

/* --- sorting ---------------------------------------------------------------------------------- */

#define MOST 5000

typedef struct Record {
    int bucket, key, order;
    double load;
} Record;

static int compare(const void *left, const void *right) {
    const Record *p = left, *q = right;
    if (p->bucket != q->bucket) {
        return p->bucket < q->bucket ? -1 : 1;
    }
    if (p->key != q->key) {
        return p->key < q->key ? -1 : 1;
    }
    return (p->order > q->order) - (p->order < q->order);
}

static void check_sorted(int count, int buckets, int low, int high) {
    static Record own[MOST], other[MOST];
    memset(own, 0, sizeof own);
    for (int i = 0; i < count; ++i) {
        own[i].bucket = low + random_below(high - low);
        own[i].key = random_below(7);
        own[i].order = i;
        own[i].load = random_between(0, 1);
    }
    memcpy(other, own, sizeof own);
    CHECK(sort_records(own, (size_t)count, sizeof *own, buckets, compare));
    qsort(other, (size_t)count, sizeof *other, compare);
    CHECK(memcmp(own, other, sizeof own) == 0);
}

static void check_sorting(void) {
    random_start(5);
    check_sorted(0, 10, 0, 10);
    check_sorted(1, 1, 0, 1);
    check_sorted(MOST, 1, 0, 1);
    check_sorted(MOST, 40, 0, 40);
    check_sorted(MOST, 900, 0, 900);
    check_sorted(MOST, 20000, 100, 20000);
    check_sorted(MOST, 900, -20, 950);
}

int main(void) {
    check_arrays();
    check_too_many();
    check_sorting();
    return check_result();
}
