/* Builds the simulation of one mesh, with warnings about what it is built of. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "laws/bending.h"
#include "laws/moment.h"
#include "mesh/polygon.h"
#include "simulation/simulation_internal.h"

static uint64_t mix(uint64_t hash, const void *bytes, size_t size) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < size; ++i) {
        hash = (hash ^ p[i]) * 1099511628211u;
    }
    return hash;
}

static uint64_t fingerprint_of(const Mesh *mesh) {
    uint64_t hash = 1469598103934665603u;
    hash = mix(hash, mesh->rest, (size_t)mesh->vertex_count * sizeof *mesh->rest);
    for (int e = 0; e < mesh->edge_count; ++e) {
        hash = mix(hash, &mesh->edges[e].a, sizeof mesh->edges[e].a);
        hash = mix(hash, &mesh->edges[e].b, sizeof mesh->edges[e].b);
    }
    return hash;
}

static bool keeps_folds(const SimulationOptions *options) {
    bool keeps = options->system.memory;
    for (int p = 0; p < options->system.part_count; ++p) {
        keeps |= options->system.parts[p].memory;
    }
    return keeps;
}

static StatusCode allocate_state(Simulation *simulation, Status *status) {
    int count = simulation->mesh.vertex_count;
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        simulation->past[m] = STORE_ARRAY(&simulation->store, Vec3, count);
    }
    simulation->velocity = STORE_ARRAY(&simulation->store, Vec3, count);
    simulation->velocity_before = STORE_ARRAY(&simulation->store, Vec3, count);
    simulation->next = STORE_ARRAY(&simulation->store, Vec3, count);
    simulation->start = STORE_ARRAY(&simulation->store, Vec3, count);
    simulation->start_velocity = STORE_ARRAY(&simulation->store, Vec3, count);
    simulation->pins = STORE_ARRAY(&simulation->store, Pin, count);
    if (keeps_folds(&simulation->options)) {
        simulation->solved = STORE_ARRAY(&simulation->store, Vec3, count);
    }
    if (simulation->store.failed) {
        return status_no_memory(status, "the state");
    }
    memcpy(simulation->past[0], simulation->mesh.rest, (size_t)count * sizeof(Vec3));
    return STATUS_OK;
}

/* What goes on side by side while a mesh is read, each on one thread. */
typedef struct BuildWork {
    Simulation *simulation;
    const PolygonMesh *polygons;
    CheckReport *report;
    Status status[2];
} BuildWork;

/* Checks and builds the mesh. */
static void read_mesh(void *context, int begin, int end) {
    BuildWork *work = context;
    Simulation *simulation = work->simulation;
    const SimulationOptions *options = &simulation->options;
    const SimulationHalf *half = &options->half;
    int found;
    for (int part = begin; part < end; ++part) {
        if (part == 0) {
            mesh_build(work->polygons, half->halved ? half->plane_from : MESH_WHOLE, &options->mesh,
                       &simulation->store, &simulation->mesh, &work->status[0]);
        } else {
            mesh_check(work->polygons, work->report, NULL, 0, &found, &work->status[1]);
        }
    }
}

/* Woven cloth needs threads. */
static StatusCode find_weave(Simulation *simulation, const PolygonMesh *polygons, Status *status) {
    SystemOptions *options = &simulation->options.system;
    if (model_has(options->model, ABILITY_ANY_MESH)) {
        return STATUS_OK;
    }
    options->weave = &simulation->weave;
    return weave_build(polygons, &simulation->mesh, &simulation->store, &simulation->weave, status);
}

/* Returns a status for the defects of the mesh, or for failing to build it. */
static StatusCode build_mesh(Simulation *simulation, const PolygonMesh *polygons,
                             CheckReport *report, Status *warning) {
    BuildWork work = {.simulation = simulation, .polygons = polygons, .report = report};
    int found;
    if (!check_can_be_read(polygons)) {
        return mesh_check(polygons, report, NULL, 0, &found, warning);
    }
    status_clear(&work.status[0]);
    status_clear(&work.status[1]);
    pool_each(simulation->pool, 2, read_mesh, &work);
    *warning = work.status[1].code >= STATUS_OK && work.status[0].code < STATUS_OK ? work.status[0]
                                                                                   : work.status[1];
    if (warning->code >= STATUS_OK && simulation->options.mesh.pattern == PATTERN_UV &&
        report->defects[DEFECT_BAD_UV] > 0) {
        status_set(warning, STATUS_ERROR_MESH,
                   "the UV map is the pattern, but %d faces have coordinates that are not finite",
                   report->defects[DEFECT_BAD_UV]);
        status_name_count(warning, DETAIL_DEFECT, report->defects[DEFECT_BAD_UV]);
        warning->details[0].defect = DEFECT_BAD_UV;
    }
    return warning->code;
}

