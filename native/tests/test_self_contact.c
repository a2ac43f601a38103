/* Contact of cloth with itself: pairs against a walk over all of them, contacts against their definition,
 * sides that are kept, shells that are gentle, tangles that come undone. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "self_scene.h"

/* --- all pairs -------------------------------------------------------------------------------- */

static int has_pair(const SelfPairs *pairs, PairKind kind, int first, int second) {
    int found = 0;
    for (int i = 0; i < pairs->count; ++i) {
        const SelfPair *pair = &pairs->list[i];
        found += pair->kind == (int)kind && pair->first == first && pair->second == second;
    }
    return found;
}

static bool are_calm(const SelfPairs *pairs, int first, int second) {
    int others[1 + SWEPT_LANES] = {second}, disturbed[1 + 2 * SWEPT_LANES];
    return first != second && poses_disturbed(&pairs->table, first, others, 1, disturbed) == 0;
}

static double shell_by_hand(const Scene *scene, int a, int b, double rest, double thickness) {
    bool one_component = scene->skin.component[a] == scene->skin.component[b];
    return one_component && 0.8 * rest < thickness ? 0.8 * rest : thickness;
}

/* No pair keeps more than the thickness, the most its rest shape allows and what it can recover; and where it
 * lies as at rest it is not even looked at. */
static void check_shells(const Scene *scene, double thickness) {
    const SelfPairs *pairs = &scene->self.pairs;
    for (int i = 0; i < pairs->count; ++i) {
        const SelfPair *pair = &pairs->list[i];
        double rest, now;
        int a = pair->first, b;
        if (pair->kind == PAIR_VERTEX) {
            const Element *element = &pairs->links.elements.list[pair->second];
            rest = element_closest(element, scene->skin.rest, scene->skin.rest[a]).distance;
            now = element_closest(element, scene->x, scene->x[a]).distance;
            b = element->vertices[0];
        } else if (pair->kind == PAIR_EDGES) {
            const int *edge = scene->skin.edges[a], *other = scene->skin.edges[pair->second];
            rest = edges_closest(edge, other, scene->skin.rest).distance;
            now = edges_closest(edge, other, scene->x).distance;
            a = edge[0];
            b = other[0];
        } else {
            continue;
        }
        double shell = shell_by_hand(scene, a, b, rest, thickness);
        double recovered = now + pairs->recovery * LENGTH;
        CHECK_NEAR(self_pair_shell(pairs, pair, 1), recovered < shell ? recovered : shell, 1e-12);
        CHECK_NEAR(pair->shell, self_pair_shell(pairs, pair, 1), 1e-5);
        CHECK_BELOW(pair->shell, self_pair_shell(pairs, pair, 1) + 1e-9);
        CHECK(scene->skin.component[a] != scene->skin.component[b] ||
              (double)pair->shell + (double)pair->margin < 0.95 * rest + 1e-7);
    }
}

/* Pairs nearer than their shell at the start or the end must be there, once, unless they are calm or flat. */
static int check_vertex_pairs(const Scene *scene, double thickness) {
    const SelfPairs *pairs = &scene->self.pairs;
    int wanted = 0;
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        for (int e = 0; e < pairs->links.elements.count; ++e) {
            const Element *element = &pairs->links.elements.list[e];
            const int *c = element->vertices;
            int found = has_pair(pairs, PAIR_VERTEX, v, e);
            int owner = pairs->links.elements.vertex_owner[v];
            if (c[0] == v || c[1] == v || c[2] == v || owner < 0) {
                CHECK_INT(found, 0);
                continue;
            }
            double rest = element_closest(element, scene->skin.rest, scene->skin.rest[v]).distance;
            double shell = shell_by_hand(scene, v, c[0], rest, thickness);
            double start = element_closest(element, scene->x, scene->x[v]).distance;
            double end = element_closest(element, scene->z, scene->z[v]).distance;
            if ((start < shell || end < shell) && !are_calm(pairs, owner, e)) {
                CHECK_INT(found, 1);
                ++wanted;
            }
            CHECK(found <= 1);
        }
    }
    return wanted;
}

