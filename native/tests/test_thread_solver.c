/* The thread solver as a whole: the conventional solver's answer on the same laws, momentum, a rope's catenary, strips
 * that hang and stand out, contact, and the same bytes for any number of CPU threads. */
#include <math.h>
#include <string.h>

#include "check.h"
#include "given.h"
#include "memory_counter.h"
#include "rig.h"
#include "simulation/simulation.h"

#define GRAVITY 9.81

/* --- one substep, beside the conventional solver -------------------------------------------------- */

static TestMesh *sheet_with_rope(void) {
    TestMesh *mesh = mesh_grid(GRID_QUADS, 9, 7, 0.5);
    mesh_crumple(mesh, 0.05);
    int last = 62;
    for (int k = 0; k < 6; ++k) {
        int next = mesh_add_vertex(mesh, 0.55 + 0.05 * k, 0.4 + 0.01 * k * k, 0);
        mesh_add_edge(mesh, last, next);
        last = next;
    }
    return mesh;
}

static void advance(Solver *solver, double h, const Vec3 *x, const Vec3 *v, Vec3 *z) {
    Status status = {0};
    StateHistory past = {.positions = {x}, .start = x, .velocity = v};
    CHECK_INT(solver->prepare(solver, h, &status), STATUS_OK);
    solver->advance(solver, &past, z);
}

/* Both find the same end of a substep, and nothing but inertia changes momentum: forces and torques within cloth and rope
 * cancel. */
static void check_substep(void) {
    Rig rig;
    TestMesh *mesh = sheet_with_rope();
    Material material = rig_material();
    material.damping = material.stiffness_damping = material.air_drag = 0;
    rig_open(&rig, mesh, &(SystemOptions){.model = MODEL_WOVEN, .keep_folds = true}, &material);
    mesh_free(mesh);
    System *system = &rig.system;
    int count = system->vertex_count;
    SolverOptions options = {.iterations = 60, .pcg_tolerance = 1e-8, .pcg_limit = 5000};
    Solver *threads = thread_solver_create(system, &options, &rig.status);
    Solver *implicit = implicit_solver_create(system, &options, &rig.status);
    CHECK(threads != NULL && implicit != NULL);
    Vec3 *x = STORE_ARRAY(&rig.store, Vec3, count), *v = STORE_ARRAY(&rig.store, Vec3, count);
    Vec3 *z = STORE_ARRAY(&rig.store, Vec3, count), *other = STORE_ARRAY(&rig.store, Vec3, count);
    rig_state(&rig, 1.02, 0.003, x);
    for (int i = 0; i < count; ++i) {
        v[i] = random_vector(0.5);
    }
    double h = 0.01, moved = 0, apart = 0;
    advance(threads, h, x, v, z);
    advance(implicit, h, x, v, other);
    Vec3 gained = {0, 0, 0}, turned = {0, 0, 0};
    for (int i = 0; i < count; ++i) {
        Vec3 change = vec3_sub(vec3_scale(1 / h, vec3_sub(z[i], x[i])), v[i]);
        moved = fmax(moved, vec3_distance(z[i], x[i]));
        apart = fmax(apart, vec3_distance(z[i], other[i]));
        gained = vec3_madd(gained, system->mass[i], change);
        turned = vec3_madd(turned, system->mass[i], vec3_cross(z[i], change));
    }
    CHECK(moved > 1e-3);
    CHECK_BELOW(apart, 1e-7);
    CHECK_BELOW(vec3_length(gained), 1e-7);
    CHECK_BELOW(vec3_length(turned), 1e-7);
    solver_destroy(threads);
    solver_destroy(implicit);
    rig_close(&rig);
}

/* --- at rest ---------------------------------------------------------------------------------------- */

static SimulationOptions options_of(int threads) {
    SimulationOptions options = plain_options();
    options.integrator = INTEGRATOR_EULER;
    options.solver = SOLVER_THREADS;
    options.system = (SystemOptions){.model = MODEL_WOVEN, .keep_folds = true};
    options.solving = (SolverOptions){.iterations = 100, .pcg_tolerance = 1e-6, .pcg_limit = 20000};
    options.gravity = vec3(0, 0, -GRAVITY);
    options.substeps = 1;
    options.threads = threads;
    options.materials[0].damping = 20;
    options.materials[0].bend_weft = options.materials[0].bend_twist = 1;
    return options;
}

