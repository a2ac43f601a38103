/* The contacts of the cloth's triangles and edges with what is sharp about a body: sides, crossings, ways around. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/body/feature_contact.h"
#include "geometry/distance.h"
#include "meshes.h"

#define LENGTH (1.0 / 48) /* s */
#define THICKNESS 0.004   /* of the bodies, m */

static Shape *thick_shape(void) {
    Shape *shape = shape_new();
    shape->thickness = THICKNESS;
    return shape;
}

/* --- contacts with it ------------------------------------------------------------------------- */

typedef struct Scene {
    Store store;
    Pool *pool;
    TestMesh *test;
    Mesh mesh;
    Skin skin;
    Collider collider;
    Collider *bodies[2];
    Sharp sharp;
    Sharp *sharps[2];
    FeatureContactFinder finder;
    Contacts contacts;
    FeatureSubstep substep;
    int knows; /* as vertices do: how far they are from the body, and by how much they may have come nearer */
    bool once; /* as substeps do that look for contacts in one place only */
    double *known, *approach, *clearance;
    Vec3 *x, *z;
} Scene;

/* Takes mesh and shape over; the body moves by `way`. The cloth stands at its rest shape. */
static void scene_open(Scene *scene, TestMesh *test, Shape *shape, Vec3 way, double longest,
                       int threads) {
    Status status;
    *scene = (Scene){.pool = pool_create(threads), .test = test};
    Store *store = &scene->store;
    mesh_build(&test->polygons, MESH_WHOLE, &(MeshOptions){.pattern = PATTERN_MESH}, store,
               &scene->mesh, &status);
    CHECK_INT(skin_build(&scene->skin, &scene->mesh, SKIN_BOTH_CUTS, store, &status), STATUS_OK);
    ColliderDefinition definition = shape_definition(shape);
    CHECK_INT(collider_build(&scene->collider, &definition, store, &status), STATUS_OK);
    CHECK_INT(sharp_build(&scene->sharp, &scene->collider, longest, store, &status), STATUS_OK);
    CHECK_INT(feature_contact_build(&scene->finder, &scene->skin, store, &status), STATUS_OK);
    CHECK_INT(contacts_build(&scene->contacts, scene->skin.vertex_count, scene->skin.vertex_count,
                             &status),
              STATUS_OK);
    scene->bodies[1] = &scene->collider; /* the first is missing */
    scene->sharps[1] = &scene->sharp;
    scene->x = STORE_ARRAY(store, Vec3, scene->skin.vertex_count);
    scene->z = STORE_ARRAY(store, Vec3, scene->skin.vertex_count);
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        scene->x[v] = scene->z[v] = scene->mesh.rest[v];
    }
    Vec3 *end = calloc((size_t)shape->vertex_count, sizeof *end);
    for (int v = 0; v < shape->vertex_count; ++v) {
        end[v] = vec3_add(shape->x[v], way);
    }
    collider_set_frame(&scene->collider, shape->x, end);
    collider_move(&scene->collider, scene->pool, 0, 1);
    free(end);
    free(shape);
}

static void scene_close(Scene *scene) {
    feature_contact_destroy(&scene->finder);
    contacts_destroy(&scene->contacts);
    pool_destroy(scene->pool);
    store_release(&scene->store);
    mesh_free(scene->test);
}

static void tell_vertices(Scene *scene) {
    int count = scene->skin.vertex_count;
    scene->known = STORE_ARRAY(&scene->store, double, count);
    scene->approach = STORE_ARRAY(&scene->store, double, count);
    for (int i = 0; i < count; ++i) {
        Hit hit;
        bool near = collider_closest(&scene->collider, scene->z[i], 0.04, &hit);
        scene->known[i] = near ? hit.signed_distance : 0.04;
        double clearance = collider_closest(&scene->collider, scene->x[i], 0.04, &hit)
                               ? hit.signed_distance - 0.004 /* which is how far the body moves */
                               : 0.036;
        scene->approach[i] = clusters_bound(&scene->collider.clusters, scene->x[i], scene->z[i],
                                            clearance, 0.04, 0.03)
                                 .approach;
    }
    scene->substep.known = scene->known;
    scene->substep.approach = scene->approach;
    scene->substep.expected = scene->z;
    scene->substep.sight = 0.04;
}

