/* Checks the result of a substep: places must be finite and within bounds, no vertex may move further than the cloth is
 * large, no solver may tear edges apart, and contact may not overstretch them. */
#include <math.h>

#include "geometry/box.h"
#include "simulation/simulation_internal.h"

/* --- stretched ------------------------------------------------------------------------------------ */

/* Length over that at rest to which contact may stretch an edge that was shorter. 1.6 is promised, and what is interpolated
 * from a solved half is stretched a little more than that is. Limp cloth, which its own weight stretches by as much, and
 * cloth under forces that may be of any size may reach the second. */
#define MOST_STRETCH 1.55
#define LIMP_STRETCH 2.95
/* Times the stretch under the cloth's own weight. */
#define LOADS 2.0
/* Edges are shortened to a little less; one that was longer before is shortened by this part in a substep. */
#define STRETCH_AFTER 0.999
#define RELAXED 0.95
/* Edges shorter than this part of their component's mean are exempt: nobody sees it. */
#define SHORT 0.01
/* Passes over all edges; vertices of edges that are still too long then go back to where the substep started. */
#define PASSES 64
/* An edge stretched by so many times what it may is no cloth any more: its solver has diverged. */
#define TORN 2.0
/* Vertices that were placed with velocities may end further apart by so many times what the fastest flies. */
#define FLIGHTS 3.0
/* Pins nearer to each other than this part of the cloth do not say how far they stretch it. */
#define PINS_APART 0.01

double guard_size(const Mesh *mesh) {
    Box box = box_of_points(mesh->rest, mesh->vertex_count);
    double modelled = 0, pattern = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        const Edge *edge = &mesh->edges[e];
        modelled += vec3_distance(mesh->rest[edge->a], mesh->rest[edge->b]);
        pattern += edge->rest_length;
    }
    double size = mesh->vertex_count > 0 ? vec3_distance(box.low, box.high) : 0.0;
    return modelled > 0 ? size * fmax(1.0, pattern / modelled) : pattern;
}

/* Whether there are forces without a bound on how far they move a vertex. */
static bool is_driven(const Simulation *simulation) {
    bool driven = simulation->system.has_traction;
    for (int p = 0; p < simulation->system.part_count; ++p) {
        driven |= pressure_is_given(&simulation->system.materials[p]);
    }
    return driven;
}

/* How far the cloth's weight stretches it, if its mean width carries it. */
static double stretch_by_weight(const Simulation *simulation) {
    const System *system = &simulation->system;
    double mass = 0, least = INFINITY;
    for (int v = 0; v < system->vertex_count; ++v) {
        mass += system->mass[v];
    }
    for (int p = 0; p < system->part_count; ++p) {
        const Material *material = &system->materials[p];
        least = fmin(least, fmin(material->stretch_warp, material->stretch_weft));
    }
    double force = mass * vec3_length(system->gravity), resists = least * simulation->size;
    return force > 0 ? force / resists : 0.0;
}

/* How much further from each other pins are led than they are at rest; at least 1. */
static double stretch_by_pins(const Simulation *simulation) {
    Box led = box_empty(), rest = box_empty();
    for (int p = 0; p < simulation->pin_count; ++p) {
        int v = simulation->pins[p].vertex;
        led = box_with_point(led, simulation->system.target[v]);
        rest = box_with_point(rest, simulation->mesh.rest[v]);
    }
    double apart = simulation->pin_count > 0 ? vec3_distance(led.low, led.high) : 0.0;
    double before = simulation->pin_count > 0 ? vec3_distance(rest.low, rest.high) : 0.0;
    double least = PINS_APART * simulation->size;
    return fmax(1.0, apart / fmax(before, least));
}

/* How long edges may be at the end of a substep. */
typedef struct StretchWork {
    const Simulation *simulation;
    double most;    /* over their length at rest */
    double relaxed; /* or over what they were, whichever is longer */
    double flown;   /* and by so much more, m */
} StretchWork;

