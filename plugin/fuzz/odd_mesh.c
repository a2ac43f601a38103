/* Odd meshes: shapes, then what is wrong with them. */
#include "odd_mesh.h"

#include <math.h>
#include <string.h>

#include "random.h"

#define TURN 6.283185307179586

/* ---- building ----------------------------------------------------------------------------------------------- */

static int add_vertex(OddMesh *mesh, double x, double y, double z) {
    if (mesh->vertex_count == ODD_VERTICES) {
        return ODD_VERTICES - 1; /* what is too many shares the last: one more oddity */
    }
    float *place = mesh->positions + 3 * mesh->vertex_count;
    place[0] = (float)x, place[1] = (float)y, place[2] = (float)z;
    return mesh->vertex_count++;
}

static void add_face(OddMesh *mesh, int size, const int32_t *vertices) {
    if (mesh->face_count < ODD_FACES && mesh->corner_count + size <= ODD_CORNERS) {
        mesh->face_sizes[mesh->face_count++] = size;
        memcpy(mesh->face_vertices + mesh->corner_count, vertices, (size_t)size * sizeof *vertices);
        mesh->corner_count += size;
    }
}

static void add_edge(OddMesh *mesh, int one, int other) {
    if (mesh->edge_count < ODD_EDGES) {
        mesh->edges[2 * mesh->edge_count] = one;
        mesh->edges[2 * mesh->edge_count + 1] = other;
        ++mesh->edge_count;
    }
}

/* A cell of a grid: a quad or its two triangles. */
static void add_cell(OddMesh *mesh, Random *random, const int32_t cell[4], int split) {
    if (split == 0 || (split == 2 && random_chance(random, 0.5))) {
        add_face(mesh, 4, cell);
        return;
    }
    const int32_t triangles[2][3] = {{cell[0], cell[1], cell[2]}, {cell[0], cell[2], cell[3]}};
    add_face(mesh, 3, triangles[0]);
    add_face(mesh, 3, triangles[1]);
}

/* ---- shapes ------------------------------------------------------------------------------------------------- */

/* Rows and columns of vertices; `closes`: 0 a sheet, 1 a tube, -1 a Möbius strip, whose ends join upside down. */
static void make_grid(OddMesh *mesh, Random *random, int closes) {
    int rows = 2 + random_below(random, 4), columns = 3 + random_below(random, 5);
    int split = random_below(random, 3);
    int32_t at[8][8];
    for (int r = 0; r < rows; ++r) {
        for (int c = 0; c < columns; ++c) {
            double across = (double)r / (rows - 1) - 0.5, angle = TURN * c / columns;
            double half = closes < 0 ? angle / 2 : 0, radius = 1 + across * cos(half);
            at[r][c] = closes ? add_vertex(mesh, radius * cos(angle), radius * sin(angle),
                                           closes < 0 ? across * sin(half) : 2 * across)
                              : add_vertex(mesh, (double)c / columns, (double)r / rows, 0);
        }
    }
    for (int r = 0; r + 1 < rows; ++r) {
        for (int c = 0; c + 1 < columns; ++c) {
            const int32_t cell[4] = {at[r][c], at[r][c + 1], at[r + 1][c + 1], at[r + 1][c]};
            add_cell(mesh, random, cell, split);
        }
        if (closes) {
            int here = closes < 0 ? rows - 1 - r : r, next = closes < 0 ? rows - 2 - r : r + 1;
            int last = columns - 1;
            const int32_t cell[4] = {at[r][last], at[here][0], at[next][0], at[r + 1][last]};
            add_cell(mesh, random, cell, split);
        }
    }
}

static void make_sheet(OddMesh *mesh, Random *random) { make_grid(mesh, random, 0); }
static void make_tube(OddMesh *mesh, Random *random) { make_grid(mesh, random, 1); }
static void make_moebius_strip(OddMesh *mesh, Random *random) { make_grid(mesh, random, -1); }

/* Closed: a ring between two poles. */
static void make_ball(OddMesh *mesh, Random *random) {
    int32_t ring[8], sides = 3 + random_below(random, 5);
    int32_t top = add_vertex(mesh, 0, 0, 1), bottom = add_vertex(mesh, 0, 0, -1);
    for (int s = 0; s < sides; ++s) {
        ring[s] = add_vertex(mesh, cos(TURN * s / sides), sin(TURN * s / sides), 0);
    }
    for (int s = 0; s < sides; ++s) {
        int32_t next = ring[(s + 1) % sides];
        add_face(mesh, 3, (const int32_t[]){ring[s], next, top});
        add_face(mesh, 3, (const int32_t[]){next, ring[s], bottom});
    }
}

