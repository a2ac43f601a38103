/* Threads take whole tasks while there are enough of them, and share single fronts near the root, where there are
 * not. */
#include "linear/numeric.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

#include "base/machine.h"

/* --- the fronts: memory of those that are done serves the next ones in the order of the tree ------ */

/* A task belongs to the top of the tree if this part of all work is in it and below it: with a few branches left, threads can
 * no longer have one each. */
#define TOP_SHARE (1.0 / 6)

/* Memory that some front holds. */
typedef struct Span {
    size_t begin, end;
} Span;

typedef struct Build {
    const Panels *panels;
    const FactorPattern *pattern;
    Fronts *fronts;
    int *place; /* of each row of L: its place in the present front */
    int *home;  /* of each panel: the task in whose memory its square is */
    Span *span; /* of the present task, ascending */
    int span_count;
} Build;

/* --- the tree --------------------------------------------------------------------------------- */

/* Children in the order of L: the same in any order of the tasks. `fill` is scratch, one more than panels. */
static void find_children(const Build *build, int *fill) {
    const Panels *panels = build->panels;
    for (int p = 0; p < panels->count; ++p) {
        int above = panels->panel[p].above;
        fill[above < 0 ? panels->count : above] += 1;
    }
    for (int p = 0, at = 0; p < panels->count; ++p) {
        Front *front = &build->fronts->front[p];
        front->child = front->child_end = at;
        at += fill[p];
    }
    for (int j = 0; j < panels->size; ++j) {
        int p = panels->owner[j], above = panels->panel[p].above;
        if (above >= 0 && panels->panel[p].column == j) {
            build->fronts->child[build->fronts->front[above].child_end++] = p;
        }
    }
}

static bool is_shared(const Build *build, int p) {
    const Panel *panel = &build->panels->panel[p];
    const Front *front = &build->fronts->front[p];
    if (front->child_end - front->child != 1 || panel->width % PANEL_ROWS != 0) {
        return false;
    }
    const Panel *below = &build->panels->panel[build->fronts->child[front->child]];
    return below->count == panel->width + panel->count;
}

/* Multiplications of the panel's elimination. */
static double work_of(const Panel *panel) {
    double width = panel->width, rows = panel->count;
    return width * (width * width + 2 * width * rows + rows * rows) + 2000;
}

/* `work` is scratch, of each task. */
static void find_top(const Build *build, double *work) {
    const Panels *panels = build->panels;
    double total = 0;
    for (int t = 0; t < panels->task_count; ++t) {
        const PanelTask *task = &panels->task[t];
        for (int p = task->panel; p < task->panel_end; ++p) {
            double own = work_of(&panels->panel[p]);
            work[t] += own;
            total += own;
        }
        if (task->above >= 0) {
            work[task->above] += work[t];
        }
    }
    for (int t = 0; t < panels->task_count; ++t) {
        const PanelTask *task = &panels->task[t];
        build->fronts->top[t] = task->child_end > task->child && work[t] > TOP_SHARE * total;
    }
}

/* --- memory ----------------------------------------------------------------------------------- */

/* The first gap that is large enough. */
static size_t take_span(Build *build, size_t size) {
    size_t begin = 0;
    int at = 0;
    while (at < build->span_count && build->span[at].begin - begin < size) {
        begin = build->span[at++].end;
    }
    memmove(build->span + at + 1, build->span + at,
            (size_t)(build->span_count - at) * sizeof *build->span);
    build->span[at] = (Span){begin, begin + size};
    ++build->span_count;
    return begin;
}

static void give_span(Build *build, size_t begin) {
    int at = 0;
    while (at < build->span_count && build->span[at].begin != begin) {
        ++at;
    }
    if (at < build->span_count) {
        --build->span_count;
        memmove(build->span + at, build->span + at + 1,
                (size_t)(build->span_count - at) * sizeof *build->span);
    }
}

