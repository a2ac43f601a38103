/* Links of a simulation: set, close, hold, release; and pins, with which tacks to bodies share their stiffness. */
#include <math.h>
#include <string.h>

#include "simulation/simulation_internal.h"

/* Gravity waits for links no longer than this times what they need to close at their speed. */
#define PATIENCE 2.0
/* Then links nearer than this hold, m, even if something pulls them apart as fast as they close. */
#define LATE_NEAR 0.05
/* Vertices of a closed seam that are nearer to their middle than this are put there, m. */
#define WELD_NEAR 1e-3

/* --- where they are --------------------------------------------------------------------------- */

/* The body of a tack; null where it is gone, or has another mesh without those vertices. */
static const Body *body_of(const Simulation *simulation, const Link *link) {
    const Body *body = contact_world_body(&simulation->world, link->body);
    for (int c = 0; body && c < 3; ++c) {
        body = link->body_vertices[c] < body->collider.vertex_count ? body : NULL;
    }
    return body;
}

/* Where a tack's place on a body is after a part of the frame; false if it has none. */
static bool body_point(const Simulation *simulation, const Link *link, double part, Vec3 *point) {
    const Body *body = body_of(simulation, link);
    *point = vec3(0, 0, 0);
    for (int c = 0; body && c < 3; ++c) {
        int v = link->body_vertices[c];
        Vec3 place = part > 0 ? collider_place_at(&body->collider, v, part) : body->place[v];
        *point = vec3_madd(*point, link->body_weights[c], place);
    }
    return body != NULL;
}

/* From the second point to the first, where both are now. */
static Vec3 between(const Simulation *simulation, const Link *link) {
    const Vec3 *x = simulation->past[0];
    Vec3 first = link_point(link, 0, x), second;
    if (link->body < 0) {
        second = link_point(link, 1, x);
    } else if (!body_point(simulation, link, 0.0, &second)) {
        second = first;
    }
    return vec3_sub(first, second);
}

/* Where a button begins to hold: its first point from the second, m. */
static Vec3 button_place(const Simulation *simulation, const Link *link) {
    Vec3 over = button_over(link, between(simulation, link), simulation->past[0]);
    return vec3_scale(link->length, over);
}

static double length_of(const Simulation *simulation, const Link *link) {
    return vec3_length(between(simulation, link));
}

/* --- what hangs on their states --------------------------------------------------------------- */

/* Tacks to bodies as soft pins: pulls at their vertices, and returns at how many. */
static int apply_tacks(Simulation *simulation) {
    const Sewing *sewing = &simulation->sewing;
    System *system = &simulation->system;
    int count = 0;
    for (int l = 0; l < sewing->set.count; ++l) {
        Vec3 place;
        const Link *link = &sewing->set.links[l];
        int v = link->vertices[0], state = sewing->set.state[l];
        sewing->pulls[l] = link->body >= 0 && state != LINK_RELEASED && !system->held[v] &&
                           !(system->pins.stiffness[v] > 0) &&
                           body_point(simulation, link, 0.0, &place);
        if (sewing->pulls[l]) {
            system->pins.stiffness[v] = link_stiffness(&sewing->set, l);
            ++count;
        }
    }
    return count;
}

/* Pull of a soft pin: mass times pin_stiffness times w/(1-w), so that weight 1 is a hard pin. */
static double soft_stiffness(const Simulation *simulation, const Pin *pin) {
    double ratio = pin->weight / (1.0 - pin->weight);
    const System *system = &simulation->system;
    return system->mass[pin->vertex] * system_material(system, pin->vertex)->pin_stiffness * ratio;
}

void apply_pins(Simulation *simulation) {
    System *system = &simulation->system;
    simulation->has_substep = 0; /* its equation is no longer this one */
    int soft_before = simulation->soft_count;
    memset(system->pins.stiffness, 0, (size_t)system->vertex_count * sizeof(double));
    memcpy(system->held, simulation->mesh.isolated, (size_t)system->vertex_count);
    simulation->soft_count = 0;
    for (int p = 0; p < simulation->pin_count; ++p) {
        const Pin *pin = &simulation->pins[p];
        if (pin->weight >= 1.0) {
            system->held[pin->vertex] = 1;
        } else if (pin->weight > 0) {
            system->pins.stiffness[pin->vertex] = soft_stiffness(simulation, pin);
            ++simulation->soft_count;
        }
    }
    simulation->soft_count += apply_tacks(simulation);
    ++system->pins_version;
    system_hold(system);
    if (soft_before > 0 || simulation->soft_count > 0) {
        ++system->matrix_version; /* soft pins stand on the diagonal */
    }
}

