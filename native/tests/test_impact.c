/* The last line of defence: after it, cloth thrown at cloth, shot through and scattered at random has no
 * crossing at the end nor at moments on the way, by a walk over all edges and triangles; momentum, pins,
 * tangles, common motion, threads, memory. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/self/impact.h"
#include "meshes.h"

#define GAP 5e-4 /* m */

/* --- cloths ----------------------------------------------------------------------------------- */

typedef struct Piece {
    Store store;
    Mesh mesh;
    Skin skin;
    Impact impact;
    int count;
    Vec3 *x, *z, *wanted; /* wanted: the ends as they were given */
    double *mass;
    uint8_t *fixed;
    ImpactReport report;
} Piece;

/* Takes the mesh over. Masses differ, so that what shares by mass can be told from what does not. */
static Piece *piece_new(TestMesh *test) {
    Piece *piece = calloc(1, sizeof *piece);
    Status status;
    CHECK_INT(mesh_build(&test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                         &piece->store, &piece->mesh, &status),
              STATUS_OK);
    CHECK_INT(skin_build(&piece->skin, &piece->mesh, SKIN_OWN_CUTS, &piece->store, &status),
              STATUS_OK);
    CHECK_INT(impact_build(&piece->impact, &piece->skin, &status), STATUS_OK);
    piece->count = piece->skin.vertex_count;
    piece->x = STORE_ARRAY(&piece->store, Vec3, piece->count);
    piece->z = STORE_ARRAY(&piece->store, Vec3, piece->count);
    piece->wanted = STORE_ARRAY(&piece->store, Vec3, piece->count);
    piece->mass = STORE_ARRAY(&piece->store, double, piece->count);
    piece->fixed = STORE_ARRAY(&piece->store, uint8_t, piece->count);
    for (int v = 0; v < piece->count; ++v) {
        piece->x[v] = piece->z[v] = piece->mesh.rest[v];
        piece->mass[v] = random_between(1e-5, 3e-5);
    }
    mesh_free(test);
    return piece;
}

static void piece_free(Piece *piece) {
    impact_destroy(&piece->impact);
    store_release(&piece->store);
    free(piece);
}

static void resolve(Piece *piece, int threads) {
    Pool *pool = pool_create(threads);
    memcpy(piece->wanted, piece->z, (size_t)piece->count * sizeof(Vec3));
    impact_resolve(&piece->impact, pool, piece->x, piece->mass, piece->fixed, GAP, piece->z,
                   &piece->report);
    pool_destroy(pool);
}

/* A second sheet into the same mesh, shifted. */
static void add_sheet(TestMesh *test, TestMesh *other, Vec3 shift) {
    int first = test->polygons.vertex_count, corner = 0;
    for (int v = 0; v < other->polygons.vertex_count; ++v) {
        Vec3 p = vec3_add(polygon_position(&other->polygons, v), shift);
        mesh_add_vertex(test, p.x, p.y, p.z);
    }
    for (int f = 0; f < other->polygons.face_count; ++f) {
        int vertices[4], size = other->face_sizes[f];
        for (int c = 0; c < size; ++c) {
            vertices[c] = first + other->face_vertices[corner++];
        }
        mesh_add_face(test, size, vertices);
    }
    mesh_free(other);
}

/* A sheet laid in folds along x: `pitch` is the rise of a fold. */
static void lay_in_folds(Piece *piece, double width, int folds, double reach, double pitch) {
    for (int v = 0; v < piece->count; ++v) {
        Vec3 r = piece->mesh.rest[v];
        double s = 2 * M_PI * folds * r.x / width;
        piece->x[v] = vec3(reach * sin(s), r.y, pitch * s / (2 * M_PI));
    }
}

/* --- crossings, by other means ---------------------------------------------------------------- */

