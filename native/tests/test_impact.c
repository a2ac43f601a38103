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

typedef struct Sheet {
    Store store;
    Mesh mesh;
    Skin skin;
    Impact impact;
    int count;
    Vec3 *x, *z, *wanted; /* wanted: the ends as they were given */
    double *mass;
    uint8_t *fixed;
    ImpactReport report;
} Sheet;

/* Takes the mesh over. Masses differ, so that what shares by mass can be told from what does not. */
static Sheet *sheet_new(TestMesh *test) {
    Sheet *sheet = calloc(1, sizeof *sheet);
    Status status;
    CHECK_INT(mesh_build(&test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
                         &sheet->store, &sheet->mesh, &status),
              STATUS_OK);
    CHECK_INT(skin_build(&sheet->skin, &sheet->mesh, SKIN_OWN_CUTS, &sheet->store, &status),
              STATUS_OK);
    CHECK_INT(impact_build(&sheet->impact, &sheet->skin, &status), STATUS_OK);
    sheet->count = sheet->skin.vertex_count;
    sheet->x = STORE_ARRAY(&sheet->store, Vec3, sheet->count);
    sheet->z = STORE_ARRAY(&sheet->store, Vec3, sheet->count);
    sheet->wanted = STORE_ARRAY(&sheet->store, Vec3, sheet->count);
    sheet->mass = STORE_ARRAY(&sheet->store, double, sheet->count);
    sheet->fixed = STORE_ARRAY(&sheet->store, uint8_t, sheet->count);
    for (int v = 0; v < sheet->count; ++v) {
        sheet->x[v] = sheet->z[v] = sheet->mesh.rest[v];
        sheet->mass[v] = random_between(1e-5, 3e-5);
    }
    mesh_free(test);
    return sheet;
}

