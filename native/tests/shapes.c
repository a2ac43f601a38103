/* Simple shapes that bodies are tested with. */
#include "shapes.h"

#include <stdlib.h>

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
