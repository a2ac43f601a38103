/* What is sharp about a body, measured against the cloth: edges and corners over which a cloth edge could lie
 * so that its two vertices keep their distance and its middle does not. A sphere of fine triangles
 * has none for cloth of the same fineness; a box, a bead or the rim of a plate has. */
#ifndef CONTACT_BODY_SHARP_H
#define CONTACT_BODY_SHARP_H

#include "contact/body/collider.h"

typedef struct Sharp {
    int corner_count, edge_count;
    int *corners;    /* vertices of the body */
    int (*edges)[2]; /* likewise */
    Box *boxes;      /* scratch: as many as corners or edges */
    WideBvh corner_tree, edge_tree;
} Sharp;

/* For cloth whose longest edge is `longest`, m. Arrays come from `store`. */
StatusCode sharp_build(Sharp *sharp, const Collider *body, double longest, Store *store,
                       Status *status);

/* After collider_move(): the boxes of all that the substep sweeps. */
void sharp_move(Sharp *sharp, const Collider *body, Pool *pool);

#endif