/* One polygon of many corners, and triangles around an edge that all of them share. */
static void make_fan(OddMesh *mesh, Random *random) {
    int32_t ring[12], corners = 3 + random_below(random, 10);
    for (int c = 0; c < corners; ++c) {
        double dent = random_chance(random, 0.3) ? 0.2 : 1; /* not convex */
        double angle = TURN * c / corners;
        ring[c] =
            add_vertex(mesh, dent * cos(angle), dent * sin(angle), 0.1 * random_signed(random));
    }
    add_face(mesh, corners, ring);
    for (int wings = random_below(random, 5); wings > 0; --wings) {
        int32_t tip = add_vertex(mesh, random_signed(random), random_signed(random), 1);
        add_face(mesh, 3, (const int32_t[]){ring[0], ring[1], tip});
    }
}

static void make_thread(OddMesh *mesh, Random *random) {
    int count = 2 + random_below(random, 10);
    int before = add_vertex(mesh, 0, 0, 0);
    for (int v = 1; v < count; ++v) {
        int here = add_vertex(mesh, v, 0.1 * random_signed(random), 0);
        add_edge(mesh, before, here);
        before = here;
    }
}

static void make_soup(OddMesh *mesh, Random *random) {
    int first = mesh->vertex_count, count = 3 + random_below(random, 12);
    for (int v = 0; v < count; ++v) {
        add_vertex(mesh, random_signed(random), random_signed(random), random_signed(random));
    }
    int room = mesh->vertex_count - first;
    for (int f = random_below(random, 24); f >= 0 && room > 0; --f) {
        int32_t corners[4];
        int size = 3 + random_below(random, 2);
        for (int c = 0; c < size; ++c) {
            corners[c] = first + random_below(random, room);
        }
        add_face(mesh, size, corners);
    }
}

static void make_shape(OddMesh *mesh, Random *random) {
    static void (*const shapes[])(OddMesh *, Random *) = {
        make_sheet, make_tube, make_moebius_strip, make_ball, make_fan, make_thread, make_soup};
    int first = mesh->vertex_count;
    shapes[random_below(random, 7)](mesh, random);
    double shift = random_chance(random, 0.5) ? 3 * random_signed(random) : 0;
    for (int v = first; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v + 2] += (float)shift;
    }
}

/* ---- what is wrong ------------------------------------------------------------------------------------------ */

static float *any_place(OddMesh *mesh, Random *random) {
    return mesh->positions + 3 * random_below(random, mesh->vertex_count);
}

static void double_places(OddMesh *mesh, Random *random) {
    memcpy(any_place(mesh, random), any_place(mesh, random), 3 * sizeof(float));
}

/* Its height is next to nothing: a corner comes onto the line of two others. */
static void flatten_face(OddMesh *mesh, Random *random) {
    int f = random_below(random, mesh->face_count ? mesh->face_count : 1), first = 0;
    for (int before = 0; before < f; ++before) {
        first += mesh->face_sizes[before];
    }
    const int32_t *corners = mesh->face_vertices + first;
    double part = random_unit(random), off = pow(10, -9 * random_unit(random));
    for (int axis = 0; mesh->face_count > 0 && axis < 3; ++axis) {
        float a = mesh->positions[3 * corners[0] + axis],
              b = mesh->positions[3 * corners[1] + axis];
        mesh->positions[3 * corners[2] + axis] = (float)(a + part * (b - a) + (axis == 2) * off);
    }
}

static void flip_face(OddMesh *mesh, Random *random) {
    if (mesh->face_count == 0) {
        return;
    }
    int size = mesh->face_sizes[0], other = random_below(random, size);
    int32_t kept = mesh->face_vertices[0];
    mesh->face_vertices[0] = mesh->face_vertices[other];
    mesh->face_vertices[other] = kept;
}

static void duplicate_face(OddMesh *mesh, Random *random) {
    (void)random;
    if (mesh->face_count > 0) {
        int32_t corners[12];
        int size = mesh->face_sizes[0];
        memcpy(corners, mesh->face_vertices, (size_t)size * sizeof *corners);
        add_face(mesh, size, corners);
    }
}

static void repeat_vertex(OddMesh *mesh, Random *random) {
    if (mesh->corner_count > 1) {
        int at = random_below(random, mesh->corner_count - 1);
        mesh->face_vertices[at] = mesh->face_vertices[at + 1];
    }
}

/* Faces of other places share a vertex, or an edge becomes one of many. */
static void tie_faces(OddMesh *mesh, Random *random) {
    if (mesh->corner_count > 0) {
        mesh->face_vertices[random_below(random, mesh->corner_count)] =
            random_below(random, mesh->vertex_count);
    }
}

