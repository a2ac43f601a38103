/* z -= A^-1 gradient, and what contacts make of it.
 *
 * The constant matrix bounds the cloth's own energy from above, but not that of stiff contacts. With them the
 * step p is found by a few conjugate gradients on (A + H) p = gradient, H the contacts' second derivative,
 * preconditioned by the factor of A. No product with A is needed: A^-1 r was just computed from r, so
 * A times every direction follows from the residuals. How far to go along p is then decided exactly on
 *
 *   f(a) = -a g.p + a^2 p.A p / 2 + contacts(z - a p)
 *
 * with g the gradient of all but the contacts: an upper bound of the true energy, convex in a. */
#include "base/timing.h"
#include "solver/linear.h"

/* Conjugate gradient steps: with one, cloth slides off what it should rest on. */
#define CONTACT_STEPS 2
/* Steps of a round where there are fewer than so many rounds in all. */
#define PRESS_STEPS 4
#define FEW_ROUNDS 4
/* Newton steps on f, the part of the first step below which they end, and how far f is followed. */
#define LENGTH_STEPS 12
#define LENGTH_PRECISION 1e-3
#define LONGEST 1.5

void linear_apply_factor(LinearSolver *linear, const Vec3 *right, Vec3 *left) {
    double begin = timing_now();
    solve_apply(factor_solve(linear->factor), linear->solver.system->pool, right, left);
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
    return pool_sum(system->pool, system->vertex_count, dot_vertices, &work);
}

/* product = A d + H d */
static void add_contacts(void *context, int begin, int end) {
    LinearSolver *linear = context;
    const System *system = linear->solver.system;
    const Contacts *contacts = &linear->solver.substep.around->contacts;
    for (int i = begin; i < end; ++i) {
        Vec3 held = linear->press.matrix_direction[i];
        Vec3 pull = system_on_rails(system, i, contacts_gradient(contacts, i));
        linear->press.product[i] = system->held[i] ? held : vec3_add(held, pull);
    }
}

typedef struct AdvanceWork {
    Press *press;
    Vec3 *change;
    double part;
} AdvanceWork;

/* p += part d, A p += part A d, r -= part (A + H) d */
static void advance_vertices(void *context, int begin, int end) {
    const AdvanceWork *work = context;
    const Press *press = work->press;
    for (int i = begin; i < end; ++i) {
        work->change[i] = vec3_madd(work->change[i], work->part, press->direction[i]);
        press->matrix_change[i] =
            vec3_madd(press->matrix_change[i], work->part, press->matrix_direction[i]);
        press->residual[i] = vec3_madd(press->residual[i], -work->part, press->product[i]);
    }
}

/* d = s + part d, A d = r + part A d */
static void turn_vertices(void *context, int begin, int end) {
    const AdvanceWork *work = context;
    const Press *press = work->press;
    for (int i = begin; i < end; ++i) {
        press->direction[i] = vec3_madd(press->conditioned[i], work->part, press->direction[i]);
        press->matrix_direction[i] =
            vec3_madd(press->residual[i], work->part, press->matrix_direction[i]);
    }
}

/* (A + H) change = gradient, roughly. */
static void find_change(LinearSolver *linear, const Vec3 *z) {
    System *system = linear->solver.system;
    Contacts *contacts = &linear->solver.substep.around->contacts;
    Press *press = &linear->press;
    int count = system->vertex_count;
    for (int i = 0; i < count; ++i) {
        linear->change[i] = press->matrix_change[i] = vec3(0, 0, 0);
        press->residual[i] = press->matrix_direction[i] = linear->solver.substep.gradient[i];
    }
    linear_apply_factor(linear, press->residual, press->direction);
    double square = dot(linear, press->residual, press->direction);
    for (int step = 0; step < CONTACT_STEPS && square > 0; ++step) {
        contacts_multiply(contacts, system->pool, z, press->direction);
        pool_run(system->pool, count, add_contacts, linear);
        double curvature = dot(linear, press->direction, press->product);
        if (!(curvature > 0)) {
            break;
        }
        AdvanceWork work = {press, linear->change, square / curvature};
        pool_run(system->pool, count, advance_vertices, &work);
        if (step + 1 == CONTACT_STEPS) {
            break;
        }
        linear_apply_factor(linear, press->residual, press->conditioned);
        double next = dot(linear, press->residual, press->conditioned);
        work.part = next / square;
        pool_run(system->pool, count, turn_vertices, &work);
        square = next;
    }
}