static void find(Scene *scene) {
    scene->substep = (FeatureSubstep){.bodies = scene->bodies,
                                      .sharp = scene->sharps,
                                      .body_count = 2,
                                      .x = scene->x,
                                      .length = LENGTH,
                                      .once = scene->once,
                                      .clearance = scene->clearance};
    if (scene->knows) {
        tell_vertices(scene);
    }
    contacts_begin(&scene->contacts, NULL, scene->x, &(Flight){0}, LENGTH);
    feature_contact_begin(&scene->finder, scene->pool, &scene->substep, scene->z);
    feature_contact_find(&scene->finder, scene->pool, &scene->substep, scene->z, &scene->contacts);
    contacts_close(&scene->contacts, scene->pool, scene->z);
}

/* The contact of this many vertices, and how many there are. */
static int count_of(const Scene *scene, int vertices, const Contact **contact) {
    int count = 0;
    for (int c = 0; c < scene->contacts.count; ++c) {
        if (scene->contacts.list[c].count == vertices) {
            *contact = &scene->contacts.list[c];
            ++count;
        }
    }
    return count;
}

/* A pyramid whose tip is the origin. */
static Shape *spike(void) {
    Shape *shape = thick_shape();
    shape_add_vertex(shape, -0.02, -0.02, -0.2);
    shape_add_vertex(shape, 0.02, -0.02, -0.2);
    shape_add_vertex(shape, 0.02, 0.02, -0.2);
    shape_add_vertex(shape, -0.02, 0.02, -0.2);
    shape_add_vertex(shape, 0, 0, 0);
    shape_add_quad(shape, 3, 2, 1, 0);
    for (int i = 0; i < 4; ++i) {
        shape_add_triangle(shape, i, (i + 1) % 4, 4);
    }
    return shape;
}

/* A large triangle; its middle is the origin. */
static TestMesh *triangle(void) {
    TestMesh *test = mesh_new();
    mesh_add_vertex(test, 0.2, 0, 0);
    mesh_add_vertex(test, -0.1, 0.15, 0);
    mesh_add_vertex(test, -0.1, -0.15, 0);
    mesh_add_triangle(test, 0, 1, 2);
    return test;
}

static void place(Scene *scene, Vec3 start, Vec3 end) {
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        scene->x[v] = vec3_add(scene->mesh.rest[v], start);
        scene->z[v] = vec3_add(scene->mesh.rest[v], end);
    }
}

static double gap_at(const Contact *contact, const Vec3 *z) {
    Vec3 sum = vec3(0, 0, 0);
    for (int j = 0; j < contact->count; ++j) {
        sum = vec3_madd(sum, contact->weights[j], z[contact->vertices[j]]);
    }
    return vec3_dot(contact->normal, vec3_sub(sum, contact->point)) - contact->shell;
}

static void check_corner(void) {
    Scene scene;
    const Contact *contact = NULL;
    scene_open(&scene, triangle(), spike(), vec3(0, 0, 0), 0.3, 1);
    CHECK_INT(scene.sharp.corner.count, 5);
    /* over the tip */
    place(&scene, vec3(0, 0, 0.003), vec3(0, 0, 0.001));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 1);
    CHECK_INT(scene.contacts.body_count, scene.contacts.count);
    if (contact) {
        for (int j = 0; j < 3; ++j) {
            CHECK_INT(contact->vertices[j], j);
            CHECK_NEAR(contact->weights[j], 1.0 / 3, 1e-6);
        }
        CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, 1)), 1e-9);
        CHECK_BELOW(vec3_distance(contact->point, vec3(0, 0, 0)), 1e-12);
        CHECK_NEAR(contact->shell, THICKNESS / 2, 1e-12);
        CHECK_NEAR(gap_at(contact, scene.z), 0.001 - contact->shell, 1e-9);
        CHECK_NEAR(contact->friction, 0.4, 0);
    }
    /* through it from above: back to where it came from; from inside of the solid: on its way out */
    contact = NULL;
    place(&scene, vec3(0, 0, 0.003), vec3(0, 0, -0.03));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 1);
    if (contact) {
        CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, 1)), 1e-9);
        CHECK_NEAR(gap_at(contact, scene.z), -0.03 - contact->shell, 1e-9);
    }
    place(&scene, vec3(0, 0, -0.003), vec3(0, 0, 0.03));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 0);
    /* around it, and into the solid below the tip: out over the tip */
    contact = NULL;
    place(&scene, vec3(0.5, 0, 0.001), vec3(0, 0, -0.003));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 1);
    if (contact) {
        CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, 1)), 1e-9);
        CHECK(contact->shell < 0); /* gently: it was not there before */
    }
    /* too far; beside the triangle; and too near from the start: the shell is what it had, and grows */
    place(&scene, vec3(0, 0, 0.02), vec3(0, 0, 0.02));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 0);
    place(&scene, vec3(0.25, 0, 0.001), vec3(0.25, 0, 0.001));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 0);
    place(&scene, vec3(0, 0, 1e-5), vec3(0, 0, 1e-5));
    scene.bodies[1]->thickness = 0.1;
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 1);
    CHECK(contact->shell > 1e-5 && contact->shell < 2 * LENGTH && contact->shell < 0.05);
    scene_close(&scene);
}