/* The front of panel p of task t, whose memory begins at `base`. Returns how far this reaches. */
static size_t place_front(Build *build, int p, int t, size_t base) {
    const Panel *panel = &build->panels->panel[p];
    Front *front = &build->fronts->front[p];
    size_t reach = base;
    front->own = panel_padded(panel->width);
    front->shared = is_shared(build, p);
    if (front->shared) {
        int below = build->fronts->child[front->child];
        const Front *from = &build->fronts->front[below];
        front->place = from->place;
        front->first = from->first + from->own / PANEL_ROWS;
        build->home[p] = build->home[below];
    } else {
        size_t size = front_group((front->own + panel->rows) / PANEL_ROWS);
        size_t begin = take_span(build, size);
        front->place = base + begin;
        build->home[p] = t;
        reach = front->place + size;
        for (int c = front->child; c < front->child_end; ++c) {
            int child = build->fronts->child[c];
            if (build->home[child] == t) {
                give_span(build, build->fronts->front[child].place - base);
            }
        }
    }
    if (panel->above < 0 && build->home[p] == t) {
        give_span(build, front->place - base);
    }
    return reach;
}

/* Tasks have memory of their own, as several run at once; within one, a front takes the place of those that are
 * done. */
static void place_fronts(Build *build) {
    const Panels *panels = build->panels;
    size_t base = 0;
    for (int t = 0; t < panels->task_count; ++t) {
        const PanelTask *task = &panels->task[t];
        size_t end = base;
        build->span_count = 0;
        for (int p = task->panel; p < task->panel_end; ++p) {
            size_t reach = place_front(build, p, t, base);
            end = reach > end ? reach : end;
            int rows = panels->panel[p].rows;
            build->fronts->widest = rows > build->fronts->widest ? rows : build->fronts->widest;
        }
        base = end;
    }
    build->fronts->numbers = base;
}

/* --- where numbers go ------------------------------------------------------------------------- */

/* Rows of the front of panel p, for the matrix's entries and for the panels below. */
static void find_places(const Build *build, int p) {
    const Panels *panels = build->panels;
    const Panel *panel = &panels->panel[p];
    const Front *front = &build->fronts->front[p];
    const FactorPattern *pattern = build->pattern;
    const Matrix *matrix = pattern->matrix;
    for (int j = 0; j < panel->width; ++j) {
        build->place[panel->column + j] = j;
    }
    for (int i = 0; i < panel->count; ++i) {
        build->place[panels->source[panel->list + (size_t)i]] = front->own + i;
    }
    for (int j = panel->column; j < panel->column + panel->width; ++j) {
        int unknown = pattern->permutation[j];
        for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
            int i = pattern->inverse[matrix->column[q]];
            build->fronts->row_at[q] = i < j ? -1 : build->place[i];
        }
    }
    for (int c = front->child; c < front->child_end; ++c) {
        const Panel *child = &panels->panel[build->fronts->child[c]];
        for (int i = 0; i < child->count; ++i) {
            size_t at = child->list + (size_t)i;
            build->fronts->join[at] = build->place[panels->source[at]];
        }
    }
}

static StatusCode build_all(Build *build, Store *store, Store *scratch, Status *status) {
    const Panels *panels = build->panels;
    const Matrix *matrix = build->pattern->matrix;
    Fronts *fronts = build->fronts;
    fronts->front = STORE_ARRAY(store, Front, panels->count);
    fronts->child = STORE_ARRAY(store, int, panels->count);
    fronts->row_at = STORE_ARRAY(store, int, matrix->start[matrix->size]);
    fronts->join = STORE_ARRAY(store, int, panels->list_count);
    fronts->top = STORE_ARRAY(store, uint8_t, panels->task_count);
    build->place = STORE_ARRAY(scratch, int, panels->size);
    build->home = STORE_ARRAY(scratch, int, panels->count);
    build->span = STORE_ARRAY(scratch, Span, panels->count + 1);
    int *fill = STORE_ARRAY(scratch, int, panels->count + 1);
    double *work = STORE_ARRAY(scratch, double, panels->task_count);
    if (store->failed || scratch->failed) {
        return status_no_memory(status, "the factor");
    }
    find_children(build, fill);
    find_top(build, work);
    place_fronts(build);
    for (int p = 0; p < panels->count; ++p) {
        find_places(build, p);
    }
    return STATUS_OK;
}

StatusCode fronts_build(Fronts *fronts, const Panels *panels, const FactorPattern *pattern,
                        Store *store, Status *status) {
    Store scratch = {0};
    *fronts = (Fronts){0};
    Build build = {.panels = panels, .pattern = pattern, .fronts = fronts};
    StatusCode code = build_all(&build, store, &scratch, status);
    store_release(&scratch);
    return code;
}

