/* What the cloth is made of: its numbers, which the build makes from the table of settings, and maps of them. */
#pragma once

#include <stdbool.h>

#include "base/status.h"
#include "laws/material_fields.h"

/* Refuses a material of which no cloth can be made, where that takes more than one of its numbers to see. */
StatusCode material_check(const Material *material, Status *status);

/* Per-vertex factors, each null or vertex_count long. An element takes the mean of its vertices. */
typedef struct Scales {
    const double *mass, *stretch, *bend;
    const double *size;  /* of the rest shape: lengths at rest times this */
    double gravity;      /* that the cloth is made for, m/s^2; 0: the Earth's */
    const double *clamp; /* of the curvature at a vertex: see system_hold() in system.h */
    /* Per part: what is in stretch and bend already, for laws that have neither. */
    const double *whole;
} Scales;

static inline double scale_mean(const double *scale, const int *vertices, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += scale[vertices[i]];
    }
    return sum / count;
}
