/* Contact of the cloth with itself.
 * self_contact_begin() prepares a substep; then, as often as its end changes, self_contact_find() tells what touches
 * there.
 *
 * On which side of each other two parts belong is where they were at the start of the substep. Parts that
 * have changed sides are pulled back. Two parts keep the thickness apart, or less: 0.8 of their distance in
 * the rest shape, if they belong to one component, and what they have already plus a slow recovery, if they
 * start nearer. Lengths are in m. */
#ifndef CONTACT_SELF_SELF_CONTACT_H
#define CONTACT_SELF_SELF_CONTACT_H

#include "contact/contacts.h"
#include "contact/self/self_pairs.h"

/* Cloth that already cuts through itself at the start of a substep.
 *
 * Where an edge pierces a triangle, the two are moved apart in the direction that shortens the contour along
 * which the two surfaces cut each other (Volino and Magnenat-Thalmann 2006, Resolving Surface Collisions
 * through Intersection Contour Minimization). It needs no inside and no history. What lies around a
 * piercing on both sides does not know on which side it should be, so it is left alone meanwhile. */

typedef struct Tangle {
    int piercings;
    int *label; /* per vertex: which tangle it belongs to, as one of its vertices; -1: none */
    int *marked, marked_count; /* the vertices that belong to one */
} Tangle;

/* Finds the tangles among the pairs and tells those within one of them to be idle. */
void tangle_find(Tangle *tangle, Pool *pool, SelfPairs *pairs);

typedef struct SelfContactFinder {
    Store store;
    SelfPairs pairs;
    Tangle tangle;
    int piercings; /* edges that pierce a triangle at the start of the substep */
    int *active; /* pairs in contact, in the chunks of the pool: each fills the front of its own */
    int *active_count; /* per chunk */
    int active_capacity;
    /* Per vertex: what bodies leave between two surfaces that face each other, m; null: nothing is known. Kept elsewhere. */
    const double *room;
} SelfContactFinder;

/* `skin` must stay. */
StatusCode self_contact_build(SelfContactFinder *self, const Skin *skin, Status *status);
void self_contact_destroy(SelfContactFinder *self);

/* Once a substep of length h (s) from x: what may touch anywhere on the way to an end whose vertices are
 * within half the slack of z. Suspects as in self_pairs.h. Takes memory only for more than there ever was. `x` and the
 * suspects must stay, `z` need not. */
void self_contact_begin(SelfContactFinder *self, Pool *pool, const Vec3 *x, const uint8_t *suspects,
                        const Vec3 *z, double thickness, double slack, double length);

/* Of vertices that are further away it searches again. */
void self_contact_update(SelfContactFinder *self, Pool *pool, const Vec3 *z);

/* Adds what touches, or may soon, at the end z. */
void self_contact_find(SelfContactFinder *self, Pool *pool, const Vec3 *z, double friction,
                       Contacts *contacts);

#endif