static void sheet_free(Sheet *sheet) {
    impact_destroy(&sheet->impact);
    store_release(&sheet->store);
    free(sheet);
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
static void lay_in_folds(Sheet *sheet, double width, int folds, double reach, double pitch) {
    for (int v = 0; v < sheet->count; ++v) {
        Vec3 r = sheet->mesh.rest[v];
        double s = 2 * M_PI * folds * r.x / width;
        sheet->x[v] = vec3(reach * sin(s), r.y, pitch * s / (2 * M_PI));
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

static bool ranges_part(double p, double q, double a, double b, double c) {
    return most(p, q) < least(least(a, b), c) || least(p, q) > most(most(a, b), c);
}

static bool goes_through(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
    if (ranges_part(p.x, q.x, a.x, b.x, c.x) || ranges_part(p.y, q.y, a.y, b.y, c.y) ||
        ranges_part(p.z, q.z, a.z, b.z, c.z) || volume(a, b, c, p) * volume(a, b, c, q) >= 0) {
        return false;
    }
    double u = volume(p, q, a, b), v = volume(p, q, b, c), w = volume(p, q, c, a);
    return (u > 0 && v > 0 && w > 0) || (u < 0 && v < 0 && w < 0);
}

static bool any_marked(const uint8_t *marked, const int *vertices, int count) {
    bool any = !marked;
    for (int k = 0; k < count && !any; ++k) {
        any = marked[vertices[k]];
    }
    return any;
}

/* Edges through triangles; of those with vertices among the suspects on either side, or not so, if these are not null. */
static int count_through(const Skin *skin, const Vec3 *at, const uint8_t *suspects,
                         bool suspected) {
    int count = 0;
    for (int e = 0; e < skin->edge_count; ++e) {
        int p = skin->edges[e][0], q = skin->edges[e][1];
        for (int t = 0; t < skin->triangle_count; ++t) {
            const int *c = skin->triangles[t];
            bool apart = p != c[0] && p != c[1] && p != c[2] && q != c[0] && q != c[1] && q != c[2];
            bool marked = any_marked(suspects, skin->edges[e], 2) && any_marked(suspects, c, 3);
            count += apart && marked == suspected &&
                     goes_through(at[p], at[q], at[c[0]], at[c[1]], at[c[2]]);
        }
    }
    return count;
}

/* Edges through triangles at a moment between start (0) and end (1). */
static int crossings(const Sheet *sheet, double time) {
    Vec3 *at = calloc((size_t)sheet->count, sizeof *at);
    for (int v = 0; v < sheet->count; ++v) {
        at[v] = vec3_add(vec3_scale(1 - time, sheet->x[v]), vec3_scale(time, sheet->z[v]));
    }
    int count = count_through(&sheet->skin, at, NULL, true);
    free(at);
    return count;
}

/* What goes through something is known to, unless it is not known at all. */
static void check_suspects(const Sheet *sheet) {
    const uint8_t *suspects = impact_suspects(&sheet->impact, sheet->z);
    bool known = sheet->report.left == 0;
    for (int v = 0; v < sheet->count; ++v) {
        known &= vec3_is_finite(sheet->x[v]) && vec3_is_finite(sheet->z[v]);
    }
    CHECK((suspects != NULL) == known);
    CHECK_INT(suspects ? count_through(&sheet->skin, sheet->z, suspects, false) : 0, 0);
    Vec3 *elsewhere = calloc((size_t)sheet->count, sizeof *elsewhere);
    memcpy(elsewhere, sheet->z, (size_t)sheet->count * sizeof *elsewhere);
    elsewhere[sheet->count / 2].y += 1e-9;
    CHECK(!impact_suspects(&sheet->impact, elsewhere));
    free(elsewhere);
}

static void resolve(Sheet *sheet, int threads) {
    Pool *pool = pool_create(threads);
    memcpy(sheet->wanted, sheet->z, (size_t)sheet->count * sizeof(Vec3));
    impact_resolve(&sheet->impact, pool, sheet->x, sheet->mass, sheet->fixed, GAP, sheet->z,
                   &sheet->report);
    impact_settle(&sheet->impact);
    pool_destroy(pool);
    check_suspects(sheet);
}

static void check_clean_way(const Sheet *sheet) {
    CHECK_INT(sheet->report.left, 0);
    for (int i = 0; i <= 8; ++i) {
        CHECK_INT(crossings(sheet, i / 8.0), 0);
    }
}

static int changed(const Sheet *sheet) {
    int count = 0;
    for (int v = 0; v < sheet->count; ++v) {
        count += memcmp(&sheet->z[v], &sheet->wanted[v], sizeof(Vec3)) != 0;
    }
    return count;
}

/* Of the free vertices, against what was wanted; and of the size of what was changed. */
static void check_momentum(const Sheet *sheet) {
    Vec3 sum = vec3(0, 0, 0);
    double size = 0;
    for (int v = 0; v < sheet->count; ++v) {
        Vec3 change = vec3_sub(sheet->z[v], sheet->wanted[v]);
        sum = vec3_madd(sum, sheet->mass[v], change);
        size += sheet->mass[v] * vec3_length(change);
    }
    CHECK(size > 0);
    CHECK_BELOW(vec3_length(sum), 1e-10 * size);
}

/* --- single hits -------------------------------------------------------------------------- */

/* A vertex of a small triangle shot through the middle of a sheet. */
static void check_shot(void) {
    TestMesh *test = mesh_grid(GRID_IRREGULAR, 8, 8, 0.2);
    int a = mesh_add_vertex(test, 0.1, 0.1, 0.005), b = mesh_add_vertex(test, 0.11, 0.1, 0.03);
    mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.1, 0.11, 0.03));
    Sheet *sheet = sheet_new(test);
    sheet->z[a].z = -0.02;
    CHECK(crossings(sheet, 1) > 0);
    resolve(sheet, 1);
    CHECK(sheet->report.found > 0);
    CHECK_INT(sheet->report.zones, 0);
    CHECK_INT(changed(sheet), 4);
    check_clean_way(sheet);
    check_momentum(sheet);
    CHECK_INT(sheet->report.tangled, 0);
    sheet_free(sheet);
}

/* Two narrow triangles whose sides cut past each other like scissors. */
static void check_scissors(void) {
    TestMesh *test = mesh_new();
    int a = mesh_add_vertex(test, -0.1, 0, 0), b = mesh_add_vertex(test, 0.1, 0, 0);
    mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0, 0.01, -0.1));
    int c = mesh_add_vertex(test, 0.01, -0.1, 0.002), d = mesh_add_vertex(test, 0.01, 0.1, 0.004);
    mesh_add_triangle(test, c, d, mesh_add_vertex(test, 0, 0, 0.1));
    Sheet *sheet = sheet_new(test);
    for (int v = 3; v < 6; ++v) {
        sheet->z[v].z -= 0.02;
    }
    CHECK(crossings(sheet, 1) > 0);
    resolve(sheet, 1);
    CHECK(sheet->report.found > 0);
    check_clean_way(sheet);
    check_momentum(sheet);
    sheet_free(sheet);
}

