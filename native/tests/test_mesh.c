/* From polygons to triangles, edges, hinges and material coordinates. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "mesh/mesh.h"
#include "rig.h"

#define MOST 40

/* --- cutting polygons ------------------------------------------------------------------------- */

/* A star-shaped polygon, mostly concave, in a random plane; `mirrored` gives its image at x = 0. */
static int random_polygon(int count, double flatness, Vec3 *points) {
    for (int c = 0; c < count; ++c) {
        double angle = 2 * M_PI * (c + random_between(-0.3, 0.3)) / count;
        double radius = random_between(flatness, 1);
        points[c] = vec3(radius * cos(angle), radius * sin(angle), 0);
    }
    Vec3 turn = random_vector(2), shift = random_vector(1);
    for (int c = 0; c < count; ++c) {
        points[c] = vec3_add(guess_rotate(turn, points[c]), shift);
    }
    return count;
}

static Vec3 triangle_normal(const Vec3 *points, const int *t) {
    return vec3_cross(vec3_sub(points[t[1]], points[t[0]]), vec3_sub(points[t[2]], points[t[0]]));
}

/* Every triangle faces as the polygon does and together they have its area: so none overlap. */
static void check_cut(const Vec3 *points, int count, int (*cut)[3]) {
    Vec3 normal = polygon_normal(points, count), unit = vec3_unit_or(normal, vec3(0, 0, 0));
    double area = 0;
    int used[MOST] = {0};
    for (int t = 0; t < count - 2; ++t) {
        double part = vec3_dot(triangle_normal(points, cut[t]), unit);
        CHECK(part > -1e-12);
        area += fabs(part);
        for (int c = 0; c < 3; ++c) {
            CHECK(cut[t][c] >= 0 && cut[t][c] < count);
            ++used[cut[t][c]];
        }
    }
    CHECK_NEAR(area, vec3_length(normal), 1e-9);
    for (int c = 0; c < count; ++c) {
        CHECK(used[c] > 0);
    }
}

static int compare_triples(const void *left, const void *right) {
    return memcmp(left, right, 3 * sizeof(int));
}

/* Triangles as sorted triples of polygon corners, renamed by c -> (sign c + shift) mod count. */
static void name_triangles(int (*cut)[3], int count, int sign, int shift) {
    for (int t = 0; t < count - 2; ++t) {
        int *n = cut[t];
        for (int c = 0; c < 3; ++c) {
            n[c] = ((sign * n[c] + shift) % count + count) % count;
        }
        for (int c = 0; c < 2; ++c) { /* bubble */
            for (int d = 0; d < 2; ++d) {
                if (n[d] > n[d + 1]) {
                    int swap = n[d];
                    n[d] = n[d + 1];
                    n[d + 1] = swap;
                }
            }
        }
    }
    qsort(cut, (size_t)count - 2, sizeof *cut, compare_triples);
}

