/* Cells of woven cloth: what its threads do not resist by themselves [KIST 2008, area preserving force].
 * u and v are the mean sides of a quad over their rest lengths, g = |u|^2 |v|^2 - (u . v)^2 the square of its area:
 *
 *   E = A (k_a/2 (g/g0 - 1)^2 + G/2 (u . v - b0)^2)
 *
 * A is the area at rest, g0 and b0 are g and u . v there: 1 and 0 for a rectangle. k_a (area_stiffness, N/m) resists
 * changes of area. It resists skew only as far as that takes area, with the square of the angle; so the shear modulus G
 * (shear, N/m), which the slides have not, does the rest, as in the other models. The slides take differences over two
 * cells at each vertex; cells by themselves have rims without special cases. */
#ifndef LAWS_CELL_H
#define LAWS_CELL_H

#include "laws/law.h"
#include "mesh/weave.h"

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
typedef struct CellCurve {
    Vec3 u, v, n;
    double keep, shear;
    double across[3]; /* N: first, mixed, last */
} CellCurve;

CellCurve cell_curve_at(const CellLaw *cells, int e, const Vec3 *x);

#endif
