/* What is wrong with a mesh, element by element. Nothing is changed and nothing is refused here:
 * the caller decides what he can live with. The kinds are those of MuslinDefect in muslin.h. */
#ifndef MESH_CHECK_H
#define MESH_CHECK_H

#include "base/status.h"
#include "mesh/polygon.h"

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
 * Returns 0, or -1 without memory. Indices must be in range. */
int check_faces_left_out(const PolygonMesh *mesh, uint8_t *left_out);

#endif
