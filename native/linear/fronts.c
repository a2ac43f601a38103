/* Fronts live and die in the order of the tree, so a few spans of memory, handed on, hold them all. */
#include "linear/fronts.h"

#include <string.h>

/* A task belongs to the crown if this part of all work is in it and below it: with a few branches left, threads can
 * no longer have one each. */
#define CROWN_SHARE (1.0 / 6)

/* Memory that some front holds. */
typedef struct Span {
    size_t begin, end;
} Span;

typedef struct Build {
    const Panels *panels;
    const FactorPattern *pattern;
    Fronts *fronts;
    int *place; /* of each row of L: where it is in the front at hand */
    int *home;  /* of each panel: the task in whose memory its square is */
    Span *span; /* of the task at hand, ascending */
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
static void find_crown(const Build *build, double *work) {
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
        build->fronts->crown[t] = task->child_end > task->child && work[t] > CROWN_SHARE * total;
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
    fronts->crown = STORE_ARRAY(store, uint8_t, panels->task_count);
    build->place = STORE_ARRAY(scratch, int, panels->size);
    build->home = STORE_ARRAY(scratch, int, panels->count);
    build->span = STORE_ARRAY(scratch, Span, panels->count + 1);
    int *fill = STORE_ARRAY(scratch, int, panels->count + 1);
    double *work = STORE_ARRAY(scratch, double, panels->task_count);
    if (store->failed || scratch->failed) {
        return status_no_memory(status, "the factor");
    }
    find_children(build, fill);
    find_crown(build, work);
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
