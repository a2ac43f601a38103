/* The contacts' energy: its derivatives against finite differences, friction by Coulomb's law, momentum, the
 * list and its entries, threads. */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "contact/contacts.h"
#include "contact/scale.h"

#define VERTICES 14
#define CONTACTS 24
#define LENGTH (1.0 / 60) /* s */
#define SOFT 1.5e-3       /* depth of the soft part of every shell, m */

/* Where a contact's point lies. */
typedef enum Depth { DEPTH_HARD, DEPTH_SOFT, DEPTH_BEFORE, DEPTH_AWAY, DEPTHS } Depth;

typedef struct Scene {
    Contacts contacts;
    Vec3 x[VERTICES], z[VERTICES], p[VERTICES];
} Scene;

static Pool *pool;

/* Gaps well inside their range, so that small shifts do not leave it. */
static double gap_of(Depth depth) {
    switch (depth) {
    case DEPTH_HARD:
        return random_between(-2 * SOFT, -1.2 * SOFT);
    case DEPTH_SOFT:
        return random_between(-0.8 * SOFT, -0.2 * SOFT);
    case DEPTH_BEFORE: /* friction still acts */
        return random_between(2e-4, 5e-4);
    default:
        return random_between(0.01, 0.02);
    }
}

static Vec3 random_unit(void) { return vec3_unit_or(random_vector(1), vec3(0, 0, 1)); }

static Vec3 point_of(const Contact *contact, const Vec3 *z) {
    Vec3 sum = vec3(0, 0, 0);
    for (int j = 0; j < contact->count; ++j) {
        sum = vec3_madd(sum, contact->weights[j], z[contact->vertices[j]]);
    }
    return sum;
}

/* Of 1 to 5 different vertices; with a body the weights add up to 1, of the cloth's own to 0. */
static Contact random_contact(ContactKind kind, Depth depth, const Vec3 *z) {
    int few = kind == CONTACT_SELF ? 2 : 1;
    Contact contact = {.count = few + random_below(CONTACT_VERTICES + 1 - few),
                       .normal = random_unit(),
                       .way = random_vector(1e-4),
                       .soft = SOFT,
                       .range = CONTACT_GRIP_RANGE,
                       .friction = random_between(0.2, 0.8)};
    int split = kind == CONTACT_SELF ? 1 + random_below(contact.count - 1) : contact.count;
    int first = random_below(VERTICES);
    double sum[2] = {0, 0};
    for (int j = 0; j < contact.count; ++j) {
        contact.vertices[j] = (first + j * 3) % VERTICES;
        contact.weights[j] = random_between(0.1, 1);
        sum[j >= split] += contact.weights[j];
    }
    for (int j = 0; j < contact.count; ++j) {
        contact.weights[j] *= j < split ? 1 / sum[0] : -1 / sum[1];
    }
    Vec3 at = point_of(&contact, z);
    double gap = gap_of(depth);
    if (kind == CONTACT_BODY) {
        contact.shell = 2 * SOFT;
        contact.point = vec3_madd(at, -gap - contact.shell, contact.normal);
    } else {
        contact.shell = vec3_dot(contact.normal, at) - gap;
    }
    return contact;
}

/* `pressure`: of the vertices in the substep before, N. Great ones hold everything, small ones nothing. */
static void scene_open(Scene *scene, double pressure) {
    Status status;
    double mass[VERTICES];
    CHECK_INT(contacts_build(&scene->contacts, VERTICES, VERTICES, &status), STATUS_OK);
    for (int i = 0; i < VERTICES; ++i) {
        mass[i] = random_between(1e-4, 4e-4);
        scene->x[i] = random_vector(0.1);
        scene->z[i] = vec3_add(scene->x[i], random_vector(2e-3));
        scene->p[i] = random_vector(1e-3);
        scene->contacts.pressure[CONTACT_BODY][i] = pressure * random_between(0.5, 1);
        scene->contacts.pressure[CONTACT_SELF][i] = pressure * random_between(0.5, 1);
    }
    contacts_set_masses(&scene->contacts, mass);
    contacts_begin(&scene->contacts, NULL, scene->x, &(Flight){0}, LENGTH);
    for (int c = 0; c < CONTACTS; ++c) {
        ContactKind kind = c < CONTACTS / 2 ? CONTACT_BODY : CONTACT_SELF;
        Contact contact = random_contact(kind, (Depth)(c % DEPTHS), scene->z);
        contacts_add(&scene->contacts, kind, &contact);
    }
    contacts_close(&scene->contacts, pool, scene->z);
}

