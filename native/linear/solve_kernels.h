/* The kernels of the repeated solve, for one kind of number and one kind of machine.
 * A template: included with
 *   REAL    float or double
 *   TIMES   1, 2 or 4: columns of a panel that one vector takes
 *   NARROW  3, 7 or 16: columns at most whose sums are worth staying in registers
 *   TARGET  an attribute that lets the compiler use more instructions than every machine has, or nothing
 *   NAME(x) the name of a function or type
 * defined, which are not defined afterwards. An unknown has four numbers, and so has a column of four rows. */
#define FOUR NAME(Four)
#define WIDE NAME(Wide)
typedef REAL FOUR __attribute__((vector_size(4 * sizeof(REAL)), aligned(16), may_alias));
typedef REAL WIDE __attribute__((vector_size(TIMES * 4 * sizeof(REAL)), aligned(16), may_alias));

/* TIMES columns lie in a vector side by side, and so do TIMES parts of a sum over columns.
 * ROW(v, k): row k of each column in v, in all the places of that column.
 * A sum s on top of x goes from BEGIN(x) to END(x, s). REPEAT(x): x for each column. */
#define PART(s, p) __builtin_shufflevector(s, s, 4 * (p), 4 * (p) + 1, 4 * (p) + 2, 4 * (p) + 3)
#define TWICE(x) __builtin_shufflevector(x, x, 0, 1, 2, 3, 4, 5, 6, 7)
#if TIMES == 1
#define ROW(v, k) (v)[k]
#define BEGIN(x) (x)
#define END(x, s) (s)
#define REPEAT(x) (x)
#elif TIMES == 2
#define ROW(v, k) __builtin_shufflevector(v, v, k, k, k, k, 4 + (k), 4 + (k), 4 + (k), 4 + (k))
#define BEGIN(x)                                                                                   \
    (WIDE) { 0 }
#define END(x, s) ((x) + (PART(s, 0) + PART(s, 1)))
#define REPEAT(x) TWICE(x)
#else
#define ROW(v, k)                                                                                  \
    __builtin_shufflevector(v, v, k, k, k, k, 4 + (k), 4 + (k), 4 + (k), 4 + (k), 8 + (k),         \
                            8 + (k), 8 + (k), 8 + (k), 12 + (k), 12 + (k), 12 + (k), 12 + (k))
#define BEGIN(x)                                                                                   \
    (WIDE) { 0 }
#define HALF(s, h)                                                                                 \
    __builtin_shufflevector(s, s, 8 * (h), 8 * (h) + 1, 8 * (h) + 2, 8 * (h) + 3, 8 * (h) + 4,     \
                            8 * (h) + 5, 8 * (h) + 6, 8 * (h) + 7)
#define END(x, s) ((x) + (PART(HALF(s, 0) + HALF(s, 1), 0) + PART(HALF(s, 0) + HALF(s, 1), 1)))
#define REPEAT(x)                                                                                  \
    __builtin_shufflevector(TWICE(x), TWICE(x), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14,  \
                            15)
#endif

#define INLINE static inline __attribute__((always_inline))
/* Rows that are taken at a time where there are enough, and columns. */
#define ROWS_AT_ONCE (2 * PANEL_ROWS)
#define COLUMNS_AT_ONCE 4
/* Unknowns are scattered over the caller's vectors: they are prefetched this many ahead. */
#define FAR 64

TARGET INLINE const FOUR *NAME(numbers)(const Solve *solve, size_t at) {
    return (const FOUR *)((const REAL *)solve->value + at);
}

/* Adds what TIMES columns give to four rows, from their numbers and their unknowns. */
TARGET INLINE void NAME(add_to_four)(WIDE value, WIDE own, WIDE *sum) {
    sum[0] += ROW(value, 0) * own;
    sum[1] += ROW(value, 1) * own;
    sum[2] += ROW(value, 2) * own;
    sum[3] += ROW(value, 3) * own;
}

