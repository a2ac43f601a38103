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

/* Triangles are taken two at a time; a last one alone gets another that has no area. */
#define AIR_GROUP 2

typedef struct AirModel {
    int group_count;
    int *vertices;         /* of each group: its first corners, then its second, then its third */
    double *third;         /* of the area at rest, m^2 */
    Vec3 *push;            /* force on each corner of a triangle, N */
    int *start, *triangle; /* triangles of each vertex */
} AirModel;

StatusCode air_model_build(AirModel *model, const Mesh *mesh, Store *store, Status *status);

/* What the wind does to each triangle of a cloth at x with velocities v. */
void air_model_push(AirModel *model, Pool *pool, const Wind *wind, const Vec3 *x, const Vec3 *v);

/* The force of that on one vertex, N. */
static inline Vec3 air_model_force(const AirModel *model, int vertex) {
    Vec3 force = vec3(0, 0, 0);
    for (int p = model->start[vertex]; p < model->start[vertex + 1]; ++p) {
        force = vec3_add(force, model->push[model->triangle[p]]);
    }
    return force;
}

#endif
