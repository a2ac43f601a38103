/* Restriction and prolongation, several vertices of the same aggregates at a time. */
#include "solver/coarse/coarse_parts.h"

#include <string.h>

static bool same_aggregates(const Basis *basis, int i, int j) {
    int count = basis->start[i + 1] - basis->start[i];
    return count == basis->start[j + 1] - basis->start[j] &&
           memcmp(basis->aggregate + basis->start[i], basis->aggregate + basis->start[j],
                  (size_t)count * sizeof *basis->aggregate) == 0;
}

StatusCode transfer_build(Transfer *transfer, const System *system, const Basis *basis,
                          Store *store, Status *status) {
    int count = system->vertex_count;
    transfer->system = system;
    transfer->basis = basis;
    transfer->run = STORE_ARRAY(store, uint8_t, count);
    transfer->part =
        STORE_ARRAY(store, Affine, (size_t)basis->aggregate_count * (size_t)pool_chunks(count));
    if (store->failed) {
        return status_no_memory(status, "the coarse level");
    }
    for (int i = 0; i + RUN <= count; ++i) {
        int same = 1;
        while (same < RUN && same_aggregates(basis, i, i + same)) {
            ++same;
        }
        transfer->run[i] = same == RUN;
    }
    return STATUS_OK;
}

typedef struct TransferWork {
    const Transfer *transfer;
    const Vec3 *gradient;
    Vec3 *change;
} TransferWork;

typedef void (*TransferRun)(const TransferWork *work, int i, int count, Affine *part);

/* Runs over vertices, those with the same aggregates together. */
static inline __attribute__((always_inline)) void
run_vertices(const TransferWork *work, int begin, int end, Affine *part, TransferRun run) {
    for (int i = begin; i < end;) {
        if (work->transfer->run[i] && i + RUN <= end) {
            run(work, i, RUN, part);
            i += RUN;
        } else {
            run(work, i++, 1, part);
        }
    }
}

/* Adds weight g (1, X) of `count` vertices from i on to each of their aggregates. */
static inline __attribute__((always_inline)) void restrict_run(const TransferWork *work, int i,
                                                               int count, Affine *part) {
    const Basis *basis = work->transfer->basis;
    const Vec3 *rest = work->transfer->system->mesh->rest;
    int first = basis->start[i], aggregates = basis->start[i + 1] - first;
    Affine moment[RUN];
    for (int v = 0; v < count; ++v) {
        Vec3 g = work->gradient[i + v], x = rest[i + v];
        Pair near = {1.0, x.x}, far = {x.y, x.z};
        moment[v] =
            (Affine){{{g.x * near, g.x * far}, {g.y * near, g.y * far}, {g.z * near, g.z * far}}};
    }
    for (int p = first; p < first + aggregates; ++p) {
        Affine sum = part[basis->aggregate[p]];
        for (int v = 0; v < count; ++v) {
            double weight = basis->weight[p + v * aggregates];
            for (int c = 0; c < COORDINATES; ++c) {
                sum.by[c][0] += weight * moment[v].by[c][0];
                sum.by[c][1] += weight * moment[v].by[c][1];
            }
        }
        part[basis->aggregate[p]] = sum;
    }
}

/* How many sums there are: one for each chunk of as many vertices as take part, and no more of runs. */
static int batch_count(const System *system) {
    const Subset *awake = system->awake;
    int chunks = pool_chunks(subset_count(awake, system->vertex_count));
    return awake && awake->run_count < chunks ? awake->run_count : chunks;
}

static void restrict_chunk(void *context, int begin, int end) {
    const TransferWork *work = context;
    int aggregates = work->transfer->basis->aggregate_count;
    Affine *part = work->transfer->part + (size_t)pool_chunk_at(begin) * (size_t)aggregates;
    memset(part, 0, (size_t)aggregates * sizeof *part);
    run_vertices(work, begin, end, part, restrict_run);
}

