/* A law of the cloth: a table of elements and a kind with few functions.
 *
 * A law measures each of its elements by linear maps s_r = sum_c w_rc x_c (an edge vector, the axes of a fabric, a
 * bending vector), its rows, and has an energy of these. Its tension is minus the energy's derivative by s_r; the force
 * on a vertex is the sum of its weights times tensions. A kind of law has three functions:
 *   set_material   how stiff its elements are now,
 *   evaluate       tensions and energy of one element,
 *   hessian        the clamped second derivative by its rows.
 * Everything that solves, assembles, samples or measures loops over laws and knows none of them by name.
 *
 * The optional functions are faster ways to the same. CONTRIBUTING.md says how to add a law. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/parallel.h"
#include "base/status.h"
#include "base/vec3.h"
#include "laws/material.h"
#include "linear/matrix.h"
#include "mesh/mesh.h"

/* Where a direction will point at the end of the step [Choi 2013, ch. 3.2 and 4.3].
 * A local step is taken at positions z. In most cases the targets point along what z shows: z is the
 * last state (previous direction), the vertices flown on (inertial translation), or the newest
 * iterate. Inertial rotation instead turns each direction on as it has turned so far. */

#define GUESS_HISTORY 5 /* states kept: the present one and one before each of four coefficients */

typedef struct Guess {
    const Vec3 *z;       /* where the tensions are measured */
    const Vec3 *present; /* state at the step's start: first fallback for a vanishing direction */
    bool turning;        /* inertial rotation from the history below */
    int coefficient_count;
    double coefficients[GUESS_HISTORY - 1];
    const Vec3 *history[GUESS_HISTORY]; /* newest first; history[0] is `present` */
} Guess;

/* The vector turned from `from` to `to`: angle times unit axis, by atan2 so that small and nearly
 * straight angles are exact; zero where the axis is undefined. */
Vec3 guess_turn(Vec3 from, Vec3 to);

/* Rodrigues: v turned by `rotation`. */
Vec3 guess_rotate(Vec3 rotation, Vec3 v);

/* Direction (not normalised) expected next for a vector that was seen as s[0] (newest), s[1], ...:
 * s[0] turned by sum_m coefficient_m turn(s[m+1], s[m])   [Choi 3.5 to 3.11]. */
Vec3 guess_turned(const Guess *guess, const Vec3 *seen);

/* Largest numbers of rows and corners of a law; the smaller ones are for laws with a Hessian. */
#define LAW_ROWS 5
#define LAW_HESSIAN_ROWS 2
#define LAW_WIDTH 32
#define LAW_HESSIAN_WIDTH 4

typedef struct Law Law;

/* Second derivative by the first row twice, by both, and by the second twice. */
typedef struct LawHessian {
    Block uu, uv, vv;
} LawHessian;

/* How parcels (parcels.h) go through an element. */
typedef enum LawPath {
    LAW_ONE_BY_ONE, /* by evaluate() */
    LAW_MATRIX, /* its force is linear in the places and vanishes at the origin: all together a matrix */
    LAW_WIDE, /* several at once by a wide kernel */
    LAW_PATHS,
    LAW_NO_PATH = LAW_PATHS /* it has no force and only stands in the constant matrix */
} LawPath;

/* The kernels of system/parcel_forces.c: the first calls evaluate() for each element, the others are of one law each. */
typedef enum ParcelKernel {
    KERNEL_EVALUATE,
    KERNEL_EDGES,
    KERNEL_TRIANGLES,
    KERNEL_MEMBRANES,
    KERNEL_HINGES,
    KERNEL_CURVED,
    KERNEL_PAIRS,
    KERNEL_MOMENTS,
    KERNEL_CURVED_MOMENTS,
    PARCEL_KERNELS
} ParcelKernel;

#define LAW_WIDE_NUMBERS 64
typedef struct LawWide {
    ParcelKernel kernel;
    int numbers;        /* that it reads of each element, and more for each corner: */
    int corner_numbers; /* together at most LAW_WIDE_NUMBERS */
    uint64_t stiffness; /* bits: which of them are zero in an element that fills up */
    void (*pack)(const Law *law, int e, double *number);
} LawWide;

