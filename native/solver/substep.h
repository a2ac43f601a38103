/* The equation of one substep of backward Euler, shared by all solvers.
 * With z the positions at its end, x and v those at its start and h its length:
 *
 *   I (z - x) = b + h^2 q F(z) + h^2 s (target - z)
 *   I = M (1 + h d_m) + h (air + wind bound)       inertia, one number a vertex
 *   b = h (M + h wind bound) v + h^2 f_ext - h^2 (q - 1) F(x)
 *   q = 1 + d_k / h                                stiffness-proportional damping
 *
 * A vertex of pace s takes an implicit step of length s h from an x and v of its own: 1, or 2/3 for one of second order.
 * Divided by s^2 that is the same equation, with
 *
 *   I = M (1 + s h d_m) / s^2 + h (air + wind bound) / s
 *   b = h (M / s + h wind bound) v + ...           the rest as above
 *
 * d_m is the material's times the map of damping. F is the elastic force, s the stiffness of soft pins. Contacts add their
 * own energy (contact/contacts.h). d_k acts on the change of the elastic force, not on velocities: on a constant matrix that
 * costs nothing, and unlike d_k K v it does not resist rigid rotation. q is that of whole steps, so that cloth with stiffness
 * damping has a pace of 1. Solutions are stationary points of the incremental energy of substep_energy(). */
#pragma once

#include "contact/contact_world.h"
#include "solver/imperfection.h"
#include "system/system.h"

typedef struct Substep {
    System *system;
    double length;           /* h, s */
    double stiffness_factor; /* q */
    bool damped;             /* some part has stiffness damping */
    double wind_bound;       /* drag on the change of velocity, N s/m^3 */
    const Vec3 *x, *v;       /* at the start */
    const Vec3 *present;     /* where the cloth is: x, except in second-order steps */
    double start_elastic;    /* elastic energy at x, J; not a number where it is not known */
    double *inertia;         /* I, kg */
    Vec3 *drive;             /* b, kg m */
    Vec3 *gradient;          /* of h^2 times the incremental energy, kg m */
    Imperfection imperfection;
    ContactWorld *world; /* null: nothing to meet */
    SubstepSpan span;    /* the part of the frame this substep is */
} Substep;

StatusCode substep_build(Substep *substep, System *system, Store *store, Status *status);

/* Inertia for substeps of this length: needed when the length or the system's matrix changes. */
void substep_set_length(Substep *substep, double length);

/* h^2 q: what elastic forces, N, and their derivatives, N/m, are multiplied with in the equation. */
static inline double substep_scale(const Substep *substep) {
    return substep->length * substep->length * substep->stiffness_factor;
}

/* What a vertex resists with by itself: inertia and soft pin, kg. */
static inline double substep_diagonal(const Substep *substep, int i) {
    double h2 = substep->length * substep->length;
    return substep->inertia[i] + h2 * substep->system->pins.stiffness[i];
}

/* How far a vertex flies by itself in its implicit step. */
static inline Vec3 substep_inertial_step(const Substep *substep, int i) {
    return vec3_scale(substep->system->pace[i] * substep->length, substep->v[i]);
}

/* b for a substep that starts at x, v, which are also the present state. Overwrites the laws' tensions when there is
 * stiffness damping. */
void substep_begin(Substep *substep, const Vec3 *x, const Vec3 *v);

/* What gravity, air and damping do to a vertex that ends at z, N: all in the equation that comes from outside. */
Vec3 substep_outer_force(const Substep *substep, int i, Vec3 z);

/* Finds the contacts of a cloth that is at `present` and expected to end at z; refreshes them at a better z. The
 * energy changes with the contacts. */
void substep_find_contacts(Substep *substep, const Vec3 *present, const Vec3 *z);
void substep_refresh_contacts(Substep *substep, const Vec3 *z);
/* The first in two parts: for all vertices, then for those awake. */
void substep_begin_contacts(Substep *substep, const Vec3 *present, const Vec3 *z);
void substep_find_awake_contacts(Substep *substep, const Vec3 *present, const Vec3 *z);

/* Seconds on a clock that stops while contacts are found and evaluated, which the contact world counts. */
double substep_clock(const Substep *substep);

static inline int substep_contact_count(const Substep *substep) {
    return substep->world ? substep->world->contacts.count : 0;
}

/* Whether the search for contacts hit its work limit. */
static inline bool substep_is_curtailed(const Substep *substep) {
    return substep->world && substep->world->curtailed;
}

/* Adds what one contact that resists so has of the second derivative by a vertex that has this weight in it. */
static inline void contact_add_block(const Contact *contact, double weight, double along,
                                     double across, Block *block) {
    block_add_diagonal(block, weight * weight * across);
    block_add_outer(block, weight * weight * (along - across), contact->normal, contact->normal);
}

/* Adds the contacts' second derivative at z by vertex i alone. */
void substep_add_contact_block(const Substep *substep, int i, const Vec3 *z, Block *block);

/* The step length a among contacts, to z - a change, for which
 *
 *   f(a) = -a slope + a^2 curvature / 2 + contacts(z - a change) - contacts(z) + a contacts' own slope
 *
 * is least, 1.5 at the most: exact in the contacts, with `slope` the whole gradient at z times the change and
 * `curvature` what all but the contacts have along it, kg m^2. The contacts were last evaluated at z. */
double substep_step_length(const Substep *substep, const Vec3 *z, const Vec3 *change, double slope,
                           double curvature);

/* gradient = I (z - x) - b - h^2 q F - h^2 s (target - z), zero for held vertices, with F from the
 * rows as the last local step left them. */
void substep_gradient(Substep *substep, const Vec3 *z);

/* A local step at z itself, the gradient there, and h^2 times the incremental energy, kg m^2, in one pass. */
double substep_evaluate(Substep *substep, const Vec3 *z);

/* h^2 times the incremental energy at z, kg m^2: its stationary points are the solutions. */
double substep_energy(Substep *substep, const Vec3 *z);

/* Likewise at x for pins that rest there, with the elastic energy that substep_begin() has computed, if it has. Leaves the
 * gradient as it is. */
double substep_start_energy(Substep *substep);

/* Length of the gradient, kg m. */
double substep_gradient_length(const Substep *substep);

/* Over the vertices that take part: a . b, and to = from - part change. */
double substep_dot(const Substep *substep, const Vec3 *a, const Vec3 *b);
void substep_move(const Substep *substep, const Vec3 *from, double part, const Vec3 *change,
                  Vec3 *to);

/* z = x + h v: where the vertices fly to by themselves. */
void substep_predict(const Substep *substep, Vec3 *z);

/* Copies targets to the held vertices of z, and x to those on rails. */
void substep_place_pins(const Substep *substep, Vec3 *z);
