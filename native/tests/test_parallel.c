/* The pool: every index once, for any count and any number of threads; sums that do not depend on the
 * threads to the last bit; no trouble when it is made and ended again and again. */
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "check.h"

#define MOST 300000

static atomic_uchar visits[MOST];
static double numbers[MOST], copied[MOST];

static void visit(void *context, int begin, int end) {
    atomic_int *calls = context;
    atomic_fetch_add(calls, 1);
    for (int i = begin; i < end; ++i) {
        atomic_fetch_add(&visits[i], 1);
    }
}

static double add_numbers(void *context, int begin, int end) {
    const double *from = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += from[i];
    }
    return sum;
}

/* The sum, that of every second number, and the count. */
static void add_three(void *context, int begin, int end, double *sums) {
    const double *from = context;
    for (int i = begin; i < end; ++i) {
        sums[0] += from[i];
        sums[1] += i % 2 ? from[i] : 0.0;
        sums[2] += 1;
    }
}

static int wrong_visits(int count) {
    int wrong = 0;
    for (int i = 0; i < MOST; ++i) {
        wrong += visits[i] != (i < count);
    }
    memset((void *)visits, 0, sizeof visits);
    return wrong;
}

static void check_cover(int threads) {
    const int counts[] = {0, 1, 2, 511, 512, 513, 1023, 1024, 1025, 4096, 100000, MOST};
    Pool *pool = pool_create(threads);
    CHECK(pool != NULL);
    CHECK_INT(pool_threads(pool), threads);
    for (int c = 0; c < (int)(sizeof counts / sizeof *counts); ++c) {
        memset((void *)visits, 0, sizeof visits);
        atomic_int calls = 0;
        pool_run(pool, counts[c], visit, &calls);
        CHECK_INT(wrong_visits(counts[c]), 0);
        CHECK(counts[c] > 0 || calls == 0);
        memset(copied, 0, sizeof copied);
        pool_copy(pool, counts[c], sizeof *numbers, numbers, copied);
        CHECK(memcmp(copied, numbers, (size_t)counts[c] * sizeof *numbers) == 0);
        CHECK(counts[c] == MOST || copied[counts[c]] == 0);
    }
    pool_destroy(pool);
}

typedef struct Chain {
    int threads;
    atomic_int *done;
    atomic_int begun, next, early, disorder, wide;
} Chain;

/* An item that waits for the one before it, as tasks of a solve do: it must have been handed out by then. */
static void follow(void *context, int begin, int end) {
    Chain *chain = context;
    int before =
        atomic_fetch_add(&chain->begun, 1); /* each other thread may hold one that has not */
    atomic_fetch_add(&chain->early, before + chain->threads - 1 < begin);
    atomic_fetch_add(&chain->wide, end - begin != 1);
    atomic_fetch_add(&visits[begin], 1);
    while (begin > 0 && !atomic_load(&chain->done[begin - 1])) {
        sched_yield();
    }
    atomic_fetch_add(&chain->disorder, atomic_fetch_add(&chain->next, 1) != begin);
    atomic_store(&chain->done[begin], 1);
}

/* Large items: one by one, in order where that is asked for, with fewer of them than threads and with many more. */
static void check_each(int threads) {
    static atomic_int done[1000];
    const int counts[] = {0, 1, 2, 7, 1000};
    Pool *pool = pool_create(threads);
    for (int c = 0; c < (int)(sizeof counts / sizeof *counts); ++c) {
        atomic_int calls = 0;
        memset((void *)visits, 0, sizeof visits);
        pool_each(pool, counts[c], visit, &calls);
        CHECK_INT(wrong_visits(counts[c]), 0);
        CHECK_INT(calls, counts[c]);
        memset((void *)done, 0, sizeof done);
        Chain chain = {.threads = threads, .done = done};
        pool_in_order(pool, counts[c], follow, &chain);
        CHECK_INT(wrong_visits(counts[c]), 0);
        CHECK_INT(chain.next, counts[c]);
        CHECK_INT(chain.early, 0);
        CHECK_INT(chain.disorder, 0);
        CHECK_INT(chain.wide, 0);
    }
    pool_destroy(pool);
}

