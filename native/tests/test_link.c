/* Links and the hinges across seams: their force is minus the slope of their energy, their second derivative that of the
 * force, and a seam whose sides match bends as the mesh does that is in one piece. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "laws/link.h"
#include "rig.h"

#define SIDE 5
#define MOST (2 * SIDE * SIDE)
#define MOST_LINKS 16
#define SPACING 0.1

/* Two grids side by side along x, the second `apart` from the first, as one mesh in two pieces. */
static TestMesh *two_sheets(double apart) {
    TestMesh *mesh = mesh_new();
    for (int piece = 0; piece < 2; ++piece) {
        int first = piece * SIDE * SIDE;
        double start = piece * ((SIDE - 1) * SPACING + apart);
        for (int v = 0; v < SIDE * SIDE; ++v) {
            mesh_add_vertex(mesh, start + SPACING * (v % SIDE), SPACING * (v / SIDE), 0);
        }
        for (int q = 0; q < (SIDE - 1) * (SIDE - 1); ++q) {
            int a = first + q / (SIDE - 1) * SIDE + q % (SIDE - 1);
            mesh_add_triangle(mesh, a, a + 1, a + SIDE + 1);
            mesh_add_triangle(mesh, a, a + SIDE + 1, a + SIDE);
        }
    }
    return mesh;
}

typedef struct Stitching {
    LinkSet set;
    Link links[MOST_LINKS];
    uint8_t state[MOST_LINKS];
    double rest[MOST_LINKS], stretch[MOST_LINKS], bend[MOST_LINKS];
    Vec3 offset[MOST_LINKS];
    Store store;
    Mesh mesh;
} Stitching;

/* All of one material, on a mesh of their own. */
static void take(Stitching *stitching, int count, const TestMesh *mesh) {
    Material material = rig_material();
    Status status;
    status_clear(&status);
    stitching->set = (LinkSet){.count = count,
                               .links = stitching->links,
                               .state = stitching->state,
                               .rest = stitching->rest,
                               .offset = stitching->offset,
                               .stretch = stitching->stretch,
                               .bend = stitching->bend,
                               .mesh = &stitching->mesh};
    CHECK_INT(mesh_build(&mesh->polygons, MESH_WHOLE, &(MeshOptions){.uv_scale = 1},
                         &stitching->store, &stitching->mesh, &status),
              STATUS_OK);
    link_set_fabrics(&stitching->set, &material);
}

static Link link_of(LinkUse use, int a, int b) {
    return (Link){.use = use,
                  .vertices = {a, -1, b, -1},
                  .weights = {1, 0, 1, 0},
                  .body = -1,
                  .length = use == LINK_ELASTIC ? 0.05 : 0,
                  .stiffness = use == LINK_ELASTIC ? 3 : 0,
                  .speed = 1};
}

/* The last column of the first piece to the first one of the second, vertex to vertex. */
static void sew_columns(Stitching *stitching, const TestMesh *mesh) {
    for (int row = 0; row < SIDE; ++row) {
        stitching->links[row] = link_of(LINK_SEAM, row * SIDE + SIDE - 1, SIDE * SIDE + row * SIDE);
        stitching->state[row] = LINK_HOLDS;
        stitching->rest[row] = 0;
    }
    take(stitching, SIDE, mesh);
}

/* Energy of a law's element at x, and its tension. */
static double energy_at(const Law *law, int e, const Vec3 *x, Vec3 *tension) {
    return law->kind->evaluate(law, e, &(Guess){.z = x, .present = x}, tension);
}

