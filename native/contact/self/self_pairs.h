/* The parts of a cloth that may touch in a substep: vertices and elements, edges and edges, and edges that
 * pierce a triangle already at its start.
 *
 * What is found depends on the start x of the substep and on where the cloth is expected to end, z. The pairs
 * hold for every end whose vertices are within half the slack of z. Parts that share a vertex are no pair.
 * Left out as well, since they are most and cannot touch, are neighbours on the surface that lie to each
 * other as in the rest shape, at x and at z (self_pairs_are_calm()); and edges in flat cloth, unless they may cross:
 * the vertices keep flat cloth apart. Lengths are in m. */
#ifndef CONTACT_SELF_SELF_PAIRS_H
#define CONTACT_SELF_SELF_PAIRS_H

#include "contact/self/links.h"
#include "geometry/bvh.h"
#include "geometry/closest.h"

/* How fast cloth that starts too near or tangled is moved apart, m/s at the usual thickness (scale.h): seen as
 * settling, not as a burst. */
#define SELF_RECOVERY 0.2
/* Cosine of the bend below zero from which on a side of an edge counts as bending away. Flatter edges do not
 * touch each other before the vertices around them do. */
#define SELF_BEND 0.05

typedef enum PairKind {
    PAIR_VERTEX,   /* a vertex and an element */
    PAIR_EDGES,    /* two edges */
    PAIR_PIERCING, /* an edge and the triangle it pierces at x */
    PAIR_IDLE      /* left alone: its two parts belong to one tangle */
} PairKind;

typedef struct SelfPair {
    int first, second;
    int8_t kind,
        side; /* side: of the element, or of the second edge, where the first is at x; 0: none */
    float distance; /* at x; at most the true one */
    float shell;    /* that they are to keep */
    float margin;   /* beyond the shell, within which they can become active */
} SelfPair;

/* How an element lies in the rest shape, at x and at z. Small, since it is looked at for every pair. */
typedef struct Pose {
    float middle[3][3];
    float normal[2][3]; /* unit, at x and z; of a rope its direction */
    float radius;       /* around the middle in the rest shape */
} Pose;

typedef struct SelfPairs {
    const Skin *skin;
    Links links;
    Bvh tree; /* over the elements */
    Box *vertex_boxes, *edge_boxes,
        *element_boxes; /* swept, grown by half of what may be between */
    Vec3 *normals;      /* per element at x, twice the area long; of ropes zero */
    Pose *poses;        /* per element */
    float *lengths;     /* per edge, in the rest shape */
    uint8_t *flat;      /* per edge: at x and at z the cloth does not bend there */
    const Vec3 *x, *z;
    Vec3 drift; /* mean motion from x to z */
    double thickness, slack, length;
    double range, recovery; /* outside their shells, m; how fast they part, m/s */
    SelfPair *list;
    int count, capacity;
    int slices;                     /* parts of the list that threads fill each by itself */
    int *slice_start, *slice_count; /* starts: one more at the end */
    int dropped;                    /* pairs that found no room, since memory could not be had */
} SelfPairs;

StatusCode self_pairs_build(SelfPairs *pairs, const Skin *skin, Store *store, Status *status);
void self_pairs_destroy(SelfPairs *pairs); /* what does not belong to the store */

/* Fills the list, in an order that does not depend on the threads. Takes memory only for more pairs than
 * there ever were. `x` must stay as it is as long as the pairs are used. */
void self_pairs_find(SelfPairs *pairs, Pool *pool, const Vec3 *x, const Vec3 *z, double thickness,
                     double slack, double length);

/* Whether two elements are neighbours that lie to each other as in the rest shape. */
bool self_pairs_are_calm(const SelfPairs *pairs, int first, int second);

/* The nearest point of an element, vertices being at `at`. Of a rope the feature is its edge 0 or an end. */
TrianglePoint element_closest(const Element *element, const Vec3 *at, Vec3 p);

/* The nearest points of two of the skin's edges. */
SegmentPair edges_closest(const int first[2], const int second[2], const Vec3 *at);

/* The most that a point of one part can have moved past one of the other between x and z. */
double vertex_motion(const Element *element, int v, const Vec3 *x, const Vec3 *z);
double edges_motion(const int first[2], const int second[2], const Vec3 *x, const Vec3 *z);

/* Where the edge meets the triangle at x: parameter of the edge and weights of the corners. Returns false if it
 * does not. `normal` is the triangle's, of any length. */
bool edge_pierces(const int edge[2], const Element *triangle, Vec3 normal, const Vec3 *x,
                  double *parameter, double weights[3]);

#endif
