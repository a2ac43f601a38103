/* One mesh under simulation: building it, bringing its solver up to date, and its substeps. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/timing.h"
#include "mesh/check.h"
#include "model/bending.h"
#include "model/moment.h"
#include "simulation/state.h"

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

static StatusCode take_state(Simulation *simulation, Status *status) {
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

/* The mesh is looked at, and built. */
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
static StatusCode find_threads(Simulation *simulation, const PolygonMesh *polygons,
                               Status *status) {
    SystemOptions *options = &simulation->options.system;
    if (options->model != MODEL_WOVEN) {
        return STATUS_OK;
    }
    options->weave = &simulation->weave;
    return weave_build(polygons, &simulation->mesh, &simulation->store, &simulation->weave, status);
}

/* Returns what is wrong with the mesh, or what kept it from being built. */
static StatusCode take_mesh(Simulation *simulation, const PolygonMesh *polygons,
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
    system->memory = moment_keeps(&options->materials[0]);
    system->air = pressure_is_given(&options->materials[0]);
    for (int p = 0; p < system->part_count; ++p) {
        system->parts[p].moments = moment_measured(&options->materials[p]);
        system->parts[p].memory = moment_keeps(&options->materials[p]);
        system->parts[p].air = pressure_is_given(&options->materials[p]);
    }
}

/* The mechanical system, the solver of it, and what it knows of rigid motions. */
StatusCode build_mechanics(Simulation *simulation, Status *status) {
    const SimulationOptions *options = &simulation->options;
    static Solver *(*const create[])(System *, const SolverOptions *,
                                     Status *) = {[SOLVER_LINEAR] = linear_solver_create,
                                                  [SOLVER_IMPLICIT] = implicit_solver_create,
                                                  [SOLVER_SWEEP] = sweep_solver_create,
                                                  [SOLVER_THREADS] = thread_solver_create};
    StatusCode code = system_build(&simulation->system, &simulation->mesh, &options->system,
                                   simulation->pool, &simulation->mechanics, status);
    if (code != STATUS_OK) {
        return code;
    }
    memcpy(simulation->system.materials, options->materials, sizeof options->materials);
    simulation->system.gravity = options->gravity;
    simulation->system.wind = options->wind;
    system_refresh_material(&simulation->system);
    simulation->solver = create[options->solver](&simulation->system, &options->solving, status);
    if (!simulation->solver) {
        return status->code;
    }
    simulation->solver->cancelled = options->cancelled;
    return rigid_build(&simulation->rigid, &simulation->system, &simulation->mechanics, status);
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
    StatusCode code =
        surroundings_build(&simulation->around, &simulation->mesh, simulation->pool, status);
    if (code != STATUS_OK) {
        return code;
    }
    simulation->around.cancelled = options->cancelled;
    if (half->halved) {
        surroundings_halve(&simulation->around, half->rail_from, half->barrier);
    }
    code = take_state(simulation, status);
    code = code == STATUS_OK ? build_mechanics(simulation, status) : code;
    code = code == STATUS_OK ? check_volumes(simulation, status) : code;
    if (code == STATUS_OK) {
        contacts_set_masses(&simulation->around.contacts, simulation->system.mass);
    }
    return code;
}

/* Parts of a pattern's area over the mesh's beyond which the two hardly belong together. */
#define PATTERN_LEAST 0.25
#define PATTERN_MOST 4.0

/* Adds a sentence about a count of things to the warning of the mesh check. */
static void warn(Status *status, int count, const char *words, DetailCode code) {
    if (count > 0) {
        status_next(status, STATUS_WARNING_MESH);
        status_append(status, "%d %s", count, words);
        status_name_count(status, code, count);
    }
}

static void warn_of_area(Status *status, double ratio, double uv_scale) {
    double fitting = ratio > 0 ? uv_scale / sqrt(ratio) : 0.0;
    status_next(status, STATUS_WARNING_MESH);
    status_append(status, "the UV map's area is %.3g times the mesh's: is it a sewing pattern?",
                  ratio);
    status_append(status, " (a UV scale of %.4g would make them equal)", fitting);
    Detail *detail = status_detail(status, DETAIL_PATTERN_AREA);
    detail->value = ratio;
    detail->limit = fitting;
}

