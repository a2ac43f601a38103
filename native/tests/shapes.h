/* Bodies for tests of contact: boxes, spheres, sheets, and any other list of triangles. */
#ifndef TESTS_SHAPES_H
#define TESTS_SHAPES_H

#include "contact/body/collider.h"

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

#endif
