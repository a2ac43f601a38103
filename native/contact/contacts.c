/* The energy is written so that the solver sees a quadratic function wherever a contact stays what it is: inside its
 * soft part, inside its hard part, sticking or sliding. */
#include "contact/contacts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/rotation.h"
#include "base/status.h"

/* Stiffness of the shells over the mean mass of a vertex, and of friction over the contact's own: soft
 * enough for the solver, stiff enough for the weight of a garment to sink by a fraction of a shell, and to give sideways by
 * some micrometres. Rounds that end early leave more than that where friction is three times as stiff: anchors are
 * dragged then that should hold. */
#define SHELL_STIFFNESS 2500.0
#define GRIP_STIFFNESS 100.0
/* What the hard part of a shell adds, over the soft one. */
#define HARDER 20.0
/* A contact this many ranges outside of its shell is skipped: more than rounding takes. */
#define GLANCE 2.0
/* How deep in its shell a contact counts at the least where forces are shared out, over its range: far less than weight
 * makes it. */
#define LEAST_DEPTH 1e-6

StatusCode contacts_build(Contacts *contacts, int vertex_count, int plane_from, Status *status) {
    size_t count = (size_t)vertex_count;
    *contacts = (Contacts){.vertex_count = vertex_count, .plane_from = plane_from};
    contacts->entry_start = SCRATCH_ARRAY(int, count + 1);
    contacts->mass = SCRATCH_ARRAY(double, count);
    contacts->factor = SCRATCH_ARRAY(double, count);
    bool failed = !contacts->entry_start || !contacts->mass || !contacts->factor ||
                  anchors_build(&contacts->anchors, vertex_count, status) != STATUS_OK;
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        contacts->pressure[k] = SCRATCH_ARRAY(double, count);
        contacts->claimed[k] = SCRATCH_ARRAY(double, count);
        failed |= !contacts->pressure[k] || !contacts->claimed[k];
    }
    if (failed || !contacts_reserve(contacts, vertex_count)) {
        contacts_destroy(contacts);
        return status_no_memory(status, "contacts");
    }
    return STATUS_OK;
}

void contacts_destroy(Contacts *contacts) {
    free(contacts->list);
    free(contacts->brief);
    free(contacts->claim);
    free(contacts->aimed);
    free(contacts->track);
    free(contacts->slope);
    free(contacts->pull);
    free(contacts->active);
    free(contacts->active_count);
    free(contacts->push);
    free(contacts->entry);
    free(contacts->entry_weight);
    free(contacts->entry_start);
    free(contacts->mass);
    free(contacts->factor);
    anchors_destroy(&contacts->anchors);
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        free(contacts->shelf.list[k]);
        free(contacts->pressure[k]);
        free(contacts->claimed[k]);
    }
    *contacts = (Contacts){0};
}

/* The shells' stiffness goes by the mean mass of the vertices that take part. */
static void find_stiffness(Contacts *contacts) {
    double total = 0, count = 0; /* a vertex in the mirror plane is half a one */
    for (int i = subset_first(contacts->awake); i < contacts->vertex_count;
         i = subset_next(contacts->awake, i)) {
        double part = i < contacts->plane_from ? 1.0 : 0.5;
        total += part * contacts->mass[i];
        count += part;
    }
    contacts->stiffness = count > 0 ? SHELL_STIFFNESS * total / count : 0.0;
}

void contacts_set_masses(Contacts *contacts, const double *mass) {
    for (int i = 0; i < contacts->vertex_count; ++i) {
        contacts->mass[i] = mass[i] / (i < contacts->plane_from ? 1.0 : 0.5);
    }
    find_stiffness(contacts);
}

void contacts_set_factors(Contacts *contacts, const double *factor) {
    contacts->varied = false;
    for (int i = 0; i < contacts->vertex_count; ++i) {
        contacts->factor[i] = factor[i];
        contacts->varied |= factor[i] != 1.0;
    }
}

/* --- filling the list ------------------------------------------------------------------------- */

