/* A rigid motion is a shift and a turn about the centre of the cluster; both follow from 6 x 6 normal equations. */
#include "solver/rigid.h"

#include <math.h>
#include <string.h>

#include "laws/link.h"
#include "linear/dense.h"
#include "mesh/adjacency.h"

/* Newton steps on the contacts with bodies, the flight among them: of cloth that touches already, and of cloth that lands,
 * where full steps may alternate between resting and flying. There a line search shortens each, and one that gains less
 * than this part is the last. Not where cloth meets itself: sheets of a stack were thrown aside. */
#define CONTACT_PASSES 5
#define LANDING_PASSES 12
#define LANDING_GAIN 1e-3

typedef struct Equations {
    _Alignas(32) double matrix[RIGID_UNKNOWNS * RIGID_STRIDE]; /* lower half */
    double right[RIGID_UNKNOWNS];
} Equations;

typedef struct Motion {
    Vec3 shift, turn; /* m, and the axis times the angle */
} Motion;

struct RigidFit {
    Equations equations;
    Equations steady; /* their part that is the same at every place */
    Motion motion;    /* their solution */
    double sine;      /* sin(a)/a of its angle; 0 where it does not turn */
    double versine;   /* (1 - cos(a))/a^2, likewise */
    Motion present;   /* where the last pass went */
    Motion best;      /* of several */
    double mass;      /* kg, or inertia */
    Vec3 centre;      /* of that */
    /* Of the momentum balance, times the implicit length: momentum before, and what z gains on it; the moments of both; kg m
     * and kg m^2. And the sum of mass times place before, from the centre, kg m. */
    Vec3 momentum, force, moment, place;
    bool held;     /* by a pin or a body */
    bool on_rails; /* it moves along the mirror plane only, and turns about its normal */
};

StatusCode rigid_build(Rigid *rigid, const System *system, Store *store, Status *status) {
    rigid->component = STORE_ARRAY(store, int, system->vertex_count);
    if (!rigid->component) {
        return status_no_memory(status, "rigid motions");
    }
    rigid->component_count = components_find(system->mesh, rigid->component);
    rigid->parent = STORE_ARRAY(store, int, rigid->component_count);
    rigid->fit = STORE_ARRAY(store, RigidFit, rigid->component_count);
    rigid->balanced = STORE_ARRAY(store, bool, rigid->component_count);
    rigid->change = STORE_ARRAY(store, Vec3, system->vertex_count);
    return store->failed ? status_no_memory(status, "rigid motions") : STATUS_OK;
}

/* --- clusters --------------------------------------------------------------------------------- */

static RigidFit *fit_of(const Rigid *rigid, int vertex) {
    return &rigid->fit[rigid->parent[rigid->component[vertex]]];
}

/* Each one's parent is the first of its set. */
static void flatten(int *parent, int count) {
    for (int k = 0; k < count; ++k) {
        parent[k] = parent[parent[k]]; /* the smaller ones are done */
    }
}

void rigid_find_linked(int *parent, int count, const int *component, const System *system) {
    const Law *law = laws_find(&system->laws, &link_kind);
    const LinkLaw *links = (const LinkLaw *)law;
    for (int k = 0; k < count; ++k) {
        parent[k] = k;
    }
    for (int e = 0; law && e < law->count; ++e) {
        const int *vertices = law->vertices + (size_t)e * law->width;
        bool holds = links->set->state[links->link[e]] != LINK_RELEASED;
        for (int c = 1; holds && c < law->width; ++c) {
            components_join_first(parent, component[vertices[0]], component[vertices[c]]);
        }
    }
    flatten(parent, count);
}

void rigid_join_touching(int *parent, int count, const int *component, const Contacts *contacts) {
    for (int c = contacts->body_count; c < contacts->count; ++c) {
        const Contact *contact = &contacts->list[c];
        for (int j = 1; j < contact->count; ++j) {
            components_join_first(parent, component[contact->vertices[0]],
                                  component[contact->vertices[j]]);
        }
    }
    flatten(parent, count);
}

