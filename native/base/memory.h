/* Memory of one owner, taken array by array and given back all at once.
 * A cloth is a few dozen arrays of the same lifetime; with a Store no module needs its own list of frees, and the total is
 * counted. Failure is sticky: a builder may take all its arrays and check once at the end. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct StoreArray StoreArray;

typedef struct Store {
    StoreArray *arrays;
    size_t bytes; /* taken so far */
    bool failed;  /* an allocation has failed */
} Store;

/* A zeroed array of `count` items of `size` bytes, aligned to 64 bytes; null on failure. A count of
 * zero gives a valid pointer to nothing. */
void *store_take(Store *store, size_t count, size_t size);

/* Moves all that `from` has taken to `store`: for arrays that were taken on several threads, each from a store of its
 * own. */
void store_join(Store *store, Store *from);

/* Gives back everything; the store can be used again. */
void store_release(Store *store);

#define STORE_ARRAY(store, type, count) ((type *)store_take((store), (size_t)(count), sizeof(type)))

/* Scratch array outside any store: null on failure, freed with free(). */
void *scratch_take(size_t count, size_t size);
#define SCRATCH_ARRAY(type, count) ((type *)scratch_take((size_t)(count), sizeof(type)))

/* The scratch array with room for `count` items, moved if necessary. Without memory: the array as it is, and `failed` is
 * set, so that an owner may grow several arrays and check once. */
void *scratch_grow(void *array, size_t count, size_t size, bool *failed);
#define SCRATCH_GROW(array, count, failed)                                                         \
    ((array) = scratch_grow((array), (size_t)(count), sizeof *(array), (failed)))

/* The scratch array with room for `count` items, and half as many to spare where it has to grow; `capacity` is how many it
 * has room for. Without memory both are as they were. */
static inline void *scratch_reserve(void *array, int *capacity, int count, size_t size) {
    int64_t room = (int64_t)count + count / 2 + 64;
    bool failed = room > INT32_MAX;
    if (count > *capacity && !failed) {
        array = scratch_grow(array, (size_t)room, size, &failed);
        *capacity = failed ? *capacity : (int)room;
    }
    return array;
}
