/* The dense work of eliminating one panel from its front (see fronts.h). With
 *
 *   F = [ F1 .  ]        F1 = U' U,  V = U^-1
 *       [ F2 F3 ]
 *
 * it gives what the repeated solve wants of the panel (see pack.h), S = F1^-1 = V V' and B = F2 F1^-1, by way of
 * W = F2 V, and leaves F3 - W W' to the panel above. */
#ifndef LINEAR_ELIMINATE_H
#define LINEAR_ELIMINATE_H

#include "linear/fronts.h"

typedef struct Elimination {
    const Panel *panel;
    const Front *front;
    double *square;                          /* of the front */
    double *inverse, *below;                 /* S and -B: as in pack.h */
    double *wide;                            /* W, in groups of four rows of `own` columns each */
    double upper[PANEL_WIDTH * PANEL_WIDTH]; /* V by rows, PANEL_WIDTH apart */
    double negative[PANEL_WIDTH * PANEL_WIDTH]; /* -V' likewise */
} Elimination;

typedef struct EliminateKernels {
    /* S, V and -V'. Returns the first column with a pivot that is not positive, or -1. */
    int (*own)(Elimination *elimination);
    /* W and -B for groups begin..end of the rows below. */
    void (*divide)(const Elimination *elimination, int begin, int end);
    /* F3 -= W W' for groups begin..end of its rows; `begin` is even. */
    void (*subtract)(const Elimination *elimination, int begin, int end);
} EliminateKernels;

/* The fastest that this machine has. */
EliminateKernels eliminate_kernels(void);

#endif