/* --- eliminating one panel -------------------------------------------------------------------- */

/* The dense work of eliminating one panel from its front (see numeric.h). With
 *
 *   F = [ F1 .  ]        F1 = U' U,  V = U^-1
 *       [ F2 F3 ]
 *
 * it gives what the repeated solve wants of the panel (see solve.h), S = F1^-1 = V V' and B = F2 F1^-1, by way of
 * W = F2 V, and leaves F3 - W W' to the panel above. */

typedef struct Elimination {
    const Panel *panel;
    const Front *front;
    double *square;                          /* of the front */
    double *inverse, *below;                 /* S and -B: as in solve.h */
    double *wide;                            /* W, in groups of four rows of `own` columns each */
    double upper[PANEL_WIDTH * PANEL_WIDTH]; /* V by rows, PANEL_WIDTH apart */
    double negative[PANEL_WIDTH * PANEL_WIDTH]; /* -V' likewise */
} Elimination;

typedef struct EliminateKernels {
    /* S, V and -V'. Returns the first column with a pivot that is not positive, or -1. */
    int (*own)(Elimination *elimination);
    /* W and -B for groups begin..end of the rows below. */
    void (*divide)(const Elimination *elimination, int begin, int end);
    /* F3 -= W W' for groups begin..end of its rows; `begin` is even. */
    void (*subtract)(const Elimination *elimination, int begin, int end);
} EliminateKernels;

/* The kernels, compiled for the plain machine and for a wider one. */
typedef double Two __attribute__((vector_size(16), may_alias));

#define VECTOR Two
#define TARGET
#define NAME(x) x
#include "linear/eliminate_kernels.h"

#if defined(__x86_64__)
typedef double Four __attribute__((vector_size(32), may_alias));
#define VECTOR Four
#define TARGET __attribute__((target(MACHINE_AVX2)))
#define NAME(x) x##_avx2
#include "linear/eliminate_kernels.h"
#endif

/* The fastest that this machine has. */
static EliminateKernels eliminate_kernels(void) {
#if defined(__x86_64__)
    if (machine_has_avx2()) {
        return (EliminateKernels){eliminate_own_avx2, divide_avx2, subtract_avx2};
    }
#endif
    return (EliminateKernels){eliminate_own, divide, subtract};
}

/* --- all of them ------------------------------------------------------------------------------ */

/* Groups of rows that a thread takes at once of a front that all share; fronts of fewer than twice so many are not
 * worth waking others. Even: see EliminateKernels. */
#define BATCH 8
/* What a task ends with, if no column failed in it or below it. */
#define NONE_FAILED (-1)

typedef struct Work {
    const Numeric *numeric;
    EliminateKernels kernels;
    double *squares;  /* of all fronts */
    const int *part;  /* the tasks of this run, in order */
    int *ended;       /* of each task: NONE_FAILED or a column */
    atomic_int *done; /* of each task */
    atomic_int out_of_memory;
    Pool *pool; /* of a task that all threads share; else null */
} Work;

/* --- assembling a front ----------------------------------------------------------------------- */

/* Row `row` of the front, at the front's first column. */
static double *front_row(const Front *front, double *square, int row) {
    return square + front_group(front->first + row / PANEL_ROWS) +
           4 * PANEL_ROWS * (size_t)front->first + row % PANEL_ROWS;
}

static void add_matrix(const Numeric *numeric, const Panel *panel, const Front *front,
                       double *square) {
    const FactorPattern *pattern = numeric->pattern;
    const Matrix *matrix = pattern->matrix;
    for (int j = 0; j < panel->width; ++j) {
        int unknown = pattern->permutation[panel->column + j];
        if (numeric->held[unknown]) {
            front_row(front, square, j)[PANEL_ROWS * j] = 1.0;
            continue;
        }
        for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
            int row = numeric->fronts->row_at[q];
            if (row >= 0 && !numeric->held[matrix->column[q]]) {
                front_row(front, square, row)[PANEL_ROWS * j] += matrix->value[q];
            }
        }
    }
}

