/* Vertices against bodies: the side they are kept on, fast and deep ones, bodies that move, overlap and squeeze,
 * what the end of a substep does to places and velocities, threads. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/body/vertex_contact.h"
#include "meshes.h"

#define MOST 2000
#define BODIES 16
#define LENGTH (1.0 / 48) /* s */

typedef struct Scene {
    Store store;
    Pool *pool;
    int count;
    Collider collider[BODIES];
    Collider *bodies[BODIES];
    int body_count;
    VertexContactFinder finder;
    Contacts contacts;
    BodySubstep substep;
    Vec3 x[MOST], z[MOST], velocity[MOST];
    uint8_t held[MOST];
    BodyReport report;
} Scene;

static Scene *scene_new(int count, int threads) {
    Scene *scene = calloc(1, sizeof *scene);
    Status status;
    scene->pool = pool_create(threads);
    scene->count = count;
    CHECK_INT(vertex_contact_build(&scene->finder, count, &scene->store, &status), STATUS_OK);
    CHECK_INT(contacts_build(&scene->contacts, count, count, &status), STATUS_OK);
    return scene;
}

static void scene_free(Scene *scene) {
    contacts_destroy(&scene->contacts);
    pool_destroy(scene->pool);
    store_release(&scene->store);
    free(scene);
}

/* Takes the shape over; in the substep it moves by `way`. */
static void add_body(Scene *scene, Shape *shape, Vec3 way) {
    Status status;
    Collider *collider = &scene->collider[scene->body_count];
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(collider, &definition, &scene->store, &status), STATUS_OK);
    Vec3 *end = calloc((size_t)shape->vertex_count, sizeof *end);
    for (int v = 0; v < shape->vertex_count; ++v) {
        end[v] = vec3_add(shape->x[v], way);
    }
    collider_set_frame(collider, shape->x, end);
    free(end);
    free(shape);
    scene->bodies[scene->body_count++] = collider;
}

static void move_bodies(Scene *scene, double t0, double t1) {
    for (int b = 0; b < scene->body_count; ++b) {
        collider_move(scene->bodies[b], scene->pool, t0, t1);
    }
}

static void list(Scene *scene, int again) {
    contacts_begin(&scene->contacts, NULL, scene->x, &(Flight){0}, LENGTH);
    (again ? vertex_contact_refresh : vertex_contact_begin)(
        &scene->finder, scene->pool, &scene->substep, scene->z, &scene->contacts);
    contacts_close(&scene->contacts, scene->pool, scene->z);
}

/* Measures where the substep starts, then looks for contacts at its end. */
static void begin(Scene *scene, double length) {
    scene->substep = body_substep(scene->bodies, scene->body_count, scene->x, length);
    move_bodies(scene, 0, 0);
    vertex_contact_measure(&scene->finder, scene->pool, &scene->substep);
    move_bodies(scene, 0, 1);
    list(scene, 0);
}

static void project(Scene *scene) {
    vertex_contact_project(&scene->finder, scene->pool, &scene->substep, scene->held, scene->z,
                           scene->velocity, &scene->report);
}

static Shape *box(Vec3 low, Vec3 high) {
    Shape *shape = shape_new();
    shape_add_box(shape, low, high);
    return shape;
}

static Shape *cube(void) { return box(vec3(-0.1, -0.1, -0.1), vec3(0.1, 0.1, 0.1)); }

static const Vec3 nowhere = {0, 0, 0};

/* --- one vertex ------------------------------------------------------------------------------- */

