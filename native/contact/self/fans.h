/* Which vertices have the triangles around them in order all the way from x to z.
 * Seen along a direction from which no triangle around a vertex turns its back on the way, and around which they go
 * once, the triangles lie side by side: no two of them meet, as long as they go straight. Borders are never told. */
#ifndef CONTACT_SELF_FANS_H
#define CONTACT_SELF_FANS_H

#include "base/parallel.h"
#include "contact/skin.h"

/* Of a triangle around a vertex: it goes on from one of its neighbours to the next. */
typedef struct FanCorner {
    int triangle, from, to;
} FanCorner;

typedef struct OrderedFans {
    const Skin *skin;
    int *start; /* per vertex */
    FanCorner *corners;
    uint8_t *closed; /* per vertex: its triangles go around it without a border, all the same way */
    float (
        *normals)[3]
                 [4];  /* per triangle, by axis: the normal's three coefficients by time, times the
                             * same factor, and the last one again */
    uint8_t *in_order; /* per vertex */
} OrderedFans;

/* The skin must stay. Arrays come from `store`. */
StatusCode fans_build(OrderedFans *fans, const Skin *skin, Store *store, Status *status);

/* Finds those in order. */
void fans_find(OrderedFans *fans, Pool *pool, const Vec3 *x, const Vec3 *z);

#endif
