/* The kernels of the repeated solve, for one kind of number and one kind of machine.
 * A template: included with
 *   REAL    float or double
 *   VECTOR  four of them
 *   TARGET  an attribute that lets the compiler use more instructions than every machine has, or nothing
 *   NAME(x) the name of a function
 * defined. No vector goes through an argument: how would depend on the machine. */

#define INLINE static inline __attribute__((always_inline))

/* Adds to `count` rows (4 or 8) what the panel's own unknowns give to them. The numbers of four rows lie
 * together, column after column. */
TARGET INLINE void NAME(add_to_rows)(const int count, const REAL *value, int width,
                                     const VECTOR *own, const int *row, VECTOR *y) {
    VECTOR sum[8];
    for (int i = 0; i < count; ++i) {
        sum[i] = y[row[i]];
    }
    for (int j = 0; j < width; ++j) {
        VECTOR x = own[j];
        for (int group = 0; group < count / PANEL_ROWS; ++group) {
            VECTOR factor = *(const VECTOR *)(value + PANEL_ROWS * (group * width + j));
            for (int i = 0; i < PANEL_ROWS; ++i) {
                sum[PANEL_ROWS * group + i] += factor[i] * x;
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        y[row[i]] = sum[i];
    }
}

/* y below -= B y of the panel */
TARGET INLINE void NAME(forward_panel)(const Panel *panel, const int *row, const REAL *value,
                                       VECTOR *y) {
    const VECTOR *own = y + panel->slot;
    int width = panel->width, i = 0;
    value += (size_t)width * (size_t)panel_padded(width);
    for (; i + 2 * PANEL_ROWS <= panel->rows; i += 2 * PANEL_ROWS) {
        NAME(add_to_rows)(2 * PANEL_ROWS, value, width, own, row + i, y);
        value += 2 * PANEL_ROWS * width;
    }
    if (i < panel->rows) {
        NAME(add_to_rows)(PANEL_ROWS, value, width, own, row + i, y);
    }
}

/* The new values of `count` columns of a panel, which start at `value`. */
TARGET INLINE void NAME(sum_columns)(const int count, const Panel *panel, const int *row,
                                     const REAL *value, const VECTOR *y, VECTOR *out) {
    VECTOR sum[8];
    const VECTOR *own = y + panel->slot;
    int stride = PANEL_ROWS * panel->width;
    for (int j = 0; j < count; ++j) {
        sum[j] = (VECTOR){0};
    }
    for (int i = 0; i < panel->width; i += PANEL_ROWS, value += stride) {
        for (int j = 0; j < count; ++j) {
            VECTOR factor = *(const VECTOR *)(value + PANEL_ROWS * j);
            for (int k = 0; k < PANEL_ROWS; ++k) {
                sum[j] += factor[k] * own[i + k];
            }
        }
    }
    for (int i = 0; i < panel->rows; i += PANEL_ROWS, value += stride) {
        VECTOR below[PANEL_ROWS] = {y[row[i]], y[row[i + 1]], y[row[i + 2]], y[row[i + 3]]};
        for (int j = 0; j < count; ++j) {
            VECTOR factor = *(const VECTOR *)(value + PANEL_ROWS * j);
            for (int k = 0; k < PANEL_ROWS; ++k) {
                sum[j] += factor[k] * below[k];
            }
        }
    }
    for (int j = 0; j < count; ++j) {
        out[j] = sum[j];
    }
}

/* y of the panel = S y of the panel - B' y below */
TARGET INLINE void NAME(backward_panel)(const Panel *panel, const int *row, const REAL *value,
                                        VECTOR *y) {
    VECTOR out[PANEL_WIDTH];
    int j = 0;
    for (; j + 8 <= panel->width; j += 8) {
        NAME(sum_columns)(8, panel, row, value + PANEL_ROWS * j, y, out + j);
    }
    value += PANEL_ROWS * j;
    switch (panel->width - j) {
#define COLUMNS(count)                                                                             \
    case count:                                                                                    \
        NAME(sum_columns)(count, panel, row, value, y, out + j);                                   \
        break;
        COLUMNS(1)
        COLUMNS(2)
        COLUMNS(3)
        COLUMNS(4)
        COLUMNS(5)
        COLUMNS(6)
        COLUMNS(7)
#undef COLUMNS
    default:
        break;
    }
    for (int i = 0; i < panel->width; ++i) {
        y[panel->slot + i] = out[i];
    }
}

/* The right-hand side, what the tasks below have for this one, then its panels. */
TARGET static void NAME(forward_task)(const Solve *solve, int t, const Vec3 *b) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[t];
    VECTOR *y = solve->work;
    for (int k = task->column, slot = task->slot; k < task->column_end; ++k, ++slot) {
        Vec3 from = b[solve->permutation[k]];
        y[slot] = (VECTOR){(REAL)from.x, (REAL)from.y, (REAL)from.z, 0};
    }
    for (int slot = task->border; slot < task->border_end + PANEL_ROWS; ++slot) {
        y[slot] = (VECTOR){0};
    }
    for (int c = task->child; c < task->child_end; ++c) {
        const PanelTask *child = &panels->task[panels->child[c]];
        const int *join = panels->join + child->join;
        for (int slot = child->border; slot < child->border_end; ++slot) {
            y[*join++] += y[slot];
        }
    }
    for (int p = task->panel; p < task->panel_end; ++p) {
        const Panel *panel = &panels->panel[p];
        NAME(forward_panel)
        (panel, panels->row + panel->list, (const REAL *)solve->value + panel->value, y);
    }
}

/* The border from the task above, then the panels, then the solution. */
TARGET static void NAME(backward_task)(const Solve *solve, int t, Vec3 *x) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[t];
    VECTOR *y = solve->work;
    const int *join = panels->join + task->join;
    for (int slot = task->border; slot < task->border_end; ++slot) {
        y[slot] = y[*join++];
    }
    for (int p = task->panel_end - 1; p >= task->panel; --p) {
        const Panel *panel = &panels->panel[p];
        NAME(backward_panel)
        (panel, panels->row + panel->list, (const REAL *)solve->value + panel->value, y);
    }
    for (int k = task->column, slot = task->slot; k < task->column_end; ++k, ++slot) {
        x[solve->permutation[k]] = vec3(y[slot][0], y[slot][1], y[slot][2]);
    }
}

#undef INLINE
