/* Contacts of places inside the cloth's edges and triangles with the smooth surface of bodies. Long edges of a coarse
 * garment lie over an arm like chords over a circle: their ends keep their distance, their middles do not. Where the
 * surface under an edge curves that much, places on the edge are sampled like vertices. Sharp features of a body fit
 * between such places, too: feature_contact finds those. */
#pragma once

#include <stdint.h>

#include "base/parallel.h"
#include "contact/body/vertex_contact.h"
#include "contact/skin.h"

/* The nearest triangle to a place in its last search, however long ago: a guess. */
typedef struct SampleGuess {
    int body; /* 1 + its number; 0: none yet */
    int triangle;
    int substep; /* of its last search, and how far it was from where it was expected then, m */
    float distance;
} SampleGuess;

/* What is known of a vertex where it is. */
typedef struct SampleVertex {
    double distance;    /* from all surfaces at least, m; negative behind one */
    double moved;       /* since the search of all, m */
    int body, triangle; /* of the plane that it has met; triangle -1: none */
    Vec3 point, normal; /* of that plane */
} SampleVertex;

typedef struct SampleContactFinder {
    const Skin *skin;
    SampleVertex *vertices;
    Vec3 *expected; /* per vertex: where it was when all were searched */
    int substep;    /* counts them */
    /* Per triangle and edge of the skin, m: how far a surface comes up between its corners at most; how far its places
     * were from becoming contacts. */
    double *highest, *spare;
    SampleGuess *guesses; /* per place that may be sampled: one a triangle, then three an edge */
    /* Per triangle and edge, a bit for each of its places: those that were near a surface when they were sampled in this
     * substep, and in the one before. `near` is what goes from one substep to the next. */
    uint8_t *near, *near_before;
    const Subset *awake; /* the vertices that count; null: all */
    bool looked;         /* a search was made in this substep */
    Slices slices;       /* of the list, by triangles and edges of the skin */
    Contact *list;
} SampleContactFinder;

StatusCode sample_contact_build(SampleContactFinder *finder, const Skin *skin, Store *store,
                                Status *status);
void sample_contact_destroy(SampleContactFinder *finder);

/* Begins a substep in which all are found. */
void sample_contact_begin(SampleContactFinder *finder, const BodySubstep *substep);

/* Adds the contacts at z, where vertices were searched before. `anew`: in a new substep, or bodies have moved; else only
 * what may have come near since is looked at. */
void sample_contact_find(SampleContactFinder *finder, Pool *pool, const BodySubstep *substep,
                         const VertexContactFinder *vertices, const Vec3 *z, bool anew,
                         Contacts *contacts);

/* Ends the substep; or drops it, and what was near is as before it. */
void sample_contact_settle(SampleContactFinder *finder);
void sample_contact_undo(SampleContactFinder *finder);
