/* All solvers: the one list that knows which there are and what each can. */
#include <stdlib.h>

#include "solver/solver.h"

typedef struct SolverTrait {
    Solver *(*create)(System *system, const SolverOptions *options, Status *status);
    unsigned can; /* bits of Ability */
    const char *name;
} SolverTrait;

static const SolverTrait traits[] = {
    [SOLVER_LINEAR] = {linear_solver_create, SOLVER_LINEAR_CAN, "linear solver"},
    [SOLVER_IMPLICIT] = {implicit_solver_create, SOLVER_IMPLICIT_CAN, "implicit solver"},
    [SOLVER_SWEEP] = {sweep_solver_create, SOLVER_SWEEP_CAN, "sweep solver"},
    [SOLVER_THREADS] = {thread_solver_create, SOLVER_THREADS_CAN, "thread solver"},
};

Solver *solver_create(SolverKind kind, System *system, const SolverOptions *options,
                      Status *status) {
    return traits[kind].create(system, options, status);
}

Solver *solver_make(size_t size, System *system, const SolverOptions *options,
                    StatusCode (*build)(Solver *solver, Status *status), Status *status) {
    Solver *solver = calloc(1, size);
    if (!solver) {
        status_no_memory(status, "the solver");
        return NULL;
    }
    solver->system = system;
    solver->options = *options;
    if (build(solver, status) != STATUS_OK) {
        solver_destroy(solver);
        return NULL;
    }
    solver->bytes = solver->store.bytes;
    return solver;
}

void solver_destroy(Solver *solver) {
    if (solver && solver->release) {
        solver->release(solver);
    }
    if (solver) {
        store_release(&solver->store);
        free(solver);
    }
}

bool solver_has(SolverKind kind, Ability ability) { return traits[kind].can >> ability & 1; }

/* Who may have it: models where one has, but for those of a solver that has its own. */
static const char *bearer(SolverKind kind, ModelKind model, Ability ability) {
    static const char *const models[] = {[MODEL_EDGE] = "edge model",
                                         [MODEL_TRIANGLE] = "triangle model",
                                         [MODEL_MEMBRANE] = "membrane model"};
    bool of_models = model_has(MODEL_EDGE, ability) || model_has(MODEL_MEMBRANE, ability);
    return of_models && solver_has(kind, ABILITY_MODELS) ? models[model] : traits[kind].name;
}

StatusCode solver_refuse(SolverKind kind, ModelKind model, Ability ability, const char *what,
                         const char *name, double value, Status *status) {
    static const char *const lacking[] = ABILITY_LACKING;
    if (solver_has(kind, ability) || model_has(model, ability) || !lacking[ability]) {
        return STATUS_OK;
    }
    status_set(status, STATUS_ERROR_ARGUMENT, "%s, but the %s cannot have that: %s", what,
               bearer(kind, model, ability), lacking[ability]);
    return status_name_argument(status, DETAIL_CONFLICT, name, value, 0);
}
