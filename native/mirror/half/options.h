/* What a caller may choose about halving a mesh, and how a vertex of his is embedded in the half. */
#pragma once

#include "base/memory.h"
#include "mirror/half/frame.h"
#include "mirror/symmetry/mirror_plane.h"

typedef enum HalfMode { HALF_EXACT, HALF_CUT } HalfMode;

typedef enum Closure {
    CLOSURE_FREE,  /* open fronts stay open */
    CLOSURE_ZIP,   /* the edges of the fronts meet on the plane */
    CLOSURE_BUTTON /* one front lies over the other */
} Closure;

typedef struct HalfOptions {
    HalfMode mode;
    bool find;         /* look for the best plane; its normal's largest coordinate is positive */
    MirrorPlane plane; /* else this one; its normal needs no length of 1, but a length */
    double tolerance;  /* m, as in symmetry.h; 0: choose */
    Closure closure;   /* of all open fronts; free: what links across the plane close, if any */
    int link_count;
    const struct Link *links; /* read while the half is built */
    double overlap;           /* m: how far the fronts of a button lie over each other */
    int over;                 /* 1: the kept side lies over the other, -1: under it */
    double gap;               /* m between the layers of a button; 0: choose */
    bool alike;               /* HALF_CUT: the sides are known to be alike and not looked at */
    bool
        quads; /* HALF_CUT: quads half of which is kept stay quads, for cloth that is woven of them */
} HalfOptions;

/* Where a vertex of the caller's mesh goes along: weighted vertices of the half, then `lift` along the half's unit
 * normal there and `rise` along the placket's direction (placket.h), then reflected if mirrored. Weights add up to 1;
 * beside a rim one may be below 0. Without a lift and with one weight of 1 it is that vertex, to the bit. The ride of
 * an extra vertex has vertices[0] = -1. */
typedef struct Ride {
    int32_t vertices[3];
    double weights[3];
    double lift; /* m */
    uint8_t mirrored;
    double rise; /* m, of a button; half_carry() adds what the strip needs besides */
} Ride;

static inline Vec3 ride_weighted(const Ride *ride, const Vec3 *values) {
    if (ride->weights[0] == 1) {
        return values[ride->vertices[0]]; /* to the bit */
    }
    Vec3 sum = vec3(0, 0, 0);
    for (int k = 0; k < 3; ++k) {
        sum = vec3_madd(sum, ride->weights[k], values[ride->vertices[k]]);
    }
    return sum;
}
