/* The plane in which a cloud of points is most nearly its own mirror image. */
#ifndef MIRROR_SYMMETRY_PLANE_SEARCH_H
#define MIRROR_SYMMETRY_PLANE_SEARCH_H

#include "mirror/symmetry/neighbours.h"
#include "mirror/symmetry/places.h"

/* Tries x = 0, then planes across the axes and the principal axes, through the mean and the middle of the box, and
 * planes between vertices with edges of the same lengths; each as it is and fitted to the vertices that it
 * brings together. The one with the most vertices within `tolerance` of an image wins, the earlier of equal
 * ones. `mean_edge` (m) says from how far off a plane may be drawn in; `size` (m) is that of the mesh. `places`
 * and `pairs`, one a vertex, are overwritten. Returns -1 without memory, else 0. */
int plane_search(Places *places, int (*pairs)[2], const Vec3 *positions,
                 const Neighbours *neighbours, double tolerance, double mean_edge, double size,
                 MirrorPlane *plane);

/* The plane that brings these pairs together best, in the sense of least squares: of all planes the one with
 * the least sum of |image of a - b|^2, each pair seen from both sides. `pairs` holds two vertices each; returns
 * `otherwise` for fewer than three. `size` (m) keeps the numbers near 1. */
MirrorPlane plane_fit(const Vec3 *positions, const int (*pairs)[2], int count, double size,
                      MirrorPlane otherwise);

#endif
