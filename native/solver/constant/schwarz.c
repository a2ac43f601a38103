/* Which patches there are: cores that cover the cloth, grown by a ring of neighbours, numbered for a narrow envelope. */
#include "solver/constant/schwarz.h"

#include <stdlib.h>
#include <string.h>

#include "base/machine.h"

/* Vertices of a core, and rings of neighbours around it. A second ring halves the iterations and doubles the cost of each;
 * cores of 8 take twice as many. */
#define CORE 24
#define RINGS 1

/* A patch while patches are found: its vertices are `members` first <= i < last. */
typedef struct Patch {
    int first, last;
} Patch;

enum { UNSEEN, QUEUED, OWNED };

typedef struct Build {
    Schwarz *schwarz;
    const Hessian *hessian;
    int count; /* of vertices */
    int patch_count, member_count, member_room;
    Patch *patch; /* as many as vertices at most: each core has one of its own */
    int *members;
    int *state;  /* per vertex: OWNED once it is in a core */
    int *mark;   /* per vertex: the last patch that has visited it, from 1 on */
    int *number; /* per vertex: its place in the patch at hand; else -1 */
    int *queue;  /* vertices beside cores, in the order in which they were met; later scratch */
    int queued;
    bool failed;
} Build;

/* --- patches -------------------------------------------------------------------------------------- */

static void add_member(Build *build, int v) {
    if (build->member_count == build->member_room) {
        int room = 2 * build->member_room + 256;
        build->members = scratch_grow(build->members, (size_t)room, sizeof(int), &build->failed);
        build->member_room = build->failed ? build->member_room : room;
    }
    if (!build->failed) {
        build->members[build->member_count++] = v;
    }
}

/* Adds the neighbours of members from..to that the patch does not have yet. */
static void add_ring(Build *build, int from, int to, int stamp) {
    const Matrix *blocks = &build->hessian->blocks;
    for (int m = from; m < to && !build->failed; ++m) {
        int v = build->members[m];
        for (int p = blocks->start[v]; p < blocks->start[v + 1]; ++p) {
            int w = blocks->column[p];
            if (build->mark[w] != stamp) {
                build->mark[w] = stamp;
                add_member(build, w);
            }
        }
    }
}

static void add_to_core(Build *build, int v, int stamp, int most) {
    if (build->state[v] != OWNED && build->member_count < most) {
        build->state[v] = OWNED;
        build->mark[v] = stamp;
        add_member(build, v);
    }
}

static void grow_core(Build *build, int seed, int stamp) {
    const Matrix *blocks = &build->hessian->blocks;
    int first = build->member_count, most = first + CORE;
    add_to_core(build, seed, stamp, most);
    for (int m = first; m < build->member_count; ++m) {
        int v = build->members[m];
        for (int p = blocks->start[v]; p < blocks->start[v + 1]; ++p) {
            add_to_core(build, blocks->column[p], stamp, most);
        }
    }
}

/* The next core begins beside an earlier one, so that few corners are left over. */
static void queue_border(Build *build, int from, int to) {
    const Matrix *blocks = &build->hessian->blocks;
    for (int m = from; m < to; ++m) {
        int v = build->members[m];
        for (int p = blocks->start[v]; p < blocks->start[v + 1]; ++p) {
            int w = blocks->column[p];
            if (build->state[w] == UNSEEN) {
                build->state[w] = QUEUED;
                build->queue[build->queued++] = w;
            }
        }
    }
}

static void grow_patch(Build *build, int seed) {
    int stamp = build->patch_count + 1, first = build->member_count, from = first;
    grow_core(build, seed, stamp);
    int core_end = build->member_count;
    for (int ring = 0; ring < RINGS; ++ring) {
        int to = build->member_count;
        add_ring(build, from, to, stamp);
        from = to;
    }
    build->patch[build->patch_count++] = (Patch){first, build->member_count};
    queue_border(build, first, core_end);
}

/* The next vertex that no core has: of the queue, else by number; -1 if there is none. */
static int next_seed(const Build *build, int *looked, int *next) {
    while (*looked < build->queued) {
        int v = build->queue[(*looked)++];
        if (build->state[v] != OWNED) {
            return v;
        }
    }
    while (*next < build->count) {
        int v = (*next)++;
        if (build->state[v] != OWNED) {
            return v;
        }
    }
    return -1;
}

