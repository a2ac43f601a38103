/* Calls the finders of contacts in the order of a substep; they do not depend on each other. */
#include "contact/contact_world.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/machine.h"
#include "contact/contacts.h"
#include "contact/scale.h"

/* Pairs of layers are searched again around vertices further from their expected place than half of this, m at the
 * usual thickness: see scale.h. */
#define SELF_SLACK 0.002
/* Layers that would pass each other are put this part of the thickness apart. */
#define PARTED 0.1
/* Distance of closed fronts without self-contact, m, likewise. */
#define BARRIER 1e-3
/* Vertices are put in front of bodies, and then edges and faces, at most so often. */
#define PROJECTIONS 3
/* Layers are separated, and then put in front of bodies again, at most so often. */
#define PARTINGS 4
/* Weight of a vertex that lies on a body, over its own, when layers are separated. */
#define BACKED 100.0

/* Limits of comparisons in a substep, for each triangle and edge of the drawn skin, for each element of the cloth, and for
 * each vertex along its path: at least ten times what sane garments take. Edges and corners of bodies take 70, most for
 * cloth that comes out of one; pairs of layers 30; crossings and paths 1. WORK_BASE is added for small cloth. */
#define FEATURE_WORK 700
#define PAIR_WORK 300
#define IMPACT_WORK 100
#define PATH_WORK 200
#define WORK_BASE 1000

/* The parts that are built in parallel, each on one thread: the finders of contacts, or those of self-contact. */
enum { BUILD_PARTS = 3, SELF_PARTS = 2 };

typedef struct AroundWork {
    ContactWorld *around;
    Store stores[BUILD_PARTS]; /* a store serves one thread */
    Status status[BUILD_PARTS];
} AroundWork;

/* Runs a task for each part, and moves their memory to the contact world. Returns the status of the first part that
 * failed. */
static StatusCode build_parts(ContactWorld *around, int count, PoolTask task, Status *status) {
    AroundWork work = {.around = around};
    StatusCode code = STATUS_OK;
    for (int part = 0; part < count; ++part) {
        status_clear(&work.status[part]);
    }
    pool_each(around->pool, count, task, &work);
    for (int part = 0; part < count; ++part) {
        store_join(&around->store, &work.stores[part]);
        if (code == STATUS_OK && work.status[part].code != STATUS_OK) {
            *status = work.status[part];
            code = status->code;
        }
    }
    return code;
}

static void build_finders(void *context, int begin, int end) {
    AroundWork *work = context;
    ContactWorld *around = work->around;
    for (int part = begin; part < end; ++part) {
        Store *store = &work->stores[part];
        Status *status = &work->status[part];
        if (part == 0) {
            if (feature_contact_build(&around->features, &around->drawn, store, status) ==
                STATUS_OK) {
                piercing_build(&around->piercing, &around->drawn, store, status);
            }
        } else if (part == 1) {
            if (reach_build(&around->reach, &around->drawn, store, status) == STATUS_OK) {
                passing_build(&around->passing, &around->skin, &around->reach, store, status);
            }
        } else if (vertex_contact_build(&around->finder, around->skin.vertex_count, store,
                                        status) == STATUS_OK) {
            sample_contact_build(&around->samples, &around->drawn, store, status);
        }
    }
}

StatusCode contact_world_build(ContactWorld *around, const Mesh *mesh, Pool *pool, Status *status) {
    *around = (ContactWorld){.pool = pool,
                             .rail_from = mesh->vertex_count,
                             .whole = true,
                             .most_factor = 1,
                             .least_share = 1};
    around->share = STORE_ARRAY(&around->store, double, mesh->vertex_count);
    StatusCode code = skin_build(&around->skin, mesh, SKIN_OWN_CUTS, &around->store, status);
    if (code == STATUS_OK) {
        code = skin_build(&around->drawn, mesh, SKIN_BOTH_CUTS, &around->store, status);
    }
    if (code == STATUS_OK) {
        code = contacts_build(&around->contacts, mesh->vertex_count, mesh->plane_from, status);
    }
    return code == STATUS_OK ? build_parts(around, BUILD_PARTS, build_finders, status) : code;
}

