/* What a cloth is like now: sizes, strain, energies, eigenvalues. Computed when asked for, so that
 * a step pays for none of it. */
#include <math.h>
#include <stdlib.h>

#include "base/timing.h"
#include "cloth/state.h"
#include "linear/eigen.h"

void cloth_report(const Cloth *cloth, ClothReport *report) {
    const Mesh *mesh = &cloth->mesh;
    *report = (ClothReport){
        .vertex_count = mesh->vertex_count,
        .edge_count = mesh->edge_count,
        .triangle_count = mesh->triangle_count,
        .hinge_count = cloth->system.bending.count,
        .rope_count = mesh->rope_count,
        .component_count = mesh->component_count,
        .soft_count = cloth->soft_count,
        .matrix_nonzeros = cloth->system.stiffness.start[mesh->vertex_count],
    };
    for (int i = 0; i < mesh->vertex_count; ++i) {
        report->pinned_count += cloth->system.held[i] != 0;
    }
    cloth->solver->report(cloth->solver, &report->factor);
    report->rounds = cloth->solver->rounds;
    report->coarse_unknowns = cloth->solver->coarse_unknowns;
    report->bytes = cloth->store.bytes + cloth->solver->bytes + report->factor.bytes;
}

const SolverWork *cloth_work(const Cloth *cloth) { return &cloth->solver->work; }

double cloth_step_seconds(const Cloth *cloth) { return cloth->step_seconds; }

int cloth_substeps_done(const Cloth *cloth) { return cloth->substeps_done; }

int cloth_lost_vertex(const Cloth *cloth) { return cloth->lost; }

/* Over the mesh's own edges and ropes; the diagonals of quads are no edges of the artist's. */
static void measure_strain(const Cloth *cloth, ClothMeasure *measure) {
    double sum = 0;
    int counted = 0;
    measure->largest_edge[0] = measure->largest_edge[1] = -1;
    for (int e = 0; e < cloth->mesh.edge_count; ++e) {
        const Edge *edge = &cloth->mesh.edges[e];
        if (edge->kind == EDGE_SHEAR || edge->rest_length <= VEC3_TINY) {
            continue;
        }
        double length = vec3_distance(cloth->past[0][edge->a], cloth->past[0][edge->b]);
        double strain = fabs(length / edge->rest_length - 1.0);
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

static double imbalance(Cloth *cloth, const Vec3 *z) {
    system_conventional_step(&cloth->system, z);
    substep_gradient(&cloth->solver->substep, z);
    return substep_gradient_length(&cloth->solver->substep);
}

/* The last substep's equation is still at hand; `next` is free between steps. */
static double measure_residual(Cloth *cloth) {
    if (!cloth->has_substep) {
        return 0.0;
    }
    for (int i = 0; i < cloth->mesh.vertex_count; ++i) {
        cloth->next[i] = cloth->solver->substep.x[i];
    }
    substep_place_pins(&cloth->solver->substep, cloth->next);
    double start = imbalance(cloth, cloth->next);
    double end = imbalance(cloth, cloth->past[0]);
    return start > 0 ? end / start : 0.0;
}

void cloth_measure(Cloth *cloth, ClothMeasure *measure) {
    const System *system = &cloth->system;
    *measure = (ClothMeasure){0};
    measure_strain(cloth, measure);
    for (int i = 0; i < cloth->mesh.vertex_count; ++i) {
        Vec3 risen = vec3_sub(cloth->past[0][i], cloth->mesh.rest[i]);
        measure->kinetic_energy +=
            0.5 * system->mass[i] * vec3_dot(cloth->velocity[i], cloth->velocity[i]);
        measure->gravity_energy -= system->mass[i] * vec3_dot(system->gravity, risen);
    }
    measure->elastic_energy = system_elastic_energy(system, cloth->past[0]);
    measure->residual = measure_residual(cloth);
}

/* --- the linear solver's matrix --------------------------------------------------------------- */

static StatusCode need_factor(const Cloth *cloth, Status *status) {
    if (cloth->options.solver != SOLVER_LINEAR || !linear_solver_is_current(cloth->solver)) {
        return status_set(
            status, STATUS_ERROR_ARGUMENT,
            "this needs the linear solver, prepared by muslin_cloth_prepare since the last change");
    }
    return STATUS_OK;
}

typedef struct Spectrum {
    Cloth *cloth;
    Vec3 *in, *out;
} Spectrum;

/* in = M^scale x on free vertices */
static void load(const Spectrum *spectrum, const double *x, double power) {
    const System *system = &spectrum->cloth->system;
    for (int i = 0; i < system->vertex_count; ++i) {
        double value = system->held[i] ? 0.0 : x[i] * pow(system->mass[i], power);
        spectrum->in[i] = vec3(value, 0, 0);
    }
}

static void unload(const Spectrum *spectrum, double *y, double power) {
    const System *system = &spectrum->cloth->system;
    for (int i = 0; i < system->vertex_count; ++i) {
        y[i] = system->held[i] ? 0.0 : spectrum->out[i].x * pow(system->mass[i], power);
    }
}

static void multiply(void *context, const double *x, double *y) {
    Spectrum *spectrum = context;
    load(spectrum, x, -0.5);
    matrix_multiply(linear_solver_matrix(spectrum->cloth->solver), spectrum->cloth->pool,
                    spectrum->in, spectrum->out);
    unload(spectrum, y, -0.5);
}

static void multiply_inverse(void *context, const double *x, double *y) {
    Spectrum *spectrum = context;
    load(spectrum, x, 0.5);
    factor_solve_exactly(linear_solver_factor(spectrum->cloth->solver), spectrum->in,
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

StatusCode cloth_eigenvalues(Cloth *cloth, double *smallest, double *largest, Status *status) {
    StatusCode code = need_factor(cloth, status);
    if (code != STATUS_OK) {
        return code;
    }
    int size = cloth->mesh.vertex_count;
    Spectrum spectrum = {cloth, SCRATCH_ARRAY(Vec3, size), SCRATCH_ARRAY(Vec3, size)};
    double *start = SCRATCH_ARRAY(double, size), inverse = 0;
    if (!spectrum.in || !spectrum.out || !start) {
        code = status_no_memory(status, "eigenvalues");
    } else {
        int free_count = irregular_start(&cloth->system, start);
        if (free_count == 0) {
            code = status_set(status, STATUS_ERROR_ARGUMENT,
                              "all vertices are pinned: no eigenvalues");
        } else {
            code = eigen_largest(size, free_count, multiply, &spectrum, start, largest, status);
        }
        if (code == STATUS_OK) {
            code = eigen_largest(size, free_count, multiply_inverse, &spectrum, start, &inverse,
                                 status);
            *smallest = 1.0 / inverse;
        }
    }
    free(spectrum.in);
    free(spectrum.out);
    free(start);
    return code;
}

StatusCode cloth_solve(Cloth *cloth, double *x, int rounds, double *seconds, Status *status) {
    StatusCode code = need_factor(cloth, status);
    if (code != STATUS_OK) {
        return code;
    }
    Vec3 *in = (Vec3 *)x;
    Vec3 *out = SCRATCH_ARRAY(Vec3, cloth->mesh.vertex_count);
    if (!out) {
        return status_no_memory(status, "a solve");
    }
    double begin = timing_now();
    for (int round = 0; round < rounds; ++round) {
        solve_apply(factor_solve(linear_solver_factor(cloth->solver)), cloth->pool, in, out);
    }
    *seconds = timing_now() - begin;
    for (int i = 0; i < cloth->mesh.vertex_count; ++i) {
        in[i] = out[i];
    }
    free(out);
    return STATUS_OK;
}