/* A tip that rises: the contact moves with it. */
static void check_rising(void) {
    Scene scene;
    const Contact *contact = NULL;
    scene_open(&scene, triangle(), spike(), vec3(0, 0.003, 0.03), 0.3, 1);
    place(&scene, vec3(0, 0, 0.003), vec3(0, 0, 0.003));
    find(&scene);
    CHECK_INT(count_of(&scene, 3, &contact), 1);
    if (contact) {
        CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, 1)), 1e-9);
        CHECK_BELOW(vec3_distance(contact->point, vec3(0, 0.003, 0.03)), 1e-12);
        CHECK_BELOW(vec3_distance(contact->way, vec3(0, 0.003, 0.03)), 1e-12);
    }
    scene_close(&scene);
}

/* A rope over the edge of a plate, which is a rim along y at x = 0.2. */
static void check_edge(void) {
    Scene scene;
    const Contact *contact = NULL;
    Shape *plate = thick_shape();
    shape_add_sheet(plate, 0.2, 0, 1);
    scene_open(&scene, mesh_rope(2, 0.1), plate, vec3(0, 0, 0), 0.1, 1);
    CHECK_INT(scene.sharp.edge.count, 4);
    /* laid across the rim: a quarter of it is over the plate */
    place(&scene, vec3(0.175, 0.03, 0.003), vec3(0.175, 0.03, 0.001));
    find(&scene);
    CHECK_INT(scene.contacts.count, 1);
    CHECK_INT(count_of(&scene, 2, &contact), 1);
    if (contact) {
        CHECK_NEAR(contact->weights[0], 0.75, 1e-6);
        CHECK_NEAR(contact->weights[1], 0.25, 1e-6);
        CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, 1)), 1e-6);
        CHECK_BELOW(vec3_distance(contact->point, vec3(0.2, 0.03, 0)), 1e-7);
        CHECK_NEAR(contact->shell, THICKNESS / 2, 1e-12);
    }
    for (int side = -1; side <= 1; side += 2) {
        contact = NULL;
        place(&scene, vec3(0.15, 0.03, side * 0.002), vec3(0.15, 0.01, -side * 0.03));
        find(&scene);
        CHECK_INT(count_of(&scene, 2, &contact), 1);
        if (contact) {
            CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, side)), 1e-6);
        }
    }
    /* around the rim: it passes the plate's height outside of it */
    contact = NULL;
    place(&scene, vec3(0.45, 0.03, 0.001), vec3(0.15, 0.03, -0.003));
    find(&scene);
    CHECK_INT(count_of(&scene, 2, &contact), 1);
    if (contact) {
        CHECK_BELOW(vec3_distance(contact->normal, vec3(0, 0, -1)), 1e-6);
    }
    /* a vertex's business: the rope's end is nearest */
    place(&scene, vec3(0.201, 0.03, 0.001), vec3(0.201, 0.03, 0.001));
    find(&scene);
    CHECK_INT(scene.contacts.count, 0);
    scene_close(&scene);
}

