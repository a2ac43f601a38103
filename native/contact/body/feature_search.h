/* Finds the sharp corners and edges of bodies that a block of the cloth's triangles or edges may meet. What vertices know
 * of their distances, how long the cloth's edges are and where patches lie tell of most features at once that they meet
 * none. */
#ifndef CONTACT_BODY_FEATURE_SEARCH_H
#define CONTACT_BODY_FEATURE_SEARCH_H

#include "base/memory.h"
#include "contact/body/sharp.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* The cloth's triangles and edges in patches of some dozens that lie side by side, so that a body is asked once for all
 * of a patch: most have nothing sharp near them. A patch, and a block of patches, has triangles alone or edges alone. */

/* Triangles or edges that a patch has at most. */
#define FEATURE_PATCH 32
/* Vertices that they have at most. */
#define FEATURE_PATCH_VERTICES (3 * FEATURE_PATCH)
/* Neighbouring patches that ask together, a block: at most. */
#define FEATURE_BLOCK 8

typedef struct FeaturePatch {
    bool on_edge;             /* it has edges */
    int first, count;         /* of its triangles or edges, in `items` */
    int vertex, vertex_count; /* in `vertices` */
    int far[3];               /* three vertices far from each other, in its list of them */
} FeaturePatch;

typedef struct FeaturePatches {
    int count, block_count;
    FeaturePatch *list;
    int *items;            /* of the skin, patch after patch; see skin_item() */
    uint8_t (*corners)[3]; /* per item, in that order: where its vertices are in the patch's list */
    int *vertices;
    /* Per block: its first patch, and of the vertices of its patches, each once; one more at the end. */
    int *block_patch, *block_start, *block_vertices;
} FeaturePatches;

/* Neighbours are those of the rest shape. Arrays come from `store`. */
StatusCode feature_patches_build(FeaturePatches *patches, const Skin *skin, Store *store,
                                 Status *status);

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
    WorkShare share;
} FeaturePairList;

/* Adds the pairs of a block, as far as its share of the work limit goes. */
void feature_search_block(const FeatureSearch *search, int block, FeaturePairList *list);

#endif
