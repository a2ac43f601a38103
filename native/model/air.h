/* Wind on triangles: linear drag across and along the cloth.
 * f = area (c_n (w.n) n + c_t (w - (w.n) n)), w = wind - velocity of the triangle, a third to each
 * corner. Taken at the step's start; the matrix gets max(c_n, c_t) per area on the change of
 * velocity, which bounds the true derivative, so that no wind or step length can make it unstable. */
#ifndef MODEL_AIR_H
#define MODEL_AIR_H

#include "base/parallel.h"
#include "mesh/mesh.h"

typedef struct Wind {
    Vec3 velocity;                    /* m/s */
    double normal_drag, tangent_drag; /* N s/m^3 */
} Wind;

typedef struct AirModel {
    int count;
    int *vertices; /* 3 x count */
    double *area;  /* at rest, m^2 */
    Vec3 *push;    /* force on each corner of a triangle, N */
    int vertex_count;
    int *start, *triangle; /* triangles of each vertex */
} AirModel;

StatusCode air_model_build(AirModel *model, const Mesh *mesh, Store *store, Status *status);

/* Adds the wind's force to `force`. */
void air_model_add_force(AirModel *model, Pool *pool, const Wind *wind, const Vec3 *x,
                         const Vec3 *v, Vec3 *force);

#endif