/* What a child has left, four rows at a time. */
static void add_child(const Work *work, int child, const Front *front, double *square) {
    const Panel *panel = &work->numeric->panels->panel[child];
    const Front *from = &work->numeric->fronts->front[child];
    const int *join = work->numeric->fronts->join + panel->list;
    int skipped = from->first + from->own / PANEL_ROWS;
    for (int i = 0; i < panel->count; i += PANEL_ROWS) {
        const double *number = work->squares + from->place + front_group(skipped + i / PANEL_ROWS) +
                               4 * PANEL_ROWS * (size_t)skipped;
        int rows = panel->count - i < PANEL_ROWS ? panel->count - i : PANEL_ROWS;
        double *to[PANEL_ROWS];
        for (int r = 0; r < PANEL_ROWS; ++r) {
            to[r] = front_row(front, square, join[i + (r < rows ? r : 0)]);
        }
        if (rows == PANEL_ROWS) {
            for (int c = 0; c < i; ++c, number += PANEL_ROWS) {
                size_t at = PANEL_ROWS * (size_t)join[c];
                to[0][at] += number[0];
                to[1][at] += number[1];
                to[2][at] += number[2];
                to[3][at] += number[3];
            }
        }
        for (int c = rows == PANEL_ROWS ? i : 0; c < i + rows; ++c, number += PANEL_ROWS) {
            for (int r = c > i ? c - i : 0; r < rows; ++r) {
                to[r][PANEL_ROWS * (size_t)join[c]] += number[r];
            }
        }
    }
}

static void assemble(const Work *work, int p) {
    const Numeric *numeric = work->numeric;
    const Panel *panel = &numeric->panels->panel[p];
    const Front *front = &numeric->fronts->front[p];
    double *square = work->squares + front->place;
    if (!front->shared) {
        size_t numbers = front_group((front->own + panel->rows) / PANEL_ROWS);
        memset(square, 0, numbers * sizeof *square);
        for (int c = front->child; c < front->child_end; ++c) {
            add_child(work, numeric->fronts->child[c], front, square);
        }
    }
    add_matrix(numeric, panel, front, square);
}

/* --- eliminating a panel ---------------------------------------------------------------------- */

static void round_run(size_t begin, size_t count, const double *value, float *single) {
    for (size_t i = begin; i < begin + count; ++i) {
        single[i] = (float)value[i];
    }
}

void numeric_round(const Panels *panels, int panel, const double *value, float *single) {
    const Panel *at = &panels->panel[panel];
    round_run(at->square, panel_square(at), value, single);
    round_run(at->below, panel_below(at), value, single);
}

/* The groups of rows of a front that all threads share. */
typedef struct Shared {
    const EliminateKernels *kernels;
    const Elimination *elimination;
    int groups;
} Shared;

static void divide_batches(void *context, int begin, int end) {
    const Shared *shared = context;
    int last = end * BATCH < shared->groups ? end * BATCH : shared->groups;
    shared->kernels->divide(shared->elimination, begin * BATCH, last);
}

/* From the last to the first: the last is the longest. */
static void subtract_batches(void *context, int begin, int end) {
    const Shared *shared = context;
    int count = (shared->groups + BATCH - 1) / BATCH;
    for (int item = begin; item < end; ++item) {
        int first = (count - 1 - item) * BATCH;
        int last = first + BATCH < shared->groups ? first + BATCH : shared->groups;
        shared->kernels->subtract(shared->elimination, first, last);
    }
}

