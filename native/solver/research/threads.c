/* The solver of woven cloth and ropes: Newton steps by conjugate gradients whose matrix is never made [KIST 2008]. */
#include <stdlib.h>

#include "solver/implicit.h"
#include "solver/research/strands.h"

typedef struct ThreadSolver {
    Newton newton;
    Strands strands;
    PcgExtra whole; /* all of the second derivative, contacts included */
    double *own;    /* per vertex, kg: inertia and soft pin */
    Vec3 *product;
    unsigned matrix_version;
    double length;
} ThreadSolver;

static StatusCode thread_prepare(Solver *solver, double length, Status *status) {
    (void)status;
    ThreadSolver *threads = (ThreadSolver *)solver;
    if (threads->length == length && threads->matrix_version == solver->system->matrix_version) {
        return STATUS_OK;
    }
    substep_set_length(&solver->substep, length);
    for (int i = 0; i < solver->system->vertex_count; ++i) {
        threads->own[i] = substep_own(&solver->substep, i);
    }
    threads->length = length;
    threads->matrix_version = solver->system->matrix_version;
    return STATUS_OK;
}

static void assemble(Newton *newton, const Vec3 *z) {
    ThreadSolver *threads = (ThreadSolver *)newton;
    strands_refresh(&threads->strands, newton->solver.system->pool, newton_scale(newton), z);
}

static void multiply(void *context, const Vec3 *x) {
    ThreadSolver *threads = context;
    Newton *newton = &threads->newton;
    Pool *pool = newton->solver.system->pool;
    strands_multiply(&threads->strands, pool, threads->own, x, threads->product);
    if (newton_is_touching(newton)) {
        contacts_multiply(&newton->solver.substep.around->contacts, pool, x);
    }
}

static Vec3 row(const void *context, int i) {
    const ThreadSolver *threads = context;
    const Newton *newton = &threads->newton;
    return newton_is_touching(newton)
               ? vec3_add(threads->product[i],
                          contacts_gradient(&newton->solver.substep.around->contacts, i))
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

static void thread_destroy(Solver *solver) {
    ThreadSolver *threads = (ThreadSolver *)solver;
    store_release(&threads->newton.store);
    free(threads);
}

static StatusCode build(ThreadSolver *threads, const SolverOptions *options, System *system,
                        Status *status) {
    Store *store = &threads->newton.store;
    StatusCode code = newton_build(&threads->newton, system, options, status);
    if (code != STATUS_OK) {
        return code;
    }
    threads->own = STORE_ARRAY(store, double, system->vertex_count);
    threads->product = STORE_ARRAY(store, Vec3, system->vertex_count);
    return strands_build(&threads->strands, system, system->weave, store, status);
}

Solver *thread_solver_create(System *system, const SolverOptions *options, Status *status) {
    ThreadSolver *threads = calloc(1, sizeof *threads);
    if (!threads) {
        status_no_memory(status, "the solver");
        return NULL;
    }
    Solver *solver = &threads->newton.solver;
    threads->newton.assemble = assemble;
    threads->whole = (PcgExtra){
        .multiply = multiply, .row = row, .add_diagonal = add_diagonal, .context = threads};
    threads->newton.pcg.extra = &threads->whole;
    solver->prepare = thread_prepare;
    solver->destroy = thread_destroy;
    if (build(threads, options, system, status) != STATUS_OK) {
        thread_destroy(solver);
        return NULL;
    }
    solver->bytes = threads->newton.store.bytes;
    return solver;
}
