/* Everything that depends on the pattern alone is computed here, once; factorisation and solve only follow lists. */
#include "linear/panels.h"

#include <math.h>
#include <string.h>

#include "base/lists.h"

/* What a panel costs, in units of one number of L times three right-hand sides: to begin it, and to
 * fetch and put back a group of rows. Half or twice as much changes the time of a solve by a few percent. */
#define COST_PANEL 45
#define COST_GROUP 6
/* Tasks below the separators: at least so much work each, and at most this part of all of the same tree: what is beside it
 * must not show in its sums. */
#define TASK_LEAST 60000
#define TASK_SHARE (1.0 / 16)

typedef struct Build {
    const FactorPattern *pattern;
    int late; /* columns from here on have their own task */
    Panels *panels;
    int *parent;    /* of each column: the next in the elimination tree, or -1 */
    int *owner;     /* of each column: its panel */
    int *moved;     /* of each panel: its place in the order of the tasks */
    size_t *begin;  /* of each panel by its first column: where its rows begin in `row` */
    int *row;       /* of all panels, ascending */
    int *above;     /* of each panel: the panel that owns its first row, or -1 */
    double *work;   /* of each panel with all below it */
    double *limit;  /* of each panel: the work that a task of its tree may have */
    int *task;      /* of each panel */
    double *filled; /* of each task: work of the subtrees that it gathers */
    int *task_above, *height, *open;
    int *mark;    /* of each column of L: the last task that met it */
    int *place;   /* of each column of L: its slot in the present task */
    int *outside; /* columns of L on the borders of all tasks */
    Panel *panel; /* in the order of L */
    int count, task_count;
    size_t border_count;
} Build;

/* --- the elimination tree --------------------------------------------------------------------- */

/* Row by row: whatever hangs below one of the row's columns and has no parent yet gets this row [Liu 1986]. `high`
 * is scratch: the highest known above each column. */
static void find_parents(const Build *build, int *high) {
    const FactorPattern *pattern = build->pattern;
    const Matrix *matrix = pattern->matrix;
    for (int i = 0; i < matrix->size; ++i) {
        int unknown = pattern->permutation[i];
        build->parent[i] = high[i] = -1;
        for (int p = matrix->start[unknown]; p < matrix->start[unknown + 1]; ++p) {
            int next, j = pattern->inverse[matrix->column[p]];
            for (; j >= 0 && j < i; j = next) {
                next = high[j];
                high[j] = i;
                if (next < 0) {
                    build->parent[j] = i;
                }
            }
        }
    }
}

/* --- panels ----------------------------------------------------------------------------------- */

static double cost(int width, int rows) {
    double groups = panel_padded(rows) / PANEL_ROWS;
    return COST_PANEL + COST_GROUP * groups +
           width * (2.0 * PANEL_ROWS * groups + panel_padded(width));
}

static int rows_below(const FactorPattern *pattern, int column) {
    return pattern->count[column] - 1;
}

/* Puts the panel on the list, joined with those just before it that are its children in the tree as long
 * as this pays. The rows of a child are among the columns and rows of its parent. */
static void add_panel(Build *build, Panel panel) {
    while (build->count > 0 && panel.column != build->late) {
        const Panel *last = &build->panel[build->count - 1];
        int parent = build->parent[last->column + last->width - 1];
        int width = last->width + panel.width;
        if (parent < panel.column || parent >= panel.column + panel.width || width > PANEL_WIDTH ||
            cost(width, panel.rows) >
                cost(last->width, last->rows) + cost(panel.width, panel.rows)) {
            break;
        }
        panel.column = last->column;
        panel.width = width;
        --build->count;
    }
    build->panel[build->count++] = panel;
}

/* Runs of columns with the same rows, cut evenly where they are too wide: all panels before the last have whole
 * groups of columns, so that each front goes on in the next one's without a copy (see numeric.h). */
static void find_panels(Build *build) {
    const FactorPattern *pattern = build->pattern;
    int size = pattern->matrix->size;
    for (int begin = 0, end; begin < size; begin = end) {
        end = begin + 1;
        while (end < size && end != build->late && build->parent[end - 1] == end &&
               pattern->count[end - 1] == pattern->count[end] + 1) {
            ++end;
        }
        int parts = (end - begin + PANEL_WIDTH - 1) / PANEL_WIDTH;
        int step = panel_padded((end - begin + parts - 1) / parts);
        for (int from = begin, to; from < end; from = to) {
            to = from + step < end ? from + step : end;
            add_panel(
                build,
                (Panel){.column = from, .width = to - from, .rows = rows_below(pattern, to - 1)});
        }
    }
}