static void add_loose_things(OddMesh *mesh, Random *random) {
    add_vertex(mesh, random_signed(random), 5, 0);
    add_edge(mesh, random_below(random, mesh->vertex_count),
             random_below(random, mesh->vertex_count));
}

static void gather(OddMesh *mesh, Random *random) {
    float kept = random_chance(random, 0.5) ? 0 : 1e-7f;
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] *= kept;
    }
}

static void shake(OddMesh *mesh, Random *random) {
    double size = pow(10, -6 * random_unit(random));
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] += (float)(size * random_signed(random));
    }
}

static void move_away(OddMesh *mesh, Random *random) {
    double way = pow(10, 5 * random_unit(random));
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v] += (float)way;
    }
}

static void flatten_axis(OddMesh *mesh, Random *random) {
    int axis = random_below(random, 3);
    for (int v = 0; v < mesh->vertex_count; ++v) {
        mesh->positions[3 * v + axis] = 0;
    }
}

static void spoil(OddMesh *mesh, Random *random) {
    static void (*const faults[])(OddMesh *, Random *) = {
        double_places, flatten_face, flip_face,        duplicate_face, repeat_vertex,
        tie_faces,     shake,        add_loose_things, flatten_axis,   move_away};
    for (int count = random_below(random, 6); count > 0; --count) {
        faults[random_below(random, 10)](mesh, random);
    }
    if (random_chance(random, 0.03)) {
        gather(mesh, random);
    }
}

/* What no simulation can take. */
static void spoil_for_good(OddMesh *mesh, Random *random) {
    static const float wrong[] = {NAN, INFINITY, -INFINITY, 3e38f, 1e-40f};
    static const int32_t beyond[] = {-1, ODD_VERTICES, INT32_MAX, INT32_MIN};
    if (random_chance(random, 0.5)) {
        any_place(mesh, random)[random_below(random, 3)] = wrong[random_below(random, 5)];
    } else if (mesh->corner_count > 0 && random_chance(random, 0.5)) {
        mesh->face_vertices[random_below(random, mesh->corner_count)] =
            beyond[random_below(random, 4)];
    } else if (mesh->edge_count > 0) {
        mesh->edges[random_below(random, 2 * mesh->edge_count)] = beyond[random_below(random, 4)];
    }
}

static void lay_out(OddMesh *mesh, Random *random, OddFaults faults) {
    for (int c = 0; c < mesh->corner_count; ++c) {
        int v = mesh->face_vertices[c];
        const float *place = mesh->positions + 3 * (v >= 0 && v < mesh->vertex_count ? v : 0);
        mesh->corner_uvs[2 * c] = place[0];
        mesh->corner_uvs[2 * c + 1] = random_chance(random, 0.02) ? place[2] : place[1];
    }
    if (faults == ODD_ANY && mesh->corner_count > 0 && random_chance(random, 0.1)) {
        mesh->corner_uvs[random_below(random, 2 * mesh->corner_count)] = NAN;
    }
}

void odd_mesh(OddMesh *mesh, uint64_t seed, OddFaults faults) {
    Random random = {seed};
    memset(mesh, 0, sizeof *mesh);
    int shapes = random_chance(&random, 0.7) ? 1 : 1 + random_below(&random, 3);
    for (int s = 0; s < shapes; ++s) {
        make_shape(mesh, &random);
    }
    if (random_chance(&random, 0.7)) {
        spoil(mesh, &random);
    }
    double scale = random_chance(&random, 0.4) ? 1 : pow(10, 4 * random_signed(&random));
    for (int i = 0; i < 3 * mesh->vertex_count; ++i) {
        mesh->positions[i] *= (float)scale;
    }
    if (faults == ODD_ANY && random_chance(&random, 0.1)) {
        spoil_for_good(mesh, &random);
    }
    mesh->has_uvs = random_chance(&random, 0.3);
    lay_out(mesh, &random, faults);
}

MuslinMesh odd_mesh_cloth(const OddMesh *mesh) {
    return (MuslinMesh){.size = sizeof(MuslinMesh),
                        .vertex_count = mesh->vertex_count,
                        .face_count = mesh->face_count,
                        .edge_count = mesh->edge_count,
                        .positions = mesh->positions,
                        .face_sizes = mesh->face_sizes,
                        .face_vertices = mesh->face_vertices,
                        .edges = mesh->edges,
                        .corner_uvs = mesh->has_uvs ? mesh->corner_uvs : NULL};
}

MuslinBody odd_mesh_body(const OddMesh *mesh) {
    MuslinBody body;
    muslin_default_body(&body);
    body.vertex_count = mesh->vertex_count;
    body.face_count = mesh->face_count;
    body.positions = mesh->positions;
    body.face_sizes = mesh->face_sizes;
    body.face_vertices = mesh->face_vertices;
    return body;
}
