/* Finds the sharp corners and edges of bodies that a block of the cloth's triangles or edges may touch. The distances of
 * vertices, the lengths of edges and the boxes of patches rule out most features at once. */
#pragma once

#include "base/memory.h"
#include "contact/body/sharp.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* The cloth's triangles and edges in patches of some dozens side by side, so that a body is searched once for a whole
 * patch: most patches have nothing sharp near them. A patch, and a block of patches, has only triangles or only edges. */

/* Triangles or edges that a patch has at most. */
#define FEATURE_PATCH 32
/* Vertices that they have at most. */
#define FEATURE_PATCH_VERTICES (3 * FEATURE_PATCH)
/* At most this many neighbouring patches in a block. */
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

/* The bodies of a substep: parallel arrays, null where there is no body. */
typedef struct FeatureSubstep {
    Collider *const *bodies;
    Sharp *const *sharp;
    int body_count;
    const Vec3 *x; /* the cloth at its start */
    double length; /* s */
    bool once;     /* contacts are found at one place of the cloth only */
    /* Results of vertex_contact (see there); null: none. */
    const double *known, *approach;
    const double *clearance; /* likewise */
    const uint8_t *pinched;  /* likewise */
    const Vec3 *expected;
    double sight;   /* `known` is exact up to this distance, m */
    double sampled; /* with corners nearer than this, the insides of edges are sampled; 0: never */
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

/* A list with room for `room` pairs; it counts on when it is full. */
typedef struct FeaturePairList {
    FeaturePair *pairs;
    int count, capacity;
    WorkShare share;
} FeaturePairList;

/* Adds the pairs of a block, as far as its share of the work limit goes. */
void feature_search_block(const FeatureSearch *search, int block, FeaturePairList *list);