static void find_patches(Build *build) {
    int looked = 0, next = 0;
    for (int seed = next_seed(build, &looked, &next); seed >= 0 && !build->failed;
         seed = next_seed(build, &looked, &next)) {
        grow_patch(build, seed);
    }
}

/* --- their order [Cuthill and McKee 1969] ----------------------------------------------------------- */

/* All that a vertex reaches within the patch, breadth first, from place `found` on. Returns how many there are then. */
static int order_reached(Build *build, int seed, int stamp, int found) {
    const Matrix *blocks = &build->hessian->blocks;
    int *ordered = build->queue;
    build->mark[seed] = stamp;
    ordered[found] = seed;
    int end = found + 1;
    for (; found < end; ++found) {
        int v = ordered[found];
        for (int p = blocks->start[v]; p < blocks->start[v + 1]; ++p) {
            int w = blocks->column[p];
            if (build->mark[w] == -stamp) {
                build->mark[w] = stamp;
                ordered[end++] = w;
            }
        }
    }
    return end;
}

static void order_from(Build *build, Patch patch, int seed, int stamp) {
    int *members = build->members + patch.first, size = patch.last - patch.first;
    for (int i = 0; i < size; ++i) {
        build->mark[members[i]] = -stamp;
    }
    int found = order_reached(build, seed, stamp, 0);
    for (int i = 0; found < size; ++i) { /* what does not hang together with it */
        if (build->mark[members[i]] == -stamp) {
            found = order_reached(build, members[i], stamp, found);
        }
    }
    memcpy(members, build->queue, (size_t)size * sizeof *members);
}

/* From its middle, then twice from the far end: about its diameter. */
static void order_patch(Build *build, int p) {
    Patch patch = build->patch[p];
    int stamp = build->patch_count + 3 * p + 1;
    order_from(build, patch, build->members[patch.first], stamp);
    order_from(build, patch, build->members[patch.last - 1], stamp + 1);
    order_from(build, patch, build->members[patch.last - 1], stamp + 2);
}

/* Large ones first: those of a batch are of about one size. */
static int compare_sizes(const void *a, const void *b) {
    const Patch *first = a, *second = b;
    int larger = (second->last - second->first) - (first->last - first->first);
    return larger != 0 ? larger : (first->first > second->first) - (first->first < second->first);
}

/* --- batches ---------------------------------------------------------------------------------------- */

/* The patch in a lane of a batch; an empty one behind the last. */
static Patch patch_of(const Build *build, int b, int lane) {
    int p = SCHWARZ_LANES * b + lane;
    return p < build->patch_count ? build->patch[p] : (Patch){0, 0};
}

static void number_patch(Build *build, Patch patch) {
    for (int m = patch.first; m < patch.last; ++m) {
        build->number[build->members[m]] = m - patch.first;
    }
}

static void forget_numbers(Build *build, Patch patch) {
    for (int m = patch.first; m < patch.last; ++m) {
        build->number[build->members[m]] = -1;
    }
}

static void widen_row(const Build *build, const int *start, const int *column, int v, int *first) {
    for (int p = start[v]; p < start[v + 1]; ++p) {
        int at = build->number[column[p]];
        *first = at >= 0 && at < *first ? at : *first;
    }
}

static void widen_rows(const Build *build, Patch patch, int *first) {
    const Hessian *hessian = build->hessian;
    for (int m = patch.first; m < patch.last; ++m) {
        int v = build->members[m], *row = &first[m - patch.first];
        widen_row(build, hessian->blocks.start, hessian->blocks.column, v, row);
        widen_row(build, hessian->far.start, hessian->far.column, v, row);
    }
}

