/* Who is whose neighbour on the cloth's surface.
 * Elements are what the surface is made of: the triangles, then the ropes' edges. Every vertex and every
 * edge belongs to one of the elements that have it, so that pairs of elements give each pair of vertices
 * and elements, and of edges, once. */
#ifndef CONTACT_SELF_LINKS_H
#define CONTACT_SELF_LINKS_H

#include <stdint.h>

#include "contact/skin.h"

typedef struct Element {
    int vertices[3]; /* of a rope two, then -1 */
    int edges[3];    /* edge k joins the corners k and k + 1 (mod 3); of a rope one, then -1 */
    uint8_t own_vertices, own_edges; /* bit k: corner k, edge k belongs to this element */
} Element;

typedef struct Links {
    int element_count;
    Element *elements;
    int *vertex_owner; /* element; -1 of isolated vertices */
    int *edge_owner;
    int *wing_start, *wings;             /* per edge: the vertices opposite it in its triangles */
    int *ring_start, *ring, *ring_edges; /* per vertex: the other ends of its edges, and these */
} Links;

/* Arrays come from `store`; the skin is only read. */
StatusCode links_build(Links *links, const Skin *skin, Store *store, Status *status);

static inline int element_size(const Element *element) { return element->vertices[2] < 0 ? 2 : 3; }

#endif