void contact_world_halve(ContactWorld *around, int rail_from, int barrier) {
    around->halved = 1;
    around->barrier = barrier;
    around->rail_from = around->finder.rail_from = rail_from;
}

static double scale_of(const ContactWorld *around, double thickness) {
    return contact_scale(thickness, around->skin.mean_edge);
}

/* Of the thinnest shell around a body; of the cloth's edges alone where there is none. */
static double scale_of_bodies(const ContactWorld *around) {
    double scale = INFINITY;
    for (int b = 0; b < around->body_count; ++b) {
        const Collider *body = around->colliders[b];
        scale = body && body->scale < scale ? body->scale : scale;
    }
    return isfinite(scale) ? scale : scale_of(around, 0);
}

static double self_slack(const ContactWorld *around) {
    return SELF_SLACK * scale_of(around, around->self_thickness);
}

/* How far bodies push in a substep at most, m. */
static double furthest_push(const ContactWorld *around, const SubstepSpan *span) {
    double square = 0;
    for (int b = 0; b < around->body_count; ++b) {
        const Body *body = around->bodies[b];
        for (int v = 0; body && v < body->collider.vertex_count; ++v) {
            Vec3 way = vec3_sub(body->target[v], body->place[v]);
            square = fmax(square, vec3_dot(way, way));
        }
    }
    return (span->t1 - span->t0) * sqrt(square);
}

double contact_world_reach(const ContactWorld *around, const SubstepSpan *span) {
    double range = CONTACT_GRIP_RANGE * scale_of(around, around->self_thickness);
    return around->self_thickness + range + 2 * self_slack(around) + furthest_push(around, span);
}

/* Distance of the cloth from its mirror image, m; 0: it may pass the plane. */
static double barrier_thickness(const ContactWorld *around) {
    if (!around->halved) {
        return 0;
    }
    double least = around->barrier ? BARRIER * scale_of_bodies(around) : 0.0;
    return around->self_thickness > least ? around->self_thickness : least;
}

static void free_body(Body *body) {
    if (body) {
        store_release(&body->store);
        store_release(&body->sharp_store);
        store_release(&body->next_store);
        free(body);
    }
}

void contact_world_destroy(ContactWorld *around) {
    for (int b = 0; b < around->body_count; ++b) {
        free_body(around->bodies[b]);
    }
    free(around->bodies);
    if (around->self_built) {
        self_contact_destroy(&around->self);
        impact_destroy(&around->impact);
    }
    free(around->colliders);
    free(around->sharp);
    sample_contact_destroy(&around->samples);
    feature_contact_destroy(&around->features);
    contacts_destroy(&around->contacts);
    store_release(&around->store);
}

/* --- bodies ----------------------------------------------------------------------------------- */

/* Sharp features depend on the thickness: builds those of another one, as `next`. */
static StatusCode build_sharp(const ContactWorld *around, Body *body, double thickness,
                              double most_factor, double least_share, Status *status) {
    Collider as_set = body->collider;
    as_set.thickness = most_factor * thickness;
    as_set.least_share = least_share;
    StatusCode code = sharp_build(&body->next, &as_set, around->features.pairs.longest_of_all,
                                  &body->next_store, status);
    if (code != STATUS_OK) {
        store_release(&body->next_store);
    }
    return code;
}

static void set_scale(const ContactWorld *around, Collider *collider) {
    collider->scale = scale_of(around, collider->thickness);
    collider->edge_scale = scale_of(around, 0);
}

static void take_sharp(const ContactWorld *around, Body *body, double thickness, double most_factor,
                       double least_share) {
    store_release(&body->sharp_store);
    body->sharp = body->next;
    body->sharp_store = body->next_store;
    body->next_store = (Store){0};
    body->thickness = thickness;
    body->collider.thickness = most_factor * thickness;
    body->collider.least_share = least_share;
    set_scale(around, &body->collider);
}

