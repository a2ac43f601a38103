/* Building the mechanical system, and all that is summed over its laws. */
#include "system/system.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- the constant matrix, from the rows of tension that each vertex has a weight in --------------- */

typedef struct AssemblyWork {
    const Laws *laws;
    LawStiffness which;
    bool constant_only;
    Matrix *matrix;
} AssemblyWork;

static const Law *law_of_row(const Laws *laws, int row) {
    int l = laws->count - 1;
    while (l > 0 && row < laws->list[l]->first_row) {
        --l;
    }
    return laws->list[l];
}

/* What row number `row` of tension, in which the vertex is this corner, adds to the vertex's row of the matrix. */
static void add_row(const AssemblyWork *work, int row, int corner, int vertex) {
    const Law *law = law_of_row(work->laws, row);
    int e = (row - law->first_row) / law->rows;
    double value[LAW_WIDTH];
    /* an element has all of its rows at each of its vertices: once is enough */
    if (law->beyond_matrix || (row - law->first_row) % law->rows > 0 ||
        (work->constant_only && law->kind->hessian)) {
        return;
    }
    const int *vertices = law_vertices(law, e);
    law_stiffness(law, work->which, e, corner, value);
    for (int c = 0; c < law->width; ++c) {
        matrix_add(work->matrix, vertex, vertices[c], value[c]);
    }
}

static void fill_rows(void *context, int begin, int end) {
    const AssemblyWork *work = context;
    const Rows *rows = &work->laws->rows;
    Matrix *matrix = work->matrix;
    for (int v = begin; v < end; ++v) {
        size_t count = (size_t)(matrix->start[v + 1] - matrix->start[v]);
        memset(matrix->value + matrix->start[v], 0, count * sizeof *matrix->value);
        for (int p = rows->start[v]; p < rows->start[v + 1]; ++p) {
            add_row(work, rows->row[p], rows->corner[p], v);
        }
    }
}

void assembly_fill_constant(const Laws *laws, LawStiffness which, Pool *pool, Matrix *matrix) {
    AssemblyWork work = {.laws = laws, .which = which, .constant_only = true, .matrix = matrix};
    pool_run(pool, matrix->size, fill_rows, &work);
}

/* No vertex is lighter than this part of the mean: flat triangles give their corners no mass. */
#define LIGHTEST 1e-3

/* The pattern in which all vertices of an element are coupled. */
static StatusCode build_matrix(System *system, Store *store, Status *status) {
    Stencils stencils[LAWS_MOST];
    int count = 0;
    for (int l = 0; l < system->laws.count; ++l) {
        const Law *law = system->laws.list[l];
        if (!law->beyond_matrix) {
            stencils[count++] = (Stencils){law->count, law->width, law->vertices};
        }
    }
    StatusCode code =
        matrix_pattern(system->vertex_count, stencils, count, store, &system->stiffness, status);
    system->stiffness.place = system->mesh->rest;
    return code;
}

