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

/* Held vertices do not move. */
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

void linear_update_volumes(LinearSolver *linear) {
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

static void linear_correct_for_volumes(LinearSolver *linear, Vec3 *y) {
    const System *system = linear->solver.system;
    const Volumes *volumes = &system->volumes;
    const VolumeSolve *own = &linear->volumes;
    sum_chambers(system, y, own->sum);
    for (int k = 0; k < volumes->count; ++k) {
        double stiffness = substep_scale(&linear->solver.substep) * volumes->slope[k];
        own->sum[k] *= stiffness / (1.0 + stiffness * own->compliance[k]);
    }
    for (int i = 0; i < system->vertex_count; ++i) {
        if (volumes->chamber[i] >= 0) {
            y[i] = vec3_madd(y[i], -own->sum[volumes->chamber[i]], own->response[i]);
        }
    }
}

bool linear_allocate_volumes(LinearSolver *linear) {
    const System *system = linear->solver.system;
    Store *store = &linear->solver.store;
    int count = system->volumes.count;
    if (count > 0) {
        linear->volumes = (VolumeSolve){.response = STORE_ARRAY(store, Vec3, system->vertex_count),
                                        .compliance = STORE_ARRAY(store, double, count),
                                        .sum = STORE_ARRAY(store, double, count)};
    }
    return !store->failed;
}

/* --- how much of a change to take ------------------------------------------------------------- */

/* Part of the expected decrease that must be seen. */
#define DECREASE 1e-4
/* Halvings of a solve that the constant matrix does not bound, the last of which leaves nothing of it. */
#define HALVINGS 12

double linear_evaluate(LinearSolver *linear, const Vec3 *z) {
    Substep *substep = &linear->solver.substep;
    double begin = substep_clock(substep), energy = substep_evaluate(substep, z);
    linear->solver.work.force_seconds += substep_clock(substep) - begin;
    return energy;
}

int linear_line_search(LinearSolver *linear, int halvings, Vec3 *z, double *energy) {
    const Substep *substep = &linear->solver.substep;
    double slope = substep_dot(substep, substep->gradient, linear->change), part = 1.0;
    for (int halving = 0; halving < halvings; ++halving, part *= 0.5) {
        substep_move(substep, z, part, linear->change, linear->trial);
        double next = linear_evaluate(linear, linear->trial);
        if (next <= *energy - DECREASE * part * slope) {
            system_copy(substep->system, sizeof *z, linear->trial, z);
            *energy = next;
            return 1;
        }
    }
    ++linear->solver.work.rejected;
    *energy = linear_evaluate(linear, z); /* back to the gradient there */
    return 0;
}

int linear_backtrack(LinearSolver *linear, double bound, Vec3 *z, double *energy) {
    int halvings = 0;
    double part = linear->step_taken;
    while (!(*energy <= bound) && halvings < HALVINGS) {
        part = ++halvings < HALVINGS ? 0.5 * part : 0.0;
        linear->relaxation *= 0.5;
        substep_move(&linear->solver.substep, linear->trial, part, linear->change, z);
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
    linear_backtrack(linear, bound, z, &energy);
    return gain;
}

/* Steps among contacts of an iteration, where there are fewer than so many iterations in all. */
#define CONTACT_STEPS 4
#define FEW_ITERATIONS 4

void linear_apply_factor(LinearSolver *linear, const Vec3 *right, Vec3 *left) {
    double begin = timing_now();
    solve_apply(factor_solve(linear->factor), linear->solver.system->pool, right, left);
    if (linear->volumes.stiff) {
        linear_correct_for_volumes(linear, left);
    }
    linear->solver.work.solve_seconds += timing_now() - begin;
    ++linear->solver.work.solves;
}

/* The step p = on_first d + on_second s, and what is known about it. */
typedef struct CgStep {
    double on_first, on_second;
    double slope, curvature; /* g.p, p.A p */
} CgStep;

typedef struct StepWork {
    LinearSolver *linear;
    const CgStep *cg;
    double part, left; /* left = 1 - part */
    bool at_end;       /* adds the contacts' new gradient; else subtracts the old one */
} StepWork;

/* r = g - part (g + H d) */
static void first_residual(void *context, int begin, int end) {
    const StepWork *work = context;
    const System *system = work->linear->solver.system;
    const Contacts *contacts = &work->linear->solver.substep.world->contacts;
    const Vec3 *gradient = work->linear->solver.substep.gradient;
    Vec3 *residual = work->linear->scratch.residual;
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
    const Vec3 *gradient = linear->solver.substep.gradient, *residual = linear->scratch.residual;
    const Vec3 *first = linear->scratch.direction, *second = linear->scratch.preconditioned;
    double products[PRODUCTS] = {0};
    for (int i = begin; i < end; ++i) {
        products[FIRST_RESIDUAL] += vec3_dot(first[i], residual[i]);
        products[SECOND_GRADIENT] += vec3_dot(second[i], gradient[i]);
        products[SECOND_RESIDUAL] += vec3_dot(second[i], residual[i]);
    }
    memcpy(sums, products, sizeof products);
}

/* The second conjugate gradient step, after a first of length `part` along d; square is g.d. */
static void second_step(LinearSolver *linear, double square, double part, CgStep *cg) {
    System *system = linear->solver.system;
    const Contacts *contacts = &linear->solver.substep.world->contacts;
    const StepScratch *scratch = &linear->scratch;
    double products[PRODUCTS];
    linear_apply_factor(linear, scratch->residual, scratch->preconditioned);
    subset_sums(system->awake, system->pool, system->vertex_count, multiply_vertices, linear,
                PRODUCTS, products);
    double next = products[SECOND_RESIDUAL], turn = next / square;
    double mixed = products[FIRST_RESIDUAL] + products[SECOND_GRADIENT];
    if (!(next > 0)) {
        return;
    }
    /* along s + turn d */
    double curvature = next + turn * (mixed + turn * square);
    curvature += contacts_curvature(contacts, system->pool, scratch->preconditioned, turn,
                                    scratch->direction);
    if (!(curvature > 0)) {
        return;
    }
    double a = part + next / curvature * turn, b = next / curvature;
    *cg = (CgStep){.on_first = a,
                   .on_second = b,
                   .slope = a * square + b * products[SECOND_GRADIENT],
                   .curvature = a * (a * square + b * mixed) + b * b * next};
}

/* change = on_first d + on_second s, of which s may not be known */
static void combine_steps(void *context, int begin, int end) {
    const StepWork *work = context;
    const StepScratch *scratch = &work->linear->scratch;
    double first = work->cg->on_first, second = work->cg->on_second;
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3(0, 0, 0);
        if (first != 0) {
            sum = vec3_scale(first, scratch->direction[i]);
        }
        if (second != 0) {
            sum = vec3_madd(sum, second, scratch->preconditioned[i]);
        }
        work->linear->change[i] = sum;
    }
}

/* (A + H) change = gradient, roughly. */
static CgStep solve_among_contacts(LinearSolver *linear) {
    System *system = linear->solver.system;
    Contacts *contacts = &linear->solver.substep.world->contacts;
    const StepScratch *scratch = &linear->scratch;
    const Vec3 *gradient = linear->solver.substep.gradient;
    CgStep cg = {0};
    linear_apply_factor(linear, gradient, scratch->direction);
    double square = substep_dot(&linear->solver.substep, gradient, scratch->direction);
    if (square > 0) {
        double bent = contacts_multiply(contacts, system->pool, scratch->direction);
        double part = square / (square + bent);
        StepWork first = {.linear = linear, .part = part, .left = bent / (square + bent)};
        cg = (CgStep){.on_first = part, .slope = part * square, .curvature = part * part * square};
        system_run(system, first_residual, &first);
        second_step(linear, square, part, &cg);
    }
    StepWork both = {.linear = linear, .cg = &cg};
    system_run(system, combine_steps, &both);
    return cg;
}

/* The gradient of the model at the place the step leads to. */
static void update_gradient(void *context, int begin, int end) {
    const StepWork *work = context;
    const System *system = work->linear->solver.system;
    const Contacts *contacts = &work->linear->solver.substep.world->contacts;
    const Vec3 *residual = work->linear->scratch.residual;
    Vec3 *gradient = work->linear->solver.substep.gradient;
    for (int i = begin; i < end; ++i) {
        if (system->held[i]) {
            continue;
        }
        Vec3 contact = system_on_rails(system, i, contacts_gradient(contacts, i));
        if (work->at_end) {
            gradient[i] = vec3_add(gradient[i], contact);
            continue;
        }
        Vec3 held = vec3_scale(work->cg->on_first, gradient[i]);
        if (work->cg->on_second != 0) { /* else the residual may not be known */
            held = vec3_madd(held, work->cg->on_second, residual[i]);
        }
        gradient[i] = vec3_madd(vec3_sub(gradient[i], contact), -work->part, held);
    }
}

/* One step among contacts. `again`: leaves the gradient of the model at the new place, for one more. Returns about what
 * it gains: half of what the slope promises. */
static double contact_step(LinearSolver *linear, Vec3 *z, int again) {
    Pool *pool = linear->solver.system->pool;
    Contacts *contacts = &linear->solver.substep.world->contacts;
    CgStep cg = solve_among_contacts(linear);
    double part = linear->relaxation * substep_step_length(&linear->solver.substep, z,
                                                           linear->change, cg.slope, cg.curvature);
    StepWork work = {.linear = linear, .cg = &cg, .part = part};
    linear->step_taken = part;
    if (again) {
        contacts_evaluate(contacts, pool, z);
        system_run(linear->solver.system, update_gradient, &work);
    }
    substep_move(&linear->solver.substep, z, part, linear->change, z);
    if (again) {
        contacts_evaluate(contacts, pool, z);
        work.at_end = true;
        system_run(linear->solver.system, update_gradient, &work);
    }
    return 0.5 * part * cg.slope;
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
        linear->step_taken = linear->relaxation;
        substep_move(substep, z, linear->step_taken, linear->change, z);
        return gain;
    }
    double clock = timing_now(), solving = linear->solver.work.solve_seconds;
    /* Few iterations do not show which contacts push and which slide. Only one step can be taken back. */
    bool few = linear->solver.options.scheme != SCHEME_TWO_LEVEL &&
               linear->solver.iterations < FEW_ITERATIONS;
    int steps = few && !system->laws.unbounded ? CONTACT_STEPS : 1;
    for (int step = 1; step <= steps; ++step) {
        gain += contact_step(linear, z, step < steps);
    }
    solving = linear->solver.work.solve_seconds - solving;
    substep->world->report.respond_seconds += timing_now() - clock - solving;
    return gain;
}
