/* How much of a change to take: all of it, or as many halves less as lower the energy. */
#include <math.h>

#include "solver/constant/linear.h"

/* Part of the expected decrease that must be seen. */
#define DECREASE 1e-4
/* Halvings of a solve that the constant matrix does not bound, the last of which leaves nothing of it. */
#define HALVINGS 12

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
    system_run(system, move_vertices, &work);
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

double linear_evaluate(LinearSolver *linear, const Vec3 *z) {
    Substep *substep = &linear->solver.substep;
    double begin = substep_clock(substep), energy = substep_evaluate(substep, z);
    linear->solver.work.force_seconds += substep_clock(substep) - begin;
    return energy;
}

int linear_search(LinearSolver *linear, int halvings, Vec3 *z, double *energy) {
    const System *system = linear->solver.system;
    TryWork work = {linear, z};
    double slope = system_sum(system, try_vertices, &work), part = 1.0;
    for (int halving = 0; halving < halvings; ++halving, part *= 0.5) {
        if (halving > 0) {
            linear_move(linear, z, part, linear->trial);
        }
        double next = linear_evaluate(linear, linear->trial);
        if (next <= *energy - DECREASE * part * slope) {
            system_copy(system, sizeof *z, linear->trial, z);
            *energy = next;
            return 1;
        }
    }
    ++linear->solver.work.rejected;
    *energy = linear_evaluate(linear, z); /* back to the gradient there */
    return 0;
}

int linear_take_back(LinearSolver *linear, double bound, Vec3 *z, double *energy) {
    int halvings = 0;
    double part = linear->taken;
    while (!(*energy <= bound) && halvings < HALVINGS) {
        part = ++halvings < HALVINGS ? 0.5 * part : 0.0;
        linear->reach *= 0.5;
        linear_move(linear, linear->trial, part, z);
        *energy = linear_evaluate(linear, z);
    }
    linear->solver.work.rejected += halvings > 0;
    return halvings;
}

double linear_safe_step(LinearSolver *linear, Vec3 *z, double energy) {
    if (!linear->solver.system->laws.unbounded) {
        return linear_solve_step(linear, z);
    }
    double bound = isfinite(energy) ? energy : linear_evaluate(linear, z);
    double gain = linear_solve_step(linear, z);
    energy = linear_evaluate(linear, z);
    linear_take_back(linear, bound, z, &energy);
    return gain;
}
