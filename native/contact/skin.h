/* The cloth's surface as contact sees it: triangles, their sides and the ropes. The diagonals that a quad's
 * shear springs add are no part of it. */
#ifndef CONTACT_SKIN_H
#define CONTACT_SKIN_H

#include "mesh/mesh.h"

typedef struct Skin {
    int vertex_count, triangle_count, edge_count;
    int (*triangles)[3];
    int (*edges)[2]; /* first the smaller vertex; sorted; sides of triangles and ropes, each once */
    const Vec3 *rest; /* the mesh's own, m */
    int *component;   /* per vertex: which component of the cloth it belongs to */
    int component_count;
    double mean_edge, longest_edge; /* rest lengths, m */
} Skin;

/* With which triangles a quad is part of the skin. */
typedef enum SkinCuts {
    SKIN_OWN_CUTS,  /* those that are simulated */
    SKIN_BOTH_CUTS, /* also those along its other diagonal, along which somebody may draw it */
} SkinCuts;

/* Arrays come from `store`. */
StatusCode skin_build(Skin *skin, const Mesh *mesh, SkinCuts cuts, Store *store, Status *status);

/* Number of the edge a-b, which must be one of the skin's. */
int skin_edge(const Skin *skin, int a, int b);

#endif
