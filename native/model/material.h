/* What the cloth is made of: its numbers, which the build makes from the table of settings, and maps of them. */
#ifndef MODEL_MATERIAL_H
#define MODEL_MATERIAL_H

#include "model/material_fields.h"

/* Per-vertex factors, each null or vertex_count long. An element takes the mean of its vertices. */
typedef struct Scales {
    const double *mass, *stretch, *bend;
    const double *
        whole; /* per part of the cloth: what is in stretch and bend already, for laws that have neither */
} Scales;

static inline double scale_mean(const double *scale, const int *vertices, int count) {
    if (!scale) {
        return 1.0;
    }
    double sum = 0;
    for (int i = 0; i < count; ++i) {
        sum += scale[vertices[i]];
    }
    return sum / count;
}

#endif
