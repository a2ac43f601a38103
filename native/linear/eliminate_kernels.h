/* The dense work of one panel, for one kind of machine.
 * A template: included with
 *   VECTOR  two or four doubles
 *   TARGET  an attribute that lets the compiler use more instructions than every machine has, or nothing
 *   NAME(x) the name of a function
 * defined, which are not defined afterwards. */

#define INLINE static inline __attribute__((always_inline))
#define PARTS ((int)(PANEL_ROWS * sizeof(double) / sizeof(VECTOR)))
#define STRIDE PANEL_WIDTH

/* --- the panel's own square ------------------------------------------------------------------- */

/* F1 into the upper half of u, row by row. */
TARGET INLINE void NAME(load_own)(const Elimination *elimination, double *restrict u) {
    const Front *front = elimination->front;
    int width = elimination->panel->width;
    for (int r = 0; r < width; ++r) {
        const double *row = elimination->square + front_group(front->first + r / PANEL_ROWS) +
                            4 * PANEL_ROWS * (size_t)front->first + r % PANEL_ROWS;
        for (int c = 0; c <= r; ++c) {
            u[c * STRIDE + r] = row[4 * c];
        }
    }
}

/* u = U with its diagonal inverted. */
TARGET INLINE int NAME(factor_own)(int width, double *restrict u) {
    for (int j = 0; j < width; ++j) {
        double *restrict row = u + j * STRIDE, pivot = row[j];
        if (!(pivot > 0) || !isfinite(pivot)) {
            return j;
        }
        double inverse = 1.0 / sqrt(pivot);
        for (int k = j + 1; k < width; ++k) {
            row[k] *= inverse;
        }
        row[j] = inverse;
        for (int i = j + 1; i < width; ++i) {
            double *restrict to = u + i * STRIDE, factor = row[i];
            for (int k = i; k < width; ++k) {
                to[k] -= factor * row[k];
            }
        }
    }
    return -1;
}

/* v = U^-1, from the last row to the first. */
TARGET INLINE void NAME(invert_own)(int width, const double *restrict u, double *restrict v) {
    for (int i = width - 1; i >= 0; --i) {
        double *restrict row = v + i * STRIDE;
        for (int k = 0; k < width; ++k) {
            row[k] = 0;
        }
        for (int k = i + 1; k < width; ++k) {
            const double *restrict below = v + k * STRIDE;
            double factor = u[i * STRIDE + k];
            for (int m = k; m < width; ++m) {
                row[m] -= factor * below[m];
            }
        }
        for (int k = i + 1; k < width; ++k) {
            row[k] *= u[i * STRIDE + i];
        }
        row[i] = u[i * STRIDE + i];
    }
}

/* s = V V', whole; `negative` is -V'. */
TARGET INLINE void NAME(square_own)(int width, const double *restrict negative,
                                    double *restrict s) {
    for (int i = 0; i < width; ++i) {
        for (int j = 0; j < width; ++j) {
            s[i * STRIDE + j] = 0;
        }
    }
    for (int k = 0; k < width; ++k) {
        const double *restrict row = negative + k * STRIDE;
        for (int i = 0; i <= k; ++i) {
            double *restrict to = s + i * STRIDE, factor = row[i];
            for (int j = 0; j <= k; ++j) {
                to[j] += factor * row[j];
            }
        }
    }
}

TARGET static int NAME(eliminate_own)(Elimination *elimination) {
    const Panel *panel = elimination->panel;
    int width = panel->width, own = elimination->front->own;
    double u[PANEL_WIDTH * PANEL_WIDTH], *v = elimination->upper, *n = elimination->negative;
    NAME(load_own)(elimination, u);
    int failed = NAME(factor_own)(width, u);
    if (failed >= 0) {
        return failed;
    }
    NAME(invert_own)(width, u, v);
    for (int k = 0; k < width; ++k) {
        for (int j = 0; j < width; ++j) {
            n[k * STRIDE + j] = -v[j * STRIDE + k];
        }
        for (int j = width; j < own; ++j) {
            n[k * STRIDE + j] = v[k * STRIDE + j] = 0;
        }
    }
    NAME(square_own)(width, n, u);
    for (int i = 0; i < own; ++i) {
        double *to = elimination->inverse + i / PANEL_ROWS * PANEL_ROWS * width + i % PANEL_ROWS;
        for (int j = 0; j < width; ++j) {
            to[PANEL_ROWS * j] = i < width ? u[i * STRIDE + j] : 0.0;
        }
    }
    return -1;
}

/* --- the rows below --------------------------------------------------------------------------- */

