/* Edges and faces of the cloth that go through a solid body where a substep ends, though their vertices are outside of it:
 * a bump of the body comes up through a face, or an edge cuts across a rim. They are pushed out like vertices, by geometry
 * alone, and what is left is counted.
 *
 * The part of an element that is inside a body is bounded by the points where edges of the one meet faces of the other. The
 * middle of these points is put in front of the nearest surface, and the search repeated, until nothing is left or nothing
 * helps. Sheets have no inside, so nothing tells where to push: they are left to samples and to sharp features. */
#pragma once

#include "contact/body/vertex_contact.h"
#include "contact/skin.h"

/* An element of the cloth that is partly inside of a body. */
typedef struct Pierced {
    int element;
    double weights[3]; /* of its corners: the middle of what is inside */
    Vec3 normal;       /* the way out */
    double
        lacking; /* how far out that middle has to be moved from where it was found, m; 0: it stays */
    double surface; /* speed of the body's surface along the normal, m/s */
} Pierced;

typedef struct PiercingFinder {
    const Skin *skin;
    Elements elements;
    int capacity;     /* of the list; more are left for the next pass */
    Pierced *list;    /* those of the last search */
    Vec3 *searched;   /* per vertex: where it was in the last search */
    uint8_t *pierced; /* per element: it is partly inside */
    uint8_t
        *pairs; /* per element: edges of it, or through it, that are its own to count, up to 255 */
    uint8_t *moved; /* per vertex: it is elsewhere than in the last search */
    bool known;     /* the last search was of this substep */
} PiercingFinder;

/* The skin must stay. Arrays come from `store`. */
StatusCode piercing_build(PiercingFinder *finder, const Skin *skin, Store *store, Status *status);

/* Another substep: its bodies are elsewhere. */
void piercing_begin(PiercingFinder *finder);

/* Pushes what is pierced out of bodies, after vertex_contact_project(); the push itself does not become velocity. Returns
 * whether any vertex was moved. `left`: edges that still pass through faces. */
bool piercing_project(PiercingFinder *finder, Pool *pool, const BodySubstep *substep,
                      const VertexContactFinder *vertices, const uint8_t *held, Vec3 *z,
                      Vec3 *velocity, int *left);