static Body *make_body(const ContactWorld *around, const ColliderDefinition *definition,
                       Status *status) {
    Body *body = calloc(1, sizeof *body);
    ColliderDefinition own = *definition;
    own.thickness *= around->most_factor;
    if (!body) {
        status_no_memory(status, "a body");
        return NULL;
    }
    body->place = STORE_ARRAY(&body->store, Vec3, definition->vertex_count);
    body->target = STORE_ARRAY(&body->store, Vec3, definition->vertex_count);
    if (body->store.failed) {
        status_no_memory(status, "a body");
    } else if (collider_build(&body->collider, &own, &body->store, status) == STATUS_OK &&
               build_sharp(around, body, definition->thickness, around->most_factor,
                           around->least_share, status) == STATUS_OK) {
        take_sharp(around, body, definition->thickness, around->most_factor, around->least_share);
        size_t bytes = (size_t)definition->vertex_count * sizeof(Vec3);
        if (bytes > 0) {
            memcpy(body->place, definition->positions, bytes);
            memcpy(body->target, definition->positions, bytes);
        }
        return body;
    }
    free_body(body);
    return NULL;
}

static void set_body(ContactWorld *around, int number, Body *body) {
    around->bodies[number] = body;
    around->colliders[number] = body ? &body->collider : NULL;
    around->sharp[number] = body ? &body->sharp : NULL;
    around->measured = 0;
}

/* Makes a place for this number; new places are empty. */
static bool grow(ContactWorld *around, int number) {
    if (number >= around->body_room) {
        size_t room = 2 * (size_t)number + 4;
        bool failed = false;
        SCRATCH_GROW(around->bodies, room, &failed);
        SCRATCH_GROW(around->colliders, room, &failed);
        SCRATCH_GROW(around->sharp, room, &failed);
        around->body_room = failed ? around->body_room : (int)room;
        if (failed) {
            return false;
        }
    }
    while (around->body_count <= number) {
        set_body(around, around->body_count++, NULL);
    }
    return true;
}

StatusCode contact_world_put_body(ContactWorld *around, int body,
                                  const ColliderDefinition *definition, Status *status) {
    Body *made = make_body(around, definition, status);
    if (!made) {
        return status->code;
    }
    if (!grow(around, body)) {
        free_body(made);
        return status_no_memory(status, "a body");
    }
    free_body(around->bodies[body]);
    set_body(around, body, made);
    return STATUS_OK;
}

void contact_world_remove_body(ContactWorld *around, int body) {
    free_body(around->bodies[body]);
    set_body(around, body, NULL);
}

StatusCode contact_world_set_surface(ContactWorld *around, int body, double thickness,
                                     double friction, Status *status) {
    Body *found = around->bodies[body];
    double most = around->most_factor, least = around->least_share;
    collider_wake_all(&found->collider, around->pool); /* sharp features are found on all of it */
    if (thickness != found->thickness) {
        if (build_sharp(around, found, thickness, most, least, status) != STATUS_OK) {
            return status->code;
        }
        take_sharp(around, found, thickness, most, least);
    }
    found->collider.friction = friction;
    return STATUS_OK;
}

/* A failure changes nothing. */
static StatusCode set_factors(ContactWorld *around, double most, double least, Status *status) {
    StatusCode code = STATUS_OK;
    for (int b = 0; b < around->body_count && code == STATUS_OK; ++b) {
        if (around->bodies[b]) {
            collider_wake_all(&around->bodies[b]->collider, around->pool);
            code = build_sharp(around, around->bodies[b], around->bodies[b]->thickness, most, least,
                               status);
        }
    }
    for (int b = 0; b < around->body_count; ++b) {
        Body *body = around->bodies[b];
        if (body && code == STATUS_OK) {
            take_sharp(around, body, body->thickness, most, least);
        } else if (body) {
            store_release(&body->next_store);
        }
    }
    return code;
}