/* Adds to `count` rows (4 or 8) what the panel's own unknowns give to them. The numbers of four rows lie
 * together, column after column. */
TARGET INLINE void NAME(add_to_rows)(const int count, const FOUR *value, int width, const FOUR *own,
                                     const int *row, FOUR *y) {
    WIDE sum[ROWS_AT_ONCE];
    FOUR *to[ROWS_AT_ONCE], all[ROWS_AT_ONCE];
    int j = 0;
    for (int i = 0; i < count; ++i) {
        to[i] = y + row[i];
    }
    for (int i = 0; i < count; ++i) {
        sum[i] = BEGIN(*to[i]);
    }
    for (; j + TIMES <= width; j += TIMES) {
        WIDE from = *(const WIDE *)(own + j);
        NAME(add_to_four)(*(const WIDE *)(value + j), from, sum);
        if (count > PANEL_ROWS) {
            NAME(add_to_four)(*(const WIDE *)(value + width + j), from, sum + PANEL_ROWS);
        }
    }
    for (int i = 0; i < count; ++i) {
        all[i] = END(*to[i], sum[i]);
    }
    for (; TIMES > 1 && j < width; ++j) {
        for (int i = 0; i < count; ++i) {
            FOUR column = value[i / PANEL_ROWS * width + j];
            all[i] += column[i % PANEL_ROWS] * own[j];
        }
    }
    for (int i = 0; i < count; ++i) {
        *to[i] = all[i];
    }
}

/* y below -= B y of the panel */
TARGET INLINE void NAME(forward_panel)(const Solve *solve, const Panel *panel, FOUR *y) {
    const FOUR *value = NAME(numbers)(solve, panel->below), *own = y + panel->slot;
    const int *row = solve->panels.row + panel->list;
    int width = panel->width, rows = panel->rows, i = 0;
    for (; i + ROWS_AT_ONCE <= rows; i += ROWS_AT_ONCE) {
        NAME(add_to_rows)(ROWS_AT_ONCE, value, width, own, row + i, y);
        value += ROWS_AT_ONCE / PANEL_ROWS * width;
    }
    if (i < rows) {
        NAME(add_to_rows)(PANEL_ROWS, value, width, own, row + i, y);
    }
}

/* Backward goes from the last number to the first, of -B and of S, so that memory is read in streams again. */

/* Adds what four rows give to `count` columns, whose sums are in registers. */
TARGET INLINE void NAME(add_to_columns)(const int count, const FOUR *value, FOUR a, FOUR b, FOUR c,
                                        FOUR d, FOUR *sum) {
    for (int j = 0; j < count; ++j) {
        FOUR column = value[j];
        sum[j] += column[0] * a;
        sum[j] += column[1] * b;
        sum[j] += column[2] * c;
        sum[j] += column[3] * d;
    }
}

/* The new values of the `count` columns of a narrow panel. */
TARGET INLINE void NAME(sum_columns)(const int count, const Solve *solve, const Panel *panel,
                                     const FOUR *y, FOUR *out) {
    FOUR sum[NARROW];
    const FOUR *own = y + panel->slot, *value;
    const int *row = solve->panels.row + panel->list;
    for (int j = 0; j < count; ++j) {
        sum[j] = (FOUR){0};
    }
    value = NAME(numbers)(solve, panel->below + panel_below(panel));
    for (int i = panel->rows - PANEL_ROWS; i >= 0; i -= PANEL_ROWS) {
        value -= count;
        NAME(add_to_columns)
        (count, value, y[row[i]], y[row[i + 1]], y[row[i + 2]], y[row[i + 3]], sum);
    }
    value = NAME(numbers)(solve, panel->square + panel_square(panel));
    for (int i = panel_padded(count) - PANEL_ROWS; i >= 0; i -= PANEL_ROWS) {
        value -= count;
        NAME(add_to_columns)(count, value, own[i], own[i + 1], own[i + 2], own[i + 3], sum);
    }
    for (int j = 0; j < count; ++j) {
        out[j] = sum[j];
    }
}

