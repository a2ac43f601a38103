/* What the scenes are made of. */
#pragma once

#include "scenes.h"

/* A sheet of quads around (x, 0, z), `side` m long. */
void add_sheet(Scene *scene, int columns, int rows, double side, double x, double z);

/* An upright tube, open in front by so much on both sides of the plane x = 0, rad; 0: it is closed. */
void add_tube(Scene *scene, int columns, int rows, double opening);

/* A closed box of quads around the origin, `half` m from its middle to its sides. */
void add_box_of_cloth(Scene *scene, double half);

/* A loose edge. */
void add_rope(Scene *scene, int32_t from, int32_t to);

MuslinMesh mesh_of(const Scene *scene);

/* A box around (x, 0, z), whose edges are sharp; the next one takes its place in memory. */
MuslinBody box_at(double x, double z, double half);
#define BOX_VERTICES 8