/* By which curves parts bend, whether they remember folds and hold air, their materials say. */
static void choose_laws(SimulationOptions *options) {
    SystemOptions *system = &options->system;
    system->moments = moment_measured(&options->materials[0]);
    system->memory = moment_has_memory(&options->materials[0]);
    system->air = pressure_is_given(&options->materials[0]);
    for (int p = 0; p < system->part_count; ++p) {
        system->parts[p].moments = moment_measured(&options->materials[p]);
        system->parts[p].memory = moment_has_memory(&options->materials[p]);
        system->parts[p].air = pressure_is_given(&options->materials[p]);
    }
}

/* Builds the mechanical system, its solver, and rigid motions. */
StatusCode build_mechanics(Simulation *simulation, Status *status) {
    const SimulationOptions *options = &simulation->options;
    StatusCode code = system_build(&simulation->system, &simulation->mesh, &options->system,
                                   simulation->pool, &simulation->mechanics, status);
    if (code != STATUS_OK) {
        return code;
    }
    memcpy(simulation->system.materials, options->materials, sizeof options->materials);
    simulation->system.gravity = options->gravity;
    simulation->system.design_gravity = vec3_length(options->gravity);
    simulation->system.wind = options->wind;
    system_refresh_material(&simulation->system);
    simulation->solver =
        solver_create(options->solver, &simulation->system, &options->solving, status);
    if (!simulation->solver) {
        return status->code;
    }
    simulation->solver->cancelled = options->cancelled;
    code = rigid_build(&simulation->rigid, &simulation->system, &simulation->mechanics, status);
    return code == STATUS_OK
               ? order_build(&simulation->order, &simulation->rigid, &simulation->mechanics, status)
               : code;
}

/* Volumes that are kept must be some. */
static StatusCode check_volumes(const Simulation *simulation, Status *status) {
    int count = simulation->system.part_count;
    for (int p = 0; p < count; ++p) {
        double stiffness = simulation->options.materials[p].volume_stiffness;
        if (stiffness > 0 && !simulation_has_volumes(simulation, p)) {
            return simulation_refuse_flat(count > 1 ? p : -1, stiffness, status);
        }
    }
    return STATUS_OK;
}

static StatusCode build(Simulation *simulation, Status *status) {
    const SimulationOptions *options = &simulation->options;
    const SimulationHalf *half = &options->half;
    simulation->options.system.rail_count = half->halved ? half->plane_from - half->rail_from : 0;
    choose_laws(&simulation->options);
    simulation->fingerprint = fingerprint_of(&simulation->mesh);
    simulation->size = guard_size(&simulation->mesh);
    StatusCode code =
        contact_world_build(&simulation->world, &simulation->mesh, simulation->pool, status);
    if (code != STATUS_OK) {
        return code;
    }
    simulation->world.cancelled = options->cancelled;
    if (half->halved) {
        contact_world_halve(&simulation->world, half->rail_from, half->barrier);
    }
    code = allocate_state(simulation, status);
    code = code == STATUS_OK ? build_mechanics(simulation, status) : code;
    code = code == STATUS_OK ? check_volumes(simulation, status) : code;
    if (code == STATUS_OK) {
        contacts_set_masses(&simulation->world.contacts, simulation->system.mass);
    }
    return code;
}

/* --- warnings --------------------------------------------------------------------------------- */

/* What a part has of what shear needs. */
typedef struct PartMesh {
    bool diagonals, triangles;
} PartMesh;

static PartMesh scan_part(const Mesh *mesh, int part) {
    PartMesh found = {0};
    for (int e = 0; e < mesh->edge_count; ++e) {
        found.diagonals = found.diagonals || (mesh->edges[e].kind == EDGE_SHEAR &&
                                              mesh->part[mesh->edges[e].a] == part);
    }
    for (int t = 0; t < mesh->triangle_count; ++t) {
        found.triangles = found.triangles || mesh->part[mesh->triangles[t].vertices[0]] == part;
    }
    return found;
}

