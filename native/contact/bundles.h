/* The skin's triangles and edges in bundles of neighbours: a box around what a bundle sweeps in a substep rules out all
 * of them at once. An item is a triangle, or an edge: these are numbered after the triangles. */
#ifndef CONTACT_BUNDLES_H
#define CONTACT_BUNDLES_H

#include "base/parallel.h"
#include "contact/skin.h"
#include "geometry/box.h"

#define BUNDLE_ITEMS 256

typedef struct Bundles {
    int count;           /* bundles; each has BUNDLE_ITEMS items, the last one the rest */
    int item_count;      /* all */
    int *start, *ranges; /* per bundle: the ranges of vertices that its items have corners in */
    int range_count, vertex_count;
    Box *boxes; /* per range: what its vertices sweep */
} Bundles;

/* Arrays come from `store`. Bundles are good where neighbours have near numbers; the boxes are right in any case. */
StatusCode bundles_build(Bundles *bundles, const Skin *skin, Store *store, Status *status);

/* For a substep in which the vertices go from x to z. */
void bundles_sweep(Bundles *bundles, Pool *pool, const Vec3 *x, const Vec3 *z);

/* Around all that the items of a bundle sweep. */
Box bundles_box(const Bundles *bundles, int bundle);

/* The first item of a bundle; that of the next one ends it. */
static inline int bundles_begin(const Bundles *bundles, int bundle) {
    return bundle < bundles->count ? bundle * BUNDLE_ITEMS : bundles->item_count;
}

#endif
