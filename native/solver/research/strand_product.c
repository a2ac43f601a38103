/* The product, tile by tile; compiled with fused multiplications (CMakeLists.txt).
 * One pass over the links and cells from each row to the next has all numbers of the row. What it leaves for the next pass is
 * in a few rows of scratch, each entry of which is read for the last time before it is written: a row's product is complete
 * when the joints of the next row are done. */
#include "solver/research/strands.h"

#define RING 3 /* rows of places at hand */
#define INLINE static inline __attribute__((always_inline))

typedef double Lanes __attribute__((vector_size(8 * TILE_LANES), may_alias));
typedef double LooseLanes __attribute__((vector_size(8 * TILE_LANES), may_alias, aligned(8)));

/* Vectors side by side. */
typedef struct Lanes3 {
    Lanes x, y, z;
} Lanes3;

/* Vectors of a row. */
typedef struct Axes {
    double x[TILE_STRIDE], y[TILE_STRIDE], z[TILE_STRIDE];
} Axes;

typedef struct Table {
    Axes places[RING];
    Axes along; /* what the cells below a row pull its links with */
    Axes pull;  /* of the link before each vertex of a row */
    Axes rise;  /* of the links from a row to the next, without the joints at their far end */
    Axes lift;  /* and with all */
} Table;

typedef struct ProductWork {
    const Strands *strands;
    const double *own;
    const Vec3 *x;
    Vec3 *y;
    int first; /* rope of the layer */
} ProductWork;

/* --- lanes ---------------------------------------------------------------------------------------- */

INLINE Lanes load(const double *from) { return *(const LooseLanes *)from; }

INLINE Lanes3 at(const Axes *axes, int k) {
    return (Lanes3){load(axes->x + k), load(axes->y + k), load(axes->z + k)};
}

INLINE void put(Axes *axes, int k, Lanes3 v) {
    *(LooseLanes *)(axes->x + k) = v.x;
    *(LooseLanes *)(axes->y + k) = v.y;
    *(LooseLanes *)(axes->z + k) = v.z;
}

