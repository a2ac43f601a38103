/* What a caller may choose about halving a mesh; down here because every part of it asks. */
#ifndef MIRROR_HALF_HALF_OPTIONS_H
#define MIRROR_HALF_HALF_OPTIONS_H

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
    Closure closure;
    double overlap; /* m: how far the fronts of a button lie over each other */
    int over;       /* 1: the kept side lies over the other, -1: under it */
    double gap;     /* m between the layers of a button; 0: choose */
    bool alike;     /* HALF_CUT: the sides are known to be alike and not looked at */
    bool
        quads; /* HALF_CUT: quads half of which is kept stay quads, for cloth that is woven of them */
} HalfOptions;

#endif
