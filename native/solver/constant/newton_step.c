/* A Newton step on the whole incremental energy, contacts included, by conjugate gradients.
 *
 * The constant matrix bounds the Hessian from far above where cloth is slack: solve steps creep along folds. It works
 * better as a preconditioner, in sum with exact solves on patches (schwarz.h): it represents the stretch of the whole cloth,
 * they represent the soft bending, and contacts. The patches are factored in every stage: with the factors of the stage
 * before, contacts that begin to push would cost more iterations than that.
 *
 * Contacts begin and end along a step: with those of its start alone it would be cut to an eighth by a few that it meets.
 * So the conjugate gradients come in stages. Each has the contacts of its own start, goes as far as Hessian and true
 * contacts let it, and leaves their gradient to the next. All of it lowers one convex function, which is the true energy
 * but for changes of the Hessian. */
#include <string.h>

#include "solver/constant/linear.h"

/* Stages of the conjugate gradients, before each of which contacts are evaluated. More of them forget too much of the
 * directions before. */
#define STAGES 2
/* The part of the start at which the residual is small enough, of each. What the first leaves the second finds, with
 * contacts that are nearer to the true ones. Folds are last to be found: steps that end with more leave strips hanging. */
static const double small_enough[STAGES] = {0.03, 0.005};
/* Rows of the Hessian that are multiplied at a time. */
#define ROWS_AT_ONCE 128
/* Lengths of a step that are tried before it is given up. */
#define HALVINGS 10

typedef struct NewtonWork {
    LinearSolver *linear;
    Contacts *contacts; /* null: nothing touches */
    double part;
    double start;  /* residual . preconditioned of the first stage */
    const Vec3 *z; /* where the step begins */
    Vec3 *place;   /* where its stage begins */
    const Vec3 *p; /* points of shared contacts move as vertices do by this, */
    double kept;   /* and by this part of what they have moved so far */
} NewtonWork;

/* The blocks of each vertex alone: what inertia and contacts of one vertex add to the Hessian, and all of it, other contacts
 * included. */
static void fill_diagonals(void *context, int begin, int end) {
    const NewtonWork *work = context;
    LinearSolver *linear = work->linear;
    const Substep *substep = &linear->solver.substep;
    const Contacts *contacts = work->contacts;
    for (int i = begin; i < end; ++i) {
        Block touch = {{0}}, several = {{0}}, whole = hessian_own(&linear->hessian, i);
        block_add_diagonal(&whole, substep_diagonal(substep, i));
        int first = contacts ? contacts->entry_start[i] : 0;
        int last = contacts ? contacts->entry_start[i + 1] : 0;
        for (int e = first; e < last; ++e) {
            const Contact *contact = &contacts->list[contacts->entry[e] / CONTACT_VERTICES];
            double along, across;
            contact_stiffness(contact, work->place, &along, &across);
            if (along != 0 || across != 0) {
                contact_add_block(contact, contacts->entry_weight[e], along, across,
                                  contact->count == 1 ? &touch : &several);
            }
        }
        linear->scratch.touch[i] = touch;
        block_add(&whole, 1.0, &touch);
        hessian_set_own(&linear->hessian, i, &whole);
        block_add(&whole, 1.0, &several);
        linear->scratch.own[i] = whole;
    }
}

/* The contacts of several vertices that resist, and the corners that each vertex has of them. Some hundreds of contacts: one
 * thread. Those for which there is no room are left out. */
