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
#ifndef LAWS_CURVATURE_FIT_H
#define LAWS_CURVATURE_FIT_H

#include "mesh/chart.h"

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

#endif
