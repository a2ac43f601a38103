/* Rows are padded to whole vectors, so that the dot products need no remainder. */
#include "linear/dense.h"

#include <math.h>

typedef double Lane __attribute__((vector_size(32), aligned(32)));
#define LANE 4 /* doubles in a Lane */

int dense_stride(int size) { return (size + LANE - 1) / LANE * LANE; }

static double lane_sum(Lane v) { return (v[0] + v[1]) + (v[2] + v[3]); }

/* Dot product of two rows over the first `count` numbers, a multiple of the lane. */
static double dot(const double *a, const double *b, int count) {
    Lane sum = {0};
    for (int i = 0; i < count; i += LANE) {
        sum += *(const Lane *)(a + i) * *(const Lane *)(b + i);
    }
    return lane_sum(sum);
}

/* Four rows against four rows over `count` columns, a multiple of the lane: the tile that does most
 * of the work. */
static void dot_tile(const double *a, const double *b, int stride, int count, double out[4][4]) {
    Lane sum[4][4] = {{{0}}};
    for (int i = 0; i < count; i += LANE) {
        for (int r = 0; r < 4; ++r) {
            Lane va = *(const Lane *)(a + r * stride + i);
            for (int c = 0; c < 4; ++c) {
                sum[r][c] += va * *(const Lane *)(b + c * stride + i);
            }
        }
    }
    for (int r = 0; r < 4; ++r) {
        for (int c = 0; c < 4; ++c) {
            out[r][c] = lane_sum(sum[r][c]);
        }
    }
}

/* Rows i..i+rows of the block column j..j+4, whose own diagonal tile is already factored. */
static void finish_tile(double *a, int stride, int i, int rows, int j, int columns,
                        const double tile[4][4]) {
    for (int r = 0; r < rows; ++r) {
        double *row = a + (i + r) * stride;
        for (int c = 0; c < columns; ++c) {
            const double *pivot = a + (j + c) * stride;
            double value = row[j + c] - tile[r][c];
            for (int k = 0; k < c; ++k) {
                value -= row[j + k] * pivot[j + k];
            }
            row[j + c] = value / pivot[j + c];
        }
    }
}

/* The diagonal tile: rows j..j+columns against themselves. */
static int factor_tile(double *a, int stride, int j, int columns) {
    for (int c = 0; c < columns; ++c) {
        double *row = a + (j + c) * stride;
        for (int k = 0; k <= c; ++k) {
            double value = row[j + k] - dot(row, a + (j + k) * stride, j);
            for (int m = 0; m < k; ++m) {
                value -= row[j + m] * a[(j + k) * stride + j + m];
            }
            if (k < c) {
                row[j + k] = value / a[(j + k) * stride + j + k];
            } else if (value > 0 && isfinite(value)) {
                row[j + k] = sqrt(value);
            } else {
                return 0;
            }
        }
    }
    return 1;
}

bool dense_factor(double *a, int size) {
    int stride = dense_stride(size);
    for (int j = 0; j < size; j += 4) {
        int columns = size - j < 4 ? size - j : 4;
        if (!factor_tile(a, stride, j, columns)) {
            return false;
        }
        int i = j + columns;
        double tile[4][4];
        for (; i + 4 <= size && columns == 4; i += 4) {
            dot_tile(a + i * stride, a + j * stride, stride, j, tile);
            finish_tile(a, stride, i, 4, j, columns, tile);
        }
        for (; i < size; ++i) {
            for (int c = 0; c < columns; ++c) {
                tile[0][c] = dot(a + i * stride, a + (j + c) * stride, j);
            }
            finish_tile(a, stride, i, 1, j, columns, (const double(*)[4])tile);
        }
    }
    return true;
}

void dense_solve(const double *factor, int size, double *x) {
    int stride = dense_stride(size);
    for (int i = 0; i < size; ++i) {
        const double *row = factor + i * stride;
        double sum = x[i];
        for (int k = 0; k < i; ++k) {
            sum -= row[k] * x[k];
        }
        x[i] = sum / row[i];
    }
    for (int i = size - 1; i >= 0; --i) {
        const double *row = factor + i * stride;
        x[i] /= row[i];
        for (int k = 0; k < i; ++k) {
            x[k] -= row[k] * x[i];
        }
    }
}

/* --- tiles ------------------------------------------------------------------------------------ */

/* Tiles are small enough for registers: the coarse system is factored anew whenever contacts change. */

/* What every machine has registers for. Wider ones come with run-time dispatch or not at all. */
typedef double TileLane __attribute__((vector_size(16)));
#define TILE_LANE 2 /* doubles in a Lane */
#define TILE_LANES (TILE / TILE_LANE)
/* Rows of a tile taken at once: as many sums as fit into registers. */
#define ROWS_AT_ONCE 4
/* A pivot below this part of its diagonal is rounding. */
#define DEPENDENT 1e-12

