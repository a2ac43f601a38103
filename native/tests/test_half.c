/* Half of a mirrored cloth against the whole: the same motion to rounding, for both models and solvers, with pins,
 * bending across the plane, wind along it, bodies with friction; and never beyond the plane where cloth meets itself.
 * */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "given.h"
#include "meshes.h"
#include "simulation/simulation.h"

#define STEP (1.0 / 24)
#define NX 13
#define NY 11
#define COUNT (NX * NY)
#define WIDTH 0.6

static const BodySurface surface = {.thickness = 0.004, .friction = 0.3};

static SimulationOptions options_of(SolverKind solver, Scheme scheme, ModelKind model) {
    return (SimulationOptions){
        .integrator = INTEGRATOR_BDF2,
        .system = {.model = model},
        .mesh = {.uv_scale = 1},
        .solver = solver,
        .solving = {.scheme = scheme,
                    .iterations = 2,
                    .estimate = ESTIMATE_TRANSLATION,
                    .coefficient_count = 2,
                    .coefficients = {2, -1},
                    .precision = PRECISION_DOUBLE,
                    .pcg_tolerance = 1e-12,
                    .pcg_limit = 2000,
                    .sweep_method = SWEEP_CHOI_KO},
        .substeps = 2,
        .threads = 1,
        .materials[0] = {.density = 0.2,
                         .stretch_warp = model == MODEL_EDGE ? 1300 : 1150,
                         .stretch_weft = model == MODEL_EDGE ? 1000 : 850,
                         .shear = model == MODEL_EDGE ? 300 : 150,
                         .bend = 2e-3,
                         .bend_weft = 1,
                         .bend_twist = 1,
                         .rope_density = 0.01,
                         .rope_stretch = 300,
                         .damping = 0.5,
                         .stiffness_damping = 1e-3,
                         .air_drag = 0.1,
                         .pin_stiffness = 2000},
        .gravity = {0, 1.5, -9.81},
        .wind = {.velocity = {0, 3, 1}, .normal_drag = 0.4, .tangent_drag = 0.04},
    };
}

/* A sheet around the z axis, bent a little and folded along the plane, with ropes in the plane and beside it. */
static TestMesh *whole_mesh(GridKind kind) {
    TestMesh *mesh = mesh_grid(kind, NX, NY, WIDTH);
    for (int v = 0; v < COUNT; ++v) {
        float *x = mesh->positions + 3 * v;
        x[0] = (float)(WIDTH * (v % NX - NX / 2) / (NX - 1));
        x[2] = (float)(0.1 * x[1] * x[1] + 0.2 * fabs(x[0]) + 0.5 * x[0] * x[0]);
    }
    int middle = NX / 2, left = 0, right = NX - 1;
    int low = mesh_add_vertex(mesh, 0, -0.1, 0), lower = mesh_add_vertex(mesh, 0, -0.2, 0.02);
    mesh_add_edge(mesh, middle, low);
    mesh_add_edge(mesh, low, lower);
    mesh_add_edge(mesh, left, mesh_add_vertex(mesh, -0.35, -0.05, 0.1));
    mesh_add_edge(mesh, right, mesh_add_vertex(mesh, 0.35, -0.05, 0.1));
    return mesh;
}

typedef struct Pair {
    Simulation *whole, *half;
    int count, number[COUNT + 8];
} Pair;

static Pair pair_open(GridKind kind, const SimulationOptions *options) {
    Pair pair;
    Status status;
    int plane_from = 0;
    SimulationOptions halved = *options;
    TestMesh *mesh = whole_mesh(kind), *half = mesh_half(mesh, pair.number, &plane_from);
    halved.half = (SimulationHalf){.halved = 1, .rail_from = plane_from, .plane_from = plane_from};
    pair.count = mesh->polygons.vertex_count;
    pair.whole = simulation_create(&mesh->polygons, options, &status);
    CHECK(pair.whole != NULL);
    pair.half = simulation_create(&half->polygons, &halved, &status);
    CHECK(pair.half != NULL);
    mesh_free(mesh);
    mesh_free(half);
    return pair;
}