/* Returns the column that failed, or NONE_FAILED. */
static int eliminate(const Work *work, int p, double *wide) {
    const Numeric *numeric = work->numeric;
    const Panel *panel = &numeric->panels->panel[p];
    const Front *front = &numeric->fronts->front[p];
    Elimination elimination;
    elimination.panel = panel;
    elimination.front = front;
    elimination.square = work->squares + front->place;
    elimination.inverse = numeric->value + panel->square;
    elimination.below = numeric->value + panel->below;
    elimination.wide = wide;
    int failed = work->kernels.own(&elimination), groups = panel->rows / PANEL_ROWS;
    if (failed >= 0) {
        return panel->column + failed;
    }
    if (work->pool && groups >= 2 * BATCH) { /* in order: the longest first */
        Shared shared = {&work->kernels, &elimination, groups};
        pool_in_order(work->pool, (groups + BATCH - 1) / BATCH, divide_batches, &shared);
        pool_in_order(work->pool, (groups + BATCH - 1) / BATCH, subtract_batches, &shared);
    } else {
        work->kernels.divide(&elimination, 0, groups);
        work->kernels.subtract(&elimination, 0, groups);
    }
    if (numeric->single) {
        numeric_round(numeric->panels, p, numeric->value, numeric->single);
    }
    return NONE_FAILED;
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* The first column that failed below the task, or NONE_FAILED. */
static int look_below(const Work *work, const PanelTask *task) {
    int failed = NONE_FAILED;
    for (int c = task->child; c < task->child_end; ++c) {
        int below = work->ended[work->numeric->panels->child[c]];
        failed = below != NONE_FAILED && (failed == NONE_FAILED || below < failed) ? below : failed;
    }
    return failed;
}

static int run_task(Work *work, int t) {
    const Panels *panels = work->numeric->panels;
    const PanelTask *task = &panels->task[t];
    Store store = {0};
    int rows = 0, failed = look_below(work, task);
    for (int p = task->panel; p < task->panel_end; ++p) {
        rows = panels->panel[p].rows > rows ? panels->panel[p].rows : rows;
    }
    double *wide = STORE_ARRAY(&store, double, (size_t)rows *PANEL_WIDTH);
    if (store.failed) {
        atomic_store(&work->out_of_memory, 1);
    }
    for (int p = task->panel; p < task->panel_end && failed == NONE_FAILED && wide; ++p) {
        assemble(work, p);
        failed = eliminate(work, p, wide);
    }
    store_release(&store);
    return failed;
}

static void run_items(void *context, int begin, int end) {
    Work *work = context;
    const Panels *panels = work->numeric->panels;
    for (int item = begin; item < end; ++item) {
        int t = work->part[item];
        for (int c = panels->task[t].child; c < panels->task[t].child_end; ++c) {
            mark_wait(&work->done[panels->child[c]], 1);
        }
        work->ended[t] = run_task(work, t);
        mark_set(&work->done[t], 1);
    }
}

/* Tasks below the top side by side, those of the top one after the other with all threads in each. */
static void run_tasks(Work *work, Pool *pool, int *part) {
    const Panels *panels = work->numeric->panels;
    const uint8_t *top = work->numeric->fronts->top;
    work->part = part;
    for (int above = 0; above < 2; ++above) {
        int count = 0;
        for (int t = 0; t < panels->task_count; ++t) {
            if (top[t] == above) {
                part[count++] = t;
            }
        }
        work->pool = above ? pool : NULL;
        if (pool && !above && count > 1) {
            pool_in_order(pool, count, run_items, work);
        } else {
            run_items(work, 0, count);
        }
    }
}

StatusCode numeric_compute(const Numeric *numeric, Pool *pool, int *failed, Status *status) {
    Store store = {0};
    const Panels *panels = numeric->panels;
    Work work = {.numeric = numeric,
                 .kernels = eliminate_kernels(),
                 .squares = STORE_ARRAY(&store, double, numeric->fronts->numbers),
                 .ended = STORE_ARRAY(&store, int, panels->task_count),
                 .done = STORE_ARRAY(&store, atomic_int, panels->task_count)};
    int *part = STORE_ARRAY(&store, int, panels->task_count);
    *failed = NONE_FAILED;
    StatusCode code = STATUS_OK;
    if (!store.failed) {
        run_tasks(&work, pool, part);
        for (int t = 0; t < panels->task_count; ++t) {
            int column = work.ended[t];
            *failed = column != NONE_FAILED && (*failed == NONE_FAILED || column < *failed)
                          ? column
                          : *failed;
        }
    }
    if (store.failed || atomic_load(&work.out_of_memory)) {
        code = status_no_memory(status, "the factor");
    }
    store_release(&store);
    return code;
}

/* --- one unknown more or less ----------------------------------------------------------------- */

/* Works on S and B in place, as the solve reads them: a hard pin costs a walk to the root, not a factorisation. */

/* A panel with its numbers. */
typedef struct View {
    const Panel *panel;
    const int *source; /* rows of L */
    double *square;    /* S */
    double *below;     /* -B */
    int width;
} View;

static View view_of(const RowChange *change, int p) {
    const Panel *panel = &change->panels->panel[p];
    View view = {.panel = panel,
                 .source = change->panels->source + panel->list,
                 .square = change->value + panel->square,
                 .below = change->value + panel->below,
                 .width = panel->width};
    change->changed[p] = 1;
    return view;
}

/* Number (i, j) of S or of B: four rows of a column lie together. */
static double *number_at(double *numbers, int width, int i, int j) {
    return numbers + (size_t)(i / PANEL_ROWS) * (size_t)(PANEL_ROWS * width) +
           (size_t)(PANEL_ROWS * j + i % PANEL_ROWS);
}

/* out = S v, over whole groups. */
static void multiply_square(const View *view, const double *v, double *out) {
    const double *number = view->square;
    for (int i = 0; i < view->width; i += PANEL_ROWS) {
        double sum[PANEL_ROWS] = {0};
        for (int j = 0; j < view->width; ++j, number += PANEL_ROWS) {
            for (int r = 0; r < PANEL_ROWS; ++r) {
                sum[r] += number[r] * v[j];
            }
        }
        memcpy(out + i, sum, sizeof sum);
    }
}

static double dot(const double *a, const double *b, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += a[i] * b[i];
    }
    return sum;
}