static StatusCode take_vertex_arrays(System *system, Store *store, Status *status) {
    int count = system->vertex_count;
    system->mass = STORE_ARRAY(store, double, count);
    system->area = STORE_ARRAY(store, double, count);
    system->pace = STORE_ARRAY(store, double, count);
    for (int k = 0; k < MAP_KINDS; ++k) {
        system->maps[k] = STORE_ARRAY(store, double, count);
    }
    bool several = system->part_count > 1;
    system->law_stretch = several ? STORE_ARRAY(store, double, count) : NULL;
    system->law_bend = several ? STORE_ARRAY(store, double, count) : NULL;
    system->held = STORE_ARRAY(store, uint8_t, count);
    system->clamp = STORE_ARRAY(store, double, count);
    system->free_area = STORE_ARRAY(store, double, count);
    system->target = STORE_ARRAY(store, Vec3, count);
    system->pins = (SoftPins){STORE_ARRAY(store, double, count), system->target};
    system->rail = STORE_ARRAY(store, double, count);
    system->piece = STORE_ARRAY(store, int, count);
    system->gusts = STORE_ARRAY(store, Vec3, count);
    system->traction = STORE_ARRAY(store, Vec3, count);
    for (int which = 0; which < STIFFNESSES; ++which) {
        system->across[which] = STORE_ARRAY(store, double, count);
    }
    if (store->failed) {
        return status_no_memory(status, "vertices");
    }
    for (int v = 0; v < count; ++v) {
        for (int k = 0; k < MAP_KINDS; ++k) {
            system->maps[k][v] = map_traits[k].usual;
        }
        system->pace[v] = system->clamp[v] = 1.0;
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

/* Items of a system that do not know each other are built side by side, each on one thread and from a store of its
 * own. */
typedef struct BuildItem {
    Store store;
    Status status;
} BuildItem;

typedef struct BuildWork BuildWork;
/* Builds item number `at` of several. */
typedef StatusCode (*Build)(const BuildWork *work, int at, Store *store, Status *status);

struct BuildWork {
    System *system;
    const Mesh *meshes; /* one for each part of the cloth */
    const SystemOptions *options;
    Build build;
    BuildItem *items;
};

static void build_items(void *context, int begin, int end) {
    const BuildWork *work = context;
    for (int at = begin; at < end; ++at) {
        work->build(work, at, &work->items[at].store, &work->items[at].status);
    }
}

static StatusCode build_together(BuildWork *work, Build build, int count, Store *store,
                                 Status *status) {
    work->build = build;
    work->items = SCRATCH_ARRAY(BuildItem, count);
    if (!work->items) {
        return status_no_memory(status, "the mechanical system");
    }
    for (int at = 0; at < count; ++at) {
        status_clear(&work->items[at].status);
    }
    pool_each(work->system->pool, count, build_items, work);
    StatusCode code = STATUS_OK;
    for (int at = 0; at < count; ++at) {
        store_join(store, &work->items[at].store);
        if (code == STATUS_OK && work->items[at].status.code != STATUS_OK) {
            *status = work->items[at].status;
            code = status->code;
        }
    }
    free(work->items);
    return code;
}

static StatusCode build_law(const BuildWork *work, int at, Store *store, Status *status) {
    return laws_build_one(&work->system->laws, at, work->meshes, work->options, store, status);
}

/* What is made of all laws together. */
enum { LIST_PARCELS, LIST_MATRIX, LIST_ROWS, LISTS };

static StatusCode build_list(const BuildWork *work, int at, Store *store, Status *status) {
    System *system = work->system;
    switch (at) {
    case LIST_PARCELS:
        return parcels_build(&system->parcels, system->mesh, &system->laws, system->piece_count,
                             system->piece, store, status);
    case LIST_MATRIX:
        return build_matrix(system, store, status);
    default:
        return laws_build_rows(&system->laws, system->vertex_count, store, status);
    }
}

static StatusCode build_laws(BuildWork *work, Store *store, Status *status) {
    System *system = work->system;
    int count = laws_wanted(work->options);
    if (count > LAWS_MOST) {
        return status_set(status, STATUS_ERROR_ARGUMENT, "%d laws, but at most %d are possible",
                          count, LAWS_MOST);
    }
    system->laws.count = count;
    StatusCode code = build_together(work, build_law, count, store, status);
    return code != STATUS_OK ? code
                             : laws_build_curvature(&system->laws, work->meshes, work->options,
                                                    system->pool, store, status);
}

/* A mesh of its own for each part; the whole one where there is one. */
static StatusCode take_meshes(const Mesh *mesh, int count, Store *store, const Mesh **meshes,
                              Status *status) {
    if (count == 1) {
        *meshes = mesh;
        return STATUS_OK;
    }
    Mesh *own = STORE_ARRAY(store, Mesh, count);
    StatusCode code = own ? STATUS_OK : status_no_memory(status, "parts of the mesh");
    for (int p = 0; p < count && code == STATUS_OK; ++p) {
        code = mesh_of_part(mesh, p, store, &own[p], status);
    }
    *meshes = own;
    return code;
}

StatusCode system_build(System *system, const Mesh *mesh, const SystemOptions *options, Pool *pool,
                        Store *store, Status *status) {
    BuildWork work = {.system = system, .options = options};
    system->vertex_count = mesh->vertex_count;
    system->mesh = mesh;
    system->weave = options->weave;
    system->pool = pool;
    system->plane_from = mesh->plane_from;
    system->rail_from = mesh->plane_from - options->rail_count;
    system->part_count = system_part_count(options);
    system->linked = options->links != NULL;
    StatusCode code = take_vertex_arrays(system, store, status);
    code = code ? code : air_model_build(&system->air, mesh, store, status);
    code = code ? code : take_meshes(mesh, system->part_count, store, &work.meshes, status);
    code = code ? code : build_laws(&work, store, status);
    code = code ? code
                : volumes_build(&system->volumes, system->laws.list, system->laws.count,
                                system->vertex_count, store, status);
    code = code ? code : list_beside(system, store, status);
    if (code == STATUS_OK) {
        system->piece_count = pieces_number(mesh, &system->laws, system->piece);
        code = build_together(&work, build_list, LISTS, store, status);
    }
    return code;
}

/* Lumped: a third of each triangle's area and half of each rope's length. */
static void sum_masses(System *system) {
    const Mesh *mesh = system->mesh;
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
            double half = 0.5 * mesh_share(mesh, rope->a, rope->b) *
                          system_material(system, rope->a)->rope_density;
            system->mass[rope->a] += half * rope->rest_length;
            system->mass[rope->b] += half * rope->rest_length;
        }
    }
}

