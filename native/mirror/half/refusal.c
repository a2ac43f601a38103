/* A user who is refused wants to find the place in his modelling program, so each is told with its coordinates. */
#include "mirror/half/refusal.h"

static Vec3 mean_of(const PolygonMesh *mesh, const int32_t *vertices, int count) {
    Vec3 sum = vec3(0, 0, 0);
    for (int c = 0; c < count; ++c) {
        sum = vec3_add(sum, polygon_position(mesh, vertices[c]));
    }
    return vec3_scale(1.0 / count, sum);
}

static Vec3 place_of(const PolygonMesh *mesh, DetailElement kind, int element) {
    if (kind == ELEMENT_VERTEX) {
        return polygon_position(mesh, element);
    }
    if (kind == ELEMENT_EDGE) {
        return mean_of(mesh, mesh->edges + 2 * (int64_t)element, 2);
    }
    int64_t corner = 0;
    for (int f = 0; f < element; ++f) {
        corner += mesh->face_sizes[f];
    }
    return mean_of(mesh, mesh->face_vertices + corner, mesh->face_sizes[element]);
}

StatusCode refusal_status(const Refusal *refusal, DetailCode code, DetailElement kind,
                          const PolygonMesh *mesh, const char *one, const char *many,
                          Status *status) {
    static const char *const names[] = {
        [ELEMENT_VERTEX] = "vertex", [ELEMENT_FACE] = "face", [ELEMENT_EDGE] = "loose edge"};
    if (refusal->count == 0) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_MESH, "%d %s:", refusal->count,
               refusal->count == 1 ? one : many);
    for (int i = 0; i < refusal->listed; ++i) {
        Vec3 p = place_of(mesh, kind, refusal->first[i]);
        status_append(status, "%s %s %d at (%.4g, %.4g, %.4g)", i > 0 ? "," : "", names[kind],
                      refusal->first[i], p.x, p.y, p.z);
    }
    if (refusal->count > refusal->listed) {
        status_append(status, ", ...");
    }
    Detail *detail = status_detail(status, code);
    detail->element = kind;
    detail->count = refusal->count;
    for (int i = 0; i < refusal->listed; ++i) {
        detail->elements[i] = refusal->first[i];
    }
    return status->code;
}