StatusCode contact_world_set_thickness_map(ContactWorld *around, const float *map, Status *status) {
    int count = around->skin.vertex_count;
    double most = map && count > 0 ? (double)map[0] : 1, least = most;
    for (int v = 0; map && v < count; ++v) {
        double own = (double)map[v];
        most = own > most ? own : most;
        least = own < least ? own : least;
    }
    if (count > 0 && (most != around->most_factor || least / most != around->least_share)) {
        if (set_factors(around, most, least / most, status) != STATUS_OK) {
            return status->code;
        }
        around->most_factor = most;
        around->least_share = least / most;
        around->self_thickness = most * around->self_set;
    }
    for (int v = 0; v < count; ++v) {
        around->share[v] = (map ? (double)map[v] : 1) / most;
    }
    around->skin.share = around->drawn.share = around->least_share < 1 ? around->share : NULL;
    return STATUS_OK;
}

Body *contact_world_body(const ContactWorld *around, int body) {
    return body >= 0 && body < around->body_count ? around->bodies[body] : NULL;
}

static void build_self(void *context, int begin, int end) {
    AroundWork *work = context;
    ContactWorld *around = work->around;
    for (int part = begin; part < end; ++part) {
        if (part == 0) {
            self_contact_build(&around->self, &around->skin, &work->status[part]);
        } else {
            impact_build(&around->impact, &around->skin, &work->status[part]);
        }
    }
}

/* A failure leaves nothing behind: the call may be repeated. */
static StatusCode take_self(ContactWorld *around, Status *status) {
    int count = around->skin.vertex_count;
    Store store = {0};
    around->before = STORE_ARRAY(&store, Vec3, count);
    around->weight = STORE_ARRAY(&store, double, count);
    StatusCode code = store.failed ? status_no_memory(status, "self-contact")
                                   : build_parts(around, SELF_PARTS, build_self, status);
    if (code != STATUS_OK) {
        self_contact_destroy(&around->self);
        impact_destroy(&around->impact);
        store_release(&store);
        return code;
    }
    store_join(&around->store, &store);
    around->self.room = around->finder.room;
    around->self_built = 1;
    return STATUS_OK;
}

StatusCode contact_world_set_self(ContactWorld *around, double thickness, double friction,
                                  Status *status) {
    if (thickness > 0 && !around->self_built && take_self(around, status) != STATUS_OK) {
        return status->code;
    }
    if (thickness <= 0) { /* when it is turned on again, these forces will be long past */
        memset(around->contacts.pressure[CONTACT_SELF], 0,
               (size_t)around->skin.vertex_count * sizeof(double));
        anchors_clear_kind(&around->contacts.anchors, CONTACT_SELF);
    }
    around->self_set = thickness;
    around->self_thickness = around->most_factor * thickness;
    around->self_friction = friction;
    return STATUS_OK;
}

bool contact_world_matter(const ContactWorld *around) {
    if (around->self_thickness > 0 || around->barrier) {
        return true;
    }
    for (int b = 0; b < around->body_count; ++b) {
        if (around->bodies[b]) {
            return true;
        }
    }
    return false;
}

size_t contact_world_near(const ContactWorld *around, uint8_t **near) {
    *near = around->samples.near;
    return (size_t)skin_item_count(&around->drawn);
}

void contact_world_clear_near(ContactWorld *around) {
    uint8_t *near;
    size_t count = contact_world_near(around, &near);
    memset(near, 0, count);
}

void contact_world_forget(ContactWorld *around) {
    around->measured = 0;
    contact_world_clear_near(around);
    anchors_clear(&around->contacts.anchors);
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        memset(around->contacts.pressure[k], 0,
               (size_t)around->contacts.vertex_count * sizeof(double));
    }
}

