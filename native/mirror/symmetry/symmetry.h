/* Is a mesh its own mirror image? Vertices by position and neighbourhood, faces by their vertices, cuts by the
 * rule of mesh_build(). */
#pragma once

#include "base/status.h"
#include "mesh/polygon.h"
#include "mirror/symmetry/mirror_plane.h"

/* Faces and loose edges whose mirror image is a face or loose edge too, and polygons that are cut differently on
 * the two sides. */

/* In place of a partner: a face that is not simulated (a vertex twice, the same vertices as an earlier face). */
#define FACE_LEFT_OUT (-2)

typedef struct ElementReport {
    int faces_without, edges_without; /* whose image is none of the mesh */
    int differing_cuts;               /* faces whose image is cut otherwise */
    int crossing_cuts; /* of those: faces that are their own image, across the plane */
    int first_cut;     /* the first of those faces, -1 without */
} ElementReport;

typedef struct SymmetryOptions {
    bool find;         /* look for the best plane */
    MirrorPlane plane; /* else this one; its normal needs no length of 1, but a length */
    double tolerance;  /* m: partners are so near to each other's images; 0: choose */
} SymmetryOptions;

typedef struct Symmetry {
    MirrorPlane plane;
    double tolerance;               /* m, the one used */
    int paired, on_plane, unpaired; /* vertices; their sum is all */
    ElementReport elements;
    /* m: distances between images and partners, vertices on the plane included. */
    double rms, largest;
} Symmetry;

/* `partners` (per vertex: its partner, itself on the plane, -1 without) and `face_partners` (likewise per face)
 * may be null. Refuses what mesh_check() refuses, and meshes without size. */
StatusCode symmetry_find(const PolygonMesh *mesh, const SymmetryOptions *options,
                         Symmetry *symmetry, int32_t *partners, int32_t *face_partners,
                         Status *status);

/* --- vertices --------------------------------------------------------------------------------- */

/* One mirror partner for each vertex. Most vertices have one vertex alone near their image. Where several are in
 * one place (seams, layers), neighbours of partners become partners. */