static int check_edge_pairs(const Scene *scene, double thickness) {
    const SelfPairs *pairs = &scene->self.pairs;
    int wanted = 0;
    for (int e = 0; e < scene->skin.edge_count; ++e) {
        for (int f = e + 1; f < scene->skin.edge_count; ++f) {
            const int *a = scene->skin.edges[e], *b = scene->skin.edges[f];
            int found = has_pair(pairs, PAIR_EDGES, e, f);
            if (a[0] == b[0] || a[0] == b[1] || a[1] == b[0] || a[1] == b[1]) {
                CHECK_INT(found, 0);
                continue;
            }
            double rest = edges_closest(a, b, scene->skin.rest).distance;
            double shell = shell_by_hand(scene, a[0], b[0], rest, thickness);
            double start = edges_closest(a, b, scene->x).distance;
            double end = edges_closest(a, b, scene->z).distance;
            shell = pairs->bends.flat[e] || pairs->bends.flat[f] ? 0 : shell;
            if ((start < shell || end < shell) &&
                !are_calm(pairs, pairs->links.elements.edge_owner[e],
                          pairs->links.elements.edge_owner[f])) {
                CHECK_INT(found, 1);
                ++wanted;
            }
            CHECK(found <= 1);
        }
    }
    return wanted;
}

static int check_piercings(const Scene *scene) {
    const SelfPairs *pairs = &scene->self.pairs;
    int wanted = 0;
    for (int e = 0; e < scene->skin.edge_count; ++e) {
        for (int t = 0; t < scene->skin.triangle_count; ++t) {
            const int *edge = scene->skin.edges[e], *c = scene->skin.triangles[t];
            int shares = 0;
            for (int k = 0; k < 3; ++k) {
                shares |= c[k] == edge[0] || c[k] == edge[1];
            }
            double s, w[3];
            int pierces =
                !shares && edge_pierces(edge, &pairs->links.elements.list[t], scene->x, &s, w);
            CHECK_INT(has_pair(pairs, PAIR_PIERCING, e, t), pierces);
            wanted += pierces;
            if (pierces) {
                Vec3 on_edge =
                    vec3_madd(scene->x[edge[0]], s, vec3_sub(scene->x[edge[1]], scene->x[edge[0]]));
                Vec3 corners[3] = {scene->x[c[0]], scene->x[c[1]], scene->x[c[2]]};
                CHECK_BELOW(closest_on_triangle(on_edge, corners).distance, 1e-9);
            }
        }
    }
    CHECK_INT(scene->self.piercings, wanted);
    return wanted;
}

static void check_all_pairs(void) {
    int vertices = 0, edges = 0, piercings = 0;
    for (int round = 0; round < 16; ++round) {
        TestMesh *mesh = mesh_random();
        mesh_add_vertex(mesh, 0.1, 0.1, 0.1); /* takes no part */
        Scene *scene = scene_open(mesh, 1);
        double size = round % 2 ? 0.25 : 0.1;
        for (int v = 0; v < scene->skin.vertex_count; ++v) {
            scene->x[v] = vec3_add(vec3_scale(0.4, scene->skin.rest[v]), random_vector(size));
            scene->z[v] = vec3_add(scene->x[v], random_vector(0.02));
        }
        contacts_begin(&scene->contacts, NULL, scene->x, &(Flight){0}, LENGTH);
        /* the pairs alone: tangles would still most of them */
        self_pairs_find(&scene->self.pairs, scene->pool, scene->x, NULL, scene->z, 0.04, 0.01,
                        LENGTH);
        check_shells(scene, 0.04);
        vertices += check_vertex_pairs(scene, 0.04);
        edges += check_edge_pairs(scene, 0.04);
        tangle_find(&scene->self.tangle, scene->pool, &scene->self.pairs);
        scene->self.piercings = scene->self.tangle.piercings;
        piercings += check_piercings(scene);
        scene_close(scene);
    }
    CHECK(vertices > 200 && edges > 500 && piercings > 100);
}

/* --- contacts --------------------------------------------------------------------------------- */