/* Adds what four rows give to several columns. */
TARGET INLINE void NAME(add_to_wide_columns)(const FOUR *value, const WIDE *from, WIDE *sum) {
    WIDE columns[COLUMNS_AT_ONCE / TIMES];
    for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
        columns[b] = ((const WIDE *)value)[b];
    }
    for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
        sum[b] += ROW(columns[b], 0) * from[0];
    }
    for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
        sum[b] += ROW(columns[b], 1) * from[1];
    }
    for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
        sum[b] += ROW(columns[b], 2) * from[2];
    }
    for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
        sum[b] += ROW(columns[b], 3) * from[3];
    }
}

/* Adds what `count` rows (4 or 8) give to all columns of a wide panel, whose sums wait in memory. */
TARGET INLINE void NAME(add_rows)(const int count, const FOUR *value, int width, const FOUR *four,
                                  FOUR *out) {
    WIDE from[ROWS_AT_ONCE];
    int j = width;
    for (int i = 0; i < count; ++i) {
        from[i] = REPEAT(four[i]);
    }
    for (; j >= COLUMNS_AT_ONCE; j -= COLUMNS_AT_ONCE) {
        WIDE sum[COLUMNS_AT_ONCE / TIMES], *to = (WIDE *)(out + j - COLUMNS_AT_ONCE);
        for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
            sum[b] = to[b];
        }
        NAME(add_to_wide_columns)(value + j - COLUMNS_AT_ONCE, from, sum);
        if (count > PANEL_ROWS) {
            NAME(add_to_wide_columns)(value + width + j - COLUMNS_AT_ONCE, from + PANEL_ROWS, sum);
        }
        for (int b = 0; b < COLUMNS_AT_ONCE / TIMES; ++b) {
            to[b] = sum[b];
        }
    }
    while (--j >= 0) {
        FOUR sum = out[j];
        for (int i = 0; i < count; ++i) {
            FOUR column = value[i / PANEL_ROWS * width + j];
            sum += column[i % PANEL_ROWS] * four[i];
        }
        out[j] = sum;
    }
}

/* Adds what `rows` rows of y give to a wide panel: those on the list, or without one the first of y.
 * `value`: where the numbers of the last end. */
TARGET INLINE void NAME(add_all_rows)(int rows, const FOUR *value, int width, const FOUR *y,
                                      const int *row, FOUR *out) {
    FOUR four[ROWS_AT_ONCE];
    if (rows % ROWS_AT_ONCE) {
        rows -= PANEL_ROWS;
        value -= width;
        for (int k = 0; k < PANEL_ROWS; ++k) {
            four[k] = y[row ? row[rows + k] : rows + k];
        }
        NAME(add_rows)(PANEL_ROWS, value, width, four, out);
    }
    while (rows > 0) {
        rows -= ROWS_AT_ONCE;
        value -= ROWS_AT_ONCE / PANEL_ROWS * width;
        for (int k = 0; k < ROWS_AT_ONCE; ++k) {
            four[k] = y[row ? row[rows + k] : rows + k];
        }
        NAME(add_rows)(ROWS_AT_ONCE, value, width, four, out);
    }
}

/* The new values of all columns of a wide panel. */
TARGET INLINE void NAME(sum_wide)(const Solve *solve, const Panel *panel, const FOUR *y,
                                  FOUR *out) {
    int width = panel->width;
    for (int j = 0; j < width; ++j) {
        out[j] = (FOUR){0};
    }
    NAME(add_all_rows)
    (panel->rows, NAME(numbers)(solve, panel->below + panel_below(panel)), width, y,
     solve->panels.row + panel->list, out);
    NAME(add_all_rows)
    (panel_padded(width), NAME(numbers)(solve, panel->square + panel_square(panel)), width,
     y + panel->slot, NULL, out);
}