INLINE Lanes3 add(Lanes3 a, Lanes3 b) { return (Lanes3){a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE Lanes3 sub(Lanes3 a, Lanes3 b) { return (Lanes3){a.x - b.x, a.y - b.y, a.z - b.z}; }

INLINE Lanes number(const double *numbers, int kind) { return load(numbers + TILE_LANES * kind); }

/* A symmetric block times v. */
INLINE Lanes3 symmetric(const double *numbers, int kind, Lanes3 v) {
    Lanes xy = number(numbers, kind + 1), xz = number(numbers, kind + 2);
    Lanes yz = number(numbers, kind + 4);
    return (Lanes3){number(numbers, kind) * v.x + xy * v.y + xz * v.z,
                    xy * v.x + number(numbers, kind + 3) * v.y + yz * v.z,
                    xz * v.x + yz * v.y + number(numbers, kind + 5) * v.z};
}

/* A transposed block times v. */
INLINE Lanes3 transposed(const double *numbers, int kind, Lanes3 v) {
    return (Lanes3){number(numbers, kind) * v.x + number(numbers, kind + 3) * v.y +
                        number(numbers, kind + 6) * v.z,
                    number(numbers, kind + 1) * v.x + number(numbers, kind + 4) * v.y +
                        number(numbers, kind + 7) * v.z,
                    number(numbers, kind + 2) * v.x + number(numbers, kind + 5) * v.y +
                        number(numbers, kind + 8) * v.z};
}

/* to + a block times v. */
INLINE Lanes3 add_block(Lanes3 to, const double *numbers, int kind, Lanes3 v) {
    return (Lanes3){to.x + number(numbers, kind) * v.x + number(numbers, kind + 1) * v.y +
                        number(numbers, kind + 2) * v.z,
                    to.y + number(numbers, kind + 3) * v.x + number(numbers, kind + 4) * v.y +
                        number(numbers, kind + 5) * v.z,
                    to.z + number(numbers, kind + 6) * v.x + number(numbers, kind + 7) * v.y +
                        number(numbers, kind + 8) * v.z};
}

/* The lanes one slot before, given those of the pair before. */
INLINE Lanes shifted(Lanes before, Lanes v) { return __builtin_shufflevector(before, v, 1, 2); }

INLINE Lanes3 shifted3(Lanes3 before, Lanes3 v) {
    return (Lanes3){shifted(before.x, v.x), shifted(before.y, v.y), shifted(before.z, v.z)};
}

/* --- rows ----------------------------------------------------------------------------------------- */

static void gather(const Vec3 *x, const int *vertices, int begin, int end, Axes *to) {
    for (int k = begin; k < end; ++k) {
        Vec3 from = x[vertices[k]];
        to->x[k] = from.x;
        to->y[k] = from.y;
        to->z[k] = from.z;
    }
}

/* Likewise for vertices that follow each other in memory. Returns how many there are now, an even number. */
static int gather_run(const Vec3 *run, int count, Axes *to) {
    int k = 0;
    for (; k + 1 < count; k += TILE_LANES) {
        const double *from = &run[k].x;
        Lanes a = load(from), b = load(from + 2), c = load(from + 4);
        put(to, TILE_FIRST + k,
            (Lanes3){__builtin_shufflevector(a, b, 0, 3), __builtin_shufflevector(a, c, 1, 2),
                     __builtin_shufflevector(b, c, 0, 3)});
    }
    return k;
}

/* Products of two vertices of a row. */
INLINE void store_product(const ProductWork *work, const int *vertices, Lanes3 sum, Lanes3 place) {
    for (int lane = 0; lane < TILE_LANES; ++lane) {
        int i = vertices[lane];
        if (i >= 0) {
            double own = work->own[i];
            work->y[i] = vec3(sum.x[lane] + own * place.x[lane], sum.y[lane] + own * place.y[lane],
                              sum.z[lane] + own * place.z[lane]);
        }
    }
}

/* Likewise for vertices that follow each other in memory. */
INLINE void store_products(const ProductWork *work, int vertex, Lanes3 sum, Lanes3 place) {
    Lanes own = load(work->own + vertex);
    Lanes x = sum.x + own * place.x, y = sum.y + own * place.y, z = sum.z + own * place.z;
    LooseLanes *to = (LooseLanes *)&work->y[vertex];
    to[0] = __builtin_shufflevector(x, y, 0, 2);
    to[1] = __builtin_shufflevector(z, x, 0, 3);
    to[2] = __builtin_shufflevector(y, z, 1, 3);
}

/* What the links of a row pull with, without the joints at their far end. */
INLINE Lanes3 pull_row(const double *numbers, Lanes3 e, Lanes3 left) {
    return add_block(symmetric(numbers, LINK_A, e), numbers, LINK_B, left);
}

/* The pass between a row and the next. `reported`: the vertices of the row below whose products are written, or null;
 * `run` is the first of them if they follow each other. */
INLINE void multiply_row(const ProductWork *work, const double *numbers, Table *table, int r,
                         int width, bool threads, bool cells, const int *reported, int run,
                         int columns) {
    int run_to = run < 0 ? 0 : TILE_FIRST + columns / TILE_LANES * TILE_LANES;
    const Axes *below = &table->places[(r + RING - 1) % RING], *row = &table->places[r % RING];
    const Axes *next = &table->places[(r + 1) % RING];
    const Lanes3 none = {{0}, {0}, {0}};
    Lanes3 skew_before = none, pull_before = none;
    for (int k = TILE_FIRST - TILE_MARGIN; k < width; k += TILE_LANES) {
        const double *own = numbers + k * TILE_NUMBERS;
        Lanes3 here = at(row, k), right = at(row, k + 1), above = at(next, k);
        Lanes3 e = sub(right, here), up = sub(above, here), lower = at(below, k);
        Lanes3 sum = none;
        if (reported) {
            sum = sub(at(&table->pull, k), at(&table->pull, k + 1));
            sum = add(sum, at(&table->lift, k));
        }
        Lanes3 along = none, rise = none;
        if (cells) {
            Lanes3 corner = at(next, k + 1);
            Lanes3 p = add(e, sub(corner, above)), q = add(up, sub(corner, right));
            along = add_block(symmetric(own, CELL_C, p), own, CELL_D, q);
            Lanes3 skew = add(symmetric(own, CELL_E, q), transposed(own, CELL_D, p));
            rise = add(skew, shifted3(skew_before, skew));
            skew_before = skew;
        }
        if (threads) {
            Lanes3 pull = pull_row(own, e, sub(here, at(row, k - 1)));
            pull = add(pull, add(along, at(&table->along, k)));
            put(&table->pull, k, add(shifted3(pull_before, pull), transposed(own, LINK_B, e)));
            pull_before = pull;
        }
        put(&table->along, k, along);
        const double *column = own + TILE_LANES * COLUMN_NUMBERS;
        Lanes3 lift = add(at(&table->rise, k), transposed(column, LINK_B, up));
        if (cells) {
            rise = add(rise, symmetric(column, LINK_A, up));
            rise = add_block(rise, column, LINK_B, sub(here, lower));
        }
        put(&table->rise, k, rise);
        put(&table->lift, k, lift);
        if (reported) {
            Lanes3 whole = sub(sum, lift);
            if (k >= TILE_FIRST && k < run_to) {
                store_products(work, run + k - TILE_FIRST, whole, lower);
            } else {
                store_product(work, reported + k, whole, lower);
            }
        }
    }
}

/* --- tiles ---------------------------------------------------------------------------------------- */

static void enter_row(const ProductWork *work, const Tile *tile, int r, Table *table) {
    const Strands *strands = work->strands;
    Axes *to = &table->places[r % RING];
    const int *vertices = strands->vertices + tile->slot + r * TILE_STRIDE;
    int run = strands->runs[tile->slot / TILE_STRIDE + r], done = 0;
    if (run >= 0) {
        done = gather_run(work->x + run, tile->columns, to);
    }
    gather(work->x, vertices, TILE_FIRST - TILE_MARGIN - 1, TILE_FIRST, to);
    gather(work->x, vertices, TILE_FIRST + done, tile_width(tile) + 1, to);
}

static void multiply_tile(const ProductWork *work, const Tile *tile) {
    const Strands *strands = work->strands;
    const int last = tile_all_rows(tile) - TILE_MARGIN, width = tile_width(tile);
    Table table = {0};
    enter_row(work, tile, 0, &table);
    enter_row(work, tile, 1, &table);
    for (int r = 1; r <= last; ++r) {
        const double *numbers = tile_numbers(strands, tile, r);
        const int *below = strands->own_vertices + tile->slot + (r - 1) * TILE_STRIDE;
        int run = strands->runs[tile->slot / TILE_STRIDE + r - 1];
        enter_row(work, tile, r + 1, &table);
        if (r == 1) {
            multiply_row(work, numbers, &table, r, width, false, true, NULL, -1, 0);
        } else if (r == 2) {
            multiply_row(work, numbers, &table, r, width, true, true, NULL, -1, 0);
        } else if (r < last) {
            multiply_row(work, numbers, &table, r, width, true, true, below, run, tile->columns);
        } else {
            multiply_row(work, numbers, &table, r, width, false, false, below, run, tile->columns);
        }
    }
}

static void multiply_cloth(void *context, int begin, int end) {
    const ProductWork *work = context;
    for (int t = begin; t < end; ++t) {
        multiply_tile(work, &work->strands->tiles[t]);
    }
}

static void multiply_rope(const ProductWork *work, const Tile *tile) {
    const Strands *strands = work->strands;
    const double *numbers = tile_numbers(strands, tile, 0);
    const int *vertices = strands->own_vertices + tile->slot;
    const Lanes3 none = {{0}, {0}, {0}};
    Lanes3 before = none;
    Table table;
    enter_row(work, tile, 0, &table);
    const Axes *row = &table.places[0];
    for (int k = TILE_FIRST - TILE_MARGIN; k < tile_width(tile); k += TILE_LANES) {
        const double *own = numbers + k * LINK_NUMBERS;
        Lanes3 here = at(row, k), e = sub(at(row, k + 1), here);
        Lanes3 pull = pull_row(own, e, sub(here, at(row, k - 1)));
        put(&table.pull, k, add(shifted3(before, pull), transposed(own, LINK_B, e)));
        before = pull;
    }
    const Axes *pull = &table.pull;
    for (int k = TILE_FIRST; k < TILE_FIRST + tile->columns; ++k) {
        Vec3 *to = &work->y[vertices[k]];
        *to = vec3_add(*to, vec3(pull->x[k] - pull->x[k + 1], pull->y[k] - pull->y[k + 1],
                                 pull->z[k] - pull->z[k + 1]));
    }
}

static void multiply_ropes(void *context, int begin, int end) {
    const ProductWork *work = context;
    const int *start = work->strands->rope_start + work->first;
    for (int t = start[begin]; t < start[end]; ++t) {
        multiply_rope(work, &work->strands->tiles[t]);
    }
}

void strands_multiply(const Strands *strands, Pool *pool, const double *own, const Vec3 *v,
                      Vec3 *product) {
    ProductWork work = {.strands = strands, .own = own, .x = v, .y = product};
    for (int k = 0; k < strands->bare_count; ++k) {
        int i = strands->bare[k];
        product[i] = vec3_scale(own[i], v[i]);
    }
    strands_run(strands, pool, multiply_cloth, multiply_ropes, &work, &work.first);
}
