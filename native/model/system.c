/* Building the mechanical system, and all that is summed over its laws. */
#include "model/system.h"

#include <stdlib.h>
#include <string.h>

#include "model/assembly.h"

/* No vertex is lighter than this part of the mean: flat triangles give their corners no mass. */
#define LIGHTEST 1e-3

static StatusCode build_matrix(System *system, Store *store, Status *status) {
    StatusCode code =
        assembly_pattern(&system->laws, system->vertex_count, store, &system->stiffness, status);
    system->stiffness.place = system->mesh->rest;
    return code;
}

static StatusCode take_vertex_arrays(System *system, Store *store, Status *status) {
    int count = system->vertex_count;
    system->mass = STORE_ARRAY(store, double, count);
    system->area = STORE_ARRAY(store, double, count);
    system->mass_scale = STORE_ARRAY(store, double, count);
    system->stretch_scale = STORE_ARRAY(store, double, count);
    system->bend_scale = STORE_ARRAY(store, double, count);
    system->held = STORE_ARRAY(store, uint8_t, count);
    system->target = STORE_ARRAY(store, Vec3, count);
    system->rail = STORE_ARRAY(store, double, count);
    for (int which = 0; which < STIFFNESSES; ++which) {
        system->across[which] = STORE_ARRAY(store, double, count);
    }
    if (store->failed) {
        return status_no_memory(status, "vertices");
    }
    for (int v = 0; v < count; ++v) {
        system->mass_scale[v] = system->stretch_scale[v] = system->bend_scale[v] = 1.0;
        system->held[v] = system->mesh->isolated[v];
        system->target[v] = system->mesh->rest[v];
    }
    return STATUS_OK;
}

/* The vertices that elements across the mirror plane end at. */
static StatusCode list_beside(System *system, Store *store, Status *status) {
    system->beside = STORE_ARRAY(store, int, system->vertex_count);
    uint8_t *ends = SCRATCH_ARRAY(uint8_t, system->vertex_count);
    if (store->failed || !ends) {
        free(ends);
        return status_no_memory(status, "the mirror plane");
    }
    laws_mark_crossing(&system->laws, ends);
    for (int v = 0; v < system->rail_from; ++v) { /* on rails there is no motion along x */
        if (ends[v]) {
            system->beside[system->beside_count++] = v;
        }
    }
    free(ends);
    return STATUS_OK;
}

/* Parts of a system that do not know each other are built side by side, each on one thread and from a store of its
 * own. */
#define MOST_PARTS LAWS_MOST

/* Builds part number `part` of several. */
typedef StatusCode (*BuildPart)(System *system, int part, const SystemOptions *options,
                                Store *store, Status *status);

typedef struct BuildWork {
    System *system;
    const SystemOptions *options;
    BuildPart build;
    Store stores[MOST_PARTS];
    Status status[MOST_PARTS];
} BuildWork;

static void build_parts(void *context, int begin, int end) {
    BuildWork *work = context;
    for (int part = begin; part < end; ++part) {
        work->build(work->system, part, work->options, &work->stores[part], &work->status[part]);
    }
}

static StatusCode build_together(System *system, const SystemOptions *options, BuildPart build,
                                 int count, Store *store, Status *status) {
    BuildWork work = {.system = system, .options = options, .build = build};
    for (int part = 0; part < count; ++part) {
        status_clear(&work.status[part]);
    }
    pool_each(system->pool, count, build_parts, &work);
    StatusCode code = STATUS_OK;
    for (int part = 0; part < count; ++part) {
        store_join(store, &work.stores[part]);
        if (code == STATUS_OK && work.status[part].code != STATUS_OK) {
            *status = work.status[part];
            code = status->code;
        }
    }
    return code;
}

static StatusCode build_law(System *system, int part, const SystemOptions *options, Store *store,
                            Status *status) {
    return laws_build_one(&system->laws, part, system->mesh, options, store, status);
}

/* What is made of all laws together. */
enum { LIST_PARCELS, LIST_MATRIX, LIST_ROWS, LISTS };

static StatusCode build_list(System *system, int part, const SystemOptions *options, Store *store,
                             Status *status) {
    (void)options;
    switch (part) {
    case LIST_PARCELS:
        return parcels_build(&system->parcels, system->mesh, &system->laws, store, status);
    case LIST_MATRIX:
        return build_matrix(system, store, status);
    default:
        return laws_build_rows(&system->laws, system->vertex_count, store, status);
    }
}

