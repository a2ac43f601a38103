/* A finer mesh on a coarser one: where it is at rest, after rigid motions, stretched, and bent. */
#include <stdlib.h>

#include "check.h"
#include "cloth/embedding.h"
#include "laws/law.h"
#include "meshes.h"

typedef struct Pair {
    TestMesh *mesh;
    CoarseMesh coarse;
    Embedding embedding;
    Store store;
    Pool *pool;
    Vec3 *x, *fine;
} Pair;

static Pair pair_of(TestMesh *mesh, int target) {
    Pair pair = {.mesh = mesh, .pool = pool_create(2)};
    CoarsenOptions options = {.target = target};
    Status status = {0};
    CHECK_INT(coarsen(&mesh->polygons, &options, &pair.coarse, &status), STATUS_OK);
    CHECK_INT(embedding_build(&mesh->polygons, &pair.coarse, &pair.store, &pair.embedding), 0);
    pair.x = calloc((size_t)pair.embedding.coarse_count, sizeof *pair.x);
    pair.fine = calloc((size_t)pair.embedding.fine_count, sizeof *pair.fine);
    return pair;
}

static void pair_free(Pair *pair) {
    free(pair->x);
    free(pair->fine);
    store_release(&pair->store);
    coarse_free(&pair->coarse);
    pool_destroy(pair->pool);
    mesh_free(pair->mesh);
}

/* Root mean square of the distances of finer vertices from where `map` puts their rest, m. */
static double distance_from(const Pair *pair, Vec3 (*map)(Vec3)) {
    double sum = 0;
    for (int v = 0; v < pair->embedding.fine_count; ++v) {
        Vec3 way = vec3_sub(pair->fine[v], map(polygon_position(&pair->mesh->polygons, v)));
        sum += vec3_dot(way, way);
    }
    return sqrt(sum / pair->embedding.fine_count);
}

/* With the coarser vertices where `map` puts them, and the finer ones embedding. */
static double error_of(Pair *pair, Vec3 (*map)(Vec3)) {
    for (int v = 0; v < pair->embedding.coarse_count; ++v) {
        pair->x[v] = map(polygon_position(&pair->coarse.polygons, v));
    }
    embedding_set_frames(&pair->embedding, pair->pool, pair->x);
    embedding_apply(&pair->embedding, pair->pool, pair->x, pair->fine);
    return distance_from(pair, map);
}

/* With the finer vertices on the flat triangles between them. */
static double chord_error(Pair *pair, Vec3 (*map)(Vec3)) {
    for (int v = 0; v < pair->embedding.fine_count; ++v) {
        const CoarsePlace *place = &pair->coarse.places[v];
        pair->fine[v] = vec3(0, 0, 0);
        for (int k = 0; k < 3; ++k) {
            pair->fine[v] =
                vec3_madd(pair->fine[v], place->weights[k], pair->x[place->vertices[k]]);
        }
    }
    return distance_from(pair, map);
}

static Vec3 stay(Vec3 p) { return p; }

static Vec3 move(Vec3 p) {
    return vec3_add(guess_rotate(vec3(0.7, -1.2, 2.1), p), vec3(12, -7, 3));
}

/* Of the plane z = 0, into another plane, longer and sheared. */
static Vec3 stretch(Vec3 p) { return move(vec3(1.3 * p.x + 0.2 * p.y, 0.9 * p.y, 0)); }

/* Around a cylinder of radius 0.4 m. */
static Vec3 roll(Vec3 p) { return vec3(0.4 * sin(p.x / 0.4), p.y, 0.4 * cos(p.x / 0.4)); }

static void test_flat(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        Pair pair = pair_of(mesh_grid(kind, 40, 40, 1), 180);
        CHECK_BELOW(error_of(&pair, stay), 1e-7);
        CHECK_BELOW(error_of(&pair, move), 1e-7);
        CHECK_BELOW(error_of(&pair, stretch), 1e-7);
        double bent = error_of(&pair, roll);
        CHECK_BELOW(bent, 0.35 * chord_error(&pair, roll));
        pair_free(&pair);
    }
}