/* What only shows once the cloth is built. */
static void warn_of_build(const Simulation *simulation, double mesh_area, Status *status) {
    int flat = 0;
    double area = 0;
    for (int t = 0; t < simulation->mesh.triangle_count; ++t) {
        area += simulation->mesh.triangles[t].area;
        flat += simulation->mesh.triangles[t].area <= 0;
    }
    int thin;
    laws_count_elements(&simulation->system.laws, &bending_kind, &thin);
    warn(status, thin, "pairs of triangles too thin to bend", DETAIL_THIN_HINGES);
    simulation_tell_material(simulation, status);
    if (simulation->options.mesh.pattern != PATTERN_UV) {
        return;
    }
    warn(status, flat, "triangles without area in the UV map: they carry no stretch",
         DETAIL_PATTERN_FLAT);
    double ratio = mesh_area > 0 ? area / mesh_area : 1.0;
    if (ratio < PATTERN_LEAST || ratio > PATTERN_MOST) {
        warn_of_area(status, ratio, simulation->options.mesh.uv_scale);
    }
}

Simulation *simulation_create(const PolygonMesh *polygons, const SimulationOptions *options,
                              Status *status) {
    CheckReport check;
    Status warning;
    Simulation *simulation = calloc(1, sizeof *simulation);
    if (!simulation) {
        status_no_memory(status, "the cloth");
        return NULL;
    }
    simulation->options = *options;
    simulation->pool = pool_create(options->threads);
    if (!simulation->pool) {
        status_no_memory(status, "threads");
        simulation_destroy(simulation);
        return NULL;
    }
    if (take_mesh(simulation, polygons, &check, &warning) < STATUS_OK) {
        *status = warning;
        simulation_destroy(simulation);
        return NULL;
    }
    if (find_threads(simulation, polygons, status) != STATUS_OK ||
        build(simulation, status) != STATUS_OK) {
        simulation_destroy(simulation);
        return NULL;
    }
    *status = warning;
    warn_of_build(simulation, check.area, status);
    return simulation;
}

void simulation_destroy(Simulation *simulation) {
    if (!simulation) {
        return;
    }
    if (simulation->solver) {
        simulation->solver->destroy(simulation->solver);
    }
    surroundings_destroy(&simulation->around);
    pool_destroy(simulation->pool);
    store_release(&simulation->mechanics);
    store_release(&simulation->sewing.store);
    store_release(&simulation->store);
    free(simulation);
}

/* --- stepping --------------------------------------------------------------------------------- */

/* Fills the states before the present one as if the cloth had flown straight: x - m h v. */
static void invent_past(Simulation *simulation, double length) {
    for (int m = 1; m < GUESS_HISTORY; ++m) {
        for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
            simulation->past[m][i] =
                vec3_madd(simulation->past[0][i], -m * length, simulation->velocity[i]);
        }
    }
    memcpy(simulation->velocity_before, simulation->velocity,
           (size_t)simulation->mesh.vertex_count * sizeof(Vec3));
    simulation->history_length = length;
    simulation->invented = 1;
}

/* Not by itself where the cloth meets something: it goes on with the last change of velocity, and a third of every
 * strike comes again as a bounce. */
static bool is_second_order(const Simulation *simulation) {
    if (simulation->options.integrator != INTEGRATOR_AUTO) {
        return simulation->options.integrator == INTEGRATOR_BDF2;
    }
    return simulation_has_quality(simulation) &&
           simulation->solver->options.quality == QUALITY_FINAL &&
           !surroundings_matter(&simulation->around);
}

/* Length of the implicit step inside a substep: backward Euler takes all of it; the second-order step
 * z - 2h/3 v(z) = (4 x(n) - x(n-1))/3, likewise for v, takes two thirds from a start between states. */
static double implicit_length(const Simulation *simulation, double length) {
    return is_second_order(simulation) ? 2.0 / 3.0 * length : length;
}

StatusCode simulation_prepare(Simulation *simulation, double step_seconds, Status *status) {
    double length = step_seconds / simulation->options.substeps;
    StatusCode code = simulation->solver->prepare(simulation->solver,
                                                  implicit_length(simulation, length), status);
    if (code == STATUS_OK && simulation->history_length != length) {
        simulation->has_substep = 0;
        invent_past(simulation, length);
    }
    return code;
}

/* Rails lead to the mirror plane, as fast as `closing` asks for. */
static void place_rails(Simulation *simulation, double length) {
    const SimulationHalf *half = &simulation->options.half;
    for (int i = simulation->system.rail_from; i < simulation->mesh.vertex_count; ++i) {
        double x = simulation->past[0][i].x, way = fabs(simulation->mesh.rest[i].x) * length;
        bool arrives = i >= half->plane_from || fabs(x) * half->closing <= way;
        simulation->system.rail[i] = arrives ? 0.0 : x - copysign(way / half->closing, x);
    }
}

