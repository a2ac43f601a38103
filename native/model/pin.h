/* Soft pins: each vertex pulled to its target by k/2 |x - target|^2, k zero where there is none.
 * A law of single vertices. What it adds to the equation of a substep stands on the diagonal and is not damped with the
 * cloth's stiffness, so the substep adds it vertex by vertex instead of gathering it from rows. */
#ifndef MODEL_PIN_H
#define MODEL_PIN_H

#include "model/law.h"

typedef struct PinLaw {
    Law law;            /* an element for each vertex; bounds: stiffness, N/m */
    const Vec3 *target; /* per vertex, m */
} PinLaw;

extern const LawKind pin_kind;

/* The targets stay the caller's. */
StatusCode pin_law_build(PinLaw *pins, int vertex_count, const Vec3 *target, Store *store,
                         Status *status);

/* Adds scale times the energy's gradient at a vertex that is at z; returns scale times the energy. */
static inline double pin_law_add(const PinLaw *pins, int vertex, double scale, Vec3 z,
                                 Vec3 *gradient) {
    if (!(pins->law.bound[vertex] > 0)) {
        return 0.0;
    }
    double pull = scale * pins->law.bound[vertex];
    Vec3 away = vec3_sub(z, pins->target[vertex]);
    *gradient = vec3_madd(*gradient, pull, away);
    return 0.5 * pull * vec3_dot(away, away);
}

#endif