static void check_definition(const Scene *scene) {
    for (int c = 0; c < scene->contacts.count; ++c) {
        const Contact *contact = &scene->contacts.list[c];
        double above = 0, below = 0;
        for (int j = 0; j < contact->count; ++j) {
            *(contact->weights[j] > 0 ? &above : &below) += contact->weights[j];
            for (int k = 0; k < j; ++k) {
                CHECK(contact->vertices[j] != contact->vertices[k]);
            }
        }
        CHECK_NEAR(above, 1, 1e-12);
        CHECK_NEAR(below, -1, 1e-12);
        CHECK_NEAR(vec3_length(contact->normal), 1, 1e-9);
        CHECK_NEAR(vec3_length(contact->point) + vec3_length(contact->way), 0, 0);
    }
}

/* Of parts that have not crossed, the gap is their distance less the shell, to first order in any motion. */
static void check_gaps(void) {
    Scene *scene = scene_open(two_sheets(7, 0.06, 0.003), 1);
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        scene->x[v].z += random_between(-1.2e-3, 1.2e-3);
        scene->z[v] = vec3_add(scene->x[v], random_vector(1e-4));
    }
    find(scene, 0.004, 0.002);
    check_definition(scene);
    int vertices = 0, edges = 0;
    Vec3 moved[MOST];
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        moved[v] = vec3_add(scene->z[v], random_vector(1e-8));
    }
    for (int c = 0; c < scene->contacts.count; ++c) {
        const Contact *contact = &scene->contacts.list[c];
        Vec3 corners[2][4];
        double distance[2];
        for (int k = 0; k < 2; ++k) {
            for (int j = 0; j < contact->count; ++j) {
                corners[k][j] = (k ? moved : scene->z)[contact->vertices[j]];
            }
            distance[k] = contact->weights[0] == 1
                              ? closest_on_triangle(corners[k][0], corners[k] + 1).distance
                              : closest_of_segments(corners[k], corners[k] + 2).distance;
        }
        vertices += contact->weights[0] == 1;
        edges += contact->weights[0] != 1;
        CHECK_NEAR(gap_of(contact, scene->z), distance[0] - contact->shell, 1e-12);
        CHECK_NEAR(gap_of(contact, moved), distance[1] - contact->shell, 1e-12);
        CHECK_BELOW(distance[0], 0.004 + 1e-3);
    }
    CHECK(vertices > 30 && edges > 3);
    scene_close(scene);
}

/* Two sheets that are each other's image, vertex over vertex, at many turns: rounding decides there on which feature of
 * a triangle a vertex is nearest, and every one has to be reported all the same. */
static void check_images(void) {
    enum { SIDE = 7, COUNT = SIDE * SIDE, TURNS = 50 };
    double thickness = 0.004;
    TestMesh *mesh = mesh_grid(GRID_ALTERNATING, SIDE, SIDE, 0.3);
    for (int v = 0; v < COUNT; ++v) {
        const float *at = mesh->positions + 3 * v;
        mesh_add_vertex(mesh, (double)at[0], (double)at[1], 0.95 * thickness);
    }
    int faces = mesh->polygons.face_count;
    for (int f = 0; f < faces; ++f) {
        const int32_t *v = mesh->face_vertices + 3 * f;
        mesh_add_triangle(mesh, v[0] + COUNT, v[2] + COUNT, v[1] + COUNT);
    }
    Scene *scene = scene_open(mesh, 1);
    for (int turn = 0; turn < TURNS; ++turn) {
        double reported[2 * COUNT] = {0}, c = cos(0.37 * turn), s = sin(0.37 * turn);
        for (int v = 0; v < 2 * COUNT; ++v) {
            Vec3 at = scene->skin.rest[v];
            at = vec3(c * at.x - s * at.z, at.y, s * at.x + c * at.z);
            scene->x[v] = scene->z[v] = vec3(at.x, c * at.y - s * at.z, s * at.y + c * at.z);
        }
        find(scene, thickness, 0.002);
        for (int k = 0; k < scene->contacts.count; ++k) {
            const Contact *contact = &scene->contacts.list[k];
            for (int j = 0; j < contact->count; ++j) {
                reported[contact->vertices[j]] += fabs(contact->weights[j]);
            }
        }
        for (int v = 0; v < 2 * COUNT; ++v) {
            CHECK(reported[v] > 0.99);
        }
    }
    scene_close(scene);
}