/* Along random ways: the slope of the energy is minus tension times weights, and that of the tension what hessian() has. */
static void check_derivatives(const Law *law, const Vec3 *x, int count) {
    const double step = 1e-6;
    for (int e = 0; e < law->count; ++e) {
        Vec3 d[MOST], above[MOST], below[MOST], tension, one, two;
        for (int v = 0; v < count; ++v) {
            d[v] = random_vector(1);
            above[v] = vec3_madd(x[v], step, d[v]);
            below[v] = vec3_madd(x[v], -step, d[v]);
        }
        energy_at(law, e, x, &tension);
        double up = energy_at(law, e, above, &one), down = energy_at(law, e, below, &two);
        Vec3 way = law_measure(law, 0, e, d);
        CHECK_NEAR((up - down) / (2 * step), -vec3_dot(tension, way), 1e-5 * law->bound[e]);
        LawHessian hessian = {0};
        bool resists = law->kind->hessian ? law->kind->hessian(law, e, x, 1.0, &hessian) : true;
        if (!law->kind->hessian) {
            block_add_diagonal(&hessian.uu, law->bound[e]);
        }
        Vec3 slope = vec3_scale(0.5 / step, vec3_sub(two, one));
        Vec3 reported = resists ? block_times(&hessian.uu, way) : vec3(0, 0, 0);
        CHECK_BELOW(vec3_distance(slope, reported), 1e-4 * law->bound[e]);
        CHECK_BELOW(vec3_length(reported), (1 + 1e-9) * law->bound[e] * vec3_length(way));
    }
}

/* Hinges of seams have no Hessian: their second derivative is constant, and law_hessian_product() knows it by their bounds. */
static void check_stiffening(System *system, const Vec3 *x) {
    const Law *law = laws_find(&system->laws, &seam_kind);
    Vec3 d[MOST], moved[MOST], before, after;
    for (int v = 0; v < system->vertex_count; ++v) {
        d[v] = random_vector(0.01);
        moved[v] = vec3_add(x[v], d[v]);
    }
    rig_stiffen(system, x, d);
    for (int e = 0; e < law->count; ++e) {
        energy_at(law, e, x, &before);
        energy_at(law, e, moved, &after);
        CHECK(vec3_distance(after, before) > 0);
        CHECK_BELOW(vec3_distance(law->tension[e], vec3_sub(after, before)),
                    1e-9 * vec3_length(after));
    }
}

static void crumple(const Rig *rig, double noise, Vec3 *x) { rig_state(rig, 1.05, noise, x); }

/* Of every use and state, between vertices and between points of edges. */
static void test_links(void) {
    TestMesh *mesh = two_sheets(0.08);
    Stitching stitching = {0};
    int other = SIDE * SIDE, count = 0;
    const LinkUse uses[] = {LINK_SEAM, LINK_TACK, LINK_ELASTIC, LINK_BUTTON};
    for (int use = 0; use < 4; ++use) {
        for (int state = LINK_CLOSES; state <= LINK_RELEASED; ++state) {
            stitching.links[count] =
                link_of(uses[use], SIDE - 1 + SIDE * use, other + SIDE * state);
            if (state != LINK_CLOSES) {
                const int points[4] = {2, 3, other + 1, other + 2};
                memcpy(stitching.links[count].vertices, points, sizeof points);
                const double weights[4] = {0.3, 0.7, 0.9, 0.1};
                memcpy(stitching.links[count].weights, weights, sizeof weights);
            }
            stitching.state[count] = (uint8_t)state;
            stitching.rest[count] = uses[use] == LINK_SEAM && state == LINK_HOLDS ? 0 : 0.05;
            stitching.offset[count] = vec3(0.03, 0.01, -0.02);
            ++count;
        }
    }
    take(&stitching, count, mesh);
    SystemOptions options = {.model = MODEL_TRIANGLE, .links = &stitching.set};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const Law *law = laws_find(&rig.system.laws, &link_kind);
    CHECK_INT(law->count, count);
    for (int round = 0; round < 20; ++round) {
        Vec3 x[MOST];
        crumple(&rig, 0.02, x);
        check_derivatives(law, x, rig.system.vertex_count);
        /* all ways to the forces agree */
        double by_rows = system_local_step(&rig.system, &(Guess){.z = x, .present = x});
        Vec3 force[MOST];
        for (int v = 0; v < rig.system.vertex_count; ++v) {
            force[v] = system_force(&rig.system, v);
        }
        CHECK_NEAR(system_evaluate(&rig.system, x, x), by_rows, 1e-9 * by_rows);
        for (int v = 0; v < rig.system.vertex_count; ++v) {
            CHECK_BELOW(vec3_distance(system_force(&rig.system, v), force[v]), 1e-7);
        }
    }
    for (int e = 0; e < count; ++e) { /* what is released does nothing */
        Vec3 x[MOST], tension;
        crumple(&rig, 0.02, x);
        if (stitching.state[e] == LINK_RELEASED) {
            CHECK_NEAR(energy_at(law, e, x, &tension), 0, 0);
            CHECK_NEAR(vec3_length(tension), 0, 0);
        }
    }
    rig_close(&rig);
    store_release(&stitching.store);
    mesh_free(mesh);
}