static void check_outside(void) {
    Scene *scene = scene_new(3, 1);
    add_body(scene, cube(), nowhere);
    scene->x[0] = scene->z[0] = vec3(0.02, 0.03, 0.101);
    scene->x[1] = scene->z[1] = vec3(0.02, 0.03, 0.3); /* far away */
    scene->x[2] = vec3(-0.105, 0.01, 0.02);
    scene->z[2] = vec3(-0.099, 0.01, 0.02); /* goes in */
    begin(scene, LENGTH);
    CHECK_NEAR(scene->finder.clearance[0], 0.001, 1e-12);
    CHECK(scene->finder.clearance[1] > 0.02);
    CHECK_NEAR(scene->finder.clearance[2], 0.005, 1e-12);
    CHECK_INT(scene->contacts.count, 2);
    CHECK_INT(scene->contacts.body_count, 2);
    const Contact *contact = scene->contacts.list;
    CHECK_INT(contact[0].count, 1);
    CHECK_INT(contact[0].vertices[0], 0);
    CHECK_NEAR(contact[0].weights[0], 1, 0);
    CHECK_BELOW(vec3_distance(contact[0].normal, vec3(0, 0, 1)), 1e-12);
    CHECK_BELOW(vec3_distance(contact[0].point, vec3(0.02, 0.03, 0.1)), 1e-12);
    CHECK_NEAR(contact[0].shell, 0.003, 1e-12);
    CHECK_NEAR(contact[0].friction, 0.4, 0);
    CHECK_INT(contact[1].vertices[0], 2);
    CHECK_BELOW(vec3_distance(contact[1].normal, vec3(-1, 0, 0)), 1e-12);
    scene->velocity[2] = vec3(0.5, 0.2, 0);
    project(scene);
    CHECK_INT(scene->report.touching, 2);
    CHECK_INT(scene->report.stuck, 0);
    CHECK_NEAR(scene->report.deepest, 0.001, 1e-12);
    CHECK(scene->z[2].x < -0.1 && scene->z[2].x > -0.1001);
    CHECK_BELOW(vec3_distance(scene->velocity[2], vec3(0, 0.2, 0)), 1e-12);
    CHECK_BELOW(vec3_distance(scene->z[0], scene->x[0]), 0);
    CHECK(vertex_contact_touches(&scene->finder, 0) && !vertex_contact_touches(&scene->finder, 1));
    vertex_contact_settle(&scene->finder);
    CHECK_NEAR(scene->finder.clearance[0], 0.001, 1e-12);
    CHECK(scene->finder.clearance[1] > 0.02);
    CHECK_NEAR(scene->finder.clearance[2], -0.1 - scene->z[2].x, 1e-12);
    scene_free(scene);
}

/* A vertex that is inside from the start comes out, no faster than its shell grows, and is not thrown. */
static void check_inside(void) {
    double grown[2];
    for (int half = 0; half < 2; ++half) {
        Scene *scene = scene_new(1, 1);
        add_body(scene, cube(), nowhere);
        scene->x[0] = scene->z[0] = vec3(0, 0, 0.08);
        begin(scene, half ? LENGTH / 2 : LENGTH);
        CHECK_NEAR(scene->finder.clearance[0], -0.02, 1e-12);
        CHECK_INT(scene->contacts.count, 1);
        CHECK_BELOW(vec3_distance(scene->contacts.list[0].normal, vec3(0, 0, 1)), 1e-9);
        grown[half] = scene->contacts.list[0].shell + 0.02;
        int steps = 0;
        double most = grown[half] + 2e-5;
        while (steps < 100 && scene->x[0].z < 0.1) {
            project(scene);
            CHECK(scene->z[0].z > scene->x[0].z && scene->z[0].z <= scene->x[0].z + most);
            CHECK_INT(scene->report.stuck, 0);
            vertex_contact_settle(&scene->finder);
            scene->x[0] = scene->z[0];
            list(scene, 0);
            ++steps;
        }
        CHECK_BELOW(vec3_length(scene->velocity[0]), 1e-12);
        CHECK(steps > 1 && steps < 100);
        for (int i = 0; i < 3; ++i) { /* once out it stays there */
            project(scene);
            vertex_contact_settle(&scene->finder);
            list(scene, 0);
            CHECK(scene->z[0].z > 0.1 && scene->finder.clearance[0] > 0);
        }
        scene_free(scene);
    }
    CHECK(grown[0] > 0);
    CHECK_NEAR(grown[1], grown[0] / 2, 1e-12);
    CHECK(grown[0] / LENGTH > 0.05 && grown[0] / LENGTH < 2); /* m/s */
}

