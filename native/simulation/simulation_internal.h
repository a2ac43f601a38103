/* Inside of a cloth, shared by the files of this folder. */
#ifndef SIMULATION_SIMULATION_INTERNAL_H
#define SIMULATION_SIMULATION_INTERNAL_H

#include <stdatomic.h>

#include "laws/laws.h"
#include "simulation/simulation.h"
#include "solver/rigid.h"

/* Which components of a cloth take steps of second order: those that have met nothing for a while.
 *
 * Backward Euler loses motion: a sheet that swings keeps two fifths of it for 3 s. The second-order step (BDF2) keeps
 * nearly all, but goes on with the last change of velocity, so that a third of every strike comes again as a bounce. So a
 * component takes it only while neither body, nor layer, nor its own image touches it; a substep in which something does is
 * made again with the first order. Components that links join go together. */

/* Implicit part of a second-order step. */
#define SECOND_ORDER_PACE (2.0 / 3.0)

typedef struct Order {
    const int *component; /* per vertex */
    int component_count;
    int *leader; /* per component: union-find over those that links join */
    uint8_t
        *alone; /* per component: substeps since it touched something, as far as they are counted */
    uint8_t *before;       /* likewise, at the start of the substep */
    bool *barred;          /* per component: it stays of first order */
    double *work, *motion; /* per component, J: see order_brake() */
    bool *pinned;          /* likewise, of the leading ones: pins hold it */
    bool any;              /* some are of second order */
} Order;

StatusCode order_build(Order *order, const Rigid *rigid, Store *store, Status *status);

/* As if nothing had touched the cloth yet. */
void order_reset(Order *order);

/* What touches something goes on doing so in another one of the same mesh. */
void order_carry_on(Order *order, const Order *before);

/* Before a substep; and after one that failed, as if it had never been. */
void order_save(Order *order);
void order_roll_back(Order *order);

/* Sets the pace of all vertices for the next substep; `wanted`: some may be of second order. Returns whether any changed,
 * so that the system's matrix is another one. */
bool order_choose(Order *order, System *system, bool wanted);

/* The component of a vertex takes one step of first order, if order_choose() is asked again. */
void order_begin_slowly(Order *order, int vertex);

/* After the solve of a substep, contacts null where there is nothing to meet: whether a component of second order is touched.
 * Then that is noted, and the substep is to be made again. */
bool order_meets(Order *order, const System *system, const Contacts *contacts);

/* After a substep: counts on where nothing touches. */
void order_count(Order *order, int vertex_count, const Contacts *contacts);

/* Components of second order that pins hold lose as much motion at z, where the gradient was last evaluated, as the forces
 * that the rounds left unbalanced gave them: backward Euler would have taken more than that. Of others all momentum counts. */
void order_brake(Order *order, const Substep *substep, const Vec3 *z, Vec3 *velocity);

/* m: what is put where it is moves by no more than that, since places come in single precision. */
#define SAME_PLACE 1e-6

static inline bool is_elsewhere(Vec3 from, Vec3 to) {
    Vec3 way = vec3_sub(to, from);
    return vec3_dot(way, way) > SAME_PLACE * SAME_PLACE;
}

typedef struct Pin {
    int vertex;
    double weight;
    Vec3 from, to; /* over the present step */
} Pin;

/* Links, and how far they have come. */
typedef struct Sewing {
    Store store;
    LinkSet set;
    Sewn sewn;
    uint8_t *pulls;  /* per link: it is a tack to a body that no pin stands in for */
    bool weightless; /* gravity waits until they are closed, but no longer than `patience` */
    double waited;   /* s */
    double patience; /* s */
    /* By how many times their speed links close faster than told; 0: as told. */
    double haste;
} Sewing;

/* Which part of a step a substep is: one of `count` equal ones. */
typedef struct SubstepPlace {
    int number, count;
    double length; /* s */
} SubstepPlace;

/* A state to go back to. */
typedef struct SavedState {
    unsigned char *bytes;
    size_t room;
    double history_length, part_done;
    bool invented, measured;
    int anchor_count;
} SavedState;