void contacts_begin(Contacts *contacts, const Subset *awake, const Vec3 *x, const Flight *flight,
                    double length) {
    if (awake || contacts->awake) {
        contacts->awake = awake;
        find_stiffness(contacts);
    }
    contacts->start = x;
    contacts->flight = *flight;
    contacts->length = length;
    contacts_clear(contacts);
}

void contacts_clear(Contacts *contacts) {
    contacts->count = contacts->body_count = 0;
    contacts->dropped = 0;
}

bool contacts_reserve(Contacts *contacts, int count) {
    if (count <= contacts->capacity) {
        return true;
    }
    size_t room = (size_t)count + (size_t)count / 2 + 64;
    if (room > INT32_MAX / CONTACT_VERTICES) {
        return false;
    }
    bool failed = false; /* what grew all the same is larger than needed */
    SCRATCH_GROW(contacts->list, room, &failed);
    SCRATCH_GROW(contacts->brief, room, &failed);
    SCRATCH_GROW(contacts->claim, room, &failed);
    SCRATCH_GROW(contacts->aimed, room, &failed);
    SCRATCH_GROW(contacts->track, room, &failed);
    SCRATCH_GROW(contacts->slope, room, &failed);
    SCRATCH_GROW(contacts->pull, room, &failed);
    SCRATCH_GROW(contacts->active, room, &failed);
    SCRATCH_GROW(contacts->push, room, &failed);
    SCRATCH_GROW(contacts->active_count, pool_chunks((int)room), &failed);
    SCRATCH_GROW(contacts->entry, room * CONTACT_VERTICES, &failed);
    SCRATCH_GROW(contacts->entry_weight, room * CONTACT_VERTICES, &failed);
    failed |= !anchors_reserve(&contacts->anchors, (int)room);
    contacts->capacity = failed ? contacts->capacity : (int)room;
    return !failed;
}

void contacts_add(Contacts *contacts, ContactKind kind, const Contact *contact) {
    Contact *to = contacts_extend(contacts, kind, 1);
    if (to) {
        *to = *contact;
    }
}

Contact *contacts_extend(Contacts *contacts, ContactKind kind, int count) {
    if (count > INT32_MAX - contacts->count ||
        !contacts_reserve(contacts, contacts->count + count)) {
        contacts->dropped += count;
        return NULL;
    }
    /* they come first */
    INVARIANT(kind != CONTACT_BODY || count == 0 || contacts->body_count == contacts->count);
    Contact *first = contacts->list + contacts->count;
    contacts->count += count;
    contacts->body_count += kind == CONTACT_BODY ? count : 0;
    return first;
}

static ContactKind kind_of(const Contacts *contacts, int c) {
    return c < contacts->body_count ? CONTACT_BODY : CONTACT_SELF;
}

/* By counting: each vertex's place starts at the end of its range and moves down as the range fills. */
static void sort_entries(Contacts *contacts) {
    int *start = contacts->entry_start;
    memset(start, 0, ((size_t)contacts->vertex_count + 1) * sizeof *start);
    for (int c = 0; c < contacts->count; ++c) {
        int alone = contacts->brief[c].vertex;
        const Contact *contact = &contacts->list[c];
        INVARIANT(alone < contacts->vertex_count && contact->count <= CONTACT_VERTICES);
        if (alone >= 0) {
            ++start[alone];
        }
        for (int j = 0; alone < 0 && j < contact->count; ++j) {
            INVARIANT(contact->vertices[j] >= 0 && contact->vertices[j] < contacts->vertex_count);
            ++start[contact->vertices[j]];
        }
    }
    for (int i = 1; i <= contacts->vertex_count; ++i) {
        start[i] += start[i - 1];
    }
    for (int c = contacts->count;
         c-- > 0;) { /* backwards, so that each vertex has them ascending */
        int alone = contacts->brief[c].vertex;
        const Contact *contact = &contacts->list[c];
        if (alone >= 0) {
            int e = --start[alone];
            contacts->entry[e] = CONTACT_VERTICES * c;
            contacts->entry_weight[e] = 1.0;
        }
        for (int j = alone < 0 ? contact->count : 0; j-- > 0;) {
            int e = --start[contact->vertices[j]];
            contacts->entry[e] = CONTACT_VERTICES * c + j;
            contacts->entry_weight[e] = contact->weights[j];
        }
    }
}