static void scene_close(Scene *scene) { contacts_destroy(&scene->contacts); }

static double *coordinate(Vec3 *v, int c) { return c == 0 ? &v->x : c == 1 ? &v->y : &v->z; }

static double energy_at(Scene *scene, const Vec3 *z) {
    return contacts_evaluate(&scene->contacts, pool, z);
}

/* z - part p */
static void move_along(const Scene *scene, double part, Vec3 *z) {
    for (int i = 0; i < VERTICES; ++i) {
        z[i] = vec3_madd(scene->z[i], -part, scene->p[i]);
    }
}

static void fetch(const Scene *scene, Vec3 *to) {
    for (int i = 0; i < VERTICES; ++i) {
        to[i] = contacts_gradient(&scene->contacts, i);
    }
}

static double dot(const Vec3 *a, const Vec3 *b) {
    double sum = 0;
    for (int i = 0; i < VERTICES; ++i) {
        sum += vec3_dot(a[i], b[i]);
    }
    return sum;
}

/* --- derivatives ------------------------------------------------------------------------------ */

static void check_gradient(double pressure) {
    Scene scene;
    Vec3 gradient[VERTICES];
    scene_open(&scene, pressure);
    energy_at(&scene, scene.z);
    fetch(&scene, gradient);
    double scale = sqrt(dot(gradient, gradient)), step = 1e-7;
    CHECK(scale > 0);
    for (int i = 0; i < VERTICES; ++i) {
        for (int c = 0; c < 3; ++c) {
            double *at = coordinate(&scene.z[i], c), kept = *at;
            *at = kept + step;
            double after = energy_at(&scene, scene.z);
            *at = kept - step;
            double before = energy_at(&scene, scene.z);
            *at = kept;
            CHECK_NEAR(*coordinate(&gradient[i], c), (after - before) / (2 * step), 1e-6 * scale);
        }
    }
    scene_close(&scene);
}

static void check_along(double pressure) {
    Scene scene;
    Vec3 z[VERTICES];
    double step = 1e-5, bent, begin;
    scene_open(&scene, pressure);
    energy_at(&scene, scene.z);
    double here = contacts_aim(&scene.contacts, pool, scene.z, scene.p, 0.06);
    contacts_along(&scene.contacts, pool, 0.0, &begin, &bent);
    CHECK(here == begin && here != 0);
    for (double part = step; part < 0.05; part += 0.02) {
        double slope, curvature, after, before, ignored;
        contacts_along(&scene.contacts, pool, part, &slope, &curvature);
        move_along(&scene, part + step, z);
        after = energy_at(&scene, z);
        move_along(&scene, part - step, z);
        before = energy_at(&scene, z);
        double scale = fabs(slope) + curvature;
        CHECK(scale > 0);
        CHECK_NEAR(slope, (after - before) / (2 * step), 1e-6 * scale);
        contacts_along(&scene.contacts, pool, part + step, &after, &ignored);
        contacts_along(&scene.contacts, pool, part - step, &before, &ignored);
        bent = (after - before) / (2 * step);
        if (pressure > 1) { /* what slides is bounded from above */
            CHECK_NEAR(curvature, bent, 1e-6 * curvature);
        } else {
            CHECK_BELOW(bent, curvature * (1 + 1e-6));
        }
    }
    scene_close(&scene);
}

/* Symmetric, never negative, equal to the change of the gradient where everything sticks, above it where
 * something slides. */
