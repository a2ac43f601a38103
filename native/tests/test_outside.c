/* Points that ride on cloth: put before solids, left alone elsewhere, and seen in the mirror of a half. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "cloth/state.h"
#include "contact/body/collider.h"
#include "halving.h"
#include "meshes.h"

#define POINTS 500
#define REACH 0.05

static Vec3 points[POINTS], before[POINTS];
static OutsideHint hints[POINTS];

/* Within 10 cm around a sphere of 20 cm, most of them outside. */
static void scatter(Vec3 centre) {
    for (int i = 0; i < POINTS; ++i) {
        Vec3 way = vec3_unit_or(random_vector(1), vec3(1, 0, 0));
        points[i] = before[i] = vec3_madd(centre, random_between(0.16, 0.3), way);
        hints[i] = (OutsideHint){.body = -1};
    }
}

static void test_sphere(void) {
    Shape *shape = shape_new();
    Vec3 centre = vec3(0.3, -0.2, 1);
    Store store = {0};
    Status status = {0};
    Collider collider, *bodies[2] = {NULL, &collider};
    Pool *pool = pool_create(2);
    shape_add_sphere(shape, centre, 0.2, 24);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&collider, &definition, &store, &status), STATUS_OK);
    scatter(centre);
    for (int round = 0; round < 2; ++round) { /* the second with hints, and nothing to do */
        outside_put(pool, bodies, 2, REACH, POINTS, hints, points);
        int moved = 0;
        for (int i = 0; i < POINTS; ++i) {
            double from = vec3_distance(before[i], centre), to = vec3_distance(points[i], centre);
            bool stays = vec3_distance(before[i], points[i]) == 0;
            moved += !stays;
            CHECK(to > 0.197); /* the sphere's chords lie below it by up to 2 mm */
            CHECK(from > 0.202 ? stays : 1);
            CHECK(from < 0.196 ? !stays && to < 0.203 : 1);
        }
        CHECK(moved > POINTS / 10 && moved < POINTS / 2);
    }
    store_release(&store);
    pool_destroy(pool);
    free(shape);
}

/* A sphere on each side of x = 0, of which the half meets one. */
static void test_mirrored(void) {
    TestMesh *mesh = symmetric_sheet(10, 10, 0.1);
    Shape *shape = shape_new();
    Pool *pool = pool_create(2);
    Status status = {0};
    ClothOptions options = {
        .simulation = {.mesh = {.uv_scale = 1},
                       .solving = {.scheme = SCHEME_TWO_LEVEL,
                                   .coefficient_count = 2,
                                   .coefficients = {2, -1},
                                   .iterations = 3},
                       .substeps = 1,
                       .threads = 1,
                       .materials[0] = {.density = 0.2,
                                        .stretch_warp = 1000,
                                        .stretch_weft = 1000,
                                        .shear = 300,
                                        .bend = 1e-5}},
        .mirror = {.choice = MIRROR_EXACT, .half.plane = {{0, 0, 0}, {1, 0, 0}}, .half.over = 1}};
    Cloth *cloth = cloth_create(&mesh->polygons, &options, &status);
    float x[3 * SHAPES_MOST];
    int32_t sizes[SHAPES_MOST];
    shape_add_sphere(shape, vec3(0.4, 0, -2), 0.2, 24);
    shape_add_sphere(shape, vec3(-0.4, 0, -2), 0.2, 24);
    for (int v = 0; v < shape->vertex_count; ++v) {
        x[3 * v] = (float)shape->x[v].x;
        x[3 * v + 1] = (float)shape->x[v].y;
        x[3 * v + 2] = (float)shape->x[v].z;
    }
    for (int t = 0; t < shape->triangle_count; ++t) {
        sizes[t] = 3;
    }
    PolygonMesh spheres = {.vertex_count = shape->vertex_count,
                           .face_count = shape->triangle_count,
                           .positions = x,
                           .face_sizes = sizes,
                           .face_vertices = shape->triangles};
    BodySurface surface = {.thickness = 0.004, .friction = 0.3};
    int body;
    CHECK(cloth && cloth_add_body(cloth, &spheres, &surface, &body, &status) >= 0);
    CHECK(cloth_step(cloth, 0.01, &status) >= 0);
    for (int side = -1; side <= 1; side += 2) {
        Vec3 centre = vec3(0.4 * side, 0, -2);
        int moved = 0;
        scatter(centre);
        domain_keep_out(cloth->levels[0].domain, pool, REACH, POINTS, hints, points);
        for (int i = 0; i < POINTS; ++i) {
            moved += vec3_distance(points[i], before[i]) > 1e-12;
            CHECK(vec3_distance(points[i], centre) > 0.197);
        }
        CHECK(moved > POINTS / 10 && moved < POINTS / 2);
    }
    cloth_destroy(cloth);
    pool_destroy(pool);
    free(shape);
    mesh_free(mesh);
}

int main(void) {
    random_start(11);
    test_sphere();
    test_mirrored();
    return check_result();
}
