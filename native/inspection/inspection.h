/* The placement of a garment on its bodies and in itself: vertices inside of bodies, intersections, limbs outside their
 * openings, stretch. An inspection is of one moment and changes nothing; between runs it only remembers where to search.
 * Faces are cut as they are simulated; ropes are left out.
 *
 * It cannot detect whether a garment without openings, such as a cape, is worn, whether a limb is in the right sleeve, or
 * whether the size of a loose garment is intended. */
#pragma once

#include "base/parallel.h"
#include "base/status.h"
#include "contact/skin.h"
#include "inspection/report.h"
#include "mesh/mesh.h"

typedef struct Inspection Inspection;

/* Null after an error. */
Inspection *inspection_create(const PolygonMesh *polygons, const MeshOptions *options,
                              Status *status);
void inspection_destroy(Inspection *inspection);

/* A body, or a new mesh for one. */
StatusCode inspection_set_body(Inspection *inspection, int number, const PolygonMesh *polygons,
                               Status *status);
void inspection_remove_body(Inspection *inspection, int number);
/* Faces that are sewn together do not count as intersecting there. `sewn` must stay until it is set again; may be null. */
void inspection_set_seams(Inspection *inspection, const Sewn *sewn);
/* 3 x its vertices, m. */
void inspection_place_body(Inspection *inspection, int number, const float *positions);

/* Inspects the garment with its vertices at `positions`, 3 x as many. */
StatusCode inspection_run(Inspection *inspection, Pool *pool, const float *positions,
                          InspectionReport *report, Status *status);

/* What the last run found, kind after kind; at most `capacity` of them. Returns how many there are. */
int inspection_places(const Inspection *inspection, InspectionPlace *places, int capacity);
