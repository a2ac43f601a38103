/* A cloth and its bodies, from polygons to steps: it comes to rest on them and never inside, is carried by them,
 * and goes on after a snapshot, or with other threads, to the same bytes. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "given.h"
#include "meshes.h"
#include "rig.h"
#include "simulation/simulation_internal.h"

#define STEP (1.0 / 24)
#define SIDE 17
#define COUNT (SIDE * SIDE)

static const BodySurface surface = {.thickness = 0.004, .friction = 0.4};

/* --- cloths and bodies ------------------------------------------------------------------------ */

static SimulationOptions options_of(SolverKind solver, Scheme scheme, int threads) {
    SimulationOptions options = plain_options();
    options.integrator = solver == SOLVER_LINEAR ? INTEGRATOR_BDF2 : INTEGRATOR_EULER;
    options.solver = solver;
    options.solving = (SolverOptions){
        .scheme = scheme, .iterations = 4, .pcg_tolerance = 1e-3, .pcg_limit = 1000, .sweeps = 20};
    options.threads = threads;
    options.materials[0].damping = 0.5;
    options.materials[0].stiffness_damping = 1e-3;
    return options;
}

/* A level sheet of 0.4 m around the z axis, at this height. */
static Simulation *sheet(const SimulationOptions *options, double height) {
    Status status;
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, 0.4);
    for (int v = 0; v < COUNT; ++v) {
        mesh->positions[3 * v] -= 0.2f;
        mesh->positions[3 * v + 1] -= 0.2f;
        mesh->positions[3 * v + 2] = (float)height;
    }
    Simulation *simulation = simulation_create(&mesh->polygons, options, &status);
    CHECK(simulation != NULL);
    mesh_free(mesh);
    return simulation;
}

/* Six quads whose outside is out, or in. */
static TestMesh *box(double half, double low, double high, int turned) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    TestMesh *mesh = mesh_new();
    for (int i = 0; i < 8; ++i) {
        mesh_add_vertex(mesh, i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? high : low);
    }
    for (int f = 0; f < 6; ++f) {
        int face[4];
        for (int c = 0; c < 4; ++c) {
            face[c] = faces[f][turned ? 3 - c : c];
        }
        mesh_add_face(mesh, 4, face);
    }
    return mesh;
}

/* -1: there is none of this number. */
static int body_vertices(const Simulation *simulation, int number) {
    const Body *body = contact_world_body(&simulation->world, number);
    return body ? body->collider.vertex_count : -1;
}

/* Takes the mesh over. */
static void add(Simulation *simulation, int number, TestMesh *mesh, StatusCode expected) {
    Status status = {0};
    CHECK_INT(give_body(simulation, number, &mesh->polygons, &surface, &status), expected);
    CHECK_INT(body_vertices(simulation, number), mesh->polygons.vertex_count);
    mesh_free(mesh);
}

static void step_some(Simulation *simulation, int count) {
    Status status;
    for (int i = 0; i < count; ++i) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
    }
}

/* Least height of the vertices over the square of this half side, and the fastest of them. */
static double lowest(const Simulation *simulation, double half, double *speed) {
    static float x[3 * COUNT], v[3 * COUNT];
    double low = INFINITY;
    simulation_copy_state(simulation, x, v);
    *speed = 0;
    for (int i = 0; i < COUNT; ++i) {
        if (fabs(x[3 * i]) <= half && fabs(x[3 * i + 1]) <= half) {
            double own = vec3_length(vec3(v[3 * i], v[3 * i + 1], v[3 * i + 2]));
            low = x[3 * i + 2] < low ? x[3 * i + 2] : low;
            *speed = own > *speed ? own : *speed;
        }
    }
    return low;
}

/* --- rest, carriage --------------------------------------------------------------------------- */

