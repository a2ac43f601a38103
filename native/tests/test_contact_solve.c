/* Contacts inside the solvers: a step of the linear solver and the coarse level's correction lower the energy
 * with them, also by laws that the constant matrix does not bound, the coarse matrix holds their second derivative, the conventional solver converges with them,
 * and without them nothing changes. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "meshes.h"
#include "rig.h"
#include "solver/coarse/coarse.h"
#include "solver/constant/linear.h"

#define LENGTH (1.0 / 48) /* s */

/* A sheet with contacts that the test sets by hand. */
typedef struct Scene {
    TestMesh *mesh;
    Rig rig;
    ContactWorld world;
    Solver *solver;
    Substep *substep;
    Vec3 *x, *v, *z;
    int count;
} Scene;

static void scene_open(Scene *scene, int n, ModelKind model, int implicit) {
    SystemOptions options = {.model = model};
    SolverOptions solving = {.scheme = SCHEME_TWO_LEVEL,
                             .iterations = implicit ? 40 : 2,
                             .ordering = ORDERING_AMD,
                             .pcg_tolerance = 1e-6,
                             .pcg_limit = 2000};
    Material material = rig_material();
    double stretch = 1.01;
    if (model == MODEL_MEMBRANE) { /* many times as stiff as the constant matrix has it */
        material.poisson = 0.3;
        material.strain_limit = 0.1;
        stretch = 1.15;
    }
    *scene = (Scene){.mesh = mesh_grid(GRID_IRREGULAR, n, n, 0.5)};
    Rig *rig = &scene->rig;
    rig_open(rig, scene->mesh, &options, &material);
    rig->system.gravity = vec3(0, 0, -9.81);
    scene->solver = (implicit ? implicit_solver_create
                              : linear_solver_create)(&rig->system, &solving, &rig->status);
    CHECK_INT(scene->solver->prepare(scene->solver, LENGTH, &rig->status), STATUS_OK);
    if (!implicit) {
        ((LinearSolver *)scene->solver)->relaxation = 1.0; /* as at a substep's start */
    }
    CHECK_INT(contact_world_build(&scene->world, &rig->mesh, rig->pool, &rig->status), STATUS_OK);
    contacts_set_masses(&scene->world.contacts, rig->system.mass);
    scene->count = rig->mesh.vertex_count;
    scene->x = STORE_ARRAY(&rig->store, Vec3, scene->count);
    scene->v = STORE_ARRAY(&rig->store, Vec3, scene->count);
    scene->z = STORE_ARRAY(&rig->store, Vec3, scene->count);
    rig_state(rig, stretch, 0.002, scene->x);
    for (int i = 0; i < scene->count; ++i) {
        scene->v[i] = random_vector(0.3);
        scene->z[i] = vec3_add(scene->x[i], random_vector(0.003));
    }
    scene->substep = &scene->solver->substep;
    scene->substep->world = &scene->world;
    substep_begin(scene->substep, scene->x, scene->v);
}

static void scene_close(Scene *scene) {
    solver_destroy(scene->solver);
    contact_world_destroy(&scene->world);
    rig_close(&scene->rig);
    mesh_free(scene->mesh);
}

/* A plane that all vertices may touch, some pressed into it, with friction from forces of this size, N. */
static void press(Scene *scene, double height, double pressure) {
    Contacts *contacts = &scene->world.contacts;
    contacts_begin(contacts, NULL, scene->x, &(Flight){0}, LENGTH);
    for (int i = 0; i < scene->count; ++i) {
        contacts->pressure[CONTACT_BODY][i] = pressure * random_between(0, 1);
        contacts_add(contacts, CONTACT_BODY,
                     &(Contact){.count = 1,
                                .vertices = {i},
                                .weights = {1},
                                .point = {0, 0, height},
                                .normal = {0, 0, 1},
                                .shell = 0.003,
                                .soft = 0.0015,
                                .range = 1e-3,
                                .friction = 0.5});
    }
    contacts_close(contacts, scene->rig.pool, scene->z);
}

