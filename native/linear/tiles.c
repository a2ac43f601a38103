/* Tiles are small enough for registers: the coarse system is factored anew whenever contacts change. */
#include "linear/tiles.h"

#include <math.h>

/* What every machine has registers for. Wider ones come with run-time dispatch or not at all. */
typedef double Lane __attribute__((vector_size(16)));
#define LANE 2 /* doubles in a Lane */
#define LANES (TILE / LANE)
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
        Lane sum[ROWS_AT_ONCE][LANES];
        for (int r = 0; r < ROWS_AT_ONCE; ++r) {
            for (int l = 0; l < LANES; ++l) {
                sum[r][l] = *(const Lane *)(c + (first + r) * TILE + l * LANE);
            }
        }
        for (int k = 0; k < TILE; ++k) {
            const Lane *row = (const Lane *)(b + k * TILE);
            for (int r = 0; r < ROWS_AT_ONCE; ++r) {
                double factor = a[k * TILE + first + r];
                for (int l = 0; l < LANES; ++l) {
                    sum[r][l] -= factor * row[l];
                }
            }
        }
        for (int r = 0; r < ROWS_AT_ONCE; ++r) {
            for (int l = 0; l < LANES; ++l) {
                *(Lane *)(c + (first + r) * TILE + l * LANE) = sum[r][l];
            }
        }
    }
}

/* c = u^-T c, u the factored diagonal tile. */
static void divide(double *c, const double *u, const double *pivot) {
    for (int r = 0; r < TILE; ++r) {
        Lane *row = (Lane *)(c + r * TILE);
        for (int k = 0; k < r; ++k) {
            const Lane *above = (const Lane *)(c + k * TILE);
            double factor = u[k * TILE + r];
            for (int l = 0; l < LANES; ++l) {
                row[l] -= factor * above[l];
            }
        }
        for (int l = 0; l < LANES; ++l) {
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
