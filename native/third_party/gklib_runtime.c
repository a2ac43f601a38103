// Replaces GKlib's error.c, memory.c, random.c and timers.c, for METIS_NodeND as the only entry
// point.
//
// Why not the originals:
// - error.c reports an error, out of memory included, by printing and raising SIGABRT or SIGTERM,
// caught by handlers
//   that METIS_NodeND installs for the whole process. A second thread inside METIS, or a real
//   SIGTERM meanwhile, then jumps into a foreign stack. Here an error is a plain longjmp on its own
//   thread, and no signal is ever touched.
// - error.c also holds 40 KB of thread-local jump buffers, which a library loaded late may not get.
// One is enough.
// - memory.c records its blocks in a table that itself can run out of memory, and searches it at
// every free. Here each
//   block carries its own links, so recording cannot fail and METIS_NodeND gives everything back
//   whatever happened.
// - random.c keeps one generator for the process: two threads would disturb each other and the
// ordering of a mesh
//   would not be the same twice. Here it is per thread, and METIS_NodeND seeds it at every call.
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// The declarations of gk_proto.h that are defined here; GKlib.h itself would bring its printing
// macros along.
void errexit(char *format, ...);
void gk_errexit(int signum, char *format, ...);
int gk_sigtrap(void);
int gk_siguntrap(void);
int gk_malloc_init(void);
void gk_malloc_cleanup(int showstats);
void *gk_malloc(size_t size, char *message);
void *gk_realloc(void *old, size_t size, char *message);
ptrdiff_t *gk_idxsmalloc(size_t count, ptrdiff_t value, char *message);
void gk_free(void **first, ...);
size_t gk_GetCurMemoryUsed(void);
size_t gk_GetMaxMemoryUsed(void);
void gk_randinit(uint64_t seed);
void libmetis__KWayVolUpdate(void);
uint64_t gk_randint64(void);
uint32_t gk_randint32(void);
double gk_CPUSeconds(void);

// ---- errors
// ---------------------------------------------------------------------------------------------------------

// METIS's macros name these two: setjmp(gk_jbufs[gk_cur_jbufs]).
__thread int gk_cur_jbufs = -1;
__thread jmp_buf gk_jbufs[1];

int gk_sigtrap(void) {
    gk_cur_jbufs = 0;
    return 1;
}

int gk_siguntrap(void) {
    gk_cur_jbufs = -1;
    return 1;
}

// METIS_NodeND turns SIGABRT into METIS_ERROR_MEMORY and SIGTERM into METIS_ERROR; they are mere
// numbers here. Without a place to jump to it can only return; every caller is below METIS_NodeND,
// which has set one.
void gk_errexit(int signum, char *format, ...) {
    (void)format;
    if (gk_cur_jbufs == 0)
        longjmp(gk_jbufs[0], signum);
}

void errexit(char *format, ...) { gk_errexit(SIGTERM, format); }

// ---- memory
// ---------------------------------------------------------------------------------------------------------

// max_align_t keeps the payload behind the header as aligned as malloc's own.
typedef union Block {
    struct {
        union Block *previous;
        union Block *next;
    } link;
    max_align_t align;
} Block;

static __thread Block *newest_block;

static void *adopt(Block *block) {
    block->link.previous = NULL;
    block->link.next = newest_block;
    if (newest_block != NULL)
        newest_block->link.previous = block;
    newest_block = block;
    return block + 1;
}

static Block *disown(void *payload) {
    Block *block = (Block *)payload - 1;
    if (block->link.previous != NULL)
        block->link.previous->link.next = block->link.next;
    else
        newest_block = block->link.next;
    if (block->link.next != NULL)
        block->link.next->link.previous = block->link.previous;
    return block;
}

static void free_all_blocks(void) {
    while (newest_block != NULL)
        free(disown(newest_block + 1));
}

// METIS_NodeND does not nest. What is still here was left by a call that refused its options, which
// skips its clean-up.
int gk_malloc_init(void) {
    free_all_blocks();
    return 1;
}

void gk_malloc_cleanup(int showstats) {
    (void)showstats;
    free_all_blocks();
}

void *gk_malloc(size_t size, char *message) {
    Block *block = size > SIZE_MAX - sizeof(Block) ? NULL : malloc(sizeof(Block) + size);
    if (block == NULL) {
        gk_errexit(SIGABRT, message);
        return NULL;
    }
    return adopt(block);
}

void *gk_realloc(void *old, size_t size, char *message) {
    if (old == NULL)
        return gk_malloc(size, message);
    Block *block = disown(old);
    Block *grown = size > SIZE_MAX - sizeof(Block) ? NULL : realloc(block, sizeof(Block) + size);
    if (grown == NULL) {
        adopt(block); // still allocated, so that the clean-up finds it
        gk_errexit(SIGABRT, message);
        return NULL;
    }
    return adopt(grown);
}

ptrdiff_t *gk_idxsmalloc(size_t count, ptrdiff_t value, char *message) {
    ptrdiff_t *array = gk_malloc(count * sizeof(*array), message);
    for (size_t i = 0; array != NULL && i < count; i++)
        array[i] = value;
    return array;
}

// A list of addresses of pointers, ended by a null.
void gk_free(void **first, ...) {
    va_list list;
    va_start(list, first);
    for (void **pointer = first; pointer != NULL; pointer = va_arg(list, void **)) {
        if (*pointer != NULL)
            free(disown(*pointer));
        *pointer = NULL;
    }
    va_end(list);
}

size_t gk_GetCurMemoryUsed(void) { return 0; }

size_t gk_GetMaxMemoryUsed(void) { return 0; }

// ---- random numbers
// -------------------------------------------------------------------------------------------------

static __thread uint64_t random_state;

void gk_randinit(uint64_t seed) { random_state = seed; }

// splitmix64: eight bytes of state instead of the original's 2.5 KB, and more than good enough to
// shuffle vertices. The top bit is clear because METIS reads the numbers as signed.
uint64_t gk_randint64(void) {
    uint64_t z = (random_state += UINT64_C(0x9E3779B97F4A7C15));
    z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
    return (z ^ (z >> 31)) >> 1;
}

uint32_t gk_randint32(void) { return (uint32_t)(gk_randint64() & 0x7FFFFFFF); }

// ---- timers
// ---------------------------------------------------------------------------------------------------------

// Read only for METIS's printed statistics.
double gk_CPUSeconds(void) { return 0.0; }

// ---- what nothing calls
// ---------------------------------------------------------------------------------------------

// contig.c has a function for k-way partitions that names it, and the linker for Windows wants it
// there before it drops that function.
void libmetis__KWayVolUpdate(void) { gk_errexit(SIGABRT, ""); }