static void find_tree(Build *build) {
    for (int p = 0; p < build->count; ++p) {
        for (int j = 0; j < build->panel[p].width; ++j) {
            build->owner[build->panel[p].column + j] = p;
        }
        build->work[p] = 0;
    }
    for (int p = 0; p < build->count; ++p) {
        const Panel *panel = &build->panel[p];
        int parent = build->parent[panel->column + panel->width - 1];
        build->above[p] = parent < 0 ? -1 : build->owner[parent];
        build->work[p] += cost(panel->width, panel->rows);
        if (parent >= 0) {
            build->work[build->above[p]] += build->work[p];
        }
    }
}

/* The rows of all panels: row i belongs to every panel between those of its entries and its own, up the tree. `met`
 * and `end` are scratch: of each panel the last row that met it, and where its list goes on. */
static void find_rows(Build *build, int *met, size_t *end) {
    const FactorPattern *pattern = build->pattern;
    const Matrix *matrix = pattern->matrix;
    for (int p = 0; p < build->count; ++p) {
        end[p] = build->begin[build->panel[p].column];
        met[p] = -1;
    }
    for (int i = 0; i < matrix->size; ++i) {
        int unknown = pattern->permutation[i];
        met[build->owner[i]] = i;
        for (int q = matrix->start[unknown]; q < matrix->start[unknown + 1]; ++q) {
            int j = pattern->inverse[matrix->column[q]];
            for (int p = build->owner[j]; j < i && met[p] != i; p = build->above[p]) {
                met[p] = i;
                build->row[end[p]++] = i;
            }
        }
    }
}

/* --- tasks ------------------------------------------------------------------------------------ */

static int new_task(Build *build, int above) {
    int task = build->task_count++;
    build->task_above[task] = above;
    build->open[task] = -1;
    build->filled[task] = 0;
    return task;
}

/* A task for a subtree under `above`: one that has room is filled first. open[] of a task is the one below
 * it that is being filled; the last place is for those below none. */
static int gather_subtree(Build *build, int above, double work, double limit) {
    int *open = &build->open[above < 0 ? build->count : above];
    if (*open < 0 || build->filled[*open] + work > limit) {
        *open = new_task(build, above);
    }
    build->filled[*open] += work;
    return *open;
}

static bool is_late(const Build *build, int panel) {
    return build->panel[panel].column >= build->late;
}

/* Panels with more below them than one task may hold are separators: a separator of one branch belongs to
 * the task above it, where branches meet each has its own. */
static void find_tasks(Build *build) {
    int *branches = build->height; /* of a panel: separators right below it; free until later */
    for (int p = build->count - 1; p >= 0; --p) {
        int above = build->above[p];
        build->limit[p] =
            above >= 0 ? build->limit[above] : fmax(build->work[p] * TASK_SHARE, TASK_LEAST);
        branches[p] = 0;
    }
    for (int p = 0; p < build->count; ++p) {
        if (build->above[p] >= 0 && build->work[p] > build->limit[p]) {
            ++branches[build->above[p]];
        }
    }
    build->open[build->count] = -1;
    int late = build->late < build->panels->size ? new_task(build, -1) : -1;
    for (int p = build->count - 1; p >= 0; --p) {
        int above = build->above[p], task = above < 0 ? -1 : build->task[above];
        double limit = build->limit[p];
        bool joins = task >= 0 && task != late;
        if (is_late(build, p)) {
            build->task[p] = late;
        } else if (build->work[p] > limit) {
            build->task[p] = joins && branches[above] == 1 ? task : new_task(build, task);
        } else if (joins && build->work[above] <= limit) {
            build->task[p] = task;
        } else {
            build->task[p] = gather_subtree(build, task, build->work[p], limit);
        }
    }
}

/* Numbers the tasks anew by how many are below each other, the lowest first: what can run at once comes
 * together, and every task after all below it. */
static void order_tasks(Build *build, int *order, int *number) {
    int tallest = 0, at = 0;
    for (int t = 0; t < build->task_count; ++t) {
        build->height[t] = 0;
    }
    for (int t = build->task_count - 1; t >= 0; --t) { /* made from above to below */
        int above = build->task_above[t], reach = build->height[t] + 1;
        if (above >= 0 && build->height[above] < reach) {
            build->height[above] = reach;
        }
        tallest = build->height[t] > tallest ? build->height[t] : tallest;
    }
    for (int height = 0; height <= tallest; ++height) {
        for (int t = build->task_count - 1; t >= 0; --t) {
            if (build->height[t] == height) {
                number[t] = at;
                order[at++] = t;
            }
        }
    }
}

static void lay_children(Panels *panels) {
    int at = 0;
    for (int t = 0; t < panels->task_count; ++t) {
        panels->task[t].child = at;
        for (int c = 0; c < t; ++c) {
            if (panels->task[c].above == t) {
                panels->child[at++] = c;
            }
        }
        panels->task[t].child_end = at;
    }
}

