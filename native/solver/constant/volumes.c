/* Closed volumes that resist, in solves with the constant matrix A: each adds k g g', g the gradient of its volume at the
 * substep's start and k = h^2 q c / V0 (laws/pressure.h). With w = A^-1 g the solve of the sum is
 *
 *   y = A^-1 r,   y - w k (g.y) / (1 + k g.w)                     [Sherman and Morrison 1950]
 *
 * chamber by chamber: none shares a vertex, and A couples no two of them, unless they are sewn together; then this is not
 * the whole of it, and the safeguard of the solve has more to do. */
#include "solver/constant/linear.h"

/* What is held does not give way. */
static void set_free_gradients(LinearSolver *linear) {
    const System *system = linear->solver.system;
    for (int i = 0; i < system->vertex_count; ++i) {
        Vec3 *g = &system->volumes.gradient[i];
        *g = system->held[i] ? vec3(0, 0, 0) : system_on_rails(system, i, *g);
    }
}

/* g . y of each chamber. */
static void sum_chambers(const System *system, const Vec3 *y, double *sum) {
    const Volumes *volumes = &system->volumes;
    for (int k = 0; k < volumes->count; ++k) {
        sum[k] = 0;
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        if (volumes->chamber[i] >= 0) {
            sum[volumes->chamber[i]] += vec3_dot(volumes->gradient[i], y[i]);
        }
    }
}

void linear_look_at_volumes(LinearSolver *linear) {
    System *system = linear->solver.system;
    const Laws *laws = &system->laws;
    VolumeSolve *own = &linear->volumes;
    own->stiff = volumes_look(&system->volumes, laws->list, laws->count, system->vertex_count,
                              linear->solver.substep.x);
    if (!own->stiff) {
        return;
    }
    set_free_gradients(linear);
    own->stiff = false; /* the solve itself is of A alone */
    linear_apply_factor(linear, system->volumes.gradient, own->response);
    own->stiff = true;
    sum_chambers(system, own->response, own->compliance);
}

void linear_keep_volumes(LinearSolver *linear, Vec3 *y) {
    const System *system = linear->solver.system;
    const Volumes *volumes = &system->volumes;
    const VolumeSolve *own = &linear->volumes;
    sum_chambers(system, y, own->sum);
    for (int k = 0; k < volumes->count; ++k) {
        double stiffness = linear_scale(linear) * volumes->slope[k];
        own->sum[k] *= stiffness / (1.0 + stiffness * own->compliance[k]);
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        if (volumes->chamber[i] >= 0) {
            y[i] = vec3_madd(y[i], -own->sum[volumes->chamber[i]], own->response[i]);
        }
    }
}

bool linear_take_volumes(LinearSolver *linear) {
    const System *system = linear->solver.system;
    VolumeSolve *own = &linear->volumes;
    int count = system->volumes.count;
    own->response = count > 0 ? STORE_ARRAY(&linear->store, Vec3, system->vertex_count) : NULL;
    own->compliance = count > 0 ? STORE_ARRAY(&linear->store, double, count) : NULL;
    own->sum = count > 0 ? STORE_ARRAY(&linear->store, double, count) : NULL;
    return !linear->store.failed;
}