/* sum w_j z_j */
static Vec3 point_at(const Contact *contact, const Vec3 *z) {
    Vec3 sum = vec3_scale(contact->weights[0], z[contact->vertices[0]]);
    for (int j = 1; j < contact->count; ++j) {
        sum = vec3_madd(sum, contact->weights[j], z[contact->vertices[j]]);
    }
    return sum;
}

/* How far outside its shell the contact's point is. */
static double gap_at(const Contact *contact, Vec3 at) {
    return vec3_dot(contact->normal, vec3_sub(at, contact->point)) - contact->shell;
}

static double soft_depth(const Contact *contact) {
    return contact->soft > 0 ? contact->soft : 0.5 * fabs(contact->shell);
}

/* Where a place beside the surface at the substep's start is at its end, if it goes with the surface. */
static Vec3 carried_along(const Contact *contact, Vec3 place) {
    Vec3 before = vec3_sub(contact->point, contact->way);
    return vec3_add(contact->point, rotate_by(contact->turn, vec3_sub(place, before)));
}

/* What a contact claims of the normal forces that its vertices had when the substep began: what its spring pushed with
 * then, over the stiffness, m. Contacts that are only near bore nothing. Where none bore anything, they share alike. */
static double claim_of(const Contacts *contacts, const Contact *contact) {
    Vec3 at = carried_along(contact, point_at(contact, contacts->start));
    double depth = -gap_at(contact, at);
    double pushed = fmax(depth, 0.0) + HARDER * fmax(depth - soft_depth(contact), 0.0);
    return contact->part * (pushed + LEAST_DEPTH * contact->range);
}

/* What all contacts of each vertex claim of it, by its weights there. Most vertices carried nothing to share out. */
static void sum_claims(void *context, int begin, int end) {
    Contacts *contacts = context;
    for (int i = begin; i < end; ++i) {
        if (contacts->pressure[CONTACT_BODY][i] == 0 && contacts->pressure[CONTACT_SELF][i] == 0) {
            continue;
        }
        double sum[CONTACT_KINDS] = {0};
        for (int e = contacts->entry_start[i]; e < contacts->entry_start[i + 1]; ++e) {
            int c = contacts->entry[e] / CONTACT_VERTICES;
            sum[kind_of(contacts, c)] += contacts->claim[c] * fabs(contacts->entry_weight[e]);
        }
        for (int k = 0; k < CONTACT_KINDS; ++k) {
            contacts->claimed[k][i] = sum[k];
        }
    }
}

/* The normal force that a contact is expected to carry, N: the vertices' own of the last substep, each shared
 * out among the contacts it has now, by its weights there and by what they claim: each that carries what it did gets
 * just that. */
static double expected_force(const Contacts *contacts, int c) {
    const Contact *contact = &contacts->list[c];
    ContactKind kind = kind_of(contacts, c);
    double force = 0, weight = 0;
    for (int j = 0; j < contact->count; ++j) {
        int i = contact->vertices[j];
        double own = fabs(contact->weights[j]), pressure = contacts->pressure[kind][i];
        weight += own;
        if (pressure != 0 && contacts->claimed[kind][i] > 0) {
            force += own * pressure / contacts->claimed[kind][i];
        }
    }
    return weight > 0 ? contacts->claim[c] * force / weight : 0.0;
}

/* Half a cloth's share of a contact. */
static void take_part(const Contacts *contacts, Contact *contact) {
    int inside = 0;
    for (int j = 0; j < contact->count; ++j) {
        inside += contact->vertices[j] >= contacts->plane_from;
    }
    contact->part = inside == contact->count ? 0.5 : 1.0;
    contact->stiffness = contact->part * contacts->stiffness;
}

static ContactBrief brief_of(const Contact *contact) {
    bool alone = contact->count == 1 && contact->weights[0] == 1.0;
    double outside = contact->shell + GLANCE * contact->range;
    return (ContactBrief){.normal = contact->normal,
                          .beyond = vec3_dot(contact->normal, contact->point) + outside,
                          .vertex = alone ? contact->vertices[0] : -1};
}