static void check_polygons(void) {
    for (int round = 0; round < 600; ++round) {
        Vec3 points[MOST], other[MOST], centre = random_vector(1);
        int ring[MOST], cut[MOST][3], again[MOST][3];
        int count = random_polygon(4 + round % 9, round % 2 ? 0.25 : 0.9, points);
        polygon_cut(points, count, centre, ring, cut);
        check_cut(points, count, cut);
        name_triangles(cut, count, 1, 0);
        int shift = random_below(count);
        for (int c = 0; c < count; ++c) {
            other[c] = points[(c + shift) % count];
        }
        polygon_cut(other, count, centre, ring, again);
        name_triangles(again, count, 1, shift);
        CHECK(memcmp(cut, again, (size_t)(count - 2) * sizeof *cut) == 0);
        /* the mirror image, given the other way round so that it faces outward again */
        for (int c = 0; c < count; ++c) {
            Vec3 p = points[(count - c) % count];
            other[c] = vec3(-p.x, p.y, p.z);
        }
        Vec3 image = vec3(-centre.x, centre.y, centre.z);
        polygon_cut(other, count, image, ring, again);
        check_cut(other, count, again);
        name_triangles(again, count, -1, 0);
        CHECK(memcmp(cut, again, (size_t)(count - 2) * sizeof *cut) == 0);
    }
    /* a dart: only the diagonal through the inward corner lies inside, though it is the longer one */
    const Vec3 dart[4] = {{0, 0, 0}, {3, 1, 0}, {0, 2, 0}, {1.9, 1, 0}};
    int ring[4], cut[2][3];
    polygon_cut(dart, 4, vec3(0, 0, 0), ring, cut);
    check_cut(dart, 4, cut);
    /* a square: the diagonal to the corner far from the centre of the mesh, on both sides of it */
    const Vec3 square[4] = {{1, 1, 0}, {2, 1, 0}, {2, 2, 0}, {1, 2, 0}};
    polygon_cut(square, 4, vec3(0, 0, 0), ring, cut);
    name_triangles(cut, 4, 1, 0);
    CHECK(cut[0][0] == 0 && cut[0][1] == 1 && cut[0][2] == 2);
    polygon_cut(square, 4, vec3(3, 0, 0), ring, cut);
    name_triangles(cut, 4, 1, 0);
    CHECK(cut[0][0] == 0 && cut[0][1] == 1 && cut[0][2] == 3);
}

/* --- counts ----------------------------------------------------------------------------------- */

static int open_mesh(const TestMesh *polygons, PatternSource pattern, double scale, Store *store,
                     Mesh *mesh) {
    Status status;
    *store = (Store){0};
    int code =
        mesh_build(&polygons->polygons, MESH_WHOLE,
                   &(MeshOptions){.pattern = pattern, .uv_scale = scale}, store, mesh, &status);
    CHECK_INT(code, STATUS_OK);
    return code == STATUS_OK;
}

static void check_counts(GridKind kind, int nx, int ny) {
    TestMesh *polygons = mesh_grid(kind, nx, ny, 1.0);
    Store store;
    Mesh mesh;
    if (open_mesh(polygons, PATTERN_MESH, 1, &store, &mesh)) {
        int cells = (nx - 1) * (ny - 1), shear = 0, sides = 0;
        for (int e = 0; e < mesh.edge_count; ++e) {
            shear += mesh.edges[e].kind == EDGE_SHEAR;
            sides += mesh.edges[e].kind == EDGE_CLOTH;
            CHECK(mesh.edges[e].a < mesh.edges[e].b);
            CHECK(
                e == 0 || mesh.edges[e - 1].a < mesh.edges[e].a ||
                (mesh.edges[e - 1].a == mesh.edges[e].a && mesh.edges[e - 1].b < mesh.edges[e].b));
        }
        CHECK_INT(mesh.triangle_count, 2 * cells);
        int boundary = 2 * (nx - 1) + 2 * (ny - 1);
        /* Euler: V - E + F = 1 for a disc, F faces of the polygon mesh */
        bool quads = kind == GRID_QUADS;
        CHECK_INT(mesh.vertex_count - sides + (quads ? cells : 2 * cells), 1);
        CHECK_INT(shear, quads ? 2 * cells : 0);
        /* every inner edge of the triangulation bends */
        CHECK_INT(mesh.hinge_count, sides + (quads ? cells : 0) - boundary);
        CHECK_INT(mesh.component_count, 1);
        for (int h = 0; h < mesh.hinge_count; ++h) {
            const Hinge *hinge = &mesh.hinges[h];
            for (int side = 0; side < 2; ++side) { /* both triangles have the edge and their tip */
                const int *v = mesh.triangles[hinge->triangles[side]].vertices;
                const int wanted[3] = {hinge->k, hinge->l, side ? hinge->j : hinge->i};
                for (int w = 0; w < 3; ++w) {
                    CHECK(v[0] == wanted[w] || v[1] == wanted[w] || v[2] == wanted[w]);
                }
            }
        }
    }
    store_release(&store);
    mesh_free(polygons);
}