static StretchWork stretch_work(const Simulation *simulation) {
    double own = 1.0 + LOADS * stretch_by_weight(simulation);
    own = is_driven(simulation) ? LIMP_STRETCH : fmin(fmax(MOST_STRETCH, own), LIMP_STRETCH);
    return (StretchWork){
        .simulation = simulation, .most = own * stretch_by_pins(simulation), .relaxed = RELAXED};
}

static double rest_length(const Simulation *simulation, const Edge *edge) {
    const int ends[2] = {edge->a, edge->b};
    return edge->rest_length * scale_mean(simulation->system.maps[MAP_SIZE], ends, 2);
}

/* Where both vertices are held, an edge goes where they are led; where one is, it may grow by its way. */
static double longest(const StretchWork *work, const Edge *edge) {
    const Simulation *simulation = work->simulation;
    const Vec3 *x = simulation->past[0], *target = simulation->system.target;
    const uint8_t *held = simulation->system.held;
    const Skin *skin = &simulation->world.skin;
    const SkinSize *size = &skin->size[skin->component[edge->a]];
    if ((held[edge->a] && held[edge->b]) ||
        edge->rest_length * size->edges < SHORT * size->length) {
        return INFINITY;
    }
    double led = held[edge->a]   ? vec3_distance(target[edge->a], x[edge->a])
                 : held[edge->b] ? vec3_distance(target[edge->b], x[edge->b])
                                 : 0.0;
    double before = work->relaxed * vec3_distance(x[edge->a], x[edge->b]);
    return fmax(work->most * rest_length(simulation, edge), before + led + work->flown);
}

static double length_of(const Simulation *simulation, const Edge *edge) {
    return vec3_distance(simulation->next[edge->a], simulation->next[edge->b]);
}

/* Most edges are not stretched at all. */
static bool is_overstretched(const StretchWork *work, const Edge *edge) {
    double length = length_of(work->simulation, edge);
    return length > work->most * rest_length(work->simulation, edge) &&
           length > longest(work, edge) * (1 + 1e-6);
}

static double count_overstretched(void *context, int begin, int end) {
    const StretchWork *work = context;
    int found = 0;
    for (int e = begin; e < end; ++e) {
        found += is_overstretched(work, &work->simulation->mesh.edges[e]);
    }
    return found;
}

static int overstretched(const StretchWork *work) {
    const Simulation *simulation = work->simulation;
    return (int)pool_sum(simulation->pool, simulation->mesh.edge_count, count_overstretched,
                         (void *)work);
}

double guard_torn(const Simulation *simulation) {
    StretchWork work = stretch_work(simulation);
    double most = 0;
    work.relaxed = 1.0;
    int count = overstretched(&work);
    for (int e = 0; count > 0 && e < simulation->mesh.edge_count; ++e) {
        const Edge *edge = &simulation->mesh.edges[e];
        if (is_overstretched(&work, edge)) {
            most = fmax(most, length_of(simulation, edge) / longest(&work, edge));
        }
    }
    return most;
}

/* Vertices on rails stay in their plane. */
static void move(Simulation *simulation, int v, Vec3 offset, double rate) {
    offset.x = v >= simulation->system.rail_from ? 0.0 : offset.x;
    simulation->next[v] = vec3_add(simulation->next[v], offset);
    simulation->start_velocity[v] = vec3_madd(simulation->start_velocity[v], rate, offset);
}

/* The part that one end of an edge moves, by the masses of both. */
static double share_of(const Simulation *simulation, int own, int other) {
    const System *system = &simulation->system;
    double all = system->mass[own] + system->mass[other];
    return system->held[own]     ? 0.0
           : system->held[other] ? 1.0
           : all > 0             ? system->mass[other] / all
                                 : 0.5;
}

/* Pulls the ends of an edge together [Provot 1995]. */
static void pull(Simulation *simulation, const StretchWork *work, const Edge *edge, double rate) {
    Vec3 offset = vec3_sub(simulation->next[edge->b], simulation->next[edge->a]);
    double length = vec3_length(offset);
    double excess = (length - STRETCH_AFTER * longest(work, edge)) / length;
    double first = share_of(simulation, edge->a, edge->b) * excess;
    double second = share_of(simulation, edge->b, edge->a) * excess;
    move(simulation, edge->a, vec3_scale(first, offset), rate);
    move(simulation, edge->b, vec3_scale(-second, offset), rate);
}