/* The elements that the coarse level (solver/coarse/samples.c) samples. */
typedef enum LawSampling {
    LAW_SAMPLE_ALL,    /* each, for itself: a law of few elements */
    LAW_SAMPLE_SEEDS,  /* all at the seed of a patch, together for all of their family there */
    LAW_SAMPLE_LARGEST /* the largest at the seed of a patch, for all there */
} LawSampling;
#define LAW_FAMILIES 2

/* Three kinds of stiffness of an element. */
typedef enum LawStiffness {
    STIFFNESS_BOUND, /* in the constant matrix, with the elements of other laws that it represents there */
    STIFFNESS_OWN, /* its own alone */
    STIFFNESS_SMOOTH, /* against smooth motion, for the coarse level, also with those that it represents */
    STIFFNESSES
} LawStiffness;

/* The second derivative that an iteration uses: as published for springs; for laws without such a form that of hessian() or
 * of the constant matrix. */
typedef enum Jacobian {
    JACOBIAN_NONE,   /* nothing: the force alone */
    JACOBIAN_SCALAR, /* the constant matrix's numbers, times the identity [Desbrun et al. 1999] */
    JACOBIAN_ALONG,  /* along a spring alone, whatever its length [Kang and Cho 2002] */
    JACOBIAN_SMOOTHED, /* as hessian(), fading out below the rest length of springs that give way [Kim 2006, eq. 9] */
    JACOBIAN_CLAMPED /* hessian() */
} Jacobian;

/* The second derivative of a spring in short: across I + along d d'. */
typedef struct SpringHessian {
    double across, along;
    Vec3 d;
} SpringHessian;

typedef struct LawKind {
    const char *name; /* of many, for messages: "triangles" */

    void (*set_material)(Law *law, const Material *material, const Scales *scales);

    /* Tensions (one a row) of element e at guess->z with targets as guessed. Returns its energy at those, J. */
    double (*evaluate)(const Law *law, int e, const Guess *guess, Vec3 *tension);

    /* scale times the second derivative at x, its negative part clamped; false where it vanishes. A law of one row has
     * `uu` alone; of `uv` the coarse level takes the upper half for all of it, see coarse_hessian. Null: it is constant, and what the
     * constant matrix has. */
    bool (*hessian)(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian);
    /* Optional: the same with multiplications and additions fused, for the coarse level, which is as good with any
     * rounding (fused_hessians.c). */
    bool (*fused_hessian)(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian);

    /* Optional: a second derivative with a symmetric `uv`, for the coarse level, where that of hessian() is not. */
    bool (*coarse_hessian)(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian);

    /* Optional, of springs from their first vertex to their second: hessian() in short, or what JACOBIAN_ALONG or
     * JACOBIAN_SMOOTHED has in its place. All zeros where it vanishes. */
    void (*spring_hessian)(const Law *law, int e, const Vec3 *x, Jacobian jacobian, double scale,
                           SpringHessian *hessian);

    /* Optional: whether an element is a part of the surface, so that what it pulls with is tension of the cloth. The rows
     * of one of three corners are warp and weft. Null: none is. */
    bool (*in_surface)(const Law *law, int e);

    /* Optional: what all elements share at x; called before they are evaluated there. */
    void (*prepare)(const Law *law, Pool *pool, const Vec3 *x);

    /* Optional: updates the element's state, Law.memory, after a substep that ended at x. It may only lower its energy. */
    void (*remember)(const Law *law, int e, const Vec3 *x);

    /* Optional: prefetches the data that hessian() reads of an element. */
    void (*prefetch)(const Law *law, int e);

    /* Optional: what row `corner` of the element's constant matrix has, N/m, `width` numbers. Null: that of the bounds,
     * sum_r bound_r w_rc w_rd, or of what the law has for other kinds of stiffness. */
    void (*stiffness)(const Law *law, int e, int corner, double *value);

    /* Optional: whether an element of a law without Hessian resists along x, and along y and z. Null: all do. */
    void (*axes)(const Law *law, int e, bool *along_x, bool *across);

    /* Optional: the conventional law at x, where another energy or another rounding belongs to it than to evaluate().
     * Its second derivative is not scaled. */
    void (*conventional)(const Law *law, int e, const Vec3 *x, Vec3 *tension);
    /* Returns the sum with the element's energy, J. */
    double (*add_energy)(const Law *law, int e, const Vec3 *x, double sum);
    void (*conventional_hessian)(const Law *law, int e, const Vec3 *x, LawHessian *hessian);

    /* Optional: tensions that are minus the second derivative at x times d. */
    void (*hessian_product)(const Law *law, int e, const Vec3 *x, const Vec3 *d, Vec3 *tension);

    /* Optional: for parcels. Null: all elements one by one. */
    LawPath (*path)(const Law *law, int e);
    const LawWide *wide;
    ParcelKernel one_by_one; /* for those of this path */

    /* For the coarse level. The size of an element and its family, below LAW_FAMILIES, are asked where patches are
     * shared out. */
    LawSampling sampling;
    double (*size)(const Law *law, int e);
    int (*family)(const Law *law, int e);
} LawKind;