/* Six times the volume of a tetrahedron. */
static double volume(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    double m[3][3] = {{b.x - a.x, b.y - a.y, b.z - a.z},
                      {c.x - a.x, c.y - a.y, c.z - a.z},
                      {d.x - a.x, d.y - a.y, d.z - a.z}};
    return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
           m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
           m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

static double most(double a, double b) { return a > b ? a : b; }
static double least(double a, double b) { return a < b ? a : b; }

static int ranges_part(double p, double q, double a, double b, double c) {
    return most(p, q) < least(least(a, b), c) || least(p, q) > most(most(a, b), c);
}

static int goes_through(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    if (ranges_part(p.x, q.x, a.x, b.x, c.x) || ranges_part(p.y, q.y, a.y, b.y, c.y) ||
        ranges_part(p.z, q.z, a.z, b.z, c.z) || volume(a, b, c, p) * volume(a, b, c, q) >= 0) {
        return 0;
    }
    double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

/* Edges through triangles at a moment between start (0) and end (1). */
static int crossings(const Piece *piece, double time) {
    const Skin *skin = &piece->skin;
    Vec3 *at = calloc((size_t)piece->count, sizeof *at);
    int count = 0;
    for (int v = 0; v < piece->count; ++v) {
        at[v] = vec3_add(vec3_scale(1 - time, piece->x[v]), vec3_scale(time, piece->z[v]));
    }
    for (int e = 0; e < skin->edge_count; ++e) {
        int p = skin->edges[e][0], q = skin->edges[e][1];
        for (int t = 0; t < skin->triangle_count; ++t) {
            const int *c = skin->triangles[t];
            int apart = p != c[0] && p != c[1] && p != c[2] && q != c[0] && q != c[1] && q != c[2];
            count += apart && goes_through(at[p], at[q], at[c[0]], at[c[1]], at[c[2]]);
        }
    }
    free(at);
    return count;
}

static void check_clean_way(const Piece *piece) {
    CHECK_INT(piece->report.left, 0);
    for (int i = 0; i <= 8; ++i) {
        CHECK_INT(crossings(piece, i / 8.0), 0);
    }
}

static int changed(const Piece *piece) {
    int count = 0;
    for (int v = 0; v < piece->count; ++v) {
        count += memcmp(&piece->z[v], &piece->wanted[v], sizeof(Vec3)) != 0;
    }
    return count;
}

/* Of the free vertices, against what was wanted; and of the size of what was changed. */
static void check_momentum(const Piece *piece) {
    Vec3 sum = vec3(0, 0, 0);
    double size = 0;
    for (int v = 0; v < piece->count; ++v) {
        Vec3 change = vec3_sub(piece->z[v], piece->wanted[v]);
        sum = vec3_madd(sum, piece->mass[v], change);
        size += piece->mass[v] * vec3_length(change);
    }
    CHECK(size > 0);
    CHECK_BELOW(vec3_length(sum), 1e-10 * size);
}

/* --- single meetings -------------------------------------------------------------------------- */

/* A vertex of a small triangle shot through the middle of a sheet. */
static void check_shot(void) {
    TestMesh *test = mesh_grid(GRID_IRREGULAR, 8, 8, 0.2);
    int a = mesh_add_vertex(test, 0.1, 0.1, 0.005), b = mesh_add_vertex(test, 0.11, 0.1, 0.03);
    mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.1, 0.11, 0.03));
    Piece *piece = piece_new(test);
    piece->z[a].z = -0.02;
    CHECK(crossings(piece, 1) > 0);
    resolve(piece, 1);
    CHECK(piece->report.found > 0);
    CHECK_INT(piece->report.zones, 0);
    CHECK_INT(changed(piece), 4);
    check_clean_way(piece);
    check_momentum(piece);
    CHECK_INT(piece->report.tangled, 0);
    piece_free(piece);
}

