/* Cells of woven cloth: what its threads do not resist by themselves [KIST 2008, area preserving force].
 * u and v are the mean sides of a quad over their rest lengths, g = |u|^2 |v|^2 - (u . v)^2 the square of its area:
 *
 *   E = A (k_a/2 (g/g0 - 1)^2 + G/2 (u . v - b0)^2)
 *
 * A is the area at rest, g0 and b0 are g and u . v there: 1 and 0 for a rectangle. k_a (area_stiffness, N/m) resists
 * changes of area. It resists skew only as far as that takes area, with the square of the angle; so the shear modulus G
 * (shear, N/m), which the slides have not, does the rest, as in the other models. The slides take differences over two
 * cells at each vertex; cells by themselves have rims without special cases. */
#pragma once

#include "laws/law.h"
#include "mesh/research/weave.h"

typedef struct CellLaw {
    Law law; /* rows u and v */
    const WeaveCell *cells;
    double *square, *skew; /* g0, b0 */
    double *keep, *shear;  /* k_a A / g0^2 and G A, N m */
} CellLaw;

extern const LawKind cell_kind;

/* Of all cells of the weave, or of none without one. */
StatusCode cell_law_build(const Weave *weave, Store *store, Law **law, Status *status);

static inline const CellLaw *cell_law(const Law *law) { return (const CellLaw *)law; }

/* The second derivative in short. Times (p, q) it is, with the gradients g_u = 2 (|v|^2 u - (u.v) v) and
 * g_v = 2 (|u|^2 v - (u.v) u):
 *   keep (g_u.p + g_v.q) (g_u, g_v) + shear (v.p + u.q) (v, u) + N (n.p, n.q) n
 * The last term is what stress adds across the cloth, with the unit normal n and the symmetric N clamped. What stress adds
 * within the cloth is left out: it is small where the area hardly changes, and may be negative. */
typedef struct CellHessian {
    Vec3 u, v, n;
    double keep, shear;
    double across[3]; /* N: first, mixed, last */
} CellHessian;

CellHessian cell_hessian_at(const CellLaw *cells, int e, const Vec3 *x);

/* --- joints ----------------------------------------------------------------------------------- */

/* Bending of threads [KIST 2008, bending force].
 * Where two links of rest lengths a and b meet, s is the thread's second derivative by its length and t its first:
 *
 *   s = 2/(a+b) ((x_+ - x)/b - (x - x_-)/a)      t = (x_+ - x_-)/(a+b)      E = B/2 (kappa - kappa0)^2,  kappa = |s|/|t|
 *
 * For equal links that is the slides' kappa = 2|c|/(l |e|). B is the bending stiffness of the cloth (bend, N m, along the
 * weft times bend_weft) times the area at the vertex, or of a rope (rope_bend, N m^2) times (a+b)/2; so a sheet bent to
 * curvature c stores bend c^2/2 per area, as in the other laws. kappa0 is the curvature at rest: all of it where folds are
 * kept, else what lies in the cloth, as around the hem of a flared skirt. It has no direction.
 *
 * Where a thread of half a mesh goes on beyond the mirror plane as its own image, x_+ is the image of x_- and a = b: s has no
 * part across the plane and t none along it. So with the link d = x - x_- the joint's half of the energy is that of
 * s = -2/a^2 (0, d_y, d_z) and t = (d_x, 0, 0)/a, a function of one link alone. */

typedef struct JointLaw {
    Law law; /* rows s and t */
    /* Across the mirror plane: its vertices are x_-, x, and x_- again without weight. */
    uint8_t *folded;
    const Weave *weave;
    int *slot;         /* where in Weave.vertices its middle is */
    ThreadKind *kind;  /* of its thread */
    double *size;      /* m^2 of cloth, m of rope */
    double *curvature; /* kappa0, 1/m */
    double *stiffness; /* B, N m^3 */
} JointLaw;

extern const LawKind joint_kind;

StatusCode joint_law_build(const Mesh *mesh, const Weave *weave, bool keep_folds, Store *store,
                           Law **law, Status *status);

static inline const JointLaw *joint_law(const Law *law) { return (const JointLaw *)law; }

/* The second derivative in short: times (p, q) it is
 *   (round p + (ss s.p + st t.q) s,   stretch q + (st s.p + tt t.q) t). */
typedef struct JointHessian {
    Vec3 s, t;
    double round, stretch; /* across s and across t */
    double ss, st, tt;
    bool folded; /* p and q are without the parts that s and t have not */
} JointHessian;

/* All of it; zero where the thread has no direction. */
JointHessian joint_hessian_at(const JointLaw *joints, int e, const Vec3 *x);
/* Its positive part. */
void joint_clamp(JointHessian *hessian);
/* scale times its blocks by s twice, by both, and by t twice. */
LawHessian joint_blocks(const JointHessian *hessian, double scale);
