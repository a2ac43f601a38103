/* Workers that spin a little, then sleep: a step runs hundreds of short loops, and waking a thread costs more than
 * most of them. */
#define _POSIX_C_SOURCE 200809L
#include "base/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "base/status.h"

/* Items a chunk: large enough to hide the hand-out, small enough that sixteen cores share a garment of 8,000 vertices
 * evenly. */
#define CHUNK 128
/* Most chunks a sum keeps apart; longer ranges get larger chunks, by length alone. */
#define SUM_CHUNKS 256
/* Looks before a worker that waits for a job goes to sleep, and before others are let run between two of them: some
 * microseconds. Workers that stayed awake for longer were quicker by 1 % on two idle cores, and ten times as slow on busy
 * ones, where Blender draws meanwhile. x86-64 pauses for some 140 cycles between two looks, aarch64 for about one. */
#if defined(__x86_64__)
#define SPIN 150
#else
#define SPIN 4000
#endif

/* Chunks that one thread begins with, so that it meets the same part of every array in one loop after the other;
 * a thread that is done takes from the others. On a cache line of its own. */
typedef struct ChunkRange {
    _Alignas(64) atomic_int next; /* chunk to hand out */
    int end;
} ChunkRange;

struct Pool {
    Store store;
    ChunkRange *ranges; /* one a thread */
    atomic_int named;   /* workers that know their number */
    pthread_t *workers;
    int worker_count; /* beside the calling thread */
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    atomic_uint job; /* counts jobs; a change is the signal to work */
    atomic_int busy; /* workers that have not finished the job */
    atomic_int quitting;
    int sleeping; /* workers asleep on `wake`; under mutex */
    PoolTask task;
    PoolSumTask sum_task;
    PoolSumsTask sums_task;
    void *context;
    const Run *runs; /* what the items are; null: themselves */
    int count, chunk, chunk_count;
    double sums[SUM_CHUNKS];
    double many[SUM_CHUNKS][POOL_SUMS];
};

static void pause_cpu(void) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Between two looks. Where threads outnumber cores, who is waited for may not even be running: let it. */
static void back_off(int looks) {
    if (looks < SPIN) {
        pause_cpu();
    } else {
        sched_yield();
    }
}

static void work_range(Pool *pool, int chunk, int begin, int end) {
    if (pool->task) {
        pool->task(pool->context, begin, end);
    } else if (pool->sums_task) {
        double sums[POOL_SUMS] = {0}; /* a chunk may have several runs */
        pool->sums_task(pool->context, begin, end, sums);
        for (int k = 0; k < POOL_SUMS; ++k) {
            pool->many[chunk][k] += sums[k];
        }
    } else {
        pool->sums[chunk] += pool->sum_task(pool->context, begin, end);
    }
}

static void work_chunk(Pool *pool, int chunk) {
    int begin = chunk * pool->chunk;
    int end = pool->count - begin < pool->chunk ? pool->count : begin + pool->chunk;
    INVARIANT(chunk >= 0 && begin < end && end <= pool->count);
    if (!pool->runs) {
        work_range(pool, chunk, begin, end);
    }
    for (int r = begin; pool->runs && r < end; ++r) {
        work_range(pool, chunk, pool->runs[r].begin, pool->runs[r].end);
    }
}

/* Thread `self`'s own range first, then what is left of the others'. */
static void work(Pool *pool, int self) {
    int threads = pool->worker_count + 1;
    for (int k = 0; k < threads; ++k) {
        ChunkRange *range = &pool->ranges[(self + k) % threads];
        while (atomic_load_explicit(&range->next, memory_order_relaxed) < range->end) {
            int chunk = atomic_fetch_add_explicit(&range->next, 1, memory_order_relaxed);
            if (chunk < range->end) {
                work_chunk(pool, chunk);
            }
        }
    }
}

/* In order: all in one range. */
static void assign_chunks(Pool *pool, bool in_order) {
    int threads = pool->worker_count + 1;
    for (int t = 0; t < threads; ++t) {
        int64_t first = in_order ? (t > 0) * threads : t, last = in_order ? threads : t + 1;
        atomic_store_explicit(&pool->ranges[t].next, (int)(pool->chunk_count * first / threads),
                              memory_order_relaxed);
        pool->ranges[t].end = (int)(pool->chunk_count * last / threads);
        INVARIANT(in_order || t == 0 || pool->ranges[t].next == pool->ranges[t - 1].end);
    }
}

/* Waits for a job number other than `seen`: spinning first, since jobs follow each other within
 * microseconds inside a step, then asleep, since a preview may pause for hours. */
static unsigned wait_for_job(Pool *pool, unsigned seen) {
    for (int spin = 0; spin < SPIN; ++spin) {
        unsigned job = atomic_load_explicit(&pool->job, memory_order_acquire);
        if (job != seen) {
            return job;
        }
        pause_cpu();
    }
    pthread_mutex_lock(&pool->mutex);
    while (atomic_load_explicit(&pool->job, memory_order_acquire) == seen) {
        ++pool->sleeping;
        pthread_cond_wait(&pool->wake, &pool->mutex);
        --pool->sleeping;
    }
    pthread_mutex_unlock(&pool->mutex);
    return atomic_load_explicit(&pool->job, memory_order_acquire);
}