/* Several runs of vertices, of those that take part. */
static void restrict_runs(void *context, int begin, int end) {
    const TransferWork *work = context;
    const Transfer *transfer = work->transfer;
    const Subset *awake = transfer->system->awake;
    int aggregates = transfer->basis->aggregate_count, batches = batch_count(transfer->system);
    for (int b = begin; b < end; ++b) {
        Affine *part = transfer->part + (size_t)b * (size_t)aggregates;
        int from = (int)((int64_t)awake->run_count * b / batches);
        int to = (int)((int64_t)awake->run_count * (b + 1) / batches);
        memset(part, 0, (size_t)aggregates * sizeof *part);
        for (int r = from; r < to; ++r) {
            run_vertices(work, awake->runs[r].begin, awake->runs[r].end, part, restrict_run);
        }
    }
}

void transfer_restrict(const Transfer *transfer, const Vec3 *gradient, double *vector) {
    const System *system = transfer->system;
    int aggregates = transfer->basis->aggregate_count, batches = batch_count(system);
    TransferWork work = {.transfer = transfer, .gradient = gradient};
    Affine *part = transfer->part;
    if (system->awake) {
        pool_each(system->pool, batches, restrict_runs, &work);
    } else {
        pool_run(system->pool, system->vertex_count, restrict_chunk, &work);
    }
    for (int at = aggregates; at < aggregates * batches; ++at) {
        for (int c = 0; c < COORDINATES; ++c) {
            part[at % aggregates].by[c][0] += part[at].by[c][0];
            part[at % aggregates].by[c][1] += part[at].by[c][1];
        }
    }
    for (int k = 0; k < aggregates; ++k) {
        for (int c = 0; c < COORDINATES; ++c) {
            const Pair *moment = part[k].by[c];
            for (int f = 0; f < KINDS; ++f) {
                const double *a = transfer->basis->affine[k][f];
                vector[KINDS * (COORDINATES * k + c) + f] =
                    a[0] * moment[0][0] + a[1] * moment[0][1] + a[2] * moment[1][0] +
                    a[3] * moment[1][1];
            }
        }
    }
}

static inline __attribute__((always_inline)) void prolong_run(const TransferWork *work, int i,
                                                              int count, Affine *motion) {
    const System *system = work->transfer->system;
    const Basis *basis = work->transfer->basis;
    int first = basis->start[i], aggregates = basis->start[i + 1] - first;
    Affine sum[RUN];
    memset(sum, 0, sizeof sum);
    for (int p = first; p < first + aggregates; ++p) {
        Affine by = motion[basis->aggregate[p]];
        for (int v = 0; v < count; ++v) {
            double weight = basis->weight[p + v * aggregates];
            for (int c = 0; c < COORDINATES; ++c) {
                sum[v].by[c][0] += weight * by.by[c][0];
                sum[v].by[c][1] += weight * by.by[c][1];
            }
        }
    }
    for (int v = 0; v < count; ++v) {
        Vec3 x = system->mesh->rest[i + v];
        Pair near = {1.0, x.x}, far = {x.y, x.z}, moved[COORDINATES];
        for (int c = 0; c < COORDINATES; ++c) {
            moved[c] = sum[v].by[c][0] * near + sum[v].by[c][1] * far;
        }
        Vec3 own =
            vec3(moved[0][0] + moved[0][1], moved[1][0] + moved[1][1], moved[2][0] + moved[2][1]);
        work->change[i + v] =
            system->held[i + v] ? vec3(0, 0, 0) : system_on_rails(system, i + v, own);
    }
}

static void prolong_chunk(void *context, int begin, int end) {
    const TransferWork *work = context;
    run_vertices(work, begin, end, work->transfer->part, prolong_run);
}

/* From coefficients of the functions to one affine motion of the rest place for each aggregate; the sums' room is free.
 * */
void transfer_prolong(const Transfer *transfer, const double *vector, Vec3 *change) {
    const System *system = transfer->system;
    TransferWork work = {.transfer = transfer, .change = change};
    for (int k = 0; k < transfer->basis->aggregate_count; ++k) {
        for (int c = 0; c < COORDINATES; ++c) {
            double motion[4] = {0};
            for (int f = 0; f < KINDS; ++f) {
                for (int m = 0; m < 4; ++m) {
                    motion[m] += vector[KINDS * (COORDINATES * k + c) + f] *
                                 transfer->basis->affine[k][f][m];
                }
            }
            memcpy(transfer->part[k].by[c], motion, sizeof motion);
        }
    }
    system_run(system, prolong_chunk, &work);
}
