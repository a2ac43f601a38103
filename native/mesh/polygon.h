/* The mesh as the caller has it: polygons and loose edges, in the caller's numbering.
 * Only borrowed; nothing here is owned or changed. */
#pragma once

#include <stdint.h>

#include "base/status.h"
#include "base/vec3.h"

typedef struct PolygonMesh {
    int vertex_count, face_count, edge_count;
    const float *positions;       /* 3 x vertex_count, m */
    const int32_t *face_sizes;    /* each >= 3 */
    const int32_t *face_vertices; /* sum of face_sizes */
    const int32_t *edges;         /* 2 x edge_count loose edges */
    const float *corner_uvs;      /* 2 x sum of face_sizes, or null */
    /* Per vertex: its part of the cloth, from 0 on; null: all are in one. */
    const int32_t *vertex_parts;
    /* Where cuts look from, m; null: the middle of the box. A part of a mesh that is given that of the whole is cut as the
     * whole is. */
    const double *cut_centre;
} PolygonMesh;

static inline Vec3 polygon_position(const PolygonMesh *mesh, int vertex) {
    const float *p = mesh->positions + 3 * (int64_t)vertex;
    return vec3(p[0], p[1], p[2]);
}

/* The `centre` of every cut: `cut_centre`, or the middle of the box around all vertices, of which there is at least
 * one. */
Vec3 polygon_centre(const PolygonMesh *mesh);

/* Mean length of the sides of all faces, m; one between two faces counts twice. 0 without faces. */
double polygon_mean_side(const PolygonMesh *mesh);

/* Cuts a polygon of `count` points into count - 2 triangles of corner numbers 0..count-1.
 * The cut depends on the shape alone, not on where the numbering starts, and commutes with
 * reflection: a quad takes its shorter diagonal; equal ones (a rectangle) the diagonal to the corner
 * farthest from `centre`; of those as far (squares of a grid's middle row) the one to the top corner, which commutes
 * with reflection across x alone. Concave polygons are cut by ears in the plane of their mean normal.
 * `scratch` has room for `count` numbers. */
void polygon_cut(const Vec3 *points, int count, Vec3 centre, int *scratch, int (*triangles)[3]);

/* Twice the mean area vector (Newell): normal times twice the area. */
Vec3 polygon_normal(const Vec3 *points, int count);

/* --- defects ---------------------------------------------------------------------------------- */

/* The defects of a mesh, element by element. Nothing is changed or refused here: the caller decides. The kinds are those of
 * MuslinDefect in muslin.h. */

typedef enum DefectKind {
    DEFECT_NOT_FINITE,
    DEFECT_INDEX_RANGE,
    DEFECT_REPEATED_VERTEX,
    DEFECT_ZERO_AREA,
    DEFECT_SLIVER,
    DEFECT_DUPLICATE_FACE,
    DEFECT_ISOLATED,
    DEFECT_NON_MANIFOLD,
    DEFECT_FLIPPED,
    DEFECT_DOUBLED_VERTEX,
    DEFECT_BAD_UV,
    DEFECT_KINDS
} DefectKind;

typedef struct Finding {
    int32_t kind, element;
    int32_t vertices[2];
} Finding;

typedef struct CheckReport {
    int component_count, boundary_edge_count, triangle_count, quad_count, edge_count;
    int defects[DEFECT_KINDS];
    int repeated_edges;                       /* of DEFECT_REPEATED_VERTEX, which are loose */
    double area, shortest_edge, longest_edge; /* m^2, m, m */
} CheckReport;

/* Fills the report and at most `capacity` findings; `found` counts all. Kinds that make a mesh
 * impossible (not finite, index out of range) end the search: the rest would read bad memory.
 * Returns OK, a mesh warning, or a mesh error with the first finding named in the message. */
StatusCode mesh_check(const PolygonMesh *mesh, CheckReport *report, Finding *findings, int capacity,
                      int *found, Status *status);

/* True if it has none of the defects that make a mesh impossible. */
bool check_can_be_read(const PolygonMesh *mesh);

/* Marks the faces that cannot be simulated: a vertex twice, or the same vertices as an earlier face.
 * False without memory. Indices must be in range. */
bool check_faces_left_out(const PolygonMesh *mesh, uint8_t *left_out);

/* --- refusals --------------------------------------------------------------------------------- */

/* Refusals that say how many and where: a count and the first few places. */

typedef struct Refusal {
    int count, listed;
    int first[DETAIL_ELEMENTS];
} Refusal;

static inline void refusal_add(Refusal *refusal, int element) {
    if (refusal->listed < DETAIL_ELEMENTS) {
        refusal->first[refusal->listed++] = element;
    }
    ++refusal->count;
}

/* With elements listed: a mesh error, "COUNT WHAT: vertex 3 at (x, y, z), ...", where WHAT is said of one element or
 * of many, and its detail. Without: OK, and the status is left alone. Faces and loose edges, the other kinds there are,
 * are placed by the mean of their vertices. */
StatusCode refusal_status(const Refusal *refusal, DetailCode code, DetailElement kind,
                          const PolygonMesh *mesh, const char *one, const char *many,
                          Status *status);