/* Panels and columns in the order of the tasks; `number` tells a task's place in it. */
static void lay_panels(Build *build, const int *number, int *fill) {
    Panels *panels = build->panels;
    for (int p = 0; p < build->count; ++p) {
        ++fill[number[build->task[p]] + 1];
    }
    lists_begin(fill, build->task_count);
    for (int t = 0; t < build->task_count; ++t) {
        panels->task[t].panel = panels->task[t].panel_end = fill[t];
    }
    for (int p = 0; p < build->count; ++p) {
        build->moved[p] = panels->task[number[build->task[p]]].panel_end++;
        panels->panel[build->moved[p]] = build->panel[p];
    }
    for (int p = 0; p < build->count; ++p) {
        int above = build->above[p];
        panels->panel[build->moved[p]].above = above < 0 ? -1 : build->moved[above];
        for (int j = 0; j < build->panel[p].width; ++j) {
            panels->owner[build->panel[p].column + j] = build->moved[p];
        }
    }
    int column = 0;
    for (int t = 0; t < build->task_count; ++t) {
        PanelTask *task = &panels->task[t];
        task->column = column;
        for (int p = task->panel; p < task->panel_end; ++p) {
            for (int j = 0; j < panels->panel[p].width; ++j) {
                panels->column[column++] = panels->panel[p].column + j;
            }
        }
        task->column_end = column;
    }
}

/* --- borders and slots ------------------------------------------------------------------------ */

static const int *panel_rows(const Build *build, const Panel *panel) {
    return build->row + build->begin[panel->column];
}

/* Rows of the task's panels that are not its own columns, each once; to `list` if there is one. */
static int find_border(const Build *build, int t, int *list) {
    const PanelTask *task = &build->panels->task[t];
    int count = 0;
    for (int k = task->column; k < task->column_end; ++k) {
        build->mark[build->panels->column[k]] = t;
    }
    for (int p = task->panel; p < task->panel_end; ++p) {
        const Panel *panel = &build->panels->panel[p];
        const int *row = panel_rows(build, panel);
        for (int i = 0; i < panel->count; ++i) {
            if (build->mark[row[i]] != t) {
                build->mark[row[i]] = t;
                if (list) {
                    list[count] = row[i];
                }
                ++count;
            }
        }
    }
    return count;
}

static void unmark(const Build *build) {
    memset(build->mark, -1, (size_t)build->panels->size * sizeof *build->mark);
}

/* All -B, then all S: forward reads -B alone, and would pay for every gap. */
static void lay_numbers(Panels *panels) {
    size_t at = 0;
    for (int p = 0; p < panels->count; ++p) {
        panels->panel[p].below = at;
        at += panel_below(&panels->panel[p]);
    }
    for (int p = 0; p < panels->count; ++p) {
        panels->panel[p].square = at;
        at += panel_square(&panels->panel[p]);
    }
    panels->value_count = at;
}

static void lay_slots(Build *build) {
    Panels *panels = build->panels;
    int slot = 0;
    unmark(build);
    for (int t = 0; t < panels->task_count; ++t) {
        PanelTask *task = &panels->task[t];
        task->slot = slot;
        task->border = slot + task->column_end - task->column;
        task->border_end = task->border + find_border(build, t, NULL);
        slot = task->border_end + PANEL_ROWS;
        task->join = build->border_count;
        build->border_count += (size_t)(task->border_end - task->border);
    }
    panels->slot_count = slot;
    for (int p = 0; p < panels->count; ++p) {
        Panel *panel = &panels->panel[p];
        panel->rows = panel_padded(panel->count);
        panel->list = panels->list_count;
        panels->list_count += (size_t)panel->rows;
    }
    lay_numbers(panels);
}

static void place_task(const Build *build, const PanelTask *task) {
    int slot = task->slot;
    for (int k = task->column; k < task->column_end; ++k) {
        build->place[build->panels->column[k]] = slot++;
    }
    for (int i = 0; i < task->border_end - task->border; ++i) {
        build->place[build->outside[task->join + (size_t)i]] = task->border + i;
    }
}

static void lay_rows(const Build *build, const PanelTask *task) {
    Panels *panels = build->panels;
    for (int p = task->panel; p < task->panel_end; ++p) {
        Panel *panel = &panels->panel[p];
        const int *row = panel_rows(build, panel);
        int count = panel->count;
        panel->slot = build->place[panel->column];
        for (int i = 0; i < panel->rows; ++i) {
            panels->source[panel->list + (size_t)i] = i < count ? row[i] : -1;
            panels->row[panel->list + (size_t)i] =
                i < count ? build->place[row[i]] : task->border_end;
        }
    }
}