/* A sheet keeps a vertex on the side where it began; the rim has no sides. */
static void check_sheet(void) {
    for (int side = -1; side <= 1; side += 2) {
        Scene *scene = scene_new(2, 1);
        Shape *sheet = shape_new();
        shape_add_sheet(sheet, 0.2, 0, 4);
        add_body(scene, sheet, nowhere);
        scene->x[0] = vec3(0.03, 0.01, side * 0.001);
        scene->z[0] = vec3(0.03, 0.01, -side * 0.002);
        scene->x[1] = scene->z[1] = vec3(0.201, 0.01, side * 0.001); /* beside it */
        scene->velocity[0] = vec3(1, 0, -side * 2.0);
        begin(scene, LENGTH);
        CHECK_INT(scene->contacts.count, 2);
        const Contact *contact = scene->contacts.list;
        CHECK_BELOW(vec3_distance(contact[0].normal, vec3(0, 0, side)), 1e-12);
        CHECK_BELOW(vec3_distance(contact[1].normal, vec3(sqrt(0.5), 0, side * sqrt(0.5))), 1e-9);
        project(scene);
        CHECK(side * scene->z[0].z > 0 && side * scene->z[0].z < 1e-4);
        CHECK_BELOW(vec3_distance(scene->velocity[0], vec3(1, 0, 0)), 1e-12);
        CHECK_BELOW(vec3_distance(scene->z[1], scene->x[1]), 0);
        scene_free(scene);
    }
}

/* A sheet that moves past a vertex takes it along; what goes around a rim has passed nothing. */
static void check_sheet_moves(void) {
    for (int side = -1; side <= 1; side += 2) {
        Scene *scene = scene_new(2, 1);
        Shape *sheet = shape_new();
        shape_add_sheet(sheet, 0.2, 0, 4);
        add_body(scene, sheet, vec3(0, 0, side * 0.006));
        scene->x[0] = scene->z[0] = vec3(0.03, 0.01, side * 0.001);
        scene->x[1] = vec3(0.202, 0.01, side * 0.004);
        scene->z[1] = vec3(0.202, 0.01, side * 0.005);
        begin(scene, LENGTH);
        CHECK_INT(scene->contacts.count, 2);
        CHECK_BELOW(vec3_distance(scene->contacts.list[0].normal, vec3(0, 0, side)), 1e-12);
        CHECK_NEAR(scene->contacts.list[0].way.z, side * 0.006, 1e-12);
        CHECK(scene->contacts.list[1].normal.x > 0.8);
        CHECK(side * scene->contacts.list[1].normal.z < -0.4);
        project(scene);
        CHECK(side * scene->z[0].z > 0.006 && side * scene->z[0].z < 0.0061);
        CHECK_NEAR(scene->velocity[0].z, side * 0.006 / LENGTH, 1e-9);
        CHECK_NEAR(scene->z[1].z, side * 0.005, 0);
        CHECK_NEAR(scene->z[1].x, 0.202, 0);
        scene_free(scene);
    }
}

/* A plate of 1 mm, passed in one substep: the nearest surface at the end would be the wrong one. */
static void check_fast(void) {
    for (int kind = 0; kind < 8; ++kind) {
        Scene *scene = scene_new(1, 1);
        Vec3 way = kind & 1 ? vec3(0, 0, 0.1) : nowhere; /* the plate moves too */
        double side = kind & 2 ? -1 : 1;
        add_body(scene, box(vec3(-0.5, -0.5, -5e-4), vec3(0.5, 0.5, 5e-4)), way);
        scene->x[0] = vec3(-0.11, 0.07, side * 0.05 + way.z * (side < 0));
        scene->z[0] = vec3(kind & 4 ? 0.13 : -0.11, 0.05, -side * 0.01 + way.z * (side > 0));
        if (side < 0 && way.z > 0) {
            scene->x[0].z = -0.05;
            scene->z[0].z = 0.2;
        }
        begin(scene, LENGTH);
        CHECK_INT(scene->contacts.count, 1);
        CHECK_BELOW(vec3_distance(scene->contacts.list[0].normal, vec3(0, 0, side)), 1e-12);
        project(scene);
        double above = side * (scene->z[0].z - way.z) - 5e-4;
        CHECK(above > 0 && above < 1e-4);
        CHECK_INT(scene->report.stuck, 0);
        scene_free(scene);
    }
}

static void check_held(void) {
    Scene *scene = scene_new(2, 1);
    add_body(scene, cube(), nowhere);
    for (int i = 0; i < 2; ++i) {
        scene->x[i] = vec3(0, 0, 0.105);
        scene->z[i] = vec3(0, 0, 0.095);
        scene->velocity[i] = vec3(0, 0, -1);
    }
    scene->held[0] = 1;
    begin(scene, LENGTH);
    project(scene);
    CHECK_NEAR(scene->z[0].z, 0.095, 0);
    CHECK_NEAR(scene->velocity[0].z, -1, 0);
    CHECK(scene->z[1].z > 0.1);
    CHECK_NEAR(scene->velocity[1].z, 0, 1e-12);
    CHECK_INT(scene->report.stuck, 0);
    scene_free(scene);
}