/* A rope through a triangle: sides first, then a knot of it. */
static void check_rope(void) {
    TestMesh *test = mesh_rope(5, 0.1);
    int a = mesh_add_vertex(test, 0.03, -0.05, 0.002),
        b = mesh_add_vertex(test, 0.07, -0.05, 0.002);
    mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.052, 0.08, 0.002));
    Sheet *sheet = sheet_new(test);
    for (int v = 0; v < 5; ++v) {
        sheet->z[v].z += v == 2 ? 0.004 : 0.003;
    }
    resolve(sheet, 1);
    CHECK(sheet->report.found > 0);
    check_clean_way(sheet);
    for (int v = 0; v < 5; ++v) {
        CHECK(sheet->z[v].z < 0.004);
    }
    check_momentum(sheet);
    sheet_free(sheet);
}

/* Meetings of a held sheet with a held vertex cannot be helped: they are counted. */
static void check_pins(void) {
    for (int all = 0; all < 2; ++all) {
        TestMesh *test = mesh_grid(GRID_IRREGULAR, 6, 6, 0.1);
        int a = mesh_add_vertex(test, 0.05, 0.05, 0.005);
        int b = mesh_add_vertex(test, 0.055, 0.05, 0.03);
        mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.05, 0.06, 0.03));
        Sheet *sheet = sheet_new(test);
        memset(sheet->fixed, 1, all ? (size_t)sheet->count : 36);
        sheet->z[a].z = -0.02;
        resolve(sheet, 1);
        CHECK(sheet->report.found > 0);
        for (int v = 0; v < sheet->count; ++v) {
            CHECK(!sheet->fixed[v] || !memcmp(&sheet->z[v], &sheet->wanted[v], sizeof(Vec3)));
        }
        if (all) {
            CHECK(sheet->report.left > 0);
            CHECK_INT(changed(sheet), 0);
        } else {
            check_clean_way(sheet);
            CHECK(sheet->z[a].z > 0);
        }
        sheet_free(sheet);
    }
}

/* A held corner meets a triangle whose only free vertex has next to no weight there: no push of that vertex helps, and
 * it must not be thrown away for it. */
static void check_lever(double weight) {
    TestMesh *test = mesh_grid(GRID_IRREGULAR, 6, 6, 0.1);
    int first = mesh_add_vertex(test, 0.3, 0.0, 0.0);
    int second = mesh_add_vertex(test, 0.4, 0.0, 0.0);
    int free_one = mesh_add_vertex(test, 0.35, 0.1, 0.0);
    mesh_add_triangle(test, first, second, free_one);
    int tip = mesh_add_vertex(test, 0.35, 0.1 * weight, 0.005);
    int b = mesh_add_vertex(test, 0.36, -0.02, 0.03);
    mesh_add_triangle(test, tip, b, mesh_add_vertex(test, 0.34, -0.02, 0.03));
    Sheet *sheet = sheet_new(test);
    memset(sheet->fixed, 1, (size_t)sheet->count);
    sheet->fixed[free_one] = 0;
    sheet->z[tip].z = -0.02;
    resolve(sheet, 1);
    CHECK(sheet->report.found > 0);
    CHECK(vec3_distance(sheet->z[free_one], sheet->wanted[free_one]) < 10 * 0.025);
    sheet_free(sheet);
}

