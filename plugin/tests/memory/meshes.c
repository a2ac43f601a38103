/* Rows of quads, flat or around. */
#include "meshes.h"

#include <math.h>
#include <string.h>

static int32_t add_vertex(Scene *scene, double x, double y, double z) {
    float *place = scene->places + 3 * scene->vertex_count;
    place[0] = (float)x;
    place[1] = (float)y;
    place[2] = (float)z;
    return scene->vertex_count++;
}

static void add_quad(Scene *scene, int32_t a, int32_t b, int32_t c, int32_t d) {
    const int32_t quad[4] = {a, b, c, d};
    memcpy(scene->corners + scene->corner_count, quad, sizeof quad);
    scene->corner_count += 4;
    scene->sizes[scene->face_count++] = 4;
}

/* Quads between rows of vertices, of which `first` is the first; `around`: rows are rings. */
static void add_rows(Scene *scene, int32_t first, int columns, int rows, int around) {
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c + 1 < columns + around; ++c) {
            int32_t low = first + r * columns, a = low + c, b = low + (c + 1) % columns;
            add_quad(scene, a, b, b + columns, a + columns);
        }
    }
}

void add_sheet(Scene *scene, int columns, int rows, double side, double x, double z) {
    int32_t first = scene->vertex_count;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            /* from both sides alike, so that it is its own image to the bit */
            double u = (2.0 * c - (columns - 1)) / (2.0 * (columns - 1));
            double v = (2.0 * r - (rows - 1)) / (2.0 * (rows - 1));
            add_vertex(scene, x + side * u, side * v, z);
        }
    }
    add_rows(scene, first, columns, rows, 0);
}

void add_tube(Scene *scene, int columns, int rows, double opening) {
    const double pi = 3.14159265358979323846, radius = 0.1;
    int32_t first = scene->vertex_count;
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            double part = opening > 0 ? 2.0 * c / (columns - 1) - 1 : 2.0 * c / columns - 1;
            double angle = pi - fabs(part) * (pi - opening);
            double x = part == 0 ? 0.0 : copysign(radius * sin(angle), part);
            add_vertex(scene, x, radius * cos(angle), 0.04 * r);
        }
    }
    add_rows(scene, first, columns, rows, opening > 0 ? 0 : 1);
}

static const int32_t box_sizes[6] = {4, 4, 4, 4, 4, 4};
static const int32_t box_corners[24] = {0, 3, 2, 1, 4, 5, 6, 7, 0, 1, 5, 4,
                                        1, 2, 6, 5, 2, 3, 7, 6, 3, 0, 4, 7};
static const int box_signs[BOX_VERTICES][3] = {{-1, -1, -1}, {1, -1, -1}, {1, 1, -1}, {-1, 1, -1},
                                               {-1, -1, 1},  {1, -1, 1},  {1, 1, 1},  {-1, 1, 1}};

void add_box_of_cloth(Scene *scene, double half) {
    int32_t first = scene->vertex_count;
    for (int v = 0; v < BOX_VERTICES; ++v) {
        const int *sign = box_signs[v];
        add_vertex(scene, half * sign[0], half * sign[1], half * sign[2]);
    }
    for (int f = 0; f < 6; ++f) {
        const int32_t *corner = box_corners + 4 * f;
        add_quad(scene, first + corner[0], first + corner[1], first + corner[2], first + corner[3]);
    }
}

void add_rope(Scene *scene, int32_t from, int32_t to) {
    scene->edges[2 * scene->edge_count] = from;
    scene->edges[2 * scene->edge_count++ + 1] = to;
}

MuslinMesh mesh_of(const Scene *scene) {
    return (MuslinMesh){.size = sizeof(MuslinMesh),
                        .vertex_count = scene->vertex_count,
                        .face_count = scene->face_count,
                        .edge_count = scene->edge_count,
                        .positions = scene->places,
                        .face_sizes = scene->sizes,
                        .face_vertices = scene->corners,
                        .edges = scene->edge_count > 0 ? scene->edges : NULL};
}

MuslinBody box_at(double x, double z, double half) {
    static float places[3 * BOX_VERTICES];
    for (int v = 0; v < BOX_VERTICES; ++v) {
        places[3 * v] = (float)(x + half * box_signs[v][0]);
        places[3 * v + 1] = (float)(half * box_signs[v][1]);
        places[3 * v + 2] = (float)(z + half * box_signs[v][2]);
    }
    MuslinBody body;
    muslin_default_body(&body);
    body.vertex_count = BOX_VERTICES;
    body.face_count = 6;
    body.positions = places;
    body.face_sizes = box_sizes;
    body.face_vertices = box_corners;
    return body;
}