uint64_t contact_world_places(const ContactWorld *around) {
    uint64_t hash = 1469598103934665603u;
    for (int b = 0; b < around->body_count; ++b) {
        const Body *body = around->bodies[b];
        int count = body ? body->collider.vertex_count : 0;
        hash = (hash ^ (uint64_t)(b + 1)) * 1099511628211u;
        for (int v = 0; v < count; ++v) {
            uint64_t words[3];
            memcpy(words, &body->place[v], sizeof words);
            for (int k = 0; k < 3; ++k) { /* places come from floats: their low bits are all zero */
                hash = (hash ^ words[k] ^ (words[k] >> 32)) * 1099511628211u;
            }
        }
    }
    return hash ? hash : 1;
}

/* Stands for infinity where numbers have to be finite, m. */
#define FAR 1e30

Vec3 contact_world_memory(const ContactWorld *around, int vertex) {
    double clearance = around->finder.clearance[vertex];
    return vec3(around->contacts.pressure[CONTACT_BODY][vertex],
                around->contacts.pressure[CONTACT_SELF][vertex], clearance < FAR ? clearance : FAR);
}

void contact_world_remember(ContactWorld *around, int vertex, Vec3 memory) {
    around->contacts.pressure[CONTACT_BODY][vertex] = memory.x;
    around->contacts.pressure[CONTACT_SELF][vertex] = memory.y;
    around->finder.clearance[vertex] = memory.z < FAR ? memory.z : INFINITY;
}

/* --- frames and substeps ---------------------------------------------------------------------- */

void contact_world_start_frame(ContactWorld *around) {
    around->report = (ContactReport){0};
    contacts_clear(&around->contacts);
    contacts_close(&around->contacts, around->pool, NULL);
    for (int b = 0; b < around->body_count; ++b) {
        Body *body = around->bodies[b];
        if (body) {
            collider_set_frame(&body->collider, body->place, body->target);
            collider_find_arcs(&body->collider, around->pool);
        }
    }
}

void contact_world_end_frame(ContactWorld *around, double part) {
    for (int b = 0; b < around->body_count; ++b) {
        Body *body = around->bodies[b];
        for (int v = 0; body && v < body->collider.vertex_count; ++v) {
            body->place[v] = collider_place_at(&body->collider, v, part);
        }
    }
}

double contact_world_passing(ContactWorld *around, const Vec3 *x, const Vec3 *z, double least) {
    for (int b = 0; b < around->body_count; ++b) {
        Body *body = around->bodies[b];
        if (body) {
            clusters_move(&body->collider.clusters, around->pool, body->place, body->target, true);
        }
    }
    return passing_measure(&around->passing, around->pool, &around->reach, around->colliders,
                           around->body_count, x, z, least);
}

static void place_bodies(ContactWorld *around, double t0, double t1) {
    for (int b = 0; b < around->body_count; ++b) {
        if (around->bodies[b]) {
            collider_place(&around->bodies[b]->collider, around->pool, t0, t1);
        }
    }
}

/* The other half of a mirrored cloth. */
static void meet_image(ContactWorld *around, const Vec3 *z) {
    double thickness = barrier_thickness(around);
    if (thickness > 0) {
        barrier_find(around->skin.rest, around->skin.share, around->rail_from, thickness,
                     scale_of(around, thickness), z, &around->contacts);
    }
}

/* The limit of path tests: once for the iterations of a substep, and once for its end, so that the end always has some. */
static void reset_path_limit(ContactWorld *around) {
    int64_t vertices = WORK_BASE + around->skin.vertex_count;
    work_limit_reset(&around->finder.work_limit, around->cancelled, PATH_WORK * vertices);
}

/* Resets the limits of all searches for this substep. */
static void reset_work_limits(ContactWorld *around) {
    reset_path_limit(around);
    int64_t items = WORK_BASE + skin_item_count(&around->drawn);
    work_limit_reset(&around->features.pairs.work_limit, around->cancelled, FEATURE_WORK * items);
    if (around->self_thickness > 0) {
        int64_t elements = WORK_BASE + around->self.pairs.links.elements.count;
        work_limit_reset(&around->self.pairs.work_limit, around->cancelled, PAIR_WORK * elements);
        work_limit_reset(&around->impact.work_limit, around->cancelled, IMPACT_WORK * elements);
    }
}