void simulation_refresh(Simulation *simulation) {
    link_set_fabrics(&simulation->sewing.set, simulation->options.materials);
    unsigned pins_version = simulation->system.pins_version;
    system_refresh_material(&simulation->system);
    contacts_set_masses(&simulation->world.contacts, simulation->system.mass);
    apply_pins(simulation); /* soft pins scale with mass */
    simulation->system.pins_version = pins_version;
}

static int count_closing(const LinkSet *set) {
    int closing = 0;
    for (int l = 0; l < set->count; ++l) {
        closing += set->state[l] == LINK_CLOSES;
    }
    return closing;
}

/* Some close, and may take longer. */
static bool are_waiting(const Sewing *sewing) {
    return sewing->waited < sewing->patience && count_closing(&sewing->set) > 0;
}

bool links_delay_gravity(const Simulation *simulation) {
    return simulation->sewing.weightless && are_waiting(&simulation->sewing);
}

/* Gravity, or none while links delay it. */
static void update_gravity(Simulation *simulation) {
    simulation->system.gravity =
        links_delay_gravity(simulation) ? vec3(0, 0, 0) : simulation->options.gravity;
}

static void apply_states(Simulation *simulation, bool changed) {
    if (changed) {
        update_gravity(simulation);
        simulation_refresh(simulation);
    }
}

/* --- giving them ------------------------------------------------------------------------------ */

static double gap_of(const Simulation *simulation, int number) {
    const Link *link = &simulation->sewing.set.links[number];
    if (link_has_place(&simulation->sewing.set, number)) {
        return vec3_distance(between(simulation, link), button_place(simulation, link));
    }
    return link->use == LINK_ELASTIC ? 0.0 : length_of(simulation, link) - link->length;
}

/* Whether a link may hold though it is not quite closed: a button only above the cloth, never from below. */
static bool is_on_its_side(const Simulation *simulation, int number) {
    const Link *link = &simulation->sewing.set.links[number];
    Vec3 s = between(simulation, link);
    return link->use != LINK_BUTTON || vec3_dot(s, button_over(link, s, simulation->past[0])) > 0;
}

/* It closes, or holds if it is near; gravity waits for as long as that may take. */
static void start_link(Simulation *simulation, int number) {
    Sewing *sewing = &simulation->sewing;
    const Link *link = &sewing->set.links[number];
    sewing->set.state[number] = LINK_CLOSES; /* which decides where a button goes */
    double gap = gap_of(simulation, number), seconds = link->speed > 0 ? gap / link->speed : 0.0;
    sewing->set.state[number] = gap <= link_near(link) ? LINK_HOLDS : LINK_CLOSES;
    sewing->patience = fmax(sewing->patience, PATIENCE * seconds);
}

/* Links that hold from the start: elastics, links that are already closed, and those of the first `kept` that held. */
static void start_links(Simulation *simulation, int kept) {
    Sewing *sewing = &simulation->sewing;
    sewing->waited = sewing->patience = 0;
    for (int l = 0; l < sewing->set.count; ++l) {
        const Link *link = &sewing->set.links[l];
        bool held = l < kept && sewing->set.state[l] == LINK_HOLDS;
        if (!held && sewing->set.state[l] != LINK_RELEASED) {
            start_link(simulation, l);
        }
        sewing->set.rest[l] = link->length;
        if (link->use == LINK_BUTTON) {
            sewing->set.offset[l] = button_place(simulation, link);
        }
    }
}

double simulation_link_length(const Simulation *simulation, const Link *link) {
    double now = length_of(simulation, link);
    return link->use == LINK_ELASTIC ? fmax(link->length * now, VEC3_TINY) : now;
}

