/* Contacts of the cloth's triangles and edges with sharp features of bodies: corners against triangles, edges against
 * edges. vertex_contact only finds those of vertices; a bead, a fingertip or the edge of a table would come through between
 * them.
 *
 * Each pair keeps the side it was on when the substep began. A pair that has changed sides is pulled back if the two really
 * met on the way. */
#pragma once

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/body/feature_search.h"
#include "contact/contacts.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* Pairs of the cloth's triangles and edges with sharp corners and edges of bodies that may touch in a substep: found for
 * one block of the cloth after the other, and again where the cloth moves further than expected. */

typedef struct FeaturePairs {
    const Skin *skin;
    FeaturePatches patches;
    /* Per triangle and edge of the skin: the longest side, m, stretched as far as cloth should be; of a patch the most;
     * the longest that one can count as. */
    double *longest, *longest_of_patch, longest_of_all;
    FeaturePair *list; /* those of a block lie in its slice */
    Slices slices;
    int room;       /* of the list */
    int count;      /* of all pairs */
    int dropped;    /* for want of memory */
    Vec3 *expected; /* per vertex: where it was in the last search */
    /* Per vertex, m: how far from all bodies it is there at least; by how much it can have come nearer to them; how far
     * it has gone from there. */
    double *known, *approach, *moved;
    FeatureSingle *at, *bounds; /* likewise, in single precision: see FeatureSearch */
    Vec3 origin;                /* from which they are seen in this substep */
    /* Per block, m: how far its vertices were at most from where its pairs were found, when they were looked at last; how
     * far they can be now. */
    double *drift, *far;
    const Subset *awake;  /* the vertices that count; null: all */
    uint8_t *awake_block; /* per block: it has some of them */
    uint8_t *stale;       /* per block: 1 if its pairs must be found again */
    WorkLimit work_limit; /* of the substep; the caller resets it */
    WorkShare *shares;    /* per block, in the present search */
} FeaturePairs;

/* Only pairs of these vertices are found from now on; null: of all. */
void feature_pairs_wake(FeaturePairs *pairs, const Subset *awake);

/* How many pairs a block has; they begin at slices.start. */
static inline int feature_pairs_of(const FeaturePairs *pairs, int block) {
    int used = pairs->slices.used[block], room = slices_room(&pairs->slices, block);
    return used < room ? used : room;
}

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
