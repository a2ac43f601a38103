/* z -= A^-1 gradient, and what contacts make of it.
 *
 * The constant matrix bounds the cloth's own energy from above, but not that of stiff contacts. With them the
 * step p is found by a few conjugate gradients on (A + H) p = gradient, H the contacts' second derivative,
 * preconditioned by the factor of A. No product with A is needed: A^-1 r was just computed from r, so
 * A times every direction follows from the residuals. How far to go along p is then decided exactly on
 *
 *   f(a) = -a g.p + a^2 p.A p / 2 + contacts(z - a p)
 *
 * with g the gradient of all but the contacts: an upper bound of the true energy, convex in a.
 *
 * Two conjugate gradient steps: with one, cloth slides off what it should rest on. With d = A^-1 g, r what the first
 * step leaves and s = A^-1 r, all that follows is made of these: p = a d + b s, A p = a g + b r, and every product is a
 * sum of g.d, g.s, r.d and r.s. So neither the second direction nor A times anything is ever written down. */
#include <math.h>
#include <string.h>

#include "base/machine.h"
#include "solver/constant/linear.h"

/* --- closed volumes --------------------------------------------------------------------------- */

/* Closed volumes that resist, in solves with the constant matrix A: each adds k g g', g the gradient of its volume at the
 * substep's start and k = h^2 q c / V0 (laws/pressure.h). With w = A^-1 g the solve of the sum is
 *
 *   y = A^-1 r,   y - w k (g.y) / (1 + k g.w)                     [Sherman and Morrison 1950]
 *
 * chamber by chamber: none shares a vertex, and A couples no two of them, unless they are sewn together; then this is not
 * the whole of it, and the safeguard of the solve has more to do. */

/* What is held does not give way. */
static void set_free_gradients(LinearSolver *linear) {
    const System *system = linear->solver.system;
    for (int i = 0; i < system->vertex_count; ++i) {
        Vec3 *g = &system->volumes.gradient[i];
        *g = system->held[i] ? vec3(0, 0, 0) : system_on_rails(system, i, *g);
    }
}

/* g . y of each chamber. */
static void sum_chambers(const System *system, const Vec3 *y, double *sum) {
    const Volumes *volumes = &system->volumes;
    for (int k = 0; k < volumes->count; ++k) {
        sum[k] = 0;
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        if (volumes->chamber[i] >= 0) {
            sum[volumes->chamber[i]] += vec3_dot(volumes->gradient[i], y[i]);
        }
    }
}

void linear_look_at_volumes(LinearSolver *linear) {
    System *system = linear->solver.system;
    const Laws *laws = &system->laws;
    VolumeSolve *own = &linear->volumes;
    own->stiff = volumes_update(&system->volumes, laws->list, laws->count, system->vertex_count,
                                linear->solver.substep.x);
    if (!own->stiff) {
        return;
    }
    set_free_gradients(linear);
    own->stiff = false; /* the solve itself is of A alone */
    linear_apply_factor(linear, system->volumes.gradient, own->response);
    own->stiff = true;
    sum_chambers(system, own->response, own->compliance);
}

static void linear_keep_volumes(LinearSolver *linear, Vec3 *y) {
    const System *system = linear->solver.system;
    const Volumes *volumes = &system->volumes;
    const VolumeSolve *own = &linear->volumes;
    sum_chambers(system, y, own->sum);
    for (int k = 0; k < volumes->count; ++k) {
        double stiffness = linear_scale(linear) * volumes->slope[k];
        own->sum[k] *= stiffness / (1.0 + stiffness * own->compliance[k]);
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        if (volumes->chamber[i] >= 0) {
            y[i] = vec3_madd(y[i], -own->sum[volumes->chamber[i]], own->response[i]);
        }
    }
}

bool linear_take_volumes(LinearSolver *linear) {
    const System *system = linear->solver.system;
    VolumeSolve *own = &linear->volumes;
    int count = system->volumes.count;
    own->response = count > 0 ? STORE_ARRAY(&linear->store, Vec3, system->vertex_count) : NULL;
    own->compliance = count > 0 ? STORE_ARRAY(&linear->store, double, count) : NULL;
    own->sum = count > 0 ? STORE_ARRAY(&linear->store, double, count) : NULL;
    return !linear->store.failed;
}