/* S += scale * v v' */
static void add_to_square(const View *view, double scale, const double *v) {
    double *number = view->square;
    for (int i = 0; i < view->width; i += PANEL_ROWS) {
        for (int j = 0; j < view->width; ++j, number += PANEL_ROWS) {
            double factor = scale * v[j];
            for (int r = 0; r < PANEL_ROWS; ++r) {
                number[r] += factor * v[i + r];
            }
        }
    }
}

/* w = the rows of `work` - B v, then -B += scale * w s', then w back to `work`. */
static void change_below(const RowChange *change, const View *view, const double *v, double scale,
                         const double *s) {
    double *number = view->below;
    for (int i = 0; i < view->panel->count; i += PANEL_ROWS, number += PANEL_ROWS * view->width) {
        double w[PANEL_ROWS] = {0};
        for (int r = 0; r < PANEL_ROWS && i + r < view->panel->count; ++r) {
            w[r] = change->work[view->source[i + r]];
        }
        for (int j = 0; j < view->width; ++j) {
            for (int r = 0; r < PANEL_ROWS; ++r) {
                w[r] += number[PANEL_ROWS * j + r] * v[j];
            }
        }
        for (int r = 0; r < PANEL_ROWS && i + r < view->panel->count; ++r) {
            change->work[view->source[i + r]] = w[r];
            w[r] *= scale;
        }
        for (int j = 0; j < view->width; ++j) {
            for (int r = 0; r < PANEL_ROWS; ++r) {
                number[PANEL_ROWS * j + r] += w[r] * s[j];
            }
        }
    }
}

/* The panel's part of `work`, which is zero afterwards. */
static void take_own(const RowChange *change, const View *view, double v[PANEL_WIDTH]) {
    double *work = change->work + view->panel->column;
    size_t bytes = (size_t)view->width * sizeof *work;
    memset(v, 0, PANEL_WIDTH * sizeof *v);
    memcpy(v, work, bytes);
    memset(work, 0, bytes);
}

static void clear_below(const RowChange *change, int p) {
    for (; p >= 0; p = change->panels->panel[p].above) {
        const Panel *panel = &change->panels->panel[p];
        memset(change->work + panel->column, 0, (size_t)panel->width * sizeof *change->work);
    }
}

/* Carries `scale` times the square of `work` from panel p to the root. Returns 0 if a pivot is not positive. */
static int carry_up(const RowChange *change, int p, double scale) {
    for (; p >= 0; p = change->panels->panel[p].above) {
        View view = view_of(change, p);
        double v[PANEL_WIDTH], s[PANEL_WIDTH];
        take_own(change, &view, v);
        multiply_square(&view, v, s);
        double whole = 1.0 + scale * dot(v, s, view.width);
        if (!(whole > 0) || !isfinite(whole)) {
            clear_below(change, view.panel->above);
            return 0;
        }
        scale /= whole;
        add_to_square(&view, -scale, s);
        change_below(change, &view, v, -scale, s);
    }
    return 1;
}

/* --- the row below its own panel -------------------------------------------------------------- */

