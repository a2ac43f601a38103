/* The internal checks: they stop a debug build, and no other build so much as evaluates them. */
#define _POSIX_C_SOURCE 200809L
#include "base/status.h"

#include "base/parallel.h"
#include "check.h"

#ifdef MUSLIN_DEBUG
#define IS_DEBUG 1
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Whether `act` is stopped by a signal, in a process of its own. */
static int stops(void (*act)(void)) {
    pid_t child = fork();
    if (child == 0) {
        act();
        _exit(0);
    }
    int state = 0;
    CHECK(child > 0 && waitpid(child, &state, 0) == child);
    CHECK(WIFSIGNALED(state) || (WIFEXITED(state) && WEXITSTATUS(state) == 0));
    return WIFSIGNALED(state) && (WTERMSIG(state) == SIGILL || WTERMSIG(state) == SIGTRAP);
}
#else
#define IS_DEBUG 0

/* Nothing stops another build; if `act` did, this program would not end well. */
static int stops(void (*act)(void)) {
    act();
    return 0;
}
#endif

static void hold(void) { INVARIANT(1 + 1 == 2); }
static void break_one(void) { INVARIANT(1 + 1 == 3); }

static void test_a_broken_one_stops_a_debug_build_only(void) {
    CHECK_INT(stops(hold), 0);
    CHECK_INT(stops(break_one), IS_DEBUG);
}

static int look(int *looks) { return ++*looks; }

static void test_only_a_debug_build_looks(void) {
    int looks = 0;
    INVARIANT(look(&looks));
    CHECK_INT(looks, IS_DEBUG);
}

static void add_nothing(void *context, int begin, int end, double *sums) {
    (void)context, (void)begin, (void)end, (void)sums;
}

/* One more sum than a pool has room for, over nothing: harmless without the check. */
static void sum_too_many(void) {
    double sums[POOL_SUMS + 1];
    Pool *pool = pool_create(1);
    pool_sums(pool, 0, add_nothing, NULL, POOL_SUMS + 1, sums);
    pool_destroy(pool);
}

static void test_the_library_checks_itself(void) { CHECK_INT(stops(sum_too_many), IS_DEBUG); }

int main(void) {
    test_a_broken_one_stops_a_debug_build_only();
    test_only_a_debug_build_looks();
    test_the_library_checks_itself();
    return check_result();
}
