/* Bending by the curvature of the cloth at its vertices.
 *
 * curvature_fit() has the second derivatives x_uu, x_vv, x_uv of the cloth at a vertex as weighted sums of the places
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
#pragma once

#include "laws/bending.h"
#include "laws/moment.h"
#include "mesh/chart.h"

/* The curvature of cloth at a vertex as a linear map of the places around it.
 *
 * The places x of the vertices around are taken as a quadratic function of where they lie in the chart,
 *   x(p) = a + b p_1 + c p_2 + d p_1^2 / 2 + e p_2^2 / 2 + f p_1 p_2,
 * by least squares: d, e and f are then weighted sums of the places, the same at any x, and so are the two tangents b
 * and c. The weights of the squares fall with the distance, measured by the ellipse that the neighbours make, so that a
 * fit through long cells is the fit through short ones, drawn out. Straight and level functions are taken out first: d, e and f vanish for
 * any flat shape, however few the vertices are.
 *
 * The neighbours of a vertex decide it, mostly. Where they do not (four of them; the rim) the next ones are asked, too:
 * the nearest first, equally near ones together, so that mirror images get mirror images. */

/* Vertices of a fit at most. */
#define FIT_WIDTH 12

enum { CURVATURE_UU, CURVATURE_VV, CURVATURE_UV, CURVATURES };
enum { FIT_TANGENT_U = CURVATURES, FIT_TANGENT_V, FIT_ROWS };

typedef struct CurvatureFit {
    int count;                           /* vertices */
    int vertices[FIT_WIDTH];             /* places in Chart.vertices; the middle first */
    double weights[FIT_ROWS][FIT_WIDTH]; /* 1/m^2, of the tangents 1/m */
    double spacing;                      /* root of the neighbours' mean squared distance, m */
} CurvatureFit;

/* The fit at the middle of a chart, which grows where it must. False where none is possible; the chart may be spoilt. */
bool curvature_fit(const ChartMaker *maker, Chart *chart, CurvatureFit *fit);

/* Numbers of a symmetric form on three rows: 00, 11, 22, 01, 02, 12. */
#define FORM_NUMBERS 6

/* Where an element has its warp in its chart, and how large it is. */
typedef struct Grain {
    double cosine, sine;
    double area; /* m^2 */
} Grain;