/* What is on the other side at the end is pulled back to where it was. */
static void check_crossing(void) {
    for (int way = -1; way <= 1; way += 2) {
        Scene *scene = scene_open(two_sheets(5, 0.06, 0.006), 1);
        for (int v = 0; v < 50; ++v) {
            scene->x[v].z = v < 25 ? 0 : way * 0.006;
            scene->z[v] = scene->x[v];
            scene->z[v].z = v < 25 ? 0 : -way * 0.006;
        }
        find(scene, 0.004, 0.001);
        check_definition(scene);
        int held = 0, edges = 0;
        for (int c = 0; c < scene->contacts.count; ++c) {
            const Contact *contact = &scene->contacts.list[c];
            double gap = gap_of(contact, scene->z);
            CHECK_NEAR(gap, -0.006 - contact->shell, 1e-9);
            CHECK(gap_of(contact, scene->x) > 0);
            held += contact->weights[0] == 1;
            edges += contact->weights[0] != 1;
        }
        CHECK(held >= 25 && edges >= 25);
        scene_close(scene);
    }
}

/* A vertex that goes around the rim has crossed nothing. */
static void check_around_the_rim(void) {
    TestMesh *mesh = mesh_new();
    mesh_add_vertex(mesh, 0, 0, 0);
    mesh_add_vertex(mesh, 1, 0, 0);
    mesh_add_vertex(mesh, 0, 1, 0);
    mesh_add_triangle(mesh, 0, 1, 2);
    int v = mesh_add_vertex(mesh, -0.1, 0.3, 0.1), end = mesh_add_vertex(mesh, -0.1, 0.3, 1);
    mesh_add_edge(mesh, v, end);
    Scene *scene = scene_open(mesh, 1);
    scene->z[v] = vec3(0.1, 0.3, -0.2); /* in the triangle's plane it is at x = -0.03 */
    find(scene, 0.05, 0.01);
    for (int c = 0; c < scene->contacts.count; ++c) {
        CHECK(scene->contacts.list[c].weights[0] != 1);
    }
    scene->x[v] = vec3(0.1, 0.3, 0.1); /* through the middle */
    scene->z[v] = vec3(0.3, 0.3, -0.5);
    find(scene, 0.05, 0.01);
    int held = 0;
    for (int c = 0; c < scene->contacts.count; ++c) {
        const Contact *contact = &scene->contacts.list[c];
        held += contact->weights[0] == 1 && contact->normal.z > 0.99;
    }
    CHECK_INT(held, 1);
    scene_close(scene);
}

/* --- shells ----------------------------------------------------------------------------------- */

static void check_fine_mesh(void) {
    for (int kind = 0; kind < GRID_KINDS; ++kind) {
        Scene *scene = scene_open(mesh_grid((GridKind)kind, 15, 15, 0.014), 1);
        find(scene, 0.004, 0.002);
        CHECK_INT(scene->contacts.count, 0);
        for (int v = 0; v < scene->skin.vertex_count; ++v) { /* bent around a small cylinder */
            double angle = scene->skin.rest[v].x / 0.006;
            scene->x[v] = scene->z[v] =
                vec3(0.006 * sin(angle), scene->skin.rest[v].y, 0.006 * cos(angle));
        }
        find(scene, 0.004, 0.002);
        for (int c = 0; c < scene->contacts.count; ++c) {
            CHECK(gap_of(&scene->contacts.list[c], scene->z) >= 0);
        }
        for (int v = 0; v < scene->skin.vertex_count; ++v) {
            scene->x[v] = scene->z[v] = vec3_add(scene->skin.rest[v], random_vector(1e-3));
        }
        self_pairs_find(&scene->self.pairs, scene->pool, scene->x, NULL, scene->z, 0.004, 0.002,
                        LENGTH);
        CHECK(scene->self.pairs.count > 100);
        check_shells(scene, 0.004);
        scene_close(scene);
    }
}