static void brief_contacts(void *context, int begin, int end) {
    Contacts *contacts = context;
    for (int c = begin; c < end; ++c) {
        Contact *contact = &contacts->list[c];
        take_part(contacts, contact);
        contacts->claim[c] = claim_of(contacts, contact);
        contacts->brief[c] = brief_of(contact);
    }
}

/* The normal force that a contact will carry which carried none before, N: what keeps its own mass out of the shell. */
static double first_force(const Contacts *contacts, const Contact *contact) {
    const Flight *flight = &contacts->flight;
    double gap = -vec3_dot(contact->normal, contact->point) - contact->shell, yielding = 0;
    for (int j = 0; flight->drive && j < contact->count; ++j) {
        int i = contact->vertices[j];
        double weight = contact->weights[j];
        Vec3 flown = vec3_madd(flight->start[i], 1.0 / flight->inertia[i], flight->drive[i]);
        gap += weight * vec3_dot(contact->normal, flown);
        yielding += weight * weight / contacts->mass[i];
    }
    double h2 = contacts->length * contacts->length;
    return yielding > 0 && gap < 0 ? -flight->onset * contact->part * gap / (yielding * h2) : 0.0;
}

/* What it is known by, and by how much it is strained. */
static Anchor anchor_of(const Contacts *contacts, int c, Vec3 strain) {
    const Contact *contact = &contacts->list[c];
    Anchor anchor = {.vertices = {-1, -1, -1, -1},
                     .place = {contact->place[0], contact->place[1]},
                     .kind = (int32_t)kind_of(contacts, c),
                     .single = !(contact->count > 1 && contact->weights[1] > 0),
                     .normal = contact->normal,
                     .strain = strain};
    for (int j = 0; j < contact->count && j < ANCHOR_VERTICES; ++j) {
        anchor.vertices[j] = contact->vertices[j];
    }
    return anchor;
}

/* The anchor goes with the surface. */
static void hold_contact(const Contacts *contacts, int c) {
    Contact *contact = &contacts->list[c];
    Anchor like = anchor_of(contacts, c, vec3(0, 0, 0));
    Vec3 strain = anchors_find(&contacts->anchors, &like);
    contact->hold = carried_along(contact, vec3_sub(point_at(contact, contacts->start), strain));
}

/* What resists sideways: the mass that moves with the contact's point, kg. */
static double grip_of(const Contacts *contacts, const Contact *contact) {
    double mass = 0, weight = 0;
    for (int j = 0; j < contact->count; ++j) {
        mass += fabs(contact->weights[j]) * contacts->mass[contact->vertices[j]];
        weight += fabs(contact->weights[j]);
    }
    return weight > 0 ? contact->part * GRIP_STIFFNESS * mass / weight : 0.0;
}

/* Coulomb's coefficient at a contact. On a body it is multiplied by the mean factor of the cloth there. Two layers have
 * the geometric mean of both sides, as in Box2D: where one is slippery they slide, and where both have one factor that is
 * the factor. */
static double friction_of(const Contacts *contacts, const Contact *contact) {
    double factor[2] = {0, 0}, weight[2] = {0, 0};
    for (int j = 0; contacts->varied && j < contact->count; ++j) {
        int side = contact->weights[j] < 0;
        factor[side] += fabs(contact->weights[j]) * contacts->factor[contact->vertices[j]];
        weight[side] += fabs(contact->weights[j]);
    }
    if (weight[0] > 0 && weight[1] > 0) {
        return contact->friction * sqrt(factor[0] / weight[0] * (factor[1] / weight[1]));
    }
    return weight[0] > 0 ? contact->friction * factor[0] / weight[0] : contact->friction;
}

/* A contact that carried nothing before does not begin outside the shell: the flight knows of no other force that may
 * keep it there. */