/* --- several bodies --------------------------------------------------------------------------- */

/* Two boxes that overlap, as parts of one body or as two: what was outside of both ends outside of both. */
static void check_overlap(int together) {
    Scene *scene = scene_new(400, 1);
    Vec3 low = vec3(0.05, -0.1, -0.1), high = vec3(0.25, 0.1, 0.1);
    if (together) {
        Shape *both = cube();
        shape_add_box(both, low, high);
        add_body(scene, both, nowhere);
    } else {
        add_body(scene, cube(), nowhere);
        add_body(scene, box(low, high), nowhere);
    }
    for (int i = 0; i < scene->count; ++i) {
        scene->x[i] =
            vec3(random_between(-0.08, 0.23), random_between(-0.08, 0.08), 0.1005 + 1e-5 * i);
        scene->z[i] = vec3_add(scene->x[i], random_vector(0.01));
        scene->z[i].z = 0.1 - random_between(0, 0.01);
    }
    begin(scene, LENGTH);
    project(scene);
    CHECK_INT(scene->report.stuck, 0);
    CHECK(scene->report.deepest > 0.005 && scene->report.deepest < 0.0101);
    for (int i = 0; i < scene->count; ++i) {
        for (int b = 0; b < scene->body_count; ++b) {
            CHECK_INT(collider_solids_around(scene->bodies[b], scene->z[i]), 0);
        }
        CHECK(scene->z[i].z > 0.1 && scene->z[i].z < 0.104);
    }
    scene_free(scene);
}

/* Of two parts that hold a vertex, the one that holds it deeper decides: the nearest face of all may lie inside
 * the other part. */
static void check_deepest(void) {
    Scene *scene = scene_new(1, 1);
    Shape *both = cube();
    shape_add_box(both, vec3(0.05, -0.1, -0.1), vec3(0.25, 0.1, 0.1));
    add_body(scene, both, nowhere);
    scene->x[0] = vec3(0.099, 0, 0.1005);
    scene->z[0] = vec3(0.099, 0, 0.0985);
    begin(scene, LENGTH);
    CHECK_INT(scene->contacts.count, 1);
    CHECK_BELOW(vec3_distance(scene->contacts.list[0].normal, vec3(0, 0, 1)), 1e-9);
    scene_free(scene);
}

/* More sheets within reach than are looked at: the nearest counts, though it came last. */
static void check_many(void) {
    Scene *scene = scene_new(1, 1);
    for (int b = 0; b < BODIES; ++b) {
        Shape *shape = shape_new();
        shape_add_sheet(shape, 0.1, b + 1 < BODIES ? -0.010 : -0.001, 1);
        add_body(scene, shape, nowhere);
    }
    scene->x[0] = scene->z[0] = vec3(0.02, 0.03, 0);
    begin(scene, LENGTH);
    CHECK_NEAR(scene->finder.clearance[0], 0.001, 1e-12);
    CHECK_INT(scene->finder.body[0], BODIES - 1);
    scene_free(scene);
}

/* Two boxes that close on a vertex until they overlap leave it nowhere to go. */
static void check_squeezed(void) {
    Scene *scene = scene_new(2, 1);
    add_body(scene, box(vec3(-0.2, -0.2, -0.2), vec3(0.2, 0.2, 0)), nowhere);
    add_body(scene, box(vec3(-0.2, -0.2, 0.02), vec3(0.2, 0.2, 0.2)), vec3(0, 0, -0.03));
    scene->x[0] = scene->z[0] = vec3(0.01, 0.02, 0.01);
    scene->x[1] = scene->z[1] = vec3(0.5, 0, 0.01);
    begin(scene, LENGTH);
    project(scene);
    CHECK_INT(scene->report.stuck, 1);
    CHECK_INT(scene->report.touching, 1);
    CHECK(scene->report.deepest > 0.005);
    CHECK(vec3_is_finite(scene->z[0]) && fabs(scene->z[0].z) < 0.05);
    scene_free(scene);
}