/* Two narrow triangles whose sides cut past each other like scissors. */
static void check_scissors(void) {
    TestMesh *test = mesh_new();
    int a = mesh_add_vertex(test, -0.1, 0, 0), b = mesh_add_vertex(test, 0.1, 0, 0);
    mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0, 0.01, -0.1));
    int c = mesh_add_vertex(test, 0.01, -0.1, 0.002), d = mesh_add_vertex(test, 0.01, 0.1, 0.004);
    mesh_add_triangle(test, c, d, mesh_add_vertex(test, 0, 0, 0.1));
    Piece *piece = piece_new(test);
    for (int v = 3; v < 6; ++v) {
        piece->z[v].z -= 0.02;
    }
    CHECK(crossings(piece, 1) > 0);
    resolve(piece, 1);
    CHECK(piece->report.found > 0);
    check_clean_way(piece);
    check_momentum(piece);
    piece_free(piece);
}

/* A rope through a triangle: sides first, then a knot of it. */
static void check_rope(void) {
    TestMesh *test = mesh_rope(5, 0.1);
    int a = mesh_add_vertex(test, 0.03, -0.05, 0.002),
        b = mesh_add_vertex(test, 0.07, -0.05, 0.002);
    mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.052, 0.08, 0.002));
    Piece *piece = piece_new(test);
    for (int v = 0; v < 5; ++v) {
        piece->z[v].z += v == 2 ? 0.004 : 0.003;
    }
    resolve(piece, 1);
    CHECK(piece->report.found > 0);
    check_clean_way(piece);
    for (int v = 0; v < 5; ++v) {
        CHECK(piece->z[v].z < 0.004);
    }
    check_momentum(piece);
    piece_free(piece);
}

/* Meetings of a held sheet with a held vertex cannot be helped: they are counted. */
static void check_pins(void) {
    for (int all = 0; all < 2; ++all) {
        TestMesh *test = mesh_grid(GRID_IRREGULAR, 6, 6, 0.1);
        int a = mesh_add_vertex(test, 0.05, 0.05, 0.005);
        int b = mesh_add_vertex(test, 0.055, 0.05, 0.03);
        mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.05, 0.06, 0.03));
        Piece *piece = piece_new(test);
        memset(piece->fixed, 1, all ? (size_t)piece->count : 36);
        piece->z[a].z = -0.02;
        resolve(piece, 1);
        CHECK(piece->report.found > 0);
        for (int v = 0; v < piece->count; ++v) {
            CHECK(!piece->fixed[v] || !memcmp(&piece->z[v], &piece->wanted[v], sizeof(Vec3)));
        }
        if (all) {
            CHECK(piece->report.left > 0);
            CHECK_INT(changed(piece), 0);
        } else {
            check_clean_way(piece);
            CHECK(piece->z[a].z > 0);
        }
        piece_free(piece);
    }
}

/* --- many ------------------------------------------------------------------------------------- */

/* Two sheets at 5 m/s against each other, for 1/48 s. */
static Piece *thrown_sheets(void) {
    TestMesh *test = mesh_grid(GRID_IRREGULAR, 20, 20, 0.3);
    mesh_crumple(test, 0.004);
    TestMesh *other = mesh_grid(GRID_IRREGULAR, 18, 18, 0.3);
    mesh_crumple(other, -0.004);
    add_sheet(test, other, vec3(0.01, 0.02, 0.03));
    Piece *piece = piece_new(test);
    for (int v = 0; v < piece->count; ++v) {
        double way = (v < 400 ? 5.0 : -5.0) / 48;
        piece->z[v] = vec3_add(piece->x[v], vec3_add(vec3(0, 0, way), random_vector(0.002)));
    }
    return piece;
}

static void check_thrown(void) {
    Piece *piece = thrown_sheets();
    CHECK_INT(crossings(piece, 0), 0);
    resolve(piece, 1);
    CHECK(piece->report.found > 300);
    CHECK_INT(piece->report.zones, 0); /* the passes do */
    check_clean_way(piece);
    check_momentum(piece);
    piece_free(piece);
}

static void scatter(Piece *piece, double size) {
    for (int v = 0; v < piece->count; ++v) {
        piece->z[v] = vec3_add(piece->x[v], random_vector(size));
    }
}