static StatusCode build_laws(System *system, const SystemOptions *options, Store *store,
                             Status *status) {
    int count = laws_wanted(options);
    if (count > LAWS_MOST) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "%d laws, but at most %d are possible",
                          count, LAWS_MOST);
    }
    system->laws.count = count;
    StatusCode code = build_together(system, options, build_law, count, store, status);
    return code != STATUS_OK ? code
                             : laws_build_curvature(&system->laws, system->mesh, options,
                                                    system->pool, store, status);
}

StatusCode system_build(System *system, const Mesh *mesh, const SystemOptions *options, Pool *pool,
                        Store *store, Status *status) {
    system->vertex_count = mesh->vertex_count;
    system->mesh = mesh;
    system->weave = options->model == MODEL_WOVEN ? options->weave : NULL;
    system->pool = pool;
    system->plane_from = mesh->plane_from;
    system->rail_from = mesh->plane_from - options->rail_count;
    StatusCode code = take_vertex_arrays(system, store, status);
    if (code == STATUS_OK) {
        code = pin_law_build(&system->pins, mesh->vertex_count, system->target, store, status);
    }
    if (code == STATUS_OK) {
        code = air_model_build(&system->air, mesh, store, status);
    }
    if (code == STATUS_OK) {
        code = build_laws(system, options, store, status);
    }
    if (code == STATUS_OK) {
        code = list_beside(system, store, status);
    }
    return code == STATUS_OK ? build_together(system, options, build_list, LISTS, store, status)
                             : code;
}

/* Lumped: a third of each triangle's area and half of each rope's length. */
static void refresh_masses(System *system) {
    const Mesh *mesh = system->mesh;
    const Material *material = &system->material;
    for (int v = 0; v < system->vertex_count; ++v) {
        system->mass[v] = system->area[v] = 0;
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        for (int c = 0; c < 3; ++c) {
            system->area[mesh->triangles[t].vertices[c]] += mesh->triangles[t].area / 3.0;
        }
    }
    for (int e = 0; e < mesh->edge_count; ++e) {
        if (mesh->edges[e].kind == EDGE_ROPE) {
            const Edge *rope = &mesh->edges[e];
            double half = 0.5 * mesh_part(mesh, rope->a, rope->b) * material->rope_density;
            system->mass[rope->a] += half * rope->rest_length;
            system->mass[rope->b] += half * rope->rest_length;
        }
    }
    double total = 0;
    for (int v = 0; v < system->vertex_count; ++v) {
        system->mass[v] += material->density * system->area[v];
        total += system->mass[v];
    }
    double least = total > 0 ? LIGHTEST * total / system->vertex_count : 1.0;
    for (int v = 0; v < system->vertex_count; ++v) {
        system->mass[v] =
            system->mass_scale[v] * (system->mass[v] > least ? system->mass[v] : least);
    }
}

void system_refresh_material(System *system) {
    const Scales scales = {system->mass_scale, system->stretch_scale, system->bend_scale};
    refresh_masses(system);
    air_model_set_masses(&system->air, system->mass, system->area);
    laws_set_material(&system->laws, &system->material, &scales);
    parcels_set_material(&system->parcels, system->pool);
    assembly_fill(&system->laws, system->pool, &system->stiffness);
    for (int which = 0; which < STIFFNESSES; ++which) {
        memset(system->across[which], 0, (size_t)system->vertex_count * sizeof(double));
        laws_across(&system->laws, (LawStiffness)which, system->across[which]);
    }
    ++system->matrix_version;
}

double system_local_step(System *system, const Guess *guess) {
    system->by_parcels = false;
    return laws_local_step(&system->laws, system->pool, guess);
}

void system_conventional_step(System *system, const Vec3 *x) {
    system->by_parcels = false;
    laws_conventional_step(&system->laws, system->pool, x);
}

double system_evaluate(System *system, const Vec3 *z, const Vec3 *present) {
    if (system->laws.rows_only) {
        return system_local_step(system, &(Guess){.z = z, .present = present});
    }
    system->by_parcels = true;
    return parcels_evaluate(&system->parcels, system->pool, z, present);
}

double system_conventional_forces(System *system, const Vec3 *x) {
    if (system->laws.has_convention) {
        system_conventional_step(system, x);
        return NAN;
    }
    system->by_parcels = true;
    return parcels_evaluate(&system->parcels, system->pool, x, x);
}

double system_elastic_energy(const System *system, const Vec3 *x) {
    return laws_energy(&system->laws, system->pool, x);
}

void system_bring(System *system, const Vec3 *x) {
    Vec3 *memory = laws_memory(&system->laws);
    if (memory) {
        memset(memory, 0, (size_t)system->vertex_count * sizeof *memory);
        laws_remember(&system->laws, system->pool, x);
    }
}