/* One solid with two flanks, lower and upper, that hangs together beyond them: a U on its side. */
static Shape *clamp(void) {
    static const double profile[8][2] = {{-0.1, -0.1},  {0.2, -0.1}, {0.2, 0},    {-0.05, 0},
                                         {-0.05, 0.02}, {0.2, 0.02}, {0.2, 0.12}, {-0.1, 0.12}};
    static const int caps[3][4] = {{0, 1, 2, 3}, {0, 3, 4, 7}, {4, 5, 6, 7}};
    Shape *shape = shape_new();
    for (int k = 0; k < 16; ++k) {
        shape_add_vertex(shape, profile[k % 8][0], k < 8 ? -0.2 : 0.2, profile[k % 8][1]);
    }
    for (int k = 0; k < 8; ++k) {
        int next = (k + 1) % 8;
        shape_add_quad(shape, k, next, 8 + next, 8 + k);
    }
    for (int k = 0; k < 3; ++k) {
        const int *c = caps[k];
        shape_add_quad(shape, c[3], c[2], c[1], c[0]);
        shape_add_quad(shape, 8 + c[0], 8 + c[1], 8 + c[2], 8 + c[3]);
    }
    return shape;
}

/* The upper flank sinks into the lower one where the clamp is open, by 2 cm at x = 0.15, and stays. */
static void close_clamp(Scene *scene, double t0, double t1) {
    Collider *body = scene->bodies[0];
    Vec3 *places[2] = {calloc(16, sizeof(Vec3)), calloc(16, sizeof(Vec3))};
    for (int k = 0; k < 32; ++k) {
        double sunk = (k % 8 == 5 || k % 8 == 6 ? 0.05 : 0) * (k < 16 ? t0 : t1);
        places[k / 16][k % 16] = vec3_sub(scene->collider[1].at[0][k % 16], vec3(0, 0, sunk));
    }
    collider_set_frame(body, places[0], places[1]);
    free(places[0]);
    free(places[1]);
}

/* Flanks of one surface that overlap hold a vertex in the middle, wherever it would go to; when they part, it is between
 * them. What is inside of one alone comes out of it, however near the other side of the limb is. */
static void check_clamped(void) {
    static const double wanted[4] = {-0.01, -0.028, 0.006, -0.0105}; /* z at x = 0.15 */
    Scene *scene = scene_new(2, 1);
    Status status;
    Shape *shape = clamp();
    add_body(scene, shape, nowhere);
    shape = clamp();
    ColliderDefinition open = shape_definition(shape);
    CHECK_INT(collider_build(&scene->collider[1], &open, &scene->store, &status), STATUS_OK);
    free(shape);
    scene->x[0] = scene->z[0] = vec3(0.15, 0.01, 0.01);
    scene->x[1] = scene->z[1] = vec3(-0.02, 0.01, 0.01);
    scene->substep = body_substep(scene->bodies, 1, scene->x, LENGTH);
    move_bodies(scene, 0, 0);
    vertex_contact_measure(&scene->finder, scene->pool, &scene->substep);
    for (int step = 0; step < 5; ++step) {
        close_clamp(scene, step == 0 ? 0 : 1, step == 4 ? 0 : 1);
        move_bodies(scene, 0, 1);
        scene->z[0] = step < 4 ? vec3(0.15, 0.01, wanted[step]) : scene->x[0];
        list(scene, 0);
        project(scene);
        if (step < 4) {
            CHECK_NEAR(scene->z[0].z, -0.01, 0.0012);
            CHECK_INT(scene->report.stuck, 1);
            CHECK_INT(collider_winding(scene->bodies[0], 0, scene->z[0]), 2);
        }
        CHECK_INT(collider_winding(scene->bodies[0], 0, scene->z[1]), 0);
        vertex_contact_settle(&scene->finder);
        memcpy(scene->x, scene->z, sizeof scene->x);
    }
    CHECK(scene->z[0].z > 0 && scene->z[0].z < 0.02);
    scene_free(scene);
}

/* --- many ------------------------------------------------------------------------------------- */