/* From little to far more than layers lie apart and edges are long. */
static void check_scattered(double size) {
    Piece *piece = piece_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
    lay_in_folds(piece, 0.5, 4, 0.03, 0.008);
    CHECK_INT(crossings(piece, 0), 0);
    scatter(piece, size);
    CHECK(crossings(piece, 1) > 0);
    resolve(piece, 2);
    CHECK(piece->report.found > 0);
    check_clean_way(piece);
    check_momentum(piece);
    piece_free(piece);
}

/* Held along one side, which moves on its own: the rest may do what it can. */
static void check_scattered_pins(double size) {
    Piece *piece = piece_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
    lay_in_folds(piece, 0.5, 4, 0.03, 0.008);
    scatter(piece, size);
    for (int v = 0; v < piece->count; v += 40) {
        piece->fixed[v] = 1;
        piece->z[v] = vec3_add(piece->x[v], vec3(0.01, 0, 0.02));
    }
    resolve(piece, 1);
    CHECK(piece->report.found > 0);
    check_clean_way(piece);
    for (int v = 0; v < piece->count; v += 40) {
        CHECK(!memcmp(&piece->z[v], &piece->wanted[v], sizeof(Vec3)));
    }
    piece_free(piece);
}

/* Springs draw the ends of all edges to their lengths. */
static void draw_together(const Piece *piece, Vec3 *z) {
    for (int e = 0; e < piece->skin.edge_count; ++e) {
        int a = piece->skin.edges[e][0], b = piece->skin.edges[e][1];
        double wanted = vec3_distance(piece->mesh.rest[a], piece->mesh.rest[b]);
        Vec3 along = vec3_sub(z[b], z[a]);
        double part = 0.25 * (1 - wanted / vec3_length(along));
        z[a] = vec3_madd(z[a], part, along);
        z[b] = vec3_madd(z[b], -part, along);
    }
}

/* Substep after substep pulled to one point and shaken, the end of one the start of the next. */
static void check_march(void) {
    Piece *piece = piece_new(mesh_grid(GRID_IRREGULAR, 30, 12, 0.4));
    lay_in_folds(piece, 0.4, 3, 0.03, 0.01);
    Vec3 *way = calloc((size_t)piece->count, sizeof *way), aim = vec3(0, 0.08, 0.015);
    int found = 0;
    for (int step = 0; step < 25; ++step) {
        for (int v = 0; v < piece->count; ++v) {
            Vec3 pull = vec3_madd(random_vector(6e-4), 0.02, vec3_sub(aim, piece->x[v]));
            piece->z[v] = vec3_add(vec3_madd(piece->x[v], 0.9, way[v]), pull);
        }
        draw_together(piece, piece->z);
        resolve(piece, 1);
        found += piece->report.found;
        CHECK_INT(piece->report.left, 0);
        CHECK_INT(piece->report.tangled, 0);
        CHECK_INT(crossings(piece, 0.5), 0);
        CHECK_INT(crossings(piece, 1), 0);
        for (int v = 0; v < piece->count; ++v) {
            way[v] = vec3_sub(piece->z[v], piece->x[v]);
            piece->x[v] = piece->z[v];
        }
    }
    CHECK(found > 1000);
    free(way);
    piece_free(piece);
}

/* --- zones ------------------------------------------------------------------------------------ */

#define MEMBERS 30

static Vec3 angular_momentum(const Vec3 *x, const Vec3 *z, const double *mass) {
    Vec3 sum = vec3(0, 0, 0);
    for (int v = 0; v < MEMBERS; ++v) {
        sum = vec3_madd(sum, mass[v], vec3_cross(x[v], vec3_sub(z[v], x[v])));
    }
    return sum;
}

