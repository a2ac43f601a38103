/* Tasks wait for each other by marks, not by barriers: the tree's branches run at their own pace. */
#include "linear/solve.h"

#include <sched.h>

/* Looks at a task's mark before the thread lets others run. */
#define SPIN 2000

typedef struct SolveWork {
    const Solve *solve;
    const Vec3 *b;
    Vec3 *x;
} SolveWork;

/* Items are handed out in order, and whatever an item waits for was handed out before it: no lock can close. */
static void wait_for(const Solve *solve, int task, int mark) {
    for (int spin = 0; atomic_load_explicit(&solve->done[task], memory_order_acquire) < mark;
         ++spin) {
        if (spin >= SPIN) {
            sched_yield();
        }
    }
}

/* Item t < task_count: the task forward; those after: the tasks backward in reverse. */
static void run_item(const SolveWork *work, int item) {
    const Solve *solve = work->solve;
    const Panels *panels = &solve->panels;
    bool backward = item >= panels->task_count;
    int t = backward ? 2 * panels->task_count - 1 - item : item;
    const PanelTask *task = &panels->task[t];
    if (backward) {
        wait_for(solve, task->above < 0 ? t : task->above, task->above < 0 ? 1 : 2);
        solve->kernels.backward(solve, t, work->x);
    } else {
        for (int c = task->child; c < task->child_end; ++c) {
            wait_for(solve, panels->child[c], 1);
        }
        solve->kernels.forward(solve, t, work->b);
    }
    atomic_store_explicit(&solve->done[t], backward ? 2 : 1, memory_order_release);
}

static void run_items(void *context, int begin, int end) {
    for (int item = begin; item < end; ++item) {
        run_item(context, item);
    }
}

void solve_apply(const Solve *solve, Pool *pool, const Vec3 *b, Vec3 *x) {
    SolveWork work = {solve, b, x};
    int tasks = solve->panels.task_count;
    for (int t = 0; t < tasks; ++t) {
        atomic_store_explicit(&solve->done[t], 0, memory_order_relaxed);
    }
    if (pool && tasks > 1) {
        pool_in_order(pool, 2 * tasks, run_items, &work);
    } else {
        run_items(&work, 0, 2 * tasks);
    }
}