static void limit_contact(const Contacts *contacts, int c, const Vec3 *z) {
    Contact *contact = &contacts->list[c];
    double friction = friction_of(contacts, contact);
    double force = friction > 0 ? expected_force(contacts, c) : 0.0;
    if (force == 0 && friction > 0 && gap_at(contact, point_at(contact, z)) < 0) {
        force = first_force(contacts, contact);
    }
    contact->limit = friction * contacts->length * contacts->length * force;
    if (contact->limit > 0) {
        contact->grip = grip_of(contacts, contact);
        hold_contact(contacts, c);
    }
}

typedef struct ContactWork {
    Contacts *contacts;
    const Vec3 *z, *p, *q;
    double part;
} ContactWork;

static void limit_contacts(void *context, int begin, int end) {
    const ContactWork *work = context;
    for (int c = begin; c < end; ++c) {
        limit_contact(work->contacts, c, work->z);
    }
}

void contacts_close(Contacts *contacts, Pool *pool, const Vec3 *z) {
    ContactWork work = {.contacts = contacts, .z = z};
    memset(contacts->active_count, 0,
           (size_t)pool_chunks(contacts->count) * sizeof *contacts->active_count);
    pool_run(pool, contacts->count, brief_contacts, contacts);
    sort_entries(contacts);
    subset_run(contacts->awake, pool, contacts->vertex_count, sum_claims, contacts);
    pool_run(pool, contacts->count, limit_contacts, &work);
}

/* --- putting aside ---------------------------------------------------------------------------- */

static bool shelve_kind(ContactShelf *shelf, int kind, const Contact *from, int count) {
    int wanted = shelf->count[kind] + count;
    shelf->list[kind] = scratch_reserve(shelf->list[kind], &shelf->capacity[kind], wanted,
                                        sizeof *shelf->list[kind]);
    if (wanted > shelf->capacity[kind]) {
        return false;
    }
    if (count > 0) {
        memcpy(shelf->list[kind] + shelf->count[kind], from, (size_t)count * sizeof *from);
        shelf->count[kind] = wanted;
    }
    return true;
}

bool contacts_shelve(Contacts *contacts) {
    int body_count = contacts->body_count;
    bool kept = shelve_kind(&contacts->shelf, CONTACT_BODY, contacts->list, body_count) &&
                shelve_kind(&contacts->shelf, CONTACT_SELF, contacts->list + body_count,
                            contacts->count - body_count);
    contacts_clear(contacts);
    return kept;
}

void contacts_unshelve(Contacts *contacts) {
    contacts->awake = NULL;
    find_stiffness(contacts);
    ContactShelf *shelf = &contacts->shelf;
    contacts_clear(contacts);
    for (int kind = 0; kind < CONTACT_KINDS; ++kind) {
        Contact *to = contacts_extend(contacts, (ContactKind)kind, shelf->count[kind]);
        if (to && shelf->count[kind] > 0) {
            memcpy(to, shelf->list[kind], (size_t)shelf->count[kind] * sizeof *to);
        }
        shelf->count[kind] = 0;
    }
    for (int c = 0; c < contacts->count; ++c) {
        contacts->brief[c] = brief_of(&contacts->list[c]);
    }
    sort_entries(contacts);
    memset(contacts->active_count, 0,
           (size_t)pool_chunks(contacts->count) * sizeof *contacts->active_count);
}

/* --- energy ----------------------------------------------------------------------------------- */

/* How far the contact's point is from its anchor, along the plane. */
static Vec3 slip_of(const Contact *contact, Vec3 at) {
    Vec3 moved = vec3_sub(at, contact->hold);
    return vec3_madd(moved, -vec3_dot(contact->normal, moved), contact->normal);
}