StatusCode links_find_sewn(const LinkInputs *links, int vertex_count, Store *store, Sewn *sewn,
                           Status *status) {
    SewnPair *pairs = STORE_ARRAY(store, SewnPair, 4 * links->count);
    int count = 0;
    if (!pairs) {
        return status_no_memory(status, "links");
    }
    for (int i = 0; i < LINK_POINTS * links->count; ++i) {
        const Link *link = &links->list[i / LINK_POINTS];
        int c = i % LINK_POINTS, other = c < 2 ? 2 : 0;
        if (link->use != LINK_SEAM || link->body >= 0 || !(link->weights[c] > 0) ||
            link->image_share >= 1) {
            continue;
        }
        bool between = link->weights[other] > 0 && link->weights[other + 1] > 0;
        int only = link->weights[other] > 0 ? other : other + 1;
        pairs[count++] = between ? (SewnPair){link->vertices[c],
                                              {link->vertices[other], link->vertices[other + 1]}}
                                 : (SewnPair){link->vertices[c], {link->vertices[only], -1}};
    }
    return sewn_build(sewn, vertex_count, count, pairs, store, status);
}

static StatusCode list_welded(const Simulation *simulation, Sewing *sewing, Status *status) {
    int count = simulation->mesh.vertex_count;
    Weld *weld = &sewing->weld;
    *weld = (Weld){.vertices = STORE_ARRAY(&sewing->store, int, count),
                   .mass = STORE_ARRAY(&sewing->store, double, count),
                   .sum = STORE_ARRAY(&sewing->store, Vec3, count),
                   .closed = STORE_ARRAY(&sewing->store, uint8_t, count)};
    if (sewing->store.failed) {
        return status_no_memory(status, "seams");
    }
    for (int v = 0; v < count; ++v) {
        if (sewing->sewn.knot[v] >= 0) {
            weld->vertices[weld->count++] = v;
        }
    }
    return STATUS_OK;
}

/* Copies them; the first `kept` are in the state of the simulation's own. */
static StatusCode copy_links(const Simulation *simulation, Sewing *sewing, int kept,
                             const LinkInputs *given, Status *status) {
    Store *store = &sewing->store;
    const int count = given->count;
    sewing->set = (LinkSet){.count = count,
                            .links = STORE_ARRAY(store, Link, count),
                            .state = STORE_ARRAY(store, uint8_t, count),
                            .rest = STORE_ARRAY(store, double, count),
                            .offset = STORE_ARRAY(store, Vec3, count),
                            .stretch = STORE_ARRAY(store, double, count),
                            .bend = STORE_ARRAY(store, double, count),
                            .mesh = &simulation->mesh};
    sewing->pulls = STORE_ARRAY(store, uint8_t, count);
    if (store->failed) {
        return status_no_memory(status, "links");
    }
    for (int l = 0; l < count; ++l) {
        sewing->set.links[l] = given->list[l];
        sewing->set.state[l] = l < kept ? simulation->sewing.set.state[l] : LINK_CLOSES;
    }
    StatusCode code =
        links_find_sewn(given, simulation->mesh.vertex_count, store, &sewing->sewn, status);
    return code == STATUS_OK ? list_welded(simulation, sewing, status) : code;
}

/* What was set since the system was first built. */
static void copy_settings(Simulation *simulation, const Simulation *before) {
    System *system = &simulation->system;
    const System *old = &before->system;
    size_t numbers = (size_t)system->vertex_count * sizeof(double);
    for (int k = 0; k < MAP_KINDS; ++k) {
        memcpy(system->maps[k], old->maps[k], numbers);
    }
    system->resized = old->resized;
    system->evenly = old->evenly;
    size_t vectors = (size_t)system->vertex_count * sizeof *system->target;
    memcpy(system->target, old->target, vectors);
    memcpy(system->gusts, old->gusts, vectors);
    memcpy(system->traction, old->traction, vectors);
    system->has_gusts = old->has_gusts;
    system->has_traction = old->has_traction;
    Vec3 *folds = laws_memory(&system->laws), *known = laws_memory(&old->laws);
    if (folds && known) {
        memcpy(folds, known, (size_t)system->vertex_count * sizeof *folds);
    }
    memcpy(simulation->order.contact_free, before->order.contact_free,
           (size_t)before->order.component_count);
    simulation->solver->options = before->solver->options;
    simulation->solver->iterations = before->solver->iterations;
}