/* --- the step --------------------------------------------------------------------------------- */

/* From random states of a sheet in a plane, with pins, step by step downhill. */
static void check_step(ModelKind model, double height, double pressure) {
    Scene scene;
    scene_open(&scene, 12, model, 0);
    System *system = &scene.rig.system;
    system->held[0] = system->held[5] = 1;
    ++system->pins_version;
    system->target[0] = scene.z[0];
    system->target[5] = scene.z[5];
    CHECK_INT(scene.solver->prepare(scene.solver, LENGTH, &scene.rig.status), STATUS_OK);
    substep_begin(scene.substep, scene.x, scene.v);
    press(&scene, height, pressure);
    CHECK(contacts_evaluate(&scene.world.contacts, scene.rig.pool, scene.z) > 0);
    Vec3 pin = scene.z[0];
    double last = substep_evaluate(scene.substep, scene.z), first = last;
    for (int round = 0; round < 8; ++round) {
        linear_safe_step((LinearSolver *)scene.solver, scene.z, NAN);
        double next = substep_evaluate(scene.substep, scene.z);
        CHECK_BELOW(next, last + 1e-12 * fabs(first));
        CHECK(round > 0 || next < last);
        last = next;
    }
    CHECK_BELOW(vec3_distance(pin, scene.z[0]), 0);
    scene_close(&scene);
}

/* A solve that is judged after it, as iterations do. Returns whether it was taken back: then it ends on its own way, nearer to
 * its start, or where it started. */
static int check_taking_back(double height, double pressure) {
    Scene scene;
    scene_open(&scene, 12, MODEL_MEMBRANE, 0);
    LinearSolver *linear = (LinearSolver *)scene.solver;
    int halved = 0;
    press(&scene, height, pressure);
    for (int round = 0; round < 8; ++round) {
        double bound = substep_evaluate(scene.substep, scene.z);
        linear->relaxation = 1.0;
        linear_solve_step(linear, scene.z);
        double raised = substep_evaluate(scene.substep, scene.z), energy = raised;
        int halvings = linear_backtrack(linear, bound, scene.z, &energy);
        CHECK(energy <= bound);
        CHECK(energy == substep_evaluate(scene.substep, scene.z));
        CHECK((halvings > 0) == (raised > bound));
        CHECK_NEAR(linear->relaxation, ldexp(1.0, -halvings), 0);
        halved += halvings > 0;
        double part = ldexp(linear->step_taken, -halvings);
        for (int i = 0; halvings > 0 && i < scene.count; ++i) {
            Vec3 wanted = vec3_madd(linear->trial[i], -part, linear->change[i]);
            CHECK_BELOW(vec3_distance(wanted, scene.z[i]), 1e-15);
        }
    }
    scene_close(&scene);
    return halved;
}

/* A solve that leads uphill however short it is ends where it began, to the byte. */
static void check_taking_all_back(void) {
    Scene scene;
    scene_open(&scene, 12, MODEL_MEMBRANE, 0);
    LinearSolver *linear = (LinearSolver *)scene.solver;
    size_t bytes = (size_t)scene.count * sizeof(Vec3);
    Vec3 *start = malloc(bytes);
    memcpy(start, scene.z, bytes);
    scene.substep->world = NULL;
    double bound = substep_evaluate(scene.substep, scene.z);
    for (int i = 0; i < scene.count; ++i) {
        scene.substep->gradient[i] = vec3_scale(-1.0, scene.substep->gradient[i]);
    }
    linear_solve_step(linear, scene.z);
    CHECK(memcmp(start, scene.z, bytes) != 0);
    double energy = substep_evaluate(scene.substep, scene.z);
    CHECK(linear_backtrack(linear, bound, scene.z, &energy) > 8);
    CHECK(memcmp(start, scene.z, bytes) == 0 && energy == bound);
    free(start);
    scene_close(&scene);
}

