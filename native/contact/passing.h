/* How far the cloth and bodies move past each other in a frame: what decides how many substeps it takes.
 *
 * A body that moves with the cloth, or far away from it, does not matter. So clusters of its surface are compared with the
 * patches of cloth near them (body/clusters.h): how far do the vertices of a patch fly beside what the cluster would move
 * them by? A substep may take up to half of the thickness and an edge of the cloth: then edges and faces see each other
 * before they have passed. Lengths are in m. */
#pragma once

#include "contact/body/contact_plane.h"

typedef struct Passing {
    double *edge;   /* per patch: mean edge of the cloth at rest */
    double *wanted; /* per patch: scratch */
    int patch_count;
} Passing;

/* Arrays come from `store`; `reach` is built. */
StatusCode passing_build(Passing *passing, const Skin *skin, const Reach *reach, Store *store,
                         Status *status);

/* Substeps that a frame needs so that none takes more, from 0, where nothing passes. Vertices at x would fly to z, and the
 * clusters of the bodies have moved through the frame. `least`: what is fewer need not be exact. */
double passing_measure(const Passing *passing, Pool *pool, Reach *reach, Collider *const *bodies,
                       int body_count, const Vec3 *x, const Vec3 *z, double least);
