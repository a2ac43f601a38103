/* Friction that remembers: turns of triangles against rotations, what sticks and what slides over many substeps, anchors
 * that go with their surface, which contact finds which, and the load of a contact that begins. */
#include <string.h>

#include "base/rotation.h"
#include "check.h"
#include "contact/contacts.h"
#include "contact/scale.h"

#define LENGTH (1.0 / 60) /* s */
#define SHELL 3e-3        /* m */
#define MASS 1e-3         /* kg */
#define PRESSURE 0.02     /* N */
#define FRICTION 0.4

static Pool *pool;

static Vec3 random_unit(void) { return vec3_unit_or(random_vector(1), vec3(0, 0, 1)); }

/* --- turns ------------------------------------------------------------------------------------ */

/* By Rodrigues' formula. */
static Vec3 rotated(Vec3 v, Vec3 axis, double angle) {
    Vec3 across = vec3_cross(axis, v);
    Vec3 sum = vec3_madd(vec3_scale(cos(angle), v), sin(angle), across);
    return vec3_madd(sum, (1 - cos(angle)) * vec3_dot(axis, v), axis);
}

static void check_turns(void) {
    for (int round = 0; round < 200; ++round) {
        Vec3 axis = random_unit(), shift = random_vector(1), v = random_vector(1);
        double angle = random_between(0, round % 2 ? 1.5 : 1e-6);
        Vec3 before[3], after[3], none = {0, 0, 0};
        for (int k = 0; k < 3; ++k) {
            before[k] = random_vector(0.1);
            after[k] = vec3_add(shift, rotated(before[k], axis, angle));
        }
        Vec3 turn = triangle_rotation(before, after);
        CHECK_BELOW(vec3_distance(turn, vec3_scale(sin(0.5 * angle), axis)), 1e-11);
        CHECK_BELOW(vec3_distance(rotate_by(turn, v), rotated(v, axis, angle)), 1e-11);
        CHECK(vec3_length(triangle_rotation(before, before)) ==
              0); /* to the bit: it stands still */
        before[2] = before[1];
        CHECK_BELOW(vec3_distance(triangle_rotation(before, after), none), 0.71);
        CHECK(vec3_is_finite(triangle_rotation(before, after)));
    }
    Vec3 side[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, back[3] = {{0, 0, 0}, {-1, 0, 0}, {0, -1, 0}};
    CHECK(vec3_length(triangle_rotation(side, back)) == 0); /* half a turn: nothing is known */
}

/* --- sticking and sliding --------------------------------------------------------------------- */

/* A vertex over the plane z = 0, in the middle of its shell. */
static Contact over_plane(void) {
    return (Contact){.count = 1,
                     .vertices = {0},
                     .weights = {1},
                     .normal = {0, 0, 1},
                     .shell = SHELL,
                     .range = CONTACT_GRIP_RANGE,
                     .friction = FRICTION};
}

static void open_contacts(Contacts *contacts, int vertex_count) {
    Status status;
    double mass[8];
    CHECK_INT(contacts_build(contacts, vertex_count, vertex_count, &status), STATUS_OK);
    for (int i = 0; i < vertex_count; ++i) {
        mass[i] = MASS;
    }
    contacts_set_masses(contacts, mass);
}

/* A substep from x with the contacts given, whose vertices bear the same as ever. */
static void begin(Contacts *contacts, const Vec3 *x, int count, const Contact *list) {
    for (int i = 0; i < contacts->vertex_count; ++i) {
        contacts->pressure[CONTACT_BODY][i] = contacts->pressure[CONTACT_SELF][i] = PRESSURE;
    }
    contacts_begin(contacts, NULL, x, &(Flight){0}, LENGTH);
    for (int c = 0; c < count; ++c) {
        contacts_add(contacts, CONTACT_BODY, &list[c]);
    }
    contacts_close(contacts, pool, x);
}

static Vec3 across(Vec3 pull, Vec3 normal) {
    return vec3_madd(pull, -vec3_dot(pull, normal), normal);
}

/* What friction pulls with at z, and how that is kept for the next substep. */
static Vec3 pull_at(Contacts *contacts, Vec3 z) {
    contacts_evaluate(contacts, pool, &z);
    return across(contacts_gradient(contacts, 0), contacts->list[0].normal);
}

static void end(Contacts *contacts, Vec3 z) {
    int pushing, self_pushing;
    contacts_end(contacts, &z, &pushing, &self_pushing);
    contacts_settle(contacts);
}

/* A load that friction holds moves its vertex once, in the first substep, and never again. */
static void check_sticking(void) {
    Contacts contacts;
    Contact contact = over_plane();
    Vec3 x = {0.1, 0.2, 0.5 * SHELL}, along = {0.6, -0.8, 0};
    open_contacts(&contacts, 1);
    begin(&contacts, &x, 1, &contact);
    double limit = contacts.list[0].limit;
    Vec3 z = vec3_madd(x, 1e-6, along), pull = pull_at(&contacts, z);
    CHECK(limit > 0 && vec3_length(pull) > 0 && vec3_length(pull) < limit);
    for (int substep = 0; substep < 1000; ++substep) {
        end(&contacts, z);
        begin(&contacts, &z, 1, &contact);
    }
    CHECK_BELOW(vec3_distance(pull_at(&contacts, z), pull), 1e-11 * vec3_length(pull));
    contacts_destroy(&contacts);
}

/* Beyond the limit the anchor follows: the pull is the limit as long as it slides, and where the vertex turns round it
 * first lets go of all the strain, then takes up as much the other way. */
static void check_sliding(void) {
    Contacts contacts;
    Contact contact = over_plane();
    Vec3 x = {0, 0, 0.5 * SHELL}, along = {0.6, -0.8, 0};
    open_contacts(&contacts, 1);
    begin(&contacts, &x, 1, &contact);
    double limit = contacts.list[0].limit, little = 1e-7;
    double grip = vec3_length(pull_at(&contacts, vec3_madd(x, little, along))) / little;
    double strain = limit / grip;
    for (int substep = 0; substep < 5; ++substep) {
        Vec3 z = vec3_madd(x, random_between(2, 100) * strain, along);
        CHECK_BELOW(vec3_distance(pull_at(&contacts, z), vec3_scale(limit, along)), 1e-9 * limit);
        end(&contacts, z);
        x = z;
        begin(&contacts, &x, 1, &contact);
        CHECK_BELOW(vec3_distance(pull_at(&contacts, x), vec3_scale(limit, along)), 1e-9 * limit);
    }
    Vec3 released = pull_at(&contacts, vec3_madd(x, -strain, along));
    CHECK_BELOW(vec3_length(released), 1e-9 * limit);
    Vec3 turned = pull_at(&contacts, vec3_madd(x, -5 * strain, along));
    CHECK_BELOW(vec3_distance(turned, vec3_scale(-limit, along)), 1e-9 * limit);
    contacts_destroy(&contacts);
}

/* A surface that turns takes anchor and strain along: a vertex that stands off it moves as if it were fixed to it. */
static void check_carrying(void) {
    for (int round = 0; round < 50; ++round) {
        Contacts contacts;
        Contact contact = over_plane();
        Vec3 axis = random_unit(), way = random_vector(0.01);
        double angle = random_between(-0.5, 0.5);
        Vec3 x = {0.1, 0.2, 0.5 * SHELL}, z = vec3_add(x, vec3(1e-6, 5e-7, 0));
        open_contacts(&contacts, 1);
        contact.point = vec3(0.1, 0.2, 0);
        begin(&contacts, &x, 1, &contact);
        Vec3 pull = pull_at(&contacts, z);
        end(&contacts, z);
        Vec3 moved = vec3_add(rotated(vec3_sub(z, contact.point), axis, angle),
                              vec3_add(contact.point, way));
        contact.point = vec3_add(contact.point, way);
        contact.way = way;
        contact.turn = vec3_scale(sin(0.5 * angle), axis);
        contact.normal = rotated(contact.normal, axis, angle);
        begin(&contacts, &z, 1, &contact);
        Vec3 wanted = rotated(pull, axis, angle);
        CHECK_BELOW(vec3_distance(pull_at(&contacts, moved), wanted), 1e-8 * vec3_length(pull));
        contacts_destroy(&contacts);
    }
}

/* --- who finds what --------------------------------------------------------------------------- */

/* An end outside of the reach of friction forgets. */
static void check_release(void) {
    Contacts contacts;
    Contact contact = over_plane();
    Vec3 x = {0, 0, 0.5 * SHELL}, away = {1e-6, 0, SHELL + 2 * CONTACT_GRIP_RANGE};
    open_contacts(&contacts, 1);
    begin(&contacts, &x, 1, &contact);
    Vec3 z = vec3(1e-6, 0, 0.5 * SHELL);
    CHECK(pull_at(&contacts, z).x > 0);
    end(&contacts, z);
    CHECK_INT(contacts.anchors.count, 1);
    begin(&contacts, &z, 1, &contact);
    end(&contacts, away);
    CHECK_INT(contacts.anchors.count, 0);
    begin(&contacts, &z, 1, &contact);
    CHECK_NEAR(pull_at(&contacts, z).x, 0, 0);
    contacts_destroy(&contacts);
}

static Anchor anchor(int first, int second, int place, int single, Vec3 normal, double strain) {
    return (Anchor){.vertices = {first, second, -1, -1},
                    .place = {1, place},
                    .kind = CONTACT_BODY,
                    .single = single,
                    .normal = normal,
                    .strain = {strain, 0, 0}};
}

static double found(const Anchors *anchors, Anchor like) { return anchors_find(anchors, &like).x; }

/* A vertex keeps its anchor from face to face, on each of its sides one; edges only with the same partner. */
static void check_finding(void) {
    Anchors anchors;
    Status status;
    Vec3 up = {0, 0, 1}, down = {0, 0, -1}, leaning = {0.6, 0, 0.8}, aside = {1, 0, 0};
    CHECK_INT(anchors_build(&anchors, 6, &status), STATUS_OK);
    CHECK_INT(anchors_reserve(&anchors, 8), 1);
    Anchor list[] = {anchor(4, -1, 0, 1, up, 1), anchor(2, 3, 7, 0, up, 2),
                     anchor(4, -1, 0, 1, down, 3), anchor(2, 3, 9, 0, up, 4),
                     anchor(2, -1, 0, 1, up, 5)};
    for (int a = 0; a < 5; ++a) {
        anchors_note(&anchors, &list[a]);
    }
    CHECK_NEAR(found(&anchors, list[0]), 0, 0); /* not before they are settled */
    anchors_settle(&anchors);
    for (int a = 0; a < 5; ++a) {
        CHECK_NEAR(found(&anchors, list[a]), a + 1, 0);
    }
    CHECK_NEAR(found(&anchors, anchor(4, -1, 0, 1, leaning, 0)), 1, 0);
    CHECK_NEAR(found(&anchors, anchor(4, 5, 3, 1, leaning, 0)), 1, 0); /* over another face */
    CHECK_NEAR(found(&anchors, anchor(4, -1, 0, 1, aside, 0)), 0, 0);
    CHECK_NEAR(found(&anchors, anchor(2, 3, 8, 0, up, 0)), 0, 0);
    CHECK_NEAR(found(&anchors, anchor(2, 5, 7, 0, up, 0)), 0, 0);
    CHECK_NEAR(found(&anchors, anchor(3, -1, 0, 1, up, 0)), 0, 0);
    Anchor self = list[0];
    self.kind = CONTACT_SELF;
    CHECK_NEAR(found(&anchors, self), 0, 0);
    anchors_clear_kind(&anchors, CONTACT_SELF);
    CHECK_INT(anchors.count, 5);
    anchors_clear(&anchors);
    CHECK_NEAR(found(&anchors, list[0]), 0, 0);
    anchors_destroy(&anchors);
}

/* --- the first load --------------------------------------------------------------------------- */

/* A contact that bore nothing before is to stop its own mass: h^2 N = onset m depth of the flight. Of two bodies, free
 * both, it is the reduced mass. Nothing begins outside of the shell. */
static void check_first_load(void) {
    Contacts contacts;
    double inertia[2] = {MASS, MASS}, depth = 7e-4;
    Vec3 x[2] = {{0, 0, SHELL}, {0, 0, 0}}, drive[2] = {{0.1, 0, -MASS * depth}, {0, 0, 0}};
    Vec3 z[2] = {{0, 0, SHELL - 1e-5}, {0, 0, 0}};
    Flight flight = {x, drive, inertia, 0.5};
    Contact body = over_plane(), layers = over_plane();
    layers.count = 2;
    layers.vertices[1] = 1;
    layers.weights[1] = -1;
    open_contacts(&contacts, 2);
    contacts_begin(&contacts, NULL, x, &flight, LENGTH);
    contacts_add(&contacts, CONTACT_BODY, &body);
    contacts_add(&contacts, CONTACT_SELF, &layers);
    contacts_close(&contacts, pool, z);
    CHECK_NEAR(contacts.list[0].limit, 0.5 * FRICTION * MASS * depth, 1e-15);
    CHECK_NEAR(contacts.list[1].limit, 0.25 * FRICTION * MASS * depth, 1e-15);
    z[0].z = SHELL + 1e-5;
    contacts_close(&contacts, pool, z);
    CHECK_NEAR(contacts.list[0].limit, 0, 0);
    contacts.pressure[CONTACT_BODY][0] = PRESSURE; /* what bears is believed */
    contacts_close(&contacts, pool, z);
    CHECK_NEAR(contacts.list[0].limit, FRICTION * PRESSURE * LENGTH * LENGTH, 1e-18);
    contacts_destroy(&contacts);
}

int main(void) {
    random_start(18);
    pool = pool_create(1);
    check_turns();
    check_sticking();
    check_sliding();
    check_carrying();
    check_release();
    check_finding();
    check_first_load();
    pool_destroy(pool);
    return check_result();
}