/* Notes which limits were reached. */
static void note_curtailed(ContactWorld *around) {
    WorkLimit *const limits[] = {&around->features.pairs.work_limit, &around->self.pairs.work_limit,
                                 &around->impact.work_limit, &around->finder.work_limit};
    for (int k = 0; k < (int)(sizeof limits / sizeof *limits); ++k) {
        around->curtailed |= limits[k]->curtailed > 0;
        limits[k]->curtailed = 0;
    }
}

static void note_lack(ContactWorld *around) {
    bool pairs = around->self_thickness > 0 && around->self.pairs.dropped > 0;
    around->lacking = around->lacking || pairs || around->contacts.dropped > 0;
}

void contact_world_open(ContactWorld *around, const SubstepSpan *span, const Vec3 *x,
                        const Vec3 *z) {
    double clock = timing_now();
    around->lacking = around->any_curtailed = false;
    around->report.tangled = 0;
    around->substep = body_substep(around->colliders, around->body_count, x, span->length);
    around->substep.share = around->skin.share;
    around->feature_substep = (FeatureSubstep){.bodies = around->colliders,
                                               .sharp = around->sharp,
                                               .body_count = around->body_count,
                                               .x = x,
                                               .length = span->length,
                                               .once = span->once,
                                               .known = around->finder.known,
                                               .approach = around->finder.approach,
                                               .clearance = around->finder.clearance,
                                               .pinched = around->finder.pinched,
                                               .expected = around->finder.expected,
                                               .sight = around->substep.reach.meeting,
                                               .sampled = around->substep.reach.near};
    if (!around->measured) {
        place_bodies(around, span->t0, span->t0);
        reach_all(&around->reach, around->pool, &around->substep);
        vertex_contact_measure(&around->finder, around->pool, &around->substep);
        around->measured = 1;
    }
    place_bodies(around, span->t0, span->t1);
    reach_begin(&around->reach, around->pool, &around->substep, z, around->finder.clearance);
    sample_contact_begin(&around->samples, &around->substep);
    around->suspects = around->self_thickness > 0 ? impact_suspects(&around->impact, x) : NULL;
    piercing_begin(&around->piercing);
    around->report.search_seconds += timing_now() - clock;
}

/* Sets the vertices that count from now on. */
static void wake(ContactWorld *around, const Subset *awake) {
    bool change = awake || !around->whole;
    around->whole = !awake;
    around->reach.awake = awake;
    around->finder.awake = around->samples.awake = around->self.pairs.awake = awake;
    if (change) {
        feature_pairs_wake(&around->features.pairs, awake);
        around->skin.mean_edge = skin_mean_edge(&around->skin, awake);
        for (int b = 0; b < around->body_count; ++b) {
            if (around->bodies[b]) {
                set_scale(around, &around->bodies[b]->collider);
            }
        }
    }
}

/* After the contacts of vertices, and the search for pairs of layers: all others. `anew`: in a new substep. */
static void add_contacts(ContactWorld *around, const Vec3 *z, bool anew) {
    Pool *pool = around->pool;
    Contacts *contacts = &around->contacts;
    sample_contact_find(&around->samples, pool, &around->substep, &around->finder, z, anew,
                        contacts);
    feature_contact_find(&around->features, pool, &around->feature_substep, z, contacts);
    if (around->self_thickness > 0) {
        self_contact_find(&around->self, pool, z, around->self_friction, contacts);
    }
    meet_image(around, z);
    contacts_close(contacts, pool, z);
    note_lack(around);
    note_curtailed(around);
}