/* Builds the mechanics for these links; a failure leaves all as it was. */
static StatusCode rebuild(Simulation *simulation, const LinkSet *links, Status *status) {
    Simulation before = *simulation;
    simulation->mechanics = (Store){0};
    simulation->system = (System){0};
    simulation->solver = NULL;
    simulation->rigid = (Rigid){0};
    simulation->order = (Order){0};
    simulation->options.system.links = links;
    StatusCode code = build_mechanics(simulation, status);
    if (code == STATUS_OK) {
        copy_settings(simulation, &before);
    }
    Simulation *left = code == STATUS_OK ? &before : simulation;
    solver_destroy(left->solver);
    store_release(&left->mechanics);
    if (code != STATUS_OK) {
        *simulation = before;
    }
    return code;
}

StatusCode links_set(Simulation *simulation, const LinkInputs *links, Status *status) {
    const int own = simulation->sewing.set.count, count = links->count;
    const int kept = links->kept < own ? links->kept : own;
    if (count == 0 && own == 0) {
        return STATUS_OK;
    }
    Sewing before = simulation->sewing;
    Sewing given = {.weightless = links->weightless, .haste = before.haste};
    StatusCode code = copy_links(simulation, &given, kept, links, status);
    if (code != STATUS_OK) {
        store_release(&given.store);
        return code;
    }
    simulation->sewing = given;
    start_links(simulation, kept);
    link_set_fabrics(&simulation->sewing.set, simulation->options.materials);
    code = rebuild(simulation, count > 0 ? &simulation->sewing.set : NULL, status);
    if (code != STATUS_OK) {
        simulation->sewing = before;
        store_release(&given.store);
        return code;
    }
    store_release(&before.store);
    simulation->world.skin.sewn = count > 0 ? &simulation->sewing.sewn : NULL;
    contact_world_forget(&simulation->world);
    apply_states(simulation, true);
    return STATUS_OK;
}

/* --- closing ---------------------------------------------------------------------------------- */

void links_update(Simulation *simulation) {
    LinkSet *set = &simulation->sewing.set;
    bool changed = false, late = simulation->sewing.waited > simulation->sewing.patience;
    if (set->count == 0) {
        return;
    }
    for (int l = 0; l < set->count; ++l) {
        bool early = !late || !is_on_its_side(simulation, l);
        if (set->state[l] == LINK_CLOSES &&
            gap_of(simulation, l) <= (early ? link_near(&set->links[l]) : LATE_NEAR)) {
            set->state[l] = LINK_HOLDS;
            changed = true;
        }
    }
    update_gravity(simulation);
    apply_states(simulation, changed);
}

void links_count_wait(Simulation *simulation, double seconds) {
    if (simulation->sewing.set.count > 0) {
        simulation->sewing.waited += (1.0 + simulation->sewing.haste) * seconds;
    }
}

void links_set_lengths(Simulation *simulation, double length) {
    LinkSet *set = &simulation->sewing.set;
    const double seconds = (1.0 + simulation->sewing.haste) * length;
    for (int l = 0; l < set->count; ++l) {
        const Link *link = &set->links[l];
        set->rest[l] = link_rest(link, length_of(simulation, link), seconds);
        if (link->use == LINK_BUTTON) {
            Vec3 s = between(simulation, link), over = button_over(link, s, simulation->past[0]);
            set->offset[l] = button_offset(link, s, over, seconds);
        }
    }
}

/* Knots whose seams all hold, and none of whose vertices is held or on the way to the mirror plane. */
static void find_closed(Simulation *simulation) {
    const Sewing *sewing = &simulation->sewing;
    const Weld *weld = &sewing->weld;
    const int *knot = sewing->sewn.knot;
    for (int i = 0; i < weld->count; ++i) {
        weld->closed[knot[weld->vertices[i]]] = 1;
    }
    for (int l = 0; l < sewing->set.count; ++l) {
        const Link *link = &sewing->set.links[l];
        bool holds = sewing->set.state[l] == LINK_HOLDS && link->length == 0;
        for (int c = 0; c < LINK_POINTS && !holds && link->use == LINK_SEAM; ++c) {
            if (link->weights[c] > 0 && link->vertices[c] >= 0 && knot[link->vertices[c]] >= 0) {
                weld->closed[knot[link->vertices[c]]] = 0;
            }
        }
    }
    for (int i = 0; i < weld->count; ++i) {
        int v = weld->vertices[i];
        weld->closed[knot[v]] &= !simulation->system.held[v] && v < simulation->system.rail_from;
    }
}