static void lay_lists(Build *build) {
    Panels *panels = build->panels;
    unmark(build);
    for (int t = 0; t < panels->task_count; ++t) {
        find_border(build, t, build->outside + panels->task[t].join);
    }
    for (int t = 0; t < panels->task_count; ++t) {
        const PanelTask *task = &panels->task[t];
        place_task(build, task);
        lay_rows(build, task);
        for (int c = task->child; c < task->child_end; ++c) {
            const PanelTask *child = &panels->task[panels->child[c]];
            for (int i = 0; i < child->border_end - child->border; ++i) {
                size_t at = child->join + (size_t)i;
                panels->join[at] = build->place[build->outside[at]];
            }
        }
    }
}

/* --- all together ----------------------------------------------------------------------------- */

static bool take_scratch(Build *build, Store *scratch) {
    int size = build->panels->size;
    build->panel = STORE_ARRAY(scratch, Panel, size);
    build->work = STORE_ARRAY(scratch, double, size);
    build->limit = STORE_ARRAY(scratch, double, size);
    build->filled = STORE_ARRAY(scratch, double, size);
    build->begin = STORE_ARRAY(scratch, size_t, size);
    int **lists[] = {&build->parent, &build->owner,     &build->moved, &build->above,
                     &build->task,   &build->height,    &build->open,  &build->mark,
                     &build->place,  &build->task_above};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; ++i) {
        *lists[i] = STORE_ARRAY(scratch, int, size + 1);
    }
    return !scratch->failed;
}

/* Panels in the order of L, their tree and their rows. */
static StatusCode cut_panels(Build *build, Store *scratch, Status *status) {
    find_parents(build, build->mark);
    find_panels(build);
    find_tree(build);
    size_t total = 0;
    for (int p = 0; p < build->count; ++p) {
        build->panel[p].count = build->panel[p].rows;
        build->begin[build->panel[p].column] = total;
        total += (size_t)build->panel[p].count;
    }
    build->row = STORE_ARRAY(scratch, int, total);
    size_t *end = STORE_ARRAY(scratch, size_t, build->count);
    if (scratch->failed) {
        return status_no_memory(status, "the packed factor");
    }
    find_rows(build, build->mark, end);
    find_tasks(build);
    return STATUS_OK;
}

/* Numbered and in order, but without slots. */
static StatusCode lay_tasks(Build *build, Store *store, Store *scratch, Status *status) {
    Panels *panels = build->panels;
    panels->count = build->count;
    panels->task_count = build->task_count;
    panels->panel = STORE_ARRAY(store, Panel, build->count);
    panels->task = STORE_ARRAY(store, PanelTask, build->task_count);
    panels->child = STORE_ARRAY(store, int, build->task_count);
    panels->column = STORE_ARRAY(store, int, panels->size);
    panels->owner = STORE_ARRAY(store, int, panels->size);
    int *order = STORE_ARRAY(scratch, int, build->task_count);
    int *number = STORE_ARRAY(scratch, int, build->task_count);
    int *fill = STORE_ARRAY(scratch, int, build->task_count + 1);
    if (store->failed || scratch->failed) {
        return status_no_memory(status, "the packed factor");
    }
    order_tasks(build, order, number);
    panels->late_task = build->late < panels->size ? number[0] : -1; /* made first */
    for (int t = 0; t < build->task_count; ++t) {
        int above = build->task_above[order[t]];
        panels->task[t].above = above < 0 ? -1 : number[above];
    }
    lay_children(panels);
    lay_panels(build, number, fill);
    return STATUS_OK;
}

static StatusCode build_all(Build *build, Store *store, Store *scratch, Status *status) {
    Panels *panels = build->panels;
    if (!take_scratch(build, scratch)) {
        return status_no_memory(status, "the packed factor");
    }
    StatusCode code = cut_panels(build, scratch, status);
    code = code ? code : lay_tasks(build, store, scratch, status);
    if (code != STATUS_OK) {
        return code;
    }
    lay_slots(build);
    panels->row = STORE_ARRAY(store, int, panels->list_count);
    panels->source = STORE_ARRAY(store, int, panels->list_count);
    panels->join = STORE_ARRAY(store, int, build->border_count);
    build->outside = STORE_ARRAY(scratch, int, build->border_count);
    if (store->failed || scratch->failed) {
        return status_no_memory(status, "the packed factor");
    }
    lay_lists(build);
    return STATUS_OK;
}

StatusCode panels_build(Panels *panels, const FactorPattern *pattern, int late, Store *store,
                        Status *status) {
    Store scratch = {0};
    *panels = (Panels){.size = pattern->matrix->size};
    Build build = {.pattern = pattern, .late = late, .panels = panels};
    StatusCode code = build_all(&build, store, &scratch, status);
    store_release(&scratch);
    return code;
}
