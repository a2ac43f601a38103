/* How much of a change to take: all of it, or as many halves less as lower the energy. */
#include "solver/constant/linear.h"

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
    MoveWork work = {.from = from, .change = linear->change, .part = part, .to = to};
    pool_run(system->pool, system->vertex_count, move_vertices, &work);
}

typedef struct TryWork {
    LinearSolver *linear;
    const Vec3 *z;
} TryWork;

/* trial = z - change; returns what the gradient says to that. */
static double try_vertices(void *context, int begin, int end) {
    const LinearSolver *linear = ((const TryWork *)context)->linear;
    const Vec3 *z = ((const TryWork *)context)->z, *gradient = linear->solver.substep.gradient;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(gradient[i], linear->change[i]);
        linear->trial[i] = vec3_sub(z[i], linear->change[i]);
    }
    return sum;
}

static double evaluate(LinearSolver *linear, const Vec3 *z) {
    Substep *substep = &linear->solver.substep;
    double begin = substep_clock(substep), energy = substep_evaluate(substep, z);
    linear->solver.work.force_seconds += substep_clock(substep) - begin;
    return energy;
}

int linear_search(LinearSolver *linear, int halvings, Vec3 *z, double *energy) {
    const System *system = linear->solver.system;
    int count = system->vertex_count;
    TryWork work = {linear, z};
    double slope = pool_sum(system->pool, count, try_vertices, &work), part = 1.0;
    for (int halving = 0; halving < halvings; ++halving, part *= 0.5) {
        if (halving > 0) {
            linear_move(linear, z, part, linear->trial);
        }
        double next = evaluate(linear, linear->trial);
        if (next <= *energy - DECREASE * part * slope) {
            pool_copy(system->pool, count, sizeof *z, linear->trial, z);
            *energy = next;
            return 1;
        }
    }
    ++linear->solver.work.rejected;
    *energy = evaluate(linear, z); /* back to the gradient there */
    return 0;
}
