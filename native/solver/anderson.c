#include "solver/anderson.h"

#include <string.h>

#include "linear/dense.h"

#define WINDOW 5

struct Anderson {
    int vertex_count, rounds;   /* remembered so far */
    Vec3 *change_steps[WINDOW]; /* differences of successive changes */
    Vec3 *place_steps[WINDOW];  /* differences of successive results */
    Vec3 *start;                /* of the present round */
    Vec3 *change, *place;       /* of the last round */
};

Anderson *anderson_create(int vertex_count, Store *store, Status *status) {
    Anderson *anderson = STORE_ARRAY(store, Anderson, 1);
    if (!anderson) {
        status_no_memory(status, "the extrapolation");
        return NULL;
    }
    anderson->vertex_count = vertex_count;
    for (int m = 0; m < WINDOW; ++m) {
        anderson->change_steps[m] = STORE_ARRAY(store, Vec3, vertex_count);
        anderson->place_steps[m] = STORE_ARRAY(store, Vec3, vertex_count);
    }
    anderson->start = STORE_ARRAY(store, Vec3, vertex_count);
    anderson->change = STORE_ARRAY(store, Vec3, vertex_count);
    anderson->place = STORE_ARRAY(store, Vec3, vertex_count);
    return anderson;
}

void anderson_forget(Anderson *anderson) { anderson->rounds = 0; }

void anderson_begin(Anderson *anderson, const Vec3 *z) {
    memcpy(anderson->start, z, (size_t)anderson->vertex_count * sizeof *z);
}

void anderson_go_back(Anderson *anderson, Vec3 *z) {
    memcpy(z, anderson->place, (size_t)anderson->vertex_count * sizeof *z);
    anderson_forget(anderson);
}

typedef struct DotWork {
    const Vec3 *a, *b;
    const double *weight;
} DotWork;

static double dot_vertices(void *context, int begin, int end) {
    const DotWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += work->weight[i] * vec3_dot(work->a[i], work->b[i]);
    }
    return sum;
}

static double dot(const Substep *substep, const Vec3 *a, const Vec3 *b) {
    DotWork work = {a, b, substep->inertia};
    return pool_sum(substep->system->pool, substep->system->vertex_count, dot_vertices, &work);
}

/* Least-squares weights of the remembered steps; returns 0 where they are dependent. */
static int find_weights(const Anderson *anderson, const Substep *substep, int used,
                        double *weight) {
    _Alignas(64) double gram[WINDOW * 8] = {0};
    int stride = dense_stride(used);
    for (int i = 0; i < used; ++i) {
        for (int j = 0; j <= i; ++j) {
            gram[i * stride + j] =
                dot(substep, anderson->change_steps[i], anderson->change_steps[j]);
        }
        gram[i * stride + i] *= 1.0 + 1e-10;
        weight[i] = dot(substep, anderson->change_steps[i], anderson->change);
    }
    if (!dense_factor(gram, used)) {
        return 0;
    }
    dense_solve(gram, used, weight);
    return 1;
}

typedef struct RoundWork {
    Anderson *anderson;
    int used;
    const double *weight;
    Vec3 *z;
} RoundWork;

/* Takes the round in: what it changed, and how that differs from the round before. */
static void remember_vertices(void *context, int begin, int end) {
    const RoundWork *work = context;
    Anderson *anderson = work->anderson;
    int slot = (anderson->rounds + WINDOW - 1) % WINDOW;
    for (int i = begin; i < end; ++i) {
        Vec3 change = vec3_sub(anderson->start[i], work->z[i]);
        if (anderson->rounds > 0) {
            anderson->change_steps[slot][i] = vec3_sub(change, anderson->change[i]);
            anderson->place_steps[slot][i] = vec3_sub(work->z[i], anderson->place[i]);
        }
        anderson->change[i] = change;
        anderson->place[i] = work->z[i];
    }
}

static void extrapolate_vertices(void *context, int begin, int end) {
    const RoundWork *work = context;
    for (int m = 0; m < work->used; ++m) {
        const Vec3 *step = work->anderson->place_steps[m];
        for (int i = begin; i < end; ++i) {
            work->z[i] = vec3_madd(work->z[i], -work->weight[m], step[i]);
        }
    }
}

void anderson_extrapolate(Anderson *anderson, const Substep *substep, Vec3 *z) {
    double weight[WINDOW];
    RoundWork work = {anderson, 0, weight, z};
    pool_run(substep->system->pool, anderson->vertex_count, remember_vertices, &work);
    int used = anderson->rounds < WINDOW ? anderson->rounds : WINDOW;
    ++anderson->rounds;
    if (used > 0 && find_weights(anderson, substep, used, weight)) {
        work.used = used;
        pool_run(substep->system->pool, anderson->vertex_count, extrapolate_vertices, &work);
    }
}
