/* Which triangles and edges of the cloth may meet which sharp corners and edges of bodies in a substep: found block by
 * block of the cloth, and again where it goes further than was expected. */
#ifndef CONTACT_BODY_FEATURE_PAIRS_H
#define CONTACT_BODY_FEATURE_PAIRS_H

#include "base/parallel.h"
#include "contact/body/feature_search.h"

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
    int dropped;    /* that found no room, since memory could not be had */
    Vec3 *expected; /* per vertex: where it was looked at last */
    /* Per vertex, m: how far from all bodies it is there at least; by how much it can have come nearer to them; how far
     * it has gone from there. */
    double *known, *approach, *moved;
    FeatureSingle *at, *bounds; /* likewise, in single precision: see FeatureSearch */
    Vec3 origin;                /* from which they are seen in this substep */
    /* Per block, m: how far its vertices were at most from where its pairs were found, when they were looked at last; how
     * far they can be now. */
    double *drift, *far;
    const Subset *awake;  /* the vertices that are looked at; null: all */
    uint8_t *awake_block; /* per block: it has some of them */
    uint8_t *stale;       /* per block: 1 if its pairs are to be found again */
    Effort effort;        /* of the substep; filled up by the caller */
    EffortShare *shares;  /* per block, in the present search */
} FeaturePairs;

StatusCode feature_pairs_build(FeaturePairs *pairs, const Skin *skin, Store *store, Status *status);
void feature_pairs_destroy(FeaturePairs *pairs);

/* Speed at which pairs part that were too near from the start, m/s at the usual thickness: see scale.h. */
#define FEATURE_RECOVERY 0.4

/* Up to which distance contacts are told in a substep of this length, m and s. `behind`: see FeaturePair. */
double feature_pairs_reach(const Collider *body, bool behind, double length);

/* Only pairs of these vertices are looked for from now on; null: of all. */
void feature_pairs_wake(FeaturePairs *pairs, const Subset *awake);

/* Those that may meet in a substep from x to about z. Where the effort does not last, some are missing. */
void feature_pairs_find(FeaturePairs *pairs, Pool *pool, const FeatureSubstep *substep,
                        const Vec3 *z);

/* Later in the same substep: finds those of blocks again that have gone far, if any effort is left. */
void feature_pairs_update(FeaturePairs *pairs, Pool *pool, const FeatureSubstep *substep,
                          const Vec3 *z);

/* The furthest that one of the pair's vertices has gone since it was found, m. */
double feature_pairs_moved(const FeaturePairs *pairs, int block, const FeaturePair *pair);

/* How many pairs a block has; they begin at slices.start. */
static inline int feature_pairs_of(const FeaturePairs *pairs, int block) {
    int used = pairs->slices.used[block], room = slices_room(&pairs->slices, block);
    return used < room ? used : room;
}

#endif