static bool allocate_arrays(Build *build, Store *store) {
    Schwarz *schwarz = build->schwarz;
    const Hessian *hessian = build->hessian;
    int pairs = 0, fars = 0;
    schwarz->batch_count = (build->patch_count + SCHWARZ_LANES - 1) / SCHWARZ_LANES;
    for (int b = 0; b < schwarz->batch_count; ++b) {
        schwarz->row_count += patch_of(build, b, 0).last - patch_of(build, b, 0).first;
    }
    for (int m = 0; m < build->member_count; ++m) {
        int v = build->members[m];
        pairs += hessian->blocks.start[v + 1] - hessian->blocks.start[v];
        fars += hessian->far.start[v + 1] - hessian->far.start[v];
    }
    schwarz->batch = STORE_ARRAY(store, SchwarzBatch, schwarz->batch_count);
    schwarz->vertex = STORE_ARRAY(store, int, SCHWARZ_LANES * schwarz->row_count);
    schwarz->first = STORE_ARRAY(store, int, schwarz->row_count);
    schwarz->start = STORE_ARRAY(store, int, schwarz->row_count);
    schwarz->answer = STORE_ARRAY(store, SchwarzLanes, 3 * schwarz->row_count);
    schwarz->pair = STORE_ARRAY(store, SchwarzPair, pairs / 2);
    schwarz->far = STORE_ARRAY(store, SchwarzPair, fars / 2);
    schwarz->entry_start = STORE_ARRAY(store, int, build->count + 2);
    schwarz->entry = STORE_ARRAY(store, int, build->member_count);
    return !store->failed;
}

/* Vertices and envelope of a batch whose factor begins at `factor`. Returns where it ends. */
static int shape_batch(Build *build, int b, int row, int factor) {
    Schwarz *schwarz = build->schwarz;
    Patch largest = patch_of(build, b, 0);
    int size = largest.last - largest.first;
    schwarz->batch[b] = (SchwarzBatch){.size = size, .row = row, .factor = factor};
    for (int i = 0; i < size; ++i) {
        schwarz->first[row + i] = i;
    }
    for (int lane = 0; lane < SCHWARZ_LANES; ++lane) {
        Patch patch = patch_of(build, b, lane);
        for (int i = 0; i < size; ++i) {
            bool has = patch.first + i < patch.last;
            schwarz->vertex[SCHWARZ_LANES * (row + i) + lane] =
                has ? build->members[patch.first + i] : -1;
        }
        number_patch(build, patch);
        widen_rows(build, patch, schwarz->first + row);
        forget_numbers(build, patch);
    }
    for (int i = row; i < row + size; ++i) {
        schwarz->start[i] = factor;
        factor += 9 * (i - row + 1 - schwarz->first[i]);
    }
    return factor;
}

/* Those of a row with earlier vertices of its patch, behind `count` others. Returns how many there are then. */
static int list_row(const Build *build, const SchwarzBatch *batch, int lane, int row,
                    const int *start, const int *column, SchwarzPair *pairs, int count) {
    const Schwarz *schwarz = build->schwarz;
    int at = batch->row + row, v = schwarz->vertex[SCHWARZ_LANES * at + lane];
    for (int p = start[v]; p < start[v + 1]; ++p) {
        int other = column[p] == v ? row : build->number[column[p]];
        if (other >= 0 && other < row) {
            int block = schwarz->start[at] + 9 * (other - schwarz->first[at]);
            pairs[count++] =
                (SchwarzPair){SCHWARZ_LANES * block + lane, p, (short)row, (short)other};
        }
    }
    return count;
}

static void list_pairs(Build *build, int b, int *pairs, int *fars) {
    Schwarz *schwarz = build->schwarz;
    const Hessian *hessian = build->hessian;
    SchwarzBatch *batch = &schwarz->batch[b];
    for (int lane = 0; lane < SCHWARZ_LANES; ++lane) {
        Patch patch = patch_of(build, b, lane);
        batch->pair_start[lane] = *pairs;
        batch->far_start[lane] = *fars;
        number_patch(build, patch);
        for (int row = 0; row < patch.last - patch.first; ++row) {
            *pairs = list_row(build, batch, lane, row, hessian->blocks.start,
                              hessian->blocks.column, schwarz->pair, *pairs);
            *fars = list_row(build, batch, lane, row, hessian->far.start, hessian->far.column,
                             schwarz->far, *fars);
        }
        forget_numbers(build, patch);
    }
    batch->pair_start[SCHWARZ_LANES] = *pairs;
    batch->far_start[SCHWARZ_LANES] = *fars;
}

