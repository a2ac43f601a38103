/* Contacts of the cloth's triangles and edges with what is sharp about bodies: corners against triangles, edges
 * against edges. The vertices of the cloth are vertex_contact's; without these, a bead, a fingertip or the
 * edge of a table would come through between them.
 *
 * Each pair keeps the side it was on when the substep began; one that has changed sides is pulled back, if
 * the two really met on the way. */
#ifndef CONTACT_BODY_FEATURE_CONTACT_H
#define CONTACT_BODY_FEATURE_CONTACT_H

#include "contact/body/feature_pairs.h"
#include "contact/contacts.h"

typedef struct FeatureContactFinder {
    FeaturePairs pairs;
    Contact *found; /* those of a block lie where its slice of the pairs does */
    int room;       /* of them */
    int *made;      /* per block: how many */
} FeatureContactFinder;

StatusCode feature_contact_build(FeatureContactFinder *finder, const Skin *skin, Store *store,
                                 Status *status);
void feature_contact_destroy(FeatureContactFinder *finder);

/* Pairs that may meet in a substep from x to about z. */
void feature_contact_begin(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                           const Vec3 *z);

/* Adds the contacts of these pairs at z; finds pairs again where vertices have gone far. */
void feature_contact_find(FeatureContactFinder *finder, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z, Contacts *contacts);

#endif