static void pair_close(Pair *pair) {
    simulation_destroy(pair->whole);
    simulation_destroy(pair->half);
}

/* Hangs both by the corners of the last row: hard pins, and a soft one in the plane. */
static void pin_corners(Pair *pair) {
    static const float weights[3] = {1, 1, 0.5f};
    const int32_t corners[3] = {COUNT - 1, COUNT - NX, COUNT - NX + NX / 2};
    const int32_t kept[2] = {pair->number[COUNT - 1], pair->number[COUNT - NX + NX / 2]};
    const float kept_weights[2] = {1, 0.5f};
    Status status;
    CHECK_INT(give_pins(pair->whole, 3, corners, weights, NULL, &status), STATUS_OK);
    CHECK_INT(give_pins(pair->half, 2, kept, kept_weights, NULL, &status), STATUS_OK);
}

/* A long mound below the sheet, level in the middle, the same on both sides of the plane. */
static void add_mound(Simulation *simulation) {
    static const double section[][2] = {{0.5, -0.3},   {0.28, -0.09},  {0.1, -0.04},
                                        {-0.1, -0.04}, {-0.28, -0.09}, {-0.5, -0.3}};
    enum { CORNERS = sizeof section / sizeof *section };
    TestMesh *mesh = mesh_new();
    Status status;
    for (int i = 0; i < 2 * CORNERS; ++i) {
        const double *at = section[i % CORNERS];
        mesh_add_vertex(mesh, at[0], i < CORNERS ? -0.6 : 1.2, at[1]);
    }
    for (int i = 0; i < CORNERS; ++i) {
        int j = (i + 1) % CORNERS;
        mesh_add_face(mesh, 4, (int[]){i, i + CORNERS, j + CORNERS, j});
    }
    for (int i = 1; i + 1 < CORNERS; ++i) {
        mesh_add_triangle(mesh, 0, i, i + 1);
        mesh_add_triangle(mesh, CORNERS, CORNERS + i + 1, CORNERS + i);
    }
    CHECK_INT(give_body(simulation, 0, &mesh->polygons, &surface, &status), STATUS_OK);
    mesh_free(mesh);
}

/* Largest distance between the half and the same vertices of the whole, m; and how far the whole is from its own
 * mirror image. */
static double distance(const Pair *pair, double *asymmetry) {
    static float whole[3 * (COUNT + 8)], half[3 * (COUNT + 8)];
    simulation_copy_state(pair->whole, whole, NULL);
    simulation_copy_state(pair->half, half, NULL);
    double worst = 0;
    *asymmetry = 0;
    for (int v = 0; v < pair->count; ++v) {
        Vec3 own = vec3(whole[3 * v], whole[3 * v + 1], whole[3 * v + 2]);
        if (v < COUNT) {
            int m = v + NX - 1 - 2 * (v % NX);
            Vec3 image = vec3(-whole[3 * m], whole[3 * m + 1], whole[3 * m + 2]);
            *asymmetry = fmax(*asymmetry, vec3_distance(own, image));
        }
        if (pair->number[v] >= 0) {
            const float *h = half + 3 * pair->number[v];
            worst = fmax(worst, vec3_distance(own, vec3(h[0], h[1], h[2])));
        }
    }
    return worst;
}