static void check_gentle_shells(void) {
    Scene *scene = scene_open(two_sheets(9, 0.08, 0.001), 1);
    find(scene, 0.004, 0.002);
    CHECK(scene->contacts.count > 60);
    double step = SELF_RECOVERY * LENGTH;
    for (int c = 0; c < scene->contacts.count; ++c) {
        const Contact *contact = &scene->contacts.list[c];
        CHECK_BELOW(contact->shell, sum_of(contact, scene->x).z * contact->normal.z + step + 1e-6);
        CHECK(gap_of(contact, scene->z) >= -step - 1e-6 && contact->shell > 0.001);
    }
    for (int v = 81; v < 162; ++v) {
        scene->x[v].z = scene->z[v].z = 0.0039;
    }
    find(scene, 0.004, 0.002);
    CHECK(scene->contacts.count > 60);
    for (int c = 0; c < scene->contacts.count; ++c) {
        CHECK_NEAR(scene->contacts.list[c].shell, 0.004, 1e-9);
    }
    scene_close(scene);
}

/* Where only rims are near each other there is something still. */
static void check_rims(void) {
    Scene *scene = scene_open(two_sheets(5, 0.04, 0), 1);
    for (int v = 25; v < 50; ++v) {
        Vec3 own = scene->skin.rest[v - 25];
        scene->x[v] = scene->z[v] = vec3(own.x + 0.043, own.y + 0.003, 0);
    }
    find(scene, 0.004, 0.002);
    check_definition(scene);
    CHECK(scene->contacts.count >= 5 && scene->contacts.count <= 20);
    for (int c = 0; c < scene->contacts.count; ++c) {
        CHECK_NEAR(fabs(scene->contacts.list[c].normal.x), 1, 1e-6);
    }
    scene_close(scene);
}

/* Ropes that cross each other, and a rope across a rim. */
static void check_ropes(void) {
    TestMesh *mesh = mesh_rope(4, 0.3);
    int a = mesh_add_vertex(mesh, 0.15, -0.1, 0.003), b = mesh_add_vertex(mesh, 0.15, 0.1, 0.003);
    mesh_add_edge(mesh, a, b);
    Scene *scene = scene_open(mesh, 1);
    find(scene, 0.004, 0.002);
    CHECK_INT(scene->contacts.count, 1);
    CHECK_INT(scene->contacts.list[0].count, 4);
    CHECK_NEAR(fabs(scene->contacts.list[0].normal.z), 1, 1e-12);
    scene->z[a].y = scene->z[b].y = -1; /* gone: it has not crossed anything */
    find(scene, 0.004, 0.002);
    CHECK_INT(scene->contacts.count, 0);
    scene->z[a] = vec3(0.15, -0.1, -0.003);
    scene->z[b] = vec3(0.15, 0.1, -0.003);
    find(scene, 0.004, 0.002);
    CHECK_INT(scene->contacts.count, 1);
    CHECK_BELOW(gap_of(&scene->contacts.list[0], scene->z), -0.003);
    scene_close(scene);
}

/* --- threads and memory ----------------------------------------------------------------------- */

/* Enough leaves for several chunks; folded in half and crumpled. */
static Scene *folded_scene(int threads) {
    random_start(11);
    Scene *scene = scene_open(mesh_grid(GRID_ALTERNATING, 60, 60, 0.3), threads);
    for (int v = 0; v < scene->skin.vertex_count; ++v) {
        Vec3 rest = scene->skin.rest[v];
        double over = rest.x - 0.15;
        scene->x[v] = vec3(over < 0 ? rest.x : 0.15 - over, rest.y, over < 0 ? 0 : 0.002);
        scene->x[v] = vec3_add(scene->x[v], random_vector(1.3e-3));
        scene->z[v] = vec3_add(scene->x[v], random_vector(1e-3));
    }
    find(scene, 0.003, 0.001);
    return scene;
}

static void check_threads(void) {
    Scene *one = folded_scene(1);
    CHECK(one->contacts.count > 1000 && one->self.piercings > 0);
    CHECK(swept_tree_slices(&one->self.pairs.tree) > 1);
    for (int threads = 2; threads <= 3; ++threads) {
        Scene *many = folded_scene(threads);
        CHECK_INT(many->contacts.count, one->contacts.count);
        CHECK_INT(many->self.pairs.count, one->self.pairs.count);
        CHECK(memcmp(many->contacts.list, one->contacts.list,
                     (size_t)one->contacts.count * sizeof(Contact)) == 0);
        scene_close(many);
    }
    scene_close(one);
}

