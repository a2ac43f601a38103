/* Where a face is cut decides how it folds. The rules go by shape and place, not by numbers, so that a symmetric mesh
 * gets symmetric cuts. */
#include "mesh/polygon.h"

/* Lengths that agree to this relative tolerance count as equal: float32 input, squared. */
#define EQUAL 1e-5
/* Above this size any good ear is taken, not the best: keeps the cut quadratic. */
#define BEST_EAR_LIMIT 64

Vec3 polygon_centre(const PolygonMesh *mesh) {
    if (mesh->cut_centre) {
        return vec3(mesh->cut_centre[0], mesh->cut_centre[1], mesh->cut_centre[2]);
    }
    float low[3], high[3];
    for (int c = 0; c < 3; ++c) {
        low[c] = high[c] = mesh->positions[c];
    }
    for (int64_t i = 3; i < 3 * (int64_t)mesh->vertex_count; ++i) {
        float value = mesh->positions[i];
        low[i % 3] = value < low[i % 3] ? value : low[i % 3];
        high[i % 3] = value > high[i % 3] ? value : high[i % 3];
    }
    return vec3(0.5 * (low[0] + (double)high[0]), 0.5 * (low[1] + (double)high[1]),
                0.5 * (low[2] + (double)high[2]));
}

double polygon_mean_side(const PolygonMesh *mesh) {
    const int32_t *ring = mesh->face_vertices;
    double sum = 0;
    int count = 0;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int c = 0, size = mesh->face_sizes[f]; c < size; ++c, ++count) {
            sum += vec3_distance(polygon_position(mesh, ring[c]),
                                 polygon_position(mesh, ring[(c + 1) % size]));
        }
    }
    return count > 0 ? sum / count : 0;
}

Vec3 polygon_normal(const Vec3 *points, int count) {
    Vec3 sum = vec3(0, 0, 0);
    for (int i = 1; i + 1 < count; ++i) {
        Vec3 cross = vec3_cross(vec3_sub(points[i], points[0]), vec3_sub(points[i + 1], points[0]));
        sum = vec3_add(sum, cross);
    }
    return sum;
}

static double corner_area(const Vec3 *points, int a, int b, int c, Vec3 normal) {
    Vec3 cross = vec3_cross(vec3_sub(points[b], points[a]), vec3_sub(points[c], points[a]));
    return vec3_dot(cross, normal);
}

static double squared_distance(Vec3 a, Vec3 b) {
    Vec3 d = vec3_sub(a, b);
    return vec3_dot(d, d);
}

/* Is the top corner of a quad one of the diagonal 0-2? The highest, of equally high ones the furthest along y, of those
 * the furthest from the centre, all to a squared length of `equal`: its image in a plane across x is the image's. */
static int first_has_top(const Vec3 *p, Vec3 centre, double equal) {
    int top = 0;
    for (int c = 1; c < 4; ++c) {
        double higher = p[c].z - p[top].z, further = p[c].y - p[top].y;
        double outer = squared_distance(p[c], centre) - squared_distance(p[top], centre);
        int ahead = higher * higher > equal     ? higher > 0
                    : further * further > equal ? further > 0
                                                : outer > equal;
        top = ahead ? c : top;
    }
    return top % 2 == 0;
}

/* Does diagonal 0-2 win over 1-3? */
static int quad_takes_first_diagonal(const Vec3 *p, Vec3 centre) {
    Vec3 normal = polygon_normal(p, 4);
    double tiny = -1e-9 * vec3_dot(normal, normal);
    int first_inside =
        corner_area(p, 0, 1, 2, normal) > tiny && corner_area(p, 0, 2, 3, normal) > tiny;
    int second_inside =
        corner_area(p, 1, 2, 3, normal) > tiny && corner_area(p, 1, 3, 0, normal) > tiny;
    if (first_inside != second_inside) {
        return first_inside;
    }
    double first = squared_distance(p[0], p[2]);
    double second = squared_distance(p[1], p[3]);
    if (fabs(first - second) > EQUAL * (first + second)) {
        return first < second;
    }
    double far_first = fmax(squared_distance(p[0], centre), squared_distance(p[2], centre));
    double far_second = fmax(squared_distance(p[1], centre), squared_distance(p[3], centre));
    if (fabs(far_first - far_second) > EQUAL * (first + second)) {
        return far_first > far_second;
    }
    return first_has_top(p, centre, EQUAL * (first + second));
}

