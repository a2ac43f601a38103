/* Newton's method on six numbers for each body: all islands at once, with one evaluation of the contacts for each step. */
#include "solver/rigid.h"

#include <string.h>

#include "linear/dense.h"
#include "mesh/adjacency.h"

/* Bodies of an island, at most; those of a larger one move as one. */
#define BODIES_MOST 16
/* Evaluations of the contacts, at most: Newton steps and what shortens them. Two layers take 4 to 10; five, of which some stick
 * while others slide, some tens. */
#define EVALUATIONS 40
/* Steps that would gain less than this part of a gain that is worth moving are not taken. */
#define ENOUGH 1e-4
/* A step is shortened where the slope at its end is upward, by more than this part of that at its start. */
#define STEEP 0.5
#define SHORTEST 0.1

typedef struct Motion {
    double offset[RIGID_UNKNOWNS]; /* shift, and the axis times the angle */
} Motion;

static const Motion no_motion;

struct IslandBody {
    double steady[RIGID_UNKNOWNS]
                 [RIGID_UNKNOWNS]; /* of flight, pins: the second derivative by the motion */
    double right[RIGID_UNKNOWNS];  /* and what they pull */
    double flown[RIGID_UNKNOWNS];  /* likewise, if nothing but the velocity drove it */
    double mass;                   /* inertia, kg */
    Vec3 centre;                   /* of that */
    bool on_rails;     /* it moves along the mirror plane only, and turns about its normal */
    int island, place; /* which, and where among its bodies */
    int next;          /* the island's next one; -1: none */
    Motion best, trial, step;
    double sine, versine; /* sin(a)/a and (1 - cos(a))/a^2 of the trial's angle */
};

struct Island {
    int body_count;
    int first; /* of its bodies */
    double *matrix;
    double gradient[RIGID_UNKNOWNS * BODIES_MOST];
    double mass;
    double astray; /* inertia times squared distance of z from where its bodies go, kg m^2 */
    double energy, start_energy, best_energy; /* at the trial, where all stays, at the best */
    double slope, part; /* of the energy along the step at its start; how much of it is tried */
    bool begun, done;   /* Newton's method */
    bool slides;        /* it is moved */
};

StatusCode islands_build(Islands *islands, int component_count, const int *component, Store *store,
                         Status *status) {
    int most = component_count < BODIES_MOST ? component_count : BODIES_MOST;
    size_t each = (size_t)RIGID_UNKNOWNS * (size_t)dense_stride(RIGID_UNKNOWNS * most);
    islands->component_count = component_count;
    islands->component = component;
    islands->body = STORE_ARRAY(store, int, component_count);
    islands->touching = STORE_ARRAY(store, int, component_count);
    islands->bodies = STORE_ARRAY(store, IslandBody, component_count);
    islands->list = STORE_ARRAY(store, Island, component_count);
    islands->matrix = store_take(store, (size_t)component_count * each, sizeof(double));
    return store->failed ? status_no_memory(status, "rigid motions") : STATUS_OK;
}

/* --- islands ------------------------------------------------------------------------- */

static IslandBody *body_of(const Islands *islands, int vertex) {
    return &islands->bodies[islands->body[islands->component[vertex]]];
}

/* Islands of too many bodies become one. */
static void join_crowded(Islands *islands) {
    for (int k = 0; k < islands->component_count; ++k) {
        islands->list[islands->touching[k]].body_count += islands->body[k] == k;
    }
    for (int k = 0; k < islands->component_count; ++k) {
        if (islands->list[islands->touching[k]].body_count > BODIES_MOST) {
            islands->body[k] = islands->touching[k];
        }
    }
}

static void number_bodies(Islands *islands) {
    double *matrix = islands->matrix;
    for (int k = 0; k < islands->component_count; ++k) {
        islands->list[k] = (Island){.first = -1};
        islands->bodies[k] = (IslandBody){.island = islands->touching[k]};
    }
    for (int k = islands->component_count; k-- > 0;) { /* backwards, so that they come ascending */
        Island *island = &islands->list[islands->touching[k]];
        if (islands->body[k] == k) {
            islands->bodies[k].next = island->first;
            island->first = k;
            islands->bodies[k].place = island->body_count++;
        }
    }
    for (int k = 0; k < islands->component_count; ++k) {
        int size = RIGID_UNKNOWNS * islands->list[k].body_count;
        islands->list[k].matrix = matrix;
        matrix += (size_t)size * (size_t)dense_stride(size);
    }
}

