/* The numbers of the patches: filling, factoring, solving. Compiled with fused multiplications, and once for each kind of
 * machine, as CMakeLists.txt lists, which defines the names of the two functions that this makes, see schwarz.h. */
#ifndef KERNEL
#define KERNEL schwarz_factor_batches
#define KERNEL_SOLVE schwarz_solve_batches
#endif

#include <math.h>
#include <string.h>

#include "solver/constant/schwarz.h"

/* The least pivot, as a part of the diagonal that it comes from: single precision knows no smaller one. */
#define LEAST_PIVOT 1e-6F
/* Of a diagonal that has nothing: vertices that are held, and rows that fill up. */
#define NOTHING 1.0F

/* --- filling ------------------------------------------------------------------------------------ */

static SchwarzLanes *block_of(const Schwarz *schwarz, const SchwarzBatch *batch, int row,
                              int column) {
    int at = batch->row + row;
    return schwarz->factor + schwarz->start[at] + 9 * (column - schwarz->first[at]);
}

static int vertex_of(const Schwarz *schwarz, const SchwarzBatch *batch, int row, int lane) {
    return schwarz->vertex[SCHWARZ_LANES * (batch->row + row) + lane];
}

/* Rows and columns of constrained unknowns are dropped: all of a held vertex, x of one on rails. */
static bool couples(const System *system, int a, int b, int coordinate, int other) {
    return !system->held[a] && !system->held[b] && (coordinate > 0 || a < system->rail_from) &&
           (other > 0 || b < system->rail_from);
}

static void fill_diagonal(const SchwarzWork *work, const SchwarzBatch *batch, int row, int lane) {
    const System *system = work->schwarz->hessian->system;
    int v = vertex_of(work->schwarz, batch, row, lane);
    SchwarzLanes *block = block_of(work->schwarz, batch, row, row);
    for (int i = 0; i < 9; ++i) {
        bool kept = v >= 0 && couples(system, v, v, i / 3, i % 3);
        float empty = i % 4 == 0 ? NOTHING : 0.0F;
        block[i][lane] = kept ? (float)work->own[v].m[i] : empty;
    }
}

static void fill_pair(const Schwarz *schwarz, const SchwarzBatch *batch, const SchwarzPair *pair,
                      int lane, const float value[9]) {
    const System *system = schwarz->hessian->system;
    int a = vertex_of(schwarz, batch, pair->row, lane);
    int b = vertex_of(schwarz, batch, pair->column, lane);
    float *to = (float *)schwarz->factor + pair->to;
    if (!system->held[a] && !system->held[b]) {
        for (int i = 0; i < 9; ++i) {
            to[SCHWARZ_LANES * i] += couples(system, a, b, i / 3, i % 3) ? value[i] : 0.0F;
        }
    }
}

static void fill_lane(const Schwarz *schwarz, const SchwarzBatch *batch, int lane) {
    const Hessian *hessian = schwarz->hessian;
    for (int p = batch->pair_start[lane]; p < batch->pair_start[lane + 1]; ++p) {
        const HessianBlock *block = &hessian->block[schwarz->pair[p].from];
        float value[9];
        for (int i = 0; i < 9; ++i) {
            value[i] = block->column[i % 3][i / 3];
        }
        fill_pair(schwarz, batch, &schwarz->pair[p], lane, value);
    }
    for (int p = batch->far_start[lane]; p < batch->far_start[lane + 1]; ++p) {
        int from = schwarz->far[p].from, folded = hessian->far.folded;
        const float *weight = hessian->far.weight + (folded ? 2 * from : from);
        float value[9] = {[0] = weight[0], [4] = weight[folded], [8] = weight[folded]};
        fill_pair(schwarz, batch, &schwarz->far[p], lane, value);
    }
}