/* Of one or two groups of rows: sum over k of in[k] * factor[k], for four columns. */
TARGET INLINE void NAME(product)(const int groups, const double *const in[2], const double *factor,
                                 const int stride, int from, int to, VECTOR (*sum)[4][PARTS]) {
    for (int g = 0; g < groups; ++g) {
        for (int j = 0; j < 4; ++j) {
            for (int part = 0; part < PARTS; ++part) {
                sum[g][j][part] = (VECTOR){0};
            }
        }
    }
    for (int k = from; k < to; ++k) {
        const double *f = factor + k * stride;
        for (int g = 0; g < groups; ++g) {
            const VECTOR *number = (const VECTOR *)(in[g] + PANEL_ROWS * k);
            for (int part = 0; part < PARTS; ++part) {
                for (int j = 0; j < 4; ++j) {
                    sum[g][j][part] += number[part] * f[j];
                }
            }
        }
    }
}

/* Group g of F2, or of W. */
TARGET INLINE double *NAME(below)(const Elimination *elimination, int g) {
    const Front *front = elimination->front;
    return elimination->square + front_group(front->first + front->own / PANEL_ROWS + g) +
           4 * PANEL_ROWS * (size_t)front->first;
}

TARGET INLINE double *NAME(wide)(const Elimination *elimination, int g) {
    return elimination->wide + (size_t)g * (size_t)(PANEL_ROWS * elimination->front->own);
}

TARGET INLINE void NAME(divide_groups)(const int groups, const Elimination *elimination, int g) {
    int width = elimination->panel->width, own = elimination->front->own;
    int other = groups > 1 ? g + 1 : g;
    const double *const in[2] = {NAME(below)(elimination, g), NAME(below)(elimination, other)};
    double *const w[2] = {NAME(wide)(elimination, g), NAME(wide)(elimination, other)};
    VECTOR sum[2][4][PARTS];
    for (int j = 0; j < own; j += 4) {
        int to = j + 4 < width ? j + 4 : width;
        NAME(product)(groups, in, elimination->upper + j, STRIDE, 0, to, sum);
        for (int i = 0; i < groups; ++i) {
            memcpy(w[i] + PANEL_ROWS * j, sum[i], sizeof sum[i]);
        }
    }
    const double *const from[2] = {w[0], w[1]};
    for (int j = 0; j < own; j += 4) {
        NAME(product)(groups, from, elimination->negative + j, STRIDE, j, width, sum);
        size_t columns = (size_t)(width - j < 4 ? width - j : 4);
        for (int i = 0; i < groups; ++i) {
            memcpy(elimination->below + PANEL_ROWS * ((size_t)(g + i) * (size_t)width + (size_t)j),
                   sum[i], PANEL_ROWS * columns * sizeof(double));
        }
    }
}

TARGET static void NAME(divide)(const Elimination *elimination, int begin, int end) {
    int g = begin;
    for (; g + 2 <= end; g += 2) {
        NAME(divide_groups)(2, elimination, g);
    }
    if (g < end) {
        NAME(divide_groups)(1, elimination, g);
    }
}

/* Columns of group h from rows of groups g and, perhaps, g + 1. */
TARGET INLINE void NAME(subtract_tile)(const int groups, const Elimination *elimination, int g,
                                       int h) {
    int other = groups > 1 ? g + 1 : g, own = elimination->front->own;
    const double *const in[2] = {NAME(wide)(elimination, g), NAME(wide)(elimination, other)};
    VECTOR sum[2][4][PARTS];
    NAME(product)
    (groups, in, NAME(wide)(elimination, h), PANEL_ROWS, 0, elimination->panel->width, sum);
    for (int i = 0; i < groups; ++i) {
        VECTOR *to = (VECTOR *)(NAME(below)(elimination, g + i) +
                                PANEL_ROWS * (size_t)(own + PANEL_ROWS * h));
        for (int j = 0; j < 4; ++j) {
            for (int part = 0; part < PARTS; ++part) {
                to[PARTS * j + part] -= sum[i][j][part];
            }
        }
    }
}

TARGET static void NAME(subtract)(const Elimination *elimination, int begin, int end) {
    for (int g = begin; g < end; g += 2) {
        int pair = g + 1 < end;
        for (int h = 0; h <= g; ++h) {
            if (pair) {
                NAME(subtract_tile)(2, elimination, g, h);
            } else {
                NAME(subtract_tile)(1, elimination, g, h);
            }
        }
        if (pair) {
            NAME(subtract_tile)(1, elimination, g + 1, g + 1);
        }
    }
}

#undef INLINE
#undef PARTS
#undef STRIDE
#undef VECTOR
#undef TARGET
#undef NAME
