/* The window of past iterations, and the least squares problem of each extrapolation. */
#include "solver/constant/linear.h"

#include "linear/dense.h"

#define WINDOW 5

struct Anderson {
    const System *system;
    int iterations;                  /* remembered so far */
    Vec3 *change_steps[WINDOW];      /* differences of successive changes */
    Vec3 *place_steps[WINDOW];       /* differences of successive results */
    Vec3 *start;                     /* of the present iteration */
    Vec3 *change, *place;            /* of the last iteration */
    double products[WINDOW][WINDOW]; /* of the differences of changes with each other */
};

Anderson *anderson_create(const System *system, Store *store, Status *status) {
    int vertex_count = system->vertex_count;
    Anderson *anderson = STORE_ARRAY(store, Anderson, 1);
    if (!anderson) {
        status_no_memory(status, "the extrapolation");
        return NULL;
    }
    anderson->system = system;
    for (int m = 0; m < WINDOW; ++m) {
        anderson->change_steps[m] = STORE_ARRAY(store, Vec3, vertex_count);
        anderson->place_steps[m] = STORE_ARRAY(store, Vec3, vertex_count);
    }
    anderson->start = STORE_ARRAY(store, Vec3, vertex_count);
    anderson->change = STORE_ARRAY(store, Vec3, vertex_count);
    anderson->place = STORE_ARRAY(store, Vec3, vertex_count);
    return anderson;
}

void anderson_forget(Anderson *anderson) { anderson->iterations = 0; }

void anderson_begin(Anderson *anderson, const Vec3 *z) {
    system_copy(anderson->system, sizeof *z, z, anderson->start);
}

void anderson_go_back(Anderson *anderson, Vec3 *z) {
    system_copy(anderson->system, sizeof *z, anderson->place, z);
    anderson_forget(anderson);
}

typedef struct AndersonWork {
    Anderson *anderson;
    const double *inertia;
    int used;
    const double *weight;
    Vec3 *z;
} AndersonWork;

static double dot(const AndersonWork *work, const Vec3 *a, const Vec3 *b, int begin, int end) {
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += work->inertia[i] * vec3_dot(a[i], b[i]);
    }
    return sum;
}

/* Where the difference between the last two iterations goes. */
static int newest(const Anderson *anderson) { return (anderson->iterations + WINDOW - 1) % WINDOW; }

/* Takes the iteration in: what it changed, and how that differs from the iteration before. While they are at hand, the products
 * of the newest difference and of the change with all differences. */
static void remember_vertices(void *context, int begin, int end, double *sums) {
    const AndersonWork *work = context;
    Anderson *anderson = work->anderson;
    int slot = newest(anderson);
    for (int i = begin; i < end; ++i) {
        Vec3 change = vec3_sub(anderson->start[i], work->z[i]);
        if (anderson->iterations > 0) {
            anderson->change_steps[slot][i] = vec3_sub(change, anderson->change[i]);
            anderson->place_steps[slot][i] = vec3_sub(work->z[i], anderson->place[i]);
        }
        anderson->change[i] = change;
        anderson->place[i] = work->z[i];
    }
    for (int m = 0; m < work->used; ++m) {
        const Vec3 *step = anderson->change_steps[m];
        sums[m] = dot(work, anderson->change_steps[slot], step, begin, end);
        sums[WINDOW + m] = dot(work, step, anderson->change, begin, end);
    }
}

/* Least-squares weights of the remembered steps, of whose products with the change they are made; returns 0 where the
 * steps are dependent. */
static int find_weights(const Anderson *anderson, int used, double *weight) {
    _Alignas(64) double gram[WINDOW * 8] = {0};
    int stride = dense_stride(used);
    for (int i = 0; i < used; ++i) {
        for (int j = 0; j <= i; ++j) {
            gram[i * stride + j] = anderson->products[i][j];
        }
        gram[i * stride + i] *= 1.0 + 1e-10;
    }
    if (!dense_factor(gram, used)) {
        return 0;
    }
    dense_solve(gram, used, weight);
    return 1;
}

static void extrapolate_vertices(void *context, int begin, int end) {
    const AndersonWork *work = context;
    for (int m = 0; m < work->used; ++m) {
        const Vec3 *step = work->anderson->place_steps[m];
        for (int i = begin; i < end; ++i) {
            work->z[i] = vec3_madd(work->z[i], -work->weight[m], step[i]);
        }
    }
}

int anderson_extrapolate(Anderson *anderson, const Substep *substep, Vec3 *z) {
    double sums[2 * WINDOW], *weight = sums + WINDOW;
    int used = anderson->iterations < WINDOW ? anderson->iterations : WINDOW,
        slot = newest(anderson);
    AndersonWork work = {
        .anderson = anderson, .inertia = substep->inertia, .used = used, .weight = weight, .z = z};
    const System *system = anderson->system;
    subset_sums(system->awake, system->pool, system->vertex_count, remember_vertices, &work,
                2 * WINDOW, sums);
    for (int m = 0; m < used; ++m) {
        anderson->products[slot][m] = anderson->products[m][slot] = sums[m];
    }
    ++anderson->iterations;
    if (used == 0 || !find_weights(anderson, used, weight)) {
        return 0;
    }
    system_run(anderson->system, extrapolate_vertices, &work);
    return 1;
}
