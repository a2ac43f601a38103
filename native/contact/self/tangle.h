/* Cloth that already cuts through itself at the start of a substep.
 *
 * Where an edge pierces a triangle, the two are moved apart in the direction that shortens the contour along
 * which the two surfaces cut each other (Volino and Magnenat-Thalmann 2006, Resolving Surface Collisions
 * through Intersection Contour Minimization). It needs no inside and no history. What lies around a
 * piercing on both sides does not know on which side it should be, so it is left alone meanwhile. */
#ifndef CONTACT_SELF_TANGLE_H
#define CONTACT_SELF_TANGLE_H

#include "contact/contacts.h"
#include "contact/self/self_pairs.h"

typedef struct Tangle {
    int piercings;
    int *label; /* per vertex: which tangle it belongs to, as one of its vertices; -1: none */
    int *marked, marked_count; /* the vertices that belong to one */
} Tangle;

StatusCode tangle_build(Tangle *tangle, int vertex_count, Store *store, Status *status);

/* Finds the tangles among the pairs and tells those within one of them to be idle. */
void tangle_find(Tangle *tangle, Pool *pool, SelfPairs *pairs);

/* What moves the edge and the triangle of a piercing apart. Returns false where there is no way to tell. */
bool tangle_contact(const SelfPairs *pairs, const SelfPair *piercing, Contact *contact);

#endif