static void check_multiply(double pressure) {
    Scene scene;
    Vec3 other[VERTICES], hp[VERTICES], hq[VERTICES], z[VERTICES], after[VERTICES];
    Vec3 before[VERTICES];
    scene_open(&scene, pressure);
    for (int i = 0; i < VERTICES; ++i) {
        other[i] = random_vector(1e-3);
    }
    energy_at(&scene, scene.z);
    contacts_multiply(&scene.contacts, pool, scene.p);
    fetch(&scene, hp);
    contacts_multiply(&scene.contacts, pool, other);
    fetch(&scene, hq);
    double square = dot(scene.p, hp), scale = sqrt(dot(hp, hp)), step = 1e-3;
    CHECK(square > 0);
    CHECK_NEAR(dot(other, hp), dot(scene.p, hq), 1e-12 * (square + dot(other, hq)));
    CHECK(square * dot(other, hq) >= dot(other, hp) * dot(other, hp));
    move_along(&scene, -step, z);
    energy_at(&scene, z);
    fetch(&scene, after);
    move_along(&scene, step, z);
    energy_at(&scene, z);
    fetch(&scene, before);
    double change = 0;
    for (int i = 0; i < VERTICES; ++i) {
        Vec3 by = vec3_scale(0.5 / step, vec3_sub(after[i], before[i]));
        change += vec3_dot(by, scene.p[i]);
        if (pressure > 1) {
            CHECK_BELOW(vec3_distance(by, hp[i]), 1e-6 * scale);
        }
    }
    CHECK_BELOW(change, square * (1 + 1e-6));
    scene_close(&scene);
}

/* Every contact's stiffness, put together by hand. */
static void check_stiffness(double pressure) {
    Scene scene;
    Vec3 product[VERTICES], sum[VERTICES] = {{0, 0, 0}};
    int kinds[2] = {0, 0};
    scene_open(&scene, pressure);
    for (int c = 0; c < scene.contacts.count; ++c) {
        const Contact *contact = &scene.contacts.list[c];
        double along, across;
        contact_stiffness(contact, scene.z, &along, &across);
        CHECK(along >= 0 && across >= 0);
        CHECK_INT(along > 0, c % DEPTHS == DEPTH_HARD || c % DEPTHS == DEPTH_SOFT);
        CHECK_INT(across > 0, c % DEPTHS != DEPTH_AWAY);
        kinds[c % DEPTHS == DEPTH_HARD] += along > 2 * scene.contacts.stiffness;
        Vec3 shift = point_of(contact, scene.p);
        Vec3 normal = vec3_scale(vec3_dot(shift, contact->normal), contact->normal);
        Vec3 slid =
            vec3_sub(vec3_sub(point_of(contact, scene.z), point_of(contact, scene.contacts.start)),
                     contact->way);
        slid = vec3_madd(slid, -vec3_dot(slid, contact->normal), contact->normal);
        Vec3 sideways = vec3_sub(shift, normal), pull = vec3_scale(along, normal);
        if (across * vec3_length(slid) >= (1 - 1e-9) * contact->limit) { /* slides: see below */
            Vec3 glide = vec3_unit_or(slid, vec3(0, 0, 0));
            sideways = vec3_madd(sideways, -vec3_dot(sideways, glide), glide);
        }
        pull = vec3_madd(pull, across, sideways);
        for (int j = 0; j < contact->count; ++j) {
            int i = contact->vertices[j];
            sum[i] = vec3_madd(sum[i], contact->weights[j], pull);
        }
    }
    /* what slides is not held back further along its way: there the product has less than the bound */
    CHECK_INT(kinds[0], 0); /* the hard part is harder, and only that */
    CHECK_INT(kinds[1], CONTACTS / DEPTHS);
    energy_at(&scene, scene.z);
    contacts_multiply(&scene.contacts, pool, scene.p);
    fetch(&scene, product);
    for (int i = 0; i < VERTICES; ++i) {
        CHECK_BELOW(vec3_distance(product[i], sum[i]), 1e-12 * sqrt(dot(sum, sum)));
    }
    scene_close(&scene);
}

/* --- the list --------------------------------------------------------------------------------- */

static void check_entries(void) {
    Scene scene;
    scene_open(&scene, 1);
    const Contacts *contacts = &scene.contacts;
    int total = 0, seen[CONTACTS] = {0};
    for (int i = 0; i < VERTICES; ++i) {
        for (int e = contacts->entry_start[i]; e < contacts->entry_start[i + 1]; ++e, ++total) {
            int c = contacts->entry[e] / CONTACT_VERTICES;
            int j = contacts->entry[e] % CONTACT_VERTICES;
            CHECK(c >= 0 && c < contacts->count && j < contacts->list[c].count);
            CHECK_INT(contacts->list[c].vertices[j], i);
            CHECK(e == contacts->entry_start[i] || contacts->entry[e] > contacts->entry[e - 1]);
            ++seen[c];
        }
    }
    CHECK_INT(contacts->entry_start[0], 0);
    CHECK_INT(contacts->entry_start[VERTICES], total);
    for (int c = 0; c < contacts->count; ++c) {
        CHECK_INT(seen[c], contacts->list[c].count);
    }
    scene_close(&scene);
}

