/* The kernels of the repeated solve, for one kind of number and one kind of machine.
 * A template: included with
 *   REAL    float or double
 *   VECTOR  sixteen bytes of them, which every machine has
 *   TARGET  an attribute that lets the compiler use more instructions than every machine has, or nothing
 *   NAME(x) the name of a function
 * defined. An unknown has four numbers, so one vector or two; the same for a column of four rows. */

#define INLINE static inline __attribute__((always_inline))
#define LANES ((int)(sizeof(VECTOR) / sizeof(REAL)))
#define PARTS (4 / LANES)

/* Adds to `count` rows (4 or 8) what the panel's own unknowns give to them. The numbers of four rows lie
 * together, column after column. */
TARGET INLINE void NAME(add_to_rows)(const int count, const VECTOR *value, int width,
                                     const VECTOR *own, const int *row, VECTOR *y) {
    VECTOR sum[8][PARTS];
    for (int i = 0; i < count; ++i) {
        for (int part = 0; part < PARTS; ++part) {
            sum[i][part] = y[PARTS * row[i] + part];
        }
    }
    for (int j = 0; j < width; ++j) {
        for (int i = 0; i < count; ++i) {
            int group = i / PANEL_ROWS, k = i % PANEL_ROWS;
            VECTOR factor = value[PARTS * (group * width + j) + k / LANES];
            for (int part = 0; part < PARTS; ++part) {
                sum[i][part] += factor[k % LANES] * own[PARTS * j + part];
            }
        }
    }
    for (int i = 0; i < count; ++i) {
        for (int part = 0; part < PARTS; ++part) {
            y[PARTS * row[i] + part] = sum[i][part];
        }
    }
}

/* y below -= B y of the panel */
TARGET INLINE void NAME(forward_panel)(const Panel *panel, const int *row, const VECTOR *value,
                                       VECTOR *y) {
    const VECTOR *own = y + PARTS * panel->slot;
    int width = panel->width, i = 0;
    value += PARTS * width * (panel_padded(width) / PANEL_ROWS);
    for (; i + 2 * PANEL_ROWS <= panel->rows; i += 2 * PANEL_ROWS) {
        NAME(add_to_rows)(2 * PANEL_ROWS, value, width, own, row + i, y);
        value += 2 * PARTS * width;
    }
    if (i < panel->rows) {
        NAME(add_to_rows)(PANEL_ROWS, value, width, own, row + i, y);
    }
}

/* Adds what four rows give to `count` columns. */
TARGET INLINE void NAME(add_to_columns)(const int count, const VECTOR *value,
                                        const VECTOR *const four[PANEL_ROWS],
                                        VECTOR (*sum)[PARTS]) {
    for (int k = 0; k < PANEL_ROWS; ++k) {
        for (int j = 0; j < count; ++j) {
            VECTOR factor = value[PARTS * j + k / LANES];
            for (int part = 0; part < PARTS; ++part) {
                sum[j][part] += factor[k % LANES] * four[k][part];
            }
        }
    }
}

/* The new values of `count` columns of a panel, which start at `value`. */
TARGET INLINE void NAME(sum_columns)(const int count, const Panel *panel, const int *row,
                                     const VECTOR *value, const VECTOR *y, VECTOR (*out)[PARTS]) {
    VECTOR sum[8][PARTS];
    const VECTOR *own = y + PARTS * panel->slot;
    int stride = PARTS * panel->width;
    for (int j = 0; j < count; ++j) {
        for (int part = 0; part < PARTS; ++part) {
            sum[j][part] = (VECTOR){0};
        }
    }
    for (int i = 0; i < panel->width; i += PANEL_ROWS, value += stride) {
        const VECTOR *at = own + PARTS * i;
        const VECTOR *const four[] = {at, at + PARTS, at + 2 * PARTS, at + 3 * PARTS};
        NAME(add_to_columns)(count, value, four, sum);
    }
    for (int i = 0; i < panel->rows; i += PANEL_ROWS, value += stride) {
        const VECTOR *const four[] = {y + PARTS * row[i], y + PARTS * row[i + 1],
                                      y + PARTS * row[i + 2], y + PARTS * row[i + 3]};
        NAME(add_to_columns)(count, value, four, sum);
    }
    for (int j = 0; j < count; ++j) {
        for (int part = 0; part < PARTS; ++part) {
            out[j][part] = sum[j][part];
        }
    }
}

