/* What vertices need not ask a moving body, lists that threads fill side by side, and places inside of long edges. */
#include <stdlib.h>
#include <string.h>

#include "base/parallel.h"
#include "check.h"
#include "contact/body/sample_contact.h"
#include "meshes.h"

#define LENGTH (1.0 / 48)

/* --- clusters --------------------------------------------------------------------------------- */

/* A sphere of 20 cm about the origin. */
typedef struct Ball {
    Store store;
    Shape *shape;
    Collider body;
} Ball;

static void ball_open(Ball *ball, int segments) {
    Status status;
    *ball = (Ball){.shape = shape_new()};
    shape_add_sphere(ball->shape, vec3(0, 0, 0), 0.2, segments);
    ColliderDefinition definition = shape_definition(ball->shape);
    CHECK_INT(collider_build(&ball->body, &definition, &ball->store, &status), STATUS_OK);
}

static void ball_close(Ball *ball) {
    free(ball->shape);
    store_release(&ball->store);
}

/* A sphere that goes, turns and swells. */
static void move_ball(const Shape *shape, Vec3 *end) {
    for (int v = 0; v < shape->vertex_count; ++v) {
        Vec3 x = shape->x[v];
        end[v] = vec3(1.1 * x.x - 0.2 * x.y + 0.02, 0.2 * x.x + 1.1 * x.y, x.z - 0.01);
    }
}

/* However a point goes, it ends at least as far away as is said, and has come nearer by no more. */
static void check_bounds(void) {
    Ball ball;
    ball_open(&ball, 20);
    CHECK(ball.body.clusters.count > 20);
    Vec3 *end = calloc((size_t)ball.shape->vertex_count, sizeof *end);
    move_ball(ball.shape, end);
    int reported = 0;
    for (int i = 0; i < 400; ++i) {
        Vec3 x =
            vec3_scale(random_between(0.2, 0.3), vec3_unit_or(random_vector(1), vec3(0, 0, 1)));
        Vec3 z = vec3_add(vec3_madd(x, 0.1, random_vector(0.2)), vec3(0.02, 0, 0));
        Hit before, after;
        collider_set_frame(&ball.body, ball.shape->x, end);
        collider_move(&ball.body, NULL, 0, 0);
        double clearance =
            collider_closest(&ball.body, x, 1, &before) ? before.signed_distance : 0.0;
        collider_move(&ball.body, NULL, 0, 1);
        ClusterBound bound = clusters_bound(&ball.body.clusters, x, z, clearance, 0.08, 0.05);
        double distance = collider_closest(&ball.body, z, 1, &after) ? after.signed_distance : 0.0;
        if (clearance > 0) { /* the rest begins inside, between the facets and the sphere */
            CHECK_BELOW(bound.distance, distance + 1e-12);
            CHECK(distance > 0.05 || clearance - distance <= bound.approach + 1e-12);
            reported += bound.distance > 0.01;
        }
    }
    CHECK(reported > 40);
    free(end);
    ball_close(&ball);
}

/* What goes along with a body is not approached by it. */
static void check_company(void) {
    Ball ball;
    ball_open(&ball, 20);
    Vec3 *end = calloc((size_t)ball.shape->vertex_count, sizeof *end), way = vec3(0.3, 0, 0.1);
    for (int v = 0; v < ball.shape->vertex_count; ++v) {
        end[v] = vec3_add(ball.shape->x[v], way);
    }
    collider_set_frame(&ball.body, ball.shape->x, end);
    collider_move(&ball.body, NULL, 0, 1);
    Vec3 x = vec3(0, 0, 0.22), far = vec3(0, 5, 0);
    ClusterBound bound = clusters_bound(&ball.body.clusters, x, vec3_add(x, way), 0.02, 0.04, 0.03);
    CHECK_NEAR(bound.distance, 0.02, 1e-12);
    CHECK_BELOW(bound.approach, 1e-12);
    bound = clusters_bound(&ball.body.clusters, far, far, 0.02, 0.04, 0.03);
    CHECK_NEAR(bound.distance, 0.04, 0);
    CHECK_NEAR(bound.approach, 0, 0);
    free(end);
    ball_close(&ball);
}