void contact_world_look(ContactWorld *around, const Subset *awake, const SubstepSpan *span,
                        const Vec3 *x, const Flight *flight, const Vec3 *z) {
    double clock = timing_now();
    wake(around, awake);
    reset_work_limits(around);
    around->curtailed = false;
    contacts_begin(&around->contacts, awake, x, flight, span->implicit);
    vertex_contact_begin(&around->finder, around->pool, &around->substep, z, &around->contacts);
    feature_contact_begin(&around->features, around->pool, &around->feature_substep, z);
    if (around->self_thickness > 0) {
        self_contact_begin(&around->self, around->pool, x, around->suspects, z,
                           around->self_thickness, self_slack(around), around->substep.length);
        around->report.tangled += around->self.piercings;
    }
    add_contacts(around, z, true);
    around->report.search_seconds += timing_now() - clock;
}

void contact_world_put_aside(ContactWorld *around) {
    around->any_curtailed = around->any_curtailed || around->curtailed;
    around->lacking = !contacts_shelve(&around->contacts) || around->lacking;
}

void contact_world_put_together(ContactWorld *around) {
    wake(around, NULL);
    contacts_unshelve(&around->contacts); /* of all vertices */
    around->curtailed = around->any_curtailed;
    note_lack(around);
}

void contact_world_refresh(ContactWorld *around, const Vec3 *z) {
    double clock = timing_now();
    contacts_clear(&around->contacts);
    reach_refresh(&around->reach, around->pool, &around->substep, z);
    vertex_contact_refresh(&around->finder, around->pool, &around->substep, z, &around->contacts);
    if (around->self_thickness > 0) {
        self_contact_update(&around->self, around->pool, z);
    }
    add_contacts(around, z, false);
    around->report.search_seconds += timing_now() - clock;
}

/* Removes crossings of the cloth with itself from the paths. Vertices on a body hardly yield: the layers above them do.
 * Returns how many crossings there were; 0 also without memory. `whole`: no push had to be undone for rails, which keep
 * their x. */
static int part_layers(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity,
                       bool *whole) {
    int count = around->skin.vertex_count;
    for (int i = 0; i < count; ++i) {
        int backed = vertex_contact_touches(&around->finder, i);
        around->before[i] = z[i];
        around->weight[i] = around->contacts.mass[i] * (backed ? BACKED : 1.0);
    }
    ImpactReport report;
    if (!impact_resolve(&around->impact, around->pool, around->substep.x, around->weight, held,
                        PARTED * around->self_thickness, z, &report)) {
        around->lacking = true;
        return 0;
    }
    around->report.caught += report.found;
    around->report.unresolved += report.left;
    *whole = true;
    for (int i = around->rail_from; i < count; ++i) {
        *whole &= z[i].x == around->before[i].x;
        z[i].x = around->before[i].x;
    }
    double rate = 1.0 / around->contacts.length;
    for (int i = 0; report.found > 0 && i < count; ++i) {
        velocity[i] = vec3_madd(velocity[i], rate, vec3_sub(z[i], around->before[i]));
    }
    return report.found;
}

/* Puts vertices in front of bodies; again if one was pushed so far that it may reach a sleeping cluster. */
static void project_vertices(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity,
                             BodyReport *report) {
    reach_refresh(&around->reach, around->pool, &around->substep, z);
    vertex_contact_project(&around->finder, around->pool, &around->substep, held, z, velocity,
                           report);
    if (reach_refresh(&around->reach, around->pool, &around->substep, z)) {
        double deepest = report->deepest;
        vertex_contact_project(&around->finder, around->pool, &around->substep, held, z, velocity,
                               report);
        report->deepest = fmax(report->deepest, deepest);
    }
}

/* Puts vertices, edges and faces in front of bodies. */
static void project(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity,
                    BodyReport *report) {
    double deepest = 0;
    int pierced = 0;
    bool moved = true;
    for (int turn = 0; turn < PROJECTIONS && moved; ++turn) {
        project_vertices(around, held, z, velocity, report);
        deepest = fmax(deepest, report->deepest);
        moved = piercing_project(&around->piercing, around->pool, &around->substep, &around->finder,
                                 held, z, velocity, &pierced);
    }
    report->deepest = deepest;
    report->pierced = pierced;
}

