/* The solver of woven cloth and ropes: Newton steps by conjugate gradients whose matrix is never made [KIST 2008]. */
#include "solver/implicit.h"
#include "solver/research/strands.h"

typedef struct ThreadSolver {
    Newton newton;
    Strands strands;
    PcgExtra whole; /* all of the second derivative, contacts included */
    double *own;    /* per vertex, kg: inertia and soft pin */
    Vec3 *product;
} ThreadSolver;

static StatusCode thread_prepare(Solver *solver, double length, Status *status) {
    (void)status;
    ThreadSolver *threads = (ThreadSolver *)solver;
    if (solver_is_current(solver, length)) {
        return STATUS_OK;
    }
    substep_set_length(&solver->substep, length);
    for (int i = 0; i < solver->system->vertex_count; ++i) {
        threads->own[i] = substep_diagonal(&solver->substep, i);
    }
    solver_set_current(solver, length);
    return STATUS_OK;
}

static void assemble(Newton *newton, const Vec3 *z) {
    ThreadSolver *threads = (ThreadSolver *)newton;
    strands_refresh(&threads->strands, newton->solver.system->pool,
                    substep_scale(&newton->solver.substep), z);
}

static void multiply(void *context, const Vec3 *x) {
    ThreadSolver *threads = context;
    Newton *newton = &threads->newton;
    Pool *pool = newton->solver.system->pool;
    strands_multiply(&threads->strands, pool, threads->own, x, threads->product);
    if (newton_is_touching(newton)) {
        contacts_multiply(&newton->solver.substep.world->contacts, pool, x);
    }
}

static Vec3 row(const void *context, int i) {
    const ThreadSolver *threads = context;
    const Newton *newton = &threads->newton;
    return newton_is_touching(newton)
               ? vec3_add(threads->product[i],
                          contacts_gradient(&newton->solver.substep.world->contacts, i))
               : threads->product[i];
}

static void add_diagonal(const void *context, int i, Block *block) {
    const ThreadSolver *threads = context;
    const Newton *newton = &threads->newton;
    block_add(block, 1.0, &threads->strands.diagonal[i]);
    block_add_diagonal(block, threads->own[i]);
    if (newton_is_touching(newton)) {
        substep_add_contact_block(&newton->solver.substep, i, newton->place, block);
    }
}

static StatusCode build(Solver *solver, Status *status) {
    ThreadSolver *threads = (ThreadSolver *)solver;
    System *system = solver->system;
    Store *store = &solver->store;
    StatusCode code = newton_build(&threads->newton, status);
    solver->prepare = thread_prepare;
    threads->newton.assemble = assemble;
    threads->whole = (PcgExtra){
        .multiply = multiply, .row = row, .add_diagonal = add_diagonal, .context = threads};
    threads->newton.pcg.extra = &threads->whole;
    threads->own = STORE_ARRAY(store, double, system->vertex_count);
    threads->product = STORE_ARRAY(store, Vec3, system->vertex_count);
    return code == STATUS_OK
               ? strands_build(&threads->strands, system, system->weave, store, status)
               : code;
}

Solver *thread_solver_create(System *system, const SolverOptions *options, Status *status) {
    return solver_make(sizeof(ThreadSolver), system, options, build, status);
}