/* Which part of the frame the bodies move through in substep s. */
static void place_bodies(Simulation *simulation, int substep, double length) {
    double count = simulation->options.substeps;
    Substep *next = &simulation->solver->substep;
    next->around = surroundings_matter(&simulation->around) ? &simulation->around : NULL;
    next->span = (SubstepSpan){.t0 = substep / count,
                               .t1 = (substep + 1) / count,
                               .length = length,
                               .implicit = implicit_length(simulation, length),
                               .once = simulation->options.solving.led};
}

static void start_vertices(void *context, int begin, int end) {
    const Simulation *simulation = context;
    for (int i = begin; i < end; ++i) {
        Vec3 moved = vec3_sub(simulation->past[0][i], simulation->past[1][i]);
        Vec3 gained = vec3_sub(simulation->velocity[i], simulation->velocity_before[i]);
        simulation->start[i] = vec3_madd(simulation->past[0][i], 1.0 / 3.0, moved);
        simulation->start_velocity[i] = vec3_madd(simulation->velocity[i], 1.0 / 3.0, gained);
    }
}

/* What the substep starts from: see implicit_length(). */
static Past look_back(Simulation *simulation) {
    Past past = {.start = simulation->past[0], .velocity = simulation->velocity};
    for (int m = 0; m < GUESS_HISTORY; ++m) {
        past.positions[m] = simulation->past[m];
    }
    if (is_second_order(simulation)) {
        pool_run(simulation->pool, simulation->mesh.vertex_count, start_vertices, simulation);
        past.start = simulation->start;
        past.velocity = simulation->start_velocity;
    }
    return past;
}

typedef struct ArriveWork {
    const Simulation *simulation;
    const Vec3 *start;
    double implicit; /* s */
    Vec3 *velocity;  /* out */
} ArriveWork;

/* The new velocities; counts the vertices that left the finite numbers. */
static double arrive_vertices(void *context, int begin, int end) {
    const ArriveWork *work = context;
    int lost = 0;
    for (int i = begin; i < end; ++i) {
        Vec3 next = work->simulation->next[i];
        work->velocity[i] = vec3_scale(1.0 / work->implicit, vec3_sub(next, work->start[i]));
        lost += !vec3_fits_float(next) || !vec3_fits_float(work->velocity[i]);
    }
    return lost;
}

/* The new state takes the oldest one's memory. Its velocities are where those of the substep's start were. */
static void commit(Simulation *simulation) {
    Vec3 *before = simulation->velocity_before;
    simulation->velocity_before = simulation->velocity;
    simulation->velocity = simulation->start_velocity;
    simulation->start_velocity = before;
    Vec3 *oldest = simulation->past[GUESS_HISTORY - 1];
    for (int m = GUESS_HISTORY - 1; m > 0; --m) {
        simulation->past[m] = simulation->past[m - 1];
    }
    simulation->past[0] = simulation->next;
    simulation->next = oldest;
    simulation->has_substep = 1;
    simulation->invented = 0;
    laws_remember(&simulation->system.laws, simulation->pool, simulation->past[0]);
    if (simulation->solver->substep.around) {
        surroundings_end(&simulation->around, simulation->system.held, simulation->past[0],
                         simulation->velocity);
    }
}

/* A second-order step needs the acceleration that a made-up straight past lacks: one trial substep shows it,
 * and the past is bent to match. */
static void bend_past(Simulation *simulation, double length) {
    double implicit = implicit_length(simulation, length);
    Past past = look_back(simulation);
    simulation->solver->advance(simulation->solver, &past, simulation->next);
    if (solver_cancelled(simulation->solver)) {
        return; /* half a trial shows nothing */
    }
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        Vec3 speed = vec3_scale(1.0 / implicit, vec3_sub(simulation->next[i], past.start[i]));
        Vec3 acceleration = vec3_scale(1.0 / implicit, vec3_sub(speed, past.velocity[i]));
        if (vec3_fits_float(acceleration)) {
            simulation->velocity_before[i] =
                vec3_madd(simulation->velocity[i], -length, acceleration);
            simulation->past[1][i] =
                vec3_madd(simulation->past[1][i], 0.5 * length * length, acceleration);
        }
    }
    simulation->invented = 0;
}

static StatusCode refuse_cancelled(const Simulation *simulation, Status *status) {
    status_set(status, STATUS_ERROR_CANCELLED, "cancelled; %d of %d substeps are done",
               simulation->substeps_done, simulation->options.substeps);
    status_name_count(status, DETAIL_CANCELLED, simulation->substeps_done);
    status->details[0].limit = simulation->options.substeps;
    return status->code;
}

