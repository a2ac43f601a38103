/* How much of a change to take: all of it, or as many halves less as lower the energy. */
#include <string.h>

#include "base/timing.h"
#include "solver/linear.h"

/* Part of the expected decrease that must be seen. */
#define DECREASE 1e-4

typedef struct MoveWork {
    const Vec3 *from, *change;
    double part;
    Vec3 *to;
} MoveWork;

static void move_vertices(void *context, int begin, int end) {
    const MoveWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3_madd(work->from[i], -work->part, work->change[i]);
    }
}

void linear_move(const LinearSolver *linear, const Vec3 *from, double part, Vec3 *to) {
    const System *system = linear->solver.system;
    MoveWork work = {from, linear->change, part, to};
    pool_run(system->pool, system->vertex_count, move_vertices, &work);
}

typedef struct SlopeWork {
    const Vec3 *gradient, *change;
} SlopeWork;

static double slope_vertices(void *context, int begin, int end) {
    const SlopeWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(work->gradient[i], work->change[i]);
    }
    return sum;
}

static double evaluate(LinearSolver *linear, const Vec3 *z) {
    double begin = timing_now();
    double energy = substep_evaluate(&linear->solver.substep, z);
    linear->solver.work.estimate_seconds += timing_now() - begin;
    return energy;
}

int linear_search(LinearSolver *linear, int halvings, Vec3 *z, double *energy) {
    const System *system = linear->solver.system;
    SlopeWork work = {linear->solver.substep.gradient, linear->change};
    double slope = pool_sum(system->pool, system->vertex_count, slope_vertices, &work), part = 1.0;
    for (int halving = 0; halving < halvings; ++halving, part *= 0.5) {
        linear_move(linear, z, part, linear->trial);
        double next = evaluate(linear, linear->trial);
        if (next <= *energy - DECREASE * part * slope) {
            memcpy(z, linear->trial, (size_t)system->vertex_count * sizeof(Vec3));
            *energy = next;
            return 1;
        }
    }
    ++linear->solver.work.rejected;
    *energy = evaluate(linear, z); /* back to the gradient there */
    return 0;
}