/* --- threads ---------------------------------------------------------------------------------- */

/* On any number of threads, and where pairs are looked for in one place only, contacts are the same to the bit; of pairs
 * there are then fewer. */
static void check_threads(void) {
    Contact *kept = NULL;
    int count = 0, pairs = 0;
    for (int run = 1; run <= 4; ++run) {
        Scene scene;
        bool once = run == 4;
        random_start(4);
        Shape *shape = thick_shape();
        for (int i = 0; i < 5; ++i) {
            double x = 0.2 * i;
            shape_add_box(shape, vec3(x, 0.3, -0.1), vec3(x + 0.11, 0.7, 0.0));
        }
        scene_open(&scene, mesh_grid(GRID_IRREGULAR, 40, 40, 1.0), shape, vec3(0, 0, 0.01), 0.05,
                   once ? 2 : run);
        scene.once = once;
        for (int v = 0; v < scene.skin.vertex_count; ++v) {
            scene.x[v].z = 0.002;
            scene.z[v] = vec3_add(scene.x[v], random_vector(0.004));
        }
        find(&scene);
        if (!kept) {
            pairs = scene.finder.pairs.count;
            count = scene.contacts.count;
            kept = malloc((size_t)(count + 1) * sizeof *kept);
            memcpy(kept, scene.contacts.list, (size_t)count * sizeof *kept);
        }
        CHECK(count > 100);
        CHECK_INT(scene.contacts.count, count);
        CHECK(memcmp(kept, scene.contacts.list, (size_t)count * sizeof *kept) == 0);
        CHECK(once ? scene.finder.pairs.count < pairs : scene.finder.pairs.count == pairs);
        scene_close(&scene);
    }
    free(kept);
}

/* --- which pairs are found ------------------------------------------------------------------- */

/* A triangle or edge of the cloth, and a feature, at the substep's start and end. */
typedef struct Candidate {
    Vec3 own[2][3], other[2][2];
} Candidate;

static Candidate candidate_of(const Scene *scene, int item, int feature) {
    SkinItem own = skin_item(&scene->skin, item);
    Candidate both = {0};
    for (int time = 0; time < 2; ++time) {
        const Vec3 *cloth = time ? scene->z : scene->x, *at = scene->collider.at[time];
        for (int c = 0; c < own.corners; ++c) {
            both.own[time][c] = cloth[own.v[c]];
        }
        both.other[time][0] =
            at[own.corners == 2 ? scene->sharp.edges[feature][0] : scene->sharp.corners[feature]];
        both.other[time][1] =
            own.corners == 2 ? at[scene->sharp.edges[feature][1]] : both.other[time][0];
    }
    return both;
}

/* True if the two push each other at z or have passed each other, whoever looks for them: inner places are closest. */
static bool must_meet(const Candidate *both, bool on_edge, double shell) {
    MovingPoint own[3], other[2];
    Meeting meeting;
    for (int c = 0; c < 3; ++c) {
        own[c] = (MovingPoint){both->own[0][c], both->own[1][c]};
        other[c % 2] = (MovingPoint){both->other[0][c % 2], both->other[1][c % 2]};
    }
    if (on_edge) {
        SegmentPair near = closest_of_segments(both->own[1], both->other[1]);
        double s = near.parameters[0], t = near.parameters[1];
        bool inner = s > 1e-6 && s < 1 - 1e-6 && t > 1e-6 && t < 1 - 1e-6;
        CHECK(!inner || closest_is_inside(both->own[1], both->other[1]));
        return inner && (near.distance < shell || ccd_segments(own, other, &meeting));
    }
    TrianglePoint near = closest_on_triangle(both->other[1][0], both->own[1]);
    bool inner = near.feature == FEATURE_FACE;
    CHECK(!inner || closest_is_on_face(both->other[1][0], both->own[1]));
    return inner && (near.distance < shell || ccd_point_triangle(other[0], own, &meeting));
}