/* Where what the solver leaves has another momentum than the forces give, passes that mend it; else 0. Rounds that end early
 * lack little. A scalar in place of springs' second derivatives takes nearly all of a turn [Desbrun et al. 1999, their last
 * step], and each pass leaves the angle of the substep times what it found. Other published methods are left as they are. */
static int balance_passes(const SimulationOptions *options) {
    if (options->solver == SOLVER_SWEEP && options->solving.sweep_method == SWEEP_DESBRUN) {
        return 6;
    }
    return options->solver == SOLVER_LINEAR && options->solving.scheme != SCHEME_PLAIN ? 2 : 0;
}

static StatusCode advance(Simulation *simulation, double length, Status *status) {
    if (simulation->invented && is_second_order(simulation)) {
        bend_past(simulation, length);
    }
    Past past = look_back(simulation);
    double implicit = implicit_length(simulation, length);
    simulation->solver->advance(simulation->solver, &past, simulation->next);
    double clock = timing_now();
    if (solver_cancelled(simulation->solver)) {
        simulation->has_substep = 0;
        return refuse_cancelled(simulation, status);
    }
    int passes = balance_passes(&simulation->options);
    if (passes > 0) {
        rigid_balance(&simulation->rigid, &simulation->solver->substep, simulation->past[0],
                      simulation->velocity, passes, simulation->next);
    }
    ArriveWork work = {.simulation = simulation,
                       .start = past.start,
                       .implicit = implicit,
                       .velocity = simulation->start_velocity};
    if (pool_sum(simulation->pool, simulation->mesh.vertex_count, arrive_vertices, &work) > 0) {
        int lost = 0;
        while (arrive_vertices(&work, lost, lost + 1) == 0) {
            ++lost;
        }
        simulation->has_substep = 0;
        simulation->lost = lost;
        return status_diverged(status, lost);
    }
    commit(simulation);
    simulation->after = timing_now() - clock;
    return STATUS_OK;
}

/* Part of a budget that substeps are given: the rest is for what comes before and after them. */
#define BUDGET_PART 0.85

/* Each substep has an equal part of what is left, less what comes after its solver. */
static void set_deadline(Simulation *simulation, double begin, int substep) {
    double now = timing_now(), left = begin + BUDGET_PART * simulation->budget - now;
    double part = left / (simulation->options.substeps - substep);
    simulation->solver->deadline = simulation->budget > 0 ? now + part - simulation->after : 0.0;
}

static void tell_progress(const Simulation *simulation, int per_mille) {
    if (simulation->options.progress) {
        atomic_store(simulation->options.progress, per_mille);
    }
}

static StatusCode run_substeps(Simulation *simulation, double begin, double seconds,
                               Status *status) {
    double length = seconds / simulation->options.substeps;
    links_follow(simulation, seconds);
    StatusCode code = simulation_prepare(simulation, seconds, status);
    for (int p = 0; p < simulation->pin_count; ++p) {
        simulation->pins[p].from = pin_place(simulation, &simulation->pins[p]);
    }
    surroundings_start_frame(&simulation->around);
    for (int s = 0; s < simulation->options.substeps && code == STATUS_OK; ++s) {
        place_targets(simulation, s, length);
        links_aim(simulation, length);
        place_rails(simulation, length);
        place_bodies(simulation, s, length);
        set_deadline(simulation, begin, s);
        code = advance(simulation, length, status);
        simulation->substeps_done += code == STATUS_OK;
        tell_progress(simulation, 1000 * (s + 1) / simulation->options.substeps);
    }
    surroundings_end_frame(&simulation->around, simulation_part_done(simulation));
    return code;
}

StatusCode simulation_step(Simulation *simulation, double seconds, Status *status) {
    double begin = timing_now();
    tell_progress(simulation, 0);
    simulation->solver->work = (SolverWork){0};
    simulation->substeps_done = 0;
    StatusCode code = solver_cancelled(simulation->solver)
                          ? refuse_cancelled(simulation, status)
                          : run_substeps(simulation, begin, seconds, status);
    simulation->step_seconds = timing_now() - begin;
    return code;
}

/* --- what may change while running ------------------------------------------------------------ */

void simulation_refresh(Simulation *simulation) {
    links_read_fabrics(simulation);
    unsigned pins_version = simulation->system.pins_version;
    system_refresh_material(&simulation->system);
    contacts_set_masses(&simulation->around.contacts, simulation->system.mass);
    apply_pins(simulation); /* soft pins scale with mass */
    simulation->system.pins_version = pins_version;
}