/* One that only pulls is slack below its length, one that holds pushes. */
static void test_slack(void) {
    TestMesh *mesh = two_sheets(0.02);
    Stitching stitching = {0};
    int a = SIDE - 1, b = SIDE * SIDE;
    stitching.links[0] = link_of(LINK_TACK, a, b);
    stitching.links[1] = link_of(LINK_ELASTIC, a, b);
    stitching.links[2] = link_of(LINK_TACK, a, b);
    stitching.state[0] = LINK_CLOSES;
    stitching.state[1] = stitching.state[2] = LINK_HOLDS;
    stitching.rest[0] = stitching.rest[1] = stitching.rest[2] = 0.05;
    take(&stitching, 3, mesh);
    SystemOptions options = {.model = MODEL_TRIANGLE, .links = &stitching.set};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const Law *law = laws_find(&rig.system.laws, &link_kind);
    Vec3 tension;
    for (int e = 0; e < 2; ++e) {
        LawHessian hessian;
        CHECK_NEAR(energy_at(law, e, rig.mesh.rest, &tension), 0, 0);
        CHECK(!law->kind->hessian(law, e, rig.mesh.rest, 1.0, &hessian));
    }
    double fabric = 0.5 * (material.stretch_warp + material.stretch_weft);
    double k = LINK_HOLDING * fabric;
    CHECK_NEAR(energy_at(law, 2, rig.mesh.rest, &tension), 0.5 * k * 0.03 * 0.03, 1e-6 * k * 9e-4);
    CHECK_NEAR(tension.x, -k * 0.03, 1e-6 * k); /* the second point is ahead of the first: apart */
    rig_close(&rig);
    store_release(&stitching.store);
    mesh_free(mesh);
}

/* A button that closes is at rest where it is drawn to, which no other length of the same direction is. */
static void test_button_place(void) {
    TestMesh *mesh = two_sheets(0.02);
    Stitching stitching = {0};
    stitching.links[0] = link_of(LINK_BUTTON, SIDE - 1, SIDE * SIDE);
    stitching.state[0] = LINK_CLOSES;
    take(&stitching, 1, mesh);
    SystemOptions options = {.model = MODEL_TRIANGLE, .links = &stitching.set};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const Law *law = laws_find(&rig.system.laws, &link_kind);
    Vec3 s = law_measure(law, 0, 0, rig.mesh.rest), tension;
    stitching.offset[0] = s;
    CHECK_NEAR(energy_at(law, 0, rig.mesh.rest, &tension), 0, 0);
    stitching.offset[0] = vec3_scale(-1, s); /* as long, on the other side */
    double k = law->bound[0];
    CHECK_NEAR(energy_at(law, 0, rig.mesh.rest, &tension), 2 * k * vec3_dot(s, s), 1e-12 * k);
    CHECK_BELOW(vec3_distance(tension, vec3_scale(-2 * k, s)), 1e-12 * k);
    rig_close(&rig);
    store_release(&stitching.store);
    mesh_free(mesh);
}

/* From beside the cloth below and from under it: no faster than it may, above the cloth before it arrives, and exactly
 * to its length above it. */