static void list_shared(const NewtonWork *work) {
    StepScratch *scratch = &work->linear->scratch;
    const Contacts *contacts = work->contacts;
    int count = work->linear->solver.system->vertex_count, *start = scratch->corner_start;
    scratch->shared_count = 0;
    for (int k = 0; contacts && k < contacts->count && scratch->shared_count < count; ++k) {
        SharedContact *shared = &scratch->shared[scratch->shared_count];
        if (contacts->list[k].count > 1) {
            contact_stiffness(&contacts->list[k], work->place, &shared->along, &shared->across);
            shared->contact = k;
            shared->moved = vec3(0, 0, 0);
            scratch->shared_count += shared->along != 0 || shared->across != 0;
        }
    }
    if (scratch->shared_count == 0) {
        return;
    }
    memset(start, 0, (size_t)(count + 2) * sizeof *start);
    for (int b = 0; b < scratch->shared_count; ++b) {
        const Contact *contact = &contacts->list[scratch->shared[b].contact];
        for (int c = 0; c < contact->count; ++c) {
            ++start[contact->vertices[c] + 2];
        }
    }
    for (int i = 2; i <= count; ++i) {
        start[i] += start[i - 1];
    }
    for (int b = 0; b < scratch->shared_count; ++b) {
        const Contact *contact = &contacts->list[scratch->shared[b].contact];
        for (int c = 0; c < contact->count; ++c) {
            scratch->corner[start[contact->vertices[c] + 1]++] =
                (SharedCorner){b, contact->weights[c]};
        }
    }
}

static void move_shared(void *context, int begin, int end) {
    const NewtonWork *work = context;
    for (int b = begin; b < end; ++b) {
        SharedContact *shared = &work->linear->scratch.shared[b];
        const Contact *contact = &work->contacts->list[shared->contact];
        Vec3 moved = vec3_scale(work->kept, shared->moved);
        for (int c = 0; c < contact->count; ++c) {
            moved = vec3_madd(moved, contact->weights[c], work->p[contact->vertices[c]]);
        }
        double along = (shared->along - shared->across) * vec3_dot(contact->normal, moved);
        shared->pull = vec3_madd(vec3_scale(shared->across, moved), along, contact->normal);
        shared->moved = moved;
    }
}

static Vec3 pull_of_shared(const StepScratch *scratch, int i) {
    Vec3 pull = vec3(0, 0, 0);
    if (scratch->shared_count == 0) {
        return pull;
    }
    for (int p = scratch->corner_start[i]; p < scratch->corner_start[i + 1]; ++p) {
        pull = vec3_madd(pull, scratch->corner[p].weight,
                         scratch->shared[scratch->corner[p].shared].pull);
    }
    return pull;
}

/* product = (I + h^2 s + h^2 q H + contacts) direction; returns direction . product */
static double multiply_some(const LinearSolver *linear, int begin, int end) {
    const StepScratch *scratch = &linear->scratch;
    const System *system = linear->solver.system;
    HessianVector rows[ROWS_AT_ONCE];
    double sum = 0;
    hessian_multiply(&linear->hessian, begin, end, scratch->direction_single, rows);
    for (int i = begin; i < end; ++i) {
        HessianVector row = rows[i - begin];
        Vec3 product = vec3((double)row[0], (double)row[1], (double)row[2]);
        product = system_on_rails(system, i, vec3_add(product, pull_of_shared(scratch, i)));
        scratch->product[i] = system->held[i] ? vec3(0, 0, 0) : product;
        sum += vec3_dot(scratch->product[i], scratch->direction[i]);
    }
    return sum;
}

static double multiply_vertices(void *context, int begin, int end) {
    const NewtonWork *work = context;
    double sum = 0;
    for (; begin < end; begin += ROWS_AT_ONCE) {
        int least = end - begin < ROWS_AT_ONCE ? end : begin + ROWS_AT_ONCE;
        sum += multiply_some(work->linear, begin, least);
    }
    return sum;
}

/* change += part direction, residual -= part product */
static void update_residual(void *context, int begin, int end) {
    const NewtonWork *work = context;
    const StepScratch *scratch = &work->linear->scratch;
    for (int i = begin; i < end; ++i) {
        work->linear->change[i] =
            vec3_madd(work->linear->change[i], work->part, scratch->direction[i]);
        scratch->residual[i] = vec3_madd(scratch->residual[i], -work->part, scratch->product[i]);
    }
}

/* direction = preconditioned + part direction */
static void update_direction(void *context, int begin, int end) {
    const NewtonWork *work = context;
    const StepScratch *scratch = &work->linear->scratch;
    for (int i = begin; i < end; ++i) {
        Vec3 own = vec3_madd(scratch->preconditioned[i], work->part, scratch->direction[i]);
        scratch->direction[i] = own;
        scratch->direction_single[i] = (HessianVector){(float)own.x, (float)own.y, (float)own.z, 0};
    }
}