/* Finds the clusters, and the centre of each at z by these masses. */
static void find_clusters(Rigid *rigid, const Substep *substep, const double *mass, const Vec3 *z) {
    const System *system = substep->system;
    int count = rigid->component_count;
    memset(rigid->fit, 0, (size_t)count * sizeof *rigid->fit);
    rigid_find_linked(rigid->parent, count, rigid->component, system);
    if (substep_contact_count(substep) > 0) {
        rigid_join_touching(rigid->parent, count, rigid->component, &substep->world->contacts);
    }
    for (int i = system_first(system); i < system->vertex_count; i = system_next(system, i)) {
        RigidFit *fit = fit_of(rigid, i);
        fit->mass += mass[i];
        fit->centre = vec3_madd(fit->centre, mass[i], z[i]);
        fit->held |= system->held[i] || system->pins.stiffness[i] > 0;
        fit->on_rails |= i >= system->rail_from;
    }
    for (int k = 0; k < rigid->component_count; ++k) {
        RigidFit *fit = &rigid->fit[k];
        if (fit->mass > 0) {
            fit->centre = vec3_scale(1.0 / fit->mass, fit->centre);
        }
    }
}

/* --- normal equations ------------------------------------------------------------------------- */

/* A vertex at `arm` from the centre tends to move by `offset`, with this weight. */
static void add_point(RigidFit *fit, double weight, Vec3 arm, Vec3 offset) {
    const Vec3 moment = vec3_cross(arm, offset);
    const double right[RIGID_UNKNOWNS] = {offset.x, offset.y, offset.z,
                                          moment.x, moment.y, moment.z};
    const double r[3] = {arm.x, arm.y, arm.z}, square = vec3_dot(arm, arm);
    double *m = fit->equations.matrix;
    for (int a = 0; a < 3; ++a) {
        m[a * RIGID_STRIDE + a] += weight;
        for (int b = 0; b <= a; ++b) {
            m[(3 + a) * RIGID_STRIDE + 3 + b] += weight * ((a == b ? square : 0.0) - r[a] * r[b]);
        }
        int next = (a + 1) % 3, last = (a + 2) % 3; /* arm x */
        m[(3 + next) * RIGID_STRIDE + a] += weight * r[last];
        m[(3 + last) * RIGID_STRIDE + a] -= weight * r[next];
    }
    for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
        fit->equations.right[a] += weight * right[a];
    }
}

/* A point at `arm` from the centre resists with `along` in the direction of the normal and with `across` sideways, and is
 * pulled by `pull` where it has not moved. */
static void add_contact(RigidFit *fit, Vec3 arm, Vec3 normal, double along, double across,
                        Vec3 pull) {
    const Vec3 moment = vec3_cross(arm, normal), turning = vec3_cross(arm, pull);
    const double row[RIGID_UNKNOWNS] = {normal.x, normal.y, normal.z, moment.x, moment.y, moment.z};
    const double right[RIGID_UNKNOWNS] = {pull.x, pull.y, pull.z, turning.x, turning.y, turning.z};
    add_point(fit, across, arm, vec3(0, 0, 0));
    for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
        for (int b = 0; b <= a; ++b) {
            fit->equations.matrix[a * RIGID_STRIDE + b] += (along - across) * row[a] * row[b];
        }
        fit->equations.right[a] += right[a];
    }
}

/* Makes an unknown exactly zero. */
static void drop_unknown(RigidFit *fit, int a) {
    for (int b = 0; b < RIGID_UNKNOWNS; ++b) {
        fit->equations.matrix[b > a ? b * RIGID_STRIDE + a : a * RIGID_STRIDE + b] = 0;
    }
    fit->equations.matrix[a * RIGID_STRIDE + a] = 1;
    fit->equations.right[a] = 0;
}