static void test_button_way(void) {
    const Vec3 corners[3] = {{0, -1, 0}, {1, 0, 0}, {0, 1, 0}}, up = {0, 0, 1};
    Link link = link_of(LINK_BUTTON, 0, 1);
    link.facing[1] = 1;
    link.facing[2] = 2;
    link.length = 0.005;
    const Vec3 starts[] = {{-0.15, 0.02, 0}, {-0.05, 0, -0.01}, {0, 0, -0.004}};
    for (int start = 0; start < 3; ++start) {
        Vec3 s = starts[start];
        const double seconds = 1.0 / 240;
        for (int step = 0; step < 100; ++step) {
            Vec3 over = button_over(&link, s, corners);
            CHECK_BELOW(vec3_distance(over, up), 1e-12);
            Vec3 next = button_offset(&link, s, over, seconds);
            CHECK_BELOW(vec3_distance(next, s), (1 + 1e-12) * link.speed * seconds);
            CHECK(start == 2 || next.x < -0.02 || next.z > link.length - 1e-12);
            s = next;
        }
        CHECK_BELOW(vec3_distance(s, vec3_scale(link.length, up)), 1e-12);
    }
}

/* Bent to a circle along x, two sheets sewn edge to edge store what one in one piece does: the hinges across the seam
 * are those that the mesh in one piece has there. */
static void test_bending(void) {
    Material material = rig_material();
    TestMesh *apart = two_sheets(0);
    TestMesh *whole = mesh_grid(GRID_PARALLEL, 2 * SIDE - 1, SIDE, 2 * (SIDE - 1) * SPACING);
    Stitching stitching = {0};
    sew_columns(&stitching, apart);
    SystemOptions options = {
        .model = MODEL_TRIANGLE, .bending = BENDING_HINGES, .links = &stitching.set};
    SystemOptions plain = {.model = MODEL_TRIANGLE, .bending = BENDING_HINGES};
    Rig sewn, welded;
    rig_open(&sewn, apart, &options, &material);
    rig_open(&welded, whole, &plain, &material);
    const Law *seams = laws_find(&sewn.system.laws, &seam_kind);
    const Law *hinges = laws_find(&welded.system.laws, &bending_kind);
    CHECK_INT(seams->count, SIDE - 1);
    const double radius = 0.4;
    Vec3 x[MOST], y[MOST];
    for (int v = 0; v < sewn.system.vertex_count; ++v) {
        Vec3 p = sewn.mesh.rest[v];
        x[v] = vec3(radius * sin(p.x / radius), p.y, radius * (1 - cos(p.x / radius)));
    }
    for (int v = 0; v < welded.system.vertex_count; ++v) {
        Vec3 p = welded.mesh.rest[v];
        y[v] = vec3(radius * sin(p.x / radius), p.y, radius * (1 - cos(p.x / radius)));
    }
    check_derivatives(seams, x, sewn.system.vertex_count);
    check_stiffening(&sewn.system, x);
    double across = 0, same = 0; /* J */
    Vec3 tension;
    for (int e = 0; e < seams->count; ++e) {
        across += energy_at(seams, e, x, &tension);
        CHECK_NEAR(energy_at(seams, e, sewn.mesh.rest, &tension), 0, 1e-20);
    }
    for (int e = 0; e < hinges->count; ++e) {
        const int *v = law_vertices(hinges, e);
        bool on_seam = v[2] % (2 * SIDE - 1) == SIDE - 1 && v[3] % (2 * SIDE - 1) == SIDE - 1;
        same += on_seam ? energy_at(hinges, e, y, &tension) : 0.0;
    }
    /* hinges of the mesh stand for its rim, too, where triangles have fewer than three: those of the seam do not */
    double shared = 2.0 / 3.0 * hinges->count / welded.mesh.triangle_count;
    CHECK(across > 0);
    CHECK_NEAR(across, shared * same, 1e-6 * same);
    /* one of its stitches lets go: so do the hinges beside it */
    stitching.state[0] = LINK_RELEASED;
    system_refresh_material(&sewn.system);
    int resting = 0;
    for (int e = 0; e < seams->count; ++e) {
        resting += seams->bound[e] == 0;
    }
    CHECK_INT(resting, 1);
    rig_close(&sewn);
    rig_close(&welded);
    store_release(&stitching.store);
    mesh_free(apart);
    mesh_free(whole);
}

/* A side with twice the vertices: stitches at its vertices and between those of the other. Flat cloth, wherever it is
 * turned to, stores nothing. */