static void check_components(void) {
    TestMesh *polygons = mesh_grid(GRID_ALTERNATING, 3, 3, 1.0);
    int first = mesh_add_vertex(polygons, 5, 0, 0);
    for (int i = 1; i < 4; ++i) {
        mesh_add_vertex(polygons, 5 + i, 0, 0);
        mesh_add_edge(polygons, first + i - 1, first + i);
    }
    int alone = mesh_add_vertex(polygons, 9, 9, 9);
    mesh_add_edge(polygons, 0, 1); /* along a side that is there already: no rope */
    Store store;
    Mesh mesh;
    if (open_mesh(polygons, PATTERN_MESH, 1, &store, &mesh)) {
        CHECK_INT(mesh.component_count, 2);
        CHECK_INT(mesh.rope_count, 3);
        CHECK_INT(mesh.isolated[alone], 1);
        CHECK_INT(mesh.isolated[first] + mesh.isolated[0], 0);
        for (int e = 0; e < mesh.edge_count; ++e) {
            if (mesh.edges[e].kind == EDGE_ROPE) {
                CHECK_NEAR(mesh.edges[e].share, 1, 1e-6); /* over a length of 1 m */
            }
        }
    }
    store_release(&store);
    mesh_free(polygons);
}

/* --- how stiff the network of springs is ------------------------------------------------------ */

/* Energy of a small uniaxial strain along `angle`, over K strain^2 / 2 times the area, well inside. */
static double network_stiffness(GridKind kind, int count, double angle, double shear) {
    TestMesh *polygons = mesh_grid(kind, count, count, 1.0);
    SystemOptions options = {.model = MODEL_EDGE};
    Material material = rig_material();
    material.stretch_warp = material.stretch_weft = 1000;
    material.shear = shear;
    material.bend = 0;
    Rig rig;
    rig_open(&rig, polygons, &options, &material);
    const double strain = 1e-4;
    Vec3 *x = calloc((size_t)rig.mesh.vertex_count, sizeof *x), d = vec3(cos(angle), sin(angle), 0);
    double area = 0;
    for (int v = 0; v < rig.mesh.vertex_count; ++v) {
        Vec3 p = rig.mesh.rest[v];
        x[v] = vec3_madd(p, strain * vec3_dot(p, d), d);
    }
    area = rig_area(&rig);
    double energy = law_energy(&rig_edges(&rig.system)->law, rig.pool, x);
    free(x);
    rig_close(&rig);
    mesh_free(polygons);
    return energy / (0.5 * 1000 * strain * strain * area);
}

static void check_shares(void) {
    /* The rim of an equilateral grid has half springs and is no lattice: it counts as its area does,
     * so the whole sheet is right up to the slanted rim, which is right too. Exact for any size. */
    for (int count = 4; count <= 16; count *= 2) {
        for (int d = 0; d < 6; ++d) { /* the lattice is isotropic: any direction */
            double ratio = network_stiffness(GRID_EQUILATERAL, count, 0.3 * d, 0);
            /* energies of strain 1e-4 have 4 digits less than float32 places: 1e-3, then strain^2 */
            CHECK_NEAR(ratio, 1.0, 4e-3);
        }
        CHECK_NEAR(network_stiffness(GRID_QUADS, count, 0, 0), 1.0, 4e-3);
        CHECK_NEAR(network_stiffness(GRID_QUADS, count, M_PI / 2, 0), 1.0, 4e-3);
        /* what the diagonals take up is left out of the sides */
        CHECK_NEAR(network_stiffness(GRID_QUADS, count, 0, 300), 1.0, 4e-3);
        CHECK_NEAR(network_stiffness(GRID_QUADS, count, M_PI / 2, 300), 1.0, 4e-3);
    }
}

/* --- material coordinates --------------------------------------------------------------------- */

