/* Shared by the files of this folder. */
#pragma once

#include <stdatomic.h>

#include "laws/laws.h"
#include "simulation/simulation.h"
#include "solver/rigid.h"

/* Which components of a cloth take second-order steps: those without contact for a while.
 *
 * Backward Euler damps motion: a sheet that swings has two fifths of it left after 3 s. The second-order step (BDF2) keeps
 * nearly all, but extrapolates the last change of velocity, so that a third of every impact comes back as a bounce. So a
 * component takes it only while no body, no layer and no mirror image touches it; a substep in which something does is
 * repeated with first order. Components joined by links change together. */

/* Implicit part of a second-order step. */
#define SECOND_ORDER_PACE (2.0 / 3.0)

typedef struct Order {
    const int *component; /* per vertex */
    int component_count;
    int *leader;           /* per component: union-find over those that links join */
    uint8_t *contact_free; /* per component: substeps since its last contact, up to FREE_ENOUGH */
    uint8_t *before;       /* likewise, at the start of the substep */
    bool *first_order;     /* per component */
    double *work, *motion; /* per component, J: see order_damp() */
    bool *pinned;          /* likewise, of the leading ones: pins hold it */
    bool any;              /* some are of second order */
} Order;

StatusCode order_build(Order *order, const Rigid *rigid, Store *store, Status *status);

/* Resets the state to that before any contact. */
void order_reset(Order *order);

/* Sets the order of all vertices for the next substep; `wanted`: second order is allowed. Returns whether any changed, and
 * with it the system's matrix. */
bool order_choose(Order *order, System *system, bool wanted);

/* Lets the component of a vertex take one first-order step, at the next order_choose(). */
void order_start_with_first(Order *order, int vertex);

/* After the solve of a substep; contacts may be null. True if a component of second order is touched: this is noted, and the
 * substep has to be repeated. */
bool order_check_contacts(Order *order, const System *system, const Contacts *contacts);

/* After a substep: counts it for components without contact. */
void order_count_substep(Order *order, int vertex_count, const Contacts *contacts);

/* Damps pinned components of second order at z, where the gradient was last evaluated, by the energy of the forces that the
 * iterations left unbalanced: backward Euler would have damped more. Other components keep their momentum. */
void order_damp(Order *order, const Substep *substep, const Vec3 *z, Vec3 *velocity);

/* m: a smaller move counts as none, since places come in single precision. */
#define SAME_PLACE 1e-6

static inline bool is_elsewhere(Vec3 from, Vec3 to) {
    Vec3 offset = vec3_sub(to, from);
    return vec3_dot(offset, offset) > SAME_PLACE * SAME_PLACE;
}

typedef struct Pin {
    int vertex;
    double weight;
    Vec3 from, to; /* over the present step */
} Pin;

/* Vertices that seams join vertex to vertex: once closed they end each substep at one place. Springs alone leave some
 * micrometres, and the faces on both sides of the seam would pass through each other there. */
typedef struct Weld {
    int count;
    int *vertices; /* all of them */
    /* Per vertex of the cloth, of those that represent a knot: its mass, sum of places or velocities, and whether it is
     * closed. */
    double *mass;
    Vec3 *sum;
    uint8_t *closed;
} Weld;

/* Links and their progress. */
typedef struct Sewing {
    Store store;
    LinkSet set;
    Sewn sewn;
    Weld weld;
    uint8_t *pulls;  /* per link: it is a tack to a body that no pin stands in for */
    bool weightless; /* gravity waits until they are closed, but no longer than `patience` */
    double waited;   /* s */
    double patience; /* s */
    /* Links close at this times their speed; 0: at their own. */
    double haste;
} Sewing;

/* Which part of a step a substep is: one of `count` equal ones. */
typedef struct SubstepPlace {
    int number, count;
    double length; /* s */
    bool last;     /* the frame will not be repeated with more */
} SubstepPlace;

/* A state to go back to. */
typedef struct RollbackState {
    unsigned char *bytes;
    size_t room;
    double history_length;
    bool extrapolated, placed, measured;
    int anchor_count;
} RollbackState;

typedef struct SubstepChoice {
    int count;
    SubstepReason reason;
} SubstepChoice;

struct Simulation {
    Store store;
    Store mechanics; /* of the system, the solver and rigid motions, which new links build again */
    SimulationOptions options;
    Mesh mesh;
    Weave weave; /* of MODEL_WOVEN */
    Pool *pool;
    System system;
    Solver *solver;
    Rigid rigid;
    Order order;
    ContactWorld world;
    Sewing sewing;
    uint64_t fingerprint; /* of the mesh, so that a snapshot of another one is refused */