static void test_curved(void) {
    TestMesh *mesh = mesh_grid(GRID_IRREGULAR, 50, 50, 2);
    mesh_crumple(mesh, 0.2);
    Pair pair = pair_of(mesh, 300);
    CHECK_BELOW(error_of(&pair, stay), 1e-7);
    CHECK_BELOW(error_of(&pair, move), 2e-6);
    pair_free(&pair);
}

/* Vertices that both have are the same to the bit, and frames of a rigid motion are its rotation. */
static void test_kept(void) {
    TestMesh *mesh = mesh_grid(GRID_QUADS, 20, 20, 1);
    mesh_crumple(mesh, 0.1);
    Pair pair = pair_of(mesh, 60);
    error_of(&pair, move);
    for (int v = 0; v < pair.embedding.coarse_count; ++v) {
        int at = pair.coarse.source[v];
        CHECK(vec3_distance(pair.fine[at], pair.x[v]) == 0);
        Frame frame = embedding_frame(&pair.embedding, at);
        Vec3 turned = guess_rotate(vec3(0.7, -1.2, 2.1), vec3(1, 2, 3));
        CHECK_BELOW(vec3_distance(frame_apply(&frame, vec3(1, 2, 3)), turned), 1e-6);
    }
    pair_free(&pair);
}

/* One that has gone beyond a corner is nearest to that, and yet does not lie on it. */
static void test_beyond_corner(void) {
    const float fine[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, -0.1f, -0.2f, 0.3f};
    const int32_t sizes[] = {3}, faces[][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}};
    Pool *pool = pool_create(1);
    for (int place = 0; place < 3; ++place) { /* of the corner among the three */
        CoarsePlace places[4] = {
            {{0, 0, 0}, {1, 0, 0}}, {{1, 1, 1}, {1, 0, 0}}, {{2, 2, 2}, {1, 0, 0}}};
        for (int k = 0; k < 3; ++k) {
            places[3].vertices[k] = faces[place][k];
            places[3].weights[k] = faces[place][k] == 0;
        }
        PolygonMesh mesh = {.vertex_count = 3,
                            .face_count = 1,
                            .positions = fine,
                            .face_sizes = sizes,
                            .face_vertices = faces[0]};
        PolygonMesh more = mesh;
        more.vertex_count = 4;
        CoarseMesh coarse = {.polygons = mesh, .places = places};
        Embedding embedding;
        Store store = {0};
        Vec3 x[3], found[4], at = polygon_position(&more, 3);
        CHECK_INT(embedding_build(&more, &coarse, &store, &embedding), 0);
        for (int v = 0; v < 3; ++v) {
            x[v] = move(polygon_position(&mesh, v));
        }
        embedding_set_frames(&embedding, pool, x);
        embedding_apply(&embedding, pool, x, found);
        CHECK_BELOW(vec3_distance(found[3], move(at)), 1e-6);
        CHECK(vec3_distance(found[1], x[1]) == 0);
        store_release(&store);
    }
    pool_destroy(pool);
}

static void test_velocities(void) {
    Pair pair = pair_of(mesh_grid(GRID_QUADS, 30, 30, 1), 100);
    for (int v = 0; v < pair.embedding.coarse_count; ++v) {
        Vec3 at = polygon_position(&pair.coarse.polygons, v);
        pair.x[v] = vec3(1 + at.x, 2 - at.y, 3 * at.x);
    }
    embedding_apply_to_velocities(&pair.embedding, pair.pool, pair.x, pair.fine);
    for (int v = 0; v < pair.embedding.fine_count; ++v) {
        Vec3 at = polygon_position(&pair.mesh->polygons, v);
        CHECK_BELOW(vec3_distance(pair.fine[v], vec3(1 + at.x, 2 - at.y, 3 * at.x)), 1e-6);
    }
    pair_free(&pair);
}

int main(void) {
    random_start(7);
    test_flat();
    test_curved();
    test_kept();
    test_beyond_corner();
    test_velocities();
    return check_result();
}
