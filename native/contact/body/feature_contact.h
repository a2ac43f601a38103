/* Contacts of the cloth's triangles and edges with what is sharp about bodies: corners against triangles, edges
 * against edges. The vertices of the cloth are vertex_contact's; without these, a bead, a fingertip or the
 * edge of a table would come through between them.
 *
 * Each pair keeps the side it was on when the substep began; one that has changed sides is pulled back, if
 * the two really met on the way. */
#ifndef CONTACT_BODY_FEATURE_CONTACT_H
#define CONTACT_BODY_FEATURE_CONTACT_H

#include "contact/body/sharp.h"
#include "contact/bundles.h"
#include "contact/contacts.h"
#include "contact/skin.h"

typedef struct FeaturePair {
    int body;
    bool on_edge; /* edge against edge; else a triangle of the cloth against a corner */
    int cloth;    /* triangle or edge of the skin */
    int feature;  /* corner or edge of the body's Sharp */
} FeaturePair;

/* What a substep needs of the bodies: parallel arrays, null where there is no body. */
typedef struct FeatureSubstep {
    Collider *const *bodies;
    Sharp *const *sharp;
    int body_count;
    const Vec3 *x; /* the cloth at its start */
    double length; /* s */
} FeatureSubstep;

typedef struct FeatureContactFinder {
    const Skin *skin;
    int pair_count, pair_room;
    FeaturePair *pairs;
    Contact *found;    /* per pair */
    uint8_t *active;   /* per pair: 1 if `found` holds a contact */
    double *distance;  /* per pair: where it was looked for first, 0 if it had crossed there */
    Vec3 *expected;    /* per vertex: that place */
    Bundles bundles;   /* of the skin's triangles and edges */
    int *bundle_pairs; /* per bundle: how many pairs it has */
    int *start; /* per triangle and edge of the skin, in bundles that have pairs: its first one */
} FeatureContactFinder;

StatusCode feature_contact_build(FeatureContactFinder *finder, const Skin *skin, Store *store,
                                 Status *status);
void feature_contact_destroy(FeatureContactFinder *finder);

/* Pairs that may meet in a substep from x to about z. */
void feature_contact_begin(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                           const Vec3 *z);

/* Adds the contacts of these pairs at z. */
void feature_contact_find(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z, Contacts *contacts);

#endif