static void test_uneven(void) {
    TestMesh *mesh = mesh_new();
    for (int v = 0; v < 3; ++v) { /* an edge of one triangle against two of two */
        mesh_add_vertex(mesh, 0, 0.5 * v, 0);
    }
    mesh_add_vertex(mesh, -0.5, 0.25, 0);
    mesh_add_vertex(mesh, -0.5, 0.75, 0);
    mesh_add_triangle(mesh, 0, 1, 3);
    mesh_add_triangle(mesh, 1, 2, 4);
    int low = mesh_add_vertex(mesh, 0, 0, 0), high = mesh_add_vertex(mesh, 0, 1, 0);
    int far = mesh_add_vertex(mesh, 0.7, 0.4, 0);
    mesh_add_triangle(mesh, low, far, high);
    Stitching stitching = {0};
    stitching.links[0] = link_of(LINK_SEAM, low, 0); /* either side may come first */
    stitching.links[1] = link_of(LINK_SEAM, 1, low);
    stitching.links[1].vertices[3] = high;
    stitching.links[1].weights[2] = stitching.links[1].weights[3] = 0.5;
    stitching.links[2] = link_of(LINK_SEAM, 2, high);
    memset(stitching.state, LINK_HOLDS, sizeof stitching.state);
    take(&stitching, 3, mesh);
    SystemOptions options = {.model = MODEL_TRIANGLE, .links = &stitching.set};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    const Law *seams = laws_find(&rig.system.laws, &seam_kind);
    CHECK_INT(seams->count, 2);
    Vec3 x[MOST], tension, turn = vec3(0.4, -0.7, 0.2);
    for (int v = 0; v < rig.system.vertex_count; ++v) {
        x[v] = vec3_add(guess_rotate(turn, rig.mesh.rest[v]), vec3(1, 2, 3));
    }
    for (int e = 0; e < seams->count; ++e) {
        CHECK(seams->bound[e] > 0);
        CHECK_NEAR(energy_at(seams, e, x, &tension), 0, 1e-20);
    }
    x[far].z += 0.1;
    for (int e = 0; e < seams->count; ++e) {
        CHECK(energy_at(seams, e, x, &tension) > 0);
    }
    rig_close(&rig);
    store_release(&stitching.store);
    mesh_free(mesh);
}

/* Two stitches whose other sides are on two edges: these may bend against each other, so there is no hinge. */
static void test_around_a_corner(void) {
    TestMesh *mesh = mesh_new();
    const double corners[][2] = {{0, 0.125}, {0, 0.625}, {0.7, 0.4},   {0, 0},
                                 {0, 0.5},   {0, 1},     {-0.5, 0.25}, {-0.5, 0.75}};
    for (int v = 0; v < 8; ++v) {
        mesh_add_vertex(mesh, corners[v][0], corners[v][1], 0);
    }
    mesh_add_triangle(mesh, 0, 2, 1);
    mesh_add_triangle(mesh, 3, 4, 6);
    mesh_add_triangle(mesh, 4, 5, 7);
    Stitching stitching = {0};
    for (int end = 0; end < 2; ++end) {
        stitching.links[end] = link_of(LINK_SEAM, end, 3 + end);
        stitching.links[end].vertices[3] = 4 + end;
        stitching.links[end].weights[2] = 0.75;
        stitching.links[end].weights[3] = 0.25;
    }
    memset(stitching.state, LINK_HOLDS, sizeof stitching.state);
    take(&stitching, 2, mesh);
    SystemOptions options = {.model = MODEL_TRIANGLE, .links = &stitching.set};
    Material material = rig_material();
    Rig rig;
    rig_open(&rig, mesh, &options, &material);
    CHECK_INT(laws_find(&rig.system.laws, &link_kind)->count, 2);
    CHECK_INT(laws_find(&rig.system.laws, &seam_kind)->count, 0);
    rig_close(&rig);
    store_release(&stitching.store);
    mesh_free(mesh);
}

int main(void) {
    random_start(7);
    test_links();
    test_slack();
    test_button_place();
    test_button_way();
    test_bending();
    test_uneven();
    test_around_a_corner();
    return check_result();
}