/* --- how much of a change to take ------------------------------------------------------------- */

/* How much of a change to take: all of it, or as many halves less as lower the energy. */

/* Part of the expected decrease that must be seen. */
#define DECREASE 1e-4
/* Halvings of a solve that the constant matrix does not bound, the last of which leaves nothing of it. */
#define HALVINGS 12

typedef struct MoveWork {
    const Vec3 *from, *change;
    double part;
    Vec3 *to;
} MoveWork;

static void move_vertices(void *context, int begin, int end) {
    const MoveWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3_madd(work->from[i], -work->part, work->change[i]);
    }
}

void linear_move(const LinearSolver *linear, const Vec3 *from, double part, Vec3 *to) {
    const System *system = linear->solver.system;
    MoveWork work = {.from = from, .change = linear->change, .part = part, .to = to};
    system_run(system, move_vertices, &work);
}

typedef struct TryWork {
    LinearSolver *linear;
    const Vec3 *z;
} TryWork;

/* trial = z - change; returns what the gradient says to that. */
static double try_vertices(void *context, int begin, int end) {
    const LinearSolver *linear = ((const TryWork *)context)->linear;
    const Vec3 *z = ((const TryWork *)context)->z, *gradient = linear->solver.substep.gradient;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(gradient[i], linear->change[i]);
        linear->trial[i] = vec3_sub(z[i], linear->change[i]);
    }
    return sum;
}

double linear_evaluate(LinearSolver *linear, const Vec3 *z) {
    Substep *substep = &linear->solver.substep;
    double begin = substep_clock(substep), energy = substep_evaluate(substep, z);
    linear->solver.work.force_seconds += substep_clock(substep) - begin;
    return energy;
}

int linear_search(LinearSolver *linear, int halvings, Vec3 *z, double *energy) {
    const System *system = linear->solver.system;
    TryWork work = {linear, z};
    double slope = system_sum(system, try_vertices, &work), part = 1.0;
    for (int halving = 0; halving < halvings; ++halving, part *= 0.5) {
        if (halving > 0) {
            linear_move(linear, z, part, linear->trial);
        }
        double next = linear_evaluate(linear, linear->trial);
        if (next <= *energy - DECREASE * part * slope) {
            system_copy(system, sizeof *z, linear->trial, z);
            *energy = next;
            return 1;
        }
    }
    ++linear->solver.work.rejected;
    *energy = linear_evaluate(linear, z); /* back to the gradient there */
    return 0;
}

int linear_take_back(LinearSolver *linear, double bound, Vec3 *z, double *energy) {
    int halvings = 0;
    double part = linear->taken;
    while (!(*energy <= bound) && halvings < HALVINGS) {
        part = ++halvings < HALVINGS ? 0.5 * part : 0.0;
        linear->reach *= 0.5;
        linear_move(linear, linear->trial, part, z);
        *energy = linear_evaluate(linear, z);
    }
    linear->solver.work.rejected += halvings > 0;
    return halvings;
}

double linear_safe_step(LinearSolver *linear, Vec3 *z, double energy) {
    if (!linear->solver.system->laws.unbounded) {
        return linear_solve_step(linear, z);
    }
    double bound = isfinite(energy) ? energy : linear_evaluate(linear, z);
    double gain = linear_solve_step(linear, z);
    energy = linear_evaluate(linear, z);
    linear_take_back(linear, bound, z, &energy);
    return gain;
}

/* Steps of a round where there are fewer than so many rounds in all. */
#define PRESS_STEPS 4
#define FEW_ROUNDS 4

void linear_apply_factor(LinearSolver *linear, const Vec3 *right, Vec3 *left) {
    double begin = timing_now();
    solve_apply(factor_solve(linear->factor), linear->solver.system->pool, right, left);
    if (linear->volumes.stiff) {
        linear_keep_volumes(linear, left);
    }
    linear->solver.work.solve_seconds += timing_now() - begin;
    ++linear->solver.work.solves;
}

