#include "model/system.h"

#include <stdlib.h>
#include <string.h>

/* No vertex is lighter than this part of the mean: flat triangles give their corners no mass. */
#define LIGHTEST 1e-3

/* Rows of tension for each law, one after the other. */
static StatusCode build_rows(System *system, const SystemOptions *options, Store *store,
                             Status *status) {
    (void)options;
    EdgeModel *edge = &system->edge;
    TriangleModel *triangle = &system->triangle;
    BendingModel *bending = &system->bending;
    edge->first_row = 0;
    triangle->first_row = edge->count;
    bending->first_row = triangle->first_row + 2 * triangle->count;
    const RowUse uses[] = {
        {edge->first_row, edge->count, 2, 1, edge->vertices, edge->weights},
        {triangle->first_row, triangle->count, 3, 2, triangle->vertices, triangle->warp_weights},
        {triangle->first_row + 1, triangle->count, 3, 2, triangle->vertices,
         triangle->weft_weights},
        {bending->first_row, bending->count, 4, 1, bending->vertices, bending->weights},
    };
    int row_count = bending->first_row + bending->count;
    StatusCode code =
        rows_build(&system->rows, system->vertex_count, row_count, uses, 4, store, status);
    if (code == STATUS_OK) {
        edge->tension = system->rows.tension + edge->first_row;
        triangle->tension = system->rows.tension + triangle->first_row;
        bending->tension = system->rows.tension + bending->first_row;
    }
    return code;
}

