/* The cloth around one vertex, laid flat: a chart.
 *
 * Around the vertex the angles of its triangles, as the pattern has them, are laid one beside the other, and shared out
 * evenly where they do not add up to a full turn; further triangles are put onto the outer sides as they are. Only
 * lengths and angles within triangles count, so a seam of the pattern makes no difference.
 *
 * A chart goes as far as triangles meet two at a side and have a height: sides where three meet, or with a triangle that
 * is too thin, are its rim. Across the mirror plane of half a mesh it goes on with mirror images. */
#pragma once

#include "mesh/mesh.h"

#define CHART_VERTICES 48
#define CHART_TRIANGLES 72
#define CHART_HINGES 96

/* A vertex of the mesh, or its image in the mirror plane. */
typedef struct ChartVertex {
    int vertex;
    bool image;
    int generation; /* 0: the middle, 1: its neighbours, then by one with every growth */
    int seen;       /* places that its triangles give it: it lies in the mean of them */
    double place[2];
} ChartVertex;

typedef struct ChartTriangle {
    int triangle;
    bool image;
    int corner[3]; /* places in Chart.vertices, as the triangle has its own */
} ChartTriangle;

/* Places in Chart.vertices of a hinge's i, j, k, l. */
typedef struct ChartHinge {
    int hinge;
    int corner[4];
} ChartHinge;

typedef struct Chart {
    int vertex_count, triangle_count, hinge_count;
    int ring; /* the first so many triangles are those around the middle */
    int generation;
    ChartVertex vertices[CHART_VERTICES]; /* the middle first */
    ChartTriangle triangles[CHART_TRIANGLES];
    ChartHinge hinges[CHART_HINGES]; /* those between two triangles of the chart */
} Chart;

/* The adjacency of all charts of a mesh. */
typedef struct ChartMaker {
    const Mesh *mesh;
    int (*across)[3]; /* per triangle: the hinge opposite to each corner; -1: the rim of charts */
    int *start, *triangles; /* per vertex: its triangles */
} ChartMaker;

/* Hinges that are not `usable` are rims. False if `scratch` has no memory. */
bool chart_maker_build(ChartMaker *maker, const Mesh *mesh, const uint8_t *usable, Store *scratch);

/* Lays the triangles around a vertex; false where they are no fan or disc, or are too many. */
bool chart_begin(const ChartMaker *maker, int vertex, Chart *chart);

/* Adds the triangles across all outer sides. Returns how many; -1: there is no room, and the chart is spoilt. */
int chart_grow(const ChartMaker *maker, Chart *chart);
