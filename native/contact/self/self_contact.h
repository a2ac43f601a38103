/* Contact of the cloth with itself.
 * self_contact_begin() prepares a substep; self_contact_find() finds the contacts at its present end, as often as that
 * changes.
 *
 * Two parts belong on the sides on which they were at the start of the substep, and are pulled back if they have changed
 * sides. They keep the thickness apart, or less: within a component 0.8 of their distance in the rest shape, and from a
 * closer start the present distance plus a slow recovery. Lengths are in m. */
#pragma once

#include "contact/contacts.h"
#include "contact/self/flood.h"
#include "contact/self/self_pairs.h"

/* Untangling: cloth that already intersects itself at the start of a substep.
 *
 * Where an edge pierces a triangle, what the contour of the intersection cuts off goes back through it (flood.h). Where
 * it cuts nothing off, the two move in the direction that shortens the contour (Volino and Magnenat-Thalmann 2006,
 * Resolving Surface Collisions through Intersection Contour Minimization). This needs no inside and no history. Around a piercing nothing shows which side is right, so other pairs there are idle
 * meanwhile. */

typedef struct Tangle {
    int piercings;
    int *label; /* per vertex: which tangle it belongs to, as one of its vertices; -1: none */
    int *marked, marked_count; /* the vertices that belong to one */
    Flood flood;               /* where there are piercings */
} Tangle;

/* Finds the tangles among the pairs, and marks the pairs within one of them as idle. */
void tangle_find(Tangle *tangle, Pool *pool, SelfPairs *pairs);

typedef struct SelfContactFinder {
    Store store;
    SelfPairs pairs;
    Tangle tangle;
    int piercings; /* edges that pierce a triangle at the start of the substep */
    int *active; /* pairs in contact, in the chunks of the pool: each fills the front of its own */
    int *active_count; /* per chunk */
    int active_capacity;
    /* Per vertex: the room between two surfaces of bodies that face each other, m; may be null. Not owned. */
    const double *room;
} SelfContactFinder;

/* `skin` must stay. */
StatusCode self_contact_build(SelfContactFinder *self, const Skin *skin, Status *status);
void self_contact_destroy(SelfContactFinder *self);

/* Once a substep of length h (s) from x: finds all pairs that may touch on paths to ends within half the slack of z.
 * Suspects as in self_pairs.h. Takes memory only for more pairs than ever before. `x` and the suspects must stay, `z` need
 * not. */
void self_contact_begin(SelfContactFinder *self, Pool *pool, const Vec3 *x, const uint8_t *suspects,
                        const Vec3 *z, double thickness, double slack, double length);

/* Searches again for vertices that are further away. */
void self_contact_update(SelfContactFinder *self, Pool *pool, const Vec3 *z);

/* Adds the contacts at the end z, and pairs that are about to touch. */
void self_contact_find(SelfContactFinder *self, Pool *pool, const Vec3 *z, double friction,
                       Contacts *contacts);
