/* Stores: what is taken is clear, aligned, and given back together; what cannot be had is said, and the rest stays. */
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

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

int main(void) {
    check_arrays();
    check_too_many();
    return check_result();
}
