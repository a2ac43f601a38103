/* Gradient and energy of a substep's equation, vertex by vertex. */
#include "solver/substep.h"

#include "base/machine.h"

StatusCode substep_build(Substep *substep, System *system, Store *store, Status *status) {
    substep->system = system;
    substep->inertia = STORE_ARRAY(store, double, system->vertex_count);
    substep->drive = STORE_ARRAY(store, Vec3, system->vertex_count);
    substep->gradient = STORE_ARRAY(store, Vec3, system->vertex_count);
    return store->failed ? status_no_memory(status, "the substep")
                         : imperfection_build(&substep->imperfection, system, store, status);
}

void substep_set_length(Substep *substep, double length) {
    System *system = substep->system;
    substep->length = length;
    substep->stiffness_factor = system_set_length(system, length);
    substep->damped = system_is_damped(system);
    substep->wind_bound = wind_bound(&system->wind);
    for (int i = 0; i < system->vertex_count; ++i) {
        const Material *material = system_material(system, i);
        double drag = material->air_drag * system->area[i] + substep->wind_bound * system->area[i];
        double pace = system->pace[i], step = pace * length;
        double damping = material->damping * (system->evenly ? 1.0 : system->maps[MAP_DAMPING][i]);
        double whole = system->mass[i] * (1.0 + step * damping) + step * drag;
        substep->inertia[i] = whole / (pace * pace);
    }
}

static void drive_vertices(void *context, int begin, int end) {
    Substep *substep = context;
    const System *system = substep->system;
    bool windy = system->wind.normal_drag > 0 || system->wind.tangent_drag > 0;
    double h = substep->length;
    double damped[PARTS_MOST] = {0}; /* h^2 (q_p - 1), over what the laws are too stiff by */
    for (int p = 0; p < system->part_count; ++p) {
        double factor = substep->stiffness_factor * system->relative[p];
        damped[p] = h * h * (factor - 1.0) / system->relative[p];
    }
    for (int i = begin; i < end; ++i) {
        double bound = h * (substep->wind_bound * system->area[i]);
        double momentum = h * (system->mass[i] / system->pace[i] + bound);
        Vec3 sum = vec3_scale(momentum, substep->v[i]);
        sum = windy ? vec3_madd(sum, h * h, air_model_force(&system->air, i)) : sum;
        sum = vec3_madd(sum, h * h * system->mass[i], system->gravity);
        if (system->has_traction) {
            sum = vec3_madd(sum, h * h * system->area[i], system->traction[i]);
        }
        double by = damped[system->mesh->part[i]];
        sum = by > 0 ? vec3_madd(sum, -by, system_force(system, i)) : sum;
        substep->drive[i] = sum;
    }
}

Vec3 substep_outer_force(const Substep *substep, int i, Vec3 z) {
    const System *system = substep->system;
    double pace = system->pace[i], step = pace * substep->length;
    double drag = (pace * pace * substep->inertia[i] - system->mass[i]) / (step * step);
    Vec3 force = vec3_scale(system->mass[i], system->gravity);
    force = vec3_madd(force, substep->wind_bound * system->area[i], substep->v[i]);
    if (system->wind.normal_drag > 0 || system->wind.tangent_drag > 0) {
        force = vec3_add(force, air_model_force(&system->air, i));
    }
    if (system->has_traction) {
        force = vec3_madd(force, system->area[i], system->traction[i]);
    }
    return vec3_madd(force, -drag, vec3_sub(z, substep->x[i]));
}

void substep_begin(Substep *substep, const Vec3 *x, const Vec3 *v) {
    System *system = substep->system;
    substep->x = substep->present = x;
    substep->v = v;
    substep->start_elastic = NAN;
    if (system->wind.normal_drag > 0 || system->wind.tangent_drag > 0) {
        air_model_push(&system->air, system->pool, &system->wind,
                       system->has_gusts ? system->gusts : NULL, substep->length, x, v);
    }
    if (substep->damped) {
        substep->start_elastic = system_conventional_forces(system, x);
    }
    system_run(system, drive_vertices, substep);
}

double substep_clock(const Substep *substep) {
    const ContactReport *contact = substep->world ? &substep->world->report : NULL;
    return timing_now() - (contact ? contact->search_seconds + contact->respond_seconds : 0.0);
}