/* Panels that have this row, in the order of L. */
static int find_reaching(const RowChange *change, int column) {
    const FactorPattern *pattern = change->pattern;
    const Matrix *matrix = pattern->matrix;
    const Panels *panels = change->panels;
    int count = 0, own = panels->owner[column], unknown = pattern->permutation[column];
    for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
        int j = pattern->inverse[matrix->column[q]];
        for (int p = panels->owner[j]; j < column && p != own; p = panels->panel[p].above) {
            int at = count;
            while (at > 0 && panels->panel[change->list[at - 1]].column > panels->panel[p].column) {
                --at;
            }
            if (at > 0 && change->list[at - 1] == p) {
                break; /* and all above it */
            }
            memmove(change->list + at + 1, change->list + at,
                    (size_t)(count - at) * sizeof *change->list);
            change->list[at] = p;
            ++count;
        }
    }
    return count;
}

static int find_row(const View *view, int row) {
    int low = 0, high = view->panel->count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (view->source[middle] < row) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* --- holding and releasing -------------------------------------------------------------------- */

int rowchange_hold(const RowChange *change, int column) {
    int count = find_reaching(change, column);
    for (int i = 0; i < count; ++i) {
        View view = view_of(change, change->list[i]);
        int row = find_row(&view, column);
        for (int j = 0; j < view.width; ++j) {
            *number_at(view.below, view.width, row, j) = 0;
        }
    }
    View view = view_of(change, change->panels->owner[column]);
    int c = column - view.panel->column, width = view.width;
    double s[PANEL_WIDTH] = {0}, none[PANEL_WIDTH] = {0};
    for (int i = 0; i < width; ++i) {
        s[i] = *number_at(view.square, width, i, c);
    }
    double pivot = s[c];
    for (int i = 0; i < view.panel->count;
         ++i) { /* B of the column: what the rest no longer loses */
        change->work[view.source[i]] = -*number_at(view.below, width, i, c);
    }
    add_to_square(&view, -1.0 / pivot, s);
    change_below(change, &view, none, 1.0 / pivot, s);
    for (int i = 0; i < width; ++i) {
        *number_at(view.square, width, i, c) = *number_at(view.square, width, c, i) = i == c;
    }
    for (int i = 0; i < view.panel->count; ++i) {
        *number_at(view.below, width, i, c) = 0;
    }
    return carry_up(change, view.panel->above, 1.0 / pivot);
}

/* The matrix's row of free unknowns into `work`, but for its diagonal, which is returned. */
static double load_row(const RowChange *change, int column) {
    const FactorPattern *pattern = change->pattern;
    const Matrix *matrix = pattern->matrix;
    int unknown = pattern->permutation[column];
    double diagonal = 0;
    for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
        int other = matrix->column[q];
        if (other == unknown) {
            diagonal = matrix->value[q];
        } else if (!change->held[other]) {
            change->work[pattern->inverse[other]] = matrix->value[q];
        }
    }
    return diagonal;
}

/* What a panel below gives to the row and to the rest of `work`; returns what the diagonal loses. */
static double enter_row(const RowChange *change, int p, int column) {
    View view = view_of(change, p);
    double v[PANEL_WIDTH], s[PANEL_WIDTH], none[PANEL_WIDTH] = {0};
    take_own(change, &view, v);
    multiply_square(&view, v, s);
    change_below(change, &view, v, 0.0, none);
    int row = find_row(&view, column);
    for (int j = 0; j < view.width; ++j) {
        *number_at(view.below, view.width, row, j) = -s[j];
    }
    return dot(v, s, view.width);
}

int rowchange_release(const RowChange *change, int column) {
    int count = find_reaching(change, column), p = change->panels->owner[column];
    double pivot = load_row(change, column);
    for (int i = 0; i < count; ++i) {
        pivot -= enter_row(change, change->list[i], column);
    }
    View view = view_of(change, p);
    int c = column - view.panel->column, width = view.width;
    double v[PANEL_WIDTH], s[PANEL_WIDTH];
    take_own(change, &view, v);
    v[c] = 0;
    multiply_square(&view, v, s);
    pivot -= dot(v, s, width);
    if (!(pivot > 0) || !isfinite(pivot)) {
        clear_below(change, p);
        return 0;
    }
    s[c] = -1;
    *number_at(view.square, width, c, c) = 0;
    add_to_square(&view, 1.0 / pivot, s);
    change_below(change, &view, v, 1.0 / pivot, s);
    return carry_up(change, view.panel->above, -1.0 / pivot);
}