static void check_rest(SolverKind solver, Scheme scheme) {
    SimulationOptions options = options_of(solver, scheme, 1);
    Simulation *simulation = sheet(&options, 0.02);
    double speed;
    add(simulation, 0, box(0.5, -0.3, 0, 0), STATUS_OK);
    CHECK_INT(body_vertices(simulation, 0), 8);
    for (int frame = 0; frame < 30; ++frame) {
        step_some(simulation, 1);
        CHECK(lowest(simulation, 1, &speed) > 0);
        CHECK_INT(simulation_step_report(simulation).contact->body.stuck, 0);
    }
    CHECK_BELOW(lowest(simulation, 1, &speed), surface.thickness);
    CHECK_BELOW(speed, 0.02);
    /* extrapolated iterations leave a tremble of a fraction of a millimetre */
    int least = scheme == SCHEME_ANDERSON ? COUNT / 8 : COUNT;
    CHECK(simulation_step_report(simulation).contact->body.touching >= least);
    CHECK(simulation_step_report(simulation).contact->contacts >= least &&
          simulation_step_report(simulation).contact->contacts <= COUNT);
    CHECK_INT(simulation_step_report(simulation).contact->self_contacts, 0);
    /* the body rises by 5 cm and takes the cloth along, up and to the side */
    float up[24];
    for (int i = 0; i < 8; ++i) {
        up[3 * i] = (i & 1 ? 0.5f : -0.5f) + 0.01f;
        up[3 * i + 1] = i & 2 ? 0.5f : -0.5f;
        up[3 * i + 2] = (i & 4 ? 0.0f : -0.3f) + 0.05f;
    }
    lead_body(simulation, 0, up);
    step_some(simulation, 1);
    CHECK(lowest(simulation, 1, &speed) > 0.05);
    CHECK(speed > 0.5);
    step_some(simulation, 30); /* it stands, the cloth comes down again */
    CHECK(lowest(simulation, 1, &speed) > 0.05);
    CHECK_BELOW(lowest(simulation, 1, &speed), 0.05 + surface.thickness);
    simulation_drop_body(simulation, 0);
    CHECK_INT(body_vertices(simulation, 0), -1);
    step_some(simulation, 8);
    CHECK_BELOW(lowest(simulation, 1, &speed), -0.2); /* nothing holds it */
    CHECK_INT(simulation_step_report(simulation).contact->contacts, 0);
    simulation_destroy(simulation);
}

/* Numbers, new shapes, and a body that appears around the cloth: it comes out slowly, not thrown. */
static void check_bodies(void) {
    SimulationOptions options = options_of(SOLVER_LINEAR, SCHEME_TWO_LEVEL, 1);
    Simulation *simulation = sheet(&options, 0.02);
    Status status = {0};
    double speed;
    add(simulation, 0, box(0.5, -0.3, 0, 0), STATUS_OK);
    add(simulation, 1, box(0.1, -0.8, -0.7, 1), STATUS_WARNING_MESH); /* inside out */
    simulation_drop_body(simulation, 1);
    add(simulation, 2, box(0.1, -0.8, -0.7, 0), STATUS_OK);
    add(simulation, 9, box(0.1, -0.8, -0.7, 0), STATUS_OK); /* between them there is none */
    simulation_drop_body(simulation, 9);
    CHECK_INT(body_vertices(simulation, 1), -1);
    CHECK_INT(body_vertices(simulation, 3), -1);
    CHECK_INT(body_vertices(simulation, -1), -1);
    TestMesh *taller = box(0.5, -0.3, 0.03, 0); /* the cloth is 1 cm inside */
    mesh_add_vertex(taller, 0, 0, -0.1);
    CHECK_INT(give_body(simulation, 0, &taller->polygons, &surface, &status), STATUS_OK);
    mesh_free(taller);
    CHECK_INT(body_vertices(simulation, 0), 9);
    step_some(simulation, 1);
    CHECK(lowest(simulation, 1, &speed) > 0.018);
    CHECK_BELOW(speed, 2);
    step_some(simulation, 12);
    CHECK(lowest(simulation, 1, &speed) > 0.03);
    CHECK_BELOW(lowest(simulation, 1, &speed), 0.03 + 2 * surface.thickness);
    simulation_destroy(simulation);
}

/* --- the same bytes --------------------------------------------------------------------------- */

/* Over a table's edge, on itself, with everything at once. */
static Simulation *busy(const SimulationOptions *options) {
    Simulation *simulation = sheet(options, 0.01);
    Status status = {0};
    add(simulation, 0, box(0.1, -0.3, 0, 0), STATUS_OK);
    CHECK_INT(give_self_contact(simulation, &surface, &status), STATUS_OK);
    return simulation;
}

