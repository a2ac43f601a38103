/* Contacts of the cloth's triangles and edges with sharp features of bodies: corners against triangles, edges against
 * edges. vertex_contact only finds those of vertices; a bead, a fingertip or the edge of a table would come through between
 * them.
 *
 * Each pair keeps the side it was on when the substep began. A pair that has changed sides is pulled back if the two really
 * met on the way. */
#pragma once

#include "base/memory.h"
#include "base/parallel.h"
#include "contact/body/sharp.h"
#include "contact/contacts.h"
#include "contact/skin.h"
#include "contact/work_limit.h"

/* --- candidates of a block -------------------------------------------------------------------- */

/* Finds the sharp corners and edges of bodies that a block of the cloth's triangles or edges may touch. The distances of
 * vertices, the lengths of edges and the boxes of patches rule out most features at once. */

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
