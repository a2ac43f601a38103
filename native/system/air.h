/* Air on triangles: drag across and along the cloth, taken at the substep's start.
 *
 * f = area (a_n w_n + a_t w_t), w = wind - velocity of the triangle, w_n its part across and w_t along the cloth; a
 * third to each corner. With the linear law a is the coefficient itself, with the square law times |w_n| or |w_t|.
 *
 * Where a wind blows, the square law has Rayleigh's plate for the part across:
 *
 *   a_n = c_n q^2 (4 + pi) / (4 q + pi |w_n|),   q^2 = w_n^2 + min(|w_t|^2, |air|^2)
 *
 * Broadside that is c_n |w_n|. At a small angle it is 1.8 c_n q: flow that follows the cloth is turned aside by it, and
 * presses in proportion to the angle, not to its square. So a wave that travels along the cloth more slowly than the
 * wind is driven by it, and a flag flutters. With |w_n| alone, small waves feel nothing but the damping of the
 * substeps. In still air q is |w_n|: a garment that moves for a moment has no flow of its own along it yet.
 *
 * What the start's force lacks of the end's is made up by a drag b per area on the change of velocity, which the matrix
 * holds: the linear law has b = max(c_n, c_t). It acts on every motion, whatever its cause, so the square law has none:
 * in a strong wind it would hold up gravity, too. There a is at most 3/4 rho / h instead, rho the cloth's mass per area:
 * then no triangle is driven beyond the wind's own speed, and no wind or step length makes it unstable. With two
 * substeps of a frame that is the drag of cotton at 9 m/s across the cloth; beyond, the force grows with the speed. */
#pragma once

#include "base/parallel.h"
#include "mesh/mesh.h"

typedef enum DragLaw { DRAG_LINEAR, DRAG_SQUARE } DragLaw;

typedef struct Wind {
    Vec3 velocity;                    /* m/s */
    double normal_drag, tangent_drag; /* N/m^2 at 1 m/s */
    DragLaw law;
} Wind;

/* Triangles are taken two at a time; a last one alone gets another that has no area. */
#define AIR_GROUP 2

typedef struct AirModel {
    int group_count;
    int *vertices;         /* of each group: its first corners, then its second, then its third */
    double *third;         /* of the area at rest, m^2 */
    double *density;       /* of each triangle: the least mass per area of its corners, kg/m^2 */
    Vec3 *push;            /* force on each corner of a triangle, N */
    int *start, *triangle; /* triangles of each vertex */
} AirModel;

StatusCode air_model_build(AirModel *model, const Mesh *mesh, Store *store, Status *status);

/* After the masses have changed: mass and area of each vertex, kg and m^2. */
void air_model_set_masses(AirModel *model, const double *mass, const double *area);

/* The drag on the change of velocity, N s/m^3. */
double wind_bound(const Wind *wind);

/* What the wind does to each triangle of a cloth at x with velocities v, in a substep of length h. gusts: per vertex, m/s, what
 * blows there besides, of which a triangle feels the mean; null: nothing. */
void air_model_push(AirModel *model, Pool *pool, const Wind *wind, const Vec3 *gusts, double h,
                    const Vec3 *x, const Vec3 *v);

/* The force of that on one vertex, N. */
static inline Vec3 air_model_force(const AirModel *model, int vertex) {
    Vec3 force = vec3(0, 0, 0);
    for (int p = model->start[vertex]; p < model->start[vertex + 1]; ++p) {
        force = vec3_add(force, model->push[model->triangle[p]]);
    }
    return force;
}