static void check_sums(void) {
    const int counts[] = {0, 1, 512, 513, 5000, 131072, 131073, 200000, MOST};
    for (int c = 0; c < (int)(sizeof counts / sizeof *counts); ++c) {
        double first = 0;
        long double exact = 0, size = 0;
        for (int i = 0; i < counts[c]; ++i) {
            exact += numbers[i];
            size += fabsl((long double)numbers[i]);
        }
        for (int threads = 1; threads <= 8; ++threads) {
            Pool *pool = pool_create(threads);
            for (int repeat = 0; repeat < 3; ++repeat) {
                double sum = pool_sum(pool, counts[c], add_numbers, numbers);
                if (threads == 1 && repeat == 0) {
                    first = sum;
                    CHECK_NEAR(sum, (double)exact, 1e-11 * (double)size);
                }
                CHECK(memcmp(&sum, &first, sizeof sum) == 0);
                double three[3], odd = 0, rest = 0;
                pool_sums(pool, counts[c], add_three, numbers, 3, three);
                CHECK(three[0] == first && three[2] == counts[c]);
                for (int i = 0; i < counts[c]; ++i) {
                    *(i % 2 ? &odd : &rest) += numbers[i];
                }
                CHECK_NEAR(three[1], odd, 1e-11 * (double)size);
                CHECK(counts[c] < 2 || three[1] != three[0]);
            }
            pool_destroy(pool);
        }
    }
}

/* Writes its sums: it does not add to what is there. */
static void write_two(void *context, int begin, int end, double *sums) {
    const double *values = context;
    sums[0] = sums[1] = 0;
    for (int i = begin; i < end; ++i) {
        sums[0] += values[i];
        sums[1] += 1;
    }
}

/* Sums over runs, of which there are more than chunks of sums. */
static void check_runs(void) {
    static Run runs[1000];
    double exact = 0;
    for (int r = 0; r < 1000; ++r) {
        runs[r] = (Run){5 * r, 5 * r + 3};
        exact += numbers[5 * r] + numbers[5 * r + 1] + numbers[5 * r + 2];
    }
    for (int threads = 1; threads <= 3; ++threads) {
        Pool *pool = pool_create(threads);
        double two[2];
        pool_sums_over(pool, 1000, runs, write_two, numbers, 2, two);
        CHECK_NEAR(two[0], exact, 1e-5);
        CHECK_NEAR(two[1], 3000, 0);
        CHECK_NEAR(pool_sum_over(pool, 1000, runs, add_numbers, numbers), exact, 1e-5);
        pool_destroy(pool);
    }
}

/* Jobs that follow each other at once, and after a pause in which the workers went to sleep. */
static void check_many_jobs(int threads) {
    Pool *pool = pool_create(threads);
    memset((void *)visits, 0, sizeof visits);
    for (int job = 0; job < 200; ++job) {
        atomic_int calls = 0;
        pool_run(pool, 2000, visit, &calls);
        CHECK_INT(visits[1999], job + 1); /* done when the call returns */
        double sum = pool_sum(pool, 1500, add_numbers, numbers);
        CHECK(isfinite(sum));
        for (volatile int wait = 0; job % 50 == 49 && wait < 20000000; ++wait) {
        }
    }
    int wrong = 0;
    for (int i = 0; i < MOST; ++i) {
        wrong += visits[i] != (i < 2000 ? 200 : 0);
    }
    CHECK_INT(wrong, 0);
    pool_destroy(pool);
}

int main(void) {
    random_start(2);
    for (int i = 0; i < MOST; ++i) {
        numbers[i] = random_between(-1, 1) * pow(10, random_below(9));
    }
    for (int threads = 1; threads <= 8; ++threads) {
        check_cover(threads);
        check_each(threads);
    }
    check_sums();
    check_runs();
    check_many_jobs(1);
    check_many_jobs(2);
    check_many_jobs(4);
    for (int round = 0; round < 200; ++round) {
        Pool *pool = pool_create(1 + round % 4);
        CHECK(pool != NULL);
        if (round % 2) {
            CHECK_NEAR(pool_sum(pool, 0, add_numbers, numbers), 0, 0);
        }
        pool_destroy(pool);
    }
    pool_destroy(NULL);
    return check_result();
}
