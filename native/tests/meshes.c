/* Meshes for tests: random, regular, and broken on purpose. */
#include <stdlib.h>

#include "check.h"
#include "meshes.h"

TestMesh *mesh_new(void) {
    TestMesh *mesh = calloc(1, sizeof *mesh);
    if (!mesh) {
        abort();
    }
    mesh->polygons.positions = mesh->positions;
    mesh->polygons.face_sizes = mesh->face_sizes;
    mesh->polygons.face_vertices = mesh->face_vertices;
    mesh->polygons.edges = mesh->edges;
    return mesh;
}

void mesh_free(TestMesh *mesh) { free(mesh); }

int mesh_add_vertex(TestMesh *mesh, double x, double y, double z) {
    int at = mesh->polygons.vertex_count++;
    float *p = mesh->positions + 3 * at;
    p[0] = (float)x;
    p[1] = (float)y;
    p[2] = (float)z;
    return at;
}

void mesh_add_face(TestMesh *mesh, int count, const int *vertices) {
    mesh->face_sizes[mesh->polygons.face_count++] = count;
    for (int c = 0; c < count; ++c) {
        mesh->face_vertices[mesh->corner_count++] = vertices[c];
    }
}

void mesh_add_triangle(TestMesh *mesh, int a, int b, int c) {
    mesh_add_face(mesh, 3, (const int[]){a, b, c});
}

void mesh_add_edge(TestMesh *mesh, int a, int b) {
    int at = mesh->polygons.edge_count++;
    mesh->edges[2 * at] = a;
    mesh->edges[2 * at + 1] = b;
}

void mesh_add_uvs(TestMesh *mesh, double scale) {
    for (int c = 0; c < mesh->corner_count; ++c) {
        const float *p = mesh->positions + 3 * mesh->face_vertices[c];
        mesh->uvs[2 * c] = (float)(scale * p[0]);
        mesh->uvs[2 * c + 1] = (float)(scale * p[1]);
    }
    mesh->polygons.corner_uvs = mesh->uvs;
}

/* Angle at `tip` between two other vertices. */
static double angle_at(const TestMesh *mesh, int tip, int first, int second) {
    Vec3 p = polygon_position(&mesh->polygons, tip);
    Vec3 a = vec3_sub(polygon_position(&mesh->polygons, first), p);
    Vec3 b = vec3_sub(polygon_position(&mesh->polygons, second), p);
    return acos(vec3_dot(a, b) / (vec3_length(a) * vec3_length(b)));
}

/* `cell` are its four corners, the first at (i, j): does the diagonal from there to the third win? */
static int takes_rising(const TestMesh *mesh, GridKind kind, int i, int j, const int *cell) {
    switch (kind) {
    case GRID_DELAUNAY: /* the angles facing the diagonal add to less than two right ones */
        return angle_at(mesh, cell[1], cell[0], cell[2]) +
                   angle_at(mesh, cell[3], cell[2], cell[0]) <
               M_PI;
    case GRID_ALTERNATING:
        return (i + j) % 2 == 0;
    case GRID_EQUILATERAL:
        return j % 2 == 1;
    case GRID_IRREGULAR:
    case GRID_MIXED:
        return random_below(2);
    default:
        return 1;
    }
}

static void add_cell(TestMesh *mesh, GridKind kind, int nx, int i, int j) {
    int a = j * nx + i, b = a + 1, c = b + nx, d = a + nx;
    if (kind == GRID_QUADS || (kind == GRID_MIXED && random_below(2))) {
        mesh_add_face(mesh, 4, (const int[]){a, b, c, d});
    } else if (takes_rising(mesh, kind, i, j, (const int[]){a, b, c, d})) {
        mesh_add_triangle(mesh, a, b, c);
        mesh_add_triangle(mesh, a, c, d);
    } else {
        mesh_add_triangle(mesh, a, b, d);
        mesh_add_triangle(mesh, b, c, d);
    }
}