/* Returns whether some island has several bodies. */
static bool find_islands(Islands *islands, const Substep *substep) {
    int count = islands->component_count;
    memset(islands->list, 0, (size_t)count * sizeof *islands->list);
    rigid_find_linked(islands->body, count, islands->component, substep->system);
    memcpy(islands->touching, islands->body, (size_t)count * sizeof *islands->body);
    rigid_join_touching(islands->touching, count, islands->component, &substep->world->contacts);
    join_crowded(islands);
    number_bodies(islands);
    bool layered = false;
    for (int k = 0; k < count; ++k) {
        layered |= islands->list[k].body_count > 1;
        islands->list[k].done = islands->list[k].body_count < 2;
    }
    return layered;
}

static bool is_layered(const Islands *islands, const IslandBody *body) {
    return islands->list[body->island].body_count > 1;
}

/* --- flight and pins -------------------------------------------------------------------------- */

static void measure_bodies(Islands *islands, const Substep *substep) {
    const System *system = substep->system;
    for (int i = system_first(system); i < system->vertex_count; i = system_next(system, i)) {
        IslandBody *body = body_of(islands, i);
        body->mass += substep->inertia[i];
        body->centre = vec3_madd(body->centre, substep->inertia[i], substep->x[i]);
        body->on_rails |= i >= system->rail_from;
    }
    for (int k = 0; k < islands->component_count; ++k) {
        IslandBody *body = &islands->bodies[k];
        if (islands->body[k] == k && body->mass > 0) {
            body->centre = vec3_scale(1.0 / body->mass, body->centre);
            islands->list[body->island].mass += body->mass;
        }
    }
}

/* A point at `arm`, which counts by `weight`, is pulled by `pull`. */
static void add_pull(double right[RIGID_UNKNOWNS], double weight, Vec3 arm, Vec3 pull) {
    Vec3 force = vec3_scale(weight, pull), moment = vec3_cross(arm, pull);
    const double all[RIGID_UNKNOWNS] = {force.x, force.y, force.z, moment.x, moment.y, moment.z};
    for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
        right[a] += all[a];
    }
}

/* How a point at `arm`, which counts by `weight`, moves with each of the unknowns. */
static void columns_of(double weight, Vec3 arm, Vec3 offsets[RIGID_UNKNOWNS]) {
    offsets[0] = vec3(weight, 0, 0);
    offsets[1] = vec3(0, weight, 0);
    offsets[2] = vec3(0, 0, weight);
    offsets[3] = vec3(0, -arm.z, arm.y);
    offsets[4] = vec3(arm.z, 0, -arm.x);
    offsets[5] = vec3(-arm.y, arm.x, 0);
}

/* A vertex at `arm` from the centre tends to move by `offset`, with this weight; by its velocity alone, by `flown`. */
static void add_point(IslandBody *body, double weight, Vec3 arm, Vec3 offset, Vec3 flown) {
    Vec3 offsets[RIGID_UNKNOWNS];
    columns_of(1.0, arm, offsets);
    add_pull(body->right, 1.0, arm, vec3_scale(weight, offset));
    add_pull(body->flown, 1.0, arm, vec3_scale(weight, flown));
    for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
        for (int b = 0; b <= a; ++b) {
            body->steady[a][b] += weight * vec3_dot(offsets[a], offsets[b]);
        }
    }
}