static void check_list(void) {
    Contacts contacts;
    Status status;
    Vec3 x[3] = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}};
    double mass[3] = {1, 1, 1};
    Contact one = {
        .count = 1, .weights = {1}, .normal = {0, 0, 1}, .shell = 1e-3, .friction = 0.25};
    CHECK_INT(contacts_build(&contacts, 3, 3, &status), STATUS_OK);
    contacts_set_masses(&contacts, mass);
    contacts_begin(&contacts, NULL, x, &(Flight){0}, LENGTH);
    CHECK_INT(contacts.count + contacts.body_count + contacts.dropped, 0);
    for (int c = 0; c < 10; ++c) {
        one.vertices[0] = c % 3;
        contacts_add(&contacts, CONTACT_BODY, &one);
    }
    Contact *room = contacts_extend(&contacts, CONTACT_SELF, 5000);
    CHECK(room == contacts.list + 10);
    for (int c = 0; c < 5000; ++c) {
        room[c] = one;
    }
    CHECK(contacts.capacity >= 5010);
    CHECK_INT(contacts.count, 5010);
    CHECK_INT(contacts.body_count, 10);
    contacts_close(&contacts, pool, contacts.start);
    CHECK_INT(contacts.entry_start[3], 5010);
    for (int c = 0; c < 10; ++c) { /* kept while the list grew */
        CHECK_INT(contacts.list[c].vertices[0], c % 3);
    }
    const Contact *list = contacts.list;
    CHECK(contacts_reserve(&contacts, 5010)); /* room once taken is kept */
    CHECK(contacts.list == list);
    room = contacts_extend(&contacts, CONTACT_BODY, 0);
    CHECK_INT(contacts.count, 5010);
    CHECK(!contacts_reserve(&contacts, INT32_MAX - 1));
    CHECK(!contacts_extend(&contacts, CONTACT_SELF, INT32_MAX));
    CHECK(contacts.dropped == INT32_MAX);
    contacts_clear(&contacts);
    CHECK_INT(contacts.count + contacts.body_count + contacts.dropped, 0);
    contacts_close(&contacts, pool, contacts.start);
    CHECK_INT(contacts.entry_start[3], 0);
    CHECK_NEAR(contacts_evaluate(&contacts, pool, x), 0, 0);
    CHECK_NEAR(vec3_length(contacts_gradient(&contacts, 1)), 0, 0);
    contacts_destroy(&contacts);
}

/* --- forces ----------------------------------------------------------------------------------- */

/* A vertex over the plane z = 0, with the shell of a body or of another layer. */
static Contact over_plane(int vertex, double friction) {
    return (Contact){.count = 1,
                     .vertices = {vertex},
                     .weights = {1},
                     .normal = {0, 0, 1},
                     .shell = 2 * SOFT,
                     .soft = SOFT,
                     .range = CONTACT_GRIP_RANGE,
                     .friction = friction};
}

static int self_pushing; /* of the last substep that ended */
static int end_substep(Contacts *contacts, const Vec3 *z) {
    int pushing;
    contacts_end(contacts, z, &pushing, &self_pushing);
    contacts_settle(contacts);
    return pushing;
}

/* The limit is the friction times the normal force that the substep before ended with; several contacts of a
 * vertex share it, those of the other kind have their own. */