/* y of the panel = S y of the panel - B' y below */
TARGET INLINE void NAME(backward_panel)(const Panel *panel, const int *row, const VECTOR *value,
                                        VECTOR *y) {
    VECTOR out[PANEL_WIDTH][PARTS];
    int j = 0;
    for (; j + 8 <= panel->width; j += 8) {
        NAME(sum_columns)(8, panel, row, value + PARTS * j, y, out + j);
    }
    value += PARTS * j;
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
        for (int part = 0; part < PARTS; ++part) {
            y[PARTS * (panel->slot + i) + part] = out[i][part];
        }
    }
}

/* x of a fold's columns: solved by their own factor beside the plane, zero on it. */
TARGET static void NAME(solve_across)(const Solve *solve) {
    const PanelTask *task = &solve->panels.task[solve->panels.late_task];
    const REAL *square = solve->across;
    REAL *restrict x = solve->aside, *y = (REAL *)solve->work + 4 * (size_t)task->slot;
    int side = solve->side, count = task->column_end - task->column;
    for (int j = 0; j < side; ++j) {
        const REAL *row = square + (size_t)j * (size_t)side;
        x[j] *= row[j];
        for (int i = j + 1; i < side; ++i) {
            x[i] -= row[i] * x[j];
        }
    }
    for (int j = side - 1; j >= 0; --j) {
        const REAL *row = square + (size_t)j * (size_t)side;
        x[j] *= row[j];
        for (int i = 0; i < j; ++i) {
            x[i] -= row[i] * x[j];
        }
    }
    for (int k = 0; k < count; ++k) {
        y[4 * k] = k < side ? x[k] : 0;
    }
}

/* The right-hand side, what the tasks below have for this one, then its panels. */
TARGET static void NAME(forward_task)(const Solve *solve, int t, const Vec3 *b) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[t];
    REAL *y = solve->work;
    for (int k = task->column, slot = task->slot; k < task->column_end; ++k, ++slot) {
        Vec3 from = b[solve->permutation[k]];
        y[4 * slot] = (REAL)from.x;
        y[4 * slot + 1] = (REAL)from.y;
        y[4 * slot + 2] = (REAL)from.z;
        y[4 * slot + 3] = 0;
    }
    for (int i = 4 * task->border; i < 4 * (task->border_end + PANEL_ROWS); ++i) {
        y[i] = 0;
    }
    for (int c = task->child; c < task->child_end; ++c) {
        const PanelTask *child = &panels->task[panels->child[c]];
        const int *join = panels->join + child->join;
        for (int slot = child->border; slot < child->border_end; ++slot, ++join) {
            for (int axis = 0; axis < 4; ++axis) {
                y[4 * *join + axis] += y[4 * slot + axis];
            }
        }
    }
    for (int k = 0; k < solve->side && t == panels->late_task; ++k) {
        ((REAL *)solve->aside)[k] = y[4 * (task->slot + k)];
    }
    for (int p = task->panel; p < task->panel_end; ++p) {
        const Panel *panel = &panels->panel[p];
        NAME(forward_panel)
        (panel, panels->row + panel->list,
         (const VECTOR *)((const REAL *)solve->value + panel->value), (VECTOR *)y);
    }
}

/* The border from the task above, then the panels, then the solution. */
TARGET static void NAME(backward_task)(const Solve *solve, int t, Vec3 *x) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[t];
    REAL *y = solve->work;
    const int *join = panels->join + task->join;
    for (int slot = task->border; slot < task->border_end; ++slot, ++join) {
        for (int axis = 0; axis < 4; ++axis) {
            y[4 * slot + axis] = y[4 * *join + axis];
        }
    }
    for (int p = task->panel_end - 1; p >= task->panel; --p) {
        const Panel *panel = &panels->panel[p];
        NAME(backward_panel)
        (panel, panels->row + panel->list,
         (const VECTOR *)((const REAL *)solve->value + panel->value), (VECTOR *)y);
    }
    if (t == panels->late_task) {
        NAME(solve_across)(solve);
    }
    for (int k = task->column, slot = task->slot; k < task->column_end; ++k, ++slot) {
        x[solve->permutation[k]] = vec3(y[4 * slot], y[4 * slot + 1], y[4 * slot + 2]);
    }
}

#undef INLINE
#undef LANES
#undef PARTS