/* What a contact whose point is at `at` does; returns its energy. */
static inline double push_of(const Contact *contact, Vec3 at, ContactPush *push) {
    double gap = gap_at(contact, at), energy = 0;
    *push = (ContactPush){{0, 0, 0}, 0, 0, {0, 0, 0}};
    if (gap < 0) {
        double k = contact->stiffness, hard = HARDER * k, deeper = gap + soft_depth(contact);
        double force = k * gap;
        energy = 0.5 * k * gap * gap;
        push->along = k;
        if (deeper < 0) {
            energy += 0.5 * hard * deeper * deeper;
            push->along += hard;
            force += hard * deeper;
        }
        push->pull = vec3_scale(force, contact->normal);
    }
    if (gap < contact->range && contact->limit > 0) {
        Vec3 slip = slip_of(contact, at);
        double grip = contact->grip, slid = vec3_length(slip), limit = contact->limit;
        bool sticks = grip * slid <= limit;
        push->across = sticks ? grip : limit / slid;
        energy += sticks ? 0.5 * grip * slid * slid : limit * slid - 0.5 * limit * limit / grip;
        push->pull = vec3_madd(push->pull, push->across, slip);
        if (!sticks) {
            push->glide = vec3_scale(1.0 / slid, slip);
        }
    }
    return energy;
}

/* So far outside its shell that it does nothing. Not where z is no number. */
static bool is_far(const Contacts *contacts, int c, const Vec3 *z) {
    const ContactBrief *brief = &contacts->brief[c];
    return brief->vertex >= 0 && vec3_dot(brief->normal, z[brief->vertex]) > brief->beyond;
}

/* Contacts that did something are listed where their chunk begins. */
static double evaluate_contacts(void *context, int begin, int end) {
    const ContactWork *work = context;
    Contacts *contacts = work->contacts;
    int *active = contacts->active + begin, count = 0;
    double energy = 0;
    for (int c = begin; c < end; ++c) {
        if (is_far(contacts, c, work->z)) {
            contacts->pull[c] = vec3(0, 0, 0);
            continue;
        }
        const Contact *contact = &contacts->list[c];
        ContactPush *push = &contacts->push[c];
        energy += push_of(contact, point_at(contact, work->z), push);
        contacts->pull[c] = push->pull;
        if (push->along > 0 || push->across > 0) {
            active[count++] = c;
        }
    }
    contacts->active_count[pool_chunk_at(begin)] = count;
    return energy;
}

double contacts_evaluate(Contacts *contacts, Pool *pool, const Vec3 *z) {
    ContactWork work = {.contacts = contacts, .z = z};
    return pool_sum(pool, contacts->count, evaluate_contacts, &work);
}

Vec3 contacts_gradient(const Contacts *contacts, int i) {
    Vec3 sum = vec3(0, 0, 0);
    for (int e = contacts->entry_start[i]; e < contacts->entry_start[i + 1]; ++e) {
        int c = contacts->entry[e] / CONTACT_VERTICES;
        sum = vec3_madd(sum, contacts->entry_weight[e], contacts->pull[c]);
    }
    return sum;
}

/* The second derivative times a shift of the contact's point. */
static Vec3 stiffness_times(const Contact *contact, const ContactPush *push, Vec3 shift) {
    double along = vec3_dot(contact->normal, shift), glided = vec3_dot(push->glide, shift);
    Vec3 across = vec3_scale(push->across, vec3_madd(shift, -glided, push->glide));
    return vec3_madd(across, (push->along - push->across) * along, contact->normal);
}

/* The second derivative's product with p + part q, for both functions below. */
static double multiply_contacts(void *context, int begin, int end) {
    const ContactWork *work = context;
    Contacts *contacts = work->contacts;
    const int *active = contacts->active + begin;
    double sum = 0;
    (void)end;
    for (int k = 0; k < contacts->active_count[pool_chunk_at(begin)]; ++k) {
        int c = active[k];
        const Contact *contact = &contacts->list[c];
        Vec3 shift = point_at(contact, work->p);
        if (work->q) {
            shift = vec3_madd(shift, work->part, point_at(contact, work->q));
        }
        Vec3 pull = stiffness_times(contact, &contacts->push[c], shift);
        sum += vec3_dot(shift, pull);
        if (!work->q) { /* the pulls of all others are zero since they were evaluated */
            contacts->pull[c] = pull;
        }
    }
    return sum;
}

double contacts_multiply(Contacts *contacts, Pool *pool, const Vec3 *p) {
    ContactWork work = {.contacts = contacts, .p = p};
    return pool_sum(pool, contacts->count, multiply_contacts, &work);
}

