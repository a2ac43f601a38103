/* Cloth that nothing holds keeps its momentum, linear and angular, whatever the quality and the step: sheets that strike
 * each other, sheets that spin. */
#include <math.h>

#include "check.h"
#include "given.h"
#include "meshes.h"
#include "simulation/simulation.h"

#define SIDE 15
#define COUNT (SIDE * SIDE)
#define WIDTH 0.3 /* m */
#define DENSITY 0.2
#define GAP 0.02 /* m, between two sheets at the start */

static SimulationOptions options_of(Quality quality, Integrator integrator) {
    return (SimulationOptions){
        .integrator = integrator,
        .system = {.model = MODEL_TRIANGLE},
        .mesh = {.uv_scale = 1},
        .solver = SOLVER_LINEAR,
        .solving = {.scheme = SCHEME_TWO_LEVEL, .quality = quality},
        .substeps = 1,
        .threads = 1,
        .materials[0] = {.density = DENSITY,
                         .stretch_warp = 1000,
                         .stretch_weft = 1000,
                         .shear = 300,
                         .bend = 1e-5,
                         .pin_stiffness = 2000},
    };
}

/* Level sheets one above the other, a little aside. */
static Simulation *sheets(int count, const SimulationOptions *options) {
    Status status;
    TestMesh *mesh = mesh_new();
    for (int sheet = 0; sheet < count; ++sheet) {
        TestMesh *grid = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, WIDTH);
        const int32_t *corners = grid->face_vertices;
        for (int v = 0; v < COUNT; ++v) {
            const float *at = grid->positions + 3 * v;
            mesh_add_vertex(mesh, at[0] + 0.02 * sheet, at[1] + 0.01 * sheet, GAP * sheet);
        }
        for (int f = 0; f < grid->polygons.face_count; ++f, corners += 3) {
            mesh_add_triangle(mesh, sheet * COUNT + corners[0], sheet * COUNT + corners[1],
                              sheet * COUNT + corners[2]);
        }
        mesh_free(grid);
    }
    Simulation *simulation = simulation_create(&mesh->polygons, options, &status);
    CHECK(simulation != NULL);
    mesh_free(mesh);
    return simulation;
}

typedef struct Momentum {
    Vec3 linear, angular; /* the second about the centre */
} Momentum;

/* An inner vertex has the area of a cell, those on the border less: by the triangles of an alternating grid. */
static double mass_of(int v) {
    int x = v % SIDE, y = v / SIDE % SIDE, last = SIDE - 1;
    double cell = WIDTH * WIDTH / (last * last), sum = 0;
    for (int cy = y - 1; cy <= y; ++cy) {
        for (int cx = x - 1; cx <= x; ++cx) {
            if (cx >= 0 && cy >= 0 && cx < last && cy < last) {
                int rising = (cx + cy) % 2 == 0; /* the diagonal goes through its first corner */
                int own = (x - cx + y - cy) % 2 == 0;
                sum += rising == own ? cell / 3 : cell / 6;
            }
        }
    }
    return DENSITY * sum;
}

static Momentum momentum_of(const Simulation *simulation, int vertices) {
    const Vec3 *x = simulation_positions(simulation), *v = simulation_velocities(simulation);
    Momentum sum = {0};
    Vec3 centre = {0};
    double mass = 0;
    for (int i = 0; i < vertices; ++i) {
        mass += mass_of(i);
        centre = vec3_madd(centre, mass_of(i), x[i]);
        sum.linear = vec3_madd(sum.linear, mass_of(i), v[i]);
        sum.angular = vec3_madd(sum.angular, mass_of(i), vec3_cross(x[i], v[i]));
    }
    centre = vec3_scale(1 / mass, centre);
    sum.angular = vec3_sub(sum.angular, vec3_cross(centre, sum.linear));
    return sum;
}