/* Shift and turn; none where the matrix is singular. */
static void solve_fit(RigidFit *fit) {
    double *m = fit->equations.matrix, moments = 0;
    for (int a = 3; a < RIGID_UNKNOWNS; ++a) {
        moments += m[a * RIGID_STRIDE + a];
    }
    for (int a = 3; a < RIGID_UNKNOWNS; ++a) {
        m[a * RIGID_STRIDE + a] += RIGID_LEAST_MOMENT * moments;
    }
    for (int a = 0; fit->on_rails && a < RIGID_UNKNOWNS; ++a) {
        if (a != 1 && a != 2 && a != 3) {
            drop_unknown(fit, a);
        }
    }
    double answer[RIGID_STRIDE] = {0};
    memcpy(answer, fit->equations.right, sizeof fit->equations.right);
    if (fit->mass <= 0 || !dense_factor(m, RIGID_UNKNOWNS)) {
        return;
    }
    dense_solve(m, RIGID_UNKNOWNS, answer);
    fit->motion.shift = vec3(answer[0], answer[1], answer[2]);
    fit->motion.turn = vec3(answer[3], answer[4], answer[5]);
}

static void measure_turns(Rigid *rigid) {
    for (int k = 0; k < rigid->component_count; ++k) {
        RigidFit *fit = &rigid->fit[k];
        double angle = vec3_length(fit->motion.turn);
        double half = angle > 0 ? sin(0.5 * angle) / angle : 0.0;
        fit->sine = angle > 0 ? sin(angle) / angle : 0.0;
        fit->versine = 2.0 * half * half;
    }
}

/* What the loops over vertices below need. */
typedef struct RigidWork {
    const Rigid *rigid;
    const Substep *substep;
    const Vec3 *from;
    Vec3 *to;
    bool free_only; /* clusters that are held stay */
    bool curved;    /* the second derivative is asked for, else the first */
} RigidWork;

/* A place that goes with a cluster. */
static Vec3 moved_with(const RigidFit *fit, Vec3 from) {
    Vec3 offset = fit->motion.shift;
    if (fit->sine != 0) { /* sin(a)/a w x r + (1 - cos(a))/a^2 w x (w x r) */
        Vec3 across = vec3_cross(fit->motion.turn, vec3_sub(from, fit->centre));
        offset = vec3_madd(offset, fit->sine, across);
        offset = vec3_madd(offset, fit->versine, vec3_cross(fit->motion.turn, across));
    }
    return vec3_add(from, offset);
}

static void move_vertices(void *context, int begin, int end) {
    const RigidWork *work = context;
    for (int i = begin; i < end; ++i) {
        const RigidFit *fit = fit_of(work->rigid, i);
        bool stays = work->free_only && fit->held;
        work->to[i] = stays ? work->from[i] : moved_with(fit, work->from[i]);
    }
}

/* to = from, moved with the clusters */
static void move(Rigid *rigid, const System *system, bool free_only, const Vec3 *from, Vec3 *to) {
    RigidWork work = {.rigid = rigid, .from = from, .to = to, .free_only = free_only};
    measure_turns(rigid);
    system_run(system, move_vertices, &work);
}

/* --- prediction ------------------------------------------------------------------------------ */

/* Pins, flight, and the spring of a soft pin. */
static void add_vertex(Rigid *rigid, const Substep *substep, int i) {
    const System *system = substep->system;
    RigidFit *fit = fit_of(rigid, i);
    Vec3 arm = vec3_sub(substep->present[i], fit->centre);
    Vec3 away = vec3_sub(system->target[i], substep->present[i]);
    if (system->held[i]) {
        add_point(fit, RIGID_HELD_WEIGHT * fit->mass, arm, away);
        return;
    }
    double inertia = substep->inertia[i], soft = system->pins.stiffness[i];
    Vec3 flight = vec3_sub(substep->x[i], substep->present[i]);
    add_point(fit, inertia, arm, vec3_madd(flight, 1.0 / inertia, substep->drive[i]));
    if (soft > 0) {
        add_point(fit, substep->length * substep->length * soft, arm, away);
    }
}