static void *worker_main(void *argument) {
    Pool *pool = argument;
    unsigned seen = 0;
    int self = 1 + atomic_fetch_add_explicit(&pool->named, 1, memory_order_relaxed);
    for (;;) {
        seen = wait_for_job(pool, seen);
        if (atomic_load_explicit(&pool->quitting, memory_order_acquire)) {
            return NULL;
        }
        work(pool, self);
        atomic_fetch_sub_explicit(&pool->busy, 1, memory_order_acq_rel);
    }
}

static void announce(Pool *pool) {
    pthread_mutex_lock(&pool->mutex);
    atomic_fetch_add_explicit(&pool->job, 1, memory_order_acq_rel);
    if (pool->sleeping > 0) {
        pthread_cond_broadcast(&pool->wake);
    }
    pthread_mutex_unlock(&pool->mutex);
}

static bool make_signals(Pool *pool) {
    if (pthread_mutex_init(&pool->mutex, NULL) != 0) {
        return false;
    }
    if (pthread_cond_init(&pool->wake, NULL) != 0) {
        pthread_mutex_destroy(&pool->mutex);
        return false;
    }
    return true;
}

Pool *pool_create(int threads) {
    threads = threads > 1 ? threads : 1;
    Pool *pool = calloc(1, sizeof *pool);
    if (!pool) {
        return NULL;
    }
    pool->workers = store_take(&pool->store, (size_t)threads, sizeof *pool->workers);
    pool->ranges = store_take(&pool->store, (size_t)threads, sizeof *pool->ranges);
    if (pool->store.failed || !make_signals(pool)) {
        store_release(&pool->store);
        free(pool);
        return NULL;
    }
    /* Fewer threads than asked for is no failure: the results are the same. */
    for (int i = 1; i < threads; ++i) {
        if (pthread_create(&pool->workers[pool->worker_count], NULL, worker_main, pool) != 0) {
            break;
        }
        ++pool->worker_count;
    }
    return pool;
}

void pool_destroy(Pool *pool) {
    if (!pool) {
        return;
    }
    atomic_store_explicit(&pool->quitting, 1, memory_order_release);
    announce(pool);
    for (int i = 0; i < pool->worker_count; ++i) {
        pthread_join(pool->workers[i], NULL);
    }
    pthread_cond_destroy(&pool->wake);
    pthread_mutex_destroy(&pool->mutex);
    store_release(&pool->store);
    free(pool);
}

int pool_threads(const Pool *pool) { return pool->worker_count + 1; }

void mark_wait(const atomic_int *mark, int value) {
    for (int looks = 0; atomic_load_explicit(mark, memory_order_acquire) < value; ++looks) {
        back_off(looks);
    }
}

static void run_job(Pool *pool, bool in_order) {
    assign_chunks(pool, in_order || pool->chunk_count < 2);
    if (pool->worker_count == 0 || pool->chunk_count < 2) {
        work(pool, 0);
        return;
    }
    INVARIANT(pool->busy == 0); /* a task must not start another job of the same pool */
    atomic_store_explicit(&pool->busy, pool->worker_count, memory_order_relaxed);
    announce(pool);
    work(pool, 0);
    for (int looks = 0; atomic_load_explicit(&pool->busy, memory_order_acquire) > 0; ++looks) {
        back_off(looks);
    }
}

int pool_chunks(int count) { return (count + CHUNK - 1) / CHUNK; }

int pool_chunk_at(int begin) { return begin / CHUNK; }

int pool_chunk_size(void) { return CHUNK; }

/* What the next job goes over: items, or runs of them, in chunks of so many. */
static void set_job(Pool *pool, int count, const Run *runs, int chunk) {
    pool->runs = runs;
    pool->count = count;
    pool->chunk = chunk;
    pool->chunk_count = (count + chunk - 1) / chunk;
}

static void run_chunks(Pool *pool, bool in_order, PoolTask task, void *context) {
    pool->task = task;
    pool->context = context;
    run_job(pool, in_order);
}

void pool_run(Pool *pool, int count, PoolTask task, void *context) {
    if (!pool) {
        task(context, 0, count);
        return;
    }
    set_job(pool, count, NULL, CHUNK);
    run_chunks(pool, false, task, context);
}

void pool_each(Pool *pool, int count, PoolTask task, void *context) {
    set_job(pool, count, NULL, 1);
    run_chunks(pool, false, task, context);
}

void pool_in_order(Pool *pool, int count, PoolTask task, void *context) {
    set_job(pool, count, NULL, 1);
    run_chunks(pool, true, task, context);
}

typedef struct Copy {
    size_t size;
    const char *from;
    char *to;
} Copy;

static void copy_items(void *context, int begin, int end) {
    const Copy *copy = context;
    size_t first = (size_t)begin * copy->size, last = (size_t)end * copy->size;
    memcpy(copy->to + first, copy->from + first, last - first);
}

void pool_copy(Pool *pool, int count, size_t size, const void *from, void *to) {
    Copy copy = {size, from, to};
    pool_run(pool, count, copy_items, &copy);
}

