/* Tasks wait for each other by marks, not by barriers: the tree's branches run at their own pace. */
#include "linear/solve.h"

typedef struct SolveWork {
    const Solve *solve;
    const Vec3 *b;
    Vec3 *x;
} SolveWork;

/* Item t < task_count: the task forward; those after: the tasks backward in reverse. */
static void run_item(const SolveWork *work, int item) {
    const Solve *solve = work->solve;
    const Panels *panels = &solve->panels;
    bool backward = item >= panels->task_count;
    int t = backward ? 2 * panels->task_count - 1 - item : item;
    const PanelTask *task = &panels->task[t];
    if (solve->awake_task && !solve->awake_task[t]) {
        mark_set(&solve->done[t], backward ? 2 : 1);
        return;
    }
    if (backward) {
        mark_wait(&solve->done[task->above < 0 ? t : task->above], task->above < 0 ? 1 : 2);
        solve->kernels.backward(solve, t, work->x);
    } else {
        for (int c = task->child; c < task->child_end; ++c) {
            mark_wait(&solve->done[panels->child[c]], 1);
        }
        solve->kernels.forward(solve, t, work->b);
    }
    mark_set(&solve->done[t], backward ? 2 : 1);
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
