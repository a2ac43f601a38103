/* Adjacency on the cloth's surface.
 * Elements are the triangles, then the ropes' edges. Every vertex and every edge belongs to one of its elements, so that
 * pairs of elements give each pair of a vertex and an element, and of two edges, once. */
#pragma once

#include <stdint.h>

#include "contact/skin.h"
#include "geometry/distance.h"
#include "geometry/swept_tree.h"

typedef struct Links {
    Elements elements;
    int *wing_start, *wings;             /* per edge: the vertices opposite it in its triangles */
    int *ring_start, *ring, *ring_edges; /* per vertex: the other ends of its edges, and these */
} Links;

/* Arrays come from `store`; the skin is only read. */
StatusCode links_build(Links *links, const Skin *skin, Store *store, Status *status);

/* A tree over the elements' paths. */
StatusCode elements_plant(const Elements *elements, const Skin *skin, SweptTree *tree, Store *store,
                          Status *status);

/* --- two parts at a time ---------------------------------------------------------------------- */

/* Vertices, edges and elements of the cloth's surface, two at a time: how near they are, how far they move past each
 * other, and whether one pierces the other. Lengths are in m. */

/* The nearest point of an element, vertices being at `at`. Of a rope the feature is its edge 0 or an end. */
TrianglePoint element_closest(const Element *element, const Vec3 *at, Vec3 p);

/* The nearest points of two of the skin's edges. */
SegmentPair edges_closest(const int first[2], const int second[2], const Vec3 *at);

/* The most that a point of one part can have moved past one of the other between x and z. The first `split` of the four
 * vertices are the first part's. */
double parts_motion(int split, const int vertices[4], const Vec3 *x, const Vec3 *z);

/* Of a triangle, no rope: twice its area long. */
Vec3 element_normal(const Element *element, const Vec3 *at);

/* Where the edge meets the triangle at x: parameter of the edge and weights of the corners. Returns false if it
 * does not. */
bool edge_pierces(const int edge[2], const Element *triangle, const Vec3 *x, double *parameter,
                  double weights[3]);

/* --- how neighbours lie ----------------------------------------------------------------------- */

/* The elements' places in the rest shape, at the start of a substep and at its end. Neighbours are calm if they lie to each
 * other as at rest: they cannot touch. Lengths are in m. */

/* Small, since every pair reads it. */
typedef struct Pose {
    _Alignas(64) float middle[3][3]; /* in the rest shape, at the start, at the end */
    float normal[2][3];              /* unit, at start and end; of a rope its direction */
    int group;                       /* elements of one component, ropes apart, have the same */
} Pose;

/* All elements. */
typedef struct PoseTable {
    Pose *poses;
    float (*folds)[4]; /* in the rest shape: normals, of ropes zero, of what is never to lie as at
                        * rest in a fold no numbers; and radii around the middles */
} PoseTable;

/* Middle, radius and normal in the rest shape. */
void pose_rest(Pose *pose, float *fold, const Element *element, const Vec3 *rest);

/* Where an element is at start and end. The normal is zero, so that it is never calm, where it is much larger than at
 * rest. */
void pose_place(Pose *pose, const float *fold, const Element *element, const SweptSpot *spots);

/* Lists those of the others that do not lie to an element as at rest at both ends, or are not of its group; returns how many.
 * There is room for SWEPT_LANES more of either than there are others. */
int poses_disturbed(const PoseTable *table, int element, int *others, int count, int *disturbed);

/* --- where the cloth bends -------------------------------------------------------------------- */

/* The cloth's bending at its edges, at the start of a substep and at its end: which edges are flat, and which vertices are
 * have only quiet edges: nothing around such a vertex can touch. */

/* Cosine of the bend below zero from which on a side of an edge counts as bending away. Flatter edges do not
 * touch each other before the vertices around them do. */
#define SELF_BEND 0.05

/* The two triangles of an edge. */
typedef struct EdgeSides {
    int elements[2];
    float sign; /* 1, or -1 where they run around it alike; 0 if there are not two */
} EdgeSides;

typedef struct Bends {
    const Skin *skin;
    const Links *links;
    EdgeSides *sides; /* per edge */
    float *kept;      /* per edge: squared, what it keeps of its length where it is quiet, m2 */
    uint8_t *flat;    /* per edge: at both ends the cloth does not bend there */
    uint8_t *turned;  /* per edge: it was, and is not any more, or the other way round */
    uint8_t *quiet; /* per edge: likewise it hardly bends there, and is not shorter than at rest */
    const Subset *awake; /* the vertices that count; null: all */
    uint8_t *all_quiet;  /* per vertex: all of its edges are quiet */
} Bends;

/* Skin and links must stay. */
StatusCode bends_build(Bends *bends, const Skin *skin, const Links *links, Store *store,
                       Status *status);

void bends_find(Bends *bends, Pool *pool, const Pose *poses, const SweptSpot *spots);
