/* Pairs of the cloth that may touch in a substep: vertices and elements, edges and edges, and edges that already pierce a
 * triangle at its start.
 *
 * They depend on the start x of the substep and on its expected end z, and hold for every end whose vertices are within
 * half the slack of z. Parts that share a vertex are no pair. Three more kinds are left out, since they are many and
 * cannot touch: neighbours on the surface that lie to each other as in the rest shape at x and at z; neighbours with no
 * more than two rings of quiet edges between them; and edges in flat cloth that cannot cross, since its vertices keep it
 * apart. Lengths are in m. */
#pragma once

#include "contact/self/neighbours.h"
#include "contact/work_limit.h"

/* Speed at which cloth that starts too near or tangled moves apart, m/s at the usual thickness (scale.h): it should look
 * like settling, not like a burst. */
#define SELF_RECOVERY 0.2

typedef enum PairKind {
    PAIR_VERTEX,  /* a vertex and an element */
    PAIR_EDGES,   /* two edges */
    PAIR_PIERCING /* an edge and the triangle it pierces at x */
} PairKind;

typedef struct SelfPair {
    int first, second;
    int8_t kind;
    bool idle;      /* no contact: its two parts belong to one tangle */
    float distance; /* at x; at most the true one, as all of these */
    float shell;    /* that they are to keep: self_pair_shell() */
    float margin;   /* beyond the shell, within which they can become active */
    float room;     /* where they are expected, beyond the margin */
} SelfPair;

/* Pairs that one thread has found. */
typedef struct SelfPairSlice {
    SelfPair *list;
    int count, capacity; /* counts on beyond the capacity */
    WorkShare share;
} SelfPairSlice;

typedef struct SelfPairs {
    const Skin *skin;
    Links links;
    SweptTree tree; /* over the elements */
    PoseTable table;
    Bends bends;
    float (*rest)[4];    /* per vertex: the rest shape as the tree sees it; the last is not used */
    const Subset *awake; /* the vertices that count; null: all */
    const Vec3 *x;
    const uint8_t *suspects; /* per vertex: may be of an edge or a triangle that pierce at x */
    Vec3 *z;             /* where the cloth was expected in the last search, up to a common shift */
    Vec3 shift;          /* that one */
    float (*strayed)[4]; /* per vertex: from where it was expected, and how far that is */
    bool astray;         /* any of them */
    uint8_t *moved, *awake_elements; /* per vertex, per element: since searched again */
    double thickness, slack, length;
    double range, recovery; /* outside their shells, m; how fast they part, m/s */
    double edge_share;      /* of the thickness, below which edges set the scale: see scale.h */
    SelfPair *list;
    int count, capacity;
    SelfPair *sorted; /* room for as many, where the skin has several components; else null */
    int sorted_capacity;
    int *bucket;           /* per vertex or edge, whichever are more, and one more; likewise */
    SelfPairSlice *slices; /* of the tree */
    WorkLimit work_limit;  /* of the substep; the caller resets it */
    WorkShare share;       /* of each slice in the present search */
    int dropped;           /* pairs, for want of memory */
} SelfPairs;

StatusCode self_pairs_build(SelfPairs *pairs, const Skin *skin, Store *store, Status *status);
void self_pairs_destroy(SelfPairs *pairs); /* what does not belong to the store */

/* Fills the list, in an order that does not depend on the threads, nor on components that take no part. Takes memory only
 * for more pairs than there ever were. Only edges and triangles with a vertex among the suspects pierce each other at x, if
 * these are not null. `x` and they must stay as they are as long as the pairs are used, `z` need not. Where the work limit
 * is reached, pairs are missing. */
void self_pairs_find(SelfPairs *pairs, Pool *pool, const Vec3 *x, const uint8_t *suspects,
                     const Vec3 *z, double thickness, double slack, double length);

/* The cloth is now expected to end at z: searches again for vertices that are, apart from a common shift, further than
 * half the slack from the last expectation, and replaces the pairs of their elements. Returns false if there are none, or
 * if the work limit is reached: then the pairs stay as they are. */
bool self_pairs_update(SelfPairs *pairs, Pool *pool, const Vec3 *z);

/* The vertices of both parts, of a rope the last one twice. Returns how many are the first part's. */
int self_pair_vertices(const SelfPairs *pairs, const SelfPair *pair, int vertices[4]);

/* The distance that the parts of a pair should keep, with the precision of contacts, where they keep this share of the
 * thickness: see scale.h. */
double self_pair_shell(const SelfPairs *pairs, const SelfPair *pair, double share);

/* Lengths in proportion to the scale, where the cloth keeps this share of the thickness. */
static inline double self_pairs_scaled(const SelfPairs *pairs, double share, double length) {
    return fmax(pairs->edge_share, share) * length;
}

/* Measures how far the cloth has strayed from where it was expected. */
void self_pairs_stray(SelfPairs *pairs, Pool *pool, const Vec3 *z);

/* The most that the parts of a pair have strayed past each other, and whether they still have room. */
float self_pair_strayed(const SelfPairs *pairs, const SelfPair *pair);
bool self_pair_stays_clear(const SelfPairs *pairs, const SelfPair *pair);