/* The a between 0 and LONGEST where f is least. */
static double find_length(LinearSolver *linear, const Vec3 *z) {
    Pool *pool = linear->solver.system->pool;
    Contacts *contacts = &linear->solver.substep.around->contacts;
    double curvature = dot(linear, linear->change, linear->press.matrix_change);
    double slope, bent, a = 1.0, low = 0, high = LONGEST;
    contacts_along(contacts, pool, z, linear->change, 0.0, &slope, &bent);
    double steady = -dot(linear, linear->solver.substep.gradient, linear->change) - slope;
    for (int step = 0; step < LENGTH_STEPS; ++step) {
        contacts_along(contacts, pool, z, linear->change, a, &slope, &bent);
        slope += steady + a * curvature;
        *(slope > 0 ? &high : &low) = a;
        double next = bent + curvature > 0 ? a - slope / (bent + curvature) : low;
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

typedef struct CarryWork {
    LinearSolver *linear;
    double part;
    int arriving; /* 0: takes the contacts' gradient away; 1: puts the new one in */
} CarryWork;

/* The gradient of the model at the place the step leads to. */
static void carry_vertices(void *context, int begin, int end) {
    const CarryWork *work = context;
    const System *system = work->linear->solver.system;
    const Contacts *contacts = &work->linear->solver.substep.around->contacts;
    Vec3 *gradient = work->linear->solver.substep.gradient;
    for (int i = begin; i < end; ++i) {
        if (system->held[i]) {
            continue;
        }
        Vec3 contact = system_on_rails(system, i, contacts_gradient(contacts, i));
        gradient[i] = work->arriving ? vec3_add(gradient[i], contact)
                                     : vec3_madd(vec3_sub(gradient[i], contact), -work->part,
                                                 work->linear->press.matrix_change[i]);
    }
}

/* One step among contacts. `again`: leaves the gradient of the model at the new place, for one more. */
static void press_step(LinearSolver *linear, Vec3 *z, int again) {
    Pool *pool = linear->solver.system->pool;
    int count = linear->solver.system->vertex_count;
    Contacts *contacts = &linear->solver.substep.around->contacts;
    find_change(linear, z);
    double part = find_length(linear, z);
    CarryWork carry = {linear, part, 0};
    if (again) {
        contacts_evaluate(contacts, pool, z);
        pool_run(pool, count, carry_vertices, &carry);
    }
    linear_move(linear, z, part, z);
    if (again) {
        contacts_evaluate(contacts, pool, z);
        carry.arriving = 1;
        pool_run(pool, count, carry_vertices, &carry);
    }
}

void linear_solve_step(LinearSolver *linear, Vec3 *z) {
    Substep *substep = &linear->solver.substep;
    if (substep_contact_count(substep) == 0) {
        linear_apply_factor(linear, substep->gradient, linear->change);
        linear_move(linear, z, 1.0, z);
        return;
    }
    double clock = timing_now(), solving = linear->solver.work.solve_seconds;
    /* Few rounds do not show which contacts push and which slide. */
    int few =
        linear->solver.options.scheme != SCHEME_TWO_LEVEL && linear->solver.rounds < FEW_ROUNDS;
    int steps = few ? PRESS_STEPS : 1;
    for (int step = 1; step <= steps; ++step) {
        press_step(linear, z, step < steps);
    }
    solving = linear->solver.work.solve_seconds - solving;
    substep->around->report.respond_seconds += timing_now() - clock - solving;
}