/* Puts the free ends where they were at the start of the substep, but for the mean displacement of the cloth. */
static void put_back(Simulation *simulation, const Edge *edge, Vec3 gone, double rate) {
    const int ends[2] = {edge->a, edge->b};
    for (int k = 0; k < 2; ++k) {
        Vec3 place = vec3_add(simulation->past[0][ends[k]], gone);
        if (!simulation->system.held[ends[k]]) {
            move(simulation, ends[k], vec3_sub(place, simulation->next[ends[k]]), rate);
        }
    }
}

/* Mean displacement of what is held; where nothing is, of all edges that are not overstretched: what was thrown does not
 * count. */
static Vec3 mean_way(const StretchWork *work) {
    const Simulation *simulation = work->simulation;
    const Vec3 *x = simulation->past[0], *z = simulation->next;
    Vec3 sum = {0, 0, 0};
    int counted = 0;
    for (int v = 0; v < simulation->mesh.vertex_count; ++v) {
        if (simulation->system.held[v]) {
            sum = vec3_add(sum, vec3_sub(z[v], x[v]));
            ++counted;
        }
    }
    const bool any_held = counted > 0;
    for (int e = 0; !any_held && e < simulation->mesh.edge_count; ++e) {
        const Edge *edge = &simulation->mesh.edges[e];
        if (!is_overstretched(work, edge)) {
            sum = vec3_add(
                sum, vec3_sub(vec3_add(z[edge->a], z[edge->b]), vec3_add(x[edge->a], x[edge->b])));
            counted += 2;
        }
    }
    Vec3 mean = vec3_scale(1.0 / (counted > 0 ? counted : 1), sum);
    /* Half of a garment stays beside its mirror plane. */
    mean.x = simulation->system.rail_from < simulation->mesh.vertex_count ? 0.0 : mean.x;
    return mean;
}

/* Returns how many edges there were to shorten. */
static int shorten(Simulation *simulation, StretchWork work, double length) {
    const Mesh *mesh = &simulation->mesh;
    int found = overstretched(&work), torn = found;
    Vec3 gone = found > 0 ? mean_way(&work) : vec3(0, 0, 0);
    for (int pass = 0; torn > 0 && pass < 2 * PASSES; ++pass) {
        torn = 0;
        work.relaxed = pass < PASSES ? RELAXED : 1.0;
        for (int e = 0; e < mesh->edge_count; ++e) {
            const Edge *edge = &mesh->edges[e];
            if (!is_overstretched(&work, edge)) {
                continue;
            }
            ++torn;
            if (pass < PASSES) {
                pull(simulation, &work, edge, 1.0 / length);
            } else {
                put_back(simulation, edge, gone, 1.0 / length);
            }
        }
    }
    return found;
}

int guard_limit_stretch(Simulation *simulation, double length) {
    return shorten(simulation, stretch_work(simulation), length);
}

/* --- diverged ------------------------------------------------------------------------------------- */

/* How far its own forces may move a vertex within a substep, over the size of the cloth. */
#define MOST_FLIGHT 1.0

/* How far pins and bodies move, m: they carry the cloth. */
static double driven_by(const Simulation *simulation) {
    double most = 0;
    for (int p = 0; p < simulation->pin_count; ++p) {
        int v = simulation->pins[p].vertex;
        most = fmax(most, vec3_distance(simulation->system.target[v], simulation->past[0][v]));
    }
    const ContactWorld *world = &simulation->world;
    for (int b = 0; b < world->body_count; ++b) {
        most = fmax(most, world->bodies[b] ? world->bodies[b]->collider.fastest : 0.0);
    }
    return most;
}

/* How fast the air is, m/s. */
static double fastest_air(const System *system) {
    double most = 0;
    for (int i = 0; system->has_gusts && i < system->vertex_count; ++i) {
        most = fmax(most, vec3_length(system->gusts[i]));
    }
    return most + vec3_length(system->wind.velocity);
}

typedef struct GuardWork {
    const Simulation *simulation;
    double length; /* of the substep, s */
    double reach;  /* of what may throw a vertex, m */
} GuardWork;