bool contact_world_end(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity) {
    double clock = timing_now(), deepest = around->report.body.deepest;
    contacts_end(&around->contacts, z, &around->report.contacts, &around->report.self_contacts);
    reset_path_limit(around);
    project(around, held, z, velocity, &around->report.body);
    if (around->report.body.deepest < deepest) {
        around->report.body.deepest = deepest;
    }
    for (int pass = 0; around->self_thickness > 0 && pass < PARTINGS; ++pass) {
        int unresolved = around->report.unresolved;
        size_t bytes = (size_t)around->skin.vertex_count * sizeof *z;
        bool whole;
        if (part_layers(around, held, z, velocity, &whole) == 0) {
            break;
        }
        /* Separated layers may end in a body, and vertices put out of a body may cross layers again. */
        BodyReport again;
        memcpy(around->before, z, bytes);
        project(around, held, z, velocity, &again);
        around->report.body.stuck = again.stuck;
        around->report.body.pierced = again.pierced;
        if (whole && around->report.unresolved == unresolved &&
            memcmp(around->before, z, bytes) == 0) {
            break; /* no vertex was in a body, and all layers are separate */
        }
    }
    double thickness = barrier_thickness(around);
    if (thickness > 0) {
        barrier_end(around->skin.rest, around->rail_from, scale_of(around, thickness), z, velocity);
    }
    note_curtailed(around);
    around->report.curtailed += around->curtailed;
    around->report.respond_seconds += timing_now() - clock;
    return !around->lacking;
}

void contact_world_settle(ContactWorld *around) {
    contacts_settle(&around->contacts);
    vertex_contact_settle(&around->finder);
    sample_contact_settle(&around->samples);
    if (around->self_thickness > 0) {
        impact_settle(&around->impact);
    }
}

void contact_world_end_again(ContactWorld *around, const uint8_t *held, Vec3 *z, Vec3 *velocity) {
    BodyReport again;
    bool counted = around->curtailed;
    project(around, held, z, velocity, &again);
    around->report.body.stuck = again.stuck;
    around->report.body.pierced = again.pierced;
    note_curtailed(around);
    around->report.curtailed += around->curtailed && !counted;
}

void contact_world_undo(ContactWorld *around) {
    anchors_drop_noted(&around->contacts.anchors);
    sample_contact_undo(&around->samples);
}

/* The points are no vertices: they may be where the cloth touches nothing. */
void contact_world_keep_out(ContactWorld *around, Pool *pool, double reach, int count,
                            OutsideHint *hints, Vec3 *points) {
    BodySubstep bodies = body_substep(around->colliders, around->body_count, NULL, 0);
    if (!around->reach.all) {
        reach_all(&around->reach, pool, &bodies);
    }
    outside_put(pool, around->colliders, around->body_count, reach, count, hints, points);
}

/* Between steps bodies are at `place`, which may differ from where the last substep left the collider. Every frame sets the
 * colliders again. */
void contact_world_stand(ContactWorld *around) {
    BodySubstep bodies = body_substep(around->colliders, around->body_count, NULL, 0);
    for (int b = 0; b < around->body_count; ++b) {
        Body *body = around->bodies[b];
        if (body) {
            collider_set_frame(&body->collider, body->place, body->place);
        }
    }
    place_bodies(around, 1, 1);
    reach_all(&around->reach, around->pool, &bodies);
}

void contact_world_gaps(ContactWorld *around, int count, const Vec3 *points, BodyGap *gaps) {
    contact_world_stand(around);
    gaps_measure(around->pool, around->colliders, around->body_count, count, points, gaps);
    for (int i = 0; i < count; ++i) {
        gaps[i].thickness /= around->most_factor;
    }
}