void subset_copy(const Subset *subset, Pool *pool, int total, size_t size, const void *from,
                 void *to) {
    Copy copy = {size, from, to};
    subset_run(subset, pool, total, copy_items, &copy);
}

void pool_run_over(Pool *pool, int count, const Run *runs, PoolTask task, void *context) {
    set_job(pool, count, runs, 1);
    run_chunks(pool, false, task, context);
}

/* Likewise for sums: chunks grow until there is room for all of their sums. */
static void set_sum_range(Pool *pool, int count, const Run *runs) {
    int chunk = runs ? 1 : CHUNK;
    while ((count + chunk - 1) / chunk > SUM_CHUNKS) {
        chunk *= 2;
    }
    set_job(pool, count, runs, chunk);
}

double pool_sum_over(Pool *pool, int count, const Run *runs, PoolSumTask task, void *context) {
    set_sum_range(pool, count, runs);
    pool->sum_task = task;
    pool->sums_task = NULL;
    memset(pool->sums, 0, (size_t)pool->chunk_count * sizeof *pool->sums);
    run_chunks(pool, false, NULL, context);
    double sum = 0.0;
    for (int i = 0; i < pool->chunk_count; ++i) {
        sum += pool->sums[i];
    }
    return sum;
}

double pool_sum(Pool *pool, int count, PoolSumTask task, void *context) {
    return pool_sum_over(pool, count, NULL, task, context);
}

void pool_sums_over(Pool *pool, int count, const Run *runs, PoolSumsTask task, void *context,
                    int width, double *sums) {
    INVARIANT(width <= POOL_SUMS);
    set_sum_range(pool, count, runs);
    pool->sums_task = task;
    memset(pool->many, 0, (size_t)pool->chunk_count * sizeof *pool->many);
    run_chunks(pool, false, NULL, context);
    for (int k = 0; k < width; ++k) {
        sums[k] = 0.0;
        for (int i = 0; i < pool->chunk_count; ++i) {
            sums[k] += pool->many[i][k];
        }
    }
}

void pool_sums(Pool *pool, int count, PoolSumsTask task, void *context, int width, double *sums) {
    pool_sums_over(pool, count, NULL, task, context, width, sums);
}

/* --- slices ----------------------------------------------------------------------------------- */

/* Slices only ever grow, so after some runs the list stays as it is. */

/* Room that a slice gets beyond half as much again as it needed. */
#define SPARE 16

void slices_build(Slices *slices, int range, int room, Store *store) {
    slices_build_each(slices, pool_chunks(range), room, store);
}

void slices_build_each(Slices *slices, int count, int room, Store *store) {
    *slices = (Slices){.count = count,
                       .start = STORE_ARRAY(store, int, count + 1),
                       .used = STORE_ARRAY(store, int, count)};
    for (int s = 0; !store->failed && s <= count; ++s) {
        slices->start[s] = count > 0 ? (int)((int64_t)room * s / count) : 0;
    }
}

static int64_t wanted_for(int room, int used) {
    return used > room ? (int64_t)used + used / 2 + SPARE : room;
}

static int64_t wanted_by(const Slices *slices, int slice) {
    return wanted_for(slices_room(slices, slice), slices->used[slice]);
}

int slices_wanted(const Slices *slices) {
    int64_t total = 0;
    bool overflow = false;
    for (int s = 0; s < slices->count; ++s) {
        overflow |= slices->used[s] > slices_room(slices, s);
        total += wanted_by(slices, s);
    }
    return !overflow ? 0 : total > INT32_MAX / 2 ? -1 : (int)total;
}

void slices_widen(Slices *slices) {
    int start = 0;
    for (int s = 0; s < slices->count; ++s) {
        int64_t wanted = wanted_by(slices, s);
        slices->start[s] = start;
        start += (int)wanted;
    }
    slices->start[slices->count] = start;
}

void slices_spread(Slices *slices, void *list, size_t size) {
    int64_t total = 0;
    for (int s = 0; s < slices->count; ++s) {
        total += wanted_by(slices, s);
    }
    int end = slices->start[slices->count], widened_end = (int)total;
    slices->start[slices->count] = widened_end;
    for (int s = slices->count; s-- > 0;) { /* the last first: all go towards the end */
        int start = slices->start[s], room = end - start, used = slices->used[s];
        int wanted = (int)wanted_for(room, used);
        memmove((char *)list + size * (size_t)(widened_end - wanted),
                (char *)list + size * (size_t)start, size * (size_t)(used < room ? used : room));
        end = start;
        slices->start[s] = widened_end -= wanted;
    }
}

int slices_close(const Slices *slices, void *list, size_t size, int *dropped) {
    int total = 0;
    *dropped = 0;
    for (int s = 0; s < slices->count; ++s) {
        int room = slices_room(slices, s), used = slices->used[s];
        int kept = used < room ? used : room;
        *dropped += used - kept;
        memmove((char *)list + size * (size_t)total, (char *)list + size * (size_t)slices->start[s],
                size * (size_t)kept);
        total += kept;
    }
    return total;
}
