/* Inside of a cloth, shared by the files of this folder. */
#ifndef SIMULATION_STATE_H
#define SIMULATION_STATE_H

#include <stdatomic.h>

#include "simulation/simulation.h"
#include "solver/rigid.h"

typedef struct Pin {
    int vertex;
    double weight;
    Vec3 from, to; /* over the present step */
} Pin;

struct Simulation {
    Store store;
    SimulationOptions options;
    Mesh mesh;
    Weave weave; /* of MODEL_WOVEN */
    Pool *pool;
    System system;
    Solver *solver;
    Rigid rigid;
    Surroundings around;
    uint64_t fingerprint; /* of the mesh, so that a snapshot of another one is refused */

    Vec3 *past[GUESS_HISTORY]; /* positions, newest first; [0] is the present state */
    Vec3 *velocity, *velocity_before;
    Vec3 *next; /* where the solver writes */
    Vec3 *start,
        *start_velocity;   /* of a second-order substep; then the second takes the new velocities */
    double history_length; /* substep length behind `past`, s; 0: none yet */
    bool invented;         /* the past is made up, and no substep has been made from it */

    Pin *pins;
    int pin_count, soft_count;

    int substeps_done, has_substep;
    int lost; /* the vertex that left the finite numbers when a step last failed so */
    double step_seconds;
    double budget;       /* s for a step, of solvers that can keep to it; 0: none */
    double after;        /* s that the last substep took when its solver had ended */
    atomic_int progress; /* per mille */
};

/* Element `at` of the caller's 3 x n floats. */
static inline Vec3 read_vec3(const float *p, int64_t at) {
    return vec3(p[3 * at], p[3 * at + 1], p[3 * at + 2]);
}

#endif