static void fill_batch(const SchwarzWork *work, const SchwarzBatch *batch) {
    const Schwarz *schwarz = work->schwarz;
    SchwarzLanes *last = block_of(schwarz, batch, batch->size - 1, batch->size - 1);
    SchwarzLanes *begin = schwarz->factor + batch->factor;
    memset(begin, 0, (size_t)(last + 9 - begin) * sizeof *begin);
    for (int lane = 0; lane < SCHWARZ_LANES; ++lane) {
        for (int row = 0; row < batch->size; ++row) {
            fill_diagonal(work, batch, row, lane);
        }
        fill_lane(schwarz, batch, lane);
    }
}

/* --- factoring: L L' of 3 x 3 blocks within an envelope -------------------------------------------- */

/* to -= a b', all 3 x 3 */
static inline void subtract_product(SchwarzLanes to[9], const SchwarzLanes *a,
                                    const SchwarzLanes *b) {
    for (int r = 0; r < 3; ++r) {
        for (int c = 0; c < 3; ++c) {
            to[3 * r + c] -=
                a[3 * r] * b[3 * c] + a[3 * r + 1] * b[3 * c + 1] + a[3 * r + 2] * b[3 * c + 2];
        }
    }
}

/* One over the root of each lane, which is not below a part of what it was before elimination. */
static inline SchwarzLanes inverse_root(SchwarzLanes pivot, SchwarzLanes whole) {
    SchwarzLanes inverse = pivot;
    for (int lane = 0; lane < SCHWARZ_LANES; ++lane) {
        float least = LEAST_PIVOT * whole[lane];
        inverse[lane] = 1.0F / sqrtf(pivot[lane] > least ? pivot[lane] : least);
    }
    return inverse;
}

/* The factor of a diagonal block in its place, with one over the diagonal. */
static void factor_diagonal(SchwarzLanes d[9], const SchwarzLanes whole[3]) {
    d[0] = inverse_root(d[0], whole[0]);
    d[3] *= d[0];
    d[6] *= d[0];
    d[4] = inverse_root(d[4] - d[3] * d[3], whole[1]);
    d[7] = (d[7] - d[6] * d[3]) * d[4];
    d[8] = inverse_root(d[8] - d[6] * d[6] - d[7] * d[7], whole[2]);
}

/* to = from L'^-1 with such a diagonal block */
static inline void divide(const SchwarzLanes from[9], const SchwarzLanes *d, SchwarzLanes *to) {
    for (int r = 0; r < 3; ++r) {
        SchwarzLanes x = from[3 * r] * d[0];
        SchwarzLanes y = (from[3 * r + 1] - x * d[3]) * d[4];
        to[3 * r] = x;
        to[3 * r + 1] = y;
        to[3 * r + 2] = (from[3 * r + 2] - x * d[6] - y * d[7]) * d[8];
    }
}

static void factor_row(const Schwarz *schwarz, const SchwarzBatch *batch, int row) {
    const int *first = schwarz->first + batch->row;
    for (int column = first[row]; column <= row; ++column) {
        SchwarzLanes *block = block_of(schwarz, batch, row, column), sum[9];
        int from = first[row] > first[column] ? first[row] : first[column];
        const SchwarzLanes whole[3] = {block[0], block[4], block[8]};
        const SchwarzLanes *a = block_of(schwarz, batch, row, from);
        const SchwarzLanes *b = block_of(schwarz, batch, column, from);
        memcpy(sum, block, sizeof sum);
        for (int k = from; k < column; ++k, a += 9, b += 9) {
            subtract_product(sum, a, b);
        }
        if (column < row) {
            divide(sum, block_of(schwarz, batch, column, column), block);
        } else {
            factor_diagonal(sum, whole);
            memcpy(block, sum, sizeof sum);
        }
    }
}

/* No patch has vertices of two bodies; those asleep may share a batch with others, and are not read. */
static bool is_awake(const Schwarz *schwarz, const SchwarzBatch *batch) {
    const Subset *awake = schwarz->hessian->system->awake;
    bool any = !awake;
    for (int lane = 0; lane < SCHWARZ_LANES && !any; ++lane) {
        int v = vertex_of(schwarz, batch, 0, lane);
        any = v >= 0 && subset_has(awake, v);
    }
    return any;
}

