/* What vertices need not ask a moving body, lists that threads fill side by side, and places inside of long edges. */
#include <stdlib.h>
#include <string.h>

#include "base/slices.h"
#include "check.h"
#include "contact/body/sample_contact.h"
#include "meshes.h"
#include "shapes.h"

#define LENGTH (1.0 / 48)

/* --- limbs --------------------------------------------------------------------------------- */

/* A sphere that goes, turns and swells. */
static void move_ball(const Shape *shape, Vec3 *end) {
    for (int v = 0; v < shape->vertex_count; ++v) {
        Vec3 x = shape->x[v];
        end[v] = vec3(1.1 * x.x - 0.2 * x.y + 0.02, 0.2 * x.x + 1.1 * x.y, x.z - 0.01);
    }
}

/* However a point goes, it ends at least as far away as is said, and has come nearer by no more. */
static void check_bounds(void) {
    Shape *shape = shape_new();
    Store store = {0};
    Status status;
    Collider body;
    shape_add_sphere(shape, vec3(0, 0, 0), 0.2, 20);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&body, &definition, &store, &status), STATUS_OK);
    CHECK(body.limbs.count > 20);
    Vec3 *end = calloc((size_t)shape->vertex_count, sizeof *end);
    move_ball(shape, end);
    int told = 0;
    for (int i = 0; i < 400; ++i) {
        Vec3 x =
            vec3_scale(random_between(0.2, 0.3), vec3_unit_or(random_vector(1), vec3(0, 0, 1)));
        Vec3 z = vec3_add(vec3_madd(x, 0.1, random_vector(0.2)), vec3(0.02, 0, 0));
        Hit before, after;
        collider_set_frame(&body, shape->x, end);
        collider_move(&body, NULL, 0, 0);
        double clearance = collider_closest(&body, x, 1, &before) ? before.signed_distance : 0.0;
        collider_move(&body, NULL, 0, 1);
        LimbBound bound = limbs_bound(&body.limbs, x, z, clearance, 0.08, 0.05);
        double distance = collider_closest(&body, z, 1, &after) ? after.signed_distance : 0.0;
        if (clearance > 0) { /* the rest begins inside, between the facets and the sphere */
            CHECK_BELOW(bound.distance, distance + 1e-12);
            CHECK(distance > 0.05 || clearance - distance <= bound.approach + 1e-12);
            told += bound.distance > 0.01;
        }
    }
    CHECK(told > 40);
    free(end);
    free(shape);
    store_release(&store);
}

/* What goes along with a body is not approached by it. */
static void check_company(void) {
    Shape *shape = shape_new();
    Store store = {0};
    Status status;
    Collider body;
    shape_add_sphere(shape, vec3(0, 0, 0), 0.2, 20);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&body, &definition, &store, &status), STATUS_OK);
    Vec3 *end = calloc((size_t)shape->vertex_count, sizeof *end), way = vec3(0.3, 0, 0.1);
    for (int v = 0; v < shape->vertex_count; ++v) {
        end[v] = vec3_add(shape->x[v], way);
    }
    collider_set_frame(&body, shape->x, end);
    collider_move(&body, NULL, 0, 1);
    Vec3 x = vec3(0, 0, 0.22), far = vec3(0, 5, 0);
    LimbBound bound = limbs_bound(&body.limbs, x, vec3_add(x, way), 0.02, 0.04, 0.03);
    CHECK_NEAR(bound.distance, 0.02, 1e-12);
    CHECK_BELOW(bound.approach, 1e-12);
    bound = limbs_bound(&body.limbs, far, far, 0.02, 0.04, 0.03);
    CHECK_NEAR(bound.distance, 0.04, 0);
    CHECK_NEAR(bound.approach, 0, 0);
    free(end);
    free(shape);
    store_release(&store);
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

/* A coarse sheet a little above a ball as large as its cells: where its corners are as far away as they should be, the
 * middles of its edges are not. */
static int sample_ball(int threads, double height, Contacts *contacts) {
    Store store = {0};
    Status status;
    Mesh mesh;
    Skin skin;
    Collider body, *bodies[1] = {&body};
    Pool *pool = pool_create(threads);
    TestMesh *test = mesh_grid(GRID_ALTERNATING, 9, 9, 0.32); /* cells of 4 cm */
    mesh_build(&test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH}, &store, &mesh,
               &status);
    CHECK_INT(skin_build(&skin, &mesh, SKIN_BOTH_CUTS, &store, &status), STATUS_OK);
    Shape *shape = shape_new();
    shape->thickness = 0.004;
    shape_add_sphere(shape, vec3(0, 0, -0.06), 0.06, 24);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&body, &definition, &store, &status), STATUS_OK);
    Vec3 *x = STORE_ARRAY(&store, Vec3, skin.vertex_count);
    for (int v = 0; v < skin.vertex_count; ++v) {
        x[v] = vec3_add(mesh.rest[v], vec3(-0.14, -0.16, height));
    }
    VertexContactFinder vertices;
    SampleContactFinder samples;
    CHECK_INT(vertex_contact_build(&vertices, skin.vertex_count, &store, &status), STATUS_OK);
    CHECK_INT(sample_contact_build(&samples, &skin, &store, &status), STATUS_OK);
    CHECK_INT(contacts_build(contacts, skin.vertex_count, skin.vertex_count, &status), STATUS_OK);
    BodySubstep substep = body_substep(bodies, 1, x, LENGTH);
    contacts_begin(contacts, x, &(Flight){0}, LENGTH);
    vertex_contact_measure(&vertices, pool, &substep);
    vertex_contact_begin(&vertices, pool, &substep, x, contacts);
    int before = contacts->count;
    sample_contact_find(&samples, pool, &substep, &vertices, x, true, contacts);
    int anew = contacts->count;
    sample_contact_find(&samples, pool, &substep, &vertices, x, false, contacts);
    CHECK_INT(contacts->count - anew, anew - before); /* what is near is found again */
    contacts_take_back(contacts, CONTACT_BODY, anew - before);
    for (int c = before; c < contacts->count; ++c) {
        const Contact *contact = &contacts->list[c];
        Vec3 at = vec3(0, 0, 0);
        double sum = 0;
        for (int j = 0; j < contact->count; ++j) {
            at = vec3_madd(at, contact->weights[j], x[contact->vertices[j]]);
            sum += contact->weights[j];
        }
        CHECK_NEAR(sum, 1, 1e-12);
        CHECK(contact->count == 2 || contact->count == 3);
        CHECK_NEAR(contact->shell, 0.002, 1e-12);
        Vec3 away = vec3_sub(at, vec3(0, 0, -0.06)); /* facets are a little inside of the sphere */
        double distance = vec3_dot(contact->normal, vec3_sub(at, contact->point));
        CHECK_NEAR(distance, vec3_length(away) - 0.06, 4e-4);
        CHECK(distance < 0.0031);
        CHECK(vec3_dot(contact->normal, away) > 0.99 * vec3_length(away));
    }
    int found = contacts->count - before;
    sample_contact_destroy(&samples);
    free(shape);
    mesh_free(test);
    pool_destroy(pool);
    store_release(&store);
    return found;
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
    check_slices(1);
    check_slices(3);
    check_samples();
    return check_result();
}