void substep_begin_contacts(Substep *substep, const Vec3 *present, const Vec3 *z) {
    if (substep->world) {
        contact_world_open(substep->world, &substep->span, present, z);
    }
}

void substep_find_awake_contacts(Substep *substep, const Vec3 *present, const Vec3 *z) {
    if (substep->world) {
        Flight flight = {.start = substep->x, .drive = substep->drive, .inertia = substep->inertia};
        flight.onset = substep->span.implicit < substep->span.length ? 1.0 : 0.5;
        contact_world_look(substep->world, substep->system->awake, &substep->span, present, &flight,
                           z);
    }
}

void substep_find_contacts(Substep *substep, const Vec3 *present, const Vec3 *z) {
    substep_begin_contacts(substep, present, z);
    substep_find_awake_contacts(substep, present, z);
}

void substep_refresh_contacts(Substep *substep, const Vec3 *z) {
    if (substep->world) {
        contact_world_refresh(substep->world, z);
    }
}

/* The contacts' energy at z; their gradients are fetched vertex by vertex. */
static double contact_energy(Substep *substep, const Vec3 *z) {
    if (substep_contact_count(substep) == 0) {
        return 0.0;
    }
    double clock = timing_now();
    double energy = contacts_evaluate(&substep->world->contacts, substep->system->pool, z);
    substep->world->report.respond_seconds += timing_now() - clock;
    return energy;
}

void substep_add_contact_block(const Substep *substep, int i, const Vec3 *z, Block *block) {
    const Contacts *contacts = &substep->world->contacts;
    for (int e = contacts->entry_start[i]; e < contacts->entry_start[i + 1]; ++e) {
        const Contact *contact = &contacts->list[contacts->entry[e] / CONTACT_VERTICES];
        double weight = contact->weights[contacts->entry[e] % CONTACT_VERTICES], along, across;
        contact_stiffness(contact, z, &along, &across);
        contact_add_block(contact, weight, along, across, block);
    }
}

/* Newton steps on f, the part of the first step below which they end, and how far f is followed. */
#define LENGTH_STEPS 12
#define LENGTH_PRECISION 1e-3
#define LONGEST 1.5

double substep_step_length(const Substep *substep, const Vec3 *z, const Vec3 *change, double slope,
                           double curvature) {
    Pool *pool = substep->system->pool;
    Contacts *contacts = &substep->world->contacts;
    double pulled, bent, a = 1.0, low = 0, high = LONGEST;
    double steady = -slope - contacts_aim(contacts, pool, z, change, LONGEST);
    for (int step = 0; step < LENGTH_STEPS; ++step) {
        contacts_along(contacts, pool, a, &pulled, &bent);
        pulled += steady + a * curvature;
        *(pulled > 0 ? &high : &low) = a;
        double next = bent + curvature > 0 ? a - pulled / (bent + curvature) : low;
        if (fabs(next - a) < LENGTH_PRECISION) {
            return next; /* before the bounds: one of them is a, and rounding may put it beyond */
        }
        if (!(next > low && next < high)) {
            next = 0.5 * (low + high); /* f bends where contacts begin and end */
        }
        if (fabs(next - a) < LENGTH_PRECISION) {
            return next;
        }
        a = next;
    }
    return a;
}

typedef struct SubstepWork {
    Substep *substep;
    const Vec3 *z;
    const Contacts *contacts; /* null: none */
} SubstepWork;

static SubstepWork work_at(Substep *substep, const Vec3 *z) {
    bool touching = substep_contact_count(substep) > 0;
    return (SubstepWork){substep, z, touching ? &substep->world->contacts : NULL};
}

/* Inertia, drive and soft pin of one vertex: adds their gradient, returns their energy. */
static double vertex_energy(const Substep *substep, int i, Vec3 z, Vec3 *gradient) {
    const System *system = substep->system;
    Vec3 moved = vec3_sub(z, substep->x[i]);
    *gradient = vec3_sub(vec3_scale(substep->inertia[i], moved), substep->drive[i]);
    double energy =
        vec3_dot(moved, vec3_sub(*gradient, vec3_scale(0.5 * substep->inertia[i], moved)));
    return energy + soft_pins_add(&system->pins, i, substep->length * substep->length, z, gradient);
}