void KERNEL(void *context, int begin, int end) {
    const SchwarzWork *work = context;
    for (int b = begin; b < end; ++b) {
        const SchwarzBatch *batch = &work->schwarz->batch[b];
        if (!is_awake(work->schwarz, batch)) {
            continue;
        }
        fill_batch(work, batch);
        for (int row = 0; row < batch->size; ++row) {
            factor_row(work->schwarz, batch, row);
        }
    }
}

/* --- solving -------------------------------------------------------------------------------------- */

static void fetch_right(const SchwarzWork *work, const SchwarzBatch *batch, SchwarzLanes *x) {
    for (int row = 0; row < batch->size; ++row) {
        for (int lane = 0; lane < SCHWARZ_LANES; ++lane) {
            int v = vertex_of(work->schwarz, batch, row, lane);
            Vec3 right = v < 0 ? vec3(0, 0, 0) : work->right[v];
            x[3 * row][lane] = (float)right.x;
            x[3 * row + 1][lane] = (float)right.y;
            x[3 * row + 2][lane] = (float)right.z;
        }
    }
}

static void solve_forward(const Schwarz *schwarz, const SchwarzBatch *batch, SchwarzLanes *x) {
    for (int row = 0; row < batch->size; ++row) {
        int column = schwarz->first[batch->row + row];
        const SchwarzLanes *l = block_of(schwarz, batch, row, column);
        SchwarzLanes a = x[3 * row], b = x[3 * row + 1], c = x[3 * row + 2];
        for (; column < row; ++column, l += 9) {
            const SchwarzLanes *y = x + 3 * column;
            a -= l[0] * y[0] + l[1] * y[1] + l[2] * y[2];
            b -= l[3] * y[0] + l[4] * y[1] + l[5] * y[2];
            c -= l[6] * y[0] + l[7] * y[1] + l[8] * y[2];
        }
        a *= l[0];
        b = (b - l[3] * a) * l[4];
        x[3 * row] = a;
        x[3 * row + 1] = b;
        x[3 * row + 2] = (c - l[6] * a - l[7] * b) * l[8];
    }
}

static void solve_backward(const Schwarz *schwarz, const SchwarzBatch *batch, SchwarzLanes *x) {
    for (int row = batch->size - 1; row >= 0; --row) {
        const SchwarzLanes *d = block_of(schwarz, batch, row, row);
        SchwarzLanes c = x[3 * row + 2] * d[8];
        SchwarzLanes b = (x[3 * row + 1] - d[7] * c) * d[4];
        SchwarzLanes a = (x[3 * row] - d[3] * b - d[6] * c) * d[0];
        int column = schwarz->first[batch->row + row];
        const SchwarzLanes *l = block_of(schwarz, batch, row, column);
        for (; column < row; ++column, l += 9) {
            SchwarzLanes *y = x + 3 * column;
            y[0] -= l[0] * a + l[3] * b + l[6] * c;
            y[1] -= l[1] * a + l[4] * b + l[7] * c;
            y[2] -= l[2] * a + l[5] * b + l[8] * c;
        }
        x[3 * row] = a;
        x[3 * row + 1] = b;
        x[3 * row + 2] = c;
    }
}

void KERNEL_SOLVE(void *context, int begin, int end) {
    const SchwarzWork *work = context;
    for (int b = begin; b < end; ++b) {
        const SchwarzBatch *batch = &work->schwarz->batch[b];
        if (!is_awake(work->schwarz, batch)) {
            continue;
        }
        SchwarzLanes *x = work->schwarz->answer + 3 * batch->row;
        fetch_right(work, batch, x);
        solve_forward(work->schwarz, batch, x);
        solve_backward(work->schwarz, batch, x);
    }
}