/* Random ways around a sphere that moves and one that stands. */
static Scene *crowd(unsigned seed, int threads) {
    Scene *scene = scene_new(MOST, threads);
    Shape *first = shape_new(), *second = shape_new();
    shape_add_sphere(first, vec3(0, 0, 0), 0.1, 16);
    shape_add_sphere(second, vec3(0.5, 0, 0), 0.08, 8);
    random_start(seed);
    add_body(scene, first, vec3(0.01, -0.02, 0.015));
    add_body(scene, second, nowhere);
    for (int i = 0; i < scene->count; ++i) {
        Vec3 centre = vec3(i % 2 ? 0.5 : 0, 0, 0);
        Vec3 out = vec3_unit_or(random_vector(1), vec3(0, 0, 1));
        scene->x[i] = vec3_madd(centre, random_between(0.101, 0.15), out);
        scene->z[i] = vec3_add(scene->x[i], random_vector(0.05));
        scene->velocity[i] = random_vector(1);
    }
    begin(scene, LENGTH);
    return scene;
}

static void check_crowd(unsigned seed) {
    Scene *scene = crowd(seed, 1);
    Vec3 *before = calloc(MOST, sizeof *before), *speed = calloc(MOST, sizeof *speed);
    memcpy(before, scene->z, sizeof scene->z);
    memcpy(speed, scene->velocity, sizeof scene->velocity);
    project(scene);
    int pushed = 0, fast = 0;
    double deepest = 0;
    for (int i = 0; i < scene->count; ++i) {
        const Collider *body = scene->bodies[i % 2];
        CHECK_INT(collider_solids_around(scene->bodies[0], scene->z[i]), 0);
        CHECK_INT(collider_solids_around(scene->bodies[1], scene->z[i]), 0);
        Vec3 push = vec3_sub(scene->z[i], before[i]);
        double length = vec3_length(push);
        if (length == 0) {
            CHECK_BELOW(vec3_distance(scene->velocity[i], speed[i]), 0);
            continue;
        }
        Vec3 normal = vec3_scale(1 / length, push), own = nowhere;
        if (i % 2 == 0) {
            own = vec3_scale(1 / LENGTH, vec3(0.01, -0.02, 0.015));
        }
        Vec3 gained = vec3_sub(scene->velocity[i], speed[i]);
        double least = vec3_dot(own, normal), was = vec3_dot(speed[i], normal);
        /* along the push alone, and to the body's speed exactly */
        CHECK_NEAR(vec3_dot(scene->velocity[i], normal), was > least ? was : least, 1e-6);
        CHECK_BELOW(vec3_distance(gained, vec3_scale(vec3_dot(gained, normal), normal)), 1e-6);
        Hit hit;
        CHECK(collider_closest(body, scene->z[i], 0.1, &hit));
        CHECK(hit.signed_distance > 0);
        deepest = length > deepest ? length : deepest;
        ++pushed;
        fast += was > least;
    }
    CHECK(pushed > 100 && fast > 10);
    CHECK_INT(scene->report.stuck, 0);
    CHECK_NEAR(scene->report.deepest, deepest, 1e-4);
    /* asked again there is nothing left to do */
    memcpy(before, scene->z, sizeof scene->z);
    project(scene);
    CHECK(memcmp(before, scene->z, sizeof scene->z) == 0);
    CHECK_NEAR(scene->report.deepest, 0, 0);
    free(before);
    free(speed);
    scene_free(scene);
}

/* Looking again finds what looking anew does, near a convex body. */
static void check_refresh(void) {
    Scene *scene = crowd(5, 1);
    Contact *again = calloc(MOST, sizeof *again);
    for (int round = 0; round < 6; ++round) {
        for (int i = 0; i < scene->count; ++i) {
            scene->z[i] = vec3_add(scene->z[i], random_vector(round == 3 ? 0.02 : 0.0015));
        }
        list(scene, 1);
        int last = -1, met = 0;
        memset(again, 0, MOST * sizeof *again);
        for (int c = 0; c < scene->contacts.count; ++c) {
            int i = scene->contacts.list[c].vertices[0];
            CHECK(i > last);
            again[i] = scene->contacts.list[c];
            last = i;
        }
        list(scene, 0);
        for (int c = 0; c < scene->contacts.count; ++c) {
            const Contact *anew = &scene->contacts.list[c];
            int i = anew->vertices[0];
            double before = vec3_dot(anew->normal, vec3_sub(scene->z[i], anew->point));
            if (before > 0 &&
                before < 0.003) { /* from inside, the nearest place is one of several */
                CHECK_BELOW(vec3_distance(again[i].point, anew->point), 1e-9);
                CHECK_BELOW(vec3_distance(again[i].normal, anew->normal), 1e-6);
                CHECK_NEAR(again[i].shell, anew->shell, 1e-12);
                ++met;
            }
        }
        CHECK(met > 20);
    }
    free(again);
    scene_free(scene);
}