/* Nor is what goes along while it turns about a place beside it, as a sleeve does on an arm that is raised. */
static void check_turn(void) {
    Ball ball;
    ball_open(&ball, 20);
    Vec3 *end = calloc((size_t)ball.shape->vertex_count, sizeof *end);
    Vec3 turn = vec3(0.01, 0.05, -0.02), pivot = vec3(0.5, 0, 0);
    for (int v = 0; v < ball.shape->vertex_count; ++v) {
        end[v] = vec3_add(ball.shape->x[v], vec3_cross(turn, vec3_sub(ball.shape->x[v], pivot)));
    }
    collider_set_frame(&ball.body, ball.shape->x, end);
    collider_move(&ball.body, NULL, 0, 1);
    for (int i = 0; i < 50; ++i) {
        Vec3 x = vec3_scale(0.22, vec3_unit_or(random_vector(1), vec3(0, 0, 1)));
        Vec3 z = vec3_add(x, vec3_cross(turn, vec3_sub(x, pivot)));
        ClusterBound bound = clusters_bound(&ball.body.clusters, x, z, 0.02, 0.04, 0.03);
        CHECK_BELOW(bound.approach, 1e-6);
        CHECK(bound.distance > 0.02 - 1e-6);
    }
    free(end);
    ball_close(&ball);
}

/* A cluster is one branch of the body's tree: none lies in two places far apart. */
static void check_clusters(void) {
    Ball ball;
    ball_open(&ball, 33);
    const Clusters *clusters = &ball.body.clusters;
    int triangles = 0;
    for (int c = 0; c < clusters->count; ++c) {
        const Box *box = &clusters->boxes[c];
        int own = clusters->first[c + 1] - clusters->first[c];
        CHECK(own > 0 && own <= 64);
        CHECK_BELOW(vec3_distance(box->low, box->high), 0.2);
        triangles += own;
    }
    CHECK_INT(triangles, ball.body.triangle_count);
    ball_close(&ball);
}

/* --- slices ----------------------------------------------------------------------------------- */

#define RANGE 5000

typedef struct Filling {
    Slices slices;
    int *list;
} Filling;

/* Every third number, some twice. */
static void fill(void *context, int begin, int end) {
    Filling *filling = context;
    int s = pool_chunk_at(begin), used = 0, room = slices_room(&filling->slices, s);
    for (int i = begin; i < end; ++i) {
        for (int k = 0; i % 3 == 0 && k < 1 + (i % 2); ++k) {
            if (used < room) {
                filling->list[filling->slices.start[s] + used] = i;
            }
            ++used;
        }
    }
    filling->slices.used[s] = used;
}

static void check_slices(int threads) {
    Store store = {0};
    Pool *pool = pool_create(threads);
    Filling filling = {.list = calloc(100, sizeof(int))};
    slices_build(&filling.slices, RANGE, 100, &store);
    int runs = 0, dropped, wanted;
    for (wanted = 1; wanted > 0 && runs < 9; ++runs) {
        pool_run(pool, RANGE, fill, &filling);
        wanted = slices_wanted(&filling.slices);
        if (wanted > 0) {
            filling.list = realloc(filling.list, (size_t)wanted * sizeof(int));
            slices_widen(&filling.slices);
        }
    }
    CHECK_INT(runs, 2);
    int count = slices_close(&filling.slices, filling.list, sizeof(int), &dropped), at = 0;
    CHECK_INT(dropped, 0);
    for (int i = 0; i < RANGE; ++i) {
        for (int k = 0; i % 3 == 0 && k < 1 + (i % 2); ++k) {
            CHECK(at < count && filling.list[at] == i);
            ++at;
        }
    }
    CHECK_INT(count, at);
    free(filling.list);
    pool_destroy(pool);
    store_release(&store);
}

/* --- places inside of edges ------------------------------------------------------------------- */

#define RADIUS 0.06

/* A coarse sheet a little above a ball as large as its cells: where its corners are as far away as they should be, the
 * middles of its edges are not. */
typedef struct Sheet {
    Store store;
    Mesh mesh;
    Skin skin;
    Collider body, *bodies[1];
    Pool *pool;
    TestMesh *test;
    Shape *shape;
    Vec3 *x, *z;
    VertexContactFinder vertices;
    SampleContactFinder samples;
    BodySubstep substep;
} Sheet;

