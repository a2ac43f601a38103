/* How far a length is from its rest, by three measures that agree to first order:
 *   engineering  r - 1          a spring of it is quadratic in the length: Hooke's
 *   Green        (r^2 - 1) / 2  biquadratic: that of Green and Lagrange, which St Venant and Kirchhoff's sheet is made of
 *   Hencky       ln r           logarithmic: compressed to nothing it takes infinite work
 * r is the length in rest lengths. */
#ifndef LAWS_STRAIN_H
#define LAWS_STRAIN_H

#include <math.h>

typedef enum StrainMeasure {
    STRAIN_AUTO, /* what the model is known with: engineering for edges, Green for membranes */
    STRAIN_ENGINEERING,
    STRAIN_GREEN,
    STRAIN_HENCKY
} StrainMeasure;

/* A measure and its derivatives by r. */
typedef struct Strain {
    double value, slope, bend;
} Strain;

/* Shorter than this Hencky's measure goes on in its tangent: vertices may meet, and forces stay finite. */
#define STRAIN_SHORTEST 0.05

/* The constant matrix has springs of the other two measures as stiff as they are between about nine and eleven tenths of
 * their length: further away a solve is shortened where it would raise the energy. */
#define STRAIN_WORKING 1.35

static inline Strain strain_by(StrainMeasure measure, double r) {
    if (measure == STRAIN_GREEN) {
        return (Strain){0.5 * (r * r - 1.0), r, 1.0};
    }
    if (measure == STRAIN_HENCKY) {
        double at = fmax(r, STRAIN_SHORTEST);
        return (Strain){log(at) + (r - at) / at, 1.0 / at, r < at ? 0.0 : -1.0 / (at * at)};
    }
    return (Strain){r - 1.0, 1.0, 0.0};
}

#endif