/* A contact with a body as it is at z: one Newton step on its energy. */
static void add_body_contact(Rigid *rigid, const Substep *substep, int c, const Vec3 *z) {
    const Contacts *contacts = &substep->world->contacts;
    const Contact *contact = &contacts->list[c];
    if (vec3_dot(contacts->pull[c], contacts->pull[c]) == 0) {
        return;
    }
    RigidFit *fit = fit_of(rigid, contact->vertices[0]);
    Vec3 arm = vec3(0, 0, 0), moved = vec3(0, 0, 0);
    double along, across;
    for (int j = 0; j < contact->count; ++j) {
        int i = contact->vertices[j];
        arm = vec3_madd(arm, contact->weights[j], vec3_sub(substep->present[i], fit->centre));
        moved = vec3_madd(moved, contact->weights[j], vec3_sub(z[i], substep->present[i]));
    }
    along = contacts->push[c].along;
    across = contacts->push[c].across;
    Vec3 pull = vec3_sub(vec3_scale(across, moved), contacts->pull[c]);
    pull = vec3_madd(pull, (along - across) * vec3_dot(contact->normal, moved), contact->normal);
    add_contact(fit, arm, contact->normal, along, across, pull);
}

/* Flight and pins, which are the same at every place, and the bodies at z. */
static void fill_equations(Rigid *rigid, const Substep *substep, int pass, const Vec3 *z) {
    const System *system = substep->system;
    for (int i = system_first(system); pass == 0 && i < system->vertex_count;
         i = system_next(system, i)) {
        if (!system->mesh->isolated[i]) {
            add_vertex(rigid, substep, i);
        }
    }
    for (int k = 0; k < rigid->component_count; ++k) {
        RigidFit *fit = &rigid->fit[k];
        if (pass == 0) {
            fit->steady = fit->equations;
        }
        fit->equations = fit->steady;
    }
    for (int c = 0; pass > 0 && c < substep->world->contacts.body_count; ++c) {
        add_body_contact(rigid, substep, c, z);
    }
}

static double gain_vertices(void *context, int begin, int end) {
    const RigidWork *work = context;
    const Substep *substep = work->substep;
    double gain = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 moved = vec3_sub(work->to[i], substep->x[i]);
        Vec3 drive = vec3_madd(substep->drive[i], -0.5 * substep->inertia[i], moved);
        gain += substep->system->held[i] ? 0.0 : vec3_dot(moved, drive);
    }
    return gain;
}

/* Energy of the contacts at z; leaves their pulls. */
static double contact_energy(const Substep *substep, const Vec3 *z) {
    return substep_contact_count(substep) > 0
               ? contacts_evaluate(&substep->world->contacts, substep->system->pool, z)
               : 0.0;
}

/* The derivative of the energy at `from`, but elastic, by a step along the change of the clusters. */
static double change_vertices(void *context, int begin, int end) {
    const RigidWork *work = context;
    const Substep *substep = work->substep;
    const System *system = substep->system;
    double h2 = substep->length * substep->length, sum = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 change = work->rigid->change[i];
        double soft = h2 * system->pins.stiffness[i], inertia = substep->inertia[i];
        if (system->held[i]) {
            continue;
        }
        if (work->curved) {
            sum += (inertia + soft) * vec3_dot(change, change);
            continue;
        }
        Vec3 slope = vec3_scale(inertia, vec3_sub(work->from[i], substep->x[i]));
        slope = vec3_sub(slope, substep->drive[i]);
        slope = vec3_madd(slope, soft, vec3_sub(work->from[i], system->target[i]));
        slope = vec3_add(slope, contacts_gradient(&substep->world->contacts, i));
        sum += vec3_dot(slope, change);
    }
    return sum;
}

/* Between the motions to z and those just found, those that gain most: contacts begin and end in between. */
static void search_between(Rigid *rigid, const Substep *substep, const Vec3 *z) {
    const System *system = substep->system;
    RigidWork work = {.rigid = rigid, .substep = substep, .from = z};
    move(rigid, system, false, substep->present, rigid->change);
    substep_move(substep, z, 1.0, rigid->change, rigid->change);
    double slope = system_sum(system, change_vertices, &work);
    work.curved = true;
    double curvature = system_sum(system, change_vertices, &work);
    double part = substep_step_length(substep, z, rigid->change, slope, curvature);
    for (int k = 0; k < rigid->component_count; ++k) {
        Motion *motion = &rigid->fit[k].motion;
        const Motion *from = &rigid->fit[k].present;
        motion->shift = vec3_madd(from->shift, part, vec3_sub(motion->shift, from->shift));
        motion->turn = vec3_madd(from->turn, part, vec3_sub(motion->turn, from->turn));
    }
}

