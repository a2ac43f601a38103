/* The mesh as it is simulated: triangles with material coordinates, edges, hinges, ropes. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include <stdint.h>

#include "base/memory.h"
#include "base/status.h"
#include "base/vec3.h"
#include "mesh/polygon.h"

typedef enum EdgeKind {
    EDGE_CLOTH, /* side of a face, or a cut through a larger polygon */
    EDGE_SHEAR, /* diagonal of a quad: both of them */
    EDGE_ROPE   /* loose */
} EdgeKind;

typedef struct Edge {
    int a, b;
    EdgeKind kind;
    double rest_length; /* m */
    /* Spring constant over stiffness. The spring network then has the stiffness (N/m) of the sheet
     * it stands for at any mesh size: 8/9 of each triangle's area over length squared (equilateral
     * lattice, uniaxial strain), 1/2 of each quad's, twice a quad's for its diagonals. For a rope
     * 1/length. */
    double share;
} Edge;

/* Two triangles (i, k, l) and (j, l, k) that share the edge k-l. */
typedef struct Hinge {
    int i, j, k, l;
    int triangles[2]; /* the one with i, the one with j */
} Hinge;

typedef struct Triangle {
    int vertices[3];
    int face;
    double material[3][2]; /* (u, v) of its corners, m */
    double area;           /* m^2 in material space; 0: carries no stretch */
} Triangle;

typedef struct Mesh {
    int vertex_count, triangle_count, edge_count, hinge_count, component_count, rope_count;
    Vec3 *rest;
    Triangle *triangles;
    Edge *edges; /* sorted by (a, b), a < b */
    Hinge *hinges;
    uint8_t *isolated; /* vertex of no face and no edge */
} Mesh;

typedef enum PatternSource { PATTERN_MESH, PATTERN_UV } PatternSource;

/* Builds it all from polygons that mesh_check() has not refused. Arrays come from `store`. */
StatusCode mesh_build(const PolygonMesh *polygons, PatternSource pattern, double uv_scale,
                      Store *store, Mesh *mesh, Status *status);

/* --- the parts mesh_build() is made of -------------------------------------------------------- */

/* Lays every triangle flat: fills `material` and `area`. `corners` are the positions of its corners
 * in the list of all polygon corners. */
void pattern_lay(const PolygonMesh *polygons, PatternSource source, double uv_scale, Mesh *mesh,
                 const int (*corners)[3]);

#endif
