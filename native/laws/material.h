/* What the cloth is made of: its numbers, which the build makes from the table of settings, and maps of them. */
#ifndef LAWS_MATERIAL_H
#define LAWS_MATERIAL_H

#include <stdbool.h>

#include "laws/material_fields.h"

/* Per-vertex factors, each null or vertex_count long. An element takes the mean of its vertices. */
typedef struct Scales {
    const double *mass, *stretch, *bend;
    const double *size;  /* of the rest shape: lengths at rest times this */
    double gravity;      /* that the cloth is made for, m/s^2; 0: the Earth's */
    const double *clamp; /* of the curvature at a vertex: see system_hold() in system.h */
    const double *
        whole; /* per part of the cloth: what is in stretch and bend already, for laws that have neither */
} Scales;

static inline double scale_mean(const double *scale, const int *vertices, int count) {
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += scale[vertices[i]];
    }
    return sum / count;
}

#endif
