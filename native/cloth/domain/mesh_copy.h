/* A mesh of one's own: the caller's arrays are gone after his call. */
#ifndef DOMAIN_MESH_COPY_H
#define DOMAIN_MESH_COPY_H

#include "base/memory.h"
#include "base/status.h"
#include "mesh/polygon.h"

typedef struct MeshCopy {
    Store store;
    PolygonMesh polygons;
} MeshCopy;

/* After an error there is nothing to free. */
StatusCode mesh_copy(const PolygonMesh *from, MeshCopy *copy, Status *status);
void mesh_copy_free(MeshCopy *copy);

#endif