TestMesh *mesh_grid(GridKind kind, int nx, int ny, double width) {
    TestMesh *mesh = mesh_new();
    double step = width / (nx - 1);
    double rise = kind == GRID_EQUILATERAL ? step * sqrt(0.75) : step;
    bool moved = kind == GRID_IRREGULAR || kind == GRID_MIXED || kind == GRID_DELAUNAY;
    double jitter = moved ? 0.25 * step : 0;
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            double shift = kind == GRID_EQUILATERAL && j % 2 ? 0.5 * step : 0;
            double x = i * step + shift, y = j * rise;
            if (moved) {
                x += random_between(-jitter, jitter);
                y += random_between(-jitter, jitter);
            }
            mesh_add_vertex(mesh, x, y, 0);
        }
    }
    for (int j = 0; j + 1 < ny; ++j) {
        for (int i = 0; i + 1 < nx; ++i) {
            add_cell(mesh, kind, nx, i, j);
        }
    }
    return mesh;
}

TestMesh *mesh_tube(int around, int rows, int shift) {
    TestMesh *mesh = mesh_new();
    for (int k = 0; k < around * rows; ++k) {
        double angle = 6.283185307179586 * (k % around) / around;
        mesh_add_vertex(mesh, cos(angle), sin(angle), 0.5 * (k / around) - 0.01 * shift * angle);
    }
    for (int k = 0; k < around * (rows - 1); ++k) {
        int row = k / around, at = k % around, next = (at + 1) % around;
        int up = next == 0 ? row + shift : row;
        if (up + 1 >= rows) {
            continue;
        }
        const int face[] = {row * around + at, up * around + next, (up + 1) * around + next,
                            (row + 1) * around + at};
        const int turned[] = {face[2], face[3], face[0], face[1]};
        mesh_add_face(mesh, 4, k % 2 ? face : turned);
    }
    return mesh;
}

TestMesh *mesh_rope(int n, double length) {
    TestMesh *mesh = mesh_new();
    for (int i = 0; i < n; ++i) {
        mesh_add_vertex(mesh, length * i / (n - 1), 0, 0);
        if (i > 0) {
            mesh_add_edge(mesh, i - 1, i);
        }
    }
    return mesh;
}

TestMesh *mesh_random(void) {
    int nx = 3 + random_below(4), ny = 3 + random_below(4), length = random_below(4);
    GridKind kind = random_below(2) ? GRID_IRREGULAR : GRID_MIXED;
    TestMesh *mesh = mesh_grid(kind, nx, ny, 0.2 * (nx - 1));
    mesh_crumple(mesh, 0.1);
    int knot = random_below(nx * ny);
    for (int i = 0; i < length; ++i) {
        const float *p = mesh->positions + 3 * knot;
        Vec3 turn = random_vector(0.02);
        int end = mesh_add_vertex(mesh, p[0] + turn.x, p[1] + turn.y, p[2] + 0.15 + turn.z);
        mesh_add_edge(mesh, knot, end);
        knot = end;
    }
    return mesh;
}

TestMesh *mesh_half(const TestMesh *whole, int *number, int *plane_from) {
    const PolygonMesh *p = &whole->polygons;
    TestMesh *half = mesh_new();
    for (int plane = 0; plane < 2; ++plane) {
        for (int v = 0; v < p->vertex_count; ++v) {
            const float *x = whole->positions + 3 * v;
            bool in_plane = fabsf(x[0]) <= 1e-6f; /* but for rounding */
            if (plane ? in_plane : !in_plane && x[0] > 0) {
                number[v] = mesh_add_vertex(half, plane ? 0.0 : x[0], x[1], x[2]);
            } else if (!plane) {
                number[v] = -1;
            }
        }
        if (!plane) {
            *plane_from = half->polygons.vertex_count;
        }
    }
    const int32_t *corner = p->face_vertices;
    for (int f = 0; f < p->face_count; corner += p->face_sizes[f++]) {
        int face[4], kept = 1;
        for (int c = 0; c < p->face_sizes[f]; ++c) {
            face[c] = number[corner[c]];
            kept &= face[c] >= 0;
        }
        if (kept) {
            mesh_add_face(half, p->face_sizes[f], face);
        }
    }
    for (int e = 0; e < p->edge_count; ++e) {
        int a = number[p->edges[2 * e]], b = number[p->edges[2 * e + 1]];
        if (a >= 0 && b >= 0) {
            mesh_add_edge(half, a, b);
        }
    }
    return half;
}