/* S_u at rest: how a step along u moves a point of the triangle in space. */
static Vec3 warp_of(const Mesh *mesh, const Triangle *triangle) {
    const double(*m)[2] = triangle->material;
    const int *v = triangle->vertices;
    double u1 = m[1][0] - m[0][0], v1 = m[1][1] - m[0][1];
    double u2 = m[2][0] - m[0][0], v2 = m[2][1] - m[0][1], det = u1 * v2 - u2 * v1;
    Vec3 e1 = vec3_sub(mesh->rest[v[1]], mesh->rest[v[0]]);
    Vec3 e2 = vec3_sub(mesh->rest[v[2]], mesh->rest[v[0]]);
    return vec3_sub(vec3_scale(v2 / det, e1), vec3_scale(v1 / det, e2));
}

static void check_pattern(void) {
    TestMesh *polygons = mesh_random();
    Store store;
    Mesh mesh;
    if (open_mesh(polygons, PATTERN_MESH, 1, &store, &mesh)) {
        for (int t = 0; t < mesh.triangle_count; ++t) {
            const Triangle *triangle = &mesh.triangles[t];
            const int *v = triangle->vertices;
            const double(*m)[2] = triangle->material;
            for (int c = 0; c < 3; ++c) { /* isometric */
                int d = (c + 1) % 3;
                double flat = hypot(m[d][0] - m[c][0], m[d][1] - m[c][1]);
                CHECK_NEAR(flat, vec3_distance(mesh.rest[v[c]], mesh.rest[v[d]]), 1e-12);
            }
            double twice = vec3_length(triangle_normal(mesh.rest, v));
            CHECK_NEAR(triangle->area, 0.5 * twice, 1e-12);
        }
    }
    store_release(&store);
    mesh_free(polygons);
    /* a pattern 1.5 times as large as the mesh: all rest lengths from the pattern */
    polygons = mesh_grid(GRID_MIXED, 5, 4, 1.0);
    mesh_add_uvs(polygons, 3.0);
    mesh_crumple(polygons, 0.2);
    if (open_mesh(polygons, PATTERN_UV, 0.5, &store, &mesh)) {
        for (int e = 0; e < mesh.edge_count; ++e) {
            Vec3 d = vec3_sub(mesh.rest[mesh.edges[e].b], mesh.rest[mesh.edges[e].a]);
            CHECK_NEAR(mesh.edges[e].rest_length, 1.5 * hypot(d.x, d.y), 1e-6);
        }
        for (int t = 0; t < mesh.triangle_count; ++t) {
            double wanted =
                1.5 * 1.5 * 0.5 * fabs(triangle_normal(mesh.rest, mesh.triangles[t].vertices).z);
            CHECK_NEAR(mesh.triangles[t].area, wanted, 1e-6);
        }
    }
    store_release(&store);
    /* in the mesh's own metric the UV map gives the warp: u grows along the first axis */
    if (open_mesh(polygons, PATTERN_MESH, 1, &store, &mesh)) {
        for (int t = 0; t < mesh.triangle_count; ++t) {
            Vec3 warp = warp_of(&mesh, &mesh.triangles[t]);
            CHECK_NEAR(warp.y, 0, 1e-5); /* float32 UVs; here u is x, so y does not change */
            CHECK(warp.x > 0);
            CHECK_NEAR(vec3_length(warp), 1, 1e-9);
        }
    }
    store_release(&store);
    /* a mirrored island of the UV map: u grows the other way, and so does the warp */
    for (int c = 0; c < polygons->corner_count; ++c) {
        polygons->uvs[2 * c] *= -1;
    }
    if (open_mesh(polygons, PATTERN_MESH, 1, &store, &mesh)) {
        for (int t = 0; t < mesh.triangle_count; ++t) {
            Vec3 warp = warp_of(&mesh, &mesh.triangles[t]);
            CHECK_NEAR(warp.y, 0, 1e-5);
            CHECK(warp.x < 0);
        }
    }
    store_release(&store);
    mesh_free(polygons);
}

int main(void) {
    random_start(8);
    check_polygons();
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        if (kind != GRID_MIXED) { /* its number of quads is chance */
            check_counts((GridKind)kind, 5, 4);
            check_counts((GridKind)kind, 2, 2);
        }
    }
    check_components();
    check_shares();
    for (int round = 0; round < 10; ++round) {
        check_pattern();
    }
    return check_result();
}
