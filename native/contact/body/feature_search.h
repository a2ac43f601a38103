/* Finds the sharp corners and edges of bodies that a block of the cloth's triangles or edges may meet. What vertices know
 * of their distances, how long the cloth's edges are and where patches lie tell of most features at once that they meet
 * none. */
#ifndef CONTACT_BODY_FEATURE_SEARCH_H
#define CONTACT_BODY_FEATURE_SEARCH_H

#include "contact/body/feature_measure.h"
#include "contact/body/feature_patches.h"
#include "contact/body/sharp.h"
#include "contact/effort.h"

/* What a substep needs of the bodies: parallel arrays, null where there is no body. */
typedef struct FeatureSubstep {
    Collider *const *bodies;
    Sharp *const *sharp;
    int body_count;
    const Vec3 *x; /* the cloth at its start */
    double length; /* s */
    bool once;     /* the cloth is looked at in one place only */
    /* What vertex_contact knows of the vertices (see there); null: nothing. */
    const double *known, *approach;
    const double *clearance; /* likewise */
    const uint8_t *pinched;  /* likewise */
    const Vec3 *expected;
    double sight; /* up to which it knows it, m */
    double
        sampled; /* from corners nearer than this on, the insides of edges are looked at; 0: they are not */
} FeatureSubstep;

/* Four numbers at once; of places the last is zero. */
typedef struct FeatureSingle {
    _Alignas(16) float lanes[4];
} FeatureSingle;

typedef struct FeatureSearch {
    const Skin *skin;
    const FeaturePatches *patches;
    const double *longest, *longest_of_patch; /* see FeaturePairs */
    const double *known, *approach;           /* per vertex, at z: see there */
    const FeatureSubstep *substep;
    const Vec3 *z;
    /* The same in single precision, seen from the origin, as the bodies' features are: places; rooms with a minus sign,
     * approaches and rooms, none too small. By how much coordinates may be wrong, m. */
    const FeatureSingle *at, *bounds;
    Vec3 origin;
    float lost;
    double reach, reach_behind, fastest; /* of all bodies the most */
    double shell;                        /* likewise, inner ones */
    double slack;                        /* the least */
} FeatureSearch;

/* A list with room for so many; it goes on counting where it is full. */
typedef struct FeaturePairList {
    FeaturePair *pairs;
    int count, capacity;
    EffortShare share;
} FeaturePairList;

/* Adds the pairs of a block, as far as its share of the effort goes. */
void feature_search_block(const FeatureSearch *search, int block, FeaturePairList *list);

#endif