    Vec3 *past[GUESS_HISTORY]; /* positions, newest first; [0] is the present state */
    Vec3 *velocity, *velocity_before;
    Vec3 *next;   /* where the solver writes */
    Vec3 *solved; /* what it wrote, before contacts change it; null where no law remembers that */
    Vec3 *start,
        *start_velocity;   /* of a second-order substep; the latter then gets the new velocities */
    double history_length; /* substep length behind `past`, s; 0: none yet */
    bool unclean;          /* the last frame ended with edges through a body, or torn */
    bool extrapolated;     /* the past is extrapolated: no substep has been made yet */
    bool placed;           /* the caller has placed the state: no substep has been made since */

    Pin *pins;
    int pin_count, soft_count;

    RollbackState saved[ROLLBACK_COUNT];
    SubstepChoice substeps; /* of the last step */
    int substeps_done, has_substep;
    double part_done; /* of the last step, 0 to 1 */
    int retried;      /* times that it was repeated with more substeps */
    int mended;       /* edges that contact overstretched in it, and that were shortened */
    double size;      /* of the cloth at rest, m: guard_size() */
    int lost;         /* the vertex that diverged when a step last failed so */
    double step_seconds;
    double budget; /* s for a step, of solvers that can keep to it; 0: none */
    double after;  /* s that the last substep took when its solver had ended */
};

/* --- build.c ---------------------------------------------------------------------------------- */

StatusCode build_mechanics(Simulation *simulation, Status *status);
/* Adds a warning about so many things, if there are any: "3 triangles of the body have no area". */
void warn_of(int count, const char *words, DetailCode code, Status *status);

/* --- substeps.c ------------------------------------------------------------------------------- */

/* Substeps of a step in which nothing moves fast. */
int substeps_least(const Simulation *simulation, double seconds);
/* Of the step that begins; bodies and pins have their targets. */
SubstepChoice substeps_choose(Simulation *simulation, double seconds);
/* Whether there may be more of them; and more, for a step that diverged, or is not clean. */
bool substeps_can_raise(const Simulation *simulation, const SubstepChoice *choice);
void substeps_raise(const Simulation *simulation, bool diverged, SubstepChoice *choice);

/* --- guard.c ---------------------------------------------------------------------------------- */

/* How large a cloth can be, m, in its rest shape or in its pattern. */
double guard_size(const Mesh *mesh);
/* A vertex whose next place or velocity is not finite, or that moved further than any force can move it within a substep;
 * -1: none. */
int guard_find_diverged(Simulation *simulation, const SubstepPlace *place);
/* By how much the worst edge of the next state is longer than contact may stretch it; 0: none is. Edges that pins lead apart,
 * or that were longer before, do not count. */
double guard_torn(const Simulation *simulation);
/* Shortens edges of the next state that are longer than contact may stretch them: contact that pushes caught cloth out of a body overstretches it. Returns how many there were. */
int guard_limit_stretch(Simulation *simulation, double length);

/* --- set_inputs.c ----------------------------------------------------------------------------- */

/* Where a pin is at the start of a step. */
Vec3 pin_place(const Simulation *simulation, const Pin *pin);
/* Targets at the end of a substep: exactly the pins' own at the last, and where they start from at -1. */
void place_targets(Simulation *simulation, const SubstepPlace *place);

/* --- links.c ---------------------------------------------------------------------------------- */

/* Replaces all links; an error changes nothing. */
StatusCode links_set(Simulation *simulation, const LinkInputs *links, Status *status);
/* Brings held vertices and the stiffness of soft pins up to date. */
void apply_pins(Simulation *simulation);
/* After material, scales or the state of links have changed: links are as stiff as what they join. */
void simulation_refresh(Simulation *simulation);
/* Before a step: links that have come near hold from now on, and gravity sets in when all do. */
void links_update(Simulation *simulation);
/* After a part of a step, s: counts how long gravity has waited. */
void links_count_wait(Simulation *simulation, double seconds);
/* Before a substep: sets the lengths of links at its end. */
void links_set_lengths(Simulation *simulation, double length);
/* Puts the vertices of each closed seam to the place and velocity of their mass; returns the longest way, m. */
double links_weld(Simulation *simulation, Vec3 *z, Vec3 *velocity);
/* Continues from the progress of the same links in another simulation of the cloth. */
void links_copy_progress(Simulation *simulation, const Simulation *from);
/* After the cloth was placed: links that are not released close again. */
void links_restart(Simulation *simulation);
/* After a body was removed or replaced: releases its tacks that have no place on it any more; returns how many. */
int links_release_body(Simulation *simulation, int body);
/* Whether gravity waits for them. */
bool links_delay_gravity(const Simulation *simulation);
/* Their progress in a snapshot; this many bytes, none without links. */
size_t links_bytes(const Simulation *simulation);
void links_write(const Simulation *simulation, unsigned char *to);
bool links_state_is_valid(const Simulation *simulation, const unsigned char *from);
void links_read(Simulation *simulation, const unsigned char *from);
/* Where tacks to bodies pull to at the end of a substep of this length, s; bodies have moved by `part` of the frame. */
void tacks_set_targets(Simulation *simulation, double part, double length);