/* Means of each knot, by mass. */
static void sum_knots(const Simulation *simulation, const Vec3 *values) {
    const Weld *weld = &simulation->sewing.weld;
    const int *knot = simulation->sewing.sewn.knot;
    for (int i = 0; i < weld->count; ++i) {
        int k = knot[weld->vertices[i]];
        weld->mass[k] = 0;
        weld->sum[k] = vec3(0, 0, 0);
    }
    for (int i = 0; i < weld->count; ++i) {
        int v = weld->vertices[i], k = knot[v];
        weld->mass[k] += simulation->system.mass[v];
        weld->sum[k] = vec3_madd(weld->sum[k], simulation->system.mass[v], values[v]);
    }
    for (int i = 0; i < weld->count; ++i) {
        int v = weld->vertices[i];
        if (knot[v] == v && weld->mass[v] > 0) {
            weld->sum[v] = vec3_scale(1.0 / weld->mass[v], weld->sum[v]);
        }
    }
}

double links_weld(Simulation *simulation, Vec3 *z, Vec3 *velocity) {
    const Weld *weld = &simulation->sewing.weld;
    const int *knot = simulation->sewing.sewn.knot;
    double most = 0;
    if (weld->count == 0) {
        return most;
    }
    find_closed(simulation);
    sum_knots(simulation, z);
    for (int i = 0; i < weld->count; ++i) {
        int v = weld->vertices[i], k = knot[v];
        weld->closed[k] &= weld->mass[k] > 0 && vec3_distance(z[v], weld->sum[k]) < WELD_NEAR;
    }
    for (int i = 0; i < weld->count; ++i) {
        int v = weld->vertices[i];
        Vec3 to = weld->closed[knot[v]] ? weld->sum[knot[v]] : z[v];
        most = fmax(most, vec3_distance(z[v], to));
        z[v] = to;
    }
    sum_knots(simulation, velocity);
    for (int i = 0; i < weld->count; ++i) {
        int v = weld->vertices[i];
        velocity[v] = weld->closed[knot[v]] ? weld->sum[knot[v]] : velocity[v];
    }
    return most;
}

void links_copy_progress(Simulation *simulation, const Simulation *from) {
    Sewing *sewing = &simulation->sewing;
    if (sewing->set.count > 0 && sewing->set.count == from->sewing.set.count) {
        memcpy(sewing->set.state, from->sewing.set.state, (size_t)sewing->set.count);
        sewing->waited = from->sewing.waited;
        sewing->patience = from->sewing.patience;
        for (int l = 0; l < sewing->set.count; ++l) { /* rails may not have arrived yet */
            if (sewing->set.state[l] == LINK_HOLDS && gap_of(simulation, l) > LATE_NEAR) {
                start_link(simulation, l);
            }
        }
        apply_states(simulation, true);
    }
}

void links_restart(Simulation *simulation) {
    if (simulation->sewing.set.count > 0) {
        start_links(simulation, 0);
        apply_states(simulation, true);
    }
}

void simulation_open_links(Simulation *simulation, int set) {
    LinkSet *links = &simulation->sewing.set;
    bool changed = false;
    for (int l = 0; l < links->count; ++l) {
        if (links->links[l].set == set && links->state[l] != LINK_RELEASED) {
            links->state[l] = LINK_RELEASED;
            changed = true;
        }
    }
    apply_states(simulation, changed);
}

void simulation_close_links(Simulation *simulation, int set) {
    Sewing *sewing = &simulation->sewing;
    const Sewing before = *sewing;
    bool changed = false;
    sewing->patience = fmax(before.patience - before.waited, 0.0);
    for (int l = 0; l < sewing->set.count; ++l) {
        const Link *link = &sewing->set.links[l];
        bool placed = link->body < 0 || body_of(simulation, link);
        if (link->set == set && placed && sewing->set.state[l] == LINK_RELEASED) {
            start_link(simulation, l);
            changed = true;
        }
    }
    sewing->patience = changed ? sewing->patience : before.patience;
    sewing->waited = changed ? 0.0 : before.waited;
    apply_states(simulation, changed);
}