/* --- many ------------------------------------------------------------------------------------- */

/* Two sheets at 5 m/s against each other, for 1/48 s. */
static Sheet *thrown_sheets(void) {
    TestMesh *test = mesh_grid(GRID_IRREGULAR, 20, 20, 0.3);
    mesh_crumple(test, 0.004);
    TestMesh *other = mesh_grid(GRID_IRREGULAR, 18, 18, 0.3);
    mesh_crumple(other, -0.004);
    add_sheet(test, other, vec3(0.01, 0.02, 0.03));
    Sheet *sheet = sheet_new(test);
    for (int v = 0; v < sheet->count; ++v) {
        double way = (v < 400 ? 5.0 : -5.0) / 48;
        sheet->z[v] = vec3_add(sheet->x[v], vec3_add(vec3(0, 0, way), random_vector(0.002)));
    }
    return sheet;
}

static void check_thrown(void) {
    Sheet *sheet = thrown_sheets();
    CHECK_INT(crossings(sheet, 0), 0);
    resolve(sheet, 1);
    CHECK(sheet->report.found > 300);
    CHECK_INT(sheet->report.zones, 0); /* the passes do */
    check_clean_way(sheet);
    check_momentum(sheet);
    sheet_free(sheet);
}

static void scatter(Sheet *sheet, double size) {
    for (int v = 0; v < sheet->count; ++v) {
        sheet->z[v] = vec3_add(sheet->x[v], random_vector(size));
    }
}

/* From little to far more than layers lie apart and edges are long. */
static void check_scattered(double size) {
    Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
    lay_in_folds(sheet, 0.5, 4, 0.03, 0.008);
    CHECK_INT(crossings(sheet, 0), 0);
    scatter(sheet, size);
    CHECK(crossings(sheet, 1) > 0);
    resolve(sheet, 2);
    CHECK(sheet->report.found > 0);
    check_clean_way(sheet);
    check_momentum(sheet);
    sheet_free(sheet);
}

/* Held along one side, which moves on its own: the rest may do what it can. */
static void check_scattered_pins(double size) {
    Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
    lay_in_folds(sheet, 0.5, 4, 0.03, 0.008);
    scatter(sheet, size);
    for (int v = 0; v < sheet->count; v += 40) {
        sheet->fixed[v] = 1;
        sheet->z[v] = vec3_add(sheet->x[v], vec3(0.01, 0, 0.02));
    }
    resolve(sheet, 1);
    CHECK(sheet->report.found > 0);
    check_clean_way(sheet);
    for (int v = 0; v < sheet->count; v += 40) {
        CHECK(!memcmp(&sheet->z[v], &sheet->wanted[v], sizeof(Vec3)));
    }
    sheet_free(sheet);
}

/* Nearly all held, as a jacket by half that is drawn to its plane: what is free stays about where it is. */
static void check_mostly_held(int every) {
    Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
    lay_in_folds(sheet, 0.5, 4, 0.03, 0.008);
    scatter(sheet, 0.02);
    for (int v = 0; v < sheet->count; ++v) {
        sheet->fixed[v] = v % every != 0;
    }
    resolve(sheet, 1);
    CHECK(sheet->report.found > 0);
    for (int v = 0; v < sheet->count; ++v) {
        CHECK(vec3_distance(sheet->z[v], sheet->x[v]) < 0.5);
    }
    sheet_free(sheet);
}

