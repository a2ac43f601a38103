/* Small meshes for tests: grids, irregular sheets, ropes. Each is a PolygonMesh with its arrays. */
#pragma once

#include "contact/body/collider.h"
#include "mesh/polygon.h"

#define MESHES_MOST 16384 /* vertices, faces, loose edges; a quarter of the corners */

typedef struct TestMesh {
    PolygonMesh polygons; /* points into the arrays below */
    float positions[3 * MESHES_MOST], uvs[8 * MESHES_MOST];
    int32_t face_sizes[MESHES_MOST], face_vertices[4 * MESHES_MOST], edges[2 * MESHES_MOST];
    int corner_count;
} TestMesh;

typedef enum GridKind {
    GRID_QUADS,
    GRID_ALTERNATING, /* triangles, diagonals like a checkerboard */
    GRID_PARALLEL,    /* triangles, all diagonals the same way */
    GRID_EQUILATERAL, /* rows shifted by half a step: equilateral triangles */
    GRID_IRREGULAR,   /* vertices moved about, diagonals by chance */
    GRID_MIXED,       /* likewise, with quads among the triangles */
    GRID_DELAUNAY, /* vertices moved about, the diagonal of each cell as Delaunay would have it */
    GRID_KINDS
} GridKind;

/* An empty mesh to add to. */
TestMesh *mesh_new(void);
void mesh_free(TestMesh *mesh);
int mesh_add_vertex(TestMesh *mesh, double x, double y, double z);
void mesh_add_face(TestMesh *mesh, int count, const int *vertices);
void mesh_add_triangle(TestMesh *mesh, int a, int b, int c);
void mesh_add_edge(TestMesh *mesh, int a, int b);
/* UVs of all corners from the vertices' x and y: the flat sheet as its own pattern. */
void mesh_add_uvs(TestMesh *mesh, double scale);

/* nx by ny vertices in the plane z = 0, `width` long in x; vertices run along x first. */
TestMesh *mesh_grid(GridKind kind, int nx, int ny, double width);
/* Quads, `around` by `rows` vertices on a cylinder that stands. Every second face is turned. With a `shift` of one row it
 * closes so that what goes around ends a row higher. */
TestMesh *mesh_tube(int around, int rows, int shift);
/* A straight line of n vertices along x. */
TestMesh *mesh_rope(int n, double length);
/* Some irregular sheet, out of its plane, with a rope tied to it. Differs with the random numbers. */
TestMesh *mesh_random(void);

/* The side x >= 0 of a mesh that is its own image, vertices of the plane last, from `plane_from` on; `number` tells the new
 * number of each vertex, or -1. */
TestMesh *mesh_half(const TestMesh *whole, int *number, int *plane_from);

/* Lifts the sheet to z = height sin(3 x) cos(2 y). */
void mesh_crumple(TestMesh *mesh, double height);

/* --- bodies ----------------------------------------------------------------------------------- */

/* Bodies for tests of contact: boxes, spheres, sheets, and any other list of triangles. */

#define SHAPES_MOST 6000 /* vertices, triangles */

typedef struct Shape {
    Vec3 x[SHAPES_MOST];
    int triangles[3 * SHAPES_MOST];
    int vertex_count, triangle_count;
    double thickness, friction;
} Shape;

/* An empty one to add to, 3 mm thick. Freed with free(). */
Shape *shape_new(void);
int shape_add_vertex(Shape *shape, double x, double y, double z);
void shape_add_triangle(Shape *shape, int a, int b, int c);
void shape_add_quad(Shape *shape, int a, int b, int c, int d);

void shape_add_box(Shape *shape, Vec3 low, Vec3 high);
/* n rings from pole to pole. */
void shape_add_sphere(Shape *shape, Vec3 centre, double radius, int n);
/* n by n cells of the square from -size to size at this height, facing up. */
void shape_add_sheet(Shape *shape, double size, double height, int n);

ColliderDefinition shape_definition(const Shape *shape);