static StatusCode build_matrix(System *system, const SystemOptions *options, Store *store,
                               Status *status) {
    (void)options;
    const Stencils stencils[] = {
        {system->edge.count, 2, system->edge.vertices},
        {system->triangle.count, 3, system->triangle.vertices},
        {system->bending.count, 4, system->bending.vertices},
    };
    StatusCode code =
        matrix_pattern(system->vertex_count, stencils, 3, store, &system->stiffness, status);
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
    system->soft_stiffness = STORE_ARRAY(store, double, count);
    system->target = STORE_ARRAY(store, Vec3, count);
    system->rail = STORE_ARRAY(store, double, count);
    system->across = STORE_ARRAY(store, double, count);
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

/* The vertices that hinges across the mirror plane end at. */
static StatusCode list_beside(System *system, Store *store, Status *status) {
    const BendingModel *bending = &system->bending;
    int count = bending->count - bending->crossing_from;
    system->beside = STORE_ARRAY(store, int, count);
    uint8_t *ends = SCRATCH_ARRAY(uint8_t, system->vertex_count);
    if (store->failed || !ends) {
        free(ends);
        return status_no_memory(status, "the mirror plane");
    }
    for (int h = bending->crossing_from; h < bending->count; ++h) {
        ends[bending->vertices[4 * h]] = 1;
    }
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
#define MOST_PARTS 3

typedef StatusCode (*BuildPart)(System *system, const SystemOptions *options, Store *store,
                                Status *status);

typedef struct BuildWork {
    System *system;
    const SystemOptions *options;
    const BuildPart *parts;
    Store stores[MOST_PARTS];
    Status status[MOST_PARTS];
} BuildWork;

static void build_parts(void *context, int begin, int end) {
    BuildWork *work = context;
    for (int part = begin; part < end; ++part) {
        work->parts[part](work->system, work->options, &work->stores[part], &work->status[part]);
    }
}

static StatusCode build_together(System *system, const SystemOptions *options,
                                 const BuildPart *parts, int count, Store *store, Status *status) {
    BuildWork work = {.system = system, .options = options, .parts = parts};
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

static StatusCode build_stretch(System *system, const SystemOptions *options, Store *store,
                                Status *status) {
    int triangles = options->model == MODEL_TRIANGLE;
    StatusCode code = edge_model_build(&system->edge, system->mesh, !triangles,
                                       options->tension_only, store, status);
    if (code == STATUS_OK && triangles) {
        code = triangle_model_build(&system->triangle, system->mesh, options->tension_only,
                                    options->shear_axes, options->shear_energy, store, status);
    }
    return code;
}

static StatusCode build_bending(System *system, const SystemOptions *options, Store *store,
                                Status *status) {
    StatusCode code =
        bending_model_build(&system->bending, system->mesh, options->keep_folds, store, status);
    return code == STATUS_OK ? list_beside(system, store, status) : code;
}

static StatusCode build_parcels(System *system, const SystemOptions *options, Store *store,
                                Status *status) {
    (void)options;
    return parcels_build(&system->parcels, system->mesh, &system->edge, &system->triangle,
                         &system->bending, store, status);
}

StatusCode system_build(System *system, const Mesh *mesh, const SystemOptions *options, Pool *pool,
                        Store *store, Status *status) {
    static const BuildPart laws[] = {build_bending, build_stretch};
    static const BuildPart lists[] = {build_parcels, build_matrix, build_rows};
    system->vertex_count = mesh->vertex_count;
    system->mesh = mesh;
    system->pool = pool;
    system->plane_from = mesh->plane_from;
    system->rail_from = mesh->plane_from - options->rail_count;
    StatusCode code = take_vertex_arrays(system, store, status);
    if (code == STATUS_OK) {
        code = air_model_build(&system->air, mesh, store, status);
    }
    if (code == STATUS_OK) {
        code = build_together(system, options, laws, 2, store, status);
    }
    return code == STATUS_OK ? build_together(system, options, lists, 3, store, status) : code;
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
    edge_model_set_material(&system->edge, &system->material, &scales);
    triangle_model_set_material(&system->triangle, &system->material, &scales);
    bending_model_set_material(&system->bending, &system->material, &scales);
    parcels_set_material(&system->parcels, system->pool);
    const Laws laws = system_laws(system);
    assembly_fill(&laws, system->pool, &system->stiffness);
    memset(system->across, 0, (size_t)system->vertex_count * sizeof(double));
    bending_model_across(&system->bending, system->across);
    ++system->matrix_version;
}

double system_stretch_speed(const System *system) {
    const Material *material = &system->material;
    double fastest = 0;
    if (system->mesh->rope_count > 0) {
        fastest = material->rope_stretch / material->rope_density;
    }
    if (system->mesh->triangle_count > 0) {
        double stretch = fmax(material->stretch_warp, material->stretch_weft);
        fastest = fmax(fastest, stretch / material->density);
    }
    return sqrt(fastest);
}

double system_local_step(System *system, const Guess *guess) {
    system->by_parcels = 0;
    double energy = edge_model_local_step(&system->edge, system->pool, guess);
    energy += triangle_model_local_step(&system->triangle, system->pool, guess);
    energy += bending_model_local_step(&system->bending, system->pool, guess);
    return energy;
}

void system_conventional_step(System *system, const Vec3 *x) {
    const Guess guess = {.z = x, .present = x};
    system->by_parcels = 0;
    edge_model_local_step(&system->edge, system->pool, &guess);
    triangle_model_force(&system->triangle, system->pool, x);
    bending_model_local_step(&system->bending, system->pool, &guess);
}

double system_evaluate(System *system, const Vec3 *z, const Vec3 *present) {
    if (!parcels_fit(&system->parcels)) {
        return system_local_step(system, &(Guess){.z = z, .present = present});
    }
    system->by_parcels = 1;
    return parcels_evaluate(&system->parcels, system->pool, z, present);
}

double system_conventional_forces(System *system, const Vec3 *x) {
    if (system->triangle.shear_energy != SHEAR_ENERGY_DIAGONAL) {
        system_conventional_step(system, x);
        return NAN;
    }
    system->by_parcels = 1;
    return parcels_evaluate(&system->parcels, system->pool, x, x);
}

void system_stiffen(System *system, const Vec3 *x, const Vec3 *d) {
    system->by_parcels = 0;
    edge_model_stiffen(&system->edge, system->pool, x, d);
    triangle_model_stiffen(&system->triangle, system->pool, x, d);
    bending_model_stiffen(&system->bending, system->pool, d);
}

double system_elastic_energy(const System *system, const Vec3 *x) {
    return edge_model_energy(&system->edge, system->pool, x) +
           triangle_model_energy(&system->triangle, system->pool, x) +
           bending_model_energy(&system->bending, system->pool, x);
}