/* Steps of half a second until it rests; the state is left in x. */
static void settle(const SimulationOptions *options, TestMesh *mesh, int pin_count,
                   const int32_t *pins, float *x) {
    Status status;
    static float v[3 * MESHES_MOST];
    Simulation *simulation = simulation_create(&mesh->polygons, options, &status);
    CHECK(simulation != NULL);
    if (!simulation) {
        return;
    }
    give_pins(simulation, pin_count, pins, NULL, NULL, &status);
    double speed = 1;
    for (int k = 0; k < 60 && speed > 1e-5; ++k) {
        CHECK_INT(simulation_step(simulation, 0.5, &status), STATUS_OK);
        simulation_copy_state(simulation, x, v);
        speed = 0;
        for (int i = 0; i < mesh->polygons.vertex_count; ++i) {
            double own = vec3_length(vector_at(v, i));
            speed = own > speed ? own : speed;
        }
    }
    CHECK_BELOW(speed, 1e-5);
    simulation_destroy(simulation);
}

#define SPAN 0.6 /* m, of a rope of length 1 */

/* a of the catenary y = a cosh(x / a): 2 a sinh(SPAN / 2 a) = 1, by halving. */
static double catenary(void) {
    double low = 0.05, high = 1.0;
    for (int k = 0; k < 80; ++k) {
        double a = 0.5 * (low + high);
        *(2 * a * sinh(SPAN / (2 * a)) > 1 ? &low : &high) = a;
    }
    return low;
}

/* How far the vertices of a hanging rope of n links are from where the catenary has them, m. */
static double catenary_error(int n) {
    static float x[3 * MESHES_MOST];
    TestMesh *mesh = mesh_new();
    for (int k = 0; k <= n; ++k) { /* two straight halves */
        double along = (double)k / n, down = fmin(along, 1 - along);
        mesh_add_vertex(mesh, SPAN * along, 0, -down * sqrt(1 - SPAN * SPAN));
        if (k > 0) {
            mesh_add_edge(mesh, k - 1, k);
        }
    }
    SimulationOptions options = options_of(1);
    options.system.keep_folds = false;
    options.materials[0].rope_density = 0.01;
    options.materials[0].rope_stretch = 5000;
    settle(&options, mesh, 2, (const int32_t[]){0, n}, x);
    double a = catenary(), error = 0, end = sqrt(a * a + 0.25);
    for (int k = 0; k <= n; ++k) {
        double s = (double)k / n - 0.5;
        Vec3 wanted = vec3(0.5 * SPAN + a * asinh(s / a), 0, sqrt(a * a + s * s) - end);
        error = fmax(error, vec3_distance(vector_at(x, k), wanted));
    }
    mesh_free(mesh);
    return error;
}

/* The error goes with the square of the links' length, down to what the rope stretches. */
static void check_catenary(void) {
    double coarse = catenary_error(10), fine = catenary_error(40);
    CHECK_BELOW(coarse, 5e-3);
    CHECK_BELOW(fine, 4e-4);
    CHECK_BELOW(fine, coarse / 8);
}

#define ACROSS 4
#define LONG 20

/* A strip of 1 m, LONG cells, in the plane x = 0 or level: it runs along -z or along y, either way its warp. */
static TestMesh *strip(bool level) {
    TestMesh *mesh = mesh_new();
    for (int k = 0; k < (ACROSS + 1) * (LONG + 1); ++k) {
        double along = (double)(k / (ACROSS + 1)) / LONG, across = 0.05 * (k % (ACROSS + 1));
        mesh_add_vertex(mesh, level ? across : 0, level ? along : across, level ? 0 : -along);
    }
    for (int k = 0; k < ACROSS * LONG; ++k) {
        int at = k % ACROSS + (ACROSS + 1) * (k / ACROSS), up = at + ACROSS + 1;
        mesh_add_face(mesh, 4, (const int[]){at, at + 1, up + 1, up});
    }
    return mesh;
}

/* How far the middle of its free end gets down, with `held` rows pinned. */
static double sinks(const SimulationOptions *options, bool level, int held) {
    static float x[3 * MESHES_MOST];
    int32_t pins[2 * (ACROSS + 1)];
    for (int k = 0; k < 2 * (ACROSS + 1); ++k) {
        pins[k] = k;
    }
    TestMesh *mesh = strip(level);
    settle(options, mesh, held * (ACROSS + 1), pins, x);
    int end = (ACROSS + 1) * LONG + ACROSS / 2;
    double sunk = mesh->positions[3 * end + 2] - vector_at(x, end).z;
    mesh_free(mesh);
    return sunk;
}

/* A strip under its own weight gets longer by density g L^2 / 2 Y; resisting changes of area, it gets narrower, too, and
 * Y = Y1 + 4 k Y2 / (Y2 + 4 k). Other models answer the same. */