/* Takes the shape over. */
static void sheet_open_over(Sheet *sheet, int threads, double height, Shape *shape) {
    Status status;
    *sheet = (Sheet){.pool = pool_create(threads), .shape = shape};
    sheet->test = mesh_grid(GRID_ALTERNATING, 9, 9, 0.32); /* cells of 4 cm */
    mesh_build(&sheet->test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH},
               &sheet->store, &sheet->mesh, &status);
    CHECK_INT(skin_build(&sheet->skin, &sheet->mesh, SKIN_BOTH_CUTS, &sheet->store, &status),
              STATUS_OK);
    sheet->shape->thickness = 0.004;
    ColliderDefinition definition = shape_definition(sheet->shape);
    CHECK_INT(collider_build(&sheet->body, &definition, &sheet->store, &status), STATUS_OK);
    sheet->bodies[0] = &sheet->body;
    int count = sheet->skin.vertex_count;
    sheet->x = STORE_ARRAY(&sheet->store, Vec3, count);
    sheet->z = STORE_ARRAY(&sheet->store, Vec3, count);
    for (int v = 0; v < count; ++v) {
        sheet->x[v] = vec3_add(sheet->mesh.rest[v], vec3(-0.14, -0.16, height));
    }
    CHECK_INT(vertex_contact_build(&sheet->vertices, count, &sheet->store, &status), STATUS_OK);
    CHECK_INT(sample_contact_build(&sheet->samples, &sheet->skin, &sheet->store, &status),
              STATUS_OK);
    sheet->substep = body_substep(sheet->bodies, 1, sheet->x, LENGTH);
}

static void sheet_open(Sheet *sheet, int threads, double height) {
    Shape *shape = shape_new();
    shape_add_sphere(shape, vec3(0, 0, -RADIUS), RADIUS, 24);
    sheet_open_over(sheet, threads, height, shape);
}

static void sheet_close(Sheet *sheet) {
    sample_contact_destroy(&sheet->samples);
    free(sheet->shape);
    mesh_free(sheet->test);
    pool_destroy(sheet->pool);
    store_release(&sheet->store);
}

/* Vertices and places, at x; returns how many contacts those before the places are. */
static int sheet_begin(Sheet *sheet, Contacts *contacts) {
    Status status;
    int count = sheet->skin.vertex_count;
    CHECK_INT(contacts_build(contacts, count, count, &status), STATUS_OK);
    contacts_begin(contacts, NULL, sheet->x, &(Flight){0}, LENGTH);
    vertex_contact_measure(&sheet->vertices, sheet->pool, &sheet->substep);
    vertex_contact_begin(&sheet->vertices, sheet->pool, &sheet->substep, sheet->x, contacts);
    int before = contacts->count;
    sample_contact_find(&sheet->samples, sheet->pool, &sheet->substep, &sheet->vertices, sheet->x,
                        true, contacts);
    return before;
}

static int sample_ball(int threads, double height, Contacts *contacts) {
    Sheet sheet;
    sheet_open(&sheet, threads, height);
    int before = sheet_begin(&sheet, contacts), anew = contacts->count;
    sample_contact_find(&sheet.samples, sheet.pool, &sheet.substep, &sheet.vertices, sheet.x, false,
                        contacts);
    CHECK_INT(contacts->count - anew, anew - before); /* what is near is found again */
    contacts->count = contacts->body_count = anew;
    for (int c = before; c < contacts->count; ++c) {
        const Contact *contact = &contacts->list[c];
        Vec3 at = vec3(0, 0, 0);
        double sum = 0;
        for (int j = 0; j < contact->count; ++j) {
            at = vec3_madd(at, contact->weights[j], sheet.x[contact->vertices[j]]);
            sum += contact->weights[j];
        }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK(contact->count == 2 || contact->count == 3);
        CHECK_NEAR(contact->shell, 0.002, 1e-12);
        /* facets are a little inside of the sphere */
        Vec3 away = vec3_sub(at, vec3(0, 0, -RADIUS));
        double distance = vec3_dot(contact->normal, vec3_sub(at, contact->point));
        CHECK_NEAR(distance, vec3_length(away) - RADIUS, 4e-4);
        CHECK(distance < 0.0031);
        CHECK(vec3_dot(contact->normal, away) > 0.99 * vec3_length(away));
    }
    int found = contacts->count - before;
    sheet_close(&sheet);
    return found;
}

static double distance_at(const Sheet *sheet, Vec3 at) {
    Hit hit;
    return collider_closest(&sheet->body, at, 1, &hit) ? hit.signed_distance : INFINITY;
}

/* True if the middle of this edge is reported. */
static bool is_reported(const Contacts *contacts, int from, const int *edge) {
    for (int c = from; c < contacts->count; ++c) {
        const Contact *contact = &contacts->list[c];
        if (contact->count == 2 && contact->place[1] == -1 && contact->vertices[0] == edge[0] &&
            contact->vertices[1] == edge[1]) {
            return true;
        }
    }
    return false;
}

/* Every middle of an edge that is near, and nearer than the ends, is reported, and no other. Returns how many there are. */
static int compare_middles(const Sheet *sheet, const Vec3 *z, const Contacts *contacts, int from) {
    int near = 0;
    for (int e = 0; e < sheet->skin.edge_count; ++e) {
        const int *edge = sheet->skin.edges[e];
        Vec3 a = z[edge[0]], b = z[edge[1]];
        double ends = fmin(distance_at(sheet, a), distance_at(sheet, b));
        double middle = distance_at(sheet, vec3_scale(0.5, vec3_add(a, b)));
        double margin = fmin(ends, 0.003) - middle; /* half of the thickness, and a millimetre */
        if (fabs(margin) > 1e-5) {
            CHECK_INT(is_reported(contacts, from, edge), margin > 0);
            near += margin > 0;
        }
    }
    return near;
}