struct Simulation {
    Store store;
    Store
        mechanics; /* of the system, the solver and rigid motions: they are built again for other links */
    SimulationOptions options;
    Mesh mesh;
    Weave weave; /* of MODEL_WOVEN */
    Pool *pool;
    System system;
    Solver *solver;
    Rigid rigid;
    Order order;
    ContactWorld around;
    Sewing sewing;
    uint64_t fingerprint; /* of the mesh, so that a snapshot of another one is refused */

    Vec3 *past[GUESS_HISTORY]; /* positions, newest first; [0] is the present state */
    Vec3 *velocity, *velocity_before;
    Vec3 *next;   /* where the solver writes */
    Vec3 *solved; /* what it wrote, before contacts change it; null where no law remembers that */
    Vec3 *start,
        *start_velocity;   /* of a second-order substep; then the second takes the new velocities */
    double history_length; /* substep length behind `past`, s; 0: none yet */
    bool invented;         /* the past is made up, and no substep has been made from it */

    Pin *pins;
    int pin_count, soft_count;

    SavedState saved[ROLLBACK_COUNT];
    int substeps_done, has_substep;
    double part_done; /* of the last step, 0 to 1 */
    int retried;      /* substeps of it that were made again in halves */
    int mended;       /* edges that contact tore in it, and that were mended */
    double size;      /* of the cloth at rest, m: guard_size() */
    int lost;         /* the vertex that left the finite numbers when a step last failed so */
    double step_seconds;
    double budget; /* s for a step, of solvers that can keep to it; 0: none */
    double after;  /* s that the last substep took when its solver had ended */
};

/* --- simulation.c ----------------------------------------------------------------------------- */

StatusCode build_mechanics(Simulation *simulation, Status *status);
/* After material, scales or the state of links have changed. */
void simulation_refresh(Simulation *simulation);

/* --- guard.c ---------------------------------------------------------------------------------- */

/* How large a cloth can be, m, in its rest shape or in its pattern. */
double guard_size(const Mesh *mesh);
/* A vertex whose next place or velocity is no number, or that was thrown further within a substep than anything can have
 * thrown it; -1: none. */
int guard_lost(Simulation *simulation, const SubstepPlace *place);
/* Pulls edges of the next state together that are stretched to nearly three times their length, and were not before:
 * what pushes cloth out of a body it is caught in would tear it. Returns how many there were. */
int guard_mend_tears(Simulation *simulation, double length);

/* --- pins.c ----------------------------------------------------------------------------------- */

/* A vertex that is given twice is refused, and changes nothing. */
StatusCode set_pins(Simulation *simulation, const PinInputs *given, Status *status);
void move_pins(Simulation *simulation, const float *targets);
/* Which vertices are held and which are pulled, and how much. */
void apply_pins(Simulation *simulation);
/* Where a pin is at the start of a step. */
Vec3 pin_place(const Simulation *simulation, const Pin *pin);
/* Targets at the end of a substep: exactly the pins' own at the last, and where they start from at -1. */
void place_targets(Simulation *simulation, const SubstepPlace *place);

/* --- links.c ---------------------------------------------------------------------------------- */

/* After materials have changed: links are as stiff as what they join. */
void links_read_fabrics(Simulation *simulation);
/* Before a step: what has come near holds from now on, and gravity sets in when all has. */
void links_follow(Simulation *simulation);
/* After so much of a step, s: gravity has waited for so long. */
void links_wait_on(Simulation *simulation, double seconds);
/* Before a substep: how long links shall be at its end. */
void links_aim(Simulation *simulation, double length);
/* The cloth is somewhere else: links that are not released close again. */
void links_restart(Simulation *simulation);
/* After a body was removed or replaced: releases its tacks that have no place on it any more; returns how many. */
int links_leave_body(Simulation *simulation, int body);
/* Whether gravity waits for them. */
bool links_wait(const Simulation *simulation);
/* How far they have come, in a snapshot: that many bytes, none without links. */
size_t links_bytes(const Simulation *simulation);
void links_write(const Simulation *simulation, unsigned char *to);
bool links_are_sound(const Simulation *simulation, const unsigned char *from);
void links_read(Simulation *simulation, const unsigned char *from);
/* Tacks to bodies as soft pins: pulls at their vertices, and returns at how many. */
int tacks_apply(Simulation *simulation);
/* Where they pull to, `part` of a frame's way of the bodies, at the end of a substep of this length, s. */
void tacks_place(Simulation *simulation, double part, double length);

#endif