static void check_hanging(void) {
    SimulationOptions options = options_of(1), other;
    options.materials[0].density = 1;
    options.materials[0].stretch_warp = 1000;
    options.materials[0].stretch_weft = 500;
    options.materials[0].shear = 100;
    options.materials[0].area_stiffness = 0;
    double weight = 0.5 * options.materials[0].density * GRAVITY;
    double sunk = sinks(&options, false, 1);
    CHECK_NEAR(sunk, weight / 1000, 0.01 * weight / 1000);
    other = options;
    other.solver = SOLVER_IMPLICIT;
    other.system.model = MODEL_MEMBRANE;
    CHECK_NEAR(sinks(&other, false, 1), sunk, 0.01 * sunk);
    other.system.model = MODEL_TRIANGLE;
    CHECK_NEAR(sinks(&other, false, 1), sunk, 0.02 * sunk);
    options.materials[0].area_stiffness = 125;
    CHECK_NEAR(sinks(&options, false, 1), weight / 1250, 0.03 * weight / 1250);
}

/* A strip clamped at one end sinks by density g L^4 / 8 bend at the other. L of threads ends between the two rows that are
 * held, that of triangles at the second. */
static void check_standing_out(void) {
    SimulationOptions options = options_of(1), other;
    options.materials[0].density = 0.01;
    options.materials[0].bend = 0.5;
    options.materials[0].stretch_warp = options.materials[0].stretch_weft = 5000;
    double length = 1 - 0.5 / LONG;
    double wanted = 0.01 * GRAVITY * pow(length, 4) / (8 * 0.5), sunk = sinks(&options, true, 2);
    CHECK_NEAR(sunk, wanted, 0.06 * wanted);
    other = options;
    other.solver = SOLVER_IMPLICIT;
    other.system.model = MODEL_TRIANGLE;
    wanted = 0.01 * GRAVITY * pow(1 - 1.0 / LONG, 4) / (8 * 0.5);
    CHECK_NEAR(sinks(&other, true, 2), wanted, 0.06 * wanted);
}

/* --- contact, threads, memory ------------------------------------------------------------------------- */

#define SIDE 15

/* A sheet falls on a box and over itself, in wind, with two soft pins. */
static Simulation *falling(int threads) {
    Status status = {0};
    SimulationOptions options = options_of(threads);
    options.materials[0].damping = 0.5;
    options.solving = (SolverOptions){.iterations = 4, .pcg_tolerance = 1e-3, .pcg_limit = 1000};
    options.wind = (Wind){.velocity = {1, 0, 0}, .normal_drag = 0.7, .tangent_drag = 0.03};
    TestMesh *mesh = mesh_grid(GRID_QUADS, SIDE, SIDE, 0.4), *body = mesh_new();
    mesh_add_edge(mesh, SIDE * SIDE - 1, mesh_add_vertex(mesh, 0.45, 0.45, 0.02));
    Simulation *simulation = simulation_create(&mesh->polygons, &options, &status);
    CHECK(simulation != NULL);
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    for (int i = 0; i < 8; ++i) {
        mesh_add_vertex(body, i & 1 ? 0.25 : 0.1, i & 2 ? 0.3 : 0.15, i & 4 ? -0.01 : -0.2);
    }
    for (int f = 0; f < 6; ++f) {
        mesh_add_face(body, 4, faces[f]);
    }
    BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    CHECK_INT(give_body(simulation, 0, &body->polygons, &surface, &status), STATUS_OK);
    give_self_contact(simulation, &surface, &status);
    const float weights[2] = {0.5f, 0.5f};
    give_pins(simulation, 2, (const int32_t[]){0, SIDE - 1}, weights, NULL, &status);
    mesh_free(mesh);
    mesh_free(body);
    return simulation;
}

static void check_contact(void) {
    static float x[2][3 * MESHES_MOST], v[2][3 * MESHES_MOST];
    Status status;
    for (int threads = 1; threads <= 2; ++threads) {
        Simulation *simulation = falling(threads);
        long long before = memory_taken();
        for (int k = 0; k < 20; ++k) {
            count_memory(k >= 15); /* contacts have had their room by then */
            CHECK_INT(simulation_step(simulation, 1.0 / 25, &status), STATUS_OK);
        }
        count_memory(0);
        CHECK_INT(memory_taken() - before, 0);
        CHECK(simulation_step_report(simulation).contact->contacts > 0);
        simulation_copy_state(simulation, x[threads - 1], v[threads - 1]);
        simulation_destroy(simulation);
    }
    int count = SIDE * SIDE + 1;
    CHECK(memcmp(x[0], x[1], 3 * (size_t)count * sizeof(float)) == 0);
    CHECK(memcmp(v[0], v[1], 3 * (size_t)count * sizeof(float)) == 0);
    for (int i = 0; i < count; ++i) { /* nothing is inside of the box */
        Vec3 at = vector_at(x[0], i);
        CHECK(!(at.x > 0.1 && at.x < 0.25 && at.y > 0.15 && at.y < 0.3 && at.z < -0.01 &&
                at.z > -0.2));
    }
}

int main(void) {
    random_start(9);
    check_counter();
    check_substep();
    check_catenary();
    check_hanging();
    check_standing_out();
    check_contact();
    return check_result();
}
