/* Bending by springs between vertices that are next but one: weak springs of type 2 [Choi and Ko 2002; Kim 2006, fig. 1].
 * Along the rows of quads they join the two neighbours of a vertex; where a side is not between two quads, the two
 * vertices opposite of it.
 *
 *   E = k/2 (|x_ij| - R)^2,   k = 36 mu / R^2
 *
 * R is the distance of the two with the faces between them laid flat, or as they lie where folds are kept. A row of edges
 * of length R/2 that bends to a curvature kappa shortens the spring by kappa^2 (R/2)^3 / 3, so the energy goes with the
 * fourth power of kappa and cannot be that of a sheet, mu kappa^2 / 2 per area. k makes both the same for a fold of
 * about a radian at each vertex, kappa = 2 / R. */
#pragma once

#include "laws/law.h"

typedef struct BendSpringLaw {
    Law law;
    double *rest_length; /* R, m */
    double *stiffness;   /* k, N/m */
    double *part;        /* 1/2 of what both halves of a mirrored cloth have, else 1 */
    /* Of half a mesh: springs from this one on join a vertex to its own mirror image. They only resist along x, but the
     * constant matrix has them along y and z, too. */
    int image_from;
} BendSpringLaw;

extern const LawKind bend_spring_kind;

/* Where they are not wanted the law has no elements. */
StatusCode bend_spring_law_build(const Mesh *mesh, bool wanted, bool keep_folds, Store *store,
                                 Law **law, Status *status);