static bool point_in_triangle(const Vec3 *points, int p, int a, int b, int c, Vec3 normal) {
    return corner_area(points, a, b, p, normal) >= 0 && corner_area(points, b, c, p, normal) >= 0 &&
           corner_area(points, c, a, p, normal) >= 0;
}

/* Is corner `at` of the remaining ring an ear: convex, with no other corner inside? */
static bool is_ear(const Vec3 *points, const int *ring, int size, int at, Vec3 normal) {
    int a = ring[(at + size - 1) % size], b = ring[at], c = ring[(at + 1) % size];
    if (corner_area(points, a, b, c, normal) <= 0) {
        return false;
    }
    for (int i = 0; i < size; ++i) {
        int p = ring[i];
        if (p != a && p != b && p != c && point_in_triangle(points, p, a, b, c, normal)) {
            return false;
        }
    }
    return true;
}

/* The ear with the shortest cut; of equal ones the farthest from the centre, as with quads. */
static int best_ear(const Vec3 *points, const int *ring, int size, Vec3 normal, Vec3 centre) {
    int best = -1;
    double best_length = 0, best_far = 0;
    for (int i = 0; i < size; ++i) {
        if (!is_ear(points, ring, size, i, normal)) {
            continue;
        }
        double length =
            squared_distance(points[ring[(i + size - 1) % size]], points[ring[(i + 1) % size]]);
        double far = squared_distance(points[ring[i]], centre);
        bool shorter = best < 0 || length < best_length * (1 - EQUAL);
        bool equal = best >= 0 && fabs(length - best_length) <= EQUAL * best_length;
        if (shorter || (equal && far > best_far + EQUAL * length)) {
            best = i;
            best_length = length;
            best_far = far;
            if (size > BEST_EAR_LIMIT) {
                return best;
            }
        }
    }
    return best < 0 ? 0 : best; /* a twisted polygon has no ear: cut anywhere */
}

static void cut_by_ears(const Vec3 *points, int count, Vec3 centre, int *ring, int (*out)[3]) {
    Vec3 normal = polygon_normal(points, count);
    for (int i = 0; i < count; ++i) {
        ring[i] = i;
    }
    int size = count, made = 0;
    while (size > 3) {
        int ear = best_ear(points, ring, size, normal, centre);
        out[made][0] = ring[(ear + size - 1) % size];
        out[made][1] = ring[ear];
        out[made][2] = ring[(ear + 1) % size];
        ++made;
        for (int i = ear; i + 1 < size; ++i) {
            ring[i] = ring[i + 1];
        }
        --size;
    }
    for (int i = 0; i < 3; ++i) {
        out[made][i] = ring[i];
    }
}

static void set_triangle(int *triangle, int a, int b, int c) {
    triangle[0] = a;
    triangle[1] = b;
    triangle[2] = c;
}

void polygon_cut(const Vec3 *points, int count, Vec3 centre, int *scratch, int (*triangles)[3]) {
    if (count == 3) {
        set_triangle(triangles[0], 0, 1, 2);
    } else if (count == 4) {
        int first = quad_takes_first_diagonal(points, centre);
        set_triangle(triangles[0], 0, 1, first ? 2 : 3);
        set_triangle(triangles[1], first ? 0 : 1, 2, 3);
    } else {
        cut_by_ears(points, count, centre, scratch, triangles);
    }
}