/* The upper sheet strikes the lower one, which rests. */
static void check_strike(Quality quality, Integrator integrator, double rate) {
    static float positions[6 * COUNT], velocities[6 * COUNT];
    Status status = {0};
    SimulationOptions options = options_of(quality, integrator);
    Simulation *simulation = sheets(2, &options);
    BodySurface self = {.thickness = 0.004, .friction = 0.5};
    CHECK_INT(give_self_contact(simulation, &self, &status), STATUS_OK);
    simulation_copy_state(simulation, positions, velocities);
    for (int v = COUNT; v < 2 * COUNT; ++v) {
        velocities[3 * v] = 0.5;
        velocities[3 * v + 2] = -1.5;
    }
    simulation_place(simulation, positions, velocities);
    Momentum start = momentum_of(simulation, 2 * COUNT);
    double one = vec3_length(start.linear);
    /* centres of the second-order step do not go straight along their velocities just after a strike */
    double turned = integrator == INTEGRATOR_BDF2 ? 5e-3 : 1e-3;
    /* draft knows contacts from where layers would have passed each other, and its steps turn the sheets by that */
    turned *= quality == QUALITY_DRAFT ? 4.0 : 1.0;
    int touched = 0;
    for (int step = 0; step < 0.08 * rate; ++step) {
        CHECK_INT(simulation_step(simulation, 1 / rate, &status), STATUS_OK);
        Momentum now = momentum_of(simulation, 2 * COUNT);
        touched |= simulation_step_report(simulation).contact->self_contacts > 0;
        CHECK_BELOW(vec3_distance(now.linear, start.linear) / one, 1e-5);
        CHECK_BELOW(vec3_distance(now.angular, start.angular) / (one * WIDTH), turned);
    }
    CHECK(touched);
    simulation_destroy(simulation);
}

/* A turn a second, about the sheet's normal and about a line in it. */
static void check_spin(Quality quality, Integrator integrator, Vec3 axis) {
    static float positions[3 * COUNT], velocities[3 * COUNT];
    Status status = {0};
    SimulationOptions options = options_of(quality, integrator);
    Simulation *simulation = sheets(1, &options);
    simulation_copy_state(simulation, positions, velocities);
    for (int v = 0; v < COUNT; ++v) {
        Vec3 arm = vec3(positions[3 * v] - WIDTH / 2, positions[3 * v + 1] - WIDTH / 2, 0);
        Vec3 speed = vec3_add(vec3(1, 0, 0), vec3_cross(axis, arm));
        velocities[3 * v] = (float)speed.x;
        velocities[3 * v + 1] = (float)speed.y;
        velocities[3 * v + 2] = (float)speed.z;
    }
    simulation_place(simulation, positions, velocities);
    Momentum start = momentum_of(simulation, COUNT);
    for (int step = 0; step < 48; ++step) {
        CHECK_INT(simulation_step(simulation, 1.0 / 48, &status), STATUS_OK);
    }
    Momentum end = momentum_of(simulation, COUNT);
    CHECK_BELOW(vec3_distance(end.linear, start.linear), 1e-6 * vec3_length(start.linear));
    CHECK_BELOW(vec3_distance(end.angular, start.angular), 2e-3 * vec3_length(start.angular));
    simulation_destroy(simulation);
}

/* Falling in wind: the balance gives to the cloth what gravity and air give in the plain iterations' equation. */
static void check_wind(void) {
    Vec3 speed[2];
    for (int way = 0; way < 2; ++way) {
        Status status = {0};
        SimulationOptions options = options_of(QUALITY_FIT, INTEGRATOR_EULER);
        options.gravity = vec3(0, 0, -9.81);
        options.wind = (Wind){.velocity = {2, 0, 0}, .normal_drag = 0.6, .tangent_drag = 0.1};
        options.materials[0].damping = 0.1;
        options.solving.scheme = way ? SCHEME_TWO_LEVEL : SCHEME_PLAIN;
        options.solving.iterations = 10;
        Simulation *simulation = sheets(1, &options);
        for (int step = 0; step < 24; ++step) {
            CHECK_INT(simulation_step(simulation, 1.0 / 48, &status), STATUS_OK);
        }
        speed[way] =
            vec3_scale(1 / (DENSITY * WIDTH * WIDTH), momentum_of(simulation, COUNT).linear);
        simulation_destroy(simulation);
    }
    CHECK_BELOW(speed[0].z, -0.5);
    CHECK_BELOW(vec3_distance(speed[0], speed[1]), 0.01 * vec3_length(speed[0]));
}

int main(void) {
    static const double rates[] = {48, 96, 192, 384};
    for (Quality quality = QUALITY_DRAFT; quality <= QUALITY_FINAL; ++quality) {
        for (int r = 0; r < 4; ++r) {
            check_strike(quality, INTEGRATOR_EULER, rates[r]);
        }
        check_strike(quality, INTEGRATOR_BDF2, 48);
        for (Integrator way = INTEGRATOR_EULER; way <= INTEGRATOR_BDF2; ++way) {
            check_spin(quality, way, vec3(0, 0, 6.283));
            check_spin(quality, way, vec3(6.283, 0, 0));
        }
    }
    check_wind();
    return check_result();
}