double contacts_curvature(const Contacts *contacts, Pool *pool, const Vec3 *p, double part,
                          const Vec3 *q) {
    ContactWork work = {.contacts = (Contacts *)contacts, .p = p, .q = q, .part = part};
    return pool_sum(pool, contacts->count, multiply_contacts, &work);
}

/* Notes the number of each contact that is aimed at, and -1 for the others; returns how many there are. Chunks are those
 * of the evaluation, as the sums of both are cut alike. */
static double aim_at(void *context, int begin, int end) {
    const ContactWork *work = context;
    Contacts *contacts = work->contacts;
    const int *active = contacts->active + begin;
    const int *last = active + contacts->active_count[pool_chunk_at(begin)];
    int count = 0;
    for (int c = begin; c < end; ++c) {
        const ContactBrief *brief = &contacts->brief[c];
        int v = brief->vertex;
        bool acts = active < last && *active == c;
        Vec3 at = v >= 0 ? work->z[v] : point_at(&contacts->list[c], work->z);
        Vec3 shift = v >= 0 ? work->p[v] : point_at(&contacts->list[c], work->p);
        double from = vec3_dot(brief->normal, at);
        double to = from - work->part * vec3_dot(brief->normal, shift);
        bool far = from > brief->beyond && to > brief->beyond; /* then so it is in between */
        contacts->aimed[c] = far ? -1 : c;
        contacts->track[c] = (ContactTrack){at, shift};
        contacts->slope[c][0] = acts ? -vec3_dot(contacts->push[c].pull, shift) : 0.0;
        active += acts;
        count += !far;
    }
    return count;
}

/* Moves those that are aimed at to the front; returns the sum of their slopes. */
static double gather_aimed(Contacts *contacts) {
    double slope = 0;
    contacts->aimed_count = 0;
    for (int c = 0; c < contacts->count; ++c) {
        if (contacts->aimed[c] >= 0) {
            contacts->aimed[contacts->aimed_count++] = c;
            slope += contacts->slope[c][0];
        }
    }
    return slope;
}

double contacts_aim(Contacts *contacts, Pool *pool, const Vec3 *z, const Vec3 *p, double longest) {
    ContactWork work = {.contacts = contacts, .z = z, .p = p, .part = longest};
    pool_sum(pool, contacts->count, aim_at, &work);
    return gather_aimed(contacts);
}

static void look_along(void *context, int begin, int end) {
    const ContactWork *work = context;
    Contacts *contacts = work->contacts;
    for (int k = begin; k < end; ++k) {
        const Contact *contact = &contacts->list[contacts->aimed[k]];
        const ContactTrack *track = &contacts->track[contacts->aimed[k]];
        ContactPush push;
        push_of(contact, vec3_madd(track->at, -work->part, track->shift), &push);
        contacts->slope[k][0] = -vec3_dot(push.pull, track->shift);
        contacts->slope[k][1] =
            vec3_dot(track->shift, stiffness_times(contact, &push, track->shift));
    }
}

void contacts_along(Contacts *contacts, Pool *pool, double a, double *slope, double *curvature) {
    ContactWork work = {.contacts = contacts, .part = a};
    pool_run(pool, contacts->aimed_count, look_along, &work);
    *slope = *curvature = 0;
    for (int k = 0; k < contacts->aimed_count; ++k) {
        *slope += contacts->slope[k][0];
        *curvature += contacts->slope[k][1];
    }
}

static double aim_inside(void *context, int begin, int end) {
    Contacts *contacts = context;
    int count = 0;
    for (int c = begin; c < end; ++c) {
        contacts->aimed[c] = -1;
    }
    for (int k = 0; k < contacts->active_count[pool_chunk_at(begin)]; ++k) {
        int c = contacts->active[begin + k];
        if (contacts->push[c].along > 0) {
            contacts->aimed[c] = c;
            contacts->slope[c][0] = 0;
            ++count;
        }
    }
    return count;
}