static int by_vertices(const void *first, const void *second) {
    const Contact *a = first, *b = second;
    int order = memcmp(a->vertices, b->vertices, sizeof a->vertices);
    return order ? order : memcmp(&a->normal, &b->normal, sizeof a->normal);
}

/* Contacts found by searching again only what moved on are those of a search from scratch. */
static void check_update(void) {
    Scene *scene = folded_scene(2), *fresh = folded_scene(1);
    for (int v = 0; v < scene->skin.vertex_count; ++v) { /* without tangles */
        double lift = scene->skin.rest[v].x < 0.15 ? 0.0 : 0.003;
        scene->x[v].z = fresh->x[v].z = scene->x[v].z + lift;
        scene->z[v].z = fresh->z[v].z = scene->z[v].z + lift;
    }
    find(scene, 0.005, 0.001);
    for (int round = 0; round < 6; ++round) {
        for (int v = 600 * round; v < 600 * (round + 1); ++v) { /* a band moves on */
            Vec3 way = vec3_add(random_vector(2e-3), vec3(0, 0, v % 2 ? 3e-3 : -3e-3));
            scene->z[v] = fresh->z[v] = vec3_add(scene->z[v], way);
        }
        contacts_clear(&scene->contacts);
        self_contact_update(&scene->self, scene->pool, scene->z);
        self_contact_find(&scene->self, scene->pool, scene->z, 0.3, &scene->contacts);
        find(fresh, 0.005, 0.001);
        int count = scene->contacts.count;
        CHECK_INT(count, fresh->contacts.count);
        CHECK_INT(scene->self.tangle.piercings + fresh->self.tangle.piercings, 0);
        CHECK(count > 1000);
        qsort(scene->contacts.list, (size_t)count, sizeof(Contact), by_vertices);
        qsort(fresh->contacts.list, (size_t)count, sizeof(Contact), by_vertices);
        int differing = 0;
        for (int c = 0; c < count; ++c) {
            const Contact *a = &scene->contacts.list[c], *b = &fresh->contacts.list[c];
            differing += memcmp(a->vertices, b->vertices, sizeof a->vertices) != 0 ||
                         memcmp(&a->normal, &b->normal, sizeof a->normal) != 0 ||
                         a->shell != b->shell;
        }
        CHECK_INT(differing, 0);
    }
    scene_close(scene);
    scene_close(fresh);
}

static void check_memory(void) {
    Scene *scene = folded_scene(2);
    int pairs = scene->self.pairs.capacity, contacts = scene->contacts.capacity;
    int active = scene->self.active_capacity;
    const void *list = scene->self.pairs.list;
    for (int round = 0; round < 3; ++round) {
        find(scene, 0.003, 0.001);
        CHECK_INT(scene->self.pairs.capacity, pairs);
        CHECK_INT(scene->contacts.capacity, contacts);
        CHECK_INT(scene->self.active_capacity, active);
        CHECK(scene->self.pairs.list == list);
        CHECK_INT(scene->self.pairs.dropped + scene->contacts.dropped, 0);
    }
    scene_close(scene);
}

/* --- tangles ---------------------------------------------------------------------------------- */

/* A bound of what the contacts add to a vertex' row of the second derivative: their weights add up to at most 2. */
static double stiffness_at(const Scene *scene, int v) {
    const Contacts *contacts = &scene->contacts;
    double sum = 0;
    for (int e = contacts->entry_start[v]; e < contacts->entry_start[v + 1]; ++e) {
        double along, across;
        contact_stiffness(&contacts->list[contacts->entry[e] / CONTACT_VERTICES], scene->z, &along,
                          &across);
        sum += 2 * (along > across ? along : across);
    }
    return sum;
}