/* Names the part in the message, if a cloth has several. */
static void name_part(const Simulation *simulation, int part, Status *status) {
    if (simulation->system.part_count > 1) {
        status_append(status, "part %d: ", part);
    }
}

/* The table of settings ends at ten times this: there the rounding of a pivot, 2e-16 h^2 k with h = 1/48 s, is as large as
 * the mass of a vertex, 1e-5 kg, which is all that keeps the matrix of free cloth positive definite.
 *
 * N/m from which on a double has no digits left beside the stiffness for what else acts: weight and mass of a vertex add
 * some 0.1 N/m to the same sums. */
#define TOO_STIFF 1e13F /* as materials have their numbers */

static void warn_of_stiffness(const Simulation *simulation, int part, Status *status) {
    const Material *material = &simulation->system.materials[part];
    const struct {
        const char *name;
        double value;
    } given[] = {{"stretch_warp", material->stretch_warp},
                 {"stretch_weft", material->stretch_weft},
                 {"shear", material->shear}};
    for (int k = 0; k < (int)(sizeof given / sizeof *given); ++k) {
        if (given[k].value >= (double)TOO_STIFF) {
            status_next(status, STATUS_WARNING_MATERIAL);
            name_part(simulation, part, status);
            status_append(status, "%s is %g N/m: from %g on, rounding errors exceed gravity",
                          given[k].name, given[k].value, (double)TOO_STIFF);
            status_name_argument(status, DETAIL_TOO_STIFF, given[k].name, given[k].value,
                                 (double)TOO_STIFF);
        }
    }
}

static void warn_of_part(const Simulation *simulation, int part, Status *status) {
    const Material *material = &simulation->system.materials[part];
    ModelKind model = system_part(&simulation->options.system, part).model;
    PartMesh mesh = scan_part(&simulation->mesh, part);
    double least = fmin(material->stretch_warp, material->stretch_weft);
    bool lacking = !model_has(model, ABILITY_TRIANGLE_SHEAR) && !mesh.diagonals;
    if (model_has(model, ABILITY_FREE_SHEAR) || material->shear <= 0 || !mesh.triangles ||
        !(lacking || material->shear > least)) {
        return;
    }
    status_next(status, STATUS_WARNING_MATERIAL);
    name_part(simulation, part, status);
    if (lacking) {
        status_append(status, "the edge model has no shear stiffness of its own on triangles: only "
                              "the stretch of their edges resists");
    } else {
        status_append(status,
                      "shear is %g N/m, stiffer than stretch: warp and weft are at least that",
                      material->shear);
    }
    Detail *detail = status_detail(status, lacking ? DETAIL_NO_SHEAR : DETAIL_SHEAR_STIFF);
    detail->value = material->shear;
    detail->limit = lacking ? 0.0 : least;
}

void simulation_warn_of_material(const Simulation *simulation, Status *status) {
    for (int p = 0; p < simulation->system.part_count; ++p) {
        warn_of_part(simulation, p, status);
        warn_of_stiffness(simulation, p, status);
    }
}

/* Parts of a pattern's area over the mesh's beyond which the two hardly belong together. */
#define PATTERN_LEAST 0.25
#define PATTERN_MOST 4.0
/* Below this the cloth starts torn: the mean edge is three times as long as at rest (guard.c). */
#define PATTERN_TORN (1.0 / 9.0)

void warn_of(int count, const char *words, DetailCode code, Status *status) {
    if (count > 0) {
        status_next(status, STATUS_WARNING_MESH);
        status_append(status, "%d %s", count, words);
        status_name_count(status, code, count);
    }
}

static void append_area(Status *status, double ratio, double uv_scale) {
    double fitting = ratio > 0 ? uv_scale / sqrt(ratio) : 0.0;
    status_append(status, "the UV map's area is %.3g times the mesh's: is it a sewing pattern?",
                  ratio);
    if (ratio > 0) {
        status_append(status, " (a UV scale of %.4g would make them equal)", fitting);
    }
    Detail *detail = status_detail(status, DETAIL_PATTERN_AREA);
    detail->value = ratio;
    detail->limit = fitting;
}

/* The area of a pattern over the mesh's; 1 where the mesh is its own pattern. */
static double pattern_ratio(const Simulation *simulation, double mesh_area) {
    double area = 0;
    if (simulation->options.mesh.pattern != PATTERN_UV || !(mesh_area > 0)) {
        return 1.0;
    }
    for (int t = 0; t < simulation->mesh.triangle_count; ++t) {
        area += simulation->mesh.triangles[t].area;
    }
    return area / mesh_area;
}

