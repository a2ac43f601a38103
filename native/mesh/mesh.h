/* The mesh as it is simulated: triangles with material coordinates, edges, hinges, ropes. */
#pragma once

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
     * lattice, uniaxial strain), 1/2 of each quad's. A quad's diagonals have half of length squared over its area,
     * which gives a rectangle the shear modulus (N/m). For a rope 1/length. */
    double share;
    /* What the diagonals of its quads already do of that, in shear moduli: half of length squared over a quad's area. */
    double braced;
} Edge;

/* Two triangles (i, k, l) and (j, l, k) that share the edge k-l. Across the mirror plane of half a mesh j is the image
 * of i: it has i's number, and both triangles are one. */
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

/* Parts of a cloth, each of a fabric of its own: they share no face and no edge. */
#define PARTS_MOST 16

typedef struct Mesh {
    int vertex_count, triangle_count, edge_count, hinge_count, component_count, rope_count;
    Vec3 *rest;
    Triangle *triangles;
    Edge *edges; /* sorted by (a, b), a < b */
    Hinge *hinges;
    uint8_t *isolated; /* vertex of no face and no edge */
    uint8_t *part;     /* per vertex: its part of the cloth, below PARTS_MOST */
    bool halved;       /* it is the half x >= 0 of one */
    /* Of half a mesh: vertices from this one on lie in the plane x = 0, where the cloth goes on as its mirror image;
     * of a whole one the number of vertices. */
    int plane_from;
    int crossing_from; /* hinges from this one on are across the plane */
} Mesh;

/* What half a mesh has of an edge: one within the plane belongs to both halves. */
static inline double mesh_share(const Mesh *mesh, int a, int b) {
    return a >= mesh->plane_from && b >= mesh->plane_from ? 0.5 : 1.0;
}

typedef enum PatternSource { PATTERN_MESH, PATTERN_UV } PatternSource;

/* How the caller's polygons are to be understood. */
typedef struct MeshOptions {
    PatternSource pattern;
    double uv_scale; /* m per UV unit; for PATTERN_UV */
} MeshOptions;

/* Refuses parts of which there are not `count`, and faces or loose edges across two of them. The polygons' indices are
 * in range. */
StatusCode mesh_check_parts(const PolygonMesh *polygons, int count, Status *status);

/* Refuses a part whose faces do not enclose a space: every side belongs to two faces, which go along it in opposite
 * directions. */
StatusCode mesh_check_closed(const PolygonMesh *polygons, int part, Status *status);

/* The same vertices with the triangles, edges and hinges of one part only; counts of the whole mesh stay. */
StatusCode mesh_of_part(const Mesh *mesh, int part, Store *store, Mesh *own, Status *status);

/* For mesh_build(): the polygons are a whole mesh. */
#define MESH_WHOLE (-1)

/* Builds it all from polygons that mesh_check() has not refused. They are a whole mesh, or the half x >= 0 of one in
 * which vertices from `plane_from` on lie in the mirror plane. Arrays come from `store`. */
StatusCode mesh_build(const PolygonMesh *polygons, int plane_from, const MeshOptions *options,
                      Store *store, Mesh *mesh, Status *status);