static void check_same(const char *name, GridKind kind, const SimulationOptions *options, int steps,
                       int with_body, double allowed) {
    Pair pair = pair_open(kind, options);
    Status status;
    double asymmetry;
    int touching = 0;
    if (with_body) {
        add_mound(pair.whole);
        add_mound(pair.half);
    } else {
        pin_corners(&pair);
    }
    for (int s = 0; s < steps; ++s) {
        CHECK_INT(simulation_step(pair.whole, STEP, &status), STATUS_OK);
        CHECK_INT(simulation_step(pair.half, STEP, &status), STATUS_OK);
        touching += simulation_step_report(pair.whole).contact->contacts +
                    simulation_step_report(pair.half).contact->contacts;
    }
    double apart = distance(&pair, &asymmetry);
    printf(
        "%-34s %.2g m apart after %d steps; the whole's own asymmetry %.2g m, %d contacts in all\n",
        name, apart, steps, asymmetry, touching);
    /* the whole tells by its own asymmetry how much rounding has grown */
    CHECK(apart <= allowed + 2 * asymmetry);
    CHECK(asymmetry <= 1e-4);
    /* the linear solver leaves the cloth where contacts just cease to push: which of them still do is rounding, so
     * those of all steps and of both are counted */
    if (with_body) {
        CHECK(touching >= 16);
    }
    SimulationMeasure whole, half;
    simulation_strain_and_energy(pair.whole, &whole);
    simulation_strain_and_energy(pair.half, &half);
    CHECK_NEAR(2 * half.elastic_energy, whole.elastic_energy,
               1e-4 * whole.elastic_energy + 10 * allowed);
    pair_close(&pair);
}

/* --- what only a half has --------------------------------------------------------------------- */

/* A sheet of half width that begins `away` from the plane, its first column on rails. */
static Simulation *front(const SimulationOptions *options, double away, int rails) {
    enum { COLUMNS = 8, ROWS = 9 };
    TestMesh *mesh = mesh_new();
    Status status;
    for (int c = COLUMNS - 1; c >= 0; --c) {
        for (int r = 0; r < ROWS; ++r) {
            mesh_add_vertex(mesh, away + 0.03 * c, 0.001 * c * r, 0.03 * r);
        }
    }
    for (int c = 0; c + 1 < COLUMNS; ++c) {
        for (int r = 0; r + 1 < ROWS; ++r) {
            int a = c * ROWS + r;
            mesh_add_face(mesh, 4, (int[]){a, a + 1, a + ROWS + 1, a + ROWS});
        }
    }
    SimulationOptions halved = *options;
    int count = COLUMNS * ROWS;
    halved.half = (SimulationHalf){.halved = 1,
                                   .rail_from = rails ? count - ROWS : count,
                                   .plane_from = count,
                                   .closing = 0.25,
                                   .barrier = rails};
    Simulation *simulation = simulation_create(&mesh->polygons, &halved, &status);
    CHECK(simulation != NULL);
    int32_t pins[COLUMNS];
    for (int c = 0; c < COLUMNS; ++c) {
        pins[c] = c * ROWS + ROWS - 1;
    }
    CHECK_INT(give_pins(simulation, rails ? 1 : COLUMNS, pins, NULL, NULL, &status), STATUS_OK);
    mesh_free(mesh);
    return simulation;
}

static double least_x(const Simulation *simulation, int *on_plane) {
    static float x[3 * COUNT];
    double least = INFINITY;
    SimulationReport report;
    simulation_describe(simulation, &report);
    *on_plane = 0;
    simulation_copy_state(simulation, x, NULL);
    for (int i = 0; i < report.vertex_count; ++i) {
        least = x[3 * i] < least ? x[3 * i] : least;
        *on_plane += x[3 * i] == 0;
    }
    return least;
}

/* A zip: the rim comes to the plane evenly, arrives in time and stays there; nothing passes it. */
static void check_zip(SolverKind solver, Scheme scheme) {
    ModelKind model = solver == SOLVER_THREADS ? MODEL_WOVEN : MODEL_TRIANGLE;
    SimulationOptions options = options_of(solver, scheme, model);
    options.materials[0].bend = 1e-5;
    Simulation *simulation = front(&options, 0.05, 1);
    Status status;
    int on_plane;
    for (int s = 0; s < 60; ++s) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        double least = least_x(simulation, &on_plane),
               expected = 0.05 * (1 - (s + 1) * STEP / 0.25);
        CHECK(least >= 0);
        CHECK_INT(on_plane, expected > 1e-9 ? 0 : 9);
        if (expected > 1e-9) {
            CHECK_NEAR(least, expected, 1e-6);
        }
    }
    simulation_destroy(simulation);
}