void mesh_crumple(TestMesh *mesh, double height) {
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        float *p = mesh->positions + 3 * v;
        p[2] = (float)(height * sin(3 * p[0]) * cos(2 * p[1]));
    }
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* Simple shapes that bodies are tested with. */

Shape *shape_new(void) {
    Shape *shape = calloc(1, sizeof *shape);
    if (!shape) {
        abort();
    }
    shape->thickness = 0.003;
    shape->friction = 0.4;
    return shape;
}

int shape_add_vertex(Shape *shape, double x, double y, double z) {
    shape->x[shape->vertex_count] = vec3(x, y, z);
    return shape->vertex_count++;
}

void shape_add_triangle(Shape *shape, int a, int b, int c) {
    int *t = shape->triangles + 3 * shape->triangle_count++;
    t[0] = a;
    t[1] = b;
    t[2] = c;
}

void shape_add_quad(Shape *shape, int a, int b, int c, int d) {
    shape_add_triangle(shape, a, b, c);
    shape_add_triangle(shape, a, c, d);
}

void shape_add_box(Shape *shape, Vec3 low, Vec3 high) {
    int v = shape->vertex_count;
    for (int i = 0; i < 8; ++i) {
        shape_add_vertex(shape, i & 1 ? high.x : low.x, i & 2 ? high.y : low.y,
                         i & 4 ? high.z : low.z);
    }
    shape_add_quad(shape, v + 0, v + 2, v + 3, v + 1);
    shape_add_quad(shape, v + 4, v + 5, v + 7, v + 6);
    shape_add_quad(shape, v + 0, v + 1, v + 5, v + 4);
    shape_add_quad(shape, v + 2, v + 6, v + 7, v + 3);
    shape_add_quad(shape, v + 0, v + 4, v + 6, v + 2);
    shape_add_quad(shape, v + 1, v + 3, v + 7, v + 5);
}

void shape_add_sphere(Shape *shape, Vec3 centre, double radius, int n) {
    int top = shape_add_vertex(shape, centre.x, centre.y, centre.z + radius);
    int bottom = shape_add_vertex(shape, centre.x, centre.y, centre.z - radius);
    int first = shape->vertex_count, around = 2 * n;
    for (int i = 1; i < n; ++i) {
        for (int j = 0; j < around; ++j) {
            double u = M_PI * i / n, v = M_PI * j / n;
            shape_add_vertex(shape, centre.x + radius * sin(u) * cos(v),
                             centre.y + radius * sin(u) * sin(v), centre.z + radius * cos(u));
        }
    }
    for (int j = 0; j < around; ++j) {
        int next = (j + 1) % around, last = first + (n - 2) * around;
        shape_add_triangle(shape, top, first + j, first + next);
        shape_add_triangle(shape, bottom, last + next, last + j);
        for (int i = 0; i + 2 < n; ++i) {
            int above = first + i * around, below = above + around;
            shape_add_quad(shape, above + j, below + j, below + next, above + next);
        }
    }
}

void shape_add_sheet(Shape *shape, double size, double height, int n) {
    int v = shape->vertex_count;
    for (int i = 0; i <= n; ++i) {
        for (int j = 0; j <= n; ++j) {
            shape_add_vertex(shape, size * (2.0 * j / n - 1), size * (2.0 * i / n - 1), height);
        }
    }
    for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
            int at = v + i * (n + 1) + j;
            shape_add_quad(shape, at, at + 1, at + n + 2, at + n + 1);
        }
    }
}

ColliderDefinition shape_definition(const Shape *shape) {
    return (ColliderDefinition){.vertex_count = shape->vertex_count,
                                .triangle_count = shape->triangle_count,
                                .positions = shape->x,
                                .triangles = shape->triangles,
                                .thickness = shape->thickness,
                                .friction = shape->friction,
                                .margin = shape->thickness};
}
