/* Bending by the curvature of the cloth at its vertices.
 *
 * curvature_fit.h has the second derivatives x_uu, x_vv, x_uv of the cloth at a vertex as weighted sums of the places
 * around it. Along warp and weft, N being a third of the area of the vertex's triangles,
 *   E = N/2 (B_warp |x_uu|^2 + B_weft |x_vv|^2 + 2 B_twist |x_uv|^2),
 * which is what a sheet of these stiffnesses stores when it is rolled in any direction. The triangles of a vertex may
 * have their warp in different directions, so an element keeps three forms on its three rows, one for each stiffness.
 *
 * Elements whose rest shape is curved have a law of their own with two more rows, the tangents b and c: their targets are
 * k_r n with n = b x c / |b x c| and k_r the rest curvature. What the rest shape has of x_uu etc. along the tangents is
 * taken out of the rows. So E vanishes at the rest shape wherever it is turned, and the force is E's exact gradient.
 *
 * An element with vertices on both sides of the mirror plane of half a mesh is two elements, one after the other: the
 * first resists along y and z, where a vertex's weight and its image's add up, the second along x, where they are
 * subtracted.
 *
 * These elements reach too far for the constant matrix: hinges stand in for them there (bending.h). */
#ifndef LAWS_CURVATURE_H
#define LAWS_CURVATURE_H

#include "laws/bending.h"
#include "laws/curvature_fit.h"
#include "laws/moment.h"

/* Numbers of a symmetric form on three rows: 00, 11, 22, 01, 02, 12. */
#define FORM_NUMBERS 6

/* Where an element has its warp in its chart, and how large it is. */
typedef struct Grain {
    double cosine, sine;
    double area; /* m^2 */
} Grain;

typedef struct CurvatureLaw {
    Law law; /* rows x_uu, x_vv, x_uv, and of the curved ones b, c */
    double *
        share; /* 3 FORM_NUMBERS x count, m^2: forms of warp, weft and twist for a stiffness of 1 */
    double *form;   /* FORM_NUMBERS x count, N m^3: their sum, as stiff as the cloth is */
    double *rest;   /* 3 x count, 1/m: curvature at rest; null where all is flat */
    int *middle;    /* the vertex whose curvature it is */
    int pairs_from; /* elements from this one on are pairs across the mirror plane */
    /* Of laws by moment curves, else null. */
    Grain *grain;
    double *area;        /* m^2, times the vertex's scale of bending */
    MomentCurve *curves; /* MOMENT_CURVES of them, of all elements */
    /* Of those that remember folds, else null: along warp and weft and in twist, N m; and by how much friction is
     * strained at most, 1/m. What it holds to, in Law.memory, are curvatures beyond those at rest, 1/m. */
    double *friction;
} CurvatureLaw;

extern const LawKind curvature_kind, curved_kind;
/* The same two by moment curves (curvature_moment.c): not quadratic, so they are slower, and warp has one direction in an
 * element. */
extern const LawKind moment_kind, curved_moment_kind;

typedef struct CurvatureOptions {
    bool wanted;     /* else two laws without elements */
    bool keep_folds; /* the rest shape is that of the mesh, else flat */
    bool moments;    /* by moment curves */
    /* Which remember folds here, three numbers a vertex: all elements are as if curved at rest, to know their normal.
     * Null: they do not. */
    Vec3 *memory;
} CurvatureOptions;

static inline const CurvatureLaw *curvature_law(const Law *law) {
    return (const CurvatureLaw *)law;
}

/* Makes the two laws for all vertices of a mesh, and lets its hinges stand in for them: those about vertices without an
 * element go on resisting themselves. */
StatusCode curvature_laws_build(const Mesh *mesh, const CurvatureOptions *options,
                                BendingLaw *hinges, Pool *pool, Store *store, Law **flat,
                                Law **curved, Status *status);

/* Forms of these stiffnesses; rows of the matrix that they make; which axes an element has: see law.h. */
void curvature_set_forms(Law *law, const BendNumbers *numbers, const Scales *scales);
void curvature_stiffness(const Law *law, int e, int corner, double *value);
void curvature_axes(const Law *law, int e, bool *along_x, bool *across);

/* The forces of a pair, e and e + 1, on its corners, N, and its energy, J. False where e is not the first of one, or
 * shows no normal: then it is to be evaluated one by one. */
bool curvature_pull_pair(const Law *law, int e, const Guess *guess, Vec3 *force, double *energy);

/* What the wide kernel reads of each curved element: how many corners it has, three rest curvatures; and for each corner
 * its weights in three rows of curvature and those of b and c. The rows are mixed so that their form is the identity:
 * E = 1/2 sum_r |k_r n - s_r|^2. */
#define CURVED_NUMBERS (1 + CURVATURES)
/* Those of moment curves: the area, and rest curvatures along warp and weft; for each corner its weights along these. */
#define MOMENT_NUMBERS 1
#define CURVED_MOMENT_NUMBERS (1 + CURVATURES)

#endif
