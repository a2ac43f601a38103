/* Measures of the present cloth: sizes, strain, energies, eigenvalues. Computed on request, so that they cost a step
 * nothing. */
#include <math.h>
#include <stdlib.h>

#include "base/machine.h"
#include "laws/bending.h"
#include "linear/krylov.h"
#include "simulation/simulation_internal.h"

void simulation_describe(const Simulation *simulation, SimulationReport *report) {
    const Mesh *mesh = &simulation->mesh;
    int skipped;
    *report = (SimulationReport){
        .vertex_count = mesh->vertex_count,
        .edge_count = mesh->edge_count,
        .triangle_count = mesh->triangle_count,
        .hinge_count = laws_count_elements(&simulation->system.laws, &bending_kind, &skipped),
        .rope_count = mesh->rope_count,
        .component_count = mesh->component_count,
        .soft_count = simulation->soft_count,
        .matrix_nonzeros = simulation->system.stiffness.start[mesh->vertex_count],
    };
    for (int i = 0; i < mesh->vertex_count; ++i) {
        report->pinned_count += simulation->system.held[i] != 0;
    }
    bool has_factor = solver_has(simulation->options.solver, ABILITY_FACTOR);
    const Factor *factor = has_factor ? linear_solver_factor(simulation->solver) : NULL;
    if (factor) {
        factor_report(factor, &report->factor);
    }
    report->iterations = simulation->solver->iterations;
    report->coarse_unknowns = simulation->solver->coarse_unknowns;
    report->bytes = simulation->store.bytes + simulation->mechanics.bytes +
                    simulation->solver->bytes + report->factor.bytes;
}

Pool *simulation_pool(const Simulation *simulation) { return simulation->pool; }

StepReport simulation_step_report(const Simulation *simulation) {
    return (StepReport){.substeps = simulation->substeps_done,
                        .reason = simulation->substeps.reason,
                        .retried = simulation->retried,
                        .mended = simulation->mended,
                        .lost = simulation->lost,
                        .part = simulation->part_done,
                        .seconds = simulation->step_seconds,
                        .work = &simulation->solver->work,
                        .contact = &simulation->world.report};
}

/* Over the mesh's own edges and ropes; the diagonals of quads are no edges of the artist's. */
static void measure_strain(const Simulation *simulation, SimulationMeasure *measure) {
    double sum = 0;
    int counted = 0;
    measure->largest_edge[0] = measure->largest_edge[1] = -1;
    for (int e = 0; e < simulation->mesh.edge_count; ++e) {
        const Edge *edge = &simulation->mesh.edges[e];
        if (edge->kind == EDGE_SHEAR || edge->rest_length <= VEC3_TINY) {
            continue;
        }
        double length = vec3_distance(simulation->past[0][edge->a], simulation->past[0][edge->b]);
        const int ends[2] = {edge->a, edge->b};
        double size = scale_mean(simulation->system.maps[MAP_SIZE], ends, 2);
        double strain = fabs(length / (size * edge->rest_length) - 1.0);
        sum += strain;
        ++counted;
        if (strain > measure->largest_strain || measure->largest_edge[0] < 0) {
            measure->largest_strain = strain;
            measure->largest_edge[0] = edge->a;
            measure->largest_edge[1] = edge->b;
        }
    }
    measure->mean_strain = counted ? sum / counted : 0.0;
}

static double imbalance(Simulation *simulation, const Vec3 *z) {
    system_conventional_step(&simulation->system, z);
    substep_gradient(&simulation->solver->substep, z);
    return substep_gradient_length(&simulation->solver->substep);
}

/* The last substep's equation is still there; `next` is free between steps. */
static double measure_residual(Simulation *simulation) {
    if (!simulation->has_substep) {
        return 0.0;
    }
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        simulation->next[i] = simulation->solver->substep.x[i];
    }
    substep_place_pins(&simulation->solver->substep, simulation->next);
    double spent = simulation->world.report.respond_seconds;
    double start = imbalance(simulation, simulation->next);
    double end = imbalance(simulation, simulation->past[0]);
    simulation->world.report.respond_seconds = spent; /* measuring is no part of the step */
    return start > 0 ? end / start : 0.0;
}

void simulation_strain_and_energy(Simulation *simulation, SimulationMeasure *measure) {
    const System *system = &simulation->system;
    *measure = (SimulationMeasure){0};
    measure_strain(simulation, measure);
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        Vec3 risen = vec3_sub(simulation->past[0][i], simulation->mesh.rest[i]);
        measure->kinetic_energy +=
            0.5 * system->mass[i] * vec3_dot(simulation->velocity[i], simulation->velocity[i]);
        measure->gravity_energy -= system->mass[i] * vec3_dot(system->gravity, risen);
    }
    measure->elastic_energy = system_true_energy(system, simulation->past[0]);
    measure->residual = measure_residual(simulation);
}