/* A cloth that swings through the plane: with self-contact it meets its image there. */
static void check_barrier(int layered) {
    SimulationOptions options = options_of(SOLVER_LINEAR, SCHEME_TWO_LEVEL, MODEL_TRIANGLE);
    options.gravity = vec3(-5, 0, -9.81);
    options.solving.quality = QUALITY_FIT;
    Simulation *simulation = front(&options, 0.04, 0);
    Status status;
    int ignored;
    double least = INFINITY;
    if (layered) {
        CHECK_INT(give_self_contact(simulation, &surface, &status), STATUS_OK);
    }
    for (int s = 0; s < 24; ++s) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        least = fmin(least, least_x(simulation, &ignored));
    }
    CHECK(layered ? least > 0 : least < -0.01);
    simulation_destroy(simulation);
}

/* The two-level scheme takes other ways in the half and in the whole; both end in the same rest. */
static void check_rest(void) {
    SimulationOptions options = options_of(SOLVER_LINEAR, SCHEME_TWO_LEVEL, MODEL_TRIANGLE);
    options.solving.quality = QUALITY_FINAL;
    options.materials[0].damping = 6;
    options.wind.velocity = vec3(0, 0, 0);
    Pair pair = pair_open(GRID_QUADS, &options);
    Status status;
    double asymmetry;
    pin_corners(&pair);
    for (int s = 0; s < 300; ++s) {
        CHECK_INT(simulation_step(pair.whole, STEP, &status), STATUS_OK);
        CHECK_INT(simulation_step(pair.half, STEP, &status), STATUS_OK);
    }
    double apart = distance(&pair, &asymmetry);
    printf("two levels at rest: %.2g m apart, the whole's own asymmetry %.2g m\n", apart,
           asymmetry);
    CHECK(apart < 5e-4);
    pair_close(&pair);
}

/* In single precision the factor need not know that hinges across the plane do not resist along x, but for hinges as
 * stiff as these: 0.05 mm apart without. */
static void check_stiff_hinges(void) {
    SimulationOptions options = options_of(SOLVER_LINEAR, SCHEME_PLAIN, MODEL_TRIANGLE);
    options.solving.precision = PRECISION_SINGLE;
    options.materials[0].bend = 0.2;
    check_same("stiff hinges, single precision", GRID_QUADS, &options, 24, 0, 1e-6);
}

/* The same bytes for any number of threads, and after a snapshot. */
static void check_bytes(void) {
    static float first[3 * COUNT], other[3 * COUNT];
    for (int threads = 1; threads <= 3; ++threads) {
        SimulationOptions options = options_of(SOLVER_LINEAR, SCHEME_TWO_LEVEL, MODEL_TRIANGLE);
        options.solving.quality = QUALITY_FIT;
        options.threads = threads;
        Pair pair = pair_open(GRID_QUADS, &options);
        Status status;
        pin_corners(&pair);
        add_mound(pair.half);
        CHECK_INT(give_self_contact(pair.half, &surface, &status), STATUS_OK);
        unsigned char *bytes = NULL;
        size_t size = 0;
        for (int s = 0; s < 12; ++s) {
            CHECK_INT(simulation_step(pair.half, STEP, &status), STATUS_OK);
            if (s == 5) {
                size = simulation_state_bytes(pair.half);
                bytes = calloc(size, 1);
                simulation_write_state(pair.half, bytes);
            }
        }
        simulation_copy_state(pair.half, threads == 1 ? first : other, NULL);
        CHECK(threads == 1 || memcmp(first, other, sizeof first) == 0);
        CHECK_INT(simulation_read_state(pair.half, bytes, size, &status), STATUS_OK);
        for (int s = 6; s < 12; ++s) {
            CHECK_INT(simulation_step(pair.half, STEP, &status), STATUS_OK);
        }
        simulation_copy_state(pair.half, other, NULL);
        CHECK(memcmp(first, other, sizeof first) == 0);
        free(bytes);
        pair_close(&pair);
    }
}