static unsigned char *snapshot(Simulation *simulation) {
    unsigned char *bytes = malloc(simulation_state_bytes(simulation));
    simulation_write_state(simulation, bytes);
    return bytes;
}

static void check_snapshot(SolverKind solver, Scheme scheme) {
    SimulationOptions options = options_of(solver, scheme, 1);
    Simulation *simulation = busy(&options), *other = busy(&options);
    Status status = {0};
    size_t bare = simulation_state_bytes(simulation);
    step_some(simulation, 8);
    CHECK(simulation_step_report(simulation).contact->contacts > 5);
    size_t size = simulation_state_bytes(simulation);
    CHECK(size > bare); /* by the anchors of friction */
    unsigned char *middle = snapshot(simulation);
    step_some(simulation, 5);
    size_t last = simulation_state_bytes(simulation);
    unsigned char *wanted = snapshot(simulation);
    step_some(other, 3); /* its own memory of contacts must not matter */
    CHECK_INT(simulation_read_state(other, middle, size, &status), STATUS_OK);
    unsigned char *same = snapshot(other);
    CHECK_INT((long long)simulation_state_bytes(other), (long long)size);
    CHECK(memcmp(same, middle, size) == 0);
    step_some(other, 5);
    unsigned char *got = snapshot(other);
    CHECK_INT((long long)simulation_state_bytes(other), (long long)last);
    CHECK(memcmp(got, wanted, last) == 0);
    CHECK(memcmp(got, middle, bare) != 0);
    CHECK_INT(simulation_read_state(other, middle, size - 1, &status), STATUS_ERROR_SNAPSHOT);
    CHECK_INT(simulation_read_state(other, middle, bare, &status), STATUS_ERROR_SNAPSHOT);
    CHECK_INT(simulation_read_state(other, middle, bare - 1, &status), STATUS_ERROR_SNAPSHOT);
    /* the memory of contacts, the last of the arrays, is looked at before it is taken */
    int32_t vertex = -7;
    memcpy(middle + bare, &vertex, sizeof vertex); /* of the first anchor */
    CHECK_INT(simulation_read_state(other, middle, size, &status), STATUS_ERROR_SNAPSHOT);
    vertex = 0;
    memcpy(middle + bare, &vertex, sizeof vertex);
    double broken = NAN;
    memcpy(middle + size - sizeof broken, &broken, sizeof broken);
    CHECK_INT(simulation_read_state(other, middle, size, &status), STATUS_ERROR_SNAPSHOT);
    unsigned char *after = snapshot(other);
    CHECK(memcmp(after, got, last) == 0);
    free(middle);
    free(wanted);
    free(same);
    free(got);
    free(after);
    simulation_destroy(simulation);
    simulation_destroy(other);
}

static void check_threads(SolverKind solver, Scheme scheme) {
    unsigned char *first = NULL;
    for (int threads = 1; threads <= 3; ++threads) {
        SimulationOptions options = options_of(solver, scheme, threads);
        Simulation *simulation = busy(&options);
        step_some(simulation, 8);
        CHECK(simulation_step_report(simulation).contact->contacts > 5);
        unsigned char *bytes = snapshot(simulation);
        if (first) {
            CHECK(memcmp(first, bytes, simulation_state_bytes(simulation)) == 0);
            free(bytes);
        } else {
            first = bytes;
        }
        simulation_destroy(simulation);
    }
    free(first);
}

int main(void) {
    const SolverKind solvers[] = {SOLVER_LINEAR, SOLVER_LINEAR, SOLVER_LINEAR, SOLVER_IMPLICIT,
                                  SOLVER_SWEEP};
    const Scheme schemes[] = {SCHEME_TWO_LEVEL, SCHEME_PLAIN, SCHEME_ANDERSON, SCHEME_PLAIN,
                              SCHEME_PLAIN};
    for (int kind = 0; kind < 5; ++kind) {
        check_rest(solvers[kind], schemes[kind]);
        check_snapshot(solvers[kind], schemes[kind]);
        check_threads(solvers[kind], schemes[kind]);
    }
    check_bodies();
    return check_result();
}
