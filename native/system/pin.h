/* Soft pins: each vertex pulled to its target by k/2 |x - target|^2, k zero where there is none.
 * No law: what they add to the equation of a substep stands on the diagonal and is not damped with the cloth's
 * stiffness, so the substep adds it vertex by vertex. */
#ifndef SYSTEM_PIN_H
#define SYSTEM_PIN_H

#include "base/vec3.h"

typedef struct SoftPins {
    double *stiffness;  /* per vertex, N/m */
    const Vec3 *target; /* per vertex, m; the system's */
} SoftPins;

/* Adds scale times the energy's gradient at a vertex that is at z; returns scale times the energy. */
static inline double soft_pins_add(const SoftPins *pins, int vertex, double scale, Vec3 z,
                                   Vec3 *gradient) {
    if (!(pins->stiffness[vertex] > 0)) {
        return 0.0;
    }
    double pull = scale * pins->stiffness[vertex];
    Vec3 away = vec3_sub(z, pins->target[vertex]);
    *gradient = vec3_madd(*gradient, pull, away);
    return 0.5 * pull * vec3_dot(away, away);
}

#endif
