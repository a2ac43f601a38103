/* The methods of sweep.h that solve the equation of a substep by conjugate gradients, to compare the sweeps with; compiled
 * with fused multiplications (CMakeLists.txt). */
#include <math.h>

#include "solver/sweep/sweep.h"

/* Linear solves of a substep among contacts: only a solve shows which of them push. */
#define CONTACT_SOLVES 8

typedef struct CgWork {
    SweepSolver *sweep;
    const Vec3 *from;
    Vec3 *to;
    double part; /* of the change */
} CgWork;

static void multiply_contacts(void *context, const Vec3 *x) {
    SweepSolver *sweep = context;
    contacts_multiply(&sweep->solver.substep.world->contacts, sweep->solver.system->pool, x);
}

static Vec3 contact_row(const void *context, int i) {
    const SweepSolver *sweep = context;
    return contacts_gradient(&sweep->solver.substep.world->contacts, i);
}

static void add_contact_diagonal(const void *context, int i, Block *block) {
    const SweepSolver *sweep = context;
    substep_add_contact_block(&sweep->solver.substep, i, sweep->place, block);
}

/* The gradient A d - r + g. */
static void gradient_vertices(void *context, int begin, int end) {
    const CgWork *work = context;
    const SweepSolver *sweep = work->sweep;
    const Substep *substep = &sweep->solver.substep;
    const Matrix *pattern = &sweep->matrix.pattern;
    bool touching = substep_contact_count(substep) > 0;
    for (int i = begin; i < end; ++i) {
        Vec3 sum = vec3_scale(-1.0, sweep->right[i]);
        if (touching) {
            sum = vec3_add(sum, contacts_gradient(&substep->world->contacts, i));
        }
        for (int p = pattern->start[i]; p < pattern->start[i + 1]; ++p) {
            const Block *block = &sweep->matrix.blocks.block[p];
            sum = vec3_add(sum, block_times(block, sweep->moved[pattern->column[p]]));
        }
        work->to[i] =
            substep->system->held[i] ? vec3(0, 0, 0) : system_on_rails(substep->system, i, sum);
    }
}

static double multiply_vertices(void *context, int begin, int end) {
    const CgWork *work = context;
    double sum = 0;
    for (int i = begin; i < end; ++i) {
        sum += vec3_dot(work->from[i], work->to[i]);
    }
    return sum;
}

static void move_vertices(void *context, int begin, int end) {
    const CgWork *work = context;
    for (int i = begin; i < end; ++i) {
        work->to[i] = vec3_madd(work->to[i], -work->part, work->from[i]);
    }
}

/* One linear solve, with contacts as they are at z. */
static void solve_once(SweepSolver *sweep, Vec3 *z) {
    Solver *solver = &sweep->solver;
    const System *system = solver->system;
    bool touching = substep_contact_count(&solver->substep) > 0;
    if (touching) {
        contacts_evaluate(&solver->substep.world->contacts, system->pool, z);
    }
    sweep->contact = (PcgExtra){multiply_contacts, contact_row, add_contact_diagonal, sweep};
    sweep->pcg.extra = touching ? &sweep->contact : NULL;
    sweep->place = z;
    CgWork work = {.sweep = sweep, .to = sweep->contact_right};
    pool_run(system->pool, system->vertex_count, gradient_vertices, &work);
    solver->work.pcg_iterations += pcg_solve(
        &sweep->pcg, system->pool, &sweep->matrix.blocks, system->held, sweep->contact_right,
        solver->options.pcg_tolerance, solver->options.pcg_limit, sweep->next);
    solver->work.pcg_stopped += sweep->pcg.stopped;
    solver->work.pcg_residual = fmax(solver->work.pcg_residual, sweep->pcg.reached);
    work = (CgWork){.from = sweep->next, .to = sweep->contact_right, .part = 1.0};
    if (touching) {
        const Contacts *contacts = &solver->substep.world->contacts;
        double slope = pool_sum(system->pool, system->vertex_count, multiply_vertices, &work);
        double bent = contacts_curvature(contacts, system->pool, sweep->next, 0, sweep->next);
        work.part = substep_step_length(&solver->substep, z, sweep->next, slope, slope - bent);
    }
    work.to = sweep->moved;
    pool_run(system->pool, system->vertex_count, move_vertices, &work);
    sweep_positions(sweep, z);
}

void sweep_solve(SweepSolver *sweep, Vec3 *z) {
    Solver *solver = &sweep->solver;
    int most = substep_contact_count(&solver->substep) > 0 ? CONTACT_SOLVES : 1;
    for (int i = 0; i < most && !solver_cancelled(solver); ++i) {
        if (i > 0) {
            substep_refresh_contacts(&solver->substep, z);
        }
        solve_once(sweep, z);
    }
    solver->iterations = most;
}
