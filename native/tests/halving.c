/* Building halves for tests, and what must hold of every one. */
#include "halving.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"

const HalfOptions halve_exactly = {.mode = HALF_EXACT, .plane = {{0, 0, 0}, {1, 0, 0}}};

static void check_vertex(const Half *half, int h) {
    const float *p = half->polygons.positions + 3 * (int64_t)h;
    int source = half->source[h], image = half->image[h];
    CHECK(source >= -1 && source < half->caller_count);
    CHECK(image >= -1 && image < half->caller_count);
    if (h >= half->plane_from) {
        CHECK(p[0] == 0);
        CHECK(source < 0 || image == source);
    } else {
        CHECK(image < 0 || image != source);
    }
    if (source >= 0) {
        const Ride *ride = &half->rides[source];
        CHECK(ride->weights[0] != 1 || ride->vertices[0] == h);
        CHECK_INT(ride->mirrored, 0);
    }
    if (image >= 0 && half->mirrored_to_the_bit) {
        CHECK_INT(half->rides[image].vertices[0], h);
        CHECK_INT(half->rides[image].mirrored, image != source);
    }
}

void check_maps(const Half *half, const PolygonMesh *mesh) {
    int count = half->polygons.vertex_count, extra = 0, corner = 0;
    CHECK_INT(half->caller_count, mesh->vertex_count);
    CHECK(0 <= half->rail_from && half->rail_from <= half->plane_from && half->plane_from <= count);
    for (int h = 0; h < count; ++h) {
        check_vertex(half, h);
    }
    for (int v = 0; v < half->caller_count; ++v) {
        const Ride *ride = &half->rides[v];
        double sum = ride->weights[0] + ride->weights[1] + ride->weights[2];
        if (ride->vertices[0] < 0) {
            CHECK(extra < half->extra_count && half->extra[extra] == v);
            ++extra;
            continue;
        }
        CHECK_NEAR(sum, 1, 1e-12);
        for (int k = 0; k < 3; ++k) {
            CHECK(ride->vertices[k] >= 0 && ride->vertices[k] < count);
        }
        if (half->mirrored_to_the_bit) {
            int h = ride->vertices[0];
            CHECK(ride->weights[0] == 1 && ride->lift == 0);
            CHECK_INT(ride->mirrored ? half->image[h] : half->source[h], v);
        }
    }
    CHECK_INT(extra, half->extra_count);
    for (int f = 0; f < half->polygons.face_count; ++f) {
        for (int c = 0; c < half->polygons.face_sizes[f]; ++c, ++corner) {
            CHECK(half->polygons.face_vertices[corner] >= 0);
            CHECK(half->polygons.face_vertices[corner] < count);
        }
    }
}

void rest_of(const Half *half, Vec3 *positions) {
    for (int h = 0; h < half->polygons.vertex_count; ++h) {
        positions[h] = polygon_position(&half->polygons, h);
    }
}

double rest_error(const Half *half, const PolygonMesh *mesh) {
    static Vec3 rest[MESHES_MOST];
    static float carried[3 * MESHES_MOST];
    double most = 0;
    rest_of(half, rest);
    half_carry(half, NULL, rest, carried);
    for (int v = 0; v < half->caller_count; ++v) {
        if (half->rides[v].vertices[0] >= 0) {
            const float *p = carried + 3 * v;
            double d = vec3_distance(vec3(p[0], p[1], p[2]), polygon_position(mesh, v));
            most = d > most || !(d >= 0) ? d : most;
        }
    }
    return most;
}

TestMesh *symmetric_sheet(int nx, int ny, double step) {
    TestMesh *mesh = mesh_new();
    for (int j = 0; j <= ny; ++j) {
        for (int i = 0; i <= nx; ++i) {
            double x = step * (i - 0.5 * nx), y = 1.1 * step * j;
            mesh_add_vertex(mesh, x, y + 0.1 * x * x, 0.3 * step * cos(9 * x) + 0.2 * y * y);
        }
    }
    for (int j = 0; j < ny; ++j) {
        for (int i = 0; i < nx; ++i) {
            int a = j * (nx + 1) + i;
            mesh_add_face(mesh, 4, (const int[]){a, a + 1, a + nx + 2, a + nx + 1});
        }
    }
    return mesh;
}

void turn_mesh(TestMesh *mesh, MirrorPlane *plane) {
    Vec3 x = vec3_unit_or(random_vector(1), vec3(1, 0, 0)), origin = random_vector(0.5);
    Vec3 y = vec3_unit_or(vec3_cross(x, random_vector(1)), vec3(0, 1, 0)), z = vec3_cross(x, y);
    for (int v = 0; v < mesh->polygons.vertex_count; ++v) {
        float *p = mesh->positions + 3 * v;
        Vec3 q = vec3_madd(vec3_madd(vec3_madd(origin, p[0], x), p[1], y), p[2], z);
        p[0] = (float)q.x;
        p[1] = (float)q.y;
        p[2] = (float)q.z;
    }
    *plane = (MirrorPlane){vec3_madd(origin, 0.7, y), x};
}

/* Does the straight way from p to q pass through the triangle? */
static bool pierces(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    Vec3 n = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double from = vec3_dot(vec3_sub(p, a), n), to = vec3_dot(vec3_sub(q, a), n);
    if ((from > 0) == (to > 0)) {
        return false;
    }
    Vec3 at = vec3_madd(p, from / (from - to), vec3_sub(q, p));
    Vec3 corner[4] = {a, b, c, a};
    for (int k = 0; k < 3; ++k) {
        Vec3 side = vec3_sub(corner[k + 1], corner[k]);
        if (vec3_dot(vec3_cross(side, vec3_sub(at, corner[k])), n) < 0) {
            return false;
        }
    }
    return true;
}

static int shares(const int *edge, const int32_t *triangle) {
    int shared = 0;
    for (int i = 0; i < 6; ++i) {
        shared |= edge[i / 3] == triangle[i % 3];
    }
    return shared;
}

static Vec3 place_at(const float *positions, int v) {
    const float *p = positions + 3 * (int64_t)v;
    return vec3(p[0], p[1], p[2]);
}

int count_piercings(const PolygonMesh *mesh, const float *positions, const uint8_t *marks) {
    static int32_t triangles[MESHES_MOST][3];
    static uint8_t of[MESHES_MOST];
    const int32_t *ring = mesh->face_vertices;
    int count = 0, found = 0;
    for (int f = 0; f < mesh->face_count; ring += mesh->face_sizes[f++]) {
        for (int k = 1; k + 1 < mesh->face_sizes[f]; ++k) {
            int32_t corner[3] = {ring[0], ring[k], ring[k + 1]};
            memcpy(triangles[count], corner, sizeof corner);
            of[count++] = marks[ring[0]] | marks[ring[k]] | marks[ring[k + 1]];
        }
    }
    for (int i = 0; i < 3 * count; ++i) {
        const int32_t *from = triangles[i / 3];
        int edge[2] = {from[i % 3], from[(i + 1) % 3]};
        for (int t = 0; t < count; ++t) {
            if (of[i / 3] != of[t] && !shares(edge, triangles[t])) {
                found += pierces(place_at(positions, edge[0]), place_at(positions, edge[1]),
                                 place_at(positions, triangles[t][0]),
                                 place_at(positions, triangles[t][1]),
                                 place_at(positions, triangles[t][2]));
            }
        }
    }
    return found;
}