typedef struct DotWork {
    const Vec3 *a, *b;
} DotWork;

static double dot_vertices(void *context, int begin, int end) {
    const DotWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(work->a[i], work->b[i]);
    }
    return sum;
}

static double dot(const LinearSolver *linear, const Vec3 *a, const Vec3 *b) {
    DotWork work = {a, b};
    const System *system = linear->solver.system;
    return system_sum(system, dot_vertices, &work);
}

/* The step p = on_first d + on_second s, and what is known about it. */
typedef struct Way {
    double on_first, on_second;
    double slope, curvature; /* g.p, p.A p */
} Way;

typedef struct ResidualWork {
    LinearSolver *linear;
    double left, part;
} ResidualWork;

/* r = g - part (g + H d), with left = 1 - part */
static void leave_residual(void *context, int begin, int end) {
    const ResidualWork *work = context;
    const System *system = work->linear->solver.system;
    const Contacts *contacts = &work->linear->solver.substep.around->contacts;
    const Vec3 *gradient = work->linear->solver.substep.gradient;
    Vec3 *residual = work->linear->press.residual;
    for (int i = begin; i < end; ++i) {
        residual[i] = vec3_scale(work->left, gradient[i]);
        if (contacts_touch(contacts, i) && !system->held[i]) {
            Vec3 pull = system_on_rails(system, i, contacts_gradient(contacts, i));
            residual[i] = vec3_madd(residual[i], -work->part, pull);
        }
    }
}

enum { FIRST_RESIDUAL, SECOND_GRADIENT, SECOND_RESIDUAL, PRODUCTS };

/* d.r, s.g, s.r */
static void multiply_vertices(void *context, int begin, int end, double *sums) {
    const LinearSolver *linear = context;
    const Vec3 *gradient = linear->solver.substep.gradient, *residual = linear->press.residual;
    const Vec3 *first = linear->press.direction, *second = linear->press.conditioned;
    double products[PRODUCTS] = {0};
    for (int i = begin; i < end; ++i) {
        products[FIRST_RESIDUAL] += vec3_dot(first[i], residual[i]);
        products[SECOND_GRADIENT] += vec3_dot(second[i], gradient[i]);
        products[SECOND_RESIDUAL] += vec3_dot(second[i], residual[i]);
    }
    memcpy(sums, products, sizeof products);
}

/* The second conjugate gradient step, after a first of length `part` along d; square is g.d. */
static void step_again(LinearSolver *linear, double square, double part, Way *way) {
    System *system = linear->solver.system;
    const Contacts *contacts = &linear->solver.substep.around->contacts;
    const Press *press = &linear->press;
    double products[PRODUCTS];
    linear_apply_factor(linear, press->residual, press->conditioned);
    subset_sums(system->awake, system->pool, system->vertex_count, multiply_vertices, linear,
                PRODUCTS, products);
    double next = products[SECOND_RESIDUAL], turn = next / square;
    double mixed = products[FIRST_RESIDUAL] + products[SECOND_GRADIENT];
    if (!(next > 0)) {
        return;
    }
    /* along s + turn d */
    double curvature = next + turn * (mixed + turn * square);
    curvature +=
        contacts_curvature(contacts, system->pool, press->conditioned, turn, press->direction);
    if (!(curvature > 0)) {
        return;
    }
    double a = part + next / curvature * turn, b = next / curvature;
    *way = (Way){.on_first = a,
                 .on_second = b,
                 .slope = a * square + b * products[SECOND_GRADIENT],
                 .curvature = a * (a * square + b * mixed) + b * b * next};
}

typedef struct CarryWork {
    LinearSolver *linear;
    const Way *way;
    double part;
    bool arriving; /* puts the contacts' new gradient in; else takes the old one away */
} CarryWork;

/* change = on_first d + on_second s, of which s may not be known */
static void join_vertices(void *context, int begin, int end) {
    const CarryWork *work = context;
    const Press *press = &work->linear->press;
    double first = work->way->on_first, second = work->way->on_second;
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        if (first != 0) {
            sum = vec3_scale(first, press->direction[i]);
        }
        if (second != 0) {
            sum = vec3_madd(sum, second, press->conditioned[i]);
        }
        work->linear->change[i] = sum;
    }
}