/* Saves the motions as the best, or restores these. */
static void keep_motions(Rigid *rigid, bool back) {
    for (int k = 0; k < rigid->component_count; ++k) {
        RigidFit *fit = &rigid->fit[k];
        *(back ? &fit->motion : &fit->best) = back ? fit->best : fit->motion;
    }
}

double rigid_predict(Rigid *rigid, const Substep *substep, Vec3 *z) {
    const System *system = substep->system;
    bool touching = substep_contact_count(substep) > 0 && substep->world->contacts.body_count > 0;
    double staying = contact_energy(substep, substep->present);
    double most = -INFINITY, before = -INFINITY;
    RigidWork work = {.substep = substep, .to = z};
    bool lands = touching && staying == 0 && substep->world->self_thickness == 0;
    int passes = lands ? LANDING_PASSES : touching ? CONTACT_PASSES : 1;
    find_clusters(rigid, substep, substep->inertia, substep->present);
    for (int pass = 0; pass < passes; ++pass) {
        fill_equations(rigid, substep, pass, z);
        for (int k = 0; k < rigid->component_count; ++k) {
            rigid->fit[k].present = rigid->fit[k].motion;
            if (rigid->parent[k] == k) {
                solve_fit(&rigid->fit[k]);
            }
        }
        if (pass > 0 && lands) {
            search_between(rigid, substep, z);
        }
        move(rigid, system, false, substep->present, z);
        double gain = system_sum(system, gain_vertices, &work);
        gain += staying - contact_energy(substep, z);
        if (gain > most) {
            most = gain;
            keep_motions(rigid, false);
        }
        if (lands && fabs(gain - before) <= LANDING_GAIN * fabs(gain)) {
            break;
        }
        before = gain;
    }
    keep_motions(rigid, true);
    move(rigid, system, false, substep->present, z);
    substep_place_pins(substep, z);
    return most;
}

/* --- momentum -------------------------------------------------------------------------------- */

/* Does the contact act at z, by pressure or friction? */
static bool is_touching(const Contact *contact, const Vec3 *z) {
    Vec3 at = vec3_scale(-1.0, contact->point);
    for (int j = 0; j < contact->count; ++j) {
        at = vec3_madd(at, contact->weights[j], z[contact->vertices[j]]);
    }
    return vec3_dot(contact->normal, at) < contact->shell + contact->range;
}

/* Clusters in contact with a body at z are held. Those that touch their own image, across the mirror plane, are one
 * cluster with it: only symmetric motions keep its momentum. */
static void hold_in_contact(Rigid *rigid, const Contacts *contacts, const Vec3 *z) {
    for (int c = 0; c < contacts->count; ++c) {
        const Contact *contact = &contacts->list[c];
        RigidFit *fit = fit_of(rigid, contact->vertices[0]);
        bool is_body = c < contacts->body_count, is_image = !is_body && contact->count == 1;
        if ((is_body && !fit->held) || (is_image && !fit->on_rails)) {
            bool touches = is_touching(contact, z);
            fit->held |= is_body && touches;
            fit->on_rails |= is_image && touches;
        }
    }
}

/* Clusters whose motion would take them into a body stay: iterations that ended early left them just before it, and what their
 * momentum lacks is what the body took. */
static void hold_striking(Rigid *rigid, const Contacts *contacts, const Vec3 *z) {
    measure_turns(rigid);
    for (int c = 0; c < contacts->body_count; ++c) {
        const Contact *contact = &contacts->list[c];
        RigidFit *fit = fit_of(rigid, contact->vertices[0]);
        Vec3 at = vec3_scale(-1.0, contact->point);
        for (int j = 0; j < contact->count && !fit->held; ++j) {
            at = vec3_madd(at, contact->weights[j], moved_with(fit, z[contact->vertices[j]]));
        }
        fit->held |= vec3_dot(contact->normal, at) < contact->shell;
    }
    for (int k = 0; k < rigid->component_count; ++k) {
        if (rigid->fit[k].held) {
            rigid->fit[k].motion = (Motion){0};
        }
    }
}

