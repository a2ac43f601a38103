/* The second derivative of woven cloth without a matrix [KIST 2008, implicit data structure].
 * Of a link between two vertices of a thread are kept two numbers and its vector d:
 *
 *   G e = across e + along (d . e) d,     across = k max(0, 1 - l0/l),  along = (k - across)/l^2
 *
 * for a stretched link minus the slides' G, which leave l0/l out of the second term; a compressed one keeps its stiffness
 * along d only, since it buckles. Where links meet in a joint (model/joint.h) a few more numbers say how the thread bends:
 * s and t are sums of the links' d. A product goes along each thread with the difference e of its vertices and hands on
 * what the links pull with: U of the warp threads, then V of the weft threads through their lists of vertices, which are
 * the permutation: J v = U v + P' V P v. Cells (model/cell.h) go along strips between threads in the same way.
 *
 * Threads of one layer of the weave share no vertex and are gone through side by side, layer after layer: the same bytes
 * for any number of CPU threads. */
#ifndef SOLVER_THREADS_STRANDS_H
#define SOLVER_THREADS_STRANDS_H

#include "linear/block.h"
#include "model/cell.h"
#include "model/edge.h"
#include "model/joint.h"
#include "model/system.h"

typedef struct Link {
    double across, along;
    Vec3 d; /* m */
} Link;

typedef struct Joint {
    double before, behind,
        mean; /* 1/m^2, 1/m^2, 1/m: s = behind e - before e_before, t = mean of both */
    double round, stretch, ss, st, tt; /* as in JointCurve */
} Joint;

typedef struct StrandCell {
    double along, up; /* 1/m: weights of the sums of two sides */
    Vec3 u, v;
    double keep, shear;
    double across[3]; /* over |u x v|^2 */
} StrandCell;

/* Items that one CPU thread goes through: threads or strips of one layer. */
typedef struct Bundles {
    int *start;    /* in items; each layer begins a new one */
    Layers layers; /* in bundles */
} Bundles;

typedef struct Strands {
    const Weave *weave;
    const EdgeLaw *links;
    const JointLaw *joints;
    const CellLaw *cells;
    int vertex_count;
    int *link_element, *joint_element; /* per slot of the weave: of the laws; -1: none */
    Link *link;
    Joint *joint;
    StrandCell *cell;
    Bundles threads, strips;
    Block *diagonal; /* per vertex */
} Strands;

/* For a system of MODEL_WOVEN. */
StatusCode strands_build(Strands *strands, const System *system, const Weave *weave, Store *store,
                         Status *status);

/* scale times the clamped second derivative at x, and its diagonal blocks. */
void strands_refresh(Strands *strands, Pool *pool, double scale, const Vec3 *x);

/* product = own v + that second derivative times v, with one number `own` for each vertex. */
void strands_multiply(const Strands *strands, Pool *pool, const double *own, const Vec3 *v,
                      Vec3 *product);

#endif
