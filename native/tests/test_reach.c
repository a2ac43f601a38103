/* What sleeps of a body is what the cloth cannot meet: all that is asked is answered as if all were awake. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/body/vertex_contact.h"
#include "meshes.h"

#define LENGTH (1.0 / 48)
#define RADIUS 0.4

/* A sheet on a large ball, and the same ball with all of it awake. */
typedef struct Scene {
    Store store;
    Mesh mesh;
    Skin skin;
    Collider body, whole;
    Reach reach;
    Vec3 *x, *z, *later, *start, *end;
    double *clearance;
} Scene;

static void build(Scene *scene, Shape *shape, TestMesh *test) {
    Status status;
    Store *store = &scene->store;
    mesh_build(&test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH}, store,
               &scene->mesh, &status);
    CHECK_INT(skin_build(&scene->skin, &scene->mesh, SKIN_BOTH_CUTS, store, &status), STATUS_OK);
    shape->thickness = 0.004;
    shape_add_sphere(shape, vec3(0, 0, 0), RADIUS, 36);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&scene->body, &definition, store, &status), STATUS_OK);
    CHECK_INT(collider_build(&scene->whole, &definition, store, &status), STATUS_OK);
    CHECK_INT(reach_build(&scene->reach, &scene->skin, store, &status), STATUS_OK);
    int count = scene->skin.vertex_count;
    scene->x = STORE_ARRAY(store, Vec3, count);
    scene->z = STORE_ARRAY(store, Vec3, count);
    scene->later = STORE_ARRAY(store, Vec3, count);
    scene->clearance = STORE_ARRAY(store, double, count);
    scene->start = STORE_ARRAY(store, Vec3, shape->vertex_count);
    scene->end = STORE_ARRAY(store, Vec3, shape->vertex_count);
}

/* The ball turns by an angle about z and goes; the sheet goes with it, or not, and its vertices by `stray` besides. */
static void move(Scene *scene, const Shape *shape, double angle, Vec3 way, Vec3 own, double stray) {
    for (int v = 0; v < shape->vertex_count; ++v) {
        Vec3 x = shape->x[v];
        scene->start[v] = x;
        scene->end[v] = vec3_add(way, vec3(cos(angle) * x.x - sin(angle) * x.y,
                                           sin(angle) * x.x + cos(angle) * x.y, x.z));
    }
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        Vec3 at = vec3_add(scene->mesh.rest[v], vec3(-0.1, -0.1, RADIUS));
        scene->x[v] = vec3_scale((RADIUS + random_between(-0.001, 0.01)) / vec3_length(at), at);
        scene->z[v] = vec3_add(vec3_add(scene->x[v], own), random_vector(stray));
    }
    collider_set_frame(&scene->body, scene->start, scene->end);
    collider_set_frame(&scene->whole, scene->start, scene->end);
}

static void measure(Scene *scene, const BodySubstep *substep) {
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        VertexPath at = {
            .x = scene->x[v], .z = scene->x[v], .clearance = -1, .body = -1, .triangle = -1};
        ContactPlane planes[MOST_CONTACT_PLANES];
        contact_plane_find(substep, &at, planes, &scene->clearance[v]);
    }
}