/* Looked for anew, and again after the sheet has moved by some tenths of a millimetre: what is not searched for because
 * of what corners know, or places knew, is what is not told if all of them are. */
static void check_middles(void) {
    int near = 0;
    for (int i = 0; i < 60; ++i) {
        Sheet sheet;
        Contacts contacts;
        sheet_open(&sheet, 1, 0.0);
        Vec3 tilt = random_vector(0.1), shift = random_vector(0.03);
        for (int v = 0; v < sheet.skin.vertex_count; ++v) {
            Vec3 x = vec3_add(sheet.x[v], vec3_cross(tilt, sheet.x[v]));
            sheet.x[v] = vec3_add(x, vec3(shift.x, shift.y, -0.002 + 0.0001 * i));
        }
        int before = sheet_begin(&sheet, &contacts);
        near += compare_middles(&sheet, sheet.x, &contacts, before);
        for (int v = 0; v < sheet.skin.vertex_count; ++v) {
            sheet.z[v] = vec3_add(sheet.x[v], random_vector(4e-4));
        }
        contacts_clear(&contacts);
        vertex_contact_refresh(&sheet.vertices, sheet.pool, &sheet.substep, sheet.z, &contacts);
        before = contacts.count;
        sample_contact_find(&sheet.samples, sheet.pool, &sheet.substep, &sheet.vertices, sheet.z,
                            false, &contacts);
        near += compare_middles(&sheet, sheet.z, &contacts, before);
        contacts_destroy(&contacts);
        sheet_close(&sheet);
    }
    CHECK(near > 100);
}

/* A bump in a hollow: walls come near the ends of an edge, and by their normals nothing can be between. What was near
 * its middle before is near still. */
static void check_hollow(void) {
    Sheet sheet;
    Contacts contacts;
    Shape *shape = shape_new();
    shape_add_sphere(shape, vec3(0, 0, -0.02), 0.02, 24);
    int bump = shape->vertex_count;
    shape_add_box(shape, vec3(-0.046, -0.01, -0.03), vec3(-0.026, 0.01, 0.03));
    shape_add_box(shape, vec3(0.026, -0.01, -0.03), vec3(0.046, 0.01, 0.03));
    sheet_open_over(&sheet, 1, 0.002, shape);
    const int edge[2] = {4 * 9 + 3, 4 * 9 + 4};
    Vec3 *apart = calloc((size_t)shape->vertex_count, sizeof *apart);
    for (int v = 0; v < shape->vertex_count; ++v) {
        double out = v < bump ? 0 : shape->x[v].x > 0 ? 0.03 : -0.03;
        apart[v] = vec3_add(shape->x[v], vec3(out, 0, 0));
    }
    for (int near = 0; near < 2; ++near) {
        const Vec3 *places = near ? shape->x : apart;
        collider_set_frame(&sheet.body, places, places);
        collider_move(&sheet.body, NULL, 0, 1);
        int before = sheet_begin(&sheet, &contacts);
        CHECK_NEAR(distance_at(&sheet, sheet.x[edge[0]]), near ? 0.006 : 0.0097, 5e-4);
        CHECK(is_reported(&contacts, before, edge));
        contacts_destroy(&contacts);
    }
    free(apart);
    sheet_close(&sheet);
}

static void check_samples(void) {
    Contacts one, two;
    CHECK(sample_ball(1, 0.002, &one) > 0);
    CHECK(sample_ball(2, 0.002, &two) > 0);
    CHECK_INT(one.count, two.count);
    for (int c = 0; c < one.count && c < two.count; ++c) {
        const Contact *a = &one.list[c], *b = &two.list[c];
        CHECK(memcmp(a->weights, b->weights, sizeof a->weights) == 0);
        CHECK(memcmp(&a->point, &b->point, sizeof a->point) == 0);
    }
    contacts_destroy(&one);
    contacts_destroy(&two);
    CHECK_INT(sample_ball(1, 0.02, &one), 0); /* far away */
    contacts_destroy(&one);
}

int main(void) {
    random_start(3);
    check_bounds();
    check_company();
    check_turn();
    check_clusters();
    check_slices(1);
    check_slices(3);
    check_samples();
    check_middles();
    check_hollow();
    return check_result();
}
