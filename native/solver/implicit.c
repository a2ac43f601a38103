/* The conventional solver: Newton steps with the true, clamped Hessian, each by conjugate gradients. The yardstick. */
#include <stdlib.h>
#include <string.h>

#include "solver/newton.h"
#include "system/system.h"

typedef struct ImplicitSolver {
    Newton newton;
    BlockMatrix blocks; /* on the pattern of K */
    double *constant;   /* per entry: the part that no state changes, with inertia and soft pins */
    Matrix stiffness;   /* of the laws whose second derivative is constant, on the same pattern */
    PcgExtra beside;    /* what the pattern has not: contacts, and laws beyond the matrix */
    double *beyond;     /* per vertex, N/m: what those laws have on the diagonal */
    bool has_beyond;
    unsigned matrix_version;
    double length;
} ImplicitSolver;

static void sum_beyond(ImplicitSolver *implicit) {
    const System *system = implicit->newton.solver.system;
    implicit->has_beyond = false;
    memset(implicit->beyond, 0, (size_t)system->vertex_count * sizeof(double));
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        if (!law->beyond_matrix || law->count == 0) {
            continue;
        }
        implicit->has_beyond = true;
        for (int p = 0; p < law->width * law->count; ++p) {
            double value[LAW_WIDTH];
            law_stiffness(law, STIFFNESS_OWN, p / law->width, p % law->width, value);
            implicit->beyond[law->vertices[p]] += value[p % law->width];
        }
    }
}

static StatusCode implicit_prepare(Solver *solver, double length, Status *status) {
    (void)status;
    ImplicitSolver *implicit = (ImplicitSolver *)solver;
    const System *system = solver->system;
    if (implicit->length == length && implicit->matrix_version == system->matrix_version) {
        return STATUS_OK;
    }
    substep_set_length(&solver->substep, length);
    assembly_fill_constant(&system->laws, STIFFNESS_OWN, system->pool, &implicit->stiffness);
    sum_beyond(implicit);
    double h2 = length * length, scale = h2 * solver->substep.stiffness_factor;
    for (int i = 0; i < system->vertex_count; ++i) {
        for (int p = implicit->stiffness.start[i]; p < implicit->stiffness.start[i + 1]; ++p) {
            implicit->constant[p] = scale * implicit->stiffness.value[p];
            if (implicit->stiffness.column[p] == i) {
                implicit->constant[p] += substep_own(&solver->substep, i);
            }
        }
    }
    implicit->length = length;
    implicit->matrix_version = system->matrix_version;
    return STATUS_OK;
}

static void start_blocks(void *context, int begin, int end) {
    ImplicitSolver *implicit = context;
    for (int p = begin; p < end; ++p) {
        double c = implicit->constant[p];
        implicit->blocks.block[p] = (Block){{c, 0, 0, 0, c, 0, 0, 0, c}};
    }
}

/* I + h^2 (q H(z) + s): the clamped Hessian of the incremental energy. */
static void assemble(Newton *newton, const Vec3 *z) {
    ImplicitSolver *implicit = (ImplicitSolver *)newton;
    System *system = newton->solver.system;
    double scale = newton_scale(newton);
    const Matrix *pattern = implicit->blocks.pattern;
    pool_run(system->pool, pattern->start[pattern->size], start_blocks, implicit);
    for (int b = 0; b < system->beside_count; ++b) {
        int i = system->beside[b];
        implicit->blocks.block[matrix_slot(pattern, i, i)].m[0] -=
            scale * system->across[STIFFNESS_OWN][i];
    }
    for (int l = 0; l < system->laws.count; ++l) {
        law_add_hessian(system->laws.list[l], z, scale, &implicit->blocks);
    }
    bool extra = implicit->has_beyond || newton_is_touching(newton);
    newton->pcg.extra = extra ? &implicit->beside : NULL;
}

/* --- what is not in the pattern: contacts, and laws beyond the matrix --------------------------- */

static void multiply_beside(void *context, const Vec3 *x) {
    ImplicitSolver *implicit = context;
    System *system = implicit->newton.solver.system;
    if (newton_is_touching(&implicit->newton)) {
        contacts_multiply(&implicit->newton.solver.substep.around->contacts, system->pool, x);
    }
    if (implicit->has_beyond) {
        laws_stiffen_beyond(&system->laws, system->pool, implicit->newton.place, x);
    }
}

static Vec3 beside_row(const void *context, int i) {
    const ImplicitSolver *implicit = context;
    const Substep *substep = &implicit->newton.solver.substep;
    Vec3 sum = newton_is_touching(&implicit->newton)
                   ? contacts_gradient(&substep->around->contacts, i)
                   : vec3(0, 0, 0);
    return implicit->has_beyond ? vec3_madd(sum, -newton_scale(&implicit->newton),
                                            rows_last_force(&substep->system->laws.rows, i))
                                : sum;
}

static void add_beside_diagonal(const void *context, int i, Block *block) {
    const ImplicitSolver *implicit = context;
    block_add_diagonal(block, newton_scale(&implicit->newton) * implicit->beyond[i]);
    if (newton_is_touching(&implicit->newton)) {
        substep_add_contact_block(&implicit->newton.solver.substep, i, implicit->newton.place,
                                  block);
    }
}

static void implicit_destroy(Solver *solver) {
    ImplicitSolver *implicit = (ImplicitSolver *)solver;
    store_release(&implicit->newton.store);
    free(implicit);
}

static StatusCode build(ImplicitSolver *implicit, Status *status) {
    System *system = implicit->newton.solver.system;
    Store *store = &implicit->newton.store;
    int entries = system->stiffness.start[system->stiffness.size];
    implicit->blocks.pattern = &system->stiffness;
    implicit->blocks.block = STORE_ARRAY(store, Block, entries);
    implicit->constant = STORE_ARRAY(store, double, entries);
    implicit->stiffness = system->stiffness;
    implicit->stiffness.value = STORE_ARRAY(store, double, entries);
    implicit->beyond = STORE_ARRAY(store, double, system->vertex_count);
    implicit->newton.matrix = &implicit->blocks;
    StatusCode code = store->failed ? status_no_memory(status, "the solver") : STATUS_OK;
    for (int l = 0; code == STATUS_OK && l < system->laws.count; ++l) {
        code = law_find_slots(system->laws.list[l], &implicit->blocks, store, status);
    }
    return code;
}

Solver *implicit_solver_create(System *system, const SolverOptions *options, Status *status) {
    ImplicitSolver *implicit = calloc(1, sizeof *implicit);
    if (!implicit) {
        status_no_memory(status, "the solver");
        return NULL;
    }
    Solver *solver = &implicit->newton.solver;
    implicit->newton.assemble = assemble;
    implicit->beside = (PcgExtra){.multiply = multiply_beside,
                                  .row = beside_row,
                                  .add_diagonal = add_beside_diagonal,
                                  .context = implicit};
    solver->prepare = implicit_prepare;
    solver->destroy = implicit_destroy;
    if (newton_build(&implicit->newton, system, options, status) != STATUS_OK ||
        build(implicit, status) != STATUS_OK) {
        implicit_destroy(solver);
        return NULL;
    }
    solver->bytes = implicit->newton.store.bytes;
    return solver;
}