static void check_limit(void) {
    Contacts contacts;
    Status status;
    double mass[2] = {1e-3, 1e-3}, h2 = LENGTH * LENGTH;
    Vec3 x[2] = {{0, 0, 0}, {1, 0, 0}}, z[2] = {{0, 0, 1e-3}, {1, 0, 2.5e-3}};
    Contact first = over_plane(0, 0.3), second = over_plane(1, 0.5), slack = over_plane(1, 1);
    slack.shell = 0;
    CHECK_INT(contacts_build(&contacts, 2, 2, &status), STATUS_OK);
    contacts_set_masses(&contacts, mass);
    contacts_begin(&contacts, NULL, x, &(Flight){0}, LENGTH);
    contacts_add(&contacts, CONTACT_BODY, &first);
    contacts_add(&contacts, CONTACT_SELF, &second);
    contacts_add(&contacts, CONTACT_SELF, &slack);
    contacts_close(&contacts, pool, contacts.start);
    CHECK_NEAR(contacts.list[0].limit + contacts.list[1].limit, 0, 0); /* nothing is known yet */
    contacts_evaluate(&contacts, pool, z);
    double force = -contacts_gradient(&contacts, 0).z / h2;
    double other = -contacts_gradient(&contacts, 1).z / h2;
    CHECK(force > other && other > 0);
    CHECK_NEAR(other, contacts.stiffness * 5e-4 / h2, 1e-12 * other);
    CHECK_INT(end_substep(&contacts, z), 2);
    CHECK_INT(self_pushing, 1);
    CHECK_NEAR(contacts.pressure[CONTACT_BODY][0], force, 1e-12 * force);
    CHECK_NEAR(contacts.pressure[CONTACT_SELF][1], other, 1e-12 * force);
    CHECK_NEAR(contacts.pressure[CONTACT_SELF][0] + contacts.pressure[CONTACT_BODY][1], 0, 0);
    contacts_begin(&contacts, NULL, x, &(Flight){0}, 2 * LENGTH);
    contacts_add(&contacts, CONTACT_BODY, &first);
    contacts_add(&contacts, CONTACT_BODY, &first);
    contacts_add(&contacts, CONTACT_BODY, &second);
    contacts_add(&contacts, CONTACT_SELF, &second);
    contacts_close(&contacts, pool, contacts.start);
    for (int c = 0; c < 2; ++c) {
        CHECK_NEAR(contacts.list[c].limit, 0.5 * 0.3 * force * 4 * h2, 1e-12 * force * h2);
    }
    CHECK_NEAR(contacts.list[2].limit, 0, 0);
    CHECK_NEAR(contacts.list[3].limit, 0.5 * other * 4 * h2, 1e-12 * force * h2);
    z[0].z = 1; /* nothing pushes: the next friction is none */
    z[1].z = 1;
    CHECK_INT(end_substep(&contacts, z), 0);
    CHECK_NEAR(contacts.pressure[CONTACT_BODY][0], 0, 0);
    contacts_destroy(&contacts);
}

/* A vertex in the corner of two surfaces: each has the friction of what it bore, one that is only near has none. */
static void check_shares(void) {
    Contacts contacts;
    Status status;
    double mass[1] = {1e-3}, h2 = LENGTH * LENGTH, deep = 0.2 * SOFT;
    Contact floor = over_plane(0, 0.5), wall = floor, ceiling = floor;
    Vec3 x[1] = {{floor.shell - deep, 0, floor.shell - 3 * deep}};
    wall.normal = vec3(1, 0, 0);
    ceiling.normal = vec3(0, 0, -1);
    ceiling.point = vec3(0, 0, 2 * floor.shell);
    CHECK_INT(contacts_build(&contacts, 1, 1, &status), STATUS_OK);
    contacts_set_masses(&contacts, mass);
    for (int substep = 0; substep < 2; ++substep) {
        contacts_begin(&contacts, NULL, x, &(Flight){0}, LENGTH);
        contacts_add(&contacts, CONTACT_BODY, &floor);
        contacts_add(&contacts, CONTACT_BODY, &wall);
        contacts_add(&contacts, CONTACT_BODY, &ceiling);
        contacts_close(&contacts, pool, x);
        if (substep == 0) {
            CHECK_INT(end_substep(&contacts, x), 2);
        }
    }
    double force = contacts.stiffness * deep / h2;
    CHECK_NEAR(contacts.list[0].limit, 0.5 * 3 * force * h2, 1e-4 * force * h2);
    CHECK_NEAR(contacts.list[1].limit, 0.5 * force * h2, 1e-4 * force * h2);
    CHECK_BELOW(contacts.list[2].limit, 1e-4 * force * h2);
    contacts_destroy(&contacts);
}