struct Law {
    const LawKind *kind;
    int part;                  /* of the cloth, whose material it has */
    int count, width, rows;    /* elements; vertices of each; maps of each */
    int *vertices;             /* width x count */
    int *corners;              /* of each element, if some have less than `width`; null: all have.
                                * Vertices that fill up follow, without weight */
    double *weights[LAW_ROWS]; /* each width x count */
    double *bound;        /* rows x count, N/m-like: may be null if the kind has a stiffness() */
    double *own, *smooth; /* likewise, for the two other kinds of stiffness; null: as the bound */
    bool beyond_matrix; /* its elements are not in the constant matrix: others stand in for them */
    /* Elements from this one on are across the mirror plane of half a mesh (mesh.h): of laws of one row, with bounds. */
    int crossing_from;
    /* Per vertex: what its element keeps from substep to substep, three numbers; null: none. */
    Vec3 *memory;
    int skipped; /* elements that the mesh has, but that could not be built */
    /* Its force alone may do where steps are short: its place in a matrix can be left out. */
    bool weak;
    bool unbounded;      /* its second derivative may exceed the bounds: solves are safeguarded */
    bool rows_only;      /* parcels cannot evaluate it */
    bool has_convention; /* its conventional energy is another one than that of evaluate() */
    int first_row;
    Vec3 *tension; /* rows x count: its part of Rows.tension */
    int *slots;    /* width^2 x count: block slots, once law_find_slots() has been called */
};

static inline const int *law_vertices(const Law *law, int e) {
    return law->vertices + (size_t)law->width * (size_t)e;
}

static inline int law_corners(const Law *law, int e) {
    return law->corners ? law->corners[e] : law->width;
}

static inline const double *law_weights(const Law *law, int row, int e) {
    return law->weights[row] + (size_t)law->width * (size_t)e;
}

/* How many numbers the wide kernel reads of each element. */
static inline int law_wide_numbers(const Law *law) {
    const LawWide *wide = law->kind->wide;
    return wide ? wide->numbers + wide->corner_numbers * law->width : 0;
}

/* Takes vertices, weights and bounds for `count` elements; false if there is no memory. The law has none yet: whoever
 * builds it counts up Law.count. */
bool law_take(Law *law, const LawKind *kind, int count, int width, int rows, Store *store);

/* s_r at x. */
static inline Vec3 law_measure(const Law *law, int row, int e, const Vec3 *x) {
    const double *weights = law_weights(law, row, e);
    const int *vertices = law_vertices(law, e);
    Vec3 sum = vec3_scale(weights[0], x[vertices[0]]);
    for (int c = 1; c < law->width; ++c) {
        sum = vec3_madd(sum, weights[c], x[vertices[c]]);
    }
    return sum;
}