int links_release_body(Simulation *simulation, int body) {
    LinkSet *set = &simulation->sewing.set;
    int left = 0;
    for (int l = 0; l < set->count; ++l) {
        if (set->links[l].body == body && set->state[l] != LINK_RELEASED &&
            !body_of(simulation, &set->links[l])) {
            set->state[l] = LINK_RELEASED;
            ++left;
        }
    }
    apply_states(simulation, left > 0);
    return left;
}

void simulation_report_links(const Simulation *simulation, int set, LinkReport *report) {
    const Sewing *sewing = &simulation->sewing;
    const LinkSet *links = &sewing->set;
    bool waiting = are_waiting(sewing);
    int measured = 0;
    *report = (LinkReport){.widest = -1,
                           .waiting = waiting,
                           .patience = waiting ? sewing->patience - sewing->waited : 0.0};
    for (int l = 0; l < links->count; ++l) {
        const Link *link = &links->links[l];
        if (set >= 0 && link->set != set) {
            continue;
        }
        ++report->count;
        report->closing += links->state[l] == LINK_CLOSES;
        report->released += links->state[l] == LINK_RELEASED;
        if (links->state[l] != LINK_RELEASED && link->use != LINK_ELASTIC) {
            double gap = fabs(gap_of(simulation, l));
            report->mean_gap += gap;
            ++measured;
            if (report->widest < 0 || gap > report->largest_gap) {
                report->largest_gap = gap;
                report->widest = l;
            }
        }
    }
    report->mean_gap /= measured > 0 ? measured : 1;
}

/* --- tacks to bodies -------------------------------------------------------------------------- */

void tacks_set_targets(Simulation *simulation, double part, double length) {
    const Sewing *sewing = &simulation->sewing;
    for (int l = 0; l < sewing->set.count; ++l) {
        Vec3 place;
        const Link *link = &sewing->set.links[l];
        if (sewing->pulls[l] && body_point(simulation, link, part, &place)) {
            Vec3 away = vec3_sub(simulation->past[0][link->vertices[0]], place);
            double seconds = (1.0 + sewing->haste) * length;
            double rest = link_rest(link, vec3_length(away), seconds);
            Vec3 direction = vec3_unit_or(away, vec3(0, 0, 1));
            simulation->system.target[link->vertices[0]] = vec3_madd(place, rest, direction);
        }
    }
}

/* --- in snapshots ----------------------------------------------------------------------------- */

/* How long gravity has waited and how long it may, then the state of each link. */
#define TIMES 2

size_t links_bytes(const Simulation *simulation) {
    const LinkSet *set = &simulation->sewing.set;
    return set->count > 0 ? (size_t)set->count + TIMES * sizeof(double) : 0;
}

void links_write(const Simulation *simulation, unsigned char *to) {
    const Sewing *sewing = &simulation->sewing;
    const double times[TIMES] = {sewing->waited, sewing->patience};
    if (sewing->set.count > 0) {
        memcpy(to, times, sizeof times);
        memcpy(to + sizeof times, sewing->set.state, (size_t)sewing->set.count);
    }
}

bool links_state_is_valid(const Simulation *simulation, const unsigned char *from) {
    const Sewing *sewing = &simulation->sewing;
    double times[TIMES] = {0};
    bool sound = true;
    if (sewing->set.count > 0) {
        memcpy(times, from, sizeof times);
    }
    for (int l = 0; l < sewing->set.count; ++l) {
        sound &= from[sizeof times + (size_t)l] <= LINK_RELEASED;
    }
    for (int t = 0; t < TIMES; ++t) {
        sound &= times[t] >= 0 && isfinite(times[t]);
    }
    return sound;
}

void links_read(Simulation *simulation, const unsigned char *from) {
    Sewing *sewing = &simulation->sewing;
    double times[TIMES];
    if (sewing->set.count > 0) {
        memcpy(times, from, sizeof times);
        sewing->waited = times[0];
        sewing->patience = times[1];
        memcpy(sewing->set.state, from + sizeof times, (size_t)sewing->set.count);
        apply_states(simulation, true);
    }
}