static int times_listed(const Scene *scene, int item, int feature) {
    bool on_edge = item >= scene->skin.triangle_count;
    int own = on_edge ? item - scene->skin.triangle_count : item, times = 0;
    const FeaturePairs *pairs = &scene->finder.pairs;
    for (int b = 0; b < pairs->patches.block_count; ++b) {
        const FeaturePair *list = pairs->list + pairs->slices.start[b];
        for (int p = 0; p < feature_pairs_of(pairs, b); ++p) {
            times +=
                list[p].on_edge == on_edge && list[p].cloth == own && list[p].feature == feature;
        }
    }
    return times;
}

/* Looks at every feature and every triangle and edge; returns how many have to be listed. */
static int check_listed(const Scene *scene) {
    int items = skin_item_count(&scene->skin), wanted = 0;
    for (int i = 0; i < items; ++i) {
        bool on_edge = i >= scene->skin.triangle_count;
        const SharpFeatures *features = on_edge ? &scene->sharp.edge : &scene->sharp.corner;
        for (int f = 0; f < features->count; ++f) {
            Candidate both = candidate_of(scene, i, f);
            if (features->chord[f] < scene->finder.pairs.longest[i] &&
                must_meet(&both, on_edge, 0.5 * scene->collider.thickness)) {
                CHECK_INT(times_listed(scene, i, f), 1);
                ++wanted;
            }
        }
    }
    return wanted;
}

/* Every pair that meets is listed, whoever looks for it in whatever company, and each once; also after vertices have gone
 * by as much as pairs are kept for. The body rises by `rise`, m. */
static void check_pairs(int knows, double rise) {
    Scene scene;
    Shape *shape = thick_shape();
    for (int k = 0; k < 3; ++k) {
        Vec3 low = vec3(0.3 * k - 0.3, 0.2 * k - 0.2, -0.1);
        shape_add_box(shape, low, vec3_add(low, vec3(0.02, 0.02, 0.1)));
    }
    scene_open(&scene, mesh_grid(GRID_MIXED, 70, 70, 1.0), shape, vec3(0, 0, rise), 0.05, 2);
    for (int i = 0; i < scene.skin.vertex_count; ++i) {
        scene.z[i] = vec3_add(scene.z[i], random_vector(0.004));
    }
    scene.knows = knows;
    find(&scene);
    int items = skin_item_count(&scene.skin), wanted = check_listed(&scene);
    CHECK(wanted > 5);
    CHECK(scene.finder.pairs.count >= wanted && scene.finder.pairs.count < items / 8);
    for (int round = 0; !knows && round < 3; ++round) { /* in the last one, some go too far */
        for (int i = 0; i < scene.skin.vertex_count; ++i) {
            Vec3 way = vec3_unit_or(random_vector(1), vec3(0, 0, 1));
            double far = round == 2 && i % 300 == 0 ? 0.004 : round == 1 ? 0.00199 : 0.0004;
            scene.z[i] = vec3_madd(scene.finder.pairs.expected[i], far, way);
        }
        contacts_clear(&scene.contacts);
        feature_contact_find(&scene.finder, scene.pool, &scene.substep, scene.z, &scene.contacts);
        CHECK(check_listed(&scene) > 5);
    }
    scene_close(&scene);
}

/* Each triangle and edge is in one patch, whose list has its vertices; blocks have all of their patches'. */
static void check_patches(GridKind kind, int side) {
    Scene scene;
    Shape *shape = thick_shape();
    shape_add_box(shape, vec3(-1, -1, -1), vec3(0, 0, 0));
    scene_open(&scene, mesh_grid(kind, side, side + 1, 1.0), shape, vec3(0, 0, 0), 0.1, 1);
    const FeaturePatches *patches = &scene.finder.pairs.patches;
    int items = skin_item_count(&scene.skin);
    uint8_t *seen = calloc((size_t)items, 1);
    for (int b = 0; b < patches->block_count; ++b) {
        for (int p = patches->block_patch[b]; p < patches->block_patch[b + 1]; ++p) {
            const FeaturePatch *patch = &patches->list[p];
            CHECK(patch->count > 0 && patch->count <= FEATURE_PATCH);
            CHECK_INT(patch->on_edge, patches->list[patches->block_patch[b]].on_edge);
            for (int i = patch->first; i < patch->first + patch->count; ++i) {
                SkinItem item = skin_item(&scene.skin, patches->items[i]);
                ++seen[patches->items[i]];
                CHECK_INT(item.corners, patch->on_edge ? 2 : 3);
                for (int c = 0; c < item.corners; ++c) {
                    int v = patches->vertices[patch->vertex + patches->corners[i][c]], times = 0;
                    CHECK_INT(v, item.v[c]);
                    for (int k = patches->block_start[b]; k < patches->block_start[b + 1]; ++k) {
                        times += patches->block_vertices[k] == v;
                    }
                    CHECK_INT(times, 1);
                }
            }
        }
    }
    for (int i = 0; i < items; ++i) {
        CHECK_INT(seen[i], 1);
    }
    CHECK_INT(patches->block_patch[patches->block_count], patches->count);
    free(seen);
    scene_close(&scene);
}

