/* A cloth and its bodies at every size: what is ten times as large or as small in everything, gravity and stiffness so
 * that it falls and bends alike in the same time, comes to rest at the same place for its size. Doll's clothes, shirts
 * and tents are one to contact. */
#include <math.h>
#include <stdlib.h>

#include "check.h"
#include "given.h"
#include "meshes.h"
#include "simulation/simulation.h"

#define STEP (1.0 / 24)
#define SIDE 13
#define COUNT (SIDE * SIDE)
#define WIDTH 0.4 /* m, of a sheet of size 1 */
#define FRAMES 24

/* Masses grow with the square of the size, accelerations with it. */
static SimulationOptions options_at(double size) {
    double area = size * size;
    return (SimulationOptions){
        .integrator = INTEGRATOR_EULER,
        .system = {.model = MODEL_TRIANGLE},
        .mesh = {.uv_scale = 1},
        .solver = SOLVER_LINEAR,
        .solving = {.scheme = SCHEME_TWO_LEVEL, .quality = QUALITY_FIT},
        .substeps = 2,
        .threads = 1,
        .materials[0] = {.density = 0.2,
                         .stretch_warp = 1000 * area,
                         .stretch_weft = 1000 * area,
                         .shear = 300 * area,
                         .bend = 1e-5 * area * area,
                         .bend_weft = 1,
                         .bend_twist = 1,
                         .damping = 4,
                         .stiffness_damping = 1e-3,
                         .pin_stiffness = 2000},
        .gravity = {0, 0, -9.81 * size},
    };
}

/* What falls on a box, or starts in it. */
typedef struct Scene {
    int sheets;       /* one above the other */
    double height;    /* of the lowest, m */
    double half;      /* of the box's sides, m; its top is at z = 0 */
    double thickness; /* of its shell, m */
    int layered;      /* the cloth meets itself */
    bool hangs;       /* over the edges of the box */
    double near; /* m: how far from the same place cloth of a size that is no power of two may be */
} Scene;

static Simulation *sheets_at(double size, const Scene *scene) {
    Status status;
    SimulationOptions options = options_at(size);
    TestMesh *mesh = mesh_new();
    for (int sheet = 0; sheet < scene->sheets; ++sheet) {
        TestMesh *grid = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, WIDTH);
        const int32_t *corners = grid->face_vertices;
        for (int v = 0; v < COUNT; ++v) {
            const float *at = grid->positions + 3 * v;
            mesh_add_vertex(mesh, size * (at[0] - 0.17), size * (at[1] - 0.19),
                            size * (scene->height + 0.02 * sheet));
        }
        for (int f = 0; f < grid->polygons.face_count; ++f, corners += 3) {
            mesh_add_triangle(mesh, sheet * COUNT + corners[0], sheet * COUNT + corners[1],
                              sheet * COUNT + corners[2]);
        }
        mesh_free(grid);
    }
    Simulation *simulation = simulation_create(&mesh->polygons, &options, &status);
    CHECK(simulation != NULL);
    mesh_free(mesh);
    return simulation;
}

static void add_box(Simulation *simulation, double size, const Scene *scene) {
    static const int faces[6][4] = {{0, 2, 3, 1}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                    {2, 6, 7, 3}, {0, 4, 6, 2}, {1, 3, 7, 5}};
    TestMesh *mesh = mesh_new();
    BodySurface surface = {.thickness = scene->thickness * size, .friction = 0.4};
    Status status = {0};
    double half = size * scene->half;
    for (int i = 0; i < 8; ++i) {
        mesh_add_vertex(mesh, i & 1 ? half : -half, i & 2 ? half : -half, i & 4 ? 0 : -2 * half);
    }
    for (int f = 0; f < 6; ++f) {
        mesh_add_face(mesh, 4, faces[f]);
    }
    CHECK_INT(give_body(simulation, 0, &mesh->polygons, &surface, &status), STATUS_OK);
    mesh_free(mesh);
}

/* Comes to rest; leaves the places, for a size of 1, in `x`. Nothing may have got into anything. */
static void rest(double size, const Scene *scene, Vec3 *x) {
    Status status = {0};
    Simulation *simulation = sheets_at(size, scene);
    BodySurface self = {.thickness = 0.004 * size, .friction = 0.3};
    add_box(simulation, size, scene);
    if (scene->layered) {
        CHECK_INT(give_self_contact(simulation, &self, &status), STATUS_OK);
    }
    for (int frame = 0; frame < FRAMES; ++frame) {
        CHECK_INT(simulation_step(simulation, STEP, &status), STATUS_OK);
        CHECK_INT(simulation_step_report(simulation).contact->body.stuck, 0);
        CHECK_INT(simulation_step_report(simulation).contact->tangled, 0);
        CHECK_INT(simulation_step_report(simulation).contact->unresolved, 0);
        CHECK_INT(simulation_step_report(simulation).contact->curtailed, 0);
    }
    for (int v = 0; v < scene->sheets * COUNT; ++v) {
        x[v] = vec3_scale(1 / size, simulation_positions(simulation)[v]);
        double inside = fmax(fabs(x[v].x), fabs(x[v].y)) - scene->half;
        CHECK(inside > 0 || x[v].z > 0 || x[v].z < -2 * scene->half);
        CHECK(x[v].z > -WIDTH);
    }
    simulation_destroy(simulation);
}

/* The farthest vertices, or where cloth hangs the mean: rounding decides there which way a corner folds. */
static double apart(const Scene *scene, const Vec3 *x, const Vec3 *y) {
    double most = 0, sum = 0;
    int count = scene->sheets * COUNT;
    for (int v = 0; v < count; ++v) {
        double way = vec3_distance(x[v], y[v]);
        most = fmax(most, way);
        sum += way;
    }
    return scene->hangs ? sum / count : most;
}

/* Powers of two change no digit, so all of it is the same. Layers lie alike at one more size, too: those that are each
 * other's image once hovered at some sizes only. */
static void check_sizes(const Scene *scene) {
    static const double sizes[] = {16, 0.0625, 10, 0.1, 7};
    static Vec3 usual[2 * COUNT], scaled[2 * COUNT];
    rest(1, scene, usual);
    for (int k = 0; k < (scene->layered ? 5 : 4); ++k) {
        rest(sizes[k], scene, scaled);
        CHECK_BELOW(apart(scene, usual, scaled), k < 2 ? 1e-9 : scene->near);
    }
}

int main(void) {
    /* over the edges of a table; the same with a shell so thin that the cloth's edges tell how far is looked */
    check_sizes(&(Scene){
        .sheets = 1, .height = 0.03, .half = 0.1, .thickness = 0.004, .hangs = 1, .near = 0.02});
    check_sizes(&(Scene){
        .sheets = 1, .height = 0.03, .half = 0.1, .thickness = 0.001, .hangs = 1, .near = 0.02});
    /* two sheets, one on the other; Newton steps know patches in single precision */
    check_sizes(&(Scene){
        .sheets = 2, .height = 0.01, .half = 0.3, .thickness = 0.004, .layered = 1, .near = 2e-4});
    /* out of a body that appeared around it */
    check_sizes(
        &(Scene){.sheets = 1, .height = -0.06, .half = 0.3, .thickness = 0.004, .near = 1e-5});
    return check_result();
}