static void add_vertex(Islands *islands, const Substep *substep, int i) {
    const System *system = substep->system;
    IslandBody *body = body_of(islands, i);
    Vec3 arm = vec3_sub(substep->x[i], body->centre);
    Vec3 away = vec3_sub(system->target[i], substep->x[i]);
    if (system->held[i]) {
        add_point(body, RIGID_HELD_WEIGHT * body->mass, arm, away, away);
        return;
    }
    double inertia = substep->inertia[i], soft = system->pins.stiffness[i];
    Vec3 flown = substep_inertial_step(substep, i);
    add_point(body, inertia, arm, vec3_scale(1.0 / inertia, substep->drive[i]), flown);
    if (soft > 0) {
        add_point(body, substep->length * substep->length * soft, arm, away, away);
    }
}

static void add_vertices(Islands *islands, const Substep *substep) {
    const System *system = substep->system;
    for (int i = system_first(system); i < system->vertex_count; i = system_next(system, i)) {
        if (!system->mesh->isolated[i] && is_layered(islands, body_of(islands, i))) {
            add_vertex(islands, substep, i);
        }
    }
    for (int k = 0; k < islands->component_count; ++k) {
        IslandBody *body = &islands->bodies[k];
        double moments = body->steady[3][3] + body->steady[4][4] + body->steady[5][5];
        for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
            body->steady[a][a] += a < 3 ? 0.0 : RIGID_LEAST_MOMENT * moments;
            for (int b = a + 1; b < RIGID_UNKNOWNS; ++b) {
                body->steady[a][b] = body->steady[b][a];
            }
        }
    }
}

/* --- evaluating the trial motions ------------------------------------------------------------- */

static Vec3 shift_of(const Motion *motion) {
    return vec3(motion->offset[0], motion->offset[1], motion->offset[2]);
}

static Vec3 turn_of(const Motion *motion) {
    return vec3(motion->offset[3], motion->offset[4], motion->offset[5]);
}

static void measure_turn(IslandBody *body) {
    double angle = vec3_length(turn_of(&body->trial));
    double half = angle > 0 ? sin(0.5 * angle) / angle : 0.0;
    body->sine = angle > 0 ? sin(angle) / angle : 1.0;
    body->versine = angle > 0 ? 2.0 * half * half : 0.5;
}

/* How what is at `arm` moves where the body turns: sin(a)/a w x r + (1 - cos(a))/a^2 w x (w x r) */
static Vec3 rotated(const IslandBody *body, Vec3 arm) {
    Vec3 turn = turn_of(&body->trial), across = vec3_cross(turn, arm);
    return vec3_madd(vec3_scale(body->sine, across), body->versine, vec3_cross(turn, across));
}

/* A body's part in a contact. */
typedef struct Share {
    IslandBody *body;
    double weight;
    Vec3 arm; /* sum w_j r_j, turned with the body */
} Share;

/* Lists the bodies that have a part in a contact; returns how many. */
static int share_contact(const Islands *islands, const Contact *contact, const Vec3 *x,
                         Share shares[CONTACT_VERTICES]) {
    int count = 0;
    for (int j = 0; j < contact->count; ++j) {
        IslandBody *body = body_of(islands, contact->vertices[j]);
        int k = 0;
        while (k < count && shares[k].body != body) {
            ++k;
        }
        if (k == count) {
            shares[count++] = (Share){.body = body};
        }
        Vec3 arm = vec3_sub(x[contact->vertices[j]], body->centre);
        shares[k].weight += contact->weights[j];
        shares[k].arm = vec3_madd(shares[k].arm, contact->weights[j], arm);
    }
    return count;
}

/* Adds a contact's second derivative by the unknowns of two bodies. */
static void add_block(Island *island, const Share *row, const Share *column,
                      const ContactPush *push, Vec3 normal) {
    int stride = dense_stride(RIGID_UNKNOWNS * island->body_count);
    double *block = island->matrix + (size_t)(RIGID_UNKNOWNS * row->body->place) * (size_t)stride +
                    RIGID_UNKNOWNS * column->body->place;
    Vec3 rows[RIGID_UNKNOWNS], columns[RIGID_UNKNOWNS];
    columns_of(row->weight, row->arm, rows);
    columns_of(column->weight, column->arm, columns);
    for (int b = 0; b < RIGID_UNKNOWNS; ++b) {
        Vec3 pull = vec3_madd(columns[b], -vec3_dot(push->glide, columns[b]), push->glide);
        pull = vec3_scale(push->across, pull);
        double along = (push->along - push->across) * vec3_dot(normal, columns[b]);
        pull = vec3_madd(pull, along, normal);
        for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
            block[a * stride + b] += vec3_dot(rows[a], pull);
        }
    }
}