static double gradient_vertices(void *context, int begin, int end) {
    const SubstepWork *work = context;
    Substep *substep = work->substep;
    const System *system = substep->system;
    double scale = substep_scale(substep), energy = 0;
    for (int i = begin; i < end; ++i) {
        if (system->held[i]) {
            substep->gradient[i] = vec3(0, 0, 0);
            continue;
        }
        Vec3 gradient;
        energy += vertex_energy(substep, i, work->z[i], &gradient);
        gradient = vec3_madd(gradient, -scale, system_force(system, i));
        if (work->contacts) {
            gradient = vec3_add(gradient, contacts_gradient(work->contacts, i));
        }
        substep->gradient[i] = system_on_rails(system, i, gradient);
    }
    return energy;
}

void substep_gradient(Substep *substep, const Vec3 *z) {
    SubstepWork work = work_at(substep, z);
    contact_energy(substep, z);
    system_sum(substep->system, gradient_vertices, &work);
}

double substep_evaluate(Substep *substep, const Vec3 *z) {
    SubstepWork work = work_at(substep, z);
    double elastic = system_evaluate(substep->system, z, substep->x);
    double contact = contact_energy(substep, z);
    return contact + substep_scale(substep) * elastic +
           system_sum(substep->system, gradient_vertices, &work);
}

static double energy_vertices(void *context, int begin, int end) {
    const SubstepWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 ignored;
        if (!work->substep->system->held[i]) {
            sum += vertex_energy(work->substep, i, work->z[i], &ignored);
        }
    }
    return sum;
}

double substep_energy(Substep *substep, const Vec3 *z) {
    SubstepWork work = work_at(substep, z);
    const System *system = substep->system;
    return contact_energy(substep, z) + system_sum(system, energy_vertices, &work) +
           substep_scale(substep) * system_elastic_energy(system, z);
}

double substep_start_energy(Substep *substep) {
    if (!isfinite(substep->start_elastic) || substep->system->laws.rows_only) {
        return substep_energy(substep, substep->x);
    }
    SubstepWork work = work_at(substep, substep->x);
    return contact_energy(substep, substep->x) + substep_scale(substep) * substep->start_elastic +
           system_sum(substep->system, energy_vertices, &work);
}

/* --- vectors of all vertices ------------------------------------------------------------------- */

typedef struct VectorWork {
    const Substep *substep;
    const Vec3 *a, *b;
    double part;
    Vec3 *to;
} VectorWork;

static double dot_vertices(void *context, int begin, int end) {
    const VectorWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(work->a[i], work->b[i]);
    }
    return sum;
}

double substep_dot(const Substep *substep, const Vec3 *a, const Vec3 *b) {
    VectorWork work = {.a = a, .b = b};
    return system_sum(substep->system, dot_vertices, &work);
}

double substep_gradient_length(const Substep *substep) {
    return sqrt(substep_dot(substep, substep->gradient, substep->gradient));
}

static void move_vertices(void *context, int begin, int end) {
    const VectorWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3_madd(work->a[i], -work->part, work->b[i]);
    }
}

void substep_move(const Substep *substep, const Vec3 *from, double part, const Vec3 *change,
                  Vec3 *to) {
    VectorWork work = {.a = from, .b = change, .part = part, .to = to};
    system_run(substep->system, move_vertices, &work);
}

static void fly_vertices(void *context, int begin, int end) {
    const VectorWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3_add(work->substep->x[i], substep_inertial_step(work->substep, i));
    }
}

void substep_predict(const Substep *substep, Vec3 *z) {
    VectorWork work = {.substep = substep, .to = z};
    system_run(substep->system, fly_vertices, &work);
}

static void place_vertices(void *context, int begin, int end) {
    const VectorWork *work = context;
    const System *system = work->substep->system;
    for (int i = begin; i < end; ++i) {
        if (system->held[i]) {
            work->to[i] = system->target[i];
        }
        if (i >= system->rail_from) {
            work->to[i].x = system->rail[i];
        }
    }
}

void substep_place_pins(const Substep *substep, Vec3 *z) {
    VectorWork work = {.substep = substep, .to = z};
    system_run(substep->system, place_vertices, &work);
}