int main(void) {
    static const struct {
        const char *name;
        SolverKind solver;
        Scheme scheme;
        ModelKind model;
        GridKind kind;
    } cases[] = {
        {"triangles, plain", SOLVER_LINEAR, SCHEME_PLAIN, MODEL_TRIANGLE, GRID_ALTERNATING},
        {"triangles from quads, plain", SOLVER_LINEAR, SCHEME_PLAIN, MODEL_TRIANGLE, GRID_QUADS},
        {"edges, plain", SOLVER_LINEAR, SCHEME_PLAIN, MODEL_EDGE, GRID_QUADS},
        {"triangles, extrapolated", SOLVER_LINEAR, SCHEME_ANDERSON, MODEL_TRIANGLE, GRID_QUADS},
        {"triangles, conventional", SOLVER_IMPLICIT, SCHEME_PLAIN, MODEL_TRIANGLE, GRID_QUADS},
        {"membranes, plain", SOLVER_LINEAR, SCHEME_PLAIN, MODEL_MEMBRANE, GRID_QUADS},
        {"edges, conventional", SOLVER_IMPLICIT, SCHEME_PLAIN, MODEL_EDGE, GRID_ALTERNATING},
        {"edges, Choi and Ko", SOLVER_SWEEP, SCHEME_PLAIN, MODEL_EDGE, GRID_QUADS},
        {"triangles, Choi and Ko", SOLVER_SWEEP, SCHEME_PLAIN, MODEL_TRIANGLE, GRID_QUADS},
        {"threads", SOLVER_THREADS, SCHEME_PLAIN, MODEL_WOVEN, GRID_QUADS},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        SimulationOptions options = options_of(cases[c].solver, cases[c].scheme, cases[c].model);
        check_same(cases[c].name, cases[c].kind, &options, 24, 0, 1e-6);
        if (cases[c].solver == SOLVER_SWEEP) { /* springs between a vertex and its image, too */
            options.system.bending = BENDING_SPRINGS;
            check_same("  bent by springs", cases[c].kind, &options, 24, 0, 1e-6);
            options.system.bending = BENDING_CURVATURE;
        }
        options.system.keep_folds = 1;
        check_same("  keeps its folds", cases[c].kind, &options, 24, 0, 1e-6);
        /* which contacts push is decided anew in every round: rounding grows, in the whole as in the half */
        options.integrator = INTEGRATOR_EULER;
        options.materials[0].bend = 1e-5;
        bool searches = cases[c].solver == SOLVER_IMPLICIT || cases[c].solver == SOLVER_THREADS;
        bool few = searches || cases[c].solver == SOLVER_SWEEP; /* nor is that linearised twice */
        if (searches) {
            options.solving.iterations =
                60; /* to the end: a few steps depend on how each search ends */
        }
        /* A search that ends one Newton step later meets other contacts: from the fourth step on some do, whatever the
         * stiffness, and the two are micrometres apart, or tens of them. */
        /* membranes take one step among contacts in a round, not four, so rounding shows more */
        double allowed = cases[c].model == MODEL_MEMBRANE ? 2e-5 : 1e-6;
        check_same("  with a body", cases[c].kind, &options, few ? 3 : 8, 1, allowed);
        if (searches) {
            check_same("  likewise, longer", cases[c].kind, &options, 8, 1, 1e-3);
        }
    }
    check_zip(SOLVER_LINEAR, SCHEME_PLAIN);
    check_zip(SOLVER_LINEAR, SCHEME_TWO_LEVEL);
    check_zip(SOLVER_IMPLICIT, SCHEME_PLAIN);
    check_zip(SOLVER_THREADS, SCHEME_PLAIN);
    check_barrier(1);
    check_barrier(0);
    check_rest();
    check_stiff_hinges();
    check_bytes();
    return check_result();
}
