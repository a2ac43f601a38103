/* What the cloth is made of, as the laws need it: see MuslinMaterial for the meaning and units. */
#ifndef MODEL_MATERIAL_H
#define MODEL_MATERIAL_H

typedef struct Material {
    double density;                    /* kg/m^2 */
    double stretch_warp, stretch_weft; /* N/m */
    double shear;                      /* N/m */
    double bend;                       /* N m */
    double rope_density;               /* kg/m */
    double rope_stretch;               /* N */
    double damping;                    /* 1/s */
    double stiffness_damping;          /* s */
    double air_drag;                   /* N s/m^3 */
    double pin_stiffness;              /* 1/s^2 */
} Material;

/* Per-vertex factors, each null or vertex_count long. An element takes the mean of its vertices. */
typedef struct Scales {
    const double *mass, *stretch, *bend;
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