/* Two zones keep momentum and angular momentum, as far as turns are small; members become rigid. */
static void check_zones(void) {
    Store store = {0};
    Zones zones;
    Vec3 x[MEMBERS], z[MEMBERS], given[MEMBERS], sum = vec3(0, 0, 0);
    double mass[MEMBERS];
    uint8_t moved[MEMBERS];
    zones_take(&zones, MEMBERS, &store);
    for (int v = 0; v < MEMBERS; ++v) {
        x[v] = random_vector(1);
        given[v] = z[v] = vec3_add(x[v], random_vector(1e-4));
        mass[v] = random_between(1, 2);
        CHECK(v < 4 || zones_join(&zones, v, v % 2));
    }
    CHECK_INT(zones_join(&zones, 4, 6), 0);
    zones_move(&zones, x, mass, NULL, z, moved);
    for (int v = 0; v < MEMBERS; ++v) {
        int member = v < 2 || v > 3;
        sum = vec3_madd(sum, mass[v], vec3_sub(z[v], given[v]));
        CHECK_INT(moved[v], member);
        CHECK_INT(memcmp(&z[v], &given[v], sizeof(Vec3)) != 0, member);
        double before = vec3_distance(x[v], x[v % 2]), after = vec3_distance(z[v], z[v % 2]);
        CHECK(!member || fabs(before - after) < 1e-14);
    }
    CHECK_BELOW(vec3_length(sum), 1e-14);
    Vec3 first = angular_momentum(x, given, mass), last = angular_momentum(x, z, mass);
    CHECK_BELOW(vec3_distance(first, last), 1e-6); /* of 1e-3 or so, turns being 1e-4 */
    CHECK(vec3_length(first) > 1e-5);
    CHECK_INT(zones_hold(&zones, (const int[]){4, 6, 8, 10}), 1);
    CHECK_INT(zones_hold(&zones, (const int[]){4, 6, 8, 11}), 0);
    zones_clear(&zones);
    CHECK_INT(zones_hold(&zones, (const int[]){4, 6, 8, 10}), 0);
    store_release(&store);
}

/* --- what must be left alone ------------------------------------------------------------------ */

/* Layers a millimetre apart, moved together. */
static void check_common_motion(void) {
    Piece *piece = piece_new(mesh_grid(GRID_IRREGULAR, 80, 10, 1.0));
    lay_in_folds(piece, 1.0, 10, 0.02, 0.002);
    for (int round = 0; round < 3; ++round) {
        Vec3 way = round == 0   ? vec3(0, 0, 0)
                   : round == 1 ? vec3(0.05, 0.02, -0.1)
                                : vec3(0, 0, 100);
        for (int v = 0; v < piece->count; ++v) {
            piece->z[v] = vec3_add(piece->x[v], way);
        }
        resolve(piece, 1);
        CHECK_INT(piece->report.found, 0);
        CHECK_INT(piece->report.passes, 0);
        CHECK_INT(changed(piece), 0);
    }
    piece_free(piece);
}

/* Two sheets that go through each other at the start, and two that lie on each other, part freely. */
static void check_tangles(double height) {
    TestMesh *test = mesh_grid(GRID_PARALLEL, 9, 9, 0.1);
    TestMesh *other = mesh_grid(height > 0 ? GRID_IRREGULAR : GRID_PARALLEL, 9, 9, 0.1);
    if (height > 0) {
        for (int v = 0; v < 81; ++v) { /* a slope through the plane */
            other->positions[3 * v + 2] = (float)(0.3 * other->positions[3 * v] - height);
        }
    }
    add_sheet(test, other, vec3(0, 0, 0));
    Piece *piece = piece_new(test);
    CHECK(height == 0 || crossings(piece, 0) > 0);
    for (int v = 81; v < 162; ++v) {
        piece->z[v].z += 0.001;
    }
    resolve(piece, 1);
    CHECK_INT(changed(piece), 0);
    CHECK_INT(piece->report.left, 0);
    CHECK((height > 0) <= (piece->report.tangled > 0));
    piece_free(piece);
}

