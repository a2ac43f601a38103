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

/* Numbers of links and joints, one array each so that several are reckoned at once. A thread has a slot for each of its
 * vertices, the link from there to the next, and the joint there. Before its first slot is one more, behind its last are
 * two: what follows there in a closed thread, and nothing in an open one. */
enum { LINK_ACROSS, LINK_ALONG, LINK_X, LINK_Y, LINK_Z, LINK_NUMBERS };
enum {
    JOINT_BEFORE, /* s = behind e - before (the e before), t = mean (both) */
    JOINT_BEHIND,
    JOINT_MEAN,
    JOINT_ROUND, /* the rest as in JointCurve */
    JOINT_STRETCH,
    JOINT_SS,
    JOINT_ST,
    JOINT_TT,
    JOINT_NUMBERS
};
enum {
    CELL_ALONG, /* weights of the sums of two sides, 1/m */
    CELL_UP,
    CELL_U, /* three each */
    CELL_V = CELL_U + 3,
    CELL_KEEP = CELL_V + 3, /* as in CellCurve, the first times 4, the last three over |u x v|^2 */
    CELL_SHEAR,
    CELL_ACROSS,
    CELL_NUMBERS = CELL_ACROSS + 3
};

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
    int *first;                                        /* per thread: its first slot */
    int *vertices;                                     /* per slot */
    int *link_element, *joint_element;                 /* per slot: of the laws; -1: none */
    double *link[LINK_NUMBERS], *joint[JOINT_NUMBERS]; /* per slot */
    double *cell[CELL_NUMBERS];                        /* per cell */
    int *low, *high; /* vertices along a strip, one more than it has cells: from cell + strip on */
    Bundles threads, strips;
    Block *diagonal; /* per vertex */
} Strands;

/* For a system of MODEL_WOVEN. */
StatusCode strands_build(Strands *strands, const System *system, const Weave *weave, Store *store,
                         Status *status);

/* Runs a task over the bundles of one layer after the other; it finds the layer's first one in `first`. */
void strands_run(const Bundles *bundles, Pool *pool, PoolTask task, void *context, int *first);

/* scale times the clamped second derivative at x, and its diagonal blocks. */
void strands_refresh(Strands *strands, Pool *pool, double scale, const Vec3 *x);

/* product = own v + that second derivative times v, with one number `own` for each vertex. */
void strands_multiply(const Strands *strands, Pool *pool, const double *own, const Vec3 *v,
                      Vec3 *product);

/* What the numbers of a product take, bytes. */
size_t strands_bytes(const Strands *strands);

#endif
