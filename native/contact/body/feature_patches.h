/* The cloth's triangles and edges in patches of some dozens that lie side by side, so that a body is asked once for all
 * of a patch: most have nothing sharp near them. A patch, and a block of patches, has triangles alone or edges alone. */
#ifndef CONTACT_BODY_FEATURE_PATCHES_H
#define CONTACT_BODY_FEATURE_PATCHES_H

#include "base/memory.h"
#include "contact/skin.h"

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

#endif