int contacts_aim_inside(Contacts *contacts, Pool *pool) {
    int count = (int)pool_sum(pool, contacts->count, aim_inside, contacts);
    gather_aimed(contacts);
    return count;
}

void contact_stiffness(const Contact *contact, const Vec3 *z, double *along, double *across) {
    ContactPush push;
    push_of(contact, point_at(contact, z), &push);
    *along = push.along;
    *across = push.across;
}

double contacts_push(const Contacts *contacts, int c, Vec3 at, ContactPush *push) {
    return push_of(&contacts->list[c], at, push);
}

/* The anchor stays as long as the contact sticks; beyond the limit it is dragged along. Pulls have both: what is across
 * the normal is the strain times the grip, up to the limit. */
static void note_anchor(Contacts *contacts, int c, Vec3 pull) {
    const Contact *contact = &contacts->list[c];
    Vec3 across = vec3_madd(pull, -vec3_dot(contact->normal, pull), contact->normal);
    Anchor anchor = anchor_of(contacts, c, vec3_scale(1.0 / contact->grip, across));
    anchors_note(&contacts->anchors, &anchor);
}

void contacts_end(Contacts *contacts, const Vec3 *z, int *pushing, int *self_pushing) {
    *pushing = *self_pushing = 0;
    anchors_drop_noted(&contacts->anchors);
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        memset(contacts->claimed[k], 0, (size_t)contacts->vertex_count * sizeof(double));
    }
    double h2 = contacts->length * contacts->length;
    for (int c = 0; c < contacts->count; ++c) {
        if (is_far(contacts, c, z)) {
            continue;
        }
        const Contact *contact = &contacts->list[c];
        ContactPush push;
        push_of(contact, point_at(contact, z), &push);
        double force = -vec3_dot(push.pull, contact->normal) / h2;
        if (push.across > 0) {
            note_anchor(contacts, c, push.pull);
        }
        for (int j = 0; force > 0 && j < contact->count; ++j) {
            contacts->claimed[kind_of(contacts, c)][contact->vertices[j]] +=
                fabs(contact->weights[j]) * force;
        }
        *pushing += force > 0;
        *self_pushing += force > 0 && kind_of(contacts, c) == CONTACT_SELF;
    }
}

void contacts_settle(Contacts *contacts) {
    for (int k = 0; k < CONTACT_KINDS; ++k) {
        double *before = contacts->pressure[k];
        contacts->pressure[k] = contacts->claimed[k];
        contacts->claimed[k] = before;
    }
    anchors_settle(&contacts->anchors);
}

/* --- the mirror plane ------------------------------------------------------------------------- */

/* The image of a vertex is always straight across the plane, so this contact needs no search. */

/* Contacts are kept for vertices that may come within reach during the iterations, m at the usual thickness: see scale.h.
 * */
#define SLACK 0.004
/* How far before the plane a vertex is put that ended beyond it, m, likewise: its image is not in the same place. */
#define BEFORE 1e-5

/* The point of the contact is the way from the vertex's image to the vertex: twice its distance from the plane. */
void barrier_find(const Vec3 *rest, const double *share, int count, double thickness, double scale,
                  const Vec3 *z, Contacts *contacts) {
    for (int i = subset_first(contacts->awake); i < contacts->vertex_count;
         i = subset_next(contacts->awake, i)) {
        double own = share ? share[i] * thickness : thickness;
        double shell = rest[i].x < own ? rest[i].x : own;
        if (i < count && shell > 0 && 2.0 * z[i].x < shell + SLACK * scale) {
            contacts_add(contacts, CONTACT_SELF,
                         &(Contact){.count = 1,
                                    .vertices = {i},
                                    .weights = {2.0},
                                    .normal = {1, 0, 0},
                                    .shell = shell});
        }
    }
}

void barrier_end(const Vec3 *rest, int count, double scale, Vec3 *z, Vec3 *velocity) {
    double before = BEFORE * scale;
    for (int i = 0; i < count; ++i) {
        if (z[i].x < before && rest[i].x > 0) {
            z[i].x = before;
            velocity[i].x = velocity[i].x < 0 ? 0.0 : velocity[i].x;
        }
    }
}