/* y of the panel = S y of the panel - B' y below */
TARGET INLINE void NAME(backward_panel)(const Solve *solve, const Panel *panel, FOUR *y) {
    FOUR out[PANEL_WIDTH];
    switch (panel->width) {
#define COLUMNS(count)                                                                             \
    case count:                                                                                    \
        NAME(sum_columns)(count, solve, panel, y, out);                                            \
        break;
        COLUMNS(1)
        COLUMNS(2)
        COLUMNS(3)
#if NARROW > 3
        COLUMNS(4)
        COLUMNS(5)
        COLUMNS(6)
        COLUMNS(7)
#endif
#if NARROW > 7
        COLUMNS(8)
        COLUMNS(9)
        COLUMNS(10)
        COLUMNS(11)
        COLUMNS(12)
        COLUMNS(13)
        COLUMNS(14)
        COLUMNS(15)
        COLUMNS(16)
#endif
#undef COLUMNS
    default:
#if NARROW < PANEL_WIDTH
        NAME(sum_wide)(solve, panel, y, out);
#endif
        break;
    }
    for (int j = 0; j < panel->width; ++j) {
        y[panel->slot + j] = out[j];
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

/* The right-hand side, the contributions of the tasks below, then this task's panels. */
TARGET static void NAME(forward_task)(const Solve *solve, int t, const Vec3 *b) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[t];
    FOUR *y = solve->work;
    for (int k = task->column, slot = task->slot; k < task->column_end; ++k, ++slot) {
        const Vec3 *from = &b[solve->permutation[k]];
        __builtin_prefetch(&b[solve->permutation[k + FAR < solve->size ? k + FAR : k]]);
        y[slot] = (FOUR){(REAL)from->x, (REAL)from->y, (REAL)from->z, 0};
    }
    for (int slot = task->border; slot < task->border_end + PANEL_ROWS; ++slot) {
        y[slot] = (FOUR){0};
    }
    for (int c = task->child; c < task->child_end; ++c) {
        const PanelTask *child = &panels->task[panels->child[c]];
        const int *join = panels->join + child->join;
        for (int slot = child->border; slot < child->border_end; ++slot, ++join) {
            y[*join] += y[slot];
        }
    }
    for (int k = 0; k < solve->side && t == panels->late_task; ++k) {
        ((REAL *)solve->aside)[k] = y[task->slot + k][0];
    }
    for (int p = task->panel; p < task->panel_end; ++p) {
        if (!solve->awake_panel || solve->awake_panel[p]) {
            NAME(forward_panel)(solve, &panels->panel[p], y);
        }
    }
}

/* The border from the task above, then the panels, then the solution. */
TARGET static void NAME(backward_task)(const Solve *solve, int t, Vec3 *x) {
    const Panels *panels = &solve->panels;
    const PanelTask *task = &panels->task[t];
    FOUR *y = solve->work;
    const int *join = panels->join + task->join;
    for (int slot = task->border; slot < task->border_end; ++slot, ++join) {
        y[slot] = y[*join];
    }
    for (int p = task->panel_end - 1; p >= task->panel; --p) {
        if (!solve->awake_panel || solve->awake_panel[p]) {
            NAME(backward_panel)(solve, &panels->panel[p], y);
        }
    }
    if (t == panels->late_task) {
        NAME(solve_across)(solve);
    }
    for (int k = task->column, slot = task->slot; k < task->column_end; ++k, ++slot) {
        __builtin_prefetch(&x[solve->permutation[k + FAR < solve->size ? k + FAR : k]], 1);
        x[solve->permutation[k]] = vec3(y[slot][0], y[slot][1], y[slot][2]);
    }
}

#undef INLINE
#undef ROWS_AT_ONCE
#undef COLUMNS_AT_ONCE
#undef FAR
#undef FOUR
#undef WIDE
#undef PART
#undef ROW
#undef BEGIN
#undef END
#undef TWICE
#undef HALF
#undef REPEAT
#undef REAL
#undef TARGET
#undef TIMES
#undef NARROW
#undef NAME