/* However many iterations there are, they end below where they began. Returns how many steps were refused. */
static int check_iterations(int iterations, bool alone) {
    Scene scene;
    scene_open(&scene, 12, MODEL_MEMBRANE, 0);
    Solver *solver = scene.solver;
    StateHistory past = {.start = scene.x, .velocity = scene.v};
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        past.positions[m] = scene.x;
    }
    solver->options.iterations = iterations;
    scene.substep->world = alone ? NULL : &scene.world;
    scene.substep->span = (SubstepSpan){.t0 = 0, .t1 = 1, .length = LENGTH, .implicit = LENGTH};
    substep_predict(scene.substep, scene.z);
    double flying = substep_evaluate(scene.substep, scene.z);
    double staying = substep_evaluate(scene.substep, scene.x);
    solver->advance(solver, &past, scene.z);
    double end = substep_evaluate(scene.substep, scene.z);
    CHECK(end < flying && end < staying);
    int refused = solver->work.rejected;
    scene_close(&scene);
    return refused;
}

/* No contacts: the bytes of a plain solve, whether or not there is anything around. */
static void check_free(void) {
    Scene scene;
    scene_open(&scene, 12, MODEL_TRIANGLE, 0);
    LinearSolver *linear = (LinearSolver *)scene.solver;
    size_t bytes = (size_t)scene.count * sizeof(Vec3);
    Vec3 *start = malloc(bytes), *wanted = malloc(bytes);
    memcpy(start, scene.z, bytes);
    scene.substep->world = NULL;
    substep_evaluate(scene.substep, scene.z);
    solve_apply(factor_solve(linear->factor), scene.rig.pool, scene.substep->gradient, wanted);
    for (int i = 0; i < scene.count; ++i) {
        wanted[i] = vec3_madd(start[i], -1.0, wanted[i]);
    }
    linear_solve_step(linear, scene.z);
    CHECK(memcmp(wanted, scene.z, bytes) == 0);
    CHECK(memcmp(start, scene.z, bytes) != 0);
    memcpy(scene.z, start, bytes);
    scene.substep->world = &scene.world;
    contacts_begin(&scene.world.contacts, NULL, scene.x, &(Flight){0}, LENGTH);
    contacts_close(&scene.world.contacts, scene.rig.pool, scene.z);
    substep_evaluate(scene.substep, scene.z);
    linear_solve_step(linear, scene.z);
    CHECK(memcmp(wanted, scene.z, bytes) == 0);
    /* contacts out of reach change it by rounding alone */
    memcpy(scene.z, start, bytes);
    press(&scene, -1, 0.1);
    substep_evaluate(scene.substep, scene.z);
    linear_solve_step(linear, scene.z);
    for (int i = 0; i < scene.count; ++i) {
        CHECK_BELOW(vec3_distance(wanted[i], scene.z[i]), 1e-9);
    }
    free(start);
    free(wanted);
    scene_close(&scene);
}

/* --- the coarse level ------------------------------------------------------------------------- */

static Coarse *coarse_of(Scene *scene) {
    Coarse *coarse = rig_coarse(&scene->rig.system, &scene->rig.status);
    CHECK(coarse != NULL);
    coarse_prepare(coarse, scene->substep, 0);
    return coarse;
}

/* Of a flat sheet that lies inside the shell: contacts that let go make the true energy only lower. */
static void check_coarse_energy(ModelKind model, double height) {
    Scene scene;
    scene_open(&scene, 24, model, 0);
    Coarse *coarse = coarse_of(&scene);
    Vec3 *change = calloc((size_t)scene.count, sizeof *change);
    for (int i = 0; i < scene.count; ++i) {
        scene.z[i] = scene.x[i] = scene.rig.mesh.rest[i];
    }
    press(&scene, height, 0.001);
    double last = substep_evaluate(scene.substep, scene.z);
    CHECK(coarse_correct(coarse, scene.substep, scene.z, NULL, change));
    double slope = 0;
    for (int i = 0; i < scene.count; ++i) {
        slope += vec3_dot(change[i], scene.substep->gradient[i]);
        scene.z[i] = vec3_sub(scene.z[i], change[i]);
    }
    CHECK(slope > 0);
    CHECK_BELOW(substep_evaluate(scene.substep, scene.z), last - 0.25 * slope);
    free(change);
    coarse_destroy(coarse);
    scene_close(&scene);
}