/* Substeps without speed: each ends where moving and the contacts cost least, found by descent. */
static void settle(Scene *scene, double thickness) {
    double mass = scene->contacts.mass[0];
    Vec3 next[MOST] = {{0, 0, 0}};
    memcpy(scene->z, scene->x, sizeof scene->z);
    find(scene, thickness, 0.002);
    for (int round = 0; round < 60; ++round) {
        contacts_evaluate(&scene->contacts, scene->pool, scene->z);
        for (int v = 0; v < scene->skin.vertex_count; ++v) {
            Vec3 pull = vec3_madd(contacts_gradient(&scene->contacts, v), mass,
                                  vec3_sub(scene->z[v], scene->x[v]));
            next[v] = vec3_madd(scene->z[v], -1 / (mass + stiffness_at(scene, v)), pull);
        }
        memcpy(scene->z, next, sizeof scene->z);
    }
    memcpy(scene->x, scene->z, sizeof scene->x);
}

static void check_untangling(void) {
    Scene *scene = scene_open(two_sheets(9, 0.08, 0.002), 1);
    for (int v = 81; v < 162; ++v) { /* the upper sheet dips through the lower around its middle */
        double u = scene->x[v].x - 0.04, w = scene->x[v].y - 0.037;
        scene->x[v].z = 0.0025 - 0.006 * exp(-(u * u + w * w) / (2 * 0.012 * 0.012));
    }
    memcpy(scene->z, scene->x, sizeof scene->z);
    find(scene, 0.002, 0.002);
    check_definition(scene);
    CHECK(scene->self.piercings >= 8);
    int steps = 0;
    double fastest = 0;
    Vec3 before[MOST];
    while (scene->self.piercings > 0 && steps < 400) {
        memcpy(before, scene->x, sizeof before);
        settle(scene, 0.002);
        ++steps;
        for (int v = 0; v < 162; ++v) {
            double moved = vec3_distance(before[v], scene->x[v]);
            fastest = moved > fastest ? moved : fastest;
        }
    }
    CHECK_INT(scene->self.piercings, 0);
    CHECK_BELOW(steps, 300);
    CHECK_BELOW(fastest, 4 * SELF_RECOVERY * LENGTH);
    scene_close(scene);
}

/* An upright strip through a level sheet, three of its nine rows below: the contour runs across all of the strip, and is a slit
 * in the sheet. */
static Scene *strip_through_sheet(void) {
    Scene *scene = scene_open(two_sheets(9, 0.02, 0.002), 1);
    for (int v = 81; v < 162; ++v) {
        Vec3 rest = scene->skin.rest[v];
        scene->x[v] = vec3(0.006 + 0.4 * rest.x, 0.0093 + 0.02 * rest.y, rest.y - 0.006);
    }
    memcpy(scene->z, scene->x, sizeof scene->z);
    return scene;
}

static void check_cut_off(void) {
    Scene *scene = strip_through_sheet();
    const SelfPairs *pairs = &scene->self.pairs;
    const Flood *flood = &scene->self.tangle.flood;
    find(scene, 0.002, 0.002);
    CHECK(scene->self.piercings >= 8);
    for (int v = 0; v < 162; ++v) {
        CHECK_INT(flood->level[flood->region[v]], v >= 81 && scene->x[v].z < 0);
    }
    for (int i = 0; i < pairs->count; ++i) {
        if (pairs->list[i].kind == PAIR_PIERCING) {
            double up = flood_way(flood, pairs, &pairs->list[i]).z;
            up *= pairs->skin->edges[pairs->list[i].first][0] >= 81 ? 1 : -1;
            CHECK(up > 0.9); /* back through the sheet, whichever of the two the edge is of */
        }
    }
    for (int step = 0; step < 300 && scene->self.piercings > 0; ++step) {
        settle(scene, 0.002);
    }
    CHECK_INT(scene->self.piercings, 0);
    scene_close(scene);
}

int main(void) {
    random_start(3);
    check_all_pairs();
    check_gaps();
    check_images();
    check_crossing();
    check_around_the_rim();
    check_fine_mesh();
    check_gentle_shells();
    check_rims();
    check_ropes();
    check_threads();
    check_update();
    check_memory();
    check_untangling();
    check_cut_off();
    return check_result();
}