/* Tiles from which on several threads factor them: fewer take one thread less time than waking another. */
#define SHARED_FROM 64

/* What becomes of a column: one that is not finite must not keep the others waiting. */
enum { FACTORED = 1, NOT_FINITE };

/* Eliminating row k of tiles couples all rows that it is coupled with. */
static void add_fill(int count, uint8_t *coupled) {
    for (int k = 0; k < count; ++k) {
        for (int j = k + 1; j < count; ++j) {
            if (!coupled[j * count + k]) {
                continue;
            }
            for (int i = j + 1; i < count; ++i) {
                coupled[i * count + j] |= coupled[i * count + k];
            }
        }
    }
}

StatusCode tiles_build(Tiles *tiles, int count, uint8_t *coupled, Store *store, Status *status) {
    add_fill(count, coupled);
    int total = count;
    for (int i = 0; i < count; ++i) {
        for (int j = 0; j < i; ++j) {
            total += coupled[i * count + j] != 0;
        }
    }
    *tiles = (Tiles){.count = count,
                     .start = STORE_ARRAY(store, int, count + 1),
                     .row = STORE_ARRAY(store, int, total),
                     .value = STORE_ARRAY(store, double, (size_t)total *TILE_NUMBERS),
                     .pivot = STORE_ARRAY(store, double, (size_t)count *TILE),
                     .diagonal = STORE_ARRAY(store, double, (size_t)count *TILE),
                     .done = STORE_ARRAY(store, atomic_int, count)};
    if (store->failed) {
        return status_no_memory(status, "the coarse matrix");
    }
    for (int i = 0, at = 0; i < count; ++i) {
        for (int j = 0; j <= i; ++j) {
            if (j == i || coupled[i * count + j]) {
                tiles->row[at++] = j;
            }
        }
        tiles->start[i + 1] = at;
    }
    return STATUS_OK;
}

int tiles_find(const Tiles *tiles, int j, int i) {
    for (int p = tiles->start[i]; p < tiles->start[i + 1]; ++p) {
        if (tiles->row[p] == j) {
            return p;
        }
    }
    return -1;
}

/* c -= a' b */
static void subtract_product(double *c, const double *a, const double *b) {
    for (int first = 0; first < TILE; first += ROWS_AT_ONCE) {
        TileLane sum[ROWS_AT_ONCE][TILE_LANES];
        for (int r = 0; r < ROWS_AT_ONCE; ++r) {
            for (int l = 0; l < TILE_LANES; ++l) {
                sum[r][l] = *(const TileLane *)(c + (first + r) * TILE + l * TILE_LANE);
            }
        }
        for (int k = 0; k < TILE; ++k) {
            const TileLane *row = (const TileLane *)(b + k * TILE);
            for (int r = 0; r < ROWS_AT_ONCE; ++r) {
                double factor = a[k * TILE + first + r];
                for (int l = 0; l < TILE_LANES; ++l) {
                    sum[r][l] -= factor * row[l];
                }
            }
        }
        for (int r = 0; r < ROWS_AT_ONCE; ++r) {
            for (int l = 0; l < TILE_LANES; ++l) {
                *(TileLane *)(c + (first + r) * TILE + l * TILE_LANE) = sum[r][l];
            }
        }
    }
}

/* c = u^-T c, u the factored diagonal tile. */
static void divide(double *c, const double *u, const double *pivot) {
    for (int r = 0; r < TILE; ++r) {
        TileLane *row = (TileLane *)(c + r * TILE);
        for (int k = 0; k < r; ++k) {
            const TileLane *above = (const TileLane *)(c + k * TILE);
            double factor = u[k * TILE + r];
            for (int l = 0; l < TILE_LANES; ++l) {
                row[l] -= factor * above[l];
            }
        }
        for (int l = 0; l < TILE_LANES; ++l) {
            row[l] *= pivot[r];
        }
    }
}

/* The diagonal tile itself; its lower half is not used. */
static bool factor_diagonal(double *u, const double *before, double *pivot) {
    for (int r = 0; r < TILE; ++r) {
        double own = u[r * TILE + r];
        if (!isfinite(own)) {
            return false;
        }
        pivot[r] = own > DEPENDENT * before[r] ? 1.0 / sqrt(own) : 0.0;
        for (int c = r; c < TILE; ++c) {
            u[r * TILE + c] *= pivot[r];
        }
        for (int s = r + 1; s < TILE; ++s) {
            for (int c = s; c < TILE; ++c) {
                u[s * TILE + c] -= u[r * TILE + s] * u[r * TILE + c];
            }
        }
    }
    return true;
}