static void clear_vertices(void *context, int begin, int end) {
    const LinearSolver *linear = ((const NewtonWork *)context)->linear;
    memset(linear->change + begin, 0, (size_t)(end - begin) * sizeof(Vec3));
    memset(linear->scratch.direction + begin, 0, (size_t)(end - begin) * sizeof(Vec3));
}

/* preconditioned += the sum over the patches; returns residual . preconditioned */
static double add_patches(void *context, int begin, int end) {
    const NewtonWork *work = context;
    const StepScratch *scratch = &work->linear->scratch;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        if (!work->linear->solver.system->held[i]) {
            Vec3 own = schwarz_sum(&work->linear->schwarz, i); /* on rails no x came in */
            scratch->preconditioned[i] = vec3_add(scratch->preconditioned[i], own);
        }
        sum += vec3_dot(scratch->residual[i], scratch->preconditioned[i]);
    }
    return sum;
}

static double precondition(NewtonWork *work) {
    LinearSolver *linear = work->linear;
    linear_apply_factor(linear, linear->scratch.residual, linear->scratch.preconditioned);
    schwarz_solve(&linear->schwarz, linear->scratch.residual);
    return system_sum(linear->solver.system, add_patches, work);
}

/* (Hessian + contacts as they are at `z`) change = residual, roughly, to so small a part of the start; leaves what is
 * left of the residual. Returns residual . change. */
static double solve_stage(NewtonWork *work, int steps, double enough) {
    LinearSolver *linear = work->linear;
    System *system = linear->solver.system;
    double before = 0, gain = 0;
    system_run(system, fill_diagonals, work);
    list_shared(work);
    system_run(system, clear_vertices, work);
    schwarz_factor(&linear->schwarz, linear->scratch.own);
    double square = precondition(work);
    work->start = work->start > 0 ? work->start : square;
    for (int step = 0; step < steps && square > enough * enough * work->start; ++step) {
        work->part = work->kept = step > 0 ? square / before : 0.0;
        work->p = linear->scratch.preconditioned;
        system_run(system, update_direction, work);
        pool_run(system->pool, linear->scratch.shared_count, move_shared, work);
        double curvature = system_sum(system, multiply_vertices, work);
        if (!(curvature > 0)) {
            break;
        }
        work->part = square / curvature;
        gain += square * work->part;
        system_run(system, update_residual, work);
        before = square;
        square = step + 1 < steps ? precondition(work) : 0.0;
    }
    return gain;
}

/* The residual at the end of a stage of length `part`: begun - part H p, less the contacts' gradient where it begins. */
static void subtract_contacts(void *context, int begin, int end) {
    const NewtonWork *work = context;
    const LinearSolver *linear = work->linear;
    const System *system = linear->solver.system;
    const StepScratch *scratch = &linear->scratch;
    const Contacts *contacts = work->contacts;
    for (int i = begin; i < end; ++i) {
        if (system->held[i]) {
            continue;
        }
        Vec3 bent = vec3_sub(scratch->begun[i], scratch->residual[i]);
        Vec3 touch = block_times(&scratch->touch[i], linear->change[i]);
        touch = vec3_add(touch, pull_of_shared(scratch, i));
        touch = vec3_madd(vec3_scale(work->part, touch), -1.0, contacts_gradient(contacts, i));
        Vec3 left = vec3_madd(scratch->begun[i], -work->part, bent);
        scratch->residual[i] = vec3_add(left, system_on_rails(system, i, touch));
    }
}

/* And with that where it ends. */
static void add_contacts(void *context, int begin, int end) {
    const NewtonWork *work = context;
    const LinearSolver *linear = work->linear;
    const System *system = linear->solver.system;
    const Contacts *contacts = work->contacts;
    for (int i = begin; i < end; ++i) {
        if (!system->held[i]) {
            Vec3 pull = system_on_rails(system, i, contacts_gradient(contacts, i));
            linear->scratch.residual[i] = vec3_add(linear->scratch.residual[i], pull);
        }
    }
}