/* A pattern that would tear the cloth before it moves is not one. */
static StatusCode refuse_pattern(const Simulation *simulation, double mesh_area, Status *status) {
    double ratio = pattern_ratio(simulation, mesh_area);
    if (ratio < PATTERN_TORN) {
        status_set(status, STATUS_ERROR_MESH, "the pattern does not fit the mesh: ");
        append_area(status, ratio, simulation->options.mesh.uv_scale);
        return status->code;
    }
    return STATUS_OK;
}

/* What only shows once the cloth is built. */
static void warn_of_build(const Simulation *simulation, double mesh_area, Status *status) {
    int flat = 0, thin;
    for (int t = 0; t < simulation->mesh.triangle_count; ++t) {
        flat += simulation->mesh.triangles[t].area <= 0;
    }
    laws_count_elements(&simulation->system.laws, &bending_kind, &thin);
    warn_of(thin, "pairs of triangles too thin to bend", DETAIL_THIN_HINGES, status);
    simulation_warn_of_material(simulation, status);
    if (simulation->options.mesh.pattern != PATTERN_UV) {
        return;
    }
    warn_of(flat, "triangles without area in the UV map: they carry no stretch",
            DETAIL_PATTERN_FLAT, status);
    double ratio = pattern_ratio(simulation, mesh_area);
    if (ratio < PATTERN_LEAST || ratio > PATTERN_MOST) {
        status_next(status, STATUS_WARNING_MESH);
        append_area(status, ratio, simulation->options.mesh.uv_scale);
    }
}

/* All but the threads; leaves the warnings about the mesh. */
static StatusCode build_all(Simulation *simulation, const PolygonMesh *polygons, Status *status) {
    CheckReport check;
    Status warning;
    if (build_mesh(simulation, polygons, &check, &warning) < STATUS_OK) {
        *status = warning;
        return status->code;
    }
    if (refuse_pattern(simulation, check.area, status) != STATUS_OK ||
        find_weave(simulation, polygons, status) != STATUS_OK ||
        build(simulation, status) != STATUS_OK) {
        return status->code;
    }
    *status = warning;
    warn_of_build(simulation, check.area, status);
    return STATUS_OK;
}

Simulation *simulation_create(const PolygonMesh *polygons, const SimulationOptions *options,
                              Status *status) {
    Simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation) {
        status_no_memory(status, "the cloth");
        return NULL;
    }
    simulation->options = *options;
    simulation->pool = pool_create(options->threads);
    StatusCode code = simulation->pool ? build_all(simulation, polygons, status)
                                       : status_no_memory(status, "threads");
    if (code != STATUS_OK) {
        simulation_destroy(simulation);
        return NULL;
    }
    return simulation;
}

void simulation_destroy(Simulation *simulation) {
    if (!simulation) {
        return;
    }
    solver_destroy(simulation->solver);
    contact_world_destroy(&simulation->world);
    pool_destroy(simulation->pool);
    store_release(&simulation->mechanics);
    store_release(&simulation->sewing.store);
    store_release(&simulation->store);
    for (int k = 0; k < ROLLBACK_COUNT; ++k) {
        free(simulation->saved[k].bytes);
    }
    free(simulation);
}

/* --- what it was built for -------------------------------------------------------------------- */

bool simulation_accepts_material(const Simulation *simulation, int part, const Material *material) {
    const PartOptions made = system_part(&simulation->options.system, part);
    return (made.air || !pressure_is_given(material)) &&
           (made.memory || !moment_has_memory(material)) &&
           (made.memory || made.moments || !moment_measured(material));
}

bool simulation_has_volumes(const Simulation *simulation, int part) {
    const Laws *laws = &simulation->system.laws;
    return pressure_has_volumes(laws->list, laws->count, part);
}

StatusCode simulation_refuse_flat(int part, double stiffness, Status *status) {
    status_set(status, STATUS_ERROR_MESH, "volume_stiffness is given");
    if (part >= 0) {
        status_append(status, " for part %d", part);
    }
    status_append(status, ", but the closed surface is flat at rest: it has no volume to keep");
    return status_name_argument(status, DETAIL_CONFLICT, "volume_stiffness", stiffness, 0);
}

bool simulation_is_two_level(const Simulation *simulation) { return simulation->solver->two_level; }