/* Where each vertex finds its answers. */
static void list_entries(const Build *build) {
    Schwarz *schwarz = build->schwarz;
    int *start = schwarz->entry_start;
    for (int m = 0; m < build->member_count; ++m) {
        ++start[build->members[m] + 2];
    }
    for (int i = 2; i < build->count + 2; ++i) {
        start[i] += start[i - 1];
    }
    for (int i = 0; i < SCHWARZ_LANES * schwarz->row_count; ++i) {
        int v = schwarz->vertex[i];
        if (v >= 0) {
            schwarz->entry[start[v + 1]++] =
                SCHWARZ_LANES * 3 * (i / SCHWARZ_LANES) + i % SCHWARZ_LANES;
        }
    }
}

static bool make_batches(Build *build, Store *store) {
    Schwarz *schwarz = build->schwarz;
    int row = 0, factor = 0, pairs = 0, fars = 0;
    if (!allocate_arrays(build, store)) {
        return false;
    }
    forget_numbers(build, (Patch){0, build->member_count});
    for (int b = 0; b < schwarz->batch_count; ++b) {
        factor = shape_batch(build, b, row, factor);
        row += schwarz->batch[b].size;
    }
    for (int b = 0; b < schwarz->batch_count; ++b) {
        list_pairs(build, b, &pairs, &fars);
    }
    list_entries(build);
    schwarz->factor = STORE_ARRAY(store, SchwarzLanes, factor);
    return !store->failed;
}

StatusCode schwarz_build(Schwarz *schwarz, const Hessian *hessian, Store *store, Status *status) {
    *schwarz = (Schwarz){.hessian = hessian};
    int count = hessian->system->vertex_count;
    Store scratch = {0};
    Build build = {.schwarz = schwarz,
                   .hessian = hessian,
                   .count = count,
                   .patch = STORE_ARRAY(&scratch, Patch, count),
                   .state = STORE_ARRAY(&scratch, int, count),
                   .mark = STORE_ARRAY(&scratch, int, count),
                   .number = STORE_ARRAY(&scratch, int, count),
                   .queue = STORE_ARRAY(&scratch, int, count)};
    build.failed = scratch.failed;
    if (!build.failed) {
        find_patches(&build);
    }
    for (int p = 0; p < build.patch_count && !build.failed; ++p) {
        order_patch(&build, p);
    }
    if (!build.failed) {
        qsort(build.patch, (size_t)build.patch_count, sizeof(Patch), compare_sizes);
        build.failed = !make_batches(&build, store);
    }
    free(build.members);
    store_release(&scratch);
    return build.failed ? status_no_memory(status, "the patches of Newton steps") : STATUS_OK;
}

/* --- factors and solves, by the numbers for the machine at hand (schwarz_numbers.c) ------------- */

void schwarz_factor(Schwarz *schwarz, const Block *own) {
    SchwarzWork work = {.schwarz = schwarz, .own = own};
    PoolTask factor = schwarz_factor_batches;
#if defined(__x86_64__)
    factor = machine_has_avx2() ? schwarz_factor_batches_avx2 : factor;
#endif
    pool_each(schwarz->hessian->system->pool, schwarz->batch_count, factor, &work);
}

void schwarz_solve(Schwarz *schwarz, const Vec3 *right) {
    SchwarzWork work = {.schwarz = schwarz, .right = right};
    PoolTask solve = schwarz_solve_batches;
#if defined(__x86_64__)
    solve = machine_has_avx2() ? schwarz_solve_batches_avx2 : solve;
#endif
    pool_each(schwarz->hessian->system->pool, schwarz->batch_count, solve, &work);
}

Vec3 schwarz_sum(const Schwarz *schwarz, int vertex) {
    const float *answer = (const float *)schwarz->answer;
    Vec3 sum = vec3(0, 0, 0);
    for (int e = schwarz->entry_start[vertex]; e < schwarz->entry_start[vertex + 1]; ++e) {
        const float *at = answer + schwarz->entry[e];
        sum = vec3_add(
            sum, vec3((double)at[0], (double)at[SCHWARZ_LANES], (double)at[2 * SCHWARZ_LANES]));
    }
    return sum;
}
