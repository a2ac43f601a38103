/* Contacts of the cloth's triangles and edges with what is sharp about bodies: corners against triangles, edges
 * against edges. The vertices of the cloth are vertex_contact's; without these, a bead, a fingertip or the
 * edge of a table would come through between them.
 *
 * Each pair keeps the side it was on when the substep began; one that has changed sides is pulled back, if
 * the two really met on the way. */
#ifndef CONTACT_BODY_FEATURE_CONTACT_H
#define CONTACT_BODY_FEATURE_CONTACT_H

#include "base/slices.h"
#include "contact/body/sharp.h"
#include "contact/contacts.h"
#include "contact/skin.h"

typedef struct FeaturePair {
    int body;
    bool on_edge;    /* edge against edge; else a triangle of the cloth against a corner */
    bool behind;     /* a corner of the cloth's is behind a surface */
    int cloth;       /* triangle or edge of the skin */
    int feature;     /* corner or edge of the body's Sharp */
    double distance; /* where the pair was found, m */
    double
        approach; /* by how much the two can have come nearer there since the substep's start, m */
} FeaturePair;

/* What a substep needs of the bodies: parallel arrays, null where there is no body. */
typedef struct FeatureSubstep {
    Collider *const *bodies;
    Sharp *const *sharp;
    int body_count;
    const Vec3 *x; /* the cloth at its start */
    double length; /* s */
    /* What vertex_contact knows of the vertices (see there); null: nothing. */
    const double *known, *approach;
    const Vec3 *expected;
    double sight; /* up to which it knows it, m */
    double
        sampled; /* from corners nearer than this on, the insides of edges are looked at; 0: they are not */
} FeatureSubstep;

typedef struct FeatureContactFinder {
    const Skin *skin;
    /* Per triangle and edge of the skin: the longest side, m, stretched as far as cloth should be; the longest that one
     * can count as. */
    double *longest, longest_of_all;
    int pair_count;
    int dropped; /* pairs that found no room, since memory could not be had */
    FeaturePair *pairs;
    Contact *found;  /* per pair */
    uint8_t *active; /* per pair: 1 if `found` holds a contact */
    Vec3 *expected;  /* per vertex: where pairs were searched for */
    /* Per vertex, m: how far from all bodies it is there at least; by how much it can have come nearer to them; how far
     * it has gone from there. */
    double *room, *approach, *moved;
    Slices slices; /* of the pairs, by triangles and edges */
} FeatureContactFinder;

StatusCode feature_contact_build(FeatureContactFinder *finder, const Skin *skin, Store *store,
                                 Status *status);
void feature_contact_destroy(FeatureContactFinder *finder);

/* Pairs that may meet in a substep from x to about z. */
void feature_contact_begin(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                           const Vec3 *z);

/* Adds the contacts of these pairs at z; finds the pairs again if a vertex has gone far. */
void feature_contact_find(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z, Contacts *contacts);

#endif
