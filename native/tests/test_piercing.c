/* Edges and faces of the cloth that go through solid bodies: the count against every pair by brute force, and the way out. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/body/piercing.h"
#include "meshes.h"

#define LENGTH (1.0 / 48) /* s */
#define SIDE 9            /* vertices along the sheet */
#define WIDTH 0.4         /* m */

typedef struct Scene {
    Store store;
    Pool *pool;
    TestMesh *test;
    Mesh mesh;
    Skin skin;
    Collider collider;
    Collider *bodies[1];
    VertexContactFinder vertices;
    Contacts contacts;
    PiercingFinder finder;
    BodySubstep substep;
    Vec3 x[SIDE * SIDE], z[SIDE * SIDE], velocity[SIDE * SIDE];
    uint8_t held[SIDE * SIDE];
} Scene;

/* A sheet at this height; in the substep the body moves by `way`. Takes the shape over. */
static Scene *scene_open(Shape *shape, double height, Vec3 way, int threads) {
    Status status;
    Scene *scene = calloc(1, sizeof *scene);
    scene->pool = pool_create(threads);
    scene->test = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, WIDTH);
    for (int v = 0; v < SIDE * SIDE; ++v) {
        scene->test->positions[3 * v] -= (float)(WIDTH / 2);
        scene->test->positions[3 * v + 1] -= (float)(WIDTH / 2);
        scene->test->positions[3 * v + 2] = (float)height;
    }
    mesh_build(&scene->test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
               &scene->store, &scene->mesh, &status);
    CHECK_INT(skin_build(&scene->skin, &scene->mesh, SKIN_BOTH_CUTS, &scene->store, &status),
              STATUS_OK);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&scene->collider, &definition, &scene->store, &status), STATUS_OK);
    Vec3 *end = calloc((size_t)shape->vertex_count, sizeof *end);
    for (int v = 0; v < shape->vertex_count; ++v) {
        end[v] = vec3_add(shape->x[v], way);
    }
    collider_set_frame(&scene->collider, shape->x, end);
    scene->bodies[0] = &scene->collider;
    free(end);
    free(shape);
    int count = scene->mesh.vertex_count;
    CHECK_INT(vertex_contact_build(&scene->vertices, count, &scene->store, &status), STATUS_OK);
    CHECK_INT(contacts_build(&scene->contacts, count, count, &status), STATUS_OK);
    CHECK_INT(piercing_build(&scene->finder, &scene->skin, &scene->store, &status), STATUS_OK);
    memcpy(scene->x, scene->mesh.rest, sizeof scene->x);
    memcpy(scene->z, scene->x, sizeof scene->z);
    return scene;
}

static void scene_close(Scene *scene) {
    contacts_destroy(&scene->contacts);
    pool_destroy(scene->pool);
    store_release(&scene->store);
    mesh_free(scene->test);
    free(scene);
}

/* A substep's searches, and the projection of its vertices. */
static void begin(Scene *scene) {
    BodyReport report;
    scene->substep = body_substep(scene->bodies, 1, scene->x, LENGTH);
    collider_move(&scene->collider, NULL, 0, 0);
    vertex_contact_measure(&scene->vertices, scene->pool, &scene->substep);
    collider_move(&scene->collider, NULL, 0, 1);
    contacts_begin(&scene->contacts, NULL, scene->x, &(Flight){0}, LENGTH);
    vertex_contact_begin(&scene->vertices, scene->pool, &scene->substep, scene->z,
                         &scene->contacts);
    vertex_contact_project(&scene->vertices, scene->pool, &scene->substep, scene->held, scene->z,
                           scene->velocity, &report);
    piercing_begin(&scene->finder);
}

static bool project(Scene *scene, int *left) {
    return piercing_project(&scene->finder, scene->pool, &scene->substep, &scene->vertices,
                            scene->held, scene->z, scene->velocity, left);
}

/* Whether the segment passes through the triangle: by the signs of volumes alone. */
static double volume(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
    return vec3_dot(vec3_sub(a, d), vec3_cross(vec3_sub(b, d), vec3_sub(c, d)));
}

static bool pierces(Vec3 p, Vec3 q, const Vec3 t[3]) {
    double from = volume(t[0], t[1], t[2], p), to = volume(t[0], t[1], t[2], q);
    double first = volume(p, q, t[0], t[1]), second = volume(p, q, t[1], t[2]);
    double third = volume(p, q, t[2], t[0]);
    return from * to < 0 &&
           ((first > 0 && second > 0 && third > 0) || (first < 0 && second < 0 && third < 0));
}

/* Every edge of the one with every face of the other. */
static int count_all(const Scene *scene) {
    const Skin *skin = &scene->skin;
    const Collider *body = &scene->collider;
    int pairs = 0;
    for (int t = 0; t < body->triangle_count; ++t) {
        const int *c = body->corners[t];
        const Vec3 face[3] = {body->at[1][c[0]], body->at[1][c[1]], body->at[1][c[2]]};
        for (int e = 0; e < skin->edge_count; ++e) {
            pairs += pierces(scene->z[skin->edges[e][0]], scene->z[skin->edges[e][1]], face);
        }
        for (int s = 0; s < skin->triangle_count; ++s) {
            const int *v = skin->triangles[s];
            const Vec3 own[3] = {scene->z[v[0]], scene->z[v[1]], scene->z[v[2]]};
            for (int k = 0; k < 3; ++k) {
                pairs += c[k] < c[(k + 1) % 3] && pierces(face[k], face[(k + 1) % 3], own);
            }
        }
    }
    return pairs;
}