/* Vertices, and middles of edges. Returns how many planes were compared. */
static int compare(const Scene *scene, const BodySubstep *substep, const BodySubstep *all,
                   const Vec3 *z) {
    int planes_found = 0;
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        VertexPath at = {.x = scene->x[v],
                         .z = z[v],
                         .clearance = scene->clearance[v],
                         .body = -1,
                         .triangle = -1};
        ContactPlane a[MOST_CONTACT_PLANES], b[MOST_CONTACT_PLANES];
        double nearest[2];
        int count = contact_plane_find(substep, &at, a, &nearest[0]);
        CHECK_INT(contact_plane_find(all, &at, b, &nearest[1]), count);
        CHECK(nearest[0] == nearest[1]);
        for (int p = 0; p < count; ++p) {
            CHECK(memcmp(&a[p], &b[p], sizeof a[p]) == 0);
        }
        planes_found += count;
    }
    for (int e = 0; e < scene->skin.edge_count; ++e) {
        const int *v = scene->skin.edges[e];
        Vec3 x = vec3_scale(0.5, vec3_add(scene->x[v[0]], scene->x[v[1]]));
        Vec3 middle = vec3_scale(0.5, vec3_add(z[v[0]], z[v[1]]));
        ContactPlane a, b;
        bool found = contact_plane_nearest(substep, x, middle, 0, 0, 0.02, &a);
        CHECK(contact_plane_nearest(all, x, middle, 0, 0, 0.02, &b) == found);
        CHECK(!found || memcmp(&a, &b, sizeof a) == 0);
    }
    return planes_found;
}

static int count_awake(const Collider *body) {
    int awake = 0;
    for (int c = 0; c < body->clusters.count; ++c) {
        awake += body->awake[c];
    }
    return awake;
}

/* Returns which part of the ball was awake. */
static double check_motion(Scene *scene, const Shape *shape, Pool *pool, double angle, Vec3 way,
                           Vec3 own, double stray) {
    Collider *bodies[1] = {&scene->body}, *wholes[1] = {&scene->whole};
    move(scene, shape, angle, way, own, stray);
    BodySubstep substep = body_substep(bodies, 1, scene->x, LENGTH);
    BodySubstep all = body_substep(wholes, 1, scene->x, LENGTH);
    collider_move(&scene->whole, pool, 0, 0);
    measure(scene, &all);
    collider_move(&scene->whole, pool, 0, 1);
    collider_place(&scene->body, pool, 0, 1);
    reach_begin(&scene->reach, pool, &substep, scene->z, scene->clearance);
    double awake = count_awake(&scene->body) / (double)scene->body.clusters.count;
    int planes = compare(scene, &substep, &all, scene->z);
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        Vec3 aside = vec3_unit_or(random_vector(1), vec3(0, 0, 1));
        scene->later[v] = vec3_madd(scene->z[v], 0.999 * scene->reach.slack, aside);
    }
    CHECK(!reach_refresh(&scene->reach, pool, &substep, scene->later));
    planes += compare(scene, &substep, &all, scene->later);
    CHECK(planes > 100 || vec3_distance(way, own) > 0.05);
    scene->later[7] = vec3(0, -RADIUS, 0);
    CHECK(reach_refresh(&scene->reach, pool, &substep, scene->later));
    CHECK_INT(count_awake(&scene->body), scene->body.clusters.count);
    CHECK(!reach_refresh(&scene->reach, pool, &substep, scene->later));
    compare(scene, &substep, &all, scene->later);
    return awake;
}

int main(void) {
    random_start(11);
    for (int threads = 1; threads < 3; ++threads) {
        Pool *pool = pool_create(threads);
        Scene *scene = calloc(1, sizeof *scene);
        Shape *shape = shape_new();
        TestMesh *test = mesh_grid(GRID_ALTERNATING, 11, 11, 0.2);
        Vec3 still = vec3(0, 0, 0), fast = vec3(0.06, 0, 0.02);
        build(scene, shape, test);
        CHECK(scene->body.clusters.count > 60);
        CHECK_BELOW(check_motion(scene, shape, pool, 0, still, still, 0.002), 0.5);
        CHECK_BELOW(check_motion(scene, shape, pool, 0.05, still, still, 0.002), 0.6);
        CHECK_BELOW(check_motion(scene, shape, pool, 0.0, fast, fast, 0.002), 0.5);
        check_motion(scene, shape, pool, 0.0, fast, still, 0.002);
        check_motion(scene, shape, pool, 0.2, still, fast, 0.01);
        store_release(&scene->store);
        free(scene);
        free(shape);
        mesh_free(test);
        pool_destroy(pool);
    }
    return check_result();
}