/* What pushes two layers apart presses on both. */
static void check_pressure(void) {
    Contacts contacts;
    Status status;
    double mass[3] = {1e-3, 1e-3, 1e-3};
    Vec3 x[3] = {{0, 0, 1e-3}, {-1, 0, 0}, {1, 0, 0}};
    CHECK_INT(contacts_build(&contacts, 3, 3, &status), STATUS_OK);
    contacts_set_masses(&contacts, mass);
    contacts_begin(&contacts, NULL, x, &(Flight){0}, LENGTH);
    Contact layers = {.count = 3,
                      .vertices = {0, 1, 2},
                      .weights = {1, -0.5, -0.5},
                      .normal = {0, 0, 1},
                      .shell = 2e-3,
                      .friction = 0.4};
    contacts_add(&contacts, CONTACT_SELF, &layers);
    contacts_close(&contacts, pool, contacts.start);
    CHECK(end_substep(&contacts, x) == 1 && self_pushing == 1);
    const double *pressure = contacts.pressure[CONTACT_SELF];
    CHECK(pressure[0] > 0);
    CHECK_NEAR(pressure[1], 0.5 * pressure[0], 1e-12 * pressure[0]);
    CHECK_NEAR(pressure[2], pressure[1], 1e-12 * pressure[0]);
    contacts_destroy(&contacts);
}

/* Vertices of one layer over the middles and the sides of another's triangles, all pressed alike: the limits are those of
 * their own forces, however many contacts a vertex below has, and with whatever weights. */
static void check_sharing(void) {
    Contacts contacts;
    Status status;
    double mass[7];
    Vec3 x[7] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
    const int below[3][3] = {{0, 1, 2}, {1, 3, 2}, {0, 1, 2}};
    const double weights[3][3] = {{0.2, 0.3, 0.5}, {0.6, 0.1, 0.3}, {0, 0.5, 0.5}};
    CHECK_INT(contacts_build(&contacts, 7, 7, &status), STATUS_OK);
    for (int i = 0; i < 7; ++i) {
        mass[i] = 1e-3;
        x[i].z = i < 4 ? 0 : 1e-3;
    }
    contacts_set_masses(&contacts, mass);
    double expected = 0;
    for (int substep = 0; substep < 2; ++substep) {
        contacts_begin(&contacts, NULL, x, &(Flight){0}, LENGTH);
        for (int c = 0; c < 3; ++c) {
            Contact contact = {.count = 4,
                               .vertices = {4 + c, below[c][0], below[c][1], below[c][2]},
                               .weights = {1, -weights[c][0], -weights[c][1], -weights[c][2]},
                               .normal = {0, 0, 1},
                               .shell = 2e-3,
                               .friction = 0.4};
            contacts_add(&contacts, CONTACT_SELF, &contact);
        }
        contacts_close(&contacts, pool, x);
        for (int c = 0; c < 3; ++c) {
            CHECK_NEAR(contacts.list[c].limit, expected, 1e-12 * expected);
        }
        end_substep(&contacts, x);
        expected = 0.4 * contacts.pressure[CONTACT_SELF][4] * LENGTH * LENGTH;
        CHECK(expected > 0);
    }
    contacts_destroy(&contacts);
}

/* The sideways force points against the slip, grows with it up to the limit and stays there; a plane that moves
 * takes its vertex along. */