/* Springs draw the ends of all edges to their lengths. */
static void draw_together(const Sheet *sheet, Vec3 *z) {
    for (int e = 0; e < sheet->skin.edge_count; ++e) {
        int a = sheet->skin.edges[e][0], b = sheet->skin.edges[e][1];
        double wanted = vec3_distance(sheet->mesh.rest[a], sheet->mesh.rest[b]);
        Vec3 along = vec3_sub(z[b], z[a]);
        double part = 0.25 * (1 - wanted / vec3_length(along));
        z[a] = vec3_madd(z[a], part, along);
        z[b] = vec3_madd(z[b], -part, along);
    }
}

/* Substep after substep pulled to one point and shaken, the end of one the start of the next. */
static void check_march(void) {
    Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 30, 12, 0.4));
    lay_in_folds(sheet, 0.4, 3, 0.03, 0.01);
    Vec3 *way = calloc((size_t)sheet->count, sizeof *way), aim = vec3(0, 0.08, 0.015);
    int found = 0;
    for (int step = 0; step < 25; ++step) {
        for (int v = 0; v < sheet->count; ++v) {
            Vec3 pull = vec3_madd(random_vector(6e-4), 0.02, vec3_sub(aim, sheet->x[v]));
            sheet->z[v] = vec3_add(vec3_madd(sheet->x[v], 0.9, way[v]), pull);
        }
        draw_together(sheet, sheet->z);
        resolve(sheet, 1);
        found += sheet->report.found;
        CHECK_INT(sheet->report.left, 0);
        CHECK_INT(sheet->report.tangled, 0);
        CHECK_INT(crossings(sheet, 0.5), 0);
        CHECK_INT(crossings(sheet, 1), 0);
        for (int v = 0; v < sheet->count; ++v) {
            way[v] = vec3_sub(sheet->z[v], sheet->x[v]);
            sheet->x[v] = sheet->z[v];
        }
    }
    CHECK(found > 1000);
    free(way);
    sheet_free(sheet);
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
        bool member = v < 2 || v > 3;
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
    Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 80, 10, 1.0));
    lay_in_folds(sheet, 1.0, 10, 0.02, 0.002);
    for (int round = 0; round < 3; ++round) {
        Vec3 way = round == 0   ? vec3(0, 0, 0)
                   : round == 1 ? vec3(0.05, 0.02, -0.1)
                                : vec3(0, 0, 100);
        for (int v = 0; v < sheet->count; ++v) {
            sheet->z[v] = vec3_add(sheet->x[v], way);
        }
        resolve(sheet, 1);
        CHECK_INT(sheet->report.found, 0);
        CHECK_INT(sheet->report.passes, 0);
        CHECK_INT(changed(sheet), 0);
    }
    sheet_free(sheet);
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
    Sheet *sheet = sheet_new(test);
    CHECK(height == 0 || crossings(sheet, 0) > 0);
    for (int v = 81; v < 162; ++v) {
        sheet->z[v].z += 0.001;
    }
    resolve(sheet, 1);
    CHECK_INT(changed(sheet), 0);
    CHECK_INT(sheet->report.left, 0);
    CHECK((height > 0) <= (sheet->report.tangled > 0));
    sheet_free(sheet);
}

/* A hair's breadth away and leaving; and the same, coming. */
static void check_parting(void) {
    for (int coming = 0; coming < 2; ++coming) {
        TestMesh *test = mesh_grid(GRID_PARALLEL, 5, 5, 0.1);
        int a = mesh_add_vertex(test, 0.043, 0.052, 0), b = mesh_add_vertex(test, 0.05, 0.05, 0.03);
        mesh_add_triangle(test, a, b, mesh_add_vertex(test, 0.05, 0.06, 0.03));
        Sheet *sheet = sheet_new(test);
        sheet->x[a].z = 5e-9;
        sheet->z[a].z = coming ? -0.01 : 0.01;
        resolve(sheet, 1);
        CHECK_INT(sheet->report.found > 0, coming);
        CHECK_INT(changed(sheet) > 0, coming);
        CHECK_INT(crossings(sheet, 1), 0);
        CHECK_INT(sheet->report.left, 0);
        sheet_free(sheet);
    }
}

