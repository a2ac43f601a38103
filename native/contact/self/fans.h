/* Which vertices have the triangles around them in order all the way from x to z.
 * Seen along a direction from which no triangle around a vertex turns its back on the way, and around which they go
 * once, the triangles lie side by side: no two of them meet, as long as they go straight. Borders are never told. */
#ifndef CONTACT_SELF_FANS_H
#define CONTACT_SELF_FANS_H

#include "base/parallel.h"
#include "contact/skin.h"

typedef struct OrderedFans {
    const Skin *skin;
    int *start, *corners; /* per vertex: 3 triangle + place of the vertex in it */
    uint8_t *closed; /* per vertex: its triangles go around it without a border, all the same way */
    float (*normals)
        [3][3]; /* per triangle: the normal's three coefficients by time, times the same factor */
    uint8_t *in_order; /* per vertex */
} OrderedFans;

/* The skin must stay. Arrays come from `store`. */
StatusCode fans_build(OrderedFans *fans, const Skin *skin, Store *store, Status *status);

/* Finds those in order. */
void fans_find(OrderedFans *fans, Pool *pool, const Vec3 *x, const Vec3 *z);

#endif