bool simulation_takes(const Simulation *simulation, int part, const Material *material) {
    const PartOptions made = system_part(&simulation->options.system, part);
    return (made.air || !pressure_is_given(material)) && (made.memory || !moment_keeps(material)) &&
           (made.memory || made.moments || !moment_measured(material));
}

void simulation_set_materials(Simulation *simulation, const Material *materials) {
    System *system = &simulation->system;
    size_t bytes = (size_t)system->part_count * sizeof *materials;
    memcpy(simulation->options.materials, materials, bytes);
    memcpy(system->materials, materials, bytes);
    simulation_refresh(simulation);
}

void simulation_set_forces(Simulation *simulation, Vec3 gravity, const Wind *wind) {
    System *system = &simulation->system;
    simulation->has_substep = 0; /* its equation is no longer this one */
    double before = wind_bound(&system->wind);
    simulation->options.gravity = gravity;
    simulation->options.wind = *wind;
    system->gravity = links_wait(simulation) ? vec3(0, 0, 0) : gravity;
    system->wind = *wind;
    system->matrix_version += wind_bound(wind) != before ? 1u : 0u;
}

static bool copy_field(Vec3 *to, const float *from, int count) {
    for (int i = 0; from && i < count; ++i) {
        to[i] = vector_at(from, i);
    }
    return from != NULL;
}

void simulation_set_fields(Simulation *simulation, const float *wind, const float *traction) {
    System *system = &simulation->system;
    simulation->has_substep = 0;
    system->has_gusts = copy_field(system->gusts, wind, system->vertex_count);
    system->has_traction = copy_field(system->traction, traction, system->vertex_count);
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
    status_append(status, ", but what is closed is flat at rest: it has no volume to keep");
    return status_name_argument(status, DETAIL_CONFLICT, "volume_stiffness", stiffness, 0);
}

ModelKind simulation_model(const Simulation *simulation, int part) {
    return system_part(&simulation->options.system, part).model;
}

SolverKind simulation_solver(const Simulation *simulation) { return simulation->options.solver; }

bool simulation_has_quality(const Simulation *simulation) {
    return simulation->options.solver == SOLVER_LINEAR &&
           simulation->options.solving.scheme == SCHEME_TWO_LEVEL;
}

void simulation_set_quality(Simulation *simulation, Quality quality) {
    simulation->solver->options.quality = quality;
}

void simulation_set_rounds(Simulation *simulation, int substeps, int iterations) {
    simulation->options.substeps = substeps;
    simulation->solver->options.iterations = iterations;
    simulation->solver->options.quality = QUALITY_CUSTOM;
    simulation->solver->rounds = iterations;
}

void simulation_set_substeps(Simulation *simulation, int substeps) {
    simulation->options.substeps = substeps;
}

void simulation_set_budget(Simulation *simulation, double seconds) { simulation->budget = seconds; }

void simulation_set_scales(Simulation *simulation, const GivenScales *scales) {
    System *system = &simulation->system;
    double *const to[SCALE_KINDS] = {[SCALE_MASS] = system->mass_scale,
                                     [SCALE_STRETCH] = system->stretch_scale,
                                     [SCALE_BEND] = system->bend_scale,
                                     [SCALE_SIZE] = system->size_scale};
    for (int k = 0; k < SCALE_KINDS; ++k) {
        for (int v = 0; scales->given[k] && v < system->vertex_count; ++v) {
            to[k][v] = given_scale(scales, k, v);
        }
    }
    system->resized = system->resized || scales->given[SCALE_SIZE];
    simulation_refresh(simulation);
}

void simulation_set_state(Simulation *simulation, const float *positions, const float *velocities) {
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        simulation->past[0][i] = read_vec3(positions, i);
        simulation->velocity[i] = velocities ? read_vec3(velocities, i) : vec3(0, 0, 0);
        if (simulation->mesh.isolated[i]) {
            simulation->system.target[i] = simulation->past[0][i];
        }
    }
    surroundings_forget(&simulation->around);
    links_restart(simulation);
    system_bring(&simulation->system, simulation->past[0]);
    simulation->history_length = 0; /* made up anew when the substep's length is known */
    simulation->has_substep = 0;
}

void simulation_aim(Simulation *simulation, const Vec3 *places, double seconds) {
    for (int i = 0; i < simulation->mesh.vertex_count; ++i) {
        Vec3 way = vec3_sub(places[i], simulation->past[0][i]);
        simulation->velocity[i] = vec3_scale(1 / seconds, way);
    }
    invent_past(simulation, seconds / simulation->options.substeps);
}