typedef struct CurvatureLaw {
    Law law; /* rows x_uu, x_vv, x_uv, and of the curved ones b, c */
    /* 3 FORM_NUMBERS x count, m^2: forms of warp, weft and twist for a stiffness of 1 */
    double *share;
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

/* A number of each row times a form. */
static inline Vec3 curvature_times_form(const double *form, Vec3 in) {
    return vec3(form[0] * in.x + form[3] * in.y + form[4] * in.z,
                form[3] * in.x + form[1] * in.y + form[5] * in.z,
                form[4] * in.x + form[5] * in.y + form[2] * in.z);
}

/* Tensions of the rows of curvature for p_r = k_r n - s_r; adds to `turn` what else asks n to turn. Returns the energy, J. */
typedef double CurvaturePull(const CurvatureLaw *own, int e, const Vec3 *p, Vec3 normal,
                             Vec3 *tension, Vec3 *turn);
/* LawKind.evaluate of an element that is curved at rest. */
double curvature_evaluate_curved(const Law *law, int e, const Guess *guess, CurvaturePull *pull,
                                 Vec3 *tension);

/* The energy of a pair across the mirror plane is its first element's. */
static inline bool curvature_has_energy(const CurvatureLaw *own, int e) {
    return e < own->pairs_from || (e - own->pairs_from) % 2 == 0;
}

/* The forces of a pair, e and e + 1, on its corners, N, and its energy, J. False where e is not the first of one, or
 * shows no normal: then it is to be evaluated one by one. */
bool curvature_pull_pair(const Law *law, int e, const Guess *guess, Vec3 *force, double *energy);

/* What the wide kernel reads of each curved element: three rest curvatures; and for each corner its weights
 * in three rows of curvature and those of b and c. The rows are mixed so that their form is the identity:
 * E = 1/2 sum_r |k_r n - s_r|^2. */
#define CURVED_NUMBERS CURVATURES
/* Those of moment curves: the area, and rest curvatures along warp and weft; for each corner its weights along these. */
#define MOMENT_NUMBERS 1
#define CURVED_MOMENT_NUMBERS (1 + CURVATURES)

/* --- rows of elements, also of pairs across the mirror plane, and normals ------------------------- */

/* Tangents whose normal is shorter than this part of them show no direction. */
#define NO_NORMAL 1e-9

/* What an element across the mirror plane has of a vector: y and z, or x. */
static inline Vec3 curvature_on_its_axes(const CurvatureLaw *own, int e, Vec3 v) {
    if (e < own->pairs_from) {
        return v;
    }
    return (e - own->pairs_from) % 2 == 0 ? vec3(0, v.y, v.z) : vec3(v.x, 0, 0);
}

/* A row at x. Its weights add up to nothing, but along x across the mirror plane: places are seen from the middle, for
 * the sake of rounding. */
static inline Vec3 curvature_measure_one(const Law *law, int row, int e, const Vec3 *x) {
    const CurvatureLaw *own = curvature_law(law);
    if (e >= own->pairs_from) {
        return curvature_on_its_axes(own, e, law_measure(law, row, e, x));
    }
    const double *weights = law_weights(law, row, e);
    const int *vertices = law_vertices(law, e);
    Vec3 middle = x[vertices[0]], sum = vec3(0, 0, 0);
    for (int c = 1; c < law->corners[e]; ++c) {
        sum = vec3_madd(sum, weights[c], vec3_sub(x[vertices[c]], middle));
    }
    return sum;
}

/* The same, of both elements of a pair. */
static inline Vec3 curvature_measure(const Law *law, int row, int e, const Vec3 *x) {
    const CurvatureLaw *own = curvature_law(law);
    if (e < own->pairs_from) {
        return curvature_measure_one(law, row, e, x);
    }
    int first = e - (e - own->pairs_from) % 2;
    return vec3_add(curvature_measure_one(law, row, first, x),
                    curvature_measure_one(law, row, first + 1, x));
}

/* The normal by the tangents b and c, and the length of b x c; zeros where they show none. */
static inline Vec3 curvature_normal_of(Vec3 b, Vec3 c, double *length) {
    Vec3 normal = vec3_cross(b, c);
    *length = vec3_length(normal);
    if (!(*length > NO_NORMAL * vec3_length(b) * vec3_length(c))) {
        *length = 0;
        return vec3(0, 0, 0);
    }
    return vec3_scale(1.0 / *length, normal);
}

static inline Vec3 curvature_normal_at(const Law *law, int e, const Vec3 *x) {
    double length;
    return curvature_normal_of(curvature_measure(law, FIT_TANGENT_U, e, x),
                               curvature_measure(law, FIT_TANGENT_V, e, x), &length);
}

/* The normal as the guess says: seen at z, or turning on from what was seen. `length` of b x c: 0 where the normal does
 * not follow z. */
static inline Vec3 curvature_guessed_normal(const Law *law, int e, const Guess *guess, Vec3 b,
                                            Vec3 c, double *length) {
    *length = 0;
    if (!guess->turning) {
        Vec3 normal = curvature_normal_of(b, c, length);
        return *length > 0 ? normal : curvature_normal_at(law, e, guess->present);
    }
    Vec3 seen[GUESS_HISTORY];
    for (int m = 0; m <= guess->coefficient_count; ++m) {
        seen[m] = curvature_normal_at(law, e, guess->history[m]);
    }
    return vec3_unit_or(guess_turned(guess, seen), seen[0]);
}
