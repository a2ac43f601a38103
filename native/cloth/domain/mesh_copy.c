/* Copying a mesh. */
#include "cloth/domain/mesh_copy.h"

#include <string.h>

/* Null stays null. */
static const void *copy_array(Store *store, const void *from, size_t count, size_t size) {
    void *to = from ? store_take(store, count, size) : NULL;
    if (to && count > 0) {
        memcpy(to, from, count * size);
    }
    return to;
}

StatusCode mesh_copy(const PolygonMesh *from, MeshCopy *copy, Status *status) {
    size_t corners = 0;
    for (int f = 0; f < from->face_count; ++f) {
        corners += (size_t)from->face_sizes[f];
    }
    *copy = (MeshCopy){.polygons = *from};
    Store *store = &copy->store;
    PolygonMesh *to = &copy->polygons;
    size_t vertices = (size_t)from->vertex_count, faces = (size_t)from->face_count;
    to->positions = copy_array(store, from->positions, 3 * vertices, sizeof(float));
    to->face_sizes = copy_array(store, from->face_sizes, faces, sizeof(int32_t));
    to->face_vertices = copy_array(store, from->face_vertices, corners, sizeof(int32_t));
    to->edges = copy_array(store, from->edges, 2 * (size_t)from->edge_count, sizeof(int32_t));
    to->vertex_parts = copy_array(store, from->vertex_parts, vertices, sizeof(int32_t));
    to->corner_uvs = copy_array(store, from->corner_uvs, 2 * corners, sizeof(float));
    if (!store->failed) {
        return STATUS_OK;
    }
    mesh_copy_free(copy);
    return status_no_memory(status, "a copy of the mesh");
}

void mesh_copy_free(MeshCopy *copy) {
    store_release(&copy->store);
    *copy = (MeshCopy){0};
}