static void check_coulomb(void) {
    Contacts contacts;
    Status status;
    double mass = 1e-3, last = 0;
    Vec3 x = {0.1, 0.2, 0}, way = {3e-3, -1e-3, 0};
    CHECK_INT(contacts_build(&contacts, 1, 1, &status), STATUS_OK);
    contacts_set_masses(&contacts, &mass);
    contacts.pressure[CONTACT_BODY][0] = 0.02;
    contacts_begin(&contacts, NULL, &x, &(Flight){0}, LENGTH);
    Contact contact = over_plane(0, 0.4);
    contact.way = way;
    contacts_add(&contacts, CONTACT_BODY, &contact);
    contacts_close(&contacts, pool, contacts.start);
    double limit = contacts.list[0].limit;
    CHECK_NEAR(limit, 0.4 * 0.02 * LENGTH * LENGTH, 1e-18);
    int stuck = 0, slid = 0;
    for (double slip = 1e-8; slip < 0.02; slip *= 1.5) {
        Vec3 along = vec3(0.6, 0.8, 0);
        Vec3 z = vec3_madd(vec3_add(x, way), slip, along);
        z.z = random_between(0, 2 * SOFT);
        contacts_evaluate(&contacts, pool, &z);
        Vec3 pull = contacts_gradient(&contacts, 0);
        double force = vec3_dot(pull, along);
        CHECK_NEAR(pull.x * along.y - pull.y * along.x, 0, 1e-9 * limit);
        CHECK(force > 0 && force >= last * (1 - 1e-12));
        CHECK_BELOW(force, limit * (1 + 1e-12));
        stuck += force < 0.999 * limit;
        slid += force > 0.999999 * limit;
        last = force;
    }
    CHECK(stuck > 3 && slid > 3);
    Vec3 carried = vec3_add(x, way), lifted = vec3_madd(x, 0.01, vec3(1, 0, 1));
    contacts_evaluate(&contacts, pool, &carried);
    Vec3 pull = contacts_gradient(&contacts, 0);
    CHECK_NEAR(plane_length(pull.x, pull.y), 0, 1e-12 * limit);
    CHECK(pull.z < 0);
    CHECK_NEAR(contacts_evaluate(&contacts, pool, &lifted), 0, 0);
    contacts_destroy(&contacts);
}

/* Cloth on cloth pushes itself nowhere. */
static void check_momentum(double pressure) {
    Scene scene;
    scene_open(&scene, pressure);
    Contacts *contacts = &scene.contacts;
    Contact own[CONTACTS];
    int count = contacts->count - contacts->body_count;
    memcpy(own, contacts->list + contacts->body_count, (size_t)count * sizeof *own);
    contacts_begin(contacts, NULL, scene.x, &(Flight){0}, LENGTH);
    for (int c = 0; c < count; ++c) {
        contacts_add(contacts, CONTACT_SELF, &own[c]);
    }
    contacts_close(contacts, pool, contacts->start);
    for (int round = 0; round < 2; ++round) {
        Vec3 sum = vec3(0, 0, 0);
        double size = 0;
        if (round == 0) {
            energy_at(&scene, scene.z);
        } else {
            contacts_multiply(contacts, pool, scene.p);
        }
        for (int i = 0; i < VERTICES; ++i) {
            sum = vec3_add(sum, contacts_gradient(contacts, i));
            size += vec3_length(contacts_gradient(contacts, i));
        }
        CHECK(size > 0);
        CHECK_BELOW(vec3_length(sum), 1e-14 * size);
    }
    scene_close(&scene);
}

/* --- threads ---------------------------------------------------------------------------------- */

#define MANY 4000

static void check_threads(void) {
    Scene scene;
    double energy[3], slope[3], curvature[3];
    Vec3 *pull[3][2];
    for (int t = 0; t < 3; ++t) {
        random_start(77);
        scene_open(&scene, 0.02);
        for (int c = 0; c < MANY; ++c) {
            Contact contact = random_contact(CONTACT_SELF, (Depth)(c % DEPTHS), scene.z);
            contacts_add(&scene.contacts, CONTACT_SELF, &contact);
        }
        contacts_close(&scene.contacts, pool, scene.z);
        Pool *own = pool_create(t + 1);
        size_t bytes = (size_t)scene.contacts.count * sizeof(Vec3);
        for (int k = 0; k < 2; ++k) {
            pull[t][k] = malloc(bytes);
        }
        energy[t] = contacts_evaluate(&scene.contacts, own, scene.z);
        memcpy(pull[t][0], scene.contacts.pull, bytes);
        contacts_multiply(&scene.contacts, own, scene.p);
        memcpy(pull[t][1], scene.contacts.pull, bytes);
        contacts_aim(&scene.contacts, own, scene.z, scene.p, 0.5);
        contacts_along(&scene.contacts, own, 0.5, &slope[t], &curvature[t]);
        CHECK(!memcmp(pull[0][0], pull[t][0], bytes) && !memcmp(pull[0][1], pull[t][1], bytes));
        CHECK(energy[t] > 0 && energy[t] == energy[0]);
        CHECK(slope[t] == slope[0] && curvature[t] == curvature[0]);
        pool_destroy(own);
        scene_close(&scene);
    }
    for (int t = 0; t < 3; ++t) {
        free(pull[t][0]);
        free(pull[t][1]);
    }
}