/* For kinds all of whose elements are parts of the surface; for those of two rows, as LawKind.prefetch. */
bool law_all_in_surface(const Law *law, int e);
void law_prefetch(const Law *law, int e);

/* --- whole laws: what the kind has, or what follows from evaluate() and hessian() -------------- */

/* What the elements share at x, if the kind has it; call it before evaluating elements one by one. */
void law_prepare(const Law *law, Pool *pool, const Vec3 *x);

/* Leaves the tensions of all elements in the rows; returns their energy, J. */
double law_local_step(Law *law, Pool *pool, const Guess *guess);
/* Likewise of the conventional law. */
void law_conventional_step(Law *law, Pool *pool, const Vec3 *x);
/* Energy of the conventional law, J. */
double law_energy(const Law *law, Pool *pool, const Vec3 *x);
/* Leaves tensions whose forces are minus the second derivative at x, times d. */
void law_hessian_product(Law *law, Pool *pool, const Vec3 *x, const Vec3 *d);

/* Updates the state of all elements after a substep that ended at x. */
void law_remember(Law *law, Pool *pool, const Vec3 *x);

/* Row `corner` of an element's constant matrix, N/m. */
void law_stiffness(const Law *law, LawStiffness which, int e, int corner, double *value);

/* The bounds, or the law's own stiffness. */
static inline const double *law_bounds(const Law *law, LawStiffness which) {
    return which == STIFFNESS_OWN && law->own         ? law->own
           : which == STIFFNESS_SMOOTH && law->smooth ? law->smooth
                                                      : law->bound;
}

/* Lists, for each vertex, the corners of elements where it stands, width x element + place: `start` has vertex_count + 1
 * numbers and comes in as zeros, `corner` has width x count. */
void law_list_corners(const Law *law, int vertex_count, int *start, int *corner);

/* The second derivative of the conventional law at x, of which `left` times the Hessian is `scale` times the whole; false
 * where it vanishes. Of laws with a Hessian. */
bool law_jacobian(const Law *law, int e, const Vec3 *x, double scale, LawHessian *hessian,
                  double *left);

/* to += scale times what a Hessian has for the corners c and d of element e. Of laws of one row `hessian` is `uu` alone, of
 * others all blocks of a LawHessian. */
void law_add_pair(const Law *law, int e, int c, int d, double scale, const Block *hessian,
                  Block *to);

/* For the conventional solver: where the blocks of all elements are, and adding scale times their second derivatives.
 * Laws without a Hessian have neither. */
StatusCode law_find_slots(Law *law, const BlockMatrix *blocks, Store *store, Status *status);
void law_add_hessian(const Law *law, const Vec3 *x, double scale, BlockMatrix *blocks);

/* --- parcels: the data of a law's kernels ----------------------------------------------------- */

/* Vertices a parcel has at most. */
#define PARCEL_VERTICES 448
/* Bytes from one vertex to the next inside: three numbers, and one that fills up. */
#define PARCEL_STRIDE 32
/* Elements whose numbers lie together, each number of all of them side by side. Parcels are filled up with elements
 * that have no stiffness. */
#define PARCEL_GROUP 4

/* What the parcels hold of the elements of one law that go the same path, in their order. */
typedef struct ParcelElements {
    const Law *law;
    int width;   /* corners, at most; those with more of them come first in a parcel */
    int numbers; /* per element, for the wide kernel */
    int *start;  /* per parcel, a multiple of PARCEL_GROUP; parcel_count + 1 */
    int *source; /* the element in its law; -1: fills up */
    /* PARCEL_STRIDE times the place in the parcel: groups of width x PARCEL_GROUP */
    uint16_t *corner;
    double *number; /* groups of numbers x PARCEL_GROUP */
} ParcelElements;

/* Where the corners of element `at` begin: PARCEL_GROUP numbers apart. */
static inline int parcel_corners_from(const ParcelElements *elements, int at) {
    return elements->width * (at - at % PARCEL_GROUP) + at % PARCEL_GROUP;
}

static inline const uint16_t *parcel_corner(const ParcelElements *elements, int at) {
    return elements->corner + parcel_corners_from(elements, at);
}