static void add_contact(const Islands *islands, const Substep *substep, int c) {
    const Contact *contact = &substep->world->contacts.list[c];
    if (islands->list[body_of(islands, contact->vertices[0])->island].done) {
        return;
    }
    Share shares[CONTACT_VERTICES];
    int count = share_contact(islands, contact, substep->x, shares);
    if (count == 1 && c >= substep->world->contacts.body_count && contact->count > 1) {
        return; /* of a body with itself */
    }
    Vec3 at = vec3(0, 0, 0);
    for (int k = 0; k < count; ++k) {
        Share *share = &shares[k];
        share->arm = vec3_add(share->arm, rotated(share->body, share->arm));
        Vec3 middle = vec3_add(share->body->centre, shift_of(&share->body->trial));
        at = vec3_add(vec3_madd(at, share->weight, middle), share->arm);
    }
    ContactPush push;
    Island *island = &islands->list[shares[0].body->island];
    island->energy += contacts_push(&substep->world->contacts, c, at, &push);
    if (push.along == 0 && push.across == 0) {
        return;
    }
    for (int k = 0; k < count; ++k) {
        add_pull(island->gradient + RIGID_UNKNOWNS * shares[k].body->place, shares[k].weight,
                 shares[k].arm, push.pull);
        for (int other = 0; other < count; ++other) {
            if (shares[other].body->place <= shares[k].body->place) {
                add_block(island, &shares[k], &shares[other], &push, contact->normal);
            }
        }
    }
}

/* Flight and pins: they are quadratic. */
static void add_body(Islands *islands, const IslandBody *body) {
    Island *island = &islands->list[body->island];
    int stride = dense_stride(RIGID_UNKNOWNS * island->body_count),
        first = RIGID_UNKNOWNS * body->place;
    const double *offset = body->trial.offset;
    for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
        double product = 0;
        for (int b = 0; b < RIGID_UNKNOWNS; ++b) {
            product += body->steady[a][b] * offset[b];
            island->matrix[(size_t)(first + a) * (size_t)stride + first + b] = body->steady[a][b];
        }
        island->energy += (0.5 * product - body->right[a]) * offset[a];
        island->gradient[first + a] = product - body->right[a];
    }
}

/* Energy, gradient and second derivative of all islands at the trial motions. */
static void evaluate(Islands *islands, const Substep *substep) {
    for (int k = 0; k < islands->component_count; ++k) {
        Island *island = &islands->list[k];
        int size = RIGID_UNKNOWNS * island->body_count;
        island->energy = 0;
        memset(island->matrix, 0, (size_t)size * (size_t)dense_stride(size) * sizeof(double));
    }
    for (int k = 0; k < islands->component_count; ++k) {
        if (islands->body[k] == k && !islands->list[islands->bodies[k].island].done) {
            measure_turn(&islands->bodies[k]);
            add_body(islands, &islands->bodies[k]);
        }
    }
    for (int c = 0; c < substep->world->contacts.count; ++c) {
        add_contact(islands, substep, c);
    }
}

/* --- Newton's method -------------------------------------------------------------------------- */

static void drop_unknown(Island *island, int row) {
    int size = RIGID_UNKNOWNS * island->body_count, stride = dense_stride(size);
    for (int k = 0; k < size; ++k) {
        island->matrix[(size_t)(k > row ? k : row) * (size_t)stride + (k > row ? row : k)] = 0;
    }
    island->matrix[(size_t)row * (size_t)stride + row] = 1;
    island->gradient[row] = 0;
}

/* Along x, and about y and z. */
static bool is_dropped(int unknown) { return unknown == 0 || unknown == 4 || unknown == 5; }

