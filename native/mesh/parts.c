/* Parts of a cloth: checks that no face or edge lies across two of them, and makes the mesh of one. */
#include "mesh/mesh.h"

#include <stdlib.h>

/* --- looking at them ---------------------------------------------------------------------------- */

static StatusCode refuse_across(const PolygonMesh *polygons, DetailElement element, int index,
                                int first, int second, Status *status) {
    status_set(status, STATUS_ERROR_MESH,
               "%s %d has vertices of the parts %d and %d, but parts share no face and no edge",
               element == ELEMENT_FACE ? "face" : "loose edge", index,
               polygons->vertex_parts[first], polygons->vertex_parts[second]);
    status_name_argument(status, DETAIL_CONFLICT, "vertex_parts", polygons->vertex_parts[first],
                         polygons->vertex_parts[second]);
    return status_of_element(status, element, index);
}

/* The corner of a list of vertices that is of another part than the first; 0: all are of one. */
static int other_corner(const PolygonMesh *polygons, const int32_t *vertices, int count) {
    for (int c = 1; c < count; ++c) {
        if (polygons->vertex_parts[vertices[c]] != polygons->vertex_parts[vertices[0]]) {
            return c;
        }
    }
    return 0;
}

static StatusCode check_numbers(const PolygonMesh *polygons, int count, Status *status) {
    for (int v = 0; v < polygons->vertex_count; ++v) {
        int part = polygons->vertex_parts[v];
        if (part < 0 || part >= count) {
            status_set(status, STATUS_ERROR_MESH,
                       "vertex %d belongs to part %d, but there are parts 0 to %d", v, part,
                       count - 1);
            status_name_argument(status, DETAIL_INDEX_RANGE, "vertex_parts", part, count - 1);
            return status_of_element(status, ELEMENT_VERTEX, v);
        }
    }
    return STATUS_OK;
}

StatusCode mesh_check_parts(const PolygonMesh *polygons, int count, Status *status) {
    if (check_numbers(polygons, count, status) != STATUS_OK) {
        return status->code;
    }
    const int32_t *ring = polygons->face_vertices;
    for (int f = 0; f < polygons->face_count; ring += polygons->face_sizes[f++]) {
        int other = other_corner(polygons, ring, polygons->face_sizes[f]);
        if (other > 0) {
            return refuse_across(polygons, ELEMENT_FACE, f, ring[0], ring[other], status);
        }
    }
    for (int e = 0; e < polygons->edge_count; ++e) {
        const int32_t *ends = polygons->edges + 2 * (int64_t)e;
        if (other_corner(polygons, ends, 2) > 0) {
            return refuse_across(polygons, ELEMENT_EDGE, e, ends[0], ends[1], status);
        }
    }
    return STATUS_OK;
}

/* --- one of them -------------------------------------------------------------------------------- */

static void count_elements(const Mesh *mesh, int part, Mesh *own) {
    own->triangle_count = own->edge_count = own->hinge_count = own->crossing_from = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        own->triangle_count += mesh->part[mesh->triangles[t].vertices[0]] == part;
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        own->edge_count += mesh->part[mesh->edges[e].a] == part;
    }
    for (int h = 0; h < mesh->hinge_count; ++h) {
        bool inside = mesh->part[mesh->hinges[h].i] == part;
        own->hinge_count += inside;
        own->crossing_from += inside && h < mesh->crossing_from;
    }
}

/* `number` becomes each triangle's in the part. */
static void copy_elements(const Mesh *mesh, int part, int *number, Mesh *own) {
    int triangles = 0, edges = 0, hinges = 0;
    for (int t = 0; t < mesh->triangle_count; ++t) {
        number[t] = triangles;
        if (mesh->part[mesh->triangles[t].vertices[0]] == part) {
            own->triangles[triangles++] = mesh->triangles[t];
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->part[mesh->edges[e].a] == part) {
            own->edges[edges++] = mesh->edges[e];
        }
    }
    for (int h = 0; h < mesh->hinge_count; ++h) {
        if (mesh->part[mesh->hinges[h].i] == part) {
            Hinge *hinge = &own->hinges[hinges++];
            *hinge = mesh->hinges[h];
            hinge->triangles[0] = number[hinge->triangles[0]];
            hinge->triangles[1] = number[hinge->triangles[1]];
        }
    }
}

StatusCode mesh_of_part(const Mesh *mesh, int part, Store *store, Mesh *own, Status *status) {
    *own = *mesh;
    count_elements(mesh, part, own);
    own->triangles = STORE_ARRAY(store, Triangle, own->triangle_count);
    own->edges = STORE_ARRAY(store, Edge, own->edge_count);
    own->hinges = STORE_ARRAY(store, Hinge, own->hinge_count);
    int *number = SCRATCH_ARRAY(int, mesh->triangle_count);
    bool done = number && !store->failed;
    if (done) {
        copy_elements(mesh, part, number, own);
    }
    free(number);
    return done ? STATUS_OK : status_no_memory(status, "parts of the mesh");
}
