/* Rigid motions of clusters: components of the cloth, with those that they touch.
 *
 * Neither elastic forces nor those between layers resist a rigid motion of a cluster, so its part of the substep's
 * equation is known before any iteration: inertia against what acts from outside. Iterations that end early rebuild such motion
 * last, and what they leave undone is momentum that the cloth loses. */
#pragma once

#include "solver/substep.h"

/* A rigid motion has six unknowns, a shift and a turn; rows of a 6 x 6 matrix are this long. */
#define RIGID_UNKNOWNS 6
#define RIGID_STRIDE 8
/* The weight of a held vertex, over the inertia of all that moves rigidly with it. */
#define RIGID_HELD_WEIGHT 1e3
/* Added to the moments of inertia, over their sum: a straight rope has none about itself. */
#define RIGID_LEAST_MOMENT 1e-9

/* The normal equations of a rigid motion. */
typedef struct RigidFit RigidFit;

typedef struct Rigid {
    int component_count;
    int *component; /* per vertex */
    int *parent;    /* per component: union-find, the one that stands for its cluster */
    RigidFit *fit;  /* per component, of its cluster */
    bool *balanced; /* likewise: its momentum lacks nothing that another pass would find */
    Vec3 *change;   /* per vertex: scratch */
} Rigid;

/* Arrays come from `store`. */
StatusCode rigid_build(Rigid *rigid, const System *system, Store *store, Status *status);

/* Which of `count` components hang together by links that are not released: each gets the first of its set for a parent.
 * `component` is per vertex. */
void rigid_find_linked(int *parent, int count, const int *component, const System *system);
/* Joins the sets of those that touch each other, likewise; contacts may be null. */
void rigid_join_touching(int *parent, int count, const int *component, const Contacts *contacts);

/* z = x moved by the rigid motion of each cluster that comes nearest to its flight: with the bodies that carry it, and
 * about the pins that hold it. Needs the substep's contacts. Returns how much less that costs than to stay, kg m^2. */
double rigid_predict(Rigid *rigid, const Substep *substep, Vec3 *z);

/* Moves each cluster that nothing holds, neither pin nor body, so that a substep from the state x, v to z keeps its
 * momentum, linear and angular, but for what gravity and air give. */
void rigid_restore_momentum(Rigid *rigid, const Substep *substep, const Vec3 *x, const Vec3 *v,
                            int passes, Vec3 *z);

/* --- islands ---------------------------------------------------------------------------------- */

/* Where the components of the cloth move as rigid bodies that touch: the start of a substep among contacts.
 *
 * A component, with those that links join to it, is a body. Bodies that touch are an island. Each body has its own motion,
 * from its own momentum, and the contacts between the bodies and with the colliders couple these: layers that slide on each
 * other go on sliding, and none gets through the other. What is rigid in the motion of layers is known then before any
 * iteration, and iterations only have to find how these bend. What one island does depends on no other. */

typedef struct IslandBody IslandBody;
typedef struct Island Island;

typedef struct Islands {
    int component_count;
    const int *component; /* per vertex */
    int *body;            /* per component: union-find, the one that stands for its body */
    int *touching;        /* likewise, for its island */
    IslandBody *bodies;   /* per component, of its body */
    Island *list;         /* per component, of its island */
    double *matrix;       /* of all islands, one after the other */
} Islands;

/* Arrays come from `store`; `component` gives each vertex its component, of so many. */
StatusCode islands_build(Islands *islands, int component_count, const int *component, Store *store,
                         Status *status);

/* Where islands have several bodies: z = x, moved with the bodies by what lowers the incremental energy most, contacts
 * included as they are listed. Islands for which that gains less than moving by `least` (m) would stay where they are;
 * those that z is nearer to than that, and all others, keep their z. Returns whether any is moved. */
bool islands_predict(Islands *islands, const Substep *substep, double least, Vec3 *z);