static void drop_on_rails(Island *island, const IslandBody *body) {
    for (int a = 0; body->on_rails && a < RIGID_UNKNOWNS; ++a) {
        if (is_dropped(a)) {
            drop_unknown(island, RIGID_UNKNOWNS * body->place + a);
        }
    }
}

/* Where its velocity alone takes a body: it shows the direction of friction. */
static void predict_body(IslandBody *body) {
    _Alignas(32) double matrix[RIGID_UNKNOWNS * RIGID_STRIDE];
    for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
        for (int b = 0; b < RIGID_UNKNOWNS; ++b) {
            bool dropped = body->on_rails && (is_dropped(a) || is_dropped(b));
            matrix[a * RIGID_STRIDE + b] = dropped ? a == b : body->steady[a][b];
        }
        body->trial.offset[a] = body->on_rails && is_dropped(a) ? 0.0 : body->flown[a];
    }
    if (dense_factor(matrix, RIGID_UNKNOWNS)) {
        dense_solve(matrix, RIGID_UNKNOWNS, body->trial.offset);
    } else {
        body->trial = no_motion;
    }
    body->best = body->trial;
}

/* The slope of the energy along the step, where it was evaluated. */
static double slope_of(const Islands *islands, int number) {
    const Island *island = &islands->list[number];
    double slope = 0;
    for (int k = island->first; k >= 0; k = islands->bodies[k].next) {
        const IslandBody *body = &islands->bodies[k];
        for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
            slope += body->step.offset[a] * island->gradient[RIGID_UNKNOWNS * body->place + a];
        }
    }
    return slope;
}

static void find_step(Islands *islands, int number) {
    Island *island = &islands->list[number];
    double answer[RIGID_UNKNOWNS * BODIES_MOST] = {0};
    int size = RIGID_UNKNOWNS * island->body_count;
    for (int k = island->first; k >= 0; k = islands->bodies[k].next) {
        drop_on_rails(island, &islands->bodies[k]);
    }
    memcpy(answer, island->gradient, (size_t)size * sizeof *answer);
    island->done = island->mass <= 0 || !dense_factor(island->matrix, size);
    if (!island->done) {
        dense_solve(island->matrix, size, answer);
    }
    for (int k = island->first; k >= 0; k = islands->bodies[k].next) {
        IslandBody *body = &islands->bodies[k];
        for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
            body->step.offset[a] = island->done ? 0.0 : -answer[RIGID_UNKNOWNS * body->place + a];
        }
    }
}

static void keep_trial(Islands *islands, int number) {
    Island *island = &islands->list[number];
    island->best_energy = island->energy;
    for (int k = island->first; k >= 0; k = islands->bodies[k].next) {
        islands->bodies[k].best = islands->bodies[k].trial;
    }
}

static void try_step(Islands *islands, int number) {
    const Island *island = &islands->list[number];
    for (int k = island->first; k >= 0; k = islands->bodies[k].next) {
        IslandBody *body = &islands->bodies[k];
        for (int a = 0; a < RIGID_UNKNOWNS; ++a) {
            body->trial.offset[a] = body->best.offset[a] + island->part * body->step.offset[a];
        }
    }
}

/* The next Newton step, from a trial that is better than all before. */
static void step_on(Islands *islands, int number, double enough) {
    Island *island = &islands->list[number];
    keep_trial(islands, number);
    find_step(islands, number);
    island->slope = slope_of(islands, number);
    island->part = 1.0;
    island->done |= !(-island->slope > enough * island->mass);
}

/* After an evaluation: on from the trial, or less far towards it. */
static void advance(Islands *islands, int number, double enough) {
    Island *island = &islands->list[number];
    double slope = slope_of(islands, number);
    if (slope <= STEEP * -island->slope && island->energy <= island->best_energy) {
        step_on(islands, number, enough);
    } else {
        double part = -island->slope / (slope - island->slope);
        island->part *= part < 1 ? fmax(part, SHORTEST) : 0.5;
    }
}