static void check_follow(void) {
    Scene *scene = crowd(9, 1);
    const Collider *body = scene->bodies[0];
    int compared = 0;
    for (int round = 0; round < 5000; ++round) {
        Vec3 out = vec3_unit_or(random_vector(1), vec3(0, 0, 1));
        Vec3 p = vec3_madd(vec3(0.01, -0.02, 0.015), random_between(0.097, 0.12), out);
        Vec3 q = vec3_add(p, random_vector(0.01));
        Hit start, wanted, got;
        if (collider_closest(body, p, 0.1, &start) && collider_closest(body, q, 0.1, &wanted) &&
            wanted.signed_distance > 0) { /* from inside there are several nearest places */
            collider_follow(body, q, start.triangle, &got);
            CHECK_NEAR(got.distance, wanted.distance, 1e-12);
            CHECK_BELOW(vec3_distance(got.point, wanted.point), 1e-9);
            CHECK_NEAR(got.signed_distance, wanted.signed_distance, 1e-12);
            ++compared;
        }
    }
    CHECK(compared > 3000);
    scene_free(scene);
}

/* What vertices saw before the solve only makes the end of the substep faster. */
static void check_sights(void) {
    for (unsigned seed = 0; seed < 4; ++seed) {
        Scene *scenes[2] = {crowd(seed, 1), crowd(seed, 1)};
        int lists = 0, alone = 0;
        for (int i = 0; i < scenes[0]->count; ++i) {
            Vec3 moved = random_vector(i % 2 ? 5e-4 : 4e-3);
            SearchCache *cache = &scenes[1]->finder.cache[i];
            lists += cache->body >= 0;
            alone += cache->alone > 0;
            cache->body = -1;
            cache->alone = 0;
            for (int k = 0; k < 2; ++k) {
                scenes[k]->z[i] = vec3_add(scenes[k]->z[i], moved);
            }
        }
        CHECK(lists > 100 && alone > 20);
        project(scenes[0]);
        project(scenes[1]);
        size_t bytes = (size_t)scenes[0]->count * sizeof(Vec3);
        CHECK(memcmp(scenes[0]->z, scenes[1]->z, bytes) == 0);
        CHECK(memcmp(scenes[0]->velocity, scenes[1]->velocity, bytes) == 0);
        CHECK(memcmp(scenes[0]->finder.seen, scenes[1]->finder.seen, bytes) == 0);
        scene_free(scenes[0]);
        scene_free(scenes[1]);
    }
}

static void check_threads(void) {
    Scene *first = crowd(3, 1);
    size_t bytes = (size_t)first->contacts.count * sizeof(Contact);
    Contact *kept = malloc(bytes);
    memcpy(kept, first->contacts.list, bytes);
    project(first);
    for (int threads = 2; threads <= 3; ++threads) {
        Scene *scene = crowd(3, threads);
        CHECK_INT(scene->contacts.count, first->contacts.count);
        CHECK(memcmp(scene->contacts.list, kept, bytes) == 0);
        project(scene);
        CHECK(memcmp(scene->z, first->z, sizeof first->z) == 0);
        CHECK(memcmp(scene->velocity, first->velocity, sizeof first->velocity) == 0);
        CHECK_INT(scene->report.touching, first->report.touching);
        scene_free(scene);
    }
    CHECK(bytes > 0);
    free(kept);
    scene_free(first);
}

int main(void) {
    random_start(12);
    check_outside();
    check_inside();
    check_sheet();
    check_sheet_moves();
    check_fast();
    check_held();
    check_overlap(0);
    check_overlap(1);
    check_deepest();
    check_many();
    check_squeezed();
    check_clamped();
    for (unsigned seed = 0; seed < 4; ++seed) {
        check_crowd(seed);
    }
    check_refresh();
    check_follow();
    check_sights();
    check_threads();
    return check_result();
}