/* A hair's breadth away and leaving; and the same, coming. */
static void check_parting(void) {
    for (int coming = 0; coming < 2; ++coming) {
        TestMesh *test = mesh_grid(GRID_PARALLEL, 5, 5, 0.1);
        int a = mesh_add_vertex(test, 0.043, 0.052, 0), b = mesh_add_vertex(test, 0.05, 0.05, 0.03);
        mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.05, 0.06, 0.03));
        Piece *piece = piece_new(test);
        piece->x[a].z = 5e-9;
        piece->z[a].z = coming ? -0.01 : 0.01;
        resolve(piece, 1);
        CHECK_INT(piece->report.found > 0, coming);
        CHECK_INT(changed(piece) > 0, coming);
        CHECK_INT(crossings(piece, 1), 0);
        CHECK_INT(piece->report.left, 0);
        piece_free(piece);
    }
}

/* So violent that zones grow up to what is no number, now and then. */
static void check_not_finite(void) {
    int zones = 0;
    for (int round = 0; round < 6; ++round) {
        Piece *piece = piece_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
        lay_in_folds(piece, 0.5, 4, 0.03, 0.008);
        scatter(piece, 0.03);
        piece->z[205] = vec3(NAN, 0, 0);
        piece->z[306].y = INFINITY;
        piece->x[500].x = -INFINITY;
        resolve(piece, 1);
        CHECK_INT(piece->report.left, 0);
        for (int v = 0; v < piece->count; ++v) {
            int odd = v == 205 || v == 306 || v == 500;
            CHECK(odd ? !memcmp(&piece->z[v], &piece->wanted[v], sizeof(Vec3))
                      : vec3_is_finite(piece->z[v]));
        }
        zones += piece->report.zones;
        piece_free(piece);
    }
    CHECK(zones > 0);
}

/* --- threads and memory ----------------------------------------------------------------------- */

static long long capacity(const Impact *impact) {
    long long sum = impact->meetings.capacity;
    for (int s = 0; s < impact->surface.subtree_count; ++s) {
        sum += impact->found[s].capacity;
    }
    return sum + (long long)impact->store.bytes;
}

static void check_threads(void) {
    Piece *piece = piece_new(mesh_grid(GRID_IRREGULAR, 60, 60, 0.8));
    lay_in_folds(piece, 0.8, 6, 0.03, 0.01);
    CHECK(piece->impact.surface.subtree_count > 1);
    scatter(piece, 0.004);
    size_t bytes = (size_t)piece->count * sizeof(Vec3);
    Vec3 *given = malloc(bytes), *got = malloc(bytes);
    memcpy(given, piece->z, bytes);
    resolve(piece, 1);
    memcpy(got, piece->z, bytes);
    ImpactReport report = piece->report;
    CHECK(report.found > 0);
    CHECK(changed(piece) > 0);
    long long room = capacity(&piece->impact);
    for (int threads = 1; threads <= 3; ++threads) {
        memcpy(piece->z, given, bytes);
        resolve(piece, threads);
        CHECK_INT(memcmp(piece->z, got, bytes), 0);
        CHECK_INT(memcmp(&report, &piece->report, sizeof report), 0);
        CHECK_INT(capacity(&piece->impact), room);
    }
    free(given);
    free(got);
    piece_free(piece);
}

/* Nothing at all, and vertices without faces. */
static void check_nothing(void) {
    TestMesh *test = mesh_new();
    mesh_add_vertex(test, 0, 0, 0);
    mesh_add_vertex(test, 0, 0, 1);
    Piece *piece = piece_new(test);
    piece->z[0].z = 2;
    resolve(piece, 2);
    CHECK_INT(piece->report.found, 0);
    CHECK_INT(changed(piece), 0);
    piece_free(piece);
}

int main(void) {
    random_start(11);
    check_shot();
    check_scissors();
    check_rope();
    check_pins();
    check_thrown();
    const double sizes[] = {0.002, 0.005, 0.02, 0.06};
    for (int i = 0; i < 4; ++i) {
        check_scattered(sizes[i]);
    }
    check_scattered_pins(0.004);
    check_scattered_pins(0.02);
    check_march();
    check_zones();
    check_common_motion();
    check_tangles(0.015);
    check_tangles(0);
    check_parting();
    check_not_finite();
    check_threads();
    check_nothing();
    return check_result();
}
