/* Faces and loose edges whose mirror image is a face or loose edge too, and polygons that are cut differently on
 * the two sides. */
#ifndef MIRROR_SYMMETRY_ELEMENTS_H
#define MIRROR_SYMMETRY_ELEMENTS_H

#include "base/status.h"
#include "mesh/polygon.h"

/* In place of a partner: a face that is not simulated (a vertex twice, the same vertices as an earlier face). */
#define FACE_LEFT_OUT (-2)

typedef struct ElementReport {
    int faces_without, edges_without; /* whose image is none of the mesh */
    int differing_cuts;               /* faces whose image is cut otherwise */
    int crossing_cuts; /* of those: faces that are their own image, across the plane */
    int first_cut;     /* the first of those faces, -1 without */
} ElementReport;

/* `face_partners` gets the image of each face, -1 for none, FACE_LEFT_OUT for those that are not counted. */
StatusCode match_elements(const PolygonMesh *mesh, const int32_t *partners, int32_t *face_partners,
                          ElementReport *report, Status *status);

#endif