/* change = S gradient, with the contacts that are there. */
static void respond(Scene *scene, Coarse *coarse, const Vec3 *gradient, Vec3 *change) {
    contacts_evaluate(&scene->world.contacts, scene->rig.pool, scene->z);
    memcpy(scene->substep->gradient, gradient, (size_t)scene->count * sizeof *gradient);
    CHECK(coarse_correct(coarse, scene->substep, scene->z, NULL, change));
}

static double most(double a, double b) { return a > b ? a : b; }

static Vec3 point_of(const Contact *contact, const Vec3 *u) {
    Vec3 sum = vec3(0, 0, 0);
    for (int j = 0; j < contact->count; ++j) {
        sum = vec3_madd(sum, contact->weights[j], u[contact->vertices[j]]);
    }
    return sum;
}

/* Of some neighbours, which belong to the same aggregates. */
static Contact sticking_contact(Scene *scene, int vertices) {
    Contact contact = {.count = vertices,
                       .normal = vec3_unit_or(random_vector(1), vec3(0, 0, 1)),
                       .soft = 1,
                       .range = 1e-3,
                       .friction = 1};
    for (int j = 0; j < vertices; ++j) {
        contact.vertices[j] = 190 + j;
        contact.weights[j] = vertices == 1 ? 1.0 : j == 0 ? 1.0 : -1.0 / (vertices - 1);
        scene->world.contacts.pressure[CONTACT_BODY][190 + j] = 1e6; /* sticks */
    }
    contact.shell = vec3_dot(contact.normal, point_of(&contact, scene->z)) + 0.001;
    return contact;
}

/* With B the coarse functions at the contact's point and S = P M^-1 P' without it, (M + B' H B)^-1 gives
 * u = u0 - S B' H (B u): every column of S B' can be asked for. A stack of equal contacts counts as often as
 * there are some, also where not all of them are looked at. */
static void check_coarse_matrix(int vertices, int copies) {
    Scene scene;
    scene_open(&scene, 20, MODEL_TRIANGLE, 0);
    Coarse *coarse = coarse_of(&scene);
    Contacts *contacts = &scene.world.contacts;
    size_t bytes = (size_t)scene.count * sizeof(Vec3);
    Vec3 *gradient = malloc(bytes), *without = malloc(bytes), *with = malloc(bytes);
    Vec3 *unit = malloc(bytes), *column[3];
    Contact contact = sticking_contact(&scene, vertices);
    for (int i = 0; i < scene.count; ++i) {
        gradient[i] = random_vector(1e-5);
    }
    contacts_begin(contacts, NULL, scene.x, &(Flight){0}, LENGTH);
    contacts_close(contacts, scene.rig.pool, scene.z);
    respond(&scene, coarse, gradient, without);
    for (int c = 0; c < 3; ++c) {
        column[c] = malloc(bytes);
        memset(unit, 0, bytes);
        for (int j = 0; j < vertices; ++j) {
            double w = contact.weights[j];
            unit[contact.vertices[j]] = vec3(c == 0 ? w : 0, c == 1 ? w : 0, c == 2 ? w : 0);
        }
        respond(&scene, coarse, unit, column[c]);
    }
    for (int c = 0; c < copies; ++c) {
        contacts_add(contacts, CONTACT_BODY, &contact);
    }
    contacts_close(contacts, scene.rig.pool, scene.z);
    double along, across;
    contact_stiffness(&contacts->list[0], scene.z, &along, &across);
    CHECK(along > 0 && across > 0 && along != across);
    respond(&scene, coarse, gradient, with);
    Vec3 at = point_of(&contact, with), normal = contact.normal;
    Vec3 pull = vec3_scale(
        copies, vec3_madd(vec3_scale(across, at), (along - across) * vec3_dot(normal, at), normal));
    double changed = 0, size = 0, off = 0;
    for (int i = 0; i < scene.count; ++i) {
        Vec3 wanted = vec3_madd(without[i], -pull.x, column[0][i]);
        wanted = vec3_madd(wanted, -pull.y, column[1][i]);
        wanted = vec3_madd(wanted, -pull.z, column[2][i]);
        off = most(off, vec3_distance(wanted, with[i]));
        changed = most(changed, vec3_distance(without[i], with[i]));
        size = most(size, vec3_length(without[i]));
    }
    CHECK(changed > 1e-3 * size);
    CHECK_BELOW(off, 1e-7 * changed);
    free(gradient);
    free(without);
    free(with);
    free(unit);
    for (int c = 0; c < 3; ++c) {
        free(column[c]);
    }
    coarse_destroy(coarse);
    scene_close(&scene);
}

