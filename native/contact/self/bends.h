/* How the cloth bends at its edges, at the start of a substep and at its end: which are flat, and around which vertices it
 * is at ease, so that what lies there cannot touch. */
#ifndef CONTACT_SELF_BENDS_H
#define CONTACT_SELF_BENDS_H

#include "contact/self/poses.h"

/* Cosine of the bend below zero from which on a side of an edge counts as bending away. Flatter edges do not
 * touch each other before the vertices around them do. */
#define SELF_BEND 0.05

/* The two triangles of an edge. */
typedef struct EdgeSides {
    int elements[2];
    float sign; /* 1, or -1 where they run around it alike; 0 if there are not two */
} EdgeSides;

typedef struct Bends {
    const Skin *skin;
    const Links *links;
    EdgeSides *sides; /* per edge */
    float *kept;      /* per edge: squared, what it keeps of its length where it is quiet, m2 */
    uint8_t *flat;    /* per edge: at both ends the cloth does not bend there */
    uint8_t *turned;  /* per edge: it was, and is not any more, or the other way round */
    uint8_t *quiet; /* per edge: likewise it hardly bends there, and is not shorter than at rest */
    const Subset *awake; /* the vertices that are looked at; null: all */
    uint8_t *at_ease;    /* per vertex: so are all of its edges */
} Bends;

/* Skin and links must stay. */
StatusCode bends_build(Bends *bends, const Skin *skin, const Links *links, Store *store,
                       Status *status);

void bends_find(Bends *bends, Pool *pool, const Pose *poses, const SweptSpot *spots);

#endif