/* What the momentum at z lacks against the state before and the outer forces, times the length of the implicit step.
 * The residual of the equation would not do: backward Euler takes moments of the old momentum about the new places, which
 * brakes every turn, and the second-order step continues the last change of momentum, which must not recur after an impact. */
static void add_missing(RigidFit *fit, const Substep *substep, int i, const Vec3 *x, const Vec3 *v,
                        Vec3 z) {
    double mass = substep->system->mass[i], h = substep->system->pace[i] * substep->length;
    Vec3 arm = vec3_sub(z, fit->centre), moved = vec3_sub(z, substep->x[i]);
    add_point(fit, substep->inertia[i], arm, vec3(0, 0, 0));
    Vec3 outer = vec3_scale(h * substep->span.length, substep_outer_force(substep, i, z));
    Vec3 gained = vec3_madd(outer, -mass, moved);
    Vec3 before = vec3_sub(x[i], fit->centre);
    fit->force = vec3_add(fit->force, gained);
    fit->moment = vec3_add(fit->moment, vec3_cross(arm, gained));
    fit->moment = vec3_madd(fit->moment, mass * h, vec3_cross(before, v[i]));
    fit->place = vec3_madd(fit->place, mass, before);
    fit->momentum = vec3_madd(fit->momentum, mass * h, v[i]);
}

/* The motion that restores it; moments are about the centre, at z and before. */
static void balance_cluster(RigidFit *fit) {
    Vec3 carried = vec3_scale(1.0 / fit->mass, vec3_cross(fit->place, fit->momentum));
    Vec3 linear = vec3_add(fit->force, fit->momentum), angular = vec3_sub(fit->moment, carried);
    const double right[RIGID_UNKNOWNS] = {linear.x,  linear.y,  linear.z,
                                          angular.x, angular.y, angular.z};
    memcpy(fit->equations.right, right, sizeof right);
    solve_fit(fit);
}

/* Turns smaller than this leave next to nothing for one more pass, rad: each leaves the square of what it turned by. */
#define SMALL_TURN 1e-5

/* Marks the clusters that are balanced, which further passes skip. Returns whether all are. */
static bool mark_balanced(Rigid *rigid) {
    bool all = true;
    for (int k = 0; k < rigid->component_count; ++k) {
        rigid->balanced[k] = !(vec3_length(rigid->fit[k].motion.turn) > SMALL_TURN);
        all &= rigid->balanced[k];
    }
    return all;
}

/* Moves the clusters by what their momentum at z lacks. Returns whether another pass is worthwhile. */
static bool balance(Rigid *rigid, const Substep *substep, const Vec3 *x, const Vec3 *v, Vec3 *z) {
    const System *system = substep->system;
    bool any = false;
    find_clusters(rigid, substep, system->mass, z);
    if (substep_contact_count(substep) > 0) {
        hold_in_contact(rigid, &substep->world->contacts, z);
    }
    for (int k = 0; k < rigid->component_count; ++k) {
        rigid->fit[k].held |= rigid->balanced[k];
    }
    for (int i = system_first(system); i < system->vertex_count; i = system_next(system, i)) {
        RigidFit *fit = fit_of(rigid, i);
        if (!fit->held) {
            add_missing(fit, substep, i, x, v, z[i]);
            any = true;
        }
    }
    for (int k = 0; any && k < rigid->component_count; ++k) {
        if (rigid->parent[k] == k && !rigid->fit[k].held) {
            balance_cluster(&rigid->fit[k]);
        }
    }
    if (any && substep_contact_count(substep) > 0) {
        hold_striking(rigid, &substep->world->contacts, z);
    }
    if (any) {
        move(rigid, system, true, z, z);
    }
    return any && !mark_balanced(rigid);
}

void rigid_restore_momentum(Rigid *rigid, const Substep *substep, const Vec3 *x, const Vec3 *v,
                            int passes, Vec3 *z) {
    memset(rigid->balanced, 0, (size_t)rigid->component_count * sizeof *rigid->balanced);
    for (int pass = 0; pass < passes && balance(rigid, substep, x, v, z); ++pass) {
    }
}