static void refresh_masses(System *system) {
    const uint8_t *part = system->mesh->part;
    double total[PARTS_MOST] = {0}, least[PARTS_MOST];
    int count[PARTS_MOST] = {0};
    sum_masses(system);
    for (int v = 0; v < system->vertex_count; ++v) {
        system->mass[v] += system_material(system, v)->density * system->area[v];
        total[part[v]] += system->mass[v];
        ++count[part[v]];
    }
    for (int p = 0; p < PARTS_MOST; ++p) {
        least[p] = total[p] > 0 ? LIGHTEST * total[p] / count[p] : 1.0;
    }
    for (int v = 0; v < system->vertex_count; ++v) {
        system->mass[v] = system->maps[MAP_MASS][v] * fmax(system->mass[v], least[part[v]]);
    }
}

/* Factors on what a vertex's material says, with those of unlike damping. */
static void scale_laws(const System *system, const double *scale, double *to) {
    for (int v = 0; v < system->vertex_count; ++v) {
        to[v] = scale[v] * system->relative[system->mesh->part[v]];
    }
}

static void refresh_laws(System *system) {
    Scales scales = {.gravity = system->design_gravity,
                     .mass = system->maps[MAP_MASS],
                     .stretch = system->maps[MAP_STRETCH],
                     .bend = system->maps[MAP_BEND],
                     .size = system->maps[MAP_SIZE],
                     .clamp = system->clamp,
                     .whole = system->relative};
    if (system->part_count > 1) {
        scale_laws(system, system->maps[MAP_STRETCH], system->law_stretch);
        scale_laws(system, system->maps[MAP_BEND], system->law_bend);
        scales.stretch = system->law_stretch;
        scales.bend = system->law_bend;
    }
    laws_set_material(&system->laws, system->materials, &scales);
    if (system->resized) {
        laws_fill_rows(&system->laws);
    }
    parcels_set_material(&system->parcels, system->pool);
}

static void refresh_stiffness(System *system) {
    refresh_laws(system);
    AssemblyWork work = {
        .laws = &system->laws, .which = STIFFNESS_BOUND, .matrix = &system->stiffness};
    pool_run(system->pool, system->vertex_count, fill_rows, &work);
    for (int which = 0; which < STIFFNESSES; ++which) {
        memset(system->across[which], 0, (size_t)system->vertex_count * sizeof(double));
        laws_across(&system->laws, (LawStiffness)which, system->across[which]);
    }
}

/* 1 + d_k / h of a part. What joins two parts is damped as they are: sewn parts take the mean of all for d_k, so that it
 * pulls at both alike. */
