/* The cloth's surface for contact: triangles, their sides and the ropes, without the diagonals of shear springs. */
#pragma once

#include <stdbool.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "mesh/mesh.h"

/* Which vertices are sewn together: faces on both sides of a seam are neighbours and have no contact. */

/* A vertex is sewn to another one, or to a point between two: then `others` are these. */
typedef struct SewnPair {
    int vertex, others[2]; /* the second is -1 where there is one only */
} SewnPair;

typedef struct Sewn {
    int *knot; /* per vertex: the one that represents all that are sewn together; -1: not sewn */
    int *start, *beside; /* per such vertex: those between which it is sewn */
} Sewn;

/* Arrays come from `store`. */
StatusCode sewn_build(Sewn *sewn, int vertex_count, int count, const SewnPair *pairs, Store *store,
                      Status *status);

/* Whether a seam joins two faces; edges are given with one vertex twice. Faces that share a vertex do not count. */
bool sewn_together(const Sewn *sewn, const int first[3], const int second[3]);

/* What a component has. */
typedef struct SkinSize {
    int vertex; /* its first */
    int edges;
    double length; /* of all its edges at rest, m */
} SkinSize;

typedef struct Skin {
    int vertex_count, triangle_count, edge_count;
    int (*triangles)[3];
    int (*edges)[2]; /* first the smaller vertex; sorted; sides of triangles and ropes, each once */
    const Vec3 *rest; /* the mesh's own, m */
    int *component;   /* per vertex: which component of the cloth it belongs to */
    int component_count;
    const Sewn *sewn;    /* null: nothing is */
    const double *share; /* per vertex, of the thickness: see scale.h; null: 1 */
    SkinSize *size;      /* per component */
    double mean_edge;    /* of the components that take part, at rest, m */
    double longest_edge; /* of all, m */
} Skin;

/* The triangles of a quad in the skin. */
typedef enum SkinCuts {
    SKIN_OWN_CUTS,  /* those that are simulated */
    SKIN_BOTH_CUTS, /* also those along its other diagonal, in case a renderer draws it so */
} SkinCuts;

/* Arrays come from `store`. */
StatusCode skin_build(Skin *skin, const Mesh *mesh, SkinCuts cuts, Store *store, Status *status);

/* Of the components that have vertices among these, or of all; m. */
double skin_mean_edge(const Skin *skin, const Subset *awake);

/* A triangle or an edge: these are numbered after the triangles. */
typedef struct SkinItem {
    int own; /* number among its kind */
    int corners;
    const int *v;
} SkinItem;

static inline int skin_item_count(const Skin *skin) {
    return skin->triangle_count + skin->edge_count;
}

static inline SkinItem skin_item(const Skin *skin, int number) {
    int edge = number - skin->triangle_count;
    return edge < 0 ? (SkinItem){number, 3, skin->triangles[number]}
                    : (SkinItem){edge, 2, skin->edges[edge]};
}

/* The length of its longest side, vertices being at `at`, m. */
double skin_item_length(const SkinItem *item, const Vec3 *at);

/* Whether two elements, as trees have them, lie on both sides of a seam. */
static inline bool skin_is_sewn(const Skin *skin, const int first[3], const int second[3]) {
    return skin->sewn && sewn_together(skin->sewn, first, second);
}

/* Number of the edge a-b, which must be one of the skin's. */
int skin_edge(const Skin *skin, int a, int b);

/* The triangles, then the edges of ropes. Every vertex and every edge belongs to the first element that has it. */
typedef struct Element {
    int vertices[3]; /* of a rope the last one twice */
    int edges[3];    /* edge k joins the corners k and k + 1 (mod 3); of a rope one, then -1 */
    uint8_t corners; /* 3; 2 of a rope */
    uint8_t own_vertices, own_edges; /* bit k: corner k, edge k belongs to this element */
} Element;

static inline bool element_has(const Element *element, int v) {
    return element->vertices[0] == v || element->vertices[1] == v || element->vertices[2] == v;
}

typedef struct Elements {
    int count;
    Element *list;
    int *vertex_owner; /* element; -1 of isolated vertices */
    int *edge_owner;
} Elements;

/* Arrays come from `store`; the skin is only read. */
StatusCode elements_build(Elements *elements, const Skin *skin, Store *store, Status *status);
