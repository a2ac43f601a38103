/* Counts the memory that a program takes, by standing before the C library's own functions. For the one source file of
 * a test: it defines malloc() and its relatives. */
#pragma once

#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

/* The program's own malloc stands before the C library's; the sanitizers bring their own. */
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define COUNTS_MEMORY 1
static atomic_llong taken_bytes, taken_allocations;
static atomic_int counting;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static void note(size_t size) {
    if (atomic_load(&counting)) {
        atomic_fetch_add(&taken_allocations, 1);
        atomic_fetch_add(&taken_bytes, (long long)size);
    }
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    note(size);
    return __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    note(size);
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : 12;
}

static void count_memory(int on) { atomic_store(&counting, on); }
static long long memory_taken(void) {
    return atomic_load(&taken_bytes) + atomic_load(&taken_allocations);
}
#else
#define COUNTS_MEMORY 0
static void count_memory(int on) { (void)on; }
static long long memory_taken(void) { return 0; }
#endif

/* The counter itself works, or the check above says nothing. */
static void check_counter(void) {
    long long before = memory_taken();
    count_memory(1);
    void *volatile allocation = malloc(100);
    count_memory(0);
    free(allocation);
    CHECK_INT(memory_taken() - before, COUNTS_MEMORY ? 101 : 0);
}
