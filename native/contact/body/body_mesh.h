/* A body's polygons as triangles, in double precision: what colliders are made of. */
#ifndef CONTACT_BODY_BODY_MESH_H
#define CONTACT_BODY_BODY_MESH_H

#include "base/memory.h"
#include "base/status.h"
#include "mesh/polygon.h"

typedef struct BodyMesh {
    Vec3 *positions;
    int *triangles; /* 3 vertices each */
    int triangle_count;
} BodyMesh;

/* After an error there is nothing to free. */
StatusCode body_mesh_read(const PolygonMesh *polygons, BodyMesh *mesh, Status *status);
void body_mesh_free(BodyMesh *mesh);

#endif
