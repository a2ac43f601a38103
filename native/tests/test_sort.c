/* sort_records() against qsort(): few and many records a bucket, numbers out of range, none at all. */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "check.h"

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

int main(void) {
    random_start(5);
    check_sorted(0, 10, 0, 10);
    check_sorted(1, 1, 0, 1);
    check_sorted(MOST, 1, 0, 1);
    check_sorted(MOST, 40, 0, 40);
    check_sorted(MOST, 900, 0, 900);
    check_sorted(MOST, 20000, 100, 20000);
    check_sorted(MOST, 900, -20, 950);
    return check_result();
}
