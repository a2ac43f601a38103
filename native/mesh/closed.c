/* Whether the surface of a part is closed, in the caller's numbers. */
#include <stdlib.h>

#include "base/sort.h"
#include "mesh/side.h"

typedef struct DirectedSide {
    Side side;
    bool reversed; /* its face goes from b to a */
} DirectedSide;

static bool is_of_part(const PolygonMesh *polygons, int vertex, int part) {
    return polygons->vertex_parts ? polygons->vertex_parts[vertex] == part : part == 0;
}

static int list_sides(const PolygonMesh *polygons, int part, DirectedSide *sides) {
    const int32_t *ring = polygons->face_vertices;
    int count = 0;
    for (int f = 0; f < polygons->face_count; ring += polygons->face_sizes[f++]) {
        int size = polygons->face_sizes[f];
        for (int c = 0; c < size && is_of_part(polygons, ring[0], part); ++c) {
            int a = ring[c], b = ring[(c + 1) % size];
            sides[count] = (DirectedSide){.side = side_between(a, b, count), .reversed = a > b};
            ++count;
        }
    }
    return count;
}

static StatusCode refuse_open(const DirectedSide *side, int faces, Status *status) {
    const char *why = faces == 1   ? "the surface ends there"
                      : faces == 2 ? "its two faces point to different sides of the surface"
                                   : "more than two faces meet there";
    status_set(status, STATUS_ERROR_MESH,
               "pressure needs a closed surface, but at the edge between vertices %d and %d %s",
               side->side.a, side->side.b, why);
    status_name_argument(status, DETAIL_CONFLICT, "pressure", faces, 2);
    return status_of_element(status, ELEMENT_VERTEX, side->side.a);
}

StatusCode mesh_check_closed(const PolygonMesh *polygons, int part, Status *status) {
    size_t corners = 0;
    for (int f = 0; f < polygons->face_count; ++f) {
        corners += (size_t)polygons->face_sizes[f];
    }
    DirectedSide *sides = SCRATCH_ARRAY(DirectedSide, corners);
    if (!sides) {
        return status_no_memory(status, "sides of faces");
    }
    int count = list_sides(polygons, part, sides);
    bool sorted =
        sort_records(sides, (size_t)count, sizeof *sides, polygons->vertex_count, side_compare);
    StatusCode code = sorted ? STATUS_OK : status_no_memory(status, "sides of faces");
    for (int s = 0, run; s < count && code == STATUS_OK; s += run) {
        run = 1;
        while (s + run < count && side_is_same(&sides[s].side, &sides[s + run].side)) {
            ++run;
        }
        if (run != 2 || sides[s].reversed == sides[s + 1].reversed) {
            code = refuse_open(&sides[s], run, status);
        }
    }
    free(sides);
    if (code == STATUS_OK && count == 0) {
        status_set(status, STATUS_ERROR_MESH,
                   "pressure needs a closed surface, but there is no face");
        code = status_name_argument(status, DETAIL_CONFLICT, "pressure", 0, 0);
    }
    return code;
}