static double damping_factor(const System *system, int part, double length) {
    double damping = system->materials[part].stiffness_damping;
    if (system->linked && system->part_count > 1) {
        damping = 0;
        for (int p = 0; p < system->part_count; ++p) {
            damping += system->materials[p].stiffness_damping / system->part_count;
        }
    }
    return 1.0 + damping / length;
}

/* Returns whether one of the factors is another one than before. */
static bool find_relative(System *system) {
    bool changed = false;
    for (int p = 0; p < system->part_count; ++p) {
        double factor = system->length > 0 ? damping_factor(system, p, system->length) /
                                                 damping_factor(system, 0, system->length)
                                           : 1.0;
        changed = changed || factor != system->relative[p];
        system->relative[p] = factor;
    }
    return changed;
}

void system_refresh_material(System *system) {
    find_relative(system);
    refresh_masses(system);
    air_model_set_masses(&system->air, system->mass, system->area);
    refresh_stiffness(system);
    ++system->matrix_version;
}

void system_set_design_gravity(System *system, double gravity) {
    if (system->design_gravity != gravity) {
        system->design_gravity = gravity;
        refresh_laws(system);
    }
}

/* --- pinned vertices --------------------------------------------------------------------------- */

/* The most that a clamp stiffens. One triangle of six can bend: its measured curvature is hardly its own. */
#define MOST_CLAMPED 6.0

/* A third of the triangles of a vertex that have a free corner. */
static void sum_free_areas(System *system) {
    const Mesh *mesh = system->mesh;
    memset(system->free_area, 0, (size_t)system->vertex_count * sizeof(double));
    for (int t = 0; t < mesh->triangle_count; ++t) {
        const int *v = mesh->triangles[t].vertices;
        bool bends = !system->held[v[0]] || !system->held[v[1]] || !system->held[v[2]];
        for (int c = 0; c < 3 && bends; ++c) {
            system->free_area[v[c]] += mesh->triangles[t].area / 3.0;
        }
    }
}

static double clamp_at(const System *system, int vertex) {
    double all = system->area[vertex], bends = system->free_area[vertex];
    return !system->held[vertex] ? 1.0 : bends > 0 ? fmin(all / bends, MOST_CLAMPED) : 0.0;
}

void system_hold(System *system) {
    bool changed = false;
    sum_free_areas(system);
    for (int v = 0; v < system->vertex_count; ++v) {
        double clamp = clamp_at(system, v);
        changed = changed || clamp != system->clamp[v];
        system->clamp[v] = clamp;
    }
    if (changed) {
        refresh_stiffness(system);
        ++system->matrix_version;
    }
}

double system_set_length(System *system, double length) {
    system->length = length;
    if (find_relative(system)) {
        refresh_stiffness(system);
    }
    return damping_factor(system, 0, length);
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
    const Parcels *parcels = &system->parcels;
    int chosen = system->awake ? piece_items_choose(&parcels->items, system->awake_count,
                                                    system->awake_pieces)
                               : PARCELS_ALL;
    return parcels_evaluate(&system->parcels, system->pool, chosen, z, present);
}

double system_conventional_forces(System *system, const Vec3 *x) {
    if (system->laws.has_convention) {
        system_conventional_step(system, x);
        return NAN;
    }
    system->by_parcels = true;
    return parcels_evaluate(&system->parcels, system->pool, PARCELS_ALL, x, x);
}

double system_elastic_energy(const System *system, const Vec3 *x) {
    return laws_energy(&system->laws, system->pool, x, NULL);
}

double system_true_energy(const System *system, const Vec3 *x) {
    double by[PARTS_MOST];
    for (int p = 0; p < system->part_count; ++p) {
        by[p] = 1.0 / system->relative[p];
    }
    return laws_energy(&system->laws, system->pool, x, by);
}

void system_reset_memory(System *system, const Vec3 *x) {
    Vec3 *memory = laws_memory(&system->laws);
    if (memory) {
        memset(memory, 0, (size_t)system->vertex_count * sizeof *memory);
        laws_remember(&system->laws, system->pool, x);
    }
}