/* What slices hold stays theirs when some of them get more room. */
static void check_spread(void) {
    Store store = {0};
    Slices slices;
    int list[100];
    slices_build_each(&slices, 4, 20, &store);
    for (int s = 0; s < 4; ++s) {
        slices.used[s] = s == 1 ? 9 : s + 1;
        for (int k = 0; k < 5; ++k) {
            list[slices.start[s] + k] = 10 * s + k;
        }
    }
    int wanted = slices_wanted(&slices);
    CHECK(wanted >= 24 && wanted <= 100);
    slices_spread(&slices, list, sizeof *list);
    CHECK_INT(slices.start[4], wanted);
    CHECK_INT(slices_wanted(&slices), 0);
    for (int s = 0; s < 4; ++s) {
        CHECK(slices_room(&slices, s) >= slices.used[s]);
        for (int k = 0; s != 1 && k < slices.used[s]; ++k) {
            CHECK_INT(list[slices.start[s] + k], 10 * s + k);
        }
    }
    store_release(&store);
}

/* --- partly inside ------------------------------------------------------------------------------ */

/* Contacts of a triangle with the edges of a box whose upper right edge is the y axis. */
static int edge_contacts(const Vec3 corners[3], double *clearance) {
    TestMesh *test = mesh_new();
    for (int c = 0; c < 3; ++c) {
        mesh_add_vertex(test, corners[c].x, corners[c].y, corners[c].z);
    }
    mesh_add_triangle(test, 0, 1, 2);
    Shape *shape = thick_shape();
    shape_add_box(shape, vec3(-0.3, -0.3, -0.3), vec3(0, 0.3, 0));
    Scene scene;
    const Contact *contact;
    scene_open(&scene, test, shape, vec3(0, 0, 0), 0.5, 1);
    scene.clearance = clearance;
    find(&scene);
    int count = count_of(&scene, 2, &contact);
    scene_close(&scene);
    return count;
}

/* Cloth that passes through a face beside an edge is not pushed away from that into the solid while a corner of it is inside; cloth
 * that lies over the edge is pushed out as always. */
static void check_partly_inside(void) {
    double outside[3] = {0.02, 0.02, 0.02}, inside[3] = {0.02, -0.02, 0.02};
    const Vec3 through[3] = {{-0.002, 0, 0.02}, {-0.002, 0.01, -0.02}, {-0.002, 0.2, 0.02}};
    CHECK(edge_contacts(through, NULL) > 0);
    CHECK(edge_contacts(through, outside) > 0);
    CHECK_INT(edge_contacts(through, inside), 0);
    double elsewhere[3] = {-0.02, 0.02, 0.02}; /* behind another body's surface: not this one's */
    CHECK_INT(edge_contacts(through, elsewhere), edge_contacts(through, outside));
    const Vec3 over[3] = {{-0.05, 0, 0.052}, {0.052, 0.01, -0.05}, {0.1, 0.2, 0.1}};
    CHECK(edge_contacts(over, outside) > 0);
    CHECK_INT(edge_contacts(over, inside), edge_contacts(over, outside));
}

int main(void) {
    check_spread();
    check_patches(GRID_QUADS, 3);
    check_patches(GRID_MIXED, 30);
    check_pairs(0, 0.004);
    check_pairs(0, 0.03);
    check_pairs(1, 0.004);
    check_corner();
    check_rising();
    check_edge();
    check_threads();
    check_partly_inside();
    return check_result();
}
