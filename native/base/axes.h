/* Principal axes of a cloud of points, from its symmetric 3 x 3 matrix of second moments. */
#ifndef BASE_AXES_H
#define BASE_AXES_H

#include "base/vec3.h"

/* Eigenvectors of m, which is destroyed, and their eigenvalues (never negative), largest first. */
void principal_axes(double m[3][3], Vec3 *axis, double *spread);

#endif