/* tile (j, i) -= sum over k < j of U(k, j)' U(k, i), for the k that both columns have. */
static void gather(const Tiles *tiles, int j, int i, double *tile) {
    int p = tiles->start[j], q = tiles->start[i];
    while (tiles->row[p] < j && tiles->row[q] < j) {
        int difference = tiles->row[p] - tiles->row[q];
        if (difference == 0 && tiles_awake(tiles, tiles->row[p])) {
            subtract_product(tile, tiles_at(tiles, p), tiles_at(tiles, q));
        }
        p += difference <= 0;
        q += difference >= 0;
    }
}

/* The diagonal takes each tile of its column at once: only the last one then stands between a column and the next. */
static bool factor_column(const Tiles *tiles, int i) {
    int last = tiles->start[i + 1] - 1;
    double *diagonal = tiles_at(tiles, last), *before = tiles->diagonal + i * TILE;
    for (int r = 0; r < TILE; ++r) {
        before[r] = diagonal[r * TILE + r];
    }
    for (int q = tiles->start[i]; q < last; ++q) {
        int j = tiles->row[q];
        double *tile = tiles_at(tiles, q);
        if (!tiles_awake(tiles, j)) {
            continue;
        }
        mark_wait(&tiles->done[j], 1);
        gather(tiles, j, i, tile);
        divide(tile, tiles_at(tiles, tiles->start[j + 1] - 1), tiles->pivot + j * TILE);
        subtract_product(diagonal, tile, tile);
    }
    return factor_diagonal(diagonal, before, tiles->pivot + i * TILE);
}

static void factor_columns(void *context, int begin, int end) {
    const Tiles *tiles = context;
    for (int i = begin; i < end; ++i) {
        bool finite = !tiles_awake(tiles, i) || factor_column(tiles, i);
        mark_set(&tiles->done[i], finite ? FACTORED : NOT_FINITE);
    }
}

bool tiles_factor(Tiles *tiles, Pool *pool) {
    for (int i = 0; i < tiles->count; ++i) {
        atomic_store_explicit(&tiles->done[i], 0, memory_order_relaxed);
    }
    if (pool && tiles->start[tiles->count] >= SHARED_FROM) {
        pool_in_order(pool, tiles->count, factor_columns, tiles);
    } else {
        factor_columns(tiles, 0, tiles->count);
    }
    for (int i = 0; i < tiles->count; ++i) {
        if (atomic_load_explicit(&tiles->done[i], memory_order_relaxed) == NOT_FINITE) {
            return false;
        }
    }
    return true;
}

static void solve_forward(const Tiles *tiles, double *x) {
    for (int i = 0; i < tiles->count; ++i) {
        if (!tiles_awake(tiles, i)) {
            continue;
        }
        double *own = x + i * TILE;
        int last = tiles->start[i + 1] - 1;
        for (int q = tiles->start[i]; q < last; ++q) {
            if (!tiles_awake(tiles, tiles->row[q])) {
                continue;
            }
            const double *u = tiles_at(tiles, q), *from = x + tiles->row[q] * TILE;
            for (int a = 0; a < TILE; ++a) {
                for (int b = 0; b < TILE; ++b) {
                    own[b] -= u[a * TILE + b] * from[a];
                }
            }
        }
        const double *u = tiles_at(tiles, last), *pivot = tiles->pivot + i * TILE;
        for (int r = 0; r < TILE; ++r) {
            own[r] *= pivot[r];
            for (int c = r + 1; c < TILE; ++c) {
                own[c] -= u[r * TILE + c] * own[r];
            }
        }
    }
}

void tiles_solve(const Tiles *tiles, double *x) {
    solve_forward(tiles, x);
    for (int i = tiles->count - 1; i >= 0; --i) {
        if (!tiles_awake(tiles, i)) {
            continue;
        }
        double *own = x + i * TILE;
        int last = tiles->start[i + 1] - 1;
        const double *u = tiles_at(tiles, last), *pivot = tiles->pivot + i * TILE;
        for (int r = TILE - 1; r >= 0; --r) {
            for (int c = r + 1; c < TILE; ++c) {
                own[r] -= u[r * TILE + c] * own[c];
            }
            own[r] *= pivot[r];
        }
        for (int q = tiles->start[i]; q < last; ++q) {
            if (!tiles_awake(tiles, tiles->row[q])) {
                continue;
            }
            double *to = x + tiles->row[q] * TILE;
            u = tiles_at(tiles, q);
            for (int a = 0; a < TILE; ++a) {
                for (int b = 0; b < TILE; ++b) {
                    to[a] -= u[a * TILE + b] * own[b];
                }
            }
        }
    }
}
