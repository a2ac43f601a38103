/* Faces are cut as the cloth's are, but seen from the mean of all vertices. */
#include "contact/body/body_mesh.h"

#include <stdlib.h>

void body_mesh_free(BodyMesh *mesh) {
    free(mesh->positions);
    free(mesh->triangles);
}

static Vec3 centre_of(const Vec3 *positions, int count) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 0; i < count; ++i) {
        sum = vec3_add(sum, positions[i]);
    }
    return count ? vec3_scale(1.0 / count, sum) : sum;
}

/* Cuts every face into triangles, where the vertices are now. */
static int cut_faces(const PolygonMesh *polygons, int largest, BodyMesh *mesh) {
    Vec3 *points = SCRATCH_ARRAY(Vec3, largest);
    int *scratch = SCRATCH_ARRAY(int, largest), worked = points && scratch;
    int(*cut)[3] = scratch_take((size_t)largest, sizeof *cut);
    Vec3 centre = centre_of(mesh->positions, polygons->vertex_count);
    const int32_t *face = polygons->face_vertices;
    for (int f = 0; worked && cut && f < polygons->face_count; face += polygons->face_sizes[f++]) {
        int size = polygons->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            points[c] = mesh->positions[face[c]];
        }
        polygon_cut(points, size, centre, scratch, cut);
        for (int t = 0; t < size - 2; ++t) {
            int *to = mesh->triangles + 3 * (size_t)mesh->triangle_count++;
            for (int c = 0; c < 3; ++c) {
                to[c] = face[cut[t][c]];
            }
        }
    }
    worked &= cut != NULL;
    free(points);
    free(scratch);
    free(cut);
    return worked;
}

StatusCode body_mesh_read(const PolygonMesh *polygons, BodyMesh *mesh, Status *status) {
    size_t triangles = 0;
    int largest = 3;
    for (int f = 0; f < polygons->face_count; ++f) {
        int size = polygons->face_sizes[f];
        triangles += (size_t)size - 2;
        largest = size > largest ? size : largest;
    }
    *mesh = (BodyMesh){.positions = SCRATCH_ARRAY(Vec3, polygons->vertex_count),
                       .triangles = scratch_take(triangles, 3 * sizeof(int))};
    if (mesh->positions && mesh->triangles) {
        for (int i = 0; i < polygons->vertex_count; ++i) {
            mesh->positions[i] = polygon_position(polygons, i);
        }
        if (cut_faces(polygons, largest, mesh)) {
            return STATUS_OK;
        }
    }
    body_mesh_free(mesh);
    return status_no_memory(status, "a body");
}