/* So violent that zones grow up to what is no number, now and then. */
static void check_not_finite(void) {
    int zones = 0;
    for (int round = 0; round < 6; ++round) {
        Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 40, 20, 0.5));
        lay_in_folds(sheet, 0.5, 4, 0.03, 0.008);
        scatter(sheet, 0.03);
        sheet->z[205] = vec3(NAN, 0, 0);
        sheet->z[306].y = INFINITY;
        sheet->x[500].x = -INFINITY;
        resolve(sheet, 1);
        CHECK_INT(sheet->report.left, 0);
        for (int v = 0; v < sheet->count; ++v) {
            bool odd = v == 205 || v == 306 || v == 500;
            CHECK(odd ? !memcmp(&sheet->z[v], &sheet->wanted[v], sizeof(Vec3))
                      : vec3_is_finite(sheet->z[v]));
        }
        zones += sheet->report.zones;
        sheet_free(sheet);
    }
    CHECK(zones > 0);
}

/* --- threads and memory ----------------------------------------------------------------------- */

static long long capacity(const Impact *impact) {
    long long sum = impact->hits.capacity;
    for (int s = 0; s < swept_tree_slices(&impact->surface.tree); ++s) {
        sum += impact->found[s].capacity;
    }
    return sum + (long long)impact->store.bytes;
}

static void check_threads(void) {
    Sheet *sheet = sheet_new(mesh_grid(GRID_IRREGULAR, 60, 60, 0.8));
    lay_in_folds(sheet, 0.8, 6, 0.03, 0.01);
    CHECK(swept_tree_slices(&sheet->impact.surface.tree) > 1);
    scatter(sheet, 0.004);
    size_t bytes = (size_t)sheet->count * sizeof(Vec3);
    Vec3 *given = malloc(bytes), *got = malloc(bytes);
    memcpy(given, sheet->z, bytes);
    resolve(sheet, 1);
    memcpy(got, sheet->z, bytes);
    ImpactReport report = sheet->report;
    CHECK(report.found > 0);
    CHECK(changed(sheet) > 0);
    long long room = capacity(&sheet->impact);
    for (int threads = 1; threads <= 3; ++threads) {
        memcpy(sheet->z, given, bytes);
        resolve(sheet, threads);
        CHECK_INT(memcmp(sheet->z, got, bytes), 0);
        CHECK_INT(memcmp(&report, &sheet->report, sizeof report), 0);
        CHECK_INT(capacity(&sheet->impact), room);
    }
    free(given);
    free(got);
    sheet_free(sheet);
}

/* Nothing at all, and vertices without faces. */
static void check_nothing(void) {
    TestMesh *test = mesh_new();
    mesh_add_vertex(test, 0, 0, 0);
    mesh_add_vertex(test, 0, 0, 1);
    Sheet *sheet = sheet_new(test);
    sheet->z[0].z = 2;
    resolve(sheet, 2);
    CHECK_INT(sheet->report.found, 0);
    CHECK_INT(changed(sheet), 0);
    sheet_free(sheet);
}

int main(void) {
    random_start(11);
    check_shot();
    check_scissors();
    check_rope();
    check_pins();
    check_lever(1e-3);
    check_lever(3e-13);
    check_thrown();
    const double sizes[] = {0.002, 0.005, 0.02, 0.06};
    for (int i = 0; i < 4; ++i) {
        check_scattered(sizes[i]);
    }
    check_scattered_pins(0.004);
    check_scattered_pins(0.02);
    check_mostly_held(3);
    check_mostly_held(13);
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