/* --- the linear solver's matrix --------------------------------------------------------------- */

static StatusCode need_factor(const Simulation *simulation, Status *status) {
    if (!solver_has(simulation->options.solver, ABILITY_FACTOR) ||
        !linear_solver_is_current(simulation->solver)) {
        return status_set(
            status, STATUS_ERROR_ARGUMENT,
            "this needs the linear solver, prepared by muslin_cloth_prepare since the last change");
    }
    return STATUS_OK;
}

typedef struct Spectrum {
    Simulation *simulation;
    Vec3 *in, *out;
} Spectrum;

/* in = M^scale x on free vertices */
static void load(const Spectrum *spectrum, const double *x, double power) {
    const System *system = &spectrum->simulation->system;
    for (int i = 0; i < system->vertex_count; ++i) {
        double value = system->held[i] ? 0.0 : x[i] * pow(system->mass[i], power);
        spectrum->in[i] = vec3(value, 0, 0);
    }
}

static void unload(const Spectrum *spectrum, double *y, double power) {
    const System *system = &spectrum->simulation->system;
    for (int i = 0; i < system->vertex_count; ++i) {
        y[i] = system->held[i] ? 0.0 : spectrum->out[i].x * pow(system->mass[i], power);
    }
}

static void multiply(void *context, const double *x, double *y) {
    Spectrum *spectrum = context;
    load(spectrum, x, -0.5);
    matrix_multiply(linear_solver_matrix(spectrum->simulation->solver), spectrum->simulation->pool,
                    spectrum->in, spectrum->out);
    unload(spectrum, y, -0.5);
}

static void multiply_inverse(void *context, const double *x, double *y) {
    Spectrum *spectrum = context;
    load(spectrum, x, 0.5);
    factor_solve_exactly(linear_solver_factor(spectrum->simulation->solver), spectrum->in,
                         spectrum->out);
    unload(spectrum, y, 0.5);
}

/* A start vector that is no eigenvector: fixed, irregular numbers. */
static int irregular_start(const System *system, double *start) {
    uint32_t seed = 1;
    int free_count = 0;
    for (int i = 0; i < system->vertex_count; ++i) {
        seed = seed * 1664525u + 1013904223u;
        start[i] = system->held[i] ? 0.0 : 0.5 + (double)seed / 4294967296.0;
        free_count += !system->held[i];
    }
    return free_count;
}

StatusCode simulation_spectrum(Simulation *simulation, double *smallest, double *largest,
                               Status *status) {
    StatusCode code = need_factor(simulation, status);
    if (code != STATUS_OK) {
        return code;
    }
    int size = simulation->mesh.vertex_count;
    Store store = {0};
    Spectrum spectrum = {simulation, STORE_ARRAY(&store, Vec3, size),
                         STORE_ARRAY(&store, Vec3, size)};
    double *start = STORE_ARRAY(&store, double, size), inverse = 0;
    int free_count = store.failed ? 0 : irregular_start(&simulation->system, start);
    if (store.failed) {
        code = status_no_memory(status, "eigenvalues");
    } else if (free_count == 0) {
        code = status_set(status, STATUS_ERROR_ARGUMENT, "all vertices are pinned: no eigenvalues");
    } else {
        code = eigen_largest(size, free_count, multiply, &spectrum, start, largest, status);
    }
    if (code == STATUS_OK) {
        code =
            eigen_largest(size, free_count, multiply_inverse, &spectrum, start, &inverse, status);
        *smallest = 1.0 / inverse;
    }
    store_release(&store);
    return code;
}

StatusCode simulation_apply_inverse(Simulation *simulation, double *x, int repeats, double *seconds,
                                    Status *status) {
    StatusCode code = need_factor(simulation, status);
    if (code != STATUS_OK) {
        return code;
    }
    Vec3 *in = (Vec3 *)x;
    Vec3 *out = SCRATCH_ARRAY(Vec3, simulation->mesh.vertex_count);
    if (!out) {
        return status_no_memory(status, "a solve");
    }
    double begin = timing_now();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        solve_apply(factor_solve(linear_solver_factor(simulation->solver)), simulation->pool, in,
                    out);
    }
    *seconds = timing_now() - begin;
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        in[i] = out[i];
    }
    free(out);
    return STATUS_OK;
}