/* First the free flight is evaluated, then rest: Newton's method begins at the better of them. */
static void begin(Islands *islands, int number, int count, double enough) {
    Island *island = &islands->list[number];
    bool flies = count == 1 && island->energy > island->best_energy;
    for (int k = island->first; k >= 0; k = islands->bodies[k].next) {
        IslandBody *body = &islands->bodies[k];
        body->trial = count == 0 ? no_motion : flies ? body->best : body->trial;
    }
    island->best_energy = count == 0 ? island->energy : island->best_energy;
    island->start_energy = count == 1 ? island->energy : island->start_energy;
    island->begun = count > 0 && !flies;
    if (island->begun) {
        step_on(islands, number, enough);
    }
}

/* The best motions of all islands; `enough`: half the square of a displacement that is not worth another step, m^2. */
static void find_motions(Islands *islands, const Substep *substep, double enough) {
    bool any = true;
    for (int k = 0; k < islands->component_count; ++k) {
        if (islands->body[k] == k && is_layered(islands, &islands->bodies[k])) {
            predict_body(&islands->bodies[k]);
        }
    }
    for (int count = 0; any && count < EVALUATIONS; ++count) {
        any = false;
        evaluate(islands, substep);
        for (int k = 0; k < islands->component_count; ++k) {
            Island *island = &islands->list[k];
            if (island->done) {
                continue;
            }
            if (island->begun) {
                advance(islands, k, enough);
            } else {
                begin(islands, k, count, enough);
            }
            if (island->begun && !island->done) {
                try_step(islands, k);
            }
            any |= !island->done;
        }
    }
}

/* Where its body takes a vertex. */
static Vec3 place_of(const IslandBody *body, Vec3 x) {
    Vec3 offset = rotated(body, vec3_sub(x, body->centre));
    return vec3_add(x, vec3_add(shift_of(&body->trial), offset));
}

/* Layers that would hardly move past each other stay: rounding would make them creep. */
static void measure_astray(Islands *islands, const Substep *substep, const Vec3 *z) {
    const System *system = substep->system;
    for (int i = system_first(system); i < system->vertex_count; i = system_next(system, i)) {
        const IslandBody *body = body_of(islands, i);
        if (is_layered(islands, body) && !system->held[i]) {
            Vec3 offset = vec3_sub(place_of(body, substep->x[i]), z[i]);
            islands->list[body->island].astray += substep->inertia[i] * vec3_dot(offset, offset);
        }
    }
}

typedef struct MoveWork {
    const Islands *islands;
    const Vec3 *x;
    Vec3 *z;
} MoveWork;

static void move_vertices(void *context, int begin, int end) {
    const MoveWork *work = context;
    for (int i = begin; i < end; ++i) {
        const IslandBody *body = body_of(work->islands, i);
        if (work->islands->list[body->island].slides) {
            work->z[i] = place_of(body, work->x[i]);
        }
    }
}

/* The best motions are the trial ones, if they are worth it. */
static void choose_motions(Islands *islands, double worth) {
    for (int k = 0; k < islands->component_count; ++k) {
        IslandBody *body = &islands->bodies[k];
        const Island *island = &islands->list[body->island];
        bool moves = island->start_energy - island->best_energy > worth * island->mass;
        body->trial = moves ? body->best : no_motion;
        measure_turn(body);
    }
}

bool islands_predict(Islands *islands, const Substep *substep, double least, Vec3 *z) {
    double worth = 0.5 * least * least;
    if (!find_islands(islands, substep)) {
        return false;
    }
    measure_bodies(islands, substep);
    add_vertices(islands, substep);
    find_motions(islands, substep, ENOUGH * worth);
    choose_motions(islands, worth);
    measure_astray(islands, substep, z);
    bool any = false;
    for (int k = 0; k < islands->component_count; ++k) {
        /* where all motions cost energy the contacts contradict each other: layers had crossed in the flight */
        Island *island = &islands->list[k];
        island->slides = island->best_energy < 0 && 0.5 * island->astray > worth * island->mass;
        any |= island->slides;
    }
    MoveWork work = {islands, substep->x, z};
    system_run(substep->system, move_vertices, &work);
    substep_place_pins(substep, z);
    return any;
}
