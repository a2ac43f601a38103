/* A list of headers, each with its array behind it, so that one walk frees everything. */
#include "base/memory.h"

#include <stdlib.h>

/* Every array starts on a cache line, whatever the header before it needs. */
#define ALIGNMENT 64

struct StoreArray {
    StoreArray *next;
};

void *store_take(Store *store, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - 2 * ALIGNMENT) / size) {
        store->failed = 1;
        return NULL;
    }
    size_t bytes = count * size + 2 * ALIGNMENT;
    StoreArray *array = calloc(1, bytes);
    if (!array) {
        store->failed = 1;
        return NULL;
    }
    array->next = store->arrays;
    store->arrays = array;
    store->bytes += bytes;
    uintptr_t start = (uintptr_t)(array + 1);
    return (void *)((start + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void store_join(Store *store, Store *from) {
    StoreArray **end = &from->arrays;
    while (*end) {
        end = &(*end)->next;
    }
    *end = store->arrays;
    store->arrays = from->arrays;
    store->bytes += from->bytes;
    store->failed |= from->failed;
    *from = (Store){0};
}

void store_release(Store *store) {
    StoreArray *array = store->arrays;
    while (array) {
        StoreArray *next = array->next;
        free(array);
        array = next;
    }
    *store = (Store){0};
}

void *scratch_take(size_t count, size_t size) { return calloc(count ? count : 1, size); }

void *scratch_grow(void *array, size_t count, size_t size, bool *failed) {
    void *grown = count <= SIZE_MAX / size ? realloc(array, count * size) : NULL;
    *failed |= grown == NULL;
    return grown ? grown : array;
}
