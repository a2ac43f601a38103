/* Which components of a cloth take steps of second order: those that have met nothing for a while.
 *
 * Backward Euler loses motion: a sheet that swings keeps two fifths of it for 3 s. The second-order step (BDF2) keeps
 * nearly all, but goes on with the last change of velocity, so that a third of every strike comes again as a bounce. So a
 * component takes it only while neither body, nor layer, nor its own image touches it; a substep in which something does is
 * made again with the first order. Components that links join go together. */
#ifndef SIMULATION_ORDER_H
#define SIMULATION_ORDER_H

#include "solver/rigid.h"

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
void order_keep(Order *order);
void order_take_back(Order *order);

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

#endif
