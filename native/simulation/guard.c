/* Checks the result of a substep: places must be finite and within bounds, no vertex may move further than the cloth is
 * large, and contact may not overstretch edges. */
#include <math.h>

#include "geometry/box.h"
#include "simulation/simulation_internal.h"

/* --- diverged ------------------------------------------------------------------------------------- */

/* How far its own forces may move a vertex within a substep, over the size of the cloth. */
#define MOST_FLIGHT 1.0

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

/* Whether there are forces without a bound on how far they move a vertex. */
static bool is_driven(const Simulation *simulation) {
    bool driven = simulation->system.has_traction;
    for (int p = 0; p < simulation->system.part_count; ++p) {
        driven |= pressure_is_given(&simulation->system.materials[p]);
    }
    return driven;
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

int guard_find_diverged(Simulation *simulation, const SubstepPlace *place) {
    double length = place->length;
    GuardWork work = {simulation, length, INFINITY};
    if (!is_driven(simulation)) {
        Box box = box_of_points(simulation->past[0], simulation->mesh.vertex_count);
        double size = fmax(simulation->size, vec3_distance(box.low, box.high));
        double falls = length * vec3_length(simulation->system.gravity);
        work.reach = MOST_FLIGHT * size + driven_by(simulation) +
                     length * (falls + fastest_air(&simulation->system));
    }
    int diverged = -1;
    if (pool_sum(simulation->pool, simulation->mesh.vertex_count, count_diverged, &work) > 0) {
        for (diverged = 0; is_plausible(&work, diverged); ++diverged) {
        }
    }
    return diverged;
}

/* --- stretched ------------------------------------------------------------------------------------- */

/* Length over that at rest to which contact may stretch an edge that was shorter; it is shortened to a little less. Three is
 * promised, and what is interpolated from a solved half is stretched a little more than that is. */
#define MOST_STRETCH 2.95
#define STRETCH_AFTER 0.999
/* Edges shorter than this part of their component's mean are exempt: nobody sees it. */
#define SHORT 0.01
/* Passes over all edges; vertices of edges that are still too long then go back to where the substep started. */
#define PASSES 64

/* How long an edge may be at the end of the substep, m; infinite without a limit. Where a vertex is held its
 * edges go where that is led. */
static double longest(const Simulation *simulation, const Edge *edge) {
    const Vec3 *x = simulation->past[0];
    const uint8_t *held = simulation->system.held;
    const Skin *skin = &simulation->world.skin;
    const SkinSize *size = &skin->size[skin->component[edge->a]];
    if (held[edge->a] || held[edge->b] || edge->rest_length * size->edges < SHORT * size->length) {
        return INFINITY;
    }
    return fmax(MOST_STRETCH * edge->rest_length, vec3_distance(x[edge->a], x[edge->b]));
}

static bool is_overstretched(const Simulation *simulation, const Edge *edge) {
    Vec3 offset = vec3_sub(simulation->next[edge->b], simulation->next[edge->a]);
    double squared = vec3_dot(offset, offset), rest = MOST_STRETCH * edge->rest_length;
    if (!(squared > rest * rest)) {
        return false;
    }
    double most = longest(simulation, edge);
    return squared > most * most * (1 + 1e-12);
}

static double count_overstretched(void *context, int begin, int end) {
    const Simulation *simulation = context;
    int torn = 0;
    for (int e = begin; e < end; ++e) {
        torn += is_overstretched(simulation, &simulation->mesh.edges[e]);
    }
    return torn;
}

/* Vertices on rails stay in their plane. */
static void move(Simulation *simulation, int v, Vec3 offset, double rate) {
    offset.x = v >= simulation->system.rail_from ? 0.0 : offset.x;
    simulation->next[v] = vec3_add(simulation->next[v], offset);
    simulation->start_velocity[v] = vec3_madd(simulation->start_velocity[v], rate, offset);
}

/* Pulls the ends of an edge together, by their masses [Provot 1995]. */
static void pull(Simulation *simulation, const Edge *edge, double rate) {
    const double *mass = simulation->system.mass;
    Vec3 offset = vec3_sub(simulation->next[edge->b], simulation->next[edge->a]);
    double length = vec3_length(offset), most = longest(simulation, edge);
    double excess = (length - STRETCH_AFTER * most) / length, all = mass[edge->a] + mass[edge->b];
    double share = all > 0 ? mass[edge->b] / all : 0.5;
    move(simulation, edge->a, vec3_scale(share * excess, offset), rate);
    move(simulation, edge->b, vec3_scale((share - 1) * excess, offset), rate);
}

/* Puts both ends where they were at the start of the substep, but for the mean displacement of the cloth. */
static void put_back(Simulation *simulation, const Edge *edge, Vec3 gone, double rate) {
    const int ends[2] = {edge->a, edge->b};
    for (int k = 0; k < 2; ++k) {
        Vec3 place = vec3_add(simulation->past[0][ends[k]], gone);
        move(simulation, ends[k], vec3_sub(place, simulation->next[ends[k]]), rate);
    }
}

static Vec3 mean_way(const Simulation *simulation) {
    Vec3 sum = {0, 0, 0};
    int count = simulation->mesh.vertex_count;
    for (int i = 0; i < count; ++i) {
        sum = vec3_add(sum, vec3_sub(simulation->next[i], simulation->past[0][i]));
    }
    Vec3 mean = vec3_scale(1.0 / (count > 0 ? count : 1), sum);
    /* Half of a garment stays beside its mirror plane. */
    mean.x = simulation->system.rail_from < count ? 0.0 : mean.x;
    return mean;
}

int guard_limit_stretch(Simulation *simulation, double length) {
    const Mesh *mesh = &simulation->mesh;
    int found = (int)pool_sum(simulation->pool, mesh->edge_count, count_overstretched, simulation);
    Vec3 gone = found > 0 ? mean_way(simulation) : vec3(0, 0, 0);
    int torn = found;
    for (int pass = 0; torn > 0 && pass < 2 * PASSES; ++pass) {
        torn = 0;
        for (int e = 0; e < mesh->edge_count; ++e) {
            const Edge *edge = &mesh->edges[e];
            if (!is_overstretched(simulation, edge)) {
                continue;
            }
            ++torn;
            if (pass < PASSES) {
                pull(simulation, edge, 1.0 / length);
            } else {
                put_back(simulation, edge, gone, 1.0 / length);
            }
        }
    }
    return found;
}
