/* A list of blocks with the arrays behind their headers: what a store took goes back in one walk, in whatever order
 * it was taken. */
#include "base/memory.h"

#include <stdlib.h>

/* Every array starts on a cache line, whatever the header before it needs. */
#define ALIGNMENT 64

struct StoreBlock {
    StoreBlock *next;
};

void *store_take(Store *store, size_t count, size_t size) {
    if (size != 0 && count > (SIZE_MAX - 2 * ALIGNMENT) / size) {
        store->failed = 1;
        return NULL;
    }
    size_t bytes = count * size + 2 * ALIGNMENT;
    StoreBlock *block = calloc(1, bytes);
    if (!block) {
        store->failed = 1;
        return NULL;
    }
    block->next = store->blocks;
    store->blocks = block;
    store->bytes += bytes;
    uintptr_t start = (uintptr_t)(block + 1);
    return (void *)((start + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT);
}

void store_join(Store *store, Store *from) {
    StoreBlock **end = &from->blocks;
    while (*end) {
        end = &(*end)->next;
    }
    *end = store->blocks;
    store->blocks = from->blocks;
    store->bytes += from->bytes;
    store->failed |= from->failed;
    *from = (Store){0};
}

void store_release(Store *store) {
    StoreBlock *block = store->blocks;
    while (block) {
        StoreBlock *next = block->next;
        free(block);
        block = next;
    }
    *store = (Store){0};
}

void *scratch_take(size_t count, size_t size) { return calloc(count ? count : 1, size); }

void *scratch_grow(void *array, size_t count, size_t size, int *failed) {
    void *grown = count <= SIZE_MAX / size ? realloc(array, count * size) : NULL;
    *failed |= grown == NULL;
    return grown ? grown : array;
}