/* --- counting --------------------------------------------------------------------------------- */

/* Held vertices go nowhere, so all that is pierced is left. */
static void check_count(void) {
    int sum = 0;
    for (int seed = 1; seed <= 12; ++seed) {
        Shape *shape = shape_new();
        random_start((unsigned)seed);
        shape_add_sphere(shape, random_vector(0.05), random_between(0.04, 0.12), 14);
        Scene *scene = scene_open(shape, 0.03, vec3(0, 0, 0), 1);
        memset(scene->held, 1, sizeof scene->held);
        for (int v = 0; v < SIDE * SIDE; ++v) {
            scene->z[v] = scene->x[v] = vec3_add(scene->x[v], random_vector(0.03));
        }
        begin(scene);
        int left = -1, all = count_all(scene);
        sum += all;
        CHECK(!project(scene, &left));
        CHECK_INT(left, all);
        CHECK_BELOW(vec3_distance(scene->z[0], scene->x[0]), 0);
        scene_close(scene);
    }
    CHECK(sum > 300);
}

/* --- the way out ------------------------------------------------------------------------------ */

/* A ball that comes up through faces whose corners stay outside. */
static Scene *bumped(double radius, Vec3 way, int threads) {
    Shape *shape = shape_new();
    shape_add_sphere(shape, vec3(0.012, 0.007, -radius + 0.003), radius, 24);
    return scene_open(shape, 0, way, threads);
}

static void check_bump(void) {
    Scene *scene = bumped(0.02, vec3(0, 0, 0), 1);
    begin(scene);
    int left = -1, all = count_all(scene);
    CHECK(all > 3);
    CHECK(project(scene, &left));
    CHECK_INT(left, 0);
    CHECK_INT(count_all(scene), 0);
    double highest = 0, sideways = 0;
    for (int v = 0; v < SIDE * SIDE; ++v) {
        highest = fmax(highest, scene->z[v].z);
        sideways = fmax(sideways, fabs(scene->z[v].x - scene->x[v].x));
        CHECK(scene->z[v].z >= 0);
    }
    CHECK(highest > 0.002 && highest < 0.02); /* 3 mm of it were above the sheet */
    CHECK_BELOW(sideways, 0.004);
    CHECK_BELOW(vec3_length(scene->velocity[0]), 0); /* a push is no velocity */
    scene_close(scene);
}

/* The cloth leaves at least as fast as the surface that pushes it. */
static void check_velocity(void) {
    Vec3 way = vec3(0, 0, 0.01);
    Scene *scene = bumped(0.02, way, 1);
    begin(scene);
    int left = -1;
    CHECK(project(scene, &left));
    CHECK_INT(left, 0);
    double fastest = 0;
    for (int v = 0; v < SIDE * SIDE; ++v) {
        fastest = fmax(fastest, scene->velocity[v].z);
    }
    CHECK(fastest > 0.3 * way.z / LENGTH && fastest < 4 * way.z / LENGTH);
    scene_close(scene);
}

/* A held corner stays, and the others yield for it. */
static void check_held(void) {
    Scene *scene = bumped(0.02, vec3(0, 0, 0), 1);
    int middle = SIDE * (SIDE / 2) + SIDE / 2, left = -1;
    scene->held[middle] = 1;
    begin(scene);
    CHECK(count_all(scene) > 3);
    project(scene, &left);
    CHECK_INT(left, count_all(scene));
    CHECK_BELOW(vec3_distance(scene->z[middle], scene->x[middle]), 0);
    scene_close(scene);
}

/* A sheet has no inside: nothing is counted and nothing moves. */
static void check_sheet(void) {
    Shape *shape = shape_new();
    shape_add_triangle(shape, 0, 1, 2);
    shape->x[0] = vec3(-0.1, 0.005, -0.1);
    shape->x[1] = vec3(0.1, 0.005, -0.1);
    shape->x[2] = vec3(0.0, 0.005, 0.1);
    shape->vertex_count = 3;
    Scene *scene = scene_open(shape, 0, vec3(0, 0, 0), 1);
    begin(scene);
    int left = -1;
    CHECK(count_all(scene) > 0);
    CHECK(!project(scene, &left));
    CHECK_INT(left, 0);
    scene_close(scene);
}

static void check_threads(void) {
    Scene *one = bumped(0.05, vec3(0, 0, 0.004), 1), *three = bumped(0.05, vec3(0, 0, 0.004), 3);
    int left[2];
    begin(one);
    begin(three);
    CHECK(project(one, &left[0]));
    CHECK(project(three, &left[1]));
    CHECK_INT(left[0], left[1]);
    CHECK(memcmp(one->z, three->z, sizeof one->z) == 0);
    CHECK(memcmp(one->velocity, three->velocity, sizeof one->velocity) == 0);
    scene_close(one);
    scene_close(three);
}

int main(void) {
    check_count();
    check_bump();
    check_velocity();
    check_held();
    check_sheet();
    check_threads();
    return check_result();
}
