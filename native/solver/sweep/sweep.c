/* The solver by sweeps: building it, and the course of a substep. */
#include "solver/sweep/sweep.h"

#include "base/machine.h"

/* Sweeps that a substep should have at least: with fewer a coarser mesh moves better. */
#define SWEEPS_LEAST 4

static const SweepPlan plans[] = {
    [SWEEP_KIM] = {JACOBIAN_SMOOTHED, ITERATION_GAUSS_SEIDEL, 0},
    [SWEEP_KANG1] = {JACOBIAN_SCALAR, ITERATION_JACOBI, 2},
    [SWEEP_KANG2] = {JACOBIAN_ALONG, ITERATION_JACOBI, 0},
    [SWEEP_DESBRUN] = {JACOBIAN_SCALAR, ITERATION_CG, 1},
    [SWEEP_CHOI_KO] = {JACOBIAN_CLAMPED, ITERATION_CG, 1},
    [SWEEP_SYMPLECTIC] = {JACOBIAN_NONE, ITERATION_JACOBI, 1},
};

static StatusCode sweep_prepare(Solver *solver, double length, Status *status) {
    SweepSolver *sweep = (SweepSolver *)solver;
    if (solver_is_current(solver, length)) {
        return STATUS_OK;
    }
    substep_set_length(&solver->substep, length);
    StatusCode code =
        sweep_matrix_prepare(&sweep->matrix, &solver->substep, sweep->plan.jacobian, status);
    if (code == STATUS_OK) {
        solver_set_current(solver, length);
        solver->bytes = solver->store.bytes + sweep->matrix.store.bytes;
    }
    return code;
}

/* r and the first guess, d = h v, with pins at their targets. */
static void begin_vertices(void *context, int begin, int end) {
    SweepSolver *sweep = context;
    const Substep *substep = &sweep->solver.substep;
    const System *system = substep->system;
    double h2 = substep->length * substep->length, scale = substep_scale(substep);
    for (int i = begin; i < end; ++i) {
        Vec3 offset = vec3_sub(system->target[i], substep->x[i]);
        Vec3 right = vec3_madd(substep->drive[i], scale, system_force(system, i));
        sweep->right[i] = vec3_madd(right, h2 * system->pins.stiffness[i], offset);
        sweep->moved[i] = system->held[i] ? offset : substep_inertial_step(substep, i);
        if (i >= system->rail_from) {
            sweep->moved[i].x = system->rail[i] - substep->x[i].x;
        }
    }
}

/* Leaves the equation at the substep's start. */
static void linearise(SweepSolver *sweep, const StateHistory *past) {
    Solver *solver = &sweep->solver;
    Substep *substep = &solver->substep;
    System *system = solver->system;
    double clock = substep_clock(substep);
    substep_begin(substep, past->start, past->velocity);
    if (!substep->damped) { /* else its damping has asked for them already */
        system_conventional_forces(system, substep->x);
    }
    pool_run(system->pool, system->vertex_count, begin_vertices, sweep);
    double next = substep_clock(substep);
    solver->work.force_seconds += next - clock;
    sweep_matrix_compute(&sweep->matrix, substep, sweep->plan.jacobian, substep->x);
    sweep_fill_tables(sweep);
    solver->work.assemble_seconds += substep_clock(substep) - next;
}

/* Is there time for one more, as long as those before it were? */
static bool is_in_time(const SweepSolver *sweep, double begin, int done) {
    double deadline = sweep->solver.deadline, now = timing_now();
    return deadline == 0 || done == 0 || now + (now - begin) / done <= deadline;
}

/* Half of the sweeps are over, or half of their time. */
static bool is_halfway(const SweepSolver *sweep, double begin, int done, int most) {
    double deadline = sweep->solver.deadline;
    return 2 * done >= most || (deadline > 0 && 2 * timing_now() >= begin + deadline);
}

/* Contacts are found at the free flight's end, and once more halfway: doing so more often takes its
 * time and leads to the same places. */
static void sweep_through(SweepSolver *sweep, Vec3 *z) {
    Solver *solver = &sweep->solver;
    bool chosen = sweep->plan.sweeps == 0, looked = false;
    int most = chosen ? solver->options.sweeps : sweep->plan.sweeps, done = 0;
    double begin = timing_now();
    while (done < most && !solver_cancelled(solver) &&
           (!chosen || is_in_time(sweep, begin, done))) {
        if (done > 0 && !looked && substep_contact_count(&solver->substep) > 0 &&
            is_halfway(sweep, begin, done, most)) {
            sweep_positions(sweep, z);
            substep_refresh_contacts(&solver->substep, z);
            looked = true;
        }
        sweep_linearise_contacts(sweep, z);
        sweep_pass(sweep);
        ++done;
    }
    solver->iterations = done;
    solver->work.sweeps += done;
    if (chosen && done > 0) {
        int few = most < SWEEPS_LEAST ? most : SWEEPS_LEAST;
        solver->work.owed_seconds += (few - done) * (timing_now() - begin) / done;
    }
}

static void sweep_advance(Solver *solver, const StateHistory *past, Vec3 *z) {
    SweepSolver *sweep = (SweepSolver *)solver;
    linearise(sweep, past);
    sweep_positions(sweep, z);
    substep_find_contacts(&solver->substep, past->positions[0], z);
    double clock = substep_clock(&solver->substep);
    if (sweep->plan.iteration == ITERATION_CG) {
        sweep_solve(sweep, z);
    } else {
        sweep_through(sweep, z);
    }
    sweep_positions(sweep, z);
    substep_place_pins(&solver->substep, z); /* to the last digit */
    solver->work.solve_seconds += substep_clock(&solver->substep) - clock;
}

static void sweep_release(Solver *solver) { store_release(&((SweepSolver *)solver)->matrix.store); }

static StatusCode build(Solver *solver, Status *status) {
    SweepSolver *sweep = (SweepSolver *)solver;
    System *system = solver->system;
    Store *store = &solver->store;
    SweepMethod method = solver->options.sweep_method;
    solver->prepare = sweep_prepare;
    solver->advance = sweep_advance;
    solver->release = sweep_release;
    /* a scalar in place of springs' second derivatives takes nearly all of a turn [Desbrun et al. 1999, their last step] */
    solver->unbalanced = method == SWEEP_DESBRUN;
    sweep->plan = plans[method];
    solver->iterations = sweep->plan.sweeps > 0 ? sweep->plan.sweeps : solver->options.sweeps;
    sweep->right = STORE_ARRAY(store, Vec3, system->vertex_count);
    sweep->moved = STORE_ARRAY(store, Vec3, system->vertex_count);
    sweep->next = STORE_ARRAY(store, Vec3, system->vertex_count);
    sweep->contact_right = STORE_ARRAY(store, Vec3, system->vertex_count);
    sweep->inverse = STORE_ARRAY(store, Block, system->vertex_count);
    sweep->touching = STORE_ARRAY(store, uint8_t, system->vertex_count);
    StatusCode code = substep_build(&solver->substep, system, store, status);
    if (code == STATUS_OK && sweep->plan.iteration == ITERATION_CG) {
        code = pcg_build(&sweep->pcg, system->vertex_count, store, status);
        sweep->pcg.rail_from = system->rail_from;
    }
    return code;
}

Solver *sweep_solver_create(System *system, const SolverOptions *options, Status *status) {
    return solver_make(sizeof(SweepSolver), system, options, build, status);
}