static bool is_plausible(const GuardWork *work, int v) {
    const Simulation *simulation = work->simulation;
    Vec3 next = simulation->next[v], velocity = simulation->start_velocity[v];
    if (!vec3_is_within_reach(next) || !vec3_is_within_reach(velocity)) {
        return false;
    }
    /* Air and contact may stop it anywhere on its path. */
    Vec3 gone = vec3_sub(next, simulation->past[0][v]);
    Vec3 flight = vec3_scale(work->length, simulation->velocity[v]);
    double squared = vec3_dot(flight, flight);
    double part = squared > 0 ? fmin(fmax(vec3_dot(gone, flight) / squared, 0.0), 1.0) : 0.0;
    return vec3_distance(gone, vec3_scale(part, flight)) <= work->reach;
}

static double count_diverged(void *context, int begin, int end) {
    int diverged = 0;
    for (int i = begin; i < end; ++i) {
        diverged += !is_plausible(context, i);
    }
    return diverged;
}

/* The largest stretch that the substep started with, where nothing is held. */
static double stretch_before(const Simulation *simulation) {
    const Vec3 *x = simulation->past[0];
    const uint8_t *held = simulation->system.held;
    const StretchWork any = {.simulation = simulation};
    double most = 0;
    for (int e = 0; e < simulation->mesh.edge_count; ++e) {
        const Edge *edge = &simulation->mesh.edges[e];
        if (!held[edge->a] && !held[edge->b] && isfinite(longest(&any, edge))) {
            double length = vec3_distance(x[edge->a], x[edge->b]);
            most = fmax(most, length / rest_length(simulation, edge));
        }
    }
    return most;
}

/* How fast a vertex is, m/s. */
static double fastest_vertex(const Simulation *simulation) {
    double most = 0;
    for (int v = 0; v < simulation->mesh.vertex_count; ++v) {
        most = fmax(most, vec3_length(simulation->velocity[v]));
    }
    return most;
}

/* A vertex of the first edge that is stretched far beyond what any force explains, and further than all were before; -1:
 * none. In the last repetition of a frame such edges are shortened. */
static int find_torn(Simulation *simulation, const SubstepPlace *place) {
    StretchWork work = stretch_work(simulation);
    double loaded = 1.0 + LOADS * stretch_by_weight(simulation);
    work.most = is_driven(simulation) ? INFINITY : TORN * fmax(work.most, loaded);
    work.flown = simulation->placed ? FLIGHTS * place->length * fastest_vertex(simulation) : 0.0;
    work.relaxed = 1.0;
    int torn = overstretched(&work);
    if (torn > 0) {
        work.most = fmax(work.most, stretch_before(simulation));
        torn = overstretched(&work);
    }
    if (torn == 0) {
        return -1;
    }
    if (place->last) {
        simulation->mended += shorten(simulation, work, place->length);
        return -1;
    }
    int e = 0;
    while (!is_overstretched(&work, &simulation->mesh.edges[e])) {
        ++e;
    }
    return simulation->mesh.edges[e].a;
}

int guard_find_diverged(Simulation *simulation, const SubstepPlace *place) {
    double length = place->length;
    GuardWork work = {simulation, length, INFINITY};
    if (!is_driven(simulation)) {
        /* it may have been placed larger than it is at rest, but not exploded */
        Box box = box_of_points(simulation->past[0], simulation->mesh.vertex_count);
        double most = TORN * stretch_work(simulation).most * simulation->size;
        double size = fmax(simulation->size, fmin(vec3_distance(box.low, box.high), most));
        double falls = length * vec3_length(simulation->system.gravity);
        work.reach = MOST_FLIGHT * size + driven_by(simulation) +
                     length * (falls + fastest_air(&simulation->system));
    }
    int diverged = -1;
    if (pool_sum(simulation->pool, simulation->mesh.vertex_count, count_diverged, &work) > 0) {
        for (diverged = 0; is_plausible(&work, diverged); ++diverged) {
        }
    }
    return diverged < 0 ? find_torn(simulation, place) : diverged;
}