/* Points that stay away, touch only at the end, only at the start, all the time: those that never do are left out, and
 * nothing else changes. `corners`: vertices that each is the middle of, one or two. */
static void check_aim(int corners) {
    static const double gaps[][2] = {
        {0.01, 0.01}, {0.01, -0.001}, {-0.001, 0.02}, {-0.002, -0.001}};
    Vec3 x[8], p[8], z[8];
    const double mass[8] = {1, 1, 1, 1, 1, 1, 1, 1};
    Contacts contacts;
    Status status;
    CHECK(contacts_build(&contacts, 8, 8, &status) == STATUS_OK);
    contacts_set_masses(&contacts, mass);
    for (int i = 0; i < 8; ++i) {
        x[i] = vec3(i % 4, i / 4, 0.004 + gaps[i % 4][0]);
        p[i] = vec3(0.001, 0, gaps[i % 4][0] - gaps[i % 4][1]);
    }
    contacts_begin(&contacts, NULL, x, &(Flight){0}, 0.01);
    for (int i = 0; i < 4; ++i) {
        Contact contact = {.count = corners,
                           .vertices = {i, i + 4},
                           .weights = {1.0 / corners, 1.0 / corners},
                           .point = {i, 0, 0},
                           .normal = {0, 0, 1},
                           .shell = 0.004};
        contacts_add(&contacts, CONTACT_BODY, &contact);
    }
    contacts_close(&contacts, pool, contacts.start);
    contacts_evaluate(&contacts, pool, x);
    contacts_aim(&contacts, pool, x, p, 1.0);
    CHECK(contacts.aimed_count == 3 && contacts.aimed[0] == 1 && contacts.aimed[2] == 3);
    for (double a = 0.05; a < 1; a += 0.1) {
        double slope, curvature, energies[2], step = 1e-6;
        contacts_along(&contacts, pool, a, &slope, &curvature);
        for (int side = 0; side < 2; ++side) {
            for (int i = 0; i < 8; ++i) {
                z[i] = vec3_madd(x[i], -(a + (side ? step : -step)), p[i]);
            }
            energies[side] = contacts_evaluate(&contacts, pool, z);
        }
        CHECK(slope != 0);
        CHECK_NEAR(slope, (energies[1] - energies[0]) / (2 * step), 1e-5 * fabs(slope));
    }
    contacts_evaluate(&contacts, pool, x);
    CHECK_INT(contacts_aim_inside(&contacts, pool), 2);
    CHECK(contacts.aimed[0] == 2 && contacts.aimed[1] == 3);
    contacts_destroy(&contacts);
}

/* Of a sum of two directions, without the sum. */
static void check_curvature(void) {
    Scene scene;
    Vec3 other[VERTICES], sum[VERTICES], product[VERTICES];
    scene_open(&scene, 0.02);
    for (int i = 0; i < VERTICES; ++i) {
        other[i] = vec3(random_between(-1, 1), random_between(-1, 1), random_between(-1, 1));
        sum[i] = vec3_madd(scene.p[i], 0.3, other[i]);
    }
    energy_at(&scene, scene.z);
    double whole = contacts_multiply(&scene.contacts, pool, sum);
    fetch(&scene, product);
    CHECK(whole > 0);
    CHECK_NEAR(dot(sum, product), whole, 1e-12 * whole);
    CHECK_NEAR(contacts_curvature(&scene.contacts, pool, scene.p, 0.3, other), whole,
               1e-12 * whole);
    scene_close(&scene);
}

int main(void) {
    /* Pressures, N, with which everything sticks, some of it, hardly anything. */
    const double pressures[] = {1e4, 0.5, 1e-3};
    pool = pool_create(1);
    random_start(31);
    for (int round = 0; round < 24; ++round) {
        double pressure = pressures[round % 3];
        check_gradient(pressure);
        check_along(pressure);
        check_multiply(pressure);
        check_stiffness(pressure);
        check_momentum(pressure);
    }
    check_entries();
    check_list();
    check_limit();
    check_shares();
    check_pressure();
    check_sharing();
    check_coulomb();
    check_threads();
    check_aim(1);
    check_aim(2);
    check_curvature();
    pool_destroy(pool);
    return check_result();
}