/* --- the conventional solver ------------------------------------------------------------------ */

/* A sheet that falls onto a box ends before it, where the energy with its contacts is least. */
static void check_implicit(ModelKind model) {
    Scene scene;
    scene_open(&scene, 8, model, 1);
    Shape *shape = shape_new();
    shape_add_box(shape, vec3(-1, -1, -1), vec3(1, 1, 0));
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(contact_world_put_body(&scene.world, 0, &definition, &scene.rig.status), STATUS_OK);
    for (int i = 0; i < scene.count; ++i) {
        scene.x[i] = scene.rig.mesh.rest[i];
        scene.x[i].z = 0.0025;
        scene.v[i] = vec3(0.1, 0, -0.3);
    }
    contact_world_start_frame(&scene.world);
    scene.substep->span = (SubstepSpan){.t0 = 0, .t1 = 1, .length = LENGTH, .implicit = LENGTH};
    StateHistory past = {.start = scene.x, .velocity = scene.v};
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        past.positions[m] = scene.x;
    }
    scene.solver->advance(scene.solver, &past, scene.z);
    CHECK(scene.world.contacts.count >= scene.count);
    double lowest = INFINITY;
    for (int i = 0; i < scene.count; ++i) {
        lowest = scene.z[i].z < lowest ? scene.z[i].z : lowest;
    }
    CHECK(lowest > 0 && lowest < 0.003);
    system_conventional_step(&scene.rig.system, scene.z);
    substep_gradient(scene.substep, scene.z);
    double end = substep_gradient_length(scene.substep);
    system_conventional_step(&scene.rig.system, scene.x);
    substep_gradient(scene.substep, scene.x);
    CHECK_BELOW(end, 1e-4 * substep_gradient_length(scene.substep));
    free(shape);
    scene_close(&scene);
}

int main(void) {
    random_start(41);
    const double heights[] = {-0.0045, -0.003, 0.0, 0.01};
    for (int round = 0; round < 24; ++round) {
        ModelKind model = round % 2 ? MODEL_TRIANGLE : MODEL_EDGE;
        check_step(model, heights[round % 4], round % 3 == 0 ? 0 : round % 3 == 1 ? 0.002 : 1.0);
    }
    check_free();
    for (int round = 0; round < 6; ++round) {
        check_coarse_energy(round % 2 ? MODEL_TRIANGLE : MODEL_EDGE, -0.0011 * (round % 3));
    }
    for (int vertices = 1; vertices <= 4; ++vertices) {
        check_coarse_matrix(vertices, 1);
    }
    check_coarse_matrix(1, 500);
    check_coarse_matrix(2, 1024);
    check_implicit(MODEL_TRIANGLE);
    check_implicit(MODEL_EDGE);
    for (int round = 0; round < 12; ++round) {
        check_step(MODEL_MEMBRANE, heights[round % 4], round % 3);
    }
    check_implicit(MODEL_MEMBRANE);
    int halved = 0, refused[2] = {0};
    for (int round = 0; round < 12; ++round) {
        halved += check_taking_back(heights[round % 4], round % 3);
        refused[0] += check_iterations(1 + round % 6, false);
        refused[1] += check_iterations(1 + round % 6, true);
    }
    CHECK(halved > 0 && refused[0] > 0 && refused[1] > 0);
    check_taking_all_back();
    return check_result();
}
