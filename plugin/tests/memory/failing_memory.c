/* Threads of a pool take memory side by side, so all counts are atomic. */
#include "failing_memory.h"

#include <stdatomic.h>
#include <stddef.h>

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
void __wrap_free(void *block);

static atomic_long held;
static atomic_int counted, failed;
static atomic_int fail_at; /* 0: none */
static FailKind fail_kind;

void failing_begin(FailKind kind, int at) {
    fail_kind = kind;
    atomic_store(&counted, 0);
    atomic_store(&failed, 0);
    atomic_store(&fail_at, kind == FAIL_NEVER ? 0 : at);
}

int failing_end(void) {
    atomic_store(&fail_at, 0);
    return atomic_load(&counted);
}

bool failing_failed(void) { return atomic_load(&failed) > 0; }

long failing_held(void) { return atomic_load(&held); }

static bool fails(void) {
    int number = 1 + atomic_fetch_add(&counted, 1), at = atomic_load(&fail_at);
    bool now = at > 0 && (number == at || (number > at && fail_kind == FAIL_FROM));
    atomic_fetch_add(&failed, now);
    return now;
}

static void *noted(void *block) {
    atomic_fetch_add(&held, block != NULL);
    return block;
}

void *__wrap_malloc(size_t size) { return fails() ? NULL : noted(__real_malloc(size)); }

void *__wrap_calloc(size_t count, size_t size) {
    return fails() ? NULL : noted(__real_calloc(count, size));
}

void *__wrap_realloc(void *old, size_t size) {
    if (fails()) {
        return NULL;
    }
    void *grown = __real_realloc(old, size);
    return old ? grown : noted(grown);
}

void __wrap_free(void *block) {
    atomic_fetch_sub(&held, block != NULL);
    __real_free(block);
}