/* The length of the stage's step that is best by Hessian and true contacts. */
static double stage_length(const NewtonWork *work, double slope) {
    LinearSolver *linear = work->linear;
    const Contacts *contacts = work->contacts;
    if (!contacts) {
        return 1.0; /* conjugate gradients end at the least of what they lower */
    }
    double bent = contacts_curvature(contacts, linear->solver.system->pool, linear->change, 0.0,
                                     linear->change);
    return substep_step_length(&linear->solver.substep, work->place, linear->change, slope,
                               slope - bent);
}

/* Takes that much of the step. `again`: leaves the gradient of Hessian and true contacts there as the residual. */
static void take_stage(NewtonWork *work, double slope, bool again) {
    LinearSolver *linear = work->linear;
    System *system = linear->solver.system;
    Contacts *contacts = work->contacts;
    work->part = stage_length(work, slope);
    if (again) {
        contacts_evaluate(contacts, system->pool, work->place);
        work->p = linear->change;
        work->kept = 0.0;
        pool_run(system->pool, linear->scratch.shared_count, move_shared, work);
        system_run(system, subtract_contacts, work);
    }
    substep_move(&linear->solver.substep, work->place, work->part, linear->change, work->place);
    if (again) {
        contacts_evaluate(contacts, system->pool, work->place);
        system_run(system, add_contacts, work);
    }
}

/* Hessian change = gradient, roughly. */
static void solve_newton(NewtonWork *work, int limit) {
    LinearSolver *linear = work->linear;
    System *system = linear->solver.system;
    StepScratch *scratch = &linear->scratch;
    hessian_compute(&linear->hessian, substep_scale(&linear->solver.substep), work->z);
    system_copy(system, sizeof(Vec3), linear->solver.substep.gradient, scratch->residual);
    system_copy(system, sizeof(Vec3), work->z, work->place);
    int stages = work->contacts ? STAGES : 1;
    for (int stage = 0; stage < stages; ++stage) {
        system_copy(system, sizeof(Vec3), scratch->residual, scratch->begun);
        double enough = small_enough[STAGES - stages + stage];
        double slope = solve_stage(work, limit / stages, enough);
        if (!(slope > 0)) {
            break;
        }
        take_stage(work, slope, stage + 1 < stages);
    }
    substep_move(&linear->solver.substep, work->z, 1.0, work->place, linear->change);
}

/* A Newton step turns cloth that folds, along straight lines: what it lengthens by that, a solve shortens. So a trial is
 * the step and a solve after it. The energy is judged after both: after the step alone all but a small part of it would be
 * refused. */
static int search_relaxed(LinearSolver *linear, Vec3 *z, double *energy) {
    const System *system = linear->solver.system;
    Vec3 *step = linear->scratch.begun;
    double part = 1.0;
    system_copy(system, sizeof *z, linear->change, step);
    for (int halving = 0; halving < HALVINGS; ++halving, part *= 0.5) {
        substep_move(&linear->solver.substep, z, part, step, linear->trial);
        linear_evaluate(linear, linear->trial);
        linear_solve_step(linear, linear->trial);
        double next = linear_evaluate(linear, linear->trial);
        if (next < *energy) {
            system_copy(system, sizeof *z, linear->trial, z);
            *energy = next;
            return 1;
        }
    }
    ++linear->solver.work.rejected;
    *energy = linear_evaluate(linear, z); /* back to the gradient there */
    return 0;
}

int linear_newton_step(LinearSolver *linear, int limit, Vec3 *z, double *energy) {
    Substep *substep = &linear->solver.substep;
    NewtonWork work = {.linear = linear, .z = z, .place = linear->trial};
    work.contacts = substep_contact_count(substep) > 0 ? &substep->world->contacts : NULL;
    SolverWork *reported = &linear->solver.work;
    double begin = substep_clock(substep), solving = reported->solve_seconds;
    solve_newton(&work, limit); /* which counts its solves with the factor as they come */
    reported->solve_seconds = solving + substep_clock(substep) - begin;
    return work.contacts ? linear_line_search(linear, HALVINGS, z, energy)
                         : search_relaxed(linear, z, energy);
}
