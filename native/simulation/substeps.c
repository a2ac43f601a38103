/* How many substeps a step takes, where that is not set: a power of two that follows the motion.
 *
 * At least so many that none is longer than LONGEST. More where a body passes the cloth near it (contact/passing.h), or where
 * pins part from the vertices around them, so that a substep moves these past each other by no more than about half a mesh. The
 * step's start and its targets decide, never a clock: the same for any number of threads, and for a run that was resumed. A power
 * of two, since each length has its own factor, which is kept (solver/constant/linear.c).
 *
 * A step that diverges is repeated with more; so is one of a set number. */
#include <math.h>

#include "simulation/simulation_internal.h"

/* s: 24 to 30 frames a second take two substeps, 60 one. */
#define LONGEST (1.0 / 44)
#define MOST 16
/* Of the least number, while the cloth has to keep to a time: more would cost it a level of detail. */
#define MOST_IN_TIME 2
/* Of an edge's length: by how much a substep may move a pin past a vertex that it shares the edge with. */
#define PARTED 1.0
/* A step that diverges is repeated with so many times the substeps. */
#define RAISE 4

int substeps_least(const Simulation *simulation, double seconds) {
    int count = simulation->options.substeps;
    if (count == 0) {
        for (count = 1; count < MOST && seconds > LONGEST * count; count *= 2) {
        }
    }
    return count;
}

static int most_of(const Simulation *simulation, int least) {
    int most = simulation->budget > 0 ? MOST_IN_TIME * least : MOST;
    return most < MOST ? most : MOST;
}

/* Where the cloth would go by itself, in simulation->next: pins to their targets, the rest as fast as it is. */
static void fly(Simulation *simulation, double seconds) {
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        Vec3 flight = vec3_madd(simulation->past[0][i], seconds, simulation->velocity[i]);
        simulation->next[i] = simulation->system.held[i] ? simulation->past[0][i] : flight;
    }
    for (int p = 0; p < simulation->pin_count; ++p) {
        const Pin *pin = &simulation->pins[p];
        if (simulation->system.held[pin->vertex]) {
            simulation->next[pin->vertex] = pin->to;
        }
    }
}

static double parted_by_pins(const Simulation *simulation) {
    const uint8_t *held = simulation->system.held;
    double most = 0;
    for (int e = 0; e < simulation->mesh.edge_count && simulation->pin_count > 0; ++e) {
        const Edge *edge = &simulation->mesh.edges[e];
        if ((held[edge->a] != 0) != (held[edge->b] != 0) && edge->rest_length > VEC3_TINY) {
            Vec3 a = vec3_sub(simulation->next[edge->a], simulation->past[0][edge->a]);
            Vec3 b = vec3_sub(simulation->next[edge->b], simulation->past[0][edge->b]);
            most = fmax(most, vec3_distance(a, b) / (PARTED * edge->rest_length));
        }
    }
    return most;
}

static void want(SubstepChoice *choice, double wanted, int most, SubstepReason reason) {
    while (choice->count < wanted && choice->count < most) {
        choice->count *= 2;
        choice->reason = reason;
    }
}

SubstepChoice substeps_choose(Simulation *simulation, double seconds) {
    SubstepChoice choice = {substeps_least(simulation, seconds), SUBSTEPS_BASE};
    if (simulation->options.substeps > 0) {
        choice.reason = SUBSTEPS_FIXED;
        return choice;
    }
    int most = most_of(simulation, choice.count);
    fly(simulation, seconds);
    double passed = contact_world_passing(&simulation->world, simulation->past[0], simulation->next,
                                          choice.count);
    want(&choice, passed, most, SUBSTEPS_BODY);
    want(&choice, parted_by_pins(simulation), most, SUBSTEPS_PINS);
    return choice;
}

bool substeps_raise(const Simulation *simulation, SubstepChoice *choice) {
    int count = RAISE * choice->count;
    if (simulation->options.substeps == 0) {
        count = count < MOST ? count : MOST;
    }
    bool more = count > choice->count;
    *choice = (SubstepChoice){count, more ? SUBSTEPS_REPEATED : choice->reason};
    return more;
}