/* (A + H) change = gradient, roughly. */
static Way find_change(LinearSolver *linear) {
    System *system = linear->solver.system;
    Contacts *contacts = &linear->solver.substep.around->contacts;
    const Press *press = &linear->press;
    const Vec3 *gradient = linear->solver.substep.gradient;
    Way way = {0};
    linear_apply_factor(linear, gradient, press->direction);
    double square = dot(linear, gradient, press->direction);
    if (square > 0) {
        double bent = contacts_multiply(contacts, system->pool, press->direction);
        double part = square / (square + bent);
        ResidualWork work = {linear, bent / (square + bent), part};
        way = (Way){.on_first = part, .slope = part * square, .curvature = part * part * square};
        system_run(system, leave_residual, &work);
        step_again(linear, square, part, &way);
    }
    CarryWork join = {.linear = linear, .way = &way};
    system_run(system, join_vertices, &join);
    return way;
}

/* The gradient of the model at the place the step leads to. */
static void carry_vertices(void *context, int begin, int end) {
    const CarryWork *work = context;
    const System *system = work->linear->solver.system;
    const Contacts *contacts = &work->linear->solver.substep.around->contacts;
    const Vec3 *residual = work->linear->press.residual;
    Vec3 *gradient = work->linear->solver.substep.gradient;
    for (int i = begin; i < end; ++i) {
        if (system->held[i]) {
            continue;
        }
        Vec3 contact = system_on_rails(system, i, contacts_gradient(contacts, i));
        if (work->arriving) {
            gradient[i] = vec3_add(gradient[i], contact);
            continue;
        }
        Vec3 held = vec3_scale(work->way->on_first, gradient[i]);
        if (work->way->on_second != 0) { /* else the residual may not be known */
            held = vec3_madd(held, work->way->on_second, residual[i]);
        }
        gradient[i] = vec3_madd(vec3_sub(gradient[i], contact), -work->part, held);
    }
}

/* One step among contacts. `again`: leaves the gradient of the model at the new place, for one more. Returns about what
 * it gains: half of what the slope promises. */
static double press_step(LinearSolver *linear, Vec3 *z, int again) {
    Pool *pool = linear->solver.system->pool;
    Contacts *contacts = &linear->solver.substep.around->contacts;
    Way way = find_change(linear);
    double part = linear->reach * substep_step_length(&linear->solver.substep, z, linear->change,
                                                      way.slope, way.curvature);
    CarryWork carry = {.linear = linear, .way = &way, .part = part};
    linear->taken = part;
    if (again) {
        contacts_evaluate(contacts, pool, z);
        system_run(linear->solver.system, carry_vertices, &carry);
    }
    linear_move(linear, z, part, z);
    if (again) {
        contacts_evaluate(contacts, pool, z);
        carry.arriving = 1;
        system_run(linear->solver.system, carry_vertices, &carry);
    }
    return 0.5 * part * way.slope;
}

double linear_solve_step(LinearSolver *linear, Vec3 *z) {
    Substep *substep = &linear->solver.substep;
    const System *system = substep->system;
    double gain = 0;
    if (system->laws.unbounded) {
        system_copy(system, sizeof *z, z, linear->trial);
    }
    if (substep_contact_count(substep) == 0) {
        linear_apply_factor(linear, substep->gradient, linear->change);
        linear->taken = linear->reach;
        linear_move(linear, z, linear->taken, z);
        return gain;
    }
    double clock = timing_now(), solving = linear->solver.work.solve_seconds;
    /* Few rounds do not show which contacts push and which slide. Only one step can be taken back. */
    bool few =
        linear->solver.options.scheme != SCHEME_TWO_LEVEL && linear->solver.rounds < FEW_ROUNDS;
    int steps = few && !system->laws.unbounded ? PRESS_STEPS : 1;
    for (int step = 1; step <= steps; ++step) {
        gain += press_step(linear, z, step < steps);
    }
    solving = linear->solver.work.solve_seconds - solving;
    substep->around->report.respond_seconds += timing_now() - clock - solving;
    return gain;
}
